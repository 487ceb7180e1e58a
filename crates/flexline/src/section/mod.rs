//! Cross-sections: stiffness, mass, contact radius and limits, from a shape and a material or
//! from measurement, constant or varying along the rod.
//!
//! ```
//! use flexline::section::{Material, Section, SectionProfile, Shape, Zone, find_part};
//!
//! // A rubber hose from its shape and material: an estimate, and labelled so.
//! let rubber = Material::new("my rubber", 4e6, 0.49, 1150.0, "data sheet")?;
//! let hose = Section::from_shape(&Shape::Tube { outer: 0.010, inner: 0.006 }, &rubber)?;
//!
//! // A cable from the test bench: K1, K2, K3 in N m², kg/m, radius in m.
//! let cable = Section::measured(0.012, 0.012, 0.009, 0.11, 0.004)?;
//!
//! // A real part; a rod that changes from one to the other over 50 mm.
//! let brake_hose = find_part("brake-hose").ok_or("no such part")?.section;
//! let profile = SectionProfile::new(vec![
//!     Zone::constant(0.0, 0.30, brake_hose),
//!     Zone::linear(0.30, 0.35, brake_hose, cable),
//!     Zone::constant(0.35, 1.00, cable),
//! ])?;
//! assert!(profile.is_estimate());
//! assert!(hose.stiffness.x > cable.stiffness.x);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundle;
mod error;
mod library;
mod material;
mod profile;
mod shape;

pub use bundle::{Bundle, BundleFigures, Conduit, Core, FILL, Tape, Wire};
pub use error::SectionError;
pub use library::{Part, PartKind, find_part, parts};
pub use material::{Material, find_material, materials, youngs_modulus_from_shore_a};
pub use profile::{Cell, SectionProfile, Variation, Zone};
pub use shape::Shape;

use crate::algebra::Vec3;
use error::not_negative;
pub(crate) use error::positive;
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RadiusReference {
    /// At the centreline (cables, metal hoses).
    Centre,
    /// At the inner side of the bend (rubber hoses): centre radius minus outer radius.
    Inner,
}

impl RadiusReference {
    /// The radius where it is measured, m, of a bend whose centreline has the radius `centre`; no less than zero.
    pub fn of_centre(self, centre: f64, contact_radius: f64) -> f64 {
        match self {
            Self::Centre => centre,
            Self::Inner => (centre - contact_radius).max(0.0),
        }
    }

    /// The place in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Centre => "at the centre",
            Self::Inner => "at the inner side",
        }
    }
}

/// The use that a bend limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum BendUse {
    /// Laid once.
    Static,
    /// Bent again and again.
    Dynamic,
}

impl BendUse {
    /// The use in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Dynamic => "dynamic",
        }
    }
}

/// A minimum bend radius.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BendLimit {
    /// Smallest allowed radius, m.
    pub radius: f64,
    /// Where it is measured.
    pub reference: RadiusReference,
}

impl BendLimit {
    /// A smallest radius of the centreline, m.
    pub const fn centre(radius: f64) -> Self {
        Self { radius, reference: RadiusReference::Centre }
    }

    /// A smallest radius of the inner side of the bend, m.
    pub const fn inner(radius: f64) -> Self {
        Self { radius, reference: RadiusReference::Inner }
    }

    /// The smallest radius of the centreline, m, of a part with that contact radius.
    pub fn centre_radius(&self, contact_radius: f64) -> f64 {
        match self.reference {
            RadiusReference::Centre => self.radius,
            RadiusReference::Inner => self.radius + contact_radius,
        }
    }
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

impl Limits {
    /// The bend limit that counts, and the use that it is for: a part without a limit for repeated bending is held
    /// to the one for laying it once, at least.
    pub fn bend(&self, dynamic_use: bool) -> Option<(BendLimit, BendUse)> {
        let dynamic = self.bend_dynamic.filter(|_| dynamic_use).map(|limit| (limit, BendUse::Dynamic));
        dynamic.or(self.bend_static.map(|limit| (limit, BendUse::Static)))
    }

    /// Refuses limits that are not positive numbers.
    pub fn validate(&self) -> Result<(), SectionError> {
        const REMEDY: &str = "leave the limit out if it is not to be checked";
        let bend = |limit: Option<BendLimit>| limit.map(|l| l.radius);
        for (what, value, unit) in [
            ("the static minimum bend radius", bend(self.bend_static), "m"),
            ("the dynamic minimum bend radius", bend(self.bend_dynamic), "m"),
            ("the largest tension", self.tension, "N"),
            ("the largest twist", self.twist, "rad/m"),
            ("the largest strain", self.strain, ""),
        ] {
            if let Some(value) = value {
                positive(what, value, unit, REMEDY)?;
            }
        }
        Ok(())
    }
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

impl Section {
    /// The section of a shape filled with a material: K1 = E I1, K2 = E I2, K3 = G J, mass ρ A,
    /// rotary inertia ρ (I1, I2, I1 + I2). An estimate: strands, braids and layers that slip are
    /// not one solid.
    ///
    /// ```
    /// use flexline::section::{Section, Shape, StiffnessSource, find_material};
    /// let steel = find_material("steel").ok_or("no steel")?;
    /// let wire = Section::from_shape(&Shape::Disc { radius: 0.001 }, steel)?;
    /// assert_eq!(wire.source, StiffnessSource::Estimate);
    /// assert!((wire.stiffness.x - 0.157).abs() < 1e-3); // π/4 (1 mm)⁴ × 200 GPa
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_shape(shape: &Shape, material: &Material) -> Result<Self, SectionError> {
        shape.validate()?;
        material.validate()?;
        let [i1, i2] = shape.second_moments();
        let (e, g) = (material.youngs_modulus, material.shear_modulus());
        let stiffness = Vec3::new(e * i1, e * i2, g * shape.torsion_constant());
        let section =
            Self::assemble(shape, stiffness, StiffnessSource::Estimate, material.density * shape.area());
        section.validate()?;
        Ok(section)
    }

    /// A section measured on the part: K1, K2 (bending) and K3 (twist), N m², mass per length,
    /// kg/m (0 for a weightless rod), and contact radius, m. Its rotary inertia, which no bench
    /// measures, is that of a disc of the contact radius with the mass spread evenly.
    ///
    /// ```
    /// use flexline::section::Section;
    /// assert!(Section::measured(0.02, 0.02, 0.015, 0.1, 0.005).is_ok());
    /// let error = Section::measured(0.02, -0.02, 0.015, 0.1, 0.005).unwrap_err();
    /// assert!(error.to_string().starts_with("the bending stiffness K2 is -0.02 N m²"));
    /// ```
    pub fn measured(
        k1: f64,
        k2: f64,
        k3: f64,
        mass_per_length: f64,
        contact_radius: f64,
    ) -> Result<Self, SectionError> {
        let round = Shape::Disc { radius: contact_radius };
        let section = Self {
            contact_radius,
            ..Self::assemble(&round, Vec3::new(k1, k2, k3), StiffnessSource::Measured, mass_per_length)
        };
        section.validate()?;
        Ok(section)
    }

    /// The same section with these limits, checked.
    pub fn with_limits(self, limits: Limits) -> Result<Self, SectionError> {
        limits.validate()?;
        Ok(Self { limits, ..self })
    }

    /// Refuses stiffnesses and radii that are not positive numbers, and negative masses.
    pub fn validate(&self) -> Result<(), SectionError> {
        const STIFFNESS: &str = "give the stiffness in N m², a cable of 5 mm has about 0.01";
        positive("the contact radius", self.contact_radius, "m", "give half the outer diameter")?;
        positive("the bending stiffness K1", self.stiffness.x, "N m²", STIFFNESS)?;
        positive("the bending stiffness K2", self.stiffness.y, "N m²", STIFFNESS)?;
        positive("the twist stiffness K3", self.stiffness.z, "N m²", STIFFNESS)?;
        not_negative("the mass per length", self.mass_per_length, "kg/m", "give 0 for a weightless rod")?;
        for inertia in self.rotary_inertia.iter() {
            not_negative("the rotary inertia per length", *inertia, "kg m", "give 0 to leave it out")?;
        }
        self.limits.validate()
    }

    /// A section with the mass spread evenly over the shape, without limits, unchecked.
    fn assemble(shape: &Shape, stiffness: Vec3, source: StiffnessSource, mass_per_length: f64) -> Self {
        let [i1, i2] = shape.second_moments();
        Self {
            stiffness,
            source,
            mass_per_length,
            rotary_inertia: Vec3::new(i1, i2, i1 + i2) * (mass_per_length / shape.area()),
            contact_radius: shape.contact_radius(),
            limits: Limits::default(),
        }
    }
}

/// Whether two names are the same to a person typing: case does not matter, and spaces and
/// underscores count as hyphens.
fn same_name(a: &str, b: &str) -> bool {
    let plain = |c: char| if c == ' ' || c == '_' { '-' } else { c.to_ascii_lowercase() };
    a.chars().map(plain).eq(b.trim().chars().map(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rubber() -> Material {
        Material::new("rubber", 3e6, 0.49, 1100.0, "test").unwrap()
    }

    #[test]
    fn section_of_a_rectangle_has_the_beam_formulae() {
        let (w, h) = (0.02, 0.004);
        let section = Section::from_shape(&Shape::Rectangle { width: w, height: h }, &rubber()).unwrap();
        let (i1, i2) = (w * h * h * h / 12.0, h * w * w * w / 12.0);
        assert!((section.stiffness.x / (3e6 * i1) - 1.0).abs() < 1e-12);
        assert!((section.stiffness.y / (3e6 * i2) - 1.0).abs() < 1e-12);
        // J = 0.2913 w h³ for sides 5 : 1, G = E / 2.98.
        assert!((section.stiffness.z / (3e6 / 2.98 * 0.2913 * w * h * h * h) - 1.0).abs() < 1e-3);
        assert!((section.mass_per_length / (1100.0 * w * h) - 1.0).abs() < 1e-12);
        let inertia = Vec3::new(i1, i2, i1 + i2) * 1100.0;
        assert!((section.rotary_inertia - inertia).norm() < 1e-12 * inertia.norm());
        assert_eq!(section.contact_radius, 0.5 * w.hypot(h));
        assert_eq!(section.source, StiffnessSource::Estimate);
    }

    #[test]
    fn measured_section_keeps_what_was_measured() {
        let section = Section::measured(0.02, 0.03, 0.015, 0.1, 0.005).unwrap();
        assert_eq!(section.stiffness, Vec3::new(0.02, 0.03, 0.015));
        assert_eq!(section.source, StiffnessSource::Measured);
        assert_eq!((section.mass_per_length, section.contact_radius), (0.1, 0.005));
        // A disc: m r²/4 about a diameter, m r²/2 about the axis.
        assert!((section.rotary_inertia.x / (0.1 * 0.005f64.powi(2) / 4.0) - 1.0).abs() < 1e-12);
        assert!((section.rotary_inertia.z / (0.1 * 0.005f64.powi(2) / 2.0) - 1.0).abs() < 1e-12);
        assert!(Section::measured(0.02, 0.03, 0.015, 0.0, 0.005).is_ok(), "weightless rods are wanted");
    }

    #[test]
    fn each_bad_measurement_is_named() {
        let good = [0.02, 0.03, 0.015, 0.1, 0.005];
        let names = ["K1", "K2", "K3", "mass per length", "contact radius"];
        for (k, name) in names.into_iter().enumerate() {
            for bad in [-1.0, f64::NAN, f64::INFINITY] {
                let mut v = good;
                v[k] = bad;
                let error = Section::measured(v[0], v[1], v[2], v[3], v[4]).unwrap_err().to_string();
                assert!(
                    error.contains(name) && error.contains("expected") && error.contains("give"),
                    "{error}"
                );
            }
        }
        assert!(Section::measured(0.0, 0.02, 0.02, 0.1, 0.005).is_err());
        assert!(Section::measured(0.02, 0.02, 0.02, 0.1, 0.0).is_err());
    }

    #[test]
    fn bad_shapes_and_materials_do_not_become_sections() {
        let disc = Shape::Disc { radius: 0.004 };
        assert!(Section::from_shape(&Shape::Disc { radius: 0.0 }, &rubber()).is_err());
        assert!(Section::from_shape(&disc, &Material { poisson: 0.6, ..rubber() }).is_err());
        assert!(Section::from_shape(&disc, &Material { youngs_modulus: 0.0, ..rubber() }).is_err());
        assert!(Section::from_shape(&disc, &Material { density: -1.0, ..rubber() }).is_err());
        // Finite sizes whose fourth power is not: refused, not infinite or zero.
        assert!(Section::from_shape(&Shape::Disc { radius: 1e100 }, &rubber()).is_err());
        assert!(Section::from_shape(&Shape::Disc { radius: 1e-100 }, &rubber()).is_err());
    }

    #[test]
    fn limits_are_checked_and_inner_radii_become_centre_radii() {
        let section = Section::measured(0.02, 0.02, 0.02, 0.1, 0.005).unwrap();
        for bad in [0.0, -0.1, f64::NAN] {
            let all = [
                Limits { bend_static: Some(BendLimit::centre(bad)), ..Limits::default() },
                Limits { bend_dynamic: Some(BendLimit::inner(bad)), ..Limits::default() },
                Limits { tension: Some(bad), ..Limits::default() },
                Limits { twist: Some(bad), ..Limits::default() },
                Limits { strain: Some(bad), ..Limits::default() },
            ];
            for limits in all {
                let error = section.with_limits(limits).unwrap_err().to_string();
                assert!(error.contains("leave the limit out"), "{error}");
            }
        }
        let limits = Limits { bend_static: Some(BendLimit::inner(0.05)), ..Limits::default() };
        assert_eq!(section.with_limits(limits).unwrap().limits, limits);
        assert_eq!(BendLimit::inner(0.05).centre_radius(0.005), 0.055);
        assert_eq!(BendLimit::centre(0.05).centre_radius(0.005), 0.05);
    }
}
