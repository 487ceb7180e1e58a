//! Cross-sections: stiffness, mass, contact radius and limits, from a shape and a material or
//! from measurement, constant or varying along the rod.

mod library;
mod material;
mod profile;
mod shape;

pub use library::{Part, PartKind, find_part, parts};
pub use material::{Material, find_material, materials};
pub use profile::{Cell, SectionProfile};
pub use shape::Shape;

use crate::algebra::Vec3;
use serde::{Deserialize, Serialize};

/// Where a stiffness comes from. An estimate from E, ν and shape can be off by a factor of ten
/// for stranded or braided parts; the source travels with every result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StiffnessSource {
    /// Measured on the part.
    Measured,
    /// Computed from a material and a shape.
    Estimate,
}

/// Where a bend radius is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RadiusReference {
    /// At the centreline (cables, metal hoses).
    Centre,
    /// At the inner side of the bend (rubber hoses): centre radius minus outer radius.
    Inner,
}

/// A minimum bend radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BendLimit {
    /// Smallest allowed radius, m.
    pub radius: f64,
    /// Where it is measured.
    pub reference: RadiusReference,
}

/// What a section tolerates; `None` is not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Minimum bend radius, laid once.
    pub bend_static: Option<BendLimit>,
    /// Minimum bend radius, bent repeatedly.
    pub bend_dynamic: Option<BendLimit>,
    /// Largest tension, N.
    pub tension: Option<f64>,
    /// Largest twist, rad/m, either way.
    pub twist: Option<f64>,
    /// Largest strain of the outermost fibre, dimensionless.
    pub strain: Option<f64>,
}

/// A cross-section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// K1, K2 (bending about d1 and d2) and K3 (twist), N m².
    pub stiffness: Vec3,
    /// Where the stiffness comes from.
    pub source: StiffnessSource,
    /// Mass per length, kg/m.
    pub mass_per_length: f64,
    /// Rotary inertia per length about d1, d2, d3, kg m.
    pub rotary_inertia: Vec3,
    /// Radius for contact, drawing and the inner side of a bend, m.
    pub contact_radius: f64,
    /// What it tolerates.
    pub limits: Limits,
}
