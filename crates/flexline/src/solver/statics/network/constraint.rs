//! Constraints on anchors: a point stays on a plane, on a line, at a distance; a direction stays
//! parallel to another. Value, Jacobian and exact second derivative of each.
//!
//! A point of an anchor is p = x + R o. Under a displacement t and a world rotation ψ,
//! δp = t + ψ × (R o) and δ²p = ψ × (ψ × (R o)), so a constraint written through points needs only
//! its own derivatives with respect to them.

use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::mixed::cross_hessian;
use crate::solver::problem::Pose;
use serde::{Deserialize, Serialize};

/// A point fixed in an anchor, or in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Point {
    /// In the world, m.
    World(Vec3),
    /// In the axes of an anchor, m.
    On(usize, Vec3),
}

/// A constraint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Constraint {
    /// (p − q)·n = 0: the point stays on a plane of the world.
    Plane {
        /// The point.
        point: Point,
        /// A point of the plane, m.
        through: Vec3,
        /// Its normal, unit.
        normal: Vec3,
    },
    /// The point stays on a line of the world: two planes.
    Line {
        /// The point.
        point: Point,
        /// A point of the line, m.
        through: Vec3,
        /// Its direction, unit.
        direction: Vec3,
    },
    /// (|p − q|² − d²)/2d = 0: two points keep their distance.
    Distance {
        /// One point.
        from: Point,
        /// The other.
        to: Point,
        /// The distance, m.
        distance: f64,
    },
    /// |p − q| ≤ length: a string between two points, which pulls and never pushes.
    String {
        /// One point.
        from: Point,
        /// The other.
        to: Point,
        /// The length of the string, m.
        length: f64,
    },
    /// Two points coincide.
    Coincide {
        /// One point.
        from: Point,
        /// The other.
        to: Point,
    },
}

/// One scalar row at a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Value, m.
    pub(super) value: f64,
    /// (anchor, ∂/∂ψ, ∂/∂t) for at most two anchors.
    pub(super) columns: [Option<(usize, Vec3, Vec3)>; 2],
    /// ∂²/∂p_i∂p_j of the row with respect to its two points, and their levers R o.
    pub(super) second: Mat3,
    pub(super) gradient: Vec3,
    pub(super) levers: [Vec3; 2],
}

impl Constraint {
    /// The anchors it concerns.
    pub fn anchors(&self) -> [Option<usize>; 2] {
        let of = |p: &Point| if let Point::On(a, _) = p { Some(*a) } else { None };
        match self {
            Self::Plane { point, .. } | Self::Line { point, .. } => [of(point), None],
            Self::Distance { from, to, .. } | Self::String { from, to, .. } | Self::Coincide { from, to } => {
                [of(from), of(to)]
            }
        }
    }

    /// Number of scalar rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Plane { .. } | Self::Distance { .. } | Self::String { .. } => 1,
            Self::Line { .. } => 2,
            Self::Coincide { .. } => 3,
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        let point = |p: &Point| match p {
            Point::World(v) | Point::On(_, v) => v.iter().all(|c| c.is_finite()),
        };
        let vector = |v: &Vec3| v.iter().all(|c| c.is_finite());
        let unit = |v: &Vec3| vector(v) && (v.norm() - 1.0).abs() < 1e-6;
        match self {
            Self::Plane { point: p, through, normal } => point(p) && vector(through) && unit(normal),
            Self::Line { point: p, through, direction } => point(p) && vector(through) && unit(direction),
            Self::Distance { from, to, distance } | Self::String { from, to, length: distance } => {
                point(from) && point(to) && *distance > 0.0 && distance.is_finite()
            }
            Self::Coincide { from, to } => point(from) && point(to),
        }
    }

    /// Its rows at the given poses.
    pub(super) fn evaluate(&self, poses: &[Pose], out: &mut Vec<Row>) {
        let place = |p: &Point| match p {
            Point::World(v) => (*v, Vec3::zeros(), None),
            Point::On(a, o) => {
                let lever = rotation::rotate(&poses[*a].orientation, o);
                (poses[*a].position + lever, lever, Some(*a))
            }
        };
        // A row that is linear or quadratic in p − q, with gradient g and second derivative h.
        let row = |from: &Point, to: &Point, value: f64, g: Vec3, h: Mat3| {
            let ((_, lp, a), (_, lq, b)) = (place(from), place(to));
            Row {
                value,
                columns: [a.map(|a| (a, lp.cross(&g), g)), b.map(|b| (b, -lq.cross(&g), -g))],
                second: h,
                gradient: g,
                levers: [lp, lq],
            }
        };
        let nowhere = Point::World(Vec3::zeros());
        match self {
            Self::Plane { point, through, normal } => {
                let value = (place(point).0 - through).dot(normal);
                out.push(row(point, &nowhere, value, *normal, Mat3::zeros()));
            }
            Self::Line { point, through, direction } => {
                let d = place(point).0 - through;
                let u = rotation::across(direction);
                for normal in [u, direction.cross(&u)] {
                    out.push(row(point, &nowhere, d.dot(&normal), normal, Mat3::zeros()));
                }
            }
            Self::Distance { from, to, distance } | Self::String { from, to, length: distance } => {
                let d = place(from).0 - place(to).0;
                let value = (d.norm_squared() - distance * distance) / (2.0 * distance);
                out.push(row(from, to, value, d / *distance, Mat3::identity() / *distance));
            }
            Self::Coincide { from, to } => {
                let d = place(from).0 - place(to).0;
                for axis in 0..3 {
                    let unit = Vec3::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 });
                    out.push(row(from, to, d[axis], unit, Mat3::zeros()));
                }
            }
        }
    }
}

impl Row {
    /// Adds `multiplier` times the second derivative: `add(anchor, anchor, ψψ, ψt, tψ, tt)`.
    pub(super) fn add_second(
        &self,
        multiplier: f64,
        add: &mut dyn FnMut(usize, usize, Mat3, Mat3, Mat3, Mat3),
    ) {
        let signs = [1.0, -1.0];
        for (i, ci) in self.columns.iter().enumerate() {
            let Some((a, ..)) = ci else { continue };
            for (j, cj) in self.columns.iter().enumerate() {
                let Some((b, ..)) = cj else { continue };
                let h = self.second * (multiplier * signs[i] * signs[j]);
                // δp = t − [lever]× ψ
                let (li, lj) = (rotation::skew(&self.levers[i]), rotation::skew(&self.levers[j]));
                let mut turn = li * h * lj * -1.0;
                if i == j {
                    turn += cross_hessian(&self.levers[i], &(self.gradient * (multiplier * signs[i])));
                }
                // [l]×ᵀ = −[l]×: ψᵀ(−[l]×)ᵀ h t = ψᵀ [l]× h t.
                add(*a, *b, turn, li * h, h * lj * -1.0, h);
            }
        }
    }
}
