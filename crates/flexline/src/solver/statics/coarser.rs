//! Coarse to fine: a shape that was only laid is first brought into equilibrium in few segments.
//!
//! Far from an equilibrium Newton's method takes as many steps in few segments as in many, and each costs in proportion. So
//! the way is gone in few, and the rod in hand begins where that leads, with the forces found there. Where it leads nowhere
//! nothing is lost but a tenth.

use super::Settings;
use super::cable::Workspace;
use super::continuation::is_limp;
use crate::algebra::Vec3;
use crate::body::End;
use crate::rod::mixed::MixedRod;
use crate::rod::{Rod, State};
use crate::solver::network::NetworkReport;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::report::Status;

/// Segments of the coarse rod, and of one for which it is worth it.
const COARSE: usize = 10;
const FINE: usize = 40;
/// A quarter of the Newton iterations for the coarse rod, and for the rod in hand from there.
const EFFORT: usize = 8;
/// What a segment of the coarse rod may turn at most by its rest shape and by the twist of the ends, rad.
const MOST_TURN: f64 = 1.0;
/// Least slack, as a share of the length: a taut rod in few segments may not reach its ends.
const LEAST_SLACK: f64 = 0.01;

impl Workspace {
    /// From a state without forces, placed at the ends of `problem`: the equilibrium that the same rod has in few segments,
    /// then that of the rod in hand near it. `None`, and the rod where it was, where that is not to be had.
    pub(super) fn by_coarse_rod(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<Option<NetworkReport>, ProblemError> {
        let Some(rod) = problem.rod.as_mixed().filter(|rod| is_laid(state) && suits(rod, problem)) else {
            return Ok(None);
        };
        let Some(rod) = rod.in_segments(COARSE) else { return Ok(None) };
        let coarse = Problem {
            rod: rod.into(),
            gravity: problem.gravity,
            ends: problem.ends,
            closed: false,
            point_loads: problem.point_loads.clone(),
            distributed_loads: problem.distributed_loads.clone(),
            poles: Vec::new(),
        };
        let shaped = |to: &Problem, from: &Problem, own: &State| State {
            rod: to.rod.shaped_as(&from.rod, &own.rod),
            ends: problem.ends,
            ..own.clone()
        };
        let quick = Settings { max_iterations: settings.max_iterations.min(EFFORT), ..*settings };
        let mut own = Self::new(&coarse);
        own.share_budget(self);
        let report = own.settle_from(&coarse, &shaped(&coarse, problem, self.cable()), &quick)?;
        self.go_on_from(&own);
        if report.status == Status::Converged && report.negative == 0 {
            let found = self.settle_from(problem, &shaped(problem, &coarse, own.cable()), &quick)?;
            if found.status == Status::Converged {
                return Ok(Some(found));
            }
        }
        self.place(problem, state);
        Ok(None)
    }
}

/// Whether a state has a shape and nothing else.
fn is_laid(state: &State) -> bool {
    state.end_force == Vec3::zeros() && state.end_moment == Vec3::zeros()
}

/// Whether a rod in few segments says anything about this one.
fn suits(rod: &MixedRod, problem: &Problem) -> bool {
    let turns =
        rod.rest.iter().map(Vec3::norm).sum::<f64>() + (problem.ends[1].twist - problem.ends[0].twist).abs();
    let held = problem.ends.iter().all(End::holds_position);
    rod.segments() >= FINE
        && turns < MOST_TURN * COARSE as f64
        && !problem.closed
        && problem.poles.is_empty()
        && problem.slack().is_none_or(|slack| slack > LEAST_SLACK * rod.length())
        && (held || problem.ends.iter().any(|end| end.held == [false; 3] && end.orientation.is_none()))
        && !is_limp(problem)
}

#[cfg(test)]
mod tests {
    use super::super::{initial_state, solve};
    use super::*;
    use crate::algebra::rotation;
    use crate::body::Pose;
    use crate::rod::mixed::Mesh;
    use crate::section::{Section, SectionProfile};

    /// The way in few segments leads where Newton's method leads in all of them, with fewer factorisations of these.
    #[test]
    fn few_segments_lead_to_the_same_equilibrium() {
        let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).expect("a section");
        let mesh = Mesh::uniform(1.0, 100).expect("a mesh");
        let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
        let pose = |position: Vec3, tangent: Vec3| Pose {
            position,
            orientation: rotation::frame(&tangent, &Vec3::z()),
        };
        let start = End::clamped(pose(Vec3::zeros(), Vec3::x()));
        let turned = End { twist: 3.0, ..End::clamped(pose(Vec3::new(0.55, 0.25, 0.1), Vec3::y())) };
        let pinned = End::pinned(Vec3::new(0.6, 0.2, 0.3));
        for end in [turned, pinned, End::free()] {
            let problem =
                Problem { gravity: Vec3::new(0.0, 0.0, -9.81), ..Problem::new(rod.clone(), start, end) };
            let settings = Settings::default();
            let laid = initial_state(&problem);
            // With a force, however small, it is taken for a shape that was solved for.
            let mut known = laid.clone();
            known.end_moment.x = f64::MIN_POSITIVE;
            let mut ws = Workspace::new(&problem);
            ws.place(&problem, &laid);
            assert!(ws.by_coarse_rod(&problem, &laid, &settings).expect("sound").is_some());
            assert!(ws.by_coarse_rod(&problem, &known, &settings).expect("sound").is_none());
            let [coarse, plain] = [laid, known].map(|mut state| {
                let mut ws = Workspace::new(&problem);
                let report = solve(&problem, &mut state, &mut ws, &settings).expect("sound");
                assert_eq!(report.status, Status::Converged);
                state.rod
            });
            for s in [0.25, 0.5, 0.75, 1.0] {
                let [a, b] = [&coarse, &plain].map(|own| problem.rod.station(own, s).position);
                assert!((a - b).norm() < 1e-9, "{s}: {:e}", (a - b).norm());
            }
        }
    }
}
