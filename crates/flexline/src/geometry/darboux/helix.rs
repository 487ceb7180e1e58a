//! The helix: constant Darboux vector, everything in closed form (Bertails et al. 2006, appendix).
//!
//! With v = u s, y = |v|² and Stumpff's functions cₙ(y), the operators
//!
//! ```text
//! Xₖ(v) = I/k! + cₖ₊₁ [v]× + cₖ₊₂ [v]×²
//! ```
//!
//! are `X₀ = exp [v]×` and the repeated integrals of it: ∫ Xₖ(uσ) σᵏ dσ = sᵏ⁺¹ Xₖ₊₁(us). So r = s X₁ e3,
//! ∫ r = s² X₂ e3 and ∫∫ r = s³ X₃ e3. Derivatives by v need 2 cₙ′ = n cₙ₊₂ − cₙ₊₁ = (cₙ₋₁ − n cₙ)/y only.

use super::integrals::Integrals;
use super::{CurvePoint, ElementError, FirstDerivatives, SecondDerivatives, axis, check};
use crate::algebra::quadrature::gauss20;
use crate::algebra::series::stumpff;
use crate::algebra::{Vec3, rotation};

/// Turning over which one Gauss rule of 20 points is exact to round-off, rad.
const GAUSS_TURNING: f64 = 4.0;

/// |v|² from where on derivatives of Stumpff's functions are found from functions of lower index: each
/// form cancels where the other does not.
const TURNED: f64 = 10.0;

/// A piece of a helix, an arc or a straight line; coefficients are the components of u.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HelixElement {
    pub(super) u: Vec3,
    pub(super) length: f64,
}

impl HelixElement {
    /// The element with Darboux vector `u`, 1/m.
    pub fn new(u: Vec3, length: f64) -> Result<Self, ElementError> {
        check(length, &[u])?;
        Ok(Self { u, length })
    }

    /// Arc length, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Darboux vector, 1/m.
    pub fn curvature(&self) -> Vec3 {
        self.u
    }

    /// The point at `s`, which may lie beyond the ends.
    pub fn point(&self, s: f64) -> CurvePoint {
        let v = self.u * s;
        CurvePoint { position: Operator::new(v).apply(1, &Vec3::z()) * s, frame: rotation::exp(&v) }
    }

    /// The point at `s` and its first derivatives.
    pub fn first(&self, s: f64) -> FirstDerivatives<3> {
        let v = self.u * s;
        let op = Operator::new(v);
        FirstDerivatives {
            point: CurvePoint { position: op.apply(1, &Vec3::z()) * s, frame: rotation::exp(&v) },
            turn: [0, 1, 2].map(|j| op.apply(1, &axis(j)) * s),
            shift: [0, 1, 2].map(|j| op.first(1, j, &Vec3::z()) * (s * s)),
        }
    }

    /// The second derivatives of the point at `s`.
    pub fn second(&self, s: f64) -> SecondDerivatives<3> {
        let op = Operator::new(self.u * s);
        SecondDerivatives {
            turn: [0, 1, 2].map(|a| [0, 1, 2].map(|b| op.first(1, b, &axis(a)) * (s * s))),
            shift: [0, 1, 2].map(|a| [0, 1, 2].map(|b| op.second(1, a, b, &Vec3::z()) * (s * s * s))),
        }
    }

    /// Integrals over the element: the linear ones in closed form, the quadratic ones by Gauss's rule
    /// on stretches short enough for it to be exact.
    pub fn integrals(&self) -> Integrals<3> {
        let l = self.length;
        let op = Operator::new(self.u * l);
        let e3 = Vec3::z();
        let mut out = Integrals::zeros();
        // ∫ σ f = l ∫ f − ∫∫ f.
        out.position = op.apply(2, &e3) * (l * l);
        out.position_by_s = (op.apply(2, &e3) - op.apply(3, &e3)) * (l * l * l);
        for a in 0..3 {
            let (once, twice) = (op.first(2, a, &e3), op.first(3, a, &e3));
            out.shift[a] = once * (l * l * l);
            out.shift_by_s[a] = (once - twice) * (l * l * l * l);
            for b in 0..3 {
                out.position_second[a][b] = op.second(2, a, b, &e3) * (l * l * l * l);
            }
        }
        let parts = (self.u.norm() * l / GAUSS_TURNING).ceil().max(1.0);
        let half = 0.5 * l / parts;
        for part in 0..parts as usize {
            let middle = (2 * part + 1) as f64 * half;
            for (x, w) in gauss20() {
                let at = self.first(middle + half * x);
                out.add_products(w * half, &at.point.position, &at.shift);
            }
        }
        out
    }
}

/// Xₖ(v) and its derivatives.
pub(super) struct Operator {
    v: Vec3,
    pub(super) c: [f64; 10],
}

impl Operator {
    #[inline]
    pub(super) fn new(v: Vec3) -> Self {
        Self { v, c: stumpff(v.norm_squared()) }
    }

    /// Xₖ e.
    fn apply(&self, k: usize, e: &Vec3) -> Vec3 {
        let once = self.v.cross(e);
        e / factorial(k) + once * self.c[k + 1] + self.v.cross(&once) * self.c[k + 2]
    }

    /// ∂cₙ/∂v_j = slope(n) v_j.
    pub(super) fn slope(&self, n: usize) -> f64 {
        let (c, y, n_) = (&self.c, self.v.norm_squared(), n as f64);
        if y < TURNED { n_ * c[n + 2] - c[n + 1] } else { (c[n - 1] - n_ * c[n]) / y }
    }

    /// ∂slope(n)/∂v_j = bend(n) v_j.
    pub(super) fn bend(&self, n: usize) -> f64 {
        let (y, n_) = (self.v.norm_squared(), n as f64);
        if y < TURNED {
            n_ * self.slope(n + 2) - self.slope(n + 1)
        } else {
            (self.slope(n - 1) - (n_ + 2.0) * self.slope(n)) / y
        }
    }

    /// ∂(Xₖ e)/∂v_j.
    fn first(&self, k: usize, j: usize, e: &Vec3) -> Vec3 {
        let (v, ej) = (&self.v, axis(j));
        let (once, by_j) = (v.cross(e), ej.cross(e));
        let twice = v.cross(&once);
        once * (self.slope(k + 1) * v[j])
            + by_j * self.c[k + 1]
            + twice * (self.slope(k + 2) * v[j])
            + (ej.cross(&once) + v.cross(&by_j)) * self.c[k + 2]
    }

    /// ∂²(Xₖ e)/∂v_i∂v_j.
    fn second(&self, k: usize, i: usize, j: usize, e: &Vec3) -> Vec3 {
        let (v, ei, ej) = (&self.v, axis(i), axis(j));
        let same = if i == j { 1.0 } else { 0.0 };
        let once = v.cross(e);
        let by = |a: &Vec3| a.cross(&once) + v.cross(&a.cross(e));
        let curve = |n: usize| self.slope(n) * same + self.bend(n) * v[i] * v[j];
        once * curve(k + 1)
            + (ej.cross(e) * v[i] + ei.cross(e) * v[j]) * self.slope(k + 1)
            + v.cross(&once) * curve(k + 2)
            + (by(&ej) * v[i] + by(&ei) * v[j]) * self.slope(k + 2)
            + (ei.cross(&ej.cross(e)) + ej.cross(&ei.cross(e))) * self.c[k + 2]
    }
}

fn factorial(k: usize) -> f64 {
    (1..=k).map(|i| i as f64).product()
}
