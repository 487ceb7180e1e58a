//! Every kind of constraint against differences.

use super::*;
use crate::algebra::rotation;
use crate::algebra::tolerance::{assert_near, order, round_off, truncation};

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
        assert_near(first, numeric, truncation(1e-7, 1.0), || format!("{constraint:?}: gradient of row {k}"));
        let mut second = 0.0;
        row.add_second(1.0, &mut |a, b, pp, pt, tp, tt| {
            second += part(a, 0).dot(&(pp * part(b, 0) + pt * part(b, 3)))
                + part(a, 3).dot(&(tp * part(b, 0) + tt * part(b, 3)));
        });
        let numeric = (plus[k].value - 2.0 * row.value + minus[k].value) / (h * h);
        assert_near(second, numeric, truncation(1e-5, 1.0), || {
            format!("{constraint:?}: curvature of row {k}")
        });
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
            let off = (&dense - dense.transpose()).amax();
            round_off(1e-12, 1.0).allows(off, || format!("{constraint:?}: symmetry"));
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
        let wanted =
            body.map_or(foot, |b: usize| poses[b].position + rotation::rotate(&poses[b].orientation, &foot));
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
        let what = || format!("{constraint:?}: distance from the path");
        assert_near(p.sqrt(), distance.sqrt(), order(20.0, h * h * h), what);
    }
}
