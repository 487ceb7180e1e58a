//! Ropes that slide, in motion: their own inertia, that of weights and beads on them, friction.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::Settings;
use flexline::solver::statics::network::{
    Anchor, Attachment, Integrator, Motion, MotionSettings, Network, NetworkState, NetworkWorkspace, Slide,
    Span, solve_network,
};
use flexline::solver::{Pose, Status};

const G: f64 = 9.81;

fn rope(length: f64, mass_per_length: f64, n: usize) -> MixedRod {
    let section = Section::measured(1e-6, 1e-6, 1e-6, mass_per_length, 0.001).unwrap();
    MixedRod::new(&Mesh::uniform(length, n).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn pose(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, z), orientation: rotation::identity() }
}

fn weight(x: f64, z: f64, mass: f64) -> Anchor {
    Anchor { held_orientation: true, ..Anchor::part(pose(x, z), mass, Vec3::zeros()) }
}

fn settings(step: f64, integrator: Integrator) -> MotionSettings {
    MotionSettings::new(step, integrator)
}

/// Two weights on a rope through an eye, hanging straight down, the second held.
fn atwood(masses: [f64; 2], mass_per_length: f64, lengths: [f64; 2], n: usize) -> Network {
    Network {
        anchors: vec![
            weight(-1e-4, -lengths[0], masses[0]),
            Anchor { held_orientation: false, ..Anchor::fixed(pose(0.0, 0.0)) },
            Anchor { held: [true; 3], ..weight(1e-4, -lengths[1], masses[1]) },
        ],
        spans: vec![
            Span::new(
                rope(lengths[0], mass_per_length, n),
                Attachment::pinned(0),
                Some(Attachment::clamped(1)),
            ),
            Span::new(
                rope(lengths[1], mass_per_length, n),
                Attachment::clamped(1),
                Some(Attachment::pinned(2)),
            ),
        ],
        slides: vec![Slide::through(0, 1, 0.0)],
        gravity: Vec3::new(0.0, 0.0, -G),
        ..Network::default()
    }
}

/// Lets the second weight go and follows the first for `steps`.
fn fall(network: &mut Network, settings: &MotionSettings, steps: usize) -> (Motion, f64) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
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

#[test]
fn weights_on_a_light_rope_fall_by_atwood() {
    let masses = [0.6, 0.4];
    let mut network = atwood(masses, 1e-5, [1.0, 1.5], 10);
    let h = 0.005;
    let (motion, fallen) = fall(&mut network, &settings(h, Integrator::Bdf2), 60);
    let t = 60.0 * h;
    let expected = 0.5 * G * (masses[0] - masses[1]) / (masses[0] + masses[1]) * t * t;
    // The rope itself, a millionth of the weights, and the first step of implicit Euler.
    assert!((fallen / expected - 1.0).abs() < 1e-3, "{fallen} {expected}");
    // What one side loses the other gains.
    assert!((motion.state.lengths.iter().sum::<f64>() - 2.5).abs() < 1e-12);
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
    let error = |h: f64, n: usize| {
        let mut network = atwood([mass; 2], rho, lengths, n);
        let low = Integrator::GeneralisedAlpha { rho: 0.8 };
        let (motion, fallen) = fall(&mut network, &settings(h, low), (t / h).round() as usize);
        let energies = motion.energies(&network);
        // Kinetic energy of the fall, and of nothing else: ½ M v².
        let speed = lead * rate * (rate * t).sinh();
        assert!((energies.kinetic / (0.5 * total * speed * speed) - 1.0).abs() < 0.01, "{energies:?}");
        (fallen / expected - 1.0).abs()
    };
    let (coarse, fine) = (error(0.01, 10), error(0.0025, 40));
    assert!(coarse < 3e-3, "{coarse}");
    assert!(fine < 2e-4 && fine < 0.1 * coarse, "{coarse} {fine}");
}

/// A bead on a cord between two hooks.
fn beaded(mass: f64, friction: f64) -> Network {
    let cord = |length: f64| rope(length, 0.01, 12);
    Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            Anchor { mass, inertia: Vec3::repeat(1e-6), ..Anchor::loose(pose(0.15, -0.3)) },
            Anchor::fixed(pose(0.8, -0.2)),
        ],
        spans: vec![
            Span::new(cord(0.36), Attachment::pinned(0), Some(Attachment::clamped(1))),
            Span::new(cord(0.70), Attachment::clamped(1), Some(Attachment::pinned(2))),
        ],
        slides: vec![Slide::through(0, 1, friction)],
        gravity: Vec3::new(0.0, 0.0, -G),
        ..Network::default()
    }
}

#[test]
fn a_bead_swings_along_its_cord_and_keeps_its_energy() {
    let mut network = beaded(0.2, 0.0);
    network.anchors[1].held = [true; 3];
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
    network.anchors[1].held = [false; 3];
    let mut ws = NetworkWorkspace::new(&network);
    let mut motion = Motion::at_rest(&network, state);
    let start = motion.energies(&network);
    let h = settings(0.002, Integrator::Bdf2);
    let (mut fastest, mut farthest) = (0.0f64, 0.0f64);
    for k in 0..400 {
        let report = motion.step(&network, &mut ws, &h, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged, "step {k}: {report:?}");
        assert!(report.violation < 1e-9);
        let now = motion.energies(&network);
        fastest = fastest.max(now.kinetic);
        farthest = farthest.max(motion.state.anchors[1].position.x);
        // The cord snaps taut and slack: no more than that is lost, and nothing is won.
        assert!(now.total() - start.total() < 0.02 * fastest.max(0.01), "step {k}: {now:?} {start:?}");
        assert!((motion.state.lengths.iter().sum::<f64>() - 1.06).abs() < 1e-12);
    }
    assert!(fastest > 0.05 && farthest > 0.5, "{fastest} {farthest}");
}
