//! `cargo xtask wire`: whether page and `PROTOCOL.md` have the types of the server; with `--write` the page gets them.
//!
//! The comparison is one of the tests of the workspace, and is built as they are: after them it costs seconds.

use std::path::Path;
use std::process::Command;

/// The comparison, as arguments of cargo: of the whole workspace, since one package alone has other features of what it
/// depends on, and would be built once more.
pub const TEST: [&str; 5] = ["test", "--locked", "--workspace", "--test", "wire"];

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
