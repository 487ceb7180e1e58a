//! Bend and twist of one vertex, with exact first and second derivatives.
//!
//! Measure: the relative rotation p = f̄_a f_b = (w; x, y, z) of the two frames beside a vertex is
//! split symmetrically into twist and bend, p = Z(t/2) S Z(t/2), where Z turns about d3 and S
//! bends without twisting. Multiplying by Z on both sides leaves (x, y) alone and turns (w, z) as
//! a complex number, so
//!
//! ```text
//! t = 2 atan2(z, w) + 2πk        k: full turns, from history
//! b = (−1)^k 2 h(ω) (x, y)       ω = √(w² + z²),  h = 2/(1 + ω)
//! ```
//!
//! |b| = 4 tan(φ/4) for a bend angle φ. Strain is (b, t)/l̄. The plain measure 2 Im(p)/l̄ saturates
//! at half a turn and then lets go; this one does not, and pure twist is exact for any number of
//! turns (`docs/decisions/0002-strain-measure.md`).
//!
//! Derivatives: under f_a → f_a exp(α/2), f_b → f_b exp(β/2), p is bilinear in the two small
//! quaternions, hence
//!
//! ```text
//! ∂p/∂β =  ½ [−vᵀ; wI + [v]×]        ∂p/∂α = −½ [−vᵀ; wI − [v]×]
//! ∂²p/∂α² = ∂²p/∂β² = −¼ p I         ∂²p/∂α∂β: −¼ (0,α) p (0,β)
//! ```
//!
//! and the chain rule through the 4 components of p gives the exact Hessian.

use crate::algebra::{Mat3, Quat, Vec3, rotation::skew};
use nalgebra::{Matrix3x4, Matrix4, Matrix4x3};
use std::f64::consts::PI;

/// Bend (b1, b2) and twist t of a vertex, rad, with the parity of the full turns.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// (b1, b2, t).
    pub value: Vec3,
    sign: f64,
}

/// The measure of the relative rotation `p`, its twist nearest to `history`.
#[inline]
pub fn measure(p: &Quat, history: f64) -> Measure {
    let omega = (p.w * p.w + p.k * p.k).sqrt();
    let raw = 2.0 * p.k.atan2(p.w);
    let turns = ((history - raw) / (2.0 * PI)).round();
    // Parity without overflow for any finite history.
    let sign = if turns.rem_euclid(2.0) == 1.0 { -1.0 } else { 1.0 };
    let h = sign * 4.0 / (1.0 + omega);
    Measure { value: Vec3::new(h * p.i, h * p.j, raw + 2.0 * PI * turns), sign }
}

/// Gradient and second derivatives of a vertex energy with respect to α and β.
#[derive(Clone, Copy, Debug)]
pub struct Derivatives {
    /// ∂E/∂α.
    pub grad_a: Vec3,
    /// ∂E/∂β.
    pub grad_b: Vec3,
    /// ∂²E/∂α∂α.
    pub aa: Mat3,
    /// ∂²E/∂α∂β (row α, column β).
    pub ab: Mat3,
    /// ∂²E/∂β∂β.
    pub bb: Mat3,
}

/// ∂(b1, b2, t)/∂p with p ordered (w, x, y, z).
#[inline]
fn jacobian(p: &Quat, m: &Measure) -> Matrix3x4<f64> {
    let (w, x, y, z) = (p.w, p.i, p.j, p.k);
    let omega_sq = w * w + z * z;
    let omega = omega_sq.sqrt();
    let d = 1.0 + omega;
    let h = m.sign * 4.0 / d;
    let dh = -m.sign * 4.0 / (d * d);
    let (hw, hz) = (dh * w / omega, dh * z / omega);
    Matrix3x4::new(
        x * hw,
        h,
        0.0,
        x * hz, //
        y * hw,
        0.0,
        h,
        y * hz, //
        -2.0 * z / omega_sq,
        0.0,
        0.0,
        2.0 * w / omega_sq,
    )
}

/// ∂p/∂α and ∂p/∂β.
#[inline]
fn variations(p: &Quat) -> (Matrix4x3<f64>, Matrix4x3<f64>) {
    let (w, x, y, z) = (0.5 * p.w, 0.5 * p.i, 0.5 * p.j, 0.5 * p.k);
    let a = Matrix4x3::new(
        x, y, z, //
        -w, -z, y, //
        z, -w, -x, //
        -y, x, -w,
    );
    let b = Matrix4x3::new(
        -x, -y, -z, //
        w, -z, y, //
        z, w, -x, //
        -y, x, w,
    );
    (a, b)
}

/// The moment conjugate to the measure: K (value − rest)/l̄, with `stiffness` = K/l̄ given.
#[inline]
pub fn moment(m: &Measure, rest: &Vec3, stiffness: &Vec3) -> Vec3 {
    (m.value - rest).component_mul(stiffness)
}

/// ∂E/∂α and ∂E/∂β of the energy ½ (value − rest)·stiffness·(value − rest).
#[inline]
pub fn gradient(p: &Quat, m: &Measure, moment: &Vec3) -> (Vec3, Vec3) {
    let g = jacobian(p, m).tr_mul(moment);
    let (g0, gv) = (g[0], Vec3::new(g[1], g[2], g[3]));
    let v = p.imag();
    let common = 0.5 * (p.w * gv - v * g0);
    let turn = 0.5 * v.cross(&gv);
    (-(common + turn), common - turn)
}

/// Gradient and exact Hessian of the same energy.
#[inline]
pub fn derivatives(p: &Quat, m: &Measure, moment: &Vec3, stiffness: &Vec3) -> Derivatives {
    let s = jacobian(p, m);
    let g = s.tr_mul(moment);
    let (g0, gv) = (g[0], Vec3::new(g[1], g[2], g[3]));
    let v = p.imag();
    let weight = stiffness_in_p(&s, stiffness) + curvature_in_p(p, m, moment);
    let (da, db) = variations(p);
    let wa = weight * da;
    let wb = weight * db;
    let diagonal = Mat3::identity() * (-0.25 * (p.w * g0 + v.dot(&gv)));
    let cross = Mat3::identity() * (g0 * p.w - gv.dot(&v))
        + skew(&(g0 * v + p.w * gv))
        + v * gv.transpose()
        + gv * v.transpose();
    let common = 0.5 * (p.w * gv - v * g0);
    let turn = 0.5 * v.cross(&gv);
    Derivatives {
        grad_a: -(common + turn),
        grad_b: common - turn,
        aa: da.tr_mul(&wa) + diagonal,
        ab: da.tr_mul(&wb) + cross * 0.25,
        bb: db.tr_mul(&wb) + diagonal,
    }
}

/// The part of the Hessian without prestress: (∂value)ᵀ stiffness (∂value). The reference form of
/// the stability eigenvalue and of the inertia correction.
#[inline]
pub fn stiffness_part(p: &Quat, m: &Measure, stiffness: &Vec3) -> (Mat3, Mat3, Mat3) {
    let weight = stiffness_in_p(&jacobian(p, m), stiffness);
    let (da, db) = variations(p);
    let wb = weight * db;
    (da.tr_mul(&(weight * da)), da.tr_mul(&wb), db.tr_mul(&wb))
}

#[inline]
fn stiffness_in_p(s: &Matrix3x4<f64>, stiffness: &Vec3) -> Matrix4<f64> {
    let mut scaled = *s;
    for i in 0..3 {
        scaled.row_mut(i).scale_mut(stiffness[i]);
    }
    s.tr_mul(&scaled)
}

/// Σ moment_m ∂²value_m/∂p².
#[inline]
fn curvature_in_p(p: &Quat, m: &Measure, moment: &Vec3) -> Matrix4<f64> {
    let (w, z) = (p.w, p.k);
    let omega_sq = w * w + z * z;
    let omega = omega_sq.sqrt();
    let d = 1.0 + omega;
    let dh = -m.sign * 4.0 / (d * d);
    let ddh = m.sign * 8.0 / (d * d * d);
    let (cw, cz) = (w / omega, z / omega);
    let along = moment.x * p.i + moment.y * p.j;
    let twist = moment.z / (omega_sq * omega_sq);
    let ww = along * (ddh * cw * cw + dh * cz * cz / omega) + twist * 4.0 * z * w;
    let zz = along * (ddh * cz * cz + dh * cw * cw / omega) - twist * 4.0 * z * w;
    let wz = along * (ddh - dh / omega) * cw * cz + twist * 2.0 * (z * z - w * w);
    let (xw, xz) = (moment.x * dh * cw, moment.x * dh * cz);
    let (yw, yz) = (moment.y * dh * cw, moment.y * dh * cz);
    Matrix4::new(
        ww, xw, yw, wz, //
        xw, 0.0, 0.0, xz, //
        yw, 0.0, 0.0, yz, //
        wz, xz, yz, zz,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::rotation;

    fn frame(x: f64, y: f64, z: f64) -> Quat {
        rotation::exp(&Vec3::new(x, y, z))
    }

    fn energy(a: &Quat, b: &Quat, history: f64, rest: &Vec3, k: &Vec3) -> f64 {
        let m = measure(&(a.conjugate() * b), history);
        0.5 * (m.value - rest).component_mul(k).dot(&(m.value - rest))
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let k = Vec3::new(1.3, 0.7, 0.9);
        let rest = Vec3::new(0.1, -0.2, 0.3);
        for (a, b, history) in [
            (frame(0.3, -0.2, 0.5), frame(0.5, 0.1, 0.9), 0.4),
            (frame(0.3, -0.2, 0.5), frame(0.1, 0.4, 2.9), 2.0),
            (frame(0.0, 0.0, 0.5), frame(0.2, -0.3, 0.9), 31.0),
            (frame(1.0, 0.2, 0.1), frame(-0.4, 0.3, -0.2), -6.0),
        ] {
            let p = a.conjugate() * b;
            let m = measure(&p, history);
            let d = derivatives(&p, &m, &moment(&m, &rest, &k), &k);
            let at = |alpha: &Vec3, beta: &Vec3| {
                energy(&(a * rotation::exp(alpha)), &(b * rotation::exp(beta)), history, &rest, &k)
            };
            let scale = energy(&a, &b, history, &rest, &k).max(1.0);
            let unit = |i: usize, h: f64| {
                let mut v = Vec3::zeros();
                v[i] = h;
                v
            };
            let o = Vec3::zeros();
            let h = 1e-5;
            for i in 0..3 {
                let ga = (at(&unit(i, h), &o) - at(&unit(i, -h), &o)) / (2.0 * h);
                let gb = (at(&o, &unit(i, h)) - at(&o, &unit(i, -h))) / (2.0 * h);
                assert!((ga - d.grad_a[i]).abs() < 1e-8 * scale, "{ga} {}", d.grad_a[i]);
                assert!((gb - d.grad_b[i]).abs() < 1e-8 * scale);
                for j in 0..3 {
                    let h = 1e-4;
                    let second = |f: &dyn Fn(f64, f64) -> f64| {
                        (f(h, h) - f(h, -h) - f(-h, h) + f(-h, -h)) / (4.0 * h * h)
                    };
                    let aa = second(&|s, t| at(&(unit(i, s) + unit(j, t)), &o));
                    let ab = second(&|s, t| at(&unit(i, s), &unit(j, t)));
                    let bb = second(&|s, t| at(&o, &(unit(i, s) + unit(j, t))));
                    assert!((aa - d.aa[(i, j)]).abs() < 2e-6 * scale, "aa {i}{j}: {aa} {}", d.aa[(i, j)]);
                    assert!((ab - d.ab[(i, j)]).abs() < 2e-6 * scale, "ab {i}{j}: {ab} {}", d.ab[(i, j)]);
                    assert!((bb - d.bb[(i, j)]).abs() < 2e-6 * scale, "bb {i}{j}: {bb} {}", d.bb[(i, j)]);
                }
            }
        }
    }

    #[test]
    fn twist_is_exact_for_any_number_of_turns() {
        for turns in [-7.3, -1.0, 0.2, 3.0, 19.75] {
            let t = 2.0 * PI * turns;
            let p = frame(0.0, 0.0, t);
            let m = measure(&p, t + 0.3);
            assert!((m.value - Vec3::new(0.0, 0.0, t)).norm() < 1e-12);
            // The sign of a quaternion is no orientation: −p is the same vertex.
            let flipped = measure(&-p, t + 0.3);
            assert!((m.value - flipped.value).norm() < 1e-12);
        }
    }

    #[test]
    fn bend_follows_the_mid_frame_under_large_twist() {
        // p = Z(t/2) S Z(t/2) by construction: the bend is that of S whatever the twist.
        let s = frame(0.2, -0.1, 0.0);
        for t in [0.0, 1.0, 4.0, 9.0, -13.0] {
            let z = frame(0.0, 0.0, 0.5 * t);
            let m = measure(&(z * s * z), t);
            let phi = 0.05f64.sqrt();
            let b = 4.0 * (phi / 4.0).tan() / phi;
            assert!((m.value - Vec3::new(0.2 * b, -0.1 * b, t)).norm() < 1e-12, "{t}: {}", m.value);
        }
    }
}
