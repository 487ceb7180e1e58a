//! `flexline drag`.

use crate::support::{flexline, keys, number, root};
use serde_json::Value;

fn scenes() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("scenes")).expect("scenes");
    let mut files: Vec<String> = folder
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .map(|p| p.to_string_lossy().into_owned())
        .collect();
    files.sort();
    files
}

#[test]
fn every_scene_can_be_dragged() {
    let scenes = scenes();
    let mut arguments = vec!["drag", "--seconds", "3", "--json"];
    arguments.extend(scenes.iter().map(String::as_str));
    let json = flexline(&arguments).good().json();
    keys(&json, &["scenes", "failed"]);
    let tallies = json["scenes"].as_array().expect("a list");
    assert_eq!(tallies.len(), scenes.len());
    for tally in tallies {
        let count = |key: &str| number(&tally[key]);
        assert_eq!(count("increments"), 30.0, "{tally}");
        assert_eq!(count("failed"), 0.0, "{tally}");
        let ended = ["converged", "too_short", "conflict"].map(count).iter().sum::<f64>();
        assert_eq!(ended, 30.0, "{tally}");
        assert!(count("violation") < 1e-9, "{tally}");
        // Something must have been dragged with success.
        assert!(count("converged") >= 10.0, "{tally}");
    }
}

#[test]
fn the_same_seed_gives_the_same_way() {
    let run = |seed: &str| {
        let scene = root().join("scenes/bow.toml");
        let arguments = ["drag", &scene.to_string_lossy(), "--seconds", "2", "--seed", seed, "--json"];
        let mut json = flexline(&arguments).good().json();
        // Times are never the same.
        json["scenes"][0]["median_ms"] = Value::Null;
        json
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn impossible_requests_are_refused() {
    let scene = root().join("scenes/bow.toml");
    let scene = scene.to_string_lossy();
    for option in ["--seconds=0", "--rate=-1", "--reach=inf", "--seconds=nan"] {
        flexline(&["drag", &scene, option]).refused(3).complains(&["--seconds, --rate and --reach"]);
    }
    flexline(&["drag", &scene, "--seconds=1e9"]).refused(3).complains(&["at most 1e8", "--rate"]);
    flexline(&["drag", "nowhere.toml"]).refused(3).complains(&["nowhere.toml"]);
    flexline(&["drag"]).refused(2);
}
