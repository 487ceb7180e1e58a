//! From a curve to a rod along it: how its material frames are turned about the tangent (habilitation, 4.4).
//!
//! A frame along a curve is told by its angle θ from one that is carried along without twist (Bishop's), in which the curve has the
//! curvatures k1, k2. The strain of the rod is then (4.17)
//!
//! ```text
//! u = (k1 cos θ + k2 sin θ, −k1 sin θ + k2 cos θ, θ′).
//! ```
//!
//! Where the natural strain is known, θ minimises ½ ∫ (u − ū)·K (u − ū) ds (property 4.1). Where it is not, every θ has one with which the
//! rod is in equilibrium under its weight (property 4.2), the solution of a linear differential equation from the free end on.

use super::fit::FramedCurve;
use crate::algebra::{Quat, Vec3, rotation};
use crate::geometry::darboux::{ClothoidElement, CurvePoint, ElementError};

/// Iterations of the search for θ.
const ITERATIONS: usize = 100;
/// Curvature times length below which a curve has no Frenet frame.
const NO_CURVATURE: f64 = 1e-6;

/// How a frame is turned along a curve, at even arc lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Framing {
    /// Angles from the frame that is carried along without twist, rad.
    pub angles: Vec<f64>,
    /// Elastic energy, J.
    pub energy: f64,
    /// Whether it is a minimum among frames beside it: no step releases energy.
    pub is_minimum: bool,
}

/// The Frenet frame of a curve at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frenet {
    /// Angle of the principal normal from d1 of the frame that is carried along, rad.
    pub angle: f64,
    /// Curvature, 1/m.
    pub curvature: f64,
    /// The frame: d1 the principal normal, d2 the binormal, d3 the tangent.
    pub frame: Quat,
}

/// The strain of a frame turned by `angle`, and by `slope` per length, from one with the curvatures of `k`.
pub fn turned_strain(k: &Vec3, angle: f64, slope: f64) -> Vec3 {
    let (sin, cos) = angle.sin_cos();
    Vec3::new(k.x * cos + k.y * sin, -k.x * sin + k.y * cos, k.z + slope)
}

impl FramedCurve<'_> {
    /// The Frenet frame at `s`; `None` where the curve is straight.
    pub fn frenet(&self, s: f64) -> Option<Frenet> {
        let k = self.strain(s);
        let curvature = k.xy().norm();
        // t′ = κ2 d1 − κ1 d2.
        let angle = (-k.x).atan2(k.y);
        let frame = self.at(s).frame * rotation::exp(&Vec3::new(0.0, 0.0, angle));
        (curvature * self.length() > NO_CURVATURE).then_some(Frenet { angle, curvature, frame })
    }
}

/// The angles of the material frame of a rod with the stiffness `stiffness` and the natural strain `natural`, clamped at the angle `first` at
/// its beginning, along a curve that is held: a minimum of the elastic energy, over `count` stretches. Where there are several, the lower of
/// those that a frame without twist and one that follows the natural strain lead to.
pub fn material_frame(
    curve: &FramedCurve<'_>,
    stiffness: &Vec3,
    natural: &dyn Fn(f64) -> Vec3,
    first: f64,
    count: usize,
) -> Framing {
    let h = curve.length() / count as f64;
    let middles: Vec<(Vec3, Vec3)> =
        (0..count).map(|i| (i as f64 + 0.5) * h).map(|s| (curve.strain(s), natural(s))).collect();
    let held = Held { h, stiffness: *stiffness, middles };
    let mut following = vec![first];
    for (k, rest) in &held.middles {
        let last = following[following.len() - 1];
        // The angle that turns k to the direction of the natural strain.
        let wanted = k.y.atan2(k.x) - rest.y.atan2(rest.x);
        let to = if rest.xy().norm() * k.xy().norm() > 0.0 { wanted } else { last };
        let turn =
            (to - last + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        following.push(last + turn);
    }
    let starts = [vec![first; count + 1], following];
    let found = starts.map(|angles| held.minimise(angles));
    let [a, b] = found;
    if b.is_minimum && (!a.is_minimum || b.energy < a.energy) { b } else { a }
}

/// A curve that is held, stretch by stretch: its curvatures and the natural strain in the middles.
struct Held {
    h: f64,
    stiffness: Vec3,
    middles: Vec<(Vec3, Vec3)>,
}

impl Held {
    fn energy(&self, angles: &[f64]) -> f64 {
        let own = |(i, (k, rest)): (usize, &(Vec3, Vec3))| {
            let d = self.strain(k, angles, i) - rest;
            0.5 * self.h * d.dot(&self.stiffness.component_mul(&d))
        };
        self.middles.iter().enumerate().map(own).sum()
    }

    fn strain(&self, k: &Vec3, angles: &[f64], i: usize) -> Vec3 {
        turned_strain(k, 0.5 * (angles[i] + angles[i + 1]), (angles[i + 1] - angles[i]) / self.h)
    }

    /// Newton's method on the tridiagonal form, without what makes it soft where it is not positive.
    fn minimise(&self, mut angles: Vec<f64>) -> Framing {
        let n = self.middles.len();
        let k3 = self.stiffness.z;
        let mut energy = self.energy(&angles);
        let mut is_minimum = false;
        for _ in 0..ITERATIONS {
            let (mut gradient, mut step, mut positive) = (vec![0.0; n + 1], Vec::new(), true);
            for soft in [true, false] {
                let (mut diagonal, mut beside) = (vec![0.0; n + 1], vec![0.0; n + 1]);
                gradient.fill(0.0);
                for (i, (k, rest)) in self.middles.iter().enumerate() {
                    let u = self.strain(k, &angles, i);
                    let d = u - rest;
                    let (a, b) = (self.stiffness.x, self.stiffness.y);
                    let slope = self.h * (a * d.x * u.y - b * d.y * u.x);
                    let stiff = self.h * (a * u.y * u.y + b * u.x * u.x);
                    let bend = stiff - if soft { self.h * (a * d.x * u.x + b * d.y * u.y) } else { 0.0 };
                    gradient[i] += 0.5 * slope - k3 * d.z;
                    gradient[i + 1] += 0.5 * slope + k3 * d.z;
                    diagonal[i] += 0.25 * bend + k3 / self.h;
                    diagonal[i + 1] += 0.25 * bend + k3 / self.h;
                    beside[i] += 0.25 * bend - k3 / self.h;
                }
                if let Some(found) = solved(&diagonal[1..], &beside[1..], &gradient[1..]) {
                    (step, positive) = (found, soft);
                    break;
                }
            }
            let size = step.iter().fold(0.0f64, |m, d| m.max(d.abs()));
            if size < 1e-11 || step.is_empty() {
                is_minimum = positive && !step.is_empty();
                break;
            }
            let mut share = if size > 1.0 { 1.0 / size } else { 1.0 };
            let mut better = false;
            for _ in 0..30 {
                let mut next = angles.clone();
                next[1..].iter_mut().zip(&step).for_each(|(a, d)| *a -= share * d);
                let own = self.energy(&next);
                // Near the minimum energies are alike to round-off.
                if own <= energy + 1e-14 * energy.abs() {
                    (angles, energy, better) = (next, own, true);
                    break;
                }
                share *= 0.5;
            }
            if !better {
                is_minimum = positive && size < 1e-6;
                break;
            }
        }
        Framing { angles, energy, is_minimum }
    }
}

/// Solves a symmetric tridiagonal system; `None` where it is not positive.
fn solved(diagonal: &[f64], beside: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let n = diagonal.len();
    let (mut pivots, mut out) = (diagonal.to_vec(), right.to_vec());
    for i in 0..n {
        if i > 0 {
            let factor = beside[i - 1] / pivots[i - 1];
            pivots[i] -= factor * beside[i - 1];
            out[i] -= factor * out[i - 1];
        }
        if pivots[i].is_nan() || pivots[i] <= 0.0 {
            return None;
        }
    }
    for i in (0..n).rev() {
        let beyond = if i + 1 < n { beside[i] * out[i + 1] } else { 0.0 };
        out[i] = (out[i] - beyond) / pivots[i];
    }
    Some(out)
}

/// The natural strain with which a rod along a curve is in equilibrium, clamped at its beginning and free at its end, under a force per
/// length: at `count + 1` even arc lengths, for a frame turned by the angle and the slope that `turn` gives (property 4.2).
///
/// Equations (4.22) and (4.23) for w = u − ū, which leaves the derivative of u out: w′ = −K⁻¹ (u × K w + e3 × Rᵀ n), w(L) = 0, from the end
/// on by the classical Runge–Kutta method.
pub fn natural_strain(
    curve: &FramedCurve<'_>,
    turn: &dyn Fn(f64) -> (f64, f64),
    stiffness: &Vec3,
    weight: &Vec3,
    count: usize,
) -> Vec<Vec3> {
    let length = curve.length();
    let h = length / count as f64;
    let strain = |s: f64| {
        let (angle, slope) = turn(s);
        turned_strain(&curve.strain(s), angle, slope)
    };
    let rate = |s: f64, w: &Vec3| {
        let frame = curve.at(s).frame * rotation::exp(&Vec3::new(0.0, 0.0, turn(s).0));
        let n = rotation::rotate(&frame.conjugate(), &(weight * (length - s)));
        -(strain(s).cross(&stiffness.component_mul(w)) + Vec3::z().cross(&n)).component_div(stiffness)
    };
    let mut out = vec![Vec3::zeros(); count + 1];
    let mut w = Vec3::zeros();
    out[count] = strain(length);
    for i in (0..count).rev() {
        let s = (i + 1) as f64 * h;
        let a = rate(s, &w);
        let b = rate(s - 0.5 * h, &(w - a * (0.5 * h)));
        let c = rate(s - 0.5 * h, &(w - b * (0.5 * h)));
        let d = rate(s - h, &(w - c * h));
        w -= (a + b * 2.0 + c * 2.0 + d) * (h / 6.0);
        out[i] = strain(i as f64 * h) - w;
    }
    out
}

/// The curve that a natural strain at even arc lengths gives, linear between them.
pub fn natural_centreline(
    start: &CurvePoint,
    natural: &[Vec3],
    length: f64,
) -> Result<Vec<CurvePoint>, ElementError> {
    let h = length / (natural.len() - 1) as f64;
    let mut out = vec![*start];
    for w in natural.windows(2) {
        let element = ClothoidElement::new(w[0], w[1], h)?;
        let next = element.point(h).after(&out[out.len() - 1]);
        out.push(next);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::centreline::{Centreline, Noise};
    use super::*;

    fn curve() -> Centreline {
        let points: Vec<Vec3> = (0..=400)
            .map(|k| 3.0 * f64::from(k) / 400.0)
            .map(|t| Vec3::new(0.2 * t.cos(), 0.15 * (1.3 * t).sin(), 0.08 * t))
            .collect();
        Centreline::new(&points, Noise::None).expect("a curve")
    }

    /// The Frenet frame of a helix keeps its curvature, and turns against the one that is carried along by its torsion.
    #[test]
    fn frenet_and_bishop_differ_by_the_torsion() {
        let (radius, pitch) = (0.1, 0.03);
        let points: Vec<Vec3> = (0..=600)
            .map(|k| 6.0 * f64::from(k) / 600.0)
            .map(|t| Vec3::new(radius * t.cos(), radius * t.sin(), pitch * t))
            .collect();
        let helix = Centreline::new(&points, Noise::None).expect("a curve");
        let framed = FramedCurve::new(&helix, &Vec3::z());
        let size = radius * radius + pitch * pitch;
        let (a, b) = (framed.frenet(0.2).expect("bent"), framed.frenet(0.3).expect("bent"));
        assert!((a.curvature - radius / size).abs() < 1e-4 * a.curvature, "{}", a.curvature);
        assert!(((b.angle - a.angle) / 0.1 - pitch / size).abs() < 1e-3, "{}", (b.angle - a.angle) / 0.1);
        // The principal normal points to the axis.
        let normal = rotation::rotate(&a.frame, &Vec3::x());
        let inwards = -helix.at(0.2).position.xy().normalize();
        assert!((normal.xy() - inwards).norm() < 1e-4);
        let line =
            Centreline::new(&[Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0], Noise::None).expect("a line");
        assert_eq!(FramedCurve::new(&line, &Vec3::z()).frenet(0.5), None);
    }

    /// Property 4.1: of a rod that is straight by nature and bends alike about both axes the frame is Bishop's.
    #[test]
    fn the_frame_of_an_even_straight_rod_has_no_twist() {
        let own = curve();
        let framed = FramedCurve::new(&own, &Vec3::z());
        let found = material_frame(&framed, &Vec3::new(2.0, 2.0, 1.0), &|_| Vec3::zeros(), 0.3, 100);
        assert!(found.is_minimum);
        assert!(found.angles.iter().all(|a| (a - 0.3).abs() < 1e-10));
    }

    /// Of any other the angle obeys the differential equation of property 4.1, to second order.
    #[test]
    fn the_frame_obeys_its_differential_equation() {
        let own = curve();
        let framed = FramedCurve::new(&own, &Vec3::z());
        let k = Vec3::new(3.0, 1.0, 0.7);
        let rest = |s: f64| Vec3::new(4.0 - 3.0 * s, 2.0 * s, 1.0 + s);
        let missed = |n: usize| {
            let found = material_frame(&framed, &k, &rest, 0.2, n);
            assert!(found.is_minimum, "{n}");
            let h = framed.length() / n as f64;
            let at = |i: usize| {
                let s = i as f64 * h;
                let a = &found.angles;
                let u = turned_strain(&framed.strain(s), a[i], 0.0);
                let d = u - rest(s);
                let bend = (a[i + 1] - 2.0 * a[i] + a[i - 1]) / (h * h);
                // K3 (θ″ − τ̄′) = K1 (u1 − ū1) u2 − K2 (u2 − ū2) u1.
                k.z * (bend - 1.0) - (k.x * d.x * u.y - k.y * d.y * u.x)
            };
            let free = (found.angles[n] - found.angles[n - 1]) / h - rest(framed.length() - 0.5 * h).z;
            let inner = (1..n).map(|i| at(i).abs()).fold(0.0, f64::max);
            (inner, free.abs())
        };
        let (a, b) = (missed(100), missed(200));
        println!("{a:?} {b:?}");
        assert!(a.0 / b.0 > 3.0, "{a:?} {b:?}");
        assert!(b.1 < 0.6 * a.1, "no torque at the free end: {a:?} {b:?}");
    }

    /// The natural strain is found by the differential equation as by the moment of the weight beyond, for any frame.
    #[test]
    fn the_natural_strain_balances_the_weight() {
        let own = curve();
        let framed = FramedCurve::new(&own, &Vec3::z());
        let (k, weight) = (Vec3::new(3e-3, 5e-3, 2e-3), Vec3::new(0.0, 0.0, -0.4));
        let turn = |s: f64| (3.0 * s + (8.0 * s).sin(), 3.0 + 8.0 * (8.0 * s).cos());
        let count = 400;
        let found = natural_strain(&framed, &turn, &k, &weight, count);
        // The moment at the beginning, by Simpson's rule over the whole curve.
        let (length, n) = (framed.length(), 2000);
        let base = framed.at(0.0);
        let moment: Vec3 = (0..=n)
            .map(|i| {
                let w = if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
                (own.at(length * f64::from(i) / f64::from(n)).position - base.position).cross(&weight) * w
            })
            .sum::<Vec3>()
            * (length / f64::from(n) / 3.0);
        let frame = base.frame * rotation::exp(&Vec3::new(0.0, 0.0, turn(0.0).0));
        let u = turned_strain(&framed.strain(0.0), turn(0.0).0, turn(0.0).1);
        let expected = u - rotation::rotate(&frame.conjugate(), &moment).component_div(&k);
        let error = (found[0] - expected).norm() / expected.norm();
        assert!(error < 1e-6, "{error:.1e}");
    }

    /// Bertails-Descoubes et al. 2018: however a curve is framed, the natural centreline is one, if the rod bends alike about both axes. Where
    /// it does not, it is not.
    #[test]
    fn the_natural_centreline_does_not_depend_on_the_framing() {
        let own = curve();
        let framed = FramedCurve::new(&own, &Vec3::z());
        let weight = Vec3::new(0.0, 0.0, -0.4);
        let turns: [&dyn Fn(f64) -> (f64, f64); 3] =
            [&|_| (0.0, 0.0), &|s| (7.0 * s, 7.0), &|s| (2.0 * (9.0 * s).sin(), 18.0 * (9.0 * s).cos())];
        let apart = |stiffness: Vec3, count: usize| {
            let curves = turns.map(|turn| {
                let natural = natural_strain(&framed, turn, &stiffness, &weight, count);
                let base = framed.at(0.0);
                let frame = base.frame * rotation::exp(&Vec3::new(0.0, 0.0, turn(0.0).0));
                natural_centreline(&CurvePoint { position: base.position, frame }, &natural, framed.length())
                    .expect("a curve")
            });
            let far = |a: &[CurvePoint], b: &[CurvePoint]| {
                a.iter().zip(b).map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max)
            };
            far(&curves[0], &curves[1]).max(far(&curves[0], &curves[2])) / framed.length()
        };
        let even = Vec3::new(4e-3, 4e-3, 2e-3);
        let (coarse, fine) = (apart(even, 200), apart(even, 400));
        println!("even {coarse:.1e} {fine:.1e}, uneven {:.1e}", apart(Vec3::new(2e-3, 6e-3, 2e-3), 400));
        assert!(fine < 1e-4 && coarse / fine > 3.0, "apart by the scheme alone: {coarse:.1e} {fine:.1e}");
        assert!(apart(Vec3::new(2e-3, 6e-3, 2e-3), 400) > 1e-2);
    }
}
