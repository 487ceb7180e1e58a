//! Rods read back from a file: what every model checks of the numbers it was made of.

use super::curvature::CurvatureError;
use super::mixed::MeshError;
use crate::algebra::Vec3;
use crate::section::SectionError;

/// Why numbers make no rod.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoredRodError {
    /// Too many or too few numbers.
    #[error("a rod with {found} {what}: expected {expected}; the file is damaged or was changed")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A number that cannot be.
    #[error("{what} of a rod, number {index} counted from 0, is {value}: expected {expected}")]
    Number {
        /// Of what.
        what: &'static str,
        /// Which one.
        index: usize,
        /// What it is.
        value: f64,
        /// What is expected.
        expected: &'static str,
    },
    /// Nodes that make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Elements that make no rod.
    #[error(transparent)]
    Elements(#[from] CurvatureError),
    /// Sections that no rod is made of.
    #[error(transparent)]
    Section(#[from] SectionError),
}

/// Refuses another number of things than expected.
pub(super) fn count(what: &'static str, found: usize, expected: usize) -> Result<(), StoredRodError> {
    if found == expected { Ok(()) } else { Err(StoredRodError::Count { what, found, expected }) }
}

/// What a number may be.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Finite,
    Positive,
    NotNegative,
}

/// Refuses the first number that is not of its kind.
pub(super) fn each(
    what: &'static str,
    kind: Kind,
    values: impl IntoIterator<Item = f64>,
) -> Result<(), StoredRodError> {
    let (good, expected): (fn(f64) -> bool, _) = match kind {
        Kind::Finite => (|_| true, "a finite number"),
        Kind::Positive => (|x| x > 0.0, "a finite number above 0"),
        Kind::NotNegative => (|x| x >= 0.0, "a finite number, 0 or more"),
    };
    match values.into_iter().enumerate().find(|(_, x)| !(x.is_finite() && good(*x))) {
        Some((index, value)) => Err(StoredRodError::Number { what, index, value, expected }),
        None => Ok(()),
    }
}

/// The components of vectors, one after the other.
pub(super) fn components(vectors: &[Vec3]) -> impl Iterator<Item = f64> + '_ {
    vectors.iter().flat_map(|v| [v.x, v.y, v.z])
}

/// Refuses arc lengths that do not go from 0 to `length`, each beyond the one before.
pub(super) fn arcs(own: &[f64], length: f64, expected: usize) -> Result<(), StoredRodError> {
    count("arc lengths", own.len(), expected)?;
    let wrong = |index: usize, expected| {
        Err(StoredRodError::Number { what: "arc length", index, value: own[index], expected })
    };
    if own[0] != 0.0 {
        return wrong(0, "0, the beginning of the rod");
    }
    if let Some(i) = (1..own.len()).find(|&i| own[i].is_nan() || own[i] <= own[i - 1]) {
        return wrong(i, "more than the one before it");
    }
    if (own[expected - 1] - length).abs() > 1e-9 * length {
        return wrong(expected - 1, "the length of the rod");
    }
    Ok(())
}
