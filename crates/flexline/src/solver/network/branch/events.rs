//! What happens on a branch: folds, and points where other branches begin.
//!
//! By Sylvester's law a factorisation counts the directions that release energy. Where the count changes between two points an eigenvalue has
//! passed zero: at a fold the parameter turns round there, at a branch point it goes on. The place is halved, then, where the parameter goes on,
//! found by a secant in the eigenvalue itself; at a fold the parameter is stationary, so that its error is the square of what is left of the
//! arc. Two eigenvalues that pass zero opposite ways within one step are not seen.

use super::super::modes::{below, pushed_along};
use super::Explorer;
use super::follow::{At, BranchPoint, FIRST, FollowLimits, Plane};
use super::measure::{apart, difference, dot};
use crate::rod::kernel::PROXIMAL;
use crate::solver::stability::NEUTRAL;

/// Halvings of the arc between two points, at a branch point and at a fold.
const COARSE: usize = 7;
const FINE: usize = 13;
/// Directions at a branch point count as one where they are as near (cosine).
const SAME: f64 = 0.97;
/// Smallest share of a first step off a branch that is in its new direction.
const OFF: f64 = 0.5;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The parameter turns round.
    Fold,
    /// Other branches begin, the parameter goes on.
    BranchPoint,
}

/// Something that happens on a branch.
#[derive(Clone, Debug)]
pub struct Event {
    /// What.
    pub kind: EventKind,
    /// The value of the parameter.
    pub at: f64,
    /// How well that is known.
    pub within: f64,
    /// Before the point of this number.
    pub before: usize,
    /// An equilibrium beside it, on the side where more directions release energy.
    pub point: BranchPoint,
    /// How many more directions release energy after it.
    pub change: isize,
    /// The eigenvalue at `point` that passes zero.
    pub eigenvalue: f64,
}

impl Explorer {
    /// What happens between two points, where something does.
    pub(super) fn event(
        &mut self,
        at: &mut At<'_>,
        here: &BranchPoint,
        next: &BranchPoint,
        limits: &FollowLimits,
        before: usize,
    ) -> Option<Event> {
        let differs = here.report.negative != next.report.negative || here.grows != next.grows;
        differs.then(|| self.locate(at, here, next, limits, before))?
    }

    /// The place between two points where the count changes, or the parameter turns round.
    pub(super) fn locate(
        &mut self,
        at: &mut At<'_>,
        here: &BranchPoint,
        next: &BranchPoint,
        limits: &FollowLimits,
        before: usize,
    ) -> Option<Event> {
        let width = limits.width();
        let turns = here.grows != next.grows;
        let counts = here.report.negative != next.report.negative;
        let differs = |own: &BranchPoint| match counts {
            true => own.report.negative != here.report.negative,
            false => own.grows != here.grows,
        };
        let (mut low, mut high) = (here.clone(), next.clone());
        for _ in 0..if turns { FINE } else { COARSE } {
            let Some(middle) = self.between(at, [here, next], &low, &high, width) else { break };
            if differs(&middle) { high = middle } else { low = middle }
        }
        let change = next.report.negative as isize - here.report.negative as isize;
        let point = if low.report.negative > high.report.negative { &low } else { &high };
        let eigenvalue = self.critical(at, point).unwrap_or(0.0);
        // One eigenvalue passes zero at a fold. Where the parameter turns round and none does, as in the middle of a fork, or two do,
        // other branches come there.
        let kind = if turns && change.abs() == 1 { EventKind::Fold } else { EventKind::BranchPoint };
        let arc = low.way(&high, width);
        let (place, within) = match turns {
            // Stationary: a parabola of the arc.
            true => {
                let all = [here.at, next.at, low.at, high.at];
                let grown = here.grows;
                let most = all.into_iter().fold(if grown { f64::MIN } else { f64::MAX }, |a, b| {
                    if grown { a.max(b) } else { a.min(b) }
                });
                let bend = (here.at - most).abs().max((next.at - most).abs()) / width;
                let share = arc / here.way(next, width).max(f64::MIN_POSITIVE);
                (most, width * (bend * share * share).max(1e-14))
            }
            false => self.passing(at, &low, &high),
        };
        let point = point.clone();
        Some(Event { kind, at: place, within, before, point, change, eigenvalue })
    }

    /// Halfway between two points of the arc between two others.
    fn between(
        &mut self,
        at: &mut At<'_>,
        [here, next]: [&BranchPoint; 2],
        low: &BranchPoint,
        high: &BranchPoint,
        width: f64,
    ) -> Option<BranchPoint> {
        let mut plane = Plane::across(here, next, width);
        let p = 0.5 * (low.at + high.at);
        plane.through = low.measure.iter().zip(&high.measure).map(|(a, b)| 0.5 * (a + b)).collect();
        plane.at = p;
        let guess = self.beyond(at, low, high, -0.5, p)?;
        let (middle, _) = self.correct(at, &guess, p, &plane, width)?;
        // Not another branch that is near.
        (middle.way(low, width).max(middle.way(high, width)) <= low.way(high, width)).then_some(middle)
    }

    /// Where the eigenvalue that passes zero does, and how well that is known, from both sides of it.
    fn passing(&mut self, at: &mut At<'_>, low: &BranchPoint, high: &BranchPoint) -> (f64, f64) {
        let apart = (high.at - low.at).abs();
        let known = (0.5 * (low.at + high.at), 0.5 * apart);
        let (many, few) = if low.report.negative > high.report.negative { (low, high) } else { (high, low) };
        let Some(under) = self.critical(at, many) else { return known };
        let Some(over) = at(few.at).and_then(|network| {
            self.ws.read(&network);
            let mut state = few.state.clone();
            let ws = &mut self.ws;
            let target = below(&network, &mut state, ws, NEUTRAL, PROXIMAL)?;
            bisected(
                &mut |sigma| Some(below(&network, &mut state, ws, sigma, PROXIMAL)? > target),
                NEUTRAL,
                1.0,
            )
        }) else {
            return known;
        };
        let share = over / (over - under);
        let place = few.at + share * (many.at - few.at);
        // The secant errs by the square of the distance.
        (place, (apart * share * (1.0 - share) * (over - under)).max(1e-12 * place.abs()))
    }

    /// The eigenvalue nearest to zero among those below it.
    fn critical(&mut self, at: &mut At<'_>, point: &BranchPoint) -> Option<f64> {
        let network = at(point.at)?;
        self.ws.read(&network);
        let mut state = point.state.clone();
        let ws = &mut self.ws;
        let negative = below(&network, &mut state, ws, -NEUTRAL, NEUTRAL)?;
        if negative == 0 {
            return None;
        }
        let found = bisected(
            &mut |size| Some(below(&network, &mut state, ws, -size, NEUTRAL)? < negative),
            NEUTRAL,
            1.0,
        )?;
        Some(-found)
    }

    /// The first points of the branches that begin at an event, on both sides, as far as they are not those of the branch itself.
    pub fn leave(&mut self, at: &mut At<'_>, event: &Event, limits: &FollowLimits) -> Vec<BranchPoint> {
        let mut found: Vec<BranchPoint> = Vec::new();
        if event.kind == EventKind::Fold {
            return found;
        }
        let width = limits.width();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        for attempt in 0..event.change.unsigned_abs() {
            let phase = 0.4 + 1.1 * attempt as f64;
            for size in [1.0, -1.0] {
                let Some((direction, first)) = self.step_off(at, event, size, phase, width) else { continue };
                if size > 0.0 {
                    let same = |own: &Vec<f64>| dot(own, &direction).abs() > SAME;
                    if directions.iter().any(same) {
                        break;
                    }
                    directions.push(direction);
                }
                found.push(first);
            }
        }
        found
    }

    /// A point beside an event along the direction that costs nothing there.
    fn step_off(
        &mut self,
        at: &mut At<'_>,
        event: &Event,
        sign: f64,
        phase: f64,
        width: f64,
    ) -> Option<(Vec<f64>, BranchPoint)> {
        let network = at(event.point.at)?;
        self.ws.read(&network);
        let here = &event.point;
        // How far a turn of so much goes is measured, and the size chosen by it.
        let mut size = 0.01;
        let mut push = None;
        for _ in 0..3 {
            let own = pushed_along(
                &network,
                &mut here.state.clone(),
                &mut self.ws,
                event.eigenvalue.min(-NEUTRAL),
                sign * size,
                phase,
            )?;
            let way = apart(&super::measure(&network, &own), &here.measure);
            push = Some(own);
            if (0.9..1.1).contains(&(way / FIRST)) {
                break;
            }
            size = (size * FIRST / way.max(1e-12)).min(1.0);
        }
        let guess = push?;
        let through = super::measure(&network, &guess);
        let direction = difference(&here.measure, &through);
        let plane = Plane::new(direction, 0.0, through, event.at);
        let (first, _) = self.correct(at, &guess, event.at, &plane, width)?;
        let along = difference(&here.measure, &first.measure);
        let off = dot(&along, &plane.normal) / dot(&along, &along).sqrt().max(f64::MIN_POSITIVE);
        (off >= OFF).then_some((plane.normal, first))
    }
}

/// The number from `first` on at which an answer becomes true, to nine digits; `None` where it never does.
fn bisected(is_beyond: &mut dyn FnMut(f64) -> Option<bool>, first: f64, most: f64) -> Option<f64> {
    let (mut low, mut high) = (first, 4.0 * first);
    while !is_beyond(high)? {
        (low, high) = (high, 4.0 * high);
        if high > 64.0 * most {
            return None;
        }
    }
    for _ in 0..60 {
        if high - low <= 1e-9 * high {
            break;
        }
        let middle = 0.5 * (low + high);
        if is_beyond(middle)? { high = middle } else { low = middle }
    }
    Some(0.5 * (low + high))
}
