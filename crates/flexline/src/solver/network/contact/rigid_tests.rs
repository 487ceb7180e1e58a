//! Parts with a shape: against differences, and against balances that hold exactly.

use super::super::assemble::{evaluate, factorise, norms, residual};
use super::super::newton::newton_step;
use super::super::solve_network;
use super::super::testing;
use super::super::{Anchor, Attachment, Network, NetworkReport, NetworkState, NetworkWorkspace, Span};
use super::detect::{Room, detect};
use super::{ContactRow, Mount, Other, rigid};
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::contact::{Obstacle, Shape, sample};
use crate::rod::mixed::{Mesh, MixedRod};
use crate::section::{Section, SectionProfile};
use crate::solver::report::Status;
use crate::solver::settings::Settings;
use nalgebra::SVector;
use std::sync::Arc;

const RADIUS: f64 = 0.004;
const MASS: f64 = 0.2;
const GRAVITY: f64 = 9.81;

fn rod(length: f64, segments: usize) -> MixedRod {
    let section = Section::measured(0.002, 0.002, 0.0016, 0.05, RADIUS).expect("sound section");
    let mesh = Mesh::uniform(length, segments).expect("sound mesh");
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn at(position: Vec3) -> Pose {
    Pose { position, orientation: rotation::identity() }
}

fn turned(position: Vec3, turn: Vec3) -> Pose {
    Pose { position, orientation: rotation::exp(&turn) }
}

fn block() -> Shape {
    Shape::Box { half: Vec3::new(0.03, 0.02, 0.01) }
}

fn solid(shape: Shape, pose: Pose) -> Obstacle {
    Obstacle { shape, pose, friction: 0.0 }
}

/// A part of a shape on a cable from a clamp, which leaves it upwards at its middle.
fn hanging(shape: Shape, pose: Pose, clamp: Vec3, length: f64) -> Network {
    let mut network = Network { gravity: Vec3::z() * -GRAVITY, ..Network::default() };
    let down = Pose { position: clamp, orientation: rotation::frame(&-Vec3::z(), &Vec3::x()) };
    network.anchors.push(Anchor::fixed(down));
    add_part(&mut network, shape, pose, length);
    network
}

/// Another part with a cable from the first anchor.
fn add_part(network: &mut Network, shape: Shape, pose: Pose, length: f64) {
    let part = network.anchors.len();
    network.anchors.push(Anchor { inertia: Vec3::repeat(1e-4), ..Anchor::part(pose, MASS, Vec3::zeros()) });
    let down = rotation::frame(&-Vec3::z(), &Vec3::x());
    let held = Attachment::clamped(part).at(Pose { position: Vec3::zeros(), orientation: down });
    network.spans.push(Span {
        contact_radius: RADIUS,
        ..Span::new(rod(length, 20), Attachment::clamped(0), Some(held))
    });
    let obstacle = network.obstacles.len();
    network.obstacles.push(solid(shape, pose));
    network.mounts.push(Mount { obstacle, anchor: part, anchor_from_obstacle: at(Vec3::zeros()) });
    // A cable passes through the part that it is on.
    let span = network.spans.len() - 1;
    network.passages.push(super::Passage { span, obstacle, within: super::PassageStretch::All });
}

/// Where a cable hangs across a part.
fn below_cable() -> Network {
    let mut network =
        hanging(Shape::Capsule { radius: 0.01, half_length: 0.05 }, at(Vec3::zeros()), Vec3::z() * 0.3, 0.3);
    for side in [-0.15, 0.15] {
        let along = rotation::frame(&Vec3::x(), &Vec3::z());
        network
            .anchors
            .push(Anchor::fixed(Pose { position: Vec3::new(side, 0.012, -0.012), orientation: along }));
    }
    let ends = [2, 3].map(Attachment::clamped);
    network.spans.push(Span { contact_radius: RADIUS, ..Span::new(rod(0.303, 30), ends[0], Some(ends[1])) });
    network.anchors[1].pose = turned(Vec3::new(0.0, 0.0, 0.02), Vec3::new(1.3, 0.1, 0.0));
    network
}

/// A part on all kinds of obstacles, across a cable, and against another part.
fn scenes() -> Vec<(&'static str, Network)> {
    let clamp = Vec3::new(0.02, 0.01, 0.25);
    let above = |z: f64| at(Vec3::z() * z);
    let with = |shape: Shape, pose: Pose, other: Shape, own: Pose| {
        let mut network = hanging(shape, pose, clamp, 0.27);
        network.obstacles.push(solid(other, own));
        network
    };
    let tilted = |z: f64| turned(Vec3::z() * z, Vec3::new(0.2, -0.1, 0.3));
    let mut pair =
        hanging(Shape::Sphere { radius: 0.03 }, at(Vec3::new(-0.03, 0.0, 0.0)), Vec3::z() * 0.3, 0.3);
    add_part(&mut pair, block(), at(Vec3::new(0.035, 0.0, 0.0)), 0.3);
    let hills = Shape::Mesh(Arc::new(sample::hills(8).expect("a mesh")));
    vec![
        ("block on floor", with(block(), above(0.012), Shape::Plane, tilted(0.0))),
        ("ball on floor", with(Shape::Sphere { radius: 0.02 }, above(0.025), Shape::Plane, tilted(0.0))),
        ("block on ball", with(block(), above(0.02), Shape::Sphere { radius: 0.03 }, at(Vec3::z() * -0.021))),
        (
            "block on edge",
            with(
                block(),
                above(0.02),
                Shape::Box { half: Vec3::new(0.05, 0.05, 0.05) },
                turned(Vec3::new(0.045, 0.0, -0.07), Vec3::new(0.0, 0.3, 0.4)),
            ),
        ),
        (
            "bar on bar",
            with(
                Shape::Cylinder { radius: 0.01, half_length: Some(0.03) },
                turned(Vec3::z() * 0.03, Vec3::new(1.5, 0.0, 0.2)),
                Shape::Cylinder { radius: 0.015, half_length: None },
                turned(Vec3::new(0.003, 0.0, -0.006), Vec3::new(0.0, 1.5, 0.0)),
            ),
        ),
        ("block on hills", with(block(), above(0.02), hills, at(Vec3::new(-0.3, 0.1, -0.02)))),
        ("cable on part", below_cable()),
        ("part on part", pair),
    ]
}

fn solved(name: &str, network: &Network) -> (NetworkState, NetworkWorkspace, NetworkReport) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::Converged, "{name}: {report:?}");
    assert!(report.penetration < 1e-9, "{name}: {:e}", report.penetration);
    (state, ws, report)
}

fn rows_at(network: &Network, state: &NetworkState) -> Vec<ContactRow> {
    let mut rows = Vec::new();
    detect(network, state, &mut Room::default(), &mut rows, None);
    rows
}

/// The gap of every row changes with the poses of both parts as its first and second derivative say.
#[test]
fn gaps_change_with_poses_as_their_derivatives_say() {
    let mut kinds = 0;
    for (name, network) in scenes() {
        let (state, ..) = solved(name, &network);
        let rows = rows_at(&network, &state);
        for (k, row) in rows.iter().enumerate().filter(|(_, row)| row.on.iter().any(Option::is_some)) {
            let way = SVector::<f64, 12>::from_fn(|i, _| {
                let side = usize::from(i >= rigid::SECOND);
                if row.on[side].is_some() { (1.7 * i as f64 + k as f64 + 0.4).sin() } else { 0.0 }
            });
            let gap = |h: f64| {
                let mut there = state.clone();
                for (side, part) in row.on.iter().enumerate() {
                    let Some(part) = part else { continue };
                    let own = |from: usize| Vec3::from_fn(|i, _| h * way[rigid::SECOND * side + from + i]);
                    let pose = &mut there.anchors[part.anchor];
                    pose.orientation = rotation::exp(&own(0)) * pose.orientation;
                    pose.position += own(3);
                }
                let found = rows_at(&network, &there);
                found.iter().find(|other| other.key == row.key).map(|other| other.gap)
            };
            let h = 2e-5;
            let (Some(plus), Some(minus)) = (gap(h), gap(-h)) else { continue };
            kinds += 1;
            let first: f64 = row
                .on
                .iter()
                .enumerate()
                .filter_map(|(side, part)| {
                    let arm = super::body::arm(&(row.at - part.as_ref()?.pose.position), &row.normal);
                    let own = way.fixed_rows::<6>(rigid::SECOND * side).into_owned();
                    Some(if side == 0 { arm.dot(&own) } else { -arm.dot(&own) })
                })
                .sum();
            let slope = (plus - minus) / (2.0 * h);
            assert!((slope - first).abs() < 1e-5, "{name} {:?}: {slope} {first}", row.key);
            let second = (way.transpose() * rigid::second(row) * way)[0];
            let bend = (plus - 2.0 * row.gap + minus) / (h * h);
            // What is taken to the middle of a piece of a rod is seen there too.
            assert!(
                (bend - second).abs() < 2e-2 * (1.0 + bend.abs()),
                "{name} {:?}: {bend} {second}",
                row.key
            );
        }
    }
    assert!(kinds >= 15, "{kinds}");
}

/// The weight of parts and cables is carried by the clamps and by what they lie on, and nothing is entered.
#[test]
fn parts_are_carried_by_what_they_lie_on() {
    for (name, network) in scenes() {
        let (state, _, report) = solved(name, &network);
        let masses = network.spans.iter().map(|span| span.rod.total_mass());
        let parts = network.anchors.iter().map(|anchor| anchor.mass);
        let weight = network.gravity * masses.chain(parts).sum::<f64>();
        let outside =
            |other: &Other| matches!(other, Other::Obstacle(o) if network.loose_mount(*o).is_none());
        let pressed: Vec3 = report.contacts.iter().filter(|c| outside(&c.other)).map(|c| c.force).sum();
        let held: Vec3 = report.reactions.iter().map(|own| own.force).sum();
        let left = held + pressed + weight;
        assert!(left.norm() < 1e-6 * weight.norm(), "{name}: {left} {weight}");
        assert!(!report.contacts.is_empty(), "{name}");
        assert!(report.contacts.iter().all(|c| c.gap.abs() < 1e-9), "{name}: {:?}", report.contacts);
        assert!(report.iterations <= 40, "{name}: {}", report.iterations);
        assert!(state.obstacles[0] == network.obstacle_pose(0, &state.anchors), "{name}");
    }
}

/// Everything a little off, parts too.
fn shaken(network: &Network, state: &NetworkState, size: f64) -> NetworkState {
    let mut here = state.clone();
    for (k, span) in network.spans.iter().enumerate() {
        span.rod.shake(&mut here.spans[k].rod, |i| size * (0.7 * i as f64 + 0.3 + k as f64).sin());
    }
    for (k, (pose, anchor)) in here.anchors.iter_mut().zip(&network.anchors).enumerate() {
        if anchor.held != [true; 3] {
            let by = |i: usize| size * (1.1 * i as f64 + 0.7 + k as f64).cos();
            pose.position += Vec3::new(by(0), by(1), by(2)) * 0.01;
            pose.orientation = rotation::exp(&Vec3::new(by(3), by(4), by(5))) * pose.orientation;
        }
    }
    here
}

/// The slope that the solver computes is the derivative of the merit, with friction too.
#[test]
fn slopes_agree_with_differences() {
    for (name, network) in scenes() {
        for friction in [0.0, 0.3] {
            let (state, mut ws, _) = solved(name, &network);
            let mut network = network.clone();
            network.obstacles.iter_mut().for_each(|own| own.friction = friction);
            ws.contacts.begin(&state);
            let mut here = shaken(&network, &state, 1e-3);
            testing::check_slope(&format!("{name} {friction}"), &network, &mut here, &mut ws);
        }
    }
}

/// A step leaves the square of what there was: all second derivatives are there, of both sides.
#[test]
fn steps_converge_quadratically() {
    for (name, network) in scenes() {
        let (state, mut ws, _) = solved(name, &network);
        let left = |state: &mut NetworkState, ws: &mut NetworkWorkspace| {
            evaluate(&network, state, ws);
            let r = residual(&network, state, ws);
            norms(&network, state, ws, &r).left()
        };
        let [coarse, fine] = [1e-4, 1e-5].map(|size| {
            let mut here = shaken(&network, &state, size);
            left(&mut here, &mut ws);
            let r = residual(&network, &here, &mut ws);
            factorise(&network, &here, &mut ws, 0.0).expect("regular");
            newton_step(&network, &here, &mut ws, &r);
            let mut there = here.clone();
            there.advance_from(&here, &network, &mut ws, 1.0, |_, _, _, _| {});
            ws.contacts.forces_ahead(1.0, &mut there.contact_forces);
            left(&mut there, &mut ws)
        });
        assert!(fine < (0.05 * coarse).max(1e-9), "{name}: {coarse:e} {fine:e}");
    }
}
