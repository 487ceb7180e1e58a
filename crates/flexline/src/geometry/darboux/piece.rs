//! The Darboux problem on one piece of a clothoid, by power series about the middle of the piece.
//!
//! With s = m + h x, |x| ≤ 1, a = h u(m) and b = h² u′ the frame relative to that of the middle obeys
//! `R′ = R [a + b x]×`, hence (Casati & Bertails-Descoubes 2013, eq. 10)
//!
//! ```text
//! n Rₙ = Rₙ₋₁ [a]× + Rₙ₋₂ [b]×,       n qₙ = qₙ₋₁ ∘ a/2 + qₙ₋₂ ∘ b/2.
//! ```
//!
//! About the middle the same terms serve both ends of the piece, x = ±1, and reach twice as far as
//! about an end. Frames come from the quaternions: their terms are smaller, and a product of unit
//! quaternions stays a rotation up to its norm.

use crate::algebra::series::{MAX_TERMS, Majorant, RECIPROCAL, inverse_factorials};
use crate::algebra::{Mat3, Quat, Vec3};

/// A piece: its middle and half its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Arc length of the middle, m.
    pub(super) middle: f64,
    /// Half its length, m.
    pub(super) half: f64,
}

/// Half the length of the longest piece that begins with |u| = `curvature` and keeps α + β ≤ `bound`,
/// where |u′| = `slope`: α ≤ h (|u| + h |u′|), β = h² |u′|.
pub(super) fn half_length(curvature: f64, slope: f64, bound: f64) -> f64 {
    // The root in the form that does not cancel; infinite where the curve is straight.
    2.0 * bound / (curvature + (curvature * curvature + 8.0 * slope * bound).sqrt())
}

/// `M [u]×`, by columns.
#[inline(always)]
fn times_skew(m: &Mat3, u: &Vec3) -> Mat3 {
    let (m0, m1, m2) = (m.column(0), m.column(1), m.column(2));
    Mat3::from_columns(&[m1 * u.z - m2 * u.y, m2 * u.x - m0 * u.z, m0 * u.y - m1 * u.x])
}

/// q ∘ (0, v).
#[inline(always)]
fn times_pure(q: &Quat, v: &Vec3) -> Quat {
    let (w, x, y, z) = (q.w, q.i, q.j, q.k);
    Quat::new(
        -(x * v.x + y * v.y + z * v.z),
        w * v.x + (y * v.z - z * v.y),
        w * v.y + (z * v.x - x * v.z),
        w * v.z + (x * v.y - y * v.x),
    )
}

/// The terms of the frames of a piece, as quaternions.
struct Quaternions {
    terms: [Quat; MAX_TERMS],
    count: usize,
}

impl Quaternions {
    #[inline]
    fn new(a: &Vec3, b: &Vec3, tolerance: f64) -> Self {
        let (a, b) = (a * 0.5, b * 0.5);
        let mut terms = [Quat::new(0.0, 0.0, 0.0, 0.0); MAX_TERMS];
        let mut bound = Majorant::new(a.norm(), b.norm());
        terms[0] = Quat::new(1.0, 0.0, 0.0, 0.0);
        terms[1] = Quat::new(0.0, a.x, a.y, a.z);
        bound.step(1);
        let mut count = 2;
        while count < MAX_TERMS && !bound.negligible(tolerance) {
            let n = count;
            // Divisions: the error of a rounded 1/n is the same in every piece and would add up. They are
            // made on a and b, where no term has to wait for them.
            let (a, b) = (a / n as f64, b / n as f64);
            terms[n] = times_pure(&terms[n - 1], &a) + times_pure(&terms[n - 2], &b);
            bound.step(n);
            count += 1;
        }
        Self { terms, count }
    }

    /// At x = −1 and x = 1. The smallest terms are added first.
    #[inline]
    fn ends(&self) -> [Quat; 2] {
        let mut sums = [Quat::new(0.0, 0.0, 0.0, 0.0); 2];
        for n in (0..self.count).rev() {
            sums[n % 2] += self.terms[n];
        }
        [sums[0] - sums[1], sums[0] + sums[1]]
    }

    fn at(&self, x: f64) -> Quat {
        self.both(x)[1]
    }

    /// At −x and x: even and odd terms serve both.
    #[inline]
    fn both(&self, x: f64) -> [Quat; 2] {
        let square = x * x;
        let zero = Quat::new(0.0, 0.0, 0.0, 0.0);
        let (mut even, mut odd) = (zero, zero);
        // Beyond the last term there are zeros.
        for pair in self.terms[..self.count.next_multiple_of(2)].chunks_exact(2).rev() {
            even = even * square + pair[0];
            odd = odd * square + pair[1];
        }
        let odd = odd * x;
        [even - odd, even + odd]
    }
}

/// What the frames of a piece depend on: a and b.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    a: Vec3,
    b: Vec3,
}

impl Rates {
    /// Of a piece with Darboux vector `u` at its middle, slope `slope` and the given half of its length.
    #[inline]
    pub(crate) fn new(u: &Vec3, slope: &Vec3, half: f64) -> Self {
        Self { a: u * half, b: slope * (half * half) }
    }

    /// Whether the piece is short: α and β of its quaternions, which are half of these, are up to a half.
    #[inline]
    fn is_short(&self) -> bool {
        self.a.norm_squared().max(self.b.norm_squared()) <= 1.0
    }
}

/// Frames of a piece relative to its middle: at the given x, which lie evenly about 0, and at both ends (returned).
pub(crate) fn piece_frames(rates: &Rates, at: &[f64], frames: &mut [Quat]) -> [Quat; 2] {
    if rates.is_short() {
        let [ends] = short_frames([rates], at, [frames], &mut Short::default());
        return ends;
    }
    let terms = Quaternions::new(&rates.a, &rates.b, f64::EPSILON / 8.0);
    for (k, other) in mirrored(at) {
        [frames[k], frames[other]] = terms.both(at[other]);
    }
    terms.ends()
}

/// The same of two pieces with the same x: two short ones are done together, which processors like. The scratch is made
/// once for many pieces.
pub(crate) fn pair_frames(
    rates: [&Rates; 2],
    at: &[f64],
    frames: [&mut [Quat]; 2],
    scratch: &mut Short<2>,
) -> [[Quat; 2]; 2] {
    if rates.iter().all(|r| r.is_short()) {
        return short_frames(rates, at, frames, scratch);
    }
    let [first, second] = frames;
    [piece_frames(rates[0], at, first), piece_frames(rates[1], at, second)]
}

/// Every x of the lower half with its mirror image, which is to be asked: so the middle one of an odd number is right
/// whatever the sign of its zero.
#[inline]
fn mirrored(at: &[f64]) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..at.len().div_ceil(2)).map(|k| (k, at.len() - 1 - k)).inspect(|(k, other)| {
        debug_assert!(at[*k] + at[*other] == 0.0 || k == other);
    })
}

/// Terms that are enough for short pieces: what those of exp(x/2 + x²/4) leave beyond is below 2⁻⁵⁵.
const FEW_TERMS: usize = 28;

/// 1/n!. From n = 3 on it is rounded; what it multiplies is at most 0.15 in a short piece.
const INVERSE_FACTORIAL: [f64; FEW_TERMS] = inverse_factorials();

/// Frames of `L` short pieces side by side.
#[inline]
fn short_frames<const L: usize>(
    rates: [&Rates; L],
    at: &[f64],
    mut frames: [&mut [Quat]; L],
    terms: &mut Short<L>,
) -> [[Quat; 2]; L] {
    terms.fill(rates);
    for (k, other) in mirrored(at) {
        let both = terms.both(at[other]);
        for (frames, [here, there]) in frames.iter_mut().zip(both) {
            (frames[k], frames[other]) = (here, there);
        }
    }
    terms.both(1.0)
}

/// A number of each of `L` pieces.
type Lanes<const L: usize> = [f64; L];

#[inline(always)]
fn lanes<const L: usize>(of: impl Fn(usize) -> f64) -> Lanes<L> {
    std::array::from_fn(of)
}

/// q ∘ (0, v) in every lane; components (i, j, k, w) and (x, y, z).
#[inline(always)]
fn lanes_times_pure<const L: usize>(q: &[Lanes<L>; 4], v: &[Lanes<L>; 3]) -> [Lanes<L>; 4] {
    let [x, y, z, w] = q;
    [
        lanes(|l| w[l] * v[0][l] + (y[l] * v[2][l] - z[l] * v[1][l])),
        lanes(|l| w[l] * v[1][l] + (z[l] * v[0][l] - x[l] * v[2][l])),
        lanes(|l| w[l] * v[2][l] + (x[l] * v[1][l] - y[l] * v[0][l])),
        lanes(|l| -(x[l] * v[0][l] + (y[l] * v[1][l] + z[l] * v[2][l]))),
    ]
}

/// The terms of short pieces: the same as [`Quaternions`], made for speed. With pₙ = n! qₙ the recurrence is
/// pₙ = pₙ₋₁ ∘ a/2 + (n − 1) pₙ₋₂ ∘ b/2, in which nothing waits for a division.
pub(crate) struct Short<const L: usize> {
    /// Even and odd terms, (i, j, k, w) each.
    terms: [[[Lanes<L>; 4]; 2]; FEW_TERMS / 2],
    pairs: usize,
}

impl<const L: usize> Default for Short<L> {
    #[inline(always)]
    fn default() -> Self {
        Self { terms: [[[[0.0; L]; 4]; 2]; FEW_TERMS / 2], pairs: 0 }
    }
}

impl<const L: usize> Short<L> {
    /// The terms of pieces with these rates.
    #[inline(always)]
    fn fill(&mut self, rates: [&Rates; L]) {
        let a: [Lanes<L>; 3] = std::array::from_fn(|c| lanes(|l| 0.5 * rates[l].a[c]));
        let b: [Lanes<L>; 3] = std::array::from_fn(|c| lanes(|l| 0.5 * rates[l].b[c]));
        let largest = |v: &[Lanes<L>; 3]| {
            let squares: Lanes<L> = lanes(|l| v[0][l] * v[0][l] + v[1][l] * v[1][l] + v[2][l] * v[2][l]);
            squares.into_iter().fold(0.0, f64::max).sqrt()
        };
        let mut bound = Majorant::new(largest(&a), largest(&b));
        (1..4).for_each(|n| bound.step(n));
        let zero = [0.0; L];
        let (mut before, mut last) = ([zero, zero, zero, [1.0; L]], [a[0], a[1], a[2], zero]);
        self.terms[0] = [before, last];
        self.pairs = 1;
        let mut n = 2;
        // The bound is that of the terms to come.
        while n < FEW_TERMS && !bound.negligible(f64::EPSILON / 8.0) {
            for term in &mut self.terms[n / 2] {
                let older = (n - 1) as f64;
                let (by_a, by_b) = (lanes_times_pure(&last, &a), lanes_times_pure(&before, &b));
                before = last;
                for c in 0..4 {
                    last[c] = lanes(|l| by_a[c][l] + older * by_b[c][l]);
                    term[c] = lanes(|l| last[c][l] * INVERSE_FACTORIAL[n]);
                }
                bound.step(n + 2);
                n += 1;
            }
            self.pairs += 1;
        }
    }

    /// At −x and x.
    #[inline(always)]
    fn both(&self, x: f64) -> [[Quat; 2]; L] {
        let square = x * x;
        let [mut even, mut odd] = [[[0.0; L]; 4]; 2];
        for [e, o] in self.terms[..self.pairs].iter().rev() {
            for c in 0..4 {
                for l in 0..L {
                    even[c][l] = even[c][l] * square + e[c][l];
                    odd[c][l] = odd[c][l] * square + o[c][l];
                }
            }
        }
        std::array::from_fn(|l| {
            let quat = |x: f64| {
                let at = |c: usize| even[c][l] + x * odd[c][l];
                Quat::new(at(3), at(0), at(1), at(2))
            };
            [quat(-x), quat(x)]
        })
    }
}

/// Frames at both ends of a piece relative to its middle, and the chord between the ends.
pub(super) struct Span {
    pub(super) first: Quat,
    pub(super) last: Quat,
    /// From the first to the last end, in the frame of the middle, m.
    pub(super) chord: Vec3,
}

/// Both ends of a piece with Darboux vector `u` at its middle and slope `slope`.
#[inline]
pub(super) fn span(u: &Vec3, slope: &Vec3, half: f64, tolerance: f64) -> Span {
    let (a, b) = (u * half, slope * (half * half));
    let [first, last] = Quaternions::new(&a, &b, tolerance).ends();
    // ∫ d3 over the piece: the odd terms of its integral cancel.
    let mut before = Mat3::identity();
    let mut term = times_skew(&before, &a);
    let mut bound = Majorant::new(a.norm(), b.norm());
    bound.step(1);
    let mut sum = Vec3::zeros();
    let mut n = 2;
    while n < MAX_TERMS && !bound.negligible(tolerance) {
        let (a, b) = (a * RECIPROCAL[n], b * RECIPROCAL[n]);
        let next = times_skew(&term, &a) + times_skew(&before, &b);
        (before, term) = (term, next);
        if n % 2 == 0 {
            sum += term.column(2) * RECIPROCAL[n + 1];
        }
        bound.step(n);
        n += 1;
    }
    Span { first, last, chord: (Vec3::z() + sum) * (2.0 * half) }
}

/// What a piece is at one x, relative to its middle: the middle's frame and position are held.
pub(super) struct Local {
    pub(super) frame: Quat,
    /// R, m⁰.
    pub(super) directors: Mat3,
    /// ∫ R ds, m: the last column is the position.
    pub(super) sum: Mat3,
    /// ∫ x R ds, m.
    pub(super) moment: Mat3,
    /// ∫ r ds, m².
    pub(super) area: Vec3,
    /// ∂r for changes e_j of u (first three) and x e_j (last three), m².
    pub(super) shift: [Vec3; 6],
}

/// All series of a piece.
pub(super) struct PieceSeries {
    quaternions: Quaternions,
    directors: [Mat3; MAX_TERMS],
    /// Third columns of the derivatives of the directors by the six changes of u, over h.
    tangents: [[Vec3; 6]; MAX_TERMS],
    count: usize,
    half: f64,
}

impl PieceSeries {
    /// Series about the middle with Darboux vector `u` there and slope `slope`.
    pub(super) fn new(u: &Vec3, slope: &Vec3, half: f64, tolerance: f64) -> Self {
        let (a, b) = (u * half, slope * (half * half));
        let mut directors = [Mat3::zeros(); MAX_TERMS];
        let mut tangents = [[Vec3::zeros(); 6]; MAX_TERMS];
        directors[0] = Mat3::identity();
        directors[1] = times_skew(&directors[0], &a);
        // Derivatives obey the same recurrence with one term more (eq. 15): those of a change e_j of u
        // begin at n = 1, those of x e_j at n = 2.
        let mut last = [Mat3::zeros(); 6];
        let mut before = [Mat3::zeros(); 6];
        for j in 0..3 {
            last[j] = times_skew(&directors[0], &super::axis(j));
            tangents[1][j] = last[j].column(2).into_owned();
        }
        // A derivative lags its function by up to two terms.
        let terms = Majorant::terms(a.norm(), b.norm(), tolerance);
        let count = (terms + 3).min(MAX_TERMS);
        for n in 2..count {
            directors[n] =
                (times_skew(&directors[n - 1], &a) + times_skew(&directors[n - 2], &b)) * RECIPROCAL[n];
            for k in 0..6 {
                let source = times_skew(&directors[n - 1 - k / 3], &super::axis(k % 3));
                let next = (times_skew(&last[k], &a) + times_skew(&before[k], &b) + source) * RECIPROCAL[n];
                (before[k], last[k]) = (last[k], next);
                tangents[n][k] = next.column(2).into_owned();
            }
        }
        Self { quaternions: Quaternions::new(&a, &b, tolerance), directors, tangents, count, half }
    }

    /// The sums at x.
    pub(super) fn at(&self, x: f64) -> Local {
        let (mut directors, mut sum, mut moment) = (Mat3::zeros(), Mat3::zeros(), Mat3::zeros());
        let mut area = Vec3::zeros();
        let mut shift = [Vec3::zeros(); 6];
        for n in (0..self.count).rev() {
            let term = &self.directors[n];
            directors = directors * x + term;
            sum = sum * x + term * RECIPROCAL[n + 1];
            moment = moment * x + term * RECIPROCAL[n + 2];
            area = area * x + term.column(2) * (RECIPROCAL[n + 1] * RECIPROCAL[n + 2]);
            for k in 0..6 {
                shift[k] = shift[k] * x + self.tangents[n][k] * RECIPROCAL[n + 1];
            }
        }
        let h = self.half;
        Local {
            frame: self.quaternions.at(x),
            directors,
            sum: sum * (h * x),
            moment: moment * (h * x * x),
            area: area * (h * h * x * x),
            shift: shift.map(|v| v * (h * h * x)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quick series of short pieces, alone and in pairs, are those of any piece, to round-off: S-shaped ones, whose
    /// slope is all they have, need most terms.
    #[test]
    fn short_pieces_agree_with_the_plain_series() {
        let at = [-0.9, -0.4, 0.0, 0.4, 0.9];
        let (a, b) = (Vec3::new(0.3, -0.8, 0.5).normalize(), Vec3::new(0.6, 0.1, -0.7).normalize());
        let sizes = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.999, 0.999), (0.4, 0.05), (0.2, 0.7)];
        let rates = sizes.map(|(alpha, beta)| Rates { a: a * alpha, b: b * beta });
        let zero = Quat::new(0.0, 0.0, 0.0, 0.0);
        let plain = |rates: &Rates| {
            let terms = Quaternions::new(&rates.a, &rates.b, f64::EPSILON / 64.0);
            (at.map(|x| terms.at(x)), terms.ends())
        };
        let near = |p: &Quat, q: &Quat| (p - q).norm() < 1e-15;
        for first in &rates {
            assert!(first.is_short());
            let mut frames = [[zero; 5]; 2];
            let ends = piece_frames(first, &at, &mut frames[0]);
            let (exact, exact_ends) = plain(first);
            assert!(
                frames[0].iter().chain(&ends).zip(exact.iter().chain(&exact_ends)).all(|(p, q)| near(p, q))
            );
            for second in &rates {
                let [one, two] = &mut frames;
                let ends = pair_frames([first, second], &at, [one, two], &mut Short::default());
                for ((frames, ends), rates) in frames.iter().zip(&ends).zip([first, second]) {
                    let (exact, exact_ends) = plain(rates);
                    let all = frames.iter().chain(ends).zip(exact.iter().chain(&exact_ends));
                    all.for_each(|(p, q)| assert!(near(p, q), "{rates:?}: {p} {q}"));
                }
            }
        }
    }
}
