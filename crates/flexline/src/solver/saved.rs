//! A problem with the state that its solve begins from and its settings: all that a solve depends on, so that whoever
//! reads it back gets the same answer to the last bit. It is what a report of a bug needs.

use super::network::feed::check_feeds;
use super::network::{Network, NetworkError, NetworkReport, NetworkState};
use super::problem::{Problem, ProblemError};
use super::settings::Settings;
use super::statics::{Scratch, Workspace, equilibrium_fed, profile, solve};
use crate::body::Profile;
use crate::rod::State;
use serde::{Deserialize, Serialize};

/// All that a solve depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedProblem {
    /// What to solve to, and how.
    pub settings: Settings,
    /// What to solve.
    pub task: Task,
}

/// What to solve, and where the solve begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// One cable.
    Cable {
        /// The cable and what holds it.
        problem: Box<Problem>,
        /// Where it begins.
        state: Box<State>,
    },
    /// A network.
    Network {
        /// The network.
        network: Box<Network>,
        /// Where it begins.
        state: Box<NetworkState>,
        /// Spans whose rope was fed against friction: index and change of length, m; see
        /// [`equilibrium_fed`].
        fed: Vec<(usize, f64)>,
    },
}

/// Why a saved problem cannot be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// About a cable.
    #[error(transparent)]
    Cable(#[from] ProblemError),
    /// About a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A state that no rod of the problem can have.
    #[error(
        "the state of span {0} is none of its rod: expected as many finite coordinates as the rod has, and frames that \
         are rotations; begin with a new state"
    )]
    State(usize),
}

/// What a solve of a saved problem has found.
#[derive(Clone, Debug)]
pub enum SavedSolution {
    /// Of one cable.
    Cable {
        /// The state reached.
        state: Box<State>,
        /// Its proof.
        report: Box<NetworkReport>,
        /// The solution along the cable.
        profile: Profile,
    },
    /// Of a network.
    Network {
        /// The state reached.
        state: Box<NetworkState>,
        /// Its proof.
        report: Box<NetworkReport>,
        /// The solution along every span.
        profiles: Vec<Profile>,
    },
}

impl SavedProblem {
    /// One cable and the state its solve begins from.
    pub fn cable(problem: Problem, state: State, settings: Settings) -> Self {
        Self { settings, task: Task::Cable { problem: Box::new(problem), state: Box::new(state) } }
    }

    /// A network and the state its solve begins from.
    pub fn network(
        network: Network,
        state: NetworkState,
        fed: Vec<(usize, f64)>,
        settings: Settings,
    ) -> Self {
        Self { settings, task: Task::Network { network: Box::new(network), state: Box::new(state), fed } }
    }

    /// Refuses what no solve takes: numbers that are none, indices of what does not exist, a state of another size. A
    /// cable may be too short: a solve says by how much.
    pub fn check(&self) -> Result<(), SavedError> {
        self.settings.check()?;
        match &self.task {
            Task::Cable { problem, state } => {
                match problem.check() {
                    Ok(()) | Err(ProblemError::TooShort { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
                if !problem.rod.owns(&state.rod) {
                    return Err(SavedError::State(0));
                }
                if !state.is_finite() {
                    return Err(ProblemError::NotFinite { what: "the state" }.into());
                }
            }
            Task::Network { network, state, fed } => {
                network.check_even_short()?;
                state.check(network)?;
                check_feeds(network, fed)?;
                let strange = |k: &usize| !network.spans[*k].rod.owns(&state.spans[*k].rod);
                if let Some(span) = (0..network.spans.len()).find(strange) {
                    return Err(SavedError::State(span));
                }
            }
        }
        Ok(())
    }

    /// Solves it, from the state that it was saved with.
    pub fn solve(&self) -> Result<SavedSolution, SavedError> {
        self.check()?;
        match &self.task {
            Task::Cable { problem, state } => {
                let mut state = state.clone();
                let mut ws = Workspace::new(problem);
                let report = solve(problem, &mut state, &mut ws, &self.settings)?;
                let profile = profile(problem, &state);
                Ok(SavedSolution::Cable { state, report: Box::new(report), profile })
            }
            Task::Network { network, state, fed } => {
                let mut state = state.clone();
                let mut scratch = Scratch::new(network);
                let report = equilibrium_fed(network, &mut state, fed, &mut scratch, &self.settings)?;
                let profiles = scratch.profiles(network, &state);
                Ok(SavedSolution::Network { state, report: Box::new(report), profiles })
            }
        }
    }
}
