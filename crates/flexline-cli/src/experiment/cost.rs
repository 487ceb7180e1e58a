//! `flexline experiment cost`: what a small move of an end costs in every model, over unknowns and over
//! accuracy (Casati & Bertails-Descoubes 2013, §8.1 and figure 9, middle and right).

use super::models::{GRAVITY, Model, Strand, centreline, distance, equilibrium, positive, reach, unknowns};
use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use flexline::algebra::rotation;
use flexline::geometry::darboux::HelixElement;
use flexline::rod::{Rod, Station};
use flexline::solver::statics::{Settings, Workspace, initial_state, solve};
use flexline::solver::{End, Pose, Problem, State, Status};
use flexline::{Quat, Vec3};
use flexline_plot::{Axis, Chart, Series};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Compare the rod models by what dragging an end costs: over unknowns, and over accuracy
#[derive(Args)]
pub struct Cost {
    /// What is dragged
    #[arg(long, value_enum, default_value = "cable")]
    rod: Which,
    /// Coils of the curly rod at rest
    #[arg(long, value_name = "N", value_parser = positive, default_value_t = 5.0)]
    coils: f64,
    /// Weight of the curly rod over its stiffness, m g L³/K
    #[arg(long, value_name = "X", value_parser = positive, default_value_t = 400.0)]
    weight: f64,
    /// Increments to take the median of
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    increments: u32,
    /// Chart of cost over accuracy to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Chart of cost over unknowns to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot_unknowns: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// The rods that can be dragged.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// A straight cable in a bow with a turn of twist.
    Cable,
    /// A curly strand, its ends a little farther apart than at rest.
    Curly,
}

/// Elements of the reference, a clothoid rod.
const REFERENCE: usize = 256;
/// Accuracies at which the models are compared, as shares of the length.
const WANTED: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
/// Increments of one rod before the next has its turn.
const AT_A_TIME: u32 = 10;
/// How far an increment moves the end, as a share of the length.
const INCREMENT: f64 = 1e-3;

fn resolutions(model: Model) -> Vec<usize> {
    match model {
        Model::Clothoid => vec![3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64],
        Model::Helix => vec![4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512],
        Model::Nodal | Model::Mixed => vec![60, 120, 240, 480, 960, 1920, 3840, 7680],
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
    /// Median time of an increment, µs.
    microseconds: f64,
    /// Newton iterations of an increment, on average.
    iterations: f64,
}

/// What an accuracy costs in a model.
#[derive(Serialize)]
struct Needs {
    error: f64,
    model: Model,
    microseconds: f64,
    /// Over what it costs with the mixed rod.
    ratio: f64,
}

/// What is dragged: the strand and its ends.
struct Scene {
    strand: Strand,
    ends: [End; 2],
}

impl Scene {
    fn of(args: &Cost) -> Result<Self, Failure> {
        let clamp = |position: Vec3, orientation: Quat| End::clamped(Pose { position, orientation });
        match args.rod {
            Which::Cable => {
                let frame = rotation::frame(&Vec3::y(), &Vec3::z());
                let start = clamp(Vec3::zeros(), frame);
                let mut end = clamp(Vec3::new(0.5, 0.1, 0.2), rotation::frame(&Vec3::x(), &Vec3::z()));
                end.twist = 2.0 * std::f64::consts::PI;
                Ok(Self { strand: Strand::STRAIGHT, ends: [start, end] })
            }
            Which::Curly => {
                let strand = Strand::curly(args.coils, args.weight);
                // A helix about the x axis, as it lies at rest, its far end drawn out by a tenth of the length.
                let first = rotation::between(&strand.rest.normalize(), &Vec3::x());
                let helix = HelixElement::new(strand.rest, strand.length)
                    .map_err(|e| Failure::Input(e.to_string()))?;
                let far = helix.point(strand.length);
                let at = rotation::rotate(&first, &far.position) + Vec3::x() * (0.1 * strand.length);
                Ok(Self { strand, ends: [clamp(Vec3::zeros(), first), clamp(at, first * far.frame)] })
            }
        }
    }

    fn problem(&self, model: Model, n: usize) -> Result<Problem, Failure> {
        let mut problem = Problem::new(model.rod(&self.strand, n)?, self.ends[0], self.ends[1]);
        problem.gravity = Vec3::new(0.0, 0.0, -GRAVITY);
        Ok(problem)
    }
}

/// The rod at rest at its first end; its second is where it then comes to lie.
fn at_rest(problem: &Problem) -> State {
    let start = problem.ends[0];
    let frame = start.frame().unwrap_or_else(rotation::identity);
    let rest = problem.rod.rest_state(&Station { position: start.position, frame });
    let far = problem.rod.station(&rest, problem.rod.length());
    let end = End::clamped(Pose { position: far.position, orientation: far.frame });
    State::new(rest, [start, end])
}

/// A rod that is dragged.
struct Dragged {
    model: Model,
    resolution: usize,
    problem: Problem,
    state: State,
    ws: Workspace,
    home: Vec3,
    error: f64,
    times: Vec<f64>,
    iterations: usize,
}

impl Dragged {
    fn new(scene: &Scene, model: Model, n: usize, reference: Option<&[Vec3]>) -> Result<Self, Failure> {
        let problem = scene.problem(model, n)?;
        let mut ws = Workspace::new(&problem);
        // What is curly is dragged from where it lies at rest; only so do all models come to the same shape.
        let first =
            if scene.strand.rest == Vec3::zeros() { initial_state(&problem) } else { at_rest(&problem) };
        let state = equilibrium(&problem, first, &mut ws, &Settings::interactive())?;
        let own = centreline(&problem.rod, &state);
        let error = reference.map_or(0.0, |r| distance(&own, r) / scene.strand.length);
        let home = problem.ends[1].position;
        Ok(Self { model, resolution: n, problem, state, ws, home, error, times: Vec::new(), iterations: 0 })
    }

    /// The end there and back in turn; the time is that of the solve.
    fn increment(&mut self, k: u32) -> Result<(), Failure> {
        let by = Vec3::new(1.0, 0.5, -0.3).normalize() * (INCREMENT * f64::from((k + 1) % 2));
        self.problem.ends[1].position = self.home + by;
        let start = Instant::now();
        let report = solve(&self.problem, &mut self.state, &mut self.ws, &Settings::interactive());
        self.times.push(start.elapsed().as_secs_f64() * 1e6);
        let report = report.map_err(|e| Failure::Input(e.to_string()))?;
        if report.status != Status::Converged {
            let (model, n) = (self.model.name(), self.resolution);
            return Err(Failure::Input(format!("{model}, {n}: an increment ended: {}", report.status)));
        }
        self.iterations += report.iterations;
        self.ws.reuse(report);
        Ok(())
    }

    fn line(mut self) -> Line {
        self.times.sort_by(f64::total_cmp);
        Line {
            model: self.model,
            resolution: self.resolution,
            unknowns: unknowns(&self.problem.rod),
            error: self.error,
            microseconds: self.times[self.times.len() / 2],
            iterations: self.iterations as f64 / self.times.len() as f64,
        }
    }
}

/// Runs the command.
pub fn run(args: &Cost) -> Result<u8, Failure> {
    let pictures = [&args.plot, &args.plot_unknowns].map(|p| p.as_deref().map(Picture::of).transpose());
    let [by_error, by_unknowns] = pictures;
    let (by_error, by_unknowns) = (by_error?, by_unknowns?);
    let scene = Scene::of(args)?;
    let reference = Dragged::new(&scene, Model::Clothoid, REFERENCE, None)?;
    let reference = centreline(&reference.problem.rod, &reference.state);
    let mut rods = Vec::new();
    for model in Model::ALL {
        for n in resolutions(model) {
            rods.push(Dragged::new(&scene, model, n, Some(&reference))?);
        }
    }
    // In turn, so that what disturbs the machine disturbs all of them; some increments at a time, as a hand makes them.
    let progress = Progress::new(u64::from(args.increments), "increments");
    for from in (0..args.increments).step_by(AT_A_TIME as usize) {
        let to = (from + AT_A_TIME).min(args.increments);
        for rod in &mut rods {
            for k in from..to {
                rod.increment(k)?;
            }
        }
        (from..to).for_each(|_| progress.step());
    }
    progress.finish();
    let lines: Vec<Line> = rods.into_iter().map(Dragged::line).collect();
    let of = |model: Model| lines.iter().filter(move |l| l.model == model);
    let cost = |model: Model, error: f64| {
        let points: Vec<(f64, f64)> = of(model).map(|l| (l.microseconds, l.error)).collect();
        reach(&points, error)
    };
    let mut needs = Vec::new();
    for error in WANTED {
        for model in Model::ALL {
            if let (Some(microseconds), Some(mixed)) = (cost(model, error), cost(Model::Mixed, error)) {
                needs.push(Needs { error, model, microseconds, ratio: microseconds / mixed });
            }
        }
    }
    if args.json {
        print_json(&json!({ "strand": scene.strand, "runs": lines, "needs": needs }));
    } else {
        report(&scene.strand, &lines, &needs);
    }
    let chart = |x: Axis, value: &dyn Fn(&Line) -> f64| Chart {
        title: "One increment of dragging".into(),
        x,
        y: Axis::log("time, µs"),
        series: Model::ALL
            .into_iter()
            .map(|m| Series::new(m.name(), of(m).map(|l| [value(l), l.microseconds]).collect()))
            .collect(),
        ..Chart::default()
    };
    let charts = [
        (&args.plot, by_error, chart(Axis::log("largest distance / L"), &|l| l.error.max(1e-12))),
        (&args.plot_unknowns, by_unknowns, chart(Axis::log("unknowns"), &|l| l.unknowns as f64)),
    ];
    for (path, picture, chart) in charts {
        if let (Some(path), Some(picture)) = (path, picture) {
            picture.write(&chart.drawing(760.0, 480.0)?, path, 1520)?;
            if !args.json {
                print(&format!("{} written\n", path.display()));
            }
        }
    }
    Ok(GOOD)
}

fn report(strand: &Strand, lines: &[Line], needs: &[Needs]) {
    print(&format!("{}, clamped at both ends, one of them moved by {INCREMENT} L\n\n", strand.describe()));
    let mut table = Table::new(&["model", "resolution", "unknowns", "error / L", "time µs", "iterations"]);
    for l in lines {
        table.row(&[
            l.model.name().to_string(),
            l.resolution.to_string(),
            l.unknowns.to_string(),
            format!("{:.1e}", l.error),
            format!("{:.1}", l.microseconds),
            format!("{:.1}", l.iterations),
        ]);
    }
    table.print();
    print("\ntime that an accuracy costs\n");
    let mut table = Table::new(&["error / L", "model", "time µs", "× mixed"]);
    for n in needs {
        table.row(&[
            format!("{:.0e}", n.error),
            n.model.name().to_string(),
            format!("{:.1}", n.microseconds),
            format!("{:.2}", n.ratio),
        ]);
    }
    table.print();
}
