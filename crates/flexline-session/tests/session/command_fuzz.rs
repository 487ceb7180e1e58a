//! Whatever is commanded, a session answers: a scene that reads, or an error that leaves everything as it was.
//! Histories go back and forth byte by byte, and journals give the same wherever they are cut.

use flexline_session::command::{COMMANDS, Command, edit};
use flexline_session::session::{Session, SessionError, Solving};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The scenes of the repository, but for those that take long.
fn scenes() -> &'static [String] {
    static SCENES: OnceLock<Vec<String>> = OnceLock::new();
    SCENES.get_or_init(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
        let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
        files.sort();
        files.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect()
    })
}

/// Words that mean something in some scene, and some that mean nothing.
fn words() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words: Vec<String> =
            ["free", "start", "end", "from", "to", "", "a.b", "no such thing", "x"].map(String::from).into();
        for scene in scenes() {
            words.extend(
                scene
                    .lines()
                    .filter_map(|l| l.strip_prefix("name = \"")?.strip_suffix('"'))
                    .map(String::from),
            );
        }
        words.sort();
        words.dedup();
        words
    })
}

fn word() -> impl Strategy<Value = String> {
    any::<prop::sample::Index>().prop_map(|i| words()[i.index(words().len())].clone())
}

fn quantity() -> impl Strategy<Value = Value> {
    let texts =
        ["50 %", "12 mm", "0.3 m", "1 turn", "-20 mm", "5 N", "3 kg", "from", "to", "100 %", "1e400 m", ""];
    prop_oneof![
        4 => prop::sample::select(texts.to_vec()).prop_map(Value::from),
        2 => (-0.5..2.0f64).prop_map(Value::from),
        1 => prop::sample::select(vec![json!(0), json!(1e300), json!(-1), json!(true), json!(null)]),
        1 => word().prop_map(Value::from),
    ]
}

fn vector() -> impl Strategy<Value = Value> {
    prop::array::uniform3(-0.5..0.5f64).prop_map(|v| json!(v))
}

/// Keys as they stand in tables, with values that are often right.
fn keys() -> impl Strategy<Value = Value> {
    let one = prop_oneof![
        word().prop_map(|w| ("name", json!(w))),
        prop::sample::select(vec!["wire-2.5", "bundle-20x0.5", "nothing"]).prop_map(|p| ("part", json!(p))),
        vector().prop_map(|v| ("position", v)),
        vector().prop_map(|v| ("tangent", v)),
        vector().prop_map(|v| ("force", v)),
        quantity().prop_map(|q| ("at", q)),
        word().prop_map(|w| ("cable", json!(w))),
        word().prop_map(|w| ("from", json!(w))),
        prop::sample::select(vec!["free", "pinned", "clamped", "plane"]).prop_map(|h| ("hold", json!(h))),
        Just(("mass", json!("0.1 kg"))),
        Just(("override", json!({"bend": "0.1 N m^2"}))),
    ];
    prop::collection::vec(one, 0..5)
        .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()))
}

/// What may stand in a field; mostly what belongs there.
fn field(name: &'static str) -> BoxedStrategy<Value> {
    let kinds = [
        "cable",
        "port",
        "part",
        "connector",
        "junction",
        "clip",
        "eye",
        "bead",
        "constraint",
        "motion",
        "load",
        "world",
        "solve",
        "scene",
        "start",
        "end",
    ];
    let good = match name {
        "with" | "frame" => keys().boxed(),
        "at" | "by" | "length" | "slack" => {
            prop_oneof![3 => quantity(), 1 => vector(), 1 => word().prop_map(Value::from)].boxed()
        }
        "to" | "from" => {
            prop_oneof![2 => word().prop_map(Value::from), 1 => quantity(), 1 => vector()].boxed()
        }
        "end" => prop::sample::select(vec!["from", "to"]).prop_map(Value::from).boxed(),
        "kind" => prop::sample::select(kinds.to_vec()).prop_map(Value::from).boxed(),
        "hold" => prop::sample::select(vec!["clamped", "pinned", "free"]).prop_map(Value::from).boxed(),
        "count" => (0..6usize).prop_map(Value::from).boxed(),
        "names" | "cables" => prop::array::uniform2(word()).prop_map(|w| json!(w)).boxed(),
        "between" => prop::array::uniform2(quantity()).prop_map(|w| json!(w)).boxed(),
        "key" => prop::sample::select(vec![
            "part",
            "override.bend",
            "zone[0].to",
            "gravity",
            "title",
            "length",
            "tolerance",
            "a..b",
            "position",
            "hold",
            "mass",
        ])
        .prop_map(Value::from)
        .boxed(),
        "value" => prop_oneof![quantity(), vector(), keys()].boxed(),
        "with_users" => any::<bool>().prop_map(Value::from).boxed(),
        "on" => prop_oneof![any::<bool>().prop_map(Value::from), word().prop_map(Value::from)].boxed(),
        "slider" => (-0.2..1.2f64).prop_map(Value::from).boxed(),
        "tension" | "bend_length" => quantity().boxed(),
        "slides" => prop::collection::vec(prop::sample::select(vec!["x", "y", "z", "w"]), 0..3)
            .prop_map(|axes| json!(axes))
            .boxed(),
        "line" => vector().prop_map(|v| json!({"direction": v})).boxed(),
        "path" => prop::collection::vec(vector(), 0..4).prop_map(|p| json!({"points": p})).boxed(),
        "position" => vector().boxed(),
        "pull" => quantity().prop_map(|q| json!({"tension": q})).boxed(),
        _ => word().prop_map(Value::from).boxed(),
    };
    prop_oneof![30 => good, 1 => Just(json!([{}])), 1 => quantity()].boxed()
}

/// A command, likely one that can be read.
fn command() -> impl Strategy<Value = Value> {
    let one = |(verb, fields): (&'static str, &'static [&'static str])| {
        let optional = [
            "slack",
            "pull",
            "names",
            "between",
            "end",
            "hold",
            "clip",
            "prefix",
            "kind",
            "with_users",
            "on",
            "slides",
            "line",
            "path",
            "tension",
            "bend_length",
            "slider",
            "frame",
        ];
        let parts: Vec<BoxedStrategy<Option<(String, Value)>>> = fields
            .iter()
            .map(|name| {
                let share = if optional.contains(name) { 0.3 } else { 0.93 };
                prop::option::weighted(share, field(name).prop_map(|v| ((*name).to_owned(), v))).boxed()
            })
            .collect();
        parts.prop_map(move |pairs| {
            let mut map: serde_json::Map<String, Value> = pairs.into_iter().flatten().collect();
            map.insert("do".into(), verb.into());
            Value::Object(map)
        })
    };
    let verbs: Vec<_> = COMMANDS.iter().filter(|(verb, _)| *verb != "all").map(|c| one(*c).boxed()).collect();
    let single = prop::strategy::Union::new(verbs).boxed();
    prop_oneof![
        15 => single.clone(),
        1 => prop::collection::vec(single, 0..4).prop_map(|of| json!({"do": "all", "of": of})),
    ]
}

/// A file of its own.
fn scratch() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let own = format!("journal-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(own)
}

/// The names in a list of a scene.
fn names(scene: &toml::Table, list: &str) -> Vec<String> {
    let name = |item: &toml::Value| item.get("name").and_then(|n| n.as_str()).map(str::to_owned);
    match scene.get(list) {
        Some(toml::Value::Array(items)) => items.iter().filter_map(name).collect(),
        Some(one) => vec![name(one).unwrap_or_else(|| list.to_owned())],
        None => Vec::new(),
    }
}

/// A command that suits the scene as it is, drawn by dice.
fn sensible(text: &str, dice: [usize; 5]) -> Value {
    let scene: toml::Table = text.parse().expect("a scene");
    let pick = |list: &[String], die: usize| list.get(die % list.len().max(1)).cloned().unwrap_or_default();
    let cables = names(&scene, "cable");
    let mut nodes: Vec<String> = ["port", "part", "junction", "clip", "eye", "bead"]
        .iter()
        .flat_map(|list| names(&scene, list))
        .collect();
    nodes.extend(["start".to_owned(), "end".to_owned()]);
    let (cable, other) = (pick(&cables, dice[1]), pick(&cables, dice[2]));
    let node = pick(&nodes, dice[2]);
    let share = |die: usize| format!("{} %", 3 + die % 95);
    let fresh = format!("new {}", dice[3] % 1000);
    let free: Vec<String> = match scene.get("cable") {
        Some(toml::Value::Array(items)) => items
            .iter()
            .filter(|c| c.get("to").and_then(|t| t.as_str()) == Some("free"))
            .filter_map(|c| Some(c.get("name")?.as_str()?.to_owned()))
            .collect(),
        _ => Vec::new(),
    };
    let place = json!([share(dice[2]), share(dice[3])]);
    let step = dice[4] as f64 % 200.0 * 1e-3 - 0.05;
    match dice[0] % 32 {
        0 => json!({"do": "cut", "cable": cable, "at": share(dice[2])}),
        1 => json!({"do": "join", "cables": [pick(&free, dice[1]), pick(&free, dice[1] + 1)]}),
        2 => json!({"do": "separate", "at": node}),
        3 => json!({"do": "separate", "at": node, "cable": cable}),
        4 => {
            json!({"do": "attach", "cable": pick(&free, dice[1]), "to": node, "with": {"grip_to": "pinned"}})
        }
        5 => {
            json!({"do": "branch", "cable": cable, "at": share(dice[2]), "name": fresh, "length": 0.3, "with": {"part": "wire-2.5", "from_tangent": [1, 0, 1]}})
        }
        6 => {
            json!({"do": "create-cable", "name": fresh, "from": node, "to": pick(&nodes, dice[3]), "length": "900 mm", "with": {"part": "wire-4", "grip_from": "pinned", "grip_to": "pinned"}})
        }
        7 => {
            json!({"do": "prolong", "cable": cable, "by": step, "end": if dice[3].is_multiple_of(2) { "from" } else { "to" }})
        }
        8 => json!({"do": "set-length", "cable": cable, "by": step, "between": place}),
        9 => json!({"do": "set-length", "cable": cable, "length": 0.1 + step.abs()}),
        10 => {
            json!({"do": "set-zone", "cable": cable, "from": share(dice[2] % 40), "to": share(45 + dice[3] % 50), "with": {"part": "wire-6", "taper": "1 mm"}})
        }
        11 => json!({"do": "set-zone", "cable": cable, "from": share(dice[2] % 40), "to": "100 %"}),
        12 => json!({"do": "move", "name": node, "to": [step, 0.1, -0.2]}),
        13 => json!({"do": "move", "name": node, "by": [step, 0, 0]}),
        14 => json!({"do": "release", "name": node}),
        15 => json!({"do": "turn", "cable": cable, "by": "100 deg"}),
        16 => {
            json!({"do": "add-handle", "cable": cable, "at": share(dice[2]), "hold": "pinned", "with": {"position": [0.1, step, 0]}})
        }
        17 => json!({"do": "remove", "name": node, "with_users": dice[3].is_multiple_of(2)}),
        18 => json!({"do": "remove", "name": other, "kind": "cable", "with_users": true}),
        19 => json!({"do": "rename", "name": node, "to": fresh}),
        20 => json!({"do": "rename", "name": cable, "kind": "cable", "to": fresh}),
        21 => json!({"do": "route", "cable": cable, "bend_length": 0.01 + step.abs()}),
        22 => json!({"do": "route", "cable": cable, "slider": dice[4] as f64 / 1000.0}),
        23 => json!({"do": "route", "cable": cable, "on": false}),
        24 => {
            json!({"do": "add", "kind": "bead", "with": {"name": fresh, "cable": cable, "at": share(dice[2]), "mass": "5 g", "radius": "1 mm"}})
        }
        25 => {
            json!({"do": "add", "kind": "motion", "with": {"target": node, "by": [step, 0, 0], "duration": "1 s"}})
        }
        26 => {
            json!({"do": "set-handle", "name": pick(&names(&scene, "clip"), dice[1]), "slides": ["x"], "position": [step, 0, 0]})
        }
        27 => {
            json!({"do": "set-handle", "name": pick(&names(&scene, "clip"), dice[1]), "line": {"direction": [1, step, 0]}, "position": [0, 0, 0]})
        }
        28 => {
            json!({"do": "set-handle", "name": pick(&names(&scene, "clip"), dice[1]), "hold": "pinned", "position": [0, step, 0]})
        }
        29 => {
            json!({"do": "add", "kind": "eye", "with": {"name": fresh, "cable": cable, "at": share(dice[2]), "on": node, "position": [0, 0, step]}})
        }
        30 => {
            json!({"do": "add", "kind": "constraint", "with": {"kind": "plane", "point": node, "on": pick(&nodes, dice[3]), "through": [0, 0, 0], "normal": [0, step, 1], "side": "above"}})
        }
        _ => {
            json!({"do": "add", "kind": "load", "with": {"cable": cable, "from": "20 %", "to": "90 %", "axes": "material", "force_per_length": {"start": [0, "1 N/m", 0.2], "end": [0, 0, "2 N/m"]}}})
        }
    }
}

fn dice() -> impl Strategy<Value = [usize; 5]> {
    prop::array::uniform5(0..1000usize)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Anything at all as a command.
    #[test]
    fn any_text_is_answered(text in "\\PC{0,60}") {
        let _ = Command::from_json(&text).map_err(|e| e.to_string());
    }

    /// JSON that nearly is a command.
    #[test]
    fn any_command_is_answered(value in command()) {
        match Command::from_json(&value.to_string()) {
            Ok(command) => {
                let again = Command::from_json(&command.to_json());
                prop_assert_eq!(again.ok(), Some(command));
            }
            Err(error) => prop_assert!(error.to_string().starts_with("error["), "{}", error),
        }
    }

    /// Whatever a command makes of a text is TOML that the reader judges without panic.
    #[test]
    fn any_scene_stands_any_command(scene in any::<prop::sample::Index>(), mut value in command(), dice in dice(), aimed: bool) {
        let text = &scenes()[scene.index(scenes().len())];
        if aimed {
            value = sensible(text, dice);
        }
        let Ok(command) = Command::from_json(&value.to_string()) else { return Ok(()) };
        let mut session = Session::open(text, "scene", Solving::Never).unwrap();
        match session.apply(&command) {
            Ok(outcome) => prop_assert!(outcome.status.is_none()),
            Err(SessionError::Command(error)) => {
                prop_assert!(!error.diagnostics.is_empty());
                prop_assert!(error.diagnostics.iter().all(|d| d.code != flexline_scene::Code::Syntax), "{}", error);
                prop_assert_eq!(session.text(), text);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
        let _ = edit(text, &command);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Undo all, redo all, replay, and a journal cut anywhere.
    #[test]
    fn histories_go_back_and_forth(
        scene in any::<prop::sample::Index>(),
        values in prop::collection::vec((command(), dice(), 0..10usize), 1..25),
        undos in prop::collection::vec(0..4usize, 25),
        cut in any::<prop::sample::Index>(),
    ) {
        let first = &scenes()[scene.index(scenes().len())];
        let path = scratch();
        let mut session = Session::open(first, "scene", Solving::Never).unwrap();
        session.begin_journal(&path).unwrap();
        // The text after every line of the journal.
        let mut texts = vec![first.clone()];
        for ((mut value, dice, wild), undo) in values.into_iter().zip(undos) {
            let text = session.text().to_owned();
            if wild > 1 {
                value = sensible(&text, dice);
            }
            if let Ok(command) = Command::from_json(&value.to_string()) && session.apply(&command).is_ok() {
                texts.push(session.text().to_owned());
            }
            if undo == 3 && session.undo().is_ok() || undo == 2 && session.redo().is_ok() {
                texts.push(session.text().to_owned());
            }
        }
        let last = session.text().to_owned();
        drop(session);
        let journal = std::fs::read(&path).unwrap();
        let lines = journal.iter().filter(|b| **b == b'\n').count();
        prop_assert_eq!(lines, texts.len());
        // A journal cut anywhere gives what was done by then.
        let head = journal.iter().position(|b| *b == b'\n').unwrap() + 1;
        let at = head + cut.index(journal.len() - head + 1);
        let torn = scratch();
        std::fs::write(&torn, &journal[..at]).unwrap();
        let whole = journal[..at].iter().filter(|b| **b == b'\n').count();
        let mut recovered = Session::recover(&torn, Solving::Never).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(recovered.session.text(), &texts[whole - 1]);
        prop_assert_eq!(recovered.torn, journal[at - 1] != b'\n');
        // It goes on from there.
        let title = r#"{"do": "set", "kind": "scene", "key": "title", "value": "after the crash"}"#;
        recovered.session.apply(&Command::from_json(title).unwrap()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let after = recovered.session.text().to_owned();
        drop(recovered);
        let again = Session::recover(&torn, Solving::Never).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(!again.torn);
        prop_assert_eq!(again.session.text(), after);
        drop(again);
        // There and back again.
        let whole = Session::replayed(&path, Solving::Never).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let mut session = whole.session;
        prop_assert_eq!(session.text(), &last);
        let (done, _) = session.depth();
        while session.undo().is_ok() {}
        prop_assert_eq!(session.text(), first);
        for _ in 0..done {
            prop_assert!(session.redo().is_ok());
        }
        prop_assert_eq!(session.text(), &last);
        for path in [path, torn] {
            std::fs::remove_file(path).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Solved after every command: whatever comes of it is finite, and undone it is what it was.
    #[test]
    fn solving_stands_what_is_done(
        scene in any::<prop::sample::Index>(),
        dice in prop::collection::vec(dice(), 1..8),
    ) {
        // Small ones of every kind: clips, branches, parts, eyes with and without friction, pulleys, beads, one cable.
        let files = [
            "clips", "y-branch", "control-unit", "winch", "capstan", "brake-hose", "harness-branch", "ring",
            "pulley", "slip-knot", "pearl-necklace", "bow", "twisted-ring", "routed-hose", "lamp-on-a-pulley",
        ];
        let name = files[scene.index(files.len())];
        let text = std::fs::read_to_string(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut session = Session::open(&text, name, Solving::Always).unwrap();
        for dice in dice {
            let Ok(command) = Command::from_json(&sensible(session.text(), dice).to_string()) else { continue };
            let before = session.text().to_owned();
            match session.apply(&command) {
                Ok(outcome) => {
                    prop_assert!(outcome.status.is_some());
                    let solved = session.solution().unwrap();
                    let cables: toml::Table = session.text().parse().unwrap();
                    for cable in names(&cables, "cable") {
                        let profile = solved.profile(&cable).unwrap();
                        prop_assert!(profile.samples.iter().all(|s| s.position.iter().all(|c| c.is_finite())));
                    }
                }
                Err(error) => {
                    prop_assert!(matches!(error, SessionError::Command(_)));
                    prop_assert_eq!(session.text(), before);
                }
            }
        }
        while session.undo().is_ok() {}
        prop_assert_eq!(session.text(), &text);
    }
}
