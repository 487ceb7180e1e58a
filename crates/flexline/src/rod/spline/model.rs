//! What a spline tells besides its kinematics.

use super::{MAX_ELEMENTS, POINTS, Point, SplineRod, SplineSpan};
use crate::algebra::Vec3;
use crate::body::pose::not_unit;
use crate::rod::kernel::{Layout, Loads, SpanKernel};
use crate::rod::model::{Model, range};
use crate::rod::{AnyRod, MassPoint, Matter, Rod, RodState};

impl Model for SplineRod {
    fn arcs(&self) -> &[f64] {
        self.arcs()
    }
    fn pieces(&self) -> (usize, &'static str) {
        (self.elements(), "elements")
    }
    fn most_pieces(&self) -> usize {
        MAX_ELEMENTS
    }
    fn piece_ends(&self) -> Vec<f64> {
        self.element_ends()
    }

    fn total_mass(&self) -> f64 {
        self.total_mass()
    }
    fn first_stiffness(&self) -> Vec3 {
        self.section_at(0.0).stiffness
    }
    fn stiffness_range(&self) -> Option<[f64; 2]> {
        Some(range(self.points.iter().map(|p| &p.stiffness)))
    }
    fn limit_stiffness(&mut self, rod: &AnyRod, most: f64) {
        let AnyRod::Spline(rod) = rod else { return };
        for (own, point) in self.points.iter_mut().zip(&rod.points) {
            own.stiffness = point.stiffness.map(|k| k.min(most));
        }
    }
    fn scale_stiffness(&mut self, rod: &AnyRod, factor: f64) {
        let AnyRod::Spline(rod) = rod else { return };
        for (own, point) in self.points.iter_mut().zip(&rod.points) {
            own.stiffness = point.stiffness * factor;
        }
    }
    fn set_length(&mut self, rod: &AnyRod, length: f64) {
        if let AnyRod::Spline(rod) = rod {
            self.set_length_from(rod, length);
        }
    }
    fn divided(&self, parts: usize) -> Option<AnyRod> {
        self.divided(parts).map(Into::into)
    }

    fn energy_parts(&self, state: &RodState) -> (f64, f64) {
        self.energy_parts(state)
    }
    fn twist_turns(&self, state: &RodState) -> f64 {
        self.twist_turns(state)
    }
    /// The frame at its start is left to others; its centreline stays where it is.
    fn add_twist(&self, state: &mut RodState, turns: [f64; 2]) {
        for e in 0..self.elements() {
            state.coordinates[self.twist_at(e)] += (turns[1] - turns[0]) * self.knots.share(e);
        }
    }
    fn local_stretch(&self, state: &RodState) -> Option<f64> {
        Some(self.largest_stretch(&state.coordinates))
    }
    /// At its points.
    fn strain_change(&self, was: f64, old: &RodState, new: &RodState) -> Vec<Vec3> {
        let mut change = Vec::with_capacity(self.points.len());
        self.over_points(&new.coordinates, |_, _, place| change.push(place.strain() / self.length));
        let mut k = 0;
        self.over_points(&old.coordinates, |_, _, place| {
            change[k] -= place.strain() / was;
            k += 1;
        });
        change
    }
    fn strain_moments(&self, change: &[Vec3]) -> Vec<Vec3> {
        let of = |(p, d): (&Point, &Vec3)| p.stiffness.component_mul(d) * (p.weight * self.length);
        self.points.iter().zip(change).map(of).collect()
    }

    fn matter_count(&self) -> [usize; 2] {
        [POINTS * self.elements(); 2]
    }
    fn matter(&self, state: &RodState) -> Matter {
        let mut out = Matter::default();
        self.over_points(&state.coordinates, |e, point, place| {
            let length = point.weight * self.length;
            let position = self.sum(&state.coordinates, e, &point.values.cubic);
            out.points.push(MassPoint { mass: point.mass * length, length, position });
            out.frames.push((point.rotary * length, place.frame()));
        });
        out
    }
    fn matter_arcs(&self) -> [Vec<f64>; 2] {
        let arcs = self.point_arcs();
        [arcs.clone(), arcs]
    }
    fn guess(&self, state: &mut RodState, shift: &dyn Fn(usize) -> Vec3, turn: &dyn Fn(usize) -> Vec3) {
        self.move_points(state, shift, turn);
    }

    fn has_frames(&self, state: &RodState) -> bool {
        let moves_on = |e: usize| self.joint_slope(&state.coordinates, e).norm() > 0.0;
        (0..=self.elements()).all(moves_on) && not_unit(&self.first_frame(&state.coordinates)).is_none()
    }
    /// Control points turn tangents by their distance.
    fn scale_angles(&self, step: &mut [f64]) {
        let h = self.length() / self.elements() as f64;
        step[..3 * self.controls()].iter_mut().for_each(|d| *d *= h);
    }

    fn place_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 2] {
        self.derivatives_at(state, share)
    }

    fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> bool {
        self.take_natural(state, gravity, loads)
    }

    fn natural_rows(&self) -> Vec<(f64, Vec3)> {
        self.natural_rows()
    }

    fn kernel(&self, loads: Loads<'_>, layout: &Layout) -> Box<dyn SpanKernel> {
        Box::new(SplineSpan::new(self, loads, layout))
    }
}
