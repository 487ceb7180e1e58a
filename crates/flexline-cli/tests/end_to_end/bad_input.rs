//! Scene files with mistakes: a message with place, value, expectation and remedy, and exit code 3.

use crate::support::{Folder, Outcome, flexline};
use std::fs::File;
use std::io::Write;

const SCENE: &str = r#"version = 1

[cable]
length = "380 mm"
part = "brake-hose"

[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]

[end]
hold = "clamped"
position = ["250 mm", 0, 0]
tangent = [1, 0, 0]
"#;

const DISC: &str = r#"section = { shape = "disc", radius = "2 mm", youngs_modulus = "1 GPa", poisson = 0.4, density = 1200 }"#;

/// Solves the scene with one piece of it replaced.
#[track_caller]
fn with(old: &str, new: &str) -> Outcome {
    assert!(SCENE.contains(old), "{old}");
    let folder = Folder::new();
    folder.write("scene.toml", SCENE.replacen(old, new, 1));
    folder.flexline(&["solve", "scene.toml"])
}

/// Solves the scene as a disc of a material with one piece of its section replaced.
#[track_caller]
fn disc_with(old: &str, new: &str) -> Outcome {
    assert!(DISC.contains(old), "{old}");
    with("part = \"brake-hose\"", &DISC.replacen(old, new, 1))
}

/// Solves a file with these bytes.
fn bytes(content: &[u8]) -> Outcome {
    let folder = Folder::new();
    folder.write("scene.toml", content);
    folder.flexline(&["solve", "scene.toml"])
}

#[test]
fn the_scene_itself_is_good() {
    with("version = 1", "version = 1").good();
    disc_with("0.4", "0.5").good();
    disc_with("0.4", "-0.99").good();
}

#[test]
fn every_command_refuses_alike() {
    let folder = Folder::new();
    let path = folder.write("scene.toml", SCENE.replace("380 mm", "5 kg"));
    let said = ["solve", "check", "plot", "convergence", "simulate", "reserve", "drag"]
        .map(|command| flexline(&[command, &path]).refused(3).stderr);
    assert!(said.iter().all(|text| *text == said[0]), "{said:#?}");
    let json = flexline(&["solve", &path, "--json"]).expect(3);
    assert_eq!(json.stderr, said[0]);
    assert_eq!(json.json()["error"]["diagnostics"][0]["code"], "wrong-unit");
}

#[test]
fn missing_keys() {
    with("length = \"380 mm\"\n", "").refused(3).complains(&[
        "error[missing-key]: `length` is missing in cable",
        "scene.toml:3:1",
        "help: give a length such as \"12 mm\"",
    ]);
    with("version = 1\n", "").refused(3).complains(&["`version` is missing", "write version = 1"]);
    with("part = \"brake-hose\"\n", "").refused(3).complains(&["`part` is missing", "[cable.measured]"]);
    with("tangent = [1, 0, 0]\n", "").refused(3).complains(&["tangent", "scene.toml:7:1"]);
    let empty = bytes(b"").refused(3);
    empty.complains(&[
        "`version` is missing",
        "`cable` is missing",
        "`start` is missing",
        "`end` is missing",
    ]);
}

#[test]
fn unknown_keys() {
    with("length", "lenght").refused(3).complains(&[
        "error[unknown-key]: unknown key `lenght` in cable",
        "scene.toml:4:1",
        "^^^^^^",
        "did you mean `length`?",
    ]);
    with("[start]", "[strat]").refused(3).complains(&["unknown key `strat` at the top level", "`start`"]);
    with("hold =", "colour = 1\nhold =").refused(3).complains(&["unknown key `colour`", "valid here: hold"]);
}

#[test]
fn several_mistakes_at_once() {
    let folder = Folder::new();
    let text = SCENE.replace("length", "lenght").replace("250 mm", "250 kg");
    let outcome = folder.flexline(&["solve", &folder.write("scene.toml", text)]).refused(3);
    outcome.complains(&["`lenght`", "\"250 kg\""]);
}

#[test]
fn wrong_units() {
    with("\"380 mm\"", "\"5 kg\"").refused(3).complains(&[
        "error[wrong-unit]: `cable.length` = \"5 kg\" is a mass, not a length",
        "scene.toml:4:10",
        "help: expected a length such as \"12 mm\" or a number in metres",
    ]);
    with("\"380 mm\"", "\"5 parsec\"").refused(3).complains(&["5 parsec", "expected a length"]);
    with("\"380 mm\"", "true").refused(3).complains(&["wrong-type", "expected a length"]);
    with("[\"250 mm\", 0, 0]", "[\"250 mm\", \"3 N\", 0]").refused(3).complains(&["\"3 N\"", "is a force"]);
}

#[test]
fn a_negative_radius() {
    disc_with("2 mm", "-2 mm").refused(3).complains(&[
        "error[out-of-range]: `cable.section.radius` = \"-2 mm\" is out of range",
        "scene.toml:5:38",
        "greater than zero",
    ]);
    disc_with("2 mm", "0 mm").refused(3).complains(&["`cable.section.radius`", "greater than zero"]);
}

#[test]
fn an_impossible_poisson_ratio() {
    for nu in ["0.500001", "0.6", "7", "-1", "-1.5"] {
        disc_with("0.4", nu).refused(3).complains(&[
            &format!("`cable.section.poisson` = {nu} is out of range"),
            "above -1 and at most 0.5",
        ]);
    }
}

#[test]
fn an_impossible_length() {
    for length in ["0", "\"0 mm\"", "-1", "\"-380 mm\"", "\"1e-12 m\"", "1e12"] {
        with("\"380 mm\"", length).refused(3).complains(&[
            &format!("`cable.length` = {length} is out of range"),
            "expected a length greater than zero",
        ]);
    }
}

#[test]
fn what_is_not_a_number() {
    for length in ["nan", "inf", "-inf", "\"nan m\"", "\"inf mm\""] {
        with("\"380 mm\"", length).refused(3).complains(&["`cable.length`", "is not a finite number"]);
    }
    with("[0, 0, 0]", "[0, nan, 0]").refused(3).complains(&["nan is not a finite number", "scene.toml:9:"]);
    with("tangent = [1, 0, 0]", "tangent = [1, inf, 0]")
        .refused(3)
        .complains(&["inf is not a finite number"]);
    disc_with("0.4", "nan").refused(3).complains(&["`cable.section.poisson`"]);
}

#[test]
fn a_cable_shorter_than_the_distance_of_its_ends() {
    with("\"250 mm\"", "\"500 mm\"").refused(3).complains(&[
        "error[too-short]: the cable is 120 mm too short: it is 380 mm long, its ends are 500 mm apart",
        "scene.toml:4:10",
        "lengthen it to at least 500 mm",
    ]);
}

#[test]
fn too_few_segments() {
    for n in ["3", "0", "-4", "100001"] {
        with("[start]", &format!("segments = {n}\n\n[start]")).refused(3).complains(&[
            &format!("`cable.segments` = {n} is out of range"),
            "expected a whole number from 4 to 100000",
        ]);
    }
    with("[start]", "segments = 4\n\n[start]").good();
    // The option belongs to the command line, not to a line of the file.
    for n in ["3", "100001", "many", "-1"] {
        let option = format!("--segments={n}");
        let outcome = flexline(&["solve", "scenes/brake-hose.toml", &option]).refused(2);
        outcome.complains(&["--segments"]);
        assert!(!outcome.stderr.contains("brake-hose.toml"), "{}", outcome.stderr);
    }
}

#[test]
fn ends_that_cannot_be() {
    with("tangent = [1, 0, 0]", "tangent = [0, 0, 0]").refused(3).complains(&["`start.tangent`"]);
    let free = "hold = \"free\"\n\n[end]\nhold = \"free\"";
    let text = SCENE.split("hold").next().expect("the beginning").to_owned() + free;
    bytes(text.as_bytes()).refused(3).complains(&["error[floating]"]);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    folder.flexline(&["solve", "none.toml"]).refused(3).complains(&["cannot read none.toml", "no such file"]);
    folder.write("hose.toml", SCENE);
    folder.flexline(&["solve", "hoze.toml"]).refused(3).complains(&["did you mean", "hose.toml?"]);
    folder.flexline(&["solve", "none/hose.toml"]).refused(3).complains(&["there is no folder none"]);
    folder.flexline(&["solve", "."]).refused(3).complains(&[". is a folder", "name a scene file in it"]);
    folder.flexline(&["solve", ""]).refused(2);
}

#[test]
fn what_is_not_text() {
    bytes(b"version = 1\ntitle = \"\xff\xfe\"\n").refused(3).complains(&[
        "error[not-text]",
        "byte 21 (0xff, line 2)",
        "save it as UTF-8",
    ]);
    bytes(b"\xff\xfev\0e\0r\0").refused(3).complains(&["looks like UTF-16"]);
    bytes(b"version = 1\0\n").refused(3).complains(&["byte 11 (0x00, line 1)"]);
    let picture = flexline(&["solve", "docs/images/brake-hose.png"]).refused(3);
    picture.complains(&["is not UTF-8 text", "is it the right file?"]);
}

#[test]
fn what_is_not_toml() {
    bytes(b"version = 1\n[cable\n").refused(3).complains(&["error[syntax]", "scene.toml:2:"]);
    bytes(b"version = 1\nversion = 1\n").refused(3).complains(&["`version` is given twice"]);
    bytes(SCENE.replace("version = 1", "version = 2").as_bytes())
        .refused(3)
        .complains(&["expected version = 1"]);
    bytes(b"<xml/>").refused(3).complains(&["not valid TOML"]);
}

/// Bytes that look like nothing, the same every time.
fn nonsense(count: usize) -> Vec<u8> {
    let mut x = 0x2545_F491_4F6C_DD1Du64;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x.to_le_bytes()
    };
    std::iter::repeat_with(&mut next).flatten().take(count).collect()
}

#[test]
fn a_hundred_megabytes_of_nonsense() {
    let folder = Folder::new();
    let path = folder.file("huge.toml");
    let mut file = File::create(&path).expect("a file");
    let block = nonsense(1 << 20);
    for _ in 0..100 {
        file.write_all(&block).expect("room for it");
    }
    drop(file);
    flexline(&["solve", &path]).refused(3).complains(&[
        "error[too-large]",
        "100.0 MiB large",
        "at most 16 MiB",
        "is it the right file?",
    ]);
}

#[test]
fn ten_megabytes_of_nonsense() {
    bytes(&nonsense(10 << 20)).refused(3).complains(&["error[not-text]"]);
    let text: Vec<u8> = nonsense(10 << 20).into_iter().map(|b| b' ' + b % 95).collect();
    bytes(&text).refused(3).complains(&["error[syntax]"]);
    let many: String = (0..200_000).map(|i| format!("key{i} = {i}\n")).collect();
    let outcome = bytes(many.as_bytes()).refused(3);
    outcome.complains(&["unknown key `key0`", "more"]);
    assert!(outcome.stderr.len() < 20_000, "twenty mistakes are enough");
}

#[test]
fn nesting_without_end() {
    let deep = 200_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{a=".repeat(deep)),
        format!("a{} = 1", ".a".repeat(deep)),
        format!("[a{}]", ".a".repeat(deep)),
        "[".repeat(deep),
    ] {
        let outcome = bytes(text.as_bytes()).refused(3);
        assert!(outcome.stderr.len() < 5_000, "long lines are cut: {} bytes", outcome.stderr.len());
    }
}
