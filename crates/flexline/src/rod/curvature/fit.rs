//! Curvatures of a given shape: the Darboux vector of its frames, fitted by least squares.

use super::{Basis, CurvatureRod};
use crate::algebra::{Vec3, rotation};
use crate::rod::{Rod, Station};

/// Stretches of an element over which its Darboux vector is averaged. Frames may turn by less than half a
/// turn from one to the next.
const STRETCHES: usize = 16;

/// Rounds in which what the fit misses is fitted again: a shape that the rod can take is found exactly.
const ROUNDS: usize = 4;

/// v for which the frames of the rod follow those of `shape`.
pub(super) fn curvatures(rod: &CurvatureRod, shape: &dyn Fn(f64) -> Station) -> Vec<Vec3> {
    // How far the shape turns over every stretch.
    let mut wanted = Vec::with_capacity(STRETCHES * rod.elements());
    let mut begin = 0.0;
    for share in &rod.shares {
        let mut last = shape(begin * rod.length()).frame;
        for k in 1..=STRETCHES {
            let next = shape((begin + share * k as f64 / STRETCHES as f64) * rod.length()).frame;
            wanted.push(rotation::log(&(last.conjugate() * next)));
            last = next;
        }
        begin += share;
    }
    let mut v = least_squares(rod, &wanted);
    for _ in 0..ROUNDS {
        let state = rod.state_of(&Station { position: Vec3::zeros(), frame: rotation::identity() }, &v);
        let mut missed = wanted.clone();
        for e in 0..rod.elements() {
            let Some(curve) = rod.curve(&state.coordinates, e) else { return v };
            let mut last = rotation::identity();
            for k in 1..=STRETCHES {
                let next = curve.point(curve.length() * k as f64 / STRETCHES as f64).frame;
                missed[STRETCHES * e + k - 1] -= rotation::log(&(last.conjugate() * next));
                last = next;
            }
        }
        for (v, more) in v.iter_mut().zip(least_squares(rod, &missed)) {
            *v += more;
        }
    }
    v
}

/// v whose integrals over all stretches come nearest to the given rotations.
fn least_squares(rod: &CurvatureRod, turned: &[Vec3]) -> Vec<Vec3> {
    let n = rod.elements();
    let helix = rod.basis() == Basis::Helix;
    let mut diagonal = vec![Vec3::zeros(); rod.curvatures()];
    let mut beside = diagonal.clone();
    let mut right = diagonal.clone();
    let one = Vec3::new(1.0, 1.0, 1.0);
    for e in 0..n {
        let h = rod.shares[e] / STRETCHES as f64;
        for k in 0..STRETCHES {
            let turned = turned[STRETCHES * e + k];
            let i = rod.first[e];
            if helix {
                right[i] += turned;
                diagonal[i] += one * h;
                continue;
            }
            let [a, b] = rod.shapes((k as f64 + 0.5) / STRETCHES as f64);
            right[i] += turned * a;
            right[i + 1] += turned * b;
            diagonal[i] += one * (a * a * h);
            diagonal[i + 1] += one * (b * b * h);
            beside[i] += one * (a * b * h);
        }
    }
    tridiagonal(diagonal, &beside, right)
}

/// Solves a symmetric tridiagonal system, axis by axis.
pub(super) fn tridiagonal(mut diagonal: Vec<Vec3>, beside: &[Vec3], mut right: Vec<Vec3>) -> Vec<Vec3> {
    let n = diagonal.len();
    for i in 1..n {
        let factor = beside[i - 1].component_div(&diagonal[i - 1]);
        diagonal[i] -= factor.component_mul(&beside[i - 1]);
        let before = right[i - 1];
        right[i] -= factor.component_mul(&before);
    }
    for i in (0..n).rev() {
        let beyond = if i + 1 < n { beside[i].component_mul(&right[i + 1]) } else { Vec3::zeros() };
        right[i] = (right[i] - beyond).component_div(&diagonal[i]);
    }
    right
}
