//! Gauss–Seidel: contact after contact, each with the newest forces of the others.

use super::contact::OneContact;
use super::{ConeStatus, Run, Shape};
use crate::algebra::{Vec3, larger};

/// Sweeps in a row, with a contact that has no solution given the others, that are taken for a verdict.
const HOPELESS: usize = 50;

/// Scratch memory of conjugate sweeps: the iterate before a sweep, and the way so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjugate {
    start: Vec<Vec3>,
    way: Vec<Vec3>,
}

impl Run<'_> {
    /// Sweeps until something ends them, `most` at the most.
    pub(super) fn sweeps(&mut self, most: usize) {
        for _ in 0..most {
            if self.stopped.is_some() {
                return;
            }
            let seen = self.sweep();
            let (scale, round_off) = self.scales.of(&self.solution.forces);
            let mut relative = if seen == 0.0 { 0.0 } else { seen / scale };
            // What was seen on the way is about the residual; the true one costs as much as a sweep.
            if relative <= 2.0 * self.settings.tolerance
                || seen <= round_off
                || relative < 0.3 * self.best_residual
                || self.solution.iterations + 1 >= self.settings.most_iterations
            {
                relative = self.look();
            }
            if self.counted(relative) && self.unsolved >= HOPELESS {
                self.stopped = Some(ConeStatus::NoSolution);
            }
        }
    }

    /// Sweeps, each pushed on along the way of those before as in the method of conjugate gradients: M. Silcowitz, S. Niebe,
    /// K. Erleben, *A nonsmooth nonlinear conjugate gradient method for interactive contact force problems*, Vis. Comput. 26
    /// (2010) 893–901.
    pub(super) fn conjugate_sweeps(&mut self) {
        self.conjugate.way.clear();
        self.conjugate.way.resize(self.solution.forces.len(), Vec3::zeros());
        let mut before = 0.0;
        while self.stopped.is_none() {
            self.conjugate.start.clone_from(&self.solution.forces);
            self.sweeps(1);
            if self.stopped.is_some() {
                return;
            }
            let Conjugate { start, way } = &mut *self.conjugate;
            let forces = &mut self.solution.forces;
            let now: f64 = start.iter().zip(&*forces).map(|(a, b)| (b - a).norm_squared()).sum();
            if now < before {
                let share = now / before;
                for ((r, start), way) in forces.iter_mut().zip(&*start).zip(way) {
                    let step = *r - start;
                    *r += *way * share;
                    *way = *way * share + step;
                }
            } else {
                way.fill(Vec3::zeros());
            }
            before = now;
        }
    }

    /// One sweep. Returns the largest defect of a contact just before it was solved.
    fn sweep(&mut self) -> f64 {
        let mut seen = 0.0;
        let mut unsolved = false;
        for k in 0..self.solution.forces.len() {
            let r = self.solution.forces[k];
            let w = self.problem.delassus.diagonal(k);
            let u = self.problem.free[k] + self.problem.delassus.row_times(k, &self.solution.forces);
            let (friction, compliance) = (self.problem.friction[k], self.scales.compliance[k]);
            let defect = (r - self.shape.admissible(&(r - u / compliance), friction)).norm();
            if defect == 0.0 {
                continue;
            }
            seen = larger(seen, defect);
            let contact = OneContact { w, q: u - w * r, friction, compliance };
            let solved = match self.shape {
                Shape::Cone => contact.solve(&r),
                Shape::Pyramid(facets) => contact.solve_pyramid(&r, facets),
            };
            match solved {
                Some(solved) => self.solution.forces[k] = solved,
                None => {
                    unsolved = true;
                    // One step of the projected gradient, which goes on while others may change.
                    let pushed = self.shape.admissible(&(r - u / compliance), friction);
                    let most = super::UNBOUNDED * self.scales.free;
                    self.solution.forces[k] = pushed * (most / pushed.norm()).min(1.0);
                }
            }
        }
        self.unsolved = if unsolved { self.unsolved + 1 } else { 0 };
        if self.solution.forces.iter().any(|r: &Vec3| !r.iter().all(|c| c.is_finite())) {
            self.recall();
        }
        seen
    }
}
