#![no_main]
//! Any bytes as a problem file. What is read comes back from its own text and ends, solved, with a status or an error.

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/flexline-exchange/tests/common/problems.rs"]
mod problems;

fuzz_target!(|bytes: &[u8]| {
    problems::judge(bytes);
});
