//! `flexline stress`: random scenes and drags, seeded, to find what the solver cannot do.

mod contact;

use crate::failure::{GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::progress::Progress;
use crate::random::Random;
use clap::Args;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, Workspace, initial_state, negative_directions, solve};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, State, Status};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Solve random scenes and drags and count how they end
#[derive(Args)]
pub struct Stress {
    /// Number of random scenes
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// First seed; scene k uses seed + k, and begins again at 0 past the largest
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Drags per scene
    #[arg(long, default_value_t = 8)]
    drags: usize,
    /// Drag loops of cable through a gear-box, through each other and about themselves instead, `--count` times each, at up
    /// to a metre per frame; count what is entered, and what is wound, linked or knotted otherwise afterwards
    #[arg(long, conflicts_with = "drags")]
    contact: bool,
    /// List the scenes that did not converge; with --contact the drags that broke something
    #[arg(long)]
    list: bool,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// How the solves ended.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
struct Tally {
    solves: u64,
    feasible: u64,
    converged: u64,
    too_short: u64,
    /// Folded in the segments they have, found in more.
    too_coarse: u64,
    iteration_limit: u64,
    no_progress: u64,
    numerical: u64,
    refused: u64,
    /// Solves that failed although there may be an equilibrium, after one that had: the drag is stuck.
    stuck: u64,
    /// States with a number that is not finite.
    broken: u64,
    /// Converged states that would snap.
    unstable: u64,
    iterations: u64,
}

impl Tally {
    fn add(mut self, o: Self) -> Self {
        self.solves += o.solves;
        self.feasible += o.feasible;
        self.converged += o.converged;
        self.too_short += o.too_short;
        self.too_coarse += o.too_coarse;
        self.iteration_limit += o.iteration_limit;
        self.no_progress += o.no_progress;
        self.numerical += o.numerical;
        self.refused += o.refused;
        self.stuck += o.stuck;
        self.broken += o.broken;
        self.unstable += o.unstable;
        self.iterations += o.iterations;
        self
    }
}

fn random_end(r: &mut Random, position: Vec3) -> End {
    match r.next() % 4 {
        0 => End::pinned(position),
        _ => End::clamped(Pose { position, orientation: r.orientation() }),
    }
}

/// Stiff, soft, heavy, twisted, nearly straight, too short, coincident: all of it.
fn random_problem(r: &mut Random) -> Problem {
    let length = r.log(0.05, 5.0);
    let n = [8, 20, 50, 100, 200][(r.next() % 5) as usize];
    let k1 = r.log(1e-7, 10.0);
    let k2 = if r.one_in(3) { k1 * r.log(1.0, 50.0) } else { k1 };
    let k3 = k1 * r.log(0.2, 2.0);
    let gamma = if r.one_in(4) { 0.0 } else { r.log(1e-2, 1e4) };
    let mass = gamma * k1 / (9.81 * length.powi(3));
    let section = Section::measured(k1, k2, k3, mass, 0.004).expect("positive by construction");
    let rest = if r.one_in(4) {
        Vec3::new(r.range(-6.0, 6.0), r.range(-6.0, 6.0), r.range(-6.0, 6.0)) / length
    } else {
        Vec3::zeros()
    };
    let mesh = Mesh::uniform(length, n).expect("positive by construction");
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| rest);
    let start = r.direction() * r.range(0.0, 2.0);
    let reach = match r.next() % 10 {
        0 => 0.0,
        1 | 2 => r.range(0.9, 0.999),
        3 if r.one_in(4) => 1.0 + r.log(1e-6, 1.0),
        _ => r.range(0.0, 0.9),
    };
    let finish = start + r.direction() * (reach * length);
    let mut ends = [random_end(r, start), random_end(r, finish)];
    match r.next() % 12 {
        0 => ends[1] = End::free(),
        1 => ends[0] = End::free(),
        _ => {}
    }
    if ends[0].orientation.is_none() && ends[1].held == [false; 3] {
        ends[0] = End::clamped(Pose { position: start, orientation: r.orientation() });
    }
    if ends[1].orientation.is_none() && ends[0].held == [false; 3] {
        ends[1] = End::clamped(Pose { position: finish, orientation: r.orientation() });
    }
    if r.one_in(3) && ends[1].orientation.is_some() {
        ends[1].twist = 2.0 * PI * r.range(-4.0, 4.0);
    }
    let mut problem = Problem::new(rod, ends[0], ends[1]);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    if r.one_in(5) {
        problem.point_loads.push(PointLoad {
            s: r.range(0.0, length),
            force: r.direction() * (r.log(0.1, 30.0) * k1 / (length * length)),
            moment: Vec3::zeros(),
            axes: Axes::World,
        });
    }
    problem
}

fn random_drag(r: &mut Random, problem: &mut Problem) {
    let huge = r.one_in(4);
    let length = problem.rod.length();
    let (shift, turn) = if huge { (length, PI) } else { (0.02 * length, 0.1) };
    for end in &mut problem.ends {
        if end.held == [false; 3] || r.one_in(2) {
            continue;
        }
        end.position += r.direction() * (shift * r.unit());
        if let Some(q) = end.orientation {
            end.orientation = Some(rotation::exp(&(r.direction() * (turn * r.unit()))) * q);
            if r.one_in(3) {
                end.twist += if huge { r.range(-12.0, 12.0) } else { r.range(-0.5, 0.5) };
            }
        }
    }
}

/// How an end is held, in words.
fn held(end: &End) -> String {
    match (end.held[0], end.orientation.is_some()) {
        (false, _) => "free".to_string(),
        (true, false) => "pinned".to_string(),
        (true, true) => format!("clamped, twist {:.2} rad", end.twist),
    }
}

/// Whether a state has nothing in it that a screen or a file could choke on.
fn is_sound(state: &State) -> bool {
    state.rod.coordinates.iter().chain(&state.rod.twist).all(|c| c.is_finite())
        && state.end_force.iter().all(|c| c.is_finite())
}

fn run_scene(seed: u64, drags: usize) -> (Tally, Vec<String>) {
    let mut r = Random::new(seed);
    let mut problem = random_problem(&mut r);
    let mut tally = Tally::default();
    let mut notes = Vec::new();
    let mut state = initial_state(&problem);
    let mut ws = Workspace::new(&problem);
    let mut probe = Workspace::new(&problem);
    let mut failed = false;
    for step in 0..=drags {
        if step > 0 {
            random_drag(&mut r, &mut problem);
        }
        tally.solves += 1;
        let report = match solve(&problem, &mut state, &mut ws, &Settings::interactive()) {
            Ok(report) => report,
            Err(_) => {
                tally.refused += 1;
                continue;
            }
        };
        tally.iterations += report.iterations as u64;
        if !is_sound(&state) || !report.residual_force.is_finite() {
            tally.broken += 1;
        }
        // None was found in so few segments; in more of them the cable has one.
        let coarse = report.status == Status::Folded && report.rest.segments_needed.is_some();
        match report.status {
            _ if coarse => tally.too_coarse += 1,
            Status::Converged => {
                tally.converged += 1;
                if negative_directions(&problem, &state, &mut probe).is_some_and(|count| count > 0) {
                    tally.unstable += 1;
                }
            }
            Status::TooShort => tally.too_short += 1,
            // Nobody sets a budget here.
            Status::IterationLimit | Status::OutOfTime | Status::Cancelled => tally.iteration_limit += 1,
            Status::NoProgress | Status::Folded => tally.no_progress += 1,
            // What is left besides that of numbers is of constraints and of motion, and there are none here.
            _ => tally.numerical += 1,
        }
        if report.status != Status::TooShort {
            tally.feasible += 1;
            let failed_before = std::mem::replace(&mut failed, report.status != Status::Converged);
            tally.stuck += u64::from(failed && failed_before);
            if failed {
                let distance = (problem.ends[1].position - problem.ends[0].position).norm();
                notes.push(format!(
                    "seed {seed} step {step}: {} after {} iterations, residual {:.1e} of {:.1e} N, gap {:.1e} m, n {}, L {:.4} m, distance/L {:.6}, K {:.2e} {:.2e} {:.2e} N m², weight {:.2e} N, {} loads, {}",
                    report.status,
                    report.iterations,
                    report.residual_force,
                    report.largest_force,
                    report.violation,
                    problem.rod.segments(),
                    problem.rod.length(),
                    distance / problem.rod.length(),
                    problem.rod.first_stiffness().x,
                    problem.rod.first_stiffness().y,
                    problem.rod.first_stiffness().z,
                    problem.rod.total_mass() * 9.81,
                    problem.point_loads.len(),
                    problem.ends.map(|e| held(&e)).join(" to ")
                ));
            }
        }
    }
    (tally, notes)
}

/// Runs the command.
pub fn run(args: &Stress) -> u8 {
    if args.contact {
        return contact::run(args);
    }
    let progress = Progress::new(args.count, "scenes");
    let results: Vec<(Tally, Vec<String>)> = (0..args.count)
        .into_par_iter()
        .map(|k| {
            let result = run_scene(args.seed.wrapping_add(k), args.drags);
            progress.step();
            result
        })
        .collect();
    progress.finish();
    let tally = results.iter().fold(Tally::default(), |a, (b, _)| a.add(*b));
    if args.list {
        for note in results.iter().flat_map(|(_, notes)| notes) {
            print(&format!("{note}\n"));
        }
    }
    let share = 100.0 * tally.converged as f64 / tally.feasible.max(1) as f64;
    if args.json {
        print_json(&serde_json::json!({ "tally": tally, "converged_percent": share }));
    } else {
        let mut table = Table::new(&["", ""]);
        for (name, value) in [
            ("solves", tally.solves),
            ("too short for their ends", tally.too_short),
            ("feasible", tally.feasible),
            ("converged", tally.converged),
            ("iteration limit", tally.iteration_limit),
            ("no progress", tally.no_progress),
            ("folded, too coarse", tally.too_coarse),
            ("numerical failure", tally.numerical),
            ("stuck after a failure", tally.stuck),
            ("refused as input", tally.refused),
            ("not finite", tally.broken),
            ("converged but unstable", tally.unstable),
            ("Newton iterations", tally.iterations),
        ] {
            table.row(&[name.to_string(), value.to_string()]);
        }
        table.print_plain();
        print(&format!("converged {share:.4} % of the feasible\n"));
    }
    if tally.broken > 0 { NO } else { GOOD }
}
