//! From a shape to the rod that rests in it.

use flexline::algebra::rotation;
use flexline::inverse::{InverseError, natural_rod};
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::rod::spline::SplineRod;
use flexline::rod::{AnyRod, Rod, State, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::{Axes, DistributedLoad, End, PointLoad, Pose, Problem, Status};
use flexline::{Quat, Vec3};

const LENGTH: f64 = 0.4;

fn section() -> SectionProfile {
    SectionProfile::uniform(Section::measured(3e-3, 5e-3, 2e-3, 0.02, 2e-3).expect("a section"))
}

/// Rods of every model whose rest shape is the shape that is wanted: at rest each is in it, as well as it can be.
fn rods(strain: &dyn Fn(f64) -> Vec3) -> Vec<AnyRod> {
    let mesh = Mesh::uniform(LENGTH, 60).expect("a mesh");
    let curved = |basis, n| CurvatureRod::new(basis, LENGTH, n, &section(), strain).expect("a rod");
    vec![
        MixedRod::new(&mesh, &section(), strain).into(),
        MixedRod::new(&mesh, &section(), strain).with_strain(Strain::Nodal).into(),
        curved(Basis::Helix, 20).into(),
        curved(Basis::Clothoid, 12).into(),
        SplineRod::new(LENGTH, 24, &section(), strain).expect("a rod").into(),
    ]
}

fn clamp() -> Pose {
    let orientation = rotation::frame(&Vec3::new(1.0, 0.2, -0.3).normalize(), &Vec3::z());
    Pose { position: Vec3::new(0.1, -0.2, 0.3), orientation }
}

/// The problem of a rod under its weight and loads, and the shape that it has at rest.
fn posed(rod: AnyRod, loaded: bool) -> (Problem, State) {
    let mut problem = Problem::new(rod, End::clamped(clamp()), End::free());
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    if loaded {
        let point = |s, force, moment, axes| PointLoad { s, force, moment, axes };
        problem.point_loads = vec![
            point(LENGTH, Vec3::new(0.02, 0.01, 0.0), Vec3::new(0.0, 1e-3, 5e-4), Axes::World),
            point(0.173, Vec3::new(0.0, 0.03, 0.02), Vec3::zeros(), Axes::Material),
        ];
        problem.distributed_loads = vec![DistributedLoad {
            from: 0.1,
            to: 0.31,
            force: [Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.05, 0.0, 0.0)],
            moment: [Vec3::zeros(); 2],
            axes: Axes::World,
        }];
    }
    let start = Station { position: clamp().position, frame: clamp().orientation };
    let state = State::new(problem.rod.rest_state(&start), problem.ends);
    (problem, state)
}

fn curl(s: f64) -> Vec3 {
    let t = s / LENGTH;
    Vec3::new(6.0 + 8.0 * (3.0 * t).sin(), 4.0 * (5.0 * t).cos(), 5.0 - 9.0 * t)
}

#[test]
fn a_shape_is_the_equilibrium_of_the_rod_that_is_made_for_it() {
    for loaded in [false, true] {
        for rod in rods(&curl) {
            let (problem, state) = posed(rod, loaded);
            let model = problem.rod.model();
            let found = natural_rod(&problem, &state).expect("a natural rod");
            assert_eq!(found.report.status, Status::Converged, "{model}");
            // Splines have more strain than coordinates; elements integrate spread loads by a rule of their own.
            let allowed = match (model, loaded) {
                ("spline", _) => 2e-5,
                (_, true) => 2e-8,
                _ => 1e-9,
            };
            println!("{model} loaded {loaded}: moved {:.1e} of the length", found.moved / LENGTH);
            assert!(found.moved < allowed * LENGTH, "{model}, loaded {loaded}: {:.2e}", found.moved / LENGTH);
            // It could fail: as it was, the rod sags.
            let sagged = flexline::solver::statics::solve_from_scratch(&problem, &Default::default());
            let (sagged, _) = sagged.expect("a sound problem");
            let tip = |state: &State| problem.rod.station(&state.rod, LENGTH).position;
            assert!((tip(&sagged) - tip(&state)).norm() > 0.05 * LENGTH, "{model}: it does not sag");
        }
    }
}

/// ū = u − K⁻¹ Rᵀ m: that of a straight level cantilever is w (L − s)²/2K upwards.
#[test]
fn a_level_cantilever_is_bent_upwards_by_nature() {
    for rod in rods(&|_| Vec3::zeros()) {
        let model = rod.model();
        let mut problem =
            Problem::new(rod, End::clamped(Pose { orientation: level(), ..clamp() }), End::free());
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let start = Station { position: clamp().position, frame: level() };
        let state = State::new(problem.rod.rest_state(&start), problem.ends);
        let found = natural_rod(&problem, &state).expect("a natural rod");
        let rest = found.problem.rod.rest_state(&start);
        // The middle of an element: helices are right there.
        let s = 0.325 * LENGTH;
        let natural = found.problem.rod.strain(&rest, s);
        let turned = rotation::rotate(&found.problem.rod.station(&state.rod, s).frame, &natural);
        // A moment w (L − s)²/2 about y bends down; d1 is stiff by 3e-3.
        let expected = 0.02 * 9.81 * (LENGTH - s).powi(2) / 2.0;
        let stiffness = section().at(s).stiffness;
        let axis = rotation::rotate(&level().conjugate(), &Vec3::y());
        let about = axis.component_div(&stiffness) * -expected;
        let error = (turned - rotation::rotate(&level(), &about)).norm() / about.norm();
        assert!(error < 5e-3, "{model}: {error}");
    }
}

/// A frame whose tangent is x and whose directors are world axes.
fn level() -> Quat {
    rotation::frame(&Vec3::x(), &Vec3::z())
}

#[test]
fn what_has_no_answer_is_told() {
    let (problem, state) = posed(rods(&curl).remove(0), false);
    let held = Problem { ends: [problem.ends[0], End::pinned(Vec3::zeros())], ..problem.clone() };
    assert_eq!(natural_rod(&held, &state).unwrap_err(), InverseError::Held);
    let loose = Problem { ends: [End::pinned(clamp().position), End::free()], ..problem.clone() };
    assert_eq!(natural_rod(&loose, &state).unwrap_err(), InverseError::Loose);
    let (_, other) = posed(rods(&curl).remove(3), false);
    assert!(natural_rod(&problem, &other).is_err(), "a state of another rod");
}
