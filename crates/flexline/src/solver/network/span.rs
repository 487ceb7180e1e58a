//! One span of a network: a rod's kernel among the unknowns.
//!
//! A [`SpanKernel`] leaves the symmetric form S of a rod's interface; here −y·X_b joins it, where X_b is where its anchor
//! wants the end, and x_0, X_b move with their anchors: δx = t + ψ × lever.

use super::model::{Network, Span};
use super::state::NetworkState;
use super::unknowns::{Slot, Unknowns};
use crate::algebra::block_ldl::{BlockMatrix, BlockPattern};
use crate::algebra::chain::SingularPivot;
use crate::algebra::{Vec3, rotation};
use crate::body::{End, Pose, Profile, Wrench};
use crate::joint::attachment::end_condition;
use crate::joint::{Attachment, Grip};
use crate::rod::State;
use crate::rod::kernel::{
    FLOW, FORCE, LOCAL, Layout, Loads, Local, LocalVector, MOVE_A, MOVE_B, Norms, SpanKernel, TURN_A, TURN_B,
    World, held_compliance,
};
use crate::rod::mixed::ChainScratch;

/// A span and its place among the unknowns of its network.
pub(in crate::solver) struct SpanSystem {
    pub(in crate::solver) kernel: Box<dyn SpanKernel>,
    /// What the kernel was made of: what differs from it has changed.
    made_of: Span,
    layout: Layout,
    levers: [Vec3; 2],
    slots: [Option<Slot>; LOCAL],
    /// How far the far end gives per force, m/N: zero but for finding out what is too short.
    pub(in crate::solver) end_compliance: f64,
    /// The flows at its end and at its start.
    flows: [Vec<Slot>; 2],
    // What the last evaluation and the last step found is measured while the span is at hand: many spans
    // together do not fit into a cache.
    /// What its ends asked of their anchors, and the size of what did not balance.
    asked: [Wrench; 2],
    unbalanced: Norms,
    // What does not move is not computed again: most cables of a harness rest while one is dragged.
    /// The state and length of the last evaluation, while `is_seen`.
    seen: (State, f64),
    is_seen: bool,
    /// Form of the interface and the negative directions within, for the shift, regularisation and compliance of the end that it
    /// was made with since the last evaluation.
    form: (Local, usize),
    formed: Option<[f64; 3]>,
    /// What the residual leaves on the interface, where it was eliminated since the last factorisation and
    /// evaluation.
    left: LocalVector,
    is_left: bool,
    /// Of the last step: slope of the merit, largest rotation and change of angle.
    slope: (f64, f64),
    step_size: (f64, f64),
}

impl SpanSystem {
    pub(in crate::solver) fn new(span: &Span) -> Self {
        let clamped = |a: &Attachment| a.grip == Grip::Clamped;
        let layout = Layout {
            clamped: [clamped(&span.start), span.end.as_ref().is_some_and(clamped)],
            held: span.end.is_some(),
            flows: [false; 2],
        };
        Self {
            kernel: span.rod.kernel(loads(span), &layout),
            made_of: span.clone(),
            layout,
            flows: [Vec::new(), Vec::new()],
            end_compliance: 0.0,
            levers: [Vec3::zeros(); 2],
            slots: [None; LOCAL],
            seen: (State::empty(), 0.0),
            is_seen: false,
            form: (Local::zeros(), 0),
            formed: None,
            left: LocalVector::zeros(),
            is_left: false,
            asked: [Wrench::default(); 2],
            unbalanced: Norms::default(),
            slope: (0.0, 0.0),
            step_size: (0.0, 0.0),
        }
    }

    /// Takes over the rod and the loads of `span` where they have changed; says whether they have.
    pub(in crate::solver) fn read(&mut self, span: &Span, composite: bool) -> bool {
        let own = &mut self.made_of;
        if own.rod != span.rod {
            let new = Self::new(span);
            let flows = std::mem::take(&mut self.flows);
            *self = Self { layout: self.layout, slots: self.slots, flows, ..new };
            if composite {
                self.kernel.compose();
            }
            return true;
        }
        if own.point_loads == span.point_loads && own.distributed_loads == span.distributed_loads {
            return false;
        }
        own.point_loads.clone_from(&span.point_loads);
        own.distributed_loads.clone_from(&span.distributed_loads);
        self.kernel.read_loads(loads(span));
        self.forget();
        true
    }

    /// Becomes another span between the same anchors, with a rod of the same size, and keeps the factors at hand.
    pub(in crate::solver) fn take(&mut self, span: &Span) {
        if self.made_of.rod != span.rod {
            self.kernel.take_rod(&span.rod);
        }
        let own = &self.made_of;
        if own.point_loads != span.point_loads || own.distributed_loads != span.distributed_loads {
            self.kernel.read_loads(loads(span));
        }
        self.made_of = span.clone();
        self.forget();
        self.is_left = false;
    }

    /// Learns where its interface is among the unknowns.
    pub(in crate::solver) fn place(&mut self, span: &Span, unknowns: &Unknowns, index: usize) {
        let a = unknowns.anchors[span.start.anchor];
        let b = span.end.map_or([None; 6], |e| unknowns.anchors[e.anchor]);
        for i in 0..3 {
            self.slots[TURN_A + i] = a[i];
            self.slots[MOVE_A + i] = a[3 + i];
            self.slots[TURN_B + i] = b[i];
            self.slots[FORCE + i] = unknowns.forces[index].map(|f| f[i]);
            self.slots[MOVE_B + i] = b[3 + i];
        }
    }

    /// Learns of a flow at its end (0) or at its start (1).
    pub(in crate::solver) fn add_flow(&mut self, side: usize, slot: Slot) {
        self.flows[side].push(slot);
        self.layout.flows[side] = true;
    }

    /// The slots of the force at the far end.
    pub(in crate::solver) fn force_slots(&self) -> Option<[Slot; 3]> {
        match [self.slots[FORCE], self.slots[FORCE + 1], self.slots[FORCE + 2]] {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => None,
        }
    }

    /// The force at the far end that the solution of the reduced system asks for.
    pub(in crate::solver) fn new_force(&self, state: &State, solution: &[f64]) -> Vec3 {
        let change = |slots: [Slot; 3]| Vec3::from_fn(|i, _| solution[slots[i].flat]);
        state.end_force - self.force_slots().map_or_else(Vec3::zeros, change)
    }

    /// Length now, m.
    pub(in crate::solver) fn length(&self) -> f64 {
        self.kernel.length()
    }

    /// Mean bending stiffness, N m².
    pub(in crate::solver) fn stiffness(&self) -> f64 {
        self.kernel.stiffness()
    }

    /// Gives the span another length: more or less of the same rod.
    pub(in crate::solver) fn set_length(&mut self, span: &Span, length: f64) {
        self.kernel.set_length(&span.rod, length);
    }

    /// Moves the span along its step and puts its ends on their anchors.
    pub(in crate::solver) fn advance(&self, span: &Span, anchors: &[Pose], state: &mut State, scale: f64) {
        self.kernel.advance(state, scale);
        self.kernel.set_ends(&ends(span, anchors), state);
    }

    /// Puts its ends on their anchors.
    pub(in crate::solver) fn set_ends(&self, span: &Span, anchors: &[Pose], state: &mut State) {
        self.kernel.set_ends(&ends(span, anchors), state);
    }

    /// Evaluates forces and residual with the anchors at the given poses.
    pub(in crate::solver) fn evaluate(
        &mut self,
        network: &Network,
        span: &Span,
        anchors: &[Pose],
        state: &mut State,
    ) {
        self.is_seen = false;
        self.formed = None;
        self.is_left = false;
        self.levers = levers(span, anchors);
        state.ends = ends(span, anchors);
        self.kernel.set_ends(&state.ends.clone(), state);
        let world = World { gravity: network.gravity, poles: &network.poles };
        self.kernel.evaluate(&self.layout, &world, state.ends, state);
        self.asked = self.kernel.reactions(&self.layout, state);
        self.unbalanced = self.kernel.norms();
    }

    /// The same, unless that is where it was evaluated last.
    pub(in crate::solver) fn evaluate_if_moved(
        &mut self,
        network: &Network,
        span: &Span,
        anchors: &[Pose],
        state: &mut State,
    ) {
        let held = ends(span, anchors);
        let (seen, length) = &self.seen;
        let rests = self.is_seen
            && *length == self.length()
            && self.levers == levers(span, anchors)
            && seen.ends == held
            && (seen.end_force, seen.end_moment) == (state.end_force, state.end_moment)
            && seen.rod == state.rod;
        if rests {
            state.ends = held;
        } else {
            self.evaluate(network, span, anchors, state);
        }
    }

    /// Remembers `state`, that of the last evaluation.
    pub(in crate::solver) fn remember(&mut self, state: &State) {
        if !self.is_seen {
            self.seen.0.copy_from(state);
            self.seen.1 = self.length();
            self.is_seen = true;
        }
    }

    /// The world has changed: evaluates at the next occasion.
    pub(in crate::solver) fn forget(&mut self) {
        self.is_seen = false;
    }

    /// Whether the step of the reduced system leaves the span alone, and nothing within asks for more: what is
    /// left there is at most `force`, what is missed at most `gap`.
    pub(in crate::solver) fn rests(&self, state: &State, solution: &[f64], force: f64, gap: f64) -> bool {
        let missed = self.kernel.turn_gap().max(self.kernel.stretch()) * self.length();
        self.unbalanced.force <= force
            && missed.max(self.gap(&state.end_force).norm()) <= gap
            && (0..LOCAL).all(|k| self.places(k).all(|slot| solution[slot.flat] == 0.0))
    }

    /// Takes no step.
    pub(in crate::solver) fn rest(&mut self) {
        self.slope = (0.0, 0.0);
        self.step_size = (0.0, 0.0);
    }

    /// Size of what did not balance inside at the last evaluation.
    pub(in crate::solver) fn unbalanced(&self) -> &Norms {
        &self.unbalanced
    }

    /// Adds what the span asks of its anchors: (moment, force) that they must supply.
    pub(in crate::solver) fn add_reactions(&self, span: &Span, anchors: &mut [(Vec3, Vec3)]) {
        let ends = [Some(&span.start), span.end.as_ref()];
        for ((end, wrench), lever) in ends.into_iter().zip(&self.asked).zip(&self.levers) {
            if let Some(end) = end {
                let anchor = &mut anchors[end.anchor];
                anchor.1 += wrench.force;
                anchor.0 += lever.cross(&wrench.force) + wrench.moment;
            }
        }
    }

    /// Where the far end is, measured from where its force lets it be, m.
    pub(in crate::solver) fn gap(&self, force: &Vec3) -> Vec3 {
        self.kernel.gap() + self.end_compliance * force
    }

    /// Assembles and factorises, unless that was done at the state of the last evaluation.
    pub(in crate::solver) fn factorise(
        &mut self,
        state: &State,
        shift: f64,
        proximal: f64,
        scratch: &mut ChainScratch,
    ) -> Result<(), SingularPivot> {
        let how = [shift, proximal, self.end_compliance];
        if self.formed == Some(how) {
            return Ok(());
        }
        self.formed = None;
        self.is_left = false;
        let (mut s, negative) = self.kernel.factorise(&self.layout, state, shift, proximal, scratch)?;
        let tension = state.end_force.norm().max(self.asked[0].force.norm());
        let compliance = held_compliance(self.length(), self.stiffness(), tension);
        for i in 0..3 {
            s[(FORCE + i, FORCE + i)] -= compliance + self.end_compliance;
            s[(FORCE + i, MOVE_B + i)] = -1.0;
            s[(MOVE_B + i, FORCE + i)] = -1.0;
        }
        // x_0 = t_a − [lever]× ψ_a and X_b likewise: congruence with the levers, and the force they
        // carry bends with them.
        let mut form = s;
        for (turn, place, lever) in self.levers() {
            for i in 0..LOCAL {
                let moved = lever.cross(&Vec3::from_fn(|c, _| form[(i, place + c)]));
                (0..3).for_each(|c| form[(i, turn + c)] += moved[c]);
            }
            for i in 0..LOCAL {
                let moved = lever.cross(&Vec3::from_fn(|c, _| form[(place + c, i)]));
                (0..3).for_each(|c| form[(turn + c, i)] += moved[c]);
            }
        }
        let mut view = form.fixed_view_mut::<3, 3>(TURN_A, TURN_A);
        view += rotation::cross_hessian(&self.levers[0], &self.asked[0].force);
        let mut view = form.fixed_view_mut::<3, 3>(TURN_B, TURN_B);
        view += rotation::cross_hessian(&self.levers[1], &state.end_force);
        self.form = (form, negative);
        self.formed = Some(how);
        Ok(())
    }

    /// Negative directions that the last factorisation found within the span.
    pub(in crate::solver) fn negative(&self) -> usize {
        self.form.1
    }

    /// The levers that there are: where the rotation of their anchor and the place of their end stand among the components.
    fn levers(&self) -> impl Iterator<Item = (usize, usize, Vec3)> + use<> {
        let [a, b] = self.levers;
        [(TURN_A, MOVE_A, a), (TURN_B, MOVE_B, b)].into_iter().filter(|(.., lever)| *lever != Vec3::zeros())
    }

    /// The unknowns that a local component is made of.
    fn places(&self, k: usize) -> impl Iterator<Item = Slot> + '_ {
        let flows: &[Slot] = if k >= FLOW { &self.flows[k - FLOW] } else { &[] };
        self.slots[k].into_iter().chain(flows.iter().copied())
    }

    /// Adds the form of the span's interface to the reduced matrix.
    pub(in crate::solver) fn scatter(&self, pattern: &BlockPattern, matrix: &mut BlockMatrix) {
        let form = &self.form.0;
        for i in 0..LOCAL {
            for r in self.places(i) {
                for k in 0..LOCAL {
                    let value = form[(i, k)];
                    for c in self.places(k).filter(|_| value != 0.0) {
                        matrix.add(pattern, (r.group, r.local), (c.group, c.local), value);
                    }
                }
            }
        }
    }

    /// Eliminates the span's residual: `b` gains what it leaves on the interface.
    pub(in crate::solver) fn eliminate_residual(
        &mut self,
        state: &State,
        scratch: &mut ChainScratch,
        b: &mut [f64],
    ) {
        self.leave(state, scratch);
        self.add_to(&self.left, b);
    }

    /// Finds what is left of its residual on the interface, unless that is known.
    fn leave(&mut self, state: &State, scratch: &mut ChainScratch) {
        if self.is_left {
            return;
        }
        let mut local = self.kernel.eliminate_residual(&self.layout, state, scratch);
        for i in 0..3 {
            local[FORCE + i] -= self.end_compliance * state.end_force[i];
            local[MOVE_B + i] = -state.end_force[i];
        }
        for (turn, place, lever) in self.levers() {
            let moment = lever.cross(&Vec3::from_fn(|c, _| local[place + c]));
            (0..3).for_each(|c| local[turn + c] += moment[c]);
        }
        self.left = local;
        self.is_left = true;
    }

    /// What is left on the interface with these forces besides its residual, at shares of its length; it keeps them.
    pub(in crate::solver) fn left_with(
        &mut self,
        state: &State,
        forces: &[(f64, Vec3)],
        scratch: &mut ChainScratch,
    ) -> LocalVector {
        self.push(forces);
        self.leave(state, scratch);
        self.left
    }

    /// Adds what is given on its interface to the right-hand side of the reduced system.
    pub(in crate::solver) fn add_to(&self, local: &LocalVector, b: &mut [f64]) {
        for k in 0..LOCAL {
            for slot in self.places(k) {
                b[slot.flat] += local[k];
            }
        }
    }

    /// What stands for all that its interface is coupled with, of what stands for every group of unknowns.
    pub(in crate::solver) fn root(&self, roots: &[usize]) -> Option<usize> {
        (0..LOCAL).find_map(|k| self.places(k).next()).map(|slot| roots[slot.group])
    }

    /// From now on eliminates its residual with what loads without potential gain where their places turn.
    pub(in crate::solver) fn set_load_turns(&mut self, turns: &[Vec3]) {
        self.kernel.set_load_turns(turns);
        self.is_left = false;
    }

    /// From now on eliminates its residual with forces besides, at shares of its length.
    pub(in crate::solver) fn push(&mut self, forces: &[(f64, Vec3)]) {
        self.kernel.push(forces);
        self.is_left = false;
    }

    /// Completes the span's own step from the solution of the reduced system.
    pub(in crate::solver) fn back_substitute(&mut self, solution: &[f64]) {
        self.move_with(solution);
        self.slope = self.kernel.slope(&self.layout);
        self.step_size = self.kernel.step_size();
    }

    /// The same without what the step is judged by.
    pub(in crate::solver) fn move_with(&mut self, solution: &[f64]) {
        let mut w = LocalVector::zeros();
        for k in 0..LOCAL {
            w[k] = self.places(k).map(|s| solution[s.flat]).sum();
        }
        for (turn, place, lever) in self.levers() {
            let shift = Vec3::from_fn(|c, _| w[turn + c]).cross(&lever);
            (0..3).for_each(|c| w[place + c] += shift[c]);
        }
        self.kernel.back_substitute(&self.layout, &w);
    }

    /// Slope of the merit along what of the step is the span's own; what a unit of penalty takes away.
    pub(in crate::solver) fn slope(&self) -> (f64, f64) {
        self.slope
    }

    /// Largest rotation, and largest change of angle between neighbours, of the step, rad.
    pub(in crate::solver) fn step_size(&self) -> (f64, f64) {
        self.step_size
    }

    /// Energy − force·gap + ρ/2 |gap|² of a trial state, moments frozen.
    pub(in crate::solver) fn merit(
        &self,
        span: &Span,
        anchors: &[Pose],
        state: &State,
        [force, moment]: [&Vec3; 2],
        rho: f64,
        ahead: Option<f64>,
    ) -> f64 {
        let held = ends(span, anchors);
        let (mut total, at) = self.kernel.trial(&held, state, moment, rho, ahead);
        if span.end.is_some() {
            let gap = at - held[1].position + self.end_compliance * force;
            total += -force.dot(&gap)
                + 0.5 * self.end_compliance * force.norm_squared()
                + 0.5 * rho * gap.norm_squared();
        }
        total
    }
}

impl SpanSystem {
    /// The solution along span `index` of a network, which it is.
    pub(in crate::solver) fn profile_at(
        &mut self,
        network: &Network,
        state: &NetworkState,
        index: usize,
    ) -> Profile {
        let span = &network.spans[index];
        self.set_length(span, state.free_length(index));
        let mut own = state.spans[index].clone();
        self.evaluate_if_moved(network, span, &state.anchors, &mut own);
        self.remember(&own);
        let mut profile = self.kernel.profile(&own);
        // Arc length counts all of the rope.
        let stretch = state.lengths[index] / state.free_length(index);
        if stretch != 1.0 {
            profile.samples.iter_mut().for_each(|sample| sample.s *= stretch);
        }
        profile
    }
}

/// The loads of a span.
fn loads(span: &Span) -> Loads<'_> {
    Loads { points: &span.point_loads, distributed: &span.distributed_loads }
}

/// From the anchors to the ends of a span, world axes, m.
fn levers(span: &Span, anchors: &[Pose]) -> [Vec3; 2] {
    let lever =
        |a: &Attachment| rotation::rotate(&anchors[a.anchor].orientation, &a.anchor_from_end.position);
    [lever(&span.start), span.end.as_ref().map_or_else(Vec3::zeros, lever)]
}

/// Where the anchors hold the ends of a span.
fn ends(span: &Span, anchors: &[Pose]) -> [End; 2] {
    [
        end_condition(&anchors[span.start.anchor], &span.start, 0.0),
        span.end.map_or_else(End::free, |e| end_condition(&anchors[e.anchor], &e, span.twist)),
    ]
}
