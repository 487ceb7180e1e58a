//! `flexline reserve`: how much longer the cables of a harness must be for a part to be moved.

use crate::failure::{Failure, GOOD, NO, VIOLATION};
use crate::output::{Table, print, print_json};
use crate::progress::Progress;
use crate::solved::{AnySolved, SceneArgs, parse_move, solve_scene};
use clap::Args;
use flexline::solver::Status;
use flexline::solver::statics::Settings;
use flexline::solver::statics::network::{NetworkWorkspace, solve_network, span_profile};
use serde_json::json;

/// Move a part of a harness and find what its cables lack: the reserve an assembly needs
#[derive(Args)]
pub struct Reserve {
    #[command(flatten)]
    scene: SceneArgs,
    /// What is moved and by how much: NAME=X,Y,Z in metres
    #[arg(long = "move", value_name = "NAME=X,Y,Z", allow_hyphen_values = true, required = true)]
    motion: String,
    /// Steps of the way
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// What one step of the way found.
struct Step {
    share: f64,
    status: Status,
    tension: f64,
    /// Missing length of every cable, m.
    missing: Vec<f64>,
}

/// Runs the command.
pub fn run(args: &Reserve) -> Result<u8, Failure> {
    let (name, shift) = parse_move(&args.motion)?;
    let AnySolved::Harness(solved) = solve_scene(&args.scene)? else {
        return Err(Failure::Input("reserve needs a harness scene, with [[cable]] and [[part]]".to_string()));
    };
    if solved.solution.report.status != Status::Converged {
        return Err(Failure::Input(
            "the harness has no equilibrium to start from: see `flexline solve`".to_string(),
        ));
    }
    let compiled = &solved.compiled;
    let anchor = compiled.anchors.iter().position(|a| a.name == name).ok_or_else(|| {
        let known: Vec<&str> = compiled.anchors.iter().map(|a| a.name.as_str()).collect();
        Failure::Input(format!("nothing is named '{name}'; there are: {}", known.join(", ")))
    })?;
    let mut network = compiled.network.clone();
    let mut state = solved.solution.state.clone();
    // Taken in hand: position and orientation are held from where it hangs.
    let from = state.anchors[anchor];
    network.anchors[anchor].held = [true; 3];
    network.anchors[anchor].held_orientation = true;
    let mut ws = NetworkWorkspace::new(&network);
    let progress = Progress::new(u64::from(args.steps), "steps");
    let mut steps = Vec::new();
    for k in 0..=args.steps {
        let share = f64::from(k) / f64::from(args.steps);
        network.anchors[anchor].pose = from;
        network.anchors[anchor].pose.position += shift * share;
        let mut trial = state.clone();
        let report = solve_network(&network, &mut trial, &mut ws, &Settings::interactive())
            .map_err(|e| Failure::from(solved.scene.locate(&e)))?;
        let mut missing = vec![0.0; compiled.cables.len()];
        for short in &report.short {
            if let Some(c) =
                compiled.cables.iter().position(|c| c.spans.iter().any(|(s, _)| *s == short.span))
            {
                missing[c] += short.missing;
            }
        }
        let tension = (0..network.spans.len())
            .flat_map(|s| span_profile(&network, &trial, s).samples)
            .map(|sample| sample.tension())
            .fold(f64::NEG_INFINITY, f64::max);
        steps.push(Step { share, status: report.status, tension, missing });
        if report.status == Status::Converged {
            state = trial;
        }
        progress.step();
    }
    progress.finish();
    let most: Vec<f64> =
        (0..compiled.cables.len()).map(|c| steps.iter().map(|s| s.missing[c]).fold(0.0, f64::max)).collect();
    let taut = steps.iter().find(|s| s.status == Status::TooShort).map(|s| s.share);
    let lost = steps.iter().any(|s| !matches!(s.status, Status::Converged | Status::TooShort));
    if args.json {
        let cables: Vec<_> = compiled
            .cables
            .iter()
            .zip(&most)
            .map(|(c, m)| json!({ "name": c.name, "length": c.length, "reserve_needed": m }))
            .collect();
        let way: Vec<_> = steps
            .iter()
            .map(|s| json!({ "share": s.share, "status": s.status, "largest_tension": s.tension, "missing": s.missing }))
            .collect();
        print_json(&json!({ "moved": name, "by": shift, "taut_at": taut, "cables": cables, "way": way }));
    } else {
        let mut table = Table::new(&["way", "status", "largest tension N", "missing mm"]);
        for s in &steps {
            let total: f64 = s.missing.iter().sum();
            let status = match s.status {
                Status::Converged => "reached",
                Status::TooShort => "too short",
                _ => "not solved",
            };
            let tension =
                if s.status == Status::Converged { format!("{:.3}", s.tension) } else { "-".to_string() };
            table.row(&[
                format!("{:.0} %", 100.0 * s.share),
                status.to_string(),
                tension,
                if total > 0.0 { format!("{:.1}", 1e3 * total) } else { String::new() },
            ]);
        }
        table.print();
        print("\n");
        match taut {
            Some(share) => {
                print(&format!("the cables are taut at about {:.0} % of the way\n", 100.0 * share))
            }
            None => print("the cables reach all the way\n"),
        }
        for (cable, missing) in compiled.cables.iter().zip(&most).filter(|(_, m)| **m > 0.0) {
            print(&format!("{}: {:.1} mm more are needed\n", cable.name, 1e3 * missing));
        }
    }
    Ok(match (lost, taut) {
        (true, _) => NO,
        (false, Some(_)) => VIOLATION,
        (false, None) => GOOD,
    })
}
