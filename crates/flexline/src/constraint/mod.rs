//! Constraints between anchors: a point stays on a plane, a line, a circle, a path, at a distance,
//! on another point; a direction or a frame stays along another. Each relative to the world or to
//! any other anchor, and where it makes sense one-sided. One file per kind, each opening with the same lines: value,
//! gradient, curvature, force. `README.md` beside this file states the mathematics.

mod aligned;
mod circle;
mod coincide;
mod curve;
mod distance;
mod line;
mod parallel;
mod plane;
mod point;
mod row;

pub use point::{Direction, Point};
pub(crate) use row::Row;

use crate::algebra::{Quat, Vec3};
use crate::body::Pose;
use crate::body::pose::{is_finite, not_unit};
use crate::geometry::path::Path;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whether a value must vanish, or only not pass zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sense {
    /// It vanishes; the constraint pulls and pushes.
    #[default]
    Equal,
    /// Zero or below: a string, which pulls and never pushes.
    AtMost,
    /// Zero or above: a stop, which pushes and never pulls.
    AtLeast,
}

/// A constraint. `on` is the body that its geometry is fixed in: an anchor, or the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Constraint {
    /// (p − q)·n: the point stays on a plane, or on one side of it.
    Plane {
        /// The point.
        point: Point,
        /// The body of the plane.
        on: Option<usize>,
        /// A point of the plane in the body's axes, m.
        through: Vec3,
        /// Its normal there, unit.
        normal: Vec3,
        /// `AtLeast`: on the side of the normal.
        sense: Sense,
    },
    /// The point stays on a line: two planes.
    Line {
        /// The point.
        point: Point,
        /// The body of the line.
        on: Option<usize>,
        /// A point of the line in the body's axes, m.
        through: Vec3,
        /// Its direction there, unit.
        direction: Vec3,
    },
    /// The point stays on a circle: a plane and a distance.
    Circle {
        /// The point.
        point: Point,
        /// The body of the circle.
        on: Option<usize>,
        /// Its centre in the body's axes, m.
        centre: Vec3,
        /// Its axis there, unit.
        axis: Vec3,
        /// Its radius, m.
        radius: f64,
    },
    /// The point slides along a path.
    Curve {
        /// The point.
        point: Point,
        /// The body of the path.
        on: Option<usize>,
        /// The path in the body's axes.
        path: Arc<Path>,
    },
    /// (|p − q|² − d²)/2d: two points keep their distance. `AtMost` is a string, `AtLeast` keeps two
    /// balls apart.
    Distance {
        /// One point.
        from: Point,
        /// The other.
        to: Point,
        /// The distance, m.
        distance: f64,
        /// Equal, at most, at least.
        sense: Sense,
    },
    /// Two points coincide.
    Coincide {
        /// One point.
        from: Point,
        /// The other.
        to: Point,
    },
    /// Two directions stay parallel: the tangent of a cable in a guide, the axis of a hinge.
    Parallel {
        /// One direction.
        direction: Direction,
        /// The other.
        to: Direction,
    },
    /// An anchor keeps its orientation relative to another, or to the world.
    Aligned {
        /// The anchor.
        anchor: usize,
        /// The body.
        on: Option<usize>,
        /// Orientation of the anchor in the body's axes.
        turn: Quat,
    },
}

impl Constraint {
    /// The anchors it concerns.
    pub fn anchors(&self) -> [Option<usize>; 2] {
        match self {
            Self::Plane { point, on, .. }
            | Self::Line { point, on, .. }
            | Self::Circle { point, on, .. }
            | Self::Curve { point, on, .. } => [point.anchor(), *on],
            Self::Distance { from, to, .. } | Self::Coincide { from, to } => [from.anchor(), to.anchor()],
            Self::Parallel { direction, to } => [direction.anchor(), to.anchor()],
            Self::Aligned { anchor, on, .. } => [Some(*anchor), *on],
        }
    }

    /// Whether its rows must vanish, or only not pass zero.
    pub fn sense(&self) -> Sense {
        match self {
            Self::Plane { sense, .. } | Self::Distance { sense, .. } => *sense,
            _ => Sense::Equal,
        }
    }

    /// Number of scalar rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Plane { .. } | Self::Distance { .. } => 1,
            Self::Line { .. } | Self::Circle { .. } | Self::Curve { .. } | Self::Parallel { .. } => 2,
            Self::Coincide { .. } | Self::Aligned { .. } => 3,
        }
    }

    /// Whether its rows are angles, rad; else they are lengths, m.
    pub fn is_angular(&self) -> bool {
        matches!(self, Self::Parallel { .. } | Self::Aligned { .. })
    }

    /// Whether its numbers are finite, its directions unit and its lengths positive.
    pub(crate) fn is_sound(&self) -> bool {
        let unit = |v: &Vec3| is_finite(v) && (v.norm() - 1.0).abs() < 1e-6;
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match self {
            Self::Plane { point, through, normal, .. } => {
                point.is_finite() && is_finite(through) && unit(normal)
            }
            Self::Line { point, through, direction, .. } => {
                point.is_finite() && is_finite(through) && unit(direction)
            }
            Self::Circle { point, centre, axis, radius, .. } => {
                point.is_finite() && is_finite(centre) && unit(axis) && positive(*radius)
            }
            Self::Curve { point, .. } => point.is_finite(),
            Self::Distance { from, to, distance, .. } => {
                from.is_finite() && to.is_finite() && positive(*distance)
            }
            Self::Coincide { from, to } => from.is_finite() && to.is_finite(),
            Self::Parallel { direction, to } => unit(direction.own_axes()) && unit(to.own_axes()),
            Self::Aligned { turn, .. } => not_unit(turn).is_none(),
        }
    }

    /// Its rows at the given poses.
    pub(crate) fn evaluate(&self, poses: &[Pose], out: &mut Vec<Row>) {
        match self {
            Self::Plane { point, on, through, normal, .. } => {
                out.push(plane::row(&point.seen_from(*on, poses), through, normal));
            }
            Self::Line { point, on, through, direction } => {
                out.extend(line::rows(&point.seen_from(*on, poses), through, direction));
            }
            Self::Circle { point, on, centre, axis, radius } => {
                out.extend(circle::rows(&point.seen_from(*on, poses), centre, axis, *radius));
            }
            Self::Curve { point, on, path } => out.extend(curve::rows(&point.seen_from(*on, poses), path)),
            Self::Distance { from, to, distance, .. } => {
                out.push(distance::row(&from.seen_from(to.anchor(), poses), to.own_axes(), *distance));
            }
            Self::Coincide { from, to } => {
                out.extend(coincide::rows(&from.seen_from(to.anchor(), poses), to.own_axes()));
            }
            Self::Parallel { direction, to } => out.extend(parallel::rows(direction, to, poses)),
            Self::Aligned { anchor, on, turn } => out.extend(aligned::rows(*anchor, *on, turn, poses)),
        }
    }
}

#[cfg(test)]
mod tests;
