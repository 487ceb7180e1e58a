//! One cable: a brake hose between the body of a car and a caliper. Its supports carry its weight, and its tightest bend
//! is held against what the maker allows.
//!
//! `cargo run --release -p flexline --example cable`

use flexline::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hose = find_part("brake-hose").ok_or("no such part")?.section;
    let length = 0.38;
    let straight = |_: f64| Vec3::zeros();
    let rod = MixedRod::new(&Mesh::uniform(length, 100)?, &SectionProfile::uniform(hose), &straight);
    let clamp = |position: Vec3, tangent: Vec3| {
        End::clamped(Pose { position, orientation: rotation::frame(&tangent, &Vec3::z()) })
    };
    let body = clamp(Vec3::zeros(), Vec3::y());
    let caliper = clamp(Vec3::new(0.15, 0.20, -0.10), Vec3::x());
    let mut problem = Problem::new(rod, body, caliper);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);

    let (state, report) = solve_from_scratch(&problem, &Settings::default())?;
    assert_eq!(report.status, Status::Converged);
    assert!(report.residual_force < 1e-8, "{report:?}");

    // Both clamps together carry the hose.
    let weight = length * hose.mass_per_length * 9.81;
    let carried: Vec3 = report.reactions.iter().map(|support| support.force).sum();
    println!("the hose weighs {weight:.4} N; its clamps carry {:.4} N", carried.z);
    assert!((carried - Vec3::new(0.0, 0.0, weight)).norm() < 1e-7 * weight, "{carried}");

    // The profile has position, frame, curvature, moment and force at every node.
    let samples = profile(&problem, &state).samples;
    let tightest = samples.iter().min_by(|a, b| a.bend_radius().total_cmp(&b.bend_radius()));
    let tightest = tightest.ok_or("no samples")?;
    let limit = hose.limits.bend_static.ok_or("no limit")?;
    let radius = limit.reference.of_centre(tightest.bend_radius(), hose.contact_radius);
    let place = limit.reference.words();
    println!("bent to {:.1} mm {place} at s = {:.0} mm", radius * 1e3, tightest.s * 1e3);
    println!("allowed are {:.1} mm", limit.radius * 1e3);
    assert!(radius > limit.radius, "{radius}");
    Ok(())
}
