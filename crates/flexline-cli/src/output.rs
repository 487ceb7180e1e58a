//! Tables and JSON on standard output.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

/// Why standard output could not be written, the first time.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// A number of things: "1 cable", "2 cables".
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A plain table: first column left, the others right.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with the given heads.
    pub fn new(heads: &[&str]) -> Self {
        Self { rows: vec![heads.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }

    /// Prints it without heads, all columns left: names and values.
    pub fn print_plain(&self) {
        let width = self.rows.iter().filter_map(|r| r.first()).map(|c| c.chars().count()).max().unwrap_or(0);
        for row in &self.rows[1..] {
            let pad = width - row[0].chars().count();
            print(&format!("{}{}  {}\n", row[0], " ".repeat(pad), row[1..].join("  ")));
        }
    }

    /// Prints it.
    pub fn print(&self) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            self.rows.iter().filter_map(|r| r.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let pad = widths[c] - cell.chars().count();
                if c > 0 {
                    line.push_str("  ");
                    line.extend(std::iter::repeat_n(' ', pad));
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.extend(std::iter::repeat_n(' ', pad));
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        print(&text);
    }
}

/// Prints text. A reader that has gone away is no error; any other trouble is kept for [`unwritten`].
pub fn print(text: &str) {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = UNWRITTEN.set(error.to_string());
        }
        _ => {}
    }
}

/// Why what was printed did not reach standard output, if it did not.
pub fn unwritten() -> Option<&'static str> {
    UNWRITTEN.get().map(String::as_str)
}

/// Says something on standard error; nobody listening is no error.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A number to five significant digits, without the sign of a zero.
pub fn number(value: f64) -> String {
    scaled(value, value.abs())
}

/// A vector whose largest component has five significant digits; what vanishes beside it is 0, and so is all of
/// it where it is round-off beside `scale`.
pub fn vector(v: [f64; 3], scale: f64) -> String {
    let largest = v.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    if largest <= 1e-9 * scale {
        return "(0, 0, 0)".to_string();
    }
    format!("({}, {}, {})", scaled(v[0], largest), scaled(v[1], largest), scaled(v[2], largest))
}

/// `value` with as many decimals as show `largest` to five digits.
fn scaled(value: f64, largest: f64) -> String {
    if value.abs() <= 5e-6 * largest {
        return "0".to_string();
    }
    if !(1e-4..1e7).contains(&largest) {
        return format!("{value:.3e}");
    }
    let decimals = (4.0 - largest.log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.bytes().any(|b| b.is_ascii_digit() && b != b'0') { text } else { "0".to_string() }
}

/// Prints JSON, indented.
pub fn print_json(value: &serde_json::Value) {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    print(&text);
    print("\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_zeros_their_silence() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(100.216_04), "100.22");
        assert_eq!(number(-0.510_26), "-0.51026");
        assert_eq!(number(1.608e-5), "1.608e-5");
        assert_eq!(vector([100.216, -1e-12, 0.208_8], 100.0), "(100.22, 0, 0.21)");
        assert_eq!(vector([-1e-21, 3e-22, 1.608e-5], 1e-5), "(0, 0, 1.608e-5)");
        assert_eq!(vector([0.0; 3], 0.0), "(0, 0, 0)");
        assert_eq!(vector([9e-15, -5e-15, 2e-15], 0.17), "(0, 0, 0)");
        assert_eq!(vector([12_345_678.0, 0.0, -1.0], 1.0), "(1.235e7, 0, 0)");
    }
}
