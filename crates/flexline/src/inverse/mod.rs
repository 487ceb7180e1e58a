//! Inverse problems: from a shape to the part that has it.

mod rest;

pub use rest::{InverseError, NaturalRod, natural_rod};
