//! `PROTOCOL.md` says what messages mean. What they have is compared with the types: each is named there with its keys,
//! and nothing is named that is not.

use crate::declaration::{Declaration, Type, find};
use crate::{file, types};
use flexline_server::Request;
use flexline_session::command::COMMANDS;
use std::collections::{BTreeMap, BTreeSet};

const REMEDY: &str = "mend crates/flexline-server/PROTOCOL.md, or the type";

/// Words in code that are of JSON or of requests as such.
const OTHER: [&str; 2] = ["null", "id"];

fn page() -> String {
    std::fs::read_to_string(file("crates/flexline-server/PROTOCOL.md")).expect("PROTOCOL.md can be read")
}

/// What stands between backquotes.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The rows of the tables whose head begins with `first` and `keys`: what the row is about, its keys, and the last cell.
fn rows(page: &str, first: &str) -> BTreeMap<String, (BTreeSet<String>, String)> {
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut rows = BTreeMap::new();
    let mut inside = false;
    for line in page.lines() {
        let cells = cells(line);
        if !line.starts_with('|') {
            inside = false;
        } else if cells.get(1).is_some_and(|cell| cell == "keys") {
            inside = cells[0] == first;
        } else if inside && !line.starts_with("|--") {
            let rest: String = cells[1].split('`').step_by(2).collect();
            assert!(
                rest.chars().all(|c| ", ".contains(c)),
                "the keys of {} are {}: {REMEDY}",
                cells[0],
                cells[1]
            );
            let keys: BTreeSet<String> = code(&cells[1]).map(str::to_owned).collect();
            for name in code(&cells[0]) {
                let last = cells.last().cloned().unwrap_or_default();
                assert!(
                    rows.insert(name.to_owned(), (keys.clone(), last)).is_none(),
                    "{name} stands there twice"
                );
            }
        }
    }
    rows
}

/// The messages of a type by the word under `tag`, each with its other keys.
fn messages(all: &[Declaration], name: &str, tag: &str) -> BTreeMap<String, BTreeSet<String>> {
    let Some(Type::Union(types)) = find(all, name).map(|own| &own.value) else {
        panic!("{name} is one of several")
    };
    let one = |own: &Type| {
        let mut keys = own.keys(all);
        keys.remove(tag);
        (own.tag(tag).unwrap_or_else(|| panic!("no {tag} in {own:?}")).to_owned(), keys)
    };
    types.iter().map(one).collect()
}

/// Compares what is there with what the page names.
fn compare(
    what: &str,
    types: &BTreeMap<String, BTreeSet<String>>,
    told: &BTreeMap<String, BTreeSet<String>>,
) {
    for (name, keys) in types {
        let Some(own) = told.get(name) else {
            panic!("PROTOCOL.md does not name the {what} `{name}` with {keys:?}: {REMEDY}");
        };
        let missing: Vec<_> = keys.difference(own).collect();
        let invented: Vec<_> = own.difference(keys).collect();
        assert!(
            missing.is_empty() && invented.is_empty(),
            "{what} `{name}`: PROTOCOL.md lacks {missing:?} and has {invented:?}, which the type does not: {REMEDY}"
        );
    }
    let unknown: Vec<_> = told.keys().filter(|name| !types.contains_key(*name)).collect();
    assert!(unknown.is_empty(), "PROTOCOL.md has the {what}s {unknown:?}, which do not exist: {REMEDY}");
}

fn keys_of(rows: BTreeMap<String, (BTreeSet<String>, String)>) -> BTreeMap<String, BTreeSet<String>> {
    rows.into_iter().map(|(name, (keys, _))| (name, keys)).collect()
}

/// The types that have keys or words of their own; requests, events and commands have their own tables.
fn tables(all: &[Declaration]) -> BTreeMap<String, BTreeSet<String>> {
    let own =
        all.iter().filter(|own| !["Op", "ServerEvent", "Command", "Answers"].contains(&own.name.as_str()));
    own.map(|own| (own.name.clone(), own.value.keys(all).into_iter().chain(own.value.words()).collect()))
        .filter(|(_, keys): &(_, BTreeSet<String>)| !keys.is_empty())
        .collect()
}

#[test]
fn every_message_and_key_is_told_and_no_other() {
    let (all, page) = (types::all(), page());
    compare("op", &messages(&all, "Op", "op"), &keys_of(rows(&page, "op")));
    compare("event", &messages(&all, "ServerEvent", "event"), &keys_of(rows(&page, "event")));
    compare("type", &tables(&all), &keys_of(rows(&page, "type")));
    for own in &all {
        assert!(
            code(&page).any(|word| word == own.name),
            "PROTOCOL.md does not name `{}`: {REMEDY}",
            own.name
        );
    }
}

/// Words in code within sentences must be there as well: a key that went would be told there for years.
#[test]
fn no_sentence_tells_of_what_is_gone() {
    let (all, page) = (types::all(), page());
    let mut known: BTreeSet<String> = OTHER.iter().map(|word| (*word).to_owned()).collect();
    known.extend(COMMANDS.iter().map(|(verb, _)| (*verb).to_owned()));
    for (name, tag) in [("Op", "op"), ("ServerEvent", "event")] {
        known.insert(tag.to_owned());
        known.extend(
            messages(&all, name, tag).into_iter().flat_map(|(word, keys)| keys.into_iter().chain([word])),
        );
    }
    for own in &all {
        known.insert(own.name.clone());
        known.extend(own.value.keys(&all).into_iter().chain(own.value.words()));
    }
    let is_word = |text: &&str| {
        text.chars().all(|c| c.is_ascii_lowercase() || "_-".contains(c)) && !text.starts_with('-')
    };
    // Fenced blocks are bytes and examples.
    let prose: String = page.split("```").step_by(2).collect();
    let gone: Vec<&str> = code(&prose).filter(is_word).filter(|word| !known.contains(*word)).collect();
    assert!(gone.is_empty(), "PROTOCOL.md tells of {gone:?}, which no message has: {REMEDY}");
}

/// The last column says what a request is answered with.
#[test]
fn answers_are_those_of_the_types() {
    let (all, page) = (types::all(), page());
    let Some(Type::Object(fields)) = find(&all, "Answers").map(|own| &own.value) else {
        panic!("no answers")
    };
    for (op, (_, answer)) in rows(&page, "op") {
        let own = fields.iter().find(|field| field.key == op).map(|field| match &field.value {
            Type::Name(name, of) => match of.as_slice() {
                [Type::Name(inner, _)] => format!("list of `{inner}`"),
                _ => format!("`{name}`"),
            },
            other => panic!("{other:?}"),
        });
        assert_eq!(answer, own.unwrap_or_else(|| "none".into()), "the answer to `{op}`: {REMEDY}");
    }
}

/// The reader of requests knows every `op` and every key of the types.
#[test]
fn what_the_page_may_say_is_understood() {
    for (op, keys) in messages(&types::all(), "Op", "op") {
        for key in keys {
            let text = format!("{{\"op\": \"{op}\", \"{key}\": null}}");
            let told = Request::read(&text).err().map_or_else(String::new, |error| error.message);
            assert!(!told.contains("is unknown") && !told.contains("is not a field"), "{text}: {told}");
        }
    }
}
