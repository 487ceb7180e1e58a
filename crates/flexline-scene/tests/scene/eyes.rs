//! Eyes and winches: what they do, and what is said where they cannot be.

use crate::common::harness::{parse, says, solved};
use flexline::solver::Status;
use flexline_scene::Solution;

const SOFT: &str = "measured = { bend = \"1e-4 N m^2\", twist = \"1e-4 N m^2\", mass_per_length = \"5 g/m\", diameter = \"4 mm\" }";
const G: f64 = 9.81;

/// A load on two falls; `eye` says more about the eye of the load, `more` comes last.
fn tackle(cable: &str, eye: &str, more: &str) -> String {
    format!(
        r#"version = 1
[[port]]
name = "A"
position = [0, 0, 0]
[[port]]
name = "B"
position = [0.7, 0, -0.6]
[[part]]
name = "load"
position = [0.05, 0, -0.8]
mass = "2 kg"
[[part]]
name = "beam"
position = [0.1, 0, 0.05]
hold = "fixed"
[[cable]]
name = "rope"
length = 2.6
{SOFT}
from = "A"
grip_from = "pinned"
to = "B"
grip_to = "pinned"
{cable}
[[eye]]
name = "block"
cable = "rope"
at = 0.85
on = "load"
{eye}
[[eye]]
name = "sheave"
cable = "rope"
at = 1.7
on = "beam"
position = [0, 0, -0.05]
{more}"#
    )
}

#[test]
fn an_eye_away_from_the_centre_is_tied_to_its_part() {
    let (block, as_block) = solved(&tackle("", "", ""));
    let (tied, as_tied) = solved(&tackle("", "position = [0, 0, 0.1]", ""));
    // One tie is the sheave's to the beam.
    assert_eq!([block.constraints.len(), tied.constraints.len()], [1, 2]);
    let tension = |s: &Solution| s.report.eyes[0].tensions[0];
    assert!((tension(&as_tied) / tension(&as_block) - 1.0).abs() < 1e-6);
    let [a, b] = [&as_block, &as_tied].map(|s| s.state.anchors[2].position.z);
    assert!((a - b - 0.1).abs() < 1e-6, "{a} {b}");
    let force = tied.constraint_force(&as_tied, 0);
    assert!((force.z + 2.0 * G).abs() < 1e-6, "{force}");
    // What the sheave carries goes into the beam.
    let eyes = &as_tied.report.eyes;
    assert!(eyes[1].tensions.iter().all(|t| (t / G - 1.0).abs() < 0.02), "{eyes:?}");
    assert!((as_tied.report.reactions[3].force + tied.constraint_force(&as_tied, 1) * -1.0).norm() < 1e-6);
}

#[test]
fn what_is_reeled_in_lifts_by_half() {
    let height = |feed: &str| solved(&tackle(feed, "", "")).1.state.anchors[2].position.z;
    let lifted = height("feed = \"-200 mm\"") - height("");
    assert!((lifted - 0.1).abs() < 2e-3, "{lifted}");
}

#[test]
fn a_block_with_two_eyes_has_four_falls() {
    let more = "[[eye]]\nname = \"second block\"\ncable = \"rope\"\nat = 2.5\non = \"load\"\n\
                [[eye]]\nname = \"second sheave\"\ncable = \"rope\"\nat = 3.3\nposition = [0.14, 0, 0]\n";
    let text = tackle("", "", more).replace("length = 2.6", "length = 4.4");
    let (_, solution) = solved(&text);
    for eye in &solution.report.eyes {
        assert!(eye.tensions.iter().all(|t| (t / (0.5 * G) - 1.0).abs() < 0.02), "{eye:?}");
    }
}

#[test]
fn the_profile_is_where_the_cable_slid_to() {
    let (compiled, solution) = solved(&tackle("", "", ""));
    let samples = &solution.profiles[0].samples;
    assert!((samples[samples.len() - 1].s - compiled.cables[0].length).abs() < 1e-12);
    for (span, anchor) in [(0usize, 2usize), (1, 4)] {
        let s: f64 = solution.state.lengths[..=span].iter().sum();
        let at = samples.iter().find(|x| (x.s - s).abs() < 1e-9).unwrap();
        assert!((at.position - solution.state.anchors[anchor].position).norm() < 1e-9);
    }
    // No segment is longer or shorter than its arc length.
    for w in samples.windows(2) {
        assert!(((w[1].position - w[0].position).norm() - (w[1].s - w[0].s)).abs() < 1e-9);
    }
}

#[test]
fn friction_remembers_which_way_the_cable_went() {
    let text = |feed: &str| {
        format!(
            r#"version = 1
[[port]]
name = "hand"
position = [0.02, 0, -0.8]
[[part]]
name = "weight"
position = [-0.02, 0, -0.85]
mass = "1 kg"
[[part.connector]]
name = "hook"
position = [0, 0, 0.05]
tangent = [0, 0, 1]
[[cable]]
name = "rope"
length = 1.62
{SOFT}
from = "weight.hook"
to = "hand"
grip_to = "pinned"
feed = "{feed}"
[[eye]]
name = "bar"
cable = "rope"
at = 0.81
position = [0, 0, 0]
friction = 0.3"#
        )
    };
    for (feed, sign) in [("-40 mm", 1.0), ("40 mm", -1.0)] {
        let (_, solution) = solved(&text(feed));
        let eye = solution.report.eyes[0];
        let law = (sign * 0.3 * eye.wrap).exp();
        assert!((eye.tensions[1] / eye.tensions[0] / law - 1.0).abs() < 1e-3, "{feed}: {eye:?}");
    }
}

#[test]
fn a_poor_guess_is_settled_first() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/clothes-line.toml");
    let text = std::fs::read_to_string(folder).unwrap();
    let poor = text
        .replace("at = \"0.59 m\"", "at = \"0.6 m\"")
        .replace("\"1.76 m\", 0, \"-370 mm\"", "\"1.8 m\", 0, \"-300 mm\"")
        .replace("at = \"2.11 m\"", "at = \"2.4 m\"")
        .replace("at = \"4.43 m\"", "at = \"4.8 m\"")
        .replace("\"-1450 mm\"", "\"-900 mm\"");
    let [good, poor] = [text, poor].map(|t| solved(&t).1.state.anchors[1].position);
    assert!((good - poor).norm() < 1e-3, "{good} {poor}");
}

#[test]
fn a_cable_must_reach_through_all_its_eyes() {
    // From A over the sheave to B: 0.1 + 0.8485 m, the load wherever it likes.
    let text = tackle("", "", "").replace("length = 2.6", "length = 0.94");
    let text = text.replace("at = 0.85", "at = 0.1").replace("at = 1.7", "at = 0.2");
    assert!(parse(&text).is_ok(), "the sheave is tied to a part: left to the solver");
    let fixed = text.replace("on = \"beam\"\nposition = [0, 0, -0.05]", "position = [0.1, 0, 0]");
    says(&fixed, &["too-short", "cable 'rope' is 8.528", "port 'A', eye 'sheave', port 'B'"]);
}

#[test]
fn spans_that_are_too_short_are_named() {
    // Three ropes from the corners of a triangle: any two reach each other, all three do not meet.
    let mut text = String::from("version = 1\n[[junction]]\nname = \"knot\"\n");
    for (name, x, y) in [("A", 0.0, 0.0), ("B", 1.0, 0.0), ("C", 0.5, 0.75f64.sqrt())] {
        text += &format!("[[port]]\nname = \"{name}\"\nposition = [{x}, {y}, 0]\n");
        text += &format!("[[cable]]\nname = \"rope {name}\"\nlength = 0.55\n{SOFT}\nfrom = \"{name}\"\n");
        text += "grip_from = \"pinned\"\nto = \"knot\"\ngrip_to = \"pinned\"\n";
    }
    let compiled = parse(&text).unwrap();
    let solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::TooShort);
    let lines = compiled.short_lines(&solution.report);
    let missing = 1e3 * (1.0 / 3f64.sqrt() - 0.55);
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, name) in lines.iter().zip(["A", "B", "C"]) {
        assert!(line.contains(&format!("cable 'rope {name}' is ")), "{line}");
        assert!(line.contains(&format!("between port '{name}' and junction 'knot'")), "{line}");
        let told: f64 = line.split(' ').find_map(|w| w.parse().ok()).unwrap();
        assert!((told - missing).abs() < 0.1, "{line}: {missing}");
    }
    assert!(compiled.check(&solution).whole[0].message.contains("rope A"));
}

#[test]
fn what_cannot_slide_is_refused() {
    let zone = "[[cable.zone]]\nfrom = 0.5\nto = 0.6\npart = \"wire-6\"";
    says(&tackle(zone, "", ""), &["conflict", "changes its section between 0 mm and 2600 mm"]);
    let rest = "rest = { table = [[0.1, 0, 0, 0], [0.1, 0, 2, 0]] }";
    says(&tackle(rest, "", ""), &["conflict", "changes its rest shape"]);
    let load = "[[load]]\ncable = \"rope\"\nat = 0.4\nforce = [0, 0, -1]";
    says(&tackle("", "", load), &["conflict", "a load on cable 'rope', which slides through eyes"]);
    // A rest shape that is the same all along is none of these.
    assert!(parse(&tackle("rest = { curvature = [0.5, 0] }", "", "")).is_ok());
}

#[test]
fn mistakes_of_eyes_and_winches() {
    let eye = |keys: &str| tackle("", "", &format!("[[eye]]\nname = \"third\"\ncable = \"rope\"\n{keys}"));
    says(&eye("at = 2.2"), &["missing-key", "`position` is missing in eye 'third'"]);
    says(&eye("position = [0.2, 0, 0]"), &["missing-key", "`at` is missing in eye 'third'"]);
    says(&eye("at = 2.6\nposition = [0.2, 0, 0]"), &["is an end of the cable"]);
    says(&eye("at = 1.7\nposition = [0.2, 0, 0]"), &["is where eye 'sheave' of this cable is"]);
    says(&eye("at = 2.2\non = \"A\""), &["unknown-name", "\"A\" is not a part"]);
    says(&eye("at = 2.2\nposition = [0.2, 0, 0]\nfriction = -0.1"), &["out-of-range", "friction"]);
    says(&eye("at = 2.2\nposition = [0.2, 0, 0]\nfriction = 11"), &["out-of-range", "a [[clip]]"]);
    says(&tackle("feed = -1", "", ""), &["out-of-range", "leaves nothing of the 900 mm"]);
}
