//! The dissertation's scheme: proportional springs plus integral forces (chapter 4), minimised by
//! its cascade (6.1). Kept as a method of its own and as a witness: it needs none of the
//! machinery of the Newton solver and must arrive at the same equilibria.
//!
//! One iteration minimises the energy with the integral forces held, then adds α times the
//! proportional force to them: f ← f + α k·error. For a stiff spring the error shrinks by |1 − α|
//! per iteration: none beats α = 1, α > 1 overshoots, α = 2 never settles (figures 4.4–4.8).

mod cascade;
mod energy;

use crate::algebra::Vec3;
use crate::body::Axes;
use crate::rod::mixed::system::System;
use crate::rod::{Rod, State};
use crate::solver::budget;
use crate::solver::predict;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::settings::IntegralSettings;
use cascade::Cascade;
use energy::Springs;
use serde::{Deserialize, Serialize};

/// What the scheme did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntegralRun {
    /// Length error of every segment relative to its length, after each iteration.
    pub length_errors: Vec<Vec<f64>>,
    /// Whether length and coherence were met.
    pub converged: bool,
    /// Loops of the cascade, all iterations together.
    pub loops: usize,
    /// How often Newton, non-linear CG, linear CG, steepest descent and line search helped.
    pub used: [usize; 5],
}

/// Runs the scheme from `state` at the ends of `problem`. The state keeps its independent node
/// positions; end force and ends are set. Follower loads, closed rings and poles are not part
/// of the dissertation; dead loads are.
pub fn integral_forces(
    problem: &Problem,
    state: &mut State,
    settings: &IntegralSettings,
) -> Result<IntegralRun, ProblemError> {
    problem.check()?;
    if !understands(problem) {
        return Err(ProblemError::NotInScheme);
    }
    if !super::cable::fits(problem, state) {
        return Err(ProblemError::Size);
    }
    let rod = problem.chain();
    let n = rod.segments();
    let held = problem.held_chain();
    let mut system = System::new(n);
    system.read_loads(&held);
    predict::set_ends(problem, state);
    pull_to_end(problem, state);
    system.evaluate(&held, state);
    let forces = system.forces.clone();

    let l = rod.length() / n as f64;
    let mut springs = Springs {
        length: settings.stiffness * system.stiffness / l.powi(3),
        coherence: settings.stiffness * system.stiffness / l,
        length_force: vec![0.0; n],
        coherence_force: vec![Vec3::zeros(); n],
    };
    let mut cascade = Cascade::new(problem, &state.rod, held_coordinates(problem));
    let mut run = IntegralRun { length_errors: Vec::new(), converged: false, loops: 0, used: [0; 5] };
    // Forces in N and moments in N m share one vector: judge by the smaller scale of the two.
    let scale = system.stiffness / (rod.length() * rod.length()) * l.min(1.0);
    for iteration in 0..settings.max_iterations {
        // The first minimisation comes from afar.
        let limit = if iteration == 0 { 4000 } else { 200 };
        run.loops += cascade.minimise(problem, &springs, &mut state.rod, &forces, 1e-10 * scale, limit);
        let mut worst = 0.0f64;
        let mut errors = Vec::with_capacity(n);
        for i in 0..n {
            let (stretch, delta) = springs.errors(problem, &state.rod, i);
            errors.push(stretch / rod.lengths[i]);
            worst = worst.max((stretch / rod.lengths[i]).abs()).max(delta.norm());
            springs.length_force[i] += settings.alpha * springs.length * stretch;
            springs.coherence_force[i] += settings.alpha * springs.coherence * delta;
        }
        run.length_errors.push(errors);
        if worst <= settings.tolerance {
            run.converged = true;
            break;
        }
        if !worst.is_finite() || worst > 1e3 || budget::stop().is_some() {
            break;
        }
    }
    run.used = cascade.used;
    state.end_force = springs.internal(problem, &state.rod, n - 1) - forces[n];
    for i in 0..3 {
        if !problem.end_held()[i] {
            state.end_force[i] = 0.0;
        }
    }
    state.ends = problem.ends;
    Ok(run)
}

/// Whether the scheme knows everything in `problem`.
fn understands(problem: &Problem) -> bool {
    let dead = problem.point_loads.iter().all(|p| p.axes == Axes::World && p.moment == Vec3::zeros())
        && problem
            .distributed_loads
            .iter()
            .all(|d| d.axes == Axes::World && d.moment == [Vec3::zeros(), Vec3::zeros()]);
    dead && !problem.closed && problem.poles.is_empty() && problem.rod.as_mixed().is_some()
}

/// Shifts the nodes linearly so that the last one meets its support (6.3.1).
fn pull_to_end(problem: &Problem, state: &mut State) {
    let rod = problem.chain();
    let n = rod.segments();
    let held = problem.end_held();
    let miss = problem.ends[1].position - rod.position(&state.rod, n);
    let miss = Vec3::from_fn(|i, _| if held[i] { miss[i] } else { 0.0 });
    let nodes = rod.mesh().nodes();
    for (j, s) in nodes.iter().enumerate() {
        let x = rod.position(&state.rod, j) + miss * (s / rod.length());
        rod.set_position(&mut state.rod, j, &x);
    }
}

/// Tangent coordinates that the ends hold.
fn held_coordinates(problem: &Problem) -> Vec<usize> {
    let n = problem.chain().segments();
    let frames = problem.ends.map(|end| end.orientation.is_some());
    let mut list = Vec::new();
    if frames[0] {
        list.extend(0..3);
    }
    for i in 0..3 {
        if problem.ends[0].held[i] {
            list.push(3 + i);
        }
        if problem.end_held()[i] {
            list.push(6 * n + 3 + i);
        }
    }
    if frames[1] {
        list.extend(6 * (n + 1)..6 * (n + 1) + 3);
    }
    list
}
