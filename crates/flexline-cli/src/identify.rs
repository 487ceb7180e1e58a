//! `flexline identify`: properties of a cable from points that were measured of it.

mod picture;

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::solved::SceneArgs;
use clap::Args;
use flexline::solver::Status;
use flexline_scene::units::{Dimension, parse};
use flexline_scene::words::millimetres;
use flexline_study::Base;
use flexline_study::identify::{
    Camera, Coverages, Estimate, Identification, Identified, Measurement, Noise, Request, read_points,
    scattered,
};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of the format of `--json`.
const FORMAT: u32 = 1;
/// What is said of progress: most searches need fewer steps.
const STEPS: u64 = 20;

const EXAMPLE: &str = "Example: flexline identify scenes/identify/hose.toml --data scenes/identify/hose.csv \
--vary bending_stiffness,rest_curvature --noise 0.5mm";

/// Identify properties of a cable from measured points: stiffness, weight, rest curvature, errors of its ends, with intervals
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Identify {
    #[command(flatten)]
    scene: SceneArgs,
    /// Points: a table with the heads x, y, z (as in "x [mm]") or u, v of a photograph, and perhaps s, sigma, cable. Of another pose
    /// with what is different in it before: another scene, or values, as in "pose-2.toml=points.csv" or
    /// "end.position.z=-70 mm;end.twist=90 deg=points.csv"
    #[arg(
        long,
        value_name = "[POSE=]FILE",
        required_unless_present = "simulate",
        allow_hyphen_values = true
    )]
    data: Vec<String>,
    /// What is identified, separated by commas: bending_stiffness, twisting_stiffness, mass, rest_curvature, rest_curvature(8),
    /// rest_twist, end.orientation, end.position, or any value of the scene, as in cable.length or floor.friction
    #[arg(long, value_name = "NAMES", required_unless_present = "simulate", value_delimiter = ',')]
    vary: Vec<String>,
    /// What is known before, as in "mass=90 g/m +- 2 %" or "end.orientation=0+-2 deg"
    #[arg(long, value_name = "NAME=VALUE+-DEVIATION", allow_hyphen_values = true)]
    prior: Vec<String>,
    /// Standard deviation of a point in every direction, as in 0.5mm, or 0.8px in photographs; or "estimate"
    #[arg(long, value_name = "NOISE", default_value = "estimate")]
    noise: String,
    /// The camera of photographs (TOML: focal, centre, position, looks_at or quaternion, noise); the second is that of the second file
    /// with u and v, and so on
    #[arg(long, value_name = "FILE")]
    camera: Vec<PathBuf>,
    /// Let outliers count less (Huber), and say how many there are
    #[arg(long)]
    robust: bool,
    /// Write the scene with what was identified
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw points, cables and residuals; .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Repeat it so many times with new noise on what was found, and count how often intervals hold it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    coverage: Option<u32>,
    /// Instead of identifying anything, write points of the solved scene with noise, as if measured; a pose before as for --data
    #[arg(long, value_name = "[POSE=]FILE", conflicts_with_all = ["data", "vary"], allow_hyphen_values = true)]
    simulate: Option<String>,
    /// Number of points that --simulate writes
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    count: u32,
    /// What chance begins with, for --simulate and --coverage
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Identify) -> Result<u8, Failure> {
    if let Some(simulate) = &args.simulate {
        return write_points(args, simulate);
    }
    let picture = args.picture.as_deref().map(Picture::of).transpose()?;
    let noise = noise(&args.noise)?;
    let poses = measurements(args)?;
    let request =
        Request { poses, vary: args.vary.clone(), priors: args.prior.clone(), noise, robust: args.robust };
    let identification = Identification::new(request)?;
    let progress = Progress::new(STEPS, "steps");
    let found = identification.run(&|_, _| progress.step())?;
    progress.finish();
    let coverages = match args.coverage.filter(|_| found.converged) {
        None => None,
        Some(count) => {
            let progress = Progress::new(u64::from(count), "repetitions");
            let own = identification.coverage(&found, count as usize, args.seed, &|| progress.step())?;
            progress.finish();
            Some(own)
        }
    };
    if let Some(path) = args.out.as_ref().filter(|_| found.converged) {
        write_file(path, found.text.as_bytes())?;
    }
    if let (Some(path), Some(picture)) = (&args.picture, picture) {
        picture.write(&picture::draw(&found)?, path, 2000)?;
    }
    if args.json {
        let scene = args.scene.scene.display().to_string();
        print_json(&json!({ "format": FORMAT, "scene": scene, "identified": found, "coverage": coverages }));
    } else {
        tell(&found);
        coverages.iter().for_each(tell_coverage);
    }
    Ok(if found.converged { GOOD } else { NO })
}

/// The deviation that is stated, or that it is estimated.
fn noise(text: &str) -> Result<Noise, Failure> {
    let wrong = |why: &str| {
        Failure::Input(format!(
            "--noise {text}: {why}; expected a standard deviation such as 0.5mm or 0.8px, or estimate"
        ))
    };
    if text == "estimate" {
        return Ok(Noise::Estimated);
    }
    let stated = match text.strip_suffix("px") {
        Some(number) => {
            let image = number.trim().parse::<f64>().map_err(|_| wrong("no number"))?;
            (image > 0.0 && image.is_finite()).then_some(Noise::Stated { space: 1e-3, image })
        }
        None => {
            let space = parse(text, Dimension::Length).map_err(|error| wrong(&error.problem))?;
            (space > 0.0).then_some(Noise::Stated { space, image: 1.0 })
        }
    };
    stated.ok_or_else(|| wrong("it is not above zero"))
}

/// What stands before a file: the scene of a pose, and values that are different in it.
fn posed(args: &Identify, text: &str) -> Result<(Base, String, PathBuf), Failure> {
    let (pose, file) = text.rsplit_once('=').map_or(("", text), |(pose, file)| (pose, file));
    let mut scene = args.scene.clone();
    let mut values: Vec<(&str, Value)> = Vec::new();
    for part in pose.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            None if part.ends_with(".toml") => scene.scene = part.into(),
            None => {
                let told = "expected a scene (.toml) or NAME=VALUE before the file";
                return Err(Failure::Input(format!("--data {text}: \"{part}\": {told}")));
            }
            Some((name, value)) => {
                let value = value.trim();
                let json = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
                values.push((name.trim(), json));
            }
        }
    }
    let mut base = scene.base()?;
    base.text = base.with(&values)?;
    base.read(&base.text)?;
    Ok((base, pose.to_owned(), file.trim().into()))
}

/// Reads all files; those of one pose belong together.
fn measurements(args: &Identify) -> Result<Vec<Measurement>, Failure> {
    let read = |path: &Path| {
        std::fs::read_to_string(path)
            .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))
    };
    let camera = |path: &PathBuf| Ok(Arc::new(Camera::read(&read(path)?, &path.display().to_string())?));
    let cameras = args.camera.iter().map(camera).collect::<Result<Vec<_>, Failure>>()?;
    let mut photographs = 0;
    let mut found: Vec<(String, Measurement)> = Vec::new();
    for data in &args.data {
        let (base, pose, path) = posed(args, data)?;
        let name = path.display().to_string();
        let camera = cameras.get(photographs).or(cameras.last());
        let points = read_points(&read(&path)?, &name, camera)?;
        photographs += usize::from(points.iter().any(|own| own.is_of_photograph()));
        match found.iter_mut().find(|known| known.0 == pose) {
            Some((_, own)) => own.points.extend(points),
            None => found.push((pose, Measurement { name, base, points })),
        }
    }
    if photographs < cameras.len() {
        return Err(Failure::Input(format!(
            "--camera: there are {} cameras, and {photographs} files with the columns u and v",
            cameras.len()
        )));
    }
    Ok(found.into_iter().map(|own| own.1).collect())
}

/// Writes points of the solved scene, with noise.
fn write_points(args: &Identify, text: &str) -> Result<u8, Failure> {
    let deviation = match noise(&args.noise)? {
        Noise::Stated { space, .. } if !args.noise.ends_with("px") => space,
        _ => return Err(Failure::Input("--simulate needs the noise of its points: --noise 0.5mm".into())),
    };
    let (base, _, path) = posed(args, text)?;
    let solved = base.solve(&base.text)?;
    if solved.status() != Status::Converged {
        return Err(Failure::Input(format!("no point is written: {}", solved.status_line())));
    }
    let several = solved.compiled.cables.len() > 1;
    let mut table = format!(
        "# {} points of {}, each off by {} in every direction (seed {})\n",
        args.count, base.name, args.noise, args.seed
    );
    table += if several { "x [mm],y [mm],z [mm],cable\n" } else { "x [mm],y [mm],z [mm]\n" };
    for (cable, own) in solved.compiled.cables.iter().enumerate() {
        for at in
            scattered(&solved, cable, args.count as usize, deviation, args.seed.wrapping_add(cable as u64))
        {
            let [x, y, z] = [at.x, at.y, at.z].map(|own| 1e3 * own);
            let _ = write!(table, "{x:.4},{y:.4},{z:.4}");
            table += &if several { format!(",{}\n", own.name) } else { "\n".into() };
        }
    }
    write_file(&path, table.as_bytes())?;
    print(&format!("{}: {} points of {}\n", path.display(), args.count, base.name));
    Ok(GOOD)
}

/// A value with its unit.
fn shown(own: &Estimate, value: f64) -> String {
    match own.unit {
        "rad" => format!("{:.3}°", value.to_degrees()),
        "m" => format!("{:.3} mm", 1e3 * value),
        unit => format!("{} {unit}", number(value)).trim_end().to_owned(),
    }
}

fn tell(found: &Identified) {
    print(&format!("{}\n\n", found.status));
    let mut table = Table::new(&["parameter", "value", "standard error", "95 %"]);
    for own in &found.parameters {
        let error = own.standard_error.map_or_else(String::new, |error| match own.unit {
            // What is sought by factors is known to a share.
            _ if own.interval.is_some_and(|ends| ends[0] > 0.0) && own.unit != "rad" && own.unit != "m" => {
                format!("{:.2} %", 100.0 * error / own.value.abs())
            }
            _ => shown(own, error),
        });
        let interval = own
            .interval
            .map_or_else(|| "-".into(), |[low, high]| format!("{} to {}", shown(own, low), shown(own, high)));
        let value = match (own.known, found.converged) {
            (true, _) => shown(own, own.value),
            (false, true) => "unknown".into(),
            (false, false) => format!("{} (not converged)", shown(own, own.value)),
        };
        table.row(&[own.name.clone(), value, error, interval]);
    }
    table.print();
    for own in &found.rolls {
        let [low, high] = own.interval;
        let direction = match (own.direction, own.direction_error) {
            (Some(way), Some(error)) => {
                format!(
                    "about an axis {:.0}° ± {:.0}° from d1 towards d2",
                    way.to_degrees(),
                    error.to_degrees()
                )
            }
            _ => "its direction is unknown".into(),
        };
        print(&format!(
            "{}: {} 1/m ({} to {}), {direction}\n",
            own.name,
            number(own.curvature),
            number(low),
            number(high)
        ));
    }
    for own in &found.together {
        print(&format!("{}\n", own.words));
        if let Some((name, value, [low, high])) = &own.known {
            print(&format!("  {name} = {} ({} to {}), SI\n", number(*value), number(*low), number(*high)));
        }
    }
    if let Some(advice) = &found.advice {
        let known: Vec<String> =
            advice.known.iter().map(|(name, error)| format!("{name} to {error:.2}")).collect();
        let still = match advice.unknown.is_empty() {
            true => String::new(),
            false => format!("; still unknown: {}", advice.unknown.join(", ")),
        };
        print(&format!(
            "a pose that would tell more: {} (standard error then, a share of what is positive: {}{still})\n",
            advice.pose,
            known.join(", ")
        ));
    }
    tell_residuals(found);
}

fn tell_residuals(found: &Identified) {
    let strongest = found.correlations.iter().enumerate().flat_map(|(i, row)| {
        row.iter().enumerate().take(i).filter_map(move |(j, own)| own.map(|own| (own, j, i)))
    });
    if let Some((own, i, j)) = strongest.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())) {
        let name = |k: usize| &found.parameters[k].name;
        print(&format!("strongest correlation: {own:.2}, of {} and {}\n", name(i), name(j)));
    }
    let is_px = found.poses.iter().all(|own| own.unit == "px");
    let size =
        |value: f64, px: bool| if px { format!("{value:.2} px") } else { format!("{:.3} mm", 1e3 * value) };
    match found.noise_interval {
        Some([low, high]) => print(&format!(
            "\nnoise {} ({} to {}), estimated with {:.0} degrees of freedom\n",
            size(found.noise, is_px),
            size(low, is_px),
            size(high, is_px),
            found.check.dof
        )),
        None => {
            let chance = found
                .check
                .chance_of_size
                .map_or_else(String::new, |own| format!(", chance of more {own:.3}"));
            let sum = found.check.chi_squared.map_or_else(String::new, number);
            print(&format!("\nχ² {sum} for {:.0} degrees of freedom{chance}\n", found.check.dof));
        }
    }
    if let (Some([runs, mean]), Some(chance)) = (found.check.runs, found.check.chance_of_runs) {
        print(&format!("runs of signs {runs:.0}, by chance {mean:.0}, chance of fewer {chance:.3}\n"));
    }
    if let Some(own) = &found.check.largest {
        print(&format!(
            "farthest off: {}, line {}: {:.1} deviations, at {} of its cable\n",
            own.file,
            own.line,
            own.deviations,
            millimetres(own.s)
        ));
    }
    for own in found.check.findings.iter().chain(&found.length) {
        print(&format!("warning: {own}\n"));
    }
    for own in &found.differences {
        print(&format!("derivatives by solving again, {own}\n"));
    }
    let mut table = Table::new(&["pose", "points", "rms", "rms predicted by the others", "most"]);
    for own in &found.poses {
        let told =
            |value: Option<f64>| value.map_or_else(|| "-".into(), |value| size(value, own.unit == "px"));
        table.row(&[
            own.name.clone(),
            own.points.to_string(),
            size(own.rms, own.unit == "px"),
            told(own.predicted),
            told(own.predicted_most),
        ]);
    }
    print("\n");
    table.print();
}

fn tell_coverage(own: &Coverages) {
    print(&format!("\n{} repetitions, {} of them not converged\n", own.repetitions, own.failed));
    let mut table = Table::new(&["parameter", "in its 95 % interval", "of 95 %", "unknown"]);
    for own in &own.parameters {
        let [low, high] = own.share.interval.map(|end| 100.0 * end);
        let share = match own.share.value.is_finite() {
            true => format!("{:.1} %", 100.0 * own.share.value),
            false => "-".into(),
        };
        table.row(&[own.name.clone(), share, format!("{low:.1} to {high:.1} %"), own.unknown.to_string()]);
    }
    table.print();
}
