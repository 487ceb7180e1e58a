//! The cone replaced by a pyramid of k facets: what it costs is a preferred direction.
//!
//! Friction is bounded by a regular polygon with corners µ r_N d_i, the first along the first tangent, and dissipates the most
//! that it allows: sliding force at a corner, or along an edge at right angles to the slip (A. Klarbring 1986; D. Stewart,
//! J. Trinkle 1996). One contact is solved by trying every corner and edge.

use super::contact::OneContact;
use crate::algebra::Vec3;
use std::f64::consts::{PI, TAU};

/// The unit vector at an angle in the tangential plane.
fn tangential(angle: f64) -> Vec3 {
    Vec3::new(0.0, angle.cos(), angle.sin())
}

/// The force that the pyramid allows nearest to `trial`, as [`law::admissible`](super::law::admissible) for the cone.
pub(super) fn admissible(trial: &Vec3, friction: f64, facets: usize) -> Vec3 {
    let normal = trial.x.max(0.0);
    let bound = friction * normal;
    let half = PI / facets as f64;
    // The edge of the sector that the trial lies in; beyond its ends the nearest point is a corner.
    let sector = (trial.z.atan2(trial.y) / (2.0 * half)).floor();
    let (outward, along) = {
        let middle = tangential((2.0 * sector + 1.0) * half);
        (middle, Vec3::new(0.0, -middle.z, middle.y))
    };
    let beyond = trial.dot(&outward) - bound * half.cos();
    let push = Vec3::new(normal, 0.0, 0.0);
    if beyond <= 0.0 {
        return Vec3::new(normal, trial.y, trial.z);
    }
    let reach = bound * half.sin();
    push + outward * (bound * half.cos()) + along * trial.dot(&along).clamp(-reach, reach)
}

impl OneContact {
    /// A force that obeys the law of the pyramid; none where there is none.
    pub(super) fn solve_pyramid(&self, start: &Vec3, facets: usize) -> Option<Vec3> {
        if self.friction == 0.0 {
            return self.solve(start);
        }
        let separates = self.q.x >= 0.0;
        if separates && *start == Vec3::zeros() {
            return Some(Vec3::zeros());
        }
        let within = |r: &Vec3| (r - admissible(r, self.friction, facets)).norm() <= 1e-14 * r.norm();
        if let Some(r) = self.w.lu().solve(&-self.q).filter(|r| r.iter().all(|c| c.is_finite()) && within(r))
        {
            return Some(r);
        }
        if separates {
            return Some(Vec3::zeros());
        }
        let mut best: Option<(f64, Vec3)> = None;
        for place in 0..2 * facets {
            let Some(r) = self.sliding(place, facets) else { continue };
            let trial = r - self.motion(&r) / self.compliance;
            let off = (r - admissible(&trial, self.friction, facets)).norm();
            if best.is_none_or(|(least, _)| off < least) {
                best = Some((off, r));
            }
        }
        best.filter(|(off, r)| *off <= 1e-10 * r.norm()).map(|(_, r)| r)
    }

    /// The force of slip at a corner (even places) or on the edge after it (odd places), if it pushes.
    fn sliding(&self, place: usize, facets: usize) -> Option<Vec3> {
        let corner = |i: usize| tangential(TAU * i as f64 / facets as f64) * self.friction;
        let row = self.w.row(0).transpose();
        let i = place / 2;
        if place.is_multiple_of(2) {
            let direction = Vec3::x() + corner(i);
            let r = direction * (-self.q.x / row.dot(&direction));
            return (r.x > 0.0 && r.x.is_finite()).then_some(r);
        }
        // r = r_N middle + c edge with u_N = 0 and no slip along the edge.
        let middle = Vec3::x() + (corner(i) + corner(i + 1)) * 0.5;
        let edge = (corner(i + 1) - corner(i)) * 0.5;
        let (moved, turned) = (self.w * middle, self.w * edge);
        let matrix = nalgebra::Matrix2::new(moved.x, turned.x, edge.dot(&moved), edge.dot(&turned));
        let right = nalgebra::Vector2::new(-self.q.x, -self.q.dot(&edge));
        let found = matrix.lu().solve(&right)?;
        let valid = found.x > 0.0 && found.x.is_finite() && found.y.abs() <= found.x;
        valid.then(|| middle * found.x + edge * found.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cone::sample::Random;

    #[test]
    fn the_nearest_point_of_a_polygon_is_nearer_than_any_other() {
        let mut random = Random::new(12);
        for round in 0..600 {
            let (facets, friction) = (3 + round % 6, random.between(0.1, 1.0));
            let trial = random.vector();
            let found = admissible(&trial, friction, facets);
            let corners: Vec<Vec3> = (0..=facets)
                .map(|i| tangential(TAU * i as f64 / facets as f64) * (friction * trial.x.max(0.0)))
                .collect();
            let flat = Vec3::new(0.0, trial.y, trial.z);
            let own = (Vec3::new(0.0, found.y, found.z) - flat).norm();
            for _ in 0..200 {
                // Anywhere in the triangle of the middle and two neighbours.
                let i = (random.unit() * facets as f64) as usize;
                let (a, b) = (random.unit(), random.unit());
                let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
                let other = corners[i] * a + corners[i + 1] * b;
                assert!((other - flat).norm() >= own - 1e-12, "{trial} {found} {other}");
            }
            // And it is allowed: left of every edge.
            for pair in corners.windows(2) {
                let (edge, to) = (pair[1] - pair[0], Vec3::new(0.0, found.y, found.z) - pair[0]);
                assert!(edge.cross(&to).x >= -1e-12);
            }
        }
    }

    #[test]
    fn slip_dissipates_the_most_that_the_pyramid_allows() {
        let mut random = Random::new(13);
        let (mut corners, mut edges) = (0, 0);
        for round in 0..3000 {
            let facets = [3, 4, 8, 16][round % 4];
            let w = random.compliance(0.3);
            let contact = OneContact {
                w,
                q: random.vector() - Vec3::x(),
                friction: random.between(0.05, 0.6),
                compliance: w.norm(),
            };
            let r = contact.solve_pyramid(&Vec3::zeros(), facets).expect("a positive definite matrix");
            let u = contact.motion(&r);
            assert!(r.x > 0.0 && u.x.abs() <= 1e-12 * contact.q.norm());
            let work = |r: &Vec3| r.y * u.y + r.z * u.z;
            let bound = contact.friction * r.x;
            for i in 0..facets {
                let corner = tangential(TAU * i as f64 / facets as f64) * bound;
                assert!(work(&r) <= work(&corner) + 1e-11 * bound);
            }
            if u.norm() > 1e-9 {
                let at_corner = (r.y.hypot(r.z) - bound).abs() < 1e-9 * bound;
                *(if at_corner { &mut corners } else { &mut edges }) += 1;
            }
        }
        assert!(corners > 300 && edges > 300, "{corners} {edges}");
    }
}
