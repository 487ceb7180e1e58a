//! The Darboux problem in twice the precision: slow, and right to the last digit of a double.
//!
//! Plain Taylor steps of the frame matrix about the start of each step, of at most half a radian: no
//! piece rule, no quaternions, nothing of what it is there to judge.

use super::ClothoidElement;
use crate::algebra::double_double::DoubleDouble as Dd;
use crate::algebra::{Mat3, Vec3};

/// Largest turning of a step, rad.
const STEP: f64 = 0.5;
/// Terms of a step: 0.5^n/n! is below 1e-33 by then, also where the slope dominates.
const TERMS: usize = 40;

/// A curve with u = start + slope s, all in twice the precision.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceCurve {
    /// Darboux vector at s = 0, 1/m.
    pub start: [Dd; 3],
    /// Its slope, 1/m².
    pub slope: [Dd; 3],
    /// Arc length, m.
    pub length: f64,
}

/// The end of a reference curve that starts at the origin with the identity frame.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceEnd {
    /// Position, m.
    pub position: [Dd; 3],
    /// Frame: rows of R.
    pub frame: [[Dd; 3]; 3],
}

impl From<&ClothoidElement> for ReferenceCurve {
    fn from(element: &ClothoidElement) -> Self {
        let wide = |v: Vec3| [v.x, v.y, v.z].map(Dd::from);
        Self { start: wide(element.curvature(0.0)), slope: wide(element.slope()), length: element.length() }
    }
}

impl ReferenceEnd {
    /// The position rounded to double precision.
    pub fn position(&self) -> Vec3 {
        Vec3::new(self.position[0].hi, self.position[1].hi, self.position[2].hi)
    }

    /// The frame rounded to double precision.
    pub fn frame(&self) -> Mat3 {
        Mat3::from_fn(|i, j| self.frame[i][j].hi)
    }
}

/// w × u for rows w of the frame: `(w R)′ = w R [u]×`.
fn cross(w: &[Dd; 3], u: &[Dd; 3]) -> [Dd; 3] {
    [w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]]
}

impl ReferenceCurve {
    fn curvature(&self, s: Dd) -> [Dd; 3] {
        std::array::from_fn(|i| self.start[i] + self.slope[i] * s)
    }

    /// The end of the curve.
    pub fn end(&self) -> ReferenceEnd {
        let norm = |u: &[Dd; 3]| Vec3::new(u[0].hi, u[1].hi, u[2].hi).norm();
        let last = self.curvature(Dd::from(self.length));
        let turning = norm(&self.start).max(norm(&last)) * self.length;
        let count = (turning / STEP).ceil().max(1.0);
        let step = Dd::from(self.length).over(count);
        let zero = [Dd::ZERO; 3];
        let mut frame = [0, 1, 2].map(|i| {
            let mut row = zero;
            row[i] = Dd::ONE;
            row
        });
        let mut position = zero;
        let slope = self.slope.map(|c| c * step * step);
        for k in 0..count as usize {
            let u = self.curvature(step * Dd::from(k as f64)).map(|c| c * step);
            for i in 0..3 {
                let (mut before, mut term) = (zero, frame[i]);
                let mut sum = zero;
                let mut travel = Dd::ZERO;
                for n in 0..TERMS {
                    for j in 0..3 {
                        sum[j] += term[j];
                    }
                    travel += term[2].over((n + 1) as f64);
                    let (p, q) = (cross(&term, &u), cross(&before, &slope));
                    let next = std::array::from_fn(|j| (p[j] + q[j]).over((n + 1) as f64));
                    (before, term) = (term, next);
                }
                frame[i] = sum;
                position[i] += travel * step;
            }
        }
        ReferenceEnd { position, frame }
    }
}
