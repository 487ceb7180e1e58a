//! Scene files: what is read, compiled, solved, and what is said of mistakes.

mod accuracy;
mod bad_files;
mod bad_harness;
mod bad_scenes;
mod bad_values;
mod beads;
mod budget;
mod bundles;
mod check;
mod common;
mod compile;
mod eyes;
mod format;
mod fuzz;
mod growth;
mod hard_equilibria;
mod harness;
mod harness_scenes;
mod models;
mod motion;
mod obstacles;
mod parts;
mod poles;
mod scenes;
mod winding;
mod words;
