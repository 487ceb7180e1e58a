//! Harness work: what each command does to the shape, the text and the names.

use crate::common::session::{open, refused, run, scene};
use flexline::Vec3;
use flexline::solver::{Profile, Status};
use flexline_session::command::Command;
use flexline_session::session::{Session, Solved};

fn solved(session: &Session) -> &Solved {
    session.solution().expect("a session that solves")
}

fn shape<'a>(session: &'a Session, cable: &str) -> &'a Profile {
    solved(session).profile(cable).expect("a cable")
}

/// The position at `s` of a cable, between its samples.
fn at(profile: &Profile, s: f64) -> Vec3 {
    let next = profile.samples.partition_point(|x| x.s <= s).clamp(1, profile.samples.len() - 1);
    let (a, b) = (&profile.samples[next - 1], &profile.samples[next]);
    let t = if b.s > a.s { (s - a.s) / (b.s - a.s) } else { 0.0 };
    a.position.lerp(&b.position, t)
}

/// The largest distance between two cables at equal shares of their lengths, m.
fn apart(a: &Profile, b: &Profile, reversed: bool) -> f64 {
    let end = |p: &Profile| p.samples.last().unwrap().s;
    let gap = |i: usize| {
        let t = f64::from(i as u32) / 40.0;
        let other = if reversed { 1.0 - t } else { t };
        (at(a, t * end(a)) - at(b, other * end(b))).norm()
    };
    (0..=40).map(gap).fold(0.0, f64::max)
}

/// A scene of one cable and the harness it becomes have one shape.
#[test]
fn one_cable_as_a_harness_is_the_same() {
    let mut count = 0;
    for name in [
        "brake-hose",
        "twisted-cable",
        "harness-branch",
        "hanging-wire",
        "coolant-hose",
        "patch-cord",
        "cantilever",
        "hair",
        "fuel-line",
        "battery-cable",
    ] {
        let mut session = open(&scene(name));
        let Solved { scene: before, solution, .. } = solved(&session).clone();
        let (profile, report, length) =
            (&solution.profiles[0], &solution.report, before.cables[0].cable.length);
        run(&mut session, r#"{"do": "to-harness"}"#);
        let Solved { compiled, solution, .. } = solved(&session);
        assert_eq!((report.status, solution.report.status), (Status::Converged, Status::Converged), "{name}");
        let own = &compiled.cables[0].name;
        let off = apart(profile, shape(&session, own), false);
        assert!(off < 1e-6 * length, "{name}: {off}");
        // And so has the file on its own, laid from scratch.
        let anew = open(session.text());
        assert!(apart(profile, shape(&anew, own), false) < 1e-5 * length, "{name} from its file");
        count += 1;
    }
    assert_eq!(count, 10);
}

const FREE_START: &str = r#"version = 1
[cable]
name = "arm"
length = "400 mm"
measured = { bend1 = "0.02 N m^2", bend2 = "0.05 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "10 mm" }
rest = { table = [[0, 0, 0, 0], [0.1, 2, 1, 1], [0.1, 0, 3, 0], [0.4, 1, 0, 2]] }
[[cable.zone]]
from = "10 %"
to = "150 mm"
override = { bend1 = "0.1 N m^2" }
[start]
hold = "free"
force = [0, 0, "-0.2 N"]
[end]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0.5, 0]
up = [0, 0.2, 1]
[[load]]
at = "30 %"
force = [0, "0.3 N", 0]
moment = ["0.02 N m", "-0.01 N m", 0.01]
axes = "material"
[[load]]
from = "40 %"
to = "350 mm"
axes = "material"
force_per_length = { start = ["1 N/m", 0, 0], end = [0, "-2 N/m", 0] }
"#;

/// Turned round, everything on a cable turns with it: sections, rest shape, loads in its own axes.
#[test]
fn a_cable_turned_round_is_the_same() {
    let mut session = open(FREE_START);
    let solution = solved(&session).solution.clone();
    assert_eq!(solution.report.status, Status::Converged);
    let profile = &solution.profiles[0];
    run(&mut session, r#"{"do": "to-harness"}"#);
    let off = apart(profile, shape(&session, "arm"), true);
    assert!(off < 1e-6 * 0.4, "{off}");
    let anew = open(session.text());
    let off = apart(profile, shape(&anew, "arm"), true);
    assert!(off < 1e-5 * 0.4, "{off} from its file");
}

/// Cut and joined again, a harness has the shape it had.
#[test]
fn cut_and_joined_is_what_it_was() {
    for (name, cable, at) in [
        ("clips", "sill bundle", "900 mm"),
        ("door-harness", "trunk", "70 %"),
        ("y-branch", "to the left", "40 %"),
    ] {
        let mut session = open(&scene(name));
        let before = shape(&session, cable).clone();
        let length = before.samples.last().unwrap().s;
        run(&mut session, &format!(r#"{{"do": "cut", "cable": "{cable}", "at": "{at}"}}"#));
        assert_eq!(solved(&session).status(), Status::Converged);
        // Both pieces hang.
        let sum: f64 = [cable.to_owned(), format!("{cable} 2")]
            .iter()
            .map(|c| shape(&session, c).samples.last().unwrap().s)
            .sum();
        assert!((sum - length).abs() < 1e-9);
        let moved = (0..=20).map(|i| {
            let s = f64::from(i) / 20.0 * shape(&session, cable).samples.last().unwrap().s;
            (self::at(&before, s) - self::at(shape(&session, cable), s)).norm()
        });
        assert!(moved.fold(0.0, f64::max) > 1e-4, "{name}: a free end goes its own way");
        run(&mut session, &format!(r#"{{"do": "join", "cables": ["{cable}", "{cable} 2"]}}"#));
        let off = apart(&before, shape(&session, cable), false);
        assert!(off < 1e-5 * length, "{name}: {off}");
    }
}

/// Joined cables of different parts change abruptly, without a hinge: moment and tangent go on.
#[test]
fn different_cables_join_without_a_limp_joint() {
    let mut session = open(&scene("y-branch"));
    run(&mut session, r#"{"do": "separate", "at": "fork"}"#);
    let outcome =
        run(&mut session, r#"{"do": "join", "cables": ["trunk", "to the left"], "name": "through"}"#);
    assert!(outcome.changes.iter().any(|c| c.contains("without a joint")), "{:?}", outcome.changes);
    assert_eq!(outcome.status.as_deref(), Some("converged"));
    assert!(session.text().contains("[[cable.zone]]") && session.text().contains("wire-6"));
    let Solved { compiled, .. } = solved(&session);
    let section = |s: f64| compiled.cables[0].section.at(s).stiffness;
    assert_ne!(section(0.299), section(0.301));
    let profile = shape(&session, "through");
    assert!((profile.samples.last().unwrap().s - 0.63).abs() < 1e-12);
    let k = profile.samples.iter().position(|x| x.s >= 0.3).unwrap();
    let jump = (profile.samples[k].moment_material - profile.samples[k - 1].moment_material).norm();
    let largest = profile.samples.iter().map(|x| x.moment_material.norm()).fold(0.0, f64::max);
    assert!(
        profile.samples[k].moment_material.norm() > 0.01 * largest && jump < 0.25 * largest,
        "{jump} of {largest}"
    );
}

/// A junction follows its cables, until it is moved: then it stays where it was put.
#[test]
fn a_junction_moves_only_when_selected() {
    let mut session = open(&scene("y-branch"));
    let place = |session: &Session| solved(session).pose("fork").unwrap().position;
    let first = place(&session);
    run(&mut session, r#"{"do": "move", "name": "left", "by": [0, "10 mm", 0]}"#);
    assert!((place(&session) - first).norm() > 1e-4, "it follows");
    run(&mut session, r#"{"do": "move", "name": "left", "by": [0, "-10 mm", 0]}"#);
    assert!((place(&session) - first).norm() < 1e-6, "{:?} {first:?}", place(&session));
    run(&mut session, r#"{"do": "move", "name": "fork", "by": ["-10 mm", 0, "15 mm"]}"#);
    let held = place(&session);
    assert!((held - first - Vec3::new(-0.01, 0.0, 0.015)).norm() < 1e-9);
    run(&mut session, r#"{"do": "move", "name": "left", "by": [0, "10 mm", 0]}"#);
    assert!((place(&session) - held).norm() < 1e-9, "it is held");
    run(&mut session, r#"{"do": "move", "name": "left", "by": [0, "-10 mm", 0]}"#);
    run(&mut session, r#"{"do": "release", "name": "fork"}"#);
    assert!((place(&session) - first).norm() < 1e-6, "{:?} {first:?}", place(&session));
    assert!(refused(&mut session, r#"{"do": "release", "name": "fork"}"#).contains("nothing holds it"));
    assert!(refused(&mut session, r#"{"do": "release", "name": "left"}"#).contains("cannot be released"));
}

/// Handles where the cable is leave it there, and stand at equal distances.
#[test]
fn equidistant_handles_change_nothing() {
    let mut session = open(&scene("clips"));
    let before = shape(&session, "sill bundle").clone();
    let outcome = run(
        &mut session,
        r#"{"do": "equidistant-handles", "cable": "sill bundle", "count": 2, "from": "B", "to": "C"}"#,
    );
    // The journal has numbers: nothing in it depends on the shape.
    let Command::All { of } = &outcome.command else { panic!("{:?}", outcome.command) };
    assert!(
        of.iter().all(|c| matches!(c, Command::AddHandle { with, .. } if with.contains_key("quaternion")))
    );
    let off = apart(&before, shape(&session, "sill bundle"), false);
    assert!(off < 1e-4, "{off}");
    let Solved { scene, .. } = solved(&session);
    let mut places: Vec<f64> = scene.clips.iter().map(|c| c.at).collect();
    places.sort_by(f64::total_cmp);
    let gaps: Vec<f64> = places[1..].windows(2).map(|w| w[1] - w[0]).collect();
    assert!(gaps.iter().all(|g| (g - 0.5 / 3.0).abs() < 1e-9), "{places:?}");
}

/// Only the piece that was meant gets longer; what is behind it keeps its place on the body.
#[test]
fn a_piece_gets_longer_alone() {
    let mut session = open(&scene("clips"));
    let clips = |session: &Session| -> Vec<(f64, Vec3)> {
        let Solved { scene, .. } = solved(session);
        scene.clips.iter().map(|c| (c.at, solved(session).pose(&c.name).unwrap().position)).collect()
    };
    let before = clips(&session);
    run(
        &mut session,
        r#"{"do": "set-length", "cable": "sill bundle", "between": ["A", "B"], "by": "25 mm"}"#,
    );
    let after = clips(&session);
    for ((old, new), shift) in before.iter().zip(&after).zip([0.0, 0.025, 0.025]) {
        assert!((new.0 - old.0 - shift).abs() < 1e-12, "{old:?} {new:?}");
    }
    // The first two hold their positions; the third slides along x.
    let moved: Vec<Vec3> = before.iter().zip(&after).map(|(a, b)| b.1 - a.1).collect();
    assert!(moved[0].norm() + moved[1].norm() + moved[2].yz().norm() < 1e-12, "{moved:?}");
    let Solved { scene, .. } = solved(&session);
    let zone = &scene.cables[0].cable.zones[0];
    assert!((zone.to - 1.075).abs() < 1e-12, "the sleeve behind it moved along");
    assert!((scene.cables[0].cable.length - 1.925).abs() < 1e-12);
}

/// Pulled until something is so.
#[test]
fn pulling_reaches_its_goal() {
    let mut session = open(&scene("y-branch"));
    let outcome =
        run(&mut session, r#"{"do": "set-length", "cable": "to the left", "pull": {"tension": "0.6 N"}}"#);
    assert!(matches!(outcome.command, Command::SetLength { pull: None, length: Some(_), .. }));
    let tension = shape(&session, "to the left").samples.iter().map(|s| s.tension()).fold(f64::MIN, f64::max);
    assert!((tension - 0.6).abs() < 1e-3, "{tension}");
    session.undo().unwrap();
    let first = solved(&session).pose("fork").unwrap().position;
    run(
        &mut session,
        r#"{"do": "set-length", "cable": "trunk", "pull": {"moves": {"point": "fork", "by": "5 mm"}}}"#,
    );
    let moved = (solved(&session).pose("fork").unwrap().position - first).norm();
    assert!((moved - 0.005).abs() < 1e-5, "{moved}");
    let told = refused(
        &mut session,
        r#"{"do": "set-length", "cable": "trunk", "pull": {"moves": {"point": "left", "by": "5 mm"}}}"#,
    );
    assert!(told.contains("does not reach its goal"), "{told}");
}

/// What cannot reach is accepted, told, and shown as near as it comes.
#[test]
fn too_short_is_a_status() {
    let mut session = open(&scene("clips"));
    let outcome = run(
        &mut session,
        r#"{"do": "set-length", "cable": "sill bundle", "between": ["A", "B"], "length": "500 mm"}"#,
    );
    let status = outcome.status.unwrap();
    assert!(status.starts_with("too short: cable 'sill bundle' is"), "{status}");
    assert!(shape(&session, "sill bundle").samples.iter().all(|s| s.position.iter().all(|c| c.is_finite())));
    assert_eq!(session.undo().unwrap().status.as_deref(), Some("converged"));
    let mut hose = open(&scene("brake-hose"));
    let outcome = run(&mut hose, r#"{"do": "prolong", "cable": "brake hose", "by": "-200 mm"}"#);
    assert!(outcome.status.unwrap().starts_with("too short: cable "));
}

/// Full turns are counted, and undoing takes them back.
#[test]
fn turns_add_up() {
    let mut session = open(&scene("y-branch"));
    let turns = |session: &Session| {
        let Solved { compiled, solution, .. } = solved(session);
        compiled.twist_turns(&solution.state, 1)
    };
    let first = turns(&session);
    run(&mut session, r#"{"do": "turn", "cable": "to the left", "by": "2 turns"}"#);
    let two = turns(&session);
    run(&mut session, r#"{"do": "turn", "cable": "to the left", "by": "-2 turns"}"#);
    assert!(two - first > 1.0, "{first} {two}");
    assert!((turns(&session) - first).abs() < 1e-3, "{first} {}", turns(&session));
}

/// A new cable as long as it needs to be.
#[test]
fn a_cable_with_slack() {
    let mut session = open(&scene("y-branch"));
    run(
        &mut session,
        r#"{"do": "create-cable", "name": "bond", "from": "bulkhead", "to": "right", "slack": "5 %", "with": {"part": "wire-2.5"}}"#,
    );
    let Solved { scene, .. } = solved(&session);
    let length = scene.cables[3].cable.length;
    let reach = (scene.ports[2].position - scene.ports[0].position).norm();
    assert!(length > 1.04 * reach && length < 1.3 * reach, "{length} for {reach}");
    assert_eq!(solved(&session).status(), Status::Converged);
}

/// The user's comments and order survive.
#[test]
fn comments_survive() {
    let text = scene("clips");
    let mut session = open(&text);
    run(&mut session, r#"{"do": "add-handle", "cable": "sill bundle", "at": "1.7 m", "name": "D"}"#);
    run(&mut session, r#"{"do": "rename", "name": "A", "to": "first"}"#);
    let comments =
        |text: &str| text.lines().filter(|l| l.starts_with('#')).map(String::from).collect::<Vec<_>>();
    assert_eq!(comments(session.text()), comments(&text));
    let old: Vec<&str> = text.lines().filter(|l| !l.contains("\"A\"")).collect();
    let mut kept = session.text().lines();
    assert!(old.iter().all(|line| kept.any(|l| l == *line)), "lines keep their order:\n{}", session.text());
}

/// What is used is not removed; what is renamed is renamed everywhere.
#[test]
fn names_hang_together() {
    let mut session = open(&scene("control-unit"));
    let told = refused(&mut session, r#"{"do": "remove", "name": "unit"}"#);
    assert!(told.contains("used by cable 'front cable', cable 'rear cable'"), "{told}");
    run(&mut session, r#"{"do": "rename", "name": "unit", "to": "ECU"}"#);
    assert!(session.text().contains("to = \"ECU.front\"") && session.text().contains("from = \"ECU.rear\""));
    run(&mut session, r#"{"do": "rename", "name": "ECU.rear", "to": "back"}"#);
    assert!(session.text().contains("from = \"ECU.back\""));
    run(&mut session, r#"{"do": "rename", "name": "front cable", "to": "A"}"#);
    let told = refused(&mut session, r#"{"do": "rename", "name": "rear cable", "to": "A"}"#);
    assert!(told.contains("is the name of a cable already"), "{told}");
    run(&mut session, r#"{"do": "remove", "name": "rear bulkhead", "with_users": true}"#);
    assert!(!session.text().contains("rear cable"));
    assert_eq!(solved(&session).status(), Status::Converged);
}

/// Refusals name place, value, expectation and remedy.
#[test]
fn refusals_help() {
    let mut session = open(&scene("door-harness"));
    for (command, told) in [
        (r#"{"do": "cut", "cable": "trnk", "at": "40 %"}"#, "did you mean \"trunk\"?"),
        (r#"{"do": "cut", "cable": "trunk", "at": "2 m"}"#, "expected 0 to 1000 mm"),
        (r#"{"do": "cut", "cable": "trunk", "at": "3 kg"}"#, "is a mass, not a length"),
        (r#"{"do": "cut", "cable": "trunk", "at": "grommet"}"#, "cut beside it"),
        (
            r#"{"do": "join", "cables": ["trunk", "to the latch"]}"#,
            "separate it first: {\"do\": \"separate\"",
        ),
        (
            r#"{"do": "add", "kind": "port", "with": {"name": "P", "position": [0, 0, 0], "tangnet": [1, 0, 0]}}"#,
            "did you mean `tangent`?",
        ),
        (r#"{"do": "create-cable", "name": "new", "from": "fork", "to": "latch"}"#, "give a length"),
        (
            r#"{"do": "set", "kind": "cable", "name": "trunk", "key": "part", "value": "bundle"}"#,
            "is not in the library",
        ),
        (r#"{"do": "set", "kind": "cable", "name": "trunk", "key": "name", "value": "x"}"#, "use rename"),
        (r#"{"do": "move", "name": "fork", "to": [0, 0, "x"]}"#, "does not begin with a number"),
    ] {
        let text = refused(&mut session, command);
        assert!(text.contains(told), "{command}\n{text}");
    }
    let mut ring = open(&scene("ring"));
    assert!(refused(&mut ring, r#"{"do": "to-harness"}"#).contains("a harness has no rings"));
}

/// Keys of any table, zones included.
#[test]
fn properties_change_abruptly() {
    let mut session = open(&scene("clips"));
    run(
        &mut session,
        r#"{"do": "set-zone", "cable": "sill bundle", "from": "900 mm", "to": "1 m", "with": {"name": "tape", "override": {"bend": "0.2 N m^2"}}}"#,
    );
    let Solved { scene, .. } = solved(&session);
    let zones: Vec<(f64, f64)> = scene.cables[0].cable.zones.iter().map(|z| (z.from, z.to)).collect();
    assert_eq!(zones.len(), 3, "the sleeve was there on both sides: {zones:?}");
    run(
        &mut session,
        r#"{"do": "set", "kind": "cable", "name": "sill bundle", "key": "zone[1].override.bend", "value": "0.3 N m^2"}"#,
    );
    run(
        &mut session,
        r#"{"do": "set", "kind": "cable", "name": "sill bundle", "key": "use", "value": "dynamic"}"#,
    );
    run(&mut session, r#"{"do": "set", "kind": "world", "key": "gravity", "value": "none"}"#);
    run(
        &mut session,
        r#"{"do": "set", "kind": "cable", "name": "sill bundle", "key": "use", "value": null}"#,
    );
    run(&mut session, r#"{"do": "set-zone", "cable": "sill bundle", "from": "from", "to": "to"}"#);
    let Solved { scene, .. } = solved(&session);
    assert!(scene.cables[0].cable.zones.is_empty() && scene.gravity == Vec3::zeros());
    assert!(!session.text().contains("dynamic"));
}

/// Eyes go with the piece that they are on now, not with the one where they were first guessed to be.
#[test]
fn a_cut_parts_eyes_as_they_are() {
    let text = r#"version = 1
[[port]]
name = "hook"
position = [0, 0, 0]
[[port]]
name = "cleat"
position = ["1 m", 0, 0]
[[part]]
name = "lamp"
position = ["200 mm", 0, "-600 mm"]
mass = "2 kg"
[[cable]]
name = "cord"
length = "2 m"
part = "climbing-rope"
from = "hook"
grip_from = "pinned"
to = "cleat"
grip_to = "pinned"
[[eye]]
name = "pulley"
cable = "cord"
at = "600 mm"
on = "lamp"
"#;
    let mut session = open(text);
    // The lamp runs to the middle: 0.7 m is before it now, and was behind the guess.
    let outcome = run(&mut session, r#"{"do": "cut", "cable": "cord", "at": "700 mm"}"#);
    let Command::All { of } = &outcome.command else { panic!("{:?}", outcome.command) };
    assert!(matches!(&of[0], Command::Set { name: Some(name), .. } if name == "pulley"));
    let Solved { scene, .. } = solved(&session);
    assert_eq!(scene.cables[scene.eyes[0].cable].cable.name, "cord 2");
    assert!((scene.eyes[0].at - 1.0).abs() < 0.02, "{}", scene.eyes[0].at);
}

/// Lists written inline become headings where they are edited; what stood before them stays.
#[test]
fn inline_lists_are_edited_as_well() {
    let text = r#"version = 1
# The ports.
port = [
  { name = "a", position = [0, 0, 0], tangent = [1, 0, 0] },
  { name = "b", position = ["400 mm", 0, 0], tangent = [1, 0, 0], up = [0, 0, 1] },
]
# The one cable.
cable = [{ name = "c", length = 0.5, part = "wire-4", from = "a", to = "b", zone = [{ from = "20 %", to = "40 %", part = "wire-6" }] }]
"#;
    let mut session = open(text);
    let before = shape(&session, "c").clone();
    run(&mut session, r#"{"do": "cut", "cable": "c", "at": "30 %"}"#);
    run(&mut session, r#"{"do": "join", "cables": ["c", "c 2"]}"#);
    assert!(apart(&before, shape(&session, "c"), false) < 1e-5 * 0.5);
    for piece in ["# The ports.\n[[port]]\nname = \"a\"", "# The one cable.\n[[cable]]\n", "[[cable.zone]]\n"]
    {
        assert_eq!(session.text().matches(piece).count(), 1, "{piece}\n{}", session.text());
    }
    assert_eq!(session.text().matches('#').count(), 2, "{}", session.text());
}
