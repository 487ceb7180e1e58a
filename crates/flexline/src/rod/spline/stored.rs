//! A spline rod in a file: its numbers, so that it is read back to the last bit. What follows from its knots is found
//! anew.

use super::basis::Knots;
use super::{CurvatureError, MAX_ELEMENTS, PARTS, POINTS, Point, SplineRod, rule};
use crate::algebra::Vec3;
use crate::rod::Rod;
use crate::rod::curvature::MIN_ELEMENTS;
use crate::rod::stored::{Kind, StoredRodError, arcs, components, count, each};
use crate::section::SectionProfile;
use serde::{Deserialize, Serialize};

/// What is written of a spline rod; its fields are those of [`SplineRod`], those of its points as lists.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    length: f64,
    /// Ends of elements as shares, from 0 to 1.
    ends: Vec<f64>,
    /// Whether the curve may bend at once where an element ends, but for the last.
    sharp: Vec<bool>,
    stiffness: Vec<Vec3>,
    rest: Vec<Vec3>,
    mass: Vec<f64>,
    rotary: Vec<Vec3>,
    natural: Vec<f64>,
    section: SectionProfile,
    section_length: f64,
    arcs: Vec<f64>,
}

impl From<SplineRod> for Stored {
    fn from(rod: SplineRod) -> Self {
        let first = &rod.knots.first;
        Self {
            length: rod.length,
            sharp: (1..first.len()).map(|e| first[e] > first[e - 1] + 1).collect(),
            stiffness: rod.points.iter().map(|p| p.stiffness).collect(),
            rest: rod.points.iter().map(|p| p.rest).collect(),
            mass: rod.points.iter().map(|p| p.mass).collect(),
            rotary: rod.points.iter().map(|p| p.rotary).collect(),
            ends: rod.knots.ends,
            natural: rod.natural,
            section: rod.section,
            section_length: rod.section_length,
            arcs: rod.arcs,
        }
    }
}

impl TryFrom<Stored> for SplineRod {
    type Error = StoredRodError;

    fn try_from(stored: Stored) -> Result<Self, StoredRodError> {
        let Stored {
            length,
            ends,
            sharp,
            stiffness,
            rest,
            mass,
            rotary,
            natural,
            section,
            section_length,
            arcs: drawn,
        } = stored;
        let n = ends.len().saturating_sub(1);
        if !(MIN_ELEMENTS..=MAX_ELEMENTS).contains(&n) {
            return Err(CurvatureError::SplineElements(n).into());
        }
        for length in [length, section_length] {
            if !(length.is_finite() && length > 0.0) {
                return Err(CurvatureError::Length(length).into());
            }
        }
        section.check_length(section_length)?;
        arcs(&ends, 1.0, n + 1)?;
        count("sharp ends of elements", sharp.len(), n - 1)?;
        for (what, found) in [
            ("stiffnesses", stiffness.len()),
            ("strains at rest", rest.len()),
            ("masses", mass.len()),
            ("rotary inertias", rotary.len()),
        ] {
            count(what, found, POINTS * n)?;
        }
        each("the stiffness", Kind::Positive, components(&stiffness))?;
        each("the strain at rest", Kind::Finite, components(&rest))?;
        each("the mass", Kind::NotNegative, mass.iter().copied())?;
        each("the rotary inertia", Kind::NotNegative, components(&rotary))?;
        arcs(&drawn, length, PARTS * n + 1)?;
        let knots = Knots::new(&ends, &|e| sharp[e - 1]);
        let mut points = Vec::with_capacity(POINTS * n);
        for e in 0..n {
            for (xi, w) in rule() {
                let k = points.len();
                points.push(Point {
                    xi,
                    weight: w * knots.share(e),
                    values: knots.at(e, xi),
                    stiffness: stiffness[k],
                    rest: rest[k],
                    mass: mass[k],
                    rotary: rotary[k],
                });
            }
        }
        let joints = (0..n).map(|e| [knots.at(e, 0.0).slope, knots.at(e, 1.0).slope]).collect();
        let rod = Self { length, knots, points, joints, section, section_length, natural, arcs: drawn };
        count("coordinates of the natural shape", rod.natural.len(), rod.coordinate_count())?;
        each("a coordinate of the natural shape", Kind::Finite, rod.natural.iter().copied())?;
        // A curve that does not move on has no tangent.
        let slopes = (0..=n).map(|e| rod.joint_slope(&rod.natural, e).norm());
        each("the slope of the natural shape where an element begins", Kind::Positive, slopes)?;
        Ok(rod)
    }
}
