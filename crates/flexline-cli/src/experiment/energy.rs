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
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span};
use flexline::solver::statics::Settings;
use flexline::solver::strands::{StrandMotion, StrandSettings, StrandWorkspace};
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
/// The same for semi-implicit steps, whose weight is that of the step before: more than that is no error but growth.
const SEMI_IMPLICIT_GAIN: f64 = 1e-2;

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

/// How a step is taken.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Implicit(Integrator),
    SemiImplicit,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Implicit(Integrator::ImplicitEuler) => "implicit Euler",
            Self::Implicit(Integrator::Bdf2) => "BDF2",
            Self::Implicit(Integrator::GeneralisedAlpha { .. }) => "generalised-α",
            Self::SemiImplicit => "semi-implicit",
        }
    }

    /// Whether it moves that model.
    fn moves(self, model: Model) -> bool {
        self != Self::SemiImplicit || matches!(model, Model::Helix | Model::Clothoid)
    }
}

/// The rod in motion.
enum Moved {
    Implicit(Box<Motion>, Box<NetworkWorkspace>),
    SemiImplicit(Box<StrandMotion>, Box<StrandWorkspace>),
}

impl Moved {
    fn new(way: Way, network: &Network) -> Result<Self, Failure> {
        let state = NetworkState::initial(network);
        Ok(match way {
            Way::Implicit(_) => {
                let motion = Box::new(Motion::at_rest(network, state));
                Self::Implicit(motion, Box::new(NetworkWorkspace::new(network)))
            }
            Way::SemiImplicit => {
                let ws = StrandWorkspace::new(network).map_err(|e| Failure::Input(e.to_string()))?;
                Self::SemiImplicit(Box::new(StrandMotion::at_rest(network, state)), Box::new(ws))
            }
        })
    }

    fn energy(&mut self, network: &Network) -> f64 {
        match self {
            Self::Implicit(motion, _) => motion.energies(network).total(),
            Self::SemiImplicit(motion, ws) => motion.energies(ws).total(),
        }
    }

    fn time(&self) -> f64 {
        match self {
            Self::Implicit(motion, _) => motion.time,
            Self::SemiImplicit(motion, _) => motion.time,
        }
    }

    fn step(&mut self, network: &Network, way: Way, step: f64) -> Result<Status, Failure> {
        match (self, way) {
            (Self::Implicit(motion, ws), Way::Implicit(integrator)) => {
                let settings = MotionSettings::new(step, integrator);
                let report = motion.step(network, ws, &settings, &Settings::interactive());
                report.map(|r| r.status).map_err(|e| Failure::Input(e.to_string()))
            }
            (Self::SemiImplicit(motion, ws), _) => motion
                .step(network, ws, &StrandSettings::new(step))
                .map_err(|e| Failure::Input(e.to_string())),
            // A motion goes on as it began.
            (Self::Implicit(..), Way::SemiImplicit) => Ok(Status::NumericalFailure),
        }
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
fn let_go(scene: Scene, model: Model, way: Way, step: f64, seconds: f64) -> Result<Run, Failure> {
    let network = scene.network(model)?;
    let strand = scene.strand();
    let scale = strand.mass_per_length * GRAVITY * strand.length.powi(2);
    let mut moved = Moved::new(way, &network)?;
    let first = moved.energy(&network);
    let steps = (seconds / step).round().clamp(1.0, MOST_STEPS) as usize;
    let every = (steps / SAMPLES).max(1);
    let mut run = Run {
        model,
        resolution: scene.resolution(model),
        integrator: way.name(),
        step,
        steps,
        failed: None,
        gained: 0.0,
        lost: 0.0,
        change: 0.0,
        points: vec![[0.0, 0.0]],
    };
    for k in 1..=steps {
        if moved.step(&network, way, step)? != Status::Converged {
            run.failed = Some(moved.time());
            break;
        }
        run.change = (moved.energy(&network) - first) / scale;
        run.gained = run.gained.max(run.change);
        run.lost = run.lost.max(-run.change);
        if k % every == 0 {
            run.points.push([moved.time(), run.change]);
        }
    }
    Ok(run)
}

/// Runs the command.
pub fn run(args: &Energy) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let ways = [
        (Way::Implicit(Integrator::ImplicitEuler), LONG),
        (Way::Implicit(Integrator::Bdf2), LONG),
        (Way::SemiImplicit, LONG),
        (Way::Implicit(Integrator::GeneralisedAlpha { rho: 0.9 }), args.step),
        (Way::SemiImplicit, args.step),
    ];
    let count = |way: Way| Model::ALL.into_iter().filter(|model| way.moves(*model)).count() as u64;
    let progress = Progress::new(ways.iter().map(|(way, _)| count(*way)).sum(), "runs");
    let mut runs = Vec::new();
    for (way, step) in ways {
        for model in Model::ALL.into_iter().filter(|model| way.moves(*model)) {
            runs.push(let_go(args.scene, model, way, step, args.seconds)?);
            progress.step();
        }
    }
    progress.finish();
    // Implicit Euler and BDF2 damp; what they gain they would have from nowhere.
    let most = |r: &Run| if r.integrator == Way::SemiImplicit.name() { SEMI_IMPLICIT_GAIN } else { GAIN };
    let stable = |r: &Run| r.failed.is_none() && (r.step < LONG || r.gained < most(r));
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
