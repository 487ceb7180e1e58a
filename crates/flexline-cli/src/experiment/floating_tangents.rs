//! `flexline experiment floating-tangents`: helices along curves by floating tangents and by least squares (F. Bertails-Descoubes,
//! habilitation, 4.2.4 and figure 4.7; A. Derouet-Jourdan et al. 2013).

use crate::failure::{Failure, GOOD};
use crate::output::{Table, number, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::random::Random;
use clap::Args;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::geometry::darboux::{ClothoidElement, CurvePoint};
use flexline::inverse::{
    Centreline, FramedCurve, Noise, Pieces, deviation, floating_tangents, least_squares,
};
use flexline::rod::curvature::Basis;
use flexline_plot::{Axis, Chart, Series};
use serde::Serialize;
use serde_json::json;
use std::f64::consts::TAU;
use std::path::PathBuf;
use std::time::Instant;

/// Points that a curve is given by.
const POINTS: usize = 200;
/// Places at which an error is measured.
const PLACES: usize = 400;
/// Numbers of elements for the order.
const LADDER: [usize; 4] = [10, 20, 40, 80];
/// Noise on the points, as shares of the length.
const NOISE: [f64; 3] = [1e-5, 1e-4, 1e-3];

/// Fit helices to random curves by floating tangents and by least squares: error, time, order, noise
#[derive(Args)]
pub struct FloatingTangents {
    /// Number of random curves
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    curves: u32,
    /// Helices along a curve
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(2..=100))]
    elements: u32,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Chart of error over number of elements; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// What a method came to over all curves.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Method {
    /// Mean and largest of the largest distance of a fit, over the length.
    mean: f64,
    worst: f64,
    /// Seconds per curve.
    seconds: f64,
    /// Curves for which there was none.
    failed: usize,
}

/// A random curve of 1 m that curls in space: its points.
fn points(r: &mut Random) -> Result<Vec<Vec3>, Failure> {
    let mut wave = || (r.direction() * r.range(1.0, 8.0), r.range(0.5, 5.0), r.range(0.0, TAU));
    let waves = [wave(), wave(), wave()];
    let strain = |s: f64| waves.iter().map(|(a, f, phase)| a * (f * s + phase).sin()).sum::<Vec3>();
    let mut at = CurvePoint { position: Vec3::zeros(), frame: r.orientation() };
    let mut out = vec![at.position];
    let h = 1.0 / POINTS as f64;
    for k in 0..POINTS {
        let s = k as f64 * h;
        // Twice as fine as the points.
        for half in [s, s + 0.5 * h] {
            let element = ClothoidElement::new(strain(half), strain(half + 0.5 * h), 0.5 * h)
                .map_err(|e| Failure::Input(e.to_string()))?;
            at = element.point(0.5 * h).after(&at);
        }
        out.push(at.position);
    }
    Ok(out)
}

/// The curve through points.
fn curve(points: &[Vec3], noise: Noise) -> Result<Centreline, Failure> {
    Centreline::new(points, noise).map_err(|e| Failure::Input(e.to_string()))
}

/// The largest distance of a fit from a curve, over its length.
fn error(curve: &Centreline, fit: &Pieces) -> f64 {
    // A place by its share: those of the fit are walked once.
    let places = fit.places(8 * PLACES);
    let step = fit.length() / (8 * PLACES) as f64;
    let at = |s: f64| {
        let k = ((s / step) as usize).min(places.len() - 2);
        let own = &places[k];
        let along = s - k as f64 * step;
        let tangent = rotation::tangent(&own.frame);
        let next = rotation::tangent(&places[k + 1].frame);
        // A parabola between two places: far nearer than what is measured.
        (own.position + tangent * along + (next - tangent) * (0.5 * along * along / step), tangent)
    };
    deviation(curve, fit.length(), PLACES, &at).largest / curve.length()
}

/// Seconds of the fastest of three runs, and what the last gave.
fn timed<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut run = || {
        let begun = Instant::now();
        let own = work();
        (begun.elapsed().as_secs_f64(), own)
    };
    let mut best = run();
    for _ in 0..2 {
        let again = run();
        best = (best.0.min(again.0), again.1);
    }
    best
}

/// Runs the command.
pub fn run(args: &FloatingTangents) -> Result<u8, Failure> {
    args.plot.as_deref().map(Picture::of).transpose()?;
    let n = args.elements as usize;
    let count = args.curves as usize;
    let progress = Progress::new(count as u64, "curves");
    let (mut floating, mut least) = (Method::default(), Method::default());
    let (mut no_worse, mut ratios, mut prepared) = (0usize, Vec::with_capacity(count), 0.0);
    let mut ladder = [[0.0f64; 2]; LADDER.len()];
    let mut noisy = [[0.0f64; 2]; NOISE.len()];
    for k in 0..count {
        let mut r = Random::new(args.seed.wrapping_add(k as u64));
        let given = points(&mut r)?;
        let (seconds, own) = timed(|| curve(&given, Noise::None));
        let own = own?;
        prepared += seconds / count as f64;
        let up = Vec3::z();
        let framed = FramedCurve::new(&own, &up);
        let (fast, a) = timed(|| floating_tangents(&own, n, &up));
        let (slow, b) = timed(|| least_squares(&framed, Basis::Helix, n));
        let told = |method: &mut Method, seconds: f64, found: Option<Pieces>| {
            method.seconds += seconds / count as f64;
            match found.map(|fit| error(&own, &fit)) {
                Some(e) => {
                    method.mean += e / count as f64;
                    method.worst = method.worst.max(e);
                    e
                }
                None => {
                    method.failed += 1;
                    f64::INFINITY
                }
            }
        };
        let e = told(&mut floating, fast, a.ok().map(|own| own.0));
        let f = told(&mut least, slow, b.ok().map(|own| own.0));
        no_worse += usize::from(e <= f);
        ratios.push(e / f);
        for (row, n) in ladder.iter_mut().zip(LADDER) {
            if let Ok((fit, _)) = floating_tangents(&own, n, &up) {
                row[0] += error(&own, &fit) / count as f64;
            }
            // The dense least squares of many elements are for the first curves alone.
            if k < 5
                && let Ok((fit, _)) = least_squares(&framed, Basis::Helix, n)
            {
                row[1] += error(&own, &fit) / count.min(5) as f64;
            }
        }
        if k < 20 {
            for (row, share) in noisy.iter_mut().zip(NOISE) {
                let off: Vec<Vec3> = given.iter().map(|p| p + normal(&mut r) * share).collect();
                for (cell, noise) in row.iter_mut().zip([Noise::None, Noise::Estimated]) {
                    let smooth = curve(&off, noise)?;
                    if let Ok((fit, _)) = floating_tangents(&smooth, n, &up) {
                        *cell += error(&own, &fit) / count.min(20) as f64;
                    }
                }
            }
        }
        progress.step();
    }
    progress.finish();
    ratios.sort_by(f64::total_cmp);
    let middle = ratios[ratios.len() / 2];
    let exact = helices_again(args.seed, n)?;
    if let Some(path) = &args.plot {
        let line = |name: &str, which: usize| {
            let points = ladder.iter().zip(LADDER).map(|(row, n)| [n as f64, row[which]]).collect();
            Series::new(name, points)
        };
        let chart = Chart {
            title: "Helices along random curves".into(),
            x: Axis::log("elements"),
            y: Axis::log("largest error / L, mean over curves"),
            series: vec![line("floating tangents", 0).with_slope(-2.0), line("least squares (5 curves)", 1)],
            ..Chart::default()
        };
        Picture::of(path)?.write(&chart.drawing(640.0, 420.0)?, path, 1600)?;
    }
    if args.json {
        print_json(&json!({
            "format": 1,
            "curves": count,
            "elements": n,
            "floating_tangents": floating,
            "least_squares": least,
            "times_as_fast": least.seconds / floating.seconds,
            "error_ratio_median": middle,
            "no_worse": no_worse,
            "preparation_seconds": prepared,
            "curves_per_second": 1.0 / floating.seconds,
            "order": ladder.iter().zip(LADDER).map(|(row, n)| json!({ "elements": n, "floating": row[0], "least_squares": row[1] })).collect::<Vec<_>>(),
            "noise": noisy.iter().zip(NOISE).map(|(row, share)| json!({ "noise": share, "through": row[0], "smoothed": row[1] })).collect::<Vec<_>>(),
            "helices": exact,
        }));
        return Ok(GOOD);
    }
    print(&format!("{count} random curves of {POINTS} points, {n} helices each\n"));
    let mut table = Table::new(&["method", "mean error/L", "worst", "us per curve", "failed"]);
    for (name, own) in [("floating tangents", &floating), ("least squares", &least)] {
        table.row(&[
            name.to_owned(),
            number(own.mean),
            number(own.worst),
            number(1e6 * own.seconds),
            own.failed.to_string(),
        ]);
    }
    table.print();
    print(&format!(
        "floating tangents: {} times as fast, {} curves a second on one core (the curve through the points besides: {} us); error over that of \
         least squares: median {}, no worse on {no_worse} of {count}\n\n",
        number(least.seconds / floating.seconds),
        number(1.0 / floating.seconds),
        number(1e6 * prepared),
        number(middle),
    ));
    let mut table = Table::new(&["elements", "floating/L", "order", "least squares/L (5 curves)"]);
    for (k, (row, n)) in ladder.iter().zip(LADDER).enumerate() {
        let order = k.checked_sub(1).map_or("-".to_owned(), |b| {
            number((ladder[b][0] / row[0]).ln() / (n as f64 / LADDER[b] as f64).ln())
        });
        table.row(&[n.to_string(), number(row[0]), order, number(row[1])]);
    }
    table.print();
    print("\n");
    let mut table = Table::new(&["noise/L", "error/L, through the points", "error/L, smoothed"]);
    for (row, share) in noisy.iter().zip(NOISE) {
        table.row(&[number(share), number(row[0]), number(row[1])]);
    }
    table.print();
    print(&format!("\ncurves of {n} helices are found again to {} of the length\n", number(exact)));
    Ok(GOOD)
}

/// Three numbers of the normal distribution (Box and Muller 1958).
fn normal(r: &mut Random) -> Vec3 {
    Vec3::from_fn(|_, _| {
        let (u, v) = (1.0 - r.unit(), r.unit());
        (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
    })
}

/// How far from a curve of equal helices, given by its joints, the helices are that are found: over its length.
fn helices_again(seed: u64, n: usize) -> Result<f64, Failure> {
    let mut r = Random::new(seed);
    let mut worst: f64 = 0.0;
    for _ in 0..100 {
        let strains: Vec<Vec3> = (0..n).map(|_| r.direction() * r.range(1.0, 20.0)).collect();
        let ends = (0..=n).map(|k| k as f64 / n as f64).collect();
        let start = CurvePoint { position: Vec3::zeros(), frame: r.orientation() };
        let truth =
            Pieces::new(Basis::Helix, start, ends, strains).map_err(|e| Failure::Input(e.to_string()))?;
        let joint = |p: &CurvePoint| flexline::inverse::Joint {
            position: p.position,
            tangent: rotation::tangent(&p.frame),
        };
        let joints: Vec<_> = truth.places(n).iter().map(joint).collect();
        let up = rotation::rotate(&truth.start().frame, &Vec3::x());
        let found = flexline::inverse::helices(&joints, &up).map_err(|e| Failure::Input(e.to_string()))?;
        let mut ends = vec![0.0];
        found.elements.iter().for_each(|own| ends.push(ends[ends.len() - 1] + own.length()));
        let strains = found.elements.iter().map(|own| own.curvature()).collect();
        let again = Pieces::new(Basis::Helix, found.start, ends, strains)
            .map_err(|e| Failure::Input(e.to_string()))?;
        let off = truth
            .places(PLACES)
            .iter()
            .zip(again.places(PLACES))
            .map(|(a, b)| (a.position - b.position).norm())
            .fold(0.0, f64::max);
        worst = worst.max(off);
    }
    Ok(worst)
}
