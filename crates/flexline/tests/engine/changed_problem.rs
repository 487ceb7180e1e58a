//! What changes in a problem between two solves is seen by the next, whatever the workspace has served before.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::AnyRod;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::rod::spline::SplineRod;
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Constraint, Network, NetworkState, NetworkWorkspace, Point, Sense, Span,
    network_frequencies, network_stability, solve_network,
};
use flexline::solver::statics::{
    Settings, Workspace, frequencies, initial_state, negative_directions, solve,
};
use flexline::solver::strands::{StrandMotion, StrandSettings, StrandWorkspace};
use flexline::solver::{Axes, DistributedLoad, End, PointLoad, Pole, Pose, Problem, Status};

const MODELS: [&str; 5] = ["mixed", "nodal", "helix", "clothoid", "spline"];
const LENGTH: f64 = 0.5;

/// A rod of `scale` times the stiffness and `mass` per length, with a rest curvature.
fn made(model: &str, scale: f64, mass: f64, rest: f64, n: usize) -> AnyRod {
    let k = 0.02 * scale;
    let section = SectionProfile::uniform(Section::measured(k, k, 0.8 * k, mass, 0.004).unwrap());
    let rest = move |_: f64| Vec3::new(0.0, rest, 0.0);
    let chain = |strain| {
        MixedRod::new(&Mesh::uniform(LENGTH, 2 * n).unwrap(), &section, &rest).with_strain(strain).into()
    };
    match model {
        "mixed" => chain(Strain::Mixed),
        "nodal" => chain(Strain::Nodal),
        "spline" => SplineRod::new(LENGTH, n, &section, &rest).unwrap().into(),
        "helix" => CurvatureRod::new(Basis::Helix, LENGTH, n, &section, &rest).unwrap().into(),
        _ => CurvatureRod::new(Basis::Clothoid, LENGTH, n, &section, &rest).unwrap().into(),
    }
}

fn rod(model: &str) -> AnyRod {
    made(model, 1.0, 0.15, 0.0, 12)
}

fn pose(x: f64, y: f64, z: f64, tangent: Vec3) -> Pose {
    Pose { position: Vec3::new(x, y, z), orientation: rotation::frame(&tangent, &Vec3::y()) }
}

fn pull(s: f64, force: Vec3) -> PointLoad {
    PointLoad { s, force, moment: Vec3::zeros(), axes: Axes::World }
}

fn spread(force: Vec3, axes: Axes) -> DistributedLoad {
    DistributedLoad { from: 0.1, to: 0.4, force: [force; 2], moment: [Vec3::zeros(); 2], axes }
}

/// A soft pole that the cables lie in.
const POLE: Pole = Pole {
    through: Vec3::new(0.2, 0.0, 0.1),
    axis: Vec3::new(0.0, 1.0, 0.0),
    radius: 0.25,
    stiffness: 200.0,
};

/// What may change of a cable, and of a span: its rod and its loads.
type Cable<'a> = (&'a mut AnyRod, &'a mut Vec<PointLoad>, &'a mut Vec<DistributedLoad>);
type Change<T> = (&'static str, fn(&str, &mut T));
type OfRod = (&'static str, fn(&str, Cable));
/// A change of a known model.
type Applied<T> = (&'static str, Box<dyn Fn(&mut T)>);

const OF_A_ROD: [OfRod; 8] = [
    ("a load", |_, (_, points, _)| points.push(pull(0.25, Vec3::new(0.0, 1.0, 0.5)))),
    ("another load", |_, (_, points, _)| points.push(pull(0.1, Vec3::new(0.3, -0.5, 1.0)))),
    ("a follower force and a moment", |_, (_, points, _)| {
        let moment = Vec3::new(0.0, 0.02, 0.0);
        let load = PointLoad { moment, axes: Axes::Material, ..pull(0.3, Vec3::new(0.2, 0.1, 0.0)) };
        points.push(load);
    }),
    ("a load moved along the cable", |_, (_, points, _)| points[0].s = 0.35),
    ("no load", |_, (_, points, _)| points.clear()),
    ("a load along a stretch", |_, (_, _, along)| {
        along.push(spread(Vec3::new(0.0, 3.0, 1.0), Axes::World));
    }),
    ("another stiffness", |model, (rod, ..)| *rod = made(model, 3.0, 0.15, 0.0, 12)),
    ("another weight and rest shape", |model, (rod, ..)| *rod = made(model, 3.0, 0.4, 2.0, 12)),
];

fn settings() -> Settings {
    Settings::interactive()
}

/// Largest difference of the coordinates of two states.
fn off(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

/// Two spans over a branch, from which a third hangs with a part at its end.
fn network(model: &str) -> Network {
    let span = |from: usize, to: usize| {
        Span::new(rod(model), Attachment::clamped(from), Some(Attachment::clamped(to)))
    };
    let mut network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
            Anchor::fixed(pose(0.8, 0.1, 0.1, Vec3::x())),
            Anchor::loose(pose(0.42, 0.05, -0.05, Vec3::x())),
            Anchor::part(pose(0.75, 0.1, -0.3, Vec3::x()), 0.05, Vec3::new(0.0, 0.0, -0.01)),
        ],
        spans: vec![span(0, 2), span(2, 1), span(2, 3)],
        constraints: vec![Constraint::Plane {
            point: Point::On(3, Vec3::zeros()),
            on: None,
            through: Vec3::new(0.0, 0.1, 0.0),
            normal: Vec3::y(),
            sense: Sense::Equal,
        }],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };
    // Inertia about its axes, which motion needs of a part.
    network.anchors[3].inertia = Vec3::repeat(1e-5);
    network
}

const OF_A_NETWORK: [Change<Network>; 10] = [
    ("a force on a part", |_, n| n.anchors[3].force = Vec3::new(0.3, 0.0, 0.2)),
    ("the mass of a part", |_, n| n.anchors[3].mass = 0.15),
    ("the place of a part on its cable", |_, n| {
        n.spans[2].end = Some(Attachment::clamped(3).at(pose(0.0, 0.02, 0.03, Vec3::z())));
    }),
    ("a port that lets turn", |_, n| n.spans[0].start = Attachment::pinned(0)),
    ("a branch that is held", |_, n| {
        n.anchors[2] = Anchor::fixed(pose(0.41, 0.04, -0.06, Vec3::x()));
    }),
    ("a branch that is let go, its twist", |_, n| {
        n.anchors[2] = Anchor::loose(n.anchors[2].pose);
        n.spans[1].twist = 1.0;
    }),
    ("another plane", |_, n| {
        n.constraints[0] = Constraint::Plane {
            point: Point::On(3, Vec3::zeros()),
            on: None,
            through: Vec3::new(0.0, 0.13, 0.0),
            normal: Vec3::y(),
            sense: Sense::Equal,
        };
    }),
    ("a plane of one side", |_, n| {
        n.constraints[0] = Constraint::Plane {
            point: Point::On(3, Vec3::zeros()),
            on: None,
            through: Vec3::new(0.0, 0.1, 0.0),
            normal: Vec3::y(),
            sense: Sense::AtLeast,
        };
    }),
    ("gravity", |_, n| n.gravity = Vec3::new(0.0, 3.0, -9.0)),
    ("a pole", |_, n| {
        n.poles.push(POLE);
    }),
];

fn brought_to_rest(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace, what: &str) {
    let report = solve_network(network, state, ws, &settings()).expect("sound network");
    assert_eq!(report.status, Status::Converged, "{what}: {report:?}");
}

/// A used workspace finds what a new one finds, and that is another equilibrium than before.
#[test]
fn a_network_that_changes() {
    for model in MODELS {
        let mut network = network(model);
        let mut state = NetworkState::initial(&network);
        let mut used = NetworkWorkspace::new(&network);
        brought_to_rest(&network, &mut state, &mut used, model);
        let rods = OF_A_ROD.iter().map(|(what, change)| {
            let change = move |n: &mut Network| {
                let Span { rod, point_loads, distributed_loads, .. } = &mut n.spans[0];
                change(model, (rod, point_loads, distributed_loads));
            };
            (*what, Box::new(change) as Box<dyn Fn(&mut Network)>)
        });
        let others = OF_A_NETWORK.iter().map(|(what, change)| {
            (*what, Box::new(move |n: &mut Network| change(model, n)) as Box<dyn Fn(&mut Network)>)
        });
        for (what, change) in rods.chain(others) {
            // A small move, so that the workspace has something to predict with.
            network.anchors[1].pose.position.z += 1e-3;
            brought_to_rest(&network, &mut state, &mut used, what);
            change(&mut network);
            let (before, mut plain) = (state.clone(), state.clone());
            brought_to_rest(&network, &mut state, &mut used, what);
            brought_to_rest(&network, &mut plain, &mut NetworkWorkspace::new(&network), what);
            let mut moved = 0.0f64;
            for k in 0..3 {
                let own = &state.spans[k].rod.coordinates;
                let gap = off(own, &plain.spans[k].rod.coordinates);
                assert!(gap < 1e-6, "{model}, {what}: span {k} is {gap:e} away");
                moved = moved.max(off(own, &before.spans[k].rod.coordinates));
            }
            assert!(moved > 1e-4, "{model}, {what}: {moved:e}");
        }
    }
}

/// The same of one cable, with what holds its ends.
#[test]
fn a_cable_that_changes() {
    const OF_A_CABLE: [Change<Problem>; 5] = [
        ("gravity", |_, p| p.gravity = Vec3::new(0.0, 3.0, -9.0)),
        ("an end that lets turn", |_, p| p.ends[1].orientation = None),
        ("an end that slides", |_, p| p.ends[1].held = [false, true, true]),
        ("an end that is clamped again", |_, p| {
            p.ends[1] = End::clamped(pose(0.4, 0.1, 0.05, Vec3::new(1.0, 0.3, 0.0)));
        }),
        ("a pole", |_, p| {
            p.poles.push(POLE);
        }),
    ];
    for model in MODELS {
        let ends = [pose(0.0, 0.0, 0.0, Vec3::x()), pose(0.42, 0.1, 0.1, Vec3::x())].map(End::clamped);
        let mut problem = Problem::new(rod(model), ends[0], ends[1]);
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let mut state = initial_state(&problem);
        let mut used = Workspace::new(&problem);
        let mut changes: Vec<Applied<Problem>> = Vec::new();
        for (what, change) in OF_A_ROD {
            let change = move |p: &mut Problem| {
                change(model, (&mut p.rod, &mut p.point_loads, &mut p.distributed_loads));
            };
            changes.push((what, Box::new(change)));
        }
        for (what, change) in OF_A_CABLE {
            changes.push((what, Box::new(move |p: &mut Problem| change(model, p))));
        }
        for (what, change) in changes {
            let found = |problem: &Problem, state: &mut flexline::solver::State, ws: &mut Workspace| {
                let report = solve(problem, state, ws, &settings()).expect("sound problem");
                assert_eq!(report.status, Status::Converged, "{model}, {what}: {report:?}");
            };
            problem.ends[0].position.z += 1e-3;
            found(&problem, &mut state, &mut used);
            change(&mut problem);
            let (before, mut plain) = (state.clone(), state.clone());
            found(&problem, &mut state, &mut used);
            let mut fresh = Workspace::new(&problem);
            found(&problem, &mut plain, &mut fresh);
            let gap = off(&state.rod.coordinates, &plain.rod.coordinates);
            assert!(gap < 1e-6, "{model}, {what}: {gap:e} away");
            let moved = off(&state.rod.coordinates, &before.rod.coordinates);
            assert!(moved > 1e-4, "{model}, {what}: {moved:e}");
            let counts = [&mut used, &mut fresh]
                .map(|ws| (negative_directions(&problem, &state, ws), frequencies(&problem, &state, ws, 3)));
            assert_eq!(counts[0].0, counts[1].0, "{model}, {what}");
            assert!(off(&counts[0].1, &counts[1].1) < 1e-6, "{model}, {what}: {counts:?}");
        }
    }
}

/// Vibrations and stability are those of the network that is asked about, not of the one that was solved.
#[test]
fn modes_of_a_network_that_changes() {
    for model in MODELS {
        let mut network = network(model);
        let mut state = NetworkState::initial(&network);
        let mut used = NetworkWorkspace::new(&network);
        brought_to_rest(&network, &mut state, &mut used, model);
        let light = network_frequencies(&network, &state, &mut used, 3);
        for span in &mut network.spans {
            span.rod = made(model, 3.0, 0.6, 0.0, 12);
        }
        brought_to_rest(&network, &mut state.clone(), &mut used, model);
        network.spans[1].rod = made(model, 5.0, 0.6, 0.0, 12);
        let mut fresh = NetworkWorkspace::new(&network);
        let [a, b] = [&mut used, &mut fresh].map(|ws| network_frequencies(&network, &state, ws, 3));
        assert!(off(&a, &b) < 1e-6 && off(&a, &light) > 0.1, "{model}: {a:?} {b:?} {light:?}");
        network.spans[1].rod = made(model, 0.5, 0.6, 0.0, 12);
        let mut fresh = NetworkWorkspace::new(&network);
        let [a, b] = [&mut used, &mut fresh].map(|ws| network_stability(&network, &state, ws));
        assert_eq!(a, b, "{model}");
    }
}

/// A step in time sees it too: a load that comes and goes, and a rod that becomes stiffer.
#[test]
fn a_motion_whose_network_changes() {
    for model in MODELS {
        let mut network = network(model);
        let mut state = NetworkState::initial(&network);
        let mut used = NetworkWorkspace::new(&network);
        brought_to_rest(&network, &mut state, &mut used, model);
        let mut motion = Motion::at_rest(&network, state);
        let by = MotionSettings { strain_delay: 0.005, ..MotionSettings::new(0.005, Integrator::Bdf2) };
        for round in 0..5 {
            match round {
                0 => network.spans[0].point_loads.push(pull(0.25, Vec3::new(0.0, 1.0, 0.0))),
                1 => network.spans[0].point_loads.clear(),
                2 => network.spans[2].distributed_loads.push(spread(Vec3::y() * 4.0, Axes::Material)),
                3 => network.spans[1].rod = made(model, 3.0, 0.3, 1.0, 12),
                _ => network.anchors[2] = Anchor::fixed(motion.state.anchors[2]),
            }
            let (mut plain, start) = (motion.clone(), motion.state.clone());
            for k in 0..4 {
                let mut fresh = NetworkWorkspace::new(&network);
                for (motion, ws) in [(&mut motion, &mut used), (&mut plain, &mut fresh)] {
                    let report = motion.step(&network, ws, &by, &settings()).expect("sound network");
                    assert_eq!(report.status, Status::Converged, "{model}, round {round}, step {k}");
                }
            }
            assert!(motion == plain, "{model}, round {round}");
            let moved = (0..3)
                .map(|k| off(&motion.state.spans[k].rod.coordinates, &start.spans[k].rod.coordinates))
                .fold(0.0, f64::max);
            assert!(moved > 1e-4, "{model}, round {round}: {moved:e}");
        }
    }
}

/// Semi-implicit strands as well.
#[test]
fn strands_whose_network_changes() {
    for model in ["helix", "clothoid"] {
        let mut network = Network {
            anchors: vec![Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x()))],
            spans: vec![Span::new(rod(model), Attachment::clamped(0), None)],
            ..Network::default()
        };
        let mut ws = StrandWorkspace::new(&network).unwrap();
        let mut motion = StrandMotion::at_rest(&network, NetworkState::initial(&network));
        let by = StrandSettings { strain_delay: 0.01, drag: 0.1, ..StrandSettings::new(1e-3) };
        for round in 0..4 {
            match round {
                0 => network.spans[0].point_loads.push(pull(0.5, Vec3::new(0.0, 0.1, 0.0))),
                1 => network.gravity = Vec3::new(0.0, 0.0, -9.81),
                2 => network.spans[0].rod = made(model, 2.0, 0.3, 3.0, 12),
                _ => network.anchors[0] = Anchor::loose(network.anchors[0].pose),
            }
            let (mut plain, start) = (motion.clone(), motion.state.clone());
            let mut fresh = StrandWorkspace::new(&network).unwrap();
            for (motion, ws) in [(&mut motion, &mut ws), (&mut plain, &mut fresh)] {
                for _ in 0..20 {
                    assert_eq!(motion.step(&network, ws, &by).unwrap(), Status::Converged, "{model}");
                }
                motion.place(ws);
            }
            // A workspace of its own cannot know that anything has changed, and guards the energy of the first step.
            let answers = |of: &StrandMotion| (of.state.clone(), of.time, of.work, of.dissipated);
            assert!(answers(&motion) == answers(&plain), "{model}, round {round}");
            let moved = off(&motion.state.spans[0].rod.coordinates, &start.spans[0].rod.coordinates);
            assert!(moved > 1e-5, "{model}, round {round}: {moved:e}");
        }
        network.spans[0].rod = rod("mixed");
        assert!(motion.step(&network, &mut ws, &by).is_err(), "{model}: no rod of strands");
    }
}

/// What the state does not fit is refused.
#[test]
fn another_size_is_refused() {
    for model in MODELS {
        let mut network = network(model);
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        brought_to_rest(&network, &mut state, &mut ws, model);
        let good = network.clone();
        let mut refused = |network: &Network, what: &str| {
            let told = solve_network(network, &mut state.clone(), &mut ws, &settings()).expect_err(what);
            assert!(told.to_string().contains("state"), "{what}: {told}");
            let by = MotionSettings::new(0.01, Integrator::Bdf2);
            let mut motion = Motion::at_rest(&good, state.clone());
            let told = motion.step(network, &mut ws, &by, &settings()).expect_err(what);
            assert!(told.to_string().contains("state"), "{what}: {told}");
        };
        network.spans[1].rod = made(model, 1.0, 0.15, 0.0, 14);
        refused(&network, "more segments");
        network.spans[1].rod = rod(if model == "helix" { "clothoid" } else { "helix" });
        refused(&network, "another model");
        network.spans.pop();
        refused(&network, "a span less");
        let mut network = good.clone();
        network.constraints.clear();
        refused(&network, "a constraint less");
        network = good.clone();
        network.anchors.push(Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())));
        refused(&network, "an anchor more");
        // And what was good still is.
        brought_to_rest(&good, &mut state, &mut ws, model);
    }
}

/// Scratch that was made for what no solve takes serves what one does.
#[test]
fn scratch_of_an_unsound_problem_serves_the_next() {
    for model in MODELS {
        let pose = |x: f64| Pose {
            position: Vec3::new(x, 0.0, 0.0),
            orientation: rotation::frame(&Vec3::x(), &Vec3::z()),
        };
        let mut problem =
            Problem::new(made(model, 1.0, 0.1, 0.0, 10), End::clamped(pose(0.0)), End::clamped(pose(0.4)));
        problem.gravity = Vec3::new(0.0, 0.0, f64::NAN);
        let mut ws = Workspace::new(&problem);
        assert!(ws.factorise_and_solve_once(&problem).is_nan(), "{model}");
        problem.gravity.z = -9.81;
        let mut state = initial_state(&problem);
        assert!(
            solve(&problem, &mut state, &mut ws, &Settings::default()).unwrap().status == Status::Converged
        );
    }
}
