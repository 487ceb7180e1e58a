//! Rods whose coordinates are their curvatures.
//!
//! The super-helix keeps the Darboux vector constant on each element (F. Bertails et al., *Super-Helices*,
//! SIGGRAPH 2006), the super space clothoid linear and continuous (R. Casati, F. Bertails-Descoubes, *Super
//! Space Clothoids*, SIGGRAPH 2013), here but for places where it jumps ([`Breaks`]). Length is exact by construction: there
//! are no internal constraints.
//!
//! Coordinates: position x_0 and frame q_0 at s = 0, then v = L u, the Darboux vector times the length of
//! the rod, per node (clothoid; two where it jumps) or element (helix). In these the frames at a given share σ = s/L do not
//! depend on the length, and r = x_0 + L ∫ d3 dσ: a rod that slides through an eye changes L alone.
//!
//! Energy: E = Σ (1/2L) (v − Lû)·A (v − Lû) + L c with A = ∫ K φφ dσ exact for any K(s), û the natural
//! curvature ū(s) projected in energy, and c what no coordinates can take away. Tangent coordinates: rotation of q_0 (material axes), displacement of x_0, changes
//! of v.

mod divided;
mod fit;
mod kernel;
mod matter;
mod model;
mod natural;
mod stored;
#[cfg(test)]
mod tests;
pub(crate) mod walk;

pub(crate) use kernel::CurvatureSpan;

use super::breaks::{Breaks, check_elements};
use super::{Entries, Rod, RodState, Station, StationJacobian};
use crate::algebra::collocation::Collocation;
use crate::algebra::{Quat, Vec3, rotation};
use crate::geometry::darboux::{ClothoidElement, CurvePoint};
use crate::section::{SectionError, SectionProfile};
use serde::{Deserialize, Serialize};
use walk::Piece;

/// Most elements of a curvature rod.
pub const MAX_ELEMENTS: usize = 10_000;
/// Fewest elements: with one, both ends held would leave nothing to bend.
pub const MIN_ELEMENTS: usize = 2;
/// Parts of an element over which its properties are integrated, and stretches in which it is drawn.
const PARTS: usize = 8;

/// How the Darboux vector varies over an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Constant: a helix.
    Helix,
    /// Linear, continuous from element to element but for jumps: a space clothoid.
    Clothoid,
}

/// Why a curvature rod cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurvatureError {
    /// Length not positive or not finite.
    #[error("length {0} m: expected a positive, finite length")]
    Length(f64),
    /// Too few or too many elements.
    #[error("{0} elements: expected {MIN_ELEMENTS} to {MAX_ELEMENTS}")]
    Elements(usize),
    /// Too many elements of a spline.
    #[error("{0} elements: a spline rod has {MIN_ELEMENTS} to {most}", most = super::spline::MAX_ELEMENTS)]
    SplineElements(usize),
    /// The first element does not begin at 0.
    #[error("the first element begins at {0} m: expected 0, the beginning of the rod")]
    Start(f64),
    /// Ends of elements not increasing from 0.
    #[error("the end of element {0} does not lie beyond its beginning")]
    Order(usize),
    /// Sections that no rod of this length can be made of.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// A rest shape that is no shape.
    #[error("the rest curvature ({}, {}, {}) 1/m at s = {s} m is not a finite number, or turns by more than 1e6 rad over the rod", .u.x, .u.y, .u.z)]
    Rest {
        /// Where, m.
        s: f64,
        /// What it is there, 1/m.
        u: Vec3,
    },
}

/// What an element stores per change of its coordinates (diagonal: one value per axis).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stiffness {
    /// ∫ K φ_a φ_b dσ for (0,0), (0,1), (1,1), N m².
    pub(crate) a: [Vec3; 3],
    /// Darboux vectors of least energy that go with φ_0 and φ_1, 1/m.
    pub(crate) rest: [Vec3; 2],
}

/// A curvature rod: constant during a solve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "stored::Stored", into = "stored::Stored")]
pub struct CurvatureRod {
    basis: Basis,
    pub(crate) length: f64,
    /// Length of every element as a share of the rod.
    pub(crate) shares: Vec<f64>,
    pub(crate) stiffness: Vec<Stiffness>,
    /// The first curvature coordinate of every element.
    pub(crate) first: Vec<usize>,
    /// Whether the coordinate at the beginning of an element is its own: that of a first clothoid, and where curvature jumps.
    pub(crate) begins: Vec<bool>,
    /// The element that every curvature coordinate belongs to; the one beyond it where two share it.
    pub(crate) owner: Vec<usize>,
    /// ½ ∫ (ū − û)·K (ū − û) dσ per axis, N: what is left at rest.
    left: Vec3,
    /// û, 1/m.
    rest: Vec<Vec3>,
    /// ∫ |ū − û| dσ of every element, 1/m.
    rest_missed: Vec<f64>,
    section: SectionProfile,
    /// The length that the section was given for: σ counts from there.
    section_length: f64,
    /// Pieces for its matter in motion: enough for its rest shape.
    pieces: Vec<Piece>,
    /// Mass per length, kg/m, and rotary inertia per length, kg m, at the nodes of these pieces.
    matter: Vec<(f64, Vec3)>,
    /// Where it is drawn.
    arcs: Vec<f64>,
}

/// The first curvature coordinate of every element, and the element that every one of them belongs to.
fn coordinates(begins: &[bool], clothoid: bool) -> (Vec<usize>, Vec<usize>) {
    let n = begins.len();
    let (mut first, mut owner) = (Vec::with_capacity(n), Vec::with_capacity(n + 1));
    for e in 0..n {
        first.push(owner.len() - usize::from(clothoid && !begins[e]));
        if begins[e] {
            owner.push(e);
        }
        let shared = clothoid && e + 1 < n && !begins[e + 1];
        owner.push(if shared { e + 1 } else { e });
    }
    (first, owner)
}

impl CurvatureRod {
    /// A rod of `n` elements, equal but for jumps of the section, which lie between elements.
    pub fn new(
        basis: Basis,
        length: f64,
        n: usize,
        section: &SectionProfile,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<Self, CurvatureError> {
        Self::with_elements(basis, &Breaks::of(section).divide(length, n)?, section, rest)
    }

    /// A rod with the given ends of elements, the first of which must be 0. Curvature may jump where the section does.
    pub fn with_elements(
        basis: Basis,
        ends: &[f64],
        section: &SectionProfile,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<Self, CurvatureError> {
        Self::with_breaks(basis, ends, &Breaks::of(section), section, rest)
    }

    /// The same; curvature may jump where `breaks` says and an element ends.
    pub fn with_breaks(
        basis: Basis,
        ends: &[f64],
        breaks: &Breaks,
        section: &SectionProfile,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<Self, CurvatureError> {
        let length = check_elements(ends)?;
        section.check_length(length)?;
        let n = ends.len() - 1;
        let clothoid = basis == Basis::Clothoid;
        let begins: Vec<bool> =
            (0..n).map(|e| clothoid && (e == 0 || breaks.jumps_at(ends[e], length))).collect();
        let (first, owner) = coordinates(&begins, clothoid);
        let mut rod = Self {
            basis,
            length,
            shares: ends.windows(2).map(|w| (w[1] - w[0]) / length).collect(),
            stiffness: Vec::with_capacity(n),
            first,
            begins,
            owner,
            left: Vec3::zeros(),
            rest: Vec::new(),
            rest_missed: Vec::with_capacity(n),
            section: section.clone(),
            section_length: length,
            pieces: Vec::new(),
            matter: Vec::new(),
            arcs: Vec::new(),
        };
        let mut moments = Vec::with_capacity(n);
        for w in ends.windows(2) {
            moments.push(rod.integrate_element(w[0], w[1], rest)?);
        }
        rod.rest = rod.natural(&moments);
        rod.take_rest();
        for e in 0..n {
            let (left, missed) = rod.left_in(e, ends[e], ends[e + 1], rest);
            rod.left += left;
            rod.rest_missed.push(missed);
        }
        rod.lay_out_matter();
        rod.place_arcs();
        Ok(rod)
    }

    /// Gives every element its part of the rest curvature.
    fn take_rest(&mut self) {
        for e in 0..self.elements() {
            self.stiffness[e].rest =
                [0, 1].map(|which| self.place(e, which).map_or_else(Vec3::zeros, |i| self.rest[i]));
        }
    }

    /// Calls `f` with arc length, share of the element and weight (a share of the rod) of a fine rule.
    fn over_element(&self, from: f64, to: f64, mut f: impl FnMut(f64, f64, f64)) {
        let rule = Collocation::get();
        let h = 0.5 * (to - from) / PARTS as f64;
        for part in 0..PARTS {
            let middle = from + (2.0 * part as f64 + 1.0) * h;
            for (x, w) in rule.nodes.iter().zip(&rule.weights) {
                let s = middle + h * x;
                f(s, (s - from) / (to - from), w * h / self.length);
            }
        }
    }

    /// Adds the stiffness of an element; returns ∫ K ū φ dσ.
    fn integrate_element(
        &mut self,
        from: f64,
        to: f64,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<[Vec3; 2], CurvatureError> {
        let mut a = [Vec3::zeros(); 3];
        let mut b = [Vec3::zeros(); 2];
        let mut wrong = None;
        self.over_element(from, to, |s, t, weight| {
            let u = rest(s);
            let turning = u.norm() * self.length;
            if turning.is_nan() || turning > 1e6 {
                wrong.get_or_insert(CurvatureError::Rest { s, u });
            }
            let k = self.section.at(s).stiffness;
            let phi = self.shapes(t);
            for (i, (p, q)) in [(0, 0), (0, 1), (1, 1)].into_iter().enumerate() {
                a[i] += k * (weight * phi[p] * phi[q]);
            }
            for i in 0..2 {
                b[i] += k.component_mul(&u) * (weight * phi[i]);
            }
        });
        self.stiffness.push(Stiffness { a, rest: [Vec3::zeros(); 2] });
        wrong.map_or(Ok(b), Err)
    }

    /// The energy of an element at rest, per length and axis, N, and ∫ |ū − û| dσ, 1/m.
    fn left_in(&self, e: usize, from: f64, to: f64, rest: &dyn Fn(f64) -> Vec3) -> (Vec3, f64) {
        let (mut left, mut missed) = (Vec3::zeros(), 0.0);
        self.over_element(from, to, |s, t, weight| {
            let phi = self.shapes(t);
            let own = &self.stiffness[e].rest;
            let d = rest(s) - own[0] * phi[0] - own[1] * phi[1];
            left += self.section.at(s).stiffness.component_mul(&d).component_mul(&d) * (0.5 * weight);
            missed += d.norm() * weight;
        });
        (left, missed)
    }

    /// What every element misses of its natural shape: ∫ |ū − û| ds, rad.
    pub(crate) fn rest_missed(&self) -> impl Iterator<Item = f64> + '_ {
        self.rest_missed.iter().map(|m| m * self.length)
    }

    /// Arc lengths at which elements end, from 0 to the length.
    pub fn element_ends(&self) -> Vec<f64> {
        let mut ends = vec![0.0];
        let mut share = 0.0;
        for own in &self.shares {
            share += own;
            ends.push(share * self.length);
        }
        if let Some(last) = ends.last_mut() {
            *last = self.length;
        }
        ends
    }

    /// The curvatures of least energy, A⁻¹ ∫ K ū φ dσ, axis by axis.
    fn natural(&self, moments: &[[Vec3; 2]]) -> Vec<Vec3> {
        match self.basis {
            Basis::Helix => {
                self.stiffness.iter().zip(moments).map(|(s, b)| b[1].component_div(&s.a[2])).collect()
            }
            Basis::Clothoid => {
                let mut diagonal = vec![Vec3::zeros(); self.curvatures()];
                let mut right = diagonal.clone();
                let mut beside = diagonal.clone();
                for ((s, b), &i) in self.stiffness.iter().zip(moments).zip(&self.first) {
                    diagonal[i] += s.a[0];
                    diagonal[i + 1] += s.a[2];
                    beside[i] = s.a[1];
                    right[i] += b[0];
                    right[i + 1] += b[1];
                }
                fit::tridiagonal(diagonal, &beside, right)
            }
        }
    }

    /// Shape functions of the first and the second coordinate at share `t` of an element.
    #[inline]
    pub(crate) fn shapes(&self, t: f64) -> [f64; 2] {
        match self.basis {
            Basis::Helix => [0.0, 1.0],
            Basis::Clothoid => [1.0 - t, t],
        }
    }

    /// Where the first (0) or second (1) coordinate of an element is among all; a helix has no first.
    #[inline]
    pub(crate) fn place(&self, element: usize, which: usize) -> Option<usize> {
        match self.basis {
            Basis::Helix => (which == 1).then_some(element),
            Basis::Clothoid => Some(self.first[element] + which),
        }
    }

    /// v at the beginning (0) or end (1) of an element.
    fn value(&self, v: &[Vec3], element: usize, which: usize) -> Vec3 {
        match self.basis {
            Basis::Helix => v[element],
            Basis::Clothoid => v[self.first[element] + which],
        }
    }

    /// How the Darboux vector varies.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shares.len()
    }

    /// Number of curvature coordinates, three scalars each.
    pub fn curvatures(&self) -> usize {
        self.owner.len()
    }

    /// Arc lengths at which it is drawn and reported.
    pub fn arcs(&self) -> &[f64] {
        &self.arcs
    }

    fn place_arcs(&mut self) {
        self.arcs.clear();
        let mut from = 0.0;
        for share in &self.shares {
            for k in 0..PARTS {
                self.arcs.push(self.length * (from + share * k as f64 / PARTS as f64));
            }
            from += share;
        }
        self.arcs.push(self.length);
    }

    /// Sections along it; `s` counts on the rod as it is now.
    pub(crate) fn section_at(&self, s: f64) -> crate::section::Section {
        self.section.at(s * self.section_length / self.length)
    }

    /// Mean bending stiffness, N m².
    pub(crate) fn mean_stiffness(&self) -> f64 {
        let whole = |s: &Stiffness| s.a[0] + s.a[1] * 2.0 + s.a[2];
        self.stiffness.iter().map(|s| whole(s).x.max(whole(s).y)).sum()
    }

    /// Smallest stiffness, N m².
    pub(crate) fn softest(&self) -> f64 {
        let whole = |s: &Stiffness| (s.a[0] + s.a[1] * 2.0 + s.a[2]).min();
        self.stiffness.iter().zip(&self.shares).map(|(s, w)| whole(s) / w).fold(f64::INFINITY, f64::min)
    }

    /// Makes this the rod `other` with another length; nothing is allocated.
    pub(crate) fn set_length_from(&mut self, other: &Self, length: f64) {
        let factor = length / other.length;
        self.length = length;
        for (a, b) in self.arcs.iter_mut().zip(&other.arcs) {
            *a = b * factor;
        }
    }

    /// Energy at rest, per length, N.
    pub(crate) fn rest_energy(&self) -> f64 {
        self.left.sum()
    }

    /// Position and frame at s = 0.
    pub(crate) fn base(&self, c: &[f64]) -> (Vec3, Quat) {
        (Vec3::new(c[0], c[1], c[2]), Quat::new(c[3], c[4], c[5], c[6]))
    }

    /// Sets position and frame at s = 0.
    pub(crate) fn set_base(&self, c: &mut [f64], x: &Vec3, q: &Quat) {
        c[..3].copy_from_slice(x.as_slice());
        c[3..7].copy_from_slice(&[q.w, q.i, q.j, q.k]);
    }

    /// Curvature coordinate `i`.
    #[inline]
    pub(crate) fn curvature(&self, c: &[f64], i: usize) -> Vec3 {
        Vec3::new(c[7 + 3 * i], c[8 + 3 * i], c[9 + 3 * i])
    }

    /// v at the beginning and the end of an element.
    #[inline]
    pub(crate) fn ends(&self, c: &[f64], e: usize) -> [Vec3; 2] {
        match self.basis {
            Basis::Helix => [self.curvature(c, e); 2],
            Basis::Clothoid => {
                let i = self.first[e];
                [self.curvature(c, i), self.curvature(c, i + 1)]
            }
        }
    }

    /// The coordinates of an element that its shape functions go with.
    #[inline]
    pub(crate) fn pair(&self, c: &[f64], e: usize) -> [Vec3; 2] {
        let [a, b] = self.ends(c, e);
        if self.basis == Basis::Helix { [Vec3::zeros(), b] } else { [a, b] }
    }

    /// Bending and twisting parts of the elastic energy, J.
    pub fn energy_parts(&self, state: &RodState) -> (f64, f64) {
        let left = self.left * self.length;
        let (mut bending, mut torsion) = (left.x + left.y, left.z);
        for e in 0..self.elements() {
            let v = self.pair(&state.coordinates, e);
            let own = self.stiffness[e].energy(&v, self.length);
            bending += own.x + own.y;
            torsion += own.z;
        }
        (bending, torsion)
    }

    /// Total twist of the rod in turns: ∫ τ ds / 2π.
    pub fn twist_turns(&self, state: &RodState) -> f64 {
        let twist = |e: usize| {
            let [a, b] = self.ends(&state.coordinates, e);
            0.5 * (a.z + b.z) * self.shares[e]
        };
        (0..self.elements()).map(twist).sum::<f64>() / (2.0 * std::f64::consts::PI)
    }

    /// The element that contains `s`, and the arc length from its beginning.
    fn element_at(&self, s: f64) -> (usize, f64) {
        let mut rest = s.clamp(0.0, self.length);
        for (e, share) in self.shares.iter().enumerate() {
            let l = share * self.length;
            if rest <= l || e + 1 == self.elements() {
                return (e, rest.min(l));
            }
            rest -= l;
        }
        (0, 0.0)
    }

    /// The curve of an element; a straight one where its coordinates are no numbers.
    fn curve(&self, c: &[f64], e: usize) -> Option<ClothoidElement> {
        let [a, b] = self.ends(c, e);
        ClothoidElement::new(a / self.length, b / self.length, self.shares[e] * self.length).ok()
    }
}

impl Rod for CurvatureRod {
    fn model(&self) -> &'static str {
        match self.basis {
            Basis::Helix => "helix",
            Basis::Clothoid => "clothoid",
        }
    }

    fn length(&self) -> f64 {
        self.length
    }

    fn coordinate_count(&self) -> usize {
        7 + 3 * self.curvatures()
    }

    fn tangent_count(&self) -> usize {
        6 + 3 * self.curvatures()
    }

    fn state_from(&self, shape: &dyn Fn(f64) -> Station) -> RodState {
        let v = fit::curvatures(self, shape);
        self.state_of(&shape(0.0), &v)
    }

    fn rest_state(&self, start: &Station) -> RodState {
        let v: Vec<Vec3> = self.rest.iter().map(|u| u * self.length).collect();
        self.state_of(start, &v)
    }

    fn energy(&self, state: &RodState) -> f64 {
        let (bending, torsion) = self.energy_parts(state);
        bending + torsion
    }

    fn add_gradient(&self, state: &RodState, out: &mut [f64]) {
        for e in 0..self.elements() {
            let v = self.pair(&state.coordinates, e);
            for which in 0..2 {
                if let Some(i) = self.place(e, which) {
                    let g = self.stiffness[e].gradient(&v, self.length, which);
                    for axis in 0..3 {
                        out[6 + 3 * i + axis] += g[axis];
                    }
                }
            }
        }
    }

    fn hessian(&self, _: &RodState, out: &mut Entries) {
        for e in 0..self.elements() {
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if let (Some(i), Some(j)) = (self.place(e, a), self.place(e, b)) {
                    let k = self.stiffness[e].a[a + b] / self.length;
                    for axis in 0..3 {
                        out(6 + 3 * i + axis, 6 + 3 * j + axis, k[axis]);
                    }
                }
            }
        }
    }

    fn constraint_count(&self) -> usize {
        0
    }

    fn constraints(&self, _: &RodState, _: &mut [f64]) {}

    fn constraint_jacobian(&self, _: &RodState, _: &mut Entries) {}

    fn constraint_hessian(&self, _: &RodState, _: &[f64], _: &mut Entries) {}

    fn displace(&self, state: &mut RodState, step: &[f64]) {
        let (x, q) = self.base(&state.coordinates);
        let q = rotation::displaced(&q, &Vec3::new(step[0], step[1], step[2]));
        self.set_base(&mut state.coordinates, &(x + Vec3::new(step[3], step[4], step[5])), &q);
        for (c, d) in state.coordinates[7..].iter_mut().zip(&step[6..]) {
            *c += d;
        }
    }

    fn project(&self, _: &mut RodState) {}

    fn station(&self, state: &RodState, s: f64) -> Station {
        let c = &state.coordinates;
        let (last, rest) = self.element_at(s);
        let (position, frame) = self.base(c);
        let mut at = CurvePoint { position, frame };
        for e in 0..=last {
            let l = if e == last { rest } else { self.shares[e] * self.length };
            if let Some(curve) = self.curve(c, e) {
                at = curve.point(l).after(&at);
            }
        }
        Station { position: at.position, frame: at.frame * (1.0 / at.frame.norm()) }
    }

    fn station_jacobian(&self, state: &RodState, s: f64) -> StationJacobian {
        let c = &state.coordinates;
        let (last, rest) = self.element_at(s);
        let (position, frame) = self.base(c);
        let first = rotation::matrix(&frame);
        let mut at = CurvePoint { position, frame };
        // What every coordinate does to the station, given what it does to the beginning of an element.
        let mut columns: Vec<(usize, Vec3, Vec3)> = Vec::new();
        for axis in 0..3 {
            columns.push((axis, Vec3::zeros(), first.column(axis).into_owned()));
            let mut unit = Vec3::zeros();
            unit[axis] = 1.0;
            columns.push((3 + axis, unit, Vec3::zeros()));
        }
        for e in 0..=last {
            let l = if e == last { rest } else { self.shares[e] * self.length };
            let Some(curve) = self.curve(c, e) else { continue };
            let own = curve.first(l);
            let r = rotation::matrix(&at.frame);
            let arm = r * own.point.position;
            for (_, shift, turn) in &mut columns {
                *shift += turn.cross(&arm);
            }
            for k in 0..6 {
                let i = match self.basis {
                    Basis::Helix => e,
                    Basis::Clothoid => self.first[e] + k / 3,
                };
                let (shift, turn) = (r * own.shift[k] / self.length, r * own.turn[k] / self.length);
                let index = 6 + 3 * i + k % 3;
                match columns.iter_mut().find(|(j, _, _)| *j == index) {
                    Some(column) => {
                        column.1 += shift;
                        column.2 += turn;
                    }
                    None => columns.push((index, shift, turn)),
                }
            }
            at = own.point.after(&at);
        }
        StationJacobian { columns }
    }

    fn strain(&self, state: &RodState, s: f64) -> Vec3 {
        let (e, rest) = self.element_at(s);
        let [a, b] = self.ends(&state.coordinates, e);
        (a + (b - a) * (rest / (self.shares[e] * self.length))) / self.length
    }
}

impl CurvatureRod {
    fn state_of(&self, start: &Station, v: &[Vec3]) -> RodState {
        let mut coordinates = vec![0.0; self.coordinate_count()];
        self.set_base(&mut coordinates, &start.position, &(start.frame * (1.0 / start.frame.norm())));
        for (i, v) in v.iter().enumerate() {
            coordinates[7 + 3 * i..10 + 3 * i].copy_from_slice(v.as_slice());
        }
        RodState { coordinates, twist: Vec::new() }
    }
}

impl Stiffness {
    /// ½ v·A v, axis by axis.
    pub(crate) fn stored(&self, v: &[Vec3; 2]) -> Vec3 {
        let square = |a: &Vec3, b: &Vec3| a.component_mul(b);
        self.a[0].component_mul(&square(&v[0], &v[0])) * 0.5
            + self.a[1].component_mul(&square(&v[0], &v[1]))
            + self.a[2].component_mul(&square(&v[1], &v[1])) * 0.5
    }

    /// How far the coordinates are from rest.
    fn above_rest(&self, v: &[Vec3; 2], length: f64) -> [Vec3; 2] {
        [v[0] - self.rest[0] * length, v[1] - self.rest[1] * length]
    }

    /// A v of the first (0) or second (1) coordinate.
    fn times(&self, v: &[Vec3; 2], which: usize) -> Vec3 {
        self.a[which].component_mul(&v[0]) + self.a[which + 1].component_mul(&v[1])
    }

    /// Energy of the element, axis by axis, above that of rest.
    pub(crate) fn energy(&self, v: &[Vec3; 2], length: f64) -> Vec3 {
        self.stored(&self.above_rest(v, length)) / length
    }

    /// ∂E/∂L with v held.
    pub(crate) fn by_length(&self, v: &[Vec3; 2], length: f64) -> f64 {
        let d = self.above_rest(v, length);
        let stretched: f64 = (0..2).map(|i| self.times(&d, i).dot(&self.rest[i])).sum();
        -(self.stored(&d).sum() / length + stretched) / length
    }

    /// ∂²E/∂L² with v held.
    pub(crate) fn by_length_twice(&self, v: &[Vec3; 2], length: f64) -> f64 {
        2.0 * self.stored(v).sum() / length.powi(3)
    }

    /// ∂²E/∂v∂L of the first (0) or second (1) coordinate.
    pub(crate) fn gradient_by_length(&self, v: &[Vec3; 2], length: f64, which: usize) -> Vec3 {
        -self.times(v, which) / (length * length)
    }

    /// With strains damped: the moment gains `share` times their change from `v`.
    pub(crate) fn damped(&self, v: &[Vec3; 2], length: f64, share: f64) -> Self {
        let rest = [0, 1].map(|i| (self.rest[i] + v[i] * (share / length)) / (1.0 + share));
        Self { a: self.a.map(|a| a * (1.0 + share)), rest }
    }

    /// ∂E/∂v of the first (0) or second (1) coordinate.
    #[inline]
    pub(crate) fn gradient(&self, v: &[Vec3; 2], length: f64, which: usize) -> Vec3 {
        self.times(&self.above_rest(v, length), which) / length
    }
}
