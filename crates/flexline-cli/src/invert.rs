//! `flexline invert`: the natural shape with which a cable hangs as drawn.

mod trials;

use crate::edit::{read_text, write_scene};
use crate::failure::{Failure, GOOD, NO};
use crate::fit::drawn::{self, Line, Reading};
use crate::fit::scene::{self, Far, Made};
use crate::fit::{Model, along, fitted, picture, section, shown_radius, stations};
use crate::output::{Table, number, print, print_json, vector};
use crate::plot::Picture;
use clap::Args;
use flexline::Vec3;
use flexline::inverse::{Limit, Margin, NaturalRod, natural_rod, stability_margin};
use flexline::rod::{AnyRod, Rod, RodState, State, Station};
use flexline::solver::report::{Stability, Verdict};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, Status};
use flexline_plot::End as Mark;
use flexline_scene::{Compiled, Folder, Scene};
use flexline_session::command::Command;
use flexline_session::session::{Session, SessionError, Solving};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  flexline invert tail.csv --unit mm --part brake-hose --out tail.toml         a hose that hangs as drawn, clamped at its start
  flexline invert tail.csv --unit mm --part brake-hose --end clamped --out t.toml   held at both ends: the straightest that does
  flexline invert scenes/hair.toml --out hair-2.toml                          what the scene draws without loads, hangs so in the new one
  flexline invert tail.csv --unit mm --part brake-hose --picture tail.png      drawn, without loads, hanging
  flexline invert --trials 10000 --seed 1                                     random shapes there and back, of every model

How soft or heavy the cable may be before the shape would snap is told with it.";

/// Find the natural shape with which a cable hangs as it is drawn, and whether it does so stably
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Invert {
    /// File of a curve (points, STEP, IGES or VDA-FS), or a scene of one cable
    #[arg(required_unless_present = "trials")]
    file: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// What the cable along a curve is computed with
    #[arg(long, value_enum, default_value_t = Model::Clothoid)]
    model: Model,
    /// How near the cable is to the curve: elements are added until it is
    #[arg(long, value_name = "LENGTH", default_value = "0.1 mm", conflicts_with = "elements")]
    tolerance: String,
    /// So many elements or segments instead
    #[arg(long, value_name = "N")]
    elements: Option<u32>,
    #[command(flatten)]
    made: Made,
    /// What holds the far end of a cable along a curve
    #[arg(long, value_enum, default_value_t = Far::Free)]
    end: Far,
    /// Scene to write
    #[arg(long, value_name = "SCENE")]
    out: Option<PathBuf>,
    /// Picture of what was drawn, what it is without loads and how it hangs; .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Random shapes of every model there and back instead, so many in all
    #[arg(long, value_name = "N", conflicts_with_all = ["out", "picture"], value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    trials: Option<u32>,
    /// First seed of the random shapes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Share of the length by which a shape that is an equilibrium may move: what a spline makes of one.
const MOVED: f64 = 1e-3;

/// Whether what was solved for is the shape, so that what is told of it is told of the shape.
fn stays(found: &NaturalRod) -> bool {
    found.moved <= MOVED * found.problem.rod.length()
}

/// What is to hang as drawn.
struct Posed {
    /// The file.
    name: String,
    problem: Problem,
    /// The shape that is wanted.
    state: State,
    /// How far it is from the curve, m; nothing where it is drawn by a scene.
    deviation: Option<f64>,
    line: Option<Line>,
    model: &'static str,
}

/// What the scene that was written came to.
struct Written {
    /// How the solve of it ended.
    status: Status,
    /// How far it hangs from what was wanted, m.
    off: f64,
}

/// Runs the command.
pub fn run(args: &Invert) -> Result<u8, Failure> {
    if let Some(count) = args.trials {
        return trials::run(count, args.seed, args.json);
    }
    args.picture.as_deref().map(Picture::of).transpose()?;
    let Some(file) = &args.file else {
        return Err(Failure::Input(
            "a file is needed: a curve, or a scene of one cable; or --trials N".into(),
        ));
    };
    let is_scene = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let posed = if is_scene { from_scene(file)? } else { from_curve(args, file)? };
    let told = |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", posed.name));
    let found = natural_rod(&posed.problem, &posed.state).map_err(|e| told(&e))?;
    let margin = stability_margin(&posed.problem, &posed.state).map_err(|e| told(&e))?;
    let written = match &args.out {
        None => None,
        Some(path) => Some(write(args, &posed, &found, path, is_scene.then_some(file.as_path()))?),
    };
    if let Some(path) = &args.picture {
        draw(&posed, &found, args, path)?;
    }
    if let Some(line) = &posed.line {
        line.complain();
    }
    match args.json {
        true => print_json(&value(&posed, &found, &margin, written.as_ref())),
        false => tell(args, &posed, &found, &margin, written.as_ref()),
    }
    let length = posed.problem.rod.length();
    let stable = margin.stability.is_some_and(|own| own.verdict != Verdict::Unstable) && stays(&found);
    let holds = written.is_none_or(|own| own.status == Status::Converged && own.off <= MOVED * length);
    Ok(if found.report.status == Status::Converged && stable && holds { GOOD } else { NO })
}

/// A cable along a curve.
fn from_curve(args: &Invert, file: &Path) -> Result<Posed, Failure> {
    let tolerance = drawn::length("--tolerance", &args.tolerance)?;
    let line = args.reading.read(file, args.made.radius()?)?;
    let keys = keys(args, &line)?;
    let section = section(&keys, line.curve.length())?;
    let fit = fitted(&line, &section, args.model.fitted(false), args.elements, tolerance)?;
    let end = |s: f64| {
        let own = fit.rod.station(&fit.state, s);
        Pose { position: own.position, orientation: own.frame }
    };
    let (first, last) = (end(0.0), end(fit.rod.length()));
    let far = match args.end {
        Far::Free => End::free(),
        Far::Clamped => End::clamped(last),
        Far::Pinned => End::pinned(last.position),
    };
    let mut problem = Problem::new(fit.rod, End::clamped(first), far);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    let state = State::new(fit.state, problem.ends);
    Ok(Posed {
        name: line.name.clone(),
        problem,
        state,
        deviation: Some(fit.deviation.largest),
        line: Some(line),
        model: args.model.word(),
    })
}

/// The keys of a cable that say what it is.
fn keys(args: &Invert, line: &Line) -> Result<String, Failure> {
    args.made.keys(line)?.ok_or_else(|| {
        Failure::Input(
            "a curve does not say what the cable is: how it hangs depends on its stiffness and weight\n  say it: --part NAME, or --material NAME and --radius LENGTH; `flexline materials` lists them".into(),
        )
    })
}

/// The cable of a scene, in the shape that it has without loads.
fn from_scene(path: &Path) -> Result<Posed, Failure> {
    let name = path.display().to_string();
    let wrong = |why: &str| Failure::Input(format!("{name}: {why}"));
    let scene = Scene::load(path)?;
    if !scene.is_single() {
        return Err(wrong(
            "a harness: one cable that stands alone can be inverted; take it out into a scene of its own",
        ));
    }
    let compiled = scene.compile()?;
    let model = scene.cables[0].cable.model.word();
    let problem = problem_of(&compiled).ok_or_else(|| {
        wrong(
            "the cable is a ring, slides, or touches obstacles: what bears it is not known; free its far end",
        )
    })?;
    let Some(frame) = problem.ends[0].frame() else {
        return Err(wrong("the start is not clamped: the shape needs its place and its direction there"));
    };
    let start = Station { position: problem.ends[0].position, frame };
    let state = State::new(problem.rod.rest_state(&start), problem.ends);
    let end = problem.rod.station(&state.rod, problem.rod.length());
    let held = &problem.ends[1];
    let off =
        Vec3::from_fn(|axis, _| if held.held[axis] { end.position[axis] - held.position[axis] } else { 0.0 });
    if off.norm() > 1e-6 * problem.rod.length() {
        return Err(wrong(&format!(
            "without loads the cable does not end where the scene holds its end, but {} mm off: what is drawn is not clear; free the end, \
             or give the curve as a file",
            number(1e3 * off.norm())
        )));
    }
    Ok(Posed { name, problem, state, deviation: None, line: None, model })
}

/// The problem of a scene with one cable; `None` where it is more than a cable between two ends.
fn problem_of(compiled: &Compiled) -> Option<Problem> {
    let network = &compiled.network;
    let [span] = &network.spans[..] else { return None };
    let free = network.constraints.is_empty() && network.slides.is_empty() && network.obstacles.is_empty();
    let ring = span.end.as_ref().is_some_and(|end| end.anchor == span.start.anchor);
    if !free || ring || !network.poles.is_empty() {
        return None;
    }
    let end = |anchor: usize| {
        let own = &network.anchors[anchor];
        End {
            position: own.pose.position,
            held: own.held,
            orientation: own.held_orientation.then_some(own.pose.orientation),
            twist: 0.0,
        }
    };
    let far = span.end.as_ref().map(|own| own.anchor);
    let ends = [end(span.start.anchor), far.map_or(End::free(), end)];
    let mut problem = Problem::new(span.rod.clone(), ends[0], ends[1]);
    problem.gravity = network.gravity;
    problem.point_loads.clone_from(&span.point_loads);
    problem.distributed_loads.clone_from(&span.distributed_loads);
    if let Some(own) = far.map(|anchor| &network.anchors[anchor])
        && own.force.norm() + own.moment.norm() > 0.0
    {
        let s = problem.rod.length();
        problem.point_loads.push(PointLoad { s, force: own.force, moment: own.moment, axes: Axes::World });
    }
    Some(problem)
}

/// Writes the scene, reads it back and solves it: how far it hangs from what was wanted.
fn write(
    args: &Invert,
    posed: &Posed,
    found: &NaturalRod,
    path: &Path,
    from: Option<&Path>,
) -> Result<Written, Failure> {
    let rows = found.problem.rod.natural_rows();
    let name = path.display().to_string();
    let text = match (from, &posed.line) {
        (Some(from), _) => replaced(from, &rows)?,
        (None, Some(line)) => {
            let rod = &posed.problem.rod;
            let ends = [0.0, rod.length()].map(|s| rod.station(&posed.state.rod, s));
            let title = format!("Hangs as drawn in {}", line.name);
            scene::write(&title, &keys(args, line)?, (rod, posed.model), ends, args.end, Some(&rows))
        }
        (None, None) => String::new(),
    };
    let (_, compiled) = scene::compile(&text, &name)?;
    write_scene(path, &text)?;
    // From the shape that is wanted, which the scene is to hold.
    let Some(problem) = problem_of(&compiled) else {
        return Ok(Written { status: Status::NumericalFailure, off: f64::NAN });
    };
    let shape = |s: f64| posed.problem.rod.station(&posed.state.rod, s);
    let mut state = State::new(problem.rod.state_from(&shape), problem.ends);
    let mut ws = flexline::solver::statics::Workspace::new(&problem);
    let settings = compiled.settings();
    let report = flexline::solver::statics::solve(&problem, &mut state, &mut ws, &settings)
        .map_err(|e| Failure::Input(format!("{name}: {e}")))?;
    let off = (0..=picture::STATIONS).map(|k| {
        let s = problem.rod.length() * k as f64 / picture::STATIONS as f64;
        (problem.rod.station(&state.rod, s).position - shape(s).position).norm()
    });
    Ok(Written { status: report.status, off: off.fold(0.0, f64::max) })
}

/// The text of a scene with another rest shape of its cable.
fn replaced(path: &Path, rows: &[(f64, Vec3)]) -> Result<String, Failure> {
    let text = read_text(path)?;
    let name = path.display().to_string();
    let said = |error: SessionError| match error {
        SessionError::Command(error) => Failure::Scene(error),
        other => Failure::Input(other.to_string()),
    };
    let mut session = Session::open_in(&text, &name, &Folder::of(path), Solving::Never).map_err(said)?;
    let table: Vec<[f64; 4]> = rows.iter().map(|(s, u)| [*s, u.x, u.y, u.z]).collect();
    let cable = Scene::load(path)?.cables[0].cable.name.clone();
    let command =
        json!({ "do": "set", "kind": "cable", "name": cable, "key": "rest", "value": { "table": table } });
    session.apply(&Command::from_json(&command.to_string())?).map_err(said)?;
    Ok(session.text().to_owned())
}

/// The shape of a rod without loads, from the beginning of another.
fn natural_state(found: &NaturalRod) -> RodState {
    let rod: &AnyRod = &found.problem.rod;
    rod.rest_state(&rod.station(&found.state.rod, 0.0))
}

fn draw(posed: &Posed, found: &NaturalRod, args: &Invert, path: &Path) -> Result<(), Failure> {
    let rod = &found.problem.rod;
    let wanted = match &posed.line {
        Some(line) => along(line),
        None => stations(rod, &posed.state.rod),
    };
    let radius = match &posed.line {
        Some(line) => shown_radius(line, args.made.radius()?),
        None => 5e-3 * rod.length(),
    };
    let (natural, hanging) = (stations(rod, &natural_state(found)), stations(rod, &found.state.rod));
    let shown =
        |stations, colour, radius, start, dashed| picture::Shown { stations, colour, radius, start, dashed };
    let curves = [
        shown(&wanted, picture::DRAWN, radius, Mark::Clamped, true),
        shown(&natural, picture::NATURAL, 0.8 * radius, Mark::Free, false),
        shown(&hanging, picture::FOUND, 0.6 * radius, Mark::Free, false),
    ];
    let title = format!("{}: drawn (grey), without loads (blue), hanging (orange)", posed.name);
    picture::write(path, title, &curves)
}

/// A limit, where it is that of the shape: of a far end that is held it depends on how what it bears is chosen.
fn known(found: &NaturalRod, own: Limit) -> Limit {
    if found.chosen.is_none() && stays(found) { own } else { Limit::Unknown }
}

/// A limit as JSON: a number, "nowhere" or nothing.
fn limit(own: Limit) -> Value {
    match own {
        Limit::At(factor) => factor.into(),
        Limit::Nowhere => "nowhere".into(),
        Limit::Unknown => Value::Null,
    }
}

fn value(posed: &Posed, found: &NaturalRod, margin: &Margin, written: Option<&Written>) -> Value {
    let rod = &found.problem.rod;
    let natural = natural_state(found);
    let line = posed.line.as_ref().map(Line::value);
    let wrench = found.chosen.map(|own| {
        json!({ "force": [own.force.x, own.force.y, own.force.z], "moment": [own.moment.x, own.moment.y, own.moment.z] })
    });
    let points: Vec<[f64; 3]> = stations(rod, &natural).iter().map(|own| own.position.into()).collect();
    json!({
        "format": 1,
        "file": posed.name,
        "curve": line,
        "model": posed.model,
        "pieces": rod.pieces().0,
        "length": rod.length(),
        "deviation": posed.deviation,
        "status": found.report.status,
        "moved": found.moved,
        "chosen": wrench,
        "stability": margin.stability.filter(|_| stays(found)),
        "least_stiffness_factor": limit(known(found, margin.stiffness)),
        "largest_mass_factor": limit(known(found, margin.mass)),
        "enough_stiffness_factor_by_horn": margin.horn,
        "natural_strain": rod.natural_rows().iter().map(|(s, u)| [*s, u.x, u.y, u.z]).collect::<Vec<_>>(),
        "natural_shape": points,
        "written": written.map(|own| json!({ "status": own.status, "off": own.off })),
    })
}

/// A verdict in words.
fn verdict(own: Option<&Stability>) -> String {
    match own {
        None => "not known: no equilibrium was found from the shape".into(),
        Some(own) => {
            let word = match own.verdict {
                Verdict::Stable => "stable",
                Verdict::Neutral => "stable but for changes that cost nothing",
                Verdict::Unstable => "UNSTABLE: it would snap away",
            };
            let judged = if own.complete {
                ""
            } else {
                "; loads without a potential are judged as if they kept still"
            };
            format!("{word} (smallest eigenvalue {}, 1 without loads){judged}", number(own.lambda_min))
        }
    }
}

fn tell(args: &Invert, posed: &Posed, found: &NaturalRod, margin: &Margin, written: Option<&Written>) {
    let rod = &found.problem.rod;
    match &posed.line {
        Some(line) => print(&line.heading()),
        None => print(&format!("{}: what the cable is without loads, is to hang so\n", posed.name)),
    }
    let mut table = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| table.row(&[name.to_owned(), value]);
    let (pieces, kind) = rod.pieces();
    row("model", format!("{}, {pieces} {kind}", posed.model));
    if let Some(deviation) = posed.deviation {
        row("from the curve", format!("{} mm at most", number(1e3 * deviation)));
    }
    row(
        "solved from the shape",
        format!("{}, moved by {} mm", found.report.status, number(1e3 * found.moved)),
    );
    match stays(found) {
        true => row("as drawn it is", verdict(margin.stability.as_ref())),
        false => row(
            "as drawn it is",
            "no equilibrium of this model to its order, or it snapped: use more elements, or another model"
                .into(),
        ),
    }
    let times = |own: Limit, none: &str| match own {
        Limit::At(factor) => format!("{} times", number(factor)),
        Limit::Nowhere => none.to_owned(),
        Limit::Unknown if found.chosen.is_some() => {
            "not told: it is that of a cable which is free at its end".to_owned()
        }
        Limit::Unknown => "not known: a solve on the way did not converge".to_owned(),
    };
    row("least stiffness to be stable", times(known(found, margin.stiffness), "any"));
    row("largest mass to be stable", times(known(found, margin.mass), "any"));
    row(
        "enough stiffness by Horn's bound",
        margin.horn.map_or_else(
            || "not told: it is known of helices and clothoids, up to 200, free at their end".to_owned(),
            |h| format!("{} times", number(h)),
        ),
    );
    if let Some(own) = &found.chosen {
        let f = own.force;
        row(
            "the far end was chosen to bear",
            format!("{} N: what leaves the natural shape straightest", vector([f.x, f.y, f.z], f.norm())),
        );
    }
    let natural = natural_state(found);
    let [a, b] = [&natural, &posed.state.rod].map(|own| rod.station(own, rod.length()).position);
    row("its tip without loads", format!("{} mm from where it hangs", number(1e3 * (a - b).norm())));
    table.print_plain();
    if let (Some(path), Some(own)) = (&args.out, written) {
        print(&format!(
            "written to {}; read back and solved: {}, {} mm from the shape\n",
            path.display(),
            own.status,
            number(1e3 * own.off)
        ));
    }
}
