//! A smooth path through given points: what a handle slides along or is led along.
//!
//! A cubic spline with continuous curvature, natural at open ends and periodic when closed, over the
//! chord lengths of its points. Beyond an open end it goes on straight.

use crate::algebra::Vec3;
use serde::{Deserialize, Serialize};

/// A path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Path {
    /// Parameter of every point: chord lengths summed up, m. A closed path has its first point again.
    knots: Vec<f64>,
    points: Vec<Vec3>,
    /// Second derivative by the parameter at every point.
    second: Vec<Vec3>,
    closed: bool,
}

/// A path as it is written down: the points it was made from.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    points: Vec<Vec3>,
    closed: bool,
}

impl From<Path> for Stored {
    fn from(path: Path) -> Self {
        let mut points = path.points;
        if path.closed {
            points.pop();
        }
        Self { points, closed: path.closed }
    }
}

impl TryFrom<Stored> for Path {
    type Error = PathError;

    fn try_from(stored: Stored) -> Result<Self, PathError> {
        Self::new(&stored.points, stored.closed)
    }
}

/// Why points make no path.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// Too few points.
    #[error("a path through {0} points: expected at least {1}")]
    TooFew(usize, usize),
    /// A point is not finite, or is the same as the one before.
    #[error("point {0} of the path is not finite or the same as the point before it")]
    Point(usize),
}

/// Value and the first two derivatives at a place of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPoint {
    /// Parameter, m; near the arc length, but not quite.
    pub u: f64,
    /// Position, m, in the axes that the points of the path were given in; so are the derivatives.
    pub position: Vec3,
    /// First derivative by u.
    pub first: Vec3,
    /// Second derivative by u, 1/m.
    pub second: Vec3,
}

impl Path {
    /// The path through `points`; a closed one returns to the first.
    pub fn new(points: &[Vec3], closed: bool) -> Result<Self, PathError> {
        let least = if closed { 3 } else { 2 };
        if points.len() < least {
            return Err(PathError::TooFew(points.len(), least));
        }
        let mut points = points.to_vec();
        if closed {
            points.push(points[0]);
        }
        let mut knots = vec![0.0];
        for (k, pair) in points.windows(2).enumerate() {
            let step = (pair[1] - pair[0]).norm();
            if !(step > 0.0 && step.is_finite()) {
                return Err(PathError::Point((k + 1) % (points.len() - usize::from(closed))));
            }
            knots.push(knots[k] + step);
        }
        let second = if closed { periodic(&knots, &points) } else { natural(&knots, &points) };
        Ok(Self { knots, points, second, closed })
    }

    /// The largest parameter.
    pub fn extent(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    /// Whether it returns to its first point.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The place with parameter `u`.
    pub fn at(&self, u: f64) -> PathPoint {
        let end = self.extent();
        let inside = if self.closed { u.rem_euclid(end) } else { u.clamp(0.0, end) };
        let last = self.knots.len() - 2;
        let k = self.knots.partition_point(|t| *t <= inside).saturating_sub(1).min(last);
        let h = self.knots[k + 1] - self.knots[k];
        let (a, b) = ((self.knots[k + 1] - inside) / h, (inside - self.knots[k]) / h);
        let (p, q) = (self.points[k], self.points[k + 1]);
        let (m, n) = (self.second[k], self.second[k + 1]);
        let position = p * a + q * b + (m * (a * a * a - a) + n * (b * b * b - b)) * (h * h / 6.0);
        let first = (q - p) / h + (n * (3.0 * b * b - 1.0) - m * (3.0 * a * a - 1.0)) * (h / 6.0);
        let second = m * a + n * b;
        // Straight on beyond an open end, where a natural spline has no curvature.
        let beyond = if self.closed { 0.0 } else { u - inside };
        PathPoint { u, position: position + first * beyond, first, second }
    }

    /// The place nearest to `p`.
    pub fn nearest(&self, p: &Vec3) -> PathPoint {
        let pieces = 8;
        let mut best = (f64::INFINITY, 0.0);
        for k in 0..self.knots.len() - 1 {
            for i in 0..=pieces {
                let share = i as f64 / pieces as f64;
                let u = self.knots[k] + share * (self.knots[k + 1] - self.knots[k]);
                let distance = (self.at(u).position - p).norm_squared();
                if distance < best.0 {
                    best = (distance, u);
                }
            }
        }
        let mut here = self.at(best.1);
        for _ in 0..30 {
            let off = here.position - p;
            let slope = off.dot(&here.first);
            // Gauss–Newton where the distance is not convex.
            let bend = (here.first.norm_squared() + off.dot(&here.second))
                .max(0.2 * here.first.norm_squared())
                .max(f64::MIN_POSITIVE);
            let step = slope / bend;
            here = self.at(here.u - step);
            if step.abs() <= 1e-15 * self.extent() {
                break;
            }
        }
        here
    }
}

/// Right-hand side of the spline's equations at point k with neighbours.
fn bend(before: (f64, Vec3), here: (f64, Vec3), after: (f64, Vec3)) -> Vec3 {
    6.0 * ((after.1 - here.1) / (after.0 - here.0) - (here.1 - before.1) / (here.0 - before.0))
}

fn natural(knots: &[f64], points: &[Vec3]) -> Vec<Vec3> {
    let n = knots.len();
    let at = |k: usize| (knots[k], points[k]);
    let (mut upper, mut right) = (vec![0.0; n], vec![Vec3::zeros(); n]);
    for k in 1..n - 1 {
        let (h0, h1) = (knots[k] - knots[k - 1], knots[k + 1] - knots[k]);
        let pivot = 2.0 * (h0 + h1) - h0 * upper[k - 1];
        upper[k] = h1 / pivot;
        right[k] = (bend(at(k - 1), at(k), at(k + 1)) - h0 * right[k - 1]) / pivot;
    }
    let mut second = vec![Vec3::zeros(); n];
    for k in (1..n - 1).rev() {
        second[k] = right[k] - upper[k] * second[k + 1];
    }
    second
}

/// The cyclic system by Gauss–Seidel: diagonally dominant by two, so that it halves its error in
/// every sweep.
fn periodic(knots: &[f64], points: &[Vec3]) -> Vec<Vec3> {
    let n = knots.len() - 1;
    let extent = knots[n];
    let at = |k: usize| (knots[k], points[k]);
    let mut second = vec![Vec3::zeros(); n + 1];
    for _ in 0..120 {
        for k in 0..n {
            let before =
                if k == 0 { (knots[n - 1] - extent, points[n - 1]) } else { (knots[k - 1], points[k - 1]) };
            let (h0, h1) = (knots[k] - before.0, knots[k + 1] - knots[k]);
            let last = second[(k + n - 1) % n];
            let next = second[(k + 1) % n];
            second[k] = (bend(before, at(k), at(k + 1)) - h0 * last - h1 * next) / (2.0 * (h0 + h1));
        }
    }
    second[n] = second[0];
    second
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn circle(n: usize) -> Vec<Vec3> {
        (0..n).map(|k| TAU * k as f64 / n as f64).map(|t| Vec3::new(t.cos(), t.sin(), 0.3)).collect()
    }

    #[test]
    fn a_closed_path_follows_a_circle_to_fourth_order() {
        let error = |n: usize| {
            let path = Path::new(&circle(n), true).unwrap();
            (0..500)
                .map(|k| path.at(path.extent() * k as f64 / 500.0).position)
                .map(|p| (p.xy().norm() - 1.0).abs())
                .fold(0.0, f64::max)
        };
        let ratio = error(16) / error(32);
        assert!((12.0..20.0).contains(&ratio), "{ratio}");
        assert!(error(64) < 1e-6, "{}", error(64));
    }

    #[test]
    fn derivatives_agree_with_differences_and_knots_are_smooth() {
        let points =
            [Vec3::zeros(), Vec3::new(0.2, 0.1, 0.0), Vec3::new(0.5, -0.1, 0.3), Vec3::new(0.6, 0.3, 0.2)];
        let path = Path::new(&points, false).unwrap();
        for p in &points {
            assert!((path.nearest(p).position - p).norm() < 1e-14);
        }
        let h = 1e-5;
        for k in 0..60 {
            let u = -0.1 + 0.02 * k as f64;
            let (a, b, c) = (path.at(u - h), path.at(u), path.at(u + h));
            assert!(((c.position - a.position) / (2.0 * h) - b.first).norm() < 1e-7);
            if path.knots.iter().all(|t| (t - u).abs() > h) {
                assert!(((c.first - a.first) / (2.0 * h) - b.second).norm() < 1e-7);
            }
        }
        // Curvature has no jump at a knot.
        let t = path.knots[1];
        assert!((path.at(t - 1e-9).second - path.at(t + 1e-9).second).norm() < 1e-6);
    }

    #[test]
    fn the_nearest_place_is_a_foot_point() {
        let path = Path::new(&circle(40), true).unwrap();
        for k in 0..50 {
            let t = 0.13 * k as f64;
            let p = Vec3::new(1.3 * t.cos(), 1.3 * t.sin(), 0.7);
            let foot = path.nearest(&p);
            assert!((foot.position - p).dot(&foot.first).abs() < 1e-12);
            // The spline is a circle to 6e-6 only.
            assert!((foot.position.xy().normalize() - p.xy().normalize()).norm() < 1e-4);
        }
    }

    #[test]
    fn refuses_what_is_no_path() {
        assert_eq!(Path::new(&[Vec3::zeros()], false), Err(PathError::TooFew(1, 2)));
        assert_eq!(Path::new(&[Vec3::zeros(), Vec3::zeros()], false), Err(PathError::Point(1)));
        let far = Vec3::new(f64::NAN, 0.0, 0.0);
        assert_eq!(Path::new(&[Vec3::zeros(), far], false), Err(PathError::Point(1)));
        assert_eq!(Path::new(&circle(2), true), Err(PathError::TooFew(2, 3)));
    }
}
