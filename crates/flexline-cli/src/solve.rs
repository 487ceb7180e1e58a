//! `flexline solve`: the equilibrium of a scene, as a table, as JSON, and along s.

mod harness;
mod problem;

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json, vector};
use crate::solved::{AnySolved, SceneArgs, Solved, solve_scene_after, status_text};
use clap::Args;
use flexline::rod::Rod;
use flexline::solver::saved::SavedProblem;
use flexline::solver::{Profile, Sample, Status, Verdict};
use flexline_exchange::problem::is_problem_file;
use flexline_scene::Chosen;
use flexline_scene::check::{too_sharp, too_sharp_message, unresolved};
use flexline_scene::pole::deepest;
use flexline_scene::winding::LostTurns;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Find the equilibrium of a scene
#[derive(Args)]
pub struct Solve {
    #[command(flatten)]
    scene: SceneArgs,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
    /// Write the full solution along s; .csv or .json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write all that the solve depends on, as it begins; `flexline solve FILE` solves it again, bit for bit
    #[arg(long, value_name = "FILE")]
    save_problem: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Solve) -> Result<u8, Failure> {
    let format = args.out.as_deref().map(Format::of).transpose()?;
    if is_problem_file(&args.scene.scene) {
        return problem::run(args, format);
    }
    let save =
        |saved: SavedProblem| args.save_problem.as_ref().map_or(Ok(()), |path| problem::save(path, &saved));
    let solved = solve_scene_after(&args.scene, save)?;
    if let (Some(path), Some(format)) = (&args.out, format) {
        let text = match (format, &solved) {
            (Format::Csv, AnySolved::Cable(solved)) => csv(solved),
            (Format::Csv, AnySolved::Harness(solved)) => harness::csv(solved),
            (Format::Json, AnySolved::Cable(solved)) => format!("{:#}\n", solution(solved)),
            (Format::Json, AnySolved::Harness(solved)) => format!("{:#}\n", harness::solution(solved)),
        };
        write_file(path, text.as_bytes())?;
    }
    match (&solved, args.json) {
        (AnySolved::Cable(solved), true) => print_json(&summary(solved)),
        (AnySolved::Cable(solved), false) => table(solved),
        (AnySolved::Harness(solved), true) => print_json(&harness::summary(solved)),
        (AnySolved::Harness(solved), false) => harness::table(solved),
    }
    if let (Some(path), false) = (&args.out, args.json) {
        print(&format!("solution along s written to {}\n", path.display()));
    }
    let (status, met) = match &solved {
        AnySolved::Cable(solved) => {
            (solved.report.status, solved.compiled.chosen.as_ref().is_none_or(|own| own.met))
        }
        AnySolved::Harness(solved) => {
            let met = solved.compiled.chosen.iter().flatten().all(|own| own.met);
            (solved.solution.report.status, met)
        }
    };
    Ok(if status == Status::Converged && met { GOOD } else { NO })
}

#[derive(Clone, Copy)]
enum Format {
    Csv,
    Json,
}

impl Format {
    fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|e| e.to_str()) {
            Some(e) if e.eq_ignore_ascii_case("csv") => Ok(Self::Csv),
            Some(e) if e.eq_ignore_ascii_case("json") => Ok(Self::Json),
            other => Err(Failure::Input(format!(
                "--out {}: {} is no format this command writes; name the file .csv or .json",
                path.display(),
                other.map_or_else(|| "no ending".to_string(), |e| format!("'.{e}'"))
            ))),
        }
    }
}

/// The sample where a quantity is largest; the first of those that differ by no more than round-off.
fn largest(profile: &Profile, of: impl Fn(&Sample) -> f64) -> Option<(&Sample, f64)> {
    profile
        .samples
        .iter()
        .map(|s| (s, of(s)))
        .reduce(|best, next| if next.1 > best.1 + 1e-9 * best.1.abs() { next } else { best })
}

fn table(solved: &Solved) {
    let (r, rod) = (&solved.report, &solved.compiled.problem.rod);
    if let Some(title) = &solved.scene.title {
        print(&format!("{title}\n\n"));
    }
    let mut t = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| t.row(&[name.to_string(), value]);
    let estimate = if solved.compiled.section.is_estimate() { "estimated" } else { "measured" };
    row(
        "cable",
        format!(
            "{}, {:.1} mm, {}, {} rod",
            solved.scene.cable.name,
            1e3 * solved.compiled.length,
            rod.resolution(),
            rod.model()
        ),
    );
    if let Some(chosen) = &solved.compiled.chosen {
        row("accuracy", accuracy(chosen, &rod.resolution()));
    }
    let k = rod.first_stiffness();
    row("stiffness K1, K2, K3", format!("{:.3e}, {:.3e}, {:.3e} N m² ({estimate})", k.x, k.y, k.z));
    row("status", status_text(&solved.compiled.problem.rod, r));
    row(
        "iterations",
        format!("{} (factorisations {}, load steps {})", r.iterations, r.factorisations, r.steps),
    );
    row("unbalanced force", format!("{:.1e} N of {:.3e} N", r.residual_force, r.largest_force));
    row("ends off by", format!("{:.1e} m, {:.1e} rad", r.position_violation, r.rotation_violation));
    match rod.local_stretch(&solved.state.rod) {
        Some(stretch) => row("local stretch", local_stretch(stretch)),
        None => row("worst segment", format!("{:.1e} of its length", r.segment_error)),
    }
    if r.status != Status::Converged {
        row("", NO_NUMBERS.to_string());
        t.print_plain();
        return;
    }
    if let Some(s) = &r.stability {
        let verdict = match s.verdict {
            Verdict::Stable => "stable".to_string(),
            Verdict::Neutral => format!("neutral: {} direction(s) cost nothing", s.neutral),
            Verdict::Unstable => format!("UNSTABLE in {} direction(s); --stable goes on", s.negative),
        };
        let reach = if s.complete { "" } else { " (of the energy: moments and follower loads have none)" };
        row("stability", format!("{verdict}; smallest eigenvalue {}{reach}", number(s.lambda_min)));
    }
    // What is round-off beside the others is none.
    let e = &r.energies;
    let largest_energy = e.bending.max(e.torsion).max(e.gravity.abs()).max(e.loads.abs());
    let energy = |value: f64| if value.abs() < 1e-12 * largest_energy { number(0.0) } else { number(value) };
    let loads = if e.loads.abs() <= 1e-12 * largest_energy {
        String::new()
    } else {
        format!(", loads {} J", energy(e.loads))
    };
    row(
        "energy",
        format!(
            "bending {} J, torsion {} J, gravity {} J{loads}",
            energy(e.bending),
            energy(e.torsion),
            energy(e.gravity)
        ),
    );
    // The seam of a ring has one support.
    let names: &[&str] = if solved.compiled.problem.closed {
        &["support at seam"]
    } else {
        &["support at start", "support at end"]
    };
    let largest_moment = largest(&solved.profile, |s| s.moment.norm()).map_or(0.0, |(_, moment)| moment);
    for (name, w) in names.iter().zip(&r.supports) {
        let force = vector(w.force.into(), r.largest_force);
        row(name, format!("force {force} N, moment {} N m", vector(w.moment.into(), largest_moment)));
    }
    // Without the sign of a zero.
    row("twist", format!("{:.4} turns", (1e4 * rod.twist_turns(&solved.state.rod)).round() / 1e4 + 0.0));
    if let Some((s, k)) = largest(&solved.profile, Sample::curvature) {
        // Straight, where the cable turns by less than a millionth of a radian over its whole length.
        let bend = if k * solved.compiled.length < 1e-6 {
            "none: straight".to_string()
        } else {
            format!("radius {:.2} mm at s = {:.1} mm", 1e3 / k, 1e3 * s.s)
        };
        row("tightest bend", bend);
    }
    if let Some((s, v)) = largest(&solved.profile, Sample::tension) {
        row("largest tension", format!("{} N at s = {:.1} mm", number(v), 1e3 * s.s));
    }
    if let Some((s, v)) = largest(&solved.profile, |s| s.moment.norm()) {
        row("largest moment", format!("{} N m at s = {:.1} mm", number(v), 1e3 * s.s));
    }
    for (spec, pole) in solved.scene.poles.iter().zip(&solved.compiled.problem.poles) {
        let found = deepest(pole, &solved.profile.samples);
        row(&format!("pole '{}'", spec.name), touch(found.map(|(s, depth)| (None, s.s, depth))));
    }
    t.print_plain();
    for hint in told(solved) {
        print(&format!("\nnote: {hint}\n"));
    }
}

/// What an equilibrium is not to be trusted in.
fn told(solved: &Solved) -> Vec<String> {
    let found = solved.report.status == Status::Converged;
    let coarse = unresolved(&solved.compiled, &solved.profile, &solved.report, false).map(|f| f.message);
    coarse.into_iter().chain(warnings(Some(&solved.profile).filter(|_| found), &solved.lost)).collect()
}

/// Bends too sharp for what they are made of, where those matter, and turns that were lost.
fn warnings<'a>(profile: Option<&Profile>, lost: impl IntoIterator<Item = &'a LostTurns>) -> Vec<String> {
    let sharp = profile.and_then(too_sharp).map(|(sample, bend)| too_sharp_message(sample, bend));
    sharp.into_iter().chain(lost.into_iter().map(LostTurns::message)).collect()
}

/// What is said where there is no equilibrium.
const NO_NUMBERS: &str = "no equilibrium: forces, bends and energies are not known";

/// A value, or nothing where it is not known.
fn known(is_known: bool, value: Value) -> Value {
    if is_known { value } else { Value::Null }
}

/// What came of an accuracy that was asked for, with so many pieces.
fn accuracy(chosen: &Chosen, pieces: &str) -> String {
    let asked = format!("{} mm asked for", number(1e3 * chosen.accuracy));
    let forces = chosen.support_error.map_or_else(String::new, |[force, moment]| {
        format!("; forces of supports within {} N, moments within {} N m", number(force), number(moment))
    });
    match (chosen.error, chosen.met) {
        (Some(error), true) => format!("{} mm estimated, {asked}{forces}", number(1e3 * error)),
        (Some(error), false) => {
            format!("NOT MET with {pieces}: {} mm estimated, {asked}{forces}", number(1e3 * error))
        }
        (None, _) => format!("NOT MET: no equilibrium found with {pieces}, {asked}"),
    }
}

/// How much a spline is stretched at its worst place.
fn local_stretch(stretch: f64) -> String {
    format!("up to {:.1e}: a spline keeps its length on average; more elements stretch less", stretch)
}

/// How deep a pole is entered: by which cable where there are several, at which arc length, and how deep.
fn touch(deepest: Option<(Option<&str>, f64, f64)>) -> String {
    match deepest {
        None => "not touched".to_string(),
        Some((cable, s, depth)) => {
            let by = cable.map_or(String::new(), |name| format!(" by cable '{name}'"));
            format!("entered by {:.1e} mm{by} at s = {:.1} mm", 1e3 * depth, 1e3 * s)
        }
    }
}

fn summary(solved: &Solved) -> Value {
    let (pieces, what) = solved.compiled.problem.rod.pieces();
    let at_rest = solved.report.status == Status::Converged;
    let most = |found: Option<(&Sample, f64)>| known(at_rest, place(found));
    let mut report = json!(solved.report);
    for key in ["largest_force", "energies", "supports"] {
        report[key] = known(at_rest, report[key].take());
    }
    let mut value = json!({
        "scene": solved.scene.name(),
        "title": solved.scene.title,
        "cable": solved.scene.cable.name,
        "length": solved.compiled.length,
        what: pieces,
        "model": solved.compiled.problem.rod.model(),
        "stiffness_is_estimate": solved.compiled.section.is_estimate(),
        "report": report,
        "warnings": told(solved),
        "twist_turns": solved.compiled.problem.rod.twist_turns(&solved.state.rod),
        "largest_curvature": most(largest(&solved.profile, Sample::curvature)),
        "largest_tension": most(largest(&solved.profile, Sample::tension)),
        "largest_moment": most(largest(&solved.profile, |s| s.moment.norm())),
        "poles": solved.scene.poles.iter().zip(&solved.compiled.problem.poles).map(|(spec, pole)| json!({
            "name": spec.name,
            "deepest": place(deepest(pole, &solved.profile.samples)),
        })).collect::<Vec<_>>(),
    });
    if let Some(own) = &solved.compiled.chosen {
        value["accuracy"] = accuracy_value(own);
    }
    value
}

/// What came of an accuracy.
fn accuracy_value(own: &Chosen) -> Value {
    let [force, moment] = own.support_error.map_or([None; 2], |e| e.map(Some));
    json!({
        "asked": own.accuracy,
        "estimated": own.error,
        "support_force": force,
        "support_moment": moment,
        "met": own.met,
    })
}

/// A value and where it was found.
fn place(found: Option<(&Sample, f64)>) -> Value {
    found.map_or(Value::Null, |(s, value)| json!({ "s": s.s, "value": value, "position": s.position }))
}

/// The whole solution: summary and samples.
fn solution(solved: &Solved) -> Value {
    let mut value = summary(solved);
    value["samples"] = samples(&solved.profile, solved.report.status == Status::Converged);
    value
}

fn samples(profile: &Profile, at_rest: bool) -> Value {
    let sample = |s: &Sample| {
        let q = s.frame;
        json!({
            "s": s.s,
            "position": s.position,
            "frame_wxyz": [q.w, q.i, q.j, q.k],
            "strain": known(at_rest, json!(s.strain)),
            "moment": known(at_rest, json!(s.moment)),
            "force": known(at_rest, json!(s.force)),
            "tension": known(at_rest, json!(s.tension())),
            "shear": known(at_rest, json!(s.shear())),
            "bend_radius": known(at_rest, json!(s.bend_radius())),
            "section_radius": s.radius,
        })
    };
    Value::Array(profile.samples.iter().map(sample).collect())
}

/// The columns of a sample.
const COLUMNS: &str = "s_m,x_m,y_m,z_m,qw,qx,qy,qz,kappa1_1/m,kappa2_1/m,tau_1/m,moment1_Nm,moment2_Nm,moment3_Nm,\
                       force_x_N,force_y_N,force_z_N,tension_N,shear_N,bend_radius_m,section_radius_m";

/// Those that are known in equilibrium alone: strains, moments, forces and bends.
const FORCES: std::ops::Range<usize> = 8..20;

fn csv(solved: &Solved) -> String {
    let mut text = format!("{COLUMNS}\n");
    for s in &solved.profile.samples {
        csv_row(&mut text, s, solved.report.status == Status::Converged);
    }
    text
}

/// A row of samples; what is not known without equilibrium is left empty.
fn csv_row(text: &mut String, s: &Sample, at_rest: bool) {
    let q = s.frame;
    let values = [
        s.s,
        s.position.x,
        s.position.y,
        s.position.z,
        q.w,
        q.i,
        q.j,
        q.k,
        s.strain.x,
        s.strain.y,
        s.strain.z,
        s.moment.x,
        s.moment.y,
        s.moment.z,
        s.force.x,
        s.force.y,
        s.force.z,
        s.tension(),
        s.shear(),
        s.bend_radius(),
        s.radius,
    ];
    for (i, v) in values.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = match at_rest || !FORCES.contains(&i) {
            true => write!(text, "{comma}{v:?}"),
            false => write!(text, "{comma}"),
        };
    }
    text.push('\n');
}
