//! The volume that cables sweep, as a union of tubes: one for every pose and cable.

use flexline::algebra::rotation;
use flexline::solver::{Profile, Sample};
use flexline::{Quat, Vec3};
use flexline_session::session::Solved;
use std::f64::consts::TAU;

/// Sides of a tube.
const SIDES: usize = 12;

/// A cable at one place.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Position, m.
    pub position: Vec3,
    /// Material frame.
    pub frame: Quat,
    /// Radius, m.
    pub radius: f64,
}

/// The cables as they were at one pose.
#[derive(Clone, Debug, Default)]
pub struct Tubes {
    /// Nodes of every cable.
    pub cables: Vec<Vec<Node>>,
}

impl Tubes {
    /// The cables of a solution.
    pub fn of(solved: &Solved) -> Self {
        let node = |own: &Sample| Node { position: own.position, frame: own.frame, radius: own.radius };
        let cable = |profile: &Profile| profile.samples.iter().map(node).collect();
        Self { cables: solved.solution.profiles.iter().map(cable).collect() }
    }

    /// Rings at the nodes, two caps, facing outwards.
    fn triangles(&self, out: &mut Vec<[Vec3; 3]>) {
        for nodes in &self.cables {
            let corner = |k: usize, side: usize| {
                let Node { position, frame, radius } = &nodes[k];
                let angle = TAU * (side % SIDES) as f64 / SIDES as f64;
                // On a circle around the true one, so that the tube holds the cable.
                let outer = radius / (0.5 * TAU / SIDES as f64).cos();
                position + rotation::rotate(frame, &Vec3::new(angle.cos(), angle.sin(), 0.0)) * outer
            };
            let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { continue };
            for side in 0..SIDES {
                for k in 1..nodes.len() {
                    let [a, b] = [corner(k - 1, side), corner(k - 1, side + 1)];
                    let [c, d] = [corner(k, side), corner(k, side + 1)];
                    out.extend([[a, b, d], [a, d, c]]);
                }
                let end = nodes.len() - 1;
                out.push([first.position, corner(0, side + 1), corner(0, side)]);
                out.push([last.position, corner(end, side), corner(end, side + 1)]);
            }
        }
    }
}

/// All tubes as one binary STL in metres.
pub fn stl(all: &[Tubes]) -> Vec<u8> {
    let mut triangles = Vec::new();
    all.iter().for_each(|own| own.triangles(&mut triangles));
    let mut bytes = format!("{:<80}", "flexline: tubes of every pose, metres").into_bytes();
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for [a, b, c] in triangles {
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
        for corner in [normal, a, b, c] {
            corner.iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}
