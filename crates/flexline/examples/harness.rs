//! A harness with a branch: a taped bundle divides into two wires, and a control unit hangs on one of them. What is
//! clamped carries all of it; the branch, which nothing holds, is where forces balance.
//!
//! `cargo run --release -p flexline --example harness`

use flexline::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cable = |part: &str, length: f64| -> Result<MixedRod, Box<dyn std::error::Error>> {
        let section = find_part(part).ok_or("no such part")?.section;
        let mesh = Mesh::uniform(length, 40)?;
        Ok(MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros()))
    };
    let pose = |x: f64, y: f64, z: f64, tangent: Vec3| Pose {
        position: Vec3::new(x, y, z),
        orientation: rotation::frame(&tangent, &Vec3::y()),
    };
    let unit = Anchor::part(pose(0.7, -0.2, -0.3, -Vec3::z()), 0.15, Vec3::new(0.0, 0.0, 0.03));
    let network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0, 0.0, Vec3::x())),
            Anchor::loose(pose(0.4, 0.0, -0.05, Vec3::x())),
            Anchor::fixed(pose(0.7, 0.25, 0.0, Vec3::x())),
            unit,
        ],
        spans: vec![
            Span::new(cable("bundle-20x0.5", 0.42)?, Attachment::clamped(0), Some(Attachment::clamped(1))),
            Span::new(cable("wire-6", 0.45)?, Attachment::clamped(1), Some(Attachment::clamped(2))),
            Span::new(cable("wire-2.5", 0.40)?, Attachment::clamped(1), Some(Attachment::clamped(3))),
        ],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };

    let mut state = NetworkState::initial(&network);
    let mut workspace = NetworkWorkspace::new(&network);
    let report = solve_network(&network, &mut state, &mut workspace, &Settings::default())?;
    assert_eq!(report.status, Status::Converged);
    assert_eq!(report.negative, 0, "it would snap");

    let mass: f64 = network.spans.iter().map(|span| span.rod.total_mass()).sum::<f64>() + 0.15;
    for (name, anchor) in [("body", 0), ("branch", 1), ("lamp", 2), ("unit", 3)] {
        let (place, force) = (state.anchors[anchor].position * 1e3, report.reactions[anchor].force);
        println!(
            "{name:>6} at ({:.0}, {:.0}, {:.0}) mm, held by {:.3} N",
            place.x,
            place.y,
            place.z,
            force.norm()
        );
    }
    let held: Vec3 = report.reactions.iter().map(|reaction| reaction.force).sum();
    println!("all of it weighs {:.4} N, and {:.4} N hold it", mass * 9.81, held.z);
    assert!((held - Vec3::new(0.0, 0.0, mass * 9.81)).norm() < 1e-6 * mass * 9.81, "{held}");
    // The unit hangs below the branch by most of its wire.
    assert!(state.anchors[3].position.z < state.anchors[1].position.z - 0.3);
    Ok(())
}
