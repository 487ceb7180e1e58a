//! Length along a spline rod: held on average with every quadratic B-spline.

use super::{POINTS, Point, SplineRod};
use crate::algebra::Vec3;
use crate::algebra::band::Banded;
use crate::rod::{Entries, RodState};

/// Newton steps back to the length.
const ROUNDS: usize = 40;
/// Share of the length below which what is missed is that of round-off once it falls no more.
const ROUGH: f64 = 1e-13;
/// Places per element at which its length is looked at: |r′|² has degree four.
const LOOKS: usize = 12;
/// Control points that a tension acts on: two before its own to three beyond, and the end that takes one along.
const REACH: usize = 7;

/// Room for the way back to the length.
#[derive(Clone, Debug, Default)]
pub(crate) struct LengthRoom {
    values: Vec<f64>,
    rows: Vec<[Vec3; REACH]>,
    gram: Banded,
}

impl SplineRod {
    /// What every tension holds, m: how far lengths are from what they should be, on average with its function.
    pub(crate) fn missed_lengths(&self, c: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.over_lengths(c, |e, point, rho| {
            let half = 0.5 * (rho.norm_squared() / self.length.powi(2) - 1.0) * self.length * point.weight;
            for (j, n) in point.values.quadratic.iter().enumerate() {
                out[self.knots.first[e] + j] += n * half;
            }
        });
    }

    /// How that changes with the control points.
    pub(super) fn length_jacobian(&self, c: &[f64], out: &mut Entries) {
        self.over_lengths(c, |e, point, rho| {
            let first = self.knots.first[e];
            for (j, n) in point.values.quadratic.iter().enumerate() {
                for (i, slope) in point.values.slope.iter().enumerate() {
                    let by = rho * (n * slope * point.weight / self.length);
                    for axis in 0..3 {
                        out(first + j, 3 * (first + i) + axis, by[axis]);
                    }
                }
            }
        });
    }

    /// Calls `f` with element, point and r_σ of every point of the quadrature.
    pub(crate) fn over_lengths(&self, c: &[f64], mut f: impl FnMut(usize, &Point, &Vec3)) {
        for (k, point) in self.points.iter().enumerate() {
            f(k / POINTS, point, &self.sum(c, k / POINTS, &point.values.slope));
        }
    }

    /// Largest |1 − |r′|| anywhere: tensions hold the length on average, between their averages the curve stretches.
    pub(crate) fn largest_stretch(&self, c: &[f64]) -> f64 {
        let looks = (0..self.elements()).flat_map(|e| (0..=LOOKS).map(move |k| (e, k as f64 / LOOKS as f64)));
        looks
            .map(|(e, xi)| (1.0 - self.sum(c, e, &self.knots.at(e, xi).slope).norm() / self.length).abs())
            .fold(0.0, f64::max)
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

    /// How lengths change with the control points around them. Where a tangent is held, the control point beside the
    /// end stays on it, and the end takes it along.
    fn length_rows(&self, c: &[f64], held: [Option<Vec3>; 2], rows: &mut Vec<[Vec3; REACH]>) {
        let n = self.controls();
        rows.clear();
        rows.resize(self.tensions(), [Vec3::zeros(); REACH]);
        self.length_jacobian(c, &mut |j, k, v| rows[j][k / 3 + 2 - j][k % 3] += v);
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
    }

    /// Tensions that balance `forces` on the control points as well as tensions can, by least squares (J. Nocedal,
    /// S. Wright, *Numerical Optimization*, ch. 18). The force on an end whose position is held does not count.
    pub(crate) fn balance(
        &self,
        state: &RodState,
        held: [Option<Vec3>; 2],
        end_held: bool,
        forces: &[Vec3],
    ) -> Option<Vec<f64>> {
        let n = self.controls();
        let mut rows = Vec::new();
        self.length_rows(&state.coordinates, held, &mut rows);
        let mut forces = forces.to_vec();
        if held[1].is_some() {
            let beside = forces[n - 2];
            forces[n - 1] += beside;
        }
        for (j, row) in rows.iter_mut().enumerate().filter(|_| end_held) {
            if let Some(last) = row.get_mut(n + 1 - j) {
                *last = Vec3::zeros();
            }
        }
        let mut out: Vec<f64> = (rows.iter().enumerate())
            .map(|(j, row)| {
                let own = |at: usize| (j + at).checked_sub(2).and_then(|i| forces.get(i));
                -(0..REACH).filter_map(|at| Some(row[at].dot(own(at)?))).sum::<f64>()
            })
            .collect();
        let mut gram = Banded::default();
        make_gram(&rows, &mut gram);
        gram.factorise().ok()?;
        gram.solve(&mut out);
        Some(out)
    }

    /// Moves the control points as little as possible so that the length is kept again. The first stays; where a
    /// tangent is held, the control point beside the end stays on it, and the end takes it along.
    /// `room` is for what that takes.
    pub(crate) fn restore_length(&self, c: &mut [f64], held: [Option<Vec3>; 2], room: &mut LengthRoom) {
        let n = self.controls();
        let LengthRoom { values, rows, gram } = room;
        values.clear();
        values.resize(self.tensions(), 0.0);
        let mut before = f64::INFINITY;
        for _ in 0..ROUNDS {
            self.missed_lengths(c, values);
            let missed = values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            let rough = missed < ROUGH * self.length && missed > 0.5 * before;
            if missed.is_nan() || missed < 2e-16 * self.length || rough {
                return;
            }
            before = missed;
            self.length_rows(c, held, rows);
            make_gram(rows, gram);
            if gram.factorise().is_err() {
                return;
            }
            gram.solve(values);
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

/// The products of all rows with each other.
fn make_gram(rows: &[[Vec3; REACH]], gram: &mut Banded) {
    gram.reset(rows.len(), REACH - 1);
    for i in 0..rows.len() {
        for j in i.saturating_sub(REACH - 1)..=i {
            // Column `at` of row i is control point i + at − 2.
            let apart = i - j;
            let sum: f64 = (0..REACH - apart).map(|at| rows[i][at].dot(&rows[j][at + apart])).sum();
            gram.add(i, j, sum);
        }
    }
}
