//! How a command ends: exit codes, and errors as text on standard error.

use flexline_exchange::run::RunError;
use flexline_scene::{Diagnostic, Role, SceneError};
use flexline_study::StudyError;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::io::IsTerminal;

/// Everything is as it should be.
pub const GOOD: u8 = 0;
/// The command ran, and the answer is no: not converged, a case missed.
pub const NO: u8 = 1;
/// The input cannot be used.
pub const INPUT: u8 = 3;
/// The output cannot be written.
pub const OUTPUT: u8 = 4;
/// The command ran, and a rule of `check` is broken.
pub const VIOLATION: u8 = 6;

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// A scene with mistakes.
    Scene(Box<SceneError>),
    /// Other input that cannot be used.
    Input(String),
    /// A file that cannot be written.
    Output {
        /// The file.
        path: String,
        /// What the system said.
        error: String,
    },
}

/// Number of the format of a failure with `--json`.
const FORMAT: u32 = 1;

/// Why a command could not do its work. With `--json` it stands on standard output, and the same as text on standard error.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline --json, where a command fails")]
pub struct FailureTold {
    /// Number of the format.
    format: u32,
    /// What is wrong.
    error: ErrorTold,
}

/// What is wrong.
#[derive(Serialize, JsonSchema)]
struct ErrorTold {
    /// Where: in a scene, in other input, or in writing.
    kind: Kind,
    /// All of it in words.
    message: String,
    /// The scene or file.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Of a scene, every mistake with its place and remedy, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    diagnostics: Vec<Diagnostic>,
    /// How many mistakes more there are.
    more: usize,
}

/// Where a failure lies.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// A scene has mistakes.
    Scene,
    /// Other input cannot be used.
    Input,
    /// A file or standard output cannot be written.
    Output,
}

impl Failure {
    /// The same for other programs.
    pub fn told(&self) -> FailureTold {
        let (kind, message, name, diagnostics, more) = match self {
            Self::Scene(own) => {
                (Kind::Scene, own.to_string(), Some(own.name.clone()), own.diagnostics.clone(), own.more)
            }
            Self::Input(text) => (Kind::Input, text.clone(), None, Vec::new(), 0),
            Self::Output { path, error } => {
                let message = format!("cannot write {path}: {error}");
                (Kind::Output, message, Some(path.clone()), Vec::new(), 0)
            }
        };
        FailureTold { format: FORMAT, error: ErrorTold { kind, message, name, diagnostics, more } }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Scene(_) | Self::Input(_) => INPUT,
            Self::Output { .. } => OUTPUT,
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Scene(error) => Self::Scene(error),
            StudyError::Input(text) => Self::Input(text),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Input(message) => Self::Input(message),
            RunError::Output { path, error } => Self::Output { path, error },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene(error) => write!(f, "{}", error.render(paint)),
            Self::Input(text) => write!(f, "error: {text}"),
            Self::Output { path, error } => {
                write!(
                    f,
                    "error: cannot write {path}: {error}\n  choose a folder that exists, is writable and has room"
                )
            }
        }
    }
}

/// Colours on a terminal, unless NO_COLOR asks for none.
fn paint(role: Role, text: &str) -> String {
    if !std::io::stderr().is_terminal() || std::env::var_os("NO_COLOR").is_some() {
        return text.to_string();
    }
    let code = match role {
        Role::Title => "1;31",
        Role::Message => "1",
        Role::Frame => "34",
        Role::Caret => "31",
        Role::Help => "32",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Writes a file, or says why not.
pub fn write_file(path: &std::path::Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes)
        .map_err(|e| Failure::Output { path: path.display().to_string(), error: e.to_string() })
}
