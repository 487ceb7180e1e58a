//! Studies: the same bits however they are run, and what they refuse.

use crate::support::{WIRE, base};
use flexline_study::study::{Row, Run, RunError, Study, Summary, csv, html};
use std::path::PathBuf;

const STUDY: &str = r#"version = 1
scene = "wire.toml"
seed = 4
samples = 40

[[parameter]]
name = "cable.length"
normal = { mean = "1 m", deviation = "0.02 m", low = "0.95 m", high = "1.05 m" }

[[parameter]]
name = "end.position.x"
uniform = ["0.85 m", "0.93 m"]

[[response]]
quantity = "sag"
limit = "<= 200 mm"

[[response]]
quantity = "end.reaction.z"
"#;

fn study(text: &str) -> Study {
    Study::from_texts(text, "study.toml", base(WIRE)).unwrap_or_else(|error| panic!("{error}"))
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn rows(run: Run) -> Vec<Row> {
    run.rows.into_iter().map(|row| row.expect("a row that is done")).collect()
}

#[test]
fn a_run_is_the_same_in_pieces_and_on_any_number_of_threads() {
    let own = study(STUDY);
    let alone: Vec<Row> = (0..own.rows()).map(|row| own.row(row)).collect();
    assert!(alone.iter().all(|row| row.status == "converged"));
    let whole = folder("whole");
    let mut run = Run::open(&own, &whole, false).expect("a run");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    pool.install(|| run.go_on(&own, &|_| {})).expect("all rows");
    assert_eq!(rows(run), alone);
    // Ended in the middle of a line, it goes on from there.
    let path = whole.join("rows.txt");
    let text = std::fs::read_to_string(&path).expect("rows");
    let cut = text.len() / 2;
    std::fs::write(&path, &text[..cut]).expect("torn");
    let mut again = Run::open(&own, &whole, false).expect("a run");
    let kept = again.done();
    assert!(0 < kept && kept < own.rows(), "{kept}");
    again.go_on(&own, &|_| {}).expect("the rest");
    assert_eq!(rows(again), alone);
    // What is written is what is read.
    assert_eq!(rows(Run::open(&own, &whole, false).expect("a run")), alone);
    assert_eq!(csv(&own, &alone).lines().count(), 41);
    let summary = Summary::new(&own, &alone);
    let page = html(&own, &alone, &summary).expect("a report");
    assert!(page.contains("<svg") && page.contains("end.reaction.z") && !page.contains("src="));
    // Half the weight, whatever the sag is for the rest of it.
    let pull = &summary.responses[1];
    assert!((pull.mean - 0.5 * 0.09 * 9.80665).abs() < 2e-3 && pull.failure.is_none());
    let sag = &summary.responses[0];
    let broken = alone.iter().filter(|row| row.values[0].is_some_and(|own| own > 0.2)).count();
    assert_eq!(sag.failure.expect("a rate").value, broken as f64 / 40.0);
    let plane = sag.regression.as_ref().expect("a plane");
    assert!(plane.standardised[0] > 0.3 && plane.standardised[1] < -0.3, "{plane:?}");
    let _ = std::fs::remove_dir_all(&whole);
}

#[test]
fn another_study_is_not_continued() {
    let own = study(STUDY);
    let path = folder("changed");
    Run::open(&own, &path, false).expect("a run").go_on(&own, &|_| {}).expect("all rows");
    let changed = study(&STUDY.replace("0.02 m", "0.03 m"));
    let Err(RunError::Input(error)) = Run::open(&changed, &path, false) else { panic!("it was continued") };
    assert!(error.to_string().contains("begun with another text of the study file"), "{error}");
    // What was finished is kept, until somebody wants it gone.
    assert_eq!(Run::open(&own, &path, false).expect("a run").done(), 40);
    assert_eq!(Run::open(&changed, &path, true).expect("a run").done(), 0);
    let _ = std::fs::remove_dir_all(&path);
}

#[test]
fn indices_take_rows_of_their_own() {
    let own =
        study(&STUDY.replace("samples = 40", "samples = 64\nmethod = \"sobol\"\nsensitivity = \"sobol\""));
    assert_eq!(own.rows(), 256);
    // The third block is the first with the first column of the second.
    assert_eq!(own.values(128 + 5), vec![own.values(64 + 5)[0], own.values(5)[1]]);
    let all: Vec<Row> = (0..own.rows()).map(|row| own.row(row)).collect();
    let summary = Summary::new(&own, &all);
    assert_eq!(summary.counted, 128);
    let found = summary.responses[0].indices.as_ref().expect("indices");
    // A sag is nearly the sum of what each does: the indices add up to one.
    let sum: f64 = found.iter().map(|own| own.first.value).sum();
    assert!((sum - 1.0).abs() < 0.1 && found[1].total.value > found[0].total.value, "{found:?}");
}

#[test]
fn mistakes_in_a_study_are_told() {
    for (from, to, told) in [
        ("version = 1", "version = 2", "this program reads version 1"),
        ("seed = 4", "sed = 4", "unknown field `sed`"),
        ("samples = 40", "samples = 1", "expected `samples`, 2 or more"),
        ("samples = 40", "method = \"grid\"", "a grid asks for `levels`"),
        ("\"cable.length\"", "\"cabel.length\"", "nothing here is called 'cabel'"),
        ("low = \"0.95 m\", ", "low = \"-1 m\", ", "deviation"),
        ("deviation = \"0.02 m\", low = \"0.95 m\"", "deviation = \"0.3 m\"", "which the scene cannot have"),
        ("deviation = \"0.02 m\"", "deviation = \"20 mm\"", "expected the unit of its other values"),
        ("deviation = \"0.02 m\"", "deviation = \"-1 m\"", "expected a number above 0"),
        ("uniform = [\"0.85 m\", \"0.93 m\"]", "uniform = [nan, 1.0]", "expected"),
        ("uniform = [\"0.85 m\", \"0.93 m\"]", "", "expected one of normal, uniform"),
        ("\"sag\"", "\"sagg\"", "did you mean \"sag\"?"),
        ("<= 200 mm", "< 200 mm", "expected QUANTITY>=VALUE"),
    ] {
        let text = STUDY.replacen(from, to, 1);
        assert_ne!(text, STUDY, "{from}");
        let Err(error) = Study::from_texts(&text, "study.toml", base(WIRE)) else {
            // A cut far from the mean is no mistake.
            assert!(to.contains("low = \"-1 m\""), "{to}");
            continue;
        };
        assert!(error.to_string().contains(told), "{to}: {error}");
    }
    let correlated = |b: &str, coefficient: f64| {
        let text = format!(
            "{STUDY}\n[[correlation]]\nbetween = [\"cable.length\", \"{b}\"]\ncoefficient = {coefficient}\n"
        );
        Study::from_texts(&text, "study.toml", base(WIRE)).err().map(|error| error.to_string())
    };
    assert!(correlated("end.position.x", 0.5).is_none());
    assert!(correlated("end.position.x", 1.0).expect("too much").contains("between -1 and 1"));
    assert!(
        correlated("end.position.y", 0.5).expect("unknown").contains("no parameter is \"end.position.y\"")
    );
}
