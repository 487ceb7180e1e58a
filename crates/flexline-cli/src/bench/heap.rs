//! Rods that fall into a box: many bodies that touch.

use super::touching::{RADIUS, Run, pose, rod};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::{Rod, Station};
use flexline::solver::Pose;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{Anchor, Attachment, Network, NetworkState, Span};

/// Of a rod in a heap, m, and into how many segments it is divided.
const LENGTH: f64 = 0.2;
const SEGMENTS: usize = 20;
/// Half the width of the box that they fall into, along them and across, m.
const HALF: [f64; 2] = [0.13, 0.06];
/// Rods side by side in a layer.
const BESIDE: usize = 10;
/// By how much they are turned out of the direction of the box at most, rad.
const ASKEW: f64 = 0.35;

/// Numbers that look random, −1 … 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn plane(position: Vec3, normal: Vec3, friction: f64) -> Obstacle {
    let orientation = rotation::frame(&normal, &rotation::across(&normal));
    Obstacle { shape: Shape::Plane, pose: Pose { position, orientation }, friction }
}

/// So many rods that fall into a box, layer upon layer, each askew in its own way.
pub(super) fn heap(count: usize, friction: f64) -> Result<Run, String> {
    let mut network = Network { gravity: Vec3::z() * -9.81, ..Network::default() };
    let mut noise = Noise(1);
    let mut laid = Vec::new();
    let apart = 2.0 * (HALF[1] - 2.0 * RADIUS) / BESIDE as f64;
    for k in 0..count {
        let (layer, place) = (k / BESIDE, k % BESIDE);
        // In a layer they are turned alike, so that none crosses another.
        let sign = if layer.is_multiple_of(2) { 1.0 } else { -1.0 };
        let angle = sign * ASKEW * (0.6 + 0.2 * ((layer * 7 % 5) as f64 / 4.0)) * 0.4;
        let along = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let across = (place as f64 + 0.5 - 0.5 * BESIDE as f64) * apart;
        let middle = Vec3::new(
            0.006 * noise.next(),
            across * (1.0 - 0.35),
            RADIUS * (1.5 + 2.6 * layer as f64) + 0.1 * RADIUS * noise.next(),
        );
        let from = middle - along * (0.5 * LENGTH);
        let at = |s: f64| Station { position: from + along * s, frame: rotation::frame(&along, &Vec3::z()) };
        let own = rod(LENGTH, SEGMENTS, 2e-4, 0.02)?;
        laid.push(own.state_from(&at));
        let span = Span::new(own, Attachment::clamped(network.anchors.len()), None);
        network.anchors.push(Anchor::loose(pose(&at(0.0))));
        network.spans.push(Span { contact_radius: RADIUS, friction, ..span });
    }
    let [x, y] = HALF;
    for (position, normal) in [
        (Vec3::zeros(), Vec3::z()),
        (Vec3::x() * -x, Vec3::x()),
        (Vec3::x() * x, -Vec3::x()),
        (Vec3::y() * -y, Vec3::y()),
        (Vec3::y() * y, -Vec3::y()),
    ] {
        network.obstacles.push(plane(position, normal, friction));
    }
    let mut state = NetworkState::initial(&network);
    for (own, laid) in state.spans.iter_mut().zip(laid) {
        own.rod = laid;
    }
    let motion = Motion::at_rest(&network, state);
    let settings = MotionSettings {
        strain_delay: 1e-3,
        drag: 0.02,
        ..MotionSettings::new(2e-3, Integrator::ImplicitEuler)
    };
    Ok(Run { network, motion, settings, steps: 30, before: 12, parts: 0.0 })
}
