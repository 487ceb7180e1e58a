//! Virtual environments of Python under `target/`, made once for what a list asks for.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a machine without Python is told.
const NO_PYTHON: &str = "python3 (3.10 or newer) with venv was not found or does not work; install it (Debian: apt-get install \
                         python3 python3-venv)";

/// Where Cargo builds.
pub fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |own| root.join(own))
}

/// The Python of an environment, which is made where there is none.
pub fn python(folder: &Path) -> Result<PathBuf, String> {
    let works = Command::new("python3").args(["-c", "import venv, ensurepip"]).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        return Err(NO_PYTHON.into());
    }
    let python = folder.join("bin/python");
    if !python.exists() {
        let above = folder.parent().unwrap_or(folder);
        std::fs::create_dir_all(above)
            .map_err(|error| format!("cannot create {}: {error}", above.display()))?;
        let mut make = Command::new("python3");
        perform(make.args(["-m", "venv", "--clear"]).arg(folder), "python3 -m venv")
            .map_err(|why| format!("{why}; {NO_PYTHON}"))?;
    }
    Ok(python)
}

/// Installs what a list asks for.
pub fn pip(python: &Path, list: &Path, more: &[&str]) -> Result<(), String> {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    perform(command.arg(list).args(more), &format!("pip install -r {}", list.display()))
}

/// Does something unless it was done for the same list before; the copy of the list is the proof.
pub fn once(list: &Path, proof: &Path, act: &dyn Fn() -> Result<(), String>) -> Result<(), String> {
    let wanted = std::fs::read(list).map_err(|error| format!("cannot read {}: {error}", list.display()))?;
    if std::fs::read(proof).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    act()?;
    std::fs::write(proof, wanted).map_err(|error| format!("cannot write {}: {error}", proof.display()))
}

/// Runs a command that is shown first.
pub fn perform(command: &mut Command, shown: &str) -> Result<(), String> {
    println!("$ {shown}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{shown}` could not be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_for_a_list_is_done_once() {
        let folder = std::env::temp_dir().join(format!("flexline-once-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (list, proof) = (folder.join("list"), folder.join("proof"));
        let count = std::cell::Cell::new(0);
        let act = || {
            count.set(count.get() + 1);
            Ok(())
        };
        for (text, times) in [("a", 1), ("a", 1), ("b", 2)] {
            std::fs::write(&list, text).unwrap();
            once(&list, &proof, &act).unwrap();
            assert_eq!(count.get(), times);
        }
        std::fs::write(&list, "c").unwrap();
        once(&list, &proof, &|| Err("it broke".into())).unwrap_err();
        once(&list, &proof, &act).unwrap();
        assert_eq!(count.get(), 3, "what failed is done again");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
