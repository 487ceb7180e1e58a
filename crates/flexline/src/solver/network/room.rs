//! Room that solves leave for the next, so that a prepared one allocates nothing.

use super::assemble::Residual;
use super::merit::Merit;
use super::{NetworkReport, NetworkState, NetworkWorkspace};

/// What is at hand to be filled again.
#[derive(Default)]
pub(in crate::solver) struct Room {
    states: Vec<NetworkState>,
    residuals: Vec<Residual>,
    merits: Vec<Merit>,
    reports: Vec<NetworkReport>,
    numbers: Vec<f64>,
}

impl NetworkWorkspace {
    /// A copy of `state`; [`NetworkWorkspace::leave`] it when it is done with.
    pub(in crate::solver) fn copy_of(&mut self, state: &NetworkState) -> NetworkState {
        let mut copy = self.spare.states.pop().unwrap_or_default();
        copy.copy_from(state);
        copy
    }

    /// Leaves a state for the next that needs one.
    pub(in crate::solver) fn leave(&mut self, state: NetworkState) {
        self.spare.states.push(state);
    }

    pub(in crate::solver) fn spare_residual(&mut self) -> Residual {
        self.spare.residuals.pop().unwrap_or_default()
    }

    /// Leaves a residual for the next evaluation.
    pub(in crate::solver) fn leave_residual(&mut self, residual: Residual) {
        self.spare.residuals.push(residual);
    }

    pub(in crate::solver) fn spare_merit(&mut self) -> Merit {
        self.spare.merits.pop().unwrap_or_default()
    }

    /// Leaves a merit for the next step.
    pub(in crate::solver) fn leave_merit(&mut self, merit: Merit) {
        self.spare.merits.push(merit);
    }

    /// So many zeros; [`NetworkWorkspace::leave_numbers`] when they are done with.
    pub(in crate::solver) fn zeros(&mut self, count: usize) -> Vec<f64> {
        let mut numbers = std::mem::take(&mut self.spare.numbers);
        numbers.clear();
        numbers.resize(count, 0.0);
        numbers
    }

    /// Leaves numbers for the next that needs some.
    pub(in crate::solver) fn leave_numbers(&mut self, numbers: Vec<f64>) {
        self.spare.numbers = numbers;
    }

    pub(in crate::solver) fn spare_report(&mut self) -> Option<NetworkReport> {
        self.spare.reports.pop()
    }

    /// Takes back a report that is done with: the next one is written into it, and a prepared solve allocates nothing.
    pub fn reuse(&mut self, report: NetworkReport) {
        self.spare.reports.push(report);
    }
}
