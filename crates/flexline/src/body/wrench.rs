//! Force and moment together.

use crate::algebra::Vec3;
use serde::{Deserialize, Serialize};

/// Force and moment, both in world axes unless the field that holds them says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wrench {
    /// Force, N; axes as above.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub force: Vec3,
    /// Moment about the point of application, N m; axes as above.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub moment: Vec3,
}

impl Default for Wrench {
    fn default() -> Self {
        Self { force: Vec3::zeros(), moment: Vec3::zeros() }
    }
}

impl Wrench {
    /// Whether all its components are numbers.
    pub fn is_finite(&self) -> bool {
        self.force.iter().chain(&self.moment).all(|c| c.is_finite())
    }
}
