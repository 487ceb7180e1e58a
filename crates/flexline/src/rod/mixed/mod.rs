//! The mixed rod: positions of nodes and a unit quaternion per segment (Grégoire).
//!
//! Nodes x_0 … x_n; frames f_1 … f_n at the middles of the segments, and one frame at either end,
//! f_0 at s = 0 and f_{n+1} at s = L, so that clamped, pinned and free ends are alike and second
//! order. Vertex j (= 0 … n) lies between f_j and f_{j+1}, at node j; its dual length l̄_j is half
//! the length of the segments beside it.
//!
//! Energy: Σ_j l̄_j/2 (u_j − ū_j)·K_j (u_j − ū_j), with the strain u_j of `vertex.rs`. With the
//! strain of `rod::nodal` in its place this chain of nodes and frames is the nodal rod.
//! Constraint per segment: c_i = x_{i+1} − x_i − l_i R(f_{i+1}) e3 = 0 (length and coherence);
//! its multiplier is the internal force.
//!
//! Tangent coordinates, 6 per block: rotation of f_j (material axes), displacement of x_j; the
//! last block is f_{n+1} alone.

mod divided;
mod held;
mod kernel;
mod loads;
mod mesh;
mod model;
mod natural;
mod place;
mod profile;
mod station;
mod stored;
pub(crate) mod system;
pub(crate) mod vertex;

pub(crate) use held::HeldChain;
pub(crate) use kernel::{ChainScratch, MixedSpan};
pub use mesh::{MAX_SEGMENTS, MIN_SEGMENTS, Mesh, MeshError};
pub(crate) use place::PlaceOnChain;
pub use station::Weights;
pub use vertex::Strain;

use super::{Breaks, Entries, Rod, RodState, Station, StationJacobian};
use crate::algebra::chain::ChainVector;
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::section::{SectionError, SectionProfile};
use serde::{Deserialize, Serialize};

/// A mixed rod: constant during a solve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "stored::Stored", into = "stored::Stored")]
pub struct MixedRod {
    mesh: Mesh,
    strain: Strain,
    /// Length of segment i, m.
    pub(crate) lengths: Vec<f64>,
    /// l̄_j, m.
    pub(crate) duals: Vec<f64>,
    /// K_j, N m²: the mean over the dual cell, in compliance.
    pub(crate) stiffness: Vec<Vec3>,
    /// K_j / l̄_j.
    pub(crate) spring: Vec<Vec3>,
    /// ū_j l̄_j: bend and twist at rest, rad.
    pub(crate) rest: Vec<Vec3>,
    /// Mass of the dual cell of node j, kg: what its weight is made of, and a row of the mass matrix summed.
    pub(crate) mass: Vec<f64>,
    /// What the mass matrix has between the nodes of segment i, kg (`docs/theory/motion.md`).
    pub(crate) coupling: Vec<f64>,
    /// Contact radius at node j, m.
    pub(crate) radius: Vec<f64>,
    /// Rotary inertia of frame j about its own axes, kg m²; the end frames have none.
    pub(crate) rotary: Vec<Vec3>,
    /// What is wrong with what it was made of: no solve takes it then.
    pub(crate) flaw: Option<SectionError>,
}

impl MixedRod {
    /// A rod with the given sections and rest strain κ̄(s) = (κ̄1, κ̄2, τ̄). Sections that do not cover it, and
    /// numbers that are none, are refused by whatever solves for it.
    pub fn new(mesh: &Mesh, section: &SectionProfile, rest: &dyn Fn(f64) -> Vec3) -> Self {
        Self::with_breaks(mesh, &Breaks::default(), section, rest)
    }

    /// The same, where the rest strain jumps at some of `breaks`: it is integrated on both sides.
    pub fn with_breaks(
        mesh: &Mesh,
        breaks: &Breaks,
        section: &SectionProfile,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Self {
        let nodes = mesh.nodes();
        let n = mesh.segments();
        let lengths: Vec<f64> = nodes.windows(2).map(|w| w[1] - w[0]).collect();
        // Dual cells: from middle to middle, half a segment at the ends.
        let middle = |i: usize| 0.5 * (nodes[i] + nodes[i + 1]);
        let mut rod = Self {
            mesh: mesh.clone(),
            strain: Strain::Mixed,
            duals: Vec::with_capacity(n + 1),
            stiffness: Vec::with_capacity(n + 1),
            spring: Vec::with_capacity(n + 1),
            rest: Vec::with_capacity(n + 1),
            mass: Vec::with_capacity(n + 1),
            coupling: Vec::with_capacity(n),
            radius: Vec::with_capacity(n + 1),
            rotary: vec![Vec3::zeros(); n + 2],
            flaw: section.check_length(mesh.length()).err(),
            lengths,
        };
        for j in 0..=n {
            let from = if j == 0 { 0.0 } else { middle(j - 1) };
            let to = if j == n { nodes[n] } else { middle(j) };
            let cell = section.cell(from, to);
            let dual = to - from;
            rod.duals.push(dual);
            rod.stiffness.push(cell.stiffness);
            rod.spring.push(cell.stiffness / dual);
            rod.rest.push(breaks.stretches(from, to).map(|[a, b]| integral(rest, a, b)).sum());
            rod.mass.push(cell.mass);
            rod.radius.push(cell.contact_radius);
        }
        for i in 0..n {
            rod.rotary[i + 1] = section.at(middle(i)).rotary_inertia * rod.lengths[i];
            let halves = [(nodes[i], middle(i)), (middle(i), nodes[i + 1])];
            rod.coupling.push(coupling(halves.map(|(from, to)| section.cell(from, to).mass)));
        }
        if let Some(j) = (0..=n).find(|j| !rod.rest[*j].iter().all(|c| c.is_finite())) {
            rod.flaw.get_or_insert(SectionError::Rest { s: nodes[j] });
        }
        rod
    }

    /// The same rod with its vertices measured in another way: another model.
    #[must_use]
    pub fn with_strain(self, strain: Strain) -> Self {
        Self { strain, ..self }
    }

    /// How vertices are measured.
    pub fn strain_kind(&self) -> Strain {
        self.strain
    }

    /// Makes this the rod `other` with another length: the same section, more or less of it.
    /// Nothing is allocated.
    pub(crate) fn set_length_from(&mut self, other: &Self, length: f64) {
        let factor = length / other.mesh.length();
        self.mesh.stretch_from(&other.mesh, factor);
        let scale = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(a, b)| *a = b * factor);
        scale(&mut self.lengths, &other.lengths);
        scale(&mut self.duals, &other.duals);
        scale(&mut self.mass, &other.mass);
        scale(&mut self.coupling, &other.coupling);
        for (a, b) in self.spring.iter_mut().zip(&other.spring) {
            *a = b / factor;
        }
        for (a, b) in self.rest.iter_mut().zip(&other.rest).chain(self.rotary.iter_mut().zip(&other.rotary)) {
            *a = b * factor;
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.lengths.len()
    }

    /// Mass of the whole rod, kg.
    pub fn total_mass(&self) -> f64 {
        self.mass.iter().sum()
    }

    /// Contact radius at every node, m.
    pub fn radii(&self) -> &[f64] {
        &self.radius
    }

    /// Bending stiffness K1, K2 and twisting stiffness K3 at every node, N m².
    pub fn stiffnesses(&self) -> &[Vec3] {
        &self.stiffness
    }

    /// Length of every segment, m.
    pub fn segment_lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// K_j / l̄_j of every vertex, N m per radian of bend and twist.
    pub fn vertex_springs(&self) -> &[Vec3] {
        &self.spring
    }

    /// ū_j l̄_j of every vertex: bend and twist at rest, rad.
    pub fn vertex_rests(&self) -> &[Vec3] {
        &self.rest
    }

    /// Mass of the dual cell of every node, kg.
    pub fn node_masses(&self) -> &[f64] {
        &self.mass
    }

    /// Arc length of frame `j`, m: 0 at s = 0, the middles of the segments, n + 1 at s = L.
    pub fn frame_arc(&self, j: usize) -> f64 {
        let nodes = self.mesh.nodes();
        let n = self.segments();
        match j {
            0 => 0.0,
            j if j > n => nodes[n],
            j => 0.5 * (nodes[j - 1] + nodes[j]),
        }
    }

    /// Position of node `j`.
    #[inline]
    pub fn position(&self, state: &RodState, j: usize) -> Vec3 {
        let c = &state.coordinates[7 * j + 4..7 * j + 7];
        Vec3::new(c[0], c[1], c[2])
    }

    /// Frame `j`: 0 at s = 0, 1 … n at the middles of the segments, n + 1 at s = L.
    #[inline]
    pub fn frame(&self, state: &RodState, j: usize) -> Quat {
        let c = &state.coordinates[7 * j..7 * j + 4];
        Quat::new(c[0], c[1], c[2], c[3])
    }

    /// Sets the position of node `j`.
    #[inline]
    pub fn set_position(&self, state: &mut RodState, j: usize, x: &Vec3) {
        state.coordinates[7 * j + 4..7 * j + 7].copy_from_slice(x.as_slice());
    }

    /// Sets frame `j`.
    #[inline]
    pub fn set_frame(&self, state: &mut RodState, j: usize, q: &Quat) {
        state.coordinates[7 * j..7 * j + 4].copy_from_slice(&[q.w, q.i, q.j, q.k]);
    }

    /// Relative rotation and measure of vertex `j`.
    #[inline]
    pub(crate) fn vertex(&self, state: &RodState, j: usize) -> (Quat, vertex::Measure) {
        let p = self.frame(state, j).conjugate() * self.frame(state, j + 1);
        let m = vertex::measure(self.strain, &p, state.twist[j]);
        (p, m)
    }

    /// Strain u_j = (κ1, κ2, τ) at node `j`, 1/m.
    pub fn node_strain(&self, state: &RodState, j: usize) -> Vec3 {
        self.vertex(state, j).1.value / self.duals[j]
    }

    /// Moment K_j (u_j − ū_j) at node `j`, N m, in the mid-frame of the vertex.
    pub fn node_moment(&self, state: &RodState, j: usize) -> Vec3 {
        let (_, m) = self.vertex(state, j);
        vertex::moment(&m, &self.rest[j], &self.spring[j])
    }

    /// Records the present twist of every vertex as history.
    pub fn remember_twist(&self, state: &mut RodState) {
        for j in 0..=self.segments() {
            state.twist[j] = self.vertex(state, j).1.value.z;
        }
    }

    /// Moves the frames and x_0 by `scale` times the step; the other positions follow.
    pub(crate) fn advance(&self, state: &mut RodState, step: &ChainVector, scale: f64) {
        for (j, theta) in step.f.iter().enumerate() {
            let q = rotation::displaced(&self.frame(state, j), &(theta * scale));
            self.set_frame(state, j, &q);
        }
        let x = self.position(state, 0) + step.x[0] * scale;
        self.set_position(state, 0, &x);
        self.project(state);
    }

    /// Bending and twisting parts of the elastic energy, J.
    pub fn energy_parts(&self, state: &RodState) -> (f64, f64) {
        let (mut bending, mut torsion) = (0.0, 0.0);
        for j in 0..=self.segments() {
            let (_, m) = self.vertex(state, j);
            let d = m.value - self.rest[j];
            let e = 0.5 * d.component_mul(&d).component_mul(&self.spring[j]);
            bending += e.x + e.y;
            torsion += e.z;
        }
        (bending, torsion)
    }

    /// Total twist of the rod in turns: ∫ τ ds / 2π.
    pub fn twist_turns(&self, state: &RodState) -> f64 {
        (0..=self.segments()).map(|j| self.vertex(state, j).1.value.z).sum::<f64>()
            / (2.0 * std::f64::consts::PI)
    }

    /// How x_{j} − x_{j−1} turns with frame `j` (1 … n): −l [d3]× R in material rotation.
    #[inline]
    pub(crate) fn lever(&self, q: &Quat, j: usize) -> Mat3 {
        let r = rotation::matrix(q);
        let l = self.lengths[j - 1];
        Mat3::from_columns(&[r.column(1) * -l, r.column(0) * l, Vec3::zeros()])
    }
}

/// What couples the nodes of a segment whose halves have these masses: a sixth of a uniform segment, as for
/// any bar whose velocity is linear along it. Two thirds of the reduced mass say the same, and leave the
/// kinetic energy positive however the halves differ.
fn coupling([a, b]: [f64; 2]) -> f64 {
    if a + b > 0.0 { 2.0 / 3.0 * a * b / (a + b) } else { 0.0 }
}

/// ∫ f ds over [a, b] by a composite Gauss rule, fine enough for tabulated rest shapes.
fn integral(f: &dyn Fn(f64) -> Vec3, a: f64, b: f64) -> Vec3 {
    const PARTS: usize = 4;
    let h = (b - a) / PARTS as f64;
    let offset = 0.5 * h / 3f64.sqrt();
    (0..PARTS)
        .map(|i| a + (i as f64 + 0.5) * h)
        .map(|mid| (f(mid - offset) + f(mid + offset)) * (0.5 * h))
        .sum()
}

impl Rod for MixedRod {
    fn model(&self) -> &'static str {
        self.strain.model()
    }

    fn length(&self) -> f64 {
        self.mesh.length()
    }

    fn coordinate_count(&self) -> usize {
        7 * (self.segments() + 1) + 4
    }

    fn tangent_count(&self) -> usize {
        6 * (self.segments() + 1) + 3
    }

    fn state_from(&self, shape: &dyn Fn(f64) -> Station) -> RodState {
        let n = self.segments();
        let nodes = self.mesh.nodes();
        let mut state = RodState { coordinates: vec![0.0; self.coordinate_count()], twist: vec![0.0; n + 1] };
        for (j, &s) in nodes.iter().enumerate() {
            self.set_position(&mut state, j, &shape(s).position);
        }
        for j in 0..n + 2 {
            let q = shape(self.frame_arc(j)).frame;
            self.set_frame(&mut state, j, &(q * (1.0 / q.norm())));
        }
        self.remember_twist(&mut state);
        state
    }

    fn rest_state(&self, start: &Station) -> RodState {
        let n = self.segments();
        let mut state = RodState {
            coordinates: vec![0.0; self.coordinate_count()],
            twist: self.rest.iter().map(|r| r.z).collect(),
        };
        self.set_position(&mut state, 0, &start.position);
        self.set_frame(&mut state, 0, &start.frame);
        for j in 0..=n {
            let q = self.frame(&state, j) * self.strain.rotation(&self.rest[j]);
            self.set_frame(&mut state, j + 1, &(q * (1.0 / q.norm())));
        }
        self.project(&mut state);
        state
    }

    fn energy(&self, state: &RodState) -> f64 {
        let (bending, torsion) = self.energy_parts(state);
        bending + torsion
    }

    fn add_gradient(&self, state: &RodState, out: &mut [f64]) {
        for j in 0..=self.segments() {
            let (p, m) = self.vertex(state, j);
            let moment = vertex::moment(&m, &self.rest[j], &self.spring[j]);
            let (a, b) = vertex::gradient(&p, &m, &moment);
            for i in 0..3 {
                out[6 * j + i] += a[i];
                out[6 * (j + 1) + i] += b[i];
            }
        }
    }

    fn hessian(&self, state: &RodState, out: &mut Entries) {
        for j in 0..=self.segments() {
            let (p, m) = self.vertex(state, j);
            let moment = vertex::moment(&m, &self.rest[j], &self.spring[j]);
            let d = vertex::derivatives(&p, &m, &moment, &self.spring[j]);
            let (a, b) = (6 * j, 6 * (j + 1));
            for r in 0..3 {
                for c in 0..3 {
                    out(a + r, a + c, d.aa[(r, c)]);
                    out(a + r, b + c, d.ab[(r, c)]);
                    out(b + c, a + r, d.ab[(r, c)]);
                    out(b + r, b + c, d.bb[(r, c)]);
                }
            }
        }
    }

    fn constraint_count(&self) -> usize {
        3 * self.segments()
    }

    fn constraints(&self, state: &RodState, out: &mut [f64]) {
        for i in 0..self.segments() {
            let c = self.position(state, i + 1)
                - self.position(state, i)
                - self.lengths[i] * rotation::tangent(&self.frame(state, i + 1));
            out[3 * i..3 * i + 3].copy_from_slice(c.as_slice());
        }
    }

    fn constraint_jacobian(&self, state: &RodState, out: &mut Entries) {
        for i in 0..self.segments() {
            let g = self.lever(&self.frame(state, i + 1), i + 1);
            for r in 0..3 {
                out(3 * i + r, 6 * (i + 1) + 3 + r, 1.0);
                out(3 * i + r, 6 * i + 3 + r, -1.0);
                for c in 0..3 {
                    out(3 * i + r, 6 * (i + 1) + c, -g[(r, c)]);
                }
            }
        }
    }

    fn constraint_hessian(&self, state: &RodState, multipliers: &[f64], out: &mut Entries) {
        for i in 0..self.segments() {
            let lambda = Vec3::from_column_slice(&multipliers[3 * i..3 * i + 3]);
            let h = -self.lengths[i] * tangent_hessian(&self.frame(state, i + 1), &lambda);
            for r in 0..3 {
                for c in 0..3 {
                    out(6 * (i + 1) + r, 6 * (i + 1) + c, h[(r, c)]);
                }
            }
        }
    }

    fn displace(&self, state: &mut RodState, step: &[f64]) {
        let n = self.segments();
        for j in 0..n + 2 {
            let theta = Vec3::from_column_slice(&step[6 * j..6 * j + 3]);
            let q = rotation::displaced(&self.frame(state, j), &theta);
            self.set_frame(state, j, &q);
            if j <= n {
                let x = self.position(state, j) + Vec3::from_column_slice(&step[6 * j + 3..6 * j + 6]);
                self.set_position(state, j, &x);
            }
        }
    }

    fn project(&self, state: &mut RodState) {
        let mut x = self.position(state, 0);
        for i in 0..self.segments() {
            x += self.lengths[i] * rotation::tangent(&self.frame(state, i + 1));
            self.set_position(state, i + 1, &x);
        }
    }

    fn station(&self, state: &RodState, s: f64) -> Station {
        station::evaluate(self, state, s)
    }

    fn station_jacobian(&self, state: &RodState, s: f64) -> StationJacobian {
        station::jacobian(self, state, s)
    }

    fn strain(&self, state: &RodState, s: f64) -> Vec3 {
        let (i, w) = self.segment_at(s);
        self.node_strain(state, i) * (1.0 - w) + self.node_strain(state, i + 1) * w
    }
}

/// Second derivative of `v`·R(q)e3 under q → q exp(θ/2): ½(v e3ᵀ + e3 vᵀ) − (v·e3) I in material
/// components of v.
#[inline]
pub(crate) fn tangent_hessian(q: &Quat, v: &Vec3) -> Mat3 {
    let b = rotation::rotate(&q.conjugate(), v);
    let (x, y) = (0.5 * b.x, 0.5 * b.y);
    // The e3 diagonal cancels: b3 − b3.
    Mat3::new(-b.z, 0.0, x, 0.0, -b.z, y, x, y, 0.0)
}

#[cfg(test)]
mod tests;
