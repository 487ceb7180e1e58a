//! Turns that cables have lost: cables do not feel themselves, so that one that is wound up may pass through itself.

use crate::check::{Finding, Rule, Verdict};
use crate::harness::{Compiled, Solution};
use flexline::Vec3;
use flexline::rod::{AnyRod, Rod, RodState};
use flexline::solver::network::{Attachment, Grip, Network, NetworkState};
use flexline::solver::statics::Settings;
use flexline::solver::winding::{NOTICED, Slip, Winding};
use flexline::solver::{Profile, Status};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Turns that a cable had and has no more, though nobody turned it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostTurns {
    /// The cable.
    pub cable: String,
    /// How many; `None` where it cannot be told whether it slipped round itself.
    pub lost: Option<i32>,
    /// What would be wound up in it, and what is, turns.
    pub wound: [f64; 2],
}

impl LostTurns {
    /// What is told of it.
    pub fn message(&self) -> String {
        let Self { cable, lost, wound: [from, to] } = self;
        // Without the sign of a zero.
        let [from, to] = [from, to].map(|turns| (1e2 * turns).round() / 1e2 + 0.0);
        match lost {
            Some(lost) => format!(
                "cable '{cable}' slipped round itself and lost {} turns: {to:.2} instead of {from:.2} are wound up in it \
                 (contact is not modelled)",
                lost.abs()
            ),
            None => format!(
                "the twist wound up in cable '{cable}' changed from {from:.2} to {to:.2} turns without a turn of the hand"
            ),
        }
    }

    /// The same as a finding about the cable.
    pub fn finding(&self, profile: &Profile) -> Finding {
        let last = profile.samples.last();
        Finding {
            rule: Rule::Turns,
            verdict: Verdict::Warn,
            value: self.wound[1],
            limit: Some(self.wound[0]),
            utilisation: None,
            s: last.map_or(0.0, |p| p.s),
            position: last.map_or(Vec3::zeros(), |p| p.position),
            detail: String::new(),
            message: self.message(),
        }
    }

    /// What became of the turns of a cable; adds to what it had lost before.
    pub fn between(cable: &str, before: &Winding, after: &Winding, known: Option<&Self>) -> Option<Self> {
        let commanded = (after.turned - before.turned) / TAU;
        let lost = match after.slip_since(before) {
            Slip::None => {
                // What could not be told is said once.
                return known
                    .filter(|known| known.lost.is_some())
                    .map(|known| Self { wound: [known.wound[0] + commanded, after.twist], ..known.clone() });
            }
            Slip::Through(lost) => match known {
                Some(Self { lost: Some(had), .. }) if had + lost == 0 => return None,
                Some(Self { lost: Some(had), .. }) => Some(had + lost),
                _ => Some(lost),
            },
            Slip::Unknown => None,
        };
        let wound = [known.map_or(before.twist, |known| known.wound[0]) + commanded, after.twist];
        Some(Self { cable: cable.to_owned(), lost, wound })
    }
}

/// How a cable of these spans is wound, with the points that are asked for where it is; `None` where something that holds
/// it is free to turn, or it is free to turn itself.
pub(crate) fn of_spans(
    network: &Network,
    state: &NetworkState,
    spans: &[usize],
    points: impl Fn() -> Vec<Vec3>,
) -> Option<Winding> {
    let (first, last) = (*spans.first()?, *spans.last()?);
    let ends = spans.iter().flat_map(|k| [Some(network.spans[*k].start), network.spans[*k].end]);
    if !ends.flatten().all(|end| end.grip == Grip::Clamped) {
        return None;
    }
    let [from, to] = [network.spans[first].start, network.spans[last].end?];
    let twist = twist_of_spans(network, state, spans.iter().copied());
    // Before the last span it is the roll on a wheel.
    let turned = network.spans[last].twist;
    let frame = |end: &Attachment| state.anchors[end.anchor].orientation * end.anchor_from_end.orientation;
    if from == to {
        return Some(Winding { points: points(), clamps: [frame(&from); 2], turned, twist, closed: true });
    }
    let held = |end: &Attachment| network.anchors.get(end.anchor).is_some_and(|a| a.held_orientation);
    if !(held(&from) && held(&to)) {
        return None;
    }
    Some(Winding { points: points(), clamps: [frame(&from), frame(&to)], turned, twist, closed: false })
}

/// Twist in some spans together, turns.
fn twist_of_spans(network: &Network, state: &NetworkState, spans: impl Iterator<Item = usize>) -> f64 {
    spans.map(|k| network.spans[k].rod.twist_turns(&state.spans[k].rod)).sum()
}

pub(crate) fn points(rod: &AnyRod, state: &RodState) -> Vec<Vec3> {
    rod.arcs().iter().map(|s| rod.station(state, *s).position).collect()
}

impl Compiled {
    /// How a cable is wound; `None` where something that holds it is free to turn, or it is free to turn itself.
    pub fn winding(&self, state: &NetworkState, cable: usize, along: &Profile) -> Option<Winding> {
        let spans = self.cables[cable].span_indices();
        of_spans(&self.network, state, &spans, || {
            along.samples.iter().map(|sample| sample.position).collect()
        })
    }

    /// Twist of a cable, turns, without a look at what has slid.
    pub fn wound(&self, state: &NetworkState, cable: usize) -> f64 {
        let spans = self.cables[cable].spans.iter().map(|(k, _)| *k);
        twist_of_spans(&self.network, state, spans)
    }

    /// Turns that cables solved from nothing should hold and do not. They are compared with the same cables laid without
    /// them; where they differ, with those solved, since a first guess may be on the other side of itself.
    pub fn lost_turns(&self, solution: &Solution, settings: &Settings) -> Vec<LostTurns> {
        let asks = |cable: usize| {
            let found = self.winding(&solution.state, cable, &solution.profiles[cable])?;
            (found.turned.abs() >= TAU * NOTICED).then_some((cable, found))
        };
        let asked: Vec<(usize, Winding)> = (0..self.cables.len()).filter_map(asks).collect();
        if asked.is_empty() || solution.report.status != Status::Converged {
            return Vec::new();
        }
        let mut plain = Self { start: None, ..self.clone() };
        for (last, _) in self.cables.iter().filter_map(|cable| cable.spans.last()) {
            plain.network.spans[*last].twist = 0.0;
        }
        let against = |state: &NetworkState| -> Vec<LostTurns> {
            let one = |(cable, found): &(usize, Winding)| {
                let laid = plain.winding(state, *cable, &plain.profile(state, *cable))?;
                LostTurns::between(&self.cables[*cable].name, &laid, found, None)
            };
            asked.iter().filter_map(one).collect()
        };
        let laid = against(&NetworkState::initial(&plain.network));
        if laid.is_empty() {
            return laid;
        }
        match plain.solve(&Settings { stability: false, ..*settings }) {
            Ok(solution) if solution.report.status == Status::Converged => against(&solution.state),
            _ => laid,
        }
    }
}
