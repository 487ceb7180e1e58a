//! `flexline simulate --resume`: runs that were interrupted, and what cannot be continued.

use crate::run::Run;
use crate::support::{Folder, Outcome, command, number, root, scene};
use std::path::Path;

/// A folder with one scene, and what is asked of every run in it.
struct Place {
    folder: Folder,
    scene: String,
    options: Vec<String>,
}

impl Place {
    fn new(name: &str, options: &[&str]) -> Self {
        let scene = root().join("scenes").join(name).to_str().expect("UTF-8").to_string();
        Self { folder: Folder::new(), scene, options: options.iter().map(ToString::to_string).collect() }
    }

    fn simulate(&self, out: &str, more: &[&str]) -> Outcome {
        let own: Vec<&str> = self.options.iter().map(String::as_str).collect();
        self.folder.flexline(&[&["simulate", &self.scene, "--json", "--out", out], &own[..], more].concat())
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.file(name)).expect("a file")
    }
}

#[test]
fn a_continued_run_is_the_uninterrupted_one_bit_for_bit() {
    for (name, options) in [
        ("hanging-wire.toml", &["--release", "end"][..]),
        ("hanging-wire.toml", &["--release", "end", "--integrator", "bdf2"]),
        ("brake-hose.toml", &["--release", "end", "--integrator", "euler", "--step", "0.003"]),
        ("brake-hose.toml", &["--move", "end=0,0.05,0", "--move-time", "0.25"]),
        ("control-unit.toml", &["--release", "front bulkhead"]),
        ("swing.toml", &["--release", "loads", "--integrator", "semi-implicit"]),
    ] {
        let place = Place::new(name, options);
        let whole = place.simulate("whole.run", &["--duration", "0.3"]).good().json();
        place.simulate("parts.run", &["--duration", "0.1"]).good();
        place.simulate("parts.run", &["--duration", "0.17", "--resume"]).good();
        let parts = place.simulate("parts.run", &["--duration", "0.3", "--resume"]).good().json();
        assert!(place.bytes("whole.run") == place.bytes("parts.run"), "{name} {options:?}");
        for key in ["time", "frames", "energies", "work", "dissipated", "numerical_dissipation"] {
            assert_eq!(whole[key], parts[key], "{name} {options:?}: {key}");
        }
    }
}

#[test]
fn a_run_that_was_killed_goes_on_from_its_checkpoint() {
    let place = Place::new("hanging-wire.toml", &["--release", "end", "--duration", "0.6", "--rate", "200"]);
    place.simulate("whole.run", &[]).good();
    let own: Vec<&str> = place.options.iter().map(String::as_str).collect();
    let arguments = [&["simulate", &place.scene, "--out", "parts.run"], &own[..]].concat();
    let mut child = command(&arguments).current_dir(place.folder.path()).spawn().expect("it starts");
    // There is a checkpoint as soon as there is a run; whenever the end comes, the result is the same.
    while !Path::new(&place.folder.file("parts.checkpoint")).exists() {
        assert!(child.try_wait().expect("a child").is_none_or(|status| status.success()));
    }
    let _ = child.kill();
    child.wait().expect("it ended");
    place.simulate("parts.run", &["--resume"]).good();
    assert!(place.bytes("whole.run") == place.bytes("parts.run"));
}

#[test]
fn frames_after_the_checkpoint_are_made_anew() {
    let place = Place::new("hanging-wire.toml", &["--release", "end"]);
    place.simulate("a.run", &["--duration", "0.1"]).good();
    let kept = place.bytes("a.checkpoint");
    place.simulate("a.run", &["--duration", "0.2", "--resume"]).good();
    let whole = place.bytes("a.run");
    // Killed while it wrote: an old checkpoint, and half a frame at the end.
    place.folder.write("a.checkpoint", kept);
    place.folder.write("a.run", [&whole[..whole.len() - 300], &[7; 11]].concat());
    place.simulate("a.run", &["--duration", "0.2", "--resume"]).good();
    assert!(place.bytes("a.run") == whole);
}

#[test]
fn a_finished_run_stays() {
    let place = Place::new("hanging-wire.toml", &["--release", "end"]);
    place.simulate("a.run", &["--duration", "0.1"]).good();
    let before = place.bytes("a.run");
    let json = place.simulate("a.run", &["--duration", "0.05", "--resume"]).good().json();
    assert!((number(&json["time"]) - 0.1).abs() < 1e-9);
    assert!(place.bytes("a.run") == before);
}

#[test]
fn a_shorter_step_may_go_on() {
    let place = Place::new("hanging-wire.toml", &["--release", "end"]);
    // Where the end is after 0.2 s of which the second half was taken by these steps.
    let fallen = |step: &str| {
        place.simulate("a.run", &["--duration", "0.1", "--step", "0.01"]).good();
        place.simulate("a.run", &["--duration", "0.2", "--step", step, "--resume"]).good();
        let run = Run::read(&place.folder.file("a.run"));
        assert!((run.heads[run.last()][0] - 0.2).abs() < 1e-9);
        run.position(run.last(), run.part("end"))[2]
    };
    let [long, short, shorter] = ["0.01", "0.002", "0.001"].map(fallen);
    let off = [(long - short).abs(), (short - shorter).abs()];
    assert!(off[0] > 1e-5 && off[1] < 0.3 * off[0], "shorter steps are taken: {off:?}");
}

#[test]
fn a_run_cut_short_is_refused_and_left_alone() {
    let place = Place::new("hanging-wire.toml", &["--release", "end"]);
    place.simulate("a.run", &["--duration", "0.1"]).good();
    let whole = place.bytes("a.run");
    for length in [0, 9, 40, 400, whole.len() / 2, whole.len() - 1] {
        place.folder.write("a.run", &whole[..length]);
        let outcome = place.simulate("a.run", &["--duration", "0.2", "--resume"]).refused_in_json(3);
        outcome.complains(&["a.run is cut short", "7 frames", "without --resume"]);
        assert_eq!(place.bytes("a.run").len(), length);
    }
    std::fs::remove_file(place.folder.file("a.run")).expect("the run");
    let outcome = place.simulate("a.run", &["--duration", "0.2", "--resume"]).refused_in_json(3);
    outcome.complains(&["a.run: there is no such run to continue"]);
    assert_eq!(place.folder.names(), ["a.checkpoint"]);
}

#[test]
fn a_missing_or_spoilt_checkpoint_is_refused() {
    let place = Place::new("hanging-wire.toml", &["--release", "end"]);
    let resume = || place.simulate("a.run", &["--duration", "0.2", "--resume"]).refused_in_json(3);
    resume().complains(&["cannot read a.checkpoint", "without --resume"]);
    assert_eq!(place.folder.names(), [""; 0], "nothing was begun");
    place.simulate("a.run", &["--duration", "0.1"]).good();
    let (run, good) = (place.bytes("a.run"), place.bytes("a.checkpoint"));
    let text = String::from_utf8(good.clone()).expect("text");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut spoilt = vec![
        String::new(),
        "{}".to_string(),
        "[1, 2]".to_string(),
        text[..text.len() / 2].to_string(),
        text.replacen("\"frames\":7", "\"frames\":-7", 1),
        text.replacen("\"frames\":7", "\"frames\":0", 1),
    ];
    json["motion"]["nodes"][0].as_array_mut().expect("nodes").pop();
    spoilt.push(json.to_string());
    json["motion"]["state"]["spans"] = serde_json::json!([]);
    spoilt.push(json.to_string());
    for own in &spoilt {
        assert_ne!(*own, text);
        place.folder.write("a.checkpoint", own);
        resume().complains(&["a.checkpoint is no checkpoint of this run", "without --resume"]);
    }
    place.folder.write("a.checkpoint", [0xff, 0xfe, 0]);
    resume().complains(&["a.checkpoint is no checkpoint"]);
    place.folder.write("a.checkpoint", text.replacen("\"frames\":7", "\"frames\":18446744073709551615", 1));
    resume().complains(&["a.run is cut short"]);
    assert!(place.bytes("a.run") == run, "whatever is refused, the run is left alone");
    place.folder.write("a.checkpoint", good);
    place.simulate("a.run", &["--duration", "0.2", "--resume"]).good();
}

#[test]
fn another_scene_is_refused() {
    let place = Place::new("hanging-wire.toml", &["--release", "end"]);
    place.simulate("a.run", &["--duration", "0.1"]).good();
    let (run, checkpoint) = (place.bytes("a.run"), place.bytes("a.checkpoint"));
    let resume = |scene: &str, more: &[&str]| {
        let common =
            ["simulate", scene, "--out", "a.run", "--release", "end", "--duration", "0.2", "--resume"];
        place.folder.flexline(&[&common[..], more].concat()).refused(3)
    };
    resume(root().join("scenes/brake-hose.toml").to_str().expect("UTF-8"), &[]).complains(&["another scene"]);
    resume(&place.scene, &["--segments", "20"]).complains(&["another scene"]);
    // The same cable, hung elsewhere.
    let text = scene("hanging-wire.toml");
    let moved = text.replacen("position = [0, 0, 0]", "position = [0, 0, \"1 mm\"]", 1);
    assert_ne!(moved, text);
    let moved = place.folder.write("moved.toml", moved);
    resume(&moved, &[]).complains(&["a.run is the run of another scene"]);
    assert!(place.bytes("a.run") == run && place.bytes("a.checkpoint") == checkpoint);
}

#[test]
fn another_setup_is_refused() {
    let place = Place::new("hanging-wire.toml", &["--duration", "0.05", "--step", "0.01"]);
    place.simulate("a.run", &["--move", "end=0,0.01,0"]).good();
    let run = place.bytes("a.run");
    for (more, told) in [
        (&["--move", "end=0,0.02,0"][..], "--move end=0,0.01,0, not end=0,0.02,0"),
        (&["--release", "loads", "--move", "end=0,0.01,0"], "--release nothing, not loads"),
        (&["--move", "end=0,0.01,0", "--move-time", "1"], "--move-time 0.025, not 1"),
        (&["--move", "end=0,0.01,0", "--integrator", "euler"], "--integrator bdf2, not euler"),
        (&["--move", "end=0,0.01,0", "--rate", "30"], "--rate 60, not 30"),
        (&["--move", "end=0,0.01,0", "--drag", "0"], "--drag 0.02, not 0"),
        (&["--move", "end=0,0.01,0", "--strain-delay", "0"], "--strain-delay 0.005, not 0"),
    ] {
        let outcome = place.simulate("a.run", &[more, &["--resume"]].concat()).refused_in_json(3);
        outcome.complains(&["the run was begun with", told, "without --resume"]);
    }
    assert!(place.bytes("a.run") == run);
    // ρ∞ belongs to the alpha integrator.
    let alpha = Place::new("hanging-wire.toml", &["--duration", "0.05", "--integrator", "alpha"]);
    alpha.simulate("a.run", &[]).good();
    let outcome = alpha.simulate("a.run", &["--rho", "0.5", "--resume"]).refused_in_json(3);
    outcome.complains(&["--rho 0.8, not 0.5"]);
}

#[test]
fn an_old_checkpoint_is_not_taken_for_that_of_a_new_run() {
    let place = Place::new("hanging-wire.toml", &["--release", "end"]);
    place.simulate("a.run", &["--duration", "0.3"]).good();
    let old = place.bytes("a.checkpoint");
    // No checkpoint is due within two frames, but for the one at the start.
    place.simulate("a.run", &["--duration", "0.02"]).good();
    assert!(place.bytes("a.checkpoint") != old);
    place.simulate("a.run", &["--duration", "0.04", "--resume"]).good();
    assert_eq!(Run::read(&place.folder.file("a.run")).heads.len(), 3);
}
