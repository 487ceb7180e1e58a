//! Uniform cubic B-splines: centreline and radius of a tube on the same knots.

use flexline::Vec3;

/// A tube: n spans of length one in the parameter u, n + 3 control points.
#[derive(Clone, Debug)]
pub(crate) struct Tube {
    pub points: Vec<Vec3>,
    pub radii: Vec<f64>,
}

/// Values of the four basis functions that are not zero on a span, at t in 0…1 of it.
pub(crate) fn basis(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [
        s * s * s / 6.0,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
        (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
        t * t * t / 6.0,
    ]
}

/// Their derivatives.
pub(crate) fn slopes(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [-0.5 * s * s, 0.5 * (3.0 * t * t - 4.0 * t), -0.5 * (3.0 * s * s - 4.0 * s), 0.5 * t * t]
}

fn bends(t: f64) -> [f64; 4] {
    [1.0 - t, 3.0 * t - 2.0, 1.0 - 3.0 * t, t]
}

impl Tube {
    pub fn spans(&self) -> usize {
        self.points.len() - 3
    }

    /// The span that u is on and the place on it; beyond the ends the first and last span go on.
    pub fn place(&self, u: f64) -> (usize, f64) {
        let span = u.floor().clamp(0.0, (self.spans() - 1) as f64);
        (span as usize, u - span)
    }

    fn combine(&self, u: f64, weights: fn(f64) -> [f64; 4]) -> Vec3 {
        let (span, t) = self.place(u);
        let w = weights(t);
        (0..4).fold(Vec3::zeros(), |sum, k| sum + w[k] * self.points[span + k])
    }

    pub fn at(&self, u: f64) -> Vec3 {
        self.combine(u, basis)
    }

    pub fn slope(&self, u: f64) -> Vec3 {
        self.combine(u, slopes)
    }

    pub fn bend(&self, u: f64) -> Vec3 {
        self.combine(u, bends)
    }

    pub fn tangent(&self, u: f64) -> Vec3 {
        self.slope(u).try_normalize(0.0).unwrap_or_else(Vec3::x)
    }

    pub fn radius(&self, u: f64) -> f64 {
        let (span, t) = self.place(u.clamp(0.0, self.spans() as f64));
        let w = basis(t);
        (0..4).map(|k| w[k] * self.radii[span + k]).sum()
    }

    /// Arc length between two parameters, by Gauss quadrature on every span.
    pub fn length(&self, from: f64, to: f64) -> f64 {
        const NODES: [(f64, f64); 5] = [
            (0.0, 0.568_888_888_888_888_9),
            (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
            (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
            (0.906_179_845_938_664, 0.236_926_885_056_189_1),
            (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
        ];
        let mut sum = 0.0;
        let mut a = from;
        while a < to {
            let b = (a.floor() + 1.0).min(to);
            // Half spans: the speed of a fitted spline wavers.
            for (p, q) in [(a, 0.5 * (a + b)), (0.5 * (a + b), b)] {
                let (middle, half) = (0.5 * (p + q), 0.5 * (q - p));
                sum +=
                    half * NODES.iter().map(|(x, w)| w * self.slope(middle + half * x).norm()).sum::<f64>();
            }
            if b <= a {
                break;
            }
            a = b;
        }
        sum
    }

    /// The place nearest to a point, by Newton's method from a guess; it never leaves the neighbourhood of the guess, so
    /// that the next turn of a coil is not mistaken for this one.
    pub fn foot(&self, x: &Vec3, guess: f64) -> f64 {
        let mut u = guess;
        for _ in 0..8 {
            let off = self.at(u) - x;
            let slope = self.slope(u);
            let speed = slope.norm_squared();
            let curved = speed + off.dot(&self.bend(u));
            let step =
                off.dot(&slope) / if curved > 0.2 * speed { curved } else { speed.max(f64::MIN_POSITIVE) };
            let step = step.clamp(-0.5, 0.5);
            u = (u - step).clamp(-1.0, self.spans() as f64 + 1.0);
            if step.abs() < 1e-10 {
                break;
            }
        }
        u
    }

    /// The tube on other knots, by interpolation of its own values: good enough to start from.
    pub fn with_spans(&self, spans: usize) -> Self {
        let n = spans + 3;
        let stretch = self.spans() as f64 / spans as f64;
        let mut tube = Self { points: vec![Vec3::zeros(); n], radii: vec![0.0; n] };
        for k in 0..n {
            // A control point lies off the curve by a sixth of the second difference, opposite to the bend.
            let u = (k as f64 - 1.0) * stretch;
            tube.points[k] = self.at(u) - self.bend(u) * (stretch * stretch / 6.0);
            tube.radii[k] = self.radius(u);
        }
        tube
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tube() -> Tube {
        let points = (0..9).map(|k| {
            let a = 0.7 * k as f64;
            Vec3::new(a.cos(), a.sin(), 0.2 * a * a)
        });
        Tube { points: points.collect(), radii: (0..9).map(|k| 1.0 + 0.1 * k as f64).collect() }
    }

    #[test]
    fn slopes_are_those_of_differences() {
        let (tube, e) = (tube(), 1e-5);
        for u in [-0.3, 0.0, 0.4, 1.0, 3.7, 5.999, 6.4] {
            let difference = (tube.at(u + e) - tube.at(u - e)) / (2.0 * e);
            assert!((difference - tube.slope(u)).norm() < 1e-8, "{u}");
            let difference = (tube.slope(u + e) - tube.slope(u - e)) / (2.0 * e);
            // Where a span ends the third derivative jumps, and the difference is of first order.
            assert!((difference - tube.bend(u)).norm() < 1e-4, "{u}");
        }
    }

    #[test]
    fn the_foot_is_where_the_tangent_is_square() {
        let tube = tube();
        for u in [0.5, 2.2, 4.9] {
            let x = tube.at(u) + 0.3 * tube.slope(u).cross(&Vec3::z()).normalize();
            let foot = tube.foot(&x, u + 0.4);
            assert!((foot - u).abs() < 1e-9, "{foot} {u}");
        }
    }

    #[test]
    fn the_length_is_that_of_chords() {
        let tube = tube();
        let n = 20_000;
        let point = |i: usize| tube.at(0.3 + 5.1 * i as f64 / n as f64);
        let chords: f64 = (0..n).map(|i| (point(i + 1) - point(i)).norm()).sum();
        assert!((tube.length(0.3, 5.4) - chords).abs() < 1e-7, "{} {chords}", tube.length(0.3, 5.4));
    }
}
