//! `batch`: many cables over all cores, from nothing and from the shape beside.

use super::{Bench, Line, cable, floor, increment, milliseconds, solved};
use crate::output::{Table, print};
use flexline::solver::statics::{Settings, Workspace, initial_state, solve};
use flexline::solver::{Problem, State, Status};
use rayon::prelude::*;
use serde::Serialize;
use std::hint::black_box;

/// What a batch comes to.
#[derive(Serialize)]
pub struct Numbers {
    /// Cables that came into equilibrium from nothing.
    converged: usize,
    /// Equilibria a second from nothing, on all cores.
    cold_per_second: f64,
    /// Cables that came into equilibrium again after their end was moved by 2 mm and turned by 1°.
    converged_warm: usize,
    /// Such equilibria a second, on all cores.
    warm_per_second: f64,
    /// Cores that worked.
    threads: usize,
    /// What the state of a cable takes, bytes: positions, frames, twist and multipliers.
    state_bytes: usize,
}

/// Solves one; how many iterations that took where it converged.
fn solve_one(ws: &mut Workspace, problem: &Problem, state: &mut State) -> Option<usize> {
    match solve(problem, state, ws, &Settings::interactive()) {
        Ok(report) if report.status == Status::Converged => Some(report.iterations),
        _ => None,
    }
}

/// Cables that differ in their ends, each laid and solved from scratch, then moved and solved again.
pub fn run(args: &Bench, n: usize) -> Result<Line, String> {
    let base = cable(n)?;
    let count = args.cables as usize;
    let mut all: Vec<(Problem, State)> = (0..count)
        .map(|k| {
            let mut problem = base.clone();
            problem.ends[1] = increment(&problem.ends[1], k);
            let state = initial_state(&problem);
            (problem, state)
        })
        .collect();
    // A tenth on one thread tells what perfect scaling would be.
    let tenth = (count / 10).max(1);
    let mut ws = Workspace::new(&base);
    let alone = milliseconds(|| {
        for (problem, _) in &all[..tenth] {
            black_box(solve_one(&mut ws, problem, &mut initial_state(problem)));
        }
    }) / tenth as f64;
    let mut pass = |is_cold: bool| {
        let mut found: Vec<Option<usize>> = Vec::new();
        let wall = milliseconds(|| {
            let each = all.par_iter_mut().map_init(
                || Workspace::new(&base),
                |ws, (problem, state)| {
                    if is_cold {
                        *state = initial_state(problem);
                    }
                    solve_one(ws, problem, state)
                },
            );
            found = each.collect();
        });
        let mut converged = found.iter();
        all.retain(|_| converged.next().is_some_and(Option::is_some));
        all.iter_mut().enumerate().for_each(|(k, own)| own.0.ends[1] = increment(&own.0.ends[1], k + 1));
        (wall, found.iter().flatten().copied().collect::<Vec<usize>>(), found.len())
    };
    let (cold, found, _) = pass(true);
    let (warm, found_warm, tried) = pass(false);
    if found.is_empty() || tried == 0 {
        return Err("no cable of the batch converged".into());
    }
    let state = &all.first().ok_or("no cable of the batch converged twice")?.1;
    let numbers = state.rod.coordinates.len() + state.rod.twist.len() + 3;
    let each = cold / count as f64;
    let (_, mut prepared) = solved(&base)?;
    let floor = floor(&base, &mut prepared);
    let threads = rayon::current_num_threads();
    Ok(Line {
        name: "batch",
        n,
        median_ms: each,
        iterations: found.iter().sum::<usize>() as f64 / found.len() as f64,
        floor_ratio: each / floor,
        parallel_efficiency: Some(alone / (each * threads as f64)),
        batch: Some(Numbers {
            converged: found.len(),
            cold_per_second: 1e3 * found.len() as f64 / cold,
            converged_warm: found_warm.len(),
            warm_per_second: 1e3 * found_warm.len() as f64 / warm,
            threads,
            state_bytes: numbers * size_of::<f64>(),
        }),
        ..Line::default()
    })
}

/// Prints what batches come to.
pub fn print_table(lines: &[Line]) {
    for own in lines.iter().filter_map(|line| line.batch.as_ref()) {
        let mut table = Table::new(&["batch", "converged", "equilibria a second"]);
        let row = |name: &str, converged: usize, rate: f64| {
            [name.to_owned(), converged.to_string(), format!("{rate:.0}")]
        };
        table.row(&row("from nothing", own.converged, own.cold_per_second));
        table.row(&row("moved by 2 mm, 1°", own.converged_warm, own.warm_per_second));
        print("\n");
        table.print();
        print(&format!("on {} threads; the state of a cable takes {} bytes\n", own.threads, own.state_bytes));
    }
}
