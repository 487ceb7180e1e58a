//! MJCF, the model file of MuJoCo, in (`read.rs`) and out: cables as plain chains of bodies with three hinges a joint, which every version loads.
//!
//! A cable of n segments is n + 1 bodies, the first and the last half as long, so that every joint stands in the middle of a
//! segment and for all of it: twist GJ/l about its own z, bends K1/l and K2/l about x and y, `springref` from the rest strain.
//! That is of second order in l for clamped, pinned and free ends alike. Three hinges in a row are Euler angles, whose order
//! shows in first order where bend and twist go together: it is turned round from joint to joint, which cancels that.
//! What cables are joined to are bodies too; a loop is closed by an equality between two sites. Dead and follower loads are motors
//! with `ctrl` 1 in the keyframe, which is the equilibrium that was solved.

mod chain;
mod model;
mod read;
mod solid;
#[cfg(test)]
mod tests;
mod text;

pub use model::{Assembly, Cable, Solid, Written};
pub use read::{CableIn, First, Last, Model, is_mjcf, read};

/// Why a scene has no chain of hinges.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MjcfError {
    /// Something that MuJoCo has nothing for.
    #[error(
        "{what} has no counterpart in a chain of hinges: nothing is written; take it out of the scene first"
    )]
    Foreign {
        /// What it is.
        what: String,
    },
    /// A joint turns too far for its angles to be told apart.
    #[error(
        "cable '{cable}' turns by {angle:.2} rad between two bodies: at most 1.2 can be told from its angles; \
         ask for more bodies, with --segments"
    )]
    Coarse {
        /// The cable.
        cable: String,
        /// The angle.
        angle: f64,
    },
    /// Too deep.
    #[error(
        "{depth} bodies would hang on each other: MuJoCo reads no file with more than {deepest}; ask for fewer, with --segments"
    )]
    Deep {
        /// How many.
        depth: usize,
        /// How many there may be.
        deepest: usize,
    },
    /// Too large.
    #[error(
        "{count} bodies are more than {most}, which is what MuJoCo is asked to hold; ask for fewer, with --segments"
    )]
    Many {
        /// How many.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}

/// Bodies that may be in each other: MuJoCo reads no XML that is deeper than 500 elements.
const DEEPEST: usize = 480;
/// Bodies that a file may have.
const MOST_BODIES: usize = 20_000;
