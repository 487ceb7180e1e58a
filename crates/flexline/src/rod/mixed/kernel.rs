//! The chain of nodes and frames as a span.
//!
//! The chain factorisation leaves the stiffness of (ψ_a, x_0) by itself; ψ_b (through the last
//! vertex) and y (through x_n) are border columns C, and S = D − CᵀK⁻¹C.

use super::profile;
use super::system::System;
use super::{HeldChain, MixedRod, PlaceOnChain, vertex};
use crate::algebra::chain::{Base, ChainFactor, ChainMatrix, ChainVector, SingularPivot};
use crate::algebra::small::{inverse3, negative_count3};
use crate::algebra::{Mat3, Vec3, larger, rotation};
use crate::body::{End, Inertia, Profile, Taps, Wrench};
use crate::rod::kernel::{
    FLOW, FORCE, GROWS, Layout, Loads, Local, LocalVector, MOVE_A, Norms, SpanKernel, TURN_A, TURN_B, World,
};
use crate::rod::{AnyRod, Rod, RodState, State};

/// Border columns: ψ_b, y, and the two flows.
const COLUMNS: usize = 8;

/// The local component that a border column stands for.
fn component(k: usize) -> usize {
    if k < 6 { TURN_B + k } else { FLOW + k - 6 }
}

/// Border columns in use: ψ_b where the end is clamped, y where there is an end.
fn active(layout: &Layout) -> impl Iterator<Item = usize> + Clone + use<> {
    let Layout { clamped, held, flows } = *layout;
    (0..COLUMNS).filter(move |k| match k {
        0..3 => clamped[1],
        3..6 => held,
        k => flows[k - 6],
    })
}

/// What chains need while they are eliminated and not afterwards: all of a network share one, since many
/// spans together do not fit into a cache and one does.
pub(crate) struct ChainScratch {
    matrix: ChainMatrix,
    /// The border columns of the flows, then their solutions.
    flows: [ChainVector; 2],
    /// A right-hand side, then its solution.
    solved: ChainVector,
}

impl Default for ChainScratch {
    fn default() -> Self {
        Self {
            matrix: ChainMatrix::zeros(0),
            flows: std::array::from_fn(|_| ChainVector::zeros(0)),
            solved: ChainVector::zeros(0),
        }
    }
}

impl ChainScratch {
    fn fit(&mut self, n: usize) {
        self.matrix.fit(n);
        self.solved.fit(n);
    }
}

/// A mixed rod between two poses.
pub(crate) struct MixedSpan {
    held: HeldChain,
    /// Its matrix is that of the scratch, and only while it is factorised.
    system: System,
    factor: ChainFactor,
    /// Elastic energy, and that of loads and inertia, at the last evaluation, J.
    energies: (f64, f64),
    /// Energy of its weight there, J, and by how much its end frames miss those that are held, rad.
    weight: f64,
    turned: f64,
    /// How the frame before the last turns with the last: a block of the matrix.
    last_upper: Mat3,
    /// The columns of the flows, and what they do to the gap; empty where nothing flows.
    by_flow: [ChainVector; 2],
    gap_by_flow: [Vec3; 2],
    step: ChainVector,
    /// Frames that loads without potential turn with, and what these gain, added to the residual.
    turning: Vec<usize>,
    extra: ChainVector,
    has_extra: bool,
    /// Forces from outside that are added to the residual too, at shares of the length.
    pushed: Vec<(f64, Vec3)>,
    /// By how much the step makes it longer, m.
    grown: f64,
    /// The rod that lengths are scaled from where it is not that of the network: damped, in motion.
    base: Option<Box<MixedRod>>,
}

impl MixedSpan {
    pub(crate) fn new(rod: &MixedRod, loads: Loads<'_>) -> Self {
        let mut held = HeldChain::new(rod.clone());
        held.read_loads(loads);
        let n = rod.segments();
        let mut system = System::new(n);
        system.matrix = ChainMatrix::zeros(0);
        system.read_loads(&held);
        Self {
            system,
            factor: ChainFactor::new(n),
            energies: (0.0, 0.0),
            weight: 0.0,
            turned: 0.0,
            last_upper: Mat3::zeros(),
            step: ChainVector::zeros(n),
            by_flow: std::array::from_fn(|_| ChainVector { f: Vec::new(), x: Vec::new() }),
            gap_by_flow: [Vec3::zeros(); 2],
            base: None,
            turning: Vec::new(),
            extra: ChainVector { f: Vec::new(), x: Vec::new() },
            has_extra: false,
            pushed: Vec::new(),
            grown: 0.0,
            held,
        }
    }

    /// Derivative of the Lagrangian by the length, N: minus the tension that pulls rope into the span,
    /// and what bending stores per length.
    fn length_force(&self, state: &State) -> f64 {
        let rod = &self.held.rod;
        let n = rod.segments();
        let mut sum = 0.0;
        for (j, (_, measure, moment)) in self.system.vertices.iter().enumerate() {
            sum -= moment.dot(&(0.5 * (measure.value - rod.rest[j]) + rod.rest[j]));
            sum -= rod.mass[j] * self.held.gravity.dot(&rod.position(&state.rod, j));
        }
        for i in 0..n {
            sum -= rod.lengths[i] * self.system.internal[i].dot(&self.system.rotations[i + 1].column(2));
        }
        // More rod inside a pole costs more, and all of it moves with the length.
        for j in 0..=n {
            sum += rod.duals[j] * self.system.taps.spread_energy(&rod.position(&state.rod, j));
        }
        sum / rod.length()
    }

    /// How residual and gap change with the flows, and the second derivatives by them.
    ///
    /// Positions are x_j = x_0 + L p_j with p_j made of frames; the chain knows them with L held, so a
    /// flow moves x_j by ± p_j on top, and against its target in motion by the tangent there.
    fn flow_columns(&mut self, state: &State) -> [[f64; 2]; 2] {
        let rod = &self.held.rod;
        let n = rod.segments();
        let length = rod.length();
        self.by_flow.iter_mut().for_each(|column| column.fit(n));
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
            weight += rod.mass[j] * self.held.gravity;
            second -= 2.0 * rod.mass[j] * self.held.gravity.dot(&(rod.position(&state.rod, j) - first));
            let b = self.system.rotations[j].tr_mul(&(self.system.internal[j - 1] + weight));
            let l = rod.lengths[j - 1] / length;
            column.f[j] += Vec3::new(l * b.y, -l * b.x, 0.0);
        }
        weight += rod.mass[0] * self.held.gravity;
        column.x[0] = -weight / length;
        let reach = (rod.position(&state.rod, n) - first) / length;
        self.gap_by_flow = GROWS.map(|g| g * reach);
        let [end, start] = &mut self.by_flow;
        for (a, b) in start.f.iter_mut().zip(&end.f).chain(start.x.iter_mut().zip(&end.x)) {
            *a = -b;
        }
        second /= length * length;
        let mut both = [[second, -second], [-second, second]];
        self.add_taps_to_flows(state, &mut both);
        both
    }

    /// What acts on nodes, to the columns of the flows and their second derivatives.
    fn add_taps_to_flows(&mut self, state: &State, both: &mut [[f64; 2]; 2]) {
        let taps = &self.system.taps;
        let rod = &self.held.rod;
        let length = rod.length();
        let at = |j: usize| rod.position(&state.rod, j);
        let first = at(0);
        let mut add = |j: usize, pulls: [Vec3; 2], moves: [Vec3; 2]| {
            for side in 0..2 {
                self.by_flow[side].x[j] += pulls[side];
                for other in 0..2 {
                    both[side][other] += pulls[side].dot(&moves[other]);
                }
            }
        };
        for j in (0..=rod.segments()).filter(|_| taps.on_points()) {
            let x = at(j);
            let p = (x - first) / length;
            let fixed = taps.fixed_stiffness(&x, rod.duals[j]);
            // The force of a pole grows with the rod inside: once in the column, twice in the second derivative.
            let grown = taps.spread_force(&x) * (rod.duals[j] / length);
            let moves = GROWS.map(|g| p * g);
            add(j, moves.map(|v| fixed * v), moves);
            add(j, GROWS.map(|g| grown * -g), moves.map(|v| v * 2.0));
            if let Some(inertia) = &taps.inertia {
                let away = [0, 1].map(|side| moves[side] - inertia.target_by_slid(j, side));
                add(j, away.map(|v| v * inertia.nodes[j].0), away);
            }
        }
        for tap in &taps.places {
            let place = PlaceOnChain::new(rod, tap.share);
            let p = (place.position(rod, &state.rod) - first) / length;
            let moves = GROWS.map(|g| p * g);
            let pulls = moves.map(|v| tap.stiffness * v);
            place.nodes().for_each(|(j, weight)| add(j, pulls.map(|v| v * weight), moves));
        }
        if let Some(inertia) = &taps.inertia {
            for (i, &(k, _)) in inertia.chords.iter().enumerate() {
                let p = (at(i + 1) - at(i)) / length;
                let moves = [0, 1].map(|side| p * GROWS[side] - inertia.chord_by_slid(i, side));
                let pulls = moves.map(|v| v * -k);
                add(i + 1, pulls, moves);
                add(i, pulls.map(|v| -v), [Vec3::zeros(); 2]);
            }
        }
    }

    /// The column of a flow times a chain vector, frames that the chain holds left out.
    fn flow_dot(&self, layout: &Layout, side: usize, v: &ChainVector) -> f64 {
        let n = self.held.rod.segments();
        let last = if layout.clamped[1] { n } else { n + 1 };
        let column = &self.by_flow[side];
        let frames: f64 = (1..=last).map(|j| column.f[j].dot(&v.f[j])).sum();
        frames + (1..=n).map(|j| column.x[j].dot(&v.x[j])).sum::<f64>()
    }

    /// What the residual gains besides: of loads whose places turn by these, and of forces from outside.
    fn add_extra(&mut self, turns: &[Vec3]) {
        self.has_extra = !turns.is_empty() || !self.pushed.is_empty();
        if !self.has_extra {
            return;
        }
        let rod = &self.held.rod;
        let mut extra = std::mem::replace(&mut self.extra, ChainVector { f: Vec::new(), x: Vec::new() });
        extra.fit(rod.segments());
        extra.clear();
        if !turns.is_empty() {
            let turn = |frame: usize| {
                self.turning.binary_search(&frame).map_or_else(|_| Vec3::zeros(), |k| turns[k])
            };
            self.system.loads.subtract_gains(&self.system.rotations, turn, &mut extra);
        }
        for (share, force) in &self.pushed {
            let place = PlaceOnChain::new(rod, *share);
            place.nodes().for_each(|(j, weight)| extra.x[j] -= force * weight);
        }
        self.extra = extra;
    }

    /// How a place moves with the length, frames held.
    fn by_length(&self, state: &State, place: &PlaceOnChain) -> Vec3 {
        let rod = &self.held.rod;
        (place.position(rod, &state.rod) - rod.position(&state.rod, 0)) / rod.length()
    }

    /// Work of forces from outside per length that the rod grows, N.
    fn pushed_along(&self, state: &State) -> f64 {
        let along = |(share, force): &(f64, Vec3)| {
            force.dot(&self.by_length(state, &PlaceOnChain::new(&self.held.rod, *share)))
        };
        self.pushed.iter().map(along).sum()
    }

    /// Minus the residual, over the unknowns that the chain has to itself.
    fn right_side(&self, layout: &Layout, out: &mut ChainVector) {
        for (b, r) in out.f.iter_mut().zip(&self.system.residual.f) {
            *b = -r;
        }
        if layout.clamped[1] {
            out.f[self.held.rod.segments() + 1] = Vec3::zeros();
        }
        out.x.fill(Vec3::zeros());
        out.x[0] = -self.system.residual.x[0];
        if self.has_extra {
            let extra = &self.extra;
            let last = out.f.len() - usize::from(layout.clamped[1]);
            out.f[..last].iter_mut().zip(&extra.f).for_each(|(b, gain)| *b -= gain);
            out.x.iter_mut().zip(&extra.x).for_each(|(b, gain)| *b -= gain);
        }
    }

    /// Factorises with the matrix that the scratch has lent.
    fn factorise_lent(
        &mut self,
        layout: &Layout,
        state: &State,
        (shift, proximal): (f64, f64),
        scratch: &mut ChainScratch,
    ) -> Result<(Local, usize), SingularPivot> {
        let n = self.held.rod.segments();
        self.system.assemble(&self.held, state, shift, proximal);
        self.factor.factorise(&self.system.matrix, layout.clamped[1])?;
        let mut negative = self.factor.negative();
        let first = self.system.rotations[0];
        let last = self.system.rotations[n + 1];
        let second = if layout.flows.contains(&true) { self.flow_columns(state) } else { [[0.0; 2]; 2] };
        self.last_upper = self.system.matrix.upper[n];
        let mut column_left = [(Vec3::zeros(), Vec3::zeros()); COLUMNS];
        let mut s = Local::zeros();
        if layout.clamped[1] || layout.held {
            let border = self.factor.eliminate_border(&(self.last_upper * last.transpose()));
            column_left[..6].copy_from_slice(&border.left);
            for k in active(layout).filter(|k| *k < 6) {
                for i in active(layout).filter(|i| *i < 6) {
                    s[(component(i), component(k))] = -border.form[i][k];
                }
            }
        }
        for side in layout.sides() {
            let column = &mut scratch.flows[side];
            column.f.clone_from(&self.by_flow[side].f);
            column.x.clone_from(&self.by_flow[side].x);
            if layout.clamped[1] {
                column.f[n + 1] = Vec3::zeros();
            }
            column_left[6 + side] = self.factor.reduce(column);
            self.factor.expand(column, (Vec3::zeros(), Vec3::zeros()));
            let by_turn = last * self.last_upper.tr_mul(&column.f[n]);
            for i in active(layout).filter(|i| *i < 6) {
                let own = if i < 3 { by_turn[i] } else { column.x[n][i - 3] };
                s[(component(i), FLOW + side)] = -own;
                s[(FLOW + side, component(i))] = -own;
            }
            for other in layout.sides() {
                s[(FLOW + other, FLOW + side)] = -self.flow_dot(layout, other, column);
            }
        }
        let Base { ff: p_ff, fx: p_fx, xx: p_xx } = *self.factor.base();
        let p_xf = p_fx.transpose();
        let (turn_turn, turn_move, mut move_move);
        if layout.clamped[0] {
            turn_turn = first * p_ff * first.transpose();
            turn_move = first * p_fx;
            move_move = p_xx;
            for k in active(layout) {
                let (f, x) = column_left[k];
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
            for k in active(layout) {
                let (f, x) = column_left[k];
                let through = inverse * f;
                let x = x - p_xf * through;
                for i in 0..3 {
                    s[(MOVE_A + i, component(k))] = x[i];
                    s[(component(k), MOVE_A + i)] = x[i];
                }
                for i in active(layout) {
                    s[(component(i), component(k))] -= column_left[i].0.dot(&through);
                }
            }
        }
        if layout.clamped[1] {
            let own = last * self.system.matrix.ff[n + 1] * last.transpose();
            let mut view = s.fixed_view_mut::<3, 3>(TURN_B, TURN_B);
            view += own;
        }
        for side in layout.sides() {
            let at = FLOW + side;
            for other in 0..2 {
                s[(at, FLOW + other)] += second[side][other];
            }
            let turn = if layout.clamped[1] { last * self.by_flow[side].f[n + 1] } else { Vec3::zeros() };
            for i in 0..3 {
                s[(TURN_B + i, at)] += turn[i];
                s[(at, TURN_B + i)] += turn[i];
                s[(FORCE + i, at)] += self.gap_by_flow[side][i];
                s[(at, FORCE + i)] += self.gap_by_flow[side][i];
            }
        }
        move_move = (move_move + move_move.transpose()) * 0.5;
        s.fixed_view_mut::<3, 3>(TURN_A, TURN_A).copy_from(&turn_turn);
        s.fixed_view_mut::<3, 3>(TURN_A, MOVE_A).copy_from(&turn_move);
        s.fixed_view_mut::<3, 3>(MOVE_A, TURN_A).copy_from(&turn_move.transpose());
        s.fixed_view_mut::<3, 3>(MOVE_A, MOVE_A).copy_from(&move_move);
        Ok((s, negative))
    }
}

impl SpanKernel for MixedSpan {
    fn length(&self) -> f64 {
        self.held.rod.length()
    }

    fn stiffness(&self) -> f64 {
        self.system.stiffness
    }

    fn take_rod(&mut self, rod: &AnyRod) {
        if let Some(rod) = rod.as_mixed() {
            self.held.rod = rod.clone();
            self.system.read_loads(&self.held);
            self.system.reload(&self.held);
        }
    }

    fn read_loads(&mut self, loads: Loads<'_>) {
        self.held.read_loads(loads);
        self.system.read_loads(&self.held);
    }

    fn cost(&self) -> f64 {
        self.held.rod.segments() as f64
    }

    fn set_length(&mut self, rod: &AnyRod, length: f64) {
        if length == self.held.rod.length() {
            return;
        }
        if let Some(base) = self.base.as_deref().or(rod.as_mixed()) {
            self.held.rod.set_length_from(base, length.max(1e-3 * base.length()));
            self.system.read_loads(&self.held);
            self.system.reload(&self.held);
        }
    }

    fn set_ends(&self, ends: &[End; 2], state: &mut State) {
        let rod = &self.held.rod;
        rod.set_position(&mut state.rod, 0, &ends[0].position);
        if let Some(frame) = ends[0].frame() {
            rod.set_frame(&mut state.rod, 0, &frame);
        }
        if let Some(frame) = ends[1].frame() {
            rod.set_frame(&mut state.rod, rod.segments() + 1, &frame);
        }
        rod.project(&mut state.rod);
    }

    fn evaluate(&mut self, _: &Layout, world: &World<'_>, ends: [End; 2], state: &mut State) {
        if self.held.gravity != world.gravity {
            self.held.gravity = world.gravity;
            self.system.read_loads(&self.held);
        }
        self.system.taps.see(world.poles);
        self.held.ends = ends;
        self.system.evaluate(&self.held, state);
        let (bending, torsion) = self.system.elastic_energies(&self.held);
        self.energies = (bending + torsion, self.system.external(&self.held, state));
        let rod = &self.held.rod;
        let weight = |(j, m): (usize, &f64)| m * self.held.gravity.dot(&rod.position(&state.rod, j));
        self.weight = -rod.mass.iter().enumerate().map(weight).sum::<f64>();
        let off = |end: &End, j: usize| {
            end.frame().map_or(0.0, |q| rotation::angle_between(&q, &rod.frame(&state.rod, j)))
        };
        let [start, end] = &self.held.ends;
        self.turned = larger(off(start, 0), off(end, rod.segments() + 1));
    }

    fn reactions(&self, layout: &Layout, state: &State) -> [Wrench; 2] {
        let r = &self.system.residual;
        let moment = |side: usize, frame: usize| {
            if layout.clamped[side] { self.system.rotations[frame] * r.f[frame] } else { Vec3::zeros() }
        };
        [
            Wrench { force: r.x[0], moment: moment(0, 0) },
            Wrench { force: state.end_force, moment: moment(1, self.held.rod.segments() + 1) },
        ]
    }

    fn gap(&self) -> Vec3 {
        self.system.gap
    }

    fn turn_gap(&self) -> f64 {
        self.turned
    }

    fn is_folded(&self) -> bool {
        self.system.is_folded()
    }

    fn norms(&self) -> Norms {
        self.system.norms(&self.held)
    }

    fn place(&self, state: &State, s: f64) -> Vec3 {
        self.held.rod.station(&state.rod, s).position
    }

    fn end_forces(&self) -> Option<[Vec3; 2]> {
        Some([*self.system.internal.first()?, *self.system.internal.last()?])
    }

    fn flow_force(&self, state: &State, side: usize) -> f64 {
        let rod = &self.held.rod;
        let slid = |inertia: &Inertia| inertia.slid_force(side, |j| rod.position(&state.rod, j));
        GROWS[side] * self.length_force(state) + self.system.taps.passed().map_or(0.0, slid)
    }

    fn factorise(
        &mut self,
        layout: &Layout,
        state: &State,
        shift: f64,
        proximal: f64,
        scratch: &mut ChainScratch,
    ) -> Result<(Local, usize), SingularPivot> {
        scratch.fit(self.held.rod.segments());
        std::mem::swap(&mut self.system.matrix, &mut scratch.matrix);
        let found = self.factorise_lent(layout, state, (shift, proximal), scratch);
        std::mem::swap(&mut self.system.matrix, &mut scratch.matrix);
        found
    }

    fn eliminate_residual(
        &mut self,
        layout: &Layout,
        state: &State,
        scratch: &mut ChainScratch,
    ) -> LocalVector {
        let n = self.held.rod.segments();
        let solved = &mut scratch.solved;
        solved.fit(n);
        self.right_side(layout, solved);
        let left = self.factor.reduce(solved);
        let mut first = (Vec3::zeros(), Vec3::zeros());
        let Base { ff: p_ff, fx: p_fx, .. } = *self.factor.base();
        let mut local = LocalVector::zeros();
        let mut force = left.1;
        if layout.clamped[0] {
            let turn = self.system.rotations[0] * left.0;
            local.fixed_rows_mut::<3>(TURN_A).copy_from(&turn);
        } else if let Some(inverse) = inverse3(&p_ff) {
            first.0 = inverse * left.0;
            force -= p_fx.tr_mul(&first.0);
        }
        local.fixed_rows_mut::<3>(MOVE_A).copy_from(&force);
        self.factor.expand(solved, first);
        if layout.clamped[1] {
            let last = self.system.rotations[n + 1];
            let gained = if self.has_extra { self.extra.f[n + 1] } else { Vec3::zeros() };
            let own = self.system.residual.f[n + 1] + gained;
            let turn = -(last * (own + self.last_upper.tr_mul(&solved.f[n])));
            local.fixed_rows_mut::<3>(TURN_B).copy_from(&turn);
        }
        local.fixed_rows_mut::<3>(FORCE).copy_from(&(-self.system.gap - solved.x[n]));
        for side in layout.sides() {
            local[FLOW + side] = -self.flow_force(state, side) - self.flow_dot(layout, side, solved);
            local[FLOW + side] += GROWS[side] * self.pushed_along(state);
            if !layout.clamped[0] {
                local[FLOW + side] -= self.by_flow[side].f[0].dot(&first.0);
            }
        }
        local
    }

    fn find_turning_loads(&mut self) -> usize {
        self.system.loads.find_turning_frames(&mut self.turning);
        self.turning.len()
    }

    fn turned(&self, place: usize) -> Vec3 {
        let frame = self.turning[place];
        self.system.rotations[frame] * self.step.f[frame]
    }

    fn set_load_turns(&mut self, turns: &[Vec3]) {
        self.add_extra(turns);
    }

    fn push(&mut self, forces: &[(f64, Vec3)]) {
        self.pushed.clear();
        self.pushed.extend_from_slice(forces);
        self.add_extra(&[]);
    }

    fn moved(&self, state: &State, share: f64) -> Vec3 {
        let place = PlaceOnChain::new(&self.held.rod, share);
        place.mean(|j| self.step.x[j]) + self.by_length(state, &place) * self.grown
    }

    fn back_substitute(&mut self, layout: &Layout, w: &LocalVector) {
        let n = self.held.rod.segments();
        let part = |at: usize| Vec3::new(w[at], w[at + 1], w[at + 2]);
        let mut step = std::mem::replace(&mut self.step, ChainVector { f: Vec::new(), x: Vec::new() });
        self.right_side(layout, &mut step);
        // Less what the border does: ψ_b through the last vertex, y through x_n, and the flows.
        let end_turn = self.system.rotations[n + 1].tr_mul(&part(TURN_B));
        self.grown = layout.sides().map(|side| GROWS[side] * w[FLOW + side]).sum();
        for side in layout.sides() {
            step.add_scaled(-w[FLOW + side], &self.by_flow[side]);
        }
        if layout.clamped[1] {
            step.f[n] -= self.last_upper * end_turn;
            step.f[n + 1] = Vec3::zeros();
        }
        if layout.held {
            step.x[n] -= part(FORCE);
        }
        let left = self.factor.reduce(&mut step);
        let Base { ff: p_ff, fx: p_fx, .. } = *self.factor.base();
        let x = part(MOVE_A);
        let f = if layout.clamped[0] {
            self.system.rotations[0].tr_mul(&part(TURN_A))
        } else {
            inverse3(&p_ff).map_or_else(Vec3::zeros, |inverse| inverse * (left.0 - p_fx * x))
        };
        self.factor.expand(&mut step, (f, x));
        if layout.clamped[1] {
            step.f[n + 1] = end_turn;
        }
        self.step = step;
    }

    fn advance(&self, state: &mut State, scale: f64) {
        self.held.rod.advance(&mut state.rod, &self.step, scale);
    }

    fn slope(&self, layout: &Layout) -> (f64, f64) {
        let n = self.held.rod.segments();
        let held = |j: usize| (j == 0 && layout.clamped[0]) || (j == n + 1 && layout.clamped[1]);
        let r = &self.system.residual.f;
        let own = self.step.f.iter().enumerate().filter(|(j, _)| !held(*j)).map(|(j, s)| r[j].dot(s)).sum();
        (own, 0.0)
    }

    fn new_moment(&self) -> Vec3 {
        Vec3::zeros()
    }

    fn trial(&self, _: &[End; 2], state: &State, _: &Vec3, _: f64, ahead: Option<f64>) -> (f64, Vec3) {
        let rod = &self.held.rod;
        let potential = match ahead {
            Some(scale) => {
                let work = scale * self.system.loads.moment_work(&self.system.rotations, &self.step.f);
                self.system.potential(&self.held, state) - work
            }
            None => self.energies.0 + self.energies.1,
        };
        (potential, rod.position(&state.rod, rod.segments()))
    }

    fn step_size(&self) -> (f64, f64) {
        let mut turn = f64::MIN_POSITIVE;
        let mut bend = f64::MIN_POSITIVE;
        for w in self.step.f.windows(2) {
            turn = larger(turn, larger(w[0].norm_squared(), w[1].norm_squared()));
            bend = larger(bend, (w[1] - w[0]).norm_squared());
        }
        (turn.sqrt(), bend.sqrt())
    }

    fn weight_energy(&self) -> Option<f64> {
        Some(self.weight)
    }

    fn energy_scale(&self, state: &State) -> f64 {
        let (elastic, external) = self.energies;
        elastic + (elastic + external).abs() + state.end_force.norm() * self.held.rod.length()
    }

    fn profile(&mut self, state: &State) -> Profile {
        profile::profile(&self.held, state, &self.system)
    }

    fn missed_curvature(&self) -> Vec<f64> {
        Vec::new()
    }

    fn taps(&mut self) -> &mut Taps {
        &mut self.system.taps
    }

    fn set_slid(&mut self, slid: [f64; 2]) {
        self.system.taps.set_slid(slid);
    }

    fn damp(&mut self, rod: &AnyRod, state: &RodState, share: f64) {
        let Some(rod) = rod.as_mixed() else { return };
        let length = self.held.rod.length();
        let mut damped = Box::new(rod.clone());
        let scale = rod.length() / length;
        for j in 0..rod.spring.len() {
            let now = rod.vertex(state, j).1.value * scale;
            damped.spring[j] = rod.spring[j] * (1.0 + share);
            damped.rest[j] = (rod.rest[j] + share * now) / (1.0 + share);
        }
        self.held.rod.set_length_from(&damped, length);
        self.base = Some(damped);
    }

    fn undamp(&mut self, rod: &AnyRod) {
        if let (Some(_), Some(rod)) = (self.base.take(), rod.as_mixed()) {
            let length = self.held.rod.length();
            self.held.rod.set_length_from(rod, length);
        }
    }
}
