//! The problem file: all that a solve depends on, as JSON. Who reads it back gets the same answer to the last bit.
//!
//! ```text
//! { "format": "flexline problem", "version": 1, "made_by": "flexline 0.1.0", "settings": {…}, "task": {…} }
//! ```
//!
//! Numbers are written with as many digits as it takes to read them back exactly. Keys are those of the types of the engine:
//! a file is for the version that wrote it, and a version that changes them counts up.

mod layout;

use flexline::solver::saved::{SavedError, SavedProblem, Task};
use flexline::solver::statics::Settings;
use layout::Layout;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// What the key `format` says.
const FORMAT: &str = "flexline problem";
/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;
/// Files larger than this are refused before they are read, in bytes.
pub const LARGEST_FILE: u64 = 256 << 20;
/// So many bytes are looked at for whether a file is one of these.
const GLANCE: u64 = 4096;

/// Why a problem cannot be read or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemFileError {
    /// The file cannot be opened.
    #[error("cannot read {name}: {error}")]
    Unreadable {
        /// The file.
        name: String,
        /// What the system said.
        error: String,
    },
    /// More than any problem needs.
    #[error("{0} is larger than {most} MiB, more than any problem needs: is it the right file?", most = LARGEST_FILE >> 20)]
    TooLarge(String),
    /// JSON, but of something else.
    #[error(
        "{name} has \"format\": {found}, expected \"{FORMAT}\": it is no problem that `solve --save-problem` has written"
    )]
    Format {
        /// The file.
        name: String,
        /// What it says that it is.
        found: String,
    },
    /// Written by another version.
    #[error(
        "{name} has version {found} of the problem file, expected {VERSION}: read it with {made_by}, or save the scene again"
    )]
    Version {
        /// The file.
        name: String,
        /// Its version.
        found: String,
        /// What wrote it.
        made_by: String,
    },
    /// No JSON, or values that make no problem.
    #[error("{name}:{line}:{column}: {message}")]
    Value {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Values that make a problem no solve takes.
    #[error("{name}: {error}")]
    Refused {
        /// The file.
        name: String,
        /// What is wrong.
        error: SavedError,
    },
}

/// What is read before all else: a file of another version may have other keys.
#[derive(Deserialize)]
struct Head {
    format: Option<serde_json::Value>,
    version: Option<serde_json::Value>,
    made_by: Option<serde_json::Value>,
}

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u64,
    made_by: String,
    settings: Settings,
    task: Task,
}

/// The same to be written.
#[derive(Serialize)]
struct FileRef<'a> {
    format: &'a str,
    version: u64,
    made_by: String,
    settings: &'a Settings,
    task: &'a Task,
}

/// Whether a text is a problem file rather than a scene: it is JSON, and no TOML begins with a brace.
pub fn is_problem(bytes: &[u8]) -> bool {
    bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}

/// Whether a file is one; `false` where it cannot be looked at.
pub fn is_problem_file(path: &Path) -> bool {
    let mut glance = Vec::new();
    let read = |file: std::fs::File| file.take(GLANCE).read_to_end(&mut glance);
    path.is_file() && std::fs::File::open(path).and_then(read).is_ok() && is_problem(&glance)
}

/// The text of a problem that a solve takes.
pub fn to_text(problem: &SavedProblem) -> Result<String, SavedError> {
    problem.check()?;
    let file = FileRef {
        format: FORMAT,
        version: VERSION,
        made_by: format!("flexline {}", env!("CARGO_PKG_VERSION")),
        settings: &problem.settings,
        task: &problem.task,
    };
    let mut bytes = Vec::new();
    let written = file.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Layout::default()));
    assert!(written.is_ok(), "keys are words, and memory does not refuse bytes: {written:?}");
    bytes.push(b'\n');
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

/// Reads a problem from the bytes of a file called `name`, and checks everything: what this returns can be solved.
pub fn from_bytes(bytes: &[u8], name: &str) -> Result<SavedProblem, ProblemFileError> {
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(ProblemFileError::TooLarge(name.into()));
    }
    let wrong = |error: serde_json::Error| {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = text.strip_suffix(&place).unwrap_or(&text).into();
        ProblemFileError::Value { name: name.into(), line: error.line(), column: error.column(), message }
    };
    let head: Head = serde_json::from_slice(bytes).map_err(wrong)?;
    let told = |value: Option<serde_json::Value>| value.map_or_else(|| "no value".into(), |v| v.to_string());
    if head.format.as_ref().and_then(|f| f.as_str()) != Some(FORMAT) {
        return Err(ProblemFileError::Format { name: name.into(), found: told(head.format) });
    }
    if head.version.as_ref().and_then(|v| v.as_u64()) != Some(VERSION) {
        let (found, made_by) = (told(head.version), told(head.made_by));
        return Err(ProblemFileError::Version { name: name.into(), found, made_by });
    }
    let File { settings, task, .. } = serde_json::from_slice(bytes).map_err(wrong)?;
    let problem = SavedProblem { settings, task };
    match problem.check() {
        Ok(()) => Ok(problem),
        Err(error) => Err(ProblemFileError::Refused { name: name.into(), error }),
    }
}

/// Reads a problem from a file.
pub fn load(path: &Path) -> Result<SavedProblem, ProblemFileError> {
    let name = path.display().to_string();
    let unreadable =
        |error: std::io::Error| ProblemFileError::Unreadable { name: name.clone(), error: error.to_string() };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    from_bytes(&bytes, &name)
}
