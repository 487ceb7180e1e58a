//! Cubic B-splines (de Boor 1978): evaluation, least squares, pieces as polynomials.

use flexline::Vec3;

const DEGREE: usize = 3;
/// No more intervals than this.
const MOST: usize = 20_000;

/// A cubic B-spline with clamped ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spline {
    /// All knots, repeated ones as often as they are.
    pub(super) knots: Vec<f64>,
    pub(super) poles: Vec<Vec3>,
}

impl Spline {
    /// Knots with their multiplicities.
    pub(super) fn multiplicities(&self) -> Vec<(f64, usize)> {
        let mut all: Vec<(f64, usize)> = Vec::new();
        for knot in &self.knots {
            match all.last_mut().filter(|own| own.0 == *knot) {
                Some(own) => own.1 += 1,
                None => all.push((*knot, 1)),
            }
        }
        all
    }

    /// This and another that begins where it ends, with a kink between them.
    pub(super) fn joined(mut self, other: Self) -> Self {
        let shift = self.knots[self.knots.len() - 1] - other.knots[0];
        self.knots.pop();
        self.knots.extend(other.knots[DEGREE + 1..].iter().map(|u| u + shift));
        self.poles.extend(&other.poles[1..]);
        self
    }

    pub(super) fn at(&self, u: f64) -> Vec3 {
        let (first, basis) = basis(&self.knots, u);
        (0..=DEGREE).map(|k| self.poles[first + k] * basis[k]).sum()
    }

    /// Its derivative.
    pub(super) fn slope(&self, u: f64) -> Vec3 {
        let i = span(&self.knots, u);
        let n = basis_in(&self.knots, i, u, DEGREE - 1);
        let step = |j: usize| {
            (self.poles[j + 1] - self.poles[j])
                * (DEGREE as f64 / (self.knots[j + DEGREE + 1] - self.knots[j + 1]))
        };
        (0..DEGREE).map(|r| step(i - DEGREE + r) * n[r]).sum()
    }

    /// The pieces between knots as polynomials a0 + a1 t + a2 t² + a3 t³ with t from 0 to 1.
    pub(super) fn pieces(&self) -> Vec<([f64; 2], [Vec3; 4])> {
        let spans = self.multiplicities();
        let piece = |w: &[(f64, usize)]| {
            let (a, b) = (w[0].0, w[1].0);
            // Four values tell a cubic; inner ones, so that neighbours do not matter at joints.
            let value = |t: f64| self.at_within(a + (b - a) * t, a, b);
            let [p0, p1, p2, p3] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(value);
            let a1 = (p1 * 18.0 - p0 * 11.0 - p2 * 9.0 + p3 * 2.0) / 2.0;
            let a2 = (p0 * 2.0 - p1 * 5.0 + p2 * 4.0 - p3) * 4.5;
            let a3 = (p3 - p0 + (p1 - p2) * 3.0) * 4.5;
            ([a, b], [p0, a1, a2, a3])
        };
        spans.windows(2).map(piece).collect()
    }

    /// The value of the piece between two knots.
    fn at_within(&self, u: f64, a: f64, b: f64) -> Vec3 {
        let inside = 0.5 * (a + b);
        let first = span(&self.knots, inside);
        let basis = basis_in(&self.knots, first, u, DEGREE);
        (0..=DEGREE).map(|k| self.poles[first - DEGREE + k] * basis[k]).sum()
    }

    /// Its arc length, by Gauss's rule of five points in every piece.
    pub(super) fn length(&self) -> f64 {
        const RULE: [(f64, f64); 5] = [
            (0.046_910_077_030_668, 0.118_463_442_528_094_6),
            (0.230_765_344_947_158_4, 0.239_314_335_249_683_2),
            (0.5, 0.284_444_444_444_444_5),
            (0.769_234_655_052_841_6, 0.239_314_335_249_683_2),
            (0.953_089_922_969_332, 0.118_463_442_528_094_6),
        ];
        let speed = |[_, a1, a2, a3]: &[Vec3; 4], t: f64| (a1 + a2 * (2.0 * t) + a3 * (3.0 * t * t)).norm();
        self.pieces().iter().flat_map(|(_, own)| RULE.map(|(t, w)| w * speed(own, t))).sum()
    }
}

/// The interval of a parameter: its knot is the last that is not above it and is not the end.
fn span(knots: &[f64], u: f64) -> usize {
    let last = knots.len() - DEGREE - 2;
    knots.partition_point(|k| *k <= u).saturating_sub(1).clamp(DEGREE, last)
}

/// The first pole that matters at a parameter, and the values of the four functions there.
fn basis(knots: &[f64], u: f64) -> (usize, [f64; 4]) {
    let own = span(knots, u);
    (own - DEGREE, basis_in(knots, own, u, DEGREE))
}

/// The values of the functions of a degree that matter in an interval.
fn basis_in(knots: &[f64], i: usize, u: f64, degree: usize) -> [f64; 4] {
    let mut n = [1.0, 0.0, 0.0, 0.0];
    for p in 1..=degree {
        let mut saved = 0.0;
        for r in 0..p {
            let (right, left) = (knots[i + r + 1], knots[i + r + 1 - p]);
            let share = n[r] / (right - left);
            n[r] = saved + (right - u) * share;
            saved = (u - left) * share;
        }
        n[p] = saved;
    }
    n
}

/// Knots of so many equal intervals with clamped ends.
pub(super) fn uniform([from, to]: [f64; 2], intervals: usize) -> Vec<f64> {
    let mut knots = vec![from; DEGREE];
    knots.extend((0..intervals).map(|i| from + (to - from) * i as f64 / intervals as f64));
    knots.extend([to; DEGREE + 1]);
    knots
}

/// The spline on these knots that is nearest to a function in the least squares of many places, with its ends.
pub(super) fn nearest(knots: Vec<f64>, place: &dyn Fn(f64) -> Vec3, samples: usize) -> Spline {
    let count = knots.len() - DEGREE - 1;
    let range = [knots[0], knots[count]];
    let (start, end) = (place(range[0]), place(range[1]));
    // Normal equations, of which the diagonal and three neighbours are kept: AᵀA x = Aᵀb.
    let mut band = vec![[0.0; DEGREE + 1]; count];
    let mut right = vec![Vec3::zeros(); count];
    for j in 0..=samples {
        let u = range[0] + (range[1] - range[0]) * j as f64 / samples as f64;
        let (first, n) = basis(&knots, u);
        let mut value = place(u);
        for k in 0..=DEGREE {
            if first + k == 0 {
                value -= start * n[k];
            } else if first + k == count - 1 {
                value -= end * n[k];
            }
        }
        for a in 0..=DEGREE {
            right[first + a] += value * n[a];
            for b in a..=DEGREE {
                band[first + a][b - a] += n[a] * n[b];
            }
        }
    }
    // The ends are given.
    for i in [0, count - 1] {
        for k in 0..=DEGREE {
            band[i][k] = 0.0;
            if i >= k {
                band[i - k][k] = 0.0;
            }
        }
        band[i][0] = 1.0;
        right[i] = if i == 0 { start } else { end };
    }
    Spline { knots, poles: solve(band, right) }
}

/// Solves a banded symmetric system by Cholesky's L D Lᵀ.
fn solve(mut band: Vec<[f64; DEGREE + 1]>, mut x: Vec<Vec3>) -> Vec<Vec3> {
    let n = band.len();
    for i in 0..n {
        let pivot = band[i][0];
        for k in 1..=DEGREE.min(n - 1 - i) {
            let factor = band[i][k] / pivot;
            for m in k..=DEGREE.min(n - 1 - i) {
                band[i + k][m - k] -= factor * band[i][m];
            }
            let own = x[i];
            x[i + k] -= own * factor;
        }
    }
    for i in (0..n).rev() {
        let mut own = x[i];
        for k in 1..=DEGREE.min(n - 1 - i) {
            own -= x[i + k] * band[i][k];
        }
        x[i] = own / band[i][0];
    }
    x
}

/// The spline with the fewest equal intervals, half as many more step by step but `least` to begin with, that keeps to a function
/// within a tolerance, and how far it is off at most at many places; `places` is how finely the function is known.
pub(super) fn fit(
    place: &dyn Fn(f64) -> Vec3,
    range: [f64; 2],
    [places, least]: [usize; 2],
    tolerance: f64,
) -> Option<(Spline, f64)> {
    let mut intervals = least.clamp(4, MOST);
    while intervals <= MOST {
        let samples = (8 * intervals).max(4 * places);
        let spline = nearest(uniform(range, intervals), place, samples);
        let worst = (0..=2 * samples)
            .map(|j| range[0] + (range[1] - range[0]) * j as f64 / (2 * samples) as f64)
            .map(|u| (spline.at(u) - place(u)).norm())
            .fold(0.0, f64::max);
        if worst <= tolerance {
            return Some((spline, worst));
        }
        intervals = (intervals * 3).div_ceil(2);
    }
    None
}
