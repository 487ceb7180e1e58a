//! JSON Schemas: those of the repository are those of the types, and what commands tell has no key that they do not have.

use crate::support::{Folder, flexline, keys, root};
use serde_json::Value;

const NAMES: [&str; 9] =
    ["solve", "check", "check-many", "sweep", "find", "study", "reserve", "simulate", "error"];

#[test]
fn those_of_the_repository_are_those_of_the_types() {
    for name in NAMES {
        let path = root().join("docs/schemas").join(format!("{name}.json"));
        let told = flexline(&["schema", name]).good().stdout;
        if std::env::var_os("FLEXLINE_RENEW_SCHEMAS").is_some() {
            std::fs::write(&path, &told).expect("a schema is written");
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        // Not by `assert_eq`, which would print both in full.
        assert!(
            told == known,
            "{name}: what is told has changed; docs/schemas/README.md says how to renew it"
        );
    }
    flexline(&["schema", "plot"]).refused(2).complains(&["check-many"]);
}

/// Whether a value is one of a schema. Objects may have no other keys than the schema names: a key that is told and not
/// described would go unseen otherwise. Keywords that are not known here are refused.
fn is_of(schema: &Value, whole: &Value, value: &Value, place: &str) -> Result<(), String> {
    let Some(own) = schema.as_object() else {
        return if schema == &Value::Bool(true) {
            Ok(())
        } else {
            Err(format!("{place}: {schema} allows nothing"))
        };
    };
    let wrong = |why: String| Err(format!("{place}: {why}"));
    for (key, asked) in own {
        match key.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "default" | "minimum"
            | "maximum" => {}
            "$ref" => {
                let name = asked.as_str().and_then(|own| own.strip_prefix("#/$defs/")).expect("a definition");
                is_of(&whole["$defs"][name], whole, value, place)?;
            }
            "type" => {
                let kinds = asked.as_array().map_or_else(|| vec![asked], |all| all.iter().collect());
                let is_one = kinds.iter().any(|kind| match kind.as_str() {
                    Some("null") => value.is_null(),
                    Some("boolean") => value.is_boolean(),
                    Some("string") => value.is_string(),
                    Some("number") => value.is_number(),
                    Some("integer") => value.is_u64() || value.is_i64(),
                    Some("array") => value.is_array(),
                    Some("object") => value.is_object(),
                    _ => false,
                });
                if !is_one {
                    return wrong(format!("{value} is not of type {asked}"));
                }
            }
            "const" if asked != value => return wrong(format!("{value} is not {asked}")),
            "enum" if !asked.as_array().expect("a list").contains(value) => {
                return wrong(format!("{value} is none of {asked}"));
            }
            "const" | "enum" => {}
            "anyOf" | "oneOf" => {
                let each = asked.as_array().expect("a list").iter();
                let found: Vec<_> = each.map(|own| is_of(own, whole, value, place)).collect();
                if !found.iter().any(Result::is_ok) {
                    return wrong(format!("none of {key} fits: {found:?}"));
                }
            }
            "required" => {
                let missing = asked.as_array().expect("a list").iter().filter_map(Value::as_str);
                let mut missing = missing.filter(|key| value.is_object() && value.get(key).is_none());
                if let Some(key) = missing.next() {
                    return wrong(format!("`{key}` is missing"));
                }
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    match (asked.get(key), own.get("additionalProperties")) {
                        (Some(schema), _) | (None, Some(schema)) => {
                            is_of(schema, whole, value, &format!("{place}.{key}"))?;
                        }
                        (None, None) => return wrong(format!("`{key}` is told and not described")),
                    }
                }
            }
            "additionalProperties" if own.contains_key("properties") => {}
            "additionalProperties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    is_of(asked, whole, value, &format!("{place}.{key}"))?;
                }
            }
            "items" => {
                for (k, value) in value.as_array().into_iter().flatten().enumerate() {
                    is_of(asked, whole, value, &format!("{place}[{k}]"))?;
                }
            }
            "prefixItems" => {
                let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
                for (k, (schema, value)) in asked.as_array().expect("a list").iter().zip(all).enumerate() {
                    is_of(schema, whole, value, &format!("{place}[{k}]"))?;
                }
            }
            "minItems" | "maxItems" if !value.is_array() => {}
            "minItems" | "maxItems" => {
                let (count, asked) =
                    (value.as_array().map_or(0, Vec::len) as u64, asked.as_u64().expect("a number"));
                if key == "minItems" && count < asked || key == "maxItems" && count > asked {
                    return wrong(format!("{count} items, {key} {asked}"));
                }
            }
            other => return wrong(format!("this test does not know the keyword {other}")),
        }
    }
    Ok(())
}

#[track_caller]
fn fits(name: &str, value: &Value) {
    let path = root().join("docs/schemas").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).expect("a schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    is_of(&schema, &schema, value, "$").unwrap_or_else(|why| panic!("{name}: {why}"));
}

#[test]
fn what_is_told_fits() {
    // One cable, a harness with clips, eyes, constraints, contacts, parts that touch, splines, and what has no equilibrium.
    let scenes = [
        "scenes/brake-hose.toml",
        "scenes/clips.toml",
        "scenes/pulley.toml",
        "scenes/pearl-necklace.toml",
        "scenes/hose-over-a-bar.toml",
        "scenes/contact/plug-on-a-table.toml",
        "scenes/mixed-models.toml",
        "scenes/ring.toml",
    ];
    let any = |arguments: &[&str]| flexline(arguments).json();
    for scene in scenes {
        fits("solve", &any(&["solve", scene, "--json"]));
        fits("check", &any(&["check", scene, "--json"]));
    }
    fits("solve", &any(&["solve", "scenes/brake-hose.toml", "--accuracy", "1 mm", "--json"]));
    let folder = Folder::new();
    // Without equilibrium, and with constraints that contradict each other.
    let hasty = crate::support::scene("brake-hose.toml") + crate::support::HASTY;
    let hasty = folder.write("hasty.toml", hasty);
    fits("solve", &flexline(&["solve", &hasty, "--json"]).expect(1).json());
    fits("check", &flexline(&["check", &hasty, "--json"]).expect(1).json());
    let shelf = "\n[[constraint]]\nname = \"floor\"\nkind = \"plane\"\npoint = \"unit\"\nthrough = [0, 0, -0.3]\nnormal = [0, 0, 1]\n";
    let torn = crate::support::scene("control-unit.toml")
        + shelf
        + &shelf.replace("floor", "shelf").replace("-0.3", "-0.28");
    fits("solve", &flexline(&["solve", &folder.write("torn.toml", torn), "--json"]).expect(1).json());
    let hose = "scenes/brake-hose.toml";
    let run = folder.file("motion.run");
    let shortly = ["--duration", "0.05", "--step", "0.01", "--out", &run, "--json"];
    fits("simulate", &any(&[&["simulate", hose, "--release", "end"], &shortly[..]].concat()));
    fits("simulate", &any(&[&["simulate", "scenes/hose-over-a-bar.toml"], &shortly[..]].concat()));
    fits(
        "simulate",
        &any(&[&["simulate", hose, "--move", "end=0,1,0", "--move-time", "0.02"], &shortly[..]].concat()),
    );
    fits("sweep", &any(&["sweep", hose, "--vary", "cable.length=380 mm..300 mm:4", "--json"]));
    fits(
        "find",
        &any(&[
            "find",
            hose,
            "--vary",
            "cable.length",
            "--so-that",
            "bend_radius>=60mm",
            "--steps",
            "6",
            "--json",
        ]),
    );
    fits("reserve", &any(&["reserve", hose, "--move", "end=0,0.2,0", "--steps", "3", "--json"]));
    fits("reserve", &any(&["reserve", "scenes/drag-chain.toml", "--steps", "3", "--json"]));
    let study =
        crate::support::scene("studies/brake-hose-tolerance.toml").replace("samples = 200", "samples = 12");
    let study = folder.write("study.toml", study.replace("../brake-hose.toml", "hose.toml"));
    folder.write("hose.toml", crate::support::scene("brake-hose.toml"));
    fits("study", &any(&["study", &study, "--out", &folder.file("out"), "--json"]));
}

#[test]
fn what_is_wrong_is_told_in_json_too() {
    let folder = Folder::new();
    let wrong = folder.write("wrong.toml", "version = 1\n[cable]\nlength = \"5 kg\"\n");
    let told = flexline(&["check", &wrong, "--json"]).expect(3);
    told.complains(&["is a mass, not a length"]);
    let json = told.json();
    fits("error", &json);
    assert_eq!(json["error"]["kind"], "scene");
    let all = json["error"]["diagnostics"].as_array().expect("a list");
    let length = all.iter().find(|own| own["path"] == "cable.length").expect("what is wrong with the length");
    assert_eq!((&length["code"], &length["place"]["line"]), (&"wrong-unit".into(), &3.into()));
    let none = flexline(&["solve", "scenes/none.toml", "--json"]).expect(3).json();
    fits("error", &none);
    let range = flexline(&[
        "find",
        "scenes/brake-hose.toml",
        "--vary",
        "cable.length=1..2",
        "--so-that",
        "x",
        "--json",
    ]);
    let range = range.expect(3).json();
    fits("error", &range);
    assert_eq!(range["error"]["kind"], "input");
    let nowhere = ["study", "scenes/studies/brake-hose-tolerance.toml", "--out", "/proc/none", "--json"];
    let unwritten = flexline(&nowhere).expect(4).json();
    fits("error", &unwritten);
    assert_eq!(unwritten["error"]["kind"], "output");
    // Without --json nothing of it is on standard output.
    flexline(&["check", &wrong]).refused(3);
}

#[test]
fn several_scenes_are_checked_at_once() {
    let folder = Folder::new();
    let wrong = folder.write("wrong.toml", "version = 1\n");
    let two = flexline(&["check", "scenes/brake-hose.toml", "scenes/battery-cable.toml", "--json"])
        .expect(6)
        .json();
    fits("check-many", &two);
    assert_eq!(two["exit_code"], 6);
    let one = flexline(&["check", "scenes/battery-cable.toml", "--json"]).expect(6).json();
    assert_eq!(two["scenes"][1], one);
    let outcome = flexline(&["check", "scenes/battery-cable.toml", &wrong, "--json"]).expect(3);
    let three = outcome.json();
    fits("check-many", &three);
    keys(&three["scenes"][1], &["format", "error"]);
    let table = flexline(&["check", "scenes/brake-hose.toml", "scenes/battery-cable.toml"]).expect(6);
    for name in ["scenes/brake-hose.toml\n\n", "scenes/battery-cable.toml\n\n", "FAIL: bend radius"] {
        assert!(table.stdout.contains(name), "{}", table.stdout);
    }
}

#[test]
fn a_scene_may_come_from_standard_input() {
    let run = |arguments: &[&str], text: &str| {
        let folder = Folder::new();
        let path = folder.write("piped.toml", text);
        let file = std::fs::File::open(path).expect("the file");
        let mut command = crate::support::command(arguments);
        crate::support::finish(command.current_dir(root()).stdin(file))
    };
    let text = crate::support::scene("brake-hose.toml");
    let mut piped = run(&["solve", "-", "--json"], &text).good().json();
    let mut named = flexline(&["solve", "scenes/brake-hose.toml", "--json"]).good().json();
    assert_eq!(piped["scene"].take(), "standard input");
    named["scene"].take();
    assert_eq!(piped, named);
    run(&["check", "-"], "version = 1\n[cable]\nlength = \"5 kg\"\n")
        .refused(3)
        .complains(&["standard input:3:10"]);
    let swept =
        run(&["sweep", "-", "--vary", "cable.length=380 mm..390 mm:3", "--json"], &text).good().json();
    assert_eq!(swept["poses"].as_array().map(Vec::len), Some(3));
}
