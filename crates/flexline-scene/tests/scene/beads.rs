//! Beads, pulleys, slip-knots, routing and constraints of every kind: what they do, and what is said where they
//! cannot be.

use crate::common::harness::{parse, says, solved};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::Status;
use flexline_scene::{Compiled, Solution};
use std::f64::consts::PI;

const SOFT: &str = "measured = { bend = \"1e-5 N m^2\", twist = \"1e-5 N m^2\", mass_per_length = \"1 g/m\", diameter = \"1 mm\" }";
const G: f64 = 9.81;

/// A string between two ports, with `more` behind it.
fn string(cable: &str, more: &str) -> String {
    format!(
        r#"version = 1
[[port]]
name = "A"
position = [0, 0, 0]
[[port]]
name = "B"
position = [0.3, 0, 0]
[[cable]]
name = "string"
length = 0.6
segments = 40
{SOFT}
from = "A"
grip_from = "pinned"
{cable}
{more}"#
    )
}

const TO_B: &str = "to = \"B\"\ngrip_to = \"pinned\"";

fn bead(name: &str, at: f64, keys: &str) -> String {
    format!(
        "[[bead]]\nname = \"{name}\"\ncable = \"string\"\nat = {at}\nmass = \"5 g\"\nradius = \"10 mm\"\n{keys}\n"
    )
}

fn place(compiled: &Compiled, solution: &Solution, name: &str) -> Vec3 {
    let i = compiled.anchors.iter().position(|a| a.name == name).unwrap();
    solution.state.anchors[i].position
}

#[test]
fn beads_run_together_and_keep_apart() {
    let text = string(TO_B, &(bead("one", 0.2, "") + &bead("two", 0.3, "") + &bead("three", 0.45, "")));
    let (compiled, solution) = solved(&text);
    let [a, b, c] = ["one", "two", "three"].map(|n| place(&compiled, &solution, n));
    for d in [(a - b).norm(), (b - c).norm()] {
        assert!((d - 0.02).abs() < 1e-9, "{d}");
    }
    // In the middle, the middle one lowest, all of the weight on the ports.
    assert!((b.x - 0.15).abs() < 1e-3 && b.z < a.z && b.z < c.z, "{a} {b} {c}");
    let held: Vec3 = solution.report.reactions.iter().map(|r| r.force).sum();
    assert!((held.z - (0.015 + 0.0006) * G).abs() < 1e-9, "{held}");
    assert!(compiled.eye_place(&solution.state, 1) - compiled.eye_place(&solution.state, 0) >= 0.02);
}

#[test]
fn a_bead_rests_on_the_stop_beside_it() {
    let clip = "[[clip]]\nname = \"stop\"\ncable = \"string\"\nat = 0.55\nhold = \"free\"\n";
    let (compiled, solution) = solved(&string("to = \"free\"", &(bead("one", 0.3, "") + clip)));
    let d = place(&compiled, &solution, "one") - place(&compiled, &solution, "stop");
    assert!((d.norm() - 0.01).abs() < 1e-9 && d.z > 0.0, "{d}");
    let force = compiled.constraint_force(&solution, compiled.constraints.len() - 1);
    assert!((force.z - 0.005 * G).abs() < 1e-6, "{force}");
}

#[test]
fn mistakes_of_beads() {
    let one = bead("one", 0.3, "");
    says(
        &string(TO_B, &(one.clone() + &bead("two", 0.315, ""))),
        &["conflict", "bead 'one' and bead 'two' overlap: 15 mm apart", "their radii need 20 mm"],
    );
    says(&string(TO_B, &bead("one", 0.005, "")), &["port 'A' and bead 'one' overlap: 5 mm apart"]);
    says(&string("to = \"free\"", &one), &["bead 'one' would run off the free end", "[[clip]]"]);
    says(
        &string(TO_B, &one.replace("5 g", "0 g")),
        &["out-of-range", "bead 'one': `mass`", "greater than zero"],
    );
    says(
        &string(TO_B, &one.replace("mass = \"5 g\"\n", "")),
        &["missing-key", "`mass` is missing in bead 'one'"],
    );
    says(&string(TO_B, &one.replace("10 mm", "-1 mm")), &["out-of-range", "bead 'one': `radius`"]);
    says(&string(TO_B, &bead("one", 0.7, "")), &["lies outside the cable"]);
    says(&string(TO_B, &bead("A", 0.3, "")), &["is the name of a port already"]);
    says(&string(TO_B, &bead("one", 0.3, "friction = -1")), &["out-of-range", "friction"]);
    says(
        &string(TO_B, &bead("one", 0.3, "inertia = [1, 1, 3]")),
        &["out-of-range", "one is larger than the other two together"],
    );
    says(&string(TO_B, &bead("one", 0.3, "inertia = [1, 0, 1]")), &["out-of-range", "greater than zero"]);
    let load = "[[load]]\ncable = \"string\"\nat = 0.1\nforce = [0, 0, -1]";
    says(&string(TO_B, &(one + load)), &["a load on cable 'string', which beads slide on"]);
}

/// A weight over a wheel; `wheel` are keys of the eye.
fn over_a_wheel(wheel: &str) -> String {
    format!(
        r#"version = 1
[[port]]
name = "cleat"
position = [0.3, 0, -0.8]
[[part]]
name = "weight"
position = [-0.06, 0, -0.7]
mass = "2 kg"
[[part.connector]]
name = "hook"
position = [0, 0, "50 mm"]
tangent = [0, 0, 1]
[[part]]
name = "beam"
position = [0, 0, 0.1]
axis = [0, 0, 1]
angle = "90 deg"
hold = "fixed"
[[cable]]
name = "rope"
length = 1.7
segments = 60
{SOFT}
from = "weight.hook"
to = "cleat"
grip_to = "pinned"
[[eye]]
name = "wheel"
cable = "rope"
at = 0.8
{wheel}
"#
    )
}

#[test]
fn a_pulley_in_the_world_and_on_a_part_are_one() {
    let wheel = "radius = \"60 mm\"\n";
    let (first, world) = solved(&over_a_wheel(&format!("position = [0, 0, 0]\naxle = [0, 1, 0]\n{wheel}")));
    // The beam is turned by a right angle about z: its x is y of the world.
    let on = format!("on = \"beam\"\nposition = [0, 0, -0.1]\naxle = [1, 0, 0]\n{wheel}");
    let (second, part) = solved(&over_a_wheel(&on));
    assert_eq!([first.network.anchors.len(), second.network.anchors.len()], [4, 3]);
    for solution in [&world, &part] {
        let eye = solution.report.eyes[0];
        eye.tensions.iter().for_each(|t| assert!((t / (2.0 * G) - 1.0).abs() < 1e-2, "{eye:?}"));
        assert!(eye.wrap > 0.7 * PI && eye.wrap < PI, "{eye:?}");
    }
    assert!((world.report.eyes[0].wrap - part.report.eyes[0].wrap).abs() < 1e-6);
    // What lies on the rim belongs to the cable, and its samples lie there.
    let samples = &world.profiles[0].samples;
    assert!((samples[samples.len() - 1].s - 1.7).abs() < 1e-12);
    let on_rim = samples.iter().filter(|s| (s.position.xz().norm() - 0.06).abs() < 1e-9);
    assert!(on_rim.clone().count() > 15);
    assert!(on_rim.clone().all(|s| s.position.z > 0.0));
    for w in samples.windows(2) {
        assert!((w[1].position - w[0].position).norm() <= w[1].s - w[0].s + 1e-9);
    }
}

#[test]
fn turns_round_a_bollard_hold_by_friction() {
    let text =
        over_a_wheel("position = [0, 0, 0]\naxle = [0, 1, 0]\nradius = \"60 mm\"\nturns = 1\nfriction = 0.1");
    let text =
        text.replace("length = 1.7", "length = 2.1\nfeed = \"-20 mm\"").replace("at = 0.8", "at = 1.05");
    let (_, solution) = solved(&text);
    let eye = solution.report.eyes[0];
    assert!(eye.wrap > 2.0 * PI && !eye.sticks, "{eye:?}");
    assert!((eye.tensions[1] / eye.tensions[0] / (0.1 * eye.wrap).exp() - 1.0).abs() < 1e-3, "{eye:?}");
}

#[test]
fn mistakes_of_pulleys() {
    let wheel = |keys: &str| over_a_wheel(&format!("position = [0, 0, 0]\n{keys}"));
    says(&wheel("radius = 0.06"), &["missing-key", "`axle` is missing in eye 'wheel'", "right hand"]);
    says(&wheel("axle = [0, 1, 0]"), &["missing-key", "`radius` is missing in eye 'wheel'"]);
    says(&wheel("radius = 0.06\naxle = [0, 0, 0]"), &["out-of-range", "has no direction"]);
    says(&wheel("radius = 0\naxle = [0, 1, 0]"), &["out-of-range", "eye 'wheel': `radius`"]);
    says(&wheel("turns = 1"), &["conflict", "is for a pulley"]);
    says(&wheel("radius = 0.06\naxle = [0, 1, 0]\ntangent = [1, 0, 0]"), &["does not go with a pulley"]);
    says(&wheel("radius = 0.9\naxle = [0, 1, 0]"), &["pulley 'wheel' of radius 900 mm reaches over"]);
    says(&wheel("radius = 0.06\naxle = [0, 1, 0]").replace("at = 0.8", "at = 0.05"), &["lies on the rim"]);
    // A rope that turns a corner, with its axle the wrong way round.
    let corner = wheel("radius = 0.06\naxle = [0, -1, 0]")
        .replace("position = [-0.06, 0, -0.7]", "position = [-0.7, 0, -0.1]");
    says(&corner, &["conflict", "the other way round", "turn the axle round: axle = [0, 1, 0]", "turns = 0"]);
    says(
        &wheel(&format!(
            "radius = 0.06\naxle = [0, 1, 0]\n[[cable]]\nname = \"tail\"\nlength = 1\n{SOFT}\nfrom = \"cleat\"\n\
             grip_from = \"pinned\"\nto = \"wheel\""
        )),
        &["conflict", "cable 'tail' ends in pulley 'wheel'"],
    );
    says(
        &over_a_wheel(
            "on = \"mark\"\nradius = 0.06\naxle = [0, 1, 0]\n[[clip]]\nname = \"mark\"\ncable = \"rope\"\nat = 0.4\nhold = \"free\"",
        ),
        &["conflict", "a pulley needs an axle that something holds"],
    );
}

#[test]
fn an_eye_may_hold_a_direction_and_be_on_a_clip() {
    let eye = |keys: &str| {
        let more = format!("[[eye]]\nname = \"ring\"\ncable = \"string\"\nat = 0.3\n{keys}\n");
        string(TO_B, &more)
    };
    let (compiled, solution) = solved(&eye("position = [0.15, 0, -0.1]\ntangent = [1, 0, 1]"));
    let ring = compiled.anchors.iter().position(|a| a.name == "ring").unwrap();
    let along = rotation::tangent(&solution.state.anchors[ring].orientation);
    assert!((along - Vec3::new(1.0, 0.0, 1.0).normalize()).norm() < 1e-9, "{along}");
    // A second string whose clip carries the ring.
    let other = format!(
        "[[port]]\nname = \"C\"\nposition = [0.15, -0.1, -0.4]\ntangent = [0, 1, 2]\n\
         [[port]]\nname = \"D\"\nposition = [0.15, 0.1, -0.4]\ntangent = [0, 1, -2]\n\
         [[cable]]\nname = \"other\"\nlength = 0.36\n{SOFT}\nfrom = \"C\"\nto = \"D\"\n\
         [[clip]]\nname = \"mark\"\ncable = \"other\"\nat = 0.18\nhold = \"free\"\n"
    );
    let (compiled, solution) = solved(&(eye("on = \"mark\"") + &other));
    let [ring, mark] = ["ring", "mark"].map(|n| place(&compiled, &solution, n));
    assert!((ring - mark).norm() < 1e-9, "{ring} {mark}");
    says(&eye("on = \"free\"\nposition = [0.15, 0, -0.1]"), &["floating", "no cable ends in it"]);
    says(&eye("on = \"A\""), &["unknown-name", "is not a part, junction, clip or bead"]);
}

#[test]
fn a_free_end_hangs_from_an_eye_that_rubs() {
    let peg = |friction: f64| {
        let eye = "[[eye]]\nname = \"peg\"\ncable = \"string\"\nat = 0.4\nposition = [0.2, 0, 0]\n";
        string("to = \"free\"", &format!("{eye}friction = {friction}"))
    };
    let (_, solution) = solved(&peg(0.4));
    let eye = solution.report.eyes[0];
    assert!(eye.sticks, "{eye:?}");
    // What hangs behind it, but for the half of a segment that the eye bears. So light a cord stands out stiffly: it leaves
    // the peg level and hardly pulls at it.
    let weight = 0.2 * 1e-3 * G;
    let behind = solution.profiles[0].samples.iter().find(|sample| sample.s > 0.401).unwrap();
    assert!((behind.force_world.norm() / weight - 1.0).abs() < 0.1, "{behind:?}");
    assert!(eye.tensions[1].abs() < 0.2 * weight, "{eye:?}");
    says(&peg(0.0), &["conflict", "cable 'string' would run out of eye 'peg'", "friction"]);
}

#[test]
fn a_cable_finds_its_own_length() {
    let text = |route: &str| {
        format!(
            "version = 1\n[world]\ngravity = \"none\"\n[[port]]\nname = \"A\"\nposition = [0, 0, 0]\ntangent = [0, 0, 1]\n\
             [[port]]\nname = \"B\"\nposition = [0.4, 0, 0]\ntangent = [0, 0, -1]\n\
             [[cable]]\nname = \"hose\"\nlength = 0.8\nsegments = 80\n\
             measured = {{ bend = 0.02, twist = 0.02, mass_per_length = 0.1, diameter = 0.01 }}\n\
             from = \"A\"\nto = \"B\"\nroute = {route}\n"
        )
    };
    let length = |route: &str| {
        let (compiled, solution) = solved(&text(route));
        assert!(compiled.cables[0].routed);
        compiled.length_now(&solution.state, 0)
    };
    let lengths = [0.2, 0.1, 0.05].map(|l| length(&format!("{{ bend_length = {l} }}")));
    assert!(lengths[0] > lengths[1] && lengths[1] > lengths[2] && lengths[2] > 0.4, "{lengths:?}");
    // K/λ² as a tension is the same.
    assert!((length("{ tension = \"2 N\" }") - lengths[1]).abs() < 1e-9);
    says(&text("{ tension = \"2 N\", bend_length = 0.1 }"), &["exclude each other"]);
    says(&text("{ }"), &["missing-key", "how straight"]);
    says(&text("{ tension = \"-2 N\" }"), &["out-of-range"]);
    says(&text("{ tension = \"2 N\" }\nfeed = 0.1"), &["means nothing with `route`"]);
    says(
        &text(
            "{ tension = \"2 N\" }\nrest = { start = { curvature = [0, 0] }, end = { curvature = [1, 0] } }",
        ),
        &["changes its rest shape", "finds its own length"],
    );
}

/// A part on a soft cable, with a constraint.
fn held(constraint: &str) -> String {
    format!(
        r#"version = 1
[[port]]
name = "A"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "post"
position = [0.3, 0.2, 0]
axis = [0, 0, 1]
angle = "90 deg"
[[part]]
name = "box"
position = [0.35, 0.02, -0.2]
mass = "0.3 kg"
[[part.connector]]
name = "plug"
tangent = [1, 0, 0]
[[part.connector]]
name = "corner"
position = [0.02, 0, 0.01]
[[cable]]
name = "lead"
length = 0.5
measured = {{ bend = "0.02 N m^2", twist = "0.016 N m^2", mass_per_length = "0.15 kg/m", diameter = "8 mm" }}
from = "A"
to = "box.plug"
[[clip]]
name = "mark"
cable = "lead"
at = "50 %"
hold = "free"
[[constraint]]
{constraint}
"#
    )
}

/// Where the box and its corner come to rest, how the box and the mark are turned, and the force on the box.
fn rest(constraint: &str) -> (Vec3, Vec3, Vec3, Vec3) {
    let (compiled, solution) = solved(&held(constraint));
    let pose =
        |name: &str| solution.state.anchors[compiled.anchors.iter().position(|a| a.name == name).unwrap()];
    let (part, mark) = (pose("box"), pose("mark"));
    let corner = part.position + rotation::rotate(&part.orientation, &Vec3::new(0.02, 0.0, 0.01));
    let force = compiled.constraint_force(&solution, 0);
    (part.position, corner, rotation::tangent(&mark.orientation), force)
}

#[test]
fn every_kind_of_constraint_holds() {
    let (free, ..) = rest("kind = \"string\"\nfrom = \"box\"\nto = [0, 0, 0]\ndistance = 10");
    // Where the port's axes are turned by a right angle, its y is −x of the world.
    let (box_, ..) =
        rest("kind = \"plane\"\npoint = \"box\"\non = \"post\"\nthrough = [0, 0, 0]\nnormal = [0, 1, 0]");
    assert!((box_.x - 0.3).abs() < 1e-9, "{box_}");
    let (_, corner, ..) =
        rest("kind = \"line\"\npoint = \"box.corner\"\nthrough = [0.3, 0.05, 0]\ndirection = [0, 0, 1]");
    assert!((corner.xy() - Vec3::new(0.3, 0.05, 0.0).xy()).norm() < 1e-9, "{corner}");
    let (box_, ..) =
        rest("kind = \"circle\"\npoint = \"box\"\ncentre = [0.1, 0, -0.1]\naxis = [0, 1, 0]\nradius = 0.25");
    assert!(box_.y.abs() < 1e-9 && ((box_ - Vec3::new(0.1, 0.0, -0.1)).norm() - 0.25).abs() < 1e-9, "{box_}");
    let path =
        "kind = \"path\"\npoint = \"box\"\npoints = [[0.2, 0, -0.4], [0.3, 0.05, -0.25], [0.4, 0, -0.1]]";
    let (on_path, .., force) = rest(path);
    let points = [[0.2, 0.0, -0.4], [0.3, 0.05, -0.25], [0.4, 0.0, -0.1]].map(Vec3::from);
    let foot = flexline::geometry::path::Path::new(&points, false).unwrap().nearest(&on_path);
    assert!((foot.position - on_path).norm() < 1e-9, "{on_path}");
    assert!(force.dot(&foot.first).abs() < 1e-6 * force.norm(), "{force}");
    let (_, _, along, _) = rest("kind = \"parallel\"\nfrom = \"mark\"\nto_direction = [1, 0, -0.2]");
    assert!(along.cross(&Vec3::new(1.0, 0.0, -0.2).normalize()).norm() < 1e-9, "{along}");
    let (_, _, along, _) = rest("kind = \"aligned\"\nfrom = \"mark\"\ntangent = [1, 0.3, -0.1]");
    assert!((along - Vec3::new(1.0, 0.3, -0.1).normalize()).norm() < 1e-9, "{along}");
    // One-sided: at work or not.
    let shelf = |z: f64| {
        rest(&format!(
            "kind = \"plane\"\npoint = \"box\"\nside = \"above\"\nthrough = [0, 0, {z}]\nnormal = [0, 0, 1]"
        ))
    };
    let (on_shelf, .., force) = shelf(free.z + 0.05);
    assert!((on_shelf.z - free.z - 0.05).abs() < 1e-9 && force.z > 0.1, "{on_shelf} {force}");
    let (above, .., force) = shelf(free.z - 0.05);
    assert!((above - free).norm() < 1e-9 && force == Vec3::zeros(), "{above} {force}");
    let (far, ..) = rest("kind = \"apart\"\nfrom = \"box\"\nto = [0, 0, 0]\ndistance = 0.49");
    assert!((far.norm() - 0.49).abs() < 1e-9, "{far}");
}

#[test]
fn mistakes_of_constraints() {
    let plane = "kind = \"plane\"\npoint = \"box\"\nthrough = [0, 0, 0]\nnormal = [0, 0, 1]\n";
    says(&held(&format!("{plane}side = \"left\"")), &["unknown-name", "\"above\" or \"below\""]);
    says(&held(&format!("{plane}on = \"box\"")), &["conflict", "is the point itself"]);
    says(&held(&format!("{plane}on = \"bxo\"")), &["unknown-name", "did you mean \"box\"?"]);
    says(&held(&format!("{plane}radius = 1")), &["does not go with kind = \"plane\"", "through"]);
    says(
        &held("kind = \"circle\"\npoint = \"box\"\ncentre = [0, 0, 0]\naxis = [0, 0, 1]\nradius = 0"),
        &["out-of-range"],
    );
    says(
        &held("kind = \"path\"\npoint = \"box\"\npoints = [[0, 0, 0]]"),
        &["out-of-range", "has 1 points", "at least 2"],
    );
    says(
        &held("kind = \"path\"\npoint = \"box\"\npoints = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]"),
        &["out-of-range", "constraint 'path 1': row 3 of `points` is the same as the point before it"],
    );
    says(
        &held("kind = \"distance\"\nfrom = \"box\"\nto = \"A\"\ndistance = 1\nsense = \"less\""),
        &["\"at most\""],
    );
    says(&held("kind = \"string\"\nfrom = \"box\"\nto = \"A\""), &["`distance` is missing"]);
    says(&held("kind = \"apart\"\nfrom = \"box\"\nto = \"A\""), &["`distance` is missing"]);
    says(&held("kind = \"parallel\"\nfrom = \"mark\""), &["`to_direction` is missing"]);
    says(
        &held("kind = \"parallel\"\nfrom = \"A\"\nto_direction = [1, 0, 0]"),
        &["is on what is held already"],
    );
    says(&held("kind = \"aligned\"\nfrom = \"mark\"\nto = \"mark\""), &["is the same as `from`"]);
}

#[test]
fn constraints_that_contradict_each_other_are_named() {
    let two = "kind = \"plane\"\nname = \"floor\"\npoint = \"box\"\nthrough = [0, 0, -0.2]\nnormal = [0, 0, 1]\n\
               [[constraint]]\nkind = \"plane\"\nname = \"shelf\"\npoint = \"box\"\nthrough = [0, 0, -0.188]\n\
               normal = [0, 0, 1]";
    let compiled = parse(&held(two)).unwrap();
    let solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::Conflict);
    let lines = compiled.conflict_lines(&solution.report);
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (line, name) in lines.iter().zip(["floor", "shelf"]) {
        assert!(
            line.starts_with(&format!("constraint '{name}' on part 'box' cannot be kept: it is missed by ")),
            "{line}"
        );
        let by: f64 = line.split(' ').find_map(|w| w.parse().ok()).unwrap();
        assert!((by - 6.0).abs() < 0.1, "{line}");
    }
    assert!(compiled.check(&solution).whole[0].message.contains("shelf"));
}
