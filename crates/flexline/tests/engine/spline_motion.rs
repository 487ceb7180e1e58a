//! The spline rod in motion against the mixed rod: frequencies, swings, energy.

use crate::tolerance::order;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::SplineRod;
use flexline::rod::{AnyRod, Rod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span, solve_network,
};
use flexline::solver::statics::{Settings, Workspace, frequencies, solve_from_scratch};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, Status};

const LENGTH: f64 = 0.7;
const MASS: f64 = 0.12;

fn section() -> SectionProfile {
    SectionProfile::uniform(Section::measured(0.02, 0.02, 0.016, MASS, 0.004).expect("sound section"))
}

fn mixed(n: usize) -> AnyRod {
    let mesh = Mesh::uniform(LENGTH, n).expect("sound mesh");
    MixedRod::new(&mesh, &section(), &|_| Vec3::zeros()).into()
}

fn spline(n: usize) -> AnyRod {
    SplineRod::new(LENGTH, n, &section(), &|_| Vec3::zeros()).expect("sound rod").into()
}

/// A cable from the origin, along x where it is clamped and down where it hangs from a pin.
fn hung(rod: AnyRod, clamped: bool) -> Network {
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) };
    let start = if clamped { Attachment::clamped(0) } else { Attachment::pinned(0) };
    Network {
        anchors: vec![Anchor::fixed(pose)],
        spans: vec![Span::new(rod, start, None)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    }
}

/// Pulled aside at its tip, at rest; then let go.
fn let_go(network: &mut Network) -> Motion {
    let force = Vec3::new(0.2, 0.1, 0.0);
    let pull = PointLoad { s: LENGTH, force, moment: Vec3::zeros(), axes: Axes::World };
    network.spans[0].point_loads = vec![pull];
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).expect("sound network");
    assert_eq!(report.status, Status::Converged);
    network.spans[0].point_loads.clear();
    Motion::at_rest(network, state)
}

/// Tip and energy over time.
fn swing(rod: AnyRod, clamped: bool, settings: &MotionSettings, steps: usize) -> Vec<(Vec3, f64)> {
    let mut network = hung(rod, clamped);
    let mut motion = let_go(&mut network);
    let mut ws = NetworkWorkspace::new(&network);
    let mut out = Vec::with_capacity(steps);
    for k in 0..steps {
        let report = motion.step(&network, &mut ws, settings, &Settings::default()).expect("sound network");
        assert_eq!(report.status, Status::Converged, "step {k}");
        let tip = network.spans[0].rod.station(&motion.state.spans[0].rod, LENGTH).position;
        out.push((tip, motion.energies(&network).total()));
    }
    out
}

/// A cable that is let go swings as the mixed rod does, and loses no more energy; few elements and many.
#[test]
fn a_spline_swings_as_the_mixed_rod() {
    let settings = MotionSettings::new(2e-3, Integrator::GeneralisedAlpha { rho: 0.9 });
    for clamped in [true, false] {
        let exact = swing(mixed(200), clamped, &settings, 200);
        let far = exact.iter().map(|(x, _)| (x - exact[0].0).norm()).fold(0.0, f64::max);
        assert!(far > 0.1 * LENGTH, "it swings: {far} m");
        for n in [16, 60] {
            let own = swing(spline(n), clamped, &settings, 200);
            let off = own.iter().zip(&exact).map(|((a, _), (b, _))| (a - b).norm()).fold(0.0, f64::max);
            assert!(off < 2e-3 * LENGTH, "{n} elements, clamped {clamped}: {off} m of {far} m");
            let scale = MASS * 9.81 * LENGTH * LENGTH;
            let drift = |run: &[(Vec3, f64)]| {
                run.iter().map(|(_, e)| (e - run[0].1).abs()).fold(0.0, f64::max) / scale
            };
            let (drifts, theirs) = (drift(&own), drift(&exact));
            assert!(drifts < theirs + 1e-4, "{n} elements, clamped {clamped}: {drifts} {theirs}");
        }
    }
}

/// Strain damping and drag take from a spline what they take from a mixed rod, and the books close.
#[test]
fn a_damped_spline_keeps_its_books() {
    let settings = MotionSettings {
        strain_delay: 0.01,
        drag: 0.05,
        ..MotionSettings::new(1e-3, Integrator::GeneralisedAlpha { rho: 1.0 })
    };
    let books = |rod: AnyRod| {
        let mut network = hung(rod, true);
        let mut motion = let_go(&mut network);
        let mut ws = NetworkWorkspace::new(&network);
        let start = motion.energies(&network).total();
        for _ in 0..300 {
            let report = motion.step(&network, &mut ws, &settings, &Settings::default());
            assert_eq!(report.expect("sound network").status, Status::Converged);
        }
        (start - motion.energies(&network).total(), motion.dissipated)
    };
    let (_, exact) = books(mixed(200));
    let (lost, dissipated) = books(spline(24));
    assert!(exact > 1e-3 && (dissipated / exact - 1.0).abs() < 5e-3, "{dissipated} J of {exact} J");
    order(0.03, 1.0).allows(lost / dissipated - 1.0, || format!("{lost} J, {dissipated} J"));
}

/// Small vibrations of a sagging cable: the ten lowest frequencies are those of a fine mixed rod.
#[test]
fn frequencies_are_those_of_the_mixed_rod() {
    let pose = |x: f64, turn: f64| Pose {
        position: Vec3::new(x, 0.0, 0.0),
        orientation: rotation::exp(&Vec3::new(0.0, turn, 0.0)),
    };
    let found = |rod: AnyRod| {
        let ends = [End::clamped(pose(0.0, 1.0)), End::clamped(pose(0.55, 2.0))];
        let mut problem = Problem::new(rod, ends[0], ends[1]);
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let (state, report) = solve_from_scratch(&problem, &Settings::default()).expect("posed");
        assert_eq!(report.status, Status::Converged);
        frequencies(&problem, &state, &mut Workspace::new(&problem), 10)
    };
    let exact = found(mixed(400));
    for n in [24, 80] {
        let own = found(spline(n));
        assert_eq!(own.len(), exact.len());
        for (a, b) in own.iter().zip(&exact) {
            order(1e-3, 1.0).allows(a / b - 1.0, || format!("{n} elements: {a} {b} rad/s"));
        }
    }
}
