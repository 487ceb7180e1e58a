//! Models of MuJoCo: read and made scenes of, or refused.
#![no_main]

use flexline_exchange::mjcf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = mjcf::read(bytes, &|_| Some(bytes.to_vec())) {
        for cable in &model.cables {
            let _ = cable.to_scene("a", &model.gravity);
        }
    }
});
