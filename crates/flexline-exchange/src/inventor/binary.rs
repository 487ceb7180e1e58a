//! Open Inventor as bytes, to nodes: numbers of four bytes, the highest first, and strings filled up to multiples of four.
//!
//! A node is its kind, in 2.1 its flags, the count of its fields, each with name, value and flags, and, where it is a group,
//! the count of its children and these. Types of fields are not written but for nodes that are not built in.

use super::DEEPEST;
use super::fields::{Type, can_be_ignored, is_group, type_of};
use super::node::{Field, Node, Value};
use crate::drawing::Builder;
use crate::mesh::{At, MeshError, shown};
use std::collections::HashMap;
use std::rc::Rc;

/// A node has children.
const IS_GROUP: u32 = 2;
/// A node declares its fields.
const NOT_BUILT_IN: u32 = 0x4000;
/// A field is to be passed over.
const IGNORED: u32 = 1;
/// A field is connected to another.
const CONNECTED: u32 = 2;

pub(super) fn read(bytes: &[u8], builder: &mut Builder) -> Result<Vec<Rc<Node>>, MeshError> {
    let header = bytes.iter().position(|b| *b == b'\n').map_or(bytes.len(), |end| end + 1);
    let old = bytes[..header].windows(4).any(|own| own == b"V2.0");
    let mut reader = Reader { bytes, from: header, old, known: HashMap::new(), builder };
    let mut nodes = Vec::new();
    while reader.from < bytes.len() {
        // Files are filled up, and one may stand after another.
        if bytes[reader.from..].iter().all(|b| b.is_ascii_whitespace() || *b == 0) {
            break;
        }
        nodes.extend(reader.node(0)?);
    }
    Ok(nodes)
}

struct Reader<'a, 'b> {
    bytes: &'a [u8],
    from: usize,
    /// Version 2.0.
    old: bool,
    known: HashMap<String, Rc<Node>>,
    builder: &'b mut Builder,
}

impl<'a> Reader<'a, '_> {
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, MeshError> {
        Err(MeshError::new(At::Byte(self.from), message))
    }

    fn take(&mut self, size: usize) -> Result<&'a [u8], MeshError> {
        let own = self.from.checked_add(size).and_then(|end| self.bytes.get(self.from..end));
        match own {
            Some(own) => {
                self.from += size;
                Ok(own)
            }
            None => self.wrong(format!(
                "{size} bytes are expected here, {} are left: the file is cut short",
                self.bytes.len() - self.from
            )),
        }
    }

    fn word(&mut self) -> Result<u32, MeshError> {
        let own = self.take(4)?;
        Ok(u32::from_be_bytes([own[0], own[1], own[2], own[3]]))
    }

    fn float(&mut self) -> Result<f64, MeshError> {
        Ok(f64::from(f32::from_bits(self.word()?)))
    }

    fn double(&mut self) -> Result<f64, MeshError> {
        let (high, low) = (self.word()?, self.word()?);
        Ok(f64::from_bits(u64::from(high) << 32 | u64::from(low)))
    }

    fn text(&mut self) -> Result<String, MeshError> {
        let length = self.word()? as usize;
        let own = self.take(length)?;
        let text = String::from_utf8_lossy(own).into_owned();
        self.take(length.next_multiple_of(4) - length)?;
        Ok(text)
    }

    /// The count of a list whose members have at least as many bytes.
    fn count(&mut self, least: usize) -> Result<usize, MeshError> {
        let count = self.word()? as usize;
        let left = self.bytes.len() - self.from;
        if count.checked_mul(least).is_none_or(|size| size > left) {
            self.from -= 4;
            return self.wrong(format!("a list of {count} members begins here, {left} bytes are left: the file is cut short or damaged"));
        }
        Ok(count)
    }

    /// A node, or none where NULL stands.
    fn node(&mut self, depth: usize) -> Result<Option<Rc<Node>>, MeshError> {
        if depth > DEEPEST {
            return self.wrong(format!("nodes are nested deeper than {DEEPEST}: expected a flatter file"));
        }
        let at = At::Byte(self.from);
        let mut kind = self.text()?;
        let mut name = None;
        match kind.as_str() {
            "NULL" => return Ok(None),
            "USE" => {
                let name = self.text()?;
                return match self.known.get(&name) {
                    Some(node) => Ok(Some(node.clone())),
                    None => {
                        self.wrong(format!("USE {}: no node of this name was defined before", shown(&name)))
                    }
                };
            }
            "DEF" => {
                name = Some(self.text()?);
                kind = self.text()?;
            }
            _ => {}
        }
        if !kind.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(MeshError::new(
                at,
                format!("'{}' stands here: expected the kind of a node", shown(&kind)),
            ));
        }
        let flags = if self.old { 0 } else { self.word()? };
        let mut node = Node { kind, name: name.clone(), fields: Vec::new(), children: Vec::new(), at };
        self.fields(&mut node, depth)?;
        if flags & IS_GROUP != 0 || (self.old && is_group(node.kind())) {
            for _ in 0..self.count(4)? {
                node.children.extend(self.node(depth + 1)?);
            }
        }
        let node = Rc::new(node);
        if let Some(name) = name {
            self.known.insert(name, node.clone());
        }
        Ok(Some(node))
    }

    fn fields(&mut self, node: &mut Node, depth: usize) -> Result<(), MeshError> {
        // In 2.0 a node that can have no fields says nothing of them.
        if self.old && matches!(node.kind(), "Group" | "TransformSeparator") {
            return Ok(());
        }
        let control = self.word()?;
        let count = (control & 0xff) as usize;
        let mut declared: HashMap<String, Type> = HashMap::new();
        if control & NOT_BUILT_IN != 0 {
            for _ in 0..count {
                let (kind, name) = (self.text()?, self.text()?);
                match Type::of(&kind) {
                    Some(own) => declared.insert(name, own),
                    None => {
                        return self.wrong(format!("'{}' is no type of a field that is known", shown(&kind)));
                    }
                };
            }
        }
        for _ in 0..count {
            let at = self.from;
            let name = self.text()?;
            let Some(kind) = declared.get(&name).copied().or_else(|| type_of(node.kind(), &name)) else {
                self.from = at;
                return self.wrong(format!(
                    "the field '{}' of a {} is not known, and bytes do not say its type: write the file as text (ivcat does)",
                    shown(&name),
                    shown(&node.kind)
                ));
            };
            let value = self.value(kind, depth)?;
            let flags = self.word()?;
            if flags & CONNECTED != 0 {
                let at = At::Byte(self.from);
                self.node(depth + 1)?;
                self.text()?;
                self.builder.leave_out("connections of fields: they have the values that are written", at);
            }
            let ignored = flags & IGNORED != 0 && can_be_ignored(node.kind());
            node.fields.push(Field { name, value: if ignored { Value::Nothing } else { value } });
        }
        Ok(())
    }

    fn value(&mut self, kind: Type, depth: usize) -> Result<Value, MeshError> {
        let floats =
            |own: &mut Self, count: usize| (0..count).map(|_| own.float()).collect::<Result<Vec<_>, _>>();
        Ok(match kind {
            Type::Floats(n) => Value::Numbers(floats(self, n)?),
            Type::ManyFloats(n) => {
                let count = self.count(4 * n)?;
                Value::Numbers(floats(self, count * n)?)
            }
            Type::Int => Value::Numbers(vec![f64::from(self.word()? as i32)]),
            Type::Ints => {
                let count = self.count(4)?;
                Value::Numbers(
                    (0..count)
                        .map(|_| Ok(f64::from(self.word()? as i32)))
                        .collect::<Result<_, MeshError>>()?,
                )
            }
            Type::Double => Value::Numbers(vec![self.double()?]),
            Type::Doubles => {
                let count = self.count(8)?;
                Value::Numbers((0..count).map(|_| self.double()).collect::<Result<_, _>>()?)
            }
            Type::Text => Value::Words(vec![self.text()?]),
            Type::Texts => {
                let count = self.count(4)?;
                Value::Words((0..count).map(|_| self.text()).collect::<Result<_, _>>()?)
            }
            Type::Flags => {
                let mut words = Vec::new();
                loop {
                    match self.text()? {
                        word if word.is_empty() => break Value::Words(words),
                        word => words.push(word),
                    }
                }
            }
            Type::Image => {
                let [width, height, channels] =
                    [self.word()?, self.word()?, self.word()?].map(|n| n as usize);
                let size = width
                    .checked_mul(height)
                    .and_then(|n| n.checked_mul(if self.old { 4 } else { channels }));
                self.take(size.and_then(|n| n.checked_next_multiple_of(4)).unwrap_or(usize::MAX))?;
                Value::Nothing
            }
            Type::Node => self.node(depth + 1)?.map_or(Value::Nothing, |node| Value::Nodes(vec![node])),
            Type::Nodes => {
                let mut all = Vec::new();
                for _ in 0..self.count(4)? {
                    all.extend(self.node(depth + 1)?);
                }
                Value::Nodes(all)
            }
            Type::Trigger => Value::Nothing,
        })
    }
}
