//! `flexline simulate`: a scene in motion, from its equilibrium, with something let go or moved.

mod checkpoint;
mod ending;
mod mover;
mod touched;
mod wind;

use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::solved::{SceneArgs, parse_move, solve_scene};
use checkpoint::{Checkpoint, Setup};
use clap::{Args, ValueEnum};
use ending::Ending;
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::Status;
use flexline::solver::motion::MotionEnergies;
use flexline::solver::network::{Grip, Network, NetworkState};
use flexline_exchange::run::{CableHeader, Frame, Header, Writer, read};
use flexline_plot::{ColourMap, ColourScale, End, Paint, Quantity, Subject, Tube, ViewOptions, perspective};
use flexline_scene::Compiled;
use flexline_scene::harness::{Led, smooth};
use flexline_scene::turns::{LostInMotion, Turns};
use mover::{AnyMotion, Steps};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use touched::{ContactFile, Touched};
use wind::Wind;

/// Set a scene in motion from its equilibrium: let loads or holds go, or move what is held
#[derive(Args)]
pub struct Simulate {
    #[command(flatten)]
    scene: SceneArgs,
    /// Time to simulate, s
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    duration: f64,
    /// Step, s
    #[arg(long, default_value_t = 0.005, allow_negative_numbers = true)]
    step: f64,
    /// How time is integrated
    #[arg(long, value_enum, default_value_t = Scheme::Bdf2)]
    integrator: Scheme,
    /// For the alpha integrator: share of what a step cannot resolve that is left after it, 0 to 1
    #[arg(long, default_value_t = 0.8, allow_negative_numbers = true)]
    rho: f64,
    /// Strain damping: delay of the bending and twisting moments, s
    #[arg(long, default_value_t = 0.005, allow_negative_numbers = true)]
    strain_delay: f64,
    /// Drag in air, N s/m per metre of cable
    #[arg(long, default_value_t = 0.02, allow_negative_numbers = true)]
    drag: f64,
    /// Velocity of the air, m/s, which rises within the first second; it acts through --drag
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    wind: Option<String>,
    /// Gusts: the wind times 1 + SHARE sin(2π time/PERIOD), the period in seconds
    #[arg(long, value_name = "PERIOD,SHARE", allow_hyphen_values = true)]
    gust: Option<String>,
    /// What is let go at time 0: "loads", "start", "end", or a port, clip or part of a harness
    #[arg(long, value_name = "WHAT")]
    release: Vec<String>,
    /// What is moved, smoothly: NAME=X,Y,Z in metres
    #[arg(long = "move", value_name = "NAME=X,Y,Z", allow_hyphen_values = true)]
    moves: Vec<String>,
    /// Time in which it is moved, s (default: half the time to simulate)
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    move_time: Option<f64>,
    /// Run to write (its format is described in docs/guide/run-file.md)
    #[arg(long, value_name = "FILE", default_value = "motion.run")]
    out: PathBuf,
    /// Frames per second of the run, at most one for every step
    #[arg(long, default_value_t = 60.0, allow_negative_numbers = true)]
    rate: f64,
    /// Continue an interrupted run from its last checkpoint
    #[arg(long)]
    resume: bool,
    /// Picture of the motion to write as well, .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Table of every contact in every frame to write as well, .csv
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    contacts: Option<PathBuf>,
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
    /// First order, no iteration: trees of helices and clothoids that hang from their starts
    SemiImplicit,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Self::Euler => "euler",
            Self::Bdf2 => "bdf2",
            Self::Alpha => "alpha",
            Self::SemiImplicit => "semi-implicit",
        }
    }
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
    /// What the scene moves.
    leads: Vec<Led>,
    /// The scene.
    compiled: Box<Compiled>,
}

impl Subjects {
    /// The cable that a span of the network is of.
    fn cable_of(&self, span: usize) -> Option<String> {
        let (name, _) = self.cables.iter().find(|(_, spans)| spans.contains(&span))?;
        Some(format!("cable '{name}'"))
    }

    /// The turns of the cables, watched from this state on.
    fn turns(&self, state: &NetworkState) -> Turns {
        let cables = self.cables.iter().map(|(name, spans)| (name.as_str(), spans.clone()));
        Turns::new(cables, &self.network, state, &[])
    }
}

/// Runs the command.
pub fn run(args: &Simulate) -> Result<u8, Failure> {
    let picture = args.picture.as_deref().map(Picture::of).transpose().map_err(|e| match e {
        Failure::Input(text) => Failure::Input(text.replacen("--out", "--picture", 1)),
        other => other,
    })?;
    check(args)?;
    let wind = Wind::parse(args.wind.as_deref(), args.gust.as_deref(), args.drag)?;
    let mut subjects = subjects(args)?;
    let targets = moves(args, &subjects)?;
    release(args, &mut subjects)?;
    let mut steps = Steps::new(args, &subjects)?;
    let mut rest = AnyMotion::at_rest(args, &subjects.network, subjects.state.clone());
    let energies = rest.energies(&subjects.network, &mut steps);
    let first = frame(&subjects, &rest, &energies);
    let mut at = begin(args, rest, energies.total())?;
    let step = at.setup.step;
    let mut writer = Writer::open(&args.out, &header(&subjects), &first, args.resume.then_some(at.frames))?;
    let checkpoint_path = checkpoint::beside(&args.out);
    // From here on the run can be continued, and never from the checkpoint of another.
    writer.flush()?;
    at.save(&checkpoint_path)?;
    let start_poses: Vec<Vec3> = subjects.network.anchors.iter().map(|a| a.pose.position).collect();
    if let (true, AnyMotion::Implicit(motion)) = (subjects.compiled.grows(), &mut at.motion) {
        // Back to where an interrupted run was: that work is booked already.
        let (time, work) = (motion.time, motion.work);
        subjects.compiled.grow(&mut subjects.network, motion, [0.0, time]);
        motion.work = work;
    }
    let anew = subjects.turns(at.motion.state());
    let mut turns = at.turns.take().filter(|turns| turns.watches_as(&anew)).unwrap_or(anew);
    let progress = Progress::new(((args.duration - at.motion.time()) / step).round() as u64, "steps");
    let mut ending = Ending::done();
    let mut spent = Spent::default();
    let mut touched = at.touched.take().unwrap_or_default();
    let touching = subjects.compiled.has_contact();
    let mut table = match (&args.contacts, touching) {
        (Some(path), true) => Some(ContactFile::create(path)?),
        (Some(path), false) => {
            let why = "nothing touches here: there are no obstacles, and `contact` of [world] is not true";
            return Err(Failure::Input(format!("--contacts {}: {why}", path.display())));
        }
        (None, _) => None,
    };
    while at.motion.time() < args.duration - 0.5 * step {
        let then = at.motion.time() + step;
        let share = smooth(then / at.setup.move_time);
        shift(&mut subjects.network, &targets, &start_poses, share);
        subjects.compiled.lead(&mut subjects.network, &subjects.leads, then);
        if let (true, AnyMotion::Implicit(motion)) = (subjects.compiled.grows(), &mut at.motion) {
            subjects.compiled.grow(&mut subjects.network, motion, [motion.time, then]);
        }
        let started = Instant::now();
        let before = touching.then(|| at.motion.state().clone());
        let (outcome, report) = at.motion.step(args, &subjects, &mut steps, (step, wind.at(then)))?;
        spent.computing += started.elapsed().as_secs_f64();
        spent.simulated += step;
        if outcome != Status::Converged {
            let mut last = subjects.network.clone();
            shift(&mut last, &targets, &start_poses, 1.0);
            subjects.compiled.lead(&mut last, &subjects.leads, args.duration);
            ending = Ending::stopped(outcome, &subjects, at.motion.state(), &last);
            break;
        }
        if let (Some(before), Some(report)) = (before, report) {
            touched.note(&subjects.compiled, [&before, at.motion.state()], report, at.motion.time());
        }
        turns.follow(&subjects.network, at.motion.state(), at.motion.time());
        progress.step();
        if at.motion.time() * args.rate >= at.frames as f64 - 1e-9 {
            let energies = at.motion.energies(&subjects.network, &mut steps);
            writer.frame(&frame(&subjects, &at.motion, &energies))?;
            if let Some(table) = &mut table {
                table.frame(&subjects.compiled, at.motion.state(), &touched, at.motion.time())?;
            }
            at.frames += 1;
            if at.frames.is_multiple_of(30) {
                writer.flush()?;
                at.turns = Some(turns.clone());
                at.touched = Some(touched.clone());
                at.save(&checkpoint_path)?;
            }
        }
    }
    writer.flush()?;
    at.turns = Some(turns.clone());
    at.touched = Some(touched.clone());
    at.save(&checkpoint_path)?;
    progress.finish();
    let energies = at.motion.energies(&subjects.network, &mut steps);
    let told = touching.then_some((&*subjects.compiled, &touched));
    summary(args, &energies, &at, &ending, &turns.lost_in_motion(), &spent, told);
    if let (Some(path), Some(picture)) = (&args.picture, picture) {
        draw(&args.out, path, picture)?;
    }
    Ok(if ending.status == Status::Converged { GOOD } else { NO })
}

/// Puts what `--move` moves that share of the way from its start.
fn shift(network: &mut Network, targets: &[(usize, Vec3)], start: &[Vec3], share: f64) {
    for (anchor, way) in targets {
        network.anchors[*anchor].pose.position = start[*anchor] + way * share;
    }
}

/// What the steps of this call simulated and what they took, s: steps alone, without files.
#[derive(Default)]
struct Spent {
    simulated: f64,
    computing: f64,
}

/// The scene at rest, or where an earlier run stopped.
fn begin(args: &Simulate, rest: AnyMotion, energy: f64) -> Result<Checkpoint, Failure> {
    let mut setup = Setup {
        // Less than a step is one shorter step.
        step: args.step.min(args.duration),
        integrator: args.integrator.name().to_string(),
        rho: args.rho,
        strain_delay: args.strain_delay,
        drag: args.drag,
        wind: args.wind.clone(),
        gust: args.gust.clone(),
        rate: args.rate,
        release: args.release.clone(),
        moves: args.moves.clone(),
        move_time: args.move_time.unwrap_or(0.5 * args.duration),
    };
    if !args.resume {
        return Ok(Checkpoint { setup, begin: energy, frames: 1, motion: rest, turns: None, touched: None });
    }
    let mut last = Checkpoint::load(&checkpoint::beside(&args.out), &rest)?;
    if args.move_time.is_none() {
        setup.move_time = last.setup.move_time;
    }
    last.setup.agrees(&setup)?;
    if last.setup.step != setup.step {
        last.motion.change_step();
    }
    Ok(Checkpoint { setup, ..last })
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
    positive("move-time", args.move_time.unwrap_or(1.0))?;
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
    let taken = [Some(&args.scene.scene), args.picture.as_ref(), args.contacts.as_ref()];
    if taken.contains(&Some(&args.out)) || args.out.extension().is_some_and(|e| e == "checkpoint") {
        return Err(Failure::Input(format!(
            "--out {}: another file of this run has that name; name it .run",
            args.out.display()
        )));
    }
    Ok(())
}

/// The scene in equilibrium, as a network.
fn subjects(args: &Simulate) -> Result<Subjects, Failure> {
    let subjects = solved(args)?;
    let network = &subjects.network;
    let cables = network.spans.iter().map(|s| s.rod.total_mass());
    if cables.chain(network.anchors.iter().map(|a| a.mass)).all(|m| m == 0.0) {
        return Err(Failure::Input(
            "nothing has mass: motion needs it; give a cable a mass_per_length or a density above zero"
                .to_string(),
        ));
    }
    Ok(subjects)
}

fn solved(args: &Simulate) -> Result<Subjects, Failure> {
    let unsettled =
        || Failure::Input("the scene has no equilibrium to start from: see `flexline solve`".to_string());
    let solved = solve_scene(&args.scene)?;
    if solved.status() != Status::Converged {
        return Err(unsettled());
    }
    let compiled = &solved.compiled;
    // What found its own length keeps it.
    let (mut network, state) = compiled.with_found_lengths(&solved.solution.state);
    Ok(Subjects {
        leads: compiled.take_in_hand(&mut network, &state),
        compiled: Box::new(compiled.clone()),
        network,
        state,
        title: solved.title().to_string(),
        cables: compiled.cables.iter().map(|c| (c.name.clone(), c.span_indices())).collect(),
        anchors: compiled.anchors.iter().map(|a| a.name.clone()).collect(),
    })
}

/// The anchor of a name, or what names there are.
fn anchor(subjects: &Subjects, name: &str) -> Result<usize, Failure> {
    subjects.anchors.iter().position(|a| a == name).ok_or_else(|| {
        Failure::Input(format!("nothing is named '{name}'; there are: {}", subjects.anchors.join(", ")))
    })
}

fn release(args: &Simulate, subjects: &mut Subjects) -> Result<(), Failure> {
    for (k, what) in args.release.iter().enumerate() {
        if what == "loads" {
            for span in &mut subjects.network.spans {
                span.point_loads.clear();
                span.distributed_loads.clear();
            }
            for anchor in &mut subjects.network.anchors {
                anchor.force = Vec3::zeros();
                anchor.moment = Vec3::zeros();
            }
            continue;
        }
        let index = anchor(subjects, what)?;
        if subjects.leads.iter().any(|led| led.anchor() == Some(index)) {
            return Err(Failure::Input(format!("--release {what}: the scene moves it, in [[motion]]")));
        }
        let Network { anchors, spans, .. } = &mut subjects.network;
        let own = &mut anchors[index];
        let loose = own.held == [false; 3] && !own.held_orientation;
        if args.release[..k].contains(what) || loose {
            return Err(Failure::Input(format!("--release {what}: it is loose already")));
        }
        own.held = [false; 3];
        // What nothing turns would have no orientation of its own: that of a massless pin stays.
        let mut ends = spans.iter().flat_map(|s| std::iter::once(&s.start).chain(&s.end));
        let turned = ends.any(|e| e.anchor == index && e.grip == Grip::Clamped);
        own.held_orientation &= !turned && own.inertia == Vec3::zeros();
    }
    Ok(())
}

/// Anchors to move and by how much.
fn moves(args: &Simulate, subjects: &Subjects) -> Result<Vec<(usize, Vec3)>, Failure> {
    let mut found: Vec<(usize, Vec3)> = Vec::new();
    for text in &args.moves {
        let wrong = |why: &str| Failure::Input(format!("--move {text}: {why}"));
        let (name, shift) = parse_move(text)?;
        let index = anchor(subjects, name)?;
        let held = subjects.network.anchors[index].held;
        if (0..3).any(|i| shift[i] != 0.0 && !held[i]) {
            return Err(wrong("it is not held along that direction, and only what is held can be moved"));
        }
        if subjects.leads.iter().any(|led| led.anchor() == Some(index)) {
            return Err(wrong("the scene moves it already, in [[motion]]"));
        }
        if args.release.iter().any(|what| what == name) {
            return Err(wrong("it is let go as well; choose one"));
        }
        if found.iter().any(|(other, _)| *other == index) {
            return Err(wrong("it is moved already by another --move"));
        }
        found.push((index, shift));
    }
    Ok(found)
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

fn frame(subjects: &Subjects, motion: &AnyMotion, e: &MotionEnergies) -> Frame {
    let pose = |x: Vec3, q: flexline::Quat| [x.x, x.y, x.z, q.w, q.i, q.j, q.k].map(|v| v as f32);
    let mut poses = Vec::new();
    for (_, spans) in &subjects.cables {
        for &span in spans {
            // With the length that it has by now.
            let rod = subjects.network.rod(motion.state(), span);
            for &s in rod.arcs() {
                let station = rod.station(&motion.state().spans[span].rod, s);
                poses.push(pose(station.position, station.frame));
            }
        }
    }
    poses.extend(motion.state().anchors.iter().map(|p| pose(p.position, p.orientation)));
    let [work, dissipated] = motion.work_and_losses();
    Frame { head: [motion.time(), e.kinetic, e.elastic, e.potential, work, dissipated], poses }
}

fn summary(
    args: &Simulate,
    e: &MotionEnergies,
    at: &Checkpoint,
    ending: &Ending,
    lost_turns: &[LostInMotion],
    spent: &Spent,
    touched: Option<(&Compiled, &Touched)>,
) {
    let (time, frames) = (at.motion.time(), at.frames);
    let [work, dissipated] = at.motion.work_and_losses();
    let lost = at.begin + work - e.total();
    if args.json {
        let mut told = json!({
            "run": args.out.display().to_string(),
            "status": ending.status,
            "time": time,
            "frames": frames,
            "energies": e,
            "work": work,
            "dissipated": dissipated,
            "numerical_dissipation": lost - dissipated,
        });
        if !ending.short.is_empty() {
            told["too_short"] = json!(ending.short);
        }
        if !lost_turns.is_empty() {
            told["lost_turns"] = json!(lost_turns);
        }
        if let Some((compiled, touched)) = touched {
            touched.add_values(compiled, at.motion.state(), &mut told);
            told["friction_work"] = json!(at.motion.friction_work());
        }
        print_json(&told);
        return;
    }
    let mut t = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| t.row(&[name.to_string(), value]);
    row(
        "status",
        if ending.status == Status::Converged {
            "done".into()
        } else {
            format!("stopped: {}", ending.status)
        },
    );
    row("time", format!("{:.4} s in steps of {:.4} s", time, at.setup.step));
    if spent.computing > 0.0 {
        let ratio = spent.simulated / spent.computing;
        row("computed in", format!("{:.3} s, {ratio:.2} times real time", spent.computing));
    }
    row("run", format!("{} ({frames} frames)", args.out.display()));
    row(
        "energy",
        format!("kinetic {:.4e} J, elastic {:.4e} J, potential {:.4e} J", e.kinetic, e.elastic, e.potential),
    );
    row("work done by what was moved and by the wind", format!("{:.4e} J", work));
    row("lost to damping and drag", format!("{:.4e} J", dissipated));
    row("lost to the integrator", format!("{:.4e} J", lost - dissipated));
    if let Some((_, touched)) = touched {
        row("work of friction on obstacles", format!("{:.4e} J", at.motion.friction_work()));
        touched.rows(&mut row);
    }
    t.print_plain();
    for line in lost_turns.iter().map(LostInMotion::message).chain(ending.lines(time)) {
        print(&format!("{line}\n"));
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
        solids: Vec::new(),
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
