//! Every folder with Rust source says what it is for: by a README.md, or by the doc comment its module opens
//! with. A folder without a module of its own (tests, fuzz targets) may leave that to each of its files.

use crate::finding::Finding;
use crate::tree::{Tree, join, parent};
use std::collections::BTreeMap;

/// Source folders that say nothing about themselves.
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let mut folders: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, text) in tree.texts("rs") {
        folders.entry(parent(path)).or_default().push((path, text));
    }
    let mut findings = Vec::new();
    for (folder, files) in folders {
        let sibling = format!("{folder}.rs");
        let roots: Vec<&str> = ["mod.rs", "lib.rs", "main.rs"]
            .iter()
            .filter_map(|name| tree.text(&join(folder, name)))
            .chain(tree.text(&sibling))
            .collect();
        let described = tree.has_file(&join(folder, "README.md"))
            || roots.iter().any(|text| documented(text))
            || (roots.is_empty() && files.iter().all(|(_, text)| documented(text)));
        if !described {
            let message =
                "says nowhere what it is for: add a README.md, or open its module with a `//!` comment";
            findings.push(Finding::about(folder, message.into()));
        }
    }
    findings
}

/// Whether source opens with a module doc comment (attributes such as `#![no_main]` may come first).
fn documented(source: &str) -> bool {
    source
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("#!["))
        .is_some_and(|line| line.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent(files: &[(&str, &str)]) -> Vec<String> {
        findings(&Tree::of(files)).into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn a_folder_that_says_nothing_is_named() {
        let files =
            [("a/src/x/mod.rs", "use crate::y;\n//! Too late.\n"), ("a/src/x/part.rs", "//! A part.\n")];
        assert_eq!(silent(&files), ["a/src/x"]);
        assert_eq!(silent(&[("a/src/x/mod.rs", "//!\n")]), ["a/src/x"]);
    }

    #[test]
    fn a_readme_or_a_module_comment_is_enough() {
        assert_eq!(silent(&[("a/src/x/mod.rs", ""), ("a/src/x/README.md", "X.")]), [] as [&str; 0]);
        assert_eq!(silent(&[("a/src/x/mod.rs", "\n//! X.\n"), ("a/src/x/part.rs", "")]), [] as [&str; 0]);
        assert_eq!(silent(&[("a/src/x.rs", "//! X.\n"), ("a/src/x/part.rs", "")]), [] as [&str; 0]);
        assert_eq!(silent(&[("a/src/lib.rs", "#![no_main]\n\n//! A.\n")]), [] as [&str; 0]);
    }

    #[test]
    fn without_a_module_every_file_must_speak() {
        assert_eq!(silent(&[("tests/a.rs", "//! A.\n"), ("tests/b.rs", "//! B.\n")]), [] as [&str; 0]);
        assert_eq!(silent(&[("tests/a.rs", "//! A.\n"), ("tests/b.rs", "")]), ["tests"]);
    }
}
