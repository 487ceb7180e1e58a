//! Reading a folder of reference cases.

use crate::case::{Case, Cases};
use crate::field::{Field, FieldError};
use crate::groups;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Why a folder of cases could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The folder or a file in it cannot be read.
    #[error("{}: {source}; give a folder of reference cases that can be read", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is nothing in the folder.
    #[error("{}: no .json file here; give a folder of reference cases", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not JSON.
    #[error("{file}: not JSON: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser says, with line and column.
        message: String,
    },
    /// A field is not what it should be.
    #[error("{file}: {error}")]
    Field {
        /// The file.
        file: String,
        /// Which field, what it is, what it should be.
        error: FieldError,
    },
}

/// The cases of a folder, in the order of the files.
pub struct ReferenceSet {
    /// The cases.
    pub cases: Vec<Case>,
}

macro_rules! embedded_files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../reference/", $name)))),*]
    };
}

/// Reads every .json file of a folder.
pub fn load(dir: &Path) -> Result<ReferenceSet, LoadError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| LoadError::Unreadable { path, source }
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable(dir))? {
        let path = entry.map_err(unreadable(dir))?.path();
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) && path.is_file() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(LoadError::Empty { path: dir.to_owned() });
    }
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let bytes = std::fs::read(&path).map_err(unreadable(&path))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        cases.extend(parse(&name, &bytes)?);
    }
    Ok(ReferenceSet { cases })
}

/// The set that comes with the program.
///
/// # Panics
/// Never: a test reads the same text.
pub fn embedded() -> ReferenceSet {
    let files = embedded_files![
        "01_tip_load.json",
        "02_heavy_cantilever.json",
        "03_bend_twist.json",
        "04_clamped_clamped.json",
        "05_buckling.json",
        "06_catenary.json",
        "07_space_clothoids.json",
        "08_dynamics.json",
        "09_friction.json",
        "10_inverse_statics.json",
        "11a_cantilever_floor.json",
        "11b_liftoff.json",
        "11c_walls.json",
        "11d_cylinder.json",
        "11e_edge.json",
        "11f_capstan_stiff.json",
        "11g_lateral_friction.json",
        "11h_ply.json",
        "11i_knot.json",
        "11j_tube_buckling.json",
        "11l_contact_dynamics.json",
    ];
    let cases = files.iter().flat_map(|(name, text)| match parse(name, text.as_bytes()) {
        Ok(cases) => cases,
        Err(error) => unreachable!("the embedded cases are part of the program: {error}"),
    });
    ReferenceSet { cases: cases.collect() }
}

/// Reads one file.
pub(crate) fn parse(file: &str, bytes: &[u8]) -> Result<Vec<Case>, LoadError> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|e| LoadError::Syntax { file: file.to_owned(), message: e.to_string() })?;
    let at = |error| LoadError::Field { file: file.to_owned(), error };
    let root = Field::root(&value).object().map_err(at)?;
    // The file's name stands in where the document does not say which test it is.
    let test = match root.find("test") {
        Some(field) => field.as_text().map_err(at)?.to_owned(),
        None => file.strip_suffix(".json").unwrap_or(file).to_owned(),
    };
    let mut cases = Cases::new(&test);
    groups::read(&test, &root, &mut cases).map_err(at)?;
    Ok(cases.list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Kind;

    #[test]
    fn the_embedded_set_is_complete() {
        let set = embedded();
        let count = |group: &str| set.cases.iter().filter(|c| c.group.starts_with(group)).count();
        assert_eq!(
            ["01", "02", "03", "04", "05", "06", "07", "08"].map(count),
            [20, 26, 24, 12, 34, 26, 20, 10]
        );
        let built = |group: &str| group < "07" || group.starts_with("08");
        assert!(set.cases.iter().filter(|c| built(&c.group)).all(|c| matches!(c.kind, Kind::Run { .. })));
        let mut names: Vec<_> = set.cases.iter().map(|c| (&c.group, &c.id)).collect();
        names.sort();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "names are unique");
    }

    #[test]
    fn bad_files_are_named_with_the_field() {
        let error = parse("x.json", b"{\"test\": 3}").err().unwrap().to_string();
        assert_eq!(error, "x.json: test is 3: expected text");
        let error = parse("x.json", b"{nonsense").err().unwrap().to_string();
        assert!(error.starts_with("x.json: not JSON: "), "{error}");
        let error = parse("x.json", b"[1]").err().unwrap().to_string();
        assert_eq!(error, "x.json: the document is [1]: expected an object");
        let text = br#"{"test": "01_tip_load", "cases": [{"id": "a", "params": {"L": -1}}]}"#;
        let error = parse("x.json", text).err().unwrap().to_string();
        assert_eq!(error, "x.json: cases[0].params.L is -1: expected a positive number");
        let error =
            parse("x.json", br#"{"test": "04_clamped_clamped", "cases": 1}"#).err().unwrap().to_string();
        assert_eq!(error, "x.json: cases is 1: expected a list");
    }

    #[test]
    fn a_case_without_what_it_needs_is_not_run() {
        let cases = parse("01_tip_load.json", br#"{"cases": [{"id": "a", "params": {"L": 1.0}}]}"#).unwrap();
        assert_eq!(cases[0].group, "01_tip_load");
        let Kind::Unsupported(why) = &cases[0].kind else { panic!("must be unsupported") };
        assert!(why.starts_with("cases[0].params.") && why.contains("is missing"), "{why}");
    }

    #[test]
    fn unknown_tests_are_named_not_run() {
        let cases = parse("x.json", br#"{"test": "77_knots", "cases": [{"id": "a"}, {}], "n": 3}"#).unwrap();
        assert_eq!(cases.len(), 2);
        assert!(matches!(&cases[0].kind, Kind::Unsupported(why) if why.contains("77_knots")));
    }
}
