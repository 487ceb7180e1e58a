//! Rod models in scene files: read, refused, mixed with each other, changed by a command.

mod common;
#[path = "common/harness.rs"]
mod harness;
#[path = "common/session.rs"]
mod session;

use common::broken;
use flexline::rod::Rod;
use flexline_scene::Scene;
use flexline_scene::command::{Command, edit};
use harness::{compiled, solved};
use session::scene;

#[test]
fn a_cable_has_the_model_it_asks_for() {
    for (line, model) in [("", "mixed"), ("model = \"mixed\"", "mixed"), ("model = \"nodal\"", "nodal")] {
        let text = common::GOOD.replacen("segments = 40", &format!("segments = 40\n{line}"), 1);
        let compiled = Scene::parse(&text, "hose.toml").unwrap().compile().unwrap();
        assert_eq!(compiled.problem.rod.model(), model);
    }
}

#[test]
fn an_unknown_model_is_told_the_nearest_one() {
    let told = broken(&[("segments = 40", "segments = 40\nmodel = \"nodel\"")]);
    assert_eq!(
        told,
        r#"
error[unknown-name]: `cable.model` = "nodel" is not known
 --> hose.toml:6:9
  |
6 | model = "nodel"
  |         ^^^^^^^
  = help: did you mean "nodal"? Expected "mixed" or "nodal"
"#
    );
}

/// The Y-branch with the model of its first cable.
fn branch(model: &str) -> String {
    scene("y-branch").replacen("[[cable]]", &format!("[[cable]]\nmodel = \"{model}\""), 1)
}

#[test]
fn cables_of_a_harness_may_differ() {
    let (made, nodal) = solved(&branch("nodal"));
    let models: Vec<&str> = made.network.spans.iter().map(|s| s.rod.model()).collect();
    assert!(models.contains(&"nodal") && models.contains(&"mixed"), "{models:?}");
    let (_, mixed) = solved(&branch("mixed"));
    let far =
        nodal.state.anchors.iter().zip(&mixed.state.anchors).map(|(a, b)| (a.position - b.position).norm());
    let most = far.fold(0.0, f64::max);
    // Other segments, the same cable: near to each other, but not the same.
    assert!(most > 1e-9 && most < 1e-3, "{most}");
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
