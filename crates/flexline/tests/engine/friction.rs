//! Rods on rough obstacles against closed forms and reference solutions.

use flexline::Vec3;

use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{Rod, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{
    Anchor, Attachment, Constraint, ContactState, Network, NetworkReport, NetworkState, NetworkWorkspace,
    Point, Sense, Span, solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};

const GRAVITY: f64 = 9.81;

/// A rod of a stiffness, weight per length and radius.
fn rod(length: f64, segments: usize, stiffness: f64, weight: f64, radius: f64) -> MixedRod {
    let section = Section::measured(stiffness, stiffness, 0.8 * stiffness, weight / GRAVITY, radius);
    let mesh = Mesh::uniform(length, segments).expect("sound");
    MixedRod::new(&mesh, &SectionProfile::uniform(section.expect("sound")), &|_| Vec3::zeros())
}

fn pose(position: Vec3, along: Vec3, across: Vec3) -> Pose {
    Pose { position, orientation: rotation::frame(&along, &across) }
}

fn plane(normal: Vec3, friction: f64) -> Obstacle {
    Obstacle { shape: Shape::Plane, pose: pose(Vec3::zeros(), normal, Vec3::x()), friction }
}

/// A network with its state.
struct Bench {
    network: Network,
    state: NetworkState,
    ws: NetworkWorkspace,
    settings: Settings,
}

impl Bench {
    fn new(network: Network) -> Self {
        let (state, ws) = (NetworkState::initial(&network), NetworkWorkspace::new(&network));
        Self { network, state, ws, settings: Settings::default() }
    }

    /// Begins with what has become of the network.
    fn begin(&mut self) {
        let laid = std::mem::take(&mut self.state.spans);
        (self.state, self.ws) = (NetworkState::initial(&self.network), NetworkWorkspace::new(&self.network));
        self.state.spans = laid;
    }

    /// Lays the rod straight ahead from its first anchor.
    fn lay_straight(&mut self) {
        let Pose { position, orientation } = self.network.anchors[0].pose;
        let start = Station { position, frame: orientation };
        self.state.spans[0].rod = self.network.spans[0].rod.rest_state(&start);
    }

    fn solve(&mut self) -> NetworkReport {
        solve_network(&self.network, &mut self.state, &mut self.ws, &self.settings).expect("sound")
    }
}

/// A straight rod along `along` that lies on a rough plane, pinned at its beginning.
fn lying(rod: MixedRod, radius: f64, along: Vec3, normal: Vec3, friction: f64) -> Bench {
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -GRAVITY), ..Network::default() };
    // What lies flat lies on the middles of its pieces, a hair higher than at their ends.
    let height = radius + 0.125e-4 * rod.length() / rod.segments() as f64;
    network.anchors.push(Anchor::fixed(pose(normal * height, along, normal)));
    network.spans.push(Span { contact_radius: radius, ..Span::new(rod, Attachment::pinned(0), None) });
    network.obstacles.push(plane(normal, friction));
    let mut bench = Bench::new(network);
    bench.lay_straight();
    bench
}

/// How many contacts slide.
fn sliding(report: &NetworkReport) -> usize {
    report.contacts.iter().filter(|contact| contact.state == ContactState::Slip).count()
}

/// Coulomb's law holds at every contact, and what it says is what the report says.
fn assert_lawful(name: &str, report: &NetworkReport, friction: f64) {
    assert_eq!(report.status, Status::Converged, "{name}");
    assert!(report.contact_residual < 1e-5, "{name}: {:e}", report.contact_residual);
    for contact in &report.contacts {
        let normal = contact.force.dot(&contact.normal);
        let along = (contact.force - contact.normal * normal).norm();
        assert!(normal > 0.0 && along <= friction * normal * (1.0 + 1e-9), "{name}: {along} {normal}");
        assert!(contact.state == ContactState::Slip || contact.slip < 1e-11, "{name}: {:e}", contact.slip);
    }
    println!(
        "{name}: {} iterations, {} contacts, {} slide, law {:.0e}",
        report.iterations,
        report.contacts.len(),
        sliding(report),
        report.contact_residual
    );
}

/// The end of a rod that lies straight is moved sideways (11g, case lateral_single_step_1): at once.
#[test]
fn an_end_is_moved_sideways() {
    let (stiffness, weight, friction, way) = (0.00276, 0.68, 0.591, 9.26e-5);
    let exact = 0.012539325556158259;
    let mut pulls = Vec::new();
    for angle in [0.0, 0.7, 2.0f64] {
        let (along, across) =
            (Vec3::new(angle.cos(), angle.sin(), 0.0), Vec3::new(-angle.sin(), angle.cos(), 0.0));
        let mut bench = lying(rod(0.12, 80, stiffness, weight, 1e-3), 1e-3, along, Vec3::z(), friction);
        // Sideways alone: the end may draw in, and the floor carries it.
        bench.network.anchors[0].held = [false; 3];
        let plane = Constraint::Plane {
            point: Point::On(0, Vec3::zeros()),
            on: None,
            through: Vec3::zeros(),
            normal: across,
            sense: Sense::Equal,
        };
        bench.network.constraints.push(plane);
        bench.begin();
        let laid = bench.solve();
        assert_lawful("laid", &laid, friction);
        assert_eq!(sliding(&laid), 0);
        if let Constraint::Plane { through, .. } = &mut bench.network.constraints[0] {
            *through = across * way;
        }
        let pulled = bench.solve();
        assert_lawful("moved sideways", &pulled, friction);
        pulls.push(pulled.multipliers[0].abs());
    }
    println!("pulls {pulls:?}, exact {exact}");
    assert!((pulls[0] / exact - 1.0).abs() < 2e-3, "{pulls:?}");
    // Whatever the direction.
    assert!(pulls.iter().all(|pull| (pull / pulls[0] - 1.0).abs() < 1e-6), "{pulls:?}");
}

/// The same slowly (11g, history slow).
#[test]
fn an_end_is_moved_slowly() {
    let exact = 0.012539325556158259 * 1.1186801589413038 / 1.104897181316553;
    let mut bench = lying(rod(0.13, 65, 0.00276, 0.68, 1e-3), 1e-3, Vec3::x(), Vec3::z(), 0.591);
    bench.network.anchors[0].held = [false, true, false];
    bench.begin();
    assert_lawful("laid", &bench.solve(), 0.591);
    let mut pull = 0.0;
    for k in 0..40 {
        bench.network.anchors[0].pose.position.y += 9.26e-5 / 40.0;
        let report = bench.solve();
        assert_eq!(report.status, Status::Converged, "{k}");
        pull = report.reactions[0].force.y;
    }
    println!("slow pull {pull:.6e}, exact {exact:.6e}");
    assert!((pull / exact - 1.0).abs() < 1e-2, "{pull} {exact}");
}

/// Along and across an incline a rod sticks below the angle of friction and slides above it.
#[test]
fn a_rod_on_an_incline_sticks_or_slides() {
    let friction = 0.4f64;
    for along in [true, false] {
        for (share, holds) in [(0.999, true), (1.001, false)] {
            let slope = (share * friction).atan();
            let (normal, down) =
                (Vec3::new(-slope.sin(), 0.0, slope.cos()), Vec3::new(slope.cos(), 0.0, slope.sin()));
            let direction = if along { down } else { Vec3::y() };
            let mut bench = lying(rod(0.3, 20, 0.005, 0.7, 2e-3), 2e-3, direction, normal, friction);
            bench.network.anchors[0].held = [false; 3];
            bench.begin();
            let report = bench.solve();
            if holds {
                assert_lawful("incline", &report, friction);
                let pressed: Vec3 = report.contacts.iter().map(|contact| contact.force).sum();
                assert!((pressed - Vec3::z() * 0.21).norm() < 1e-8, "{pressed}");
            } else {
                assert_ne!(report.status, Status::Converged, "{along}");
            }
        }
    }
}

/// T₂ where a stiff rope that turns by `turning` round a drum slides towards it (11f, friction on the axis line).
fn capstan(stiffness: f64, radius: f64, friction: f64, turning: f64, slack: f64) -> f64 {
    let bend = stiffness / (2.0 * radius * radius);
    let leg = |tension: f64| (1.0 - bend / tension).acos();
    let mut taut = slack;
    for _ in 0..200 {
        let arc = turning - leg(slack) - leg(taut);
        let begin = slack * (leg(slack).cos() + friction * leg(slack).sin());
        taut = begin * (friction * arc).exp() / (leg(taut).cos() - friction * leg(taut).sin());
    }
    taut
}

/// A stiff rope over a drum: pulled it slides at the capstan's ratio, it holds at nine tenths of that and is let go beyond.
#[test]
fn a_rope_on_a_drum() {
    on_a_drum(120);
}

/// Finely divided it ended at the bound of its iterations: contacts were so stiff in the matrix, by the cube of the segments, that
/// the digits which tell how the rope gives were lost.
#[test]
fn a_finely_divided_rope_on_a_drum() {
    on_a_drum(200);
}

fn on_a_drum(segments: usize) {
    let reference = capstan(0.00606, 0.019065, 0.2, std::f64::consts::PI, 33.34);
    assert!((reference / 57.04099419467657 - 1.0).abs() < 1e-12, "case capstan_stiff_01: {reference}");
    let (stiffness, radius, drum, friction, slack) = (0.00606, 65e-6, 0.019, 0.2, 100.0);
    let (leg, top) = (0.12, radius + drum);
    let end = |x: f64| pose(Vec3::new(x, 0.0, top), -Vec3::x(), Vec3::z());
    let rope = rod(2.0 * leg, segments, stiffness, 0.01, radius);
    let network = Network {
        anchors: vec![
            Anchor { force: Vec3::z() * -slack, ..Anchor::loose(end(leg)) },
            Anchor::fixed(end(-leg)),
        ],
        spans: vec![Span {
            contact_radius: radius,
            ..Span::new(rope, Attachment::pinned(0), Some(Attachment::pinned(1)))
        }],
        obstacles: vec![Obstacle {
            shape: Shape::Cylinder { radius: drum, half_length: None },
            pose: pose(Vec3::zeros(), Vec3::y(), Vec3::x()),
            friction,
        }],
        ..Network::default()
    };
    let mut bench = Bench::new(network);
    bench.lay_straight();
    assert_lawful("laid over", &bench.solve(), friction);
    let mut pulled = Vec3::zeros();
    for _ in 0..4 {
        bench.network.anchors[1].pose.position.x -= 1e-3;
        let report = bench.solve();
        assert_lawful("pulled", &report, friction);
        assert_eq!(sliding(&report), report.contacts.len());
        pulled = report.reactions[1].force;
        let exact = capstan(stiffness, top, friction, (pulled.z / pulled.norm()).acos(), slack);
        println!("pull {:.3} N of {exact:.3} N", pulled.norm());
        assert!((pulled.norm() / exact - 1.0).abs() < 2e-3, "{} {exact}", pulled.norm());
    }
    for (share, holds) in [(0.9, true), (1.05, false)] {
        let mut free = Bench {
            network: bench.network.clone(),
            state: bench.state.clone(),
            ..Bench::new(bench.network.clone())
        };
        free.network.anchors[1].held = [false; 3];
        free.network.anchors[1].force = pulled * share;
        free.ws = NetworkWorkspace::new(&free.network);
        let report = free.solve();
        if holds {
            assert_lawful("held", &report, friction);
            assert!(report.contacts.iter().all(|contact| contact.slip < 1e-4));
        } else {
            assert_ne!(report.status, Status::Converged);
        }
    }
}

/// What was dragged about rests where it was left, to the last bit, however often it is solved.
#[test]
fn nothing_creeps() {
    let mut bench = lying(rod(0.5, 50, 0.005, 0.7, 2e-3), 2e-3, Vec3::x(), Vec3::z(), 0.4);
    assert_lawful("laid", &bench.solve(), 0.4);
    bench.network.anchors[0].pose.position += Vec3::new(-0.005, 0.012, 0.02);
    assert_lawful("dragged", &bench.solve(), 0.4);
    let before = bench.state.clone();
    for _ in 0..1000 {
        assert_eq!(bench.solve().status, Status::Converged);
    }
    let rod = &bench.network.spans[0].rod;
    let at = |state: &NetworkState, k: usize| rod.station(&state.spans[0].rod, 0.005 * k as f64).position;
    let moved = (0..=100).map(|k| (at(&bench.state, k) - at(&before, k)).norm()).fold(0.0, f64::max);
    assert!(moved < 1e-11, "{moved:e}");
}

/// A lying rod, one end lifted and dragged (11b, case lift_10_dragged_pinned).
#[test]
fn a_lifted_end_is_dragged() {
    let (length, stiffness, weight, radius, lift, friction) =
        (1.74096, 0.00814, 0.1243681764326675, 0.01, 0.1309, 0.3);
    let segments = 60;
    let height = radius + 0.125e-4 * length / segments as f64;
    let end = |x: f64| pose(Vec3::new(x, 0.0, height), Vec3::x(), Vec3::z());
    let rod = rod(length, segments, stiffness, weight, radius);
    let network = Network {
        gravity: Vec3::new(0.0, 0.0, -GRAVITY),
        anchors: vec![Anchor::loose(end(0.0)), Anchor::fixed(end(length))],
        spans: vec![Span {
            contact_radius: radius,
            ..Span::new(rod, Attachment::pinned(0), Some(Attachment::pinned(1)))
        }],
        obstacles: vec![plane(Vec3::z(), friction)],
        ..Network::default()
    };
    let mut bench = Bench::new(network);
    bench.lay_straight();
    assert_lawful("laid", &bench.solve(), friction);
    bench.network.anchors[1].pose.position += Vec3::new(-0.01, 0.0, lift - height);
    let lifted = bench.solve();
    println!("lifted: {:?}, {} iterations", lifted.status, lifted.iterations);
    let mut force = Vec3::zeros();
    for _ in 0..3 {
        bench.network.anchors[1].pose.position.x += 0.01;
        let report = bench.solve();
        assert_lawful("dragged", &report, friction);
        force = report.reactions[1].force;
    }
    let exact = Vec3::new(0.04896915933349055, 0.0, 0.05328948933058166);
    println!("drag {force:?}");
    assert!((force - exact).norm() < 2e-3 * exact.norm(), "{force}");
}
