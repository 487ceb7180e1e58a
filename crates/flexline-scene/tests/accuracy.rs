//! Elements chosen for an accuracy: the estimate against the distance from a fine rod.

use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::statics::{Workspace, solve};
use flexline::solver::{State, Status};
use flexline_scene::model::RodModel;
use flexline_scene::{Chosen, Compiled, Scene};

fn load(name: &str, model: RodModel) -> Scene {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut scene = Scene::load(path).unwrap_or_else(|e| panic!("{e}"));
    scene.cable.model = model;
    scene
}

fn solved(compiled: &Compiled, mut state: State) -> State {
    let mut workspace = Workspace::new(&compiled.problem);
    let report = solve(&compiled.problem, &mut state, &mut workspace, &compiled.settings()).unwrap();
    assert_eq!(report.status, Status::Converged);
    state
}

fn centreline(compiled: &Compiled, state: &State) -> Vec<Vec3> {
    let at =
        |k: u32| compiled.problem.rod.station(&state.rod, compiled.length * f64::from(k) / 200.0).position;
    (0..=200).map(at).collect()
}

/// The largest distance from a fine rod that begins in the same shape, m.
fn off(name: &str, compiled: &Compiled, state: &State) -> f64 {
    let mut scene = load(name, RodModel::Clothoid);
    scene.cable.resolution = 300;
    let fine = scene.compile().unwrap();
    let shape = |s: f64| compiled.problem.rod.station(&state.rod, s);
    let from = State { rod: fine.problem.rod.state_from(&shape), ..state.clone() };
    let exact = solved(&fine, from);
    let pairs = centreline(compiled, state).into_iter().zip(centreline(&fine, &exact));
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// What is chosen for a share of the length, its elements, and how far it is off, m.
fn chosen(name: &str, model: RodModel, share: f64) -> (Chosen, usize, f64) {
    let mut scene = load(name, model);
    scene.cable.accuracy = Some(share * scene.cable.length);
    let compiled = scene.compile().unwrap_or_else(|e| panic!("{e}"));
    let state = solved(&compiled, compiled.initial_state());
    let off = off(name, &compiled, &state);
    (compiled.chosen.clone().expect("an accuracy was asked for"), compiled.problem.rod.pieces().0, off)
}

#[test]
fn the_estimate_bounds_the_error() {
    for name in
        ["curly-rod", "cantilever", "brake-hose", "hanging-wire", "twisted-cable", "coolant-hose", "swing"]
    {
        for model in [RodModel::Clothoid, RodModel::Helix] {
            let mut before = 0;
            for share in [1e-2, 1e-3] {
                let (own, elements, off) = chosen(name, model, share);
                let place = format!("{name}, {model:?}, {share}: {elements} elements");
                assert!(own.met, "{place}: {own:?}");
                let error = own.error.unwrap();
                assert!(error <= own.accuracy, "{place}: {error}");
                // A straight rod is exact but for round-off.
                assert!(off <= error + 1e-12, "{place}: off by {off}, estimated {error}");
                assert!(elements >= before, "{place}");
                before = elements;
            }
        }
    }
}

#[test]
fn the_estimate_is_no_wild_guess() {
    // Within three orders of magnitude of the truth: where a rod is twisted by many turns, errors in turn cancel.
    for name in ["curly-rod", "brake-hose", "twisted-cable"] {
        let (own, elements, off) = chosen(name, RodModel::Clothoid, 1e-4);
        assert!(
            own.met && off > 1e-3 * own.error.unwrap(),
            "{name}: {elements} elements, {off} of {:?}",
            own.error
        );
    }
}

#[test]
fn what_cannot_be_met_is_told() {
    let (own, elements, _) = chosen("curly-rod", RodModel::Clothoid, 1e-13);
    assert!(!own.met && elements > 100, "{elements}");
    assert!(own.error.is_some_and(|e| e > own.accuracy && e < 1e-5), "{own:?}");
}

const CURL: &str = r#"
version = 1
[cable]
length = "1 m"
model = "clothoid"
accuracy = "0.1 %"
measured = { bend = "1e-3 N m^2", twist = "8e-4 N m^2", mass_per_length = "12 g/m", diameter = "5 mm" }
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "free"
"#;

#[test]
fn the_key_is_read_and_checked() {
    let scene = Scene::parse(CURL, "curl.toml").unwrap();
    assert_eq!(scene.cable.accuracy, Some(1e-3));
    let cases = [
        ("\"0.1 %\"", "\"0 mm\"", "`cable.accuracy` = 0 mm is out of range"),
        ("\"0.1 %\"", "\"2 m\"", "at most the length of the cable, 1000 mm"),
        ("\"0.1 %\"", "\"2 N\"", "is a force, not a length"),
        ("\"0.1 %\"", "\"0.1 %\"\nelements = 4", "`cable.elements` means nothing beside `accuracy`"),
        ("\"clothoid\"", "\"mixed\"", "is for models with elements"),
    ];
    for (from, to, expected) in cases {
        let error = Scene::parse(&CURL.replacen(from, to, 1), "curl.toml").unwrap_err().to_string();
        assert!(error.contains(expected), "{to}\n{error}");
    }
}
