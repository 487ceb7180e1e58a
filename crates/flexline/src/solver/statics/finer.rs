//! Where no equilibrium is found in the segments or elements that a rod has: more of them.
//!
//! A chain bends at its nodes alone. Where the bend of the cable is shorter than a segment, its forces balance only with
//! two segments folded onto each other. Elements cannot bend more sharply than they are long: near its full stretch a rod
//! of few elements may not reach the place and direction of its far end at all. A rod that can bend there finds its way;
//! the one in hand then takes its shape, and Newton's method finishes. Where that leads nowhere, it is at least known that
//! more segments or elements help, and how many.

use super::Settings;
use super::cable::Workspace;
use crate::rod::{AnyRod, State};
use crate::solver::network::NetworkReport;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::report::Status;

/// How many times as many segments of a chain are tried.
const FINER: [usize; 2] = [4, 16];
/// How many times as many elements are tried: one of these, since what is found in many of them is found quickly.
const FINER_ELEMENTS: [usize; 3] = [8, 4, 2];
/// Most segments or elements that are tried.
const MOST: usize = 800;

/// The same rod in more segments or elements, coarsest first.
fn finer(rod: &AnyRod) -> impl Iterator<Item = AnyRod> + '_ {
    let (factors, tries) = if rod.as_mixed().is_some() { (&FINER[..], 2) } else { (&FINER_ELEMENTS[..], 1) };
    let count = rod.pieces().0;
    factors
        .iter()
        .filter(move |factor| *factor * count <= MOST)
        .filter_map(|factor| rod.divided(*factor))
        .take(tries)
}

impl Workspace {
    /// Looks for the equilibrium of a rod by way of one with more segments or elements. Where there is one in more of them
    /// alone, says in how many; the report is then that of the rod in hand.
    pub(super) fn by_finer_rod(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<Option<(NetworkReport, usize)>, ProblemError> {
        for rod in finer(&problem.rod) {
            if self.is_spent() {
                break;
            }
            let count = rod.pieces().0;
            let finer = Problem { rod, ..problem.clone() };
            let start = State { rod: finer.rod.shaped_as(&problem.rod, &state.rod), ..state.clone() };
            let mut own = Self::new(&finer);
            own.share_budget(self);
            let report = own.seek(&finer, &start, settings)?;
            self.go_on_from(&own);
            if report.status != Status::Converged {
                continue;
            }
            let mut found = own.cable().clone();
            found.rod = problem.rod.shaped_as(&finer.rod, &found.rod);
            found.ends = problem.ends;
            let report = self.settle_from(problem, &found, &settings.patient())?;
            return Ok(Some((report, count)));
        }
        Ok(None)
    }
}
