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
//! Reference: the first integral of the elastica, e.g. A. E. H. Love, Mathematical Theory of
//! Elasticity, §262.

use super::NetworkWorkspace;
use super::model::{Network, Wheel};
use super::state::NetworkState;
use crate::algebra::{Vec3, rotation};

/// Largest change of an angle in one round, rad.
const LARGEST: f64 = 0.5;

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
    let Wheel { on, pose, radius, .. } = network.wheels[wheel];
    let axle = rotation::rotate(&(state.anchors[on].orientation * pose.orientation), &Vec3::z());
    let slide = &network.slides[slide];
    let mut angles = state.contacts[wheel];
    let sides = [
        slide.before.and_then(|k| Some((k, *ws.spans[k].system.internal.last()?))),
        slide.after.and_then(|k| Some((k, *ws.spans[k].system.internal.first()?))),
    ];
    for (i, side) in sides.into_iter().enumerate() {
        let Some((span, force)) = side else { continue };
        let rim = network.wheels[wheel].rim(angles[i]);
        let along = rotation::rotate(&(state.anchors[on].orientation * rim.orientation), &Vec3::z());
        let force = force - axle * axle.dot(&force);
        let tension = force.norm();
        // How far the rope on the rim is turned from the line of tension, about the axle.
        let turned = along.cross(&force).dot(&axle).atan2(along.dot(&force));
        let (own, other) = (&network.spans[span].rod, if i == 0 { -1.0 } else { 1.0 });
        let stiffness = own.stiffness.first().map_or(0.0, |k| 0.5 * (k.x + k.y));
        let cosine = 1.0 - stiffness / (2.0 * tension * radius * radius).max(f64::MIN_POSITIVE);
        // A rope too stiff for the wheel touches it at one place.
        let alpha = cosine.max(-1.0).acos();
        angles[i] += turned - other * alpha;
    }
    angles
}
