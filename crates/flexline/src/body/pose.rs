//! Where things are, and what holds the ends of a rod.

use crate::algebra::{Quat, Vec3, rotation};
use serde::{Deserialize, Serialize};

/// A position and an orientation, material→world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Position, m, world.
    pub position: Vec3,
    /// Unit quaternion, material→world; its third director is the tangent of the rod.
    pub orientation: Quat,
}

/// What holds one end of the rod.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Where the end is held; where it starts, along axes that are not held.
    pub position: Vec3,
    /// Which world axes of the position are held.
    pub held: [bool; 3],
    /// The frame the end is held at, before `twist`; `None` leaves it free to turn.
    pub orientation: Option<Quat>,
    /// Rotation about the end's own tangent on top of `orientation`, rad. Full turns count: they
    /// are carried into the rod.
    pub twist: f64,
}

impl End {
    /// Position and orientation held.
    pub fn clamped(pose: Pose) -> Self {
        Self { position: pose.position, held: [true; 3], orientation: Some(pose.orientation), twist: 0.0 }
    }

    /// Position held, free to turn.
    pub fn pinned(position: Vec3) -> Self {
        Self { position, held: [true; 3], orientation: None, twist: 0.0 }
    }

    /// Nothing held.
    pub fn free() -> Self {
        Self { position: Vec3::zeros(), held: [false; 3], orientation: None, twist: 0.0 }
    }

    /// The frame the end is held at, twist included.
    pub fn frame(&self) -> Option<Quat> {
        self.orientation.map(|q| q * rotation::exp(&Vec3::new(0.0, 0.0, self.twist)))
    }

    /// Whether the position is held along all axes.
    pub fn holds_position(&self) -> bool {
        self.held == [true; 3]
    }
}

/// Whether all components are numbers.
pub(crate) fn is_finite(v: &Vec3) -> bool {
    v.iter().all(|c| c.is_finite())
}

/// How far from 1 the norm of a quaternion may be: that of single precision, and not that of a mistake.
const UNIT: f64 = 1e-6;

/// The norm of a quaternion that is no rotation.
pub(crate) fn not_unit(q: &Quat) -> Option<f64> {
    let norm = q.norm();
    let unit = (norm - 1.0).abs() <= UNIT;
    (!unit).then_some(norm)
}

impl Pose {
    /// Whether the position is finite and the orientation a rotation.
    pub(crate) fn is_sound(&self) -> bool {
        is_finite(&self.position) && not_unit(&self.orientation).is_none()
    }
}
