//! Commands on what slides and on what finds its own length: beads, eyes, pulleys, routed cables, sliding handles.

use crate::common::session::{open, refused, run, scene};
use flexline::algebra::rotation;
use flexline::solver::{Profile, Status};
use flexline_session::session::{Session, Solving};

fn profile<'a>(session: &'a Session, cable: &str) -> &'a Profile {
    session.solution().and_then(|s| s.profile(cable)).expect("a cable")
}

fn length(session: &Session, cable: &str) -> f64 {
    profile(session, cable).samples.last().unwrap().s
}

fn status(session: &Session) -> Status {
    session.solution().unwrap().status()
}

fn place(session: &Session, node: &str) -> flexline::Vec3 {
    session.solution().unwrap().pose(node).unwrap_or_else(|| panic!("no {node}")).position
}

/// The largest distance between samples of two cables at equal shares of their lengths, m.
fn apart(a: &Profile, b: &Profile, reversed: bool) -> f64 {
    // Cubic through both positions along both tangents: what is left is the mesh.
    let at = |p: &Profile, t: f64| {
        let s = t * p.samples.last().unwrap().s;
        let next = p.samples.partition_point(|x| x.s <= s).clamp(1, p.samples.len() - 1);
        let (a, b) = (&p.samples[next - 1], &p.samples[next]);
        let h = b.s - a.s;
        let t = if h > 0.0 { (s - a.s) / h } else { 0.0 };
        let (t2, t3) = (t * t, t * t * t);
        let [ta, tb] = [a, b].map(|x| rotation::tangent(&x.frame) * h);
        a.position * (2.0 * t3 - 3.0 * t2 + 1.0)
            + ta * (t3 - 2.0 * t2 + t)
            + b.position * (3.0 * t2 - 2.0 * t3)
            + tb * (t3 - t2)
    };
    let share = |i: i32| f64::from(i) / 50.0;
    (0..=50)
        .map(|i| (at(a, share(i)) - at(b, if reversed { 1.0 - share(i) } else { share(i) })).norm())
        .fold(0.0, f64::max)
}

#[test]
fn the_slider_goes_from_straight_to_bent() {
    let mut session = open(&scene("routed-hose"));
    let mut found = Vec::new();
    for slider in [0.0, 0.25, 0.5, 0.75] {
        let outcome =
            run(&mut session, &format!(r#"{{"do": "route", "cable": "hose", "slider": {slider}}}"#));
        assert_eq!(status(&session), Status::Converged, "{slider}: {:?}", outcome.status);
        // What is journaled is a length: it does not ask for the shape again.
        assert!(outcome.command.to_json().contains("bend_length"), "{}", outcome.command.to_json());
        assert!(outcome.status.unwrap().contains("cable 'hose' takes"));
        found.push(length(&session, "hose"));
    }
    assert!(found.windows(2).all(|w| w[0] < w[1]), "{found:?}");
    let told = refused(&mut session, r#"{"do": "route", "cable": "hose", "slider": 1.5}"#);
    assert!(told.contains("expected 0 (straight) to 1 (bent)"), "{told}");
    let told = refused(&mut session, r#"{"do": "route", "cable": "hose"}"#);
    assert!(told.contains("give one of `tension`, `bend_length` and `slider`"), "{told}");
    let told = refused(&mut session, r#"{"do": "route", "cable": "hose", "tension": "-1 N"}"#);
    assert!(told.contains("expected more than 0 N"), "{told}");
    let told =
        refused(&mut session, r#"{"do": "route", "cable": "hose", "tension": "1 N", "length": "1 m"}"#);
    assert!(told.contains("finds its own length"), "{told}");
    let told = refused(&mut session, r#"{"do": "set-length", "cable": "hose", "pull": {"tension": "1 N"}}"#);
    assert!(told.contains("switch routing off first"), "{told}");
}

/// Switched off, a cable keeps the length it found, piece by piece between its clips, and stays where it is.
#[test]
fn the_length_found_is_kept() {
    let mut session = open(&scene("routed-hose"));
    let before = profile(&session, "hose").clone();
    run(&mut session, r#"{"do": "route", "cable": "hose", "on": false}"#);
    assert!(!session.text().contains("\nroute ="));
    assert_eq!(status(&session), Status::Converged);
    // Segments are shared out by the length of the pieces: what differs is the mesh.
    let off = apart(&before, profile(&session, "hose"), false);
    assert!(off < 5e-5, "{off}");
    // Found again from there, on the same mesh, it is the same to the last digits; and from the file alone.
    run(&mut session, r#"{"do": "route", "cable": "hose", "bend_length": "60 mm"}"#);
    let before = profile(&session, "hose").clone();
    run(&mut session, r#"{"do": "route", "cable": "hose", "on": false}"#);
    let off = apart(&before, profile(&session, "hose"), false);
    assert!(off < 1e-7, "{off}");
    let anew = open(session.text());
    assert!(apart(&before, profile(&anew, "hose"), false) < 1e-7);
    let told = refused(&mut session, r#"{"do": "route", "cable": "hose", "on": false}"#);
    assert!(told.contains("does not find its own length"), "{told}");
    // Without a shape the length of the file stays.
    let mut text = Session::open(&scene("routed-hose"), "hose", Solving::Never).unwrap();
    run(&mut text, r#"{"do": "route", "cable": "hose", "on": false}"#);
    assert!(text.text().contains("length = \"720 mm\"") && !text.text().contains("\nroute ="));
    let told = refused(&mut text, r#"{"do": "route", "cable": "hose", "slider": 0.5}"#);
    assert!(told.contains("asks for the present shape"), "{told}");
}

/// What is cut off or taken off does not find its length any more: it keeps what it had.
#[test]
fn a_free_end_keeps_the_length_found() {
    for command in
        [r#"{"do": "cut", "cable": "hose", "at": "80 %"}"#, r#"{"do": "separate", "at": "cooler"}"#]
    {
        let mut session = open(&scene("routed-hose"));
        let found = length(&session, "hose");
        run(&mut session, command);
        assert_eq!(status(&session), Status::Converged);
        let mut now = length(&session, "hose");
        if command.contains("cut") {
            assert!((now - 0.8 * found).abs() < 1e-9, "{now} of {found}");
            now += length(&session, "hose 2");
        }
        assert!((now - found).abs() < 1e-9, "{now} {found}");
    }
}

/// A port of a routed cable is moved: the cable takes the length it needs there, also where that is more than it had.
#[test]
fn a_moved_port_finds_a_new_length() {
    let mut session = open(&scene("routed-hose"));
    let mut last = length(&session, "hose");
    for by in [0.05, 0.1, 0.4] {
        run(&mut session, &format!(r#"{{"do": "move", "name": "cooler", "by": [{by}, 0, 0]}}"#));
        assert_eq!(status(&session), Status::Converged, "{by}");
        let now = length(&session, "hose");
        assert!(now > last + 0.5 * by && now < last + 1.5 * by, "{by}: {last} to {now}");
        last = now;
    }
    // The same as from the file alone.
    let anew = open(session.text());
    assert_eq!(status(&anew), Status::Converged);
    assert!((length(&anew, "hose") - last).abs() < 1e-6, "{last} {}", length(&anew, "hose"));
}

/// A handle slides along an axis, on a line, on a path; fixed again it holds where it is.
#[test]
fn handles_slide_and_are_fixed_again() {
    let mut session = open(&scene("clips"));
    // How the other holds are rolled must not hang on this one.
    for (kind, name, up) in [("clip", "C", "[0, 0, 1]"), ("port", "tail lamp", "[-1, 0, 0.4]")] {
        run(
            &mut session,
            &format!(r#"{{"do": "set", "kind": "{kind}", "name": "{name}", "key": "up", "value": {up}}}"#),
        );
    }
    let text: toml::Table = session.text().parse().unwrap();
    let clip = text["clip"][0]["name"].as_str().unwrap().to_owned();
    let first = place(&session, &clip);
    let say = |what: &str| format!(r#"{{"do": "set-handle", "name": "{clip}", {what}}}"#);
    let ways = [
        r#""slides": ["x"]"#,
        r#""line": {"direction": [1, 0, 0]}"#,
        &format!(
            r#""path": {{"points": [[{}, {}, {}], [{}, {}, {}], [{}, {}, {}]]}}"#,
            first.x - 0.05,
            first.y,
            first.z,
            first.x,
            first.y,
            first.z,
            first.x + 0.05,
            first.y,
            first.z
        ),
    ];
    for way in ways {
        run(&mut session, &say(way));
        assert_eq!(status(&session), Status::Converged, "{way}");
        let slid = place(&session, &clip);
        assert!((slid.y - first.y).abs() < 1e-8 && (slid.z - first.z).abs() < 1e-8, "{way}: {slid} {first}");
        let tables: toml::Table = session.text().parse().unwrap();
        let count = tables.get("constraint").and_then(|c| c.as_array()).map_or(0, Vec::len);
        assert_eq!(count, usize::from(!way.contains("slides")), "one way at most");
        // Fixed, it stays where it slid to, and so does the cable.
        let cable = tables["clip"][0]["cable"].as_str().unwrap().to_owned();
        let shape = profile(&session, &cable).clone();
        run(&mut session, &say(r#""hold": "clamped""#));
        assert_eq!(status(&session), Status::Converged);
        assert!((place(&session, &clip) - slid).norm() < 1e-9, "{way}");
        let off = apart(&shape, profile(&session, &cable), false);
        assert!(off < 1e-6, "{way}: {off}");
        assert!(!session.text().contains("way of"), "{}", session.text());
    }
    let told = refused(&mut session, &say(r#""hold": "pinned", "line": {"direction": [1, 0, 0]}"#));
    assert!(told.contains("give `hold` to fix it where it is"), "{told}");
    let told = refused(&mut session, &say(r#""line": {"direction": [1, 0, 0], "point": "x"}"#));
    assert!(told.contains("does not belong in `line`"), "{told}");
    let told = refused(&mut session, r#"{"do": "set-handle", "name": "nobody", "hold": "free"}"#);
    assert!(told.contains("is not a clip"), "{told}");
}

/// Every node of every scene renamed: whatever names it follows. Renamed back, the scene is what it was.
#[test]
fn names_are_changed_wherever_they_stand() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let tables: toml::Table = text.parse().unwrap();
        if !tables.get("cable").is_some_and(toml::Value::is_array) {
            continue;
        }
        let mut session = Session::open(&text, "scene", Solving::Never).unwrap();
        for kind in ["port", "part", "junction", "clip", "eye", "bead", "cable"] {
            let list = tables.get(kind).and_then(|l| l.as_array()).map_or(&[][..], |l| l);
            for name in list.iter().filter_map(|t| t.get("name")?.as_str()) {
                let rename = |from: &str, to: &str| {
                    format!(r#"{{"do": "rename", "kind": "{kind}", "name": "{from}", "to": "{to}"}}"#)
                };
                run(&mut session, &rename(name, "another name"));
                let now: toml::Table = session.text().parse().unwrap();
                let (lists, keys): (&[&str], &[&str]) = match kind {
                    "cable" => (&["clip", "eye", "bead", "load"], &["cable"]),
                    _ => {
                        (&["cable", "eye", "constraint", "motion"], &["from", "to", "on", "point", "target"])
                    }
                };
                for list in lists {
                    let items = now.get(*list).and_then(|l| l.as_array()).map_or(&[][..], |l| l);
                    for item in items {
                        let named = |key: &&str| item.get(*key).and_then(|v| v.as_str()) == Some(name);
                        assert!(!keys.iter().any(named), "{} {name}: {item}", file.display());
                    }
                }
                run(&mut session, &rename("another name", name));
                // Lists that were written in one line are written as headings now.
                let back: toml::Table = session.text().parse().unwrap();
                assert_eq!(back, tables, "{} {name}", file.display());
                count += 1;
            }
        }
    }
    assert!(count > 150, "{count}");
}

/// What others use is not removed; the users are named, whatever they are.
#[test]
fn users_of_every_kind_are_named() {
    let mut bow = open(&scene("bow"));
    let told = refused(&mut bow, r#"{"do": "remove", "name": "arrow"}"#);
    assert!(
        told.contains("part 'arrow' is used by") && told.contains("constraint 'string on arrow'"),
        "{told}"
    );
    let mut knot = open(&scene("slip-knot"));
    let told = refused(&mut knot, r#"{"do": "remove", "name": "knot"}"#);
    assert!(told.contains("eye 'knot' is used by cable 'rope'"), "{told}");
    let mut pearls = open(&scene("pearl-necklace"));
    let told = refused(&mut pearls, r#"{"do": "remove", "name": "thread"}"#);
    assert!(told.contains("bead 'pearl 1'"), "{told}");
    run(&mut pearls, r#"{"do": "remove", "name": "pearl 12"}"#);
    assert_eq!(status(&pearls), Status::Converged);
    assert!(!pearls.text().contains("\"pearl 12\""));
    let mut chain = Session::open(&scene("drag-chain"), "chain", Solving::Never).unwrap();
    let tables: toml::Table = chain.text().parse().unwrap();
    let target = tables["motion"][0]["target"].as_str().unwrap().to_owned();
    let told = refused(&mut chain, &format!(r#"{{"do": "remove", "name": "{target}"}}"#));
    assert!(told.contains("motion 'motion 1'"), "{told}");
    let told = refused(&mut chain, r#"{"do": "rename", "name": "motion 1", "to": "x"}"#);
    assert!(told.contains("a motion has no name"), "{told}");
    run(&mut chain, r#"{"do": "remove", "name": "motion 1"}"#);
    assert!(!chain.text().contains("[[motion]]"));
}

/// A cable taken off its beginning and fastened there again runs the other way round; pulleys, eyes, beads and what is
/// given in their axes turn with it, so that nothing moves.
#[test]
fn turned_round_it_is_the_same() {
    for (name, cable, from) in [
        ("pulley", "rope", "weight.hook"),
        ("slip-knot", "rope", "weight.ring"),
        ("pearl-necklace", "thread", "left"),
        ("bow", "string", "upper tip.string"),
    ] {
        let mut session = open(&scene(name));
        let before = profile(&session, cable).clone();
        // What ends there now points the other way: the plug is turned with it.
        let (grip, plug) = match from.split_once('.') {
            Some(("weight", _)) => (
                "clamped",
                format!(
                    r#"{{"do": "set", "kind": "connector", "name": "{from}", "key": "tangent", "value": [0, 0, -1]}}, "#
                ),
            ),
            _ => ("pinned", String::new()),
        };
        run(
            &mut session,
            &format!(
                r#"{{"do": "all", "of": [{plug}{{"do": "separate", "at": "{from}", "cable": "{cable}"}}, {{"do": "attach", "cable": "{cable}", "to": "{from}", "with": {{"grip_to": "{grip}"}}}}]}}"#
            ),
        );
        assert_eq!(status(&session), Status::Converged, "{name}: {}", session.text());
        let off = apart(&before, profile(&session, cable), true);
        assert!(off < 1e-5, "{name}: {off}");
    }
}

/// A thread from a post through an eye on a clip of another cable, with a tag at its end that keeps to that clip.
const TURNED: &str = r#"version = 1
[[port]]
name = "a"
position = [0, 0, 0]
tangent = [1, 0, 0]
up = [0, 0, 1]
[[port]]
name = "b"
position = ["600 mm", 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "c"
position = ["250 mm", "220 mm", 0]
[[part]]
name = "tag"
position = ["300 mm", 0, "-60 mm"]
mass = "40 g"
[[part.connector]]
name = "pin"
tangent = [0, 0, -1]
[[cable]]
name = "spine"
length = "700 mm"
part = "wire-6"
from = "a"
to = "b"
[[clip]]
name = "mid"
cable = "spine"
at = "45 %"
hold = "free"
[[eye]]
name = "guide"
cable = "thread"
at = "50 %"
on = "mid"
position = ["5 mm", "30 mm", "12 mm"]
tangent = [0.2, 0.1, 1]
[[cable]]
name = "thread"
length = "520 mm"
part = "wire-0.5"
from = "c"
grip_from = "pinned"
to = "tag.pin"
grip_to = "pinned"
[[constraint]]
name = "held off"
kind = "plane"
point = "tag"
on = "mid"
through = [0, "20 mm", 0]
normal = [0.1, 1, 0.3]
[[constraint]]
name = "level"
kind = "aligned"
from = "tag"
to = "mid"
axis = [1, 0.5, 0]
angle = "70 deg"
[[bead]]
name = "ball"
cable = "thread"
at = "20 %"
mass = "3 g"
radius = "4 mm"
"#;

/// What is given in the axes of a clip goes with it when its cable is turned round.
#[test]
fn axes_of_a_turned_cable() {
    let mut session = open(TURNED);
    assert_eq!(status(&session), Status::Converged);
    let before = ["spine", "thread"].map(|c| profile(&session, c).clone());
    run(
        &mut session,
        r#"{"do": "all", "of": [{"do": "set", "kind": "port", "name": "a", "key": "tangent", "value": [-1, 0, 0]},
            {"do": "separate", "at": "a"}, {"do": "attach", "cable": "spine", "to": "a"}]}"#,
    );
    assert_eq!(status(&session), Status::Converged, "{}", session.text());
    for (cable, was) in ["spine", "thread"].into_iter().zip(&before) {
        let off = apart(was, profile(&session, cable), cable == "spine");
        assert!(off < 1e-6, "{cable}: {off}\n{}", session.text());
    }
}

/// Cut, beads and eyes go to the piece that they have slid to, whatever the file guessed.
#[test]
fn a_cut_parts_what_slid() {
    let first = TURNED
        .replace("at = \"20 %\"", "at = \"90 %\"")
        .replace("[\"250 mm\", \"220 mm\", 0]", "[\"250 mm\", \"220 mm\", \"200 mm\"]");
    let mut session = open(&first);
    let outcome = run(&mut session, r#"{"do": "cut", "cable": "thread", "at": "40 mm"}"#);
    let text: toml::Table = session.text().parse().unwrap();
    let ball = &text["bead"][0];
    // It has run down, behind the cut.
    assert_eq!(ball["cable"].as_str(), Some("thread 2"), "{:?}", outcome.changes);
    assert_eq!(text["eye"][0]["cable"].as_str(), Some("thread 2"));
    // The journal has numbers: without a shape the same comes out.
    let again = flexline_session::command::edit(&first, &outcome.command);
    assert_eq!(again.unwrap().text, session.text());
}

/// A cable through eyes is pulled: by a tension, and until what hangs in an eye has moved.
#[test]
fn pulling_through_eyes() {
    let mut session = open(&scene("lamp-on-a-pulley"));
    let text: toml::Table = session.text().parse().unwrap();
    let cable = text["cable"][0]["name"].as_str().unwrap().to_owned();
    let eye = text["eye"].as_array().unwrap().iter().find(|e| e.get("on").is_some()).unwrap();
    let (eye, part) = (eye["name"].as_str().unwrap().to_owned(), eye["on"].as_str().unwrap().to_owned());
    let before = place(&session, &eye);
    for point in [&eye, &part] {
        let from = place(&session, point);
        let outcome = run(
            &mut session,
            &format!(
                r#"{{"do": "set-length", "cable": "{cable}", "pull": {{"moves": {{"point": "{point}", "by": "40 mm"}}}}}}"#
            ),
        );
        assert_eq!(status(&session), Status::Converged, "{:?}", outcome.changes);
        let moved = (place(&session, point) - from).norm();
        assert!((moved - 0.04).abs() < 1e-4, "{moved}");
    }
    assert!(place(&session, &eye).z > before.z + 0.05, "pulled up");
    let told = refused(
        &mut session,
        &format!(
            r#"{{"do": "set-length", "cable": "{cable}", "pull": {{"moves": {{"point": "nobody", "by": "40 mm"}}}}}}"#
        ),
    );
    assert!(told.contains("name a junction, part, clip, eye or bead"), "{told}");
    // By a tension: what is between an eye and an end is pulled, the rest follows through the eye.
    let mut line = open(THROUGH);
    let tension = |session: &Session| {
        profile(session, "line").samples.iter().map(|s| s.tension()).fold(f64::NEG_INFINITY, f64::max)
    };
    for wanted in [2.0, 0.5] {
        let pull = format!(
            r#"{{"do": "set-length", "cable": "line", "between": ["ring", "to"], "pull": {{"tension": {wanted}}}}}"#
        );
        run(&mut line, &pull);
        assert_eq!(status(&line), Status::Converged);
        assert!((tension(&line) - wanted).abs() < 2e-3 * wanted, "{} {wanted}", tension(&line));
    }
}

const THROUGH: &str = r#"version = 1
[[port]]
name = "a"
position = [0, 0, 0]
[[port]]
name = "b"
position = ["600 mm", 0, 0]
[[cable]]
name = "line"
length = "650 mm"
part = "wire-2.5"
from = "a"
grip_from = "pinned"
to = "b"
grip_to = "pinned"
[[eye]]
name = "ring"
cable = "line"
at = "30 %"
position = ["300 mm", 0, "60 mm"]
"#;

/// A bead is taken in hand, and let go.
#[test]
fn beads_are_moved_and_released() {
    let mut session = open(&scene("pearl-necklace"));
    let first = place(&session, "pearl 12");
    run(&mut session, r#"{"do": "move", "name": "pearl 12", "by": ["5 mm", 0, "10 mm"]}"#);
    assert_eq!(status(&session), Status::Converged);
    let moved = place(&session, "pearl 12") - first;
    assert!((moved - flexline::Vec3::new(0.005, 0.0, 0.01)).norm() < 1e-8, "{moved}");
    run(&mut session, r#"{"do": "release", "name": "pearl 12"}"#);
    assert_eq!(session.text(), scene("pearl-necklace"));
    assert!((place(&session, "pearl 12") - first).norm() < 1e-5);
    let told = refused(&mut session, r#"{"do": "release", "name": "pearl 12"}"#);
    assert!(told.contains("nothing holds it but its cables"), "{told}");
}

/// Nothing that is nested without end, or grows without end, is taken.
#[test]
fn bounds() {
    let mut session = Session::open(&scene("routed-hose"), "hose", Solving::Never).unwrap();
    let key = vec!["a"; 200_000].join(".");
    let told = refused(
        &mut session,
        &format!(r#"{{"do": "set", "kind": "cable", "name": "hose", "key": "{key}", "value": 1}}"#),
    );
    assert!(told.contains("is too deep"), "{told}");
    let nested = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    let told = refused(
        &mut session,
        &format!(r#"{{"do": "set", "kind": "cable", "name": "hose", "key": "rest", "value": {nested}}}"#),
    );
    assert!(told.contains("not nested deeply"), "{told}");
    let one = r#"{"do": "prolong", "cable": "hose", "by": "1 um"}"#;
    let told = refused(&mut session, &format!(r#"{{"do": "all", "of": [{}]}}"#, vec![one; 10_001].join(",")));
    assert!(told.contains("more than 10000 commands"), "{told}");
    let title = "x".repeat(2_000_000);
    let set = format!(r#"{{"do": "set", "kind": "scene", "key": "title", "value": "{title}"}}"#);
    let told =
        refused(&mut session, &format!(r#"{{"do": "all", "of": [{set}, {}]}}"#, vec![one; 200].join(",")));
    assert!(told.contains("too many for a scene of this size"), "{told}");
}
