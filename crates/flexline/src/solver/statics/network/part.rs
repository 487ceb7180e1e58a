//! Rigid parts in motion: on springs to where they would go by themselves.

use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::body::Pose;
use crate::rod::mixed::cross_hessian;

/// A rigid part on springs to where it would go by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartInertia {
    /// N/m, and where its centre of mass would be.
    pub(super) stiffness: f64,
    pub(super) centre: Vec3,
    /// N m about its own axes, and where it would turn.
    pub(super) turning: Vec3,
    pub(super) orientation: Quat,
}

impl PartInertia {
    /// (moment, force) on the part's pose, world axes: derivative of its spring energy.
    pub(super) fn gradient(&self, pose: &Pose, lever: &Vec3) -> (Vec3, Vec3) {
        let force = self.stiffness * (pose.position + lever - self.centre);
        let turn = rotation::log(&(self.orientation.conjugate() * pose.orientation));
        let moment = rotation::rotate(&pose.orientation, &self.turning.component_mul(&turn));
        (lever.cross(&force) + moment, force)
    }

    pub(super) fn energy(&self, pose: &Pose, lever: &Vec3) -> f64 {
        let turn = rotation::log(&(self.orientation.conjugate() * pose.orientation));
        0.5 * self.stiffness * (pose.position + lever - self.centre).norm_squared()
            + 0.5 * self.turning.dot(&turn.component_mul(&turn))
    }

    /// Second derivative: rotation–rotation, rotation–translation, translation–translation.
    pub(super) fn hessian(&self, pose: &Pose, lever: &Vec3) -> (Mat3, Mat3, Mat3) {
        let l = rotation::skew(lever);
        let r = rotation::matrix(&pose.orientation);
        let force = self.stiffness * (pose.position + lever - self.centre);
        let turn = r * Mat3::from_diagonal(&self.turning) * r.transpose() - l * l * self.stiffness
            + cross_hessian(lever, &force);
        (turn, l * self.stiffness, Mat3::identity() * self.stiffness)
    }
}
