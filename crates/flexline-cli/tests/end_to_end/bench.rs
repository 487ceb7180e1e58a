//! `flexline bench`.

use crate::support::{flexline, keys, number};

const LINE: [&str; 5] = ["name", "n", "median_ms", "iterations", "floor_ratio"];

#[test]
fn json_has_the_documented_schema() {
    let arguments =
        ["bench", "drag", "cold", "stability", "batch", "--segments", "10,50,60", "--cables", "12"];
    let json = flexline(&[&arguments[..], &["--json"]].concat()).good().json();
    keys(&json, &["benches", "exponents", "iteration_exponents", "floor_exponents"]);
    let benches = json["benches"].as_array().expect("a list");
    let name_and_size =
        |b: &serde_json::Value| (b["name"].as_str().expect("a name").to_owned(), number(&b["n"]));
    let mut expected: Vec<(String, f64)> = Vec::new();
    for name in ["drag", "cold", "stability"] {
        expected.extend([10.0, 50.0, 60.0].map(|n| (name.to_owned(), n)));
    }
    expected.push(("batch".to_owned(), 100.0));
    assert_eq!(benches.iter().map(name_and_size).collect::<Vec<_>>(), expected);
    for bench in benches {
        if bench["name"] == "batch" {
            keys(bench, &[&LINE[..], &["parallel_efficiency", "batch"]].concat());
            let own = &bench["batch"];
            assert_eq!((&own["converged"], &own["converged_warm"]), (&12.into(), &12.into()));
            assert!(number(&own["cold_per_second"]) > 0.0 && number(&own["warm_per_second"]) > 0.0);
            // 100 segments: 101 nodes of three numbers, 102 frames of four, and what goes with them.
            assert!((6000.0..20_000.0).contains(&number(&own["state_bytes"])), "{own}");
        } else {
            keys(bench, &LINE);
        }
        assert!(number(&bench["median_ms"]) > 0.0 && number(&bench["floor_ratio"]) > 0.0);
        assert!(number(&bench["iterations"]) >= 0.0);
    }
    keys(&json["exponents"], &["drag", "cold", "stability"]);
    // Stability iterates nothing.
    keys(&json["iteration_exponents"], &["drag", "cold"]);
    for (_, exponent) in json["exponents"].as_object().expect("an object") {
        number(exponent);
    }
}

#[test]
fn drag_increments_take_few_iterations() {
    let json = flexline(&["bench", "drag", "--segments", "100", "--json"]).good().json();
    assert!(number(&json["benches"][0]["iterations"]) <= 4.0, "{json}");
    keys(&json["exponents"], &[]);
}

#[test]
fn an_element_is_measured_beside_rk4() {
    let json = flexline(&["bench", "element", "--json"]).good().json();
    let line = &json["benches"][0];
    keys(line, &[&LINE[..], &["rk4_ratio"]].concat());
    assert_eq!((number(&line["n"]), number(&line["iterations"])), (1.0, 5.0));
    // Times are not asked for: what else the machine does would decide.
    assert!(number(&line["rk4_ratio"]).is_finite(), "{line}");
}

#[test]
fn scenes_of_the_paper_stand_beside_its_table() {
    let json = flexline(&["bench", "micado", "--json"]).good().json();
    let benches = json["benches"].as_array().expect("a list");
    assert_eq!(benches.len(), 6);
    for line in benches {
        keys(line, &[&LINE[..], &["micado"]].concat());
        let scene = &line["micado"];
        keys(scene, &["name", "scene", "multipliers", "absolute", "relative", "contacts", "paper"]);
        keys(&scene["paper"], &["absolute", "relative", "step_ms"]);
        assert!(number(&line["iterations"]) <= 8.0, "{line}");
        // As many scalar equations as the paper, where it tells.
        assert_eq!(scene["relative"], scene["paper"]["relative"], "{line}");
        assert!(
            scene["paper"]["absolute"].is_null() || scene["absolute"] == scene["paper"]["absolute"],
            "{line}"
        );
    }
    let counted = |k: usize| {
        let scene = &benches[k]["micado"];
        let name = scene["scene"].as_str().expect("a name");
        (name, ["absolute", "relative", "contacts"].map(|key| number(&scene[key])))
    };
    // Eight ends of four equations each and 21 bars.
    assert_eq!(counted(0), ("bridge", [32.0, 21.0, 0.0]));
    // Two pinned ends; ten pearls, which may touch each other and both ends.
    assert_eq!(counted(1), ("necklace", [6.0, 10.0, 11.0]));
    // Two ends, a clamped and a pinned clip, seven connectors; seven places and tangents.
    assert_eq!(counted(3), ("cable-bundle", [63.0, 35.0, 0.0]));
    keys(&json["exponents"], &[]);
}

#[test]
fn eyes_and_beads_have_exponents_and_few_iterations() {
    // Times are not asked for: what else the machine does would decide.
    let json = flexline(&["bench", "eyes", "beads", "--segments", "50,150", "--json"]).good().json();
    for exponents in ["exponents", "iteration_exponents", "floor_exponents"] {
        keys(&json[exponents], &["beads", "eyes"]);
    }
    let benches = json["benches"].as_array().expect("a list");
    for line in benches {
        let most = if line["name"] == "eyes" { 4.0 } else { 6.0 };
        assert!(number(&line["iterations"]) <= most, "{line}");
    }
    // More beads ask for no more iterations.
    assert!(number(&json["iteration_exponents"]["beads"]) < 0.1, "{json}");
}

#[test]
fn the_table_names_the_floor() {
    let outcome = flexline(&["bench", "cold", "--segments", "8"]).good();
    assert!(outcome.stdout.starts_with("bench"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("floor: one factorisation and solve of the same matrix"));
}

#[test]
fn sizes_given_twice_are_measured_once() {
    // The exponent of two equal sizes used to be NaN.
    let outcome = flexline(&["bench", "cold", "--segments", "50,50"]).good();
    assert_eq!(outcome.stdout.lines().filter(|l| l.starts_with("cold ")).count(), 1, "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("NaN"));
}

#[test]
fn unknown_names_and_impossible_sizes_are_refused() {
    flexline(&["bench", "drift"]).refused(3).complains(&[
        "'drift'",
        "drag",
        "cold",
        "stability",
        "batch",
        "element",
    ]);
    for sizes in ["0", "3", "100001", "-5", "x", ""] {
        let option = format!("--segments={sizes}");
        flexline(&["bench", "cold", &option]).refused(2).complains(&["--segments"]);
    }
    flexline(&["bench", "batch", "--cables", "0"]).refused(2).complains(&["--cables"]);
}

#[test]
fn the_studio_is_measured_on_its_socket() {
    let json = flexline(&["bench", "studio", "--soak", "1", "--json"]).good().json();
    let benches = json["benches"].as_array().expect("a list");
    let expected = [("one cable", 101.0), ("50 cables", 1050.0)];
    assert_eq!(benches.len(), expected.len());
    for (line, (scene, nodes)) in benches.iter().zip(expected) {
        keys(line, &[&LINE[..], &["studio"]].concat());
        let studio = &line["studio"];
        assert_eq!((studio["scene"].as_str(), number(&line["n"])), (Some(scene), nodes));
        assert!(number(&studio["p95_ms"]) >= number(&line["median_ms"]));
        assert!((48.0..80.0).contains(&number(&studio["bytes_per_node"])), "{studio}");
        assert!(number(&studio["soak"]["drags"]) >= 1.0);
    }
}

#[test]
fn a_soak_keeps_the_pace_of_a_hand() {
    let args = ["bench", "studio", "--scene", "cable", "--soak", "2", "--rate", "20", "--json"];
    let json = flexline(&args).good().json();
    let benches = json["benches"].as_array().expect("a list");
    assert_eq!(benches.len(), 1);
    let soak = &benches[0]["studio"]["soak"];
    // The first drag is at once; a busy machine makes fewer, never more.
    assert!((1.0..=41.0).contains(&number(&soak["drags"])), "{soak}");
    #[cfg(target_os = "linux")]
    for key in ["begin_mib", "middle_mib", "end_mib"] {
        assert!(number(&soak[key]) > 1.0, "{soak}");
    }
    flexline(&["bench", "studio", "--rate", "60"]).refused(2).complains(&["--soak"]);
    flexline(&["bench", "studio", "--soak", "1", "--rate", "0"]).refused(2).complains(&["--rate"]);
}
