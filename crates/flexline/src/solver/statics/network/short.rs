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

/// Gaps below this share of the length, and below this angle, are not worth a word, unless they are
/// all that stands in the way: then those above the second are.
const NOTICEABLE: [f64; 2] = [1e-6, 1e-9];
/// How a gap shrinks with the compliance, as a power of it: not at all where something is missing, in
/// proportion where it gives. Below the first it is missing; up to the second that is open.
const RATES: [f64; 2] = [0.3, 0.9];
/// Compliances tried, relative to L³/K: from soft to nearly rigid.
const SOFTEST: f64 = 1e-1;
const STIFFEST: f64 = 1e-11;
/// Tried where it is open whether anything is missing: forces are small as long as hardly anything is.
const STIFFEST_OF_ALL: f64 = 1e-14;
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
    let angular: Vec<bool> =
        network.constraints.iter().flat_map(|c| std::iter::repeat_n(c.is_angular(), c.rows())).collect();
    let mut gaps = Gaps::new(network, ws.longest(), &angular);
    let (mut compliance, mut step) = (SOFTEST, STEPS[0]);
    let mut last = compliance;
    let mut stiffest = STIFFEST;
    while compliance > 0.99 * stiffest {
        yield_by(network, &mut trial, ws, compliance, &angular);
        let report = minimise(network, &mut trial, ws, settings)?;
        if ws.stop().is_some() {
            // Gaps that were not followed to their end say nothing.
            reached = None;
            break;
        }
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
        gaps.follow(ws.spans.iter().map(|s| s.kernel.gap().norm()).chain(missed), last / compliance);
        reached = Some((report, trial.clone()));
        last = compliance;
        compliance *= step;
        stiffest = if gaps.open() { STIFFEST_OF_ALL } else { STIFFEST };
    }
    for span in &mut ws.spans {
        span.yielding = 0.0;
    }
    ws.give.fill(0.0);
    let Some((report, nearest)) = reached else { return Ok(None) };
    let (mut short, mut conflicts) = gaps.named(network, &nearest, NOTICEABLE[0]);
    if short.is_empty() && conflicts.is_empty() {
        // Nothing is missing: the way there was hard, and this is most of it.
        let mut again = nearest.clone();
        let report = minimise(network, &mut again, ws, settings)?;
        if report.status == Status::Converged {
            *state = again;
            return Ok(Some(report));
        }
        (short, conflicts) = gaps.named(network, &nearest, NOTICEABLE[1]);
        if short.is_empty() && conflicts.is_empty() {
            return Ok(None);
        }
    }
    *state = nearest;
    let status = if conflicts.is_empty() { Status::TooShort } else { Status::Conflict };
    Ok(Some(NetworkReport { status, short, conflicts, ..report }))
}

/// The gaps of all spans, then of all rows.
struct Gaps {
    now: Vec<f64>,
    /// How they shrink with the compliance, as a power of it.
    rate: Vec<f64>,
    /// What they are compared with: lengths, or a radian.
    scale: Vec<f64>,
}

impl Gaps {
    fn new(network: &Network, longest: f64, angular: &[bool]) -> Self {
        let rows = angular.iter().map(|angular| if *angular { 1.0 } else { longest });
        let scale: Vec<f64> = network.spans.iter().map(|s| s.rod.length()).chain(rows).collect();
        Self { now: vec![f64::INFINITY; scale.len()], rate: vec![1.0; scale.len()], scale }
    }

    /// Takes over the gaps after the compliance was divided by `factor`.
    fn follow(&mut self, gaps: impl Iterator<Item = f64>, factor: f64) {
        for ((now, rate), next) in self.now.iter_mut().zip(&mut self.rate).zip(gaps) {
            if now.is_finite() {
                *rate = (*now / next.max(f64::MIN_POSITIVE)).ln() / factor.ln();
            }
            *now = next;
        }
    }

    /// The gap of what could be kept shrinks with the compliance; what is missing stays.
    fn stays(&self, k: usize, least: f64) -> bool {
        self.now[k] > least * self.scale[k] && self.rate[k] < RATES[0]
    }

    /// Whether nothing is missing for sure and something may be.
    fn open(&self) -> bool {
        let all = 0..self.now.len();
        !all.clone().any(|k| self.stays(k, NOTICEABLE[0]))
            && all.clone().any(|k| self.now[k] > NOTICEABLE[1] * self.scale[k] && self.rate[k] < RATES[1])
    }

    /// What is missing by more than `least`.
    fn named(&self, network: &Network, nearest: &NetworkState, least: f64) -> (Vec<Short>, Vec<Conflict>) {
        let spans = network.spans.len();
        let short = (0..spans)
            .filter(|&k| self.stays(k, least))
            .map(|span| Short { span, missing: self.now[span] })
            .collect();
        let mut conflicts = Vec::new();
        let mut row = spans;
        for (constraint, c) in network.constraints.iter().enumerate() {
            let rows = row..row + c.rows();
            row += c.rows();
            if rows.clone().any(|k| self.stays(k, least)) {
                let by = match c {
                    // The row is (d² − r²)/2r: the distance itself is what a user can measure.
                    Constraint::Distance { distance: r, .. } => {
                        let pulls = nearest.multipliers[rows.start - spans] < 0.0;
                        let value = if pulls { self.now[rows.start] } else { -self.now[rows.start] };
                        ((r * r + 2.0 * r * value).max(0.0).sqrt() - r).abs()
                    }
                    _ => rows.map(|k| self.now[k] * self.now[k]).sum::<f64>().sqrt(),
                };
                conflicts.push(Conflict { constraint, by });
            }
        }
        (short, conflicts)
    }
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
