//! No source or text file grows past 800 lines; data files may.

use crate::finding::Finding;
use crate::tree::Tree;

const LIMIT: usize = 800;

/// Files that are too long.
pub fn findings(tree: &Tree) -> Vec<Finding> {
    tree.files()
        .filter_map(|(path, text)| Some((path, text?.lines().count())))
        .filter(|&(_, lines)| lines > LIMIT)
        .map(|(path, lines)| {
            Finding::about(path, format!("has {lines} lines, past the limit of {LIMIT}: split it"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_hundred_lines_pass_and_one_more_does_not() {
        let (fits, long) = ("//\n".repeat(800), "//\n".repeat(801));
        let found = findings(&Tree::of(&[("a.rs", &fits), ("b.rs", &long)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "b.rs: has 801 lines, past the limit of 800: split it");
    }
}
