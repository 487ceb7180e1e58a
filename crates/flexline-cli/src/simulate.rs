//! `flexline simulate`: a scene in motion, from its equilibrium, with something let go or moved.

use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::run_file::{CableHeader, Frame, Header, Writer, read};
use crate::session::{AnySolved, SceneArgs, solve_scene};
use clap::{Args, ValueEnum};
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::Status;
use flexline::solver::statics::Settings;
use flexline::solver::statics::network::{
    Integrator, Motion, MotionSettings, Network, NetworkState, NetworkWorkspace,
};
use flexline_plot::{ColourMap, ColourScale, End, Paint, Quantity, Subject, Tube, ViewOptions, perspective};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Set a scene in motion from its equilibrium: let loads or holds go, or move what is held
#[derive(Args)]
pub struct Simulate {
    #[command(flatten)]
    scene: SceneArgs,
    /// Time to simulate, s
    #[arg(long, default_value_t = 1.0)]
    duration: f64,
    /// Step, s
    #[arg(long, default_value_t = 0.005)]
    step: f64,
    /// How time is integrated
    #[arg(long, value_enum, default_value_t = Scheme::Alpha)]
    integrator: Scheme,
    /// For the alpha integrator: 1 keeps all energy, 0 damps what a step cannot resolve
    #[arg(long, default_value_t = 0.8)]
    rho: f64,
    /// Strain damping: delay of the bending and twisting moments, s
    #[arg(long, default_value_t = 0.005)]
    strain_delay: f64,
    /// Drag in air, N s/m per metre of cable
    #[arg(long, default_value_t = 0.02)]
    drag: f64,
    /// What is let go at time 0: "loads", "start", "end", or a port, clip or part of a harness
    #[arg(long, value_name = "WHAT")]
    release: Vec<String>,
    /// What is moved, smoothly and over half the time: NAME=X,Y,Z in metres
    #[arg(long = "move", value_name = "NAME=X,Y,Z", allow_hyphen_values = true)]
    moves: Vec<String>,
    /// Run to write (its format is described in docs/guide/run-file.md)
    #[arg(long, value_name = "FILE", default_value = "motion.run")]
    out: PathBuf,
    /// Frames per second of the run
    #[arg(long, default_value_t = 60.0)]
    rate: f64,
    /// Continue an interrupted run from its last checkpoint
    #[arg(long)]
    resume: bool,
    /// Picture of the motion to write as well, .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Machine-readable summary
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scheme {
    /// First order, strongly damped
    Euler,
    /// Second order, damps high frequencies
    Bdf2,
    /// Second order, little damping
    Alpha,
}

/// What is needed to go on after an interruption.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    motion: Motion,
    frames: u64,
}

/// A scene as a network, with names.
struct Subjects {
    network: Network,
    state: NetworkState,
    title: String,
    /// Name and spans of every cable.
    cables: Vec<(String, Vec<usize>)>,
    /// Names of the anchors.
    anchors: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Simulate) -> Result<u8, Failure> {
    let picture = args.picture.as_deref().map(Picture::of).transpose()?;
    check(args)?;
    let mut subjects = subjects(args)?;
    let targets = moves(args, &subjects)?;
    release(args, &mut subjects)?;
    let settings = MotionSettings {
        step: args.step,
        integrator: match args.integrator {
            Scheme::Euler => Integrator::ImplicitEuler,
            Scheme::Bdf2 => Integrator::Bdf2,
            Scheme::Alpha => Integrator::GeneralisedAlpha { rho: args.rho },
        },
        strain_delay: args.strain_delay,
        drag: args.drag,
    };
    let header = header(&subjects);
    let checkpoint_path = args.out.with_extension("checkpoint");
    let (mut motion, mut frames) = if args.resume {
        let checkpoint = load_checkpoint(&checkpoint_path)?;
        (checkpoint.motion, checkpoint.frames)
    } else {
        (Motion::at_rest(&subjects.network, subjects.state.clone()), 0)
    };
    let mut writer = Writer::open(&args.out, &header, args.resume.then_some(frames))?;
    if frames == 0 {
        writer.frame(&frame(&subjects, &motion))?;
        frames = 1;
    }
    let begin = motion.energies(&subjects.network).total();
    let start_poses: Vec<Vec3> = subjects.network.anchors.iter().map(|a| a.pose.position).collect();
    let mut workspace = NetworkWorkspace::new(&subjects.network);
    let steps = (args.duration / args.step).ceil() as u64;
    let progress = Progress::new(steps, "steps");
    let mut status = Status::Converged;
    while motion.time < args.duration - 0.5 * args.step {
        for (anchor, shift) in &targets {
            let share = smooth((motion.time + args.step) / (0.5 * args.duration));
            subjects.network.anchors[*anchor].pose.position = start_poses[*anchor] + shift * share;
        }
        let report = motion
            .step(&subjects.network, &mut workspace, &settings, &Settings::interactive())
            .map_err(|e| Failure::Input(e.to_string()))?;
        if report.status != Status::Converged {
            status = report.status;
            break;
        }
        progress.step();
        if motion.time * args.rate >= frames as f64 - 1e-9 {
            writer.frame(&frame(&subjects, &motion))?;
            frames += 1;
            if frames.is_multiple_of(30) {
                writer.flush()?;
                save_checkpoint(&checkpoint_path, &motion, frames)?;
            }
        }
    }
    writer.flush()?;
    save_checkpoint(&checkpoint_path, &motion, frames)?;
    progress.finish();
    summary(args, &subjects, &motion, frames, begin, status);
    if let (Some(path), Some(picture)) = (&args.picture, picture) {
        draw(&args.out, path, picture)?;
    }
    Ok(if status == Status::Converged { GOOD } else { NO })
}

fn check(args: &Simulate) -> Result<(), Failure> {
    let positive = |name: &str, v: f64| {
        if v > 0.0 && v.is_finite() {
            Ok(())
        } else {
            Err(Failure::Input(format!("--{name} {v}: expected a positive number")))
        }
    };
    positive("duration", args.duration)?;
    positive("step", args.step)?;
    positive("rate", args.rate)?;
    if args.duration / args.step > 1e8 {
        return Err(Failure::Input("more than 100 million steps: take a longer --step".to_string()));
    }
    for (name, v) in [("strain-delay", args.strain_delay), ("drag", args.drag)] {
        if !(v >= 0.0 && v.is_finite()) {
            return Err(Failure::Input(format!("--{name} {v}: expected zero or a positive number")));
        }
    }
    if !(0.0..=1.0).contains(&args.rho) {
        return Err(Failure::Input(format!("--rho {}: expected a number from 0 to 1", args.rho)));
    }
    Ok(())
}

/// The scene in equilibrium, as a network.
fn subjects(args: &Simulate) -> Result<Subjects, Failure> {
    let unsettled =
        || Failure::Input("the scene has no equilibrium to start from: see `flexline solve`".to_string());
    match solve_scene(&args.scene)? {
        AnySolved::Cable(solved) => {
            if solved.report.status != Status::Converged {
                return Err(unsettled());
            }
            let network = Network::from_cable(&solved.compiled.problem).ok_or_else(|| {
                Failure::Input(
                    "a ring, or a cable whose start is free, cannot be set in motion yet: hold its start"
                        .to_string(),
                )
            })?;
            let state = NetworkState::from_cable(&network, &solved.state);
            let anchors = ["start", "end"][..network.anchors.len()].iter().map(ToString::to_string).collect();
            let name = solved.scene.cable.name.clone();
            Ok(Subjects {
                title: solved.scene.title.clone().unwrap_or_else(|| name.clone()),
                cables: vec![(name, vec![0])],
                network,
                state,
                anchors,
            })
        }
        AnySolved::Harness(solved) => {
            if solved.solution.report.status != Status::Converged {
                return Err(unsettled());
            }
            let compiled = &solved.compiled;
            Ok(Subjects {
                network: compiled.network.clone(),
                state: solved.solution.state.clone(),
                title: solved.scene.title.clone().unwrap_or_else(|| solved.scene.name().to_string()),
                cables: compiled
                    .cables
                    .iter()
                    .map(|c| (c.name.clone(), c.spans.iter().map(|(span, _)| *span).collect()))
                    .collect(),
                anchors: compiled.anchors.iter().map(|a| a.name.clone()).collect(),
            })
        }
    }
}

/// The anchor of a name, or what names there are.
fn anchor(subjects: &Subjects, name: &str) -> Result<usize, Failure> {
    subjects.anchors.iter().position(|a| a == name).ok_or_else(|| {
        Failure::Input(format!("nothing is named '{name}'; there are: {}", subjects.anchors.join(", ")))
    })
}

fn release(args: &Simulate, subjects: &mut Subjects) -> Result<(), Failure> {
    for what in &args.release {
        if what == "loads" {
            for span in &mut subjects.network.spans {
                span.point_loads.clear();
                span.distributed_loads.clear();
            }
            continue;
        }
        let index = anchor(subjects, what)?;
        let is_start = subjects.network.spans.iter().any(|s| s.start.anchor == index);
        if is_start && subjects.cables.len() == 1 && subjects.network.anchors.len() <= 2 {
            return Err(Failure::Input(
                "the start of a single cable carries it here: release its end, or turn the cable round"
                    .to_string(),
            ));
        }
        subjects.network.anchors[index].held = [false; 3];
        subjects.network.anchors[index].held_orientation = false;
    }
    Ok(())
}

/// Anchors to move and by how much.
fn moves(args: &Simulate, subjects: &Subjects) -> Result<Vec<(usize, Vec3)>, Failure> {
    args.moves
        .iter()
        .map(|text| {
            let wrong =
                || Failure::Input(format!("--move {text}: expected NAME=X,Y,Z in metres, as in end=0,0.1,0"));
            let (name, numbers) = text.split_once('=').ok_or_else(wrong)?;
            let values: Vec<f64> = numbers.split(',').filter_map(|v| v.trim().parse().ok()).collect();
            match values[..] {
                [x, y, z] if values.iter().all(|v| v.is_finite()) => {
                    Ok((anchor(subjects, name)?, Vec3::new(x, y, z)))
                }
                _ => Err(wrong()),
            }
        })
        .collect()
}

/// From 0 to 1 with no jerk at either end.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
}

fn header(subjects: &Subjects) -> Header {
    let nodes = |spans: &[usize]| spans.iter().map(|s| subjects.network.spans[*s].rod.segments() + 1).sum();
    Header {
        title: subjects.title.clone(),
        cables: subjects
            .cables
            .iter()
            .map(|(name, s)| CableHeader { name: name.clone(), nodes: nodes(s) })
            .collect(),
        parts: subjects.anchors.clone(),
    }
}

fn frame(subjects: &Subjects, motion: &Motion) -> Frame {
    let pose = |x: Vec3, q: flexline::Quat| [x.x, x.y, x.z, q.w, q.i, q.j, q.k].map(|v| v as f32);
    let mut poses = Vec::new();
    for (_, spans) in &subjects.cables {
        for &span in spans {
            let rod = &subjects.network.spans[span].rod;
            for &s in rod.mesh().nodes() {
                let station = rod.station(&motion.state.spans[span].rod, s);
                poses.push(pose(station.position, station.frame));
            }
        }
    }
    poses.extend(motion.state.anchors.iter().map(|p| pose(p.position, p.orientation)));
    let e = motion.energies(&subjects.network);
    Frame { head: [motion.time, e.kinetic, e.elastic, e.potential, motion.work, motion.dissipated], poses }
}

fn save_checkpoint(path: &Path, motion: &Motion, frames: u64) -> Result<(), Failure> {
    let fail = |e: String| Failure::Output { path: path.display().to_string(), error: e };
    let text = serde_json::to_string(&json!({ "motion": motion, "frames": frames }))
        .map_err(|e| fail(e.to_string()))?;
    // Written beside and renamed: a checkpoint is whole or the one before.
    let beside = path.with_extension("checkpoint-new");
    std::fs::write(&beside, text)
        .and_then(|()| std::fs::rename(&beside, path))
        .map_err(|e| fail(e.to_string()))
}

fn load_checkpoint(path: &Path) -> Result<Checkpoint, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        Failure::Input(format!("cannot read {}: {e}; start the run without --resume", path.display()))
    })?;
    serde_json::from_str(&text).map_err(|e| {
        Failure::Input(format!("{} is not a checkpoint of flexline simulate: {e}", path.display()))
    })
}

fn summary(args: &Simulate, subjects: &Subjects, motion: &Motion, frames: u64, begin: f64, status: Status) {
    let e = motion.energies(&subjects.network);
    let lost = begin + motion.work - e.total();
    if args.json {
        print_json(&json!({
            "run": args.out.display().to_string(),
            "status": status,
            "time": motion.time,
            "frames": frames,
            "energies": e,
            "work": motion.work,
            "dissipated": motion.dissipated,
            "numerical_dissipation": lost - motion.dissipated,
        }));
        return;
    }
    let mut t = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| t.row(&[name.to_string(), value]);
    row("status", if status == Status::Converged { "done".into() } else { format!("stopped: {status:?}") });
    row("time", format!("{:.4} s in steps of {:.4} s", motion.time, args.step));
    row("run", format!("{} ({frames} frames)", args.out.display()));
    row(
        "energy",
        format!("kinetic {:.4e} J, elastic {:.4e} J, potential {:.4e} J", e.kinetic, e.elastic, e.potential),
    );
    row("work done by what was moved", format!("{:.4e} J", motion.work));
    row("lost to damping and drag", format!("{:.4e} J", motion.dissipated));
    row("lost to the integrator", format!("{:.4e} J", lost - motion.dissipated));
    t.print_plain();
    if status != Status::Converged {
        print("The run holds everything up to there; a shorter --step may go on.\n");
    }
}

/// A picture of the motion: the cables at some twelve times, early ones pale.
fn draw(run: &Path, path: &Path, picture: Picture) -> Result<(), Failure> {
    let (header, frames) = read(run)?;
    let count = frames.len().min(12);
    let mut tubes = Vec::new();
    let last = frames.last().map_or(1.0, |f| f.head[0]).max(f64::MIN_POSITIVE);
    for k in 0..count {
        let frame = &frames[k * (frames.len() - 1) / (count.max(2) - 1)];
        let mut at = 0;
        for cable in &header.cables {
            let nodes = &frame.poses[at..at + cable.nodes];
            at += cable.nodes;
            let centre: Vec<[f64; 3]> = nodes.iter().map(|p| [0, 1, 2].map(|i| f64::from(p[i]))).collect();
            let extent =
                centre.windows(2).map(|w| (0..3).map(|i| (w[1][i] - w[0][i]).powi(2)).sum::<f64>().sqrt());
            let radius = 0.004 * extent.sum::<f64>();
            tubes.push(Tube {
                frames: nodes.iter().map(|p| [3, 4, 5, 6].map(|i| f64::from(p[i]))).collect(),
                radius: vec![radius; centre.len()],
                paint: Paint::Values(vec![frame.head[0] / last; centre.len()]),
                stripe: false,
                ends: [End::Free; 2],
                centre,
            });
        }
    }
    let subject = Subject {
        title: format!("{}, {last:.2} s", header.title),
        tubes,
        loads: Vec::new(),
        scale: Some(ColourScale {
            map: ColourMap::Sequential,
            range: [0.0, 1.0],
            title: "Share of the time".into(),
            quantity: Quantity::Ratio,
        }),
    };
    let drawing = perspective(&subject, &ViewOptions::default())?;
    picture.write(&drawing, path, 1600)
}
