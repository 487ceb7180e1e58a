//! Pulling a cable until something is so: a search for its length.

use super::Solved;
use super::present::Present;
use crate::command::{Pull, Quantity, mistake, place_on};
use flexline::Vec3;
use flexline::solver::Status;
use flexline_scene::units::Dimension;
use flexline_scene::words::{digits, millimetres, quote};
use flexline_scene::{Code, SceneError};

/// Steps to find a length that is far enough, and to halve the way to the right one.
const REACH: usize = 24;
const HALVES: usize = 30;
/// The first step, as a share of the piece; each further one is larger by half.
const FIRST: f64 = 0.002;
/// How near the goal is near enough, relative.
const NEAR: f64 = 1e-4;
/// How near it must be for the search to have found it.
const ROUGHLY: f64 = 1e-2;

impl Present<'_> {
    /// The length of the piece at which the goal is reached.
    pub(super) fn pulled(
        &self,
        cable: &str,
        between: Option<&[Quantity; 2]>,
        goal: &Pull,
    ) -> Result<Quantity, SceneError> {
        if self.is_routed(cable) {
            let message =
                format!("cable '{}' finds its own length: pulling does not change it", quote(cable));
            let help = "switch routing off first, or change what it pays: {\"do\": \"route\", …}";
            return Err(mistake(Code::Conflict, "pull", message, help));
        }
        let whole = [Quantity::Text("from".into()), Quantity::Text("to".into())];
        let [a, b] = between.unwrap_or(&whole);
        let (a, b) = (place_on(self.text, "between", cable, a)?, place_on(self.text, "between", cable, b)?);
        let (a, b) = (a.min(b), a.max(b));
        let now = b - a;
        let (wanted, key) = match goal {
            Pull::Tension(tension) => (tension.read("tension", Dimension::Force)?, "tension"),
            Pull::Moves { by, .. } => (by.read("by", Dimension::Length)?, "moves"),
        };
        if wanted <= 0.0 {
            let message = format!("`{key}` = {} is out of range", digits(wanted));
            return Err(mistake(Code::OutOfRange, "pull", message, "expected more than zero"));
        }
        let from = match goal {
            Pull::Moves { point, .. } => {
                Some(self.solved.pose(point).map(|p| p.position).ok_or_else(|| {
                    let message = format!("`point` = \"{}\" is not a thing of this harness", quote(point));
                    mistake(Code::UnknownName, "pull", message, "name a junction, part, clip, eye or bead")
                })?)
            }
            Pull::Tension(_) => None,
        };
        // How far the goal is: grows as the cable is pulled in, or let out. What does not reach or settle is beyond any goal.
        let measure = |solved: &Solved, length: f64| match goal {
            _ if solved.status() != Status::Converged => f64::INFINITY,
            Pull::Tension(_) => tension(solved, cable, [a, a + length]) - wanted,
            Pull::Moves { point, .. } => {
                let at = solved.pose(point).map_or_else(Vec3::zeros, |p| p.position);
                (at - from.unwrap_or(at)).norm() - wanted
            }
        };
        let out = match goal {
            Pull::Moves { out, .. } => *out,
            Pull::Tension(_) => measure(self.solved, now) > 0.0,
        };
        // With tension above the goal, letting out brings it down: the same search with the sign turned.
        let sign = if out && matches!(goal, Pull::Tension(_)) { -1.0 } else { 1.0 };
        let way = if out { 1.0 } else { -1.0 };
        let mut near = now;
        let mut step = FIRST * now;
        let mut best = f64::NEG_INFINITY;
        for _ in 0..REACH {
            let far = near + way * step;
            if far <= 0.01 * now {
                break;
            }
            let value = sign * measure(&self.with_length(cable, between, far)?, far);
            if value >= 0.0 {
                let (length, value) =
                    self.halve(cable, between, [near, far], &|s, l| sign * measure(s, l), wanted)?;
                if value.abs() <= ROUGHLY * wanted {
                    return Ok(length);
                }
                best = best.max(value);
                break;
            }
            best = best.max(value);
            near = far;
            step *= 1.5;
        }
        let reached = match goal {
            Pull::Tension(_) => format!("{} N", digits(wanted + sign * best)),
            Pull::Moves { .. } => millimetres((wanted + best).max(0.0)),
        };
        let message =
            format!("`pull` of cable '{}' does not reach its goal: it comes to {reached}", quote(cable));
        Err(mistake(Code::OutOfRange, "pull", message, "ask for less, or give a length"))
    }

    /// Between a length that is not far enough and one that is, the one that just is, and what is left to the goal.
    fn halve(
        &self,
        cable: &str,
        between: Option<&[Quantity; 2]>,
        [mut near, mut far]: [f64; 2],
        measure: &dyn Fn(&Solved, f64) -> f64,
        wanted: f64,
    ) -> Result<(Quantity, f64), SceneError> {
        let mut reached = f64::NEG_INFINITY;
        for _ in 0..HALVES {
            let middle = 0.5 * (near + far);
            let value = measure(&self.with_length(cable, between, middle)?, middle);
            if value.abs() <= NEAR * wanted {
                return Ok((Quantity::metres(middle), value));
            }
            if value >= 0.0 {
                far = middle;
            } else {
                (near, reached) = (middle, value);
            }
        }
        Ok((Quantity::metres(near), reached))
    }
}

/// The largest tension of a piece of a cable, N.
fn tension(solved: &Solved, cable: &str, [from, to]: [f64; 2]) -> f64 {
    let samples = solved.profile(cable).map_or(&[][..], |profile| &profile.samples);
    let inside = samples.iter().filter(|s| s.s >= from - 1e-9 && s.s <= to + 1e-9);
    inside.map(flexline::solver::Sample::tension).fold(f64::NEG_INFINITY, f64::max)
}
