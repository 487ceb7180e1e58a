//! A point stays on a plane, or on one side of it.
//!
//! ```text
//! value      g = (u − q)·n      u: the point, q: one of the plane, n: its unit normal, axes of the plane's body; m
//! gradient   n
//! curvature  0                  beyond that of u itself, which `row.rs` has
//! force      λ n on the point, −λ n at the same place on the body; a stop pushes, λ ≥ 0
//! ```

use super::row::{Row, Seen};
use crate::algebra::{Mat3, Vec3};

pub(super) fn row(p: &Seen, through: &Vec3, normal: &Vec3) -> Row {
    p.row((p.local - through).dot(normal), normal, &Mat3::zeros())
}
