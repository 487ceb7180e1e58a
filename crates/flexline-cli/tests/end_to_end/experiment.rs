//! `flexline experiment`.

use crate::picture::{png_size, well_formed};
use crate::support::{Folder, flexline, keys, number};
use serde_json::Value;

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

#[test]
fn series_reach_machine_precision_and_classical_methods_their_order() {
    let arguments = ["experiment", "integrators", "--turning", "10", "--steps", "30000", "--json"];
    let json = flexline(&arguments).good().json();
    keys(&json, &["turning", "runs", "reached"]);
    assert_eq!(number(&json["turning"]), 10.0);
    let runs = |method: &str| -> Vec<(f64, f64)> {
        let own = list(&json["runs"]).iter().filter(|r| r["method"] == method);
        own.map(|r| (number(&r["steps"]), number(&r["error"]))).collect()
    };
    let best = |method: &str| runs(method).iter().fold(f64::INFINITY, |m, r| m.min(r.1));
    assert!(best("series") < 2e-15, "{:.1e}", best("series"));
    for (method, order) in [("Euler", 1.0), ("Lie–Euler", 1.0), ("RK2", 2.0), ("RK4", 4.0)] {
        // Between 1000 and 4000 steps all of them converge and none has met round-off.
        let at = |n: f64| *runs(method).iter().find(|r| r.0 >= n).expect("a run");
        let ((n0, e0), (n1, e1)) = (at(1000.0), at(4000.0));
        let observed = (e0 / e1).ln() / (n1 / n0).ln();
        assert!((observed - order).abs() < 0.15, "{method}: {observed}");
    }
    let series = list(&json["reached"]).iter().filter(|r| r["method"] == "series");
    let precisions: Vec<f64> = series.map(|r| number(&r["precision"])).collect();
    assert_eq!(precisions, [1e-2, 1e-4, 1e-8, 1e-12, 1e-14]);
    for reached in list(&json["reached"]) {
        keys(reached, &["precision", "method", "steps", "microseconds", "ratio"]);
        if reached["method"] == "series" {
            assert_eq!(number(&reached["ratio"]), 1.0);
        }
    }
}

#[test]
fn series_reach_1e_12_far_cheaper_than_rk4() {
    let json = flexline(&["experiment", "integrators", "--json"]).good().json();
    let rk4 =
        list(&json["reached"]).iter().find(|r| r["method"] == "RK4" && number(&r["precision"]) == 1e-12);
    let ratio = number(&rk4.expect("RK4 reaches 1e-12")["ratio"]);
    // About 200 on a quiet machine; tests run beside others.
    assert!(ratio > 20.0, "{ratio}");
}

#[test]
fn pieces_cure_what_a_naive_sum_loses() {
    let json = flexline(&["experiment", "cancellation", "--turning", "30,1,10,10", "--json"]).good().json();
    let lines = list(&json);
    assert_eq!(lines.iter().map(|l| number(&l["turning"])).collect::<Vec<_>>(), [1.0, 10.0, 30.0]);
    for line in lines {
        keys(line, &["turning", "terms", "largest_term", "naive_error", "pieces", "piecewise_error"]);
        assert!(number(&line["piecewise_error"]) < 3e-15, "{line}");
        let lost = number(&line["largest_term"]) * f64::EPSILON;
        let error = number(&line["naive_error"]);
        assert!(error < 10.0 * lost && error > 0.01 * lost, "{line}");
    }
    assert!(number(&lines[2]["naive_error"]) > 1.0, "nothing is left at 30 rad");
}

#[test]
fn charts_are_written() {
    let folder = Folder::new();
    let small = [
        ("integrators", ["--steps", "500"]),
        ("cancellation", ["--turning", "1,5"]),
        ("twining", ["--rho", "2"]),
        ("climbing", ["--length", "5"]),
        ("friction", ["--contacts", "4"]),
    ];
    for (which, arguments) in small {
        for ending in ["svg", "png"] {
            let out = folder.file(&format!("{which}.{ending}"));
            let outcome = flexline(&["experiment", which, arguments[0], arguments[1], "--plot", &out]).good();
            assert!(outcome.stdout.ends_with(&format!("{out} written\n")), "{}", outcome.stdout);
            let bytes = std::fs::read(&out).expect("the chart");
            if ending == "svg" {
                well_formed(&String::from_utf8(bytes).expect("UTF-8"));
            } else {
                // Charts are of one width; those with a drawing beside them are wider.
                let drawn = ["twining", "climbing"].contains(&which);
                let width = png_size(&bytes).0;
                assert!(if drawn { width > 1520 } else { width == 1520 }, "{which}: {width}");
            }
        }
    }
}

/// Every method comes to the same forces on the cone; a pyramid does not, and leads a block around unevenly.
#[test]
fn methods_for_contact_forces_agree_and_pyramids_do_not() {
    let arguments = ["experiment", "friction", "--problem", "bodies", "--contacts", "12,6,6", "--json"];
    let json = flexline(&arguments).good().json();
    keys(&json, &["friction", "runs", "growth", "orbits"]);
    let runs = list(&json["runs"]);
    assert_eq!(runs.len(), 14);
    for run in runs {
        keys(run, &["method", "contacts", "status", "iterations", "residual", "error", "milliseconds"]);
        assert_eq!(run["status"], "converged", "{run}");
        let pyramid = run["method"].as_str().expect("a name").starts_with("pyramid");
        let (residual, error) = (number(&run["residual"]), number(&run["error"]));
        assert!(
            if pyramid { error > 1e-3 && residual > 1e-3 } else { error < 1e-6 && residual < 1.1e-8 },
            "{run}"
        );
    }
    let uneven = |place: usize| {
        let orbit = &json["orbits"][place];
        number(&orbit["fastest"]) - number(&orbit["slowest"])
    };
    assert!(uneven(0) < 1e-6 && uneven(1) > 0.1 && uneven(2) < 0.02);
    flexline(&["experiment", "friction", "--friction=-1"]).refused(2).complains(&["from 0 to 100"]);
}

/// All models come to one shape, each with its order; few clothoids do what many segments do.
#[test]
fn models_agree_on_a_hanging_curl() {
    let json = flexline(&["experiment", "equilibrium", "--json"]).good().json();
    assert!(number(&json["reference_check"]) < 1e-7, "{}", json["reference_check"]);
    let runs = list(&json["runs"]);
    for (model, order, error) in
        [("clothoid", 4.0, 2e-6), ("helix", 2.0, 1e-5), ("nodal", 2.0, 2e-6), ("mixed", 2.0, 2e-6)]
    {
        let last =
            runs.iter().rfind(|r| r["model"] == model && r["placed"] == false).expect("a run of every model");
        assert!(number(&last["error"]) < error, "{last}");
        assert!((number(&last["order"]) - order).abs() < 0.5, "{last}");
    }
    let ratio = |model: &str, over: &str| {
        let needs = list(&json["needs"]);
        let own = needs.iter().find(|n| n["model"] == model && number(&n["error"]) == 1e-4);
        number(&own.expect("every model gets there")[over])
    };
    for over in ["ratio", "ratio_placed"] {
        let (helix, nodal) = (ratio("helix", over), ratio("nodal", over));
        assert!(helix > 3.0 && nodal > 30.0, "{over}: {helix} {nodal}");
    }
    // Elements that lie where they are needed are fewer.
    let placed: Vec<&Value> = list(&json["needs"]).iter().filter(|n| n["placed"] == true).collect();
    assert!(placed.iter().any(|n| number(&n["error"]) == 1e-5), "{placed:?}");
    for n in placed {
        assert!(number(&n["ratio"]) < 1.0, "{n}");
    }
}

#[test]
fn dragging_is_measured_in_every_model() {
    let folder = Folder::new();
    for rod in ["cable", "curly"] {
        let (one, two) = (folder.file("cost.svg"), folder.file("unknowns.svg"));
        let arguments = ["experiment", "cost", "--rod", rod, "--increments", "2", "--plot", &one];
        let outcome = flexline(&[&arguments[..], &["--plot-unknowns", &two, "--json"]].concat()).good();
        let json = outcome.json();
        for model in ["clothoid", "helix", "nodal", "mixed"] {
            // Each is coarse at first and becomes exact.
            let own = list(&json["runs"]).iter().filter(|run| run["model"] == model);
            let errors: Vec<f64> = own.map(|run| number(&run["error"])).collect();
            assert!(errors.len() > 5 && errors[errors.len() - 1] < 0.1 * errors[0], "{model}: {errors:?}");
        }
        for run in list(&json["runs"]) {
            assert!(number(&run["microseconds"]) > 0.0 && number(&run["iterations"]) > 0.0, "{run}");
        }
        for chart in [one, two] {
            well_formed(&std::fs::read_to_string(chart).expect("the chart"));
        }
    }
}

/// Nothing is gained from nowhere with steps of 33 ms, next to nothing lost with short ones.
#[test]
fn rods_let_go_keep_their_energy() {
    let folder = Folder::new();
    for scene in ["swing", "unwind"] {
        let chart = folder.file("energy.svg");
        let arguments = ["experiment", "energy", "--scene", scene, "--seconds", "0.5", "--plot", &chart];
        let json = flexline(&[&arguments[..], &["--json"]].concat()).good().json();
        let told = |run: &Value| {
            let text = |key: &str| run[key].as_str().expect("text").to_owned();
            format!("{}, {}, {:.3}", text("integrator"), text("model"), number(&run["step"]))
        };
        let runs: Vec<String> = list(&json["runs"]).iter().map(told).collect();
        for (integrator, step, models) in [
            ("implicit Euler", "0.033", &["clothoid", "helix", "nodal", "mixed"][..]),
            ("BDF2", "0.033", &["clothoid", "helix", "nodal", "mixed"]),
            ("generalised-α", "0.001", &["clothoid", "helix", "nodal", "mixed"]),
            ("semi-implicit", "0.033", &["clothoid", "helix"]),
            ("semi-implicit", "0.001", &["clothoid", "helix"]),
        ] {
            for model in models {
                let wanted = format!("{integrator}, {model}, {step}");
                assert!(runs.contains(&wanted), "{scene}: no {wanted} in {runs:#?}");
            }
        }
        for run in list(&json["runs"]) {
            if run["integrator"] == "implicit Euler" {
                assert!(number(&run["lost"]) > 1e-2, "what moves by long steps of Euler's loses: {run}");
            }
            assert!(run.get("failed").is_none(), "{run}");
            if run["integrator"] == "generalised-α" {
                assert!(number(&run["change"]).abs() < 1e-3, "{run}");
            } else if run["integrator"] == "semi-implicit" {
                assert!(number(&run["gained"]) < 1e-2 && number(&run["lost"]) < 0.2, "{run}");
            } else {
                assert!(number(&run["gained"]) < 1e-6, "{run}");
            }
        }
        well_formed(&std::fs::read_to_string(chart).expect("the chart"));
    }
}

#[test]
fn five_clothoids_find_the_threshold_of_twining() {
    let json = flexline(&["experiment", "twining", "--step", "0.05", "--json"]).good().json();
    let keys_told = [
        "elements",
        "threshold",
        "elastica",
        "free_length",
        "deviation",
        "left_at",
        "depth_at_tip",
        "depth_elsewhere",
    ];
    keys(&json, &keys_told);
    assert_eq!(number(&json["elements"]), 5.0);
    // Published with two digits; the elastica has more.
    assert!((number(&json["threshold"]) / 3.3 - 1.0).abs() < 0.01, "{json}");
    assert!(number(&json["deviation"]).abs() < 0.01, "{json}");
    assert!(
        (number(&json["threshold"]) / number(&json["elastica"]) - 1.0 - number(&json["deviation"])).abs()
            < 1e-12
    );
    assert!(number(&json["depth_at_tip"]) < 0.01 && number(&json["depth_elsewhere"]) < 1e-3, "{json}");
}

#[test]
fn plants_twine_below_the_threshold_and_leave_the_pole_above() {
    let fate = |rho: &str| {
        flexline(&["experiment", "twining", "--step", "0.05", "--rho", rho, "--json"]).good().json()
    };
    for rho in ["1.5", "2.6", "3.2"] {
        assert_eq!(fate(rho)["twines"], true, "{rho}");
    }
    for rho in ["3.4", "5"] {
        assert_eq!(fate(rho)["twines"], false, "{rho}");
    }
    // Here an element of the growing rod is divided in two, and the number of its pieces must not waver.
    let wavering = flexline(&["experiment", "twining", "--rho", "2.579", "--step", "0.02", "--json"]);
    assert_eq!(wavering.good().json()["twines"], true);
    // Once the contact is stationary, every length that grows is wound on.
    let turns = |length: &str| {
        let arguments =
            ["experiment", "twining", "--rho", "2", "--elements", "20", "--length", length, "--json"];
        number(&flexline(&arguments).good().json()["turns"])
    };
    let wound = (turns("6") - turns("4")) * std::f64::consts::TAU;
    assert!((wound - 2.0).abs() < 0.02, "{wound}");
}

#[test]
fn a_plant_climbs_in_loops_whose_pitch_varies_near_the_tip() {
    let json = flexline(&["experiment", "climbing", "--length", "20", "--json"]).good().json();
    keys(&json, &["elements", "length", "left_at", "turns", "along"]);
    assert!(number(&json["turns"]) > 3.0, "{json}");
    let pitch: Vec<f64> = list(&json["along"]).iter().map(|l| number(&l["pitch"])).collect();
    let spread = |of: &[f64]| {
        of.iter().copied().fold(f64::MIN, f64::max) - of.iter().copied().fold(f64::MAX, f64::min)
    };
    let (middle, tip) = (&pitch[8..14], &pitch[17..]);
    assert!(spread(tip) > 4.0 * spread(middle), "{pitch:?}");
    assert!(list(&json["along"]).iter().all(|l| number(&l["gap"]) > -0.01), "{json}");
    // A curlier one turns back: the answer is no.
    let leaves =
        flexline(&["experiment", "climbing", "--rho", "2", "--length", "10", "--json"]).expect(1).json();
    assert!(number(&leaves["left_at"]) < 10.0, "{leaves}");
}

#[test]
fn what_is_no_experiment_is_refused() {
    flexline(&["experiment", "levitation"]).refused(2).complains(&["levitation"]);
    for turning in ["0", "-1", "nan", "1e9", "x"] {
        let option = format!("--turning={turning}");
        for which in ["integrators", "cancellation"] {
            let outcome = flexline(&["experiment", which, &option]).refused(2);
            outcome.complains(&["--turning", "above 0 and at most 300"]);
        }
    }
    for option in ["--rho=1", "--rho=nan", "--length=1e9", "--step=0", "--pole=-1", "--elements=1"] {
        for which in ["twining", "climbing"] {
            flexline(&["experiment", which, option]).refused(2).complains(&[&option[..5]]);
        }
    }
    flexline(&["experiment", "integrators", "--steps", "3"]).refused(2).complains(&["--steps"]);
    flexline(&["experiment", "cancellation", "--plot", "chart.gif"]).refused(3).complains(&["chart.gif"]);
}
