//! Springs from places of spans to points of the world: how a hand draws a cable that moves.
//!
//! A pull is taken at the end of the step, as inertia is, so that no stiffness is too much for any step. Its force does work, which is booked; what it stores is the hand's.

use super::Motion;
use crate::algebra::Vec3;
use crate::body::Tap;
use crate::rod::Rod;
use crate::solver::network::model::Network;
use crate::solver::network::state::NetworkState;
use serde::{Deserialize, Serialize};

/// A spring that draws a place of a span towards a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pull {
    /// The span.
    pub span: usize,
    /// Arc length of the place, m.
    pub s: f64,
    /// Where it is drawn to, m, world.
    pub to: Vec3,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

impl Motion {
    /// What draws at a span of a length now.
    pub(super) fn pulls_on(&self, span: usize, length: f64) -> Vec<Tap> {
        let own = self.pulls.iter().filter(|pull| pull.span == span);
        own.map(|pull| Tap::spring((pull.s / length).clamp(0.0, 1.0), pull.to, pull.stiffness)).collect()
    }

    /// Work that the pulls did in the step from `before`, J.
    pub(super) fn pull_work(&self, network: &Network, before: &NetworkState) -> f64 {
        let work = |pull: &Pull| {
            let k = pull.span;
            let (was, rod) = (network.rod(before, k), network.rod(&self.state, k));
            let share = (pull.s / was.length()).clamp(0.0, 1.0);
            let old = was.place(&before.spans[k].rod, share);
            let new = rod.place(&self.state.spans[k].rod, share);
            pull.stiffness * (pull.to - new).dot(&(new - old))
        };
        self.pulls.iter().map(work).sum()
    }
}
