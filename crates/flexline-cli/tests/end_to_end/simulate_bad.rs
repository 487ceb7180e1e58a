//! What `flexline simulate` refuses, and how it ends when a step fails.

use crate::run::Run;
use crate::support::{Folder, HASTY, Outcome, root, scene};

/// A massless wire on two clamps.
const MASSLESS: &str = r#"version = 1

[cable]
length = "400 mm"
measured = { bend = "0.01 N m^2", twist = "0.01 N m^2", mass_per_length = 0, diameter = "4 mm" }

[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]

[end]
hold = "clamped"
position = ["300 mm", 0, 0]
tangent = [1, 0, 0]
"#;

/// Simulates a scene of the repository, which must be refused before anything is written.
#[track_caller]
fn refused(name: &str, options: &[&str]) -> Outcome {
    let folder = Folder::new();
    let scene = root().join("scenes").join(name);
    let arguments = [&["simulate", scene.to_str().expect("UTF-8")], options].concat();
    let outcome = folder.flexline(&arguments).refused(3);
    assert_eq!(folder.names(), [""; 0], "nothing half-applied");
    outcome
}

#[test]
fn numbers_that_cannot_be() {
    for option in ["--step", "--duration", "--rate", "--move-time"] {
        for value in ["-1", "0", "nan", "inf", "-inf", "-0.0"] {
            let outcome = refused("brake-hose.toml", &[&format!("{option}={value}")]);
            outcome.complains(&[option, "expected a positive number"]);
        }
        // A minus is no other option.
        refused("brake-hose.toml", &[option, "-0.5"]).complains(&[&format!("{option} -0.5: expected")]);
    }
    for option in ["--drag", "--strain-delay"] {
        for value in ["-1", "nan", "inf"] {
            let outcome = refused("brake-hose.toml", &[&format!("{option}={value}")]);
            outcome.complains(&[option, "expected zero or a positive number"]);
        }
    }
    for rho in ["2", "-0.1", "nan", "inf", "1.0000001"] {
        refused("brake-hose.toml", &[&format!("--rho={rho}")])
            .complains(&["--rho", "expected a number from 0 to 1"]);
    }
    refused("brake-hose.toml", &["--duration", "1e6", "--step", "1e-6"])
        .complains(&["more than 100 million steps", "--step"]);
}

#[test]
fn words_where_the_command_line_wants_others() {
    let folder = Folder::new();
    let scene = root().join("scenes/brake-hose.toml");
    let scene = scene.to_str().expect("UTF-8");
    folder.flexline(&["simulate", scene, "--step", "soon"]).refused(2).complains(&["'soon'", "--step"]);
    let outcome = folder.flexline(&["simulate", scene, "--integrator", "verlet"]).refused(2);
    outcome.complains(&["'verlet'", "euler", "bdf2", "alpha", "semi-implicit"]);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn what_semi_implicit_steps_do_not_move_is_named() {
    let semi = ["--integrator", "semi-implicit"];
    refused("brake-hose.toml", &semi).complains(&[
        "semi-implicit",
        "brake hose",
        "\"mixed\"",
        "helices and clothoids",
    ]);
    refused("tendril.toml", &semi).complains(&["semi-implicit", "grows", "bdf2"]);
    refused("bean.toml", &semi).complains(&["semi-implicit", "knows no obstacles", "bdf2"]);
    refused("double-helix.toml", &semi).complains(&["semi-implicit", "choose an implicit integrator"]);
    refused("swing.toml", &semi).complains(&["semi-implicit", "load along a stretch", "let loads go"]);
}

#[test]
fn names_that_are_not_there() {
    let names = "there are: start, end";
    refused("brake-hose.toml", &["--release", "middle"]).complains(&["'middle'", names]);
    refused("brake-hose.toml", &["--move", "middle=0,0,0.1"]).complains(&["'middle'", names]);
    refused("cantilever.toml", &["--release", "end"]).complains(&["'end'", "there are: start"]);
    refused("control-unit.toml", &["--release", "front"]).complains(&[
        "'front'",
        "front bulkhead",
        "rear bulkhead",
        "unit",
    ]);
}

#[test]
fn moves_that_cannot_be_read() {
    for text in [
        "end",
        "end=",
        "end=1",
        "end=1,2",
        "end=1,2,3,4",
        "end=a,b,c",
        "end=1,,3",
        "end=0,x,0,0",
        "end=nan,0,0",
        "end=0,inf,0",
        "=1,2",
    ] {
        refused("brake-hose.toml", &["--move", text])
            .complains(&[&format!("--move {text}: expected NAME=X,Y,Z in metres")]);
    }
    refused("brake-hose.toml", &["--move", "=0,0,1"]).complains(&["nothing is named ''"]);
}

#[test]
fn what_is_loose_is_neither_released_nor_moved() {
    refused("y-branch.toml", &["--release", "fork"]).complains(&["--release fork: it is loose already"]);
    refused("brake-hose.toml", &["--release", "end", "--release", "end"]).complains(&["loose already"]);
    refused("y-branch.toml", &["--move", "fork=0,0,0.01"]).complains(&["fork=0,0,0.01: it is not held"]);
    // A clip that slides along x can be moved across.
    refused("clips.toml", &["--move", "C=0.01,0,0"]).complains(&["it is not held along that direction"]);
    refused("brake-hose.toml", &["--move", "end=0,0,0.01", "--release", "end"]).complains(&["choose one"]);
    refused("brake-hose.toml", &["--move", "end=0,0,0.01", "--move", "end=0,0,0"])
        .complains(&["moved already"]);
}

#[test]
fn what_has_no_mass_does_not_move() {
    let folder = Folder::new();
    folder.write("massless.toml", MASSLESS);
    folder.flexline(&["solve", "massless.toml"]).good();
    let outcome = folder.flexline(&["simulate", "massless.toml", "--release", "end"]).refused(3);
    outcome.complains(&["nothing has mass: motion needs it", "mass_per_length"]);
    assert_eq!(folder.names(), ["massless.toml"]);
}

#[test]
fn without_an_equilibrium_there_is_no_start() {
    let folder = Folder::new();
    folder.write("hasty.toml", scene("battery-cable.toml") + HASTY);
    let outcome = folder.flexline(&["simulate", "hasty.toml"]).refused(3);
    outcome.complains(&["no equilibrium to start from", "flexline solve"]);
    folder.flexline(&["simulate", "missing.toml"]).refused(3).complains(&["missing.toml"]);
    assert_eq!(folder.names(), ["hasty.toml"]);
}

#[test]
fn files_that_cannot_be_written() {
    let folder = Folder::new();
    let scene = root().join("scenes/brake-hose.toml");
    let common = ["simulate", scene.to_str().expect("UTF-8"), "--duration", "0.02"];
    let with = |more: &[&str]| folder.flexline(&[&common[..], more].concat());
    with(&["--out", "nowhere/a.run"]).refused(4).complains(&["cannot write nowhere/a.run"]);
    with(&["--out", "."]).refused(4).complains(&["cannot write ."]);
    std::fs::create_dir(folder.path().join("b.checkpoint")).expect("a folder");
    with(&["--out", "b.run"]).refused(4).complains(&["cannot write b.checkpoint"]);
    // The run is there when its picture fails.
    let outcome = with(&["--out", "c.run", "--picture", "nowhere/c.svg"]).expect(4);
    outcome.complains(&["cannot write nowhere/c.svg"]);
    Run::read(&folder.file("c.run"));
}

#[test]
fn names_that_would_overwrite_each_other() {
    let folder = Folder::new();
    let path = folder.write("hose.toml", scene("brake-hose.toml"));
    for (out, more) in [("hose.toml", &[][..]), ("a.checkpoint", &[]), ("a.svg", &["--picture", "a.svg"])] {
        let arguments = ["simulate", "hose.toml", "--duration", "0.02", "--out", out];
        folder.flexline(&[&arguments[..], more].concat()).refused(3).complains(&[&format!("--out {out}")]);
    }
    assert_eq!(folder.names(), ["hose.toml"]);
    assert_eq!(std::fs::read_to_string(path).expect("the scene"), scene("brake-hose.toml"));
}

#[test]
fn pictures_have_known_endings() {
    for picture in ["a.gif", "a"] {
        refused("brake-hose.toml", &["--picture", picture])
            .complains(&[&format!("--picture {picture}"), ".svg or .png"]);
    }
}

#[test]
fn a_step_that_fails_keeps_the_run() {
    // Carried off at two hundred thousand kilometres a second: more than steps this long can follow.
    let folder = Folder::new();
    let scene = root().join("scenes/brake-hose.toml");
    let arguments = [
        "simulate",
        scene.to_str().expect("UTF-8"),
        "--release",
        "end",
        "--move",
        "start=0,0,1e8",
        "--step",
        "0.4",
        "--integrator",
        "alpha",
    ];
    let table = folder.flexline(&arguments).expect(1);
    assert!(table.stdout.contains("stopped: "), "{}", table.stdout);
    assert!(table.stdout.contains("a shorter --step may go on"), "{}", table.stdout);
    let json = folder.flexline(&[&arguments[..], &["--json"]].concat()).expect(1).json();
    assert_ne!(json["status"], "converged");
    let run = Run::read(&folder.file("motion.run"));
    assert_eq!(json["frames"], run.heads.len());
    assert!(json["time"].as_f64().is_some_and(|t| t < 0.9));
}

#[test]
fn a_move_beyond_the_length_says_what_is_too_short_when_and_by_how_much() {
    let folder = Folder::new();
    let path = root().join("scenes/brake-hose.toml");
    for integrator in ["bdf2", "euler", "alpha"] {
        let arguments =
            ["simulate", path.to_str().expect("UTF-8"), "--move", "end=0.5,0,0", "--integrator", integrator];
        let table = folder.flexline(&arguments).expect(1).stdout;
        for words in [
            "stopped: too short",
            "s cable '",
            "between start and end",
            "at the end of the way",
            "mm too short",
        ] {
            assert!(table.contains(words), "{integrator}: '{words}' is missing in {table}");
        }
        for wrong in ["NoProgress", "IterationLimit", "shorter --step"] {
            assert!(!table.contains(wrong), "{integrator}: {table}");
        }
        let json = folder.flexline(&[&arguments[..], &["--json"]].concat()).expect(1).json();
        assert_eq!(json["status"], "too_short");
        let short = &json["too_short"][0];
        // 650, 205 and 110 mm apart with 380 mm of hose.
        let expected = (0.65f64.powi(2) + 0.205f64.powi(2) + 0.11f64.powi(2)).sqrt() - 0.38;
        assert!((short["missing_at_end"].as_f64().expect("a number") - expected).abs() < 1e-4, "{short}");
        let (time, missing) =
            (json["time"].as_f64().expect("a time"), short["missing"].as_f64().expect("a number"));
        assert!(time > 0.05 && time < 0.5 && missing < 0.02, "{integrator}: {json}");
    }
}

#[test]
fn no_integrator_creates_energy() {
    // With nothing but the integrator to damp; ρ = 1 gained a thousandfold here.
    let folder = Folder::new();
    let path = root().join("scenes/cantilever.toml");
    let common = ["simulate", path.to_str().expect("UTF-8"), "--release", "loads", "--json"];
    let bare = ["--duration", "0.5", "--strain-delay", "0", "--drag", "0"];
    for how in [&["alpha", "--rho", "1"][..], &["alpha", "--rho", "0.9"], &["alpha"], &["bdf2"], &["euler"]] {
        for step in ["0.005", "0.002"] {
            let arguments = [&common[..], &bare, &["--step", step, "--integrator"], how].concat();
            let json = folder.flexline(&arguments).good().json();
            let made = -json["numerical_dissipation"].as_f64().expect("a number");
            // Let go it has 0.26 J to move with.
            assert!(made < 0.01 * 0.26, "{how:?} at {step} s: {made} J");
        }
    }
}
