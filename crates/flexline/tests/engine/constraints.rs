//! Constraints of every kind in equilibrium: what they hold, what they push with, what happens when
//! they cannot be kept.

use crate::tolerance::{convergence, order, round_off};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::geometry::path::Path;
use flexline::rod::Rod;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{
    Anchor, Attachment, Constraint, Direction, Network, NetworkReport, NetworkState, NetworkWorkspace, Point,
    Sense, Slide, Span, redundant, solve_network, span_profile,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::sync::Arc;

const G: f64 = 9.81;
const K: f64 = 0.02;

fn rod(length: f64, n: usize) -> MixedRod {
    let section = Section::measured(K, K, 0.8 * K, 0.05, 0.004).unwrap();
    MixedRod::new(&Mesh::uniform(length, n).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn cord(length: f64, n: usize) -> MixedRod {
    let section = Section::measured(1e-6, 1e-6, 1e-6, 1e-3, 0.001).unwrap();
    MixedRod::new(&Mesh::uniform(length, n).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn pose(x: f64, y: f64, z: f64, tangent: Vec3) -> Pose {
    Pose { position: Vec3::new(x, y, z), orientation: rotation::frame(&tangent, &Vec3::y()) }
}

fn gravity() -> Vec3 {
    Vec3::new(0.0, 0.0, -G)
}

fn solve(network: &Network) -> (NetworkState, NetworkReport) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).unwrap();
    (state, report)
}

fn solved(network: &Network) -> (NetworkState, NetworkReport) {
    let (state, report) = solve(network);
    assert_eq!(report.status, Status::Converged, "{report:?}");
    assert!(report.violation < 1e-9, "{}", report.violation);
    (state, report)
}

/// A part of 0.3 kg on a cable from the origin, with one constraint.
fn on_a_cable(constraint: Constraint) -> Network {
    Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
            Anchor::part(pose(0.4, 0.05, -0.2, Vec3::x()), 0.3, Vec3::zeros()),
        ],
        spans: vec![Span::new(rod(0.6, 30), Attachment::clamped(0), Some(Attachment::clamped(1)))],
        constraints: vec![constraint],
        gravity: gravity(),
        ..Network::default()
    }
}

#[test]
fn a_part_slides_along_circles_and_paths_to_where_nothing_pulls_it_along() {
    let on = Point::On(1, Vec3::zeros());
    let (centre, axis, radius) = (Vec3::new(0.3, 0.0, -0.1), Vec3::y(), 0.25);
    let circle = Constraint::Circle { point: on, on: None, centre, axis, radius };
    let (state, report) = solved(&on_a_cable(circle));
    let arm = state.anchors[1].position - centre;
    assert!((arm.norm() - radius).abs() < 1e-9 && arm.y.abs() < 1e-9);
    let push = report.holds[0][0].unwrap().world.force;
    assert!(push.norm() > 0.1 && push.dot(&arm.cross(&axis)).abs() < 1e-6 * push.norm(), "{push}");

    // The same circle as a path through points: the same place, to the error of the spline.
    let points: Vec<Vec3> = (0..64)
        .map(|k| std::f64::consts::TAU * k as f64 / 64.0)
        .map(|t| centre + radius * Vec3::new(t.cos(), 0.0, t.sin()))
        .collect();
    let path = Arc::new(Path::new(&points, true).unwrap());
    let (again, _) = solved(&on_a_cable(Constraint::Curve { point: on, on: None, path }));
    order(1e-5, 1.0).allows((again.anchors[1].position - state.anchors[1].position).norm(), || {
        "(again.anchors[1].position - state.anchors[1].position).norm()".into()
    });
}

#[test]
fn what_a_constraint_does_is_told_in_both_axes_and_balances() {
    // A frame held to the world: a moment in both axes, the same size.
    let turn = rotation::exp(&Vec3::new(0.1, 0.4, -0.2));
    let (state, report) = solved(&on_a_cable(Constraint::Aligned { anchor: 1, on: None, turn }));
    assert!(rotation::angle_between(&state.anchors[1].orientation, &turn) < 1e-9);
    let hold = report.holds[0][0].unwrap();
    assert!(hold.world.force.norm() < 1e-12 && hold.world.moment.norm() > 1e-3, "{hold:?}");
    let turned = rotation::rotate(&state.anchors[1].orientation, &hold.material.moment);
    round_off(1e-12, 1.0)
        .allows((turned - hold.world.moment).norm(), || "(turned - hold.world.moment).norm()".into());
    // Seen from a second part that is held by a constraint to the first: equal and opposite.
    let mut network = on_a_cable(Constraint::Coincide {
        from: Point::On(2, Vec3::new(0.0, 0.0, 0.05)),
        to: Point::On(1, Vec3::new(0.02, 0.0, 0.0)),
    });
    network.anchors.push(Anchor::part(pose(0.4, 0.0, -0.3, Vec3::x()), 0.1, Vec3::zeros()));
    let (state, report) = solved(&network);
    let [Some(a), Some(b)] = report.holds[0] else { panic!("two anchors") };
    convergence(1e-9, 1.0)
        .allows((a.world.force + b.world.force).norm(), || "(a.world.force + b.world.force).norm()".into());
    convergence(1e-9, 1.0).allows(a.world.force.z - 0.1 * G, || format!("{a:?}"));
    // It hangs straight below its hinge.
    let arm = rotation::rotate(&state.anchors[2].orientation, &Vec3::new(0.0, 0.0, 0.05));
    convergence(1e-6, 1.0).allows((arm - Vec3::new(0.0, 0.0, 0.05)).norm(), || format!("{arm}"));
}

#[test]
fn a_tangent_is_led_through_a_guide() {
    let along = Vec3::new(0.6, 0.0, -0.8);
    let guide = Constraint::Parallel { direction: Direction::On(1, Vec3::z()), to: Direction::World(along) };
    let (state, _) = solved(&on_a_cable(guide));
    let tangent = rotation::tangent(&state.anchors[1].orientation);
    convergence(1e-9, 1.0).allows((tangent - along).norm(), || format!("{tangent}"));
}

#[test]
fn a_part_rests_on_a_plane_and_lifts_off_it() {
    let plane = |height: f64| Constraint::Plane {
        point: Point::On(1, Vec3::zeros()),
        on: None,
        through: Vec3::new(0.0, 0.0, height),
        normal: Vec3::z(),
        sense: Sense::AtLeast,
    };
    let (free, report) = solved(&on_a_cable(plane(-1.0)));
    assert_eq!(report.multipliers, [0.0]);
    let height = free.anchors[1].position.z;
    let (rests, report) = solved(&on_a_cable(plane(height + 0.05)));
    convergence(1e-9, 1.0).allows(rests.anchors[1].position.z - height - 0.05, || {
        "(rests.anchors[1].position.z - height - 0.05).abs()".into()
    });
    assert!(report.multipliers[0] > 0.1, "{:?}", report.multipliers);
}

/// Beads on a cord that hangs straight down, above a weight with a ring for a stop.
fn stacked(count: usize, radius: f64, mass: f64) -> Network {
    let gap = 2.2 * radius;
    let mut network = Network {
        anchors: vec![Anchor::fixed(pose(0.0, 0.0, 0.0, -Vec3::z()))],
        gravity: gravity(),
        ..Network::default()
    };
    for k in 0..count {
        let at = pose(0.0, 0.0, -0.2 - gap * k as f64, -Vec3::z());
        network.anchors.push(Anchor { mass, inertia: Vec3::repeat(1e-6), ..Anchor::loose(at) });
    }
    let last = pose(0.0, 0.0, -0.2 - gap * count as f64, -Vec3::z());
    network.anchors.push(Anchor { held_orientation: true, ..Anchor::part(last, 0.5, Vec3::zeros()) });
    for k in 0..=count {
        let length = if k == 0 { 0.2 } else { gap };
        let end = Some(Attachment::clamped(k + 1));
        network.spans.push(Span::new(cord(length, 6), Attachment::clamped(k), end));
        if k > 0 {
            network.slides.push(Slide::through(k - 1, k, 0.0));
            network.constraints.push(Constraint::Distance {
                from: Point::On(k, Vec3::zeros()),
                to: Point::On(k + 1, Vec3::zeros()),
                distance: if k == count { radius } else { 2.0 * radius },
                sense: Sense::AtLeast,
            });
        }
    }
    network
}

#[test]
fn beads_come_to_rest_on_each_other() {
    let (count, radius, mass) = (6, 0.01, 0.02);
    let network = stacked(count, radius, mass);
    let (state, report) = solved(&network);
    for k in 1..count {
        let apart = (state.anchors[k].position - state.anchors[k + 1].position).norm();
        convergence(1e-9, 1.0).allows(apart - 2.0 * radius, || format!("{k}: {apart}"));
        // Each bears the weight of those above it.
        let push = report.multipliers[k - 1];
        order(5e-3, 1.0).allows(push / (mass * G * k as f64) - 1.0, || format!("{k}: {push}"));
    }
    // Rope is neither lost nor won.
    let total: f64 = network.spans.iter().map(|s| s.rod.length()).sum();
    round_off(1e-12, 1.0).allows(state.lengths.iter().sum::<f64>() - total, || {
        "(state.lengths.iter().sum::<f64>() - total).abs()".into()
    });
}

#[test]
fn a_routed_cable_pays_for_its_length() {
    // Round a corner without gravity: tension and bending keep T + ½Kκ² = price all along.
    let route = |tension: f64| {
        let flat = |x: f64, y: f64, tangent: Vec3| Pose {
            position: Vec3::new(x, y, 0.0),
            orientation: rotation::frame(&tangent, &Vec3::z()),
        };
        let network = Network {
            anchors: vec![Anchor::fixed(flat(0.0, 0.0, Vec3::x())), Anchor::fixed(flat(0.5, 0.3, Vec3::y()))],
            spans: vec![Span::new(rod(0.9, 160), Attachment::clamped(0), Some(Attachment::clamped(1)))],
            slides: vec![Slide::drawn(0, tension)],
            ..Network::default()
        };
        let (state, _) = solved(&network);
        for sample in &span_profile(&network, &state, 0).samples {
            let along = sample.force_world.dot(&rotation::tangent(&sample.frame));
            let stored = 0.5 * sample.moment_material.norm_squared() / K;
            order(3e-3, tension).allows(along + stored - tension, || format!("{tension}: {along} {stored}"));
        }
        state.lengths[0]
    };
    let lengths = [0.2, 1.0, 5.0, 25.0].map(route);
    let straight = 0.5f64.hypot(0.3);
    assert!(lengths.windows(2).all(|w| w[0] > w[1]), "{lengths:?}");
    assert!(lengths[3] > straight && lengths[3] < straight + 0.06, "{lengths:?} {straight}");
}

#[test]
fn constraints_that_contradict_each_other_are_named() {
    // A part on a slack cable, 0.1 m too far from one post and as much from another.
    let on = Point::On(1, Vec3::zeros());
    let far = |x: f64| Constraint::Distance {
        from: on,
        to: Point::World(Vec3::new(x, 0.0, -0.3)),
        distance: 0.1,
        sense: Sense::Equal,
    };
    let mut network = on_a_cable(far(0.2));
    network.constraints.push(far(0.6));
    network.constraints.push(Constraint::Plane {
        point: on,
        on: None,
        through: Vec3::zeros(),
        normal: Vec3::y(),
        sense: Sense::Equal,
    });
    let (state, report) = solve(&network);
    assert_eq!(report.status, Status::Conflict, "{report:?}");
    // Both distances, equally; the plane is kept. 0.4 m between the posts, 0.2 m of reach.
    let named: Vec<usize> = report.conflicts.iter().map(|c| c.constraint).collect();
    assert_eq!(named, [0, 1], "{:?}", report.conflicts);
    for conflict in &report.conflicts {
        // Each is 0.2 m long instead of 0.1 m.
        order(2e-3, 1.0).allows(conflict.by - 0.1, || format!("{:?}", report.conflicts));
    }
    order(1e-3, 1.0).allows(state.anchors[1].position.x - 0.4, || format!("{}", state.anchors[1].position));
}

#[test]
fn what_repeats_others_is_found_and_does_no_harm() {
    let on = Point::On(1, Vec3::zeros());
    let plane = |normal: Vec3| Constraint::Plane {
        point: on,
        on: None,
        through: Vec3::new(0.4, 0.0, 0.0),
        normal,
        sense: Sense::Equal,
    };
    // A plane across y, one askew, and a line that both have in common.
    let mut network = on_a_cable(plane(Vec3::y()));
    network.constraints.push(plane(Vec3::new(0.8, 0.6, 0.0)));
    let (alone, _) = solved(&network);
    assert!(redundant(&network, &alone).is_empty());
    let through = Vec3::new(0.4, 0.0, 0.0);
    network.constraints.push(Constraint::Line { point: on, on: None, through, direction: Vec3::z() });
    let (state, _) = solved(&network);
    assert_eq!(redundant(&network, &state), [2]);
    convergence(1e-9, 1.0).allows((state.anchors[1].position - alone.anchors[1].position).norm(), || {
        "(state.anchors[1].position - alone.anchors[1].position).norm()".into()
    });
    // On something that is held a constraint has nothing to do.
    network.constraints.truncate(1);
    network.anchors[1].held = [true; 3];
    assert_eq!(redundant(&network, &state), [0]);
}
