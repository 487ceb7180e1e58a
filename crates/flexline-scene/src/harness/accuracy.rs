//! Segments and elements of cables, chosen for the accuracy that its cables ask for.
//!
//! The answer is held against that of a harness whose segments and elements are half as long, all of them: what a cable is off by
//! may come from its neighbours. Spans that differ in their own shape are halved, until every cable is within its accuracy.

use super::Scene;
use super::compile::{Compiled, Finer};
use crate::diagnostic::Diagnostic;
use flexline::Vec3;
use flexline::rod::{AnyRod, Rod};
use flexline::solver::network::{Network, NetworkReport, NetworkState};
use flexline::solver::statics::{
    MOST_ELEMENTS, MOST_SEGMENTS, RICHARDSON, Scratch, Settings, best_shrinkage, distance, equilibrium,
    solve_adaptive,
};
use flexline::solver::{ProblemError, State, Status, budget};

/// Most times that the pieces of a span are halved.
const ROUNDS: usize = 7;
/// Share of the accuracy that the shape of one span may differ by.
const SHARE: f64 = 0.25;
/// Places at which the shapes of a span are compared.
const PLACES: u32 = 24;

/// Most segments that a harness is compared with, elements counted as the eight stretches they are drawn in: beyond, an answer takes seconds.
const MOST: usize = 100_000;

/// How often the pieces of every span of every cable are halved.
type Halvings = Vec<Vec<u32>>;

/// What was chosen for an accuracy.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// How far the centreline may be off, m.
    pub accuracy: f64,
    /// How far it is estimated to be off, m; `None` where no equilibrium was found.
    pub error: Option<f64>,
    /// By how much what the supports exert is estimated to be off, N and N m; `None` where nothing is known of it.
    pub support_error: Option<[f64; 2]>,
    /// Whether the estimate is within the accuracy.
    pub met: bool,
}

impl Chosen {
    /// Where no equilibrium was found.
    fn unknown(accuracy: f64) -> Self {
        Self { accuracy, error: None, support_error: None, met: false }
    }
}

/// An equilibrium.
struct Answer {
    state: NetworkState,
    report: NetworkReport,
}

impl Scene {
    /// The same scene, where obstacles leave room for what holds its cables.
    fn with_room(&self, own: Compiled) -> Result<Compiled, Vec<Diagnostic>> {
        let mistakes = self.entered_holds(&own);
        if mistakes.is_empty() { Ok(own) } else { Err(mistakes) }
    }

    /// Compiles with as many segments and elements as the accuracies of cables ask for.
    pub(super) fn choose(&self, even_short: bool) -> Result<Compiled, Vec<Diagnostic>> {
        let mut own = self.build(even_short, Finer::Halved(&[])).and_then(|own| self.with_room(own))?;
        let asked: Vec<Option<f64>> = self.cables.iter().map(|c| c.cable.accuracy).collect();
        if asked.iter().all(Option::is_none) {
            return Ok(own);
        }
        if let (Some(single), [Some(accuracy)]) = (self.as_single(), &asked[..]) {
            let chosen = self.choose_ends(*accuracy, &mut own, even_short);
            return chosen.map(|()| own).map_err(|error| vec![single.engine_mistake(&error)]);
        }
        let settings = Settings { stability: false, ..own.settings() };
        let mut halvings: Halvings = own.cables.iter().map(|c| vec![0; c.spans.len()]).collect();
        let mut answer = own.answer(None, &settings);
        for _ in 0..ROUNDS {
            let Some(found) = answer.as_ref().filter(|_| budget::stop().is_none()) else { break };
            let all: Halvings = halvings.iter().map(|cable| cable.iter().map(|n| n + 1).collect()).collect();
            let fine = self.build(even_short, Finer::Halved(&all))?;
            if fine.network.spans.iter().map(|span| span.rod.segments()).sum::<usize>() > MOST {
                break;
            }
            let Some(finer) = fine.answer(Some((&own.network, found)), &settings) else { break };
            let differ = Differences { coarse: (&own.network, found), fine: (&fine.network, &finer) };
            let before = std::mem::take(&mut own.chosen);
            let told = |i: usize| {
                let last = before.get(i).and_then(|b| b.as_ref()?.error);
                asked[i].map(|accuracy| differ.chosen(accuracy, &own.cables[i].spans, last))
            };
            own.chosen = (0..own.cables.len()).map(told).collect();
            if own.chosen.iter().flatten().all(|cable| cable.met) {
                break;
            }
            let next = differ.next(&own, &asked, &halvings);
            if next == halvings {
                break;
            }
            halvings = next;
            let refined = self.build(even_short, Finer::Halved(&halvings))?;
            let settled = refined.answer(Some((&fine.network, &finer)), &settings);
            if settled.is_none() {
                break;
            }
            (own, answer) = (Compiled { chosen: own.chosen, ..refined }, settled);
        }
        if own.chosen.is_empty() {
            own.chosen = asked.iter().map(|asked| asked.map(Chosen::unknown)).collect();
        }
        own.start = answer.map(|found| found.state);
        Ok(own)
    }

    /// Gives the one cable of a scene segments or elements where an accuracy (m) needs them: a rod alone tells which of them
    /// are too long. A solve begins at the equilibrium found on the way.
    fn choose_ends(&self, accuracy: f64, own: &mut Compiled, even_short: bool) -> Result<(), ProblemError> {
        let made = |ends: &[f64]| self.build(even_short, Finer::At(ends)).ok()?.network.as_cable();
        let pose = |ends: &[f64]| {
            made(ends).ok_or(ProblemError::NotFinite { what: "an element chosen for the accuracy" })
        };
        let rod = &mut own.network.spans[0].rod;
        let length = rod.length();
        let found = solve_adaptive(&rod.piece_ends(), accuracy / length, &pose, &self.solve.settings())?;
        *rod = found.problem.rod;
        let error = Some(found.error * length).filter(|_| found.report.status == Status::Converged);
        own.chosen = vec![Some(Chosen {
            accuracy,
            error: error.filter(|e| e.is_finite()),
            support_error: found.support_error,
            met: error.is_some() && found.met,
        })];
        own.start = Some(NetworkState::from_cable(&own.network, &found.state));
        Ok(())
    }
}

impl Compiled {
    /// The equilibrium, from the shape of another harness where there is one; `None` where none is found.
    fn answer(&self, before: Option<(&Network, &Answer)>, settings: &Settings) -> Option<Answer> {
        // Friction remembers how the cables came to lie: they are laid anew.
        let remembers = !self.fed.is_empty() || self.eyes.iter().any(|eye| eye.friction > 0.0);
        let (state, report) = match before.filter(|_| !remembers) {
            None => {
                let solution = self.solve(settings).ok()?;
                (solution.state, solution.report)
            }
            Some((other, found)) => {
                let mut state = found.state.clone();
                for (k, span) in state.spans.iter_mut().enumerate() {
                    let [new, old] = [&self.network, other].map(|network| network.rod(&found.state, k));
                    span.rod = new.shaped_as(&old, &found.state.spans[k].rod);
                }
                let mut scratch = Scratch::new(&self.network);
                let report = equilibrium(&self.network, &mut state, &mut scratch, settings).ok()?;
                (state, report)
            }
        };
        (report.status == Status::Converged).then_some(Answer { state, report })
    }
}

/// One harness twice, the second with pieces half as long.
struct Differences<'a> {
    coarse: (&'a Network, &'a Answer),
    fine: (&'a Network, &'a Answer),
}

impl Differences<'_> {
    /// A span in both: its rod as long as it is, and its state.
    fn span(&self, k: usize) -> [(AnyRod, &State); 2] {
        [self.coarse, self.fine]
            .map(|(network, own)| (network.rod(&own.state, k).into_owned(), &own.state.spans[k]))
    }

    /// What is known of a cable that asks for an accuracy, m; its error was `last` with pieces of which some are halved since.
    fn chosen(&self, accuracy: f64, spans: &[(usize, f64)], last: Option<f64>) -> Chosen {
        let off = |k: usize| {
            let [a, b] = self.span(k);
            distance((&a.0, a.1), (&b.0, b.1))
        };
        let error = RICHARDSON * spans.iter().map(|(k, _)| off(*k)).fold(0.0, f64::max);
        let shrinkage =
            spans.iter().map(|(k, _)| best_shrinkage(&self.coarse.0.spans[*k].rod)).fold(1.0, f64::max);
        let error = error.max(last.unwrap_or(0.0) / shrinkage);
        let held = spans.iter().flat_map(|(k, _)| {
            let span = &self.coarse.0.spans[*k];
            [Some(span.start.anchor), span.end.map(|end| end.anchor)].into_iter().flatten()
        });
        let (mut force, mut moment) = (0.0f64, 0.0f64);
        for anchor in held {
            let [a, b] = [self.coarse.1, self.fine.1].map(|own| own.report.reactions[anchor]);
            force = force.max((a.force - b.force).norm());
            moment = moment.max((a.moment - b.moment).norm());
        }
        let support_error = Some([force, moment].map(|e| RICHARDSON * e));
        Chosen { accuracy, error: Some(error), support_error, met: last.is_some() && error <= accuracy }
    }

    /// How far a span differs in its own shape, its ends laid upon each other, m.
    fn bend(&self, k: usize) -> f64 {
        let [a, b] = self.span(k);
        let at = |share: f64| {
            let place =
                |(rod, state): &(AnyRod, &State)| rod.station(&state.rod, share * rod.length()).position;
            place(&a) - place(&b)
        };
        let (first, last): (Vec3, Vec3) = (at(0.0), at(1.0));
        let own = |n: u32| {
            let share = f64::from(n) / f64::from(PLACES);
            (at(share) - first.lerp(&last, share)).norm()
        };
        (0..=PLACES).map(own).fold(0.0, f64::max)
    }

    /// Halvings of the next round: of spans whose own shape differs, or else of all spans of cables that are not yet met.
    fn next(&self, own: &Compiled, asked: &[Option<f64>], halvings: &Halvings) -> Halvings {
        let may = |k: usize| {
            let (pieces, what) = own.network.spans[k].rod.pieces();
            let most = if what == "segments" { MOST_SEGMENTS } else { MOST_ELEMENTS / 2 };
            2 * pieces <= most
        };
        let halve = |wanted: &dyn Fn(usize, usize, f64) -> bool| -> Halvings {
            let mut next = halvings.clone();
            for (i, cable) in own.cables.iter().enumerate() {
                let Some(accuracy) = asked[i] else { continue };
                for (n, (k, _)) in next[i].iter_mut().zip(&cable.spans) {
                    *n += u32::from(may(*k) && wanted(i, *k, accuracy));
                }
            }
            next
        };
        let bent = halve(&|_, k, accuracy| RICHARDSON * self.bend(k) > SHARE * accuracy);
        if bent != *halvings {
            return bent;
        }
        halve(&|i, _, _| own.chosen[i].as_ref().is_some_and(|cable| !cable.met))
    }
}
