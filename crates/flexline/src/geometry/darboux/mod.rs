//! Framed curves given by their Darboux vector u(s): `R′ = R [u]×`, `r′ = R e3`.
//!
//! Two curves have exact kinematics here: constant u, the [`HelixElement`] in closed form (Bertails
//! et al. 2006), and u linear in s, the [`ClothoidElement`] by power series (Casati &
//! Bertails-Descoubes 2013). An element starts at the origin with the identity frame; [`CurvePoint::after`]
//! places it. Derivatives and integrals are expressed in that first frame too:
//!
//! - `∂_A R = [Θ_A]× R` with Θ_A′ = R ∂_A u, so Θ_A(s) = ∫ p_A d_j dσ for the coefficient A of shape p_A and axis j;
//! - ∂_A r = ∫ Θ_A × d3 dσ;
//! - ∂_B Θ_A = ∫ Θ_B × Θ_A′ dσ (not symmetric: rotations do not commute), and ∂_B ∂_A r, which is.
//!
//! `docs/theory/clothoids.md` has the formulae.

mod classical;
mod clothoid;
mod helix;
mod integrals;
mod moving;
mod piece;
#[doc(hidden)] // what experiments and tests are measured against
pub mod reference;
#[cfg(test)]
mod tests;

pub use classical::{Classical, NaiveSum, integrate, naive_sum};
pub use clothoid::{ClothoidElement, Summation};
pub use helix::HelixElement;
pub use integrals::Integrals;
pub(crate) use moving::{Moving, Stretch, moving_clothoid, moving_helix};
pub(crate) use piece::{Rates, Short, pair_frames, piece_frames};

use crate::algebra::{Quat, Vec3, rotation};

/// Largest turning of one element, rad: beyond it round-off alone exceeds 1e-10.
pub const MAX_TURNING: f64 = 1e6;

/// Why an element cannot be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// The length is no length.
    #[error("length {length} m: expected a positive finite number")]
    Length {
        /// What was given, m.
        length: f64,
    },
    /// A coefficient is not a number.
    #[error("Darboux vector ({}, {}, {}) 1/m: expected finite numbers", .u.x, .u.y, .u.z)]
    Curvature {
        /// What was given, 1/m.
        u: Vec3,
    },
    /// More turning than double precision can carry.
    #[error("an element that turns by {turning:.3e} rad: expected at most {MAX_TURNING:.0e} rad; divide it")]
    Turning {
        /// Bound on ∫ |u| ds, rad.
        turning: f64,
    },
}

/// Checks the length and the largest Darboux vectors of an element.
fn check(length: f64, ends: &[Vec3]) -> Result<(), ElementError> {
    if !(length.is_finite() && length > 0.0) {
        return Err(ElementError::Length { length });
    }
    for &u in ends {
        if !u.iter().all(|c| c.is_finite()) {
            return Err(ElementError::Curvature { u });
        }
        let turning = u.norm() * length;
        if turning > MAX_TURNING || turning.is_nan() {
            return Err(ElementError::Turning { turning });
        }
    }
    Ok(())
}

/// Position and frame of a curve at one arc length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Position, m.
    pub position: Vec3,
    /// Frame, material→world; its sign is continuous along the curve.
    pub frame: Quat,
}

impl CurvePoint {
    /// The origin with the identity frame.
    pub const ORIGIN: Self =
        Self { position: Vec3::new(0.0, 0.0, 0.0), frame: crate::algebra::rotation::identity() };

    /// This point of an element whose first point is `start`.
    pub fn after(&self, start: &Self) -> Self {
        Self {
            position: start.position + rotation::rotate(&start.frame, &self.position),
            frame: start.frame * self.frame,
        }
    }
}

/// A point and how it moves with the `N` coefficients of its element, the first point held.
#[derive(Clone, Copy, Debug)]
pub struct FirstDerivatives<const N: usize> {
    /// The point itself.
    pub point: CurvePoint,
    /// Θ_A, rad m: `∂_A R = [Θ_A]× R`.
    pub turn: [Vec3; N],
    /// ∂_A r, m².
    pub shift: [Vec3; N],
}

/// Second derivatives of a point by the `N` coefficients of its element, the first point held.
#[derive(Clone, Copy, Debug)]
pub struct SecondDerivatives<const N: usize> {
    /// `turn[a][b]` is ∂_B Θ_A, rad m²: `∂_B ∂_A R = ([∂_B Θ_A]× + [Θ_A]× [Θ_B]×) R`.
    pub turn: [[Vec3; N]; N],
    /// `shift[a][b]` is ∂_B ∂_A r, m³.
    pub shift: [[Vec3; N]; N],
}

/// The axis e_j.
fn axis(j: usize) -> Vec3 {
    Vec3::from_fn(|i, _| if i == j { 1.0 } else { 0.0 })
}
