//! Formats that come from and go to other programs, and those of files that outlive a program, one folder each.
//!
//! Reading is strict and bounded: what is wrong is an error that names the place, and nothing is believed about sizes
//! before the bytes are there.

pub mod board;
pub mod centreline;
pub mod curve;
pub mod drawing;
pub mod flexible;
mod gltf;
mod inventor;
pub mod kbl;
pub mod mesh;
pub mod mjcf;
mod obj;
pub mod playback;
mod ply;
pub mod problem;
pub mod run;
mod stl;
mod urdf;
pub mod usd;
pub mod vtk;
mod xml;

pub use gltf::write_glb;
