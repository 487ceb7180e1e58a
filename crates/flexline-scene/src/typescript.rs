//! What TypeScript calls vectors and quaternions of a message: for declarations alone.

use ts_rs::TS;

/// x, y, z.
#[derive(TS)]
pub struct Vector(pub [f64; 3]);

/// x, y, z, w: material to world.
#[derive(TS)]
pub struct Quaternion(pub [f64; 4]);
