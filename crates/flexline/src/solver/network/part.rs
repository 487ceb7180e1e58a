//! Rigid parts in motion: on springs to where they would go by themselves.

use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::body::Pose;

/// A rigid part on springs to where it would go by itself.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct PartInertia {
    /// N/m, and where its centre of mass would be.
    pub(in crate::solver) stiffness: f64,
    pub(in crate::solver) centre: Vec3,
    /// N m about its own axes, and where it would turn.
    pub(in crate::solver) turning: Vec3,
    pub(in crate::solver) orientation: Quat,
}

impl PartInertia {
    /// (moment, force) on the part's pose, world axes: derivative of its spring energy.
    pub(in crate::solver) fn gradient(&self, pose: &Pose, lever: &Vec3) -> (Vec3, Vec3) {
        let force = self.stiffness * (pose.position + lever - self.centre);
        let turn = rotation::log(&(self.orientation.conjugate() * pose.orientation));
        let moment = rotation::rotate(&pose.orientation, &self.turning.component_mul(&turn));
        (lever.cross(&force) + moment, force)
    }

    pub(in crate::solver) fn energy(&self, pose: &Pose, lever: &Vec3) -> f64 {
        let turn = rotation::log(&(self.orientation.conjugate() * pose.orientation));
        0.5 * self.stiffness * (pose.position + lever - self.centre).norm_squared()
            + 0.5 * self.turning.dot(&turn.component_mul(&turn))
    }

    /// Second derivative: rotation–rotation, rotation–translation, translation–translation.
    pub(in crate::solver) fn hessian(&self, pose: &Pose, lever: &Vec3) -> (Mat3, Mat3, Mat3) {
        let l = rotation::skew(lever);
        let r = rotation::matrix(&pose.orientation);
        let force = self.stiffness * (pose.position + lever - self.centre);
        let turn = r * Mat3::from_diagonal(&self.turning) * r.transpose() - l * l * self.stiffness
            + rotation::cross_hessian(lever, &force);
        (turn, l * self.stiffness, Mat3::identity() * self.stiffness)
    }
}
