//! What can be wrong with the input of a picture.

use thiserror::Error;

/// Why a picture could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlotError {
    /// A number is NaN or infinite.
    #[error("{what}[{index}] is {value}; a finite number is needed: fix the data before plotting it")]
    NotFinite {
        /// The list the number is in.
        what: String,
        /// Its place in the list.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A number is so large that a picture in double precision has no meaning.
    #[error("{what}[{index}] is {value:e}; at most {limit:e} in magnitude can be drawn: check the units")]
    TooLarge {
        /// The list the number is in.
        what: String,
        /// Its place in the list.
        index: usize,
        /// The number.
        value: f64,
        /// The largest magnitude accepted.
        limit: f64,
    },
    /// A number has the wrong sign or is zero where it must not be.
    #[error("{what}[{index}] is {value}; {expected} is needed")]
    OutOfRange {
        /// The list the number is in.
        what: String,
        /// Its place in the list.
        index: usize,
        /// The number.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A list is shorter than a picture needs.
    #[error("{what} has {found} entries; at least {needed} are needed")]
    TooFew {
        /// The list.
        what: String,
        /// Entries found.
        found: usize,
        /// Entries needed.
        needed: usize,
    },
    /// Two lists that belong together have different lengths.
    #[error("{what} has {found} entries, but {expected} are needed to match {other}")]
    Mismatch {
        /// The list with the wrong length.
        what: String,
        /// Its length.
        found: usize,
        /// The length of the other list.
        expected: usize,
        /// The list it must match.
        other: &'static str,
    },
    /// A tube has values to be coloured, but nothing says how.
    #[error("{0} is painted by values, but the subject has no colour scale: set one")]
    NoScale(String),
    /// Colours by the share of limits were asked for, but there are no limits.
    #[error("'{0}' has no limits and so no utilisation: give limits or colour by another quantity")]
    NoLimits(String),
    /// The picture is too small to hold anything or too large to make.
    #[error("a picture of {width} x {height} px cannot be made; each side must be {least} to {most} px")]
    Size {
        /// Asked width, px.
        width: f64,
        /// Asked height, px.
        height: f64,
        /// Smallest side, px.
        least: f64,
        /// Largest side, px.
        most: f64,
    },
    /// The PNG encoder refused.
    #[error("the PNG could not be encoded: {0}")]
    Encode(String),
}

/// Largest coordinate in metres: far beyond any cable, well inside what double precision can project.
pub(crate) const LARGEST_COORDINATE: f64 = 1e9;
/// Largest value on a chart.
pub(crate) const LARGEST_VALUE: f64 = 1e60;

/// Checks that `value` is finite and at most `limit` in magnitude.
pub(crate) fn check(what: &str, index: usize, value: f64, limit: f64) -> Result<(), PlotError> {
    if !value.is_finite() {
        return Err(PlotError::NotFinite { what: what.into(), index, value });
    }
    if value.abs() > limit {
        return Err(PlotError::TooLarge { what: what.into(), index, value, limit });
    }
    Ok(())
}

/// Checks that `found` entries match the `expected` ones of `other`.
pub(crate) fn check_length(
    what: &str,
    found: usize,
    expected: usize,
    other: &'static str,
) -> Result<(), PlotError> {
    if found == expected {
        Ok(())
    } else {
        Err(PlotError::Mismatch { what: what.into(), found, expected, other })
    }
}

/// Checks that a list has at least `needed` entries.
pub(crate) fn check_count(what: &str, found: usize, needed: usize) -> Result<(), PlotError> {
    if found >= needed { Ok(()) } else { Err(PlotError::TooFew { what: what.into(), found, needed }) }
}
