//! Every scene of one cable of the repository is read, compiled, solved and judged.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::network::NetworkReport;
use flexline::solver::{Axes, Problem, State, Status};
use flexline_scene::check::{self, Finding, Rule, Verdict};
use flexline_scene::{Compiled, Scene, Solution};
use std::path::PathBuf;

fn scenes() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    files.retain(|p| Scene::load(p).unwrap_or_else(|e| panic!("{e}")).is_single());
    assert!(files.len() >= 10, "{files:?}");
    files
}

fn solved(compiled: &Compiled) -> Solution {
    compiled.solve(&compiled.settings()).unwrap()
}

fn judged(name: &str, edit: impl Fn(&mut Scene)) -> Vec<Finding> {
    let mut scene = Scene::load(format!("{}/../../scenes/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    edit(&mut scene);
    let compiled = scene.compile().unwrap();
    let found = compiled.check(&solved(&compiled));
    found.whole.into_iter().chain(found.cables.into_iter().flatten()).collect()
}

#[test]
fn every_scene_has_a_title_and_solves() {
    for path in scenes() {
        let scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert!(scene.title.is_some(), "{}", path.display());
        let solution = solved(&scene.compile().unwrap());
        assert_eq!(solution.report.status, Status::Converged, "{}", path.display());
    }
}

/// Weight, loads and what the supports exert: their sum, and the largest of them.
fn unbalanced(problem: &Problem, state: &State, report: &NetworkReport) -> (Vec3, f64) {
    let mut forces: Vec<Vec3> = report.reactions.iter().map(|w| w.force).collect();
    forces.push(problem.gravity * problem.rod.total_mass());
    // What turns with the rod acts by the two frames beside it.
    let in_world = |force: Vec3, axes: Axes, s: f64| match axes {
        Axes::World => force,
        Axes::Material => {
            let rod = problem.rod.as_mixed().expect("no shipped scene of another model has follower loads");
            let (a, b, share) = rod.weights(s).frames;
            let turned = |j: usize| rotation::rotate(&rod.frame(&state.rod, j), &force);
            turned(a).lerp(&turned(b), share)
        }
    };
    forces.extend(problem.point_loads.iter().map(|l| in_world(l.force, l.axes, l.s)));
    for load in &problem.distributed_loads {
        // One that turns with the rod would have to be integrated along it.
        assert_eq!(load.axes, Axes::World);
        forces.push((load.force[0] + load.force[1]) * (0.5 * (load.to - load.from)));
    }
    (forces.iter().sum(), forces.iter().map(|f| f.norm()).fold(0.0, f64::max))
}

#[test]
fn every_scene_is_closed_and_balanced() {
    for path in scenes() {
        let compiled = Scene::load(&path).unwrap().compile().unwrap();
        let Solution { state, report, .. } = solved(&compiled);
        let name = path.display();
        assert!(report.violation < 1e-9, "{name}: {}", report.violation);
        let (total, largest) = match compiled.network.as_cable() {
            Some(problem) => unbalanced(&problem, &state.spans[0], &report),
            // One that touches something: its weight, what holds it, and what presses.
            None => {
                let weight = compiled.network.gravity * compiled.network.spans[0].rod.total_mass();
                let held: Vec3 = report.reactions.iter().map(|w| w.force).sum();
                let pressed: Vec3 = report.contacts.iter().map(|contact| contact.force).sum();
                (weight + held + pressed, weight.norm())
            }
        };
        // Where nothing pulls from outside, the forces within are the measure.
        let measure = if largest < 1e-9 * report.largest_force { report.largest_force } else { largest };
        assert!(total.norm() < 1e-6 * measure, "{name}: {total} of {measure}");
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
    let findings = judged("battery-cable.toml", |scene| scene.ends.as_mut().unwrap()[1].position.x = 0.080);
    assert!(check::overall(&findings) < Verdict::Fail, "{findings:?}");
}

#[test]
fn the_buckled_strip_leaves_its_straight_shape() {
    let scene =
        Scene::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/buckling-strut.toml")).unwrap();
    let solution = solved(&scene.compile().unwrap());
    let height = solution.profiles[0].samples.iter().map(|s| s.position.z.abs()).fold(0.0, f64::max);
    assert!(height > 0.02, "{height}");
}

#[test]
fn the_weight_of_the_hair_opens_its_upper_turns() {
    // Axial pitch angle of the helix: the tangent points down more where the hair is pulled open.
    let scene = Scene::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/hair.toml")).unwrap();
    let solution = solved(&scene.compile().unwrap());
    let drop = |from: f64, to: f64| {
        let at = |share: f64| solution.profiles[0].samples[(share * 250.0) as usize].position.z;
        at(from) - at(to)
    };
    let (upper, lower) = (drop(0.0, 0.4), drop(0.6, 1.0));
    assert!(upper > 1.1 * lower, "upper {upper}, lower {lower}");
}
