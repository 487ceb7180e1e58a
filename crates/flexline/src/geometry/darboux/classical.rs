//! Integrators that the series are compared with (Casati & Bertails-Descoubes 2013, §6.1 and §6.4):
//! equal steps of Euler, Lie–Euler, Runge–Kutta of order two and four, and the naive sum.

use super::ClothoidElement;
use crate::algebra::{Mat3, Vec3, rotation};

/// A classical integrator of `R′ = R [u]×`, `r′ = R e3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classical {
    /// Euler's method on the matrix: order one, leaves the rotations.
    Euler,
    /// Euler's method on the group, `R ← R exp(h [u]×)`: order one, frames stay rotations.
    LieEuler,
    /// The midpoint rule of Runge: order two.
    RungeKutta2,
    /// The classical method of Kutta: order four.
    RungeKutta4,
}

impl Classical {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Euler, Self::LieEuler, Self::RungeKutta2, Self::RungeKutta4];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euler => "Euler",
            Self::LieEuler => "Lie–Euler",
            Self::RungeKutta2 => "RK2",
            Self::RungeKutta4 => "RK4",
        }
    }

    /// Its order.
    pub fn order(self) -> u32 {
        match self {
            Self::Euler | Self::LieEuler => 1,
            Self::RungeKutta2 => 2,
            Self::RungeKutta4 => 4,
        }
    }
}

/// Frame and position at the end of an element after equal steps.
pub fn integrate(element: &ClothoidElement, method: Classical, steps: usize) -> (Mat3, Vec3) {
    let h = element.length() / steps as f64;
    let rate = |frame: &Mat3, s: f64| frame * rotation::skew(&element.curvature(s));
    let tangent = |frame: &Mat3| frame.column(2).into_owned();
    let (mut frame, mut position) = (Mat3::identity(), Vec3::zeros());
    for k in 0..steps {
        let s = k as f64 * h;
        match method {
            Classical::Euler => {
                position += tangent(&frame) * h;
                frame += rate(&frame, s) * h;
            }
            Classical::LieEuler => {
                position += tangent(&frame) * h;
                frame *= rotation::matrix(&rotation::exp(&(element.curvature(s) * h)));
            }
            Classical::RungeKutta2 => {
                let middle = frame + rate(&frame, s) * (0.5 * h);
                position += tangent(&middle) * h;
                frame += rate(&middle, s + 0.5 * h) * h;
            }
            Classical::RungeKutta4 => {
                let k1 = rate(&frame, s);
                let f2 = frame + k1 * (0.5 * h);
                let k2 = rate(&f2, s + 0.5 * h);
                let f3 = frame + k2 * (0.5 * h);
                let k3 = rate(&f3, s + 0.5 * h);
                let f4 = frame + k3 * h;
                let k4 = rate(&f4, s + h);
                let slopes = tangent(&frame) + (tangent(&f2) + tangent(&f3)) * 2.0 + tangent(&f4);
                position += slopes * (h / 6.0);
                frame += (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
            }
        }
    }
    (frame, position)
}

/// The series of a whole element summed at once, and what it went through.
#[derive(Clone, Copy, Debug)]
pub struct NaiveSum {
    /// The frame it gives.
    pub frame: Mat3,
    /// The position it gives, m.
    pub position: Vec3,
    /// Largest entry of any term: the top of the paper's hillock.
    pub largest_term: f64,
    /// Terms until they no longer changed the sum.
    pub terms: usize,
}

/// Sums the series of an element about its start without cutting it (eq. 10). Digits cancel: the
/// largest term times the precision of the arithmetic is lost.
pub fn naive_sum(element: &ClothoidElement) -> NaiveSum {
    const MOST: usize = 100_000;
    let l = element.length();
    let a = rotation::skew(&(element.curvature(0.0) * l));
    let b = rotation::skew(&(element.slope() * (l * l)));
    let (mut before, mut term) = (Mat3::zeros(), Mat3::identity());
    let (mut frame, mut position) = (Mat3::zeros(), Vec3::zeros());
    let (mut largest_term, mut terms) = (0.0f64, 0);
    while terms < MOST {
        frame += term;
        position += term.column(2) * (l / (terms + 1) as f64);
        largest_term = largest_term.max(term.amax());
        terms += 1;
        let next = (term * a + before * b) / terms as f64;
        (before, term) = (term, next);
        let size = term.amax().max(before.amax());
        // Past the hillock and too small to count, or past what numbers can hold.
        if size < f64::EPSILON * 1e-2 || !size.is_finite() {
            break;
        }
    }
    NaiveSum { frame, position, largest_term, terms }
}
