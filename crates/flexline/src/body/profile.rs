//! The solution along the arc length: what tables, plots, checks and files read.

use crate::algebra::{Quat, Vec3, rotation};
use serde::{Deserialize, Serialize};

/// The rod at one arc length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Arc length, m.
    pub s: f64,
    /// Position, m, world.
    pub position: Vec3,
    /// Material frame, material→world.
    pub frame: Quat,
    /// Darboux vector (κ1, κ2, τ), 1/m, material.
    pub strain: Vec3,
    /// Internal moment, N m, material.
    pub moment_material: Vec3,
    /// Internal force (what the part beyond s exerts on the part before), N, world.
    pub force_world: Vec3,
    /// Radius for drawing and contact, m.
    pub radius: f64,
}

impl Sample {
    /// Curvature of the centreline, 1/m.
    pub fn curvature(&self) -> f64 {
        self.strain.xy().norm()
    }

    /// Radius of the centreline, m; infinite where it is straight.
    pub fn bend_radius(&self) -> f64 {
        1.0 / self.curvature()
    }

    /// Tension: internal force along the tangent, N; negative in compression.
    pub fn tension(&self) -> f64 {
        self.force_world.dot(&rotation::tangent(&self.frame))
    }

    /// Shear: internal force across the tangent, N.
    pub fn shear(&self) -> f64 {
        let t = rotation::tangent(&self.frame);
        (self.force_world - t * self.force_world.dot(&t)).norm()
    }
}

/// The solution at every node of the rod, s increasing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// One sample per node.
    pub samples: Vec<Sample>,
}
