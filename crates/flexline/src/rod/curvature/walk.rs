//! Frames and positions along a curvature rod, at the nodes of a quadrature.
//!
//! Elements are cut into pieces that turn by at most [`PIECE_TURNING`]. On a piece the frames come from
//! the power series of its Darboux problem; what is integrated along it (positions here, rotations and
//! forces in the solver) is integrated by collocation at the same nodes.

use super::CurvatureRod;
use crate::algebra::collocation::{Collocation, POINTS};
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::geometry::darboux::{Rates, Short, pair_frames, piece_frames};

/// Turning of a piece, rad, above which an element is divided.
pub(crate) const PIECE_TURNING: f64 = 2.0;
/// Turning θ, rad, up to which a piece gets along with so many nodes n. What oscillates three times as fast as it turns,
/// the products of frames and forces, is integrated to 1e-11 of its size, a hundredth of what forces are balanced to:
/// Gauss's rule misses 2²ⁿ⁺¹ n!⁴/((2n + 1) (2n)!³) (3θ/2)²ⁿ. Frames and the ends of pieces are exact to round-off; integrals
/// up to a node are not, by up to 5e-8 of the piece, but for sums over pieces that does not count.
const NODES: [(f64, usize); 5] = [(0.18, 4), (0.43, 5), (0.78, 6), (1.22, 7), (1.74, 8)];
/// Most pieces of one element; more turning than that has left the realm of rods.
const MOST_PIECES: f64 = 500.0;

/// Nodes of a piece that turns by that much.
pub(crate) fn nodes_for(turning: f64) -> usize {
    NODES.iter().find(|(most, _)| turning <= *most).map_or(POINTS, |(_, nodes)| *nodes)
}

/// A piece of an element: from where to where, as shares of the element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) element: usize,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Nodes of its quadrature.
    pub(crate) nodes: usize,
}

impl Piece {
    /// Its quadrature.
    pub(crate) fn rule(&self) -> &'static Collocation {
        Collocation::with(self.nodes)
    }

    /// Where its nodes are among those of all pieces; every piece has room for as many as a rule can have.
    pub(crate) fn places(&self, index: usize) -> std::ops::Range<usize> {
        POINTS * index..POINTS * index + self.nodes
    }

    /// Share of the element at node `x` of the quadrature.
    pub(crate) fn share(&self, x: f64) -> f64 {
        self.from + 0.5 * (x + 1.0) * (self.to - self.from)
    }
}

/// A piece as it lies in space; of the arrays it has as many entries as nodes.
#[derive(Clone, Debug)]
pub(crate) struct PieceShape {
    /// Position and frame at its beginning.
    pub(crate) start: (Vec3, Quat),
    /// Position and frame at its end.
    pub(crate) end: (Vec3, Quat),
    /// Frames at the nodes.
    pub(crate) frames: [Quat; POINTS],
    /// The same as matrices.
    pub(crate) rotations: [Mat3; POINTS],
    /// Half its length, as a share of the rod.
    pub(crate) half: f64,
    /// The same in metres.
    half_length: f64,
    rule: &'static Collocation,
}

impl PieceShape {
    /// Position of node `k`.
    #[inline]
    pub(crate) fn position(&self, k: usize) -> Vec3 {
        let tangents = self.rotations[..self.rule.count].iter().zip(&self.rule.upto[k]);
        self.start.0 + tangents.map(|(r, w)| r.column(2) * *w).sum::<Vec3>() * self.half_length
    }
}

impl CurvatureRod {
    /// Pieces for elements that turn as their coordinates `v` say.
    pub(crate) fn pieces_for(&self, v: &dyn Fn(usize) -> [Vec3; 2], out: &mut Vec<Piece>) {
        out.clear();
        for element in 0..self.elements() {
            let [a, b] = v(element);
            let turning = self.shares[element] * a.norm_squared().max(b.norm_squared()).sqrt();
            if turning <= PIECE_TURNING || !turning.is_finite() {
                out.push(Piece { element, from: 0.0, to: 1.0, nodes: nodes_for(turning) });
                continue;
            }
            let count = (turning / PIECE_TURNING).ceil().min(MOST_PIECES);
            let nodes = nodes_for(turning / count);
            for k in 0..count as usize {
                let (from, to) = (k as f64 / count, (k + 1) as f64 / count);
                out.push(Piece { element, from, to, nodes });
            }
        }
    }

    /// Half the length of a piece, as a share of the rod.
    #[inline]
    pub(crate) fn half_share(&self, piece: &Piece) -> f64 {
        0.5 * self.shares[piece.element] * (piece.to - piece.from)
    }

    /// Goes along the rod piece by piece, from its first position and frame.
    pub(crate) fn walk(
        &self,
        coordinates: &[f64],
        pieces: &[Piece],
        mut visit: impl FnMut(usize, &PieceShape),
    ) {
        let mut at = self.base(coordinates);
        let shape = PieceShape {
            start: at,
            end: at,
            frames: [at.1; POINTS],
            rotations: [Mat3::identity(); POINTS],
            half: 0.0,
            half_length: 0.0,
            rule: Collocation::get(),
        };
        let mut shapes = [shape.clone(), shape];
        let mut scratch = Short::default();
        for (index, pair) in pieces.chunks(2).enumerate() {
            let rates = |piece: &Piece| {
                let [a, b] = self.ends(coordinates, piece.element);
                let share = self.shares[piece.element];
                let middle = a + (b - a) * (0.5 * (piece.from + piece.to));
                Rates::new(&middle, &((b - a) / share), self.half_share(piece))
            };
            let [first, second] = &mut shapes;
            let mut ends = [[at.1; 2]; 2];
            match pair {
                [a, b] if a.nodes == b.nodes => {
                    let rates = [&rates(a), &rates(b)];
                    let frames: [&mut [Quat]; 2] = [&mut first.frames, &mut second.frames];
                    ends = pair_frames(rates, a.rule().places(), frames, &mut scratch);
                }
                _ => {
                    for ((piece, shape), ends) in pair.iter().zip([first, second]).zip(&mut ends) {
                        *ends = piece_frames(&rates(piece), piece.rule().places(), &mut shape.frames);
                    }
                }
            }
            for (k, ((piece, shape), [first, last])) in pair.iter().zip(&mut shapes).zip(ends).enumerate() {
                shape.rule = piece.rule();
                shape.half = self.half_share(piece);
                shape.half_length = self.length * shape.half;
                shape.start = at;
                let middle = at.1 * first.conjugate();
                let mut sum = Vec3::zeros();
                for k in 0..shape.rule.count {
                    shape.frames[k] = middle * shape.frames[k];
                    shape.rotations[k] = rotation::matrix(&shape.frames[k]);
                    sum += shape.rotations[k].column(2) * (shape.half_length * shape.rule.weights[k]);
                }
                let frame = middle * last;
                at = (at.0 + sum, frame * (1.0 / frame.norm()));
                shape.end = at;
                visit(2 * index + k, shape);
            }
        }
    }
}
