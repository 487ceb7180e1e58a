//! A spline rod between two poses.
//!
//! Positions and frames at both ends are coordinates: only the force at the far end is a multiplier of the network.
//! Tensions are multipliers inside; what they hold enters the merit as the gap of an end does.

mod evaluate;
mod loads;
mod profile;
mod slid;
#[cfg(test)]
mod tests;
mod unknowns;

use super::strain::{Gradient, Strain};
use super::{LengthRoom, SplineRod};
use crate::algebra::block_ldl::BlockMatrix;
use crate::algebra::chain::SingularPivot;
use crate::algebra::{Quat, Vec3, larger, rotation};
use crate::body::load::turning_part;
use crate::body::{DistributedLoad, End, PointLoad, Profile, Taps, Wrench};
use crate::rod::kernel::{
    FLOW, FORCE, GROWS, Layout, Loads, Local, LocalVector, MOVE_A, Norms, SpanKernel, TURN_A, TURN_B, World,
    spread_length,
};
use crate::rod::mixed::ChainScratch;
use crate::rod::{AnyRod, Rod, RodState, State};
use evaluate::Turning;
use loads::Load;
use nalgebra::SMatrix;
use slid::Slid;
use std::cell::RefCell;
use unknowns::{FACES, LENGTH, Slot, Unknowns, roll_between};

/// Least share of the distance between an end and the control point beside it that a step may leave.
const LEAST_REACH: f64 = 0.1;

/// What an element costs beside a segment of a chain.
const ELEMENT: f64 = 60.0;

/// A spline rod as a span.
pub(crate) struct SplineSpan {
    /// Its loads, and the length that it has by itself, m.
    point_loads: Vec<PointLoad>,
    distributed_loads: Vec<DistributedLoad>,
    whole: f64,
    /// Its rod, with the length it has now, and damped in motion.
    rod: SplineRod,
    unknowns: Unknowns,
    loads: Vec<Load>,
    /// How the places of loads turn, where these have no potential.
    load_turns: Vec<Option<Turning>>,
    gravity: Vec3,
    taps: Taps,
    /// What slides at the end and at the start, where that moves targets in motion; since the last factorisation.
    slid: Option<[Slid; 2]>,
    /// ∫ N_j dσ.
    weights: Vec<f64>,
    /// Derivative of the Lagrangian by every tangent coordinate, then what every tension holds, m.
    raw: Vec<f64>,
    /// First and second derivative of the Lagrangian by the length.
    by_length: [f64; 2],
    strains: Vec<Strain>,
    /// Derivatives of the strains.
    firsts: Vec<[Gradient; 3]>,
    positions: Vec<Vec3>,
    tensions: Vec<f64>,
    /// Elastic energy, and what loads and inertia store besides.
    stored: [f64; 2],
    /// Largest force and moment present.
    largest: (f64, f64),
    /// Largest strain along the tangent, averaged with a function of a tension.
    stretch: f64,
    /// Leaves lengths to the tensions: only to compare with.
    stretches: bool,
    gap: Vec3,
    end_force: Vec3,
    /// Coordinates at the last evaluation.
    coordinates: Vec<f64>,
    /// Distance of the control points beside the ends, and the tangents there.
    reach: [(f64, Vec3); 2],
    /// Residual of the unknowns inside and of the interface.
    inner: Vec<f64>,
    faces: [f64; FACES],
    /// The same of what turning loads gain, added to the residual.
    extra: (Vec<f64>, [f64; FACES]),
    /// Forces from outside that are added to the residual too, at shares of the length.
    pushed: Vec<(f64, Vec3)>,
    matrix: BlockMatrix,
    columns: Vec<Vec<f64>>,
    /// K⁻¹ times minus the residual.
    eliminated: Vec<f64>,
    /// K⁻¹ times every column.
    solved: Vec<Vec<f64>>,
    form: SMatrix<f64, FACES, FACES>,
    step: Step,
    /// Frames between elements at the last evaluation, and room for a vector over coordinates and tensions.
    frames: Vec<Quat>,
    spare: Vec<f64>,
    /// Room for what moves a state, which leaves the span as it is.
    room: RefCell<Moves>,
}

/// Room for what moves a state, so that nothing is allocated.
#[derive(Clone, Debug, Default)]
struct Moves {
    /// Coordinates before the move.
    old: Vec<f64>,
    values: Vec<f64>,
    lengths: LengthRoom,
}

/// The step inside a span.
#[derive(Clone, Debug, Default)]
struct Step {
    inner: Vec<f64>,
    /// Over the coordinates and tensions.
    raw: Vec<f64>,
    /// Tensions that the step asks for.
    tensions: Vec<f64>,
    /// Rotations of both ends.
    turns: [Vec3; 2],
    work: f64,
    size: (f64, f64),
}

impl SplineSpan {
    pub(crate) fn new(rod: &SplineRod, loads: Loads<'_>, layout: &Layout) -> Self {
        let unknowns = Unknowns::new(rod, layout);
        let all = rod.tangent_count() + rod.tensions();
        let whole = rod.length();
        let read = loads::read(rod, loads, whole, 0.0);
        Self {
            point_loads: loads.points.to_vec(),
            distributed_loads: loads.distributed.to_vec(),
            whole,
            load_turns: vec![None; read.len()],
            loads: read,
            gravity: Vec3::zeros(),
            taps: Taps::default(),
            slid: None,
            weights: rod.tension_weights(),
            raw: vec![0.0; all],
            by_length: [0.0; 2],
            strains: Vec::new(),
            firsts: Vec::new(),
            positions: Vec::new(),
            tensions: Vec::new(),
            stored: [0.0; 2],
            largest: (0.0, 0.0),
            stretch: 0.0,
            stretches: false,
            gap: Vec3::zeros(),
            end_force: Vec3::zeros(),
            coordinates: Vec::new(),
            reach: [(0.0, Vec3::z()); 2],
            inner: vec![0.0; unknowns.count],
            faces: [0.0; FACES],
            extra: (vec![0.0; unknowns.count], [0.0; FACES]),
            pushed: Vec::new(),
            matrix: BlockMatrix::zeros(&unknowns.pattern),
            columns: vec![vec![0.0; unknowns.count]; FACES],
            eliminated: vec![0.0; unknowns.count],
            solved: vec![vec![0.0; unknowns.count]; FACES],
            form: SMatrix::zeros(),
            frames: Vec::new(),
            spare: Vec::new(),
            room: RefCell::default(),
            step: Step { inner: vec![0.0; unknowns.count], raw: vec![0.0; all], ..Step::default() },
            unknowns,
            rod: rod.clone(),
        }
    }

    /// What a unit of the merit's penalty makes of the lengths that tensions hold.
    fn missed(&self, values: &[f64]) -> f64 {
        values.iter().zip(&self.weights).map(|(v, w)| v * v / w).sum()
    }

    /// Tensions that carry the loads, for a state that has none: it was made by hand. Without them all that a limp rod
    /// under its weight can do is bend, and its steps are those of round-off.
    fn guess_tensions(&mut self, layout: &Layout, world: &World<'_>, state: &mut State) {
        let forces = self.loads_on_controls(state);
        let held = [0, 1].map(|side: usize| layout.clamped[side].then_some(self.reach[side].1));
        let Some(tensions) = self.rod.balance(&state.rod, held, layout.held, &forces) else { return };
        let at = self.rod.tension_at(0);
        state.rod.coordinates[at..].copy_from_slice(&tensions);
        self.evaluate_here(world, state);
    }

    /// What the residual gains besides: of loads whose places turn by these, and of forces from outside.
    fn add_extra(&mut self, turns: &[Vec3]) {
        let mut raw = std::mem::take(&mut self.spare);
        raw.clear();
        raw.resize(self.raw.len(), 0.0);
        for ((load, turning), turn) in self.turning_loads().zip(turns) {
            let (force, moment) = turning_part(&load.world.0, &load.world.1, load.axes);
            self.book(load, Some(turning), &(turn.cross(&force), turn.cross(&moment)), &mut raw);
        }
        for (share, force) in &self.pushed {
            let (e, xi) = self.rod.element_at(share * self.rod.length());
            self.add_force(e, &self.rod.knots.at(e, xi), &-force, &mut raw);
        }
        let (mut inner, mut faces) = std::mem::take(&mut self.extra);
        self.sort(&raw, &mut inner, &mut faces);
        self.extra = (inner, faces);
        self.spare = raw;
    }

    /// The columns of the interface that are in use.
    fn active(layout: &Layout) -> impl Iterator<Item = usize> + Clone + use<> {
        let Layout { clamped, held, flows } = *layout;
        (0..FACES).filter(move |f| match *f {
            f if f < MOVE_A => clamped[0],
            f if f < TURN_B => true,
            f if f < FORCE => clamped[1],
            LENGTH => flows.contains(&true),
            _ => held,
        })
    }

    /// Rotations of the joints along the step, and the largest of them and of their differences.
    fn measure_step(&mut self, coordinates: &[f64]) {
        let rod = &self.rod;
        let (mut turn, mut bend) = (0.0f64, 0.0f64);
        let mut before = Vec3::zeros();
        let raw = &self.step.raw;
        for e in 0..=rod.elements() {
            let slope = rod.joint_slope(coordinates, e);
            // The derivative of ρ is a sum over control points as ρ itself.
            let change = rod.joint_slope(raw, e) / slope.norm();
            let t = slope.normalize();
            let roll = raw[3 * rod.controls() + e];
            let own = t.cross(&change) + t * roll;
            turn = turn.max(own.norm()).max(change.norm());
            if e > 0 {
                bend = bend.max((own - before).norm());
            }
            before = own;
        }
        for e in 0..rod.elements() {
            bend = bend.max(0.25 * raw[rod.tangent_index(e, 14)].abs());
        }
        self.step.size = (turn, bend);
    }
}

impl SpanKernel for SplineSpan {
    fn length(&self) -> f64 {
        self.rod.length()
    }

    fn stiffness(&self) -> f64 {
        self.rod.mean_stiffness()
    }

    fn take_rod(&mut self, rod: &AnyRod) {
        if let AnyRod::Spline(rod) = rod {
            self.rod = rod.clone();
            self.whole = rod.length();
            self.weights = rod.tension_weights();
            let own = Loads { points: &self.point_loads, distributed: &self.distributed_loads };
            self.loads = loads::read(&self.rod, own, self.whole, 0.0);
            self.load_turns = vec![None; self.loads.len()];
        }
    }

    fn read_loads(&mut self, loads: Loads<'_>) {
        self.point_loads.clear();
        self.point_loads.extend_from_slice(loads.points);
        self.distributed_loads.clear();
        self.distributed_loads.extend_from_slice(loads.distributed);
        self.loads = loads::read(&self.rod, loads, self.whole, 0.0);
        self.load_turns = vec![None; self.loads.len()];
    }

    fn cost(&self) -> f64 {
        ELEMENT * self.rod.elements() as f64
    }

    fn set_length(&mut self, rod: &AnyRod, length: f64) {
        if length == self.rod.length() {
            return;
        }
        if let AnyRod::Spline(rod) = rod {
            self.rod.set_length_from(rod, length.max(1e-3 * rod.length()));
        }
    }

    fn set_ends(&self, ends: &[End; 2], state: &mut State) {
        let rod = &self.rod;
        let room = &mut *self.room.borrow_mut();
        let (old, new) = (&mut room.old, &mut state.rod.coordinates);
        old.clone_from(new);
        // All of the rod goes where its start goes.
        let shift = ends[0].position - rod.control(old, 0);
        for i in 1..rod.controls() {
            let x = rod.control(old, i) + shift;
            rod.set_control(new, i, &x);
        }
        rod.set_control(new, 0, &ends[0].position);
        for (side, end) in ends.iter().enumerate() {
            if let Some(frame) = end.frame() {
                let (reach, _) = self.unknowns.reach(rod, old, side);
                self.unknowns.place_beside(rod, new, side, reach, &rotation::tangent(&frame));
            }
        }
        if !self.stretches {
            let held = [0, 1].map(|side: usize| ends[side].frame().map(|q| rotation::tangent(&q)));
            rod.restore_length(new, held, &mut room.lengths);
        }
        rod.carry_twist(old, new, &|_| 0.0);
        let last = rod.elements();
        if let Some(frame) = ends[0].frame() {
            let roll = roll_between(&rod.first_frame(new), &frame);
            new[rod.twist_at(0)] -= roll;
            rod.set_first_frame(new, &frame);
        }
        if let Some(frame) = ends[1].frame() {
            let own = rod.joint_frames(new).last().unwrap_or_else(rotation::identity);
            new[rod.twist_at(last - 1)] += roll_between(&own, &frame);
        }
    }

    fn evaluate(&mut self, layout: &Layout, world: &World<'_>, ends: [End; 2], state: &mut State) {
        let c = &state.rod.coordinates;
        self.reach = [0, 1].map(|side| self.unknowns.reach(&self.rod, c, side));
        self.unknowns.hold(&self.rod, c);
        self.evaluate_here(world, state);
        if c[self.rod.tension_at(0)..].iter().all(|tension| *tension == 0.0) {
            self.guess_tensions(layout, world, state);
        }
        let c = &state.rod.coordinates;
        self.coordinates.clone_from(c);
        self.end_force = state.end_force;
        let last = self.rod.control(c, self.rod.controls() - 1);
        self.gap = if layout.held { last - ends[1].position } else { Vec3::zeros() };
        let (mut inner, mut faces) = (std::mem::take(&mut self.inner), self.faces);
        self.sort(&self.raw, &mut inner, &mut faces);
        (self.inner, self.faces) = (inner, faces);
    }

    fn reactions(&self, layout: &Layout, state: &State) -> [Wrench; 2] {
        let part = |at: usize| Vec3::new(self.faces[at], self.faces[at + 1], self.faces[at + 2]);
        let only = |clamped: bool, moment: Vec3| if clamped { moment } else { Vec3::zeros() };
        [
            Wrench { force: part(MOVE_A), moment: only(layout.clamped[0], part(TURN_A)) },
            Wrench { force: state.end_force, moment: only(layout.clamped[1], part(TURN_B)) },
        ]
    }

    fn gap(&self) -> Vec3 {
        self.gap
    }

    fn turn_gap(&self) -> f64 {
        0.0
    }

    fn stretch(&self) -> f64 {
        self.stretch
    }

    fn norms(&self) -> Norms {
        let rod = &self.rod;
        let length = rod.length();
        let mut force = 0.0f64;
        for (a, map) in self.unknowns.maps.iter().enumerate().take(rod.tangent_count()) {
            let Some((Slot::Inner(_, _, at), unit)) = map.first() else { continue };
            let own = self.inner[*at].abs() / unit;
            if a < 3 * rod.controls() {
                force = larger(force, own);
            } else {
                force = larger(force, own / length);
            }
        }
        for slot in self.unknowns.reaches.iter().flatten() {
            if let Slot::Inner(_, _, at) = slot {
                force = larger(force, self.inner[*at].abs());
            }
        }
        let least = (0..rod.elements()).map(|e| rod.knots.share(e)).fold(1.0, f64::min) * length;
        let springs = self.taps.sum_of_springs();
        let weight = self.gravity.norm() * rod.total_mass();
        // Positions that cancel in a second difference, and forces that cancel in one.
        let size = self.positions.iter().fold(length, |m, x| m.max(x.amax()));
        let bent = rod.roughness(&mut self.room.borrow_mut().values) * size;
        let pulled = (self.largest.0 + weight) * size / least;
        Norms {
            force,
            largest_force: larger(self.largest.0, self.largest.1 / length),
            round_off: f64::EPSILON * (bent + 16.0 * pulled).max(8.0 * springs * size),
        }
    }

    fn place(&self, state: &State, s: f64) -> Vec3 {
        self.rod.station(&state.rod, s).position
    }

    fn end_forces(&self) -> Option<[Vec3; 2]> {
        let first = Vec3::from_fn(|i, _| self.faces[MOVE_A + i]);
        Some([-first, self.end_force])
    }

    fn flow_force(&self, _: &State, side: usize) -> f64 {
        GROWS[side] * self.by_length[0] + self.slid_force(side)
    }

    fn factorise(
        &mut self,
        layout: &Layout,
        _: &State,
        shift: f64,
        proximal: f64,
        _: &mut ChainScratch,
    ) -> Result<(Local, usize), SingularPivot> {
        let length = self.rod.length();
        let regularisation = self.rod.softest() * proximal / (length * length);
        self.assemble(layout, shift, regularisation);
        self.matrix.factorise(&self.unknowns.pattern).map_err(|_| SingularPivot)?;
        for f in Self::active(layout) {
            self.solved[f].copy_from_slice(&self.columns[f]);
            self.matrix.solve(&self.unknowns.pattern, &mut self.solved[f]);
        }
        let mut left = self.form;
        for f in Self::active(layout) {
            for g in Self::active(layout) {
                let sum: f64 = self.columns[f].iter().zip(&self.solved[g]).map(|(a, b)| a * b).sum();
                left[(f, g)] -= sum;
            }
        }
        let left = (left + left.transpose()) * 0.5;
        let mut s = Local::zeros();
        let place = |f: usize| if f == LENGTH { FLOW } else { f };
        for f in Self::active(layout) {
            for g in Self::active(layout) {
                s[(place(f), place(g))] = left[(f, g)];
            }
        }
        spread_length(&mut s, layout);
        self.add_slid(layout, &mut s);
        // Every tension is a constraint.
        Ok((s, self.matrix.negative().saturating_sub(self.rod.tensions())))
    }

    fn eliminate_residual(&mut self, layout: &Layout, _: &State, _: &mut ChainScratch) -> LocalVector {
        let (extra, faces) = &self.extra;
        for (s, (r, l)) in self.eliminated.iter_mut().zip(self.inner.iter().zip(extra)) {
            *s = -r - l;
        }
        self.matrix.solve(&self.unknowns.pattern, &mut self.eliminated);
        let mut local = LocalVector::zeros();
        for f in Self::active(layout) {
            let moved: f64 = self.columns[f].iter().zip(&self.eliminated).map(|(a, b)| a * b).sum();
            match f {
                LENGTH => {
                    for side in layout.sides() {
                        local[FLOW + side] = -GROWS[side] * (self.by_length[0] + moved);
                    }
                }
                f if f >= FORCE => local[f] = -self.gap[f - FORCE] - moved,
                f => local[f] = -self.faces[f] - faces[f] - moved,
            }
        }
        self.add_slid_residual(layout, &mut local);
        local
    }

    fn find_turning_loads(&mut self) -> usize {
        self.turning_loads().count()
    }

    fn turned(&self, place: usize) -> Vec3 {
        let turn = |(load, turning): (&Load, &Turning)| self.turn_of(load, turning);
        self.turning_loads().nth(place).map_or_else(Vec3::zeros, turn)
    }

    fn set_load_turns(&mut self, turns: &[Vec3]) {
        self.add_extra(turns);
    }

    fn push(&mut self, forces: &[(f64, Vec3)]) {
        self.pushed.clear();
        self.pushed.extend_from_slice(forces);
        self.add_extra(&[]);
    }

    fn moved(&self, _: &State, share: f64) -> Vec3 {
        let (e, xi) = self.rod.element_at(share * self.rod.length());
        self.rod.sum(&self.step.raw, e, &self.rod.knots.at(e, xi).cubic)
    }

    fn back_substitute(&mut self, layout: &Layout, w: &LocalVector) {
        let flow: f64 = layout.sides().map(|s| GROWS[s] * w[FLOW + s]).sum();
        let value = |f: usize| if f == LENGTH { flow } else { w[f] };
        self.step.inner.copy_from_slice(&self.eliminated);
        for f in Self::active(layout) {
            for (s, x) in self.step.inner.iter_mut().zip(&self.solved[f]) {
                *s -= x * value(f);
            }
        }
        self.step_with_slid(layout, w);
        let moving = 3 * self.rod.controls();
        for (a, (raw, map)) in self.step.raw.iter_mut().zip(&self.unknowns.maps).enumerate() {
            *raw = if a < moving { w[MOVE_A + a % 3] } else { 0.0 };
            for (slot, p) in map {
                *raw += match slot {
                    Slot::Inner(_, _, at) => p * self.step.inner[*at],
                    Slot::Face(f) => p * value(*f),
                };
            }
        }
        self.step.turns = [TURN_A, TURN_B].map(|at| Vec3::new(w[at], w[at + 1], w[at + 2]));
        let c = std::mem::take(&mut self.coordinates);
        let tangents = self.rod.tangent_count();
        self.step.tensions.clear();
        for (j, change) in self.step.raw[tangents..].iter().enumerate() {
            self.step.tensions.push(c[self.rod.tension_at(j)] + change);
        }
        self.step.work = self.moment_work();
        self.measure_step(&c);
        self.coordinates = c;
    }

    fn advance(&self, state: &mut State, scale: f64) {
        let rod = &self.rod;
        let old = &mut self.room.borrow_mut().old;
        let new = &mut state.rod.coordinates;
        old.clone_from(new);
        let raw = &self.step.raw;
        for (c, d) in new.iter_mut().zip(&raw[..3 * rod.controls()]) {
            *c += scale * d;
        }
        for side in 0..2 {
            if let Some(Slot::Inner(_, _, at)) = self.unknowns.reaches[side] {
                let (reach, tangent) = self.unknowns.reach(rod, old, side);
                let reach = (reach + scale * self.step.inner[at]).max(LEAST_REACH * reach);
                let turn = rotation::exp(&(self.step.turns[side] * scale));
                self.unknowns.place_beside(rod, new, side, reach, &rotation::rotate(&turn, &tangent));
            }
        }
        for e in 0..rod.elements() {
            new[rod.twist_at(e) + 1] += scale * raw[rod.tangent_index(e, 14)];
        }
        for j in 0..rod.tensions() {
            new[rod.tension_at(j)] += scale * raw[rod.tangent_count() + j];
        }
        rod.carry_twist(old, new, &|e| scale * raw[3 * rod.controls() + e]);
    }

    fn take_multipliers(&self, state: &mut State) {
        for (j, tension) in self.step.tensions.iter().enumerate() {
            state.rod.coordinates[self.rod.tension_at(j)] = *tension;
        }
    }

    #[cfg(test)]
    fn keep_multipliers(&mut self) {
        self.stretches = true;
        for (t, change) in self.step.tensions.iter_mut().zip(&self.step.raw[self.rod.tangent_count()..]) {
            *t -= change;
        }
    }

    fn slope(&self, _: &Layout) -> (f64, f64) {
        let tangents = self.rod.tangent_count();
        let mut own: f64 = self.inner.iter().zip(&self.step.inner).map(|(a, b)| a * b).sum();
        // The step closes what tensions hold: their work is on the other side.
        let held = &self.raw[tangents..];
        own -= 2.0 * held.iter().zip(&self.step.raw[tangents..]).map(|(a, b)| a * b).sum::<f64>();
        (own, self.missed(held))
    }

    fn new_moment(&self) -> Vec3 {
        Vec3::zeros()
    }

    fn trial(&self, _: &[End; 2], state: &State, _: &Vec3, rho: f64, ahead: Option<f64>) -> (f64, Vec3) {
        let c = &state.rod.coordinates;
        let values = &mut self.room.borrow_mut().values;
        let (mut total, held) = match ahead {
            // As it was evaluated.
            None => (self.stored[0] + self.stored[1], &self.raw[self.rod.tangent_count()..]),
            Some(ahead) => {
                values.clear();
                values.resize(self.rod.tensions(), 0.0);
                self.rod.missed_lengths(c, values);
                (self.potential(c) - ahead * self.step.work, &values[..])
            }
        };
        total += 0.5 * rho * self.missed(held);
        total += held.iter().zip(&self.step.tensions).map(|(value, tension)| tension * value).sum::<f64>();
        (total, self.rod.control(c, self.rod.controls() - 1))
    }

    fn step_size(&self) -> (f64, f64) {
        self.step.size
    }

    fn energy_scale(&self, state: &State) -> f64 {
        let pulled = state.end_force.norm().max(self.largest.0) * self.rod.length();
        let [elastic, besides] = self.stored;
        elastic + (elastic + besides).abs() + pulled
    }

    fn profile(&mut self, state: &State) -> Profile {
        self.samples(state)
    }

    fn missed_curvature(&self) -> Vec<f64> {
        Vec::new()
    }

    fn taps(&mut self) -> &mut Taps {
        self.slid = None;
        &mut self.taps
    }

    fn set_slid(&mut self, slid: [f64; 2]) {
        self.taps.set_slid(slid);
    }

    fn damp(&mut self, rod: &AnyRod, state: &RodState, share: f64) {
        let AnyRod::Spline(rod) = rod else { return };
        let mut k = 0;
        let length = self.rod.length();
        let points = &mut self.rod.points;
        rod.over_points(&state.coordinates, |_, point, place| {
            points[k].stiffness = point.stiffness * (1.0 + share);
            points[k].rest = (point.rest + place.strain() * (share / length)) / (1.0 + share);
            k += 1;
        });
    }

    fn undamp(&mut self, rod: &AnyRod) {
        if let AnyRod::Spline(rod) = rod {
            self.rod.points.clone_from(&rod.points);
        }
    }
}
