//! `flexline edit` and `flexline journal`.

use crate::support::{Folder, command, flexline, keys, number, scene};
use std::process::Stdio;

const CUT: &str = r#"{"do": "cut", "cable": "to the left", "at": "50 %"}"#;
const TITLE: &str = r#"{"do": "set", "kind": "scene", "key": "title", "value": "New"}"#;

#[test]
fn a_scene_is_edited_in_place_or_elsewhere() {
    let folder = Folder::new();
    let text = scene("y-branch.toml");
    let path = folder.write("y.toml", &text);
    let out = folder.file("cut.toml");
    let told = folder.flexline(&["edit", &path, "--do", CUT, "-o", &out]).good().stdout;
    assert!(told.contains("  1  cable 'to the left' cut at 165 mm") && told.contains("converged"), "{told}");
    assert!(told.ends_with(&format!("written to {out}\n")), "{told}");
    assert_eq!(std::fs::read_to_string(&path).expect("the scene"), text, "the scene itself is left alone");
    flexline(&["solve", &out]).good();
    folder.flexline(&["edit", &path, "--do", TITLE, "--dry-run"]).good();
    assert_eq!(std::fs::read_to_string(&path).expect("the scene"), text);
    folder.flexline(&["edit", &path, "--do", TITLE]).good();
    assert_eq!(std::fs::read_to_string(&path).expect("the scene"), text.replace("\"Y branch\"", "\"New\""));
    assert_eq!(folder.names(), ["cut.toml", "y.toml"], "nothing else is left behind");
}

#[test]
fn scripts_undo_and_json() {
    let folder = Folder::new();
    let path = folder.write("y.toml", scene("y-branch.toml"));
    let script = folder.write("work.jsonl", format!("# comment\n\n{CUT}\n{{\"do\": \"undo\"}}\n{TITLE}\n"));
    let json = folder.flexline(&["edit", &path, "--script", &script, "--json"]).good().json();
    keys(&json, &["scene", "steps", "status"]);
    assert_eq!(json["status"], "converged");
    let steps = json["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 3);
    keys(&steps[0], &["command", "changes", "status"]);
    assert_eq!(steps[1]["changes"][0], "undone: cut");
    assert!(!std::fs::read_to_string(&path).expect("the scene").contains("to the left 2"));
}

/// Numbers stand in the answer for what referred to the shape.
#[test]
fn what_is_too_short_is_told() {
    let folder = Folder::new();
    let path = folder.write("y.toml", scene("y-branch.toml"));
    let short = r#"{"do": "prolong", "cable": "trunk", "by": "-250 mm"}"#;
    let told = folder.flexline(&["edit", &path, "--do", short]).expect(1);
    assert!(
        told.stdout.contains("too short: cable") && told.stdout.contains("mm short between"),
        "{}",
        told.stdout
    );
    assert!(
        std::fs::read_to_string(&path).expect("the scene").contains("length = \"50 mm\""),
        "it is done all the same"
    );
    let pull = r#"{"do": "set-length", "cable": "to the left", "pull": {"tension": "0.6 N"}}"#;
    let path = folder.write("y.toml", scene("y-branch.toml"));
    let json = folder.flexline(&["edit", &path, "--do", pull, "--dry-run", "--json"]).good().json();
    let length = json["steps"][0]["command"]["length"].as_str().expect("a length");
    let value: f64 = length.strip_suffix(" mm").expect("millimetres").parse().expect("a number");
    assert!((200.0..330.0).contains(&value), "{length}");
}

#[test]
fn refusals_leave_everything() {
    let folder = Folder::new();
    let text = scene("y-branch.toml");
    let path = folder.write("y.toml", &text);
    let edit = |arguments: &[&str], code: i32, told: &[&str]| {
        folder.flexline(&[&["edit", &path], arguments].concat()).refused(code).complains(told);
        assert_eq!(std::fs::read_to_string(&path).expect("the scene"), text);
    };
    edit(&[], 2, &["--do"]);
    edit(&["--do", TITLE, "--script", "x"], 2, &["cannot be used with"]);
    edit(&["--do", "{"], 3, &["error[syntax]", "not valid JSON"]);
    edit(&["--do", r#"{"do": "cutt"}"#], 3, &["error[unknown-name]", "did you mean \"cut\"?"]);
    edit(&["--do", r#"{"do": "cut", "cable": "trnk", "at": 0.1}"#], 3, &["did you mean \"trunk\"?"]);
    edit(
        &["--do", TITLE, "--do", r#"{"do": "release", "name": "fork"}"#],
        3,
        &["command 2 of 2", "as it was"],
    );
    edit(&["--do", r#"{"do": "undo"}"#], 3, &["nothing to undo"]);
    let bad = r#"{"do": "set", "kind": "cable", "name": "trunk", "key": "lenght", "value": 1}"#;
    edit(&["--do", bad], 3, &["unknown key `lenght`", "did you mean `length`?", "as edited"]);
    edit(&["--script", "none.jsonl"], 3, &["cannot read none.jsonl"]);
    let script = folder.write("bad.jsonl", "\n[]\n");
    edit(&["--script", &script], 3, &["bad.jsonl:2"]);
    let empty = folder.write("empty.jsonl", "# nothing\n");
    edit(&["--script", &empty], 3, &["has no commands"]);
    edit(&["--do", TITLE, "-o", &folder.file("none/out.toml")], 4, &["cannot write"]);
    edit(&["--do", TITLE, "--journal", &folder.file("none/journal")], 4, &["cannot write journal"]);
    let handle = r#"{"do": "add-handle", "cable": "trunk", "at": "50 %"}"#;
    edit(&["--do", handle, "--no-solve"], 3, &["asks for the present shape"]);
    folder.flexline(&["edit", "none.toml", "--do", TITLE]).refused(3).complains(&["there is no such file"]);
    folder.flexline(&["journal", "none"]).refused(3).complains(&["cannot be read"]);
    folder.flexline(&["journal", &path]).refused(3).complains(&[":1: the line is damaged"]);
}

#[test]
fn a_journal_gives_the_scene_back() {
    let folder = Folder::new();
    let path = folder.write("y.toml", scene("y-branch.toml"));
    let (out, journal) = (folder.file("out.toml"), folder.file("y.journal"));
    let handles = r#"{"do": "equidistant-handles", "cable": "trunk", "count": 2}"#;
    let arguments = ["edit", &path, "--do", CUT, "--do", handles, "-o", &out, "--journal", &journal];
    let told = folder.flexline(&arguments).good().stdout;
    let replayed = folder.flexline(&["journal", &journal, "-o", "again.toml"]).good().stdout;
    assert_eq!(told.lines().next(), replayed.lines().next());
    let text = |name: &str| std::fs::read_to_string(folder.file(name)).expect("a scene");
    assert_eq!(text("again.toml"), text("out.toml"));
    // What refers to the shape is in it as numbers.
    folder.flexline(&["journal", &journal, "-o", "unsolved.toml", "--no-solve"]).good();
    assert_eq!(text("unsolved.toml"), text("out.toml"));
    folder.flexline(&arguments).refused(4).complains(&["cannot write journal"]);
    let json = folder.flexline(&["journal", &journal, "--json"]).good().json();
    assert_eq!(json["steps"].as_array().expect("steps").len(), 2);
    assert!(number(&json["steps"][1]["command"]["of"][0]["with"]["position"][0]) > 0.0);
}

/// Killed in the middle of its work, it has lost nothing that was in the journal.
#[test]
fn work_survives_a_kill() {
    let folder = Folder::new();
    let path = folder.write("y.toml", scene("y-branch.toml"));
    let step = |i: usize| format!(r#"{{"do": "set", "kind": "scene", "key": "title", "value": "step {i}"}}"#);
    let script = folder.write("long.jsonl", (0..20_000).map(step).collect::<Vec<_>>().join("\n"));
    let journal = folder.file("long.journal");
    let mut child = command(&["edit", &path, "--script", &script, "--journal", &journal])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let lines = || std::fs::read(&journal).map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count());
    while lines() < 5 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().expect("still at work");
    child.wait().expect("gone");
    let done = lines() - 1;
    assert!((4..20_000).contains(&done), "{done}");
    folder.flexline(&["journal", &journal, "-o", "back.toml", "--no-solve"]).good();
    let text = std::fs::read_to_string(folder.file("back.toml")).expect("the scene");
    assert!(text.contains(&format!("title = \"step {}\"", done - 1)), "{done}");
}

/// Editing a file that only its owner may read left it to everybody.
#[cfg(unix)]
#[test]
fn who_may_read_a_scene_stays() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.write("y.toml", scene("y-branch.toml"));
    let mode = || std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777;
    for wanted in [0o600, 0o640, 0o644] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(wanted)).expect("set");
        folder.flexline(&["edit", &path, "--do", TITLE, "--no-solve"]).good();
        assert_eq!(mode(), wanted);
    }
}
