//! `flexline solve`.

use crate::support::{Folder, HASTY, flexline, is_file, keys, near, number, scene, vector, without_null};
use serde_json::Value;

const COLUMNS: &str = "s_m,x_m,y_m,z_m,qw,qx,qy,qz,kappa1_1/m,kappa2_1/m,tau_1/m,moment1_Nm,moment2_Nm,moment3_Nm,\
force_x_N,force_y_N,force_z_N,tension_N,shear_N,bend_radius_m,section_radius_m";

const SUMMARY: [&str; 29] = [
    "format",
    "scene",
    "title",
    "cable",
    "length",
    "segments",
    "model",
    "poles",
    "stiffness_is_estimate",
    "report",
    "warnings",
    "twist_turns",
    "largest_curvature",
    "largest_tension",
    "largest_moment",
    "length_is_found",
    "cables",
    "anchors",
    "constraints",
    "eyes",
    "short",
    "conflicts",
    "redundant",
    "contacts",
    "penetration",
    "contact_residual",
    "clearances",
    "obstacles",
    "mesh_notes",
];

fn rows(csv: &str) -> Vec<Vec<f64>> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(COLUMNS));
    lines.map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect()).collect()
}

#[test]
fn every_scene_is_solved() {
    let mut count = 0;
    for entry in std::fs::read_dir(crate::support::root().join("scenes")).expect("scenes") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "toml") {
            let path = path.to_str().expect("UTF-8");
            let outcome = flexline(&["solve", path]).good();
            let status = outcome.stdout.lines().find(|l| l.starts_with("status")).expect("a status");
            assert!(status.ends_with(" converged"), "{path}: {status}");
            assert!(!outcome.stdout.contains("NaN") && !outcome.stdout.contains("inf"), "{}", outcome.stdout);
            // A zero has no sign.
            for text in [outcome.stdout, flexline(&["check", path]).stdout] {
                let mut words = text.split([' ', ',', '(', ')', '\n']);
                let zero = |word: &str| word.parse::<f64>().is_ok_and(|v| v == 0.0);
                assert!(!words.any(|w| w.starts_with('-') && zero(w)), "{text}");
            }
            count += 1;
        }
    }
    assert!(count >= 13, "{count} scenes");
}

#[test]
fn the_json_summary_has_every_key_and_finite_numbers() {
    let json = flexline(&["solve", "scenes/brake-hose.toml", "--json"]).good().json();
    keys(&json, &SUMMARY);
    without_null(&json, &["missing_length"]);
    assert_eq!(json["scene"], "scenes/brake-hose.toml");
    assert_eq!(json["title"], "Brake hose, front left");
    assert_eq!(json["segments"], 100);
    assert_eq!(json["model"], "mixed");
    assert_eq!(number(&json["length"]), 0.38);
    assert_eq!(json["stiffness_is_estimate"], true);
    for place in ["largest_curvature", "largest_tension", "largest_moment"] {
        keys(&json[place], &["s", "value", "position"]);
        vector(&json[place]["position"]);
        assert!((0.0..=0.38).contains(&number(&json[place]["s"])));
    }
    let report = &json["report"];
    keys(
        report,
        &[
            "status",
            "iterations",
            "factorisations",
            "steps",
            "contacts",
            "penetration",
            "contact_residual",
            "residual_force",
            "residual_moment",
            "largest_force",
            "position_violation",
            "rotation_violation",
            "segment_error",
            "energies",
            "supports",
            "stability",
            "missing_length",
            "violation",
            "reactions",
            "multipliers",
            "negative",
            "holds",
            "eyes",
            "short",
            "conflicts",
        ],
    );
    assert_eq!(report["status"], "converged");
    assert!(number(&report["residual_force"]) < 1e-8 * number(&report["largest_force"]));
    assert!(number(&report["segment_error"]) < 1e-9);
    keys(&report["energies"], &["bending", "torsion", "gravity", "loads"]);
    keys(&report["stability"], &["verdict", "lambda_min", "negative", "neutral", "complete"]);
    assert_eq!(report["stability"]["verdict"], "stable");
    let supports = report["supports"].as_array().expect("a list");
    assert_eq!(supports.len(), 2);
    supports.iter().for_each(|s| keys(s, &["force", "moment"]));
    // The one cable stands in the list of cables too, and its ends among the anchors, as in a harness.
    let own = &json["cables"][0];
    assert_eq!((&own["name"], &own["largest_moment"]), (&json["cable"], &json["largest_moment"]));
    let anchors = json["anchors"].as_array().expect("a list");
    assert_eq!([&anchors[0]["name"], &anchors[1]["name"]], ["start", "end"]);
    assert_eq!([&anchors[0]["reaction"], &anchors[1]["reaction"]], [&supports[0], &supports[1]]);
}

#[test]
fn supports_carry_the_weight() {
    // 1.1 m of wire between two eyelets and nothing else: half of the weight on each.
    let json = flexline(&["solve", "scenes/hanging-wire.toml", "--json"]).good().json();
    let part = flexline(&["materials", "wire-1.5", "--json"]).good().json();
    let weight = 9.81 * 1.1 * number(&part["section"]["mass_per_length"]);
    let supports = json["report"]["supports"].as_array().expect("a list");
    assert_eq!(supports.len(), 2);
    for support in supports {
        let [_, _, up] = vector(&support["force"]);
        assert!((up - 0.5 * weight).abs() < 1e-9 * weight, "{up} of {weight}");
        assert!(near(vector(&support["moment"]), [0.0; 3], 1e-12), "an eyelet holds no moment");
    }
}

#[test]
fn csv_has_a_row_per_station_and_meets_the_ends() {
    let folder = Folder::new();
    let out = folder.file("hose.csv");
    let outcome = flexline(&["solve", "scenes/brake-hose.toml", "--segments", "60", "--out", &out]).good();
    assert!(outcome.stdout.ends_with(&format!("solution along s written to {out}\n")), "{}", outcome.stdout);
    let rows = rows(&std::fs::read_to_string(&out).expect("the file"));
    assert_eq!(rows.len(), 61);
    assert!(rows.iter().all(|r| r.len() == COLUMNS.split(',').count() && r.iter().all(|v| v.is_finite())));
    assert!(rows.windows(2).all(|w| w[1][0] > w[0][0]), "s increases");
    let position = |r: &[f64]| [r[1], r[2], r[3]];
    assert_eq!(rows[0][0], 0.0);
    assert!((rows[60][0] - 0.38).abs() < 1e-15);
    assert!(near(position(&rows[0]), [0.0; 3], 1e-9));
    assert!(near(position(&rows[60]), [0.15, 0.205, -0.11], 1e-9));
    for r in &rows {
        let norm = r[4..8].iter().map(|q| q * q).sum::<f64>();
        assert!((norm - 1.0).abs() < 1e-12, "a unit quaternion");
    }
    // The last frame turns d3 = z into the tangent that the scene asks for.
    let [w, x, y, z] = [4, 5, 6, 7].map(|i| rows[60][i]);
    let d3 = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)];
    let wanted = [0.9, -0.3, 0.3].map(|c: f64| c / (0.81f64 + 0.09 + 0.09).sqrt());
    assert!(near(d3, wanted, 1e-9), "{d3:?}");
}

#[test]
fn json_solution_is_the_summary_with_samples() {
    let folder = Folder::new();
    let out = folder.file("hose.JSON");
    let summary = flexline(&["solve", "scenes/brake-hose.toml", "--json", "--out", &out]).good().json();
    let solution: Value = serde_json::from_slice(&std::fs::read(&out).expect("the file")).expect("JSON");
    let mut expected = SUMMARY.to_vec();
    expected.push("samples");
    keys(&solution, &expected);
    without_null(&solution, &["missing_length"]);
    assert_eq!(solution["report"], summary["report"]);
    let samples = solution["samples"].as_array().expect("a list");
    assert_eq!(samples.len(), 101);
    for sample in samples {
        let names = [
            "s",
            "position",
            "frame_wxyz",
            "strain",
            "moment",
            "force",
            "tension",
            "shear",
            "bend_radius",
            "section_radius",
        ];
        keys(sample, &names);
        assert_eq!(sample["frame_wxyz"].as_array().map(Vec::len), Some(4));
    }
    assert!(near(vector(&samples[0]["position"]), [0.0; 3], 1e-9));
    assert!(near(vector(&samples[100]["position"]), [0.15, 0.205, -0.11], 1e-9));
}

#[test]
fn csv_and_json_agree() {
    let folder = Folder::new();
    let (csv, json) = (folder.file("a.csv"), folder.file("a.json"));
    for out in [&csv, &json] {
        flexline(&["solve", "scenes/ring.toml", "--out", out]).good();
    }
    let rows = rows(&std::fs::read_to_string(csv).expect("the file"));
    let solution: Value = serde_json::from_slice(&std::fs::read(json).expect("the file")).expect("JSON");
    let samples = solution["samples"].as_array().expect("a list");
    assert_eq!((rows.len(), samples.len()), (101, 101));
    for (row, sample) in rows.iter().zip(samples) {
        assert_eq!(row[0], number(&sample["s"]));
        assert_eq!([row[1], row[2], row[3]], vector(&sample["position"]));
        assert_eq!([row[14], row[15], row[16]], vector(&sample["force"]));
    }
}

#[test]
fn a_ring_has_one_support_and_closes() {
    let folder = Folder::new();
    let out = folder.file("ring.csv");
    let outcome = flexline(&["solve", "scenes/ring.toml", "--out", &out]).good();
    assert!(outcome.stdout.contains("support at seam"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("support at end"), "{}", outcome.stdout);
    let rows = rows(&std::fs::read_to_string(&out).expect("the file"));
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    assert!(near([first[1], first[2], first[3]], [last[1], last[2], last[3]], 1e-9));
}

#[test]
fn forces_too_small_for_four_decimals_are_shown() {
    // The support of a hair used to be printed as (-0.0000, -0.0000, 0.0000) N.
    let outcome = flexline(&["solve", "scenes/hair.toml"]).good();
    assert!(outcome.stdout.contains("support at start      force (0, 0, 1.6"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("e-5) N"), "{}", outcome.stdout);
}

#[test]
fn a_straight_cable_has_no_tightest_bend() {
    let folder = Folder::new();
    let scene = scene("cantilever.toml").replace("tangent = [1, 0, 0]", "tangent = [0, 0, -1]");
    let path = folder.write("plumb.toml", scene);
    let outcome = flexline(&["solve", &path]).good();
    assert!(outcome.stdout.contains("tightest bend         none: straight"), "{}", outcome.stdout);
}

#[test]
fn what_does_not_converge_says_so_and_ends_with_1() {
    let folder = Folder::new();
    let path = folder.write("hasty.toml", scene("brake-hose.toml") + HASTY);
    let outcome = flexline(&["solve", &path]).expect(1);
    assert!(outcome.stdout.contains("not converged: iteration limit reached"), "{}", outcome.stdout);
    let json = flexline(&["solve", &path, "--json"]).expect(1).json();
    assert_eq!(json["report"]["status"], "iteration_limit");
    // What is known in equilibrium alone is not made up.
    let unknown =
        ["largest_force", "energies", "supports", "largest_curvature", "largest_tension", "largest_moment"];
    let joined = ["missing_length", "stability", "reaction", "reactions", "multipliers", "holds", "eyes"];
    let touching = ["contacts", "penetration", "contact_residual"];
    without_null(&json, &[&joined[..], &unknown, &touching].concat());
    assert!(touching.iter().all(|key| json[key].is_null()), "{json:#}");
    assert!(unknown[..3].iter().all(|key| json["report"][key].is_null()), "{json:#}");
    assert!(unknown[3..].iter().all(|key| json[key].is_null()), "{json:#}");
}

#[test]
fn stable_goes_on_from_an_unstable_equilibrium() {
    let folder = Folder::new();
    let scene = scene("buckling-strut.toml").replace("seek_stable = true", "seek_stable = false");
    let path = folder.write("strut.toml", scene);
    let verdict = |arguments: &[&str]| {
        flexline(arguments).good().json()["report"]["stability"]["verdict"].as_str().map(str::to_owned)
    };
    assert_eq!(verdict(&["solve", &path, "--json"]).as_deref(), Some("unstable"));
    assert_eq!(verdict(&["solve", &path, "--json", "--stable"]).as_deref(), Some("stable"));
    let outcome = flexline(&["solve", &path]).good();
    assert!(outcome.stdout.contains("UNSTABLE") && outcome.stdout.contains("--stable"), "{}", outcome.stdout);
}

#[test]
fn a_bad_ending_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    for name in ["solution.txt", "solution", "csv"] {
        let out = folder.file(name);
        flexline(&["solve", "scenes/brake-hose.toml", "--out", &out])
            .refused(3)
            .complains(&["--out", ".csv or .json"]);
        assert!(!is_file(&out));
    }
}

#[test]
fn a_clamp_that_segments_cannot_resolve_is_said() {
    let folder = Folder::new();
    let text = |length: &str| {
        format!(
            "version = 1\n[cable]\nlength = \"{length}\"\npart = \"wire-6\"\n\
             [start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [0, 1, 0]\n\
             [end]\nhold = \"clamped\"\nposition = [\"1 m\", 0, 0]\ntangent = [1, 0, 0]\n"
        )
    };
    let taut = folder.write("taut.toml", text("1.0001 m"));
    let table = flexline(&["solve", &taut]).good().stdout;
    assert!(table.contains("note: the cable is so taut that a clamp bends it only within"), "{table}");
    let slack = folder.write("slack.toml", text("1.3 m"));
    assert!(!flexline(&["solve", &slack]).good().stdout.contains("note:"));
}

/// An accuracy chooses the segments of a chain too, and tells how far the forces of supports may be off.
#[test]
fn an_accuracy_chooses_segments() {
    let solve =
        |accuracy: &str| flexline(&["solve", "scenes/brake-hose.toml", "--accuracy", accuracy, "--json"]);
    let [coarse, fine] = ["1 mm", "0.01 mm"].map(|a| solve(a).good().json());
    assert!(number(&fine["segments"]) > 2.0 * number(&coarse["segments"]));
    for (json, asked) in [(&coarse, 1e-3), (&fine, 1e-5)] {
        keys(&json["accuracy"], &["asked", "estimated", "support_force", "support_moment", "met"]);
        assert!(number(&json["accuracy"]["estimated"]) <= asked && json["accuracy"]["met"] == true);
    }
    let force = |json: &Value| vector(&json["report"]["supports"][0]["force"]);
    let off = (0..3).map(|i| (force(&coarse)[i] - force(&fine)[i]).abs()).fold(0.0, f64::max);
    assert!(off <= number(&coarse["accuracy"]["support_force"]), "{off}");
    let table = flexline(&["solve", "scenes/brake-hose.toml", "--accuracy", "0.1 mm"]).good().stdout;
    assert!(table.contains("mm asked for; forces of supports within"), "{table}");
}

/// An accuracy chooses the elements; what is not met is said and ends with 1.
#[test]
fn an_accuracy_chooses_elements() {
    let solve =
        |accuracy: &str| flexline(&["solve", "scenes/curly-rod.toml", "--accuracy", accuracy, "--json"]);
    let [coarse, fine] = ["10 mm", "0.1 %"].map(|a| solve(a).good().json());
    assert!(number(&fine["elements"]) > number(&coarse["elements"]));
    assert!((number(&fine["accuracy"]["asked"]) - 1e-3).abs() < 1e-15);
    assert!(number(&fine["accuracy"]["estimated"]) <= 1e-3 && fine["accuracy"]["met"] == true);
    let hopeless = flexline(&["solve", "scenes/curly-rod.toml", "--accuracy", "1e-9 mm"]);
    assert_eq!(hopeless.code, 1);
    assert!(hopeless.stdout.contains("NOT MET with"), "{}", hopeless.stdout);
    let cases = [
        ("scenes/curly-rod.toml", "1 N", "expected a length"),
        ("scenes/curly-rod.toml", "-3 %", "expected a length"),
    ];
    for (scene, accuracy, expected) in cases {
        flexline(&["solve", scene, &format!("--accuracy={accuracy}")]).refused(3).complains(&[expected]);
    }
}

/// Limp and heavy, from a clamp that points upward: in eight segments it only folds.
#[test]
fn a_fold_is_told_with_the_segments_that_mend_it() {
    let folder = Folder::new();
    let path = folder.write(
        "fountain.toml",
        "version = 1\n[cable]\nlength = 1.4\nsegments = 8\n\
         measured = { bend = 0.19, twist = 0.19, mass_per_length = 22, diameter = 0.008 }\n\
         [start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [0.1, 0, 1]\n[end]\nhold = \"free\"\n",
    );
    let json = flexline(&["solve", &path, "--json"]).expect(1).json();
    let needed = json["report"]["segments_needed"].as_u64().expect("a number of segments").to_string();
    let told = format!("; with {needed} segments there is an equilibrium");
    for command in ["solve", "check"] {
        let outcome = flexline(&[command, &path]).expect(1);
        assert!(outcome.stdout.contains(&told), "{command}: {}", outcome.stdout);
    }
    let table = flexline(&["solve", &path, "--segments", &needed]).good().stdout;
    assert!(!table.contains("there is an equilibrium"), "{table}");
}

/// With 1 % of slack ten elements cannot turn aside within reach of the far clamp.
#[test]
fn elements_that_cannot_reach_are_told_how_many_do() {
    let folder = Folder::new();
    let path = folder.write(
        "aside.toml",
        "version = 1\n[cable]\nlength = 1\nmodel = \"clothoid\"\nelements = 10\n\
         measured = { bend = 0.02, twist = 0.016, mass_per_length = 0.05, diameter = 0.008 }\n\
         [start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n\
         [end]\nhold = \"clamped\"\nposition = [0.99, 0, 0]\ntangent = [0, 1, 0]\n",
    );
    let json = flexline(&["solve", &path, "--json"]).expect(1).json();
    let needed = json["report"]["segments_needed"].as_u64().expect("a number of elements");
    let told = format!("; with {needed} elements there is an equilibrium");
    let table = flexline(&["solve", &path]).expect(1).stdout;
    assert!(table.contains(&told), "{table}");
}
