//! `flexline sweep`: a scene through poses, a motion or a range of parameters, with the rules of `check` at each.

use crate::check::print_worst;
use crate::failure::{Failure, GOOD, NO, VIOLATION, write_file};
use crate::output::{print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::solved::SceneArgs;
use clap::Args;
use flexline::solver::Status;
use flexline_plot::{ColourMap, ColourScale, End, Paint, Quantity, Subject, Tube, ViewOptions, perspective};
use flexline_scene::check::Verdict;
use flexline_scene::words::millimetres;
use flexline_study::picture::in_perspective;
use flexline_study::sweep::{Row, Snap, Sweep};
use flexline_study::{Course, Poses, Range, Tubes, Worst, stl};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Number of the format of `--json`.
const FORMAT: u32 = 1;

/// At most this many poses are drawn in a picture of the envelope.
const DRAWN: usize = 24;

/// Lead a scene through many poses: the rules of `check` at each, the worst of all, where it snaps
#[derive(Args)]
pub struct SweepArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Table of poses, .csv: heads NAME.x, NAME.y, NAME.z (m, or as NAME.x [mm]) and NAME.qw to NAME.qz, a line for every pose
    #[arg(long, value_name = "FILE", required_unless_present_any = ["motion", "vary"], conflicts_with_all = ["motion", "vary"])]
    poses: Option<PathBuf>,
    /// What the scene moves in [[motion]], from beginning to end
    #[arg(long, conflicts_with = "vary")]
    motion: bool,
    /// A parameter through a range, as in "cable.length=400 mm..600 mm:200"; several vary together
    #[arg(long, value_name = "NAME=FROM..TO:COUNT", allow_hyphen_values = true)]
    vary: Vec<String>,
    /// Steps of --motion, or of --vary where its range does not say a count
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
    /// Table of every pose to write, .csv
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Picture of the worst pose to write, .svg or .png
    #[arg(long, value_name = "FILE")]
    worst: Option<PathBuf>,
    /// Picture of all poses to write, .svg or .png
    #[arg(long, value_name = "FILE")]
    envelope: Option<PathBuf>,
    /// Swept volume to write, .stl: the tubes of all poses together, in metres
    #[arg(long, value_name = "FILE")]
    volume: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &SweepArgs) -> Result<u8, Failure> {
    let picture = |option: &str, path: &Option<PathBuf>| {
        let own = path.as_deref().map(Picture::of).transpose();
        own.map_err(|error| match error {
            Failure::Input(text) => Failure::Input(text.replacen("--out", option, 1)),
            other => other,
        })
    };
    let (of_worst, of_all) = (picture("--worst", &args.worst)?, picture("--envelope", &args.envelope)?);
    let course = course(args)?;
    let progress = Progress::new(course.count() as u64, "poses");
    let shapes = args.envelope.is_some() || args.volume.is_some();
    let sweep = Sweep::run(&course, shapes, |_| progress.step())?;
    progress.finish();
    if let Some(path) = &args.csv {
        write_file(path, sweep.csv(&course).as_bytes())?;
    }
    if let (Some(path), Some(kind), Some((pose, solved))) = (&args.worst, of_worst, &sweep.worst) {
        let title = format!("{}, pose {pose}", course.first().scene.name());
        kind.write(&in_perspective(solved, title)?, path, 1600)?;
    }
    if !sweep.tubes.is_empty() {
        if let (Some(path), Some(kind)) = (&args.envelope, of_all) {
            envelope(&sweep.tubes, course.first().scene.name(), path, kind)?;
        }
        if let Some(path) = &args.volume {
            write_file(path, &stl(&sweep.tubes))?;
        }
    }
    match args.json {
        true => print_values(&course, &sweep),
        false => print_tables(&course, &sweep),
    }
    let lost = |row: &Row| row.status != Some(Status::TooShort);
    Ok(if sweep.failed().any(lost) {
        NO
    } else if sweep.verdict() == Verdict::Fail || sweep.failed().count() + sweep.snaps().count() > 0 {
        VIOLATION
    } else {
        GOOD
    })
}

/// What is asked for.
fn course(args: &SweepArgs) -> Result<Course, Failure> {
    let base = args.scene.base()?;
    if let Some(path) = &args.poses {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
        return Ok(Course::through(base, Poses::read(&text, &name)?, &name)?);
    }
    let steps = args.steps as usize;
    if args.motion {
        return Ok(Course::motion(base, steps)?);
    }
    let ranges = args.vary.iter().map(|text| Range::parse(text)).collect::<Result<Vec<_>, _>>()?;
    Ok(Course::vary(base, ranges, steps + 1)?)
}

/// A sweep: the rules of `check` over many poses.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline sweep --json")]
pub struct SweepTold<'a> {
    /// Number of the format.
    format: u32,
    /// The file of the scene.
    scene: &'a str,
    /// Names of what distinguishes the poses, in the order of their `values`.
    heads: Vec<String>,
    /// Names of the cables, in the order of what is told of each.
    cables: &'a [String],
    /// The worst of all verdicts.
    verdict: Verdict,
    /// How many poses have no equilibrium.
    failed: usize,
    /// The pose in which most of any limit is used.
    worst_pose: Option<usize>,
    /// The worst of every rule, cable by cable.
    worst: Vec<Worst>,
    /// All poses.
    poses: &'a [Row],
}

fn print_values(course: &Course, sweep: &Sweep) {
    print_json(&json!(SweepTold {
        format: FORMAT,
        scene: course.first().scene.name(),
        heads: course.heads(),
        cables: &sweep.cables,
        verdict: sweep.verdict(),
        failed: sweep.failed().count(),
        worst_pose: sweep.worst.as_ref().map(|(pose, _)| *pose),
        worst: sweep.worst_findings(),
        poses: &sweep.rows,
    }));
}

fn print_tables(course: &Course, sweep: &Sweep) {
    let solved = sweep.rows.len() - sweep.failed().count();
    print(&format!("{solved} of {} poses have an equilibrium\n\n", sweep.rows.len()));
    print_worst(&course.first().compiled, &sweep.worst_findings(), "pose", |pose| pose.to_string());
    for (pose, snap) in sweep.snaps() {
        print(&format!("{}\n", told(pose, snap)));
    }
    for row in &sweep.rows {
        if let Some(trouble) = &row.trouble {
            print(&format!("pose {}: {trouble}\n", row.pose));
        }
        if let Some(between) = &row.between {
            print(&format!("between poses {} and {}: {between}\n", row.pose - 1, row.pose));
        }
        if row.anew {
            print(&format!(
                "pose {}: found anew, not from the pose before: it may lie on another side\n",
                row.pose
            ));
        }
    }
}

fn told(pose: usize, snap: &Snap) -> String {
    let Snap { between: [low, high], distance, cable, s, .. } = snap;
    format!(
        "snap: on the way to pose {pose}, between {low:.4} and {high:.4}: {cable} jumps by {} at s = {}",
        millimetres(*distance),
        millimetres(*s)
    )
}

/// Cables in some of the poses, early ones pale.
fn envelope(all: &[Tubes], name: &str, path: &Path, picture: Picture) -> Result<(), Failure> {
    let count = all.len().min(DRAWN);
    let mut tubes = Vec::new();
    for k in 0..count {
        let pose = k * (all.len() - 1) / (count.max(2) - 1);
        let share = pose as f64 / (all.len().max(2) - 1) as f64;
        for nodes in &all[pose].cables {
            tubes.push(Tube {
                centre: nodes.iter().map(|own| own.position.into()).collect(),
                frames: nodes
                    .iter()
                    .map(|own| [own.frame.w, own.frame.i, own.frame.j, own.frame.k])
                    .collect(),
                radius: nodes.iter().map(|own| own.radius).collect(),
                paint: Paint::Values(vec![share; nodes.len()]),
                stripe: false,
                ends: [End::Free; 2],
            });
        }
    }
    let subject = Subject {
        title: format!("{name}, {} poses", all.len()),
        tubes,
        solids: Vec::new(),
        loads: Vec::new(),
        scale: Some(ColourScale {
            map: ColourMap::Sequential,
            range: [0.0, 1.0],
            title: "Share of the way".into(),
            quantity: Quantity::Ratio,
        }),
    };
    picture.write(&perspective(&subject, &ViewOptions::default())?, path, 1600)
}
