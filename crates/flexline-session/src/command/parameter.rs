//! Parameters: any value of a scene file by one name, as batches, sweeps and Python use it.
//!
//! `cable.length`, `end.position.z`, `trunk.override.bend`, `world.gravity`: the name of a thing, or the word of a table of which
//! there is one, then the key in it. The ends of a vector are `.x`, `.y`, `.z`.

use super::document::Document;
use super::tables::tables;
use super::things::NAMED;
use super::{Command, Kind};
use crate::command::mistake;
use flexline_scene::words::{offer, quote};
use flexline_scene::{Code, SceneError, units};
use serde_json::Value;
use toml_edit::Item;

/// Tables of which a scene has one.
const ALONE: [Kind; 5] = [Kind::Scene, Kind::World, Kind::Solve, Kind::Start, Kind::End];
/// The command that gives a parameter of the scene with this text a value.
pub fn parameter(text: &str, name: &str, value: Value) -> Result<Command, SceneError> {
    let doc = Document::parse(text)?;
    // The name of a thing may have dots itself: the longest that is one counts.
    let cuts: Vec<usize> = name.char_indices().filter(|(_, c)| *c == '.').map(|(at, _)| at).collect();
    for &cut in cuts.iter().rev() {
        let (thing, key) = (&name[..cut], component(&name[cut + 1..]));
        if let Some(kind) = ALONE.into_iter().find(|kind| kind.word() == thing) {
            return Ok(Command::Set { kind, name: None, key, value });
        }
        if thing == "cable" && !doc.is_harness() {
            return Ok(Command::Set { kind: Kind::Cable, name: None, key, value });
        }
        if NAMED.iter().any(|kind| doc.index(*kind, thing).is_some()) {
            let kind = doc.kind_of("parameter", thing, &NAMED)?;
            return Ok(Command::Set { kind, name: Some(thing.into()), key, value });
        }
    }
    let alone = ALONE.iter().map(|kind| kind.word().to_owned());
    let mut known: Vec<String> = NAMED.iter().flat_map(|kind| doc.labels(*kind)).chain(alone).collect();
    if !doc.is_harness() {
        known.push("cable".into());
    }
    let thing = name.split_once('.').map_or(name, |(thing, _)| thing);
    let message = format!("\"{}\" is no parameter: nothing here is called '{}'", quote(name), quote(thing));
    let help =
        format!("say NAME.key, as in cable.length; {}", offer(thing, known.iter().map(String::as_str)));
    Err(mistake(Code::UnknownName, "parameter", message, help))
}

/// The value that a parameter has in the text of a scene; `None` where the file leaves it to its default.
pub fn present(text: &str, name: &str) -> Result<Option<Value>, SceneError> {
    let Command::Set { kind, name, key, .. } = parameter(text, name, Value::Null)? else { return Ok(None) };
    let doc = Document::parse(text)?;
    let list = tables(doc.root(), kind.word());
    let single = kind == Kind::Cable && !doc.is_harness();
    let own = match name.as_deref() {
        Some(name) if kind != Kind::Connector && !single => {
            doc.index(kind, name).and_then(|index| list.get(index)).cloned().map(Item::Table)
        }
        _ => doc.root().get(kind.word()).cloned(),
    };
    let Some(own) = own else { return Ok(None) };
    let found = key.split('.').try_fold(own, |item, part| {
        let (part, index) = match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
            Some((part, index)) => (part, index.parse::<usize>().ok()),
            None => (part, None),
        };
        let item = item.as_table_like()?.get(part)?.clone();
        match index {
            Some(index) => item.as_array()?.get(index).cloned().map(Item::Value),
            None => Some(item),
        }
    });
    Ok(found.and_then(|item| to_json(item.as_value()?)))
}

/// A number, a text or a list of these, as JSON.
fn to_json(value: &toml_edit::Value) -> Option<Value> {
    Some(match value {
        toml_edit::Value::Integer(own) => (*own.value()).into(),
        toml_edit::Value::Float(own) => (*own.value()).into(),
        toml_edit::Value::String(own) => own.value().as_str().into(),
        toml_edit::Value::Array(own) => own.iter().map(to_json).collect::<Option<Vec<_>>>()?.into(),
        _ => return None,
    })
}

/// The value that a parameter has in the scene with this text, in SI: one number, or those of a vector.
pub fn value_of(text: &str, name: &str) -> Result<Vec<f64>, SceneError> {
    let numbers = present(text, name)?.and_then(|value| match &value {
        Value::Array(all) => all.iter().map(number).collect(),
        one => number(one).map(|number| vec![number]),
    });
    numbers.ok_or_else(|| {
        let message = format!("\"{}\" has no number in this scene", quote(name));
        let help = "a parameter is a quantity, or a vector of them, that the scene file says: write it there, or \
                    give it one with with_values";
        mistake(Code::MissingKey, "parameter", message, help)
    })
}

/// A quantity of any dimension in SI; `None` for a share of something.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) if units::is_percentage(text) => None,
        Value::String(text) => units::parse_any(text).ok(),
        other => other.as_f64(),
    }
}

/// A key whose last part may be a coordinate.
fn component(key: &str) -> String {
    for (index, axis) in [".x", ".y", ".z"].into_iter().enumerate() {
        if let Some(vector) = key.strip_suffix(axis) {
            return format!("{vector}[{index}]");
        }
    }
    key.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::edit;
    use serde_json::json;

    const HOSE: &str = r#"version = 1
[cable]
name = "hose"
length = "400 mm" # as delivered
measured = { bend = "0.02 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "10 mm" }
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "pinned"
position = ["250 mm", 0, "100 mm"]
"#;

    #[test]
    fn values_are_found_by_name() {
        let mut text = HOSE.to_owned();
        for (name, value) in [
            ("cable.length", json!("420 mm")),
            ("hose.measured.bend", json!(0.03)),
            ("end.position.z", json!(0.12)),
            ("world.gravity", json!([0, 0, -1.62])),
        ] {
            let command = parameter(&text, name, value).expect(name);
            text = edit(&text, &command).expect(name).text;
        }
        assert!(text.contains("length = \"420 mm\" # as delivered"), "{text}");
        assert!(text.contains("bend = 0.03"), "{text}");
        assert!(text.contains("position = [\"250 mm\", 0, 0.12]"), "{text}");
        assert!(text.contains("gravity = [0, 0, -1.62]"), "{text}");
    }

    #[test]
    fn present_values_are_read() {
        for (name, value) in [
            ("cable.length", Some(json!("400 mm"))),
            ("hose.measured.bend", Some(json!("0.02 N m^2"))),
            ("end.position.z", Some(json!("100 mm"))),
            ("start.position", Some(json!([0, 0, 0]))),
            ("world.gravity", None),
        ] {
            assert_eq!(present(HOSE, name).expect(name), value, "{name}");
        }
        let harness = "version = 1\n[[port]]\nname = \"a\"\nposition = [0, 1.5, 0]\n[[port]]\nname = \"b\"\nposition = [2, 0, 0]\n";
        assert_eq!(present(harness, "b.position.x").expect("b"), Some(json!(2)));
    }

    #[test]
    fn values_are_read_in_si() {
        let has = |name: &str, expected: &[f64]| {
            let found = value_of(HOSE, name).expect(name);
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(found.len() == expected.len() && near, "{name}: {found:?}");
        };
        has("cable.length", &[0.4]);
        has("hose.measured.mass_per_length", &[0.09]);
        has("end.position", &[0.25, 0.0, 0.1]);
        has("end.position.z", &[0.1]);
        let missing = value_of(HOSE, "world.gravity").unwrap_err().to_string();
        assert!(missing.contains("has no number in this scene"), "{missing}");
        assert!(value_of(HOSE, "start.hold").is_err() && value_of(HOSE, "end.position.w").is_err());
    }

    #[test]
    fn unknown_names_are_told_with_the_nearest() {
        let error = parameter(HOSE, "hos.length", json!(1)).unwrap_err().to_string();
        assert!(error.contains("nothing here is called 'hos'") && error.contains("hose"), "{error}");
        assert!(parameter(HOSE, "length", json!(1)).is_err());
    }
}
