//! The spline rod against the clothoid and the mixed rod.

use crate::common::{curl, hose, section};
use crate::tolerance::order;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::{MAX_ELEMENTS, SplineRod};
use flexline::rod::{AnyRod, Rod, Station};
use flexline::solver::network::NetworkReport;
use flexline::solver::statics::{Settings, Workspace, negative_directions, solve_from_scratch};
use flexline::solver::{End, Pose, Problem, State, Status};

const LENGTH: f64 = 0.7;

fn spline(n: usize, rest: &dyn Fn(f64) -> Vec3) -> AnyRod {
    SplineRod::new(LENGTH, n, &section(), rest).expect("sound rod").into()
}

fn solved(problem: &Problem) -> (State, NetworkReport) {
    let (state, report) = solve_from_scratch(problem, &Settings::default()).expect("posed");
    assert_eq!(report.status, Status::Converged, "{:?}", problem.rod.pieces());
    (state, report)
}

fn lambda(report: &NetworkReport) -> f64 {
    report.rest.stability.expect("stability").lambda_min
}

/// Shape, supports and stability are those of the clothoid, and the shape comes nearer with order four, until nothing
/// but round-off is left.
#[test]
fn a_spline_finds_the_shape_of_the_clothoid() {
    let exact = CurvatureRod::new(Basis::Clothoid, LENGTH, 200, &section(), &curl).expect("sound rod");
    let exact = hose(exact.into());
    let (shape, proof) = solved(&exact);
    let errors: Vec<f64> = [10, 20, 40, 80, 160, MAX_ELEMENTS]
        .into_iter()
        .map(|n| {
            let own = hose(spline(n, &curl));
            let (found, report) = solved(&own);
            for k in 0..2 {
                let off = (report.support(k).force - proof.support(k).force).norm();
                let most = if n < 40 { 2e-2 } else { 1e-4 };
                assert!(off < most * proof.support(k).force.norm(), "{n} elements: {off} N");
            }
            order(1e-3, 1.0)
                .allows(lambda(&report) - lambda(&proof), || format!("{n} elements: {}", lambda(&report)));
            let off = |s: f64| {
                let at = |p: &Problem, state: &State| p.rod.station(&state.rod, s).position;
                (at(&own, &found) - at(&exact, &shape)).norm()
            };
            (0..=100).map(|k| off(0.01 * LENGTH * f64::from(k))).fold(0.0, f64::max)
        })
        .collect();
    for k in 1..4 {
        assert!(errors[k] < errors[k - 1] / 12.0, "{errors:?}");
    }
    assert!(errors[4..].iter().all(|e| *e < 1e-8 * LENGTH), "{errors:?}");
}

fn held(x: f64, z: f64, turn: f64) -> End {
    let position = Vec3::new(x, 0.0, z);
    End::clamped(Pose { position, orientation: rotation::exp(&Vec3::new(0.0, turn, 0.0)) })
}

/// Verdicts are those of the mixed rod, whatever holds the ends, with few elements and many.
#[test]
fn a_spline_is_as_stable_as_the_mixed_rod() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let mut twisted = held(0.55, 0.0, quarter);
    twisted.twist = 12.0;
    let cases = [
        ("cantilever", held(0.0, 0.0, 1.2), End::free()),
        ("hung between pins", End::pinned(Vec3::zeros()), End::pinned(Vec3::new(0.5, 0.0, 0.1))),
        ("taut", held(0.0, 0.0, 1.5), held(0.9993 * LENGTH, 0.0, 1.6)),
        ("twisted", held(0.0, 0.0, quarter), twisted),
        ("compressed", held(0.0, 0.0, quarter), held(0.3, 0.0, quarter)),
    ];
    let straight = |_: f64| Vec3::zeros();
    for (name, start, end) in cases {
        let problem =
            |rod: AnyRod| Problem { gravity: Vec3::new(0.0, 0.0, -9.81), ..Problem::new(rod, start, end) };
        let mesh = Mesh::uniform(LENGTH, 400).expect("sound mesh");
        let (_, proof) = solved(&problem(MixedRod::new(&mesh, &section(), &straight).into()));
        let expected = proof.rest.stability.expect("stability");
        for n in [16, 40, 80, 160] {
            let (_, report) = solved(&problem(spline(n, &straight)));
            let found = report.rest.stability.expect("stability");
            assert_eq!(found.verdict, expected.verdict, "{name}, {n} elements");
            let counts = |s: &flexline::solver::Stability| (s.negative, s.neutral);
            assert_eq!(counts(&found), counts(&expected), "{name}, {n} elements");
            let off = (found.lambda_min - expected.lambda_min).abs();
            assert!(off < 5e-3 * expected.lambda_min, "{name}, {n} elements: {off}");
        }
    }
}

/// A straight column under its own weight releases energy in as many directions as the mixed rod does, two for every
/// root of the Airy functions that its weight has passed (A. G. Greenhill, 1881).
#[test]
fn an_upright_spline_falls_in_as_many_directions_as_the_mixed_rod() {
    let straight = |_: f64| Vec3::zeros();
    let negative = |rod: AnyRod, weight: f64| {
        let mut problem = Problem::new(rod, held(0.0, 0.0, 0.0), End::free());
        problem.gravity = Vec3::new(0.0, 0.0, -weight);
        let start = Station { position: Vec3::zeros(), frame: rotation::identity() };
        let state = State::new(problem.rod.rest_state(&start), problem.ends);
        negative_directions(&problem, &state, &mut Workspace::new(&problem)).expect("regular")
    };
    let mass = section().at(0.0).mass_per_length;
    let unit = 0.02 / (mass * LENGTH.powi(3));
    let mut found = Vec::new();
    for weight in [7.7, 7.95, 55.0, 57.0, 200.0].map(|w| w * unit) {
        let mesh = Mesh::uniform(LENGTH, 400).expect("sound mesh");
        let expected = negative(MixedRod::new(&mesh, &section(), &straight).into(), weight);
        for n in [16, 40, 80, 160] {
            assert_eq!(negative(spline(n, &straight), weight), expected, "{n} elements, {weight} m/s²");
        }
        found.push(expected);
    }
    assert_eq!(found, [0, 2, 2, 4, 6]);
}

/// The report used to tell how well the length is held on average, 1e-15, while the centreline was stretched by per
/// cents between: it tells the largest strain anywhere, which falls as elements get short.
#[test]
fn the_report_tells_the_stretch_between_the_averages() {
    let told: Vec<f64> = [12, 24, 48]
        .into_iter()
        .map(|n| {
            let problem = hose(spline(n, &curl));
            let (state, report) = solved(&problem);
            let at = |k: u32| problem.rod.station(&state.rod, LENGTH * f64::from(k) / 6000.0).position;
            let strain = |k: u32| ((at(k + 1) - at(k)).norm() * 6000.0 / LENGTH - 1.0).abs();
            let seen = (0..6000).map(strain).fold(0.0, f64::max);
            let told = report.rest.segment_error;
            order(0.05, seen).allows(told - seen, || format!("{n} elements: told {told}, seen {seen}"));
            assert_eq!(problem.rod.local_stretch(&state.rod), Some(told));
            told
        })
        .collect();
    assert!(told[0] > 1e-4 && told[1] < 0.5 * told[0] && told[2] < 0.5 * told[1], "{told:?}");
}

/// More than can be solved is refused.
#[test]
fn too_many_elements_are_refused() {
    let error =
        SplineRod::new(LENGTH, MAX_ELEMENTS + 1, &section(), &|_| Vec3::zeros()).expect_err("too many");
    assert_eq!(error.to_string(), "401 elements: a spline rod has 2 to 400");
}
