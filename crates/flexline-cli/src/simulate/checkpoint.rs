//! What an interrupted run needs to go on: everything that moves, and how it was asked to.

use super::touched::Touched;
use crate::failure::Failure;
use flexline_scene::turns::Turns;
use flexline_session::motion::AnyMotion;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What was asked of a run and must stay so while it is continued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Step, s. It may change.
    pub step: f64,
    /// Name of the integrator.
    pub integrator: String,
    /// ρ∞ of the alpha integrator.
    pub rho: f64,
    /// Delay of the moments, s.
    pub strain_delay: f64,
    /// Drag, N s/m².
    pub drag: f64,
    /// Wind and gusts, as asked for.
    #[serde(default)]
    pub wind: Option<String>,
    #[serde(default)]
    pub gust: Option<String>,
    /// Frames per second.
    pub rate: f64,
    /// What was let go.
    pub release: Vec<String>,
    /// What is moved.
    pub moves: Vec<String>,
    /// Time in which it is moved, s.
    pub move_time: f64,
}

impl Setup {
    /// Refuses to go on with another setup than this one.
    pub fn agrees(&self, asked: &Self) -> Result<(), Failure> {
        let list = |v: &[String]| if v.is_empty() { "nothing".to_string() } else { v.join(" ") };
        let text = |v: &Option<String>| v.clone().unwrap_or_else(|| "nothing".to_string());
        let both = |of: fn(&Self) -> f64| [of(self).to_string(), of(asked).to_string()];
        let mut pairs = vec![
            ("integrator", [self.integrator.clone(), asked.integrator.clone()]),
            ("strain-delay", both(|s| s.strain_delay)),
            ("drag", both(|s| s.drag)),
            ("wind", [text(&self.wind), text(&asked.wind)]),
            ("gust", [text(&self.gust), text(&asked.gust)]),
            ("rate", both(|s| s.rate)),
            ("release", [list(&self.release), list(&asked.release)]),
            ("move", [list(&self.moves), list(&asked.moves)]),
        ];
        if self.integrator == "alpha" {
            pairs.push(("rho", both(|s| s.rho)));
        }
        if !self.moves.is_empty() {
            pairs.push(("move-time", both(|s| s.move_time)));
        }
        match pairs.iter().find(|(_, [was, is])| was != is) {
            Some((name, [was, is])) => Err(Failure::Input(format!(
                "the run was begun with --{name} {was}, not {is}: continue it as it was begun, or start it anew \
                 without --resume"
            ))),
            None => Ok(()),
        }
    }
}

/// A place to go on from.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    /// What was asked.
    pub setup: Setup,
    /// All energy at the start, J.
    pub begin: f64,
    /// Frames in the run by then.
    pub frames: u64,
    /// Everything that moves.
    pub motion: AnyMotion,
    /// The turns of the cables.
    #[serde(default)]
    pub turns: Option<Turns>,
    /// What was touched.
    #[serde(default)]
    pub touched: Option<Touched>,
}

/// The checkpoint of a run.
pub fn beside(run: &Path) -> PathBuf {
    run.with_extension("checkpoint")
}

impl Checkpoint {
    /// Writes it beside and renames it: a checkpoint is whole or the one before.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let fail = |e: String| Failure::Output { path: path.display().to_string(), error: e };
        let text = serde_json::to_string(self).map_err(|e| fail(e.to_string()))?;
        let new = path.with_extension("checkpoint-new");
        std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path)).map_err(|e| fail(e.to_string()))
    }

    /// Reads it. `rest` is the scene at rest, whose shape it must have.
    pub fn load(path: &Path, rest: &AnyMotion) -> Result<Self, Failure> {
        let name = path.display();
        let wrong = |why: &str| {
            Failure::Input(format!(
                "{name} is no checkpoint of this run: {why}; start the run anew without --resume"
            ))
        };
        let text = std::fs::read(path).map_err(|e| {
            Failure::Input(format!("cannot read {name}: {e}; start the run anew without --resume"))
        })?;
        let value: Value = serde_json::from_slice(&text).map_err(|e| wrong(&e.to_string()))?;
        let whole = serde_json::to_value(rest).map_err(|e| wrong(&e.to_string()))?;
        let fits = value.get("motion").is_some_and(|motion| same_shape(motion, &whole));
        let own: Self = serde_json::from_value(value).map_err(|e| wrong(&e.to_string()))?;
        if !fits {
            return Err(wrong("it was made from another scene"));
        }
        if own.frames == 0 || own.motion.time() < 0.0 {
            return Err(wrong("it has no frames or no time"));
        }
        Ok(own)
    }
}

/// Whether two values have the same keys and lengths all the way down; numbers and truth values are free.
fn same_shape(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, own)| b.get(key).is_some_and(|other| same_shape(own, other)))
        }
        (Value::Number(_), Value::Number(_)) | (Value::Bool(_), Value::Bool(_)) => true,
        _ => a == b,
    }
}
