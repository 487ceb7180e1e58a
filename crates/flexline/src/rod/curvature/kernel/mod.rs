//! A curvature rod (helix or clothoid) between two poses.
//!
//! Its end follows from its coordinates, so that position and frame there are held by multipliers: the
//! force φ, which is an unknown of the network, and the moment µ, which is eliminated here.

/// Calls something for the number of nodes of a rule, so that its loops are unrolled.
macro_rules! with_count {
    ($count:expr, $n:ident => $call:expr) => {
        // As many as FEWEST … POINTS.
        match $count {
            4 => with_count!(4, $n, $call),
            5 => with_count!(5, $n, $call),
            6 => with_count!(6, $n, $call),
            7 => with_count!(7, $n, $call),
            8 => with_count!(8, $n, $call),
            9 => with_count!(9, $n, $call),
            _ => with_count!(POINTS, $n, $call),
        }
    };
    ($value:expr, $n:ident, $call:expr) => {{
        const $n: usize = $value;
        $call
    }};
}

mod composite;
mod elimination;
mod evaluate;
mod extra;
mod form;
mod hold;
mod interface;
mod loads;
mod riccati;
mod second;
mod slid;
mod taps;

use super::walk::Piece;
use super::{CurvatureRod, Stiffness};
use crate::algebra::chain::SingularPivot;
use crate::algebra::small::{inverse3, negative_count3};
use crate::algebra::{Mat3, Quat, Vec3, larger, rotation};
use crate::body::{DistributedLoad, End, PointLoad, Profile, Sample, Taps, Wrench};
use crate::rod::kernel::{
    FLOW, FORCE, GROWS, HELD_COMPLIANCE, Layout, Loads, Local, LocalVector, MOVE_A, Norms, PROXIMAL,
    SpanKernel, TURN_A, TURN_B, World, spread_length,
};
use crate::rod::mixed::ChainScratch;
use crate::rod::{AnyRod, Rod, RodState, State};
use elimination::{Chain, Elimination, Left};
use evaluate::{Point, element_residual};
use extra::{ExtraResidual, TurningLoad};
use form::{COLUMNS, Change, END_MOVE, END_TURN, FIRST, Form, LENGTH, TURN, Transfer};
use hold::FrameHold;
use interface::{Inside, PLACES};
use loads::PieceLoads;
use nalgebra::SMatrix;
use second::Derivatives;

/// Columns of the interface and the moment: ψ_b, y, −δµ, L.
const OWN: usize = 10;
const OWN_TURN: usize = 0;
const OWN_FORCE: usize = 3;
const OWN_MOMENT: usize = 6;
const OWN_LENGTH: usize = 9;
type OwnForm = SMatrix<f64, OWN, OWN>;
type OwnVector = SMatrix<f64, OWN, 1>;

/// T L²/K from which a rod is a rope. Rods that buckle have some tens.
const ROPE: f64 = 1e3;

/// What a piece costs beside a segment of a chain.
const PIECE: f64 = 10.0;

/// A curvature rod as a span.
pub(crate) struct CurvatureSpan {
    rod: CurvatureRod,
    /// That of the rod, or damped.
    stiffness: Vec<Stiffness>,
    point_loads: Vec<PointLoad>,
    distributed_loads: Vec<DistributedLoad>,
    gravity: Vec3,
    taps: Taps,
    /// Whether the length is an unknown.
    length_matters: bool,
    pieces: Vec<Piece>,
    wanted: Vec<Piece>,
    /// Mass and rotary inertia per length at the nodes.
    matter: Vec<(f64, Vec3)>,
    /// Mass of the rod over its length, kg/m.
    mass_per_length: f64,
    loads: PieceLoads,
    points: Vec<Point>,
    /// Position and frame at the beginning of every piece.
    starts: Vec<(Vec3, Quat)>,
    /// Internal force and moment there, world axes.
    inner: Vec<(Vec3, Vec3)>,
    /// The first piece of every element, and one past the last.
    firsts: Vec<usize>,
    at_nodes: Derivatives,
    /// Loads without potential, and what they gain, added to the residual.
    turning_loads: Vec<TurningLoad>,
    extra: ExtraResidual,
    /// Forces from outside that are added to the residual too, at shares of the length.
    pushed: Vec<(f64, Vec3)>,
    evaluated: Evaluated,
    /// Coordinates of every element.
    pairs: Vec<[Vec3; 2]>,
    /// Residual of every curvature coordinate, N m.
    gradient: Vec<Vec3>,
    base_force: Vec3,
    base_moment: Vec3,
    /// ∂/∂L of both.
    base_by_length: (Vec3, Vec3),
    /// Internal force and moment at the end.
    end_inner: (Vec3, Vec3),
    end: (Vec3, Quat),
    gap: Vec3,
    hold: FrameHold,
    clamped: [bool; 2],
    /// The length that turns a missed rotation into a missed distance, m: that of the last evaluation.
    lever: f64,
    moment: Vec3,
    /// Largest force and moment present.
    largest: (f64, f64),
    elimination: Elimination,
    left: Left,
    /// First block and its inverse, where the frame at the start is free.
    free_turn: Option<Mat3>,
    /// BorderRows of −δµ in the form of the interface, and the inverse of its pivot.
    moment_pivot: Mat3,
    moment_row: SMatrix<f64, 3, 16>,
    moment_right: Vec3,
    map: SMatrix<f64, COLUMNS, OWN>,
    /// How the residual of every element changes with what slides at its end, and at its start; empty where its targets
    /// do not move.
    by_slid: Vec<[Change; 2]>,
    step: Step,
    /// The same rod in more pieces, for profiles.
    sampler: Option<Box<Self>>,
}

/// Where a span was evaluated last.
#[derive(Clone, Debug, Default)]
struct Evaluated {
    /// Whether nothing but what is kept here has a say: the rod rests and nobody has changed it since.
    still: bool,
    length: f64,
    coordinates: Vec<f64>,
    force: Vec3,
    moment: Vec3,
    frame: Option<Quat>,
}

impl Evaluated {
    fn remember(&mut self, state: &State, length: f64, still: bool) {
        (self.still, self.length) = (still, length);
        self.coordinates.clone_from(&state.rod.coordinates);
        (self.force, self.moment, self.frame) = (state.end_force, state.end_moment, state.ends[1].frame());
    }
}

/// The step inside a span.
#[derive(Clone, Debug)]
struct Step {
    turn: Vec3,
    shift: Vec3,
    curvatures: Vec<Vec3>,
    moment: Vec3,
    work: f64,
    size: (f64, f64),
    /// Rotation of the places of loads without potential.
    turned: Vec<Vec3>,
    /// By how much the rod grows, m.
    grown: f64,
}

impl CurvatureSpan {
    pub(crate) fn new(rod: &CurvatureRod, loads: Loads<'_>) -> Self {
        Self {
            point_loads: loads.points.to_vec(),
            distributed_loads: loads.distributed.to_vec(),
            ..Self::of(rod)
        }
    }

    /// A rod by itself.
    fn of(rod: &CurvatureRod) -> Self {
        let zero = Vec3::zeros();
        Self {
            stiffness: rod.stiffness.clone(),
            point_loads: Vec::new(),
            distributed_loads: Vec::new(),
            gravity: zero,
            taps: Taps::default(),
            length_matters: false,
            pieces: Vec::new(),
            wanted: Vec::new(),
            matter: Vec::new(),
            mass_per_length: rod.total_mass() / rod.length,
            loads: PieceLoads::default(),
            points: Vec::new(),
            starts: Vec::new(),
            inner: Vec::new(),
            firsts: vec![0; rod.elements() + 1],
            at_nodes: Derivatives::default(),
            turning_loads: Vec::new(),
            extra: ExtraResidual::default(),
            pushed: Vec::new(),
            evaluated: Evaluated::default(),
            pairs: Vec::new(),
            gradient: Vec::new(),
            base_force: zero,
            base_moment: zero,
            base_by_length: (zero, zero),
            end_inner: (zero, zero),
            end: (zero, rotation::identity()),
            gap: zero,
            hold: FrameHold::default(),
            clamped: [false; 2],
            lever: rod.length,
            moment: zero,
            largest: (0.0, 0.0),
            elimination: Elimination::default(),
            left: Left::default(),
            free_turn: None,
            moment_pivot: Mat3::zeros(),
            moment_row: SMatrix::zeros(),
            moment_right: zero,
            map: SMatrix::zeros(),
            by_slid: Vec::new(),
            sampler: None,
            step: Step {
                turn: zero,
                shift: zero,
                curvatures: vec![zero; rod.curvatures()],
                moment: zero,
                work: 0.0,
                size: (0.0, 0.0),
                turned: Vec::new(),
                grown: 0.0,
            },
            rod: rod.clone(),
        }
    }

    /// Finds the pieces that loads and taps act on.
    fn read_loads_on_pieces(&mut self) {
        let Self { rod, pieces, point_loads, distributed_loads, taps, loads, .. } = self;
        loads.read(rod, pieces, point_loads, distributed_loads, &taps.places);
    }

    /// Darboux vector times length at share `t` of an element.
    fn rate(&self, e: usize, t: f64) -> Vec3 {
        let [a, b] = self.rod.shapes(t);
        self.pairs[e][0] * a + self.pairs[e][1] * b
    }

    /// Where the nodes of an element are.
    fn element_places(&self, e: usize) -> impl Iterator<Item = usize> + '_ {
        (self.firsts[e]..self.firsts[e + 1]).flat_map(|p| self.pieces[p].places(p))
    }

    /// Nodes of an element.
    fn element_points(&self, e: usize) -> impl Iterator<Item = &Point> + '_ {
        self.element_places(e).map(|j| &self.points[j])
    }

    /// Position of the beginning of an element.
    fn begin_of(&self, e: usize) -> Vec3 {
        self.starts[self.firsts[e]].0
    }

    /// Elastic energy, damping included.
    fn elastic(&self, coordinates: &[f64]) -> f64 {
        let rest = self.rod.length * self.rod.rest_energy();
        rest + (0..self.rod.elements())
            .map(|e| self.stiffness[e].energy(&self.rod.pair(coordinates, e), self.rod.length).sum())
            .sum::<f64>()
    }

    /// Whether the last evaluation was at these coordinates, forces and frames, in the same world.
    fn was_at(&self, layout: &Layout, world: &World<'_>, state: &State) -> bool {
        let at = &self.evaluated;
        at.still
            && at.length == self.rod.length
            && self.gravity == world.gravity
            && self.taps.poles == world.poles
            && self.length_matters == layout.flows.contains(&true)
            && self.clamped == layout.clamped
            && (at.force, at.moment, at.frame) == (state.end_force, state.end_moment, state.ends[1].frame())
            && at.coordinates == state.rod.coordinates
    }

    /// Evaluates at `state` with the present pieces.
    fn evaluate_here(&mut self, state: &State) {
        let c = &state.rod.coordinates;
        self.pairs.clear();
        self.pairs.extend((0..self.rod.elements()).map(|e| self.rod.pair(c, e)));
        self.go_forwards(c);
        if let Some(target) = state.ends[1].frame() {
            self.hold = FrameHold::new(&self.end.1, &target);
        }
        self.moment = state.end_moment;
        let holding = if self.clamped[1] { self.hold.by_end.tr_mul(&self.moment) } else { Vec3::zeros() };
        self.go_backwards(c, &state.end_force, &holding);
    }

    /// The form of ψ_b, y, −δµ and L by themselves, before the rod is eliminated.
    fn own_form(&self, layout: &Layout) -> OwnForm {
        let mut d = OwnForm::zeros();
        if layout.clamped[1] {
            let (own, _) = self.hold.second(&self.moment);
            d.fixed_view_mut::<3, 3>(OWN_TURN, OWN_TURN).copy_from(&own);
            d.fixed_view_mut::<3, 3>(OWN_MOMENT, OWN_TURN).copy_from(&-self.hold.by_end.transpose());
            d.fixed_view_mut::<3, 3>(OWN_TURN, OWN_MOMENT).copy_from(&-self.hold.by_end);
        }
        if self.length_matters {
            let length = self.rod.length;
            let begin = self.starts[0].0;
            let reach = (self.end.0 - begin) / length;
            let (_, loads) = self.length_terms();
            let own = self.stiffness.iter().zip(&self.pairs);
            let elastic: f64 = own.map(|(s, v)| s.by_length_twice(v, length)).sum();
            d[(OWN_LENGTH, OWN_LENGTH)] = loads + elastic;
            for i in 0..3 {
                d[(OWN_FORCE + i, OWN_LENGTH)] = reach[i];
                d[(OWN_LENGTH, OWN_FORCE + i)] = reach[i];
            }
        }
        d
    }
}

impl SpanKernel for CurvatureSpan {
    fn length(&self) -> f64 {
        self.rod.length
    }

    fn stiffness(&self) -> f64 {
        self.rod.mean_stiffness()
    }

    fn take_rod(&mut self, rod: &AnyRod) {
        if let AnyRod::Curvature(rod) = rod {
            self.rod = rod.clone();
            self.stiffness.clone_from(&rod.stiffness);
            self.mass_per_length = rod.total_mass() / rod.length;
            // Points know its weight.
            self.points.clear();
            self.evaluated.still = false;
        }
    }

    fn read_loads(&mut self, loads: Loads<'_>) {
        self.point_loads = loads.points.to_vec();
        self.distributed_loads = loads.distributed.to_vec();
        // Pieces are chosen by the loads on them.
        self.pieces.clear();
        self.points.clear();
        self.evaluated.still = false;
    }

    fn cost(&self) -> f64 {
        PIECE * self.pieces.len().max(self.rod.elements()) as f64
    }

    fn set_length(&mut self, rod: &AnyRod, length: f64) {
        if length == self.rod.length {
            return;
        }
        self.evaluated.still = false;
        if let AnyRod::Curvature(rod) = rod {
            self.rod.set_length_from(rod, length.max(1e-3 * rod.length));
            self.read_loads_on_pieces();
        }
    }

    fn set_ends(&self, ends: &[End; 2], state: &mut State) {
        let (_, frame) = self.rod.base(&state.rod.coordinates);
        let frame = ends[0].frame().unwrap_or(frame);
        self.rod.set_base(&mut state.rod.coordinates, &ends[0].position, &frame);
    }

    fn evaluate(&mut self, layout: &Layout, world: &World<'_>, ends: [End; 2], state: &mut State) {
        if !self.was_at(layout, world, state) {
            self.gravity = world.gravity;
            self.taps.see(world.poles);
            self.length_matters = layout.flows.contains(&true);
            self.clamped = layout.clamped;
            self.lever = self.rod.length;
            self.choose_pieces(&state.rod.coordinates);
            self.evaluate_here(state);
            self.evaluated.remember(state, self.rod.length, self.taps.inertia.is_none());
        }
        self.gap = if layout.held { self.end.0 - ends[1].position } else { Vec3::zeros() };
    }

    fn reactions(&self, layout: &Layout, state: &State) -> [Wrench; 2] {
        let only = |clamped: bool, moment: Vec3| if clamped { moment } else { Vec3::zeros() };
        [
            Wrench { force: self.base_force, moment: only(layout.clamped[0], self.base_moment) },
            Wrench {
                force: state.end_force,
                moment: only(layout.clamped[1], self.hold.by_end * state.end_moment),
            },
        ]
    }

    fn gap(&self) -> Vec3 {
        self.gap
    }

    fn turn_gap(&self) -> f64 {
        if self.clamped[1] { self.hold.value.norm() } else { 0.0 }
    }

    fn norms(&self) -> Norms {
        let length = self.rod.length;
        // Squares, until all are known.
        let mut force = 0.0f64;
        for (i, g) in self.gradient.iter().enumerate() {
            let pieces = 1.0 / self.rod.shares[self.rod.owner[i]];
            force = larger(force, g.norm_squared() * pieces.powi(4));
        }
        let mut force = force.sqrt() / length;
        if !self.clamped[0] {
            force = larger(force, self.base_moment.norm() / length);
        }
        let least = self.rod.shares.iter().fold(1.0f64, |m, s| m.min(*s)) * length;
        let springs = self.taps.sum_of_springs();
        // Loads that carry the weight leave its round-off, and so do curvatures that cancel.
        let weight = self.gravity.norm() * self.mass_per_length * length;
        let bent = self.stiffness() / (length * least);
        Norms {
            force,
            largest_force: larger(self.largest.0, self.largest.1 / length),
            round_off: f64::EPSILON
                * (64.0 * (weight + bent + self.largest.0 + self.largest.1 / least))
                    .max(8.0 * springs * length * length / least),
        }
    }

    fn place(&self, state: &State, s: f64) -> Vec3 {
        self.rod.station(&state.rod, s).position
    }

    fn end_forces(&self) -> Option<[Vec3; 2]> {
        Some([-self.base_force, self.end_inner.0])
    }

    fn flow_force(&self, _: &State, side: usize) -> f64 {
        GROWS[side] * self.length_force() + self.slid_force(side)
    }

    fn factorise(
        &mut self,
        layout: &Layout,
        _: &State,
        shift: f64,
        proximal: f64,
        _: &mut ChainScratch,
    ) -> Result<(Local, usize), SingularPivot> {
        let length = self.rod.length;
        // What is left unbalanced of a tension T, a share of T, stands against the spin of a rope: where T L² is large
        // beside the stiffness, a little of that alone would be lost.
        let own = self.rod.softest() / (length * length);
        let taut = proximal.clamp(-PROXIMAL, PROXIMAL) * (self.largest.0 - ROPE * own).max(0.0);
        let regularisation = own * proximal + taut;
        let (end_turn, cross) =
            if layout.clamped[1] { self.hold.second(&self.moment) } else { (Mat3::zeros(), Mat3::zeros()) };
        let (mut elimination, mut left, mut at_nodes) = (
            std::mem::take(&mut self.elimination),
            std::mem::take(&mut self.left),
            std::mem::take(&mut self.at_nodes),
        );
        let chain = Chain {
            begins: &self.rod.begins,
            end_turn,
            has_first: self.rod.place(0, 0).is_some(),
            places_matter: self.places_matter() || !self.taps.places.is_empty(),
        };
        let mut by_slid = std::mem::take(&mut self.by_slid);
        by_slid.clear();
        let element = |e: usize, h: &mut Form, by_length: &mut Change, transfer: &mut Transfer| {
            self.differentiate(e, &mut at_nodes, transfer);
            self.add_element(e, (shift, regularisation), &at_nodes, h, by_length);
            by_slid.extend(self.slid_columns(e, &at_nodes));
        };
        let done = elimination.factorise(&chain, element, &mut left);
        // From the last element to the first.
        by_slid.reverse();
        (self.elimination, self.left, self.at_nodes) = (elimination, left, at_nodes);
        self.by_slid = by_slid;
        done?;
        let mut negative = self.left.negative;
        let mut base = self.left.base;
        let mut base_columns = self.base_columns();
        // The raw columns in terms of ψ_b, y, −δµ, L.
        let mut map = SMatrix::<f64, COLUMNS, OWN>::zeros();
        if layout.held {
            map.fixed_view_mut::<3, 3>(END_MOVE, OWN_FORCE).fill_with_identity();
        }
        if layout.clamped[1] {
            map.fixed_view_mut::<3, 3>(END_TURN, OWN_TURN).copy_from(&cross);
            map.fixed_view_mut::<3, 3>(END_TURN, OWN_MOMENT).copy_from(&self.hold.by_end.transpose());
        }
        if self.length_matters {
            map[(LENGTH, OWN_LENGTH)] = 1.0;
        }
        self.map = map;
        let mut compliance = self.left.compliance;
        self.free_turn = None;
        if !layout.clamped[0] {
            // The frame at the start is the span's own: eliminate it too.
            let pivot: Mat3 = base.fixed_view::<3, 3>(0, 0).into();
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            negative += negative_count3(&pivot);
            let beside: Mat3 = base.fixed_view::<3, 3>(3, 0).into();
            let at: SMatrix<f64, 3, COLUMNS> = base_columns.fixed_view::<3, COLUMNS>(0, 0).into();
            let mut view = base.fixed_view_mut::<3, 3>(3, 3);
            view -= beside * inverse * beside.transpose();
            let mut view = base_columns.fixed_view_mut::<3, COLUMNS>(3, 0);
            view -= beside * inverse * at;
            compliance += at.tr_mul(&(inverse * at));
            self.free_turn = Some(inverse);
        }
        let own = self.own_form(layout) - map.tr_mul(&(compliance * map));
        let to_base = base_columns * map;
        // One form of ψ_a, x_0 (6) and the rest (10), then without the moment.
        let mut all = SMatrix::<f64, 16, 16>::zeros();
        all.fixed_view_mut::<6, 6>(0, 0).copy_from(&base);
        all.fixed_view_mut::<6, OWN>(0, 6).copy_from(&to_base);
        all.fixed_view_mut::<OWN, 6>(6, 0).copy_from(&to_base.transpose());
        all.fixed_view_mut::<OWN, OWN>(6, 6).copy_from(&own);
        if !layout.clamped[0] {
            all.fixed_view_mut::<3, 16>(0, 0).fill(0.0);
            all.fixed_view_mut::<16, 3>(0, 0).fill(0.0);
        }
        if layout.clamped[1] {
            let at = 6 + OWN_MOMENT;
            let mut pivot: Mat3 = all.fixed_view::<3, 3>(at, at).into();
            pivot -= Mat3::identity() * (HELD_COMPLIANCE * length / self.stiffness());
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            negative = (negative + negative_count3(&pivot)).saturating_sub(3);
            let row: SMatrix<f64, 3, 16> = all.fixed_view::<3, 16>(at, 0).into();
            all -= row.tr_mul(&(inverse * row));
            self.moment_pivot = inverse;
            self.moment_row = row;
        }
        let mut s = Local::zeros();
        for (k, q) in PLACES {
            for (i, p) in PLACES {
                s[(p, q)] = all[(i, k)];
            }
        }
        spread_length(&mut s, layout);
        self.add_slid(layout, &mut s);
        Ok((s, negative))
    }

    fn find_turning_loads(&mut self) -> usize {
        self.turning_loads = self.turning_loads();
        self.turning_loads.len()
    }

    fn turned(&self, place: usize) -> Vec3 {
        self.step.turned.get(place).copied().unwrap_or_default()
    }

    fn set_load_turns(&mut self, turns: &[Vec3]) {
        self.extra = self.extra_residual_of(turns);
    }

    fn push(&mut self, forces: &[(f64, Vec3)]) {
        self.pushed.clear();
        self.pushed.extend_from_slice(forces);
        self.extra = self.extra_residual_of(&[]);
    }

    fn moved(&self, _: &State, share: f64) -> Vec3 {
        self.moved_at(share)
    }

    fn eliminate_residual(&mut self, layout: &Layout, _: &State, _: &mut ChainScratch) -> LocalVector {
        let Self { rod, gradient, elimination, left, extra, .. } = self;
        let element = |e: usize| {
            let mut own = element_residual(rod, gradient, e);
            if !extra.gradient.is_empty() {
                let gained = element_residual(rod, &extra.gradient, e);
                own.iter_mut().zip(gained).for_each(|(own, gained)| *own += gained);
            }
            own
        };
        elimination.reduce(element, left);
        let [moment, force] = self.at_base();
        let at_base = [moment + self.extra.at_base[0], force + self.extra.at_base[1]];
        let mut local = self.leave(layout, at_base, &self.own_residual(layout));
        self.add_slid_residual(layout, &mut local);
        for side in layout.sides() {
            local[FLOW + side] += GROWS[side] * self.pushed_along();
        }
        local
    }

    fn back_substitute(&mut self, layout: &Layout, w: &LocalVector) {
        self.eliminate_with_slid(layout, w);
        let mut curvatures = std::mem::take(&mut self.step.curvatures);
        let mut turned = std::mem::take(&mut self.step.turned);
        turned.clear();
        let (mut work, mut size) = (0.0, (0.0f64, 0.0f64));
        let inside = self.substitute(layout, w, |e, all| {
            for which in 0..2 {
                if let Some(i) = self.rod.place(e, which) {
                    curvatures[i] = all[FIRST + which];
                    size.1 = size.1.max(curvatures[i].norm() * self.rod.shares[e]);
                }
            }
            size.0 = size.0.max(all[TURN].norm());
            work += self.moment_work_of(e, all);
            self.note_turned(e, all, &mut turned);
        });
        size.0 = size.0.max(inside.last_turn.norm());
        let Inside { turn, shift, moment, .. } = inside;
        let grown = layout.sides().map(|side| GROWS[side] * w[FLOW + side]).sum();
        self.step = Step { turn, shift, curvatures, moment: -moment, work, size, turned, grown };
    }

    fn advance(&self, state: &mut State, scale: f64) {
        let c = &mut state.rod.coordinates;
        let (x, q) = self.rod.base(c);
        let q = rotation::exp(&(self.step.turn * scale)) * q;
        self.rod.set_base(c, &(x + self.step.shift * scale), &(q * (1.0 / q.norm())));
        for (i, v) in self.step.curvatures.iter().enumerate() {
            for axis in 0..3 {
                c[7 + 3 * i + axis] += scale * v[axis];
            }
        }
    }

    fn slope(&self, layout: &Layout) -> (f64, f64) {
        let mut own: f64 = self.gradient.iter().zip(&self.step.curvatures).map(|(g, v)| g.dot(v)).sum();
        if !layout.clamped[0] {
            own += self.base_moment.dot(&self.step.turn);
        }
        if !layout.clamped[1] {
            return (own, 0.0);
        }
        (own + self.step.moment.dot(&self.hold.value), self.lever.powi(2) * self.hold.value.norm_squared())
    }

    fn new_moment(&self) -> Vec3 {
        self.moment + self.step.moment
    }

    fn trial(
        &self,
        ends: &[End; 2],
        state: &State,
        moment: &Vec3,
        rho: f64,
        ahead: Option<f64>,
    ) -> (f64, Vec3) {
        let (mut total, end) = self.trial_energy(&state.rod);
        total -= ahead.unwrap_or(0.0) * self.step.work;
        if let Some(target) = ends[1].frame() {
            let missed = FrameHold::new(&end.1, &target).value;
            total += -moment.dot(&missed) + 0.5 * rho * self.lever.powi(2) * missed.norm_squared();
        }
        (total, end.0)
    }

    fn step_size(&self) -> (f64, f64) {
        self.step.size
    }

    fn energy_scale(&self, state: &State) -> f64 {
        self.rod.energy(&state.rod)
            + self.trial_energy(&state.rod).0.abs()
            + state.end_force.norm() * self.rod.length
            + state.end_moment.norm()
    }

    fn profile(&mut self, state: &State) -> Profile {
        // Beside it, so that the factors at hand still belong to what was evaluated.
        let mut sampler = self.sampler.take().unwrap_or_else(|| Box::new(Self::of(&self.rod)));
        sampler.copy_what_acts_from(self);
        let samples = sampler.sampled(state, &self.pieces);
        self.sampler = Some(sampler);
        Profile { samples }
    }

    fn missed_curvature(&self) -> Vec<f64> {
        (0..self.rod.elements()).map(|e| self.missed_by(e)).collect()
    }

    fn taps(&mut self) -> &mut Taps {
        self.evaluated.still = false;
        self.by_slid.clear();
        &mut self.taps
    }

    fn set_slid(&mut self, slid: [f64; 2]) {
        self.taps.set_slid(slid);
    }

    fn compose(&mut self) {
        self.elimination = Elimination::composite();
    }

    fn damp(&mut self, _: &AnyRod, state: &RodState, share: f64) {
        self.evaluated.still = false;
        for e in 0..self.rod.elements() {
            let v = self.rod.pair(&state.coordinates, e);
            self.stiffness[e] = self.rod.stiffness[e].damped(&v, self.rod.length, share);
        }
    }

    fn undamp(&mut self, _: &AnyRod) {
        self.evaluated.still = false;
        self.stiffness.clone_from(&self.rod.stiffness);
    }

    fn weight_energy(&self) -> Option<f64> {
        Some(CurvatureSpan::weight_energy(self))
    }
}

impl CurvatureSpan {
    /// Takes over rod, loads and surroundings of another.
    fn copy_what_acts_from(&mut self, other: &Self) {
        self.rod.clone_from(&other.rod);
        self.stiffness.clone_from(&other.stiffness);
        self.point_loads.clone_from(&other.point_loads);
        self.distributed_loads.clone_from(&other.distributed_loads);
        self.taps.clone_from(&other.taps);
        (self.gravity, self.clamped) = (other.gravity, other.clamped);
        (self.length_matters, self.lever) = (other.length_matters, other.lever);
    }

    /// The solution where samples are wanted, with pieces that begin there.
    fn sampled(&mut self, state: &State, pieces: &[Piece]) -> Vec<Sample> {
        let per = self.rod.arcs().len() / self.rod.elements();
        self.pieces.clear();
        for p in pieces {
            let inner = (1..per).map(|k| k as f64 / per as f64);
            let mut from = p.from;
            for to in inner.filter(|t| *t > p.from + 1e-9 && *t < p.to - 1e-9).chain([p.to]) {
                self.pieces.push(Piece { from, to, ..*p });
                from = to;
            }
        }
        self.lay_points();
        self.evaluate_here(state);
        let rod = &self.rod;
        let arcs = rod.arcs();
        let mut samples = Vec::with_capacity(arcs.len() + 1);
        for (p, piece) in self.pieces.iter().enumerate() {
            let place = piece.from * per as f64;
            if place.fract().min(1.0 - place.fract()) < 1e-6 {
                let s = arcs[piece.element * per] + rod.shares[piece.element] * rod.length * piece.from;
                samples.push(self.sample(s, piece.element, piece.from, self.starts[p], self.inner[p]));
            }
        }
        samples.push(self.sample(rod.length, rod.elements() - 1, 1.0, self.end, self.end_inner));
        samples
    }

    fn sample(&self, s: f64, element: usize, t: f64, at: (Vec3, Quat), inner: (Vec3, Vec3)) -> Sample {
        let strain = self.rate(element, t) / self.rod.length;
        let section = self.rod.section_at(s);
        Sample {
            s,
            position: at.0,
            frame: at.1,
            strain,
            // From the balance, which is more exact than curvatures that jump.
            moment_material: rotation::rotate(&at.1.conjugate(), &inner.1),
            force_world: inner.0,
            radius: section.contact_radius,
        }
    }
}
