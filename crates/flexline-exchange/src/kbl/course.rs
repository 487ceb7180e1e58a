//! Where a segment goes: its centre curves as B-splines without knots, put one behind the other between its nodes.
//!
//! The format says degree and points, nothing of knots. Some systems mean uniform knots without end conditions, so that the curve lies far
//! inside its points (which are tens of metres away), others knots that are repeated at the ends. Both are tried; the one whose ends
//! meet the nodes is meant. Where neither does, the segment runs smoothly between its nodes, and that is told.

use super::{Kbl, Segment};
use flexline::Vec3;

/// How knots are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Uniform knots 0, 1, 2, …; the curve is defined between knots p and n.
    Unclamped,
    /// Knots repeated p + 1 times at the ends, uniform between.
    Clamped,
}

impl Dialect {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unclamped => "unclamped",
            Self::Clamped => "clamped",
        }
    }

    /// The knots of a curve of n points and degree p.
    fn knots(self, n: usize, p: usize) -> Vec<f64> {
        match self {
            Self::Unclamped => (0..n + p + 1).map(|i| i as f64).collect(),
            Self::Clamped => (0..n + p + 1).map(|i| i.clamp(p, n) as f64).collect(),
        }
    }
}

/// A curve whose ends are farther from the nodes than this, m, misses them.
pub const MISSES: f64 = 0.5e-3;
/// Samples of a span of a curve.
const SAMPLES: usize = 64;

/// Where a segment goes, sampled densely.
#[derive(Clone, Debug)]
pub struct Course {
    /// Points, m.
    pub points: Vec<Vec3>,
    /// Arc length up to each, m; that of the smooth curve to fourth order.
    pub arc: Vec<f64>,
    /// Directions.
    pub tangents: Vec<Vec3>,
    /// How the knots of its curves are meant; `None` where it has no curve, or none that meets the nodes.
    pub dialect: Option<Dialect>,
    /// How far the ends of its curves are off the nodes, m, in the better dialect.
    pub miss: f64,
}

/// The point of a B-spline at a parameter, by de Boor.
pub(super) fn at(points: &[Vec3], degree: usize, knots: &[f64], u: f64) -> Vec3 {
    let n = points.len();
    let mut k = degree;
    while k + 1 < n && u >= knots[k + 1] {
        k += 1;
    }
    let mut d: Vec<Vec3> = (0..=degree).map(|j| points[j + k - degree]).collect();
    for r in 1..=degree {
        for j in (r..=degree).rev() {
            let (a, b) = (knots[j + k - degree], knots[j + 1 + k - r]);
            let w = if b > a { (u - a) / (b - a) } else { 0.0 };
            d[j] = d[j - 1].lerp(&d[j], w);
        }
    }
    d[degree]
}

/// Samples of one curve.
fn sampled(points: &[Vec3], degree: usize, dialect: Dialect) -> Vec<Vec3> {
    let n = points.len();
    let knots = dialect.knots(n, degree);
    let count = SAMPLES * (n - degree).min(256);
    let [a, b] = [knots[degree], knots[n]];
    (0..=count).map(|i| at(points, degree, &knots, a + (b - a) * i as f64 / count as f64)).collect()
}

/// Arc length of a piece of samples, to fourth order (Richardson, over chords of one and of two steps), and samples with arc lengths.
fn arcs(points: &[Vec3]) -> Vec<f64> {
    let mut arc = vec![0.0; points.len()];
    let mut i = 0;
    while i + 2 < points.len() {
        let [a, b, c] = [points[i], points[i + 1], points[i + 2]];
        let [one, two, both] = [(b - a).norm(), (c - b).norm(), (c - a).norm()];
        let fine = one + two;
        let whole = (4.0 * fine - both) / 3.0;
        let scale = if fine > 0.0 { whole / fine } else { 1.0 };
        arc[i + 1] = arc[i] + scale * one;
        arc[i + 2] = arc[i] + whole;
        i += 2;
    }
    if i + 1 < points.len() {
        arc[i + 1] = arc[i] + (points[i + 1] - points[i]).norm();
    }
    arc
}

impl Course {
    /// Where a segment goes.
    pub fn of(kbl: &Kbl, segment: &Segment) -> Self {
        let ends = segment.nodes.map(|i| kbl.nodes[i].at);
        let mut least = f64::INFINITY;
        for dialect in [Dialect::Unclamped, Dialect::Clamped] {
            if segment.curves.is_empty() {
                break;
            }
            let pieces: Vec<Vec<Vec3>> =
                segment.curves.iter().map(|own| sampled(&own.points, own.degree, dialect)).collect();
            let (chain, miss) = chained(pieces, ends);
            if miss <= MISSES {
                return Self::through(&chain, Some(dialect), miss);
            }
            least = least.min(miss);
        }
        // A smooth way between the nodes, along the directions that are given.
        let chord = ends[1] - ends[0];
        let length = segment.virtual_length.unwrap_or(chord.norm()).max(chord.norm());
        let along = chord.try_normalize(1e-12).unwrap_or_else(Vec3::x);
        let lead = |own: Option<Vec3>| own.filter(|v| v.dot(&along) > 0.0).unwrap_or(along) * length;
        let [a, b] = segment.vectors.map(lead);
        let hermite = |t: f64| {
            let (t2, t3) = (t * t, t * t * t);
            ends[0] * (2.0 * t3 - 3.0 * t2 + 1.0)
                + a * (t3 - 2.0 * t2 + t)
                + ends[1] * (3.0 * t2 - 2.0 * t3)
                + b * (t3 - t2)
        };
        let points: Vec<Vec3> = (0..=2 * SAMPLES).map(|i| hermite(i as f64 / (2 * SAMPLES) as f64)).collect();
        Self::through(&[points], None, if segment.curves.is_empty() { 0.0 } else { least })
    }

    /// Samples put one behind the other.
    fn through(pieces: &[Vec<Vec3>], dialect: Option<Dialect>, miss: f64) -> Self {
        let (mut points, mut arc): (Vec<Vec3>, Vec<f64>) = Default::default();
        for piece in pieces {
            let begun = arc.last().copied().unwrap_or(0.0);
            let own = arcs(piece);
            let skip = usize::from(!points.is_empty());
            points.extend(&piece[skip..]);
            arc.extend(own[skip..].iter().map(|s| begun + s));
        }
        let n = points.len();
        let tangent = |i: usize| {
            let [a, b] = [i.saturating_sub(1), (i + 1).min(n - 1)];
            let difference = match i {
                // One-sided, of second order.
                0 if n > 2 => 4.0 * points[1] - 3.0 * points[0] - points[2],
                _ if i + 1 == n && n > 2 => 3.0 * points[i] - 4.0 * points[i - 1] + points[i - 2],
                _ => points[b] - points[a],
            };
            difference.try_normalize(1e-12).unwrap_or_else(Vec3::x)
        };
        let tangents = (0..n).map(tangent).collect();
        Self { points, arc, tangents, dialect, miss }
    }

    /// Its length, m.
    pub fn length(&self) -> f64 {
        self.arc.last().copied().unwrap_or(0.0)
    }

    /// Point and direction at an arc length.
    pub fn at(&self, s: f64) -> (Vec3, Vec3) {
        let next = self.arc.partition_point(|own| *own <= s).clamp(1, self.arc.len() - 1);
        let (a, b) = (self.arc[next - 1], self.arc[next]);
        let t = if b > a { ((s - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 };
        let tangent = self.tangents[next - 1].lerp(&self.tangents[next], t);
        // Cubic between samples: chords would be off by their sag.
        let (h, t2, t3) = (b - a, t * t, t * t * t);
        let place = self.points[next - 1] * (2.0 * t3 - 3.0 * t2 + 1.0)
            + self.tangents[next - 1] * (h * (t3 - 2.0 * t2 + t))
            + self.points[next] * (3.0 * t2 - 2.0 * t3)
            + self.tangents[next] * (h * (t3 - t2));
        (place, tangent.try_normalize(1e-12).unwrap_or(self.tangents[next]))
    }

    /// Evenly spaced points and directions, `count` + 1 of them.
    pub fn even(&self, count: usize) -> Vec<(Vec3, Vec3)> {
        (0..=count).map(|i| self.at(self.length() * i as f64 / count as f64)).collect()
    }
}

/// Pieces in order from the first node to the second, each turned round where that fits better; and how far they are off: at the nodes
/// and at the joints between them.
fn chained(mut pieces: Vec<Vec<Vec3>>, ends: [Vec3; 2]) -> (Vec<Vec<Vec3>>, f64) {
    let mut chain: Vec<Vec<Vec3>> = Vec::new();
    let mut here = ends[0];
    let mut worst = 0.0_f64;
    // Greedy is quadratic; segments have a handful of curves, and those that have more have them in order.
    let search = pieces.len() <= 64;
    while !pieces.is_empty() {
        let mut best = (f64::INFINITY, 0, false);
        for (i, piece) in pieces.iter().enumerate().take(if search { usize::MAX } else { 1 }) {
            for backwards in [false, true] {
                let first = if backwards { piece[piece.len() - 1] } else { piece[0] };
                let gap = (first - here).norm();
                if gap < best.0 {
                    best = (gap, i, backwards);
                }
            }
        }
        if !best.0.is_finite() {
            return (chain, f64::INFINITY);
        }
        let mut piece = pieces.remove(best.1);
        if best.2 {
            piece.reverse();
        }
        worst = worst.max(best.0);
        here = piece[piece.len() - 1];
        chain.push(piece);
    }
    (chain, worst.max((here - ends[1]).norm()))
}
