//! Networks of rods: branches, rigid parts, handles, constraints.

use crate::tolerance::{convergence, order};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{
    Anchor, Attachment, Constraint, Network, NetworkReport, NetworkState, NetworkWorkspace, Point, Sense,
    Span, solve_network, span_profile,
};
use flexline::solver::statics::{Settings, solve_from_scratch};
use flexline::solver::{End, Pose, Problem, Status};

fn rod(strain: Strain, length: f64, n: usize) -> MixedRod {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).unwrap();
    MixedRod::new(&Mesh::uniform(length, n).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
        .with_strain(strain)
}

fn pose(x: f64, y: f64, z: f64, tangent: Vec3) -> Pose {
    Pose { position: Vec3::new(x, y, z), orientation: rotation::frame(&tangent, &Vec3::y()) }
}

fn solved(network: &Network) -> (NetworkState, NetworkReport) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    assert!(report.violation < 1e-9, "{report:?}");
    assert_eq!(report.negative, 0, "{report:?}");
    (state, report)
}

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

#[test]
fn one_span_is_one_cable() {
    for strain in Strain::ALL {
        let (a, b) = (pose(0.0, 0.0, 0.0, Vec3::x()), pose(0.6, 0.2, 0.1, Vec3::new(1.0, 0.3, 0.2)));
        let mut problem = Problem::new(rod(strain, 1.0, 50), End::clamped(a), End::clamped(b));
        problem.gravity = GRAVITY;
        let (alone, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
        let network = Network {
            anchors: vec![Anchor::fixed(a), Anchor::fixed(b)],
            spans: vec![Span::new(
                rod(strain, 1.0, 50),
                Attachment::clamped(0),
                Some(Attachment::clamped(1)),
            )],
            gravity: GRAVITY,
            ..Network::default()
        };
        let (state, net) = solved(&network);
        for k in 0..=10 {
            let s = k as f64 / 10.0;
            let d = problem.rod.station(&alone.rod, s).position
                - problem.rod.station(&state.spans[0].rod, s).position;
            convergence(1e-9, 1.0).allows(d.norm(), || format!("{}", d.norm()));
        }
        for k in 0..2 {
            convergence(1e-8, 1.0).allows((net.reactions[k].force - report.support(k).force).norm(), || {
                "(net.reactions[k].force - report.support(k).force).norm()".into()
            });
            convergence(1e-8, 1.0)
                .allows((net.reactions[k].moment - report.support(k).moment).norm(), || {
                    "(net.reactions[k].moment - report.support(k).moment).norm()".into()
                });
        }
    }
}

#[test]
fn a_cable_cut_and_joined_again_keeps_its_shape() {
    for strain in Strain::ALL {
        let (a, b) = (pose(0.0, 0.0, 0.0, Vec3::x()), pose(0.6, 0.2, 0.1, Vec3::new(1.0, 0.3, 0.2)));
        let mut errors = Vec::new();
        for n in [40, 80] {
            let mut problem = Problem::new(rod(strain, 1.0, n), End::clamped(a), End::clamped(b));
            problem.gravity = GRAVITY;
            let (alone, _) = solve_from_scratch(&problem, &Settings::default()).unwrap();
            let middle = problem.rod.station(&alone.rod, 0.5);
            let joint =
                Pose { position: middle.position + Vec3::new(0.01, 0.0, 0.02), orientation: middle.frame };
            let network = Network {
                anchors: vec![Anchor::fixed(a), Anchor::fixed(b), Anchor::loose(joint)],
                spans: vec![
                    Span::new(rod(strain, 0.5, n / 2), Attachment::clamped(0), Some(Attachment::clamped(2))),
                    Span::new(rod(strain, 0.5, n / 2), Attachment::clamped(2), Some(Attachment::clamped(1))),
                ],
                gravity: GRAVITY,
                ..Network::default()
            };
            let (state, _) = solved(&network);
            let d = state.anchors[2].position - middle.position;
            errors.push(d.norm());
        }
        // The joint carries a frame of its own: the same to second order.
        assert!(errors[0] < 1e-4 && errors[1] < 0.35 * errors[0], "{errors:?}");
    }
}

#[test]
fn a_branch_balances() {
    for strain in Strain::ALL {
        let network = Network {
            anchors: vec![
                Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
                Anchor::fixed(pose(0.8, 0.3, 0.0, Vec3::x())),
                Anchor::fixed(pose(0.8, -0.3, -0.1, Vec3::x())),
                Anchor::loose(pose(0.4, 0.0, -0.15, Vec3::x())),
            ],
            spans: vec![
                Span::new(rod(strain, 0.5, 30), Attachment::clamped(0), Some(Attachment::clamped(3))),
                Span::new(rod(strain, 0.6, 30), Attachment::clamped(3), Some(Attachment::clamped(1))),
                Span::new(rod(strain, 0.55, 30), Attachment::clamped(3), Some(Attachment::clamped(2))),
            ],
            gravity: GRAVITY,
            ..Network::default()
        };
        let (_, report) = solved(&network);
        let total: Vec3 = report.reactions.iter().map(|w| w.force).sum();
        let weight = 0.15 * 1.65 * 9.81;
        convergence(1e-6, weight).allows((total - Vec3::new(0.0, 0.0, weight)).norm(), || format!("{total}"));
    }
}

#[test]
fn a_part_hangs_from_its_cables_and_can_be_pulled() {
    for strain in Strain::ALL {
        // A control unit of 0.4 kg, plugged to two cables at its left and right side.
        let plug = |x: f64, tangent: Vec3| Pose {
            position: Vec3::new(x, 0.0, 0.0),
            orientation: rotation::frame(&tangent, &Vec3::y()),
        };
        let unit = Pose { position: Vec3::new(0.3, 0.0, -0.3), orientation: rotation::identity() };
        let mut network = Network {
            anchors: vec![
                Anchor::fixed(pose(0.0, 0.0, 0.0, -Vec3::z())),
                Anchor::fixed(pose(0.6, 0.0, 0.0, Vec3::z())),
                Anchor::part(unit, 0.4, Vec3::new(0.0, 0.0, -0.02)),
            ],
            spans: vec![
                Span::new(
                    rod(strain, 0.5, 30),
                    Attachment::clamped(0),
                    Some(Attachment::clamped(2).at(plug(-0.05, Vec3::x()))),
                ),
                Span::new(
                    rod(strain, 0.5, 30),
                    Attachment::clamped(2).at(plug(0.05, Vec3::x())),
                    Some(Attachment::clamped(1)),
                ),
            ],
            gravity: GRAVITY,
            ..Network::default()
        };
        let (mut state, report) = solved(&network);
        let total: Vec3 = report.reactions.iter().map(|w| w.force).sum();
        let weight = (0.4 + 0.15) * 9.81;
        convergence(1e-6, weight).allows((total - Vec3::new(0.0, 0.0, weight)).norm(), || format!("{total}"));
        // Symmetric: it hangs in the middle, level.
        convergence(1e-6, 1.0)
            .allows(state.anchors[2].position.x - 0.3, || format!("{}", state.anchors[2].position));
        assert!(rotation::angle_between(&state.anchors[2].orientation, &rotation::identity()) < 1e-6);
        // Moments about the origin balance too.
        let moment: Vec3 = report
            .reactions
            .iter()
            .enumerate()
            .map(|(i, w)| w.moment + network.anchors[i].pose.position.cross(&w.force))
            .sum();
        let mut loads = state.anchors[2].position.cross(&(GRAVITY * 0.4))
            + rotation::rotate(&state.anchors[2].orientation, &Vec3::new(0.0, 0.0, -0.02))
                .cross(&(GRAVITY * 0.4));
        for k in 0..2 {
            let profile = span_profile(&network, &state, k);
            for w in profile.samples.windows(2) {
                let mass = 0.15 * (w[1].s - w[0].s);
                loads += (w[0].position + w[1].position).cross(&(GRAVITY * (0.5 * mass)));
            }
        }
        order(1e-4, weight).allows((moment + loads).norm(), || format!("{}", (moment + loads).norm()));
        // Pulled forward with a force, it follows and comes back.
        let before = state.anchors[2].position;
        network.anchors[2].force = Vec3::new(0.0, 1.0, 0.0);
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged);
        assert!(state.anchors[2].position.y > 0.02, "{}", state.anchors[2].position);
        network.anchors[2].force = Vec3::zeros();
        solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
        convergence(1e-7, 1.0).allows((state.anchors[2].position - before).norm(), || {
            "(state.anchors[2].position - before).norm()".into()
        });
    }
}

#[test]
fn constraints_hold_and_report_their_force() {
    for strain in Strain::ALL {
        // A part on a cable, kept on a plane, on a line, at a distance; friction-free, so the force
        // of the plane is normal to it and the balance closes.
        let slope = Vec3::new(0.3, 0.0, 1.0).normalize();
        let base = Network {
            anchors: vec![
                Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
                Anchor::part(pose(0.4, 0.1, -0.2, Vec3::x()), 0.3, Vec3::zeros()),
            ],
            spans: vec![Span::new(
                rod(strain, 0.6, 30),
                Attachment::clamped(0),
                Some(Attachment::clamped(1)),
            )],
            gravity: GRAVITY,
            ..Network::default()
        };
        let on = Point::On(1, Vec3::new(0.02, 0.0, 0.01));
        let at = |state: &NetworkState| {
            let p = &state.anchors[1];
            p.position + rotation::rotate(&p.orientation, &Vec3::new(0.02, 0.0, 0.01))
        };
        let weight = (0.3 + 0.09) * 9.81;

        let through = Vec3::new(0.0, 0.0, -0.15);
        let plane = Network {
            constraints: vec![Constraint::Plane {
                point: on,
                on: None,
                through,
                normal: slope,
                sense: Sense::Equal,
            }],
            ..base.clone()
        };
        let (state, report) = solved(&plane);
        convergence(1e-9, 1.0)
            .allows((at(&state) - through).dot(&slope), || "(at(&state) - through).dot(&slope).abs()".into());
        let total = report.reactions[0].force + slope * report.multipliers[0];
        convergence(1e-6, weight).allows((total - Vec3::new(0.0, 0.0, weight)).norm(), || format!("{total}"));

        let line = Network {
            constraints: vec![Constraint::Line { point: on, on: None, through, direction: Vec3::x() }],
            ..base.clone()
        };
        let (state, _) = solved(&line);
        let p = at(&state);
        assert!(p.y.abs() < 1e-9 && (p.z + 0.15).abs() < 1e-9, "{p}");

        let post = Vec3::new(0.3, 0.2, 0.2);
        let rope = Network {
            constraints: vec![Constraint::Distance {
                from: on,
                to: Point::World(post),
                distance: 0.35,
                sense: Sense::Equal,
            }],
            ..base
        };
        let (state, report) = solved(&rope);
        let d = at(&state) - post;
        convergence(1e-9, 1.0).allows(d.norm() - 0.35, || "(d.norm() - 0.35).abs()".into());
        let total = report.reactions[0].force + d / 0.35 * report.multipliers[0];
        convergence(1e-6, weight).allows((total - Vec3::new(0.0, 0.0, weight)).norm(), || format!("{total}"));
    }
}

#[test]
fn too_short_names_the_span_and_the_missing_length() {
    // A trunk of two spans over a loose joint between fixed ports 1.0123 m apart, 1 m of cable.
    let network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
            Anchor::loose(pose(0.5, 0.0, 0.0, Vec3::x())),
            Anchor::fixed(pose(1.0123, 0.0, 0.0, Vec3::x())),
            Anchor::fixed(pose(0.5, 0.4, 0.0, Vec3::y())),
        ],
        spans: vec![
            Span::new(rod(Strain::Mixed, 0.5, 20), Attachment::clamped(0), Some(Attachment::clamped(1))),
            Span::new(rod(Strain::Mixed, 0.5, 20), Attachment::clamped(1), Some(Attachment::clamped(2))),
            // A slack branch that has nothing to do with it.
            Span::new(rod(Strain::Mixed, 0.7, 20), Attachment::pinned(1), Some(Attachment::pinned(3))),
        ],
        gravity: GRAVITY,
        ..Network::default()
    };
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::TooShort, "{report:?}");
    let total: f64 = report.short.iter().map(|s| s.missing).sum();
    order(1e-4, 1.0).allows(total - 0.0123, || format!("{:?}", report.short));
    assert!(report.short.iter().all(|s| s.span < 2), "{:?}", report.short);
}

/// Where hardly anything is missing, that is still why there is no equilibrium.
#[test]
fn too_short_by_less_than_a_micrometre_is_too_short() {
    for missing in [2e-6, 4e-7, 3e-8] {
        let network = Network {
            anchors: vec![
                Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
                Anchor::loose(pose(0.5, 0.0, 0.0, Vec3::x())),
                Anchor::fixed(pose(1.0 + missing, 0.0, 0.0, Vec3::x())),
            ],
            spans: vec![
                Span::new(rod(Strain::Mixed, 0.5, 20), Attachment::pinned(0), Some(Attachment::pinned(1))),
                Span::new(rod(Strain::Mixed, 0.5, 20), Attachment::pinned(1), Some(Attachment::pinned(2))),
            ],
            gravity: GRAVITY,
            ..Network::default()
        };
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::TooShort, "{missing}: {report:?}");
        let total: f64 = report.short.iter().map(|s| s.missing).sum();
        order(0.2, 1.0).allows(total / missing - 1.0, || format!("{missing}: {:?}", report.short));
    }
}

#[test]
fn a_string_pulls_and_never_pushes() {
    for strain in Strain::ALL {
        // A part on a cable, with a string to a post: slack when the part hangs near, taut when far.
        let net = |length: f64| Network {
            anchors: vec![
                Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
                Anchor::part(pose(0.4, 0.0, -0.2, Vec3::x()), 0.3, Vec3::zeros()),
            ],
            spans: vec![Span::new(
                rod(strain, 0.6, 30),
                Attachment::clamped(0),
                Some(Attachment::clamped(1)),
            )],
            constraints: vec![Constraint::Distance {
                from: Point::On(1, Vec3::zeros()),
                to: Point::World(Vec3::new(0.3, 0.0, 0.1)),
                distance: length,
                sense: Sense::AtMost,
            }],
            gravity: GRAVITY,
            ..Network::default()
        };
        let free = Network { constraints: Vec::new(), ..net(1.0) };
        let (alone, _) = solved(&free);
        let reach = (alone.anchors[1].position - Vec3::new(0.3, 0.0, 0.1)).norm();

        let (state, report) = solved(&net(reach + 0.05));
        assert_eq!(report.multipliers, [0.0]);
        convergence(1e-9, 1.0).allows((state.anchors[1].position - alone.anchors[1].position).norm(), || {
            "(state.anchors[1].position - alone.anchors[1].position).norm()".into()
        });

        let (state, report) = solved(&net(reach - 0.05));
        assert!(report.multipliers[0] < 0.0, "{:?}", report.multipliers);
        let distance = (state.anchors[1].position - Vec3::new(0.3, 0.0, 0.1)).norm();
        convergence(1e-9, 1.0).allows(distance - (reach - 0.05), || format!("{distance}"));
    }
}

#[test]
fn missing_lengths_of_random_harnesses() {
    // Straight trunks with loose joints between two ports, too short by a known amount; slack
    // branches beside them. The sum of what is reported is what is missing, to 0.1 mm.
    let mut seed = 11u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    for case in 0..50 {
        let joints = 1 + (random() * 3.0) as usize;
        let direction = Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
        let missing = 0.002 + 0.03 * random();
        let lengths: Vec<f64> = (0..=joints).map(|_| 0.2 + 0.3 * random()).collect();
        let total: f64 = lengths.iter().sum();
        let at = |s: f64| Pose {
            position: direction * (s * (total + missing) / total),
            orientation: rotation::frame(&direction, &Vec3::y()),
        };
        let mut network = Network { gravity: GRAVITY, ..Network::default() };
        let mut s = 0.0;
        network.anchors.push(Anchor::fixed(at(0.0)));
        for l in &lengths[..joints] {
            s += l;
            network.anchors.push(Anchor::loose(at(s)));
        }
        network.anchors.push(Anchor::fixed(at(total)));
        for (k, l) in lengths.iter().enumerate() {
            network.spans.push(Span::new(
                rod(Strain::Mixed, *l, 12),
                Attachment::clamped(k),
                Some(Attachment::clamped(k + 1)),
            ));
        }
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::TooShort, "case {case}: {report:?}");
        let found: f64 = report.short.iter().map(|s| s.missing).sum();
        order(1e-4, 1.0)
            .allows(found - missing, || format!("case {case}: {found} of {missing}, {:?}", report.short));
    }
}

/// A column of two rods under more than Euler's load stands straight, in an equilibrium that it leaves when asked.
#[test]
fn an_unstable_column_is_left_when_asked() {
    let (length, stiffness) = (0.5, 0.02);
    let mut network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
            Anchor::loose(pose(length, 0.0, 0.0, Vec3::x())),
            Anchor::loose(pose(2.0 * length, 0.0, 0.0, Vec3::x())),
        ],
        ..Network::default()
    };
    network.spans = [0, 1]
        .map(|k| {
            let ends = [k, k + 1].map(Attachment::clamped);
            Span::new(rod(Strain::Mixed, length, 20), ends[0], Some(ends[1]))
        })
        .into();
    // Clamped below, free above: π² K / (2 L)².
    let euler = stiffness * (std::f64::consts::PI / (4.0 * length)).powi(2);
    network.anchors[2].force = Vec3::new(-1.5 * euler, 0.0, 0.0);
    let leave = |seek_stable: bool| {
        let mut state = NetworkState::initial(&network);
        let settings = Settings { seek_stable, ..Settings::default() };
        let report =
            solve_network(&network, &mut state, &mut NetworkWorkspace::new(&network), &settings).unwrap();
        assert_eq!(report.status, Status::Converged);
        (report.negative, state.anchors[2].position)
    };
    let (negative, top) = leave(false);
    assert!(negative > 0 && (top - Vec3::x() * (2.0 * length)).norm() < 1e-9, "{negative} {top}");
    let (negative, top) = leave(true);
    assert!(negative == 0 && top.x < 1.8 * length, "{negative} {top}");
}
