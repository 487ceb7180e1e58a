//! A part of the reference set at small resolutions, and what happens to wrong references.

use flexline_validation::{CaseResult, CaseStatus, LoadError, Options, Summary, embedded, load, run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn reference(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("reference").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A folder with one file.
fn folder(name: &str, text: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("cases.json"), text).unwrap();
    dir
}

fn run_file(name: &str, value: &Value, filter: &str) -> Summary {
    run_file_with(&["mixed"], name, value, filter)
}

fn run_file_with(models: &[&str], name: &str, value: &Value, filter: &str) -> Summary {
    let set = load(&folder(name, &value.to_string())).unwrap();
    let options = Options {
        models: models.iter().map(ToString::to_string).collect(),
        filter: Some(filter.into()),
        resolutions: vec![25, 50, 100],
        ..Options::default()
    };
    run(&set, &options, &|_, _, _| {})
}

fn only(summary: &Summary) -> &CaseResult {
    assert_eq!(summary.cases.len(), 1);
    &summary.cases[0]
}

#[test]
fn the_quick_part_of_the_set_passes() {
    let calls = AtomicUsize::new(0);
    let options = Options { quick: true, ..Options::default() };
    let summary = run(&embedded(), &options, &|done, total, _| {
        assert!(done <= total);
        calls.fetch_add(1, Ordering::Relaxed);
    });
    let missed: Vec<String> = summary
        .cases
        .iter()
        .filter(|c| c.status == CaseStatus::Miss)
        .map(|c| format!("{} {}: {}", c.group, c.id, c.why))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert_eq!(calls.load(Ordering::Relaxed), summary.cases.len());
    for group in ["01_", "02_", "03_", "04_", "05_", "06_", "07_", "08_", "11a_", "11d_", "11e_", "11l_"] {
        let ran = summary.cases.iter().filter(|c| c.group.starts_with(group));
        assert!(ran.clone().count() > 0 && ran.clone().all(|c| c.status == CaseStatus::Pass), "{group}");
    }
    for case in summary.cases.iter().filter(|c| c.status == CaseStatus::Unsupported) {
        assert!(case.why.contains("not built yet"), "{}: {}", case.id, case.why);
    }
}

#[test]
fn a_wrong_shape_misses() {
    let mut value = reference("01_tip_load.json");
    assert_eq!(only(&run_file("shape", &value, "tip_load_05")).status, CaseStatus::Pass);
    let z = &mut value["cases"][4]["samples"]["z"][20];
    *z = json!(z.as_f64().unwrap() * 1.002);
    let summary = run_file("shape", &value, "tip_load_05");
    let case = only(&summary);
    assert_eq!(case.status, CaseStatus::Miss);
    assert_eq!(case.quantity.as_deref(), Some("centreline"));
    assert_eq!((summary.passed, summary.missed, summary.unsupported), (0, 1, 0));
}

#[test]
fn wrong_friction_of_rigid_bodies_misses() {
    let passes = |value: &Value, id: &str| {
        let summary = run_file("rigid", value, id);
        let case = only(&summary);
        assert_eq!(case.model, "rigid");
        case.status == CaseStatus::Pass
    };
    let value = reference("11l_contact_dynamics.json");
    for (list, id) in [
        ("incline", "incline_4"),
        ("belt", "belt_1"),
        ("disc", "disc_4"),
        ("drop", "drop_1"),
        ("rod_impact", "rod_impact_5"),
    ] {
        assert!(passes(&value, id), "{id}");
        let mut wrong = value.clone();
        let case = wrong[list].as_array_mut().unwrap().iter_mut().find(|c| c["id"] == id).unwrap();
        let friction = &mut case["params"]["friction"];
        *friction = json!(friction.as_f64().unwrap() * 1.003);
        assert!(!passes(&wrong, id), "{id}");
    }
    // A paradox that is none, and a solution too many.
    let mut wrong = value.clone();
    wrong["painleve"][0]["params"]["friction"] = json!(1.2);
    assert!(passes(&value, "painleve_1") && !passes(&wrong, "painleve_1"));
    let mut wrong = value.clone();
    wrong["painleve"][2]["results"]["number_of_solutions"] = json!(1);
    assert!(passes(&value, "painleve_3") && !passes(&wrong, "painleve_3"));
}

/// A case of contact whose obstacle is not where it was misses, whatever the model.
#[test]
fn wrong_contact_misses() {
    let run_file = |model: &str, value: &Value, id: &str, most: usize| {
        let set = load(&folder(&format!("contact_{model}"), &value.to_string())).unwrap();
        let options = Options {
            models: vec![model.into()],
            filter: Some(id.into()),
            resolutions: vec![most / 8, most / 4, most / 2, most],
            ..Options::default()
        };
        only(&run(&set, &options, &|_, _, _| {})).clone()
    };
    for (model, file, list, id, place, key, most) in [
        ("mixed", "11a_cantilever_floor.json", "cases", "floor_03_tip", 2, "clamp_height", 200),
        ("clothoid", "11a_cantilever_floor.json", "cases", "floor_05_tip", 4, "clamp_height", 32),
        ("mixed", "11c_walls.json", "cases", "walls_pinned_0.06_point", 2, "half_gap", 200),
        ("helix", "11e_edge.json", "cases", "edge_03", 2, "L", 100),
        ("mixed", "11b_liftoff.json", "dragged", "lift_10_dragged_pinned", 0, "friction", 200),
    ] {
        let mut value = reference(file);
        let right = run_file(model, &value, id, most);
        assert_eq!(right.status, CaseStatus::Pass, "{model} {id}: {}", right.why);
        let number = &mut value[list][place]["params"][key];
        *number = json!(number.as_f64().unwrap() * 1.003);
        assert_eq!(run_file(model, &value, id, most).status, CaseStatus::Miss, "{model} {id}");
    }
}

#[test]
fn a_wrong_threshold_misses() {
    let mut value = reference("05_buckling.json");
    assert_eq!(only(&run_file("threshold", &value, "euler_3")).status, CaseStatus::Pass);
    let load = &mut value["euler"][2]["P_critical"];
    *load = json!(load.as_f64().unwrap() * 1.003);
    let summary = run_file("threshold", &value, "euler_3");
    assert_eq!(only(&summary).status, CaseStatus::Miss);
    assert!(only(&summary).why.starts_with("critical load: "), "{}", only(&summary).why);
}

#[test]
fn a_wrong_twist_class_misses() {
    let mut value = reference("04_clamped_clamped.json");
    let turns = &mut value["cases"][0]["results"]["total_twist_turns"];
    *turns = json!(turns.as_f64().unwrap() + 1.0);
    let summary = run_file("twist", &value, "clamped_01");
    assert_eq!(only(&summary).quantity.as_deref(), Some("total twist"));
    assert_eq!(only(&summary).status, CaseStatus::Miss);
}

#[test]
fn a_wrong_frequency_misses() {
    let mut value = reference("08_dynamics.json");
    assert_eq!(only(&run_file("frequency", &value, "hanging_chain")).status, CaseStatus::Pass);
    let omega = &mut value["hanging_chain_frequencies"]["results"]["omega_rad_s"][1];
    *omega = json!(omega.as_f64().unwrap() * 1.003);
    let summary = run_file("frequency", &value, "hanging_chain");
    assert_eq!(only(&summary).status, CaseStatus::Miss);
    assert_eq!(only(&summary).quantity.as_deref(), Some("frequencies"));
}

#[test]
fn a_wrong_motion_misses() {
    let mut value = reference("08_dynamics.json");
    assert_eq!(only(&run_file("motion", &value, "pendulum_2")).status, CaseStatus::Pass);
    let x = &mut value["rigid_pendulum"][1]["samples"]["tip_x"][60];
    *x = json!(x.as_f64().unwrap() + 0.003);
    let summary = run_file("motion", &value, "pendulum_2");
    assert_eq!(only(&summary).status, CaseStatus::Miss);
    assert_eq!(only(&summary).quantity.as_deref(), Some("trajectory"));
    value["swing"][0]["params"]["kind"] = json!("thrown");
    let summary = run_file("motion", &value, "swing_1");
    assert_eq!(only(&summary).status, CaseStatus::Unsupported);
    assert!(only(&summary).why.contains("thrown"));
}

#[test]
fn a_wrong_clothoid_misses() {
    let mut value = reference("07_space_clothoids.json");
    let summary = run_file_with(&["mixed", "helix", "clothoid"], "clothoid", &value, "clothoid_16");
    assert_eq!((only(&summary).status, only(&summary).model.as_str()), (CaseStatus::Pass, "clothoid"));
    let entry = &mut value["cases"][15]["results"]["R"][1][2];
    *entry = json!(entry.as_f64().unwrap() + 1e-10);
    let summary = run_file_with(&["mixed", "helix", "clothoid"], "clothoid", &value, "clothoid_16");
    assert_eq!(only(&summary).status, CaseStatus::Miss);
    assert_eq!(only(&summary).quantity.as_deref(), Some("frame"));
    // Without slope both models are exact.
    let summary = run_file_with(&["mixed", "helix", "clothoid"], "clothoid", &value, "clothoid_17");
    let models: Vec<_> = summary.cases.iter().map(|c| (c.model.as_str(), c.status)).collect();
    assert_eq!(models, [("helix", CaseStatus::Pass), ("clothoid", CaseStatus::Pass)]);
    value["cases"][15]["results"]["R"] = json!([[1, 0, 0], [0, 1, 0]]);
    let error = load(&folder("clothoid", &value.to_string())).err().unwrap().to_string();
    assert!(error.contains("cases[15].results.R") && error.contains("expected three rows"), "{error}");
}

#[test]
fn kinematics_are_good_to_1e_13_whatever_the_turning() {
    let options = Options { filter: Some("space_clothoids".into()), ..Options::default() };
    let summary = run(&embedded(), &options, &|_, _, _| {});
    assert_eq!((summary.passed, summary.missed, summary.unsupported), (22, 0, 0));
    for case in &summary.cases {
        for quantity in case.attempts[0].outcome.as_ref().unwrap() {
            // The tolerance grows with the turning; the elements need none of that.
            assert!(quantity.error < 1e-13, "{} {}: {quantity:?}", case.id, case.model);
        }
    }
}

#[test]
fn swings_converge_at_second_order() {
    let options = Options {
        models: vec!["mixed".into()],
        filter: Some("swing_3".into()),
        resolutions: vec![25, 50],
        ..Options::default()
    };
    let summary = run(&embedded(), &options, &|_, _, _| {});
    let [coarse, fine] = &only(&summary).attempts[..] else { panic!("two resolutions") };
    let (coarse, fine) = (coarse.outcome.as_ref().unwrap(), fine.outcome.as_ref().unwrap());
    let names: Vec<_> = fine.iter().map(|q| q.name).collect();
    assert_eq!(names, ["trajectory", "centreline", "tip angle", "energy"]);
    for (a, b) in coarse.iter().zip(fine) {
        let order = (a.error / b.error).log2();
        assert!((order - 2.0).abs() < 0.3, "{}: {order}", a.name);
    }
}

#[test]
fn the_angle_of_a_released_rod_is_held_to_its_tolerance() {
    let options = Options {
        models: vec!["mixed".into()],
        filter: Some("swing_2".into()),
        resolutions: vec![13, 26],
        ..Options::default()
    };
    let summary = run(&embedded(), &options, &|_, _, _| {});
    let case = only(&summary);
    assert_eq!(case.status, CaseStatus::Miss);
    let fine = case.attempts[1].outcome.as_ref().unwrap();
    assert!(fine.iter().any(|q| q.name == "tip angle" && q.error > q.tolerance), "{fine:?}");
}

#[test]
fn unknown_fields_do_not_matter_and_unknown_ends_are_told() {
    let mut value = reference("05_buckling.json");
    value["remark"] = json!({"by": "nobody"});
    value["euler"][0]["colour"] = json!("red");
    assert_eq!(only(&run_file("unknown", &value, "euler_1")).status, CaseStatus::Pass);
    value["euler"][0]["end_conditions"] = json!("welded-free");
    let summary = run_file("unknown", &value, "euler_1");
    assert_eq!(only(&summary).status, CaseStatus::Unsupported);
    assert!(only(&summary).why.contains("welded-free"));
}

#[test]
fn folders_that_cannot_be_read_are_told() {
    let missing = load(Path::new("no/such/folder")).err().unwrap();
    assert!(
        matches!(missing, LoadError::Unreadable { .. }) && missing.to_string().contains("no/such/folder")
    );
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    assert!(matches!(load(&empty), Err(LoadError::Empty { .. })));
    let broken = load(&folder("broken", "{\"test\": \"01_tip_load\",\n \"cases\": [}")).err().unwrap();
    assert!(
        broken.to_string().contains("cases.json: not JSON") && broken.to_string().contains("line 2"),
        "{broken}"
    );
    let wrong = json!({"test": "06_catenary", "catenary": [{"params": {"L": "long"}, "results": {}}]});
    let error = load(&folder("wrong", &wrong.to_string())).err().unwrap().to_string();
    assert_eq!(error, "cases.json: catenary[0].params.L is \"long\": expected a finite number");
}

#[test]
fn the_folder_and_the_embedded_set_are_the_same() {
    let folder = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("reference")).unwrap();
    let names = |set: &flexline_validation::ReferenceSet| -> Vec<String> {
        set.cases.iter().map(|c| format!("{}/{}", c.group, c.id)).collect()
    };
    assert_eq!(names(&folder), names(&embedded()));
}
