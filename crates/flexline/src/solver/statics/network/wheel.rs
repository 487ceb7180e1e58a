//! Wheels: where a rope comes onto the rim and leaves it.
//!
//! On the rim the rope has the curvature 1/R; off it, near it, it bends as a long elastica under its
//! tension T, whose curvature κ and angle α to the line of tension keep ½Kκ² = T (1 − cos α). So it
//! leaves where
//!
//! ```text
//! cos α = 1 − K/(2TR²)
//! ```
//!
//! the rope being turned away from the line of tension, towards the wheel, by α. Energy does not
//! find this place: along the rim it has an inflection there, since nothing but the wheel keeps the
//! rope out of it. The two angles follow their condition by the fixed-point iteration of `slide.rs`
//! instead, which contracts by about R over the length of the rope beside it.
//!
//! In motion inertia is part of every force, and the iteration need not contract. There the places
//! follow from step to step, by the direction that the rope takes beside the wheel.
//!
//! Reference: the first integral of the elastica, e.g. A. E. H. Love, Mathematical Theory of
//! Elasticity, §262.

use super::NetworkWorkspace;
use super::model::{Network, Wheel};
use super::state::NetworkState;
use crate::algebra::{Vec3, rotation};
use crate::rod::{AnyRod, Rod};

/// Largest change of an angle in one round, rad.
const LARGEST: f64 = 0.5;
/// Share of the way, and the most, rad, by which an angle follows in one step of motion.
const FOLLOWS: (f64, f64) = (0.5, 0.1);

/// The slides that run over wheels, and their wheels.
pub(super) fn over(network: &Network) -> impl Iterator<Item = (usize, usize)> + '_ {
    network.slides.iter().enumerate().filter_map(|(k, slide)| Some((k, slide.wheel?)))
}

/// Moves where a rope touches a wheel, in a step that is not too large. What comes to lie on the rim
/// is taken from the side where it does.
pub(super) fn move_contact(
    network: &mut Network,
    state: &mut NetworkState,
    slide: usize,
    wheel: usize,
    wanted: [f64; 2],
) {
    let radius = network.wheels[wheel].radius;
    let before = state.contacts[wheel];
    let [first, last] = [0, 1].map(|i| before[i] + (wanted[i] - before[i]).clamp(-LARGEST, LARGEST));
    let contact = [first, last.max(first)];
    if let Some(span) = network.slides[slide].before {
        state.lengths[span] += radius * (contact[0] - before[0]);
    }
    if let Some(span) = network.slides[slide].after {
        state.lengths[span] -= radius * (contact[1] - before[1]);
    }
    state.contacts[wheel] = contact;
    network.put_on_rim(slide, contact);
}

/// The angles at which the rope would touch and leave the wheel, given the forces now.
pub(super) fn leaving(
    network: &Network,
    state: &NetworkState,
    ws: &NetworkWorkspace,
    slide: usize,
    wheel: usize,
) -> [f64; 2] {
    let sides = [network.slides[slide].before, network.slides[slide].after];
    std::array::from_fn(|i| {
        let now = state.contacts[wheel][i];
        let Some(span) = sides[i] else { return now };
        let Some(forces) = ws.spans[span].kernel.end_forces() else { return now };
        let force = &forces[1 - i];
        let lifts = lift(&network.wheels[wheel], &network.spans[span].rod, force.norm());
        now + turned(network, state, wheel, now, force) - if i == 0 { -lifts } else { lifts }
    })
}

/// In motion: lets the places follow the direction of the rope beside the wheel, once per step.
pub(super) fn follow(network: &mut Network, state: &mut NetworkState) {
    let all: Vec<(usize, usize)> = over(network).collect();
    for (slide, wheel) in all {
        let sides = [network.slides[slide].before, network.slides[slide].after];
        let wanted = std::array::from_fn(|i| {
            let now = state.contacts[wheel][i];
            let Some(span) = sides[i] else { return now };
            let rod = network.rod(state, span);
            let shape = &state.spans[span].rod;
            let arcs = rod.arcs();
            let n = arcs.len() - 1;
            let (from, to) = if i == 0 { (n - 2, n) } else { (0, 2) };
            let chord = rod.station(shape, arcs[to]).position - rod.station(shape, arcs[from]).position;
            let tension = state.spans[span].end_force.norm();
            // Near the wheel part of the bend is still to come: it dies out over √(K/T).
            let decay = (bending(&rod) / tension.max(f64::MIN_POSITIVE)).sqrt();
            let reach = chord.norm() / decay.max(f64::MIN_POSITIVE);
            let share = if reach > 1e-6 { 1.0 - (1.0 - (-reach).exp()) / reach } else { 0.0 };
            let lifts = share * lift(&network.wheels[wheel], &rod, tension);
            let step = turned(network, state, wheel, now, &chord) - if i == 0 { -lifts } else { lifts };
            now + (FOLLOWS.0 * step).clamp(-FOLLOWS.1, FOLLOWS.1)
        });
        move_contact(network, state, slide, wheel, wanted);
    }
}

/// Mean bending stiffness at the start of a rod.
fn bending(rod: &AnyRod) -> f64 {
    let k = rod.first_stiffness();
    0.5 * (k.x + k.y)
}

/// How far a rope under tension is turned from the line of tension where it leaves a wheel, rad.
fn lift(wheel: &Wheel, rod: &AnyRod, tension: f64) -> f64 {
    let twice = 2.0 * tension * wheel.radius * wheel.radius;
    // A rope too stiff for the wheel touches it at one place.
    (1.0 - bending(rod) / twice.max(f64::MIN_POSITIVE)).max(-1.0).acos()
}

/// The turn about the axle from the rim at `angle` to a direction.
fn turned(network: &Network, state: &NetworkState, wheel: usize, angle: f64, to: &Vec3) -> f64 {
    let own = &network.wheels[wheel];
    let body = state.anchors[own.on].orientation;
    let axle = rotation::rotate(&(body * own.pose.orientation), &Vec3::z());
    let along = rotation::rotate(&(body * own.rim(angle).orientation), &Vec3::z());
    let flat = to - axle * axle.dot(to);
    along.cross(&flat).dot(&axle).atan2(along.dot(&flat))
}
