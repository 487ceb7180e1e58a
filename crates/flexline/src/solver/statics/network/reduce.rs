//! One span of a network: evaluated, and eliminated down to its interface.
//!
//! Interface of a span: rotation ψ_a and position x_0 of its start, rotation ψ_b of its end and
//! y = −δφ, the change of the force there; X_b is where its anchor wants the end. The chain
//! factorisation leaves the stiffness of (ψ_a, x_0) by itself; ψ_b (through the last vertex) and y
//! (through x_n) are border columns C,
//!
//! ```text
//! S = D − CᵀK⁻¹C,   with −y·X_b beside it
//! ```
//!
//! and x_0, X_b move with their anchors: δx = t + ψ × lever.

use super::model::{Attachment, Grip, Network, Span};
use super::state::{end_condition, end_pose};
use super::unknowns::{Slot, Unknowns};
use crate::algebra::block_ldl::{BlockMatrix, BlockPattern};
use crate::algebra::chain::{ChainFactor, ChainVector, Held, SingularPivot};
use crate::algebra::small::{inverse3, negative_count3};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::Rod;
use crate::rod::mixed::{MixedRod, cross_hessian, vertex};
use crate::solver::problem::{End, Pose, Problem, State};
use crate::solver::statics::border::GIVE;
use crate::solver::statics::system::System;
use nalgebra::{SMatrix, SVector};

// Places of three components each in the local vector.
const TURN_A: usize = 0;
const MOVE_A: usize = 3;
const TURN_B: usize = 6;
const FORCE: usize = 9;
const MOVE_B: usize = 12;
/// What flows in at the end, and out at the start; one component each.
const FLOW: usize = 15;
const LOCAL: usize = 17;
/// Border columns: ψ_b, y, and the two flows.
const COLUMNS: usize = 8;
/// How the length changes with either flow.
const GROWS: [f64; 2] = [1.0, -1.0];

/// The local component that a border column stands for.
fn component(k: usize) -> usize {
    if k < 6 { TURN_B + k } else { FLOW + k - 6 }
}

type Local = SMatrix<f64, LOCAL, LOCAL>;

pub(super) struct SpanSystem {
    pub(super) problem: Problem,
    pub(super) system: System,
    factor: ChainFactor,
    /// Reduced border columns: ψ_b, y, flows.
    columns: [ChainVector; COLUMNS],
    /// The columns of the flows as they were before reduction, and what they do to the gap.
    by_flow: [ChainVector; 2],
    gap_by_flow: [Vec3; 2],
    scratch: ChainVector,
    /// The reduced residual, then the step.
    pub(super) step: ChainVector,
    /// What the residual leaves on the first block.
    left: (Vec3, Vec3),
    /// The same for every column.
    column_left: [(Vec3, Vec3); COLUMNS],
    matrix: Local,
    levers: [Vec3; 2],
    clamped: [bool; 2],
    slots: [Option<Slot>; LOCAL],
    /// How far the far end gives per force, m/N: zero but for finding out what is too short.
    pub(super) yielding: f64,
    /// The flows at its end and at its start.
    flows: [Vec<Slot>; 2],
    /// The rod that lengths are scaled from where it is not that of the network: damped, in motion.
    pub(super) base: Option<Box<MixedRod>>,
}

impl SpanSystem {
    pub(super) fn new(network: &Network, span: &Span) -> Self {
        let mut problem = Problem::new(span.rod.clone(), End::free(), End::free());
        problem.gravity = network.gravity;
        problem.point_loads.clone_from(&span.point_loads);
        problem.distributed_loads.clone_from(&span.distributed_loads);
        let n = problem.rod.segments();
        let mut system = System::new(&problem);
        system.in_network = true;
        system.symmetric = true;
        system.read_loads(&problem);
        let clamped = |a: &Attachment| a.grip == Grip::Clamped;
        let zero = (Vec3::zeros(), Vec3::zeros());
        Self {
            system,
            factor: ChainFactor::new(n),
            columns: std::array::from_fn(|_| ChainVector::zeros(n)),
            scratch: ChainVector::zeros(n),
            step: ChainVector::zeros(n),
            left: zero,
            column_left: [zero; COLUMNS],
            by_flow: std::array::from_fn(|_| ChainVector::zeros(n)),
            gap_by_flow: [Vec3::zeros(); 2],
            flows: [Vec::new(), Vec::new()],
            base: None,
            yielding: 0.0,
            matrix: Local::zeros(),
            levers: [Vec3::zeros(); 2],
            clamped: [clamped(&span.start), span.end.as_ref().is_some_and(clamped)],
            slots: [None; LOCAL],
            problem,
        }
    }

    /// Learns where its interface is among the unknowns.
    pub(super) fn place(&mut self, span: &Span, unknowns: &Unknowns, index: usize) {
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
    pub(super) fn add_flow(&mut self, side: usize, slot: Slot) {
        self.flows[side].push(slot);
    }

    /// Whether rope flows at its end or start.
    fn flows(&self) -> bool {
        self.flows.iter().any(|f| !f.is_empty())
    }

    /// The slots of the force at the far end.
    pub(super) fn force_slots(&self) -> Option<[Slot; 3]> {
        match [self.slots[FORCE], self.slots[FORCE + 1], self.slots[FORCE + 2]] {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => None,
        }
    }

    /// Puts the ends of the span on its anchors.
    pub(super) fn set_ends(&self, span: &Span, anchors: &[Pose], state: &mut State) {
        let rod = &self.problem.rod;
        let n = rod.segments();
        let start = end_pose(&anchors[span.start.anchor], &span.start);
        rod.set_position(&mut state.rod, 0, &start.position);
        if self.clamped[0] {
            rod.set_frame(&mut state.rod, 0, &start.orientation);
        }
        if let (Some(end), true) = (&span.end, self.clamped[1]) {
            let turn = rotation::exp(&Vec3::new(0.0, 0.0, span.twist));
            let q = end_pose(&anchors[end.anchor], end).orientation * turn;
            rod.set_frame(&mut state.rod, n + 1, &q);
        }
        rod.project(&mut state.rod);
    }

    /// Evaluates forces and residual with the anchors at the given poses.
    pub(super) fn evaluate(&mut self, network: &Network, span: &Span, anchors: &[Pose], state: &mut State) {
        self.problem.gravity = network.gravity;
        self.problem.ends[0] = end_condition(&anchors[span.start.anchor], &span.start, 0.0);
        self.problem.ends[1] =
            span.end.map_or_else(End::free, |e| end_condition(&anchors[e.anchor], &e, span.twist));
        let lever =
            |a: &Attachment| rotation::rotate(&anchors[a.anchor].orientation, &a.anchor_from_end.position);
        self.levers = [lever(&span.start), span.end.as_ref().map_or_else(Vec3::zeros, lever)];
        self.set_ends(span, anchors, state);
        state.ends = self.problem.ends;
        self.system.evaluate(&self.problem, state);
    }

    /// Adds what the span asks of its anchors: (moment, force) that they must supply.
    pub(super) fn add_reactions(&self, span: &Span, state: &State, anchors: &mut [(Vec3, Vec3)]) {
        let r = &self.system.residual;
        let n = self.problem.rod.segments();
        let start = &mut anchors[span.start.anchor];
        start.1 += r.x[0];
        start.0 += self.levers[0].cross(&r.x[0]);
        if self.clamped[0] {
            start.0 += self.system.rotations[0] * r.f[0];
        }
        if let Some(end) = &span.end {
            let finish = &mut anchors[end.anchor];
            finish.1 += state.end_force;
            finish.0 += self.levers[1].cross(&state.end_force);
            if self.clamped[1] {
                finish.0 += self.system.rotations[n + 1] * r.f[n + 1];
            }
        }
    }

    /// Where the far end is, measured from where its force lets it be, m.
    pub(super) fn gap(&self, force: &Vec3) -> Vec3 {
        self.system.gap + self.yielding * force
    }

    /// Border columns in use: ψ_b where the end is clamped, y where there is an end.
    fn active(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        let (clamped, held) = (self.clamped[1], self.slots[FORCE].is_some());
        let flows = self.flows.each_ref().map(|f| !f.is_empty());
        (0..COLUMNS).filter(move |k| match k {
            0..3 => clamped,
            3..6 => held,
            k => flows[k - 6],
        })
    }

    /// Where its targets in motion are, given what has slid at its start and end beyond what was
    /// expected.
    pub(super) fn set_slid(&mut self, slid: [f64; 2]) {
        if let Some(inertia) = &mut self.system.inertia {
            inertia.slid = slid;
        }
    }

    /// Derivative of the Lagrangian by the flow at its end (0) or start (1), N.
    pub(super) fn flow_force(&self, state: &State, side: usize) -> f64 {
        let mut sum = GROWS[side] * self.length_force(state);
        if let Some(inertia) = &self.system.inertia {
            let rod = &self.problem.rod;
            for (j, along) in inertia.along.iter().enumerate() {
                let (k, target) = inertia.node(j);
                let share = if side == 0 { inertia.shares[j] } else { 1.0 - inertia.shares[j] };
                sum -= k * share * along.dot(&(rod.position(&state.rod, j) - target));
            }
        }
        sum
    }

    /// Gives the span another length: more or less of the same rod.
    pub(super) fn set_length(&mut self, span: &Span, length: f64) {
        if length != self.problem.rod.length() {
            let base = self.base.as_deref().unwrap_or(&span.rod);
            self.problem.rod.set_length_from(base, length.max(1e-3 * base.length()));
            self.system.read_loads(&self.problem);
            self.system.reload(&self.problem);
        }
    }

    /// Derivative of the Lagrangian by the length, N: minus the tension that pulls rope into the span,
    /// and what bending stores per length.
    fn length_force(&self, state: &State) -> f64 {
        let rod = &self.problem.rod;
        let n = rod.segments();
        let mut sum = 0.0;
        for (j, (_, measure, moment)) in self.system.vertices.iter().enumerate() {
            sum -= moment.dot(&(0.5 * (measure.value - rod.rest[j]) + rod.rest[j]));
            sum -= rod.mass[j] * self.problem.gravity.dot(&rod.position(&state.rod, j));
        }
        for i in 0..n {
            sum -= rod.lengths[i] * self.system.internal[i].dot(&self.system.rotations[i + 1].column(2));
        }
        sum / rod.length()
    }

    /// How residual and gap change with the flows, and the second derivatives by them.
    ///
    /// Positions are x_j = x_0 + L p_j with p_j made of frames; the chain knows them with L held, so a
    /// flow moves x_j by ± p_j on top, and against its target in motion by the tangent there.
    fn flow_columns(&mut self, state: &State) -> [[f64; 2]; 2] {
        let rod = &self.problem.rod;
        let n = rod.segments();
        let length = rod.length();
        let column = &mut self.by_flow[0];
        column.clear();
        let mut second = 0.0;
        for (j, (p, measure, moment)) in self.system.vertices.iter().enumerate() {
            let change = -(moment + rod.spring[j].component_mul(&rod.rest[j])) / length;
            let (a, b) = vertex::gradient(p, measure, &change);
            column.f[j] += a;
            column.f[j + 1] += b;
            second += rod.spring[j].dot(&measure.value.component_mul(&measure.value));
        }
        let first = rod.position(&state.rod, 0);
        let mut weight = Vec3::zeros();
        for j in (1..=n).rev() {
            weight += rod.mass[j] * self.problem.gravity;
            second -= 2.0 * rod.mass[j] * self.problem.gravity.dot(&(rod.position(&state.rod, j) - first));
            let b = self.system.rotations[j].tr_mul(&(self.system.internal[j - 1] + weight));
            let l = rod.lengths[j - 1] / length;
            column.f[j] += Vec3::new(l * b.y, -l * b.x, 0.0);
        }
        weight += rod.mass[0] * self.problem.gravity;
        column.x[0] = -weight / length;
        let reach = (rod.position(&state.rod, n) - first) / length;
        self.gap_by_flow = GROWS.map(|g| g * reach);
        let [end, start] = &mut self.by_flow;
        for (a, b) in start.f.iter_mut().zip(&end.f).chain(start.x.iter_mut().zip(&end.x)) {
            *a = -b;
        }
        second /= length * length;
        let mut both = [[second, -second], [-second, second]];
        if let Some(inertia) = &self.system.inertia {
            for (j, &(k, _)) in inertia.nodes.iter().enumerate() {
                let p = (rod.position(&state.rod, j) - first) / length;
                let along = inertia.along.get(j).copied().unwrap_or_else(Vec3::zeros);
                let share = inertia.shares.get(j).copied().unwrap_or(0.0);
                let moves = [p - along * share, -p - along * (1.0 - share)];
                for (side, column) in self.by_flow.iter_mut().enumerate() {
                    column.x[j] += k * moves[side];
                    for other in 0..2 {
                        both[side][other] += k * moves[side].dot(&moves[other]);
                    }
                }
            }
        }
        both
    }

    /// Assembles and factorises; returns the negative directions found within the span.
    pub(super) fn factorise(
        &mut self,
        state: &State,
        shift: f64,
        proximal: f64,
    ) -> Result<usize, SingularPivot> {
        let n = self.problem.rod.segments();
        self.system.assemble(&self.problem, state, shift, proximal);
        // The first block stays: it is the interface.
        let held = Held { first_frame: true, first_position: [true; 3], last_frame: self.clamped[1] };
        self.factor.factorise(&self.system.matrix, held)?;
        let mut negative = self.factor.negative();
        let first = self.system.rotations[0];
        let last = self.system.rotations[n + 1];
        let second = if self.flows() { self.flow_columns(state) } else { [[0.0; 2]; 2] };
        for k in self.active() {
            let m = &self.system.matrix;
            let column = &mut self.columns[k];
            column.clear();
            match k {
                0..3 => column.f[n] = m.upper[n] * last.row(k).transpose(),
                3..6 => column.x[n][k - 3] = 1.0,
                _ => {
                    column.f.copy_from_slice(&self.by_flow[k - 6].f);
                    column.x.copy_from_slice(&self.by_flow[k - 6].x);
                    if self.clamped[1] {
                        column.f[n + 1] = Vec3::zeros();
                    }
                }
            }
            self.column_left[k] = self.factor.reduce(column);
        }
        let mut s = Local::zeros();
        for k in self.active() {
            self.scratch.f.copy_from_slice(&self.columns[k].f);
            self.scratch.x.copy_from_slice(&self.columns[k].x);
            self.factor.expand(&mut self.scratch, (Vec3::zeros(), Vec3::zeros()));
            let by_turn = last * (self.system.matrix.lower[n] * self.scratch.f[n]);
            let by_move = self.scratch.x[n];
            for i in 0..3 {
                if self.clamped[1] {
                    s[(TURN_B + i, component(k))] = -by_turn[i];
                }
                s[(FORCE + i, component(k))] = -by_move[i];
            }
            for side in 0..2 {
                if !self.flows[side].is_empty() {
                    s[(FLOW + side, component(k))] = -self.flow_dot(side, &self.scratch);
                }
            }
        }
        let [[p_ff, p_fx], [p_xf, p_xx]] = *self.factor.base();
        let (turn_turn, turn_move, mut move_move);
        if self.clamped[0] {
            turn_turn = first * p_ff * first.transpose();
            turn_move = first * p_fx;
            move_move = p_xx;
            for k in self.active() {
                let (f, x) = self.column_left[k];
                let f = first * f;
                for i in 0..3 {
                    s[(TURN_A + i, component(k))] = f[i];
                    s[(component(k), TURN_A + i)] = f[i];
                    s[(MOVE_A + i, component(k))] = x[i];
                    s[(component(k), MOVE_A + i)] = x[i];
                }
            }
        } else {
            // The first frame is the span's own: eliminate it too.
            let inverse = inverse3(&p_ff).ok_or(SingularPivot)?;
            negative += negative_count3(&p_ff);
            turn_turn = Mat3::zeros();
            turn_move = Mat3::zeros();
            move_move = p_xx - p_xf * inverse * p_fx;
            for k in self.active() {
                let (f, x) = self.column_left[k];
                let through = inverse * f;
                let x = x - p_xf * through;
                for i in 0..3 {
                    s[(MOVE_A + i, component(k))] = x[i];
                    s[(component(k), MOVE_A + i)] = x[i];
                }
                for i in self.active() {
                    s[(component(i), component(k))] -= self.column_left[i].0.dot(&through);
                }
            }
        }
        if self.clamped[1] {
            let own = last * self.system.matrix.ff[n + 1] * last.transpose();
            let mut view = s.fixed_view_mut::<3, 3>(TURN_B, TURN_B);
            view += own;
        }
        for side in (0..2).filter(|side| !self.flows[*side].is_empty()) {
            let at = FLOW + side;
            for other in 0..2 {
                s[(at, FLOW + other)] += second[side][other];
            }
            let turn = if self.clamped[1] { last * self.by_flow[side].f[n + 1] } else { Vec3::zeros() };
            for i in 0..3 {
                s[(TURN_B + i, at)] += turn[i];
                s[(at, TURN_B + i)] += turn[i];
                s[(FORCE + i, at)] += self.gap_by_flow[side][i];
                s[(at, FORCE + i)] += self.gap_by_flow[side][i];
            }
        }
        // A taut thread gives by its tension, anything else by its stiffness.
        let length = self.problem.rod.length();
        let taut = length / state.end_force.norm().max(f64::MIN_POSITIVE);
        let give = GIVE * (length.powi(3) / self.system.stiffness).min(taut);
        for i in 0..3 {
            s[(FORCE + i, FORCE + i)] -= give + self.yielding;
            s[(FORCE + i, MOVE_B + i)] = -1.0;
            s[(MOVE_B + i, FORCE + i)] = -1.0;
        }
        move_move = (move_move + move_move.transpose()) * 0.5;
        s.fixed_view_mut::<3, 3>(TURN_A, TURN_A).copy_from(&turn_turn);
        s.fixed_view_mut::<3, 3>(TURN_A, MOVE_A).copy_from(&turn_move);
        s.fixed_view_mut::<3, 3>(MOVE_A, TURN_A).copy_from(&turn_move.transpose());
        s.fixed_view_mut::<3, 3>(MOVE_A, MOVE_A).copy_from(&move_move);
        // x_0 = t_a − [lever]× ψ_a and X_b likewise: congruence with the levers, and the force they
        // carry bends with them.
        let t = self.levers_map();
        self.matrix = t.transpose() * s * t;
        let mut view = self.matrix.fixed_view_mut::<3, 3>(TURN_A, TURN_A);
        view += cross_hessian(&self.levers[0], &self.system.residual.x[0]);
        let mut view = self.matrix.fixed_view_mut::<3, 3>(TURN_B, TURN_B);
        view += cross_hessian(&self.levers[1], &state.end_force);
        Ok(negative)
    }

    /// The column of a flow times a chain vector, frames that the chain holds left out.
    fn flow_dot(&self, side: usize, v: &ChainVector) -> f64 {
        let n = self.problem.rod.segments();
        let last = if self.clamped[1] { n } else { n + 1 };
        let column = &self.by_flow[side];
        let frames: f64 = (1..=last).map(|j| column.f[j].dot(&v.f[j])).sum();
        frames + (1..=n).map(|j| column.x[j].dot(&v.x[j])).sum::<f64>()
    }

    /// Local components in terms of the anchors' own.
    fn levers_map(&self) -> Local {
        let mut t = Local::identity();
        t.fixed_view_mut::<3, 3>(MOVE_A, TURN_A).copy_from(&-rotation::skew(&self.levers[0]));
        t.fixed_view_mut::<3, 3>(MOVE_B, TURN_B).copy_from(&-rotation::skew(&self.levers[1]));
        t
    }

    /// The unknowns that a local component is made of.
    fn places(&self, k: usize) -> impl Iterator<Item = Slot> + '_ {
        let flows: &[Slot] = if k >= FLOW { &self.flows[k - FLOW] } else { &[] };
        self.slots[k].into_iter().chain(flows.iter().copied())
    }

    /// Adds the span's interface to the reduced matrix.
    pub(super) fn scatter(&self, pattern: &BlockPattern, matrix: &mut BlockMatrix) {
        for i in 0..LOCAL {
            for r in self.places(i) {
                for k in 0..LOCAL {
                    let value = self.matrix[(i, k)];
                    for c in self.places(k).filter(|_| value != 0.0) {
                        matrix.add(pattern, (r.group, r.local), (c.group, c.local), value);
                    }
                }
            }
        }
    }

    /// Eliminates the span's residual: `b` gains what it leaves on the interface.
    pub(super) fn eliminate_residual(&mut self, state: &State, b: &mut [f64]) {
        let n = self.problem.rod.segments();
        for (s, r) in self.step.f.iter_mut().zip(&self.system.residual.f) {
            *s = -r;
        }
        if self.clamped[1] {
            self.step.f[n + 1] = Vec3::zeros();
        }
        self.step.x.fill(Vec3::zeros());
        self.step.x[0] = -self.system.residual.x[0];
        self.left = self.factor.reduce(&mut self.step);
        self.scratch.f.copy_from_slice(&self.step.f);
        self.scratch.x.copy_from_slice(&self.step.x);
        let mut first = (Vec3::zeros(), Vec3::zeros());
        let [[p_ff, _], [p_xf, _]] = *self.factor.base();
        let mut local = SVector::<f64, LOCAL>::zeros();
        let mut force = self.left.1;
        if self.clamped[0] {
            let turn = self.system.rotations[0] * self.left.0;
            local.fixed_rows_mut::<3>(TURN_A).copy_from(&turn);
        } else if let Some(inverse) = inverse3(&p_ff) {
            first.0 = inverse * self.left.0;
            force -= p_xf * first.0;
        }
        local.fixed_rows_mut::<3>(MOVE_A).copy_from(&force);
        self.factor.expand(&mut self.scratch, first);
        if self.clamped[1] {
            let last = self.system.rotations[n + 1];
            let turn =
                -(last * (self.system.residual.f[n + 1] + self.system.matrix.lower[n] * self.scratch.f[n]));
            local.fixed_rows_mut::<3>(TURN_B).copy_from(&turn);
        }
        local.fixed_rows_mut::<3>(FORCE).copy_from(&(-self.gap(&state.end_force) - self.scratch.x[n]));
        local.fixed_rows_mut::<3>(MOVE_B).copy_from(&-state.end_force);
        for side in (0..2).filter(|side| !self.flows[*side].is_empty()) {
            local[FLOW + side] = -self.flow_force(state, side) - self.flow_dot(side, &self.scratch);
            if !self.clamped[0] {
                local[FLOW + side] -= self.by_flow[side].f[0].dot(&first.0);
            }
        }
        let local = self.levers_map().transpose() * local;
        for k in 0..LOCAL {
            for slot in self.places(k) {
                b[slot.flat] += local[k];
            }
        }
    }

    /// Completes the span's own step from the solution of the reduced system.
    pub(super) fn back_substitute(&mut self, solution: &[f64]) {
        let n = self.problem.rod.segments();
        let mut w = SVector::<f64, LOCAL>::zeros();
        for k in 0..LOCAL {
            w[k] = self.places(k).map(|s| solution[s.flat]).sum();
        }
        let w = self.levers_map() * w;
        let part = |at: usize| Vec3::new(w[at], w[at + 1], w[at + 2]);
        let mut left = self.left.0;
        for k in self.active() {
            self.step.add_scaled(-w[component(k)], &self.columns[k]);
            left -= w[component(k)] * self.column_left[k].0;
        }
        let [[p_ff, p_fx], _] = *self.factor.base();
        let x = part(MOVE_A);
        let f = if self.clamped[0] {
            self.system.rotations[0].tr_mul(&part(TURN_A))
        } else {
            inverse3(&p_ff).map_or_else(Vec3::zeros, |inverse| inverse * (left - p_fx * x))
        };
        self.factor.expand(&mut self.step, (f, x));
        if self.clamped[1] {
            self.step.f[n + 1] = self.system.rotations[n + 1].tr_mul(&part(TURN_B));
        }
    }

    /// Slope of the energy along the step of the frames that are the span's own.
    pub(super) fn slope(&self) -> f64 {
        let n = self.problem.rod.segments();
        let held = |j: usize| (j == 0 && self.clamped[0]) || (j == n + 1 && self.clamped[1]);
        let r = &self.system.residual.f;
        self.step.f.iter().enumerate().filter(|(j, _)| !held(*j)).map(|(j, s)| r[j].dot(s)).sum()
    }

    /// Energy − force·gap + ρ/2 |gap|² of a trial state, moments frozen.
    pub(super) fn merit(
        &self,
        span: &Span,
        anchors: &[Pose],
        state: &State,
        force: &Vec3,
        rho: f64,
        scale: f64,
    ) -> f64 {
        let work = scale * self.system.loads.moment_work(&self.system.rotations, &self.step.f);
        let mut total = self.system.potential(&self.problem, state) - work;
        if let Some(end) = &span.end {
            let rod = &self.problem.rod;
            let gap = rod.position(&state.rod, rod.segments()) - end_pose(&anchors[end.anchor], end).position;
            let gap = gap + self.yielding * force;
            total += -force.dot(&gap)
                + 0.5 * self.yielding * force.norm_squared()
                + 0.5 * rho * gap.norm_squared();
        }
        total
    }

    /// Size of the energies at hand, for round-off.
    pub(super) fn energy_scale(&self, state: &State) -> f64 {
        self.problem.rod.energy(&state.rod)
            + self.system.potential(&self.problem, state).abs()
            + state.end_force.norm() * self.problem.rod.length()
    }
}
