//! The design file: the same as the options of the command.

use crate::base::StudyError;
use serde::Deserialize;

/// The version of design files that this program reads.
const VERSION: u32 = 1;

/// A design file as it stands.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignFile {
    version: u32,
    /// The scene, beside the file.
    pub scene: String,
    /// Parameters with their ranges.
    #[serde(default)]
    pub vary: Vec<String>,
    /// What is to be as small as may be.
    pub minimise: Option<String>,
    /// What is to be as large as may be.
    pub maximise: Option<String>,
    /// Rules.
    #[serde(default)]
    pub so_that: Vec<String>,
    /// Points to pass through.
    #[serde(default)]
    pub pass: Vec<String>,
    /// A second wish, for a front: to be small.
    pub against: Option<String>,
}

impl DesignFile {
    /// Reads one; `name` is what messages call it.
    pub fn read(text: &str, name: &str) -> Result<Self, StudyError> {
        let own: Self =
            toml::from_str(text).map_err(|error| StudyError::Input(format!("{name}: {error}")))?;
        if own.version != VERSION {
            return Err(StudyError::Input(format!(
                "{name}: version {} of design files: this program reads version {VERSION}",
                own.version
            )));
        }
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_key_is_named() {
        let text = "version = 1\nscene = \"a.toml\"\nvary = [\"cable.length=1..2\"]\nminimize = \"sag\"\n";
        let error = DesignFile::read(text, "d.toml").expect_err("a mistake").to_string();
        assert!(error.contains("minimize") && error.contains("line 4"), "{error}");
        let error =
            DesignFile::read("version = 2\nscene = \"a\"", "d.toml").expect_err("a mistake").to_string();
        assert!(error.contains("version 2"), "{error}");
    }
}
