//! Full turns, and folds: what the ends ask for is in the rod, whatever holds them, and what cannot bend is not called an
//! equilibrium.

use crate::tolerance::convergence;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::rod::spline::SplineRod;
use flexline::rod::{AnyRod, Rod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::NetworkReport;
use flexline::solver::statics::{Settings, Workspace, initial_state, solve, solve_from_scratch};
use flexline::solver::{End, Pose, Problem, State, Status};
use std::f64::consts::TAU;

const LENGTH: f64 = 1.0;
const TORSION: f64 = 0.012;

/// A rod of every model. Stiff in bending, so that what is asked of it here does not buckle it.
fn rods() -> Vec<AnyRod> {
    let section = SectionProfile::uniform(Section::measured(2.0, 2.0, TORSION, 0.05, 0.004).unwrap());
    let straight = |_: f64| Vec3::zeros();
    let chain = MixedRod::new(&Mesh::uniform(LENGTH, 80).unwrap(), &section, &straight);
    let curved = |basis| AnyRod::from(CurvatureRod::new(basis, LENGTH, 8, &section, &straight).unwrap());
    vec![
        chain.clone().into(),
        chain.with_strain(Strain::Nodal).into(),
        curved(Basis::Helix),
        curved(Basis::Clothoid),
        SplineRod::new(LENGTH, 8, &section, &straight).unwrap().into(),
    ]
}

fn pose(x: f64, tangent: Vec3) -> Pose {
    Pose { position: Vec3::new(x, 0.0, 0.0), orientation: rotation::frame(&tangent, &Vec3::y()) }
}

/// A clamp at x that lets the end slide along these axes.
fn clamp(x: f64, slides: [bool; 3]) -> End {
    End { held: slides.map(|s| !s), ..End::clamped(pose(x, Vec3::x())) }
}

fn solved(problem: &Problem) -> (State, NetworkReport) {
    let (state, report) = solve_from_scratch(problem, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{}", problem.rod.model());
    (state, report)
}

/// The rod holds as many turns as asked, and the clamps the torque of them.
fn assert_wound(problem: &Problem, state: &State, report: &NetworkReport, turns: f64, what: &str) {
    let name = problem.rod.model();
    let found = problem.rod.twist_turns(&state.rod);
    convergence(1e-6, 1.0).allows(found - turns, || format!("{name}, {what}: {found} of {turns} turns"));
    let torque = TORSION * TAU * turns / LENGTH;
    let [start, end] = [0, 1].map(|k| report.support(k).moment.x);
    assert!(
        (end - torque).abs() < 1e-6 && (start + torque).abs() < 1e-6,
        "{name}, {what}: {start} {end} {torque}"
    );
}

const ASKED: [f64; 7] = [20.0, 3.0, 1.3, 0.5, -0.5, -1.0, -2.75];

/// A clamped end that slides was laid at rest, its frame put where it belongs: of 20, 3, 1.3 and 0.5 turns 0, 0, 0.3 and
/// −0.5 were left, converged and stable.
#[test]
fn ends_that_slide_keep_their_turns() {
    let fixed = [false; 3];
    let slides = [[true, false, false], [true, true, false], [false, true, true], [true; 3]];
    for rod in rods() {
        for own in slides {
            for (turns, ends) in ASKED.into_iter().flat_map(|turns| {
                let away = [(fixed, own), (own, fixed)];
                away.map(|(a, b)| (turns, [clamp(0.0, a), clamp(LENGTH, b)]))
            }) {
                let mut problem = Problem::new(rod.clone(), ends[0], ends[1]);
                problem.ends[1].twist = TAU * turns;
                let (state, report) = solved(&problem);
                assert_wound(&problem, &state, &report, turns, "cold");
                // Turned at the start, the other way.
                problem.ends = ends;
                problem.ends[0].twist = -TAU * turns;
                let (state, report) = solved(&problem);
                assert_wound(&problem, &state, &report, turns, "by its start");
            }
        }
    }
}

/// From one number of turns to the next: both ends, either way, in one solve or in small ones.
#[test]
fn turns_follow_the_hand() {
    for rod in rods() {
        for slides in [[false; 3], [true, false, false]] {
            let mut problem = Problem::new(rod.clone(), clamp(0.0, [false; 3]), clamp(LENGTH, slides));
            let mut state = initial_state(&problem);
            let mut ws = Workspace::new(&problem);
            for (k, turns) in [0.0, 0.1, 0.9, 2.5, 2.5, 0.5, -1.0, 4.0, 0.0].into_iter().enumerate() {
                let [a, b] = if k % 2 == 0 { [0.0, turns] } else { [0.5 * turns, 1.5 * turns] };
                (problem.ends[0].twist, problem.ends[1].twist) = (TAU * a, TAU * b);
                let report = solve(&problem, &mut state, &mut ws, &Settings::default()).unwrap();
                assert_eq!(report.status, Status::Converged, "{} {turns}", problem.rod.model());
                assert_wound(&problem, &state, &report, turns, "warm");
            }
        }
    }
}

/// More turns than a fit of frames could tell: they are wound up, not sampled.
#[test]
fn any_number_of_turns_is_laid() {
    for rod in rods() {
        let mut problem = Problem::new(rod, clamp(0.0, [false; 3]), clamp(0.9 * LENGTH, [false; 3]));
        problem.ends[1].twist = TAU * 500.0;
        let state = initial_state(&problem);
        let found = problem.rod.twist_turns(&state.rod);
        convergence(1e-6, 1.0).allows(found - 500.0, || format!("{}: {found}", problem.rod.model()));
    }
}

/// Chord as long as the cable, an end turned back: chains folded their last segment onto itself, found the forces of
/// that (none, or no number at all) in balance, and said converged, straight and stable.
#[test]
fn without_slack_nothing_bends() {
    let along = Vec3::x();
    let cases = [(along, -along), (-along, along), (-along, -along), (along, Vec3::z()), (Vec3::y(), along)];
    for rod in rods() {
        for (t0, t1) in cases {
            for gravity in [Vec3::zeros(), Vec3::new(0.0, 0.0, -9.81)] {
                let ends = [End::clamped(pose(0.0, t0)), End::clamped(pose(LENGTH, t1))];
                let mut problem = Problem::new(rod.clone(), ends[0], ends[1]);
                problem.gravity = gravity;
                let settings = Settings { seek_stable: true, ..Settings::default() };
                let (_, report) = solve_from_scratch(&problem, &settings).unwrap();
                assert_eq!(report.status, Status::TooShort, "{} {t0} {t1}", problem.rod.model());
                assert_eq!(report.short.first().map(|short| short.missing), Some(0.0));
            }
        }
        // Along the chord it is straight, and at rest.
        let problem = Problem::new(rod, clamp(0.0, [false; 3]), clamp(LENGTH, [false; 3]));
        solved(&problem);
    }
}

/// A fold between two segments is an equilibrium of the mesh. Whatever the slack, it is not called one of the cable; and
/// what is called an equilibrium has numbers in its proof.
#[test]
fn a_fold_is_no_equilibrium() {
    let mut told = 0;
    for rod in rods().into_iter().filter(|rod| rod.as_mixed().is_some()) {
        for slack in [1e-4, 1e-2, 0.2] {
            let x = LENGTH * (1.0 - slack);
            for t0 in [Vec3::x(), -Vec3::x()] {
                let ends = [End::clamped(pose(0.0, t0)), End::clamped(pose(x, -Vec3::x()))];
                let problem = Problem::new(rod.clone(), ends[0], ends[1]);
                let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
                let chain = problem.rod.as_mixed().expect("a chain");
                let sharpest = (0..=chain.segments())
                    .map(|j| {
                        let [a, b] = [j, j + 1].map(|j| rotation::tangent(&chain.frame(&state.rod, j)));
                        a.angle(&b)
                    })
                    .fold(0.0, f64::max);
                if report.status == Status::Converged {
                    assert!(sharpest < 2.7, "{} {slack}: {sharpest}", problem.rod.model());
                    assert!(report.is_finite());
                } else {
                    told += 1;
                }
            }
        }
    }
    assert!(told > 0, "nothing was too sharp");
}

/// Pinned at one end, clamped at the other where it slides across: laid straight it would have to be pushed together.
#[test]
fn a_pinned_start_finds_a_clamp_that_slides() {
    for rod in rods() {
        let pose =
            Pose { position: Vec3::new(0.0, 0.0, 0.5), orientation: rotation::frame(&Vec3::z(), &Vec3::y()) };
        let end = End { held: [false, false, true], twist: 0.5 * TAU, ..End::clamped(pose) };
        let problem = Problem::new(rod, End::pinned(Vec3::zeros()), end);
        let (state, _) = solved(&problem);
        convergence(1e-6, 1.0)
            .allows(problem.rod.twist_turns(&state.rod), || "nothing holds its turns".into());
    }
}
