//! An anchor keeps its orientation relative to another, or to the world.
//!
//! ```text
//! value      g_i = 2 Im(w̄ q)·e_i      q: its orientation, w: the wanted one, which turns with the body; rad
//! gradient   c = Im(w e_i q̄)          by a rotation of the anchor; the opposite by that of the body
//! curvature  −(c₀/2) I on either body, (c₀ I − [c]×)/2 between them; c₀ = Re(w e_i q̄)
//! force      a moment: Σ λ_i c on the anchor, the opposite on the body
//! ```
//!
//! The value is 2 sin(θ/2) along the axis of the rotation between them, zero at θ = 0 alone.

use super::row::Row;
use crate::algebra::{Quat, Vec3, rotation};
use crate::body::Pose;

pub(super) fn rows(anchor: usize, on: Option<usize>, turn: &Quat, poses: &[Pose]) -> [Row; 3] {
    let own = &poses[anchor].orientation;
    let wanted = on.map_or_else(rotation::identity, |b| poses[b].orientation) * turn;
    [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| Row::of_turn([Some(anchor), on], own, &wanted, &axis))
}
