//! What every rod model tells besides its kinematics and its energy ([`Rod`]) and the kernel that eliminates it.

use super::kernel::{Layout, Loads, SpanKernel};
use super::{AnyRod, Matter, Rod, RodState};
use crate::algebra::{Vec3, rotation};
use crate::section::SectionError;
use std::ops::Range;

/// Least number of pieces of the axis of a rod of elements.
const AXIS_PIECES: usize = 64;

/// A rod as structures and solvers see it, whatever its model is: [`AnyRod`] hands everything on to this.
pub(crate) trait Model: Rod {
    /// What is wrong with what it was made of.
    fn flaw(&self) -> Option<&SectionError> {
        None
    }
    /// Arc lengths at which it is drawn and reported, from 0 to its length.
    fn arcs(&self) -> &[f64];
    /// What it is divided into: how many, and of what.
    fn pieces(&self) -> (usize, &'static str);
    /// Most of them.
    fn most_pieces(&self) -> usize;
    /// Arc lengths at which they end, from 0 to its length.
    fn piece_ends(&self) -> Vec<f64>;
    /// The order of its error in the length of its pieces, at best.
    fn order(&self) -> u32 {
        4
    }
    /// Whether it bends at nodes, however short the bend, and not within elements.
    fn bends_at_nodes(&self) -> bool {
        false
    }

    /// Mass of the whole rod, kg.
    fn total_mass(&self) -> f64;
    /// K1, K2, K3 at the beginning, N m².
    fn first_stiffness(&self) -> Vec3;
    /// Least and largest stiffness anywhere, N m²; `None` where it cannot be made softer place by place.
    fn stiffness_range(&self) -> Option<[f64; 2]> {
        None
    }
    /// Makes this `rod`, nowhere stiffer than `most`, N m².
    fn limit_stiffness(&mut self, _rod: &AnyRod, _most: f64) {}
    /// Makes this `rod`, so many times as stiff everywhere, where that is more than a change of the forces.
    fn scale_stiffness(&mut self, _rod: &AnyRod, _factor: f64) {}
    /// Makes this `rod` with another length: more or less of it.
    fn set_length(&mut self, rod: &AnyRod, length: f64);
    /// This rod with every segment or element divided into `parts`, as far as it knows what it is made of; `None` where
    /// there would be too many.
    fn divided(&self, parts: usize) -> Option<AnyRod>;

    /// Bending and twisting parts of the elastic energy, J.
    fn energy_parts(&self, state: &RodState) -> (f64, f64);
    /// Total twist in turns: ∫ τ ds / 2π.
    fn twist_turns(&self, state: &RodState) -> f64;
    /// Turns it about its own tangent by these angles (rad) at its start and end, and evenly between.
    fn add_twist(&self, state: &mut RodState, turns: [f64; 2]);
    /// The torque at its end by its own twist there, N m, where a moment at the end is an unknown. Others find it from their
    /// frames.
    fn end_torque(&self, _state: &RodState) -> Vec3 {
        Vec3::zeros()
    }
    /// How many numbers carry its twist as history.
    fn twist_count(&self) -> usize {
        0
    }
    /// Carries a twist, rad per length at an arc length, as history, where frames alone forget full turns.
    fn carry_turns(&self, _state: &mut RodState, _twist: &dyn Fn(f64) -> f64) {}
    /// Largest strain of the centreline at any place, where length is held on average only.
    fn local_stretch(&self, _state: &RodState) -> Option<f64> {
        None
    }
    /// By how much lengths are missed at any place, relative to them.
    fn length_error(&self, state: &RodState) -> f64 {
        self.local_stretch(state).unwrap_or(0.0)
    }
    /// Change of strain from one state, where it had the length `was`, to another, place by place as the rod measures it.
    fn strain_change(&self, was: f64, old: &RodState, new: &RodState) -> Vec<Vec3>;
    /// Moments K Δu of a change of strain, such that their product with another change is its work, ∫ Δu·K Δu′ ds.
    fn strain_moments(&self, change: &[Vec3]) -> Vec<Vec3>;

    /// Numbers of points and frames of [`Model::matter`].
    fn matter_count(&self) -> [usize; 2];
    /// Where its mass is, and how it is turned.
    fn matter(&self, state: &RodState) -> Matter;
    /// Arc lengths of the points and of the frames of [`Model::matter`].
    fn matter_arcs(&self) -> [Vec<f64>; 2];
    /// A guess: shifts every point of its matter, and turns every frame by a rotation in material axes, as far as a
    /// solver does not do so by itself.
    fn guess(&self, _state: &mut RodState, _shift: &dyn Fn(usize) -> Vec3, _turn: &dyn Fn(usize) -> Vec3) {}

    /// The coordinates that are curvatures, three each, in a state of so many coordinates.
    fn curvature_coordinates(&self, _count: usize) -> Range<usize> {
        0..0
    }

    /// Goes on from `before` through `state` by so many times what lies between them.
    fn go_on(&self, state: &mut RodState, before: &RodState, by: f64) {
        let (was, is) = (self.matter(before), self.matter(state));
        let turn = |j: usize| rotation::log(&(was.frames[j].1.conjugate() * is.frames[j].1)) * by;
        self.guess(state, &|i| (is.points[i].position - was.points[i].position) * by, &turn);
        self.project(state);
    }

    /// Whether the frames of a state of its size are rotations, and its tangents directions.
    fn has_frames(&self, state: &RodState) -> bool;
    /// From angles, rad, to steps of its coordinates that turn tangents by about as much.
    fn scale_angles(&self, _step: &mut [f64]) {}

    /// Where forces act that are given for a share of its length.
    fn place(&self, state: &RodState, share: f64) -> Vec3 {
        self.station(state, share * self.length()).position
    }
    /// That place, and its first and second derivative by the share, m.
    fn place_and_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 3] {
        let [slope, bend] = self.place_derivatives(state, share);
        [self.place(state, share), slope, bend]
    }
    /// First and second derivative of that place by the share, m: x′ = L d3, x″ = L² R (u × e3).
    fn place_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 2] {
        let (s, length) = (share * self.length(), self.length());
        let r = rotation::matrix(&self.station(state, s).frame);
        let bend = self.strain(state, s).cross(&Vec3::z()) * length * length;
        [r.column(2) * length, r * bend]
    }
    /// Position of its start (0) or end (1).
    fn end_position(&self, state: &RodState, side: usize) -> Vec3 {
        self.station(state, side as f64 * self.length()).position
    }
    /// Shares of its length between which its axis is taken piece by piece, appended to `out`; an element is one piece or
    /// many.
    fn axis_shares(&self, out: &mut Vec<f64>) {
        let ends = self.piece_ends();
        let per = AXIS_PIECES.div_ceil(ends.len() - 1);
        out.push(0.0);
        for end in ends.windows(2).map(|end| [end[0], end[1]].map(|s| s / self.length())) {
            out.extend((1..=per).map(|k| end[0] + (end[1] - end[0]) * (k as f64 / per as f64)));
        }
    }

    /// Takes the natural strain with which a state is in equilibrium under gravity and loads: held at its start, free at
    /// its end but for what loads do there. False where the shape is folded, or the strain is none.
    fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> bool;

    /// Its natural strain as rows of arc length and strain, linear between them; a repeated arc length is a jump.
    fn natural_rows(&self) -> Vec<(f64, Vec3)>;

    /// What the solver works with, under loads.
    fn kernel(&self, loads: Loads<'_>, layout: &Layout) -> Box<dyn SpanKernel>;
}

/// Least and largest component of stiffnesses.
pub(super) fn range<'a>(all: impl Iterator<Item = &'a Vec3>) -> [f64; 2] {
    all.fold([f64::INFINITY, 0.0f64], |[least, most], k| [least.min(k.min()), most.max(k.max())])
}
