//! Curves and frames along curves: those a Darboux vector gives, first guesses for a cable between two ends, paths to
//! slide along.

pub mod darboux;
pub mod lay;
pub mod path;
