//! Small moves from an equilibrium: whole Newton steps, judged by what they leave of the residual.
//!
//! The first step takes the factors of the last solve, which makes it the tangent predictor. Where it leads
//! to, the matrix is factorised and must be that of a minimum; as long as what is left falls quickly these
//! factors serve on. Anything else is left to [`minimise`](super::minimise), which costs more and stops at
//! less.

use super::assemble::{Norms, Residual, choose_rows, evaluate, factorise, norms, residual};
use super::merit::Merit;
use super::model::Network;
use super::newton::{go_ahead, newton_step};
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, report};
use crate::solver::report::Status;
use crate::solver::statics::Settings;

/// Most turning and bending of a step, rad, that still counts as small.
const SMALL: f64 = 0.3;
/// What a step may leave of the residual at most, as a share: else it was no small move.
const ENOUGH: f64 = 0.2;
/// What it may leave for its factors to be used again.
const QUICK: f64 = 0.02;
/// Most steps of a small move.
const STEPS: usize = 12;

/// Finds the equilibrium near `state`; `None`, and the state as it was, where that takes more than a few
/// whole steps. How many directions release energy is not asked at the end.
pub(in crate::solver::statics) fn follow_nearby(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Option<NetworkReport> {
    let before = state.clone();
    let found = steps(network, state, ws, settings);
    if found.is_none() {
        *state = before;
        ws.factored = false;
    }
    found
}

fn steps(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Option<NetworkReport> {
    state.hold(network);
    let rho = ws.least_penalty();
    let mut trial = state.clone();
    let mut old = ws.factored;
    let mut at = look(network, state, ws, rho);
    for iterations in 0..STEPS.min(settings.max_iterations) {
        let (norms, residual) = at;
        let here = norms.left();
        if here.is_nan() {
            return None;
        }
        if norms.force <= (settings.force_tolerance * norms.largest).max(norms.round_off)
            && norms.gap <= settings.position_tolerance * norms.length
        {
            return Some(report(network, state, ws, Status::Converged, iterations, 0));
        }
        if !ws.factored {
            if factorise(network, state, ws, 0.0)? > 0 {
                return None;
            }
            ws.factored = true;
            old = false;
        }
        newton_step(state, ws, &residual);
        let small = ws.spans.iter().all(|span| {
            let (turn, bend) = span.kernel.step_size();
            turn < SMALL && bend < SMALL
        });
        let merit = Merit::new(network, state, ws);
        if !small {
            return None;
        }
        go_ahead(network, state, &mut trial, ws, &merit, 1.0);
        at = look(network, &mut trial, ws, rho);
        let share = at.0.left() / here;
        if share < ENOUGH {
            std::mem::swap(state, &mut trial);
            // From where the old factors lead to, new ones are asked.
            ws.factored = share < QUICK && !old;
        } else if old {
            ws.factored = false;
            at = look(network, state, ws, rho);
        } else {
            return None;
        }
    }
    None
}

/// What is unbalanced and missed at a state.
fn look(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    rho: f64,
) -> (Norms, Residual) {
    evaluate(network, state, ws);
    choose_rows(state, ws, rho);
    let residual = residual(network, state, ws);
    (norms(network, state, ws, &residual), residual)
}
