//! A rod between two ends: its shape, and the forces that hold it there.

use super::RodState;
use crate::algebra::Vec3;
use crate::body::End;
use crate::body::pose::{is_finite, not_unit};
use serde::{Deserialize, Serialize};

/// The changing part of a problem: shape, multipliers, and the ends it was solved for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Coordinates of the rod.
    pub rod: RodState,
    /// Force that the support exerts on the end s = L, N, world; zero along free axes.
    pub end_force: Vec3,
    /// Moment that holds the frame at s = L, N m, world, where that frame follows from the coordinates;
    /// zero where it is one of them.
    #[serde(default = "Vec3::zeros")]
    pub end_moment: Vec3,
    /// The ends this state belongs to: a warm start moves from here to the ends of the problem.
    pub ends: [End; 2],
}

impl State {
    /// Room for a state.
    pub(crate) fn empty() -> Self {
        Self::new(RodState { coordinates: Vec::new(), twist: Vec::new() }, [End::free(); 2])
    }

    /// Whether it is made of numbers.
    pub(crate) fn is_finite(&self) -> bool {
        let numbers = |all: &[f64]| all.iter().all(|c| c.is_finite());
        let sound = |end: &End| {
            is_finite(&end.position)
                && end.twist.is_finite()
                && end.orientation.as_ref().and_then(not_unit).is_none()
        };
        numbers(&self.rod.coordinates)
            && numbers(&self.rod.twist)
            && self.ends.iter().all(sound)
            && is_finite(&self.end_force)
            && is_finite(&self.end_moment)
    }

    /// A shape without any force.
    pub fn new(rod: RodState, ends: [End; 2]) -> Self {
        Self { rod, end_force: Vec3::zeros(), end_moment: Vec3::zeros(), ends }
    }

    /// Makes this a copy of `other` without allocating (both belong to rods of one size).
    pub fn copy_from(&mut self, other: &Self) {
        self.rod.coordinates.clone_from(&other.rod.coordinates);
        self.rod.twist.clone_from(&other.rod.twist);
        self.end_force = other.end_force;
        self.end_moment = other.end_moment;
        self.ends = other.ends;
    }
}
