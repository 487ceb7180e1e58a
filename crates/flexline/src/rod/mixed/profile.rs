//! The profile of a chain along the arc length.

use super::HeldChain;
use super::system::System;
use crate::body::{Profile, Sample};
use crate::rod::{Rod, State};

/// The solution at every node.
pub(crate) fn profile(held: &HeldChain, state: &State, system: &System) -> Profile {
    let rod = &held.rod;
    let n = rod.segments();
    let [first, last] = system.loads.spread_at_ends();
    let samples = rod
        .mesh()
        .nodes()
        .iter()
        .enumerate()
        .map(|(j, &s)| {
            // Weight is spread over the dual cell: at the node half of it is passed. A force at
            // the very end lies beyond the last sample.
            let force = match j {
                0 => system.internal[0] + first,
                j if j == n => system.internal[n - 1] - last,
                j => (system.internal[j - 1] + system.internal[j]) * 0.5,
            };
            let station = rod.station(&state.rod, s);
            Sample {
                s,
                position: station.position,
                frame: station.frame,
                strain: rod.node_strain(&state.rod, j),
                moment_material: rod.node_moment(&state.rod, j),
                force_world: force,
                radius: rod.radius[j],
            }
        })
        .collect();
    Profile { samples }
}
