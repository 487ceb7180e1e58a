//! The solver as a whole: every method, every kind of problem.

use super::sample::{Random, Sample, pile, random, wrapped};
use super::*;
use crate::algebra::Mat3;
use crate::solver::Budget;
use std::time::Duration;

/// Those for all problems.
const METHODS: [ConeMethod; 3] = [ConeMethod::GaussSeidel, ConeMethod::ConjugateSweeps, ConeMethod::Newton];
/// Those by products alone, which are slow.
const BY_PRODUCTS: [ConeMethod; 2] = [ConeMethod::FixedPoint, ConeMethod::Bipotential];

/// The law as it is told, case by case, without any projection: how far (force, motion) is from each case, in units of
/// force, and the nearest.
fn distance_to_law(r: &Vec3, u: &Vec3, mu: f64, compliance: f64) -> f64 {
    let u = u / compliance;
    let (friction, slip) = (r.y.hypot(r.z), u.y.hypot(u.z));
    let separate = r.norm().max(-u.x);
    let stick = u.norm().max(-r.x).max(friction - mu * r.x);
    // Opposite directions: the smaller of the two vectors turned onto the other.
    let (cosine, sine) = (-(r.y * u.y + r.z * u.z), (r.y * u.z - r.z * u.y).abs());
    let turned = friction.min(slip) * sine.atan2(cosine);
    let slide = u.x.abs().max(-r.x).max((friction - mu * r.x).abs()).max(turned);
    separate.min(stick).min(slide)
}

/// Checks a solution against the law, contact by contact; forces and motion are computed anew.
fn assert_law(problem: &ConeProblem, solution: &ConeSolution, tolerance: f64) {
    assert_eq!(solution.status, ConeStatus::Converged, "{:e}", solution.relative_residual());
    let largest = solution.forces.iter().map(Vec3::norm).fold(0.0, f64::max);
    for k in 0..problem.free.len() {
        let mut u = problem.free[k];
        for (j, r) in solution.forces.iter().enumerate() {
            u += problem.delassus.block(k, j) * r;
        }
        let compliance = problem.delassus.diagonal(k).norm();
        let off = distance_to_law(&solution.forces[k], &u, problem.friction[k], compliance);
        assert!(off <= tolerance * largest, "contact {k}: {off:e} of {largest:e}");
    }
}

fn solved(problem: &ConeProblem, method: ConeMethod, tolerance: f64) -> ConeSolution {
    let mut solution = ConeSolution::default();
    let settings = ConeSettings { method, tolerance, most_iterations: 50_000, ..ConeSettings::default() };
    solve(problem, &mut solution, &mut ConeWorkspace::default(), &settings).unwrap();
    solution
}

fn difference(a: &[Vec3], b: &[Vec3]) -> f64 {
    let largest = a.iter().map(Vec3::norm).fold(0.0, f64::max);
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / largest
}

/// How many forces obey the law, found by turning the direction of slip in small steps.
fn brute_force_count(w: &Mat3, q: &Vec3, mu: f64) -> usize {
    let mut count = usize::from(q.x >= 0.0);
    let stick = w.try_inverse().expect("generic") * -q;
    count += usize::from(stick.x > 0.0 && stick.y.hypot(stick.z) <= mu * stick.x);
    // Sine of the angle from slip to the opposite of friction, without its poles; force and cosine there.
    let at = |angle: f64| {
        let (s, c) = angle.sin_cos();
        let direction = Vec3::new(1.0, mu * c, mu * s);
        let along = (w * direction).x;
        let u = w * direction * -q.x + q * along;
        (c * u.z - s * u.y, -q.x / along, (c * u.y + s * u.z) / along)
    };
    let steps = 4000;
    for i in 0..steps {
        let [mut a, mut b] = [i, i + 1].map(|i| std::f64::consts::TAU * f64::from(i) / f64::from(steps));
        if at(a).0 * at(b).0 > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if at(a).0 * at(middle).0 <= 0.0 {
                b = middle;
            } else {
                a = middle;
            }
        }
        let (_, force, cosine) = at(0.5 * (a + b));
        count += usize::from(force > 0.0 && cosine < 0.0);
    }
    count
}

#[test]
fn one_contact_is_solved_whatever_its_matrix() {
    let mut random = Random::new(1);
    let (mut none, mut several) = (0, 0);
    for round in 0..4000 {
        let mut w = random.compliance([0.1, 0.5, 1.0][round % 3]);
        if round % 7 == 0 {
            // Indefinite: the energy of a state that would snap, or sliding as in Painlevé's paradox.
            w -= Mat3::identity() * random.between(0.0, 2.0);
        }
        let (q, mu) = (random.vector(), random.between(0.02, 2.0));
        let all = solutions(&w, &q, mu);
        for r in all.as_slice() {
            let off = distance_to_law(r, &(w * r + q), mu, w.norm());
            assert!(off <= 1e-10 * (r.norm() + q.norm() / w.norm()), "{off:e}: {w} {q} {mu}");
        }
        assert_eq!(all.as_slice().len(), brute_force_count(&w, &q, mu), "{w} {q} {mu} {all:?}");
        none += usize::from(all.as_slice().is_empty());
        several += usize::from(all.as_slice().len() > 1);
        let blocks = BlockMatrix::from_blocks(1, [(0, 0, w)]);
        let (free, friction) = ([q], [mu]);
        let problem = ConeProblem { delassus: Delassus::Sparse(&blocks), free: &free, friction: &friction };
        for method in METHODS {
            let solution = solved(&problem, method, 1e-11);
            if all.as_slice().is_empty() {
                assert_eq!(solution.status, ConeStatus::NoSolution);
            } else {
                assert_law(&problem, &solution, 1e-10);
            }
        }
    }
    assert!(none > 20 && several > 20, "{none} without, {several} with several");
}

#[test]
fn a_singular_matrix_of_one_contact_has_its_solutions() {
    let mut random = Random::new(2);
    for round in 0..1000 {
        // A bead on a wire moves along one direction, a point of a sheet along two.
        let mut w = Mat3::zeros();
        let mut q = Vec3::zeros();
        for _ in 0..=round % 2 {
            let direction = random.vector();
            w += direction * direction.transpose();
            q += direction * random.between(-1.0, 1.0);
        }
        let blocks = BlockMatrix::from_blocks(1, [(0, 0, w)]);
        let (free, friction) = ([q], [random.between(0.1, 1.0)]);
        let problem = ConeProblem { delassus: Delassus::Sparse(&blocks), free: &free, friction: &friction };
        for method in METHODS {
            assert_law(&problem, &solved(&problem, method, 1e-11), 1e-9);
        }
    }
}

#[test]
fn all_methods_agree() {
    for (contacts, seed) in [(1, 1), (2, 2), (5, 3), (12, 4), (12, 5), (30, 6), (60, 7)] {
        let sample = random(contacts, 6.0, 0.5, seed);
        let problem = sample.problem();
        let reference = solved(&problem, ConeMethod::Newton, 1e-13);
        assert_law(&problem, &reference, 1e-11);
        let dense = sample.blocks.to_dense();
        let whole = ConeProblem { delassus: Delassus::Dense(&dense), ..problem };
        for method in METHODS {
            for problem in [&problem, &whole] {
                let solution = solved(problem, method, 1e-12);
                // The residual, magnified by the condition of W: up to 1e4 here.
                assert!(difference(&reference.forces, &solution.forces) < 1e-8, "{contacts} {method:?}");
            }
        }
        for method in BY_PRODUCTS {
            let solution = solved(&problem, method, 1e-9);
            let error = difference(&reference.forces, &solution.forces);
            assert!(
                solution.status == ConeStatus::Converged && error < 1e-5,
                "{contacts} {method:?} {error:e}"
            );
        }
    }
}

#[test]
fn redundant_contacts_obey_the_law() {
    for (contacts, columns, seed) in [(2, 1.5, 1), (5, 1.0, 2), (12, 2.0, 3), (30, 1.0, 4), (60, 2.0, 5)] {
        let sample = random(contacts, columns, 0.7, seed);
        for method in METHODS {
            assert_law(&sample.problem(), &solved(&sample.problem(), method, 1e-10), 1e-8);
        }
    }
    // The same contact three times: matrices that are singular to the last digit.
    let row: &[f64] = &[2.0; 3];
    let same = normals(&[row; 3], &[-1.0; 3]);
    for method in METHODS {
        let solution = solved(&same.problem(), method, 1e-12);
        assert!((solution.forces.iter().map(|r| r.x).sum::<f64>() - 0.5).abs() < 1e-11, "{solution:?}");
    }
    // Balls that lie on four each: more contacts than motions.
    let heap = pile(60, 0.2, 1);
    for method in METHODS {
        assert_law(&heap.problem(), &solved(&heap.problem(), method, 1e-9), 1e-7);
    }
}

#[test]
fn newton_solves_a_cable_around_a_cylinder() {
    for mu in [0.1, 0.3, 0.8] {
        for seed in 0..10 {
            let sample = wrapped(36, 3.1, mu, seed);
            let solution = solved(&sample.problem(), ConeMethod::Newton, 1e-10);
            assert_law(&sample.problem(), &solution, 1e-8);
            assert!(solution.newton_steps <= 30, "{mu} {seed}: {}", solution.newton_steps);
        }
    }
}

/// The same sample with the tangents of each contact turned.
fn turned(sample: &Sample, angles: &[f64]) -> Sample {
    let turn = |k: usize| {
        let (s, c) = angles[k].sin_cos();
        Mat3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
    };
    let m = sample.free.len();
    let mut blocks = Vec::new();
    for k in 0..m {
        sample
            .problem()
            .delassus
            .each_in_row(k, |j, w| blocks.push((k, j, turn(k) * w * turn(j).transpose())));
    }
    Sample {
        blocks: BlockMatrix::from_blocks(m, blocks),
        free: (0..m).map(|k| turn(k) * sample.free[k]).collect(),
        friction: sample.friction.clone(),
    }
}

#[test]
fn friction_has_no_preferred_direction() {
    let mut angle = Random::new(9);
    for sample in [random(15, 6.0, 0.6, 3), wrapped(15, 3.0, 0.3, 4)] {
        let angles: Vec<f64> = (0..15).map(|_| angle.between(0.0, 6.3)).collect();
        let other = turned(&sample, &angles);
        for method in METHODS {
            if method != ConeMethod::Newton && sample.friction[0] == 0.3 {
                continue; // too slow on the cable to be compared
            }
            let straight = solved(&sample.problem(), method, 1e-13);
            let mut back = solved(&other.problem(), method, 1e-13);
            for (r, angle) in back.forces.iter_mut().zip(&angles) {
                let (s, c) = angle.sin_cos();
                *r = Vec3::new(r.x, c * r.y + s * r.z, c * r.z - s * r.y);
            }
            assert!(difference(&straight.forces, &back.forces) < 1e-8);
            assert!(straight.iterations.abs_diff(back.iterations) <= 2, "{method:?}");
        }
    }
}

#[test]
fn units_do_not_matter() {
    let sample = random(20, 4.0, 0.7, 8);
    for (compliance, motion) in [(1e-9, 1e-5), (1e7, 1e-12), (3.0, 1e9)] {
        let mut other = sample.clone();
        let mut blocks = Vec::new();
        for k in 0..20 {
            sample.problem().delassus.each_in_row(k, |j, w| blocks.push((k, j, w * compliance)));
        }
        other.blocks = BlockMatrix::from_blocks(20, blocks);
        other.free.iter_mut().for_each(|q| *q *= motion);
        for method in METHODS {
            let one = solved(&sample.problem(), method, 1e-12);
            let mut scaled = solved(&other.problem(), method, 1e-12);
            let force = motion / compliance;
            assert!((scaled.scale / (one.scale * force) - 1.0).abs() < 1e-9);
            scaled.forces.iter_mut().for_each(|r| *r /= force);
            assert!(difference(&one.forces, &scaled.forces) < 1e-9, "{method:?}");
            assert!(one.iterations.abs_diff(scaled.iterations) <= 1, "{method:?}");
        }
    }
}

#[test]
fn a_warm_start_is_cheaper() {
    for (sample, method) in
        [(random(30, 4.0, 0.5, 5), ConeMethod::GaussSeidel), (wrapped(36, 3.1, 0.3, 5), ConeMethod::Newton)]
    {
        let cold = solved(&sample.problem(), method, 1e-10);
        let mut moved = sample.clone();
        moved.free.iter_mut().for_each(|q| *q *= 1.001);
        let settings = ConeSettings { method, ..ConeSettings::default() };
        let mut warm = cold.clone();
        let mut workspace = ConeWorkspace::default();
        solve(&moved.problem(), &mut warm, &mut workspace, &settings).unwrap();
        assert_law(&moved.problem(), &warm, 1e-8);
        assert!(10 * warm.iterations <= 8 * cold.iterations, "{} {}", warm.iterations, cold.iterations);
        assert_eq!(workspace.history().len(), warm.iterations);
        // Its own solution costs nothing, and is not touched.
        let again = warm.forces.clone();
        solve(&moved.problem(), &mut warm, &mut workspace, &settings).unwrap();
        assert_eq!((warm.iterations, &warm.forces), (0, &again));
        // Without, or where it does not fit, it starts at zero.
        warm.forces.push(Vec3::zeros());
        solve(&moved.problem(), &mut warm, &mut workspace, &settings).unwrap();
        assert!(warm.iterations > 0);
    }
}

#[test]
fn extreme_friction_is_solved() {
    for friction in [0.0, 1e-9, 1e6] {
        let mut sample = random(12, 6.0, 0.5, 2);
        sample.friction.fill(friction);
        for method in METHODS {
            let solution = solved(&sample.problem(), method, 1e-9);
            assert_law(&sample.problem(), &solution, 1e-7);
            if friction == 0.0 {
                assert!(solution.forces.iter().all(|r| r.y == 0.0 && r.z == 0.0));
            }
        }
    }
}

/// Contacts along the normal alone, by their matrix.
fn normals(w: &[&[f64]], q: &[f64]) -> Sample {
    let m = q.len();
    let blocks = (0..m * m).map(|p| {
        let (k, j) = (p / m, p % m);
        let tangential = if k == j { 1.0 } else { 0.0 };
        (k, j, Mat3::from_diagonal(&Vec3::new(w[k][j], tangential, tangential)))
    });
    Sample {
        blocks: BlockMatrix::from_blocks(m, blocks),
        free: q.iter().map(|&q| Vec3::new(q, 0.0, 0.0)).collect(),
        friction: vec![0.3; m],
    }
}

#[test]
fn what_has_no_solution_is_told() {
    // A body between two walls that approach each other.
    let squeezed = normals(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]);
    // Something that nothing moves, pushed into a wall.
    let mut stuck = normals(&[&[1.0]], &[-1.0]);
    stuck.blocks = BlockMatrix::from_blocks(1, []);
    // Force that makes things worse.
    let runaway = normals(&[&[-1.0, 0.0], &[0.0, 1.0]], &[-1.0, -1.0]);
    for sample in [squeezed, stuck, runaway] {
        for method in METHODS {
            let mut solution = ConeSolution::default();
            let settings = ConeSettings { method, ..ConeSettings::default() };
            solve(&sample.problem(), &mut solution, &mut ConeWorkspace::default(), &settings).unwrap();
            assert_eq!(solution.status, ConeStatus::NoSolution, "{method:?} {solution:?}");
            assert!(solution.forces.iter().all(|r| r.iter().all(|c| c.is_finite())));
            assert!(
                solution.residual > 0.1 && solution.forces.iter().all(|r| r.norm() < 10.0),
                "{solution:?}"
            );
        }
    }
    // Walls that move away leave it alone, whatever moves it.
    let mut free = normals(&[&[1.0]], &[0.5]);
    free.blocks = BlockMatrix::from_blocks(1, []);
    assert_law_without_compliance(&free);
    // No contacts at all are solved.
    let nothing = normals(&[], &[]);
    assert_eq!(solved(&nothing.problem(), ConeMethod::Newton, 1e-9).status, ConeStatus::Converged);
}

#[test]
fn what_is_merely_slow_is_not_told_to_have_no_solution() {
    // Gauss–Seidel solves these heaps in some hundred sweeps; here forces still grow when the work is up.
    for (contacts, most_iterations) in [(1000, 400), (2000, 80), (2000, 400)] {
        let heap = pile(contacts, 0.3, 1);
        let mut solution = ConeSolution::default();
        let settings =
            ConeSettings { method: ConeMethod::FixedPoint, most_iterations, ..ConeSettings::default() };
        solve(&heap.problem(), &mut solution, &mut ConeWorkspace::default(), &settings).unwrap();
        assert_eq!(solution.status, ConeStatus::IterationLimit, "{contacts} {most_iterations}");
    }
}

fn assert_law_without_compliance(sample: &Sample) {
    for method in METHODS {
        let solution = solved(&sample.problem(), method, 1e-9);
        assert_eq!(solution.status, ConeStatus::Converged);
        assert!(solution.forces.iter().all(|r| *r == Vec3::zeros()));
    }
}

#[test]
fn indefinite_matrices_end_with_a_status() {
    let mut random = Random::new(4);
    for seed in 0..60 {
        let mut sample = sample::random(8, 3.0, 1.0, seed);
        let mut blocks = Vec::new();
        for k in 0..8 {
            sample.problem().delassus.each_in_row(k, |j, w| blocks.push((k, j, *w)));
            blocks.push((k, k, Mat3::identity() * -random.between(0.0, 2.0)));
        }
        sample.blocks = BlockMatrix::from_blocks(8, blocks);
        for method in METHODS {
            let mut solution = ConeSolution::default();
            let settings = ConeSettings { method, most_iterations: 200, ..ConeSettings::default() };
            solve(&sample.problem(), &mut solution, &mut ConeWorkspace::default(), &settings).unwrap();
            assert!(solution.forces.iter().all(|r| r.iter().all(|c| c.is_finite())));
            assert!(solution.residual.is_finite() && solution.iterations <= 200);
            if solution.status == ConeStatus::Converged {
                assert_law(&sample.problem(), &solution, 1e-8);
            }
        }
    }
}

#[test]
fn what_is_no_problem_is_refused() {
    let good = random(3, 6.0, 0.5, 1);
    let refused = |change: &dyn Fn(&mut Sample)| {
        let mut sample = good.clone();
        change(&mut sample);
        let mut solution = ConeSolution::default();
        let settings = ConeSettings::default();
        solve(&sample.problem(), &mut solution, &mut ConeWorkspace::default(), &settings)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(&|s| s.free[1].y = f64::NAN),
        "free motion of contact 1 is NaN: a finite number is needed"
    );
    assert_eq!(refused(&|s| s.friction[2] = -0.1), "friction of contact 2 is -0.1: it must be zero or more");
    assert_eq!(
        refused(&|s| s.friction[0] = f64::INFINITY),
        "friction of contact 0 is inf: a finite number is needed"
    );
    let short = refused(&|s| s.friction.truncate(2));
    assert_eq!(short, "friction is for 2 contacts, the free motion for 3: give one block per contact");
    let skew = refused(&|s| {
        let mut blocks = vec![(0, 2, Mat3::identity())];
        for k in 0..3 {
            good.problem().delassus.each_in_row(k, |j, w| blocks.push((k, j, *w)));
        }
        s.blocks = BlockMatrix::from_blocks(3, blocks);
    });
    assert!(skew.ends_with("between contacts 0 and 2: make it symmetric"), "{skew}");
    let infinite =
        refused(&|s| s.blocks = BlockMatrix::from_blocks(3, [(1, 1, Mat3::repeat(f64::INFINITY))]));
    assert_eq!(infinite, "W of contact 1 is inf: a finite number is needed");
    let settings = ConeSettings { tolerance: 0.0, ..ConeSettings::default() };
    let error =
        solve(&good.problem(), &mut ConeSolution::default(), &mut ConeWorkspace::default(), &settings);
    assert_eq!(error, Err(ConeError::Tolerance(0.0)));
    let settings = ConeSettings { method: ConeMethod::Pyramid(2), ..ConeSettings::default() };
    let error =
        solve(&good.problem(), &mut ConeSolution::default(), &mut ConeWorkspace::default(), &settings);
    assert_eq!(error, Err(ConeError::Facets(2)));
}

#[test]
fn work_is_bounded() {
    let sample = wrapped(40, 3.0, 0.3, 1);
    for method in METHODS {
        let mut solution = ConeSolution::default();
        let mut workspace = ConeWorkspace::default();
        let settings = ConeSettings { method, most_iterations: 3, ..ConeSettings::default() };
        solve(&sample.problem(), &mut solution, &mut workspace, &settings).unwrap();
        assert_eq!((solution.status, solution.iterations), (ConeStatus::IterationLimit, 3));
        let status = Budget::lasting(Duration::ZERO).around(|| {
            solve(&sample.problem(), &mut solution, &mut workspace, &ConeSettings::default()).unwrap();
            solution.status
        });
        assert_eq!(status, ConeStatus::OutOfTime);
    }
}

#[test]
fn a_pyramid_comes_to_the_cone_and_has_preferred_directions() {
    let sample = random(10, 6.0, 0.5, 6);
    let exact = solved(&sample.problem(), ConeMethod::Newton, 1e-12);
    let error = |facets: usize| {
        let solution = solved(&sample.problem(), ConeMethod::Pyramid(facets), 1e-12);
        assert_eq!(solution.status, ConeStatus::Converged);
        difference(&exact.forces, &solution.forces)
    };
    let errors = [4, 8, 64, 512].map(error);
    // Friction goes to a corner, which may be π/k away: the error falls with 1/k.
    assert!(errors[0] > 1e-2 && errors[0] < 0.5 && errors[3] < errors[0] / 50.0, "{errors:?}");
    assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
    let angles = vec![std::f64::consts::FRAC_PI_4; 10];
    let straight = solved(&sample.problem(), ConeMethod::Pyramid(4), 1e-12);
    let mut back = solved(&turned(&sample, &angles).problem(), ConeMethod::Pyramid(4), 1e-12);
    for r in &mut back.forces {
        let (s, c) = angles[0].sin_cos();
        *r = Vec3::new(r.x, c * r.y + s * r.z, c * r.z - s * r.y);
    }
    assert!(difference(&straight.forces, &back.forces) > 1e-2);
}
