//! Integrals over an element that weight and inertia need.

use crate::algebra::{Mat3, Vec3};

/// Integrals over the arc length of an element with `N` coefficients, in its first frame.
///
/// With the motion of the first frame added by the rod they give weight, kinetic energy and their
/// derivatives: a chain of elements needs nothing else from its inside.
#[derive(Clone, Copy, Debug)]
pub struct Integrals<const N: usize> {
    /// ∫ r ds, m².
    pub position: Vec3,
    /// ∫ s r ds, m³.
    pub position_by_s: Vec3,
    /// ∫ r rᵀ ds, m³.
    pub position_square: Mat3,
    /// ∫ ∂_A r ds, m³.
    pub shift: [Vec3; N],
    /// ∫ s ∂_A r ds, m⁴.
    pub shift_by_s: [Vec3; N],
    /// ∫ r × ∂_A r ds, m⁴.
    pub position_cross_shift: [Vec3; N],
    /// ∫ ∂_A r · ∂_B r ds, m⁵: the mass matrix for unit mass per length.
    pub mass: [[f64; N]; N],
    /// ∫ ∂_B ∂_A r ds, m⁴: the second derivative of weight.
    pub position_second: [[Vec3; N]; N],
}

impl<const N: usize> Integrals<N> {
    pub(super) fn zeros() -> Self {
        let zero = Vec3::zeros();
        Self {
            position: zero,
            position_by_s: zero,
            position_square: Mat3::zeros(),
            shift: [zero; N],
            shift_by_s: [zero; N],
            position_cross_shift: [zero; N],
            mass: [[0.0; N]; N],
            position_second: [[zero; N]; N],
        }
    }

    /// Adds a node of a quadrature to the quadratic integrals.
    pub(super) fn add_products(&mut self, weight: f64, position: &Vec3, shift: &[Vec3; N]) {
        self.position_square += position * position.transpose() * weight;
        for a in 0..N {
            self.position_cross_shift[a] += position.cross(&shift[a]) * weight;
            for b in 0..=a {
                self.mass[a][b] += shift[a].dot(&shift[b]) * weight;
                self.mass[b][a] = self.mass[a][b];
            }
        }
    }

    /// Adds a node of a quadrature to the linear integrals.
    pub(super) fn add_linear(&mut self, weight: f64, s: f64, position: &Vec3, shift: &[Vec3; N]) {
        self.position += position * weight;
        self.position_by_s += position * (weight * s);
        for a in 0..N {
            self.shift[a] += shift[a] * weight;
            self.shift_by_s[a] += shift[a] * (weight * s);
        }
    }
}
