//! Where no equilibrium is found in the segments that a chain has: more of them.
//!
//! A chain bends at its nodes alone. Where the bend of the cable is shorter than a segment, its forces balance only with
//! two segments folded onto each other. A chain that can bend there finds its way; the one in hand then takes its shape,
//! and Newton's method finishes. Where that leads back into a fold, it is at least known that more segments help, and how
//! many.

use super::newton::{Outcome, newton};
use super::{ChainWorkspace, Settings, predict, seek};
use crate::solver::budget;
use crate::solver::problem::{Problem, State};

/// How many times as many segments are tried.
const FINER: [usize; 2] = [4, 16];
/// Most segments that are tried.
const MOST: usize = 800;

/// Looks for the equilibrium of a chain by way of one with more segments. Where there is one in more segments alone, says
/// in how many; the state stays as it is then, and `before` the outcome, or that it folds.
pub(super) fn by_finer_chain(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
    before: Outcome,
) -> (Outcome, Option<usize>) {
    let kept = state.clone();
    let segments = problem.chain().segments();
    for factor in FINER.into_iter().filter(|factor| factor * segments <= MOST) {
        if budget::stop().is_some() {
            break;
        }
        let Some(rod) = problem.chain().divided(factor) else { break };
        let finer = Problem { rod: rod.into(), ..problem.clone() };
        let mut found = State { rod: finer.rod.shaped_as(&problem.rod, &kept.rod), ..kept.clone() };
        let mut own = ChainWorkspace::new(&finer);
        own.begin(&finer, &found);
        let outcome = seek(&finer, &mut found, &mut own, settings);
        ws.iterations += own.iterations;
        ws.factorisations += own.factorisations;
        if outcome != Outcome::Converged {
            continue;
        }
        state.rod = problem.rod.shaped_as(&finer.rod, &found.rod);
        state.end_force = found.end_force;
        state.ends = problem.ends;
        ws.system.read_loads(problem);
        predict::set_ends(problem, state);
        let outcome = newton(problem, state, ws, settings, 4 * settings.max_iterations);
        if outcome == Outcome::Converged {
            return (outcome, None);
        }
        state.copy_from(&kept);
        let outcome = if outcome == Outcome::Folded { outcome } else { before };
        return (outcome, Some(factor * segments));
    }
    (before, None)
}
