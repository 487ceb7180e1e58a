//! Loads along a spline rod, as forces at places.

use super::super::super::model::Span;
use crate::algebra::Vec3;
use crate::rod::Rod;
use crate::rod::spline::{SplineRod, Values, rule};
use crate::solver::problem::Axes;

/// A force and a moment at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) element: usize,
    pub(super) xi: f64,
    pub(super) values: Values,
    pub(super) force: Vec3,
    pub(super) moment: Vec3,
    pub(super) axes: Axes,
    /// Force and moment in world axes, at the last evaluation.
    pub(super) world: (Vec3, Vec3),
}

/// Loads of a span: those at points, and distributed ones at the nodes of a rule over what they cover of every
/// element. `from` leaves out what lies before that share of the rod.
pub(super) fn read(rod: &SplineRod, span: &Span, from: f64) -> Vec<Load> {
    let mut out = Vec::new();
    let ends = &rod.knots.ends;
    let mut push = |sigma: f64, force: Vec3, moment: Vec3, axes: Axes| {
        let (element, xi) = rod.element_at(sigma * rod.length());
        let values = rod.knots.at(element, xi);
        out.push(Load { element, xi, values, force, moment, axes, world: (force, moment) });
    };
    // Loads keep their share of a rod that grows.
    let length = span.rod.length();
    for load in span.point_loads.iter().filter(|l| l.s / length >= from) {
        push(load.s / length, load.force, load.moment, load.axes);
    }
    for load in &span.distributed_loads {
        let range = [load.from.min(load.to) / length, load.from.max(load.to) / length];
        let at = |values: &[Vec3; 2], s: f64| {
            let w = if load.to != load.from { (s - load.from) / (load.to - load.from) } else { 0.0 };
            values[0] * (1.0 - w) + values[1] * w
        };
        for e in 0..rod.elements() {
            let (first, last) = (ends[e].max(range[0]).max(from), ends[e + 1].min(range[1]));
            if last <= first {
                continue;
            }
            for (x, w) in rule() {
                let sigma = first + x * (last - first);
                let weight = w * (last - first) * length;
                let s = sigma * length;
                push(sigma, at(&load.force, s) * weight, at(&load.moment, s) * weight, load.axes);
            }
        }
    }
    out
}
