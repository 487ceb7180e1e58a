//! Rods by their curvature: against the mixed rod, with an accuracy of one's own, mixed with others.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{AnyRod, Rod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, solve_adaptive, solve_from_scratch};
use flexline::solver::{End, Pose, Problem, Status};

fn section() -> SectionProfile {
    SectionProfile::uniform(Section::measured(0.02, 0.02, 0.016, 0.12, 0.004).expect("sound section"))
}

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

fn curl(s: f64) -> Vec3 {
    Vec3::new(1.0 + 2.0 * s, 0.5, 1.0)
}

/// Largest distance of two centrelines at equal s, as a share of the length.
fn distance(a: (&Problem, &flexline::solver::State), b: (&Problem, &flexline::solver::State)) -> f64 {
    let length = a.0.rod.length();
    let at = |(p, s): (&Problem, &flexline::solver::State), x: f64| p.rod.station(&s.rod, x).position;
    (0..=200).map(|k| length * f64::from(k) / 200.0).map(|s| (at(a, s) - at(b, s)).norm()).fold(0.0, f64::max)
        / length
}

fn clothoid(ends: &[f64]) -> AnyRod {
    CurvatureRod::with_elements(Basis::Clothoid, ends, &section(), &curl).expect("sound rod").into()
}

#[test]
fn every_model_finds_the_same_shape() {
    let n = 800;
    let mixed = MixedRod::new(&Mesh::uniform(0.7, n).expect("sound mesh"), &section(), &curl);
    let problem = hose(mixed.into());
    let (state, report) = solve_from_scratch(&problem, &Settings::default()).expect("posed");
    assert_eq!(report.status, Status::Converged);
    for (basis, n, within) in [(Basis::Helix, 80, 2e-4), (Basis::Clothoid, 20, 1e-5)] {
        let rod = CurvatureRod::new(basis, 0.7, n, &section(), &curl).expect("sound rod");
        let own = hose(rod.into());
        let (found, proof) = solve_from_scratch(&own, &Settings::default()).expect("posed");
        assert_eq!(proof.status, Status::Converged);
        let off = distance((&problem, &state), (&own, &found));
        assert!(off < within, "{basis:?}: {off}");
        // Supports, energies and stability agree as well.
        for k in 0..2 {
            let force = (proof.supports[k].force - report.supports[k].force).norm();
            assert!(force < 2e-3 * report.supports[k].force.norm(), "{basis:?}: {force} N");
            let moment = (proof.supports[k].moment - report.supports[k].moment).norm();
            assert!(moment < 2e-3 * report.supports[k].moment.norm(), "{basis:?}: {moment} N m");
        }
        let energy = |r: &flexline::solver::Report| r.energies.bending + r.energies.torsion;
        assert!((energy(&proof) / energy(&report) - 1.0).abs() < 1e-3);
        let lambda = |r: &flexline::solver::Report| r.stability.expect("stability").lambda_min;
        assert!((lambda(&proof) - lambda(&report)).abs() < 5e-3, "{} {}", lambda(&proof), lambda(&report));
        assert!(proof.position_violation < 1e-11 && proof.rotation_violation < 1e-10);
    }
}

/// Asked for an accuracy, the solver chooses elements, and is as exact as it says.
#[test]
fn elements_are_chosen_for_an_accuracy() {
    let pose = |ends: &[f64]| Ok(hose(clothoid(ends)));
    let fine: Vec<f64> = (0..=120).map(|k| 0.7 * f64::from(k) / 120.0).collect();
    let reference = hose(clothoid(&fine));
    let (exact, _) = solve_from_scratch(&reference, &Settings::interactive()).expect("posed");
    let mut before = 0;
    for accuracy in [1e-2, 1e-3, 1e-4, 1e-5] {
        let found =
            solve_adaptive(&[0.0, 0.35, 0.7], accuracy, &pose, &Settings::interactive()).expect("posed");
        assert!(found.met && found.error <= accuracy, "{accuracy}: estimate {}", found.error);
        let off = distance((&reference, &exact), (&found.problem, &found.state));
        assert!(off <= accuracy, "{accuracy}: {off}");
        // Not by brute force: the estimate is not off by more than two orders of magnitude.
        assert!(off > 1e-3 * accuracy, "{accuracy}: {off}");
        let AnyRod::Curvature(rod) = &found.problem.rod else { panic!("another model") };
        assert!(rod.elements() > before, "{} elements for {accuracy}", rod.elements());
        before = rod.elements();
    }
    let hopeless = solve_adaptive(&[0.0, 0.35, 0.7], 1e-15, &pose, &Settings::interactive()).expect("posed");
    assert!(!hopeless.met && hopeless.report.status == Status::Converged);
}
