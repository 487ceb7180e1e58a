//! Two segments: where they are nearest, and how their distance changes with their four ends.
//!
//! d = |w|, w = x(s) − y(t), with x = (1 − s) a₀ + s a₁ and y = (1 − t) b₀ + t b₁. With n = w/d, weights
//! c = (1 − s, s, t − 1, −t) and P = (I − nnᵀ)/d the gradient by end i is cᵢ n. Shares between the ends move so that d
//! stays least: d² d/dqᵢdqⱼ = cᵢcⱼ P − Gᵢ M⁻¹ Gⱼᵀ, with M = wᵩᵀ P wᵩ over the moving shares φ, wₛ = a₁ − a₀, wₜ = b₀ − b₁,
//! and Gᵢ = (∂cᵢ/∂φ) n + cᵢ P wᵩ.

use super::nearest::{on, share_nearest, shares_nearest};
use crate::algebra::{Mat3, Vec3, rotation};
use nalgebra::{Matrix2, SMatrix};

/// Segments whose distance changes by less than this share of itself along each other are parallel.
const PARALLEL: f64 = 1e-2;

/// Second derivative by the ends a₀, a₁, b₀, b₁, three components each.
pub type PairHessian = SMatrix<f64, 12, 12>;

/// Where two segments are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPair {
    /// Places along the segments, 0 … 1.
    pub shares: [f64; 2],
    /// The two points.
    pub points: [Vec3; 2],
    /// Between them, m.
    pub distance: f64,
    /// Unit vector from the second to the first.
    pub normal: Vec3,
    /// Where the segments are parallel, the shares of both at either end of what they have side by side: the nearest
    /// place is as good as any of these, and jumps about. Its share on the first segment is held then; two contacts, made
    /// by [`segment_pair_at`] at these ends, say more.
    pub side_by_side: Option<[[f64; 2]; 2]>,
    along: [Vec3; 2],
    moves: [bool; 2],
}

/// Where the segments `a` and `b` are nearest.
pub fn segment_pair(a: [Vec3; 2], b: [Vec3; 2]) -> SegmentPair {
    let shares = shares_nearest(&a, &b);
    let (u, v) = (a[1] - a[0], b[1] - b[0]);
    let distance = (on(&a, shares[0]) - on(&b, shares[1])).norm();
    if u.cross(&v).norm() <= PARALLEL * distance * u.norm().max(v.norm()) {
        let ends = b.map(|end| (end - a[0]).dot(&u) / u.norm_squared());
        let (low, high) = (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(1.0));
        // Points have nothing side by side, nor has what meets end to end.
        if low < high {
            let beside = |share: f64| [share, share_nearest(&b, &on(&a, share))];
            let mut pair = segment_pair_at(a, b, shares[0]);
            pair.side_by_side = Some([beside(low), beside(high)]);
            return pair;
        }
    }
    pair(&a, &b, shares, shares.map(between))
}

/// Where `b` is nearest to the place of `a` at `share`, which is held.
pub fn segment_pair_at(a: [Vec3; 2], b: [Vec3; 2], share: f64) -> SegmentPair {
    let other = share_nearest(&b, &on(&a, share));
    pair(&a, &b, [share, other], [false, between(other)])
}

/// Whether a share is between the ends, so that it moves.
fn between(share: f64) -> bool {
    share > 0.0 && share < 1.0
}

fn pair(a: &[Vec3; 2], b: &[Vec3; 2], shares: [f64; 2], moves: [bool; 2]) -> SegmentPair {
    let points = [on(a, shares[0]), on(b, shares[1])];
    let along = [a[1] - a[0], b[1] - b[0]];
    let way = points[0] - points[1];
    let distance = way.norm();
    let normal = if distance > 0.0 {
        way / distance
    } else {
        // Through each other: across both.
        let across = along[0].cross(&along[1]);
        let side = || along[0].try_normalize(f64::MIN_POSITIVE).map_or(Vec3::z(), |t| rotation::across(&t));
        across.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(side)
    };
    SegmentPair { shares, points, distance, normal, side_by_side: None, along, moves }
}

impl SegmentPair {
    /// What the distance takes from each of the four ends: its gradient is these times the normal.
    pub fn weights(&self) -> [f64; 4] {
        let [s, t] = self.shares;
        [1.0 - s, s, t - 1.0, -t]
    }

    /// Gradient of the distance by the four ends.
    pub fn gradient(&self) -> [Vec3; 4] {
        self.weights().map(|weight| self.normal * weight)
    }

    /// Second derivative of the distance by the four ends, shares moving. Without distance it has none: zero.
    pub fn hessian(&self) -> PairHessian {
        if self.distance <= f64::MIN_POSITIVE {
            return PairHessian::zeros();
        }
        let n = self.normal;
        let across = (Mat3::identity() - n * n.transpose()) / self.distance;
        let weights = self.weights();
        let mut hessian = PairHessian::zeros();
        for (i, ci) in weights.iter().enumerate() {
            for (j, cj) in weights.iter().enumerate() {
                hessian.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(&(across * (ci * cj)));
            }
        }
        let turns = [self.along[0], -self.along[1]].map(|w| across * w);
        let slopes = [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]];
        let mut coupling = SMatrix::<f64, 12, 2>::zeros();
        for (k, (turn, slope)) in turns.iter().zip(&slopes).enumerate() {
            for i in 0..4 {
                let column = n * slope[i] + turn * weights[i];
                coupling.fixed_view_mut::<3, 1>(3 * i, k).copy_from(&column);
            }
        }
        hessian - coupling * self.stiffness_inverse(&turns) * coupling.transpose()
    }

    /// M⁻¹ over the shares that move, zero for those that do not.
    fn stiffness_inverse(&self, turns: &[Vec3; 2]) -> Matrix2<f64> {
        let w = [self.along[0], -self.along[1]];
        let m = Matrix2::from_fn(|i, j| w[i].dot(&turns[j]));
        match self.moves {
            [true, true] => m.try_inverse().unwrap_or_else(Matrix2::zeros),
            [true, false] => Matrix2::new(1.0 / m[(0, 0)], 0.0, 0.0, 0.0),
            [false, true] => Matrix2::new(0.0, 0.0, 0.0, 1.0 / m[(1, 1)]),
            [false, false] => Matrix2::zeros(),
        }
    }
}
