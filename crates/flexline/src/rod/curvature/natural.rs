//! The natural curvature of helices and clothoids from their shape.
//!
//! Their coordinates are their curvatures v = L u, and the energy says A (v − L û)/L = Q with the forces Q that loads exert on v: û follows from
//! a diagonal matrix (helix) or a tridiagonal one (clothoid). F. Bertails-Descoubes, habilitation, 4.2.

use super::{Basis, CurvatureRod};
use crate::algebra::Vec3;
use crate::body::{Axes, DistributedLoad, PointLoad};
use crate::rod::kernel::Loads;
use crate::rod::model::Model;
use crate::rod::{Rod, RodState};
use nalgebra::DMatrix;

/// Tangent coordinates before the curvatures: the frame and the place of the start.
const START: usize = 6;
/// Parts of an element over which a distributed load is integrated.
const PARTS: usize = 8;
/// Most curvature coordinates for which all eigenvalues are found.
const MOST: usize = 200;
/// Turn by which the forces are differentiated, rad: truncation and round-off are alike there.
const STEP: f64 = 1e-5;

impl CurvatureRod {
    /// See [`Model::take_natural`].
    pub(super) fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) {
        let forces = self.forces_on_curvatures(state, gravity, loads);
        let (length, count) = (self.length, self.curvatures());
        let v = |i: usize| Vec3::from_column_slice(&state.coordinates[7 + 3 * i..10 + 3 * i]) / length;
        let mut taken = vec![false; count];
        let mut moments = vec![[Vec3::zeros(); 2]; self.elements()];
        for (e, own) in moments.iter_mut().enumerate() {
            let places = [0, 1].map(|which| self.place(e, which));
            let a = self.stiffness[e].a;
            for (which, row) in [[a[0], a[1]], [a[1], a[2]]].iter().enumerate() {
                let Some(i) = places[which] else { continue };
                for (k, a) in row.iter().enumerate() {
                    own[which] += places[k].map_or_else(Vec3::zeros, |k| a.component_mul(&v(k)));
                }
                // What two elements share is loaded once.
                if !std::mem::replace(&mut taken[i], true) {
                    own[which] -= forces[i];
                }
            }
        }
        self.rest = self.natural(&moments);
        self.take_rest();
        self.left = Vec3::zeros();
        self.rest_missed.fill(0.0);
        self.lay_out_matter();
        self.place_arcs();
    }

    /// See [`Model::natural_rows`].
    pub(super) fn natural_rows(&self) -> Vec<(f64, Vec3)> {
        let mut rows: Vec<(f64, Vec3)> = Vec::with_capacity(2 * self.elements());
        for (e, w) in self.element_ends().windows(2).enumerate() {
            let [first, second] = match self.basis {
                Basis::Helix => [self.rest[e]; 2],
                Basis::Clothoid => [self.rest[self.first[e]], self.rest[self.first[e] + 1]],
            };
            // Elements that share a value have one row for both.
            if rows.last() != Some(&(w[0], first)) {
                rows.push((w[0], first));
            }
            rows.push((w[1], second));
        }
        rows
    }

    /// The factor on the stiffness from which on Horn's theorem proves a shape stable: the second variation is a sum of the stiffness A and
    /// of S = −∂Q/∂v, so that its smallest eigenvalue is at least the sum of theirs (habilitation, 4.5 and 4.6). 0 where S alone is positive.
    pub(crate) fn horn(
        &self,
        state: &RodState,
        gravity: &Vec3,
        points: &[PointLoad],
        distributed: &[DistributedLoad],
    ) -> Option<f64> {
        let count = 3 * self.curvatures();
        if self.curvatures() > MOST {
            return None;
        }
        let mut stiffness = DMatrix::zeros(count, count);
        self.hessian(state, &mut |i, j, value| stiffness[(i - START, j - START)] += value);
        let forces = |by: f64, k: usize| {
            let mut moved = state.clone();
            moved.coordinates[7 + k] += by;
            self.forces_on_curvatures(&moved, gravity, Loads { points, distributed })
        };
        let mut loads = DMatrix::zeros(count, count);
        for k in 0..count {
            let (more, less) = (forces(STEP, k), forces(-STEP, k));
            for i in 0..count {
                loads[(i, k)] = -(more[i / 3][i % 3] - less[i / 3][i % 3]) / (2.0 * STEP);
            }
        }
        let even = (&loads + loads.transpose()) * 0.5;
        let least = |m: DMatrix<f64>| m.symmetric_eigenvalues().min();
        let (own, softest) = (least(even), least(stiffness));
        let factor = -own / softest;
        factor.is_finite().then_some(factor.max(0.0))
    }

    /// What gravity and loads exert on every curvature coordinate.
    fn forces_on_curvatures(&self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> Vec<Vec3> {
        let mut all = vec![Vec3::zeros(); self.curvatures()];
        let mut add = |s: f64, force: &Vec3, moment: &Vec3| {
            for (index, shift, turn) in self.station_jacobian(state, s).columns {
                if let Some(i) = index.checked_sub(START) {
                    all[i / 3][i % 3] += force.dot(&shift) + moment.dot(&turn);
                }
            }
        };
        let world = |s: f64, axes: Axes, v: &Vec3| match axes {
            Axes::World => *v,
            Axes::Material => crate::algebra::rotation::rotate(&self.station(state, s).frame, v),
        };
        for (s, point) in self.matter_arcs()[0].iter().zip(&self.matter(state).points) {
            add(*s, &(gravity * point.mass), &Vec3::zeros());
        }
        for load in loads.points {
            add(load.s, &world(load.s, load.axes, &load.force), &world(load.s, load.axes, &load.moment));
        }
        for load in loads.distributed {
            let (from, to) = (load.from.min(load.to), load.from.max(load.to));
            let parts = PARTS * self.elements();
            let h = (to - from) / parts as f64;
            let offset = 0.5 * h / 3f64.sqrt();
            for middle in (0..parts).map(|k| from + (k as f64 + 0.5) * h) {
                for s in [middle - offset, middle + offset] {
                    let (force, moment) = load.at(s);
                    let half = 0.5 * h;
                    add(s, &(world(s, load.axes, &force) * half), &(world(s, load.axes, &moment) * half));
                }
            }
        }
        all
    }
}
