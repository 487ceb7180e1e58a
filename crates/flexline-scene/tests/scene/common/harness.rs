//! Harnesses in tests: compiled, solved, or refused.

use flexline::solver::Status;
use flexline_scene::{Compiled, Scene, Solution};

/// The harness of a text, or what is said about it.
pub fn parse(text: &str) -> Result<Compiled, String> {
    let scene = Scene::parse(text, "test").map_err(|e| e.to_string())?;
    assert!(!scene.is_single(), "not a harness");
    scene.compile().map_err(|e| e.to_string())
}

/// The harness of a text, which is sound.
#[track_caller]
pub fn compiled(text: &str) -> Compiled {
    parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// The harness of a text, in an equilibrium that may be unstable: plane shapes often are.
#[track_caller]
pub fn balanced(text: &str) -> (Compiled, Solution) {
    let compiled = compiled(text);
    let solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::Converged, "{:?}", solution.report);
    assert!(solution.report.violation < 1e-9, "{:?}", solution.report);
    (compiled, solution)
}

/// The harness of a text, in a stable equilibrium.
#[track_caller]
pub fn solved(text: &str) -> (Compiled, Solution) {
    let (compiled, solution) = balanced(text);
    assert_eq!(solution.report.negative, 0, "{:?}", solution.report);
    (compiled, solution)
}

/// A text is refused, with one mistake that has a place, and all of these words.
#[track_caller]
pub fn says(text: &str, expected: &[&str]) {
    let told = parse(text).err().unwrap_or_else(|| "no mistake found".into());
    for words in expected {
        assert!(told.contains(words), "expected {words:?} in {told}");
    }
    assert_eq!(told.matches("error[").count(), 1, "{told}");
    assert!(told.contains("--> test"), "{told}");
}
