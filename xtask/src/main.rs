//! Development tasks: `cargo xtask check | layers | links | wire | judges | python | wheel | page | studio | fuzz | willow`.
//!
//! Exit codes: 0 all good, 1 a check failed, 2 the command line was not understood.

mod check;
mod finding;
mod fuzz;
mod judges;
mod layers;
mod links;
mod page;
mod program;
mod python;
mod tree;
mod venv;
mod willow;
mod wire;

use finding::Finding;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tree::Tree;

const HELP: &str = "\
Development tasks of Flexline.

Usage: cargo xtask <TASK>

Tasks:
  check [--only STEP]... [--list]   run every check, or only the named ones; --list names them
  layers                            layering, ARCHITECTURE.md against the tree, folder notes, file sizes
  links                             links and anchors of all Markdown files, pages missing from the book
  wire [--write]                    types of the page against those of the server; --write makes web/src/protocol.ts
  judges [--cad] [TOPIC]...         other programs read what flexline writes; --cad: OpenCASCADE too (needs Python)
  python [--bench [NAME]...]        build the package for Python, install it under target/, run its tests, or measure it
  wheel                             build the package for Python to be given to others: target/wheels
  page                              build the studio's page (needs Node 20)
  studio [ARGUMENTS]                build the page where it is not, then run `flexline studio ARGUMENTS`
  fuzz [TARGET] [--seconds N]       run the fuzz targets, 60 s each unless told (needs cargo-fuzz)
  willow                            write scenes/willow.toml, a tree of 242 helix elements
  help                              this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = repository_root();
    match words.split_first() {
        None | Some((&("help" | "--help" | "-h"), _)) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Some((&"check", rest)) => match check::Request::parse(rest) {
            Ok(request) => check::run(&root, &request),
            Err(message) => usage(&message),
        },
        Some((&"layers", [])) => code(report(&root, "layers", layers::findings)),
        Some((&"links", [])) => code(report(&root, "links", links::findings)),
        Some((&"wire", [])) => code(wire::run(&root, false)),
        Some((&"wire", ["--write"])) => code(wire::run(&root, true)),
        Some((&"wire", [extra, ..])) => usage(&format!("`wire` does not understand `{extra}`")),
        Some((&"judges", rest)) => match judges::Request::parse(rest) {
            Ok(request) => code(judges::run(&root, &request)),
            Err(message) => usage(&message),
        },
        Some((&"python", [])) => code(python::test(&root)),
        Some((&"python", ["--bench", names @ ..])) => code(python::bench(&root, names)),
        Some((&"wheel", [])) => code(python::wheel(&root)),
        Some((&"page", [])) => code(page::build(&root)),
        Some((&"studio", rest)) => page::studio(&root, rest),
        Some((&"fuzz", rest)) => match fuzz::Request::parse(rest) {
            Ok(request) => fuzz::run(&root, &request),
            Err(message) => usage(&message),
        },
        Some((&"willow", [])) => {
            let path = root.join("scenes/willow.toml");
            let written = std::fs::write(&path, willow::scene());
            code(written.map_err(|e| format!("cannot write {}: {e}", path.display())))
        }
        Some((&task @ ("layers" | "links" | "python" | "wheel" | "page" | "willow"), [extra, ..])) => {
            usage(&format!("`{task}` takes no arguments, found `{extra}`"))
        }
        Some((task, _)) => usage(&format!("there is no task `{task}`")),
    }
}

fn usage(message: &str) -> ExitCode {
    eprintln!("error: {message}\n\n{HELP}");
    ExitCode::from(2)
}

/// The folder that holds the workspace: the parent of this package.
fn repository_root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let package = PathBuf::from(package);
    package.parent().map(Path::to_path_buf).unwrap_or(package)
}

fn code(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A check of the files of the repository.
type TreeCheck = fn(&Tree) -> Vec<Finding>;

/// Reads the tree, prints what `check` finds in it, and succeeds when that is nothing.
fn report(root: &Path, name: &str, check: TreeCheck) -> Result<(), String> {
    let tree = Tree::read(root)
        .map_err(|error| format!("cannot read the repository at {}: {error}", root.display()))?;
    let findings = check(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    let files = tree.files().count();
    match findings.len() {
        0 => {
            println!("{name}: {files} files, nothing to complain about");
            Ok(())
        }
        count => Err(format!("{name}: {count} to fix in {files} files")),
    }
}
