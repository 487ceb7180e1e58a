//! Stability and vibrations of networks, by counting: the inertia of a form says how many of its eigenvalues
//! lie below zero, so none is missed.

use super::assemble::{evaluate, factorise, factorise_with, norms, residual};
use super::merit::Merit;
use super::newton::newton_step;
use super::{Network, NetworkState, NetworkWorkspace, PartInertia};
use crate::algebra::rotation;
use crate::rod::Rod;
use crate::solver::budget;
use crate::solver::report::Stability;
use crate::solver::statics::Settings;
use crate::solver::statics::newton::PROXIMAL;
use crate::solver::statics::stability::{NEUTRAL, lowest_frequencies, smallest_eigenvalue, verdict};
use crate::solver::statics::system::Inertia;

/// Number of eigenvalues of the second variation below `sigma`, relative to the stiffness of the rods.
/// Spins that cost nothing count when `proximal` < 0.
fn below(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    sigma: f64,
    proximal: f64,
) -> Option<usize> {
    if budget::stop().is_some() {
        return None;
    }
    evaluate(network, state, ws);
    // A pivot that vanishes exactly at this sigma: a hair to the side it does not.
    [0.0, 1e-9, -1e-9].into_iter().find_map(|nudge| {
        let shift = -sigma * (1.0 + nudge) - nudge;
        usize::try_from(factorise_with(network, state, ws, shift, proximal)?).ok()
    })
}

/// Verdict and smallest eigenvalue at an equilibrium; `None` where no factorisation succeeds, the budget is spent, or
/// network and state are none that a solve takes. What slides with friction is judged as if it stuck.
pub fn network_stability(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
) -> Option<Stability> {
    if network.check_even_short().and_then(|()| state.check(network)).is_err() {
        return None;
    }
    ws.read(network);
    let state = &mut state.clone();
    let negative = below(network, state, ws, -NEUTRAL, NEUTRAL)?;
    let not_positive = below(network, state, ws, NEUTRAL, -NEUTRAL)?;
    let neutral = not_positive.saturating_sub(negative);
    let lambda_min = smallest_eigenvalue(&mut |sigma| below(network, state, ws, sigma, PROXIMAL), negative);
    if budget::stop().is_some() {
        return None;
    }
    let moment = network.anchors.iter().any(|a| a.moment.norm() > 0.0);
    let loads = network.spans.iter().all(|s| s.point_loads.is_empty() && s.distributed_loads.is_empty());
    let complete = !moment && (loads || network.spans.iter().all(|s| s.is_conservative()));
    Some(Stability { verdict: verdict(negative, neutral), lambda_min, negative, neutral, complete })
}

/// Finds the forces that hold an equilibrium whose shape was made by hand: they enter linearly, so that one
/// step finds them. `None` where the shape is no equilibrium.
pub(in crate::solver::statics) fn find_forces(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Option<()> {
    evaluate(network, state, ws);
    let before = residual(network, state, ws);
    factorise(network, state, ws, 0.0)?;
    newton_step(state, ws, &before);
    let found = Merit::new(network, state, ws);
    for ((own, force), moment) in state.spans.iter_mut().zip(&found.forces).zip(&found.moments) {
        own.end_force = *force;
        own.end_moment = *moment;
    }
    for (span, own) in ws.spans.iter().zip(&mut state.spans) {
        span.kernel.take_multipliers(own);
    }
    state.multipliers.clone_from(&found.multipliers);
    evaluate(network, state, ws);
    let left = norms(network, state, ws, &residual(network, state, ws));
    let small = left.force <= (1e3 * settings.force_tolerance * left.largest).max(left.round_off)
        && left.gap <= 1e3 * settings.position_tolerance * left.length;
    small.then_some(())
}

/// The number of directions that release energy; `None` where the matrix is singular.
pub(in crate::solver::statics) fn negative_count(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
) -> Option<usize> {
    below(network, &mut state.clone(), ws, -NEUTRAL, NEUTRAL)
}

/// The lowest `count` natural frequencies (rad/s) of small vibrations about an equilibrium; multiple modes
/// are listed as often as they occur. Rope that slides is taken to stay where it is. Empty where nothing has
/// mass, or network and state are none that a solve takes.
pub fn network_frequencies(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    count: usize,
) -> Vec<f64> {
    if network.check_even_short().and_then(|()| state.check(network)).is_err() {
        return Vec::new();
    }
    ws.read(network);
    let state = &mut state.clone();
    let mass: f64 = network.spans.iter().map(|s| s.rod.total_mass()).sum::<f64>()
        + network.anchors.iter().map(|a| a.mass).sum::<f64>();
    if mass <= 0.0 {
        return Vec::new();
    }
    let rods: Vec<_> =
        (0..network.spans.len()).map(|k| network.rod(state, k).matter(&state.spans[k].rod)).collect();
    let parts: Vec<_> = network
        .anchors
        .iter()
        .zip(&state.anchors)
        .map(|(a, pose)| (a, *pose, pose.position + rotation::rotate(&pose.orientation, &a.centre)))
        .collect();
    let mut modes_below = |omega: f64| -> Option<usize> {
        let square = -omega * omega;
        for (span, matter) in ws.spans.iter_mut().zip(&rods) {
            span.kernel.set_inertia(Some(Inertia::vibrating(matter, omega)));
        }
        let part = |(a, pose, centre): &(&super::Anchor, crate::solver::problem::Pose, _)| PartInertia {
            stiffness: square * a.mass,
            centre: *centre,
            turning: a.inertia * square,
            orientation: pose.orientation,
        };
        ws.parts = Some(parts.iter().map(part).collect());
        // A whisper the other way: neutral directions are below every frequency.
        let found = below(network, state, ws, 0.0, -0.1 * PROXIMAL);
        for span in &mut ws.spans {
            span.kernel.set_inertia(None);
        }
        ws.parts = None;
        found
    };
    // A bar of the stiffness and mass of the rods: the scale of their frequencies.
    let length: f64 = network.spans.iter().map(|s| s.rod.length()).fold(0.0, f64::max);
    let stiffness = network.spans.iter().map(|s| s.rod.first_stiffness().max()).fold(0.0, f64::max);
    let scale = (stiffness / (mass / length)).sqrt() / (length * length);
    lowest_frequencies(&mut modes_below, scale, count)
}

/// The verdict of one factorisation, as a solve asks for it.
pub(super) fn releases(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace) -> usize {
    factorise_with(network, state, ws, 0.0, PROXIMAL).map_or(0, |negative| negative.max(0) as usize)
}
