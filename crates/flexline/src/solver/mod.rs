//! The discrete problem, its state, and the solvers. `README.md` beside this file states the
//! mathematics.

pub mod budget;
pub mod problem;
pub mod profile;
pub mod report;
pub mod statics;
pub mod strands;
pub mod winding;

pub use crate::body::Pole;
pub use budget::{Budget, Cancel};
pub use problem::{Axes, DistributedLoad, End, PointLoad, Pose, Problem, ProblemError, State};
pub use profile::{Profile, Sample};
pub use report::{Report, Stability, Status, Verdict};
