//! What tests share.

pub mod journals;
pub mod session;
