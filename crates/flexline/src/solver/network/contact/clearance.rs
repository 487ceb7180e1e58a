//! How far rods are from obstacles, also where nothing touches.

use super::super::model::Network;
use super::super::state::NetworkState;
use crate::rod::Rod;

/// The obstacle that is nearest to a place of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Which obstacle.
    pub obstacle: usize,
    /// From its surface to the axis of the rod, m; negative inside solids.
    pub distance: f64,
}

impl Network {
    /// The obstacle that is nearest to a span at arc length `s`, measured where contact measures it; `None` where there are
    /// no obstacles, or where the span passes through all of them there.
    pub fn nearest_obstacle(&self, state: &NetworkState, span: usize, s: f64) -> Option<Nearest> {
        let rod = self.rod(state, span);
        let share = (s / rod.length()).clamp(0.0, 1.0);
        let at = rod.place(&state.spans.get(span)?.rod, share);
        let each = self.obstacles.iter().enumerate().filter_map(|(obstacle, own)| {
            let [first, last] = self.touching(span, obstacle, rod.length())?;
            if !(first..=last).contains(&share) {
                return None;
            }
            let (distance, _) = own.distance(&at)?;
            Some(Nearest { obstacle, distance })
        });
        each.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}
