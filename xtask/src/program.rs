//! The `flexline` program as the tests have it: built with them, so that nothing is compiled a second time.

use crate::venv::{self, perform};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How it is built, as arguments of cargo. `build -p flexline-cli` would choose other features of what the workspace
/// depends on, and compile the engine once more; `build` alone leaves out those that only tests ask for.
const BUILD: [&str; 6] = ["test", "--locked", "--workspace", "--no-run", "--test", "end_to_end"];

/// Builds it and says where it is.
pub fn build(root: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    perform(cargo.args(BUILD).current_dir(root), &format!("cargo {}", BUILD.join(" ")))?;
    Ok(venv::target(root).join("debug").join(format!("flexline{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds it and runs it with these arguments.
pub fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = build(root)?;
    perform(
        Command::new(program).args(arguments).current_dir(root),
        &format!("flexline {}", arguments.join(" ")),
    )
}
