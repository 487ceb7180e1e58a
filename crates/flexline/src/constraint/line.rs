//! A point stays on a line: on two planes that meet in it.
//!
//! ```text
//! value      g_i = (u − q)·n_i      n_1, n_2: unit, across the line and each other; m
//! gradient   n_i
//! curvature  0
//! force      Σ λ_i n_i on the point, across the line; the opposite on the body
//! ```

use super::plane;
use super::row::{Row, Seen};
use crate::algebra::{Vec3, rotation};

pub(super) fn rows(p: &Seen, through: &Vec3, direction: &Vec3) -> [Row; 2] {
    let across = rotation::across(direction);
    [across, direction.cross(&across)].map(|normal| plane::row(p, through, &normal))
}
