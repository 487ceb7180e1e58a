//! The studio's server.
