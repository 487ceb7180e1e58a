//! Rods that rest on smooth obstacles, solved from shapes that touch nothing: what presses where is found by the engine.
//!
//! Contact forces are compared as resultants: `reference/TOLERANCES.md`, and `README.md` beside it on how.

pub(super) mod cylinder;
pub(super) mod floor;
pub(super) mod liftoff;
pub(super) mod ply;
mod rest;
pub(super) mod tube;
pub(super) mod walls;

/// Every rod model.
const EVERY: [&str; 5] = ["mixed", "nodal", "helix", "clothoid", "spline"];
/// Chains alone: with elements these are not run yet.
const CHAINS: [&str; 2] = ["mixed", "nodal"];
