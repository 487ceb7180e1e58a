//! `cargo xtask fuzz`: runs the targets of `fuzz/` with cargo-fuzz, seeded with their own seeds or with the scenes of the
//! repository.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

const INSTALL: &str = "\
Fuzzing needs cargo-fuzz and a nightly compiler. Install both with

    rustup toolchain install nightly
    cargo install cargo-fuzz

and run `cargo xtask fuzz` again.";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    target: Option<String>,
    seconds: u64,
}

impl Request {
    /// Understands the arguments after `fuzz`.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut request = Self { target: None, seconds: 60 };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--seconds" => {
                    let value = words.next().ok_or("`--seconds` wants a whole number")?;
                    request.seconds = value.parse().ok().filter(|&seconds| seconds > 0).ok_or_else(|| {
                        format!("`--seconds` wants a whole number above 0, found `{value}`")
                    })?;
                }
                _ if word.starts_with('-') => return Err(format!("`fuzz` does not understand `{word}`")),
                _ if request.target.is_none() => request.target = Some(word.into()),
                _ => return Err(format!("`fuzz` takes one target, found a second: `{word}`")),
            }
        }
        Ok(request)
    }
}

/// Runs one target or all of them, each for the requested time; stops at the first crash.
pub fn run(root: &Path, request: &Request) -> ExitCode {
    let targets = match targets(root) {
        Ok(targets) => targets,
        Err(message) => return fail(&message),
    };
    let chosen: Vec<&String> =
        targets.iter().filter(|&name| request.target.as_ref().is_none_or(|wanted| wanted == name)).collect();
    if chosen.is_empty() {
        let wanted = request.target.as_deref().unwrap_or("any");
        return fail(&format!("there is no fuzz target `{wanted}`; there is {}", targets.join(", ")));
    }
    if !installed() {
        return fail(INSTALL);
    }
    for target in chosen {
        println!("== {target}: {} s", request.seconds);
        // New inputs go to the first folder; the second only seeds. cargo-fuzz creates neither.
        let corpus = format!("fuzz/corpus/{target}");
        if let Err(error) = std::fs::create_dir_all(root.join(&corpus)) {
            return fail(&format!("cannot create {corpus}: {error}"));
        }
        let own = format!("fuzz/seeds/{target}");
        let seeds = if root.join(&own).is_dir() { &*own } else { "scenes" };
        let status = Command::new("cargo")
            .args(["+nightly", "fuzz", "run", target, &corpus, seeds, "--"])
            .arg(format!("-max_total_time={}", request.seconds))
            .current_dir(root)
            .status();
        match status {
            Ok(status) if status.success() => println!("== {target}: nothing found"),
            Ok(status) => {
                return fail(&format!("{target} ended with {status}; the input is in fuzz/artifacts"));
            }
            Err(error) => return fail(&format!("cargo could not be started: {error}")),
        }
    }
    ExitCode::SUCCESS
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

/// Names of the targets: the Rust files of `fuzz/fuzz_targets`.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(String::from))
        .collect();
    names.sort();
    Ok(names)
}

/// The `cargo` of the search path is used, not that of `$CARGO`: only rustup's understands `+nightly`.
fn installed() -> bool {
    Command::new("cargo")
        .args(["+nightly", "fuzz", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_target_and_time() {
        let request = Request::parse(&["scene", "--seconds", "5"]).unwrap();
        assert_eq!(request, Request { target: Some("scene".into()), seconds: 5 });
        assert_eq!(Request::parse(&[]).unwrap(), Request { target: None, seconds: 60 });
    }

    #[test]
    fn explains_bad_arguments() {
        for (words, expected) in [
            (vec!["--seconds", "soon"], "`soon`"),
            (vec!["--seconds", "0"], "above 0"),
            (vec!["--seconds"], "whole number"),
            (vec!["--forever"], "`--forever`"),
            (vec!["scene", "units"], "`units`"),
        ] {
            let error = Request::parse(&words).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
