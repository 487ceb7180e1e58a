#![no_main]
//! Any bytes: read as a scene file, cable or harness, and compiled when they are one. Errors are fine, and must print;
//! panics are not.

use flexline_scene::AnyScene;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let outcome = match AnyScene::from_bytes(bytes, "fuzz") {
        Ok(AnyScene::Cable(scene)) => scene.compile().map(drop),
        Ok(AnyScene::Harness(harness)) => harness.compile().map(drop),
        Err(error) => Err(error),
    };
    if let Err(error) = outcome {
        let _ = error.to_string();
    }
});
