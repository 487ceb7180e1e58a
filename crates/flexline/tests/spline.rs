//! The spline rod against the clothoid.

mod common;

use common::{curl, hose, section};
use flexline::rod::Rod;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::spline::SplineRod;
use flexline::solver::statics::{Settings, solve_from_scratch};
use flexline::solver::{Problem, Status};

/// Shape, supports and stability are those of the clothoid, and the shape comes nearer with order three at least.
#[test]
fn a_spline_finds_the_shape_of_the_clothoid() {
    let section = section();
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
