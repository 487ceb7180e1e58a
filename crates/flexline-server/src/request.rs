//! Requests of a page, read strictly: `PROTOCOL.md` describes them. What is wrong is an error that names the field.

use flexline::algebra::{Quat, Vec3};
use flexline_scene::nearest;
use flexline_session::command::Command;
use flexline_session::desk::{Grasp, Mode};
use flexline_session::json_mistake;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Hands of one client.
pub const HANDS: u8 = 8;
/// Coordinates beyond this are refused, m.
const FARTHEST: f64 = 1e4;

/// What a page asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Op {
    /// Does something to the scene.
    Command {
        /// What.
        command: Box<Command>,
    },
    /// Takes the last command back.
    Undo,
    /// Does it again.
    Redo,
    /// Shows what a command would do.
    Preview {
        /// Which one.
        command: Box<Command>,
    },
    /// Keeps what is shown, or not.
    EndPreview {
        /// Does it for good.
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        keep: bool,
    },
    /// Takes something in a hand.
    Grab {
        /// Which hand.
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        hand: u8,
        /// What.
        #[serde(flatten)]
        what: Grasp,
    },
    /// Moves what is in a hand.
    Drag(Drag),
    /// Opens a hand.
    Drop {
        /// Which hand.
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        hand: u8,
        /// Whether what was moved stays.
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        keep: bool,
    },
    /// How the scene moves.
    Mode(ModeChange),
    /// One step of motion.
    Step,
    /// Lets something go while it moves.
    Release {
        /// What.
        name: String,
    },
    /// Motion begins anew.
    Rewind,
    /// Records, or stops.
    Record {
        /// Whether it records from now on.
        on: bool,
    },
    /// Shows a recorded frame; `null` ends it.
    Scrub {
        /// Which one.
        frame: Option<usize>,
    },
    /// Writes the scene to its file.
    Save {
        /// Under another name, in the folder of the studio.
        #[cfg_attr(feature = "typescript", ts(optional))]
        name: Option<String>,
        /// What is there under that name is replaced.
        #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
        replace: bool,
    },
    /// Back to the first scene.
    Revert,
    /// The findings, at once.
    Checks,
    /// Whether somebody is there.
    Ping,
}

/// Where a hand goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Drag {
    /// Which hand.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub hand: u8,
    /// Position, m.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub to: Vec3,
    /// How it is turned.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<flexline_scene::typescript::Quaternion>"))]
    pub frame: Option<Quat>,
    /// What the frame that shows it carries.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub stamp: f64,
}

/// What changes about how the scene moves; what is not given stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ModeChange {
    /// Statics, dynamics or neither.
    pub mode: Option<Mode>,
    /// Whether motion goes on by itself.
    pub playing: Option<bool>,
    /// Seconds per step.
    pub step: Option<f64>,
    /// Drag of the air.
    pub drag: Option<f64>,
    /// Damping of strains, s.
    pub delay: Option<f64>,
}

/// A request that was understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What the answer names; without it there is none.
    pub id: Option<Value>,
    /// What is asked for.
    pub op: Op,
}

/// A request that was not understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Misunderstood {
    /// What the answer names, where that could be read.
    pub id: Option<Value>,
    /// A sentence that names the field.
    pub message: String,
}

/// Every `op`, and the fields it takes.
const OPS: [(&str, &[&str]); 18] = [
    ("command", &["command"]),
    ("undo", &[]),
    ("redo", &[]),
    ("preview", &["command"]),
    ("end-preview", &["keep"]),
    ("grab", &["hand", "name", "cable", "at"]),
    ("drag", &["hand", "to", "frame", "stamp"]),
    ("drop", &["hand", "keep"]),
    ("mode", &["mode", "playing", "step", "drag", "delay"]),
    ("step", &[]),
    ("release", &["name"]),
    ("rewind", &[]),
    ("record", &["on"]),
    ("scrub", &["frame"]),
    ("save", &["name", "replace"]),
    ("revert", &[]),
    ("checks", &[]),
    ("ping", &[]),
];

impl Request {
    /// Reads a text message.
    pub fn read(text: &str) -> Result<Self, Misunderstood> {
        let value: Value = serde_json::from_str(text).map_err(|error| Misunderstood {
            id: None,
            message: format!(
                "the message is not valid JSON: {error}; expected {{\"op\": \"ping\", \"id\": 1}}"
            ),
        })?;
        let Value::Object(mut fields) = value else {
            let message = "the message is not an object; expected {\"op\": \"ping\", \"id\": 1}".to_owned();
            return Err(Misunderstood { id: None, message });
        };
        let id = fields.remove("id").filter(|id| !id.is_null());
        match read_op(&mut Fields { map: fields }) {
            Ok(op) => Ok(Self { id, op }),
            Err(message) => Err(Misunderstood { id, message }),
        }
    }
}

fn read_op(fields: &mut Fields) -> Result<Op, String> {
    let op = fields.text("op")?;
    let names = || OPS.iter().map(|(name, _)| *name);
    let Some((_, known)) = OPS.iter().find(|(name, _)| *name == op) else {
        let near = nearest(&op, names()).map_or_else(String::new, |near| format!(" Did you mean '{near}'?"));
        let all: Vec<&str> = names().collect();
        return Err(format!("`op` = {op:?} is unknown.{near} There are: {}", all.join(", ")));
    };
    if let Some(extra) = fields.map.keys().find(|key| !known.contains(&key.as_str())) {
        let takes = if known.is_empty() { "no fields".to_owned() } else { known.join(", ") };
        return Err(format!("`{extra}` is not a field of '{op}', which takes {takes}"));
    }
    Ok(match op.as_str() {
        "command" => Op::Command { command: fields.command()? },
        "undo" => Op::Undo,
        "redo" => Op::Redo,
        "preview" => Op::Preview { command: fields.command()? },
        "end-preview" => Op::EndPreview { keep: fields.flag("keep")?.unwrap_or(false) },
        "grab" => Op::Grab { hand: fields.hand()?, what: fields.grasped()? },
        "drag" => Op::Drag(Drag {
            hand: fields.hand()?,
            to: fields.position()?,
            frame: fields.frame()?,
            stamp: fields.number("stamp")?.unwrap_or(0.0),
        }),
        "drop" => Op::Drop { hand: fields.hand()?, keep: fields.flag("keep")?.unwrap_or(false) },
        "mode" => {
            let map = Value::Object(std::mem::take(&mut fields.map));
            let change: ModeChange = serde_json::from_value(map)
                .map_err(|error| format!("'mode' is not as expected: {}", json_mistake(&error)))?;
            for (name, value) in [("step", change.step), ("drag", change.drag), ("delay", change.delay)] {
                if value.is_some_and(|v| !(0.0..=1e6).contains(&v) || (name == "step" && v == 0.0)) {
                    return Err(format!(
                        "`{name}` = {} is out of range: expected a number above 0",
                        value.unwrap_or(0.0)
                    ));
                }
            }
            Op::Mode(change)
        }
        "step" => Op::Step,
        "release" => Op::Release { name: fields.text("name")? },
        "rewind" => Op::Rewind,
        "record" => Op::Record { on: fields.flag("on")?.ok_or("`on` is missing: expected true or false")? },
        "scrub" => Op::Scrub { frame: fields.count("frame")? },
        "save" => Op::Save {
            name: fields.optional_text("name")?,
            replace: fields.flag("replace")?.unwrap_or(false),
        },
        "revert" => Op::Revert,
        "checks" => Op::Checks,
        _ => Op::Ping,
    })
}

/// The fields of a message, taken one by one.
struct Fields {
    map: Map<String, Value>,
}

impl Fields {
    /// A field that is there; `null` counts as absent.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &str) -> Result<String, String> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(format!("`{name}` = {} is no text", short(&other))),
            None => Err(format!("`{name}` is missing: expected a text")),
        }
    }

    fn optional_text(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.text(name).map(Some),
        }
    }

    fn flag(&mut self, name: &str) -> Result<Option<bool>, String> {
        match self.take(name) {
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(format!("`{name}` = {} is neither true nor false", short(&other))),
            None => Ok(None),
        }
    }

    fn number(&mut self, name: &str) -> Result<Option<f64>, String> {
        match self.take(name) {
            Some(value) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => Err(format!("`{name}` = {} is no number", short(&value))),
            },
            None => Ok(None),
        }
    }

    fn count(&mut self, name: &str) -> Result<Option<usize>, String> {
        match self.take(name) {
            Some(value) => match value.as_u64().and_then(|count| usize::try_from(count).ok()) {
                Some(count) => Ok(Some(count)),
                None => Err(format!("`{name}` = {} is no whole number from 0", short(&value))),
            },
            None => Ok(None),
        }
    }

    fn hand(&mut self) -> Result<u8, String> {
        let hand = self.count("hand")?.unwrap_or(0);
        u8::try_from(hand)
            .ok()
            .filter(|hand| *hand < HANDS)
            .ok_or_else(|| format!("`hand` = {hand} is out of range: expected 0 to {}", HANDS - 1))
    }

    fn numbers<const N: usize>(&mut self, name: &str, what: &str) -> Result<Option<[f64; N]>, String> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let numbers: Option<Vec<f64>> =
            value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        let found = numbers.and_then(|list| <[f64; N]>::try_from(list).ok());
        match found.filter(|all| all.iter().all(|v| v.is_finite())) {
            Some(found) => Ok(Some(found)),
            None => Err(format!("`{name}` = {} is not {what}", short(&value))),
        }
    }

    fn position(&mut self) -> Result<Vec3, String> {
        let to = self.numbers::<3>("to", "a position [x, y, z] in m")?;
        let to = to.ok_or("`to` is missing: expected a position [x, y, z] in m")?;
        match to.iter().find(|v| v.abs() > FARTHEST) {
            Some(far) => Err(format!("`to` has {far} m: expected at most {FARTHEST} m from the origin")),
            None => Ok(to.into()),
        }
    }

    fn frame(&mut self) -> Result<Option<Quat>, String> {
        let Some([x, y, z, w]) = self.numbers::<4>("frame", "a quaternion [x, y, z, w]")? else {
            return Ok(None);
        };
        let norm = (x * x + y * y + z * z + w * w).sqrt();
        if !(0.5..2.0).contains(&norm) {
            return Err(format!("`frame` has a norm of {norm}: expected a unit quaternion [x, y, z, w]"));
        }
        Ok(Some(Quat::new(w / norm, x / norm, y / norm, z / norm)))
    }

    fn command(&mut self) -> Result<Box<Command>, String> {
        let value = self.take("command").ok_or("`command` is missing: expected {\"do\": …}")?;
        Command::from_value(value).map(Box::new).map_err(|error| error.to_string())
    }

    fn grasped(&mut self) -> Result<Grasp, String> {
        match (self.map.contains_key("name"), self.map.contains_key("cable")) {
            (true, false) => Ok(Grasp::Thing(self.text("name")?)),
            (false, true) => {
                let cable = self.text("cable")?;
                let at = self.number("at")?.ok_or("`at` is missing: expected an arc length in m")?;
                Ok(Grasp::Point { cable, at })
            }
            (true, true) => Err("`name` and `cable` are both given: expected one of them".into()),
            (false, false) => Err("`name` is missing: expected it, or `cable` and `at`".into()),
        }
    }
}

/// A value as it stands, cut where it is long.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrong(text: &str) -> String {
        Request::read(text).unwrap_err().message
    }

    #[test]
    fn requests_are_understood() {
        let read = |text| Request::read(text).unwrap();
        assert_eq!(read(r#"{"op": "undo", "id": 3}"#), Request { id: Some(3.into()), op: Op::Undo });
        let drag =
            read(r#"{"op": "drag", "hand": 1, "to": [1, 2, 3], "frame": [0, 0, 0, 1.0001], "stamp": 7}"#);
        let frame = Some(Quat::new(1.0, 0.0, 0.0, 0.0));
        assert_eq!(drag.op, Op::Drag(Drag { hand: 1, to: Vec3::new(1.0, 2.0, 3.0), frame, stamp: 7.0 }));
        let grab = read(r#"{"op": "grab", "hand": 0, "cable": "c", "at": 0.25}"#);
        assert_eq!(grab.op, Op::Grab { hand: 0, what: Grasp::Point { cable: "c".into(), at: 0.25 } });
        let mode = read(r#"{"op": "mode", "mode": "dynamics", "playing": true}"#);
        let change = ModeChange { mode: Some(Mode::Dynamics), playing: Some(true), ..ModeChange::default() };
        assert_eq!(mode.op, Op::Mode(change));
        assert_eq!(read(r#"{"op": "scrub", "frame": null}"#).op, Op::Scrub { frame: None });
    }

    /// A request of every kind, with every field.
    fn samples() -> Vec<Op> {
        let command = Box::new(Command::from_json(r#"{"do": "release", "name": "clip"}"#).unwrap());
        let frame = Some(Quat::new(0.5, -0.5, 0.5, 0.5));
        let change = ModeChange {
            mode: Some(Mode::Off),
            playing: Some(false),
            step: Some(0.01),
            drag: Some(0.5),
            delay: Some(0.0),
        };
        vec![
            Op::Command { command: command.clone() },
            Op::Undo,
            Op::Redo,
            Op::Preview { command },
            Op::EndPreview { keep: true },
            Op::Grab { hand: 3, what: Grasp::Thing("clip".into()) },
            Op::Grab { hand: 0, what: Grasp::Point { cable: "hose".into(), at: 0.25 } },
            Op::Drag(Drag { hand: 7, to: Vec3::new(1.0, -2.0, 3.5), frame, stamp: 8.0 }),
            Op::Drop { hand: 1, keep: true },
            Op::Mode(change),
            Op::Step,
            Op::Release { name: "clip".into() },
            Op::Rewind,
            Op::Record { on: true },
            Op::Scrub { frame: Some(4) },
            Op::Save { name: Some("hose".into()), replace: true },
            Op::Revert,
            Op::Checks,
            Op::Ping,
        ]
    }

    /// The types tell the page what it may say: what is read must be the same.
    #[test]
    fn every_request_is_read_as_its_type_is_written() {
        let mut fields = std::collections::BTreeMap::<String, Vec<String>>::new();
        for op in samples() {
            let Value::Object(mut map) = serde_json::to_value(&op).unwrap() else { panic!("{op:?}") };
            let text = Value::Object(map.clone()).to_string();
            assert_eq!(Request::read(&text), Ok(Request { id: None, op }), "{text}");
            let Some(Value::String(name)) = map.remove("op") else { panic!("{text}") };
            fields.entry(name).or_default().extend(map.into_iter().map(|(key, _)| key));
        }
        assert_eq!(fields.len(), OPS.len());
        for (name, known) in OPS {
            let mut own = std::mem::take(fields.get_mut(name).unwrap());
            let mut known = known.to_vec();
            own.sort();
            own.dedup();
            known.sort_unstable();
            assert_eq!(own, known, "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(wrong("nonsense").contains("not valid JSON"));
        assert!(wrong("[]").contains("not an object"));
        assert!(wrong("{}").contains("`op` is missing"));
        assert!(wrong(r#"{"op": "unod"}"#).contains("Did you mean 'undo'?"));
        assert!(wrong(r#"{"op": "undo", "keep": true}"#).contains("`keep` is not a field of 'undo'"));
        assert!(wrong(r#"{"op": "drag", "hand": 8, "to": [0, 0, 0]}"#).contains("`hand` = 8"));
        assert!(wrong(r#"{"op": "drag", "to": [0, 0]}"#).contains("`to` = [0,0] is not a position"));
        assert!(wrong(r#"{"op": "drag", "to": [0, 0, 1e9]}"#).contains("at most 10000 m"));
        assert!(
            wrong(r#"{"op": "drag", "to": [0, 0, 0], "frame": [0, 0, 0, 0]}"#).contains("`frame` has a norm")
        );
        assert!(wrong(r#"{"op": "mode", "step": 0}"#).contains("`step` = 0"));
        assert!(wrong(r#"{"op": "grab", "name": "a", "cable": "b"}"#).contains("one of them"));
        assert!(wrong(r#"{"op": "command", "command": {"do": "ctu"}}"#).contains("cut"));
        let error = Request::read(r#"{"op": "command", "id": "x"}"#).unwrap_err();
        assert_eq!(error.id, Some("x".into()), "the answer names the request even so");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,200}") {
            let _ = Request::read(&text);
        }

        #[test]
        fn no_fields_panic(
            op in prop::sample::select(OPS.map(|(name, _)| name).to_vec()),
            hand in any::<i64>(),
            to in prop::collection::vec(any::<f64>(), 0..5),
            text in ".{0,20}",
        ) {
            let known = OPS.iter().find(|(name, _)| *name == op).unwrap().1;
            let mut map = Map::new();
            map.insert("op".into(), op.into());
            for field in known {
                let value = match *field {
                    "hand" | "frame" | "at" => hand.into(),
                    "to" => to.clone().into(),
                    "keep" | "on" => (hand % 2 == 0).into(),
                    _ => Value::from(text.clone()),
                };
                map.insert((*field).into(), value);
            }
            if let Err(error) = Request::read(&Value::Object(map).to_string()) {
                prop_assert!(!error.message.is_empty());
            }
        }
    }
}
