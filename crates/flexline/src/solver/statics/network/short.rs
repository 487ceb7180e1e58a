//! When the ends cannot be reached: which spans are too short, and by how much.
//!
//! The far end of every span is let go by a compliance c: gap = −c φ. The equilibrium of that
//! network always exists and shares what is missing out with the least sum of squares; as c shrinks
//! the spans straighten and the gaps become the missing lengths. What is reported is the least
//! change of lengths that makes the network possible.

use super::model::{Network, NetworkError};
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, Settings, solve_frictionless};
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

/// Gaps below this share of the span's length are not worth a word.
const NOTICEABLE: f64 = 1e-6;
/// Compliances tried, relative to L³/K: from soft to nearly rigid.
const COMPLIANCES: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// Solves with yielding ends from `before`. `None` when nothing turns out too short; otherwise
/// `state` is the nearest state, with its gaps, and the report names them.
pub(super) fn diagnose(
    network: &Network,
    state: &mut NetworkState,
    before: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Option<NetworkReport>, NetworkError> {
    let mut trial = before.clone();
    let mut reached: Option<(NetworkReport, NetworkState)> = None;
    let (mut last, mut now) = (vec![f64::INFINITY; ws.spans.len()], vec![f64::INFINITY; ws.spans.len()]);
    for compliance in COMPLIANCES {
        for (k, span) in ws.spans.iter_mut().enumerate() {
            let rod = &span.problem.rod;
            let stiffer = compliance * rod.length().powi(3) / span.system.stiffness;
            // The gaps stay about as they are: the forces grow as the compliance shrinks.
            if span.yielding > 0.0 {
                trial.spans[k].end_force *= span.yielding / stiffer;
            }
            span.yielding = stiffer;
        }
        let report = solve_frictionless(network, &mut trial, ws, settings)?;
        if report.status != Status::Converged {
            break;
        }
        last.copy_from_slice(&now);
        for (gap, span) in now.iter_mut().zip(&ws.spans) {
            *gap = span.system.gap.norm();
        }
        reached = Some((report, trial.clone()));
    }
    for span in &mut ws.spans {
        span.yielding = 0.0;
    }
    let Some((report, nearest)) = reached else { return Ok(None) };
    // The gap of a slack span shrinks with the compliance; a missing length stays.
    let short: Vec<Short> = (0..ws.spans.len())
        .map(|span| Short { span, missing: now[span] })
        .filter(|s| {
            s.missing > NOTICEABLE * network.spans[s.span].rod.length() && s.missing > 0.5 * last[s.span]
        })
        .collect();
    if short.is_empty() {
        return Ok(None);
    }
    *state = nearest;
    Ok(Some(NetworkReport { status: Status::TooShort, short, ..report }))
}
