//! Constraints between anchors: a point stays on a plane, a line, a circle, a path, at a distance,
//! on another point; a direction or a frame stays along another. Each relative to the world or to
//! any other anchor, and where it makes sense one-sided.

use super::row::{Row, Seen};
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::body::Pose;
use crate::geometry::path::Path;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
#[derive(Clone, Debug, PartialEq)]
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
        let of = |p: &Point| if let Point::On(a, _) = p { Some(*a) } else { None };
        let turning = |d: &Direction| if let Direction::On(a, _) = d { Some(*a) } else { None };
        match self {
            Self::Plane { point, on, .. }
            | Self::Line { point, on, .. }
            | Self::Circle { point, on, .. }
            | Self::Curve { point, on, .. } => [of(point), *on],
            Self::Distance { from, to, .. } | Self::Coincide { from, to } => [of(from), of(to)],
            Self::Parallel { direction, to } => [turning(direction), turning(to)],
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

    pub(in crate::solver) fn is_finite(&self) -> bool {
        let point = |p: &Point| match p {
            Point::World(v) | Point::On(_, v) => v.iter().all(|c| c.is_finite()),
        };
        let vector = |v: &Vec3| v.iter().all(|c| c.is_finite());
        let unit = |v: &Vec3| vector(v) && (v.norm() - 1.0).abs() < 1e-6;
        let aligned = |d: &Direction| match d {
            Direction::World(v) | Direction::On(_, v) => unit(v),
        };
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match self {
            Self::Plane { point: p, through, normal, .. } => point(p) && vector(through) && unit(normal),
            Self::Line { point: p, through, direction, .. } => point(p) && vector(through) && unit(direction),
            Self::Circle { point: p, centre, axis, radius, .. } => {
                point(p) && vector(centre) && unit(axis) && positive(*radius)
            }
            Self::Curve { point: p, .. } => point(p),
            Self::Distance { from, to, distance, .. } => point(from) && point(to) && positive(*distance),
            Self::Coincide { from, to } => point(from) && point(to),
            Self::Parallel { direction, to } => aligned(direction) && aligned(to),
            Self::Aligned { turn, .. } => (turn.norm() - 1.0).abs() < 1e-6,
        }
    }

    /// Its rows at the given poses.
    pub(in crate::solver) fn evaluate(&self, poses: &[Pose], out: &mut Vec<Row>) {
        let seen = |p: &Point, on: Option<usize>| match p {
            Point::World(v) => Seen::new(*v, Vec3::zeros(), None, on, poses),
            Point::On(a, o) => {
                let lever = rotation::rotate(&poses[*a].orientation, o);
                Seen::new(poses[*a].position + lever, lever, Some(*a), on, poses)
            }
        };
        // Seen from the body of the other point, which is at rest there.
        let apart = |from: &Point, to: &Point| match to {
            Point::World(v) => (seen(from, None), *v),
            Point::On(b, o) => (seen(from, Some(*b)), *o),
        };
        let flat = Mat3::zeros();
        match self {
            Self::Plane { point, on, through, normal, .. } => {
                let p = seen(point, *on);
                out.push(p.row((p.local - through).dot(normal), normal, &flat));
            }
            Self::Line { point, on, through, direction } => {
                let p = seen(point, *on);
                let u = rotation::across(direction);
                for normal in [u, direction.cross(&u)] {
                    out.push(p.row((p.local - through).dot(&normal), &normal, &flat));
                }
            }
            Self::Circle { point, on, centre, axis, radius } => {
                let p = seen(point, *on);
                let d = p.local - centre;
                out.push(p.row(d.dot(axis), axis, &flat));
                out.push(distance_row(&p, &d, *radius));
            }
            Self::Curve { point, on, path } => {
                let p = seen(point, *on);
                curve_rows(&p, path, out);
            }
            Self::Distance { from, to, distance, .. } => {
                let (p, q) = apart(from, to);
                out.push(distance_row(&p, &(p.local - q), *distance));
            }
            Self::Coincide { from, to } => {
                let (p, q) = apart(from, to);
                for unit in [Vec3::x(), Vec3::y(), Vec3::z()] {
                    out.push(p.row((p.local - q).dot(&unit), &unit, &flat));
                }
            }
            Self::Parallel { direction, to } => parallel_rows(direction, to, poses, out),
            Self::Aligned { anchor, on, turn } => {
                let own = &poses[*anchor].orientation;
                let wanted = on.map_or_else(rotation::identity, |b| poses[b].orientation) * turn;
                for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                    out.push(Row::of_turn([Some(*anchor), *on], own, &wanted, &axis));
                }
            }
        }
    }
}

fn distance_row(p: &Seen, d: &Vec3, distance: f64) -> Row {
    let value = (d.norm_squared() - distance * distance) / (2.0 * distance);
    p.row(value, &(d / distance), &(Mat3::identity() / distance))
}

/// Across the path at the foot point c(u) of p: (p − c)·n_i, two normals that turn with the path as
/// little as they must. On the path ∇u = t/|c′| and the row bends by n_i′; terms with p − c, which
/// vanish there, are left out of the derivatives.
fn curve_rows(p: &Seen, path: &Path, out: &mut Vec<Row>) {
    let foot = path.nearest(&p.local);
    let speed = foot.first.norm();
    let tangent = foot.first / speed;
    let bend = (foot.second - tangent * tangent.dot(&foot.second)) / (speed * speed);
    let across = rotation::across(&tangent);
    for normal in [across, tangent.cross(&across)] {
        // n′ = −(κ·n) t; along t twice it counts once: n′⊗t + t⊗n′ − (n′·t) t⊗t.
        let hessian = tangent * tangent.transpose() * -bend.dot(&normal);
        out.push(p.row((p.local - foot.position).dot(&normal), &normal, &hessian));
    }
}

fn parallel_rows(direction: &Direction, to: &Direction, poses: &[Pose], out: &mut Vec<Row>) {
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
        out.push(Row::of_directions([on_a, on_b], a, n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poses() -> [Pose; 2] {
        [(0.3, 0.4), (-0.7, 1.1)].map(|(x, turn)| Pose {
            position: Vec3::new(x, 0.1, 0.4 * turn),
            orientation: rotation::exp(&Vec3::new(turn, -0.3, 0.5 * turn)),
        })
    }

    /// Every kind, with its two anchors 0 and 1.
    fn kinds() -> Vec<Constraint> {
        let on = |a: usize, x: f64| Point::On(a, Vec3::new(x, 0.2, -0.1));
        let unit = Vec3::new(1.0, 2.0, -0.5).normalize();
        let (through, sense) = (Vec3::new(0.3, 0.0, 0.1), Sense::Equal);
        let mut all = Vec::new();
        for body in [None, Some(1)] {
            all.push(Constraint::Plane { point: on(0, 0.1), on: body, through, normal: unit, sense });
            all.push(Constraint::Line { point: on(0, 0.1), on: body, through, direction: unit });
            all.push(Constraint::Circle {
                point: on(0, 0.1),
                on: body,
                centre: through,
                axis: unit,
                radius: 0.3,
            });
            all.push(Constraint::Aligned { anchor: 0, on: body, turn: rotation::exp(&(unit * 0.7)) });
        }
        all.extend([
            Constraint::Distance { from: on(0, 0.3), to: on(1, -0.2), distance: 0.7, sense },
            Constraint::Distance { from: on(0, 0.3), to: Point::World(unit), distance: 0.7, sense },
            Constraint::Distance { from: Point::World(unit), to: on(1, 0.3), distance: 0.7, sense },
            Constraint::Coincide { from: on(0, 0.3), to: on(1, -0.2) },
            Constraint::Parallel { direction: Direction::On(0, unit), to: Direction::On(1, Vec3::y()) },
            Constraint::Parallel { direction: Direction::On(0, unit), to: Direction::World(Vec3::z()) },
        ]);
        all
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

    /// First and second derivative of every row against differences.
    fn check(constraint: &Constraint, poses: &[Pose; 2], step: &[f64; 12]) {
        let rows_at = |h: f64| {
            let mut rows = Vec::new();
            constraint.evaluate(&moved(poses, step, h), &mut rows);
            rows
        };
        let here = rows_at(0.0);
        assert_eq!(here.len(), constraint.rows());
        let h = 1e-4;
        let (plus, minus) = (rows_at(h), rows_at(-h));
        let part = |k: usize, at: usize| Vec3::from_column_slice(&step[6 * k + at..6 * k + at + 3]);
        for (k, row) in here.iter().enumerate() {
            let first = row.along(|a| (part(a, 0), part(a, 3)));
            let numeric = (plus[k].value - minus[k].value) / (2.0 * h);
            assert!((first - numeric).abs() < 1e-7, "{constraint:?} row {k}: {first} {numeric}");
            let mut second = 0.0;
            row.add_second(1.0, &mut |a, b, pp, pt, tp, tt| {
                second += part(a, 0).dot(&(pp * part(b, 0) + pt * part(b, 3)))
                    + part(a, 3).dot(&(tp * part(b, 0) + tt * part(b, 3)));
            });
            let numeric = (plus[k].value - 2.0 * row.value + minus[k].value) / (h * h);
            assert!((second - numeric).abs() < 1e-5, "{constraint:?} row {k}: {second} {numeric}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        for seed in 0..5 {
            let step: [f64; 12] = std::array::from_fn(|i| (1.7 * i as f64 + 0.3 + 2.1 * seed as f64).sin());
            for constraint in kinds() {
                check(&constraint, &poses(), &step);
            }
        }
    }

    #[test]
    fn second_derivatives_are_symmetric() {
        for constraint in kinds() {
            let mut rows = Vec::new();
            constraint.evaluate(&poses(), &mut rows);
            for row in &rows {
                let mut dense = nalgebra::DMatrix::<f64>::zeros(12, 12);
                row.add_second(1.0, &mut |a, b, pp, pt, tp, tt| {
                    for (block, (r, c)) in [(pp, (0, 0)), (pt, (0, 3)), (tp, (3, 0)), (tt, (3, 3))] {
                        let mut view = dense.view_mut((6 * a + r, 6 * b + c), (3, 3));
                        view += block;
                    }
                });
                assert!((&dense - dense.transpose()).amax() < 1e-12, "{constraint:?}");
            }
        }
    }

    #[test]
    fn a_point_on_a_path_sees_its_bend() {
        let points: Vec<Vec3> =
            (0..9).map(|k| 0.4 * k as f64).map(|t| Vec3::new(t.cos(), t.sin(), 0.2 * t)).collect();
        let path = Arc::new(Path::new(&points, false).unwrap());
        let mut poses = poses();
        // Put the point on the path, in the axes of anchor 1.
        let offset = Vec3::new(0.1, 0.2, -0.1);
        for body in [None, Some(1)] {
            let foot = path.at(1.3).position;
            let wanted = body
                .map_or(foot, |b: usize| poses[b].position + rotation::rotate(&poses[b].orientation, &foot));
            poses[0].position = wanted - rotation::rotate(&poses[0].orientation, &offset);
            let constraint = Constraint::Curve { point: Point::On(0, offset), on: body, path: path.clone() };
            let step: [f64; 12] = std::array::from_fn(|i| (0.7 * i as f64 + 0.4).sin());
            check_on_the_path(&constraint, &poses, &step);
        }
    }

    /// The distance from the path along a step that leaves it: the normals may be chosen anew at
    /// every place, the sum of squares may not.
    fn check_on_the_path(constraint: &Constraint, poses: &[Pose; 2], step: &[f64; 12]) {
        let rows_at = |h: f64| {
            let mut rows = Vec::new();
            constraint.evaluate(&moved(poses, step, h), &mut rows);
            rows
        };
        let part = |k: usize, at: usize| Vec3::from_column_slice(&step[6 * k + at..6 * k + at + 3]);
        let here = rows_at(0.0);
        let h = 1e-3;
        let mut predicted = [0.0; 2];
        for row in &here {
            assert!(row.value.abs() < 1e-12);
            let mut second = 0.0;
            row.add_second(1.0, &mut |a, b, pp, pt, tp, tt| {
                second += part(a, 0).dot(&(pp * part(b, 0) + pt * part(b, 3)))
                    + part(a, 3).dot(&(tp * part(b, 0) + tt * part(b, 3)));
            });
            let first = row.along(|a| (part(a, 0), part(a, 3)));
            for (p, s) in predicted.iter_mut().zip([h, -h]) {
                *p += (first * s + 0.5 * second * s * s).powi(2);
            }
        }
        for (p, s) in predicted.iter().zip([h, -h]) {
            let distance = rows_at(s).iter().map(|r| r.value * r.value).sum::<f64>();
            // Third order in h for the distance itself.
            assert!((p.sqrt() - distance.sqrt()).abs() < 20.0 * h * h * h, "{p} {distance}");
        }
    }
}
