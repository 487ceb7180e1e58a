//! Adding, changing, removing and renaming things of any kind.

use super::cut::fresh_name;
use super::document::{NODES, ON_CABLES, REFERENCES};
use super::edit::{Done, Edit, fill};
use super::lineage::Piece;
use super::parse::mistake;
use super::section::rod_model;
use super::tables::{drop_keys, list_mut, set, table_mut, tables, text};
use super::value::from_json;
use super::{Keys, Kind};
use flexline_scene::words::Words;
use flexline_scene::words::quote;
use flexline_scene::{Code, SceneError};
use serde_json::Value as Json;
use toml_edit::{InlineTable, Item, Table, TableLike, Value};

/// Kinds of things that have names of their own.
pub(super) const NAMED: [Kind; 14] = [
    Kind::Cable,
    Kind::Port,
    Kind::Part,
    Kind::Connector,
    Kind::Junction,
    Kind::Clip,
    Kind::Eye,
    Kind::Bead,
    Kind::Constraint,
    Kind::Motion,
    Kind::Load,
    Kind::Pole,
    Kind::Obstacle,
    Kind::Bundle,
];

impl Edit {
    pub(super) fn set(&mut self, kind: Kind, name: Option<&str>, key: &str, value: &Json) -> Done {
        if key == "name" && !matches!(kind, Kind::Load | Kind::Constraint | Kind::Pole | Kind::Obstacle) {
            let help = "use rename, which changes it everywhere";
            return Err(mistake(Code::Conflict, "key", "a name is not set", help));
        }
        let table: &mut dyn TableLike = match kind {
            Kind::Scene => {
                if !["title", "description"].contains(&key) {
                    let message = format!("`key` = \"{}\" is not of the scene as a whole", quote(key));
                    return Err(mistake(Code::UnknownKey, "key", message, "valid here: title, description"));
                }
                self.doc.root_mut()
            }
            Kind::World | Kind::Solve | Kind::Start | Kind::End => {
                let root = self.doc.root_mut();
                let word = kind.word();
                if !root.contains_key(word) && matches!(kind, Kind::World | Kind::Solve) {
                    root.insert(word, Item::Table(Table::new()));
                }
                let own = root.get_mut(word).and_then(Item::as_table_like_mut);
                own.ok_or_else(|| {
                    let help = "a harness has ports; a ring has no end";
                    mistake(Code::UnknownName, "kind", format!("there is no [{word}]"), help)
                })?
            }
            _ => {
                let single = kind == Kind::Cable && !self.doc.is_harness();
                let own;
                let name = match name {
                    Some(name) => name,
                    None if single => {
                        own = self.doc.single_name();
                        &own
                    }
                    None => {
                        let help = format!("say which {}", kind.word());
                        return Err(mistake(Code::MissingKey, "name", "`name` is missing", help));
                    }
                };
                self.doc.thing_mut("name", kind, name)?
            }
        };
        descend(table, key, value)?;
        let what = match name {
            Some(name) => format!("{} '{name}'", kind.word()),
            None => kind.word().to_owned(),
        };
        let words = Words::new(key, |_| None).of(&what);
        let change = match value {
            Json::Null => format!("{words} taken out"),
            _ => format!("{words} set to {}", quote(&value.to_string())),
        };
        self.tell(change);
        if kind == Kind::Cable && key == "model" {
            self.suit_model(name)?;
        }
        Ok(())
    }

    /// Takes out what a cable says of pieces that its model does not have.
    fn suit_model(&mut self, name: Option<&str>) -> Done {
        let name = name.map_or_else(|| self.doc.single_name(), str::to_owned);
        let table = self.doc.thing_mut("name", Kind::Cable, &name)?;
        let model = rod_model(table);
        let [own, other] = model.keys();
        let unsuited: &[&str] = if model.is_chain() { &[other] } else { &[other, "grading"] };
        let gone: Vec<String> =
            unsuited.iter().filter(|key| table.remove(key).is_some()).map(|k| format!("`{k}`")).collect();
        if !gone.is_empty() {
            self.tell(format!("{} taken out: the cable has {own} now", gone.join(" and ")));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, kind: Kind, on: Option<&str>, with: &Keys) -> Done {
        let mut table = Table::new();
        fill(&mut table, with, "with")?;
        let own = with.get("name").and_then(Json::as_str).map(|n| format!(" '{}'", quote(n)));
        let own = own.unwrap_or_default();
        if on.is_some() && kind != Kind::Connector {
            let help = "leave it out; for an eye on a part put `on` into `with`";
            return Err(mistake(Code::Conflict, "on", "`on` is for connectors", help));
        }
        match kind {
            Kind::Connector => {
                let Some(part) = on else {
                    let help = "say which part it is on: \"on\": \"unit\"";
                    return Err(mistake(Code::MissingKey, "on", "`on` is missing", help));
                };
                let owner = self.doc.thing_mut("on", Kind::Part, part)?;
                if let Some(list) = list_mut(owner, "connector") {
                    list.push(table);
                }
                self.tell(format!("connector{own} put on part '{part}'"));
                return Ok(());
            }
            Kind::Port
            | Kind::Part
            | Kind::Junction
            | Kind::Clip
            | Kind::Eye
            | Kind::Bead
            | Kind::Constraint
            | Kind::Motion
            | Kind::Load
            | Kind::Pole
            | Kind::Obstacle
            | Kind::Bundle => {
                self.doc.push(kind, table);
            }
            Kind::Cable => {
                let help = "use create-cable or branch";
                return Err(mistake(Code::Conflict, "kind", "a cable is laid, not added", help));
            }
            Kind::Scene | Kind::World | Kind::Solve | Kind::Start | Kind::End => {
                let help = "use set to change its keys";
                return Err(mistake(
                    Code::Conflict,
                    "kind",
                    format!("there is one {} only", kind.word()),
                    help,
                ));
            }
        }
        self.tell(format!("{}{own} added", kind.word()));
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &str, kind: Option<Kind>, with_users: bool) -> Done {
        let kind = self.named_kind(name, kind)?;
        if !with_users {
            self.unused(kind, name)?;
        }
        // Users of users, each once: they may go round in a circle.
        let mut all = vec![(kind, name.to_owned())];
        let mut next = 0;
        while let Some((kind, name)) = all.get(next).cloned() {
            next += 1;
            for user in self.users(kind, &name) {
                if !all.contains(&user) {
                    all.push(user);
                }
            }
        }
        // What may have no name is known by its number: it goes before anything that takes others along, and the
        // last of each list first.
        let by_number = |kind: Kind| {
            matches!(kind, Kind::Constraint | Kind::Motion | Kind::Load | Kind::Pole | Kind::Obstacle)
        };
        all.sort_by_key(|(kind, name)| (!by_number(*kind), std::cmp::Reverse(self.doc.index(*kind, name))));
        for (kind, name) in &all {
            self.drop_thing(*kind, name)?;
        }
        Ok(())
    }

    fn drop_thing(&mut self, kind: Kind, name: &str) -> Done {
        let Some(index) = self.doc.index(kind, name) else { return Ok(()) };
        let mut joined = Vec::new();
        if kind == Kind::Connector {
            let (part, own) = name.split_once('.').unwrap_or((name, ""));
            let table = self.doc.thing_mut("name", Kind::Part, part)?;
            let index = tables(table, "connector").iter().position(|c| text(c, "name") == Some(own));
            if let (Some(i), Some(list)) = (index, list_mut(table, "connector")) {
                list.remove(i);
            }
        } else {
            if kind == Kind::Cable {
                let table = self.doc.thing("name", kind, name)?;
                joined.extend(["from", "to"].iter().filter_map(|key| text(&table, key).map(str::to_owned)));
            }
            if let Some(list) = list_mut(self.doc.root_mut(), kind.word()) {
                list.remove(index);
            }
        }
        self.tell(format!("{} '{name}' removed", kind.word()));
        if matches!(kind, Kind::Cable | Kind::Obstacle) {
            self.pass_through(name, None);
        }
        for node in joined {
            if self.doc.index(Kind::Junction, &node).is_some() && self.doc.cables_at(&node).is_empty() {
                self.drop_hold(&node);
                if self.users(Kind::Junction, &node).is_empty() {
                    self.drop_thing(Kind::Junction, &node)?;
                }
            }
        }
        Ok(())
    }

    fn named_kind(&self, name: &str, kind: Option<Kind>) -> Result<Kind, SceneError> {
        match kind {
            Some(kind) if NAMED.contains(&kind) => self.doc.kind_of("name", name, &[kind]),
            Some(kind) => {
                let message = format!("`kind` = \"{}\" has no name", kind.word());
                Err(mistake(Code::Conflict, "kind", message, "expected cable, port, part, connector, …"))
            }
            None => self.doc.kind_of("name", name, &NAMED),
        }
    }

    /// Refuses what something else uses, and names the users.
    pub(super) fn unused(&self, kind: Kind, name: &str) -> Done {
        let users = self.users(kind, name);
        if users.is_empty() {
            return Ok(());
        }
        let listed: Vec<String> = users.iter().map(|(k, n)| format!("{} '{}'", k.word(), quote(n))).collect();
        let message = format!("{} '{}' is used by {}", kind.word(), quote(name), listed.join(", "));
        let help = "remove these first, or \"with_users\": true to remove them as well";
        Err(mistake(Code::Conflict, "name", message, help))
    }

    /// What cannot do without something.
    fn users(&self, kind: Kind, name: &str) -> Vec<(Kind, String)> {
        let mut users = Vec::new();
        let mut find = |kind: Kind, uses: &dyn Fn(&Table) -> bool| {
            for (i, table) in tables(self.doc.root(), kind.word()).iter().enumerate() {
                if uses(table) {
                    users.push((kind, super::document::Document::label(kind, i, table)));
                }
            }
        };
        let is = |table: &Table, key: &str, names: &[String]| {
            text(table, key).is_some_and(|own| names.iter().any(|n| n == own))
        };
        if kind == Kind::Cable {
            for on in ON_CABLES {
                find(on, &|table| text(table, "cable") == Some(name));
            }
            return users;
        }
        if kind == Kind::Bundle {
            let made = |table: &Table| {
                text(table, "bundle") == Some(name)
                    || tables(table, "zone").iter().any(|zone| text(zone, "bundle") == Some(name))
            };
            find(Kind::Cable, &made);
            if !self.doc.is_harness()
                && self.doc.root().get("cable").and_then(Item::as_table).is_some_and(made)
            {
                users.push((Kind::Cable, self.doc.single_name()));
            }
            return users;
        }
        if kind == Kind::Obstacle {
            find(Kind::Motion, &|table| text(table, "target") == Some(name));
            return users;
        }
        let mut names = vec![name.to_owned()];
        if kind == Kind::Part {
            let own = format!("{name}.");
            names.extend(self.doc.labels(Kind::Connector).into_iter().filter(|n| n.starts_with(&own)));
        }
        if NODES.contains(&kind) || kind == Kind::Connector {
            for user in [Kind::Cable, Kind::Constraint, Kind::Eye, Kind::Motion, Kind::Obstacle] {
                let keys = || REFERENCES.iter().filter(|(kind, _)| *kind == user);
                find(user, &|table| keys().any(|(_, key)| is(table, key, &names)));
            }
        }
        users
    }

    pub(super) fn rename(&mut self, name: &str, to: &str, kind: Option<Kind>) -> Done {
        let kind = self.named_kind(name, kind)?;
        if name == to {
            let message = format!("`to` = \"{}\" is its name already", quote(to));
            return Err(mistake(Code::Conflict, "to", message, "choose another name"));
        }
        match kind {
            Kind::Motion => {
                let help = "motions are known by their number: \"motion 1\"";
                return Err(mistake(Code::Conflict, "name", "a motion has no name", help));
            }
            Kind::Cable => fresh_name(self, "to", to, &[Kind::Cable])?,
            Kind::Connector | Kind::Load | Kind::Constraint => fresh_name(self, "to", to, &[])?,
            Kind::Pole | Kind::Obstacle | Kind::Bundle => fresh_name(self, "to", to, &[kind])?,
            _ => fresh_name(self, "to", to, &NODES)?,
        }
        set(self.doc.thing_mut("name", kind, name)?, "name", to);
        if matches!(kind, Kind::Cable | Kind::Obstacle) {
            self.pass_through(name, Some(to));
        }
        match kind {
            Kind::Cable => {
                for on in ON_CABLES {
                    self.replace(on, "cable", |own| (own == name).then(|| to.to_owned()));
                }
                let length = self.doc.length(to)?;
                let whole = Piece { new: [0.0, length], cable: name.into(), old: [0.0, length] };
                let pieces = self.step.cables.remove(name).unwrap_or_else(|| vec![whole]);
                self.step.cable(to, pieces);
            }
            Kind::Obstacle => {
                self.replace(Kind::Motion, "target", |own| (own == name).then(|| to.to_owned()));
            }
            Kind::Bundle => self.rename_bundle(name, to),
            Kind::Load | Kind::Constraint | Kind::Pole => {}
            _ => {
                let new = match (kind, name.split_once('.')) {
                    (Kind::Connector, Some((part, _))) => format!("{part}.{to}"),
                    _ => to.to_owned(),
                };
                let dotted = format!("{name}.");
                let renamed = |own: &str| match own.strip_prefix(&dotted) {
                    _ if own == name => Some(new.clone()),
                    Some(connector) if kind == Kind::Part => Some(format!("{new}.{connector}")),
                    _ => None,
                };
                for (user, key) in REFERENCES {
                    self.replace(user, key, renamed);
                }
                if kind != Kind::Connector {
                    self.step.nodes.insert(to.into(), name.into());
                }
            }
        }
        self.tell(format!("{} '{name}' is called '{to}' now", kind.word()));
        Ok(())
    }

    /// Takes out the paths of cables: the shape of before is what goes on, and a path of another length would lead astray.
    pub(super) fn forget_paths(&mut self) {
        let has = |table: &dyn TableLike| table.contains_key("path");
        let edit = |table: &mut Table| drop_keys(table, &["path", "path_twist"]);
        if self.doc.is_harness() {
            if tables(self.doc.root(), "cable").iter().any(|table| has(table)) {
                self.doc.each_mut("cable", edit);
            }
        } else if self.doc.root().get("cable").and_then(Item::as_table_like).is_some_and(has)
            && let Some(table) = single_mut(self.doc.root_mut())
        {
            drop_keys(table, &["path", "path_twist"]);
        }
    }

    /// Replaces the name of something that cables pass through, or takes it out.
    fn pass_through(&mut self, name: &str, to: Option<&str>) {
        let edit = |table: &mut Table| {
            let Some(list) = table.get_mut("passes_through").and_then(Item::as_array_mut) else { return };
            for i in (0..list.len()).rev() {
                if list.get(i).and_then(Value::as_str) == Some(name) {
                    match to {
                        Some(to) => drop(list.replace(i, to)),
                        None => drop(list.remove(i)),
                    }
                }
            }
            if list.is_empty() {
                table.remove("passes_through");
            }
        };
        let names = |table: &dyn TableLike| {
            let list = table.get("passes_through").and_then(Item::as_array);
            list.is_some_and(|list| list.iter().any(|own| own.as_str() == Some(name)))
        };
        // A table is only touched where something in it is meant.
        if self.doc.is_harness() {
            if tables(self.doc.root(), "cable").iter().any(|table| names(table)) {
                self.doc.each_mut("cable", edit);
            }
        } else if self.doc.root().get("cable").and_then(Item::as_table_like).is_some_and(names)
            && let Some(table) = single_mut(self.doc.root_mut())
        {
            edit(table);
        }
    }

    /// Replaces names under a key of a list.
    /// Cables and zones that are made of a bundle call it by its new name.
    fn rename_bundle(&mut self, name: &str, to: &str) {
        fn walk(item: &mut Item, name: &str, to: &str) {
            if let Some(list) = item.as_array_of_tables_mut() {
                for table in list.iter_mut() {
                    within(table, name, to);
                }
            } else if let Some(table) = item.as_table_like_mut() {
                within(table, name, to);
            } else if let Some(list) = item.as_array_mut() {
                for table in list.iter_mut().filter_map(Value::as_inline_table_mut) {
                    within(table, name, to);
                }
            }
        }
        fn within(table: &mut dyn TableLike, name: &str, to: &str) {
            if table.get("bundle").and_then(Item::as_str) == Some(name) {
                table.insert("bundle", toml_edit::value(to));
            }
            if let Some(zones) = table.get_mut("zone") {
                walk(zones, name, to);
            }
        }
        if let Some(cables) = self.doc.root_mut().get_mut("cable") {
            walk(cables, name, to);
        }
    }

    fn replace(&mut self, kind: Kind, key: &str, new: impl Fn(&str) -> Option<String>) {
        let meant = |table: &Table| text(table, key).and_then(&new);
        if tables(self.doc.root(), kind.word()).iter().any(|table| meant(table).is_some()) {
            self.doc.each_mut(kind.word(), |table| {
                if let Some(name) = meant(table) {
                    set(table, key, name);
                }
            });
        }
    }
}

/// No key lies deeper than this in a scene file.
const DEEPEST: usize = 8;

/// Sets the value under a path of keys, making the tables on the way.
fn descend(table: &mut dyn TableLike, path: &str, value: &Json) -> Done {
    let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
    let wrong = |message: String| {
        mistake(
            Code::UnknownKey,
            "key",
            message,
            "a key is `part`, `override.bend`, `zone[0].to` or `position[2]`",
        )
    };
    if path.split('.').count() > DEEPEST {
        return Err(wrong(format!("`{}` is too deep", quote(path))));
    }
    if let Some((list, index)) = first.strip_suffix(']').and_then(|f| f.split_once('[')) {
        let missing = || wrong(format!("there is no `{}`", quote(first)));
        let index: usize = index.parse().map_err(|_| missing())?;
        let item = table.get_mut(list).ok_or_else(missing)?;
        // A number of a vector.
        if let (Item::Value(Value::Array(array)), None, Some(mut new)) = (&mut *item, rest, from_json(value))
            && let Some(old) = array.get_mut(index)
            && !old.is_inline_table()
        {
            *new.decor_mut() = old.decor().clone();
            *old = new;
            return Ok(());
        }
        let inner: Option<&mut dyn TableLike> = match item {
            Item::ArrayOfTables(tables) => tables.get_mut(index).map(|t| t as &mut dyn TableLike),
            Item::Value(Value::Array(array)) => {
                array.get_mut(index).and_then(Value::as_inline_table_mut).map(|t| t as &mut dyn TableLike)
            }
            _ => None,
        };
        let rest = rest.ok_or_else(|| wrong(format!("`{}` says no key of it", quote(first))))?;
        return descend(inner.ok_or_else(missing)?, rest, value);
    }
    if first.is_empty() {
        return Err(wrong("an empty key".into()));
    }
    if let Some(rest) = rest {
        if !table.contains_key(first) {
            table.insert(first, Item::Value(InlineTable::new().into()));
        }
        let inner = table.get_mut(first).and_then(Item::as_table_like_mut);
        return descend(inner.ok_or_else(|| wrong(format!("`{}` is no table", quote(first))))?, rest, value);
    }
    match (from_json(value), value) {
        (Some(mut new), _) => {
            if let Some(old) = table.get(first).and_then(Item::as_value) {
                *new.decor_mut() = old.decor().clone();
            }
            table.insert(first, Item::Value(new));
        }
        (None, Json::Null) => {
            if table.remove(first).is_none() {
                return Err(wrong(format!("there is no `{}` to be taken out", quote(first))));
            }
        }
        (None, _) => {
            let help = "expected a value without nulls inside, not nested deeply";
            return Err(mistake(
                Code::WrongType,
                "value",
                "the value cannot be written to a scene file",
                help,
            ));
        }
    }
    Ok(())
}

/// The one cable of a scene, under edit.
pub(super) fn single_mut(root: &mut Table) -> Option<&mut Table> {
    table_mut(root, "cable")
}
