//! Rotations: exponential and logarithm, directors, the Jacobians of the exponential map.
//!
//! A frame is a unit quaternion q; a small rotation θ (material components, rad) changes it to
//! q ∘ exp(θ/2). Signs of quaternions are never normalised: continuity carries the winding.

use super::{Mat3, Quat, Vec3};

/// The identity rotation.
pub const fn identity() -> Quat {
    // `Quaternion::new` is not const.
    Quat { coords: nalgebra::Vector4::new(0.0, 0.0, 0.0, 1.0) }
}

/// The cross-product matrix `[v]×`.
#[inline]
pub fn skew(v: &Vec3) -> Mat3 {
    Mat3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

/// `[v]× M`: v × every column of `M`.
#[inline]
pub fn skew_times(v: &Vec3, m: &Mat3) -> Mat3 {
    let column = |k: usize| {
        let [x, y, z] = [m[(0, k)], m[(1, k)], m[(2, k)]];
        [v.y * z - v.z * y, v.z * x - v.x * z, v.x * y - v.y * x]
    };
    Mat3::from([column(0), column(1), column(2)])
}

/// The unit quaternion that turns by the rotation vector `v` (axis times angle).
#[inline]
pub fn exp(v: &Vec3) -> Quat {
    let angle_sq = v.norm_squared();
    // sin(φ/2)/φ, by its series where the quotient would lose digits.
    let (w, k) = if angle_sq < 1e-8 {
        (1.0 - angle_sq / 8.0, 0.5 - angle_sq / 48.0)
    } else {
        let angle = angle_sq.sqrt();
        let (s, c) = (0.5 * angle).sin_cos();
        (c, s / angle)
    };
    Quat::new(w, k * v.x, k * v.y, k * v.z)
}

/// The rotation vector of a unit quaternion, of length at most π (q and −q are the same rotation).
#[inline]
pub fn log(q: &Quat) -> Vec3 {
    let (w, v) = if q.w < 0.0 { (-q.w, -q.imag()) } else { (q.w, q.imag()) };
    let s = v.norm();
    if s < 1e-9 {
        return v * (2.0 / w.max(f64::MIN_POSITIVE));
    }
    v * (2.0 * s.atan2(w) / s)
}

/// The frame after the small rotation θ (material components): q ∘ exp(θ/2), renormalised.
#[inline]
pub fn displaced(q: &Quat, theta: &Vec3) -> Quat {
    let p = q * exp(theta);
    p * (1.0 / p.norm())
}

/// The rotation matrix of a unit quaternion: columns d1, d2, d3.
#[inline]
pub fn matrix(q: &Quat) -> Mat3 {
    let (w, x, y, z) = (q.w, q.i, q.j, q.k);
    // By columns.
    Mat3::from([
        [w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z],
    ])
}

/// The third director, the tangent.
#[inline]
pub fn tangent(q: &Quat) -> Vec3 {
    let (w, x, y, z) = (q.w, q.i, q.j, q.k);
    Vec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z)
}

/// The vector `v` turned by the unit quaternion `q`.
#[inline]
pub fn rotate(q: &Quat, v: &Vec3) -> Vec3 {
    let u = q.imag();
    let t = 2.0 * u.cross(v);
    v + q.w * t + u.cross(&t)
}

/// Second derivative of `force`·(exp(ψ) lever) at ψ = 0, world axes: ½(f lᵀ + l fᵀ) − (f·l) I.
#[inline]
pub(crate) fn cross_hessian(lever: &Vec3, force: &Vec3) -> Mat3 {
    (force * lever.transpose() + lever * force.transpose()) * 0.5 - Mat3::identity() * force.dot(lever)
}

/// The unit quaternion of a rotation matrix.
pub fn from_matrix(r: &Mat3) -> Quat {
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(*r);
    nalgebra::UnitQuaternion::from_rotation_matrix(&rotation).into_inner()
}

/// The shortest rotation that takes the unit vector `a` to the unit vector `b`.
pub fn between(a: &Vec3, b: &Vec3) -> Quat {
    let w = 1.0 + a.dot(b);
    if w < 1e-12 {
        // Opposite: half a turn about any axis across.
        let axis = across(a);
        return Quat::new(0.0, axis.x, axis.y, axis.z);
    }
    let v = a.cross(b);
    let q = Quat::new(w, v.x, v.y, v.z);
    q * (1.0 / q.norm())
}

/// A unit vector perpendicular to the unit vector `a`.
pub fn across(a: &Vec3) -> Vec3 {
    let axis = if a.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    (axis - a * a.dot(&axis)).normalize()
}

/// A frame whose tangent d3 is `d3` and whose d1 is as near as possible to `d1`. A tangent without length has no
/// frame: the quaternion is then not a number, and whatever is held by it is refused.
pub fn frame(d3: &Vec3, d1: &Vec3) -> Quat {
    let t = d3.normalize();
    let projected = d1 - t * t.dot(d1);
    let a = if projected.norm() > 1e-9 * d1.norm().max(f64::MIN_POSITIVE) {
        projected.normalize()
    } else {
        across(&t)
    };
    from_matrix(&Mat3::from_columns(&[a, t.cross(&a), t]))
}

/// The angle of the rotation between two frames, rad, in [0, π].
pub fn angle_between(a: &Quat, b: &Quat) -> f64 {
    let p = a.conjugate() * b;
    2.0 * p.imag().norm().atan2(p.w.abs())
}

/// The right Jacobian of the exponential: exp(v + δ) ≈ exp(v) ∘ exp(J δ).
pub fn right_jacobian(v: &Vec3) -> Mat3 {
    let a2 = v.norm_squared();
    let k = skew(v);
    let (b, c) = if a2 < 1e-6 {
        (0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0)
    } else {
        let a = a2.sqrt();
        ((1.0 - a.cos()) / a2, (a - a.sin()) / (a2 * a))
    };
    Mat3::identity() - k * b + k * k * c
}

/// The inverse of [`right_jacobian`].
pub fn right_jacobian_inverse(v: &Vec3) -> Mat3 {
    let a2 = v.norm_squared();
    let k = skew(v);
    let c = if a2 < 1e-6 {
        1.0 / 12.0 + a2 / 720.0
    } else {
        let a = a2.sqrt();
        1.0 / a2 - (1.0 + a.cos()) / (2.0 * a * a.sin())
    };
    Mat3::identity() + k * 0.5 + k * k * c
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_vectors() -> Vec<Vec3> {
        vec![
            Vec3::new(1e-12, -2e-12, 0.5e-12),
            Vec3::new(0.001, 0.0005, -0.0002),
            Vec3::new(0.3, -0.7, 1.1),
            Vec3::new(-2.0, 1.0, 1.5),
        ]
    }

    #[test]
    fn log_inverts_exp() {
        for v in some_vectors() {
            let back = log(&exp(&v));
            assert!((back - v).norm() < 1e-14 * (1.0 + v.norm()), "{v} -> {back}");
        }
    }

    #[test]
    fn matrix_agrees_with_quaternion_product() {
        let q = exp(&Vec3::new(0.4, -1.2, 0.7));
        let v = Vec3::new(1.0, 2.0, -0.5);
        let by_product = (q * Quat::new(0.0, v.x, v.y, v.z) * q.conjugate()).imag();
        assert!((matrix(&q) * v - by_product).norm() < 1e-14);
        assert!((rotate(&q, &v) - by_product).norm() < 1e-14);
        assert!((tangent(&q) - matrix(&q).column(2)).norm() < 1e-15);
        assert!(angle_between(&from_matrix(&matrix(&q)), &q) < 1e-14);
    }

    #[test]
    fn right_jacobian_agrees_with_differences() {
        for v in some_vectors() {
            let j = right_jacobian(&v);
            assert!((j * right_jacobian_inverse(&v) - Mat3::identity()).norm() < 1e-11);
            for axis in 0..3 {
                let mut d = Vec3::zeros();
                d[axis] = 1e-6;
                let numeric = (log(&(exp(&(v - d)).conjugate() * exp(&(v + d))))) / 2e-6;
                assert!((numeric - j.column(axis)).norm() < 1e-8, "{v}");
            }
        }
    }

    #[test]
    fn between_takes_one_to_the_other() {
        let a = Vec3::new(1.0, 2.0, 3.0).normalize();
        for b in [Vec3::new(-1.0, 0.3, 0.2).normalize(), -a, a] {
            assert!((rotate(&between(&a, &b), &a) - b).norm() < 1e-12);
        }
    }

    #[test]
    fn a_force_at_a_lever_has_the_second_derivative_it_says() {
        let (lever, force) = (Vec3::new(0.3, -0.7, 1.1), Vec3::new(-2.0, 1.0, 1.5));
        for v in some_vectors() {
            let step = v.normalize();
            let h = 1e-4;
            let work = |h: f64| force.dot(&rotate(&exp(&(step * h)), &lever));
            let numeric = (work(h) - 2.0 * work(0.0) + work(-h)) / (h * h);
            // Truncation h²/12, round-off 1e-16/h².
            assert!((step.dot(&(cross_hessian(&lever, &force) * step)) - numeric).abs() < 2e-7);
        }
    }
}
