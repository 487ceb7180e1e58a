//! The order of the workspace's packages: a lower one never depends on a higher one, in any of its
//! dependency tables.

use crate::finding::Finding;
use crate::tree::Tree;
use toml::{Table, Value};

/// The packages of `crates/`, lowest first.
const ORDER: [&str; 10] = [
    "flexline",
    "flexline-gpu",
    "flexline-plot",
    "flexline-exchange",
    "flexline-scene",
    "flexline-session",
    "flexline-study",
    "flexline-py",
    "flexline-server",
    "flexline-cli",
];

/// Packages that stand alone: they draw or run things and know nothing of the rest.
const INDEPENDENT: [&str; 2] = ["flexline-plot", "xtask"];

/// Dependencies that point the wrong way.
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let shared = tree.text("Cargo.toml").and_then(|text| text.parse::<Table>().ok()).unwrap_or_default();
    let shared = shared.get("workspace").and_then(|w| w.get("dependencies")).and_then(Value::as_table);
    let mut findings = Vec::new();
    for (path, text) in tree.texts("toml") {
        let parts: Vec<&str> = path.split('/').collect();
        if !matches!(parts[..], ["crates", _, "Cargo.toml"] | ["xtask", "Cargo.toml"]) {
            continue;
        }
        let manifest = match text.parse::<Table>() {
            Ok(manifest) => manifest,
            Err(error) => {
                findings.push(Finding::about(path, format!("is not valid TOML: {error}")));
                continue;
            }
        };
        let name = manifest.get("package").and_then(|p| p.get("name")).and_then(Value::as_str).unwrap_or("");
        let own = rank(name);
        if own.is_none() && !INDEPENDENT.contains(&name) {
            let order = ORDER.join(" < ");
            findings.push(Finding::about(
                path,
                format!(
                    "package `{name}` has no place in the order {order}: \
                     extend ORDER in xtask/src/layers/packages.rs"
                ),
            ));
            continue;
        }
        for (key, package) in dependencies(&manifest, shared) {
            let ours = rank(&package).is_some() || INDEPENDENT.contains(&package.as_str());
            let message = if ours && INDEPENDENT.contains(&name) {
                format!("`{name}` stands alone and must not depend on `{package}`")
            } else if package == "xtask"
                || rank(&package).is_some_and(|other| own.is_some_and(|own| other >= own))
            {
                format!("`{name}` is below `{package}` and must not depend on it")
            } else {
                continue;
            };
            let line = text.lines().position(|line| {
                line.trim_start()
                    .strip_prefix(key.as_str())
                    .is_some_and(|rest| rest.starts_with([' ', '.', '=']))
                    || line.trim_end().ends_with(&format!("dependencies.{key}]"))
            });
            findings.push(Finding { path: path.into(), line: line.map(|index| index + 1), message });
        }
    }
    findings
}

fn rank(package: &str) -> Option<usize> {
    ORDER.iter().position(|&name| name == package)
}

/// All dependencies of a manifest: the key it uses and the package that means.
fn dependencies(manifest: &Table, shared: Option<&Table>) -> Vec<(String, String)> {
    let mut scopes = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(Value::as_table) {
        scopes.extend(targets.values().filter_map(Value::as_table));
    }
    let renamed = |value: &Value| value.get("package").and_then(Value::as_str).map(String::from);
    let mut found = Vec::new();
    for scope in scopes {
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (key, value) in scope.get(table).and_then(Value::as_table).into_iter().flatten() {
                let package = renamed(value)
                    .or_else(|| shared.and_then(|shared| shared.get(key)).and_then(renamed))
                    .unwrap_or_else(|| key.clone());
                found.push((key.clone(), package));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, &str)]) -> Vec<String> {
        findings(&Tree::of(files)).iter().map(ToString::to_string).collect()
    }

    const ENGINE: &str = "crates/flexline/Cargo.toml";

    #[test]
    fn a_lower_package_may_not_depend_on_a_higher_one() {
        let manifest = "[package]\nname = \"flexline\"\n\n[dependencies]\nserde = \"1\"\n\
                        flexline-scene.workspace = true\n";
        assert_eq!(
            lines(&[(ENGINE, manifest)]),
            ["crates/flexline/Cargo.toml:6: `flexline` is below `flexline-scene` and must not depend on it"]
        );
    }

    #[test]
    fn what_is_done_to_scenes_is_above_them_and_formats_are_below() {
        let package = |name: &str, on: &str| {
            let manifest = format!("[package]\nname = \"{name}\"\n[dependencies]\n{on}.workspace = true\n");
            lines(&[(&format!("crates/{name}/Cargo.toml"), &manifest)]).len()
        };
        assert_eq!(package("flexline-scene", "flexline-session"), 1);
        assert_eq!(package("flexline-session", "flexline-scene"), 0);
        assert_eq!(package("flexline-exchange", "flexline-scene"), 1);
        assert_eq!(package("flexline-scene", "flexline-exchange"), 0);
    }

    #[test]
    fn every_table_counts() {
        for table in ["dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"] {
            let manifest =
                format!("[package]\nname = \"flexline\"\n[{table}]\nflexline-cli = {{ path = \"x\" }}\n");
            assert_eq!(lines(&[(ENGINE, &manifest)]).len(), 1, "{table}");
        }
    }

    #[test]
    fn renaming_does_not_hide_a_dependency() {
        let manifest = "[package]\nname = \"flexline\"\n[dependencies.other]\n\
                        package = \"flexline-cli\"\npath = \"x\"\n";
        assert_eq!(lines(&[(ENGINE, manifest)])[0].split(": ").next(), Some("crates/flexline/Cargo.toml:3"));
        let root = "[workspace.dependencies]\nother = { path = \"x\", package = \"flexline-cli\" }\n";
        let manifest = "[package]\nname = \"flexline\"\n[dependencies]\nother.workspace = true\n";
        assert_eq!(lines(&[("Cargo.toml", root), (ENGINE, manifest)]).len(), 1);
    }

    #[test]
    fn the_plot_package_stands_alone() {
        let manifest = "[package]\nname = \"flexline-plot\"\n[dependencies]\nflexline.workspace = true\n";
        let found = lines(&[("crates/flexline-plot/Cargo.toml", manifest)]);
        assert_eq!(
            found,
            [
                "crates/flexline-plot/Cargo.toml:4: `flexline-plot` stands alone and must not depend on `flexline`"
            ]
        );
    }

    #[test]
    fn an_unknown_package_and_a_broken_manifest_are_named() {
        let found = lines(&[
            ("crates/other/Cargo.toml", "[package]\nname = \"other\"\n"),
            ("crates/bad/Cargo.toml", "[package\n"),
        ]);
        assert!(found[0].contains("is not valid TOML"), "{}", found[0]);
        assert!(found[1].contains("package `other` has no place"), "{}", found[1]);
    }

    #[test]
    fn downward_and_foreign_dependencies_are_fine() {
        let cli = "[package]\nname = \"flexline-cli\"\n[dependencies]\nflexline.workspace = true\n\
                   flexline-plot.workspace = true\nflexline-scene.workspace = true\nclap = \"4\"\n";
        let tool = "[package]\nname = \"xtask\"\n[dependencies]\ntoml = \"1\"\n";
        let found = lines(&[("crates/flexline-cli/Cargo.toml", cli), ("xtask/Cargo.toml", tool)]);
        assert_eq!(found, [] as [&str; 0]);
    }
}
