//! One contact alone: u = W r + q with W of 3 × 3.
//!
//! Separation and sticking are tried as they stand. Slip is found by Newton's method on Fischer and Burmeister's function:
//! with De Saxcé's ũ = u + µ|u_T| e_N the law is complementarity of r and ũ on a second-order cone and its dual,
//! and in the Jordan algebra of that cone x + y − (x² + y²)^½ vanishes exactly there. Where that fails the cases are
//! enumerated: the direction t of the friction force of a slipping contact is a root of a quartic.
//!
//! G. Daviet, F. Bertails-Descoubes, L. Boissieux, *A hybrid iterative solver for robustly capturing Coulomb friction in hair
//! dynamics*, ACM Trans. Graph. 30 (2011); M. Fukushima, Z.-Q. Luo, P. Tseng, SIAM J. Optim. 12 (2002) 436–460.

use super::law;
use super::roots::between_one;
use crate::algebra::{Mat3, Vec3};

/// Regularisation of a singular W, relative to its size; it vanishes as the forces settle.
const PROXIMAL: f64 = 1e-6;
/// Most Newton steps on Fischer and Burmeister's function; the enumeration costs about as many.
const NEWTON_STEPS: usize = 12;

/// One contact: W, q, µ, and the size of W.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneContact {
    pub(super) w: Mat3,
    pub(super) q: Vec3,
    pub(super) friction: f64,
    pub(super) compliance: f64,
}

/// All forces of one contact that obey the law; a continuum of them is represented by some.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solutions {
    forces: [Vec3; 6],
    count: usize,
}

impl Solutions {
    /// The forces.
    pub fn as_slice(&self) -> &[Vec3] {
        &self.forces[..self.count]
    }

    fn push(&mut self, r: Vec3) {
        let near = |other: &Vec3| (other - r).norm() <= 1e-6 * (other.norm() + r.norm());
        if self.count < self.forces.len() && !self.as_slice().iter().any(near) {
            self.forces[self.count] = r;
            self.count += 1;
        }
    }
}

/// All solutions of one contact, by enumeration: none and several are possible where W is singular or indefinite, and
/// several for large friction.
pub fn solutions(w: &Mat3, q: &Vec3, friction: f64) -> Solutions {
    let size = w.norm();
    let compliance = if size > 0.0 { size } else { 1.0 };
    OneContact { w: *w, q: *q, friction, compliance }.enumerated()
}

impl OneContact {
    /// A force that obeys the law: near `start` where there are several. None where there is none.
    pub(super) fn solve(&self, start: &Vec3) -> Option<Vec3> {
        let separates = self.q.x >= 0.0;
        if separates && *start == Vec3::zeros() {
            return Some(Vec3::zeros());
        }
        if self.friction > 0.0
            && let Some(r) = self.sticking()
        {
            return Some(r);
        }
        if separates {
            return Some(Vec3::zeros());
        }
        if self.friction > 0.0 {
            let r = self.fischer_burmeister(start);
            if self.obeys(&r) {
                return Some(r);
            }
        }
        let nearest = |a: &&Vec3, b: &&Vec3| (*a - start).norm().total_cmp(&(*b - start).norm());
        let all = self.enumerated();
        all.as_slice().iter().min_by(nearest).copied().or_else(|| self.proximal(start))
    }

    /// Motion that a force leaves.
    pub(super) fn motion(&self, r: &Vec3) -> Vec3 {
        self.w * r + self.q
    }

    fn defect(&self, r: &Vec3) -> f64 {
        law::defect(r, &self.motion(r), self.friction, self.compliance).norm()
    }

    /// Whether the law holds up to round-off.
    fn obeys(&self, r: &Vec3) -> bool {
        let round_off = 32.0 * f64::EPSILON * (self.q.norm() / self.compliance + r.norm());
        self.defect(r) <= 1e-12 * r.norm() + round_off
    }

    /// The force that stops the contact, where friction can hold it.
    fn sticking(&self) -> Option<Vec3> {
        let r = self.w.lu().solve(&-self.q)?;
        let held = r.x >= 0.0 && r.y.hypot(r.z) <= self.friction * r.x;
        (held && self.obeys(&r)).then_some(r)
    }

    /// Separation, sticking, slip in every direction that the quartic allows.
    fn enumerated(&self) -> Solutions {
        let mut all = Solutions::default();
        if self.q.x >= 0.0 {
            all.push(Vec3::zeros());
        }
        if self.friction == 0.0 {
            let r = Vec3::new(-self.q.x / self.w.m11, 0.0, 0.0);
            if r.x > 0.0 && r.x.is_finite() {
                all.push(r);
            }
            return all;
        }
        if let Some(r) = self.sticking() {
            all.push(r);
        }
        for side in [1.0, -1.0] {
            for &tangent in between_one(self.direction_quartic(side)).as_slice() {
                let (c, s) = (1.0 - tangent * tangent, 2.0 * tangent);
                let length = side * c.hypot(s);
                if let Some(r) = self.slipping(c / length, s / length) {
                    all.push(r);
                }
            }
        }
        all
    }

    /// With r = r_N (1, µ t) and u_N = 0, the condition that u_T is parallel to t = (c, s),
    ///
    /// ```text
    /// (w_NN + µ w_NT·t) (q_T × t) − q_N (w_TN + µ W_TT t) × t = 0,
    /// ```
    ///
    /// times (1 + x²)² in terms of x = tan(θ/2), for ±t: half a circle each.
    fn direction_quartic(&self, side: f64) -> [f64; 5] {
        let (w, q, mu) = (&self.w, &self.q, self.friction);
        let (w1, w2, a, b, d) = (w.m21, w.m31, w.m22, w.m32, w.m33);
        let cc = mu * (q.x * b - w1 * q.z);
        let ss = mu * (w2 * q.y - q.x * b);
        let cs = mu * (w1 * q.y - w2 * q.z - q.x * (a - d));
        let c = side * (q.x * w2 - w.m11 * q.z);
        let s = side * (w.m11 * q.y - q.x * w1);
        [cc + c, 2.0 * (cs + s), 4.0 * ss - 2.0 * cc, 2.0 * (s - cs), cc - c]
    }

    /// The force of slip with friction along (c, s), refined; none where the law does not hold.
    fn slipping(&self, c: f64, s: f64) -> Option<Vec3> {
        let direction = Vec3::new(1.0, self.friction * c, self.friction * s);
        let along = self.w.row(0).dot(&direction.transpose());
        let r = direction * (-self.q.x / along);
        if !(r.x > 0.0 && r.x.is_finite()) {
            return None;
        }
        if self.obeys(&r) {
            return Some(r);
        }
        // Roots that lie close together are found to half the digits.
        let refined = self.fischer_burmeister(&r);
        (self.obeys(&refined) && (refined - r).norm() <= 1e-3 * r.norm()).then_some(refined)
    }

    /// Where W is singular: solutions for W + ε, pulled to the force before, until that makes no difference.
    fn proximal(&self, start: &Vec3) -> Option<Vec3> {
        let shift = PROXIMAL * self.compliance;
        let mut r = *start;
        for _ in 0..6 {
            let near = Self { w: self.w + Mat3::identity() * shift, q: self.q - r * shift, ..*self };
            let all = near.enumerated();
            let nearest = |a: &&Vec3, b: &&Vec3| (*a - r).norm().total_cmp(&(*b - r).norm());
            r = *all.as_slice().iter().min_by(nearest)?;
            if self.obeys(&r) {
                return Some(r);
            }
        }
        None
    }

    /// Damped Newton steps on Fischer and Burmeister's function from `start`; the last force, solution or not.
    fn fischer_burmeister(&self, start: &Vec3) -> Vec3 {
        let free = self.q.norm() / self.compliance;
        if free == 0.0 {
            return *start;
        }
        // Without units, and cone and dual cone the same: x = (√µ r_N, r_T/√µ), y = (ũ_N/√µ, √µ u_T).
        let root = self.friction.sqrt();
        let stretch = Vec3::new(root, 1.0 / root, 1.0 / root);
        let unit = free * self.compliance;
        let w = self.w * (free / unit);
        let q = self.q / unit;
        let mut r = start / free;
        if r.x <= 0.0 {
            // What stops the contact without friction.
            r = Vec3::new(-q.x / w.m11, 0.0, 0.0);
            if !(r.x > 0.0 && r.x.is_finite()) {
                r.x = 1.0;
            }
        }
        let mut at = Evaluation::new(&w, &q, self.friction, &stretch, &r);
        for _ in 0..NEWTON_STEPS {
            if at.value.norm() <= 1e-15 * (1.0 + r.norm()) {
                break;
            }
            let Some(step) = at.jacobian(&w, self.friction, &stretch).lu().solve(&-at.value) else { break };
            let mut share = 1.0;
            let next = loop {
                let tried = r + step * share;
                let next = Evaluation::new(&w, &q, self.friction, &stretch, &tried);
                if next.value.norm() < (1.0 - 1e-3 * share) * at.value.norm() {
                    r = tried;
                    break Some(next);
                }
                share *= 0.5;
                if share < 0.05 {
                    break None;
                }
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        r * free
    }
}

/// Fischer and Burmeister's function at a force, and what its derivative is made of.
struct Evaluation {
    x: Vec3,
    y: Vec3,
    root: Vec3,
    slip: [f64; 2],
    value: Vec3,
}

/// Multiplication by x in the Jordan algebra of the second-order cone.
fn arrow(x: &Vec3) -> Mat3 {
    Mat3::new(x.x, x.y, x.z, x.y, x.x, 0.0, x.z, 0.0, x.x)
}

impl Evaluation {
    fn new(w: &Mat3, q: &Vec3, friction: f64, stretch: &Vec3, r: &Vec3) -> Self {
        let u = w * r + q;
        let speed = u.y.hypot(u.z);
        let x = r.component_mul(stretch);
        let y = Vec3::new(u.x + friction * speed, u.y, u.z).component_div(stretch);
        // Square root of x² + y² by its two eigenvalues.
        let (first, second) = (x.norm_squared() + y.norm_squared(), (x * x.x + y * y.x) * 2.0);
        let off = second.y.hypot(second.z);
        let (large, small) = ((first + off).sqrt(), (first - off).max(0.0).sqrt());
        let along = if off > 0.0 { 0.5 * (large - small) / off } else { 0.0 };
        let root = Vec3::new(0.5 * (large + small), along * second.y, along * second.z);
        let slip = if speed > 0.0 { [u.y / speed, u.z / speed] } else { [0.0; 2] };
        Self { x, y, root, slip, value: x + y - root }
    }

    /// By the force: (I − L_z⁻¹ L_x) ∂x + (I − L_z⁻¹ L_y) ∂y.
    fn jacobian(&self, w: &Mat3, friction: f64, stretch: &Vec3) -> Mat3 {
        let mut root = arrow(&self.root);
        // On the boundary of both cones the root has no inverse; any element of the derivative near by will do.
        let size = self.root.x;
        if size - self.root.y.hypot(self.root.z) <= 1e-14 * size {
            root += Mat3::identity() * (1e-10 * size);
        }
        let Some(inverse) = root.try_inverse() else { return Mat3::identity() };
        let mut dy = *w;
        for j in 0..3 {
            dy[(0, j)] += friction * (self.slip[0] * w[(1, j)] + self.slip[1] * w[(2, j)]);
        }
        let dy = Mat3::from_diagonal(&Vec3::repeat(1.0).component_div(stretch)) * dy;
        let by_x = Mat3::identity() - inverse * arrow(&self.x);
        let by_y = Mat3::identity() - inverse * arrow(&self.y);
        by_x * Mat3::from_diagonal(stretch) + by_y * dy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cone::sample::Random;

    #[test]
    fn the_derivative_agrees_with_differences() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let (w, q) = (random.compliance(1.0), random.vector());
            let (r, mu) = (random.vector(), random.between(0.1, 1.5));
            let stretch = Vec3::new(mu.sqrt(), 1.0 / mu.sqrt(), 1.0 / mu.sqrt());
            let exact = Evaluation::new(&w, &q, mu, &stretch, &r).jacobian(&w, mu, &stretch);
            let h = 1e-6;
            for j in 0..3 {
                let side = |h: f64| {
                    let mut moved = r;
                    moved[j] += h;
                    Evaluation::new(&w, &q, mu, &stretch, &moved).value
                };
                let difference = (side(h) - side(-h)) / (2.0 * h);
                let error = (difference - exact.column(j)).norm();
                // Second derivatives grow as the eigenvalues of the root shrink; generic numbers keep them below 1e3.
                assert!(error < 1e-6 * (1.0 + exact.norm()), "{error:e}");
            }
        }
    }

    #[test]
    fn newton_and_enumeration_find_the_same_slip() {
        let mut random = Random::new(6);
        let (mut slips, mut by_newton) = (0, 0);
        for _ in 0..5000 {
            let w = random.compliance(0.3);
            let contact = OneContact {
                w,
                q: random.vector() - Vec3::x(),
                friction: random.between(0.05, 0.8),
                compliance: w.norm(),
            };
            if contact.q.x >= 0.0 || contact.sticking().is_some() {
                continue;
            }
            slips += 1;
            let all = contact.enumerated();
            assert!(!all.as_slice().is_empty(), "{contact:?}");
            let r = contact.fischer_burmeister(&Vec3::zeros());
            if contact.obeys(&r) {
                by_newton += 1;
                let nearest = all.as_slice().iter().map(|a| (a - r).norm()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-9 * r.norm(), "{contact:?}: {r} {all:?}");
            }
        }
        // One in a hundred falls to the enumeration, as in the paper.
        assert!(slips > 1000 && by_newton * 100 >= 98 * slips, "{by_newton} of {slips}");
    }

    #[test]
    fn a_singular_matrix_is_solved_at_once() {
        let mut random = Random::new(8);
        for _ in 0..2000 {
            // A bead on a wire: one direction of motion, and a force across it that nothing determines.
            let wire = random.vector();
            let w = wire * wire.transpose();
            let q = wire * random.between(-1.0, 1.0);
            let contact = OneContact { w, q, friction: random.between(0.1, 1.0), compliance: w.norm() };
            let r = contact.solve(&(random.vector() * 0.1)).expect("the wire can be held or let go");
            assert!(contact.obeys(&r), "{contact:?} {r}");
        }
    }
}
