//! Sweeps, searches and studies as their users call them.

mod design;
mod find;
mod identify;
mod poses;
mod quantity;
mod range;
mod statistics;
mod studies;
mod support;
mod sweep;
mod swept;
