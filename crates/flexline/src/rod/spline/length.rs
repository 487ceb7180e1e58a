//! Length along a spline rod: held on average with every quadratic B-spline.

use super::{POINTS, Point, SplineRod};
use crate::algebra::Vec3;
use crate::algebra::band::Banded;
use crate::rod::{Rod, RodState};

/// Newton steps back to the length.
const ROUNDS: usize = 40;
/// Control points that a tension acts on: two before its own to three beyond, and the end that takes one along.
const REACH: usize = 7;

impl SplineRod {
    /// Calls `f` with element, point and r_σ of every point of the quadrature.
    pub(crate) fn over_lengths(&self, c: &[f64], mut f: impl FnMut(usize, &Point, &Vec3)) {
        for (k, point) in self.points.iter().enumerate() {
            f(k / POINTS, point, &self.sum(c, k / POINTS, &point.values.slope));
        }
    }

    /// ∫ N_j dσ: what a tension's function weighs.
    pub(crate) fn tension_weights(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.tensions()];
        for (k, point) in self.points.iter().enumerate() {
            for (j, n) in point.values.quadratic.iter().enumerate() {
                out[self.knots.first[k / POINTS] + j] += n * point.weight;
            }
        }
        out
    }

    /// Moves the control points as little as possible so that the length is kept again. The first stays; where a
    /// tangent is held, the control point beside the end stays on it, and the end takes it along.
    pub(crate) fn restore_length(&self, c: &mut [f64], held: [Option<Vec3>; 2]) {
        let (m, n) = (self.tensions(), self.controls());
        let mut values = vec![0.0; m];
        for _ in 0..ROUNDS {
            let state = RodState { coordinates: c.to_vec(), twist: Vec::new() };
            self.constraints(&state, &mut values);
            let missed = values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            if missed.is_nan() || missed < 2e-16 * self.length {
                return;
            }
            let mut rows = vec![[Vec3::zeros(); REACH]; m];
            self.constraint_jacobian(&state, &mut |j, k, v| rows[j][k / 3 + 2 - j][k % 3] += v);
            for (j, row) in rows.iter_mut().enumerate() {
                let place = |i: usize| (i + 2).checked_sub(j).filter(|at| *at < REACH);
                if let Some(at) = place(0) {
                    row[at] = Vec3::zeros();
                }
                if let (Some(at), Some(t)) = (place(1), held[0]) {
                    row[at] = t * t.dot(&row[at]);
                }
                if let (Some(at), Some(t)) = (place(n - 2), held[1]) {
                    let own = row[at];
                    row[at] = t * t.dot(&own);
                    if at + 1 < REACH {
                        row[at + 1] += own;
                    }
                }
            }
            let mut gram = Banded::zeros(m, REACH - 1);
            for i in 0..m {
                for j in i.saturating_sub(REACH - 1)..=i {
                    // Column `at` of row i is control point i + at − 2.
                    let apart = i - j;
                    let sum: f64 = (0..REACH - apart).map(|at| rows[i][at].dot(&rows[j][at + apart])).sum();
                    gram.add(i, j, sum);
                }
            }
            if gram.factorise().is_err() {
                return;
            }
            gram.solve(&mut values);
            for (j, row) in rows.iter().enumerate() {
                for (at, own) in row.iter().enumerate() {
                    let Some(i) = (j + at).checked_sub(2).filter(|i| *i < n) else { continue };
                    let step = own * values[j];
                    self.set_control(c, i, &(self.control(c, i) - step));
                    if i == n - 1 && held[1].is_some() {
                        self.set_control(c, n - 2, &(self.control(c, n - 2) - step));
                    }
                }
            }
        }
    }
}
