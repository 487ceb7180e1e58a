//! Spans that touch each other and themselves: against differences, balances and invariants of links.

use super::super::assemble::{evaluate, factorise, norms, residual};
use super::super::newton::newton_step;
use super::super::testing;
use super::super::{Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span, solve_network};
use super::{Contact, Other, is_free};
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::contact::{Obstacle, Shape};
use crate::geometry::writhe::linking;
use crate::rod::mixed::{Mesh, MixedRod};
use crate::rod::{Rod, RodState, State, Station};
use crate::section::{Section, SectionProfile};
use crate::solver::report::Status;
use crate::solver::settings::Settings;
use std::f64::consts::{PI, TAU};

const RADIUS: f64 = 0.005;

fn rod(length: f64, segments: usize) -> MixedRod {
    let section = Section::measured(0.002, 0.002, 0.0016, 0.15, RADIUS).expect("sound section");
    let mesh = Mesh::uniform(length, segments).expect("sound mesh");
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn pose(position: Vec3, along: Vec3) -> Pose {
    let across = if along.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
    Pose { position, orientation: rotation::frame(&along, &across) }
}

/// Two cables between clamps, the longer across the other and so high above it.
fn crossing(height: f64) -> Network {
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    for (k, (along, z)) in
        [(Vec3::x(), height), (Vec3::new(0.3, 1.0, 0.0).normalize(), 0.0)].into_iter().enumerate()
    {
        for side in [-0.2, 0.2] {
            network.anchors.push(Anchor::fixed(pose(along * side + Vec3::z() * z, along)));
        }
        network.spans.push(Span {
            contact_radius: RADIUS,
            ..Span::new(
                rod(if k == 0 { 0.45 } else { 0.405 }, 40),
                Attachment::clamped(2 * k),
                Some(Attachment::clamped(2 * k + 1)),
            )
        });
    }
    network
}

fn solve(name: &str, network: &Network, state: &mut NetworkState) -> NetworkWorkspace {
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::Converged, "{name}: {report:?}");
    assert!(report.penetration < 1e-6 * RADIUS, "{name}: {:e}", report.penetration);
    ws
}

/// The upper cable led down onto the lower.
fn laid() -> (Network, NetworkState, NetworkWorkspace) {
    let network = crossing(0.3);
    let mut state = NetworkState::initial(&network);
    solve("above", &network, &mut state);
    let network = crossing(0.035);
    let ws = solve("laid", &network, &mut state);
    assert!(!state.contact_forces.is_empty());
    (network, state, ws)
}

/// The lower cable carries what of the weight of the upper its clamps do not, and both feel the same.
#[test]
fn crossing_cables_rest_on_each_other() {
    let (network, mut state, mut ws) = laid();
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert_eq!(report.status, Status::Converged);
    let force: Vec3 = report.contacts.iter().map(|contact| contact.force).sum();
    assert!(force.z > 0.05, "{force}");
    for k in 0..2 {
        let weight = network.gravity * network.spans[k].rod.total_mass();
        let held = report.reactions[2 * k].force + report.reactions[2 * k + 1].force;
        let pressed = if k == 0 { force } else { -force };
        assert!((held + weight + pressed).norm() < 1e-6 * weight.norm(), "{k}");
    }
    for contact in &report.contacts {
        assert!(
            contact.body.span() == Some(0) && matches!(contact.other, Other::Span { index: 1, .. }),
            "{contact:?}"
        );
    }
    // Who is let pass falls through.
    let passing = Network { passing: vec![[1, 0]], ..network };
    let report = solve_network(&passing, &mut state, &mut ws, &Settings::default()).expect("sound");
    assert!(report.contacts.is_empty() && report.status == Status::Converged);
}

/// The slope that the solver computes is the derivative of the merit.
#[test]
fn slope_agrees_with_differences() {
    let (network, mut state, mut ws) = laid();
    for (k, span) in network.spans.iter().enumerate() {
        span.rod.shake(&mut state.spans[k].rod, |i| 1e-3 * (1.3 * i as f64 + k as f64).sin());
    }
    testing::check_slope("crossing", &network, &mut state, &mut ws);
}

#[test]
fn slope_with_friction_agrees_with_differences() {
    let (mut network, mut state, mut ws) = laid();
    network.spans.iter_mut().for_each(|span| span.friction = 0.3);
    ws.contacts.begin(&state);
    for (k, span) in network.spans.iter().enumerate() {
        span.rod.shake(&mut state.spans[k].rod, |i| 1e-3 * (1.3 * i as f64 + k as f64).sin());
    }
    testing::check_slope("rough crossing", &network, &mut state, &mut ws);
}

/// What a step leaves of errors of two sizes, one ten times the other.
fn after_steps(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace) -> [f64; 2] {
    let left = |state: &mut NetworkState, ws: &mut NetworkWorkspace| {
        evaluate(network, state, ws);
        let r = residual(network, state, ws);
        norms(network, state, ws, &r).left()
    };
    [1e-5, 1e-6].map(|size| {
        let mut here = state.clone();
        for (k, span) in network.spans.iter().enumerate() {
            let by = |i: usize| size * (0.7 * i as f64 + 0.3 + k as f64).sin();
            span.rod.shake(&mut here.spans[k].rod, by);
        }
        left(&mut here, ws);
        let r = residual(network, &here, ws);
        factorise(network, &here, ws, 0.0).expect("regular");
        newton_step(network, &here, ws, &r);
        let mut there = here.clone();
        there.advance_from(&here, network, ws, 1.0, |_, _, _, _| {});
        ws.contacts.forces_ahead(1.0, &mut there.contact_forces);
        left(&mut there, ws)
    })
}

/// A step leaves the square of what there was: both sides feel each other's motion.
#[test]
fn steps_converge_quadratically() {
    let (network, state, mut ws) = laid();
    let [coarse, fine] = after_steps(&network, &state, &mut ws);
    assert!(fine < 0.05 * coarse, "{coarse:e} {fine:e}");
}

/// A state of shapes that were made by hand, held at their ends as they are.
fn placed(network: &Network, shapes: Vec<RodState>) -> NetworkState {
    let mut state = NetworkState::initial(network);
    for (k, shape) in shapes.into_iter().enumerate() {
        let own = State::new(shape, state.spans[k].ends);
        state.spans[k] = own;
    }
    state
}

/// Two rods wound round each other as helices on the circle of their radius, so many turns, between a plate that is held
/// and one that is free.
fn ply(
    stiffness: f64,
    radius: f64,
    angle: f64,
    twist: f64,
    (turns, segments): (f64, usize),
) -> (Network, NetworkState) {
    let length = turns * TAU * radius / angle.sin();
    let section =
        Section::measured(stiffness, stiffness, 0.8 * stiffness, 0.01, radius).expect("sound section");
    let mesh = Mesh::uniform(length, segments).expect("sound mesh");
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let mut network = Network::default();
    let plate = |z: f64| Pose { position: Vec3::z() * z, orientation: rotation::identity() };
    let height = length * angle.cos();
    network.anchors = vec![Anchor::fixed(plate(0.0)), Anchor::loose(plate(height))];
    let mut shapes = Vec::new();
    for k in 0..2 {
        let shape = |s: f64| {
            let (sin, cos) = (s * angle.sin() / radius + k as f64 * PI).sin_cos();
            let position = Vec3::new(radius * cos, radius * sin, s * angle.cos());
            let tangent = Vec3::new(-sin * angle.sin(), cos * angle.sin(), angle.cos());
            // Frenet's frame has a torsion of its own.
            let torsion = angle.sin() * angle.cos() / radius;
            let roll = rotation::exp(&Vec3::new(0.0, 0.0, (twist - torsion) * s));
            Station { position, frame: rotation::frame(&tangent, &Vec3::new(-cos, -sin, 0.0)) * roll }
        };
        shapes.push(rod.state_from(&shape));
        let end = |anchor: usize, s: f64, z: f64| {
            let Station { position, frame } = shape(s);
            Attachment::clamped(anchor).at(Pose { position: position - Vec3::z() * z, orientation: frame })
        };
        network.spans.push(Span {
            contact_radius: radius,
            ..Span::new(rod.clone(), end(0, 0.0, 0.0), Some(end(1, length, height)))
        });
    }
    let state = placed(&network, shapes);
    (network, state)
}

/// The balanced plies of reference case 11h: contact force per length EI sin⁴β/(a³ cos 2β), twisting moment
/// −2 EI sin³β cos β/(a cos 2β).
#[test]
fn a_ply_presses_as_its_closed_form_does() {
    for (stiffness, radius, angle, twist, expected) in [
        (4.05e-5, 0.00105, 10.0f64, -13.065530321746202, 33.851836109217416),
        (3.54e-5, 0.00113, 20.0, -108.57965790417072, 438.2487677177382),
        (0.00317, 0.00304, 30.0, -178.047985975419, 14104.202165949835),
    ] {
        let mut last = f64::INFINITY;
        for segments in [40, 80] {
            let name = format!("{angle} degrees, {segments} segments");
            let (network, mut state) = ply(stiffness, radius, angle.to_radians(), twist, (2.0, segments));
            let mut ws = NetworkWorkspace::new(&network);
            let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
            assert_eq!((report.status, report.negative), (Status::Converged, 0), "{name}");
            assert!(report.iterations <= 15, "{name}: {}", report.iterations);
            assert!(report.penetration < 1e-9 * radius, "{name}: {:e}", report.penetration);
            // One contact per piece: those of whole pieces in the middle.
            let (rod, own) = (&network.spans[0].rod, &state.spans[0].rod);
            let (length, piece) = (rod.length(), rod.length() / segments as f64);
            let middle = |contact: &&Contact| (contact.s - 0.5 * length).abs() < 0.25 * length;
            let pressing: Vec<&Contact> = report.contacts.iter().filter(middle).collect();
            let force =
                pressing.iter().map(|c| c.force.norm()).sum::<f64>() / (pressing.len() as f64 * piece);
            let moment = rod.strain(own, 0.5 * length).z * 0.8 * stiffness;
            let off = [force / expected - 1.0, moment / (twist * 0.8 * stiffness) - 1.0].map(f64::abs);
            println!("{name}: {} iterations, off by {:.1e} and {:.1e}", report.iterations, off[0], off[1]);
            let worst = off[0].max(off[1]);
            assert!(worst < last / 2.0, "{name}: {last:e} {worst:e}");
            last = worst;
        }
        assert!(last < 1e-2, "{angle}: {last:e}");
    }
}

/// Two rings, linked or not: the first is held, the second in hand.
fn rings(linked: bool) -> (Network, NetworkState) {
    let (size, segments) = (0.05, 40);
    let length = TAU * size;
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    let mut shapes = Vec::new();
    let away = if linked { size } else { 3.5 * size };
    for (k, (seam, along)) in
        [(Vec3::zeros(), Vec3::x()), (Vec3::y() * away, Vec3::z())].into_iter().enumerate()
    {
        let shape = |s: f64| {
            let (sin, cos) = (s / size).sin_cos();
            let position = seam + (along * sin + Vec3::y() * (1.0 - cos)) * size;
            let tangent = along * cos + Vec3::y() * sin;
            let frame = rotation::frame(&tangent, &along.cross(&Vec3::y()));
            Station { position, frame }
        };
        let rod = rod(length, segments);
        shapes.push(rod.state_from(&shape));
        let Station { position, frame } = shape(0.0);
        network.anchors.push(Anchor::fixed(Pose { position, orientation: frame }));
        network.spans.push(Span {
            contact_radius: RADIUS,
            ..Span::new(rod, Attachment::clamped(k), Some(Attachment::clamped(k)))
        });
    }
    let state = placed(&network, shapes);
    (network, state)
}

fn axis(network: &Network, state: &NetworkState, span: usize) -> Vec<Vec3> {
    let mut shares = Vec::new();
    network.spans[span].rod.axis_shares(&mut shares);
    shares.iter().map(|share| network.spans[span].rod.place(&state.spans[span].rod, *share)).collect()
}

/// Ways of a ring in hand, of each kind.
const DRAGS: usize = 10;

/// Rings that are thrown through each other stay linked, and rings that are not linked stay apart.
#[test]
fn rings_stay_linked_however_fast_they_are_led() {
    let mut seed = 0.37f64;
    let mut noise = || {
        seed = (seed * 97.31 + 0.417).fract();
        2.0 * seed - 1.0
    };
    let (mut reached, mut tried, mut deepest) = (0, 0, 0.0f64);
    for linked in [true, false] {
        let (mut network, mut state) = rings(linked);
        let mut ws = NetworkWorkspace::new(&network);
        let links = |network: &Network, state: &NetworkState| {
            let [a, b] = [0, 1].map(|k| {
                let mut points = axis(network, state, k);
                points.pop();
                points
            });
            linking(&a, &b)
        };
        let first = links(&network, &state);
        assert!((first.abs() - f64::from(u8::from(linked))).abs() < 1e-9, "{first}");
        for _ in 0..DRAGS {
            network.anchors[1].pose.position =
                Vec3::new(0.06 * noise(), 0.06 + 0.06 * noise(), 0.06 * noise());
            let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
            tried += 1;
            reached += usize::from(report.status == Status::Converged);
            deepest = deepest.max(report.penetration);
            let now = links(&network, &state);
            assert!((now - first).abs() < 1e-6, "{first} {now}");
        }
    }
    assert!(deepest < 1e-6 * RADIUS, "{deepest:e}");
    assert_eq!(reached, tried);
}

/// On the way to an equilibrium a span may not be where its end is held: what would pass between goes through it all the same.
#[test]
fn nothing_slips_through_between_an_end_and_what_holds_it() {
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    for (place, free) in [(0.25, false), (0.35, true)] {
        let mut network = Network::default();
        let across = x * place - y * 0.1;
        let ends = [(Vec3::zeros(), x), (x * 0.3, x), (across, y), (across + y * 0.2, y)];
        network.anchors = ends.map(|(at, along)| Anchor::fixed(pose(at, along))).into();
        for k in 0..2 {
            let held = [2 * k, 2 * k + 1].map(Attachment::clamped);
            network
                .spans
                .push(Span { contact_radius: RADIUS, ..Span::new(rod(0.2, 10), held[0], Some(held[1])) });
        }
        let mut ws = NetworkWorkspace::new(&network);
        // The first span ends 0.1 m before its anchor; the second is across, so high.
        let at = |network: &Network, height: f64| {
            let mut state = NetworkState::initial(network);
            for (own, (from, along)) in
                state.spans.iter_mut().zip([(Vec3::zeros(), x), (across + z * height, y)])
            {
                let frame = pose(from, along).orientation;
                own.rod = network.spans[0].rod.state_from(&|s| Station { position: from + along * s, frame });
            }
            state.anchors[2..].iter_mut().for_each(|anchor| anchor.position.z = height);
            state
        };
        let [above, below] = [0.05, -0.05].map(|height| at(&network, height));
        assert_eq!(is_free(&network, &above, &below, &mut ws), free, "a span at {place}");
        assert!(is_free(&network, &above, &at(&network, 0.03), &mut ws), "a span that stays above");
        // And a bar that is moved instead.
        let moved = |height: f64| Pose { position: x * place + z * height, ..pose(Vec3::zeros(), y) };
        let shape = Shape::Cylinder { radius: 0.002, half_length: None };
        network.spans[1].contact_radius = 0.0;
        network.obstacles.push(Obstacle { shape, pose: moved(-0.05), friction: 0.0 });
        let mut before = at(&network, 0.05);
        before.obstacles = vec![moved(0.05)];
        assert_eq!(is_free(&network, &before, &at(&network, 0.05), &mut ws), free, "a bar at {place}");
    }
}
