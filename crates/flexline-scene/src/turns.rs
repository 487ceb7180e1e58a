//! Turns watched in motion: a cable that is wound up while it moves may pass through itself as one at rest may.
//!
//! A slip takes many steps, in each of which twist changes by little. So a cable is compared with how it was when it was
//! looked at last, and that is as long ago as its twist has changed by half a turn that its clamps did not make. How the
//! clamps turn is followed step by step, since they may turn many times meanwhile.

use crate::winding::{LostTurns, of_spans, points};
use flexline::Quat;
use flexline::solver::network::{Network, NetworkState};
use flexline::solver::winding::{NOTICED, Winding, carried};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Steps from one look at the twist to the next.
const EVERY: u32 = 8;

/// The turns of all cables of a network in motion.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turns {
    cables: Vec<Watched>,
    /// Steps since the last look.
    steps: u32,
}

/// The turns of one cable.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Watched {
    name: String,
    spans: Vec<usize>,
    /// As it was when it was looked at last, and how far its clamps have turned since; `None` where an end is free to turn.
    since: Option<Since>,
    lost: Option<LostTurns>,
    /// When that was seen, s.
    time: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Since {
    winding: Winding,
    /// Its clamps now.
    clamps: [Quat; 2],
    /// What that has turned the first against the last, rad.
    carried: f64,
    /// What would be wound up in it then, had it lost nothing, turns.
    asked: f64,
}

/// Turns that a cable lost in motion, and when that was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostInMotion {
    /// When, s.
    pub time: f64,
    /// What.
    #[serde(flatten)]
    pub turns: LostTurns,
}

impl LostInMotion {
    /// What is told of it.
    pub fn message(&self) -> String {
        format!("At {:.3} s {}.", self.time, self.turns.message())
    }
}

impl Turns {
    /// Of cables, each by its name and spans, as they are when a motion begins; `known` is what they had lost by then.
    pub fn new<'a>(
        cables: impl Iterator<Item = (&'a str, Vec<usize>)>,
        network: &Network,
        state: &NetworkState,
        known: &[LostTurns],
    ) -> Self {
        let watched = |(name, spans): (&str, Vec<usize>)| {
            let lost = known.iter().find(|lost| lost.cable == name).cloned();
            let mut since = Since::new(network, state, &spans);
            if let (Some(since), Some(lost)) = (&mut since, &lost) {
                since.asked = lost.wound[0];
            }
            Watched { name: name.to_owned(), spans, since, lost, time: 0.0 }
        };
        Self { cables: cables.map(watched).collect(), steps: 0 }
    }

    /// Whether both watch the same cables.
    pub fn watches_as(&self, other: &Self) -> bool {
        let same = |(a, b): (&Watched, &Watched)| a.name == b.name && a.spans == b.spans;
        self.cables.len() == other.cables.len() && self.cables.iter().zip(&other.cables).all(same)
    }

    /// Follows a step that ended in this state at this time. Says whether something was lost or found again.
    pub fn follow(&mut self, network: &Network, state: &NetworkState, time: f64) -> bool {
        self.steps += 1;
        let looks = self.steps >= EVERY;
        if looks {
            self.steps = 0;
        }
        let mut news = false;
        for cable in &mut self.cables {
            news |= cable.follow(network, state, time, looks);
        }
        news
    }

    /// What is lost now.
    pub fn lost(&self) -> Vec<LostTurns> {
        self.cables.iter().filter_map(|cable| cable.lost.clone()).collect()
    }

    /// What was lost in motion, with the times.
    pub fn lost_in_motion(&self) -> Vec<LostInMotion> {
        let lost = |cable: &Watched| {
            let turns = cable.lost.clone().filter(|_| cable.time > 0.0)?;
            Some(LostInMotion { time: cable.time, turns })
        };
        self.cables.iter().filter_map(lost).collect()
    }
}

impl Since {
    fn new(network: &Network, state: &NetworkState, spans: &[usize]) -> Option<Self> {
        let winding = of_spans(network, state, spans, || {
            spans.iter().flat_map(|k| points(&network.rod(state, *k), &state.spans[*k].rod)).collect()
        })?;
        Some(Self { clamps: winding.clamps, asked: winding.twist, winding, carried: 0.0 })
    }
}

impl Watched {
    fn follow(&mut self, network: &Network, state: &NetworkState, time: f64, looks: bool) -> bool {
        let Some(mut now) = of_spans(network, state, &self.spans, Vec::new) else {
            self.since = None;
            return false;
        };
        let begin = || Since::new(network, state, &self.spans);
        let Some(since) = &mut self.since else {
            self.since = begin();
            return false;
        };
        // Where clamps that turn point opposite ways nothing can be told: it is watched from here on.
        let Some(turned) = carried(&since.clamps, &now.clamps) else {
            self.since = begin();
            return false;
        };
        since.carried += turned;
        since.clamps = now.clamps;
        // With their turning in what was asked for, the clamps are where they were.
        now.turned -= since.carried;
        now.clamps = since.winding.clamps;
        let commanded = (now.turned - since.winding.turned) / TAU;
        if !looks {
            return false;
        }
        if (now.twist - since.winding.twist - commanded).abs() < NOTICED {
            if let Some(lost) = &mut self.lost {
                lost.wound = [since.asked + commanded, now.twist];
            }
            return false;
        }
        let Some(mut next) = begin() else { return false };
        now.points.clone_from(&next.winding.points);
        let known =
            self.lost.clone().map(|lost| LostTurns { wound: [since.asked, since.winding.twist], ..lost });
        let mut lost = LostTurns::between(&self.name, &since.winding, &now, known.as_ref());
        // Twist that went into the shape before is asked for as well.
        next.asked = since.asked + commanded;
        if let Some(lost) = &mut lost {
            lost.wound[0] = next.asked;
        }
        self.since = Some(next);
        let told = |lost: &Option<LostTurns>| lost.as_ref().map(|own| own.lost);
        let news = told(&lost) != told(&self.lost);
        self.lost = lost;
        if news {
            self.time = time;
        }
        news
    }
}
