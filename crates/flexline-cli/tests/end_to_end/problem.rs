//! `flexline solve --save-problem`, and the problem solved again.

use crate::support::{Folder, flexline};
use serde_json::Value;

/// Solves a scene and the problem saved of it; both with all their samples.
fn twice(folder: &Folder, scene: &str, options: &[&str]) -> [Value; 2] {
    let [problem, first, again] = ["p.json", "first.json", "again.json"].map(|name| folder.file(name));
    let words = [&["solve", scene, "--save-problem", &problem, "--out", &first], options].concat();
    flexline(&words).good();
    flexline(&["solve", &problem, "--out", &again]).good();
    [first, again].map(|file| serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
}

/// As they are printed, so that every digit and the signs of zeros count.
#[track_caller]
fn assert_same(a: &Value, b: &Value) {
    assert!(!a.is_null());
    assert_eq!(a.to_string(), b.to_string());
}

#[test]
fn a_cable_is_solved_the_same_again() {
    let folder = Folder::new();
    for (scene, options) in [
        ("scenes/brake-hose.toml", &[][..]),
        ("scenes/ring.toml", &[]),
        ("scenes/curly-rod.toml", &["--accuracy", "0.5 mm"]),
        ("scenes/buckling-strut.toml", &["--stable"]),
    ] {
        let [first, again] = twice(&folder, scene, options);
        assert_same(&first["report"], &again["report"]);
        assert_same(&first["samples"], &again["spans"][0]["samples"]);
        assert_eq!(again["kind"], "cable");
    }
}

#[test]
fn a_harness_is_solved_the_same_again() {
    let folder = Folder::new();
    // Constraints and clips; every model; rope over a wheel, with friction, fed.
    for scene in ["clips", "mixed-models", "capstan", "winch", "pearl-necklace"] {
        let [first, again] = twice(&folder, &format!("scenes/{scene}.toml"), &[]);
        assert_same(&first["report"], &again["report"]);
        // The samples of every cable of one span.
        let spans = again["spans"].as_array().unwrap();
        let whole = |cable: &&Value| spans.iter().any(|span| span["samples"] == cable["samples"]);
        let cables = first["cables"].as_array().unwrap();
        let found = cables.iter().filter(whole).count();
        assert!(found > 0 || cables.len() < spans.len(), "{scene}");
    }
}

#[test]
fn a_problem_is_told_from_a_scene_by_its_contents() {
    let folder = Folder::new();
    let file = folder.file("no-ending");
    flexline(&["solve", "scenes/cantilever.toml", "--save-problem", &file]).good();
    let outcome = flexline(&["solve", &file]).good();
    assert!(
        outcome.stdout.contains("one cable") && outcome.stdout.contains("converged"),
        "{}",
        outcome.stdout
    );
    // Saved again it is the same file.
    let copy = folder.file("copy.json");
    flexline(&["solve", &file, "--save-problem", &copy]).good();
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(&copy).unwrap());
    // The first column of the table is the span.
    let csv = folder.file("spans.csv");
    flexline(&["solve", &file, "--out", &csv]).good();
    let text = std::fs::read_to_string(csv).unwrap();
    assert!(
        text.starts_with("span,s_m,") && text.lines().nth(1).is_some_and(|row| row.starts_with("0,0.0,"))
    );
}

#[test]
fn what_is_wrong_with_a_problem_is_told() {
    let folder = Folder::new();
    let file = folder.file("p.json");
    flexline(&["solve", "scenes/cantilever.toml", "--save-problem", &file]).good();
    flexline(&["solve", &file, "--segments", "8"]).refused(3).complains(&["--segments", "saved problem"]);
    let text = std::fs::read_to_string(&file).unwrap();
    let changed =
        folder.write("changed.json", text.replacen("\"strain\": \"mixed\"", "\"strain\": \"other\"", 1));
    flexline(&["solve", &changed]).refused(3).complains(&["changed.json:", "unknown variant `other`"]);
    let other = folder.write("other.json", "{\"title\": \"a tale\"}");
    flexline(&["solve", &other]).refused(3).complains(&["other.json", "expected \"flexline problem\""]);
    let nowhere = folder.file("no/such/folder.json");
    flexline(&["solve", "scenes/cantilever.toml", "--save-problem", &nowhere]).refused(4);
}

/// No equilibrium is told as of the scene: exit code 1, and why.
#[test]
fn a_problem_without_equilibrium_says_so() {
    let folder = Folder::new();
    let scene = folder.write("hasty.toml", crate::support::scene("cantilever.toml") + crate::support::HASTY);
    let file = folder.file("p.json");
    flexline(&["solve", &scene, "--save-problem", &file]).expect(1);
    let outcome = flexline(&["solve", &file]).expect(1);
    assert!(outcome.stdout.contains("no equilibrium"), "{}", outcome.stdout);
}
