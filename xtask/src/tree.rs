//! The files of the repository, as the checks see them: paths with `/`, text of the readable ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

/// Hidden folders that belong to the repository; others (editors, environments) are skipped.
const HIDDEN_FOLDERS: [&str; 2] = [".cargo", ".ci"];

/// Endings of files whose text the checks read.
const TEXT: [&str; 10] = ["rs", "md", "toml", "ts", "js", "css", "html", "py", "sh", "gitignore"];

/// A snapshot of the repository.
#[derive(Default)]
pub struct Tree {
    files: BTreeMap<String, Option<String>>,
}

impl Tree {
    /// Reads a folder, leaving out what its `.gitignore` files name.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "", &mut Vec::new())?;
        Ok(tree)
    }

    /// A tree given by paths and texts.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|&(path, text)| (path.to_string(), Some(text.to_string()))).collect() }
    }

    /// All files: path, and text where it was read.
    pub fn files(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_deref()))
    }

    /// All files with the given ending, with their text.
    pub fn texts<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(path, _)| extension(path) == ending).filter_map(|(p, t)| Some((p, t?)))
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Whether there is such a file.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Every folder that holds a file, however deep; not the root itself.
    pub fn folders(&self) -> BTreeSet<&str> {
        let mut folders = BTreeSet::new();
        for path in self.files.keys() {
            let mut path = path.as_str();
            while let Some((folder, _)) = path.rsplit_once('/') {
                folders.insert(folder);
                path = folder;
            }
        }
        folders
    }

    fn read_folder(&mut self, root: &Path, folder: &str, ignored: &mut Vec<Ignored>) -> io::Result<()> {
        let here = root.join(folder);
        let outer = ignored.len();
        if let Ok(text) = fs::read_to_string(here.join(".gitignore")) {
            ignored.extend(text.lines().filter_map(|line| Ignored::parse(folder, line)));
        }
        for entry in fs::read_dir(&here)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = join(folder, &name);
            if ignored.iter().any(|rule| rule.matches(folder, &name)) {
                continue;
            }
            if kind.is_dir() {
                if !name.starts_with('.') || HIDDEN_FOLDERS.contains(&name.as_str()) {
                    self.read_folder(root, &path, ignored)?;
                }
            } else if kind.is_file() {
                let text = if TEXT.contains(&extension(&name)) {
                    Some(String::from_utf8_lossy(&fs::read(entry.path())?).into_owned())
                } else {
                    None
                };
                self.files.insert(path, text);
            }
        }
        ignored.truncate(outer);
        Ok(())
    }
}

/// The part of a path after its last dot; empty without one.
pub fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// `folder/name`, or `name` at the root.
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}

/// The folder of a path; empty at the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// One line of a `.gitignore`: plain names and `*.ending`, anchored by a leading slash or not.
/// Other patterns are not used in this repository and match nothing.
struct Ignored {
    folder: Option<String>,
    name: String,
}

impl Ignored {
    fn parse(folder: &str, line: &str) -> Option<Self> {
        let line = line.trim().trim_end_matches('/');
        if line.is_empty() || line.starts_with(['#', '!']) {
            return None;
        }
        Some(match line.strip_prefix('/') {
            Some(name) => Self { folder: Some(folder.into()), name: name.into() },
            None => Self { folder: None, name: line.into() },
        })
    }

    fn matches(&self, folder: &str, name: &str) -> bool {
        self.folder.as_deref().is_none_or(|anchor| anchor == folder)
            && match self.name.strip_prefix('*') {
                Some(ending) => name.ends_with(ending),
                None => name == self.name,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_folder_and_leaves_out_what_is_ignored() {
        let root = std::env::temp_dir().join(format!("flexline-xtask-tree-{}", std::process::id()));
        for (path, text) in [
            (".gitignore", "/target\nnode_modules\n*.profraw\n"),
            (".ci/run", "#!/bin/bash\n"),
            (".vscode/settings.json", "{}"),
            ("a/lib.rs", "//! A.\n"),
            ("a/target/kept.rs", "//! Only /target at the root is ignored.\n"),
            ("a/trace.profraw", ""),
            ("b/.gitignore", "corpus/\n"),
            ("b/corpus/x", ""),
            ("b/data.json", "{}"),
            ("target/debug/x.rs", ""),
            ("web/node_modules/x.js", ""),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::read(&root);
        fs::remove_dir_all(&root).unwrap();
        let tree = tree.unwrap();
        let paths: Vec<&str> = tree.files().map(|(path, _)| path).collect();
        let expected =
            [".ci/run", ".gitignore", "a/lib.rs", "a/target/kept.rs", "b/.gitignore", "b/data.json"];
        assert_eq!(paths, expected);
        assert_eq!(tree.text("a/lib.rs"), Some("//! A.\n"));
        assert_eq!(tree.text("b/data.json"), None);
        assert_eq!(tree.folders().into_iter().collect::<Vec<_>>(), [".ci", "a", "a/target", "b"]);
    }
}
