//! Piecewise helices along a curve by floating tangents.
//!
//! A helix between two points with given tangents t0, t1 exists and is unique if it is short, where the chord c has ⟨c, t1 − t0⟩ = 0
//! (F. Bertails-Descoubes, habilitation, theorem 4.1; A. Derouet-Jourdan et al., *Floating tangents for approximating spatial curves with
//! G¹ piecewise helices*, 2013). So tangents at the joints are taken from the curve, and the joints float: they move from the curve as
//! little as these N conditions ask for, which is one tridiagonal system of size N.
//!
//! The helix itself: with half the angle between the tangents C = cos β, S = sin β, m along t0 + t1 and n along t0 × t1, an axis
//! cos α n + sin α m makes the same angle with both tangents. About it the rotation is 2x with tan x = S/(C cos α), and the chord, per
//! arc length,
//!
//! ```text
//! c·m = C sin²α + g cos α,   c·n = sin α (C cos α − g),   g = S/x.
//! ```
//!
//! Its direction in the plane of m and n turns from 0 to −π while α goes from 0 to π: one root.

use crate::algebra::{Quat, Vec3, rotation};
use crate::geometry::darboux::{CurvePoint, ElementError, HelixElement};
use std::f64::consts::PI;

/// Tangents that differ by less are one, rad: the piece between them is straight.
const STRAIGHT: f64 = 1e-7;
/// Steps of the search for α at most: safeguarded, so that halving alone would do.
const STEPS: usize = 80;

/// A joint of a curve: where it is and where it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Position, m.
    pub position: Vec3,
    /// Unit tangent.
    pub tangent: Vec3,
}

/// A short helix between two joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortHelix {
    /// Darboux vector, world, 1/m.
    pub darboux: Vec3,
    /// Arc length, m.
    pub length: f64,
    /// What it turns about its axis, rad, up to 2π.
    pub turning: f64,
}

/// The short helix from `from` to `to`, as far as the chord allows one: what of the chord goes along t1 − t0 is left out. `None` where
/// there is no chord, or the tangents are opposite.
pub fn short_helix(from: &Joint, to: &Joint) -> Option<ShortHelix> {
    let (t0, t1) = (from.tangent, to.tangent);
    let chord = to.position - from.position;
    let (sum, difference) = (t0 + t1, t1 - t0);
    let (c, s) = (0.5 * sum.norm(), 0.5 * difference.norm());
    let size = chord.norm();
    if !(size > 0.0 && size.is_finite() && c > 1e-9) {
        return None;
    }
    if 2.0 * s < STRAIGHT {
        let along = chord.dot(&t0);
        return (along > 0.0).then_some(ShortHelix { darboux: Vec3::zeros(), length: along, turning: 0.0 });
    }
    let m = sum / (2.0 * c);
    let n = t0.cross(&t1) / (2.0 * c * s);
    let (along, across) = (chord.dot(&m), chord.dot(&n));
    // The mirror image across the plane of the tangents has the opposite α.
    let side = if across > 0.0 { -1.0 } else { 1.0 };
    let wanted = (-side * across).atan2(along).abs();
    let alpha = side * slope(c, s, wanted);
    let (sin, cos) = alpha.sin_cos();
    let x = s.atan2(c * cos);
    let g = s / x;
    let reach = (c * sin * sin + g * cos).hypot(sin * (c * cos - g));
    let length = along.hypot(across) / reach;
    let axis = n * cos + m * sin;
    (length.is_finite() && length > 0.0).then_some(ShortHelix {
        darboux: axis * (2.0 * x / length),
        length,
        turning: 2.0 * x,
    })
}

/// α in [0, π] at which the chord has turned by `wanted` in [0, π] out of the bisector of the tangents.
fn slope(c: f64, s: f64, wanted: f64) -> f64 {
    if wanted <= 0.0 {
        return 0.0;
    }
    let (sin_w, cos_w) = wanted.sin_cos();
    let (mut lo, mut hi) = (0.0, PI);
    // That of a piece that turns little: tan α = 3 tan η (C/S)².
    let first = (3.0 * sin_w * c * c).atan2(cos_w * s * s);
    let mut alpha = if first > lo && first < hi { first } else { 0.5 * PI };
    for _ in 0..STEPS {
        let (sin, cos) = alpha.sin_cos();
        let h2 = c * c * cos * cos + s * s;
        let x = s.atan2(c * cos);
        let g = s / x;
        let g_slope = -g / x * (s * c * sin / h2);
        let (p, q) = (c * sin * sin + g * cos, sin * (c * cos - g));
        // Sine of what is missing of the turn, below zero where α is too large.
        let f = q * cos_w + p * sin_w;
        let p_slope = 2.0 * c * sin * cos + g_slope * cos - g * sin;
        let q_slope = cos * (c * cos - g) - sin * (c * sin + g_slope);
        if f > 0.0 {
            lo = alpha;
        } else {
            hi = alpha;
        }
        let next = alpha - f / (q_slope * cos_w + p_slope * sin_w);
        let next = if next > lo && next < hi { next } else { 0.5 * (lo + hi) };
        let step = (next - alpha).abs();
        alpha = next;
        if step <= 1e-15 * (1.0 + alpha) {
            break;
        }
    }
    alpha
}

/// Moves the joints as little as needed for a helix between every two: the least squares of all shifts under ⟨p1 − p0, t1 − t0⟩ = 0.
pub fn float_joints(joints: &mut [Joint]) {
    let n = joints.len().saturating_sub(1);
    let d: Vec<Vec3> = joints.windows(2).map(|w| w[1].tangent - w[0].tangent).collect();
    let is_straight = |k: usize| d[k].norm() < STRAIGHT;
    // C Cᵀ λ = C p with the rows of C (−d, d); forward elimination, then back.
    let (mut upper, mut lambda) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n {
        if is_straight(k) {
            continue;
        }
        let beside = |i: usize| if is_straight(i) { 0.0 } else { -d[i].dot(&d[k]) };
        let before = if k > 0 { beside(k - 1) } else { 0.0 };
        let (up, known) = if k > 0 { (upper[k - 1], lambda[k - 1]) } else { (0.0, 0.0) };
        let pivot = 2.0 * d[k].norm_squared() - before * up;
        upper[k] = if k + 1 < n { beside(k + 1) / pivot } else { 0.0 };
        let missed = d[k].dot(&(joints[k + 1].position - joints[k].position));
        lambda[k] = (missed - before * known) / pivot;
    }
    for k in (0..n.saturating_sub(1)).rev() {
        lambda[k] -= upper[k] * lambda[k + 1];
    }
    for k in 0..n {
        joints[k].position += d[k] * lambda[k];
        joints[k + 1].position -= d[k] * lambda[k];
    }
}

/// A smooth chain of helices: position and tangent continuous.
#[derive(Clone, Debug, PartialEq)]
pub struct Helices {
    /// Where it begins, with the frame there.
    pub start: CurvePoint,
    /// Its elements in order; the Darboux vector of each is given in a material frame that is continuous along the chain.
    pub elements: Vec<HelixElement>,
    /// The most that one of them turns about its axis, rad: beyond π it winds, which a curve that is sampled well does not ask for.
    pub most_turning: f64,
}

/// Why there is no chain of helices.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TangentError {
    /// Fewer than two joints.
    #[error("{0} joints: expected two or more")]
    Joints(usize),
    /// No helix between two joints.
    #[error(
        "no helix from joint {0} to the next: their tangents are opposite, or the chord between them goes back; divide the curve into more \
         pieces"
    )]
    Reversed(usize),
    /// An element that is none.
    #[error("piece {0}: {1}")]
    Element(usize, ElementError),
}

/// The chain of helices along `joints`, which float first. `up` is where d1 leans at the beginning.
///
/// The frame goes on from joint to joint as the elements turn it, so that a rod of these elements has the Darboux vector of each in its own
/// axes, constant: the one framing that super-helices have (habilitation, 4.4.5).
pub fn helices(joints: &[Joint], up: &Vec3) -> Result<Helices, TangentError> {
    if joints.len() < 2 {
        return Err(TangentError::Joints(joints.len()));
    }
    let mut joints = joints.to_vec();
    float_joints(&mut joints);
    let start = CurvePoint { position: joints[0].position, frame: rotation::frame(&joints[0].tangent, up) };
    let mut frame: Quat = start.frame;
    let mut elements = Vec::with_capacity(joints.len() - 1);
    let mut most_turning: f64 = 0.0;
    for (k, w) in joints.windows(2).enumerate() {
        let own = short_helix(&w[0], &w[1]).ok_or(TangentError::Reversed(k))?;
        most_turning = most_turning.max(own.turning);
        let u = rotation::rotate(&frame.conjugate(), &own.darboux);
        elements.push(HelixElement::new(u, own.length).map_err(|e| TangentError::Element(k, e))?);
        frame *= rotation::exp(&(u * own.length));
        // Round-off of one joint does not lean into the next.
        frame = rotation::between(&rotation::tangent(&frame), &w[1].tangent) * frame;
        frame = frame * (1.0 / frame.norm());
    }
    Ok(Helices { start, elements, most_turning })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(p: CurvePoint) -> Joint {
        Joint { position: p.position, tangent: rotation::tangent(&p.frame) }
    }

    /// Every helix that turns by less than a full turn is found again from its ends.
    #[test]
    fn a_short_helix_is_found_from_its_ends() {
        let mut worst: f64 = 0.0;
        for k in 0..400 {
            let t = k as f64;
            let u = Vec3::new((1.3 * t).sin(), (0.7 * t).cos(), 1.5 * (0.31 * t).sin());
            let turning = 0.02 + 6.2 * (0.5 + 0.5 * (0.917 * t).sin()).powi(2);
            let helix = HelixElement::new(u * (turning / u.norm() / 0.3), 0.3).expect("an element");
            let (from, to) = (joint(CurvePoint::ORIGIN), joint(helix.point(0.3)));
            if from.tangent.dot(&to.tangent).abs() > 1.0 - 1e-6 {
                continue;
            }
            let chord = to.position - from.position;
            assert!(chord.dot(&(to.tangent - from.tangent)).abs() < 1e-14, "the condition of theorem 4.1");
            let found = short_helix(&from, &to).expect("a helix");
            let error = (found.darboux - helix.curvature()).norm() * 0.3 + (found.length / 0.3 - 1.0).abs();
            worst = worst.max(error);
            assert!(error < 1e-7, "{k}: turning {turning}: {error:.1e}");
        }
        println!("worst {worst:.1e}");
    }

    /// A chain of helices of unequal lengths, wound and bent, is left as it is: to round-off.
    #[test]
    fn helices_are_found_exactly() {
        let strains =
            [[3.0, 1.0, 2.0], [0.0, 4.0, -6.0], [0.0, 0.0, 0.0], [2.0, -2.0, 0.0], [-9.0, 4.0, 8.0]];
        let lengths = [0.1, 0.2, 0.15, 0.1, 0.13];
        let mut at = CurvePoint {
            position: Vec3::new(0.3, 0.1, -0.2),
            frame: rotation::exp(&Vec3::new(0.4, 1.0, 2.0)),
        };
        let first = at;
        let mut joints = vec![joint(at)];
        let own: Vec<HelixElement> = strains
            .iter()
            .zip(lengths)
            .map(|(u, l)| HelixElement::new(Vec3::from(*u), l).expect("an element"))
            .collect();
        for element in &own {
            at = element.point(element.length()).after(&at);
            joints.push(joint(at));
        }
        let up = rotation::rotate(&first.frame, &Vec3::x());
        let found = helices(&joints, &up).expect("helices");
        for (a, b) in found.elements.iter().zip(&own) {
            let error =
                (a.curvature() - b.curvature()).norm() * b.length() + (a.length() / b.length() - 1.0).abs();
            assert!(error < 1e-9, "{a:?} {b:?}");
        }
        assert!((found.start.position - first.position).norm() < 1e-14);
    }

    /// The joints move by the least that does: the shift is a combination of the conditions' gradients, and they hold.
    #[test]
    fn joints_float_by_the_least() {
        let mut joints: Vec<Joint> = (0..8)
            .map(|k| {
                let t = 0.4 * k as f64;
                let tangent = Vec3::new(t.cos(), t.sin(), 0.3 + 0.1 * t).normalize();
                Joint { position: Vec3::new(t.sin(), -t.cos(), 0.35 * t + 0.02 * (3.0 * t).sin()), tangent }
            })
            .collect();
        let before = joints.clone();
        float_joints(&mut joints);
        let conditions =
            joints.windows(2).map(|w| (w[1].position - w[0].position).dot(&(w[1].tangent - w[0].tangent)));
        assert!(conditions.fold(0.0f64, |m, c| m.max(c.abs())) < 1e-15);
        // A shift along any direction that keeps the conditions is square to what was moved.
        let moved: Vec<Vec3> = joints.iter().zip(&before).map(|(a, b)| a.position - b.position).collect();
        assert!(moved.iter().map(Vec3::norm).fold(0.0, f64::max) > 1e-4);
        for k in 0..8 {
            let mut across = Vec3::zeros();
            // Square to both differences at this joint: moving it alone keeps both conditions.
            let d = |i: usize| before[i + 1].tangent - before[i].tangent;
            if k > 0 && k < 7 {
                across = d(k - 1).cross(&d(k));
            }
            assert!(moved[k].dot(&across).abs() < 1e-16);
        }
        let all: Vec3 = moved.iter().sum();
        assert!(all.norm() < 1e-15, "a shift of all keeps the conditions too: {all}");
    }

    #[test]
    fn what_has_no_helix_is_refused() {
        let a = Joint { position: Vec3::zeros(), tangent: Vec3::x() };
        let back = Joint { position: Vec3::y(), tangent: -Vec3::x() };
        assert_eq!(short_helix(&a, &back), None);
        assert_eq!(short_helix(&a, &a), None);
        assert_eq!(helices(&[a], &Vec3::z()).unwrap_err(), TangentError::Joints(1));
        assert_eq!(helices(&[a, back], &Vec3::z()).unwrap_err(), TangentError::Reversed(0));
    }
}
