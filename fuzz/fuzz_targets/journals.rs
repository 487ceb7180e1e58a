#![no_main]
//! Any bytes: the lines of a journal, with checks that are right, and a place where it is damaged; the bytes as they stand
//! are a journal, too. A session comes back up to the damage and keeps the damaged file, or says why not. Nothing is solved.

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/flexline-session/tests/session/common/journals.rs"]
mod journals;

fuzz_target!(|bytes: &[u8]| {
    journals::judge(bytes, &journals::own_folder("fuzz"));
});
