//! The bend of a nodal rod (Bergou et al., Discrete Elastic Rods, 2008; Discrete Viscous Threads,
//! 2010).
//!
//! Measure: on edges that keep their length, node positions and one angle per edge say as much as
//! one frame per edge, so the coordinates are those of `rod/mixed`. At a vertex with tangents t_a,
//! t_b and directors d_i^a, d_i^b
//!
//! ```text
//! κb = 2 t_a × t_b/(1 + t_a·t_b)        b_i = ½ (d_i^a + d_i^b)·κb
//! ```
//!
//! and the twist is the angle from d_1^a, carried from t_a to t_b by parallel transport, to d_1^b.
//! With p = Z(t/2) S Z(t/2) of `rod/mixed/vertex.rs`, |κb| = 2 tan(φ/2); its axis is turned by t/2
//! one way in the first frame and the other way in the second, so that the mean is cos(t/2) times
//! the axis of S. With w = ω cos(t/2), ω = cos(φ/2):
//!
//! ```text
//! b = h (x, y)        h = 2 w/(w² + z²)
//! ```
//!
//! The twist is the same as that of the mixed rod. Turning by 2π changes the signs of w and of
//! (x, y) together: h needs no parity.
//!
//! Derivatives: h = Re 2/ζ with ζ = w + iz, hence all of them are powers of 1/ζ.
//!
//! Where it fails: at φ = π the bend is infinite, and at a twist of half a turn per vertex it
//! vanishes whatever φ is.

use super::mixed::vertex::{Bow, Slope};

/// ω² is not taken smaller than this (a bend within 2e-12 rad of the full fold), so that every
/// derivative and its square stay finite.
const FOLD: f64 = 1e-24;

/// 1/ζ as (re, im), and ω².
#[inline]
fn inverse(w: f64, z: f64) -> (f64, f64, f64) {
    let omega_sq = (w * w + z * z).max(FOLD);
    (w / omega_sq, -z / omega_sq, omega_sq)
}

/// h(w, z).
#[inline]
pub fn factor(w: f64, z: f64) -> f64 {
    2.0 * inverse(w, z).0
}

/// First derivatives of h: h′ = −2/ζ², ∂h/∂w = Re h′, ∂h/∂z = −Im h′.
#[inline]
pub fn slope(w: f64, z: f64) -> Slope {
    let (re, im, omega_sq) = inverse(w, z);
    Slope { h: 2.0 * re, w: -2.0 * (re * re - im * im), z: 4.0 * re * im, omega_sq }
}

/// Second derivatives of h: h″ = 4/ζ³.
#[inline]
pub fn bow(w: f64, z: f64) -> Bow {
    let (re, im, _) = inverse(w, z);
    let real = 4.0 * re * (re * re - 3.0 * im * im);
    let imaginary = 4.0 * im * (3.0 * re * re - im * im);
    Bow { ww: real, wz: -imaginary, zz: -real }
}

/// The bend angle φ that a vertex of the given twist needs to measure `bend`: 2 tan(φ/2) cos(t/2).
/// Negative where the twist turns the averaged directors over.
pub fn angle(bend: f64, twist: f64) -> f64 {
    2.0 * (0.5 * bend / (0.5 * twist).cos()).atan()
}

#[cfg(test)]
mod tests;
