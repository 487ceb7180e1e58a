//! Equilibria against closed forms and published tables.

use crate::tolerance::{convergence, order, round_off};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{
    IntegralSettings, Method, Settings, Workspace, initial_state, integral_forces, solve, solve_from_scratch,
};
use flexline::solver::{Axes, DistributedLoad, End, PointLoad, Pose, Problem, ProblemError, Status, Verdict};
use std::f64::consts::PI;

fn rod(strain: Strain, length: f64, n: usize, k: [f64; 3], mass: f64) -> MixedRod {
    let section = Section::measured(k[0], k[1], k[2], mass, 0.004).unwrap();
    MixedRod::new(&Mesh::uniform(length, n).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
        .with_strain(strain)
}

/// Tangent +x, d1 horizontal.
fn along_x(position: Vec3) -> Pose {
    Pose { position, orientation: rotation::frame(&Vec3::x(), &Vec3::y()) }
}

fn tip_load(strain: Strain, alpha: f64, n: usize) -> (Problem, Vec3) {
    let (l, ei) = (1.2, 0.03);
    let mut problem = Problem::new(
        rod(strain, l, n, [ei, ei, 0.8 * ei], 0.1),
        End::clamped(along_x(Vec3::zeros())),
        End::free(),
    );
    let force = Vec3::new(0.0, 0.0, -alpha * ei / (l * l));
    problem.point_loads.push(PointLoad { s: l, force, moment: Vec3::zeros(), axes: Axes::World });
    (problem, force)
}

#[test]
fn cantilever_with_tip_load_follows_mattiasson() {
    for strain in Strain::ALL {
        // K. Mattiasson, Int. J. Numer. Meth. Engng 17 (1981) 145–153.
        for (alpha, w, u, theta) in [
            (1.0, 0.30172, 0.05643, 0.46135),
            (5.0, 0.71379, 0.38763, 1.21537),
            (10.0, 0.81061, 0.55500, 1.43029),
        ] {
            let mut errors = Vec::new();
            for n in [40, 80, 160] {
                let (problem, force) = tip_load(strain, alpha, n);
                let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
                assert_eq!(report.status, Status::Converged);
                let l = problem.rod.length();
                let tip = problem.rod.station(&state.rod, l);
                let t = rotation::tangent(&tip.frame);
                let error =
                    [-tip.position.z / l - w, 1.0 - tip.position.x / l - u, (-t.z).atan2(t.x) - theta];
                errors.push(error.iter().fold(0.0f64, |m, e| m.max(e.abs())));
                convergence(1e-9, force.norm()).allows((report.support(0).force + force).norm(), || {
                    "(report.support(0).force + force).norm()".into()
                });
                let moment = report.support(0).moment + tip.position.cross(&force);
                convergence(1e-8, force.norm() * l).allows(moment.norm(), || format!("{}", moment.norm()));
                assert_eq!(report.rest.stability.unwrap().verdict, Verdict::Stable);
            }
            // The table has five digits.
            assert!(errors[2] < 2e-5 + 1e-4, "{errors:?}");
        }
    }
}

#[test]
fn twenty_turns_and_back() {
    for strain in Strain::ALL {
        let l = 1.0;
        let start = End::clamped(along_x(Vec3::zeros()));
        let end = End::clamped(along_x(Vec3::new(0.97, 0.0, 0.0)));
        let mut problem = Problem::new(rod(strain, l, 100, [0.02, 0.02, 0.004], 0.3), start, end);
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let (mut state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged);
        let shape = |s: &flexline::solver::State| problem.rod.station(&s.rod, 0.4).position;
        let first = shape(&state);
        let mut ws = Workspace::new(&problem);
        let mut moving = problem.clone();
        let mut most = 0.0f64;
        for k in (0..=80).chain((0..80).rev()) {
            moving.ends[1].twist = 0.5 * PI * k as f64;
            let report = solve(&moving, &mut state, &mut ws, &Settings::interactive()).unwrap();
            assert_eq!(report.status, Status::Converged, "at {k}: {report:?}");
            most = most.max(moving.rod.twist_turns(&state.rod));
        }
        println!("most {most}, left {}", moving.rod.twist_turns(&state.rod));
        convergence(1e-8, 1.0)
            .allows((shape(&state) - first).norm(), || "(shape(&state) - first).norm()".into());
    }
}

/// A sagging cable between two clamps.
fn sagging(strain: Strain, n: usize) -> Problem {
    let start = End::clamped(along_x(Vec3::zeros()));
    let end = End::clamped(Pose {
        position: Vec3::new(0.6, 0.2, 0.1),
        orientation: rotation::frame(&Vec3::new(0.5, 0.5, 0.3), &Vec3::z()),
    });
    let mut problem = Problem::new(rod(strain, 1.0, n, [0.02, 0.02, 0.016], 0.2), start, end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem
}

#[test]
fn integral_forces_arrive_where_newton_does() {
    for strain in Strain::ALL {
        let problem = sagging(strain, 20);
        let (newton, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged);
        let method = Method::IntegralForces(IntegralSettings::default());
        let (other, report) =
            solve_from_scratch(&problem, &Settings { method, ..Settings::default() }).unwrap();
        assert_eq!(report.status, Status::Converged);
        for k in 0..=20 {
            let s = k as f64 / 20.0;
            let d =
                problem.rod.station(&newton.rod, s).position - problem.rod.station(&other.rod, s).position;
            convergence(1e-8, 1.0).allows(d.norm(), || format!("{} at {s}", d.norm()));
        }
        convergence(1e-6, newton.end_force.norm())
            .allows((newton.end_force - other.end_force).norm(), || {
                "(newton.end_force - other.end_force).norm()".into()
            });
    }
}

#[test]
fn length_error_shrinks_by_one_minus_alpha() {
    // Dissertation 4.3: x_i = (w/k)(1 − α)^i; figures 4.4 to 4.8.
    let problem = sagging(Strain::Mixed, 20);
    for alpha in [0.1, 0.5, 1.0, 1.5, 2.0] {
        let mut state = initial_state(&problem);
        let settings = IntegralSettings { alpha, max_iterations: 40, ..IntegralSettings::default() };
        let run = integral_forces(&problem, &mut state, &settings).unwrap();
        // One segment, the one that is furthest off: others may have the opposite sign.
        let first = &run.length_errors[0];
        let at = (0..first.len()).max_by(|&i, &j| first[i].abs().total_cmp(&first[j].abs())).unwrap();
        let worst = |k: usize| run.length_errors[k][at];
        // Below its tolerance the scheme has stopped looking, and ratios are those of noise.
        let ratios: Vec<f64> = (0..run.length_errors.len().min(9) - 1)
            .take_while(|&k| worst(k).abs() > settings.tolerance)
            .map(|k| worst(k + 1) / worst(k))
            .collect();
        assert!(ratios.len() > 1, "alpha {alpha}: {ratios:?}");
        for ratio in &ratios {
            order(0.01, 1.0).allows(ratio - (1.0 - alpha), || format!("alpha {alpha}: {ratios:?}"));
        }
        match alpha {
            0.5 | 1.0 => assert!(run.converged, "alpha {alpha}"),
            2.0 => assert!(!run.converged && worst(30).abs() > 0.9 * worst(5).abs(), "alpha 2 settles"),
            _ => {}
        }
    }
}

#[test]
fn a_ring_twists_until_it_snaps() {
    for strain in Strain::ALL {
        // Michell, Zajac: a closed ring leaves its plane at a twist of 2π√3 K/K3.
        let (k, k3) = (0.01, 0.008);
        let critical = 2.0 * PI * 3f64.sqrt() * k / k3;
        let mut problem = Problem::new(
            rod(strain, 1.0, 120, [k, k, k3], 0.0),
            End::clamped(along_x(Vec3::zeros())),
            End::free(),
        );
        problem.closed = true;
        for (share, snapped) in [(0.9, false), (0.99, false), (1.01, true)] {
            problem.ends[1].twist = share * critical;
            let settings = Settings { seek_stable: true, ..Settings::default() };
            let (state, report) = solve_from_scratch(&problem, &settings).unwrap();
            assert_eq!(report.status, Status::Converged, "{share}");
            // The seam may swing about its tangent: one direction always costs nothing.
            let stability = report.rest.stability.unwrap();
            assert_eq!(stability.negative, 0, "{share}: {stability:?}");
            let turns = problem.rod.twist_turns(&state.rod);
            let asked = problem.ends[1].twist / (2.0 * PI);
            // Nothing stops the ring from passing through itself yet: it sheds two full turns.
            let shed = if snapped { 2.0 } else { 0.0 };
            order(1e-5, 1.0)
                .allows(asked - turns - shed, || format!("share {share}: {turns} turns of {asked}"));
        }
    }
}

#[test]
fn a_ring_hangs_from_its_seam() {
    for strain in Strain::ALL {
        let mut problem = Problem::new(
            rod(strain, 1.0, 60, [0.01, 0.01, 0.008], 0.3),
            End::pinned(Vec3::zeros()),
            End::free(),
        );
        problem.closed = true;
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged);
        let weight = 0.3 * 9.81;
        convergence(1e-8, weight)
            .allows((report.support(0).force - Vec3::new(0.0, 0.0, weight)).norm(), || {
                format!("{:?}", report.reactions)
            });
        convergence(1e-9, 1.0).allows(report.support(0).moment.norm(), || "report.support(0).moment".into());
        // Hangs below its seam, smooth across it.
        let seam = problem.rod.station(&state.rod, 0.0);
        let back = problem.rod.station(&state.rod, 1.0);
        convergence(1e-10, 1.0).allows((seam.position - back.position).norm(), || {
            "(seam.position - back.position).norm()".into()
        });
        assert!(rotation::angle_between(&seam.frame, &back.frame) < 1e-9);
        let at = |j: usize| problem.rod.as_mixed().expect("a chain").position(&state.rod, j);
        assert!((0..60).all(|j| at(j).z < 1e-6));
        assert_ne!(report.rest.stability.unwrap().verdict, Verdict::Unstable);
    }
}

#[test]
fn a_compressed_column_is_recognised_as_unstable_and_left() {
    for strain in Strain::ALL {
        let (l, k) = (1.0, 0.02);
        let mut problem = Problem::new(
            rod(strain, l, 80, [k, k, 0.8 * k], 0.0),
            End::clamped(along_x(Vec3::zeros())),
            End::free(),
        );
        let euler = PI * PI * k / (4.0 * l * l);
        for (share, stable) in [(0.99, true), (1.05, false)] {
            problem.point_loads = vec![PointLoad {
                s: l,
                force: Vec3::new(-share * euler, 0.0, 0.0),
                moment: Vec3::zeros(),
                axes: Axes::World,
            }];
            let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
            let stability = report.rest.stability.unwrap();
            assert_eq!(stability.verdict == Verdict::Stable, stable, "{share}: {stability:?}");
            // Straight column: the eigenvalue is 1 − P/P_cr in both planes.
            order(2e-4, 1.0).allows(stability.lambda_min - (1.0 - share), || format!("{stability:?}"));
            assert_eq!(stability.negative, if stable { 0 } else { 2 });
            if !stable {
                let straight = problem.rod.station(&state.rod, l).position;
                convergence(1e-9, 1.0).allows((straight - Vec3::new(l, 0.0, 0.0)).norm(), || {
                    "(straight - Vec3::new(l, 0.0, 0.0)).norm()".into()
                });
                let settings = Settings { seek_stable: true, ..Settings::default() };
                let (state, report) = solve_from_scratch(&problem, &settings).unwrap();
                let stability = report.rest.stability.unwrap();
                // An isotropic column buckles in any plane: turning that plane costs nothing.
                assert_eq!((stability.negative, stability.verdict), (0, Verdict::Neutral), "{stability:?}");
                let tip = problem.rod.station(&state.rod, l).position;
                assert!(tip.y.hypot(tip.z) > 0.2, "{tip}");
            }
        }
    }
}

#[test]
fn a_follower_force_keeps_its_direction_in_the_rod() {
    for strain in Strain::ALL {
        // A tip force along −d1 of the tip bends a cantilever; balance of forces and moments.
        let (l, k) = (1.0, 0.02);
        let mut problem = Problem::new(
            rod(strain, l, 60, [k, k, 0.8 * k], 0.0),
            End::clamped(along_x(Vec3::zeros())),
            End::free(),
        );
        for s in [l, 0.63 * l] {
            problem.point_loads = vec![PointLoad {
                s,
                force: Vec3::new(0.0, 3.0 * k / (l * l), 0.0),
                moment: Vec3::new(0.3 * k / l, 0.0, 0.2 * k / l),
                axes: Axes::Material,
            }];
            let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "{report:?}");
            assert!(report.iterations < 25, "{}", report.iterations);
            let station = problem.rod.station(&state.rod, s);
            let force = rotation::rotate(&station.frame, &problem.point_loads[0].force);
            let moment = rotation::rotate(&station.frame, &problem.point_loads[0].moment);
            let support = report.support(0);
            order(1e-3, force.norm())
                .allows((support.force + force).norm(), || format!("{} {}", support.force, force));
            let total = support.moment + moment + station.position.cross(&force);
            order(1e-3, support.moment.norm()).allows(total.norm(), || format!("{}", total.norm()));
        }
    }
}

#[test]
fn a_distributed_follower_load_balances() {
    for strain in Strain::ALL {
        let (l, k) = (1.0, 0.02);
        let mut problem = Problem::new(
            rod(strain, l, 60, [k, k, 0.8 * k], 0.0),
            End::clamped(along_x(Vec3::zeros())),
            End::free(),
        );
        let pressure = Vec3::new(0.0, 4.0 * k / l.powi(3), 0.0);
        problem.distributed_loads.push(DistributedLoad {
            from: 0.2,
            to: 0.9,
            force: [pressure, pressure * 0.5],
            moment: [Vec3::zeros(); 2],
            axes: Axes::Material,
        });
        let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged);
        let mut total = Vec3::zeros();
        let mut moment = Vec3::zeros();
        let parts = 2000;
        for i in 0..parts {
            let s = 0.2 + 0.7 * (i as f64 + 0.5) / parts as f64;
            let station = problem.rod.station(&state.rod, s);
            let f = rotation::rotate(&station.frame, &(pressure * (1.0 - 0.5 * (s - 0.2) / 0.7)))
                * (0.7 / parts as f64);
            total += f;
            moment += station.position.cross(&f);
        }
        order(2e-3, total.norm()).allows((report.support(0).force + total).norm(), || {
            "(report.support(0).force + total).norm()".into()
        });
        order(2e-3, moment.norm()).allows((report.support(0).moment + moment).norm(), || {
            "(report.support(0).moment + moment).norm()".into()
        });
    }
}

#[test]
fn either_end_may_be_the_held_one() {
    for strain in Strain::ALL {
        // The same cantilever held at s = 0 and, mirrored, at s = L.
        let (l, k) = (1.0, 0.02);
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        let mut a = Problem::new(
            rod(strain, l, 40, [k, k, 0.8 * k], 0.05),
            End::clamped(along_x(Vec3::zeros())),
            End::free(),
        );
        a.gravity = gravity;
        let into = Pose { position: Vec3::zeros(), orientation: rotation::frame(&-Vec3::x(), &Vec3::y()) };
        let mut b = Problem::new(rod(strain, l, 40, [k, k, 0.8 * k], 0.05), End::free(), End::clamped(into));
        b.gravity = gravity;
        let (sa, ra) = solve_from_scratch(&a, &Settings::default()).unwrap();
        let (sb, rb) = solve_from_scratch(&b, &Settings::default()).unwrap();
        for k in 0..=10 {
            let s = k as f64 / 10.0;
            let d = a.rod.station(&sa.rod, s).position - b.rod.station(&sb.rod, l - s).position;
            convergence(1e-8, 1.0).allows(d.norm(), || format!("{s}: {}", d.norm()));
        }
        convergence(1e-9, 1.0).allows((ra.support(0).force - rb.support(1).force).norm(), || {
            "(ra.support(0).force - rb.support(1).force).norm()".into()
        });
        convergence(1e-9, 1.0).allows((ra.support(0).moment - rb.support(1).moment).norm(), || {
            "(ra.support(0).moment - rb.support(1).moment).norm()".into()
        });
    }
}

#[test]
fn too_short_says_by_how_much_and_keeps_the_state() {
    let mut problem = sagging(Strain::Mixed, 30);
    let mut state = initial_state(&problem);
    let mut ws = Workspace::new(&problem);
    solve(&problem, &mut state, &mut ws, &Settings::default()).unwrap();
    let before = state.clone();
    problem.ends[1].position = Vec3::new(1.0123, 0.0, 0.0);
    let report = solve(&problem, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::TooShort);
    round_off(1e-12, 1.0)
        .allows(report.short[0].missing - 0.0123, || "(report.short[0].missing - 0.0123).abs()".into());
    assert_eq!(state, before);
}

#[test]
fn a_cable_without_slack_does_not_pretend() {
    // As long as its ends are apart, heavy, pinned: no finite tension carries it. What must not
    // happen is an answer that leaves the weight out.
    let mut problem = Problem::new(
        rod(Strain::Mixed, 1.0, 40, [0.012, 0.012, 0.009], 0.06),
        End::pinned(Vec3::zeros()),
        End::pinned(Vec3::new(1.0, 0.0, 0.0)),
    );
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    let (_, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
    if report.status == Status::Converged {
        let carried = report.support(0).force.z + report.support(1).force.z;
        convergence(1e-6, 1.0).allows(carried / (0.06 * 9.81) - 1.0, || format!("{report:?}"));
    }
    // A hair of slack, and it is a cable again.
    problem.ends[1].position.x = 0.9999;
    let (_, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    let carried = report.support(0).force.z + report.support(1).force.z;
    convergence(1e-8, 1.0).allows(carried / (0.06 * 9.81) - 1.0, || format!("{carried}"));
}

#[test]
fn loads_without_a_potential_are_said_to_be() {
    // Beck's column flutters under a tip follower force of 20.05 K/L²: no energy tells.
    let (l, k) = (1.0, 0.1);
    let mut problem = Problem::new(
        rod(Strain::Mixed, l, 40, [k, k, 0.8 * k], 0.0),
        End::clamped(along_x(Vec3::zeros())),
        End::free(),
    );
    let force = Vec3::new(0.0, 0.0, -50.0 * k / (l * l));
    problem.point_loads = vec![PointLoad { s: l, force, moment: Vec3::zeros(), axes: Axes::Material }];
    let (_, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
    assert!(!report.rest.stability.unwrap().complete);
    problem.point_loads[0].axes = Axes::World;
    problem.point_loads[0].force = Vec3::new(0.0, 0.0, -0.1 * k);
    let (_, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
    assert!(report.rest.stability.unwrap().complete);
}

#[test]
fn a_workspace_serves_another_rod_and_refuses_another_size() {
    // Steel first: its round-off is larger than anything in a hair.
    let hang = |stiffness: f64, length: f64, mass: f64| {
        let mut problem = Problem::new(
            rod(Strain::Mixed, length, 40, [stiffness, stiffness, stiffness], mass),
            End::clamped(along_x(Vec3::zeros())),
            End::clamped(along_x(Vec3::new(0.8 * length, 0.0, 0.0))),
        );
        problem.gravity = Vec3::new(0.0, 0.0, -9.81);
        problem
    };
    let (steel, hair) = (hang(1e3, 0.4, 5.0), hang(5e-9, 0.1, 5e-6));
    let mut ws = Workspace::new(&steel);
    solve(&steel, &mut initial_state(&steel), &mut ws, &Settings::default()).unwrap();
    let mut state = initial_state(&hair);
    let report = solve(&hair, &mut state, &mut ws, &Settings::default()).unwrap();
    let (fresh, expected) = solve_from_scratch(&hair, &Settings::default()).unwrap();
    assert_eq!(report.iterations, expected.iterations);
    round_off(1e-12, 1.0).allows((hair.rod.station(&state.rod, 0.05).position - hair.rod.station(&fresh.rod, 0.05).position).norm(), || "(hair.rod.station(&state.rod, 0.05).position - hair.rod.station(&fresh.rod, 0.05).position).norm()".into());

    let longer = Problem { rod: rod(Strain::Mixed, 0.1, 50, [1.0, 1.0, 1.0], 0.1).into(), ..hair.clone() };
    assert_eq!(solve(&longer, &mut state, &mut ws, &Settings::default()), Err(ProblemError::Size));
}
