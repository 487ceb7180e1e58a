//! `flexline simulate`: a scene in motion, from its equilibrium, with something let go or moved.

mod checkpoint;
mod touched;
mod wind;

use crate::check::print_worst;
use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::solved::{SceneArgs, Solved, parse_move, solve_scene};
use checkpoint::{Checkpoint, Setup};
use clap::{Args, ValueEnum};
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::Status;
use flexline::solver::motion::MotionEnergies;
use flexline_exchange::run::{CableHeader, Frame, Header, Writer, read};
use flexline_plot::{ColourMap, ColourScale, End, Paint, Quantity, Subject, Tube, ViewOptions, perspective};
use flexline_scene::check::{Finding, Verdict};
use flexline_scene::harness::smooth;
use flexline_scene::turns::LostInMotion;
use flexline_scene::{Compiled, Solution};
use flexline_session::motion::{self, AnyMotion, Ending, MotionError, Steps, Subjects, TooShort, Way};
use flexline_study::Worsts;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use touched::{ContactFile, Touched, TouchedTold};
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

impl From<Scheme> for motion::Scheme {
    fn from(own: Scheme) -> Self {
        match own {
            Scheme::Euler => Self::Euler,
            Scheme::Bdf2 => Self::Bdf2,
            Scheme::Alpha => Self::Alpha,
            Scheme::SemiImplicit => Self::SemiImplicit,
        }
    }
}

impl From<MotionError> for Failure {
    fn from(error: MotionError) -> Self {
        Self::Input(match error {
            MotionError::NoEquilibrium(_) => {
                "the scene has no equilibrium to start from: see `flexline solve`".into()
            }
            MotionError::Release(what, why) => format!("--release {what}: {why}"),
            MotionError::Integrator(name, why) => format!("--integrator {name}: {why}"),
            other => other.to_string(),
        })
    }
}

impl Simulate {
    fn way(&self) -> Way {
        let Self { rho, strain_delay, drag, .. } = *self;
        Way { scheme: self.integrator.into(), rho, strain_delay, drag }
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
    let solved = solve_scene(&args.scene)?;
    let mut subjects = subjects(args, &solved)?;
    let way = args.way();
    let mut steps = Steps::new(way.scheme, &subjects)?;
    let mut rest = AnyMotion::at_rest(way.scheme, &subjects.network, subjects.state.clone());
    let energies = rest.energies(&subjects.network, &mut steps);
    let first = frame(&subjects, &rest, &energies);
    let mut at = begin(args, rest, energies.total())?;
    let step = at.setup.step;
    let mut writer = Writer::open(
        &args.out,
        &header(solved.title(), &subjects),
        &first,
        args.resume.then_some(at.frames),
    )?;
    let checkpoint_path = checkpoint::beside(&args.out);
    // From here on the run can be continued, and never from the checkpoint of another.
    writer.flush()?;
    at.save(&checkpoint_path)?;
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
    let mut rules = Rules::new(&solved.compiled, at.motion.time());
    if let (AnyMotion::Implicit(_), false) = (&at.motion, args.resume) {
        rules.note(&solved.solution, 0.0);
    }
    while at.motion.time() < args.duration - 0.5 * step {
        let then = at.motion.time() + step;
        let share = smooth(then / at.setup.move_time);
        subjects.lead(share, then);
        if let (true, AnyMotion::Implicit(motion)) = (subjects.compiled.grows(), &mut at.motion) {
            subjects.compiled.grow(&mut subjects.network, motion, [motion.time, then]);
        }
        let started = Instant::now();
        let before = touching.then(|| at.motion.state().clone());
        let (outcome, report) = at.motion.step(&way, &subjects, &mut steps, (step, wind.at(then)))?;
        spent.computing += started.elapsed().as_secs_f64();
        spent.simulated += step;
        if outcome != Status::Converged {
            let last = subjects.led_to(1.0, args.duration);
            ending = Ending::stopped(outcome, &subjects, at.motion.state(), &last);
            break;
        }
        let is_frame = at.motion.time() * args.rate >= at.frames as f64 - 1e-9;
        if let (true, Some(report)) = (is_frame, &report)
            && let Some(solution) = subjects.seen(&at.motion, &mut steps, report)
        {
            rules.note(&solution, at.motion.time());
        }
        if let (Some(before), Some(report)) = (before, report) {
            touched.note(&subjects.compiled, [&before, at.motion.state()], report, at.motion.time());
        }
        turns.follow(&subjects.network, at.motion.state(), at.motion.time());
        progress.step();
        if is_frame {
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
    summary(args, &energies, &at, &ending, &turns.lost_in_motion(), &spent, told, &rules);
    if let (Some(path), Some(picture)) = (&args.picture, picture) {
        draw(&args.out, path, picture)?;
    }
    Ok(if ending.status == Status::Converged { GOOD } else { NO })
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
        integrator: args.way().scheme.name().to_string(),
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

/// The scene in equilibrium, as a network, with what is let go and what is moved.
fn subjects(args: &Simulate, solved: &Solved) -> Result<Subjects, Failure> {
    let mut subjects = Subjects::new(&solved.compiled, &solved.solution)?;
    args.release.iter().try_for_each(|what| subjects.release(what))?;
    for text in &args.moves {
        let (name, by) = parse_move(text)?;
        subjects.shift(name, by).map_err(|error| match error {
            MotionError::Move(_, why) => Failure::Input(format!("--move {text}: {why}")),
            other => other.into(),
        })?;
    }
    Ok(subjects)
}

/// What to tell after the table: why a run stopped at that time, and what helps.
fn lines(ending: &Ending, time: f64) -> Vec<String> {
    if ending.status == Status::Converged {
        return Vec::new();
    }
    let mut lines: Vec<String> = ending.short.iter().map(|short| short.line(time)).collect();
    let held = "The run holds everything up to there";
    lines.push(match ending.status {
        Status::TooShort => format!("{held}. Make the cable longer, or move less far."),
        Status::EnergyGained => {
            format!("{held}; a shorter --step, --integrator bdf2 or euler, or more --strain-delay may go on.")
        }
        _ => format!("{held}; a shorter --step may go on."),
    });
    lines
}

fn header(title: &str, subjects: &Subjects) -> Header {
    let nodes = |spans: &[usize]| spans.iter().map(|s| subjects.network.spans[*s].rod.segments() + 1).sum();
    Header {
        title: title.to_owned(),
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

/// Number of the format of `--json`.
const FORMAT: u32 = 1;

/// A motion that was simulated.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline simulate --json")]
pub struct SimulateTold {
    /// Number of the format.
    format: u32,
    /// The file of the run.
    run: String,
    /// How it ended: "converged" where it went to its end.
    status: Status,
    /// The time it came to, s.
    time: f64,
    /// Frames in the file.
    frames: u64,
    /// Energies at the end, J.
    energies: MotionEnergies,
    /// Work done by what was moved and by the wind, J.
    work: f64,
    /// Lost to damping and drag, J.
    dissipated: f64,
    /// Lost to the integrator, J.
    numerical_dissipation: f64,
    /// Cables that do not reach.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    too_short: Vec<TooShort>,
    /// Turns that cables lost.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    lost_turns: Vec<LostInMotion>,
    /// What the rules of `check` say of the frames; null of the semi-implicit integrator, which knows no forces.
    rules: Option<RulesTold>,
    #[serde(flatten)]
    touched: Option<TouchedTold>,
}

/// What the rules of `check` say of the frames.
#[derive(Serialize, JsonSchema)]
struct RulesTold {
    /// From when on, s: a run that was resumed tells of what came after.
    from: f64,
    /// The worst of all verdicts.
    verdict: Verdict,
    /// The worst of every rule.
    worst: Vec<WorstTold>,
}

/// The worst that a rule saw.
#[derive(Serialize, JsonSchema)]
struct WorstTold {
    /// The cable.
    cable: Option<String>,
    /// When, s.
    time: f64,
    /// The finding then.
    finding: Finding,
}

/// The rules of `check`, frame by frame.
struct Rules<'a> {
    compiled: &'a Compiled,
    begin: f64,
    times: Vec<f64>,
    worsts: Worsts,
}

impl<'a> Rules<'a> {
    fn new(compiled: &'a Compiled, begin: f64) -> Self {
        let cables = compiled.cables.iter().map(|own| own.name.clone()).collect();
        Self { compiled, begin, times: Vec::new(), worsts: Worsts::new(cables) }
    }

    /// Takes note of a frame. That it is an equilibrium and a stable one is nothing that is asked in motion.
    fn note(&mut self, solution: &Solution, time: f64) {
        let mut findings = self.compiled.check(solution);
        findings.whole.clear();
        self.worsts.note(self.times.len(), &findings);
        self.times.push(time);
    }

    /// The same where any frame was looked at.
    fn known(&self) -> Option<&Self> {
        (!self.times.is_empty()).then_some(self)
    }

    fn told(&self) -> Option<RulesTold> {
        let own = self.known()?;
        let worst = own.worsts.list().into_iter();
        let worst = worst.map(|w| WorstTold { cable: w.cable, time: own.times[w.pose], finding: w.finding });
        Some(RulesTold { from: own.begin, verdict: own.worsts.verdict(), worst: worst.collect() })
    }
}

#[allow(clippy::too_many_arguments)]
fn summary(
    args: &Simulate,
    e: &MotionEnergies,
    at: &Checkpoint,
    ending: &Ending,
    lost_turns: &[LostInMotion],
    spent: &Spent,
    touched: Option<(&Compiled, &Touched)>,
    rules: &Rules<'_>,
) {
    let (time, frames) = (at.motion.time(), at.frames);
    let [work, dissipated] = at.motion.work_and_losses();
    let lost = at.begin + work - e.total();
    if args.json {
        print_json(&json!(SimulateTold {
            format: FORMAT,
            run: args.out.display().to_string(),
            status: ending.status,
            time,
            frames,
            energies: *e,
            work,
            dissipated,
            numerical_dissipation: lost - dissipated,
            too_short: ending.short.clone(),
            lost_turns: lost_turns.to_vec(),
            rules: rules.told(),
            touched: touched.map(|(compiled, touched)| {
                touched.told(compiled, at.motion.state(), at.motion.friction_work())
            }),
        }));
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
    if let Some(rules) = rules.known() {
        print("\n");
        let at = |frame: usize| format!("{:.4}", rules.times[frame]);
        print_worst(rules.compiled, &rules.worsts.list(), "time s", at);
        if rules.begin > 0.0 {
            print(&format!("rules are told from {:.4} s on, where the run was resumed\n", rules.begin));
        }
    }
    for line in lost_turns.iter().map(LostInMotion::message).chain(lines(ending, time)) {
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
