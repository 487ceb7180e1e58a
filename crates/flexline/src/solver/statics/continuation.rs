//! When Newton's method fails from the predicted state: smaller steps from the last good one.
//!
//! The ends are moved along the straight way (positions linearly, orientations by the shortest
//! rotation, twist linearly) in steps that halve on failure and double on success. A cold start has
//! no last good state; there the loads are raised from zero instead.

use super::newton::{Outcome, newton};
use super::{Settings, Workspace, predict};
use crate::algebra::rotation;
use crate::solver::problem::{End, Problem, State};

/// Smallest share of the way taken in one step.
const SMALLEST: f64 = 1.0 / 4096.0;
/// Newton iterations allowed per step.
const ITERATIONS: usize = 40;

/// Solves `problem` in steps from `ws.good`; `state` ends at the last good state.
pub(super) fn retry(problem: &Problem, state: &mut State, ws: &mut Workspace, settings: &Settings) -> Outcome {
    state.copy_from(&ws.good);
    if state.ends == problem.ends {
        return raise_loads(problem, state, ws, settings);
    }
    let from = state.ends;
    let mut here = problem.clone();
    let mut last = state.clone();
    let (mut done, mut step) = (0.0, 0.25);
    let mut outcome = Outcome::NoProgress;
    ws.steps = 0;
    while done < 1.0 {
        let next = f64::min(1.0, done + step);
        here.ends = [blend(&from[0], &problem.ends[0], next), blend(&from[1], &problem.ends[1], next)];
        predict::move_ends(&here, state, ws);
        outcome = newton(&here, state, ws, settings, ITERATIONS);
        if outcome == Outcome::Converged {
            state.ends = here.ends;
            last.copy_from(state);
            ws.solution.copy_from(state);
            ws.steps += 1;
            done = next;
            step *= 2.0;
        } else {
            state.copy_from(&last);
            step *= 0.5;
            if step < SMALLEST {
                return outcome;
            }
        }
    }
    outcome
}

/// A cold start that failed: from an unloaded equilibrium, raise gravity and loads in steps.
fn raise_loads(problem: &Problem, state: &mut State, ws: &mut Workspace, settings: &Settings) -> Outcome {
    let mut last = state.clone();
    let mut here = problem.clone();
    let (mut done, mut step) = (-1.0, 1.0);
    let mut outcome = Outcome::NoProgress;
    ws.steps = 0;
    while done < 1.0 {
        let next = f64::min(1.0, done + step);
        scale_loads(&mut here, problem, next.max(0.0));
        ws.system.read_loads(&here);
        predict::set_ends(&here, state);
        outcome = newton(&here, state, ws, settings, 4 * ITERATIONS);
        if outcome == Outcome::Converged {
            last.copy_from(state);
            ws.steps += 1;
            done = next;
            step *= 2.0;
        } else {
            state.copy_from(&last);
            step *= 0.5;
            if step < 1.0 / 256.0 || done < 0.0 {
                break;
            }
        }
    }
    ws.system.read_loads(problem);
    if outcome != Outcome::Converged {
        state.copy_from(&ws.good);
    }
    outcome
}

fn scale_loads(here: &mut Problem, full: &Problem, share: f64) {
    here.gravity = full.gravity * share;
    for (a, b) in here.point_loads.iter_mut().zip(&full.point_loads) {
        a.force = b.force * share;
        a.moment = b.moment * share;
    }
    for (a, b) in here.distributed_loads.iter_mut().zip(&full.distributed_loads) {
        a.force = b.force.map(|v| v * share);
        a.moment = b.moment.map(|v| v * share);
    }
}

/// The end a share `t` of the way from `a` to `b`.
fn blend(a: &End, b: &End, t: f64) -> End {
    let orientation = match (a.orientation, b.orientation) {
        (Some(p), Some(q)) => Some(rotation::exp(&(rotation::log(&(q * p.conjugate())) * t)) * p),
        (_, q) => q,
    };
    End {
        position: a.position + (b.position - a.position) * t,
        held: b.held,
        orientation,
        twist: a.twist + (b.twist - a.twist) * t,
    }
}
