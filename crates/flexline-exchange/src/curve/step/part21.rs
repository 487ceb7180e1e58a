//! The exchange structure of STEP (ISO 10303-21): entities with their parameters, nothing of what they mean.

use super::super::CurveError;
use crate::mesh::{At, shown};
use std::collections::HashMap;

/// No more entities than this.
const MOST: usize = 4_000_000;
/// Lists within lists.
const DEEPEST: usize = 32;

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Ref(u64),
    Number(f64),
    Text(String),
    Word(String),
    List(Vec<Value>),
    Typed(Vec<Value>),
    Nothing,
}

impl Value {
    pub(super) fn id(&self) -> Option<u64> {
        match self {
            Self::Ref(id) => Some(*id),
            _ => None,
        }
    }

    /// A number, in a type of its own or not.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(x) => Some(*x),
            Self::Typed(own) => own.first().and_then(Self::number),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> &[Self] {
        match self {
            Self::List(own) => own,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(own) => own,
            _ => "",
        }
    }

    /// Whether it is `.T.`.
    pub(super) fn is_true(&self) -> bool {
        matches!(self, Self::Word(own) if own == "T")
    }
}

/// An entity: one record, or several of a complex one.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub(super) line: usize,
    pub(super) records: Vec<(String, Vec<Value>)>,
}

impl Entity {
    pub(super) fn record(&self, name: &str) -> Option<&[Value]> {
        self.records.iter().find(|own| own.0 == name).map(|own| own.1.as_slice())
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.records.iter().any(|own| own.0 == name)
    }

    /// Its name where it is simple.
    pub(super) fn kind(&self) -> &str {
        match &self.records[..] {
            [(name, _)] => name,
            all => all.last().map_or("", |own| &own.0),
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

/// Reads the data sections.
pub(super) fn read(text: &str) -> Result<HashMap<u64, Entity>, CurveError> {
    let mut reader = Reader { text: text.as_bytes(), at: 0, line: 1 };
    let mut all = HashMap::new();
    let mut in_data = false;
    loop {
        reader.space()?;
        if reader.at >= reader.text.len() {
            let message = if in_data {
                "the file ends within its data: ENDSEC is missing"
            } else {
                "there is no END-ISO-10303-21: the file is cut short"
            };
            return Err(reader.wrong(message));
        }
        if reader.peek() == Some(b'#') {
            if !in_data {
                return Err(reader.wrong("an entity before DATA;"));
            }
            let line = reader.line;
            let id = reader.reference()?;
            reader.expect(b'=')?;
            reader.space()?;
            let mut records = Vec::new();
            if reader.peek() == Some(b'(') {
                reader.at += 1;
                loop {
                    reader.space()?;
                    if reader.peek() == Some(b')') {
                        reader.at += 1;
                        break;
                    }
                    records.push(reader.record()?);
                    if records.len() > 100 {
                        return Err(reader.wrong("an entity of more than 100 records"));
                    }
                }
            } else {
                records.push(reader.record()?);
            }
            reader.expect(b';')?;
            if all.len() == MOST {
                return Err(reader.wrong(&format!("more than {MOST} entities")));
            }
            if all.insert(id, Entity { line, records }).is_some() {
                return Err(CurveError::new(At::Line(line), format!("#{id} is there twice")));
            }
            continue;
        }
        let word = reader.word();
        match word.as_str() {
            "DATA" => {
                in_data = true;
                reader.skip_statement()?;
            }
            "ENDSEC" => {
                in_data = false;
                reader.expect(b';')?;
            }
            "END-ISO-10303-21" if !in_data => return Ok(all),
            "" => return Err(reader.wrong("expected an entity or the end of a section")),
            _ if in_data => {
                return Err(reader.wrong(&format!("'{}' within the data: ENDSEC is missing", shown(&word))));
            }
            _ => reader.skip_statement()?,
        }
    }
}

impl Reader<'_> {
    fn wrong(&self, message: &str) -> CurveError {
        CurveError::new(At::Line(self.line), message)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes over space and comments.
    fn space(&mut self) -> Result<(), CurveError> {
        while let Some(c) = self.peek() {
            match c {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let begun = self.line;
                    self.at += 2;
                    while !self.text[self.at.min(self.text.len())..].starts_with(b"*/") {
                        match self.peek() {
                            None => return Err(CurveError::new(At::Line(begun), "a comment without an end")),
                            Some(b'\n') => self.line += 1,
                            _ => {}
                        }
                        self.at += 1;
                    }
                    self.at += 2;
                }
                c if c.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        Ok(())
    }

    fn expect(&mut self, c: u8) -> Result<(), CurveError> {
        self.space()?;
        if self.peek() != Some(c) {
            let found = self.peek().map_or("the end of the file".to_owned(), |c| format!("'{}'", c as char));
            return Err(self.wrong(&format!("{found}: expected '{}'", c as char)));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self) -> String {
        let begun = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-' || c == b'!') {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[begun..self.at]).to_ascii_uppercase()
    }

    /// Passes over the rest of a statement, strings and all.
    fn skip_statement(&mut self) -> Result<(), CurveError> {
        loop {
            self.space()?;
            match self.peek() {
                None => return Err(self.wrong("a statement without its ';'")),
                Some(b';') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\'') => drop(self.string()?),
                _ => self.at += 1,
            }
        }
    }

    fn reference(&mut self) -> Result<u64, CurveError> {
        self.at += 1;
        let word = self.word();
        word.parse().map_err(|_| self.wrong(&format!("'#{}': expected a number", shown(&word))))
    }

    fn record(&mut self) -> Result<(String, Vec<Value>), CurveError> {
        let name = self.word();
        if name.is_empty() {
            return Err(self.wrong("expected the name of an entity"));
        }
        self.expect(b'(')?;
        Ok((name, self.values(0)?))
    }

    /// Values up to a closing bracket.
    fn values(&mut self, depth: usize) -> Result<Vec<Value>, CurveError> {
        if depth > DEEPEST {
            return Err(self.wrong(&format!("lists within lists more than {DEEPEST} deep")));
        }
        let mut all = Vec::new();
        loop {
            self.space()?;
            if self.peek() == Some(b')') {
                self.at += 1;
                return Ok(all);
            }
            all.push(self.value(depth)?);
            self.space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => {}
                _ => return Err(self.wrong("expected ',' or ')' after a parameter")),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, CurveError> {
        let Some(c) = self.peek() else { return Err(self.wrong("the file ends within an entity")) };
        Ok(match c {
            b'#' => Value::Ref(self.reference()?),
            b'\'' => Value::Text(self.string()?),
            b'(' => {
                self.at += 1;
                Value::List(self.values(depth + 1)?)
            }
            b'$' | b'*' => {
                self.at += 1;
                Value::Nothing
            }
            b'.' => {
                self.at += 1;
                let word = self.word();
                if self.peek() != Some(b'.') {
                    return Err(self.wrong(&format!("'.{}': expected a word between points", shown(&word))));
                }
                self.at += 1;
                Value::Word(word)
            }
            b'"' => {
                self.at += 1;
                while self.peek().is_some_and(|c| c != b'"') {
                    self.at += 1;
                }
                self.expect(b'"')?;
                Value::Nothing
            }
            c if c.is_ascii_alphabetic() => {
                self.word();
                self.expect(b'(')?;
                Value::Typed(self.values(depth + 1)?)
            }
            _ => {
                let begun = self.at;
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || b"+-.".contains(&c)) {
                    self.at += 1;
                }
                let word = String::from_utf8_lossy(&self.text[begun..self.at]).into_owned();
                let number = word.parse().ok().filter(|x: &f64| x.is_finite());
                Value::Number(number.ok_or_else(|| {
                    self.wrong(&format!("'{}' is no number: expected a finite one", shown(&word)))
                })?)
            }
        })
    }

    /// A string; what it writes of letters beyond ASCII becomes them.
    fn string(&mut self) -> Result<String, CurveError> {
        let begun = self.line;
        self.at += 1;
        let mut raw = Vec::new();
        loop {
            match self.peek() {
                None => return Err(CurveError::new(At::Line(begun), "a string without an end")),
                Some(b'\'') if self.text.get(self.at + 1) == Some(&b'\'') => {
                    raw.push(b'\'');
                    self.at += 2;
                }
                Some(b'\'') => {
                    self.at += 1;
                    return Ok(decoded(&String::from_utf8_lossy(&raw)));
                }
                Some(c) => {
                    if c == b'\n' {
                        self.line += 1;
                    } else if c != b'\r' {
                        raw.push(c);
                    }
                    self.at += 1;
                }
            }
        }
    }
}

/// Letters by `\X2\00FC\X0\`, `\X4\…\X0\`, `\X\FC` and `\S\|`.
fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(k) = rest.find('\\') {
        out.push_str(&rest[..k]);
        rest = &rest[k..];
        let wide = |rest: &str, digits: usize| -> Option<(String, usize)> {
            let end = rest.find("\\X0\\")?;
            let body = rest.get(4..end)?;
            let bytes = body.as_bytes();
            let codes =
                bytes.chunks(digits).map(|c| u32::from_str_radix(std::str::from_utf8(c).ok()?, 16).ok());
            let codes: Vec<u32> = codes.collect::<Option<_>>()?;
            let units: Vec<u16> = codes.iter().map(|c| *c as u16).collect();
            let own = if digits == 4 {
                String::from_utf16(&units).ok()?
            } else {
                codes.into_iter().map(char::from_u32).collect::<Option<String>>()?
            };
            Some((own, end + 4))
        };
        let found = if rest.starts_with("\\X2\\") {
            wide(rest, 4)
        } else if rest.starts_with("\\X4\\") {
            wide(rest, 8)
        } else if let Some(code) = rest.strip_prefix("\\X\\").and_then(|r| r.get(..2)) {
            u8::from_str_radix(code, 16).ok().map(|c| ((c as char).to_string(), 5))
        } else if let Some(c) =
            rest.strip_prefix("\\S\\").and_then(|r| r.chars().next()).filter(char::is_ascii)
        {
            Some((((c as u8 | 0x80) as char).to_string(), 4))
        } else if rest.starts_with("\\\\") {
            Some(("\\".to_owned(), 2))
        } else {
            None
        };
        let (own, length) = found.unwrap_or_else(|| ("\\".to_owned(), 1));
        out.push_str(&own);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}
