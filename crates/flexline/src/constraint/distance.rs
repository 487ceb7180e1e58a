//! Two points keep their distance, or come or go no farther.
//!
//! ```text
//! value      g = (|d|² − r²)/2r      d = u − v: between them, in the axes of the second one's body, r: the distance; m
//! gradient   d/r                     at g = 0 the unit vector between them; no root, so that d = 0 does no harm
//! curvature  I/r
//! force      λ d/r on the first, the opposite on the second; a string pulls, λ ≤ 0
//! ```

use super::row::{Row, Seen};
use crate::algebra::{Mat3, Vec3};

pub(super) fn row(p: &Seen, from: &Vec3, distance: f64) -> Row {
    let d = p.local - from;
    let value = (d.norm_squared() - distance * distance) / (2.0 * distance);
    p.row(value, &(d / distance), &(Mat3::identity() / distance))
}
