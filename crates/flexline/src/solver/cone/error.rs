//! What is refused before a solve.

use super::{ConeMethod, ConeProblem, ConeSettings, Delassus};
use thiserror::Error;

/// Largest difference of W from its transpose, relative to its largest entry: what summing in another order leaves.
const ASYMMETRY: f64 = 1e-8;

/// Why a problem is refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConeError {
    /// Sizes that do not belong together.
    #[error("{what} is for {found} contacts, the free motion for {contacts}: give one block per contact")]
    Size {
        /// Which.
        what: &'static str,
        /// Its contacts.
        found: usize,
        /// Those of the free motion.
        contacts: usize,
    },
    /// A number that is none.
    #[error("{what} of contact {contact} is {value}: a finite number is needed")]
    NotFinite {
        /// Which.
        what: &'static str,
        /// Contact, from 0.
        contact: usize,
        /// The number.
        value: f64,
    },
    /// Friction below zero.
    #[error("friction of contact {contact} is {value}: it must be zero or more")]
    NegativeFriction {
        /// Contact, from 0.
        contact: usize,
        /// µ.
        value: f64,
    },
    /// W is not symmetric.
    #[error(
        "W differs from its transpose by {difference:e} between contacts {row} and {column}: make it symmetric"
    )]
    Asymmetric {
        /// Contact of the row, from 0.
        row: usize,
        /// Contact of the column.
        column: usize,
        /// Largest difference of an entry.
        difference: f64,
    },
    /// A tolerance that cannot be met or means nothing.
    #[error("the tolerance is {0}: a number above 0 and below 1 is needed")]
    Tolerance(f64),
    /// A pyramid that encloses nothing.
    #[error("a pyramid of {0} facets encloses nothing: give three or more")]
    Facets(usize),
}

/// Refuses what is not finite, not symmetric, or does not fit together.
pub(super) fn check(problem: &ConeProblem, settings: &ConeSettings) -> Result<(), ConeError> {
    let contacts = problem.free.len();
    for (what, found) in [("W", problem.delassus.contacts()), ("friction", problem.friction.len())] {
        if found != contacts {
            return Err(ConeError::Size { what, found, contacts });
        }
    }
    if !(settings.tolerance > 0.0 && settings.tolerance < 1.0) {
        return Err(ConeError::Tolerance(settings.tolerance));
    }
    if let ConeMethod::Pyramid(facets @ 0..3) = settings.method {
        return Err(ConeError::Facets(facets));
    }
    for (contact, (q, &mu)) in problem.free.iter().zip(problem.friction).enumerate() {
        if let Some(&value) = q.iter().find(|c| !c.is_finite()) {
            return Err(ConeError::NotFinite { what: "free motion", contact, value });
        }
        if !mu.is_finite() {
            return Err(ConeError::NotFinite { what: "friction", contact, value: mu });
        }
        if mu < 0.0 {
            return Err(ConeError::NegativeFriction { contact, value: mu });
        }
    }
    if let Delassus::Dense(w) = problem.delassus
        && (w.nrows() != 3 * contacts || w.ncols() != 3 * contacts)
    {
        return Err(ConeError::Size { what: "W", found: w.nrows().max(w.ncols()).div_ceil(3), contacts });
    }
    symmetric(problem)
}

fn symmetric(problem: &ConeProblem) -> Result<(), ConeError> {
    let mut largest = 0.0_f64;
    let mut worst: Option<(usize, usize, f64)> = None;
    let mut wrong = None;
    for row in 0..problem.free.len() {
        problem.delassus.each_in_row(row, |column, block| {
            if let Some(&value) = block.iter().find(|c| !c.is_finite()) {
                wrong.get_or_insert(ConeError::NotFinite { what: "W", contact: row, value });
                return;
            }
            largest = largest.max(block.amax());
            // A block without a partner differs from zero.
            let partner = problem.delassus.block(column, row);
            let difference = (block - partner.transpose()).amax();
            if worst.is_none_or(|(_, _, w)| difference > w) {
                worst = Some((row, column, difference));
            }
        });
    }
    if let Some(error) = wrong {
        return Err(error);
    }
    match worst {
        Some((row, column, difference)) if difference > ASYMMETRY * largest => {
            Err(ConeError::Asymmetric { row, column, difference })
        }
        _ => Ok(()),
    }
}
