//! Curves and frames along curves: those a Darboux vector gives, first guesses for a cable between two ends, paths to
//! slide along, writhe.

pub mod darboux;
pub mod lay;
pub mod path;
pub mod writhe;
