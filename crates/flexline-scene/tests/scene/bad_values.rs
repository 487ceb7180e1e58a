//! The text of mistakes in keys, units and numbers: place, value, expectation, remedy.

use crate::common::{GOOD, broken};
use flexline_scene::Scene;

#[test]
fn good_scene_is_good() {
    assert!(Scene::parse(GOOD, "hose.toml").is_ok());
}

#[test]
fn missing_key() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, "")]),
        r#"
error[missing-key]: `length` is missing in cable
 --> hose.toml:3:1
  |
3 | [cable]
  | ^^^^^^^
  = help: give a length such as "12 mm" or a number in metres: length = "12 mm"
"#
    );
}

#[test]
fn missing_table() {
    assert_eq!(
        broken(&[(
            "[cable]\nlength = \"400 mm\"\nsegments = 40\n\n[cable.section]\nshape = \"tube\"\nouter_diameter = \"10 mm\"\ninner_diameter = \"4 mm\"\nyoungs_modulus = \"8 MPa\"\npoisson = 0.45\ndensity = \"1200 kg/m^3\"\n",
            ""
        )]),
        r#"
error[missing-key]: `cable` is missing at the top level
 --> hose.toml
  = help: add a [cable] table with length and part, section or measured
"#
    );
}

#[test]
fn missing_version() {
    assert_eq!(
        broken(&[("version = 1", "")]),
        r#"
error[missing-key]: `version` is missing at the top level
 --> hose.toml
  = help: write version = 1 in the first line
"#
    );
}

#[test]
fn unknown_key() {
    assert_eq!(
        broken(&[("segments = 40", r#"colour = "red""#)]),
        r#"
error[unknown-key]: unknown key `colour` in cable
 --> hose.toml:5:1
  |
5 | colour = "red"
  | ^^^^^^
  = help: valid here: name, length, segments, elements, accuracy, model, grading, closed, twist, use, part, section, measured, bundle, override, limits, rest, zone, passes_through, friction, path, path_twist
"#
    );
}

#[test]
fn misspelt_key_is_one_mistake_not_two() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"lenght = "400 mm""#)]),
        r#"
error[unknown-key]: unknown key `lenght` in cable
 --> hose.toml:4:1
  |
4 | lenght = "400 mm"
  | ^^^^^^
  = help: did you mean `length`? Valid here: name, length, segments, elements, accuracy, model, grading, closed, twist, use, part, section, measured, bundle, override, limits, rest, zone, passes_through, friction, path, path_twist
"#
    );
}

#[test]
fn unknown_table() {
    assert_eq!(
        broken(&[("[[load]]", "[[loads]]")]),
        r#"
error[unknown-key]: unknown key `loads` at the top level
  --> hose.toml:24:3
   |
24 | [[loads]]
   |   ^^^^^
   = help: did you mean `load`? Valid here: version, title, description, units, world, cable, start, end, load, pole, obstacle, bundle, solve
"#
    );
}

#[test]
fn duplicate_key() {
    assert_eq!(
        broken(&[("segments = 40", "segments = 40\nsegments = 50")]),
        r#"
error[duplicate-key]: `segments` is given twice
 --> hose.toml:6:1
  |
6 | segments = 50
  | ^^^^^^^^
  = help: keep one of them
"#
    );
}

#[test]
fn wrong_unit_for_a_length() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = "5 kg""#)]),
        r#"
error[wrong-unit]: `cable.length` = "5 kg" is a mass, not a length
 --> hose.toml:4:10
  |
4 | length = "5 kg"
  |          ^^^^^^
  = help: expected a length such as "12 mm" or a number in metres
"#
    );
}

#[test]
fn wrong_unit_within_a_vector() {
    assert_eq!(
        broken(&[(r#"position = ["250 mm", 0, 0]"#, r#"position = ["250 mm", 0, "3 s"]"#)]),
        r#"
error[wrong-unit]: value 3 of `end.position` = "3 s" is a time, not a length
  --> hose.toml:22:26
   |
22 | position = ["250 mm", 0, "3 s"]
   |                          ^^^^^
   = help: expected a length such as "12 mm" or a number in metres
"#
    );
}

#[test]
fn number_in_quotes_without_unit() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = "400""#)]),
        r#"
error[wrong-unit]: `cable.length` = "400" has no unit
 --> hose.toml:4:10
  |
4 | length = "400"
  |          ^^^^^
  = help: expected a length such as "12 mm" or a number in metres; without the quotes it is a number in metres
"#
    );
}

#[test]
fn unit_without_quotes() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, "length = 400 mm")]),
        r#"
error[syntax]: this is not valid TOML: string values must be quoted, expected literal string
 --> hose.toml:4:10
  |
4 | length = 400 mm
  |          ^^^^^^
  = help: put it in quotes: "400 mm"
"#
    );
}

#[test]
fn misspelt_unit() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = "400 MM""#)]),
        r#"
error[wrong-unit]: `cable.length` = "400 MM" has the unknown unit "MM"
 --> hose.toml:4:10
  |
4 | length = "400 MM"
  |          ^^^^^^^^
  = help: expected a length such as "12 mm" or a number in metres; did you mean "mm"? Units are case-sensitive
"#
    );
}

#[test]
fn decimal_comma() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = "0,4 m""#)]),
        r#"
error[wrong-unit]: `cable.length` = "0,4 m" has a decimal comma
 --> hose.toml:4:10
  |
4 | length = "0,4 m"
  |          ^^^^^^^
  = help: expected a length such as "12 mm" or a number in metres; write a decimal point
"#
    );
}

#[test]
fn negative_diameter() {
    assert_eq!(
        broken(&[(r#"outer_diameter = "10 mm""#, r#"outer_diameter = "-10 mm""#)]),
        r#"
error[out-of-range]: `cable.section.outer_diameter` = "-10 mm" is out of range
 --> hose.toml:9:18
  |
9 | outer_diameter = "-10 mm"
  |                  ^^^^^^^^
  = help: it must be greater than zero, for example "12 mm"
"#
    );
}

#[test]
fn negative_radius() {
    assert_eq!(
        broken(&[(r#"outer_diameter = "10 mm""#, "outer_radius = -0.005")]),
        r#"
error[out-of-range]: `cable.section.outer_radius` = -0.005 is out of range
 --> hose.toml:9:16
  |
9 | outer_radius = -0.005
  |                ^^^^^^
  = help: it must be greater than zero, for example "12 mm"
"#
    );
}

#[test]
fn bore_wider_than_the_tube() {
    assert_eq!(
        broken(&[(r#"outer_diameter = "10 mm""#, r#"outer_diameter = "3 mm""#)]),
        r#"
error[out-of-range]: the bore, 4 mm, is not smaller than the tube
  --> hose.toml:10:18
   |
10 | inner_diameter = "4 mm"
   |                  ^^^^^^
   = help: expected less than the outer diameter, 3 mm
"#
    );
}

#[test]
fn poisson_above_one_half() {
    assert_eq!(
        broken(&[("poisson = 0.45", "poisson = 0.51")]),
        r#"
error[out-of-range]: `cable.section.poisson` = 0.51 is out of range
  --> hose.toml:12:11
   |
12 | poisson = 0.51
   |           ^^^^
   = help: expected a Poisson's ratio above -1 and at most 0.5; rubber has 0.5, steel 0.3
"#
    );
}

#[test]
fn poisson_at_minus_one() {
    assert_eq!(
        broken(&[("poisson = 0.45", "poisson = -1")]),
        r#"
error[out-of-range]: `cable.section.poisson` = -1 is out of range
  --> hose.toml:12:11
   |
12 | poisson = -1
   |           ^^
   = help: expected a Poisson's ratio above -1 and at most 0.5; rubber has 0.5, steel 0.3
"#
    );
}

#[test]
fn zero_length() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, "length = 0")]),
        r#"
error[out-of-range]: `cable.length` = 0 is out of range
 --> hose.toml:4:10
  |
4 | length = 0
  |          ^
  = help: expected a length greater than zero (above 1 nm, at most 1000 km)
"#
    );
}

#[test]
fn negative_length() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = "-400 mm""#)]),
        r#"
error[out-of-range]: `cable.length` = "-400 mm" is out of range
 --> hose.toml:4:10
  |
4 | length = "-400 mm"
  |          ^^^^^^^^^
  = help: expected a length greater than zero (above 1 nm, at most 1000 km)
"#
    );
}

#[test]
fn not_a_number() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, "length = nan")]),
        r#"
error[not-finite]: `cable.length` = nan is not a finite number
 --> hose.toml:4:10
  |
4 | length = nan
  |          ^^^
  = help: expected a length such as "12 mm" or a number in metres
"#
    );
}

#[test]
fn not_a_number_in_quotes() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = "nan mm""#)]),
        r#"
error[not-finite]: `cable.length` = "nan mm" is not a finite number
 --> hose.toml:4:10
  |
4 | length = "nan mm"
  |          ^^^^^^^^
  = help: expected a length such as "12 mm" or a number in metres
"#
    );
}

#[test]
fn infinite() {
    assert_eq!(
        broken(&[("tangent = [1, 0, 0]", "tangent = [inf, 0, 0]")]),
        r#"
error[not-finite]: value 1 of `start.tangent` = inf is not a finite number
  --> hose.toml:18:12
   |
18 | tangent = [inf, 0, 0]
   |            ^^^
   = help: expected a plain number such as 0.3 or "30 %"
"#
    );
}

#[test]
fn overflow() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, "length = 1e400")]),
        r#"
error[not-finite]: `cable.length` = 1e400 is too large for a number
 --> hose.toml:4:10
  |
4 | length = 1e400
  |          ^^^^^
  = help: expected a length such as "12 mm" or a number in metres
"#
    );
}

#[test]
fn absurdly_large() {
    assert_eq!(
        broken(&[("at = \"200 mm\"\nforce = [0, 0, \"-1 N\"]", "at = \"200 mm\"\nforce = [0, 0, 1e200]")]),
        r#"
error[out-of-range]: load 1: value 3 of `force` = 1e200 is too large to be meant
  --> hose.toml:26:16
   |
26 | force = [0, 0, 1e200]
   |                ^^^^^
   = help: expected a force such as "5 N" or a number in newtons
"#
    );
}

#[test]
fn too_short() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = "212.8 mm""#)]),
        r#"
error[too-short]: the cable is 37.2 mm too short: it is 212.8 mm long, its ends are 250 mm apart
 --> hose.toml:4:10
  |
4 | length = "212.8 mm"
  |          ^^^^^^^^^^
  = help: lengthen it to at least 250 mm (cable.length), or move the ends closer together
"#
    );
}

#[test]
fn too_few_segments() {
    assert_eq!(
        broken(&[("segments = 40", "segments = 3")]),
        r#"
error[out-of-range]: `cable.segments` = 3 is out of range
 --> hose.toml:5:12
  |
5 | segments = 3
  |            ^
  = help: expected a whole number from 4 to 100000; 100 is a good start
"#
    );
}

#[test]
fn too_many_segments() {
    assert_eq!(
        broken(&[("segments = 40", "segments = 1000000")]),
        r#"
error[out-of-range]: `cable.segments` = 1000000 is out of range
 --> hose.toml:5:12
  |
5 | segments = 1000000
  |            ^^^^^^^
  = help: expected a whole number from 4 to 100000; 100 is a good start
"#
    );
}

#[test]
fn broken_number_of_segments() {
    assert_eq!(
        broken(&[("segments = 40", "segments = 4.5")]),
        r#"
error[wrong-type]: `cable.segments` is the number 4.5
 --> hose.toml:5:12
  |
5 | segments = 4.5
  |            ^^^
  = help: expected a whole number from 4 to 100000
"#
    );
}

#[test]
fn wrong_type() {
    assert_eq!(
        broken(&[(r#"length = "400 mm""#, r#"length = ["400 mm"]"#)]),
        r#"
error[wrong-type]: `cable.length` is a list of 1
 --> hose.toml:4:10
  |
4 | length = ["400 mm"]
  |          ^^^^^^^^^^
  = help: expected a length such as "12 mm" or a number in metres
"#
    );
}

#[test]
fn wrong_count() {
    assert_eq!(
        broken(&[(r#"position = ["250 mm", 0, 0]"#, r#"position = ["250 mm", 0]"#)]),
        r#"
error[wrong-type]: `end.position` has 2 values
  --> hose.toml:22:12
   |
22 | position = ["250 mm", 0]
   |            ^^^^^^^^^^^^^
   = help: expected 3 values in brackets, each a length such as "12 mm" or a number in metres
"#
    );
}

#[test]
fn list_instead_of_table() {
    assert_eq!(
        broken(&[("[[load]]", "[load]")]),
        r#"
error[wrong-type]: `load` is a table
  --> hose.toml:24:1
   |
24 | [load]
   | ^^^^^^
   = help: expected a list of tables, each headed [[load]]
"#
    );
}

#[test]
fn unknown_choice() {
    assert_eq!(
        broken(&[(r#"hold = "pinned""#, r#"hold = "pined""#)]),
        r#"
error[unknown-name]: `end.hold` = "pined" is not known
  --> hose.toml:21:8
   |
21 | hold = "pined"
   |        ^^^^^^^
   = help: did you mean "pinned"? Expected "clamped", "pinned" or "free"
"#
    );
}
