//! The command line as a whole: help, exit codes, streams that are closed, colours.

use crate::support::{Folder, command, finish, flexline, root, scene};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const COMMANDS: [&str; 26] = [
    "solve",
    "check",
    "plot",
    "simulate",
    "reserve",
    "sweep",
    "find",
    "identify",
    "equilibria",
    "design",
    "study",
    "edit",
    "journal",
    "import",
    "export",
    "fit",
    "invert",
    "materials",
    "schema",
    "validate",
    "bench",
    "convergence",
    "experiment",
    "stress",
    "drag",
    "studio",
];

#[test]
fn every_command_has_help() {
    let top = flexline(&["--help"]).good();
    assert!(top.stdout.contains("Exit codes: 0 good;"), "{}", top.stdout);
    let listed = top.stdout.split_once("Commands:\n").expect("a list of commands").1;
    // Longer descriptions go on in further lines, which begin farther to the right.
    let entries = listed.lines().take_while(|l| !l.is_empty()).filter(|l| !l.starts_with("    "));
    let lines: Vec<Vec<&str>> = entries.map(|l| l.split_whitespace().collect()).collect();
    let names: Vec<&str> = lines.iter().map(|words| words[0]).collect();
    assert_eq!(names, [&COMMANDS[..], &["help"]].concat(), "all of them, and no other");
    assert!(lines.iter().all(|words| words.len() > 2), "each says what it does:\n{listed}");
    for name in COMMANDS {
        let help = flexline(&[name, "--help"]).good();
        assert!(help.stdout.contains(&format!("Usage: flexline {name}")), "{}", help.stdout);
        assert_eq!(flexline(&["help", name]).good().stdout, help.stdout);
        // Every option says what it does.
        let lines: Vec<&str> = help.stdout.lines().collect();
        for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
            let told = line.trim_start();
            if told.starts_with("--") || told.starts_with("-h") {
                let described =
                    told.split("  ").filter(|p| !p.is_empty()).count() > 1 || next.starts_with("    ");
                assert!(described, "{name}: {line}");
            }
        }
    }
    assert!(flexline(&["--version"]).good().stdout.starts_with("flexline"));
}

#[test]
fn a_command_line_that_is_not_understood_ends_with_2() {
    flexline(&["fly"]).refused(2).complains(&["'fly'", "--help"]);
    flexline(&["solve"]).refused(2).complains(&["<SCENE>"]);
    flexline(&["solve", "scenes/ring.toml", "--fast"]).refused(2).complains(&["'--fast'"]);
    flexline(&["solve", "scenes/ring.toml", "scenes/hair.toml"]).refused(2).complains(&["hair.toml"]);
    flexline(&["stress", "--count", "many"]).refused(2).complains(&["'many'", "--count"]);
    let nothing = flexline(&[]).expect(2);
    assert_eq!(nothing.stdout, "");
    nothing.complains(&["Usage: flexline"]);
}

#[test]
fn output_that_cannot_be_written_ends_with_4() {
    let folder = Folder::new();
    let missing = folder.path().join("none");
    let out = |name: &str| missing.join(name).to_str().expect("UTF-8").to_owned();
    for arguments in [
        ["solve", "scenes/ring.toml", "--out", &out("a.csv")],
        ["solve", "scenes/ring.toml", "--out", &out("a.json")],
        ["plot", "scenes/ring.toml", "--out", &out("a.svg")],
        ["plot", "scenes/ring.toml", "--out", &out("a.png")],
    ] {
        flexline(&arguments).refused(4).complains(&["cannot write", arguments[3], "choose a folder"]);
    }
    let outcome = flexline(&["convergence", "scenes/hanging-wire.toml", "--out", &out("a.svg")]).expect(4);
    outcome.complains(&["cannot write"]);
    std::fs::create_dir(folder.path().join("folder.csv")).expect("a folder");
    let taken = folder.file("folder.csv");
    flexline(&["solve", "scenes/ring.toml", "--out", &taken]).refused(4).complains(&["cannot write"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    // Like `flexline materials | head -1`.
    let mut child = command(&["materials"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(16, child.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("a line");
    assert!(line.starts_with("part"), "{line}");
    drop(reader);
    let end = child.wait_with_output().expect("an end");
    assert_eq!(end.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&end.stderr), "");
}

#[test]
fn closed_streams_do_not_panic() {
    // Complaints into a closed pipe used to end in a panic.
    for (arguments, code) in [
        (&["materials"][..], 0),
        (&["materials", "--json"], 0),
        (&["solve", "scenes/brake-hose.toml"], 0),
        (&["check", "scenes/battery-cable.toml"], 6),
        (&["bench", "cold", "--segments", "8"], 0),
        (&["stress", "--count", "2"], 0),
        (&["drag", "scenes/bow.toml", "--seconds", "1"], 0),
        (&["reserve", "scenes/drag-chain.toml", "--steps", "1"], 0),
        (&["experiment", "cancellation", "--turning", "1"], 0),
        (&["simulate", "scenes/hair.toml", "--duration", "0"], 3),
        (&["convergence", "scenes/hanging-wire.toml", "--iterations", "3"], 0),
        (&["solve", "none.toml"], 3),
        (&["materials", "none"], 3),
        (&["--help"], 0),
        (&["fly"], 2),
    ] {
        let mut child = command(arguments)
            .current_dir(root())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        drop(child.stderr.take());
        assert_eq!(child.wait().expect("an end").code(), Some(code), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_ends_with_4() {
    // It used to be taken for success.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the full device");
    let mut prepared = command(&["solve", "scenes/brake-hose.toml"]);
    finish(prepared.current_dir(root()).stdout(full))
        .refused(4)
        .complains(&["cannot write to standard output"]);
}

#[test]
fn colours_and_progress_are_for_terminals() {
    // `expect` looks for escape codes in both streams; the work takes longer than a second without a bar.
    let folder = Folder::new();
    let bad = folder.write("bad.toml", scene("ring.toml").replace("600 mm", "600 kg"));
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "UNUSED"] {
        finish(command(&["solve", &bad]).env(variable, "1").env("TERM", "xterm-256color")).refused(3);
        finish(command(&["bench", "drag", "--segments", "100,200,400"]).env(variable, "1")).good();
    }
    flexline(&["stress", "--count", "150"]).good();
}
