//! What must hold of any bytes that are read as a problem: shared by the tests and the fuzzer.

use flexline::solver::Budget;
use flexline_exchange::problem::{from_bytes, to_text};
use std::time::Duration;

/// Reads bytes as a problem. What is read comes back from its own text, and a solve of it ends with a status or an error.
/// What is not read says why.
pub fn judge(bytes: &[u8]) {
    match from_bytes(bytes, "any.json") {
        Ok(problem) => {
            let text = to_text(&problem).expect("what was read can be written");
            assert_eq!(from_bytes(text.as_bytes(), "again.json").as_ref(), Ok(&problem));
            // A solve ends soon: whoever solves may wait, a test may not.
            let budget = Budget::lasting(Duration::from_millis(20));
            if let Err(error) = budget.around(|| problem.solve()) {
                assert!(!error.to_string().is_empty());
            }
        }
        Err(error) => assert!(error.to_string().contains("any.json"), "{error}"),
    }
}
