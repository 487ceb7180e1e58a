//! A first guess for a cable between two ends: a curve of the right length and end tangents.
//!
//! A cubic Hermite takes up half of the slack by longer end tangents; a bulge (down, where there
//! is gravity) takes the rest, widened so that a cable whose ends meet makes a loop and not a fold.
//! Cusps are faired away. Good enough to start Newton's method from, not a solution.

use crate::algebra::{Quat, Vec3, rotation};

/// A curve sampled evenly in arc length, with rotation-minimising frames.
#[derive(Clone, Debug)]
pub struct Curve {
    length: f64,
    positions: Vec<Vec3>,
    frames: Vec<Quat>,
}

/// What the curve shall join.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// First and last point, m, world.
    pub points: [Vec3; 2],
    /// Unit tangents there, world, where they are given.
    pub tangents: [Option<Vec3>; 2],
    /// Arc length, m; at least the distance of the points.
    pub length: f64,
    /// Where slack goes: gravity, world, or zero.
    pub sag: Vec3,
}

const SAMPLES: usize = 256;
/// Steps of Newton's method for the length of a curve, and how close, as a share, is close enough.
const MOST_STEPS: usize = 60;
const CLOSE: f64 = 1e-13;
/// A share by which a curve may be off the length that it should have.
const REACHED: f64 = 1e-12;

/// Lays a curve along the route. The frames start from `first` turned onto the first tangent.
pub fn lay(route: &Route, first: &Quat) -> Curve {
    let [a, b] = route.points;
    let chord = b - a;
    let distance = chord.norm();
    let slack = (route.length - distance).max(0.0);
    let forward = if distance > 1e-12 * route.length { chord / distance } else { Vec3::zeros() };
    let bulge = bulge_direction(route, &forward);
    let opening = if forward.norm() > 0.0 { forward } else { rotation::across(&bulge) };
    // A free end tangent leans into the bulge by as much as the slack asks for.
    let lean = (6.0 * slack / route.length).sqrt().min(1.5);
    let lifted = |sign: f64| (forward + bulge * (sign * lean)).normalize();
    let t0 = route.tangents[0].unwrap_or_else(|| lifted(1.0));
    let t1 = route.tangents[1].unwrap_or_else(|| lifted(-1.0));

    // The cubic without its tangents, what they add to it per length of theirs, and the bulge.
    let (mut curve, mut tangents, mut bump) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..=SAMPLES {
        let t = i as f64 / SAMPLES as f64;
        let (t2, t3) = (t * t, t * t * t);
        let h01 = 3.0 * t2 - 2.0 * t3;
        let rise = t2 * (1.0 - t) * (1.0 - t);
        // Odd about the middle: opens the two branches of a fold.
        let open = 20.0 * rise * (2.0 * t - 1.0);
        curve.push(a * (1.0 - h01) + b * h01 + opening * (0.25 * slack * open));
        tangents.push(t0 * (t - 2.0 * t2 + t3) + t1 * (t3 - t2));
        bump.push(bulge * (16.0 * rise));
    }
    // Half of the slack by longer end tangents, the rest by the bulge; both grow the length.
    let stretch = growth(&curve, &tangents, distance + 0.5 * slack, route.length).min(1.5 * route.length);
    add(&mut curve, &tangents, stretch);
    let side = growth(&curve, &bump, route.length, route.length);
    add(&mut curve, &bump, side);
    Curve::through(&curve, route.length, first)
}

/// points += by × along.
fn add(points: &mut [Vec3], along: &[Vec3], by: f64) {
    points.iter_mut().zip(along).for_each(|(x, d)| *x += d * by);
}

/// By how much points have to go along so that their polyline has a length; `scale` is a first guess. The length is convex
/// in it: from above Newton's method goes down to it and no farther.
fn growth(points: &[Vec3], along: &[Vec3], target: f64, scale: f64) -> f64 {
    let pieces: Vec<[f64; 3]> = (points.windows(2).zip(along.windows(2)))
        .map(|(x, d)| {
            let (x, d) = (x[1] - x[0], d[1] - d[0]);
            [x.norm_squared(), x.dot(&d), d.norm_squared()]
        })
        .collect();
    let length = |by: f64| -> f64 {
        pieces.iter().map(|[xx, xd, dd]| (xx + by * (2.0 * xd + by * dd)).max(0.0).sqrt()).sum()
    };
    // As long as it should be, it stays to the last bit what it is: a straight rod stays straight.
    if (length(0.0) - target).abs() <= REACHED * target {
        return 0.0;
    }
    let mut by = scale.max(1e-300);
    let mut tries = 0;
    while length(by) < target && tries < 40 {
        by *= 2.0;
        tries += 1;
    }
    if length(by) < target {
        return by;
    }
    if length(0.0) > target {
        // It may be shorter on the way: the longer of two ways is halved down to.
        let (mut lo, mut hi) = (0.0, by);
        for _ in 0..MOST_STEPS {
            let middle = 0.5 * (lo + hi);
            if length(middle) < target { lo = middle } else { hi = middle }
        }
        return lo;
    }
    for _ in 0..MOST_STEPS {
        let (mut found, mut slope) = (0.0, 0.0);
        for [xx, xd, dd] in &pieces {
            let own = (xx + by * (2.0 * xd + by * dd)).max(f64::MIN_POSITIVE).sqrt();
            found += own;
            slope += (xd + by * dd) / own;
        }
        let step = (found - target) / slope;
        if !(step.abs() > CLOSE * by && by > step) {
            break;
        }
        by -= step;
    }
    by
}

/// A unit vector across the chord, where the slack goes: the way both end tangents point, if they
/// agree on one; else down, where there is gravity; else the way one of them points.
fn bulge_direction(route: &Route, forward: &Vec3) -> Vec3 {
    let across = |v: Vec3| v - forward * forward.dot(&v);
    let [t0, t1] = route.tangents;
    if let (Some(a), Some(b)) = (t0, t1) {
        let both = across(0.5 * (a - b));
        if both.norm() > 0.3 {
            return both.normalize();
        }
    }
    for v in [Some(route.sag), t0, t1.map(|t| -t)].into_iter().flatten() {
        let side = across(v);
        if side.norm() > 1e-6 * v.norm() {
            return side.normalize();
        }
    }
    if forward.norm() > 0.0 { rotation::across(forward) } else { Vec3::z() }
}

impl Curve {
    /// The polyline through `points`, rescaled in parameter to `length`, with transported frames.
    pub fn through(points: &[Vec3], length: f64, first: &Quat) -> Self {
        let mut along = vec![0.0];
        for w in points.windows(2) {
            let last = along[along.len() - 1];
            along.push(last + (w[1] - w[0]).norm());
        }
        let total = along[along.len() - 1].max(f64::MIN_POSITIVE);
        let mut positions = Vec::with_capacity(SAMPLES + 1);
        let mut k = 0;
        for i in 0..=SAMPLES {
            let s = total * i as f64 / SAMPLES as f64;
            while k + 2 < along.len() && along[k + 1] < s {
                k += 1;
            }
            let step = (along[k + 1] - along[k]).max(f64::MIN_POSITIVE);
            let w = ((s - along[k]) / step).clamp(0.0, 1.0);
            positions.push(points[k] * (1.0 - w) + points[k + 1] * w);
        }
        let mut tangents: Vec<Vec3> = (0..=SAMPLES)
            .map(|i| {
                let (lo, hi) = (i.saturating_sub(1), (i + 1).min(SAMPLES));
                let d = positions[hi] - positions[lo];
                if d.norm() > 0.0 { d.normalize() } else { rotation::tangent(first) }
            })
            .collect();
        fair(&mut tangents);
        let tangent = |i: usize| tangents[i];
        let mut frames = Vec::with_capacity(SAMPLES + 1);
        let mut q = rotation::between(&rotation::tangent(first), &tangent(0)) * first;
        for i in 0..=SAMPLES {
            q = rotation::between(&rotation::tangent(&q), &tangent(i)) * q;
            q *= 1.0 / q.norm();
            frames.push(q);
        }
        Self { length, positions, frames }
    }

    /// Length of the cable the curve stands for, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Position and rotation-minimising frame at `s`.
    pub fn at(&self, s: f64) -> (Vec3, Quat) {
        let t = (s / self.length).clamp(0.0, 1.0) * SAMPLES as f64;
        let i = (t.floor() as usize).min(SAMPLES - 1);
        let w = t - i as f64;
        let x = self.positions[i] * (1.0 - w) + self.positions[i + 1] * w;
        let r = rotation::log(&(self.frames[i].conjugate() * self.frames[i + 1]));
        (x, self.frames[i] * rotation::exp(&(r * w)))
    }
}

/// Spreads sharp turns of a unit tangent over a twentieth of the curve; its ends stay.
fn fair(tangents: &mut [Vec3]) {
    const PASSES: usize = 60;
    for _ in 0..PASSES {
        let mut before = tangents[0];
        for i in 1..tangents.len() - 1 {
            let mean = before + 2.0 * tangents[i] + tangents[i + 1];
            before = tangents[i];
            let size = mean.norm();
            if size > 1e-3 {
                tangents[i] = mean / size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(c: &Curve) -> f64 {
        c.positions.windows(2).map(|w| (w[1] - w[0]).norm()).sum()
    }

    #[test]
    fn laid_curves_have_the_length_and_meet_the_ends() {
        let x = Some(Vec3::x());
        for (b, t0, t1, l) in [
            (Vec3::new(0.5, 0.2, 0.1), x, x, 0.8),
            (Vec3::new(0.5, 0.0, 0.0), x, x, 0.8),
            (Vec3::new(0.5, 0.0, 0.0), None, None, 0.5000001),
            (Vec3::new(0.5, 0.0, 0.0), x, Some(-Vec3::x()), 3.0),
            (Vec3::zeros(), x, x, 1.0),
            (Vec3::zeros(), None, None, 1.0),
        ] {
            for sag in [Vec3::zeros(), Vec3::new(0.0, 0.0, -9.81)] {
                let route = Route { points: [Vec3::zeros(), b], tangents: [t0, t1], length: l, sag };
                let c = lay(&route, &rotation::identity());
                assert!((length(&c) / l - 1.0).abs() < 0.02, "{} for {l}", length(&c));
                assert!((c.at(l).0 - b).norm() < 1e-9 && c.at(0.0).0.norm() < 1e-9);
                let q = c.at(0.37 * l).1;
                assert!((q.norm() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn frames_do_not_twist() {
        let route = Route {
            points: [Vec3::zeros(), Vec3::new(0.4, 0.3, 0.2)],
            tangents: [Some(Vec3::z()), Some(Vec3::y())],
            length: 1.0,
            sag: Vec3::zeros(),
        };
        let c = lay(&route, &rotation::identity());
        for w in c.frames.windows(2) {
            let p = w[0].conjugate() * w[1];
            assert!(p.k.atan2(p.w).abs() < 1e-3, "twist {}", p.k);
        }
    }
}
