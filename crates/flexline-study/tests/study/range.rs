//! Ranges of parameters.

use flexline_study::Range;
use serde_json::Value;

#[test]
fn ranges_are_read_with_their_unit() {
    let own = Range::parse("cable.length=400 mm..600mm:5").expect("a range");
    assert_eq!((own.name.as_str(), own.unit.as_deref(), own.count), ("cable.length", Some("mm"), Some(5)));
    assert_eq!(own.value(0.25), Value::from("450 mm"));
    assert_eq!(own.share_of(&"500 mm".into()), Some(0.5));
    assert_eq!(own.share_of(&"0.5 m".into()), None);
    let plain = Range::parse("a.b=-1e-3..2").expect("a range");
    assert_eq!((plain.ends, plain.unit), ([-1e-3, 2.0], None));
    // A unit said once is that of both ends.
    assert_eq!(Range::parse("a=1..2 N m^2:3").expect("a range").unit.as_deref(), Some("N m^2"));
}

#[test]
fn what_is_no_range_is_told() {
    for (text, told) in [
        ("cable.length", "expected NAME=FROM..TO:COUNT"),
        ("a=1..2:1", "\"1\" values"),
        ("a=nan..2", "\"nan\" is no finite number"),
        ("a=1 m..2 mm", "one unit for both"),
        ("a=1..1", "both ends are the same"),
    ] {
        let error = Range::parse(text).expect_err(text).to_string();
        assert!(error.contains(told), "{error}");
    }
}
