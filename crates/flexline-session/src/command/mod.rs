//! Commands: everything that can be done to a scene, as one serialisable enum.
//!
//! A command edits the text of a scene ([`edit`]); comments and order of the file survive. It is read from JSON
//! as strictly as a scene file ([`Command::from_json`]). `COMMANDS.md` beside this crate describes every one.

mod convert;
mod cut;
mod document;
mod edit;
mod fasten;
mod handle;
mod length;
mod lineage;
mod listing;
mod parameter;
mod parse;
mod pose;
mod reverse;
mod route;
mod section;
mod tables;
mod things;
mod turned;
mod value;

pub use edit::{Edited, edit};
pub(crate) use edit::{cables_at, place_on};
pub use lineage::{Lineage, Piece};
pub use listing::TableText;
pub(crate) use listing::table_texts;
pub use parameter::{parameter, present, value_of};
pub use parse::COMMANDS;
pub(crate) use parse::mistake;
pub(crate) use route::bend_length_of;
pub(crate) use value::Plain;
pub use value::Quantity;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Keys of a table of the scene file, as JSON.
pub type Keys = Map<String, Value>;

/// One thing done to a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub enum Command {
    /// Lays a new cable.
    CreateCable {
        /// Its name.
        name: String,
        /// What it begins in.
        from: String,
        /// What it ends in, or `"free"`.
        to: String,
        /// Its length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        length: Option<Quantity>,
        /// Instead of a length: how much longer than needed, a length or a share.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slack: Option<Quantity>,
        /// Other keys of its table: part, section, grips, …
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<crate::typescript::Keys>"))]
        with: Keys,
    },
    /// Makes a cable longer at one of its ends.
    Prolong {
        /// The cable.
        cable: String,
        /// By how much; below zero it gets shorter.
        by: Quantity,
        /// At which end.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        end: Side,
    },
    /// Cuts a cable in two, each with a free end.
    Cut {
        /// The cable.
        cable: String,
        /// Where.
        at: Quantity,
        /// Names of the two pieces.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        names: Option<[String; 2]>,
    },
    /// Makes one cable of two, at their free ends.
    Join {
        /// The cables.
        cables: [String; 2],
        /// Name of the whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Takes cables off a port, connector, junction, clip, eye or bead: their ends become free.
    Separate {
        /// What they are taken off.
        at: String,
        /// Which cable; all of them where not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cable: Option<String>,
    },
    /// Fastens the free end of a cable.
    Attach {
        /// The cable.
        cable: String,
        /// To what.
        to: String,
        /// Other keys: grip_to, to_tangent, twist.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<crate::typescript::Keys>"))]
        with: Keys,
    },
    /// Lets a new cable branch off a cable, anywhere.
    Branch {
        /// The cable it leaves.
        cable: String,
        /// Where.
        at: Quantity,
        /// Name of the new cable.
        name: String,
        /// What the new cable ends in, or `"free"`.
        #[serde(default = "free")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        to: String,
        /// Its length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        length: Option<Quantity>,
        /// Instead of a length: how much longer than needed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slack: Option<Quantity>,
        /// Name of the free clip that is put there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clip: Option<String>,
        /// Other keys of the new cable.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<crate::typescript::Keys>"))]
        with: Keys,
    },
    /// Moves a port, part, clip, eye, junction or obstacle. What was loose is held there until it is released.
    Move {
        /// What is moved.
        name: String,
        /// To this position.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<[Quantity; 3]>,
        /// By this much.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<[Quantity; 3]>,
        /// A new frame: tangent and up, quaternion, or axis and angle.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<crate::typescript::Keys>"))]
        frame: Keys,
    },
    /// Lets go of what was moved: it follows its cables again.
    Release {
        /// Junction, clip or part.
        name: String,
    },
    /// Turns the far end of a cable about its tangent.
    Turn {
        /// The cable.
        cable: String,
        /// By this angle on top of what there is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Quantity>,
        /// To this angle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Quantity>,
    },
    /// Puts a handle on a cable.
    AddHandle {
        /// The cable.
        cable: String,
        /// Where on it.
        at: Quantity,
        /// Its name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// What it holds.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        hold: HandleHold,
        /// Other keys of the clip; without a position it holds the cable where it is.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<crate::typescript::Keys>"))]
        with: Keys,
    },
    /// Puts handles on a cable at equal distances, where it is.
    EquidistantHandles {
        /// The cable.
        cable: String,
        /// How many.
        count: usize,
        /// Where the stretch begins that they divide.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Quantity>,
        /// Where it ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Quantity>,
        /// What they hold.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        hold: HandleHold,
        /// How their names begin.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<String>,
    },
    /// Fixes a handle where it is, or lets it slide along axes, a line or a path.
    SetHandle {
        /// The clip.
        name: String,
        /// What it holds from now on, where it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hold: Option<HandleHold>,
        /// Slides along these axes of the world.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slides: Option<Vec<String>>,
        /// Slides on a line: keys of the constraint.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(as = "Option<crate::typescript::Keys>"))]
        line: Option<Keys>,
        /// Slides on a path: keys of the constraint.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(as = "Option<crate::typescript::Keys>"))]
        path: Option<Keys>,
        /// Where it is; where the cable is now, if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<[Quantity; 3]>,
        /// Its frame, where it is clamped; that of the cable now, if not given.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<crate::typescript::Keys>"))]
        frame: Keys,
    },
    /// Changes the length of a cable, or of a piece of it.
    SetLength {
        /// The cable.
        cable: String,
        /// The piece between these two places alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        between: Option<[Quantity; 2]>,
        /// The new length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        length: Option<Quantity>,
        /// By how much.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Quantity>,
        /// Pull until something is so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pull: Option<Pull>,
    },
    /// Lets a cable find its own length, or keep the one it found.
    Route {
        /// The cable.
        cable: String,
        /// Whether it finds its own length.
        #[serde(default = "yes")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        on: bool,
        /// What it pays for its length: a tension.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tension: Option<Quantity>,
        /// The same as the length over which it bends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bend_length: Option<Quantity>,
        /// The same from 0, straight, to 1, bent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slider: Option<f64>,
        /// Switched off: the length it keeps; the one it found where not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        length: Option<Quantity>,
    },
    /// Gives a stretch of a cable a section of its own.
    SetZone {
        /// The cable.
        cable: String,
        /// Where the stretch begins.
        from: Quantity,
        /// Where it ends.
        to: Quantity,
        /// Keys of the zone; none makes the stretch like the rest of the cable.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<crate::typescript::Keys>"))]
        with: Keys,
    },
    /// Sets one key, or takes it out.
    Set {
        /// Of which table.
        kind: Kind,
        /// Name of the thing, where there are several of its kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The key: `part`, `override.bend`, `zone[0].to`, `position[2]`.
        key: String,
        /// Its value; `null` takes the key out.
        #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
        value: Value,
    },
    /// Adds a port, part, connector, junction, clip, eye, bead, constraint, motion, load, pole or obstacle.
    Add {
        /// What.
        kind: Kind,
        /// Of a connector: the part it is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<String>,
        /// Its keys.
        #[cfg_attr(feature = "typescript", ts(as = "crate::typescript::Keys"))]
        with: Keys,
    },
    /// Removes something.
    Remove {
        /// Its name.
        name: String,
        /// What it is, where the name alone does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<Kind>,
        /// Removes what uses it, too.
        #[serde(default, skip_serializing_if = "is_false")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        with_users: bool,
    },
    /// Gives something another name, everywhere.
    Rename {
        /// Its name.
        name: String,
        /// Its new name.
        to: String,
        /// What it is, where the name alone does not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<Kind>,
    },
    /// Turns a scene of one cable into a harness.
    ToHarness {},
    /// Several commands as one.
    All {
        /// The commands, in order.
        of: Vec<Command>,
    },
}

/// An end of a cable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Side {
    /// Where it begins.
    From,
    /// Where it ends.
    #[default]
    To,
}

/// What a handle holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum HandleHold {
    /// Position and direction.
    #[default]
    Clamped,
    /// Position.
    Pinned,
    /// Nothing: a place to branch off or to constrain.
    Free,
}

impl HandleHold {
    /// As the scene file says it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Clamped => "clamped",
            Self::Pinned => "pinned",
            Self::Free => "free",
        }
    }
}

/// When pulling a cable tight, or letting it out, ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Pull {
    /// The largest tension of the piece is this.
    Tension(Quantity),
    /// Something has moved this far.
    Moves {
        /// Junction, part, clip, eye or bead.
        point: String,
        /// The distance from where it is.
        by: Quantity,
        /// Whether the cable is let out rather than pulled in.
        #[serde(default, skip_serializing_if = "is_false")]
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        out: bool,
    },
}

/// The kinds of things in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Kind {
    /// The scene as a whole: title and description.
    Scene,
    /// Gravity.
    World,
    /// How it is solved.
    Solve,
    /// What holds the beginning of the one cable.
    Start,
    /// What holds its end.
    End,
    /// A cable.
    Cable,
    /// A port.
    Port,
    /// A rigid part.
    Part,
    /// A connector of a part.
    Connector,
    /// A junction.
    Junction,
    /// A clip.
    Clip,
    /// An eye.
    Eye,
    /// A bead.
    Bead,
    /// A constraint.
    Constraint,
    /// A motion.
    Motion,
    /// A load.
    Load,
    /// A pole.
    Pole,
    /// What cables cannot enter.
    Obstacle,
    /// Wires that a cable is made of.
    Bundle,
}

impl Kind {
    /// The word, which is also the key of its list in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Scene => "scene",
            Self::World => "world",
            Self::Solve => "solve",
            Self::Start => "start",
            Self::End => "end",
            Self::Cable => "cable",
            Self::Port => "port",
            Self::Part => "part",
            Self::Connector => "connector",
            Self::Junction => "junction",
            Self::Clip => "clip",
            Self::Eye => "eye",
            Self::Bead => "bead",
            Self::Constraint => "constraint",
            Self::Motion => "motion",
            Self::Load => "load",
            Self::Pole => "pole",
            Self::Obstacle => "obstacle",
            Self::Bundle => "bundle",
        }
    }
}

fn free() -> String {
    "free".into()
}

fn yes() -> bool {
    true
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Command {
    /// The word under `do`.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::CreateCable { .. } => "create-cable",
            Self::Prolong { .. } => "prolong",
            Self::Cut { .. } => "cut",
            Self::Join { .. } => "join",
            Self::Separate { .. } => "separate",
            Self::Attach { .. } => "attach",
            Self::Branch { .. } => "branch",
            Self::Move { .. } => "move",
            Self::Release { .. } => "release",
            Self::Turn { .. } => "turn",
            Self::AddHandle { .. } => "add-handle",
            Self::EquidistantHandles { .. } => "equidistant-handles",
            Self::SetHandle { .. } => "set-handle",
            Self::SetLength { .. } => "set-length",
            Self::Route { .. } => "route",
            Self::SetZone { .. } => "set-zone",
            Self::Set { .. } => "set",
            Self::Add { .. } => "add",
            Self::Remove { .. } => "remove",
            Self::Rename { .. } => "rename",
            Self::ToHarness {} => "to-harness",
            Self::All { .. } => "all",
        }
    }
}
