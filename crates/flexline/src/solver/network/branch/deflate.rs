//! Newton's method that is driven away from what is known (P. E. Farrell, Á. Birkisson, S. W. Funke, *Deflation techniques for
//! finding distinct solutions of nonlinear partial differential equations*, SIAM J. Sci. Comput. 37 (2015) A2026–A2045).
//!
//! With F the residual and x₁ … x_k known equilibria, M(x) = Π (‖x − x_i‖⁻² + 1) makes M F a residual that no Newton's method
//! converges to x_i with. Its step is that of F, d, times a number: J d̂ + F (∇M·d̂)/M = −F gives
//!
//! ```text
//! d̂ = d / (1 − ∇M·d / M),     ∇M·d / M = −Σ u_i′ / (u_i (1 + u_i)),     u_i = ‖x − x_i‖²,
//! ```
//!
//! so that a deflated iteration costs what a plain one does.

use super::super::assemble::{choose_rows, evaluate, factorise, norms, residual};
use super::super::merit::Merit;
use super::super::modes::releases;
use super::super::newton::{largest_turn, look_ahead, newton_step};
use super::super::{Network, NetworkReport, NetworkState, contact, report};
use super::Explorer;
use super::measure::{difference, dot, measure, measure_form};
use crate::solver::report::Status;

/// Iterations of one search.
const MOST: usize = 120;
/// The distance at which a known equilibrium begins to drive away: of places, and of forms.
const NEAR: f64 = 0.3;
const NEAR_FORM: f64 = 2.0;
/// Largest rotation of a frame in one step, rad, and largest change between neighbours.
const MAX_TURN: f64 = 0.6;
const MAX_BEND: f64 = 0.3;
/// A step that turns anything by more than this, rad, comes from a pivot that vanished.
const ABSURD: f64 = 1e6;
/// How far a step is taken to see how the distances change, rad.
const LITTLE: f64 = 1e-5;
/// The most that a step is lengthened by.
const LONGEST: f64 = 20.0;
/// Halvings of a step that would lead through an obstacle.
const HALVINGS: i32 = 10;

/// What a search is driven away from.
#[derive(Clone, Copy, Debug)]
pub enum Known<'a> {
    /// Shapes where they are, as [measured](measure).
    Places(&'a [Vec<f64>]),
    /// Shapes wherever they are ([`measure_form`]): where something turns freely there would be no end of places.
    Forms(&'a [Vec<f64>]),
}

impl Known<'_> {
    fn list(&self) -> &[Vec<f64>] {
        match self {
            Self::Places(list) | Self::Forms(list) => list,
        }
    }

    fn measure(&self, network: &Network, state: &NetworkState) -> Vec<f64> {
        match self {
            Self::Places(_) => measure(network, state),
            Self::Forms(_) => measure_form(network, state),
        }
    }

    fn near(&self) -> f64 {
        match self {
            Self::Places(_) => NEAR,
            Self::Forms(_) => NEAR_FORM,
        }
    }
}

impl Explorer {
    /// Newton's method from `state` to an equilibrium of any inertia away from those that are known; `None`, and no
    /// state to speak of, where it does not get there.
    pub fn deflated(
        &mut self,
        network: &Network,
        state: &mut NetworkState,
        known: Known<'_>,
    ) -> Option<NetworkReport> {
        if network.check_even_short().and_then(|()| state.check(network)).is_err() {
            return None;
        }
        self.ws.read(network);
        state.hold(network);
        state.stand(network);
        self.ws.contacts.begin(state);
        let mut trial = state.clone();
        for iterations in 0..MOST {
            let ws = &mut self.ws;
            let rho = ws.least_penalty();
            evaluate(network, state, ws);
            choose_rows(state, ws, rho);
            let own = residual(network, state, ws);
            let norms = norms(network, state, ws, &own);
            if self.is_settled(&norms) {
                let ws = &mut self.ws;
                let negative = releases(network, state, ws);
                ws.factored = false;
                ws.leave_residual(own);
                let found = report(network, state, ws, Status::Converged, iterations, negative);
                return (found.status == Status::Converged).then_some(found);
            }
            let ws = &mut self.ws;
            if !norms.left().is_finite()
                || ws.stop().is_some()
                || factorise(network, state, ws, 0.0).is_none()
            {
                return None;
            }
            newton_step(network, state, ws, &own);
            ws.leave_residual(own);
            let (turn, bend) = largest_turn(ws);
            if turn.is_nan() || turn > ABSURD {
                return None;
            }
            let merit = Merit::new(network, state, ws);
            let longer = match known.list().is_empty() {
                true => 1.0,
                false => {
                    let little = LITTLE / turn.max(LITTLE);
                    trial.advance_from(state, network, ws, little, |_, _, _, _| {});
                    let here = known.measure(network, state);
                    let rate = difference(&here, &known.measure(network, &trial));
                    repelled(&here, &rate, little, known.list(), known.near())
                }
            };
            let most = (MAX_TURN / turn).min(MAX_BEND / bend);
            let scale = longer.signum() * longer.abs().min(most);
            let free = (0..HALVINGS).any(|k| {
                look_ahead(network, state, &mut trial, ws, &merit, scale * 0.5f64.powi(k));
                contact::is_free(network, state, &trial, ws)
            });
            ws.leave_merit(merit);
            if !free {
                return None;
            }
            std::mem::swap(state, &mut trial);
        }
        None
    }
}

/// What a step is multiplied by: `rate` is what of it `little` does to what is measured.
fn repelled(here: &[f64], rate: &[f64], little: f64, known: &[Vec<f64>], near: f64) -> f64 {
    let slope = |known: &Vec<f64>| {
        let from = difference(known, here);
        let u = dot(&from, &from) / (near * near);
        let change = 2.0 * dot(&from, rate) / little / (near * near);
        -change / (u.max(f64::MIN_POSITIVE) * (1.0 + u))
    };
    let left = 1.0 - known.iter().map(slope).sum::<f64>();
    if left.is_nan() {
        return 1.0;
    }
    1.0 / left.abs().max(1.0 / LONGEST).copysign(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One unknown x with the root 1 known and the other at −2: the deflated step is that of M F.
    #[test]
    fn the_factor_is_that_of_the_deflated_residual() {
        let f = |x: f64| (x - 1.0) * (x + 2.0);
        let deflated = |x: f64| f(x) * ((NEAR / (x - 1.0)).powi(2) + 1.0);
        for x in [-1.0, 0.2, 0.9, 1.3, 4.0] {
            let h = 1e-6;
            let slope = (f(x + h) - f(x - h)) / (2.0 * h);
            let own = (deflated(x + h) - deflated(x - h)) / (2.0 * h);
            let (plain, wanted) = (-f(x) / slope, -deflated(x) / own);
            let factor = repelled(&[x], &[1e-3 * plain], 1e-3, &[vec![1.0]], NEAR);
            assert!((factor * plain - wanted).abs() < 1e-6 * (1.0 + wanted.abs()), "{x}: {factor}");
        }
    }
}
