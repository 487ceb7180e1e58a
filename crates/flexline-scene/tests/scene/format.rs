//! The description of the format and the reader agree.

use flexline_scene::{Code, Scene, TABLES};

const FORMAT: &str = include_str!("../../FORMAT.md");

/// The words between backticks.
fn words() -> Vec<&'static str> {
    FORMAT.split('`').skip(1).step_by(2).flat_map(|w| w.split(['[', ']', ' ', '"', '{', '}', ','])).collect()
}

#[test]
fn every_key_is_described() {
    let words = words();
    for (table, keys) in TABLES {
        for key in keys {
            assert!(words.contains(key), "`{key}` of {table} is not in FORMAT.md");
        }
    }
}

#[test]
fn every_code_is_described() {
    let words = words();
    for code in [
        Code::Unreadable,
        Code::TooLarge,
        Code::NotText,
        Code::Syntax,
        Code::Version,
        Code::DuplicateKey,
        Code::UnknownKey,
        Code::MissingKey,
        Code::Conflict,
        Code::WrongType,
        Code::WrongUnit,
        Code::NotFinite,
        Code::OutOfRange,
        Code::UnknownName,
        Code::Floating,
        Code::TooShort,
    ] {
        assert!(words.contains(&code.as_str()), "{code:?}");
    }
}

/// The blocks of TOML.
fn blocks() -> Vec<&'static str> {
    FORMAT.split("```toml\n").skip(1).filter_map(|b| b.split("```").next()).collect()
}

#[test]
fn examples_are_valid() {
    let (whole, parts): (Vec<&str>, Vec<&str>) = blocks().into_iter().partition(|b| b.starts_with("version"));
    assert!(!whole.is_empty() && !parts.is_empty());
    for scene in &whole {
        Scene::parse(scene, "FORMAT.md").unwrap_or_else(|e| panic!("{e}"));
    }
    // Lines of the other blocks belong to [cable], one at a time.
    for line in parts.iter().flat_map(|p| p.lines()).filter(|l| !l.starts_with('#')) {
        let text = whole[0].replacen("[cable]\n", &format!("[cable]\n{line}\n"), 1);
        Scene::parse(&text, "FORMAT.md").unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn quantities_of_the_table_are_read() {
    use flexline_scene::units::{Dimension, parse};
    let rows = [
        ("| length |", Dimension::Length),
        ("| angle |", Dimension::Angle),
        ("| area |", Dimension::Area),
        ("| curvature |", Dimension::Curvature),
        ("| twist per length |", Dimension::TwistRate),
        ("| force |", Dimension::Force),
        ("| moment |", Dimension::Moment),
        ("| force per length |", Dimension::ForcePerLength),
        ("| moment per length |", Dimension::MomentPerLength),
        ("| stress, modulus |", Dimension::Stress),
        ("| stiffness |", Dimension::Stiffness),
        ("| mass |", Dimension::Mass),
        ("| moment of inertia |", Dimension::Inertia),
        ("| time |", Dimension::Time),
        ("| density |", Dimension::Density),
        ("| mass per length |", Dimension::MassPerLength),
        ("| acceleration |", Dimension::Acceleration),
        ("| plain number |", Dimension::Ratio),
    ];
    for (start, dimension) in rows {
        let row = FORMAT.lines().find(|l| l.starts_with(start)).unwrap_or_else(|| panic!("{start}"));
        let mut count = 0;
        for quantity in row.split('"').skip(1).step_by(2) {
            parse(quantity, dimension).unwrap_or_else(|e| panic!("{quantity}: {e:?}"));
            count += 1;
        }
        assert!(count > 0, "{start}");
    }
}
