//! `flexline export`: centrelines, models, pictures in motion for other programs, and what leaves a harness.

mod harness;
mod robot;
mod show;

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, counted, number, print, print_json};
use crate::solved::{Changes, SceneArgs, Solved, solve_scene};
use clap::{Args, ValueEnum};
use flexline::solver::Status;
use flexline_exchange::centreline::{Centreline, Curve, Made, Schema, Wishes, Written, write};
use flexline_scene::units::{Dimension, parse};
use serde_json::json;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

const EXAMPLES: &str = "Examples:
  flexline export scenes/brake-hose.toml --to hose.step            the centreline as a B-spline curve
  flexline export scenes/brake-hose.toml --to hose.step --solid    and the hose as a closed solid around it
  flexline export scenes/door-harness.toml --to door.igs --cable trunk
  flexline export scenes/brake-hose.toml --to hose.csv             places with curvature, twist, tension and clearance
  flexline export scenes/brake-hose.toml --to hose.xml             a chain of bodies for MuJoCo
  flexline export scenes/brake-hose.toml --to hose.glb --colour curvature
  flexline export door.toml --to door-2.kbl                        harness data with what has changed, nothing else touched
  flexline export door.toml --to cuts.html --reserve \"3 %\" --per-end \"20 mm\"     what wires are cut to
  flexline export door.toml --to board.pdf --paper a3              the form board, 1:1

The ending names the format: .step, .stp (STEP), .igs, .iges (IGES), .vda (VDA-FS), .csv, and .pts, .xyz, .txt (points); .xml (MJCF, for
MuJoCo), .glb (glTF), .usda (USD), .vtp and .pvd (VTK). Of a scene from harness data: .kbl (written back), .csv with --cut-list or
.html (cut list), .svg, .pdf, .dxf (form board), .yml (WireViz).";

/// Write a scene for other programs: STEP, IGES, VDA-FS, CSV, points, MJCF, glTF, USD, VTK
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Export {
    #[command(flatten)]
    scene: SceneArgs,
    /// Where it goes; the ending names the format
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Only this cable
    #[arg(long, value_name = "NAME")]
    cable: Option<String>,
    /// How far curves may be off the centreline
    #[arg(long, value_name = "LENGTH", default_value = "0.01 mm")]
    tolerance: String,
    /// Of a STEP file: its schema
    #[arg(long, value_enum)]
    schema: Option<SchemaWord>,
    /// Of a STEP file: sweep a tube around every centreline, as a closed solid
    #[arg(long)]
    solid: bool,
    #[command(flatten)]
    show: show::ShowArgs,
    #[command(flatten)]
    harness: harness::HarnessArgs,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemaWord {
    Ap242,
    Ap214,
}

/// The grey of rubber.
const COLOUR: [f64; 3] = [0.15, 0.16, 0.18];

/// Runs the command.
pub fn run(args: &Export) -> Result<u8, Failure> {
    if robot::is_for(args) {
        return robot::run(args);
    }
    if show::is_for(args) {
        return show::run(args);
    }
    if let Some(code) = harness::run(args)? {
        return Ok(code);
    }
    let format = format_of(args)?;
    let tolerance = parse(&args.tolerance, Dimension::Length).ok().filter(|t| (1e-9..=1.0).contains(t));
    let tolerance = tolerance.ok_or_else(|| {
        Failure::Input(format!(
            "--tolerance {}: expected a length from 1 nm to 1 m, such as \"0.01 mm\"",
            args.tolerance
        ))
    })?;
    let solved = solve_scene(&args.scene)?;
    if solved.status() != Status::Converged {
        // No equilibrium, no file that says it is one.
        return Err(Failure::Input(format!(
            "{} is not in equilibrium: {}\n  nothing is written; mend the scene first",
            args.scene.scene.display(),
            solved.ending()
        )));
    }
    let title = args.to.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let wishes = Wishes { tolerance, solid: args.solid, colour: COLOUR, title, date: date() };
    let make = |solved: &Solved| -> Result<File, Failure> {
        let lines = centrelines(solved, args.cable.as_deref())?;
        let made = write(&lines, format, &wishes).map_err(|error| Failure::Input(error.to_string()))?;
        Ok(File { lines, made, segments: None })
    };
    let mut file = make(&solved)?;
    if let Some(segments) = needed(args, &solved, &file) {
        let finer = SceneArgs {
            scene: args.scene.scene.clone(),
            changes: Changes {
                segments: Some(segments),
                stable: args.scene.changes.stable,
                ..Changes::default()
            },
        };
        // Where that fails, the first is as good as it was.
        let better = solve_scene(&finer).ok().filter(|better| better.status() == Status::Converged);
        let again = better.and_then(|better| make(&better).ok());
        if let Some(again) = again.filter(|again| again.length_error() < file.length_error()) {
            file = File { segments: Some(segments), ..again };
        }
    }
    write_file(&args.to, &file.made.bytes)?;
    report(args, format, tolerance, &file);
    Ok(if solved.is_met() { GOOD } else { NO })
}

/// What is written.
struct File {
    lines: Vec<Centreline>,
    made: Made,
    /// How many segments it was solved with once more.
    segments: Option<u32>,
}

impl File {
    /// How much longer or shorter curves are than their cables at most, as a share.
    fn length_error(&self) -> f64 {
        let error = |(curve, line): (&Curve, &Centreline)| (curve.length / length(line) - 1.0).abs();
        self.made.curves.iter().zip(&self.lines).map(error).fold(0.0, f64::max)
    }
}

/// The length of a cable, m.
fn length(line: &Centreline) -> f64 {
    line.points.last().map_or(f64::NAN, |last| last.s)
}

/// Lengths of curves are to be those of cables within this share.
const LENGTHS: f64 = 1e-6;
/// No more segments than this for the sake of lengths.
const MOST_SEGMENTS: f64 = 4000.0;

/// How many segments it takes for curves to be as long as cables: a smooth curve through the nodes of chords h is longer by
/// (κh)²/24. `None` where they are, where the command line or the scene says how fine it is to be, and among contacts.
fn needed(args: &Export, solved: &Solved, file: &File) -> Option<u32> {
    let asked = &args.scene.changes;
    let cables = || solved.scene.cables.iter().map(|own| &own.cable);
    let said = asked.segments.is_some() || asked.elements.is_some() || asked.accuracy.is_some();
    let error = file.length_error();
    if said
        || error <= LENGTHS
        || solved.compiled.has_contact()
        || cables().any(|own| own.accuracy.is_some() || !own.model.is_chain())
    {
        return None;
    }
    let now = cables().map(|own| own.resolution).max()? as f64;
    let segments = (now * (2.0 * error / LENGTHS).sqrt()).ceil().min(MOST_SEGMENTS);
    (segments > now).then_some(segments as u32)
}

fn format_of(args: &Export) -> Result<Written, Failure> {
    let ending = args.to.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let format = Written::of(ending).ok_or_else(|| {
        Failure::Input(format!(
            "--to {}: '.{ending}' is no format this command writes; name the file .step, .igs, .vda, .csv, .pts, .xml, .glb, .usda, .vtp or .pvd",
            args.to.display()
        ))
    })?;
    match (format, args.schema) {
        (Written::Step(_), Some(SchemaWord::Ap214)) => Ok(Written::Step(Schema::Ap214)),
        (Written::Step(_), _) | (_, None) => Ok(format),
        (_, Some(_)) => {
            Err(Failure::Input(format!("--schema: {} has none; it goes with STEP", format.name())))
        }
    }
}

/// The centrelines of a solved scene, one or all.
fn centrelines(solved: &Solved, wanted: Option<&str>) -> Result<Vec<Centreline>, Failure> {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let lines = compiled.centrelines(solution, wanted);
    match (lines.is_empty(), wanted) {
        (true, Some(wanted)) => {
            let known: Vec<&str> = compiled.cables.iter().map(|cable| cable.name.as_str()).collect();
            Err(Failure::Input(format!(
                "--cable {wanted}: there is no such cable; there are: {}",
                known.join(", ")
            )))
        }
        (true, None) => Err(Failure::Input("the scene has no cables".into())),
        _ => Ok(lines),
    }
}

fn report(args: &Export, format: Written, tolerance: f64, file: &File) {
    let (lines, made) = (&file.lines, &file.made);
    if args.json {
        let curve = |(own, line): (&Curve, &Centreline)| {
            json!({
                "name": own.name,
                "length": own.length,
                "cable_length": length(line),
                "reached": own.reached,
                "poles": own.poles,
                "tube": own.tube,
            })
        };
        print_json(&json!({
            "file": args.to.display().to_string(),
            "format": format.name(),
            "bytes": made.bytes.len(),
            "tolerance": tolerance,
            "segments": file.segments,
            "cables": lines.iter().map(|line| json!({ "name": line.name, "points": line.points.len() })).collect::<Vec<_>>(),
            "curves": made.curves.iter().zip(lines).map(curve).collect::<Vec<_>>(),
        }));
        return;
    }
    if made.curves.is_empty() {
        let points: usize = lines.iter().map(|line| line.points.len()).sum();
        print(&format!(
            "{points} places of {} written to {}, {}\n",
            counted(lines.len(), "cable"),
            args.to.display(),
            format.name()
        ));
        return;
    }
    let mut table =
        Table::new(&["cable", "length mm", "curve longer by mm", "poles", "off by mm", "tube off by mm"]);
    for (own, line) in made.curves.iter().zip(lines) {
        table.row(&[
            own.name.clone(),
            number(1e3 * length(line)),
            number(1e3 * (own.length - length(line))),
            own.poles.to_string(),
            number(1e3 * own.reached),
            own.tube.map_or("-".to_owned(), |tube| number(1e3 * tube)),
        ]);
    }
    table.print();
    if let Some(segments) = file.segments {
        print(&format!(
            "solved once more with {segments} segments, for curves as long as their cables; --segments overrules\n"
        ));
    }
    let asked = number(1e3 * tolerance);
    print(&format!("{asked} mm asked for; written to {}, {}\n", args.to.display(), format.name()));
}

/// Now, by the calendar and without a zone.
fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |own| own.as_secs());
    flexline_exchange::centreline::date(seconds)
}
