//! Continuation along a parameter by pseudo-arclength (H. B. Keller, *Numerical solution of bifurcation and nonlinear eigenvalue
//! problems*, 1977): state x and parameter p are both unknown, and a plane across the branch is the equation more,
//!
//! ```text
//! F(x, p) = 0,     n_y·(y(x) − ŷ) + n_p (p − p̂)/P = 0,
//! ```
//!
//! with y what is [measured](measure) of a state and P the range of p. With one factorisation of ∂F/∂x two steps are asked for, at p and at a p
//! beside it; what is measured of both gives dy/dp, the plane then gives the next p, and the step at that p is taken. At a fold ∂F/∂x is
//! singular, dy/dp without bound, and p stays where it is: the step there has nothing of the direction that has no pivot.
//! Whatever a network can say may be the parameter, since it is only ever compiled anew.

use super::super::assemble::{choose_rows, evaluate, factorise_with, norms, residual};
use super::super::modes::negative_count;
use super::super::newton::newton_step;
use super::super::tangent::{step, take};
use super::super::{Network, NetworkReport, NetworkState, contact, report};
use super::Explorer;
use super::events::Event;
use super::measure::{apart, difference, dot, measure};
use crate::rod::Rod;
use crate::solver::report::Status;

/// Iterations of one correction; a step that needs more than `EASY` is too long.
const MOST: usize = 12;
const EASY: usize = 5;
/// How far off the plane a point may be, as a share of the longest span.
const OFF: f64 = 1e-9;
/// A little stiffness against turning, relative to that of the rods: without it round-off would drive what turns freely to and fro, and the
/// branch would have its direction from that. Steps lose a digit of their order by it, results nothing.
const CALM: f64 = 1e-6;
/// Half of the change of p by which dy/dp is found first, as a share of its range.
const BESIDE: f64 = 1e-5;
/// How far a step is taken to see how it changes what is measured, rad.
const LITTLE: f64 = 1e-4;
/// The most that one iteration may turn, rad, and change p, as a share of its range.
const MAX_TURN: f64 = 1.5;
const MAX_CHANGE: f64 = 0.3;
/// Shortest step, and the first, as shares of the longest span.
const SHORTEST: f64 = 1e-6;
pub(super) const FIRST: f64 = 5e-3;
/// How much a branch may bend from one step to the next (cosine), and how far a point may be from where it was foreseen, in steps.
const STRAIGHT: f64 = 0.8;
const FORESEEN: f64 = 0.5;
/// A branch meets a known point where it comes as near, in longest steps.
const MEETS: f64 = 0.05;

/// What bounds a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowLimits {
    /// Both ends of the range of the parameter.
    pub range: [f64; 2],
    /// Longest step, as a share of the longest span and of the range together.
    pub step: f64,
    /// Most points.
    pub points: usize,
}

impl FollowLimits {
    pub(super) fn width(&self) -> f64 {
        (self.range[1] - self.range[0]).abs()
    }

    fn holds(&self, p: f64) -> bool {
        let (low, high) = (self.range[0].min(self.range[1]), self.range[0].max(self.range[1]));
        (low..=high).contains(&p)
    }
}

/// An equilibrium on a branch.
#[derive(Clone, Debug)]
pub struct BranchPoint {
    /// Value of the parameter.
    pub at: f64,
    /// The equilibrium there.
    pub state: NetworkState,
    /// Its proof; the count of directions that release energy is that of the second variation.
    pub report: NetworkReport,
    /// What was [measured](measure) of it.
    pub measure: Vec<f64>,
    /// Whether the parameter grows along the branch here.
    pub grows: bool,
}

impl BranchPoint {
    /// Distance to another point, with the parameter as a share of its range.
    pub(super) fn way(&self, other: &Self, width: f64) -> f64 {
        apart(&self.measure, &other.measure).hypot((other.at - self.at) / width)
    }
}

/// How a branch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// At an end of the range.
    Range,
    /// Where it began.
    Closed,
    /// At a point from which branches were followed before.
    Known,
    /// It could not be followed any farther.
    Lost,
    /// At the most points.
    TooLong,
    /// There was no time left.
    Stopped,
}

/// A branch of equilibria.
#[derive(Clone, Debug)]
pub struct Branch {
    /// In the order in which they were found.
    pub points: Vec<BranchPoint>,
    /// Folds and places where other branches begin.
    pub events: Vec<Event>,
    /// How it ended.
    pub ended: Ended,
}

/// A plane across a branch: its unit normal, what is measured where it lies, and p there.
pub(super) struct Plane {
    pub(super) normal: Vec<f64>,
    pub(super) across: f64,
    pub(super) through: Vec<f64>,
    pub(super) at: f64,
}

impl Plane {
    /// Across the way from one point to another.
    pub(super) fn across(from: &BranchPoint, to: &BranchPoint, width: f64) -> Self {
        let normal = difference(&from.measure, &to.measure);
        Self::new(normal, (to.at - from.at) / width, to.measure.clone(), to.at)
    }

    pub(super) fn new(mut normal: Vec<f64>, mut across: f64, through: Vec<f64>, at: f64) -> Self {
        let size = dot(&normal, &normal).sqrt().hypot(across).max(f64::MIN_POSITIVE);
        normal.iter_mut().for_each(|own| *own /= size);
        across /= size;
        Self { normal, across, through, at }
    }

    /// How far a place is beyond it.
    fn beyond(&self, measure: &[f64], at: f64, width: f64) -> f64 {
        dot(&self.normal, &difference(&self.through, measure)) + self.across * (at - self.at) / width
    }
}

/// How a network follows from the value of the parameter; `None` where there is none.
pub(super) type At<'a> = dyn FnMut(f64) -> Option<Network> + 'a;

impl Explorer {
    /// The equilibrium at one value of the parameter that a guess leads to by steps of Newton's method alone.
    pub fn correct_at(&mut self, at: &mut At<'_>, guess: &NetworkState, p: f64) -> Option<BranchPoint> {
        let plane = Plane { normal: Vec::new(), across: 1.0, through: Vec::new(), at: p };
        self.correct(at, guess, p, &plane, 1.0).map(|(point, _)| point)
    }

    /// The equilibrium on a plane that a guess leads to, and in how many iterations.
    pub(super) fn correct(
        &mut self,
        at: &mut At<'_>,
        guess: &NetworkState,
        p: f64,
        plane: &Plane,
        width: f64,
    ) -> Option<(BranchPoint, usize)> {
        let (mut state, mut p) = (guess.clone(), p);
        let mut network = at(p)?;
        self.begin(&network, &mut state)?;
        let is_fixed = plane.normal.is_empty();
        for iterations in 0..MOST {
            let ws = &mut self.ws;
            evaluate(&network, &mut state, ws);
            let rho = ws.least_penalty();
            choose_rows(&mut state, ws, rho);
            let own = residual(&network, &state, ws);
            let norms = norms(&network, &state, ws, &own);
            let settled = self.is_settled(&norms);
            let ws = &mut self.ws;
            if !norms.left().is_finite() || ws.stop().is_some() {
                return None;
            }
            factorise_with(&network, &state, ws, 0.0, CALM)?;
            newton_step(&network, &state, ws, &own);
            ws.leave_residual(own);
            let here = measure(&network, &state);
            let mut grows = true;
            let mut next = p;
            if !is_fixed {
                let ahead = here.iter().zip(self.rate(&network, &state)?).map(|(y, rate)| y + rate);
                let ahead: Vec<f64> = ahead.collect();
                let mut beside = BESIDE * width;
                for _ in 0..2 {
                    let there = self.ahead_at(at, &network, &state, p + beside)?;
                    let slope =
                        dot(&plane.normal, &difference(&ahead, &there)) / beside + plane.across / width;
                    let change = -plane.beyond(&ahead, p, width) / slope;
                    if !change.is_finite() || change.abs() > MAX_CHANGE * width {
                        return None;
                    }
                    (next, grows) = (p + change, slope > 0.0);
                    // A change below that is told best by the little one.
                    if change.abs() <= beside.abs() {
                        break;
                    }
                    beside = change;
                }
            }
            if settled && (is_fixed || plane.beyond(&here, p, width).abs() <= OFF) {
                take(&mut self.ws, &network);
                evaluate(&network, &mut state, &mut self.ws);
                let negative = negative_count(&network, &state, &mut self.ws)?;
                evaluate(&network, &mut state, &mut self.ws);
                choose_rows(&mut state, &mut self.ws, rho);
                let report = report(&network, &state, &mut self.ws, Status::Converged, iterations, negative);
                return (report.status == Status::Converged)
                    .then_some((BranchPoint { at: p, state, report, measure: here, grows }, iterations));
            }
            let before = state.clone();
            if next != p {
                let changed = at(next)?;
                take_over(&mut self.ws, &network, &changed, &mut state)?;
                (network, p) = (changed, next);
            } else {
                take(&mut self.ws, &network);
            }
            evaluate(&network, &mut state, &mut self.ws);
            choose_rows(&mut state, &mut self.ws, rho);
            let turn = step(&network, &mut state, &mut self.ws);
            if turn.is_nan() || turn > MAX_TURN || !contact::is_free(&network, &before, &state, &mut self.ws)
            {
                return None;
            }
        }
        None
    }

    /// Prepares a correction.
    fn begin(&mut self, network: &Network, state: &mut NetworkState) -> Option<()> {
        network.check_even_short().ok()?;
        state.check(network).ok()?;
        self.ws.read(network);
        for (own, span) in state.lengths.iter_mut().zip(&network.spans) {
            *own = if network.slides.is_empty() { span.rod.length() } else { *own };
        }
        state.hold(network);
        state.stand(network);
        self.ws.contacts.begin(state);
        Some(())
    }

    /// How the step at hand changes what is measured of `state`.
    fn rate(&mut self, network: &Network, state: &NetworkState) -> Option<Vec<f64>> {
        let ws = &mut self.ws;
        let (turn, _) = super::super::newton::largest_turn(ws);
        if !turn.is_finite() {
            return None;
        }
        let little = (LITTLE / turn.max(f64::MIN_POSITIVE)).min(1.0);
        let mut trial = state.clone();
        trial.advance_from(state, network, ws, little, |_, _, _, _| {});
        let mut rate = difference(&measure(network, state), &measure(network, &trial));
        rate.iter_mut().for_each(|own| *own /= little);
        Some(rate)
    }

    /// What is measured a step ahead with the factors at hand, at another value of the parameter.
    fn ahead_at(
        &mut self,
        at: &mut At<'_>,
        network: &Network,
        state: &NetworkState,
        p: f64,
    ) -> Option<Vec<f64>> {
        let changed = at(p)?;
        let mut state = state.clone();
        take_over(&mut self.ws, network, &changed, &mut state)?;
        let ws = &mut self.ws;
        evaluate(&changed, &mut state, ws);
        let rho = ws.least_penalty();
        choose_rows(&mut state, ws, rho);
        let own = residual(&changed, &state, ws);
        newton_step(&changed, &state, ws, &own);
        ws.leave_residual(own);
        let here = measure(&changed, &state);
        let rate = self.rate(&changed, &state)?;
        Some(here.iter().zip(rate).map(|(y, rate)| y + rate).collect())
    }

    /// Follows the branch through `first` and `second` onwards, through folds, to an end of the range. It ends as well where it comes
    /// to one of the `known` points, and where it closes.
    pub fn follow(
        &mut self,
        at: &mut At<'_>,
        [first, second]: [BranchPoint; 2],
        known: &[BranchPoint],
        limits: &FollowLimits,
    ) -> Branch {
        let width = limits.width();
        let mut step = first.way(&second, width).clamp(10.0 * SHORTEST, limits.step);
        let mut branch = Branch { points: vec![first, second], events: Vec::new(), ended: Ended::TooLong };
        while branch.points.len() < limits.points {
            if crate::solver::budget::stop().is_some() {
                branch.ended = Ended::Stopped;
                return branch;
            }
            let [before, here] = &branch.points[branch.points.len() - 2..] else { break };
            let found = self.onwards(at, [before, here], step, limits);
            let Some((next, iterations)) = found else {
                step *= 0.5;
                if step < SHORTEST {
                    branch.ended = Ended::Lost;
                    return branch;
                }
                continue;
            };
            let index = branch.points.len();
            if !limits.holds(next.at) {
                if let Some(last) = self.at_the_end(at, here, &next, limits) {
                    let event = self.event(at, here, &last, limits, index);
                    branch.events.extend(event);
                    branch.points.push(last);
                    branch.ended = Ended::Range;
                    return branch;
                }
                step *= 0.5;
                if step < SHORTEST {
                    branch.ended = Ended::Lost;
                    return branch;
                }
                continue;
            }
            let event = self.event(at, here, &next, limits, index);
            let met = event.as_ref().and_then(|event| {
                known.iter().find(|own| own.way(&event.point, width) < MEETS * limits.step)
            });
            if let Some(known) = met.cloned() {
                branch.points.push(known);
                branch.ended = Ended::Known;
                return branch;
            }
            branch.events.extend(event);
            let start = &branch.points[0];
            let closes = index > 4 && start.way(&next, width) < 0.6 * step && start.grows == next.grows;
            branch.points.push(next);
            if closes {
                branch.ended = Ended::Closed;
                return branch;
            }
            if iterations <= 3 {
                step = (1.5 * step).min(limits.step);
            } else if iterations > EASY {
                step *= 0.7;
            }
        }
        branch
    }

    /// One step onwards, where the branch goes about as it did.
    fn onwards(
        &mut self,
        at: &mut At<'_>,
        [before, here]: [&BranchPoint; 2],
        step: f64,
        limits: &FollowLimits,
    ) -> Option<(BranchPoint, usize)> {
        let width = limits.width();
        let by = step / before.way(here, width).max(f64::MIN_POSITIVE);
        let mut plane = Plane::across(before, here, width);
        let p = here.at + by * (here.at - before.at);
        let guess = self.beyond(at, before, here, by, p)?;
        (plane.through, plane.at) =
            (here.measure.iter().zip(&before.measure).map(|(own, was)| own + by * (own - was)).collect(), p);
        let (next, iterations) = self.correct(at, &guess, p, &plane, width)?;
        let missed = apart(&plane.through, &next.measure).hypot((next.at - p) / width);
        let onward = Plane::across(here, &next, width);
        let straight = dot(&onward.normal, &plane.normal) + onward.across * plane.across;
        let fits = missed <= FORESEEN * step && (straight >= STRAIGHT || step < 100.0 * SHORTEST);
        fits.then_some((next, iterations))
    }

    /// The state so many times farther from `before` than `here` is.
    pub(super) fn beyond(
        &mut self,
        at: &mut At<'_>,
        before: &BranchPoint,
        here: &BranchPoint,
        by: f64,
        p: f64,
    ) -> Option<NetworkState> {
        let network = at(p)?;
        let mut guess = here.state.clone();
        guess.go_on(&network, &before.state, by);
        for ((own, here), before) in guess.spans.iter_mut().zip(&here.state.spans).zip(&before.state.spans) {
            own.end_force = here.end_force + (here.end_force - before.end_force) * by;
            own.end_moment = here.end_moment + (here.end_moment - before.end_moment) * by;
        }
        for ((own, here), before) in
            guess.multipliers.iter_mut().zip(&here.state.multipliers).zip(&before.state.multipliers)
        {
            *own = here + (here - before) * by;
        }
        Some(guess)
    }

    /// The point at the end of the range between two.
    fn at_the_end(
        &mut self,
        at: &mut At<'_>,
        here: &BranchPoint,
        next: &BranchPoint,
        limits: &FollowLimits,
    ) -> Option<BranchPoint> {
        let end = limits.range.into_iter().find(|end| (end - here.at) * (end - next.at) <= 0.0)?;
        let share = if next.at == here.at { 0.0 } else { (end - next.at) / (next.at - here.at) };
        let guess = self.beyond(at, here, next, share, end)?;
        let found = self.correct_at(at, &guess, end)?;
        let near = apart(&found.measure, &here.measure) <= 2.0 * here.way(next, limits.width());
        near.then_some(BranchPoint { grows: next.grows, ..found })
    }
}

/// Goes over to another network with the state that belongs to one, and keeps the factors.
fn take_over(
    ws: &mut super::super::NetworkWorkspace,
    network: &Network,
    changed: &Network,
    state: &mut NetworkState,
) -> Option<()> {
    let mut both = changed.spans.iter().zip(&network.spans);
    let same = both
        .all(|(a, b)| a.rod.model() == b.rod.model() && a.rod.coordinate_count() == b.rod.coordinate_count());
    if !same || !ws.topology.is_of(changed) || changed.check_even_short().is_err() {
        return None;
    }
    take(ws, changed);
    state.lengthen_from(network, changed);
    state.hold(changed);
    state.stand(changed);
    Some(())
}
