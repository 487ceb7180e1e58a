//! Equilibria against closed forms and published tables.

use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{
    IntegralSettings, Method, Settings, Workspace, initial_state, integral_forces, solve, solve_from_scratch,
};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, Status, Verdict};
use flexline::Vec3;
use std::f64::consts::PI;

fn rod(length: f64, n: usize, k: [f64; 3], mass: f64) -> MixedRod {
    let section = Section::measured(k[0], k[1], k[2], mass, 0.004).unwrap();
    MixedRod::new(&Mesh::uniform(length, n).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

/// Tangent +x, d1 horizontal.
fn along_x(position: Vec3) -> Pose {
    Pose { position, orientation: rotation::frame(&Vec3::x(), &Vec3::y()) }
}

fn tip_load(alpha: f64, n: usize) -> (Problem, Vec3) {
    let (l, ei) = (1.2, 0.03);
    let mut problem = Problem::new(rod(l, n, [ei, ei, 0.8 * ei], 0.1), End::clamped(along_x(Vec3::zeros())), End::free());
    let force = Vec3::new(0.0, 0.0, -alpha * ei / (l * l));
    problem.point_loads.push(PointLoad { s: l, force, moment: Vec3::zeros(), axes: Axes::World });
    (problem, force)
}

#[test]
fn cantilever_with_tip_load_follows_mattiasson() {
    // K. Mattiasson, Int. J. Numer. Meth. Engng 17 (1981) 145–153.
    for (alpha, w, u, theta) in
        [(1.0, 0.30172, 0.05643, 0.46135), (5.0, 0.71379, 0.38763, 1.21537), (10.0, 0.81061, 0.55500, 1.43029)]
    {
        let mut errors = Vec::new();
        for n in [40, 80, 160] {
            let (problem, force) = tip_load(alpha, n);
            let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged);
            let l = problem.rod.length();
            let tip = problem.rod.station(&state.rod, l);
            let t = rotation::tangent(&tip.frame);
            let error = [
                -tip.position.z / l - w,
                1.0 - tip.position.x / l - u,
                (-t.z).atan2(t.x) - theta,
            ];
            errors.push(error.iter().fold(0.0f64, |m, e| m.max(e.abs())));
            assert!((report.supports[0].force + force).norm() < 1e-9 * force.norm());
            let moment = report.supports[0].moment + tip.position.cross(&force);
            assert!(moment.norm() < 1e-8 * force.norm() * l, "{}", moment.norm());
            assert_eq!(report.stability.unwrap().verdict, Verdict::Stable);
        }
        // The table has five digits.
        assert!(errors[2] < 2e-5 + 1e-4, "{errors:?}");
    }
}

#[test]
fn twenty_turns_and_back() {
    let l = 1.0;
    let start = End::clamped(along_x(Vec3::zeros()));
    let end = End::clamped(along_x(Vec3::new(0.97, 0.0, 0.0)));
    let mut problem = Problem::new(rod(l, 100, [0.02, 0.02, 0.004], 0.3), start, end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    let (mut state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    let shape = |s: &flexline::solver::State| problem.rod.station(&s.rod, 0.4).position;
    let first = shape(&state);
    let mut ws = Workspace::new(&problem);
    let mut moving = problem.clone();
    let mut most = 0.0f64;
    for k in (0..=40).chain((0..40).rev()) {
        moving.ends[1].twist = 0.5 * PI * k as f64 * 0.5;
        let report = solve(&moving, &mut state, &mut ws, &Settings::interactive()).unwrap();
        assert_eq!(report.status, Status::Converged, "at {k}: {report:?}");
        most = most.max(moving.rod.twist_turns(&state.rod));
    }
    println!("most {most}, left {}", moving.rod.twist_turns(&state.rod));
    assert!((shape(&state) - first).norm() < 1e-8);
}

/// A sagging cable between two clamps.
fn sagging(n: usize) -> Problem {
    let start = End::clamped(along_x(Vec3::zeros()));
    let end = End::clamped(Pose {
        position: Vec3::new(0.6, 0.2, 0.1),
        orientation: rotation::frame(&Vec3::new(0.5, 0.5, 0.3), &Vec3::z()),
    });
    let mut problem = Problem::new(rod(1.0, n, [0.02, 0.02, 0.016], 0.2), start, end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem
}

#[test]
fn integral_forces_arrive_where_newton_does() {
    let problem = sagging(20);
    let (newton, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    let method = Method::IntegralForces(IntegralSettings::default());
    let (other, report) = solve_from_scratch(&problem, &Settings { method, ..Settings::default() }).unwrap();
    assert_eq!(report.status, Status::Converged);
    for k in 0..=20 {
        let s = k as f64 / 20.0;
        let d = problem.rod.station(&newton.rod, s).position - problem.rod.station(&other.rod, s).position;
        assert!(d.norm() < 1e-8, "{} at {s}", d.norm());
    }
    assert!((newton.end_force - other.end_force).norm() < 1e-6 * newton.end_force.norm());
}

#[test]
fn length_error_shrinks_by_one_minus_alpha() {
    // Dissertation 4.3: x_i = (w/k)(1 − α)^i; figures 4.4 to 4.8.
    let problem = sagging(20);
    for alpha in [0.1, 0.5, 1.0, 1.5, 2.0] {
        let mut state = initial_state(&problem);
        let settings = IntegralSettings { alpha, max_iterations: 40, ..IntegralSettings::default() };
        let run = integral_forces(&problem, &mut state, &settings);
        let worst = |k: usize| run.length_errors[k].iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
        let ratios: Vec<f64> = (0..run.length_errors.len().min(9) - 1).map(|k| worst(k + 1) / worst(k)).collect();
        // The first minimisation starts far away; from then on the springs rule.
        for ratio in &ratios[1..] {
            assert!((ratio - (1.0 - alpha)).abs() < 0.01, "alpha {alpha}: {ratios:?}");
        }
        match alpha {
            0.5 | 1.0 => assert!(run.converged, "alpha {alpha}"),
            2.0 => assert!(!run.converged && worst(30).abs() > 0.9 * worst(5).abs(), "alpha 2 settles"),
            _ => {}
        }
    }
}
