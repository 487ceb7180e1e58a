#![no_main]
//! Any bytes as harness data. What is read can be planned, told of, made a scene of, and written back as it was.

use flexline_exchange::kbl::{Change, Kbl, Plan, Report, Rest, Text, Wishes, write_back};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Kbl::read(bytes) {
        Ok(kbl) => {
            let plan = Plan::new(&kbl, &[]).unwrap();
            assert!(!Report::new(&kbl, &plan).text().is_empty());
            assert!(!plan.to_scene(&kbl, "", "", Rest::Drawn).is_empty());
            let wishes = Wishes { tolerance: 1e-5, dialect: None, reserve: None };
            let changes = vec![Change::default(); plan.cables.len()];
            let made = write_back(&Text::decode(bytes).unwrap(), &kbl, &plan, &changes, &wishes).unwrap();
            assert!(made.bytes == bytes);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
