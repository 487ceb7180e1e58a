//! When Newton's method fails from the predicted state: smaller steps from the last good one.
//!
//! The ends are moved along the straight way (positions linearly, orientations by the shortest
//! rotation, twist linearly) in steps that halve on failure and double on success. A cold start
//! has no last good state; there the loads are raised from zero, and if the laid shape was no good
//! either, the rod starts at rest and its far end is brought home before.

use super::newton::{Outcome, newton};
use super::{ChainWorkspace, Settings, predict, stability};
use crate::algebra::{Vec3, rotation};
use crate::rod::{Rod, Station};
use crate::solver::budget;
use crate::solver::problem::{End, Problem, State};

/// Smallest share of the way taken in one step.
const SMALLEST: f64 = 1.0 / 4096.0;
/// Newton iterations allowed per step.
const ITERATIONS: usize = 40;
/// Newton iterations after which a path is given up.
const EFFORT: usize = 3000;

/// Solves `problem` in steps from `ws.good`; on failure `state` is the last good state.
pub(super) fn retry(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
) -> Outcome {
    state.copy_from(&ws.good);
    ws.steps = 0;
    if state.ends != problem.ends {
        return move_ends(problem, state, ws, settings);
    }
    let mut outcome = raise_loads(problem, state, ws, settings);
    if outcome != Outcome::Converged {
        outcome = from_rest(problem, state, ws, settings);
    }
    // Whatever share of the loads was tried last: from here on it is all of them.
    ws.system.read_loads(problem);
    if outcome == Outcome::Converged {
        // A path of equilibria may have lost its stability on the way.
        stability::leave_unstable(problem, state, ws, settings);
    } else {
        state.copy_from(&ws.good);
    }
    outcome
}

/// Follows a path of problems, `at(problem, share)`, from share 0 (where `state` is) to 1.
fn follow(
    here: &mut Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
    first_step: f64,
    at: &dyn Fn(&mut Problem, f64),
) -> Outcome {
    let mut last = state.clone();
    let (mut done, mut step) = (0.0, first_step);
    while done < 1.0 {
        let next = f64::min(1.0, done + step);
        at(here, next);
        ws.system.read_loads(here);
        predict::move_ends(here, state, ws);
        let outcome = newton(here, state, ws, settings, ITERATIONS);
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
            if step < SMALLEST || ws.iterations > EFFORT || budget::stop().is_some() {
                return outcome;
            }
        }
    }
    Outcome::Converged
}

fn move_ends(problem: &Problem, state: &mut State, ws: &mut ChainWorkspace, settings: &Settings) -> Outcome {
    let from = state.ends;
    let mut here = problem.clone();
    follow(&mut here, state, ws, settings, 0.25, &|here, t| {
        here.ends = [blend(&from[0], &problem.ends[0], t), blend(&from[1], &problem.ends[1], t)];
    })
}

/// From an unloaded equilibrium, raises gravity and loads in steps.
fn raise_loads(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
) -> Outcome {
    let mut here = problem.clone();
    scale_loads(&mut here, problem, 0.0);
    ws.system.read_loads(&here);
    predict::set_ends(&here, state);
    let outcome = newton(&here, state, ws, settings, 4 * ITERATIONS);
    if outcome != Outcome::Converged {
        return outcome;
    }
    follow(&mut here, state, ws, settings, 0.5, &|here, t| scale_loads(here, problem, t))
}

/// From the rod at rest at its first end: brings the far end home, then raises the loads.
fn from_rest(problem: &Problem, state: &mut State, ws: &mut ChainWorkspace, settings: &Settings) -> Outcome {
    if problem.closed || !problem.ends.iter().all(End::holds_position) {
        return Outcome::NoProgress;
    }
    let rod = problem.chain();
    let n = rod.segments();
    let frame = problem.ends[0].frame().unwrap_or_else(rotation::identity);
    state.rod = rod.rest_state(&Station { position: problem.ends[0].position, frame });
    state.end_force = Vec3::zeros();
    let last = Station { position: rod.position(&state.rod, n), frame: rod.frame(&state.rod, n + 1) };
    let natural = at_rest(problem, &last);
    state.ends = [problem.ends[0], natural];
    let mut here = problem.clone();
    scale_loads(&mut here, problem, 0.0);
    let outcome = follow(&mut here, state, ws, settings, 0.125, &|here, t| {
        here.ends[1] = blend(&natural, &problem.ends[1], t);
    });
    if outcome != Outcome::Converged {
        return outcome;
    }
    follow(&mut here, state, ws, settings, 0.5, &|here, t| scale_loads(here, problem, t))
}

/// The far end of the rod at rest, whose last station is given. It goes along with the turns of the first end: what
/// the far one is turned by against it is still to come.
pub(super) fn at_rest(problem: &Problem, last: &Station) -> End {
    let [start, end] = problem.ends;
    let twist = start.twist;
    let untwisted = last.frame * rotation::exp(&Vec3::new(0.0, 0.0, -twist));
    End { position: last.position, orientation: end.orientation.map(|_| untwisted), twist, ..end }
}

pub(super) fn scale_loads(here: &mut Problem, full: &Problem, share: f64) {
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
pub(super) fn blend(a: &End, b: &End, t: f64) -> End {
    if t >= 1.0 {
        return *b;
    }
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
