//! Signorini's and Coulomb's law as an equation: P. Alart, A. Curnier, *A mixed formulation for frictional contact problems
//! prone to Newton like solution methods*, Comput. Methods Appl. Mech. Eng. 92 (1991) 353–375.

use crate::algebra::{Vec3, larger};

/// The force that the law allows nearest to `trial`: pushes only, and friction within its disc.
pub fn admissible(trial: &Vec3, friction: f64) -> Vec3 {
    let normal = trial.x.max(0.0);
    let (bound, tangential) = (friction * normal, trial.y.hypot(trial.z));
    if tangential <= bound {
        Vec3::new(normal, trial.y, trial.z)
    } else {
        let share = bound / tangential;
        Vec3::new(normal, share * trial.y, share * trial.z)
    }
}

/// r − Π(r − u/w): zero where force `r` and motion `u` obey the law, whatever the compliance w > 0 that makes the motion a
/// force.
pub fn defect(r: &Vec3, u: &Vec3, friction: f64, compliance: f64) -> Vec3 {
    r - admissible(&(r - u / compliance), friction)
}

/// The largest defect of all contacts, a force; no number where one is none.
pub(super) fn residual(forces: &[Vec3], motion: &[Vec3], friction: &[f64], compliance: &[f64]) -> f64 {
    let each = forces.iter().zip(motion).zip(friction.iter().zip(compliance));
    each.map(|((r, u), (&mu, &w))| defect(r, u, mu, w).norm()).fold(0.0, larger)
}
