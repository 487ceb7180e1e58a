//! `flexline convergence`: the dissertation's scheme on a scene, for several α (its figures 4.4–4.8).

use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use clap::Args;
use flexline::solver::ProblemError;
use flexline::solver::network::NetworkError;
use flexline::solver::statics::{IntegralSettings, initial_state, integral_forces};
use flexline_plot::{Axis, Chart, Series};
use flexline_scene::Scene;
use serde_json::json;
use std::path::PathBuf;

/// Show how integral forces settle: the length error of a scene over the iterations, per α
#[derive(Args)]
pub struct Convergence {
    /// Scene file
    scene: PathBuf,
    /// Ratios of the integral to the proportional force, above 0 and at most 2
    #[arg(long, value_parser = alpha, value_delimiter = ',', default_values_t = [0.1, 0.5, 1.0, 1.5, 2.0])]
    alpha: Vec<f64>,
    /// Iterations
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    iterations: u32,
    /// Number of segments
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(4..=100_000))]
    segments: u32,
    /// Chart to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// A ratio for which the scheme is meant: 2 is where it only just does not diverge.
fn alpha(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && value <= 2.0 => Ok(value),
        _ => Err("expected numbers above 0 and at most 2, such as 0.5,1".to_string()),
    }
}

/// Runs the command.
pub fn run(args: &Convergence) -> Result<u8, Failure> {
    let picture = args.out.as_deref().map(Picture::of).transpose()?;
    let mut scene = Scene::load(&args.scene)?.single()?;
    scene.cables[0].cable.resolution = args.segments as usize;
    let network = scene.compile()?.network;
    let refused = |cause| scene.locate(&NetworkError::InSpan { index: 0, cause: Box::new(cause) });
    let problem = network.as_cable().ok_or_else(|| refused(ProblemError::NotInScheme))?;
    let mut runs = Vec::new();
    for &alpha in &args.alpha {
        let mut state = initial_state(&problem);
        let settings = IntegralSettings {
            alpha,
            max_iterations: args.iterations as usize,
            ..IntegralSettings::default()
        };
        let run = integral_forces(&problem, &mut state, &settings).map_err(refused)?;
        runs.push((alpha, run));
    }
    let worst = |errors: &Vec<f64>| errors.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    if args.json {
        let list: Vec<_> = runs.iter().map(|(alpha, run)| json!({ "alpha": alpha, "run": run })).collect();
        print_json(&json!(list));
    } else {
        let mut table = Table::new(&["α", "iterations", "last error", "per iteration", "1 − α", "settled"]);
        for (alpha, run) in &runs {
            let errors: Vec<f64> = run.length_errors.iter().map(worst).collect();
            // The rate over the iterations in the middle: past the start, before round-off.
            let useful = errors.iter().take_while(|e| **e > 1e-8).count();
            let rate = if useful > 3 {
                let signed = |k: usize| {
                    run.length_errors[k]
                        .iter()
                        .copied()
                        .max_by(|a, b| a.abs().total_cmp(&b.abs()))
                        .unwrap_or(0.0)
                };
                format!("{:.4}", signed(useful - 1) / signed(useful - 2))
            } else {
                "-".to_string()
            };
            table.row(&[
                format!("{alpha}"),
                errors.len().to_string(),
                format!("{:.1e}", errors.last().copied().unwrap_or(f64::NAN)),
                rate,
                format!("{:.2}", 1.0 - alpha),
                if run.converged { "yes" } else { "no" }.to_string(),
            ]);
        }
        table.print();
    }
    if let (Some(path), Some(picture)) = (&args.out, picture) {
        let series = runs
            .iter()
            .map(|(alpha, run)| {
                let points = run
                    .length_errors
                    .iter()
                    .enumerate()
                    .map(|(k, e)| [(k + 1) as f64, worst(e).max(1e-16)])
                    .collect();
                Series::new(format!("α = {alpha}"), points)
            })
            .collect();
        let chart = Chart {
            title: "Integral forces: worst length error of a segment".into(),
            x: Axis::linear("iteration"),
            y: Axis::log("length error / length"),
            series,
            ..Chart::default()
        };
        picture.write(&chart.drawing(760.0, 480.0)?, path, 1520)?;
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    }
    Ok(GOOD)
}
