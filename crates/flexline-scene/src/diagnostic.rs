//! What is wrong with a scene: place, value, expectation and remedy.

use crate::source::Place;
use std::fmt;

/// At most this many mistakes are reported at once.
pub(crate) const MOST: usize = 20;

/// The kind of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Code {
    /// The file cannot be read.
    Unreadable,
    /// The file is larger than a scene can be.
    TooLarge,
    /// The file is not UTF-8 text.
    NotText,
    /// The text is not TOML.
    Syntax,
    /// The version is missing or not one this program reads.
    Version,
    /// A key is given twice.
    DuplicateKey,
    /// A key is not known.
    UnknownKey,
    /// A key is missing.
    MissingKey,
    /// Keys exclude each other, or one does nothing beside another.
    Conflict,
    /// A value has the wrong type.
    WrongType,
    /// A value has the wrong unit, or none.
    WrongUnit,
    /// A number is NaN, infinite or too large.
    NotFinite,
    /// A value is outside its range.
    OutOfRange,
    /// A name is not known.
    UnknownName,
    /// Nothing holds the cable.
    Floating,
    /// The cable is shorter than the distance of its ends.
    TooShort,
}

impl Code {
    /// The code as it is printed: "wrong-unit".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::TooLarge => "too-large",
            Self::NotText => "not-text",
            Self::Syntax => "syntax",
            Self::Version => "version",
            Self::DuplicateKey => "duplicate-key",
            Self::UnknownKey => "unknown-key",
            Self::MissingKey => "missing-key",
            Self::Conflict => "conflict",
            Self::WrongType => "wrong-type",
            Self::WrongUnit => "wrong-unit",
            Self::NotFinite => "not-finite",
            Self::OutOfRange => "out-of-range",
            Self::UnknownName => "unknown-name",
            Self::Floating => "floating",
            Self::TooShort => "too-short",
        }
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// Its kind.
    pub code: Code,
    /// The key it concerns, as a path: `cable.length`, `load[0].at`. Empty for the file as a whole.
    pub path: String,
    /// What is wrong, with the value.
    pub message: String,
    /// What was expected and how to mend it.
    pub help: Option<String>,
    /// Where it stands; `None` where the file could not be read or the scene did not come from text.
    pub place: Option<Place>,
}

/// Everything found wrong with a scene.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SceneError {
    /// Name of the file, or of whatever the text came from.
    pub name: String,
    /// The mistakes, in the order of the file; at most 20.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more there are.
    pub more: usize,
}

/// What a piece of a rendered error is, for whoever colours it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// "error\[code\]".
    Title,
    /// The sentence that says what is wrong.
    Message,
    /// File, line and column; line numbers and rules.
    Frame,
    /// The carets under the value.
    Caret,
    /// The remedy.
    Help,
}

impl SceneError {
    pub(crate) fn new(name: &str, mut diagnostics: Vec<Diagnostic>, dropped: usize) -> Self {
        diagnostics.sort_by_key(|d| d.place.as_ref().map(|p| (p.line, p.column)));
        let more = diagnostics.len().saturating_sub(MOST) + dropped;
        diagnostics.truncate(MOST);
        Self { name: name.into(), diagnostics, more }
    }

    /// A mistake that concerns the file as a whole.
    pub fn whole(name: &str, code: Code, message: String, help: Option<String>) -> Self {
        Self::new(name, vec![Diagnostic { code, path: String::new(), message, help, place: None }], 0)
    }

    /// Whether the file itself could not be read, rather than what it says being wrong.
    pub fn is_unreadable(&self) -> bool {
        self.diagnostics.iter().any(|d| d.code == Code::Unreadable)
    }

    /// The error as text for a person, each piece passed through `paint` for colour.
    pub fn render(&self, paint: impl Fn(Role, &str) -> String) -> String {
        let mut out = String::new();
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            diagnostic.render(&self.name, &paint, &mut out);
        }
        if self.more > 0 {
            out.push_str(&format!("\nand {} more\n", self.more));
        }
        out
    }
}

impl Diagnostic {
    fn render(&self, name: &str, paint: &impl Fn(Role, &str) -> String, out: &mut String) {
        let title = paint(Role::Title, &format!("error[{}]", self.code.as_str()));
        out.push_str(&format!("{title}: {}\n", paint(Role::Message, &self.message)));
        let gutter = self.place.as_ref().map_or(1, |p| p.line.to_string().len());
        let pad = " ".repeat(gutter);
        let rule = paint(Role::Frame, &format!("{pad} |"));
        if let Some(place) = &self.place {
            let at = format!("{pad}--> {name}:{}:{}", place.line, place.column);
            out.push_str(&format!("{}\n{rule}\n", paint(Role::Frame, &at)));
            out.push_str(&format!("{} {}\n", paint(Role::Frame, &format!("{} |", place.line)), place.text));
            let room =
                place.text.chars().count() + 1 - (place.text_column - 1).min(place.text.chars().count());
            let carets = "^".repeat(place.length.min(room).max(1));
            let indent = " ".repeat(place.text_column - 1);
            out.push_str(&format!("{rule} {indent}{}\n", paint(Role::Caret, &carets)));
        } else if !name.is_empty() {
            out.push_str(&format!("{}\n", paint(Role::Frame, &format!("{pad}--> {name}"))));
        }
        if let Some(help) = &self.help {
            let mark = paint(Role::Frame, &format!("{pad} ="));
            out.push_str(&format!("{mark} {}\n", paint(Role::Help, &format!("help: {help}"))));
        }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(|_, text| text.into()).trim_end())
    }
}

impl std::error::Error for SceneError {}
