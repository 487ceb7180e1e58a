//! `flexline reserve`.

use crate::support::{flexline, keys, number};

#[test]
fn a_unit_is_pulled_until_its_cables_are_taut() {
    let near =
        flexline(&["reserve", "scenes/control-unit.toml", "--move", "unit=0,0.05,0", "--steps", "4"]).good();
    assert!(near.stdout.contains("the cables reach all the way"), "{}", near.stdout);
    let arguments = ["reserve", "scenes/control-unit.toml", "--move", "unit=0,0.4,0", "--steps", "8"];
    let far = flexline(&arguments).expect(6);
    assert!(far.stdout.contains("too short") && far.stdout.contains("mm more are needed"), "{}", far.stdout);
    let json = flexline(&[&arguments[..], &["--json"]].concat()).expect(6).json();
    keys(&json, &["format", "moved", "by", "taut_at", "cables", "verdict", "worst", "way"]);
    // What is nearest to its limit is told with the step, and in the table with the share of the way.
    let bend =
        json["worst"].as_array().expect("a list").iter().find(|own| own["finding"]["rule"] == "bend_radius");
    let bend = bend.expect("bends are judged");
    let step = bend["pose"].as_u64().expect("a step") as usize;
    assert_eq!(json["way"][step]["status"], "converged");
    assert!(far.stdout.contains("bend radius"), "{}", far.stdout);
    // Further on, more is missing; before it is taut, nothing.
    let missing: Vec<f64> = json["way"]
        .as_array()
        .expect("the way")
        .iter()
        .map(|step| step["missing"].as_array().expect("per cable").iter().map(number).sum())
        .collect();
    assert_eq!(missing[0], 0.0);
    assert!(missing.windows(2).all(|w| w[1] >= w[0]), "{missing:?}");
    // Straight lines from the plugs to the bulkheads are what the cables cannot be shorter than.
    assert!((0.1..0.4).contains(&missing[8]), "{missing:?}");
}

#[test]
fn what_cannot_be_moved_is_refused() {
    let wrong = |arguments: &[&str], told: &str| {
        flexline(&[&["reserve", "scenes/control-unit.toml"], arguments].concat())
            .refused(3)
            .complains(&[told]);
    };
    wrong(&["--move", "nothing=0,0,1"], "nothing is named 'nothing'");
    wrong(&["--move", "unit=0,1"], "expected NAME=X,Y,Z");
}

/// An end of a single cable is moved like a part of a harness.
#[test]
fn an_end_is_pulled_until_its_cable_is_taut() {
    let arguments = ["reserve", "scenes/brake-hose.toml", "--move", "end=0,0,-0.4", "--steps", "4", "--json"];
    let json = flexline(&arguments).expect(6).json();
    assert_eq!((&json["moved"], &json["cables"][0]["name"]), (&"end".into(), &"brake hose".into()));
    // From the start at the origin, the end is then farther away than the hose is long.
    let apart = (0.15f64.powi(2) + 0.205f64.powi(2) + 0.51f64.powi(2)).sqrt();
    let needed = number(&json["cables"][0]["reserve_needed"]);
    assert!((needed - (apart - 0.38)).abs() < 1e-9, "{needed}");
}
