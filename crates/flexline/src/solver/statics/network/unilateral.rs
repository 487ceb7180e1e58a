//! Strings: constraints that pull and never push.
//!
//! A string is either taut, and then a distance, or slack, and then nothing. Which one is found by
//! trying: a taut string that would have to push is let go, a slack one that is overstretched is
//! drawn taut, until all agree.

use super::constraint::Constraint;
use super::model::{Network, NetworkError};
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, Settings, solve_bilateral};
use crate::solver::report::Status;

/// Changes of mind before giving up.
const TRIES: usize = 60;
/// Overstretch that counts, relative to the length of the string.
const STRETCH: f64 = 1e-10;

/// Solves with strings taut or slack as they must be.
pub(super) fn solve(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let start = state.clone();
    // Rows come in the order of the constraints; a string has one.
    let first_row: Vec<usize> = network
        .constraints
        .iter()
        .scan(0, |next, c| {
            let row = *next;
            *next += c.rows();
            Some(row)
        })
        .collect();
    let is_string = |k: usize| matches!(network.constraints[k], Constraint::String { .. });
    let mut taut: Vec<bool> = (0..network.constraints.len())
        .map(|k| !is_string(k) || start.multipliers[first_row[k]] < 0.0)
        .collect();
    let mut inner = network.clone();
    let mut last = None;
    for _ in 0..TRIES {
        let used: Vec<usize> = (0..taut.len()).filter(|k| taut[*k]).collect();
        inner.constraints = used.iter().map(|&k| network.constraints[k]).collect();
        let rows = |all: &[f64]| -> Vec<f64> {
            used.iter()
                .flat_map(|&k| {
                    all[first_row[k]..first_row[k] + network.constraints[k].rows()].iter().copied()
                })
                .collect()
        };
        let full = state.multipliers.clone();
        state.multipliers = rows(&full);
        ws.adopt(&inner, &vec![false; inner.slides.len()]);
        let result = solve_bilateral(&inner, state, ws, settings);
        // Back to all rows, slack ones without force.
        let mut all = vec![0.0; full.len()];
        let mut found = state.multipliers.iter();
        for &k in &used {
            for row in &mut all[first_row[k]..first_row[k] + network.constraints[k].rows()] {
                *row = found.next().copied().unwrap_or(0.0);
            }
        }
        state.multipliers = all;
        let mut report = result?;
        report.multipliers.clone_from(&state.multipliers);
        if report.status != Status::Converged {
            ws.adopt(network, &vec![false; network.slides.len()]);
            *state = start;
            return Ok(report);
        }
        let mut changed = false;
        let mut values = Vec::new();
        for k in (0..taut.len()).filter(|k| is_string(*k)) {
            let Constraint::String { length, .. } = network.constraints[k] else { continue };
            values.clear();
            network.constraints[k].evaluate(&state.anchors, &mut values);
            let pushes = taut[k] && state.multipliers[first_row[k]] > 0.0;
            let stretched = !taut[k] && values[0].value > STRETCH * length;
            if pushes || stretched {
                taut[k] = stretched;
                changed = true;
            }
        }
        if !changed {
            ws.adopt(network, &vec![false; network.slides.len()]);
            return Ok(report);
        }
        last = Some(report);
    }
    ws.adopt(network, &vec![false; network.slides.len()]);
    *state = start;
    let Some(report) = last else { return solve_bilateral(network, state, ws, settings) };
    Ok(NetworkReport { status: Status::IterationLimit, ..report })
}
