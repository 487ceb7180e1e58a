//! Where things of a file are in its world.

use flexline::{Mat3, Vec3};

/// x ↦ A x + b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Transform {
    linear: Mat3,
    shift: Vec3,
}

impl Transform {
    pub(crate) fn identity() -> Self {
        Self { linear: Mat3::identity(), shift: Vec3::zeros() }
    }

    pub(crate) fn frame(linear: Mat3, shift: Vec3) -> Self {
        Self { linear, shift }
    }

    pub(crate) fn is_identity(&self) -> bool {
        *self == Self::identity()
    }

    /// With its shift in another unit.
    pub(crate) fn scaled(self, by: f64) -> Self {
        Self { linear: self.linear, shift: self.shift * by }
    }

    pub(crate) fn inverse(&self) -> Option<Self> {
        if self.is_identity() {
            return Some(*self);
        }
        let linear = self.linear.try_inverse()?;
        Some(Self { linear, shift: -(linear * self.shift) })
    }

    pub(crate) fn shift(by: Vec3) -> Self {
        Self { linear: Mat3::identity(), shift: by }
    }

    pub(crate) fn scale(by: Vec3) -> Self {
        Self { linear: Mat3::from_diagonal(&by), shift: Vec3::zeros() }
    }

    /// By an angle about an axis of any length; none where the axis is zero. Rodrigues' formula.
    pub(crate) fn rotation(axis: Vec3, angle: f64) -> Self {
        let length = axis.norm();
        if !(length > 0.0 && length.is_finite() && angle.is_finite()) {
            return Self::identity();
        }
        let n = axis / length;
        let cross = Mat3::new(0.0, -n.z, n.y, n.z, 0.0, -n.x, -n.y, n.x, 0.0);
        let linear = Mat3::identity() + cross * angle.sin() + cross * cross * (1.0 - angle.cos());
        Self { linear, shift: Vec3::zeros() }
    }

    /// By a quaternion (x, y, z, w) of any length.
    pub(crate) fn quaternion([x, y, z, w]: [f64; 4]) -> Self {
        let axis = Vec3::new(x, y, z);
        Self::rotation(axis, 2.0 * axis.norm().atan2(w))
    }

    /// Sixteen numbers whose last four are the shift: rows of a matrix for row vectors, or columns of one for column
    /// vectors. `None` where it is no affine map.
    pub(crate) fn matrix(m: &[f64; 16]) -> Option<Self> {
        let is_affine = m[3] == 0.0 && m[7] == 0.0 && m[11] == 0.0 && m[15] != 0.0;
        let linear = Mat3::new(m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]) / m[15];
        let shift = Vec3::new(m[12], m[13], m[14]) / m[15];
        (is_affine && linear.iter().chain(shift.iter()).all(|x| x.is_finite()))
            .then_some(Self { linear, shift })
    }

    /// First `inner`, then this.
    pub(crate) fn then(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.linear * inner.shift + self.shift }
    }

    pub(crate) fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        let q = self.linear * Vec3::from(p) + self.shift;
        [q.x, q.y, q.z]
    }

    /// Whether it turns right hands into left ones.
    pub(crate) fn mirrors(&self) -> bool {
        self.linear.determinant() < 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn turns_and_matrices_agree() {
        let turn = Transform::rotation(Vec3::new(0.0, 0.0, 3.0), FRAC_PI_2);
        let [x, y, z] = turn.apply([1.0, 0.0, 5.0]);
        assert!(x.abs() < 1e-15 && (y - 1.0).abs() < 1e-15 && z == 5.0);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let same = Transform::quaternion([0.0, 0.0, half, half]);
        assert!((same.linear - turn.linear).norm() < 1e-15);
        let rows = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 7.0, 8.0, 9.0, 1.0];
        let matrix = Transform::matrix(&rows).unwrap();
        let both = Transform::shift(Vec3::new(7.0, 8.0, 9.0)).then(&turn);
        assert!((matrix.linear - both.linear).norm() < 1e-15 && matrix.shift == both.shift);
        assert!(!matrix.mirrors() && Transform::scale(Vec3::new(1.0, -2.0, 1.0)).mirrors());
        let mut wrong = rows;
        wrong[3] = 1.0;
        assert_eq!(Transform::matrix(&wrong), None, "a projection");
    }
}
