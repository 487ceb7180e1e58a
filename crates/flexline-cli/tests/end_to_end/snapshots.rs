//! What people read, word for word. After a wanted change: `INSTA_UPDATE=always cargo test -p flexline-cli`, and read
//! the difference before committing it.

use crate::support::{Folder, flexline, scene};

/// Replaces what round-off decides, which differs between machines.
pub fn steady(text: &str) -> String {
    const NOISE: [&str; 4] = ["iterations", "unbalanced force", "ends off by", "worst segment"];
    let line = |line: &str| match NOISE.iter().find(|name| line.starts_with(*name)) {
        Some(name) => format!("{name:<20}  …\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn solve_table() {
    insta::assert_snapshot!(steady(&flexline(&["solve", "scenes/patch-cord.toml"]).transcript()));
}

#[test]
fn solve_ring_table() {
    insta::assert_snapshot!(steady(&flexline(&["solve", "scenes/ring.toml"]).transcript()));
}

#[test]
fn check_pass() {
    insta::assert_snapshot!(flexline(&["check", "scenes/brake-hose.toml"]).transcript());
}

#[test]
fn check_warn() {
    insta::assert_snapshot!(flexline(&["check", "scenes/coolant-hose.toml"]).transcript());
}

#[test]
fn check_fail() {
    insta::assert_snapshot!(flexline(&["check", "scenes/battery-cable.toml"]).transcript());
}

#[test]
fn one_part() {
    insta::assert_snapshot!(flexline(&["materials", "coolant-hose"]).transcript());
}

#[test]
fn help() {
    insta::assert_snapshot!(flexline(&["solve", "--help"]).transcript());
}

#[test]
fn mistakes_in_a_scene() {
    let folder = Folder::new();
    let text = scene("battery-cable.toml")
        .replace("length = \"160 mm\"", "lenght = \"160 mm\"")
        .replace("part = \"wire-25\"", "part = \"wire-24\"")
        .replace("[\"50 mm\", 0, 0]", "[\"50 kg\", 0]");
    folder.write("mistakes.toml", text);
    insta::assert_snapshot!(folder.flexline(&["solve", "mistakes.toml"]).transcript());
}

#[test]
fn too_short() {
    let folder = Folder::new();
    folder.write("short.toml", scene("hanging-wire.toml").replace("\"1.1 m\"", "\"950 mm\""));
    insta::assert_snapshot!(folder.flexline(&["check", "short.toml"]).transcript());
}

#[test]
fn output_without_a_known_ending() {
    insta::assert_snapshot!(flexline(&["plot", "scenes/ring.toml", "--out", "ring.jpg"]).transcript());
}
