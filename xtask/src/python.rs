//! `cargo xtask python` and `wheel`: the package for Python, built by maturin in an environment of its own under `target/python`.

use crate::venv::{self, once, perform};
use std::path::{Path, PathBuf};
use std::process::Command;

const CRATE: &str = "crates/flexline-py";

/// Builds the package as the tests are built, installs it and runs its tests.
pub fn test(root: &Path) -> Result<(), String> {
    let python = environment(root)?;
    let wheel = build(root, &python, &["--profile", "dev"], "python/wheels")?;
    install(&python, &wheel)?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "unittest", "discover", "--start-directory"]).arg(root.join(CRATE).join("tests"));
    // What Python keeps compiled does not belong into the tree; nor is anything imported from it.
    tests.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(venv::target(root));
    perform(&mut tests, "python -m unittest discover crates/flexline-py/tests")?;
    notebooks(root, &python)
}

/// Builds the package as it is given to others, installs it and measures it.
pub fn bench(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let python = environment(root)?;
    let wheel = build(root, &python, &["--release"], "wheels")?;
    install(&python, &wheel)?;
    let mut run = Command::new(&python);
    run.arg(root.join(CRATE).join("bench.py")).args(arguments).current_dir(venv::target(root));
    perform(&mut run, "python crates/flexline-py/bench.py")
}

fn install(python: &Path, wheel: &Path) -> Result<(), String> {
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    perform(install.args(["--force-reinstall", "--no-deps"]).arg(wheel), "pip install the wheel")
}

/// Runs the notebooks of the book, which judge themselves.
fn notebooks(root: &Path, python: &Path) -> Result<(), String> {
    let folder = root.join("docs/notebooks");
    let files =
        std::fs::read_dir(&folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut all: Vec<PathBuf> = files.flatten().map(|own| own.path()).collect();
    all.retain(|own| own.extension().is_some_and(|e| e == "py"));
    all.sort();
    for own in all {
        let mut run = Command::new(python);
        run.arg(&own).env("PYTHONDONTWRITEBYTECODE", "1").current_dir(root);
        perform(&mut run, &format!("python {}", own.strip_prefix(root).unwrap_or(&own).display()))?;
    }
    Ok(())
}

/// Builds the package for others: `target/wheels`.
pub fn wheel(root: &Path) -> Result<(), String> {
    let python = environment(root)?;
    let wheel = build(root, &python, &["--release"], "wheels")?;
    println!("{}", wheel.display());
    Ok(())
}

/// The Python with what builds and tests need.
fn environment(root: &Path) -> Result<PathBuf, String> {
    let folder = venv::target(root).join("python/venv");
    let python = venv::python(&folder)?;
    let list = root.join(CRATE).join("requirements.txt");
    once(&list, &folder.join("installed.txt"), &|| venv::pip(&python, &list, &[]))?;
    Ok(python)
}

/// Builds the wheel into a folder of `target/` and says where it is.
fn build(root: &Path, python: &Path, profile: &[&str], folder: &str) -> Result<PathBuf, String> {
    let out = venv::target(root).join(folder);
    // An older wheel is not to be taken for the new one.
    let _ = std::fs::remove_dir_all(&out);
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--locked", "--interpreter"]).arg(python);
    maturin.args(profile).arg("--out").arg(&out).current_dir(root);
    perform(&mut maturin, &format!("maturin build {}", profile.join(" ")))?;
    let wheels =
        std::fs::read_dir(&out).map_err(|error| format!("cannot read {}: {error}", out.display()))?;
    let found =
        wheels.flatten().map(|own| own.path()).find(|own| own.extension().is_some_and(|e| e == "whl"));
    found.ok_or_else(|| format!("maturin left no wheel in {}", out.display()))
}
