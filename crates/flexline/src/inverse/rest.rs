//! The rest shape of a rod: which natural strain makes a given shape an equilibrium.
//!
//! Held at its start and free at its end, what loads do beyond any place is known, so that the natural strain follows from its shape
//! without a search: ū = u − K⁻¹ Rᵀ m (F. Bertails-Descoubes, habilitation, 4.2). Chains, helices and clothoids do this with their own discrete
//! forces: the shape is then an equilibrium of the very rod that is solved for, to round-off; splines to their order. Whether it is a stable one is another question, which the
//! solve that follows answers.
//!
//! Where the far end is held too, what it bears may be anything: every force and moment there has a natural strain of its own. Since ū is
//! linear in them, those with the straightest natural shape, the least ∫ ū·Kū ds, are six numbers of a linear least squares.

use crate::algebra::Vec3;
use crate::body::{Axes, PointLoad, Wrench};
use crate::rod::kernel::Loads;
use crate::rod::{AnyRod, Rod, State, Station};
use crate::solver::network::NetworkReport;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::statics::{Settings, Workspace, solve};
use nalgebra::{DMatrix, DVector};

/// Why there is no natural strain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InverseError {
    /// Start and end are one: the forces there are not known.
    #[error("a ring: what passes through its seam is not known; cut it, and clamp both ends")]
    Ring,
    /// The start is not clamped.
    #[error(
        "the start is not clamped: it needs its place and its frame there; clamp it, or turn the rod round"
    )]
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
    /// Where the far end is held, what its support was chosen to exert there, in the world: that of the straightest natural shape.
    pub chosen: Option<Wrench>,
}

/// Finds the natural strain with which `state` is an equilibrium of `problem`, whatever natural strain its rod has; then solves forward from there.
pub fn natural_rod(problem: &Problem, state: &State) -> Result<NaturalRod, InverseError> {
    let (problem, chosen) = with_natural(problem, state)?;
    let mut found = state.clone();
    if let Some(wrench) = &chosen {
        (found.end_force, found.end_moment) = (wrench.force, wrench.moment);
    }
    let report = solve(&problem, &mut found, &mut Workspace::new(&problem), &Settings::default())?;
    let moved = distance(&problem.rod, &found, state);
    Ok(NaturalRod { problem, state: found, report, moved, chosen })
}

/// The largest distance between two states of a rod at the places where it is drawn, m.
pub fn distance(rod: &AnyRod, a: &State, b: &State) -> f64 {
    let away = |s: &f64| (rod.station(&a.rod, *s).position - rod.station(&b.rod, *s).position).norm();
    // What is no number is the largest.
    rod.arcs().iter().map(away).fold(0.0, crate::algebra::larger)
}

/// The same without a solve: the problem with the natural strain, and what the support of a held end was chosen to exert.
pub fn with_natural(problem: &Problem, state: &State) -> Result<(Problem, Option<Wrench>), InverseError> {
    if problem.closed {
        return Err(InverseError::Ring);
    }
    if !problem.ends[0].holds_position() || problem.ends[0].orientation.is_none() {
        return Err(InverseError::Loose);
    }
    problem.check()?;
    if !state.is_finite() || state.rod.coordinates.len() != problem.rod.coordinate_count() {
        return Err(ProblemError::Size.into());
    }
    let open = unknown_wrenches(problem);
    if open.is_empty() {
        let rod = natural_under(problem, state, None)?;
        return Ok((Problem { rod, ..problem.clone() }, None));
    }
    let none = natural_under(problem, state, None)?;
    let places = middles(&none);
    let own = strains(&none, &places);
    let mut columns = Vec::with_capacity(open.len());
    for wrench in &open {
        let rod = natural_under(problem, state, Some(wrench))?;
        columns.push(strains(&rod, &places).iter().zip(&own).map(|(a, b)| a - b).collect::<Vec<Vec3>>());
    }
    // Rows √(K ds) ū: their squares add up to the energy of making the natural shape straight.
    let weights = weights(problem, &places);
    let row = |all: &[Vec3], i: usize| all[i / 3][i % 3] * weights[i / 3][i % 3];
    let matrix = DMatrix::from_fn(3 * places.len(), open.len(), |i, k| row(&columns[k], i));
    let right = DVector::from_fn(3 * places.len(), |i, _| -row(&own, i));
    let shares = matrix.svd(true, true).solve(&right, 1e-12).map_err(|_| InverseError::Folded)?;
    let mut wrench = Wrench::default();
    for (share, own) in shares.iter().zip(&open) {
        wrench.force += own.force * *share;
        wrench.moment += own.moment * *share;
    }
    let rod = natural_under(problem, state, Some(&wrench))?;
    Ok((Problem { rod, ..problem.clone() }, Some(wrench)))
}

/// Forces and moments that the support of the far end may exert, each as large as bends the rod noticeably.
fn unknown_wrenches(problem: &Problem) -> Vec<Wrench> {
    let (length, stiffness) = (problem.rod.length(), problem.rod.first_stiffness().max());
    let unit = |axis: usize, size: f64| Vec3::from_fn(|i, _| if i == axis { size } else { 0.0 });
    let end = &problem.ends[1];
    let forces = (0..3).filter(|axis| end.held[*axis]);
    let mut out: Vec<Wrench> = forces
        .map(|axis| Wrench { force: unit(axis, stiffness / length.powi(2)), moment: Vec3::zeros() })
        .collect();
    if end.orientation.is_some() {
        out.extend(
            (0..3).map(|axis| Wrench { force: Vec3::zeros(), moment: unit(axis, stiffness / length) }),
        );
    }
    out
}

/// The rod with the natural strain of a state, with a force and a moment at its end besides the loads.
fn natural_under(problem: &Problem, state: &State, wrench: Option<&Wrench>) -> Result<AnyRod, InverseError> {
    let mut points = problem.point_loads.clone();
    if let Some(own) = wrench {
        let s = problem.rod.length();
        points.push(PointLoad { s, force: own.force, moment: own.moment, axes: Axes::World });
    }
    let mut rod = problem.rod.clone();
    let loads = Loads { points: &points, distributed: &problem.distributed_loads };
    match rod.take_natural(&state.rod, &problem.gravity, loads) {
        true => Ok(rod),
        false => Err(InverseError::Folded),
    }
}

/// The middles of the pieces of a rod.
fn middles(rod: &AnyRod) -> Vec<f64> {
    rod.piece_ends().windows(2).map(|w| 0.5 * (w[0] + w[1])).collect()
}

/// The natural strain of a rod at places, 1/m.
pub fn strains(rod: &AnyRod, places: &[f64]) -> Vec<Vec3> {
    let start = Station { position: Vec3::zeros(), frame: crate::algebra::rotation::identity() };
    let rest = rod.rest_state(&start);
    places.iter().map(|s| rod.strain(&rest, *s)).collect()
}

/// Square roots of stiffness times length at the middles of pieces. The stiffness is that of the beginning: along a rod that is not uniform
/// what is least is a little different, and the equilibrium the same.
fn weights(problem: &Problem, places: &[f64]) -> Vec<Vec3> {
    let (ends, stiffness) = (problem.rod.piece_ends(), problem.rod.first_stiffness());
    let piece = |k: usize| (stiffness * (ends[k + 1] - ends[k])).map(f64::sqrt);
    (0..places.len()).map(piece).collect()
}
