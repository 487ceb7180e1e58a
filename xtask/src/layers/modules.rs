//! The order of the engine's folders, and of the modules of its solver: a lower one never names a higher one.
//!
//! Paths through `crate::` and `super::` are followed, grouped imports and the re-exports of `lib.rs`
//! included. Comments may name what they like.

use super::tokens::{Token, tokens};
use crate::finding::Finding;
use crate::tree::Tree;
use std::collections::BTreeMap;

const SOURCE: &str = "crates/flexline/src/";

/// The folders of the engine, lowest first.
const ORDER: [&str; 11] = [
    "algebra",
    "geometry",
    "section",
    "body",
    "rod",
    "joint",
    "constraint",
    "contact",
    "solver",
    "inverse",
    "prelude",
];

/// The modules of the solver, lowest first. Their tests may look up.
const SOLVER: [&str; 14] = [
    "report",
    "budget",
    "cone",
    "problem",
    "settings",
    "stability",
    "predict",
    "start",
    "winding",
    "network",
    "motion",
    "statics",
    "strands",
    "saved",
];

/// Uses of a higher folder in a lower one.
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = solver_findings(tree);
    let root = format!("{SOURCE}lib.rs");
    let exports = tree.text(&root).map(|text| exports(&root, text, &mut findings)).unwrap_or_default();
    for (path, text) in tree.texts("rs") {
        let Some(inside) = path.strip_prefix(SOURCE).filter(|&inside| inside != "lib.rs") else { continue };
        let module = module_path(inside);
        let Some(own) = module.first().and_then(|&name| rank(name)) else {
            let order = ORDER.join(" < ");
            findings.push(Finding::about(
                path,
                format!(
                    "`{}` has no place in the order {order}: \
                     move it, or extend ORDER in xtask/src/layers/modules.rs",
                    module.join("::")
                ),
            ));
            continue;
        };
        for used in named(&tokens(text), module.len(), &[], true) {
            let layer =
                if rank(used.text).is_some() { used.text } else { exports.get(used.text).map_or("", |l| l) };
            if used.text == "*" {
                let message =
                    "imports everything from the crate's root, which hides the layers: name the items";
                findings.push(Finding::at(path, used.line, message.into()));
            } else if rank(layer).is_some_and(|other| other > own) {
                let message = format!("`{}` is below `{layer}` and must not use it", ORDER[own]);
                findings.push(Finding::at(path, used.line, message));
            }
        }
    }
    findings
}

/// The same inside the solver.
fn solver_findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let rank = |name: &str| SOLVER.iter().position(|&own| own == name);
    for (path, text) in tree.texts("rs") {
        let Some(inside) = path.strip_prefix(SOURCE).filter(|inside| inside.starts_with("solver/")) else {
            continue;
        };
        let module = module_path(inside);
        if module.len() < 2 || module.iter().any(|name| matches!(*name, "tests" | "testing")) {
            continue;
        }
        let Some(own) = rank(module[1]) else {
            let order = SOLVER.join(" < ");
            let message = format!(
                "`{}` has no place in the order {order}: move it, or extend SOLVER in xtask/src/layers/modules.rs",
                module.join("::")
            );
            findings.push(Finding::about(path, message));
            continue;
        };
        for used in named(&tokens(text), module.len(), &["solver"], false) {
            if rank(used.text).is_some_and(|other| other > own) {
                let message =
                    format!("`solver::{}` is below `solver::{}` and must not use it", SOLVER[own], used.text);
                findings.push(Finding::at(path, used.line, message));
            }
        }
    }
    findings
}

fn rank(layer: &str) -> Option<usize> {
    ORDER.iter().position(|&name| name == layer)
}

/// The module a file is, from its path below `src`.
fn module_path(inside: &str) -> Vec<&str> {
    let stem = inside.strip_suffix(".rs").unwrap_or(inside);
    stem.strip_suffix("/mod").unwrap_or(stem).split('/').collect()
}

/// The items of the module `of` (none: the crate's root) that a file names, by `crate::…` or by enough `super::`; where
/// asked, in its tests too.
fn named<'a>(tokens: &[Token<'a>], depth: usize, of: &[&str], in_tests: bool) -> Vec<Token<'a>> {
    let mut items = Vec::new();
    // For each open brace, the inline module that it opened.
    let mut braces: Vec<Option<&str>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let counts = in_tests || !braces.contains(&Some("tests"));
        match tokens[at].text {
            "{" => braces.push((at >= 2 && tokens[at - 2].text == "mod").then(|| tokens[at - 1].text)),
            "}" => {
                braces.pop();
            }
            "crate" if text(tokens, at + 1) == "::" => {
                let way = |(k, name): (usize, &&str)| {
                    text(tokens, at + 2 + 2 * k) == *name && text(tokens, at + 3 + 2 * k) == "::"
                };
                if counts && of.iter().enumerate().all(way) {
                    items.extend(heads(tokens, at + 2 + 2 * of.len()));
                }
            }
            "super" if text(tokens, at + 1) == "::" => {
                let mut left = depth + braces.iter().flatten().count();
                while text(tokens, at) == "super" && text(tokens, at + 1) == "::" {
                    left = left.saturating_sub(1);
                    at += 2;
                }
                if left == of.len() && counts {
                    items.extend(heads(tokens, at));
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    items
}

fn text<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.text)
}

/// The first names of the path or of the group of paths that begins at `at`.
fn heads<'a>(tokens: &[Token<'a>], at: usize) -> Vec<Token<'a>> {
    if text(tokens, at) != "{" {
        return tokens.get(at).copied().into_iter().collect();
    }
    let mut heads = Vec::new();
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ if depth == 1 && matches!(text(tokens, index - 1), "{" | ",") => heads.push(*token),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

/// Names that `lib.rs` re-exports, with the folder they come from.
fn exports<'a>(path: &str, source: &'a str, findings: &mut Vec<Finding>) -> BTreeMap<&'a str, &'a str> {
    let tokens = tokens(source);
    let mut exports = BTreeMap::new();
    for (start, _) in tokens.iter().enumerate().filter(|(_, token)| token.text == "use") {
        let mut layer = "";
        for (at, token) in tokens.iter().enumerate().skip(start + 1) {
            let (before, after) = (text(&tokens, at - 1), text(&tokens, at + 1));
            match token.text {
                ";" => break,
                name if rank(name).is_some() && after == "::" && before != "::" => layer = name,
                name if rank(name).is_some() && after == "::" && layer.is_empty() => layer = name,
                "*" if rank(layer).is_some() => {
                    let message =
                        format!("re-exports all of `{layer}`, which hides the layers: name the items");
                    findings.push(Finding::at(path, token.line, message));
                }
                name if matches!(after, "," | "}" | ";") && rank(layer).is_some() => {
                    exports.insert(name, layer);
                }
                _ => {}
            }
        }
    }
    exports
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, &str)]) -> Vec<String> {
        findings(&Tree::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_lower_folder_may_not_use_a_higher_one() {
        let found =
            lines(&[("crates/flexline/src/algebra/chain.rs", "//! Chain.\n\nuse crate::rod::Rod;\n")]);
        assert_eq!(
            found,
            ["crates/flexline/src/algebra/chain.rs:3: `algebra` is below `rod` and must not use it"]
        );
    }

    #[test]
    fn paths_in_expressions_groups_and_tests_count() {
        let source = "use crate::{\n    algebra::Vec3,\n    solver::{Report, State},\n};\n\
                      fn f() -> f64 { crate::inverse::fit() }\n\
                      #[cfg(test)]\nmod tests {\n    use crate::contact::Pair;\n}\n";
        let found = lines(&[("crates/flexline/src/rod/mixed/mod.rs", source)]);
        let places: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
        let path = "crates/flexline/src/rod/mixed/mod.rs";
        assert_eq!(places, [format!("{path}:3"), format!("{path}:5"), format!("{path}:8")]);
    }

    #[test]
    fn super_counts_when_it_reaches_the_root() {
        let file = |text| [("crates/flexline/src/rod/mixed/energy.rs", text)];
        assert_eq!(lines(&file("use super::super::super::solver::Problem;")).len(), 1);
        // `rod::solver`, a module of rod's own that happens to be called so.
        assert_eq!(lines(&file("use super::super::solver::Small;")).len(), 0);
        // Inside an inline module the same chain ends one level lower.
        assert_eq!(lines(&file("mod tests { use super::super::super::solver::Small; }")).len(), 0);
        assert_eq!(lines(&file("mod tests { use super::super::super::super::solver::Problem; }")).len(), 1);
    }

    #[test]
    fn re_exports_do_not_hide_the_layer() {
        let library =
            ("crates/flexline/src/lib.rs", "pub use algebra::{Mat3, Vec3};\npub use solver::Problem as P;");
        let found = lines(&[library, ("crates/flexline/src/rod/mod.rs", "use crate::{P, Vec3};")]);
        assert_eq!(found, ["crates/flexline/src/rod/mod.rs:1: `rod` is below `solver` and must not use it"]);
        let nested =
            ("crates/flexline/src/lib.rs", "pub use crate::{algebra::Vec3, solver::{Problem, State}};");
        let found = lines(&[nested, ("crates/flexline/src/rod/mod.rs", "use crate::{State, Vec3};")]);
        assert_eq!(found, ["crates/flexline/src/rod/mod.rs:1: `rod` is below `solver` and must not use it"]);
    }

    #[test]
    fn modules_of_the_solver_have_an_order_too() {
        let up = "use crate::solver::statics::solve;\nfn f() { super::super::motion::go(); }\n\
                  #[cfg(test)]\nmod tests {\n    use crate::solver::strands::Strand;\n}\n";
        let found = lines(&[("crates/flexline/src/solver/network/newton.rs", up)]);
        let path = "crates/flexline/src/solver/network/newton.rs";
        let message = |line: usize, other: &str| {
            format!("{path}:{line}: `solver::network` is below `solver::{other}` and must not use it")
        };
        assert_eq!(found, [message(1, "statics"), message(2, "motion")]);
        let down = "use crate::solver::network::Network;\nuse super::network::Span;";
        assert_eq!(lines(&[("crates/flexline/src/solver/motion/mod.rs", down)]), [] as [&str; 0]);
        let lost = lines(&[("crates/flexline/src/solver/misc.rs", "")]);
        assert!(lost[0].contains("`solver::misc` has no place in the order report < budget"), "{lost:?}");
    }

    #[test]
    fn globs_through_the_root_are_refused() {
        assert_eq!(lines(&[("crates/flexline/src/rod/mod.rs", "use crate::*;")]).len(), 1);
        assert_eq!(lines(&[("crates/flexline/src/lib.rs", "pub use solver::*;")]).len(), 1);
    }

    #[test]
    fn a_folder_without_a_place_in_the_order_is_named() {
        let found = lines(&[("crates/flexline/src/misc/mod.rs", "")]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`misc` has no place in the order algebra < geometry"), "{}", found[0]);
    }

    #[test]
    fn downward_uses_comments_and_other_crates_are_fine() {
        let found = lines(&[
            ("crates/flexline/src/lib.rs", "pub mod solver;\npub use solver::Problem;"),
            (
                "crates/flexline/src/solver/mod.rs",
                "//! See [`crate::inverse`].\nuse crate::rod::Rod;\npub(crate) fn f() {}\nuse super::section::Section;",
            ),
            (
                "crates/flexline/src/section/mod.rs",
                "const S: &str = \"crate::solver::x\"; // crate::solver::X",
            ),
            ("crates/flexline-scene/src/lib.rs", "use crate::solver::X;"),
        ]);
        assert_eq!(found, [] as [&str; 0]);
    }
}
