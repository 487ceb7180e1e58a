//! Newton's method on the map of Alart and Curnier, all contacts at once.
//!
//! With ζ = r − u/w the map is F = r − Π(ζ), and its derivative A + B W with blocks A, B of one contact:
//!
//! ```text
//! separate  ζ_N ≤ 0         A = I                         B = 0
//! stick     |ζ_T| ≤ µ ζ_N   A = 0                         B = 1/w
//! slip                      A = [0, 0; −µ t, I − κ P]     B = [1, 0; µ t, κ P]/w
//! ```
//!
//! t = ζ_T/|ζ_T|, P = I − t tᵀ, κ = µ ζ_N/|ζ_T|. Separate contacts are left out of the matrix. Where
//! that leads nowhere (redundant contacts, active sets that come again) a proximal problem is solved instead, with
//! W + ε W_kk about the last iterate, and another about its solution, with ε as small as steps allow.

use super::{Run, law, motion_of};
use crate::algebra::lu::Lu;
use crate::algebra::{Mat3, Vec3, larger};

/// Sweeps before the first step.
const SWEEPS: usize = 8;
/// Steps in a row that may fail to make the residual smaller.
const PATIENCE: usize = 6;
/// First proximal shift, relative to W_kk, and its bounds.
const SHIFT: f64 = 1e-3;
const SHIFTS: [f64; 2] = [1e-9, 1.0];
/// Proximal problems in a row that may fail; then sweeps alone.
const FAILURES: usize = 20;

/// Scratch memory of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    matrix: Lu,
    right: Vec<f64>,
    step: Vec<Vec3>,
    value: Vec<Vec3>,
    before: Vec<Vec3>,
    /// W is W + shift W_kk about this centre.
    shift: f64,
    centre: Vec<Vec3>,
    /// Contacts that do not separate, and the blocks A, B of each.
    active: Vec<(usize, Mat3, Mat3)>,
    /// Where a contact stands among the active.
    place: Vec<Option<usize>>,
}

impl Run<'_> {
    /// Sweeps, then steps; where steps lead nowhere, steps on problems that are pulled to the best iterate.
    pub(super) fn newton(&mut self) {
        if self.best_residual > 1e-2 {
            self.sweeps(SWEEPS);
        }
        self.newton.shift = 0.0;
        self.steps(0.0);
        self.recall();
        let (mut shift, mut failures) = (SHIFT, 0);
        while self.stopped.is_none() && failures < FAILURES {
            let before = self.best_residual;
            self.newton.shift = shift;
            let solved = self.steps(0.03 * before);
            let better = self.best_residual < 0.9 * before;
            if !solved {
                // Back to where it began, a little better.
                self.solution.forces.copy_from_slice(&self.newton.centre);
                self.sweeps(1);
            }
            shift *= if solved { 0.7 } else { 3.0 };
            shift = shift.clamp(SHIFTS[0], SHIFTS[1]);
            failures = if better { 0 } else { failures + 1 };
        }
        self.newton.shift = 0.0;
        self.sweeps(usize::MAX);
    }

    /// Newton steps on the shifted problem about the iterate until its relative residual is as small as `enough`, something
    /// ends them, or several in a row did not help. Whether it is solved.
    fn steps(&mut self, enough: f64) -> bool {
        let (mut waited, mut least) = (0, f64::INFINITY);
        self.newton.centre.clear();
        self.newton.centre.extend_from_slice(&self.solution.forces);
        while self.stopped.is_none() && waited < PATIENCE {
            self.shifted_motion();
            if !self.direction() {
                return false;
            }
            let largest = self.search();
            self.solution.newton_steps += 1;
            let left = largest / self.scales.of(&self.solution.forces).0;
            let relative = self.look();
            if relative.is_nan() {
                return false;
            }
            self.counted(relative);
            if left <= enough {
                return true;
            }
            if left < 0.9 * least {
                (least, waited) = (left, 0);
            } else {
                waited += 1;
            }
        }
        false
    }

    /// Motion of the iterate in the shifted problem.
    fn shifted_motion(&mut self) {
        motion_of(self.problem, &self.solution.forces, &mut self.solution.motion);
        if self.newton.shift > 0.0 {
            for (k, u) in self.solution.motion.iter_mut().enumerate() {
                let pull = self.newton.shift * self.scales.compliance[k];
                *u += (self.solution.forces[k] - self.newton.centre[k]) * pull;
            }
        }
    }

    /// The step from the iterate, whose motion is known; false where there is none.
    fn direction(&mut self) -> bool {
        let Newton { matrix, right, step, value, active, place, shift: pull, .. } = &mut *self.newton;
        let (forces, motion) = (&self.solution.forces, &self.solution.motion);
        let m = forces.len();
        active.clear();
        place.clear();
        value.clear();
        step.clear();
        for k in 0..m {
            let (friction, w) = (self.problem.friction[k], self.scales.compliance[k]);
            value.push(law::defect(&forces[k], &motion[k], friction, w));
            let trial = forces[k] - motion[k] / w;
            if trial.x <= 0.0 {
                place.push(None);
                step.push(-forces[k]);
            } else {
                place.push(Some(active.len()));
                let (a, b) = derivative(&trial, friction, w);
                active.push((k, a, b));
                step.push(Vec3::zeros());
            }
        }
        let n = 3 * active.len();
        let entries = matrix.cleared(n);
        right.clear();
        for (row, (k, a, b)) in active.iter().enumerate() {
            let mut rest = -value[*k];
            self.problem.delassus.each_in_row(*k, |j, w| match place[j] {
                Some(column) => put(entries, n, row, column, &(b * w)),
                None => rest -= b * (w * step[j]),
            });
            let shift = *pull * self.scales.compliance[*k];
            put(entries, n, row, row, &(a + b * shift));
            right.extend_from_slice(rest.as_slice());
        }
        if !(matrix.factorise() && matrix.solve(right)) {
            return false;
        }
        for (row, (k, _, _)) in active.iter().enumerate() {
            step[*k] = Vec3::from_column_slice(&right[3 * row..3 * row + 3]);
        }
        step.iter().all(|s| s.iter().all(|c| c.is_finite()))
    }

    /// Goes along the step as far as the sum of squares of the map falls, or as far as it grows least. Returns the largest
    /// value of the map there.
    fn search(&mut self) -> f64 {
        self.newton.before.clear();
        self.newton.before.extend_from_slice(&self.solution.forces);
        let now: f64 = self.newton.value.iter().map(Vec3::norm_squared).sum();
        let mut least = (f64::INFINITY, 1.0);
        let mut share = 1.0;
        while share > 0.02 {
            let (then, largest) = self.stepped(share);
            if then < (1.0 - 1e-4 * share) * now {
                return largest;
            }
            if then < least.0 {
                least = (then, share);
            }
            share *= 0.5;
        }
        self.stepped(least.1).1
    }

    /// A share of the step: sum of squares of the map there, and its largest value.
    fn stepped(&mut self, share: f64) -> (f64, f64) {
        for (k, r) in self.solution.forces.iter_mut().enumerate() {
            *r = self.newton.before[k] + self.newton.step[k] * share;
        }
        self.shifted_motion();
        let solution = &*self.solution;
        let each = (0..solution.forces.len()).map(|k| {
            let (friction, w) = (self.problem.friction[k], self.scales.compliance[k]);
            law::defect(&solution.forces[k], &solution.motion[k], friction, w).norm_squared()
        });
        let (sum, largest) = each.fold((0.0, 0.0), |(sum, most), d| (sum + d, larger(most, d)));
        (sum, largest.sqrt())
    }
}

/// Blocks A and B of a contact that does not separate.
pub(super) fn derivative(trial: &Vec3, friction: f64, compliance: f64) -> (Mat3, Mat3) {
    let tangential = trial.y.hypot(trial.z);
    let stiffness = 1.0 / compliance;
    if tangential <= friction * trial.x {
        return (Mat3::zeros(), Mat3::identity() * stiffness);
    }
    let (c, s) = (trial.y / tangential, trial.z / tangential);
    let kappa = friction * trial.x / tangential;
    let across = [kappa * s * s, -kappa * c * s, kappa * c * c];
    let b = Mat3::new(1.0, 0.0, 0.0, friction * c, across[0], across[1], friction * s, across[1], across[2]);
    (Mat3::identity() - b, b * stiffness)
}

/// Adds a block to a matrix of `n` columns, by rows.
fn put(entries: &mut [f64], n: usize, row: usize, column: usize, block: &Mat3) {
    for i in 0..3 {
        for j in 0..3 {
            entries[(3 * row + i) * n + 3 * column + j] += block[(i, j)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cone::sample::Random;

    #[test]
    fn blocks_agree_with_differences() {
        let mut random = Random::new(3);
        let mut seen = [0; 2];
        for _ in 0..2000 {
            let (r, u) = (random.vector(), random.vector());
            let (mu, w) = (random.between(0.0, 1.2), random.between(0.3, 3.0));
            let trial = r - u / w;
            // Away from the kinks, which differences would straddle.
            let margin = (trial.y.hypot(trial.z) - mu * trial.x).abs();
            if trial.x < 1e-3 || margin < 1e-3 || trial.y.hypot(trial.z) < 1e-2 {
                continue;
            }
            seen[usize::from(trial.y.hypot(trial.z) > mu * trial.x)] += 1;
            let (a, b) = derivative(&trial, mu, w);
            let h = 1e-7;
            for j in 0..3 {
                let mut e = Vec3::zeros();
                e[j] = h;
                let by_force =
                    (law::defect(&(r + e), &u, mu, w) - law::defect(&(r - e), &u, mu, w)) / (2.0 * h);
                let by_motion =
                    (law::defect(&r, &(u + e), mu, w) - law::defect(&r, &(u - e), mu, w)) / (2.0 * h);
                assert!((by_force - a.column(j)).norm() < 1e-7, "{by_force} {a}");
                assert!((by_motion - b.column(j)).norm() < 1e-7, "{by_motion} {b}");
            }
        }
        assert!(seen.iter().all(|&count| count > 30), "{seen:?}");
    }
}
