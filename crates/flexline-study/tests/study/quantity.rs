//! Numbers that a solution has.

use crate::support::{WIRE, base};
use flexline_study::Quantity;

#[test]
fn a_hanging_wire_is_measured() {
    let solved = base(WIRE).solve(WIRE).expect("a solution");
    let value = |name: &str| {
        Quantity::parse(name, &solved.compiled).expect(name).of(&solved).unwrap_or_else(|| panic!("{name}"))
    };
    // Two supports share the weight.
    assert!((value("start.reaction.z") - 0.5 * 0.09 * 9.80665).abs() < 1e-3, "{}", value("start.reaction.z"));
    let lowest = solved.solution.profiles[0].samples.iter().map(|own| own.position.z).fold(0.0, f64::min);
    // The ends are at z = 0 up to round-off.
    assert!((value("sag") + lowest).abs() < 1e-15, "{} and {lowest}", value("sag"));
    assert!((0.15..0.25).contains(&value("cable.sag")));
    assert_eq!((value("missing"), value("wire.length")), (0.0, 1.0));
    assert_eq!(value("end.position.x"), 0.9);
    let least =
        solved.solution.profiles[0].samples.iter().map(|own| own.bend_radius()).fold(f64::INFINITY, f64::min);
    assert!((value("bend_radius") - least).abs() < 1e-12 * least);
}

#[test]
fn what_is_not_measured_is_told_with_the_nearest_name() {
    let solved = base(WIRE).solve(WIRE).expect("a solution");
    for (name, told) in [
        ("bend_radus", "did you mean \"bend_radius\"?"),
        ("wir.tension", "did you mean \"wire\"?"),
        ("reaction", "say NAME.reaction"),
        ("stat.reaction", "did you mean \"start\"?"),
        ("end.position", "say .x, .y or .z"),
        ("clearance", "where something can touch"),
        ("tension.x", "nothing that is measured"),
    ] {
        let error = Quantity::parse(name, &solved.compiled).expect_err(name);
        assert!(error.contains(told), "{name}: {error}");
    }
}
