//! The natural curvature of helices and clothoids from their shape.
//!
//! Their coordinates are their curvatures v = L u, and the energy says A (v − L û)/L = Q with the forces Q that loads exert on v: û follows from
//! a diagonal matrix (helix) or a tridiagonal one (clothoid). F. Bertails-Descoubes, habilitation, 4.2.

use super::CurvatureRod;
use crate::algebra::Vec3;
use crate::body::Axes;
use crate::rod::kernel::Loads;
use crate::rod::model::Model;
use crate::rod::{Rod, RodState};

/// Tangent coordinates before the curvatures: the frame and the place of the start.
const START: usize = 6;
/// Parts of an element over which a distributed load is integrated.
const PARTS: usize = 8;

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
