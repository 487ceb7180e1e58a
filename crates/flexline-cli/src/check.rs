//! `flexline check`: the solution of a scene against the limits of its part.

use crate::failure::{Failure, GOOD, NO, VIOLATION};
use crate::output::{Table, print, print_json};
use crate::session::{SceneArgs, solve_scene, status_text};
use clap::Args;
use flexline::solver::Status;
use flexline_scene::check::{Finding, Rule, Verdict, check, overall};
use serde_json::json;

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
        Verdict::Pass => "pass",
        Verdict::Warn => "warn",
        Verdict::Fail => "FAIL",
    }
}

/// Value and limit in the units that people use.
fn shown(finding: &Finding, value: f64) -> String {
    match finding.rule {
        Rule::BendRadius if value.is_finite() => format!("{:.1} mm", 1e3 * value),
        Rule::BendRadius => "straight".to_string(),
        Rule::Tension => format!("{value:.2} N"),
        Rule::Twist => format!("{:.1} °/m", value.to_degrees()),
        Rule::Strain => format!("{:.2} %", 100.0 * value),
        Rule::Equilibrium | Rule::Stability => String::new(),
    }
}

/// Runs the command.
pub fn run(args: &Check) -> Result<u8, Failure> {
    let solved = solve_scene(&args.scene)?;
    let findings = check(&solved.compiled, &solved.profile, &solved.report);
    let verdict = overall(&findings);
    if args.json {
        print_json(&json!({
            "scene": solved.scene.name(),
            "status": solved.report.status,
            "verdict": verdict,
            "stiffness_is_estimate": solved.compiled.section.is_estimate(),
            "findings": findings,
        }));
    } else {
        let mut table = Table::new(&["rule", "verdict", "value", "limit", "used", "at s", "position mm"]);
        for f in &findings {
            let place = matches!(f.rule, Rule::BendRadius | Rule::Tension | Rule::Twist | Rule::Strain);
            let p = f.position * 1e3;
            table.row(&[
                f.rule.name().to_string(),
                verdict_text(f.verdict).to_string(),
                shown(f, f.value),
                shown(f, f.limit),
                if place { format!("{:.0} %", 100.0 * f.utilisation) } else { String::new() },
                if place { format!("{:.1} mm", 1e3 * f.s) } else { String::new() },
                if place { format!("{:.1} {:.1} {:.1}", p.x, p.y, p.z) } else { String::new() },
            ]);
        }
        table.print();
        print("\n");
        for f in findings.iter().filter(|f| f.verdict != Verdict::Pass) {
            print(&format!("{}: {}\n", verdict_text(f.verdict), f.message));
        }
        if solved.compiled.section.is_estimate() {
            print("The stiffness is an estimate from material and shape, not a measurement.\n");
        }
    }
    if solved.report.status != Status::Converged {
        eprintln!("{}: {}", solved.scene.name(), status_text(&solved.report));
        return Ok(NO);
    }
    Ok(if verdict == Verdict::Fail { VIOLATION } else { GOOD })
}
