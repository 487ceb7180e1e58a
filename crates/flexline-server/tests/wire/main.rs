//! The wire between server and page has one source, the types: the page's declarations are made of them, `PROTOCOL.md`
//! names what they have and nothing else, and what a running studio says is of these types.

mod answers;
mod declaration;
mod meaning;
#[path = "../studio/support.rs"]
#[expect(dead_code, reason = "shared with the tests of the studio")]
mod support;
mod types;

use std::path::{Path, PathBuf};

/// A file of the repository.
fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

const HEAD: &str = "\
// What page and server say to each other. Made from the types of the server by `cargo xtask wire --write`: change those
// instead. crates/flexline-server/PROTOCOL.md says what it means.
";

/// With `FLEXLINE_WIRE=write` the file is written instead.
#[test]
fn the_page_has_the_types_of_the_server() {
    let made: String = types::all().iter().map(|own| format!("\n{}", own.print())).collect();
    let made = format!("{HEAD}{made}");
    let path = file("web/src/protocol.ts");
    if std::env::var_os("FLEXLINE_WIRE").is_some_and(|word| word == "write") {
        std::fs::write(&path, made).expect("web/src/protocol.ts can be written");
        return;
    }
    let there = std::fs::read_to_string(&path).expect("web/src/protocol.ts can be read");
    let line = there.lines().zip(made.lines()).take_while(|(there, made)| there == made).count();
    assert!(
        there == made,
        "web/src/protocol.ts is not what the types of the server say, from line {} on:\n  there: {}\n  types: {}\n\
         run `cargo xtask wire --write` and mend the page where it does not compile any more",
        line + 1,
        there.lines().nth(line).unwrap_or("(the end)"),
        made.lines().nth(line).unwrap_or("(the end)"),
    );
}
