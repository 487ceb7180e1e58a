//! Places of cables in hand: the clips that stand for them, and where they are after a change of the cable.

use super::Hand;
use crate::command::{Command, HandleHold, Keys, Quantity, edit, place_on};
use flexline::Vec3;
use serde::Serialize;

/// What a hand takes hold of.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Grasp {
    /// A port, part, connector, clip, …; the `start` or `end` of a single cable.
    #[serde(rename = "name")]
    Thing(String),
    /// A place of a cable, m.
    #[serde(untagged)]
    Point {
        /// The cable.
        cable: String,
        /// Arc length, m.
        at: f64,
    },
}

/// Where a place of a cable is after a command, m: where a clip would be that had been put there before. `text` is the
/// scene before the command; `None` where the cable has no such place any more.
pub(super) fn place_after(text: &str, command: &Command, cable: &str, at: f64) -> Option<f64> {
    let probe = "place in hand";
    let with = edit(text, &here(cable, at, probe)).ok()?.text;
    let after = edit(&with, command).ok()?.text;
    place_on(&after, "at", cable, &Quantity::Text(probe.into())).ok()
}

/// A sentence of the solver for a person: what stands for a hand is a hand.
pub(super) fn in_words(sentence: String, hands: &[Hand]) -> String {
    let held = hands.iter().filter(|hand| matches!(hand.grasp, Grasp::Point { .. }));
    held.fold(sentence, |sentence, hand| sentence.replace(&format!("clip '{}'", hand.mover), "the hand"))
}

/// A clip on a cable that nothing holds yet: where it is in equilibrium it can be held, to the last digit.
pub(super) fn here(cable: &str, at: f64, name: &str) -> Command {
    Command::AddHandle {
        cable: cable.into(),
        at: Quantity::Number(at),
        name: Some(name.into()),
        hold: HandleHold::Free,
        with: Keys::new(),
    }
}

/// A clip that holds a place of a cable at a point.
pub(super) fn handle(cable: &str, at: f64, name: &str, to: Vec3) -> Command {
    let mut command = here(cable, at, name);
    if let Command::AddHandle { hold, with, .. } = &mut command {
        *hold = HandleHold::Pinned;
        with.insert("position".into(), vec![to.x, to.y, to.z].into());
    }
    command
}
