//! The discrete problem, its state, and the solvers. `README.md` beside this file states the
//! mathematics.

pub mod budget;
pub mod cone;
pub mod motion;
pub mod network;
mod predict;
pub mod problem;
pub mod report;
pub mod saved;
mod settings;
mod stability;
mod start;
pub mod statics;
pub mod strands;
pub mod winding;

pub use crate::body::{Axes, DistributedLoad, End, PointLoad, Pole, Pose, Profile, Sample, Wrench};
pub use crate::rod::State;
pub use budget::{Budget, Cancel};
pub use problem::{Problem, ProblemError};
pub use report::{Stability, Status, Verdict};
