//! What a rod model does for the solver: evaluated between two poses, and eliminated down to its interface.
//!
//! Interface of a rod: rotation ψ_a and position x_0 of its start, rotation ψ_b of its end, y = −δφ, the change of the
//! force there, and what flows in at either end. What lies inside is the model's own business; it leaves the symmetric
//! form S of the interface.

use super::mixed::ChainScratch;
use super::{AnyRod, RodState, State};
use crate::algebra::Vec3;
use crate::algebra::chain::SingularPivot;
use crate::body::{DistributedLoad, End, PointLoad, Pole, Profile, Taps, Wrench};
use nalgebra::{SMatrix, SVector};

/// Relative stiffness against turning that gives neutral spins a pivot.
pub(crate) const PROXIMAL: f64 = 1e-9;
/// Compliance of what is held relative to L³/K, or L/T where that is less; it acts on force increments, so it vanishes at
/// convergence.
pub(crate) const HELD_COMPLIANCE: f64 = 1e-11;

/// Compliance of what is held, m/N: a taut thread gives by its tension, anything else by its stiffness.
pub(crate) fn held_compliance(length: f64, stiffness: f64, tension: f64) -> f64 {
    HELD_COMPLIANCE * (length.powi(3) / stiffness).min(length / tension.max(f64::MIN_POSITIVE))
}

// Places of three components each in the local vector.
pub(crate) const TURN_A: usize = 0;
pub(crate) const MOVE_A: usize = 3;
pub(crate) const TURN_B: usize = 6;
pub(crate) const FORCE: usize = 9;
pub(crate) const MOVE_B: usize = 12;
/// What flows in at the end, and out at the start; one component each.
pub(crate) const FLOW: usize = 15;
pub(crate) const LOCAL: usize = 17;
/// How the length changes with either flow.
pub(crate) const GROWS: [f64; 2] = [1.0, -1.0];

pub(crate) type Local = SMatrix<f64, LOCAL, LOCAL>;
pub(crate) type LocalVector = SVector<f64, LOCAL>;

/// What is held, and what flows: constant for the topology of a network.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    /// Whether the frames at start and end follow their anchors.
    pub(crate) clamped: [bool; 2],
    /// Whether the end is held.
    pub(crate) held: bool,
    /// Whether rope flows at the end, and at the start.
    pub(crate) flows: [bool; 2],
}

impl Layout {
    /// The sides at which rope flows.
    pub(crate) fn sides(&self) -> impl Iterator<Item = usize> + use<> {
        let flows = self.flows;
        (0..2).filter(move |side| flows[*side])
    }
}

/// What is the same for all rods.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World<'a> {
    /// m/s².
    pub(crate) gravity: Vec3,
    pub(crate) poles: &'a [Pole],
}

/// The loads of one rod.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loads<'a> {
    pub(crate) points: &'a [PointLoad],
    pub(crate) distributed: &'a [DistributedLoad],
}

/// A rod between two poses: what a network asks of a rod model.
pub(crate) trait SpanKernel: Send {
    /// Length now, m.
    fn length(&self) -> f64;
    /// Mean bending stiffness, N m².
    fn stiffness(&self) -> f64;
    /// Becomes another rod of the same size, and keeps the factors at hand.
    fn take_rod(&mut self, rod: &AnyRod);
    /// Takes loads instead of those it had.
    fn read_loads(&mut self, loads: Loads<'_>);
    /// What a factorisation costs, in units of a segment of a chain.
    fn cost(&self) -> f64;
    /// Gives it another length: more or less of `rod`.
    fn set_length(&mut self, rod: &AnyRod, length: f64);
    /// Puts its ends where they are held, as far as its coordinates can.
    fn set_ends(&self, ends: &[End; 2], state: &mut State);
    /// Evaluates forces and residual at `state`, whose ends are on `ends`.
    fn evaluate(&mut self, layout: &Layout, world: &World<'_>, ends: [End; 2], state: &mut State);
    /// What its start and end ask of what holds them. Frames that are free ask for nothing.
    fn reactions(&self, layout: &Layout, state: &State) -> [Wrench; 2];
    /// Distance of its end from where it is held, m.
    fn gap(&self) -> Vec3;
    /// Rotation of its end from where it is held, rad; zero where its frame is a coordinate.
    fn turn_gap(&self) -> f64;
    /// Largest mean strain along the rod, where multipliers inside hold its length; zero where it cannot change.
    fn stretch(&self) -> f64 {
        0.0
    }
    /// Whether it is folded onto itself within one piece, where no equilibrium of a rod can be told.
    fn is_folded(&self) -> bool {
        false
    }
    /// Size of what does not balance inside.
    fn norms(&self) -> Norms;
    /// Position of its centreline at arc length `s`, m.
    fn place(&self, state: &State, s: f64) -> Vec3;
    /// Internal force at its start and end, N.
    fn end_forces(&self) -> Option<[Vec3; 2]>;
    /// Derivative of the Lagrangian by the flow at its end (0) or start (1), N.
    fn flow_force(&self, state: &State, side: usize) -> f64;
    /// Factorises; returns the form of the interface and the negative directions found inside.
    fn factorise(
        &mut self,
        layout: &Layout,
        state: &State,
        shift: f64,
        proximal: f64,
        scratch: &mut ChainScratch,
    ) -> Result<(Local, usize), SingularPivot>;
    /// Eliminates the residual; returns what it leaves on the interface, but for the force.
    fn eliminate_residual(
        &mut self,
        layout: &Layout,
        state: &State,
        scratch: &mut ChainScratch,
    ) -> LocalVector;
    /// Finds the loads without potential, whose places are asked how they turn, at the last evaluation; returns how many.
    fn find_turning_loads(&mut self) -> usize {
        0
    }
    /// Rotation of the place of such a load along the step, rad.
    fn turned(&self, _: usize) -> Vec3 {
        Vec3::zeros()
    }
    /// From now on eliminates the residual with what such loads gain where their places turn by these, or as it is.
    fn set_load_turns(&mut self, _: &[Vec3]) {}
    /// From now on eliminates the residual with these forces besides, N, at shares of its length, or as it is.
    fn push(&mut self, forces: &[(f64, Vec3)]);
    /// Displacement along the step from `state` of the place at a share of its length, m.
    fn moved(&self, state: &State, share: f64) -> Vec3;
    /// Completes the step inside from that of the interface.
    fn back_substitute(&mut self, layout: &Layout, interface: &LocalVector);
    /// Moves the coordinates inside along the step.
    fn advance(&self, state: &mut State, scale: f64);
    /// Gives `state` the multipliers inside that the step asks for, where there are any.
    fn take_multipliers(&self, _: &mut State) {}
    /// From now on judges the step by the multipliers inside that it began with; only to compare with.
    #[cfg(test)]
    fn keep_multipliers(&mut self) {}
    /// Slope of the merit along the step inside: without penalty, and what a unit of it takes away.
    fn slope(&self, layout: &Layout) -> (f64, f64);
    /// The moment at the end that the step asks for, where that is a multiplier.
    fn new_moment(&self) -> Vec3;
    /// Merit of a trial state so many steps `ahead`, or of that of the last evaluation, but for the distance of its end; position of the end.
    /// `moment` holds the frame there, where that is a multiplier.
    fn trial(
        &self,
        ends: &[End; 2],
        state: &State,
        moment: &Vec3,
        rho: f64,
        ahead: Option<f64>,
    ) -> (f64, Vec3);
    /// Largest rotation, and largest change of angle between neighbours, of the step, rad.
    fn step_size(&self) -> (f64, f64);
    /// Size of the energies at hand, for round-off, J, at the state of the last evaluation.
    fn energy_scale(&self, state: &State) -> f64;
    /// The solution along the span, at the state of the last evaluation.
    fn profile(&mut self, state: &State) -> Profile;
    /// What every element misses of the curvature that balances the forces, ∫ |K⁻¹Rᵀm − (u − û)| ds, rad;
    /// empty for a chain.
    fn missed_curvature(&self) -> Vec<f64>;
    /// Energy of its weight at the last evaluation, J, where the kernel has it at hand.
    fn weight_energy(&self) -> Option<f64> {
        None
    }
    /// What acts at its points. Who changes it evaluates and factorises anew.
    fn taps(&mut self) -> &mut Taps;
    /// Where its targets in motion are, given what has slid at its start and end beyond what was
    /// expected.
    fn set_slid(&mut self, slid: [f64; 2]);
    /// Damps strains: the moment gains `share` times what they change from those of `state`.
    fn damp(&mut self, rod: &AnyRod, state: &RodState, share: f64);
    /// From now on eliminates all that lies inside by one dense matrix, where the model knows how; only to
    /// compare with.
    fn compose(&mut self) {}
    /// Ends what [`SpanKernel::damp`] began.
    fn undamp(&mut self, rod: &AnyRod);
}

/// Size of a residual.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Norms {
    pub(crate) force: f64,
    pub(crate) largest_force: f64,
    /// Largest force the arithmetic cannot tell from zero.
    pub(crate) round_off: f64,
}

/// From one length, on the first flow, to the flows that change it.
pub(crate) fn spread_length(s: &mut Local, layout: &Layout) {
    let row = s.row(FLOW).into_owned();
    for side in 0..2 {
        let sign = if layout.flows[side] { GROWS[side] } else { 0.0 };
        for k in 0..FLOW {
            s[(FLOW + side, k)] = sign * row[k];
            s[(k, FLOW + side)] = sign * row[k];
        }
        for other in 0..2 {
            let both = if layout.flows[other] { sign * GROWS[other] } else { 0.0 };
            s[(FLOW + side, FLOW + other)] = both * row[FLOW];
        }
    }
}
