//! A round pole that rods keep out of, by a smooth potential around it.

use crate::algebra::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// A round pole without ends. A rod that enters it by p pays k p³/3 per length: force and stiffness are
/// continuous where it touches, and it enters by √(f/k) under a force f per length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pole {
    /// A point of its axis, m, world.
    pub through: Vec3,
    /// Its direction, a unit vector, world.
    pub axis: Vec3,
    /// Radius at which the centreline of a rod touches it, m.
    pub radius: f64,
    /// k, N/m³.
    pub stiffness: f64,
}

impl Pole {
    /// Direction away from the axis and distance from it; `None` on the axis itself.
    fn away(&self, x: &Vec3) -> Option<(Vec3, f64)> {
        let from = x - self.through;
        let across = from - self.axis * self.axis.dot(&from);
        let distance = across.norm();
        (distance > 0.0).then(|| (across / distance, distance))
    }

    /// Depth inside the pole, m.
    pub fn depth(&self, x: &Vec3) -> f64 {
        (self.radius - self.away(x).map_or(0.0, |(_, distance)| distance)).max(0.0)
    }

    /// Energy per length, N.
    pub fn energy(&self, x: &Vec3) -> f64 {
        self.stiffness * self.depth(x).powi(3) / 3.0
    }

    /// Force per length at `x` (m, world), N/m, world.
    pub fn force(&self, x: &Vec3) -> Vec3 {
        self.away(x).map_or_else(Vec3::zeros, |(e, _)| e * (self.stiffness * self.depth(x).powi(2)))
    }

    /// Second derivative of the energy per length, N/m².
    pub fn hessian(&self, x: &Vec3) -> Mat3 {
        let Some((e, distance)) = self.away(x) else { return Mat3::zeros() };
        let p = self.depth(x);
        let out = e * e.transpose();
        let round = Mat3::identity() - self.axis * self.axis.transpose() - out;
        (out * (2.0 * p) - round * (p * p / distance)) * self.stiffness
    }

    /// Whether all its numbers are sound.
    pub(crate) fn is_sound(&self) -> bool {
        let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
        finite(&self.through)
            && finite(&self.axis)
            && (self.axis.norm() - 1.0).abs() < 1e-9
            && self.radius > 0.0
            && self.radius.is_finite()
            && self.stiffness >= 0.0
            && self.stiffness.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        let pole = Pole {
            through: Vec3::new(0.1, 0.2, -0.3),
            axis: Vec3::new(0.6, 0.0, 0.8),
            radius: 0.5,
            stiffness: 7.0,
        };
        let x = Vec3::new(0.25, 0.4, 0.1);
        assert!(pole.depth(&x) > 0.1);
        let h = 1e-5;
        for i in 0..3 {
            let mut step = Vec3::zeros();
            step[i] = h;
            let slope = (pole.energy(&(x + step)) - pole.energy(&(x - step))) / (2.0 * h);
            assert!((slope + pole.force(&x)[i]).abs() < 1e-8);
            let bend = (pole.force(&(x + step)) - pole.force(&(x - step))) / (2.0 * h);
            assert!((bend + pole.hessian(&x).column(i)).norm() < 1e-7);
        }
        let outside = Vec3::new(2.0, 0.0, 0.0);
        assert_eq!((pole.energy(&outside), pole.force(&outside)), (0.0, Vec3::zeros()));
    }
}
