//! Networks with everything in them, for tests of derivatives.

use super::{
    Anchor, Attachment, Constraint, Direction, Network, NetworkState, Point, Sense, Slide, Span, Wheel,
};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::mixed::{Mesh, MixedRod};
use crate::section::{Section, SectionProfile};
use crate::solver::problem::Pose;
use std::f64::consts::{PI, TAU};

fn rod(length: f64) -> MixedRod {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).expect("sound section");
    let mesh = Mesh::uniform(length, 8).expect("sound mesh");
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::new(0.2, 0.0, 0.1))
}

fn pose(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.05 * x, z), orientation: rotation::exp(&Vec3::new(0.1, 1.2, 0.3 * x)) }
}

/// A wheel on a part that hangs free, a rope over it.
fn wheel() -> Network {
    let mut network = Network {
        anchors: vec![
            Anchor::part(pose(-0.05, -0.5), 0.3, Vec3::new(0.01, 0.0, 0.02)),
            Anchor::fixed(pose(0.05, -0.5)),
            Anchor::part(pose(0.0, 0.0), 0.2, Vec3::zeros()),
            Anchor::fixed(pose(0.0, 0.3)),
        ],
        spans: vec![
            Span::new(rod(0.5), Attachment::pinned(0), None),
            Span::new(rod(0.5), Attachment::pinned(0), Some(Attachment::pinned(1))),
            Span::new(rod(0.35), Attachment::clamped(3), Some(Attachment::clamped(2))),
        ],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };
    let axle = rotation::from_matrix(&Mat3::from_columns(&[Vec3::x(), -Vec3::z(), Vec3::y()]));
    let back = pose(0.0, 0.0).orientation.conjugate();
    let pose = Pose { position: Vec3::zeros(), orientation: back * axle };
    network.add_wheel(Wheel { on: 2, pose, radius: 0.05, contact: [PI, TAU] }, 0, 1, 0.0);
    network
}

/// An eye on a part, a cable that finds its own length, constraints of every sense.
fn eyes() -> Network {
    Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            Anchor::part(pose(0.3, -0.1), 0.2, Vec3::new(0.0, 0.02, 0.0)),
            Anchor::fixed(pose(0.6, 0.05)),
            Anchor { force: Vec3::x(), moment: Vec3::y() * 0.01, ..Anchor::loose(pose(0.3, -0.4)) },
        ],
        spans: vec![
            Span::new(rod(0.4), Attachment::clamped(0), Some(Attachment::clamped(1))),
            Span::new(rod(0.4), Attachment::clamped(1), Some(Attachment::pinned(2))),
            Span::new(rod(0.35), Attachment::pinned(1), Some(Attachment::clamped(3))),
            Span::new(rod(0.2), Attachment::clamped(3), None),
        ],
        constraints: vec![
            Constraint::Distance {
                from: Point::On(1, Vec3::new(0.0, 0.01, 0.0)),
                to: Point::On(3, Vec3::zeros()),
                distance: 0.28,
                sense: Sense::AtMost,
            },
            Constraint::Plane {
                point: Point::On(3, Vec3::zeros()),
                on: Some(1),
                through: Vec3::new(0.0, 0.0, -0.2),
                normal: Vec3::x(),
                sense: Sense::AtLeast,
            },
            Constraint::Parallel {
                direction: Direction::On(3, Vec3::x()),
                to: Direction::World(Vec3::new(0.6, 0.8, 0.0)),
            },
        ],
        slides: vec![Slide::through(0, 1, 0.0), Slide::drawn(2, 0.7)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    }
}

pub(super) fn networks() -> Vec<(&'static str, Network)> {
    vec![("wheel", wheel()), ("eyes", eyes())]
}

/// The first guess, with everything that may move moved by about `size`.
pub(super) fn disturbed(network: &Network, size: f64) -> NetworkState {
    let mut state = NetworkState::initial(network);
    let mut seed = 0.3f64;
    let mut noise = || {
        seed = (seed * 97.31 + 0.417).fract();
        size * (2.0 * seed - 1.0)
    };
    for (pose, anchor) in state.anchors.iter_mut().zip(&network.anchors) {
        if !anchor.held_orientation {
            pose.orientation = rotation::exp(&Vec3::from_fn(|_, _| noise())) * pose.orientation;
        }
        pose.position += Vec3::from_fn(|i, _| if anchor.held[i] { 0.0 } else { noise() });
    }
    for (span, own) in network.spans.iter().zip(&mut state.spans) {
        for j in 0..span.rod.segments() + 2 {
            let q = rotation::displaced(&span.rod.frame(&own.rod, j), &Vec3::from_fn(|_, _| noise()));
            span.rod.set_frame(&mut own.rod, j, &q);
        }
        if span.end.is_some() {
            own.end_force = Vec3::from_fn(|_, _| 20.0 * noise());
        }
    }
    for m in &mut state.multipliers {
        *m = 10.0 * noise();
    }
    state
}
