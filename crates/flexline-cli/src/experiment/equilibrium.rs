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
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::solver::statics::{Settings, Workspace, initial_state, solve_placed};
use flexline::solver::{End, Pose, Problem, ProblemError, Status};
use flexline_plot::{Axis, Chart, Guide, Series};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Compare the rod models on a hanging curly rod: error over unknowns
///
/// Elements are of equal length, but for the rows "clothoid, placed": there they lie where the equilibrium itself says
/// that they are needed.
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

/// Elements of the rods whose elements are placed.
const PLACED: [usize; 12] = [3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32];

/// One model at one resolution.
#[derive(Serialize)]
struct Line {
    model: Model,
    /// Whether elements lie where the equilibrium says that they are needed.
    placed: bool,
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
    placed: bool,
    unknowns: f64,
    /// Over those of the clothoid rod with equal elements.
    ratio: f64,
    /// Over those of the clothoid rod with placed elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_placed: Option<f64>,
}

/// What a row is called.
fn name(model: Model, placed: bool) -> String {
    if placed { format!("{}, placed", model.name()) } else { model.name().to_string() }
}

/// Every row of the comparison.
fn kinds() -> impl Iterator<Item = (Model, bool)> {
    Model::ALL.into_iter().map(|m| (m, false)).chain([(Model::Clothoid, true)])
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

/// The equilibrium of `n` clothoids that lie where it needs them: by what its own balance of moments tells, without the
/// reference.
fn placed_shape(strand: &Strand, n: usize) -> Result<(usize, Vec<Vec3>), Failure> {
    let wrong = |e: &dyn std::fmt::Display| Failure::Input(e.to_string());
    let uniform = hanging(strand, Model::Clothoid, n)?;
    let section = strand.section()?;
    let pose = |ends: &[f64]| {
        let rod = CurvatureRod::with_elements(Basis::Clothoid, ends, &section, &|_| strand.rest);
        let rod = rod.map_err(|_| ProblemError::NotFinite { what: "an element" })?;
        Ok(Problem { rod: rod.into(), ..uniform.clone() })
    };
    let ends: Vec<f64> = (0..=n).map(|k| strand.length * k as f64 / n as f64).collect();
    let found = solve_placed(&ends, &pose, &Settings::interactive()).map_err(|e| wrong(&e))?;
    if found.report.status != Status::Converged {
        return Err(Failure::Input(format!(
            "{n} placed clothoids did not converge: {}",
            found.report.status
        )));
    }
    Ok((unknowns(&found.problem.rod), centreline(&found.problem.rod, &found.state)))
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
    let sizes = |(model, placed): (Model, bool)| if placed { PLACED.to_vec() } else { resolutions(model) };
    let total: usize = kinds().map(|kind| sizes(kind).len()).sum();
    let progress = Progress::new(1 + total as u64, "equilibria");
    let reference = shape(&strand, Model::Clothoid, REFERENCE)?.1;
    progress.step();
    let mut lines: Vec<Line> = Vec::new();
    let mut finest = Vec::new();
    let mut extrapolated = Vec::new();
    for (model, placed) in kinds() {
        let mut before: Option<(usize, f64)> = None;
        for resolution in sizes((model, placed)) {
            let (unknowns, own) =
                if placed { placed_shape(&strand, resolution)? } else { shape(&strand, model, resolution)? };
            let error = distance(&own, &reference) / length;
            let order = before.map(|(n, e)| (e / error).ln() / (resolution as f64 / n as f64).ln());
            lines.push(Line { model, placed, resolution, unknowns, error, order });
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
    let of = |kind: (Model, bool)| lines.iter().filter(move |l| (l.model, l.placed) == kind);
    let needed = |kind: (Model, bool), error: f64| {
        let points: Vec<(f64, f64)> = of(kind).map(|l| (l.unknowns as f64, l.error)).collect();
        reach(&points, error)
    };
    let mut needs = Vec::new();
    for error in WANTED {
        let own = needed((Model::Clothoid, false), error);
        let best = needed((Model::Clothoid, true), error);
        for (model, placed) in kinds() {
            if let (Some(unknowns), Some(own)) = (needed((model, placed), error), own) {
                let ratio_placed = best.map(|best| unknowns / best);
                needs.push(Needs { error, model, placed, unknowns, ratio: unknowns / own, ratio_placed });
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
        let line = |kind: (Model, bool)| {
            let points = of(kind).map(|l| [l.unknowns as f64, l.error.max(1e-12)]).collect();
            Series::new(name(kind.0, kind.1), points)
        };
        let chart = Chart {
            title: "A hanging curly rod: error over unknowns".into(),
            x: Axis::log("unknowns"),
            y: Axis::log("largest distance / L"),
            series: kinds().map(line).collect(),
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
            name(l.model, l.placed),
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
    let mut table = Table::new(&["error / L", "model", "unknowns", "× clothoid", "× placed"]);
    for n in needs {
        table.row(&[
            format!("{:.0e}", n.error),
            name(n.model, n.placed),
            format!("{:.0}", n.unknowns),
            format!("{:.1}", n.ratio),
            n.ratio_placed.map_or_else(|| "-".to_string(), |r| format!("{r:.1}")),
        ]);
    }
    table.print();
    for n in needs.iter().filter(|n| n.model == Model::Nodal) {
        // Nodes and angles of N segments, extensible: 4 N + 3, where inextensible ones have 3 N + 3.
        let paper = 3.0 + 4.0 * (n.unknowns - 3.0) / 3.0;
        let times = paper / n.unknowns;
        let placed = n.ratio_placed.map_or_else(String::new, |r| format!(", × placed {:.1}", r * times));
        print(&format!(
            "nodal to {:.0e}, counted as in the paper: {paper:.0}, × clothoid {:.1}{placed}\n",
            n.error,
            n.ratio * times
        ));
    }
}
