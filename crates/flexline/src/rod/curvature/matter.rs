//! Where the mass of a curvature rod is: at the nodes of a quadrature over pieces that its rest shape asks for.

use super::CurvatureRod;
use super::walk::Piece;
use crate::algebra::Vec3;
use crate::algebra::collocation::{Collocation, POINTS};

impl CurvatureRod {
    /// Divides it into pieces for its matter in motion, enough for its rest shape.
    pub(super) fn lay_out_matter(&mut self) {
        let mut pieces: Vec<Piece> = Vec::new();
        let turning = |e| [0, 1].map(|which| self.value(&self.rest, e, which) * self.length);
        self.pieces_for(&turning, &mut pieces);
        // These stay when the rod bends.
        pieces.iter_mut().for_each(|p| p.nodes = POINTS);
        self.matter = self.matter_of(&pieces);
        self.pieces = pieces;
    }

    /// Mass of the whole rod, kg.
    pub fn total_mass(&self) -> f64 {
        let rule = Collocation::get();
        let mut mass = 0.0;
        for (p, piece) in self.pieces.iter().enumerate() {
            let half = 0.5 * self.shares[piece.element] * (piece.to - piece.from) * self.length;
            mass += (0..POINTS).map(|k| self.matter[POINTS * p + k].0 * rule.weights[k] * half).sum::<f64>();
        }
        mass
    }

    /// Mass and rotary inertia per length at the nodes of `pieces`.
    pub(crate) fn matter_of(&self, pieces: &[Piece]) -> Vec<(f64, Vec3)> {
        let mut starts = vec![0.0];
        for share in &self.shares {
            starts.push(starts[starts.len() - 1] + share);
        }
        pieces
            .iter()
            .flat_map(|p| {
                let share = |x: &f64| starts[p.element] + self.shares[p.element] * p.share(*x);
                p.rule().nodes.iter().map(share)
            })
            .map(|sigma| {
                let section = self.section_at(sigma * self.length);
                (section.mass_per_length, section.rotary_inertia)
            })
            .collect()
    }

    /// Pieces that carry its matter in motion.
    pub(crate) fn fixed_pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Arc lengths of the points of its matter.
    pub(super) fn point_arcs(&self) -> Vec<f64> {
        let ends = self.element_ends();
        let arc = |p: &Piece, x: f64| ends[p.element] + self.shares[p.element] * self.length * p.share(x);
        self.pieces.iter().flat_map(|p| p.rule().nodes[..p.nodes].iter().map(move |x| arc(p, *x))).collect()
    }
}
