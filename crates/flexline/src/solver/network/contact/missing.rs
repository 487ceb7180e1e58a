//! What is missing where what is led among contacts does not arrive.
//!
//! A cable that is drawn taut round something goes no farther: its forces grow without bound, and the search for an equilibrium ends
//! somewhere. Whether it is that, or only that the way was hard, is told by ends of spans that give: with these what is led arrives,
//! and as they grow stiffer the gaps of what is too short stay.

use super::super::model::{Network, NetworkError};
use super::super::short::Short;
use super::super::state::NetworkState;
use super::super::yielding::{Yielding, hold_fast, stiffen_from};
use super::super::{NetworkReport, NetworkWorkspace, Settings, attempt};
use super::place::advance;
use crate::solver::report::Status;

/// What ends of spans give, as a share of their length.
const GIVES: f64 = 0.02;
/// Newton iterations that may lead nowhere meanwhile.
const LOST: usize = 150;

/// What keeps what is led from its place.
pub(super) enum Missing {
    /// Nothing: there is an equilibrium.
    Nothing(Box<NetworkReport>),
    /// Lengths of spans.
    Lengths(Vec<Short>),
    /// Nobody knows.
    Unknown,
}

/// Finds what is missing for the rest of the way from an equilibrium: ends of spans give, as much as [`GIVES`] of a span under the forces
/// there, while what is led goes on; then they are made stiffer. What can be kept closes, and what is missing stays. Where what is
/// led does not arrive even so, it is what is missing as far as it came.
pub(super) fn missing(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Missing, NetworkError> {
    let yielding = Yielding::new(network, true, usize::MAX);
    let pulls = state.spans.iter().map(|span| span.end_force.norm()).fold(0.0, f64::max);
    let soft = GIVES * (ws.least_force_scale() / pulls.max(f64::MIN_POSITIVE)).min(1.0);
    yielding.set(network, state, ws, soft);
    let arrives = advance(network, state, ws, settings, LOST)?.status == Status::Converged;
    let as_far = if arrives { None } else { Some(led_to(network, state)) };
    let there = as_far.as_ref().unwrap_or(network);
    let Some(found) = stiffen_from(there, state, ws, settings, &yielding, soft)? else {
        return Ok(Missing::Unknown);
    };
    let short = found.short(network);
    if !short.is_empty() {
        return Ok(Missing::Lengths(short));
    }
    if !arrives {
        return Ok(Missing::Unknown);
    }
    hold_fast(ws);
    state.copy_from(&found.state);
    let report = attempt(network, state, ws, settings)?;
    Ok(if report.status == Status::Converged { Missing::Nothing(Box::new(report)) } else { Missing::Unknown })
}

/// The network with what is led where `state` has it.
fn led_to(network: &Network, state: &NetworkState) -> Network {
    let mut here = network.clone();
    here.anchors.iter_mut().zip(&state.anchors).for_each(|(anchor, pose)| anchor.pose = *pose);
    for (o, pose) in state.obstacles.iter().enumerate().filter(|(o, _)| network.mount(*o).is_none()) {
        here.obstacles[o].pose = *pose;
    }
    here
}
