//! Rod models in scene files: read, refused, mixed with each other.

use crate::common;
use crate::common::broken;
use crate::common::harness::{compiled, solved};
use flexline::rod::Rod;
use flexline_scene::Scene;

#[test]
fn a_cable_has_the_model_it_asks_for() {
    let cases = [
        ("segments = 40", "mixed", "40 segments"),
        ("model = \"mixed\"", "mixed", "100 segments"),
        ("model = \"nodal\"\nsegments = 60", "nodal", "60 segments"),
        ("model = \"helix\"", "helix", "30 elements"),
        ("model = \"helix\"\nelements = 2", "helix", "2 elements"),
        ("model = \"clothoid\"", "clothoid", "10 elements"),
        // One more than asked for: elements end where a load acts, and one does in the middle.
        ("elements = 7\nmodel = \"clothoid\"", "clothoid", "8 elements"),
        ("model = \"spline\"", "spline", "16 elements"),
        ("model = \"spline\"\nelements = 2", "spline", "2 elements"),
    ];
    for (lines, model, resolution) in cases {
        let text = common::GOOD.replacen("segments = 40", lines, 1);
        let compiled = Scene::parse(&text, "hose.toml").unwrap().compile().unwrap();
        let rod = &compiled.network.spans[0].rod;
        assert_eq!((rod.model(), &*rod.resolution()), (model, resolution));
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
  = help: did you mean "nodal"? Expected "mixed", "nodal", "helix", "clothoid" or "spline"
"#
    );
}

#[test]
fn pieces_of_the_other_kind_are_refused() {
    let told = broken(&[("segments = 40", "model = \"clothoid\"\nsegments = 40")]);
    assert_eq!(
        told,
        r#"
error[conflict]: `cable.segments` means nothing to a cable that has elements
 --> hose.toml:6:12
  |
6 | segments = 40
  |            ^^
  = help: say elements = 10 instead, or model = "mixed" or "nodal"
"#
    );
    let told = broken(&[("segments = 40", "elements = 40")]);
    assert_eq!(
        told,
        r#"
error[conflict]: `cable.elements` means nothing to a cable that has segments
 --> hose.toml:5:12
  |
5 | elements = 40
  |            ^^
  = help: say segments = 100 instead, or model = "helix", "clothoid" or "spline"
"#
    );
    let told = broken(&[("segments = 40", "model = \"helix\"\ngrading = \"auto\"")]);
    assert!(told.contains("error[conflict]: `cable.grading` is for models with segments"), "{told}");
    assert!(told.contains("hose.toml:6:11"), "{told}");
}

#[test]
fn numbers_of_elements_that_cannot_be() {
    for n in ["0", "1", "-3", "10001"] {
        let told = broken(&[("segments = 40", &format!("model = \"clothoid\"\nelements = {n}"))]);
        assert!(
            told.contains(&format!("error[out-of-range]: `cable.elements` = {n} is out of range")),
            "{told}"
        );
        assert!(told.contains("hose.toml:6:12"), "{told}");
        assert!(told.contains("expected a whole number from 2 to 10000; 10 is a good start"), "{told}");
    }
    let told = broken(&[("segments = 40", "model = \"spline\"\nelements = 401")]);
    assert!(told.contains("expected a whole number from 2 to 400; 16 is a good start"), "{told}");
    let told = broken(&[("segments = 40", "model = \"clothoid\"\nelements = 4.5")]);
    assert!(told.contains("error[wrong-type]: `cable.elements` is the number 4.5"), "{told}");
}

#[test]
fn rest_shapes_that_cannot_be() {
    for (curvature, told) in [("nan", "not a finite number"), ("inf", "not a finite number")] {
        let rest = format!("model = \"clothoid\"\nrest = {{ curvature = [{curvature}, 0] }}");
        let said = broken(&[("segments = 40", &rest)]);
        assert!(said.contains(told) && said.contains("hose.toml:6:"), "{said}");
    }
    // Finite, but more turns than anything can follow.
    let rest = "model = \"clothoid\"\nrest = { curvature = [\"1e9 1/m\", 0] }";
    let text = common::GOOD.replacen("segments = 40", rest, 1);
    let error = Scene::parse(&text, "hose.toml").unwrap_err();
    assert_eq!(error.diagnostics[0].path, "cable.rest");
    let said = error.to_string();
    assert!(
        said.starts_with("error[out-of-range]: the rest curvature (1000000000, 0, 0) 1/m at s = "),
        "{said}"
    );
    assert!(
        said.contains("hose.toml:6:8") && said.contains("= help: give a rest shape that curls less"),
        "{said}"
    );
}

/// Elements go to the pieces of a cable by length, two to each at least.
#[test]
fn a_harness_shares_elements_out() {
    let clip = "[[clip]]\nname = \"clip\"\ncable = \"trunk\"\nat = \"75 mm\"\nhold = \"free\"\n";
    let text = branch("clothoid").replacen("model =", "elements = 40\nmodel =", 1) + clip;
    let made = compiled(&text);
    let counts: Vec<_> =
        made.cables[0].spans.iter().map(|(k, _)| made.network.spans[*k].rod.pieces()).collect();
    assert_eq!(counts, [(10, "elements"), (30, "elements")]);
    let few = compiled(&text.replace("elements = 40", "elements = 2"));
    assert!(few.cables[0].spans.iter().all(|(k, _)| few.network.spans[*k].rod.pieces() == (2, "elements")));
}

/// The Y-branch with the model of its first cable.
fn branch(model: &str) -> String {
    let text = include_str!("../../../../scenes/y-branch.toml");
    text.replacen("[[cable]]", &format!("[[cable]]\nmodel = \"{model}\""), 1)
}

#[test]
fn cables_of_a_harness_may_differ() {
    let (_, mixed) = solved(&branch("mixed"));
    for model in ["nodal", "helix", "clothoid", "spline"] {
        let (made, other) = solved(&branch(model));
        let models: Vec<&str> = made.network.spans.iter().map(|s| s.rod.model()).collect();
        assert!(models.contains(&model) && models.contains(&"mixed"), "{models:?}");
        let anchors = other.state.anchors.iter().zip(&mixed.state.anchors);
        let most = anchors.map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max);
        // Other pieces, the same cable: near to each other, but not the same.
        assert!(most > 1e-9 && most < 1e-3, "{model}: {most}");
    }
}

/// A taut rope of helices or clothoids used to be reported unstable: the round-off of its tension was taken for a spin
/// that releases energy.
#[test]
fn a_taut_rope_is_not_unstable() {
    let text = include_str!("../../../../scenes/block-and-tackle.toml");
    // The bend at an eye reaches √(K/T) = 6 mm: elements longer than that, and shorter.
    for (model, elements) in [("helix", 20), ("helix", 60), ("clothoid", 120), ("clothoid", 1000)] {
        let own = format!("model = \"{model}\"\nelements = {elements}");
        solved(&text.replacen("segments = 60", &own, 1));
    }
}
