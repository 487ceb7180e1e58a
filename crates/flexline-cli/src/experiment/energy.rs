//! `flexline experiment energy`: energy over time of rods that are let go without damping, in every model
//! (Casati & Bertails-Descoubes 2013, §8.1, benchmarks (a) and (b)).

use super::models::{GRAVITY, Model, Strand, positive};
use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::statics::Settings;
use flexline::solver::statics::network::{
    Anchor, Attachment, Integrator, Motion, MotionSettings, Network, NetworkState, NetworkWorkspace, Span,
};
use flexline::solver::{Pose, Status};
use flexline_plot::{Axis, Chart, Series};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Compare the rod models in motion without damping: energy over time
#[derive(Args)]
pub struct Energy {
    /// What is let go
    #[arg(long, value_enum, default_value = "swing")]
    scene: Scene,
    /// Time to follow, s
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 2.0)]
    seconds: f64,
    /// The short step, s
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 0.001)]
    step: f64,
    /// Chart to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// What is let go.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scene {
    /// A straight rod, clamped horizontally, falls and swings.
    Swing,
    /// A curly rod, held in the helix of its rest shape, unwinds under its weight.
    Unwind,
}

/// The long step, s: one picture of thirty in a second.
const LONG: f64 = 1.0 / 30.0;
/// Points of a line in the chart, about.
const SAMPLES: usize = 300;
/// Most steps of a run.
const MOST_STEPS: f64 = 1e6;
/// Energy out of nothing, over m g L, that is no longer round-off and tolerance.
const GAIN: f64 = 1e-6;

impl Scene {
    fn strand(self) -> Strand {
        match self {
            Self::Swing => Strand::STRAIGHT,
            Self::Unwind => Strand::curly(5.0, 400.0),
        }
    }

    fn resolution(self, model: Model) -> usize {
        match (self, model) {
            (Self::Swing, Model::Clothoid) => 6,
            (Self::Swing, Model::Helix) => 12,
            (Self::Swing, _) => 60,
            (Self::Unwind, Model::Clothoid) => 12,
            (Self::Unwind, Model::Helix) => 24,
            (Self::Unwind, _) => 120,
        }
    }

    fn network(self, model: Model) -> Result<Network, Failure> {
        let strand = self.strand();
        let orientation = match self {
            Self::Swing => rotation::frame(&Vec3::x(), &Vec3::y()),
            Self::Unwind => rotation::between(&strand.rest.normalize(), &-Vec3::z()),
        };
        let rod = model.rod(&strand, self.resolution(model))?;
        Ok(Network {
            anchors: vec![Anchor::fixed(Pose { position: Vec3::zeros(), orientation })],
            spans: vec![Span::new(rod, Attachment::clamped(0), None)],
            gravity: Vec3::new(0.0, 0.0, -GRAVITY),
            ..Network::default()
        })
    }
}

/// One model with one integrator.
#[derive(Serialize)]
struct Run {
    model: Model,
    resolution: usize,
    integrator: &'static str,
    step: f64,
    steps: usize,
    /// When a step did not converge, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<f64>,
    /// Most and least of the energy above that of the start, over m g L.
    gained: f64,
    lost: f64,
    /// What has changed at the end.
    change: f64,
    #[serde(skip)]
    points: Vec<[f64; 2]>,
}

/// Lets the rod go.
fn let_go(
    scene: Scene,
    model: Model,
    (name, integrator): (&'static str, Integrator),
    step: f64,
    seconds: f64,
) -> Result<Run, Failure> {
    let network = scene.network(model)?;
    let strand = scene.strand();
    let scale = strand.mass_per_length * GRAVITY * strand.length.powi(2);
    let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
    let mut ws = NetworkWorkspace::new(&network);
    let settings = MotionSettings { step, integrator, strain_delay: 0.0, drag: 0.0, wind: Vec3::zeros() };
    let first = motion.energies(&network).total();
    let steps = (seconds / step).round().clamp(1.0, MOST_STEPS) as usize;
    let every = (steps / SAMPLES).max(1);
    let mut run = Run {
        model,
        resolution: scene.resolution(model),
        integrator: name,
        step,
        steps,
        failed: None,
        gained: 0.0,
        lost: 0.0,
        change: 0.0,
        points: vec![[0.0, 0.0]],
    };
    for k in 1..=steps {
        let report = motion
            .step(&network, &mut ws, &settings, &Settings::interactive())
            .map_err(|e| Failure::Input(e.to_string()))?;
        if report.status != Status::Converged {
            run.failed = Some(motion.time);
            break;
        }
        run.change = (motion.energies(&network).total() - first) / scale;
        run.gained = run.gained.max(run.change);
        run.lost = run.lost.max(-run.change);
        if k % every == 0 {
            run.points.push([motion.time, run.change]);
        }
    }
    Ok(run)
}

/// Runs the command.
pub fn run(args: &Energy) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let ways = [
        (("implicit Euler", Integrator::ImplicitEuler), LONG),
        (("BDF2", Integrator::Bdf2), LONG),
        (("generalised-α", Integrator::GeneralisedAlpha { rho: 0.9 }), args.step),
    ];
    let progress = Progress::new((ways.len() * Model::ALL.len()) as u64, "runs");
    let mut runs = Vec::new();
    for (way, step) in ways {
        for model in Model::ALL {
            runs.push(let_go(args.scene, model, way, step, args.seconds)?);
            progress.step();
        }
    }
    progress.finish();
    // Implicit Euler and BDF2 damp; what they gain they would have from nowhere.
    let stable = |r: &Run| r.failed.is_none() && (r.step < LONG || r.gained < GAIN);
    let good = runs.iter().all(stable);
    if args.json {
        print_json(&json!({ "strand": args.scene.strand(), "seconds": args.seconds, "runs": runs }));
    } else {
        report(args, &runs);
    }
    if let (Some(path), Some(picture)) = (&args.plot, picture) {
        let line = |r: &Run| {
            let series = Series::new(format!("{}, {}", r.model.name(), r.integrator), r.points.clone());
            if r.step < LONG { series.reference() } else { series }
        };
        let chart = Chart {
            title: "Let go without damping: mechanical energy".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("change of energy / m g L"),
            series: runs.iter().filter(|r| r.integrator != "implicit Euler").map(line).collect(),
            ..Chart::default()
        };
        picture.write(&chart.drawing(760.0, 480.0)?, path, 1520)?;
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    }
    Ok(if good { GOOD } else { NO })
}

fn report(args: &Energy, runs: &[Run]) {
    print(&format!("{}, let go for {} s\n\n", args.scene.strand().describe(), args.seconds));
    let mut table = Table::new(&[
        "model",
        "resolution",
        "integrator",
        "step ms",
        "steps",
        "gained / mgL",
        "lost / mgL",
        "change / mgL",
        "failed at s",
    ]);
    for r in runs {
        table.row(&[
            r.model.name().to_string(),
            r.resolution.to_string(),
            r.integrator.to_string(),
            format!("{:.3}", r.step * 1e3),
            r.steps.to_string(),
            format!("{:.1e}", r.gained),
            format!("{:.1e}", r.lost),
            format!("{:.1e}", r.change),
            r.failed.map_or_else(|| "-".to_string(), |t| format!("{t:.3}")),
        ]);
    }
    table.print();
}
