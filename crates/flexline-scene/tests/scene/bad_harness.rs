//! What the reader says about harnesses that cannot be: place, value, expectation and remedy.

use crate::common::texts::HARNESS;
use flexline_scene::Scene;

/// What the reader says about the harness with pieces replaced.
#[track_caller]
fn broken(edits: &[(&str, &str)]) -> String {
    let mut text = HARNESS.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "nothing to replace: {old}");
        text = text.replacen(old, new, 1);
    }
    match Scene::parse(&text, "harness.toml") {
        Ok(_) => "no mistake found".into(),
        Err(error) => format!("\n{error}\n"),
    }
}

/// One edit, and what must be said: once, and all of it.
#[track_caller]
fn says(edit: (&str, &str), expected: &[&str]) {
    let told = broken(&[edit]);
    for text in expected {
        assert!(told.contains(text), "expected {text:?} in {told}");
    }
    assert_eq!(told.matches("error[").count(), 1, "{told}");
    assert!(told.contains("--> harness.toml:"), "{told}");
}

#[test]
fn the_good_one_is_good() {
    assert_eq!(broken(&[]), "no mistake found");
}

#[test]
fn an_error_in_full() {
    assert_eq!(
        broken(&[("to = \"unit.plug\"", "to = \"unit.plgu\"")]),
        r#"
error[unknown-name]: cable 'right': `to` = "unit.plgu" is not in this harness
  --> harness.toml:44:6
   |
44 | to = "unit.plgu"
   |      ^^^^^^^^^^^
   = help: did you mean "unit.plug"?
"#
    );
}

#[test]
fn names() {
    says(("from = \"fork\"", "from = \"frok\""), &["unknown-name", "did you mean \"fork\"?"]);
    says(
        ("cable = \"left\"\nat = \"100", "cable = \"lfet\"\nat = \"100"),
        &["\"lfet\" is not a cable", "\"left\""],
    );
    says(
        ("cable = \"left\"\nat = \"200", "cable = \"q\"\nat = \"200"),
        &["is not a cable", "left, right, trunk"],
    );
    says(("to = \"unit.plug\"", "to = \"unit\""), &["does not say which connector", "unit.plug"]);
    says(("name = \"c2\"", "name = \"c.2\""), &["cannot be a name", "without dots"]);
    says(("name = \"c2\"", "name = \"free\""), &["\"free\" cannot be a name"]);
    says(("name = \"c2\"", "name = \"unit\""), &["conflict", "is the name of a part already"]);
    says(
        ("name = \"right\"", "name = \"left\""),
        &["cable 3: `name` = \"left\" is the name of another cable"],
    );
    says(("name = \"right\"\n", ""), &["`name` is missing in cable 3"]);
    says(("cable = \"left\"\nat = \"200", "at = \"200"), &["`cable` is missing in load 1"]);
    says(
        ("from = \"unit\"", "from = \"unti\""),
        &["constraint 'distance 1': `from`", "did you mean \"unit\"?"],
    );
}

#[test]
fn a_misspelt_name_is_told_once() {
    let told = broken(&[("name = \"fork\"", "name = \"spoon\"")]);
    assert_eq!(told.matches("error[unknown-name]").count(), 3, "{told}");
    // A port that is wrong elsewhere still counts as named.
    says(("position = [\"600 mm\", 0, 0]", "position = [\"600 kg\", 0, 0]"), &["is a mass, not a length"]);
}

#[test]
fn keys() {
    says(("at = \"50 %\"", "at = \"50 %\"\nwhere = 3"), &["unknown key `where` in clip 'c1'"]);
    says(
        ("[[junction]]\nname = \"fork\"", "[[junction]]\nname = \"fork\"\npos = [0, 0, 0]"),
        &["did you mean `position`"],
    );
    says(("mass = \"0.4 kg\"\n", ""), &["`mass` is missing in part 'unit'"]);
}

#[test]
fn a_constraint_has_the_keys_of_its_kind() {
    let told = broken(&[("kind = \"distance\"", "kind = \"plane\"")]);
    assert!(told.contains("constraint 'plane 1': `distance` does not go with kind = \"plane\""), "{told}");
    assert!(told.contains("`point` is missing in constraint 'plane 1'"), "{told}");
    says(("kind = \"distance\"", "kind = \"distanse\""), &["did you mean \"distance\"?"]);
    says(
        ("distance = \"370 mm\"", "distance = 0"),
        &["constraint 'distance 1': `distance` = 0 is out of range"],
    );
    says(("from = \"unit\"", "from = [1, 0, 0]"), &["both points are of the world, 1 m apart"]);
    says(("from = \"unit\"", "from = \"A\""), &["constraint 'distance 1' is on what is held already"]);
    says(("to = [0, 0, 0]", "to = \"unit\""), &["both points are the same"]);
}

#[test]
fn values() {
    says(
        ("mass = \"0.4 kg\"", "mass = 0"),
        &["part 'unit': `mass` = 0 is out of range", "greater than zero"],
    );
    says(("mass = \"0.4 kg\"", "mass = \"-1 kg\""), &["part 'unit': `mass` = \"-1 kg\" is out of range"]);
    says(("mass = \"0.4 kg\"", "mass = \"0.4 N\""), &["is a force, not a mass"]);
    says(
        ("length = \"400 mm\"", "length = \"-400 mm\""),
        &["cable 'trunk': `length` = \"-400 mm\" is out of range"],
    );
    says(
        ("part = \"bundle-20x0.5\"", "part = \"bundle-20x05\""),
        &["cable 'trunk': `part`", "did you mean \"bundle-20x0.5\"?"],
    );
    says(
        ("length = \"400 mm\"", "length = \"400 mm\"\nsegments = 99999"),
        &["100029 segments", "at most 100000"],
    );
    says(("at = \"50 %\"", "at = \"150 %\""), &["clip 'c1': `at` = 600 mm lies outside the cable"]);
    says(("at = \"200 mm\"", "at = \"2 m\""), &["load 1: `at` = 2000 mm lies outside the cable"]);
}

#[test]
fn holds() {
    says(
        ("at = \"50 %\"", "at = \"100 %\""),
        &["clip 'c1': `at` = 400 mm is an end of the cable", "name a port there"],
    );
    says(
        ("cable = \"left\"\nat = \"100 mm\"", "cable = \"trunk\"\nat = \"200 mm\""),
        &["clip 'c2': `at` = 200 mm is where clip 'c1' of this cable is"],
    );
    says(("hold = \"free\"", "hold = \"free\"\nposition = [0, 0, 0]"), &["means nothing for a free clip"]);
    says(("hold = \"pinned\"", "hold = \"pinned\"\ntangent = [1, 0, 0]"), &["needs a clamped clip"]);
    says(("hold = \"pinned\"", "hold = \"clamped\""), &["`tangent` is missing in clip 'c1'"]);
    says(
        ("mass = \"0.4 kg\"", "hold = \"fixed\"\nforce = [0, 0, \"1 N\"]"),
        &["part 'unit': `force` goes straight into what holds the part"],
    );
    says(
        ("tangent = [0, 1, 0]\n", ""),
        &["cable 'right' is clamped at connector 'unit.plug', which has no `tangent`"],
    );
    says(("tangent = [1, 0, 0]\n", ""), &["cable 'trunk' is clamped at port 'A'", "grip_from = \"pinned\""]);
}

#[test]
fn cables() {
    says(("to = \"unit.plug\"", "to = \"fork\""), &["cable 'right': `to` is where the cable begins"]);
    says(("from = \"A\"", "from = \"free\""), &["nothing holds the beginning", "swap"]);
    says(
        ("from = \"A\"", "from = \"A\"\nfrom_tangent = [1, 0, 0]"),
        &["is for junctions, clips, eyes and beads"],
    );
    says(("from = \"A\"", "from = \"A\"\nto_tangent = [0, 0, 0]"), &["has no direction"]);
    says(
        ("from = \"A\"", "from = \"A\"\ntwist = 1\ngrip_to = \"pinned\""),
        &["cable 'trunk': `twist` needs clamped ends"],
    );
    says(("to = \"B\"", "to = \"free\"\ntwist = 1"), &["cable 'left': `twist` means nothing for a free end"]);
    says(("[[junction]]", "[solve]\nmethod = \"integral-forces\"\n[[junction]]"), &["is for one cable"]);
}

#[test]
fn no_cables() {
    for text in ["version = 1\ncable = []", "version = 1\n[[port]]\nname = \"A\"\nposition = [0, 0, 0]"] {
        let error = Scene::parse(text, "harness.toml").unwrap_err().to_string();
        assert!(error.contains("[[cable]]") && error.matches("error[").count() == 1, "{error}");
    }
}

#[test]
fn floating() {
    let alone = "\n[[junction]]\nname = \"j1\"\n[[junction]]\nname = \"j2\"\n[[cable]]\nname = \"stray\"\nlength = 1\npart = \"wire-6\"\nfrom = \"j1\"\nto = \"j2\"\n[[load]]";
    says(
        ("\n[[load]]", alone),
        &["floating", "nothing holds cable 'stray' and what is joined to it: it would float away"],
    );
    says(
        ("\n[[load]]", "\n[[part]]\nname = \"brick\"\nmass = 1\nposition = [0, 0, 0]\n[[load]]"),
        &["nothing holds part 'brick': it would float away"],
    );
    let rail = "\n[[part]]\nname = \"brick\"\nmass = 1\nposition = [0, 0, 0]\n[[constraint]]\nkind = \"line\"\npoint = \"brick\"\nthrough = [0, 0, 0]\ndirection = [1, 0, 0]\n[[load]]";
    says(("\n[[load]]", rail), &["nothing holds part 'brick' along x"]);
    let beam = rail.replace("[1, 0, 0]", "[1, 1, 0]");
    says(("\n[[load]]", &beam), &["nothing holds part 'brick' in every direction"]);
}

#[test]
fn too_short() {
    // Between a port and a clip on one cable.
    says(
        ("position = [\"190 mm\", 0, 0]", "position = [\"212 mm\", 0, 0]"),
        &[
            "too-short",
            "cable 'trunk' is 12 mm short between port 'A' and clip 'c1'",
            "clip 'c1' is at 200 mm of the cable: put it (`at`) between 212 mm and ",
            "or move it; or make the cable 12 mm longer between them",
            "at = \"50 %\"",
        ],
    );
    // Over the fork.
    says(
        ("position = [\"600 mm\", 0, 0]", "position = [\"747.5 mm\", 0, 0]"),
        &["cables 'trunk', 'left' together are 7.5 mm short between port 'B' and clip 'c1'"],
    );
}

#[test]
fn mistakes_of_all_kinds_come_together() {
    let told = broken(&[
        ("mass = \"0.4 kg\"", "mass = 0"),
        ("from = \"A\"", "from = \"X\""),
        ("at = \"100 mm\"", "at = \"-1 mm\""),
        ("distance = \"370 mm\"", "distance = \"370 N\""),
    ]);
    assert_eq!(told.matches("error[").count(), 4, "{told}");
}

#[test]
fn handles_that_quarrel() {
    let clip = |name: &str, x: &str, tangent: &str| {
        format!(
            "[[clip]]\nname = \"{name}\"\ncable = \"wire\"\nat = \"200 mm\"\nhold = \"clamped\"\n\
             position = [\"{x}\", 0, \"-20 mm\"]\ntangent = {tangent}\n\n"
        )
    };
    let scene = |second: String| {
        let ports = "version = 1\n\n[[port]]\nname = \"A\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n\n";
        let wire = "[[cable]]\nname = \"wire\"\nlength = \"450 mm\"\npart = \"wire-2.5\"\nfrom = \"A\"\nto = \"free\"\n\n";
        format!("{ports}{wire}{}{second}", clip("one", "190 mm", "[1, 0, 0]"))
    };
    let told = |second: String| Scene::parse(&scene(second), "scene").unwrap_err().to_string();
    let tangents = told(clip("two", "190 mm", "[0, 1, 0]"));
    assert!(
        tangents.contains("clips 'one' and 'two' ask for different tangents at one place, 90° apart"),
        "{tangents}"
    );
    let places = told(clip("two", "193 mm", "[1, 0, 0]"));
    assert!(places.contains("clips 'one' and 'two' want one place of the cable 3 mm apart"), "{places}");
}
