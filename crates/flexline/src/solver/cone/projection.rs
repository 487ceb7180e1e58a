//! Methods that ask W for products alone: forces go against the motion and are projected back onto the cone.
//!
//! Uzawa's iteration on the bipotential of De Saxcé and Feng (*Math. Comput. Modelling* 28 (1998) 225–245) projects
//! r − ũ/w with ũ = u + µ|u_T| e_N. Cadoux's fixed point keeps s = µ|u_T| while it solves
//!
//! ```text
//! K* ∋ W r + q + s e_N ⊥ r ∈ K,   the minimum of ½ r·W r + (q + s e_N)·r on the cone,
//! ```
//!
//! which is convex, and then takes the s that came out (V. Acary et al., ZAMM 91 (2011) 155–175); the inner problem is solved
//! by Nesterov's accelerated gradient with restarts, as in H. Mazhar et al., ACM Trans. Graph. 34 (2015).

use super::{ConeProblem, ConeStatus, Run, Scales, law};
use crate::algebra::Vec3;

/// Most inner iterations for one s.
const INNER: usize = 300;
/// Share of the residual for the old s below which the inner problem is solved well enough for a new one.
const INNER_SHARE: f64 = 0.1;

/// Scratch memory of these methods.
#[derive(Clone, Debug, Default)]
pub(super) struct Projection {
    before: Vec<Vec3>,
    motion: Vec<Vec3>,
    ahead: Vec<Vec3>,
    slope: Vec<Vec3>,
    raised: Vec<f64>,
}

/// ũ: the motion, raised by what friction makes of slip.
fn raised(u: &Vec3, friction: f64) -> Vec3 {
    Vec3::new(u.x + friction * u.y.hypot(u.z), u.y, u.z)
}

/// Σ a·b/w: the square of a motion in the metric in which motion over compliance is a force.
fn by_compliance(scales: &Scales, each: impl Fn(usize) -> f64) -> f64 {
    scales.compliance.iter().enumerate().map(|(k, w)| each(k) / w).sum()
}

/// Σ w a·b, the same for forces.
fn by_stiffness(scales: &Scales, each: impl Fn(usize) -> f64) -> f64 {
    scales.compliance.iter().enumerate().map(|(k, w)| each(k) * w).sum()
}

impl Run<'_> {
    /// Uzawa's iteration with a step that keeps the map a contraction where it can be one.
    pub(super) fn bipotential(&mut self) {
        let m = self.solution.forces.len();
        let mut step = 1.0;
        while self.stopped.is_none() {
            let Projection { before, motion, .. } = &mut *self.projection;
            before.clone_from(&self.solution.forces);
            motion.clear();
            motion.extend((0..m).map(|k| raised(&self.solution.motion[k], self.problem.friction[k])));
            for k in 0..m {
                let trial = before[k] - motion[k] * (step / self.scales.compliance[k]);
                self.solution.forces[k] = law::projected(&trial, self.problem.friction[k]);
            }
            let relative = self.look();
            let Projection { before, motion, .. } = &*self.projection;
            let (forces, friction) = (&self.solution.forces, self.problem.friction);
            let moved = by_stiffness(self.scales, |k| (forces[k] - before[k]).norm_squared());
            let changed = by_compliance(self.scales, |k| {
                (raised(&self.solution.motion[k], friction[k]) - motion[k]).norm_squared()
            });
            let ratio = step * (changed / moved).sqrt();
            if ratio > 0.95 {
                step *= 0.7;
            } else if ratio < 0.6 {
                step *= 1.2;
            }
            self.counted(relative);
        }
    }

    /// Cadoux's fixed point.
    pub(super) fn fixed_point(&mut self) {
        let mut step = 1.0;
        while self.stopped.is_none() {
            let m = self.solution.forces.len();
            let raised = &mut self.projection.raised;
            raised.clear();
            raised.extend((0..m).map(|k| {
                let u = &self.solution.motion[k];
                self.problem.friction[k] * u.y.hypot(u.z)
            }));
            self.inner(&mut step);
        }
    }

    /// The convex problem for the s at hand, from the forces at hand.
    fn inner(&mut self, step: &mut f64) {
        let (scale, _) = self.scales.of(&self.solution.forces);
        let outer = self.residual();
        let enough = (INNER_SHARE * outer).max(0.1 * self.settings.tolerance * scale);
        let known = if outer == 0.0 { 0.0 } else { outer / scale };
        self.projection.ahead.clone_from(&self.solution.forces);
        let mut momentum = 1.0_f64;
        for _ in 0..INNER {
            let m = self.solution.forces.len();
            let Projection { before, ahead, slope, raised, .. } = &mut *self.projection;
            let forces = &mut self.solution.forces;
            before.clone_from(forces);
            slope.clear();
            slope.extend((0..m).map(|k| slope_at(self.problem, raised, ahead, k)));
            // The step must not promise more than the parabola keeps.
            loop {
                for k in 0..m {
                    let trial = ahead[k] - slope[k] * (*step / self.scales.compliance[k]);
                    forces[k] = law::projected(&trial, self.problem.friction[k]);
                }
                let size = by_stiffness(self.scales, |k| (forces[k] - ahead[k]).norm_squared());
                slope_difference(self.problem, forces, ahead, &mut self.solution.motion);
                let bend: f64 = (0..m).map(|k| (forces[k] - ahead[k]).dot(&self.solution.motion[k])).sum();
                if bend * *step <= size || *step < 1e-12 {
                    break;
                }
                *step *= 0.7;
            }
            let left = (0..m).map(|k| (forces[k] - ahead[k]).norm()).fold(0.0, f64::max) / *step;
            let uphill: f64 = (0..m).map(|k| slope[k].dot(&(forces[k] - before[k]))).sum();
            let next = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let share = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / next };
            momentum = if uphill > 0.0 { 1.0 } else { next };
            for k in 0..m {
                ahead[k] = forces[k] + (forces[k] - before[k]) * share;
            }
            if left <= enough || !self.counted(known) {
                break;
            }
        }
        *step = (*step * 1.3).min(1.0);
        let relative = self.look();
        if self.stopped.is_none_or(|status| status == ConeStatus::Converged) {
            self.counted(relative);
        }
    }
}

/// (W r + q)_k + s_k e_N.
fn slope_at(problem: &ConeProblem, raised: &[f64], r: &[Vec3], k: usize) -> Vec3 {
    problem.free[k] + problem.delassus.row_times(k, r) + Vec3::new(raised[k], 0.0, 0.0)
}

/// W (a − b).
fn slope_difference(problem: &ConeProblem, a: &[Vec3], b: &[Vec3], out: &mut [Vec3]) {
    for (k, out) in out.iter_mut().enumerate() {
        *out = problem.delassus.row_times(k, a) - problem.delassus.row_times(k, b);
    }
}
