//! Nodes as files write them.

use crate::mesh::At;
use std::rc::Rc;

/// A node with what was written of it; what was not has its default.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: String,
    pub(super) name: Option<String>,
    pub(super) fields: Vec<Field>,
    pub(super) children: Vec<Rc<Node>>,
    pub(super) at: At,
}

/// A field of a node.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: Value,
}

/// The value of a field.
#[derive(Debug)]
pub(super) enum Value {
    Numbers(Vec<f64>),
    Strings(Vec<String>),
    /// Names of values, TRUE and FALSE among them.
    Words(Vec<String>),
    Nodes(Vec<Rc<Node>>),
    /// `NULL`, an empty list, or one that is connected to something else.
    Nothing,
}

impl Node {
    /// Its kind without the prefixes that programs write.
    pub(super) fn kind(&self) -> &str {
        let strip = |prefix: &str| {
            self.kind.strip_prefix(prefix).filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        strip("So").or_else(|| strip("VRML")).unwrap_or(&self.kind)
    }

    /// Whether it is a VRML 97 node within an Open Inventor file.
    pub(super) fn is_vrml97(&self) -> bool {
        self.kind.starts_with("VRML") || self.kind.starts_with("SoVRML")
    }

    /// The name that a person gave it: writers name nodes that are used again by themselves, as in `wheel+3` or `_12`.
    pub(super) fn given_name(&self) -> Option<&str> {
        let name = self.name.as_deref()?;
        let name = name
            .rsplit_once('+')
            .filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()))
            .map_or(name, |(own, _)| own);
        Some(name).filter(|name| !name.trim_start_matches('_').bytes().all(|b| b.is_ascii_digit()))
    }

    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.fields.iter().rev().find(|field| field.name == name).map(|field| &field.value)
    }

    pub(super) fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.value(name)? {
            Value::Numbers(all) => Some(all),
            _ => None,
        }
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.numbers(name)?.first().copied()
    }

    pub(super) fn three(&self, name: &str) -> Option<[f64; 3]> {
        self.numbers(name)?.try_into().ok()
    }

    pub(super) fn four(&self, name: &str) -> Option<[f64; 4]> {
        self.numbers(name)?.try_into().ok()
    }

    pub(super) fn words(&self, name: &str) -> &[String] {
        match self.value(name) {
            Some(Value::Words(all) | Value::Strings(all)) => all,
            _ => &[],
        }
    }

    pub(super) fn word(&self, name: &str) -> Option<&str> {
        self.words(name).first().map(String::as_str)
    }

    /// Whether a field says so; bytes have numbers for TRUE and FALSE.
    pub(super) fn is(&self, name: &str, default: bool) -> bool {
        match (self.word(name), self.number(name)) {
            (Some(word), _) => word == "TRUE",
            (_, Some(number)) => number != 0.0,
            _ => default,
        }
    }

    pub(super) fn nodes(&self, name: &str) -> &[Rc<Node>] {
        match self.value(name) {
            Some(Value::Nodes(all)) => all,
            _ => &[],
        }
    }

    pub(super) fn node(&self, name: &str) -> Option<&Rc<Node>> {
        self.nodes(name).first()
    }
}
