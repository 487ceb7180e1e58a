#![no_main]
//! Any bytes: read as a scene file, cable or harness, and compiled when they are one. Errors are fine, and must print;
//! panics are not.

use flexline_scene::Scene;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = Scene::from_bytes(bytes, "fuzz").and_then(|scene| scene.compile()) {
        let _ = error.to_string();
    }
});
