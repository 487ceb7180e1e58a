//! `flexline check`: the solution of a scene against the limits of its part.

use crate::failure::{Failure, GOOD, NO, VIOLATION};
use crate::output::{Table, complain, print, print_json};
use crate::solved::{AnySolved, SceneArgs, Solved, SolvedHarness, solve_scene, status_text};
use clap::Args;
use flexline::solver::Status;
use flexline_scene::check::{Finding, Rule, Verdict, check, overall};
use serde_json::json;
use std::iter::once;

/// Hold a scene against the limits of its part: bend radius, tension, twist, strain
#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    scene: SceneArgs,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NoLimit => "-",
        Verdict::Pass => "pass",
        Verdict::Warn => "warn",
        Verdict::Fail => "FAIL",
    }
}

/// To two places, without the sign of a zero.
fn unsigned_zero(value: f64) -> f64 {
    (1e2 * value).round() / 1e2 + 0.0
}

/// Value and limit in the units that people use; a radius beyond a million lengths is that of a straight cable.
fn shown(finding: &Finding, value: f64, length: f64) -> String {
    match finding.rule {
        Rule::BendRadius if value < 1e6 * length => format!("{:.1} mm", 1e3 * value),
        Rule::BendRadius => "straight".to_string(),
        Rule::PieceLength => format!("{:.2} mm", 1e3 * value),
        Rule::Tension => format!("{:.2} N", unsigned_zero(value)),
        Rule::Twist => format!("{:.1} °/m", value.to_degrees()),
        Rule::Strain => format!("{:.2} %", 100.0 * value),
        Rule::Resolution => format!("{:.0} °", value.to_degrees()),
        Rule::Turns => format!("{:.2} turns", unsigned_zero(value)),
        Rule::Equilibrium | Rule::Stability => String::new(),
    }
}

/// Runs the command.
pub fn run(args: &Check) -> Result<u8, Failure> {
    match solve_scene(&args.scene)? {
        AnySolved::Cable(solved) => Ok(check_cable(&solved, args.json)),
        AnySolved::Harness(solved) => Ok(check_harness(&solved, args.json)),
    }
}

const HEADS: [&str; 7] = ["rule", "verdict", "value", "limit", "used", "at s", "position mm"];

/// A finding as the cells of a table.
fn cells(f: &Finding, length: f64) -> [String; 7] {
    let place = !matches!(f.rule, Rule::Equilibrium | Rule::Stability | Rule::Turns);
    // In tenths of a millimetre, without the sign of a zero.
    let p = f.position.map(|c| (1e4 * c).round() / 10.0 + 0.0);
    [
        if f.detail.is_empty() {
            f.rule.name().to_string()
        } else {
            format!("{}, {}", f.rule.name(), f.detail)
        },
        verdict_text(f.verdict).to_string(),
        shown(f, f.value, length),
        match f.limit {
            Some(limit) => shown(f, limit, f64::INFINITY),
            None => "none known".to_string(),
        },
        f.utilisation.map_or_else(String::new, |used| format!("{:.0} %", 100.0 * used)),
        if place { format!("{:.1} mm", 1e3 * f.s) } else { String::new() },
        if place { format!("{:.1} {:.1} {:.1}", p.x, p.y, p.z) } else { String::new() },
    ]
}

/// The exit code of a solve with a verdict.
fn exit(name: &str, (status, words): (Status, &str), verdict: Verdict, met: bool) -> u8 {
    if status != Status::Converged {
        complain(&format!("{name}: {words}"));
        return NO;
    }
    if !met {
        complain(&format!("{name}: accuracy NOT MET; `flexline solve` tells by how much"));
    }
    match (verdict, met) {
        (Verdict::Fail, _) => VIOLATION,
        (_, true) => GOOD,
        (_, false) => NO,
    }
}

fn check_cable(solved: &Solved, as_json: bool) -> u8 {
    let mut findings = check(&solved.compiled, &solved.profile, &solved.report);
    findings.extend(solved.lost.iter().map(|lost| lost.finding(&solved.profile)));
    let verdict = overall(&findings);
    if as_json {
        print_json(&json!({
            "scene": solved.scene.name(),
            "status": solved.report.status,
            "verdict": verdict,
            "stiffness_is_estimate": solved.compiled.section.is_estimate(),
            "findings": findings,
        }));
    } else {
        let mut table = Table::new(&HEADS);
        findings.iter().for_each(|f| table.row(&cells(f, solved.compiled.length)));
        table.print();
        print("\n");
        for f in findings.iter().filter(|f| f.verdict > Verdict::Pass) {
            print(&format!("{}: {}\n", verdict_text(f.verdict), f.message));
        }
        if solved.compiled.section.is_estimate() {
            print("The stiffness is an estimate from material and shape, not a measurement.\n");
        }
    }
    let met = solved.compiled.chosen.as_ref().is_none_or(|own| own.met);
    let status = status_text(&solved.compiled.problem.rod, &solved.report);
    exit(solved.scene.name(), (solved.report.status, &status), verdict, met)
}

fn check_harness(solved: &SolvedHarness, as_json: bool) -> u8 {
    let (compiled, status) = (&solved.compiled, solved.solution.report.status);
    let findings = compiled.check(&solved.solution);
    let verdict = findings.overall();
    let estimated: Vec<&str> =
        compiled.cables.iter().filter(|c| c.section.is_estimate()).map(|c| &*c.name).collect();
    if as_json {
        let cables: Vec<_> = compiled
            .cables
            .iter()
            .zip(&findings.cables)
            .map(|(cable, own)| {
                json!({
                    "name": cable.name,
                    "verdict": (status == Status::Converged).then(|| overall(own)),
                    "stiffness_is_estimate": cable.section.is_estimate(),
                    "findings": own,
                })
            })
            .collect();
        print_json(&json!({
            "scene": solved.scene.name(),
            "status": status,
            "verdict": verdict,
            "findings": findings.whole,
            "cables": cables,
        }));
    } else {
        let heads: Vec<&str> = std::iter::once("cable").chain(HEADS).collect();
        let mut table = Table::new(&heads);
        let mut row = |name: &str, f: &Finding, length: f64| {
            let all: Vec<String> = std::iter::once(name.to_string()).chain(cells(f, length)).collect();
            table.row(&all);
        };
        findings.whole.iter().for_each(|f| row("(all)", f, 0.0));
        for (cable, own) in compiled.cables.iter().zip(&findings.cables) {
            own.iter().for_each(|f| row(&cable.name, f, cable.length));
        }
        table.print();
        print("\n");
        for f in findings.whole.iter().filter(|f| f.verdict > Verdict::Pass) {
            print(&format!("{}: {}\n", verdict_text(f.verdict), f.message));
        }
        for (cable, own) in compiled.cables.iter().zip(&findings.cables) {
            for f in own.iter().filter(|f| f.verdict > Verdict::Pass) {
                print(&format!("{}: {}: {}\n", verdict_text(f.verdict), cable.name, f.message));
            }
        }
        if !estimated.is_empty() {
            let names = if estimated.len() == compiled.cables.len() {
                "all cables".into()
            } else {
                estimated.join(", ")
            };
            print(&format!(
                "The stiffness of {names} is an estimate from material and shape, not a measurement.\n"
            ));
        }
    }
    let words = once(status.to_string()).chain(compiled.trouble_lines(&solved.solution.report));
    let words: Vec<String> = words.collect();
    let met = compiled.chosen.iter().flatten().all(|own| own.met);
    exit(solved.scene.name(), (status, &words.join("; ")), verdict, met)
}
