//! The rest shape of a rod: which natural strain makes a given shape an equilibrium.
//!
//! Held at its start and free at its end, what loads do beyond any place is known, so that the natural strain follows from its shape
//! without a search: ū = u − K⁻¹ Rᵀ m (F. Bertails-Descoubes, habilitation, 4.2). Chains, helices and clothoids do this with their own discrete
//! forces: the shape is then an equilibrium of the very rod that is solved for, to round-off; splines to their order. Whether it is a stable one is another question, which the
//! solve that follows answers.

use crate::rod::kernel::Loads;
use crate::rod::{AnyRod, Rod, State};
use crate::solver::network::NetworkReport;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::statics::{Settings, Workspace, solve};

/// Why there is no natural strain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InverseError {
    /// The end is held, or start and end are one: the forces there are not known.
    #[error(
        "the far end is held: what it bears is not known, and many natural shapes would do; free it, and give its force and \
         moment as a load at the end"
    )]
    Held,
    /// The start is not clamped.
    #[error("the start is not clamped: a rod that is free at its end needs its place and its frame there")]
    Loose,
    /// The shape is folded back on itself, or bent beyond measure.
    #[error(
        "the shape is folded back on itself, or bent beyond measure: no natural strain makes it an equilibrium"
    )]
    Folded,
    /// The problem itself.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// A rod that rests in a given shape, and the proof.
#[derive(Clone, Debug)]
pub struct NaturalRod {
    /// The problem with the rod that has the natural strain.
    pub problem: Problem,
    /// The equilibrium that a solve finds from the given shape.
    pub state: State,
    /// Its proof, with its stability.
    pub report: NetworkReport,
    /// How far the equilibrium is from the given shape at any place, m.
    pub moved: f64,
}

/// Finds the natural strain with which `state` is an equilibrium of `problem`, whatever natural strain its rod has; then solves forward from there.
pub fn natural_rod(problem: &Problem, state: &State) -> Result<NaturalRod, InverseError> {
    if problem.closed || problem.ends[1].held != [false; 3] || problem.ends[1].orientation.is_some() {
        return Err(InverseError::Held);
    }
    if !problem.ends[0].holds_position() || problem.ends[0].orientation.is_none() {
        return Err(InverseError::Loose);
    }
    problem.check()?;
    if !state.is_finite() || state.rod.coordinates.len() != problem.rod.coordinate_count() {
        return Err(ProblemError::Size.into());
    }
    let mut rod: AnyRod = problem.rod.clone();
    let loads = Loads { points: &problem.point_loads, distributed: &problem.distributed_loads };
    if !rod.take_natural(&state.rod, &problem.gravity, loads) {
        return Err(InverseError::Folded);
    }
    let problem = Problem { rod, ..problem.clone() };
    let mut found = state.clone();
    let report = solve(&problem, &mut found, &mut Workspace::new(&problem), &Settings::default())?;
    let rod = &problem.rod;
    let away = |s: &f64| (rod.station(&found.rod, *s).position - rod.station(&state.rod, *s).position).norm();
    let moved = rod.arcs().iter().map(away).fold(0.0, f64::max);
    Ok(NaturalRod { problem, state: found, report, moved })
}
