//! Flexline: statics of slender flexible parts — cables, hoses, wire harnesses.
//!
//! SI units throughout; right-handed world, z up. Quaternions are Hamilton, unit, and map
//! material components to world components. The third director d3 is the tangent.
//!
//! The folders are layers: `algebra` ← `geometry` ← `section` ← `body` ← `rod` ← `joint` ← `constraint` ← `contact` ←
//! `solver` ← `inverse`. A lower one never uses a higher one (`cargo xtask layers` checks).
//!
//! Programs begin with [`prelude`]; `examples/` has a cable, a harness, a pulley, a motion and a batch.

pub mod algebra;
mod body;
mod constraint;
pub mod contact;
pub mod geometry;
pub mod inverse;
mod joint;
pub mod prelude;
pub mod rod;
pub mod section;
pub mod solver;

pub use algebra::{Mat3, Quat, Vec3};

/// The example of the project's README, kept true by running it.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
