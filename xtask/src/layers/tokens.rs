//! Just enough of Rust's grammar to find paths: identifiers and punctuation with their lines, without
//! comments, strings and character literals.

/// A piece of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// An identifier, keyword or number; `::`; or one character of other punctuation.
    pub text: &'a str,
    /// Line, from 1.
    pub line: usize,
}

/// Splits Rust source into tokens.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut scanner = Scanner { source, at: 0, line: 1 };
    let mut tokens = Vec::new();
    while let Some(c) = scanner.peek() {
        let rest = &source[scanner.at..];
        if rest.starts_with("//") {
            scanner.skip_while(|c| c != '\n');
        } else if rest.starts_with("/*") {
            scanner.skip_block_comment();
        } else if c == '"' {
            scanner.skip_string();
        } else if c == '\'' {
            scanner.skip_quote();
        } else if is_word(c) {
            let (start, line) = (scanner.at, scanner.line);
            scanner.skip_while(is_word);
            let text = &source[start..scanner.at];
            if !(matches!(text, "r" | "br" | "cr") && scanner.skip_raw_string()) {
                tokens.push(Token { text, line });
            }
        } else if rest.starts_with("::") {
            tokens.push(Token { text: &rest[..2], line: scanner.line });
            scanner.skip(2);
        } else {
            if !c.is_whitespace() {
                tokens.push(Token { text: &rest[..c.len_utf8()], line: scanner.line });
            }
            scanner.skip(c.len_utf8());
        }
    }
    tokens
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    line: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    fn skip(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.source.len());
        self.line += self.source[self.at..end].matches('\n').count();
        self.at = end;
    }

    fn skip_while(&mut self, wanted: fn(char) -> bool) {
        let rest = &self.source[self.at..];
        self.skip(rest.find(|c| !wanted(c)).unwrap_or(rest.len()));
    }

    /// Skips up to and including the next `end`.
    fn skip_past(&mut self, end: &str) {
        let rest = &self.source[self.at..];
        self.skip(rest.find(end).map_or(rest.len(), |place| place + end.len()));
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            let rest = &self.source[self.at..];
            if rest.starts_with("/*") {
                depth += 1;
                self.skip(2);
            } else if rest.starts_with("*/") {
                depth -= 1;
                self.skip(2);
            } else if let Some(c) = rest.chars().next() {
                self.skip(c.len_utf8());
            }
            if depth == 0 || self.at == self.source.len() {
                return;
            }
        }
    }

    fn skip_string(&mut self) {
        self.skip(1);
        while let Some(c) = self.peek() {
            match c {
                '\\' => {
                    self.skip(1);
                    self.skip(self.peek().map_or(0, char::len_utf8));
                }
                '"' => return self.skip(1),
                _ => self.skip(c.len_utf8()),
            }
        }
    }

    /// At `#…"` or `"` after r, br or cr: skips the raw string; false (and nothing skipped) elsewhere.
    fn skip_raw_string(&mut self) -> bool {
        let rest = &self.source[self.at..];
        let hashes = rest.chars().take_while(|&c| c == '#').count();
        if !rest[hashes..].starts_with('"') {
            return false;
        }
        self.skip(hashes + 1);
        self.skip_past(&format!("\"{}", "#".repeat(hashes)));
        true
    }

    /// A character literal, or the tick of a lifetime or label.
    fn skip_quote(&mut self) {
        let mut next = self.source[self.at + 1..].chars();
        let (first, second) = (next.next(), next.next());
        self.skip(1);
        match first {
            Some('\\') => {
                self.skip(2);
                self.skip_past("'");
            }
            Some(c) if second == Some('\'') => self.skip(c.len_utf8() + 1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn leaves_out_comments_and_literals() {
        assert_eq!(texts("a // crate::rod\nb"), ["a", "b"]);
        assert_eq!(texts("a /* crate /* nested */ ::rod */ b"), ["a", "b"]);
        assert_eq!(texts(r#"a("crate::rod \" crate");"#), ["a", "(", ")", ";"]);
        assert_eq!(texts("a(r##\"crate \"# rod\"##);"), ["a", "(", ")", ";"]);
        assert_eq!(texts(r"a('\'', '\u{41}', '/', b'x');"), ["a", "(", ",", ",", ",", "b", ")", ";"]);
    }

    #[test]
    fn keeps_lifetimes_raw_identifiers_and_paths() {
        assert_eq!(
            texts("fn f<'a>(x: &'a T)"),
            ["fn", "f", "<", "a", ">", "(", "x", ":", "&", "a", "T", ")"]
        );
        assert_eq!(texts("r#mod::x"), ["r", "#", "mod", "::", "x"]);
        assert_eq!(texts("crate::rod::Rod"), ["crate", "::", "rod", "::", "Rod"]);
    }

    #[test]
    fn counts_lines_across_literals() {
        let source = "a\n/* one\n two */ b \"x\ny\" c\n  d";
        let lines: Vec<(&str, usize)> = tokens(source).iter().map(|t| (t.text, t.line)).collect();
        assert_eq!(lines, [("a", 1), ("b", 3), ("c", 4), ("d", 5)]);
    }

    #[test]
    fn unfinished_source_ends() {
        for source in ["/* open", "\"open", "r#\"open", "'", "'\\", "\"\\"] {
            let _ = tokens(source);
        }
    }
}
