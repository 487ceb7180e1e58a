//! Strict reading of tables: every key is known, every value checked, every mistake collected with its place.

use crate::diagnostic::{Code, Diagnostic, MOST};
use crate::not_modelled::not_modelled;
use crate::source::Source;
use crate::suggest;
use crate::units::{self, Dimension, UnitErrorKind};
use crate::words::heading;
use crate::words::{digits, quote};
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// No quantity of a scene is larger than this in SI: what is computed from it stays finite.
const LARGEST: f64 = 1e15;

/// What reading gathers: the places of keys, and the mistakes.
pub(crate) struct Context {
    pub source: Source,
    pub diagnostics: Vec<Diagnostic>,
    /// Mistakes beyond those kept.
    pub dropped: usize,
}

impl Context {
    pub fn new(source: Source) -> Self {
        Self { source, diagnostics: Vec::new(), dropped: 0 }
    }

    /// Whether no more mistakes are kept. Those shown are the first in the file, so more are kept than shown.
    fn is_full(&self) -> bool {
        self.diagnostics.len() >= 10 * MOST
    }

    pub fn report(
        &mut self,
        code: Code,
        path: &str,
        message: String,
        help: Option<String>,
        span: Option<Range<usize>>,
    ) {
        if self.is_full() {
            self.dropped += 1;
            return;
        }
        let place = span.or_else(|| self.source.span(path)).and_then(|s| self.source.place(s));
        self.diagnostics.push(Diagnostic { code, path: path.into(), message, help, place });
    }
}

/// The range of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bounds {
    Any,
    /// > 0.
    Positive,
    /// ≥ 0.
    NotNegative,
    /// Above the first, at most the second; the text says so.
    Within(f64, f64, &'static str),
}

impl Bounds {
    /// What is expected, where the value is outside.
    fn broken_by(self, value: f64) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Positive => (value <= 0.0).then_some("it must be greater than zero"),
            Self::NotNegative => (value < 0.0).then_some("it must not be negative"),
            Self::Within(low, high, text) => (value <= low || value > high).then_some(text),
        }
    }
}

/// One table, with the keys it may have.
pub(crate) struct Table<'c, 'i> {
    context: &'c RefCell<Context>,
    path: String,
    table: &'c DeTable<'i>,
    keys: &'static [&'static str],
}

impl<'c, 'i> Table<'c, 'i> {
    /// Takes hold of a table; keys other than `keys` are mistakes.
    pub fn new(
        context: &'c RefCell<Context>,
        path: String,
        span: Range<usize>,
        table: &'c DeTable<'i>,
        keys: &'static [&'static str],
    ) -> Self {
        context.borrow_mut().source.remember(&path, span);
        if let Some(name) = table.get("name").and_then(|name| name.get_ref().as_str()) {
            context.borrow_mut().source.remember_name(&path, name);
        }
        let this = Self { context, path, table, keys };
        for (key, value) in table.iter() {
            let path = this.path_of(key.get_ref());
            if keys.contains(&&**key.get_ref()) {
                context.borrow_mut().source.remember(&path, value.span());
            } else {
                this.report_unknown(key.get_ref(), key.span());
            }
        }
        this
    }

    fn report_unknown(&self, key: &str, span: Range<usize>) {
        if self.context.borrow().is_full() {
            self.context.borrow_mut().dropped += 1;
            return;
        }
        let place = self.context.borrow().source.words(&self.path).place();
        let valid = self.keys.join(", ");
        let help = match (not_modelled(key), suggest::nearest(key, self.keys.iter().copied())) {
            (Some(instead), _) => format!("{instead}. Valid here: {valid}"),
            (None, Some(near)) => format!("did you mean `{near}`? Valid here: {valid}"),
            (None, None) => format!("valid here: {valid}"),
        };
        let message = format!("unknown key `{}` {place}", quote(key));
        self.context.borrow_mut().report(Code::UnknownKey, &self.path, message, Some(help), Some(span));
    }

    /// Says what messages shall call this table from now on, where it does not name itself.
    pub fn call(&self, name: &str) {
        self.context.borrow_mut().source.remember_name(&self.path, name);
    }

    /// A key of this table in the words of a message; where it is empty, the table.
    pub fn words(&self, key: &str) -> String {
        let path = if key.is_empty() { self.path.clone() } else { self.path_of(key) };
        self.words_of(&path)
    }

    fn words_of(&self, path: &str) -> String {
        self.context.borrow().source.words(path).subject()
    }

    /// The path of a key of this table.
    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { quote(key) } else { format!("{}.{}", self.path, quote(key)) }
    }

    /// Whether the key is given.
    pub fn has(&self, key: &str) -> bool {
        debug_assert!(self.keys.contains(&key), "{key} is not declared for {}", self.path);
        self.table.contains_key(key)
    }

    /// Whether a table of this kind may have the key.
    pub fn may_have(&self, key: &str) -> bool {
        self.keys.contains(&key)
    }

    /// A truth value in a table within this one, without judging it.
    pub fn peek_boolean(&self, table: &str, key: &str) -> Option<bool> {
        self.value(table)?.get_ref().get(key)?.get_ref().as_bool()
    }

    /// Records a mistake about a key, or about the table itself where the key is not given.
    pub fn report(&self, code: Code, key: &str, message: impl Into<String>, help: impl Into<String>) {
        let path = if key.is_empty() { self.path.clone() } else { self.path_of(key) };
        self.context.borrow_mut().report(code, &path, message.into(), Some(help.into()), None);
    }

    /// Records that a key is missing, unless it was given misspelt: that is a mistake already.
    pub fn report_missing(&self, key: &str, help: impl Into<String>) {
        let unknown = self.table.keys().map(|k| &**k.get_ref()).filter(|k| !self.keys.contains(k)).take(MOST);
        if unknown.into_iter().any(|k| suggest::nearest(k, self.keys.iter().copied()) == Some(key)) {
            return;
        }
        let place = self.context.borrow().source.words(&self.path).place();
        let message = format!("`{key}` is missing {place}");
        self.context.borrow_mut().report(
            Code::MissingKey,
            &self.path_of(key),
            message,
            Some(help.into()),
            None,
        );
    }

    /// Records a mistake for each of `keys` that is given although it means nothing here.
    pub fn refuse(&self, keys: &[&str], why: &str, help: &str) {
        for key in keys.iter().filter(|k| self.has(k)) {
            self.report(Code::Conflict, key, format!("{} {why}", self.words(key)), help);
        }
    }

    /// The one of `keys` that is given; a mistake where there are several.
    pub fn one_of<'k>(&self, keys: &[&'k str]) -> Option<&'k str> {
        let given: Vec<&str> = keys.iter().copied().filter(|k| self.has(k)).collect();
        if let [first, second, ..] = given[..] {
            let message = format!("{} and `{second}` exclude each other", self.words(first));
            self.report(Code::Conflict, second, message, format!("keep one of {}", list(keys)));
        }
        given.first().copied()
    }

    fn value(&self, key: &str) -> Option<&'c Spanned<DeValue<'i>>> {
        debug_assert!(self.keys.contains(&key), "{key} is not declared for {}", self.path);
        self.table.get(key)
    }

    fn wrong_type(&self, path: &str, value: &Spanned<DeValue>, expected: &str) {
        let message = format!("{} is {}", self.words_of(path), kind(value.get_ref()));
        let help = Some(format!("expected {expected}"));
        self.context.borrow_mut().report(Code::WrongType, path, message, help, Some(value.span()));
    }

    /// A quantity with its unit, in SI.
    pub fn quantity(&self, key: &str, dimension: Dimension, bounds: Bounds) -> Option<f64> {
        self.read_quantity(&self.path_of(key), self.value(key)?, dimension, bounds)
    }

    /// A quantity that must be given.
    pub fn required(&self, key: &str, dimension: Dimension, bounds: Bounds) -> Option<f64> {
        if !self.has(key) {
            self.report_missing(
                key,
                format!("give {}: {key} = \"{}\"", dimension.expectation(), dimension.example()),
            );
        }
        self.quantity(key, dimension, bounds)
    }

    fn read_quantity(
        &self,
        path: &str,
        value: &Spanned<DeValue>,
        dimension: Dimension,
        bounds: Bounds,
    ) -> Option<f64> {
        let expected = || format!("expected {}", dimension.expectation());
        let words = || self.words_of(path);
        let report = |code, message, help| {
            self.context.borrow_mut().report(code, path, message, Some(help), Some(value.span()));
        };
        let (number, shown) = match value.get_ref() {
            DeValue::String(text) => {
                let shown = format!("\"{}\"", quote(text));
                match units::parse(text, dimension) {
                    Ok(number) => (number, shown),
                    Err(error) => {
                        let code = match error.kind {
                            UnitErrorKind::Syntax | UnitErrorKind::Unit => Code::WrongUnit,
                            UnitErrorKind::NotFinite => Code::NotFinite,
                        };
                        let help = match error.hint {
                            Some(hint) => format!("{}; {hint}", expected()),
                            None => expected(),
                        };
                        report(code, format!("{} = {shown} {}", words(), error.problem), help);
                        return None;
                    }
                }
            }
            DeValue::Integer(_) | DeValue::Float(_) => {
                let (number, shown) = plain_number(value.get_ref())?;
                if !number.is_finite() {
                    let problem = if shown.contains(['n', 'N']) {
                        "is not a finite number"
                    } else {
                        "is too large for a number"
                    };
                    report(Code::NotFinite, format!("{} = {} {problem}", words(), quote(&shown)), expected());
                    return None;
                }
                (number, quote(&shown))
            }
            _ => {
                self.wrong_type(path, value, &dimension.expectation());
                return None;
            }
        };
        if number.abs() > LARGEST {
            report(Code::OutOfRange, format!("{} = {shown} is too large to be meant", words()), expected());
            return None;
        }
        if let Some(rule) = bounds.broken_by(number) {
            let what = dimension.example();
            let help = match bounds {
                Bounds::Within(..) => rule.into(),
                _ => format!("{rule}, for example \"{what}\""),
            };
            report(Code::OutOfRange, format!("{} = {shown} is out of range", words()), help);
            return None;
        }
        Some(number)
    }

    /// An arc length: a length, or a share of the cable ("50 %").
    pub fn along(&self, key: &str, length: Option<f64>) -> Option<f64> {
        let value = self.value(key)?;
        if let DeValue::String(text) = value.get_ref()
            && units::is_percentage(text)
        {
            let share = self.read_quantity(&self.path_of(key), value, Dimension::Ratio, Bounds::Any)?;
            return Some(share * length?);
        }
        self.read_quantity(&self.path_of(key), value, Dimension::Length, Bounds::Any)
    }

    /// An array of exactly `N` quantities of the given dimensions.
    pub fn array<const N: usize>(&self, key: &str, dimensions: [Dimension; N]) -> Option<[f64; N]> {
        let value = self.value(key)?;
        self.read_array(&self.path_of(key), value, dimensions)
    }

    /// Three quantities of one dimension.
    pub fn vector(&self, key: &str, dimension: Dimension) -> Option<[f64; 3]> {
        self.array(key, [dimension; 3])
    }

    fn read_array<const N: usize>(
        &self,
        path: &str,
        value: &Spanned<DeValue>,
        dimensions: [Dimension; N],
    ) -> Option<[f64; N]> {
        let one = dimensions.iter().all(|d| *d == dimensions[0]);
        let expected = || {
            let what = if one { dimensions[0].expectation() } else { "in the order of the format".into() };
            format!("{N} values in brackets, each {what}")
        };
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(path, value, &expected());
            return None;
        };
        if items.len() != N {
            let message = format!("{} has {} values", self.words_of(path), items.len());
            let help = Some(format!("expected {}", expected()));
            self.context.borrow_mut().report(Code::WrongType, path, message, help, Some(value.span()));
            return None;
        }
        let mut out = [0.0; N];
        let mut good = true;
        for (i, (item, dimension)) in items.iter().zip(dimensions).enumerate() {
            match self.read_quantity(&format!("{path}[{i}]"), item, dimension, Bounds::Any) {
                Some(number) => out[i] = number,
                None => good = false,
            }
        }
        good.then_some(out)
    }

    /// Rows of `N` quantities each.
    pub fn rows<const N: usize>(
        &self,
        key: &str,
        dimensions: [Dimension; N],
        of: &str,
    ) -> Option<Vec<[f64; N]>> {
        let value = self.value(key)?;
        let path = self.path_of(key);
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(&path, value, &format!("rows of {of}"));
            return None;
        };
        let rows: Vec<_> = items
            .iter()
            .enumerate()
            .map(|(i, row)| {
                let path = format!("{path}[{i}]");
                self.context.borrow_mut().source.remember(&path, row.span());
                self.read_array(&path, row, dimensions)
            })
            .collect();
        rows.into_iter().collect()
    }

    /// Text.
    pub fn string(&self, key: &str) -> Option<&'c str> {
        let value = self.value(key)?;
        if value.get_ref().as_str().is_none() {
            self.wrong_type(&self.path_of(key), value, "text in quotes");
        }
        value.get_ref().as_str()
    }

    /// Whether the key holds text.
    pub fn is_string(&self, key: &str) -> bool {
        self.value(key).is_some_and(|v| v.get_ref().is_str())
    }

    /// Whether the key holds a table.
    pub fn is_table(&self, key: &str) -> bool {
        self.value(key).is_some_and(|v| v.get_ref().is_table())
    }

    /// Whether the key holds a list.
    pub fn is_list(&self, key: &str) -> bool {
        self.value(key).is_some_and(|v| v.get_ref().is_array())
    }

    /// One of some words.
    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&'static str, T)]) -> Option<T> {
        let names = || choices.iter().map(|(name, _)| *name);
        let quoted: Vec<String> = names().map(|n| format!("\"{n}\"")).collect();
        let value = self.value(key)?;
        let Some(word) = value.get_ref().as_str() else {
            self.wrong_type(&self.path_of(key), value, &list(&quoted));
            return None;
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == word) {
            return Some(*choice);
        }
        let help = match suggest::nearest(word, names()) {
            Some(near) => format!("did you mean \"{near}\"? Expected {}", list(&quoted)),
            None => format!("expected {}", list(&quoted)),
        };
        let message = format!("{} = \"{}\" is not known", self.words(key), quote(word));
        self.report(Code::UnknownName, key, message, help);
        None
    }

    /// True or false.
    pub fn boolean(&self, key: &str) -> Option<bool> {
        let value = self.value(key)?;
        if value.get_ref().as_bool().is_none() {
            self.wrong_type(&self.path_of(key), value, "true or false");
        }
        value.get_ref().as_bool()
    }

    /// A whole number in a range.
    pub fn integer(&self, key: &str, range: std::ops::RangeInclusive<usize>, why: &str) -> Option<usize> {
        let value = self.value(key)?;
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        let DeValue::Integer(number) = value.get_ref() else {
            self.wrong_type(&self.path_of(key), value, &expected);
            return None;
        };
        let read = usize::from_str_radix(number.as_str(), number.radix()).ok();
        let good = read.filter(|n| range.contains(n));
        if good.is_none() {
            let message = format!("{} = {} is out of range", self.words(key), quote(&number.to_string()));
            self.report(Code::OutOfRange, key, message, format!("expected {expected}{why}"));
        }
        good
    }

    /// Words out of a set.
    pub fn choices(&self, key: &str, valid: &[&'static str]) -> Option<Vec<usize>> {
        let value = self.value(key)?;
        let quoted: Vec<String> = valid.iter().map(|n| format!("\"{n}\"")).collect();
        let expected = format!("some of {} in brackets", quoted.join(", "));
        let found = value.get_ref().as_array().map(|items| {
            let word = |v: &Spanned<DeValue>| valid.iter().position(|w| v.get_ref().as_str() == Some(w));
            items.iter().map(word).collect::<Option<Vec<_>>>()
        });
        if found.as_ref().is_none_or(Option::is_none) {
            let message = format!("{} is not as expected", self.words(key));
            self.report(Code::WrongType, key, message, format!("expected {expected}"));
        }
        found?
    }

    /// A list of texts; `expected` says which.
    pub fn strings(&self, key: &str, expected: &str) -> Option<Vec<String>> {
        let value = self.value(key)?;
        let text = |v: &Spanned<DeValue>| v.get_ref().as_str().map(Into::into);
        let found = value.get_ref().as_array().and_then(|items| items.iter().map(text).collect());
        if found.is_none() {
            self.wrong_type(&self.path_of(key), value, &format!("a list of {expected}"));
        }
        found
    }

    /// A table within this one.
    pub fn child(&self, key: &str, keys: &'static [&'static str]) -> Option<Table<'c, 'i>> {
        let value = self.value(key)?;
        let path = self.path_of(key);
        match value.get_ref() {
            DeValue::Table(table) => Some(Table::new(self.context, path, value.span(), table, keys)),
            _ => {
                self.wrong_type(&path, value, &format!("a table: [{}]", heading(&path)));
                None
            }
        }
    }

    /// The tables of an array of tables within this one.
    pub fn children(&self, key: &str, keys: &'static [&'static str]) -> Vec<Table<'c, 'i>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let path = self.path_of(key);
        let expected = format!("a list of tables, each headed [[{}]]", heading(&path));
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(&path, value, &expected);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let path = format!("{path}[{i}]");
            match item.get_ref() {
                DeValue::Table(table) => {
                    tables.push(Table::new(self.context, path, item.span(), table, keys))
                }
                _ => self.wrong_type(&path, item, &expected),
            }
        }
        tables
    }
}

/// A number that carries no unit, and how it was written; overflow is infinite.
fn plain_number(value: &DeValue) -> Option<(f64, String)> {
    match value {
        DeValue::Float(number) => Some((number.as_str().parse().unwrap_or(f64::NAN), number.to_string())),
        DeValue::Integer(number) => {
            let read = match number.radix() {
                10 => number.as_str().parse().ok(),
                radix => i64::from_str_radix(number.as_str(), radix).ok().map(|n| n as f64),
            };
            Some((read.unwrap_or(f64::INFINITY), number.to_string()))
        }
        _ => None,
    }
}

/// What a value is, in words.
fn kind(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", quote(text)),
        DeValue::Integer(_) | DeValue::Float(_) => match plain_number(value) {
            Some((_, shown)) => format!("the number {}", quote(&shown)),
            None => "a number".into(),
        },
        DeValue::Boolean(b) => b.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(items) => list_kind(items),
        DeValue::Table(_) => "a table".into(),
    }
}

fn list_kind(items: &DeArray) -> String {
    if items.is_empty() {
        "an empty list".into()
    } else {
        format!("a list of {}", digits(items.len() as f64))
    }
}

/// "a, b or c".
pub(crate) fn list(items: &[impl AsRef<str>]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().into(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
}
