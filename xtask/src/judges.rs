//! `cargo xtask judges`: other programs read what `flexline` writes. They live in a virtual environment of Python under
//! `target/judges`; `judges/README.md` tells what they are.

use crate::program;
use crate::venv::{self, once, perform};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// OpenCASCADE too.
    cad: bool,
    /// Names of judges; all when empty.
    topics: Vec<String>,
}

impl Request {
    /// Understands the arguments after `judges`.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut request = Self::default();
        for word in words {
            match *word {
                "--cad" => request.cad = true,
                _ if word.starts_with('-') => return Err(format!("`judges` does not understand `{word}`")),
                _ => request.topics.push((*word).into()),
            }
        }
        request.cad |= request.topics.iter().any(|topic| topic == "cad");
        Ok(request)
    }
}

/// Installs what is missing, builds the program and runs the judges.
pub fn run(root: &Path, request: &Request) -> Result<(), String> {
    let target = venv::target(root);
    let tools = target.join("judges");
    let python = install(root, &tools, request.cad)?;
    let program = program::build(root)?;
    let mut judge = Command::new(python);
    judge.arg(root.join("judges/run.py"));
    judge.arg("--flexline").arg(program).arg("--tools").arg(&tools);
    if request.cad {
        judge.arg("--cad");
    }
    // What Python keeps compiled does not belong into the tree.
    judge.args(&request.topics).env("PYTHONDONTWRITEBYTECODE", "1").current_dir(root);
    perform(&mut judge, "judges/run.py")
}

/// Makes the environment where it is not there or not as wanted, and gives its Python.
fn install(root: &Path, tools: &Path, cad: bool) -> Result<PathBuf, String> {
    let python = venv::python(&tools.join("venv"))?;
    let folder = root.join("judges");
    let pip = |list: &str, more: &[&str]| venv::pip(&python, &folder.join(list), more);
    once(&folder.join("requirements.txt"), &tools.join("venv/installed.txt"), &|| {
        pip("requirements.txt", &[])
    })?;
    let beside = tools.join("mujoco3");
    once(&folder.join("requirements-mujoco3.txt"), &tools.join("mujoco3.txt"), &|| {
        pip("requirements-mujoco3.txt", &["--no-deps", "--upgrade", "--target", &beside.to_string_lossy()])
    })?;
    if cad {
        once(&folder.join("requirements-cad.txt"), &tools.join("venv/installed-cad.txt"), &|| {
            pip("requirements-cad.txt", &[])
        })?;
    }
    let npm = Command::new("npm").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if npm.is_ok_and(|status| status.success()) {
        let node = tools.join("node");
        once(&folder.join("package.json"), &node.join("installed.json"), &|| {
            std::fs::create_dir_all(&node)
                .and_then(|()| {
                    std::fs::copy(folder.join("package.json"), node.join("package.json")).map(drop)
                })
                .map_err(|error| format!("cannot write {}: {error}", node.display()))?;
            let words = ["install", "--no-audit", "--no-fund", "--silent"];
            perform(Command::new("npm").args(words).current_dir(&node), "npm install in judges/")
        })?;
    }
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_topics_and_cad() {
        assert_eq!(Request::parse(&[]).unwrap(), Request::default());
        let request = Request::parse(&["mjcf", "--cad"]).unwrap();
        assert_eq!(request, Request { cad: true, topics: vec!["mjcf".into()] });
        assert!(Request::parse(&["cad"]).unwrap().cad);
        assert!(Request::parse(&["--fast"]).unwrap_err().contains("`--fast`"));
    }
}
