//! Segments or elements chosen for an accuracy that a cable asks for.

use flexline::rod::{AnyRod, Rod};
use flexline::solver::statics::{Settings, solve_adaptive};
use flexline::solver::{Problem, ProblemError, State, Status};

/// What was chosen for an accuracy.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// How far the centreline may be off, m.
    pub accuracy: f64,
    /// How far it is estimated to be off, m; `None` where no equilibrium was found.
    pub error: Option<f64>,
    /// By how much what the supports exert is estimated to be off, N and N m; `None` where nothing is known of it.
    pub support_error: Option<[f64; 2]>,
    /// Whether the estimate is within the accuracy.
    pub met: bool,
}

impl Chosen {
    /// Where no equilibrium was found.
    pub(crate) fn unknown(accuracy: f64) -> Self {
        Self { accuracy, error: None, support_error: None, met: false }
    }
}

/// Gives a problem as many segments or elements as an accuracy (m) asks for, where they are needed; `rod` makes one of their
/// ends. Returns the equilibrium as well: a solve begins there.
pub(crate) fn choose(
    accuracy: f64,
    problem: &mut Problem,
    rod: &dyn Fn(&[f64]) -> Option<AnyRod>,
    settings: &Settings,
) -> Result<(Chosen, State), ProblemError> {
    let length = problem.rod.length();
    let pose = |ends: &[f64]| {
        let rod = rod(ends).ok_or(ProblemError::NotFinite { what: "an element chosen for the accuracy" })?;
        Ok(Problem { rod, ..problem.clone() })
    };
    let found = solve_adaptive(&problem.rod.piece_ends(), accuracy / length, &pose, settings)?;
    *problem = found.problem;
    let error = Some(found.error * length).filter(|_| found.report.status == Status::Converged);
    let chosen = Chosen {
        accuracy,
        error: error.filter(|e| e.is_finite()),
        support_error: found.support_error,
        met: error.is_some() && found.met,
    };
    Ok((chosen, found.state))
}
