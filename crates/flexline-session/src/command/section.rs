//! What cables are made of along their length, under edit: zones and rest shapes.

use super::edit::{Done, Edit, fill};
use super::parse::mistake;
use super::tables::{place, put_list, quantity, quantity_of, set, set_length, tables, text};
use super::value::{Quantity, number, tidy};
use super::{Keys, Kind};
use flexline::Vec3;
use flexline_scene::Code;
use flexline_scene::model::{Rest, RodModel};
use flexline_scene::units::Dimension;
use flexline_scene::words::millimetres;
use toml_edit::{Array, InlineTable, Item, Table, Value};

/// The keys that say what a stretch is made of.
const SECTION: [&str; 6] = ["part", "section", "measured", "bundle", "override", "limits"];

/// A zone: from where to where, m, and its table.
pub(super) struct Zone {
    pub from: f64,
    pub to: f64,
    pub table: Table,
}

/// The zones of a cable.
pub(super) fn zones(cable: &Table, length: f64) -> Vec<Zone> {
    let at = |table: &Table, key: &str| place(table.get(key)?.as_value()?, length);
    tables(cable, "zone")
        .into_iter()
        .filter_map(|table| Some(Zone { from: at(&table, "from")?, to: at(&table, "to")?, table }))
        .collect()
}

/// Puts zones into a cable of the given length.
pub(super) fn put_zones(cable: &mut Table, zones: Vec<Zone>, length: f64) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * length;
    let mut written: Vec<Table> = Vec::new();
    let mut reached = f64::NEG_INFINITY;
    for mut zone in zones {
        for (key, s) in [("from", zone.from), ("to", zone.to)] {
            let before = written.last().and_then(|t| t.get("to")).and_then(Item::as_value);
            let kept = zone.table.get(key).and_then(Item::as_value).and_then(|v| place(v, length));
            match before {
                // Zones that touch do so to the last digit.
                Some(before) if key == "from" && near(s, reached) => {
                    set(&mut zone.table, key, before.clone())
                }
                _ if kept.is_some_and(|kept| near(kept, s)) => {}
                _ if near(s, length) => set(&mut zone.table, key, "100 %"),
                _ => set_length(&mut zone.table, key, s),
            }
        }
        // What was cut short cannot taper as far as before; a little less than half is on the safe side of rounding.
        let whole = zone.to - zone.from;
        if quantity_of(&zone.table, "taper", Dimension::Length).is_some_and(|taper| taper > 0.5 * whole) {
            set_length(&mut zone.table, "taper", 0.49 * whole);
        }
        reached = zone.to;
        written.push(zone.table);
    }
    put_list(cable, "zone", written);
}

/// What lies of some zones in [from, to], counted from `from`.
pub(super) fn cut_zones(zones: Vec<Zone>, [from, to]: [f64; 2]) -> Vec<Zone> {
    let inside = |zone: Zone| {
        let (a, b) = (zone.from.max(from), zone.to.min(to));
        (b - a > 1e-12 * to).then(|| Zone { from: a - from, to: b - from, ..zone })
    };
    zones.into_iter().filter_map(inside).collect()
}

/// Zones of a cable of the given length that was turned round.
pub(super) fn mirror_zones(zones: Vec<Zone>, length: f64) -> Vec<Zone> {
    let turned = |zone: Zone| Zone { from: (length - zone.to).max(0.0), to: length - zone.from, ..zone };
    zones.into_iter().rev().map(turned).collect()
}

/// A value without comments and spaces, for comparison.
pub(super) fn meaning(item: &Item) -> serde_json::Value {
    fn of_value(value: &Value) -> serde_json::Value {
        match value {
            Value::String(text) => text.value().as_str().into(),
            Value::Integer(n) => (*n.value()).into(),
            Value::Float(n) => (*n.value()).into(),
            Value::Boolean(b) => (*b.value()).into(),
            Value::Datetime(d) => d.value().to_string().into(),
            Value::Array(items) => items.iter().map(of_value).collect(),
            Value::InlineTable(table) => table
                .iter()
                .map(|(k, v)| (k.to_owned(), of_value(v)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
    match item {
        Item::None => serde_json::Value::Null,
        Item::Value(value) => of_value(value),
        Item::Table(table) => {
            table.iter().map(|(k, v)| (k.to_owned(), meaning(v))).collect::<serde_json::Map<_, _>>().into()
        }
        Item::ArrayOfTables(list) => list.iter().map(|t| meaning(&Item::Table(t.clone()))).collect(),
    }
}

/// Makes one zone of two that touch at `s` and are the same but for where they are.
pub(super) fn merge_zones(mut zones: Vec<Zone>, s: f64) -> Vec<Zone> {
    let near = |x: f64| (x - s).abs() <= 1e-9 * s;
    let Some(i) = zones.windows(2).position(|w| near(w[0].to) && near(w[1].from)) else { return zones };
    let bare = |table: &Table| {
        let mut table = table.clone();
        super::tables::drop_keys(&mut table, &["from", "to", "taper"]);
        meaning(&Item::Table(table))
    };
    let taper = |zone: &Zone| quantity_of(&zone.table, "taper", Dimension::Length).unwrap_or(0.0);
    if bare(&zones[i].table) == bare(&zones[i + 1].table) {
        let second = zones.remove(i + 1);
        let longer = taper(&zones[i]).max(taper(&second));
        zones[i].to = second.to;
        if longer > taper(&zones[i]) {
            set_length(&mut zones[i].table, "taper", longer);
        }
    }
    zones
}

/// Whether two cables are made of the same, outside their zones.
pub(super) fn same_section(a: &Table, b: &Table) -> bool {
    SECTION.iter().all(|key| a.get(key).map(meaning) == b.get(key).map(meaning))
}

/// Gives a zone the section of its cable, so that it can go to another one.
pub(super) fn own_section(zone: &mut Table, cable: &Table) {
    let afresh = SECTION[..4].iter().any(|key| zone.contains_key(key));
    if afresh {
        return;
    }
    for key in SECTION {
        let Some(item) = cable.get(key) else { continue };
        // What the zone says of itself wins, key by key.
        let mut item = inline(item.clone());
        if let (Some(own), Item::Value(Value::InlineTable(both))) = (zone.get(key).cloned(), &mut item)
            && let Item::Value(Value::InlineTable(own)) = inline(own)
        {
            let has = |key: &str| own.contains_key(key);
            // One way of giving a property pushes out the others.
            let rivals: [(&str, &[&str]); 4] = [
                ("bend", &["bend1", "bend2"]),
                ("bend1", &["bend"]),
                ("diameter", &["radius"]),
                ("radius", &["diameter"]),
            ];
            for (_, others) in rivals.iter().filter(|(key, _)| has(key)) {
                others.iter().for_each(|other| drop(both.remove(other)));
            }
            for (key, value) in own.iter() {
                both.insert(key, value.clone());
            }
        }
        zone.insert(key, item);
    }
}

/// A table written inline.
fn inline(item: Item) -> Item {
    match item {
        Item::Table(table) => Item::Value(Value::InlineTable(table.into_inline_table())),
        other => other,
    }
}

/// A zone that is all of another cable's section.
pub(super) fn zone_like(cable: &Table, from: f64, to: f64) -> Zone {
    let mut table = Table::new();
    for key in ["from", "to"] {
        table.insert(key, Item::Value(0.into()));
    }
    own_section(&mut table, cable);
    Zone { from, to, table }
}

/// The rest shape of a cable.
pub(super) fn rest(cable: &Table, length: f64) -> Rest {
    let Some(table) = cable.get("rest").and_then(Item::as_table_like) else {
        return Rest::Constant(Vec3::zeros());
    };
    let strain = |table: &dyn toml_edit::TableLike| {
        let number = |value: Option<&Value>, d| value.and_then(|v| quantity(v, d)).unwrap_or(0.0);
        let bends = table.get("curvature").and_then(Item::as_array);
        let bend = |i: usize| number(bends.and_then(|b| b.get(i)), Dimension::Curvature);
        let twist = number(table.get("twist").and_then(Item::as_value), Dimension::TwistRate);
        Vec3::new(bend(0), bend(1), twist)
    };
    if let Some(rows) = table.get("table").and_then(Item::as_array) {
        let row = |row: &Value| {
            let row = row.as_array()?;
            let number = |i: usize, d| quantity(row.get(i)?, d);
            let bend = |i| number(i, Dimension::Curvature);
            let s = number(0, Dimension::Length)?;
            Some((s, Vec3::new(bend(1)?, bend(2)?, number(3, Dimension::TwistRate)?)))
        };
        return Rest::Table(rows.iter().filter_map(row).map(|(s, k)| (s.min(length), k)).collect());
    }
    let half = |key: &str| table.get(key).and_then(Item::as_table_like).map(strain);
    match (half("start"), half("end")) {
        (Some(a), Some(b)) => Rest::Affine([a, b]),
        _ => Rest::Constant(strain(table)),
    }
}

/// Writes a rest shape.
pub(super) fn put_rest(cable: &mut Table, rest: &Rest) {
    let strain = |k: &Vec3| {
        let mut table = InlineTable::new();
        table.insert("curvature", [k.x, k.y].iter().map(|c| number(tidy(*c))).collect::<Array>().into());
        table.insert("twist", number(tidy(k.z)));
        table
    };
    let mut table = InlineTable::new();
    match rest {
        Rest::Constant(k) if *k == Vec3::zeros() => {
            cable.remove("rest");
            return;
        }
        Rest::Constant(k) => table = strain(k),
        Rest::Affine([a, b]) => {
            table.insert("start", strain(a).into());
            table.insert("end", strain(b).into());
        }
        Rest::Table(rows) => {
            let row = |(s, k): &(f64, Vec3)| -> Value {
                [*s, k.x, k.y, k.z].iter().map(|c| number(tidy(*c))).collect::<Array>().into()
            };
            table.insert("table", rows.iter().map(row).collect::<Array>().into());
        }
    }
    set(cable, "rest", table);
}

/// A rest shape as rows from 0 to the length.
fn rows(rest: &Rest, length: f64) -> Vec<(f64, Vec3)> {
    match rest {
        Rest::Constant(k) => vec![(0.0, *k), (length, *k)],
        Rest::Affine([a, b]) => vec![(0.0, *a), (length, *b)],
        Rest::Table(own) => {
            let mut rows = own.clone();
            if let Some((_, first)) = own.first().filter(|row| row.0 > 0.0) {
                rows.insert(0, (0.0, *first));
            }
            if let Some((_, last)) = own.last().filter(|row| row.0 < length) {
                rows.push((length, *last));
            }
            rows
        }
    }
}

/// What a rest shape is in [from, to], counted from `from`.
pub(super) fn cut_rest(rest: &Rest, length: f64, [from, to]: [f64; 2]) -> Rest {
    if let Rest::Constant(_) = rest {
        return rest.clone();
    }
    let rows = rows(rest, length);
    // The value where the piece ends is that before a jump.
    let before_jump = || {
        let next = rows.iter().position(|(s, _)| *s >= to)?;
        let (s1, b) = rows[next];
        let (s0, a) = next.checked_sub(1).and_then(|i| rows.get(i).copied()).unwrap_or((s1, b));
        Some(if s1 > s0 { a.lerp(&b, (to - s0) / (s1 - s0)) } else { b })
    };
    let mut cut = vec![(0.0, rest.at(from, length))];
    cut.extend(rows.iter().filter(|(s, _)| *s > from && *s < to).map(|(s, k)| (s - from, *k)));
    cut.push((to - from, before_jump().unwrap_or_else(|| rest.at(to, length))));
    match (rest, &cut[..]) {
        (Rest::Affine(_), [(_, a), (_, b)]) => Rest::Affine([*a, *b]),
        _ => Rest::Table(cut),
    }
}

/// The rest shape of a cable that was turned round: d1 stays, d2 and d3 turn over.
pub(super) fn mirror_rest(rest: &Rest, length: f64) -> Rest {
    let turned = |k: &Vec3| Vec3::new(if k.x == 0.0 { 0.0 } else { -k.x }, k.y, k.z);
    match rest {
        Rest::Constant(k) => Rest::Constant(turned(k)),
        Rest::Affine([a, b]) => Rest::Affine([turned(b), turned(a)]),
        Rest::Table(rows) => {
            Rest::Table(rows.iter().rev().map(|(s, k)| ((length - s).max(0.0), turned(k))).collect())
        }
    }
}

/// The rest shape of two cables, one behind the other.
pub(super) fn join_rest(a: &Rest, la: f64, b: &Rest, lb: f64) -> Rest {
    if let (Rest::Constant(x), Rest::Constant(y)) = (a, b)
        && x == y
    {
        return a.clone();
    }
    let mut both = rows(a, la);
    both.extend(rows(b, lb).into_iter().map(|(s, k)| (la + s, k)));
    Rest::Table(both)
}

/// The rest shape of a cable whose places moved.
pub(super) fn map_rest(rest: &Rest, length: f64, map: &dyn Fn(f64) -> f64) -> Rest {
    match rest {
        Rest::Constant(_) => rest.clone(),
        _ => Rest::Table(rows(rest, length).into_iter().map(|(s, k)| (map(s), k)).collect()),
    }
}

impl Edit {
    /// Gives a stretch a section of its own; zones that were there give way.
    pub(super) fn set_zone(&mut self, cable: &str, [from, to]: [&Quantity; 2], with: &Keys) -> Done {
        let a = self.doc.place("from", cable, from)?;
        let b = self.doc.place("to", cable, to)?;
        if b <= a {
            let message = format!("`to` = {} does not lie beyond `from`", millimetres(b));
            return Err(mistake(
                Code::OutOfRange,
                "to",
                message,
                format!("expected more than {}", millimetres(a)),
            ));
        }
        if let Some(key) = ["from", "to"].iter().find(|key| with.contains_key(**key)) {
            let help = format!("give `{key}` beside `with`");
            return Err(mistake(Code::Conflict, "with", format!("`{key}` does not belong in `with`"), help));
        }
        let length = self.doc.length(cable)?;
        let table = self.doc.thing_mut("cable", Kind::Cable, cable)?;
        let mut laid = Vec::new();
        for zone in zones(table, length) {
            let behind = Zone { from: zone.from.max(b), to: zone.to, table: zone.table.clone() };
            let before = Zone { to: zone.to.min(a), ..zone };
            laid.extend([before, behind].into_iter().filter(|z| z.to - z.from > 1e-12 * length));
        }
        if !with.is_empty() {
            let mut own = Table::new();
            if let Some(name) = with.get("name") {
                fill(&mut own, &Keys::from_iter([("name".to_owned(), name.clone())]), "with")?;
            }
            for (key, given) in [("from", from), ("to", to)] {
                let is_share = given.share().is_some();
                own.insert(key, Item::Value(if is_share { given.to_toml() } else { 0.into() }));
            }
            fill(&mut own, with, "with")?;
            laid.push(Zone { from: a, to: b, table: own });
        }
        laid.sort_by(|x, y| x.from.total_cmp(&y.from));
        put_zones(table, laid, length);
        let what = if with.is_empty() { "is like the rest again" } else { "has a section of its own" };
        self.tell(format!("cable '{cable}' {what} from {} to {}", millimetres(a), millimetres(b)));
        Ok(())
    }
}

/// The rod model of a cable.
pub(super) fn rod_model(cable: &Table) -> RodModel {
    text(cable, "model").and_then(RodModel::named).unwrap_or_default()
}

/// The number of segments or elements, where the file gives it.
pub(super) fn resolution(cable: &Table) -> Option<f64> {
    let [key, _] = rod_model(cable).keys();
    cable.get(key)?.as_integer().map(|n| n as f64)
}

/// Whether a cable has the text under a key, or none.
pub(super) fn same_text(a: &Table, b: &Table, key: &str) -> bool {
    text(a, key) == text(b, key)
}
