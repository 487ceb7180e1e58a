//! Wheels: where a rope comes onto the rim and leaves it.
//!
//! The condition is that of `joint/wheel.rs`: the rope leaves where its curvature is that of the rim. Energy does not
//! find this place: along the rim it has an inflection there, since nothing but the wheel keeps the
//! rope out of it. The two angles follow their condition by the fixed-point iteration of `follow.rs`
//! instead, which contracts by about R over the length of the rope beside it.
//!
//! That holds only as long as tension does not depend on the place. For the elastica it does not, to
//! first order: what more rope on the rim takes from the span, the smaller bend beside it gives back.
//! Segments longer than √(K/T) do not show that bend, and a taut rope that sticks would be drawn
//! tighter by every step onto the rim. So the spans are laid shorter by what they do not show.
//!
//! In motion inertia is part of every force, and the iteration need not contract. There the places
//! follow from step to step, by the direction that the rope takes beside the wheel.

use super::NetworkWorkspace;
use super::model::Network;
use super::state::NetworkState;
use crate::algebra::{Vec3, rotation};
use crate::joint::wheel::{BENDS, bending, lift, touching, unseen};
use crate::rod::Rod;

/// Largest change of an angle in one round, rad.
const LARGEST: f64 = 0.5;
/// Share of a span that the bend at one of its ends may take up.
const MOST_TAKEN: f64 = 0.1;
/// Share of the way, and the most, rad, by which an angle follows in one step of motion.
const FOLLOWS: (f64, f64) = (0.5, 0.1);

/// The slides that run over wheels, and their wheels.
pub(in crate::solver) fn over(network: &Network) -> impl Iterator<Item = (usize, usize)> + '_ {
    network.slides.iter().enumerate().filter_map(|(k, slide)| Some((k, slide.wheel?)))
}

/// Moves where a rope touches a wheel, in a step that is not too large. What comes to lie on the rim
/// is taken from the side where it does.
pub(in crate::solver) fn move_contact(
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

/// Where a rope leaves a wheel on one side.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::solver) struct Leaving {
    /// Angle on the rim, rad.
    pub(in crate::solver) angle: f64,
    /// What the bend beside the rim takes up beyond what segments show, m.
    pub(in crate::solver) taken: f64,
}

/// The ends of spans on either side of a wheel: span, and which of its ends.
fn ends(network: &Network, slide: usize) -> [Option<(usize, usize)>; 2] {
    let slide = &network.slides[slide];
    [slide.before.map(|span| (span, 1)), slide.after.map(|span| (span, 0))]
}

/// Where the rope touches and leaves the wheel now.
pub(in crate::solver) fn here(
    network: &Network,
    state: &NetworkState,
    slide: usize,
    wheel: usize,
) -> [Leaving; 2] {
    let ends = ends(network, slide);
    std::array::from_fn(|i| Leaving {
        angle: state.contacts[wheel][i],
        taken: ends[i].map_or(0.0, |(span, end)| state.taken[span][end]),
    })
}

/// Lets the bends beside a wheel take up what they need; a span keeps most of its length.
pub(in crate::solver) fn take_up(network: &Network, state: &mut NetworkState, slide: usize, taken: [f64; 2]) {
    for (end, taken) in ends(network, slide).into_iter().zip(taken) {
        if let Some((span, end)) = end {
            state.taken[span][end] = taken.clamp(0.0, MOST_TAKEN * state.lengths[span]);
        }
    }
}

/// Where the rope would touch and leave the wheel, given the forces now.
pub(in crate::solver) fn leaving(
    network: &Network,
    state: &NetworkState,
    ws: &NetworkWorkspace,
    slide: usize,
    wheel: usize,
) -> [Leaving; 2] {
    let (ends, here) = (ends(network, slide), here(network, state, slide, wheel));
    // The line of tension of either side as an angle of the rim, and the tension.
    let mut pulls = [None; 2];
    let mut lifts = [0.0; 2];
    for i in 0..2 {
        let Some((span, _)) = ends[i] else { continue };
        let Some(forces) = ws.spans[span].kernel.end_forces() else { continue };
        let tension = forces[1 - i].norm();
        let line = here[i].angle + turned(network, state, wheel, here[i].angle, &forces[1 - i]);
        pulls[i] = Some((line, tension));
        lifts[i] = lift(&network.wheels[wheel], &network.spans[span].rod, tension);
    }
    if let [Some((first, before)), Some((last, after))] = pulls
        && first + lifts[0] > last - lifts[1]
    {
        lifts[0] = touching(last - first, before, after);
        lifts[1] = last - first - lifts[0];
    }
    std::array::from_fn(|i| {
        let (Some((line, tension)), Some((span, _))) = (pulls[i], ends[i]) else { return here[i] };
        let rod = &network.spans[span].rod;
        // Rods by their curvatures bend within their elements: what they do not show is not known.
        let taken = rod.as_mixed().map_or(0.0, |chain| {
            let segment = if i == 0 { chain.lengths.last() } else { chain.lengths.first() };
            let laid = segment.map_or(0.0, |l| l * state.free_length(span) / rod.length());
            unseen(bending(rod), tension, laid, lifts[i])
        });
        Leaving { angle: line + if i == 0 { lifts[i] } else { -lifts[i] }, taken }
    })
}

/// Tension of the rope on either side of every wheel, N.
pub(in crate::solver) fn tensions(network: &Network, state: &NetworkState) -> Vec<[f64; 2]> {
    let mut found = vec![[0.0; 2]; network.wheels.len()];
    for (slide, wheel) in over(network) {
        let of =
            |end: Option<(usize, usize)>| end.map_or(0.0, |(span, _)| state.spans[span].end_force.norm());
        found[wheel] = ends(network, slide).map(of);
    }
    found
}

/// In motion: lets the places follow the direction of the rope beside the wheel, once per step. `tensions` say how far
/// rope lifts off. A place that moves draws at the rope: by the tension of the last step alone the two would chase each
/// other.
pub(in crate::solver) fn follow(network: &mut Network, state: &mut NetworkState, tensions: &[[f64; 2]]) {
    let all: Vec<(usize, usize)> = over(network).collect();
    for (slide, wheel) in all {
        let sides = [network.slides[slide].before, network.slides[slide].after];
        let wanted = std::array::from_fn(|i| {
            let now = state.contacts[wheel][i];
            let Some(span) = sides[i] else { return now };
            let rod = network.rod(state, span);
            let shape = &state.spans[span].rod;
            let tension = tensions[wheel][i];
            let decay = (bending(&rod) / tension.max(f64::MIN_POSITIVE)).sqrt();
            let arcs = rod.arcs();
            let n = arcs.len() - 1;
            let beside = beside(n, rod.pieces().0, BENDS * decay / rod.length());
            let (from, to) = if i == 0 { (n - beside, n) } else { (0, beside) };
            let chord = rod.station(shape, arcs[to]).position - rod.station(shape, arcs[from]).position;
            // Near the wheel part of the bend is still to come: it dies out over √(K/T).
            let reach = chord.norm() / decay.max(f64::MIN_POSITIVE);
            let share = if reach > 1e-6 { 1.0 - (1.0 - (-reach).exp()) / reach } else { 0.0 };
            let lifts = share * lift(&network.wheels[wheel], &rod, tension);
            let step = turned(network, state, wheel, now, &chord) - if i == 0 { -lifts } else { lifts };
            now + (FOLLOWS.0 * step).clamp(-FOLLOWS.1, FOLLOWS.1)
        });
        move_contact(network, state, slide, wheel, wanted);
    }
}

/// How many of the `n` stretches of a rod tell its direction beside a wheel: two, and more until they reach the share `far` of
/// it, as long as they are within two of its pieces. Where an element is longer than the bend, its first bit has a
/// direction of its own.
fn beside(n: usize, pieces: usize, far: f64) -> usize {
    ((far * n as f64).ceil() as usize).clamp(2, (2 * n / pieces).max(2)).min(n)
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
