//! Sessions and desks: commands, journals, hands.

mod command_fuzz;
mod commands;
mod commands_format;
mod commands_sliding;
mod common;
mod derivatives;
mod desk;
mod journal_fuzz;
mod models;
mod obstacles;
mod poles;
#[path = "../../../flexline-scene/tests/scene/common/mod.rs"]
mod scenes;
mod session;
mod short;
mod winding;
mod words;
