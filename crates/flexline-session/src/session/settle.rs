//! Where what slides has slid to, as numbers: eyes and beads stand in the file by a first guess, and so does the length of
//! a cable that finds its own.

use super::Solved;
use super::present::Present;
use crate::command::{Command, Kind, Quantity, cables_at};

/// What is nearer to where the file says than this share of its cable has not slid.
const STILL: f64 = 1e-9;

impl Present<'_> {
    /// The cables whose places a command counts on.
    pub(super) fn counted_on(&self, command: &Command) -> Vec<String> {
        match command {
            Command::Cut { cable, .. }
            | Command::Prolong { cable, .. }
            | Command::SetLength { cable, .. }
            | Command::Branch { cable, .. }
            | Command::AddHandle { cable, .. }
            | Command::EquidistantHandles { cable, .. }
            | Command::Route { cable, on: false, length: None, .. } => vec![cable.clone()],
            // What is taken off keeps the length it found.
            Command::Separate { at, cable } => {
                let mut here = cables_at(self.text, at).unwrap_or_default();
                here.retain(|name| cable.as_ref().is_none_or(|cable| cable == name));
                here.retain(|name| self.is_routed(name));
                here
            }
            Command::All { of } => {
                let mut all: Vec<String> = of.iter().flat_map(|one| self.counted_on(one)).collect();
                all.sort();
                all.dedup();
                all
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn is_routed(&self, cable: &str) -> bool {
        self.solved.compiled.cables.iter().any(|c| c.name == cable && c.routed)
    }

    /// What writes down how long a cable is now, and where on it everything is.
    pub(super) fn settled(&self, cable: &str) -> Vec<Command> {
        let Solved { scene, compiled, solution } = self.solved;
        let Some(index) = compiled.cables.iter().position(|c| c.name == cable) else { return Vec::new() };
        let (own, state) = (&compiled.cables[index], &solution.state);
        let mut commands = Vec::new();
        let place = |kind: Kind, name: &str, s: f64| {
            let value = serde_json::to_value(Quantity::metres(s)).unwrap_or_default();
            Command::Set { kind, name: Some(name.into()), key: "at".into(), value }
        };
        let now = compiled.length_now(state, index);
        if own.routed && (now - own.length).abs() > STILL * own.length {
            let length = Some(Quantity::metres(now));
            let cable = cable.to_owned();
            commands.push(Command::SetLength { cable, between: None, length, by: None, pull: None });
        }
        for (i, eye) in compiled.eyes.iter().enumerate().filter(|(_, eye)| eye.cable == index) {
            let s = compiled.eye_place(state, i);
            let bead = scene.beads.iter().find(|bead| bead.name == eye.name);
            let guess = scene.eyes.iter().find(|own| own.name == eye.name).map(|own| own.at);
            let (kind, guess) = bead.map_or((Kind::Eye, guess), |bead| (Kind::Bead, Some(bead.at)));
            if !commands.is_empty() || guess.is_none_or(|guess| (s - guess).abs() > STILL * own.length) {
                commands.push(place(kind, &eye.name, s));
            }
        }
        // Between clips a routed cable finds the length of each piece.
        if own.routed && !commands.is_empty() {
            for clip in scene.clips.iter().filter(|clip| clip.cable == index) {
                commands.extend(self.clip_place(index, &clip.name).map(|s| place(Kind::Clip, &clip.name, s)));
            }
        }
        commands
    }

    /// Where a clip is on its cable, m.
    fn clip_place(&self, cable: usize, clip: &str) -> Option<f64> {
        let Solved { compiled, solution, .. } = self.solved;
        let mut s = 0.0;
        for (span, _) in &compiled.cables[cable].spans {
            s += compiled.rim_length(&solution.state, *span) + solution.state.lengths[*span];
            let end = compiled.network.spans[*span].end;
            if end.is_some_and(|end| compiled.anchors[end.anchor].name == clip) {
                return Some(s);
            }
        }
        None
    }
}
