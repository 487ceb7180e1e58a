//! Rope fed through eyes against friction, which remembers the way that it went.

use super::{Network, NetworkError, NetworkReport, NetworkState, NetworkWorkspace, Settings, solve_network};
use crate::solver::report::Status;

/// Numbers of steps tried when rope is fed against friction.
const FEED_STEPS: [u32; 3] = [1, 5, 25];

/// Brings `state` into equilibrium, where the lengths of some spans (index and change, m) have been changed by feeding
/// while friction held their rope: first at rest as it lay, then fed, in as many steps as it takes. Where nothing is fed, or no
/// number of steps leads there, it is solved from `state` as it is.
pub fn solve_fed(
    network: &Network,
    state: &mut NetworkState,
    fed: &[(usize, f64)],
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    if !fed.is_empty() {
        network.check_even_short()?;
        state.check(network)?;
        check_feeds(network, fed)?;
        if let Some((report, reached)) = fed_slowly(network, state, fed, ws, settings)? {
            *state = reached;
            return Ok(report);
        }
    }
    solve_network(network, state, ws, settings)
}

/// Refuses feeds into spans that do not exist.
pub(in crate::solver) fn check_feeds(network: &Network, fed: &[(usize, f64)]) -> Result<(), NetworkError> {
    let count = network.spans.len();
    match fed.iter().position(|(span, feed)| *span >= count || !feed.is_finite()) {
        Some(index) => Err(NetworkError::Feed { index, span: fed[index].0, feed: fed[index].1, count }),
        None => Ok(()),
    }
}

fn fed_slowly(
    network: &Network,
    start: &NetworkState,
    fed: &[(usize, f64)],
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Option<(NetworkReport, NetworkState)>, NetworkError> {
    let mut lying = start.clone();
    fed.iter().for_each(|(span, feed)| lying.lengths[*span] -= feed);
    lying = NetworkState::initial(&network.slid(&lying));
    let mut report = solve_network(network, &mut lying, ws, settings)?;
    if report.status != Status::Converged {
        return Ok(None);
    }
    for steps in FEED_STEPS {
        let mut state = lying.clone();
        for _ in 0..steps {
            fed.iter().for_each(|(span, feed)| state.lengths[*span] += feed / f64::from(steps));
            report = solve_network(network, &mut state, ws, settings)?;
            if report.status != Status::Converged {
                break;
            }
        }
        if report.status == Status::Converged {
            return Ok(Some((report, state)));
        }
    }
    Ok(None)
}
