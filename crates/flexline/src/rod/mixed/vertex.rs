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
//! The nodal rod has the same twist and the bend of [`nodal`]. Both bends are a factor h(w, z)
//! times (x, y), and all that follows knows no more of a model than h and its derivatives.
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

use crate::algebra::rotation::{self, skew};
use crate::algebra::{Mat3, Quat, Vec3};
use crate::rod::nodal;
use std::f64::consts::PI;

/// How the bend of a vertex is measured: what tells one rod of segments from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strain {
    /// 4 tan(φ/4) in the mid-frame: the mixed rod.
    #[default]
    Mixed,
    /// The curvature binormal on the averaged directors: the nodal rod.
    Nodal,
}

impl Strain {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Mixed, Self::Nodal];

    /// The name of the model that this makes.
    pub fn model(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::Nodal => "nodal",
        }
    }

    /// The relative rotation with bend (`value.x`, `value.y`) and twist `value.z`: Z(t/2) S Z(t/2).
    pub fn rotation(self, value: &Vec3) -> Quat {
        let bend = Vec3::new(value.x, value.y, 0.0);
        let size = bend.norm();
        let phi = match self {
            Self::Mixed => 4.0 * (0.25 * size).atan(),
            Self::Nodal => nodal::angle(size, value.z),
        };
        let s = if size > 0.0 { rotation::exp(&(bend * (phi / size))) } else { rotation::identity() };
        let z = rotation::exp(&Vec3::new(0.0, 0.0, 0.5 * value.z));
        z * s * z
    }
}

/// Bend (b1, b2) and twist t of a vertex, rad, with the parity of the full turns.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// (b1, b2, t).
    pub value: Vec3,
    sign: f64,
    strain: Strain,
}

/// The measure of the relative rotation `p`, its twist nearest to `history`.
#[inline]
pub fn measure(strain: Strain, p: &Quat, history: f64) -> Measure {
    let raw = 2.0 * p.k.atan2(p.w);
    let turns = ((history - raw) / (2.0 * PI)).round();
    // Parity without overflow for any finite history.
    let sign = if turns.rem_euclid(2.0) == 1.0 { -1.0 } else { 1.0 };
    let h = match strain {
        Strain::Mixed => sign * 4.0 / (1.0 + (p.w * p.w + p.k * p.k).sqrt()),
        Strain::Nodal => nodal::factor(p.w, p.k),
    };
    Measure { value: Vec3::new(h * p.i, h * p.j, raw + 2.0 * PI * turns), sign, strain }
}

/// First derivatives of the factor h(w, z) of a bend b = h (x, y).
#[derive(Clone, Copy, Debug)]
pub struct Slope {
    /// h itself.
    pub h: f64,
    /// ∂h/∂w.
    pub w: f64,
    /// ∂h/∂z.
    pub z: f64,
    /// w² + z², kept away from zero where the measure needs that: the twist turns by its inverse.
    pub omega_sq: f64,
}

/// Second derivatives of the same factor.
#[derive(Clone, Copy, Debug)]
pub struct Bow {
    /// ∂²h/∂w².
    pub ww: f64,
    /// ∂²h/∂w∂z.
    pub wz: f64,
    /// ∂²h/∂z².
    pub zz: f64,
}

impl Measure {
    #[inline]
    fn slope(&self, p: &Quat) -> Slope {
        let (w, z) = (p.w, p.k);
        match self.strain {
            Strain::Mixed => {
                let omega_sq = w * w + z * z;
                let omega = omega_sq.sqrt();
                let d = 1.0 + omega;
                let dh = -self.sign * 4.0 / (d * d);
                Slope { h: self.sign * 4.0 / d, w: dh * w / omega, z: dh * z / omega, omega_sq }
            }
            Strain::Nodal => nodal::slope(w, z),
        }
    }

    #[inline]
    fn bow(&self, p: &Quat) -> Bow {
        let (w, z) = (p.w, p.k);
        match self.strain {
            Strain::Mixed => {
                let omega = (w * w + z * z).sqrt();
                let d = 1.0 + omega;
                let (dh, ddh) = (-self.sign * 4.0 / (d * d), self.sign * 8.0 / (d * d * d));
                let (cw, cz) = (w / omega, z / omega);
                Bow {
                    ww: ddh * cw * cw + dh * cz * cz / omega,
                    wz: (ddh - dh / omega) * cw * cz,
                    zz: ddh * cz * cz + dh * cw * cw / omega,
                }
            }
            Strain::Nodal => nodal::bow(w, z),
        }
    }
}

/// Second derivatives of a vertex energy with respect to α and β.
#[derive(Clone, Copy, Debug)]
pub struct Derivatives {
    /// ∂²E/∂α∂α.
    pub aa: Mat3,
    /// ∂²E/∂α∂β (row α, column β).
    pub ab: Mat3,
    /// ∂²E/∂β∂β.
    pub bb: Mat3,
}

/// ∂t/∂w and ∂t/∂z.
#[inline]
fn twist_slope(p: &Quat, slope: &Slope) -> (f64, f64) {
    (-2.0 * p.k / slope.omega_sq, 2.0 * p.w / slope.omega_sq)
}

/// ∂(moment · value)/∂p: by w, and by (x, y, z).
#[inline]
fn pulled_back(p: &Quat, slope: &Slope, moment: &Vec3) -> (f64, Vec3) {
    let (by_w, by_z) = twist_slope(p, slope);
    let along = moment.x * p.i + moment.y * p.j;
    (
        along * slope.w + moment.z * by_w,
        Vec3::new(slope.h * moment.x, slope.h * moment.y, along * slope.z + moment.z * by_z),
    )
}

/// A symmetric form over p: by w alone, by w with (x, y, z), and by these.
#[derive(Clone, Copy)]
struct Form {
    ww: f64,
    wv: Vec3,
    vv: Mat3,
}

impl Form {
    /// The form in the variations α and β: aa, ab, bb.
    ///
    /// With s = ½ [−vᵀ; wI] and t = ½ [0; [v]×] is ∂p/∂β = t + s and ∂p/∂α = t − s, so that three products make them all.
    #[inline]
    fn in_variations(&self, p: &Quat) -> (Mat3, Mat3, Mat3) {
        let (w, v) = (0.5 * p.w, 0.5 * p.imag());
        let turned = skew_times_right(&self.vv, &v);
        let ss = v * v.transpose() * self.ww - (v * self.wv.transpose() + self.wv * v.transpose()) * w
            + self.vv * (w * w);
        let tt = -rotation::skew_times(&v, &turned);
        let st = turned * w - v * self.wv.cross(&v).transpose();
        let (even, odd) = (ss + tt, st + st.transpose());
        (even - odd, tt - ss + st.transpose() - st, even + odd)
    }
}

/// The moment conjugate to the measure: K (value − rest)/l̄, with `stiffness` = K/l̄ given.
#[inline]
pub fn moment(m: &Measure, rest: &Vec3, stiffness: &Vec3) -> Vec3 {
    (m.value - rest).component_mul(stiffness)
}

/// ∂E/∂α and ∂E/∂β of the energy ½ (value − rest)·stiffness·(value − rest).
#[inline]
pub fn gradient(p: &Quat, m: &Measure, moment: &Vec3) -> (Vec3, Vec3) {
    let (g0, gv) = pulled_back(p, &m.slope(p), moment);
    let v = p.imag();
    let common = 0.5 * (p.w * gv - v * g0);
    let turn = 0.5 * v.cross(&gv);
    (-(common + turn), common - turn)
}

/// Exact Hessian of the same energy.
#[inline]
pub fn derivatives(p: &Quat, m: &Measure, moment: &Vec3, stiffness: &Vec3) -> Derivatives {
    let slope = m.slope(p);
    let (g0, gv) = pulled_back(p, &slope, moment);
    let v = p.imag();
    let mut form = stiffness_in_p(p, &slope, stiffness);
    add_curvature(&mut form, p, &slope, &m.bow(p), moment);
    let (mut aa, mut ab, mut bb) = form.in_variations(p);
    let diagonal = -0.25 * (p.w * g0 + v.dot(&gv));
    let cross = 0.25 * (g0 * p.w - gv.dot(&v));
    for i in 0..3 {
        aa[(i, i)] += diagonal;
        bb[(i, i)] += diagonal;
        ab[(i, i)] += cross;
    }
    ab += (skew(&(g0 * v + p.w * gv)) + v * gv.transpose() + gv * v.transpose()) * 0.25;
    Derivatives { aa, ab, bb }
}

/// The part of the Hessian without prestress: (∂value)ᵀ stiffness (∂value). The reference form of
/// the stability eigenvalue and of the inertia correction.
#[inline]
pub fn stiffness_part(p: &Quat, m: &Measure, stiffness: &Vec3) -> (Mat3, Mat3, Mat3) {
    stiffness_in_p(p, &m.slope(p), stiffness).in_variations(p)
}

/// (∂value/∂p)ᵀ stiffness (∂value/∂p), with
///
/// ```text
/// ∂b1/∂p = (x h_w, h, 0, x h_z)    ∂b2/∂p = (y h_w, 0, h, y h_z)    ∂t/∂p = (t_w, 0, 0, t_z)
/// ```
#[inline]
fn stiffness_in_p(p: &Quat, slope: &Slope, stiffness: &Vec3) -> Form {
    let (by_w, by_z) = twist_slope(p, slope);
    let (kx, ky, kt) = (stiffness.x * p.i, stiffness.y * p.j, stiffness.z);
    let bent = kx * p.i + ky * p.j;
    let h = slope.h;
    let (xz, yz) = (kx * h * slope.z, ky * h * slope.z);
    Form {
        ww: bent * slope.w * slope.w + kt * by_w * by_w,
        wv: Vec3::new(kx * h * slope.w, ky * h * slope.w, bent * slope.w * slope.z + kt * by_w * by_z),
        vv: Mat3::new(
            stiffness.x * h * h,
            0.0,
            xz, //
            0.0,
            stiffness.y * h * h,
            yz, //
            xz,
            yz,
            bent * slope.z * slope.z + kt * by_z * by_z,
        ),
    }
}

/// Adds Σ moment_m ∂²value_m/∂p².
#[inline]
fn add_curvature(form: &mut Form, p: &Quat, slope: &Slope, bow: &Bow, moment: &Vec3) {
    let (w, z) = (p.w, p.k);
    let along = moment.x * p.i + moment.y * p.j;
    let twist = moment.z / (slope.omega_sq * slope.omega_sq);
    form.ww += along * bow.ww + twist * 4.0 * z * w;
    form.wv +=
        Vec3::new(moment.x * slope.w, moment.y * slope.w, along * bow.wz + twist * 2.0 * (z * z - w * w));
    let (xz, yz) = (moment.x * slope.z, moment.y * slope.z);
    form.vv[(0, 2)] += xz;
    form.vv[(2, 0)] += xz;
    form.vv[(1, 2)] += yz;
    form.vv[(2, 1)] += yz;
    form.vv[(2, 2)] += along * bow.zz - twist * 4.0 * z * w;
}

/// m [v]×.
#[inline]
fn skew_times_right(m: &Mat3, v: &Vec3) -> Mat3 {
    let (a, b, c) = (m.column(0), m.column(1), m.column(2));
    Mat3::from_columns(&[b * v.z - c * v.y, c * v.x - a * v.z, a * v.y - b * v.x])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(x: f64, y: f64, z: f64) -> Quat {
        rotation::exp(&Vec3::new(x, y, z))
    }

    fn energy(strain: Strain, a: &Quat, b: &Quat, history: f64, rest: &Vec3, k: &Vec3) -> f64 {
        let m = measure(strain, &(a.conjugate() * b), history);
        0.5 * (m.value - rest).component_mul(k).dot(&(m.value - rest))
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let k = Vec3::new(1.3, 0.7, 0.9);
        let rest = Vec3::new(0.1, -0.2, 0.3);
        for (strain, (a, b, history)) in Strain::ALL.into_iter().flat_map(|strain| {
            [
                (frame(0.3, -0.2, 0.5), frame(0.5, 0.1, 0.9), 0.4),
                (frame(0.3, -0.2, 0.5), frame(0.1, 0.4, 2.9), 2.0),
                (frame(0.0, 0.0, 0.5), frame(0.2, -0.3, 0.9), 31.0),
                (frame(1.0, 0.2, 0.1), frame(-0.4, 0.3, -0.2), -6.0),
            ]
            .map(|vertex| (strain, vertex))
        }) {
            let p = a.conjugate() * b;
            let m = measure(strain, &p, history);
            let moment = moment(&m, &rest, &k);
            let (grad_a, grad_b) = gradient(&p, &m, &moment);
            let d = derivatives(&p, &m, &moment, &k);
            let at = |alpha: &Vec3, beta: &Vec3| {
                energy(strain, &(a * rotation::exp(alpha)), &(b * rotation::exp(beta)), history, &rest, &k)
            };
            let scale = energy(strain, &a, &b, history, &rest, &k).max(1.0);
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
                assert!((ga - grad_a[i]).abs() < 1e-8 * scale, "{ga} {}", grad_a[i]);
                assert!((gb - grad_b[i]).abs() < 1e-8 * scale);
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
            for strain in Strain::ALL {
                let m = measure(strain, &frame(0.0, 0.0, t), t + 0.3);
                assert!((m.value - Vec3::new(0.0, 0.0, t)).norm() < 1e-12);
                // The sign of a quaternion is no orientation: −p is the same vertex.
                let p = frame(0.2, 0.3, 0.0) * frame(0.0, 0.0, t);
                let [m, flipped] = [p, -p].map(|p| measure(strain, &p, t + 0.3));
                assert!((m.value - flipped.value).norm() < 1e-12 * t.abs().max(1.0));
            }
        }
    }

    #[test]
    fn bend_follows_the_mid_frame_under_large_twist() {
        // p = Z(t/2) S Z(t/2) by construction: the bend is that of S whatever the twist.
        let s = frame(0.2, -0.1, 0.0);
        for t in [0.0, 1.0, 4.0, 9.0, -13.0] {
            let z = frame(0.0, 0.0, 0.5 * t);
            let m = measure(Strain::Mixed, &(z * s * z), t);
            let phi = 0.05f64.sqrt();
            let b = 4.0 * (phi / 4.0).tan() / phi;
            assert!((m.value - Vec3::new(0.2 * b, -0.1 * b, t)).norm() < 1e-12, "{t}: {}", m.value);
        }
    }

    #[test]
    fn a_value_leads_to_its_rotation_and_back() {
        for strain in Strain::ALL {
            for value in [[0.0; 3], [0.4, -0.2, 0.0], [-0.3, 0.1, 2.0], [1.5, 2.0, -4.0], [0.2, 0.1, 40.0]] {
                let value = Vec3::from(value);
                let m = measure(strain, &strain.rotation(&value), value.z);
                assert!((m.value - value).norm() < 1e-12 * value.norm().max(1.0), "{strain:?}: {}", m.value);
            }
        }
    }
}
