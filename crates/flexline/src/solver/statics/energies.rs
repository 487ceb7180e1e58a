//! Energies of a network at rest.

use crate::algebra::rotation;
use crate::body::Axes;
use crate::body::load::spread_work;
use crate::rod::Rod;
use crate::solver::network::{Network, NetworkState};
use crate::solver::report::Energies;

/// Energies of all rods and parts at rest, J.
pub fn energies_at_rest(network: &Network, state: &NetworkState) -> Energies {
    energies(network, state, &|_| None)
}

/// Energies of all rods and parts, J; `weight` is that of the weight of a span where it is at hand.
pub(super) fn energies(
    network: &Network,
    state: &NetworkState,
    weight: &dyn Fn(usize) -> Option<f64>,
) -> Energies {
    let mut all = Energies::default();
    for (k, (span, own)) in network.spans.iter().zip(&state.spans).enumerate() {
        let rod = network.rod(state, k);
        let (bending, torsion) = rod.energy_parts(&own.rod);
        let at = |s: f64| rod.station(&own.rod, s).position;
        let points = span.point_loads.iter().filter(|l| l.axes == Axes::World);
        let spread = span.distributed_loads.iter().filter(|l| l.axes == Axes::World);
        all.bending += bending;
        all.torsion += torsion;
        all.gravity += weight(k).unwrap_or_else(|| {
            let matter = rod.matter(&own.rod);
            -matter.points.iter().map(|p| p.mass * network.gravity.dot(&p.position)).sum::<f64>()
        });
        all.loads -= points.map(|l| l.force.dot(&at(l.s))).sum::<f64>();
        all.loads -= spread.map(|l| spread_work(l, at)).sum::<f64>();
    }
    for (anchor, pose) in network.anchors.iter().zip(&state.anchors) {
        let centre = pose.position + rotation::rotate(&pose.orientation, &anchor.centre);
        all.gravity -= anchor.mass * network.gravity.dot(&centre);
        all.loads -= anchor.force.dot(&pose.position);
    }
    all
}
