//! Names of a harness: given once, looked up with the nearest one offered.

use crate::diagnostic::Code;
use crate::harness::Node;
use crate::reader::Table;
use crate::suggest;
use crate::words::{LISTED, offer, quote};
use std::collections::BTreeMap;

/// What cables and constraints can name.
#[derive(Default)]
pub(super) struct Names {
    nodes: BTreeMap<String, Node>,
}

/// The name of a table, which must have one that can be looked up.
pub(super) fn read(table: &Table) -> Option<String> {
    if !table.has("name") {
        table.report_missing("name", "give it a name of its own: name = \"A\"");
    }
    let name = table.string("name")?;
    if name.is_empty() || name == "free" || name.contains('.') {
        let message = format!("{} = \"{}\" cannot be a name", table.words("name"), quote(name));
        let help = "expected text without dots, other than \"free\"; a connector is named \"part.connector\"";
        table.report(Code::UnknownName, "name", message, help);
        return None;
    }
    Some(name.to_owned())
}

/// What a node is, in a word.
fn kind(node: Node) -> &'static str {
    match node {
        Node::Port(_) => "port",
        Node::Part(_) => "part",
        Node::Connector(..) => "connector",
        Node::Junction(_) => "junction",
        Node::Clip(_) => "clip",
        Node::Eye(_) => "eye",
        Node::Bead(_) => "bead",
        Node::End(_) => "end",
    }
}

impl Names {
    /// Adds what a table is called.
    pub fn add(&mut self, table: &Table, name: Option<&str>, node: Node) {
        let Some(name) = name else { return };
        if let Some(other) = self.nodes.get(name) {
            let message = format!(
                "{} = \"{}\" is the name of a {} already",
                table.words("name"),
                quote(name),
                kind(*other)
            );
            let help = "ports, parts, junctions, clips, eyes and beads each need a name of their own";
            table.report(Code::Conflict, "name", message, help);
        }
        self.nodes.insert(name.into(), node);
    }

    /// Whether something has this name.
    pub fn has(&self, name: &str) -> bool {
        self.nodes.contains_key(name)
    }

    /// Adds a connector of a part.
    pub fn add_connector(&mut self, part: Option<&str>, connector: &str, node: Node) {
        if let Some(part) = part {
            self.nodes.insert(format!("{part}.{connector}"), node);
        }
    }

    /// What the text under `key` names.
    pub fn find(&self, table: &Table, key: &str) -> Option<Node> {
        let name = table.string(key)?;
        if let Some(node) = self.nodes.get(name) {
            return Some(*node);
        }
        self.unknown(table, key, name);
        None
    }

    /// What the text under `key` names, if a cable can end there.
    pub fn find_end(&self, table: &Table, key: &str) -> Option<Node> {
        let node = self.find(table, key)?;
        if let Node::Part(_) = node {
            let name = table.string(key)?;
            let own = format!("{name}.");
            let connectors: Vec<&str> =
                self.nodes.keys().map(|n| &**n).filter(|n| n.starts_with(&own)).take(LISTED).collect();
            let message = format!("{} = \"{}\" does not say which connector", table.words(key), quote(name));
            let help = if connectors.is_empty() {
                "give the part one: [[part.connector]] with name, position and tangent".into()
            } else {
                format!("expected one of {}", connectors.join(", "))
            };
            table.report(Code::UnknownName, key, message, help);
            return None;
        }
        Some(node)
    }

    fn unknown(&self, table: &Table, key: &str, name: &str) {
        let message = format!("{} = \"{}\" is not in this harness", table.words(key), quote(name));
        // A connector was meant where there is a dot.
        let dotted = self.nodes.keys().map(|n| &**n).filter(|n| n.contains('.') && name.contains('.'));
        let help = match suggest::nearest(name, dotted) {
            Some(near) => format!("did you mean \"{}\"?", quote(near)),
            None => offer(name, self.nodes.keys().map(|n| &**n)),
        };
        table.report(Code::UnknownName, key, message, help);
    }
}
