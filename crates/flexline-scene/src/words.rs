//! Paths of keys in words: what a message says instead of `eye[1].at`.
//!
//! A thing is called by its kind and name, `eye 'grommet'`, or where it has none by its number from 1, `load 2`, as in
//! commands; a thing of another thing says whose it is, `zone 2 of cable 'trunk'`.

use crate::diagnostic::quote;
use crate::read::TABLES;

/// Keys whose values are rows.
const ROWS: [&str; 2] = ["table", "points"];

/// A path of keys, taken apart.
pub(crate) struct Words {
    /// The thing that has the key, with its owners; empty for a table that is the only one of its kind.
    thing: String,
    /// The keys within it, joined by dots.
    key: String,
    /// Which item of the value is meant: "value 3 of ".
    item: String,
}

impl Words {
    /// Takes a path apart; `name_of` knows what the thing at a path is called.
    pub fn new<'n>(path: &str, name_of: impl Fn(&str) -> Option<&'n str>) -> Self {
        let mut words = Self { thing: String::new(), key: String::new(), item: String::new() };
        let mut end = 0;
        for part in path.split('.') {
            let start = end;
            end += part.len() + 1;
            let (key, indices) = part.split_once('[').unwrap_or((part, ""));
            let numbers: Vec<usize> =
                indices.split(['[', ']']).filter_map(|i| i.parse().ok()).map(|i: usize| i + 1).collect();
            match numbers[..] {
                [number] if is_list(key) => {
                    // About the name itself the number says more: the name may be another's, too.
                    let own = &path[..start + part.len()];
                    let name = name_of(own).filter(|n| !n.is_empty() && &path[own.len()..] != ".name");
                    let this = match name {
                        Some(name) => format!("{key} '{}'", quote(name)),
                        None => format!("{key} {number}"),
                    };
                    words.thing = match (&*words.thing, &*words.key) {
                        ("", "") => this,
                        ("", only) => format!("{this} of the {only}"),
                        (owner, _) => format!("{this} of {owner}"),
                    };
                    words.key.clear();
                    continue;
                }
                [row] if ROWS.contains(&key) => words.item = format!("row {row} of "),
                [row, value] => words.item = format!("value {value} of row {row} of "),
                [value, ..] => words.item = format!("value {value} of "),
                [] => {}
            }
            if !words.key.is_empty() {
                words.key.push('.');
            }
            words.key.push_str(key);
        }
        words
    }

    /// As what a sentence is about: "eye 'grommet': `at`".
    pub fn subject(&self) -> String {
        let Self { thing, key, item } = self;
        match (&**thing, &**key) {
            (thing, "") => thing.into(),
            ("", key) => format!("{item}`{key}`"),
            (thing, key) => format!("{thing}: {item}`{key}`"),
        }
    }

    /// As a key of something that has this path within it: "`to` of zone 2 of cable 'trunk'".
    pub fn of(&self, owner: &str) -> String {
        let Self { thing, key, item } = self;
        if thing.is_empty() {
            format!("{item}`{key}` of {owner}")
        } else {
            format!("{item}`{key}` of {thing} of {owner}")
        }
    }

    /// As where something is: "in section of cable 'trunk'".
    pub fn place(&self) -> String {
        match (&*self.thing, &*self.key) {
            ("", "") => "at the top level".into(),
            (thing, "") => format!("in {thing}"),
            ("", key) => format!("in {key}"),
            (thing, key) => format!("in {key} of {thing}"),
        }
    }
}

/// Whether tables under this key make a list.
fn is_list(key: &str) -> bool {
    TABLES.iter().any(|(table, _)| table.split(['.', ' ']).any(|part| part.strip_suffix("[]") == Some(key)))
}

/// The path as the heading of a table has it, which does not count.
pub(crate) fn heading(path: &str) -> String {
    path.split('.').map(|part| part.split('[').next().unwrap_or(part)).collect::<Vec<_>>().join(".")
}

/// What does not fit in JSON, said without the names that types have in a program.
pub fn json_mistake(error: &serde_json::Error) -> String {
    let told = error.to_string();
    if let Some(rest) = told.strip_prefix("unknown variant ") {
        return format!("unknown word {rest}");
    }
    let rest = ["invalid type: ", "invalid value: "].iter().find_map(|start| told.strip_prefix(start));
    let Some((found, expected)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) else { return told };
    let found = match found.split_once(' ') {
        Some(("integer", number)) => format!("the number {number}"),
        Some(("floating", number)) => format!("the number {}", number.trim_start_matches("point ")),
        Some(("boolean", truth)) => truth.into(),
        Some(("string", text)) => format!("the text {text}"),
        _ if found == "sequence" => "a list".into(),
        _ if found == "map" => "an object".into(),
        _ => found.into(),
    };
    let expected = match expected {
        "usize" | "u64" | "u32" | "u8" => "a whole number from 0",
        "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    };
    format!("{found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(path: &str) -> Option<&'static str> {
        match path {
            "eye[1]" => Some("grommet"),
            "cable[0]" => Some("to the mirror"),
            "part[2].connector[0]" => Some("plug"),
            "clip[0]" => Some(""),
            _ => None,
        }
    }

    #[test]
    fn a_path_becomes_what_a_person_says() {
        let subject = |path: &str| Words::new(path, name_of).subject();
        assert_eq!(subject("cable.length"), "`cable.length`");
        assert_eq!(subject("start.position[2]"), "value 3 of `start.position`");
        assert_eq!(subject("eye[1].at"), "eye 'grommet': `at`");
        assert_eq!(subject("eye[1].name"), "eye 2: `name`");
        assert_eq!(subject("eye[0].at"), "eye 1: `at`");
        assert_eq!(subject("clip[0].at"), "clip 1: `at`");
        assert_eq!(subject("load[2].force[0]"), "load 3: value 1 of `force`");
        assert_eq!(subject("load[2]"), "load 3");
        assert_eq!(subject("cable.zone[1].from"), "zone 2 of the cable: `from`");
        assert_eq!(
            subject("cable[0].zone[1].limits.tension"),
            "zone 2 of cable 'to the mirror': `limits.tension`"
        );
        assert_eq!(subject("part[2].connector[0].tangent"), "connector 'plug' of part 3: `tangent`");
        assert_eq!(subject("cable[0].rest.table[3]"), "cable 'to the mirror': row 4 of `rest.table`");
        assert_eq!(subject("cable.rest.table[3][1]"), "value 2 of row 4 of `cable.rest.table`");
    }

    #[test]
    fn a_table_becomes_a_place() {
        let place = |path: &str| Words::new(path, name_of).place();
        assert_eq!(place(""), "at the top level");
        assert_eq!(place("cable.section"), "in cable.section");
        assert_eq!(place("eye[1]"), "in eye 'grommet'");
        assert_eq!(place("cable[0].section"), "in section of cable 'to the mirror'");
        assert_eq!(place("cable.zone[0].section"), "in section of zone 1 of the cable");
    }

    #[test]
    fn a_path_within_a_thing_says_whose_it_is() {
        let of = |path: &str| Words::new(path, name_of).of("cable 'trunk'");
        assert_eq!(of("override.bend"), "`override.bend` of cable 'trunk'");
        assert_eq!(of("zone[1].to"), "`to` of zone 2 of cable 'trunk'");
    }

    #[test]
    fn json_is_told_without_types() {
        let count = |value| json_mistake(&serde_json::from_value::<usize>(value).unwrap_err());
        assert_eq!(
            count(serde_json::json!("a map, expected")),
            "the text \"a map, expected\", expected a whole number from 0"
        );
        assert_eq!(count(serde_json::json!([1])), "a list, expected a whole number from 0");
        assert_eq!(count(serde_json::json!(-1.5)), "the number `-1.5`, expected a whole number from 0");
        assert_eq!(count(serde_json::json!(-1)), "the number `-1`, expected a whole number from 0");
    }

    #[test]
    fn a_heading_does_not_count() {
        assert_eq!(heading("cable[3].zone[0].section"), "cable.zone.section");
        assert_eq!(heading("load"), "load");
    }
}
