//! Forces, residual and matrix of a spline rod at a state.
//!
//! The Lagrangian is E + Σ T_j ∫ N_j ½(|r′|² − 1) ds less the work of loads: T is the tension. All of it is local to
//! elements; a change of the length L acts on strains (u ~ 1/L), on r′ ~ 1/L and on the weight.

use super::super::super::Network;
use super::super::{FORCE, Layout, MOVE_A};
use super::unknowns::{FACES, LENGTH, Slot};
use super::{Inertia, SplineSpan};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::Rod;
use crate::rod::spline::strain::{HERE, Strain};
use crate::rod::spline::{ElementForm, POINTS, SplineRod, gather};
use crate::solver::problem::{Axes, State};
use crate::solver::statics::border::GIVE;
use nalgebra::SMatrix;

/// How the frame of a place turns with the coordinates of its element, world axes.
type Turning = SMatrix<f64, 3, 15>;

impl SplineSpan {
    /// The tension at a point of the quadrature, N.
    fn tension(&self, k: usize, coordinates: &[f64]) -> f64 {
        let first = self.rod.knots.first[k / POINTS];
        let n = &self.rod.points[k].values.quadratic;
        (0..3).map(|j| n[j] * coordinates[self.rod.tension_at(first + j)]).sum()
    }

    /// How the frame of a place turns.
    fn turning(&self, e: usize, strain: &Strain, values: &crate::rod::spline::Values) -> Turning {
        let rows = self.rod.rows(e, values);
        let mut out = Turning::zeros();
        let roll = strain.roll_by();
        let swing = rotation::skew(&strain.tangent) * strain.tangent_by();
        for axis in 0..3 {
            let mut local = roll * strain.tangent[axis];
            for k in 0..3 {
                local[HERE + k] += swing[(axis, k)];
            }
            out.set_row(axis, &gather(&rows, &local).transpose());
        }
        out
    }

    /// Evaluates everything but the matrix.
    pub(super) fn evaluate_here(&mut self, network: &Network, state: &State) {
        let c = &state.rod.coordinates;
        let length = self.rod.length();
        self.gravity = network.gravity;
        self.poles.clone_from(&network.poles);
        self.raw.fill(0.0);
        self.by_length = [0.0; 2];
        self.strains.clear();
        self.positions.clear();
        self.tensions.clear();
        self.largest = (state.end_force.norm(), 0.0);
        let frames = self.rod.joint_frames(c);
        let tangents = self.rod.tangent_count();
        for k in 0..self.rod.points.len() {
            let e = k / POINTS;
            let point = self.rod.points[k];
            let first = self.rod.knots.first[e];
            let strain = self.rod.place(c, e, point.xi, &point.values, frames[e]).measure();
            let moment = self.rod.moment(&point, &strain.value);
            let by = strain.first();
            let local = by[0] * moment.x + by[1] * moment.y + by[2] * moment.z;
            let own = gather(&self.rod.rows(e, &point.values), &local);
            for (i, value) in own.iter().enumerate() {
                self.raw[self.rod.tangent_index(e, i)] += value;
            }
            let rho = self.rod.sum(c, e, &point.values.slope);
            let x = self.rod.sum(c, e, &point.values.cubic);
            let tension = self.tension(k, c);
            let mut force = self.gravity * (point.mass * point.weight * length);
            for pole in &self.poles {
                force += pole.force(&x) * (point.weight * length);
            }
            if let Some(inertia) = &self.inertia {
                let (stiffness, target) = inertia.node(k);
                force -= (x - target) * stiffness;
                let turn = held_turn(inertia, k, &strain);
                let turning = self.turning(e, &strain, &point.values);
                for (i, value) in turning.tr_mul(&turn).iter().enumerate() {
                    self.raw[self.rod.tangent_index(e, i)] += value;
                }
            }
            for i in 0..4 {
                let pull = rho * (tension * point.weight * point.values.slope[i] / length)
                    - force * point.values.cubic[i];
                for axis in 0..3 {
                    self.raw[3 * (first + i) + axis] += pull[axis];
                }
            }
            let stretched = rho.norm_squared() / length.powi(2);
            for j in 0..3 {
                let missed = 0.5 * (stretched - 1.0) * length * point.weight;
                self.raw[tangents + first + j] += point.values.quadratic[j] * missed;
            }
            // Derivatives by the length.
            let over = strain.value / length - point.rest;
            let stiff = point.stiffness.component_mul(&over);
            self.by_length[0] += point.weight
                * (0.5 * stiff.dot(&over)
                    - stiff.dot(&strain.value) / length
                    - 0.5 * tension * (stretched + 1.0)
                    - point.mass * self.gravity.dot(&x)
                    + self.poles.iter().map(|p| p.energy(&x)).sum::<f64>());
            let twice = point.stiffness.component_mul(&strain.value).dot(&strain.value) / length.powi(3);
            self.by_length[1] += point.weight * (twice + tension * stretched / length);
            self.largest.0 = self.largest.0.max(tension.abs());
            self.largest.1 = self.largest.1.max(stiff.norm());
            self.strains.push(strain);
            self.positions.push(x);
            self.tensions.push(tension);
        }
        self.add_loads(c, &frames);
        let last = 3 * (self.rod.controls() - 1);
        for axis in 0..3 {
            self.raw[last + axis] -= state.end_force[axis];
        }
        self.stretch = 0.0;
        for (j, weight) in self.weights.iter().enumerate() {
            self.stretch = self.stretch.max(self.raw[tangents + j].abs() / (weight * length));
        }
    }

    /// Loads: forces at places, and moments that turn with nothing.
    fn add_loads(&mut self, c: &[f64], frames: &[crate::algebra::Quat]) {
        for index in 0..self.loads.len() {
            let mut load = self.loads[index];
            let e = load.element;
            let strain = self.rod.place(c, e, load.xi, &load.values, frames[e]).measure();
            load.world = match load.axes {
                Axes::World => (load.force, load.moment),
                Axes::Material => (
                    rotation::rotate(&strain.frame, &load.force),
                    rotation::rotate(&strain.frame, &load.moment),
                ),
            };
            self.loads[index].world = load.world;
            let first = self.rod.knots.first[e];
            for i in 0..4 {
                for axis in 0..3 {
                    self.raw[3 * (first + i) + axis] -= load.values.cubic[i] * load.world.0[axis];
                }
            }
            if load.moment != Vec3::zeros() {
                let turning = self.turning(e, &strain, &load.values);
                for (i, value) in turning.tr_mul(&load.world.1).iter().enumerate() {
                    self.raw[self.rod.tangent_index(e, i)] -= value;
                }
                self.load_turns[index] = Some(turning);
            }
        }
    }

    /// Work of dead moments along the step: they have no potential.
    pub(super) fn moment_work(&self) -> f64 {
        let mut work = 0.0;
        for (load, turning) in self.loads.iter().zip(&self.load_turns) {
            if let Some(turning) = turning {
                let turn: Vec3 = (0..15)
                    .map(|i| turning.column(i) * self.step.raw[self.rod.tangent_index(load.element, i)])
                    .sum();
                work += load.world.1.dot(&turn);
            }
        }
        work
    }

    /// The second derivative over an element: its coordinates, then its three tensions.
    fn element_form(&self, e: usize, shift: f64, whisper: f64) -> (ElementForm, SMatrix<f64, 15, 3>) {
        let length = self.rod.length();
        let mut h = ElementForm::zeros();
        let mut by_tension = SMatrix::<f64, 15, 3>::zeros();
        let share = self.rod.knots.share(e);
        for k in POINTS * e..POINTS * (e + 1) {
            let point = &self.rod.points[k];
            let strain = &self.strains[k];
            h += self.rod.stiffness_form(e, point, strain, shift);
            let pull = self.tensions[k] * point.weight / length;
            let t = strain.tangent_by();
            let quiet = t.tr_mul(t) * (whisper * point.weight * length);
            SplineRod::add_outer(&mut h, &point.values.slope, &(Mat3::identity() * pull + quiet));
            let rho = strain.slope();
            for i in 0..4 {
                for j in 0..3 {
                    let by = point.weight * point.values.quadratic[j] * point.values.slope[i] / length;
                    let mut view = by_tension.fixed_view_mut::<3, 1>(3 * i, j);
                    view += rho * by;
                }
            }
            let mut held = Mat3::zeros();
            for pole in self.poles.iter().filter(|p| p.depth(&self.positions[k]) > 0.0) {
                held += pole.hessian(&self.positions[k]) * (point.weight * length);
            }
            if let Some(inertia) = &self.inertia {
                held += Mat3::identity() * inertia.nodes[k].0;
                let stiffness = inertia.frames[k].0;
                if stiffness != Vec3::zeros() {
                    let r = rotation::matrix(&strain.frame);
                    let turning = self.turning(e, strain, &point.values);
                    h += turning.tr_mul(&(r * Mat3::from_diagonal(&stiffness) * r.transpose() * turning));
                }
            }
            if held != Mat3::zeros() {
                SplineRod::add_outer(&mut h, &point.values.cubic, &held);
            }
        }
        for k in 12..14 {
            h[(k, k)] += 0.5 * whisper * share * length;
        }
        (h, by_tension)
    }

    /// Assembles the matrix inside, the columns of the interface and its own form.
    pub(super) fn assemble(&mut self, layout: &Layout, shift: f64, whisper: f64) {
        self.matrix.clear();
        self.form.fill(0.0);
        self.columns.iter_mut().for_each(|column| column.fill(0.0));
        let tangents = self.rod.tangent_count();
        for e in 0..self.rod.elements() {
            let (h, by_tension) = self.element_form(e, shift, whisper);
            let index: [usize; 15] = std::array::from_fn(|i| self.rod.tangent_index(e, i));
            let first = self.rod.knots.first[e];
            for (i, a) in index.iter().enumerate() {
                for (k, b) in index.iter().enumerate() {
                    self.add(*a, *b, h[(i, k)]);
                }
                for j in 0..3 {
                    self.add(*a, tangents + first + j, by_tension[(i, j)]);
                    self.add(tangents + first + j, *a, by_tension[(i, j)]);
                }
            }
        }
        let length = self.rod.length();
        let give = GIVE * length.powi(3) / self.rod.mean_stiffness();
        for j in 0..self.rod.tensions() {
            self.add(tangents + j, tangents + j, -give * self.weights[j].powi(2));
        }
        self.add_ends();
        if layout.held {
            let last = 3 * (self.rod.controls() - 1);
            for axis in 0..3 {
                if let Some((Slot::Inner(_, _, at), _)) = self.unknowns.maps[last + axis].first() {
                    self.columns[FORCE + axis][*at] += 1.0;
                }
                self.form[(FORCE + axis, MOVE_A + axis)] += 1.0;
                self.form[(MOVE_A + axis, FORCE + axis)] += 1.0;
            }
        }
        if layout.flows.contains(&true) {
            self.add_length();
        }
    }

    /// Adds an entry between two coordinates to what they move with.
    fn add(&mut self, a: usize, b: usize, value: f64) {
        if value == 0.0 {
            return;
        }
        for (row, p) in &self.unknowns.maps[a] {
            for (column, q) in &self.unknowns.maps[b] {
                let value = value * p * q;
                match (row, column) {
                    (Slot::Inner(g, i, _), Slot::Inner(h, k, _)) => {
                        self.matrix.add(&self.unknowns.pattern, (*g, *i), (*h, *k), value);
                    }
                    (Slot::Inner(_, _, at), Slot::Face(f)) => self.columns[*f][*at] += value,
                    (Slot::Face(_), Slot::Inner(..)) => {}
                    (Slot::Face(f), Slot::Face(g)) => self.form[(*f, *g)] += value,
                }
            }
        }
    }

    /// Control points beside held ends move along arcs: δ²(λ exp(ψ) t) = λ (ψ (ψ·t) − t |ψ|²) + 2 δλ ψ × t.
    fn add_ends(&mut self) {
        let controls = self.rod.controls();
        for (side, at, turn) in [(0, 1, 0), (1, controls - 2, 6)] {
            let Some(Slot::Inner(_, _, place)) = self.unknowns.reaches[side] else { continue };
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let (reach, t) = self.reach[side];
            let g = Vec3::new(self.raw[3 * at], self.raw[3 * at + 1], self.raw[3 * at + 2]) * sign;
            let arc = ((g * t.transpose() + t * g.transpose()) * 0.5 - Mat3::identity() * g.dot(&t)) * reach;
            let mut view = self.form.fixed_view_mut::<3, 3>(turn, turn);
            view += arc;
            let beside = t.cross(&g);
            for k in 0..3 {
                self.columns[turn + k][place] += beside[k];
            }
        }
    }

    /// How the residual changes with the length.
    fn add_length(&mut self) {
        let length = self.rod.length();
        let tangents = self.rod.tangent_count();
        let mut by = vec![0.0; self.raw.len()];
        for (k, point) in self.rod.points.iter().enumerate() {
            let e = k / POINTS;
            let first = self.rod.knots.first[e];
            let strain = &self.strains[k];
            let change = point.stiffness.component_mul(&strain.value) * (-point.weight / length.powi(2));
            let own = strain.first();
            let local = own[0] * change.x + own[1] * change.y + own[2] * change.z;
            for (i, value) in gather(&self.rod.rows(e, &point.values), &local).iter().enumerate() {
                by[self.rod.tangent_index(e, i)] += value;
            }
            let rho = strain.slope();
            let mut weight = self.gravity * point.mass;
            for pole in &self.poles {
                weight += pole.force(&self.positions[k]);
            }
            for i in 0..4 {
                let pull = rho * (-self.tensions[k] * point.weight * point.values.slope[i] / length.powi(2))
                    - weight * (point.weight * point.values.cubic[i]);
                for axis in 0..3 {
                    by[3 * (first + i) + axis] += pull[axis];
                }
            }
            let stretched = rho.norm_squared() / length.powi(2);
            for j in 0..3 {
                by[tangents + first + j] -=
                    0.5 * (stretched + 1.0) * point.weight * point.values.quadratic[j];
            }
        }
        for (a, value) in by.iter().enumerate() {
            for (slot, p) in &self.unknowns.maps[a] {
                match slot {
                    Slot::Inner(_, _, at) => self.columns[LENGTH][*at] += value * p,
                    Slot::Face(f) => {
                        self.form[(*f, LENGTH)] += value * p;
                        self.form[(LENGTH, *f)] += value * p;
                    }
                }
            }
        }
        self.form[(LENGTH, LENGTH)] += self.by_length[1];
    }

    /// Sorts a vector over coordinates into what they move with.
    pub(super) fn sort(&self, raw: &[f64], inner: &mut [f64], faces: &mut [f64; FACES]) {
        inner.fill(0.0);
        faces.fill(0.0);
        for (map, value) in self.unknowns.maps.iter().zip(raw) {
            for (slot, p) in map {
                match slot {
                    Slot::Inner(_, _, at) => inner[*at] += value * p,
                    Slot::Face(f) => faces[*f] += value * p,
                }
            }
        }
    }

    /// Elastic energy, and what loads and inertia store, of a trial state.
    pub(super) fn potential(&self, c: &[f64]) -> f64 {
        let length = self.rod.length();
        let frames = self.rod.joint_frames(c);
        let mut total = 0.0;
        for (k, point) in self.rod.points.iter().enumerate() {
            let e = k / POINTS;
            let place = self.rod.place(c, e, point.xi, &point.values, frames[e]);
            let over = place.strain() / length - point.rest;
            let x = self.rod.sum(c, e, &point.values.cubic);
            let mut own = 0.5 * point.stiffness.component_mul(&over).dot(&over);
            own -= point.mass * self.gravity.dot(&x);
            own += self.poles.iter().map(|p| p.energy(&x)).sum::<f64>();
            total += own * point.weight * length;
            if let Some(inertia) = &self.inertia {
                let (stiffness, target) = inertia.node(k);
                total += 0.5 * stiffness * (x - target).norm_squared();
                let (stiffness, target) = &inertia.frames[k];
                let turn = rotation::log(&(target.conjugate() * place.frame()));
                total += 0.5 * stiffness.dot(&turn.component_mul(&turn));
            }
        }
        for load in &self.loads {
            total -= load.world.0.dot(&self.rod.sum(c, load.element, &load.values.cubic));
        }
        total
    }
}

/// Moment with which inertia holds the frame of a point, world axes, N m, as a derivative of its energy.
fn held_turn(inertia: &Inertia, k: usize, strain: &Strain) -> Vec3 {
    let (stiffness, target) = &inertia.frames[k];
    let turn = rotation::log(&(target.conjugate() * strain.frame));
    rotation::rotate(&strain.frame, &stiffness.component_mul(&turn))
}
