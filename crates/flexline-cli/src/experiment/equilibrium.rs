//! `flexline experiment equilibrium`: error over unknowns of a hanging curly rod, in every model (Casati &
//! Bertails-Descoubes 2013, §8.1 and figure 9, left).

use super::models::{GRAVITY, Model, Strand, centreline, distance, equilibrium, positive, reach, unknowns};
use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use clap::Args;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::statics::{Settings, Workspace, initial_state};
use flexline::solver::{End, Pose, Problem};
use flexline_plot::{Axis, Chart, Guide, Series};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Compare the rod models on a hanging curly rod: error over unknowns
#[derive(Args)]
pub struct Equilibrium {
    /// Coils at rest
    #[arg(long, value_name = "N", value_parser = positive, default_value_t = 5.0)]
    coils: f64,
    /// Weight over stiffness, m g L³/K
    #[arg(long, value_name = "X", value_parser = positive, default_value_t = 400.0)]
    weight: f64,
    /// Chart to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Elements of the reference, a clothoid rod.
const REFERENCE: usize = 256;
/// Errors at which the models are compared, as shares of the length.
const WANTED: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];
/// Segments of the finest chains, by which the reference is checked.
const FINEST: usize = 7680;

fn resolutions(model: Model) -> Vec<usize> {
    match model {
        Model::Clothoid => vec![3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64],
        Model::Helix => vec![4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512],
        Model::Nodal | Model::Mixed => vec![60, 120, 240, 480, 960, 1920, 3840, FINEST],
    }
}

/// One model at one resolution.
#[derive(Serialize)]
struct Line {
    model: Model,
    /// Elements or segments.
    resolution: usize,
    unknowns: usize,
    /// Largest distance from the reference over the length.
    error: f64,
    /// From the resolution before.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<f64>,
}

/// What a model needs for an error wanted.
#[derive(Serialize)]
struct Needs {
    error: f64,
    model: Model,
    unknowns: f64,
    /// Over those of the clothoid rod.
    ratio: f64,
}

/// The strand clamped at its upper end, its axis downwards at rest, in gravity.
fn hanging(strand: &Strand, model: Model, n: usize) -> Result<Problem, Failure> {
    let rod = model.rod(strand, n)?;
    // The axis of the helix is its Darboux vector: the frame that lays it along −z.
    let orientation = rotation::between(&strand.rest.normalize(), &-Vec3::z());
    let start = End::clamped(Pose { position: Vec3::zeros(), orientation });
    let mut problem = Problem::new(rod, start, End::free());
    problem.gravity = Vec3::new(0.0, 0.0, -GRAVITY);
    Ok(problem)
}

fn shape(strand: &Strand, model: Model, n: usize) -> Result<(usize, Vec<Vec3>), Failure> {
    let problem = hanging(strand, model, n)?;
    let state = equilibrium(
        &problem,
        initial_state(&problem),
        &mut Workspace::new(&problem),
        &Settings::interactive(),
    )?;
    Ok((unknowns(&problem.rod), centreline(&problem.rod, &state)))
}

/// Runs the command.
pub fn run(args: &Equilibrium) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let strand = Strand::curly(args.coils, args.weight);
    let length = strand.length;
    let total: usize = Model::ALL.iter().map(|m| resolutions(*m).len()).sum();
    let progress = Progress::new(1 + total as u64, "equilibria");
    let reference = shape(&strand, Model::Clothoid, REFERENCE)?.1;
    progress.step();
    let mut lines: Vec<Line> = Vec::new();
    let mut finest = Vec::new();
    let mut extrapolated = Vec::new();
    for model in Model::ALL {
        let mut before: Option<(usize, f64)> = None;
        for resolution in resolutions(model) {
            let (unknowns, own) = shape(&strand, model, resolution)?;
            let error = distance(&own, &reference) / length;
            let order = before.map(|(n, e)| (e / error).ln() / (resolution as f64 / n as f64).ln());
            lines.push(Line { model, resolution, unknowns, error, order });
            before = Some((resolution, error));
            if model == Model::Mixed {
                extrapolated =
                    finest.iter().zip(&own).map(|(a, b): (&Vec3, &Vec3)| (b * 4.0 - a) / 3.0).collect();
                finest = own;
            }
            progress.step();
        }
    }
    progress.finish();
    // Second order: what two resolutions of a chain extrapolate to knows nothing of clothoids.
    let check = distance(&extrapolated, &reference) / length;
    let of = |model: Model| lines.iter().filter(move |l| l.model == model);
    let needed = |model: Model, error: f64| {
        let points: Vec<(f64, f64)> = of(model).map(|l| (l.unknowns as f64, l.error)).collect();
        reach(&points, error)
    };
    let mut needs = Vec::new();
    for error in WANTED {
        let own = needed(Model::Clothoid, error);
        for model in Model::ALL {
            if let (Some(unknowns), Some(own)) = (needed(model, error), own) {
                needs.push(Needs { error, model, unknowns, ratio: unknowns / own });
            }
        }
    }
    if args.json {
        print_json(&json!({
            "strand": strand,
            "reference_elements": REFERENCE,
            "reference_check": check,
            "runs": lines,
            "needs": needs,
        }));
    } else {
        report(&strand, &lines, &needs, check);
    }
    if let (Some(path), Some(picture)) = (&args.plot, picture) {
        let line = |model: Model| {
            Series::new(model.name(), of(model).map(|l| [l.unknowns as f64, l.error.max(1e-12)]).collect())
        };
        let chart = Chart {
            title: "A hanging curly rod: error over unknowns".into(),
            x: Axis::log("unknowns"),
            y: Axis::log("largest distance / L"),
            series: Model::ALL.into_iter().map(line).collect(),
            guides: vec![Guide { value: 1e-3, label: "10^−3".into() }],
        };
        picture.write(&chart.drawing(760.0, 480.0)?, path, 1520)?;
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    }
    Ok(GOOD)
}

fn report(strand: &Strand, lines: &[Line], needs: &[Needs], check: f64) {
    print(&format!("{}, hanging from a clamp\n\n", strand.describe()));
    let mut table = Table::new(&["model", "resolution", "unknowns", "error / L", "order"]);
    for l in lines {
        table.row(&[
            l.model.name().to_string(),
            l.resolution.to_string(),
            l.unknowns.to_string(),
            format!("{:.1e}", l.error),
            l.order.map_or_else(|| "-".to_string(), |o| format!("{o:.1}")),
        ]);
    }
    table.print();
    print(&format!(
        "\nreference: clothoid, {REFERENCE} elements; the mixed rod, extrapolated from {} and {FINEST} \
         segments, is {check:.1e} L away\n\nunknowns that an error needs\n",
        FINEST / 2
    ));
    let mut table = Table::new(&["error / L", "model", "unknowns", "× clothoid"]);
    for n in needs {
        table.row(&[
            format!("{:.0e}", n.error),
            n.model.name().to_string(),
            format!("{:.0}", n.unknowns),
            format!("{:.1}", n.ratio),
        ]);
    }
    table.print();
}
