//! When an equilibrium is not found from the last one: what is held is led to its place in steps.

use super::model::{Network, NetworkError};
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, Settings, attempt};
use crate::algebra::rotation;
use crate::body::Pose;
use crate::solver::report::Status;

/// Smallest share of the way taken in one step.
const SMALLEST: f64 = 1.0 / 256.0;
/// Newton iterations after which the way is given up.
const EFFORT: usize = 2000;

/// Leads held anchors from where `state` has them to where `network` holds them, in steps that halve
/// on failure and double on success. `None` where nothing was moved, or it leads nowhere.
pub(in crate::solver) fn lead(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Option<NetworkReport>, NetworkError> {
    let from = state.anchors.clone();
    let mut to = state.clone();
    to.hold(network);
    if to.anchors == from {
        return Ok(None);
    }
    let mut here = network.clone();
    let (mut done, mut step, mut iterations) = (0.0, 0.5, 0);
    while step >= SMALLEST && iterations < EFFORT && ws.stop().is_none() {
        let next = f64::min(1.0, done + step);
        for (i, anchor) in here.anchors.iter_mut().enumerate() {
            anchor.pose = between(&from[i], &to.anchors[i], next);
        }
        let mut trial = state.clone();
        let report = attempt(if next < 1.0 { &here } else { network }, &mut trial, ws, settings)?;
        iterations += report.iterations;
        if report.status != Status::Converged {
            step = 0.5 * (next - done);
            continue;
        }
        *state = trial;
        if next >= 1.0 {
            return Ok(Some(NetworkReport { iterations, ..report }));
        }
        done = next;
        step *= 2.0;
    }
    Ok(None)
}

/// The pose a share of the way from `a` to `b`: straight, and by the shortest turn.
pub(in crate::solver) fn between(a: &Pose, b: &Pose, share: f64) -> Pose {
    let turn = rotation::log(&(b.orientation * a.orientation.conjugate()));
    Pose {
        position: a.position + (b.position - a.position) * share,
        orientation: rotation::exp(&(turn * share)) * a.orientation,
    }
}
