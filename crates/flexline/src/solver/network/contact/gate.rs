//! No step goes through anything.
//!
//! Between two states the points of an axis are taken to move on straight lines. That is not the way that a step in
//! rotations goes, and need not be: what counts is that *some* way leads from one state to the other on which nothing is
//! crossed, so that every rod stays on its side. A core of half the radius is kept free on the whole of it.

use super::super::NetworkWorkspace;
use super::super::model::Network;
use super::super::state::NetworkState;
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;

/// Share of the radius that no step may enter.
const CORE: f64 = 0.5;

/// Room for the points of an axis before and after a step.
#[derive(Default)]
pub(in crate::solver) struct Room {
    shares: Vec<f64>,
    from: Vec<Vec3>,
    to: Vec<Vec3>,
}

/// Whether the way from one state to another crosses nothing. Obstacles are where `network` has them at its end, and where
/// `from` has them at its beginning; seen from an obstacle the points go straight.
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
        for (o, obstacle) in network.obstacles.iter().enumerate() {
            let moved = from.obstacles.get(o).filter(|pose| **pose != obstacle.pose);
            let hit = before.windows(2).zip(after.windows(2)).any(|(a, b)| {
                let a = [a[0], a[1]].map(|p| moved.map_or(p, |pose| carried(&p, pose, &obstacle.pose)));
                a != [b[0], b[1]] && obstacle.first_hit(a, [b[0], b[1]], keep).is_some()
            });
            if hit {
                return false;
            }
        }
    }
    true
}

/// Where a point comes to that is fixed to something which moves from one pose to another.
fn carried(point: &Vec3, from: &Pose, to: &Pose) -> Vec3 {
    to.position + rotation::rotate(&(to.orientation * from.orientation.conjugate()), &(point - from.position))
}
