//! Motion of networks: frequencies, orders of the integrators, energy.

use crate::tolerance::order;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::rod::{AnyRod, Rod};
use flexline::section::{Section, SectionProfile, Zone};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span, solve_network,
};
use flexline::solver::statics::{Settings, Workspace, frequencies, solve_from_scratch};
use flexline::solver::{Axes, DistributedLoad, End, PointLoad, Pose, Problem, Status};
use std::f64::consts::PI;

const K: f64 = 0.02;
const MASS: f64 = 0.1;

fn rod(strain: Strain, length: f64, n: usize) -> MixedRod {
    let section = Section::measured(K, K, 0.8 * K, MASS, 0.002).unwrap();
    MixedRod::new(&Mesh::uniform(length, n).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
        .with_strain(strain)
}

/// A cantilever along x.
fn cantilever(strain: Strain, n: usize) -> Network {
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) };
    Network {
        anchors: vec![Anchor::fixed(pose)],
        spans: vec![Span::new(rod(strain, 1.0, n), Attachment::clamped(0), None)],
        ..Network::default()
    }
}

/// Bent by a tip force in equilibrium, the force then taken away.
fn released(network: &mut Network, force: Vec3) -> Motion {
    network.spans[0].point_loads =
        vec![PointLoad { s: 1.0, force, moment: Vec3::zeros(), axes: Axes::World }];
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    network.spans[0].point_loads.clear();
    Motion::at_rest(network, state)
}

fn tip(network: &Network, motion: &Motion) -> Vec3 {
    network.spans[0].rod.station(&motion.state.spans[0].rod, 1.0).position
}

fn settings(step: f64, integrator: Integrator) -> MotionSettings {
    MotionSettings::new(step, integrator)
}

fn run(
    network: &Network,
    motion: &mut Motion,
    settings: &MotionSettings,
    steps: usize,
    mut each: impl FnMut(&Motion),
) {
    let mut ws = NetworkWorkspace::new(network);
    for k in 0..steps {
        let report = motion.step(network, &mut ws, settings, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged, "step {k}: {report:?}");
        each(motion);
    }
}

#[test]
fn a_cantilever_vibrates_at_its_frequency() {
    for strain in Strain::ALL {
        // First mode of Euler–Bernoulli: ω = 1.8751041² √(K/m)/L².
        let omega = 1.875_104_068_711_961f64.powi(2) * (K / MASS).sqrt();
        let period = 2.0 * PI / omega;
        let mut network = cantilever(strain, 50);
        let mut motion = released(&mut network, Vec3::new(0.0, 0.0, -0.01 * K));
        let mut crossings = Vec::new();
        let mut last = (0.0, tip(&network, &motion).z);
        let step = settings(period / 200.0, Integrator::GeneralisedAlpha { rho: 0.9 });
        run(&network, &mut motion, &step, 700, |m| {
            let now = (m.time, tip(&network, m).z);
            if last.1 < 0.0 && now.1 >= 0.0 {
                crossings.push(last.0 + (now.0 - last.0) * -last.1 / (now.1 - last.1));
            }
            last = now;
        });
        let measured = crossings[2] - crossings[1];
        order(0.005, 1.0).allows(measured / period - 1.0, || format!("period {measured}, expected {period}"));
    }
}

#[test]
fn integrators_have_their_orders() {
    // A smooth large swing: released from a moderate bend, compared at one time.
    let at = |integrator: Integrator, steps: usize| {
        let mut network = cantilever(Strain::Mixed, 16);
        network.gravity = Vec3::new(0.0, 0.0, -0.4);
        let mut motion = released(&mut network, Vec3::new(0.0, 0.3 * K, 0.8 * K));
        let span = 0.4;
        let settings = MotionSettings { strain_delay: 0.02, ..settings(span / steps as f64, integrator) };
        run(&network, &mut motion, &settings, steps, |_| {});
        tip(&network, &motion)
    };
    for (integrator, order, range) in
        [(Integrator::ImplicitEuler, 1.0, 0.3), (Integrator::GeneralisedAlpha { rho: 0.8 }, 1.0, 1.4)]
    {
        let (a, b, c) = (at(integrator, 80), at(integrator, 160), at(integrator, 320));
        let observed = ((a - b).norm() / (b - c).norm()).log2();
        assert!(observed > order - 0.3 && observed < order + range, "{integrator:?}: order {observed}");
    }
}

#[test]
fn second_order_without_damping() {
    // The tip at 32 times: at a single one the leading error may happen to be small.
    let path = |integrator: Integrator, steps: usize| {
        let mut network = cantilever(Strain::Mixed, 8);
        let mut motion = released(&mut network, Vec3::new(0.0, 0.0, 0.5 * K));
        let step = settings(0.6 / steps as f64, integrator);
        let each = (0..32).map(|_| {
            run(&network, &mut motion, &step, steps / 32, |_| {});
            tip(&network, &motion)
        });
        each.collect::<Vec<_>>()
    };
    let off =
        |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt();
    for integrator in [Integrator::Bdf2, Integrator::GeneralisedAlpha { rho: 0.9 }] {
        let [a, b, c] = [800, 1600, 3200].map(|steps| path(integrator, steps));
        let observed = (off(&a, &b) / off(&b, &c)).log2();
        println!("{integrator:?}: {observed}");
        order(0.4, 1.0).allows(observed - 2.0, || format!("{integrator:?}: order {observed}"));
    }
}

#[test]
fn energy_is_kept_by_the_low_damping_integrator_and_lost_to_damping() {
    let omega = 1.875_104_068_711_961f64.powi(2) * (K / MASS).sqrt();
    let period = 2.0 * PI / omega;
    let mut network = cantilever(Strain::Mixed, 10);
    let mut motion = released(&mut network, Vec3::new(0.0, 0.0, -0.3 * K));
    let start = motion.energies(&network).total();
    let mut worst = 0.0f64;
    run(
        &network,
        &mut motion,
        &settings(period / 100.0, Integrator::GeneralisedAlpha { rho: 0.9 }),
        10_000,
        |m| {
            worst = worst.max((m.energies(&network).total() / start - 1.0).abs());
        },
    );
    println!("drift over 100 periods {worst}");
    assert!(worst < 0.01, "{worst}");

    let mut motion = released(&mut network, Vec3::new(0.0, 0.0, -0.3 * K));
    let damped = MotionSettings {
        strain_delay: 0.02,
        drag: 0.05,
        ..settings(period / 200.0, Integrator::GeneralisedAlpha { rho: 1.0 })
    };
    run(&network, &mut motion, &damped, 400, |_| {});
    let left = motion.energies(&network).total();
    assert!(left < 0.7 * start, "{left} of {start}");
    order(0.03, 1.0).allows((start - left) / motion.dissipated - 1.0, || {
        format!("{} {}", start - left, motion.dissipated)
    });
}

/// In steady wind a rod comes to rest where a dead load of drag times wind per length holds it, whatever its
/// model, and the books close: the wind's work is stored or lost.
#[test]
fn steady_wind_is_a_distributed_load_in_the_end() {
    let section = SectionProfile::uniform(Section::measured(K, K, 0.8 * K, MASS, 0.002).unwrap());
    let curved = |basis| CurvatureRod::new(basis, 1.0, 12, &section, &|_| Vec3::zeros()).unwrap().into();
    let rods: [AnyRod; 3] =
        [rod(Strain::Mixed, 1.0, 30).into(), curved(Basis::Helix), curved(Basis::Clothoid)];
    let (drag, wind) = (0.05, Vec3::new(0.0, 1.0, 0.4));
    for rod in rods {
        let mut network = cantilever(Strain::Mixed, 4);
        network.spans[0].rod = rod;
        let name = network.spans[0].rod.model();
        let straight = NetworkState::initial(&network);
        let mut motion = Motion::at_rest(&network, straight.clone());
        let blown = MotionSettings { drag, wind, strain_delay: 0.05, ..settings(0.005, Integrator::Bdf2) };
        run(&network, &mut motion, &blown, 400, |_| {});
        let gained = motion.energies(&network).total();
        let booked = motion.work - motion.dissipated;
        println!("{name}: gained {gained} J, booked {booked} J, work {} J", motion.work);
        order(0.03, 1.0).allows(gained / booked - 1.0, || format!("{name}: {gained} {booked}"));
        // Long steps forget how it got there.
        let settle = MotionSettings { step: 1e3, ..blown };
        motion.change_step();
        run(
            &network,
            &mut motion,
            &MotionSettings { integrator: Integrator::ImplicitEuler, ..settle },
            20,
            |_| {},
        );
        network.spans[0].distributed_loads = vec![DistributedLoad {
            from: 0.0,
            to: 1.0,
            force: [wind * drag; 2],
            moment: [Vec3::zeros(); 2],
            axes: Axes::World,
        }];
        let mut rest = straight;
        let mut ws_at_rest = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut rest, &mut ws_at_rest, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged, "{name}");
        let rod = &network.spans[0].rod;
        let at = |state: &NetworkState| rod.station(&state.spans[0].rod, 1.0).position;
        let off = (at(&rest) - at(&motion.state)).norm();
        let bent = (at(&rest) - Vec3::x()).norm();
        println!("{name}: bent {bent} m, off {off:e} m");
        assert!(bent > 0.05 && off < 1e-6, "{name}: {bent} {off}");
    }
}

#[test]
fn large_steps_settle_into_statics() {
    for strain in Strain::ALL {
        let mut network = cantilever(strain, 30);
        network.gravity = Vec3::new(0.0, 0.0, -9.81);
        let mut ws = NetworkWorkspace::new(&network);
        let mut rest = NetworkState::initial(&network);
        let straight = rest.clone();
        solve_network(&network, &mut rest, &mut ws, &Settings::default()).unwrap();
        let mut motion = Motion::at_rest(&network, straight);
        run(&network, &mut motion, &settings(0.2, Integrator::ImplicitEuler), 400, |_| {});
        let still = Motion::at_rest(&network, rest);
        order(1e-4, 1.0).allows((tip(&network, &motion) - tip(&network, &still)).norm(), || {
            "(tip(&network, &motion) - tip(&network, &still)).norm()".into()
        });
    }
}

#[test]
fn a_part_swings_as_a_pendulum() {
    // A heavy bob on a light soft thread: T = 2π √(L/g) for small swings.
    let (l, g) = (0.5, 9.81);
    let section = Section::measured(1e-7, 1e-7, 1e-7, 1e-5, 0.001).unwrap();
    let thread =
        MixedRod::new(&Mesh::uniform(l, 10).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let angle = 0.05f64;
    let top = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
    let bob = Pose {
        position: Vec3::new(l * angle.sin(), 0.0, -l * angle.cos()),
        orientation: rotation::identity(),
    };
    let mut network = Network {
        anchors: vec![
            Anchor::fixed(top),
            Anchor { inertia: Vec3::repeat(1e-6), ..Anchor::part(bob, 0.2, Vec3::zeros()) },
        ],
        spans: vec![Span::new(thread, Attachment::pinned(0), Some(Attachment::pinned(1)))],
        gravity: Vec3::new(0.0, 0.0, -g),
        ..Network::default()
    };
    // Held aside in equilibrium, then let go.
    network.anchors[1].held = [true; 3];
    network.anchors[1].held_orientation = true;
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
    network.anchors[1].held = [false; 3];
    network.anchors[1].held_orientation = false;
    let mut motion = Motion::at_rest(&network, state);
    let period = 2.0 * PI * (l / g).sqrt();
    let mut crossings = Vec::new();
    let mut last = (0.0, motion.state.anchors[1].position.x);
    let step = settings(period / 200.0, Integrator::GeneralisedAlpha { rho: 0.5 });
    run(&network, &mut motion, &step, 500, |m| {
        let now = (m.time, m.state.anchors[1].position.x);
        if last.1 > 0.0 && now.1 <= 0.0 {
            crossings.push(last.0 + (now.0 - last.0) * last.1 / (last.1 - now.1));
        }
        last = now;
    });
    let measured = crossings[1] - crossings[0];
    order(0.005, 1.0).allows(measured / period - 1.0, || format!("{measured} {period}"));
}

/// The lowest `count` frequencies of a rod between two ends, rad/s.
fn frequencies_between(rod: MixedRod, ends: [End; 2], count: usize) -> Vec<f64> {
    let problem = Problem::new(rod, ends[0], ends[1]);
    let (state, report) = solve_from_scratch(&problem, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    frequencies(&problem, &state, &mut Workspace::new(&problem), count)
}

/// Clamped at a place on the x axis, along it.
fn clamped(x: f64) -> End {
    End::clamped(Pose {
        position: Vec3::new(x, 0.0, 0.0),
        orientation: rotation::frame(&Vec3::x(), &Vec3::y()),
    })
}

#[test]
fn frequencies_of_held_rods() {
    for strain in Strain::ALL {
        // β L of Euler–Bernoulli beams; ω = β² √(K/m). Circular section: each mode twice.
        let slides = |end: End| End { held: [false, true, true], ..end };
        let section = Section::measured(K, K, 0.8 * K, MASS, 0.002).unwrap();
        let thin = SectionProfile::uniform(Section { rotary_inertia: Vec3::zeros(), ..section });
        let odd = |k: f64| (2.0 * k + 1.0) * PI / 2.0;
        for (name, ends, beta, order) in [
            (
                "clamped and free",
                [clamped(0.0), End::free()],
                [1.875_104_07, 4.694_091_13, 7.854_757_44, 10.995_540_73, 14.137_168_39],
                2.0,
            ),
            (
                "clamped and clamped",
                [clamped(0.0), slides(clamped(1.0))],
                [4.730_040_74, 7.853_204_62, 10.995_607_84, 14.137_165_49, odd(5.0)],
                2.0,
            ),
            // The coupling of the masses leaves the order of the ends, and here they have no error.
            (
                "pinned and pinned",
                [End::pinned(Vec3::zeros()), slides(End::pinned(Vec3::x()))],
                [1.0, 2.0, 3.0, 4.0, 5.0].map(|k| k * PI),
                4.0,
            ),
            (
                "clamped and pinned",
                [clamped(0.0), slides(End::pinned(Vec3::x()))],
                [3.926_602_31, 7.068_582_75, 10.210_176_12, 13.351_768_78, 16.493_361_43],
                2.0,
            ),
        ] {
            let errors = |n: usize| {
                let rod = MixedRod::new(&Mesh::uniform(1.0, n).unwrap(), &thin, &|_| Vec3::zeros());
                let found = frequencies_between(rod.with_strain(strain), ends, 2 * beta.len());
                let off = |(k, omega): (usize, &f64)| {
                    (omega / (f64::powi(beta[k / 2], 2) * (K / MASS).sqrt()) - 1.0).abs()
                };
                found.iter().enumerate().map(off).collect::<Vec<_>>()
            };
            let (coarse, fine) = (errors(25), errors(50));
            let worst = fine.iter().copied().fold(0.0, f64::max);
            println!("{strain:?}, {name}: {worst:.1e}");
            for (k, (a, b)) in coarse.iter().zip(&fine).enumerate() {
                assert!(*b < 0.005, "{strain:?}, {name}, mode {k}: off by {b:e}");
                // The bisection ends there.
                let observed = (a / b).log2();
                assert!(
                    (observed - order).abs() < 0.15 || *b < 1e-9,
                    "{strain:?}, {name}, mode {k}: order {observed}, {a:e} {b:e}"
                );
            }
        }
    }
}

/// A rod whose outer part is four times as heavy, the step within a segment or at a node.
#[test]
fn frequencies_of_a_rod_in_two_parts() {
    let light = Section::measured(K, K, 0.8 * K, MASS, 0.002).unwrap();
    let heavy = Section { mass_per_length: 4.0 * MASS, ..light };
    let found = |n: usize| {
        let parts =
            SectionProfile::new(vec![Zone::constant(0.0, 0.61, light), Zone::constant(0.61, 1.0, heavy)])
                .unwrap();
        let rod = MixedRod::new(&Mesh::uniform(1.0, n).unwrap(), &parts, &|_| Vec3::zeros());
        frequencies_between(rod, [clamped(0.0), End::free()], 6)
    };
    let fine = found(1600);
    for n in [50, 100] {
        for (k, (a, b)) in found(n).iter().zip(&fine).enumerate() {
            order(0.005, 1.0).allows(a / b - 1.0, || format!("{n} segments, mode {k}: {a} {b}"));
        }
    }
}

/// A clothoid or helix that is let go took seven to eight iterations a step: nothing guessed where its curvatures go.
#[test]
fn curvatures_are_guessed_in_motion() {
    let section = SectionProfile::uniform(Section::measured(K, K, 0.8 * K, MASS, 0.002).unwrap());
    for (basis, elements) in [(Basis::Clothoid, 8), (Basis::Helix, 16)] {
        let mut network = cantilever(Strain::Mixed, 8);
        let rod = CurvatureRod::new(basis, 1.0, elements, &section, &|_| Vec3::zeros()).unwrap();
        network.spans[0] = Span::new(rod, Attachment::clamped(0), None);
        network.gravity = Vec3::new(0.0, 0.0, -9.81);
        let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
        let mut ws = NetworkWorkspace::new(&network);
        let (steps, settings) = (50, settings(0.01, Integrator::Bdf2));
        let mut iterations = 0;
        for _ in 0..steps {
            let report = motion.step(&network, &mut ws, &settings, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged);
            iterations += report.iterations;
        }
        assert!(iterations <= 5 * steps, "{basis:?}: {iterations} iterations in {steps} steps");
    }
}
