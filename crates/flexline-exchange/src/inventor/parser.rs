//! Scene files as text, to nodes.

use super::DEEPEST;
use super::fields::{can_be_ignored, is_node_field, unknown_value};
use super::lexer::{Lexer, Token};
use super::node::{Field, Node, Value};
use crate::drawing::Builder;
use crate::mesh::{At, MeshError, shown};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The nodes of a text after its header.
pub(super) fn read(text: &str, vrml97: bool, builder: &mut Builder) -> Result<Vec<Rc<Node>>, MeshError> {
    // The header looks like a comment.
    let mut parser = Parser {
        lexer: Lexer::new(text, vrml97),
        vrml97,
        known: HashMap::new(),
        ignored: false,
        protos: HashSet::new(),
        builder,
    };
    let mut nodes = Vec::new();
    loop {
        match parser.lexer.next()? {
            Token::End => return Ok(nodes),
            Token::Word(word) => {
                if !parser.statement(word)? {
                    nodes.push(parser.node(word, 0)?);
                }
            }
            other => return parser.wrong(format!("{} stands here: expected a node", other.shown())),
        }
    }
}

struct Parser<'a, 'b> {
    lexer: Lexer<'a>,
    vrml97: bool,
    known: HashMap<String, Rc<Node>>,
    /// Whether the last value was marked to be ignored.
    ignored: bool,
    /// Kinds of nodes that the file declares itself.
    protos: HashSet<String>,
    builder: &'b mut Builder,
}

impl<'a> Parser<'a, '_> {
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, MeshError> {
        Err(MeshError::new(self.lexer.at(), message))
    }

    fn expect(&mut self, sign: char, what: &str) -> Result<(), MeshError> {
        match self.lexer.next()? {
            Token::Sign(own) if own == sign => Ok(()),
            other => self.wrong(format!("{} stands here: expected '{sign}' {what}", other.shown())),
        }
    }

    fn word(&mut self, what: &str) -> Result<&'a str, MeshError> {
        match self.lexer.next()? {
            Token::Word(word) => Ok(word),
            other => self.wrong(format!("{} stands here: expected {what}", other.shown())),
        }
    }

    fn is_next(&mut self, sign: char) -> Result<bool, MeshError> {
        Ok(*self.lexer.peek()? == Token::Sign(sign))
    }

    /// Reads what is no node: routes and declarations of VRML 97. Gives whether there was one.
    fn statement(&mut self, word: &str) -> Result<bool, MeshError> {
        match word {
            "ROUTE" if self.vrml97 => {
                let at = self.lexer.at();
                self.lexer.name()?;
                if self.word("TO")? != "TO" {
                    return self.wrong("a route has the form ROUTE A.x TO B.y");
                }
                self.lexer.name()?;
                self.builder.leave_out("routes of events", at);
            }
            "PROTO" | "EXTERNPROTO" if self.vrml97 => self.proto(word == "EXTERNPROTO")?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A declaration; its body is skipped.
    fn proto(&mut self, is_extern: bool) -> Result<(), MeshError> {
        let at = self.lexer.at();
        let name = self.word("the name of a PROTO")?;
        self.protos.insert(name.to_owned());
        self.expect('[', "before the fields of a PROTO")?;
        let mut fields = HashSet::new();
        while !self.is_next(']')? {
            let kind = self.word("a field of a PROTO")?;
            let _type = self.word("the type of a field")?;
            let field = self.word("the name of a field")?;
            fields.insert(field.to_owned());
            match kind {
                "eventIn" | "eventOut" => {}
                "field" | "exposedField" if is_extern => {}
                "field" | "exposedField" => {
                    self.value(field, 1)?;
                }
                _ => {
                    return self.wrong(format!(
                        "'{}' stands here: expected field, exposedField, eventIn or eventOut",
                        shown(kind)
                    ));
                }
            }
        }
        self.lexer.next()?;
        if is_extern {
            self.value("url", 1)?;
        } else {
            self.expect('{', "before the body of a PROTO")?;
            let mut depth = 1;
            while depth > 0 {
                match self.lexer.next()? {
                    Token::Sign('{') => depth += 1,
                    Token::Sign('}') => depth -= 1,
                    Token::Word("IS") => {
                        let field = self.word("the name of a field after IS")?;
                        if !fields.contains(field) {
                            return self.wrong(format!(
                                "'{}' is no field of the PROTO '{}'",
                                shown(field),
                                shown(name)
                            ));
                        }
                    }
                    Token::End => {
                        return self.wrong(format!("the PROTO '{}' has no end: expected '}}'", shown(name)));
                    }
                    _ => {}
                }
            }
        }
        self.builder.leave_out("declarations by PROTO", at);
        Ok(())
    }

    /// A node that begins with this word.
    fn node(&mut self, word: &str, depth: usize) -> Result<Rc<Node>, MeshError> {
        let at = self.lexer.at();
        if depth > DEEPEST {
            return self.wrong(format!("nodes are nested deeper than {DEEPEST}: expected a flatter file"));
        }
        match word {
            "USE" => {
                let name = self.lexer.name()?;
                match self.known.get(name) {
                    Some(node) => Ok(node.clone()),
                    None => {
                        self.wrong(format!("USE {}: no node of this name was defined before", shown(name)))
                    }
                }
            }
            "DEF" => {
                let name = self.lexer.name()?.to_owned();
                let kind = self.word("the kind of a node after its name")?;
                if kind == "DEF" || kind == "USE" {
                    return self.wrong(format!(
                        "{kind} stands after DEF {}: expected the kind of a node",
                        shown(&name)
                    ));
                }
                let node = self.body(kind, Some(name.clone()), at, depth)?;
                self.known.insert(name, node.clone());
                Ok(node)
            }
            kind => self.body(kind, None, at, depth),
        }
    }

    fn body(
        &mut self,
        kind: &str,
        name: Option<String>,
        at: At,
        depth: usize,
    ) -> Result<Rc<Node>, MeshError> {
        if !is_name(kind) || kind == "NULL" {
            return self.wrong(format!("'{}' stands here: expected the kind of a node", shown(kind)));
        }
        self.expect('{', &format!("after the node '{}'", shown(kind)))?;
        let mut node = Node { kind: kind.to_owned(), name, fields: Vec::new(), children: Vec::new(), at };
        loop {
            match self.lexer.next()? {
                Token::Sign('}') => break,
                Token::Word(word) => self.member(&mut node, word, depth)?,
                other => {
                    let message = format!(
                        "{} stands in a node '{}': expected a field, a node or '}}'",
                        other.shown(),
                        shown(kind)
                    );
                    return self.wrong(message);
                }
            }
        }
        if self.protos.contains(kind) {
            self.builder.leave_out("nodes of kinds that a PROTO declares", at);
            let silent = "WorldInfo".to_owned();
            return Ok(Rc::new(Node { kind: silent, children: Vec::new(), fields: Vec::new(), ..node }));
        }
        Ok(Rc::new(node))
    }

    /// A field or a child that begins with this word.
    fn member(&mut self, node: &mut Node, word: &'a str, depth: usize) -> Result<(), MeshError> {
        if self.statement(word)? {
            return Ok(());
        }
        let is_script = self.vrml97 && node.kind == "Script";
        match word {
            "DEF" | "USE" => node.children.push(self.node(word, depth + 1)?),
            "eventIn" | "eventOut" if is_script => {
                self.word("the type of an event")?;
                self.word("the name of an event")?;
                if *self.lexer.peek()? == Token::Word("IS") {
                    self.lexer.next()?;
                    self.word("a name after IS")?;
                }
            }
            "field" | "exposedField" if is_script => {
                self.word("the type of a field")?;
                let name = self.word("the name of a field")?;
                self.value(name, depth)?;
            }
            _ if self.is_next('{')? => node.children.push(self.node(word, depth + 1)?),
            name if is_name(name) => {
                let at = self.lexer.at();
                let value = self.value(name, depth)?;
                if is_node_field(name) && !matches!(value, Value::Nodes(_) | Value::Nothing) {
                    return Err(MeshError::new(
                        at,
                        format!("the field '{name}' has a value that is no node: expected nodes"),
                    ));
                }
                if let Some(wrong) = unknown_value(node.kind(), name, &value) {
                    let message =
                        format!("'{}' is no value of '{name}' of a {}", shown(wrong), shown(&node.kind));
                    return Err(MeshError::new(at, message));
                }
                let ignored = self.ignored && can_be_ignored(node.kind());
                let value = if ignored { Value::Nothing } else { value };
                node.fields.push(Field { name: name.to_owned(), value });
            }
            other => {
                return self.wrong(format!(
                    "'{}' stands in a node '{}': expected a field or a node",
                    shown(other),
                    shown(&node.kind)
                ));
            }
        }
        Ok(())
    }

    /// The value of a field, with what it may be connected to.
    fn value(&mut self, name: &str, depth: usize) -> Result<Value, MeshError> {
        if self.is_next('}')? || self.is_next(']')? || *self.lexer.peek()? == Token::End {
            return self.wrong(format!("the field '{}' has no value", shown(name)));
        }
        self.ignored = false;
        let mut value = Value::Nothing;
        if !self.is_next('=')? && !self.is_next('~')? {
            value = self.plain_value(name, depth)?;
            self.ignored = false;
        }
        if self.is_next('~')? {
            self.lexer.next()?;
            self.ignored = true;
        }
        if self.is_next('=')? {
            self.lexer.next()?;
            let ignored = self.ignored;
            self.connection(depth)?;
            self.ignored = ignored;
        }
        Ok(value)
    }

    fn plain_value(&mut self, name: &str, depth: usize) -> Result<Value, MeshError> {
        match self.lexer.next()? {
            Token::Number(first) => {
                let mut all = vec![first];
                while let Token::Number(x) = *self.lexer.peek()? {
                    all.push(x);
                    self.lexer.next()?;
                }
                Ok(Value::Numbers(all))
            }
            Token::String(text) => Ok(Value::Strings(vec![text])),
            Token::Sign('[') => self.list(name, depth),
            Token::Sign('(') => {
                let mut words = Vec::new();
                loop {
                    match self.lexer.next()? {
                        Token::Word(word) => words.push(word.to_owned()),
                        Token::Sign('|') => {}
                        Token::Sign(')') => return Ok(Value::Words(words)),
                        other => {
                            return self.wrong(format!(
                                "{} stands among flags: expected a word or ')'",
                                other.shown()
                            ));
                        }
                    }
                }
            }
            Token::Word("NULL") => Ok(Value::Nothing),
            Token::Word("IS") => {
                self.word("a name after IS")?;
                Ok(Value::Nothing)
            }
            Token::Word(word) => {
                if word == "DEF" || word == "USE" || self.is_next('{')? {
                    return Ok(Value::Nodes(vec![self.node(word, depth + 1)?]));
                }
                Ok(Value::Words(vec![word.to_owned()]))
            }
            other => {
                self.wrong(format!("{} stands here: expected the value of '{}'", other.shown(), shown(name)))
            }
        }
    }

    /// What is in brackets.
    fn list(&mut self, name: &str, depth: usize) -> Result<Value, MeshError> {
        let (mut numbers, mut strings, mut words, mut nodes) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        loop {
            match self.lexer.next()? {
                Token::Sign(']') => break,
                Token::Number(x) => numbers.push(x),
                Token::String(text) => strings.push(text),
                Token::Word(word) if word == "DEF" || word == "USE" || self.is_next('{')? => {
                    nodes.push(self.node(word, depth + 1)?);
                }
                Token::Word(word) if is_name(word) && word != "NULL" => words.push(word.to_owned()),
                other => {
                    return self.wrong(format!(
                        "{} stands in the list '{}': expected its members or ']'",
                        other.shown(),
                        shown(name)
                    ));
                }
            }
        }
        let kinds = [!numbers.is_empty(), !strings.is_empty(), !words.is_empty(), !nodes.is_empty()];
        match kinds {
            [false, false, false, false] => Ok(Value::Nothing),
            [true, false, false, false] => Ok(Value::Numbers(numbers)),
            [false, true, false, false] => Ok(Value::Strings(strings)),
            [false, false, true, false] => Ok(Value::Words(words)),
            [false, false, false, true] => Ok(Value::Nodes(nodes)),
            // Declarations of fields and unknown nodes may have it; nothing that is taken has.
            _ if !is_node_field(name) => Ok(Value::Nothing),
            _ => self.wrong(format!(
                "the list '{}' has members of several kinds: expected nodes alone",
                shown(name)
            )),
        }
    }

    /// The field that a field follows: `= NODE . name`.
    fn connection(&mut self, depth: usize) -> Result<(), MeshError> {
        let at = self.lexer.at();
        match self.word("a node to be connected to")? {
            "NULL" => {
                return Err(MeshError::new(at, "a field is connected to NULL: expected a field of a node"));
            }
            "USE" => {
                let name = self.lexer.name()?;
                let (node, field) = name.split_once('.').unwrap_or((name, ""));
                if !self.known.contains_key(node) {
                    return self
                        .wrong(format!("USE {}: no node of this name was defined before", shown(node)));
                }
                if field.is_empty() {
                    self.field_after_node()?;
                }
            }
            word => {
                self.node(word, depth + 1)?;
                self.field_after_node()?;
            }
        }
        self.builder.leave_out("connections of fields: they have the values that are written", at);
        Ok(())
    }

    fn field_after_node(&mut self) -> Result<(), MeshError> {
        match self.word("'.' and a field")? {
            "." => self.word("a field after '.'").map(|_| ()),
            word if word.starts_with('.') => Ok(()),
            word => {
                self.wrong(format!("'{}' stands after a node: expected '.' and a field of it", shown(word)))
            }
        }
    }
}

/// Whether a word may be the name of a kind or a field.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
