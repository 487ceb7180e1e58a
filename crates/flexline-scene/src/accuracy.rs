//! Elements chosen for an accuracy that a cable asks for.

use crate::model::Cable;
use flexline::Vec3;
use flexline::rod::AnyRod;
use flexline::rod::curvature::CurvatureRod;
use flexline::section::SectionProfile;
use flexline::solver::statics::{Settings, solve_adaptive};
use flexline::solver::{Problem, ProblemError, State, Status};

/// Elements that a choice begins with.
pub(crate) const FIRST_ELEMENTS: usize = 4;

/// What was chosen for an accuracy.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// How far the centreline may be off, m.
    pub accuracy: f64,
    /// How far it is estimated to be off, m; `None` where no equilibrium was found.
    pub error: Option<f64>,
    /// Whether that is within the accuracy.
    pub met: bool,
    /// The equilibrium it was estimated for: a solve begins there.
    pub(crate) state: State,
}

/// Gives a problem as many elements as the accuracy of its cable asks for, where they are needed; `None` where the cable
/// asks for none, or has no elements.
pub(crate) fn choose(
    cable: &Cable,
    problem: &mut Problem,
    section: &SectionProfile,
    rest: &dyn Fn(f64) -> Vec3,
    settings: &Settings,
) -> Result<Option<Chosen>, ProblemError> {
    let (Some(accuracy), AnyRod::Curvature(rod)) = (cable.accuracy, &problem.rod) else { return Ok(None) };
    let (basis, ends) = (rod.basis(), rod.element_ends());
    let pose = |ends: &[f64]| {
        let rod = CurvatureRod::with_elements(basis, ends, section, rest);
        let rod = rod.map_err(|_| ProblemError::NotFinite { what: "an element chosen for the accuracy" })?;
        Ok(Problem { rod: rod.into(), ..problem.clone() })
    };
    let found = solve_adaptive(&ends, accuracy / cable.length, &pose, settings)?;
    *problem = found.problem;
    let solved = found.report.status == Status::Converged;
    let error = solved.then_some(found.error * cable.length);
    Ok(Some(Chosen { accuracy, error, met: solved && found.met, state: found.state }))
}
