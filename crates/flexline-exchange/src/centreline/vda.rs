//! VDA-FS 2.0 (DIN 66301): every centreline a `CURVE` of cubic pieces in ascending powers, in millimetres. Records have 72
//! columns of text and eight of numbering.

use super::{Fitted, Wishes};
use flexline::Vec3;
use std::collections::HashSet;
use std::fmt::Write;

/// Columns of text in a record.
const COLUMNS: usize = 72;

/// Records of a file.
struct Records {
    text: String,
    count: usize,
}

impl Records {
    fn record(&mut self, text: &str) {
        self.count += 1;
        let _ = writeln!(self.text, "{text:<COLUMNS$}{:08}", self.count);
    }

    /// A statement: words broken over records, never within one.
    fn statement(&mut self, head: &str, words: &[String]) {
        let mut line = head.to_owned();
        for (i, word) in words.iter().enumerate() {
            let word = if i + 1 < words.len() { format!("{word},") } else { word.clone() };
            if line.len() + 1 + word.len() > COLUMNS {
                self.record(&line);
                line = " ".to_owned();
            }
            line.push(' ');
            line.push_str(&word);
        }
        self.record(&line);
    }
}

pub(super) fn write(fitted: &[Fitted], wishes: &Wishes) -> Vec<u8> {
    let mut records = Records { text: String::new(), count: 0 };
    let version = env!("CARGO_PKG_VERSION");
    let title = ascii(&wishes.title);
    let rule = "*".repeat(60);
    let header = [
        rule.clone(),
        "VDAFS VERSION          : 2.0".into(),
        "SENDER COMPANY         :".into(),
        "CONTACT PERSON         :".into(),
        "TELEPHONE NO.          :".into(),
        "ADDRESS                :".into(),
        format!("SENDING SYSTEM         : FLEXLINE {version}"),
        format!("SENDING DATE           : {}", &wishes.date[..wishes.date.len().min(10)]),
        format!("FILE NAME              : {title}"),
        rule.clone(),
        "PROJECT NAME           :".into(),
        "OBJECT CODE            : CENTRELINES OF CABLES".into(),
        "VARIANT                :".into(),
        "CONFIDENTIALITY        :".into(),
        "DATE EFFECTIVE         :".into(),
        rule.clone(),
        "COMPANY NAME           :".into(),
        "RECEIVER NAME          :".into(),
        "UNIT                   : MM".into(),
        rule,
    ];
    records.record(&format!("HEAD1 = HEADER / {}", header.len()));
    header.iter().for_each(|line| records.record(&line.chars().take(COLUMNS).collect::<String>()));
    let mut used = HashSet::new();
    for own in fitted {
        let name = name(&own.line.name, &mut used);
        let shown = ascii(&own.line.name);
        records.record(&format!("$$ {shown}").chars().take(COLUMNS).collect::<String>());
        let pieces = own.spline.pieces();
        let number = |x: f64| format!("{x:.15E}");
        let mut words = vec![pieces.len().to_string()];
        words.extend(pieces.first().map(|(range, _)| number(1e3 * range[0])));
        words.extend(pieces.iter().map(|(range, _)| number(1e3 * range[1])));
        for (_, powers) in &pieces {
            words.push("4".into());
            for axis in 0..3 {
                words.extend(powers.iter().map(|a: &Vec3| number(1e3 * a[axis])));
            }
        }
        records.statement(&format!("{name} = CURVE /"), &words);
    }
    records.record("HEAD1 = END");
    records.text.into_bytes()
}

/// A name of the standard: a letter and at most seven letters and digits, of its own.
fn name(text: &str, used: &mut HashSet<String>) -> String {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let plain = plain.trim_start_matches(|c: char| c.is_ascii_digit());
    let base: String = if plain.is_empty() { "CRV".into() } else { plain.chars().take(8).collect() };
    let mut own = base.clone();
    let mut count = 1;
    while own == "HEAD1" || !used.insert(own.clone()) {
        count += 1;
        let number = count.to_string();
        own = base.chars().take(8 - number.len()).chain(number.chars()).collect();
    }
    own
}

/// Text with ASCII alone.
fn ascii(text: &str) -> String {
    text.chars().map(|c| if (' '..='~').contains(&c) { c } else { '?' }).collect()
}
