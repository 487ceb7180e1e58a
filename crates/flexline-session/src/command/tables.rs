//! Tables of TOML under edit: lists in either notation, values as text and lengths.

use super::value;
use flexline_scene::units::{self, Dimension};
use toml_edit::{ArrayOfTables, Item, Table, Value};

/// A copy of every table of a list, whether it is written `[[list]]` or `list = [{}, {}]`.
pub(super) fn tables(table: &Table, key: &str) -> Vec<Table> {
    match table.get(key) {
        Some(Item::ArrayOfTables(list)) => list.iter().cloned().collect(),
        Some(Item::Value(Value::Array(list))) => {
            list.iter().filter_map(|v| v.as_inline_table().cloned()).map(|t| t.into_table()).collect()
        }
        _ => Vec::new(),
    }
}

/// A list under edit, made where there is none; written `[[list]]` from now on.
pub(super) fn list_mut<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut ArrayOfTables> {
    let comment = comment_before(table, key);
    let item = table.entry(key).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    if let Item::Value(_) = item {
        *item = match std::mem::take(item).into_array_of_tables() {
            Ok(mut list) => {
                if let Some(first) = list.get_mut(0) {
                    first.decor_mut().set_prefix(comment);
                }
                Item::ArrayOfTables(list)
            }
            Err(other) => other,
        };
    }
    item.as_array_of_tables_mut()
}

/// What stands before a key that is about to become a heading; it is taken off the key.
fn comment_before(table: &mut Table, key: &str) -> String {
    let is_value = table.get(key).is_some_and(Item::is_value);
    let Some(mut key) = table.key_mut(key).filter(|_| is_value) else { return String::new() };
    let before =
        key.leaf_decor().prefix().and_then(|p| p.as_str()).unwrap_or_default().trim_start().to_owned();
    key.leaf_decor_mut().clear();
    format!("\n{before}")
}

/// Puts a list in place; an empty one is taken out.
pub(super) fn put_list(table: &mut Table, key: &str, items: Vec<Table>) {
    if items.is_empty() {
        table.remove(key);
        return;
    }
    let mut list = ArrayOfTables::new();
    items.into_iter().for_each(|item| list.push(item));
    table.insert(key, Item::ArrayOfTables(list));
}

/// A table under edit that may be written inline; `None` where there is none.
pub(super) fn table_mut<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Table> {
    let comment = comment_before(table, key);
    let item = table.get_mut(key)?;
    if let Item::Value(_) = item {
        *item = match std::mem::take(item).into_table() {
            Ok(mut own) => {
                own.decor_mut().set_prefix(comment);
                Item::Table(own)
            }
            Err(other) => other,
        };
    }
    item.as_table_mut()
}

/// The text under a key.
pub(super) fn text<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    table.get(key)?.as_str()
}

/// The numbers of a list of plain numbers.
pub(super) fn numbers(table: &Table, key: &str, dimension: Dimension) -> Option<Vec<f64>> {
    table.get(key)?.as_array()?.iter().map(|v| quantity(v, dimension)).collect()
}

/// A quantity in SI.
pub(super) fn quantity(value: &Value, dimension: Dimension) -> Option<f64> {
    match value {
        Value::String(text) => units::parse(text.value(), dimension).ok(),
        Value::Integer(n) => Some(*n.value() as f64),
        Value::Float(n) => Some(*n.value()),
        _ => None,
    }
}

/// A quantity of a table in SI.
pub(super) fn quantity_of(table: &Table, key: &str, dimension: Dimension) -> Option<f64> {
    quantity(table.get(key)?.as_value()?, dimension)
}

/// A place along a cable of the given length, m.
pub(super) fn place(value: &Value, length: f64) -> Option<f64> {
    match value {
        Value::String(text) if units::is_percentage(text.value()) => {
            units::parse(text.value(), Dimension::Ratio).ok().map(|share| share * length)
        }
        _ => quantity(value, Dimension::Length),
    }
}

/// Sets a key, keeping the comment behind the value it replaces.
pub(super) fn set(table: &mut Table, key: &str, new: impl Into<Value>) {
    let mut new = new.into();
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(key, Item::Value(new));
        }
    }
}

/// Sets a length.
pub(super) fn set_length(table: &mut Table, key: &str, metres: f64) {
    set(table, key, value::length(metres));
}

/// Takes keys out.
pub(super) fn drop_keys(table: &mut Table, keys: &[&str]) {
    for key in keys {
        table.remove(key);
    }
}

/// Moves the places under some keys of a table along with their cable.
///
/// What is given as a share stays one where the share stays; else it becomes a length.
pub(super) fn move_places(table: &mut Table, keys: &[&str], lengths: [f64; 2], map: &dyn Fn(f64) -> f64) {
    for key in keys {
        let Some(value) = table.get(key).and_then(Item::as_value) else { continue };
        let Some(old) = place(value, lengths[0]) else { continue };
        let share = matches!(value, Value::String(t) if units::is_percentage(t.value()));
        let new = map(old);
        let kept = if share { old / lengths[0] * lengths[1] } else { old };
        if (new - kept).abs() <= 1e-12 * lengths[1].abs() {
            continue;
        }
        if (new - lengths[1]).abs() <= 1e-12 * lengths[1].abs() {
            set(table, key, "100 %");
        } else {
            set_length(table, key, new);
        }
    }
}
