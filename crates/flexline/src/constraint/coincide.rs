//! Two points are one.
//!
//! ```text
//! value      g_i = (u − v)·e_i      in the axes e_i of the second one's body; m
//! gradient   e_i
//! curvature  0
//! force      Σ λ_i e_i on the first, the opposite on the second
//! ```

use super::plane;
use super::row::{Row, Seen};
use crate::algebra::Vec3;

pub(super) fn rows(p: &Seen, with: &Vec3) -> [Row; 3] {
    [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| plane::row(p, with, &axis))
}
