#![no_main]
//! Any bytes: lines, each a message of a page to the studio's server. What is misunderstood must say so, and what is
//! understood must hold no number that is not finite.

use flexline_server::{Op, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for line in String::from_utf8_lossy(bytes).lines().take(100) {
        match Request::read(line) {
            Ok(Request { op: Op::Drag(drag), .. }) => {
                assert!(drag.to.iter().all(|x| x.is_finite()) && drag.stamp.is_finite());
                assert!(drag.frame.is_none_or(|q| (q.norm() - 1.0).abs() < 1e-9));
            }
            Ok(_) => {}
            Err(error) => assert!(!error.message.is_empty()),
        }
    }
});
