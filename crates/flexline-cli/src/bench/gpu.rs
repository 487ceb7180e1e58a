//! Many cables led together on a graphics card, beside the same on all cores.
//!
//! Every cable is led by an increment of its own, from where it was. The floor is what the engine needs for the same
//! increments on all cores of the machine, per cable; a sample of the cables is led there too, in the same run, and the answers are
//! compared.

use super::{Bench, Line, cable, increment, median, milliseconds};
use crate::output::{Table, print};
use flexline::prelude::*;
use flexline_gpu::{Batch, Card, Tolerances};
use rayon::prelude::*;
use serde::Serialize;

/// Increments that are timed, after one that is not.
const ROUNDS: usize = 5;
/// Most cables that are led on the processor besides.
const SAMPLE: usize = 2000;

/// What a card did.
#[derive(Serialize)]
pub(super) struct Numbers {
    card: String,
    cables: usize,
    /// The kernel alone, and with what is copied to the card and back, for all cables, ms.
    kernel_ms: f64,
    call_ms: f64,
    /// Cables that were not settled, over all increments.
    unsettled: usize,
    /// Farthest that a coordinate of the sample is from the engine's.
    apart: f64,
}

/// Whether there is a card for it: without one it is left out where all benchmarks are asked for.
pub(super) fn is_possible() -> bool {
    Card::open(0).is_ok()
}

pub(super) fn run(args: &Bench, n: usize) -> Result<Line, String> {
    let mut card = Card::open(0).map_err(|error| error.to_string())?;
    let count = args.cables as usize;
    let base = cable(n)?;
    let (start, _) = super::solved(&base)?;
    let mut problems = vec![base; count];
    let states = vec![start; count];
    let batch = Batch::new(&problems).map_err(|error| error.to_string())?;
    let mut load = card.load(batch, &states).map_err(|error| error.to_string())?;

    let sample = count.min(SAMPLE);
    let mut on_cores: Vec<_> =
        (0..sample).map(|k| (states[k].clone(), Workspace::new(&problems[k]))).collect();
    let (mut kernels, mut calls, mut cores) = (Vec::new(), Vec::new(), Vec::new());
    let (mut unsettled, mut iterations, mut apart) = (0, 0u64, 0.0f64);
    for round in 0..=ROUNDS {
        for (k, problem) in problems.iter_mut().enumerate() {
            problem.ends[1] = increment(&problem.ends[1], k + round);
        }
        let ends: Vec<_> = problems.iter().map(|problem| problem.ends).collect();
        let mut outcomes = Err(flexline_gpu::CardError::NotBuilt);
        let call = milliseconds(|| outcomes = load.lead(&ends, &Tolerances::default()));
        let outcomes = outcomes.map_err(|error| error.to_string())?;
        let core = milliseconds(|| {
            on_cores.par_iter_mut().zip(&problems).for_each(|((state, ws), problem)| {
                if let Ok(report) = solve(problem, state, ws, &Settings::interactive()) {
                    ws.reuse(report);
                }
            });
        });
        unsettled += outcomes.iter().filter(|outcome| !outcome.is_settled()).count();
        if round > 0 {
            kernels.push(load.kernel_ms());
            calls.push(call);
            cores.push(core / sample as f64);
            iterations += outcomes.iter().map(|outcome| u64::from(outcome.iterations)).sum::<u64>();
        }
    }
    for (ours, (theirs, _)) in load.states().map_err(|error| error.to_string())?.iter().zip(&on_cores) {
        let pairs = ours.rod.coordinates.iter().zip(&theirs.rod.coordinates);
        apart = pairs.map(|(a, b)| (a - b).abs()).fold(apart, f64::max);
    }
    let call_ms = median(&mut calls);
    Ok(Line {
        name: "gpu",
        n,
        median_ms: call_ms / count as f64,
        iterations: iterations as f64 / (ROUNDS * count) as f64,
        floor_ratio: call_ms / count as f64 / median(&mut cores),
        gpu: Some(Numbers {
            card: card.name(),
            cables: count,
            kernel_ms: median(&mut kernels),
            call_ms,
            unsettled,
            apart,
        }),
        ..Line::default()
    })
}

pub(super) fn print_table(lines: &[Line]) {
    let own: Vec<_> = lines.iter().filter_map(|line| Some((line, line.gpu.as_ref()?))).collect();
    let Some((_, first)) = own.first() else { return };
    print(&format!(
        "{}: an increment of 2 mm and 1° on each of many cables, from where it was; with copies to the card and back\n\n",
        first.card
    ));
    let heads = [
        "segments",
        "cables",
        "kernel ms",
        "with copies",
        "iterations",
        "unsettled",
        "× faster than all cores",
        "apart",
    ];
    let mut table = Table::new(&heads);
    for (line, numbers) in own {
        table.row(&[
            line.n.to_string(),
            numbers.cables.to_string(),
            format!("{:.2}", numbers.kernel_ms),
            format!("{:.2}", numbers.call_ms),
            format!("{:.1}", line.iterations),
            numbers.unsettled.to_string(),
            format!("{:.0}", 1.0 / line.floor_ratio),
            format!("{:.0e}", numbers.apart),
        ]);
    }
    table.print();
}
