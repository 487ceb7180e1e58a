//! From a shape to the rod that rests in it.

use flexline::algebra::rotation;
use flexline::inverse::{
    Centreline, FitModel, FramedCurve, InverseError, Limit, Noise, fit, fit_within, material_frame,
    natural_rod, stability_margin,
};
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
    let ring = Problem { closed: true, ..problem.clone() };
    assert_eq!(natural_rod(&ring, &state).unwrap_err(), InverseError::Ring);
    let loose = Problem { ends: [End::pinned(clamp().position), End::free()], ..problem.clone() };
    assert_eq!(natural_rod(&loose, &state).unwrap_err(), InverseError::Loose);
    let (_, other) = posed(rods(&curl).remove(3), false);
    assert!(natural_rod(&problem, &other).is_err(), "a state of another rod");
}

/// Where the far end is held too, the force there is chosen: the shape rests, and no other force has a straighter natural shape.
#[test]
fn a_shape_held_at_both_ends_has_its_straightest_natural_shape() {
    for rod in rods(&curl) {
        let (mut problem, state) = posed(rod, true);
        let model = problem.rod.model();
        let end = problem.rod.station(&state.rod, LENGTH);
        problem.ends[1] = End::clamped(Pose { position: end.position, orientation: end.frame });
        let state = State::new(state.rod, problem.ends);
        let found = natural_rod(&problem, &state).expect("a natural rod");
        assert_eq!(found.report.status, Status::Converged, "{model}");
        let allowed = if model == "spline" { 2e-5 } else { 2e-8 };
        assert!(found.moved < allowed * LENGTH, "{model}: {:.1e}", found.moved / LENGTH);
        let chosen = found.chosen.expect("a force");
        let margin = stability_margin(&problem, &state).expect("a margin");
        assert_eq!((margin.stiffness, margin.mass), (Limit::Unknown, Limit::Unknown), "{model}");
        // The support of the end exerts what was chosen.
        let told = found.report.support(1);
        let scale = chosen.force.norm() + 0.1;
        assert!((told.force - chosen.force).norm() < 1e-3 * scale, "{model}: {told:?} {chosen:?}");
        let bent = |force: Vec3, moment: Vec3| {
            let mut free = Problem { ends: [problem.ends[0], End::free()], ..problem.clone() };
            free.point_loads.push(PointLoad { s: LENGTH, force, moment, axes: Axes::World });
            let own = natural_rod(&free, &state).expect("a natural rod").problem.rod;
            let k = own.first_stiffness();
            let ends = own.piece_ends();
            let middles: Vec<f64> = ends.windows(2).map(|w| 0.5 * (w[0] + w[1])).collect();
            let strains = flexline::inverse::strains(&own, &middles);
            let energy = |(u, w): (&Vec3, &[f64])| u.dot(&k.component_mul(u)) * (w[1] - w[0]);
            strains.iter().zip(ends.windows(2)).map(energy).sum::<f64>()
        };
        let least = bent(chosen.force, chosen.moment);
        for axis in 0..3 {
            for size in [-1.0, 1.0] {
                let unit = Vec3::from_fn(|i, _| if i == axis { size } else { 0.0 });
                assert!(
                    bent(chosen.force + unit * 5e-3, chosen.moment) > least,
                    "{model}, force along {axis}"
                );
                assert!(
                    bent(chosen.force, chosen.moment + unit * 5e-4) > least,
                    "{model}, moment about {axis}"
                );
            }
        }
    }
}

/// A rod that stands straight up is stable below Greenhill's length: q L³/K = 7.8373.
#[test]
fn a_pole_stands_up_to_greenhills_weight() {
    let upright = rotation::frame(&Vec3::z(), &Vec3::x());
    let weight = 9.81 * 0.02 * LENGTH.powi(3);
    // It buckles about its softer axis.
    let softest = weight / 7.837_35 / 3e-3;
    for rod in rods(&|_| Vec3::zeros()) {
        let model = rod.model();
        let mut problem =
            Problem::new(rod, End::clamped(Pose { orientation: upright, ..clamp() }), End::free());
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let start = Station { position: clamp().position, frame: upright };
        let state = State::new(problem.rod.rest_state(&start), problem.ends);
        let margin = stability_margin(&problem, &state).expect("a margin");
        let (Limit::At(stiffness), Limit::At(mass)) = (margin.stiffness, margin.mass) else {
            panic!("{model}: {margin:?}");
        };
        println!("{model}: {stiffness:.6} against {softest:.6}, mass {mass:.4}, Horn {:?}", margin.horn);
        assert!((stiffness / softest - 1.0).abs() < 2e-3, "{model}: {stiffness} {softest}");
        // With the weight alone one is the inverse of the other.
        assert!((stiffness * mass - 1.0).abs() < 1e-5, "{model}");
        // The second variation is linear in the load: its eigenvalue tells the threshold too.
        let lambda = margin.stability.expect("known").lambda_min;
        assert!((1.0 - lambda - stiffness).abs() < 1e-4 * stiffness, "{model}: {lambda} {stiffness}");
        assert_eq!(margin.horn.is_some(), ["helix", "clothoid"].contains(&model), "{model}");
        assert!(margin.horn.is_none_or(|enough| enough > stiffness), "{model}: {:?}", margin.horn);
    }
}

/// What hangs straight down is stable, however soft; Horn's bound needs no stiffness then.
#[test]
fn what_hangs_is_stable_at_any_stiffness() {
    for rod in rods(&|_| Vec3::zeros()) {
        let down = rotation::frame(&-Vec3::z(), &Vec3::x());
        let mut problem = Problem::new(rod, End::clamped(Pose { orientation: down, ..clamp() }), End::free());
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let start = Station { position: clamp().position, frame: down };
        let state = State::new(problem.rod.rest_state(&start), problem.ends);
        let margin = stability_margin(&problem, &state).expect("a margin");
        assert_eq!(
            (margin.stiffness, margin.mass),
            (Limit::Nowhere, Limit::Nowhere),
            "{}",
            problem.rod.model()
        );
        assert!(margin.horn.is_none_or(|enough| enough < 1e-6), "{:?}", margin.horn);
    }
}

/// At the threshold the smallest eigenvalue changes sign, the natural strain found anew: of a curl, whatever the model.
#[test]
fn the_threshold_is_where_stability_ends() {
    for rod in rods(&curl) {
        let (problem, state) = posed(rod, false);
        let model = problem.rod.model();
        let margin = stability_margin(&problem, &state).expect("a margin");
        let Limit::At(mass) = margin.mass else { panic!("{model}: {margin:?}") };
        println!(
            "{model}: λ {:?}, mass {mass:.4}, {:?}, Horn {:?}",
            margin.stability, margin.stiffness, margin.horn
        );
        let negative = |factor: f64| {
            let heavy = Problem { gravity: problem.gravity * factor, ..problem.clone() };
            natural_rod(&heavy, &state)
                .expect("a natural rod")
                .report
                .rest
                .stability
                .expect("converged")
                .negative
        };
        assert_eq!(negative(0.999 * mass), 0, "{model}");
        assert!(negative(1.001 * mass) > 0, "{model}");
        if let (Some(horn), Limit::At(least)) = (margin.horn, margin.stiffness) {
            assert!(horn >= least, "{model}: Horn's bound {horn} is enough, {least} is needed");
        }
    }
}

/// A smooth curve that no model can take exactly.
fn drawn(n: usize) -> Centreline {
    let points: Vec<Vec3> = (0..=n)
        .map(|k| 3.0 * k as f64 / n as f64)
        .map(|t| Vec3::new(0.3 * t.cos(), 0.2 * (1.3 * t).sin(), 0.1 * t + 0.03 * (2.0 * t).sin()))
        .collect();
    Centreline::new(&points, Noise::None).expect("a curve")
}

#[test]
fn fits_converge_with_their_order() {
    let curve = drawn(400);
    let models = [
        (FitModel::Helix, 2.0),
        (FitModel::HelixLeastSquares, 2.0),
        (FitModel::Clothoid, 3.0),
        (FitModel::Spline, 2.0),
        (FitModel::Chain(Strain::Mixed), 2.0),
    ];
    for (model, order) in models {
        let error =
            |n: usize| fit(&curve, &section(), model, n, &Vec3::z()).expect("a fit").deviation.largest;
        let errors = [16, 32].map(error);
        let found = (errors[0] / errors[1]).log2();
        println!("{model:?}: {errors:?}, order {found:.2}");
        assert!(found > order - 0.3, "{model:?}: {errors:?}");
    }
}

/// A curve that turns back in itself is no straight line twice as long, though that goes through all of its points.
#[test]
fn a_fit_that_runs_on_is_not_near() {
    let there = (0..=10).map(|k| 0.01 * f64::from(k));
    let points: Vec<Vec3> =
        there.clone().chain(there.rev().skip(1)).map(|x| Vec3::new(x, 0.0, 0.0)).collect();
    let curve = Centreline::new(&points, Noise::None).expect("a curve");
    let own = fit(&curve, &section(), FitModel::Clothoid, 2, &Vec3::z()).expect("a fit");
    assert!(own.deviation.largest > 0.02, "{:?}", own.deviation);
}

#[test]
fn a_tolerance_is_kept_with_few_pieces() {
    let curve = drawn(400);
    let tolerance = 1e-3;
    for model in [FitModel::Helix, FitModel::Clothoid, FitModel::Spline, FitModel::Chain(Strain::Mixed)] {
        let own = fit_within(&curve, &section(), model, tolerance, &Vec3::z()).expect("a fit");
        assert!(own.deviation.largest <= tolerance, "{model:?}: {:?}", own.deviation);
        println!("{model:?}: {} pieces, {:?}", own.pieces, own.deviation);
        if own.pieces > model.least() {
            let fewer = fit(&curve, &section(), model, own.pieces - 1, &Vec3::z()).expect("a fit");
            assert!(fewer.deviation.largest > tolerance, "{model:?}: {} would do", own.pieces - 1);
        }
        // Without loads the rod is there.
        let base = own.rod.station(&own.state, 0.0);
        let rest = own.rod.rest_state(&base);
        let off = (0..=20).map(|k| own.rod.length() * f64::from(k) / 20.0);
        let off = off
            .map(|s| (own.rod.station(&rest, s).position - own.rod.station(&own.state, s).position).norm());
        assert!(off.fold(0.0, f64::max) < 2.0 * tolerance, "{model:?}");
    }
}

/// Property 4.1 of the habilitation: the centreline of an equilibrium tells its frames, given natural strain and stiffness.
#[test]
fn the_frames_of_an_equilibrium_follow_from_its_centreline() {
    let own = SplineRod::new(LENGTH, 60, &section(), &curl).expect("a rod");
    let (problem, _) = posed(own.into(), false);
    let found = flexline::solver::statics::solve_from_scratch(&problem, &Default::default());
    let (state, report) = found.expect("a sound problem");
    assert_eq!(report.status, Status::Converged);
    let station = |s: f64| problem.rod.station(&state.rod, s);
    let points: Vec<Vec3> = (0..=600).map(|k| station(LENGTH * f64::from(k) / 600.0).position).collect();
    let curve = Centreline::new(&points, Noise::None).expect("a curve");
    let d1 = rotation::rotate(&station(0.0).frame, &Vec3::x());
    let framed = FramedCurve::new(&curve, &d1);
    let count = 300;
    let stiffness = section().at(0.0).stiffness;
    let framing = material_frame(&framed, &stiffness, &curl, 0.0, count);
    assert!(framing.is_minimum);
    let off = (0..=count).map(|k| {
        let s = LENGTH * k as f64 / count as f64;
        let turned = framed.at(s).frame * rotation::exp(&Vec3::new(0.0, 0.0, framing.angles[k]));
        rotation::angle_between(&turned, &station(s).frame)
    });
    let worst = off.fold(0.0, f64::max);
    println!("frames off by {worst:.1e} rad");
    assert!(worst < 2e-3, "{worst}");
    // Carried along without twist they would be far off.
    let twist = rotation::angle_between(&framed.at(LENGTH).frame, &station(LENGTH).frame);
    assert!(twist > 0.1, "{twist}");
}
