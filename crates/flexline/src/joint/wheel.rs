//! Wheels: a rim that rope lies on, and the bend beside it.
//!
//! On the rim the rope has the curvature 1/R; off it, near it, it bends as a long elastica under its
//! tension T, whose curvature κ and angle α to the line of tension keep ½Kκ² = T (1 − cos α). So it
//! leaves where
//!
//! ```text
//! cos α = 1 − K/(2TR²)
//! ```
//!
//! the rope being turned away from the line of tension, towards the wheel, by α. A rope so stiff that both sides would
//! leave before they have come touches the rim at one place.
//!
//! Reference: the first integral of the elastica, e.g. A. E. H. Love, Mathematical Theory of
//! Elasticity, §262.

use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::rod::AnyRod;
use serde::{Deserialize, Serialize};

/// Lengths √(K/T) over which a bend beside a wheel has died out.
pub(crate) const BENDS: f64 = 4.0;

/// A wheel that a rope runs over, on any body. Where the rope touches it first and last is part of
/// the state; between them it lies on the rim, and its weight there is left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wheel {
    /// The anchor it is mounted on.
    pub on: usize,
    /// Its pose there: the origin is its centre, the third axis its axle. The rope goes round the
    /// axle by the right hand.
    pub pose: Pose,
    /// Radius to the centre of the rope, m.
    pub radius: f64,
    /// Angles, from the first axis of its pose, at which the rope first touches and leaves it, rad: a
    /// first guess, full turns count.
    pub contact: [f64; 2],
}

impl Wheel {
    /// Pose of the rope at an angle of the rim, in the axes of the anchor: its third director is
    /// along the rope, its first outwards.
    pub fn rim(&self, angle: f64) -> Pose {
        let turned = self.pose.orientation * rotation::exp(&Vec3::new(0.0, 0.0, angle));
        let out = rotation::rotate(&turned, &Vec3::x());
        let along = rotation::rotate(&turned, &Vec3::y());
        Pose { position: self.pose.position + out * self.radius, orientation: rotation::frame(&along, &out) }
    }
}

/// How far a rope under tension is turned from the line of tension where it leaves a wheel, rad.
pub(crate) fn lift(wheel: &Wheel, rod: &AnyRod, tension: f64) -> f64 {
    let twice = 2.0 * tension * wheel.radius * wheel.radius;
    // A rope too stiff for the wheel touches it at one place.
    (1.0 - bending(rod) / twice.max(f64::MIN_POSITIVE)).max(-1.0).acos()
}

/// How far a rope that touches the rim at one place is turned there from the line of tension before it, where the lines
/// before and after enclose an `angle`. The wheel bends nothing there, so that the curvature is the same on both sides:
/// T₁ (1 − cos α₁) = T₂ (1 − cos α₂).
pub(crate) fn touching(angle: f64, before: f64, after: f64) -> f64 {
    let (first, last) = (before.sqrt(), after.sqrt());
    2.0 * (last * (0.5 * angle).sin()).atan2(first + last * (0.5 * angle).cos())
}

/// What a bend by `angle` beside a wheel takes up beyond what segments show, m.
///
/// Against its asymptote an elastica takes ∫ (1 − cos θ) ds = 2λ (1 − cos α/2) more, λ = √(K/T). A
/// chain of segments of length l = qλ that is clamped at the rim bends by θ₀ = 2α/(3 − r + q²) in its
/// first segment and by the share r of it in each that follows, r + 1/r = 2 + q² (small angles): of
/// λα²/4 it shows ½ l θ₀²/(1 − r²).
pub(crate) fn unseen(bending: f64, tension: f64, segment: f64, angle: f64) -> f64 {
    if bending <= 0.0 || tension <= 0.0 {
        return 0.0;
    }
    let decay = (bending / tension).sqrt();
    let q = segment / decay;
    let ratio = (-2.0 * (0.5 * q).asinh()).exp();
    let first = 2.0 / (3.0 - ratio + q * q);
    let shown = 2.0 * q * first * first / (1.0 - ratio * ratio);
    2.0 * decay * (1.0 - (0.5 * angle).cos()) * (1.0 - shown).max(0.0)
}

/// Mean bending stiffness at the start of a rod.
pub(crate) fn bending(rod: &AnyRod) -> f64 {
    let k = rod.first_stiffness();
    0.5 * (k.x + k.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a chain under tension, clamped at `angle` to it, takes up in its segments: small angles, and
    /// no closed form but the balance of every segment, solved from the far end.
    fn shown(bending: f64, tension: f64, segment: f64, angle: f64) -> f64 {
        // θ_{i−1} − (2 + q²) θ_i + θ_{i+1} = 0: the ratio of neighbours, from a far end that is straight.
        let q2 = tension * segment * segment / bending;
        let mut ratio = 0.0;
        for _ in 0..20_000 {
            ratio = 1.0 / (2.0 + q2 - ratio);
        }
        // The clamp is half a segment from the first frame.
        let mut turn = 2.0 * angle / (3.0 + q2 - ratio);
        let mut sum = 0.0;
        while turn > 1e-9 * angle {
            sum += 0.5 * segment * turn * turn;
            turn *= ratio;
        }
        sum
    }

    #[test]
    fn segments_and_what_they_do_not_show_make_up_the_elastica() {
        let (bending, tension, angle) = (1e-3, 12.0, 1e-2);
        // ∫ (1 − cos θ)/κ dθ with ½Kκ² = T (1 − cos θ), by the midpoint rule.
        let steps = 1000;
        let whole: f64 = (0..steps)
            .map(|i| {
                let bend: f64 = 1.0 - (angle * (f64::from(i) + 0.5) / f64::from(steps)).cos();
                bend / (2.0 * tension * bend / bending).sqrt() * angle / f64::from(steps)
            })
            .sum();
        for segment in [1e-3, 4e-3, 9e-3, 4e-2, 0.3] {
            let seen = shown(bending, tension, segment, angle);
            let rest = unseen(bending, tension, segment, angle);
            assert!(rest > 0.0 && ((seen + rest) / whole - 1.0).abs() < 1e-4, "{segment}: {seen} {rest}");
        }
        // Slack or limp rope has no bend to speak of.
        assert_eq!(unseen(bending, 0.0, 0.01, angle), 0.0);
        assert_eq!(unseen(0.0, tension, 0.01, angle), 0.0);
        assert!(unseen(bending, 1e-12, 0.01, 3.0) < 1e-6);
    }
}
