//! Rods that rub on rods in motion: they stick and slide by Coulomb's law, and what the one feels the other feels the other way.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{Rod, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Contact, ContactState, Network, NetworkReport, NetworkState, NetworkWorkspace, Other,
    Span,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Axes, PointLoad, Pose, Status};

const RADIUS: f64 = 2e-3;
const MASS: f64 = 0.05;
const LENGTH: f64 = 0.2;
const SEGMENTS: usize = 8;
const FRICTION: f64 = 0.4;

const INTEGRATORS: [Integrator; 3] =
    [Integrator::ImplicitEuler, Integrator::Bdf2, Integrator::GeneralisedAlpha { rho: 0.6 }];

/// Rods in a row: the first two are rails along x, clamped at both ends and stiff, the last lies across them and is free.
struct Rails {
    network: Network,
    ws: NetworkWorkspace,
    motion: Motion,
    settings: MotionSettings,
}

/// A straight rod from a place along a direction, held at both ends or nowhere.
fn add(network: &mut Network, (from, along): (Vec3, Vec3), stiffness: f64, held: bool) -> Station {
    let section = Section::measured(stiffness, stiffness, stiffness, MASS, RADIUS).expect("sound section");
    let mesh = Mesh::uniform(LENGTH, SEGMENTS).expect("sound mesh");
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let frame = rotation::frame(&along, &Vec3::z());
    let pose = |s: f64| Pose { position: from + along * s, orientation: frame };
    let first = network.anchors.len();
    let end = if held {
        network.anchors.extend([Anchor::fixed(pose(0.0)), Anchor::fixed(pose(LENGTH))]);
        Some(Attachment::clamped(first + 1))
    } else {
        network.anchors.push(Anchor::loose(pose(0.0)));
        None
    };
    let span = Span::new(rod, Attachment::clamped(first), end);
    network.spans.push(Span { contact_radius: RADIUS, friction: FRICTION, ..span });
    Station { position: from, frame }
}

/// The motion of straight rods from rest.
fn at_rest(network: &Network, stations: &[Station]) -> Motion {
    let mut state = NetworkState::initial(network);
    for ((own, span), at) in state.spans.iter_mut().zip(&network.spans).zip(stations) {
        let along = rotation::tangent(&at.frame);
        own.rod = span.rod.state_from(&|s| Station { position: at.position + along * s, frame: at.frame });
    }
    Motion::at_rest(network, state)
}

impl Rails {
    /// With a weight that leans by a `slope` along x or along y.
    fn new(slope: f64, along_rails: bool, settings: MotionSettings) -> Self {
        let way = if along_rails { Vec3::x() } else { Vec3::y() };
        let gravity = (way * slope.sin() - Vec3::z() * slope.cos()) * 9.81;
        let mut network = Network { gravity, ..Network::default() };
        let rail = |y: f64| (Vec3::new(-0.5 * LENGTH, y, 0.0), Vec3::x());
        // Between nodes, not on them.
        let stations = [
            add(&mut network, rail(-0.053), 50.0, true),
            add(&mut network, rail(0.047), 50.0, true),
            add(&mut network, (Vec3::new(-0.047, -0.5 * LENGTH, 2.0 * RADIUS + 1e-5), Vec3::y()), 0.5, false),
        ];
        let motion = at_rest(&network, &stations);
        Self { ws: NetworkWorkspace::new(&network), network, motion, settings }
    }

    fn step(&mut self) -> NetworkReport {
        let rubbed = self.motion.friction_work;
        let report = self
            .motion
            .step_in_parts(&self.network, &mut self.ws, &self.settings, &Settings::default(), 8)
            .expect("sound");
        let at = self.motion.time;
        assert_eq!(report.status, Status::Converged, "at {at} s");
        assert!(report.penetration < 1e-11, "{at} s: overlap {:e}", report.penetration);
        assert!(report.contact_residual < 1e-6, "{at} s: law {:e}", report.contact_residual);
        for contact in &report.contacts {
            let normal = contact.force.dot(&contact.normal);
            let along = (contact.force - contact.normal * normal).norm();
            assert!(along <= FRICTION * normal * (1.0 + 1e-9), "{at} s: {along} {normal}");
        }
        assert!(self.motion.friction_work >= rubbed, "{at} s: {rubbed} {}", self.motion.friction_work);
        report
    }

    /// Velocity of the middle of mass of a rod, m/s: ends have half a share.
    fn velocity(&self, span: usize) -> Vec3 {
        velocity(&self.motion, span)
    }
}

fn velocity(motion: &Motion, span: usize) -> Vec3 {
    let ends = motion.velocity(span, 0) + motion.velocity(span, SEGMENTS);
    let inner: Vec3 = (1..SEGMENTS).map(|j| motion.velocity(span, j)).sum();
    (ends * 0.5 + inner) / SEGMENTS as f64
}

/// A rod across two others, under a weight that leans along them or across: it sticks up to the angle of friction, and slides
/// beyond with the acceleration g (sin α − µ cos α).
#[test]
fn a_rod_on_rails_sticks_and_slides() {
    for integrator in INTEGRATORS {
        for along_rails in [true, false] {
            let settings = MotionSettings { strain_delay: 1e-3, ..MotionSettings::new(2e-3, integrator) };
            let name = format!("{integrator:?} along rails: {along_rails}");
            // It falls by a hair, and is brought to rest.
            let mut held = Rails::new((0.9 * FRICTION).atan(), along_rails, settings);
            (0..100).for_each(|_| drop(held.step()));
            let touch = held.step().contacts[0];
            let Other::Span { index, s } = touch.other else { panic!("{name}: a rod on a rod") };
            // Of the matter that touched then, whatever else bends.
            let apart = |own: &Rails| {
                let at = |k: usize, s: f64| {
                    own.network.spans[k].rod.station(&own.motion.state.spans[k].rod, s).position
                };
                (at(touch.body.span().expect("a span"), touch.s) - at(index, s)).xy()
            };
            let from = apart(&held);
            let mut last = held.step().contacts;
            (0..100).for_each(|_| last = held.step().contacts);
            let crept = (apart(&held) - from).norm();
            let sticks = |c: &Contact| c.state == ContactState::Stick;
            assert!(last.iter().all(sticks), "{name}");
            // It slides.
            let slope = (1.1 * FRICTION).atan();
            let mut free = Rails::new(slope, along_rails, settings);
            (0..50).for_each(|_| drop(free.step()));
            let from = free.velocity(2);
            (0..100).for_each(|_| drop(free.step()));
            let way = if along_rails { Vec3::x() } else { Vec3::y() };
            let gained = (free.velocity(2) - from).dot(&way) / (100.0 * settings.step);
            let expected = 9.81 * (slope.sin() - FRICTION * slope.cos());
            println!("{name}: creeps {crept:.1e} m in 0.2 s; {gained} of {expected} m/s²");
            assert!(crept < 1e-9, "{name}: {crept:e}");
            assert!((gained / expected - 1.0).abs() < 0.02, "{name}: {gained} {expected}");
            assert!(free.motion.friction_work > 0.0);
        }
    }
}

/// Two rods that nothing holds are pressed on each other where they cross, and the upper is drawn across the lower. Whatever they
/// do to each other, together they gain what draws them; the lower one gets half of it where they stick, and µ N where they slide.
#[test]
fn what_one_rod_feels_the_other_feels_the_other_way() {
    let (pressed, limit) = (2.0, FRICTION * 2.0);
    for (drawn, sticks) in [(0.9 * 2.0 * limit, true), (2.2 * 2.0 * limit, false)] {
        let mut network = Network::default();
        let middle = 0.5 * LENGTH;
        let stations = [
            add(&mut network, (Vec3::new(-middle, 0.0, 0.0), Vec3::x()), 5.0, false),
            add(&mut network, (Vec3::new(0.0, -middle, 2.0 * RADIUS + 1.2e-5), Vec3::y()), 5.0, false),
        ];
        let load = |force: Vec3| PointLoad { s: middle, force, moment: Vec3::zeros(), axes: Axes::World };
        network.spans[0].point_loads = vec![load(Vec3::z() * pressed)];
        network.spans[1].point_loads = vec![load(Vec3::new(drawn, 0.0, -pressed))];
        let (mut ws, mut motion) = (NetworkWorkspace::new(&network), at_rest(&network, &stations));
        let settings = MotionSettings::new(2e-4, Integrator::ImplicitEuler);
        let mut lost = 0.0;
        for k in 0..25 {
            let report = motion.step(&network, &mut ws, &settings, &Settings::default()).expect("sound");
            assert_eq!(report.status, Status::Converged, "step {k}");
            assert!(motion.dissipated >= lost - 1e-12, "{k}: {lost} {}", motion.dissipated);
            lost = motion.dissipated;
        }
        let [below, above] = [0, 1].map(|k| velocity(&motion, k) * MASS * LENGTH);
        let given = drawn * motion.time;
        println!("{sticks}: lower {below:?}, upper {above:?} of {given}, rubbed {:e}", motion.friction_work);
        assert!((below + above - Vec3::x() * given).norm() < 1e-8 * given, "{:?}", below + above);
        let expected = if sticks { 0.5 * given } else { limit * motion.time };
        assert!((below.x / expected - 1.0).abs() < 0.02, "{} {expected}", below.x);
        // Where they stick they have rubbed while they were coming to.
        assert_eq!(motion.friction_work > 1e-4, !sticks, "{:e}", motion.friction_work);
    }
}
