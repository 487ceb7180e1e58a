#![no_main]
//! Any bytes: lines of JSON, each a command to a scene of the repository, `"undo"` or `"redo"`. The first byte chooses the
//! scene; where it begins a command it is the door harness. Errors are fine, must print and leave the text as it was;
//! undoing everything must give the first text back. Nothing is solved: what is fuzzed is the way from text to text.

use flexline_session::command::Command;
use flexline_session::session::{Session, Solving};
use libfuzzer_sys::fuzz_target;

/// More commands than this add nothing but time.
const MOST: usize = 40;

const SCENES: [&str; 10] = [
    include_str!("../../scenes/door-harness.toml"),
    include_str!("../../scenes/brake-hose.toml"),
    include_str!("../../scenes/clips.toml"),
    include_str!("../../scenes/control-unit.toml"),
    include_str!("../../scenes/bow.toml"),
    include_str!("../../scenes/slip-knot.toml"),
    include_str!("../../scenes/pulley.toml"),
    include_str!("../../scenes/pearl-necklace.toml"),
    include_str!("../../scenes/routed-hose.toml"),
    include_str!("../../scenes/twisted-ring.toml"),
];

fuzz_target!(|bytes: &[u8]| {
    let (scene, bytes) = match bytes.split_first() {
        Some((b'{' | b'"', _)) => (0, bytes),
        Some((first, rest)) => (usize::from(*first) % SCENES.len(), rest),
        None => return,
    };
    let Ok(mut session) = Session::open(SCENES[scene], "fuzz", Solving::Never) else {
        unreachable!("a scene of the repository");
    };
    for line in String::from_utf8_lossy(bytes).lines().take(MOST) {
        let before = session.text().to_owned();
        let outcome = match line.trim() {
            "\"undo\"" => session.undo(),
            "\"redo\"" => session.redo(),
            text => match Command::from_json(text) {
                Ok(command) => session.apply(&command),
                Err(error) => {
                    let _ = error.to_string();
                    continue;
                }
            },
        };
        if let Err(error) = outcome {
            let _ = error.to_string();
            assert_eq!(session.text(), before, "an error leaves everything as it was");
        }
    }
    while session.undo().is_ok() {}
    assert_eq!(session.text(), SCENES[scene], "undone, it is what it was");
});
