//! What to solve to, and how.

use crate::solver::problem::ProblemError;
use serde::{Deserialize, Serialize};

/// How an equilibrium is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Newton's method on the exact saddle-point system, with fallbacks.
    #[default]
    Newton,
    /// The dissertation's springs and integral forces, minimised by its cascade.
    IntegralForces(IntegralSettings),
}

/// What to solve to, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How the equilibrium is found.
    pub method: Method,
    /// Largest unbalanced force allowed, as a share of the largest force present. Default 1e-9;
    /// round-off of the arithmetic is always allowed.
    pub force_tolerance: f64,
    /// Largest distance of a held end from its place, as a share of the length. Default 1e-11.
    pub position_tolerance: f64,
    /// Newton iterations before an attempt is given up. Default 60; more helps only cold starts
    /// far from equilibrium.
    pub max_iterations: usize,
    /// Compute the smallest eigenvalue of the second variation. Default true; costs as much as some
    /// sixty-five factorisations, and the next warm start has to do without the tangent predictor.
    pub stability: bool,
    /// When the equilibrium found is unstable, leave it along its softest direction for the
    /// nearest stable one. Default false; a cold start that needed its fallbacks always does, since
    /// its way there was no path that anybody chose.
    pub seek_stable: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Newton,
            force_tolerance: 1e-9,
            position_tolerance: 1e-11,
            max_iterations: 60,
            stability: true,
            seek_stable: false,
        }
    }
}

impl Settings {
    /// Refuses what no solve can keep: a tolerance that anything meets or nothing, no iterations at all.
    pub fn check(&self) -> Result<(), ProblemError> {
        let integral = match self.method {
            Method::Newton => IntegralSettings::default(),
            Method::IntegralForces(own) => own,
        };
        let share = "a share, 0 or more and below 1";
        let positive = "a finite number above 0";
        let within = |value: f64| (0.0..1.0).contains(&value);
        let above = |value: f64| value > 0.0 && value.is_finite();
        let all = [
            ("force_tolerance", self.force_tolerance, within(self.force_tolerance), share),
            ("position_tolerance", self.position_tolerance, within(self.position_tolerance), share),
            ("max_iterations", self.max_iterations as f64, self.max_iterations > 0, "1 or more"),
            ("alpha", integral.alpha, above(integral.alpha), positive),
            ("stiffness", integral.stiffness, above(integral.stiffness), positive),
            ("tolerance", integral.tolerance, within(integral.tolerance), share),
            ("max_iterations", integral.max_iterations as f64, integral.max_iterations > 0, "1 or more"),
        ];
        match all.into_iter().find(|(.., good, _)| !good) {
            Some((what, value, _, expected)) => Err(ProblemError::Setting { what, value, expected }),
            None => Ok(()),
        }
    }

    /// The same for who comes from afar: four times as many iterations.
    pub(in crate::solver) fn patient(&self) -> Self {
        Self { max_iterations: 4 * self.max_iterations, ..*self }
    }

    /// For interactive increments: no stability analysis, and ends where they belong to 1e-10 of the
    /// length, which whole steps reach as soon as forces are balanced.
    pub fn interactive() -> Self {
        Self { stability: false, position_tolerance: 1e-10, ..Self::default() }
    }
}

/// Constants of the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntegralSettings {
    /// k_I/k, the share of the proportional force that each iteration adds. Converges for
    /// 0 < α < 2, without oscillation up to 1, fastest at 1 (the default).
    pub alpha: f64,
    /// Stiffness of the length springs relative to K/l³, and of the coherence springs relative to
    /// K/l. Default 100: stiffer costs conditioning, softer makes 1 − α less exact.
    pub stiffness: f64,
    /// Largest relative length error at which to stop. Default 1e-9; the minimiser cannot see much
    /// smaller changes (the same floor shows in figure 4.4).
    pub tolerance: f64,
    /// Most iterations. Default 400.
    pub max_iterations: usize,
}

impl Default for IntegralSettings {
    fn default() -> Self {
        Self { alpha: 1.0, stiffness: 100.0, tolerance: 1e-9, max_iterations: 400 }
    }
}
