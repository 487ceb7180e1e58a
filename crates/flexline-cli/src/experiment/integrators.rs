//! `flexline experiment integrators`: precision over cost of one element's frame and centreline, by
//! series and by classical integrators (Casati & Bertails-Descoubes 2013, §6.4 and figure 6).

use super::{Exact, curly, turning};
use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use clap::Args;
use flexline::geometry::darboux::{Classical, ClothoidElement, Summation, integrate};
use flexline_plot::{Axis, Chart, Series};
use serde::Serialize;
use serde_json::json;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// Compare series with Euler, Lie–Euler, RK2 and RK4 on one element: precision over cost
#[derive(Args)]
pub struct Integrators {
    /// Turning of the element, rad
    #[arg(long, value_name = "RAD", value_parser = turning, default_value_t = 20.0)]
    turning: f64,
    /// Most steps of a classical integrator
    #[arg(long, value_name = "N", default_value_t = 400_000,
          value_parser = clap::value_parser!(u32).range(16..=100_000_000))]
    steps: u32,
    /// Chart to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

const SERIES: &str = "series";
/// Precisions that the table compares the methods at.
const PRECISIONS: [f64; 5] = [1e-2, 1e-4, 1e-8, 1e-12, 1e-14];

/// Ratio of the numbers of steps that are tried, 2^¼: no precision is overpaid by more than that.
const STEP_RATIO: f64 = 1.189_207_115_002_721;

/// One measurement.
#[derive(Clone, Serialize)]
struct Run {
    method: &'static str,
    /// Steps of a classical integrator; pieces of the series.
    steps: usize,
    /// Where the series were truncated.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<f64>,
    error: f64,
    microseconds: f64,
}

/// The cheapest run of a method that is precise enough.
#[derive(Serialize)]
struct Reached {
    precision: f64,
    method: &'static str,
    steps: usize,
    microseconds: f64,
    /// Cost over that of the series for the same precision, in the same run.
    ratio: f64,
}

/// Least time of a call, µs: what disturbs a measurement only ever adds to it.
fn microseconds(mut work: impl FnMut()) -> f64 {
    let time = |calls: u32, work: &mut dyn FnMut()| {
        let start = Instant::now();
        for _ in 0..calls {
            work();
        }
        start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
    };
    let once = time(1, &mut work);
    let calls = (300.0 / once.max(1e-3)).clamp(1.0, 1000.0) as u32;
    let batches = if once > 5e3 { 1 } else { 5 };
    (0..batches).map(|_| time(calls, &mut work)).fold(once, f64::min)
}

/// The series at several truncations.
fn series_runs(element: &ClothoidElement, exact: &Exact) -> Vec<Run> {
    let finest = Summation::default();
    let mut tolerances: Vec<f64> = (1..=16).map(|k| 10f64.powi(-k)).collect();
    tolerances.push(finest.tolerance);
    let run = |tolerance: f64| {
        let summation = Summation { tolerance, ..finest };
        let at_end = || black_box(element).point_by(element.length(), black_box(&summation));
        Run {
            method: SERIES,
            steps: element.piece_count(&summation),
            tolerance: Some(tolerance),
            error: exact.error_of(&at_end()),
            microseconds: microseconds(|| {
                black_box(at_end());
            }),
        }
    };
    tolerances.into_iter().map(run).collect()
}

/// A classical integrator at growing numbers of steps, until it is as good as it gets.
fn classical_runs(element: &ClothoidElement, exact: &Exact, method: Classical, most: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut steps = 16.0;
    while steps <= most as f64 {
        let count = steps as usize;
        let (frame, position) = integrate(element, method, count);
        let error = exact.error(&frame, &position);
        runs.push(Run {
            method: method.name(),
            steps: count,
            tolerance: None,
            error,
            microseconds: microseconds(|| {
                black_box(integrate(black_box(element), method, count));
            }),
        });
        // Below this round-off has its say, and more steps no longer help.
        if error < 2e-14 {
            break;
        }
        steps *= STEP_RATIO;
    }
    // Far from converging an explicit method may have grown beyond all bounds.
    runs.retain(|r| r.error.is_finite());
    runs
}

fn cheapest<'a>(runs: &'a [Run], method: &str, precision: f64) -> Option<&'a Run> {
    let enough = runs.iter().filter(|r| r.method == method && r.error <= precision);
    enough.min_by(|a, b| a.microseconds.total_cmp(&b.microseconds))
}

/// Runs the command.
pub fn run(args: &Integrators) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let element = curly(args.turning)?;
    let exact = Exact::of(&element);
    let progress = Progress::new(1 + Classical::ALL.len() as u64, "methods");
    let mut runs = series_runs(&element, &exact);
    progress.step();
    for method in Classical::ALL {
        runs.extend(classical_runs(&element, &exact, method, args.steps as usize));
        progress.step();
    }
    progress.finish();
    let methods = || std::iter::once(SERIES).chain(Classical::ALL.map(Classical::name));
    let mut reached = Vec::new();
    for precision in PRECISIONS {
        let Some(own) = cheapest(&runs, SERIES, precision) else { continue };
        for method in methods() {
            if let Some(run) = cheapest(&runs, method, precision) {
                reached.push(Reached {
                    precision,
                    method,
                    steps: run.steps,
                    microseconds: run.microseconds,
                    ratio: run.microseconds / own.microseconds,
                });
            }
        }
    }
    if args.json {
        print_json(&json!({ "turning": args.turning, "runs": runs, "reached": reached }));
    } else {
        report(args, &runs, &reached);
    }
    if let (Some(path), Some(picture)) = (&args.plot, picture) {
        let line = |method: &str| {
            let own = runs.iter().filter(|r| r.method == method && r.error < 1.0);
            Series::new(method, own.map(|r| [r.error.max(1e-17), r.microseconds]).collect())
        };
        let chart = Chart {
            title: format!("One element that turns by {} rad: cost over precision", args.turning),
            x: Axis::log("error"),
            y: Axis::log("time, µs"),
            series: methods().map(line).filter(|s| !s.points.is_empty()).collect(),
            ..Chart::default()
        };
        picture.write(&chart.drawing(760.0, 480.0)?, path, 1520)?;
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    }
    Ok(GOOD)
}

fn report(args: &Integrators, runs: &[Run], reached: &[Reached]) {
    print(&format!(
        "one element of 1 m that turns by {} rad: frame and centreline at its end\n\n",
        args.turning
    ));
    let mut table = Table::new(&["precision", "method", "steps", "time µs", "× series"]);
    for r in reached {
        table.row(&[
            format!("{:.0e}", r.precision),
            r.method.to_string(),
            r.steps.to_string(),
            format!("{:.2}", r.microseconds),
            format!("{:.1}", r.ratio),
        ]);
    }
    table.print();
    print("\nbest precision of any run; of the series the steps are pieces\n");
    let mut table = Table::new(&["method", "steps", "error", "time µs"]);
    for method in std::iter::once(SERIES).chain(Classical::ALL.map(Classical::name)) {
        let own = runs.iter().filter(|r| r.method == method);
        if let Some(best) = own.min_by(|a, b| a.error.total_cmp(&b.error)) {
            table.row(&[
                method.to_string(),
                best.steps.to_string(),
                format!("{:.1e}", best.error),
                format!("{:.2}", best.microseconds),
            ]);
        }
    }
    table.print();
}
