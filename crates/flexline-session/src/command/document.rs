//! The text of a scene under edit: its tables, found by name.

use super::Kind;
use super::parse::mistake;
use super::tables::{list_mut, place, quantity_of, table_mut, tables, text};
use super::value::Quantity;
use flexline_scene::units::Dimension;
use flexline_scene::words::offer;
use flexline_scene::words::{millimetres, quote};
use flexline_scene::{Code, SceneError};
use toml_edit::{DocumentMut, Item, Table, Value};

/// Kinds whose things cables and constraints can name.
pub(super) const NODES: [Kind; 6] =
    [Kind::Port, Kind::Part, Kind::Junction, Kind::Clip, Kind::Eye, Kind::Bead];
/// Kinds of things that are on a cable.
pub(super) const ON_CABLES: [Kind; 4] = [Kind::Clip, Kind::Eye, Kind::Bead, Kind::Load];
/// Kinds of things that cut a cable into pieces.
pub(super) const STOPS: [Kind; 3] = [Kind::Clip, Kind::Eye, Kind::Bead];
/// Where the file names what cables end in and constraints take hold of: list and key.
pub(super) const REFERENCES: [(Kind, &str); 9] = [
    (Kind::Cable, "from"),
    (Kind::Cable, "to"),
    (Kind::Constraint, "point"),
    (Kind::Constraint, "from"),
    (Kind::Constraint, "to"),
    (Kind::Constraint, "on"),
    (Kind::Eye, "on"),
    (Kind::Motion, "target"),
    (Kind::Obstacle, "on"),
];

/// A scene under edit.
pub(super) struct Document {
    text: DocumentMut,
}

impl Document {
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let text = text.parse().map_err(|error: toml_edit::TomlError| {
            let message = format!("the scene is not valid TOML: {}", error.message());
            mistake(Code::Syntax, "", message, "mend the file first")
        })?;
        Ok(Self { text })
    }

    pub fn root(&self) -> &Table {
        self.text.as_table()
    }

    pub fn root_mut(&mut self) -> &mut Table {
        self.text.as_table_mut()
    }

    /// The text, edited.
    pub fn finish(mut self) -> String {
        // Lists that were emptied leave no trace.
        let empty = |item: &Item| matches!(item, Item::ArrayOfTables(list) if list.is_empty());
        self.root_mut().retain(|_, item| !empty(item));
        self.text.to_string()
    }

    /// How long the text is, in bytes.
    pub fn size(&self) -> usize {
        self.text.to_string().len()
    }

    /// Whether it is a harness rather than one cable.
    pub fn is_harness(&self) -> bool {
        match self.root().get("cable") {
            Some(Item::ArrayOfTables(_) | Item::Value(Value::Array(_))) | None => true,
            Some(_) => false,
        }
    }

    /// What a thing is called: its name, or its kind and number where it has none.
    pub fn label(kind: Kind, index: usize, table: &Table) -> String {
        match (text(table, "name"), kind) {
            (Some(name), _) => name.into(),
            (None, Kind::Constraint) => {
                format!("{} {}", text(table, "kind").unwrap_or("constraint"), index + 1)
            }
            (None, _) => format!("{} {}", kind.word(), index + 1),
        }
    }

    /// The labels of all things of a kind; connectors as `"part.connector"`.
    pub fn labels(&self, kind: Kind) -> Vec<String> {
        if kind == Kind::Connector {
            let mut labels = Vec::new();
            for part in tables(self.root(), "part") {
                let name = text(&part, "name").unwrap_or_default();
                let own = tables(&part, "connector");
                labels.extend(own.iter().map(|c| format!("{name}.{}", text(c, "name").unwrap_or_default())));
            }
            return labels;
        }
        if kind == Kind::Cable && !self.is_harness() {
            return vec![self.single_name()];
        }
        let list = tables(self.root(), kind.word());
        list.iter().enumerate().map(|(i, t)| Self::label(kind, i, t)).collect()
    }

    /// The name of the cable of a scene of one cable.
    pub fn single_name(&self) -> String {
        let name = self.root().get("cable").and_then(|c| c.as_table_like()?.get("name")?.as_str());
        name.unwrap_or("cable").into()
    }

    /// The index of a thing in its list.
    pub fn index(&self, kind: Kind, name: &str) -> Option<usize> {
        self.labels(kind).iter().position(|label| label == name)
    }

    /// A mistake about a name that nothing of these kinds has.
    pub fn unknown(&self, field: &str, name: &str, kinds: &[Kind]) -> SceneError {
        let labels: Vec<String> = kinds.iter().flat_map(|kind| self.labels(*kind)).collect();
        let what = match kinds {
            [Kind::Eye] => "an eye".into(),
            [one] => format!("a {}", one.word()),
            _ => "in this scene".into(),
        };
        let message = format!("`{field}` = \"{}\" is not {what}", quote(name));
        let help = offer(name, labels.iter().map(String::as_str));
        mistake(Code::UnknownName, field, message, help)
    }

    /// The kind of what a name means, among these.
    pub fn kind_of(&self, field: &str, name: &str, kinds: &[Kind]) -> Result<Kind, SceneError> {
        let found: Vec<Kind> = kinds.iter().copied().filter(|k| self.index(*k, name).is_some()).collect();
        match found[..] {
            [one] => Ok(one),
            [] => Err(self.unknown(field, name, kinds)),
            [first, second, ..] => {
                let message = format!(
                    "\"{}\" is the name of a {} and of a {}",
                    quote(name),
                    first.word(),
                    second.word()
                );
                let help = format!("say which: \"kind\": \"{}\"", first.word());
                Err(mistake(Code::Conflict, field, message, help))
            }
        }
    }

    /// A thing of a list, under edit.
    pub fn thing_mut(&mut self, field: &str, kind: Kind, name: &str) -> Result<&mut Table, SceneError> {
        let unknown = self.unknown(field, name, &[kind]);
        if kind == Kind::Connector {
            let Some((part, own)) = name.split_once('.') else { return Err(unknown) };
            let index = self.index(Kind::Part, part);
            let part = index.and_then(|i| list_mut(self.root_mut(), "part")?.get_mut(i));
            let own = part.and_then(|part| {
                let index = tables(part, "connector").iter().position(|c| text(c, "name") == Some(own))?;
                list_mut(part, "connector")?.get_mut(index)
            });
            return own.ok_or(unknown);
        }
        let index = self.index(kind, name);
        if kind == Kind::Cable && !self.is_harness() {
            let own = index.and_then(|_| table_mut(self.root_mut(), "cable"));
            return own.ok_or(unknown);
        }
        index.and_then(|i| list_mut(self.root_mut(), kind.word())?.get_mut(i)).ok_or(unknown)
    }

    /// A copy of a thing of a list.
    pub fn thing(&self, field: &str, kind: Kind, name: &str) -> Result<Table, SceneError> {
        let unknown = || self.unknown(field, name, &[kind]);
        let index = self.index(kind, name).ok_or_else(unknown)?;
        if kind == Kind::Cable && !self.is_harness() {
            let item = self.root().get("cable").cloned().unwrap_or_default();
            return item.into_table().map_err(|_| unknown());
        }
        tables(self.root(), kind.word()).into_iter().nth(index).ok_or_else(unknown)
    }

    /// Runs something over every table of a list.
    pub fn each_mut(&mut self, key: &str, mut run: impl FnMut(&mut Table)) {
        if !tables(self.root(), key).is_empty()
            && let Some(list) = list_mut(self.root_mut(), key)
        {
            list.iter_mut().for_each(&mut run);
        }
    }

    /// Runs something over the clips, eyes, beads and loads of a cable.
    pub fn each_on_mut(&mut self, cable: &str, mut run: impl FnMut(Kind, &mut Table)) {
        let single = !self.is_harness();
        for kind in ON_CABLES {
            // A list is only touched where something in it is meant.
            let meant = |table: &Table| single || text(table, "cable") == Some(cable);
            if tables(self.root(), kind.word()).iter().any(meant) {
                self.each_mut(kind.word(), |table| {
                    if single || text(table, "cable") == Some(cable) {
                        run(kind, table);
                    }
                });
            }
        }
    }

    /// The length of a cable as the file gives it, before feeding, m.
    pub fn length(&self, cable: &str) -> Result<f64, SceneError> {
        let table = self.thing("cable", Kind::Cable, cable)?;
        quantity_of(&table, "length", Dimension::Length).ok_or_else(|| {
            mistake(
                Code::MissingKey,
                "cable",
                format!("cable '{}' has no length", quote(cable)),
                "give it one",
            )
        })
    }

    /// A place on a cable, m: a length, a share, `"from"`, `"to"`, or the name of a clip, eye or bead of it.
    pub fn place(&self, field: &str, cable: &str, at: &Quantity) -> Result<f64, SceneError> {
        let length = self.length(cable)?;
        let s = match at {
            Quantity::Text(name) if name == "from" => 0.0,
            Quantity::Text(name) if name == "to" => length,
            Quantity::Text(name) if self.named_place(cable, name).is_some() => {
                self.named_place(cable, name).unwrap_or_default()
            }
            _ => match at.share() {
                Some(share) => share * length,
                None => at.read(field, Dimension::Length).map_err(|mut error| {
                    if let Some(first) = error.diagnostics.first_mut() {
                        let more =
                            ", a share such as \"40 %\", or the name of a clip, eye or bead of the cable";
                        first.help = first.help.take().map(|help| help + more);
                    }
                    error
                })?,
            },
        };
        if !(0.0..=length * (1.0 + 1e-12)).contains(&s) {
            let message = format!("`{field}` = {} lies outside cable '{}'", millimetres(s), quote(cable));
            let help = format!("expected 0 to {}, or a share such as \"50 %\"", millimetres(length));
            return Err(mistake(Code::OutOfRange, field, message, help));
        }
        Ok(s.min(length))
    }

    /// Where a clip, eye or bead of a cable is on it, m.
    fn named_place(&self, cable: &str, name: &str) -> Option<f64> {
        let length = self.length(cable).ok()?;
        STOPS.iter().find_map(|kind| {
            let list = tables(self.root(), kind.word());
            let own =
                list.iter().find(|t| text(t, "name") == Some(name) && text(t, "cable") == Some(cable))?;
            place(own.get("at")?.as_value()?, length)
        })
    }

    /// A name that nothing has yet, beginning with `wanted`.
    pub fn fresh(&self, wanted: &str, kinds: &[Kind]) -> String {
        let taken: Vec<String> = kinds.iter().flat_map(|kind| self.labels(*kind)).collect();
        let mut name = wanted.to_owned();
        let mut number = 2;
        while taken.contains(&name) {
            name = format!("{wanted} {number}");
            number += 1;
        }
        name
    }

    /// Adds a table to a list.
    pub fn push(&mut self, kind: Kind, table: Table) {
        if let Some(list) = list_mut(self.root_mut(), kind.word()) {
            list.push(table);
        }
    }

    /// The cables at a node, with the end that is there: name, and `from` or `to`.
    pub fn cables_at(&self, node: &str) -> Vec<(String, &'static str)> {
        let mut found = Vec::new();
        for table in tables(self.root(), "cable") {
            for end in ["from", "to"] {
                if text(&table, end) == Some(node) {
                    found.push((text(&table, "name").unwrap_or_default().to_owned(), end));
                }
            }
        }
        found
    }
}
