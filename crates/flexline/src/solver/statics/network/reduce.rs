//! One span of a network: evaluated and eliminated down to its interface.
//!
//! Interface of a span: rotation ψ_a and displacement of its start, ψ_b and displacement of its
//! end, and y = −δφ, the change of the force at its end. With K the chain (both ends held), and
//! columns C for ψ_a (through the first vertex), ψ_b (through the last) and y (through x_n),
//!
//! ```text
//! S = D − CᵀK⁻¹C,   plus y·(δx_0 − δX_b)
//! ```
//!
//! where D holds the vertices' own stiffness at the ends and δx = t + ψ × lever.

use super::model::{Attachment, Grip, Network, Span};
use super::state::{end_condition, end_pose};
use crate::algebra::chain::{ChainFactor, ChainVector, SingularPivot};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::Rod;
use crate::rod::mixed::cross_hessian;
use crate::solver::problem::{End, Pose, Problem, State};
use crate::solver::statics::border::GIVE;
use crate::solver::statics::system::System;
use nalgebra::{DMatrix, DVector, SMatrix};

/// Interface rotations and force: ψ_a, ψ_b, y.
const INTERFACE: usize = 9;

pub(super) struct SpanSystem {
    pub(super) problem: Problem,
    pub(super) system: System,
    factor: ChainFactor,
    columns: Vec<ChainVector>,
    /// K⁻¹ (−r) of the last residual, then the step.
    pub(super) step: ChainVector,
    schur: SMatrix<f64, INTERFACE, INTERFACE>,
    levers: [Vec3; 2],
    clamped: [bool; 2],
    /// Unknowns of the anchors at the two ends, and of y.
    ends: [[Option<usize>; 6]; 2],
    own: Option<usize>,
}

impl SpanSystem {
    pub(super) fn new(network: &Network, span: &Span, anchors: &[[Option<usize>; 6]], own: Option<usize>) -> Self {
        let mut problem = Problem::new(span.rod.clone(), End::free(), End::free());
        problem.gravity = network.gravity;
        problem.point_loads.clone_from(&span.point_loads);
        problem.distributed_loads.clone_from(&span.distributed_loads);
        let n = problem.rod.segments();
        let mut system = System::new(&problem);
        system.penalty = 0.0;
        system.read_loads(&problem);
        let clamped = |a: &Attachment| a.grip == Grip::Clamped;
        Self {
            system,
            factor: ChainFactor::new(n),
            columns: vec![ChainVector::zeros(n); INTERFACE],
            step: ChainVector::zeros(n),
            schur: SMatrix::zeros(),
            levers: [Vec3::zeros(); 2],
            clamped: [clamped(&span.start), span.end.as_ref().is_some_and(clamped)],
            ends: [anchors[span.start.anchor], span.end.map_or([None; 6], |e| anchors[e.anchor])],
            own,
            problem,
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
        let lever = |a: &Attachment| {
            rotation::rotate(&anchors[a.anchor].orientation, &a.anchor_from_end.position)
        };
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

    /// Assembles and factorises; returns the negative directions of the held chain.
    pub(super) fn factorise(&mut self, state: &State, shift: f64, proximal: f64) -> Result<usize, SingularPivot> {
        let n = self.problem.rod.segments();
        self.system.assemble(&self.problem, state, shift, proximal);
        let held = System::held(&self.problem);
        self.factor.factorise(&self.system.matrix, held)?;
        let m = &self.system.matrix;
        let rotations = &self.system.rotations;
        let (first, last) = (rotations[0].transpose(), rotations[n + 1].transpose());
        self.schur.fill(0.0);
        let has_end = self.problem.ends[1].held == [true; 3];
        let active = |k: usize| match k / 3 {
            0 => self.clamped[0],
            1 => self.clamped[1],
            _ => has_end,
        };
        for k in (0..INTERFACE).filter(|k| active(*k)) {
            let column = &mut self.columns[k];
            column.clear();
            match k / 3 {
                0 => column.f[1] = m.lower[0] * first.column(k),
                1 => column.f[n] = m.upper[n] * last.column(k - 3),
                _ => column.x[n][k - 6] = 1.0,
            }
            self.factor.solve(column);
        }
        // Rows of Cᵀ applied to the solved columns.
        for k in (0..INTERFACE).filter(|k| active(*k)) {
            let column = &self.columns[k];
            let by_first = rotations[0] * (m.upper[0] * column.f[1]);
            let by_last = rotations[n + 1] * (m.lower[n] * column.f[n]);
            for i in (0..INTERFACE).filter(|i| active(*i)) {
                self.schur[(i, k)] = -match i / 3 {
                    0 => by_first[i],
                    1 => by_last[i - 3],
                    _ => column.x[n][i - 6],
                };
            }
        }
        for (at, block) in [
            (0, self.clamped[0].then(|| rotations[0] * m.ff[0] * first)),
            (3, self.clamped[1].then(|| rotations[n + 1] * m.ff[n + 1] * last)),
        ] {
            if let Some(block) = block {
                let mut view = self.schur.fixed_view_mut::<3, 3>(at, at);
                view += block;
            }
        }
        // Levers bend the force they carry.
        let start_force = self.system.residual.x[0];
        let mut view = self.schur.fixed_view_mut::<3, 3>(0, 0);
        view += cross_hessian(&self.levers[0], &start_force);
        let mut view = self.schur.fixed_view_mut::<3, 3>(3, 3);
        view += cross_hessian(&self.levers[1], &state.end_force);
        Ok(self.factor.negative())
    }

    /// First unknown of the force at the far end.
    pub(super) fn force_unknown(&self) -> Option<usize> {
        self.own
    }

    /// The unknown of the reduced system that an interface component is, if any.
    fn unknown(&self, k: usize) -> Option<usize> {
        match k / 3 {
            0 => self.ends[0][k],
            1 => self.ends[1][k - 3],
            _ => self.own.map(|at| at + k - 6),
        }
    }

    /// Adds the span's interface stiffness to the reduced matrix.
    pub(super) fn scatter(&self, matrix: &mut DMatrix<f64>) {
        for i in 0..INTERFACE {
            for k in 0..INTERFACE {
                if let (Some(r), Some(c)) = (self.unknown(i), self.unknown(k)) {
                    matrix[(r, c)] += self.schur[(i, k)];
                }
            }
        }
        let Some(own) = self.own else { return };
        // y·(δx_0 − δX_b), δx = t − [lever]× ψ.
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let turn: Mat3 = -rotation::skew(&self.levers[side]) * sign;
            for r in 0..3 {
                let mut add = |c: Option<usize>, value: f64| {
                    if let Some(c) = c {
                        matrix[(own + r, c)] += value;
                        matrix[(c, own + r)] += value;
                    }
                };
                add(self.ends[side][3 + r], sign);
                for axis in 0..3 {
                    add(self.ends[side][axis], turn[(r, axis)]);
                }
            }
        }
        let give = GIVE * self.problem.rod.length().powi(3) / self.system.stiffness;
        for r in 0..3 {
            matrix[(own + r, own + r)] -= give;
        }
    }

    /// Eliminates the span's residual: `b` gains what it leaves on the interface.
    pub(super) fn eliminate_residual(&mut self, b: &mut DVector<f64>) {
        let n = self.problem.rod.segments();
        for (s, r) in self.step.f.iter_mut().zip(&self.system.residual.f) {
            *s = -r;
        }
        self.step.x.fill(Vec3::zeros());
        self.factor.solve(&mut self.step);
        let m = &self.system.matrix;
        let rotations = &self.system.rotations;
        let first = rotations[0] * (m.upper[0] * self.step.f[1]);
        let last = rotations[n + 1] * (m.lower[n] * self.step.f[n]);
        for i in 0..3 {
            let mut add = |k: usize, value: f64| {
                if let Some(at) = self.unknown(k) {
                    b[at] += value;
                }
            };
            if self.clamped[0] {
                add(i, first[i]);
            }
            if self.clamped[1] {
                add(3 + i, last[i]);
            }
            add(6 + i, self.step.x[n][i] + self.system.gap[i]);
        }
    }

    /// Completes the span's own step from the solution of the reduced system.
    pub(super) fn back_substitute(&mut self, solution: &DVector<f64>) {
        let n = self.problem.rod.segments();
        let mut w = [0.0; INTERFACE];
        for (k, value) in w.iter_mut().enumerate() {
            *value = self.unknown(k).map_or(0.0, |at| solution[at]);
        }
        for k in 0..INTERFACE {
            let active = match k / 3 {
                0 => self.clamped[0],
                1 => self.clamped[1],
                _ => self.own.is_some(),
            };
            if active && w[k] != 0.0 {
                self.step.add_scaled(-w[k], &self.columns[k]);
            }
        }
        // The ends follow their anchors; these entries serve the slope and the size of the step.
        if self.clamped[0] {
            self.step.f[0] = self.system.rotations[0].tr_mul(&Vec3::new(w[0], w[1], w[2]));
        }
        if self.clamped[1] {
            self.step.f[n + 1] = self.system.rotations[n + 1].tr_mul(&Vec3::new(w[3], w[4], w[5]));
        }
        self.step.x[0] = Vec3::zeros();
    }

    /// Slope of the energy along the step of the frames that are the span's own.
    pub(super) fn slope(&self) -> f64 {
        let n = self.problem.rod.segments();
        let own = |j: usize| !(j == 0 && self.clamped[0]) && !(j == n + 1 && self.clamped[1]);
        let r = &self.system.residual.f;
        self.step.f.iter().enumerate().filter(|(j, _)| own(*j)).map(|(j, s)| r[j].dot(s)).sum()
    }

    /// Energy − force·gap + ρ/2 |gap|² of a trial state, moments frozen.
    pub(super) fn merit(&self, span: &Span, anchors: &[Pose], state: &State, force: &Vec3, rho: f64, scale: f64) -> f64 {
        let work = scale * self.system.loads.moment_work(&self.system.rotations, &self.step.f);
        let mut total = self.system.potential(&self.problem, state) - work;
        if let Some(end) = &span.end {
            let rod = &self.problem.rod;
            let gap = rod.position(&state.rod, rod.segments()) - end_pose(&anchors[end.anchor], end).position;
            total += -force.dot(&gap) + 0.5 * rho * gap.norm_squared();
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
