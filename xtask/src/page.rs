//! `cargo xtask page` and `cargo xtask studio`: the studio's page is built by Node, the rest of Flexline without it.

use crate::program;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::SystemTime;

/// What a machine without Node is told.
const NO_NODE: &str = "the studio's page is built with Node 20 or newer and npm, which were not found: install them \
                       (Debian: apt-get install nodejs npm). Every other command of Flexline works without.";

/// Runs a command in `web/`.
pub fn in_web(root: &Path, words: &[&str]) -> Result<(), String> {
    in_web_with(root, words, None)
}

/// The page in a real browser, driven as a person would, with the program as the tests have it.
pub fn end_to_end(root: &Path) -> Result<(), String> {
    let program = program::build(root)?;
    in_web_with(root, &["tests/run.sh"], Some(&program))
}

/// Runs a command in `web/`, telling it which program to drive.
fn in_web_with(root: &Path, words: &[&str], flexline: Option<&Path>) -> Result<(), String> {
    let shown = words.join(" ");
    println!("$ (cd web && {shown})");
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root.join("web"));
    if let Some(flexline) = flexline {
        command.env("FLEXLINE", flexline);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` in web/ ended with {status}")),
        Err(_) if *program == "npm" => Err(NO_NODE.into()),
        Err(error) => Err(format!("`{shown}` could not be started: {error}")),
    }
}

/// Installs what the page is built with, where that is not there yet, and builds it.
pub fn build(root: &Path) -> Result<(), String> {
    install(root)?;
    in_web(root, &["npm", "run", "build"])
}

/// Installs what the page is built with, where that is not there yet.
pub fn install(root: &Path) -> Result<(), String> {
    let [wanted, there] = ["package-lock.json", "node_modules/.package-lock.json"];
    let age = |path: &str| modified(&root.join("web").join(path));
    if age(there).is_some_and(|there| age(wanted).is_none_or(|wanted| there >= wanted)) {
        return Ok(());
    }
    in_web(root, &["npm", "ci", "--no-audit", "--no-fund"])
}

/// Builds the page where its sources are newer, then starts the studio.
pub fn studio(root: &Path, arguments: &[&str]) -> ExitCode {
    let web = root.join("web");
    let sources = ["src", "public", "index.html", "vite.config.ts", "package-lock.json"];
    let newest = sources.iter().filter_map(|name| newest(&web.join(name))).max();
    if modified(&web.join("dist/index.html")).is_none_or(|built| newest.is_some_and(|source| source > built))
        && let Err(message) = build(root)
    {
        // The server tells the page's visitor the same; a script may still want the server.
        eprintln!("warning: {message}");
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = ["run", "--release", "--locked", "--bin", "flexline", "--", "studio"];
    let status = Command::new(cargo).args(run).args(arguments).current_dir(root).status();
    match status.map(|status| status.code()) {
        Ok(Some(0)) => ExitCode::SUCCESS,
        Ok(Some(code)) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Ok(None) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cargo could not be started: {error}");
            ExitCode::FAILURE
        }
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// When the newest file of a folder was written.
fn newest(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return modified(path);
    }
    path.read_dir().ok()?.flatten().filter_map(|entry| newest(&entry.path())).max()
}
