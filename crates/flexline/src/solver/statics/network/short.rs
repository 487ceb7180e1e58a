//! When there is no equilibrium that keeps everything: which spans are too short and which
//! constraints contradict each other, and by how much.
//!
//! The far end of every span and every constraint is let go by a compliance c: gap = −c × force. The
//! equilibrium of that network always exists and shares what is missing out with the least sum of
//! squares; as c shrinks the spans straighten and the gaps become what is missing. What is reported
//! is the least change of lengths and constraints that makes the network possible.

use super::constraint::Constraint;
use super::model::{Network, NetworkError};
use super::newton::minimise;
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, Settings};
use crate::rod::Rod;
use crate::solver::report::Status;
use serde::{Deserialize, Serialize};

/// A span that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Short {
    /// Index of the span.
    pub span: usize,
    /// Missing length, m.
    pub missing: f64,
}

/// A constraint that others, or lengths, do not let be kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// Index of the constraint.
    pub constraint: usize,
    /// By how much it is missed at the nearest state, m, or rad where it asks for directions.
    pub by: f64,
}

/// Gaps below this share of the length, and below this angle, are not worth a word.
const NOTICEABLE: f64 = 1e-6;
/// Compliances tried, relative to L³/K: from soft to nearly rigid.
const SOFTEST: f64 = 1e-1;
const STIFFEST: f64 = 1e-11;
/// Steps of compliance: as large as the solver can follow, and never smaller than this.
const STEPS: [f64; 2] = [0.1, 0.6];

/// Solves with yielding ends and constraints from `before`, ever stiffer. What is missing then is
/// named, and `state` is the nearest state with its gaps; where nothing is, it may have been the way to
/// an equilibrium. `None` where it led nowhere.
pub(super) fn diagnose(
    network: &Network,
    state: &mut NetworkState,
    before: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Option<NetworkReport>, NetworkError> {
    let mut trial = before.clone();
    let mut reached: Option<(NetworkReport, NetworkState)> = None;
    let count = ws.spans.len() + ws.rows.len();
    // Gaps, and how they changed with the compliance: none for what is missing, one for what gives.
    let (mut now, mut rate) = (vec![f64::INFINITY; count], vec![1.0; count]);
    let angular: Vec<bool> =
        network.constraints.iter().flat_map(|c| std::iter::repeat_n(c.is_angular(), c.rows())).collect();
    let length = ws.longest();
    let (mut compliance, mut step) = (SOFTEST, STEPS[0]);
    let mut last = compliance;
    while compliance > 0.99 * STIFFEST {
        yield_by(network, &mut trial, ws, compliance, &angular);
        let report = minimise(network, &mut trial, ws, settings)?;
        if report.status != Status::Converged {
            let Some((_, nearest)) = &reached else { break };
            step = step.sqrt();
            if step > STEPS[1] {
                break;
            }
            trial = nearest.clone();
            yield_by(network, &mut nearest.clone(), ws, last, &angular);
            compliance = last * step;
            continue;
        }
        let missed = (0..ws.rows.len()).map(|k| ws.give[k] * trial.multipliers[k].abs());
        let gaps = ws.spans.iter().map(|s| s.kernel.gap().norm()).chain(missed);
        for ((gap, rate), missing) in now.iter_mut().zip(&mut rate).zip(gaps) {
            if gap.is_finite() {
                *rate = (*gap / missing.max(f64::MIN_POSITIVE)).ln() / (last / compliance).ln();
            }
            *gap = missing;
        }
        reached = Some((report, trial.clone()));
        last = compliance;
        compliance *= step;
    }
    for span in &mut ws.spans {
        span.yielding = 0.0;
    }
    ws.give.fill(0.0);
    let Some((report, nearest)) = reached else { return Ok(None) };
    // The gap of what could be kept shrinks with the compliance; what is missing stays.
    let stays = |k: usize, scale: f64| now[k] > NOTICEABLE * scale && rate[k] < 0.3;
    let short: Vec<Short> = (0..ws.spans.len())
        .filter(|&k| stays(k, network.spans[k].rod.length()))
        .map(|span| Short { span, missing: now[span] })
        .collect();
    let mut conflicts: Vec<Conflict> = Vec::new();
    let mut row = ws.spans.len();
    for (constraint, c) in network.constraints.iter().enumerate() {
        let scale = if c.is_angular() { 1.0 } else { length };
        let rows = row..row + c.rows();
        row += c.rows();
        if rows.clone().any(|k| stays(k, scale)) {
            let by = match c {
                // The row is (d² − r²)/2r: the distance itself is what a user can measure.
                Constraint::Distance { distance: r, .. } => {
                    let pulls = nearest.multipliers[rows.start - ws.spans.len()] < 0.0;
                    let value = if pulls { now[rows.start] } else { -now[rows.start] };
                    ((r * r + 2.0 * r * value).max(0.0).sqrt() - r).abs()
                }
                _ => rows.map(|k| now[k] * now[k]).sum::<f64>().sqrt(),
            };
            conflicts.push(Conflict { constraint, by });
        }
    }
    if short.is_empty() && conflicts.is_empty() {
        // Nothing is missing: the way there was hard, and this is most of it.
        let mut again = nearest;
        let report = minimise(network, &mut again, ws, settings)?;
        if report.status != Status::Converged {
            return Ok(None);
        }
        *state = again;
        return Ok(Some(report));
    }
    *state = nearest;
    let status = if conflicts.is_empty() { Status::TooShort } else { Status::Conflict };
    Ok(Some(NetworkReport { status, short, conflicts, ..report }))
}

/// Lets the ends of spans and all constraints give by `compliance`. The gaps of `trial` stay about as
/// they are: the forces grow as the compliance shrinks.
fn yield_by(
    network: &Network,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    compliance: f64,
    angular: &[bool],
) {
    for (k, span) in ws.spans.iter_mut().enumerate() {
        let length = network.spans[k].rod.length();
        let stiffer = compliance * length.powi(3) / span.stiffness();
        if span.yielding > 0.0 {
            trial.spans[k].end_force *= span.yielding / stiffer;
        }
        span.yielding = stiffer;
    }
    let length = ws.longest();
    let stiffer = compliance / ws.least_penalty();
    for (k, angular) in angular.iter().enumerate() {
        let stiffer = if *angular { stiffer / (length * length) } else { stiffer };
        if ws.give[k] > 0.0 {
            trial.multipliers[k] *= ws.give[k] / stiffer;
        }
        ws.give[k] = stiffer;
    }
}
