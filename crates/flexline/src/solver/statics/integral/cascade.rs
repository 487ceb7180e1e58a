//! The dissertation's cascade of minimisers (6.1): in every loop the first method that lowers the
//! energy wins: Newton, non-linear conjugate gradient, linear conjugate gradient, steepest descent,
//! line search along the forces.

use super::energy::Springs;
use crate::algebra::Vec3;
use crate::algebra::band::Banded;
use crate::rod::{Rod, RodState};
use crate::solver::budget;
use crate::solver::problem::Problem;

/// Scratch of the minimiser.
pub(super) struct Cascade {
    hessian: Banded,
    factor: Banded,
    force: Vec<f64>,
    step: Vec<f64>,
    image: Vec<f64>,
    previous: Vec<f64>,
    trial: RodState,
    held: Vec<usize>,
    /// How often each method of the cascade was the one that helped.
    pub(super) used: [usize; 5],
}

impl Cascade {
    /// A minimiser for `problem` with the given tangent coordinates held.
    pub(super) fn new(problem: &Problem, state: &RodState, held: Vec<usize>) -> Self {
        let n = problem.chain().tangent_count();
        Self {
            hessian: Banded::zeros(n, 11),
            factor: Banded::zeros(n, 11),
            force: vec![0.0; n],
            step: vec![0.0; n],
            image: vec![0.0; n],
            previous: vec![0.0; n],
            trial: state.clone(),
            held,
            used: [0; 5],
        }
    }

    /// Largest unbalanced generalised force at `state`.
    pub(super) fn residual(
        &mut self,
        problem: &Problem,
        springs: &Springs,
        state: &RodState,
        forces: &[Vec3],
    ) -> f64 {
        springs.gradient(problem, state, forces, &mut self.force);
        for f in &mut self.force {
            *f = -*f;
        }
        for &i in &self.held {
            self.force[i] = 0.0;
        }
        self.force.iter().fold(0.0, |m, f| m.max(f.abs()))
    }

    /// Minimises the energy from `state`; returns the number of loops.
    pub(super) fn minimise(
        &mut self,
        problem: &Problem,
        springs: &Springs,
        state: &mut RodState,
        forces: &[Vec3],
        tolerance: f64,
        limit: usize,
    ) -> usize {
        let mut energy = springs.energy(problem, state, forces);
        self.previous.fill(0.0);
        for iteration in 0..limit {
            if self.residual(problem, springs, state, forces) <= tolerance || budget::stop().is_some() {
                return iteration;
            }
            springs.hessian(problem, state, &mut self.hessian);
            for &i in &self.held {
                self.hessian.hold(i);
            }
            let mut helped = false;
            for method in 0..5 {
                if !self.direction(method) {
                    continue;
                }
                // Only the last method searches along its direction.
                let halvings = if method == 4 { 50 } else { 1 };
                for _ in 0..halvings {
                    self.trial.coordinates.copy_from_slice(&state.coordinates);
                    self.trial.twist.copy_from_slice(&state.twist);
                    problem.chain().displace(&mut self.trial, &self.step);
                    let lower = springs.energy(problem, &self.trial, forces);
                    // Equal to round-off counts for Newton's method: it ends the iteration.
                    let slack = if method == 0 { 1e-14 * energy.abs() } else { 0.0 };
                    if lower.is_finite() && lower < energy + slack {
                        energy = lower;
                        helped = true;
                        break;
                    }
                    for s in &mut self.step {
                        *s *= 0.5;
                    }
                }
                if helped {
                    self.used[method] += 1;
                    state.coordinates.copy_from_slice(&self.trial.coordinates);
                    problem.chain().remember_twist(state);
                    self.previous.copy_from_slice(&self.step);
                    break;
                }
            }
            if !helped {
                return iteration;
            }
        }
        limit
    }

    /// Fills `step` with the step that a method proposes; false where it has none.
    fn direction(&mut self, method: usize) -> bool {
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        match method {
            0 => {
                self.factor.clone_from(&self.hessian);
                if self.factor.factorise().is_err() {
                    return false;
                }
                self.step.copy_from_slice(&self.force);
                self.factor.solve(&mut self.step);
                true
            }
            1 => {
                // One iteration: the force made conjugate to the last step.
                self.hessian.times(&self.previous, &mut self.image);
                let curvature = dot(&self.previous, &self.image);
                if curvature <= 0.0 {
                    return false;
                }
                let beta = -dot(&self.force, &self.image) / curvature;
                for (s, (f, p)) in self.step.iter_mut().zip(self.force.iter().zip(&self.previous)) {
                    *s = f + beta * p;
                }
                self.scale_to_parabola()
            }
            2 => {
                self.linear_conjugate_gradient();
                true
            }
            3 => {
                self.step.copy_from_slice(&self.force);
                self.scale_to_parabola()
            }
            _ => {
                self.step.copy_from_slice(&self.force);
                let size = self.force.iter().fold(0.0f64, |m, f| m.max(f.abs()));
                // A first try that turns or moves nothing by more than half a unit.
                for s in &mut self.step {
                    *s *= 0.5 / size;
                }
                true
            }
        }
    }

    /// Scales `step` to the minimum of the parabola along it.
    fn scale_to_parabola(&mut self) -> bool {
        self.hessian.times(&self.step, &mut self.image);
        let curvature: f64 = self.step.iter().zip(&self.image).map(|(a, b)| a * b).sum();
        let slope: f64 = self.step.iter().zip(&self.force).map(|(a, b)| a * b).sum();
        if curvature <= 0.0 {
            return false;
        }
        for s in &mut self.step {
            *s *= slope / curvature;
        }
        true
    }

    /// Conjugate gradients on H h = F with H kept; stops at negative curvature.
    fn linear_conjugate_gradient(&mut self) {
        let n = self.force.len();
        let mut r = self.force.clone();
        let mut p = r.clone();
        self.step.fill(0.0);
        let mut rr: f64 = r.iter().map(|v| v * v).sum();
        let target = 1e-10 * rr;
        for k in 0..n {
            self.hessian.times(&p, &mut self.image);
            let curvature: f64 = p.iter().zip(&self.image).map(|(a, b)| a * b).sum();
            if curvature <= 0.0 {
                if k == 0 {
                    self.step.copy_from_slice(&p);
                }
                return;
            }
            let alpha = rr / curvature;
            for i in 0..n {
                self.step[i] += alpha * p[i];
                r[i] -= alpha * self.image[i];
            }
            let next: f64 = r.iter().map(|v| v * v).sum();
            if next < target {
                return;
            }
            let beta = next / rr;
            rr = next;
            for i in 0..n {
                p[i] = r[i] + beta * p[i];
            }
        }
    }
}
