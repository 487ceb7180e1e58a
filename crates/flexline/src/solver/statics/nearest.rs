//! A cable that is too short for its ends: how near it comes.

use super::{Settings, solve_from_scratch};
use crate::rod::{Rod, State};
use crate::solver::network::{Network, NetworkState, nearest_led};
use crate::solver::problem::Problem;
use crate::solver::report::Status;

/// How far apart the ends of a first state are, as a share of the length.
const REACH: f64 = 0.9;

/// The nearest state of a cable between held ends that it does not reach: as long as it is, one `end` (0 or 1) drawn to
/// its place as near as it can be, the ends of the state where it has them; and how far away that end stays, m. It
/// begins in `start`, an equilibrium at its own ends, or anew. `None` where both ends can be reached, or no way was found.
///
/// Its forces are those of whatever draws at it, and say nothing.
pub fn nearest_state(problem: &Problem, start: Option<&State>, end: usize) -> Option<(State, f64)> {
    let slack = problem.slack()?;
    let [held, drawn] = [1 - end, end].map(|k| problem.ends.get(k).map(|e| e.position));
    let (held, drawn) = (held?, drawn?);
    if slack > 0.0 && !problem.has_no_slack() {
        return None;
    }
    let settings = Settings::interactive();
    let from = |state: &State| {
        let here = Problem { ends: state.ends, ..problem.clone() };
        NetworkState::from_cable(&Network::from_cable(&here), state)
    };
    let network = Network::from_cable(problem);
    let lead = |start: &NetworkState| nearest_led(&network, start, &[end], &settings).ok().flatten();
    let found = start.and_then(|start| lead(&from(start))).or_else(|| {
        let mut near = problem.clone();
        near.ends[end].position =
            held + (drawn - held) * (REACH * problem.rod.length() / (drawn - held).norm());
        let (first, report) = solve_from_scratch(&near, &settings).ok()?;
        (report.status == Status::Converged).then(|| lead(&from(&first))).flatten()
    })?;
    let mut state = found.state.spans.into_iter().next()?;
    state.ends = problem.ends;
    state.ends[end].position = found.state.anchors.get(end)?.position;
    Some((state, *found.away.first()?))
}
