//! Forces, residual and matrix of a spline rod at a state.
//!
//! The Lagrangian is E + Σ T_j ∫ N_j ½(|r′|² − 1) ds less the work of loads: T is the tension. All of it is local to
//! elements; a change of the length L acts on strains (u ~ 1/L), on r′ ~ 1/L and on the weight.

use super::SplineSpan;
use super::unknowns::{FACES, LENGTH, Slot};
use crate::algebra::{Mat3, Vec3, larger, rotation};
use crate::body::{Axes, Tap};
use crate::rod::kernel::{FORCE, Layout, MOVE_A, World, held_compliance};
use crate::rod::spline::strain::{HERE, Strain};
use crate::rod::spline::{ElementForm, ElementSum, POINTS, SplineRod, Values, gather};
use crate::rod::{Rod, State};
use nalgebra::SMatrix;

/// Coordinates of an element and its three tensions.
const COORDINATES: usize = 18;
/// How the frame of a place turns with the coordinates of its element, world axes.
pub(super) type Turning = SMatrix<f64, 3, 15>;

impl SplineSpan {
    /// The tension at a point of the quadrature, N.
    fn tension(&self, k: usize, coordinates: &[f64]) -> f64 {
        let first = self.rod.knots.first[k / POINTS];
        let n = &self.rod.points[k].values.quadratic;
        (0..3).map(|j| n[j] * coordinates[self.rod.tension_at(first + j)]).sum()
    }

    /// How the frame of a place turns.
    fn turning(&self, e: usize, strain: &Strain, values: &Values) -> Turning {
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
    pub(super) fn evaluate_here(&mut self, world: &World<'_>, state: &State) {
        let c = &state.rod.coordinates;
        let length = self.rod.length();
        self.gravity = world.gravity;
        self.taps.see(world.poles);
        self.raw.fill(0.0);
        self.by_length = [0.0; 2];
        self.strains.clear();
        self.firsts.clear();
        self.stored = [0.0; 2];
        self.positions.clear();
        self.tensions.clear();
        self.largest = (state.end_force.norm(), 0.0);
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        frames.extend(self.rod.joint_frames(c));
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
            let force = self.push(k, &x);
            let (held, energy) = self.taps.holding_moment(k, &strain.frame);
            self.stored[1] += energy + self.taps.energy(k, &x, point.weight * length);
            if held != Vec3::zeros() {
                let turning = self.turning(e, &strain, &point.values);
                let moment = rotation::rotate(&strain.frame, &held);
                for (i, value) in turning.tr_mul(&moment).iter().enumerate() {
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
            let elastic = 0.5 * stiff.dot(&over);
            let weight = -point.mass * self.gravity.dot(&x);
            self.stored[0] += elastic * point.weight * length;
            self.stored[1] += weight * point.weight * length;
            let held = weight + self.taps.spread_energy(&x);
            self.by_length[0] += point.weight
                * (elastic - stiff.dot(&strain.value) / length - 0.5 * tension * (stretched + 1.0) + held);
            let twice = point.stiffness.component_mul(&strain.value).dot(&strain.value) / length.powi(3);
            self.by_length[1] += point.weight * (twice + tension * stretched / length);
            self.largest.0 = larger(self.largest.0, tension.abs());
            self.largest.1 = larger(self.largest.1, stiff.norm());
            self.strains.push(strain);
            self.firsts.push(by);
            self.positions.push(x);
            self.tensions.push(tension);
        }
        self.add_loads(c, &frames);
        self.frames = frames;
        self.add_taps(c);
        let last = 3 * (self.rod.controls() - 1);
        for axis in 0..3 {
            self.raw[last + axis] -= state.end_force[axis];
        }
        self.stretch = 0.0;
        for (j, weight) in self.weights.iter().enumerate() {
            self.stretch = larger(self.stretch, self.raw[tangents + j].abs() / (weight * length));
        }
    }

    /// Weight, poles and inertia on point `k` of the quadrature, which is at `x`, N.
    fn push(&self, k: usize, x: &Vec3) -> Vec3 {
        let point = &self.rod.points[k];
        let length = point.weight * self.rod.length();
        self.gravity * (point.mass * length) + self.taps.force(k, x, length)
    }

    /// Where the taps are: their elements, and the values of the basis there.
    pub(super) fn tapped(&self) -> impl Iterator<Item = (&Tap, usize, Values)> {
        self.taps.places.iter().map(|tap| {
            let (element, xi) = self.rod.element_at(tap.share * self.rod.length());
            (tap, element, self.rod.knots.at(element, xi))
        })
    }

    /// Taps: forces at places.
    fn add_taps(&mut self, c: &[f64]) {
        let mut raw = std::mem::take(&mut self.raw);
        let mut energy = 0.0;
        for (tap, e, values) in self.tapped() {
            let x = self.rod.sum(c, e, &values.cubic);
            energy += tap.energy_at(&x);
            self.add_force(e, &values, &-tap.force_at(&x), &mut raw);
        }
        self.raw = raw;
        self.stored[1] += energy;
    }

    /// Adds a force at a place of an element to the control points.
    pub(super) fn add_force(&self, e: usize, values: &Values, force: &Vec3, raw: &mut [f64]) {
        let first = self.rod.knots.first[e];
        for i in 0..4 {
            for axis in 0..3 {
                raw[3 * (first + i) + axis] += values.cubic[i] * force[axis];
            }
        }
    }

    /// What pushes against the control points, but for bending and tension, at the last evaluation, N.
    pub(super) fn loads_on_controls(&self, state: &State) -> Vec<Vec3> {
        let mut out = vec![Vec3::zeros(); self.rod.controls()];
        let mut add = |e: usize, weights: &[f64; 4], force: &Vec3| {
            for (i, w) in weights.iter().enumerate() {
                out[self.rod.knots.first[e] + i] -= force * *w;
            }
        };
        for (k, (point, x)) in self.rod.points.iter().zip(&self.positions).enumerate() {
            add(k / POINTS, &point.values.cubic, &self.push(k, x));
        }
        for load in &self.loads {
            add(load.element, &load.values.cubic, &load.world.0);
        }
        for (tap, e, values) in self.tapped() {
            add(e, &values.cubic, &tap.force_at(&self.rod.sum(&state.rod.coordinates, e, &values.cubic)));
        }
        out[self.rod.controls() - 1] -= state.end_force;
        out
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
            self.stored[1] -= load.world.0.dot(&self.rod.sum(c, e, &load.values.cubic));
            let turns = load.moment != Vec3::zeros() || load.axes == Axes::Material;
            let turning = turns.then(|| self.turning(e, &strain, &load.values));
            let mut raw = std::mem::take(&mut self.raw);
            self.book(&load, turning.as_ref(), &load.world, &mut raw);
            self.raw = raw;
            self.load_turns[index] = turning;
        }
    }

    /// Subtracts a force and a moment at the place of a load, with its share in every coordinate.
    pub(super) fn book(
        &self,
        load: &super::Load,
        turning: Option<&Turning>,
        (force, moment): &(Vec3, Vec3),
        raw: &mut [f64],
    ) {
        self.add_force(load.element, &load.values, &-force, raw);
        if let Some(turning) = turning {
            for (i, value) in turning.tr_mul(moment).iter().enumerate() {
                raw[self.rod.tangent_index(load.element, i)] -= value;
            }
        }
    }

    /// Work of dead moments along the step: they have no potential.
    pub(super) fn moment_work(&self) -> f64 {
        self.turning_loads().map(|(load, turning)| load.world.1.dot(&self.turn_of(load, turning))).sum()
    }

    /// Loads without potential, and how their places turn.
    pub(super) fn turning_loads(&self) -> impl Iterator<Item = (&super::Load, &Turning)> {
        self.loads.iter().zip(&self.load_turns).filter_map(|(load, turning)| Some((load, turning.as_ref()?)))
    }

    /// Rotation of the place of a load along the step, rad.
    pub(super) fn turn_of(&self, load: &super::Load, turning: &Turning) -> Vec3 {
        (0..15).map(|i| turning.column(i) * self.step.raw[self.rod.tangent_index(load.element, i)]).sum()
    }

    /// The second derivative over an element: its coordinates, then its three tensions.
    fn element_form(
        &self,
        e: usize,
        shift: f64,
        regularisation: f64,
    ) -> SMatrix<f64, COORDINATES, COORDINATES> {
        let length = self.rod.length();
        let mut sum = ElementSum::zeros();
        let mut others = ElementForm::zeros();
        let mut by_tension = SMatrix::<f64, 12, 3>::zeros();
        let share = self.rod.knots.share(e);
        for k in POINTS * e..POINTS * (e + 1) {
            let point = &self.rod.points[k];
            let strain = &self.strains[k];
            let mut local = self.rod.stiffness_form(point, strain, &self.firsts[k], shift);
            let pull = self.tensions[k] * point.weight / length;
            let t = strain.tangent_by();
            let quiet = t.tr_mul(t) * (regularisation * point.weight * length);
            let mut here = local.fixed_view_mut::<3, 3>(HERE, HERE);
            here += Mat3::identity() * pull + quiet;
            sum.add(&point.values, &local);
            let rho = strain.slope();
            for i in 0..4 {
                for j in 0..3 {
                    let by = point.weight * point.values.quadratic[j] * point.values.slope[i] / length;
                    let mut view = by_tension.fixed_view_mut::<3, 1>(3 * i, j);
                    view += rho * by;
                }
            }
            let held = self.taps.stiffness(k, &self.positions[k], point.weight * length);
            let stiffness = self.taps.turning_stiffness(k);
            if stiffness != Vec3::zeros() {
                let r = rotation::matrix(&strain.frame);
                let turning = self.turning(e, strain, &point.values);
                others += turning.tr_mul(&(r * Mat3::from_diagonal(&stiffness) * r.transpose() * turning));
            }
            if held != Mat3::zeros() {
                SplineRod::add_outer(&mut others, &point.values.cubic, &held);
            }
        }
        for (tap, _, values) in self.tapped().filter(|(_, element, _)| *element == e) {
            SplineRod::add_outer(&mut others, &values.cubic, &tap.stiffness);
            if let Some(roll) = &tap.roll {
                // y = Σ c·δp over the control points.
                let by_control = |i: usize| roll.by_move * values.cubic[i] + roll.by_slope * values.slope[i];
                let c = SMatrix::<f64, 15, 1>::from_fn(
                    |i, _| if i < 12 { by_control(i / 3)[i % 3] } else { 0.0 },
                );
                others += c * c.transpose() * roll.stiffness;
            }
        }
        let mut h = sum.form(self.rod.joints[e]) + others;
        for k in 12..14 {
            h[(k, k)] += 0.5 * regularisation * share * length;
        }
        let mut out = SMatrix::<f64, COORDINATES, COORDINATES>::zeros();
        out.fixed_view_mut::<15, 15>(0, 0).copy_from(&h);
        out.fixed_view_mut::<12, 3>(0, 15).copy_from(&by_tension);
        out.fixed_view_mut::<3, 12>(15, 0).copy_from(&by_tension.transpose());
        out
    }

    /// Assembles the matrix inside, the columns of the interface and its own form.
    pub(super) fn assemble(&mut self, layout: &Layout, shift: f64, regularisation: f64) {
        self.matrix.clear();
        self.form.fill(0.0);
        self.columns.iter_mut().for_each(|column| column.fill(0.0));
        let tangents = self.rod.tangent_count();
        for e in 0..self.rod.elements() {
            let h = self.element_form(e, shift, regularisation);
            let first = self.rod.knots.first[e];
            let index: [usize; COORDINATES] = std::array::from_fn(|i| match i {
                0..15 => self.rod.tangent_index(e, i),
                _ => tangents + first + i - 15,
            });
            for (i, a) in index.iter().enumerate() {
                for (k, b) in index.iter().enumerate() {
                    self.add(*a, *b, h[(i, k)]);
                }
            }
            self.add_start(&index, &h);
        }
        let length = self.rod.length();
        let compliance = held_compliance(length, self.rod.mean_stiffness(), self.largest.0);
        for j in 0..self.rod.tensions() {
            self.add(tangents + j, tangents + j, -compliance * self.weights[j].powi(2));
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

    /// All control points of an element move with the start.
    fn add_start(&mut self, index: &[usize; COORDINATES], h: &SMatrix<f64, COORDINATES, COORDINATES>) {
        for axis in 0..3 {
            let mut all = [0.0; 3];
            for (i, a) in index.iter().enumerate() {
                let sum: f64 = (0..4).map(|c| h[(i, 3 * c + axis)]).sum();
                if i < 12 {
                    all[i % 3] += sum;
                }
                for (slot, p) in &self.unknowns.maps[*a] {
                    match slot {
                        Slot::Inner(_, _, at) => self.columns[MOVE_A + axis][*at] += p * sum,
                        Slot::Face(f) => {
                            self.form[(*f, MOVE_A + axis)] += p * sum;
                            self.form[(MOVE_A + axis, *f)] += p * sum;
                        }
                    }
                }
            }
            for (other, sum) in all.iter().enumerate() {
                self.form[(MOVE_A + other, MOVE_A + axis)] += sum;
            }
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
                    // The other half is the same.
                    (Slot::Inner(g, ..), Slot::Inner(h, ..)) if g < h => {}
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
        let mut by = std::mem::take(&mut self.spare);
        by.clear();
        by.resize(self.raw.len(), 0.0);
        for (k, point) in self.rod.points.iter().enumerate() {
            let e = k / POINTS;
            let first = self.rod.knots.first[e];
            let strain = &self.strains[k];
            let change = point.stiffness.component_mul(&strain.value) * (-point.weight / length.powi(2));
            let own = &self.firsts[k];
            let local = own[0] * change.x + own[1] * change.y + own[2] * change.z;
            for (i, value) in gather(&self.rod.rows(e, &point.values), &local).iter().enumerate() {
                by[self.rod.tangent_index(e, i)] += value;
            }
            let rho = strain.slope();
            let weight = self.gravity * point.mass + self.taps.spread_force(&self.positions[k]);
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
            if a < 3 * self.rod.controls() {
                self.form[(MOVE_A + a % 3, LENGTH)] += value;
                self.form[(LENGTH, MOVE_A + a % 3)] += value;
            }
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
        self.spare = by;
        self.form[(LENGTH, LENGTH)] += self.by_length[1];
    }

    /// Sorts a vector over coordinates into what they move with.
    pub(super) fn sort(&self, raw: &[f64], inner: &mut [f64], faces: &mut [f64; FACES]) {
        inner.fill(0.0);
        faces.fill(0.0);
        for (a, (map, value)) in self.unknowns.maps.iter().zip(raw).enumerate() {
            if a < 3 * self.rod.controls() {
                faces[MOVE_A + a % 3] += value;
            }
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
        let mut total = 0.0;
        let mut k = 0;
        self.rod.over_points(c, |e, point, place| {
            let over = place.strain() / length - point.rest;
            let x = self.rod.sum(c, e, &point.values.cubic);
            let mut own = 0.5 * point.stiffness.component_mul(&over).dot(&over);
            own -= point.mass * self.gravity.dot(&x);
            total += own * point.weight * length + self.taps.energy(k, &x, point.weight * length);
            if self.taps.turning_stiffness(k) != Vec3::zeros() {
                total += self.taps.holding_moment(k, &place.frame()).1;
            }
            k += 1;
        });
        for (tap, e, values) in self.tapped() {
            total += tap.energy_at(&self.rod.sum(c, e, &values.cubic));
        }
        for load in &self.loads {
            total -= load.world.0.dot(&self.rod.sum(c, load.element, &load.values.cubic));
        }
        total
    }
}
