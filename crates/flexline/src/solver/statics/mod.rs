//! Statics: the equilibrium of a rod between its ends, with its proof.
//!
//! One rod is a network of one span: [`solve`] makes it one, moves the last state to where its ends are now and has the
//! network solved; where that fails, in steps from the last good state. `../README.md` states the mathematics.

mod adaptive;
mod cable;
mod coarser;
mod continuation;
mod energies;
mod equilibrium;
mod finer;
mod integral;
mod nearest;

pub use crate::solver::settings::{IntegralSettings, Method, Settings};
pub use crate::solver::start::initial_state;
pub use adaptive::{
    Adapted, MOST_ELEMENTS, MOST_SEGMENTS, RICHARDSON, best_shrinkage, distance, solve_adaptive, solve_placed,
};
pub use cable::Workspace;
pub use energies::energies_at_rest;
pub use equilibrium::{Scratch, equilibrium, equilibrium_fed, settle};
pub use integral::{IntegralRun, integral_forces};
pub use nearest::nearest_state;

use crate::body::Profile;
use crate::rod::State;
use crate::solver::network::NetworkReport;
use crate::solver::problem::{Problem, ProblemError};

/// Brings `state` into equilibrium with `problem`.
///
/// `state` is where the rod was; its ends may differ from those of the problem, and full turns of
/// `End::twist` are carried over. On any status but [`Status::Converged`](crate::solver::Status::Converged) the state is the last
/// good one, with the ends it belongs to. The report is that of the network that the rod is: what its start and its end exert is
/// [`NetworkReport::support`] 0 and 1. Who gives it back ([`Workspace::reuse`]) has the next without allocating.
pub fn solve(
    problem: &Problem,
    state: &mut State,
    ws: &mut Workspace,
    settings: &Settings,
) -> Result<NetworkReport, ProblemError> {
    settings.check()?;
    if !state.is_finite() {
        return Err(ProblemError::NotFinite { what: "the state" });
    }
    ws.solve(problem, state, settings)
}

/// Whether problem and state are what a solve would take.
fn is_posed(problem: &Problem, state: &State) -> bool {
    state.is_finite() && matches!(problem.check(), Ok(()) | Err(ProblemError::TooShort { .. }))
}

/// Lays the rod of `problem` between its ends and solves: the one-call form.
pub fn solve_from_scratch(
    problem: &Problem,
    settings: &Settings,
) -> Result<(State, NetworkReport), ProblemError> {
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
