//! A point slides along a path.
//!
//! ```text
//! value      g_i = (u − c)·n_i      c: the foot point of u, n_1, n_2: unit, across the tangent t there; m
//! gradient   n_i
//! curvature  −(κ·n_i) t tᵀ          κ: curvature vector of the path
//! force      Σ λ_i n_i on the point, across the path; the opposite on the body
//! ```
//!
//! The normals turn with the path as little as they must. On the path ∇s = t and n_i′ = −(κ·n_i) t; along t twice it
//! counts once: n′⊗t + t⊗n′ − (n′·t) t⊗t. Terms with u − c, which vanish there, are left out of the derivatives.

use super::row::{Row, Seen};
use crate::algebra::rotation;
use crate::geometry::path::Path;

pub(super) fn rows(p: &Seen, path: &Path) -> [Row; 2] {
    let foot = path.nearest(&p.local);
    let speed = foot.first.norm();
    let tangent = foot.first / speed;
    let bend = (foot.second - tangent * tangent.dot(&foot.second)) / (speed * speed);
    let across = rotation::across(&tangent);
    [across, tangent.cross(&across)].map(|normal| {
        let hessian = tangent * tangent.transpose() * -bend.dot(&normal);
        p.row((p.local - foot.position).dot(&normal), &normal, &hessian)
    })
}
