//! `cargo xtask check`: everything CI runs, as named steps.
//!
//! A failed step does not stop the others, so that one run shows all there is to fix; but when the
//! code does not compile, the steps that need it are skipped instead of repeating the same errors.

use crate::{TreeCheck, judges, layers, links, page, program, python, report, wire};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// One command of a step.
enum Action {
    /// `cargo` with these arguments and environment.
    Cargo(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A check of the files themselves, with the name of its task.
    Files(&'static str, TreeCheck),
    /// Installs what the studio's page is built with.
    Install,
    /// Other programs judge what `flexline` writes.
    Judges,
    /// `flexline`, as built for the tests: nothing is compiled twice, and assertions watch.
    Program(&'static [&'static str]),
    /// The page in a browser, from the program as built for the tests.
    Browser,
    /// Builds and tests the package for Python.
    Python,
    /// A command in `web/`.
    Web(&'static [&'static str]),
}

/// A named part of the check.
struct Step {
    name: &'static str,
    what: &'static str,
    /// The step that must not have failed for this one to make sense.
    needs: Option<&'static str>,
    actions: &'static [Action],
}

const STEPS: [Step; 12] = [
    Step {
        name: "fmt",
        what: "source is formatted",
        needs: None,
        actions: &[Action::Cargo(&["fmt", "--all", "--check"], &[])],
    },
    Step {
        name: "layers",
        what: "no lower layer uses a higher one, the map matches the tree, files stay short",
        needs: None,
        actions: &[Action::Files("layers", layers::findings)],
    },
    Step {
        name: "page",
        what: "the studio's page: installed, linted, tested and built",
        needs: None,
        actions: &[
            Action::Install,
            Action::Web(&["npm", "run", "lint"]),
            Action::Web(&["npm", "run", "unit"]),
            Action::Web(&["npm", "run", "build"]),
        ],
    },
    Step {
        name: "build",
        what: "everything compiles, tests included",
        needs: None,
        actions: &[Action::Cargo(&["test", "--workspace", "--no-run", "--locked"], &[])],
    },
    Step {
        name: "clippy",
        what: "no warnings in any target",
        needs: Some("build"),
        actions: &[Action::Cargo(
            // What needs a graphics card to run is read here at least.
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--features",
                "flexline-cli/cuda",
                "--locked",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        )],
    },
    Step {
        name: "test",
        what: "unit, integration, end-to-end and documentation tests",
        needs: Some("build"),
        actions: &[Action::Cargo(&["test", "--workspace", "--no-fail-fast", "--locked"], &[])],
    },
    Step {
        name: "wire",
        what: "the page's types are those of the server, PROTOCOL.md names their keys, a studio says what they say",
        needs: Some("build"),
        actions: &[Action::Cargo(&wire::TEST, &[])],
    },
    Step {
        name: "validate",
        what: "the reference cases",
        needs: Some("build"),
        actions: &[Action::Program(&["validate"])],
    },
    Step {
        name: "judges",
        what: "files that flexline writes, as other programs read them",
        needs: Some("build"),
        actions: &[Action::Judges],
    },
    Step {
        name: "python",
        what: "the package for Python: built, installed and tested",
        needs: Some("build"),
        actions: &[Action::Python],
    },
    Step {
        name: "browser",
        what: "the studio in a real browser, driven as a person would",
        needs: Some("build"),
        actions: &[Action::Browser],
    },
    Step {
        name: "docs",
        what: "API documentation without warnings, links and pages of the book",
        needs: Some("build"),
        actions: &[
            Action::Cargo(
                &["doc", "--workspace", "--no-deps", "--locked"],
                &[("RUSTDOCFLAGS", "-D warnings")],
            ),
            Action::Files("links", links::findings),
        ],
    },
];

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Names of the steps to run; all when empty.
    only: BTreeSet<String>,
    /// Only name the steps.
    list: bool,
}

impl Request {
    /// Understands the arguments after `check`.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut request = Self::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--list" => request.list = true,
                "--only" => {
                    let name = words.next().ok_or("`--only` wants the name of a step")?;
                    if !STEPS.iter().any(|step| step.name == *name) {
                        let names = STEPS.map(|step| step.name).join(", ");
                        return Err(format!("there is no step `{name}`; the steps are {names}"));
                    }
                    request.only.insert((*name).into());
                }
                _ => return Err(format!("`check` does not understand `{word}`")),
            }
        }
        Ok(request)
    }

    fn wants(&self, step: &Step) -> bool {
        self.only.is_empty() || self.only.contains(step.name)
    }
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

/// Runs the requested steps and prints one line about each at the end.
pub fn run(root: &Path, request: &Request) -> ExitCode {
    if request.list {
        for step in &STEPS {
            println!("{:<10}{}", step.name, step.what);
        }
        return ExitCode::SUCCESS;
    }
    let start = Instant::now();
    let results = run_steps(request, &mut |step| perform(root, step));
    println!("\n== summary");
    for (step, outcome, time) in &results {
        println!("{}", summary_line(step, outcome, *time));
    }
    let failed = results.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_))).count();
    println!("{} steps, {failed} failed, {:.1} s", results.len(), start.elapsed().as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Results<'a> = Vec<(&'a Step, Outcome, Duration)>;

fn run_steps(request: &Request, perform: &mut dyn FnMut(&Step) -> Result<(), String>) -> Results<'static> {
    let mut results: Results<'static> = Vec::new();
    for step in STEPS.iter().filter(|step| request.wants(step)) {
        let blocker = results.iter().find(|(done, outcome, _)| {
            Some(done.name) == step.needs && matches!(outcome, Outcome::Failed(_))
        });
        let start = Instant::now();
        let outcome = match blocker {
            Some((done, _, _)) => Outcome::Skipped(format!("because {} failed", done.name)),
            None => match perform(step) {
                Ok(()) => Outcome::Passed,
                Err(why) => Outcome::Failed(why),
            },
        };
        results.push((step, outcome, start.elapsed()));
    }
    results
}

fn summary_line(step: &Step, outcome: &Outcome, time: Duration) -> String {
    let seconds = format!("{:.1} s", time.as_secs_f64());
    match outcome {
        Outcome::Passed => format!("{:<9}{:<10}{seconds:>9}", "ok", step.name),
        Outcome::Failed(why) => format!("{:<9}{:<10}{seconds:>9}  {why}", "FAILED", step.name),
        Outcome::Skipped(why) => format!("{:<9}{:<10}{:>9}  {why}", "skipped", step.name, ""),
    }
}

/// Runs every action of a step, all of them even when one fails.
fn perform(root: &Path, step: &Step) -> Result<(), String> {
    println!("\n== {}: {}", step.name, step.what);
    let start = Instant::now();
    let failures: Vec<String> =
        step.actions.iter().filter_map(|action| perform_action(root, action).err()).collect();
    let verdict = if failures.is_empty() { "ok" } else { "FAILED" };
    println!("== {}: {verdict} in {:.1} s", step.name, start.elapsed().as_secs_f64());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("; ")) }
}

fn perform_action(root: &Path, action: &Action) -> Result<(), String> {
    let (arguments, variables) = match action {
        Action::Cargo(arguments, variables) => (arguments, variables),
        Action::Files(task, check) => {
            println!("$ cargo xtask {task}");
            return report(root, task, *check);
        }
        Action::Install => return page::install(root),
        Action::Program(arguments) => return program::run(root, arguments),
        Action::Browser => return page::end_to_end(root),
        Action::Python => return python::test(root),
        Action::Judges => return judges::run(root, &judges::Request::default()),
        Action::Web(words) => return page::in_web(root, words),
    };
    let set: String = variables.iter().map(|(key, value)| format!("{key}=\"{value}\" ")).collect();
    let shown = format!("{set}cargo {}", arguments.join(" "));
    println!("$ {shown}");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(*arguments)
        .envs(variables.iter().copied())
        .current_dir(root)
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{shown}` could not be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(request: &Request, failing: &[&str]) -> Vec<(&'static str, Outcome)> {
        let mut perform = |step: &Step| {
            if failing.contains(&step.name) { Err("it broke".to_string()) } else { Ok(()) }
        };
        run_steps(request, &mut perform).into_iter().map(|(step, outcome, _)| (step.name, outcome)).collect()
    }

    #[test]
    fn every_step_runs_in_order_when_all_is_well() {
        let results = outcomes(&Request::default(), &[]);
        let names: Vec<&str> = results.iter().map(|(name, _)| *name).collect();
        assert_eq!(
            names,
            [
                "fmt", "layers", "page", "build", "clippy", "test", "wire", "validate", "judges", "python",
                "browser", "docs"
            ]
        );
        assert!(results.iter().all(|(_, outcome)| *outcome == Outcome::Passed));
    }

    #[test]
    fn one_failure_does_not_hide_the_next() {
        let results = outcomes(&Request::default(), &["fmt", "test"]);
        let failed: Vec<&str> =
            results.iter().filter(|(_, o)| matches!(o, Outcome::Failed(_))).map(|(name, _)| *name).collect();
        assert_eq!(failed, ["fmt", "test"]);
        assert!(!results.iter().any(|(_, o)| matches!(o, Outcome::Skipped(_))));
    }

    #[test]
    fn what_does_not_compile_is_not_tested() {
        let results = outcomes(&Request::default(), &["build"]);
        let skipped: Vec<&str> =
            results.iter().filter(|(_, o)| matches!(o, Outcome::Skipped(_))).map(|(name, _)| *name).collect();
        assert_eq!(skipped, ["clippy", "test", "wire", "validate", "judges", "python", "browser", "docs"]);
    }

    #[test]
    fn only_restricts_and_drops_the_need() {
        let request = Request::parse(&["--only", "test", "--only", "fmt"]).unwrap();
        let names: Vec<&str> = outcomes(&request, &[]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["fmt", "test"]);
    }

    #[test]
    fn bad_arguments_are_explained() {
        let error = Request::parse(&["--only", "tests"]).unwrap_err();
        assert!(error.contains("`tests`") && error.contains("clippy, test, wire, validate"), "{error}");
        assert!(Request::parse(&["--only"]).unwrap_err().contains("name of a step"));
        assert!(Request::parse(&["--fast"]).unwrap_err().contains("`--fast`"));
    }

    #[test]
    fn needs_name_earlier_steps() {
        for (index, step) in STEPS.iter().enumerate() {
            if let Some(need) = step.needs {
                assert!(STEPS[..index].iter().any(|earlier| earlier.name == need), "{}", step.name);
            }
        }
    }

    #[test]
    fn a_summary_line_names_outcome_step_time_and_reason() {
        let line = summary_line(&STEPS[0], &Outcome::Failed("it broke".into()), Duration::from_millis(1500));
        assert_eq!(line, "FAILED   fmt           1.5 s  it broke");
    }
}
