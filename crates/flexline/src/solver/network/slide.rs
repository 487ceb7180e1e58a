//! Friction where rope slides: stick and slip (Euler, Eytelwein).
//!
//! The tensions T1, T2 on the two sides of an eye or a wheel that the rope turns round by φ keep
//! |T2 − T1| ≤ (|T1| + |T2|) tanh(µφ/2), which is |T2| ≤ |T1| e^{µφ} and the same with sides changed, pulled or
//! pushed. A rope too stiff for its wheel touches it at one place: there φ vanishes, and the bound is µ times the force
//! of the wheel (Coulomb). Given the bounds, friction has an energy, bound × slip, softened over a hair's breadth, and Newton's
//! method finds what sticks and what slips. The bounds follow the tensions (`follow.rs`).

use super::NetworkWorkspace;
use super::model::Network;
use super::state::NetworkState;
use crate::algebra::Vec3;
use crate::joint::Slide;
use crate::joint::wheel::{BENDS, bending};
use crate::rod::kernel::SpanKernel;
use serde::{Deserialize, Serialize};

/// Angle on a rim below which a rope touches it at one place, rad.
const ONE_PLACE: f64 = 1e-6;

/// What goes on where rope slides from one span to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EyeReport {
    /// Tension of the rope before and after the eye, N: the force along its tangent there, negative where it pushes.
    pub tensions: [f64; 2],
    /// Angle the rope turns through, rad; of a stiff one, the angle by which the eye turns its force.
    pub wrap: f64,
    /// Whether friction holds the rope.
    pub sticks: bool,
    /// Rope that has passed into the span before it, m.
    pub flow: f64,
}

/// The tensions and wrap angles at the state of the last evaluation, slide by slide; stores are left out.
pub(in crate::solver) fn add_eyes(
    network: &Network,
    state: &NetworkState,
    ws: &NetworkWorkspace,
    eyes: &mut Vec<EyeReport>,
) {
    let slides = network.slides.iter().enumerate();
    eyes.extend(slides.filter_map(|(k, slide)| Some(look(network, state, ws, slide, k)?.report)));
}

/// What goes on at a slide.
pub(in crate::solver) struct Look {
    /// The largest friction there, N.
    pub(in crate::solver) bound: f64,
    /// Forces on both sides together, N.
    pub(in crate::solver) forces: f64,
    pub(in crate::solver) report: EyeReport,
}

/// The largest friction of a slide now, and what goes on there.
pub(in crate::solver) fn look(
    network: &Network,
    state: &NetworkState,
    ws: &NetworkWorkspace,
    slide: &Slide,
    index: usize,
) -> Option<Look> {
    let (before, after) = (slide.before?, slide.after?);
    let forces = [ws.spans[before].kernel.end_forces()?[1], ws.spans[after].kernel.end_forces()?[0]];
    let sides =
        [Beside::new(network, ws, before, 1, &forces[0]), Beside::new(network, ws, after, 0, &forces[1])];
    let limp = sides[0].limp.min(sides[1].limp);
    let tensions = [0, 1].map(|side| sides[side].tension(&forces[side], state, limp));
    let sum = forces[0].norm() + forces[1].norm();
    let (wrap, normal) = match slide.wheel {
        Some(wheel) => {
            let [first, last] = state.contacts[wheel];
            (last - first, tensions[0].abs() + tensions[1].abs())
        }
        // Pulled on one side and pushed on the other, its force turns without a bend: what presses is across the rope.
        None if tensions[0] * tensions[1] < 0.0 => {
            let both: Vec3 = sides.iter().map(|side| side.direction(state, 0.0)).sum();
            let tangent = both.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
            let push = forces[1] - forces[0];
            let across = (push - tangent * tangent.dot(&push)).norm();
            (2.0 * (across / sum.max(f64::MIN_POSITIVE)).min(1.0).asin(), sum)
        }
        None => (forces[0].cross(&forces[1]).norm().atan2(forces[0].dot(&forces[1])), sum),
    };
    let bound = if slide.wheel.is_some() && wrap < ONE_PLACE {
        slide.friction * (forces[0] - forces[1]).norm()
    } else {
        normal * (0.5 * slide.friction * wrap).tanh()
    };
    let sticks = ws.friction_laws[index].sticks(state.slips[index]);
    let report = EyeReport { tensions, wrap, sticks, flow: state.flows[index] };
    Some(Look { bound, forces: sum, report })
}

/// A rope beside an eye. A taut one bends there and straightens again over some √(K/|n|), where all of its force is
/// tension. One that is pushed, or too stiff to straighten within its length, has the tension that it has at the eye.
struct Beside<'a> {
    kernel: &'a dyn SpanKernel,
    span: usize,
    /// Whether the eye is at its start (0) or end (1).
    end: usize,
    /// 1 for a rope, 0 for a stiff rod.
    limp: f64,
    /// Where it is straight again, m from the eye.
    beyond: f64,
    /// Length over which a direction is looked at, m.
    step: f64,
}

impl<'a> Beside<'a> {
    fn new(network: &Network, ws: &'a NetworkWorkspace, span: usize, end: usize, force: &Vec3) -> Self {
        let kernel = &*ws.spans[span].kernel;
        let rod = &network.spans[span].rod;
        let bend = BENDS * (bending(rod) / force.norm().max(f64::MIN_POSITIVE)).sqrt();
        let piece = kernel.length() / rod.pieces().0 as f64;
        // Elements that are longer than the bend turn within themselves.
        let (beyond, step) =
            if rod.bends_at_nodes() { (bend, piece) } else { (bend.max(2.0 * piece), 1e-3 * piece) };
        let limp = (2.0 - 2.0 * bend / kernel.length()).clamp(0.0, 1.0);
        Self { kernel, span, end, limp, beyond, step }
    }

    /// Its direction so far from the eye.
    fn direction(&self, state: &NetworkState, far: f64) -> Vec3 {
        let length = self.kernel.length();
        let far = far.min(length - self.step);
        let from = if self.end == 0 { far } else { length - far - self.step };
        let [a, b] = [from, from + self.step].map(|s| self.kernel.place(&state.spans[self.span], s));
        (b - a).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
    }

    /// Tension under a force, N.
    fn tension(&self, force: &Vec3, state: &NetworkState, limp: f64) -> f64 {
        let limp = if force.dot(&self.direction(state, self.beyond)) > 0.0 { limp } else { 0.0 };
        limp * force.norm() + (1.0 - limp) * force.dot(&self.direction(state, 0.0))
    }
}
