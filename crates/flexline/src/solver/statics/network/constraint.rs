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

/// A direction fixed in an anchor, or in the world; unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Direction {
    /// In the world.
    World(Vec3),
    /// In the axes of an anchor.
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
    /// Two directions stay parallel: the tangent of a cable in a guide, the axis of a hinge.
    Parallel {
        /// One direction.
        direction: Direction,
        /// The other.
        to: Direction,
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
    /// For a row a·u between two directions instead: both, in the world.
    pub(super) directions: Option<[Vec3; 2]>,
}

impl Constraint {
    /// The anchors it concerns.
    pub fn anchors(&self) -> [Option<usize>; 2] {
        let of = |p: &Point| if let Point::On(a, _) = p { Some(*a) } else { None };
        let turning = |d: &Direction| if let Direction::On(a, _) = d { Some(*a) } else { None };
        match self {
            Self::Parallel { direction, to } => [turning(direction), turning(to)],
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
            Self::Line { .. } | Self::Parallel { .. } => 2,
            Self::Coincide { .. } => 3,
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        let point = |p: &Point| match p {
            Point::World(v) | Point::On(_, v) => v.iter().all(|c| c.is_finite()),
        };
        let vector = |v: &Vec3| v.iter().all(|c| c.is_finite());
        let unit = |v: &Vec3| vector(v) && (v.norm() - 1.0).abs() < 1e-6;
        let aligned = |d: &Direction| match d {
            Direction::World(v) | Direction::On(_, v) => unit(v),
        };
        match self {
            Self::Parallel { direction, to } => aligned(direction) && aligned(to),
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
                directions: None,
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
            Self::Parallel { direction, to } => {
                let turned = |d: &Direction, v: &Vec3| match d {
                    Direction::World(_) => (*v, None),
                    Direction::On(a, _) => (rotation::rotate(&poses[*a].orientation, v), Some(*a)),
                };
                let (Direction::World(a) | Direction::On(_, a)) = direction;
                let (Direction::World(b) | Direction::On(_, b)) = to;
                // a stays across two normals of b that turn with it.
                let u = rotation::across(b);
                for normal in [u, b.cross(&u)] {
                    let ((a, on_a), (n, on_b)) = (turned(direction, a), turned(to, &normal));
                    let zero = Vec3::zeros();
                    out.push(Row {
                        value: a.dot(&n),
                        columns: [on_a.map(|i| (i, a.cross(&n), zero)), on_b.map(|i| (i, n.cross(&a), zero))],
                        second: Mat3::zeros(),
                        gradient: zero,
                        levers: [zero; 2],
                        directions: Some([a, n]),
                    });
                }
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
        if let Some([a, n]) = self.directions {
            self.add_second_of_directions(multiplier, &a, &n, add);
            return;
        }
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

    /// The same for a·n with both directions turning: (ψ_a × a)·(ψ_b × n) across, and the bending of
    /// each along itself.
    fn add_second_of_directions(
        &self,
        multiplier: f64,
        a: &Vec3,
        n: &Vec3,
        add: &mut dyn FnMut(usize, usize, Mat3, Mat3, Mat3, Mat3),
    ) {
        let zero = Mat3::zeros();
        let [first, second] = self.columns.map(|c| c.map(|(anchor, ..)| anchor));
        if let Some(i) = first {
            add(i, i, cross_hessian(a, n) * multiplier, zero, zero, zero);
        }
        if let Some(j) = second {
            add(j, j, cross_hessian(n, a) * multiplier, zero, zero, zero);
        }
        if let (Some(i), Some(j)) = (first, second) {
            let across = (Mat3::identity() * a.dot(n) - n * a.transpose()) * multiplier;
            add(i, j, across, zero, zero, zero);
            add(j, i, across.transpose(), zero, zero, zero);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind, with its two anchors 0 and 1.
    fn kinds() -> Vec<Constraint> {
        let on = |a: usize, x: f64| Point::On(a, Vec3::new(x, 0.2, -0.1));
        let unit = Vec3::new(1.0, 2.0, -0.5).normalize();
        vec![
            Constraint::Plane { point: on(0, 0.1), through: Vec3::new(0.3, 0.0, 0.1), normal: unit },
            Constraint::Line { point: on(1, 0.1), through: Vec3::new(0.3, 0.0, 0.1), direction: unit },
            Constraint::Distance { from: on(0, 0.3), to: on(1, -0.2), distance: 0.7 },
            Constraint::Distance { from: on(0, 0.3), to: Point::World(unit), distance: 0.7 },
            Constraint::String { from: on(0, 0.3), to: on(1, -0.2), length: 0.4 },
            Constraint::Coincide { from: on(0, 0.3), to: on(1, -0.2) },
            Constraint::Parallel { direction: Direction::On(0, unit), to: Direction::On(1, Vec3::y()) },
            Constraint::Parallel { direction: Direction::On(0, unit), to: Direction::World(Vec3::z()) },
        ]
    }

    fn moved(poses: &[Pose; 2], step: &[f64; 12], h: f64) -> [Pose; 2] {
        std::array::from_fn(|k| {
            let part = |at: usize| Vec3::from_column_slice(&step[6 * k + at..6 * k + at + 3]) * h;
            Pose {
                position: poses[k].position + part(3),
                orientation: rotation::exp(&part(0)) * poses[k].orientation,
            }
        })
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let poses = [(0.3, 0.4), (-0.7, 1.1)].map(|(x, turn)| Pose {
            position: Vec3::new(x, 0.1, 0.4 * turn),
            orientation: rotation::exp(&Vec3::new(turn, -0.3, 0.5 * turn)),
        });
        let step: [f64; 12] = std::array::from_fn(|i| (1.7 * i as f64 + 0.3).sin());
        for constraint in kinds() {
            let rows_at = |h: f64| {
                let mut rows = Vec::new();
                constraint.evaluate(&moved(&poses, &step, h), &mut rows);
                rows
            };
            let here = rows_at(0.0);
            assert_eq!(here.len(), constraint.rows());
            let h = 1e-4;
            let (plus, minus) = (rows_at(h), rows_at(-h));
            for (k, row) in here.iter().enumerate() {
                let first: f64 = row
                    .columns
                    .iter()
                    .flatten()
                    .map(|(a, turn, shift)| {
                        let s = &step[6 * a..6 * a + 6];
                        (0..3).map(|i| turn[i] * s[i] + shift[i] * s[3 + i]).sum::<f64>()
                    })
                    .sum();
                let numeric = (plus[k].value - minus[k].value) / (2.0 * h);
                assert!((first - numeric).abs() < 1e-7, "{constraint:?} row {k}: {first} {numeric}");
                let mut second = 0.0;
                row.add_second(1.0, &mut |a, b, pp, pt, tp, tt| {
                    let part =
                        |k: usize, at: usize| Vec3::from_column_slice(&step[6 * k + at..6 * k + at + 3]);
                    second += part(a, 0).dot(&(pp * part(b, 0) + pt * part(b, 3)))
                        + part(a, 3).dot(&(tp * part(b, 0) + tt * part(b, 3)));
                });
                let numeric = (plus[k].value - 2.0 * row.value + minus[k].value) / (h * h);
                assert!((second - numeric).abs() < 1e-5, "{constraint:?} row {k}: {second} {numeric}");
            }
        }
    }
}
