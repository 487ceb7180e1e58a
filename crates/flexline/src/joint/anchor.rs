//! Anchors: poses that spans attach to.

use crate::algebra::Vec3;
use crate::body::Pose;
use serde::{Deserialize, Serialize};

/// A pose that spans attach to: a port on the body of a car, a clip, a branch, a rigid part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// Where it is held; where it starts, along what is not held.
    pub pose: Pose,
    /// Which world axes of the position are held.
    pub held: [bool; 3],
    /// Whether the orientation is held.
    pub held_orientation: bool,
    /// Mass, kg; zero for a port or a branch.
    pub mass: f64,
    /// Centre of mass, m, in the anchor's axes.
    pub centre: Vec3,
    /// Moments of inertia about the centre of mass along the anchor's axes, kg m².
    pub inertia: Vec3,
    /// Dead force at the anchor's origin, N, world.
    pub force: Vec3,
    /// Dead moment, N m, world.
    pub moment: Vec3,
}

impl Anchor {
    /// Held in position and orientation.
    pub fn fixed(pose: Pose) -> Self {
        Self {
            pose,
            held: [true; 3],
            held_orientation: true,
            mass: 0.0,
            centre: Vec3::zeros(),
            inertia: Vec3::zeros(),
            force: Vec3::zeros(),
            moment: Vec3::zeros(),
        }
    }

    /// Held by nothing but what is attached: a branch, or a part when it has mass.
    pub fn loose(pose: Pose) -> Self {
        Self { held: [false; 3], held_orientation: false, ..Self::fixed(pose) }
    }

    /// A free rigid part of the given mass with its centre at `centre` in its own axes.
    pub fn part(pose: Pose, mass: f64, centre: Vec3) -> Self {
        Self { mass, centre, ..Self::loose(pose) }
    }
}
