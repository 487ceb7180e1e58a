//! Parts with a shape: they lie, slide, roll and strike as rigid bodies do, and go through nothing.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Mesh as Surface, Obstacle, Shape};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Body, ContactState, Mount, Network, NetworkError, NetworkState, NetworkWorkspace,
    Other, Span, solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::sync::Arc;

const GRAVITY: f64 = 9.81;
const MASS: f64 = 0.3;
const RADIUS: f64 = 0.02;

fn at(position: Vec3) -> Pose {
    Pose { position, orientation: rotation::identity() }
}

/// Nothing but the weight of what is added, and a cable that hangs far away.
fn empty() -> Network {
    let mut network = Network { gravity: Vec3::z() * -GRAVITY, ..Network::default() };
    let orientation = rotation::frame(&-Vec3::z(), &Vec3::x());
    network.anchors.push(Anchor::fixed(Pose { position: Vec3::new(0.0, 9.0, 9.0), orientation }));
    network.spans.push(Span { contact_radius: 0.003, ..Span::new(lead(0.3), Attachment::clamped(0), None) });
    network
}

fn lead(length: f64) -> MixedRod {
    let section = Section::measured(0.004, 0.004, 0.003, 0.05, 0.003).expect("sound");
    let mesh = Mesh::uniform(length, 30).expect("sound");
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

/// Adds a part of a shape that nothing holds, with the inertia of a ball of a radius.
fn add_part(network: &mut Network, shape: Shape, pose: Pose, friction: f64) -> usize {
    let (anchor, obstacle) = (network.anchors.len(), network.obstacles.len());
    let inertia = Vec3::repeat(0.4 * MASS * RADIUS * RADIUS);
    network.anchors.push(Anchor { inertia, ..Anchor::part(pose, MASS, Vec3::zeros()) });
    network.obstacles.push(Obstacle { shape, pose, friction });
    network.mounts.push(Mount { obstacle, anchor, anchor_from_obstacle: at(Vec3::zeros()) });
    anchor
}

fn add_plane(network: &mut Network, normal: Vec3, friction: f64) {
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::frame(&normal, &Vec3::y()) };
    network.obstacles.push(Obstacle { shape: Shape::Plane, pose, friction });
}

/// Steps until a time; every one converges and enters nothing.
fn run(network: &Network, motion: &mut Motion, until: f64, h: f64, integrator: Integrator) {
    let mut ws = NetworkWorkspace::new(network);
    let settings = MotionSettings::new(h, integrator);
    while motion.time < until - 0.5 * h {
        let report = motion.step(network, &mut ws, &settings, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::Converged, "{integrator:?} at {} s: {report:?}", motion.time);
        assert!(report.penetration < 1e-9, "{integrator:?} at {} s: {:e}", motion.time, report.penetration);
    }
}

/// A ball on an incline slides with g sin α where that is smooth, and rolls with five sevenths of it where it is rough enough.
#[test]
fn a_ball_slides_or_rolls_down() {
    let (slope, time): (f64, f64) = (0.3, 0.2);
    let normal = Vec3::new(slope.sin(), 0.0, slope.cos());
    let down = Vec3::new(slope.cos(), 0.0, -slope.sin());
    for (friction, share) in [(0.0, 1.0), (0.5, 5.0 / 7.0)] {
        let went = |steps: u32| {
            let mut network = empty();
            add_part(&mut network, Shape::Sphere { radius: RADIUS }, at(normal * RADIUS), friction);
            add_plane(&mut network, normal, friction);
            let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
            run(&network, &mut motion, time, time / f64::from(steps), Integrator::ImplicitEuler);
            down.dot(&(motion.state.anchors[1].position - normal * RADIUS))
        };
        // Implicit Euler is off by half a step: twice the finer less the coarser is not.
        let (coarse, fine) = (went(20), went(40));
        let expected = 0.5 * share * GRAVITY * slope.sin() * time * time;
        let found = 2.0 * fine - coarse;
        assert!((found / expected - 1.0).abs() < 5e-3, "{friction}: {found} {expected} ({coarse}, {fine})");
    }
}

/// A block on an incline stays where friction holds it, to the last bit of a micrometre, and slides with g (sin α − µ cos α) where not.
#[test]
fn a_block_sticks_or_slides() {
    let (slope, time): (f64, f64) = (0.3, 0.2);
    let normal = Vec3::new(slope.sin(), 0.0, slope.cos());
    let down = Vec3::new(slope.cos(), 0.0, -slope.sin());
    let half = Vec3::new(0.03, 0.02, 0.01);
    let orientation = rotation::frame(&normal, &Vec3::y());
    for friction in [0.4, 0.2] {
        let went = |steps: u32| {
            let mut network = empty();
            let start = Pose { position: normal * half.z, orientation };
            add_part(&mut network, Shape::Box { half }, start, friction);
            add_plane(&mut network, normal, friction);
            let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
            run(&network, &mut motion, time, time / f64::from(steps), Integrator::ImplicitEuler);
            down.dot(&(motion.state.anchors[1].position - normal * half.z))
        };
        let (coarse, fine) = (went(20), went(40));
        let drive = slope.sin() - friction * slope.cos();
        if drive < 0.0 {
            assert!(fine.abs() < 1e-9, "{fine:e}");
        } else {
            let (found, expected) = (2.0 * fine - coarse, 0.5 * GRAVITY * drive * time * time);
            assert!((found / expected - 1.0).abs() < 5e-3, "{found} {expected}");
        }
    }
}

/// Two parts that meet, while both fall, keep their momentum and go on together; what the blow takes is booked.
#[test]
fn parts_that_strike_keep_their_momentum() {
    let shapes = [
        (Shape::Sphere { radius: RADIUS }, Shape::Sphere { radius: RADIUS }),
        (Shape::Box { half: Vec3::repeat(RADIUS) }, Shape::Sphere { radius: RADIUS }),
        (Shape::Capsule { radius: RADIUS, half_length: 0.02 }, Shape::Box { half: Vec3::repeat(RADIUS) }),
    ];
    for (first, second) in shapes {
        let mut network = empty();
        add_part(&mut network, first.clone(), at(Vec3::new(-0.05, 0.0, 0.0)), 0.0);
        add_part(&mut network, second.clone(), at(Vec3::new(0.05, 0.0, 0.0)), 0.0);
        let mut alone = network.clone();
        alone.anchors[2].held = [true; 3];
        alone.anchors[2].held_orientation = true;
        let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
        // The cable stays, and the second is at rest: what is held is not launched.
        alone.spans.clear();
        motion.launch(&alone, Vec3::x(), Vec3::zeros(), Vec3::zeros());
        run(&network, &mut motion, 0.1, 2e-3, Integrator::ImplicitEuler);
        let from = motion.state.clone();
        run(&network, &mut motion, 0.15, 2e-3, Integrator::ImplicitEuler);
        let speed = |k: usize| (motion.state.anchors[k + 1].position - from.anchors[k + 1].position).x / 0.05;
        let what = format!("{first:?} {second:?}: {} {}", speed(0), speed(1));
        assert!((speed(0) + speed(1) - 1.0).abs() < 1e-6, "{what}");
        assert!((speed(0) - speed(1)).abs() < 1e-6, "{what}");
        // Of ½ m v² half is left.
        let taken = 0.25 * MASS;
        assert!((motion.dissipated / taken - 1.0).abs() < 1e-6, "{what}: {} {taken}", motion.dissipated);
    }
}

/// A thin sheet stops a part however fast that is and however long the steps are.
#[test]
fn nothing_goes_through_a_sheet() {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let sheet = Shape::Mesh(Arc::new(Surface::new(&corners, &[[0, 1, 2], [0, 2, 3]]).expect("a mesh").0));
    let shapes = [
        Shape::Sphere { radius: RADIUS },
        Shape::Box { half: Vec3::new(0.03, 0.02, 0.01) },
        Shape::Cylinder { radius: RADIUS, half_length: Some(0.03) },
    ];
    for (shape, speed) in shapes.iter().flat_map(|shape| [1.0, 30.0, 340.0].map(|speed| (shape, speed))) {
        let mut network = empty();
        let orientation = rotation::exp(&Vec3::new(0.3, 0.2, 0.1));
        add_part(&mut network, shape.clone(), Pose { position: Vec3::z() * 0.1, orientation }, 0.0);
        network.obstacles.push(Obstacle { shape: sheet.clone(), pose: at(Vec3::zeros()), friction: 0.0 });
        let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
        let alone = Network { spans: Vec::new(), ..network.clone() };
        motion.launch(&alone, Vec3::z() * -speed, Vec3::zeros(), Vec3::zeros());
        let mut ws = NetworkWorkspace::new(&network);
        let settings = MotionSettings::new(5e-3, Integrator::ImplicitEuler);
        for _ in 0..40 {
            let report =
                motion.step_in_parts(&network, &mut ws, &settings, &Settings::default(), 64).expect("sound");
            assert_eq!(report.status, Status::Converged, "{shape:?} {speed}: {report:?}");
            let above = motion.state.anchors[1].position.z;
            assert!(above > 0.0, "{shape:?} {speed}: {above}");
            assert!(report.penetration < 1e-7, "{shape:?} {speed}: {:e}", report.penetration);
        }
    }
}

/// A plug on a rough floor at the end of a lead.
fn plug(friction: f64) -> Network {
    let mut network = empty();
    let hand =
        Pose { position: Vec3::new(-0.26, 0.0, 0.06), orientation: rotation::frame(&Vec3::x(), &Vec3::z()) };
    network.anchors[0].pose = hand;
    let half = Vec3::new(0.022, 0.009, 0.008);
    let part = add_part(&mut network, Shape::Box { half }, at(Vec3::z() * half.z), friction);
    add_plane(&mut network, Vec3::z(), friction);
    let back = Pose { position: Vec3::x() * -half.x, orientation: rotation::frame(&Vec3::x(), &Vec3::z()) };
    let end = Attachment::clamped(part).at(back);
    network.spans[0] =
        Span { contact_radius: 0.003, ..Span::new(lead(0.29), Attachment::clamped(0), Some(end)) };
    network.seat_ends();
    network
}

/// The floor carries what of the weight the lead does not. Rough, it holds the plug until the pull exceeds µ times that, and then the plug
/// comes along.
#[test]
fn a_plug_is_pulled_over_a_floor() {
    let friction = 0.3;
    let mut network = plug(friction);
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let first = state.anchors[1].position;
    let mut slid = false;
    for step in 0..12 {
        network.anchors[0].pose.position.x -= if step == 0 { 0.0 } else { 0.005 };
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::Converged, "{step}: {report:?}");
        assert!(report.penetration < 1e-9 && report.contact_residual < 1e-6, "{step}: {report:?}");
        let pressed: Vec3 = report.contacts.iter().map(|contact| contact.force).sum();
        let weight = network.gravity * (MASS + network.spans[0].rod.total_mass());
        let left = pressed + report.reactions[0].force + weight;
        assert!(left.norm() < 1e-6 * weight.norm(), "{step}: {left}");
        for contact in &report.contacts {
            assert!(matches!(contact.other, Other::Obstacle(1)), "{contact:?}");
            if matches!(contact.body, Body::Obstacle { obstacle: 0 }) {
                let normal = contact.force.dot(&contact.normal);
                let along = (contact.force - contact.normal * normal).norm();
                assert!(along <= friction * normal * (1.0 + 1e-6), "{step}: {along} {normal}");
                slid |= contact.state == ContactState::Slip;
            }
        }
    }
    let went = first.x - state.anchors[1].position.x;
    assert!(slid && went > 0.005, "{slid} {went}");
}

/// Shapes of parts that cannot be are refused by name.
#[test]
fn shapes_without_end_are_refused() {
    let network = plug(0.0);
    assert_eq!(network.check(), Ok(()));
    for shape in
        [Shape::Plane, Shape::Tube { radius: 0.01 }, Shape::Cylinder { radius: 0.01, half_length: None }]
    {
        let mut wrong = network.clone();
        wrong.obstacles[0].shape = shape;
        assert!(matches!(wrong.check(), Err(NetworkError::NoSuchMount { index: 0, obstacle: 0 })));
        wrong.anchors[1].held = [true; 3];
        wrong.anchors[1].held_orientation = true;
        assert_eq!(wrong.check(), Ok(()));
    }
    for wrong in [
        Mount { obstacle: 7, ..network.mounts[0] },
        Mount { anchor: 7, ..network.mounts[0] },
        Mount { anchor_from_obstacle: at(Vec3::repeat(f64::NAN)), ..network.mounts[0] },
    ] {
        assert!(Network { mounts: vec![wrong], ..network.clone() }.check().is_err(), "{wrong:?}");
    }
    let twice = vec![network.mounts[0]; 2];
    assert!(Network { mounts: twice, ..network.clone() }.check().is_err());
}
