//! Two directions stay parallel: the tangent of a cable in a guide, the axis of a hinge.
//!
//! ```text
//! value      g_i = a·n_i      a: the first direction, n_1, n_2: unit, across the second and turning with it; rad
//! gradient   a × n_i          by a rotation of the first one's body; the opposite by that of the second's
//! curvature  (n aᵀ + a nᵀ)/2 − (a·n) I on either body, (a·n) I − n aᵀ between them
//! force      a moment: Σ λ_i a × n_i on the first body, the opposite on the second
//! ```

use super::point::Direction;
use super::row::Row;
use crate::algebra::rotation;
use crate::body::Pose;

pub(super) fn rows(direction: &Direction, to: &Direction, poses: &[Pose]) -> [Row; 2] {
    let a = direction.to_world(direction.own_axes(), poses);
    let b = to.own_axes();
    let across = rotation::across(b);
    [across, b.cross(&across)]
        .map(|normal| Row::of_directions([direction.anchor(), to.anchor()], a, to.to_world(&normal, poses)))
}
