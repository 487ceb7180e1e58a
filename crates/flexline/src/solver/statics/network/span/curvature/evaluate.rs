//! Shape, forces and derivatives of a curvature rod at a state.
//!
//! Forwards along the rod: frames, positions, and Θ_a = ∫ R φ_a dσ, how a frame turns with the
//! coordinates of its element. Backwards: the force n beyond a place and its moment M about it,
//!
//! ```text
//! n = φ + ∫ f ds,     M = µ + ∫ (d3 × n + l) ds.
//! ```
//!
//! The loads do the work ∫ M·δΘ′, so the balance is ∂E/∂v_a = ∫ φ_a RᵀM dσ. The second variation along
//! Θ = ψ + Σ Θ_a v_a, with rotations along geodesics, is
//!
//! ```text
//! Σ v·A v/L − ∫ M·(Θ × Θ′) dσ − L ∫ [(n·Θ)(d3·Θ) − (n·d3)|Θ|²] dσ.
//! ```

use super::form::{Change, FIRST, Form, MOVE, SECOND, TURN, Transfer};
use super::{CurvatureSpan, Inertia};
use crate::algebra::collocation::{Collocation, POINTS};
use crate::algebra::rotation::skew;
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::rod::curvature::Basis;
use crate::rod::curvature::walk::{Piece, PieceShape};
use crate::solver::problem::Axes;

/// A node of the quadrature.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Its weight, as a share of the rod.
    weight: f64,
    shapes: [f64; 2],
    pub(super) rotation: Mat3,
    pub(super) frame: Quat,
    pub(super) position: Vec3,
    /// Θ_0 and Θ_1.
    turn: [Mat3; 2],
    /// ∂x/∂v_0 and ∂x/∂v_1 from the beginning of the element, m; in motion only.
    shift: [Mat3; 2],
    /// Dead force per length, N/m, follower loads as they are here.
    dead: Vec3,
    /// Dead moment per length, N.
    moment: Vec3,
    /// Weight times n, N.
    n: Vec3,
    /// Weight times M, N m.
    m: Vec3,
    /// Weight times ∂M/∂L, N.
    m_by_length: Vec3,
}

impl Point {
    /// How the node moves with (ψ, x, v₀, v₁) of its element, which begins at `begin`.
    fn moved(&self, begin: &Vec3) -> [Mat3; 4] {
        [-skew(&(self.position - begin)), Mat3::identity(), self.shift[0], self.shift[1]]
    }
}

impl Default for Point {
    fn default() -> Self {
        let zero = Vec3::zeros();
        Self {
            weight: 0.0,
            shapes: [0.0; 2],
            rotation: Mat3::identity(),
            frame: rotation::identity(),
            position: zero,
            turn: [Mat3::zeros(); 2],
            shift: [Mat3::zeros(); 2],
            dead: zero,
            moment: zero,
            n: zero,
            m: zero,
            m_by_length: zero,
        }
    }
}

/// Forces and moments at one place, integrated from the end.
#[derive(Clone, Copy, Debug)]
struct Beyond {
    n: Vec3,
    m: Vec3,
    /// The part of M that is moments, not forces on levers.
    pure: Vec3,
    /// ∂n/∂L, N/m, and L ∫ d3 × ∂n/∂L dσ, N.
    n_by_length: Vec3,
    m_by_length: Vec3,
}

impl CurvatureSpan {
    /// Chooses pieces for the present curvatures, and what lies on them.
    pub(super) fn choose_pieces(&mut self, coordinates: &[f64]) {
        let mut wanted = std::mem::take(&mut self.wanted);
        if self.inertia.is_some() {
            wanted.clear();
            wanted.extend_from_slice(self.rod.fixed_pieces());
        } else {
            self.rod.pieces_for(&|e| self.rod.ends(coordinates, e), &mut wanted);
        }
        if !self.poles.is_empty() {
            wanted.iter_mut().for_each(|p| p.nodes = POINTS);
            // Where a rod enters a pole its quadrature is not exact: were pieces joined as soon as they may be, two
            // choices could each find their equilibrium where the other is chosen. Pieces that a wild step has left
            // behind are not kept.
            let by_element = |a: &Piece, b: &Piece| a.element == b.element;
            let pairs = self.pieces.chunk_by(by_element).zip(wanted.chunk_by(by_element));
            let kept = |now: usize, next: usize| now > next && now <= 2 * next;
            if pairs.clone().any(|(now, next)| kept(now.len(), next.len())) {
                wanted = pairs
                    .flat_map(|(now, next)| if kept(now.len(), next.len()) { now } else { next })
                    .copied()
                    .collect();
            }
        }
        if wanted != self.pieces || self.points.is_empty() {
            self.pieces.clone_from(&wanted);
            self.matter = self.rod.matter_of(&self.pieces);
            self.points.resize(POINTS * self.pieces.len(), Point::default());
            self.loads.read(&self.rod, &self.pieces, &self.point_loads, &self.distributed_loads);
        }
        self.wanted = wanted;
    }

    /// Forwards: shape and loads.
    pub(super) fn go_forwards(&mut self, coordinates: &[f64]) {
        let Self { rod, pieces, points, loads, matter, gravity, starts, .. } = self;
        starts.clear();
        let mut end = rod.base(coordinates);
        rod.walk(coordinates, pieces, |p, shape| {
            let piece = &pieces[p];
            let rule = piece.rule();
            starts.push(shape.start);
            for (k, (node, j)) in points[piece.places(p)].iter_mut().zip(piece.places(p)).enumerate() {
                node.weight = shape.half * rule.weights[k];
                node.shapes = rod.shapes(piece.share(rule.nodes[k]));
                node.rotation = shape.rotations[k];
                node.frame = shape.frames[k];
                node.position = shape.positions[k];
                node.dead = *gravity * matter[j].0;
                node.moment = Vec3::zeros();
                if let Some(spread) = loads.spread.get(j) {
                    node.dead += spread.world.0 + node.rotation * spread.material.0;
                    node.moment = spread.world.1 + node.rotation * spread.material.1;
                }
            }
            end = shape.end;
        });
        self.end = end;
        self.differentiated = false;
        if self.has_moments() {
            self.differentiate();
        }
    }

    /// How frames and positions of the last evaluation change with the coordinates of their elements: what the matrix
    /// needs, and the residual does not.
    pub(super) fn differentiate(&mut self) {
        if self.differentiated {
            return;
        }
        self.differentiated = true;
        let Self { rod, pieces, points, transfers, inertia, starts, poles, end, .. } = self;
        let moving = inertia.is_some() || !poles.is_empty();
        let first_shape = if rod.basis() == Basis::Helix { 1 } else { 0 };
        transfers.resize(rod.elements(), Transfer::default());
        let mut begin = Vec3::zeros();
        for (p, piece) in pieces.iter().enumerate() {
            let rule = piece.rule();
            let own = &mut transfers[piece.element];
            if piece.from == 0.0 {
                begin = starts[p].0;
                *own = Transfer::default();
            }
            let half = 0.5 * rod.shares[piece.element] * (piece.to - piece.from);
            let nodes = &mut points[piece.places(p)];
            for a in first_shape..2 {
                integrate_turn(rule, half, own, nodes, a);
            }
            let scale = rod.length * half;
            for a in first_shape..2 {
                // ∂x = ∫ Θ × d3 ds.
                let mut rates = [Mat3::zeros(); POINTS];
                for (rate, node) in rates.iter_mut().zip(nodes.iter()) {
                    *rate = -(skew(&node.rotation.column(2).into()) * node.turn[a]) * scale;
                }
                if moving {
                    for (k, node) in nodes.iter_mut().enumerate() {
                        node.shift[a] = own.shift[a];
                        for j in 0..rule.count {
                            node.shift[a] += rates[j] * rule.upto[k][j];
                        }
                    }
                }
                for k in 0..rule.count {
                    own.shift[a] += rates[k] * rule.weights[k];
                }
            }
            own.chord = starts.get(p + 1).map_or(end.0, |s| s.0) - begin;
        }
    }

    /// Whether moments act along the rod: their work is asked for step by step.
    fn has_moments(&self) -> bool {
        !self.loads.spread.is_empty() || self.loads.at.iter().any(|l| l.moment != Vec3::zeros())
    }

    /// Backwards: forces, and the residual of every coordinate.
    pub(super) fn go_backwards(&mut self, coordinates: &[f64], force: &Vec3, moment: &Vec3) {
        let length = self.rod.length;
        self.gradient.clear();
        self.gradient.resize(self.rod.curvatures(), Vec3::zeros());
        self.base_force = Vec3::zeros();
        for e in 0..self.rod.elements() {
            let v = self.rod.pair(coordinates, e);
            for which in 0..2 {
                if let Some(i) = self.rod.place(e, which) {
                    self.gradient[i] += self.stiffness[e].gradient(&v, length, which);
                }
            }
        }
        let zero = Vec3::zeros();
        let mut at = Beyond { n: *force, m: *moment, pure: *moment, n_by_length: zero, m_by_length: zero };
        self.largest = (force.norm(), moment.norm());
        self.end_inner = (*force, *moment);
        let last = self.pieces.len().saturating_sub(1);
        for load in &self.loads.at[self.loads.of(last)] {
            if load.x >= 1.0 {
                self.end_inner.0 += load.world.0;
                self.end_inner.1 += load.world.1;
            }
        }
        self.inner.resize(self.pieces.len(), (zero, zero));
        for p in (0..self.pieces.len()).rev() {
            at = self.piece_backwards(p, &at);
            self.inner[p] = (at.n, at.m);
            self.largest = (self.largest.0.max(at.n.norm()), self.largest.1.max(at.m.norm()));
            let element = self.pieces[p].element;
            for node in &self.points[self.pieces[p].places(p)] {
                let m = node.rotation.tr_mul(&node.m);
                for which in 0..2 {
                    if let Some(i) = self.rod.place(element, which) {
                        self.gradient[i] -= m * node.shapes[which];
                    }
                }
            }
        }
        self.base_force = -at.n;
        self.base_moment = -at.m;
        self.base_by_length = (-at.n_by_length, -((at.m - at.pure) / length + at.m_by_length));
    }

    /// Forces at the nodes of a piece, given those at its end; returns those at its start.
    fn piece_backwards(&mut self, p: usize, end: &Beyond) -> Beyond {
        let (rule, places) = (self.pieces[p].rule(), self.pieces[p].places(p));
        let length = self.rod.length;
        let nodes = &mut self.points[places.clone()];
        let half: f64 = 0.5 * nodes.iter().map(|n| n.weight).sum::<f64>();
        let scale = length * half;
        let (mut force, mut moment) = ([Vec3::zeros(); POINTS], [Vec3::zeros(); POINTS]);
        for (k, node) in nodes.iter().enumerate() {
            force[k] = node.dead;
            moment[k] = node.moment;
            for pole in &self.poles {
                force[k] += pole.force(&node.position);
            }
            if let Some(inertia) = &self.inertia {
                let (f, m) = held_back(inertia, places.start + k, node);
                force[k] += f / (length * node.weight);
                moment[k] += m / (length * node.weight);
            }
        }
        // Integrals from a node to the end of the piece.
        let rest = |of: &[Vec3; POINTS]| -> ([Vec3; POINTS], Vec3) {
            let n = rule.count;
            let whole: Vec3 = (0..n).map(|k| of[k] * rule.weights[k]).sum();
            let mut beyond = [whole; POINTS];
            for (own, upto) in beyond[..n].iter_mut().zip(&rule.upto) {
                for j in 0..n {
                    *own -= of[j] * upto[j];
                }
                *own *= scale;
            }
            (beyond, whole * scale)
        };
        let (forces, force_all) = rest(&force);
        let mut turning = moment;
        for (k, node) in nodes.iter().enumerate() {
            turning[k] += node.rotation.column(2).cross(&(end.n + forces[k]));
        }
        let (moments, moment_all) = rest(&turning);
        let mut start = Beyond { n: end.n + force_all, m: end.m + moment_all, pure: end.pure, ..*end };
        for (k, node) in nodes.iter_mut().enumerate() {
            node.n = (end.n + forces[k]) * node.weight;
            node.m = (end.m + moments[k]) * node.weight;
        }
        if self.length_matters {
            // The weight grows with the length, and so do all levers.
            let (mut weight, mut rate) = ([Vec3::zeros(); POINTS], [Vec3::zeros(); POINTS]);
            for (w, j) in weight.iter_mut().zip(places.clone()) {
                *w = self.gravity * (self.matter[j].0 / length);
            }
            let (weights, weight_all) = rest(&weight);
            for (k, node) in nodes.iter().enumerate() {
                rate[k] = node.rotation.column(2).cross(&(end.n_by_length + weights[k]));
            }
            let (rates, rate_all) = rest(&rate);
            let (pure, pure_all) = rest(&moment);
            for (k, node) in nodes.iter_mut().enumerate() {
                let levers = (end.m + moments[k] - end.pure - pure[k]) / length;
                node.m_by_length = (levers + end.m_by_length + rates[k]) * node.weight;
            }
            start.n_by_length += weight_all;
            start.m_by_length += rate_all;
            start.pure += pure_all;
        }
        for index in self.loads.of(p) {
            let (at, frame) = self.place(p, index);
            let load = &mut self.loads.at[index];
            load.world = match load.axes {
                Axes::World => (load.force, load.moment),
                Axes::Material => {
                    (rotation::rotate(&frame, &load.force), rotation::rotate(&frame, &load.moment))
                }
            };
            let (force, moment) = load.world;
            let upto = load.upto;
            let nodes = &mut self.points[places.clone()];
            for (k, node) in nodes.iter_mut().enumerate() {
                let weight = half * upto[k];
                let lever = (at - node.position).cross(&force);
                node.n += force * weight;
                node.m += (lever + moment) * weight;
                node.m_by_length += lever * (weight / length);
            }
            let from = self.starts[p].0;
            start.n += force;
            start.m += (at - from).cross(&force) + moment;
            start.pure += moment;
        }
        start
    }

    /// Position and frame of a load.
    fn place(&self, p: usize, load: usize) -> (Vec3, Quat) {
        let own = &self.loads.at[load];
        let nodes = &self.points[self.pieces[p].places(p)];
        let half: f64 = 0.5 * nodes.iter().map(|n| n.weight).sum::<f64>();
        let mut at = self.starts[p].0;
        for (k, node) in nodes.iter().enumerate() {
            at += node.rotation.column(2) * (self.rod.length * half * own.upto[k]);
        }
        let rule = self.pieces[p].rule();
        let nearest = (0..rule.count)
            .min_by(|a, b| (rule.nodes[*a] - own.x).abs().total_cmp(&(rule.nodes[*b] - own.x).abs()))
            .unwrap_or(0);
        // From the nearest node at the rate there: exact enough for the direction of a follower.
        let piece = &self.pieces[p];
        let u = self.rate(piece.element, piece.share(0.5 * (own.x + rule.nodes[nearest])));
        let frame = nodes[nearest].frame * rotation::exp(&(u * (half * (own.x - rule.nodes[nearest]))));
        (at, frame)
    }

    /// Adds the element's part of the second derivative, and how its residual changes with the length.
    pub(super) fn add_element(
        &self,
        e: usize,
        shift: f64,
        whisper: f64,
        h: &mut Form,
        by_length: &mut Change,
    ) {
        let length = self.rod.length;
        let first = if self.rod.basis() == Basis::Helix { 1 } else { 0 };
        let s = &self.stiffness[e];
        for a in first..2 {
            for b in a..2 {
                let own = Mat3::from_diagonal(&s.a[a + b]) * ((1.0 + shift) / length);
                h.add(FIRST + a, FIRST + b, &own);
            }
        }
        h.add(TURN, TURN, &(Mat3::identity() * (whisper * self.rod.shares[e] * length)));
        let mut psi = Mat3::zeros();
        let mut beside = [Mat3::zeros(); 2];
        let mut own = [Mat3::zeros(); 3];
        for node in self.element_points(e) {
            let d3: Vec3 = node.rotation.column(2).into();
            let bend = (Mat3::identity() * node.n.dot(&d3)
                - (node.n * d3.transpose() + d3 * node.n.transpose()) * 0.5)
                * length;
            let twirl = skew(&node.m) * node.rotation;
            psi += bend;
            let mut bent = [Mat3::zeros(); 2];
            for a in first..2 {
                bent[a] = bend * node.turn[a];
                beside[a] += bent[a] + twirl * (0.5 * node.shapes[a]);
            }
            let twirled = node.turn.map(|turn| turn.tr_mul(&twirl));
            for (k, (a, b)) in [(0, 0), (0, 1), (1, 1)].into_iter().enumerate() {
                if a >= first {
                    let across = twirled[a] * (0.5 * node.shapes[b])
                        + (twirled[b] * (0.5 * node.shapes[a])).transpose();
                    own[k] += node.turn[a].tr_mul(&bent[b]) + across;
                }
            }
        }
        h.add(TURN, TURN, &psi);
        for a in first..2 {
            h.add(TURN, FIRST + a, &beside[a]);
            h.add(FIRST + a, FIRST + a, &own[2 * a]);
        }
        h.add(FIRST, SECOND, &own[1]);
        if !self.poles.is_empty() {
            self.add_poles(e, h);
        }
        if let Some(inertia) = &self.inertia {
            self.add_inertia(inertia, e, h);
        }
        if self.length_matters {
            self.add_length_column(e, by_length);
        }
    }

    /// What poles add: δx·H δx at every node.
    fn add_poles(&self, e: usize, h: &mut Form) {
        let begin = self.begin_of(e);
        for node in self.element_points(e) {
            for pole in self.poles.iter().filter(|p| p.depth(&node.position) > 0.0) {
                let x = node.moved(&begin);
                let stiffness = pole.hessian(&node.position) * (node.weight * self.rod.length);
                for (j, by) in x.iter().enumerate() {
                    let pushed = stiffness * by;
                    for (i, own) in x[..=j].iter().enumerate() {
                        h.add(i, j, &own.tr_mul(&pushed));
                    }
                }
            }
        }
    }

    /// What inertia adds: k |δx|² and δΘ·k δΘ at every node, where δx = x + ψ × r + Σ S_a v_a and
    /// δΘ = ψ + Σ Θ_a v_a.
    fn add_inertia(&self, inertia: &Inertia, e: usize, h: &mut Form) {
        let begin = self.begin_of(e);
        let first = if self.rod.basis() == Basis::Helix { 1 } else { 0 };
        let (mut mass, mut moment, mut turn) = (0.0, Vec3::zeros(), Mat3::zeros());
        let (mut by_move, mut by_turn) = ([Mat3::zeros(); 2], [Mat3::zeros(); 2]);
        let mut own = [Mat3::zeros(); 3];
        const PAIRS: [(usize, usize); 3] = [(0, 0), (0, 1), (1, 1)];
        for j in self.element_places(e) {
            let node = &self.points[j];
            let (k, _) = inertia.nodes[j];
            let r = node.position - begin;
            mass += k;
            moment += r * k;
            turn += (Mat3::identity() * r.norm_squared() - r * r.transpose()) * k;
            let arm = skew(&(r * k));
            for a in first..2 {
                by_move[a] += node.shift[a] * k;
                by_turn[a] += arm * node.shift[a];
            }
            for (sum, (a, b)) in own.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a >= first) {
                *sum += node.shift[a].tr_mul(&(node.shift[b] * k));
            }
            let (k, _) = inertia.frames[j];
            if k == Vec3::zeros() {
                continue;
            }
            let spin = node.rotation * Mat3::from_diagonal(&k) * node.rotation.transpose();
            turn += spin;
            let turned = [spin * node.turn[0], spin * node.turn[1]];
            for a in first..2 {
                by_turn[a] += turned[a];
            }
            for (sum, (a, b)) in own.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a >= first) {
                *sum += node.turn[a].tr_mul(&turned[b]);
            }
        }
        h.add(TURN, TURN, &turn);
        h.add(TURN, MOVE, &skew(&moment));
        h.add(MOVE, MOVE, &(Mat3::identity() * mass));
        for a in first..2 {
            h.add(TURN, FIRST + a, &by_turn[a]);
            h.add(MOVE, FIRST + a, &by_move[a]);
        }
        for (sum, (a, b)) in own.iter().zip(PAIRS) {
            h.add(FIRST + a, FIRST + b, sum);
        }
    }

    /// How the residual of the element's coordinates changes with the length.
    fn add_length_column(&self, e: usize, by_length: &mut Change) {
        let length = self.rod.length;
        let s = &self.stiffness[e];
        for which in 0..2 {
            if self.rod.place(e, which).is_none() {
                continue;
            }
            let mut c = s.gradient_by_length(&self.pairs[e], length, which);
            for node in self.element_points(e) {
                c -= node.rotation.tr_mul(&node.m_by_length) * node.shapes[which];
            }
            by_length[FIRST + which] += c;
        }
    }

    /// The element's own residual: coordinates are booked with the element that has them as its second.
    pub(super) fn element_residual(&self, e: usize) -> Change {
        let mut r = Change::default();
        if let Some(i) = self.rod.place(e, 1) {
            r[SECOND] = self.gradient[i];
        }
        if e == 0 && self.rod.place(0, 0).is_some() {
            r[FIRST] = self.gradient[0];
        }
        r
    }

    /// Elastic energy, and what loads and inertia store, of a trial state; position and frame of its end.
    pub(super) fn trial_energy(&self, state: &crate::rod::RodState) -> (f64, (Vec3, Quat)) {
        let length = self.rod.length;
        let mut total = self.elastic(&state.coordinates);
        let mut end = self.rod.base(&state.coordinates);
        self.rod.walk(&state.coordinates, &self.pieces, |p, shape: &PieceShape| {
            let piece = &self.pieces[p];
            let rule = piece.rule();
            for (k, j) in piece.places(p).enumerate() {
                let node = &self.points[j];
                let length_here = length * shape.half * rule.weights[k];
                for pole in &self.poles {
                    total += pole.energy(&shape.positions[k]) * length_here;
                }
                total -= node.dead.dot(&shape.positions[k]) * (length * shape.half * rule.weights[k]);
                if let Some(inertia) = &self.inertia {
                    let (stiffness, target) = inertia.nodes[j];
                    total += 0.5 * stiffness * (shape.positions[k] - target).norm_squared();
                    let (stiffness, target) = &inertia.frames[j];
                    let turn = rotation::log(&(target.conjugate() * shape.frames[k]));
                    total += 0.5 * stiffness.dot(&turn.component_mul(&turn));
                }
            }
            for load in &self.loads.at[self.loads.of(p)] {
                let mut at = shape.start.0;
                for k in 0..rule.count {
                    at += shape.rotations[k].column(2) * (length * shape.half * load.upto[k]);
                }
                total -= load.world.0.dot(&at);
            }
            end = shape.end;
        });
        (total, end)
    }

    /// Work of dead moments along the step: they have no potential.
    pub(super) fn moment_work_of(&self, e: usize, step: &Change) -> f64 {
        if !self.has_moments() {
            return 0.0;
        }
        let spread = !self.loads.spread.is_empty();
        let turn = |node: &Point| step[TURN] + node.turn[0] * step[FIRST] + node.turn[1] * step[SECOND];
        let mut work = 0.0;
        for node in self.element_points(e).filter(|_| spread) {
            work += node.moment.dot(&turn(node)) * (node.weight * self.rod.length);
        }
        for load in &self.loads.at {
            if self.pieces[load.piece].element != e {
                continue;
            }
            let nodes = &self.points[self.pieces[load.piece].places(load.piece)];
            // The rotation there: from the beginning of the piece, at the rates of its nodes.
            let half: f64 = 0.5 * nodes.iter().map(|n| n.weight).sum::<f64>();
            let mut there = self.turn_at_start(load.piece, step);
            for (k, node) in nodes.iter().enumerate() {
                let rate = step[FIRST] * node.shapes[0] + step[SECOND] * node.shapes[1];
                there += node.rotation * rate * (half * load.upto[k]);
            }
            work += load.world.1.dot(&there);
        }
        work
    }

    /// Rotation of the frame at the beginning of a piece along the step of its element.
    fn turn_at_start(&self, p: usize, step: &Change) -> Vec3 {
        let mut turn = step[TURN];
        let element = self.pieces[p].element;
        for q in (0..p).rev().take_while(|q| self.pieces[*q].element == element) {
            for node in &self.points[self.pieces[q].places(q)] {
                let rate = step[FIRST] * node.shapes[0] + step[SECOND] * node.shapes[1];
                turn += node.rotation * rate * node.weight;
            }
        }
        turn
    }

    /// ∫ |K⁻¹Rᵀm − (u − û)| ds over an element, rad. The coordinates meet it on average; what is left is
    /// what its shape functions cannot follow.
    pub(super) fn missed_by(&self, e: usize) -> f64 {
        let length = self.rod.length;
        let before: f64 = self.rod.shares[..e].iter().sum();
        let mut missed = 0.0;
        for j in self.element_places(e) {
            let (node, piece) = (&self.points[j], &self.pieces[j / POINTS]);
            let t = piece.share(piece.rule().nodes[j % POINTS]);
            let s = (before + self.rod.shares[e] * t) * length;
            let stiffness = self.rod.section_at(s).stiffness;
            let balanced = node.rotation.tr_mul(&(node.m / node.weight)).component_div(&stiffness);
            let own: Vec3 = (0..2)
                .map(|a| (self.pairs[e][a] / length - self.stiffness[e].rest[a]) * node.shapes[a])
                .sum();
            missed += (balanced - own).norm() * node.weight * length;
        }
        missed
    }

    /// −∫ f·r ds of the weight, J.
    pub(super) fn weight_energy(&self) -> f64 {
        let nodes = self.pieces.iter().enumerate().flat_map(|(p, piece)| piece.places(p));
        let work: f64 = nodes
            .map(|j| (&self.points[j], self.matter[j].0))
            .map(|(node, mass)| self.gravity.dot(&node.position) * (mass * node.weight))
            .sum();
        -work * self.rod.length
    }

    /// ∂(energy of the loads)/∂L and its second derivative: −∫ n·d3 − ∫ f·r, and −2 ∫ f·(r − r_0)/L.
    pub(super) fn length_terms(&self) -> (f64, f64) {
        let begin = self.starts.first().map_or_else(Vec3::zeros, |s| s.0);
        let (mut first, mut second) = (0.0, 0.0);
        let nodes = self.pieces.iter().enumerate().flat_map(|(p, piece)| piece.places(p));
        for (j, node) in nodes.map(|j| (j, &self.points[j])) {
            let weight = self.gravity * (self.matter[j].0 * node.weight);
            first += self.poles.iter().map(|p| p.energy(&node.position)).sum::<f64>() * node.weight;
            first -= node.n.dot(&node.rotation.column(2)) + weight.dot(&node.position);
            second -= 2.0 * weight.dot(&(node.position - begin)) / self.rod.length;
        }
        (first, second)
    }
}

/// Adds ∫ R φ_a dσ over a piece to what its element has so far, and sets it at the nodes.
fn integrate_turn(rule: &Collocation, half: f64, own: &mut Transfer, nodes: &mut [Point], a: usize) {
    let mut rates = [Mat3::zeros(); POINTS];
    for (rate, node) in rates.iter_mut().zip(nodes.iter()) {
        *rate = node.rotation * (half * node.shapes[a]);
    }
    for (k, node) in nodes.iter_mut().enumerate() {
        let mut turn = own.turn[a];
        for j in 0..rule.count {
            turn += rates[j] * rule.upto[k][j];
        }
        node.turn[a] = turn;
    }
    for k in 0..rule.count {
        own.turn[a] += rates[k] * rule.weights[k];
    }
}

/// Force (N) and moment (N m, world) with which inertia holds a node back.
fn held_back(inertia: &Inertia, j: usize, node: &Point) -> (Vec3, Vec3) {
    let (k, target) = inertia.node(j);
    let (turning, frame) = &inertia.frames[j];
    let turn = rotation::log(&(frame.conjugate() * node.frame));
    (-(node.position - target) * k, -(node.rotation * turning.component_mul(&turn)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rod::curvature::CurvatureRod;
    use crate::section::{Section, SectionProfile};
    use crate::solver::pole::Pole;
    use crate::solver::problem::{End, Pose, Problem};
    use crate::solver::statics::network::Network;

    /// Beside a pole pieces are not joined at once, but those of a wild step do not stay.
    #[test]
    fn pieces_of_a_wild_step_do_not_stay() {
        let section = Section::measured(0.02, 0.02, 0.016, 0.1, 0.002).expect("sound section");
        let rod =
            CurvatureRod::new(Basis::Clothoid, 1.0, 4, &SectionProfile::uniform(section), &|_| Vec3::zeros())
                .expect("sound rod");
        let start = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
        let problem = Problem::new(rod.clone(), End::clamped(start), End::free());
        let mut span = CurvatureSpan::new(&rod, &Network::from_cable(&problem).spans[0]);
        span.poles.push(Pole { through: Vec3::x(), axis: Vec3::z(), radius: 0.1, stiffness: 1.0 });
        let mut pieces = |turning: f64| {
            let mut coordinates = vec![0.0; 7 + 3 * 5];
            // v of every node: an element turns by a quarter of it.
            coordinates[7..].iter_mut().step_by(3).for_each(|v| *v = 4.0 * turning);
            span.choose_pieces(&coordinates);
            span.pieces.len() / 4
        };
        assert_eq!(pieces(1.0), 1);
        assert_eq!(pieces(2.5), 2);
        assert_eq!(pieces(1.9), 2, "not joined at once");
        assert_eq!(pieces(900.0), 450);
        assert_eq!(pieces(1.9), 1, "what a wild step left");
    }
}
