//! Sessions in tests: opened on a scene, given commands as text.

use flexline_session::command::Command;
use flexline_session::session::{Outcome, Session, Solving};

/// The text of a scene of the project.
pub fn scene(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A session on a text that solves after every command.
pub fn open(text: &str) -> Session {
    Session::open(text, "scene.toml", Solving::Always).unwrap_or_else(|e| panic!("{e}"))
}

/// Gives a command, which is accepted.
#[track_caller]
pub fn run(session: &mut Session, command: &str) -> Outcome {
    let command = Command::from_json(command).unwrap_or_else(|e| panic!("{e}"));
    session.apply(&command).unwrap_or_else(|e| panic!("{command:?}\n{e}"))
}

/// What is said when a command is refused; nothing has changed.
#[track_caller]
pub fn refused(session: &mut Session, command: &str) -> String {
    let before = session.text().to_owned();
    let told = match Command::from_json(command) {
        Ok(command) => session.apply(&command).expect_err("a refusal").to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(session.text(), before);
    told
}
