//! Places of a chain between its nodes.

use super::MixedRod;
use crate::algebra::Vec3;
use crate::rod::{Rod, RodState};

/// A place between two nodes, on the straight line from one to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceOnChain {
    pub(crate) segment: usize,
    /// Of the far node; the near one has the rest.
    pub(crate) share: f64,
}

impl PlaceOnChain {
    /// That at a share of the length.
    pub(crate) fn new(rod: &MixedRod, share: f64) -> Self {
        let (nodes, s) = (rod.mesh().nodes(), share * rod.length());
        let segment = nodes.partition_point(|node| *node <= s).clamp(1, rod.segments()) - 1;
        Self { segment, share: ((s - nodes[segment]) / rod.lengths[segment]).clamp(0.0, 1.0) }
    }

    /// What both nodes have makes of it.
    pub(crate) fn mean(&self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        of(self.segment) * (1.0 - self.share) + of(self.segment + 1) * self.share
    }

    /// Its position, m.
    pub(crate) fn position(&self, rod: &MixedRod, state: &RodState) -> Vec3 {
        self.mean(|j| rod.position(state, j))
    }
}
