//! The tables of a scene's text as they stand there, for those who show and edit them.

use super::Kind;
use super::document::Document;
use super::tables::tables;
use super::things::NAMED;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use toml_edit::{Item, Table, Value};

/// One table of a scene file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TableView"))]
pub struct TableText {
    /// What it is, as commands say it.
    pub kind: Kind,
    /// What commands call it; empty where there is only one of its kind.
    pub name: String,
    /// Its keys with their values as in the file.
    #[cfg_attr(feature = "typescript", ts(as = "crate::typescript::Keys"))]
    pub keys: Map<String, Json>,
}

/// All tables of a text, empty where it cannot be read.
pub(crate) fn table_texts(text: &str) -> Vec<TableText> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let root = document.root();
    let mut found = Vec::new();
    let head = ["title", "description", "units"].into_iter();
    let keys = head.filter_map(|key| Some((key.to_owned(), item(root.get(key)?)?))).collect();
    found.push(TableText { kind: Kind::Scene, name: String::new(), keys });
    for kind in [Kind::World, Kind::Solve, Kind::Start, Kind::End] {
        if let Some(table) = root.get(kind.word()).and_then(|i| i.clone().into_table().ok()) {
            found.push(TableText { kind, name: String::new(), keys: table_keys(&table) });
        }
    }
    if !document.is_harness() {
        let cable = root.get("cable").and_then(|i| i.clone().into_table().ok()).unwrap_or_default();
        let (kind, name) = (Kind::Cable, document.single_name());
        found.push(TableText { kind, name, keys: table_keys(&cable) });
    }
    // Connectors stand in the tables of their parts.
    for kind in NAMED.into_iter().filter(|kind| *kind != Kind::Connector) {
        for (i, table) in tables(root, kind.word()).iter().enumerate() {
            let name = Document::label(kind, i, table);
            found.push(TableText { kind, name: name.clone(), keys: table_keys(table) });
            for connector in tables(table, "connector") {
                let own = connector.get("name").and_then(Item::as_str).unwrap_or_default();
                let name = format!("{name}.{own}");
                found.push(TableText { kind: Kind::Connector, name, keys: table_keys(&connector) });
            }
        }
    }
    found
}

fn table_keys(table: &Table) -> Map<String, Json> {
    table.iter().filter_map(|(key, value)| Some((key.to_owned(), item(value)?))).collect()
}

fn item(item: &Item) -> Option<Json> {
    match item {
        Item::None => None,
        Item::Value(own) => Some(value(own)),
        Item::Table(table) => Some(Json::Object(table_keys(table))),
        Item::ArrayOfTables(list) => Some(list.iter().map(|t| Json::Object(table_keys(t))).collect()),
    }
}

fn value(value_: &Value) -> Json {
    match value_ {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(truth) => Json::from(*truth.value()),
        Value::Datetime(time) => Json::from(time.value().to_string()),
        Value::Array(list) => list.iter().map(value).collect(),
        Value::InlineTable(table) => {
            table.iter().map(|(key, own)| (key.to_owned(), value(own))).collect::<Map<_, _>>().into()
        }
    }
}
