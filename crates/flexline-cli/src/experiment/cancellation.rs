//! `flexline experiment cancellation`: what a naive sum of the series loses, and what pieces save
//! (Casati & Bertails-Descoubes 2013, §6.1–6.3, figures 3 and 4).

use super::{Exact, curly, turning};
use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use clap::Args;
use flexline::geometry::darboux::{Summation, naive_sum};
use flexline_plot::{Axis, Chart, Series};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Show the catastrophic cancellation of a naive sum of the series, and its cure by pieces
#[derive(Args)]
pub struct Cancellation {
    /// Turnings of the element, rad
    #[arg(long, value_name = "RAD,…", value_parser = turning, value_delimiter = ',',
          default_values_t = [0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 25.0, 30.0, 40.0, 50.0])]
    turning: Vec<f64>,
    /// Chart to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// One element, summed in both ways.
#[derive(Serialize)]
struct Line {
    turning: f64,
    /// Terms of the naive sum.
    terms: usize,
    /// The largest of them.
    largest_term: f64,
    naive_error: f64,
    /// Pieces of the piecewise sum.
    pieces: usize,
    piecewise_error: f64,
}

fn line(turning: f64) -> Result<Line, Failure> {
    let element = curly(turning)?;
    let exact = Exact::of(&element);
    let naive = naive_sum(&element);
    let summation = Summation::default();
    Ok(Line {
        turning,
        terms: naive.terms,
        largest_term: naive.largest_term,
        naive_error: exact.error(&naive.frame, &naive.position),
        pieces: element.piece_count(&summation),
        piecewise_error: exact.error_of(&element.point_by(element.length(), &summation)),
    })
}

/// Runs the command.
pub fn run(args: &Cancellation) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let mut turnings = args.turning.clone();
    turnings.sort_by(f64::total_cmp);
    turnings.dedup();
    let lines = turnings.into_iter().map(line).collect::<Result<Vec<Line>, Failure>>()?;
    if args.json {
        print_json(&json!(lines));
    } else {
        let mut table =
            Table::new(&["turning", "terms", "largest term", "naive error", "pieces", "piecewise error"]);
        for l in &lines {
            table.row(&[
                format!("{}", l.turning),
                l.terms.to_string(),
                format!("{:.1e}", l.largest_term),
                format!("{:.1e}", l.naive_error),
                l.pieces.to_string(),
                format!("{:.1e}", l.piecewise_error),
            ]);
        }
        table.print();
    }
    if let (Some(path), Some(picture)) = (&args.plot, picture) {
        let series = |name: &str, error: &dyn Fn(&Line) -> f64| {
            Series::new(name, lines.iter().map(|l| [l.turning, error(l).max(1e-17)]).collect())
        };
        let chart = Chart {
            title: "Power series of one element: naive sum and pieces".into(),
            x: Axis::linear("turning, rad"),
            y: Axis::log("error"),
            series: vec![
                series("naive sum", &|l| l.naive_error),
                series("largest term × round-off", &|l| l.largest_term * f64::EPSILON * 0.5).reference(),
                series("pieces", &|l| l.piecewise_error),
            ],
            ..Chart::default()
        };
        picture.write(&chart.drawing(760.0, 480.0)?, path, 1520)?;
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    }
    Ok(GOOD)
}
