//! ARCHITECTURE.md against the tree: the fenced block marked `tree` lists every folder, with a line about
//! it, and nothing that is gone.
//!
//! A line is an indented path (`name/` a folder, `name/**` a folder whose contents are not listed, `name` a
//! file) and a description. No line is needed for the folders that cargo and test tools prescribe in a package
//! (`src`, `tests`, `benches`, `examples`, `proptest-regressions`), for a folder that only holds the `tests.rs` of
//! the module beside it, and for hidden folders.

use crate::finding::Finding;
use crate::tree::{Tree, join, parent};
use std::collections::BTreeMap;

const MAP: &str = "ARCHITECTURE.md";

/// Where the map and the tree disagree.
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(MAP) else {
        return vec![Finding::about(MAP, "is missing: it holds the map of the repository".into())];
    };
    let mut findings = Vec::new();
    let Some(entries) = listing(text, &mut findings) else {
        return vec![Finding::about(MAP, "has no fenced block marked `tree` that lists the folders".into())];
    };
    let folders = tree.folders();
    for (path, entry) in &entries {
        let exists = if entry.folder { folders.contains(path.as_str()) } else { tree.has_file(path) };
        if !exists {
            let kind = if entry.folder { "folder" } else { "file" };
            let message = format!(
                "lists {path}, but the tree has no such {kind}: delete the line or create the {kind}"
            );
            findings.push(Finding::at(MAP, entry.line, message));
        }
    }
    for folder in folders {
        let listed = entries.contains_key(folder)
            || entries.keys().any(|path| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
        if !listed && !hidden(folder) && !closed(folder, &entries) && !prescribed(folder, tree) {
            let message = format!("exists, but the tree in {MAP} does not list it: add a line there");
            findings.push(Finding::about(folder, message));
        }
    }
    findings
}

struct Entry {
    line: usize,
    folder: bool,
    closed: bool,
}

/// The entries of the block by path; `None` when there is no such block.
fn listing(text: &str, findings: &mut Vec<Finding>) -> Option<BTreeMap<String, Entry>> {
    let mut lines = text.lines().enumerate().skip_while(|(_, line)| line.trim_end() != "```tree");
    lines.next()?;
    let mut entries = BTreeMap::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    for (index, line) in lines.take_while(|(_, line)| !line.starts_with("```")) {
        let Some(name) = line.split_whitespace().next() else { continue };
        let number = index + 1;
        let indent = line.len() - line.trim_start().len();
        while above.last().is_some_and(|(outer, _)| *outer >= indent) {
            above.pop();
        }
        let (name, folder, closed) = match (name.strip_suffix("/**"), name.strip_suffix('/')) {
            (Some(name), _) => (name, true, true),
            (None, Some(name)) => (name, true, false),
            (None, None) => (name, false, false),
        };
        let path = join(above.last().map_or("", |(_, path)| path), name);
        if line.split_whitespace().nth(1).is_none() {
            findings.push(Finding::at(MAP, number, format!("says nothing about {path}: add a few words")));
        }
        above.push((indent, path.clone()));
        if entries.insert(path.clone(), Entry { line: number, folder, closed }).is_some() {
            findings.push(Finding::at(MAP, number, format!("lists {path} a second time")));
        }
    }
    Some(entries)
}

fn hidden(folder: &str) -> bool {
    folder.split('/').any(|part| part.starts_with('.'))
}

fn closed(folder: &str, entries: &BTreeMap<String, Entry>) -> bool {
    entries.iter().any(|(path, entry)| {
        entry.closed && folder.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// Whether a folder is one that cargo or a test tool looks for in a package, or holds tests alone.
fn prescribed(folder: &str, tree: &Tree) -> bool {
    let beneath = format!("{folder}/");
    if tree
        .files()
        .map(|(path, _)| path)
        .filter(|path| path.starts_with(&beneath))
        .all(|path| path.ends_with("/tests.rs"))
    {
        return true;
    }
    let package = |folder: &str| {
        tree.text(&join(folder, "Cargo.toml")).is_some_and(|manifest| manifest.contains("[package]"))
    };
    let standard = |folder: &str, names: &[&str]| {
        names.contains(&folder.rsplit('/').next().unwrap_or(folder)) && package(parent(folder))
    };
    let mut outer = folder;
    while !outer.is_empty() {
        if standard(outer, &["tests", "benches", "examples", "proptest-regressions"]) {
            return true;
        }
        outer = parent(outer);
    }
    standard(folder, &["src"])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP_TEXT: &str = "# Map\n\n```tree\n.ci/run        what CI calls\ncrates/\n  engine/      the engine\n    \
                            src/a/     letters\n    src/b/     more letters\ndata/**        numbers\n```\n";

    fn lines(map: &str, extra: &[(&str, &str)]) -> Vec<String> {
        let mut files = vec![
            (MAP, map),
            (".ci/run", ""),
            ("crates/engine/Cargo.toml", "[package]\n"),
            ("crates/engine/src/a/mod.rs", ""),
            ("crates/engine/src/b/mod.rs", ""),
            ("crates/engine/src/b/part.rs", ""),
            ("crates/engine/src/b/part/tests.rs", ""),
            ("crates/engine/tests/snapshots/x.snap", ""),
            ("crates/engine/proptest-regressions/b/part.txt", ""),
            ("data/deep/er/x.json", ""),
        ];
        files.extend(extra);
        findings(&Tree::of(&files)).iter().map(ToString::to_string).collect()
    }

    fn described() -> String {
        MAP_TEXT.replace("crates/\n", "crates/        packages\n")
    }

    #[test]
    fn agreement_is_silent() {
        assert_eq!(lines(&described(), &[]), [] as [&str; 0]);
    }

    #[test]
    fn a_listed_folder_that_is_gone_is_named() {
        let map = described().replace("src/b/", "src/c/");
        assert_eq!(
            lines(&map, &[]),
            [
                "ARCHITECTURE.md:8: lists crates/engine/src/c, but the tree has no such folder: \
                 delete the line or create the folder",
                "crates/engine/src/b: exists, but the tree in ARCHITECTURE.md does not list it: add a line there",
            ]
        );
    }

    #[test]
    fn a_folder_that_is_not_listed_is_named() {
        let found = lines(&described(), &[("crates/engine/src/a/deep/x.rs", ""), ("web/src/main.ts", "")]);
        let places: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
        assert_eq!(places, ["crates/engine/src/a/deep", "web", "web/src"]);
    }

    #[test]
    fn a_listed_file_must_exist() {
        let map = described().replace(".ci/run ", ".ci/ran ");
        assert_eq!(lines(&map, &[]).len(), 1);
        assert!(lines(&map, &[])[0].contains("has no such file"));
    }

    #[test]
    fn a_line_without_words_and_a_line_twice_are_refused() {
        assert!(lines(MAP_TEXT, &[])[0].contains("ARCHITECTURE.md:5: says nothing about crates"));
        let map = described().replace("data/**", "crates/  again\ndata/**");
        assert!(lines(&map, &[])[0].contains("ARCHITECTURE.md:9: lists crates a second time"));
    }

    #[test]
    fn a_missing_map_or_block_is_named() {
        assert!(findings(&Tree::of(&[("a/b.rs", "")]))[0].message.contains("is missing"));
        assert!(findings(&Tree::of(&[(MAP, "# Map\n")]))[0].message.contains("marked `tree`"));
    }
}
