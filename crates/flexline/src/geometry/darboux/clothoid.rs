//! The space clothoid: Darboux vector linear in s, by adaptive piecewise summation of power series
//! (Casati & Bertails-Descoubes, *Super Space Clothoids*, SIGGRAPH 2013, §5–7).
//!
//! The element is cut into pieces that turn so little that no term of a series exceeds its sum by
//! much: nothing is left to cancel. Frames and positions of the pieces are then composed. Departures
//! from the paper: series about the middles of pieces, quaternions for frames, Euclidean norms in the
//! bound, truncation by a bound on the terms, and Gauss's rule for the integrals of products
//! (`docs/theory/clothoids.md` says why).

use super::integrals::Integrals;
use super::piece::{Local, Piece, PieceSeries, half_length, span};
use super::{CurvePoint, ElementError, FirstDerivatives, HelixElement, SecondDerivatives, check};
use crate::algebra::quadrature::gauss20;
use crate::algebra::{Mat3, Quat, Vec3, rotation};

/// Steps of the sequence that makes pieces unequal: the golden ratio spreads them evenly.
const DITHER: f64 = 0.618_033_988_749_894_9;

/// The bound on pieces where products are integrated: they oscillate up to four times as fast as frames,
/// and Gauss's rule of 20 points is exact to round-off on pieces that turn by 4 rad.
const PRODUCT_BOUND: f64 = 2.0;

/// How series are cut into pieces and where they end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summation {
    /// Bound on α + β of a piece, where α is its turning from middle to end (the paper's M, there 10
    /// in another norm), from 0.1 to 4. Larger: fewer pieces, more terms each, and more digits lost;
    /// above 4 a piece could need more terms than are kept.
    pub bound: f64,
    /// Terms below this are left out. Larger: faster and less exact.
    pub tolerance: f64,
}

impl Default for Summation {
    fn default() -> Self {
        Self { bound: 3.0, tolerance: f64::EPSILON / 8.0 }
    }
}

/// An element of a space clothoid; coefficients are the components of u at its start (0 … 2) and at
/// its end (3 … 5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothoidElement {
    start: Vec3,
    slope: Vec3,
    length: f64,
}

impl ClothoidElement {
    /// The element with Darboux vectors `start` and `end` at its ends, 1/m.
    pub fn new(start: Vec3, end: Vec3, length: f64) -> Result<Self, ElementError> {
        Self::with_slope(start, (end - start) / length, length)
    }

    /// The element with Darboux vector `start` + `slope` s, 1/m and 1/m².
    pub fn with_slope(start: Vec3, slope: Vec3, length: f64) -> Result<Self, ElementError> {
        check(length, &[start, start + slope * length])?;
        if !slope.norm().is_finite() {
            return Err(ElementError::Curvature { u: slope });
        }
        Ok(Self { start, slope, length })
    }

    /// Arc length, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Darboux vector at `s`, 1/m.
    pub fn curvature(&self, s: f64) -> Vec3 {
        self.start + self.slope * s
    }

    /// Slope of the Darboux vector, 1/m².
    pub fn slope(&self) -> Vec3 {
        self.slope
    }

    /// Pieces from 0 to `s`.
    fn pieces(&self, s: f64, bound: f64) -> impl Iterator<Item = Piece> + '_ {
        let slope = self.slope.norm();
        let end = s.clamp(0.0, self.length);
        let bound = bound.clamp(0.1, 4.0);
        let (mut at, mut dither) = (0.0, 0.0f64);
        std::iter::from_fn(move || {
            (at < end).then(|| {
                // Equal pieces would repeat one rounding error, which then grows with their number; those
                // of unequal pieces grow with the root of it.
                dither = (dither + DITHER).fract();
                let longest = half_length(self.curvature(at).norm(), slope, bound);
                let next = (at + 2.0 * longest * (1.0 - 0.0625 * dither)).min(end);
                // From the rounded ends: what rounding takes from one piece the next one gets.
                let piece = Piece { middle: 0.5 * (at + next), half: 0.5 * (next - at) };
                at = next;
                piece
            })
        })
    }

    /// Number of pieces from 0 to the end.
    pub fn piece_count(&self, summation: &Summation) -> usize {
        self.pieces(self.length, summation.bound).count()
    }

    /// The point at `s` (clamped to the element), to machine precision.
    pub fn point(&self, s: f64) -> CurvePoint {
        match self.as_helix() {
            Some(helix) => helix.point(s.clamp(0.0, self.length)),
            None => self.point_by(s, &Summation::default()),
        }
    }

    /// The same curve as a helix, where its Darboux vector is constant.
    pub fn as_helix(&self) -> Option<HelixElement> {
        (self.slope == Vec3::zeros()).then_some(HelixElement { u: self.start, length: self.length })
    }

    /// The point at `s` by series, with a summation of one's own.
    pub fn point_by(&self, s: f64, summation: &Summation) -> CurvePoint {
        let mut at = CurvePoint::ORIGIN;
        for piece in self.pieces(s, summation.bound) {
            let u = self.curvature(piece.middle);
            let span = span(&u, &self.slope, piece.half, summation.tolerance);
            let middle = at.frame * span.first.conjugate();
            at.position += rotation::rotate(&middle, &span.chord);
            at.frame = middle * span.last;
        }
        at
    }

    /// Goes through the pieces from 0 to `s`: `visit` sees each with its series and the state at its
    /// middle. Returns the state at `s`.
    fn walk(&self, s: f64, mut visit: impl FnMut(&Piece, &PieceSeries, &Middle)) -> State {
        let Summation { tolerance, .. } = Summation::default();
        let mut state = State::START;
        for piece in self.pieces(s, PRODUCT_BOUND) {
            let u = self.curvature(piece.middle);
            let series = PieceSeries::new(&u, &self.slope, piece.half, tolerance);
            let middle = Middle::new(&piece, self.length, &state, &series.at(-1.0));
            visit(&piece, &series, &middle);
            state = middle.state(1.0, &series.at(1.0));
        }
        state
    }

    /// The point at `s` and its first derivatives.
    pub fn first(&self, s: f64) -> FirstDerivatives<6> {
        let State { point, turn, shift, .. } = self.walk(s, |_, _, _| ());
        FirstDerivatives { point, turn, shift }
    }

    /// The second derivatives of the point at `s`, by Gauss's rule:
    /// ∂_B ∂_A r = ∫ (Θ_B × Θ_A′) × (r(s) − r) + Θ_A × (Θ_B × d3) dσ.
    pub fn second(&self, s: f64) -> SecondDerivatives<6> {
        let mut turn = [[Vec3::zeros(); 6]; 6];
        let mut shift = [[Vec3::zeros(); 6]; 6];
        let end = self.walk(s, |piece, series, middle| {
            for (x, w) in gauss20() {
                let (node, rate, d3) = middle.node(x, &series.at(x));
                let weight = w * piece.half;
                for a in 0..6 {
                    for b in 0..6 {
                        let twirl = node.turn[b].cross(&rate[a]) * weight;
                        let sway = node.turn[a].cross(&node.turn[b].cross(&d3)) * weight;
                        turn[a][b] += twirl;
                        shift[a][b] += sway - twirl.cross(&node.point.position);
                    }
                }
            }
        });
        for a in 0..6 {
            for b in 0..6 {
                shift[a][b] += turn[a][b].cross(&end.point.position);
            }
        }
        SecondDerivatives { turn, shift }
    }

    /// Integrals over the element, by Gauss's rule on the pieces: 20 points are exact to round-off for
    /// what a piece can turn, and cost less than products of series.
    pub fn integrals(&self) -> Integrals<6> {
        let mut out = Integrals::zeros();
        let mut turn = [[Vec3::zeros(); 6]; 6];
        let end = self.walk(self.length, |piece, series, middle| {
            for (x, w) in gauss20() {
                let (node, rate, d3) = middle.node(x, &series.at(x));
                let weight = w * piece.half;
                let position = &node.point.position;
                let s = piece.middle + piece.half * x;
                out.add_linear(weight, s, position, &node.shift);
                out.add_products(weight, position, &node.shift);
                // As in `second`, integrated once more: ∫ (r(s) − r(σ)) ds over s from σ to the end.
                let rest = self.length - s;
                let arm = node.area + position * rest;
                for a in 0..6 {
                    for b in 0..6 {
                        let twirl = node.turn[b].cross(&rate[a]) * weight;
                        let sway = node.turn[a].cross(&node.turn[b].cross(&d3)) * (weight * rest);
                        turn[a][b] += twirl;
                        out.position_second[a][b] += sway - twirl.cross(&arm);
                    }
                }
            }
        });
        for a in 0..6 {
            for b in 0..6 {
                out.position_second[a][b] += turn[a][b].cross(&end.area);
            }
        }
        out
    }
}

/// What is known at one arc length, relative to the start of the element.
struct State {
    point: CurvePoint,
    turn: [Vec3; 6],
    shift: [Vec3; 6],
    /// ∫ r ds so far, m².
    area: Vec3,
}

impl State {
    const START: Self = Self {
        point: CurvePoint::ORIGIN,
        turn: [Vec3::new(0.0, 0.0, 0.0); 6],
        shift: [Vec3::new(0.0, 0.0, 0.0); 6],
        area: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// What is known at the middle of a piece, relative to the start of the element.
struct Middle {
    position: Vec3,
    frame: Quat,
    directors: Mat3,
    turn: [Vec3; 6],
    shift: [Vec3; 6],
    area: Vec3,
    half: f64,
    /// Shape functions of start and end coefficients there, and how they change with x.
    shapes: [(f64, f64); 2],
}

/// The six of `base` (changes e_j and x e_j of u) combined to those of the coefficients.
fn combined(shapes: &[(f64, f64); 2], base: &[Vec3; 6]) -> [Vec3; 6] {
    std::array::from_fn(|k| {
        let (constant, linear) = shapes[k / 3];
        base[k % 3] * constant + base[k % 3 + 3] * linear
    })
}

/// Columns of two matrices in a row.
fn columns(a: &Mat3, b: &Mat3) -> [Vec3; 6] {
    std::array::from_fn(|k| if k < 3 { a.column(k).into_owned() } else { b.column(k - 3).into_owned() })
}

impl Middle {
    /// From the state at the first end of a piece and the sums there.
    fn new(piece: &Piece, length: f64, start: &State, local: &Local) -> Self {
        let share = piece.middle / length;
        let rate = piece.half / length;
        let shapes = [(1.0 - share, -rate), (share, rate)];
        let frame = start.point.frame * local.frame.conjugate();
        let directors = rotation::matrix(&frame);
        let arm = directors * local.sum.column(2);
        let turned = combined(&shapes, &columns(&local.sum, &local.moment));
        let shifted = combined(&shapes, &local.shift);
        let turn: [Vec3; 6] = std::array::from_fn(|k| start.turn[k] - directors * turned[k]);
        let position = start.point.position - arm;
        Self {
            position,
            frame,
            directors,
            turn,
            shift: std::array::from_fn(|k| start.shift[k] - turn[k].cross(&arm) - directors * shifted[k]),
            area: start.area + position * piece.half - directors * local.area,
            half: piece.half,
            shapes,
        }
    }

    /// The state at x.
    fn state(&self, x: f64, local: &Local) -> State {
        let arm = self.directors * local.sum.column(2);
        let turned = combined(&self.shapes, &columns(&local.sum, &local.moment));
        let shifted = combined(&self.shapes, &local.shift);
        let d = &self.directors;
        State {
            point: CurvePoint { position: self.position + arm, frame: self.frame * local.frame },
            turn: std::array::from_fn(|k| self.turn[k] + d * turned[k]),
            shift: std::array::from_fn(|k| self.shift[k] + self.turn[k].cross(&arm) + d * shifted[k]),
            area: self.area + self.position * (self.half * x) + d * local.area,
        }
    }

    /// The state at x, the rates Θ_A′, and the tangent.
    fn node(&self, x: f64, local: &Local) -> (State, [Vec3; 6], Vec3) {
        let directors = self.directors * local.directors;
        let rate = combined(&self.shapes, &columns(&directors, &(directors * x)));
        (self.state(x, local), rate, directors.column(2).into_owned())
    }
}
