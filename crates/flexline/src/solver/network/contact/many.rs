//! The Newton step of many bodies in motion that touch.
//!
//! Where inertia gives A an inverse without contacts, nothing of theirs has to be in it: W is that of the bodies alone
//! (`operator.rs`), and the forces of smooth contacts are the minimum of a convex form over forces that push,
//!
//! ```text
//! w = W λ + q ≥ 0,     λ ≥ 0,     w·λ = 0,     q = g + J x_0 − W λ_0.
//! ```
//!
//! All rows with a wrong sign change sides at once, as in `lcp.rs`; those that touch are solved for by conjugate gradients, with what
//! every body alone makes of the forces on it for W⁻¹. Contacts of bundles repeat each other, so that W has no inverse: forces that
//! change meet a little compliance, which is none where they do not. Where that goes in circles, forces are relaxed one after another, and where that does not
//! help, as in bundles, whose contacts repeat each other all along, dense matrices go on from there.
//!
//! How two rods feel each other's motion beyond the normal, Vᵀ K V of `coupling.rs`, counts where it is not weak beside inertia. What
//! stiffens is a way with a compliance of its own, and a force of either sign; forces y of what softens follow from the motion by a
//! short series,
//!
//! ```text
//! y = |K| (v + W_VV y) = |K| (1 + W_VV |K| + …) v,     v = V x without y.
//! ```

use super::super::NetworkWorkspace;
use super::super::assemble::Residual;
use super::super::model::Network;
use super::super::state::NetworkState;
use super::Moves;
use super::coupling::{self, Form};
use super::operator::{Neighbours, Operator, Way};
use super::step::TOUCHING;
use crate::algebra::Vec3;

/// Rounds in which rows that are missed join.
const ROUNDS: usize = 20;
/// What is left of the gaps that a step finds, at most: Newton's method has no use for less.
const EXACT: f64 = 1e-5;
/// Changes of sides that may fail to leave fewer wrong signs, and how often sweeps help out then.
const LIVES: usize = 3;
const HELPS: usize = 2;
const SWEEPS: usize = 20;
/// Steps of conjugate gradients at most.
const STEPS: usize = 200;
/// What a form may change of the motion that asks for it and be left out.
const WEAK: f64 = 0.02;
/// The most that what softens may change, what may be left of its series, and the most terms.
const SOFTEST: f64 = 0.8;
const LEFT: f64 = 0.01;
const TERMS: usize = 16;
/// Products with W that tell how much it changes, and how much more it may be.
const LOOKS: usize = 8;
const MORE: f64 = 1.1;
/// Compliance against changes of forces, relative to the largest of W: contacts may repeat each other. It vanishes as Newton's
/// method converges.
const PROXIMAL: f64 = 1e-7;

/// Room for a step.
#[derive(Default)]
pub(super) struct ManyRoom {
    operator: Operator,
    programme: Programme,
    /// Of every row of contacts its gap after the step without change of forces.
    ahead: Vec<f64>,
    /// How pairs feel each other's motion, the way of the row that has the form, and its value without change of forces.
    forms: Vec<(Form, usize, f64)>,
    bends: Vec<Form>,
}

/// w = W λ + q over ways, where forces push or, of some, have either sign.
#[derive(Default)]
struct Programme {
    /// What every way is.
    kinds: Vec<Kind>,
    /// q + W λ_0, and λ_0.
    ahead: Vec<f64>,
    first: Vec<f64>,
    /// Compliance besides W, against changes of forces.
    more: Vec<f64>,
    /// |K| of what softens.
    soft: Vec<f64>,
    is_soft: bool,
    /// Terms of the series of what softens.
    terms: usize,
    /// Which touch, and λ.
    active: Vec<bool>,
    forces: Vec<f64>,
    room: [Vec<f64>; 4],
}

/// What a way is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A row of contacts, which pushes.
    Row(usize),
    /// A form that stiffens.
    Stiff,
    /// One that softens.
    Soft,
}

/// What many contacts make of the step in the workspace, and the forces that it asks for.
pub(super) fn step(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    let mut room = std::mem::take(&mut ws.contacts.many);
    let ManyRoom { operator, programme, ahead, forms, bends } = &mut room;
    let longest = ws.longest();
    ahead.clear();
    ahead.extend(ws.contacts.rows.iter().map(|row| row.gap + row.change(&Moves::of(state, ws))));
    operator.begin(ws);
    programme.clear();
    let mut chosen = vec![false; ahead.len()];
    let mut join: Vec<usize> = Vec::new();
    for (i, row) in ws.contacts.rows.iter().enumerate() {
        if (row.force > 0.0 || ahead[i] < 0.0) && !row.is_held_end(network) {
            join.push(i);
        }
    }
    forms.clear();
    for (way, i) in join.iter().enumerate() {
        let row = &ws.contacts.rows[*i];
        bends.clear();
        if row.force > 0.0 {
            coupling::add_bends(row, 0.0, bends);
        }
        forms.extend(bends.drain(..).map(|form| {
            let value = form.value(&Moves::of(state, ws));
            (form, way, value)
        }));
    }
    let mut is_solved = true;
    for _ in 0..ROUNDS {
        for i in &join {
            let row = &ws.contacts.rows[*i];
            chosen[*i] = true;
            operator.add(Way::new(row.pushes(row.normal)));
            programme.add(Kind::Row(*i), ahead[*i], row.force, 0.0);
        }
        operator.make(state, ws);
        for (form, way, value) in forms.drain(..) {
            if form.stiffness.abs() * operator.diagonal(way) > WEAK {
                let kind = if form.stiffness > 0.0 { Kind::Stiff } else { Kind::Soft };
                operator.add(Way::new(form.pushes.into_iter()));
                programme.add(kind, value, 0.0, form.stiffness.abs());
            }
        }
        operator.make(state, ws);
        let largest = programme
            .ahead
            .iter()
            .zip(&programme.first)
            .fold(0.0f64, |most, (gap, force)| most.max(if *force > 0.0 { gap.abs() } else { -gap }));
        is_solved = programme.solve(operator, (EXACT * largest).max(TOUCHING * longest));
        let changes: Vec<f64> = programme.forces.iter().zip(&programme.first).map(|(a, b)| a - b).collect();
        coupling::step(state, ws, residual, &operator.pushes(&changes));
        let missed = |i: &usize| {
            let row = &ws.contacts.rows[*i];
            row.gap + row.change(&Moves::of(state, ws)) < -TOUCHING * longest && !row.is_held_end(network)
        };
        join = (0..chosen.len()).filter(|i| !chosen[*i]).filter(missed).collect();
        if join.is_empty() || !is_solved {
            break;
        }
    }
    let count = ws.contacts.rows.len();
    let contacts = &mut ws.contacts;
    if !is_solved {
        contacts.give_up_many();
    }
    contacts.asked.clear();
    contacts.asked.resize(count, 0.0);
    contacts.asked_friction.clear();
    contacts.asked_friction.resize(count, Vec3::zeros());
    for (kind, force) in programme.kinds.iter().zip(&programme.forces) {
        if let Kind::Row(i) = kind {
            contacts.asked[*i] = force.max(0.0);
        }
    }
    contacts.many = room;
}

impl Programme {
    fn clear(&mut self) {
        self.kinds.clear();
        for numbers in [&mut self.ahead, &mut self.first, &mut self.more, &mut self.soft, &mut self.forces] {
            numbers.clear();
        }
        self.active.clear();
        self.is_soft = false;
    }

    /// Takes in a way with its value without change of forces, the force at hand, and of a form its |K|.
    fn add(&mut self, kind: Kind, ahead: f64, force: f64, stiffness: f64) {
        self.kinds.push(kind);
        self.ahead.push(ahead);
        self.first.push(force);
        self.more.push(if kind == Kind::Stiff { 1.0 / stiffness } else { 0.0 });
        self.soft.push(if kind == Kind::Soft { stiffness } else { 0.0 });
        self.is_soft |= kind == Kind::Soft;
        let is_active = match kind {
            Kind::Row(_) => force > 0.0 || ahead < 0.0,
            Kind::Stiff => true,
            Kind::Soft => false,
        };
        self.active.push(is_active);
        self.forces.push(force);
    }

    fn is_row(&self, i: usize) -> bool {
        matches!(self.kinds[i], Kind::Row(_))
    }

    /// w at the forces at hand; those of what softens are found on the way.
    fn motion(&mut self, operator: &Operator, out: &mut Vec<f64>) {
        out.clone_from(&self.ahead);
        let changes: Vec<f64> = (0..self.forces.len())
            .map(|i| if self.kinds[i] == Kind::Soft { 0.0 } else { self.forces[i] - self.first[i] })
            .collect();
        operator.add_product(&changes, out);
        let y = self.soften(operator, out);
        for (i, y) in y.into_iter().enumerate().filter(|(i, _)| self.soft[*i] > 0.0) {
            self.forces[i] = y;
        }
        for (i, out) in out.iter_mut().enumerate() {
            *out += self.more[i] * (self.forces[i] - self.first[i]);
        }
    }

    /// Adds to a motion what softens makes of it, and returns the forces of that.
    fn soften(&self, operator: &Operator, motion: &mut [f64]) -> Vec<f64> {
        if !self.is_soft {
            return Vec::new();
        }
        let mut y: Vec<f64> = motion.iter().zip(&self.soft).map(|(v, soft)| v * soft).collect();
        let mut more = vec![0.0; y.len()];
        for term in 0..self.terms {
            more.fill(0.0);
            operator.add_product(&y, &mut more);
            if term + 1 < self.terms {
                for (i, y) in y.iter_mut().enumerate() {
                    *y = self.soft[i] * (motion[i] + more[i]);
                }
            }
        }
        motion.iter_mut().zip(&more).for_each(|(motion, more)| *motion += more);
        y
    }

    /// Makes what softens so weak that its series converges, and finds how many terms that takes.
    fn limit(&mut self, operator: &Operator) {
        if !self.is_soft {
            return;
        }
        // The largest eigenvalue of |K|^½ W |K|^½, by its powers.
        let roots: Vec<f64> = self.soft.iter().map(|soft| soft.sqrt()).collect();
        let mut x: Vec<f64> = roots.iter().map(|root| f64::from(u8::from(*root > 0.0))).collect();
        let mut largest = 0.0;
        for _ in 0..LOOKS {
            let size = dot(&x, &x).sqrt();
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
        self.terms = (1..TERMS).find(|terms| largest.powi(*terms as i32) <= LEFT).unwrap_or(TERMS);
    }

    /// Finds λ to within `tolerance` in w; false where it was not found.
    fn solve(&mut self, operator: &Operator, tolerance: f64) -> bool {
        let largest = (0..operator.len()).map(|way| operator.diagonal(way)).fold(0.0, f64::max);
        for (kind, more) in self.kinds.iter().zip(&mut self.more).filter(|(kind, _)| **kind != Kind::Stiff) {
            *more = if *kind == Kind::Soft { 0.0 } else { PROXIMAL * largest };
        }
        self.limit(operator);
        for _ in 0..HELPS {
            if self.together(operator, tolerance) {
                return true;
            }
            self.sweep(operator);
        }
        false
    }

    /// All wrong signs change sides, as long as they become fewer.
    fn together(&mut self, operator: &Operator, tolerance: f64) -> bool {
        let (mut fewest, mut lives) = (usize::MAX, LIVES);
        loop {
            self.close(operator, tolerance);
            let mut w = std::mem::take(&mut self.room[0]);
            self.motion(operator, &mut w);
            let wrong: Vec<usize> = (0..w.len())
                .filter(|i| self.is_row(*i))
                .filter(|i| if self.active[*i] { self.forces[*i] < 0.0 } else { w[*i] < -tolerance })
                .collect();
            self.room[0] = w;
            if wrong.is_empty() {
                return true;
            }
            if wrong.len() < fewest {
                (fewest, lives) = (wrong.len(), LIVES);
            } else if lives == 0 {
                return false;
            } else {
                lives -= 1;
            }
            for i in wrong {
                self.active[i] = !self.active[i];
            }
        }
    }

    /// Forces, of either sign, that close the gaps of what is active, by conjugate gradients from those at hand.
    fn close(&mut self, operator: &Operator, tolerance: f64) {
        let idle = self.forces.iter_mut().zip(&self.active).filter(|(_, active)| !**active);
        idle.for_each(|(force, _)| *force = 0.0);
        let near = Neighbours::new(operator, &self.active, &self.more);
        let [mut r, mut z, mut p, mut wp] = std::mem::take(&mut self.room);
        self.motion(operator, &mut r);
        let n = r.len();
        let leave = |r: &mut [f64], active: &[bool]| {
            r.iter_mut().zip(active).for_each(|(r, active)| *r = if *active { -*r } else { 0.0 });
        };
        leave(&mut r, &self.active);
        z.resize(n, 0.0);
        near.apply(&r, &mut z);
        p.clone_from(&z);
        let mut rz = dot(&r, &z);
        for _ in 0..STEPS {
            if r.iter().fold(0.0f64, |most, r| most.max(r.abs())) <= 0.1 * tolerance
                || rz.is_nan()
                || rz <= 0.0
            {
                break;
            }
            wp.clear();
            wp.extend(p.iter().zip(&self.more).map(|(p, more)| p * more));
            operator.add_product(&p, &mut wp);
            self.soften(operator, &mut wp);
            wp.iter_mut().zip(&self.active).filter(|(_, active)| !**active).for_each(|(w, _)| *w = 0.0);
            let bend = dot(&p, &wp);
            if bend.is_nan() || bend <= 0.0 {
                break;
            }
            let by = rz / bend;
            self.forces.iter_mut().zip(&p).for_each(|(f, p)| *f += by * p);
            r.iter_mut().zip(&wp).for_each(|(r, wp)| *r -= by * wp);
            near.apply(&r, &mut z);
            let next = dot(&r, &z);
            let beta = next / rz;
            rz = next;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
        }
        self.room = [r, z, p, wp];
    }

    /// Relaxes one force after another, and takes what presses then for what touches.
    fn sweep(&mut self, operator: &Operator) {
        for i in 0..self.forces.len() {
            if self.is_row(i) {
                self.forces[i] = self.forces[i].max(0.0);
            }
        }
        let mut w = std::mem::take(&mut self.room[0]);
        self.motion(operator, &mut w);
        for _ in 0..SWEEPS {
            for i in (0..w.len()).filter(|i| self.kinds[*i] != Kind::Soft) {
                let own = operator.diagonal(i) + self.more[i];
                let free = self.forces[i] - w[i] / own;
                let next = if self.is_row(i) { free.max(0.0) } else { free };
                let change = next - self.forces[i];
                if change != 0.0 {
                    operator.add_column(i, change, &mut w);
                    w[i] += self.more[i] * change;
                    self.forces[i] = next;
                }
            }
        }
        for i in 0..w.len() {
            self.active[i] = match self.kinds[i] {
                Kind::Row(_) => self.forces[i] > 0.0,
                Kind::Stiff => true,
                Kind::Soft => false,
            };
        }
        self.room[0] = w;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
