//! Curves and frames along curves: first guesses for a cable between two ends.

pub mod lay;
