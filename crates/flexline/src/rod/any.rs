//! A rod of any model, for structures that mix them.

use super::curvature::{CurvatureRod, CurvatureSpan};
use super::kernel::{Layout, Loads, SpanKernel};
use super::mixed::{MixedRod, MixedSpan, PlaceOnChain};
use super::spline::{self, SplineRod, SplineSpan};
use super::{Entries, Matter, Rod, RodState, Station, StationJacobian};
use crate::algebra::collocation::POINTS;
use crate::algebra::{Quat, Vec3, rotation};
use crate::body::pose::not_unit;
use crate::section::{SectionError, positive};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

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

/// Least number of pieces of the axis of a rod of elements.
const AXIS_PIECES: usize = 64;

impl AnyRod {
    fn inner(&self) -> &dyn Rod {
        match self {
            Self::Mixed(rod) => rod,
            Self::Curvature(rod) => rod,
            Self::Spline(rod) => rod,
        }
    }

    /// The chain of nodes and frames, where the rod is one.
    pub fn as_mixed(&self) -> Option<&MixedRod> {
        match self {
            Self::Mixed(rod) => Some(rod),
            Self::Curvature(_) | Self::Spline(_) => None,
        }
    }

    /// Refuses a rod that no solver can take: made of what is no section, or with a length that is none.
    pub fn check(&self) -> Result<(), SectionError> {
        if let Self::Mixed(MixedRod { flaw: Some(flaw), .. }) = self {
            return Err(flaw.clone());
        }
        positive("the length of the rod", self.length(), "m", "give it a length")
    }

    /// Arc lengths at which the rod is drawn and reported, from 0 to its length.
    pub fn arcs(&self) -> &[f64] {
        match self {
            Self::Mixed(rod) => rod.mesh().nodes(),
            Self::Curvature(rod) => rod.arcs(),
            Self::Spline(rod) => rod.arcs(),
        }
    }

    /// Number of stretches between [`AnyRod::arcs`].
    pub fn segments(&self) -> usize {
        self.arcs().len() - 1
    }

    /// What it is divided into: how many, and of what.
    pub fn pieces(&self) -> (usize, &'static str) {
        match self {
            Self::Mixed(rod) => (rod.segments(), "segments"),
            Self::Curvature(rod) => (rod.elements(), "elements"),
            Self::Spline(rod) => (rod.elements(), "elements"),
        }
    }

    /// What it is divided into, in words: "100 segments", "8 elements".
    pub fn resolution(&self) -> String {
        let (count, what) = self.pieces();
        format!("{count} {what}")
    }

    /// Mass of the whole rod, kg.
    pub fn total_mass(&self) -> f64 {
        match self {
            Self::Mixed(rod) => rod.total_mass(),
            Self::Curvature(rod) => rod.total_mass(),
            Self::Spline(rod) => rod.total_mass(),
        }
    }

    /// K1, K2, K3 at the beginning, N m².
    pub fn first_stiffness(&self) -> Vec3 {
        match self {
            Self::Mixed(rod) => rod.stiffnesses().first().copied().unwrap_or_else(Vec3::zeros),
            Self::Curvature(rod) => rod.section_at(0.0).stiffness,
            Self::Spline(rod) => rod.section_at(0.0).stiffness,
        }
    }

    /// Least and largest stiffness anywhere, N m²; `None` where a rod cannot be made softer.
    pub(crate) fn stiffness_range(&self) -> Option<[f64; 2]> {
        let range = |all: &mut dyn Iterator<Item = Vec3>| {
            all.fold([f64::INFINITY, 0.0f64], |[least, most], k| [least.min(k.min()), most.max(k.max())])
        };
        match self {
            Self::Mixed(rod) => Some(range(&mut rod.stiffnesses().iter().copied())),
            Self::Curvature(_) => None,
            Self::Spline(rod) => Some(range(&mut rod.points.iter().map(|p| p.stiffness))),
        }
    }

    /// Makes this `rod`, nowhere stiffer than `most`, N m².
    pub(crate) fn limit_stiffness(&mut self, rod: &Self, most: f64) {
        match (self, rod) {
            (Self::Mixed(own), Self::Mixed(rod)) => {
                for ((own, spring), k) in own.spring.iter_mut().zip(&rod.spring).zip(rod.stiffnesses()) {
                    *own = spring.zip_map(k, |spring, k| spring * (most / k).min(1.0));
                }
            }
            (Self::Spline(own), Self::Spline(rod)) => {
                for (own, point) in own.points.iter_mut().zip(&rod.points) {
                    own.stiffness = point.stiffness.map(|k| k.min(most));
                }
            }
            _ => {}
        }
    }

    /// Makes this `rod`, a rod of elements, so many times as stiff everywhere.
    pub(crate) fn scale_stiffness(&mut self, rod: &Self, factor: f64) {
        match (self, rod) {
            (Self::Curvature(own), Self::Curvature(rod)) => own.scale_stiffness(rod, factor),
            (Self::Spline(own), Self::Spline(rod)) => {
                for (own, point) in own.points.iter_mut().zip(&rod.points) {
                    own.stiffness = point.stiffness * factor;
                }
            }
            _ => {}
        }
    }

    /// This rod with every segment or element divided into `parts`, as far as it knows what it is made of; `None` where
    /// there would be too many.
    pub(crate) fn divided(&self, parts: usize) -> Option<Self> {
        match self {
            Self::Mixed(rod) => rod.divided(parts).map(Self::Mixed),
            Self::Curvature(rod) => rod.divided(parts).map(Self::Curvature),
            Self::Spline(rod) => rod.divided(parts).map(Self::Spline),
        }
    }

    /// Bending and twisting parts of the elastic energy, J.
    pub fn energy_parts(&self, state: &RodState) -> (f64, f64) {
        match self {
            Self::Mixed(rod) => rod.energy_parts(state),
            Self::Curvature(rod) => rod.energy_parts(state),
            Self::Spline(rod) => rod.energy_parts(state),
        }
    }

    /// Total twist of the rod in turns: ∫ τ ds / 2π.
    pub fn twist_turns(&self, state: &RodState) -> f64 {
        match self {
            Self::Mixed(rod) => rod.twist_turns(state),
            Self::Curvature(rod) => rod.twist_turns(state),
            Self::Spline(rod) => rod.twist_turns(state),
        }
    }

    /// A state along the given stations, its frames wound up by `twist` (rad) more towards its end: full turns
    /// count, however many there are between two stations.
    pub fn state_wound(&self, shape: &dyn Fn(f64) -> Station, twist: f64) -> RodState {
        // Elements follow frames well that turn slowly: the bend is then where the shape has it.
        if self.as_mixed().is_none() && twist.abs() < TAU * self.pieces().0 as f64 {
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

    /// Turns a rod about its own tangent by these angles (rad) at its start and end, and evenly between.
    pub(crate) fn add_twist(&self, state: &mut RodState, turns: [f64; 2]) {
        match self {
            Self::Mixed(rod) => rod.add_twist(state, turns),
            Self::Curvature(rod) => rod.add_twist(&mut state.coordinates, turns),
            Self::Spline(rod) => rod.add_twist(&mut state.coordinates, turns),
        }
    }

    /// The torque at the end of a rod by its own twist there, N m, where a moment at the end is an unknown: of a rod by
    /// its curvatures. Others find it from their frames.
    pub(crate) fn end_torque(&self, state: &RodState) -> Vec3 {
        match self {
            Self::Mixed(_) | Self::Spline(_) => Vec3::zeros(),
            Self::Curvature(rod) => rod.end_torque(state),
        }
    }

    /// Arc lengths at which its segments or elements end, from 0 to its length.
    pub fn piece_ends(&self) -> Vec<f64> {
        match self {
            Self::Mixed(rod) => rod.mesh().nodes().to_vec(),
            Self::Curvature(rod) => rod.element_ends(),
            Self::Spline(rod) => rod.element_ends(),
        }
    }

    /// The state in which this rod has the shape of another one, at the same shares of their lengths; full turns included.
    pub fn shaped_as(&self, other: &Self, state: &RodState) -> RodState {
        let scale = other.length() / self.length();
        let mut own = self.state_from(&|s| other.station(state, s * scale));
        if let Self::Mixed(rod) = self {
            // Orientations alone forget full turns.
            for j in 0..=rod.segments() {
                let (a, b) = (rod.frame_arc(j), rod.frame_arc(j + 1));
                own.twist[j] = other.strain(state, 0.5 * (a + b) * scale).z * scale * (b - a);
            }
            rod.remember_twist(&mut own);
        }
        own
    }

    /// Largest strain of the centreline at any place, where length is held on average only: of a spline.
    pub fn local_stretch(&self, state: &RodState) -> Option<f64> {
        match self {
            Self::Mixed(_) | Self::Curvature(_) => None,
            Self::Spline(rod) => Some(rod.local_stretch(&state.coordinates)),
        }
    }

    /// By how much lengths are missed at any place, relative to them: the local stretch of a spline, what the segments of
    /// a chain are off where their frames put them. Curvature rods cannot stretch.
    pub(crate) fn length_error(&self, state: &RodState) -> f64 {
        match self {
            Self::Mixed(rod) => rod.segment_error(state),
            Self::Curvature(_) => 0.0,
            Self::Spline(rod) => rod.local_stretch(&state.coordinates),
        }
    }

    /// Numbers of points and frames of [`AnyRod::matter`].
    pub(crate) fn matter_count(&self) -> [usize; 2] {
        match self {
            Self::Mixed(rod) => [rod.segments() + 1, rod.segments() + 2],
            Self::Curvature(rod) => [POINTS * rod.fixed_pieces().len(); 2],
            Self::Spline(rod) => [spline::POINTS * rod.elements(); 2],
        }
    }

    /// Where its mass is, and how it is turned.
    pub(crate) fn matter(&self, state: &RodState) -> Matter {
        match self {
            Self::Mixed(rod) => rod.matter(state),
            Self::Curvature(rod) => rod.matter(state),
            Self::Spline(rod) => rod.matter(state),
        }
    }

    /// A guess: shifts every point of its matter, and turns every frame by a rotation in material axes, as far as a
    /// solver does not do so by itself.
    pub(crate) fn guess(
        &self,
        state: &mut RodState,
        shift: &dyn Fn(usize) -> Vec3,
        turn: &dyn Fn(usize) -> Vec3,
    ) {
        match self {
            Self::Mixed(rod) => {
                for j in 0..rod.segments() + 2 {
                    let q = rotation::displaced(&rod.frame(state, j), &turn(j));
                    rod.set_frame(state, j, &q);
                }
            }
            // Its frames follow from curvatures, which begin where they are.
            Self::Curvature(_) => {}
            Self::Spline(rod) => rod.move_points(state, shift, turn),
        }
    }

    /// Arc lengths of the points and of the frames of [`AnyRod::matter`].
    pub(crate) fn matter_arcs(&self) -> [Vec<f64>; 2] {
        match self {
            Self::Mixed(rod) => {
                [rod.mesh().nodes().to_vec(), (0..rod.segments() + 2).map(|j| rod.frame_arc(j)).collect()]
            }
            Self::Curvature(rod) => [rod.matter_arcs(), rod.matter_arcs()],
            Self::Spline(rod) => [rod.matter_arcs(), rod.matter_arcs()],
        }
    }

    /// What the solver works with, under loads.
    pub(crate) fn kernel(&self, loads: Loads<'_>, layout: &Layout) -> Box<dyn SpanKernel> {
        match self {
            Self::Mixed(rod) => Box::new(MixedSpan::new(rod, loads)),
            Self::Curvature(rod) => Box::new(CurvatureSpan::new(rod, loads)),
            Self::Spline(rod) => Box::new(SplineSpan::new(rod, loads, layout)),
        }
    }

    /// The order of its error in the length of its pieces, at best.
    pub fn order(&self) -> u32 {
        match self {
            Self::Mixed(_) => 2,
            Self::Curvature(_) | Self::Spline(_) => 4,
        }
    }

    /// Whether it bends at nodes, however short the bend, and not within elements.
    pub(crate) fn bends_at_nodes(&self) -> bool {
        self.as_mixed().is_some()
    }

    /// How many numbers carry its twist as history.
    pub(crate) fn twist_count(&self) -> usize {
        self.as_mixed().map_or(0, |rod| rod.segments() + 1)
    }

    /// Whether a state is one of this rod: of its size, made of numbers, its frames rotations.
    pub(crate) fn owns(&self, state: &RodState) -> bool {
        let numbers = |all: &[f64]| all.iter().all(|c| c.is_finite());
        let sized =
            state.coordinates.len() == self.coordinate_count() && state.twist.len() == self.twist_count();
        let unit = |frame: &Quat| not_unit(frame).is_none();
        sized
            && numbers(&state.coordinates)
            && numbers(&state.twist)
            && match self {
                Self::Mixed(rod) => (0..rod.segments() + 2).all(|j| unit(&rod.frame(state, j))),
                Self::Curvature(rod) => unit(&rod.base(&state.coordinates).1),
                Self::Spline(rod) => {
                    let moves_on = |e: usize| rod.joint_slope(&state.coordinates, e).norm() > 0.0;
                    (0..=rod.elements()).all(moves_on) && unit(&rod.first_frame(&state.coordinates))
                }
            }
    }

    /// Turns and bends it a little: by the angle that `by` has for the coordinate, rad.
    pub(crate) fn shake(&self, state: &mut RodState, by: impl Fn(usize) -> f64) {
        let mut step: Vec<f64> = (0..self.tangent_count()).map(by).collect();
        if let Self::Spline(rod) = self {
            // Control points turn tangents by their distance.
            let h = rod.length() / rod.elements() as f64;
            step[..3 * rod.controls()].iter_mut().for_each(|d| *d *= h);
        }
        self.displace(state, &step);
    }

    /// Where forces act that are given for a share of its length: between the nodes of a chain on the straight line.
    pub(crate) fn place(&self, state: &RodState, share: f64) -> Vec3 {
        match self {
            Self::Mixed(rod) => PlaceOnChain::new(rod, share).position(rod, state),
            _ => self.station(state, share * self.length()).position,
        }
    }

    /// First and second derivative of that place by the share, m.
    pub(crate) fn place_derivatives(&self, state: &RodState, share: f64) -> [Vec3; 2] {
        match self {
            Self::Mixed(rod) => PlaceOnChain::new(rod, share).derivatives(rod, state),
            // x′ = L d3, x″ = L² R (u × e3).
            Self::Curvature(rod) => {
                let (s, length) = (share * rod.length(), rod.length());
                let r = rotation::matrix(&rod.station(state, s).frame);
                let bend = rod.strain(state, s).cross(&Vec3::z()) * length * length;
                [r.column(2) * length, r * bend]
            }
            Self::Spline(rod) => rod.derivatives_at(state, share),
        }
    }

    /// Shares of its length between which its axis is taken piece by piece, appended to `out`: a chain has a node in
    /// the middle of each piece, an element is one piece or many.
    pub(crate) fn axis_shares(&self, out: &mut Vec<f64>) {
        let Self::Mixed(rod) = self else {
            let ends = self.piece_ends();
            let per = AXIS_PIECES.div_ceil(ends.len() - 1);
            out.push(0.0);
            for end in ends.windows(2).map(|end| [end[0], end[1]].map(|s| s / self.length())) {
                out.extend((1..=per).map(|k| end[0] + (end[1] - end[0]) * (k as f64 / per as f64)));
            }
            return;
        };
        let (nodes, length) = (rod.mesh().nodes(), rod.length());
        out.push(0.0);
        out.extend(nodes.windows(2).map(|ends| 0.5 * (ends[0] + ends[1]) / length));
        out.push(1.0);
    }

    /// Position of its start (0) or end (1).
    pub(crate) fn end_position(&self, state: &RodState, side: usize) -> Vec3 {
        match self {
            Self::Mixed(rod) => rod.position(state, side * rod.segments()),
            rod => rod.station(state, side as f64 * rod.length()).position,
        }
    }

    /// Change of strain from one state, where it had the length `was`, to another, place by place as the rod measures it.
    pub(crate) fn strain_change(&self, was: f64, old: &RodState, new: &RodState) -> Vec<Vec3> {
        match self {
            Self::Mixed(rod) => rod.strain_change(was, old, new),
            Self::Curvature(rod) => rod.strain_change(was, old, new),
            Self::Spline(rod) => rod.strain_change(was, old, new),
        }
    }

    /// Moments K Δu of a change of strain, such that their product with another change is its work, ∫ Δu·K Δu′ ds.
    pub(crate) fn strain_moments(&self, change: &[Vec3]) -> Vec<Vec3> {
        match self {
            Self::Mixed(rod) => rod.strain_moments(change),
            Self::Curvature(rod) => rod.strain_moments(change),
            Self::Spline(rod) => rod.strain_moments(change),
        }
    }

    /// The same rod with another length: more or less of it.
    pub fn with_length(&self, length: f64) -> Self {
        let mut own = self.clone();
        match (&mut own, self) {
            (Self::Mixed(own), Self::Mixed(rod)) => own.set_length_from(rod, length),
            (Self::Curvature(own), Self::Curvature(rod)) => own.set_length_from(rod, length),
            (Self::Spline(own), Self::Spline(rod)) => own.set_length_from(rod, length),
            // A copy is of the same kind.
            _ => {}
        }
        own
    }
}

impl Rod for AnyRod {
    fn model(&self) -> &'static str {
        self.inner().model()
    }
    fn length(&self) -> f64 {
        self.inner().length()
    }
    fn coordinate_count(&self) -> usize {
        self.inner().coordinate_count()
    }
    fn tangent_count(&self) -> usize {
        self.inner().tangent_count()
    }
    fn state_from(&self, shape: &dyn Fn(f64) -> Station) -> RodState {
        self.inner().state_from(shape)
    }
    fn rest_state(&self, start: &Station) -> RodState {
        self.inner().rest_state(start)
    }
    fn energy(&self, state: &RodState) -> f64 {
        self.inner().energy(state)
    }
    fn add_gradient(&self, state: &RodState, out: &mut [f64]) {
        self.inner().add_gradient(state, out);
    }
    fn hessian(&self, state: &RodState, out: &mut Entries) {
        self.inner().hessian(state, out);
    }
    fn constraint_count(&self) -> usize {
        self.inner().constraint_count()
    }
    fn constraints(&self, state: &RodState, out: &mut [f64]) {
        self.inner().constraints(state, out);
    }
    fn constraint_jacobian(&self, state: &RodState, out: &mut Entries) {
        self.inner().constraint_jacobian(state, out);
    }
    fn constraint_hessian(&self, state: &RodState, multipliers: &[f64], out: &mut Entries) {
        self.inner().constraint_hessian(state, multipliers, out);
    }
    fn displace(&self, state: &mut RodState, step: &[f64]) {
        self.inner().displace(state, step);
    }
    fn project(&self, state: &mut RodState) {
        self.inner().project(state);
    }
    fn station(&self, state: &RodState, s: f64) -> Station {
        self.inner().station(state, s)
    }
    fn station_jacobian(&self, state: &RodState, s: f64) -> StationJacobian {
        self.inner().station_jacobian(state, s)
    }
    fn strain(&self, state: &RodState, s: f64) -> Vec3 {
        self.inner().strain(state, s)
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
