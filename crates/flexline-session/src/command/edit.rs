//! From a command and a scene's text to the text after it.

use super::document::Document;
use super::lineage::Lineage;
use super::parse::mistake;
use super::{Command, Keys, Kind, Quantity};
use flexline_scene::LARGEST_FILE;
use flexline_scene::words::quote;
use flexline_scene::{Code, SceneError};

/// No more commands than this in one.
const MOST: usize = 10_000;
/// No more text than this is worked through by the commands in one, in bytes.
const MOST_TEXT: usize = 256 << 20;

/// The text of a scene after a command.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// What changed, a line each.
    pub changes: Vec<String>,
    /// Where its cables come from.
    pub lineage: Lineage,
}

/// Edits the text of a scene. What comes out still has to be read: a command may ask for what no scene can be.
pub fn edit(text: &str, command: &Command) -> Result<Edited, SceneError> {
    let mut edit = Edit {
        doc: Document::parse(text)?,
        changes: Vec::new(),
        lineage: Lineage::default(),
        step: Lineage::default(),
        count: 0,
        work: 0,
    };
    edit.run(command)?;
    let text = edit.doc.finish();
    if text.len() as u64 > LARGEST_FILE {
        let help = "expected at most 16 MiB";
        return Err(mistake(Code::TooLarge, "", "the scene would become too large", help));
    }
    Ok(Edited { text, changes: edit.changes, lineage: edit.lineage })
}

/// Where a place is on a cable of a scene, m.
pub(crate) fn place_on(text: &str, field: &str, cable: &str, at: &Quantity) -> Result<f64, SceneError> {
    Document::parse(text)?.place(field, cable, at)
}

/// The names of the cables that begin or end in something.
pub(crate) fn cables_at(text: &str, node: &str) -> Result<Vec<String>, SceneError> {
    Ok(Document::parse(text)?.cables_at(node).into_iter().map(|(name, _)| name).collect())
}

/// An edit under way.
pub(super) struct Edit {
    pub doc: Document,
    pub changes: Vec<String>,
    /// Of all commands so far.
    lineage: Lineage,
    /// Of this command.
    pub step: Lineage,
    count: usize,
    /// Text worked through so far, in bytes.
    work: usize,
}

/// What most edits return.
pub(super) type Done = Result<(), SceneError>;

impl Edit {
    pub(super) fn tell(&mut self, change: impl Into<String>) {
        self.changes.push(change.into());
    }

    fn run(&mut self, command: &Command) -> Done {
        self.count += 1;
        if self.count > MOST {
            let message = format!("more than {MOST} commands in one");
            return Err(mistake(Code::TooLarge, "of", message, "divide them"));
        }
        if let Command::All { of } = command {
            return of.iter().try_for_each(|one| {
                self.run(one)?;
                self.bounded()
            });
        }
        let obstacles = || self.doc.labels(Kind::Obstacle);
        if !self.doc.is_harness() && !command.suits_one_cable() && !command.is_about(&obstacles()) {
            self.make_harness()?;
            self.keep();
            if matches!(command, Command::ToHarness {}) {
                return Ok(());
            }
        }
        self.one(command)?;
        if command.changes_lengths() {
            self.forget_paths();
        }
        self.keep();
        Ok(())
    }

    /// Refuses several commands that together would take for ever, or grow without end.
    fn bounded(&mut self) -> Done {
        let size = self.doc.size();
        self.work += size;
        if size as u64 > LARGEST_FILE || self.work > MOST_TEXT {
            let message = "these commands are too many for a scene of this size";
            return Err(mistake(Code::TooLarge, "of", message, "divide them"));
        }
        Ok(())
    }

    /// Puts the lineage of a step behind that of those before it.
    fn keep(&mut self) {
        let step = std::mem::take(&mut self.step);
        self.lineage = step.after(&self.lineage);
    }

    fn one(&mut self, command: &Command) -> Done {
        match command {
            Command::CreateCable { name, from, to, length, slack, with } => {
                self.create_cable(name, [from, to], length.as_ref(), slack.is_some(), with)
            }
            Command::Prolong { cable, by, end } => self.prolong(cable, by, *end),
            Command::Cut { cable, at, names } => self.cut(cable, at, names.as_ref()),
            Command::Join { cables, name } => self.join(cables, name.as_deref()),
            Command::Separate { at, cable } => self.separate(at, cable.as_deref()),
            Command::Attach { cable, to, with } => self.attach(cable, to, with),
            Command::Branch { cable, at, name, to, length, slack, clip, with } => {
                let clip = self.branch_clip(cable, at, clip.as_deref())?;
                self.create_cable(name, [&clip, to], length.as_ref(), slack.is_some(), with)
            }
            Command::Move { name, to, by, frame } => self.shift(name, to.as_ref(), by.as_ref(), frame),
            Command::Release { name } => self.release(name),
            Command::Turn { cable, by, to } => self.turn(cable, by.as_ref(), to.as_ref()),
            Command::AddHandle { cable, at, name, hold, with } => {
                self.add_handle(cable, at, name.as_deref(), *hold, with)
            }
            Command::SetLength { cable, between, length, by, pull } => match pull {
                Some(_) => Err(needs_shape("pull")),
                None => self.set_length(cable, between.as_ref(), length.as_ref(), by.as_ref()),
            },
            Command::EquidistantHandles { .. } => Err(needs_shape("equidistant-handles")),
            Command::SetHandle { name, hold, slides, line, path, position, frame } => {
                let ways = [("line", line.as_ref()), ("path", path.as_ref())];
                let here = super::handle::Here { position: position.as_ref(), frame };
                self.set_handle(name, *hold, slides.as_deref(), ways, here)
            }
            Command::Route { cable, on: true, tension, bend_length, slider, length } => {
                let prices = [("tension", tension.as_ref()), ("bend_length", bend_length.as_ref())];
                self.route(cable, prices, *slider, length.as_ref())
            }
            Command::Route { cable, on: false, tension, bend_length, slider, length } => {
                let priced = tension.is_some() || bend_length.is_some() || slider.is_some();
                self.stop_routing(cable, priced, length.as_ref())
            }
            Command::SetZone { cable, from, to, with } => self.set_zone(cable, [from, to], with),
            Command::Set { kind, name, key, value } => self.set(*kind, name.as_deref(), key, value),
            Command::Add { kind, on, with } => self.add(*kind, on.as_deref(), with),
            Command::Remove { name, kind, with_users } => self.remove(name, *kind, *with_users),
            Command::Rename { name, to, kind } => self.rename(name, to, *kind),
            Command::ToHarness {} => {
                let help = "nothing is to be done";
                Err(mistake(Code::Conflict, "do", "this scene is a harness already", help))
            }
            Command::All { .. } => Ok(()),
        }
    }
}

impl Command {
    /// Whether a scene of one cable stays one.
    pub(crate) fn suits_one_cable(&self) -> bool {
        matches!(
            self,
            Self::Prolong { .. }
                | Self::SetLength { .. }
                | Self::SetZone { .. }
                | Self::Set { .. }
                | Self::Turn { .. }
        ) || matches!(self, Self::Move { name, .. } if name == "start" || name == "end")
            || matches!(self, Self::Add { kind, .. } if matches!(kind, Kind::Load | Kind::Pole | Kind::Obstacle | Kind::Bundle))
            || matches!(self, Self::Remove { kind, .. } if matches!(kind, Some(Kind::Load | Kind::Pole | Kind::Obstacle | Kind::Bundle)))
    }

    /// Whether cables have other lengths, pieces or turns afterwards.
    fn changes_lengths(&self) -> bool {
        match self {
            Self::Prolong { .. }
            | Self::Cut { .. }
            | Self::Join { .. }
            | Self::SetLength { .. }
            | Self::Turn { .. } => true,
            Self::Set { kind: Kind::Cable, key, .. } => key == "length" || key == "twist",
            _ => false,
        }
    }

    /// Whether it moves, renames or removes one of these obstacles.
    pub(crate) fn is_about(&self, obstacles: &[String]) -> bool {
        let name = match self {
            Self::Move { name, .. } => name,
            Self::Rename { name, kind, .. } | Self::Remove { name, kind, .. }
                if kind.is_none_or(|kind| kind == Kind::Obstacle) =>
            {
                name
            }
            _ => return false,
        };
        obstacles.contains(name)
    }
}

/// A mistake: what depends on the present shape cannot be done to a text alone.
pub(super) fn needs_shape(field: &str) -> SceneError {
    let help = "open the scene in a session that solves it, or give numbers";
    mistake(
        Code::MissingKey,
        field,
        format!("`{field}` asks for the present shape, which is not known"),
        help,
    )
}

/// A table with the given keys, after those that are set already.
pub(super) fn fill(table: &mut toml_edit::Table, with: &Keys, field: &str) -> Done {
    for (key, value) in with {
        let Some(value) = super::value::from_json(value) else {
            let help = "leave the key out, or give a value without nulls inside, not nested deeply";
            let message = format!("`{field}.{}` is null or cannot be written", quote(key));
            return Err(mistake(Code::WrongType, field, message, help));
        };
        super::tables::set(table, key, value);
    }
    Ok(())
}
