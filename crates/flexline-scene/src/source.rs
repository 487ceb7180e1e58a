//! The text of a scene file and where things stand in it.

use crate::diagnostic::{Code, Diagnostic};
use crate::words::Words;
use crate::words::quote;
use std::collections::BTreeMap;
use std::ops::Range;

/// A line of the file is shown at most this long, in characters.
const WIDEST: usize = 100;
/// How much of a long line is kept before the place shown.
const LEAD: usize = 40;

/// Where a diagnostic points, counted from 1 in lines and characters.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
    /// Length of what is meant, in characters, on this line; at least 1.
    pub length: usize,
    /// The line, shortened around the place where it is very long, control characters replaced.
    pub text: String,
    /// Column of the place within `text`.
    pub text_column: usize,
}

/// The text a scene was read from, with the place of each key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Source {
    /// Name of the file, or of whatever the text came from.
    pub name: String,
    text: String,
    /// Key path → span of its value (of its header, for a table).
    spans: BTreeMap<String, Range<usize>>,
    /// Key path of a table → what it is called.
    names: BTreeMap<String, String>,
}

impl Source {
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into(), ..Self::default() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn remember(&mut self, path: &str, span: Range<usize>) {
        self.spans.insert(path.into(), span);
    }

    /// Keeps what the table at a path is called.
    pub fn remember_name(&mut self, path: &str, name: &str) {
        self.names.insert(path.into(), name.into());
    }

    /// A key path in words, as every message has it.
    pub fn words(&self, path: &str) -> Words {
        Words::new(path, |table| self.names.get(table).map(|name| &**name))
    }

    /// The span of a key path, or of the nearest table around it that was written.
    pub fn span(&self, path: &str) -> Option<Range<usize>> {
        let mut path = path;
        loop {
            if let Some(span) = self.spans.get(path) {
                return Some(span.clone());
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// The value of a key as it was written, shortened.
    pub fn written(&self, path: &str) -> String {
        quote(self.spans.get(path).and_then(|span| self.text.get(span.clone())).unwrap_or_default())
    }

    /// A mistake about a key, at its place in the file.
    pub fn diagnostic(&self, code: Code, path: &str, message: String, help: Option<String>) -> Diagnostic {
        let place = self.span(path).and_then(|span| self.place(span));
        Diagnostic { code, path: path.into(), message, help, place }
    }

    /// The place of a span of bytes; `None` where there is no text.
    pub fn place(&self, span: Range<usize>) -> Option<Place> {
        if self.text.is_empty() {
            return None;
        }
        let start = floor(&self.text, span.start);
        let end = floor(&self.text, span.end.max(span.start));
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |i| start + i);
        let line = self.text[..start].bytes().filter(|b| *b == b'\n').count() + 1;
        let count = |range: Range<usize>| self.text[range].chars().count();
        let column = count(line_start..start);
        let length = count(start..end.min(line_end)).max(1);
        let skipped = if column > LEAD && count(line_start..line_end) > WIDEST { column - LEAD } else { 0 };
        let shown = self.text[line_start..line_end].trim_end_matches('\r').chars().skip(skipped).take(WIDEST);
        Some(Place {
            line,
            column: column + 1,
            length,
            text: shown
                .map(|c| if c.is_control() { if c == '\t' { ' ' } else { '\u{fffd}' } } else { c })
                .collect(),
            text_column: column - skipped + 1,
        })
    }
}

/// The last character boundary at or before `index`.
fn floor(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let source = Source::new("x", "a = 1\nµµ = \"3\tmm\"\r\nz");
        let place = source.place(13..19).unwrap();
        assert_eq!((place.line, place.column, place.length), (2, 6, 6));
        assert_eq!(place.text, "µµ = \"3 mm\"");
        assert_eq!(source.place(9999..10000).unwrap().line, 3);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = "y".repeat(1_000_000) + "here" + &"z".repeat(1_000_000);
        let place = Source::new("x", &text).place(1_000_000..1_000_004).unwrap();
        assert_eq!((place.column, place.text_column, place.length), (1_000_001, 41, 4));
        assert_eq!(place.text.len(), 100);
        assert_eq!(&place.text[40..44], "here");
    }

    #[test]
    fn a_missing_path_falls_back_to_the_table_around_it() {
        let mut source = Source::new("x", "abc");
        source.remember("load[1]", 1..2);
        assert_eq!(source.span("load[1].at"), Some(1..2));
        assert_eq!(source.span("load[0].at"), None);
    }
}
