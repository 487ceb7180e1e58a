//! Equilibria that exist and were not found; each test opens with what used to happen.

use crate::common::harness::balanced;
use flexline::solver::network::NetworkReport;
use flexline::solver::{Status, Verdict};
use flexline_scene::Scene;

const CLAMPED: &str = "[start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n";

fn section(bend: f64, twist: f64, mass: f64, diameter: f64) -> String {
    format!(
        "measured = {{ bend = {bend}, twist = {twist}, mass_per_length = {mass}, diameter = {diameter} }}\n"
    )
}

/// One cable.
#[track_caller]
fn cable(text: &str) -> NetworkReport {
    let scene = Scene::parse(&format!("version = 1\n{text}"), "cable.toml").unwrap_or_else(|e| panic!("{e}"));
    let compiled = scene.compile().unwrap_or_else(|e| panic!("{e}"));
    compiled.solve(&compiled.settings()).expect("sound problem").report
}

/// A rope whose stiffness is next to nothing beside its load had no step that was not absurd: the shift that keeps steps
/// short was given up at a multiple of the stiffness, whatever the forces.
#[test]
fn a_taut_thin_rope_through_an_eye() {
    for stiffness in [1e-5, 1e-6, 1e-7] {
        for (grip, gravity) in [("pinned", "none"), ("clamped", "none"), ("clamped", "standard")] {
            let (_, found) = balanced(&format!(
                r#"version = 1
[world]
gravity = "{gravity}"
[[port]]
name = "wall"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[part]]
name = "load"
position = [1.0, 0.6, 0]
mass = 0.1
force = [0, 460, 0]
[[part.connector]]
name = "hook"
tangent = [0, 1, 0]
[[cable]]
name = "rope"
length = 1.7
{}from = "wall"
grip_from = "{grip}"
to = "load.hook"
grip_to = "pinned"
[[eye]]
name = "eye"
cable = "rope"
at = 1.0
position = [1, 0, 0]
"#,
                section(stiffness, stiffness, 0.02, 0.004)
            ));
            let report = &found.report;
            for tension in report.eyes[0].tensions {
                assert!((tension - 460.0).abs() < 1.5, "{stiffness} {grip} {gravity}: {tension} N");
            }
        }
    }
}

/// On a wheel too small for its stiffness a rope leaves on either side before it has come: the two places chased each
/// other. It touches at one place, which friction holds.
#[test]
fn two_equal_weights_on_a_wheel_that_is_too_small_for_the_rope() {
    for (model, bend, mass, radius, length, at) in [
        ("mixed", 0.016, 0.7, 0.02, 2.7, 1.2),
        ("mixed", 0.056, 0.58, 0.05, 1.2, 0.5),
        ("mixed", 0.25, 0.54, 0.1, 3.9, 1.8),
        ("clothoid", 0.15, 0.73, 0.02, 2.1, 1.05),
    ] {
        let (_, found) = balanced(&format!(
            r#"version = 1
[[part]]
name = "left"
position = [{left}, 0, -0.4]
mass = {mass}
[[part.connector]]
name = "hook"
tangent = [0, 0, 1]
[[part]]
name = "right"
position = [{radius}, 0, -0.4]
mass = {mass}
[[part.connector]]
name = "hook"
tangent = [0, 0, -1]
[[cable]]
name = "rope"
length = {length}
model = "{model}"
{section}from = "left.hook"
to = "right.hook"
[[eye]]
name = "wheel"
cable = "rope"
at = {at}
position = [0, 0, 0]
radius = {radius}
axle = [0, 1, 0]
friction = 0.3
"#,
            left = -radius,
            section = section(bend, bend, 0.03, 0.005)
        ));
        let report = &found.report;
        let eye = &report.eyes[0];
        assert!(eye.sticks && eye.wrap < 1e-6, "{model} {bend}: {eye:?}");
        // Nothing pulls sideways: beside the wheel the rope carries its weight and some of its own, bent as it is there.
        let carried = found.profiles[0].samples.iter().map(|s| s.force_world.norm()).fold(0.0, f64::max);
        let weight = 9.81 * mass;
        let rope = 9.81 * 0.03 * length;
        assert!(carried > weight && carried < weight + rope, "{model} {bend}: {carried} N of {weight} N");
    }
}

/// A flat ring is an equilibrium at any twist, and beyond Michell's threshold a saddle. Beside it the energy is level
/// and the residual grows on every way out, so that steps of a ten-thousandth were taken for ever.
#[test]
fn a_ring_beyond_its_threshold_leaves_the_plane() {
    for (model, elements) in [("clothoid", 40), ("clothoid", 24), ("helix", 40)] {
        for excess in [1.1, 1.4] {
            let report = cable(&format!(
                "[world]\ngravity = \"none\"\n[cable]\nlength = 1\nmodel = \"{model}\"\nelements = {elements}\n{}closed = true\ntwist = \"{} turns\"\n{CLAMPED}",
                section(0.02, 0.015, 0.1, 0.01),
                excess * 3f64.sqrt() / 0.75
            ));
            assert_eq!(report.status, Status::Converged, "{model} {elements} {excess}");
            assert!(
                report.rest.factorisations < 400,
                "{model} {elements} {excess}: {}",
                report.rest.factorisations
            );
            let stability = report.rest.stability.expect("asked for");
            assert_ne!(stability.verdict, Verdict::Unstable, "{model} {elements} {excess}");
        }
    }
}

/// A cable a million times stiffer in twist than in bending can move along a narrow, curved valley only, in steps of a
/// thousandth: the iterations ran out.
#[test]
fn a_cable_that_cannot_be_twisted() {
    for (model, ratio) in [("mixed", 1e4), ("mixed", 1e6), ("nodal", 1e6)] {
        for twist in ["0 turns", "0.3 turns"] {
            let report = cable(&format!(
                "[cable]\nlength = 1\nmodel = \"{model}\"\n{}{CLAMPED}[end]\nhold = \"clamped\"\nposition = [0.6, 0.3, 0.1]\ntangent = [0, 1, 0]\ntwist = \"{twist}\"\n",
                section(0.02, 0.02 * ratio, 0.1, 0.01)
            ));
            assert_eq!(report.status, Status::Converged, "{model} {ratio} {twist}");
            assert!(
                report.rest.factorisations < 2000,
                "{model} {ratio} {twist}: {}",
                report.rest.factorisations
            );
        }
    }
}

/// Held ends gave by a share of L³/K, which for a cable of kilometres is more than its tension gives: every step found a
/// small part of the force. Now size does not matter.
#[test]
fn cables_of_any_size() {
    for model in ["mixed", "nodal"] {
        for length in [9e5_f64, 9e3, 9.0, 9e-4] {
            // Of a cable, and thinner.
            for bend in [0.02, 1e-3].map(|bend| bend * f64::min(1.0, length.powi(3))) {
                let report = cable(&format!(
                    "[cable]\nlength = {length}\nmodel = \"{model}\"\n{}{CLAMPED}[end]\nhold = \"clamped\"\nposition = [{}, 0, {}]\ntangent = [1, 0, 0]\n",
                    section(bend, 0.8 * bend, 0.1, f64::min(0.01, 0.02 * length)),
                    0.8 * length,
                    0.1 * length
                ));
                assert_eq!(report.status, Status::Converged, "{model} {length} m {bend}");
                assert!(report.iterations < 60, "{model} {length} m {bend}: {}", report.iterations);
                let weight = 0.981 * length;
                let carried: f64 = report.reactions.iter().map(|s| s.force.z).sum();
                assert!((carried / weight - 1.0).abs() < 1e-6, "{model} {length} m {bend}: {carried} N");
            }
        }
    }
}

/// Thousands of turns cut the elements into ten thousand pieces, and every way was tried to its end, for minutes.
#[test]
fn thousands_of_turns_end_in_time() {
    for model in ["helix", "clothoid"] {
        let report = cable(&format!(
            "[cable]\nlength = 1\nmodel = \"{model}\"\n{}{CLAMPED}[end]\nhold = \"clamped\"\nposition = [0.9, 0, 0.05]\ntangent = [1, 0, 0]\ntwist = \"3000 turns\"\n",
            section(0.02, 0.016, 0.1, 0.01)
        ));
        assert!(matches!(report.status, Status::Converged | Status::IterationLimit), "{:?}", report.status);
        assert!(report.rest.factorisations < 6000, "{model}: {}", report.rest.factorisations);
    }
}
