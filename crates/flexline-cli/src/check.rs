//! `flexline check`: the solution of a scene against the limits of its part.

use crate::failure::{Failure, GOOD, NO, VIOLATION};
use crate::output::{Table, complain, print, print_json};
use crate::solved::{SceneArgs, Solved, solve_scene};
use clap::{Args, ValueEnum};
use flexline::solver::Status;
use flexline_scene::check::{Finding, Rule, Verdict, overall};
use flexline_scene::harness::Findings;
use serde_json::json;

/// Hold a scene against the limits of its part: bend radius, tension, twist, strain
#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    scene: SceneArgs,
    /// The mildest verdict that ends with exit code 6
    #[arg(long, value_enum, default_value_t = FailOn::Fail)]
    fail_on: FailOn,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    /// A rule is broken
    Fail,
    /// A rule warns or is broken
    Warn,
}

impl FailOn {
    fn verdict(self) -> Verdict {
        match self {
            Self::Fail => Verdict::Fail,
            Self::Warn => Verdict::Warn,
        }
    }
}

/// A verdict in a word.
pub fn verdict_text(verdict: Verdict) -> &'static str {
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

/// A length to a hundredth of a millimetre, m, without the sign of a zero.
fn unsigned_zero_mm(value: f64) -> f64 {
    (1e5 * value).round() / 1e5 + 0.0
}

/// Value and limit in the units that people use; a radius beyond a million lengths is that of a straight cable.
fn shown(finding: &Finding, value: f64, length: f64) -> String {
    match finding.rule {
        Rule::BendRadius if value < 1e6 * length => format!("{:.1} mm", 1e3 * value),
        Rule::BendRadius => "straight".to_string(),
        Rule::Clearance => format!("{:.2} mm", 1e3 * unsigned_zero_mm(value)),
        Rule::ContactForce => format!("{:.3} N", value),
        Rule::ContactPressure => format!("{:.1} N/m", value),
        Rule::ChafingWork => format!("{:.3e} J", value),
        Rule::PieceLength => format!("{:.2} mm", 1e3 * value),
        Rule::Tension => format!("{:.2} N", unsigned_zero(value)),
        Rule::Twist => format!("{:.1} °/m", value.to_degrees()),
        Rule::Strain => format!("{:.2} %", 100.0 * value),
        Rule::Resolution => format!("{:.0} °", value.to_degrees()),
        Rule::Turns => format!("{:.2} turns", unsigned_zero(value)),
        Rule::Equilibrium | Rule::Stability => String::new(),
    }
}

/// Heads of a table of findings.
pub const HEADS: [&str; 7] = ["rule", "verdict", "value", "limit", "used", "at s", "position mm"];

/// A finding as the cells of a table.
pub fn cells(f: &Finding, length: f64) -> [String; 7] {
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

/// Runs the command.
pub fn run(args: &Check) -> Result<u8, Failure> {
    let solved = solve_scene(&args.scene)?;
    let findings = solved.compiled.check(&solved.solution);
    let verdict = findings.overall();
    match args.json {
        true => print_values(&solved, &findings, verdict),
        false => print_tables(&solved, &findings),
    }
    if solved.status() != Status::Converged {
        complain(&format!("{}: {}", solved.scene.name(), solved.ending()));
        return Ok(NO);
    }
    if !solved.is_met() {
        let name = solved.scene.name();
        complain(&format!("{name}: accuracy NOT MET; `flexline solve` tells by how much"));
    }
    Ok(match (verdict, solved.is_met()) {
        (verdict, _) if verdict >= args.fail_on.verdict() => VIOLATION,
        (_, true) => GOOD,
        (_, false) => NO,
    })
}

fn print_values(solved: &Solved, findings: &Findings, verdict: Verdict) {
    let each = solved.compiled.cables.iter().zip(&findings.cables);
    let cables: Vec<_> = each
        .map(|(cable, own)| {
            json!({
                "name": cable.name,
                "verdict": (solved.status() == Status::Converged).then(|| overall(own)),
                "stiffness_is_estimate": cable.section.is_estimate(),
                "findings": own,
            })
        })
        .collect();
    let mut value = json!({
        "scene": solved.scene.name(),
        "status": solved.status(),
        "verdict": verdict,
        "findings": findings.whole,
    });
    if solved.scene.is_single() {
        // Of one cable everything is told in one list.
        value["findings"] =
            json!(findings.whole.iter().chain(findings.cables.iter().flatten()).collect::<Vec<_>>());
        value["stiffness_is_estimate"] = cables[0]["stiffness_is_estimate"].clone();
    }
    value["cables"] = json!(cables);
    print_json(&value);
}

fn print_tables(solved: &Solved, findings: &Findings) {
    let compiled = &solved.compiled;
    // Which cable it is about is said where there may be several.
    let named = !solved.scene.is_single();
    let heads: Vec<&str> = named.then_some("cable").into_iter().chain(HEADS).collect();
    let mut table = Table::new(&heads);
    let all = || {
        let whole = findings.whole.iter().map(|f| (None, f));
        let each = compiled.cables.iter().zip(&findings.cables);
        whole.chain(each.flat_map(|(cable, own)| own.iter().map(move |f| (Some(cable), f))))
    };
    for (cable, f) in all() {
        let name = named.then(|| cable.map_or("(all)", |c| &c.name).to_string());
        let cells = cells(f, cable.map_or(0.0, |c| c.length));
        table.row(&name.into_iter().chain(cells).collect::<Vec<_>>());
    }
    table.print();
    print("\n");
    for (cable, f) in all().filter(|(_, f)| f.verdict > Verdict::Pass) {
        let name = cable.filter(|_| named).map_or(String::new(), |c| format!("{}: ", c.name));
        print(&format!("{}: {name}{}\n", verdict_text(f.verdict), f.message));
    }
    let estimated: Vec<&str> =
        compiled.cables.iter().filter(|c| c.section.is_estimate()).map(|c| &*c.name).collect();
    if !estimated.is_empty() {
        let names = match (named, estimated.len() == compiled.cables.len()) {
            (false, _) => String::new(),
            (true, true) => " of all cables".to_string(),
            (true, false) => format!(" of {}", estimated.join(", ")),
        };
        print(&format!("The stiffness{names} is an estimate from material and shape, not a measurement.\n"));
    }
}
