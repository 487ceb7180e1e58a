//! How near cables are to everything around them, also where nothing touches: to every obstacle, to every other cable, and
//! each to itself where it comes back.

use crate::contact::Presser;
use crate::harness::{Compiled, Solution};
use flexline::Vec3;

/// Where a cable is nearest to one of its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The cable.
    pub cable: usize,
    /// Whose surface is near; of a cable, where.
    pub to: Presser,
    /// Arc length of the place, m.
    pub s: f64,
    /// Where the axis of the cable is, m, world.
    pub position: Vec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
}

/// How near obstacles are to a cable at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct NearObstacles {
    /// Arc length of the place, m.
    pub s: f64,
    /// Where the axis of the cable is, m, world.
    pub position: Vec3,
    /// Obstacles that the cable does not pass through there, with the distance of the surfaces, m.
    pub gaps: Vec<(usize, f64)>,
}

/// Keeps the nearer of what is known of the same pair and this.
fn keep(all: &mut Vec<Neighbour>, new: Neighbour) {
    match all.iter_mut().find(|known| known.cable == new.cable && known.to.is_same(new.to)) {
        Some(known) if new.gap < known.gap => *known = new,
        Some(_) => {}
        None => all.push(new),
    }
}

impl Compiled {
    /// Where every cable is nearest to each of its neighbours; a pair of cables is told once. Cables are neighbours of each
    /// other where they may touch.
    pub fn neighbours(&self, solution: &Solution) -> Vec<Neighbour> {
        let mut all = Vec::new();
        for cable in 0..self.cables.len() {
            for NearObstacles { s, position, gaps } in self.near_obstacles(solution, cable) {
                for (obstacle, gap) in gaps {
                    keep(&mut all, Neighbour { cable, to: Presser::Obstacle(obstacle), s, position, gap });
                }
            }
        }
        for near in self.network.nearest_spans(&solution.state).iter().filter(|near| near.is_least) {
            let places = [0, 1].map(|k| self.on_cable(&solution.state, near.spans[k], near.s[k]));
            if let [Some((a, s)), Some((b, at))] = places
                && a <= b
            {
                let (to, position, gap) = (Presser::Cable(b, at), near.position, near.gap);
                keep(&mut all, Neighbour { cable: a, to, s, position, gap });
            }
        }
        // Where they touch it is known to the last bit.
        for press in self.presses(solution) {
            let (cable, to, s, position, gap) = (press.cable, press.by, press.s, press.position, press.gap);
            let is_first = !matches!(to, Presser::Cable(other, _) if other < cable);
            if is_first && all.iter().any(|known| known.cable == cable && known.to.is_same(to)) {
                keep(&mut all, Neighbour { cable, to, s, position, gap });
            }
        }
        all
    }

    /// How near obstacles are at every sample of a cable.
    pub fn near_obstacles(&self, solution: &Solution, cable: usize) -> Vec<NearObstacles> {
        let mut all = Vec::new();
        for (span, samples) in self.pieces(solution, cable) {
            let begin = self.span_begin(&solution.state, &self.cables[cable], span);
            for sample in samples {
                let near = self.network.obstacle_distances(&solution.state, span, sample.s - begin);
                let gaps = near.iter().map(|own| (own.obstacle, own.distance - sample.radius)).collect();
                all.push(NearObstacles { s: sample.s, position: sample.position, gaps });
            }
        }
        all
    }

    /// At places along a cable, one for every segment or element, how near each other cable is there, and itself where it
    /// comes back: arc length, cable and distance of the surfaces, m.
    pub fn near_cables(&self, solution: &Solution, cable: usize) -> Vec<(f64, usize, f64)> {
        let near = self.network.nearest_spans(&solution.state);
        let place = |span: usize, s: f64| self.on_cable(&solution.state, span, s);
        let own = near.iter().filter_map(|near| {
            let (a, s) = place(near.spans[0], near.s[0])?;
            let (b, _) = place(near.spans[1], near.s[1])?;
            (a == cable).then_some((s, b, near.gap))
        });
        own.collect()
    }
}
