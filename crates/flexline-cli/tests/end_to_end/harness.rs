//! Harness scenes through `solve`, `check` and `plot`.

use crate::picture::{png_size, well_formed};
use crate::run::Run;
use crate::support::{Folder, HASTY, flexline, keys, near, number, scene, vector, without_null};

/// Scenes with their numbers of cables and of anchors.
const SCENES: [(&str, usize, usize); 4] =
    [("y-branch", 3, 4), ("door-harness", 9, 15), ("control-unit", 2, 3), ("clips", 1, 5)];

/// The Y branch with a trunk that cannot reach.
fn too_short() -> String {
    scene("y-branch.toml").replacen("\"300 mm\"", "\"100 mm\"", 1)
}

#[test]
fn the_json_of_a_harness_has_every_key() {
    for (name, cables, anchors) in SCENES {
        let json = flexline(&["solve", &format!("scenes/{name}.toml"), "--json"]).good().json();
        keys(
            &json,
            &[
                "format",
                "scene",
                "title",
                "report",
                "cables",
                "anchors",
                "constraints",
                "eyes",
                "poles",
                "short",
                "conflicts",
                "redundant",
                "contacts",
                "clearances",
                "penetration",
                "contact_residual",
                "obstacles",
                "mesh_notes",
            ],
        );
        without_null(&json, &["stability"]);
        assert_eq!(json["report"]["status"], "converged");
        assert!(number(&json["report"]["violation"]) < 1e-9, "{name}");
        let list = |key: &str| json[key].as_array().expect(key).clone();
        assert_eq!((list("cables").len(), list("anchors").len()), (cables, anchors), "{name}");
        for cable in &list("cables") {
            keys(
                cable,
                &[
                    "name",
                    "length",
                    "length_is_found",
                    "segments",
                    "model",
                    "stiffness_is_estimate",
                    "twist_turns",
                    "warnings",
                    "largest_curvature",
                    "largest_tension",
                    "largest_moment",
                ],
            );
            keys(&cable["largest_tension"], &["s", "value", "position"]);
        }
        for anchor in &list("anchors") {
            keys(anchor, &["kind", "name", "position", "frame_wxyz", "reaction"]);
        }
    }
}

#[test]
fn beads_pulleys_and_constraints_are_told() {
    let json = flexline(&["solve", "scenes/pearl-necklace.toml", "--json"]).good().json();
    let beads = json["eyes"].as_array().expect("eyes");
    assert_eq!(beads.len(), 24);
    let mut s = 0.0;
    for bead in beads {
        keys(
            bead,
            &["kind", "name", "cable", "s", "friction", "tensions", "wrap_degrees", "push", "flow", "motion"],
        );
        assert_eq!(bead["kind"], "bead");
        assert!(number(&bead["s"]) > s, "{bead}");
        s = number(&bead["s"]);
    }
    let constraint = &json["constraints"][12];
    keys(constraint, &["name", "force", "state", "holds"]);
    assert_eq!(constraint["name"], "bead 'pearl 12' beside bead 'pearl 13'");
    assert_eq!(constraint["state"], "touching");
    keys(&constraint["holds"][0], &["on", "world", "material"]);

    let table = flexline(&["solve", "scenes/lamp-on-a-pulley.toml"]).good().stdout;
    for words in ["pulley 'lamp pulley'", "wrap °", "slips"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let table = flexline(&["solve", "scenes/routed-hose.toml"]).good().stdout;
    assert!(table.contains(" found "), "{table}");
}

#[test]
fn what_the_scene_moves_is_moved() {
    let folder = Folder::new();
    let run = folder.file("drag.run");
    let scene = "scenes/drag-chain.toml";
    let json = flexline(&["simulate", scene, "--duration", "0.1", "--out", &run, "--json"]).good().json();
    assert!(number(&json["work"]) > 0.0, "the carriage is driven: {json}");
    let json = flexline(&["reserve", scene, "--steps", "4", "--json"]).good().json();
    assert_eq!(json["moved"], "carriage");
    assert!(near(vector(&json["by"][0]), [0.25, 0.0, 0.04], 1e-9), "{json}");
    flexline(&["simulate", scene, "--move", "carriage=0,0,1", "--out", &run])
        .refused(3)
        .complains(&["the scene moves it already"]);
    flexline(&["simulate", scene, "--release", "carriage", "--out", &run])
        .refused(3)
        .complains(&["the scene moves it, in [[motion]]"]);
    flexline(&["reserve", "scenes/clips.toml"]).refused(3).complains(&["--move NAME=X,Y,Z"]);
}

/// The file gives 720 mm to begin with; the way is 560 mm.
#[test]
fn a_cable_that_found_its_own_length_keeps_it_in_motion() {
    let folder = Folder::new();
    let scene = "scenes/routed-hose.toml";
    let json = flexline(&["solve", scene, "--json"]).good().json();
    let found = number(&json["cables"][0]["length"]);
    assert!(json["cables"][0]["length_is_found"] == true && (0.5..0.6).contains(&found), "{found}");
    let path = folder.file("a.run");
    flexline(&["simulate", scene, "--release", "bracket", "--duration", "0.1", "--out", &path]).good();
    let run = Run::read(&path);
    let nodes = run.header["cables"][0]["nodes"].as_u64().expect("a number") as usize;
    for frame in 0..=run.last() {
        let chord = |k: usize| {
            let [a, b] = [k - 1, k].map(|k| run.position(frame, k));
            (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
        };
        let length: f64 = (1..nodes).map(chord).sum();
        assert!((length - found).abs() < 1e-5, "frame {frame}: {length} of {found}");
    }
    let clip = run.part("bracket");
    assert!(!near(run.position(0, clip), run.position(run.last(), clip), 1e-3), "it moves");
}

#[test]
fn balls_rings_and_guides_are_drawn() {
    // Faces in the picture of a scene whose cables are of one colour.
    let faces = |text: &str| {
        let folder = Folder::new();
        let (path, picture) = (folder.write("a.toml", text), folder.file("a.svg"));
        let plain = ["--view", "perspective", "--colour", "plain", "--out", &picture];
        flexline(&[&["plot", &path], &plain[..]].concat()).good();
        let svg = std::fs::read_to_string(&picture).expect("the picture");
        well_formed(&svg);
        svg.matches("<path").count()
    };
    // The tables of a scene without those that begin so.
    let without = |text: &str, heading: &str| -> String {
        let tables = text.split("\n[").enumerate();
        let kept = tables.filter(|(_, table)| !table.starts_with(heading));
        kept.map(|(i, table)| if i == 0 { table.to_owned() } else { format!("\n[{table}") }).collect()
    };
    // Where wheels have neither radius nor axle they are eyes.
    let eyes = |text: &str| -> String {
        let kept = text.lines().filter(|l| !l.starts_with("radius =") && !l.starts_with("axle ="));
        kept.map(|line| format!("{line}\n")).collect()
    };
    let [necklace, lamp, chain, helix] = ["pearl-necklace", "lamp-on-a-pulley", "drag-chain", "double-helix"]
        .map(|s| scene(&format!("{s}.toml")));
    for (what, with, bare, each) in [
        ("24 balls", &necklace, without(&necklace, "[bead]]"), 24 * 100),
        ("two rings", &lamp, eyes(&lamp), 2 * 125),
        ("a guide", &chain, without(&chain, "[constraint]]"), 200),
        ("20 rungs", &helix, without(&helix, "[constraint]]"), 20 * 10),
    ] {
        let (all, rest) = (faces(with), faces(&bare));
        assert!(all > rest + each, "{what}: {all} faces, {rest} without");
    }
}

#[test]
fn constraints_that_contradict_each_other_are_told() {
    let folder = Folder::new();
    let text = scene("control-unit.toml")
        + "\n[[constraint]]\nname = \"floor\"\nkind = \"plane\"\npoint = \"unit\"\nthrough = [0, 0, -0.3]\n\
           normal = [0, 0, 1]\n[[constraint]]\nname = \"shelf\"\nkind = \"plane\"\npoint = \"unit\"\n\
           through = [0, 0, -0.28]\nnormal = [0, 0, 1]\n";
    let path = folder.write("torn.toml", &text);
    let told = flexline(&["solve", &path]).expect(1);
    let json = flexline(&["solve", &path, "--json"]).expect(1).json();
    assert_eq!(json["report"]["status"], "conflict");
    for name in ["floor", "shelf"] {
        let line = format!("constraint '{name}' on part 'unit' cannot be kept: it is missed by ");
        assert!(told.stdout.contains(&line), "{}", told.stdout);
    }
}

#[test]
fn reactions_carry_the_weight() {
    let json = flexline(&["solve", "scenes/control-unit.toml", "--json"]).good().json();
    let anchors = json["anchors"].as_array().expect("anchors");
    let mut sum = [0.0; 3];
    for anchor in anchors {
        let force = vector(&anchor["reaction"]["force"]);
        (0..3).for_each(|i| sum[i] += force[i]);
    }
    assert!(sum[0].abs() < 1e-6 && sum[1].abs() < 1e-6, "{sum:?}");
    assert!((0.4 * 9.81..0.7 * 9.81).contains(&sum[2]), "unit and cables: {} N", sum[2]);
    let unit = anchors.iter().find(|a| a["name"] == "unit").expect("the unit");
    assert_eq!(unit["kind"], "part");
    assert!(near(vector(&unit["reaction"]["force"]), [0.0; 3], 1e-6), "held by nothing but its cables");
}

#[test]
fn the_csv_names_the_cable_of_every_row() {
    let folder = Folder::new();
    let text = scene("y-branch.toml").replace("name = \"to the left\"", "name = 'left, \"up\"'");
    let path = folder.write("y.toml", text);
    let json = flexline(&["solve", &path, "--json", "--out", &folder.file("y.csv")]).good().json();
    let csv = std::fs::read_to_string(folder.file("y.csv")).expect("the table");
    let mut lines = csv.lines();
    let heads = lines.next().expect("heads");
    assert!(heads.starts_with("cable,s_m,x_m,y_m,z_m,qw,"), "{heads}");
    let rows: Vec<&str> = lines.collect();
    let cables = json["cables"].as_array().expect("cables");
    assert_eq!(cables.len(), 3);
    for (cable, cell) in cables.iter().zip(["trunk", "\"left, \"\"up\"\"\"", "to the right"]) {
        let own: Vec<&str> = rows.iter().filter_map(|r| r.strip_prefix(cell)?.strip_prefix(',')).collect();
        assert_eq!(own.len() as u64, cable["segments"].as_u64().expect("segments") + 1, "{cell}");
        let s = |row: &str| row.split(',').next().and_then(|v| v.parse::<f64>().ok()).expect("a number");
        assert_eq!(s(own[0]), 0.0);
        assert!((s(own[own.len() - 1]) - number(&cable["length"])).abs() < 1e-12);
        assert!(own.windows(2).all(|w| s(w[0]) < s(w[1])));
        assert!(own.iter().all(|r| r.split(',').count() == heads.split(',').count() - 1));
    }
}

#[test]
fn the_whole_solution_as_json_has_the_samples_of_every_cable() {
    let folder = Folder::new();
    flexline(&["solve", "scenes/door-harness.toml", "--out", &folder.file("door.json")]).good();
    let text = std::fs::read_to_string(folder.file("door.json")).expect("the solution");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cables = json["cables"].as_array().expect("cables");
    assert_eq!(cables.len(), 9);
    for cable in cables {
        let samples = cable["samples"].as_array().expect("samples");
        assert!(samples.len() > 4);
        let end = &samples[samples.len() - 1];
        assert!((number(&end["s"]) - number(&cable["length"])).abs() < 1e-9);
    }
}

#[test]
fn segments_are_those_of_each_cable() {
    let json = flexline(&["solve", "scenes/y-branch.toml", "--segments", "12", "--json"]).good().json();
    let segments: Vec<_> =
        json["cables"].as_array().expect("cables").iter().map(|c| &c["segments"]).collect();
    assert_eq!(segments, [12, 12, 12]);
}

#[test]
fn what_is_too_short_is_named_by_every_command() {
    let folder = Folder::new();
    let path = folder.write("short.toml", too_short());
    for command in ["solve", "check", "plot", "simulate"] {
        let outcome = folder.flexline(&[command, &path]).refused(3);
        // From the bulkhead to the right it is √(540² + 140² + 80²) mm.
        outcome.complains(&[
            "error[too-short]: cables 'trunk', 'to the right' together are 143.56 mm short",
            "between port 'bulkhead' and port 'right'",
            "short.toml:28:10",
            "lengthen by at least 143.56 mm",
            "cables 'trunk', 'to the left' together are 115.527 mm short",
        ]);
    }
    assert_eq!(folder.names(), ["short.toml"]);
}

#[test]
fn check_judges_every_cable() {
    let json = flexline(&["check", "scenes/door-harness.toml", "--json"]).good().json();
    let cables = json["cables"].as_array().expect("cables");
    assert_eq!(cables.len(), 9);
    for cable in cables {
        keys(cable, &["name", "verdict", "stiffness_is_estimate", "findings"]);
    }
    assert_eq!(cables[0]["verdict"], "warn", "the trunk bends near its dynamic limit");
    assert_eq!(json["verdict"], "warn");
    let table = flexline(&["check", "scenes/door-harness.toml"]).good().stdout;
    assert!(table.contains("warn: trunk: bend radius"), "{table}");
}

#[test]
fn one_bad_cable_fails_the_harness() {
    let folder = Folder::new();
    let text = scene("y-branch.toml").replacen(
        "to = \"left\"",
        "to = \"left\"\n\n[cable.limits]\nbend_radius_static = \"1 m\"",
        1,
    );
    let path = folder.write("strict.toml", text);
    let json = flexline(&["check", &path, "--json"]).expect(6).json();
    let verdicts: Vec<_> = json["cables"].as_array().expect("cables").iter().map(|c| &c["verdict"]).collect();
    assert_eq!(verdicts, ["pass", "fail", "pass"]);
    let outcome = flexline(&["check", &path]).expect(6);
    assert!(outcome.stdout.contains("FAIL: to the left: bend radius"), "{}", outcome.stdout);
}

#[test]
fn without_equilibrium_the_answer_is_no() {
    let folder = Folder::new();
    let hasty = HASTY.replace("method = \"integral-forces\"\n", "");
    let path = folder.write("hasty.toml", scene("door-harness.toml") + &hasty);
    let json = flexline(&["solve", &path, "--json"]).expect(1).json();
    assert_eq!(json["report"]["status"], "iteration_limit");
    flexline(&["check", &path]).expect(1).complains(&["hasty.toml: not converged"]);
    flexline(&["plot", &path, "--out", &folder.file("a.svg")]).expect(1);
    flexline(&["simulate", &path]).refused(3).complains(&["no equilibrium to start from"]);
}

#[test]
fn pictures_of_a_harness() {
    let folder = Folder::new();
    let mut drawn = Vec::new();
    for view in ["report", "perspective", "three"] {
        for colour in ["auto", "plain", "curvature", "tension"] {
            let out = folder.file("a.svg");
            let arguments =
                ["plot", "scenes/door-harness.toml", "--view", view, "--colour", colour, "--out", &out];
            let outcome = flexline(&arguments).expect(0);
            assert_eq!(outcome.stdout, format!("{out}: converged\n"));
            let svg = std::fs::read_to_string(&out).expect("the picture");
            well_formed(&svg);
            assert!(svg.contains("<path") && svg.len() > 2000, "{view}, {colour}");
            drawn.push(svg);
        }
    }
    // The report of a harness is its perspective; but for that no two are the same.
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), 8, "two views in four colours");
    let out = folder.file("a.png");
    flexline(&["plot", "scenes/control-unit.toml", "--width", "300", "--out", &out]).good();
    assert_eq!(png_size(&std::fs::read(&out).expect("the picture")).0, 300);
    let along = ["plot", "scenes/y-branch.toml", "--view", "along", "--out", &folder.file("along.svg")];
    flexline(&along).refused(3).complains(&["--view along shows one cable", "--cable 'trunk'"]);
    flexline(&[&along[..], &["--cable", "to the right"]].concat()).good();
    well_formed(&std::fs::read_to_string(folder.file("along.svg")).expect("the picture"));
    let size = |cable: &[&str]| {
        let one = folder.file("one.svg");
        flexline(&[&["plot", "scenes/y-branch.toml", "--view", "three", "--out", &one], cable].concat())
            .good();
        std::fs::read_to_string(one).expect("the picture").len()
    };
    let (left, all) = (size(&["--cable", "to the left"]), size(&[]));
    assert!(2 * left < all, "one of three cables: {left} of {all} bytes");
    let outcome = flexline(&["plot", "scenes/y-branch.toml", "--cable", "trunc", "--out", &out]).refused(3);
    outcome.complains(&["--cable trunc", "trunk, to the left, to the right"]);
}

/// A piece between two clips that are nearly as far apart as it is long used to be 57 % off in the force of a clip, at 40
/// segments of its cable, and nothing said so.
const NEARLY_STRAIGHT: &str = r#"
version = 1
[[port]]
name = "a"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "b"
position = ["500 mm", "13 mm", 0]
tangent = [1, 0, 0]
[[cable]]
name = "lead"
from = "a"
to = "b"
length = "510 mm"
segments = 40
measured = { bend = "1e-3 N m^2", twist = "8e-4 N m^2", mass_per_length = "12 g/m", diameter = "5 mm" }
[[clip]]
name = "near"
cable = "lead"
at = "100.9 mm"
hold = "clamped"
position = ["100 mm", "13 mm", 0]
tangent = [1, 0, 0]
"#;

#[test]
fn a_nearly_straight_piece_is_warned_of_and_an_accuracy_cures_it() {
    let folder = Folder::new();
    let path = folder.write("straight.toml", NEARLY_STRAIGHT);
    let coarse = flexline(&["solve", &path, "--json"]).good().json();
    let note = coarse["cables"][0]["warnings"][0].as_str().expect("a warning");
    assert!(note.contains("lead, at s = ") && note.contains("forces and moments"), "{note}");
    let checked = flexline(&["check", &path]).good().stdout;
    assert!(checked.contains("warn: lead: ") && checked.contains("length of pieces"), "{checked}");
    let fine = flexline(&["solve", &path, "--accuracy", "0.001 %", "--json"]).good().json();
    let own = &fine["cables"][0]["accuracy"];
    assert!(own["met"] == true && number(&own["estimated"]) <= 5.1e-6, "{own}");
    assert!(number(&fine["cables"][0]["segments"]) > 200.0);
    // Against 3200 segments.
    let exact = flexline(&["solve", &path, "--segments", "3200", "--json"]).good().json();
    let force = |json: &serde_json::Value| vector(&json["anchors"][2]["reaction"]["force"])[0];
    let off = |json: &serde_json::Value| (force(json) - force(&exact)).abs();
    assert!(off(&coarse) > 0.2 * force(&exact).abs(), "{} of {}", off(&coarse), force(&exact));
    assert!(off(&fine) <= number(&own["support_force"]), "{} of {}", off(&fine), force(&exact));
    let hopeless = flexline(&["solve", &path, "--accuracy", "1e-8 mm"]);
    assert_eq!(hopeless.code, 1);
    assert!(hopeless.stdout.contains("accuracy of 'lead'") && hopeless.stdout.contains("NOT MET with"));
}
