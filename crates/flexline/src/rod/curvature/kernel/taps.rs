//! What acts at points and places of a curvature rod, in its matrix: δx·H δx, δΘ·K δΘ and k y², where
//! δx = x + ψ × r + Σ S_a v_a and δΘ = ψ + Σ Θ_a v_a for an element that begins at −r, and
//! y = a·δx + b·δx′ with δx′ = L δΘ × d3.

use super::CurvatureSpan;
use super::form::{FIRST, Form, MOVE, TURN};
use super::second::Derivatives;
use crate::algebra::rotation::{self, skew, skew_times};
use crate::algebra::{Mat3, Vec3};
use crate::rod::curvature::Basis;

/// Pairs of the two coordinates of an element.
const PAIRS: [(usize, usize); 3] = [(0, 0), (0, 1), (1, 1)];

/// Sums over the points of an element.
#[derive(Default)]
struct Sums {
    stiffness: Mat3,
    turn_move: Mat3,
    turn: Mat3,
    by_move: [Mat3; 2],
    by_turn: [Mat3; 2],
    own: [Mat3; 3],
}

impl Sums {
    /// A place at `r` from the beginning of the element, which moves with its coordinates by `shift`; the first of
    /// them in use is `first`.
    fn add_place(&mut self, stiffness: &Mat3, r: &Vec3, shift: [&Mat3; 2], first: usize) {
        let arm = skew_times(r, stiffness);
        self.stiffness += stiffness;
        self.turn_move += arm;
        self.turn -= arm * skew(r);
        let mut pushed = [Mat3::zeros(); 2];
        for a in first..2 {
            pushed[a] = stiffness * shift[a];
            self.by_move[a] += pushed[a];
            self.by_turn[a] += arm * shift[a];
        }
        for (sum, (a, b)) in self.own.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a >= first) {
            *sum += shift[a].tr_mul(&pushed[b]);
        }
    }

    /// A frame that turns with the coordinates by `turn`, stiff in world axes.
    fn add_frame(&mut self, stiffness: &Mat3, turn: [&Mat3; 2], first: usize) {
        self.turn += stiffness;
        let turned = [stiffness * turn[0], stiffness * turn[1]];
        for a in first..2 {
            self.by_turn[a] += turned[a];
        }
        for (sum, (a, b)) in self.own.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a >= first) {
            *sum += turn[a].tr_mul(&turned[b]);
        }
    }

    /// A stiffness `k` against y = `by_move`·δx + `by_turn`·δΘ of such a place.
    fn add_roll(
        &mut self,
        k: f64,
        (by_move, by_turn): (&Vec3, &Vec3),
        r: &Vec3,
        (shift, turn): ([&Mat3; 2], [&Mat3; 2]),
        first: usize,
    ) {
        let base = by_turn + r.cross(by_move);
        let mut own = [Vec3::zeros(); 2];
        for a in first..2 {
            own[a] = shift[a].tr_mul(by_move) + turn[a].tr_mul(by_turn);
            self.by_move[a] += by_move * own[a].transpose() * k;
            self.by_turn[a] += base * own[a].transpose() * k;
        }
        self.stiffness += by_move * by_move.transpose() * k;
        self.turn_move += base * by_move.transpose() * k;
        self.turn += base * base.transpose() * k;
        for (sum, (a, b)) in self.own.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a >= first) {
            *sum += own[a] * own[b].transpose() * k;
        }
    }

    fn add_to(&self, h: &mut Form, first: usize) {
        h.add(TURN, TURN, &self.turn);
        h.add(TURN, MOVE, &self.turn_move);
        h.add(MOVE, MOVE, &self.stiffness);
        for a in first..2 {
            h.add(TURN, FIRST + a, &self.by_turn[a]);
            h.add(MOVE, FIRST + a, &self.by_move[a]);
        }
        for (sum, (a, b)) in self.own.iter().zip(PAIRS) {
            h.add(FIRST + a, FIRST + b, sum);
        }
    }
}

impl CurvatureSpan {
    /// The first coordinate of an element in use.
    fn first_used(&self) -> usize {
        usize::from(self.rod.basis() == Basis::Helix)
    }

    /// What acts on the nodes of an element.
    pub(super) fn add_points(&self, e: usize, at_nodes: &Derivatives, h: &mut Form) {
        let (begin, first) = (self.begin_of(e), self.first_used());
        let mut sums = Sums::default();
        let Derivatives { turn, shift } = at_nodes;
        for (i, j) in self.element_places(e).enumerate() {
            let node = &self.points[j];
            let stiffness = self.taps.stiffness(j, &node.position, node.weight * self.rod.length);
            if stiffness != Mat3::zeros() {
                sums.add_place(&stiffness, &(node.position - begin), [&shift[0][i], &shift[1][i]], first);
            }
            let turning = self.taps.turning_stiffness(j);
            if turning != Vec3::zeros() {
                let spin = node.rotation * Mat3::from_diagonal(&turning) * node.rotation.transpose();
                sums.add_frame(&spin, [&turn[0][i], &turn[1][i]], first);
            }
        }
        sums.add_to(h, first);
    }

    /// What acts at places between the nodes of an element.
    pub(super) fn add_taps(&self, e: usize, at_nodes: &Derivatives, h: &mut Form) {
        if self.taps.places.is_empty() {
            return;
        }
        let (begin, first) = (self.begin_of(e), self.first_used());
        let mut sums = Sums::default();
        for p in self.firsts[e]..self.firsts[e + 1] {
            for index in self.loads.of(p) {
                let Some(tap) = self.loads.at[index].tap else { continue };
                let (at, frame) = self.place(p, index);
                let (r, shift) = (at - begin, self.shift_of(index, at_nodes));
                sums.add_place(&tap.stiffness, &r, shift.each_ref(), first);
                if let Some(roll) = tap.roll {
                    let by_turn = (rotation::tangent(&frame) * self.rod.length).cross(&roll.by_slope);
                    let by = (&roll.by_move, &by_turn);
                    let turn = self.turning(p, &self.loads.at[index].upto);
                    sums.add_roll(roll.stiffness, by, &r, (shift.each_ref(), turn.each_ref()), first);
                }
            }
        }
        sums.add_to(h, first);
    }

    /// How the place of a load moves with the coordinates of its element, from its beginning: ∂x = ∫ Θ × d3 ds.
    fn shift_of(&self, index: usize, at_nodes: &Derivatives) -> [Mat3; 2] {
        let load = &self.loads.at[index];
        let mut shift = [Mat3::zeros(); 2];
        let mut i = 0;
        for p in self.firsts[self.pieces[load.piece].element]..=load.piece {
            let half = self.rod.half_share(&self.pieces[p]);
            for (k, node) in self.points[self.pieces[p].places(p)].iter().enumerate() {
                let weight = if p < load.piece { node.weight } else { half * load.upto[k] };
                let d3 = node.rotation.column(2) * (-self.rod.length * weight);
                for (shift, turn) in shift.iter_mut().zip(&at_nodes.turn) {
                    *shift += skew_times(&d3, &turn[i]);
                }
                i += 1;
            }
        }
        shift
    }
}
