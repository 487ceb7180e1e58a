//! What a command says of the present shape, as numbers: a replay must not depend on the solver.

use super::carry::{sample, target};
use super::{Session, SessionError, Solved, Solving};
use crate::command::{
    Command, HandleHold, Keys, Lineage, Plain, Quantity, bend_length_of, edit, mistake, place_on,
};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::budget;
use flexline::solver::network::{Attachment, Span};
use flexline_scene::Scene;
use flexline_scene::harness::EyeHold;
use flexline_scene::units::Dimension;
use flexline_scene::words::quote;
use flexline_scene::{Code, SceneError};

/// No more handles than this at once.
const MOST_HANDLES: usize = 1000;
/// Steps in which the length of a first curve is summed.
const STEPS: usize = 200;

/// The text of a scene and its shape.
pub(super) struct Present<'a> {
    pub text: &'a str,
    pub solved: &'a Solved,
}

impl Session {
    /// The command with numbers instead of what refers to the present shape.
    pub(super) fn explicit(&self, command: &Command) -> Result<Command, SessionError> {
        if self.solving == Solving::Never {
            return Ok(command.clone());
        }
        let Some(solved) = self.solution() else { return Ok(command.clone()) };
        let obstacles = || solved.scene.obstacles.iter().map(|own| own.name.clone()).collect::<Vec<_>>();
        let stays = command.suits_one_cable() || command.is_about(&obstacles());
        if solved.scene.is_single() && !stays && needs_shape(command) {
            // The names that it uses are those of the harness that the scene becomes.
            let edited = edit(&self.text, &Command::ToHarness {})?;
            let scene = Scene::read_in(&edited.text, &self.name, &self.folder)?;
            let solved = Solved::new(scene, Some(solved), &edited.lineage)?;
            return Ok(Present { text: &edited.text, solved: &solved }.explicit(command)?);
        }
        let present = Present { text: &self.text, solved };
        let mut of: Vec<Command> =
            present.counted_on(command).iter().flat_map(|cable| present.settled(cable)).collect();
        if of.is_empty() {
            return Ok(present.explicit(command)?);
        }
        // What slid is put where it went first: places on a cable are counted as it is, not as it was guessed.
        let edited = edit(&self.text, &Command::All { of: of.clone() })?;
        of.push(Present { text: &edited.text, solved }.explicit(command)?);
        Ok(Command::All { of })
    }
}

/// Whether a command may refer to the present shape.
fn needs_shape(command: &Command) -> bool {
    match command {
        Command::CreateCable { slack, .. } => slack.is_some(),
        Command::Branch { slack, length, .. } => slack.is_some() && length.is_none(),
        Command::Move { by, to, .. } => by.is_some() || to.is_none(),
        Command::AddHandle { hold, with, .. } => *hold != HandleHold::Free && !with.contains_key("position"),
        Command::SetHandle { hold, position, .. } => *hold != Some(HandleHold::Free) && position.is_none(),
        Command::EquidistantHandles { .. } => true,
        Command::Route { on, slider, length, .. } => slider.is_some() || !on && length.is_none(),
        Command::SetLength { pull, .. } => pull.is_some(),
        Command::All { of } => of.iter().any(needs_shape),
        _ => false,
    }
}

impl Present<'_> {
    fn explicit(&self, command: &Command) -> Result<Command, SceneError> {
        if !needs_shape(command) {
            return Ok(command.clone());
        }
        let mut explicit = command.clone();
        match &mut explicit {
            Command::CreateCable { from, to, length: length @ None, slack, .. } => {
                *length = Some(self.length(self.end(from)?, to, slack.as_ref())?);
                *slack = None;
            }
            Command::Branch { cable, at, to, length: length @ None, slack, with, .. } => {
                let was = self.at(cable, at)?;
                let numbers = with.get("from_tangent").and_then(|v| v.as_array());
                let own = numbers.map(|v| v.iter().filter_map(|x| x.as_f64()).collect::<Vec<_>>());
                let own = match own.as_deref() {
                    Some(&[x, y, z]) => Vec3::new(x, y, z).try_normalize(0.0).unwrap_or(Vec3::z()),
                    _ => Vec3::z(),
                };
                let start = (was.position, Some(rotation::rotate(&was.frame, &own)));
                *length = Some(self.length(start, to, slack.as_ref())?);
                *slack = None;
            }
            Command::Move { name, to, by, .. } => {
                // What is held is moved from where the file says; what is loose from where it is.
                if let (Some(pose), true) = (self.solved.pose(name), self.is_loose(name)) {
                    let by_how_much = match by {
                        Some([x, y, z]) => {
                            let read = |q: &Quantity| q.read("by", Dimension::Length);
                            Vec3::new(read(x)?, read(y)?, read(z)?)
                        }
                        None => Vec3::zeros(),
                    };
                    if to.is_none() {
                        let at = pose.position + by_how_much;
                        *to = Some([at.x, at.y, at.z].map(Quantity::metres));
                        *by = None;
                    }
                }
            }
            Command::SetHandle { name, hold, path, position, frame, .. } => {
                let Some(pose) = self.solved.pose(name) else { return Ok(explicit) };
                if path.is_none() {
                    *position =
                        Some([pose.position.x, pose.position.y, pose.position.z].map(Quantity::metres));
                }
                if *hold == Some(HandleHold::Clamped) && frame.is_empty() {
                    frame.insert("quaternion".into(), pose.orientation.plain());
                }
            }
            Command::Route { cable, on: true, bend_length, slider, .. } => {
                if let Some(place) = slider.take() {
                    if bend_length.is_some() || !(0.0..=1.0).contains(&place) {
                        let message =
                            format!("`slider` = {place} is out of range, or `bend_length` is given");
                        let help = "expected 0 (straight) to 1 (bent), and nothing beside it";
                        return Err(mistake(Code::OutOfRange, "slider", message, help));
                    }
                    *bend_length = Some(Quantity::metres(bend_length_of(place, self.chord(cable)?)));
                }
            }
            Command::Route { cable, on: false, length, .. } => {
                *length = Some(Quantity::metres(place_on(
                    self.text,
                    "cable",
                    cable,
                    &Quantity::Text("to".into()),
                )?));
            }
            Command::AddHandle { cable, at, hold, with, .. } => self.hold_here(cable, at, *hold, with)?,
            Command::EquidistantHandles { cable, count, from, to, hold, prefix } => {
                return self.equidistant(
                    cable,
                    *count,
                    [from.as_ref(), to.as_ref()],
                    *hold,
                    prefix.as_deref(),
                );
            }
            Command::SetLength { cable, between, length, by, pull } => {
                if let Some(goal) = pull.take() {
                    if length.is_some() || by.is_some() {
                        let help = "give one of `length`, `by` and `pull`";
                        return Err(mistake(
                            Code::Conflict,
                            "pull",
                            "`pull` goes with no other length",
                            help,
                        ));
                    }
                    *length = Some(self.pulled(cable, between.as_ref(), &goal)?);
                }
            }
            Command::All { of } => {
                for one in of {
                    *one = self.explicit(one)?;
                }
            }
            _ => {}
        }
        Ok(explicit)
    }

    /// The straight distance from one hold of a cable to the next, the mean where clips divide it, m.
    fn chord(&self, cable: &str) -> Result<f64, SceneError> {
        let Solved { compiled, solution, .. } = self.solved;
        let own = compiled.cables.iter().find(|c| c.name == cable);
        let spans = own.map_or(&[][..], |c| &c.spans);
        let at = |end: &Attachment| target(&solution.state.anchors, end, 0.0).0;
        let chord = |span: &Span| Some((at(span.end.as_ref()?) - at(&span.start)).norm());
        let places: Vec<f64> = spans.iter().filter_map(|(k, _)| chord(&compiled.network.spans[*k])).collect();
        let mean = places.iter().sum::<f64>() / places.len().max(1) as f64;
        if mean > 0.0 {
            return Ok(mean);
        }
        let message = format!("the ends of cable '{}' are at one place, or one is free", quote(cable));
        Err(mistake(Code::Conflict, "slider", message, "give a `tension` or a `bend_length`"))
    }

    /// Whether something is free to move along some axis.
    fn is_loose(&self, name: &str) -> bool {
        let Solved { scene, compiled, .. } = self.solved;
        // An eye on something is moved in the axes of that.
        if scene.eyes.iter().any(|eye| eye.name == name && !matches!(eye.hold, EyeHold::Free(_))) {
            return false;
        }
        let index = compiled.anchors.iter().position(|a| a.name == name);
        index.is_some_and(|i| compiled.network.anchors[i].held == [false; 3])
    }

    fn at(&self, cable: &str, at: &Quantity) -> Result<super::carry::Was, SceneError> {
        let s = place_on(self.text, "at", cable, at)?;
        let was = self.solved.profile(cable).and_then(|profile| sample(profile, s));
        was.ok_or_else(|| {
            let message = format!("the shape of cable '{}' is not known", quote(cable));
            mistake(Code::UnknownName, "cable", message, "give numbers")
        })
    }

    /// Gives a handle the position of its cable, and its frame where it holds that.
    fn hold_here(
        &self,
        cable: &str,
        at: &Quantity,
        hold: HandleHold,
        with: &mut Keys,
    ) -> Result<(), SceneError> {
        if hold == HandleHold::Free || with.contains_key("position") {
            return Ok(());
        }
        let was = self.at(cable, at)?;
        with.insert("position".into(), was.position.plain());
        let turned = ["tangent", "quaternion", "axis"].iter().any(|key| with.contains_key(*key));
        if hold == HandleHold::Clamped && !turned {
            with.insert("quaternion".into(), was.frame.plain());
        }
        Ok(())
    }

    fn equidistant(
        &self,
        cable: &str,
        count: usize,
        [from, to]: [Option<&Quantity>; 2],
        hold: HandleHold,
        prefix: Option<&str>,
    ) -> Result<Command, SceneError> {
        if count == 0 || count > MOST_HANDLES {
            let message = format!("`count` = {count} is out of range");
            let help = format!("expected 1 to {MOST_HANDLES}");
            return Err(mistake(Code::OutOfRange, "count", message, help));
        }
        let whole = [Quantity::Text("from".into()), Quantity::Text("to".into())];
        let a = place_on(self.text, "from", cable, from.unwrap_or(&whole[0]))?;
        let b = place_on(self.text, "to", cable, to.unwrap_or(&whole[1]))?;
        if b <= a {
            let help = "expected two places in order along the cable";
            return Err(mistake(Code::OutOfRange, "to", "`to` does not lie beyond `from`", help));
        }
        let prefix = prefix.map_or_else(|| format!("{} handle", cable.replace('.', "-")), str::to_owned);
        let one = |i: usize| {
            let s = a + (b - a) * i as f64 / (count + 1) as f64;
            let (at, mut with) = (Quantity::metres(s), Keys::new());
            self.hold_here(cable, &at, hold, &mut with)?;
            let name = Some(format!("{prefix} {i}"));
            Ok(Command::AddHandle { cable: cable.into(), at, name, hold, with })
        };
        Ok(Command::All { of: (1..=count).map(one).collect::<Result<_, SceneError>>()? })
    }

    /// Where a cable would begin or end, and its direction there.
    fn end(&self, node: &str) -> Result<(Vec3, Option<Vec3>), SceneError> {
        let pose = self.solved.pose(node).ok_or_else(|| {
            let message = format!("where \"{}\" is, is not known", quote(node));
            mistake(Code::UnknownName, "slack", message, "give a length")
        })?;
        Ok((pose.position, Some(rotation::tangent(&pose.orientation))))
    }

    /// The length of a smooth curve between two ends, and slack on top.
    fn length(
        &self,
        (start, first): (Vec3, Option<Vec3>),
        to: &str,
        slack: Option<&Quantity>,
    ) -> Result<Quantity, SceneError> {
        if to == "free" {
            let help = "give a length";
            return Err(mistake(Code::Conflict, "slack", "a cable with a free end has no slack", help));
        }
        let (end, last) = self.end(to)?;
        let chord = end - start;
        let along = chord.try_normalize(0.0).unwrap_or(Vec3::x());
        let reach = chord.norm();
        let (ta, tb) = (first.unwrap_or(along) * reach, last.unwrap_or(along) * reach);
        let at = |t: f64| {
            let (t2, t3) = (t * t, t * t * t);
            start * (2.0 * t3 - 3.0 * t2 + 1.0)
                + ta * (t3 - 2.0 * t2 + t)
                + end * (3.0 * t2 - 2.0 * t3)
                + tb * (t3 - t2)
        };
        let mut way = 0.0;
        for i in 0..STEPS {
            way += (at((i + 1) as f64 / STEPS as f64) - at(i as f64 / STEPS as f64)).norm();
        }
        let slack = match slack {
            Some(slack) => match slack.share() {
                Some(share) => share * way,
                None => slack.read("slack", Dimension::Length)?,
            },
            None => 0.0,
        };
        // To a tenth of a millimetre: nobody cuts finer.
        Ok(Quantity::metres(((way + slack) * 1e4).ceil() / 1e4))
    }

    /// The scene with a cable of another length, solved from the present shape.
    pub(super) fn with_length(
        &self,
        cable: &str,
        between: Option<&[Quantity; 2]>,
        length: f64,
    ) -> Result<Solved, SceneError> {
        let command = Command::SetLength {
            cable: cable.into(),
            between: between.cloned(),
            length: Some(Quantity::Number(length)),
            by: None,
            pull: None,
        };
        let edited = edit(self.text, &command)?;
        let scene = Scene::read_in(&edited.text, "pulled", self.solved.scene.folder())?;
        let lineage: &Lineage = &edited.lineage;
        let solved = Solved::new(scene, Some(self.solved), lineage)?;
        match budget::stop() {
            None => Ok(solved),
            Some(_) => {
                let message = format!("the length of cable '{}' was not found in time", quote(cable));
                Err(mistake(Code::OutOfRange, "pull", message, "give a length"))
            }
        }
    }
}
