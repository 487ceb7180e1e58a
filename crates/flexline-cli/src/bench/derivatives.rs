//! `derivatives`: an equilibrium by ten numbers, beside the solve that found it.

use super::{Bench, Line, increment, median, milliseconds};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::solver::Status;
use flexline::solver::network::{Network, NetworkState, NetworkWorkspace, Tangents, solve_network};
use flexline::solver::statics::Settings;
use std::hint::black_box;

/// Half of every change.
const STEP: f64 = 1e-4;

/// The network beside another, by one of ten numbers.
fn beside(network: &Network, number: usize, by: f64) -> Network {
    let mut changed = network.clone();
    let pose = &mut changed.anchors[1].pose;
    match number {
        0..=2 => pose.position[number] += by,
        3..=5 => {
            let turn = rotation::exp(&(Vec3::ith(number - 3, 1.0) * by));
            pose.orientation = turn * pose.orientation;
        }
        6..=8 => changed.gravity[number - 6] += 10.0 * by,
        _ => {
            let rod = &mut changed.spans[0].rod;
            *rod = rod.with_length(rod.length() * (1.0 + by));
        }
    }
    changed
}

pub(super) fn run(_: &Bench, n: usize) -> Result<Line, String> {
    let mut problem = super::cable(n)?;
    problem.ends[1] = increment(&problem.ends[1], 1);
    let network = Network::from_cable(&problem);
    let (mut state, mut floors, mut times) = (NetworkState::initial(&network), Vec::new(), Vec::new());
    for _ in 0..9 {
        state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let mut outcome = None;
        floors.push(milliseconds(|| {
            outcome = Some(solve_network(&network, &mut state, &mut ws, &Settings::default()));
        }));
        let report = outcome.and_then(Result::ok).ok_or("the cable was refused")?;
        if report.status != Status::Converged {
            return Err(format!("the benchmark cable did not converge: {}", report.status));
        }
    }
    let sides: Vec<[Network; 2]> =
        (0..10).map(|number| [-STEP, STEP].map(|by| beside(&network, number, by))).collect();
    for _ in 0..9 {
        let mut outcome = Ok(());
        times.push(milliseconds(|| {
            outcome = Tangents::new(&network, &state).and_then(|mut tangents| {
                sides.iter().try_for_each(|[below, above]| {
                    black_box(tangents.both_sides([below, above])?);
                    Ok(())
                })
            });
        }));
        outcome.map_err(|why| why.to_string())?;
    }
    let (time, floor) = (median(&mut times), median(&mut floors));
    Ok(Line {
        name: "derivatives",
        n,
        median_ms: time,
        iterations: 10.0,
        floor_ratio: time / floor,
        ..Line::default()
    })
}
