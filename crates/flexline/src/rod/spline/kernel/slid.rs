//! Rope that slides, in motion: the targets of its matter move along it with what slides at its ends, as those of
//! [helices and clothoids](super::super::curvature) do. Positions of a spline do not depend on its length, so the two
//! meet in the coordinates alone.

use super::unknowns::{FACES, LENGTH};
use super::{FLOW, GROWS, Layout, Local, LocalVector, SplineSpan};
use crate::algebra::Vec3;
use crate::body::Inertia;
use crate::rod::spline::POINTS;

/// What slides at the end, or at the start.
#[derive(Clone, Debug, Default)]
pub(super) struct Slid {
    /// How the residual changes with it: inside, and at the interface.
    inner: Vec<f64>,
    faces: [f64; FACES],
    /// The inverse of the matrix inside times the first.
    solved: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl SplineSpan {
    /// Derivative of the Lagrangian by what slides at the end (0) or at the start (1), the length held, N.
    pub(super) fn slid_force(&self, side: usize) -> f64 {
        self.taps.passed().map_or(0.0, |inertia| inertia.slid_force(side, |k| self.positions[k]))
    }

    /// How the residual changes with what slides at a side; yet to be solved for.
    fn slid_column(&self, inertia: &Inertia, side: usize) -> Slid {
        let mut raw = vec![0.0; self.raw.len()];
        for (k, point) in self.rod.points.iter().enumerate() {
            let first = self.rod.knots.first[k / POINTS];
            let pull = inertia.along[k] * (-inertia.nodes[k].0 * inertia.share(k, side));
            for (i, value) in point.values.cubic.iter().enumerate() {
                for axis in 0..3 {
                    raw[3 * (first + i) + axis] += value * pull[axis];
                }
            }
        }
        let mut own = Slid { inner: vec![0.0; self.inner.len()], ..Slid::default() };
        self.sort(&raw, &mut own.inner, &mut own.faces);
        own.solved.clone_from(&own.inner);
        own
    }

    /// Adds what slides to the form of the interface, after a factorisation.
    pub(super) fn add_slid(&mut self, layout: &Layout, s: &mut Local) {
        self.slid = None;
        let Some(inertia) = self.taps.passed() else { return };
        let mut slid = [0, 1].map(|side| self.slid_column(inertia, side));
        for own in &mut slid {
            self.matrix.solve(&self.unknowns.pattern, &mut own.solved);
        }
        let Some(inertia) = self.taps.passed() else { return };
        for a in layout.sides() {
            for f in Self::active(layout) {
                let value = slid[a].faces[f] - dot(&self.columns[f], &slid[a].solved);
                let mut add = |at: usize, value: f64| {
                    s[(at, FLOW + a)] += value;
                    s[(FLOW + a, at)] += value;
                };
                if f == LENGTH {
                    layout.sides().for_each(|side| add(FLOW + side, GROWS[side] * value));
                } else {
                    add(f, value);
                }
            }
            for b in layout.sides() {
                let both = |(k, along): (usize, &Vec3)| {
                    let shares = inertia.share(k, a) * inertia.share(k, b);
                    inertia.nodes[k].0 * shares * along.norm_squared()
                };
                let own: f64 = inertia.along.iter().enumerate().map(both).sum();
                s[(FLOW + a, FLOW + b)] += own - dot(&slid[a].inner, &slid[b].solved);
            }
        }
        self.slid = Some(slid);
    }

    /// Adds what a residual, eliminated just now, leaves on what slides.
    pub(super) fn add_slid_residual(&self, layout: &Layout, local: &mut LocalVector) {
        let Some(slid) = &self.slid else { return };
        for side in layout.sides() {
            local[FLOW + side] -= self.slid_force(side) + dot(&slid[side].inner, &self.eliminated);
        }
    }

    /// Takes from the step inside what the step of the interface slides.
    pub(super) fn step_with_slid(&mut self, layout: &Layout, w: &LocalVector) {
        let Some(slid) = &self.slid else { return };
        for side in layout.sides() {
            for (s, x) in self.step.inner.iter_mut().zip(&slid[side].solved) {
                *s -= x * w[FLOW + side];
            }
        }
    }
}
