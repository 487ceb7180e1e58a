//! Touches and hits against sampling: no formula of the module is used to judge it.

mod gate;
mod meshes;
mod pairs;
mod shapes;

use super::{Mesh, Obstacle, Shape, Touch};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::body::Pose;
use std::sync::Arc;

/// Numbers that are the same in every run (xorshift64*).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Between −1 and 1.
    pub(super) fn signed(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(super) fn pose(&mut self) -> Pose {
        Pose { position: self.vector(), orientation: rotation::exp(&(2.0 * self.vector())) }
    }
}

/// An obstacle in its own axes.
pub(super) fn still(shape: Shape) -> Obstacle {
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
    Obstacle { shape, pose, friction: 0.0 }
}

pub(super) fn touches(obstacle: &Obstacle, a: Vec3, b: Vec3, reach: f64) -> Vec<Touch> {
    let mut out = Vec::new();
    obstacle.touches(a, b, reach, &mut out);
    out
}

/// A mesh of the ball of radius 1: an octahedron divided.
pub(super) fn ball(divisions: usize) -> Arc<Mesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for octant in 0..8_usize {
        let sign = |bit: usize| if octant >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let at = |i: usize, j: usize| {
            let k = divisions - i - j;
            Vec3::new(sign(0) * i as f64, sign(1) * j as f64, sign(2) * k as f64).normalize()
        };
        let turned = octant.count_ones() % 2 == 1;
        let mut add = |mut corners: [Vec3; 3]| {
            if turned {
                corners.swap(0, 1);
            }
            let first = vertices.len() as u32;
            vertices.extend(corners);
            triangles.push([first, first + 1, first + 2]);
        };
        for i in 0..divisions {
            for j in 0..divisions - i {
                add([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 2 <= divisions {
                    add([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    Arc::new(Mesh::new(&vertices, &triangles).unwrap().0)
}

/// A mesh of a block, its faces divided into `divisions`² squares of two triangles.
pub(super) fn block(half: Vec3, divisions: usize) -> Arc<Mesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let at = |i: usize, j: usize| {
                let share = |k: usize| (2.0 * k as f64 - divisions as f64) / divisions as f64;
                let mut p = Vec3::zeros();
                p[axis] = side * half[axis];
                p[(axis + 1) % 3] = share(i) * half[(axis + 1) % 3];
                p[(axis + 2) % 3] = side * share(j) * half[(axis + 2) % 3];
                p
            };
            for i in 0..divisions {
                for j in 0..divisions {
                    let first = vertices.len() as u32;
                    vertices.extend([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                    triangles.push([first, first + 1, first + 2]);
                    triangles.push([first, first + 2, first + 3]);
                }
            }
        }
    }
    Arc::new(Mesh::new(&vertices, &triangles).unwrap().0)
}

/// Distance of a point from a triangle, by its plane, its sides and its corners.
pub(super) fn triangle_distance(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> f64 {
    let side = |from: &Vec3, to: &Vec3| {
        let along = to - from;
        let share = ((p - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (p - from - along * share).norm()
    };
    let sides = side(a, b).min(side(b, c)).min(side(c, a));
    let normal = (b - a).cross(&(c - a)).normalize();
    let within = |from: &Vec3, to: &Vec3| normal.cross(&(to - from)).dot(&(p - from)) >= 0.0;
    if within(a, b) && within(b, c) && within(c, a) { normal.dot(&(p - a)).abs().min(sides) } else { sides }
}

/// Minima of a function along 0 … 1 by its values in `count` steps, refined: shares and values.
pub(super) fn minima(count: usize, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let values: Vec<f64> = (0..=count).map(|k| f(k as f64 / count as f64)).collect();
    let mut found = Vec::new();
    for k in 0..=count {
        let before = if k == 0 { f64::INFINITY } else { values[k - 1] };
        let after = if k == count { f64::INFINITY } else { values[k + 1] };
        if values[k] < before && values[k] <= after {
            let (mut low, mut high) = (k.saturating_sub(1) as f64, (k + 1).min(count) as f64);
            for _ in 0..80 {
                let (u, v) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if f(u / count as f64) < f(v / count as f64) { high = v } else { low = u }
            }
            let share = 0.5 * (low + high) / count as f64;
            found.push((share, f(share)));
        }
    }
    found
}

/// Gradient and second derivative of a function of a point, by central differences.
pub(super) fn differences(p: &Vec3, step: f64, f: impl Fn(&Vec3) -> f64) -> (Vec3, Mat3) {
    let unit = |k: usize| Vec3::from_fn(|i, _| if i == k { step } else { 0.0 });
    let gradient = Vec3::from_fn(|k, _| (f(&(p + unit(k))) - f(&(p - unit(k)))) / (2.0 * step));
    let second = Mat3::from_fn(|i, j| {
        let (u, v) = (unit(i), unit(j));
        (f(&(p + u + v)) - f(&(p + u - v)) - f(&(p - u + v)) + f(&(p - u - v))) / (4.0 * step * step)
    });
    (gradient, second)
}
