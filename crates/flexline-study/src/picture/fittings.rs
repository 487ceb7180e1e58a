//! What a scene has beside cables, parts and obstacles: beads as balls, pulleys as rings, constraints as thin lines.

use super::Shown;
use super::subject::{STEEL, stub};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::Pose;
use flexline::solver::network::{Constraint, Point, Sense};
use flexline_plot::{Colour, End, Paint, Subject, Tube};
use flexline_scene::harness::SliderKind;
use std::f64::consts::{PI, TAU};

const PEARL: Colour = Colour::hex(0xe4_dcc8);
const GUIDE: Colour = Colour::hex(0x8f_9aa6);
/// Rings of a ball from pole to pole.
const RINGS: usize = 12;
/// Angle between the axis of a ball and its first ring.
const POLE: f64 = 0.2;
/// Corners of a circle, and of a path.
const CORNERS: usize = 48;
const PATH_CORNERS: usize = 120;

/// Adds beads, pulleys and constraints.
pub fn add(solved: &Shown<'_>, subject: &mut Subject) {
    let thickest = subject.tubes.iter().flat_map(|t| &t.radius).fold(0.0f64, |m, r| m.max(*r));
    let poses = &solved.solution.state.anchors;
    for eye in &solved.compiled.eyes {
        let pose = &poses[eye.anchor];
        match (eye.kind, eye.wheel.map(|w| &solved.compiled.network.wheels[w])) {
            (SliderKind::Bead, _) => subject.tubes.push(ball(pose, eye.radius)),
            (_, Some(wheel)) => {
                let centre = within(pose, &wheel.pose.position);
                let axle = rotation::rotate(&(pose.orientation * wheel.pose.orientation), &Vec3::z());
                // The rope lies on the ring.
                let thickness = (0.12 * wheel.radius).min(2.0 * thickest);
                let ring = circle(centre, axle, wheel.radius - thickest - thickness);
                subject.tubes.extend(line(&ring, thickness, STEEL));
            }
            _ => {}
        }
    }
    for constraint in &solved.compiled.network.constraints {
        add_constraint(constraint, poses, thickest, subject);
    }
}

/// A point of a body in the world.
fn within(pose: &Pose, local: &Vec3) -> Vec3 {
    pose.position + rotation::rotate(&pose.orientation, local)
}

fn add_constraint(constraint: &Constraint, poses: &[Pose], thickest: f64, subject: &mut Subject) {
    let world = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
    let body = |on: Option<usize>| on.map_or(world, |a| poses[a]);
    let at = |point: Point| match point {
        Point::World(p) => p,
        Point::On(anchor, local) => within(&poses[anchor], &local),
    };
    match constraint {
        // What keeps apart has nothing between.
        Constraint::Distance { from, to, sense, .. } if *sense != Sense::AtLeast => {
            let ends = [at(*from), at(*to)];
            if let Some(along) = (ends[1] - ends[0]).try_normalize(1e-9) {
                subject.tubes.push(stub(ends, rotation::frame(&along, &Vec3::z()), 0.4 * thickest));
            }
        }
        Constraint::Circle { on, centre, axis, radius, .. } => {
            let pose = body(*on);
            let axis = rotation::rotate(&pose.orientation, axis);
            subject.tubes.extend(line(&circle(within(&pose, centre), axis, *radius), 0.25 * thickest, GUIDE));
        }
        Constraint::Curve { on, path, .. } => {
            let pose = body(*on);
            let points: Vec<Vec3> = (0..=PATH_CORNERS)
                .map(|k| within(&pose, &path.at(path.extent() * k as f64 / PATH_CORNERS as f64).position))
                .collect();
            subject.tubes.extend(line(&points, 0.25 * thickest, GUIDE));
        }
        _ => {}
    }
}

/// The corners of a circle, the first again at the end.
fn circle(centre: Vec3, axis: Vec3, radius: f64) -> Vec<Vec3> {
    let u = rotation::across(&axis);
    let v = axis.cross(&u);
    let corner = |k: usize| {
        let (sin, cos) = (TAU * k as f64 / CORNERS as f64).sin_cos();
        centre + (u * cos + v * sin) * radius
    };
    (0..=CORNERS).map(corner).collect()
}

/// A tube along points that are all apart.
fn line(points: &[Vec3], radius: f64, colour: Colour) -> Option<Tube> {
    let mut points = points.to_vec();
    points.dedup_by(|a, b| (*a - *b).norm() < 1e-9);
    if points.len() < 2 || radius <= 0.0 {
        return None;
    }
    let last = points.len() - 1;
    let mut frame = rotation::identity();
    let mut frames = Vec::with_capacity(points.len());
    for k in 0..points.len() {
        let chord = points[(k + 1).min(last)] - points[k.max(1) - 1];
        let along = chord.try_normalize(1e-12).unwrap_or_else(|| rotation::tangent(&frame));
        // Carried on without twist.
        frame = if k == 0 {
            rotation::frame(&along, &rotation::across(&along))
        } else {
            rotation::between(&rotation::tangent(&frame), &along) * frame
        };
        frames.push([frame.w, frame.i, frame.j, frame.k]);
    }
    Some(Tube {
        centre: points.iter().map(|p| (*p).into()).collect(),
        frames,
        radius: vec![radius; points.len()],
        paint: Paint::Plain(colour),
        stripe: false,
        ends: [End::Joined; 2],
    })
}

/// A ball: a tube whose radius is that of its circles of latitude.
fn ball(pose: &Pose, radius: f64) -> Tube {
    let along = rotation::tangent(&pose.orientation);
    // The poles are cut off: a tube has a radius everywhere.
    let latitude = |k: usize| POLE + (PI - 2.0 * POLE) * k as f64 / RINGS as f64;
    let q = pose.orientation;
    Tube {
        centre: (0..=RINGS).map(|k| (pose.position - along * (radius * latitude(k).cos())).into()).collect(),
        frames: vec![[q.w, q.i, q.j, q.k]; RINGS + 1],
        radius: (0..=RINGS).map(|k| radius * latitude(k).sin()).collect(),
        paint: Paint::Plain(PEARL),
        stripe: false,
        ends: [End::Free; 2],
    }
}
