//! IGES 5.3: every centreline an entity 126, a rational B-spline curve with equal weights, named by a property 406 of form 15.
//! Millimetres.

use super::{Fitted, Wishes};
use std::fmt::Write;

/// Columns of data in a record of the parameter section; of others 72.
const DATA: usize = 64;
const COLUMNS: usize = 72;

pub(super) fn write(fitted: &[Fitted], wishes: &Wishes) -> Vec<u8> {
    let mut text = String::new();
    let start = records(&["Centrelines of cables".to_owned()], COLUMNS);
    start.iter().enumerate().for_each(|(i, line)| put(&mut text, line, 'S', i + 1));
    let global = records(&global(fitted, wishes), COLUMNS);
    global.iter().enumerate().for_each(|(i, line)| put(&mut text, line, 'G', i + 1));
    let mut directory: Vec<String> = Vec::new();
    let mut parameters: Vec<String> = Vec::new();
    for own in fitted {
        let spline = &own.spline;
        let entry = directory.len() + 1;
        let mut words: Vec<String> = vec!["126".into(), (spline.poles.len() - 1).to_string(), "3".into()];
        // In no one plane, open, polynomial, not periodic.
        words.extend(["0", "0", "1", "0"].map(str::to_owned));
        words.extend(spline.knots.iter().map(|u| real(1e3 * u)));
        words.extend(spline.poles.iter().map(|_| "1.".to_owned()));
        words.extend(spline.poles.iter().flat_map(|p| [p.x, p.y, p.z]).map(|x| real(1e3 * x)));
        words.extend([spline.knots[0], spline.knots[spline.knots.len() - 1]].map(|u| real(1e3 * u)));
        words.extend(["0.", "0.", "0."].map(str::to_owned));
        // No associativities, one property.
        words.extend(["0".to_owned(), "1".to_owned(), (entry + 2).to_string()]);
        let first = parameters.len() + 1;
        let own_lines = ended(&words, DATA);
        let count = own_lines.len();
        parameters.extend(own_lines.iter().map(|line| format!("{line:<DATA$} {entry:>7}")));
        entries(&mut directory, 126, first, count, 0, "00000000");
        let first = parameters.len() + 1;
        let named = ended(&["406".into(), "1".into(), hollerith(&own.line.name)], DATA);
        parameters.extend(named.iter().map(|line| format!("{line:<DATA$} {:>7}", entry + 2)));
        entries(&mut directory, 406, first, named.len(), 15, "00010200");
    }
    directory.iter().enumerate().for_each(|(i, line)| put(&mut text, line, 'D', i + 1));
    parameters.iter().enumerate().for_each(|(i, line)| put(&mut text, line, 'P', i + 1));
    let counts =
        format!("S{:>7}G{:>7}D{:>7}P{:>7}", start.len(), global.len(), directory.len(), parameters.len());
    put(&mut text, &counts, 'T', 1);
    text.into_bytes()
}

/// The two lines of a directory entry.
fn entries(directory: &mut Vec<String>, kind: u32, first: usize, lines: usize, form: u32, status: &str) {
    let field = |x: &str| format!("{x:>8}");
    let number = |n: usize| format!("{n:>8}");
    let zero = field("0");
    directory.push(
        [
            field(&kind.to_string()),
            number(first),
            zero.clone(),
            zero.clone(),
            zero.clone(),
            zero.clone(),
            zero.clone(),
            zero.clone(),
            field(status),
        ]
        .concat(),
    );
    directory.push(
        [
            field(&kind.to_string()),
            zero.clone(),
            zero.clone(),
            number(lines),
            field(&form.to_string()),
            field(""),
            field(""),
            field("CABLE"),
            zero,
        ]
        .concat(),
    );
}

fn put(text: &mut String, line: &str, section: char, number: usize) {
    let _ = writeln!(text, "{line:<COLUMNS$}{section}{number:>7}");
}

fn global(fitted: &[Fitted], wishes: &Wishes) -> Vec<String> {
    let version = format!("Flexline {}", env!("CARGO_PKG_VERSION"));
    let worst = fitted.iter().map(|own| own.reached).fold(1e-9, f64::max);
    let largest = fitted.iter().flat_map(|own| &own.spline.poles).map(|p| p.amax()).fold(0.0, f64::max);
    let date: String = wishes.date.chars().filter(char::is_ascii_digit).collect();
    let date = format!("{:0<14}", date.chars().take(14).collect::<String>());
    let date = hollerith(&format!("{}.{}", &date[..8], &date[8..]));
    let words = vec![
        "1H,".to_owned(),
        "1H;".to_owned(),
        hollerith(&wishes.title),
        hollerith(&wishes.title),
        hollerith(&version),
        hollerith(&version),
        "32".to_owned(),
        "38".to_owned(),
        "6".to_owned(),
        "308".to_owned(),
        "15".to_owned(),
        hollerith(&wishes.title),
        "1.".to_owned(),
        "2".to_owned(),
        "2HMM".to_owned(),
        "1".to_owned(),
        "1.".to_owned(),
        date.clone(),
        real(1e3 * worst),
        real(1e3 * largest),
        hollerith("Flexline"),
        hollerith("Flexline"),
        "11".to_owned(),
        "0".to_owned(),
        date,
    ];
    ended(&words, COLUMNS)
}

/// Words with commas between them and a semicolon at the end, in lines.
fn ended(words: &[String], columns: usize) -> Vec<String> {
    let mut all: Vec<String> = words.iter().map(|word| format!("{word},")).collect();
    if let Some(last) = all.last_mut() {
        last.pop();
        last.push(';');
    }
    records(&all, columns)
}

/// Words in lines; only what is longer than a line is broken.
fn records(words: &[String], columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + word.len() > columns {
            lines.push(String::new());
        }
        for c in word.chars() {
            let last = lines.len() - 1;
            if lines[last].len() == columns {
                lines.push(String::new());
            }
            let last = lines.len() - 1;
            lines[last].push(c);
        }
    }
    lines
}

/// A string with its length before it; ASCII alone.
fn hollerith(text: &str) -> String {
    let plain: String = text.chars().map(|c| if (' '..='~').contains(&c) { c } else { '?' }).collect();
    let plain = if plain.is_empty() { "cable".to_owned() } else { plain };
    format!("{}H{plain}", plain.len())
}

/// A number to a millionth of a micrometre where it is mm.
fn real(x: f64) -> String {
    let text = format!("{x:.10}");
    let text = text.trim_end_matches('0');
    if text == "-0." { "0.".to_owned() } else { text.to_owned() }
}
