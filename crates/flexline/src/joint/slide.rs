//! Eyes and stores: where rope flows from span to span, and what friction does against it.

use serde::{Deserialize, Serialize};

/// Rope that flows: out of one span into another through an eye, or out of or into a store.
///
/// Where rope goes from span to span the eye is the anchor at which `before` ends and `after`
/// starts; with a wheel they are the two anchors on its rim. With friction the rope sticks until the
/// tensions differ by more than the factor e^{µφ}, φ being the angle it turns through (Euler,
/// Eytelwein).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slide {
    /// The span that ends at the eye; it gains what flows.
    pub before: Option<usize>,
    /// The span that starts at the eye; it loses what flows.
    pub after: Option<usize>,
    /// Coefficient of friction µ; zero slides freely.
    pub friction: f64,
    /// Energy per length that flows, N: what a store holds rope back with.
    pub price: f64,
    /// The wheel that it runs over; without one it is a mere eye.
    pub wheel: Option<usize>,
}

impl Slide {
    /// Through an eye.
    pub fn through(before: usize, after: usize, friction: f64) -> Self {
        Self { before: Some(before), after: Some(after), friction, ..Self::default() }
    }

    /// A span that takes as much rope as it likes and pays `tension` for it: it finds its own
    /// length.
    pub fn drawn(span: usize, tension: f64) -> Self {
        Self { before: Some(span), price: tension, ..Self::default() }
    }
}

/// Friction against what flows: a force up to `bound`, as from a very stiff spring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FrictionLaw {
    pub(crate) bound: f64,
    pub(crate) stiffness: f64,
}

impl FrictionLaw {
    /// Derivative of its energy by the slip, N.
    pub(crate) fn force(&self, slip: f64) -> f64 {
        (self.stiffness * slip).clamp(-self.bound, self.bound)
    }

    pub(crate) fn energy(&self, slip: f64) -> f64 {
        let slip = slip.abs();
        if self.stiffness * slip <= self.bound {
            0.5 * self.stiffness * slip * slip
        } else {
            self.bound * (slip - 0.5 * self.bound / self.stiffness)
        }
    }

    pub(crate) fn slope(&self, slip: f64) -> f64 {
        if self.sticks(slip) { self.stiffness } else { 0.0 }
    }

    pub(crate) fn sticks(&self, slip: f64) -> bool {
        self.bound > 0.0 && self.stiffness * slip.abs() <= self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_has_the_energy_it_says() {
        let law = FrictionLaw { bound: 2.0, stiffness: 1e4 };
        for slip in [-0.5, -1e-4, 0.0, 5e-5, 0.2] {
            let h = 1e-7;
            let numeric = (law.energy(slip + h) - law.energy(slip - h)) / (2.0 * h);
            assert!((numeric - law.force(slip)).abs() < 1e-6, "{slip}");
            let numeric = (law.force(slip + h) - law.force(slip - h)) / (2.0 * h);
            assert!((numeric - law.slope(slip)).abs() < 1e-3, "{slip}");
        }
        assert_eq!(FrictionLaw::default().force(0.4), 0.0);
    }
}
