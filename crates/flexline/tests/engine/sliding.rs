//! Ropes that slide through eyes: tension, length, friction.

use crate::tolerance::{convergence, order, round_off};
use flexline::Vec3;
use flexline::algebra::{Mat3, rotation};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkReport, NetworkState, NetworkWorkspace, Slide, Span, Wheel,
    solve_network, span_profile,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

/// A thin, light, soft rope.
fn rope(length: f64) -> MixedRod {
    cord(length, 1e-6, 12)
}

/// A thin, light rope of the given bending stiffness.
fn cord(length: f64, bending: f64, segments: usize) -> MixedRod {
    let section = Section::measured(bending, bending, bending, 1e-4, 0.001).unwrap();
    let mesh = Mesh::uniform(length, segments).unwrap();
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn pose(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, z), orientation: rotation::identity() }
}

/// Held in place, free to turn: the rope's own frame at the eye.
fn eye(x: f64, z: f64) -> Anchor {
    Anchor { held_orientation: false, ..Anchor::fixed(pose(x, z)) }
}

fn solved(network: &Network) -> (NetworkState, NetworkReport) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?} {:?}", state.lengths);
    (state, report)
}

fn tension_at(network: &Network, state: &NetworkState, span: usize, first: bool) -> f64 {
    let profile = span_profile(network, state, span);
    let sample = if first { &profile.samples[0] } else { &profile.samples[profile.samples.len() - 1] };
    sample.force_world.norm()
}

#[test]
fn a_weight_pulls_the_rope_taut_through_an_eye() {
    // Wall – eye – weight. The first span ends up straight; both sides carry the weight.
    let m = 0.5;
    let network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            eye(0.4, 0.1),
            Anchor { held_orientation: true, ..Anchor::part(pose(0.45, -0.3), m, Vec3::zeros()) },
        ],
        spans: vec![
            Span::new(rope(0.5), Attachment::pinned(0), Some(Attachment::clamped(1))),
            Span::new(rope(0.5), Attachment::clamped(1), Some(Attachment::pinned(2))),
        ],
        slides: vec![Slide::through(0, 1, 0.0)],
        gravity: Vec3::new(0.0, 0.0, -G),
        ..Network::default()
    };
    let (state, report) = solved(&network);
    assert!(report.iterations < 30, "{}", report.iterations);
    order(2e-2, 1.0).allows(report.eyes[0].wrap - (0.1f64.atan2(0.4) + std::f64::consts::FRAC_PI_2), || {
        "(report.eyes[0].wrap - (0.1f64.atan2(0.4) + std::f64::consts::FRAC_PI_2)).abs()".into()
    });
    let distance = 0.4f64.hypot(0.1);
    order(1e-3, 1.0).allows(state.lengths[0] - distance, || format!("{:?}", state.lengths));
    round_off(1e-12, 1.0).allows(state.lengths[0] + state.lengths[1] - 1.0, || {
        "(state.lengths[0] + state.lengths[1] - 1.0).abs()".into()
    });
    for (span, first) in [(0, false), (1, true)] {
        let t = tension_at(&network, &state, span, first);
        order(2e-3, 1.0).allows(t / (m * G) - 1.0, || format!("span {span}: {t} of {}", m * G));
    }
}

#[test]
fn a_block_and_tackle_halves_the_load() {
    // Ceiling – moving block with the load – ceiling eye – winch: two falls carry the load.
    let load = 1.2;
    let moving = |z: f64| Anchor { mass: load, held: [true, true, false], ..Anchor::loose(pose(0.1, z)) };
    let network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            moving(-0.5),
            eye(0.2, 0.0),
            Anchor::fixed(pose(0.5, -0.4)),
        ],
        spans: vec![
            Span::new(rope(0.55), Attachment::pinned(0), Some(Attachment::clamped(1))),
            Span::new(rope(0.55), Attachment::clamped(1), Some(Attachment::clamped(2))),
            Span::new(rope(0.55), Attachment::clamped(2), Some(Attachment::pinned(3))),
        ],
        slides: vec![Slide::through(0, 1, 0.0), Slide::through(1, 2, 0.0)],
        gravity: Vec3::new(0.0, 0.0, -G),
        ..Network::default()
    };
    let (state, report) = solved(&network);
    // Two falls at the angle they hang at; the rope's own weight (1.6 g) is left aside.
    let depth = -state.anchors[1].position.z;
    let slope = depth / 0.1f64.hypot(depth);
    let expected = load * G / (2.0 * slope);
    for eye in &report.eyes {
        for t in eye.tensions {
            order(2e-3, 1.0).allows(t / expected - 1.0, || format!("{t} {expected}: {:?}", report.eyes));
        }
    }
    // Pulling in 100 mm of rope at the winch raises the block by about half of that.
    let mut shorter = state.clone();
    shorter.lengths[2] -= 0.1;
    let mut ws = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut shorter, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    let risen = shorter.anchors[1].position.z - state.anchors[1].position.z;
    order(3e-3, 1.0).allows(risen - 0.05, || format!("{risen}"));
}

#[test]
fn friction_holds_by_the_capstan_law() {
    // A weight on the one side of an eye, a hand on the other, half a turn between them.
    let network = |m1: f64, mu: f64| Network {
        anchors: vec![
            Anchor { held_orientation: true, ..Anchor::part(pose(-0.002, -0.4), m1, Vec3::zeros()) },
            eye(0.0, 0.0),
            // The hand that hauls.
            Anchor::fixed(pose(0.002, -0.4)),
        ],
        spans: vec![
            Span::new(rope(0.4), Attachment::pinned(0), Some(Attachment::clamped(1))),
            Span::new(rope(0.41), Attachment::clamped(1), Some(Attachment::pinned(2))),
        ],
        slides: vec![Slide::through(0, 1, mu)],
        gravity: Vec3::new(0.0, 0.0, -G),
        ..Network::default()
    };
    // The hand end is fixed: pulling the weight up by shortening the hauling side.
    let net = network(0.3, 0.2);
    let mut state = NetworkState::initial(&net);
    let mut ws = NetworkWorkspace::new(&net);
    let report = solve_network(&net, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    state.lengths[1] -= 0.02;
    let report = solve_network(&net, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    let eye = report.eyes[0];
    assert!(!eye.sticks, "{eye:?}");
    let law = eye.tensions[0] * (0.2 * eye.wrap).exp();
    order(1e-3, 1.0).allows(eye.tensions[1] / law - 1.0, || format!("{eye:?} {law}"));
    order(2e-3, 1.0).allows(eye.tensions[0] / (0.3 * G) - 1.0, || format!("{eye:?}"));
    // Nothing more is hauled: friction holds, with all of its tension.
    let again = solve_network(&net, &mut state, &mut ws, &Settings::default()).unwrap();
    assert!(again.eyes[0].sticks, "{:?}", again.eyes);
    convergence(1e-6, 1.0).allows(again.eyes[0].tensions[1] / eye.tensions[1] - 1.0, || {
        "(again.eyes[0].tensions[1] / eye.tensions[1] - 1.0).abs()".into()
    });
    // Let go by a millimetre: it slips the other way, and the hand holds less than the weight.
    state.lengths[1] += 1e-3;
    let back = solve_network(&net, &mut state, &mut ws, &Settings::default()).unwrap().eyes[0];
    order(1e-3, 1.0)
        .allows(back.tensions[0] / back.tensions[1] / (0.2 * back.wrap).exp() - 1.0, || format!("{back:?}"));
}

/// A weight on a rope that runs over a wheel to a hand.
fn over_a_wheel(radius: f64, friction: f64, mass: f64) -> Network {
    let mut network = Network {
        anchors: vec![
            Anchor { held_orientation: true, ..Anchor::part(pose(-radius, -0.5), mass, Vec3::zeros()) },
            Anchor::fixed(pose(radius, -0.5)),
            Anchor::fixed(pose(0.0, 0.0)),
        ],
        spans: vec![
            Span::new(rope(0.5), Attachment::pinned(0), None),
            Span::new(rope(0.5), Attachment::pinned(0), Some(Attachment::pinned(1))),
        ],
        gravity: Vec3::new(0.0, 0.0, -G),
        ..Network::default()
    };
    // x to the right, y down: by the right hand from the left over the top to the right.
    let axle = rotation::from_matrix(&Mat3::from_columns(&[Vec3::x(), -Vec3::z(), Vec3::y()]));
    let pose = Pose { position: Vec3::zeros(), orientation: axle };
    network.add_wheel(Wheel { on: 2, pose, radius, contact: [PI, TAU] }, 0, 1, friction);
    network
}

#[test]
fn a_wheel_leads_the_rope_round() {
    let mass = 0.3;
    let network = over_a_wheel(0.05, 0.0, mass);
    let (mut state, report) = solved(&network);
    let eye = report.eyes[0];
    // Stiffness lifts the rope off early on either side: cos α = 1 − K/(2TR²).
    let alpha = (1.0 - 1e-6 / (2.0 * eye.tensions[0] * 0.05 * 0.05)).acos();
    order(1e-4, 1.0).allows(eye.wrap - (PI - 2.0 * alpha), || format!("{eye:?}"));
    for t in eye.tensions {
        order(2e-3, 1.0).allows(t / (mass * G) - 1.0, || format!("{eye:?}"));
    }
    // The wheel bears both sides.
    let push = report.reactions[2].force;
    order(2e-3, 1.0).allows(push.z / (2.0 * mass * G) - 1.0, || format!("{push}"));
    let height = state.anchors[0].position.z;
    // What is hauled the weight rises by.
    state.lengths[1] -= 0.1;
    let mut ws = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    let risen = state.anchors[0].position.z - height;
    order(1e-4, 1.0).allows(risen - 0.1, || format!("{risen}"));
}

#[test]
fn a_wheel_that_does_not_turn_rubs() {
    let network = over_a_wheel(0.05, 0.3, 0.3);
    let (mut state, _) = solved(&network);
    state.lengths[1] -= 0.05;
    let mut ws = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    let eye = report.eyes[0];
    let law = (0.3 * eye.wrap).exp();
    order(1e-3, 1.0).allows(eye.tensions[1] / eye.tensions[0] / law - 1.0, || format!("{eye:?} {law}"));
    assert!(!eye.sticks);
}

/// The bend beside the rim dies out over √(K/T) = 15 mm. It takes up rope, whether segments are short
/// enough to show it or not.
#[test]
fn a_coarse_rope_carries_its_weight_as_high_as_a_fine_one() {
    let height = |segments: usize| {
        let mut network = over_a_wheel(0.04, 0.0, 0.5);
        network.spans.iter_mut().for_each(|span| span.rod = cord(0.5, 1e-3, segments).into());
        let (state, _) = solved(&network);
        let rope: f64 =
            state.lengths.iter().sum::<f64>() + 0.04 * (state.contacts[0][1] - state.contacts[0][0]);
        round_off(1e-12, 1.0).allows(rope - 1.0 - 0.04 * PI, || format!("{rope}"));
        let end = span_profile(&network, &state, 1).samples.last().unwrap().s;
        round_off(1e-12, 1.0).allows(end - state.lengths[1], || format!("{end}"));
        state.anchors[0].position.z
    };
    let fine = height(400);
    for segments in [6, 12, 25, 50, 100] {
        let off = height(segments) - fine;
        order(4e-5, 1.0).allows(off, || format!("{segments} segments: {off}"));
    }
}

/// A thread that is pushed through an eye used to show tensions of the size of its force. Between two clamps nearer than
/// it is long it bulges to one side of the eye and to the other, and presses.
#[test]
fn a_thread_that_is_pushed_has_negative_tensions() {
    use flexline::rod::AnyRod;
    use flexline::rod::curvature::{Basis, CurvatureRod};
    use flexline::rod::spline::SplineRod;
    let section = SectionProfile::uniform(Section::measured(1e-3, 1e-3, 1e-3, 1e-4, 0.001).unwrap());
    let straight = |_: f64| Vec3::zeros();
    let curved =
        |basis, n| -> AnyRod { CurvatureRod::new(basis, 0.5, n, &section, &straight).unwrap().into() };
    let rods: [AnyRod; 4] = [
        MixedRod::new(&Mesh::uniform(0.5, 40).unwrap(), &section, &straight).into(),
        curved(Basis::Helix, 40),
        curved(Basis::Clothoid, 12),
        SplineRod::new(0.5, 24, &section, &straight).unwrap().into(),
    ];
    let x = |at: f64| Pose { position: Vec3::x() * at, orientation: rotation::frame(&Vec3::x(), &Vec3::y()) };
    for rod in rods {
        let model = flexline::rod::Rod::model(&rod);
        for friction in [0.0, 0.3] {
            let network = Network {
                anchors: vec![
                    Anchor::fixed(x(0.0)),
                    Anchor { held_orientation: false, ..Anchor::fixed(x(0.46)) },
                    Anchor::fixed(x(0.92)),
                ],
                spans: vec![
                    Span::new(rod.clone(), Attachment::clamped(0), Some(Attachment::clamped(1))),
                    Span::new(rod.clone(), Attachment::clamped(1), Some(Attachment::clamped(2))),
                ],
                slides: vec![Slide::through(0, 1, friction)],
                gravity: Vec3::new(0.0, 0.0, -1.0),
                ..Network::default()
            };
            let (state, report) = solved(&network);
            let eye = report.eyes[0];
            // As the profile says it: force along the tangent on either side.
            for (side, span) in [(0, 0), (1, 1)] {
                let profile = span_profile(&network, &state, span);
                let at = if side == 0 { profile.samples.len() - 1 } else { 0 };
                let sample = &profile.samples[at];
                let along = sample.force_world.dot(&rotation::tangent(&sample.frame));
                let tension = eye.tensions[side];
                assert!(tension < -0.02, "{model}, µ = {friction}: {eye:?}");
                order(0.03, 1.0)
                    .allows(tension / along - 1.0, || format!("{model}, µ = {friction}: {tension} {along}"));
            }
            let [a, b] = eye.tensions;
            order(1e-3, 1.0).allows(a / b - 1.0, || format!("{model}, µ = {friction}: {eye:?}"));
        }
    }
}

/// Friction holds what is pushed as it holds what is pulled: |T| by the capstan.
#[test]
fn friction_holds_a_rod_that_is_pushed_round_a_bend() {
    // Two stiff struts that meet in an eye at an angle, each pushed towards it; the eye is on a hinge.
    let strut = |n: usize| cord(0.3, 10.0, n);
    let frame = |tangent: Vec3| rotation::frame(&tangent, &Vec3::y());
    let phi = 0.6f64;
    let out = Vec3::new(phi.cos(), 0.0, -phi.sin());
    let network = |extra: f64| {
        let force = |v: Vec3| v * 1.0;
        Network {
            anchors: vec![
                Anchor {
                    held_orientation: true,
                    force: force(Vec3::x() * (1.0 + extra)),
                    ..Anchor::loose(Pose { position: -Vec3::x() * 0.3, orientation: frame(Vec3::x()) })
                },
                Anchor::fixed(pose(0.0, 0.0)),
                Anchor {
                    held_orientation: true,
                    force: force(-out),
                    ..Anchor::loose(Pose { position: out * 0.3, orientation: frame(out) })
                },
            ],
            spans: vec![
                Span::new(strut(8), Attachment::clamped(0), Some(Attachment::pinned(1))),
                Span::new(strut(8), Attachment::pinned(1), Some(Attachment::clamped(2))),
            ],
            slides: vec![Slide::through(0, 1, 0.4)],
            ..Network::default()
        }
    };
    // Up to e^{µφ} it holds.
    let most = (0.4 * phi).exp() - 1.0;
    let (_, report) = solved(&network(0.9 * most));
    let eye = report.eyes[0];
    assert!(eye.sticks && eye.tensions.iter().all(|t| *t < 0.0), "{eye:?}");
    order(0.02, 1.0).allows(eye.tensions[0] / eye.tensions[1] - 1.0 - 0.9 * most, || format!("{eye:?}"));
    order(0.02, 1.0).allows(eye.wrap - phi, || format!("{eye:?}"));
}
