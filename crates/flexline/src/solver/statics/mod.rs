//! Statics: the equilibrium of a rod between its ends, with its proof.
//!
//! One rod is a network of one span: [`solve`] makes it one, moves the last state to where its ends are now and has the
//! network solved; where that fails, in steps from the last good state. `../README.md` states the mathematics.

mod adaptive;
mod cable;
mod continuation;
mod finer;
mod integral;
mod nearest;
pub mod network;
mod predict;
mod stability;
mod start;

pub use adaptive::{
    Adapted, MOST_ELEMENTS, MOST_SEGMENTS, RICHARDSON, best_shrinkage, distance, solve_adaptive, solve_placed,
};
pub use cable::Workspace;
pub use integral::{IntegralRun, IntegralSettings, integral_forces};
pub use nearest::nearest_state;
pub use start::initial_state;

use crate::body::Profile;
use crate::rod::State;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::report::{Report, Status};
use serde::{Deserialize, Serialize};

/// How an equilibrium is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Newton's method on the exact saddle-point system, with fallbacks.
    #[default]
    Newton,
    /// The dissertation's springs and integral forces, minimised by its cascade.
    IntegralForces(IntegralSettings),
}

/// What to solve to, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How the equilibrium is found.
    pub method: Method,
    /// Largest unbalanced force allowed, as a share of the largest force present. Default 1e-9;
    /// round-off of the arithmetic is always allowed.
    pub force_tolerance: f64,
    /// Largest distance of a held end from its place, as a share of the length. Default 1e-11.
    pub position_tolerance: f64,
    /// Newton iterations before an attempt is given up. Default 60; more helps only cold starts
    /// far from equilibrium.
    pub max_iterations: usize,
    /// Compute the smallest eigenvalue of the second variation. Default true; costs as much as some
    /// sixty-five factorisations, and the next warm start has to do without the tangent predictor.
    pub stability: bool,
    /// When the equilibrium found is unstable, leave it along its softest direction for the
    /// nearest stable one. Default false; a cold start that needed its fallbacks always does, since
    /// its way there was no path that anybody chose.
    pub seek_stable: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Newton,
            force_tolerance: 1e-9,
            position_tolerance: 1e-11,
            max_iterations: 60,
            stability: true,
            seek_stable: false,
        }
    }
}

impl Settings {
    /// Refuses what no solve can keep: a tolerance that anything meets or nothing, no iterations at all.
    pub fn check(&self) -> Result<(), ProblemError> {
        let integral = match self.method {
            Method::Newton => IntegralSettings::default(),
            Method::IntegralForces(own) => own,
        };
        let share = "a share, 0 or more and below 1";
        let positive = "a finite number above 0";
        let within = |value: f64| (0.0..1.0).contains(&value);
        let above = |value: f64| value > 0.0 && value.is_finite();
        let all = [
            ("force_tolerance", self.force_tolerance, within(self.force_tolerance), share),
            ("position_tolerance", self.position_tolerance, within(self.position_tolerance), share),
            ("max_iterations", self.max_iterations as f64, self.max_iterations > 0, "1 or more"),
            ("alpha", integral.alpha, above(integral.alpha), positive),
            ("stiffness", integral.stiffness, above(integral.stiffness), positive),
            ("tolerance", integral.tolerance, within(integral.tolerance), share),
            ("max_iterations", integral.max_iterations as f64, integral.max_iterations > 0, "1 or more"),
        ];
        match all.into_iter().find(|(.., good, _)| !good) {
            Some((what, value, _, expected)) => Err(ProblemError::Setting { what, value, expected }),
            None => Ok(()),
        }
    }

    /// The same for who comes from afar: four times as many iterations.
    pub(super) fn patient(&self) -> Self {
        Self { max_iterations: 4 * self.max_iterations, ..*self }
    }

    /// For interactive increments: no stability analysis, and ends where they belong to 1e-10 of the
    /// length, which whole steps reach as soon as forces are balanced.
    pub fn interactive() -> Self {
        Self { stability: false, position_tolerance: 1e-10, ..Self::default() }
    }
}

/// Brings `state` into equilibrium with `problem`.
///
/// `state` is where the rod was; its ends may differ from those of the problem, and full turns of
/// `End::twist` are carried over. On any status but [`Status::Converged`] the state is the last
/// good one, with the ends it belongs to.
pub fn solve(
    problem: &Problem,
    state: &mut State,
    ws: &mut Workspace,
    settings: &Settings,
) -> Result<Report, ProblemError> {
    settings.check()?;
    if !state.is_finite() {
        return Err(ProblemError::NotFinite { what: "the state" });
    }
    let mut report = ws.solve(problem, state, settings)?;
    // The last door: whatever else went wrong, no number is missing from a proof.
    if report.status == Status::Converged && !report.is_finite() {
        report.status = Status::NumericalFailure;
    }
    Ok(report)
}

/// Whether problem and state are what a solve would take.
fn is_posed(problem: &Problem, state: &State) -> bool {
    state.is_finite() && matches!(problem.check(), Ok(()) | Err(ProblemError::TooShort { .. }))
}

/// Lays the rod of `problem` between its ends and solves: the one-call form.
pub fn solve_from_scratch(problem: &Problem, settings: &Settings) -> Result<(State, Report), ProblemError> {
    let mut state = initial_state(problem);
    let mut ws = Workspace::new(problem);
    let report = solve(problem, &mut state, &mut ws, settings)?;
    Ok((state, report))
}

/// Number of directions in which an equilibrium releases energy; `None` when the matrix is
/// singular to working precision. Costs one factorisation: thresholds are found with it.
pub fn negative_directions(problem: &Problem, state: &State, ws: &mut Workspace) -> Option<usize> {
    ws.negative_directions(problem, state)
}

/// The lowest `count` natural frequencies (rad/s) of small vibrations about an equilibrium. Multiple
/// modes are listed as often as they occur; directions that cost nothing are left out.
pub fn frequencies(problem: &Problem, state: &State, ws: &mut Workspace, count: usize) -> Vec<f64> {
    ws.frequencies(problem, state, count)
}

/// The solution along the arc length; empty when `state` belongs to a rod of another size, or a solve would refuse either.
pub fn profile(problem: &Problem, state: &State) -> Profile {
    Workspace::new(problem).profile(problem, state)
}
