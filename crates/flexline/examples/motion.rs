//! A motion: a steel wire rope, clamped at one end and pressed down a little at the other, is let go and vibrates. Its
//! period is that of a beam, T = 2π L² √(ρA/K) / 1.8751².
//!
//! `cargo run --release -p flexline --example motion`

use flexline::prelude::*;
use std::f64::consts::TAU;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let section = find_part("wire-rope-6x19").ok_or("no such part")?.section;
    let length = 0.5;
    let mesh = Mesh::uniform(length, 40)?;
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let clamp = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) };
    let mut span = Span::new(rod, Attachment::clamped(0), None);
    let force = Vec3::new(0.0, 0.0, -0.01);
    span.point_loads = vec![PointLoad { s: length, force, moment: Vec3::zeros(), axes: Axes::World }];
    let mut network =
        Network { anchors: vec![Anchor::fixed(clamp)], spans: vec![span], ..Network::default() };

    // In equilibrium with the load, which is then taken away.
    let mut state = NetworkState::initial(&network);
    let mut workspace = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut workspace, &Settings::default())?;
    assert_eq!(report.status, Status::Converged);
    network.spans[0].point_loads.clear();
    let mut motion = Motion::at_rest(&network, state);

    let omega = 1.875_104_068_711_961f64.powi(2) * (section.stiffness.x / section.mass_per_length).sqrt()
        / (length * length);
    let expected = TAU / omega;
    let settings = MotionSettings::new(expected / 200.0, Integrator::GeneralisedAlpha { rho: 0.9 });
    let mut upward = Vec::new();
    let height =
        |motion: &Motion| network.spans[0].rod.station(&motion.state.spans[0].rod, length).position.z;
    let mut before = height(&motion);
    println!("pressed down by {:.2} mm, then let go", -before * 1e3);
    while upward.len() < 3 {
        let report = motion.step(&network, &mut workspace, &settings, &Settings::default())?;
        assert_eq!(report.status, Status::Converged);
        let now = height(&motion);
        if before < 0.0 && now >= 0.0 {
            upward.push(motion.time - settings.step * now / (now - before));
        }
        before = now;
    }
    let period = 0.5 * (upward[2] - upward[0]);
    println!("period {:.2} ms, of a beam {:.2} ms", period * 1e3, expected * 1e3);
    assert!((period / expected - 1.0).abs() < 5e-3, "{period}");
    Ok(())
}
