//! Forces of many contacts that push: the minimum of a convex quadratic form over forces λ ≥ 0,
//!
//! ```text
//! w = W (λ − λ_0) + q ≥ 0,     λ ≥ 0,     w·λ = 0,
//! ```
//!
//! W the operator of `operator.rs`, asked for products alone, which need not have an inverse: contacts of bundles repeat each other, and
//! then the motion w is one, the forces are many. Every round lowers the form, so that none comes again:
//!
//! 1. Forces are relaxed one after another, which finds out who pushes.
//! 2. On the face of those that do, conjugate gradients find the minimum, with what every body alone makes of the forces on it for W⁻¹, and
//!    with a little compliance against changes of forces, less as soon as the face stays (R. T. Rockafellar, SIAM J. Control Optim. 14
//!    (1976) 877–898). Who would pull there leaves the face, all at once, and the rest goes on without.
//! 3. The straight way there, between forces that push, is gone to its lowest place. A way along which a projection alone would lead was
//!    tried first: two contacts that repeat each other but for their gaps hand their forces over by a hair a round then.
//!
//! Besides rows there are forms (`coupling.rs`): what stiffens is a way with a compliance of its own and a force of either sign; forces y of
//! what softens follow from the motion v by Chebyshev's polynomial for
//!
//! ```text
//! y = |K| (v + W_VV y) = |K| (1 − W_VV |K|)⁻¹ v,     v = V x without y.
//! ```

use super::operator::{Neighbours, Operator};
use crate::algebra::larger;
use crate::solver::budget;

/// Rounds in which what is missed may fail to fall so far, and sweeps in each.
const LIVES: usize = 20;
const MUCH: f64 = 0.5;
const SWEEPS: usize = 2;
/// Steps of conjugate gradients at most.
const STEPS: usize = 200;
/// What of the motion on a face is left as long as the face changes.
const ROUGHLY: f64 = 0.1;
/// Times in a round that those who would pull leave the face.
const DROPS: usize = 8;
/// Compliance against changes of forces beside W of the way alone: at first, the least and the most, and by how much it is less at a time;
/// and the share of a way below which it is more.
const SHIFT: f64 = 1e-6;
const LEAST_SHIFT: f64 = 1e-8;
const MOST_SHIFT: f64 = 1e-2;
const LESS: f64 = 0.1;
const SHORT: f64 = 0.1;
/// The most that what softens may change, what may be left of it, and the highest degree of its polynomial.
const SOFTEST: f64 = 0.8;
const LEFT: f64 = 0.01;
const TERMS: usize = 16;
/// Products with W that tell how much it changes, and how much more it may be.
const LOOKS: usize = 8;
const MORE: f64 = 1.1;

/// What a way is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A row of contacts, which pushes.
    Row(usize),
    /// A form that stiffens.
    Stiff,
    /// One that softens.
    Soft,
}

/// w = W (λ − λ_0) + q over ways, where forces push or, of some, have either sign.
#[derive(Default)]
pub(super) struct Programme {
    /// What every way is.
    kinds: Vec<Kind>,
    /// q, and λ_0.
    ahead: Vec<f64>,
    first: Vec<f64>,
    /// Compliance besides W.
    more: Vec<f64>,
    /// |K| of what softens, the most that it changes, and the degree of its polynomial.
    soft: Vec<f64>,
    is_soft: bool,
    softest: f64,
    terms: usize,
    /// λ, and w.
    forces: Vec<f64>,
    motion: Vec<f64>,
    room: Room,
}

/// Vectors as long as there are ways.
#[derive(Default)]
struct Room {
    trial: Vec<f64>,
    ahead: Vec<f64>,
    way: Vec<f64>,
    residual: Vec<f64>,
    free: Vec<bool>,
    before: Vec<bool>,
}

impl Programme {
    /// Forgets all ways.
    pub(super) fn clear(&mut self) {
        self.kinds.clear();
        for numbers in [&mut self.ahead, &mut self.first, &mut self.more, &mut self.soft, &mut self.forces] {
            numbers.clear();
        }
        self.is_soft = false;
    }

    /// Takes in a way with its value without change of forces, the force at hand, and of a form its |K|.
    pub(super) fn add(&mut self, kind: Kind, ahead: f64, force: f64, stiffness: f64) {
        self.kinds.push(kind);
        self.ahead.push(ahead);
        self.first.push(force);
        self.more.push(if kind == Kind::Stiff { 1.0 / stiffness } else { 0.0 });
        self.soft.push(if kind == Kind::Soft { stiffness } else { 0.0 });
        self.is_soft |= kind == Kind::Soft;
        self.forces.push(force);
    }

    /// What every way is, with its force.
    pub(super) fn forces(&self) -> impl Iterator<Item = (Kind, f64)> + '_ {
        self.kinds.iter().copied().zip(self.forces.iter().copied())
    }

    /// How far every force is from that at hand.
    pub(super) fn changes(&self) -> Vec<f64> {
        self.forces.iter().zip(&self.first).map(|(a, b)| a - b).collect()
    }

    /// The largest gap that is to be closed.
    pub(super) fn largest_gap(&self) -> f64 {
        let own = self.ahead.iter().zip(&self.first);
        own.fold(0.0, |most, (gap, force)| most.max(if *force > 0.0 { gap.abs() } else { -gap }))
    }

    fn is_row(&self, i: usize) -> bool {
        matches!(self.kinds[i], Kind::Row(_))
    }

    /// Finds λ to within `tolerance` in w; false where it was not found: then it is the best that was.
    pub(super) fn solve(&mut self, operator: &Operator, tolerance: f64) -> bool {
        self.limit(operator);
        for i in 0..self.forces.len() {
            if self.is_row(i) {
                self.forces[i] = self.forces[i].max(0.0);
            }
        }
        self.find_motion(operator);
        self.room.before.clear();

        let mut shift = SHIFT;
        let (mut least, mut lives) = (f64::INFINITY, LIVES);
        let mut is_found = false;
        while lives > 0 && budget::stop().is_none() {
            for _ in 0..SWEEPS {
                self.sweep(operator);
            }
            let missed = self.missed();
            is_found = missed <= tolerance;
            if is_found {
                break;
            }
            if missed < MUCH * least {
                (least, lives) = (missed, LIVES);
            } else {
                lives -= 1;
            }
            self.find_face(operator);
            let is_same = self.room.free == self.room.before;
            self.room.before.clone_from(&self.room.free);
            self.find_trial(operator, shift, if is_same { 0.0 } else { ROUGHLY }, tolerance);
            shift = match self.take_trial(operator, true) {
                share if share < SHORT => (shift / LESS).min(MOST_SHIFT),
                _ if is_same => (LESS * shift).max(LEAST_SHIFT),
                _ => shift,
            };
        }
        // Forces of what softens are found on the way.
        self.find_motion(operator);
        is_found
    }

    /// What is missed of the law, in w.
    fn missed(&self) -> f64 {
        let own = (0..self.forces.len()).map(|i| match self.kinds[i] {
            Kind::Row(_) if self.forces[i] == 0.0 => -self.motion[i],
            Kind::Row(_) | Kind::Stiff => self.motion[i].abs(),
            Kind::Soft => 0.0,
        });
        own.fold(0.0, larger)
    }

    /// w at the forces at hand, and those of what softens.
    fn find_motion(&mut self, operator: &Operator) {
        let mut out = std::mem::take(&mut self.motion);
        let mut forces = std::mem::take(&mut self.forces);
        let y = self.motion_of(operator, &forces, &mut out);
        for (force, (y, soft)) in forces.iter_mut().zip(y.iter().zip(&self.soft)) {
            if *soft > 0.0 {
                *force = *y;
            }
        }
        (self.motion, self.forces) = (out, forces);
    }

    /// w at some forces; returns those of what softens.
    fn motion_of(&self, operator: &Operator, forces: &[f64], out: &mut Vec<f64>) -> Vec<f64> {
        let change = |i: usize| if self.kinds[i] == Kind::Soft { 0.0 } else { forces[i] - self.first[i] };
        let changes: Vec<f64> = (0..forces.len()).map(change).collect();
        out.clone_from(&self.ahead);
        operator.add_product(&changes, out);
        let y = self.soften(operator, out);
        out.iter_mut().zip(self.more.iter().zip(&changes)).for_each(|(out, (more, by))| *out += more * by);
        y
    }

    /// Adds to a motion what softens makes of it, and returns the forces of that, by Chebyshev's iteration (Y. Saad, *Iterative Methods for
    /// Sparse Linear Systems*, 2003, 12.3): of the same degree always, so that the form stays quadratic.
    fn soften(&self, operator: &Operator, motion: &mut [f64]) -> Vec<f64> {
        if !self.is_soft {
            return Vec::new();
        }
        let n = motion.len();
        // Eigenvalues of 1 − |K| W_VV are between 1 − softest and 1.
        let middle = 1.0 - 0.5 * self.softest;
        let half = (0.5 * self.softest).max(f64::EPSILON);
        let mut left: Vec<f64> = motion.iter().zip(&self.soft).map(|(v, soft)| v * soft).collect();
        let mut step: Vec<f64> = left.iter().map(|left| left / middle).collect();
        let mut y = vec![0.0; n];
        let mut moved = vec![0.0; n];
        let mut share = half / middle;
        for _ in 0..self.terms {
            moved.fill(0.0);
            operator.add_product(&step, &mut moved);
            let next = 1.0 / (2.0 * middle / half - share);
            for i in 0..n {
                motion[i] += moved[i];
                y[i] += step[i];
                left[i] -= step[i] - self.soft[i] * moved[i];
                step[i] = next * share * step[i] + 2.0 * next / half * left[i];
            }
            share = next;
        }
        y
    }

    /// Makes what softens so weak that the form stays convex, and finds how high a degree that takes.
    fn limit(&mut self, operator: &Operator) {
        if !self.is_soft {
            return;
        }
        // The largest eigenvalue of |K|^½ W |K|^½, by its powers.
        let roots: Vec<f64> = self.soft.iter().map(|soft| soft.sqrt()).collect();
        let mut x: Vec<f64> = roots.iter().map(|root| f64::from(u8::from(*root > 0.0))).collect();
        let mut largest = 0.0;
        for _ in 0..LOOKS {
            let size = dot(&x, &x).sqrt().max(f64::MIN_POSITIVE);
            let scaled: Vec<f64> = x.iter().zip(&roots).map(|(x, root)| x * root / size).collect();
            x.fill(0.0);
            operator.add_product(&scaled, &mut x);
            x.iter_mut().zip(&roots).for_each(|(x, root)| *x *= root);
            largest = dot(&x, &x).sqrt();
        }
        largest *= MORE;
        if largest > SOFTEST {
            self.soft.iter_mut().for_each(|soft| *soft *= SOFTEST / largest);
            largest = SOFTEST;
        }
        self.softest = largest;
        let root = (1.0 - largest).sqrt();
        let rate = (1.0 - root) / (1.0 + root);
        self.terms = (1..TERMS).find(|terms| 2.0 * rate.powi(*terms as i32) <= LEFT).unwrap_or(TERMS);
    }

    /// Relaxes one force after another.
    fn sweep(&mut self, operator: &Operator) {
        let Room { trial, ahead, .. } = &mut self.room;
        trial.clone_from(&self.forces);
        ahead.clone_from(&self.motion);
        for i in (0..trial.len()).filter(|i| self.kinds[*i] != Kind::Soft) {
            let own = operator.diagonal(i) + self.more[i];
            if own <= 0.0 {
                continue;
            }
            let free = trial[i] - ahead[i] / own;
            let next = if matches!(self.kinds[i], Kind::Row(_)) { free.max(0.0) } else { free };
            let change = next - trial[i];
            if change != 0.0 {
                operator.add_column(i, change, ahead);
                ahead[i] += self.more[i] * change;
                trial[i] = next;
            }
        }
        self.take_trial(operator, self.is_soft);
    }

    /// Who is on the face: what pushes and what would be entered.
    fn find_face(&mut self, operator: &Operator) {
        let Self { kinds, forces, motion, room, .. } = self;
        room.free.clear();
        room.free.extend(kinds.iter().enumerate().map(|(i, kind)| match kind {
            Kind::Row(_) => {
                let own = operator.diagonal(i);
                own > 0.0 && forces[i] * own > motion[i]
            }
            Kind::Stiff => true,
            Kind::Soft => false,
        }));
    }

    /// The minimum on the face, as a trial: who would pull there leaves it, and the rest goes on without.
    fn find_trial(&mut self, operator: &Operator, shift: f64, left: f64, tolerance: f64) {
        let mut room = std::mem::take(&mut self.room);
        let Room { trial, ahead, way, residual, free, .. } = &mut room;
        let n = self.forces.len();
        let own = |i: usize| if self.is_row(i) { shift * operator.diagonal(i) } else { 0.0 };
        let shifts: Vec<f64> = (0..n).map(own).collect();
        trial.clone_from(&self.forces);
        ahead.clone_from(&self.motion);
        for _ in 0..DROPS {
            residual.clear();
            residual.extend(
                (0..n).map(
                    |i| {
                        if free[i] { -ahead[i] - shifts[i] * (trial[i] - self.forces[i]) } else { 0.0 }
                    },
                ),
            );
            let enough = (0.1 * tolerance).max(left * largest(residual));
            self.close(operator, free, &shifts, (residual, way), enough);
            let mut is_feasible = true;
            for i in 0..n {
                trial[i] += way[i];
                if free[i] && self.is_row(i) && trial[i] < 0.0 {
                    (trial[i], free[i], is_feasible) = (0.0, false, false);
                }
            }
            if is_feasible {
                break;
            }
            self.motion_of(operator, trial, ahead);
        }
        self.room = room;
    }

    /// The way to where a residual vanishes on the face, by conjugate gradients until it is `enough`.
    fn close(
        &self,
        operator: &Operator,
        free: &[bool],
        shifts: &[f64],
        (r, way): (&mut [f64], &mut Vec<f64>),
        enough: f64,
    ) {
        let n = r.len();
        let more: Vec<f64> = self.more.iter().zip(shifts).map(|(more, shift)| more + shift).collect();
        let near = Neighbours::new(operator, free, &more);
        way.clear();
        way.resize(n, 0.0);
        let mut z = vec![0.0; n];
        let mut bent = vec![0.0; n];
        near.apply(r, &mut z);
        let mut p = z.clone();
        let mut rz = dot(r, &z);
        for _ in 0..STEPS {
            if largest(r) <= enough || rz.is_nan() || rz <= 0.0 {
                break;
            }
            bent.fill(0.0);
            operator.add_product(&p, &mut bent);
            self.soften(operator, &mut bent);
            for i in 0..n {
                bent[i] = if free[i] { bent[i] + more[i] * p[i] } else { 0.0 };
            }
            let bend = dot(&p, &bent);
            if bend.is_nan() || bend <= 0.0 {
                break;
            }
            let by = rz / bend;
            way.iter_mut().zip(&p).for_each(|(way, p)| *way += by * p);
            r.iter_mut().zip(&bent).for_each(|(r, bent)| *r -= by * bent);
            near.apply(r, &mut z);
            let next = dot(r, &z);
            let beta = next / rz;
            rz = next;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
        }
    }

    /// Goes towards the trial to the lowest place on the straight way, there at most; returns the share of the way, none where it leads up
    /// at once. `room.ahead` is w there unless it is to be found.
    fn take_trial(&mut self, operator: &Operator, is_unknown: bool) -> f64 {
        let mut ahead = std::mem::take(&mut self.room.ahead);
        let trial = std::mem::take(&mut self.room.trial);
        if is_unknown {
            self.motion_of(operator, &trial, &mut ahead);
        }
        let (mut slope, mut bend) = (0.0, 0.0);
        for i in (0..trial.len()).filter(|i| self.kinds[*i] != Kind::Soft) {
            let by = trial[i] - self.forces[i];
            slope += by * self.motion[i];
            bend += by * (ahead[i] - self.motion[i]);
        }
        let share = match slope {
            slope if slope >= 0.0 || slope.is_nan() => 0.0,
            slope if slope + bend <= 0.0 => 1.0,
            slope => -slope / bend,
        };
        if share == 1.0 {
            self.forces.clone_from(&trial);
            self.motion.clone_from(&ahead);
        } else if share > 0.0 {
            self.forces.iter_mut().zip(&trial).for_each(|(force, trial)| *force += share * (trial - *force));
            self.motion.iter_mut().zip(&ahead).for_each(|(w, ahead)| *w += share * (ahead - *w));
        }
        (self.room.ahead, self.room.trial) = (ahead, trial);
        share
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most: f64, a| most.max(a.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cone::sample::Random;
    use nalgebra::{DMatrix, DVector};

    const BODIES: usize = 6;
    const OWN: usize = 6;

    /// Ways on two bodies each of six freedoms, many of them the same as others but for their gaps.
    fn ways(random: &mut Random, count: usize, alike: usize) -> DMatrix<f64> {
        let mut j = DMatrix::zeros(count, BODIES * OWN);
        for i in 0..count {
            if i >= alike && random.between(0.0, 1.0) < 0.5 {
                let row = j.row(i - alike).into_owned();
                j.set_row(i, &row);
                continue;
            }
            let first = i % BODIES;
            let second = (first + 1 + (random.between(0.0, 4.99) as usize)) % BODIES;
            for body in [first, second] {
                (0..OWN).for_each(|k| j[(i, OWN * body + k)] = random.between(-1.0, 1.0));
            }
        }
        j
    }

    fn operator(j: &DMatrix<f64>) -> Operator {
        let body = |b: usize| {
            let own = j.columns(OWN * b, OWN);
            let ways: Vec<usize> = (0..j.nrows()).filter(|i| own.row(*i).amax() > 0.0).collect();
            let w = DMatrix::from_fn(ways.len(), ways.len(), |r, c| own.row(ways[r]).dot(&own.row(ways[c])));
            (ways, w)
        };
        Operator::of_blocks(j.nrows(), (0..BODIES).map(body))
    }

    /// Sixty contacts of six bodies, which repeat each other, so that W has no inverse: the law holds, and the motion is that of any other
    /// forces that obey it.
    #[test]
    fn contacts_may_repeat_each_other() {
        let mut random = Random::new(5);
        for round in 0..40 {
            let j = ways(&mut random, 60, 8);
            let operator = operator(&j);
            let x0 = DVector::from_fn(BODIES * OWN, |_, _| random.between(-1.0, 1.0));
            let gaps = DVector::from_fn(60, |_, _| random.between(0.0, 0.1));
            let first = DVector::from_fn(60, |_, _| random.between(-0.5, 0.5).max(0.0));
            let ahead = &gaps + &j * &x0;
            let mut motions = Vec::new();
            for from in [DVector::zeros(60), first] {
                // The same problem from other forces at hand.
                let q = &ahead + &j * (j.transpose() * &from);
                let mut programme = Programme::default();
                (0..60).for_each(|i| programme.add(Kind::Row(i), q[i], from[i], 0.0));
                assert!(programme.solve(&operator, 1e-9), "{round}");
                let forces = DVector::from_iterator(60, programme.forces().map(|(_, force)| force));
                let w = &ahead + &j * (j.transpose() * &forces);
                for (w, force) in w.iter().zip(&forces) {
                    assert!(
                        *w >= -1e-8 && *force >= 0.0 && (*force == 0.0 || *w <= 1e-8),
                        "{round}: {w} {force}"
                    );
                }
                motions.push(j.transpose() * &forces);
            }
            let off = (&motions[0] - &motions[1]).amax();
            assert!(off < 1e-6, "{round}: {off:e}");
        }
    }

    /// What stiffens and what softens is as in one matrix with it.
    #[test]
    fn forms_are_those_of_one_matrix() {
        let mut random = Random::new(9);
        for round in 0..20 {
            let rows = ways(&mut random, 24, 24);
            let forms = ways(&mut random, 8, 8);
            let stiffness = |i: usize| if i < 4 { 2.0f64 } else { -0.03 };
            let all =
                DMatrix::from_fn(
                    32,
                    BODIES * OWN,
                    |r, c| if r < 24 { rows[(r, c)] } else { forms[(r - 24, c)] },
                );
            let operator = operator(&all);
            let x0 = DVector::from_fn(BODIES * OWN, |_, _| random.between(-1.0, 1.0));
            let mut programme = Programme::default();
            let q = &all * &x0;
            (0..24).for_each(|i| programme.add(Kind::Row(i), q[i] + 0.05, 0.0, 0.0));
            for i in 0..8 {
                let kind = if stiffness(i) > 0.0 { Kind::Stiff } else { Kind::Soft };
                programme.add(kind, q[24 + i], 0.0, stiffness(i).abs());
            }
            assert!(programme.solve(&operator, 1e-9), "{round}");
            let forces = DVector::from_iterator(32, programme.forces().map(|(_, force)| force));
            let mut matrix = DMatrix::identity(BODIES * OWN, BODIES * OWN);
            for i in 0..8 {
                matrix += forms.row(i).transpose() * forms.row(i) * stiffness(i);
            }
            let right = &x0 + rows.transpose() * forces.rows(0, 24);
            let x = matrix.lu().solve(&right).expect("regular");
            // Of the polynomial for what softens a hundredth is left.
            let w = &rows * &x + DVector::from_element(24, 0.05);
            let size = x0.amax();
            for (w, force) in w.iter().zip(&forces) {
                assert!(*w >= -0.02 * size && (*force == 0.0 || *w <= 0.02 * size), "{round}: {w} {force}");
            }
            let moved = &x0 + all.transpose() * &forces;
            assert!((moved - x).amax() < 0.02 * size, "{round}");
        }
    }
}
