//! Where no equilibrium is found in the segments that a chain has: more of them.
//!
//! A chain bends at its nodes alone. Where the bend of the cable is shorter than a segment, its forces balance only with
//! two segments folded onto each other. A chain that can bend there finds its way; the one in hand then takes its shape,
//! and Newton's method finishes. Where that leads back into a fold, it is at least known that more segments help, and how
//! many.

use super::Settings;
use super::cable::Workspace;
use crate::rod::AnyRod;
use crate::rod::State;
use crate::solver::budget;
use crate::solver::network::NetworkReport;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::report::Status;

/// How many times as many segments are tried.
const FINER: [usize; 2] = [4, 16];
/// Most segments that are tried.
const MOST: usize = 800;

impl Workspace {
    /// Looks for the equilibrium of a chain by way of one with more segments. Where there is one in more segments alone,
    /// says in how many; the report is then that of the chain in hand.
    pub(super) fn by_finer_chain(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<Option<(NetworkReport, usize)>, ProblemError> {
        let AnyRod::Mixed(chain) = &problem.rod else { return Ok(None) };
        for factor in FINER.into_iter().filter(|factor| factor * chain.segments() <= MOST) {
            if budget::stop().is_some() {
                break;
            }
            let Some(rod) = chain.divided(factor) else { break };
            let finer = Problem { rod: rod.into(), ..problem.clone() };
            let start = State { rod: finer.rod.shaped_as(&problem.rod, &state.rod), ..state.clone() };
            let mut own = Self::new(&finer);
            let report = own.seek(&finer, &start, settings)?;
            self.go_on_from(&own);
            if report.status != Status::Converged {
                continue;
            }
            let mut found = own.cable().clone();
            found.rod = problem.rod.shaped_as(&finer.rod, &found.rod);
            found.ends = problem.ends;
            let report = self.settle_from(problem, &found, &settings.patient())?;
            return Ok(Some((report, factor * chain.segments())));
        }
        Ok(None)
    }
}
