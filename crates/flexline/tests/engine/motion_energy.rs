//! Energy of motions: no integrator makes it out of nothing, whatever is let go and at whatever step.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::AnyRod;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::SplineRod;
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span, solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::strands::{StrandMotion, StrandSettings, StrandWorkspace};
use flexline::solver::{Pose, Status};

/// Numbers from −1 to 1 that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::from_fn(|_, _| self.next())
    }
}

/// A cable between two clamps, at rest, one of which then lets go or stays while a load goes; `None` where there is no
/// equilibrium to begin with.
fn released(seed: u64, model: &str) -> Option<(Network, Motion)> {
    let mut noise = Noise(seed);
    (0..10).for_each(|_| _ = noise.next());
    let length = 0.6 + 0.4 * noise.next();
    // Soft cords to stiff strips.
    let stiffness = 10f64.powf(-2.0 + 2.0 * noise.next());
    let mass = 10f64.powf(-1.0 + 0.7 * noise.next());
    let section = Section::measured(stiffness, stiffness, 0.8 * stiffness, mass, 0.003).unwrap();
    let section = SectionProfile::uniform(section);
    let rest = noise.vector() * (2.0 * noise.next().max(0.0));
    let rod: AnyRod = match model {
        "mixed" => MixedRod::new(&Mesh::uniform(length, 30).unwrap(), &section, &|_| rest).into(),
        _ => CurvatureRod::new(Basis::Clothoid, length, 6, &section, &|_| rest).unwrap().into(),
    };
    let pose = |position: Vec3, noise: &mut Noise| Pose {
        position,
        orientation: rotation::frame(&noise.vector().normalize(), &noise.vector()),
    };
    let start = pose(Vec3::zeros(), &mut noise);
    let end = pose(noise.vector().normalize() * (length * (0.6 + 0.3 * noise.next())), &mut noise);
    let mut network = Network {
        anchors: vec![Anchor::fixed(start), Anchor::fixed(end)],
        spans: vec![Span::new(rod, Attachment::clamped(0), Some(Attachment::clamped(1)))],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };
    let lets_go = noise.next() > -0.4;
    if !lets_go {
        network.anchors.push(Anchor::fixed(pose(Vec3::zeros(), &mut noise)));
    }
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).ok()?;
    if report.status != Status::Converged {
        return None;
    }
    if lets_go {
        network.anchors[1].held = [false; 3];
        network.anchors[1].held_orientation = false;
    } else {
        // Gravity turns: both ends stay held.
        network.gravity = noise.vector() * 9.81;
    }
    let motion = Motion::at_rest(&network, state);
    Some((network, motion))
}

#[test]
fn nothing_gains_energy() {
    let alpha = |rho: f64| Integrator::GeneralisedAlpha { rho };
    let (mut runs, mut stopped) = (0, 0);
    for model in ["mixed", "clothoid"] {
        for seed in 0..4 {
            let Some((network, at_rest)) = released(seed, model) else { continue };
            for integrator in
                [Integrator::ImplicitEuler, Integrator::Bdf2, alpha(0.8), alpha(0.9), alpha(1.0)]
            {
                for (step, delay) in [(0.002, 0.0), (0.005, 0.0), (0.02, 0.0), (0.005, 0.005)] {
                    let mut motion = at_rest.clone();
                    let mut ws = NetworkWorkspace::new(&network);
                    let settings =
                        MotionSettings { strain_delay: delay, ..MotionSettings::new(step, integrator) };
                    let start = motion.energies(&network).total();
                    let (mut most, mut fastest) = (f64::NEG_INFINITY, 0.0f64);
                    let mut ended = String::new();
                    for _ in 0..(0.5 / step) as usize {
                        let report = motion
                            .step_in_parts(&network, &mut ws, &settings, &Settings::interactive(), 64)
                            .unwrap();
                        if report.status != Status::Converged {
                            ended = format!(" STOPPED {} at {}", report.status, motion.time);
                            stopped += 1;
                            break;
                        }
                        let now = motion.energies(&network);
                        fastest = fastest.max(now.kinetic);
                        most = most.max(now.total() - start);
                    }
                    runs += 1;
                    let e = motion.energies(&network);
                    let lost = start - e.total() - motion.dissipated;
                    println!(
                        "{model} {seed} {integrator:?} {step} {delay}: gained {:.1e} of {fastest:.2e} J, lost {:.2}{ended}",
                        most / fastest,
                        lost / fastest
                    );
                    let name = format!("{model} {seed} {integrator:?} {step} {delay}");
                    assert!(most < 0.02 * fastest, "{name}: {most} of {fastest} J");
                }
            }
        }
    }
    println!("{stopped} of {runs} stopped");
    assert!(runs > 80 && stopped == 0, "{stopped} of {runs} stopped");
}

/// A cable that stands out from a clamp, as it is at rest under its weight; then gravity turns and the wind blows.
fn blown(model: &str) -> (Network, Motion) {
    let section = SectionProfile::uniform(Section::measured(0.02, 0.02, 0.015, 0.1, 0.003).unwrap());
    let (length, straight) = (0.5, |_: f64| Vec3::zeros());
    let rod: AnyRod = match model {
        "mixed" => MixedRod::new(&Mesh::uniform(length, 16).unwrap(), &section, &straight).into(),
        "spline" => SplineRod::new(length, 6, &section, &straight).unwrap().into(),
        _ => CurvatureRod::new(Basis::Clothoid, length, 4, &section, &straight).unwrap().into(),
    };
    let clamp = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::z()) };
    let mut network = Network {
        anchors: vec![Anchor::fixed(clamp)],
        spans: vec![Span::new(rod, Attachment::clamped(0), None)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged);
    network.gravity = Vec3::new(0.0, 6.0, -7.0);
    let motion = Motion::at_rest(&network, state);
    (network, motion)
}

/// What damping and drag took is booked as the scheme takes it, so that what is left is the loss of the integrator alone:
/// it falls with the square of the step, and with the step for implicit Euler.
#[test]
fn the_balance_of_damped_motion_closes_with_the_order_of_the_scheme() {
    let alpha = |rho: f64| Integrator::GeneralisedAlpha { rho };
    for model in ["mixed", "clothoid", "spline"] {
        let (network, at_rest) = blown(model);
        let start = at_rest.energies(&network).total();
        for (integrator, order) in
            [(Integrator::ImplicitEuler, 1), (Integrator::Bdf2, 2), (alpha(0.6), 2), (alpha(1.0), 2)]
        {
            let errors = [40u32, 80, 160].map(|steps| {
                let settings = MotionSettings {
                    strain_delay: 0.02,
                    drag: 0.1,
                    wind: Vec3::new(0.0, 1.0, 0.5),
                    ..MotionSettings::new(0.2 / f64::from(steps), integrator)
                };
                let mut motion = at_rest.clone();
                let mut ws = NetworkWorkspace::new(&network);
                for _ in 0..steps {
                    let report = motion.step(&network, &mut ws, &settings, &Settings::default()).unwrap();
                    assert_eq!(report.status, Status::Converged, "{model} {integrator:?} {steps}");
                }
                let lost = start + motion.work - motion.energies(&network).total() - motion.dissipated;
                assert!(motion.dissipated > 0.005, "{model} {integrator:?}: {} J", motion.dissipated);
                lost / motion.dissipated
            });
            println!("{model} {integrator:?}: {errors:?} of what was dissipated");
            let (least, most) = if order == 1 { (1.8, 0.03) } else { (3.3, 1e-3) };
            for fell in [errors[0] / errors[1], errors[1] / errors[2]] {
                assert!(fell > least, "{model} {integrator:?}: {errors:?}");
            }
            assert!(errors[2].abs() < most, "{model} {integrator:?}: {errors:?}");
        }
    }
}

/// Semi-implicit steps take weight and centrifugal forces where they begin: a limp strand that falls in long steps gains
/// energy, more with every step. It is stopped while that is little, and falls on in short steps.
#[test]
fn strands_that_explode_are_stopped() {
    let (length, mass, stiffness) = (0.5, 0.05, 1e-4);
    let section = Section::measured(stiffness, stiffness, stiffness, mass, 0.003).unwrap();
    let section = SectionProfile::uniform(section);
    let storable = mass * length * 9.81 * length;
    for basis in [Basis::Helix, Basis::Clothoid] {
        let rod: AnyRod = CurvatureRod::new(basis, length, 5, &section, &|_| Vec3::zeros()).unwrap().into();
        let clamp = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::z()) };
        let network = Network {
            anchors: vec![Anchor::fixed(clamp)],
            spans: vec![Span::new(rod, Attachment::clamped(0), None)],
            gravity: Vec3::new(0.0, 0.0, -9.81),
            ..Network::default()
        };
        let fall = |step: f64| {
            let mut ws = StrandWorkspace::new(&network).unwrap();
            let mut motion = StrandMotion::at_rest(&network, NetworkState::initial(&network));
            let start = motion.energies(&mut ws).total();
            let settings = StrandSettings::new(step);
            let mut most = 0.0f64;
            while motion.time < 2.0 {
                let before = motion.clone();
                let status = motion.step(&network, &mut ws, &settings).unwrap();
                if status != Status::Converged {
                    // It stays where it was.
                    assert_eq!(motion, before);
                    return (status, most);
                }
                most = most.max(motion.energies(&mut ws).total() - start);
            }
            (Status::Converged, most)
        };
        for step in [0.05, 1.0 / 30.0, 0.01] {
            let (status, most) = fall(step);
            println!("{basis:?}, steps of {step:.3} s: {status}, gained {:.3} m g L", most / storable);
            assert_eq!(status, Status::EnergyGained, "{basis:?} {step}");
            assert!(most < 0.5 * storable, "{basis:?} {step}: {most} of {storable} J");
        }
        let (status, most) = fall(0.001);
        assert_eq!(status, Status::Converged, "{basis:?}");
        assert!(most < 0.1 * storable, "{basis:?}: {most} of {storable} J");
    }
}
