//! Equilibria beside the one that a solve finds: by deflation at one value of a parameter, by continuation along it.
//!
//! A stable solve goes downhill and ends in one minimum. Here Newton's method goes to any equilibrium: a *deflated* search
//! (`deflate.rs`) is driven away from those that are known, a *branch* (`follow.rs`) is followed through folds, and where the
//! number of directions that release energy changes without a fold, other branches begin (`events.rs`). Two states are told apart
//! by what is measured of them (`measure.rs`). The book states the mathematics (`docs/theory/branches.md`).

mod deflate;
mod events;
mod follow;
mod measure;

pub use deflate::Known;
pub use events::{Event, EventKind};
pub use follow::{Branch, BranchPoint, Ended, FollowLimits};
pub use measure::{apart, measure, measure_form};

use super::assemble::Norms;
use super::{Network, NetworkError, NetworkReport, NetworkState, NetworkWorkspace, network_stability};
use crate::solver::report::Stability;
use crate::solver::settings::Settings;

/// What looks for equilibria of networks of one topology.
pub struct Explorer {
    ws: NetworkWorkspace,
    settings: Settings,
}

impl Explorer {
    /// For networks with the unknowns of this one.
    pub fn new(network: &Network, settings: &Settings) -> Result<Self, NetworkError> {
        settings.check().map_err(NetworkError::Setting)?;
        network.check_even_short()?;
        Ok(Self { ws: NetworkWorkspace::new(network), settings: *settings })
    }

    /// The equilibrium below `state`: a minimum, as far as there is one on the way.
    pub fn descend(
        &mut self,
        network: &Network,
        state: &mut NetworkState,
    ) -> Result<NetworkReport, NetworkError> {
        let settings = Settings { seek_stable: true, ..self.settings };
        super::solve_network(network, state, &mut self.ws, &settings)
    }

    /// The second variation at an equilibrium.
    pub fn stability(&mut self, network: &Network, state: &NetworkState) -> Option<Stability> {
        network_stability(network, state, &mut self.ws)
    }

    /// The solution along every span.
    pub fn profiles(&mut self, network: &Network, state: &NetworkState) -> Vec<crate::body::Profile> {
        super::profiles(network, state, &mut self.ws)
    }

    /// Whether so little is left of the residual that a state is an equilibrium.
    fn is_settled(&self, norms: &Norms) -> bool {
        norms.force <= (self.settings.force_tolerance * norms.largest).max(norms.round_off)
            && norms.gap <= self.settings.position_tolerance * norms.length
    }
}
