//! The natural strain of a spline from its shape.
//!
//! At every point of the quadrature ū = u − K⁻¹ Rᵀ m, with the moment m of all that loads do beyond: from the free end on, by Gauss's rule between
//! one point and the next. A spline has four such points in an element and fewer coordinates: the shape is an equilibrium to the
//! order of the spline, and not to round-off as that of other models.

use super::{SplineRod, fit, rule};
use crate::algebra::{Vec3, rotation};
use crate::body::Axes;
use crate::rod::kernel::Loads;
use crate::rod::{Rod, RodState};

impl SplineRod {
    /// See [`Model::take_natural`](crate::rod::model::Model::take_natural); false where the natural strain is no shape.
    pub(super) fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> bool {
        let arcs = self.point_arcs();
        let natural: Vec<Vec3> = self.natural_strains(state, gravity, loads, &arcs);
        let between = |s: f64| {
            let k = arcs.partition_point(|own| *own < s).clamp(1, arcs.len() - 1);
            let share = (s - arcs[k - 1]) / (arcs[k] - arcs[k - 1]);
            natural[k - 1] + (natural[k] - natural[k - 1]) * share
        };
        let Ok(shape) = fit::natural_shape(&self.element_ends(), &between) else { return false };
        self.natural = self.state_from(&|s| shape.at(s)).coordinates;
        for (point, rest) in self.points.iter_mut().zip(&natural) {
            point.rest = *rest;
        }
        true
    }

    /// ū at arc lengths that increase.
    fn natural_strains(&self, state: &RodState, gravity: &Vec3, loads: Loads<'_>, arcs: &[f64]) -> Vec<Vec3> {
        let turned = |s: f64, axes: Axes, v: &Vec3| match axes {
            Axes::World => *v,
            Axes::Material => rotation::rotate(&self.station(state, s).frame, v),
        };
        let mut out = vec![Vec3::zeros(); arcs.len()];
        // Force and moment of all beyond, about where we are.
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        let mut beyond = self.length();
        for (k, &s) in arcs.iter().enumerate().rev() {
            let here = self.station(state, s);
            moment += (self.station(state, beyond).position - here.position).cross(&force);
            let mut add = |at: f64, f: Vec3, m: Vec3| {
                force += f;
                moment += (self.station(state, at).position - here.position).cross(&f) + m;
            };
            for (share, weight) in rule() {
                let at = s + share * (beyond - s);
                let w = weight * (beyond - s);
                add(at, gravity * (self.section_at(at).mass_per_length * w), Vec3::zeros());
            }
            for load in loads.distributed {
                let (from, to) = (load.from.min(load.to).max(s), load.from.max(load.to).min(beyond));
                for (share, weight) in rule().into_iter().filter(|_| to > from) {
                    let at = from + share * (to - from);
                    let (f, m) = load.at(at);
                    let w = weight * (to - from);
                    add(at, turned(at, load.axes, &f) * w, turned(at, load.axes, &m) * w);
                }
            }
            let last = k + 1 == arcs.len();
            for load in loads.points.iter().filter(|own| own.s > s && (own.s <= beyond || last)) {
                add(load.s, turned(load.s, load.axes, &load.force), turned(load.s, load.axes, &load.moment));
            }
            beyond = s;
            let own = rotation::rotate(&here.frame.conjugate(), &moment);
            out[k] = self.strain(state, s) - own.component_div(&self.section_at(s).stiffness);
        }
        out
    }

    /// See [`Model::natural_rows`](crate::rod::model::Model::natural_rows): at the points of the quadrature.
    pub(super) fn natural_rows(&self) -> Vec<(f64, Vec3)> {
        self.point_arcs().into_iter().zip(self.points.iter().map(|own| own.rest)).collect()
    }
}
