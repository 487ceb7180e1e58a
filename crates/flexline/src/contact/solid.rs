//! Shapes that move and touch other shapes: their corners and edges, each with a radius.
//!
//! A shape touches another where one of its corners or edges is as near to the surface of the other as its radius, or the other way
//! round; two faces meet at corners of the one or the other, or where their edges cross. A ball is a corner, a bar with round ends
//! an edge with two, the side of a bar with flat ends an edge without. What is sharp is rounded here: a block, or a bar with flat ends, by a tenth of half its least size,
//! outwards to where its faces are, so that only its edges are a little blunt; a mesh is thickened by a skin.

use super::obstacle::Shape;
use super::touch::Kind;
use crate::algebra::Vec3;
use std::f64::consts::PI;
use std::sync::Arc;

/// Radius of edges, relative to half the least size of a shape.
const ROUNDED: f64 = 0.1;
/// Thickness of the skin of a mesh, relative to its diagonal.
const SKIN: f64 = 0.005;
/// Corners that stand for the rim of a bar with flat ends.
const RIM: usize = 32;

/// What of a shape touches others, in its own axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// How far from its corners its surface is, m.
    pub radius: f64,
    /// Its corners, m.
    pub corners: Vec<Vec3>,
    /// Its edges: their ends, m, and how far from them its surface is, m. It touches between the ends alone.
    pub edges: Vec<([Vec3; 2], f64)>,
    /// How far from its origin it reaches at most, m.
    pub extent: f64,
}

impl Shape {
    /// Its corners and edges; `None` of what has no end, and of a bore: that stands still.
    pub fn solid(&self) -> Option<Solid> {
        let (radius, corners, edges) = match self {
            Self::Plane | Self::Tube { .. } | Self::Cylinder { half_length: None, .. } => return None,
            Self::Sphere { radius } => (*radius, vec![Vec3::zeros()], Vec::new()),
            Self::Capsule { radius, half_length } => {
                let ends = [Vec3::z() * *half_length, Vec3::z() * -half_length];
                (*radius, ends.to_vec(), vec![(ends, *radius)])
            }
            Self::Box { half } => {
                let radius = ROUNDED * half.min();
                let core = half - Vec3::repeat(radius);
                let corner = |k: usize| {
                    let sign = |axis: usize| if k >> axis & 1 == 0 { 1.0 } else { -1.0 };
                    core.component_mul(&Vec3::new(sign(0), sign(1), sign(2)))
                };
                let edges = (0..3).flat_map(|axis| {
                    (0..8usize).filter(move |k| k >> axis & 1 == 0).map(move |k| [k, k | 1 << axis])
                });
                (radius, (0..8).map(corner).collect(), edges.map(|ends| (ends.map(corner), radius)).collect())
            }
            Self::Cylinder { radius, half_length: Some(half) } => {
                let rounded = ROUNDED * radius.min(*half);
                let (across, along) = (radius - rounded, half - rounded);
                let at = |k: usize, z: f64| {
                    let angle = 2.0 * PI * (k % RIM) as f64 / RIM as f64;
                    Vec3::new(across * angle.cos(), across * angle.sin(), z)
                };
                let both = [along, -along];
                let corners = both.iter().flat_map(|z| (0..RIM).map(|k| at(k, *z))).collect();
                let rims = both.iter().flat_map(|z| (0..RIM).map(|k| [at(k, *z), at(k + 1, *z)]));
                let mut edges: Vec<_> = rims.map(|ends| (ends, rounded)).collect();
                edges.push(([Vec3::z() * *half, Vec3::z() * -half], *radius));
                (rounded, corners, edges)
            }
            Self::Mesh(mesh) => {
                let [low, high] = mesh.extent();
                let at = |v: u32| mesh.vertices()[v as usize];
                let mut used: Vec<u32> = mesh.edges.iter().flat_map(|edge| edge.ends).collect();
                used.sort_unstable();
                used.dedup();
                let skin = SKIN * (high - low).norm();
                let edges = mesh.edges.iter().map(|edge| (edge.ends.map(at), skin)).collect();
                (skin, used.into_iter().map(at).collect(), edges)
            }
        };
        let extent = corners.iter().map(Vec3::norm).fold(0.0, f64::max) + radius;
        let extent = edges.iter().fold(extent, |most, (ends, radius)| most.max(ends[0].norm() + radius));
        Some(Solid { radius, corners, edges, extent })
    }

    /// Whether a feature is none of the corners and edges that [`Shape::solid`] tells: a face.
    pub(crate) fn is_between_edges(&self, feature: u64) -> bool {
        match self {
            Self::Sphere { .. } | Self::Capsule { .. } => false,
            _ => Kind::of(feature).0 == Kind::Face,
        }
    }

    /// Whether it is the same, as far as that is told at once: a mesh by where it lies in memory.
    pub(crate) fn is_at_once(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mesh(a), Self::Mesh(b)) => Arc::ptr_eq(a, b),
            (Self::Mesh(_), _) | (_, Self::Mesh(_)) => false,
            (a, b) => a == b,
        }
    }
}
