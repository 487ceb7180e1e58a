//! Swept volumes.

use flexline::{Quat, Vec3};
use flexline_study::{Node, Tubes, stl};
use std::f64::consts::PI;

#[test]
fn a_tube_is_closed_and_holds_its_cable() {
    let node = |z: f64| Node { position: Vec3::new(0.0, 0.0, z), frame: Quat::identity(), radius: 0.01 };
    let bytes = stl(&[Tubes { cables: vec![vec![node(0.0), node(0.1), node(0.2)]] }]);
    let number =
        |at: usize| f64::from(f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
    let corner = |at: usize| Vec3::new(number(at), number(at + 4), number(at + 8));
    let facets = bytes[84..].chunks(50).enumerate().map(|(i, _)| 84 + 50 * i);
    // By the divergence theorem; the polygon around the circle is a little larger than it.
    let volume: f64 =
        facets.map(|at| corner(at + 12).dot(&corner(at + 24).cross(&corner(at + 36))) / 6.0).sum();
    let polygon = 12.0 * 0.01f64.powi(2) * (PI / 12.0).tan();
    assert!((volume - 0.2 * polygon).abs() < 1e-6 * volume, "{volume}");
}
