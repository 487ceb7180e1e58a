//! Surfaces for tests and benchmarks.

use super::{Mesh, MeshError};
use crate::algebra::Vec3;

/// Hills of 30 mm on a square of 1.4 m, of triangles with sides of 1.4 m / `side`.
pub fn hills(side: usize) -> Result<Mesh, MeshError> {
    let at = |i: usize| -0.2 + 1.4 * i as f64 / side as f64;
    let height =
        |x: f64, y: f64| 0.015 * ((14.0 * x).sin() * (9.0 * y).cos() + 0.3 * (31.0 * x + 17.0 * y).sin());
    let vertices: Vec<Vec3> = (0..=side)
        .flat_map(|j| (0..=side).map(move |i| (at(i), at(j) - 0.5)))
        .map(|(x, y)| Vec3::new(x, y, height(x, y)))
        .collect();
    let corner = |i: usize, j: usize| (j * (side + 1) + i) as u32;
    let triangles: Vec<[u32; 3]> = (0..side * side)
        .map(|k| (k % side, k / side))
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    Mesh::new(&vertices, &triangles).map(|(mesh, _)| mesh)
}
