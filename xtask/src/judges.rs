//! `cargo xtask judges`: other programs read what `flexline` writes. They live in a virtual environment of Python under
//! `target/judges`; `judges/README.md` tells what they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a machine without Python is told.
const NO_PYTHON: &str = "the judges are Python programs: python3 (3.10 or newer) with venv was not found or does not work; \
                         install it (Debian: apt-get install python3 python3-venv)";

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
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |own| root.join(own));
    let tools = target.join("judges");
    let python = install(root, &tools, request.cad)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = ["build", "--locked", "-p", "flexline-cli"];
    perform(Command::new(cargo).args(build).current_dir(root), "cargo build -p flexline-cli")?;
    let mut judge = Command::new(python);
    judge.arg(root.join("judges/run.py"));
    judge.arg("--flexline").arg(target.join("debug/flexline")).arg("--tools").arg(&tools);
    if request.cad {
        judge.arg("--cad");
    }
    // What Python keeps compiled does not belong into the tree.
    judge.args(&request.topics).env("PYTHONDONTWRITEBYTECODE", "1").current_dir(root);
    perform(&mut judge, "judges/run.py")
}

/// Makes the environment where it is not there or not as wanted, and gives its Python.
fn install(root: &Path, tools: &Path, cad: bool) -> Result<PathBuf, String> {
    let python = tools.join("venv/bin/python");
    let works = Command::new("python3").args(["-c", "import venv, ensurepip"]).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        return Err(NO_PYTHON.into());
    }
    std::fs::create_dir_all(tools).map_err(|error| format!("cannot create {}: {error}", tools.display()))?;
    let folder = root.join("judges");
    if !python.exists() {
        let mut make = Command::new("python3");
        perform(make.args(["-m", "venv", "--clear"]).arg(tools.join("venv")), "python3 -m venv")
            .map_err(|why| format!("{why}; {NO_PYTHON}"))?;
    }
    let pip = |list: &str, more: &[&str]| {
        let mut command = Command::new(&python);
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        command.arg(folder.join(list)).args(more);
        perform(&mut command, &format!("pip install -r judges/{list}"))
    };
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

/// Does something unless it was done for the same list before; the copy of the list is the proof.
fn once(list: &Path, proof: &Path, act: &dyn Fn() -> Result<(), String>) -> Result<(), String> {
    let wanted = std::fs::read(list).map_err(|error| format!("cannot read {}: {error}", list.display()))?;
    if std::fs::read(proof).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    act()?;
    std::fs::write(proof, wanted).map_err(|error| format!("cannot write {}: {error}", proof.display()))
}

fn perform(command: &mut Command, shown: &str) -> Result<(), String> {
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
    fn understands_topics_and_cad() {
        assert_eq!(Request::parse(&[]).unwrap(), Request::default());
        let request = Request::parse(&["mjcf", "--cad"]).unwrap();
        assert_eq!(request, Request { cad: true, topics: vec!["mjcf".into()] });
        assert!(Request::parse(&["cad"]).unwrap().cad);
        assert!(Request::parse(&["--fast"]).unwrap_err().contains("`--fast`"));
    }

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
