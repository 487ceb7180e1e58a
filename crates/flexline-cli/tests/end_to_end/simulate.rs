//! `flexline simulate`: what moves, how much energy it has, and the run that is written.

use crate::picture::{png_size, well_formed};
use crate::run::Run;
use crate::support::{Folder, keys, near, number, root, scene, without_null};
use serde_json::Value;

/// Simulates a scene of the repository and returns the summary and the run.
#[track_caller]
fn simulate(name: &str, options: &[&str]) -> (Value, Run) {
    let folder = Folder::new();
    let scene = root().join("scenes").join(name);
    let common = ["simulate", scene.to_str().expect("UTF-8"), "--json", "--out", "a.run"];
    let json = folder.flexline(&[&common[..], options].concat()).good().json();
    assert_eq!(folder.names(), ["a.checkpoint", "a.run"]);
    let run = Run::read(&folder.file("a.run"));
    assert_eq!(json["frames"], run.heads.len());
    (json, run)
}

/// Positions of the nodes of a solved cable.
fn equilibrium(name: &str) -> Vec<[f64; 3]> {
    let folder = Folder::new();
    let scene = root().join("scenes").join(name);
    folder.flexline(&["solve", scene.to_str().expect("UTF-8"), "--out", "a.csv"]).good();
    let text = std::fs::read_to_string(folder.file("a.csv")).expect("the table");
    let mut lines = text.lines();
    let x = lines.next().expect("heads").split(',').position(|h| h == "x_m").expect("x");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [0, 1, 2].map(|i| cells[x + i].parse().expect("a number"))
    };
    lines.map(row).collect()
}

fn energy(head: &[f64; 6]) -> f64 {
    head[1] + head[2] + head[3]
}

#[test]
fn a_strip_springs_back_when_its_load_is_let_go() {
    let options = ["--release", "loads", "--duration", "0.25", "--step", "0.001", "--rate", "200"];
    let (json, run) = simulate("cantilever.toml", &options);
    keys(
        &json,
        &[
            "format",
            "run",
            "status",
            "time",
            "frames",
            "energies",
            "work",
            "dissipated",
            "numerical_dissipation",
            "rules",
        ],
    );
    let worst = json["rules"]["worst"].as_array().expect("a list");
    let bend = worst.iter().find(|own| own["finding"]["rule"] == "bend_radius").expect("bends are judged");
    assert!((0.0..=0.25).contains(&number(&bend["time"])) && json["rules"]["from"] == 0.0, "{bend}");
    keys(&json["energies"], &["kinetic", "elastic", "potential"]);
    without_null(&json, &["limit", "utilisation"]);
    assert_eq!((json["status"].as_str(), json["run"].as_str()), (Some("converged"), Some("a.run")));
    assert!((number(&json["time"]) - 0.25).abs() < 1e-9);
    assert_eq!(run.heads.len(), 51, "duration times rate and the one at the start");
    for (k, head) in run.heads.iter().enumerate() {
        assert!((head[0] - k as f64 / 200.0).abs() < 1e-9, "frame {k} at {} s", head[0]);
    }
    let tip = run.part("start") - 1;
    let heights: Vec<f64> = (0..=run.last()).map(|k| run.position(k, tip)[2]).collect();
    assert!(heights[0] < -0.05, "bent down by the load");
    assert!(heights.iter().any(|z| *z > 0.02), "it swings past straight: {heights:?}");
    assert!(run.last() > 0 && near(run.position(run.last(), 0), [0.0; 3], 1e-7), "the vice holds");
}

#[test]
fn the_first_frame_is_the_equilibrium() {
    for (name, free) in [("brake-hose.toml", "end"), ("door-harness.toml", "rear clip")] {
        let (_, run) = simulate(name, &["--release", free, "--duration", "0.01"]);
        let nodes = equilibrium(name);
        let parts = run.header["parts"].as_array().expect("parts").len();
        assert_eq!(nodes.len() + parts, run.poses[0].len());
        for (k, node) in nodes.iter().enumerate() {
            assert!(near(run.position(0, k), *node, 1e-6), "{name}, node {k}");
        }
    }
}

#[test]
fn what_nothing_disturbs_stays() {
    for name in ["brake-hose.toml", "control-unit.toml", "clips.toml"] {
        let (json, run) = simulate(name, &["--duration", "0.1", "--step", "0.01"]);
        assert!(number(&json["energies"]["kinetic"]) < 1e-15, "{name}");
        for k in 0..run.poses[0].len() {
            assert!(near(run.position(0, k), run.position(run.last(), k), 1e-6), "{name}, pose {k}");
        }
    }
}

#[test]
fn an_end_let_go_falls_with_every_integrator() {
    let mut lost = Vec::new();
    for integrator in ["euler", "bdf2", "alpha"] {
        let options =
            ["--release", "end", "--duration", "0.2", "--step", "0.002", "--integrator", integrator];
        let (json, run) = simulate("hanging-wire.toml", &options);
        assert_eq!(run.heads.len(), 13);
        let end = run.part("end");
        let [before, after] = [run.position(0, end), run.position(run.last(), end)];
        assert!(after[2] < before[2] - 0.05, "{integrator}: {before:?} to {after:?}");
        assert!(
            near(after, run.position(run.last(), run.part("start") - 1), 1e-6),
            "the end goes with its cable"
        );
        assert!(
            near(run.position(0, 0), run.position(run.last(), 0), 1e-7),
            "{integrator}: the start is held"
        );
        assert_eq!(number(&json["work"]), 0.0, "nothing was moved");
        lost.push(number(&json["numerical_dissipation"]));
    }
    assert!(lost[0] > lost[1].abs() && lost[0] > 5.0 * lost[2].abs(), "euler loses most: {lost:?}");
}

/// Trees and single strands move semi-implicitly about as they move implicitly.
#[test]
fn strands_move_by_either_scheme() {
    for (name, options) in [
        ("willow.toml", &["--wind", "3,0,0", "--duration", "1", "--step", "0.01"][..]),
        ("swing.toml", &["--release", "loads", "--duration", "0.3", "--step", "0.002"]),
        ("curly-rod.toml", &["--wind", "0,2,0", "--duration", "0.5", "--step", "0.005"]),
    ] {
        let [(_, implicit), (json, run)] =
            ["bdf2", "semi-implicit"].map(|i| simulate(name, &[options, &["--integrator", i]].concat()));
        assert_eq!(json["status"], "converged");
        let count = implicit.poses[0].len();
        let (mut off, mut way) = (0.0f64, 0.0f64);
        for node in 0..count {
            let [first, one, other] = [
                run.position(0, node),
                run.position(run.last(), node),
                implicit.position(implicit.last(), node),
            ];
            assert!(near(first, implicit.position(0, node), 1e-5), "{name}: both begin at the equilibrium");
            let distance =
                |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
            (off, way) = (off.max(distance(one, other)), way.max(distance(first, other)));
        }
        assert!(way > 0.02 && off < 0.1 * way, "{name}: {off} of {way}");
        let heads = [&run.heads[0], &run.heads[run.last()]];
        // What was lost adds up, but for the error of the step.
        let balance = energy(heads[0]) + heads[1][4] - energy(heads[1]) - heads[1][5];
        let moved = heads[1][1] + heads[1][5] + (heads[1][3] - heads[0][3]).abs();
        assert!(balance.abs() < 0.2 * moved, "{name}: {balance} of {moved}");
    }
}

#[test]
fn either_end_can_be_let_go() {
    // The wire hangs between two like eyelets at x = 0 and x = 1 m: the one motion mirrors the other.
    let [start, end] = ["start", "end"]
        .map(|what| simulate("hanging-wire.toml", &["--release", what, "--duration", "0.1"]).1);
    let last = start.part("start") - 1;
    for frame in 0..=start.last() {
        for node in 0..=last {
            let [x, y, z] = start.position(frame, node);
            assert!(
                near([1.0 - x, y, z], end.position(frame, last - node), 1e-6),
                "frame {frame}, node {node}"
            );
        }
    }
    // A rod on a pivot would fall with 3 g/2 at its tip.
    assert!(start.position(start.last(), 0)[2] < -1.5 * 0.5 * 9.81 * 0.01);
}

#[test]
fn energy_is_accounted_for() {
    // With small steps the integrator of little damping neither makes nor eats energy worth speaking of.
    let part = |step: &str, dip: f64| {
        let small = ["--duration", "0.1", "--step", step, "--rate", "1000", "--integrator", "alpha"];
        let options = [&["--release", "loads"], &small[..]].concat();
        let (json, run) = simulate("cantilever.toml", &options);
        let begin = energy(&run.heads[0]);
        let last = &run.heads[run.last()];
        let lost = begin + last[4] - energy(last);
        assert!((lost - last[5] - number(&json["numerical_dissipation"])).abs() < 1e-12, "the same in both");
        assert_eq!(last[5], number(&json["dissipated"]));
        // Damping takes. A step of 4 ms in which the strain turns round books a little too much before and gives it
        // back, 2.2e-4 of the whole; short steps give nothing back.
        let back = run.heads.windows(2).map(|w| w[0][5] - w[1][5]).fold(0.0, f64::max);
        assert!(last[5] > 0.0 && back <= dip * last[5], "{back} of {} J", last[5]);
        (number(&json["numerical_dissipation"]) / begin).abs()
    };
    let (coarse, fine) = (part("0.004", 4e-4), part("0.0005", 0.0));
    assert!(fine < 1e-3, "{fine}");
    assert!(fine < 0.5 * coarse, "{fine} of {coarse}");
}

#[test]
fn without_damping_little_is_lost() {
    let options = ["--release", "loads", "--duration", "0.2", "--step", "0.001", "--drag", "0"];
    let undamped = [&options[..], &["--strain-delay", "0", "--integrator", "alpha", "--rho", "0.9"]].concat();
    let (json, run) = simulate("cantilever.toml", &undamped);
    assert_eq!(number(&json["dissipated"]), 0.0);
    let kinetic = run.heads.iter().map(|head| head[1]).fold(0.0, f64::max);
    assert!(kinetic > 0.5 * run.heads[0][2], "what was elastic moves: {kinetic} J of {} J", run.heads[0][2]);
    let lost = number(&json["numerical_dissipation"]);
    assert!(lost.abs() < 5e-3 * kinetic, "{lost} J of {kinetic} J");
}

#[test]
fn a_held_end_is_moved_and_does_work() {
    let options = ["--move", "end=0,0.05,-0.02", "--duration", "0.4", "--move-time", "0.2", "--rate", "100"];
    let (json, run) = simulate("brake-hose.toml", &options);
    let end = run.part("end");
    let at = |k: usize| {
        let [a, b] = [run.position(0, end), run.position(k, end)];
        [0, 1, 2].map(|i| b[i] - a[i])
    };
    assert!(near(at(10), [0.0, 0.025, -0.01], 1e-6), "half way at half the time: {:?}", at(10));
    for k in 20..=run.last() {
        assert!(near(at(k), [0.0, 0.05, -0.02], 1e-6), "there and resting: {:?}", at(k));
    }
    assert!(near(run.position(run.last(), end), run.position(run.last(), run.part("start") - 1), 1e-6));
    let last = &run.heads[run.last()];
    let gained = energy(last) - energy(&run.heads[0]);
    assert!(
        (number(&json["work"]) - gained - last[5]).abs() < 0.2 * gained.abs().max(last[5]),
        "work pays for it"
    );
    assert!(number(&json["work"]).abs() > 1e-3);
    // Half of the time, unless said otherwise.
    let (_, same) = simulate("brake-hose.toml", &[&options[..4], &options[6..]].concat());
    assert_eq!(same.poses, run.poses);
}

#[test]
fn a_part_falls_when_a_bulkhead_lets_go() {
    let options = ["--release", "front bulkhead", "--duration", "0.2"];
    let (_, run) = simulate("control-unit.toml", &options);
    assert_eq!(run.header["title"], "Control unit on its cables");
    let names: Vec<_> = run.header["cables"].as_array().expect("cables").iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["front cable", "rear cable"]);
    let fallen = |name: &str| {
        let pose = run.part(name);
        run.position(0, pose)[2] - run.position(run.last(), pose)[2]
    };
    assert!(fallen("unit") > 0.01, "{}", fallen("unit"));
    assert_eq!(fallen("rear bulkhead"), 0.0);
}

#[test]
fn what_floats_falls_freely() {
    // In vacuum the centre of mass of unit and cables falls by g t²/2, whatever the cables do.
    let options = ["--release", "front bulkhead", "--release", "rear bulkhead", "--duration", "0.1"];
    let fine = [&options[..], &["--drag", "0", "--step", "0.002", "--rate", "100", "--integrator", "alpha"]]
        .concat();
    let (json, run) = simulate("control-unit.toml", &fine);
    let weight = (run.heads[0][3] - run.heads[run.last()][3]) / (0.5 * 9.81 * 0.01);
    assert!((0.4 * 9.81..0.7 * 9.81).contains(&weight), "weight of unit and cables: {weight} N");
    for head in &run.heads[1..] {
        let fallen = 0.5 * 9.81 * head[0] * head[0];
        let share = (run.heads[0][3] - head[3]) / fallen / weight;
        assert!((share - 1.0).abs() < 2e-3, "{share} at {} s", head[0]);
    }
    assert_eq!(json["status"], "converged");
}

#[test]
fn a_clip_comes_off_a_door_harness() {
    let options = ["--release", "rear clip", "--duration", "0.1", "--step", "0.01"];
    let (json, run) = simulate("door-harness.toml", &options);
    let clip = run.part("rear clip");
    assert!(!near(run.position(0, clip), run.position(run.last(), clip), 1e-3), "it goes with the trunk");
    for name in ["A-pillar", "grommet", "fir tree", "latch"] {
        let pose = run.part(name);
        assert!(near(run.position(0, pose), run.position(run.last(), pose), 1e-7), "{name} is held");
    }
    assert!(number(&json["energies"]["kinetic"]) > 1e-3);
}

#[test]
fn the_force_on_a_part_is_a_load() {
    let folder = Folder::new();
    let pulled =
        scene("control-unit.toml").replace("mass = \"0.4 kg\"", "mass = \"0.4 kg\"\nforce = [0, \"2 N\", 0]");
    let path = folder.write("pulled.toml", pulled);
    folder.flexline(&["simulate", &path, "--release", "loads", "--duration", "0.2"]).good();
    let run = Run::read(&folder.file("motion.run"));
    let unit = run.part("unit");
    let [before, after] = [run.position(0, unit)[1], run.position(run.last(), unit)[1]];
    assert!(before > 0.05 && after < before - 0.02, "it swings back: {before} to {after}");
}

#[test]
fn a_duration_shorter_than_a_step_is_one_shorter_step() {
    let options = ["--release", "end", "--duration", "0.001", "--step", "0.01", "--rate", "1000"];
    let (json, run) = simulate("brake-hose.toml", &options);
    assert_eq!(number(&json["time"]), 0.001);
    assert_eq!(run.heads.len(), 2);
}

#[test]
fn no_more_frames_than_steps() {
    let (_, run) = simulate("brake-hose.toml", &["--duration", "0.3", "--step", "0.03", "--rate", "1e6"]);
    assert_eq!(run.heads.len(), 11);
    let (_, run) = simulate("brake-hose.toml", &["--duration", "0.1", "--rate", "1e-6"]);
    assert_eq!(run.heads.len(), 1);
}

#[test]
fn the_table_says_what_happened() {
    let folder = Folder::new();
    let scene = root().join("scenes/brake-hose.toml");
    let arguments = ["simulate", scene.to_str().expect("UTF-8"), "--release", "end", "--duration", "0.1"];
    let outcome = folder.flexline(&arguments).good();
    for (name, value) in [
        ("status", "done"),
        ("time", "0.1000 s in steps of 0.0050 s"),
        ("run", "motion.run (7 frames)"),
        ("energy", "kinetic"),
        ("lost to the integrator", " J"),
    ] {
        let line =
            outcome.stdout.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("no {name}"));
        assert!(line.contains(value), "{line}");
    }
}

#[test]
fn pictures_of_the_motion() {
    let folder = Folder::new();
    for (scene, release) in [("brake-hose.toml", "end"), ("control-unit.toml", "rear bulkhead")] {
        let path = root().join("scenes").join(scene);
        for picture in ["a.svg", "a.png"] {
            let arguments =
                ["simulate", path.to_str().expect("UTF-8"), "--release", release, "--duration", "0.1"];
            folder.flexline(&[&arguments[..], &["--picture", picture]].concat()).good();
        }
        let svg = std::fs::read_to_string(folder.file("a.svg")).expect("the picture");
        well_formed(&svg);
        assert!(svg.contains("<path") && svg.contains("0.10 s"), "drawn, with its title");
        assert_eq!(png_size(&std::fs::read(folder.file("a.png")).expect("the picture")).0, 1600);
    }
    // One frame is a picture too.
    let path = root().join("scenes/brake-hose.toml");
    let one = [
        "simulate",
        path.to_str().expect("UTF-8"),
        "--duration",
        "0.01",
        "--rate",
        "1",
        "--picture",
        "b.svg",
    ];
    folder.flexline(&one).good();
    well_formed(&std::fs::read_to_string(folder.file("b.svg")).expect("the picture"));
}

/// A slack hose whose end a motor turns.
const ON_A_MOTOR: &str = include_str!("../../../flexline-session/tests/session/common/on-a-motor.toml");

/// Turns that a cable loses by slipping round itself are told, also where the run was interrupted meanwhile.
#[test]
fn lost_turns_are_told() {
    let folder = Folder::new();
    folder.write("motor.toml", ON_A_MOTOR);
    let common = ["simulate", "motor.toml", "--out", "a.run", "--strain-delay", "0.02"];
    let run = |more: &[&str]| folder.flexline(&[&common[..], more].concat()).good();
    let json = run(&["--duration", "3", "--json"]).json();
    let lost = json["lost_turns"].as_array().expect("told");
    assert_eq!((lost.len(), &lost[0]["cable"], &lost[0]["lost"]), (1, &Value::from("hose"), &Value::from(2)));
    let seen = number(&lost[0]["time"]);
    assert!((0.5..2.5).contains(&seen), "{seen}");
    let short = format!("{:.2}", seen - 0.06);
    let before = run(&["--duration", &short, "--json"]).json();
    assert!(before.get("lost_turns").is_none(), "{before}");
    let text = run(&["--duration", "3", "--resume"]).stdout;
    let line = format!("At {seen:.3} s cable 'hose' slipped round itself and lost 2 turns: ");
    assert!(text.contains(&line), "{line} {text}");
    // Two turns stay in it.
    folder.write("motor.toml", ON_A_MOTOR.replace("4 turns", "2 turns"));
    let json = run(&["--duration", "3", "--json"]).json();
    assert!(json.get("lost_turns").is_none(), "{json}");
}
