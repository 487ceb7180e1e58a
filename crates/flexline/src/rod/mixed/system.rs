//! Residual, matrix and merit of a chain at one state.
//!
//! Positions follow the frames exactly, so the internal forces follow from the nodal forces and
//! the force at the far end: λ_{n−1} = F_n + φ, λ_{j−1} = λ_j + F_j. What is left to vanish is the
//! balance of moments at every frame that is not held,
//!
//! ```text
//! r_j = ∂E/∂θ_j − G_jᵀ λ_{j−1} − load moments = 0,
//! ```
//!
//! the balance of forces at x_0 where it is free, and the distance of x_n from its support.

use super::loads::ChainLoads;
use super::{HeldChain, MixedRod, PlaceOnChain, tangent_hessian, vertex};
use crate::algebra::chain::{ChainMatrix, ChainVector};
use crate::algebra::{Mat3, Quat, Vec3, larger, rotation};
use crate::body::{Roll, Taps};
use crate::rod::kernel::Norms;
use crate::rod::{Rod, State};

/// cos² of half the bend between two segments, 150 degrees, from which they count as folded onto each other.
const FOLDED: f64 = 0.067;

/// Everything evaluated at a state; memory is kept between calls.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub(crate) loads: ChainLoads,
    pub(crate) rotations: Vec<Mat3>,
    /// Relative rotation, measure and moment of every vertex.
    pub(crate) vertices: Vec<(Quat, vertex::Measure, Vec3)>,
    /// Nodal forces of the loads, N.
    pub(crate) loaded: Vec<Vec3>,
    /// Nodal forces with those of inertia, N.
    pub(crate) forces: Vec<Vec3>,
    /// What acts on its nodes and frames.
    pub(crate) taps: Taps,
    /// Internal force of each segment, N.
    pub(crate) internal: Vec<Vec3>,
    /// Residual.
    pub(crate) residual: ChainVector,
    pub(crate) matrix: ChainMatrix,
    /// Largest moment present, N m.
    pub(crate) largest_moment: f64,
    /// Distance of x_n from its support along held axes, m.
    pub(crate) gap: Vec3,
    /// Mean bending stiffness, N m².
    pub(crate) stiffness: f64,
    /// Smallest stiffness of all, N m²: what whispers must stay below.
    softest: f64,
    /// Stiffest spring over the square of the shortest segment, N: the scale of round-off.
    sharpest: f64,
}

impl System {
    pub(crate) fn new(n: usize) -> Self {
        let level = vertex::measure(vertex::Strain::default(), &rotation::identity(), 0.0);
        Self {
            loads: ChainLoads::default(),
            rotations: vec![Mat3::zeros(); n + 2],
            vertices: vec![(rotation::identity(), level, Vec3::zeros()); n + 1],
            loaded: vec![Vec3::zeros(); n + 1],
            forces: vec![Vec3::zeros(); n + 1],
            taps: Taps::default(),
            internal: vec![Vec3::zeros(); n],
            residual: ChainVector::zeros(n),
            matrix: ChainMatrix::zeros(n),
            largest_moment: 0.0,
            gap: Vec3::zeros(),
            stiffness: 0.0,
            softest: 0.0,
            sharpest: 0.0,
        }
    }

    /// Reads gravity and loads of `held`, and the scales of its rod: the workspace may have served
    /// another one before.
    pub(crate) fn read_loads(&mut self, held: &HeldChain) {
        self.loads.read(held);
        let rod = &held.rod;
        let count = rod.stiffness.len() as f64;
        self.stiffness = rod.stiffness.iter().map(|k| k.x.max(k.y)).sum::<f64>() / count;
        self.softest = rod.stiffness.iter().fold(f64::INFINITY, |m, k| m.min(k.min()));
        let shortest = rod.lengths.iter().fold(f64::INFINITY, |m, l| m.min(*l));
        let stiffest = rod.stiffness.iter().fold(0.0f64, |m, k| m.max(k.amax()));
        self.sharpest = stiffest / (shortest * shortest);
    }

    /// Evaluates forces and residual at `state`; records its twist as history.
    pub(crate) fn evaluate(&mut self, held: &HeldChain, state: &mut State) {
        let rod = &held.rod;
        let n = rod.segments();
        for j in 0..n + 2 {
            self.rotations[j] = rotation::matrix(&rod.frame(&state.rod, j));
        }
        self.loads.nodal_forces(rod, &self.rotations, &mut self.loaded);
        self.forces.copy_from_slice(&self.loaded);
        if self.taps.on_points() {
            for (j, force) in self.forces.iter_mut().enumerate() {
                *force += self.taps.force(j, &rod.position(&state.rod, j), rod.duals[j]);
            }
        }
        for i in 0..self.chords() {
            let pull = self.chord_pull(rod, state, i);
            // The mass that couples two nodes lets them go where it would hold each.
            self.forces[i] += pull;
            self.forces[i + 1] -= pull;
        }
        for tap in &self.taps.places {
            let at = PlaceOnChain::new(rod, tap.share);
            let force = tap.force_at(&at.position(rod, &state.rod));
            at.nodes().for_each(|(j, weight)| self.forces[j] += force * weight);
        }
        let mut force = state.end_force;
        for j in (0..n).rev() {
            force += self.forces[j + 1];
            self.internal[j] = force;
        }
        let r = &mut self.residual;
        r.clear();
        r.x[0] = -(force + self.forces[0]);
        self.largest_moment = 0.0;
        for j in 0..=n {
            let (p, m) = rod.vertex(&state.rod, j);
            let moment = vertex::moment(&m, &rod.rest[j], &rod.spring[j]);
            state.rod.twist[j] = m.value.z;
            self.vertices[j] = (p, m, moment);
            self.largest_moment = self.largest_moment.max(moment.norm_squared());
            let (a, b) = vertex::gradient(&p, &m, &moment);
            r.f[j] += a;
            r.f[j + 1] += b;
        }
        self.largest_moment = self.largest_moment.sqrt();
        for j in 1..=n {
            let b = self.rotations[j].tr_mul(&self.internal[j - 1]);
            let l = rod.lengths[j - 1];
            r.f[j] += Vec3::new(l * b.y, -l * b.x, 0.0);
        }
        self.loads.subtract_moments(&self.rotations, &mut r.f);
        if let Some(inertia) = &self.taps.inertia {
            for (j, r) in r.f.iter_mut().enumerate() {
                *r += inertia.holding_moment(j, &rod.frame(&state.rod, j)).0;
            }
        }
        let miss = rod.position(&state.rod, n) - held.end_target(&state.rod);
        let axes = held.end_held();
        self.gap = Vec3::from_fn(|i, _| if axes[i] { miss[i] } else { 0.0 });
    }

    /// Nodal forces of loads that have changed, with follower loads as they were.
    pub(crate) fn reload(&mut self, held: &HeldChain) {
        self.loads.nodal_forces(&held.rod, &self.rotations, &mut self.loaded);
    }

    /// Size of the residual over the unknowns that are free.
    pub(crate) fn norms(&self, held: &HeldChain) -> Norms {
        let rod = &held.rod;
        let n = rod.segments();
        let frames = held.held_frames();
        let mut force = 0.0f64;
        for (j, r) in self.residual.f.iter().enumerate() {
            if (j == 0 && frames[0]) || (j == n + 1 && frames[1]) {
                continue;
            }
            let l = rod.lengths[j.clamp(1, n) - 1];
            force = larger(force, r.norm() / l);
        }
        for i in 0..3 {
            if !held.ends[0].held[i] {
                force = larger(force, self.residual.x[0][i].abs());
            }
        }
        let largest = self.internal.iter().fold(0.0, |m, f| larger(m, f.norm()));
        Norms {
            force,
            largest_force: largest.max(self.largest_moment / rod.length()),
            round_off: f64::EPSILON
                * (64.0 * self.sharpest.max(largest)).max(8.0 * self.taps.sum_of_springs() * rod.length()),
        }
    }

    /// Whether two neighbouring frames are folded onto each other. There the measure of bend is at its singularity: what
    /// balances is the mesh and not a cable.
    pub(crate) fn is_folded(&self) -> bool {
        // cos² of half the bend.
        self.vertices.iter().any(|(p, ..)| p.w * p.w + p.k * p.k < FOLDED)
    }

    /// Differences of nodes that coupling mass acts on.
    fn chords(&self) -> usize {
        self.taps.inertia.as_ref().map_or(0, |inertia| inertia.chords.len())
    }

    /// What coupling mass does to the difference of nodes `i` and `i + 1`: a derivative of its energy, N.
    fn chord_pull(&self, rod: &MixedRod, state: &State, i: usize) -> Vec3 {
        let Some(inertia) = &self.taps.inertia else { return Vec3::zeros() };
        let (k, target) = inertia.chord(i);
        -k * (rod.position(&state.rod, i + 1) - rod.position(&state.rod, i) - target)
    }

    /// Assembles the exact tangent at the state of the last [`System::evaluate`], plus
    /// `shift` times the prestress-free stiffness.
    pub(crate) fn assemble(&mut self, held: &HeldChain, state: &State, shift: f64, proximal: f64) {
        let rod = &held.rod;
        let n = rod.segments();
        let m = &mut self.matrix;
        let length = rod.length();
        let identity = self.softest * proximal / (length * length);
        m.xx.clear();
        m.fx.clear();
        m.xf.clear();
        m.ff[0] = Mat3::zeros();
        for j in 0..=n {
            let (p, measure, moment) = &self.vertices[j];
            let d = vertex::derivatives(p, measure, moment, &rod.spring[j]);
            m.ff[j] += d.aa;
            m.ff[j + 1] = d.bb;
            m.upper[j] = d.ab;
            if shift != 0.0 {
                let (aa, ab, bb) = vertex::stiffness_part(p, measure, &rod.spring[j]);
                m.ff[j] += aa * shift;
                m.ff[j + 1] += bb * shift;
                m.upper[j] += ab * shift;
            }
            // A little stiffness against turning, so that neutral spins have a pivot.
            let regularisation = identity * rod.duals[j];
            for i in 0..3 {
                m.ff[j][(i, i)] += regularisation;
            }
        }
        for i in 0..3 {
            m.ff[n + 1][(i, i)] += identity * rod.duals[n];
        }
        for j in 1..=n {
            let q = rod.frame(&state.rod, j);
            m.ff[j] -= tangent_hessian(&q, &self.internal[j - 1]) * rod.lengths[j - 1];
            let r = &self.rotations[j];
            let l = rod.lengths[j - 1];
            m.lever[j - 1] = Mat3::from_columns(&[r.column(1) * -l, r.column(0) * l, Vec3::zeros()]);
        }
        self.loads.add_tangent(rod, &state.rod, m);
        if self.taps.on_points() {
            for j in 0..=n {
                *m.at(j) += self.taps.stiffness(j, &rod.position(&state.rod, j), rod.duals[j]);
            }
        }
        for tap in &self.taps.places {
            let place = PlaceOnChain::new(rod, tap.share);
            // About the middle of its three nodes: δx = δx_j − w_{j−1} G δf_j + w_{j+1} G δf_{j+1}.
            let j = place.middle;
            let behind = m.lever[j - 1] * -place.weights[0];
            let pushed = tap.stiffness * behind;
            *m.at(j) += tap.stiffness;
            m.ff[j] += behind.tr_mul(&pushed);
            *m.between(j) += pushed.transpose();
            if j < n {
                let ahead = m.lever[j] * place.weights[2];
                m.ff[j + 1] += ahead.tr_mul(&(tap.stiffness * ahead));
                m.upper[j] += pushed.tr_mul(&ahead);
                *m.ahead(j) += tap.stiffness * ahead;
            }
            if let Some(Roll { by_move, by_slope, stiffness }) = tap.roll {
                let by_node = |k: usize| by_move * place.weights[k] + by_slope * place.slopes[k];
                let (u, a) = (by_move, -m.lever[j - 1].tr_mul(&by_node(0)));
                *m.at(j) += u * u.transpose() * stiffness;
                m.ff[j] += a * a.transpose() * stiffness;
                *m.between(j) += a * u.transpose() * stiffness;
                if j < n {
                    let b = m.lever[j].tr_mul(&by_node(2));
                    m.ff[j + 1] += b * b.transpose() * stiffness;
                    m.upper[j] += a * b.transpose() * stiffness;
                    *m.ahead(j) += u * b.transpose() * stiffness;
                }
            }
        }
        if let Some(inertia) = &self.taps.inertia {
            // A chord changes by the lever of its frame alone: δx_{i+1} − δx_i = G δf.
            for (i, (k, _)) in inertia.chords.iter().enumerate() {
                let turning = k * rod.lengths[i] * rod.lengths[i];
                m.ff[i + 1] -= Mat3::from_diagonal(&Vec3::new(turning, turning, 0.0));
            }
            for (j, (k, _)) in inertia.frames.iter().enumerate() {
                m.ff[j] += Mat3::from_diagonal(k);
            }
        }
    }

    /// Bending and twisting energy at the state of the last [`System::evaluate`], J.
    pub(crate) fn elastic_energies(&self, held: &HeldChain) -> (f64, f64) {
        let rod = &held.rod;
        let (mut bending, mut torsion) = (0.0, 0.0);
        for (j, (_, measure, moment)) in self.vertices.iter().enumerate() {
            let work = 0.5 * moment.component_mul(&(measure.value - rod.rest[j]));
            bending += work.x + work.y;
            torsion += work.z;
        }
        (bending, torsion)
    }

    /// Elastic energy plus potential of the loads (follower forces frozen at the last evaluation).
    pub(crate) fn potential(&self, held: &HeldChain, state: &State) -> f64 {
        held.rod.energy(&state.rod) + self.external(held, state)
    }

    /// What of [`System::potential`] is not elastic.
    pub(crate) fn external(&self, held: &HeldChain, state: &State) -> f64 {
        let rod = &held.rod;
        let mut total = self.loads.potential(rod, &state.rod, &self.loaded);
        let at = |j: usize| rod.position(&state.rod, j);
        if self.taps.on_points() {
            total += (0..=rod.segments()).map(|j| self.taps.energy(j, &at(j), rod.duals[j])).sum::<f64>();
        }
        if let Some(inertia) = &self.taps.inertia {
            for i in 0..inertia.chords.len() {
                let (k, target) = inertia.chord(i);
                total -= 0.5 * k * (at(i + 1) - at(i) - target).norm_squared();
            }
            let turned = |j: usize| inertia.holding_moment(j, &rod.frame(&state.rod, j)).1;
            total += (0..inertia.frames.len()).map(turned).sum::<f64>();
        }
        for tap in &self.taps.places {
            total += tap.energy_at(&PlaceOnChain::new(rod, tap.share).position(rod, &state.rod));
        }
        total
    }
}
