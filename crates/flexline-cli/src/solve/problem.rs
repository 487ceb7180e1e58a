//! `flexline solve` of a problem file: solved again as it was saved.

use super::{COLUMNS, Format, NO_NUMBERS, Solve, csv_row, known, report_value, samples};
use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json};
use flexline::rod::{AnyRod, Rod};
use flexline::solver::saved::{SavedProblem, SavedSolution, Task};
use flexline::solver::{Profile, Status};
use flexline_exchange::problem;
use serde_json::{Value, json};

/// A problem that was read and solved.
struct Again {
    problem: SavedProblem,
    solution: SavedSolution,
}

impl Again {
    fn status(&self) -> Status {
        match &self.solution {
            SavedSolution::Cable { report, .. } => report.status,
            SavedSolution::Network { report, .. } => report.status,
        }
    }

    /// Its rods, as they were saved.
    fn rods(&self) -> Vec<&AnyRod> {
        match &self.problem.task {
            Task::Cable { problem, .. } => vec![&problem.rod],
            Task::Network { network, .. } => network.spans.iter().map(|span| &span.rod).collect(),
        }
    }

    /// The solution along every rod.
    fn profiles(&self) -> &[Profile] {
        match &self.solution {
            SavedSolution::Cable { profile, .. } => std::slice::from_ref(profile),
            SavedSolution::Network { profiles, .. } => profiles,
        }
    }
}

/// Reads the problem, solves and tells.
pub fn run(args: &Solve, format: Option<Format>) -> Result<u8, Failure> {
    let given = &args.scene;
    let fixed = [
        ("segments", given.segments.is_some()),
        ("elements", given.elements.is_some()),
        ("accuracy", given.accuracy.is_some()),
    ];
    if let Some((option, _)) = fixed.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Input(format!(
            "--{option}: {} is a saved problem, and has its segments and elements; use --{option} with its scene",
            given.scene.display()
        )));
    }
    let input = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
    let mut problem = problem::load(&given.scene).map_err(|error| input(&error))?;
    problem.settings.seek_stable |= given.stable;
    if let Some(path) = &args.save_problem {
        save(path, &problem)?;
    }
    let solution = problem.solve().map_err(|error| input(&error))?;
    let again = Again { problem, solution };
    if let (Some(path), Some(format)) = (&args.out, format) {
        let text = match format {
            Format::Csv => csv(&again),
            Format::Json => format!("{:#}\n", summary(args, &again, true)),
        };
        write_file(path, text.as_bytes())?;
    }
    if args.json {
        print_json(&summary(args, &again, false));
    } else {
        table(&again);
        if let Some(path) = &args.out {
            print(&format!("solution along s written to {}\n", path.display()));
        }
    }
    Ok(if again.status() == Status::Converged { GOOD } else { NO })
}

/// Writes a problem that is about to be solved.
pub fn save(path: &std::path::Path, saved: &SavedProblem) -> Result<(), Failure> {
    let text = problem::to_text(saved).map_err(|error| Failure::Input(format!("--save-problem: {error}")))?;
    write_file(path, text.as_bytes())
}

/// One cable in words.
fn told(rod: &AnyRod) -> String {
    format!("one cable, {:.1} mm, {}, {} rod", 1e3 * rod.length(), rod.resolution(), rod.model())
}

fn table(again: &Again) {
    let mut t = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| t.row(&[name.to_string(), value]);
    match (&again.problem.task, &again.solution) {
        (Task::Cable { problem, .. }, SavedSolution::Cable { report, .. }) => {
            let rod = &problem.rod;
            row("problem", told(rod));
            row("status", report.status.to_string());
            row("iterations", format!("{} (factorisations {})", report.iterations, report.factorisations));
            row(
                "unbalanced force",
                format!("{:.1e} N of {:.3e} N", report.residual_force, report.largest_force),
            );
            row(
                "ends off by",
                format!("{:.1e} m, {:.1e} rad", report.position_violation, report.rotation_violation),
            );
        }
        (Task::Network { network, .. }, SavedSolution::Network { report, .. }) => {
            let counts = [
                (network.anchors.len(), "anchors"),
                (network.spans.len(), "spans"),
                (network.constraints.len(), "constraints"),
                (network.slides.len(), "slides"),
                (network.wheels.len(), "wheels"),
            ];
            let words: Vec<String> = counts.iter().map(|(count, what)| format!("{count} {what}")).collect();
            row(
                "problem",
                network.as_cable().map_or(format!("a network of {}", words.join(", ")), |own| told(&own.rod)),
            );
            row("status", report.status.to_string());
            row("iterations", report.iterations.to_string());
            row(
                "unbalanced force",
                format!("{:.1e} N of {:.3e} N", report.residual_force, report.largest_force),
            );
            row("ends off by", format!("{:.1e} m", report.violation));
            for short in &report.short {
                row("too short", format!("span {} by {} mm", short.span, number(1e3 * short.missing)));
            }
        }
        // A solution is of the kind of its task.
        _ => {}
    }
    if again.status() != Status::Converged {
        row("", NO_NUMBERS.to_string());
    }
    t.print_plain();
}

/// The report, and the rods; with their samples where asked.
fn summary(args: &Solve, again: &Again, with_samples: bool) -> Value {
    let at_rest = again.status() == Status::Converged;
    let (kind, report) = match (&again.solution, &again.problem.task) {
        (SavedSolution::Network { report, .. }, Task::Network { network, .. }) => {
            let kind = if network.as_cable().is_some() { "cable" } else { "network" };
            (kind, report_value(network, report))
        }
        (SavedSolution::Network { report, .. }, _) => ("network", json!(report)),
        (SavedSolution::Cable { report, .. }, _) => {
            let mut told = json!(report);
            for key in ["largest_force", "energies", "supports"] {
                told[key] = known(at_rest, told[key].take());
            }
            ("cable", told)
        }
    };
    let rod = |(rod, profile): (&&AnyRod, &Profile)| {
        let (pieces, what) = rod.pieces();
        let mut value = json!({ "length": rod.length(), what: pieces, "model": rod.model() });
        if with_samples {
            value["samples"] = samples(profile, at_rest);
        }
        value
    };
    json!({
        "problem": args.scene.scene.display().to_string(),
        "kind": kind,
        "report": report,
        "spans": again.rods().iter().zip(again.profiles()).map(rod).collect::<Vec<_>>(),
    })
}

/// The samples of every span, its number in the first column.
fn csv(again: &Again) -> String {
    let mut text = format!("span,{COLUMNS}\n");
    for (span, profile) in again.profiles().iter().enumerate() {
        for s in &profile.samples {
            text.push_str(&format!("{span},"));
            csv_row(&mut text, s, again.status() == Status::Converged);
            text.push('\n');
        }
    }
    text
}
