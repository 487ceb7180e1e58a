//! Where along a segment it comes nearest to a line, a point or a rim.

use super::feature::outward;
use super::touch::SLACK;
use crate::algebra::Vec3;

/// A segment whose distance from a line changes by less than this share of itself is parallel to it: its ends are taken
/// instead of one place that jumps about. In between it may be nearer, by a share of PARALLEL²/8.
const PARALLEL: f64 = 1e-2;
/// Shares nearer than this to an end of the segment are that end.
const AT_END: f64 = 1e-12;

/// A segment of an axis, in the axes of the obstacle, and how far away surfaces matter to it.
pub(super) struct Segment {
    pub a: Vec3,
    pub along: Vec3,
    pub reach: f64,
}

/// Up to two shares of a segment.
#[derive(Default)]
pub(super) struct Places {
    shares: [f64; 2],
    count: usize,
}

impl Places {
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares[..self.count]
    }

    fn with(mut self, share: f64) -> Self {
        self.shares[self.count] = share;
        self.count += 1;
        self
    }
}

impl Segment {
    /// The point at a share of the way.
    pub(super) fn at(&self, share: f64) -> Vec3 {
        if share == 1.0 { self.a + self.along } else { self.a + self.along * share }
    }

    /// The ends, once where they are one point.
    pub(super) fn ends(&self) -> Places {
        let first = Places::default().with(0.0);
        if self.along == Vec3::zeros() { first } else { first.with(1.0) }
    }

    /// Nearest to the line through `point` along the unit vector `axis`: one place, or both ends where it is parallel.
    pub(super) fn nearest_to_line(&self, point: &Vec3, axis: &Vec3) -> Places {
        let across = |v: Vec3| v - axis * axis.dot(&v);
        let (start, along) = (across(self.a - point), across(self.along));
        let share = nearest_share(&start, &along);
        let distance = (start + along * share).norm();
        if along.norm() <= PARALLEL * distance { self.ends() } else { Places::default().with(share) }
    }

    /// Nearest to a point.
    pub(super) fn nearest_to_point(&self, point: &Vec3) -> Places {
        Places::default().with(nearest_share(&(self.a - point), &self.along))
    }

    /// Nearest to the circle of `radius` about the z axis at z = `height`, as far as it is seen from outside a solid
    /// below: twice where the segment passes over it twice.
    pub(super) fn nearest_to_rim(&self, radius: f64, height: f64) -> Places {
        // How the distance grows along the segment, times the distance.
        let growth = |share: f64| {
            let p = self.at(share);
            let (outward, rho) = outward(&p);
            (outward * (rho - radius) + Vec3::z() * (p.z - height)).dot(&self.along)
        };
        let width = SLACK * self.reach.min(radius);
        let mut places = Places::default();
        for [low, high] in self.stretches(radius - width, height, width).into_iter().flatten() {
            let (first, last) = (growth(low), growth(high));
            if first < 0.0 && last > 0.0 {
                places = places.with(bisect(low, high, growth));
            } else if first >= 0.0 && low == 0.0 {
                places = places.with(0.0);
            } else if last <= 0.0 && high == 1.0 {
                places = places.with(1.0);
            }
        }
        places
    }

    /// The stretches that are outside `radius` and beyond z = `height` but for `width`: two at most.
    fn stretches(&self, radius: f64, height: f64, width: f64) -> [Option<[f64; 2]>; 2] {
        let sign = height.signum();
        let (z, rise) = (sign * (self.a.z - height) + width, sign * self.along.z);
        let crossing = -z / rise;
        let [low, high] = match rise {
            r if r > 0.0 => [crossing.max(0.0), 1.0],
            r if r < 0.0 => [0.0, crossing.min(1.0)],
            _ if z >= 0.0 => [0.0, 1.0],
            _ => return [None, None],
        };
        let stretch = |from: f64, to: f64| (from <= to).then_some([from, to]);
        // a s² + 2 b s + c = ρ² − radius².
        let flat = |v: &Vec3| nalgebra::Vector2::new(v.x, v.y);
        let (p, t) = (flat(&self.a), flat(&self.along));
        let (a, b, c) = (t.norm_squared(), p.dot(&t), p.norm_squared() - radius * radius);
        let discriminant = b * b - a * c;
        if a <= f64::MIN_POSITIVE || discriminant <= 0.0 {
            return [if c >= 0.0 || a > f64::MIN_POSITIVE { stretch(low, high) } else { None }, None];
        }
        let root = discriminant.sqrt();
        [stretch(low, high.min((-b - root) / a)), stretch(low.max((-b + root) / a), high)]
    }
}

/// The share 0 … 1 at which `start` + share `along` is shortest.
fn nearest_share(start: &Vec3, along: &Vec3) -> f64 {
    let square = along.norm_squared();
    if square == 0.0 {
        return 0.0;
    }
    let share = -start.dot(along) / square;
    match share {
        s if s <= AT_END => 0.0,
        s if s >= 1.0 - AT_END => 1.0,
        s => s,
    }
}

/// Where a function that is negative at `low` and positive at `high` changes sign.
pub(super) fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}
