//! The frame at the end held at another: c = 2 Im(q_e q̄_b) = 0.
//!
//! With p = q_e q̄_b = (w; v) and rotations exp(ψ_e) q_e, exp(ψ_b) q_b, p is bilinear in two small
//! quaternions, hence
//!
//! ```text
//! δc  = W ψ_e − Wᵀ ψ_b,   W = w I − [v]×
//! δ²c = −½ (|ψ_e|² + |ψ_b|²) v − Im(ψ_e p ψ_b)
//! Im(ψ_e p ψ_b) = w ψ_e × ψ_b + v (ψ_e·ψ_b) − ψ_e (v·ψ_b) − ψ_b (v·ψ_e)
//! ```
//!
//! where δ² is the full second variation. Where c = 0 the multiplier is the moment on the end.

use crate::algebra::rotation::skew;
use crate::algebra::{Mat3, Quat, Vec3};

/// The constraint at a pair of frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameHold {
    /// c, rad.
    pub(super) value: Vec3,
    /// W.
    pub(super) by_end: Mat3,
    w: f64,
    v: Vec3,
}

impl Default for FrameHold {
    fn default() -> Self {
        Self { value: Vec3::zeros(), by_end: Mat3::identity(), w: 1.0, v: Vec3::zeros() }
    }
}

impl FrameHold {
    pub(super) fn new(end: &Quat, target: &Quat) -> Self {
        let mut p = end * target.conjugate();
        if p.w < 0.0 {
            p = -p;
        }
        let v = p.imag();
        Self { value: 2.0 * v, by_end: Mat3::identity() * p.w - skew(&v), w: p.w, v }
    }

    /// Second derivatives of −µ·c: by ψ_e twice (and ψ_b twice), and by ψ_e (rows) and ψ_b.
    pub(super) fn second(&self, moment: &Vec3) -> (Mat3, Mat3) {
        let along = moment.dot(&self.v);
        // µ·(ψ_e × ψ_b) = −ψ_e·[µ]× ψ_b.
        let cross = (Mat3::identity() * along
            - moment * self.v.transpose()
            - self.v * moment.transpose()
            - skew(moment) * self.w)
            * 0.5;
        (Mat3::identity() * (0.5 * along), cross)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::rotation;

    #[test]
    fn derivatives_agree_with_differences() {
        let end = rotation::exp(&Vec3::new(0.4, -0.9, 0.3));
        let target = rotation::exp(&Vec3::new(-0.2, -0.5, 1.0));
        let moment = Vec3::new(0.7, -1.3, 0.4);
        let (a, b) = (Vec3::new(0.6, 0.2, -0.5), Vec3::new(-0.3, 0.8, 0.1));
        let at = |t: f64| {
            FrameHold::new(&(rotation::exp(&(a * t)) * end), &(rotation::exp(&(b * t)) * target)).value
        };
        let hold = FrameHold::new(&end, &target);
        let h = 1e-4;
        let first = (at(h) - at(-h)) / (2.0 * h);
        assert!((first - (hold.by_end * a - hold.by_end.transpose() * b)).norm() < 1e-8);
        let (own, cross) = hold.second(&moment);
        let exact = a.dot(&(own * a)) + b.dot(&(own * b)) + 2.0 * a.dot(&(cross * b));
        let second = -moment.dot(&((at(h) - 2.0 * at(0.0) + at(-h)) / (h * h)));
        assert!((second - exact).abs() < 1e-6, "{second} {exact}");
    }
}
