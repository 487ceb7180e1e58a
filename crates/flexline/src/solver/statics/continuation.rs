//! When Newton's method fails from the predicted state: smaller steps from the last good one.
//!
//! The ends are moved along the straight way (positions linearly, orientations by the shortest
//! rotation, twist linearly) in steps that halve on failure and double on success. A cold start
//! has no last good state; there stiffnesses that differ much are raised from the least, then the
//! loads from zero, and if the laid shape was no good either, the rod starts at rest and its far end
//! is brought home before.

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
    let mut outcome = stiffen(problem, state, ws, settings);
    if outcome != Outcome::Converged {
        state.copy_from(&ws.good);
        outcome = raise_loads(problem, state, ws, settings);
    }
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

/// Loads relative to what bends the rod double from which they are raised by equal factors.
const LIMP: f64 = 1e3;
/// Ratio of stiffnesses from which the larger ones are raised in steps.
const CONTRAST: f64 = 1e3;

/// Loads of a problem relative to the force that bends its rod double, K/L².
fn load_ratio(problem: &Problem) -> f64 {
    let length = problem.rod.length();
    let mut force = problem.gravity.norm() * problem.rod.total_mass();
    for load in &problem.point_loads {
        force += load.force.norm() + load.moment.norm() / length;
    }
    for load in &problem.distributed_loads {
        let largest = |of: &[Vec3; 2]| of[0].norm().max(of[1].norm());
        force += largest(&load.force) * (load.to - load.from).abs() + largest(&load.moment);
    }
    let stiffness = problem.rod.first_stiffness();
    force * length * length / (0.5 * (stiffness.x + stiffness.y))
}

/// The way from no loads to all of them: in proportion; of limp rods, for which little is much, by equal factors.
/// `None` where there are no loads.
pub(super) fn raising(problem: &Problem) -> Option<impl Fn(&mut Problem, f64)> {
    let ratio = load_ratio(problem);
    let exponent = if ratio > LIMP { ratio.ln() } else { 0.0 };
    (ratio > 0.0).then_some(move |here: &mut Problem, t: f64| {
        let share = if exponent > 0.0 { (exponent * t).exp_m1() / exponent.exp_m1() } else { t };
        scale_loads(here, problem, if t >= 1.0 { 1.0 } else { share });
    })
}

/// The way from stiffnesses that are all alike to those of the rod: a rod that is far stiffer one way than another can
/// only move along narrow, curved valleys of its energy. `None` where they are alike.
pub(super) fn stiffening(problem: &Problem) -> Option<impl Fn(&mut Problem, f64)> {
    let [least, most] = problem.rod.stiffness_range()?;
    let ratio = most / least;
    (ratio > CONTRAST).then_some(move |here: &mut Problem, t: f64| {
        here.rod.limit_stiffness(&problem.rod, if t >= 1.0 { f64::INFINITY } else { least * ratio.powf(t) });
    })
}

/// From the equilibrium of a rod as stiff one way as another, raises the stiffness.
fn stiffen(problem: &Problem, state: &mut State, ws: &mut ChainWorkspace, settings: &Settings) -> Outcome {
    let Some(stiffening) = stiffening(problem) else { return Outcome::NoProgress };
    let mut here = problem.clone();
    stiffening(&mut here, 0.0);
    ws.system.read_loads(&here);
    predict::set_ends(&here, state);
    let outcome = newton(&here, state, ws, settings, 4 * ITERATIONS);
    if outcome != Outcome::Converged {
        return outcome;
    }
    follow(&mut here, state, ws, settings, 0.125, &stiffening)
}

/// From an unloaded equilibrium, raises gravity and loads in steps.
fn raise_loads(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
) -> Outcome {
    let Some(raising) = raising(problem) else { return Outcome::NoProgress };
    let mut here = problem.clone();
    raising(&mut here, 0.0);
    ws.system.read_loads(&here);
    predict::set_ends(&here, state);
    let outcome = newton(&here, state, ws, settings, 4 * ITERATIONS);
    if outcome != Outcome::Converged {
        return outcome;
    }
    follow(&mut here, state, ws, settings, 0.5, &raising)
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
    let natural = problem.ends[1];
    let untwisted = rod.frame(&state.rod, n + 1) * rotation::exp(&Vec3::new(0.0, 0.0, -natural.twist));
    let natural = End {
        position: rod.position(&state.rod, n),
        orientation: natural.orientation.map(|_| untwisted),
        ..natural
    };
    state.ends = [problem.ends[0], natural];
    let mut here = problem.clone();
    scale_loads(&mut here, problem, 0.0);
    let outcome = follow(&mut here, state, ws, settings, 0.125, &|here, t| {
        here.ends[1] = blend(&natural, &problem.ends[1], t);
    });
    match raising(problem) {
        Some(raising) if outcome == Outcome::Converged => {
            follow(&mut here, state, ws, settings, 0.5, &raising)
        }
        _ => outcome,
    }
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
