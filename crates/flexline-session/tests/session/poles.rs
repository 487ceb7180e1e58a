//! Poles that are edited, and the same pole in a harness.

use crate::common::session::{open, run, scene};
use crate::scenes::texts::over_a_bar;
use flexline::solver::Status;
use flexline_session::session::Solved;

#[test]
fn poles_are_added_changed_removed_and_undone() {
    let bar = over_a_bar("\"mixed\"", "");
    let without = bar.split("[[pole]]").next().unwrap();
    let mut session = open(without);
    let lowest = |session: &flexline_session::session::Session| {
        let Some(Solved { scene, solution, .. }) = session.solution() else { panic!("not solved") };
        assert!(scene.is_single(), "it stays one cable");
        solution.profiles[0].samples.iter().map(|s| s.position.z).fold(0.0, f64::min)
    };
    let free = lowest(&session);
    run(
        &mut session,
        r#"{"do": "add", "kind": "pole", "with": {"through": ["200 mm", 0, "-15 mm"], "axis": [0, 1, 0], "radius": "20 mm"}}"#,
    );
    let held = lowest(&session);
    assert!(held > free + 1e-3, "{held} {free}");
    run(
        &mut session,
        r#"{"do": "set", "kind": "pole", "name": "pole 1", "key": "radius", "value": "10 mm"}"#,
    );
    assert!(lowest(&session) < held - 1e-3);
    // Grown by more than the cable is thick, it pushes it up again.
    let grown = r#"{"do": "set", "kind": "pole", "name": "pole 1", "key": "radius", "value": "35 mm"}"#;
    run(&mut session, grown);
    let Solved { solution, .. } = session.solution().unwrap();
    let highest = solution.profiles[0].samples.iter().map(|s| s.position.z).fold(0.0, f64::max);
    // The surface is 20 mm above the clamp, the axis of the cable 5 mm more.
    assert!(solution.report.status == Status::Converged && highest > 0.025, "{highest}");
    session.undo().unwrap();
    session.undo().unwrap();
    assert!((lowest(&session) - held).abs() < 1e-6);
    run(&mut session, r#"{"do": "remove", "kind": "pole", "name": "pole 1"}"#);
    assert!((lowest(&session) - free).abs() < 1e-6);
    assert!(!session.text().contains("pole"));
}

#[test]
fn the_bean_is_the_same_in_a_harness() {
    let mut session = open(&scene("bean"));
    let Some(Solved { solution, .. }) = session.solution().cloned() else { panic!() };
    let alone = &solution.profiles[0];
    // Around the axis from foot to tip, and on the pole.
    let angle: f64 = alone
        .samples
        .windows(2)
        .map(|w| {
            let [a, b] = [w[0].position.xy(), w[1].position.xy()];
            a.perp(&b).atan2(a.dot(&b))
        })
        .sum();
    assert!(angle > 3.5 * std::f64::consts::TAU, "{angle}");
    assert!(solution.report.contacts.len() > 10 && solution.report.penetration < 1e-9);
    run(&mut session, r#"{"do": "to-harness"}"#);
    let Some(Solved { solution, .. }) = session.solution() else { panic!() };
    assert_eq!(solution.report.status, Status::Converged);
    for (a, b) in alone.samples.iter().zip(&solution.profiles[0].samples) {
        assert!((a.position - b.position).norm() < 1e-7, "{} {}", a.position, b.position);
    }
}
