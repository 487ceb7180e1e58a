//! Networks that give way: ends of spans and constraints on springs, which grow ever stiffer.
//!
//! With gap = −c × force for a compliance c there is always an equilibrium. As c shrinks, the gap of
//! what can be kept shrinks with it; what is missing stays.

use super::model::{Network, NetworkError};
use super::newton::minimise;
use super::short::Short;
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, Settings};
use crate::rod::Rod;
use crate::solver::report::Status;

/// How a gap shrinks with the compliance, as a power of it: not at all where something is missing, in
/// proportion where it gives. Below the first it is missing; up to the second that is open.
const RATES: [f64; 2] = [0.3, 0.9];
/// Compliances tried, relative to L³/K: from soft to nearly rigid.
const SOFTEST: f64 = 1e-1;
const STIFFEST: f64 = 1e-11;
/// Stiff enough to tell whether something reaches that is not taut.
const STIFF: f64 = 1e-9;
/// Softer than this nothing can be told: a heavy cable on soft springs hangs down as if something were missing.
const TRUSTED: f64 = 1e-8;
/// Where everything is taut, the least and the most of it that gaps are followed to, relative to where they begin.
const TAUT: [f64; 2] = [1e-2, 1e-3];
/// Tried where it is open whether anything is missing: forces are small as long as hardly anything is.
const STIFFEST_OF_ALL: f64 = 1e-14;
/// Steps of compliance: as large as the solver can follow, and never smaller than this.
const STEPS: [f64; 2] = [0.1, 0.6];
/// Gaps below this share of the length, and below this angle, are not worth a word, unless they are
/// all that stands in the way: then those above the second are.
pub(in crate::solver) const NOTICEABLE: [f64; 2] = [1e-6, 1e-9];

/// Gaps that differ by less than this share are alike.
const ALIKE: f64 = 0.05;

/// What gives way.
pub(in crate::solver) struct Yielding {
    /// Whether the far ends of spans do.
    spans: bool,
    /// The first row that does; all behind it do.
    first_row: usize,
    /// Which rows ask for directions.
    angular: Vec<bool>,
}

/// The stiffest equilibrium that was found.
pub(in crate::solver) struct Stiffened {
    pub(in crate::solver) report: NetworkReport,
    pub(in crate::solver) state: NetworkState,
    pub(in crate::solver) gaps: Gaps,
    compliance: f64,
    /// The way there: compliance, state and gaps.
    way: Vec<(f64, NetworkState, Vec<f64>)>,
}

impl Stiffened {
    /// What is missing in all, m and rad: the sum of all gaps.
    pub(in crate::solver) fn missing(&self) -> f64 {
        self.gaps.now.iter().sum()
    }

    /// The spans that are too short, and by how much.
    pub(in crate::solver) fn short(&self, network: &Network) -> Vec<Short> {
        let short = (0..network.spans.len()).filter(|k| self.gaps.stays(*k, NOTICEABLE[0]));
        short.map(|span| Short { span, missing: self.gaps.now[span] }).collect()
    }

    /// The softest state on the way in which the gaps of some spans are what they are in the end, and its compliance
    /// relative to that of the end. Forces are smallest there.
    pub(in crate::solver) fn soft(&self, spans: &[usize]) -> (&NetworkState, f64) {
        let alike = |gaps: &[f64]| {
            spans.iter().all(|k| (gaps[*k] - self.gaps.now[*k]).abs() < ALIKE * self.gaps.now[*k])
        };
        let found = self.way.iter().find(|(_, _, gaps)| alike(gaps));
        found.map_or((&self.state, 1.0), |(c, state, _)| (state, c / self.compliance))
    }
}

impl Yielding {
    /// The ends of all spans, if asked, and the rows from `first_row` on.
    pub(in crate::solver) fn new(network: &Network, spans: bool, first_row: usize) -> Self {
        let rows = |c: &super::Constraint| std::iter::repeat_n(c.is_angular(), c.rows());
        Self { spans, first_row, angular: network.constraints.iter().flat_map(rows).collect() }
    }

    /// Lets everything give by `compliance`. The gaps of `trial` stay about as they are: the forces grow as
    /// the compliance shrinks.
    pub(in crate::solver) fn set(
        &self,
        network: &Network,
        trial: &mut NetworkState,
        ws: &mut NetworkWorkspace,
        compliance: f64,
    ) {
        for (k, span) in ws.spans.iter_mut().enumerate().filter(|_| self.spans) {
            let length = network.spans[k].rod.length();
            let stiffer = compliance * length.powi(3) / span.stiffness();
            if span.end_compliance > 0.0 {
                trial.spans[k].end_force *= span.end_compliance / stiffer;
            }
            span.end_compliance = stiffer;
        }
        let length = ws.longest();
        let stiffer = compliance / ws.least_penalty();
        for (k, angular) in self.angular.iter().enumerate().skip(self.first_row) {
            let stiffer = if *angular { stiffer / (length * length) } else { stiffer };
            if ws.row_compliance[k] > 0.0 {
                trial.multipliers[k] *= ws.row_compliance[k] / stiffer;
            }
            ws.row_compliance[k] = stiffer;
        }
    }

    /// Lets everything give as it did where `found` was, so many times softer.
    pub(in crate::solver) fn set_as(
        &self,
        network: &Network,
        found: &Stiffened,
        softer: f64,
        ws: &mut NetworkWorkspace,
    ) {
        self.set(network, &mut found.state.clone(), ws, softer * found.compliance);
    }
}

/// Whether everything balances. What springs draw at may be folded over itself: no equilibrium, but as near as it comes.
pub(in crate::solver) fn is_balanced(report: &NetworkReport) -> bool {
    matches!(report.status, Status::Converged | Status::Folded)
}

/// From now on nothing gives.
pub(in crate::solver) fn hold_fast(ws: &mut NetworkWorkspace) {
    ws.spans.iter_mut().for_each(|span| span.end_compliance = 0.0);
    ws.row_compliance.fill(0.0);
}

/// Solves from `start`, ever stiffer; `None` where it led nowhere. The workspace is left yielding.
pub(in crate::solver) fn stiffen(
    network: &Network,
    start: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    yielding: &Yielding,
) -> Result<Option<Stiffened>, NetworkError> {
    stiffen_until(network, start, ws, settings, yielding, [SOFTEST, STIFFEST, TRUSTED])
}

/// The same from a start that is an equilibrium with everything giving by `compliance`.
pub(in crate::solver) fn stiffen_from(
    network: &Network,
    start: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    yielding: &Yielding,
    compliance: f64,
) -> Result<Option<Stiffened>, NetworkError> {
    stiffen_until(
        network,
        start,
        ws,
        settings,
        yielding,
        [compliance, TAUT[1] * compliance, TAUT[0] * compliance],
    )
}

/// The same with longer spans, as stiff as it takes to tell what is still missing.
pub(in crate::solver) fn stiffen_longer(
    network: &Network,
    start: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    yielding: &Yielding,
    by: impl Iterator<Item = (usize, f64)>,
) -> Result<Option<Stiffened>, NetworkError> {
    let mut longer = start.clone();
    longer.lengthen(by);
    hold_fast(ws);
    stiffen_until(network, &longer, ws, settings, yielding, [SOFTEST, STIFF, TRUSTED])
}

fn stiffen_until(
    network: &Network,
    start: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    yielding: &Yielding,
    [softest, enough, trusted]: [f64; 3],
) -> Result<Option<Stiffened>, NetworkError> {
    ws.begin();
    let mut trial = start.clone();
    let mut reached: Option<(NetworkReport, NetworkState)> = None;
    let mut way = Vec::new();
    let mut gaps = Gaps::new(network, ws.longest(), &yielding.angular);
    let (mut compliance, mut step) = (softest, STEPS[0]);
    let mut last = compliance;
    let mut stiffest = enough;
    while compliance > 0.99 * stiffest {
        yielding.set(network, &mut trial, ws, compliance);
        let report = minimise(network, &mut trial, ws, settings)?;
        if ws.stop().is_some() {
            // Gaps that were not followed to their end say nothing.
            return Ok(None);
        }
        if !is_balanced(&report) {
            let Some((_, nearest)) = &reached else { break };
            step = step.sqrt();
            if step > STEPS[1] {
                break;
            }
            trial = nearest.clone();
            yielding.set(network, &mut nearest.clone(), ws, last);
            compliance = last * step;
            continue;
        }
        let missed = (0..ws.rows.len()).map(|k| ws.row_compliance[k] * trial.multipliers[k].abs());
        gaps.follow(ws.spans.iter().map(|s| s.kernel.gap().norm()).chain(missed), last / compliance);
        way.push((compliance, trial.clone(), gaps.now.clone()));
        reached = Some((report, trial.clone()));
        last = compliance;
        compliance *= step;
        stiffest = if enough == STIFFEST && gaps.open() { STIFFEST_OF_ALL } else { enough };
    }
    let reached = reached.filter(|_| last <= 1.01 * trusted);
    Ok(reached.map(|(report, state)| Stiffened { report, state, gaps, compliance: last, way }))
}

/// The gaps of all spans, then of all rows.
pub(in crate::solver) struct Gaps {
    pub(in crate::solver) now: Vec<f64>,
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
    pub(in crate::solver) fn stays(&self, k: usize, least: f64) -> bool {
        self.now[k] > least * self.scale[k] && self.rate[k] < RATES[0]
    }

    /// Whether nothing is missing for sure and something may be.
    fn open(&self) -> bool {
        let all = 0..self.now.len();
        !all.clone().any(|k| self.stays(k, NOTICEABLE[0]))
            && all.clone().any(|k| self.now[k] > NOTICEABLE[1] * self.scale[k] && self.rate[k] < RATES[1])
    }
}
