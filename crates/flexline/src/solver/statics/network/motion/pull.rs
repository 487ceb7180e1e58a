//! Springs from places of spans to points of the world: how a hand draws a cable that moves.
//!
//! A pull is taken at the end of the step, as inertia is: the matter beside its place is put on springs, so that no
//! stiffness is too much for any step. Its force does work, which is booked; what it stores is the hand's.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::Motion;
use crate::algebra::Vec3;
use crate::rod::{AnyRod, Matter, Rod, RodState};
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

impl Pull {
    /// The points of matter beside the place, with the stiffness and the target of each: where it would be if the place
    /// were there.
    fn springs(&self, rod: &AnyRod, state: &RodState, matter: &Matter) -> [(usize, f64, Vec3); 2] {
        let arcs = &rod.matter_arcs()[0];
        let s = self.s.clamp(0.0, rod.length());
        let at = rod.station(state, s).position;
        let last = arcs.len() - 1;
        let after = arcs.partition_point(|a| *a < s).min(last);
        let before = after.saturating_sub(1);
        let gap = arcs[after] - arcs[before];
        let share = if gap > 0.0 { ((s - arcs[before]) / gap).clamp(0.0, 1.0) } else { 0.0 };
        [(before, 1.0 - share), (after, share)]
            .map(|(j, share)| (j, share * self.stiffness, self.to + matter.points[j].position - at))
    }
}

impl Motion {
    /// Adds what draws at a span to the springs of its matter.
    pub(super) fn add_pulls(&self, span: usize, rod: &AnyRod, matter: &Matter, nodes: &mut [(f64, Vec3)]) {
        for pull in self.pulls.iter().filter(|pull| pull.span == span) {
            for (j, stiffness, target) in pull.springs(rod, &self.state.spans[span].rod, matter) {
                let (own, at) = &mut nodes[j];
                let sum = *own + stiffness;
                if sum > 0.0 {
                    *at = (*at * *own + target * stiffness) / sum;
                    *own = sum;
                }
            }
        }
    }

    /// Work that the pulls did in the step from `before`, J.
    pub(super) fn pull_work(&self, network: &Network, before: &NetworkState) -> f64 {
        let work = |pull: &Pull| {
            let k = pull.span;
            let (was, rod) = (network.rod(before, k), network.rod(&self.state, k));
            let (old, new) = (&before.spans[k].rod, &self.state.spans[k].rod);
            let (then, now) = (was.matter(old), rod.matter(new));
            pull.springs(&was, old, &then)
                .map(|(j, stiffness, target)| {
                    let at = now.points[j].position;
                    stiffness * (target - at).dot(&(at - then.points[j].position))
                })
                .iter()
                .sum::<f64>()
        };
        self.pulls.iter().map(work).sum()
    }
}
