//! `flexline solve` of a problem file: solved again as it was saved.

use super::{COLUMNS, Format, NO_NUMBERS, Solve, csv_row, samples, told::ReportTold};
use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json};
use flexline::rod::{AnyRod, Rod};
use flexline::solver::network::{Network, NetworkReport, Span};
use flexline::solver::saved::{SavedProblem, SavedSolution, Task};
use flexline::solver::{Profile, Status};
use flexline_exchange::problem;
use serde_json::{Value, json};
use std::borrow::Cow;

/// A problem that was read and solved.
struct Again {
    problem: SavedProblem,
    solution: SavedSolution,
}

impl Again {
    fn report(&self) -> &NetworkReport {
        match &self.solution {
            SavedSolution::Cable { report, .. } | SavedSolution::Network { report, .. } => report,
        }
    }

    fn status(&self) -> Status {
        self.report().status
    }

    /// The network, as it was saved.
    fn network(&self) -> Cow<'_, Network> {
        match &self.problem.task {
            Task::Cable { problem, .. } => Cow::Owned(Network::from_cable(problem)),
            Task::Network { network, .. } => Cow::Borrowed(network),
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
        ("segments", given.changes.segments.is_some()),
        ("elements", given.changes.elements.is_some()),
        ("accuracy", given.changes.accuracy.is_some()),
    ];
    if let Some((option, _)) = fixed.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Input(format!(
            "--{option}: {} is a saved problem, and has its segments and elements; use --{option} with its scene",
            given.scene.display()
        )));
    }
    let input = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
    let mut problem = problem::load(&given.scene).map_err(|error| input(&error))?;
    problem.settings.seek_stable |= given.changes.stable;
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
    let (network, report) = (again.network(), again.report());
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
    row("iterations", format!("{} (factorisations {})", report.iterations, report.rest.factorisations));
    row("unbalanced force", format!("{:.1e} N of {:.3e} N", report.residual_force, report.largest_force));
    row("ends off by", format!("{:.1e} m, {:.1e} rad", report.violation, report.rest.rotation_violation));
    for short in &report.short {
        row("too short", format!("span {} by {} mm", short.span, number(1e3 * short.missing)));
    }
    if again.status() != Status::Converged {
        row("", NO_NUMBERS.to_string());
    }
    t.print_plain();
}

/// The report, and the rods; with their samples where asked.
fn summary(args: &Solve, again: &Again, with_samples: bool) -> Value {
    let at_rest = again.status() == Status::Converged;
    let network = again.network();
    let kind = if network.as_cable().is_some() { "cable" } else { "network" };
    let span = |(span, profile): (&Span, &Profile)| {
        let rod = &span.rod;
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
        "report": ReportTold::new(&network, again.report()),
        "spans": network.spans.iter().zip(again.profiles()).map(span).collect::<Vec<_>>(),
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
