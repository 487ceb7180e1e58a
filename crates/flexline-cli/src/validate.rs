//! `flexline validate`: the engine against reference solutions.

use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::progress::Progress;
use clap::Args;
use flexline_validation::{CaseResult, CaseStatus, MODELS, Options, embedded, load, run as run_cases};
use serde_json::json;
use std::path::PathBuf;

/// Run reference cases: errors, the resolution that met the tolerances, the order observed
#[derive(Args)]
pub struct Validate {
    /// Folder of cases (default: the set in validation/reference, built in)
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Rod models; a case is run with those it is for: kinematics with helix and clothoid alone
    #[arg(long, value_delimiter = ',', default_values_t = MODELS.map(str::to_owned))]
    model: Vec<String>,
    /// Resolutions to try, in segments or elements [default: what suits the model]
    #[arg(long, value_delimiter = ',')]
    segments: Vec<usize>,
    /// Only cases whose id or group contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// A part of the cases at small resolutions
    #[arg(long)]
    quick: bool,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Validate) -> Result<u8, Failure> {
    let set = match &args.cases {
        Some(dir) => load(dir).map_err(|e| Failure::Input(e.to_string()))?,
        None => embedded(),
    };
    let options = Options {
        models: args.model.clone(),
        resolutions: args.segments.clone(),
        filter: args.filter.clone(),
        quick: args.quick,
        threads: 0,
    };
    let progress = Progress::new(0, "cases");
    let summary = run_cases(&set, &options, &|done, total, _| progress.set(done as u64, total as u64));
    progress.finish();
    if args.json {
        print_json(&json!({
            "cases": summary.cases,
            "passed": summary.passed,
            "missed": summary.missed,
            "unsupported": summary.unsupported,
        }));
    } else {
        let mut table =
            Table::new(&["case", "group", "model", "n", "error", "tolerance", "order", "worst in", "status"]);
        for case in summary.cases.iter().filter(|c| c.status != CaseStatus::Unsupported) {
            table.row(&row(case));
        }
        table.print();
        for case in summary.cases.iter().filter(|c| c.status == CaseStatus::Miss) {
            print(&format!("miss {}: {}\n", case.id, case.why));
        }
        unsupported(&summary.cases);
        print(&format!(
            "\n{} passed, {} missed, {} not supported yet\n",
            summary.passed, summary.missed, summary.unsupported
        ));
    }
    Ok(if summary.missed > 0 || summary.passed == 0 { NO } else { GOOD })
}

fn row(case: &CaseResult) -> Vec<String> {
    let number = |v: Option<f64>| v.map_or_else(|| "-".to_string(), |v| format!("{v:.2e}"));
    vec![
        case.id.clone(),
        case.group.clone(),
        case.model.clone(),
        case.n.map_or_else(|| "-".to_string(), |n| n.to_string()),
        number(case.error),
        number(case.tolerance),
        case.order.map_or_else(|| "-".to_string(), |o| format!("{o:.2}")),
        case.quantity.clone().unwrap_or_default(),
        if case.status == CaseStatus::Pass { "pass" } else { "MISS" }.to_string(),
    ]
}

/// Names what cannot be run, by reason.
fn unsupported(cases: &[CaseResult]) {
    let mut reasons: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for case in cases.iter().filter(|c| c.status == CaseStatus::Unsupported) {
        match reasons.iter_mut().find(|(g, w, _)| *g == case.group && *w == case.why) {
            Some((.., ids)) => ids.push(&case.id),
            None => reasons.push((&case.group, &case.why, vec![&case.id])),
        }
    }
    for (group, why, ids) in reasons {
        print(&format!("\nnot supported: {} case(s) of {group}: {why}\n  {}\n", ids.len(), ids.join(", ")));
    }
}
