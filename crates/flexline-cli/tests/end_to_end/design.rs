//! `flexline design` against closed forms and grids.

use crate::support::{Folder, flexline, is_file, number};
use serde_json::Value;

const STRUT: &str = "scenes/studies/pinned-strut.toml";

fn parameter(json: &Value, index: usize) -> f64 {
    number(&json["found"]["parameters"][index][1])
}

/// The longest wire between two ball joints whose bends keep a radius: `find` closes in on the same by another way.
#[test]
fn the_longest_wire_that_keeps_its_radius_is_that_of_a_search() {
    let vary = "cable.length=300 mm..420 mm";
    let arguments =
        ["design", STRUT, "--vary", vary, "--maximise", "length", "--so-that", "bend_radius>=110mm"];
    let json = flexline(&[&arguments[..], &["--starts", "6", "--json"]].concat()).good().json();
    let found = flexline(&[
        "find",
        STRUT,
        "--vary",
        vary,
        "--so-that",
        "bend_radius>=110mm",
        "--prefer",
        "most",
        "--json",
    ]);
    let at = number(&found.good().json()["found"]["at"]);
    assert!((parameter(&json, 0) - at).abs() < 1e-3, "{} {at}", parameter(&json, 0));
    assert_eq!(json["found"]["good"], true);
    assert_eq!(json["found"]["same_anew"], true);
}

#[test]
fn rules_that_contradict_are_said_with_what_is_missed() {
    let arguments = [
        "design",
        STRUT,
        "--vary",
        "cable.length=300 mm..420 mm",
        "--so-that",
        "length>=400mm",
        "--so-that",
        "bend_radius>=115mm",
        "--starts",
        "4",
    ];
    let told = flexline(&arguments).expect(1).stdout;
    assert!(told.contains("MISSED") && told.contains("misses least"), "{told}");
}

#[test]
fn a_front_has_alternatives_of_which_none_is_better() {
    let folder = Folder::new();
    let picture = folder.file("front.svg");
    let arguments = [
        "design",
        STRUT,
        "--vary",
        "cable.length=300 mm..420 mm",
        "--maximise",
        "length",
        "--against",
        "energy",
        "--alternatives",
        "4",
        "--starts",
        "3",
        "--front",
        &picture,
        "--json",
    ];
    let json = flexline(&arguments).good().json();
    assert!(is_file(&picture));
    let rows = json["alternatives"].as_array().expect("a list");
    assert!(rows.len() >= 3, "{rows:?}");
    for pair in rows.windows(2) {
        let of = |row: &Value| [number(&row["wishes"][0]), number(&row["wishes"][1])];
        let ([a, b], [c, d]) = (of(&pair[0]), of(&pair[1]));
        // Longer costs more energy.
        assert!(c > a && d > b, "{rows:?}");
    }
}

#[test]
fn what_cannot_be_designed_is_refused() {
    let wrong = |arguments: &[&str], told: &str| {
        flexline(&[&["design", STRUT], arguments].concat()).refused(3).complains(&[told]);
    };
    let vary = ["--vary", "cable.length=300 mm..420 mm"];
    wrong(&[], "nothing may be varied");
    wrong(&vary, "nothing is asked for");
    wrong(&[&vary[..], &["--minimise", "lenght"]].concat(), "lenght");
    wrong(&[&vary[..], &["--pass", "hose=1,2,3"]].concat(), "no cable is called \"hose\"");
    wrong(&[&vary[..], &["--so-that", "sag"]].concat(), "expected QUANTITY>=VALUE");
    wrong(&["--vary", "cable.length=100 mm..200 mm", "--minimise", "energy"], "nowhere in the ranges");
    let folder = Folder::new();
    let file = folder.write("d.toml", "version = 1\nscene = \"no.toml\"\nminimize = \"sag\"\n");
    flexline(&["design", &file]).refused(3).complains(&["minimize"]);
}
