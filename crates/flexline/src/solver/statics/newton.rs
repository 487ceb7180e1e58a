//! Newton's method on the equilibrium and the held end together.
//!
//! One iteration: residual → exact tangent → factorise, shifting until the inertia is that of a
//! minimum → step and new end force → line search on the augmented Lagrangian. Near the solution
//! steps are taken whole and unguarded; one that makes the residual worse is taken back.

use super::system::{Norms, System};
use super::{ChainWorkspace, Settings};
use crate::algebra::Vec3;
use crate::algebra::chain::ChainVector;
use crate::algebra::rotation;
use crate::rod::{Rod, RodState};
use crate::solver::budget;
use crate::solver::problem::{Problem, State};

/// How Newton's method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Converged,
    Limit,
    NoProgress,
    /// Balanced where two segments are folded onto each other.
    Folded,
    Failure,
}

/// Relative stiffness against turning that gives neutral spins a pivot.
pub(super) const PROXIMAL: f64 = 1e-9;
/// Steps with no frame turning by more than this (rad) are taken without a line search.
const UNGUARDED: f64 = 0.05;
/// Largest rotation of a frame in one step, rad.
pub(super) const MAX_TURN: f64 = 1.0;
/// Largest change of angle between neighbouring frames in one step, rad.
pub(super) const MAX_BEND: f64 = 0.6;

/// Whether `norms` are inside the tolerances.
pub(super) fn converged(problem: &Problem, settings: &Settings, norms: &Norms) -> bool {
    norms.force <= (settings.force_tolerance * norms.largest_force).max(norms.round_off)
        && norms.gap <= settings.position_tolerance * problem.chain().length()
}

/// Iterates from `state`; on return it is the best state reached.
pub(super) fn newton(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
    limit: usize,
) -> Outcome {
    let mut shift = 0.0;
    let mut guarded = false;
    let mut backup_force = f64::INFINITY;
    let mut rho = 10.0 * ws.system.stiffness / problem.chain().length().powi(3);
    ws.tangent_valid = false;
    for iteration in 0..=limit {
        ws.system.evaluate(problem, state);
        let norms = ws.system.norms(problem);
        if !(norms.force.is_finite() && norms.gap.is_finite()) {
            state.copy_from(&ws.backup);
            return Outcome::Failure;
        }
        if converged(problem, settings, &norms) {
            return if ws.system.is_folded() { Outcome::Folded } else { Outcome::Converged };
        }
        let size = norms.force + norms.gap * ws.system.stiffness / problem.chain().length().powi(3);
        if !guarded && size > 2.0 * backup_force {
            // An unguarded step went astray: take it back and watch the merit from now on.
            state.copy_from(&ws.backup);
            guarded = true;
            backup_force = f64::INFINITY;
            continue;
        }
        if iteration == limit || budget::stop().is_some() {
            return Outcome::Limit;
        }
        ws.iterations += 1;

        let Some(used) = factorise_as_minimum(problem, state, ws, shift) else { return Outcome::Failure };
        shift = if used < 1e-3 { 0.0 } else { used / 8.0 };

        let force = newton_step(problem, ws, state.end_force);
        if !step_is_finite(&ws.step) {
            return Outcome::Failure;
        }
        let (turn, bend) = step_size(&ws.step);
        ws.backup.copy_from(state);
        backup_force = size;
        if !guarded && used == 0.0 && turn < UNGUARDED {
            apply(problem, &mut state.rod, &ws.step, 1.0);
            state.end_force = force;
            continue;
        }
        let longest = 1f64.min(MAX_TURN / turn).min(MAX_BEND / bend);
        if !line_search(problem, state, ws, &force, longest, &mut rho) {
            // No descent along this direction: lean on the stiffness more.
            shift = (8.0 * used).max(0.1);
            if shift > 1e4 {
                return Outcome::NoProgress;
            }
        }
        backup_force = f64::INFINITY;
    }
    Outcome::Limit
}

/// Factorises with the smallest shift found for which the form is positive on the constraint
/// tangent; returns that shift.
fn factorise_as_minimum(
    problem: &Problem,
    state: &State,
    ws: &mut ChainWorkspace,
    first: f64,
) -> Option<f64> {
    let mut shift = first;
    for _ in 0..40 {
        if shift != first && budget::stop().is_some() {
            return None;
        }
        ws.system.assemble(problem, state, shift, PROXIMAL.max(shift));
        ws.factorisations += 1;
        let factorised = ws.bordered.factorise(problem, &ws.system).is_ok();
        if factorised && ws.bordered.negative() <= 0 {
            ws.tangent_valid = shift == 0.0;
            return Some(shift);
        }
        shift = if shift == 0.0 { 1e-2 } else { 4.0 * shift };
    }
    None
}

/// Solves for the step into `ws.step`; returns the new end force.
pub(super) fn newton_step(problem: &Problem, ws: &mut ChainWorkspace, end_force: Vec3) -> Vec3 {
    let ChainWorkspace { system, bordered, step, .. } = ws;
    for (s, r) in step.f.iter_mut().zip(&system.residual.f) {
        *s = -r;
    }
    step.x.fill(Vec3::zeros());
    step.x[0] = -system.residual.x[0];
    let seam = -system.seam_residual();
    let multiplier = bordered.solve(problem, system, step, &-system.gap, &seam);
    end_force - multiplier + system.penalty * system.gap
}

/// Largest rotation of a frame and largest change between neighbours.
pub(super) fn step_size(step: &ChainVector) -> (f64, f64) {
    let mut turn = f64::MIN_POSITIVE;
    let mut bend = f64::MIN_POSITIVE;
    for w in step.f.windows(2) {
        turn = turn.max(w[0].norm_squared()).max(w[1].norm_squared());
        bend = bend.max((w[1] - w[0]).norm_squared());
    }
    (turn.sqrt(), bend.sqrt())
}

fn step_is_finite(step: &ChainVector) -> bool {
    step.f.iter().chain(&step.x).all(|v| v.iter().all(|c| c.is_finite()))
}

/// Moves the frames and x_0 by `scale` times the step; the other positions follow.
pub(super) fn apply(problem: &Problem, state: &mut RodState, step: &ChainVector, scale: f64) {
    let rod = problem.chain();
    for (j, theta) in step.f.iter().enumerate() {
        let q = rotation::displaced(&rod.frame(state, j), &(theta * scale));
        rod.set_frame(state, j, &q);
    }
    let x = rod.position(state, 0) + step.x[0] * scale;
    rod.set_position(state, 0, &x);
    rod.project(state);
}

/// Backtracks on Φ = energy − φ·gap + ρ/2 |gap|²; takes the step and reports whether it could.
fn line_search(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    force: &Vec3,
    longest: f64,
    rho: &mut f64,
) -> bool {
    let system = &ws.system;
    let gap = system.gap;
    let along: f64 = system.residual.f.iter().zip(&ws.step.f).map(|(r, s)| r.dot(s)).sum::<f64>()
        + system.residual.x[0].dot(&ws.step.x[0]);
    let fixed = along + (force - state.end_force).dot(&gap);
    let gap_sq = gap.norm_squared();
    if gap_sq > 0.0 {
        *rho = rho.max(2.0 * fixed / gap_sq);
    }
    let slope = fixed - *rho * gap_sq;
    if slope >= 0.0 && along.abs() > 0.0 && gap_sq < 1e-24 {
        return false;
    }
    let merit = |state: &State, gap: &Vec3, scale: f64| {
        system.potential(problem, state) - force.dot(gap) + 0.5 * *rho * gap.norm_squared()
            - scale * system.loads.moment_work(&system.rotations, &ws.step.f)
    };
    let start = merit(state, &gap, 0.0);
    let noise =
        1e-13 * (start.abs() + force.norm() * problem.chain().length() + problem.chain().energy(&state.rod));
    let held = System::end_held(problem);
    let mut scale = longest;
    for _ in 0..14 {
        ws.trial.copy_from(state);
        apply(problem, &mut ws.trial.rod, &ws.step, scale);
        let miss = problem.chain().position(&ws.trial.rod, problem.chain().segments())
            - System::end_target(problem, &ws.trial.rod);
        let trial_gap = Vec3::from_fn(|i, _| if held[i] { miss[i] } else { 0.0 });
        let value = merit(&ws.trial, &trial_gap, scale);
        if value <= start + 1e-4 * scale * slope + noise {
            state.rod.coordinates.copy_from_slice(&ws.trial.rod.coordinates);
            state.end_force += scale * (force - state.end_force);
            return true;
        }
        scale *= 0.5;
    }
    false
}
