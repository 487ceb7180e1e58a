//! `flexline check`: the solution of a scene against the limits of its part.

use crate::failure::{Failure, FailureTold, GOOD, INPUT, NO, OUTPUT, VIOLATION};
use crate::output::{Table, complain, print, print_json};
use crate::solved::{Changes, Solved, load, solve_changed};
use clap::{Args, ValueEnum};
use flexline::solver::Status;
use flexline_scene::Compiled;
use flexline_scene::check::{Finding, Rule, Verdict, overall};
use flexline_scene::harness::{CompiledCable, Findings};
use flexline_study::Worst;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Hold a scene against the limits of its part: bend radius, tension, twist, strain
#[derive(Args)]
pub struct Check {
    /// Scene files (TOML; `crates/flexline-scene/FORMAT.md` describes them), or - for standard input
    #[arg(required = true, value_name = "SCENE")]
    scenes: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
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

/// Number of the format of `--json`.
const FORMAT: u32 = 1;

/// What the rules say about a scene; of several scenes, a list of it.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline check --json")]
pub struct CheckTold {
    /// Number of the format.
    format: u32,
    /// The file.
    scene: String,
    /// How the solve ended.
    status: Status,
    /// The worst of all verdicts.
    verdict: Verdict,
    /// About the whole: equilibrium and stability; of a scene of one cable, all findings.
    findings: Vec<Finding>,
    /// Of a scene of one cable, whether its stiffness is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    stiffness_is_estimate: Option<bool>,
    /// The cables, in the order of the file.
    cables: Vec<CableTold>,
}

/// What the rules say about a cable.
#[derive(Serialize, JsonSchema)]
struct CableTold {
    /// Its name.
    name: String,
    /// The worst of its verdicts; null without equilibrium.
    verdict: Option<Verdict>,
    /// Whether its stiffness is an estimate.
    stiffness_is_estimate: bool,
    /// What each rule says.
    findings: Vec<Finding>,
}

/// Several scenes together.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline check --json of several scenes")]
pub struct ManyTold {
    /// Number of the format.
    format: u32,
    /// The exit code of the command: that of the scene that is worst.
    exit_code: u8,
    /// The scenes as they were named, each checked or with what is wrong with it.
    scenes: Vec<OneTold>,
}

/// One of several scenes.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OneTold {
    /// It was checked.
    Checked(CheckTold),
    /// It cannot be used.
    Refused(FailureTold),
}

/// Runs the command.
pub fn run(args: &Check) -> Result<u8, Failure> {
    if let [one] = &args.scenes[..] {
        let checked = Checked::new(args, one)?;
        match args.json {
            true => print_json(&json!(checked.told())),
            false => print_tables(&checked.solved, &checked.findings),
        }
        return Ok(checked.code(args));
    }
    let mut worst = GOOD;
    let mut told = Vec::new();
    for path in &args.scenes {
        let (code, one) = match Checked::new(args, path) {
            Ok(checked) => {
                if !args.json {
                    print(&format!("{}\n\n", path.display()));
                    print_tables(&checked.solved, &checked.findings);
                    print("\n");
                }
                (checked.code(args), OneTold::Checked(checked.told()))
            }
            Err(failure) => {
                complain(&failure.to_string());
                (failure.code(), OneTold::Refused(failure.told()))
            }
        };
        told.push(one);
        worst = worse(worst, code);
    }
    if args.json {
        print_json(&json!(ManyTold { format: FORMAT, exit_code: worst, scenes: told }));
    }
    Ok(worst)
}

/// The worse of two exit codes: what cannot be used, before what is broken, before what has no equilibrium.
fn worse(a: u8, b: u8) -> u8 {
    let rank = |code: u8| [GOOD, NO, VIOLATION, OUTPUT, INPUT].iter().position(|own| *own == code);
    if rank(a) >= rank(b) { a } else { b }
}

/// A scene that was checked.
struct Checked {
    solved: Solved,
    findings: Findings,
}

impl Checked {
    fn new(args: &Check, path: &Path) -> Result<Self, Failure> {
        let solved = solve_changed(&args.changes, load(path)?)?;
        let findings = solved.compiled.check(&solved.solution);
        Ok(Self { solved, findings })
    }

    /// The exit code; says what is wrong where there is no equilibrium, or none as accurate as asked.
    fn code(&self, args: &Check) -> u8 {
        let (solved, verdict) = (&self.solved, self.findings.overall());
        if solved.status() != Status::Converged {
            complain(&format!("{}: {}", solved.scene.name(), solved.ending()));
            return NO;
        }
        if !solved.is_met() {
            let name = solved.scene.name();
            complain(&format!("{name}: accuracy NOT MET; `flexline solve` tells by how much"));
        }
        match (verdict, solved.is_met()) {
            (verdict, _) if verdict >= args.fail_on.verdict() => VIOLATION,
            (_, true) => GOOD,
            (_, false) => NO,
        }
    }

    fn told(&self) -> CheckTold {
        let (solved, findings) = (&self.solved, &self.findings);
        let single = solved.scene.is_single();
        let each = solved.compiled.cables.iter().zip(&findings.cables);
        let cable = |(cable, own): (&CompiledCable, &Vec<Finding>)| CableTold {
            name: cable.name.clone(),
            verdict: (solved.status() == Status::Converged).then(|| overall(own)),
            stiffness_is_estimate: cable.section.is_estimate(),
            findings: own.clone(),
        };
        let cables: Vec<CableTold> = each.map(cable).collect();
        // Of one cable everything is told in one list.
        let of_one = findings.cables.iter().flatten().filter(|_| single);
        CheckTold {
            format: FORMAT,
            scene: solved.scene.name().to_owned(),
            status: solved.status(),
            verdict: findings.overall(),
            findings: findings.whole.iter().chain(of_one).cloned().collect(),
            stiffness_is_estimate: cables.first().filter(|_| single).map(|own| own.stiffness_is_estimate),
            cables,
        }
    }
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

/// Prints the worst of every rule over many solutions, with where each is: a `head`, and what it says of a number.
pub fn print_worst(compiled: &Compiled, worst: &[Worst], head: &str, at: impl Fn(usize) -> String) {
    if worst.is_empty() {
        return;
    }
    let named = compiled.cables.len() > 1;
    let heads = named.then_some("cable").into_iter().chain(HEADS).chain([head]);
    let mut table = Table::new(&heads.collect::<Vec<_>>());
    for own in worst {
        let cable = own.cable.as_ref().and_then(|name| compiled.cables.iter().find(|c| c.name == *name));
        let name = named.then(|| own.cable.clone().unwrap_or_else(|| "(all)".into()));
        let cells = cells(&own.finding, cable.map_or(0.0, |own| own.length));
        table.row(&name.into_iter().chain(cells).chain([at(own.pose)]).collect::<Vec<_>>());
    }
    table.print();
    print("\n");
    for own in worst.iter().filter(|own| own.finding.verdict > Verdict::Pass) {
        let name = own.cable.as_ref().filter(|_| named).map_or_else(String::new, |name| format!("{name}: "));
        let (verdict, at) = (verdict_text(own.finding.verdict), at(own.pose));
        print(&format!("{verdict}: {head} {at}: {name}{}\n", own.finding.message));
    }
}
