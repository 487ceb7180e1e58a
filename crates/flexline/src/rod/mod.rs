//! Rod models behind three traits: [`Rod`], and within the crate `Model` and `SpanKernel`.
//!
//! A rod has coordinates on a manifold (rotations change multiplicatively), an elastic energy with
//! its exact derivatives, and *stations*: at any arc length s a position, a frame, and how both
//! move with the coordinates. Constraints, loads and drawing see a rod only through stations.

mod any;
mod breaks;
pub mod curvature;
pub(crate) mod kernel;
pub mod mixed;
pub(crate) mod model;
pub(crate) mod nodal;
pub mod spline;
mod state;
mod stored;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod toy;

pub use any::AnyRod;
pub use breaks::Breaks;
pub use state::State;
pub use stored::StoredRodError;

pub(crate) use crate::body::{MassPoint, Matter};

use crate::algebra::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// The changing part of a rod: its coordinates, and what they cannot tell (full turns).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RodState {
    /// Model-specific coordinates; quaternions among them are unit.
    pub coordinates: Vec<f64>,
    /// Twist carried as history, rad: orientation alone forgets full turns.
    pub twist: Vec<f64>,
}

/// What a rod is at one arc length.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    /// Position of the centreline, m, world.
    pub position: Vec3,
    /// Material frame, material→world; d3 is the tangent.
    pub frame: Quat,
}

/// How a station moves with the tangent coordinates of its rod.
#[derive(Clone, Debug, Default)]
pub struct StationJacobian {
    /// (tangent index, ∂position, ∂rotation): both world vectors per unit of that coordinate.
    pub columns: Vec<(usize, Vec3, Vec3)>,
}

/// Receives entries (row, column, value) of a sparse matrix; entries at one place add up.
pub type Entries<'a> = dyn FnMut(usize, usize, f64) + 'a;

/// A model of an inextensible, unshearable rod.
///
/// Vectors over the rod are in *tangent* coordinates: displacements in the world, rotations as
/// small rotation vectors in the material frame. Second derivatives are those along geodesics
/// (symmetric); see `docs/theory/mixed-rod.md`.
pub trait Rod {
    /// Name used in scene files and on the command line.
    fn model(&self) -> &'static str;
    /// Arc length, m.
    fn length(&self) -> f64;
    /// Number of scalars in [`RodState::coordinates`].
    fn coordinate_count(&self) -> usize;
    /// Dimension of the tangent space, before internal constraints.
    fn tangent_count(&self) -> usize;
    /// A state whose centreline and frames follow the given stations.
    fn state_from(&self, shape: &dyn Fn(f64) -> Station) -> RodState;
    /// The stress-free state with the given first station.
    fn rest_state(&self, start: &Station) -> RodState;

    /// Elastic energy, J.
    fn energy(&self, state: &RodState) -> f64;
    /// Adds the derivative of the elastic energy to `out`.
    fn add_gradient(&self, state: &RodState, out: &mut [f64]);
    /// Emits the exact second derivative of the elastic energy.
    fn hessian(&self, state: &RodState, out: &mut Entries);

    /// Number of scalar internal constraints (length and coherence); zero for reduced models.
    fn constraint_count(&self) -> usize;
    /// Internal constraint values, m.
    fn constraints(&self, state: &RodState, out: &mut [f64]);
    /// Emits the derivative of the internal constraints (constraint, tangent index, value).
    fn constraint_jacobian(&self, state: &RodState, out: &mut Entries);
    /// Emits the second derivative of Σ multiplier·constraint.
    fn constraint_hessian(&self, state: &RodState, multipliers: &[f64], out: &mut Entries);

    /// Moves every coordinate by its tangent step, regardless of internal constraints.
    fn displace(&self, state: &mut RodState, step: &[f64]);
    /// Brings the state back onto the internal constraints, keeping its first station and frames.
    fn project(&self, state: &mut RodState);

    /// Position and frame at arc length `s` (clamped to [0, L]).
    fn station(&self, state: &RodState, s: f64) -> Station;
    /// The derivative of [`Rod::station`].
    fn station_jacobian(&self, state: &RodState, s: f64) -> StationJacobian;
    /// Darboux vector (κ1, κ2, τ) at `s`, 1/m, material frame.
    fn strain(&self, state: &RodState, s: f64) -> Vec3;
}
