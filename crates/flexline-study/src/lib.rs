//! One scene over many values: sweeps through poses, motions and ranges with the rules of `check` at each ([`sweep`]), values
//! of a parameter at which a condition holds ([`find`]), and studies of what spreads
//! ([`study`]); and pictures of what was solved ([`picture`]).
//!
//! A [`Course`] says where things are at every moment of a way, and finds the equilibrium there from the one before, so that
//! a cable keeps its side and its turns. A [`Quantity`] is a number that a solution has, by the name that tables and files
//! have for it.

mod base;
mod course;
pub mod find;
pub mod picture;
mod poses;
mod quantity;
mod range;
pub mod study;
pub mod sweep;
mod swept;
mod worst;

pub use base::{Base, StudyError};
pub use course::Course;
pub use poses::Poses;
pub use quantity::{Quantity, names as quantity_names};
pub use range::Range;
pub use swept::{Node, Tubes, stl};
pub use worst::{Worst, Worsts};
