//! The energy of the dissertation's spring–mass system, with force and Hessian (appendix A).
//!
//! Unknowns: nodes and frames, independent of each other. Beside bending, torsion and weight,
//! per segment (u: unit vector between its nodes, L: their distance, l: its length):
//!
//! ```text
//! length     ½ k_L (L − l)² + f_L (L − l)
//! coherence  ½ k_C |Δ|² + f_C·Δ,   Δ = u − R e3
//! ```
//!
//! with k the proportional and f the integral force. Quaternions stay unit by multiplicative
//! updates, so the energy of their norm (3.3.4) has nothing to do here.

use crate::algebra::band::Banded;
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::mixed::{tangent_hessian, vertex};
use crate::rod::{Rod, RodState};
use crate::solver::problem::Problem;

/// Springs and integral forces of every segment.
#[derive(Clone, Debug)]
pub(super) struct Springs {
    pub(super) length: f64,
    pub(super) coherence: f64,
    pub(super) length_force: Vec<f64>,
    pub(super) coherence_force: Vec<Vec3>,
}

/// Geometry of one segment.
struct Segment {
    distance: f64,
    direction: Vec3,
    tangent: Vec3,
}

fn segment(problem: &Problem, state: &RodState, i: usize) -> Segment {
    let rod = problem.chain();
    let d = rod.position(state, i + 1) - rod.position(state, i);
    let distance = d.norm().max(f64::MIN_POSITIVE);
    Segment { distance, direction: d / distance, tangent: rotation::tangent(&rod.frame(state, i + 1)) }
}

impl Springs {
    /// Errors of length (m) and coherence of segment `i`.
    pub(super) fn errors(&self, problem: &Problem, state: &RodState, i: usize) -> (f64, Vec3) {
        let s = segment(problem, state, i);
        (s.distance - problem.chain().lengths[i], s.direction - s.tangent)
    }

    /// Total energy; nodal dead forces are given.
    pub(super) fn energy(&self, problem: &Problem, state: &RodState, forces: &[Vec3]) -> f64 {
        let rod = problem.chain();
        let mut e = rod.energy(state);
        for (j, f) in forces.iter().enumerate() {
            e -= f.dot(&rod.position(state, j));
        }
        for i in 0..rod.segments() {
            let (stretch, delta) = self.errors(problem, state, i);
            e += 0.5 * self.length * stretch * stretch + self.length_force[i] * stretch;
            e += 0.5 * self.coherence * delta.norm_squared() + self.coherence_force[i].dot(&delta);
        }
        e
    }

    /// Internal force of segment `i`: what the springs and integral forces pull with, N.
    pub(super) fn internal(&self, problem: &Problem, state: &RodState, i: usize) -> Vec3 {
        let s = segment(problem, state, i);
        let axial = self.length * (s.distance - problem.chain().lengths[i]) + self.length_force[i];
        let w = self.coherence_force[i] - self.coherence * s.tangent;
        s.direction * axial + (w - s.direction * s.direction.dot(&w)) / s.distance
    }

    /// Gradient of the energy into `out`, tangent coordinates.
    pub(super) fn gradient(&self, problem: &Problem, state: &RodState, forces: &[Vec3], out: &mut [f64]) {
        out.fill(0.0);
        let rod = problem.chain();
        rod.add_gradient(state, out);
        for (j, f) in forces.iter().enumerate() {
            for k in 0..3 {
                out[6 * j + 3 + k] -= f[k];
            }
        }
        for i in 0..rod.segments() {
            let pull = self.internal(problem, state, i);
            let s = segment(problem, state, i);
            let v = -(self.coherence * s.direction + self.coherence_force[i]);
            let b = rotation::rotate(&rod.frame(state, i + 1).conjugate(), &v);
            for k in 0..3 {
                out[6 * i + 3 + k] -= pull[k];
                out[6 * (i + 1) + 3 + k] += pull[k];
            }
            out[6 * (i + 1)] -= b.y;
            out[6 * (i + 1) + 1] += b.x;
        }
    }

    /// Hessian of the energy into `out` (half-bandwidth 11).
    pub(super) fn hessian(&self, problem: &Problem, state: &RodState, out: &mut Banded) {
        out.clear();
        let rod = problem.chain();
        for j in 0..=rod.segments() {
            let (p, m) = rod.vertex(state, j);
            let moment = vertex::moment(&m, &rod.rest[j], &rod.spring[j]);
            let d = vertex::derivatives(&p, &m, &moment, &rod.spring[j]);
            add_lower(out, 6 * j, &d.aa);
            add_lower(out, 6 * (j + 1), &d.bb);
            add_block(out, 6 * (j + 1), 6 * j, &d.ab.transpose());
        }
        for i in 0..rod.segments() {
            let s = segment(problem, state, i);
            let (u, l) = (s.direction, s.distance);
            let across = Mat3::identity() - u * u.transpose();
            let axial = self.length * (l - rod.lengths[i]) + self.length_force[i];
            let w = self.coherence_force[i] - self.coherence * s.tangent;
            let pw = across * w;
            let stretch = u * u.transpose() * self.length + across * (axial / l)
                - (across * u.dot(&w) + pw * u.transpose() + u * pw.transpose()) / (l * l);
            let q = rod.frame(state, i + 1);
            let v = -(self.coherence * u + self.coherence_force[i]);
            let turn = tangent_hessian(&q, &v);
            let r = rotation::matrix(&q);
            let dt = Mat3::from_columns(&[-r.column(1), r.column(0).into_owned(), Vec3::zeros()]);
            // Row: displacement of node i+1; column: rotation of the frame.
            let cross = across * dt * (-self.coherence / l);
            let (a, b, f) = (6 * i + 3, 6 * (i + 1) + 3, 6 * (i + 1));
            add_lower(out, a, &stretch);
            add_lower(out, b, &stretch);
            add_block(out, b, a, &-stretch);
            add_lower(out, f, &turn);
            add_block(out, b, f, &cross);
            add_block(out, f, a, &-cross.transpose());
        }
    }
}

fn add_lower(out: &mut Banded, at: usize, block: &Mat3) {
    for r in 0..3 {
        for c in 0..=r {
            out.add(at + r, at + c, block[(r, c)]);
        }
    }
}

fn add_block(out: &mut Banded, row: usize, column: usize, block: &Mat3) {
    for r in 0..3 {
        for c in 0..3 {
            out.add(row + r, column + c, block[(r, c)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::End;
    use crate::rod::Station;
    use crate::rod::mixed::{Mesh, MixedRod};
    use crate::rod::testing::direction;
    use crate::section::{Section, SectionProfile};

    #[test]
    fn derivatives_agree_with_differences() {
        let section = Section::measured(0.03, 0.02, 0.025, 0.2, 0.004).unwrap();
        let rod = MixedRod::new(&Mesh::uniform(1.0, 5).unwrap(), &SectionProfile::uniform(section), &|_| {
            Vec3::new(1.0, 0.5, 2.0)
        });
        let problem = Problem::new(rod, End::free(), End::free());
        let rod = problem.chain();
        let start = Station { position: Vec3::zeros(), frame: rotation::identity() };
        let mut state = rod.rest_state(&start);
        let step: Vec<f64> = direction(rod, 3).iter().map(|d| 0.05 * d).collect();
        rod.displace(&mut state, &step);
        let springs = Springs {
            length: 3.0,
            coherence: 0.7,
            length_force: vec![0.3, -0.2, 0.1, 0.4, 0.2],
            coherence_force: vec![Vec3::new(0.1, -0.2, 0.3); 5],
        };
        let forces = vec![Vec3::new(0.0, 0.1, -0.3); 6];
        let n = rod.tangent_count();
        let d = direction(rod, 4);
        let at = |t: f64| {
            let mut s = state.clone();
            rod.displace(&mut s, &d.iter().map(|v| v * t).collect::<Vec<_>>());
            springs.energy(&problem, &s, &forces)
        };
        let mut g = vec![0.0; n];
        springs.gradient(&problem, &state, &forces, &mut g);
        let slope: f64 = g.iter().zip(&d).map(|(a, b)| a * b).sum();
        let h = 1e-6;
        assert!(((at(h) - at(-h)) / (2.0 * h) - slope).abs() < 1e-7);
        let mut hessian = Banded::zeros(n, 11);
        springs.hessian(&problem, &state, &mut hessian);
        let mut hd = vec![0.0; n];
        hessian.times(&d, &mut hd);
        let curvature: f64 = hd.iter().zip(&d).map(|(a, b)| a * b).sum();
        let h = 1e-4;
        let second = |h: f64| (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h);
        let numeric = (4.0 * second(h) - second(2.0 * h)) / 3.0;
        assert!((numeric - curvature).abs() < 1e-5 * curvature.abs(), "{numeric} {curvature}");
    }
}
