//! The problem file: what is written is read back to the last bit, and whatever is changed in it is read or refused.

#[path = "common/problems.rs"]
mod problems;

use flexline::prelude::*;
use flexline::rod::Breaks;
use flexline::rod::mixed::Strain;
use flexline::section::Zone;
use flexline::solver::network::{Direction, Grip, Point, Sense};
use flexline::solver::saved::{SavedProblem, SavedSolution};
use flexline_exchange::problem::{ProblemFileError, from_bytes, is_problem, to_text};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::Arc;

/// Rods of every model; sections and rest shapes jump, so that nothing is where it is by chance.
fn rods() -> Vec<AnyRod> {
    let section = |k: f64| Section::measured(k, 1.3 * k, 0.7 * k, 0.1 / 3.0, 0.004).unwrap();
    let zones =
        vec![Zone::constant(0.0, 0.4, section(0.1)), Zone::scaled(0.4, 1.0, section(0.02), section(0.05))];
    let profile = SectionProfile::new(zones).unwrap();
    let rest = |s: f64| if s < 0.7 { Vec3::new(1.0 / 3.0, 0.0, 0.5) } else { Vec3::new(-0.2, 0.1, 0.0) };
    let mut breaks = Breaks::of(&profile);
    breaks.jump(0.7);
    let ends = breaks.divide(1.0, 5).unwrap();
    let chain = MixedRod::with_breaks(&Mesh::graded(1.0, 6, [0.05, 0.0]).unwrap(), &breaks, &profile, &rest);
    let curved = |basis| CurvatureRod::with_breaks(basis, &ends, &breaks, &profile, &rest).unwrap();
    vec![
        chain.clone().into(),
        chain.with_strain(Strain::Nodal).into(),
        curved(Basis::Helix).into(),
        curved(Basis::Clothoid).into(),
        SplineRod::with_breaks(&ends, &breaks, &profile, &rest).unwrap().into(),
    ]
}

fn pose(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, z), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) }
}

/// One cable, with every kind of load.
fn cable(rod: AnyRod) -> SavedProblem {
    let mut problem = Problem::new(rod, End::clamped(pose(0.0, 0.0)), End::clamped(pose(0.7, 0.1)));
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem.ends[1].twist = 0.1;
    let force = Vec3::new(0.01, 0.02, -0.03);
    problem.point_loads.push(PointLoad { s: 0.3, force, moment: 0.01 * force, axes: Axes::Material });
    let state = initial_state(&problem);
    SavedProblem::cable(problem, state, Settings::default())
}

/// A rope over a wheel to a weight in an eye, and a bar held by every kind of constraint.
fn network() -> SavedProblem {
    let mut rods = rods().into_iter();
    let mut rod = || rods.next().unwrap();
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    network.anchors = vec![
        Anchor::fixed(pose(0.0, 0.0)),
        Anchor::fixed(pose(0.8, 0.4)),
        Anchor::part(pose(1.5, -0.2), 0.2, Vec3::new(0.01, 0.0, 0.0)),
        Anchor::loose(pose(2.2, 0.0)),
        Anchor::fixed(pose(3.0, 0.1)),
    ];
    network.anchors[2].inertia = Vec3::new(1e-4, 1e-4, 2e-4);
    let pinned = |anchor| Attachment { grip: Grip::Pinned, ..Attachment::clamped(anchor) };
    network.spans = vec![
        Span::new(rod(), Attachment::clamped(0), Some(Attachment::clamped(1))),
        Span::new(rod(), Attachment::clamped(1), Some(pinned(2))),
        Span::new(rod(), pinned(2), Some(Attachment::clamped(3))),
        Span::new(rod(), Attachment::clamped(3), Some(Attachment::clamped(4))),
    ];
    let axle = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::y(), &Vec3::x()) };
    let wheel = Wheel { on: 1, pose: axle, radius: 0.05, contact: [1.2, 1.9] };
    network.add_wheel(wheel, 0, 1, 0.2);
    let (on, sense) = (|a: usize| Point::On(a, Vec3::new(0.0, 0.01, 0.0)), Sense::AtMost);
    let points: Vec<Vec3> =
        (0..5).map(|k| 0.5 * f64::from(k)).map(|t| Vec3::new(t.sin(), t, t.cos())).collect();
    let path = |closed| Arc::new(flexline::geometry::path::Path::new(&points, closed).unwrap());
    let centre = Vec3::new(1.5, 0.0, 0.0);
    network.constraints = vec![
        Constraint::Distance { from: on(2), to: Point::World(centre), distance: 0.9, sense },
        Constraint::Plane { point: on(2), on: None, through: centre, normal: Vec3::y(), sense },
        Constraint::Line { point: on(3), on: Some(4), through: Vec3::zeros(), direction: Vec3::z() },
        Constraint::Circle { point: on(3), on: None, centre, axis: Vec3::y(), radius: 0.7 },
        Constraint::Curve { point: on(3), on: None, path: path(false) },
        Constraint::Curve { point: on(3), on: None, path: path(true) },
        Constraint::Coincide { from: on(2), to: on(3) },
        Constraint::Parallel { direction: Direction::On(3, Vec3::x()), to: Direction::World(Vec3::x()) },
        Constraint::Aligned { anchor: 3, on: Some(2), turn: rotation::identity() },
    ];
    network.poles.push(flexline::solver::Pole {
        through: centre,
        axis: Vec3::y(),
        radius: 0.02,
        stiffness: 1e3,
    });
    let state = NetworkState::initial(&network);
    SavedProblem::network(network, state, vec![(1, 0.01)], Settings::default())
}

/// Equal to the last bit: as text, which has the signs of zeros.
fn assert_same(a: &SavedProblem, b: &SavedProblem) {
    assert_eq!(a, b);
    assert_eq!(to_text(a).unwrap(), to_text(b).unwrap());
}

#[test]
fn numbers_come_back_to_the_last_bit() {
    let mut saved = cable(rods().remove(0));
    let flexline::solver::saved::Task::Cable { state, .. } = &mut saved.task else { panic!("a cable") };
    let extremes = [
        0.0,
        -0.0,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        -f64::MAX,
        f64::EPSILON,
        0.1 + 0.2,
        1.0 / 3.0,
        f64::from_bits(0x000f_ffff_ffff_ffff),
        9007199254740993.0,
        1e23,
        8.41e21,
        -1e-310,
        4.35,
        6.02214076e23,
    ];
    let most = state.rod.twist.len();
    for group in extremes.chunks(most) {
        let flexline::solver::saved::Task::Cable { state, .. } = &mut saved.task else { panic!("a cable") };
        state.rod.twist[..group.len()].copy_from_slice(group);
        let read = from_bytes(to_text(&saved).unwrap().as_bytes(), "p.json").unwrap();
        let flexline::solver::saved::Task::Cable { state: again, .. } = &read.task else { panic!("a cable") };
        let bits = |all: &[f64]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let flexline::solver::saved::Task::Cable { state, .. } = &saved.task else { panic!("a cable") };
        assert_eq!(bits(&state.rod.twist), bits(&again.rod.twist));
    }
}

proptest! {
    /// Any finite number, by its bits.
    #[test]
    fn any_number_comes_back(bits in any::<u64>()) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let text = serde_json::to_string(&number).unwrap();
        let again: f64 = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(again.to_bits(), bits);
    }
}

#[test]
fn a_problem_of_every_model_is_read_back_and_solved_the_same() {
    for rod in rods() {
        // As it was made, and with more or less of it, as rope that slid.
        for length in [1.0, 1.0 / 0.97] {
            let saved = cable(rod.with_length(length));
            let read = from_bytes(to_text(&saved).unwrap().as_bytes(), "p.json").unwrap();
            assert_same(&saved, &read);
            let [a, b] = [&saved, &read].map(|problem| match problem.solve().unwrap() {
                SavedSolution::Cable { state, report, profile } => (state, report, profile),
                SavedSolution::Network { .. } => panic!("a cable"),
            });
            assert_eq!(a.1.status, Status::Converged, "{}", rod.model());
            assert_eq!(a, b, "{}", rod.model());
        }
    }
}

#[test]
fn a_network_is_read_back_and_solved_the_same() {
    let saved = network();
    let read = from_bytes(to_text(&saved).unwrap().as_bytes(), "p.json").unwrap();
    assert_same(&saved, &read);
    let [a, b] = [&saved, &read].map(|problem| match problem.solve().unwrap() {
        SavedSolution::Network { state, report, profiles } => (state, report, profiles),
        SavedSolution::Cable { .. } => panic!("a network"),
    });
    assert_eq!(a, b);
}

fn text_with(saved: &SavedProblem, change: impl Fn(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(&to_text(saved).unwrap()).unwrap();
    change(&mut value);
    value.to_string()
}

fn refused(text: &str) -> String {
    from_bytes(text.as_bytes(), "p.json").unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let [chain, _, _, clothoid, spline]: [SavedProblem; 5] =
        rods().into_iter().map(cable).collect::<Vec<_>>().try_into().unwrap();
    let (net, rod) = (network(), "/task/cable/problem/rod/mixed");
    let set = |saved: &SavedProblem, path: &str, to: Value| {
        refused(&text_with(saved, |value| *value.pointer_mut(path).unwrap() = to.clone()))
    };
    let shorter = |saved: &SavedProblem, path: &str| {
        refused(&text_with(saved, |value| {
            value.pointer_mut(path).unwrap().as_array_mut().unwrap().pop();
        }))
    };
    let checks = [
        (shorter(&chain, &format!("{rod}/mass")), "a rod with 6 masses: expected 7"),
        (set(&chain, &format!("{rod}/stiffness/2/1"), (-1.0).into()), "the stiffness of a rod, number 7"),
        (set(&chain, &format!("{rod}/mesh/nodes/3"), 0.0.into()), "node 3 does not lie beyond"),
        (set(&chain, &format!("{rod}/lengths/1"), 0.4.into()), "the distance of its nodes"),
        (set(&chain, &format!("{rod}/strain"), "other".into()), "unknown variant `other`"),
        (shorter(&chain, "/task/cable/state/rod/coordinates"), "the state of span 0 is none of its rod"),
        (set(&chain, "/task/cable/state/rod/coordinates/0", 3.0.into()), "frames that are rotations"),
        (set(&chain, "/settings/force_tolerance", 2.0.into()), "force_tolerance is 2"),
        (set(&chain, "/task/cable/problem/gravity", Value::Null), "invalid type: null"),
        (set(&chain, "/format", "a tale".into()), "expected \"flexline problem\""),
        (set(&chain, "/version", 7.into()), "has version 7 of the problem file, expected 1"),
        (set(&clothoid, "/task/cable/problem/rod/curvature/shares/0", 0.5.into()), "the sum of the shares"),
        (
            set(&clothoid, "/task/cable/problem/rod/curvature/begins/0", false.into()),
            "a clothoid begins with one",
        ),
        (shorter(&clothoid, "/task/cable/problem/rod/curvature/rest"), "curvatures at rest"),
        (shorter(&spline, "/task/cable/problem/rod/spline/natural"), "coordinates of the natural shape"),
        (set(&spline, "/task/cable/problem/rod/spline/ends/1", 1.5.into()), "more than the one before it"),
        (
            set(&net, "/task/network/network/spans/0/start/anchor", 9.into()),
            "span 0 names anchor 9, but there are 5",
        ),
        (set(&net, "/task/network/network/slides/0/after", 9.into()), "slide 0"),
        (set(&net, "/task/network/fed/0/0", 9.into()), "feed 0 is 0.01 m into span 9"),
        (shorter(&net, "/task/network/state/flows"), "the state has 0 flows through slides, the network 1"),
        (
            set(&net, "/task/network/network/constraints/1/plane/normal", serde_json::json!([0.0, 3.0, 0.0])),
            "constraint 1",
        ),
    ];
    for (found, expected) in checks {
        assert!(
            found.starts_with("p.json") && found.contains(expected),
            "expected {expected}\nfound {found}"
        );
    }
    // Line and column of what no JSON is.
    let text = to_text(&chain).unwrap();
    let broken = text.replacen("\"made_by\":", "\"made_by\"", 1);
    assert!(refused(&broken).starts_with("p.json:4:"), "{}", refused(&broken));
    assert!(matches!(
        from_bytes(text.replace("\"twist\"", "\"twost\"").as_bytes(), "p.json"),
        Err(ProblemFileError::Value { line: 2.., .. })
    ));
    assert!(
        is_problem(text.as_bytes())
            && is_problem(b" \n{}")
            && !is_problem(b"title = \"a\"")
            && !is_problem(b"")
    );
}

/// Problems that no solve takes are not written.
#[test]
fn what_no_solve_takes_is_not_written() {
    let mut saved = network();
    saved.settings.max_iterations = 0;
    assert!(to_text(&saved).unwrap_err().to_string().contains("max_iterations is 0"));
    let mut saved = network();
    let flexline::solver::saved::Task::Network { network, .. } = &mut saved.task else { panic!("a network") };
    network.gravity.z = f64::NAN;
    assert!(to_text(&saved).unwrap_err().to_string().contains("gravity"));
}

/// Every value of every seed, one after the other: gone, of another kind, negative, zero, huge; lists cut, keys dropped.
#[test]
fn seeds_with_any_value_changed_are_read_or_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/problems");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        assert!(
            from_bytes(&bytes, "seed.json").is_ok(),
            "{}: {:?}",
            file.display(),
            from_bytes(&bytes, "seed.json").err()
        );
        problems::judge(&bytes);
        problems::judge(&bytes[..bytes.len() / 2]);
        let whole: Value = serde_json::from_slice(&bytes).unwrap();
        let mut places = Vec::new();
        list(&whole, String::new(), &mut places);
        for (k, place) in places.iter().enumerate() {
            let kinds =
                [Value::Null, (-1.5).into(), 0.into(), 1e300.into(), "x".into(), 1_000_000_000_000u64.into()];
            // All of them would take minutes: each value gets two, every kind comes often.
            for kind in [&kinds[k % 6], &kinds[(k / 6 + 3) % 6]] {
                let mut changed = whole.clone();
                *changed.pointer_mut(place).unwrap() = kind.clone();
                problems::judge(changed.to_string().as_bytes());
            }
            let mut changed = whole.clone();
            match changed.pointer_mut(place).unwrap() {
                Value::Array(list) => drop(list.pop()),
                Value::Object(object) => drop(object.keys().next().cloned().map(|key| object.remove(&key))),
                _ => continue,
            }
            problems::judge(changed.to_string().as_bytes());
        }
    }
}

/// The places of all values; of long lists some.
fn list(value: &Value, path: String, places: &mut Vec<String>) {
    match value {
        Value::Array(all) => {
            let last = all.len().saturating_sub(1);
            let some = all.iter().enumerate().filter(|(i, _)| *i < 3 || *i == last);
            some.for_each(|(i, v)| list(v, format!("{path}/{i}"), places));
        }
        Value::Object(all) => all.iter().for_each(|(key, v)| list(v, format!("{path}/{key}"), places)),
        _ => {}
    }
    if !path.is_empty() {
        places.push(path);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn nonsense_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        problems::judge(&bytes);
    }
}
