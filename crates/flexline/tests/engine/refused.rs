//! What makes no sense is refused with a sentence, at every door of the library: no panic, no answer made of no numbers.

use crate::tolerance::{convergence, order};
use flexline::algebra::rotation;
use flexline::rod::AnyRod;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::SplineRod;
use flexline::section::{Section, SectionProfile, Zone};
use flexline::solver::motion::{Integrator, Motion, MotionSettings, Pull};
use flexline::solver::network::{
    Anchor, Attachment, Constraint, Direction, Network, NetworkError, NetworkState, NetworkWorkspace, Point,
    Sense, Slide, Span, Wheel, network_frequencies, network_stability, solve_network, span_profile,
};
use flexline::solver::statics::{
    IntegralSettings, Method, Settings, Workspace, frequencies, initial_state, integral_forces,
    negative_directions, profile, solve, solve_adaptive, solve_from_scratch,
};
use flexline::solver::strands::{StrandMotion, StrandSettings, StrandWorkspace};
use flexline::solver::{Axes, DistributedLoad, End, PointLoad, Pole, Pose, Problem, State, Status};
use flexline::{Quat, Vec3};

const NAN: f64 = f64::NAN;
const MODELS: [&str; 5] = ["mixed", "nodal", "helix", "clothoid", "spline"];

fn section() -> Section {
    Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).unwrap()
}

/// A rod of half a metre, or why there is none.
fn made(model: &str, section: &SectionProfile, rest: f64) -> Result<AnyRod, String> {
    let rest = move |_: f64| Vec3::new(rest, 0.0, 0.0);
    let told = |e: flexline::rod::curvature::CurvatureError| e.to_string();
    let chain = || MixedRod::new(&Mesh::uniform(0.5, 8).unwrap(), section, &rest);
    match model {
        "mixed" => Ok(chain().into()),
        "nodal" => Ok(chain().with_strain(flexline::rod::mixed::Strain::Nodal).into()),
        "spline" => Ok(SplineRod::new(0.5, 6, section, &rest).map_err(told)?.into()),
        "helix" => Ok(CurvatureRod::new(Basis::Helix, 0.5, 6, section, &rest).map_err(told)?.into()),
        _ => Ok(CurvatureRod::new(Basis::Clothoid, 0.5, 6, section, &rest).map_err(told)?.into()),
    }
}

fn rod(model: &str) -> AnyRod {
    made(model, &SectionProfile::uniform(section()), 0.0).unwrap()
}

fn pose(x: f64, tangent: Vec3) -> Pose {
    Pose { position: Vec3::new(x, 0.0, 0.0), orientation: rotation::frame(&tangent, &Vec3::y()) }
}

fn twice(q: Quat) -> Quat {
    q * 2.0
}

fn cable(model: &str) -> Problem {
    let mut problem =
        Problem::new(rod(model), End::clamped(pose(0.0, Vec3::x())), End::clamped(pose(0.4, Vec3::x())));
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem
}

fn load() -> PointLoad {
    PointLoad { s: 0.2, force: Vec3::y(), moment: Vec3::zeros(), axes: Axes::World }
}

fn along() -> DistributedLoad {
    DistributedLoad {
        from: 0.1,
        to: 0.4,
        force: [Vec3::y(); 2],
        moment: [Vec3::zeros(); 2],
        axes: Axes::World,
    }
}

fn pole() -> Pole {
    Pole { through: Vec3::new(0.2, 0.0, -0.3), axis: Vec3::y(), radius: 0.1, stiffness: 1e3 }
}

/// A name, and what it spoils.
type Spoilt<T> = (&'static str, fn(&mut T));

#[test]
fn problems() {
    let spoilt: &[Spoilt<Problem>] = &[
        ("a place", |p| p.ends[0].position.x = NAN),
        ("an infinite place", |p| p.ends[1].position.y = f64::INFINITY),
        ("a twist", |p| p.ends[1].twist = NAN),
        ("a quaternion of norm 2", |p| p.ends[0].orientation = p.ends[0].orientation.map(twice)),
        ("a quaternion of nothing", |p| p.ends[1].orientation = Some(Quat::new(0.0, 0.0, 0.0, 0.0))),
        ("a zero tangent", |p| p.ends[1].orientation = Some(rotation::frame(&Vec3::zeros(), &Vec3::x()))),
        ("an end that holds nothing", |p| p.ends = [End::free(); 2]),
        ("gravity", |p| p.gravity.z = NAN),
        ("the force of a load", |p| p.point_loads.push(PointLoad { force: Vec3::repeat(NAN), ..load() })),
        ("the moment of a load", |p| {
            p.point_loads.push(PointLoad { moment: Vec3::repeat(f64::INFINITY), ..load() });
        }),
        ("a load nowhere", |p| p.point_loads.push(PointLoad { s: NAN, ..load() })),
        ("a load before the cable", |p| p.point_loads.push(PointLoad { s: -0.1, ..load() })),
        ("a load beyond the cable", |p| p.point_loads.push(PointLoad { s: 0.6, ..load() })),
        ("a load along nothing", |p| p.distributed_loads.push(DistributedLoad { from: NAN, ..along() })),
        ("a load along too much", |p| p.distributed_loads.push(DistributedLoad { to: 0.7, ..along() })),
        ("a load along a stretch", |p| {
            p.distributed_loads.push(DistributedLoad { force: [Vec3::repeat(NAN); 2], ..along() });
        }),
        ("the radius of a pole", |p| p.poles.push(Pole { radius: -1.0, ..pole() })),
        ("the axis of a pole", |p| p.poles.push(Pole { axis: Vec3::zeros(), ..pole() })),
        ("the stiffness of a pole", |p| p.poles.push(Pole { stiffness: NAN, ..pole() })),
        ("a length of nothing", |p| p.rod = p.rod.with_length(0.0)),
        ("a negative length", |p| p.rod = p.rod.with_length(-1.0)),
        ("a length that is none", |p| p.rod = p.rod.with_length(NAN)),
    ];
    for model in MODELS {
        let good = cable(model);
        let (state, _) = solve_from_scratch(&good, &Settings::default()).expect(model);
        for (what, spoil) in spoilt {
            let mut bad = good.clone();
            spoil(&mut bad);
            let told = bad.check().expect_err(what).to_string();
            assert!(told.len() > 20, "{model}, {what}: {told}");
            assert!(solve_from_scratch(&bad, &Settings::default()).is_err(), "{model}, {what}");
            let _ = initial_state(&bad);
            // A workspace of the good problem, and one of the bad.
            for ws in [&mut Workspace::new(&good), &mut Workspace::new(&bad)] {
                let mut own = state.clone();
                assert!(solve(&bad, &mut own, ws, &Settings::default()).is_err(), "{model}, {what}");
                assert_eq!(own, state, "{model}, {what}: left as it was");
                negative_directions(&bad, &state, ws);
                frequencies(&bad, &state, ws, 2);
            }
            profile(&bad, &state);
        }
    }
}

#[test]
fn states_of_a_cable() {
    let spoilt: &[Spoilt<State>] = &[
        ("no coordinates", |s| s.rod.coordinates.clear()),
        ("a coordinate too many", |s| s.rod.coordinates.push(0.0)),
        ("a coordinate that is none", |s| s.rod.coordinates[8] = NAN),
        ("a force", |s| s.end_force.x = NAN),
        ("a moment", |s| s.end_moment.x = f64::INFINITY),
        ("an end", |s| s.ends[1].position.x = NAN),
        ("a frame", |s| s.ends[0].orientation = s.ends[0].orientation.map(twice)),
    ];
    for model in MODELS {
        let problem = cable(model);
        let (state, _) = solve_from_scratch(&problem, &Settings::default()).expect(model);
        for (what, spoil) in spoilt {
            let mut bad = state.clone();
            spoil(&mut bad);
            let mut ws = Workspace::new(&problem);
            let told = solve(&problem, &mut bad.clone(), &mut ws, &Settings::default()).expect_err(what);
            assert!(told.to_string().contains("state"), "{model}, {what}: {told}");
            negative_directions(&problem, &bad, &mut ws);
            frequencies(&problem, &bad, &mut ws, 2);
            profile(&problem, &bad);
        }
    }
}

#[test]
fn settings() {
    let integral = |own: IntegralSettings| Method::IntegralForces(own);
    let standard = IntegralSettings::default();
    let bad = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    };
    let all = [
        ("force_tolerance", bad(&|s| s.force_tolerance = NAN)),
        ("force_tolerance", bad(&|s| s.force_tolerance = -1e-9)),
        ("force_tolerance", bad(&|s| s.force_tolerance = 1.0)),
        ("position_tolerance", bad(&|s| s.position_tolerance = NAN)),
        ("position_tolerance", bad(&|s| s.position_tolerance = f64::INFINITY)),
        ("position_tolerance", bad(&|s| s.position_tolerance = -1.0)),
        ("max_iterations", bad(&|s| s.max_iterations = 0)),
        ("alpha", bad(&|s| s.method = integral(IntegralSettings { alpha: NAN, ..standard }))),
        ("stiffness", bad(&|s| s.method = integral(IntegralSettings { stiffness: -1.0, ..standard }))),
        ("tolerance", bad(&|s| s.method = integral(IntegralSettings { tolerance: NAN, ..standard }))),
        ("max_iterations", bad(&|s| s.method = integral(IntegralSettings { max_iterations: 0, ..standard }))),
    ];
    for model in MODELS {
        let (problem, network) = (cable(model), network(model));
        for (what, settings) in &all {
            let told = solve_from_scratch(&problem, settings).expect_err(what).to_string();
            assert!(told.contains(what), "{model}, {what}: {told}");
            let mut ws = NetworkWorkspace::new(&network);
            let told = solve_network(&network, &mut NetworkState::initial(&network), &mut ws, settings);
            assert!(told.expect_err(what).to_string().contains(what), "{model}, {what}");
        }
        for accuracy in [NAN, 0.0, -1.0, 1.0] {
            let found = solve_adaptive(&[0.0, 0.5], accuracy, &|_| Ok(problem.clone()), &Settings::default());
            assert!(found.is_err(), "{model}, accuracy {accuracy}");
        }
        // The dissertation's scheme knows chains.
        let mut state = initial_state(&problem);
        let run = integral_forces(&problem, &mut state, &standard);
        assert_eq!(run.is_ok(), problem.rod.as_mixed().is_some(), "{model}");
        state.rod.coordinates.pop();
        assert!(integral_forces(&problem, &mut state, &standard).is_err(), "{model}");
    }
}

/// A cable over an eye and a wheel, with a part at its end.
fn network(model: &str) -> Network {
    let span = |from: usize, to: Option<usize>| {
        Span::new(rod(model), Attachment::clamped(from), to.map(Attachment::clamped))
    };
    Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, Vec3::x())),
            Anchor::fixed(pose(0.45, Vec3::x())),
            Anchor { inertia: Vec3::repeat(1e-5), ..Anchor::part(pose(0.8, Vec3::x()), 0.1, Vec3::zeros()) },
            Anchor::fixed(pose(0.0, Vec3::y())),
        ],
        spans: vec![span(0, Some(1)), span(1, Some(2)), span(3, None)],
        constraints: vec![Constraint::Plane {
            point: Point::On(2, Vec3::zeros()),
            on: None,
            through: Vec3::zeros(),
            normal: Vec3::y(),
            sense: Sense::Equal,
        }],
        slides: vec![Slide::through(0, 1, 0.0)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    }
}

fn wheel() -> Wheel {
    Wheel { on: 1, pose: pose(0.0, Vec3::y()), radius: 0.05, contact: [0.0, 1.0] }
}

#[test]
fn networks() {
    let spoilt: &[Spoilt<Network>] = &[
        ("gravity", |n| n.gravity.x = NAN),
        ("a place", |n| n.anchors[0].pose.position.x = NAN),
        ("a quaternion of norm 2", |n| n.anchors[1].pose.orientation = twice(n.anchors[1].pose.orientation)),
        ("a zero tangent", |n| n.anchors[2].pose = pose(0.8, Vec3::zeros())),
        ("a negative mass", |n| n.anchors[2].mass = -1.0),
        ("a mass that is none", |n| n.anchors[2].mass = NAN),
        ("a negative inertia", |n| n.anchors[2].inertia.y = -1.0),
        ("a centre", |n| n.anchors[2].centre.z = f64::INFINITY),
        ("a force", |n| n.anchors[2].force.z = NAN),
        ("a moment", |n| n.anchors[2].moment.z = NAN),
        ("the start of a span", |n| n.spans[0].start.anchor = 9),
        ("the end of a span", |n| n.spans[1].end = Some(Attachment::clamped(9))),
        ("a place on an anchor", |n| n.spans[1].start.anchor_from_end.position.x = NAN),
        ("a turn on an anchor", |n| n.spans[1].start.anchor_from_end = pose(0.0, Vec3::zeros())),
        ("a turn of norm 2", |n| {
            let at = &mut n.spans[0].start.anchor_from_end;
            at.orientation = twice(at.orientation);
        }),
        ("a twist", |n| n.spans[0].twist = NAN),
        ("a length", |n| n.spans[2].rod = n.spans[2].rod.with_length(-1.0)),
        ("a load", |n| n.spans[0].point_loads.push(PointLoad { force: Vec3::repeat(NAN), ..load() })),
        ("a load nowhere", |n| n.spans[0].point_loads.push(PointLoad { s: NAN, ..load() })),
        ("a load before a span", |n| n.spans[0].point_loads.push(PointLoad { s: -0.1, ..load() })),
        ("a load beyond a span", |n| n.spans[2].point_loads.push(PointLoad { s: 0.6, ..load() })),
        ("a load along too much", |n| {
            n.spans[2].distributed_loads.push(DistributedLoad { to: 0.7, ..along() });
        }),
        ("a load along a stretch", |n| {
            n.spans[2].distributed_loads.push(DistributedLoad { moment: [Vec3::repeat(NAN); 2], ..along() });
        }),
        ("a pole", |n| n.poles.push(Pole { radius: 0.0, ..pole() })),
        ("an anchor of a constraint", |n| {
            n.constraints[0] =
                Constraint::Coincide { from: Point::On(9, Vec3::zeros()), to: Point::World(Vec3::zeros()) }
        }),
        ("a normal of length 2", |n| {
            n.constraints[0] = Constraint::Plane {
                point: Point::On(2, Vec3::zeros()),
                on: None,
                through: Vec3::zeros(),
                normal: Vec3::y() * 2.0,
                sense: Sense::Equal,
            }
        }),
        ("a distance of nothing", |n| {
            n.constraints[0] = Constraint::Distance {
                from: Point::On(2, Vec3::zeros()),
                to: Point::World(Vec3::zeros()),
                distance: 0.0,
                sense: Sense::AtMost,
            }
        }),
        ("a direction of nothing", |n| {
            n.constraints[0] = Constraint::Parallel {
                direction: Direction::On(2, Vec3::zeros()),
                to: Direction::World(Vec3::x()),
            }
        }),
        ("a turn of norm 2 between anchors", |n| {
            n.constraints[0] = Constraint::Aligned { anchor: 2, on: None, turn: twice(rotation::identity()) }
        }),
        ("a span before a slide", |n| n.slides[0].before = Some(9)),
        ("a span after a slide", |n| n.slides[0].after = Some(2)),
        ("a slide into itself", |n| n.slides[0].after = Some(0)),
        ("a slide of nothing", |n| n.slides[0] = Slide::default()),
        ("negative friction", |n| n.slides[0].friction = -0.1),
        ("friction that is none", |n| n.slides[0].friction = NAN),
        ("a price", |n| n.slides[0].price = NAN),
        ("rope that goes two ways", |n| n.slides.push(Slide::through(0, 1, 0.1))),
        ("a wheel that is not there", |n| n.slides[0].wheel = Some(3)),
        ("a wheel of a store", |n| n.slides.push(Slide { wheel: Some(3), ..Slide::drawn(2, 1.0) })),
        ("a wheel on nothing", |n| n.add_wheel(Wheel { on: 9, ..wheel() }, 0, 1, 0.0)),
        ("a wheel of spans that are not there", |n| n.add_wheel(wheel(), 7, 8, 0.0)),
        ("an infinite wheel", |n| {
            n.slides.clear();
            n.add_wheel(Wheel { radius: f64::INFINITY, ..wheel() }, 0, 1, 0.0);
        }),
        ("a wheel that is turned by norm 2", |n| {
            n.slides.clear();
            let at = Pose { position: Vec3::zeros(), orientation: twice(rotation::identity()) };
            n.add_wheel(Wheel { pose: at, ..wheel() }, 0, 1, 0.0);
        }),
        ("a wheel that is left before it is touched", |n| {
            n.slides.clear();
            n.add_wheel(Wheel { contact: [1.0, 0.0], ..wheel() }, 0, 1, 0.0);
        }),
    ];
    let by = MotionSettings::new(0.01, Integrator::Bdf2);
    for model in MODELS {
        let good = network(model);
        let state = NetworkState::initial(&good);
        for (what, spoil) in spoilt {
            let mut bad = good.clone();
            spoil(&mut bad);
            let told = bad.check().expect_err(what).to_string();
            assert!(told.len() > 20, "{model}, {what}: {told}");
            for ws in [&mut NetworkWorkspace::new(&good), &mut NetworkWorkspace::new(&bad)] {
                for mut own in [state.clone(), NetworkState::initial(&bad)] {
                    let before = own.clone();
                    let found = solve_network(&bad, &mut own, ws, &Settings::default());
                    assert!(found.is_err() && own == before, "{model}, {what}: {found:?}");
                    assert!(network_stability(&bad, &own, ws).is_none(), "{model}, {what}");
                    assert!(network_frequencies(&bad, &own, ws, 2).is_empty(), "{model}, {what}");
                }
                for mut motion in
                    [Motion::at_rest(&good, state.clone()), Motion::at_rest(&bad, state.clone())]
                {
                    let found = motion.step(&bad, ws, &by, &Settings::default());
                    assert!(found.is_err(), "{model}, {what}: {found:?}");
                }
            }
            assert!(StrandWorkspace::new(&bad).is_err(), "{model}, {what}");
        }
        assert!(span_profile(&good, &state, 7).samples.is_empty());
        assert!(span_profile(&good, &NetworkState::default(), 0).samples.is_empty());
    }
}

#[test]
fn states_and_settings_of_motions() {
    let model = "clothoid";
    let network = network(model);
    let state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let spoilt: &[Spoilt<NetworkState>] = &[
        ("no anchors", |s| s.anchors.clear()),
        ("a span less", |s| {
            s.spans.pop();
        }),
        ("no lengths", |s| s.lengths.clear()),
        ("a length that is none", |s| s.lengths[0] = NAN),
        ("no multipliers", |s| s.multipliers.clear()),
        ("no flows", |s| s.flows.clear()),
        ("no ways", |s| s.slips.clear()),
        ("no friction", |s| s.friction.clear()),
        ("nothing taken", |s| s.taken.clear()),
        ("a contact more", |s| s.contacts.push([0.0; 2])),
        ("no coordinates", |s| s.spans[0].rod.coordinates.clear()),
        ("a coordinate that is none", |s| s.spans[2].rod.coordinates[9] = NAN),
        ("an anchor of norm 2", |s| s.anchors[2].orientation = twice(s.anchors[2].orientation)),
    ];
    for (what, spoil) in spoilt {
        let mut bad = state.clone();
        spoil(&mut bad);
        assert!(solve_network(&network, &mut bad.clone(), &mut ws, &Settings::default()).is_err(), "{what}");
        let by = MotionSettings::new(0.01, Integrator::Bdf2);
        let mut motion = Motion::from_any_state(&network, bad.clone());
        assert!(motion.step(&network, &mut ws, &by, &Settings::default()).is_err(), "{what}");
    }
    let standard = MotionSettings::new(0.01, Integrator::Bdf2);
    for bad in [
        MotionSettings { step: 0.0, ..standard },
        MotionSettings { step: NAN, ..standard },
        MotionSettings { strain_delay: -1.0, ..standard },
        MotionSettings { drag: NAN, ..standard },
        MotionSettings { wind: Vec3::repeat(NAN), ..standard },
        MotionSettings { integrator: Integrator::GeneralisedAlpha { rho: NAN }, ..standard },
        MotionSettings { integrator: Integrator::GeneralisedAlpha { rho: 1.5 }, ..standard },
    ] {
        let mut motion = Motion::from_any_state(&network, state.clone());
        assert!(motion.step(&network, &mut ws, &bad, &Settings::default()).is_err(), "{bad:?}");
    }
    let pull = Pull { span: 0, s: 0.2, to: Vec3::zeros(), stiffness: 1.0 };
    for bad in [
        Pull { span: 9, ..pull },
        Pull { s: NAN, ..pull },
        Pull { to: Vec3::repeat(NAN), ..pull },
        Pull { stiffness: -1.0, ..pull },
    ] {
        let mut motion = Motion::from_any_state(&network, state.clone());
        motion.pulls.push(bad);
        assert!(motion.step(&network, &mut ws, &standard, &Settings::default()).is_err(), "{bad:?}");
    }
    // The semi-implicit scheme has doors of its own.
    let tree = Network {
        anchors: vec![Anchor::fixed(pose(0.0, Vec3::x()))],
        spans: vec![Span::new(rod(model), Attachment::clamped(0), None)],
        ..Network::default()
    };
    let mut ws = StrandWorkspace::new(&tree).unwrap();
    let standard = StrandSettings::new(1e-3);
    for bad in [
        StrandSettings { step: NAN, ..standard },
        StrandSettings { strain_delay: -1.0, ..standard },
        StrandSettings { drag: f64::INFINITY, ..standard },
        StrandSettings { wind: Vec3::repeat(NAN), ..standard },
    ] {
        let mut motion = StrandMotion::at_rest(&tree, NetworkState::initial(&tree));
        assert!(motion.step(&tree, &mut ws, &bad).is_err(), "{bad:?}");
    }
    let mut motion = StrandMotion::at_rest(&tree, NetworkState::default());
    assert!(motion.step(&tree, &mut ws, &standard).is_err());
}

/// Why a motion at rest in a state does not begin.
fn why_not(network: &Network, state: &NetworkState) -> Option<NetworkError> {
    let mut motion = Motion::at_rest(network, state.clone());
    let by = MotionSettings::new(0.01, Integrator::ImplicitEuler);
    let mut ws = NetworkWorkspace::new(network);
    let refused = motion.step(network, &mut ws, &by, &Settings::default()).err();
    // What is refused stays where it was, and is refused again.
    assert_eq!(refused.is_some(), motion.time == 0.0 && motion.state == *state);
    if refused.is_some() {
        assert_eq!(refused, motion.step(network, &mut ws, &by, &Settings::default()).err());
    }
    refused
}

/// A motion starts from what holds together: not from a solve that did not converge, nor from what was moved apart since.
#[test]
fn motions_from_states_that_are_apart() {
    for model in MODELS {
        let end = Pose { position: Vec3::new(0.3, 0.1, 0.1), ..pose(0.0, Vec3::y()) };
        let mut network = Network {
            anchors: vec![Anchor::fixed(pose(0.0, Vec3::x())), Anchor::fixed(end)],
            spans: vec![Span::new(rod(model), Attachment::clamped(0), Some(Attachment::clamped(1)))],
            gravity: Vec3::new(0.0, 0.0, -9.81),
            ..Network::default()
        };
        let mut ws = NetworkWorkspace::new(&network);
        let mut solved = NetworkState::initial(&network);
        let report = solve_network(&network, &mut solved, &mut ws, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged, "{model}");
        assert_eq!(why_not(&network, &solved), None, "{model}");
        // Out of balance is what a release means.
        network.gravity = Vec3::new(0.0, 9.81, 0.0);
        assert_eq!(why_not(&network, &solved), None, "{model}");

        let mut moved = solved.clone();
        moved.anchors[1].position.z += 1e-3;
        let Some(NetworkError::Apart { what: "span", index: 0, gap }) = why_not(&network, &moved) else {
            panic!("{model}: a millimetre apart");
        };
        order(1e-5, 1.0).allows(gap - 1e-3, || format!("{model}: {gap}"));

        // From a solve that did not converge: the end is out of reach.
        network.anchors[1].pose.position = Vec3::new(0.6, 0.1, 0.1);
        let mut broken = solved.clone();
        let report = solve_network(&network, &mut broken, &mut ws, &Settings::default()).unwrap();
        assert_ne!(report.status, Status::Converged, "{model}");
        let refused = why_not(&network, &broken);
        assert!(
            matches!(refused, Some(NetworkError::Apart { what: "span", index: 0, .. })),
            "{model}: {refused:?}"
        );
        let told = refused.map(|e| e.to_string()).unwrap_or_default();
        assert!(told.contains("mm off") && told.contains("solve it first"), "{told}");
        // Who asks for it has it pulled together, where it can be.
        network.anchors[1].pose = end;
        let mut motion = Motion::from_any_state(&network, broken);
        let by =
            MotionSettings { strain_delay: 0.01, ..MotionSettings::new(0.01, Integrator::ImplicitEuler) };
        motion.expect_uncounted_work();
        let report = motion.step_in_parts(&network, &mut ws, &by, &Settings::default(), 16).unwrap();
        assert_eq!(report.status, Status::Converged, "{model}");
        let place = span_profile(&network, &motion.state, 0).samples.last().unwrap().position;
        convergence(1e-6, 1.0)
            .allows((place - network.anchors[1].pose.position).norm(), || format!("{model}: {place}"));
    }
}

/// Constraints count as spans do, each in its sense.
#[test]
fn motions_from_states_that_break_constraints() {
    let mut network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, Vec3::x())),
            Anchor { inertia: Vec3::repeat(1e-5), ..Anchor::part(pose(0.5, Vec3::x()), 0.1, Vec3::zeros()) },
        ],
        spans: vec![Span::new(rod("mixed"), Attachment::clamped(0), Some(Attachment::clamped(1)))],
        ..Network::default()
    };
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    for (sense, z, gap) in [
        (Sense::Equal, 0.0, None),
        (Sense::Equal, 0.02, Some(0.02)),
        (Sense::Equal, -0.02, Some(0.02)),
        (Sense::AtMost, -0.02, Some(0.02)),
        (Sense::AtMost, 0.02, None),
        (Sense::AtLeast, 0.02, Some(0.02)),
        (Sense::AtLeast, -0.02, None),
    ] {
        let through = Vec3::new(0.0, 0.0, z);
        let plane = Constraint::Plane {
            point: Point::On(1, Vec3::zeros()),
            on: None,
            through,
            normal: Vec3::z(),
            sense,
        };
        network.constraints = vec![plane];
        let state =
            NetworkState { multipliers: NetworkState::initial(&network).multipliers, ..state.clone() };
        let found = match why_not(&network, &state) {
            Some(NetworkError::Apart { what: "constraint", index: 0, gap }) => Some(gap),
            Some(other) => panic!("{sense:?} {z}: {other}"),
            None => None,
        };
        let near = match (found, gap) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            (a, b) => a == b,
        };
        assert!(near, "{sense:?} {z}: {found:?}");
    }
}

#[test]
fn sections_and_meshes() {
    let good = section();
    let sections: [(&str, SectionProfile); 6] = [
        ("no stiffness", SectionProfile::uniform(Section { stiffness: Vec3::zeros(), ..good })),
        ("a negative stiffness", SectionProfile::uniform(Section { stiffness: -good.stiffness, ..good })),
        (
            "a stiffness that is none",
            SectionProfile::uniform(Section { stiffness: Vec3::repeat(NAN), ..good }),
        ),
        ("a negative mass", SectionProfile::uniform(Section { mass_per_length: -1.0, ..good })),
        ("a radius of nothing", SectionProfile::uniform(Section { contact_radius: 0.0, ..good })),
        ("zones shorter than the rod", SectionProfile::new(vec![Zone::constant(0.0, 0.3, good)]).unwrap()),
    ];
    for model in MODELS {
        let refused = |what: &str, made: Result<AnyRod, String>| {
            // At its making, or by whatever solves for it.
            let Ok(rod) = made else { return };
            let problem = Problem { rod: rod.clone(), ..cable("mixed") };
            assert!(problem.check().is_err(), "{model}, {what}");
            assert!(solve_from_scratch(&problem, &Settings::default()).is_err(), "{model}, {what}");
            let network = Network::from_cable(&problem);
            assert!(network.check().is_err(), "{model}, {what}");
            let mut state = NetworkState::initial(&network);
            let mut ws = NetworkWorkspace::new(&network);
            assert!(
                solve_network(&network, &mut state, &mut ws, &Settings::default()).is_err(),
                "{model}, {what}"
            );
        };
        for (what, section) in &sections {
            refused(what, made(model, section, 0.0));
        }
        refused("a rest shape that is none", made(model, &SectionProfile::uniform(good), NAN));
        refused("an endless rest shape", made(model, &SectionProfile::uniform(good), f64::INFINITY));
    }
    for (length, n) in [(0.0, 8), (-1.0, 8), (NAN, 8), (f64::INFINITY, 8), (1.0, 0), (1.0, usize::MAX)] {
        assert!(Mesh::uniform(length, n).is_err());
        assert!(Mesh::graded(length, n, [0.01; 2]).is_err());
        let uniform = SectionProfile::uniform(good);
        let straight = |_: f64| Vec3::zeros();
        assert!(CurvatureRod::new(Basis::Clothoid, length, n, &uniform, &straight).is_err());
        assert!(SplineRod::new(length, n, &uniform, &straight).is_err());
    }
    for ends in [&[][..], &[0.0], &[0.1, 0.2, 0.3], &[0.0, 0.2, 0.1], &[0.0, NAN, 0.1], &[NAN, 0.1, 0.2]] {
        let uniform = SectionProfile::uniform(good);
        let straight = |_: f64| Vec3::zeros();
        assert!(CurvatureRod::with_elements(Basis::Helix, ends, &uniform, &straight).is_err(), "{ends:?}");
        assert!(SplineRod::with_elements(ends, &uniform, &straight).is_err(), "{ends:?}");
        assert!(Mesh::from_nodes(ends.to_vec()).is_err(), "{ends:?}");
    }
}
