//! Curves and frames along curves: first guesses for a cable between two ends, paths to slide along.

pub mod lay;
pub mod path;
