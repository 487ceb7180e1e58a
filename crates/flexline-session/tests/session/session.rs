//! Sessions and their journals: what is answered is on the disk, and comes back.

use crate::common::session::scene;
use flexline_session::command::Command;
use flexline_session::session::{Session, SessionError, Solved, Solving};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let Some(Solved { solution, .. }) = session.solution() else { panic!() };
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

/// A journal of many entries was solved entry by entry whenever it was opened. From a checkpoint only what came after it
/// is, and still everything can be undone.
#[test]
fn checkpoints_save_solves() {
    let path = scratch();
    let first = scene("y-branch");
    let mut session = Session::open(&first, "y-branch.toml", Solving::Always).unwrap();
    session.begin_journal(&path).unwrap();
    for text in WORK {
        session.apply(&command(text)).unwrap_or_else(|e| panic!("{e}"));
    }
    session.undo().unwrap();
    session.checkpoint(7);
    let beside = path.with_extension("checkpoint");
    assert!(!beside.exists(), "six entries are too few");
    session.checkpoint(6);
    assert!(beside.exists());
    session.redo().unwrap();
    let (text, shape, depth) = (session.text().to_owned(), positions(&session), session.depth());
    drop(session);
    let near =
        |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    let recover = || Session::recover(&path, Solving::Always).unwrap_or_else(|e| panic!("{e}"));
    let mut recovered = recover();
    assert_eq!(recovered.outcomes.len(), 1, "one entry came after the checkpoint");
    let session = &mut recovered.session;
    assert_eq!((session.text(), session.depth()), (&*text, depth));
    assert!(near(&positions(session), &shape));
    session.undo_all().unwrap();
    assert_eq!((session.text(), session.depth()), (&*first, (0, 5)));
    for _ in 0..5 {
        session.redo().unwrap();
    }
    assert_eq!(session.text(), text);
    drop(recovered);
    // Five undos and five redos came after it.
    assert_eq!(recover().outcomes.len(), 11);
    // One that is damaged, or of another journal, is passed over.
    let good = std::fs::read_to_string(&beside).unwrap();
    let digit = good.rfind(|c: char| c.is_ascii_digit()).unwrap();
    let mut bad = good.clone().into_bytes();
    bad[digit] = if bad[digit] == b'1' { b'2' } else { b'1' };
    for bad in [bad, Vec::new(), b"{}\n".to_vec(), vec![0xff; 100]] {
        std::fs::write(&beside, bad).unwrap();
        let again = recover();
        assert_eq!(again.outcomes.len(), 17);
        assert_eq!(again.session.text(), text);
    }
    std::fs::write(&beside, &good).unwrap();
    let other = scratch();
    let mut session = Session::open(&first, "y-branch.toml", Solving::Always).unwrap();
    session.begin_journal(&other).unwrap();
    for text in WORK.iter().rev().take(2) {
        session.apply(&command(text)).unwrap_or_else(|e| panic!("{e}"));
    }
    drop(session);
    std::fs::rename(&beside, other.with_extension("checkpoint")).unwrap();
    assert_eq!(Session::recover(&other, Solving::Always).unwrap().outcomes.len(), 2);
    for path in [&path, &other, &other.with_extension("checkpoint")] {
        std::fs::remove_file(path).unwrap();
    }
}

/// A damaged journal was refused, and its session lost: what is before the damage comes back, the damage is told by its
/// line, and the damaged file is kept. A torn last line is left out.
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
    let restored = |text: String, title: Option<&str>, says: &str| {
        std::fs::write(&path, &text).unwrap();
        let replayed = Session::replayed(&path, Solving::Never).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "reading changes nothing");
        let mut recovered = Session::recover(&path, Solving::Never).unwrap();
        assert_eq!(recovered.damage, replayed.damage);
        let told = recovered.damage.as_ref().expect("damage").to_string();
        assert!(told.contains(says), "{told}");
        let now = recovered.session.text();
        match title {
            Some(title) => assert!(now.contains(&format!("title = \"{title}\"")), "{now}"),
            None => assert_eq!(now, scene("y-branch")),
        }
        let aside = recovered.aside.take().expect("the damaged file");
        assert_eq!(std::fs::read_to_string(&aside).unwrap(), text);
        std::fs::remove_file(aside).unwrap();
        // It goes on behind what is good.
        recovered
            .session
            .apply(&command(r#"{"do": "set", "kind": "scene", "key": "title", "value": "on"}"#))
            .unwrap();
        drop(recovered);
        let again = Session::recover(&path, Solving::Never).unwrap();
        assert!(again.damage.is_none() && again.session.text().contains("title = \"on\""));
    };
    let changed = good.replace("\"value\":\"b\"", "\"value\":\"x\"");
    restored(changed, Some("a"), "line 3 of the journal is damaged: its check is wrong");
    restored([lines[0], lines[1], lines[3], ""].join("\n"), Some("a"), "line 3 of the journal is damaged");
    restored([lines[0], "", lines[2], ""].join("\n"), None, "line 2 of the journal is damaged");
    restored([lines[0], "", lines[2], ""].join("\n"), None, "it and 1 behind it are left out");
    let told = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let Err(error) = Session::recover(&path, Solving::Never) else { panic!("recovered") };
        error.to_string()
    };
    assert!(told("").contains("no whole first line"));
    assert!(told("{}\n").contains(":1: the line is damaged"));
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
    assert!(session.solution().is_some_and(|solved| solved.scene.is_single()), "one cable again");
    // A new command forgets what was undone.
    session.apply(&command(r#"{"do": "prolong", "cable": "brake hose", "by": "5 mm"}"#)).unwrap();
    assert_eq!(session.depth(), (1, 0));
    let open = Session::open("version = 2", "x", Solving::Always);
    assert!(open.is_err_and(|e| e.to_string().contains("error[version]")));
}

/// An entry that cannot be done again made the whole journal unusable: what is before it comes back.
#[test]
fn what_cannot_be_done_again_is_left_out() {
    let path = scratch();
    let mut session = Session::open(&scene("y-branch"), "y", Solving::Never).unwrap();
    session.begin_journal(&path).unwrap();
    session.apply(&command(r#"{"do": "set", "kind": "scene", "key": "title", "value": "a"}"#)).unwrap();
    drop(session);
    // Written by another version of the program, say, whose checks are right.
    let log = std::fs::read_to_string(&path).unwrap();
    let last = log.lines().last().unwrap();
    let check = u64::from_str_radix(&last["{\"check\":\"".len()..][..16], 16).unwrap();
    let mut lines = log.clone();
    let mut next = check;
    for body in ["\"redo\"", "\"undo\""] {
        for byte in body.bytes() {
            next = (next ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        lines += &format!("{{\"check\":\"{next:016x}\",\"entry\":{body}}}\n");
    }
    std::fs::write(&path, &lines).unwrap();
    let recovered = Session::recover(&path, Solving::Never).unwrap();
    let told = recovered.damage.as_ref().expect("damage").to_string();
    assert!(
        told.contains("line 3") && told.contains("nothing to redo") && told.contains("it and 1 behind"),
        "{told}"
    );
    assert!(recovered.session.text().contains("title = \"a\""));
    let aside = recovered.aside.clone().expect("kept");
    assert_eq!(std::fs::read_to_string(&aside).unwrap(), lines);
    drop(recovered);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), log, "it ends where it is good");
    for path in [path, aside] {
        std::fs::remove_file(path).unwrap();
    }
}

/// A session that nobody waits for any more stops, and nothing was changed.
#[test]
fn what_is_cancelled_changes_nothing() {
    use flexline::solver::{Budget, Cancel};
    let cancel = Cancel::default();
    let mut session = Session::open(&scene("y-branch"), "y", Solving::Always).unwrap();
    let before = session.text().to_owned();
    let shape = positions(&session);
    cancel.cancel();
    let outcome = Budget::until(&cancel).around(|| session.apply(&command(WORK[0])));
    assert_eq!(outcome, Err(SessionError::Cancelled));
    assert_eq!((session.text(), positions(&session)), (&*before, shape));
    let opened = Budget::until(&cancel).around(|| Session::open(&before, "y", Solving::Always).err());
    assert_eq!(opened, Some(SessionError::Cancelled));
    session.apply(&command(WORK[0])).unwrap();
}
