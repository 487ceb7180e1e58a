//! A pulley: a climbing rope runs over a wheel and carries a weight. Without friction both sides pull alike and the axle
//! bears them both; with friction the rope slips when its tensions are e^(µφ) to one.
//!
//! `cargo run --release -p flexline --example pulley`

use flexline::prelude::*;
use std::f64::consts::{PI, TAU};

const RADIUS: f64 = 0.08;
const MASS: f64 = 20.0;

/// A weight on the left, a hand on the right, half a metre of rope on either side of the wheel.
fn rope_over_a_wheel(friction: f64) -> Result<Network, Box<dyn std::error::Error>> {
    let section = SectionProfile::uniform(find_part("climbing-rope").ok_or("no such part")?.section);
    let fall = || -> Result<MixedRod, Box<dyn std::error::Error>> {
        Ok(MixedRod::new(&Mesh::uniform(0.5, 40)?, &section, &|_| Vec3::zeros()))
    };
    let at = |x: f64, z: f64| Pose { position: Vec3::new(x, 0.0, z), orientation: rotation::identity() };
    let weight = Anchor { held_orientation: true, ..Anchor::part(at(-RADIUS, -0.5), MASS, Vec3::zeros()) };
    let mut network = Network {
        anchors: vec![weight, Anchor::fixed(at(RADIUS, -0.5)), Anchor::fixed(at(0.0, 0.0))],
        spans: vec![
            Span::new(fall()?, Attachment::pinned(0), None),
            Span::new(fall()?, Attachment::pinned(2), Some(Attachment::pinned(1))),
        ],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };
    // The axle points away from who looks at it, the first axis to the right: up on the left, down on the right.
    let orientation = rotation::exp(&Vec3::new(-0.5 * PI, 0.0, 0.0));
    let wheel = Wheel {
        on: 2,
        pose: Pose { position: Vec3::zeros(), orientation },
        radius: RADIUS,
        contact: [PI, TAU],
    };
    network.add_wheel(wheel, 0, 1, friction);
    Ok(network)
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    for friction in [0.0, 0.15] {
        let network = rope_over_a_wheel(friction)?;
        let mut state = NetworkState::initial(&network);
        let mut workspace = NetworkWorkspace::new(&network);
        solve_network(&network, &mut state, &mut workspace, &Settings::default())?;
        let height = state.anchors[0].position.z;
        // The hand hauls 50 mm.
        state.lengths[1] -= 0.05;
        let report = solve_network(&network, &mut state, &mut workspace, &Settings::default())?;
        assert_eq!(report.status, Status::Converged);
        let eye = report.eyes[0];
        let ratio = eye.tensions[1] / eye.tensions[0];
        let risen = state.anchors[0].position.z - height;
        println!("friction {friction}: {:.1} N lift {:.1} N", eye.tensions[1], eye.tensions[0]);
        println!(
            "  the weight rises by {:.2} mm, the axle bears {:.1} N",
            risen * 1e3,
            report.reactions[2].force.z
        );
        assert!((ratio / (friction * eye.wrap).exp() - 1.0).abs() < 1e-3, "{eye:?}");
        assert!((risen - 0.05).abs() < 1e-4, "{risen}");
    }
    Ok(())
}
