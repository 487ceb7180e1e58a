//! How soft or how heavy a rod may be and still rest stably in a given shape.
//!
//! With the natural strain that goes with it, a shape stays an equilibrium whatever the stiffness is; its second variation changes. For every
//! factor on the stiffness, or on the weight, the natural strain is found anew, and the smallest eigenvalue λ of the second variation
//! with it. Under dead loads λ is concave in the load, and 1 without one: it vanishes at one factor at most.

use super::rest::{InverseError, natural_rod, with_natural};
use crate::rod::{AnyRod, State};
use crate::solver::Status;
use crate::solver::problem::Problem;
use crate::solver::report::Stability;

/// Loads are raised to so many times their size before a shape is called stable under any.
const MOST: f64 = 1e6;
/// How near to the threshold the search goes, as a share of it.
const NEAR: f64 = 1e-7;
/// Steps of the search at most.
const STEPS: usize = 80;

/// Where stability ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// At this factor.
    At(f64),
    /// Nowhere up to a factor of a million.
    Nowhere,
    /// Not known: a solve on the way did not converge, or the far end is held.
    Unknown,
}

/// How far a shape is from instability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The stability of the shape as it is; `None` where it could not be told.
    pub stability: Option<Stability>,
    /// The least factor on all stiffnesses with which the shape is stable.
    pub stiffness: Limit,
    /// The largest factor on the mass, other loads as they are, with which it is.
    pub mass: Limit,
    /// Horn's bound (habilitation, 4.6): a factor on the stiffness that is enough, from the smallest eigenvalues of both terms of the second
    /// variation apart. Of helices and clothoids under loads that have a potential, with up to 200 curvatures.
    pub horn: Option<f64>,
}

/// The stability of `state` as an equilibrium of `problem` with the natural strain that goes with it, and the factors at which it ends.
pub fn stability_margin(problem: &Problem, state: &State) -> Result<Margin, InverseError> {
    let (natural, _) = with_natural(problem, state)?;
    // Forces alone tell one stiffness from another: c times as stiff is as soft under 1/c of the loads.
    let loaded = |factor: f64| {
        let mut own = problem.clone();
        own.gravity *= factor;
        for load in &mut own.point_loads {
            load.force *= factor;
            load.moment *= factor;
        }
        for load in &mut own.distributed_loads {
            load.force.iter_mut().chain(&mut load.moment).for_each(|v| *v *= factor);
        }
        stability(&own, state)
    };
    let heavy =
        |factor: f64| stability(&Problem { gravity: problem.gravity * factor, ..problem.clone() }, state);
    // What a held end bears is chosen anew for every load, and is not nothing without one: no threshold follows then.
    let free = problem.ends[1].held == [false; 3] && problem.ends[1].orientation.is_none();
    let [by_load, by_mass] = if free { [threshold(&loaded), threshold(&heavy)] } else { [Limit::Unknown; 2] };
    let softest = match by_load {
        Limit::At(load) => Limit::At(1.0 / load),
        other => other,
    };
    let horn = match &natural.rod {
        AnyRod::Curvature(rod) if is_dead(problem) && free => {
            rod.horn(&state.rod, &problem.gravity, &problem.point_loads, &problem.distributed_loads)
        }
        _ => None,
    };
    Ok(Margin { stability: stability(problem, state), stiffness: softest, mass: by_mass, horn })
}

/// Whether all loads have a potential.
fn is_dead(problem: &Problem) -> bool {
    use crate::body::Axes::World;
    let zero = |v: &crate::algebra::Vec3| v.norm() == 0.0;
    problem.point_loads.iter().all(|own| own.axes == World && zero(&own.moment))
        && problem.distributed_loads.iter().all(|own| own.axes == World && own.moment.iter().all(zero))
}

fn stability(problem: &Problem, state: &State) -> Option<Stability> {
    let found = natural_rod(problem, state).ok()?;
    (found.report.status == Status::Converged).then_some(found.report.rest.stability?)
}

/// The factor on a load at which the smallest eigenvalue vanishes.
fn threshold(at: &dyn Fn(f64) -> Option<Stability>) -> Limit {
    let value = |factor: f64| {
        at(factor).map(|own| if own.negative > 0 { own.lambda_min.min(-0.0) } else { own.lambda_min })
    };
    // Without a load the eigenvalue is 1.
    let (mut lo, mut above) = (0.0, 1.0);
    let mut hi = 1.0;
    let mut below = loop {
        let Some(own) = value(hi) else { return Limit::Unknown };
        if own <= 0.0 {
            break own;
        }
        if hi >= MOST {
            return Limit::Nowhere;
        }
        // Where a straight line would vanish, and a little beyond.
        let line = if own < above { hi + 1.2 * own * (hi - lo) / (above - own) } else { f64::INFINITY };
        (lo, above) = (hi, own);
        hi = line.clamp(1.01 * hi, 16.0 * hi).min(MOST);
    };
    // Regula falsi, an end that stays halved (Illinois).
    let mut last = 0;
    for _ in 0..STEPS {
        if hi - lo <= NEAR * hi {
            break;
        }
        let cut = lo + (hi - lo) * above / (above - below);
        let least = 0.1 * NEAR * hi;
        let middle = if cut.is_finite() { cut.clamp(lo + least, hi - least) } else { 0.5 * (lo + hi) };
        let Some(own) = value(middle) else { return Limit::Unknown };
        if own > 0.0 {
            (lo, above) = (middle, own);
            if last == 1 {
                below *= 0.5;
            }
            last = 1;
        } else {
            (hi, below) = (middle, own.min(-f64::MIN_POSITIVE));
            if last == -1 {
                above *= 0.5;
            }
            last = -1;
        }
    }
    Limit::At(0.5 * (lo + hi))
}
