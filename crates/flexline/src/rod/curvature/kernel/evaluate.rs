//! Shape and forces of a curvature rod at a state.
//!
//! Forwards along the rod: frames and positions. Backwards: the force n beyond a place and its moment M about it,
//!
//! ```text
//! n = φ + ∫ f ds,     M = µ + ∫ (d3 × n + l) ds.
//! ```
//!
//! The loads do the work ∫ M·δΘ′, so the balance is ∂E/∂v_a = ∫ φ_a RᵀM dσ. [`super::second`] has the second derivative.

use super::CurvatureSpan;
use super::form::{Change, FIRST, SECOND, TURN};
use crate::algebra::collocation::POINTS;
use crate::algebra::{Mat3, Quat, Vec3, larger, rotation};
use crate::body::Axes;
use crate::rod::curvature::CurvatureRod;
use crate::rod::curvature::walk::{Piece, PieceShape};

/// A node of the quadrature.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Its weight, as a share of the rod.
    pub(super) weight: f64,
    pub(super) shapes: [f64; 2],
    pub(super) rotation: Mat3,
    pub(super) frame: Quat,
    /// Known where [`CurvatureSpan::asks_for_places`].
    pub(super) position: Vec3,
    /// Dead force per length, N/m, follower loads as they are here.
    pub(super) dead: Vec3,
    /// Dead moment per length, N.
    pub(super) moment: Vec3,
    /// Weight times n, N.
    pub(super) n: Vec3,
    /// Weight times M, N m.
    pub(super) m: Vec3,
    /// Weight times ∂M/∂L, N.
    pub(super) m_by_length: Vec3,
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
        if self.taps.inertia.is_some() {
            wanted.clear();
            wanted.extend_from_slice(self.rod.fixed_pieces());
        } else {
            self.rod.pieces_for(&|e| self.rod.ends(coordinates, e), &mut wanted);
            self.sharpen(&mut wanted);
        }
        // In motion pieces are those that carry the matter.
        if !self.taps.poles.is_empty() && self.taps.inertia.is_none() {
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
            self.lay_points();
        } else if self.loads.taps != self.taps.places {
            self.read_loads_on_pieces();
        }
        self.wanted = wanted;
    }

    /// Gives pieces in which a load acts, begins or ends most nodes: what is integrated up to a place inside a piece is
    /// less exact than what is integrated over all of it.
    fn sharpen(&self, pieces: &mut [Piece]) {
        let spread = self.distributed_loads.iter().flat_map(|l| [l.from, l.to]);
        let shares = self.point_loads.iter().map(|l| l.s).chain(spread).map(|s| s / self.rod.length);
        for sigma in shares.chain(self.taps.places.iter().map(|tap| tap.share)) {
            let mut begin = 0.0;
            for (e, share) in self.rod.shares.iter().enumerate() {
                let t = (sigma - begin) / share;
                let inside = |p: &&mut Piece| p.element == e && p.from < t && t < p.to;
                if t < 1.0 {
                    pieces.iter_mut().filter(inside).for_each(|p| p.nodes = POINTS);
                    break;
                }
                begin += share;
            }
        }
    }

    /// What lies on the present pieces.
    pub(super) fn lay_points(&mut self) {
        let Self { rod, pieces, points, firsts, .. } = self;
        firsts.clear();
        firsts.extend((0..=rod.elements()).map(|e| pieces.partition_point(|p| p.element < e)));
        points.resize(POINTS * pieces.len(), Point::default());
        for (p, piece) in pieces.iter().enumerate() {
            let rule = piece.rule();
            let half = rod.half_share(piece);
            for (k, node) in points[piece.places(p)].iter_mut().enumerate() {
                node.weight = half * rule.weights[k];
                node.shapes = rod.shapes(piece.share(rule.nodes[k]));
            }
        }
        self.matter = self.rod.matter_of(&self.pieces);
        self.read_loads_on_pieces();
    }

    /// Whether it matters where the rod is: something holds it back that is not the same everywhere.
    pub(super) fn places_matter(&self) -> bool {
        self.taps.on_points()
    }

    /// Whether the positions of nodes are asked for.
    fn asks_for_places(&self) -> bool {
        let loaded = !self.loads.at.is_empty() || !self.loads.spread.is_empty();
        self.places_matter() || self.length_matters || loaded
    }

    /// Forwards: shape and loads.
    pub(super) fn go_forwards(&mut self, coordinates: &[f64]) {
        let places = self.asks_for_places();
        let Self { rod, pieces, points, loads, matter, gravity, starts, .. } = self;
        starts.clear();
        let mut end = rod.base(coordinates);
        rod.walk(coordinates, pieces, |p, shape| {
            let piece = &pieces[p];
            starts.push(shape.start);
            for (k, (node, j)) in points[piece.places(p)].iter_mut().zip(piece.places(p)).enumerate() {
                node.rotation = shape.rotations[k];
                node.frame = shape.frames[k];
                if places {
                    node.position = shape.position(k);
                }
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
            self.largest = (larger(self.largest.0, at.n.norm()), larger(self.largest.1, at.m.norm()));
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
        with_count!(self.pieces[p].nodes, N => self.piece_backwards_by::<N>(p, end))
    }

    /// The same for `N` nodes.
    fn piece_backwards_by<const N: usize>(&mut self, p: usize, end: &Beyond) -> Beyond {
        let (rule, places) = (self.pieces[p].rule(), self.pieces[p].places(p));
        let length = self.rod.length;
        let nodes = &mut self.points[places.clone()];
        let half = self.rod.half_share(&self.pieces[p]);
        let scale = length * half;
        let zero = [Vec3::zeros(); N];
        let (mut force, mut moment) = (zero, zero);
        for (k, node) in nodes.iter().enumerate().take(N) {
            force[k] = node.dead;
            moment[k] = node.moment;
            if self.taps.on_points() {
                let (j, share) = (places.start + k, length * node.weight);
                let (held, _) = self.taps.holding_moment(j, &node.frame);
                force[k] += self.taps.force(j, &node.position, share) / share;
                moment[k] -= node.rotation * held / share;
            }
        }
        // Integrals from a node to the end of the piece, and over all of it.
        let sum = |of: &[Vec3; N], weights: &[f64; POINTS]| {
            let mut sum = Vec3::zeros();
            for k in 0..N {
                sum += of[k] * weights[k];
            }
            sum * scale
        };
        let rest = |of: &[Vec3; N], beyond: &mut [Vec3; N]| -> Vec3 {
            for (own, weights) in beyond.iter_mut().zip(&rule.beyond) {
                *own = sum(of, weights);
            }
            sum(of, &rule.weights)
        };
        let (mut forces, mut moments) = (zero, zero);
        let force_all = rest(&force, &mut forces);
        let mut turning = moment;
        for (k, node) in nodes.iter().enumerate().take(N) {
            turning[k] += node.rotation.column(2).cross(&(end.n + forces[k]));
        }
        let moment_all = rest(&turning, &mut moments);
        let mut start = Beyond { n: end.n + force_all, m: end.m + moment_all, pure: end.pure, ..*end };
        for (k, node) in nodes.iter_mut().enumerate().take(N) {
            node.n = (end.n + forces[k]) * node.weight;
            node.m = (end.m + moments[k]) * node.weight;
        }
        if self.length_matters {
            // The weight grows with the length, and so do all levers and the way to what holds matter back in motion.
            let (mut weight, mut rate) = (zero, zero);
            for (w, j) in weight.iter_mut().zip(places.clone()) {
                *w = self.gravity * (self.matter[j].0 / length);
            }
            if self.taps.on_points() {
                let begin = self.starts[0].0;
                for ((w, node), j) in weight.iter_mut().zip(nodes.iter()).zip(places.clone()) {
                    let share = length * node.weight;
                    let stiffness = self.taps.stiffness(j, &node.position, share);
                    let moved = stiffness * (node.position - begin) / share;
                    *w += (self.taps.spread_force(&node.position) - moved) / length;
                }
            }
            let (mut weights, mut rates, mut pure) = (zero, zero, zero);
            let weight_all = rest(&weight, &mut weights);
            for (k, node) in nodes.iter().enumerate().take(N) {
                rate[k] = node.rotation.column(2).cross(&(end.n_by_length + weights[k]));
            }
            let rate_all = rest(&rate, &mut rates);
            let pure_all = rest(&moment, &mut pure);
            for (k, node) in nodes.iter_mut().enumerate().take(N) {
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
            load.world = match (load.tap, load.axes) {
                (Some(tap), _) => (tap.force_at(&at), Vec3::zeros()),
                (None, Axes::World) => (load.force, load.moment),
                (None, Axes::Material) => {
                    (rotation::rotate(&frame, &load.force), rotation::rotate(&frame, &load.moment))
                }
            };
            let (force, moment) = load.world;
            let upto = load.upto;
            // How the force changes with the length.
            let begin = self.starts[0].0;
            let by_length = load.tap.map_or_else(Vec3::zeros, |tap| tap.stiffness * (begin - at) / length);
            let nodes = &mut self.points[places.clone()];
            for (k, node) in nodes.iter_mut().enumerate() {
                let weight = half * upto[k];
                let lever = (at - node.position).cross(&force);
                node.n += force * weight;
                node.m += (lever + moment) * weight;
                let changed = (at - node.position).cross(&by_length);
                node.m_by_length += (lever / length + changed) * weight;
            }
            let from = self.starts[p].0;
            start.n_by_length += by_length;
            start.m_by_length += (at - from).cross(&by_length);
            start.n += force;
            start.m += (at - from).cross(&force) + moment;
            start.pure += moment;
        }
        start
    }

    /// Position and frame of a load.
    pub(super) fn place(&self, p: usize, load: usize) -> (Vec3, Quat) {
        let own = &self.loads.at[load];
        let nodes = &self.points[self.pieces[p].places(p)];
        let half = self.rod.half_share(&self.pieces[p]);
        let rule = self.pieces[p].rule();
        let nearest = (0..rule.count)
            .min_by(|a, b| (rule.nodes[*a] - own.x).abs().total_cmp(&(rule.nodes[*b] - own.x).abs()))
            .unwrap_or(0);
        // From the nearest node at the rate there: exact enough for the direction of a follower.
        let piece = &self.pieces[p];
        let u = self.rate(piece.element, piece.share(0.5 * (own.x + rule.nodes[nearest])));
        let frame = nodes[nearest].frame * rotation::exp(&(u * (half * (own.x - rule.nodes[nearest]))));
        (self.reach(p, &own.upto), frame)
    }

    /// Position of a place of a piece, given the weights of the integral up to there.
    pub(super) fn reach(&self, p: usize, upto: &[f64; POINTS]) -> Vec3 {
        let scale = self.rod.length * self.rod.half_share(&self.pieces[p]);
        let mut at = self.starts[p].0;
        for (node, weight) in self.points[self.pieces[p].places(p)].iter().zip(upto) {
            at += node.rotation.column(2) * (scale * weight);
        }
        at
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
                let position = shape.position(k);
                total -= node.dead.dot(&position) * length_here;
                if self.taps.on_points() {
                    total += self.taps.energy(j, &position, length_here);
                    total += self.taps.holding_moment(j, &shape.frames[k]).1;
                }
            }
            for load in &self.loads.at[self.loads.of(p)] {
                let mut at = shape.start.0;
                for k in 0..rule.count {
                    at += shape.rotations[k].column(2) * (length * shape.half * load.upto[k]);
                }
                total += load.energy(&at);
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
        let mut work = 0.0;
        if !self.loads.spread.is_empty() {
            // The rotation goes on from node to node, at the rates of the nodes.
            let mut begin = step[TURN];
            for p in self.firsts[e]..self.firsts[e + 1] {
                let (rule, half) = (self.pieces[p].rule(), self.rod.half_share(&self.pieces[p]));
                let nodes = &self.points[self.pieces[p].places(p)];
                let turn = |upto: &[f64; POINTS]| {
                    let rate =
                        |n: &Point| n.rotation * (step[FIRST] * n.shapes[0] + step[SECOND] * n.shapes[1]);
                    begin + nodes.iter().zip(upto).map(|(n, w)| rate(n) * (half * w)).sum::<Vec3>()
                };
                for (node, upto) in nodes.iter().zip(&rule.upto) {
                    work += node.moment.dot(&turn(upto)) * (node.weight * self.rod.length);
                }
                begin = turn(&rule.weights);
            }
        }
        for load in self.loads.at.iter().filter(|l| self.pieces[l.piece].element == e) {
            work += load.world.1.dot(&self.turn_of(load.piece, &load.upto, step));
        }
        work
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
        let mut work = 0.0;
        for (p, piece) in self.pieces.iter().enumerate() {
            let (rule, nodes) = (piece.rule(), &self.points[piece.places(p)]);
            let scale = self.rod.length * self.rod.half_share(piece);
            // From a node to the next ones a height is the integral of slopes.
            let mut heights = [0.0; POINTS];
            for (height, node) in heights.iter_mut().zip(nodes) {
                *height = self.gravity.dot(&node.rotation.column(2)) * scale;
            }
            let start = self.gravity.dot(&self.starts[p].0);
            let density = self.matter[piece.places(p).start].0;
            if self.matter[piece.places(p)].iter().all(|m| m.0 == density) {
                let risen: f64 = heights.iter().zip(&rule.moments).map(|(h, w)| h * w).sum();
                let half = self.rod.half_share(piece);
                work += density * half * (2.0 * start + risen);
                continue;
            }
            for ((node, j), upto) in nodes.iter().zip(piece.places(p)).zip(&rule.upto) {
                let rise: f64 = heights.iter().zip(upto).map(|(h, w)| h * w).sum();
                work += (start + rise) * (self.matter[j].0 * node.weight);
            }
        }
        -work * self.rod.length
    }

    /// ∂(energy of the loads)/∂L and its second derivative: −∫ n·d3 − ∫ f·r, and −2 ∫ f·(r − r_0)/L with what
    /// stiffness at points makes of it, Σ k |r − r_0|²/L².
    pub(super) fn length_terms(&self) -> (f64, f64) {
        let begin = self.starts.first().map_or_else(Vec3::zeros, |s| s.0);
        let (mut first, mut second) = (0.0, 0.0);
        let nodes = self.pieces.iter().enumerate().flat_map(|(p, piece)| piece.places(p));
        for (j, node) in nodes.map(|j| (j, &self.points[j])) {
            let weight = self.gravity * (self.matter[j].0 * node.weight);
            first -= node.n.dot(&node.rotation.column(2)) + weight.dot(&node.position);
            let reach = (node.position - begin) / self.rod.length;
            second -= 2.0 * weight.dot(&reach);
            if self.taps.on_points() {
                let share = node.weight * self.rod.length;
                let stiffness = self.taps.stiffness(j, &node.position, share);
                first += self.taps.spread_energy(&node.position) * node.weight;
                second -= 2.0 * self.taps.spread_force(&node.position).dot(&reach) * node.weight;
                second += reach.dot(&(stiffness * reach));
            }
        }
        for (index, load) in self.loads.at.iter().enumerate() {
            let Some(tap) = load.tap else { continue };
            let reach = (self.place(load.piece, index).0 - begin) / self.rod.length;
            second += reach.dot(&(tap.stiffness * reach));
        }
        (first, second)
    }
}

/// The residual of an element, out of that of all coordinates: each is booked with the element that has it as its
/// second, or as a first of its own.
#[inline]
pub(super) fn element_residual(rod: &CurvatureRod, gradient: &[Vec3], e: usize) -> Change {
    let mut r = Change::default();
    if let Some(i) = rod.place(e, 1) {
        r[SECOND] = gradient[i];
    }
    if rod.begins[e] {
        r[FIRST] = gradient[rod.first[e]];
    }
    r
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Inertia, Pole};
    use crate::rod::curvature::Basis;
    use crate::rod::kernel::Loads;
    use crate::section::{Section, SectionProfile};

    /// Beside a pole pieces are not joined at once, but those of a wild step do not stay.
    #[test]
    fn pieces_of_a_wild_step_do_not_stay() {
        let section = Section::measured(0.02, 0.02, 0.016, 0.1, 0.002).expect("sound section");
        let rod =
            CurvatureRod::new(Basis::Clothoid, 1.0, 4, &SectionProfile::uniform(section), &|_| Vec3::zeros())
                .expect("sound rod");
        let mut span = CurvatureSpan::new(&rod, Loads::default());
        span.taps.poles.push(Pole { through: Vec3::x(), axis: Vec3::z(), radius: 0.1, stiffness: 1.0 });
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
        assert_eq!(pieces(2.5), 2);
        // In motion the pieces are those that carry the matter, whatever was there at rest.
        span.taps.inertia = Some(Inertia::default());
        span.choose_pieces(&[0.0; 7 + 3 * 5]);
        assert_eq!(span.pieces, rod.fixed_pieces());
    }

    /// Where a load acts inside a piece, the piece has most nodes; at the end of an element it asks for none.
    #[test]
    fn loads_inside_pieces_are_integrated_finely() {
        let section = Section::measured(0.02, 0.02, 0.016, 0.1, 0.002).expect("sound section");
        let profile = SectionProfile::uniform(section);
        let rod =
            CurvatureRod::new(Basis::Clothoid, 1.0, 4, &profile, &|_| Vec3::zeros()).expect("sound rod");
        let load =
            |s: f64| crate::body::PointLoad { s, force: Vec3::x(), moment: Vec3::zeros(), axes: Axes::World };
        let points = [load(0.3), load(0.75)];
        let mut span = CurvatureSpan::new(&rod, Loads { points: &points, distributed: &[] });
        span.choose_pieces(&[0.0; 7 + 3 * 5]);
        let nodes: Vec<usize> = span.pieces.iter().map(|p| p.nodes).collect();
        let few = crate::rod::curvature::walk::nodes_for(0.0);
        assert!(few < POINTS);
        assert_eq!(nodes, [few, POINTS, few, few]);
    }
}
