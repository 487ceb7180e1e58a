//! Loads along a spline rod, as forces at places.

use crate::algebra::Vec3;
use crate::body::Axes;
use crate::rod::Rod;
use crate::rod::kernel::Loads;
use crate::rod::spline::{SplineRod, Values, rule};

/// A force and a moment at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) element: usize,
    pub(super) xi: f64,
    pub(super) values: Values,
    pub(super) force: Vec3,
    pub(super) moment: Vec3,
    pub(super) axes: Axes,
    /// Force and moment in world axes, at the last evaluation.
    pub(super) world: (Vec3, Vec3),
}

/// Loads of a span: those at points, and distributed ones at the nodes of a rule over what they cover of every
/// element. Their places are on a rod of a `length`; `from` leaves out what lies before that share of the rod.
pub(super) fn read(rod: &SplineRod, loads: Loads<'_>, length: f64, from: f64) -> Vec<Load> {
    let mut out = Vec::new();
    let ends = &rod.knots.ends;
    let mut push = |sigma: f64, force: Vec3, moment: Vec3, axes: Axes| {
        let (element, xi) = rod.element_at(sigma * rod.length());
        let values = rod.knots.at(element, xi);
        out.push(Load { element, xi, values, force, moment, axes, world: (force, moment) });
    };
    // Loads keep their share of a rod that grows.
    for load in loads.points.iter().filter(|l| l.s / length >= from) {
        push(load.s / length, load.force, load.moment, load.axes);
    }
    for load in loads.distributed {
        let range = [load.from.min(load.to) / length, load.from.max(load.to) / length];
        for e in 0..rod.elements() {
            let (first, last) = (ends[e].max(range[0]).max(from), ends[e + 1].min(range[1]));
            if last <= first {
                continue;
            }
            for (x, w) in rule() {
                let sigma = first + x * (last - first);
                let weight = w * (last - first) * length;
                let (force, moment) = load.at(sigma * length);
                push(sigma, force * weight, moment * weight, load.axes);
            }
        }
    }
    out
}
