//! The text of mistakes in what a scene means: place, value, expectation, remedy.

use crate::common::broken;

#[test]
fn unknown_part() {
    assert_eq!(
        broken(&[(
            "[cable.section]\nshape = \"tube\"\nouter_diameter = \"10 mm\"\ninner_diameter = \"4 mm\"\nyoungs_modulus = \"8 MPa\"\npoisson = 0.45\ndensity = \"1200 kg/m^3\"\n",
            "part = \"brake-hos\"\n"
        )]),
        r#"
error[unknown-name]: `cable.part` = "brake-hos" is not in the library of parts
 --> hose.toml:7:8
  |
7 | part = "brake-hos"
  |        ^^^^^^^^^^^
  = help: did you mean "brake-hose"? `flexline materials` lists every part
"#
    );
}

#[test]
fn unknown_material() {
    assert_eq!(
        broken(&[(
            "youngs_modulus = \"8 MPa\"\npoisson = 0.45\ndensity = \"1200 kg/m^3\"",
            r#"material = "rubber""#
        )]),
        r#"
error[unknown-name]: `cable.section.material` = "rubber" is not in the library of materials
  --> hose.toml:11:12
   |
11 | material = "rubber"
   |            ^^^^^^^^
   = help: the library has epdm-60, epdm-70, nbr-80, silicone-60, pvc-soft, lszh, pe-ld, pe-hd, pur, pa12, pa6, pp-suture, pet-film, copper, aluminium, steel, silica-glass, keratin
"#
    );
}

#[test]
fn two_sections() {
    assert_eq!(
        broken(&[("segments = 40", r#"part = "brake-hose""#)]),
        r#"
error[conflict]: `cable.part` and `section` exclude each other
 --> hose.toml:7:1
  |
7 | [cable.section]
  | ^^^^^^^^^^^^^^^
  = help: keep one of part, section, measured or bundle
"#
    );
}

#[test]
fn dimension_of_another_shape() {
    assert_eq!(
        broken(&[(r#"inner_diameter = "4 mm""#, "inner_diameter = \"4 mm\"\nwidth = \"3 mm\"")]),
        r#"
error[conflict]: `cable.section.width` is not a dimension of a tube
  --> hose.toml:11:9
   |
11 | width = "3 mm"
   |         ^^^^^^
   = help: a tube has outer_diameter and inner_diameter, or outer_radius and inner_radius
"#
    );
}

#[test]
fn zero_tangent() {
    assert_eq!(
        broken(&[("tangent = [1, 0, 0]", "tangent = [0, 0, 0]")]),
        r#"
error[out-of-range]: `start.tangent` = [0, 0, 0] has no direction
  --> hose.toml:18:11
   |
18 | tangent = [0, 0, 0]
   |           ^^^^^^^^^
   = help: expected a vector other than zero, for example [1, 0, 0]
"#
    );
}

#[test]
fn up_along_the_tangent() {
    assert_eq!(
        broken(&[("tangent = [1, 0, 0]", "tangent = [1, 0, 0]\nup = [-2, 0, 0]")]),
        r#"
error[conflict]: `start.up` is parallel to the tangent
  --> hose.toml:19:6
   |
19 | up = [-2, 0, 0]
   |      ^^^^^^^^^^
   = help: expected a direction across the cable, or none
"#
    );
}

#[test]
fn quaternion_not_unit() {
    assert_eq!(
        broken(&[("tangent = [1, 0, 0]", "quaternion = [1, 1, 0, 0]")]),
        r#"
error[out-of-range]: `start.quaternion` has length 1.41421, not 1
  --> hose.toml:18:14
   |
18 | quaternion = [1, 1, 0, 0]
   |              ^^^^^^^^^^^^
   = help: expected w, x, y, z of unit length; the same rotation is [0.707107, 0.707107, 0, 0]
"#
    );
}

#[test]
fn twist_of_a_pinned_end() {
    assert_eq!(
        broken(&[(
            "hold = \"pinned\"\nposition = [\"250 mm\", 0, 0]",
            "hold = \"pinned\"\nposition = [\"250 mm\", 0, 0]\ntwist = \"3 turns\""
        )]),
        r#"
error[conflict]: `end.twist` needs a clamped end
  --> hose.toml:23:9
   |
23 | twist = "3 turns"
   |         ^^^^^^^^^
   = help: leave it out, or hold the direction as well: hold = "clamped"
"#
    );
}

#[test]
fn force_into_a_support() {
    assert_eq!(
        broken(&[(
            "hold = \"pinned\"\nposition = [\"250 mm\", 0, 0]",
            "hold = \"pinned\"\nposition = [\"250 mm\", 0, 0]\nforce = [0, 0, \"1 N\"]"
        )]),
        r#"
error[conflict]: `end.force` goes straight into what holds the end
  --> hose.toml:23:9
   |
23 | force = [0, 0, "1 N"]
   |         ^^^^^^^^^^^^^
   = help: leave it out, free the end, or let it slide along some axes: slides = ["x"]
"#
    );
}

#[test]
fn twist_of_an_open_cable() {
    assert_eq!(
        broken(&[("segments = 40", "segments = 40\ntwist = \"1 turn\"")]),
        r#"
error[conflict]: `cable.twist` belongs to a closed ring
 --> hose.toml:6:9
  |
6 | twist = "1 turn"
  |         ^^^^^^^^
  = help: turn an end instead: twist in [start] or [end], with hold = "clamped"
"#
    );
}

#[test]
fn load_outside() {
    assert_eq!(
        broken(&[(r#"at = "200 mm""#, r#"at = "500 mm""#)]),
        r#"
error[out-of-range]: load 1: `at` = 500 mm lies outside the cable
  --> hose.toml:25:6
   |
25 | at = "500 mm"
   |      ^^^^^^^^
   = help: expected 0 to 400 mm, or a share such as "50 %"
"#
    );
}

#[test]
fn load_without_place() {
    assert_eq!(
        broken(&[("at = \"200 mm\"\n", "")]),
        r#"
error[missing-key]: `at` is missing in load 1
  --> hose.toml:24:1
   |
24 | [[load]]
   | ^^^^^^^^
   = help: say where: at = "0.3 m" or "50 %"; or from and to for a stretch
"#
    );
}

#[test]
fn point_load_per_length() {
    assert_eq!(
        broken(&[(r#"force = [0, 0, "-1 N"]"#, r#"force_per_length = [0, 0, "-1 N/m"]"#)]),
        r#"
error[missing-key]: `force` is missing in load 1
  --> hose.toml:24:1
   |
24 | [[load]]
   | ^^^^^^^^
   = help: give a force, a moment, or both: force = [0, 0, "-5 N"]

error[conflict]: load 1: `force_per_length` does not go with a load at one place
  --> hose.toml:26:20
   |
26 | force_per_length = [0, 0, "-1 N/m"]
   |                    ^^^^^^^^^^^^^^^^
   = help: a load at one place has `at`, force and moment; along a stretch: from, to, force_per_length and moment_per_length
"#
    );
}

#[test]
fn bend_limit_without_reference() {
    assert_eq!(
        broken(&[("[start]", "[cable.limits]\nbend_radius_static = \"40 mm\"\n\n[start]")]),
        r#"
error[missing-key]: `bend_reference` is missing beside a bend radius
  --> hose.toml:15:1
   |
15 | [cable.limits]
   | ^^^^^^^^^^^^^^
   = help: say where the radius is measured: "centre" (cables, metal hoses) or "inner" (rubber hoses)
"#
    );
}

#[test]
fn floating() {
    assert_eq!(
        broken(&[
            ("hold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]", r#"hold = "free""#),
            ("hold = \"pinned\"\nposition = [\"250 mm\", 0, 0]", r#"hold = "free""#)
        ]),
        r#"
error[floating]: nothing holds the cable: it would float away
  --> hose.toml:16:8
   |
16 | hold = "free"
   |        ^^^^^^
   = help: hold at least one end: hold = "clamped" or "pinned", without `slides` along that axis
"#
    );
}

#[test]
fn floating_along_an_axis() {
    assert_eq!(
        broken(&[
            ("hold = \"pinned\"\nposition = [\"250 mm\", 0, 0]", r#"hold = "free""#),
            ("tangent = [1, 0, 0]", "tangent = [1, 0, 0]\nslides = [\"x\"]")
        ]),
        r#"
error[floating]: nothing holds the cable along x: it would float away
  --> hose.toml:16:8
   |
16 | hold = "clamped"
   |        ^^^^^^^^^
   = help: hold at least one end: hold = "clamped" or "pinned", without `slides` along that axis
"#
    );
}

#[test]
fn other_version() {
    assert_eq!(
        broken(&[("version = 1", "version = 2")]),
        r#"
error[version]: `version` = 2 is not a version this program reads
 --> hose.toml:1:11
  |
1 | version = 2
  |           ^
  = help: expected version = 1
"#
    );
}

#[test]
fn syntax() {
    assert_eq!(
        broken(&[("[end]", "[end")]),
        r#"
error[syntax]: this is not valid TOML: unclosed table, expected `]`
  --> hose.toml:20:5
   |
20 | [end
   |     ^
   = help: a line is `key = value`, text stands in quotes, a table begins with [name]
"#
    );
}

#[test]
fn several_at_once() {
    assert_eq!(
        broken(&[
            (r#"length = "400 mm""#, "length = \"400 mmm\"\nname = 3"),
            ("poisson = 0.45", "poisson = 7")
        ]),
        r#"
error[wrong-unit]: `cable.length` = "400 mmm" has the unknown unit "mmm"
 --> hose.toml:4:10
  |
4 | length = "400 mmm"
  |          ^^^^^^^^^
  = help: expected a length such as "12 mm" or a number in metres; did you mean "mm"? Units are case-sensitive

error[wrong-type]: `cable.name` is the number 3
 --> hose.toml:5:8
  |
5 | name = 3
  |        ^
  = help: expected text in quotes

error[out-of-range]: `cable.section.poisson` = 7 is out of range
  --> hose.toml:13:11
   |
13 | poisson = 7
   |           ^
   = help: expected a Poisson's ratio above -1 and at most 0.5; rubber has 0.5, steel 0.3
"#
    );
}
