//! Branches of equilibria along a parameter: from what is found at both ends of its range, through folds, and over to other branches
//! where they begin.

use super::congruent::Form;
use super::{Found, Search, Seen, compiled, total};
use crate::base::{Base, StudyError};
use crate::quantity::Quantity;
use crate::range::Range;
use flexline::solver::network::{
    Branch, BranchPoint, Ended, Event, EventKind, Explorer, FollowLimits, Network, NetworkState,
};
use flexline::solver::statics::energies_at_rest;
use flexline_session::command::present;
use serde::Serialize;

/// How far from a start the second point of a branch is looked for, as shares of the range, in this order.
const SECOND: [f64; 4] = [2e-3, 2e-4, 2e-5, 2e-6];
/// Longest step along a branch, as a share of the longest span and of the range together, and most points.
const STEP: f64 = 0.04;
const POINTS: usize = 1500;
/// Most branches.
const MOST: usize = 80;

/// A point of a branch.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Place {
    /// The parameter, in the unit of the range.
    pub at: f64,
    /// All energies together, J.
    pub energy: f64,
    /// The quantity that was asked for, SI.
    pub value: Option<f64>,
    /// Directions that release energy: 0 is stable.
    pub negative: usize,
}

/// What may happen on a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The parameter turns round, and one more or one less direction releases energy.
    Fold,
    /// The count changes otherwise: other branches begin.
    BranchPoint,
    /// The parameter turns round and the count stays: the middle of a fork, or a shape that turns all but freely.
    TurningPoint,
}

impl Kind {
    fn of(event: &Event) -> Self {
        match (event.kind, event.change) {
            (EventKind::Fold, _) => Self::Fold,
            (EventKind::BranchPoint, 0) => Self::TurningPoint,
            (EventKind::BranchPoint, _) => Self::BranchPoint,
        }
    }
}

/// What happens on a branch.
#[derive(Clone, Debug, Serialize)]
pub struct Happening {
    /// What it is.
    pub kind: Kind,
    /// The parameter, in the unit of the range.
    pub at: f64,
    /// How well that is known.
    pub within: f64,
    /// Between the point of this number and the one before.
    pub before: usize,
    /// How many more directions release energy after it.
    pub change: isize,
    /// All energies together there, J.
    pub energy: f64,
    /// Whether something begins or ceases to touch there: then the count may have changed by that alone, and no branch begins.
    pub touching_changes: bool,
    /// Branches that were followed from here, by number.
    pub branches: Vec<usize>,
}

/// Where a branch was begun.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// At the equilibrium of this number, found at the first end of the range.
    First(usize),
    /// At the last end.
    Last(usize),
    /// At a branch point: number of the branch, and of what happens on it.
    BranchPoint(usize, usize),
}

/// A stretch of a branch on which it is stable.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Stretch {
    /// Where it begins and ends, in the unit of the range, the smaller value first.
    pub ends: [f64; 2],
    /// What is there; none at the end of the range, or where a branch was lost.
    pub bounds: [Option<Kind>; 2],
}

impl Stretch {
    /// How far a value of the parameter within it is from where it ends, on both sides; none where nothing happens there.
    pub fn room(&self, at: f64) -> [Option<f64>; 2] {
        let far = |side: usize| self.bounds[side].map(|_| (self.ends[side] - at).abs());
        [far(0), far(1)]
    }
}

/// A branch.
#[derive(Clone, Debug, Serialize)]
pub struct Traced {
    /// Where it was begun.
    pub origin: Origin,
    /// Its points.
    pub places: Vec<Place>,
    /// What happens on it.
    pub events: Vec<Happening>,
    /// Where it is stable.
    pub stable: Vec<Stretch>,
    /// How it ended.
    pub ended: Ended,
    /// Copies of it (moved, mirrored, reversed) that were seen at its beginning and not followed.
    pub images: usize,
}

/// All branches that were found.
pub struct Diagram {
    /// The parameter.
    pub range: Range,
    /// What was found at both ends; none at the last where there is no equilibrium.
    pub found: [Option<Found>; 2],
    /// Why there is nothing at the last end.
    pub trouble: Option<String>,
    /// The branches.
    pub branches: Vec<Traced>,
    /// Whether there were more than are followed.
    pub cut_short: bool,
    /// The value that the scene has now, where it is in the range.
    pub now: Option<f64>,
}

/// What a diagram is made of.
pub struct Tracing<'a> {
    /// The scene.
    pub base: &'a Base,
    /// What varies.
    pub range: &'a Range,
    /// How equilibria are looked for at both ends.
    pub search: Search,
    /// What is told of every point besides its energy.
    pub over: Option<&'a str>,
    /// Energy above which nothing is followed, J.
    pub below: Option<f64>,
}

/// Branches while they are found.
struct Work<'a> {
    tracing: &'a Tracing<'a>,
    explorer: Explorer,
    limits: FollowLimits,
    branches: Vec<Traced>,
    /// Their points, and what happens on them.
    raw: Vec<Branch>,
    known: Vec<BranchPoint>,
    cut_short: bool,
}

impl Tracing<'_> {
    /// Follows everything; `progress` is told after every start and every branch.
    pub fn run(&self, progress: &mut dyn FnMut()) -> Result<Diagram, StudyError> {
        let text = |share: f64| self.base.with(&[(&self.range.name, self.range.value(share))]);
        let first = self.search.run(self.base, &text(0.0)?, progress)?;
        let (last, trouble) = match self.search.run(self.base, &text(1.0)?, progress) {
            Ok(found) => (Some(found), None),
            Err(StudyError::Input(why)) => (None, Some(why)),
            Err(error) => return Err(error),
        };
        let (scene, compiled) = compiled(self.base, &text(0.0)?)?;
        if let Some(name) = self.over {
            Quantity::parse(name, &compiled).map_err(StudyError::Input)?;
        }
        let settings = flexline::solver::statics::Settings { stability: false, ..compiled.settings() };
        let explorer = Explorer::new(&compiled.network, &settings).map_err(|error| scene.locate(&error))?;
        let limits = FollowLimits { range: [0.0, 1.0], step: STEP, points: POINTS };
        let mut work = Work {
            tracing: self,
            explorer,
            limits,
            branches: Vec::new(),
            raw: Vec::new(),
            known: Vec::new(),
            cut_short: false,
        };
        for (side, found) in [Some(&first), last.as_ref()].into_iter().enumerate() {
            for (index, own) in found.into_iter().flat_map(|found| found.equilibria.iter().enumerate()) {
                if self.below.is_some_and(|most| own.energy() > most) {
                    continue;
                }
                let origin = if side == 0 { Origin::First(index) } else { Origin::Last(index) };
                work.begin(side as f64, &own.solved.solution.state, &own.form, origin, progress);
            }
        }
        let now = present(&self.base.text, &self.range.name)?
            .and_then(|value| self.range.share_of(&value))
            .map(|share| self.range.number(share));
        let Work { branches, cut_short, .. } = work;
        Ok(Diagram {
            range: self.range.clone(),
            found: [Some(first), last],
            trouble,
            branches,
            cut_short,
            now,
        })
    }

    /// The scene at a share of the range.
    fn network(&self, share: f64) -> Option<Network> {
        let text = self.base.with(&[(&self.range.name, self.range.value(share))]).ok()?;
        Some(self.base.read(&text).ok()?.compile_even_short().ok()?.network)
    }
}

impl Work<'_> {
    /// Follows the branch of an equilibrium at one end of the range, unless one has come there before.
    fn begin(
        &mut self,
        share: f64,
        state: &NetworkState,
        form: &Form,
        origin: Origin,
        progress: &mut dyn FnMut(),
    ) {
        let Some(network) = self.tracing.network(share) else { return };
        for (branch, traced) in self.raw.iter().zip(&mut self.branches) {
            let ends = [branch.points.first(), branch.points.last()];
            let arrived = |own: &&BranchPoint| {
                (own.at - share).abs() < 1e-12 && Form::new(&network, &own.state).relation(form).is_some()
            };
            if ends.into_iter().flatten().any(|own| arrived(&own)) {
                // What begins there itself was told apart from it before.
                traced.images += usize::from(!matches!(traced.origin, Origin::First(_) | Origin::Last(_)));
                return;
            }
        }
        let tracing = self.tracing;
        let mut at = |share: f64| tracing.network(share);
        let Some(first) = self.explorer.correct_at(&mut at, state, share) else { return };
        let inwards = if share < 0.5 { 1.0 } else { -1.0 };
        let second = SECOND.iter().find_map(|step| {
            let found = self.explorer.correct_at(&mut at, &first.state, share + inwards * step)?;
            (flexline::solver::network::apart(&first.measure, &found.measure) < STEP).then_some(found)
        });
        let Some(second) = second else { return };
        let grows = inwards > 0.0;
        let pair = [BranchPoint { grows, ..first }, BranchPoint { grows, ..second }];
        self.follow(pair, origin, progress);
    }

    /// Follows a branch and all that begin on it.
    fn follow(&mut self, pair: [BranchPoint; 2], origin: Origin, progress: &mut dyn FnMut()) {
        let mut left = vec![(pair, origin, 0)];
        while let Some((pair, origin, images)) = left.pop() {
            if self.branches.len() >= MOST {
                self.cut_short = true;
                return;
            }
            let tracing = self.tracing;
            let mut at = |share: f64| tracing.network(share);
            let branch = self.explorer.follow(&mut at, pair, &self.known, &self.limits);
            progress();
            let traced = self.told(&branch, origin, images);
            let number = self.branches.len();
            if let Origin::BranchPoint(from, event) = origin {
                self.branches[from].events[event].branches.push(number);
            }
            let begin = branch.events.iter().filter(|own| own.kind == EventKind::BranchPoint);
            self.known.extend(begin.map(|own| own.point.clone()));
            self.branches.push(traced);
            self.raw.push(branch);
            let events: Vec<Event> = self.raw[number].events.clone();
            for (index, event) in events.iter().enumerate() {
                if event.kind == EventKind::BranchPoint && self.is_wanted(number, index) {
                    left.extend(self.off(event, (number, index)));
                }
            }
        }
    }

    /// Whether what happens there is low enough.
    fn is_wanted(&self, branch: usize, event: usize) -> bool {
        let energy = self.branches[branch].events[event].energy;
        self.tracing.below.is_none_or(|most| energy <= most)
    }

    /// The branches that begin at an event, each shape once.
    fn off(
        &mut self,
        event: &Event,
        (branch, index): (usize, usize),
    ) -> Vec<([BranchPoint; 2], Origin, usize)> {
        let tracing = self.tracing;
        let mut at = |share: f64| tracing.network(share);
        let Some(network) = tracing.network(event.point.at) else { return Vec::new() };
        // A branch that came here from another branch point is the one that would be followed.
        let met = self.raw.iter().any(|own| {
            own.ended == Ended::Known
                && own.points.last().is_some_and(|last| {
                    last.at == event.point.at
                        && flexline::solver::network::apart(&last.measure, &event.point.measure) < 1e-9
                })
        });
        if met {
            return Vec::new();
        }
        let mut found: Vec<(Form, [BranchPoint; 2], Origin, usize)> = Vec::new();
        for first in self.explorer.leave(&mut at, event, &self.limits) {
            let form = Form::new(&network, &first.state);
            if let Some(known) = found.iter_mut().find(|(own, ..)| own.relation(&form).is_some()) {
                known.3 += 1;
                continue;
            }
            let (negative, grows) = (first.report.negative, first.grows);
            let mut origin = event.point.clone();
            (origin.report.negative, origin.grows) = (negative, grows);
            found.push((form, [origin, first], Origin::BranchPoint(branch, index), 0));
        }
        found.into_iter().map(|(_, pair, origin, images)| (pair, origin, images)).collect()
    }

    /// What is told of a branch.
    fn told(&self, branch: &Branch, origin: Origin, images: usize) -> Traced {
        let range = self.tracing.range;
        let places: Vec<Place> = branch.points.iter().map(|own| self.place(own)).collect();
        let touches = |index: usize| branch.points.get(index).map(|own| own.state.contact_forces.len());
        let events = branch.events.iter().map(|own| Happening {
            kind: Kind::of(own),
            at: range.number(own.at),
            within: own.within * (range.ends[1] - range.ends[0]).abs(),
            before: own.before,
            change: own.change,
            energy: self.place(&own.point).energy,
            touching_changes: touches(own.before) != touches(own.before.saturating_sub(1)),
            branches: Vec::new(),
        });
        let events: Vec<Happening> = events.collect();
        let begin = match origin {
            Origin::BranchPoint(from, event) => {
                Some((self.branches[from].events[event].at, Kind::BranchPoint))
            }
            _ => None,
        };
        let stable = stretches(&places, &events, begin);
        Traced { origin, places, events, stable, ended: branch.ended, images }
    }

    fn place(&self, point: &BranchPoint) -> Place {
        let (tracing, at) = (self.tracing, self.tracing.range.number(point.at));
        let none = Place { at, energy: f64::NAN, value: None, negative: point.report.negative };
        let text = tracing.base.with(&[(&tracing.range.name, tracing.range.value(point.at))]);
        let Some((scene, own)) = text.ok().and_then(|text| compiled(tracing.base, &text).ok()) else {
            return none;
        };
        let energy = total(&energies_at_rest(&own.network, &point.state));
        let value = tracing.over.and_then(|name| {
            let quantity = Quantity::parse(name, &own).ok()?;
            let seen = Seen { scene: &scene, compiled: &own, network: &own.network };
            quantity.of(&seen.solved(&point.state, &point.report))
        });
        Place { energy, value, ..none }
    }
}

/// Stretches of a branch on which nothing releases energy.
fn stretches(places: &[Place], events: &[Happening], begin: Option<(f64, Kind)>) -> Vec<Stretch> {
    let mut found = Vec::new();
    let mut begun: Option<(f64, Option<Kind>)> = None;
    let mut close = |begun: &mut Option<(f64, Option<Kind>)>, end: (f64, Option<Kind>)| {
        if let Some(start) = begun.take() {
            let (low, high) = if start.0 <= end.0 { (start, end) } else { (end, start) };
            found.push(Stretch { ends: [low.0, high.0], bounds: [low.1, high.1] });
        }
    };
    for (index, place) in places.iter().enumerate() {
        let event = events.iter().find(|own| own.before == index);
        let here = event.map(|own| (own.at, Some(own.kind)));
        // A fork that is passed in its middle ends a stretch as well: the parameter turns round there.
        if let Some(end) = here {
            close(&mut begun, end);
        }
        match (place.negative == 0, begun.is_some()) {
            (true, false) => {
                let first = begin.filter(|_| index == 0).map(|(at, kind)| (at, Some(kind)));
                let start = first.or(here).unwrap_or((place.at, None));
                begun = Some(start);
            }
            (false, true) => close(&mut begun, (place.at, None)),
            _ => {}
        }
    }
    if let Some(last) = places.last() {
        close(&mut begun, (last.at, None));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(at: f64, negative: usize) -> Place {
        Place { at, energy: 0.0, value: None, negative }
    }

    #[test]
    fn stable_stretches_end_where_something_happens() {
        let places =
            [place(0.0, 0), place(0.5, 0), place(0.9, 0), place(0.8, 1), place(0.2, 1), place(0.4, 0)];
        let event = |kind, at, before| Happening {
            kind,
            at,
            within: 0.0,
            before,
            change: 1,
            energy: 0.0,
            touching_changes: false,
            branches: Vec::new(),
        };
        let events = [event(Kind::Fold, 0.93, 3), event(Kind::Fold, 0.17, 5)];
        let found = stretches(&places, &events, None);
        let ends: Vec<[f64; 2]> = found.iter().map(|own| own.ends).collect();
        assert_eq!(ends, [[0.0, 0.93], [0.17, 0.4]]);
        assert_eq!(found[0].bounds, [None, Some(Kind::Fold)]);
        assert_eq!(found[0].room(0.5).map(|room| room.map(|own| (own * 1e9).round())), [None, Some(4.3e8)]);
        assert_eq!(found[1].bounds, [Some(Kind::Fold), None]);
    }
}
