//! Writhe: by how many turns a curve winds about itself.
//!
//! Wr = (1/4π) ∬ (t × t′)·(x − x′)/|x − x′|³ ds ds′, summed exactly over pairs of segments: each pair contributes the
//! solid angle of the directions in which they are seen to cross (K. Klenin, J. Langowski, Biopolymers 54 (2000)
//! 307–317, method 1a). It changes continuously with the shape, but for a jump by ±2 where the curve passes through
//! itself.

use crate::algebra::Vec3;
use std::f64::consts::TAU;

/// Writhe of the open polygon through `points`, turns.
pub fn writhe(points: &[Vec3]) -> f64 {
    let mut sum = 0.0;
    for i in 2..points.len().saturating_sub(1) {
        let b = [points[i], points[i + 1]];
        sum += points[..i].windows(2).map(|a| crossing([a[0], a[1]], b)).sum::<f64>();
    }
    sum / TAU
}

/// How often the closed polygon through `a` is linked with that through `b`, a whole number but for round-off: ¼π of the solid
/// angles in which they are seen to cross.
pub fn linking(a: &[Vec3], b: &[Vec3]) -> f64 {
    let segments = |points: &[Vec3]| -> Vec<[Vec3; 2]> {
        (0..points.len()).map(|i| [points[i], points[(i + 1) % points.len()]]).collect()
    };
    let (a, b) = (segments(a), segments(b));
    a.iter().flat_map(|a| b.iter().map(|b| crossing(*a, *b))).sum::<f64>() / (2.0 * TAU)
}

/// The signed solid angle of the directions in which two segments are seen to cross.
fn crossing([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> f64 {
    let (ac, ad, bc, bd) = (c - a, d - a, c - b, d - b);
    let sides = [ac.cross(&ad), ad.cross(&bd), bd.cross(&bc), bc.cross(&ac)];
    let mut normals = [Vec3::zeros(); 4];
    for (normal, side) in normals.iter_mut().zip(&sides) {
        // Segments in one plane are seen to cross from nowhere.
        match side.try_normalize(f64::MIN_POSITIVE) {
            Some(unit) => *normal = unit,
            None => return 0.0,
        }
    }
    let angle: f64 = (0..4).map(|k| normals[k].dot(&normals[(k + 1) % 4]).clamp(-1.0, 1.0).asin()).sum();
    let handed = (d - c).cross(&(b - a)).dot(&ac);
    if handed == 0.0 { 0.0 } else { angle * handed.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(n: usize, at: impl Fn(f64) -> Vec3) -> Vec<Vec3> {
        (0..=n).map(|i| at(i as f64 / n as f64)).collect()
    }

    #[test]
    fn a_plane_curve_has_none() {
        let circle = curve(50, |t| Vec3::new((TAU * t).cos(), (TAU * t).sin(), 0.0));
        assert!(writhe(&circle).abs() < 1e-12);
    }

    /// A long helix of n turns and pitch angle ψ has n (1 − sin ψ) (F. B. Fuller, PNAS 68 (1971) 815–819).
    #[test]
    fn a_helix_has_that_of_fuller() {
        for (pitch, hand) in [(2.0, 1.0), (4.0, -1.0)] {
            // The ends of a finite one see less of it: the difference of two lengths leaves their effect out.
            let of = |turns: usize| {
                writhe(&curve(24 * turns, |t| {
                    let a = TAU * turns as f64 * t;
                    Vec3::new(a.cos(), hand * a.sin(), pitch * a / TAU)
                }))
            };
            let expected = hand * 8.0 * (1.0 - pitch / f64::hypot(pitch, TAU));
            let found = of(16) - of(8);
            assert!((found - expected).abs() < 0.02 * expected.abs(), "{found} {expected}");
        }
    }

    /// A loop pulled through itself: a jump by two, and none besides.
    #[test]
    fn passing_through_itself_costs_two() {
        let at = |z: f64| {
            writhe(&curve(60, |t| {
                let s = 2.0 * t - 1.0;
                Vec3::new(s * s * s - 0.5 * s, s * s, z * s)
            }))
        };
        let (below, above) = (at(1e-3), at(-1e-3));
        assert!((above - below - 2.0).abs() < 0.01, "{above} {below}");
        assert!((at(2e-3) - below).abs() < 0.01);
    }
}
