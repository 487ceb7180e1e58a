//! Ropes that slide, in motion: their own inertia, that of weights and beads on them, friction.

use crate::common::ropes::{G, at, at_rest, equilibrium, gravity, rod, rope, weight, wheel};
use crate::tolerance::{convergence, order, round_off};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{Anchor, Attachment, Network, NetworkWorkspace, Slide, Span};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::f64::consts::PI;

/// Bending stiffness of a limp rope, N m².
const LIMP: f64 = 1e-6;

fn settings(step: f64, integrator: Integrator) -> MotionSettings {
    MotionSettings::new(step, integrator)
}

/// Two weights on a rope through an eye, hanging straight down, the second held. Elements cannot bend as sharply as a
/// limp rope does in an eye: there they have a hinge.
fn atwood(models: [&str; 2], masses: [f64; 2], mass_per_length: f64, lengths: [f64; 2], n: usize) -> Network {
    let hinged = models.iter().any(|model| *model != "mixed");
    let through = if hinged { Attachment::pinned(1) } else { Attachment::clamped(1) };
    let rope = |side: usize| rope(models[side], lengths[side], LIMP, mass_per_length, n);
    Network {
        anchors: vec![
            weight(-1e-4, -lengths[0], masses[0]),
            Anchor { held_orientation: hinged, ..Anchor::fixed(at(0.0, 0.0)) },
            Anchor { held: [true; 3], ..weight(1e-4, -lengths[1], masses[1]) },
        ],
        spans: vec![
            Span::new(rope(0), Attachment::pinned(0), Some(through)),
            Span::new(rope(1), through, Some(Attachment::pinned(2))),
        ],
        slides: vec![Slide::through(0, 1, 0.0)],
        gravity: gravity(),
        ..Network::default()
    }
}

/// Lets the second weight go and follows the first for `steps`.
fn fall(network: &mut Network, settings: &MotionSettings, steps: usize) -> (Motion, f64) {
    let state = equilibrium(network);
    network.anchors[2].held = [false; 3];
    let mut ws = NetworkWorkspace::new(network);
    let start = state.anchors[0].position.z;
    let mut motion = Motion::at_rest(network, state);
    for k in 0..steps {
        let report = motion.step(network, &mut ws, settings, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged, "step {k}: {report:?}");
    }
    let fallen = start - motion.state.anchors[0].position.z;
    (motion, fallen)
}

/// Ropes of one model, and of two.
const PAIRS: [[&str; 2]; 6] = [
    ["mixed"; 2],
    ["clothoid"; 2],
    ["helix"; 2],
    ["spline"; 2],
    ["mixed", "clothoid"],
    ["clothoid", "helix"],
];

#[test]
fn weights_on_a_light_rope_fall_by_atwood() {
    let masses = [0.6, 0.4];
    for models in PAIRS {
        let mut network = atwood(models, masses, 1e-5, [1.0, 1.5], 10);
        let h = 0.005;
        let (motion, fallen) = fall(&mut network, &settings(h, Integrator::Bdf2), 60);
        let t = 60.0 * h;
        let expected = 0.5 * G * (masses[0] - masses[1]) / (masses[0] + masses[1]) * t * t;
        // The rope itself, a millionth of the weights, and the first step of implicit Euler.
        order(1e-3, 1.0).allows(fallen / expected - 1.0, || format!("{models:?}: {fallen} {expected}"));
        // What one side loses the other gains.
        round_off(1e-12, 1.0).allows(motion.state.lengths.iter().sum::<f64>() - 2.5, || {
            "(motion.state.lengths.iter().sum::<f64>() - 2.5).abs()".into()
        });
    }
}

#[test]
fn a_heavy_rope_runs_off_as_a_chain() {
    // Light weights keep it straight. M ẍ = g (2ρx + Δm): x grows as a hyperbolic cosine.
    let (rho, lengths, mass) = (0.5, [1.1, 1.0], 0.05);
    let total = rho * (lengths[0] + lengths[1]) + 2.0 * mass;
    let rate = (2.0 * rho * G / total).sqrt();
    let lead = 0.5 * (lengths[0] - lengths[1]);
    let t = 0.3;
    let expected = lead * ((rate * t).cosh() - 1.0);
    let error = |models: [&str; 2], h: f64, n: usize| {
        let mut network = atwood(models, [mass; 2], rho, lengths, n);
        let low = Integrator::GeneralisedAlpha { rho: 0.8 };
        let (motion, fallen) = fall(&mut network, &settings(h, low), (t / h).round() as usize);
        let energies = motion.energies(&network);
        // Kinetic energy of the fall, and of nothing else: ½ M v².
        let speed = lead * rate * (rate * t).sinh();
        order(1e-3, 1.0)
            .allows(energies.kinetic / (0.5 * total * speed * speed) - 1.0, || format!("{energies:?}"));
        (fallen / expected - 1.0).abs()
    };
    for models in PAIRS {
        let (coarse, fine) = (error(models, 0.01, 10), error(models, 0.0025, 40));
        // Of second order.
        assert!(coarse < 3e-4 && fine < 0.1 * coarse, "{models:?}: {coarse} {fine}");
    }
}

/// A stiff rope with a weight at either end, through an eye that turns with it: it bends there, slides and swings.
fn swung(models: [&str; 2], n: [usize; 2]) -> Network {
    let rope = |side: usize, length: f64| rod(models[side], length, 5e-3, 0.1, n[side]);
    // Out of the plane, lest it may buckle to either side.
    let mut heavy = weight(-0.3, -0.5, 0.3);
    heavy.pose.position.y = 0.1;
    Network {
        anchors: vec![
            heavy,
            Anchor { held_orientation: false, ..Anchor::fixed(at(0.0, 0.0)) },
            weight(0.4, -0.3, 0.1),
        ],
        spans: vec![
            Span::new(rope(0, 0.6), Attachment::pinned(0), Some(Attachment::clamped(1))),
            Span::new(rope(1, 0.52), Attachment::clamped(1), Some(Attachment::pinned(2))),
        ],
        slides: vec![Slide::through(0, 1, 0.0)],
        gravity: gravity(),
        ..Network::default()
    }
}

/// At rest in the equilibrium that it has with both weights held; these stay held if asked.
fn resting(network: &mut Network, held: bool) -> Motion {
    for k in [0, 2] {
        network.anchors[k].held = [true; 3];
    }
    let state = equilibrium(network);
    for k in [0, 2] {
        network.anchors[k].held = [held; 3];
    }
    Motion::at_rest(network, state)
}

#[test]
fn a_stiff_rope_of_any_model_runs_as_a_fine_chain() {
    let run = |models: [&str; 2], n: [usize; 2]| {
        let mut network = swung(models, n);
        let mut motion = resting(&mut network, false);
        let mut ws = NetworkWorkspace::new(&network);
        let (length, energy) = (motion.state.lengths[0], motion.energies(&network).total());
        for k in 0..50 {
            let by = settings(0.004, Integrator::Bdf2);
            let report = motion.step(&network, &mut ws, &by, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "{models:?} step {k}: {report:?}");
        }
        let energies = motion.energies(&network);
        // What BDF2 damps in fifty steps, and what looking up does.
        let lost = (energy - energies.total()) / energies.kinetic;
        assert!((0.0..5e-3).contains(&lost), "{models:?}: {lost}");
        (motion.state.lengths[0] - length, motion.state.anchors[0].position)
    };
    let (fine, weight) = run(["mixed"; 2], [160; 2]);
    assert!(fine > 0.08, "{fine} m have run through the eye");
    for (models, n) in [
        (["clothoid"; 2], [12; 2]),
        (["helix"; 2], [48; 2]),
        (["mixed", "clothoid"], [80, 12]),
        (["helix", "clothoid"], [48, 12]),
        (["spline"; 2], [24; 2]),
    ] {
        let (found, at) = run(models, n);
        order(1e-3, 1.0).allows(found / fine - 1.0, || format!("{models:?}: {found} {fine}"));
        order(2e-4, 1.0).allows((at - weight).norm(), || format!("{models:?}: {at} {weight}"));
    }
}

#[test]
fn a_rope_that_rests_in_an_eye_stays_at_rest() {
    for models in PAIRS {
        let mut network = swung(models, [12; 2]);
        let mut motion = resting(&mut network, true);
        let mut ws = NetworkWorkspace::new(&network);
        let start = motion.state.clone();
        for _ in 0..40 {
            let by = settings(0.005, Integrator::GeneralisedAlpha { rho: 0.9 });
            let report = motion.step(&network, &mut ws, &by, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "{models:?}: {report:?}");
        }
        let slid = (motion.state.lengths[0] - start.lengths[0]).abs();
        let kinetic = motion.energies(&network).kinetic;
        // What the equilibrium misses, within the tolerance of the solver.
        assert!(slid < 1e-8 && kinetic < 1e-12, "{models:?}: {slid:e} {kinetic:e}");
    }
}

#[test]
fn a_rope_that_goes_on_from_a_copy_runs_the_same_to_the_last_bit() {
    for model in ["mixed", "clothoid", "spline"] {
        let mut network = swung([model; 2], [12; 2]);
        let mut motion = resting(&mut network, false);
        let step = |motion: &mut Motion, ws: &mut NetworkWorkspace| {
            let by = settings(0.004, Integrator::Bdf2);
            motion.step(&network, ws, &by, &Settings::default()).unwrap();
        };
        let mut ws = NetworkWorkspace::new(&network);
        (0..5).for_each(|_| step(&mut motion, &mut ws));
        let mut copy = motion.clone();
        let mut fresh = NetworkWorkspace::new(&network);
        for _ in 0..5 {
            step(&mut motion, &mut ws);
            step(&mut copy, &mut fresh);
        }
        assert!(motion == copy, "{model}");
    }
}

/// A weight of 2 kg on a rope over a wheel. With segments far longer than the bend beside it, √(K/T) = 10 mm, how far rope lifts
/// off and the tension must not chase each other: the far end is led, and the books add up.
#[test]
fn a_weight_over_a_wheel_is_lifted_and_comes_to_rest() {
    let radius = 0.06;
    for (model, n) in [("mixed", 8), ("mixed", 30), ("clothoid", 30)] {
        let rope = |length: f64| rod(model, length, 2e-3, 0.012, n);
        let mut network = Network {
            anchors: vec![
                weight(-radius, -0.65, 2.0),
                Anchor::fixed(at(0.3, -0.8)),
                Anchor::fixed(at(0.0, 0.0)),
            ],
            spans: vec![
                Span::new(rope(0.7), Attachment::pinned(0), None),
                Span::new(rope(0.85), Attachment::pinned(0), Some(Attachment::pinned(1))),
            ],
            gravity: gravity(),
            ..Network::default()
        };
        network.add_wheel(wheel(2, radius, PI), 0, 1, 0.0);
        let mut motion = at_rest(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let start = (motion.energies(&network).total(), motion.state.anchors[0].position.z);
        let by = MotionSettings { strain_delay: 0.005, drag: 0.02, ..settings(0.005, Integrator::Bdf2) };
        let end = network.anchors[1].pose.position;
        for k in 1..=160 {
            let share = 0.5 - 0.5 * (PI * (f64::from(k) / 60.0).min(1.0)).cos();
            network.anchors[1].pose.position = end - Vec3::new(0.0, 0.0, 0.1 * share);
            let report = motion.step(&network, &mut ws, &by, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "{model} {n}, step {k}: {report:?}");
        }
        let energies = motion.energies(&network);
        let lifted = motion.state.anchors[0].position.z - start.1;
        let lost = start.0 + motion.work - energies.total() - motion.dissipated;
        assert!(lifted > 0.05, "{model} {n}: {lifted}");
        assert!(energies.kinetic < 1e-4, "{model} {n}: {energies:?}");
        order(0.05, motion.work).allows(lost, || format!("{model} {n}: {lost} of {}", motion.work));
    }
}

/// A bead on a cord between two hooks.
fn beaded(model: &str, n: usize, mass: f64, friction: f64) -> Network {
    let cord = |length: f64| rope(model, length, LIMP, 0.01, n);
    Network {
        anchors: vec![
            Anchor::fixed(at(0.0, 0.0)),
            Anchor { mass, inertia: Vec3::repeat(1e-6), ..Anchor::loose(at(0.15, -0.3)) },
            Anchor::fixed(at(0.8, -0.2)),
        ],
        spans: vec![
            Span::new(cord(0.36), Attachment::pinned(0), Some(Attachment::clamped(1))),
            Span::new(cord(0.70), Attachment::clamped(1), Some(Attachment::pinned(2))),
        ],
        slides: vec![Slide::through(0, 1, friction)],
        gravity: gravity(),
        ..Network::default()
    }
}

#[test]
fn a_bead_swings_along_its_cord_and_keeps_its_energy() {
    for (model, n) in [("mixed", 12), ("clothoid", 6)] {
        let mut network = beaded(model, n, 0.2, 0.0);
        network.anchors[1].held = [true; 3];
        let state = equilibrium(&network);
        network.anchors[1].held = [false; 3];
        let mut ws = NetworkWorkspace::new(&network);
        let mut motion = Motion::at_rest(&network, state);
        let start = motion.energies(&network);
        let h = settings(0.002, Integrator::Bdf2);
        let (mut fastest, mut farthest) = (0.0f64, 0.0f64);
        for k in 0..400 {
            let report = motion.step(&network, &mut ws, &h, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "{model}, step {k}: {report:?}");
            assert!(report.violation < 1e-9);
            let now = motion.energies(&network);
            fastest = fastest.max(now.kinetic);
            farthest = farthest.max(motion.state.anchors[1].position.x);
            // The cord snaps taut and slack: no more than that is lost, and nothing is won.
            assert!(
                now.total() - start.total() < 0.02 * fastest.max(0.01),
                "{model}, step {k}: {now:?} {start:?}"
            );
            round_off(1e-12, 1.0).allows(motion.state.lengths.iter().sum::<f64>() - 1.06, || {
                "(motion.state.lengths.iter().sum::<f64>() - 1.06).abs()".into()
            });
        }
        assert!(fastest > 0.05 && farthest > 0.5, "{fastest} {farthest}");
    }
}

/// A rope that leaves its wheel just behind a peg is drawn upwards. Where it leaves followed its direction by a twentieth of a
/// turn at once, through the peg.
#[test]
fn what_follows_a_wheel_does_not_go_through_anything() {
    let (radius, past, back) = (0.5, 0.2, -0.3);
    // A place on the rim that far past the top.
    let rim = |angle: f64| Vec3::new(angle.sin(), 0.0, angle.cos()) * radius;
    let rope = |length: f64| rod("mixed", length, 1e-4, 0.02, 12);
    let drawn = rim(back) + Vec3::new(0.66, 0.0, 0.2);
    let mut network = Network {
        anchors: vec![
            weight(-radius, -0.65, 0.5),
            Anchor::fixed(Pose { position: drawn, ..at(0.0, 0.0) }),
            Anchor::fixed(at(0.0, 0.0)),
        ],
        spans: vec![
            Span::new(rope(0.7), Attachment::pinned(0), None),
            Span::new(rope(0.73), Attachment::pinned(0), Some(Attachment::pinned(1))),
        ],
        gravity: gravity(),
        ..Network::default()
    };
    network.add_wheel(wheel(2, radius, 0.5 * PI + back), 0, 1, 0.0);
    let mut state = equilibrium(&network);
    // The same shape, moved along the rim.
    let left = state.contacts[0][1] - 1.5 * PI;
    let shift = rim(past) - rim(left);
    state.contacts[0][1] = 1.5 * PI + past;
    network.anchors[1].pose.position += shift;
    state.anchors[1] = network.anchors[1].pose;
    let chain = network.spans[1].rod.as_mixed().expect("a chain");
    for j in 0..=12 {
        let moved = chain.position(&state.spans[1].rod, j) + shift;
        chain.set_position(&mut state.spans[1].rod, j, &moved);
    }
    chain.set_frame(&mut state.spans[1].rod, 0, &network.wheels[0].rim(1.5 * PI + past).orientation);
    let by = settings(0.002, Integrator::ImplicitEuler);
    let leaves = |network: &Network, steps: usize| {
        let mut motion = Motion::from_any_state(network, state.clone());
        let mut ws = NetworkWorkspace::new(network);
        for k in 0..steps {
            let report = motion.step(network, &mut ws, &by, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "step {k}: {report:?}");
        }
        motion.state.contacts[0][1] - 1.5 * PI
    };
    // With nothing in the way it does.
    convergence(1e-9, 1.0).allows(leaves(&network, 1) - (past - 0.1), || format!("{}", leaves(&network, 1)));
    let peg = Shape::Cylinder { radius: 0.002, half_length: None };
    let pose = Pose {
        position: rim(past - 0.05) * (1.0 + 0.0075 / radius),
        orientation: rotation::frame(&Vec3::y(), &Vec3::x()),
    };
    network.spans[1].contact_radius = 0.005;
    network.obstacles.push(Obstacle { shape: peg, pose, friction: 0.0 });
    for steps in [1, 20] {
        let there = leaves(&network, steps);
        assert!(there > past - 0.05, "{steps} steps: {there}");
    }
}
