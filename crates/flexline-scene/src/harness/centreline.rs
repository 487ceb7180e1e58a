//! The cables of a solved scene as centrelines for other programs.

use super::compile::Compiled;
use super::solution::Solution;
use flexline::algebra::rotation;
use flexline::solver::Sample;
use flexline_exchange::centreline::{Centreline, Point};

impl Compiled {
    /// Centrelines of all cables, or of the one of a name.
    pub fn centrelines(&self, solution: &Solution, wanted: Option<&str>) -> Vec<Centreline> {
        let mut lines = Vec::new();
        for (i, (cable, profile)) in self.cables.iter().zip(&solution.profiles).enumerate() {
            if wanted.is_some_and(|wanted| wanted != cable.name) {
                continue;
            }
            let clearances = self.clearances(solution, i);
            let point = |(k, s): (usize, &Sample)| Point {
                s: s.s,
                position: s.position,
                tangent: rotation::tangent(&s.frame),
                radius: s.radius,
                curvature: Some(f64::hypot(s.strain.x, s.strain.y)),
                twist: Some(s.strain.z),
                tension: Some(s.tension()),
                clearance: clearances.get(k).map(|near| near.gap),
            };
            let points = profile.samples.iter().enumerate().map(point).collect();
            lines.push(Centreline { name: cable.name.clone(), points });
        }
        lines
    }
}
