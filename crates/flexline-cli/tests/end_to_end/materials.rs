//! `flexline materials`.

use crate::support::{flexline, number};

#[test]
fn the_library_is_listed_with_sources() {
    let outcome = flexline(&["materials"]).good();
    let json = flexline(&["materials", "--json"]).good().json();
    let parts = json["parts"].as_array().expect("a list");
    assert!(parts.len() >= 15, "{} parts", parts.len());
    for part in parts {
        let id = part["id"].as_str().expect("an id");
        assert!(outcome.stdout.lines().any(|l| l.starts_with(id)), "{id} is not in the table");
        assert!(part["source"].as_str().is_some_and(|s| s.len() > 20), "{id} has no source");
        assert!(number(&part["outer_diameter"]) > 0.0);
        for k in part["section"]["stiffness"].as_array().expect("a vector") {
            assert!(number(k) > 0.0, "{id}");
        }
    }
    let materials = json["materials"].as_array().expect("a list");
    assert!(materials.len() >= 5, "{} materials", materials.len());
    for material in materials {
        let name = material["name"].as_str().expect("a name");
        assert!(outcome.stdout.lines().any(|l| l.starts_with(name)), "{name} is not in the table");
        assert!(material["source"].as_str().is_some_and(|s| !s.is_empty()), "{name} has no source");
    }
}

#[test]
fn one_part_or_material_is_shown() {
    let part = flexline(&["materials", "wire-25"]).good();
    for piece in [
        "outer diameter        9.800 mm",
        "(estimate)",
        "bend radius static    at least 29.4 mm at the centre",
        "largest twist         no limit known",
        "\nSource: ",
    ] {
        assert!(part.stdout.contains(piece), "{}", part.stdout);
    }
    let material = flexline(&["materials", "steel"]).good();
    assert!(
        material.stdout.contains("Young's modulus  2.0000e11 Pa") && material.stdout.contains("Source: ")
    );
    assert_eq!(flexline(&["materials", "wire-25", "--json"]).good().json()["id"], "wire-25");
    assert_eq!(flexline(&["materials", "steel", "--json"]).good().json()["name"], "steel");
}

#[test]
fn an_unknown_name_gets_suggestions() {
    flexline(&["materials", "brake-hoze"]).refused(3).complains(&[
        "no part or material is named 'brake-hoze'",
        "did you mean 'brake-hose'?",
        "There are: ",
        "wire-25",
        "keratin",
    ]);
    let outcome = flexline(&["materials", "unobtainium", "--json"]).refused_in_json(3);
    assert!(!outcome.stderr.contains("did you mean"), "{}", outcome.stderr);
}
