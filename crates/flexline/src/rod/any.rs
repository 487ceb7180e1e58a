//! A rod of any model, for structures that mix them.

use super::curvature::CurvatureRod;
use super::kernel::{Layout, Loads, SpanKernel};
use super::mixed::MixedRod;
use super::model::Model;
use super::spline::SplineRod;
use super::{Entries, Matter, Rod, RodState, Station, StationJacobian};
use crate::algebra::{Vec3, rotation};
use crate::section::{SectionError, positive};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use std::ops::Range;

/// A rod of any model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnyRod {
    /// Nodes and frames (Grégoire), or nodes and edge angles.
    Mixed(MixedRod),
    /// Curvatures of elements: helices or space clothoids.
    Curvature(CurvatureRod),
    /// A cubic B-spline with twist.
    Spline(SplineRod),
}

impl From<MixedRod> for AnyRod {
    fn from(rod: MixedRod) -> Self {
        Self::Mixed(rod)
    }
}

impl From<CurvatureRod> for AnyRod {
    fn from(rod: CurvatureRod) -> Self {
        Self::Curvature(rod)
    }
}

impl From<SplineRod> for AnyRod {
    fn from(rod: SplineRod) -> Self {
        Self::Spline(rod)
    }
}

impl AnyRod {
    fn inner(&self) -> &dyn Model {
        match self {
            Self::Mixed(rod) => rod,
            Self::Curvature(rod) => rod,
            Self::Spline(rod) => rod,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn Model {
        match self {
            Self::Mixed(rod) => rod,
            Self::Curvature(rod) => rod,
            Self::Spline(rod) => rod,
        }
    }

    /// The chain of nodes and frames, where the rod is one.
    pub fn as_mixed(&self) -> Option<&MixedRod> {
        if let Self::Mixed(rod) = self { Some(rod) } else { None }
    }
}

/// Methods that the model has, under the same names.
macro_rules! of_the_model {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident(&self $(, $arg:ident: $kind:ty)*) $(-> $out:ty)?;)*) => {
        $($(#[$doc])* $vis fn $name(&self $(, $arg: $kind)*) $(-> $out)? {
            self.inner().$name($($arg),*)
        })*
    };
}

impl AnyRod {
    of_the_model! {
        /// Arc lengths at which the rod is drawn and reported, from 0 to its length.
        pub fn arcs(&self) -> &[f64];
        /// What it is divided into: how many, and of what.
        pub fn pieces(&self) -> (usize, &'static str);
        /// Arc lengths at which its segments or elements end, from 0 to its length.
        pub fn piece_ends(&self) -> Vec<f64>;
        /// The order of its error in the length of its pieces, at best.
        pub fn order(&self) -> u32;
        /// Mass of the whole rod, kg.
        pub fn total_mass(&self) -> f64;
        /// K1, K2, K3 at the beginning, N m².
        pub fn first_stiffness(&self) -> Vec3;
        /// Bending and twisting parts of the elastic energy, J.
        pub fn energy_parts(&self, state: &RodState) -> (f64, f64);
        /// Total twist of the rod in turns: ∫ τ ds / 2π.
        pub fn twist_turns(&self, state: &RodState) -> f64;
        /// Its natural strain as rows of arc length and strain, linear between them; a repeated arc length is a jump. What is made of
        /// these rows with the same pieces has the same natural strain, a spline to its order.
        pub fn natural_rows(&self) -> Vec<(f64, Vec3)>;
        /// Largest strain of the centreline at any place, where length is held on average only: of a spline.
        pub fn local_stretch(&self, state: &RodState) -> Option<f64>;

        // What these are is told in `model.rs`.
        pub(crate) fn most_pieces(&self) -> usize;
        pub(crate) fn bends_at_nodes(&self) -> bool;
        pub(crate) fn stiffness_range(&self) -> Option<[f64; 2]>;
        pub(crate) fn divided(&self, parts: usize) -> Option<AnyRod>;
        pub(crate) fn add_twist(&self, state: &mut RodState, turns: [f64; 2]);
        pub(crate) fn end_torque(&self, state: &RodState) -> Vec3;
        pub(crate) fn twist_count(&self) -> usize;
        pub(crate) fn length_error(&self, state: &RodState) -> f64;
        pub(crate) fn strain_change(&self, was: f64, old: &RodState, new: &RodState) -> Vec<Vec3>;
        pub(crate) fn strain_moments(&self, change: &[Vec3]) -> Vec<Vec3>;
        pub(crate) fn matter_count(&self) -> [usize; 2];
        pub(crate) fn matter(&self, state: &RodState) -> Matter;
        pub(crate) fn matter_arcs(&self) -> [Vec<f64>; 2];
        pub(crate) fn go_on(&self, state: &mut RodState, before: &RodState, by: f64);
        pub(crate) fn guess(
            &self,
            state: &mut RodState,
            shift: &dyn Fn(usize) -> Vec3,
            turn: &dyn Fn(usize) -> Vec3
        );
        pub(crate) fn curvature_coordinates(&self, count: usize) -> Range<usize>;
        pub(crate) fn place(&self, state: &RodState, share: f64) -> Vec3;
        pub(crate) fn place_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 2];
        pub(crate) fn place_and_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 3];
        pub(crate) fn end_position(&self, state: &RodState, side: usize) -> Vec3;
        pub(crate) fn axis_shares(&self, out: &mut Vec<f64>);
        pub(crate) fn kernel(&self, loads: Loads<'_>, layout: &Layout) -> Box<dyn SpanKernel>;
    }

    /// Refuses a rod that no solver can take: made of what is no section, or with a length that is none.
    pub fn check(&self) -> Result<(), SectionError> {
        match self.inner().flaw() {
            Some(flaw) => Err(flaw.clone()),
            None => positive("the length of the rod", self.length(), "m", "give it a length"),
        }
    }

    /// Number of stretches between [`AnyRod::arcs`].
    pub fn segments(&self) -> usize {
        self.arcs().len() - 1
    }

    /// What it is divided into, in words: "100 segments", "8 elements".
    pub fn resolution(&self) -> String {
        let (count, what) = self.pieces();
        format!("{count} {what}")
    }

    /// Makes this `rod`, nowhere stiffer than `most`, N m².
    pub(crate) fn limit_stiffness(&mut self, rod: &Self, most: f64) {
        self.inner_mut().limit_stiffness(rod, most);
    }

    /// Makes this `rod`, a rod of elements, so many times as stiff everywhere.
    pub(crate) fn scale_stiffness(&mut self, rod: &Self, factor: f64) {
        self.inner_mut().scale_stiffness(rod, factor);
    }

    /// Takes the natural strain with which a state is in equilibrium ([`Model::take_natural`]).
    pub(crate) fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> bool {
        self.inner_mut().take_natural(state, gravity, loads)
    }

    /// The same rod with another length: more or less of it.
    pub fn with_length(&self, length: f64) -> Self {
        let mut own = self.clone();
        own.inner_mut().set_length(self, length);
        own
    }

    /// A state along the given stations, its frames wound up by `twist` (rad) more towards its end: full turns
    /// count, however many there are between two stations.
    pub fn state_wound(&self, shape: &dyn Fn(f64) -> Station, twist: f64) -> RodState {
        // Elements follow frames well that turn slowly: the bend is then where the shape has it.
        if !self.bends_at_nodes() && twist.abs() < TAU * self.pieces().0 as f64 {
            return self.state_from(&|s| {
                let Station { position, frame } = shape(s);
                let turned = rotation::exp(&Vec3::new(0.0, 0.0, twist * s / self.length()));
                Station { position, frame: frame * turned }
            });
        }
        let mut state = self.state_from(shape);
        self.wind(&mut state, twist);
        state
    }

    /// Winds a rod up about its own tangent by `twist` (rad), spread evenly along it.
    pub fn wind(&self, state: &mut RodState, twist: f64) {
        self.add_twist(state, [0.0, twist]);
    }

    /// The state in which this rod has the shape of another one, at the same shares of their lengths; full turns included.
    pub fn shaped_as(&self, other: &Self, state: &RodState) -> RodState {
        let scale = other.length() / self.length();
        let mut own = self.state_from(&|s| other.station(state, s * scale));
        self.inner().carry_turns(&mut own, &|s| other.strain(state, s * scale).z * scale);
        own
    }

    /// Whether a state is one of this rod: of its size, made of numbers, its frames rotations.
    pub(crate) fn owns(&self, state: &RodState) -> bool {
        let numbers = |all: &[f64]| all.iter().all(|c| c.is_finite());
        let sized =
            state.coordinates.len() == self.coordinate_count() && state.twist.len() == self.twist_count();
        sized && numbers(&state.coordinates) && numbers(&state.twist) && self.inner().has_frames(state)
    }

    /// Turns and bends it a little: by the angle that `by` has for the coordinate, rad.
    pub(crate) fn shake(&self, state: &mut RodState, by: impl Fn(usize) -> f64) {
        let mut step: Vec<f64> = (0..self.tangent_count()).map(by).collect();
        self.inner().scale_angles(&mut step);
        self.displace(state, &step);
    }
}

impl Rod for AnyRod {
    of_the_model! {
        fn model(&self) -> &'static str;
        fn length(&self) -> f64;
        fn coordinate_count(&self) -> usize;
        fn tangent_count(&self) -> usize;
        fn state_from(&self, shape: &dyn Fn(f64) -> Station) -> RodState;
        fn rest_state(&self, start: &Station) -> RodState;
        fn energy(&self, state: &RodState) -> f64;
        fn add_gradient(&self, state: &RodState, out: &mut [f64]);
        fn hessian(&self, state: &RodState, out: &mut Entries);
        fn constraint_count(&self) -> usize;
        fn constraints(&self, state: &RodState, out: &mut [f64]);
        fn constraint_jacobian(&self, state: &RodState, out: &mut Entries);
        fn constraint_hessian(&self, state: &RodState, multipliers: &[f64], out: &mut Entries);
        fn displace(&self, state: &mut RodState, step: &[f64]);
        fn project(&self, state: &mut RodState);
        fn station(&self, state: &RodState, s: f64) -> Station;
        fn station_jacobian(&self, state: &RodState, s: f64) -> StationJacobian;
        fn strain(&self, state: &RodState, s: f64) -> Vec3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rod::Breaks;
    use crate::rod::curvature::Basis;
    use crate::rod::mixed::Mesh;
    use crate::section::{Section, SectionProfile, Zone};

    /// With sections and a rest shape that jump, more elements are still the same rod at rest: as heavy, as stiff, and
    /// with its end where it was.
    #[test]
    fn a_divided_rod_is_the_same_rod() {
        let section = |k: f64| Section::measured(k, 2.0 * k, 0.7 * k, 3.0 * k, 0.004).unwrap();
        let zones = vec![Zone::constant(0.0, 0.4, section(0.1)), Zone::constant(0.4, 1.0, section(0.02))];
        let profile = SectionProfile::new(zones).unwrap();
        let rest = |s: f64| if s < 0.7 { Vec3::new(1.0, 0.0, 0.5) } else { Vec3::new(-2.0, 1.0, 0.0) };
        let mut breaks = Breaks::of(&profile);
        breaks.jump(0.7);
        let ends = breaks.divide(1.0, 10).unwrap();
        let curved = |basis| CurvatureRod::with_breaks(basis, &ends, &breaks, &profile, &rest).unwrap();
        let chain = MixedRod::with_breaks(&Mesh::uniform(1.0, 20).unwrap(), &breaks, &profile, &rest);
        let spline = SplineRod::with_breaks(&ends, &breaks, &profile, &rest).unwrap();
        let start = Station { position: Vec3::zeros(), frame: rotation::identity() };
        let rods: [AnyRod; 4] =
            [chain.into(), curved(Basis::Helix).into(), curved(Basis::Clothoid).into(), spline.into()];
        for rod in rods {
            let finer = rod.divided(3).unwrap();
            assert_eq!(finer.pieces().0, 3 * rod.pieces().0);
            assert!((finer.total_mass() - rod.total_mass()).abs() < 1e-9 * rod.total_mass());
            let [own, other] = [&rod, &finer].map(|r| (r.rest_state(&start), r));
            let [a, b] = [&own, &other].map(|(state, r)| r.station(state, 1.0).position);
            // Chains and splines show the natural shape to their own order.
            let exact = matches!(rod, AnyRod::Curvature(_));
            assert!((a - b).norm() < if exact { 1e-9 } else { 5e-3 }, "{}: {a} {b}", rod.model());
            // Wound up by as much they store as much.
            let stored = [own, other].map(|(mut state, r)| {
                r.wind(&mut state, 0.3);
                r.energy(&state) - r.energy(&r.rest_state(&start))
            });
            assert!((stored[0] / stored[1] - 1.0).abs() < 0.1, "{}: {stored:?}", rod.model());
        }
    }
}
