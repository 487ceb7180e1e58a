//! What messages are made of: paths of keys, values and names in words, here and wherever scenes are changed.
//!
//! Nobody is told `eye[1].at`. A thing is called by its kind and name, `eye 'grommet'`, or where it has none by its
//! number from 1, `load 2`, as in commands; a thing of another thing says whose it is, `zone 2 of cable 'trunk'`.

use crate::read::TABLES;
use crate::suggest;

/// No more names than this are listed in a message.
pub(crate) const LISTED: usize = 12;

/// Keys whose values are rows.
const ROWS: [&str; 2] = ["table", "points"];

/// A path of keys, taken apart.
pub struct Words {
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

/// A value as a message shows it: in one line, escaped, not too long.
pub fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        if matches!(c, '"' | '\'' | '\\') { shown.push(c) } else { shown.extend(c.escape_debug()) }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// A length for a person: millimetres below ten metres, metres above.
pub fn millimetres(metres: f64) -> String {
    if metres.abs() < 10.0 { format!("{} mm", digits(metres * 1e3)) } else { format!("{} m", digits(metres)) }
}

/// A number for a person: at most six significant digits, no trailing zeros.
pub fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..9.0).contains(&magnitude) {
        let text = format!("{value:.5e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'));
    }
    let decimals = (5.0 - magnitude).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// What is said to a name that is none of some: the nearest of them, or the first of them.
pub fn offer<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match suggest::nearest(name, names.clone()) {
        Some(near) => format!("did you mean \"{}\"?", quote(near)),
        None => {
            let listed: Vec<String> = names.clone().take(LISTED).map(quote).collect();
            let more = if names.count() > LISTED { ", …" } else { "" };
            match &listed[..] {
                [] => "there is nothing to name yet".into(),
                _ => format!("there are {}{more}", listed.join(", ")),
            }
        }
    }
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
    fn a_heading_does_not_count() {
        assert_eq!(heading("cable[3].zone[0].section"), "cable.zone.section");
        assert_eq!(heading("load"), "load");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(digits(0.0372), "0.0372");
        assert_eq!(digits(417.2), "417.2");
        assert_eq!(digits(1.0 / 3.0), "0.333333");
        assert_eq!(digits(123456789.0), "123456789");
        assert_eq!(digits(-2.5e-9), "-2.5e-9");
        assert_eq!(digits(1e300), "1e300");
        assert_eq!(millimetres(0.4172), "417.2 mm");
        assert_eq!(millimetres(12.5), "12.5 m");
    }

    #[test]
    fn values_are_quoted_in_one_line() {
        assert_eq!(quote("a\nb\0"), "a\\nb\\0");
        assert_eq!(quote(&"x".repeat(100)), "x".repeat(60) + "…");
    }
}
