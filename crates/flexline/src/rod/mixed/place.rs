//! Places of a chain between its nodes.

use super::MixedRod;
use crate::algebra::Vec3;
use crate::rod::{Rod, RodState};

/// A place on the quadratic B-spline that has the nodes for its control points: from the middle of one segment to that
/// of the next, straight beyond the first and the last. It is smooth, so that what slides along it feels no corners, and
/// follows the chain to second order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceOnChain {
    /// The middle one of its three nodes; never the first.
    pub(crate) middle: usize,
    /// What the nodes before, at and after it make of the place.
    pub(crate) weights: [f64; 3],
    /// The same of its derivative by the share of the length.
    pub(crate) slopes: [f64; 3],
    /// And of the second.
    pub(crate) bends: [f64; 3],
}

/// The segment that an arc length is on, of nodes from 0 to the length: the last of those that begin there or before. Meshes are
/// even or nearly so, and it is near where it would be then.
fn segment_of(nodes: &[f64], s: f64) -> usize {
    let last = nodes.len() - 2;
    let guess = s / nodes[last + 1] * (last + 1) as f64;
    let mut segment = (guess as usize).min(last);
    while segment > 0 && nodes[segment] > s {
        segment -= 1;
    }
    while segment < last && nodes[segment + 1] <= s {
        segment += 1;
    }
    segment
}

impl PlaceOnChain {
    /// That at a share of the length.
    pub(crate) fn new(rod: &MixedRod, share: f64) -> Self {
        let (nodes, n, length) = (rod.mesh().nodes(), rod.segments(), rod.length());
        // What is no number is no place: a step that led far away is judged by its energy, not here.
        let s = if share.is_nan() { 0.0 } else { (share * length).clamp(0.0, length) };
        let segment = segment_of(nodes, s);
        let along = (s - nodes[segment]) / rod.lengths[segment];
        let rate = length / rod.lengths[segment];
        if n == 1 || (segment == 0 && along < 0.5) {
            let (weights, slopes) = ([1.0 - along, along, 0.0], [-rate, rate, 0.0]);
            return Self { middle: 1, weights, slopes, bends: [0.0; 3] };
        }
        if segment + 1 == n && along >= 0.5 {
            let (weights, slopes) = ([0.0, 1.0 - along, along], [0.0, -rate, rate]);
            return Self { middle: n - 1, weights, slopes, bends: [0.0; 3] };
        }
        let middle = segment + usize::from(along >= 0.5);
        let (before, after) = (0.5 * rod.lengths[middle - 1], 0.5 * rod.lengths[middle]);
        let t = ((s - nodes[middle] + before) / (before + after)).clamp(0.0, 1.0);
        let rate = length / (before + after);
        let u = 1.0 - t;
        Self {
            middle,
            weights: [0.5 * u * u, 0.5 + t * u, 0.5 * t * t],
            slopes: [-u * rate, (u - t) * rate, t * rate],
            bends: [rate * rate, -2.0 * rate * rate, rate * rate],
        }
    }

    /// Its nodes, and what each makes of it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let (first, weights) = (self.middle - 1, self.weights);
        (0..3).map(move |k| (first + k, weights[k])).filter(|(_, weight)| *weight != 0.0)
    }

    fn sum(&self, weights: [f64; 3], of: impl Fn(usize) -> Vec3) -> Vec3 {
        let each =
            |k: usize| if weights[k] == 0.0 { Vec3::zeros() } else { of(self.middle - 1 + k) * weights[k] };
        each(0) + each(1) + each(2)
    }

    /// What its nodes have makes of it.
    pub(crate) fn mean(&self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        self.sum(self.weights, of)
    }

    /// Its position, m.
    pub(crate) fn position(&self, rod: &MixedRod, state: &RodState) -> Vec3 {
        self.mean(|j| rod.position(state, j))
    }

    /// First and second derivative of its position by the share of the length, m.
    pub(crate) fn derivatives(&self, rod: &MixedRod, state: &RodState) -> [Vec3; 2] {
        [self.slopes, self.bends].map(|weights| self.sum(weights, |j| rod.position(state, j)))
    }
}
