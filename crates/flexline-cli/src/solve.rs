//! `flexline solve`: the equilibrium of a scene, as a table, as JSON, and along s.

pub mod contacts;
mod problem;
mod tables;
pub mod told;

use crate::bundles;
use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json};
use crate::solved::{SceneArgs, Solved, solve_scene_after};
use clap::Args;
use flexline::rod::Rod;
use flexline::solver::network::NetworkReport;
use flexline::solver::report::Energies;
use flexline::solver::saved::SavedProblem;
use flexline::solver::{Profile, Sample, Status, Verdict};
use flexline_exchange::problem::is_problem_file;
use flexline_scene::Chosen;
use flexline_scene::check::{too_sharp, too_sharp_message};
use flexline_scene::winding::LostTurns;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use told::SolveTold;

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
        let text = match format {
            Format::Csv => csv(&solved),
            Format::Json => format!("{:#}\n", solution(&solved)),
        };
        write_file(path, text.as_bytes())?;
    }
    match args.json {
        true => print_json(&summary(&solved)),
        false => table(&solved),
    }
    if let (Some(path), false) = (&args.out, args.json) {
        print(&format!("solution along s written to {}\n", path.display()));
    }
    Ok(if solved.status() == Status::Converged && solved.is_met() { GOOD } else { NO })
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
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let (r, rest) = (&solution.report, &solution.report.rest);
    let single = solved.scene.is_single();
    if let Some(title) = &solved.scene.title {
        print(&format!("{title}\n\n"));
    }
    let mut t = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| t.row(&[name.to_string(), value]);
    let all: Vec<usize> = (0..compiled.network.spans.len()).collect();
    let mut models: Vec<&str> = compiled.network.spans.iter().map(|s| s.rod.model()).collect();
    models.sort_unstable();
    models.dedup();
    let (models, pieces) = (models.join(", "), compiled.resolution(&all));
    match &compiled.cables[..] {
        [one] if single => {
            row("cable", format!("{}, {:.1} mm, {pieces}, {models} rod", one.name, 1e3 * one.length));
        }
        cables => {
            let (count, spans) = (cables.len(), all.len());
            row("harness", format!("{count} cables in {spans} spans, {pieces}, {models} rods"));
        }
    }
    for (cable, own) in compiled.cables.iter().zip(&compiled.chosen) {
        if let Some(own) = own {
            let name = if single { "accuracy".to_string() } else { format!("accuracy of '{}'", cable.name) };
            row(&name, accuracy(own, &compiled.resolution(&cable.span_indices())));
        }
    }
    if let ([cable], true) = (&compiled.cables[..], single) {
        let estimate = if cable.section.is_estimate() { "estimated" } else { "measured" };
        let k = compiled.network.spans[0].rod.first_stiffness();
        row("stiffness K1, K2, K3", format!("{:.3e}, {:.3e}, {:.3e} N m² ({estimate})", k.x, k.y, k.z));
    }
    row("status", compiled.ending(r));
    compiled.trouble_lines(r).into_iter().for_each(|line| row("", line));
    compiled.redundant_lines(&solution.state).into_iter().for_each(|line| row("note", line));
    let counts =
        format!("{} (factorisations {}, load steps {})", r.iterations, rest.factorisations, rest.steps);
    row("iterations", counts);
    if !matches!(r.status, Status::TooShort | Status::Conflict) {
        row("unbalanced force", format!("{:.1e} N of {:.3e} N", r.residual_force, r.largest_force));
        let ends = if single { "ends off by" } else { "joints off by" };
        row(ends, format!("{:.1e} m, {:.1e} rad", r.violation, rest.rotation_violation));
        let stretch = (0..compiled.cables.len()).filter_map(|i| compiled.local_stretch(&solution.state, i));
        match stretch.reduce(f64::max) {
            Some(stretch) => row("local stretch", local_stretch(stretch)),
            None => row("worst segment", format!("{:.1e} of its length", rest.segment_error)),
        }
    }
    if r.status != Status::Converged {
        row("", NO_NUMBERS.to_string());
        t.print_plain();
        return;
    }
    row("stability", stability(r));
    row("energy", energy(&rest.energies));
    if single {
        tables::cable_rows(solved, &mut row);
    }
    contacts::rows(solved, &mut row);
    t.print_plain();
    if !single {
        print("\n");
        tables::print_all(solved);
    }
    if !solved.scene.bundles.is_empty() {
        print("\n");
        bundles::print_all(&solved.scene);
    }
    for note in compiled.mesh_notes() {
        print(&format!("\nnote: {note}\n"));
    }
    for warning in (0..compiled.cables.len()).flat_map(|i| told(solved, i)) {
        print(&format!("\nnote: {warning}\n"));
    }
}

/// Whether an equilibrium is stable, by its smallest eigenvalue where that is known.
fn stability(r: &NetworkReport) -> String {
    let Some(s) = &r.rest.stability else {
        return match r.negative {
            0 => "stable".to_string(),
            n => format!("UNSTABLE in {n} direction(s); --stable goes on"),
        };
    };
    let verdict = match s.verdict {
        Verdict::Stable => "stable".to_string(),
        Verdict::Neutral => format!("neutral: {} direction(s) cost nothing", s.neutral),
        Verdict::Unstable => format!("UNSTABLE in {} direction(s); --stable goes on", s.negative),
    };
    let reach = if s.complete { "" } else { " (of the energy: moments and follower loads have none)" };
    format!("{verdict}; smallest eigenvalue {}{reach}", number(s.lambda_min))
}

/// Energies in a line; what is round-off beside the others is none.
fn energy(e: &Energies) -> String {
    let largest = e.bending.max(e.torsion).max(e.gravity.abs()).max(e.loads.abs());
    let energy = |value: f64| if value.abs() < 1e-12 * largest { number(0.0) } else { number(value) };
    let loads = match e.loads.abs() <= 1e-12 * largest {
        true => String::new(),
        false => format!(", loads {} J", energy(e.loads)),
    };
    let [bending, torsion, gravity] = [e.bending, e.torsion, e.gravity].map(energy);
    format!("bending {bending} J, torsion {torsion} J, gravity {gravity} J{loads}")
}

/// What a cable is not to be trusted in.
fn told(solved: &Solved, cable: usize) -> Vec<String> {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let name = &compiled.cables[cable].name;
    // Of one cable it need not be said which.
    let named = |at: String, told: String| match solved.scene.is_single() {
        true => told,
        false => format!("{name}{at}: {told}"),
    };
    let coarse = compiled.unresolved(solution, cable, false);
    let coarse = coarse.map(|f| named(format!(", at s = {:.1} mm", 1e3 * f.s), f.message));
    let matters = solved.status() == Status::Converged && !compiled.runs_through_eyes(cable);
    let sharp = too_sharp(&solution.profiles[cable]).filter(|_| matters);
    let sharp = sharp.map(|(sample, bend)| named(String::new(), too_sharp_message(sample, bend)));
    let lost = solution.lost.iter().filter(|lost| lost.cable == *name).map(LostTurns::message);
    coarse.into_iter().chain(sharp).chain(lost).collect()
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

/// Everything but the samples.
fn summary(solved: &Solved) -> Value {
    json!(SolveTold::new(solved))
}

/// The whole solution: summary and the samples of every cable.
fn solution(solved: &Solved) -> Value {
    let mut value = summary(solved);
    let at_rest = solved.status() == Status::Converged;
    for (i, profile) in solved.solution.profiles.iter().enumerate() {
        let place = match solved.scene.is_single() {
            true => &mut value["samples"],
            false => &mut value["cables"][i]["samples"],
        };
        *place = samples(profile, at_rest);
        for (k, near) in solved.compiled.clearances(&solved.solution, i).iter().enumerate() {
            place[k]["clearance"] = json!(near.gap);
            place[k]["nearest"] = json!(solved.compiled.obstacles[near.obstacle].name);
        }
        contacts::add_samples(solved, i, place, at_rest);
    }
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
            "moment": known(at_rest, json!(s.moment_material)),
            "force": known(at_rest, json!(s.force_world)),
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

/// The samples of every cable, its name in the first column where there may be several.
fn csv(solved: &Solved) -> String {
    let single = solved.scene.is_single();
    let pressed = if solved.compiled.has_contact() { ",contact_pressure_N/m" } else { "" };
    let near = if solved.compiled.obstacles.is_empty() { "" } else { ",clearance_m,nearest" };
    let mut text = format!("{}{COLUMNS}{pressed}{near}\n", if single { "" } else { "cable," });
    for (i, (cable, profile)) in solved.compiled.cables.iter().zip(&solved.solution.profiles).enumerate() {
        let name = if single { String::new() } else { format!("{},", cell(&cable.name)) };
        let clearances = solved.compiled.clearances(&solved.solution, i);
        let pressure = solved.compiled.pressure(&solved.solution, i);
        for (k, s) in profile.samples.iter().enumerate() {
            text.push_str(&name);
            csv_row(&mut text, s, solved.status() == Status::Converged);
            if solved.compiled.has_contact() {
                let value = pressure.at(s.s, solved.compiled.pressed_length(i, s.s)).map_or(0.0, |own| own.0);
                let _ = match solved.status() == Status::Converged {
                    true => write!(text, ",{value:?}"),
                    false => write!(text, ","),
                };
            }
            if let Some(near) = clearances.get(k) {
                let _ =
                    write!(text, ",{:?},{}", near.gap, cell(&solved.compiled.obstacles[near.obstacle].name));
            }
            text.push('\n');
        }
    }
    text
}

/// A name as a cell of a table of commas.
pub fn cell(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
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
        s.moment_material.x,
        s.moment_material.y,
        s.moment_material.z,
        s.force_world.x,
        s.force_world.y,
        s.force_world.z,
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
}
