//! The real `flexline` command: exit codes and both streams.

mod bad_input;
mod bench;
mod check;
mod command_line;
mod convergence;
mod drag;
mod edit;
mod experiment;
mod guide;
mod harness;
mod materials;
mod models;
mod picture;
mod plot;
mod problem;
mod reserve;
mod resume;
mod run;
mod simulate;
mod simulate_bad;
mod snapshots;
mod solve;
mod stress;
mod studio;
mod support;
mod validate;
