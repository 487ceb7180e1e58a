//! Friction where rope slides: stick and slip (Euler, Eytelwein).
//!
//! The tensions T1, T2 on the two sides of an eye or a wheel that the rope turns round by φ keep
//! |T2 − T1| ≤ (T1 + T2) tanh(µφ/2), which is T2 ≤ T1 e^{µφ} and the same with sides changed. A rope too stiff for its
//! wheel touches it at one place: there φ vanishes, and the bound is µ times the force of the wheel (Coulomb). Given
//! the bounds, friction has an energy, bound × way, softened over a hair's breadth, and Newton's
//! method finds what sticks and what slips. The bounds follow the tensions (`follow.rs`).

use super::NetworkWorkspace;
use super::model::{Network, Slide};
use super::state::NetworkState;
use serde::{Deserialize, Serialize};

/// Angle on a rim below which a rope touches it at one place, rad.
const ONE_PLACE: f64 = 1e-6;

/// What goes on where rope slides from one span to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EyeReport {
    /// Tension of the rope before and after the eye, N.
    pub tensions: [f64; 2],
    /// Angle the rope turns through, rad.
    pub wrap: f64,
    /// Whether friction holds the rope.
    pub sticks: bool,
    /// Rope that has passed into the span before it, m.
    pub flow: f64,
}

/// Friction against what flows: a force up to `bound`, as from a very stiff spring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rub {
    pub(super) bound: f64,
    pub(super) stiffness: f64,
}

impl Rub {
    /// Derivative of its energy by the way, N.
    pub(super) fn force(&self, way: f64) -> f64 {
        (self.stiffness * way).clamp(-self.bound, self.bound)
    }

    pub(super) fn energy(&self, way: f64) -> f64 {
        let way = way.abs();
        if self.stiffness * way <= self.bound {
            0.5 * self.stiffness * way * way
        } else {
            self.bound * (way - 0.5 * self.bound / self.stiffness)
        }
    }

    pub(super) fn slope(&self, way: f64) -> f64 {
        if self.sticks(way) { self.stiffness } else { 0.0 }
    }

    pub(super) fn sticks(&self, way: f64) -> bool {
        self.bound > 0.0 && self.stiffness * way.abs() <= self.bound
    }
}

/// The tensions and wrap angles at the state of the last evaluation, slide by slide; stores are left out.
pub(super) fn eyes(network: &Network, state: &NetworkState, ws: &NetworkWorkspace) -> Vec<EyeReport> {
    network.slides.iter().enumerate().filter_map(|(k, slide)| Some(look(state, ws, slide, k)?.1)).collect()
}

/// The largest friction of a slide now, and what goes on there.
pub(super) fn look(
    state: &NetworkState,
    ws: &NetworkWorkspace,
    slide: &Slide,
    index: usize,
) -> Option<(f64, EyeReport)> {
    let (before, after) = (slide.before?, slide.after?);
    let forces = [ws.spans[before].kernel.end_forces()?[1], ws.spans[after].kernel.end_forces()?[0]];
    let wrap = match slide.wheel {
        Some(wheel) => state.contacts[wheel][1] - state.contacts[wheel][0],
        None => forces[0].cross(&forces[1]).norm().atan2(forces[0].dot(&forces[1])),
    };
    let tensions = forces.map(|f| f.norm());
    let bound = if slide.wheel.is_some() && wrap < ONE_PLACE {
        slide.friction * (forces[0] - forces[1]).norm()
    } else {
        (tensions[0].max(0.0) + tensions[1].max(0.0)) * (0.5 * slide.friction * wrap).tanh()
    };
    let sticks = ws.rubs[index].sticks(state.ways[index]);
    Some((bound, EyeReport { tensions, wrap, sticks, flow: state.flows[index] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_has_the_energy_it_says() {
        let rub = Rub { bound: 2.0, stiffness: 1e4 };
        for way in [-0.5, -1e-4, 0.0, 5e-5, 0.2] {
            let h = 1e-7;
            let numeric = (rub.energy(way + h) - rub.energy(way - h)) / (2.0 * h);
            assert!((numeric - rub.force(way)).abs() < 1e-6, "{way}");
            let numeric = (rub.force(way + h) - rub.force(way - h)) / (2.0 * h);
            assert!((numeric - rub.slope(way)).abs() < 1e-3, "{way}");
        }
        assert_eq!(Rub::default().force(0.4), 0.0);
    }
}
