//! What a harness says arrives in the engine: cuts, sections, loads, frames, rolls.

use crate::common::harness::{balanced, compiled};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::{Profile, Status};
use flexline_scene::{Scene, Solution};

const MEASURED: &str = r#"measured = { bend = "0.02 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "10 mm" }"#;

/// A cable of 1 m between two ports, with more lines in its table and more tables behind.
fn line(lines: &str, more: &str) -> String {
    format!(
        r#"version = 1
[[port]]
name = "A"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "B"
position = [0.6, 0.2, 0.1]
tangent = [1, 0.3, 0.2]
[[cable]]
name = "line"
length = 1
{lines}
from = "A"
to = "B"
{more}"#
    )
}

/// The same as a scene of one cable.
fn alone(lines: &str, loads: &str) -> Profile {
    let text = format!(
        r#"version = 1
[cable]
length = 1
{lines}
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "clamped"
position = [0.6, 0.2, 0.1]
tangent = [1, 0.3, 0.2]
{loads}"#
    );
    let compiled = Scene::parse(&text, "test").unwrap_or_else(|e| panic!("{e}")).compile().unwrap();
    let mut solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::Converged);
    solution.profiles.remove(0)
}

/// The largest distance between two profiles at shared arc lengths.
fn distance(a: &Profile, b: &Profile) -> f64 {
    let mut largest = 0.0f64;
    let mut shared = 0;
    for x in &a.samples {
        for y in b.samples.iter().filter(|y| (y.s - x.s).abs() < 1e-9) {
            largest = largest.max((x.position - y.position).norm());
            shared += 1;
        }
    }
    assert!(shared >= 10, "{shared}");
    largest
}

fn free_clips(places: &[&str]) -> String {
    let clip = |(i, at): (usize, &&str)| {
        format!("[[clip]]\nname = \"c{i}\"\ncable = \"line\"\nat = \"{at}\"\nhold = \"free\"\n")
    };
    places.iter().enumerate().map(clip).collect()
}

#[test]
fn a_harness_of_one_cable_is_that_cable() {
    let lines = format!("segments = 50\n{MEASURED}");
    let (_, solution) = balanced(&line(&lines, ""));
    assert!(distance(&solution.profiles[0], &alone(&lines, "")) < 1e-8);
}

#[test]
fn free_clips_change_nothing() {
    // Sections, rest shape and loads go over the cuts; all of them lie across or at one.
    let lines = format!(
        "segments = 200\n{MEASURED}\nrest = {{ start = {{ curvature = [0, 0] }}, end = {{ curvature = [2, 1], twist = 1 }} }}\n\
         zone = [{{ from = 0.3, to = 0.7, taper = 0.1, override = {{ bend = 0.1, mass_per_length = 0.2 }} }}]"
    );
    let loads = |cable: &str| {
        format!(
            "[[load]]\n{cable}\nat = 0.35\nforce = [0, 0.2, -0.3]\n[[load]]\n{cable}\nat = 0.5\nforce = [0, 0, -0.5]\n\
             [[load]]\n{cable}\nfrom = 0.2\nto = 0.8\nforce_per_length = {{ start = [0, 0, 0], end = [0, 1, -1] }}\n"
        )
    };
    let cuts = free_clips(&["35 %", "0.5", "72.5 %"].map(|s| if s == "0.5" { "500 mm" } else { s }));
    let (compiled, solution) = balanced(&line(&lines, &(cuts + &loads("cable = \"line\""))));
    let segments: Vec<usize> = compiled.network.spans.iter().map(|s| s.rod.segments()).collect();
    assert_eq!(segments, [70, 30, 45, 55]);
    let error = distance(&solution.profiles[0], &alone(&lines, &loads("")));
    assert!(error < 2e-4, "{error}");
    // Nothing of the mass is lost at a cut.
    let reactions: Vec3 = solution.report.reactions.iter().map(|r| r.force).sum();
    let mass = compiled.cables[0].section.cell(0.0, 1.0).mass;
    let loads = Vec3::new(0.0, 0.2 + 0.3, -0.3 - 0.5 - 0.3);
    let left = reactions + loads + Vec3::new(0.0, 0.0, -9.81 * mass);
    assert!(left.norm() < 1e-7, "{left}");
}

#[test]
fn loads_at_ends_and_on_clips_reach_what_holds_them() {
    let loads = ["0 %", "40 %", "100 %"]
        .map(|at| format!("[[load]]\ncable = \"line\"\nat = \"{at}\"\nforce = [1, 2, -3]\n"));
    let clip = "[[clip]]\nname = \"c\"\ncable = \"line\"\nat = \"40 %\"\nhold = \"pinned\"\nposition = [0.3, 0.05, 0]\n";
    let (_, solution) = balanced(&line(MEASURED, &format!("{clip}{}", loads.concat())));
    let total: Vec3 = solution.report.reactions.iter().map(|r| r.force).sum();
    let expected = Vec3::new(-3.0, -6.0, 9.0 + 0.09 * 9.81);
    assert!((total - expected).norm() < 1e-7, "{total}");
}

#[test]
fn zones_are_cut_where_the_cable_is() {
    let lines = format!(
        "segments = 40\n{MEASURED}\nzone = [{{ from = 0.3, to = 0.7, override = {{ bend = 0.1, mass_per_length = 0.2 }} }}]"
    );
    let compiled = compiled(&line(&lines, &free_clips(&["30 %", "500 mm"])));
    let stiffness: Vec<[f64; 2]> = compiled
        .network
        .spans
        .iter()
        .map(|span| {
            let k = span.rod.as_mixed().expect("a mixed rod").stiffnesses();
            [k[0].x, k[k.len() - 1].x]
        })
        .collect();
    for (found, expected) in stiffness.iter().flatten().zip([0.02, 0.02, 0.1, 0.1, 0.1, 0.02]) {
        assert!((found - expected).abs() < 1e-12, "{stiffness:?}");
    }
    let from: Vec<f64> = compiled.cables[0].spans.iter().map(|(_, s)| *s).collect();
    assert_eq!(from, [0.0, 0.3, 0.5]);
}

#[test]
fn short_pieces_get_four_segments() {
    let compiled = compiled(&line(MEASURED, &free_clips(&["1 %", "2 %"])));
    let segments: Vec<usize> = compiled.network.spans.iter().map(|s| s.rod.segments()).collect();
    assert_eq!(segments, [4, 4, 29]);
}

#[test]
fn where_only_tangents_are_given_there_is_no_twist() {
    let clip = "[[clip]]\nname = \"c\"\ncable = \"line\"\nat = \"50 %\"\nhold = \"clamped\"\nposition = [0.3, 0, -0.3]\ntangent = [1, 0, 0]\n";
    // In one plane, over a clip and up at the end.
    let text = line(MEASURED, clip).replace(
        "position = [0.6, 0.2, 0.1]\ntangent = [1, 0.3, 0.2]",
        "position = [0.6, 0, 0]\ntangent = [0, 0, 1]",
    );
    let (compiled, solution) = balanced(&text);
    assert!(compiled.twist_turns(&solution.state, 0).abs() < 1e-9);
    for reaction in &solution.report.reactions {
        assert!(reaction.moment.xz().norm() < 1e-9, "{}", reaction.moment);
    }
}

#[test]
fn twist_counts_full_turns() {
    let plain = balanced(&line(MEASURED, "")).1;
    let (compiled, solution) = balanced(&line(&format!("twist = \"1 turn\"\n{MEASURED}"), ""));
    let end = |s: &Solution| rotation::tangent(&s.profiles[0].samples.last().unwrap().frame);
    assert!((end(&plain) - end(&solution)).norm() < 1e-9);
    let turns = compiled.twist_turns(&solution.state, 0);
    assert!((0.2..1.2).contains(&turns.abs()), "{turns}");
    assert!(turns.abs() > 0.1 + compiled.twist_turns(&plain.state, 0).abs());
}

#[test]
fn an_explicit_frame_is_kept() {
    let text = line(MEASURED, "").replace("tangent = [1, 0.3, 0.2]", "tangent = [1, 0, 0]\nup = [0, 1, 0]");
    let (compiled, solution) = balanced(&text);
    let last = solution.profiles[0].samples.last().unwrap();
    assert!((rotation::rotate(&last.frame, &Vec3::x()) - Vec3::y()).norm() < 1e-9);
    // From z to y: a quarter of a turn about x, part of it in the shape.
    assert!(compiled.twist_turns(&solution.state, 0).abs() > 0.1);
}

#[test]
fn a_part_is_held_as_it_says() {
    let text = |part: &str| {
        format!(
            r#"version = 1
[[port]]
name = "A"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[part]]
name = "box"
position = [0.4, 0, -0.1]
mass = "0.2 kg"
{part}
[[part.connector]]
name = "in"
position = [-0.03, 0, 0]
tangent = [1, 0, 0]
[[cable]]
name = "line"
length = 0.5
{MEASURED}
from = "A"
to = "box.in""#
        )
    };
    let total = |s: &Solution| s.report.reactions.iter().map(|r| r.force.z).sum::<f64>();
    let weight = 9.81 * (0.2 + 0.045);
    for part in ["", "hold = \"fixed\"", "hold = \"position\"", "hold = \"fixed\"\nslides = [\"z\"]"] {
        let (_, solution) = balanced(&text(part));
        assert!((total(&solution) - weight).abs() < 1e-6, "{part}: {}", total(&solution));
        let [force, moment] = [solution.report.reactions[1].force, solution.report.reactions[1].moment];
        assert_eq!(force.norm() > 0.0, !part.is_empty(), "{part}");
        assert_eq!(moment.norm() > 0.0, part.contains("fixed"), "{part}");
        if part.contains("slides") {
            assert_eq!(force.z, 0.0);
            assert!(solution.state.anchors[1].position.z < -0.1);
        }
    }
    let (_, pulled) = balanced(&text("force = [0, \"1 N\", 0]"));
    assert!(pulled.state.anchors[1].position.y > 0.05);
    assert!((pulled.report.reactions[0].force.y + 1.0).abs() < 1e-7);
}

#[test]
fn constraints_hold_and_push() {
    let text = |constraint: &str| {
        format!(
            r#"version = 1
[[port]]
name = "A"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[part]]
name = "box"
position = [0.4, 0, -0.1]
mass = "0.2 kg"
[[part.connector]]
name = "in"
position = [-0.03, 0, 0.01]
tangent = [1, 0, 0]
[[cable]]
name = "line"
length = 0.5
{MEASURED}
from = "A"
to = "box.in"
[[constraint]]
{constraint}"#
        )
    };
    let weight = Vec3::new(0.0, 0.0, 9.81 * (0.2 + 0.045));
    for constraint in [
        "kind = \"plane\"\npoint = \"box.in\"\nthrough = [0, 0, -0.1]\nnormal = [0.2, 0, 3]",
        "kind = \"line\"\npoint = \"box\"\nthrough = [0, 0, -0.1]\ndirection = [1, 0.1, 0]",
        "kind = \"distance\"\nfrom = [0.3, 0.1, 0.3]\nto = \"box\"\ndistance = \"400 mm\"",
        "kind = \"coincide\"\nfrom = \"box.in\"\nto = [0.35, 0.05, -0.05]",
    ] {
        let (compiled, solution) = balanced(&text(constraint));
        let force = compiled.constraint_force(&solution, 0);
        let sign = if constraint.contains("from = [") { -1.0 } else { 1.0 };
        let total = solution.report.reactions[0].force + force * sign;
        assert!(force.norm() > 0.1, "{constraint}");
        assert!((total - weight).norm() < 1e-7, "{constraint}: {total}");
    }
}

#[test]
fn a_cable_can_branch_off_at_a_clip_and_hang_free() {
    let more = format!(
        "{}[[cable]]\nname = \"tail\"\nlength = 0.2\n{MEASURED}\nfrom = \"c0\"\nfrom_tangent = [1, 0, 1]\nto = \"free\"\n",
        free_clips(&["40 %"])
    );
    let (compiled, solution) = balanced(&line(MEASURED, &more));
    assert_eq!(compiled.network.spans.len(), 3);
    let tail = &solution.profiles[1].samples;
    let at = solution.state.anchors[2];
    assert!((tail[0].position - at.position).norm() < 1e-9);
    let expected = rotation::rotate(&at.orientation, &Vec3::new(1.0, 0.0, 1.0).normalize());
    assert!((rotation::tangent(&tail[0].frame) - expected).norm() < 1e-9);
    assert!(tail.last().unwrap().force_world.norm() < 1e-9);
}

#[test]
fn a_scene_of_one_cable_is_asked_for_in_words() {
    let error = Scene::parse(&line(MEASURED, ""), "test").and_then(Scene::single).unwrap_err();
    assert!(error.to_string().contains("this scene is a harness"), "{error}");
}
