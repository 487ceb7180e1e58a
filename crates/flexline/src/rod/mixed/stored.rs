//! A mixed rod in a file: all its numbers, so that it is read back to the last bit.

use super::{Mesh, MixedRod, Strain};
use crate::algebra::Vec3;
use crate::rod::stored::{Kind, StoredRodError, components, count, each};
use serde::{Deserialize, Serialize};

/// What is written of a mixed rod; its fields are those of [`MixedRod`].
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    strain: Strain,
    mesh: Mesh,
    lengths: Vec<f64>,
    duals: Vec<f64>,
    stiffness: Vec<Vec3>,
    spring: Vec<Vec3>,
    rest: Vec<Vec3>,
    mass: Vec<f64>,
    coupling: Vec<f64>,
    radius: Vec<f64>,
    rotary: Vec<Vec3>,
}

impl From<MixedRod> for Stored {
    fn from(rod: MixedRod) -> Self {
        let MixedRod {
            mesh,
            strain,
            lengths,
            duals,
            stiffness,
            spring,
            rest,
            mass,
            coupling,
            radius,
            rotary,
            ..
        } = rod;
        Self { strain, mesh, lengths, duals, stiffness, spring, rest, mass, coupling, radius, rotary }
    }
}

impl TryFrom<Stored> for MixedRod {
    type Error = StoredRodError;

    fn try_from(stored: Stored) -> Result<Self, StoredRodError> {
        let Stored { strain, mesh, lengths, duals, stiffness, spring, rest, mass, coupling, radius, rotary } =
            stored;
        let n = mesh.segments();
        count("lengths of segments", lengths.len(), n)?;
        count("masses between nodes", coupling.len(), n)?;
        count("rotary inertias", rotary.len(), n + 2)?;
        for (what, found) in [
            ("lengths of vertices", duals.len()),
            ("stiffnesses", stiffness.len()),
            ("springs", spring.len()),
            ("bends at rest", rest.len()),
            ("masses", mass.len()),
            ("radii", radius.len()),
        ] {
            count(what, found, n + 1)?;
        }
        each("the length of a segment", Kind::Positive, lengths.iter().copied())?;
        each("the length of a vertex", Kind::Positive, duals.iter().copied())?;
        each("the stiffness", Kind::Positive, components(&stiffness))?;
        each("the spring", Kind::Positive, components(&spring))?;
        each("the bend at rest", Kind::Finite, components(&rest))?;
        each("the mass", Kind::NotNegative, mass.iter().copied())?;
        each("the mass between nodes", Kind::NotNegative, coupling.iter().copied())?;
        each("the radius", Kind::NotNegative, radius.iter().copied())?;
        each("the rotary inertia", Kind::NotNegative, components(&rotary))?;
        let nodes = mesh.nodes();
        let apart = |i: &usize| (lengths[*i] - (nodes[i + 1] - nodes[*i])).abs() > 1e-9 * mesh.length();
        if let Some(index) = (0..n).find(apart) {
            let expected = "the distance of its nodes in the mesh";
            let (what, value) = ("the length of a segment", lengths[index]);
            return Err(StoredRodError::Number { what, index, value, expected });
        }
        Ok(Self {
            mesh,
            strain,
            lengths,
            duals,
            stiffness,
            spring,
            rest,
            mass,
            coupling,
            radius,
            rotary,
            flaw: None,
        })
    }
}
