//! One thing to fix, with its place.

use std::fmt;

/// One thing to fix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path from the repository root.
    pub path: String,
    /// Line, from 1, where there is one.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl Finding {
    /// A finding at a line of a file.
    pub fn at(path: &str, line: usize, message: String) -> Self {
        Self { path: path.into(), line: Some(line), message }
    }

    /// A finding about a whole file or folder.
    pub fn about(path: &str, message: String) -> Self {
        Self { path: path.into(), line: None, message }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{}: {}", self.path, line, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}
