//! `flexline convergence`.

use crate::picture::{png_size, well_formed};
use crate::support::{Folder, flexline, keys, number};

/// Rows of the table: α, iterations, rate, whether it settled.
fn table(text: &str) -> Vec<(f64, usize, Option<f64>, bool)> {
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(cells.len(), 6, "{line}");
            let parse = |i: usize| cells[i].parse::<f64>();
            (parse(0).expect("α"), cells[1].parse().expect("a count"), parse(3).ok(), cells[5] == "yes")
        })
        .collect()
}

#[test]
fn the_error_changes_by_one_minus_alpha_per_iteration() {
    for scene in ["scenes/hanging-wire.toml", "scenes/brake-hose.toml", "scenes/patch-cord.toml"] {
        let rows = table(&flexline(&["convergence", scene]).good().stdout);
        assert_eq!(rows.iter().map(|r| r.0).collect::<Vec<_>>(), [0.1, 0.5, 1.0, 1.5, 2.0]);
        for (alpha, iterations, rate, settled) in rows {
            // α = 1 is done before a rate shows.
            if let Some(rate) = rate {
                assert!((rate - (1.0 - alpha)).abs() < 0.02, "{scene}, α = {alpha}: {rate}");
            }
            assert!(rate.is_some() || alpha == 1.0, "{scene}, α = {alpha}");
            assert_eq!(settled, (0.5..=1.5).contains(&alpha), "{scene}, α = {alpha}");
            if alpha == 1.0 {
                assert!(iterations <= 8, "{scene}: {iterations}");
            }
        }
    }
}

#[test]
fn json_has_the_errors_of_every_segment() {
    let arguments = ["convergence", "scenes/hanging-wire.toml", "--alpha", "0.5", "--segments", "12"];
    let json = flexline(&[&arguments[..], &["--iterations", "6", "--json"]].concat()).good().json();
    let runs = json.as_array().expect("a list");
    assert_eq!(runs.len(), 1);
    keys(&runs[0], &["alpha", "run"]);
    assert_eq!(number(&runs[0]["alpha"]), 0.5);
    let errors = runs[0]["run"]["length_errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 6);
    assert!(errors.iter().all(|e| e.as_array().is_some_and(|e| e.len() == 12)));
}

#[test]
fn a_chart_is_written() {
    let folder = Folder::new();
    for name in ["chart.svg", "chart.png"] {
        let out = folder.file(name);
        let outcome = flexline(&["convergence", "scenes/hanging-wire.toml", "--out", &out]).good();
        assert!(outcome.stdout.ends_with(&format!("{out} written\n")));
        let bytes = std::fs::read(&out).expect("the chart");
        if name.ends_with("svg") {
            let text = String::from_utf8(bytes).expect("UTF-8");
            well_formed(&text);
            assert!(text.contains("α = 0.5"), "the legend");
        } else {
            assert_eq!(png_size(&bytes).0, 1520);
        }
    }
}

#[test]
fn what_the_scheme_cannot_do_is_refused() {
    flexline(&["convergence", "scenes/ring.toml"]).refused(3).complains(&["rings", "use the Newton method"]);
    for alpha in ["0", "-1", "nan", "2.1", "1e300", "x"] {
        let option = format!("--alpha={alpha}");
        let outcome = flexline(&["convergence", "scenes/hanging-wire.toml", &option]).refused(2);
        outcome.complains(&["--alpha", "above 0 and at most 2"]);
    }
    let segments = ["convergence", "scenes/hanging-wire.toml", "--segments", "2"];
    flexline(&segments).refused(2).complains(&["--segments", "4..=100000"]);
}
