//! The engine as its users call it: rest, motion, contact, networks, every model.

mod changed_problem;
mod common;
mod constraints;
mod contact;
mod contact_motion;
mod curvature;
mod digest;
mod examples;
mod friction;
mod friction_holds;
mod friction_motion;
mod hard_equilibria;
mod inverse;
mod motion;
mod motion_energy;
mod network;
mod pairs;
mod pairs_friction;
mod pairs_motion;
mod parts;
mod refused;
mod short;
mod sliding;
mod sliding_friction;
mod sliding_motion;
mod spline;
mod spline_motion;
mod statics;
#[path = "../../src/algebra/tolerance.rs"]
mod tolerance;
mod turns;
