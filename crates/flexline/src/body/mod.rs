//! What acts on bodies, whatever they are: seen from their *points*.
//!
//! A point is a place of a body: it has a position, a frame, and a length of rod that it stands for. What acts there —
//! poles, matter in motion, springs of hands — says with which force, which stiffness and which energy, and knows
//! nothing of coordinates. A body turns that into its own residual and matrix. So everything here is written once, for
//! chains, helices, clothoids and splines alike.

pub(crate) mod inertia;
pub(crate) mod load;
pub(crate) mod matter;
pub(crate) mod pole;
pub(crate) mod pose;
pub(crate) mod profile;
pub(crate) mod taps;
pub(crate) mod wrench;

pub(crate) use inertia::Inertia;
pub use load::{Axes, DistributedLoad, PointLoad};
pub(crate) use matter::{MassPoint, Matter};
pub use pole::Pole;
pub use pose::{End, Pose};
pub use profile::{Profile, Sample};
pub(crate) use taps::{Roll, Tap, Taps};
pub use wrench::Wrench;
