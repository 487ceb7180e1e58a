#![no_main]
//! Any bytes as a file of curves of any format. What is read is laid as cables with finite points, or refused with a reason.

use flexline_exchange::curve::Curves;
use flexline_exchange::drawing::Up;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match Curves::read(bytes) {
    Ok(curves) => match curves.to_flexible(1e-3, Up::Z, Some(1e-3)) {
        Ok(laid) => assert!(laid.spans.iter().flat_map(|s| &s.points).all(|p| p.iter().all(|x| x.is_finite()))),
        Err(reason) => assert!(!reason.is_empty()),
    },
    Err(error) => assert!(!error.to_string().is_empty()),
});
