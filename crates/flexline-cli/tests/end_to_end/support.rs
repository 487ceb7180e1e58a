//! Running the command, and places to work in.

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A way of solving that has no time to converge, to be put at the end of a scene.
pub const HASTY: &str = "\n[solve]\nmethod = \"integral-forces\"\niterations = 2\n";

/// How a command ended.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Both streams after the command line and the exit code: what a person sees.
    pub fn transcript(&self) -> String {
        format!("exit code {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }

    /// Asserts the exit code; whatever it is, nothing may look like a panic or be meant for a terminal only.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.transcript());
        for stream in [&self.stdout, &self.stderr] {
            assert!(!stream.contains('\u{1b}'), "escape codes without a terminal:\n{stream}");
            assert!(!stream.contains("panicked") && !stream.contains("backtrace"), "{stream}");
        }
        self
    }

    /// Asserts success and silence on standard error.
    #[track_caller]
    pub fn good(self) -> Self {
        let outcome = self.expect(0);
        assert_eq!(outcome.stderr, "", "standard error is for errors and progress on a terminal");
        outcome
    }

    /// Asserts a failure that prints no result.
    #[track_caller]
    pub fn refused(self, code: i32) -> Self {
        let outcome = self.expect(code);
        assert_eq!(outcome.stdout, "");
        assert!(outcome.stderr.starts_with("error"), "{}", outcome.stderr);
        outcome
    }

    /// The same of a command with `--json`, which says on standard output why it failed.
    #[track_caller]
    pub fn refused_in_json(self, code: i32) -> Self {
        let outcome = self.expect(code);
        let told = outcome.json();
        let message = told["error"]["message"].as_str().expect("a message");
        assert!(
            outcome.stderr.starts_with("error") && outcome.stderr.contains(message),
            "{}",
            outcome.stderr
        );
        outcome
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}:\n{}", self.stdout))
    }

    /// Asserts that standard error has all of these.
    #[track_caller]
    pub fn complains(&self, pieces: &[&str]) {
        for piece in pieces {
            assert!(self.stderr.contains(piece), "no `{piece}` in\n{}", self.stderr);
        }
    }
}

/// The command, not yet started: no terminal, English, without colour, asked for a backtrace.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flexline"));
    command
        .args(arguments)
        .env("RUST_BACKTRACE", "1")
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .stdin(Stdio::null());
    command
}

/// Runs a prepared command to its end.
pub fn finish(command: &mut Command) -> Outcome {
    let output = command.output().expect("the command starts");
    Outcome {
        code: output.status.code().expect("ended by itself, not by a signal"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs `flexline` with these arguments from the root of the repository.
pub fn flexline(arguments: &[&str]) -> Outcome {
    finish(command(arguments).current_dir(root()))
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A scene of the repository, as its text.
pub fn scene(name: &str) -> String {
    std::fs::read_to_string(root().join("scenes").join(name)).expect("a scene")
}

/// A folder of its own for one test, removed in the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let own = format!("end-to-end-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(own);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file and returns its path as text.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a file for the test");
        path.to_str().expect("a path in UTF-8").to_string()
    }

    /// A path in it, whether or not there is a file.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path in UTF-8").to_string()
    }

    /// Runs `flexline` inside it.
    pub fn flexline(&self, arguments: &[&str]) -> Outcome {
        finish(command(arguments).current_dir(&self.0))
    }

    /// Names of what is in it.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder");
        let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("an entry").file_name();
        let mut names: Vec<String> = entries.map(|e| name(e).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asserts that an object has exactly these keys.
#[track_caller]
pub fn keys(value: &Value, expected: &[&str]) {
    let mut found: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut expected = expected.to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// A number of JSON, which is finite by its nature; what was not is null there.
#[track_caller]
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// A vector of JSON.
#[track_caller]
pub fn vector(value: &Value) -> [f64; 3] {
    let list = value.as_array().expect("a list");
    assert_eq!(list.len(), 3);
    [0, 1, 2].map(|i| number(&list[i]))
}

/// Asserts that no number in a value was not finite: such a number is written as null.
#[track_caller]
pub fn without_null(value: &Value, allowed: &[&str]) {
    match value {
        Value::Null => panic!("null, where a finite number or text is due"),
        Value::Array(list) => list.iter().for_each(|v| without_null(v, allowed)),
        Value::Object(map) => {
            for (key, v) in map {
                if !(v.is_null() && allowed.contains(&key.as_str())) {
                    without_null(v, allowed);
                }
            }
        }
        _ => {}
    }
}

/// Whether two points are the same to within `tolerance`.
pub fn near(a: [f64; 3], b: [f64; 3], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance)
}

/// Whether a file with this ending is there.
pub fn is_file(path: impl AsRef<OsStr>) -> bool {
    Path::new(path.as_ref()).is_file()
}
