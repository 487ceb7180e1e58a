//! Values that meet a condition.

use crate::support::{WIRE, base};
use flexline_study::find::{BoundaryKind, Found, Over, Search, Wanted};
use flexline_study::{Base, Poses, Range, StudyError};

fn search(base: &Base, vary: &str, goal: &str, over: Over, wanted: Wanted) -> Result<Found, StudyError> {
    let range = Range::parse(vary)?;
    Search { base, range: &range, goal, over, steps: 8, tolerance: 1e-9, wanted }.run(&mut || {})
}

#[test]
fn a_sag_finds_its_length_and_the_length_its_sag() {
    let own = base(WIRE);
    let found =
        search(&own, "cable.length=0.92..1.1", "sag=150mm", Over::Scene, Wanted::Least).expect("an answer");
    assert!(found.monotone && found.boundaries[0].kind == BoundaryKind::Crossing);
    let value = found.look.expect("a look").value.expect("a sag");
    assert!((value - 0.15).abs() < 1e-8, "{value}");
    // With this length, the end whose distance gives that sag is where it was.
    let text = own.with(&[("cable.length", found.at.expect("a length").into())]).expect("a text");
    let back = search(&base(&text), "end.position.x=0.8..0.95", "sag<=0.15", Over::Scene, Wanted::Least);
    assert!((back.expect("an answer").at.expect("a place") - 0.9).abs() < 1e-7);
}

#[test]
fn what_holds_in_two_places_is_told_so() {
    // Whichever end is the higher one carries more.
    let own = base(&WIRE.replace("0.9 m", "0.5 m"));
    let search = |wanted| {
        search(&own, "end.position.z=-0.5..0.6", "tension>=0.55", Over::Scene, wanted).expect("an answer")
    };
    let found = search(Wanted::Least);
    assert!(!found.monotone);
    assert_eq!((found.holds.len(), found.at), (2, Some(-0.5)), "{:?}", found.holds);
    let [low, high] = [found.holds[0][1], found.holds[1][0]];
    assert!((low + high).abs() < 1e-6 && high > 0.1, "{low} {high}");
    assert_eq!(search(Wanted::Most).at, Some(0.6));
}

#[test]
fn beyond_its_length_there_is_no_equilibrium() {
    let found = search(&base(WIRE), "end.position.x=0.9..1.2", "missing<=0", Over::Scene, Wanted::Most)
        .expect("an answer");
    // A wire of one metre reaches one metre.
    assert!((found.at.expect("a reach") - 1.0).abs() < 1e-6, "{found:?}");
    let held = search(&base(WIRE), "end.position.x=0.9..1.2", "tension<=1000", Over::Scene, Wanted::Most)
        .expect("an answer");
    assert!(held.boundaries.len() == 1 && held.at.expect("a place") < 1.0);
    assert!(
        held.scan.iter().any(|look| look.trouble.as_deref().is_some_and(|own| own.contains("short"))),
        "{held:?}"
    );
}

#[test]
fn over_poses_the_worst_counts() {
    let poses = Poses::read("end.x\n0.9\n0.8\n0.93\n", "p.csv").expect("poses");
    let over = Over::Poses(poses, "p.csv".into());
    let found =
        search(&base(WIRE), "cable.length=0.935..1.2", "sag<=0.25", over, Wanted::Most).expect("an answer");
    let look = found.look.expect("a look");
    // The nearest pose hangs deepest.
    assert_eq!(look.pose, Some(1));
    let alone = base(&WIRE.replace("0.9 m", "0.8 m"));
    let one =
        search(&alone, "cable.length=0.935..1.2", "sag<=0.25", Over::Scene, Wanted::Most).expect("an answer");
    assert!((found.at.expect("a length") - one.at.expect("a length")).abs() < 1e-7);
}

#[test]
fn mistakes_in_a_search_are_told() {
    for (vary, goal, told) in [
        ("cabl.length=0.9..1", "sag<=0.1", "nothing here is called 'cabl'"),
        ("cable.length=-1..1", "sag<=0.1", "length"),
        ("cable.length=0.9..1", "sag<0.1", "expected QUANTITY>=VALUE"),
        ("cable.length=0.9..1", "sag<=0.1 N", "compared with a length"),
        ("cable.length=0.9..1", "sagg<=0.1", "did you mean \"sag\"?"),
    ] {
        let error = search(&base(WIRE), vary, goal, Over::Scene, Wanted::Least).expect_err(goal).to_string();
        assert!(error.contains(told), "{error}");
    }
    let around = Range::around(WIRE, "cable.length").expect("a range");
    assert_eq!((around.ends, around.unit.as_deref()), ([0.5, 2.0], Some("m")));
    assert!(Range::around(WIRE, "start.position.x").is_err());
}
