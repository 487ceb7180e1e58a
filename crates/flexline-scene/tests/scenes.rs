//! Every scene of one cable of the repository is read, compiled, solved and judged.

use flexline::solver::statics;
use flexline::solver::{Profile, Report, Status};
use flexline_scene::check::{self, Finding, Rule, Verdict};
use flexline_scene::{AnyScene, Compiled, Scene};
use std::path::PathBuf;

fn scenes() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    files.retain(|p| matches!(AnyScene::load(p).unwrap_or_else(|e| panic!("{e}")), AnyScene::Cable(_)));
    assert!(files.len() >= 10, "{files:?}");
    files
}

fn solved(compiled: &Compiled) -> (Profile, Report) {
    let (state, report) = statics::solve_from_scratch(&compiled.problem, &compiled.settings()).unwrap();
    (statics::profile(&compiled.problem, &state), report)
}

fn judged(name: &str, edit: impl Fn(&mut Scene)) -> Vec<Finding> {
    let mut scene = Scene::load(format!("{}/../../scenes/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    edit(&mut scene);
    let compiled = scene.compile().unwrap();
    let (profile, report) = solved(&compiled);
    check::check(&compiled, &profile, &report)
}

#[test]
fn every_scene_has_a_title_and_solves() {
    for path in scenes() {
        let scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert!(scene.title.is_some(), "{}", path.display());
        let (_, report) = solved(&scene.compile().unwrap());
        assert_eq!(report.status, Status::Converged, "{}", path.display());
    }
}

#[test]
fn only_the_battery_cable_breaks_a_limit() {
    for path in scenes() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let failed: Vec<Rule> =
            judged(&name, |_| {}).iter().filter(|f| f.verdict == Verdict::Fail).map(|f| f.rule).collect();
        let expected = if name == "battery-cable.toml" { vec![Rule::BendRadius] } else { vec![] };
        assert_eq!(failed, expected, "{name}");
    }
}

#[test]
fn the_battery_cable_passes_as_its_comment_says() {
    let findings = judged("battery-cable.toml", |scene| scene.ends[1].position.x = 0.080);
    assert!(check::overall(&findings) < Verdict::Fail, "{findings:?}");
}

#[test]
fn the_buckled_strip_leaves_its_straight_shape() {
    let scene =
        Scene::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/buckling-strut.toml")).unwrap();
    let (profile, _) = solved(&scene.compile().unwrap());
    let height = profile.samples.iter().map(|s| s.position.z.abs()).fold(0.0, f64::max);
    assert!(height > 0.02, "{height}");
}

#[test]
fn the_weight_of_the_hair_opens_its_upper_turns() {
    // Axial pitch angle of the helix: the tangent points down more where the hair is pulled open.
    let scene = Scene::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/hair.toml")).unwrap();
    let (profile, _) = solved(&scene.compile().unwrap());
    let drop = |from: f64, to: f64| {
        let at = |share: f64| profile.samples[(share * 250.0) as usize].position.z;
        at(from) - at(to)
    };
    let (upper, lower) = (drop(0.0, 0.4), drop(0.6, 1.0));
    assert!(upper > 1.1 * lower, "upper {upper}, lower {lower}");
}
