//! The seeds of the fuzzer of harness data, whole and damaged: none of its ruins panics, and what is read comes back as it was.

use flexline_exchange::kbl::{
    Change, CutList, Dialect, Kbl, Plan, Report, Reserve, Rest, Text, Wishes, wireviz, write_back,
};
use proptest::prelude::*;

const SEED: &[u8] = include_bytes!("../../../fuzz/seeds/kbl/one.kbl");

/// Everything that is done with harness data that was read.
fn assert_sound(bytes: &[u8], kbl: &Kbl) {
    let plan = Plan::new(kbl, &[]).unwrap();
    assert!(plan.cables.iter().all(|own| own.length.is_finite() && own.length > 0.0));
    let report = Report::new(kbl, &plan);
    assert!(!report.text().is_empty() && report.to_json().is_object());
    let scene = plan.to_scene(kbl, "t", "f", Rest::Drawn);
    assert!(!scene.contains("NaN") && !scene.contains("inf"));
    let rule = Reserve { share: 0.03, per_end: 0.01, round: 0.005 };
    let longer = vec![0.0; plan.cables.len()];
    assert!(!CutList::new(kbl, &plan, &longer, &rule).to_html(&rule).is_empty());
    assert!(!wireviz(kbl, &plan, &longer).is_empty());
    let wishes = Wishes { tolerance: 1e-5, dialect: None, reserve: None };
    let changes = vec![Change::default(); plan.cables.len()];
    let made = write_back(&Text::decode(bytes).unwrap(), kbl, &plan, &changes, &wishes).unwrap();
    assert!(made.bytes == bytes);
}

#[test]
fn the_seed_is_read() {
    let kbl = Kbl::read(SEED).unwrap();
    assert_sound(SEED, &kbl);
    let plan = Plan::new(&kbl, &[]).unwrap();
    let own = &plan.cables[0];
    assert_eq!(own.course.dialect, Some(Dialect::Unclamped));
    // An arc of a parabola y = x(200 − x)/200 over 200 mm: ∫√(1 + y′²) with slopes from 1 to −1.
    let length = 0.2 * (2.0_f64.sqrt() + 1.0_f64.asinh()) / 2.0;
    assert!((own.course.length() - length).abs() < 1e-9, "{}", own.course.length());
    assert_eq!((own.clips.len(), own.stretches.len(), own.wires.len()), (1, 1, 1));
}

#[test]
fn cut_seeds_are_refused() {
    for end in (0..SEED.len() - 24).step_by(7) {
        assert!(Kbl::read(&SEED[..end]).is_err(), "{end}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn damaged_seeds_are_refused_or_sound(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4usize), 1..5),
    ) {
        let mut bytes = SEED.to_vec();
        for (place, value, how) in damage {
            let at = place.index(bytes.len());
            match how {
                0 => bytes[at] = value,
                // A digit for a digit keeps the file well-formed and its figures wild.
                1 => if bytes[at].is_ascii_digit() { bytes[at] = b"0123456789e-."[usize::from(value) % 13] },
                2 => bytes.insert(at, value),
                _ => { let end = (at + usize::from(value) % 8).min(bytes.len()); bytes.drain(at..end); }
            }
            if bytes.is_empty() {
                break;
            }
        }
        match Kbl::read(&bytes) {
            Ok(kbl) => assert_sound(&bytes, &kbl),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
