//! `flexline experiment friction`: methods for contact forces with Coulomb friction side by side, and what a pyramid in place
//! of the cone does to a block that is led around in circles (Bertails-Descoubes 2017, §3.2).

use super::orbit::{self, Orbit};
use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use flexline::Vec3;
use flexline::solver::cone::sample::{self, Sample};
use flexline::solver::cone::{
    ConeMethod, ConeProblem, ConeSettings, ConeSolution, ConeStatus, ConeWorkspace, law, solve,
};
use flexline_plot::{Axis, Chart, Series};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Compare methods for contact forces with friction, and the cone with pyramids
#[derive(Args)]
pub struct Friction {
    /// Problem: a cable pressed around a cylinder, bodies that meet at random, or a heap of balls
    #[arg(long, value_enum, default_value = "cable")]
    problem: Problem,
    /// Numbers of contacts
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [9, 36, 100],
          value_parser = clap::value_parser!(u32).range(1..=20_000))]
    contacts: Vec<u32>,
    /// Coefficient of friction
    #[arg(long, value_name = "MU", default_value_t = 0.3, value_parser = coefficient)]
    friction: f64,
    /// Seed of the problems
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Residual over the largest force at which a method is content
    #[arg(long, value_name = "SHARE", default_value_t = 1e-8, value_parser = share)]
    tolerance: f64,
    /// Most iterations of a method
    #[arg(long, value_name = "N", default_value_t = 2000)]
    iterations: u32,
    /// Most contacts of Newton's method, whose matrix is dense
    #[arg(long, value_name = "N", default_value_t = 300)]
    dense: u32,
    /// Chart of residuals over iterations to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Chart of a block's speed around a circle to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot_orbit: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Problem {
    Cable,
    Bodies,
    Heap,
}

fn coefficient(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 100, such as 0.3".into()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("expected a number above 0 and below 1, such as 1e-8".into()),
    }
}

/// The methods, and how they are called.
const METHODS: [(&str, ConeMethod); 7] = [
    ("Newton, Alart–Curnier", ConeMethod::Newton),
    ("Gauss–Seidel", ConeMethod::GaussSeidel),
    ("conjugate sweeps", ConeMethod::ConjugateSweeps),
    ("fixed point, Cadoux", ConeMethod::FixedPoint),
    ("bipotential, De Saxcé", ConeMethod::Bipotential),
    ("pyramid of 4", ConeMethod::Pyramid(4)),
    ("pyramid of 16", ConeMethod::Pyramid(16)),
];

/// One method on one problem.
#[derive(Serialize)]
struct Line {
    method: &'static str,
    contacts: usize,
    status: String,
    iterations: usize,
    /// Largest defect of Coulomb's law on the cone over the largest force.
    residual: f64,
    /// Largest error of a force over the largest force; none where forces are not unique or have no reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    milliseconds: f64,
    #[serde(skip)]
    history: Vec<f64>,
}

impl Problem {
    fn sample(self, contacts: usize, friction: f64, seed: u64) -> Sample {
        match self {
            Self::Cable => sample::wrapped(contacts, std::f64::consts::PI, friction, seed),
            Self::Bodies => {
                let mut sample = sample::random(contacts, 4.0, 1.0, seed);
                sample.friction.fill(friction);
                sample
            }
            Self::Heap => sample::pile(contacts, friction, seed),
        }
    }
}

fn largest(forces: &[Vec3]) -> f64 {
    forces.iter().map(Vec3::norm).fold(0.0, f64::max)
}

/// The residual of the exact law, whatever law the method solved.
fn residual(problem: &ConeProblem, solution: &ConeSolution) -> f64 {
    let each = (0..problem.free.len()).map(|k| {
        let compliance = problem.delassus.diagonal(k).norm();
        law::defect(&solution.forces[k], &solution.motion[k], problem.friction[k], compliance).norm()
    });
    let worst = each.fold(0.0, f64::max);
    if worst == 0.0 { 0.0 } else { worst / largest(&solution.forces) }
}

/// Forces to round-off, where they are unique and Newton's method finds them.
fn reference(args: &Friction, problem: &ConeProblem) -> Result<Option<Vec<Vec3>>, Failure> {
    if args.problem == Problem::Heap || problem.free.len() > args.dense as usize {
        return Ok(None);
    }
    let mut solution = ConeSolution::default();
    let settings = ConeSettings { tolerance: 1e-14, most_iterations: 5000, ..ConeSettings::default() };
    solve(problem, &mut solution, &mut ConeWorkspace::default(), &settings)
        .map_err(|e| Failure::Input(e.to_string()))?;
    Ok((solution.relative_residual() < 1e-12).then_some(solution.forces))
}

fn line(
    args: &Friction,
    (name, method): (&'static str, ConeMethod),
    problem: &ConeProblem,
    exact: Option<&[Vec3]>,
) -> Result<Line, Failure> {
    let settings = ConeSettings {
        method,
        tolerance: args.tolerance,
        most_iterations: args.iterations as usize,
        ..ConeSettings::default()
    };
    let (mut solution, mut workspace) = (ConeSolution::default(), ConeWorkspace::default());
    let mut milliseconds = f64::INFINITY;
    // What disturbs a measurement only ever adds to it; long ones are disturbed less.
    for _ in 0..3 {
        solution.forces.clear();
        let start = Instant::now();
        solve(problem, &mut solution, &mut workspace, &settings)
            .map_err(|e| Failure::Input(e.to_string()))?;
        milliseconds = milliseconds.min(start.elapsed().as_secs_f64() * 1e3);
        if milliseconds > 500.0 {
            break;
        }
    }
    let error = exact.map(|exact| {
        let off = exact.iter().zip(&solution.forces).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        if off == 0.0 { 0.0 } else { off / largest(exact) }
    });
    Ok(Line {
        method: name,
        contacts: problem.free.len(),
        status: solution.status.to_string(),
        iterations: solution.iterations,
        residual: residual(problem, &solution),
        error,
        milliseconds,
        history: workspace.history().to_vec(),
    })
}

/// Runs the command; the answer is no where the default method fails.
pub fn run(args: &Friction) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let orbit_picture = args.plot_orbit.as_deref().map(Picture::of).transpose()?;
    let mut sizes: Vec<usize> = args.contacts.iter().map(|&n| n as usize).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let progress = Progress::new((sizes.len() * METHODS.len()) as u64, "solves");
    let mut lines = Vec::new();
    for contacts in sizes {
        let sample = args.problem.sample(contacts, args.friction, args.seed);
        let problem = sample.problem();
        let exact = reference(args, &problem)?;
        for method in METHODS {
            if method.1 != ConeMethod::Newton || contacts <= args.dense as usize {
                lines.push(line(args, method, &problem, exact.as_deref())?);
            }
            progress.step();
        }
    }
    progress.finish();
    let orbits = orbit::all().map_err(|e| Failure::Input(e.to_string()))?;
    if args.json {
        let exponents = exponents(&lines);
        print_json(
            &json!({ "friction": args.friction, "runs": lines, "growth": exponents, "orbits": orbits }),
        );
    } else {
        report(args, &lines, &orbits);
    }
    let written = |path: &PathBuf| {
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    };
    if let (Some(path), Some(picture)) = (&args.plot, picture) {
        picture.write(&chart(args, &lines).drawing(760.0, 480.0)?, path, 1520)?;
        written(path);
    }
    if let (Some(path), Some(picture)) = (&args.plot_orbit, orbit_picture) {
        picture.write(&orbit::chart(&orbits).drawing(760.0, 480.0)?, path, 1520)?;
        written(path);
    }
    let converged = ConeStatus::Converged.to_string();
    let failed = lines.iter().any(|l| l.method == METHODS[0].0 && l.status != converged);
    Ok(if failed { NO } else { GOOD })
}

/// Exponents of iterations and time over contacts, of methods that converged at both ends.
fn exponents(lines: &[Line]) -> Vec<serde_json::Value> {
    let converged = ConeStatus::Converged.to_string();
    let each = METHODS.iter().filter_map(|(name, _)| {
        let own: Vec<&Line> =
            lines.iter().filter(|l| l.method == *name && l.status == converged && l.iterations > 0).collect();
        let (first, last) = (own.first()?, own.last()?);
        let over = (last.contacts as f64 / first.contacts as f64).ln();
        let exponent = |of: &dyn Fn(&Line) -> f64| (of(last) / of(first)).ln() / over;
        (over > 0.0).then(|| {
            json!({
                "method": name,
                "iterations": exponent(&|l| l.iterations as f64),
                "milliseconds": exponent(&|l| l.milliseconds),
            })
        })
    });
    each.collect()
}

fn report(args: &Friction, lines: &[Line], orbits: &[Orbit]) {
    let what = match args.problem {
        Problem::Cable => "a cable pressed around half a cylinder and pulled",
        Problem::Bodies => "bodies that meet at random",
        Problem::Heap => "a heap of balls that is caught while it falls",
    };
    print(&format!("{what}, friction {}, seed {}\n\n", args.friction, args.seed));
    let mut table = Table::new(&["method", "contacts", "iterations", "residual", "error", "ms", "status"]);
    for l in lines {
        table.row(&[
            l.method.to_string(),
            l.contacts.to_string(),
            l.iterations.to_string(),
            format!("{:.1e}", l.residual),
            l.error.map_or_else(|| "-".to_string(), |e| format!("{e:.1e}")),
            format!("{:.2}", l.milliseconds),
            l.status.clone(),
        ]);
    }
    table.print();
    let growth = exponents(lines);
    if !growth.is_empty() {
        print("\ngrowth with the number of contacts, where both ends converged: exponents\n");
        let mut table = Table::new(&["method", "iterations", "time"]);
        for g in growth {
            let number = |key: &str| g[key].as_f64().map_or_else(|| "-".to_string(), |v| format!("{v:.2}"));
            let name = g["method"].as_str().unwrap_or_default().to_string();
            table.row(&[name, number("iterations"), number("milliseconds")]);
        }
        table.print();
    }
    orbit::report(orbits);
}

/// Residuals over iterations on the largest problem.
fn chart(args: &Friction, lines: &[Line]) -> Chart {
    let most = lines.iter().map(|l| l.contacts).max().unwrap_or(0);
    let series = lines.iter().filter(|l| l.contacts == most && !l.history.is_empty()).map(|l| {
        let points = l.history.iter().enumerate().filter(|(_, r)| r.is_finite() && **r > 0.0);
        Series::new(l.method, points.map(|(i, r)| [(i + 1) as f64, r.clamp(1e-16, 1e3)]).collect())
    });
    Chart {
        title: format!("Contact forces, {most} contacts, friction {}", args.friction),
        x: Axis::log("iterations"),
        y: Axis::log("residual over largest force"),
        series: series.filter(|s| s.points.len() > 1).collect(),
        ..Chart::default()
    }
}
