//! The few unknowns that do not fit the chain: the force that holds the far end, and the pose of
//! a ring's seam.
//!
//! ```text
//! [ K  C ] [ z ]   [ b ]      K: chain, C: border columns (end positions, seam rotation)
//! [ Cᵀ D ] [ w ] = [ e ]      D: zero for constraints, the seam's own stiffness for the seam
//! ```
//!
//! Solved by the Schur complement T = D − CᵀK⁻¹C, at most 6×6. Its inertia completes the count of
//! the chain: negative directions of the form on the constraint tangent
//! = negatives(K) + negatives(T) − number of constraints.

use super::system::System;
use crate::algebra::Vec3;
use crate::algebra::chain::{ChainFactor, ChainVector, SingularPivot};
use crate::algebra::small::{MAX, Small, SmallLu};
use crate::rod::Rod;
use crate::solver::problem::Problem;

/// Compliance of a held end relative to L³/K, or L/T where that is less; it acts on force increments, so it vanishes at
/// convergence.
pub(super) const GIVE: f64 = 1e-11;

/// Compliance of a held end, m/N: a taut thread gives by its tension, anything else by its stiffness.
pub(super) fn give(length: f64, stiffness: f64, tension: f64) -> f64 {
    GIVE * (length.powi(3) / stiffness).min(length / tension.max(f64::MIN_POSITIVE))
}

/// What one border unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// x_n held along an axis.
    Position(usize),
    /// Rotation of the seam about a world axis.
    Seam(usize),
}

/// The factorised matrix with its border; memory is kept between calls.
#[derive(Clone, Debug)]
pub(super) struct Bordered {
    factor: ChainFactor,
    columns: Vec<ChainVector>,
    rows: [Row; MAX],
    count: usize,
    schur: Option<SmallLu>,
    /// Negative directions on the constraint tangent, from the last factorisation.
    negative: isize,
}

impl Bordered {
    pub(super) fn new(n: usize) -> Self {
        Self {
            factor: ChainFactor::new(n),
            columns: vec![ChainVector::zeros(n); MAX],
            rows: [Row::Position(0); MAX],
            count: 0,
            schur: None,
            negative: 0,
        }
    }

    /// Number of negative directions on the constraint tangent.
    pub(super) fn negative(&self) -> isize {
        self.negative
    }

    /// Factorises the matrix of `system` with everything that holds the problem.
    pub(super) fn factorise(&mut self, problem: &Problem, system: &System) -> Result<(), SingularPivot> {
        let n = problem.chain().segments();
        let matrix = &system.matrix;
        self.schur = None;
        self.factor.factorise(matrix, System::held(problem))?;
        self.count = 0;
        for (axis, held) in System::end_held(problem).into_iter().enumerate() {
            if held {
                self.rows[self.count] = Row::Position(axis);
                self.count += 1;
            }
        }
        let constraints = self.count;
        if problem.closed && problem.ends[0].orientation.is_none() {
            for axis in 0..3 {
                self.rows[self.count] = Row::Seam(axis);
                self.count += 1;
            }
        }
        let mut schur = Small::zeros(self.count);
        for k in 0..self.count {
            let mut column =
                std::mem::replace(&mut self.columns[k], ChainVector { f: Vec::new(), x: Vec::new() });
            column.clear();
            match self.rows[k] {
                Row::Position(axis) => column.x[n][axis] = 1.0,
                Row::Seam(axis) => {
                    let unit = Vec3::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 });
                    column.f[1] = matrix.lower[0] * system.rotations[0].tr_mul(&unit);
                    column.f[n] = matrix.upper[n] * system.rotations[n + 1].tr_mul(&unit);
                }
            }
            self.factor.solve(&mut column);
            self.columns[k] = column;
            for i in 0..self.count {
                schur.a[i][k] = -self.row_dot(problem, system, i, k) + self.corner(system, n, i, k);
            }
        }
        // A whisper of give in the supports: where the rod lies on one straight line the end
        // cannot move along it to first order and the constraint alone has no pivot.
        let length = problem.chain().length();
        let give =
            give(length, system.stiffness, system.internal[0].norm().max(system.internal[n - 1].norm()));
        for k in 0..constraints {
            schur.a[k][k] -= give;
        }
        self.negative =
            self.factor.negative() as isize + schur.negative_count() as isize - constraints as isize;
        if self.count > 0 {
            self.schur = Some(schur.lu().ok_or(SingularPivot)?);
        }
        Ok(())
    }

    fn corner(&self, system: &System, n: usize, i: usize, k: usize) -> f64 {
        match (self.rows[i], self.rows[k]) {
            (Row::Seam(a), Row::Seam(b)) => {
                let world =
                    |j: usize| system.rotations[j] * system.matrix.ff[j] * system.rotations[j].transpose();
                world(0)[(a, b)] + world(n + 1)[(a, b)]
            }
            _ => 0.0,
        }
    }

    fn row_dot(&self, problem: &Problem, system: &System, row: usize, column: usize) -> f64 {
        self.apply_row(problem, system, row, &self.columns[column])
    }

    /// One row of Cᵀ times a chain vector.
    fn apply_row(&self, problem: &Problem, system: &System, row: usize, v: &ChainVector) -> f64 {
        let n = problem.chain().segments();
        match self.rows[row] {
            Row::Position(axis) => v.x[n][axis],
            Row::Seam(axis) => {
                let first = system.rotations[0] * (system.matrix.upper[0] * v.f[1]);
                let last = system.rotations[n + 1] * (system.matrix.lower[n] * v.f[n]);
                first[axis] + last[axis]
            }
        }
    }

    /// Solves K z + C w = b, Cᵀ z + D w = (gap along held axes, seam moment). `b` becomes z, with
    /// the seam's rotation written into the end frames; returns w along the position axes.
    pub(super) fn solve(
        &mut self,
        problem: &Problem,
        system: &System,
        b: &mut ChainVector,
        gap: &Vec3,
        seam: &Vec3,
    ) -> Vec3 {
        self.factor.solve(b);
        let mut w = [0.0; MAX];
        for k in 0..self.count {
            let target = match self.rows[k] {
                Row::Position(axis) => gap[axis],
                Row::Seam(axis) => seam[axis],
            };
            w[k] = target - self.apply_row(problem, system, k, b);
        }
        let Some(schur) = &self.schur else { return Vec3::zeros() };
        schur.solve(&mut w);
        let (mut multiplier, mut turn) = (Vec3::zeros(), Vec3::zeros());
        for k in 0..self.count {
            b.add_scaled(-w[k], &self.columns[k]);
            match self.rows[k] {
                Row::Position(axis) => multiplier[axis] = w[k],
                Row::Seam(axis) => turn[axis] = w[k],
            }
        }
        if self.count > 3 {
            let n = problem.chain().segments();
            b.f[0] = system.rotations[0].tr_mul(&turn);
            b.f[n + 1] = system.rotations[n + 1].tr_mul(&turn);
        }
        multiplier
    }
}
