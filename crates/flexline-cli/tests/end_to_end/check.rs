//! `flexline check`.

use crate::support::{Folder, HASTY, flexline, keys, number, scene, vector, without_null};
use serde_json::Value;

const FINDING: [&str; 9] =
    ["rule", "verdict", "value", "limit", "utilisation", "s", "position", "detail", "message"];

fn finding<'a>(json: &'a Value, rule: &str) -> &'a Value {
    let findings = json["findings"].as_array().expect("a list");
    findings.iter().find(|f| f["rule"] == rule).unwrap_or_else(|| panic!("no finding about {rule}"))
}

#[test]
fn a_good_scene_passes() {
    let outcome = flexline(&["check", "scenes/brake-hose.toml"]).good();
    for rule in ["equilibrium", "stability", "bend radius", "tension"] {
        let line = outcome.stdout.lines().find(|l| l.starts_with(rule)).expect(rule);
        assert!(line.contains(" pass"), "{line}");
    }
    assert!(!outcome.stdout.contains("FAIL") && !outcome.stdout.contains("warn"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("an estimate"), "{}", outcome.stdout);
}

#[test]
fn a_cable_bent_too_tightly_fails_with_the_place() {
    let outcome = flexline(&["check", "scenes/battery-cable.toml"]).expect(6);
    assert_eq!(outcome.stderr, "");
    let told = "FAIL: bend radius 23.18";
    assert!(outcome.stdout.contains(told), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("at s = 80 mm: expected at least 29.4 mm (static, at the centre)"));
}

#[test]
fn json_says_the_same() {
    let json = flexline(&["check", "scenes/battery-cable.toml", "--json"]).expect(6).json();
    keys(&json, &["format", "scene", "status", "verdict", "stiffness_is_estimate", "findings", "cables"]);
    assert_eq!(json["verdict"], "fail");
    assert_eq!(json["status"], "converged");
    json["findings"].as_array().expect("a list").iter().for_each(|f| keys(f, &FINDING));
    without_null(&json, &["limit", "utilisation"]);
    for f in json["findings"].as_array().expect("a list") {
        assert_eq!(f["limit"].is_null(), f["verdict"] == "no_limit", "{f}");
    }
    let bend = finding(&json, "bend_radius");
    assert_eq!((&bend["verdict"], &bend["detail"]), (&"fail".into(), &"static, at the centre".into()));
    assert!((number(&bend["s"]) - 0.08).abs() < 1e-12, "in the middle");
    let [x, y, z] = vector(&bend["position"]);
    assert!((x - 0.025).abs() < 1e-6 && y.abs() < 1e-6 && z < -0.05, "at the bottom of the loop");
    let used = number(&bend["limit"]) / number(&bend["value"]);
    assert!((number(&bend["utilisation"]) - used).abs() < 1e-12 && used > 1.0);
    assert_eq!(finding(&json, "tension")["verdict"], "pass");
}

#[test]
fn what_the_scene_says_about_lugs_80_mm_apart_is_true() {
    let folder = Folder::new();
    let path = folder.write("wider.toml", scene("battery-cable.toml").replace("[\"50 mm\"", "[\"80 mm\""));
    let json = flexline(&["check", &path, "--json"]).good().json();
    assert_ne!(finding(&json, "bend_radius")["verdict"], "fail");
}

#[test]
fn a_warning_is_no_failure() {
    let outcome = flexline(&["check", "scenes/coolant-hose.toml"]).good();
    assert!(outcome.stdout.contains("warn: bend radius"), "{}", outcome.stdout);
}

#[test]
fn pressure_is_judged_where_it_is_least() {
    // Tension used to be reported at s = 0 whenever the cable was under pressure all along.
    let solved = flexline(&["solve", "scenes/brake-hose.toml", "--json"]).good().json();
    let checked = flexline(&["check", "scenes/brake-hose.toml", "--json"]).good().json();
    let (largest, judged) = (&solved["largest_tension"], finding(&checked, "tension"));
    assert!(number(&largest["value"]) < 0.0);
    assert_eq!(number(&judged["value"]), number(&largest["value"]));
    assert_eq!(number(&judged["s"]), number(&largest["s"]));
    assert_eq!(number(&judged["utilisation"]), 0.0);
}

#[test]
fn limits_of_the_scene_count() {
    let folder = Folder::new();
    let strict = |limit: &str| {
        let text = scene("twisted-cable.toml") + &format!("\n[cable.limits]\n{limit}\n");
        flexline(&["check", &folder.write("strict.toml", text), "--json"]).expect(6).json()
    };
    let twist = strict("twist = \"1 turn/m\"");
    assert_eq!(finding(&twist, "twist")["verdict"], "fail");
    assert_eq!(finding(&twist, "twist")["s"], 0.0, "the same all along: its first place");
    assert!(finding(&twist, "twist")["message"].as_str().is_some_and(|m| m.contains("at most 360 °/m")));
    let tension = strict("tension = \"0.1 N\"");
    assert_eq!(finding(&tension, "tension")["verdict"], "fail");
}

#[test]
fn an_unstable_shape_breaks_a_rule() {
    let folder = Folder::new();
    let scene = scene("buckling-strut.toml").replace("seek_stable = true", "seek_stable = false");
    let path = folder.write("strut.toml", scene);
    let outcome = flexline(&["check", &path]).expect(6);
    assert!(outcome.stdout.contains("unstable") && outcome.stdout.contains("snap"), "{}", outcome.stdout);
    flexline(&["check", &path, "--stable"]).good();
}

#[test]
fn without_equilibrium_there_is_no_verdict() {
    let folder = Folder::new();
    let path = folder.write("hasty.toml", scene("battery-cable.toml") + HASTY);
    let outcome = flexline(&["check", &path]).expect(1);
    assert!(outcome.stdout.contains("nothing else can be judged"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("bend radius"), "{}", outcome.stdout);
    outcome.complains(&["hasty.toml: not converged: iteration limit reached"]);
    let json = flexline(&["check", &path, "--json"]).expect(1).json();
    assert_eq!(finding(&json, "equilibrium")["verdict"], "fail");
}

#[test]
fn the_radius_of_a_straight_cable_is_null_in_json_and_straight_in_words() {
    let folder = Folder::new();
    let text = "version = 1\n[cable]\nlength = 1\npart = \"wire-1.5\"\n[start]\nhold = \"clamped\"\n\
                position = [0, 0, 0]\ntangent = [0, 0, -1]\n[end]\nhold = \"free\"\n";
    let path = folder.write("plumb.toml", text);
    let json = flexline(&["check", &path, "--json"]).good().json();
    assert!(finding(&json, "bend_radius")["value"].is_null());
    assert_eq!(finding(&json, "bend_radius")["verdict"], "pass");
    assert!(flexline(&["check", &path]).good().stdout.contains("straight"));
}

#[test]
fn a_warning_fails_where_that_is_asked_for() {
    let asked = |more: &[&str]| flexline(&[&["check", "scenes/coolant-hose.toml"], more].concat());
    assert!(asked(&[]).good().stdout.contains("warn: "));
    asked(&["--fail-on", "fail"]).good();
    assert!(asked(&["--fail-on", "warn"]).expect(6).stdout.contains("warn: "));
    flexline(&["check", "scenes/brake-hose.toml", "--fail-on", "warn"]).good();
}
