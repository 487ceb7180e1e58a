//! `cargo xtask links`: every relative link of every Markdown file leads to a file and, where it names one, to
//! a heading; every page and picture of the book is reached from its table of contents.

use crate::finding::Finding;
use crate::tree::{Tree, extension, join, parent};
use std::collections::{BTreeMap, BTreeSet};

const BOOK: &str = "docs/";
const CONTENTS: &str = "docs/SUMMARY.md";

/// Broken links and lost pages, ordered by place.
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let folders = tree.folders();
    let mut anchors: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in tree.texts("md") {
        anchors.insert(path, headings(text));
    }
    let mut findings = Vec::new();
    let mut linked: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in tree.texts("md") {
        for link in links(text) {
            match resolve(path, &link.target) {
                Place::Elsewhere => {}
                Place::Outside => findings.push(Finding::at(
                    path,
                    link.line,
                    format!("link `{}` leaves the repository: make it relative to this file", link.target),
                )),
                Place::File(target, anchor) => {
                    if !tree.has_file(&target) && !folders.contains(target.as_str()) && !target.is_empty() {
                        let message = format!("link `{}` leads nowhere: there is no {target}", link.target);
                        findings.push(Finding::at(path, link.line, message));
                    } else if let (Some(anchor), Some(known)) = (anchor, anchors.get(target.as_str()))
                        && !known.contains(&anchor)
                    {
                        let message = format!("link `{}`: {target} has no heading `#{anchor}`", link.target);
                        findings.push(Finding::at(path, link.line, message));
                    }
                    linked.entry(path).or_default().insert(target);
                }
            }
        }
    }
    findings.extend(lost(tree, &linked));
    findings.extend(unmerged(tree));
    findings.sort();
    findings
}

/// Lines that a merge left in a Markdown file.
fn unmerged(tree: &Tree) -> impl Iterator<Item = Finding> {
    let is_mark = |line: &str| ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark));
    tree.texts("md").flat_map(move |(path, text)| {
        let marks = text.lines().enumerate().filter(move |(_, line)| is_mark(line));
        marks.map(|(i, line)| Finding::at(path, i + 1, format!("`{line}` is left of a merge: choose a side")))
    })
}

/// Pages of the book that its contents do not list, and other files that neither a listed page nor
/// the README uses.
fn lost(tree: &Tree, linked: &BTreeMap<&str, BTreeSet<String>>) -> Vec<Finding> {
    let none = BTreeSet::new();
    let pages = linked.get(CONTENTS).unwrap_or(&none);
    // The README shows pictures of the book too.
    let used: BTreeSet<&String> = pages
        .iter()
        .map(String::as_str)
        .chain(["README.md"])
        .filter_map(|page| linked.get(page))
        .flatten()
        .collect();
    tree.files()
        .map(|(path, _)| path)
        .filter(|&path| path.starts_with(BOOK) && path != CONTENTS)
        .filter_map(|path| {
            if extension(path) == "md" {
                (!pages.contains(path)).then(|| Finding::about(path, format!("is not listed in {CONTENTS}")))
            } else {
                (!used.contains(&path.to_string())).then(|| {
                    Finding::about(
                        path,
                        format!("is used neither by README.md nor by a page listed in {CONTENTS}"),
                    )
                })
            }
        })
        .collect()
}

/// A link as written.
struct Link {
    line: usize,
    target: String,
}

/// Where a link leads.
#[derive(Debug, PartialEq)]
enum Place {
    /// A path from the repository root, and the heading asked for.
    File(String, Option<String>),
    /// Another site.
    Elsewhere,
    /// Above the repository, or a path from the root of some machine.
    Outside,
}

fn resolve(from: &str, target: &str) -> Place {
    let scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if scheme {
        return Place::Elsewhere;
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_string())),
        None => (target, None),
    };
    if path.is_empty() {
        return Place::File(from.into(), anchor);
    }
    if path.starts_with('/') {
        return Place::Outside;
    }
    let path = path.replace("%20", " ");
    let mut parts: Vec<&str> = parent(from).split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Place::Outside;
                }
            }
            _ => parts.push(part),
        }
    }
    Place::File(parts.iter().fold(String::new(), |path, part| join(&path, part)), anchor)
}

/// The lines of a page outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let trimmed = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| trimmed.starts_with(marker));
        match (fence, marker) {
            (None, None) => Some((index + 1, line)),
            (None, Some(_)) => {
                fence = marker;
                None
            }
            (Some(open), _) => {
                if marker == Some(open) {
                    fence = None;
                }
                None
            }
        }
    })
}

/// Links of a page: `[…](target)`, `[name]: target`, `src="target"` and `href="target"`.
fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (line, text) in prose(text) {
        let text = without_code(text);
        let mut targets: Vec<&str> = Vec::new();
        for (start, _) in text.match_indices("](") {
            targets.extend(closed(&text[start + 2..]));
        }
        for attribute in ["src=\"", "href=\""] {
            let starts = text.match_indices(attribute).map(|(start, _)| start + attribute.len());
            targets.extend(starts.filter_map(|start| text[start..].split('"').next()));
        }
        if let Some(("", rest)) = text.split_once('[')
            && let Some((_, target)) = rest.split_once("]: ")
        {
            targets.push(target);
        }
        links.extend(targets.into_iter().filter_map(|target| {
            // What follows a blank is a title.
            let target = target.split_whitespace().next()?.trim_start_matches('<').trim_end_matches('>');
            Some(Link { line, target: target.into() })
        }));
    }
    links
}

/// The text up to the parenthesis that closes the link.
fn closed(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(&text[..at]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A line without its `code` spans.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The anchors of a page's headings, as forges make them.
fn headings(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let base = slug(title.trim());
        let numbered = (1..).map(|count| format!("{base}-{count}"));
        anchors.extend(std::iter::once(base.clone()).chain(numbered).find(|name| !anchors.contains(name)));
    }
    anchors
}

/// Letters and digits in lower case, blanks as hyphens, other signs dropped.
fn slug(title: &str) -> String {
    title
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ if c.is_alphanumeric() => Some(c),
            _ => None,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, &str)]) -> Vec<String> {
        findings(&Tree::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_to_nothing_is_named_with_its_line() {
        let found = lines(&[("README.md", "# A\n\nSee [the guide](docs/guide.md).\n")]);
        assert_eq!(found, ["README.md:3: link `docs/guide.md` leads nowhere: there is no docs/guide.md"]);
    }

    #[test]
    fn what_a_merge_left_is_seen() {
        let found = lines(&[("README.md", "# A\n<<<<<<< HEAD\none\n=======\nother\n>>>>>>> 1a2b (two)\n")]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], "README.md:2: `<<<<<<< HEAD` is left of a merge: choose a side");
    }

    #[test]
    fn all_spellings_of_links_are_seen() {
        let text =
            "![p](a.png \"Title\")\n[x]: b.md\n<img src=\"c.svg\">\n<a href=\"d.md\">d</a>\n[e](e(1).md)\n";
        let found = lines(&[("README.md", text)]);
        for missing in ["a.png", "b.md", "c.svg", "d.md", "e(1).md"] {
            assert!(
                found.iter().any(|line| line.ends_with(&format!("no {missing}"))),
                "{missing}: {found:?}"
            );
        }
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn a_missing_heading_is_named() {
        let guide =
            ("guide.md", "# The guide: *first* steps\n\n## Twice\n\n## Twice\n\n```\n# not a heading\n```\n");
        let good = "[a](guide.md#the-guide-first-steps) [b](guide.md#twice-1) [c](#here)\n# Here\n";
        assert_eq!(lines(&[guide, ("a.md", good)]), [] as [&str; 0]);
        let bad = "[a](guide.md#second-steps)\n[b](guide.md#not-a-heading)\n[c](#there)\n";
        let found = lines(&[guide, ("a.md", bad)]);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], "a.md:1: link `guide.md#second-steps`: guide.md has no heading `#second-steps`");
    }

    #[test]
    fn links_outside_the_repository_are_refused_and_other_sites_left_alone() {
        let found =
            lines(&[("docs/a.md", "[a](../../x.md)\n[b](/etc/x)\n"), ("docs/SUMMARY.md", "[a](a.md)")]);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|line| line.contains("leaves the repository")));
        assert_eq!(lines(&[("a.md", "[a](https://example.org/x) [m](mailto:a@b.c)\n")]), [] as [&str; 0]);
    }

    #[test]
    fn code_is_not_read_as_links() {
        let text = "`[a](b.md)` but [x](x.md)\n```\n[c](d.md)\n```\n~~~\n```\n[e](f.md)\n~~~\n";
        let found = lines(&[("a.md", text)]);
        assert_eq!(found, ["a.md:1: link `x.md` leads nowhere: there is no x.md"]);
    }

    #[test]
    fn pages_and_pictures_must_be_in_the_book() {
        let contents = ("docs/SUMMARY.md", "- [One](guide/one.md)\n");
        let one = ("docs/guide/one.md", "![p](../img/used.svg)\n");
        let readme = ("README.md", "![p](docs/img/front.svg)\n");
        let files = [
            contents,
            one,
            readme,
            ("docs/img/front.svg", ""),
            ("docs/img/used.svg", ""),
            ("docs/img/lost.svg", ""),
            ("docs/two.md", "# Two\n"),
        ];
        assert_eq!(
            lines(&files),
            [
                "docs/img/lost.svg: is used neither by README.md nor by a page listed in docs/SUMMARY.md",
                "docs/two.md: is not listed in docs/SUMMARY.md",
            ]
        );
    }
}
