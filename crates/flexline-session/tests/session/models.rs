//! Rod models of cables, changed by commands.

use crate::common::session;
use crate::common::session::scene;
use crate::scenes as common;
use crate::scenes::harness::compiled;
use flexline::rod::Rod;
use flexline::solver::Status;
use flexline_session::command::{Command, edit};
use flexline_session::session::{Session, Solved};

/// The Y-branch with the model of its first cable.
fn branch(model: &str) -> String {
    scene("y-branch").replacen("[[cable]]", &format!("[[cable]]\nmodel = \"{model}\""), 1)
}

#[test]
fn a_command_changes_the_model() {
    let name = |text: &str| compiled(text).network.spans[0].rod.model();
    let text = scene("y-branch");
    assert_eq!(name(&text), "mixed");
    let command = |value: &str| {
        let json =
            format!(r#"{{"do": "set", "kind": "cable", "name": "trunk", "key": "model", "value": {value}}}"#);
        Command::from_json(&json).unwrap()
    };
    let edited = edit(&text, &command("\"nodal\"")).unwrap();
    assert_eq!(name(&edited.text), "nodal");
    assert_eq!(name(&edit(&edited.text, &command("null")).unwrap().text), "mixed");
}

#[test]
fn joined_cables_have_the_model_of_the_first() {
    let cut = r#"{"do": "cut", "cable": "trunk", "at": "120 mm"}"#;
    let pieces = edit(&branch("nodal"), &Command::from_json(cut).unwrap()).unwrap();
    assert_eq!(pieces.text.matches("model = \"nodal\"").count(), 2);
    let set = r#"{"do": "set", "kind": "cable", "name": "trunk 2", "key": "model", "value": "mixed"}"#;
    let differing = edit(&pieces.text, &Command::from_json(set).unwrap()).unwrap();
    let join = Command::from_json(r#"{"do": "join", "cables": ["trunk", "trunk 2"]}"#).unwrap();
    let told =
        |text: &str| edit(text, &join).unwrap().changes.join("\n").contains("the model of cable 'trunk'");
    assert!(told(&differing.text) && !told(&pieces.text));
}

/// Set by a command, a model takes its own number of pieces, and undo gives every byte back.
#[test]
fn models_are_switched_in_place() {
    let text = scene("brake-hose").replace("segments = 100", "segments = 100 # fine\ngrading = \"auto\"");
    let mut session = session::open(&text);
    let set = |model: &str| {
        format!(
            r#"{{"do": "set", "kind": "cable", "name": "brake hose", "key": "model", "value": "{model}"}}"#
        )
    };
    let mut texts = vec![session.text().to_owned()];
    for model in ["clothoid", "spline", "helix", "nodal", "spline", "mixed"] {
        let outcome = session::run(&mut session, &set(model));
        let told = outcome.changes.join("; ");
        let gone = "`segments` and `grading` taken out: the cable has elements now";
        assert_eq!(told.contains(gone), texts.len() == 1, "{told}");
        assert_eq!(session.solution().map(Solved::status), Some(Status::Converged), "{model}");
        texts.push(session.text().to_owned());
    }
    let told = session::refused(
        &mut session,
        r#"{"do": "set", "kind": "cable", "name": "brake hose", "key": "elements", "value": 8}"#,
    );
    assert!(told.contains("`cable.elements` means nothing to a cable that has segments"), "{told}");
    for before in texts.iter().rev().skip(1) {
        session.undo().unwrap();
        assert_eq!(session.text(), before);
    }
}

/// In a harness as well, where the other cables stay as they are.
#[test]
fn models_are_switched_in_a_harness() {
    let mut session = session::open(&scene("y-branch"));
    let shape = |session: &Session| {
        let Some(Solved { solution, .. }) = session.solution() else { panic!("not solved") };
        assert_eq!((solution.report.status, solution.report.negative), (Status::Converged, 0));
        solution.state.anchors.iter().map(|a| a.position).collect::<Vec<_>>()
    };
    let first = shape(&session);
    for model in ["clothoid", "spline", "helix", "nodal", "spline", "mixed"] {
        let set = format!(
            r#"{{"do": "set", "kind": "cable", "name": "trunk", "key": "model", "value": "{model}"}}"#
        );
        session::run(&mut session, &set);
        let far = shape(&session).iter().zip(&first).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(far < 1e-3, "{model}: {far}");
    }
}

#[test]
fn elements_are_cut_and_joined() {
    let text = branch("clothoid").replacen("model =", "elements = 12\nmodel =", 1);
    let cut = Command::from_json(r#"{"do": "cut", "cable": "trunk", "at": "100 mm"}"#).unwrap();
    let pieces = edit(&text, &cut).unwrap().text;
    assert!(pieces.contains("elements = 4\n") && pieces.contains("elements = 8\n"), "{pieces}");
    let join = Command::from_json(r#"{"do": "join", "cables": ["trunk", "trunk 2"]}"#).unwrap();
    assert!(edit(&pieces, &join).unwrap().text.contains("elements = 12\n"));
    // Joined to a chain: as fine as the first, three times as long.
    let set = r#"{"do": "set", "kind": "cable", "name": "trunk 2", "key": "model", "value": "mixed"}"#;
    let differing = edit(&pieces, &Command::from_json(set).unwrap()).unwrap().text;
    let joined = edit(&differing, &join).unwrap().text;
    assert!(joined.contains("elements = 12\n") && !joined.contains("segments"), "{joined}");
}

#[test]
fn a_cable_of_elements_becomes_a_harness() {
    let text = common::GOOD.replacen("segments = 40", "model = \"helix\"", 1);
    let edited = edit(&text, &Command::from_json(r#"{"do": "to-harness"}"#).unwrap()).unwrap();
    assert!(edited.text.contains("elements = 30") && !edited.text.contains("segments"), "{}", edited.text);
    assert_eq!(compiled(&edited.text).network.spans[0].rod.resolution(), "30 elements");
}
