//! A digest of answers: a few positions and forces of fixed problems, to nine digits, beside those in `digest.txt`. It
//! says that an answer has changed, and which; whether the new one is right other tests must say.
//!
//! Where a change is meant, renew the file and look at its difference before it is committed:
//! `FLEXLINE_RENEW_DIGEST=1 cargo test -p flexline --test engine digest`.

use crate::common;
#[allow(dead_code)] // other tests need the rest of it
use crate::common::ropes;
use flexline::prelude::*;
use std::f64::consts::PI;
use std::fmt::Write;

const MODELS: [&str; 5] = ["mixed", "nodal", "helix", "clothoid", "spline"];

/// Solved far below the digits that are shown, so that they do not depend on where the iteration stops.
fn exactly() -> Settings {
    Settings { force_tolerance: 1e-13, position_tolerance: 1e-14, ..Settings::default() }
}

/// Nine digits; what is nothing beside `scale` is zero, whatever its round-off.
fn digits(value: f64, scale: f64) -> String {
    if value.abs() < 1e-9 * scale { "0".to_owned() } else { format!("{value:.8e}") }
}

fn line(out: &mut String, what: &str, v: &Vec3, scale: f64) {
    let [x, y, z] = [v.x, v.y, v.z].map(|c| digits(c, scale));
    writeln!(out, "{what}: {x} {y} {z}").expect("a string grows");
}

/// The hose of a model, with its curl.
fn hose(model: &str) -> Problem {
    let section = common::section();
    let rod: AnyRod = match model {
        "mixed" | "nodal" => {
            let rod = MixedRod::new(&Mesh::uniform(0.7, 40).expect("a mesh"), &section, &common::curl);
            let strain = flexline::rod::mixed::Strain::ALL.into_iter().find(|s| s.model() == model);
            rod.with_strain(strain.expect("a strain")).into()
        }
        "spline" => SplineRod::new(0.7, 12, &section, &common::curl).expect("a spline").into(),
        _ => {
            let basis = if model == "helix" { Basis::Helix } else { Basis::Clothoid };
            CurvatureRod::new(basis, 0.7, 8, &section, &common::curl).expect("elements").into()
        }
    };
    common::hose(rod)
}

/// A weight on a rope through an eye, or over a wheel, to a wall.
fn hanging(over_a_wheel: bool) -> Network {
    let radius = 0.05;
    let eye = Anchor { held_orientation: over_a_wheel, ..Anchor::fixed(ropes::at(0.0, 0.0)) };
    let rope = || ropes::rod("mixed", 0.5, 1e-3, 0.01, 20);
    let mut network = Network {
        anchors: vec![ropes::weight(-radius, -0.5, 0.3), Anchor::fixed(ropes::at(0.3, -0.3)), eye],
        spans: vec![
            Span::new(rope(), Attachment::pinned(0), Some(Attachment::clamped(2))),
            Span::new(rope(), Attachment::clamped(2), Some(Attachment::pinned(1))),
        ],
        gravity: ropes::gravity(),
        ..Network::default()
    };
    if over_a_wheel {
        network.add_wheel(ropes::wheel(2, radius, 0.75 * PI), 0, 1, 0.0);
    } else {
        network.slides.push(Slide::through(0, 1, 0.0));
    }
    network
}

fn digest() -> String {
    let mut out = String::new();
    for model in MODELS {
        let problem = hose(model);
        let (state, report) = solve_from_scratch(&problem, &exactly()).expect("a sound problem");
        assert_eq!(report.status, Status::Converged, "{model}");
        let largest = report.largest_force;
        line(&mut out, &format!("{model} s = 0.2"), &problem.rod.station(&state.rod, 0.2).position, 1.0);
        line(&mut out, &format!("{model} s = 0.5"), &problem.rod.station(&state.rod, 0.5).position, 1.0);
        line(&mut out, &format!("{model} force at the end"), &report.support(1).force, largest);
        line(&mut out, &format!("{model} moment at the start"), &report.support(0).moment, 0.1 * largest);
    }
    for (name, wheel) in [("eye", false), ("pulley", true)] {
        let network = hanging(wheel);
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let report = solve_network(&network, &mut state, &mut ws, &exactly()).expect("a sound network");
        assert_eq!(report.status, Status::Converged, "{name}");
        line(&mut out, &format!("{name} weight"), &state.anchors[0].position, 1.0);
        line(&mut out, &format!("{name} wall"), &report.reactions[1].force, report.largest_force);
        let [before, after] = report.eyes[0].tensions;
        line(&mut out, &format!("{name} tensions, length"), &Vec3::new(before, after, state.lengths[0]), 1.0);
    }
    let mut network = hanging(false);
    network.slides.clear();
    let mut motion = ropes::at_rest(&network);
    network.anchors[0].force = Vec3::new(0.5, 0.2, 0.0);
    let mut ws = NetworkWorkspace::new(&network);
    let step = MotionSettings::new(0.01, Integrator::Bdf2);
    for _ in 0..20 {
        let report = motion.step(&network, &mut ws, &step, &exactly()).expect("a sound step");
        assert_eq!(report.status, Status::Converged);
    }
    line(&mut out, "motion weight after 0.2 s", &motion.state.anchors[0].position, 1.0);
    line(&mut out, "motion eye's force", &motion.state.spans[0].end_force, 1.0);
    out
}

/// Whether two lines say the same to a hundred-millionth, or to a billionth of a metre or newton where they are small.
fn agree(a: &str, b: &str) -> bool {
    let split = |line: &str| -> Option<(String, Vec<f64>)> {
        let (what, numbers) = line.split_once(": ")?;
        Some((what.to_owned(), numbers.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?))
    };
    let (Some(a), Some(b)) = (split(a), split(b)) else { return a == b };
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= 1.001e-8 * x.abs().max(y.abs()).max(0.1);
    a.0 == b.0 && a.1.len() == b.1.len() && a.1.iter().zip(&b.1).all(close)
}

#[test]
fn answers_are_those_of_the_digest() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engine/digest.txt");
    let found = digest();
    if std::env::var_os("FLEXLINE_RENEW_DIGEST").is_some() {
        std::fs::write(path, &found).expect("the digest can be written");
        return;
    }
    let known = std::fs::read_to_string(path).expect("digest.txt");
    let differ: Vec<String> = known
        .lines()
        .zip(found.lines())
        .filter(|(a, b)| !agree(a, b))
        .map(|(a, b)| format!("  was  {a}\n  is   {b}"))
        .collect();
    assert!(
        differ.is_empty() && known.lines().count() == found.lines().count(),
        "answers have changed:\n{}\nIf that is meant, renew them: \
         FLEXLINE_RENEW_DIGEST=1 cargo test -p flexline --test engine digest",
        differ.join("\n")
    );
}
