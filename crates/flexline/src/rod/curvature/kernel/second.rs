//! The second derivative of a curvature rod, element by element.
//!
//! With Θ_a = ∫ R φ_a dσ, how a frame turns with the coordinates of its element, the second variation along
//! Θ = ψ + Σ Θ_a v_a, with rotations along geodesics, is
//!
//! ```text
//! Σ v·A v/L − ∫ M·(Θ × Θ′) dσ − L ∫ [(n·Θ)(d3·Θ) − (n·d3)|Θ|²] dσ.
//! ```

use super::CurvatureSpan;
use super::form::{Change, FIRST, Form, SECOND, TURN, Transfer};
use crate::algebra::collocation::POINTS;
use crate::algebra::rotation::skew_times;
use crate::algebra::{Mat3, Vec3};
use crate::rod::curvature::Basis;

/// How the nodes of one element turn and move with its coordinates, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Derivatives {
    /// Θ_0 and Θ_1.
    pub(super) turn: [Vec<Mat3>; 2],
    /// ∂x/∂v_0 and ∂x/∂v_1 from the beginning of the element, m; where places matter.
    pub(super) shift: [Vec<Mat3>; 2],
}

impl Derivatives {
    /// Room for so many nodes.
    fn make_room(&mut self, nodes: usize) {
        for all in self.turn.iter_mut().chain(&mut self.shift) {
            if all.len() < nodes {
                all.resize(nodes, Mat3::zeros());
            }
        }
    }
}

impl CurvatureSpan {
    /// How the nodes of an element and its end change with its coordinates: what the matrix needs, and the residual
    /// does not.
    pub(super) fn differentiate(&self, e: usize, at_nodes: &mut Derivatives, own: &mut Transfer) {
        for block in own.turn.iter_mut().chain(&mut own.shift) {
            block.fill(0.0);
        }
        let mut from = 0;
        for p in self.firsts[e]..self.firsts[e + 1] {
            let nodes = self.pieces[p].nodes;
            at_nodes.make_room(from + nodes);
            with_count!(nodes, N => self.differentiate_piece::<N>(p, own, from, at_nodes));
            from += nodes;
        }
        let beyond = self.starts.get(self.firsts[e + 1]).map_or(self.end.0, |s| s.0);
        own.chord = beyond - self.begin_of(e);
    }

    /// Goes on with the derivatives from the beginning of a piece with `N` nodes, the first of them the element's
    /// `from`, to its end.
    fn differentiate_piece<const N: usize>(
        &self,
        p: usize,
        own: &mut Transfer,
        from: usize,
        at_nodes: &mut Derivatives,
    ) {
        let piece = &self.pieces[p];
        let rule = piece.rule();
        let half = self.rod.half_share(piece);
        let nodes = &self.points[piece.places(p)];
        let helix = self.rod.basis() == Basis::Helix;
        let [turn0, turn1] = at_nodes.turn.each_mut().map(|all| &mut all[from..from + N]);
        // Θ_1 and Θ_0 + Θ_1 = ∫ R dσ up to a node.
        let (second_before, both_before) = (own.turn[1], own.turn[0] + own.turn[1]);
        let turned = |weights: &[f64; POINTS], first: &mut Mat3, second: &mut Mat3| {
            let mut both = both_before;
            *second = second_before;
            for (node, weight) in nodes.iter().zip(weights).take(N) {
                let weight = half * weight;
                both += node.rotation * weight;
                if !helix {
                    *second += node.rotation * (weight * node.shapes[1]);
                }
            }
            if helix {
                *second = both;
            } else {
                *first = both - *second;
            }
        };
        for ((first, second), upto) in turn0.iter_mut().zip(turn1.iter_mut()).zip(&rule.upto) {
            turned(upto, first, second);
        }
        let [first, second] = &mut own.turn;
        turned(&rule.weights, first, second);
        // ∂x = ∫ Θ × d3 ds.
        let scale = self.rod.length * half;
        for (a, turn) in [turn0, turn1].into_iter().enumerate().skip(usize::from(helix)) {
            let mut moved = [Mat3::zeros(); N];
            for ((moved, turn), node) in moved.iter_mut().zip(turn.iter()).zip(nodes) {
                *moved = skew_times(&(node.rotation.column(2) * -scale), turn);
            }
            let before = own.shift[a];
            let shifted = |weights: &[f64; POINTS]| {
                let mut here = before;
                for (moved, weight) in moved.iter().zip(weights) {
                    here += moved * *weight;
                }
                here
            };
            if self.places_matter() {
                for (here, upto) in at_nodes.shift[a][from..].iter_mut().zip(&rule.upto[..N]) {
                    *here = shifted(upto);
                }
            }
            own.shift[a] = shifted(&rule.weights);
        }
    }

    /// Adds the element's part of the second derivative, and how its residual changes with the length.
    pub(super) fn add_element(
        &self,
        e: usize,
        (shift, regularisation): (f64, f64),
        at_nodes: &Derivatives,
        h: &mut Form,
        by_length: &mut Change,
    ) {
        let length = self.rod.length;
        let first = if self.rod.basis() == Basis::Helix { 1 } else { 0 };
        let s = &self.stiffness[e];
        for a in first..2 {
            for b in a..2 {
                let own = Mat3::from_diagonal(&s.a[a + b]) * ((1.0 + shift) / length);
                h.add(FIRST + a, FIRST + b, &own);
            }
        }
        h.add(TURN, TURN, &(Mat3::identity() * (regularisation * self.rod.shares[e] * length)));
        let zero = Mat3::zeros();
        let (mut psi, mut beside) = (zero, [zero; 2]);
        // Of the first with itself and the second with itself what has this symmetric part, and of the two.
        let (mut own, mut across) = ([zero; 2], zero);
        let [turn0, turn1] = &at_nodes.turn;
        let mut turns = turn0.iter().zip(turn1);
        for p in self.firsts[e]..self.firsts[e + 1] {
            let nodes = &self.points[self.pieces[p].places(p)];
            for (node, (turn0, turn1)) in nodes.iter().zip(turns.by_ref()) {
                let turn = [turn0, turn1];
                let d3: Vec3 = node.rotation.column(2).into();
                let (n, along) = (node.n * (-0.5 * length), length * node.n.dot(&d3));
                let bend = n * d3.transpose() + d3 * n.transpose() + Mat3::from_diagonal_element(along);
                let twirl = skew_times(&(node.m * 0.5), &node.rotation);
                psi += bend;
                for a in first..2 {
                    let twirled = twirl * node.shapes[a];
                    let bent = bend * turn[a] + twirled;
                    beside[a] += bent;
                    own[a] += turn[a].transpose() * (bent + twirled);
                    if a > first {
                        across += turn[0].transpose() * bent + twirl.transpose() * (turn[1] * node.shapes[0]);
                    }
                }
            }
        }
        h.add(TURN, TURN, &psi);
        for a in first..2 {
            h.add(TURN, FIRST + a, &beside[a]);
            h.add(FIRST + a, FIRST + a, &((own[a] + own[a].transpose()) * 0.5));
        }
        h.add(FIRST, SECOND, &across);
        if self.places_matter() {
            self.add_points(e, at_nodes, h);
        }
        self.add_taps(e, at_nodes, h);
        if self.length_matters {
            self.add_length_column(e, by_length);
        }
    }

    /// How the residual of the element's coordinates changes with the length.
    fn add_length_column(&self, e: usize, by_length: &mut Change) {
        let length = self.rod.length;
        let s = &self.stiffness[e];
        for which in 0..2 {
            if self.rod.place(e, which).is_none() {
                continue;
            }
            let mut c = s.gradient_by_length(&self.pairs[e], length, which);
            for node in self.element_points(e) {
                c -= node.rotation.tr_mul(&node.m_by_length) * node.shapes[which];
            }
            by_length[FIRST + which] += c;
        }
    }
}
