//! Rods in motion on rough obstacles: they stick without creep, slide by Coulomb's law and stop where it says.

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

const LENGTH: f64 = 0.3;
const RADIUS: f64 = 2e-3;
const MASS: f64 = 0.07;
const GRAVITY: f64 = 9.81;
const SEGMENTS: usize = 10;

const INTEGRATORS: [Integrator; 3] =
    [Integrator::ImplicitEuler, Integrator::Bdf2, Integrator::GeneralisedAlpha { rho: 0.6 }];

fn pose(position: Vec3, along: Vec3, across: Vec3) -> Pose {
    Pose { position, orientation: rotation::frame(&along, &across) }
}

fn plane(normal: Vec3, friction: f64) -> Obstacle {
    Obstacle { shape: Shape::Plane, pose: pose(Vec3::zeros(), normal, Vec3::x()), friction }
}

/// A straight rod that nothing holds, on a rough plane.
struct Bench {
    network: Network,
    ws: NetworkWorkspace,
    motion: Motion,
    settings: MotionSettings,
    friction: f64,
}

impl Bench {
    fn new(along: Vec3, normal: Vec3, friction: f64, settings: MotionSettings) -> Self {
        let section = Section::measured(0.005, 0.005, 0.004, MASS, RADIUS).expect("sound");
        let mesh = Mesh::uniform(LENGTH, SEGMENTS).expect("sound");
        let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
        // What lies flat lies on the middles of its pieces, a hair higher than at their ends.
        let from = normal * (RADIUS + 0.125e-4 * LENGTH / SEGMENTS as f64);
        let start = pose(from, along, normal);
        let mut network = Network { gravity: Vec3::new(0.0, 0.0, -GRAVITY), ..Network::default() };
        network.anchors.push(Anchor::loose(start));
        network.spans.push(Span { contact_radius: RADIUS, ..Span::new(rod, Attachment::pinned(0), None) });
        network.obstacles.push(plane(normal, friction));
        let mut state = NetworkState::initial(&network);
        let at = |s: f64| Station { position: from + along * s, frame: start.orientation };
        state.spans[0].rod = network.spans[0].rod.state_from(&at);
        let (ws, motion) = (NetworkWorkspace::new(&network), Motion::at_rest(&network, state));
        Self { network, ws, motion, settings, friction }
    }

    /// One step: it converges, obeys the law, enters nothing and creates no energy, of which friction takes its share.
    fn step(&mut self) -> NetworkReport {
        let before = (self.motion.energies(&self.network).total(), self.motion.friction_work);
        let report = self
            .motion
            .step(&self.network, &mut self.ws, &self.settings, &Settings::default())
            .expect("sound");
        let at = self.motion.time;
        assert_eq!(report.status, Status::Converged, "at {at} s");
        assert!(report.contact_residual < 1e-6, "{at} s: law {:e}", report.contact_residual);
        assert!(report.penetration < 1e-12, "{at} s: overlap {:e}", report.penetration);
        for contact in &report.contacts {
            let normal = contact.force.dot(&contact.normal);
            let along = (contact.force - contact.normal * normal).norm();
            assert!(along <= self.friction * normal * (1.0 + 1e-9), "{at} s: {along} {normal}");
        }
        assert!(self.motion.friction_work >= before.1, "{at} s: {} {}", before.1, self.motion.friction_work);
        if self.network.gravity.x == 0.0 && self.network.gravity.y == 0.0 {
            let now = self.motion.energies(&self.network).total();
            assert!(now <= before.0 + 1e-5 * before.0.abs(), "{at} s: {} {now}", before.0);
        }
        report
    }

    /// Velocity of the middle of mass, m/s: ends have half a share.
    fn velocity(&self) -> Vec3 {
        let ends = self.motion.velocity(0, 0) + self.motion.velocity(0, SEGMENTS);
        let inner: Vec3 = (1..SEGMENTS).map(|j| self.motion.velocity(0, j)).sum();
        (ends * 0.5 + inner) / SEGMENTS as f64
    }

    /// The middle of mass, m.
    fn middle(&self) -> Vec3 {
        let at = |j: usize| self.at(LENGTH * j as f64 / SEGMENTS as f64);
        let inner: Vec3 = (1..SEGMENTS).map(at).sum();
        ((at(0) + at(SEGMENTS)) * 0.5 + inner) / SEGMENTS as f64
    }

    /// Farthest that any place is from where it was, m.
    fn moved(&self, from: &[Vec3]) -> f64 {
        self.places().iter().zip(from).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    }

    fn places(&self) -> Vec<Vec3> {
        (0..=SEGMENTS).map(|j| self.at(LENGTH * j as f64 / SEGMENTS as f64)).collect()
    }

    fn at(&self, s: f64) -> Vec3 {
        self.network.spans[0].rod.station(&self.motion.state.spans[0].rod, s).position
    }
}

/// On an incline of a slope, along it or across.
fn incline(slope: f64, lies_along: bool, friction: f64, settings: MotionSettings) -> Bench {
    let normal = Vec3::new(-slope.sin(), 0.0, slope.cos());
    let direction = if lies_along { Vec3::new(slope.cos(), 0.0, slope.sin()) } else { Vec3::y() };
    Bench::new(direction, normal, friction, settings)
}

/// At 0.999 of the angle of friction a rod comes to rest, and does not creep in ten minutes.
#[test]
fn on_an_incline_a_rod_sticks() {
    let friction = 0.4f64;
    let slope = (0.999 * friction).atan();
    for integrator in INTEGRATORS {
        for lies_along in [true, false] {
            let mut bench = incline(slope, lies_along, friction, MotionSettings::new(1e-2, integrator));
            // Until its ends have found how they are held.
            for _ in 0..100 {
                bench.step();
            }
            let rested = bench.places();
            bench.settings.step = 0.2;
            bench.motion.change_step();
            let mut farthest = 0.0f64;
            for _ in 0..3000 {
                let report = bench.step();
                farthest = report.contacts.iter().fold(farthest, |most, contact| most.max(contact.slip));
            }
            let crept = bench.moved(&rested);
            println!(
                "{integrator:?}, along {lies_along}: crept {crept:.1e} m in {:.0} s, {farthest:.0e} in a step",
                bench.motion.time
            );
            assert!(crept < 1e-9, "{integrator:?} {lies_along}: {crept:e}");
        }
    }
}

/// Above that angle it slides, with g (sin α − µ cos α).
#[test]
fn on_an_incline_a_rod_slides() {
    let friction = 0.4f64;
    for integrator in INTEGRATORS {
        for lies_along in [true, false] {
            for share in [1.001, 1.5] {
                let slope = (share * friction).atan();
                let mut bench = incline(slope, lies_along, friction, MotionSettings::new(1e-2, integrator));
                let mut speeds = [0.0; 2];
                for speed in &mut speeds {
                    for _ in 0..100 {
                        bench.step();
                    }
                    *speed = bench.velocity().norm();
                }
                let exact = GRAVITY * (slope.sin() - friction * slope.cos());
                let off = (speeds[1] - speeds[0]) / exact - 1.0;
                println!("{integrator:?}, along {lies_along}, {share}: {off:.1e} off");
                assert!(off.abs() < 1e-5, "{integrator:?} {lies_along} {share}: {off:e}");
            }
        }
    }
}

/// A rod that is pushed slides v²/(2µg) far, whichever way, and all it had is lost: to friction on that way.
#[test]
fn a_rod_slides_and_stops() {
    let (friction, speed, weight) = (0.3, 1.0, MASS * LENGTH * GRAVITY);
    let exact = speed * speed / (2.0 * friction * GRAVITY);
    for (h, integrator) in [1e-2, 2.5e-3].into_iter().flat_map(|h| INTEGRATORS.map(|i| (h, i))) {
        for angle in [0.0f64, 0.6, 1.2, std::f64::consts::FRAC_PI_2] {
            let mut bench = Bench::new(Vec3::x(), Vec3::z(), friction, MotionSettings::new(h, integrator));
            let way = Vec3::new(angle.cos(), angle.sin(), 0.0);
            bench.motion.launch(&bench.network, way * speed, Vec3::zeros(), Vec3::zeros());
            let (from, first) = (bench.middle(), bench.motion.energies(&bench.network).kinetic);
            while bench.motion.time < 0.5 {
                bench.step();
            }
            let moved = bench.middle() - from;
            let left = bench.motion.energies(&bench.network).kinetic / first;
            let (lost, rubbed) = (bench.motion.dissipated / first, bench.motion.friction_work);
            let astray = (moved - way * way.dot(&moved)).norm() / moved.norm();
            println!(
                "{integrator:?} {h} s, {angle:.1}: {:.1e} off, astray {astray:.0e}, lost {lost:.5}, left {left:.0e}",
                moved.norm() / exact - 1.0
            );
            assert!(left < 1e-12, "{integrator:?} {h} {angle}: {left:e}");
            // Implicit Euler has the velocity of the end of a step all through it.
            let most =
                if integrator == Integrator::ImplicitEuler { 0.55 * speed * h } else { 0.05 * speed * h };
            assert!((moved.norm() - exact).abs() < most, "{integrator:?} {h} {angle}: {moved}");
            assert!(astray < 2e-4, "{integrator:?} {h} {angle}: {astray:e}");
            assert!((lost - 1.0).abs() < 2e-3, "{integrator:?} {h} {angle}: {lost}");
            let work = friction * weight * moved.norm();
            assert!((rubbed / work - 1.0).abs() < 1e-3, "{integrator:?} {h} {angle}: {rubbed} {work}");
        }
    }
}

/// Friction has no preferred direction: under a pull a that goes round with ω a rod slides on a circle at
/// √(a² − (µ g)²)/ω, at the same speed wherever it is.
#[test]
fn a_pull_that_goes_round_leads_on_a_circle() {
    let (friction, pull, rate, h) = (0.3, 5.0f64, 20.0, 2.5e-3);
    let held = friction * GRAVITY;
    let exact = (pull * pull - held * held).sqrt() / rate;
    let mut bench = Bench::new(Vec3::x(), Vec3::z(), friction, MotionSettings::new(h, Integrator::Bdf2));
    // The pull leads the velocity by the angle whose cosine is µ g/a.
    let ahead = (held / pull).acos();
    bench.motion.launch(&bench.network, Vec3::x() * exact, Vec3::zeros(), Vec3::zeros());
    let mut speeds = Vec::new();
    for k in 1..=800 {
        let angle = rate * h * f64::from(k) + ahead;
        bench.network.gravity = Vec3::new(pull * angle.cos(), pull * angle.sin(), -GRAVITY);
        bench.step();
        speeds.push(bench.velocity().norm());
    }
    let round = &speeds[400..];
    let (slow, fast) = round.iter().fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(*v), b.max(*v)));
    println!("speed {slow:.8} … {fast:.8} of {exact:.8}");
    assert!(fast / slow - 1.0 < 1e-4, "{slow} {fast}");
    // Friction is against the way of the whole step, half a step behind the velocity at its end.
    assert!((slow / exact - 1.0).abs() < 0.5 * rate * h, "{slow} {exact}");
}
