//! The words of a scene file as text.

use crate::mesh::{At, MeshError, shown};

/// A word of a file. Commas are white space.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Number(f64),
    String(String),
    /// One of `{ } [ ] ( ) | = ~`.
    Sign(char),
    End,
}

impl Token<'_> {
    /// As messages show it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Word(word) => format!("'{}'", shown(word)),
            Self::Number(x) => format!("{x}"),
            Self::String(text) => format!("the string \"{}\"", shown(text)),
            Self::Sign(sign) => format!("'{sign}'"),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// Takes a text apart, with one token to look ahead.
pub(super) struct Lexer<'a> {
    text: &'a str,
    from: usize,
    line: usize,
    /// VRML 97 has other strings: a backslash before a quote always is an escape there.
    vrml97: bool,
    ahead: Option<(Token<'a>, usize)>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, vrml97: bool) -> Self {
        Self { text, from: 0, line: 1, vrml97, ahead: None }
    }

    /// Where the next token is, or the last one was.
    pub(super) fn at(&self) -> At {
        At::Line(self.ahead.as_ref().map_or(self.line, |(_, line)| *line))
    }

    pub(super) fn peek(&mut self) -> Result<&Token<'a>, MeshError> {
        if self.ahead.is_none() {
            let token = self.read()?;
            self.ahead = Some((token, self.line));
        }
        match &self.ahead {
            Some((token, _)) => Ok(token),
            None => Err(MeshError::new(self.at(), "nothing is here")),
        }
    }

    pub(super) fn next(&mut self) -> Result<Token<'a>, MeshError> {
        match self.ahead.take() {
            Some((token, _)) => Ok(token),
            None => self.read(),
        }
    }

    /// The name of a node, in which nearly every character may be.
    pub(super) fn name(&mut self) -> Result<&'a str, MeshError> {
        self.skip();
        let name = self.take(|b| b.is_ascii_whitespace() || b"{}[],\"#".contains(&b));
        if name.is_empty() {
            return Err(MeshError::new(self.at(), "there is no name: expected one after DEF or USE"));
        }
        Ok(name)
    }

    fn take(&mut self, ends: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text[self.from..];
        let end = rest.bytes().position(ends).unwrap_or(rest.len());
        self.from += end;
        &rest[..end]
    }

    /// White space, commas and comments.
    fn skip(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.from) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.from += 1;
                }
                b'#' => {
                    self.take(|b| b == b'\n' || b == b'\r');
                }
                // Files of old Macs have returns alone.
                b'\r' => {
                    self.line += usize::from(bytes.get(self.from + 1) != Some(&b'\n'));
                    self.from += 1;
                }
                b',' => self.from += 1,
                b if b.is_ascii_whitespace() => self.from += 1,
                _ => return,
            }
        }
    }

    fn read(&mut self) -> Result<Token<'a>, MeshError> {
        self.skip();
        let Some(byte) = self.text.as_bytes().get(self.from).copied() else { return Ok(Token::End) };
        match byte {
            b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'|' | b'=' | b'~' => {
                self.from += 1;
                Ok(Token::Sign(char::from(byte)))
            }
            b'"' => self.string(),
            _ => {
                let word = self.take(|b| b.is_ascii_whitespace() || b"{}[]()|=~,\"#".contains(&b));
                if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) && word != "." {
                    return number(word).map(Token::Number).or_else(|| field_of(word)).ok_or_else(|| {
                        let message = format!("'{}' is no number", shown(word));
                        MeshError::new(self.at(), message)
                    });
                }
                Ok(Token::Word(word))
            }
        }
    }

    fn string(&mut self) -> Result<Token<'a>, MeshError> {
        let began = self.at();
        self.from += 1;
        let mut out = Vec::new();
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.from).copied() {
            self.from += 1;
            let next = bytes.get(self.from).copied();
            match byte {
                b'"' => return Ok(Token::String(String::from_utf8_lossy(&out).into_owned())),
                b'\\' if next == Some(b'"') => {
                    // Open Inventor wrote a backslash at the end of a string as it is.
                    let ends = matches!(bytes.get(self.from + 1), None | Some(b'\n' | b'\r'));
                    self.from += 1;
                    if ends && !self.vrml97 {
                        out.push(b'\\');
                        return Ok(Token::String(String::from_utf8_lossy(&out).into_owned()));
                    }
                    out.push(b'"');
                }
                b'\\' if next == Some(b'\\') => {
                    self.from += 1;
                    out.push(b'\\');
                }
                b => {
                    self.line += usize::from(b == b'\n');
                    out.push(b);
                }
            }
        }
        Err(MeshError::new(began, "a string begins here and has no end: expected '\"'"))
    }
}

/// A number, hexadecimal ones too.
fn number(word: &str) -> Option<f64> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(|n| n as f64),
        None => word.parse().ok(),
    }
}

/// `.timeOut`, the field of a node before it.
fn field_of(word: &str) -> Option<Token<'_>> {
    let name = word.strip_prefix('.')?;
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(Token::Word(word))
}
