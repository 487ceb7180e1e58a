//! Friction that holds: a limp cable over a drum with a weight at either end, and one pinched between two pads.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{Rod, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkReport, NetworkState, NetworkWorkspace, Span,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 2e-3;

fn pose(position: Vec3, along: Vec3, across: Vec3) -> Pose {
    Pose { position, orientation: rotation::frame(&along, &across) }
}

fn cable(length: f64, segments: usize, stiffness: f64, density: f64) -> MixedRod {
    let section = Section::measured(stiffness, stiffness, 0.8 * stiffness, density, RADIUS).expect("sound");
    let mesh = Mesh::uniform(length, segments).expect("sound");
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

/// A cable in motion.
struct Bench {
    network: Network,
    ws: NetworkWorkspace,
    motion: Motion,
    settings: MotionSettings,
}

impl Bench {
    fn new(network: Network, shape: &dyn Fn(f64) -> Station, step: f64, integrator: Integrator) -> Self {
        let mut state = NetworkState::initial(&network);
        state.spans[0].rod = network.spans[0].rod.state_from(shape);
        let (ws, motion) = (NetworkWorkspace::new(&network), Motion::at_rest(&network, state));
        let settings =
            MotionSettings { strain_delay: 0.01, drag: 1.0, ..MotionSettings::new(step, integrator) };
        Self { network, ws, motion, settings }
    }

    fn step(&mut self) -> NetworkReport {
        let report = self
            .motion
            .step(&self.network, &mut self.ws, &self.settings, &Settings::default())
            .expect("sound");
        assert_eq!(report.status, Status::Converged, "at {} s", self.motion.time);
        report
    }

    fn places(&self) -> Vec<Vec3> {
        let rod = &self.network.spans[0].rod;
        let at =
            |k: usize| rod.station(&self.motion.state.spans[0].rod, rod.length() * k as f64 / 64.0).position;
        (0..=64).map(at).collect()
    }
}

const DRUM: f64 = 0.05;

/// A cable over a drum with weights in the ratio `ratio`.
fn over_a_drum(ratio: f64, friction: f64, stiffness: f64, integrator: Integrator) -> Bench {
    let axis = DRUM + RADIUS + 2e-4;
    let (leg, arc) = (0.15, std::f64::consts::PI * axis);
    let length = 2.0 * leg + arc;
    let shape = move |s: f64| {
        let (position, along) = if s < leg {
            (Vec3::new(-axis, 0.0, s - leg), Vec3::z())
        } else if s < leg + arc {
            let angle = (s - leg) / axis;
            (Vec3::new(-angle.cos(), 0.0, angle.sin()) * axis, Vec3::new(angle.sin(), 0.0, angle.cos()))
        } else {
            (Vec3::new(axis, 0.0, leg + arc - s), -Vec3::z())
        };
        let own = pose(position, along, Vec3::y());
        Station { position: own.position, frame: own.orientation }
    };
    let mass = 0.5;
    let weight = |s: f64, mass: f64| {
        let at = shape(s);
        Anchor::part(Pose { position: at.position, orientation: at.frame }, mass, Vec3::zeros())
    };
    let rod = cable(length, 60, stiffness, 0.02);
    let network = Network {
        gravity: Vec3::z() * -GRAVITY,
        anchors: vec![weight(0.0, mass), weight(length, mass * ratio)],
        spans: vec![Span {
            contact_radius: RADIUS,
            ..Span::new(rod, Attachment::pinned(0), Some(Attachment::pinned(1)))
        }],
        obstacles: vec![Obstacle {
            shape: Shape::Cylinder { radius: DRUM, half_length: None },
            pose: pose(Vec3::zeros(), Vec3::y(), Vec3::x()),
            friction,
        }],
        ..Network::default()
    };
    Bench::new(network, &shape, 0.01, integrator)
}

/// The farthest that the middle of the arc, which sways with nothing, has gone.
fn crept(bench: &Bench, from: &[Vec3]) -> f64 {
    let now = bench.places();
    (28..=36).map(|k| (now[k] - from[k]).norm()).fold(0.0, f64::max)
}

/// Runs a cable over a drum at 0.9 of what the drum holds until it rests, and then for some seconds: how far it creeps.
fn creeps(stiffness: f64, integrator: Integrator, seconds: f64) -> f64 {
    let friction = 0.3f64;
    let limit = (friction * std::f64::consts::PI).exp();
    let mut bench = over_a_drum(0.9 * limit, friction, stiffness, integrator);
    for _ in 0..200 {
        bench.step();
    }
    let rested = bench.places();
    let mut largest = 0.0f64;
    for _ in 0..(seconds / bench.settings.step) as usize {
        let report = bench.step();
        largest = largest.max(report.contact_residual);
    }
    let crept = crept(&bench, &rested);
    println!("stiffness {stiffness}, {integrator:?}: crept {crept:.1e} m in {seconds} s, law {largest:.0e}");
    assert!(largest < 1e-6, "{largest:e}");
    crept
}

/// A limp cable lies still over a drum at nine tenths of what friction holds: all contacts along it came to rest
/// at their bound in one step.
#[test]
fn a_cable_on_a_drum_holds() {
    assert!(creeps(1e-5, Integrator::ImplicitEuler, 2.0) < 1e-9);
}

/// The same for a minute.
#[test]
#[ignore = "half a minute; BDF2 creeps by 3.6e-9 m, which is not mended yet"]
fn a_cable_on_a_drum_holds_for_a_minute() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
        assert!(creeps(1e-5, integrator, 60.0) < 1e-9);
    }
}

/// At 1.05 of it the cable runs off, and loses what friction takes.
#[test]
fn a_cable_on_a_drum_slides() {
    let friction = 0.3f64;
    let limit = (friction * std::f64::consts::PI).exp();
    let mut bench = over_a_drum(1.05 * limit, friction, 1e-5, Integrator::ImplicitEuler);
    let (began, lying) = (bench.places(), bench.motion.friction_work);
    for _ in 0..40 {
        bench.step();
    }
    let way = crept(&bench, &began);
    println!("slid {way:.2e} m, rubbed {:.2e} J", bench.motion.friction_work);
    assert!(way > 5e-3 && bench.motion.friction_work > lying, "{way}");
}

/// A cable that three pads bend between them lies still under a load along it.
#[test]
fn a_cable_between_pads_holds() {
    let friction = 0.4;
    let length = 0.12;
    let load = 1.0;
    let from = pose(Vec3::new(-0.5 * length, 0.0, 0.0), Vec3::x(), Vec3::z());
    let to = Pose { position: Vec3::new(0.5 * length, 0.0, 0.0), ..from };
    let pad = |x: f64, z: f64| Obstacle {
        shape: Shape::Box { half: Vec3::new(0.008, 0.02, 0.005) },
        pose: pose(Vec3::new(x, 0.0, z), Vec3::z(), Vec3::x()),
        friction,
    };
    // The box's own z is along the world's; its x along the cable.
    let apart = 0.005 + RADIUS + 1e-4;
    let rod = cable(length, 40, 0.05, 0.05);
    let network = Network {
        anchors: vec![Anchor { held_orientation: false, ..Anchor::fixed(from) }, Anchor::loose(to)],
        spans: vec![Span {
            contact_radius: RADIUS,
            ..Span::new(rod, Attachment::pinned(0), Some(Attachment::pinned(1)))
        }],
        obstacles: vec![pad(-0.04, -apart), pad(0.04, -apart), pad(0.0, apart)],
        ..Network::default()
    };
    let shape = move |s: f64| Station { position: from.position + Vec3::x() * s, frame: from.orientation };
    let mut bench = Bench::new(network, &shape, 0.01, Integrator::ImplicitEuler);
    // One pad goes down by a millimetre while the cable is held, then that is let go and loaded.
    for _ in 0..20 {
        bench.network.obstacles[2].pose.position.z -= 5e-5;
        bench.step();
    }
    bench.network.anchors[0] = Anchor::loose(bench.motion.state.anchors[0]);
    bench.ws = NetworkWorkspace::new(&bench.network);
    bench.network.anchors[1].force = Vec3::x() * load;
    for _ in 0..100 {
        bench.step();
    }
    let rested = bench.places();
    for _ in 0..100 {
        bench.step();
    }
    let crept = bench.places().iter().zip(&rested).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    println!("pads: crept {crept:.1e} m");
    assert!(crept < 1e-9, "{crept:e}");
}
