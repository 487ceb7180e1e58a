//! Random shapes there and back: shape, natural shape, and forward again from beside it.

use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, number, print, print_json};
use crate::progress::Progress;
use crate::random::Random;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::inverse::{distance, natural_rod};
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::rod::spline::SplineRod;
use flexline::rod::{AnyRod, Rod, State, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, Workspace, solve};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, Status};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;
use std::f64::consts::TAU;
use std::sync::Mutex;

/// How near a shape is found again, as a share of the length.
const NEAR: f64 = 1e-9;
/// The same of a spline, which has more natural strain than coordinates.
const NEAR_SPLINE: f64 = 1e-4;
/// How far the solve begins from the shape: a turn of every part, rad.
const PUSH: f64 = 1e-2;
/// Eigenvalues nearer to 0 are not judged by where a solve from beside them ends.
const UNCLEAR: f64 = 1e-3;
/// The models, in turn.
const MODELS: [&str; 5] = ["mixed", "nodal", "helix", "clothoid", "spline"];

/// How the trials of a model ended.
#[derive(Clone, Debug, Default, Serialize)]
struct Tally {
    model: &'static str,
    trials: usize,
    /// Stable by the smallest eigenvalue, and found again from beside the shape.
    stable: usize,
    recovered: usize,
    /// Unstable by it, and left by a solve from beside the shape that goes on to a stable one.
    unstable: usize,
    left: usize,
    /// So near to the threshold that neither is asked; of a spline also shapes that are no equilibrium to `NEAR_SPLINE`.
    unclear: usize,
    /// Without a natural strain, or without a solve that converged.
    failed: usize,
    /// Largest distance of a shape that was found again, over its length.
    worst: f64,
    /// Largest distance that the shape itself moves when it is solved for, over its length, stable or not.
    moved: f64,
    /// Seeds of what went wrong, the first few.
    seeds: Vec<u64>,
}

/// A random cable, heavy or light, curled in space, and its shape.
fn posed(r: &mut Random, model: &str) -> Option<(Problem, State)> {
    let length = r.log(0.05, 5.0);
    let k1 = r.log(1e-6, 1.0);
    let k2 = if r.one_in(3) { k1 * r.log(1.0, 20.0) } else { k1 };
    let gamma = r.log(0.1, 60.0);
    let mass = gamma * k1 / (9.81 * length.powi(3));
    let section = Section::measured(k1, k2, k1 * r.log(0.3, 1.5), mass, 1e-3 * length).ok()?;
    let section = SectionProfile::uniform(section);
    let mut wave = || (r.direction() * r.range(0.0, 4.0), r.range(0.5, 4.0), r.range(0.0, TAU));
    let waves = [wave(), wave(), wave()];
    let strain = |s: f64| {
        let t = s / length;
        waves.iter().map(|(a, f, phase)| a * ((f * t + phase).sin() / length)).sum::<Vec3>()
    };
    let curved = |basis, n| CurvatureRod::new(basis, length, n, &section, &strain).map(AnyRod::from).ok();
    let chain = |kind| {
        Some(MixedRod::new(&Mesh::uniform(length, 40).ok()?, &section, &strain).with_strain(kind).into())
    };
    let rod: AnyRod = match model {
        "mixed" => chain(Strain::Mixed)?,
        "nodal" => chain(Strain::Nodal)?,
        "helix" => curved(Basis::Helix, 16)?,
        "clothoid" => curved(Basis::Clothoid, 8)?,
        _ => SplineRod::new(length, 16, &section, &strain).ok()?.into(),
    };
    let clamp = Pose { position: r.direction() * r.unit(), orientation: r.orientation() };
    let mut problem = Problem::new(rod, End::clamped(clamp), End::free());
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    if r.one_in(3) {
        let force = r.direction() * (r.range(0.0, 2.0) * k1 / length.powi(2));
        problem.point_loads.push(PointLoad { s: length, force, moment: Vec3::zeros(), axes: Axes::World });
    }
    let start = Station { position: clamp.position, frame: clamp.orientation };
    let state = State::new(problem.rod.rest_state(&start), problem.ends);
    Some((problem, state))
}

fn trial(seed: u64, model: &'static str) -> Tally {
    let mut r = Random::new(seed);
    let mut own = Tally { model, trials: 1, ..Tally::default() };
    let failed = |own: Tally| Tally { failed: 1, seeds: vec![seed], ..own };
    let Some((problem, state)) = posed(&mut r, model) else { return failed(own) };
    let Ok(found) = natural_rod(&problem, &state) else { return failed(own) };
    let Some(stability) = found.report.rest.stability.filter(|_| found.report.status == Status::Converged)
    else {
        return failed(own);
    };
    let length = problem.rod.length();
    let near = if model == "spline" { NEAR_SPLINE } else { NEAR };
    own.moved = found.moved / length;
    // What was found is another shape where a spline is too coarse for the one that is wanted: nothing is told of that one.
    if stability.lambda_min.abs() < UNCLEAR || (model == "spline" && found.moved > near * length) {
        own.moved = 0.0;
        own.unclear = 1;
        return own;
    }
    let stable = stability.negative == 0;
    let push = r.direction() * PUSH;
    // The whole beyond its clamp turned, more and more along it.
    let shape = |s: f64| {
        let station = problem.rod.station(&state.rod, s);
        let turn = rotation::exp(&(push * (s / length)));
        let from = problem.ends[0].position;
        Station {
            position: from + rotation::rotate(&turn, &(station.position - from)),
            frame: turn * station.frame,
        }
    };
    let rod = &found.problem.rod;
    let mut beside = State::new(rod.state_from(&shape), found.problem.ends);
    rod.project(&mut beside.rod);
    // Near the threshold a shape moves far for little force: what is left of it must be round-off.
    let settings = Settings { force_tolerance: 1e-13, seek_stable: !stable, ..Settings::default() };
    let report = solve(&found.problem, &mut beside, &mut Workspace::new(&found.problem), &settings);
    if !report.is_ok_and(|report| report.status == Status::Converged) {
        return failed(own);
    }
    let away = distance(rod, &beside, &state) / length;
    if stable {
        own.stable = 1;
        own.recovered = usize::from(away <= near);
        own.worst = if away <= near { away } else { 0.0 };
    } else {
        own.unstable = 1;
        own.left = usize::from(away > near);
    }
    if own.recovered + own.left == 0 {
        own.seeds.push(seed);
    }
    own
}

fn merged(mut a: Tally, b: Tally) -> Tally {
    a.trials += b.trials;
    a.stable += b.stable;
    a.recovered += b.recovered;
    a.unstable += b.unstable;
    a.left += b.left;
    a.unclear += b.unclear;
    a.failed += b.failed;
    a.worst = a.worst.max(b.worst);
    a.moved = a.moved.max(b.moved);
    a.seeds.extend(b.seeds);
    a.seeds.sort_unstable();
    a.seeds.truncate(8);
    a
}

/// Runs so many trials, the models in turn.
pub fn run(count: u32, seed: u64, as_json: bool) -> Result<u8, Failure> {
    let progress = Mutex::new(Progress::new(u64::from(count), "shapes"));
    let all: Vec<Tally> = (0..count)
        .into_par_iter()
        .map(|k| {
            let own = trial(seed.wrapping_add(u64::from(k)), MODELS[k as usize % MODELS.len()]);
            if let Ok(progress) = progress.lock() {
                progress.step();
            }
            own
        })
        .collect();
    if let Ok(progress) = progress.lock() {
        progress.finish();
    }
    let tallies: Vec<Tally> = MODELS
        .iter()
        .map(|model| {
            let own = all.iter().filter(|own| own.model == *model).cloned();
            own.fold(Tally { model, ..Tally::default() }, merged)
        })
        .collect();
    let good =
        tallies.iter().all(|own| own.recovered == own.stable && own.left == own.unstable && own.failed == 0);
    if as_json {
        print_json(&json!({ "format": 1, "trials": count, "seed": seed, "models": tallies, "good": good }));
        return Ok(if good { GOOD } else { NO });
    }
    let mut table = Table::new(&[
        "model",
        "shapes",
        "stable",
        "recovered",
        "worst/L",
        "unstable",
        "left",
        "unclear",
        "failed",
        "moved/L",
    ]);
    for own in &tallies {
        table.row(&[
            own.model.to_owned(),
            own.trials.to_string(),
            own.stable.to_string(),
            own.recovered.to_string(),
            number(own.worst),
            own.unstable.to_string(),
            own.left.to_string(),
            own.unclear.to_string(),
            own.failed.to_string(),
            number(own.moved),
        ]);
    }
    table.print();
    for own in tallies.iter().filter(|own| !own.seeds.is_empty()) {
        let seeds: Vec<String> = own.seeds.iter().map(u64::to_string).collect();
        print(&format!("{}: look at seeds {}\n", own.model, seeds.join(", ")));
    }
    print(&format!(
        "recovered: within {NEAR:.0e} of the length (splines {NEAR_SPLINE:.0e}) after a turn by {PUSH} rad; left: gone elsewhere from there\n"
    ));
    Ok(if good { GOOD } else { NO })
}
