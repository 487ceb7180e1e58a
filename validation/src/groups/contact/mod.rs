//! Rods that rest on obstacles, smooth or rough, solved from shapes that touch nothing: what presses where is found by the engine.
//!
//! Contact forces are compared as resultants: `reference/TOLERANCES.md`, and `README.md` beside it on how.

pub(super) mod capstan;
pub(super) mod cylinder;
pub(super) mod floor;
pub(super) mod liftoff;
pub(super) mod ply;
mod rest;
pub(super) mod sideways;
pub(super) mod tip;
pub(super) mod tube;
pub(super) mod walls;

/// Every rod model.
const EVERY: [&str; 5] = ["mixed", "nodal", "helix", "clothoid", "spline"];
/// Chains alone: with elements these are not run yet.
const CHAINS: [&str; 2] = ["mixed", "nodal"];
/// Added to the places of cases that take minutes, so that quick runs, which take every fifth, leave out the first.
const NOT_QUICK: usize = 1;
