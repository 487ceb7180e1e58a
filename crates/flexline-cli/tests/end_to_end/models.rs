//! Rod models: the same scenes with each of them, through every command.

use crate::run::Run;
use crate::support::{Folder, flexline, near, number, root, scene, vector};
use serde_json::Value;

/// A scene of the repository with every cable of the given model and its own number of pieces.
fn with_model(name: &str, model: &str) -> String {
    let text = scene(name);
    let kept = text.lines().filter(|l| !l.starts_with("segments") && !l.starts_with("elements"));
    let own = kept.map(|line| match line {
        "[cable]" | "[[cable]]" => format!("{line}\nmodel = \"{model}\"\n"),
        line if line.starts_with("model") => String::new(),
        line => format!("{line}\n"),
    });
    own.collect()
}

#[test]
fn every_model_solves_the_hose_alike() {
    let folder = Folder::new();
    let mut reference: Option<[f64; 3]> = None;
    for (model, pieces) in [("mixed", 100), ("nodal", 100), ("helix", 30), ("clothoid", 10), ("spline", 16)] {
        let path = folder.write("hose.toml", with_model("brake-hose.toml", model));
        let json = folder.flexline(&["solve", &path, "--json"]).good().json();
        let [own, other] = if pieces == 100 { ["segments", "elements"] } else { ["elements", "segments"] };
        assert_eq!((&json["model"], &json[own]), (&Value::from(model), &Value::from(pieces)));
        assert!(json.get(other).is_none(), "{json}");
        assert_eq!(json["report"]["status"], "converged");
        let table = folder.flexline(&["solve", &path]).good().stdout;
        assert!(table.contains(&format!("{pieces} {own}, {model} rod")), "{table}");
        let force = vector(&json["report"]["supports"][0]["force"]);
        // The support feels the same hose, within the coarsest of the models.
        let first = *reference.get_or_insert(force);
        let size = first.iter().map(|f| f * f).sum::<f64>().sqrt();
        assert!(near(force, first, 0.02 * size), "{model}: {force:?} of {first:?}");
    }
}

#[test]
fn pieces_of_the_command_line() {
    let folder = Folder::new();
    let path = folder.write("hose.toml", with_model("brake-hose.toml", "clothoid"));
    let json = folder.flexline(&["solve", &path, "--elements", "16", "--json"]).good().json();
    assert_eq!(json["elements"], 16);
    folder
        .flexline(&["solve", &path, "--segments", "50"])
        .refused(3)
        .complains(&["--segments 50: no cable of this scene has segments", "use --elements"]);
    flexline(&["solve", "scenes/brake-hose.toml", "--elements", "8"])
        .refused(3)
        .complains(&["--elements 8: no cable of this scene has elements", "use --segments"]);
    flexline(&["solve", "scenes/brake-hose.toml", "--elements", "1"]).refused(2).complains(&["2..=10000"]);
    // In a harness of both, each number is for its own.
    let both = ["solve", "scenes/mixed-models.toml", "--segments", "20", "--elements", "6", "--json"];
    let json = flexline(&both).good().json();
    let own = |cable: &Value| (cable["segments"].as_u64(), cable["elements"].as_u64());
    let all: Vec<_> = json["cables"].as_array().expect("cables").iter().map(own).collect();
    assert_eq!(all, [(Some(20), None), (Some(20), None), (None, Some(6)), (None, Some(6))]);
}

#[test]
fn mistakes_have_places() {
    let folder = Folder::new();
    let hose = with_model("brake-hose.toml", "clothoid");
    for (line, told) in [
        ("elements = 1", "`cable.elements` = 1 is out of range"),
        ("segments = 50", "`cable.segments` means nothing to a cable that has elements"),
        ("grading = \"auto\"", "`cable.grading` is for models with segments"),
        ("rest = { curvature = [nan, 0] }", "is not a finite number"),
        ("rest = { curvature = [\"1e9 1/m\", 0] }", "turns by more than 1e6 rad over the rod"),
    ] {
        let path = folder.write("bad.toml", hose.replacen("length =", &format!("{line}\nlength ="), 1));
        folder.flexline(&["solve", &path]).refused(3).complains(&[told, "bad.toml:", "help:"]);
    }
}

#[test]
fn a_swing_follows_the_reference() {
    let text = std::fs::read_to_string(root().join("validation/reference/08_dynamics.json")).expect("cases");
    let cases: Value = serde_json::from_str(&text).expect("JSON");
    let case = &cases["swing"][0];
    assert_eq!(case["id"], "swing_1_clamped");
    let length = number(&case["params"]["L"]);
    let folder = Folder::new();
    let path = root().join("scenes/swing.toml");
    let options =
        ["--release", "loads", "--duration", "0.6", "--step", "0.001", "--strain-delay", "0", "--drag", "0"];
    let common = ["simulate", path.to_str().expect("UTF-8"), "--out", "a.run", "--rate", "200"];
    folder.flexline(&[&common[..], &options].concat()).good();
    let run = Run::read(&folder.file("a.run"));
    assert_eq!(run.heads.len(), 121);
    let tip = run.part("start") - 1;
    for (k, head) in run.heads.iter().enumerate() {
        let samples = &case["samples"];
        assert!((number(&samples["t"][k]) - head[0]).abs() < 1e-9);
        let expected = [number(&samples["tip_x"][k]), 0.0, number(&samples["tip_z"][k])];
        let found = run.position(k, tip);
        assert!(near(found, expected, 1e-3 * length), "{} s: {found:?}, expected {expected:?}", head[0]);
    }
}

#[test]
fn a_ring_moves() {
    let folder = Folder::new();
    for model in ["mixed", "clothoid", "helix", "spline"] {
        let path = folder.write("ring.toml", with_model("ring.toml", model));
        let lift = ["simulate", &path, "--move", "start=0,0,0.05", "--duration", "0.5", "--out", "a.run"];
        folder.flexline(&lift).good();
        let run = Run::read(&folder.file("a.run"));
        let (seam, ends) = (run.part("start"), [0, run.part("start") - 1]);
        assert!(near(run.position(run.last(), seam), [0.0, 0.0, 0.05], 1e-6), "{model}");
        // Lifted, still closed, and the lowest point of it has come along.
        for frame in 0..=run.last() {
            assert!(near(run.position(frame, ends[0]), run.position(frame, ends[1]), 1e-6), "{model}");
        }
        let lowest =
            |frame: usize| (0..seam).map(|k| run.position(frame, k)[2]).fold(f64::INFINITY, f64::min);
        assert!((lowest(run.last()) - lowest(0) - 0.05).abs() < 5e-3, "{model}");
    }
}

/// The wall end of a clothes-line is moved: its weight comes along through two eyes and a pulley, for every model alike.
#[test]
fn rope_of_elements_slides_in_motion() {
    let folder = Folder::new();
    let lift = |model: &str, elements: &str| {
        let path = folder.write("line.toml", with_model("clothes-line.toml", model));
        let common = ["simulate", &path, "--move", "wall=0.1,0,0.1", "--duration", "0.4", "--out", "a.run"];
        let fine: &[&str] = if model == "mixed" { &[] } else { &["--elements", elements] };
        folder.flexline(&[&common[..], fine].concat()).good();
        let run = Run::read(&folder.file("a.run"));
        let weight = run.part("weight");
        let (first, last) = (run.position(0, weight), run.position(run.last(), weight));
        // Spans are written with the length that they have by then: the line has no gaps at its eyes.
        let nodes = run.header["cables"][0]["nodes"].as_u64().expect("a number") as usize;
        let apart = |frame: usize| {
            let at = |k: usize| run.position(frame, k);
            let apart = |k: usize| (0..3).map(|i| (at(k)[i] - at(k - 1)[i]).powi(2)).sum::<f64>().sqrt();
            (1..nodes).map(apart).fold(0.0, f64::max)
        };
        assert!(apart(run.last()) < 1.5 * apart(0), "{model}: {} {}", apart(run.last()), apart(0));
        [0, 1, 2].map(|i| last[i] - first[i])
    };
    let expected = lift("mixed", "");
    assert!(expected[2] < -0.03, "{expected:?}: it goes down");
    for (model, elements) in [("clothoid", "40"), ("helix", "60"), ("spline", "40")] {
        let found = lift(model, elements);
        assert!(near(found, expected, 0.02 * expected[2].abs()), "{model}: {found:?}, expected {expected:?}");
    }
}

/// One harness with a cable of each model: every command takes it.
#[test]
fn models_beside_each_other() {
    let folder = Folder::new();
    let path = folder.write("lamp.toml", scene("mixed-models.toml"));
    let table = folder.flexline(&["solve", &path]).good().stdout;
    assert!(table.contains("32 elements and 80 segments, clothoid, helix, mixed, nodal rods"), "{table}");
    folder.flexline(&["check", &path]).good();
    folder.flexline(&["plot", &path, "--out", "a.svg"]).good();
    crate::picture::well_formed(&std::fs::read_to_string(folder.file("a.svg")).expect("the picture"));
    folder.flexline(&["solve", &path, "--out", "a.csv"]).good();
    let csv = std::fs::read_to_string(folder.file("a.csv")).expect("the table");
    for model in ["mixed", "nodal", "helix", "clothoid"] {
        assert!(csv.lines().filter(|l| l.starts_with(&format!("{model},"))).count() > 16, "{model}: {csv}");
    }
    folder.flexline(&["reserve", &path, "--move", "north=0,0.02,0"]).good();
    folder.flexline(&["simulate", &path, "--release", "north", "--duration", "0.1"]).good();
    let drag = folder.flexline(&["drag", &path, "--seconds", "2"]).good().stdout;
    assert!(drag.contains("0 increments failed"), "{drag}");
    let set = r#"{"do": "set", "kind": "cable", "name": "mixed", "key": "model", "value": "clothoid"}"#;
    folder.flexline(&["edit", &path, "--do", set, "-o", "b.toml"]).good();
    let changed = folder.flexline(&["solve", "b.toml"]).good().stdout;
    assert!(changed.contains("clothoid, helix, nodal rods"), "{changed}");
}

/// It hangs from its end and swings about it.
#[test]
fn a_cable_whose_start_is_free_moves() {
    let folder = Folder::new();
    let text = scene("cantilever.toml");
    let (head, ends) = text.split_once("[start]").expect("a start");
    let (start, end) = ends.split_once("[end]").expect("an end");
    folder.write("turned.toml", format!("{head}[start]{end}\n[end]{start}"));
    folder.write("strip.toml", &text);
    let swing = |scene: &str| {
        let options = ["--release", "loads", "--duration", "0.1", "--out", "a.run"];
        folder.flexline(&[&["simulate", scene], &options[..]].concat()).good();
        Run::read(&folder.file("a.run"))
    };
    let (strip, turned) = (swing("strip.toml"), swing("turned.toml"));
    let tip = strip.part("start") - 1;
    assert!(strip.position(strip.last(), tip)[2] > strip.position(0, tip)[2] + 0.02, "it springs back");
    // Its end points into the vice: the mirror image of the strip whose start does.
    for frame in 0..=strip.last() {
        for node in 0..=tip {
            let [x, y, z] = strip.position(frame, node);
            let found = turned.position(frame, tip - node);
            assert!(
                near(found, [-x, y, z], 1e-5),
                "frame {frame}, node {node}: {found:?}, expected {x} {y} {z}"
            );
        }
    }
}
