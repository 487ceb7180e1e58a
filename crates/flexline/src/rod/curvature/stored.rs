//! A curvature rod in a file: its numbers, so that it is read back to the last bit. What follows from them without a
//! choice, such as where coordinates lie, is found anew.

use super::{Basis, CurvatureError, CurvatureRod, MAX_ELEMENTS, MIN_ELEMENTS, PARTS, Stiffness, coordinates};
use crate::algebra::Vec3;
use crate::rod::stored::{Kind, StoredRodError, arcs, components, count, each};
use crate::section::SectionProfile;
use serde::{Deserialize, Serialize};

/// What is written of a curvature rod; its fields are those of [`CurvatureRod`].
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    basis: Basis,
    length: f64,
    shares: Vec<f64>,
    /// Whether curvature may jump where an element begins.
    begins: Vec<bool>,
    /// ∫ K φ_a φ_b dσ of every element for (0,0), (0,1), (1,1).
    stiffness: Vec<[Vec3; 3]>,
    rest: Vec<Vec3>,
    left: Vec3,
    rest_missed: Vec<f64>,
    section: SectionProfile,
    section_length: f64,
    arcs: Vec<f64>,
}

impl From<CurvatureRod> for Stored {
    fn from(rod: CurvatureRod) -> Self {
        Self {
            basis: rod.basis,
            length: rod.length,
            shares: rod.shares,
            begins: rod.begins,
            stiffness: rod.stiffness.iter().map(|own| own.a).collect(),
            rest: rod.rest,
            left: rod.left,
            rest_missed: rod.rest_missed,
            section: rod.section,
            section_length: rod.section_length,
            arcs: rod.arcs,
        }
    }
}

impl TryFrom<Stored> for CurvatureRod {
    type Error = StoredRodError;

    fn try_from(stored: Stored) -> Result<Self, StoredRodError> {
        let Stored {
            basis,
            length,
            shares,
            begins,
            stiffness,
            rest,
            left,
            rest_missed,
            section,
            section_length,
            arcs: drawn,
        } = stored;
        let n = shares.len();
        if !(MIN_ELEMENTS..=MAX_ELEMENTS).contains(&n) {
            return Err(CurvatureError::Elements(n).into());
        }
        for length in [length, section_length] {
            if !(length.is_finite() && length > 0.0) {
                return Err(CurvatureError::Length(length).into());
            }
        }
        section.check_length(section_length)?;
        each("the share of an element", Kind::Positive, shares.iter().copied())?;
        let whole: f64 = shares.iter().sum();
        if (whole - 1.0).abs() > 1e-9 {
            let (what, index, expected) = ("the sum of the shares of elements", 0, "1");
            return Err(StoredRodError::Number { what, index, value: whole, expected });
        }
        count("jumps", begins.len(), n)?;
        let clothoid = basis == Basis::Clothoid;
        if begins[0] != clothoid || (!clothoid && begins.contains(&true)) {
            let found = begins.iter().filter(|own| **own).count();
            return Err(StoredRodError::Count {
                what: "jumps (a clothoid begins with one, a helix has none)",
                found,
                expected: usize::from(clothoid),
            });
        }
        count("stiffnesses", stiffness.len(), n)?;
        for own in &stiffness {
            each("the stiffness of an element", Kind::Finite, components(own))?;
            each("the last stiffness of an element", Kind::Positive, components(&own[2..]))?;
            if clothoid {
                let determinants = own[0].component_mul(&own[2]) - own[1].component_mul(&own[1]);
                each(
                    "the determinant of the stiffness of an element",
                    Kind::Positive,
                    components(&[own[0], determinants]),
                )?;
            }
        }
        let (first, owner) = coordinates(&begins, clothoid);
        count("curvatures at rest", rest.len(), owner.len())?;
        for (index, u) in rest.iter().enumerate() {
            let turning = u.norm() * section_length;
            if turning.is_nan() || turning > 1e6 {
                let (what, expected) = ("the turning at rest", "at most 1e6 rad over the rod");
                return Err(StoredRodError::Number { what, index, value: turning, expected });
            }
        }
        each("the energy left at rest", Kind::NotNegative, components(&[left]))?;
        count("curvatures missed at rest", rest_missed.len(), n)?;
        each("the curvature missed at rest", Kind::NotNegative, rest_missed.iter().copied())?;
        arcs(&drawn, length, PARTS * n + 1)?;
        let mut rod = Self {
            basis,
            // Its matter was laid out before it slid.
            length: section_length,
            shares,
            stiffness: stiffness.iter().map(|a| Stiffness { a: *a, rest: [Vec3::zeros(); 2] }).collect(),
            first,
            begins,
            owner,
            left,
            rest,
            rest_missed,
            section,
            section_length,
            pieces: Vec::new(),
            matter: Vec::new(),
            arcs: drawn,
        };
        rod.take_rest();
        rod.lay_out_matter();
        rod.length = length;
        Ok(rod)
    }
}
