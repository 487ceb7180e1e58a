//! Files of other programs brought into a scene: obstacles, hoses that become flexible as a whole or in part, lines.
//!
//! A file becomes a [`Plan`]: files for the folder of the scene, and commands. Studio, scripts, the command line and Python go this one
//! way; the commands are journaled and undone like any others, as one.

mod plan;
#[cfg(test)]
mod tests;

pub use plan::{NewFile, Plan, beside, cables_of, fresh, known_material, stretch_of};

use crate::command::{Command, Quantity, mistake};
use crate::json::json_mistake;
use crate::session::{Outcome, Session, SessionError};
use flexline_exchange::curve::Curves;
use flexline_exchange::drawing::{Drawing, LeftOut, MOST_BYTES, Up};
use flexline_exchange::flexible::Rest;
use flexline_exchange::kbl::is_harness_data;
use flexline_scene::units::{Dimension, parse};
use flexline_scene::{Code, SceneError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What a file is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Something that cables cannot enter.
    #[default]
    Obstacle,
    /// The surface of hoses or cables.
    Cable,
    /// Lines that cables follow.
    Centreline,
}

/// Which axis of a file points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// y.
    Y,
    /// z.
    Z,
}

impl From<Axis> for Up {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::Y => Self::Y,
            Axis::Z => Self::Z,
        }
    }
}

/// A file to be brought into a scene, as a script says it: `{"do": "import", "file": "hose.stl", "as": "cable", "unit": "mm"}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The file, from the folder of the scene.
    pub file: PathBuf,
    /// What it is.
    #[serde(rename = "as", default)]
    pub kind: Kind,
    /// What one unit of it is, where the file does not say: mm, cm, dm, m, in or ft.
    #[serde(default)]
    pub unit: Option<String>,
    /// Which axis points up, where the file does not say; z where nothing does.
    #[serde(default)]
    pub up: Option<Axis>,
    /// How names begin; the name of the file where none is given.
    #[serde(default)]
    pub name: Option<String>,
    /// What cables are made of.
    #[serde(default)]
    pub material: Option<String>,
    /// Of a hose: only the stretch from this place of its surface, in the unit and axes of the file.
    #[serde(default)]
    pub from: Option<[f64; 3]>,
    /// Where that stretch ends.
    #[serde(default)]
    pub until: Option<[f64; 3]>,
    /// Of lines: how thick the cable is, where the file does not say.
    #[serde(default)]
    pub radius: Option<Quantity>,
    /// Cables are straight without loads, not as they are drawn.
    #[serde(default)]
    pub straight: bool,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Imported {
    /// The commands, as one, and how the scene solved after them.
    pub outcome: Outcome,
    /// Files written in the folder of the scene.
    pub files: Vec<String>,
    /// Those of them that were not there.
    #[serde(skip)]
    pub written: Vec<PathBuf>,
    /// What was left out, mended or guessed, a line each.
    pub notes: Vec<String>,
}

impl Import {
    /// Reads one from JSON; `None` where that says to do something else.
    pub fn from_json(text: &str) -> Option<Result<Self, SceneError>> {
        let value: Value = serde_json::from_str(text).ok()?;
        let mut own = value.as_object().filter(|map| map.get("do") == Some(&"import".into()))?.clone();
        own.remove("do");
        Some(serde_json::from_value(own.into()).map_err(|error| {
            let message = format!("the import is not as expected: {}", json_mistake(&error));
            let help = "write {\"do\": \"import\", \"file\": \"hose.stl\", \"as\": \"cable\", \"unit\": \"mm\", \"material\": \"epdm-60\"}; \
                        there are file, as, unit, up, name, material, from, until, radius and straight";
            mistake(Code::WrongType, "", message, help)
        }))
    }

    /// What it comes to in a scene of this text. `bytes` are those of the file, `beside` gives others of its folder.
    pub fn plan(
        &self,
        bytes: &[u8],
        beside: &dyn Fn(&str) -> Option<Vec<u8>>,
        text: &str,
        folder: &Path,
    ) -> Result<Plan, String> {
        if is_harness_data(bytes) {
            return Err("this is harness data: it becomes a scene of its own, `flexline import door.kbl --to door.toml`".into());
        }
        let unit = self.unit.as_deref().map(length_of).transpose()?;
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let base = fresh(self.name.as_deref().unwrap_or(&stem), text);
        let rest = if self.straight { Rest::Straight } else { Rest::Drawn };
        let mut plan = Plan::new(folder);
        if self.kind != Kind::Cable && (self.from.is_some() || self.until.is_some()) {
            return Err("`from` and `until` go with \"as\": \"cable\": a stretch of a hose".into());
        }
        if self.kind == Kind::Centreline {
            let curves = Curves::read(bytes).map_err(|error| error.to_string())?;
            let unit = unit.or(curves.unit).ok_or_else(|| NO_UNIT.to_owned())?;
            let radius = self.radius.as_ref().map(radius_of).transpose()?;
            let up = self.up.map_or(Up::Z, Up::from);
            let found = curves.to_flexible(unit, up, radius)?;
            plan.cables(&found, None, &base, self.material()?, rest);
            plan.notes.extend(told(&curves.left_out));
            return Ok(plan);
        }
        let drawing = Drawing::read_beside(bytes, beside).map_err(|error| error.to_string())?;
        let unit = unit.or(drawing.unit).ok_or_else(|| NO_UNIT.to_owned())?;
        let up = self.up.map(Up::from).or(drawing.up).unwrap_or(Up::Z);
        if self.kind == Kind::Obstacle {
            drawing.mesh(unit).map_err(|error| error.to_string())?;
            plan.obstacle(&drawing.parts, unit, up, &base);
        } else {
            let between = match (self.from, self.until) {
                (None, None) => None,
                (Some(from), Some(until)) => Some([from, until]),
                _ => return Err("a stretch has two ends: give both `from` and `until`".into()),
            };
            let material = self.material()?;
            let (found, left) = cables_of(&drawing, unit, up, between)?;
            if let Some(reason) = found.refused {
                return Err(reason);
            }
            plan.cables(&found, left.as_ref(), &base, material, rest);
        }
        plan.notes.extend(told(&drawing.left_out));
        Ok(plan)
    }

    fn material(&self) -> Result<&str, String> {
        let name = self.material.as_deref().ok_or_else(|| {
            "a file of this kind does not say what a cable is made of: give `material`, such as \"epdm-60\"".to_owned()
        })?;
        known_material(name)?;
        Ok(name)
    }
}

const NO_UNIT: &str = "the file does not say its unit: give `unit`, one of mm, cm, dm, m, in and ft";

/// What one of a unit is, m.
pub fn length_of(word: &str) -> Result<f64, String> {
    ["mm", "cm", "dm", "m", "in", "ft"]
        .contains(&word)
        .then(|| parse(&format!("1 {word}"), Dimension::Length).ok())
        .flatten()
        .ok_or_else(|| {
            let shown: String = word.chars().take(40).collect();
            format!("the unit is \"{shown}\": expected mm, cm, dm, m, in or ft")
        })
}

fn radius_of(quantity: &Quantity) -> Result<f64, String> {
    let found = quantity.read("radius", Dimension::Length).ok();
    found
        .filter(|r| (1e-6..=10.0).contains(r))
        .ok_or_else(|| "`radius`: expected a length from 1 um to 10 m, such as \"4 mm\"".to_owned())
}

fn told(left_out: &[LeftOut]) -> Vec<String> {
    left_out
        .iter()
        .map(|own| format!("left out: {} x {}, first at {}", own.count, own.what, own.first))
        .collect()
}

impl Session {
    /// Brings a file into the scene, whose files are in `folder`: as one command, with one step to undo. Where anything is wrong, scene
    /// and folder stay as they were.
    pub fn import(&mut self, import: &Import, folder: &Path) -> Result<Imported, SessionError> {
        let path = folder.join(&import.file);
        let wrong = |message: String| {
            let message = format!("cannot import {}: {message}", path.display());
            SessionError::from(mistake(
                Code::Unreadable,
                "file",
                message,
                "mend the file, or what is asked of it",
            ))
        };
        let bytes = read(&path).map_err(&wrong)?;
        let plan = import.plan(&bytes, &|name| beside(&path, name), self.text(), folder).map_err(&wrong)?;
        self.bring(plan)
    }

    /// Writes the files of a plan and does its commands, as one; the files go again where these are refused.
    pub fn bring(&mut self, plan: Plan) -> Result<Imported, SessionError> {
        let command = Command::from_value(serde_json::json!({ "do": "all", "of": plan.commands }))?;
        let made = plan.write().map_err(|(path, error)| {
            let message = format!("cannot write {}: {error}", path.display());
            SessionError::from(mistake(
                Code::Unreadable,
                "file",
                message,
                "check the folder, and who may write to it",
            ))
        })?;
        match self.apply(&command) {
            Ok(outcome) => Ok(Imported {
                outcome,
                files: plan.files.into_iter().map(|own| own.path).collect(),
                written: made,
                notes: plan.notes,
            }),
            Err(error) => {
                made.iter().for_each(|path| drop(std::fs::remove_file(path)));
                Err(error)
            }
        }
    }
}

/// The bytes of a file, no more than may be.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    if file.metadata().map_err(|error| error.to_string())?.is_dir() {
        return Err("it is a folder: expected a file".into());
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
