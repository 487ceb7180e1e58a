//! Directions across a centreline that turn as little as possible (Wang, Jüttler, Zheng, Liu 2008: double reflection).

use super::spline::Spline;
use flexline::Vec3;

/// Directions at even parameters of a curve.
pub(super) struct Frames {
    range: [f64; 2],
    across: Vec<Vec3>,
    tangents: Vec<Vec3>,
}

impl Frames {
    pub(super) fn new(curve: &Spline, steps: usize) -> Self {
        let range = [curve.knots[0], curve.knots[curve.knots.len() - 1]];
        let at = |i: usize| range[0] + (range[1] - range[0]) * i as f64 / steps as f64;
        let tangents: Vec<Vec3> = (0..=steps).map(|i| curve.slope(at(i)).normalize()).collect();
        let t = tangents[0];
        let helper = if t.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
        let mut across = vec![t.cross(&helper).normalize()];
        for i in 0..steps {
            let (p, q) = (curve.at(at(i)), curve.at(at(i + 1)));
            let r = across[i];
            let v1 = q - p;
            let c1 = v1.norm_squared().max(f64::MIN_POSITIVE);
            let (rl, tl) =
                (r - v1 * (2.0 / c1 * v1.dot(&r)), tangents[i] - v1 * (2.0 / c1 * v1.dot(&tangents[i])));
            let v2 = tangents[i + 1] - tl;
            let c2 = v2.norm_squared().max(f64::MIN_POSITIVE);
            let next = rl - v2 * (2.0 / c2 * v2.dot(&rl));
            // Round-off does not add up.
            let next = next - tangents[i + 1] * tangents[i + 1].dot(&next);
            across.push(next.normalize());
        }
        Self { range, across, tangents }
    }

    /// Two directions across and that along, at a parameter.
    pub(super) fn at(&self, u: f64) -> [Vec3; 3] {
        let steps = self.across.len() - 1;
        let x =
            ((u - self.range[0]) / (self.range[1] - self.range[0]) * steps as f64).clamp(0.0, steps as f64);
        let i = (x as usize).min(steps - 1);
        let share = x - i as f64;
        let t = (self.tangents[i] * (1.0 - share) + self.tangents[i + 1] * share).normalize();
        let r = self.across[i] * (1.0 - share) + self.across[i + 1] * share;
        let r = (r - t * t.dot(&r)).normalize();
        [r, t.cross(&r), t]
    }
}
