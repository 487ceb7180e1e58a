//! `flexline find`: the value of a parameter at which a condition on the solution holds.

use crate::failure::{Failure, GOOD, NO};
use crate::output::{number, print, print_json};
use crate::progress::Progress;
use crate::solved::SceneArgs;
use clap::{Args, ValueEnum};
use flexline_study::find::{BoundaryKind, Found, Over, Search, Wanted};
use flexline_study::{Poses, Range};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Number of the format of `--json`.
const FORMAT: u32 = 1;

/// Find the value of a parameter at which a condition holds: the shortest length, the place of a clip
#[derive(Args)]
pub struct Find {
    #[command(flatten)]
    scene: SceneArgs,
    /// The parameter, as in cable.length, with a range, as in "cable.length=300 mm..600 mm", or without: from half to twice its value
    #[arg(long, value_name = "NAME[=FROM..TO]", allow_hyphen_values = true)]
    vary: String,
    /// The condition: a quantity, >=, <= or =, and a value, as in "bend_radius>=30mm", "hose.sag=50mm", "end.reaction.z<=12"
    #[arg(long, value_name = "CONDITION")]
    so_that: String,
    /// Whether the least or the most of all good values is wanted
    #[arg(long, value_enum, default_value_t = Prefer::Least)]
    prefer: Prefer,
    /// Ask it of the worst of these poses (a table as `sweep --poses` has it), or of "motion", what the scene moves in [[motion]]
    #[arg(long, value_name = "FILE")]
    over: Option<PathBuf>,
    /// Steps into which the range is divided before it is looked closer
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    steps: u32,
    /// How near the value is closed in on, as a share of the range
    #[arg(long, default_value_t = 1e-6, value_parser = share)]
    tolerance: f64,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Prefer {
    Least,
    Most,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(own) if (1e-12..=0.1).contains(&own) => Ok(own),
        _ => Err("expected a number from 1e-12 to 0.1".into()),
    }
}

/// A search for the value of a parameter at which a condition holds.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline find --json")]
pub struct FindTold<'a> {
    /// Number of the format.
    format: u32,
    /// The file of the scene.
    scene: &'a str,
    /// The parameter.
    parameter: &'a str,
    /// Its unit; null for SI.
    unit: Option<&'a str>,
    /// The condition.
    condition: &'a str,
    /// What was found.
    found: &'a Found,
}

/// Runs the command.
pub fn run(args: &Find) -> Result<u8, Failure> {
    let base = args.scene.base()?;
    let range = match args.vary.contains('=') {
        true => Range::parse(&args.vary)?,
        false => Range::around(&base.text, &args.vary)?,
    };
    let over = match &args.over {
        None => Over::Scene,
        Some(path) if path.as_os_str() == "motion" => Over::Motion(args.steps as usize),
        Some(path) => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
            Over::Poses(Poses::read(&text, &name)?, name)
        }
    };
    let progress = Progress::new(u64::from(args.steps) + 1, "values");
    let search = Search {
        base: &base,
        range: &range,
        goal: &args.so_that,
        over,
        steps: range.count.map_or(args.steps as usize, |count| count - 1),
        tolerance: args.tolerance,
        wanted: match args.prefer {
            Prefer::Least => Wanted::Least,
            Prefer::Most => Wanted::Most,
        },
    };
    let found = search.run(&mut || progress.step())?;
    progress.finish();
    match args.json {
        true => print_json(&json!(FindTold {
            format: FORMAT,
            scene: &base.name,
            parameter: &range.name,
            unit: range.unit.as_deref(),
            condition: &args.so_that,
            found: &found,
        })),
        false => tell(args, &range, &found),
    }
    Ok(if found.at.is_some() { GOOD } else { NO })
}

fn tell(args: &Find, range: &Range, found: &Found) {
    let unit = range.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let shown = |value: f64| format!("{}{unit}", number(value));
    match (found.at, &found.look) {
        (Some(at), Some(look)) => {
            print(&format!("{} = {at}{unit}\n", range.name));
            if let Some(value) = look.value {
                let quantity = args.so_that.split(['>', '<', '=']).next().unwrap_or_default().trim();
                let pose = look.pose.map_or_else(String::new, |pose| format!(", in pose {pose}"));
                print(&format!("there {quantity} is {} (SI){pose}\n", number(value)));
            }
        }
        _ => print(&format!("{} holds at none of the values looked at\n", args.so_that)),
    }
    for [from, to] in found.holds.iter().filter(|own| own[0] != own[1]) {
        print(&format!("it holds from {} to {}\n", shown(*from), shown(*to)));
    }
    for own in &found.boundaries {
        let what = match own.kind {
            BoundaryKind::Crossing => continue,
            BoundaryKind::Jump => "the solution jumps",
            BoundaryKind::NoEquilibrium => "no equilibrium was found beyond",
        };
        print(&format!("between {} and {}: {what}\n", shown(own.at), shown(own.beside)));
    }
    let scan = found.scan.len();
    let failed = found.scan.iter().filter(|own| own.value.is_none()).count();
    let way = if found.monotone { "goes one way" } else { "goes up and down" };
    print(&format!(
        "looked at {} values; over the {scan} of the scan the quantity {way}{}; between two of them a change and back is not excluded\n",
        found.looked,
        if failed > 0 { format!(", {failed} have no value") } else { String::new() },
    ));
    for own in found.scan.iter().filter(|own| own.anew) {
        print(&format!(
            "at {}: found anew, not from its neighbour: it may lie on another side\n",
            shown(own.at)
        ));
    }
    if found.at.is_none()
        && let Some(look) = found.scan.iter().find(|own| own.trouble.is_some())
    {
        print(&format!("at {}: {}\n", shown(look.at), look.trouble.as_deref().unwrap_or_default()));
    }
}
