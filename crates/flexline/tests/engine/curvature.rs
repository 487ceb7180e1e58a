//! Rods by their curvature: against the mixed rod, with an accuracy of one's own, mixed with others.

use crate::common::{curl, hose, section};
use crate::tolerance::{convergence, order};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{AnyRod, Breaks, Rod, Station};
use flexline::section::{Section, SectionProfile, Zone};
use flexline::solver::network::NetworkReport;
use flexline::solver::statics::{
    Settings, Workspace, frequencies, solve, solve_adaptive, solve_from_scratch, solve_placed,
};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, State, Status};
use std::f64::consts::PI;

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
            let force = (proof.support(k).force - report.support(k).force).norm();
            assert!(force < 2e-3 * report.support(k).force.norm(), "{basis:?}: {force} N");
            let moment = (proof.support(k).moment - report.support(k).moment).norm();
            assert!(moment < 2e-3 * report.support(k).moment.norm(), "{basis:?}: {moment} N m");
        }
        let energy = |r: &NetworkReport| r.rest.energies.bending + r.rest.energies.torsion;
        order(1e-3, 1.0).allows(energy(&proof) / energy(&report) - 1.0, || {
            "(energy(&proof) / energy(&report) - 1.0).abs()".into()
        });
        let lambda = |r: &NetworkReport| r.rest.stability.expect("stability").lambda_min;
        order(5e-3, 1.0)
            .allows(lambda(&proof) - lambda(&report), || format!("{} {}", lambda(&proof), lambda(&report)));
        assert!(proof.violation < 1e-11 && proof.rest.rotation_violation < 1e-10);
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

/// As many elements, placed where the equilibrium needs them, are nearer to a fine rod than equal ones.
#[test]
fn placed_elements_are_nearer_than_equal_ones() {
    let pose = |ends: &[f64]| Ok(hose(clothoid(ends)));
    let equal = |n: u32| (0..=n).map(|k| 0.7 * f64::from(k) / f64::from(n)).collect::<Vec<f64>>();
    let reference = hose(clothoid(&equal(200)));
    let (exact, _) = solve_from_scratch(&reference, &Settings::default()).expect("posed");
    for n in [8, 16] {
        let own = hose(clothoid(&equal(n)));
        let (state, _) = solve_from_scratch(&own, &Settings::default()).expect("posed");
        let placed = solve_placed(&equal(n), &pose, &Settings::interactive()).expect("posed");
        assert_eq!(placed.report.status, Status::Converged);
        let AnyRod::Curvature(rod) = &placed.problem.rod else { panic!("another model") };
        assert_eq!(rod.elements(), n as usize);
        let [even, own] =
            [(&own, &state), (&placed.problem, &placed.state)].map(|f| distance((&reference, &exact), f));
        assert!(own < even && own < placed.error, "{n}: {own} of {even}, estimated {}", placed.error);
    }
}

/// Few elements of a curly strand go where its energy is least, and the strand then hangs within a few thousandths of its
/// length of where a fine one does; with equal elements it is ten times as far off.
#[test]
fn few_elements_go_where_the_energy_is_least() {
    let stiffness = 0.01 * 9.81 / 400.0;
    let section = Section::measured(stiffness, stiffness, 0.8 * stiffness, 0.01, 0.001).expect("sound");
    let section = SectionProfile::uniform(section);
    let rest = Vec3::new(0.2f64.cos(), 0.0, 0.2f64.sin()) * (10.0 * PI);
    let orientation = rotation::between(&rest.normalize(), &-Vec3::z());
    let pose = |ends: &[f64]| {
        let rod = CurvatureRod::with_elements(Basis::Clothoid, ends, &section, &|_| rest).expect("sound rod");
        let clamp = End::clamped(Pose { position: Vec3::zeros(), orientation });
        let mut problem = Problem::new(rod, clamp, End::free());
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        Ok(problem)
    };
    let equal = |n: u32| (0..=n).map(|k| f64::from(k) / f64::from(n)).collect::<Vec<f64>>();
    let settings = Settings::interactive();
    let solved = |n: u32| {
        let problem = pose(&equal(n)).expect("posed");
        let (state, _) = solve_from_scratch(&problem, &settings).expect("posed");
        (problem, state)
    };
    let (reference, exact) = solved(120);
    let found = solve_placed(&equal(5), &pose, &settings).expect("posed");
    let (even, state) = solved(5);
    let [own, even] =
        [(&found.problem, &found.state), (&even, &state)].map(|shape| distance((&reference, &exact), shape));
    assert!(own < 4e-3 && even > 10.0 * own, "{own} of {even}");
    let energy =
        |r: &NetworkReport| r.rest.energies.bending + r.rest.energies.torsion + r.rest.energies.gravity;
    let least = energy(&found.report);
    let AnyRod::Curvature(rod) = &found.problem.rod else { panic!("another model") };
    for i in 1..5 {
        for by in [0.01, -0.01] {
            let mut ends = rod.element_ends();
            ends[i] += by;
            let problem = pose(&ends).expect("posed");
            let mut state = found.state.clone();
            let report =
                solve(&problem, &mut state, &mut Workspace::new(&problem), &settings).expect("posed");
            assert_eq!(report.status, Status::Converged);
            assert!(energy(&report) > least, "end {i} moved by {by}");
        }
    }
}

/// Small moves take a short cut; it leads to where the long way does.
#[test]
fn small_moves_end_where_large_ones_do() {
    let ends: Vec<f64> = (0..=10).map(|k| 0.07 * f64::from(k)).collect();
    let mut problem = hose(clothoid(&ends));
    let (mut state, _) = solve_from_scratch(&problem, &Settings::default()).expect("posed");
    let mut ws = Workspace::new(&problem);
    for k in 0..40 {
        let way = f64::from(k) * 0.3;
        problem.ends[1].position += Vec3::new(way.cos(), 0.5 * way.sin(), 0.7 * way.sin()) * 2e-3;
        problem.ends[1].twist += 0.02;
        let before = state.clone();
        let report = solve(&problem, &mut state, &mut ws, &Settings::interactive()).expect("posed");
        assert_eq!(report.status, Status::Converged);
        assert!(report.residual_force <= 1e-8 * report.largest_force && report.violation < 1e-11);
        // From the same start by the long way, which the verdict on stability asks for.
        let mut slow = before;
        let mut fresh = Workspace::new(&problem);
        let proof = solve(&problem, &mut slow, &mut fresh, &Settings::default()).expect("posed");
        assert_eq!(proof.status, Status::Converged);
        let off = distance((&problem, &state), (&problem, &slow));
        assert!(off < 1e-8, "move {k}: {off}");
        convergence(1e-6, slow.end_force.norm().max(0.1))
            .allows((state.end_force - slow.end_force).norm(), || {
                "(state.end_force - slow.end_force).norm()".into()
            });
    }
}

/// At 50 elements the lowest five modes of clamped and pinned rods, in both planes, are those of the beam.
#[test]
fn frequencies_are_those_of_the_beam() {
    let length: f64 = 0.7;
    let scale = (0.02f64 / 0.12).sqrt() / (length * length);
    // Roots of the characteristic equations, clamped–free and pinned–pinned.
    let cantilever = [1.875_104, 4.694_091, 7.854_757, 10.995_541, 14.137_168];
    let pinned: [f64; 5] = std::array::from_fn(|k| (k + 1) as f64 * std::f64::consts::PI);
    let along = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) };
    // A beam of Euler and Bernoulli: its sections do not mind turning.
    let measured = Section::measured(0.02, 0.02, 0.016, 0.12, 0.004).expect("sound section");
    let beam = SectionProfile::uniform(Section { rotary_inertia: Vec3::zeros(), ..measured });
    let slide = End { held: [false, true, true], ..End::pinned(Vec3::x() * length) };
    for basis in [Basis::Helix, Basis::Clothoid] {
        for (ends, roots) in
            [([End::clamped(along), End::free()], cantilever), ([End::pinned(Vec3::zeros()), slide], pinned)]
        {
            let rod = CurvatureRod::new(basis, length, 50, &beam, &|_| Vec3::zeros()).expect("sound rod");
            let problem = Problem::new(rod, ends[0], ends[1]);
            let start = Station { position: Vec3::zeros(), frame: along.orientation };
            let state = State::new(problem.rod.rest_state(&start), problem.ends);
            let mut ws = Workspace::new(&problem);
            let found = frequencies(&problem, &state, &mut ws, 10);
            for (k, omega) in found.iter().enumerate() {
                let exact = roots[k / 2].powi(2) * scale;
                let within = if basis == Basis::Helix { 5e-3 } else { 1e-4 };
                assert!((omega / exact - 1.0).abs() < within, "{basis:?} mode {k}: {omega} {exact}");
            }
            assert_eq!(found.len(), 10);
        }
    }
}

/// A cable clamped at one end, with a stiff sleeve that begins and ends at once and a moment beyond it.
fn sleeved(basis: Basis, n: usize) -> Problem {
    let soft = Section::measured(0.02, 0.02, 0.016, 0.12, 0.004).expect("sound section");
    let stiff = Section::measured(0.3, 0.3, 0.24, 0.3, 0.008).expect("sound section");
    let zones = vec![
        Zone::constant(0.0, 0.23, soft),
        Zone::constant(0.23, 0.41, stiff),
        Zone::constant(0.41, 0.7, soft),
    ];
    let profile = SectionProfile::new(zones).expect("sound profile");
    let load =
        PointLoad { s: 0.55, force: Vec3::zeros(), moment: Vec3::new(0.0, 0.05, 0.03), axes: Axes::World };
    let mut breaks = Breaks::of(&profile);
    breaks.jump(load.s);
    let ends = breaks.divide(0.7, n).expect("sound elements");
    let rod = CurvatureRod::with_breaks(basis, &ends, &breaks, &profile, &curl).expect("sound rod");
    Problem { point_loads: vec![load], ..hose(rod.into()) }
}

/// An abrupt zone used to take the order of the clothoid down to one, for its curvature could not jump; and so did a
/// moment at a point.
#[test]
fn abrupt_zones_and_moments_keep_the_order() {
    let solved = |problem: &Problem| {
        let (state, report) = solve_from_scratch(problem, &Settings::interactive()).expect("posed");
        assert_eq!(report.status, Status::Converged);
        state
    };
    let fine = sleeved(Basis::Clothoid, 400);
    let exact = solved(&fine);
    for (basis, counts, less) in [(Basis::Clothoid, [10, 20, 40], 6.0), (Basis::Helix, [20, 40, 80], 3.0)] {
        let errors = counts.map(|n| {
            let own = sleeved(basis, n);
            distance((&fine, &exact), (&own, &solved(&own)))
        });
        assert!(errors.windows(2).all(|e| e[1] < e[0] / less), "{basis:?}: {errors:?}");
    }
}
