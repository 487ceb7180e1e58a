//! Declarations of TypeScript, as far as types of the wire need them: read, printed for people, compared with values.

use serde_json::Value;
use std::collections::BTreeSet;

/// What stands in a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A table of keys.
    Object(Vec<Field>),
    /// One of these.
    Union(Vec<Type>),
    /// All of these at once.
    Meet(Vec<Type>),
    /// A list with so many places.
    Tuple(Vec<Type>),
    /// A word in quotes.
    Word(String),
    /// A name, and what it is applied to: `Array<Cable>`.
    Name(String, Vec<Type>),
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub docs: Vec<String>,
    pub key: String,
    pub optional: bool,
    pub value: Type,
}

/// A type with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    pub docs: Vec<String>,
    pub name: String,
    pub value: Type,
}

impl Declaration {
    /// Reads `type Name = …;`.
    pub fn read(docs: &str, text: &str) -> Self {
        let mut reader = Reader { rest: text };
        reader.expect("type ");
        let name = reader.word();
        reader.expect("=");
        let value = reader.union();
        reader.expect(";");
        assert_eq!(reader.rest.trim(), "", "after {name}");
        Self { docs: comment(docs), name, value }
    }

    /// As it stands in the file.
    pub fn print(&self) -> String {
        let value = self.value.print("");
        let space = if value.starts_with('\n') { "" } else { " " };
        format!("{}export type {} ={space}{value};\n", print_docs(&self.docs, ""), self.name)
    }
}

/// The lines of a comment.
fn comment(text: &str) -> Vec<String> {
    let strip =
        |line: &str| line.trim().trim_start_matches(['/', '*']).trim_end_matches("*/").trim().to_owned();
    text.lines().map(strip).filter(|line| !line.is_empty()).collect()
}

fn print_docs(docs: &[String], indent: &str) -> String {
    match docs {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(token.trim_end()) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) {
        let shown: String = self.rest.chars().take(60).collect();
        assert!(self.takes(token), "expected {token:?} before {shown:?}");
    }

    /// A name, or a word in quotes without them.
    fn word(&mut self) -> String {
        if self.takes("\"") {
            let (word, after) = self.rest.split_once('"').expect("the end of a word");
            self.rest = after;
            return word.to_owned();
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.rest = &rest[end..];
        assert!(end > 0, "expected a name before {:?}", rest.chars().take(60).collect::<String>());
        rest[..end].to_owned()
    }

    fn union(&mut self) -> Type {
        let mut all = vec![self.meet()];
        while self.takes("|") {
            all.push(self.meet());
        }
        if all.len() == 1 { all.remove(0) } else { Type::Union(all) }
    }

    fn meet(&mut self) -> Type {
        let mut all = vec![self.one()];
        while self.takes("&") {
            all.push(self.one());
        }
        if all.len() == 1 { all.remove(0) } else { Type::Meet(all) }
    }

    fn list(&mut self, end: &str) -> Vec<Type> {
        let mut all = Vec::new();
        while !self.takes(end) {
            all.push(self.union());
            self.takes(",");
        }
        all
    }

    fn one(&mut self) -> Type {
        let mut found = if self.takes("{") {
            self.object()
        } else if self.takes("(") {
            let inner = self.union();
            self.expect(")");
            inner
        } else if self.takes("[") {
            Type::Tuple(self.list("]"))
        } else if self.rest.trim_start().starts_with('"') {
            Type::Word(self.word())
        } else {
            let name = self.word();
            let of = if self.takes("<") { self.list(">") } else { Vec::new() };
            Type::Name(name, of)
        };
        while self.takes("[]") {
            found = Type::Name("Array".into(), vec![found]);
        }
        found
    }

    fn object(&mut self) -> Type {
        let mut fields = Vec::new();
        while !self.takes("}") {
            let mut docs = Vec::new();
            if self.takes("/**") {
                let (text, after) = self.rest.split_once("*/").expect("the end of a comment");
                docs = comment(text);
                self.rest = after;
            }
            let key = self.word();
            let optional = self.takes("?");
            self.expect(":");
            fields.push(Field { docs, key, optional, value: self.union() });
            self.takes(",");
        }
        Type::Object(fields)
    }
}

/// Longest line of a declaration.
const WIDTH: usize = 120;

impl Type {
    fn print(&self, indent: &str) -> String {
        match self {
            Self::Object(fields) if fields.iter().all(|field| field.docs.is_empty()) && fields.len() < 3 => {
                let fields: Vec<String> = fields.iter().map(|field| field.print(indent)).collect();
                format!("{{ {} }}", fields.join("; "))
            }
            Self::Object(fields) => {
                let inner = format!("{indent}  ");
                let one = |field: &Field| {
                    let (docs, own) = (print_docs(&field.docs, &inner), field.print(&inner));
                    let line = format!("{} {own};\n", docs.trim_end());
                    // A short comment stands on the line of its key.
                    match docs.lines().count() {
                        1 if line.len() <= WIDTH && !own.contains('\n') => line,
                        _ => format!("{docs}{inner}{own};\n"),
                    }
                };
                format!("{{\n{}{indent}}}", fields.iter().map(one).collect::<String>())
            }
            Self::Union(all) => {
                let line = all.iter().map(|one| one.print(indent)).collect::<Vec<_>>().join(" | ");
                if !line.contains('\n') && line.len() + indent.len() + 30 < WIDTH {
                    return line;
                }
                let inner = format!("{indent}  ");
                all.iter().map(|one| format!("\n{inner}| {}", one.print(&inner))).collect()
            }
            Self::Meet(all) => {
                let one = |own: &Self| match own {
                    Self::Union(_) => format!("({})", own.print(indent)),
                    _ => own.print(indent),
                };
                all.iter().map(one).collect::<Vec<_>>().join(" & ")
            }
            Self::Tuple(all) => format!("[{}]", print_list(all, indent)),
            Self::Word(word) => format!("\"{word}\""),
            Self::Name(name, of) => match (name.as_str(), of.as_slice()) {
                ("Array", [Self::Name(..)]) => format!("{}[]", of[0].print(indent)),
                (_, []) => name.clone(),
                _ => format!("{name}<{}>", print_list(of, indent)),
            },
        }
    }

    /// The keys that it has, perhaps, in its own table or those it is made of.
    pub fn keys(&self, all: &[Declaration]) -> BTreeSet<String> {
        match self {
            Self::Object(fields) => {
                // A table within, without a name of its own, is told with its owner.
                let inner = fields.iter().filter(|field| matches!(field.value, Self::Object(_)));
                let inner = inner.flat_map(|field| field.value.keys(all));
                fields.iter().map(|field| field.key.clone()).chain(inner).collect()
            }
            Self::Union(types) | Self::Meet(types) => types.iter().flat_map(|one| one.keys(all)).collect(),
            Self::Name(name, _) => find(all, name).map_or_else(BTreeSet::new, |own| own.value.keys(all)),
            Self::Tuple(_) | Self::Word(_) => BTreeSet::new(),
        }
    }

    /// The words of which it is one; empty where it is anything else.
    pub fn words(&self) -> BTreeSet<String> {
        let Self::Union(types) = self else { return BTreeSet::new() };
        let word = |one: &Self| if let Self::Word(word) = one { Some(word.clone()) } else { None };
        types.iter().map(word).collect::<Option<_>>().unwrap_or_default()
    }

    /// The word under a key, where one stands there.
    pub fn tag(&self, key: &str) -> Option<&str> {
        match self {
            Self::Object(fields) => {
                fields.iter().find(|field| field.key == key).and_then(|field| match &field.value {
                    Self::Word(word) => Some(word.as_str()),
                    _ => None,
                })
            }
            Self::Meet(types) => types.iter().find_map(|one| one.tag(key)),
            _ => None,
        }
    }

    /// The tables that it may be, each with all its fields.
    fn forms(&self, all: &[Declaration]) -> Vec<Vec<Field>> {
        match self {
            Self::Object(fields) => vec![fields.clone()],
            Self::Union(types) => types.iter().flat_map(|one| one.forms(all)).collect(),
            Self::Meet(types) => types.iter().fold(vec![Vec::new()], |forms, one| {
                let own = one.forms(all);
                forms.iter().flat_map(|form| own.iter().map(|own| [form.as_slice(), own].concat())).collect()
            }),
            Self::Name(name, _) => find(all, name).map_or_else(Vec::new, |own| own.value.forms(all)),
            Self::Tuple(_) | Self::Word(_) => Vec::new(),
        }
    }

    /// Says where a value is not of this type: every key must be in the type, and every key of the type in the value.
    pub fn mismatch(&self, value: &Value, all: &[Declaration]) -> Result<(), String> {
        let wrong = || Err(format!("{value} is no {}", self.print("")));
        match self {
            Self::Object(fields) => {
                let Some(map) = value.as_object() else { return wrong() };
                if let Some(extra) = map.keys().find(|key| fields.iter().all(|field| field.key != **key)) {
                    return Err(format!("`{extra}` is no key of {}", self.print("")));
                }
                for field in fields {
                    match map.get(&field.key) {
                        Some(own) => {
                            field.value.mismatch(own, all).map_err(|e| format!("{}: {e}", field.key))?
                        }
                        None if field.optional => {}
                        None => return Err(format!("`{}` is missing in {value}", field.key)),
                    }
                }
                Ok(())
            }
            Self::Union(types) => {
                let tried: Vec<_> = types.iter().map(|one| one.mismatch(value, all)).collect();
                if tried.iter().any(Result::is_ok) {
                    return Ok(());
                }
                // Of tagged messages the one that it claims to be says best what is wrong.
                let claimed = types.iter().zip(&tried).find(|(one, _)| {
                    ["op", "event", "do"]
                        .iter()
                        .any(|tag| value[*tag].is_string() && one.tag(tag) == value[*tag].as_str())
                });
                claimed.map_or_else(wrong, |(_, tried)| tried.clone())
            }
            Self::Meet(_) => {
                let tried =
                    self.forms(all).into_iter().map(|fields| Self::Object(fields).mismatch(value, all));
                let tried: Vec<_> = tried.collect();
                tried.iter().find(|one| one.is_ok()).or(tried.first()).cloned().unwrap_or_else(wrong)
            }
            Self::Tuple(types) => match value.as_array() {
                Some(list) if list.len() == types.len() => {
                    types.iter().zip(list).try_for_each(|(one, own)| one.mismatch(own, all))
                }
                _ => wrong(),
            },
            Self::Word(word) if value == word => Ok(()),
            Self::Word(_) => wrong(),
            Self::Name(name, of) => match (name.as_str(), of.as_slice()) {
                ("unknown", []) => Ok(()),
                ("null", []) if value.is_null() => Ok(()),
                ("number", []) if value.is_number() => Ok(()),
                ("string", []) if value.is_string() => Ok(()),
                ("boolean", []) if value.is_boolean() => Ok(()),
                ("Array", [of]) if value.is_array() => {
                    value.as_array().into_iter().flatten().try_for_each(|own| of.mismatch(own, all))
                }
                ("Record", [_, of]) if value.is_object() => {
                    value.as_object().into_iter().flatten().try_for_each(|(_, own)| of.mismatch(own, all))
                }
                (name, []) => match find(all, name) {
                    Some(own) => own.value.mismatch(value, all).map_err(|e| format!("{name}: {e}")),
                    None => wrong(),
                },
                _ => wrong(),
            },
        }
    }
}

/// The declaration of a name.
pub fn find<'a>(all: &'a [Declaration], name: &str) -> Option<&'a Declaration> {
    all.iter().find(|own| own.name == name)
}

fn print_list(all: &[Type], indent: &str) -> String {
    all.iter().map(|one| one.print(indent)).collect::<Vec<_>>().join(", ")
}

impl Field {
    fn print(&self, indent: &str) -> String {
        let plain = self.key.chars().all(|c| c.is_alphanumeric() || c == '_');
        let key = if plain { self.key.clone() } else { format!("\"{}\"", self.key) };
        format!("{key}{}: {}", if self.optional { "?" } else { "" }, self.value.print(indent))
    }
}
