//! What the server says, as types: events, answers, and what HTTP answers with. With `request` they are the one source
//! of the wire: `web/src/protocol.ts` is made of them, and `PROTOCOL.md` says what they mean.

use axum::extract::ws::Utf8Bytes;
use flexline::section::{BendLimit, PartKind};
use flexline_scene::check::{Finding, Rule};
use flexline_session::command::Command;
use flexline_session::desk::SceneView;
use flexline_session::session;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What happens, told to everybody in a session.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ServerEvent {
    /// The first message of a connection.
    Welcome {
        /// What this client is called from now on.
        client: u32,
        /// Name of the session.
        session: String,
        /// Version of the server.
        version: &'static str,
    },
    /// The scene, at the beginning and after every change.
    Scene {
        /// All there is to show.
        scene: Box<StudioScene>,
    },
    /// What the rules say of what is shown.
    Checks {
        /// The findings.
        findings: Vec<FindingView>,
    },
    /// Somebody did something.
    Did {
        /// Who.
        client: u32,
        /// What: the word of a command, `undo`, `redo` or `revert`.
        verb: String,
        /// What changed, a line each.
        changes: Vec<String>,
        /// How the scene solved after it, a line.
        status: Option<String>,
    },
    /// Who is here.
    Clients {
        /// How many.
        count: usize,
        /// What is in their hands.
        hands: Vec<Held>,
    },
    /// Something the person should know.
    Notice {
        /// A sentence.
        message: String,
    },
}

impl ServerEvent {
    /// The event as it goes out.
    pub fn text(&self) -> Utf8Bytes {
        json(self)
    }
}

impl Reply {
    /// The answer to the request `id`: what came of it, or why not.
    pub fn new(reply: Value, answer: Result<Answered, String>) -> Self {
        match answer {
            Ok(ok) => Self::Done { ok, reply },
            Err(message) => Self::Refused { error: Mistake { message }, reply },
        }
    }

    /// The answer as it goes out.
    pub fn text(&self) -> Utf8Bytes {
        json(self)
    }
}

/// A message as it goes out. Nothing that is said here has keys that are no text, so that it can be written.
fn json(message: &impl Serialize) -> Utf8Bytes {
    serde_json::to_string(message).unwrap_or_default().into()
}

/// A scene as a page of the studio shows it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SceneView"))]
pub struct StudioScene {
    /// What the desk shows.
    #[serde(flatten)]
    pub view: SceneView,
    /// Frames recorded in motion.
    pub recorded: usize,
}

/// A finding, and what it is about.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Finding"))]
pub struct FindingView {
    /// The cable; `null` for the whole.
    pub cable: Option<String>,
    /// Unit of value and limit.
    pub unit: &'static str,
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
}

impl FindingView {
    /// A finding of the desk.
    pub fn new((cable, finding): (Option<String>, Finding)) -> Self {
        Self { cable, unit: Rule::unit(finding.rule), finding }
    }
}

/// Something in a hand.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Held {
    /// Whose hand.
    pub client: u32,
    /// Which hand.
    pub hand: usize,
    /// What is in it.
    pub name: String,
}

/// The answer to a request.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Reply {
    /// It was done.
    Done {
        /// What came of it: see `Answers`.
        #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
        ok: Answered,
        /// The `id` of the request.
        #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
        reply: Value,
    },
    /// It was not done.
    Refused {
        /// Why.
        error: Mistake,
        /// The `id` of the request; `null` where it could not be read.
        #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
        reply: Value,
    },
}

/// What comes of a request that was done.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Answered {
    /// A change, or what would be one.
    Outcome(Outcome),
    /// Something is in a hand.
    Grabbed(Grabbed),
    /// About the recording.
    Recorded(Recorded),
    /// About a file.
    Saved(Saved),
    /// The findings.
    Checks(Vec<FindingView>),
    /// Nothing more is to be said.
    Nothing(Nothing),
}

/// What every `op` is answered with: `drag` alone is not answered.
#[cfg(feature = "typescript")]
#[derive(ts_rs::TS)]
#[ts(rename_all = "kebab-case")]
#[expect(dead_code, reason = "a declaration, for the page alone")]
pub struct Answers {
    command: Outcome,
    undo: Outcome,
    redo: Outcome,
    preview: Outcome,
    end_preview: Outcome,
    grab: Grabbed,
    drop: Outcome,
    mode: Nothing,
    step: Nothing,
    release: Nothing,
    rewind: Nothing,
    record: Recorded,
    scrub: Recorded,
    save: Saved,
    revert: Outcome,
    checks: Vec<FindingView>,
    ping: Nothing,
}

/// What a change did.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Outcome {
    /// What changed, a line each.
    pub changes: Vec<String>,
    /// How the scene solved after it, a line; `null` where nothing was solved.
    pub status: Option<String>,
}

impl From<session::Outcome> for Outcome {
    fn from(outcome: session::Outcome) -> Self {
        Self { changes: outcome.changes, status: outcome.status }
    }
}

/// Where what was taken in a hand is.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Grabbed {
    /// m, world.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub position: [f64; 3],
    /// How it is turned.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Quaternion"))]
    pub frame: [f64; 4],
}

/// How much is recorded.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Recorded {
    /// Frames.
    pub frames: usize,
}

/// Where a scene was saved.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Saved {
    /// The file; `null` where nothing was written.
    pub file: Option<String>,
    /// Why there, or why not.
    pub why: String,
}

/// Nothing more is to be said.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "Record<string, never>"))]
pub struct Nothing {}

/// What HTTP answers with instead of what was asked for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Failure {
    /// What went wrong.
    pub error: Mistake,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mistake {
    /// A sentence for a person.
    pub message: String,
}

/// `GET /api/about`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct About {
    /// Version of the server.
    pub version: &'static str,
    /// What it takes at most.
    pub limits: Limits,
    /// The folder of the studio.
    pub folder: String,
}

/// What the server takes at most.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Limits {
    /// Bytes of a message.
    pub message: usize,
    /// Bytes of a mesh.
    pub mesh: usize,
    /// Open sessions.
    pub sessions: usize,
    /// Clients in all of them.
    pub clients: usize,
}

/// A scene of `GET /api/gallery`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GalleryEntry {
    /// What requests call it.
    pub name: String,
    /// A line for headings.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// How many cables it has.
    pub cables: usize,
    /// A guided tour that begins with it.
    pub tour: Option<&'static str>,
}

/// A part of `GET /api/materials`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Material {
    /// What scene files call it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its family.
    pub kind: PartKind,
    /// Of the outside, m.
    pub diameter: f64,
    /// Bending stiffness, N m².
    pub bend: f64,
    /// Twisting stiffness, N m².
    pub twist: f64,
    /// kg/m.
    pub mass_per_length: f64,
    /// Smallest bend when laid once.
    pub bend_static: Option<BendLimit>,
    /// Smallest bend when bent again and again.
    pub bend_dynamic: Option<BendLimit>,
    /// Where the figures come from.
    pub source: &'static str,
}

/// A session of `GET /api/sessions`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SessionEntry {
    /// Its name.
    pub name: String,
    /// The title of its scene; `null` where it is not open.
    pub title: Option<String>,
    /// How many are in it.
    pub clients: usize,
    /// How many changes can be undone.
    pub changes: usize,
}

/// What `POST /api/sessions` asks for: `gallery`, `name` and `text`, or the `name` of a session that has a journal.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Begin {
    /// A scene of the gallery.
    pub gallery: Option<String>,
    /// Name of the session.
    pub name: Option<String>,
    /// The scene.
    pub text: Option<String>,
}

/// What `POST /api/sessions` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Began {
    /// Name of the session.
    pub session: String,
}

/// What `POST /api/sessions/S/flexible` asks for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct MakeFlexible {
    /// The obstacle, a mesh.
    pub obstacle: String,
    /// What it is made of; without it nothing is made, only told.
    pub material: Option<String>,
    /// Without loads it is straight, not as drawn.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub straight: bool,
    /// Two places on its surface, m: only the stretch between them.
    #[cfg_attr(feature = "typescript", ts(as = "Option<[flexline_scene::typescript::Vector; 2]>"))]
    pub between: Option<[[f64; 3]; 2]>,
}

/// Cables that a surface or the lines of a file would be.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CablesFound {
    /// Their ends, and where they branch.
    pub nodes: Vec<FoundNode>,
    /// The cables.
    pub cables: Vec<FoundCable>,
    /// What was left out, mended or guessed.
    pub warnings: Vec<String>,
    /// What a cable may be made of.
    pub materials: Vec<String>,
    /// What must be said before there are commands: `unit`, `radius`, `material`.
    pub needs: Vec<String>,
    /// What lays them, to be given as one.
    pub commands: Vec<Command>,
}

/// An end of cables that were found, or where they branch.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundNode {
    /// Where, m.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub position: [f64; 3],
    /// Cables branch there.
    pub junction: bool,
}

/// A cable that was found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundCable {
    /// Its length, m.
    pub length: f64,
    /// Its diameter, m.
    pub diameter: f64,
    /// The diameter of its bore, m.
    pub bore: Option<f64>,
    /// Places along it, m.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<flexline_scene::typescript::Vector>"))]
    pub points: Vec<[f64; 3]>,
}

/// What `POST /api/sessions/S/mesh` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeshAdded {
    /// What an obstacle calls it: the value of its `mesh`.
    pub mesh: String,
    /// How many triangles it has.
    pub triangles: usize,
    /// What one unit of it is, as an obstacle writes it, where the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub unit: Option<String>,
    /// Which of its axes points up, where the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub up_axis: Option<String>,
}
