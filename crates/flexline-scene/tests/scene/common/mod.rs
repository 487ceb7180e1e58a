//! What tests share, those of sessions too: here a good scene, and what the reader says when it is broken.

#![allow(dead_code, reason = "tests of sessions need only some of it")]

pub mod harness;
pub mod jargon;
pub mod texts;

use flexline_scene::Scene;

/// A good scene; each test breaks it in one way.
pub const GOOD: &str = r#"version = 1

[cable]
length = "400 mm"
segments = 40

[cable.section]
shape = "tube"
outer_diameter = "10 mm"
inner_diameter = "4 mm"
youngs_modulus = "8 MPa"
poisson = 0.45
density = "1200 kg/m^3"

[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]

[end]
hold = "pinned"
position = ["250 mm", 0, 0]

[[load]]
at = "200 mm"
force = [0, 0, "-1 N"]
"#;

/// What the reader says about the good scene with pieces replaced.
#[track_caller]
pub fn broken(edits: &[(&str, &str)]) -> String {
    let mut text = GOOD.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "nothing to replace: {old}");
        text = text.replacen(old, new, 1);
    }
    match Scene::parse(&text, "hose.toml") {
        Ok(_) => "no mistake found".into(),
        Err(error) => format!("\n{error}\n"),
    }
}
