//! Equilibria that are not in the segments that a chain has; each test opens with what used to happen.

use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, Workspace, initial_state, solve, solve_from_scratch};
use flexline::solver::{End, Pose, Problem, Status};
use flexline::{Vec3, algebra::rotation};

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
    let needed = report.segments_needed.expect("more segments are tried");
    let (_, finer) = solve_from_scratch(&fountain(needed), &Settings::default()).unwrap();
    assert_eq!((finer.status, finer.segments_needed), (Status::Converged, None));
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
        assert_eq!(report.segments_needed.is_some(), !expected);
    };
    turn(down, true);
    turn(up, false);
    turn(down, true);
}
