//! A centreline as polynomial pieces, in the points that the format knows curves by.

use super::Dialect;
use flexline::Vec3;

/// A centreline by its places: arc length, position, direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Arc length, position and direction, in order.
    pub places: Vec<(f64, Vec3, Vec3)>,
}

impl Line {
    /// The position at an arc length: cubic between places.
    pub fn at(&self, s: f64) -> Vec3 {
        let n = self.places.len();
        let next = self.places.partition_point(|own| own.0 <= s).clamp(1, n - 1);
        let ((s0, p0, t0), (s1, p1, t1)) = (self.places[next - 1], self.places[next]);
        let h = s1 - s0;
        let t = if h > 0.0 { ((s - s0) / h).clamp(0.0, 1.0) } else { 0.0 };
        let (t2, t3) = (t * t, t * t * t);
        p0 * (2.0 * t3 - 3.0 * t2 + 1.0)
            + t0 * (h * (t3 - 2.0 * t2 + t))
            + p1 * (3.0 * t2 - 2.0 * t3)
            + t1 * (h * (t3 - t2))
    }

    /// Its length, m.
    pub fn length(&self) -> f64 {
        self.places.last().map_or(0.0, |own| own.0)
    }

    /// The largest distance from another, place by place as shares of their lengths.
    pub fn apart(&self, other: &Self) -> f64 {
        let count = 2 * self.places.len().max(other.places.len());
        let far = |i: usize| {
            let share = i as f64 / count as f64;
            (self.at(share * self.length()) - other.at(share * other.length())).norm()
        };
        (0..=count).map(far).fold(0.0, f64::max)
    }
}

/// More pieces than this are not made.
const MOST: usize = 256;

/// Pieces of a degree that stay within a tolerance of a line, as Bézier points, and how far they are off.
pub fn pieces(line: &Line, degree: usize, at_least: usize, tolerance: f64) -> (Vec<Vec<Vec3>>, f64) {
    let mut count = at_least.max(1);
    loop {
        let (made, off) = with(line, degree, count);
        if off <= tolerance || count >= MOST {
            return (made, off);
        }
        count = (2 * count).min(MOST);
    }
}

fn with(line: &Line, degree: usize, count: usize) -> (Vec<Vec<Vec3>>, f64) {
    let length = line.length();
    let inverse = bernstein_inverse(degree);
    let mut made = Vec::with_capacity(count);
    let mut off = 0.0_f64;
    for k in 0..count {
        let [a, b] = [k, k + 1].map(|i| length * i as f64 / count as f64);
        let values: Vec<Vec3> = (0..=degree).map(|i| line.at(a + (b - a) * lobatto(i, degree))).collect();
        let mut points: Vec<Vec3> =
            inverse.iter().map(|row| row.iter().zip(&values).map(|(w, v)| v * *w).sum()).collect();
        // Ends to the last digit, so that pieces and nodes meet.
        (points[0], points[degree]) = (values[0], values[degree]);
        for i in 0..=40 {
            let t = i as f64 / 40.0;
            off = off.max((casteljau(&points, &vec![t; degree]) - line.at(a + (b - a) * t)).norm());
        }
        made.push(points);
    }
    (made, off)
}

/// Chebyshev's places with both ends, 0 to 1.
fn lobatto(i: usize, degree: usize) -> f64 {
    0.5 - 0.5 * (std::f64::consts::PI * i as f64 / degree as f64).cos()
}

/// De Casteljau with a parameter of its own at every level: with equal ones the point there, else the polar form.
fn casteljau(points: &[Vec3], at: &[f64]) -> Vec3 {
    let mut own = points.to_vec();
    for (level, t) in at.iter().enumerate() {
        for j in 0..own.len() - 1 - level {
            own[j] = own[j].lerp(&own[j + 1], *t);
        }
    }
    own[0]
}

/// The matrix that leads from values at Chebyshev's places to Bézier points, by elimination with pivots.
fn bernstein_inverse(degree: usize) -> Vec<Vec<f64>> {
    let n = degree + 1;
    let choose = |k: usize| (0..k).fold(1.0, |c, i| c * (degree - i) as f64 / (i + 1) as f64);
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let t = lobatto(i, degree);
            let basis = (0..n).map(|j| choose(j) * t.powi(j as i32) * (1.0 - t).powi((degree - j) as i32));
            basis.chain((0..n).map(|j| f64::from(u8::from(i == j)))).collect()
        })
        .collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|a, b| rows[*a][c].abs().total_cmp(&rows[*b][c].abs())).unwrap_or(c);
        rows.swap(c, pivot);
        let scale = rows[c][c];
        rows[c].iter_mut().for_each(|x| *x /= scale);
        let own = rows[c].clone();
        for (r, row) in rows.iter_mut().enumerate().filter(|(r, _)| *r != c) {
            let factor = row[c];
            if factor != 0.0 && r != c {
                row.iter_mut().zip(&own).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    rows.into_iter().map(|row| row[n..].to_vec()).collect()
}

/// The points of a piece as a dialect writes them: Bézier points are those of a clamped B-spline; the unclamped one has the polar form
/// at consecutive knots, f(i + 1 − p, …, i) for a piece between 0 and 1.
pub fn control_points(piece: &[Vec3], dialect: Dialect) -> Vec<Vec3> {
    let degree = piece.len() - 1;
    match dialect {
        Dialect::Clamped => piece.to_vec(),
        Dialect::Unclamped => {
            let at =
                |i: usize| -> Vec<f64> { (0..degree).map(|k| (i + 1 + k) as f64 - degree as f64).collect() };
            (0..=degree).map(|i| casteljau(piece, &at(i))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helix() -> Line {
        let place = |i: usize| {
            let s = 0.01 * i as f64;
            let (a, r) = (16.0 * s, 0.05);
            let p = Vec3::new(r * a.cos(), r * a.sin(), 0.6 * s);
            (s, p, Vec3::new(-0.8 * a.sin(), 0.8 * a.cos(), 0.6))
        };
        Line { places: (0..=30).map(place).collect() }
    }

    #[test]
    fn pieces_stay_within_the_tolerance_and_meet() {
        let line = helix();
        for degree in [3, 6] {
            let (made, off) = pieces(&line, degree, 1, 1e-5);
            assert!(off <= 1e-5 && made.len() <= 32, "{degree}: {off} with {}", made.len());
            for pair in made.windows(2) {
                assert!((pair[0][degree] - pair[1][0]).norm() < 1e-15);
            }
        }
    }

    #[test]
    fn both_dialects_are_the_same_curve() {
        let (made, _) = pieces(&helix(), 6, 2, 1e-5);
        for piece in &made {
            let points = control_points(piece, Dialect::Unclamped);
            // As the reader evaluates it: knots 0, 1, …, 13, between 6 and 7.
            let knots: Vec<f64> = (0..14).map(|i| i as f64).collect();
            for t in [0.0, 0.25, 0.7, 1.0 - 1e-12] {
                let read = super::super::course::at(&points, 6, &knots, 6.0 + t);
                assert!((read - casteljau(piece, &[t; 6])).norm() < 1e-10, "{t}");
            }
        }
    }
}
