//! What a chain tells besides its kinematics.

use super::{MAX_SEGMENTS, MixedRod, MixedSpan, PlaceOnChain};
use crate::algebra::{Vec3, rotation};
use crate::body::pose::not_unit;
use crate::rod::kernel::{Layout, Loads, SpanKernel};
use crate::rod::model::{Model, range};
use crate::rod::{AnyRod, MassPoint, Matter, Rod, RodState};
use crate::section::SectionError;

impl Model for MixedRod {
    fn flaw(&self) -> Option<&SectionError> {
        self.flaw.as_ref()
    }
    fn arcs(&self) -> &[f64] {
        self.mesh().nodes()
    }
    fn pieces(&self) -> (usize, &'static str) {
        (self.segments(), "segments")
    }
    fn most_pieces(&self) -> usize {
        MAX_SEGMENTS
    }
    fn piece_ends(&self) -> Vec<f64> {
        self.mesh().nodes().to_vec()
    }
    fn order(&self) -> u32 {
        2
    }
    fn bends_at_nodes(&self) -> bool {
        true
    }

    fn total_mass(&self) -> f64 {
        self.total_mass()
    }
    fn first_stiffness(&self) -> Vec3 {
        self.stiffnesses().first().copied().unwrap_or_else(Vec3::zeros)
    }
    fn stiffness_range(&self) -> Option<[f64; 2]> {
        Some(range(self.stiffnesses().iter()))
    }
    fn limit_stiffness(&mut self, rod: &AnyRod, most: f64) {
        let AnyRod::Mixed(rod) = rod else { return };
        for ((own, spring), k) in self.spring.iter_mut().zip(&rod.spring).zip(rod.stiffnesses()) {
            *own = spring.zip_map(k, |spring, k| spring * (most / k).min(1.0));
        }
    }
    fn set_length(&mut self, rod: &AnyRod, length: f64) {
        if let AnyRod::Mixed(rod) = rod {
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
    fn add_twist(&self, state: &mut RodState, turns: [f64; 2]) {
        let rate = (turns[1] - turns[0]) / self.length();
        for j in 0..self.segments() + 2 {
            let turned = rotation::exp(&Vec3::new(0.0, 0.0, turns[0] + rate * self.frame_arc(j)));
            let q = self.frame(state, j) * turned;
            self.set_frame(state, j, &q);
        }
        for (own, dual) in state.twist.iter_mut().zip(&self.duals) {
            *own += rate * dual;
        }
        self.remember_twist(state);
    }
    fn twist_count(&self) -> usize {
        self.segments() + 1
    }
    /// Orientations alone forget full turns.
    fn carry_turns(&self, state: &mut RodState, twist: &dyn Fn(f64) -> f64) {
        for j in 0..=self.segments() {
            let (a, b) = (self.frame_arc(j), self.frame_arc(j + 1));
            state.twist[j] = twist(0.5 * (a + b)) * (b - a);
        }
        self.remember_twist(state);
    }
    /// Largest distance of a segment's end from where its frame puts it, relative to its length.
    fn length_error(&self, state: &RodState) -> f64 {
        let error = |i: usize| {
            let chord = self.position(state, i + 1) - self.position(state, i);
            (chord - self.lengths[i] * rotation::tangent(&self.frame(state, i + 1))).norm() / self.lengths[i]
        };
        (0..self.segments()).map(error).fold(0.0, f64::max)
    }
    /// That of the angles at its springs.
    fn strain_change(&self, was: f64, old: &RodState, new: &RodState) -> Vec<Vec3> {
        let scale = self.length() / was;
        let change = |j: usize| self.vertex(new, j).1.value - self.vertex(old, j).1.value * scale;
        (0..self.spring.len()).map(change).collect()
    }
    fn strain_moments(&self, change: &[Vec3]) -> Vec<Vec3> {
        self.spring.iter().zip(change).map(|(spring, d)| spring.component_mul(d)).collect()
    }

    fn matter_count(&self) -> [usize; 2] {
        [self.segments() + 1, self.segments() + 2]
    }
    fn matter(&self, state: &RodState) -> Matter {
        let point = |j: usize| MassPoint {
            mass: self.mass[j],
            length: self.duals[j],
            position: self.position(state, j),
        };
        Matter {
            points: (0..=self.segments()).map(point).collect(),
            couplings: self.coupling.clone(),
            frames: (0..self.segments() + 2).map(|j| (self.rotary[j], self.frame(state, j))).collect(),
        }
    }
    fn matter_arcs(&self) -> [Vec<f64>; 2] {
        [self.mesh().nodes().to_vec(), (0..self.segments() + 2).map(|j| self.frame_arc(j)).collect()]
    }
    /// Its positions follow from its frames.
    fn guess(&self, state: &mut RodState, _shift: &dyn Fn(usize) -> Vec3, turn: &dyn Fn(usize) -> Vec3) {
        for j in 0..self.segments() + 2 {
            let q = rotation::displaced(&self.frame(state, j), &turn(j));
            self.set_frame(state, j, &q);
        }
    }

    fn has_frames(&self, state: &RodState) -> bool {
        (0..self.segments() + 2).all(|j| not_unit(&self.frame(state, j)).is_none())
    }

    fn place(&self, state: &RodState, share: f64) -> Vec3 {
        PlaceOnChain::new(self, share).position(self, state)
    }
    fn place_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 2] {
        PlaceOnChain::new(self, share).derivatives(self, state)
    }
    fn place_and_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 3] {
        let place = PlaceOnChain::new(self, share);
        let [slope, bend] = place.derivatives(self, state);
        [place.position(self, state), slope, bend]
    }
    fn end_position(&self, state: &RodState, side: usize) -> Vec3 {
        self.position(state, side * self.segments())
    }
    /// A node lies in the middle of each piece.
    fn axis_shares(&self, out: &mut Vec<f64>) {
        let (nodes, length) = (self.mesh().nodes(), self.length());
        out.push(0.0);
        out.extend(nodes.windows(2).map(|ends| 0.5 * (ends[0] + ends[1]) / length));
        out.push(1.0);
    }

    fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> bool {
        self.take_natural(state, gravity, loads)
    }

    fn natural_rows(&self) -> Vec<(f64, Vec3)> {
        self.natural_rows()
    }

    fn kernel(&self, loads: Loads<'_>, _layout: &Layout) -> Box<dyn SpanKernel> {
        Box::new(MixedSpan::new(self, loads))
    }
}
