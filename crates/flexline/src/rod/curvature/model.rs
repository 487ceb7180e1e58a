//! What helices and clothoids tell besides their kinematics.

use super::{Basis, CurvatureRod, CurvatureSpan, MAX_ELEMENTS, Stiffness};
use crate::algebra::collocation::{Collocation, POINTS};
use crate::algebra::{Vec3, rotation};
use crate::body::pose::not_unit;
use crate::rod::kernel::{Layout, Loads, SpanKernel};
use crate::rod::model::Model;
use crate::rod::{AnyRod, MassPoint, Matter, Rod, RodState};
use std::ops::Range;

impl Model for CurvatureRod {
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
    fn curvature_coordinates(&self, count: usize) -> Range<usize> {
        count.min(7)..count
    }

    fn total_mass(&self) -> f64 {
        self.total_mass()
    }
    fn first_stiffness(&self) -> Vec3 {
        self.section_at(0.0).stiffness
    }
    fn scale_stiffness(&mut self, rod: &AnyRod, factor: f64) {
        let AnyRod::Curvature(other) = rod else { return };
        for (own, stiffness) in self.stiffness.iter_mut().zip(&other.stiffness) {
            own.a = stiffness.a.map(|a| a * factor);
        }
        self.left = other.left * factor;
    }
    fn set_length(&mut self, rod: &AnyRod, length: f64) {
        if let AnyRod::Curvature(rod) = rod {
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
    /// Its curvatures do; the frame at its start is left to others.
    fn go_on(&self, state: &mut RodState, before: &RodState, by: f64) {
        for (own, before) in state.coordinates[7..].iter_mut().zip(&before.coordinates[7..]) {
            *own += by * (*own - before);
        }
    }
    /// The frame at its start is left to others; its centreline stays about where it is.
    fn add_twist(&self, state: &mut RodState, turns: [f64; 2]) {
        let coordinates = &mut state.coordinates;
        let rate = turns[1] - turns[0];
        let mut turn = |i: usize, sigma: f64| {
            let back = rotation::exp(&Vec3::new(0.0, 0.0, -(turns[0] + rate * sigma)));
            let v = rotation::rotate(&back, &self.curvature(coordinates, i)) + Vec3::new(0.0, 0.0, rate);
            coordinates[7 + 3 * i..10 + 3 * i].copy_from_slice(v.as_slice());
        };
        let mut sigma = 0.0;
        for (e, share) in self.shares.iter().enumerate() {
            // The middle of a helix, the nodes of a clothoid.
            match self.basis {
                Basis::Helix => turn(e, sigma + 0.5 * share),
                Basis::Clothoid => {
                    if self.begins[e] {
                        turn(self.first[e], sigma);
                    }
                    turn(self.first[e] + 1, sigma + share);
                }
            }
            sigma += share;
        }
    }
    fn end_torque(&self, state: &RodState) -> Vec3 {
        let last = self.elements() - 1;
        let twist = self.ends(&state.coordinates, last)[1].z / self.length - self.stiffness[last].rest[1].z;
        let stiffness = self.section_at(self.length).stiffness.z;
        rotation::tangent(&self.station(state, self.length).frame) * (stiffness * twist)
    }
    /// That of the coordinates at both ends of every element.
    fn strain_change(&self, was: f64, old: &RodState, new: &RodState) -> Vec<Vec3> {
        let scale = self.length / was;
        (0..self.elements())
            .flat_map(|e| {
                let [a, b] = self.ends(&old.coordinates, e).map(|v| v * scale);
                let [c, d] = self.ends(&new.coordinates, e);
                match self.basis {
                    Basis::Helix => [Vec3::zeros(), d - b],
                    Basis::Clothoid => [c - a, d - b],
                }
            })
            .collect()
    }
    fn strain_moments(&self, change: &[Vec3]) -> Vec<Vec3> {
        let of = |(own, d): (&Stiffness, &[Vec3])| [0, 1].map(|i| own.times(&[d[0], d[1]], i) / self.length);
        self.stiffness.iter().zip(change.chunks_exact(2)).flat_map(of).collect()
    }

    fn matter_count(&self) -> [usize; 2] {
        [POINTS * self.fixed_pieces().len(); 2]
    }
    fn matter(&self, state: &RodState) -> Matter {
        let rule = Collocation::get();
        let mut out = Matter::default();
        self.walk(&state.coordinates, &self.pieces, |p, shape| {
            for k in 0..POINTS {
                let length = self.length * shape.half * rule.weights[k];
                let (mass, rotary) = self.matter[POINTS * p + k];
                out.points.push(MassPoint { mass: mass * length, length, position: shape.position(k) });
                out.frames.push((rotary * length, shape.frames[k]));
            }
        });
        out
    }
    fn matter_arcs(&self) -> [Vec<f64>; 2] {
        let arcs = self.point_arcs();
        [arcs.clone(), arcs]
    }

    fn has_frames(&self, state: &RodState) -> bool {
        not_unit(&self.base(&state.coordinates).1).is_none()
    }

    fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> bool {
        self.take_natural(state, gravity, loads);
        true
    }

    fn natural_rows(&self) -> Vec<(f64, Vec3)> {
        self.natural_rows()
    }

    fn kernel(&self, loads: Loads<'_>, _layout: &Layout) -> Box<dyn SpanKernel> {
        Box::new(CurvatureSpan::new(self, loads))
    }
}
