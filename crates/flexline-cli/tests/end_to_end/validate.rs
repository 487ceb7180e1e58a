//! `flexline validate`, on the built-in cases at small resolutions.

use crate::support::{Folder, flexline, number};

#[test]
fn every_case_that_can_run_passes() {
    let outcome = flexline(&["validate", "--quick"]).good();
    let last = outcome.stdout.lines().last().expect("a line");
    assert!(last.contains(" passed, 0 missed, "), "{last}");
}

#[test]
fn the_nodal_rod_passes_too() {
    let json = flexline(&["validate", "--quick", "--model", "nodal", "--json"]).good().json();
    let ran = json["cases"].as_array().expect("a list").iter().filter(|c| c["status"] == "pass");
    // Rigid bodies are run whatever rod is asked for.
    assert!(ran.clone().all(|c| c["model"] == "nodal" || c["model"] == "rigid"), "{json}");
    assert!(ran.filter(|c| c["model"] == "nodal").count() >= 30, "{json}");
    assert_eq!(json["missed"], 0);
}

#[test]
fn json_has_the_documented_schema() {
    let json = flexline(&["validate", "--quick", "--json"]).good().json();
    let cases = json["cases"].as_array().expect("a list");
    let mut counts = [0, 0];
    for case in cases {
        for key in ["id", "group", "model", "n", "error", "tolerance", "order", "status", "why"] {
            assert!(case.get(key).is_some(), "no {key} in {case}");
        }
        match case["status"].as_str() {
            Some("pass") => {
                counts[0] += 1;
                assert!(number(&case["error"]) <= number(&case["tolerance"]), "{case}");
            }
            Some("unsupported") => {
                counts[1] += 1;
                assert!(case["why"].as_str().is_some_and(|why| !why.is_empty()), "{case}");
            }
            status => panic!("{status:?} in {case}"),
        }
    }
    assert_eq!(json["passed"], counts[0]);
    assert_eq!(json["missed"], 0);
    assert_eq!(json["unsupported"], counts[1]);
    assert!(counts[0] >= 30, "{counts:?}");
}

#[test]
fn what_is_no_set_of_cases_is_refused() {
    let folder = Folder::new();
    let missing = folder.file("none");
    flexline(&["validate", "--cases", &missing]).refused(3).complains(&["none"]);
}
