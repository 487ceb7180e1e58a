//! Contacts against differences, and against balances that hold exactly.

use super::super::assemble::{evaluate, factorise, norms, residual};
use super::super::newton::newton_step;
use super::super::testing::{self, MODELS};
use super::super::{
    Anchor, Attachment, Network, NetworkError, NetworkState, NetworkWorkspace, solve_network,
};
use super::is_entered;
use crate::algebra::tolerance::{assert_near, truncation};
use crate::algebra::{Vec3, rotation};
use crate::body::{Pose, Roll, Tap};
use crate::contact::{Obstacle, Shape, sample};
use crate::rod::Rod;
use crate::solver::motion::{Integrator, Motion, MotionSettings};
use crate::solver::report::Status;
use crate::solver::settings::Settings;
use std::f64::consts::PI;
use std::sync::Arc;

fn obstacle(shape: Shape, position: Vec3, up: Vec3) -> Obstacle {
    let across = if up.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    Obstacle { shape, pose: Pose { position, orientation: rotation::frame(&up, &across) }, friction: 0.0 }
}

/// A rod that is held level at one end and hangs over something.
fn over(model: &str, shape: Shape, below: Vec3, up: Vec3) -> Network {
    let mut network = testing::cantilever(model, 40);
    network.spans[0].contact_radius = 0.01;
    network.obstacles.push(obstacle(shape, below, up));
    network
}

/// The direction of the rod at its clamp.
fn ahead() -> Vec3 {
    let network = testing::cantilever("mixed", 4);
    rotation::tangent(&network.anchors[0].pose.orientation)
}

/// On a floor, over a bar, over the rim of a block, over a ball, within a tube.
fn scenes(model: &str) -> Vec<(String, Network)> {
    let (x, z) = (ahead(), Vec3::z());
    let y = z.cross(&x);
    let bar = Shape::Cylinder { radius: 0.05, half_length: None };
    let block = Shape::Box { half: Vec3::new(0.1, 0.1, 0.1) };
    let scenes = [
        ("floor", over(model, Shape::Plane, z * -0.03, z)),
        ("bar", over(model, bar, x * 0.3 - z * 0.09, y)),
        ("block", over(model, block, x * 0.25 - z * 0.13, z)),
        ("ball", over(model, Shape::Sphere { radius: 0.08 }, x * 0.3 - z * 0.12 + y * 1e-3, z)),
        ("tube", over(model, Shape::Tube { radius: 0.04 }, Vec3::zeros(), x)),
    ];
    scenes.map(|(name, network)| (format!("{model} {name}"), network)).into()
}

fn solved(name: &str, network: &Network) -> (NetworkState, NetworkWorkspace) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::Converged, "{name}");
    (state, ws)
}

/// A weight is carried by the clamp and by what it lies on, and nothing is entered.
#[test]
fn obstacles_carry_what_lies_on_them() {
    for (name, network) in MODELS.into_iter().flat_map(scenes) {
        let most = if name.starts_with("spline") { 80 } else { 25 };
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::Converged, "{name}");
        assert!(report.iterations <= most, "{name}: {}", report.iterations);
        assert!(report.penetration < 1e-9, "{name}: {:e}", report.penetration);
        let pressed: Vec3 = report.contacts.iter().map(|contact| contact.force).sum();
        let weight = network.gravity * network.spans[0].rod.total_mass();
        let left = report.reactions[0].force + pressed + weight;
        assert!(left.norm() < 1e-6 * weight.norm(), "{name}: {left}");
        assert_eq!(report.contacts.is_empty(), name.ends_with("ball"), "{name}");
    }
}

/// The slope that the solver computes is the derivative of the merit.
#[test]
fn slope_agrees_with_differences() {
    for (name, network) in MODELS.into_iter().flat_map(scenes) {
        let (mut state, mut ws) = solved(&name, &network);
        // All of it turned a little: what touched is inside, or has left. Curvatures are integrated, and turn less.
        let bent = name.starts_with("helix") || name.starts_with("clothoid");
        let size = if bent { 0.03 } else { 1e-3 };
        network.spans[0].rod.shake(&mut state.spans[0].rod, |i| size * (1.3 * i as f64).sin());
        testing::check_slope(&name, &network, &mut state, &mut ws);
    }
}

/// A step leaves the square of what there was: all second derivatives are there, of places that shift too.
#[test]
fn steps_converge_quadratically() {
    for (name, network) in MODELS.into_iter().flat_map(scenes) {
        let (state, mut ws) = solved(&name, &network);
        let left = |state: &mut NetworkState, ws: &mut NetworkWorkspace| {
            evaluate(&network, state, ws);
            let r = residual(&network, state, ws);
            norms(&network, state, ws, &r).left()
        };
        let after_step = |size: f64, ws: &mut NetworkWorkspace| {
            let mut here = state.clone();
            network.spans[0].rod.shake(&mut here.spans[0].rod, |i| size * (0.7 * i as f64 + 0.3).sin());
            let before = left(&mut here, ws);
            let r = residual(&network, &here, ws);
            factorise(&network, &here, ws, 0.0).expect("regular");
            newton_step(&network, &here, ws, &r);
            let mut there = here.clone();
            there.advance_from(&here, &network, ws, 1.0, |_, _, _, _| {});
            ws.contacts.forces_ahead(1.0, &mut there.contact_forces);
            (before, left(&mut there, ws))
        };
        let ((_, coarse), (_, fine)) = (after_step(1e-5, &mut ws), after_step(1e-6, &mut ws));
        // Down to round-off of the forces, in places that integrals along the rod give.
        assert!(fine < (0.06 * coarse).max(3e-9), "{name}: {coarse:e} {fine:e}");
    }
}

/// The stiffness k against y = a·δx + b·δx′ of a place that shifts is in the matrix: a step with it is that without, less
/// k y/(1 + k c) times the response to a unit of y, where c is the y of that response (Sherman and Morrison). A unit of y is
/// a force a at the place, and two of ± b/2h beside it; the y of a step is taken from the states before and behind it.
#[test]
fn places_that_shift_are_in_the_matrix() {
    let (share, h) = (0.613, 1e-4);
    let roll =
        Roll { by_move: Vec3::new(3.0, -1.0, 2.0), by_slope: Vec3::new(0.4, 1.2, -0.7), stiffness: 0.8 };
    let unit = [
        (share, roll.by_move),
        (share + h, roll.by_slope / (2.0 * h)),
        (share - h, roll.by_slope / (-2.0 * h)),
    ];
    for model in MODELS {
        let network = testing::cantilever(model, 10);
        let mut state = testing::disturbed(&network, 0.05);
        let mut ws = NetworkWorkspace::new(&network);
        let mut along = |roll: Option<Roll>, push: &[(f64, Vec3)]| {
            let tap = Tap { roll, ..Tap::force(share, Vec3::zeros(), Vec3::zeros()) };
            ws.spans[0].kernel.taps().places = vec![tap];
            ws.spans[0].forget();
            evaluate(&network, &mut state, &mut ws);
            let r = residual(&network, &state, &mut ws);
            factorise(&network, &state, &mut ws, 0.0).expect("regular");
            newton_step(&network, &state, &mut ws, &r);
            ws.spans[0].push(push);
            newton_step(&network, &state, &mut ws, &r);
            ws.spans[0].push(&[]);
            let rod = &network.spans[0].rod;
            let [ahead, behind] = [1e-6, -1e-6].map(|scale| {
                let mut there = state.clone();
                there.advance_from(&state, &network, &mut ws, scale, |_, _, _, _| {});
                let own = &there.spans[0].rod;
                roll_of(&rod.place(own, share), &rod.place_derivatives(own, share)[0])
            });
            (ahead - behind) / 2e-6
        };
        fn roll_of(at: &Vec3, slope: &Vec3) -> f64 {
            Vec3::new(3.0, -1.0, 2.0).dot(at) + Vec3::new(0.4, 1.2, -0.7).dot(slope)
        }
        let (with, without) = (along(Some(roll), &[]), along(None, &[]));
        let response = along(None, &unit) - without;
        let expected = without / (1.0 + roll.stiffness * response);
        assert!((expected / without - 1.0).abs() > 0.1, "{model}: nothing to see");
        assert_near(with, expected, truncation(1e-5, without), || format!("{model}: roll in the matrix"));
    }
}

/// Angle that a polyline goes round the y axis, rad.
fn turned_about_y(points: impl Iterator<Item = Vec3>) -> f64 {
    let points: Vec<Vec3> = points.collect();
    let angle = |w: &[Vec3]| {
        let [a, b] = [w[0], w[1]].map(|p| (p.x, p.z));
        (a.0 * b.1 - a.1 * b.0).atan2(a.0 * b.0 + a.1 * b.1)
    };
    points.windows(2).map(angle).sum()
}

/// Ways of an end across a bar; many lead through it and end there.
const DRAGS: usize = 8;

/// A cable across a bar, one end of it thrown about by up to a metre at once: it is never inside, and stays on its side
/// of the bar, however often it goes round.
#[test]
fn nothing_is_crossed_however_fast_an_end_is_led() {
    let mut network = testing::cantilever("mixed", 50);
    let mut span = network.spans.swap_remove(0);
    let pose = |position: Vec3| Pose { position, orientation: rotation::identity() };
    network.anchors =
        vec![Anchor::fixed(pose(Vec3::new(-0.25, 0.0, 0.1))), Anchor::fixed(pose(Vec3::new(0.25, 0.0, 0.1)))];
    span.rod = span.rod.with_length(0.9);
    (span.start, span.end) = (Attachment::pinned(0), Some(Attachment::pinned(1)));
    span.contact_radius = 0.01;
    network.spans.push(span);
    network.obstacles.push(obstacle(
        Shape::Cylinder { radius: 0.04, half_length: None },
        Vec3::zeros(),
        Vec3::y(),
    ));
    let (mut state, mut ws) = solved("bar", &network);
    let axis = |state: &NetworkState| {
        let (rod, own) = (&network.spans[0].rod, &state.spans[0].rod);
        (0..=400).map(|k| rod.place(own, k as f64 / 400.0)).collect::<Vec<_>>()
    };
    let mut network = network.clone();
    let mut seed = 0.37f64;
    let mut noise = || {
        seed = (seed * 97.31 + 0.417).fract();
        2.0 * seed - 1.0
    };
    let (mut reached, mut tried) = (0, 0);
    for _ in 0..DRAGS {
        let from = state.anchors[1].position;
        let to = Vec3::new(0.5 * noise(), 0.1 * noise(), 0.5 * noise());
        network.anchors[1].pose.position = to;
        let before = turned_about_y(axis(&state).into_iter());
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
        tried += 1;
        reached += usize::from(report.status == Status::Converged);
        let end = state.anchors[1].position;
        assert!(report.penetration < 1e-8, "{to}: {:e} {:?}", report.penetration, report.status);
        // As far as it came, the end went straight.
        let way = (0..=1000).map(|k| from + (end - from) * (k as f64 / 1000.0));
        let led = turned_about_y(way);
        let after = turned_about_y(axis(&state).into_iter());
        assert!((after - before - led).abs() < 1e-3, "{from} to {end}: {before} {after} {led}");
    }
    assert!(reached >= 2, "{reached} of {tried}");
}

/// A cable of a metre between two ports 0.9 m apart, 4 cm above the ground.
fn between_ports(obstacle: Obstacle) -> Network {
    let mut network = testing::cantilever("mixed", 50);
    let mut span = network.spans.swap_remove(0);
    let level = |x: f64| Pose {
        position: Vec3::new(x, 0.0, 0.04),
        orientation: rotation::frame(&Vec3::x(), &Vec3::y()),
    };
    network.anchors = vec![Anchor::fixed(level(0.0)), Anchor::fixed(level(0.9))];
    span.rod = span.rod.with_length(1.0);
    (span.start, span.end) = (Attachment::clamped(0), Some(Attachment::clamped(1)));
    span.contact_radius = 0.004;
    network.spans.push(span);
    network.obstacles.push(obstacle);
    network
}

/// Hills made of triangles with sides of 1.4 m / `side`.
fn hills(side: usize) -> Obstacle {
    let mesh = sample::hills(side).expect("sound");
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
    Obstacle { shape: Shape::Mesh(Arc::new(mesh)), pose, friction: 0.0 }
}

/// Pieces that go over many faces at once have one contact where they are nearest, and a cable that sags through a mesh
/// is laid above it.
#[test]
fn a_cable_rests_on_a_mesh() {
    for side in [20, 56, 112] {
        let network = between_ports(hills(side));
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::Converged, "{side}");
        assert!(report.penetration < 1e-9, "{side}: {:e}", report.penetration);
        assert!(!is_entered(&network, &state, 0), "{side}");
        assert!(!report.contacts.is_empty(), "{side}");
        let pressed: Vec3 = report.contacts.iter().map(|contact| contact.force).sum();
        let weight = network.gravity * network.spans[0].rod.total_mass();
        let held: Vec3 = report.reactions.iter().map(|r| r.force).sum();
        assert!((held + pressed + weight).norm() < 1e-6 * weight.norm(), "{side}: {held} {pressed}");
    }
}

/// A slack cable whose sag a floor is in the way of begins on its side. It used to begin as an arch upwards, and stood on its ends.
#[test]
fn a_slack_cable_does_not_stand_on_its_ends() {
    for height in [0.02, 0.06, 0.15] {
        let mut network = between_ports(obstacle(Shape::Plane, Vec3::z() * (0.04 - height), Vec3::z()));
        network.anchors[1].pose.position.x = 0.5;
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
        assert_eq!((report.status, report.negative), (Status::Converged, 0), "{height}");
        assert!(!report.contacts.is_empty(), "{height}: it lies on the floor");
        let highest =
            (0..=100).map(|k| network.spans[0].rod.place(&state.spans[0].rod, f64::from(k) / 100.0).z);
        assert!(highest.fold(0.0, f64::max) < 0.05, "{height}: it stands");
    }
}

/// A rod on a ridge of facets rests on several at once: which of them is nearest changes with the least turn, and steps that
/// knew the nearest alone went to and fro between two of them, hundreds of times, at the fourth place here.
#[test]
fn a_cable_is_drawn_over_facets() {
    let mut network = between_ports(hills(224));
    network.spans[0].rod = testing::cantilever("mixed", 100).spans[0].rod.with_length(1.0);
    let (mut state, mut ws) = solved("hills", &network);
    for k in 0..12 {
        let (sine, cosine) = (PI * k as f64 / 24.0).sin_cos();
        network.anchors[1].pose.position += Vec3::new(cosine, sine, 0.0) * 2e-3;
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::Converged, "{k}");
        assert!(report.iterations <= 25, "{k}: {}", report.iterations);
        assert!(report.penetration < 1e-9, "{k}: {:e}", report.penetration);
    }
}

/// What is moved takes along what lies on it, however far it goes at once; what appears in the middle of a cable comes
/// in from below.
#[test]
fn obstacles_take_cables_along() {
    let floor = |z: f64| obstacle(Shape::Plane, Vec3::z() * z, Vec3::z());
    let mut network = between_ports(floor(-0.5));
    let (mut state, mut ws) = solved("far floor", &network);
    let lowest = |network: &Network, state: &NetworkState| {
        let (rod, own) = (&network.spans[0].rod, &state.spans[0].rod);
        (0..=400).map(|k| rod.place(own, k as f64 / 400.0).z).fold(f64::INFINITY, f64::min)
    };
    assert!(lowest(&network, &state) < -0.05, "it hangs");
    network.obstacles[0] = floor(0.0);
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::Converged);
    let low = lowest(&network, &state);
    // The axis touches in the middle of its pieces, and is higher at their ends by what bends between.
    assert!((low - 0.004).abs() < 1e-4 && report.penetration < 1e-9, "{low}");
    // A bar through it, where there was none.
    let bar = Shape::Capsule { radius: 0.03, half_length: 0.1 };
    network.obstacles.push(obstacle(bar, Vec3::new(0.45, 0.0, 0.0), Vec3::y()));
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::Converged);
    assert!((0..network.obstacles.len()).all(|o| !is_entered(&network, &state, o)));
    assert!(report.penetration < 1e-9, "{:e}", report.penetration);
}

/// The slope is the derivative of the merit with friction too: of what sticks, what slides and what comes into reach.
#[test]
fn slope_with_friction_agrees_with_differences() {
    let mut network = over("mixed", Shape::Plane, Vec3::z() * -0.03, Vec3::z());
    network.obstacles[0].friction = 0.3;
    let (mut state, mut ws) = solved("rough floor", &network);
    ws.contacts.begin(&state);
    network.spans[0].rod.shake(&mut state.spans[0].rod, |i| 1e-3 * (1.3 * i as f64).sin());
    testing::check_slope("rough floor", &network, &mut state, &mut ws);
}

/// Without friction everything is as before, to the last bit, and next to no friction changes next to nothing.
#[test]
fn little_friction_changes_little() {
    for (name, mut network) in scenes("mixed").into_iter().take(2) {
        let (smooth, _) = solved(&name, &network);
        network.obstacles[0].friction = 1e-9;
        let (rough, _) = solved(&name, &network);
        let at =
            |state: &NetworkState, k: usize| network.spans[0].rod.place(&state.spans[0].rod, 0.1 * k as f64);
        for k in 0..=10 {
            assert!((at(&smooth, k) - at(&rough, k)).norm() < 1e-7, "{name} {k}");
        }
        assert!(smooth.contact_forces.iter().all(|force| force.friction == Vec3::zeros()));
    }
}

/// What contact does not do yet is refused by name.
#[test]
fn what_is_not_solved_yet_is_refused() {
    let mut network = over("mixed", Shape::Plane, Vec3::z() * -0.03, Vec3::z());
    let (state, mut ws) = solved("floor", &network);
    // A motion that begins within an obstacle.
    let mut sunk = network.clone();
    sunk.obstacles[0].pose.position.z += 0.01;
    let mut motion = Motion::at_rest(&sunk, state.clone());
    let steps = MotionSettings::new(0.01, Integrator::Bdf2);
    let moved = motion.step(&sunk, &mut ws, &steps, &Settings::default());
    assert!(matches!(moved, Err(NetworkError::Inside { span: 0, .. })), "{moved:?}");
    network.obstacles[0].friction = f64::NAN;
    let bad = solve_network(&network, &mut state.clone(), &mut ws, &Settings::default());
    assert!(matches!(bad, Err(NetworkError::Obstacle { index: 0, .. })), "{bad:?}");
}

/// A port that goes down beside a bar draws its cable over it. Each step goes on as the last has come: with the shape of the
/// last alone none is longer than the cable is thick.
#[test]
fn what_is_led_goes_on_as_it_came() {
    let bar = Shape::Cylinder { radius: 0.05, half_length: None };
    let mut network = between_ports(obstacle(bar, Vec3::new(0.15, 0.0, -0.03), Vec3::y()));
    network.anchors[1].pose.position.x = 0.7;
    let (mut state, mut ws) = solved("bar", &network);
    network.anchors[0].pose.position.z = -0.2;
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::Converged);
    assert!(report.penetration < 1e-9 && !report.contacts.is_empty(), "{:e}", report.penetration);
    assert!(report.iterations <= 100, "{}", report.iterations);
}

/// An end that is led into a wall stays before it, and nothing is tried for long: no force moves what is held.
#[test]
fn an_end_that_is_led_into_a_wall_stops_before_it() {
    let wall = obstacle(Shape::Box { half: Vec3::new(2.0, 0.02, 2.0) }, Vec3::y() * 0.15, Vec3::z());
    let mut network =
        between_ports(Obstacle { pose: Pose { orientation: rotation::identity(), ..wall.pose }, ..wall });
    let (mut state, mut ws) = solved("wall", &network);
    network.anchors[1].pose.position.y = 0.3;
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::NoProgress);
    let gap = 0.13 - network.spans[0].contact_radius - state.anchors[1].position.y;
    assert!((0.0..0.01).contains(&gap), "{gap}");
    assert!(report.iterations <= 60, "{}", report.iterations);
}

/// A port that is led down behind a bar farther than its cable reaches over it, though not as the crow flies. It stays at an equilibrium,
/// and what is missing is that of a taut string: the search used to end somewhere, with no word of lengths.
#[test]
fn a_cable_too_short_to_go_round_something_is_told_so() {
    let (radius, middle) = (0.05, Vec3::new(0.45, 0.0, -0.2));
    let bar = Shape::Cylinder { radius, half_length: None };
    let mut network = between_ports(obstacle(bar, middle, Vec3::y()));
    network.spans[0].start = Attachment::pinned(0);
    network.spans[0].end = Some(Attachment::pinned(1));
    network.anchors[1].pose.position.x = 0.98;
    let (mut state, mut ws) = solved("bar", &network);
    let to = Vec3::new(0.5, 0.0, -0.7);
    network.anchors[1].pose.position = to;
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::TooShort);
    let round = radius + network.spans[0].contact_radius;
    let from = network.anchors[0].pose.position;
    let ways = [from - middle, to - middle];
    let straight = ways.map(|way| (way.norm_squared() - round * round).sqrt());
    let [a, b] = ways.map(|way| way.z.atan2(way.x));
    let arc = a - b - ways.iter().map(|way| (round / way.norm()).acos()).sum::<f64>();
    let missing = straight[0] + straight[1] + round * arc - network.spans[0].rod.length();
    assert!(missing > 0.05 && (to - from).norm() < 0.9 * network.spans[0].rod.length());
    assert_eq!(report.short.len(), 1);
    let told = report.short[0].missing;
    assert!((told - missing).abs() < 0.01 * missing, "{told} {missing}");
    assert!(report.penetration < 1e-9 && report.residual_force < 1e-6 * report.largest_force);
}
