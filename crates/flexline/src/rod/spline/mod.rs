//! The spline rod: a cubic B-spline centreline and a twist angle.
//!
//! Splines as rods: O. Nocent, Y. Rémion, *Continuous deformation energy for dynamic material splines* (2001);
//! A. Theetten, L. Grisoni, C. Andriot, B. Barsky, *Geometrically exact dynamic splines* (2008). Here length is held
//! by multipliers and twist is free of reference frames.
//!
//! Coordinates: control points p, the frame q_0 at s = 0, per element its twist a and what of it is in its middle, b
//! (see `strain.rs`; full turns are part of a and never lost), and the tension, which only solvers change. Tangent
//! coordinates: displacements of control points, rolls φ of the frames between elements, changes of b.
//!
//! Energy: E = ∫ ½ (u − ū)·K (u − ū) ds. Internal constraints: ∫ N_j ½(|r′|² − 1) ds = 0 for the quadratic
//! B-splines N_j of the same knots, which r′ is made of. Their multipliers T_j are the tension, so that tension has
//! the order of r′ and nothing locks. Integrals are by Gauss's rule of four points per element. Lengths of elements are
//! shares of the rod: one that slides through an eye changes L alone.

mod basis;
mod divided;
mod element;
mod fit;
mod kernel;
mod length;
mod model;
mod natural;
mod stored;
pub(crate) mod strain;
#[cfg(test)]
mod tests;

use super::breaks::{Breaks, check_elements};
use super::curvature::CurvatureError;
use super::{Entries, Rod, RodState, Station, StationJacobian};
use crate::algebra::{Quat, Vec3, rotation};
use crate::section::{Section, SectionProfile};
use basis::Knots;
pub(crate) use basis::Values;
pub(crate) use element::{ElementForm, ElementSum, Rows, gather};
pub(crate) use kernel::SplineSpan;
pub(crate) use length::LengthRoom;
use serde::{Deserialize, Serialize};
use strain::{Place, swept};

/// Most elements: bending takes (L/h)³ of the digits, and far beyond these Newton's steps drown in round-off.
pub const MAX_ELEMENTS: usize = 400;
/// Points of the quadrature per element: exact up to degree 7. Lengths and mass have degree 6.
pub(crate) const POINTS: usize = 4;
/// Stretches in which an element is drawn.
pub(crate) const PARTS: usize = 8;

/// Nodes and weights of Gauss's rule of four points on [0, 1].
pub(crate) fn rule() -> [(f64, f64); POINTS] {
    let root = 2.0 * 1.2f64.sqrt();
    let (near, far) = (((3.0 - root) / 7.0).sqrt(), ((3.0 + root) / 7.0).sqrt());
    let (heavy, light) = ((18.0 + 30f64.sqrt()) / 72.0, (18.0 - 30f64.sqrt()) / 72.0);
    let at = |x: f64, w: f64| (0.5 + 0.5 * x, w);
    [at(-far, light), at(-near, heavy), at(near, heavy), at(far, light)]
}

/// A point of the quadrature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Share of its element.
    pub(crate) xi: f64,
    /// Its weight, as a share of the rod.
    pub(crate) weight: f64,
    pub(crate) values: Values,
    /// K_1, K_2, K_3, N m².
    pub(crate) stiffness: Vec3,
    /// Strain at rest, 1/m.
    pub(crate) rest: Vec3,
    /// kg/m.
    pub(crate) mass: f64,
    /// Rotary inertia per length, kg m.
    pub(crate) rotary: Vec3,
}

/// A spline rod: constant during a solve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "stored::Stored", into = "stored::Stored")]
pub struct SplineRod {
    pub(crate) length: f64,
    pub(crate) knots: Knots,
    pub(crate) points: Vec<Point>,
    /// Weights of ρ at the beginning and the end of every element.
    pub(crate) joints: Vec<[[f64; 4]; 2]>,
    section: SectionProfile,
    /// The length that the section was given for: σ counts from there.
    section_length: f64,
    /// Coordinates at rest, from the origin.
    natural: Vec<f64>,
    arcs: Vec<f64>,
}

impl SplineRod {
    /// A rod of `n` elements, equal but for jumps of the section, which lie between elements.
    pub fn new(
        length: f64,
        n: usize,
        section: &SectionProfile,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<Self, CurvatureError> {
        Self::with_elements(&Breaks::of(section).divide(length, n)?, section, rest)
    }

    /// A rod with the given ends of elements, the first of which must be 0. Curvature may jump where the section does.
    pub fn with_elements(
        ends: &[f64],
        section: &SectionProfile,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<Self, CurvatureError> {
        Self::with_breaks(ends, &Breaks::of(section), section, rest)
    }

    /// The same; curvature may jump where `breaks` says and an element ends.
    pub fn with_breaks(
        ends: &[f64],
        breaks: &Breaks,
        section: &SectionProfile,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<Self, CurvatureError> {
        let length = check_elements(ends)?;
        section.check_length(length)?;
        if ends.len() > MAX_ELEMENTS + 1 {
            return Err(CurvatureError::SplineElements(ends.len() - 1));
        }
        let sharp = |e: usize| breaks.jumps_at(ends[e], length);
        let shares: Vec<f64> = ends.iter().map(|s| s / length).collect();
        let knots = Knots::new(&shares, &sharp);
        let n = knots.elements();
        let mut rod = Self {
            length,
            joints: (0..n).map(|e| [knots.at(e, 0.0).slope, knots.at(e, 1.0).slope]).collect(),
            points: Vec::with_capacity(POINTS * n),
            section: section.clone(),
            section_length: length,
            natural: Vec::new(),
            arcs: Vec::new(),
            knots,
        };
        for e in 0..n {
            for (xi, w) in rule() {
                let s = (rod.knots.ends[e] + xi * rod.knots.share(e)) * length;
                let section = rod.section.at(s);
                rod.points.push(Point {
                    xi,
                    weight: w * rod.knots.share(e),
                    values: rod.knots.at(e, xi),
                    stiffness: section.stiffness,
                    rest: Vec3::zeros(),
                    mass: section.mass_per_length,
                    rotary: section.rotary_inertia,
                });
            }
            for k in 0..PARTS {
                let share = rod.knots.ends[e] + rod.knots.share(e) * k as f64 / PARTS as f64;
                rod.arcs.push(length * share);
            }
        }
        rod.arcs.push(length);
        let shape = fit::natural_shape(ends, rest)?;
        let natural = rod.state_from(&|s| shape.at(s));
        // Rest is what splines can show of the natural shape: there the rod is free of stress.
        let frames: Vec<Quat> = rod.joint_frames(&natural.coordinates).collect();
        for e in 0..n {
            for k in POINTS * e..POINTS * (e + 1) {
                let place =
                    rod.place(&natural.coordinates, e, rod.points[k].xi, &rod.points[k].values, frames[e]);
                rod.points[k].rest = place.strain() / length;
            }
        }
        rod.natural = natural.coordinates;
        Ok(rod)
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.knots.elements()
    }

    /// Number of control points.
    pub fn controls(&self) -> usize {
        self.knots.controls()
    }

    /// Number of tensions: multipliers of the length.
    pub(crate) fn tensions(&self) -> usize {
        self.controls() - 1
    }

    /// Arc lengths at which it is drawn and reported.
    pub fn arcs(&self) -> &[f64] {
        &self.arcs
    }

    /// Arc lengths at which elements end, from 0 to the length.
    pub fn element_ends(&self) -> Vec<f64> {
        self.knots.ends.iter().map(|share| share * self.length).collect()
    }

    /// Sections along it; `s` counts on the rod as it is now.
    pub(crate) fn section_at(&self, s: f64) -> Section {
        self.section.at(s * self.section_length / self.length)
    }

    // Where things are among the coordinates.
    pub(crate) fn frame_at(&self) -> usize {
        3 * self.controls()
    }
    pub(crate) fn twist_at(&self, e: usize) -> usize {
        self.frame_at() + 4 + 2 * e
    }
    pub(crate) fn tension_at(&self, j: usize) -> usize {
        self.twist_at(self.elements()) + j
    }

    /// Control point `i`.
    #[inline]
    pub(crate) fn control(&self, c: &[f64], i: usize) -> Vec3 {
        Vec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2])
    }

    pub(crate) fn set_control(&self, c: &mut [f64], i: usize, x: &Vec3) {
        c[3 * i..3 * i + 3].copy_from_slice(x.as_slice());
    }

    /// The sum of the control points of element `e` with the given weights.
    #[inline]
    pub(crate) fn sum(&self, c: &[f64], e: usize, weights: &[f64; 4]) -> Vec3 {
        let first = self.knots.first[e];
        (0..4).map(|i| self.control(c, first + i) * weights[i]).sum()
    }

    /// r_σ at the beginning of element `e`, or at the end of the rod.
    pub(crate) fn joint_slope(&self, c: &[f64], e: usize) -> Vec3 {
        if e < self.elements() {
            self.sum(c, e, &self.joints[e][0])
        } else {
            self.sum(c, e - 1, &self.joints[e - 1][1])
        }
    }

    /// The tangent at the beginning of element `e`, or at the end of the rod.
    pub(crate) fn joint_tangent(&self, c: &[f64], e: usize) -> Vec3 {
        self.joint_slope(c, e).normalize()
    }

    /// Frame at s = 0; its third director is the tangent there.
    pub(crate) fn first_frame(&self, c: &[f64]) -> Quat {
        let at = self.frame_at();
        let q = Quat::new(c[at], c[at + 1], c[at + 2], c[at + 3]);
        rotation::between(&rotation::tangent(&q), &self.joint_tangent(c, 0)) * q
    }

    pub(crate) fn set_first_frame(&self, c: &mut [f64], q: &Quat) {
        let q = q * (1.0 / q.norm());
        c[self.frame_at()..self.frame_at() + 4].copy_from_slice(&[q.w, q.i, q.j, q.k]);
    }

    /// Frames at the beginnings of all elements and at the end.
    pub(crate) fn joint_frames(&self, c: &[f64]) -> impl Iterator<Item = Quat> {
        std::iter::once(self.first_frame(c)).chain(self.frames_until(c, self.elements()))
    }

    /// Frames at the ends of the elements before element `last`.
    fn frames_until(&self, c: &[f64], last: usize) -> impl Iterator<Item = Quat> {
        let begin = (self.first_frame(c), self.joint_tangent(c, 0));
        (0..last).scan(begin, |(frame, tangent), e| {
            let next = self.joint_tangent(c, e + 1);
            let turned = rotation::exp(&Vec3::new(0.0, 0.0, c[self.twist_at(e)]));
            let q = rotation::between(tangent, &next) * *frame * turned;
            (*frame, *tangent) = (q * (1.0 / q.norm()), next);
            Some(*frame)
        })
    }

    /// Weights of the control points in what the strain of a place is made of.
    pub(crate) fn rows(&self, e: usize, values: &Values) -> Rows {
        [self.joints[e][0], self.joints[e][1], values.slope, values.bend]
    }

    /// A place of element `e`, whose first frame is `base`.
    pub(crate) fn place(&self, c: &[f64], e: usize, xi: f64, values: &Values, base: Quat) -> Place {
        let at = self.twist_at(e);
        Place {
            rho: self.rows(e, values).map(|weights| self.sum(c, e, &weights)),
            base,
            xi,
            share: self.knots.share(e),
            twist: [c[at], c[at + 1]],
        }
    }

    /// The element that contains `s`, and the share of it.
    pub(crate) fn element_at(&self, s: f64) -> (usize, f64) {
        let sigma = (s / self.length).clamp(0.0, 1.0);
        let ends = &self.knots.ends;
        let e = ends.partition_point(|end| *end <= sigma).clamp(1, self.elements()) - 1;
        (e, ((sigma - ends[e]) / self.knots.share(e)).clamp(0.0, 1.0))
    }

    /// First and second derivative of the centreline by the share of the length, m.
    pub(crate) fn derivatives_at(&self, state: &RodState, share: f64) -> [Vec3; 2] {
        let (e, xi) = self.element_at(share * self.length);
        let values = self.knots.at(e, xi);
        [&values.slope, &values.bend].map(|weights| self.sum(&state.coordinates, e, weights))
    }

    fn place_at(&self, c: &[f64], s: f64) -> (usize, Values, Place) {
        let (e, xi) = self.element_at(s);
        let values = self.knots.at(e, xi);
        let base = self.frames_until(c, e).fold(self.first_frame(c), |_, q| q);
        (e, values, self.place(c, e, xi, &values, base))
    }

    /// Calls `f` with element, point and place of every point of the quadrature.
    pub(crate) fn over_points(&self, c: &[f64], mut f: impl FnMut(usize, &Point, &Place)) {
        for (e, (points, frame)) in self.points.chunks_exact(POINTS).zip(self.joint_frames(c)).enumerate() {
            for point in points {
                f(e, point, &self.place(c, e, point.xi, &point.values, frame));
            }
        }
    }

    /// Index of a coordinate of an element in the tangent: its control points, two rolls, b.
    pub(crate) fn tangent_index(&self, e: usize, k: usize) -> usize {
        match k {
            0..12 => 3 * self.knots.first[e] + k,
            12 | 13 => 3 * self.controls() + e + (k - 12),
            _ => 3 * self.controls() + self.elements() + 1 + e,
        }
    }

    /// Energy per axis, J.
    fn energies(&self, c: &[f64]) -> Vec3 {
        let mut total = Vec3::zeros();
        self.over_points(c, |_, point, place| {
            let d = place.strain() / self.length - point.rest;
            total += point.stiffness.component_mul(&d).component_mul(&d) * (0.5 * point.weight * self.length);
        });
        total
    }

    /// Bending and twisting parts of the elastic energy, J.
    pub fn energy_parts(&self, state: &RodState) -> (f64, f64) {
        let all = self.energies(&state.coordinates);
        (all.x + all.y, all.z)
    }

    /// Total twist of the rod in turns: ∫ τ ds / 2π.
    pub fn twist_turns(&self, state: &RodState) -> f64 {
        let mut total = 0.0;
        self.over_points(&state.coordinates, |_, point, place| total += place.strain().z * point.weight);
        total / (2.0 * std::f64::consts::PI)
    }

    /// Mass of the whole rod, kg.
    pub fn total_mass(&self) -> f64 {
        self.points.iter().map(|p| p.mass * p.weight * self.length).sum()
    }

    /// Mean bending stiffness, N m².
    pub(crate) fn mean_stiffness(&self) -> f64 {
        self.points.iter().map(|p| p.stiffness.x.max(p.stiffness.y) * p.weight).sum()
    }

    /// What control points pull on one at most by bending, per displacement, N/m: sums of magnitudes, which is how
    /// round-off of positions adds up. `rows` is room for them.
    pub(crate) fn roughness(&self, rows: &mut Vec<f64>) -> f64 {
        rows.clear();
        rows.resize(self.controls(), 0.0);
        for (k, point) in self.points.iter().enumerate() {
            let first = self.knots.first[k / POINTS];
            let bend = point.values.bend.map(f64::abs);
            let all: f64 = bend.iter().sum();
            let stiffness = point.stiffness.x.max(point.stiffness.y) * point.weight;
            for (i, own) in bend.iter().enumerate() {
                rows[first + i] += stiffness * own * all;
            }
        }
        rows.iter().copied().fold(0.0, f64::max) / self.length.powi(3)
    }

    /// Smallest stiffness, N m².
    pub(crate) fn softest(&self) -> f64 {
        self.points.iter().map(|p| p.stiffness.min()).fold(f64::INFINITY, f64::min)
    }

    /// Arc lengths of the points of its matter.
    fn point_arcs(&self) -> Vec<f64> {
        let arc = |(k, point): (usize, &Point)| {
            let e = k / POINTS;
            (self.knots.ends[e] + point.xi * self.knots.share(e)) * self.length
        };
        self.points.iter().enumerate().map(arc).collect()
    }

    /// Makes this the rod `other` with another length; nothing is allocated.
    pub(crate) fn set_length_from(&mut self, other: &Self, length: f64) {
        let factor = length / other.length;
        self.length = length;
        for (a, b) in self.arcs.iter_mut().zip(&other.arcs) {
            *a = b * factor;
        }
    }

    /// Carries the twists along when control points have moved from `old`: rolls against frames that shortest
    /// rotations carry, `roll(e)` at the beginning of element e.
    pub(crate) fn carry_twist(&self, old: &[f64], new: &mut [f64], roll: &dyn Fn(usize) -> f64) {
        let first = self.first_frame(old);
        let mut begin = [self.joint_tangent(old, 0), self.joint_tangent(new, 0)];
        let turned = rotation::exp(&Vec3::new(0.0, 0.0, roll(0)));
        self.set_first_frame(new, &(rotation::between(&begin[0], &begin[1]) * first * turned));
        for e in 0..self.elements() {
            let finish = [self.joint_tangent(old, e + 1), self.joint_tangent(new, e + 1)];
            let at = self.twist_at(e);
            new[at] = old[at] + roll(e + 1) - roll(e) - swept([begin[0], finish[0]], [begin[1], finish[1]]);
            begin = finish;
        }
    }
}

impl Rod for SplineRod {
    fn model(&self) -> &'static str {
        "spline"
    }

    fn length(&self) -> f64 {
        self.length
    }

    fn coordinate_count(&self) -> usize {
        self.tension_at(self.tensions())
    }

    fn tangent_count(&self) -> usize {
        3 * self.controls() + 2 * self.elements() + 1
    }

    fn state_from(&self, shape: &dyn Fn(f64) -> Station) -> RodState {
        fit::state(self, shape)
    }

    fn rest_state(&self, start: &Station) -> RodState {
        let mut c = self.natural.clone();
        let scale = self.length / self.section_length;
        let origin = self.control(&self.natural, 0);
        let turn = start.frame * self.first_frame(&self.natural).conjugate();
        let turn = turn * (1.0 / turn.norm());
        for i in 0..self.controls() {
            let x = (self.control(&self.natural, i) - origin) * scale;
            self.set_control(&mut c, i, &(start.position + rotation::rotate(&turn, &x)));
        }
        self.set_first_frame(&mut c, &start.frame);
        RodState { coordinates: c, twist: Vec::new() }
    }

    fn energy(&self, state: &RodState) -> f64 {
        self.energies(&state.coordinates).sum()
    }

    fn add_gradient(&self, state: &RodState, out: &mut [f64]) {
        self.over_points(&state.coordinates, |e, point, place| {
            let moment = self.moment(point, &place.strain());
            let first = place.measure().first();
            let local = first[0] * moment.x + first[1] * moment.y + first[2] * moment.z;
            let own = gather(&self.rows(e, &point.values), &local);
            for (k, value) in own.iter().enumerate() {
                out[self.tangent_index(e, k)] += value;
            }
        });
    }

    fn hessian(&self, state: &RodState, out: &mut Entries) {
        self.over_points(&state.coordinates, |e, point, place| {
            let measured = place.measure();
            let mut sum = ElementSum::zeros();
            sum.add(&point.values, &self.stiffness_form(point, &measured, &measured.first(), 0.0));
            let own = sum.form(self.joints[e]);
            for i in 0..strain::VARIABLES {
                for k in 0..strain::VARIABLES {
                    out(self.tangent_index(e, i), self.tangent_index(e, k), own[(i, k)]);
                }
            }
        });
    }

    fn constraint_count(&self) -> usize {
        self.tensions()
    }

    fn constraints(&self, state: &RodState, out: &mut [f64]) {
        self.missed_lengths(&state.coordinates, out);
    }

    fn constraint_jacobian(&self, state: &RodState, out: &mut Entries) {
        self.length_jacobian(&state.coordinates, out);
    }

    fn constraint_hessian(&self, state: &RodState, multipliers: &[f64], out: &mut Entries) {
        self.over_lengths(&state.coordinates, |e, point, _| {
            let first = self.knots.first[e];
            let n = &point.values.quadratic;
            let tension: f64 = (0..3).map(|j| n[j] * multipliers[first + j]).sum();
            for (i, a) in point.values.slope.iter().enumerate() {
                for (k, b) in point.values.slope.iter().enumerate() {
                    for axis in 0..3 {
                        let value = tension * a * b * point.weight / self.length;
                        out(3 * (first + i) + axis, 3 * (first + k) + axis, value);
                    }
                }
            }
        });
    }

    fn displace(&self, state: &mut RodState, step: &[f64]) {
        let old = state.coordinates.clone();
        let (points, rest) = step.split_at(3 * self.controls());
        let (rolls, bubbles) = rest.split_at(self.elements() + 1);
        let new = &mut state.coordinates;
        for (c, d) in new.iter_mut().zip(points) {
            *c += d;
        }
        for (e, d) in bubbles.iter().enumerate() {
            new[self.twist_at(e) + 1] += d;
        }
        self.carry_twist(&old, new, &|e| rolls[e]);
    }

    fn project(&self, state: &mut RodState) {
        let tangent = self.joint_tangent(&state.coordinates, 0);
        self.restore_length(&mut state.coordinates, [Some(tangent), None], &mut LengthRoom::default());
    }

    fn station(&self, state: &RodState, s: f64) -> Station {
        let (e, values, place) = self.place_at(&state.coordinates, s);
        Station { position: self.sum(&state.coordinates, e, &values.cubic), frame: place.frame() }
    }

    fn station_jacobian(&self, state: &RodState, s: f64) -> StationJacobian {
        let (e, values, place) = self.place_at(&state.coordinates, s);
        let measured = place.measure();
        let rows = self.rows(e, &values);
        let roll = gather(&rows, &measured.roll_by());
        let mut columns: Vec<(usize, Vec3, Vec3)> = Vec::with_capacity(strain::VARIABLES);
        for k in 0..strain::VARIABLES {
            let (mut shift, mut turn) = (Vec3::zeros(), measured.tangent * roll[k]);
            if k < 12 {
                let mut unit = Vec3::zeros();
                unit[k % 3] = 1.0;
                shift = unit * values.cubic[k / 3];
                let moved = measured.tangent_by() * unit * values.slope[k / 3];
                turn += measured.tangent.cross(&moved);
            }
            columns.push((self.tangent_index(e, k), shift, turn));
        }
        StationJacobian { columns }
    }

    fn strain(&self, state: &RodState, s: f64) -> Vec3 {
        self.place_at(&state.coordinates, s).2.strain() / self.length
    }
}
