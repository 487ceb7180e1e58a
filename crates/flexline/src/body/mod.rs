//! What acts on bodies, whatever they are: seen from their *points*.
//!
//! A point is a place of a body: it has a position, a frame, and a length of rod that it stands for. What acts there —
//! poles, matter in motion, springs of hands — says with which force, which stiffness and which energy, and knows
//! nothing of coordinates. A body turns that into its own residual and matrix. So everything here is written once, for
//! chains, helices, clothoids and splines alike.

pub(crate) mod inertia;
pub(crate) mod matter;
pub mod pole;
pub(crate) mod taps;

pub(crate) use inertia::Inertia;
pub(crate) use matter::{MassPoint, Matter};
pub use pole::Pole;
pub(crate) use taps::{Tap, Taps};
