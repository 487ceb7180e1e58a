//! Rope that slides, in motion: the targets of its matter move along it with what slides at its ends.
//!
//! With s_0, s_1 what has slid at the end and at the start, node j is on a spring ½ k |x − T|², T = T̂ + t (w_0 s_0 + w_1 s_1),
//! where t is the tangent there and w_0, w_1 its shares. A flow changes s and the length together. The length is a
//! border column of the elimination ([`super::form`]); s is not, for at rest nothing depends on it: its columns go the
//! way of a residual, whose elimination leaves on the interface what the column does, with its sign turned.

use super::evaluate::element_residual;
use super::form::Change;
use super::second::Derivatives;
use super::{CurvatureSpan, FLOW, Layout, Local, LocalVector, OWN_LENGTH, OwnVector};
use crate::algebra::Vec3;
use crate::body::Inertia;

fn dot(a: &Change, b: &Change) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

impl CurvatureSpan {
    /// Its inertia, where rope slides past it.
    fn passed(&self) -> Option<&Inertia> {
        self.taps.passed().filter(|_| self.length_matters)
    }

    /// Nodes of all pieces.
    fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.pieces.iter().enumerate().flat_map(|(p, piece)| piece.places(p))
    }

    /// Derivative of the Lagrangian by what slides at the end (0) or at the start (1), the length held, N.
    pub(super) fn slid_force(&self, side: usize) -> f64 {
        self.passed().map_or(0.0, |inertia| inertia.slid_force(side, |j| self.points[j].position))
    }

    /// How the residual of an element's (ψ, x, v₀, v₁) changes with what slides at its end and at its start; nothing where
    /// its targets do not move.
    pub(super) fn slid_columns(&self, e: usize, at_nodes: &Derivatives) -> Option<[Change; 2]> {
        let inertia = self.passed()?;
        let begin = self.begin_of(e);
        let mut columns = [Change::default(); 2];
        let [shift0, shift1] = &at_nodes.shift;
        for (j, (shift0, shift1)) in self.element_places(e).zip(shift0.iter().zip(shift1)) {
            let pull = inertia.along[j] * -inertia.nodes[j].0;
            let reach = self.points[j].position - begin;
            let moved = [reach.cross(&pull), pull, shift0.tr_mul(&pull), shift1.tr_mul(&pull)];
            for (side, column) in columns.iter_mut().enumerate() {
                for (sum, own) in column.iter_mut().zip(&moved) {
                    *sum += own * inertia.share(j, side);
                }
            }
        }
        Some(columns)
    }

    /// Second derivatives by what slides at either side, and by that and the length.
    fn slid_form(&self, inertia: &Inertia) -> ([[f64; 2]; 2], [f64; 2]) {
        let begin = self.starts[0].0;
        let (mut both, mut by_length) = ([[0.0; 2]; 2], [0.0; 2]);
        for j in self.nodes() {
            let (k, along) = (inertia.nodes[j].0, inertia.along[j]);
            let reach = (self.points[j].position - begin) / self.rod.length;
            let w = [0, 1].map(|side| inertia.share(j, side));
            for a in 0..2 {
                by_length[a] -= k * w[a] * along.dot(&reach);
                for b in 0..2 {
                    both[a][b] += k * w[a] * w[b] * along.norm_squared();
                }
            }
        }
        (both, by_length)
    }

    /// Adds what slides to the form of the interface, after a factorisation.
    pub(super) fn add_slid(&mut self, layout: &Layout, s: &mut Local) {
        let Some(inertia) = self.passed() else { return };
        let (mut both, by_length) = self.slid_form(inertia);
        for a in layout.sides() {
            let mut own = OwnVector::zeros();
            own[OWN_LENGTH] = by_length[a];
            let Self { by_slid, elimination, left, .. } = self;
            elimination.reduce(|e| by_slid[e][a], left);
            let column = -self.leave(layout, [Vec3::zeros(); 2], &own);
            self.substitute(layout, &LocalVector::zeros(), |e, inside| {
                for b in 0..2 {
                    both[b][a] += dot(&self.by_slid[e][b], inside);
                }
            });
            for (i, value) in column.iter().enumerate() {
                s[(i, FLOW + a)] += value;
                s[(FLOW + a, i)] += value;
            }
        }
        for a in layout.sides() {
            for b in layout.sides() {
                s[(FLOW + b, FLOW + a)] += 0.5 * (both[a][b] + both[b][a]);
            }
        }
    }

    /// Adds what a residual, eliminated just now, leaves on what slides.
    pub(super) fn add_slid_residual(&self, layout: &Layout, local: &mut LocalVector) {
        if self.by_slid.is_empty() {
            return;
        }
        for side in layout.sides() {
            local[FLOW + side] -= self.slid_force(side);
        }
        self.substitute(layout, &LocalVector::zeros(), |e, inside| {
            for side in layout.sides() {
                local[FLOW + side] -= dot(&self.by_slid[e][side], inside);
            }
        });
    }

    /// Eliminates the residual anew, with what the step of the interface slides; nothing to do where nothing slides.
    pub(super) fn eliminate_with_slid(&mut self, layout: &Layout, w: &LocalVector) {
        if self.by_slid.is_empty() {
            return;
        }
        let Self { rod, gradient, by_slid, elimination, left, .. } = self;
        let element = |e: usize| {
            let mut sum = element_residual(rod, gradient, e);
            for side in layout.sides() {
                for (sum, by) in sum.iter_mut().zip(&by_slid[e][side]) {
                    *sum += by * w[FLOW + side];
                }
            }
            sum
        };
        elimination.reduce(element, left);
        self.leave(layout, self.at_base(), &self.own_residual(layout));
    }
}
