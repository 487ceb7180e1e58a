//! Energy of motions: no integrator makes it out of nothing, whatever is let go and at whatever step.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::AnyRod;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::Settings;
use flexline::solver::statics::network::{
    Anchor, Attachment, Integrator, Motion, MotionSettings, Network, NetworkState, NetworkWorkspace, Span,
    solve_network,
};
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
