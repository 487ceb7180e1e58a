//! A chain, what holds its ends, what loads it.

use super::MixedRod;
use crate::algebra::Vec3;
use crate::body::{DistributedLoad, End, PointLoad};
use crate::rod::RodState;
use crate::rod::kernel::Loads;

/// A chain with its ends and its loads.
#[derive(Clone, Debug)]
pub(crate) struct HeldChain {
    pub(crate) rod: MixedRod,
    /// m/s².
    pub(crate) gravity: Vec3,
    pub(crate) ends: [End; 2],
    /// Whether it is a ring: its last node is its first.
    pub(crate) closed: bool,
    pub(crate) point_loads: Vec<PointLoad>,
    pub(crate) distributed_loads: Vec<DistributedLoad>,
}

impl HeldChain {
    /// A chain that nothing holds or loads.
    pub(crate) fn new(rod: MixedRod) -> Self {
        Self {
            rod,
            gravity: Vec3::zeros(),
            ends: [End::free(); 2],
            closed: false,
            point_loads: Vec::new(),
            distributed_loads: Vec::new(),
        }
    }

    /// Takes loads instead of those it had.
    pub(crate) fn read_loads(&mut self, loads: Loads<'_>) {
        self.point_loads.clear();
        self.point_loads.extend_from_slice(loads.points);
        self.distributed_loads.clear();
        self.distributed_loads.extend_from_slice(loads.distributed);
    }

    /// Whether the frames of the ends are held.
    pub(crate) fn held_frames(&self) -> [bool; 2] {
        self.ends.map(|end| end.orientation.is_some())
    }

    /// Axes of x_n that are held.
    pub(crate) fn end_held(&self) -> [bool; 3] {
        if self.closed { [true; 3] } else { self.ends[1].held }
    }

    /// Where x_n should be.
    pub(crate) fn end_target(&self, state: &RodState) -> Vec3 {
        if self.closed { self.rod.position(state, 0) } else { self.ends[1].position }
    }
}
