//! Frames of what a file gives a direction: upright where their roll is open, or carried without twist.

use crate::model::Orientation;
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};

impl Orientation {
    /// The frame, its roll upright where it is open.
    pub fn frame(self) -> Quat {
        match self {
            Self::Frame(q) => q,
            Self::Tangent(tangent, up) => upright(&tangent, up),
        }
    }
}

/// The frame carried without twist over the chord onto a tangent. A cable of `length` that lies in a plane is free of twist
/// then, whatever way it bends.
pub(crate) fn carried(first: &Quat, chord: &Vec3, tangent: &Vec3, length: f64) -> Quat {
    let at_start = rotation::tangent(first);
    let q = if chord.norm() > 1e-9 * length {
        let chord = chord.normalize();
        rotation::between(&chord, tangent) * rotation::between(&at_start, &chord) * first
    } else {
        rotation::between(&at_start, tangent) * first
    };
    q * (1.0 / q.norm())
}

/// The frame with tangent d3 whose d1 leans towards `up`: world z where it is not given, world x for a
/// vertical tangent.
pub(crate) fn upright(tangent: &Vec3, up: Option<Vec3>) -> Quat {
    let default = if tangent.z.abs() > 1.0 - 1e-9 { Vec3::x() } else { Vec3::z() };
    rotation::frame(tangent, &up.unwrap_or(default))
}
