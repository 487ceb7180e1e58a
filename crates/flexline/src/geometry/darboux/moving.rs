//! A point of an element whose coefficients change: position, frame, velocities, and the accelerations that
//! are left when the rates of the coefficients stay as they are.
//!
//! With Θ_A, ∂_A r as in the module above and w = Σ Θ_A q̇_A the angular velocity of the frame,
//!
//! ```text
//! w′ = R u̇,   ẇ′ = w × R u̇,   ṙ′ = w × d3,   r̈′ = ẇ × d3 + w × (w × d3).
//! ```
//!
//! No second derivative by pairs of coefficients is formed. All is in the first frame of the element.

use super::helix::Operator;
use super::piece::{Rates, piece_frames};
use crate::algebra::collocation::{Collocation, POINTS};
use crate::algebra::rotation::skew_times;
use crate::algebra::{Mat3, Quat, Vec3, rotation};

/// A point in motion; `N` vectors of coefficients, the first point held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving<const N: usize> {
    /// r, m.
    pub(crate) position: Vec3,
    /// R.
    pub(crate) frame: Mat3,
    /// Columns Θ_A per coefficient.
    pub(crate) turn: [Mat3; N],
    /// Columns ∂_A r per coefficient.
    pub(crate) shift: [Mat3; N],
    /// ṙ.
    pub(crate) velocity: Vec3,
    /// w.
    pub(crate) spin: Vec3,
    /// r̈ with constant rates.
    pub(crate) acceleration: Vec3,
    /// ẇ with constant rates.
    pub(crate) angular_acceleration: Vec3,
}

impl<const N: usize> Moving<N> {
    /// The beginning of an element.
    pub(crate) fn start() -> Self {
        let zero = Vec3::zeros();
        Self {
            position: zero,
            frame: Mat3::identity(),
            turn: [Mat3::zeros(); N],
            shift: [Mat3::zeros(); N],
            velocity: zero,
            spin: zero,
            acceleration: zero,
            angular_acceleration: zero,
        }
    }
}

/// Makes `at` the point at `s` of a helix with Darboux vector `u` that changes at the rate `rate`, in closed form:
/// r = s X₁(us) e3 and w = s X₁(us) u̇ with their derivatives along u̇. Coefficients are `scale` times smaller than u.
#[inline]
pub(crate) fn moving_helix(u: &Vec3, rate: &Vec3, s: f64, scale: f64, at: &mut Moving<1>) {
    let v = u * s;
    let op = Operator::new(v);
    let [_, c1, c2, c3, ..] = op.c;
    let (slope2, slope3) = (op.slope(2), op.slope(3));
    let y = v.norm_squared();
    let e = Vec3::z();
    let once = Vec3::new(v.y, -v.x, 0.0);
    let twice = v * v.z - e * y;
    let outer = v * v.transpose();
    let skew = rotation::skew(&v);
    let frame = Mat3::from_diagonal_element(1.0 - c2 * y) + skew * c1 + outer * c2;
    let x1 = Mat3::from_diagonal_element(1.0 - c3 * y) + skew * c2 + outer * c3;
    // ∂(X₁ e3)/∂v.
    let mut by_v = (once * slope2 + twice * slope3) * v.transpose();
    let diagonal = c3 * v.z;
    for i in 0..3 {
        by_v[(i, i)] += diagonal;
        by_v[(i, 2)] += c3 * v[i];
        by_v[(2, i)] -= 2.0 * c3 * v[i];
    }
    by_v[(0, 1)] += c2;
    by_v[(1, 0)] -= c2;
    // Along d = u̇ s: the first and second rate of c₂ and c₃.
    let d = rate * s;
    let (along, square) = (v.dot(&d), d.norm_squared());
    let rates = [slope2 * along, slope3 * along];
    let second = [slope2 * square + op.bend(2) * along * along, slope3 * square + op.bend(3) * along * along];
    let across = v.cross(&d);
    let twice_rate = d * v.z + v * d.z - e * (2.0 * along);
    let acceleration = once * second[0]
        + Vec3::new(d.y, -d.x, 0.0) * (2.0 * rates[0])
        + twice * second[1]
        + twice_rate * (2.0 * rates[1])
        + (d * d.z - e * square) * (2.0 * c3);
    at.position = (e + once * c2 + twice * c3) * s;
    at.frame = frame;
    at.turn[0] = x1 * (s * scale);
    at.shift[0] = by_v * (s * s * scale);
    at.velocity = by_v * d * s;
    at.spin = x1 * d;
    at.acceleration = acceleration * s;
    at.angular_acceleration = across * rates[0] + v.cross(&across) * rates[1] + d.cross(&across) * c3;
}

/// A stretch of a clothoid: Darboux vectors at both ends of the element, their rates, its length, and where
/// the stretch begins and ends as shares of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) u: [Vec3; 2],
    pub(crate) rate: [Vec3; 2],
    pub(crate) length: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Goes along a stretch of a clothoid from `at`, which becomes its end; calls `visit` with share and weight (a
/// length, m) of every node of the collocation and the point there. Coefficients are `scale` times smaller than u.
pub(crate) fn moving_clothoid(
    on: &Stretch,
    rule: &Collocation,
    scale: f64,
    at: &mut Moving<2>,
    mut visit: impl FnMut(f64, f64, &Moving<2>),
) {
    let count = rule.count;
    let half = 0.5 * on.length * (on.to - on.from);
    let slope = (on.u[1] - on.u[0]) / on.length;
    let middle = on.u[0] + slope * (0.5 * on.length * (on.from + on.to));
    let mut frames = [Quat::new(0.0, 0.0, 0.0, 0.0); POINTS];
    let [first, last] = piece_frames(&Rates::new(&middle, &slope, half), rule.places(), &mut frames);
    let before = at.frame * rotation::matrix(&first.conjugate());
    let share = |x: f64| on.from + 0.5 * (x + 1.0) * (on.to - on.from);
    let phi = |k: usize| {
        let t = share(rule.nodes[k]);
        [1.0 - t, t]
    };
    let mut points = [*at; POINTS];
    // Integrands: changes of (turn, position, angular acceleration), then of what needs these.
    let mut turning = [[Mat3::zeros(); 2]; POINTS];
    let mut rates = [Vec3::zeros(); POINTS];
    for k in 0..count {
        points[k].frame = before * rotation::matrix(&frames[k]);
        let [a, b] = phi(k);
        turning[k] = [points[k].frame * (a * scale), points[k].frame * (b * scale)];
        rates[k] = points[k].frame * (on.rate[0] * a + on.rate[1] * b);
    }
    let tangents: [Vec3; POINTS] = std::array::from_fn(|k| points[k].frame.column(2).into_owned());
    let weights = |k: usize| if k < count { &rule.upto[k] } else { &rule.weights };
    let mut end = *at;
    for k in 0..=count {
        let point = if k < count { &mut points[k] } else { &mut end };
        for j in 0..count {
            let weight = weights(k)[j] * half;
            for c in 0..2 {
                point.turn[c] += turning[j][c] * weight;
            }
            point.position += tangents[j] * weight;
            point.spin += rates[j] * weight;
        }
    }
    let across: [[Mat3; 2]; POINTS] =
        std::array::from_fn(|j| [0, 1].map(|c| skew_times(&-tangents[j], &points[j].turn[c])));
    let turned: [Vec3; POINTS] = std::array::from_fn(|j| points[j].spin.cross(&rates[j]));
    let moved: [Vec3; POINTS] = std::array::from_fn(|j| points[j].spin.cross(&tangents[j]));
    for k in 0..=count {
        let point = if k < count { &mut points[k] } else { &mut end };
        for j in 0..count {
            let weight = weights(k)[j] * half;
            for c in 0..2 {
                point.shift[c] += across[j][c] * weight;
            }
            point.velocity += moved[j] * weight;
            point.angular_acceleration += turned[j] * weight;
        }
    }
    let pulled: [Vec3; POINTS] = std::array::from_fn(|j| {
        points[j].angular_acceleration.cross(&tangents[j]) + points[j].spin.cross(&moved[j])
    });
    for k in 0..=count {
        let point = if k < count { &mut points[k] } else { &mut end };
        for j in 0..count {
            point.acceleration += pulled[j] * (weights(k)[j] * half);
        }
    }
    for (k, point) in points[..count].iter().enumerate() {
        visit(share(rule.nodes[k]), rule.weights[k] * half, point);
    }
    end.frame = before * rotation::matrix(&last);
    *at = end;
}
