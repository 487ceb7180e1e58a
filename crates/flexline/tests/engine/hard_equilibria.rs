//! Equilibria that are hard to find, or not in the segments that a chain has; each test opens with what used to happen.

use crate::tolerance::{convergence, order};
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::SplineRod;
use flexline::rod::{AnyRod, Rod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, Workspace, initial_state, solve, solve_from_scratch};
use flexline::solver::{End, Pose, Problem, Status};
use flexline::{Vec3, algebra::rotation};
use std::f64::consts::TAU;

/// A limp, heavy cable that its clamp points upward, and slightly aside: it turns over within a few millimetres.
fn fountain(segments: usize) -> Problem {
    let (length, stiffness) = (1.4, 0.19);
    let section = Section::measured(stiffness, stiffness, stiffness, 22.0, 0.004).unwrap();
    let rod =
        MixedRod::new(&Mesh::uniform(length, segments).unwrap(), &SectionProfile::uniform(section), &|_| {
            Vec3::zeros()
        });
    let orientation = rotation::frame(&Vec3::new(0.1, 0.0, 1.0).normalize(), &Vec3::y());
    let clamp = End::clamped(Pose { position: Vec3::zeros(), orientation });
    let mut problem = Problem::new(rod, clamp, End::free());
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem
}

/// It was said to be folded and to need more segments, whether they help or not. Now it is known in how many there is an
/// equilibrium, and there is.
#[test]
fn a_fold_is_told_with_the_segments_that_mend_it() {
    let (_, report) = solve_from_scratch(&fountain(8), &Settings::default()).unwrap();
    assert_ne!(report.status, Status::Converged);
    let needed = report.rest.segments_needed.expect("more segments are tried");
    let (_, finer) = solve_from_scratch(&fountain(needed), &Settings::default()).unwrap();
    assert_eq!((finer.status, finer.rest.segments_needed), (Status::Converged, None));
}

/// A drag that came through a fold finds back: the clamp is turned up and down again.
#[test]
fn a_drag_through_a_fold_recovers() {
    let mut problem = fountain(8);
    let up = problem.ends[0].orientation;
    let down = Some(rotation::frame(&Vec3::new(0.6, 0.0, -0.8), &Vec3::y()));
    problem.ends[0].orientation = down;
    let mut state = initial_state(&problem);
    let mut ws = Workspace::new(&problem);
    let mut turn = |to, expected: bool| {
        problem.ends[0].orientation = to;
        let report = solve(&problem, &mut state, &mut ws, &Settings::interactive()).unwrap();
        assert_eq!(report.status == Status::Converged, expected, "{}", report.status);
        assert_eq!(report.rest.segments_needed.is_some(), !expected);
    };
    turn(down, true);
    turn(up, false);
    turn(down, true);
}

/// Rods by their curvature ended at the limit of iterations after seconds, helices laid cold and both when turned in one
/// go: the torque was to be found by the first step, whose tangent knew nothing of it. The torque of a straight rod is
/// GJ 2πn/L.
#[test]
fn thousands_of_turns_in_a_straight_cable() {
    let (length, torsion, turns) = (1.0, 0.016, 3000.0);
    let section = SectionProfile::uniform(Section::measured(0.02, 0.02, torsion, 0.05, 0.004).unwrap());
    let along = Vec3::new(0.48, 0.6, 0.64);
    let orientation = rotation::frame(&along, &Vec3::y());
    let clamp = |s: f64| End::clamped(Pose { position: along * s, orientation });
    for basis in [Basis::Helix, Basis::Clothoid] {
        let rod = CurvatureRod::new(basis, length, 10, &section, &|_| Vec3::zeros()).unwrap();
        let mut problem = Problem::new(rod, clamp(0.0), clamp(length));
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let settings = Settings { stability: false, ..Settings::default() };
        let mut state = initial_state(&problem);
        let mut ws = Workspace::new(&problem);
        solve(&problem, &mut state, &mut ws, &settings).unwrap();
        problem.ends[1].twist = TAU * turns;
        let cold = solve_from_scratch(&problem, &settings).unwrap().1;
        let warm = solve(&problem, &mut state, &mut ws, &settings).unwrap();
        for (how, report) in [("cold", cold), ("turned in one go", warm)] {
            assert_eq!(report.status, Status::Converged, "{basis:?}, {how}");
            // The weight adds moments across.
            let torque = torsion * TAU * turns / length;
            let found = [0, 1].map(|k| report.support(k).moment.dot(&along));
            let missed = f64::max((found[0] + torque).abs(), (found[1] - torque).abs());
            assert!(missed < 1e-9 * torque, "{basis:?}, {how}: {found:?}");
        }
    }
}

/// Sag and horizontal tension of a rope of length 1 and weight 1 that hangs between two places at one height.
fn catenary(distance: f64) -> (f64, f64) {
    // sinh(x)/x = 1/distance, where x is half the distance over H.
    let (mut low, mut high) = (1e-6, 20.0);
    for _ in 0..200 {
        let x = 0.5 * (low + high);
        if f64::sinh(x) / x < 1.0 / distance { low = x } else { high = x }
    }
    let tension = 0.5 * distance / low;
    (tension * (low.cosh() - 1.0), tension)
}

/// Clamped helices and clothoids of 90 km and more ended where no step improves the state. The length in which the
/// clamps bend them is a millionth of an element: beyond it they hang as a rope does.
#[test]
fn ropes_of_hundreds_of_kilometres_hang_in_a_catenary() {
    let (mass, distance) = (0.3, 0.95);
    let section = SectionProfile::uniform(Section::measured(2.0, 2.0, 1.6, mass, 0.008).unwrap());
    let (sag, tension) = catenary(distance);
    for (basis, length) in
        [Basis::Helix, Basis::Clothoid].into_iter().flat_map(|basis| [9e4, 9e5].map(|length| (basis, length)))
    {
        let rod = CurvatureRod::new(basis, length, 40, &section, &|_| Vec3::zeros()).unwrap();
        let orientation = rotation::frame(&Vec3::x(), &Vec3::y());
        let clamp = |x: f64| End::clamped(Pose { position: Vec3::x() * x, orientation });
        let mut problem = Problem::new(rod, clamp(0.0), clamp(distance * length));
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let settings = Settings { stability: false, ..Settings::default() };
        let (state, report) = solve_from_scratch(&problem, &settings).unwrap();
        assert_eq!(report.status, Status::Converged, "{basis:?}, {length} m");
        let force = report.support(1).force / (mass * 9.81 * length);
        convergence(1e-9, 1.0).allows(force.z - 0.5, || format!("{basis:?}, {length} m: {force:?}"));
        // The first elements have to turn from the clamps, and take a fortieth each.
        order(0.025, 1.0)
            .allows(force.x / tension - 1.0, || format!("{basis:?}, {length} m: {force:?} {tension}"));
        let lowest = problem.rod.station(&state.rod, 0.5 * length).position.z / length;
        order(0.01, sag).allows(lowest + sag, || format!("{basis:?}, {length} m: {lowest} {sag}"));
    }
}

/// With 1 % of slack and an end that points aside, rods of few elements were looked for in vain and nothing was said: turned
/// by 90° over one of 30 arcs, the far end is 0.3 % of the length out of reach. Now it is known in how many there is an
/// equilibrium, and it is that of a chain.
#[test]
fn elements_too_long_for_a_bend_are_told_with_how_many_do() {
    let section = SectionProfile::uniform(Section::measured(0.02, 0.02, 0.016, 0.05, 0.004).unwrap());
    let straight = |_: f64| Vec3::zeros();
    let pose = |x: f64, tangent: Vec3| Pose {
        position: Vec3::x() * x,
        orientation: rotation::frame(&tangent, &Vec3::z()),
    };
    let settings = Settings { stability: false, ..Settings::default() };
    let solved = |rod: AnyRod| {
        let clamps = [pose(0.0, Vec3::x()), pose(0.99, Vec3::y())].map(End::clamped);
        let mut problem = Problem::new(rod, clamps[0], clamps[1]);
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        solve_from_scratch(&problem, &settings).unwrap().1
    };
    let chain = MixedRod::new(&Mesh::uniform(1.0, 800).unwrap(), &section, &straight);
    let expected = solved(chain.into()).support(1).force;
    let rod = |model: &str, n: usize| -> AnyRod {
        let curved = |basis| CurvatureRod::new(basis, 1.0, n, &section, &straight).unwrap().into();
        match model {
            "helix" => curved(Basis::Helix),
            "clothoid" => curved(Basis::Clothoid),
            _ => SplineRod::new(1.0, n, &section, &straight).unwrap().into(),
        }
    };
    for (name, few) in [("helix", 30), ("clothoid", 10), ("spline", 16)] {
        let coarse = solved(rod(name, few));
        assert_ne!(coarse.status, Status::Converged, "{name}");
        let needed = coarse.rest.segments_needed.expect("more elements are tried");
        let finer = solved(rod(name, needed));
        assert_eq!((finer.status, finer.rest.segments_needed), (Status::Converged, None), "{name}");
        let missed = (finer.support(1).force - expected).norm();
        assert!(missed < 0.03 * expected.norm(), "{name}: {:?} {expected:?}", finer.support(1).force);
    }
}
