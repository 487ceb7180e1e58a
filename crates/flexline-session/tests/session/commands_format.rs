//! The description of the commands and the enum agree.

use flexline_session::command::{COMMANDS, Command};
use flexline_session::session::{Session, Solving};

const PAGE: &str = include_str!("../../COMMANDS.md");

/// The part of the page about a command.
fn part(verb: &str) -> &'static str {
    let rest =
        PAGE.split_once(&format!("\n### `{verb}`")).unwrap_or_else(|| panic!("`{verb}` is not described")).1;
    rest.split("\n### ").next().unwrap_or(rest).split("\n## ").next().unwrap_or(rest)
}

#[test]
fn every_command_and_field_is_described() {
    for (verb, fields) in COMMANDS {
        let words: Vec<&str> = part(verb).split('`').skip(1).step_by(2).collect();
        for field in fields {
            assert!(words.contains(field), "`{field}` of {verb}");
        }
        assert!(part(verb).contains("```json"), "{verb} has an example");
    }
    let described = PAGE.lines().filter(|l| l.starts_with("### `")).count();
    assert_eq!(described, COMMANDS.len(), "nothing else is described as a command");
}

/// The examples, one after the other, are a session's work on the door harness.
#[test]
fn examples_run() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/door-harness.toml"))
            .unwrap();
    let blocks = PAGE.split("```json\n").skip(1).filter_map(|b| b.split("```").next());
    let mut count = 0;
    let mut session = Session::open(&text, "door-harness.toml", Solving::Always).unwrap();
    for line in blocks.flat_map(str::lines).filter(|l| !l.trim().is_empty()) {
        let command = Command::from_json(line).unwrap_or_else(|e| panic!("{line}\n{e}"));
        if let Command::ToHarness {} = command {
            continue;
        }
        let outcome = session.apply(&command).unwrap_or_else(|e| panic!("{line}\n{e}"));
        let status = outcome.status.unwrap();
        let good = status == "converged" || status.starts_with("converged; cable ");
        assert!(good, "{line}\n{status}");
        count += 1;
    }
    assert!(count >= COMMANDS.len() - 1, "{count}");
}
