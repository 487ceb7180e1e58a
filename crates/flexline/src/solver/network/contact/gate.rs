//! No step goes through anything.
//!
//! Between two states the points of an axis are taken to move on straight lines. That is not the way that a step in
//! rotations goes, and need not be: what counts is that *some* way leads from one state to the other on which nothing is
//! crossed, so that every rod stays on its side. A core of half the radius is kept free on the whole of it.

use super::super::lead::between;
use super::super::model::{Network, NetworkError};
use super::super::state::NetworkState;
use super::super::{NetworkReport, NetworkWorkspace, Settings, attempt};
use crate::algebra::Vec3;
use crate::solver::report::Status;

/// Share of the radius that no step may enter.
const CORE: f64 = 0.5;
/// Smallest share of the way of what is led that is taken in one step.
const SMALLEST: f64 = 1.0 / 512.0;
/// Steps of it.
const STEPS: usize = 1000;
/// A quarter of the Newton iterations that one of them may take, where it is not the first of all.
const PER_STEP: usize = 12;

/// Room for the points of an axis before and after a step.
#[derive(Default)]
pub(in crate::solver) struct Room {
    shares: Vec<f64>,
    from: Vec<Vec3>,
    to: Vec<Vec3>,
}

/// Whether the way from one state to another crosses nothing.
pub(in crate::solver) fn is_free(
    network: &Network,
    from: &NetworkState,
    to: &NetworkState,
    ws: &mut NetworkWorkspace,
) -> bool {
    if network.obstacles.is_empty() {
        return true;
    }
    let Room { shares, from: before, to: after } = &mut ws.contacts.gate;
    for (k, span) in network.spans.iter().enumerate().filter(|(_, span)| span.contact_radius > 0.0) {
        shares.clear();
        span.rod.axis_shares(shares);
        let points = |state: &NetworkState, out: &mut Vec<Vec3>| {
            out.clear();
            out.extend(shares.iter().map(|share| span.rod.place(&state.spans[k].rod, *share)));
        };
        points(from, before);
        points(to, after);
        let keep = CORE * span.contact_radius;
        for obstacle in &network.obstacles {
            let hit = before.windows(2).zip(after.windows(2)).any(|(a, b)| {
                (a[0] != b[0] || a[1] != b[1])
                    && obstacle.first_hit([a[0], a[1]], [b[0], b[1]], keep).is_some()
            });
            if hit {
                return false;
            }
        }
    }
    true
}

/// Leads held anchors from where `state` has them to where `network` holds them, in steps that cross nothing and end in
/// an equilibrium each. Where one cannot be made however small, it stays at the last, and says so.
pub(in crate::solver) fn settle(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let from = state.anchors.clone();
    let mut to = state.clone();
    to.hold(network);
    let led = to.anchors != from;
    let mut here = network.clone();
    let (mut done, mut step, mut iterations) = (0.0, 1.0, 0);
    let mut failed = None;
    for _ in 0..STEPS {
        let next = f64::min(1.0, done + step);
        for (i, anchor) in here.anchors.iter_mut().enumerate() {
            let pose = if next < 1.0 { between(&from[i], &to.anchors[i], next) } else { to.anchors[i] };
            // What is free to move keeps its own pose.
            (0..3).filter(|c| anchor.held[*c]).for_each(|c| anchor.pose.position[c] = pose.position[c]);
            if anchor.held_orientation {
                anchor.pose.orientation = pose.orientation;
            }
        }
        // Friction is against what slides from here.
        ws.contacts.begin(state);
        let mut trial = ws.copy_of(state);
        trial.hold(&here);
        for (k, span) in ws.spans.iter_mut().enumerate() {
            span.set_length(&here.spans[k], trial.free_length(k));
            span.set_ends(&here.spans[k], &trial.anchors, &mut trial.spans[k]);
        }
        let mut report = None;
        if is_free(network, state, &trial, ws) {
            let limit = if led { settings.max_iterations.min(PER_STEP) } else { settings.max_iterations };
            let settings = Settings { max_iterations: limit, ..*settings };
            let found = attempt(if next < 1.0 { &here } else { network }, &mut trial, ws, &settings)?;
            iterations += found.iterations;
            report = Some(found);
        }
        match report {
            Some(report) if report.status == Status::Converged => {
                std::mem::swap(state, &mut trial);
                ws.leave(trial);
                if next >= 1.0 {
                    return Ok(NetworkReport { iterations, ..report });
                }
                (done, step, failed) = (next, 2.0 * step, None);
            }
            report => {
                ws.leave(trial);
                failed = report.or(failed);
                step = 0.5 * (next - done);
                if !led || step < SMALLEST || ws.stop().is_some() {
                    break;
                }
            }
        }
    }
    // The last good state, and what it is worth.
    let status = ws.stop().or(failed.map(|report| report.status)).unwrap_or(Status::NoProgress);
    for (i, anchor) in here.anchors.iter_mut().enumerate() {
        anchor.pose = between(&from[i], &to.anchors[i], done);
    }
    let report = attempt(&here, state, ws, &Settings { max_iterations: 0, ..*settings })?;
    Ok(NetworkReport { status, iterations, ..report })
}
