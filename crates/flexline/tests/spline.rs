//! The spline rod against the clothoid.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::spline::SplineRod;
use flexline::rod::{AnyRod, Rod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, solve_from_scratch};
use flexline::solver::{End, Pose, Problem, Status};

/// A hose between two clamps, with a turn of twist and natural curl.
fn hose(rod: AnyRod) -> Problem {
    let pose = |x: f64, z: f64, turn: Vec3| Pose {
        position: Vec3::new(x, 0.1 * x, z),
        orientation: rotation::exp(&turn),
    };
    let mut end = End::clamped(pose(0.45, -0.1, Vec3::new(0.3, 2.0, 0.4)));
    end.twist = 2.0;
    let mut problem = Problem::new(rod, End::clamped(pose(0.0, 0.0, Vec3::new(0.0, 0.9, 0.0))), end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem
}

/// Shape, supports and stability are those of the clothoid, and the shape comes nearer with order three at least.
#[test]
fn a_spline_finds_the_shape_of_the_clothoid() {
    let section = Section::measured(0.02, 0.02, 0.016, 0.12, 0.004).expect("sound section");
    let section = SectionProfile::uniform(section);
    let curl = |s: f64| Vec3::new(1.0 + 2.0 * s, 0.5, 1.0);
    let exact = hose(CurvatureRod::new(Basis::Clothoid, 0.7, 60, &section, &curl).expect("sound rod").into());
    let (shape, proof) = solve_from_scratch(&exact, &Settings::default()).expect("posed");
    let errors: Vec<f64> = [12, 24]
        .into_iter()
        .map(|n| {
            let own = hose(SplineRod::new(0.7, n, &section, &curl).expect("sound rod").into());
            let (found, report) = solve_from_scratch(&own, &Settings::default()).expect("posed");
            assert_eq!(report.status, Status::Converged, "{n} elements");
            for k in 0..2 {
                let off = (report.supports[k].force - proof.supports[k].force).norm();
                assert!(off < 2e-2 * proof.supports[k].force.norm(), "{n} elements: {off} N");
            }
            let lambda = |r: &flexline::solver::Report| r.stability.expect("stability").lambda_min;
            assert!((lambda(&report) - lambda(&proof)).abs() < 2e-2, "{n} elements");
            let off = |s: f64| {
                let at = |p: &Problem, state: &flexline::solver::State| p.rod.station(&state.rod, s).position;
                (at(&own, &found) - at(&exact, &shape)).norm()
            };
            (0..=100).map(|k| off(0.007 * f64::from(k))).fold(0.0, f64::max)
        })
        .collect();
    assert!(errors[1] < errors[0] / 8.0, "{errors:?}");
}
