//! `cargo xtask layers`: the rules that keep the house in order.
//!
//! - [`modules`]: inside the engine no lower folder uses a higher one;
//! - [`packages`]: the same between the packages of the workspace;
//! - [`map`]: ARCHITECTURE.md lists the folders that exist, and only those;
//! - [`notes`]: every source folder says what it is for;
//! - [`size`]: no file grows past what one can read.

mod map;
mod modules;
mod notes;
mod packages;
mod size;
mod tokens;

use crate::finding::Finding;
use crate::tree::Tree;

/// Everything the layering rules object to, ordered by place.
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let checks: [fn(&Tree) -> Vec<Finding>; 5] =
        [modules::findings, packages::findings, map::findings, notes::findings, size::findings];
    let mut findings: Vec<Finding> = checks.iter().flat_map(|check| check(tree)).collect();
    findings.sort();
    findings.dedup();
    findings
}
