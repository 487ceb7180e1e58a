//! A point stays on a circle: on the plane of the circle, at the radius from its centre.
//!
//! ```text
//! value      g_1 = d·a,  g_2 = (|d|² − r²)/2r      d = u − c: from the centre, a: the unit axis; m
//! gradient   a,          d/r
//! curvature  0,          I/r
//! force      λ_1 a + λ_2 d/r on the point, the opposite on the body
//! ```

use super::row::{Row, Seen};
use super::{distance, plane};
use crate::algebra::Vec3;

pub(super) fn rows(p: &Seen, centre: &Vec3, axis: &Vec3, radius: f64) -> [Row; 2] {
    [plane::row(p, centre, axis), distance::row(p, centre, radius)]
}
