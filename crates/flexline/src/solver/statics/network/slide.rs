//! Eyes with friction: stick and slip (Euler, Eytelwein).
//!
//! A stuck eye passes no rope; it slips when the tensions T1, T2 on its two sides and the angle φ
//! between them break T2 ≤ T1 e^{µφ}. A slipping eye keeps the difference T2 − T1 at that bound: a
//! dead force on the flow, brought up to date until tension and bound agree.

use super::model::{Network, NetworkError};
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, Settings, evaluate, solve_frictionless};
use crate::solver::report::Status;
use serde::{Deserialize, Serialize};

/// What goes on at an eye.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EyeReport {
    /// Tension of the rope before and after the eye, N.
    pub tensions: [f64; 2],
    /// Angle the rope turns through, rad.
    pub wrap: f64,
    /// Whether friction holds the rope.
    pub sticks: bool,
}

/// The tensions and wrap angles now.
pub(super) fn eyes(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    stuck: &[bool],
) -> Vec<EyeReport> {
    evaluate(network, state, ws);
    network
        .slides
        .iter()
        .enumerate()
        .map(|(k, slide)| {
            let before = *ws.spans[slide.before].system.internal.last().unwrap_or(&state.spans[0].end_force);
            let after = ws.spans[slide.after].system.internal[0];
            let wrap = before.cross(&after).norm().atan2(before.dot(&after));
            EyeReport {
                tensions: [before.norm(), after.norm()],
                wrap,
                sticks: stuck.get(k).copied().unwrap_or(false),
            }
        })
        .collect()
}

/// Solves with every frictional eye stuck, frees those that cannot hold, and brings their friction
/// up to date until nothing changes any more.
pub(super) fn solve_with_friction(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let start = state.clone();
    let mut stuck: Vec<bool> = network.slides.iter().map(|s| s.friction > 0.0).collect();
    // Which way a slipping rope goes: +1 towards the span after the eye.
    let mut way = vec![0.0f64; network.slides.len()];
    let mut iterations = 0;
    state.friction.fill(0.0);
    for _ in 0..200 {
        ws.adopt(network, &stuck);
        let mut report = solve_frictionless(network, state, ws, settings)?;
        iterations += report.iterations;
        report.iterations = iterations;
        if report.status != Status::Converged {
            if !stuck.contains(&true) {
                *state = start;
                return Ok(report);
            }
            // No rope may pass and the ends cannot be reached: friction does not hold.
            stuck.fill(false);
            state.clone_from(&start);
            state.friction.fill(0.0);
            continue;
        }
        let now = eyes(network, state, ws, &stuck);
        let mut settled = true;
        for (k, slide) in network.slides.iter().enumerate().filter(|(_, s)| s.friction > 0.0) {
            let [before, after] = now[k].tensions;
            let bound = (slide.friction * now[k].wrap).exp();
            if stuck[k] {
                if before.max(after) <= before.min(after) * bound * (1.0 + 1e-5) {
                    continue;
                }
                stuck[k] = false;
                settled = false;
                way[k] = (after - before).signum();
            } else if way[k] == 0.0 {
                way[k] = (start.lengths[slide.before] - state.lengths[slide.before]).signum();
            }
            // The side that pulls is e^{µφ} times the other: T2 − T1 at the bound.
            let target = way[k] * before.max(after) * (1.0 - 1.0 / bound);
            settled &= (target - state.friction[k]).abs() <= 1e-9 * before.max(after);
            state.friction[k] = target;
        }
        if settled {
            report.eyes = now;
            return Ok(report);
        }
    }
    *state = start;
    evaluate(network, state, ws);
    let mut report = solve_frictionless(network, &mut state.clone(), ws, settings)?;
    report.status = Status::IterationLimit;
    Ok(report)
}
