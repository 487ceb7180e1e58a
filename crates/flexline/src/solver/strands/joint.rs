//! What lies beyond a joint, as a quadratic form over the motion of the joint; how an element joins it.
//!
//! The equations of a step say that Σ ½ y·H y − p·y is stationary. What lies beyond a joint is such a form
//! over the change (v, ω) of the joint's motion and, inside a clothoid, of the coordinate a that both neighbours share.

use super::element::Cell;
use crate::algebra::rotation::skew_times;
use crate::algebra::{Mat3, Vec3, rotation};

/// Adds AᵀB + CᵀD where the sum is symmetric.
#[inline]
fn add_gram_pair(to: &mut Mat3, [a, b]: [&Mat3; 2], [c, d]: [&Mat3; 2]) {
    for i in 0..3 {
        for j in 0..=i {
            let entry = a.column(i).dot(&b.column(j)) + c.column(i).dot(&d.column(j));
            to[(i, j)] += entry;
            if j < i {
                to[(j, i)] += entry;
            }
        }
    }
}

/// A form over (v, ω, a): blocks, and forces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beyond {
    pub(super) vv: Mat3,
    pub(super) vw: Mat3,
    pub(super) ww: Mat3,
    pub(super) va: Mat3,
    pub(super) wa: Mat3,
    pub(super) aa: Mat3,
    pub(super) force: Vec3,
    pub(super) torque: Vec3,
    pub(super) pull: Vec3,
}

impl Beyond {
    pub(super) fn nothing() -> Self {
        let (block, zero) = (Mat3::zeros(), Vec3::zeros());
        Self {
            vv: block,
            vw: block,
            ww: block,
            va: block,
            wa: block,
            aa: block,
            force: zero,
            torque: zero,
            pull: zero,
        }
    }

    /// Forgets the coordinate at the beginning.
    pub(super) fn forget_first(&mut self) {
        self.va.fill(0.0);
        self.wa.fill(0.0);
        self.aa.fill(0.0);
        self.pull.fill(0.0);
    }

    /// The same over the motion of a body's point that is `arm` back: v + ω × arm instead of v.
    #[inline]
    pub(super) fn seen_from(&self, arm: &Vec3, has_first: bool) -> Self {
        // With G = [arm]×: vw − vv G, ww + G vw⁺ − vwᵀ G; and M G = −(G Mᵀ)ᵀ.
        let vw = self.vw + skew_times(arm, &self.vv.transpose()).transpose();
        let mut ww = self.ww + skew_times(arm, &vw) + skew_times(arm, &self.vw).transpose();
        // Symmetric but for rounding, which would grow from element to element.
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            ww[(j, i)] = ww[(i, j)];
        }
        Self {
            vw,
            ww,
            wa: if has_first { self.wa + skew_times(arm, &self.va) } else { self.wa },
            torque: self.torque + arm.cross(&self.force),
            ..*self
        }
    }

    /// Adds what another one says about (v, ω).
    pub(super) fn add(&mut self, other: &Self) {
        self.vv += other.vv;
        self.vw += other.vw;
        self.ww += other.ww;
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// The form of an element and all that lies beyond it, over the motion of its beginning and its coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined<const N: usize> {
    pub(super) vv: Mat3,
    pub(super) vw: Mat3,
    pub(super) ww: Mat3,
    pub(super) vc: [Mat3; N],
    pub(super) wc: [Mat3; N],
    pub(super) cc: [[Mat3; N]; N],
    pub(super) force: Vec3,
    pub(super) torque: Vec3,
    pub(super) pull: [Vec3; N],
}

/// Joins an element to what lies beyond its end.
#[inline]
pub(super) fn join<const N: usize>(cell: &Cell<N>, beyond: &Beyond) -> Joined<N> {
    let last = N - 1;
    let form = &cell.form;
    let q = beyond.seen_from(&cell.chord, N == 2);
    let mut own = Joined {
        vv: q.vv,
        vw: q.vw - rotation::skew(&form.moment),
        ww: q.ww + form.inertia,
        vc: form.shift,
        wc: form.turn,
        cc: form.own,
        force: form.force + q.force,
        torque: form.torque + q.torque,
        pull: form.pull,
    };
    for i in 0..3 {
        own.vv[(i, i)] += form.mass;
    }
    for c in 0..N {
        let v = q.vv * cell.shift[c] + q.vw * cell.turn[c];
        let w = q.vw.tr_mul(&cell.shift[c]) + q.ww * cell.turn[c];
        own.vc[c] += v;
        own.wc[c] += w;
        own.pull[c] += cell.shift[c].tr_mul(&q.force) + cell.turn[c].tr_mul(&q.torque);
        add_gram_pair(&mut own.cc[c][c], [&cell.shift[c], &v], [&cell.turn[c], &w]);
        for b in 0..c {
            let both = cell.shift[b].tr_mul(&v) + cell.turn[b].tr_mul(&w);
            own.cc[b][c] += both;
            own.cc[c][b] += both.transpose();
        }
    }
    if N == 2 {
        // The last coordinate is the first one of the next element.
        own.vc[last] += q.va;
        own.wc[last] += q.wa;
        own.cc[last][last] += q.aa;
        own.pull[last] += q.pull;
        for c in 0..N {
            let both = cell.shift[c].tr_mul(&q.va) + cell.turn[c].tr_mul(&q.wa);
            own.cc[c][last] += both;
            own.cc[last][c] += both.transpose();
        }
    }
    own
}

impl<const N: usize> Joined<N> {
    /// What a joint before the element sees if nothing is eliminated; for a helix its coordinate is left out.
    pub(super) fn unsolved(&self) -> Beyond {
        let mut out = Beyond {
            vv: self.vv,
            vw: self.vw,
            ww: self.ww,
            force: self.force,
            torque: self.torque,
            ..Beyond::nothing()
        };
        if N == 2 {
            (out.va, out.wa, out.aa, out.pull) = (self.vc[0], self.wc[0], self.cc[0][0], self.pull[0]);
        }
        out
    }
}
