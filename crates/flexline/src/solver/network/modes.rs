//! Stability and vibrations of networks, by counting: the inertia of a form says how many of its eigenvalues
//! lie below zero, so none is missed.

use super::assemble::{evaluate, factorise, factorise_with, norms, residual};
use super::contact;
use super::merit::Merit;
use super::newton::{largest_turn, minimise, newton_step, plain_step};
use super::{Network, NetworkError, NetworkReport, NetworkState, NetworkWorkspace, PartInertia};
use crate::algebra::rotation;
use crate::body::Inertia;
use crate::rod::Rod;
use crate::rod::kernel::PROXIMAL;
use crate::solver::budget;
use crate::solver::report::{Stability, Status};
use crate::solver::settings::Settings;
use crate::solver::stability::{NEUTRAL, lowest_frequencies, smallest_eigenvalue, verdict};

/// Number of eigenvalues of the second variation below `sigma`, relative to the stiffness of the rods.
/// Spins that cost nothing count when `proximal` < 0.
pub(in crate::solver) fn below(
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
        let negative = usize::try_from(factorise_with(network, state, ws, shift, proximal)?).ok()?;
        Some(released(network, state, ws, negative))
    })
}

/// Verdict and smallest eigenvalue at an equilibrium; `None` where no factorisation succeeds, the budget is spent, or
/// network and state are none that a solve takes. Rope that slides with friction is judged as if it stuck; of rough contacts
/// what sticks is held, and what slides keeps its force.
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
    let complete =
        !moment && !ws.contacts.is_rough() && (loads || network.spans.iter().all(|s| s.is_conservative()));
    Some(Stability { verdict: verdict(negative, neutral), lambda_min, negative, neutral, complete })
}

/// How far the first step away from an unstable equilibrium turns anything, rad; less where something is in the way.
const PUSHES: [f64; 3] = [0.2, 0.05, 0.0125];
/// Equilibria that may be left one after the other.
const ROUNDS: usize = 6;
/// Size of what is shaken to find the softest direction, rad, and how near to its eigenvalue the form is factorised.
const SHAKE: f64 = 1e-6;
/// What is shaken with; where several directions have one eigenvalue, another phase finds another of them.
const PHASE: f64 = 0.4;
const NEAR: f64 = 1e-5;

/// Leaves an unstable equilibrium along its softest direction and settles in the nearest minimum. `found` is what was
/// proved of it; on return that of the equilibrium in `state`.
pub(in crate::solver) fn leave_unstable(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    found: NetworkReport,
) -> Result<NetworkReport, NetworkError> {
    let mut report = found;
    for _ in 0..ROUNDS {
        let Some(negative) = below(network, state, ws, -NEUTRAL, NEUTRAL).filter(|count| *count > 0) else {
            break;
        };
        let lambda = smallest_eigenvalue(&mut |sigma| below(network, state, ws, sigma, PROXIMAL), negative);
        let mut left = false;
        for size in PUSHES {
            let Some(mut next) = pushed_along(network, state, ws, lambda, size, PHASE) else { break };
            if !contact::is_free(network, state, &next, ws) {
                continue;
            }
            let settled = minimise(network, &mut next, ws, settings)?;
            left = settled.status == Status::Converged;
            if left {
                *state = next;
                report = NetworkReport { iterations: report.iterations + settled.iterations, ..settled };
                break;
            }
        }
        if !left {
            break;
        }
    }
    evaluate(network, state, ws);
    Ok(report)
}

/// The state a little along the eigenvector of `lambda`. Beside that eigenvalue the form is all but singular: whatever
/// residual is put on the right, the solution is along the eigenvector, which no contact that presses hinders. A `size` below zero
/// goes the other way.
pub(in crate::solver) fn pushed_along(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    lambda: f64,
    size: f64,
    phase: f64,
) -> Option<NetworkState> {
    below(network, state, ws, lambda * (1.0 + NEAR), PROXIMAL)?;
    let mut shaken = state.clone();
    for (span, own) in network.spans.iter().zip(&mut shaken.spans) {
        // Without symmetry, so that no direction is missed.
        span.rod.shake(&mut own.rod, |i| SHAKE * (1.3 * i as f64 + phase).sin());
    }
    for size in [SHAKE, SHAKE, size] {
        evaluate(network, &mut shaken, ws);
        let own = residual(network, &shaken, ws);
        let held = if ws.contacts.is_empty() {
            plain_step(&shaken, ws, &own);
            Some(())
        } else {
            contact::held_step(&shaken, ws, &own)
        };
        ws.leave_residual(own);
        held?;
        let (turn, _) = largest_turn(ws);
        if !(turn.is_finite() && turn > f64::MIN_POSITIVE) {
            return None;
        }
        shaken.advance_from(state, network, ws, size / turn, |_, _, _, _| {});
    }
    Some(shaken)
}

/// Finds the forces that hold an equilibrium whose shape was made by hand: they enter linearly, so that one
/// step finds them. `None` where the shape is no equilibrium.
pub(in crate::solver) fn find_forces(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Option<()> {
    evaluate(network, state, ws);
    let before = residual(network, state, ws);
    factorise(network, state, ws, 0.0)?;
    newton_step(network, state, ws, &before);
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
    let after = residual(network, state, ws);
    let left = norms(network, state, ws, &after);
    let small = left.force <= (1e3 * settings.force_tolerance * left.largest).max(left.round_off)
        && left.gap <= 1e3 * settings.position_tolerance * left.length;
    small.then_some(())
}

/// The number of directions that release energy; `None` where the matrix is singular.
pub(in crate::solver) fn negative_count(
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
            span.kernel.taps().inertia = Some(Inertia::vibrating(matter, omega));
        }
        let part = |(a, pose, centre): &(&super::Anchor, crate::body::Pose, _)| PartInertia {
            stiffness: square * a.mass,
            centre: *centre,
            turning: a.inertia * square,
            orientation: pose.orientation,
        };
        ws.parts = Some(parts.iter().map(part).collect());
        // A little of it the other way: neutral directions are below every frequency.
        let found = below(network, state, ws, 0.0, -0.1 * PROXIMAL);
        for span in &mut ws.spans {
            span.kernel.taps().inertia = None;
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
pub(in crate::solver) fn releases(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
) -> usize {
    let negative = factorise_with(network, state, ws, 0.0, PROXIMAL);
    negative.map_or(0, |negative| released(network, state, ws, negative.max(0) as usize))
}

/// Of so many directions that release energy those that contacts leave free.
fn released(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace, negative: usize) -> usize {
    if ws.contacts.is_empty() {
        return negative;
    }
    let own = residual(network, state, ws);
    let free = contact::released(state, ws, &own, negative);
    ws.leave_residual(own);
    free
}
