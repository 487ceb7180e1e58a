//! When there is no equilibrium that keeps everything: which spans are too short and which
//! constraints contradict each other, and by how much.
//!
//! The far end of every span and every constraint is let go ([`stiffen`]). The nearest state shares what
//! is missing out with the least sum of squares, over all that is taut. Of all changes of length that make
//! the network possible the one with the least sum is then sought: it falls on as few spans as can be, and
//! nobody is told to lengthen a cable in vain.

use super::model::{Network, NetworkError};
use super::newton::minimise;
use super::state::NetworkState;
use super::yielding::{
    Gaps, NOTICEABLE, Stiffened, Yielding, hold_fast, is_balanced, stiffen, stiffen_longer,
};
use super::{NetworkReport, NetworkWorkspace, Settings};
use crate::constraint::Constraint;
use crate::solver::report::Status;
use serde::{Deserialize, Serialize};

/// A span that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Short {
    /// Index of the span.
    pub span: usize,
    /// Missing length, m.
    pub missing: f64,
}

/// A constraint that others, or lengths, do not let be kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conflict {
    /// Index of the constraint.
    pub constraint: usize,
    /// By how much it is missed at the nearest state, m, or rad where it asks for directions.
    pub by: f64,
}

/// Solves with yielding ends and constraints from `before`, ever stiffer. What is missing then is
/// named, and `state` is the nearest state with its gaps; where nothing is, it may have been the way to
/// an equilibrium. `None` where it led nowhere.
pub(in crate::solver) fn diagnose(
    network: &Network,
    state: &mut NetworkState,
    before: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Option<NetworkReport>, NetworkError> {
    let yielding = Yielding::new(network, true, 0);
    let found = stiffen(network, before, ws, settings, &yielding)?;
    let Some(found) = found else {
        hold_fast(ws);
        return Ok(None);
    };
    let (mut short, mut conflicts) = named(&found.gaps, network, &found.state, NOTICEABLE[0]);
    if short.is_empty() && conflicts.is_empty() {
        hold_fast(ws);
        // Nothing is missing: the way there was hard, and this is most of it.
        let mut again = found.state.clone();
        let report = minimise(network, &mut again, ws, settings)?;
        if report.status == Status::Converged {
            *state = again;
            return Ok(Some(report));
        }
        (short, conflicts) = named(&found.gaps, network, &found.state, NOTICEABLE[1]);
        if short.is_empty() && conflicts.is_empty() {
            return Ok(None);
        }
    }
    let (mut report, mut nearest) = (found.report.clone(), found.state.clone());
    if short.len() > 1
        && let Some(fewer) = concentrate(network, before, &found, ws, settings, (&yielding, &short))?
    {
        (report, nearest, short) = fewer;
    }
    hold_fast(ws);
    *state = nearest;
    let status = if conflicts.is_empty() { Status::TooShort } else { Status::Conflict };
    Ok(Some(NetworkReport { status, short, conflicts, ..report }))
}

/// Rounds of reweighting.
const ROUNDS: usize = 8;
/// Shares that change by less have settled.
const SETTLED: f64 = 1e-3;
/// What gives less than this share of the most is held fast.
const FAST: f64 = 1e-4;
/// A span that gives less than the first share of the most and pulls less than the second share of the
/// hardest can be held fast, as long as it then gives less than the third.
const SPARED: [f64; 3] = [0.3, 0.97, 0.01];

/// By how much more of what is missing spans are lengthened to see whether that mends it.
const MORE: f64 = 0.05;

/// The least sum of lengths that mends what is missing, from the least sum of squares that was found: every compliance
/// follows the gap of its span (iteratively reweighted least squares; Daubechies et al., Comm. Pure Appl. Math. 63
/// (2010) 1–38). There, all spans that are to be lengthened pull equally hard and no other pulls harder. `None` where
/// that is not found, or does not mend it.
fn concentrate(
    network: &Network,
    before: &NetworkState,
    found: &Stiffened,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    (yielding, short): (&Yielding, &[Short]),
) -> Result<Option<(NetworkReport, NetworkState, Vec<Short>)>, NetworkError> {
    let spans: Vec<usize> = short.iter().map(|s| s.span).collect();
    let (start, mut softer) = found.soft(&spans);
    yielding.set_as(network, found, softer, ws);
    let mut state = start.clone();
    let mut reweigh = |state: &mut NetworkState, softer: f64, shares: &[f64]| {
        let before: f64 = pulls(ws, state, &spans).iter().map(|p| p.0).sum();
        yielding.set_as(network, found, softer, ws);
        let softest = spans.iter().map(|k| ws.spans[*k].end_compliance).fold(0.0, f64::max);
        spans
            .iter()
            .zip(shares)
            .for_each(|(k, share)| ws.spans[*k].end_compliance = softest * share.max(FAST));
        // What is missing in all stays about the same: forces go down where compliances go up.
        let after: f64 = pulls(ws, state, &spans).iter().map(|p| p.0).sum();
        state.scale_forces(before / after.max(f64::MIN_POSITIVE));
        let report = minimise(network, state, ws, settings)?;
        Ok::<_, NetworkError>(is_balanced(&report).then(|| (report, pulls(ws, state, &spans))))
    };
    let mut shares = vec![1.0; spans.len()];
    let mut last = None;
    for _ in 0..ROUNDS {
        let Some(round) = reweigh(&mut state, softer, &shares)? else { return Ok(None) };
        let next = relative(&round.1, |p| p.0);
        let settled = next.iter().zip(&shares).all(|(a, b)| (a - b).abs() < SETTLED);
        (last, shares) = (Some(round), next);
        if settled {
            break;
        }
    }
    let Some((mut report, mut pulled)) = last else { return Ok(None) };
    // Spans that give little and pull less than others can be held fast, unless it does not go without them.
    let hard = relative(&pulled, |p| p.1);
    let spared = |(share, hard): (&f64, f64)| *share < SPARED[0] && hard < SPARED[1];
    let fewer: Vec<f64> = shares.iter().zip(hard).map(|own| if spared(own) { 0.0 } else { *own.0 }).collect();
    let mut trial = state.clone();
    if let Some(round) = reweigh(&mut trial, softer, &fewer)? {
        let gaps = relative(&round.1, |p| p.0);
        if fewer.iter().zip(gaps).all(|(share, gap)| *share > 0.0 || gap < SPARED[2]) {
            (report, pulled) = round;
            (state, shares) = (trial, fewer);
        }
    }
    // As stiff as can be.
    while softer > 1.5 {
        softer /= softer.min(10.0);
        let mut trial = state.clone();
        let Some(round) = reweigh(&mut trial, softer, &shares)? else { break };
        (report, pulled) = round;
        state = trial;
    }
    let gives = shares.iter().zip(&spans).zip(&pulled).filter(|((share, _), _)| **share > SPARED[2]);
    let short: Vec<Short> = gives.map(|((_, k), p)| Short { span: *k, missing: p.0 }).collect();
    // Whether that is all: with a little more, since what is barely long enough pulls almost as hard.
    let missing: f64 = short.iter().map(|s| s.missing).sum();
    let by = short.iter().map(|s| (s.span, s.missing + MORE * missing));
    let longer = stiffen_longer(network, before, ws, settings, yielding, by)?;
    let mended = longer.is_some_and(|longer| longer.missing() < MORE * missing);
    Ok(mended.then_some((report, state, short)))
}

/// What spans give and how hard they pull, m and N.
fn pulls(ws: &NetworkWorkspace, state: &NetworkState, spans: &[usize]) -> Vec<(f64, f64)> {
    let pull = |k: &usize| {
        let force = state.spans[*k].end_force.norm();
        (ws.spans[*k].end_compliance * force, force)
    };
    spans.iter().map(pull).collect()
}

/// Shares of the largest.
fn relative(pulls: &[(f64, f64)], of: impl Fn(&(f64, f64)) -> f64) -> Vec<f64> {
    let largest = pulls.iter().map(&of).fold(f64::MIN_POSITIVE, f64::max);
    pulls.iter().map(|p| of(p) / largest).collect()
}

/// What is missing by more than `least`.
fn named(gaps: &Gaps, network: &Network, nearest: &NetworkState, least: f64) -> (Vec<Short>, Vec<Conflict>) {
    let spans = network.spans.len();
    let short = (0..spans)
        .filter(|&k| gaps.stays(k, least))
        .map(|span| Short { span, missing: gaps.now[span] })
        .collect();
    let mut conflicts = Vec::new();
    let mut row = spans;
    for (constraint, c) in network.constraints.iter().enumerate() {
        let rows = row..row + c.rows();
        row += c.rows();
        if rows.clone().any(|k| gaps.stays(k, least)) {
            let by = match c {
                // The row is (d² − r²)/2r: the distance itself is what a user can measure.
                Constraint::Distance { distance: r, .. } => {
                    let pulls = nearest.multipliers[rows.start - spans] < 0.0;
                    let value = if pulls { gaps.now[rows.start] } else { -gaps.now[rows.start] };
                    ((r * r + 2.0 * r * value).max(0.0).sqrt() - r).abs()
                }
                _ => rows.map(|k| gaps.now[k] * gaps.now[k]).sum::<f64>().sqrt(),
            };
            conflicts.push(Conflict { constraint, by });
        }
    }
    (short, conflicts)
}
