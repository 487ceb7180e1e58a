//! `flexline equilibria` against closed forms.

use crate::support::{Folder, flexline, is_file, number, root};
use serde_json::Value;
use std::f64::consts::PI;

const STRUT: &str = "scenes/studies/pinned-strut.toml";

/// Complete elliptic integrals K and E of the modulus k, by the arithmetic–geometric mean.
fn elliptic(k: f64) -> (f64, f64) {
    let (mut a, mut b, mut c) = (1.0, (1.0 - k * k).sqrt(), k);
    let (mut sum, mut power) = (0.5 * c * c, 0.5);
    while c.abs() > 1e-16 {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        power *= 2.0;
        sum += power * c * c;
    }
    let first = PI / (2.0 * a);
    (first, first * (1.0 - sum))
}

/// The modulus of an elastica between ball joints whose distance is this share of its length: 2E/K − 1.
fn modulus(share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0 - 1e-12);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        let (first, second) = elliptic(middle);
        if 2.0 * second / first - 1.0 > share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

#[test]
fn all_modes_of_the_elastica_below_an_energy_are_found() {
    let (bend, length, apart) = (0.02, 0.4, 0.26);
    let k = modulus(apart / length);
    let (first, second) = elliptic(k);
    let one = 8.0 * bend / length * first * (second - (1.0 - k * k) * first);
    // Three half waves have nine times the energy of one; the first loop has twelve times, four half waves sixteen times.
    let below = format!("{} J", 11.0 * one);
    let json = flexline(&["equilibria", STRUT, "--below", &below, "--starts", "16", "--json"]).good().json();
    let found = list(&json["equilibria"]);
    assert_eq!(found.len(), 3, "{:?}", found.iter().map(|own| number(&own["energy"])).collect::<Vec<_>>());
    for (index, own) in found.iter().enumerate() {
        let waves = (index + 1) as f64;
        let energy = number(&own["energy"]);
        // The chain bends at 95 nodes: its error is (π n/96)²/12 at most, and a few times that of the finite amplitude.
        let tolerance = 0.5 * (PI * waves / 96.0).powi(2);
        assert!((energy / (waves * waves * one) - 1.0).abs() < tolerance, "{waves}: {energy} {one}");
        assert!(number(&own["residual_force"]) <= 1e-8 * number(&own["largest_force"]));
        let stable = index == 0;
        assert_eq!(number(&own["stability"]["negative"]) == 0.0, stable, "{waves}: {}", own["stability"]);
    }
    assert_eq!(number(&json["searches"]["starts"]), 16.0);
    assert!(json["complete"].as_str().expect("a sentence").contains("not proved"));
}

#[test]
fn a_column_buckles_at_eulers_loads() {
    // Clamped, the other end in a slide: 4π² EI/L², then the first root of tan x = x, 2x = 8.9868.
    let folder = Folder::new();
    let diagram = folder.file("branches.svg");
    let text = std::fs::read_to_string(root().join("scenes/buckling-strut.toml")).expect("the scene");
    let scene = folder.write("strut.toml", text);
    let arguments = ["equilibria", &scene, "--segments", "60", "--starts", "2", "--json"];
    let solved = flexline(&["solve", &scene, "--segments", "60", "--json"]).good().json();
    assert!(solved.is_object());
    let vary = "end.force.x=-0.1 N..-0.9 N";
    let json = flexline(&[&arguments[..], &["--vary", vary, "--diagram", &diagram]].concat()).good().json();
    assert!(is_file(&diagram));
    // The straight column has the least energy of all that is found at the small load: it is followed first.
    let all: Vec<f64> = list(&json["branches"][0]["events"])
        .iter()
        .filter(|event| event["kind"] == "branch_point")
        .map(|event| -number(&event["at"]))
        .collect();
    // PET film 15 x 0.5 mm: EI follows from the library; the ratio of the loads does not depend on it.
    let first = all.iter().copied().fold(f64::INFINITY, f64::min);
    let ratio = (8.986_818_9f64 / (2.0 * PI)).powi(2);
    let second = all.iter().copied().filter(|own| *own > 1.5 * first).fold(f64::INFINITY, f64::min);
    assert!((second / first / ratio - 1.0).abs() < 5e-3, "{all:?} {ratio}");
}

#[test]
fn a_twisted_ring_buckles_at_michells_twist() {
    let vary = "piece 3.twist=2.1 turn..2.5 turn";
    let arguments = ["equilibria", "scenes/twisted-ring.toml", "--vary", vary, "--starts", "1", "--json"];
    let json = flexline(&arguments).good().json();
    let events = list(&json["branches"]).iter().flat_map(|branch| list(&branch["events"]).iter());
    let critical = 3f64.sqrt() * 0.02 / 0.015;
    let near = events.map(|event| number(&event["at"])).fold(f64::INFINITY, |best: f64, at| {
        if (at - critical).abs() < (best - critical).abs() { at } else { best }
    });
    assert!((near / critical - 1.0).abs() < 5e-3, "{near} {critical}");
}

#[test]
fn what_cannot_be_listed_is_refused() {
    let wrong = |scene: &str, arguments: &[&str], told: &str| {
        flexline(&[&["equilibria", scene], arguments].concat()).refused(3).complains(&[told]);
    };
    wrong(STRUT, &["--below", "much"], "--below \"much\"");
    wrong(STRUT, &["--vary", "cable.lenght=1..2"], "lenght");
    wrong(STRUT, &["--vary", "cable.length=0.3..0.4", "--over", "bend"], "bend");
    wrong(STRUT, &["--picture", "a.pdf"], "--picture a.pdf");
    wrong("scenes/pulley.toml", &[], "pulley");
    wrong("scenes/brake-hose.toml", &["--accuracy", "1 mm"], "--segments");
}
