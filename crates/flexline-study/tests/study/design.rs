//! Designs against closed forms, differences and grids.

use crate::support::base;
use flexline_study::design::{Design, Found, Rule, Wish};
use flexline_study::{Base, Quantity, Range};
use std::f64::consts::PI;

/// A wire between two ball joints: Euler's elastica.
const ELASTICA: &str = r#"version = 1
[world]
gravity = "none"
[cable]
name = "wire"
length = "400 mm"
segments = 80
measured = { bend = "0.02 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "5 mm" }
[start]
hold = "pinned"
position = [0, 0, 0]
[end]
hold = "pinned"
position = ["260 mm", 0, 0]
"#;

/// A hose that is led round a corner.
const CORNER: &str = r#"version = 1
[cable]
name = "hose"
length = "400 mm"
segments = 32
measured = { bend = "0.05 N m^2", twist = "0.04 N m^2", mass_per_length = "150 g/m", diameter = "12 mm" }
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "clamped"
position = ["220 mm", "30 mm", "160 mm"]
tangent = [0.2, 0.1, 1]
"#;

fn ranges(texts: &[&str]) -> Vec<Range> {
    texts.iter().map(|text| Range::parse(text).expect("a range")).collect()
}

fn run(base: &Base, ranges: &[Range], wish: (&str, bool), rules: &[&str]) -> Found {
    let now = base.solve(&base.text).expect("a scene");
    let wish = Some(Wish::parse(wish.0, wish.1, &now).expect("a wish"));
    let rules = rules.iter().map(|text| Rule::parse(text, &now).expect("a rule")).collect();
    let design = Design { base, ranges, wish, rules, starts: 6, seed: 3 };
    design.run(&mut || {}).expect("a design")
}

fn value(base: &Base, ranges: &[Range], values: &[f64], what: &str) -> Option<f64> {
    let named: Vec<(String, f64)> =
        ranges.iter().map(|own| own.name.clone()).zip(values.iter().copied()).collect();
    let named: Vec<(&str, serde_json::Value)> =
        named.iter().map(|(name, value)| (name.as_str(), (*value).into())).collect();
    let solved = base.solve(&base.with(&named).ok()?).ok()?;
    Quantity::parse(what, &solved.compiled).ok()?.of(&solved)
}

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

/// The longest wire between joints d apart whose bends keep a radius R: d = L (2E/K − 1), R = L/(4 k K).
#[test]
fn the_longest_wire_that_keeps_a_radius_is_that_of_the_elastica() {
    let (radius, apart) = (0.11, 0.26);
    let (mut low, mut high) = (0.05, 0.57);
    for _ in 0..200 {
        let k: f64 = 0.5 * (low + high);
        let (first, second) = elliptic(k);
        if (2.0 * second / first - 1.0) * 4.0 * k * first * radius > apart { high = k } else { low = k }
    }
    // Of the two solutions the one of gentle bends: the radius at a small k is large.
    let k = 0.5 * (low + high);
    let (first, second) = elliptic(k);
    let found_apart = (2.0 * second / first - 1.0) * 4.0 * k * first * radius;
    assert!((found_apart - apart).abs() < 1e-9, "{found_apart}");
    let length = 4.0 * k * first * radius;
    let own = base(ELASTICA);
    let ranges = ranges(&["cable.length=0.27..0.42"]);
    let found = run(&own, &ranges, ("length", true), &["bend_radius>=110mm"]);
    assert!(found.is_good() && found.same, "{:?}", found.rules);
    assert!(found.rules[0].binding, "{:?}", found.rules);
    // Bends are told at nodes, an arc of (L/80) as a polygon: half of that squared times the curvature squared.
    let tolerance = 0.5 * (length / 80.0 / radius).powi(2) * length;
    assert!((found.values[0] - length).abs() < tolerance, "{} {length} {tolerance}", found.values[0]);
}

#[test]
fn the_derivative_is_that_of_differences() {
    let own = base(CORNER);
    let ranges = ranges(&["cable.length=0.36..0.46", "end.position.z=0.12..0.2"]);
    let found = run(&own, &ranges, ("end.reaction", false), &["bend_radius>=40mm"]);
    let slopes = found.slopes.clone().expect("derivatives");
    for k in 0..2 {
        let h = 2e-5;
        let at = |by: f64| {
            let mut values = found.values.clone();
            values[k] += by;
            value(&own, &ranges, &values, "end.reaction").expect("a force")
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        // Second differences of a force of about a newton over centimetres leave 1e-5 of a slope.
        let scale = slopes.iter().fold(0.1f64, |most, own| most.max(own.abs()));
        assert!((slopes[k] - difference).abs() < 1e-4 * scale, "{k}: {} {difference}", slopes[k]);
    }
}

#[test]
fn no_place_of_a_grid_is_better() {
    let own = base(CORNER);
    let ranges = ranges(&["cable.length=0.36..0.46", "end.position.z=0.12..0.2"]);
    let found = run(&own, &ranges, ("bend_radius", true), &["end.reaction<=7.5"]);
    assert!(found.is_good(), "{:?}", found.rules);
    let best = found.wish.expect("a radius");
    let mut grid = 0.0f64;
    for i in 0..=12 {
        for j in 0..=12 {
            let values = [0.36 + 0.1 * f64::from(i) / 12.0, 0.12 + 0.08 * f64::from(j) / 12.0];
            let force = value(&own, &ranges, &values, "end.reaction");
            if force.is_some_and(|force| force <= 7.5) {
                grid = grid.max(value(&own, &ranges, &values, "bend_radius").expect("a radius"));
            }
        }
    }
    assert!(grid > 0.0 && best >= grid * (1.0 - 1e-6), "{best} {grid} at {:?}", found.values);
}

#[test]
fn a_cable_is_made_to_pass_through_a_point() {
    let own = base(CORNER);
    let now = own.solve(&own.text).expect("a scene");
    // A place where the hose of another length passes.
    let other = own.solve(&own.with(&[("cable.length", 0.43.into())]).expect("a text")).expect("a scene");
    let samples = &other.solution.profiles[0].samples;
    let p = samples[samples.len() / 2].position;
    let pass = format!("hose={},{},{} within 0.01 mm", p.x, p.y, p.z);
    let ranges = ranges(&["cable.length=0.36..0.46"]);
    let rules = vec![Rule::pass(&pass, &now).expect("a rule")];
    let design = Design { base: &own, ranges: &ranges, wish: None, rules, starts: 6, seed: 3 };
    let found = design.run(&mut || {}).expect("a design");
    assert!(found.is_good() && (found.values[0] - 0.43).abs() < 1e-3, "{:?} {:?}", found.values, found.rules);
}

#[test]
fn what_is_out_of_reach_is_missed_by_the_least() {
    let own = base(ELASTICA);
    let ranges = ranges(&["cable.length=0.3..0.42"]);
    let found = run(&own, &ranges, ("energy", false), &["length>=0.4", "bend_radius>=115mm"]);
    assert!(!found.is_good());
    let missed: f64 = found.rules.iter().map(|own| own.missed / own.limit).sum();
    // By a scan: as shares of the limits, no length misses less together.
    let miss = |length: f64| {
        let radius = value(&own, &ranges, &[length], "bend_radius").expect("a radius");
        (0.4 - length).max(0.0) / 0.4 + (0.115 - radius).max(0.0) / 0.115
    };
    let least = (0..=48).map(|k| miss(0.3 + 0.0025 * f64::from(k))).fold(f64::INFINITY, f64::min);
    assert!(missed <= least + 1e-6, "{missed} {least} at {:?}", found.values);
}
