//! Turns that a rod loses by passing through itself.
//!
//! Between two clamps twist may become writhe and back, but their sum changes by what the clamps are turned alone, as
//! long as the rod does not pass through itself, which costs ±2 (G. Călugăreanu 1961; J. H. White, Am. J. Math. 91
//! (1969) 693–728; F. B. Fuller, PNAS 75 (1978) 3557–3561). The rod is closed by the straight lines that its clamps
//! point along, met far away by an arc in their plane: then
//!
//! ```text
//! Lk = Tw + Wr + α/2π
//! ```
//!
//! is an integer, α being the angle from the last frame, carried over that arc, to the first. Two shapes are compared by
//! the change of Lk, α followed along the shortest rotation of the clamps from the one to the other. To pass over the
//! line behind a clamp counts like passing through itself: there is what the clamp is fixed to.

use crate::algebra::{Quat, Vec3, rotation};
use crate::geometry::writhe::writhe;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// How far the lines behind the clamps go, in lengths of the rod.
const FAR: f64 = 1e3;
/// Most points of a rod that are looked at.
const MOST_POINTS: usize = 160;
/// Steps in which the rotation of the clamps is followed.
const STEPS: usize = 32;
/// Clamps that point opposite ways to within this cosine are carried over no arc that could be told from others.
const OPPOSITE: f64 = -0.995;
/// Tangents of clamps that change by less than this stay.
const STEADY: f64 = 1e-9;
/// How far from an integer the change of Lk may be found, turns.
const NOISE: f64 = 0.3;
/// Twist that changes by less than this, turns, is not worth a look.
pub const NOTICED: f64 = 0.5;

/// How a rod between two clamps is wound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Winding {
    /// Points along it, m, world.
    pub points: Vec<Vec3>,
    /// Frames of its clamps, before they were turned about the tangent; those of a ring are its seam.
    pub clamps: [Quat; 2],
    /// What the far clamp was turned by more than the first, rad.
    pub turned: f64,
    /// Twist in the rod, turns.
    pub twist: f64,
    /// Whether it is a ring.
    pub closed: bool,
}

/// How the twist of a rod changed beyond what its clamps were turned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// Not by much, or it is in the shape.
    None,
    /// It passed through itself and lost this even number of turns.
    Through(i32),
    /// It cannot be told how.
    Unknown,
}

impl Winding {
    /// What became of the turns of `before`.
    pub fn slip_since(&self, before: &Self) -> Slip {
        let commanded = (self.turned - before.turned) / TAU;
        let unasked = self.twist - before.twist - commanded;
        if !(unasked.is_finite() && self.points.len() > 2 && before.points.len() > 2) {
            return Slip::Unknown;
        }
        if unasked.abs() < NOTICED {
            return Slip::None;
        }
        let Some(carried) = carried(&before.clamps, &self.clamps).filter(|_| self.closed == before.closed)
        else {
            return Slip::Unknown;
        };
        let change = unasked + self.writhe() - before.writhe() + carried / TAU;
        let whole = change.round();
        if (change - whole).abs() > NOISE || whole.rem_euclid(2.0) != 0.0 {
            return Slip::Unknown;
        }
        if whole == 0.0 { Slip::None } else { Slip::Through(-whole as i32) }
    }

    /// Writhe with the lines behind the clamps, turns.
    fn writhe(&self) -> f64 {
        let stride = self.points.len().div_ceil(MOST_POINTS);
        let last = self.points.len() - 1;
        let mut points: Vec<Vec3> = self.points.iter().step_by(stride).copied().collect();
        if !last.is_multiple_of(stride) {
            points.push(self.points[last]);
        }
        if !self.closed {
            let length: f64 = points.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
            let [first, last] = self.clamps.map(|q| rotation::tangent(&q) * (FAR * length));
            points.insert(0, points[0] - first);
            points.push(points[points.len() - 1] + last);
        }
        writhe(&points)
    }
}

/// How α changes with the clamps, rad, each going the shortest way; `None` where they come to point opposite ways on it.
pub fn carried(from: &[Quat; 2], to: &[Quat; 2]) -> Option<f64> {
    if from == to {
        return Some(0.0);
    }
    let steady = |k: usize| (rotation::tangent(&from[k]) - rotation::tangent(&to[k])).norm() < STEADY;
    if steady(0) && steady(1) {
        // They turn about themselves, and the arc between them stays.
        let roll = |k: usize| rotation::log(&(from[k].conjugate() * to[k])).z;
        return Some(roll(0) - roll(1));
    }
    let turns = [0, 1].map(|k| rotation::log(&(to[k] * from[k].conjugate())));
    let at = |share: f64| [0, 1].map(|k| rotation::exp(&(turns[k] * share)) * from[k]);
    let mut last = closing_angle(&at(0.0))?;
    let mut sum = 0.0;
    for k in 1..=STEPS {
        let next = closing_angle(&at(k as f64 / STEPS as f64))?;
        let step = next - last;
        sum += step - TAU * (step / TAU).round();
        last = next;
    }
    Some(sum)
}

/// α, rad, to within full turns.
fn closing_angle([first, last]: &[Quat; 2]) -> Option<f64> {
    let [a, b] = [first, last].map(rotation::tangent);
    if a.dot(&b) < OPPOSITE {
        return None;
    }
    let carried = rotation::between(&b, &a) * last;
    let turn = carried.conjugate() * first;
    Some(2.0 * turn.k.atan2(turn.w))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rod along a curve, its frames carried without twist and then twisted evenly; tangents at its ends as given.
    fn along(points: &[Vec3], twist: f64, turned: f64, ends: [Vec3; 2]) -> Winding {
        let mut q = rotation::frame(&ends[0], &Vec3::new(0.3, 0.5, 0.7));
        let first = q;
        let tangents = points.windows(2).map(|w| (w[1] - w[0]).normalize()).chain([ends[1]]);
        for t in tangents {
            q = rotation::between(&rotation::tangent(&q), &t) * q;
        }
        let last = q * rotation::exp(&Vec3::new(0.0, 0.0, TAU * twist - turned));
        Winding { points: points.to_vec(), clamps: [first, last], turned, twist, closed: false }
    }

    /// A straight rod with a loop of the given height in it, to one side of itself or to the other.
    fn looped(radius: f64, side: f64) -> Vec<Vec3> {
        let n = 120;
        (0..=n)
            .map(|i| {
                let t = i as f64 / n as f64;
                let a = TAU * (3.0 * t - 1.0).clamp(0.0, 1.0);
                let along =
                    Vec3::new(2.0 * t - 1.0, side * 0.2 * (1.0 - (TAU * t).cos()) * (2.0 * t - 1.0), 0.0);
                along + Vec3::new(radius * a.sin(), 0.0, radius * (1.0 - a.cos()))
            })
            .collect()
    }

    /// Lk is an integer: twist that goes into a loop of either hand is no loss, and the loop through itself is two turns.
    #[test]
    fn a_loop_is_worth_its_turns() {
        let ends = [Vec3::x(); 2];
        let straight: Vec<Vec3> = looped(0.0, 0.0);
        let before = along(&straight, 2.0, 2.0 * TAU, ends);
        let mut slips = Vec::new();
        for side in [1.0, -1.0] {
            let shape = looped(0.3, side);
            // The twist for which the clamps fit, in steps of a turn.
            let free = along(&shape, 0.0, 0.0, ends);
            let gap = {
                let p = free.clamps[1].conjugate() * before.clamps[1];
                2.0 * p.k.atan2(p.w) / TAU
            };
            for k in -4..=4 {
                let twist = gap + f64::from(k);
                let after = Winding { twist, turned: 2.0 * TAU, clamps: before.clamps, ..free.clone() };
                slips.push((side, twist, after.slip_since(&before)));
            }
        }
        // What changes by less than half a turn is not looked at.
        slips.retain(|(_, twist, _)| (twist - before.twist).abs() > NOTICED);
        // For either hand one twist is what is left of the two turns, near 2 ∓ 1; the next ones are odd and impossible.
        for side in [1.0, -1.0] {
            let kept: Vec<f64> =
                slips.iter().filter(|s| s.0 == side && s.2 == Slip::None).map(|s| s.1).collect();
            assert_eq!(kept.len(), 1, "{slips:?}");
            assert!((kept[0] - 2.0).abs() > 0.5 && (kept[0] - 2.0).abs() < 1.2, "{kept:?}");
            for (_, twist, slip) in slips.iter().filter(|s| s.0 == side && s.2 != Slip::None) {
                let steps = (kept[0] - twist).round() as i32;
                let expected = if steps % 2 == 0 { Slip::Through(steps) } else { Slip::Unknown };
                assert_eq!(*slip, expected, "{twist}");
            }
        }
    }

    #[test]
    fn turns_of_the_hand_are_no_loss() {
        let ends = [Vec3::x(); 2];
        let straight = looped(0.0, 0.0);
        let before = along(&straight, 0.0, 0.0, ends);
        for turns in [-3.0, 0.5, 1.0, 20.0] {
            let after = along(&straight, turns, TAU * turns, ends);
            assert_eq!(after.slip_since(&before), Slip::None);
            // Asked for and not there.
            let dropped = Winding { twist: 0.0, ..after.clone() };
            let expected = if turns == 20.0 { Slip::Through(20) } else { Slip::Unknown };
            assert_eq!(dropped.slip_since(&before), expected, "{turns}");
        }
    }

    /// A clamp that is led about, its frame with it: the rod follows, whatever becomes of twist and writhe.
    #[test]
    fn clamps_may_be_led_about() {
        let arc = |angle: f64| -> Vec<Vec3> {
            // Out along x, then round a quarter of a helix whose end points anywhere.
            let n = 100;
            (0..=n)
                .map(|i| {
                    let t = i as f64 / n as f64;
                    Vec3::new(
                        (1.6 * t).sin(),
                        (1.0 - (1.6 * t).cos()) * (angle * t).cos(),
                        t * t * (angle * t).sin(),
                    )
                })
                .collect()
        };
        let winding = |angle: f64| {
            let points = arc(angle);
            let n = points.len();
            let ends = [(points[1] - points[0]).normalize(), (points[n - 1] - points[n - 2]).normalize()];
            along(&points, 1.0, TAU, ends)
        };
        let first = winding(0.0);
        for k in 1..=10 {
            let own = winding(0.2 * f64::from(k));
            // Its twist is exactly what the hand left in it: no change to tell, though clamps and writhe have changed.
            let change = own.writhe() - first.writhe() + carried(&first.clamps, &own.clamps).unwrap() / TAU;
            assert!(change.abs() < 0.02, "{k}: {change}");
        }
    }
}
