//! Stations of the mixed rod: position and frame at any arc length.
//!
//! Position: cubic Hermite between nodes, with node tangents interpolated between the neighbouring
//! frames' d3: a C¹ centreline. It is linear in the node positions and in the d3 of three frames,
//! so its second derivative is block diagonal. Frame: from one neighbouring frame to the other at
//! constant speed, with the full turns that history puts between them.

use super::super::{RodState, Station, StationJacobian};
use super::MixedRod;
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use std::f64::consts::PI;

/// x(s) = Σ node weights · x + Σ tangent weights · d3(f). Depends on s and the mesh alone.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// (node, weight); the weights sum to 1.
    pub nodes: [(usize, f64); 2],
    /// (frame, weight in m).
    pub tangents: [(usize, f64); 4],
    /// The two frames beside s and the share of the second: (a, b, w).
    pub frames: (usize, usize, f64),
}

impl MixedRod {
    /// The segment that contains `s` and the fraction along it.
    pub fn segment_at(&self, s: f64) -> (usize, f64) {
        let nodes = self.mesh.nodes();
        let n = self.segments();
        let s = s.clamp(0.0, nodes[n]);
        let i = nodes.partition_point(|&x| x <= s).saturating_sub(1).min(n - 1);
        (i, (s - nodes[i]) / self.lengths[i])
    }

    /// The weights of the station at `s`.
    pub fn weights(&self, s: f64) -> Weights {
        let (i, t) = self.segment_at(s);
        let l = self.lengths[i];
        let (t2, t3) = (t * t, t * t * t);
        let h01 = 3.0 * t2 - 2.0 * t3;
        let h10 = l * (t - 2.0 * t2 + t3);
        let h11 = l * (t3 - t2);
        let [a, b] = self.node_tangent(i);
        let [c, d] = self.node_tangent(i + 1);
        let frames = if t < 0.5 {
            // From f_i: half a segment back, or at the end itself.
            let back = if i == 0 { 0.0 } else { 0.5 * self.lengths[i - 1] };
            (i, i + 1, (t * l + back) / (0.5 * l + back))
        } else {
            let ahead = if i + 1 == self.segments() { 0.0 } else { 0.5 * self.lengths[i + 1] };
            (i + 1, i + 2, (t - 0.5) * l / (0.5 * l + ahead))
        };
        Weights {
            nodes: [(i, 1.0 - h01), (i + 1, h01)],
            tangents: [(a.0, h10 * a.1), (b.0, h10 * b.1), (c.0, h11 * c.1), (d.0, h11 * d.1)],
            frames,
        }
    }

    /// The tangent at node `i` as a combination of two frames' d3.
    fn node_tangent(&self, i: usize) -> [(usize, f64); 2] {
        let n = self.segments();
        if i == 0 {
            [(0, 1.0), (1, 0.0)]
        } else if i == n {
            [(n, 0.0), (n + 1, 1.0)]
        } else {
            let (before, after) = (self.lengths[i - 1], self.lengths[i]);
            [(i, after / (before + after)), (i + 1, before / (before + after))]
        }
    }
}

pub(super) fn evaluate(rod: &MixedRod, state: &RodState, s: f64) -> Station {
    let w = rod.weights(s);
    let mut position = Vec3::zeros();
    for (node, k) in w.nodes {
        position += k * rod.position(state, node);
    }
    for (frame, k) in w.tangents {
        position += k * rotation::tangent(&rod.frame(state, frame));
    }
    let (a, b, share) = w.frames;
    let qa = rod.frame(state, a);
    let turned = half_turns(state.twist[a]);
    let r = rotation::log(&(about_tangent(-turned) * qa.conjugate() * rod.frame(state, b)));
    let frame = qa * about_tangent(turned * share) * rotation::exp(&(r * share));
    Station { position, frame }
}

/// Twist between two frames as history has it, to the nearest half turn: what is left after it has a
/// shortest rotation that no full turn can confuse.
fn half_turns(history: f64) -> f64 {
    PI * (history / PI).round()
}

fn about_tangent(angle: f64) -> Quat {
    rotation::exp(&Vec3::new(0.0, 0.0, angle))
}

pub(super) fn jacobian(rod: &MixedRod, state: &RodState, s: f64) -> StationJacobian {
    let w = rod.weights(s);
    let first = w.frames.0.min(w.nodes[0].0);
    let last = w.frames.1.max(w.nodes[1].0 + 1);
    let mut position = vec![Vec3::zeros(); 6 * (last - first + 1)];
    let mut turn = position.clone();
    for (node, k) in w.nodes {
        for axis in 0..3 {
            position[6 * (node - first) + 3 + axis][axis] += k;
        }
    }
    for (frame, k) in w.tangents.into_iter().filter(|(_, k)| *k != 0.0) {
        let r = rotation::matrix(&rod.frame(state, frame));
        position[6 * (frame - first)] -= k * r.column(1);
        position[6 * (frame - first) + 1] += k * r.column(0);
    }
    // q(s) = q_a Z(w t) exp(w r) with Z about d3, t the half turns, r = log(Z(−t) q̄_a q_b):
    // δr = J_r⁻¹(r) β − J_r⁻¹(−r) Z(−t) α.
    let (a, b, share) = w.frames;
    let qa = rod.frame(state, a);
    let turned = half_turns(state.twist[a]);
    let r = rotation::log(&(about_tangent(-turned) * qa.conjugate() * rod.frame(state, b)));
    let world = rotation::matrix(&(qa * about_tangent(turned * share) * rotation::exp(&(r * share))));
    let j = rotation::right_jacobian(&(r * share)) * share;
    let by_b = world * j * rotation::right_jacobian_inverse(&r);
    let back = rotation::matrix(&(rotation::exp(&(-r * share)) * about_tangent(-turned * share)));
    let through = rotation::matrix(&about_tangent(-turned));
    let by_a: Mat3 = world * (back - j * rotation::right_jacobian_inverse(&-r) * through);
    for axis in 0..3 {
        turn[6 * (a - first) + axis] += by_a.column(axis);
        turn[6 * (b - first) + axis] += by_b.column(axis);
    }
    let columns = position
        .into_iter()
        .zip(turn)
        .enumerate()
        .filter(|(_, (p, t))| p.norm_squared() + t.norm_squared() > 0.0)
        .map(|(i, (p, t))| (6 * first + i, p, t))
        .collect();
    StationJacobian { columns }
}
