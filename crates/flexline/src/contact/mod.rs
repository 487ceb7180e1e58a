//! The geometry under contact: what a rod may touch, where it does, and how far it may move.
//!
//! A rod is the polyline of its axis with a radius; it touches where the distance from the axis to a surface equals
//! that radius. An [`Obstacle`] tells, segment by segment, the local minima of that distance ([`Obstacle::touches`]), and
//! what one of them becomes as the axis moves ([`Obstacle::follow`]). Shapes that move touch others with their corners and edges
//! ([`Shape::solid`]). [`segment_pair`] tells where
//! two rods are nearest, and [`PairSearch`] which segments to ask. How far a step may go without passing through anything
//! is said by [`Obstacle::first_hit`] and [`segments_hit`]. Forces, friction and when a touch counts are the solver's.

mod feature;
mod gate;
pub mod mesh;
mod nearest;
mod obstacle;
mod pair;
mod pairs;
mod polyhedron;
mod primitive;
pub mod sample;
mod segment;
mod solid;
mod touch;

#[cfg(test)]
mod tests;

pub use gate::segments_hit;
pub use mesh::{Mesh, MeshError, MeshHealth};
pub use obstacle::{Obstacle, ObstacleError, Shape};
pub use pair::{PairHessian, SegmentPair, segment_pair, segment_pair_at};
pub use pairs::{MovingRod, PairSearch, SegmentOf};
pub use solid::Solid;
pub use touch::Touch;
