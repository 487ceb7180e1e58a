//! Formats that come from and go to other programs, and those of files that outlive a program, one folder each.
//!
//! Reading is strict and bounded: what is wrong is an error that names the place, and nothing is believed about sizes
//! before the bytes are there.

pub mod centreline;
pub mod curve;
pub mod drawing;
pub mod flexible;
mod gltf;
mod inventor;
pub mod mesh;
mod obj;
mod ply;
pub mod problem;
pub mod run;
mod stl;
