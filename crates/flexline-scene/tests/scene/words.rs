//! Messages speak the language of who reads them. They used to say `eye[1].at`, which counts from zero and names
//! nothing.

use crate::common::jargon::{assert_plain, jargon};
use crate::common::texts::{HARNESS, free_cable};
use flexline_scene::Scene;
use toml_edit::{DocumentMut, Item, Table, Value};

/// A scene of one cable with every kind of table, and a mistake nowhere.
fn cable() -> String {
    let keys = r#"
length = "1 m"
part = "wire-6"
rest = { table = [[0, 1, 0, 0], [1, 0, 0, 0]] }
[[cable.zone]]
from = 0
to = "20 %"
part = "wire-6"
[[cable.zone]]
name = "sleeve"
from = "30 %"
to = "50 %"
limits = { bend_radius_static = "20 mm", bend_reference = "centre" }
"#;
    free_cable(keys)
        + r#"
[[load]]
at = "50 %"
force = [0, 0, "-1 N"]
[[load]]
from = "10 %"
to = "20 %"
force_per_length = [0, 0, "-1 N/m"]
[[pole]]
name = "bar"
through = [0, 0, -2]
axis = [0, 1, 0]
radius = "20 mm"
"#
}

/// The same with many cables.
fn harness() -> String {
    HARNESS.to_owned()
        + r#"
# Of the cable before it, 'right'.
[[cable.zone]]
from = 0
to = "20 %"
part = "wire-6"
[[cable]]
name = "line"
length = "700 mm"
section = { shape = "disc", diameter = "6 mm", material = "pvc-soft" }
from = "A"
to = "B"
[[eye]]
name = "grommet"
cable = "line"
at = "50 %"
position = ["400 mm", 0, "-50 mm"]
friction = 0.2
[[bead]]
name = "ball"
cable = "line"
at = "70 %"
mass = "10 g"
radius = "5 mm"
[[constraint]]
kind = "path"
point = "unit"
points = [[0.3, 0.1, -0.2], [0.4, 0.1, -0.2]]
[[motion]]
target = "A"
by = [0.1, 0, 0]
duration = 1
"#
}

/// Values that are wrong in most places.
const WRONG: [&str; 10] = [
    "true",
    "\"nonsense\"",
    "-1",
    "0",
    "1e200",
    "\"5 kg\"",
    "[1, \"x\", 3]",
    "[[0, 1, 0], 2]",
    "{ strange = 1 }",
    "[{ strange = 1 }, 3]",
];

/// The texts of a scene with one value changed, taken out or added, in every place.
fn broken(text: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut places = vec![Vec::new()];
    let good: DocumentMut = text.parse().unwrap();
    while let Some(place) = places.pop() {
        let mut own = good.clone();
        let Some(table) = find(own.as_table_mut(), &place) else { continue };
        let keys: Vec<(String, usize)> = table.iter().map(|(k, v)| (k.to_owned(), count(v))).collect();
        for (key, count) in keys {
            places.extend((0..count).map(|i| [&place[..], &[(key.clone(), i)]].concat()));
            for wrong in WRONG {
                let mut own = good.clone();
                let value: Value = wrong.parse().unwrap();
                find(own.as_table_mut(), &place).unwrap().insert(&key, value.into());
                texts.push(own.to_string());
            }
            let mut own = good.clone();
            find(own.as_table_mut(), &place).unwrap().remove(&key);
            texts.push(own.to_string());
        }
        table.insert("strange", 1.into());
        texts.push(own.to_string());
    }
    texts
}

/// How many tables there are under a key.
fn count(item: &Item) -> usize {
    match item {
        Item::Table(_) => 1,
        Item::ArrayOfTables(list) => list.len(),
        _ => 0,
    }
}

fn find<'t>(mut table: &'t mut Table, place: &[(String, usize)]) -> Option<&'t mut Table> {
    for (key, index) in place {
        table = match table.get_mut(key)? {
            Item::Table(own) => own,
            Item::ArrayOfTables(list) => list.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(table)
}

/// The mistakes of a scene, in reading and in compiling.
fn told(text: &str) -> Vec<String> {
    let compiled = Scene::parse(text, "scene.toml").and_then(|scene| scene.compile());
    let mistakes = compiled.err().map(|error| error.diagnostics).unwrap_or_default();
    mistakes.into_iter().map(|d| [d.message, d.help.unwrap_or_default()].join("\n")).collect()
}

#[test]
fn no_mistake_of_a_scene_is_told_in_indices_or_names_of_types() {
    for good in [cable(), harness()] {
        assert_eq!(told(&good), [""; 0]);
        let messages: Vec<String> = broken(&good).iter().flat_map(|text| told(text)).collect();
        assert!(messages.len() > 300, "{}", messages.len());
        assert_plain(messages);
    }
}

#[test]
fn jargon_is_seen() {
    assert!(jargon("`eye[1].at` = 3").is_some());
    assert!(jargon("expected enum Quantity").is_some());
    assert!(jargon("status NoProgress").is_some());
    assert_eq!(jargon("eye 'grommet': `at` = [0, 0, 1] in GPa, [[load]] \"load[0]x\""), None);
}
