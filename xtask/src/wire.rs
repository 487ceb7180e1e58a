//! `cargo xtask wire`: whether page and `PROTOCOL.md` have the types of the server; with `--write` the page gets them.
//!
//! The types are declared in TypeScript only where the feature `typescript` asks for it: nothing else is built with it.

use std::path::Path;
use std::process::Command;

/// The comparison, as arguments of cargo.
pub const TEST: [&str; 8] =
    ["test", "--locked", "-p", "flexline-server", "--features", "typescript", "--test", "wire"];

/// What the step `clippy` does not see.
pub const CLIPPY: [&str; 11] = [
    "clippy",
    "--locked",
    "-p",
    "flexline-server",
    "--features",
    "typescript",
    "--test",
    "wire",
    "--",
    "-D",
    "warnings",
];

/// Compares, or writes `web/src/protocol.ts` anew.
pub fn run(root: &Path, write: bool) -> Result<(), String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(TEST).current_dir(root);
    if write {
        // What is told about the page is compared by the next run without it.
        command.arg("the_page_has_the_types_of_the_server").env("FLEXLINE_WIRE", "write");
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`cargo {}` ended with {status}", TEST.join(" "))),
        Err(error) => Err(format!("cargo could not be started: {error}")),
    }
}
