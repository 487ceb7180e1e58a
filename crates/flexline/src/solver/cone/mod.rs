//! The discrete frictional contact problem, solved with Coulomb's exact cone.
//!
//! Contacts k = 1 … m have friction µ_k and an own frame, the normal first. Sought are the forces r of the contacts, with
//! the relative motion u that they leave,
//!
//! ```text
//! u = W r + q          W = J A⁻¹ Jᵀ symmetric, q the motion without contact forces
//! separate   r = 0,  u_N ≥ 0
//! stick      u = 0,  |r_T| ≤ µ r_N
//! slip       u_N = 0,  |r_T| = µ r_N,  u_T = −s r_T,  s > 0
//! ```
//!
//! It is algebra alone: u is a velocity and r an impulse in dynamics, u a displacement and r a force in statics, and
//! whoever asks says what W and q are. The law is written once (`law.rs`), as the map of Alart and Curnier whose zeros
//! are its solutions; its largest value over the contacts, in units of force, is the residual that every method stops by.
//! One contact alone is solved by Newton's method on Fischer and Burmeister's function and, where that fails, exactly
//! (`contact.rs`, `roots.rs`); all together by Gauss–Seidel (`sweep.rs`) or by Newton's method on the map (`newton.rs`).
//! Methods by products with W alone (`projection.rs`) and the pyramid instead of the cone (`pyramid.rs`) stand beside them.
//! Where W itself cannot be had, or contacts repeat each other throughout, the law is approached from smooth ones
//! (`augmented.rs`).
//!
//! V. Acary, F. Cadoux, C. Lemaréchal, J. Malick, *A formulation of the linear discrete Coulomb friction problem via convex
//! optimization*, ZAMM 91 (2011); F. Bertails-Descoubes, habilitation, Grenoble 2017, 3.2.

mod augmented;
mod contact;
mod delassus;
mod error;
mod islands;
pub mod law;
mod newton;
mod projection;
mod pyramid;
mod roots;
#[doc(hidden)] // for experiments of the command
pub mod sample;
mod sweep;
#[cfg(test)]
mod tests;

pub use augmented::{AugmentedProblem, AugmentedSolution, AugmentedWorkspace, solve_augmented};
pub use contact::{Solutions, solutions};
pub use delassus::{BlockMatrix, Delassus};
pub use error::ConeError;

use crate::algebra::{Vec3, larger};
use crate::solver::budget;
use crate::solver::report::Status;
use islands::Islands;
use newton::Newton;
use projection::Projection;
use sweep::Conjugate;

/// Forces beyond this multiple of what stops the free motion of a contact alone make no residual look small: without a
/// solution they grow for ever, and whatever is divided by them vanishes.
const LARGEST_LEVERAGE: f64 = 1e4;
/// Forces beyond this multiple are taken for a sign that there is no solution.
const UNBOUNDED: f64 = 1e6;

/// Iterations whose residual is kept.
const HISTORY: usize = 10_000;

/// What is to be solved: m contacts.
#[derive(Clone, Copy, Debug)]
pub struct ConeProblem<'a> {
    /// W, relative motion per force: m × m blocks of 3 × 3.
    pub delassus: Delassus<'a>,
    /// q, relative motion without contact forces; normal first.
    pub free: &'a [Vec3],
    /// µ of every contact.
    pub friction: &'a [f64],
}

/// How the problem is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConeMethod {
    /// Contact after contact, each solved exactly with the forces of the others.
    GaussSeidel,
    /// The same, each sweep pushed on along the way of those before: for many contacts.
    ConjugateSweeps,
    /// Newton's method on the map of Alart and Curnier with a dense matrix, damped; Gauss–Seidel before it and where it
    /// is stuck.
    Newton,
    /// Cadoux's fixed point: convex problems, each with the slip of the one before. W is asked for products alone.
    FixedPoint,
    /// Uzawa's iteration on the bipotential of De Saxcé and Feng. W is asked for products alone.
    Bipotential,
    /// Gauss–Seidel with a pyramid of so many facets, three or more, instead of the cone: another law, for comparison.
    Pyramid(usize),
}

/// What bounds friction.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Cone,
    Pyramid(usize),
}

impl Shape {
    /// The allowed force nearest to a trial, normal and friction apart.
    fn admissible(self, trial: &Vec3, friction: f64) -> Vec3 {
        match self {
            Self::Cone => law::admissible(trial, friction),
            Self::Pyramid(facets) => pyramid::admissible(trial, friction, facets),
        }
    }
}

/// How far and how long.
#[derive(Clone, Copy, Debug)]
pub struct ConeSettings {
    /// How.
    pub method: ConeMethod,
    /// Largest residual of a solution, relative to the largest force.
    pub tolerance: f64,
    /// Whether the forces handed in are the start; otherwise it is zero.
    pub warm_start: bool,
    /// Most sweeps and Newton steps together, of an island where those are solved apart.
    pub most_iterations: usize,
    /// Whether contacts that do not feel each other are solved apart; finding and filling the islands allocates.
    pub islands: bool,
}

impl Default for ConeSettings {
    fn default() -> Self {
        Self {
            method: ConeMethod::Newton,
            tolerance: 1e-10,
            warm_start: true,
            most_iterations: 1000,
            islands: false,
        }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ConeStatus {
    /// The residual is inside the tolerance.
    Converged,
    /// No solution was found, and there is reason to believe that none exists: a contact has none given the forces of
    /// the others, or forces grow without bound. The forces are the best seen.
    NoSolution,
    /// The bound of iterations was reached; the forces are the best seen.
    #[default]
    IterationLimit,
    /// The time of the [`Budget`](super::Budget) was up; the forces are the best seen.
    OutOfTime,
    /// Nobody wants the answer any more; the forces are the best seen.
    Cancelled,
}

impl std::fmt::Display for ConeStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::NoSolution => "no solution found",
            Self::IterationLimit => "not converged: iteration limit reached",
            Self::OutOfTime => "not converged: the time was up",
            Self::Cancelled => "not converged: cancelled",
        })
    }
}

/// Forces and their proof. Handed in again it is the start of the next solve.
#[derive(Clone, Debug, Default)]
pub struct ConeSolution {
    /// r, normal first.
    pub forces: Vec<Vec3>,
    /// u = W r + q.
    pub motion: Vec<Vec3>,
    /// Largest value of the map of Alart and Curnier over the contacts, in units of force; of a pyramid's own map.
    pub residual: f64,
    /// The force that the tolerance is relative to.
    pub scale: f64,
    /// Sweeps and Newton steps.
    pub iterations: usize,
    /// Newton steps among them.
    pub newton_steps: usize,
    /// How it ended.
    pub status: ConeStatus,
}

impl ConeSolution {
    /// The residual, relative to the largest force.
    pub fn relative_residual(&self) -> f64 {
        if self.residual == 0.0 { 0.0 } else { self.residual / self.scale }
    }
}

/// Scratch memory; once it has seen a size, solves of that size allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct ConeWorkspace {
    scales: Scales,
    best: Vec<Vec3>,
    halfway: Vec<Vec3>,
    newton: Newton,
    conjugate: Conjugate,
    projection: Projection,
    islands: Islands,
    history: Vec<f64>,
}

impl ConeWorkspace {
    /// Relative residual after every iteration of the last solve, the first 10,000 of them; Gauss–Seidel tells what it saw
    /// on the way. Of islands it is that of the last.
    pub fn history(&self) -> &[f64] {
        &self.history
    }
}

/// What makes motion and force comparable.
#[derive(Clone, Debug, Default)]
struct Scales {
    /// Size of W_kk; motion divided by it is a force.
    compliance: Vec<f64>,
    /// The largest force that stops the free motion of a contact alone.
    free: f64,
}

impl Scales {
    fn prepare(&mut self, problem: &ConeProblem) {
        let m = problem.free.len();
        self.compliance.clear();
        self.compliance.extend((0..m).map(|k| problem.delassus.diagonal(k).norm()));
        let largest = self.compliance.iter().copied().fold(0.0, f64::max);
        // What nothing moves has no scale of its own.
        let fallback = if largest > 0.0 { largest } else { 1.0 };
        for w in &mut self.compliance {
            if *w <= f64::MIN_POSITIVE.max(1e-30 * largest) {
                *w = fallback;
            }
        }
        let stopping = problem.free.iter().zip(&self.compliance).map(|(q, w)| q.norm() / w);
        self.free = stopping.fold(0.0, f64::max);
    }

    /// The force that residuals are relative to, and the residual that round-off leaves.
    fn of(&self, forces: &[Vec3]) -> (f64, f64) {
        let largest = forces.iter().map(Vec3::norm).fold(0.0, larger);
        (largest.min(LARGEST_LEVERAGE * self.free), 16.0 * f64::EPSILON * (self.free + largest))
    }
}

/// Solves, from the forces in `solution` where the settings say so; refused is what is no problem of this kind.
pub fn solve(
    problem: &ConeProblem,
    solution: &mut ConeSolution,
    workspace: &mut ConeWorkspace,
    settings: &ConeSettings,
) -> Result<(), ConeError> {
    error::check(problem, settings)?;
    let m = problem.free.len();
    let usable =
        solution.forces.len() == m && solution.forces.iter().all(|r| r.iter().all(|c| c.is_finite()));
    if !(settings.warm_start && usable) {
        solution.forces.clear();
        solution.forces.resize(m, Vec3::zeros());
    }
    if settings.islands {
        islands::solve(problem, solution, workspace, settings);
    } else {
        solve_whole(problem, solution, workspace, settings);
    }
    Ok(())
}

/// Solves all contacts together from the forces in `solution`, which are as many; nothing is checked.
fn solve_whole(
    problem: &ConeProblem,
    solution: &mut ConeSolution,
    workspace: &mut ConeWorkspace,
    settings: &ConeSettings,
) {
    workspace.scales.prepare(problem);
    workspace.history.clear();
    workspace.history.reserve(settings.most_iterations.min(HISTORY));
    let mut run = Run::new(problem, solution, workspace, settings);
    run.look();
    match settings.method {
        ConeMethod::GaussSeidel | ConeMethod::Pyramid(_) => run.sweeps(usize::MAX),
        ConeMethod::Newton => run.newton(),
        ConeMethod::ConjugateSweeps => run.conjugate_sweeps(),
        ConeMethod::FixedPoint => run.fixed_point(),
        ConeMethod::Bipotential => run.bipotential(),
    }
    run.finish();
}

/// One solve: the iterate, the best so far, and what it may still cost.
struct Run<'a> {
    problem: &'a ConeProblem<'a>,
    settings: &'a ConeSettings,
    solution: &'a mut ConeSolution,
    scales: &'a Scales,
    best: &'a mut Vec<Vec3>,
    halfway: &'a mut Vec<Vec3>,
    newton: &'a mut Newton,
    conjugate: &'a mut Conjugate,
    projection: &'a mut Projection,
    shape: Shape,
    history: &'a mut Vec<f64>,
    /// Of the best iterate, in units of force and relative.
    best_force: f64,
    best_residual: f64,
    /// Why nothing more is done.
    stopped: Option<ConeStatus>,
    /// Sweeps in a row in which a contact had no solution given the others.
    unsolved: usize,
}

impl<'a> Run<'a> {
    fn new(
        problem: &'a ConeProblem<'a>,
        solution: &'a mut ConeSolution,
        workspace: &'a mut ConeWorkspace,
        settings: &'a ConeSettings,
    ) -> Self {
        let ConeWorkspace { scales, best, halfway, newton, conjugate, projection, history, .. } = workspace;
        solution.iterations = 0;
        solution.newton_steps = 0;
        solution.motion.clear();
        solution.motion.resize(problem.free.len(), Vec3::zeros());
        best.clear();
        best.extend_from_slice(&solution.forces);
        halfway.clear();
        halfway.extend_from_slice(&solution.forces);
        Self {
            problem,
            settings,
            solution,
            scales,
            best,
            halfway,
            newton,
            conjugate,
            projection,
            shape: match settings.method {
                ConeMethod::Pyramid(facets) => Shape::Pyramid(facets),
                _ => Shape::Cone,
            },
            history,
            best_force: f64::INFINITY,
            best_residual: f64::INFINITY,
            stopped: None,
            unsolved: 0,
        }
    }

    /// The largest defect of the iterate, whose motion is known; no number where one is none.
    fn residual(&self) -> f64 {
        let each = self.solution.forces.iter().zip(&self.solution.motion).enumerate().map(|(k, (r, u))| {
            let trial = r - u / self.scales.compliance[k];
            (r - self.shape.admissible(&trial, self.problem.friction[k])).norm()
        });
        each.fold(0.0, larger)
    }

    /// Motion and residual of the iterate: kept if it is the best, and the end if it is good enough.
    fn look(&mut self) -> f64 {
        motion_of(self.problem, &self.solution.forces, &mut self.solution.motion);
        let residual = self.residual();
        let forces = &self.solution.forces;
        let (scale, round_off) = self.scales.of(forces);
        let relative = if residual == 0.0 { 0.0 } else { residual / scale };
        // By the residual as it is, and not by a hair: larger forces that change nothing are no better.
        if residual < 0.999 * self.best_force {
            (self.best_force, self.best_residual) = (residual, relative);
            self.best.copy_from_slice(forces);
        }
        if relative <= self.settings.tolerance || residual <= round_off {
            self.best.copy_from_slice(forces);
            self.stopped = Some(ConeStatus::Converged);
        }
        relative
    }

    /// Counts an iteration that left the iterate with this residual; false where it was the last.
    fn counted(&mut self, relative: f64) -> bool {
        self.solution.iterations += 1;
        if self.history.len() < self.settings.most_iterations.min(HISTORY) {
            self.history.push(relative);
        }
        if self.solution.iterations == self.settings.most_iterations / 2 {
            self.halfway.copy_from_slice(&self.solution.forces);
        }
        if self.stopped.is_none() {
            self.stopped = match budget::stop() {
                Some(Status::Cancelled) => Some(ConeStatus::Cancelled),
                Some(_) => Some(ConeStatus::OutOfTime),
                None if self.solution.iterations >= self.settings.most_iterations => {
                    Some(ConeStatus::IterationLimit)
                }
                None => None,
            };
        }
        self.stopped.is_none()
    }

    /// Back to the best iterate.
    fn recall(&mut self) {
        self.solution.forces.copy_from_slice(self.best);
    }

    /// Best forces, their motion and residual, and what they say.
    fn finish(&mut self) {
        let mut status = self.stopped.unwrap_or(ConeStatus::IterationLimit);
        if status == ConeStatus::IterationLimit && self.looks_hopeless() {
            status = ConeStatus::NoSolution;
        }
        self.recall();
        motion_of(self.problem, &self.solution.forces, &mut self.solution.motion);
        self.solution.residual = self.residual();
        self.solution.scale = self.scales.of(&self.solution.forces).0;
        self.solution.status = status;
    }

    /// Whether a contact cannot be solved, or forces grow for ever: along a direction that W does not feel and that does
    /// work against the free motion, while the residual stays.
    fn looks_hopeless(&mut self) -> bool {
        let forces = &self.solution.forces;
        let largest = forces.iter().map(Vec3::norm).fold(0.0, larger);
        if self.unsolved > 0 || largest > UNBOUNDED * self.scales.free {
            return true;
        }
        // Methods by products gather forces so slowly that growth says nothing.
        if matches!(self.settings.method, ConeMethod::FixedPoint | ConeMethod::Bipotential) {
            return false;
        }
        let growth = &mut *self.halfway;
        growth.iter_mut().zip(forces).for_each(|(h, r)| *h = r - *h);
        let size = growth.iter().map(Vec3::norm).fold(0.0, larger);
        let work: f64 = growth.iter().zip(self.problem.free).map(|(d, q)| d.dot(q)).sum();
        let felt = (0..growth.len())
            .map(|k| self.problem.delassus.row_times(k, growth).norm() / self.scales.compliance[k])
            .fold(0.0, larger);
        size > 0.3 * largest && work < 0.0 && felt < 1e-2 * size && self.best_force > 1e-2 * self.scales.free
    }
}

/// u = W r + q.
fn motion_of(problem: &ConeProblem, forces: &[Vec3], motion: &mut [Vec3]) {
    for (k, u) in motion.iter_mut().enumerate() {
        *u = problem.free[k] + problem.delassus.row_times(k, forces);
    }
}
