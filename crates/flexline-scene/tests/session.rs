//! Sessions and their journals: what is answered is on the disk, and comes back.

#[path = "common/session.rs"]
mod support;

use flexline_scene::command::Command;
use flexline_scene::session::{Session, SessionError, Solved, Solving};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::scene;

fn scratch() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let own = format!("session-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(own)
}

fn command(text: &str) -> Command {
    Command::from_json(text).unwrap_or_else(|e| panic!("{e}"))
}

const WORK: [&str; 5] = [
    r#"{"do": "move", "name": "fork", "by": [0, 0, "20 mm"]}"#,
    r#"{"do": "add-handle", "cable": "trunk", "at": "50 %", "hold": "pinned"}"#,
    r#"{"do": "turn", "cable": "to the left", "by": "1 turn"}"#,
    r#"{"do": "branch", "cable": "to the right", "at": "30 %", "name": "stub", "length": "90 mm", "with": {"part": "wire-2.5"}}"#,
    r#"{"do": "set-length", "cable": "to the left", "pull": {"tension": "0.4 N"}}"#,
];

/// Everything about a session that a user sees.
fn positions(session: &Session) -> Vec<f64> {
    let Some(Solved::Harness { solution, .. }) = session.solution() else { panic!() };
    solution
        .profiles
        .iter()
        .flat_map(|p| &p.samples)
        .flat_map(|s| s.position.iter().copied().collect::<Vec<_>>())
        .collect()
}

/// Dropped without a word, as after kill -9: the journal gives text, shape and history back.
#[test]
fn a_session_comes_back() {
    let path = scratch();
    let mut session = Session::open(&scene("y-branch"), "y-branch.toml", Solving::Always).unwrap();
    session.begin_journal(&path).unwrap();
    for text in WORK {
        session.apply(&command(text)).unwrap_or_else(|e| panic!("{e}"));
    }
    session.undo().unwrap();
    session.undo().unwrap();
    session.redo().unwrap();
    let (text, shape, depth) = (session.text().to_owned(), positions(&session), session.depth());
    drop(session);
    let recovered = Session::recover(&path, Solving::Always).unwrap_or_else(|e| panic!("{e}"));
    let session = recovered.session;
    assert_eq!((recovered.outcomes.len(), recovered.torn), (8, false));
    assert_eq!((session.text(), session.depth(), session.name()), (&*text, depth, "y-branch.toml"));
    assert_eq!(positions(&session), shape, "the same shape to the last bit");
    // What is in the journal does not ask for a shape: without solving the text is the same.
    let text_only = Session::replayed(&path, Solving::Never).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(text_only.session.text(), text);
    std::fs::remove_file(path).unwrap();
}

/// A damaged line in the middle is refused by its number; a torn last one is left out.
#[test]
fn damage_is_noticed() {
    let path = scratch();
    let mut session = Session::open(&scene("y-branch"), "y-branch.toml", Solving::Never).unwrap();
    session.begin_journal(&path).unwrap();
    for title in ["a", "b", "c"] {
        let text = format!(r#"{{"do": "set", "kind": "scene", "key": "title", "value": "{title}"}}"#);
        session.apply(&command(&text)).unwrap();
    }
    drop(session);
    let good = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()), "JSON lines");
    let told = |text: String| {
        std::fs::write(&path, text).unwrap();
        let Err(error) = Session::recover(&path, Solving::Never) else { panic!("recovered") };
        error.to_string()
    };
    let changed = told(good.replace("\"value\":\"b\"", "\"value\":\"x\""));
    assert!(changed.contains(":3: the line is damaged: its check is wrong"), "{changed}");
    let missing = told([lines[0], lines[1], lines[3], ""].join("\n"));
    assert!(missing.contains(":3: the line is damaged"), "{missing}");
    let empty = told([lines[0], "", lines[2], ""].join("\n"));
    assert!(empty.contains(":2: the line is damaged"), "{empty}");
    assert!(told(String::new()).contains("no whole first line"));
    assert!(told("{}\n".into()).contains(":1: the line is damaged"));
    // Torn, it is left out, and the file goes on from there.
    std::fs::write(&path, &good[..good.len() - 5]).unwrap();
    let recovered = Session::recover(&path, Solving::Never).unwrap();
    assert!(recovered.torn && recovered.session.text().contains("title = \"b\""));
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
    drop(recovered);
    // A journal is never overwritten.
    let mut other = Session::open(&scene("y-branch"), "y", Solving::Never).unwrap();
    let error = other.begin_journal(&path).unwrap_err();
    assert!(matches!(&error, SessionError::Journal(e) if e.is_output), "{error}");
    std::fs::remove_file(path).unwrap();
}

/// Two sessions never write to one journal: the second is told, and nothing has happened to the file.
#[test]
fn a_journal_has_one_writer() {
    let path = scratch();
    let mut session = Session::open(&scene("y-branch"), "y", Solving::Never).unwrap();
    session.begin_journal(&path).unwrap();
    let title =
        |t: &str| command(&format!(r#"{{"do": "set", "kind": "scene", "key": "title", "value": "{t}"}}"#));
    session.apply(&title("first")).unwrap();
    let before = std::fs::read(&path).unwrap();
    let Err(error) = Session::recover(&path, Solving::Never) else { panic!("two writers") };
    assert!(matches!(&error, SessionError::Journal(e) if e.is_output), "{error}");
    assert!(error.to_string().contains("another session is writing to it"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Reading alone is no harm.
    assert_eq!(Session::replayed(&path, Solving::Never).unwrap().outcomes.len(), 1);
    session.apply(&title("second")).unwrap();
    drop(session);
    let mut next = Session::recover(&path, Solving::Never).unwrap_or_else(|e| panic!("{e}"));
    next.session.apply(&title("third")).unwrap();
    let Err(error) = Session::recover(&path, Solving::Never) else { panic!("two writers") };
    assert!(error.to_string().contains("close the other one first"), "{error}");
    drop(next);
    assert_eq!(Session::replayed(&path, Solving::Never).unwrap().outcomes.len(), 3);
    std::fs::remove_file(path).unwrap();
}

/// A journal that cannot be written: nothing is done, and nothing is said to be.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_journaled_is_not_done() {
    let Ok(mut session) = Session::open(&scene("y-branch"), "y", Solving::Never) else { panic!() };
    let error = session.begin_journal("/dev/full").unwrap_err();
    assert!(matches!(error, SessionError::Journal(_)), "{error}");
    let error = session.begin_journal("/no/such/folder/journal").unwrap_err();
    assert!(error.to_string().contains("choose a folder that exists"), "{error}");
}

#[test]
fn ends_of_history() {
    let text = scene("brake-hose");
    let mut session = Session::open(&text, "hose", Solving::Always).unwrap();
    assert_eq!(session.undo().unwrap_err(), SessionError::NothingToUndo);
    assert_eq!(session.redo().unwrap_err(), SessionError::NothingToRedo);
    session.apply(&command(r#"{"do": "cut", "cable": "brake hose", "at": "50 %"}"#)).unwrap();
    session.undo().unwrap();
    assert_eq!(session.text(), text);
    assert!(matches!(session.solution(), Some(Solved::Cable { .. })), "one cable again");
    // A new command forgets what was undone.
    session.apply(&command(r#"{"do": "prolong", "cable": "brake hose", "by": "5 mm"}"#)).unwrap();
    assert_eq!(session.depth(), (1, 0));
    let open = Session::open("version = 2", "x", Solving::Always);
    assert!(open.is_err_and(|e| e.to_string().contains("error[version]")));
}
