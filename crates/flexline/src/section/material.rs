//! Isotropic elastic materials and a table of handbook values.

use super::error::positive;
use super::{SectionError, same_name};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An isotropic elastic material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name, as scene files write it.
    pub name: Cow<'static, str>,
    /// Young's modulus E, Pa.
    pub youngs_modulus: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
    /// Density ρ, kg/m³.
    pub density: f64,
    /// Where the values come from.
    pub source: Cow<'static, str>,
}

impl Material {
    /// A material from its constants, checked.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        youngs_modulus: f64,
        poisson: f64,
        density: f64,
        source: impl Into<Cow<'static, str>>,
    ) -> Result<Self, SectionError> {
        let material = Self { name: name.into(), youngs_modulus, poisson, density, source: source.into() };
        material.validate()?;
        Ok(material)
    }

    /// Refuses constants that no isotropic material has.
    pub fn validate(&self) -> Result<(), SectionError> {
        positive(
            "Young's modulus",
            self.youngs_modulus,
            "Pa",
            "rubber has 1e6 to 1e7, plastics 1e7 to 4e9, metals 5e10 to 2e11",
        )?;
        positive(
            "the density",
            self.density,
            "kg/m³",
            "rubber and plastics have 900 to 1500, copper 8960, steel 7850",
        )?;
        if self.poisson > -1.0 && self.poisson <= 0.5 {
            return Ok(());
        }
        Err(SectionError::Poisson { value: self.poisson })
    }

    /// Shear modulus G = E / (2 (1 + ν)), Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.youngs_modulus / (2.0 * (1.0 + self.poisson))
    }
}

/// Young's modulus of a rubber, Pa, from its Shore A hardness, by the relation of A. N. Gent,
/// "On the relation between indentation hardness and Young's modulus", Trans. Inst. Rubber
/// Industry 34 (1958). A rule of thumb; refused outside 20 to 90 Shore A.
///
/// ```
/// use flexline::section::youngs_modulus_from_shore_a;
/// let e = youngs_modulus_from_shore_a(60.0)?;
/// assert!((e - 3.6e6).abs() < 0.05e6);
/// # Ok::<(), flexline::section::SectionError>(())
/// ```
pub fn youngs_modulus_from_shore_a(hardness: f64) -> Result<f64, SectionError> {
    if (20.0..=90.0).contains(&hardness) {
        return Ok(gent(hardness));
    }
    Err(SectionError::Hardness { value: hardness })
}

/// E = 0.0981 (56 + 7.62336 S) / (0.137505 (254 − 2.54 S)) MPa.
const fn gent(shore_a: f64) -> f64 {
    1e6 * 0.0981 * (56.0 + 7.623_36 * shore_a) / (0.137_505 * (254.0 - 2.54 * shore_a))
}

/// The handbook materials.
pub fn materials() -> &'static [Material] {
    &MATERIALS
}

/// The handbook material of that name; case does not matter, and spaces and underscores count as hyphens.
///
/// ```
/// use flexline::section::find_material;
/// let copper = find_material("Copper").ok_or("no copper")?;
/// assert!((copper.shear_modulus() - 44.8e9).abs() < 0.1e9);
/// # Ok::<(), &str>(())
/// ```
pub fn find_material(name: &str) -> Option<&'static Material> {
    MATERIALS.iter().find(|m| same_name(&m.name, name))
}

const fn handbook(
    name: &'static str,
    youngs_modulus: f64,
    poisson: f64,
    density: f64,
    source: &'static str,
) -> Material {
    Material { name: Cow::Borrowed(name), youngs_modulus, poisson, density, source: Cow::Borrowed(source) }
}

pub(super) const EPDM_60: Material = handbook(
    "epdm-60",
    gent(60.0),
    0.49,
    1150.0,
    "EPDM rubber of 60 Shore A; E by Gent's relation, density handbook 1100 to 1200",
);
pub(super) const EPDM_70: Material = handbook(
    "epdm-70",
    gent(70.0),
    0.49,
    1150.0,
    "EPDM rubber of 70 Shore A; E by Gent's relation, density handbook 1100 to 1200",
);
pub(super) const NBR_80: Material = handbook(
    "nbr-80",
    gent(80.0),
    0.49,
    1200.0,
    "nitrile rubber of 80 Shore A; E by Gent's relation, density handbook 1150 to 1300",
);
pub(super) const SILICONE_60: Material = handbook(
    "silicone-60",
    gent(60.0),
    0.49,
    1200.0,
    "silicone rubber of 60 Shore A; E by Gent's relation, density handbook 1150 to 1250",
);
pub(super) const PVC_SOFT: Material = handbook(
    "pvc-soft",
    20e6,
    0.4,
    1350.0,
    "plasticised PVC for cables; handbook, E 5 to 60 MPa with the plasticiser, density 1300 to 1400",
);
pub(super) const LSZH: Material = handbook(
    "lszh",
    120e6,
    0.4,
    1500.0,
    "halogen-free flame-retardant polyolefin for cable jackets; E an estimate (50 to 200 MPa), density \
     handbook",
);
pub(super) const PE_LD: Material =
    handbook("pe-ld", 200e6, 0.45, 920.0, "low-density polyethylene; handbook, E 0.1 to 0.3 GPa");
pub(super) const PE_HD: Material =
    handbook("pe-hd", 900e6, 0.42, 950.0, "high-density polyethylene; handbook, E 0.6 to 1.3 GPa");
pub(super) const PUR: Material = handbook(
    "pur",
    30e6,
    0.48,
    1200.0,
    "thermoplastic polyurethane of 85 to 90 Shore A; handbook, E 15 to 50 MPa",
);
pub(super) const PA12: Material = handbook(
    "pa12",
    450e6,
    0.4,
    1020.0,
    "plasticised polyamide 12 for tubing (PA 12-PHL); handbook, E 0.35 to 0.6 GPa",
);
pub(super) const PA6: Material = handbook(
    "pa6",
    1.0e9,
    0.4,
    1130.0,
    "polyamide 6 (nylon), conditioned at 50 % humidity; handbook, dry it has 2.8 GPa",
);
pub(super) const PP_SUTURE: Material = handbook(
    "pp-suture",
    4.03e9,
    0.42,
    905.0,
    "drawn polypropylene monofilament; E measured in tension by Nindhia et al., Int. J. Appl. Pharm. 13 \
     (2021)",
);
pub(super) const PET: Material =
    handbook("pet-film", 4.0e9, 0.38, 1390.0, "biaxially drawn polyester film; handbook, E 3.5 to 5 GPa");
pub(super) const COPPER: Material =
    handbook("copper", 120e9, 0.34, 8960.0, "annealed copper; handbook, E 110 to 128 GPa");
const ALUMINIUM: Material =
    handbook("aluminium", 69e9, 0.33, 2700.0, "pure aluminium for conductors; handbook");
pub(super) const STEEL: Material =
    handbook("steel", 200e9, 0.29, 7850.0, "drawn carbon-steel wire; handbook, E 190 to 210 GPa");
pub(super) const SILICA: Material =
    handbook("silica-glass", 72.5e9, 0.17, 2200.0, "fused silica, optical fibre; handbook");
pub(super) const KERATIN: Material = handbook(
    "keratin",
    3.89e9,
    0.4,
    1320.0,
    "human hair at 65 % humidity; E and density: Robbins, Chemical and Physical Behavior of Human Hair. \
     Hair is not isotropic: its measured shear modulus is 0.89 GPa, the value from ν is too high",
);

static MATERIALS: [Material; 18] = [
    EPDM_60,
    EPDM_70,
    NBR_80,
    SILICONE_60,
    PVC_SOFT,
    LSZH,
    PE_LD,
    PE_HD,
    PUR,
    PA12,
    PA6,
    PP_SUTURE,
    PET,
    COPPER,
    ALUMINIUM,
    STEEL,
    SILICA,
    KERATIN,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handbook_material_is_possible_and_named_once() {
        for (k, material) in materials().iter().enumerate() {
            material.validate().unwrap();
            assert!((1e6..3e11).contains(&material.youngs_modulus), "{}", material.name);
            assert!((800.0..10_000.0).contains(&material.density), "{}", material.name);
            assert!(!material.source.is_empty());
            assert!(materials()[k + 1..].iter().all(|m| !same_name(&m.name, &material.name)));
            assert_eq!(find_material(&material.name), Some(material));
        }
        assert_eq!(find_material("unobtainium"), None);
        assert_eq!(find_material("Silica Glass").map(|m| m.density), Some(2200.0));
    }

    #[test]
    fn gents_relation_gives_the_published_figures() {
        for (shore, megapascal) in [(55.0, 3.0), (60.0, 3.6), (70.0, 5.5)] {
            let e = youngs_modulus_from_shore_a(shore).unwrap() / 1e6;
            assert!((e - megapascal).abs() < 0.05, "{shore} Shore A: {e} MPa");
        }
        for bad in [0.0, 19.9, 90.1, 100.0, -5.0, f64::NAN] {
            let message = youngs_modulus_from_shore_a(bad).unwrap_err().to_string();
            assert!(message.contains("20 to 90") && message.contains("Young's modulus itself"), "{message}");
        }
    }

    #[test]
    fn impossible_constants_are_refused() {
        let with = |e, nu, rho| Material::new("test", e, nu, rho, "test");
        assert!(with(1e9, 0.5, 1000.0).is_ok());
        assert!(with(1e9, -0.99, 1000.0).is_ok());
        for nu in [0.500_001, -1.0, -1.2, f64::NAN, f64::INFINITY] {
            let error = with(1e9, nu, 1000.0).unwrap_err();
            assert!(matches!(error, SectionError::Poisson { .. }), "{nu}: {error}");
            assert!(error.to_string().contains("at most 0.5"), "{error}");
        }
        for value in [0.0, -1e9, f64::NAN, f64::INFINITY] {
            let error = with(value, 0.3, 1000.0).unwrap_err().to_string();
            assert!(error.contains("Young's modulus") && error.contains("above 0"), "{error}");
            let error = with(1e9, 0.3, value).unwrap_err().to_string();
            assert!(error.contains("the density") && error.contains("copper 8960"), "{error}");
        }
    }
}
