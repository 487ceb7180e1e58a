//! Sweeps.

use crate::support::{WIRE, base};
use flexline::solver::Status;
use flexline_scene::check::Rule;
use flexline_study::sweep::Sweep;
use flexline_study::{Course, Poses, Range};

/// An elastic strip that is bent upwards; its start is turned until it snaps.
const STRIP: &str = r#"version = 1
[world]
gravity = [0, 0, 0]
[cable]
name = "strip"
length = "300 mm"
segments = 40
section = { shape = "rectangle", width = "0.4 mm", height = "20 mm", material = "steel" }
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "clamped"
position = ["290 mm", 0, 0]
tangent = [1, 0, 0]
"#;

fn varied(text: &str, ranges: &[&str]) -> Sweep {
    let ranges = ranges.iter().map(|text| Range::parse(text).expect("a range")).collect();
    let course = Course::vary(base(text), ranges, 11).expect("a course");
    Sweep::run(&course, true, |_| {}).expect("a sweep")
}

#[test]
fn a_sweep_finds_what_each_pose_has_alone() {
    let poses = Poses::read("end.x,end.z\n0.9,0\n0.7,0.1\n0.5,-0.2\n0.95,0\n", "p.csv").expect("poses");
    let course = Course::through(base(WIRE), poses, "p.csv").expect("a course");
    let sweep = Sweep::run(&course, true, |_| {}).expect("a sweep");
    assert!(sweep.rows.iter().all(|row| row.is_solved() && row.snap.is_none() && row.between.is_none()));
    assert_eq!(sweep.tubes.len(), 4);
    for (row, [x, z]) in sweep.rows.iter().zip([[0.9, 0.0], [0.7, 0.1], [0.5, -0.2], [0.95, 0.0]]) {
        let text = WIRE.replace("[\"0.9 m\", 0, 0]", &format!("[{x}, 0, {z}]"));
        let alone = base(&text).solve(&text).expect("a solution");
        let own = alone.compiled.check(&alone.solution);
        let both = [row.findings.as_ref().expect("findings"), &own]
            .map(|all| all.cables[0].iter().find(|own| own.rule == Rule::Tension).expect("a tension").value);
        assert!((both[0] - both[1]).abs() < 1e-7 * both[1].abs(), "{both:?}");
    }
    // The worst tension of all is that of the pose that is nearest to being taut.
    let worst = sweep.worst_findings();
    let tension = worst.iter().find(|own| own.finding.rule == Rule::Tension).expect("a tension");
    assert_eq!(tension.pose, 3);
    let lines: Vec<String> = sweep.csv(&course).lines().map(str::to_owned).collect();
    assert!(
        lines[0].starts_with("pose,end.x,end.z,status,unstable,iterations,snap,wire.bend_radius,"),
        "{}",
        lines[0]
    );
    assert!(lines.len() == 5 && lines[1].starts_with("0,0.9,0,converged,0,"), "{}", lines[1]);
}

#[test]
fn what_is_too_short_has_a_status_and_the_way_goes_on() {
    let sweep = varied(WIRE, &["end.position.x=0.9..1.1:5"]);
    let status: Vec<Option<Status>> = sweep.rows.iter().map(|row| row.status).collect();
    assert_eq!(status[0], Some(Status::Converged));
    assert_eq!(status[4], Some(Status::TooShort));
    assert!((sweep.rows[4].missing[0] - 0.1).abs() < 1e-9, "{:?}", sweep.rows[4].missing);
    let back = varied(WIRE, &["end.position.x=1.1..0.9:5"]);
    assert_eq!(back.rows[4].status, Some(Status::Converged));
    // What cannot even be posed does not end the others.
    let refused = varied(WIRE, &["cable.length=1.5..-0.5:5"]);
    assert!(refused.rows[0].is_solved() && refused.rows[4].status.is_none());
    assert!(
        refused.rows[4].trouble.as_deref().is_some_and(|own| own.contains("length")),
        "{:?}",
        refused.rows[4]
    );
}

#[test]
fn a_strip_that_snaps_is_told_with_its_place() {
    // Bent upwards by both ends, then the start is turned down past what the arch bears.
    let turned = |from: f64, to: f64, count: usize| {
        varied(
            STRIP,
            &[
                &format!("start.tangent.z={from}..{to}:{count}"),
                &format!("end.tangent.z={}..{}:{count}", -from, -to),
            ],
        )
    };
    let coarse = turned(0.5, -0.5, 12);
    let snaps: Vec<_> = coarse.snaps().collect();
    assert_eq!(snaps.len(), 1, "{snaps:?}");
    let (_, snap) = snaps[0];
    assert!(snap.distance > 0.03 && snap.from.z > 0.0 && snap.to.z < 0.0, "{snap:?}");
    assert!(snap.between[1] - snap.between[0] < 2e-3);
    // Another division of the same way finds it at the same place.
    let fine = turned(0.5, -0.5, 23);
    let again = fine.snaps().next().expect("the snap").1;
    assert!((again.between[0] / 22.0 - snap.between[0] / 11.0).abs() < 2e-3, "{snap:?} {again:?}");
    // There and no farther it does not snap.
    assert_eq!(turned(0.5, 0.3, 6).snaps().count(), 0);
}
