//! Signorini's and Coulomb's law as an equation: P. Alart, A. Curnier, *A mixed formulation for frictional contact problems
//! prone to Newton like solution methods*, Comput. Methods Appl. Mech. Eng. 92 (1991) 353–375.

use crate::algebra::Vec3;

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

/// The nearest point of the second-order cone |x_T| ≤ µ x_N.
pub(super) fn projected(x: &Vec3, friction: f64) -> Vec3 {
    let tangential = x.y.hypot(x.z);
    if tangential <= friction * x.x {
        return *x;
    }
    let normal = (x.x + friction * tangential) / (1.0 + friction * friction);
    if normal <= 0.0 {
        return Vec3::zeros();
    }
    let share = friction * normal / tangential;
    Vec3::new(normal, share * x.y, share * x.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cone::sample::Random;

    #[test]
    fn a_projection_is_nearer_than_any_other_point_of_the_cone() {
        let mut random = Random::new(11);
        for _ in 0..300 {
            let (x, mu) = (random.vector(), random.between(0.0, 2.0));
            let found = projected(&x, mu);
            assert!(found.y.hypot(found.z) <= mu * found.x * (1.0 + 1e-15));
            for _ in 0..200 {
                let normal = random.between(0.0, 2.0);
                let (s, c) = random.between(0.0, 6.3).sin_cos();
                let friction = mu * normal * random.unit();
                let other = Vec3::new(normal, friction * c, friction * s);
                assert!((other - x).norm() >= (found - x).norm() - 1e-14);
            }
        }
    }
}
