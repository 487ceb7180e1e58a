//! Whatever is solved ends when its budget is spent: with a status that says so, in its last good state, and without
//! verdicts that were not finished.

use crate::common::texts::scene;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{NetworkState, NetworkWorkspace, solve_network};
use flexline::solver::statics::{Scratch, Settings, equilibrium};
use flexline::solver::{Budget, Cancel, Status};
use flexline_scene::Scene;
use std::time::Duration;

/// Budgets that are spent before anything begins, and how solves end in them.
fn spent() -> [(Budget, Status); 2] {
    let cancel = Cancel::default();
    cancel.cancel();
    [(Budget::lasting(Duration::ZERO), Status::OutOfTime), (Budget::until(&cancel), Status::Cancelled)]
}

/// Scenes of one cable that take the solvers' different ways.
fn cables() -> Vec<String> {
    let hose = scene("brake-hose");
    let plain = hose.replace("segments = 100\n", "");
    let other = |model: &str| plain.replace("use = ", &format!("model = \"{model}\"\nuse = "));
    let mut all: Vec<String> = ["helix", "clothoid", "spline", "nodal"].map(other).into();
    all.extend(
        ["method = \"integral-forces\"", "seek_stable = true", "iterations = 1000000"]
            .map(|line| format!("{hose}\n[solve]\n{line}\n")),
    );
    all.push(hose);
    all.push(scene("ring"));
    all
}

fn harness(name: &str) -> Scene {
    Scene::parse(&scene(name), name).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A cable alone had no limit at all.
#[test]
fn one_cable_ends_in_its_last_good_state() {
    let mut stopped = 0;
    for text in cables() {
        let compiled = Scene::parse(&text, "cable").unwrap_or_else(|e| panic!("{e}")).compile().unwrap();
        let (network, settings) = (&compiled.network, compiled.settings());
        for (budget, status) in spent() {
            let mut state = compiled.initial_state();
            let before = state.clone();
            let mut scratch = Scratch::new(network);
            let report = budget.around(|| equilibrium(network, &mut state, &mut scratch, &settings)).unwrap();
            // Small moves are made without a look at the clock: a few steps, which may be all it takes.
            if network.spans[0].rod.as_mixed().is_none() && report.status == Status::Converged {
                continue;
            }
            assert_eq!((report.status, report.rest.stability), (status, None), "{text}");
            let [own, was] = [&state, &before].map(|state| &state.spans[0]);
            assert!(own.rod.coordinates == was.rod.coordinates && own.ends == was.ends, "{text}");
            stopped += 1;
            // The same scratch solves it when there is time.
            let report = equilibrium(network, &mut state, &mut scratch, &settings).unwrap();
            assert_eq!(report.status, Status::Converged, "{text}");
            // In equilibrium nothing is left to do but the verdict, which is left out.
            let report = budget.around(|| equilibrium(network, &mut state, &mut scratch, &settings)).unwrap();
            assert_eq!((report.status, report.rest.stability), (Status::Converged, None), "{text}");
        }
    }
    assert!(stopped >= 16, "{stopped}");
}

/// Elements for an accuracy are chosen by solving, and that while a scene is compiled.
#[test]
fn elements_are_chosen_in_time() {
    let hose =
        scene("brake-hose").replace("segments = 100\n", "model = \"clothoid\"\naccuracy = \"0.01 mm\"\n");
    let scene = Scene::parse(&hose, "hose").unwrap_or_else(|e| panic!("{e}"));
    for (budget, _) in spent() {
        let chosen = budget.around(|| scene.compile()).unwrap().chosen[0].clone().expect("elements");
        assert!(!chosen.met && chosen.error.is_none());
    }
    assert!(scene.compile().unwrap().chosen[0].as_ref().expect("elements").met);
}

#[test]
fn harnesses_end_too() {
    for name in ["door-harness", "pulley", "slip-knot", "control-unit", "routed-hose", "clips"] {
        let compiled = harness(name).compile().unwrap();
        for (budget, status) in spent() {
            let solution = budget.around(|| compiled.solve(&compiled.settings())).unwrap();
            assert_eq!(solution.report.status, status, "{name}");
            assert!(solution.report.short.is_empty() && solution.report.conflicts.is_empty(), "{name}");
        }
    }
}

/// What cannot reach across a fork that is free to move is found out by many solves: half of them say nothing.
#[test]
fn nothing_is_called_too_short_in_haste() {
    let compiled = harness("y-branch").compile().unwrap();
    let mut network = compiled.network.clone();
    let port = network.anchors.iter().position(|a| a.held == [true; 3]).unwrap();
    network.anchors[port].pose.position.x += 10.0;
    let mut state = NetworkState::initial(&compiled.network);
    let mut workspace = NetworkWorkspace::new(&network);
    for (budget, status) in spent() {
        let report = budget
            .around(|| solve_network(&network, &mut state, &mut workspace, &Settings::default()))
            .unwrap();
        assert_eq!(report.status, status);
        assert!(report.short.is_empty() && report.conflicts.is_empty());
    }
}

#[test]
fn motion_stays_where_it_was() {
    let compiled = harness("control-unit").compile().unwrap();
    let solution = compiled.solve(&compiled.settings()).unwrap();
    let mut network = compiled.network.clone();
    network.gravity *= 0.5;
    let mut motion = Motion::at_rest(&network, solution.state);
    let mut workspace = NetworkWorkspace::new(&network);
    let settings = MotionSettings::new(0.01, Integrator::Bdf2);
    let mut step = |motion: &mut Motion| {
        motion.step_in_parts(&network, &mut workspace, &settings, &Settings::interactive(), 8).unwrap().status
    };
    for (budget, status) in spent() {
        let before = motion.state.clone();
        assert_eq!(budget.around(|| step(&mut motion)), status);
        assert_eq!((&motion.state, motion.time), (&before, 0.0));
    }
    assert_eq!(step(&mut motion), Status::Converged);
}
