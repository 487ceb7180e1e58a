//! The geometry under contact: what a rod may touch, where it does, and how far it may move.
//!
//! A rod is the polyline of its axis with a radius; it touches where the distance from the axis to a surface equals
//! that radius. An [`Obstacle`] tells, segment by segment, the local minima of that distance ([`Obstacle::touches`]).
//! Forces, friction and when a touch counts are the solver's.

pub mod mesh;
mod obstacle;
mod polyhedron;
mod primitive;
mod touch;

#[cfg(test)]
mod tests;

pub use mesh::{Mesh, MeshError, MeshHealth};
pub use obstacle::{Obstacle, ObstacleError, Shape};
pub use touch::Touch;
