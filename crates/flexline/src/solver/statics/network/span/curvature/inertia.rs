//! Inertia: in motion the matter of a rod is on springs to where it would go by itself.

use super::CurvatureSpan;
use super::evaluate::Point;
use super::form::{FIRST, Form, MOVE, TURN};
use super::second::Derivatives;
use crate::algebra::rotation::skew;
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::curvature::Basis;
use crate::solver::statics::system::Inertia;

impl CurvatureSpan {
    /// What inertia adds: k |δx|² and δΘ·k δΘ at every node, where δx = x + ψ × r + Σ S_a v_a and
    /// δΘ = ψ + Σ Θ_a v_a.
    pub(super) fn add_inertia(&self, inertia: &Inertia, e: usize, at_nodes: &Derivatives, h: &mut Form) {
        let begin = self.begin_of(e);
        let first = if self.rod.basis() == Basis::Helix { 1 } else { 0 };
        let (mut mass, mut moment, mut turn) = (0.0, Vec3::zeros(), Mat3::zeros());
        let (mut by_move, mut by_turn) = ([Mat3::zeros(); 2], [Mat3::zeros(); 2]);
        let mut own = [Mat3::zeros(); 3];
        const PAIRS: [(usize, usize); 3] = [(0, 0), (0, 1), (1, 1)];
        let Derivatives { turn: turns, shift: shifts } = at_nodes;
        for (i, j) in self.element_places(e).enumerate() {
            let (turn_by, shift) = ([&turns[0][i], &turns[1][i]], [&shifts[0][i], &shifts[1][i]]);
            let node = &self.points[j];
            let (k, _) = inertia.nodes[j];
            let r = node.position - begin;
            mass += k;
            moment += r * k;
            turn += (Mat3::identity() * r.norm_squared() - r * r.transpose()) * k;
            let arm = skew(&(r * k));
            for a in first..2 {
                by_move[a] += shift[a] * k;
                by_turn[a] += arm * shift[a];
            }
            for (sum, (a, b)) in own.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a >= first) {
                *sum += shift[a].tr_mul(shift[b]) * k;
            }
            let (k, _) = inertia.frames[j];
            if k == Vec3::zeros() {
                continue;
            }
            let spin = node.rotation * Mat3::from_diagonal(&k) * node.rotation.transpose();
            turn += spin;
            let turned = [spin * turn_by[0], spin * turn_by[1]];
            for a in first..2 {
                by_turn[a] += turned[a];
            }
            for (sum, (a, b)) in own.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a >= first) {
                *sum += turn_by[a].tr_mul(&turned[b]);
            }
        }
        h.add(TURN, TURN, &turn);
        h.add(TURN, MOVE, &skew(&moment));
        h.add(MOVE, MOVE, &(Mat3::identity() * mass));
        for a in first..2 {
            h.add(TURN, FIRST + a, &by_turn[a]);
            h.add(MOVE, FIRST + a, &by_move[a]);
        }
        for (sum, (a, b)) in own.iter().zip(PAIRS) {
            h.add(FIRST + a, FIRST + b, sum);
        }
    }
}

/// Force (N) and moment (N m, world) with which inertia holds a node back.
pub(super) fn held_back(inertia: &Inertia, j: usize, node: &Point) -> (Vec3, Vec3) {
    let (k, target) = inertia.node(j);
    let (turning, frame) = &inertia.frames[j];
    let turn = rotation::log(&(frame.conjugate() * node.frame));
    (-(node.position - target) * k, -(node.rotation * turning.component_mul(&turn)))
}
