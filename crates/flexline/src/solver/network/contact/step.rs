//! The Newton step of a network with contacts.
//!
//! With A for the matrix of everything but the contacts, J for the gradients of their gaps g and x_0 = −A⁻¹ r the step
//! without change of their forces, the forces μ of the step solve
//!
//! ```text
//! w = g + J x_0 + W (μ − λ) ≥ 0,     μ ≥ 0,     w·μ = 0,     W = J A⁻¹ Jᵀ
//! ```
//!
//! (`lcp.rs`). A holds ϱ nnᵀ of what presses, D in all, and A − Jᵀ D J is what is meant. Its W follows from that of A,
//!
//! ```text
//! W + W S⁻¹ W,     S = D⁻¹ − W,
//! ```
//!
//! S being positive definite exactly where A − Jᵀ D J is. Where it is not, the least share of D stays in A with which it is:
//! then what holds has the force μ + ϱ g, and what lets go moves the less for it.

use super::super::NetworkWorkspace;
use super::super::assemble::Residual;
use super::super::model::Network;
use super::super::newton::largest_turn;
use super::super::state::NetworkState;
use super::super::unsymmetric;
use super::body::Place;
use super::detect::Travel;
use super::{ContactRow, Moves, Push, coupling, lcp, many, rough};
use crate::algebra::Vec3;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Penetration that counts as none, relative to the length.
pub(super) const TOUCHING: f64 = 1e-13;
/// Places of a span at which the length of a step is taken.
const LOOKS: usize = 32;
/// Shares of ϱ that may stay in the matrix, least first.
const SHARES: [f64; 6] = [0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// Room for a step.
#[derive(Default)]
pub(in crate::solver) struct Room {
    /// Gaps after the step without change of forces.
    ahead: Vec<f64>,
    /// b of the complementarity problem.
    right: Vec<f64>,
    /// Columns of J A⁻¹ Jᵀ, where they are known.
    plain: Vec<Option<Vec<f64>>>,
    /// Columns of W without what is taken back.
    columns: Vec<Option<Vec<f64>>>,
    taken_back: Option<TakenBack>,
    pushes: Vec<Push>,
}

/// What is taken back of the regularisation in the matrix.
struct TakenBack {
    /// The rows that have any.
    rows: Vec<usize>,
    /// Factor of S.
    factor: Cholesky<f64, Dyn>,
    /// The share that stays.
    stays: f64,
}

/// Solves for the step of every span and of the reduced unknowns, and for the forces of contacts that it asks for.
pub(in crate::solver) fn step(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
) {
    if !network.has_contact() {
        unsymmetric::step(state, ws, residual);
        return;
    }
    if ws.contacts.is_many {
        coupling::leave_out(ws);
    } else {
        coupling::prepare(state, ws, residual);
    }
    coupling::step(state, ws, residual, &[]);
    look_farther(network, state, ws);
    if ws.contacts.is_many {
        many::step(network, state, ws, residual);
        return;
    }
    if ws.contacts.has_friction() {
        rough::with_friction(state, ws, residual);
        return;
    }
    let mut forces = std::mem::take(&mut ws.contacts.asked);
    forces.clear();
    with_contacts(network, state, ws, residual, &mut forces);
    ws.contacts.asked_friction.clear();
    ws.contacts.asked_friction.resize(forces.len(), Vec3::zeros());
    ws.contacts.asked = forces;
}

/// Whether the form of the next step is that of a minimum, where the matrix of the last factorisation has so many `negative` directions.
pub(in crate::solver) fn is_minimum(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    negative: usize,
) -> bool {
    coupling::is_minimum(state, ws, residual, negative)
}

/// What couples spans is in the next step with all of it, whether that is one to a minimum or not.
pub(in crate::solver) fn take_whole(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    if !ws.contacts.is_many && !ws.contacts.has_friction() {
        coupling::prepare_whole(state, ws, residual, 0);
        ws.contacts.coupling.set_ready();
    }
}

/// What contacts make of the step in the workspace; `forces` are those that it asks for.
fn with_contacts(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    forces: &mut Vec<f64>,
) {
    let count = ws.contacts.rows.len();
    if count == 0 {
        return;
    }
    let mut room = std::mem::take(&mut ws.contacts.step);
    room.begin(state, ws);
    let tolerance = TOUCHING * ws.longest();
    let mut programme = Programme { state, ws, residual, room: &mut room };
    programme.take_back();
    programme.find_right();
    programme.leave_out_held_ends(network);
    // What presses already keeps most others from being entered.
    let mut active: Vec<bool> =
        rows_of(programme.ws).map(|row| row.force > 0.0 && !row.is_held_end(network)).collect();
    forces.extend(rows_of(programme.ws).map(|row| row.force));
    lcp::solve(&mut programme, tolerance, forces, &mut active);
    let changes: Vec<f64> =
        rows_of(programme.ws).zip(forces.iter()).map(|(row, force)| force - row.force).collect();
    let more = programme.push(changes, &active);
    let stays = room.taken_back.as_ref().map_or(1.0, |own| own.stays);
    // What ϱ in the matrix has given back to those that hold.
    for (i, row) in ws.contacts.rows.iter().enumerate().filter(|(i, _)| active[*i]) {
        forces[i] = (forces[i] + more[i] + stays * row.held_with() * row.gap).max(0.0);
    }
    ws.contacts.step = room;
}

/// The complementarity problem of a step.
struct Programme<'a> {
    state: &'a NetworkState,
    ws: &'a mut NetworkWorkspace,
    residual: &'a Residual,
    room: &'a mut Room,
}

impl Room {
    /// Takes the gaps from the step in the workspace, and forgets all columns.
    fn begin(&mut self, state: &NetworkState, ws: &NetworkWorkspace) {
        let rows = &ws.contacts.rows;
        self.ahead.clear();
        self.ahead.extend(rows.iter().map(|row| row.gap + row.change(&Moves::of(state, ws))));
        for columns in [&mut self.plain, &mut self.columns] {
            columns.clear();
            columns.resize(rows.len(), None);
        }
        self.taken_back = None;
    }
}

impl TakenBack {
    /// S⁻¹ of what all rows have.
    fn solve(&self, values: impl Fn(usize) -> f64) -> DVector<f64> {
        self.factor.solve(&DVector::from_fn(self.rows.len(), |r, _| values(self.rows[r])))
    }
}

impl Programme<'_> {
    /// Finds how much of the regularisation can be taken back from the matrix.
    fn take_back(&mut self) {
        let rows = &self.ws.contacts.rows;
        let own: Vec<usize> = (0..rows.len()).filter(|i| rows[*i].held_with() > 0.0).collect();
        if own.is_empty() {
            return;
        }
        let rho: Vec<f64> = own.iter().map(|i| rows[*i].held_with()).collect();
        for i in &own {
            self.room.plain[*i] = Some(column(self.state, self.ws, self.residual, self.room, *i));
        }
        let plain = |i: usize, j: usize| self.room.plain[j].as_ref().map_or(0.0, |c| c[i]);
        let w = DMatrix::from_fn(own.len(), own.len(), |r, c| {
            0.5 * (plain(own[r], own[c]) + plain(own[c], own[r]))
        });
        let factor = |stays: f64| {
            let mut s = -&w;
            rho.iter().enumerate().for_each(|(r, rho)| s[(r, r)] += 1.0 / (rho * (1.0 - stays)));
            Cholesky::new(s)
        };
        // Where nearly nothing would keep it a minimum, somewhat more is left in.
        let found = SHARES.iter().position(|stays| factor(*stays).is_some());
        let stays = match found {
            Some(0) => 0.0,
            Some(k) if k + 1 < SHARES.len() => SHARES[k + 1],
            _ => return,
        };
        self.room.taken_back = factor(stays).map(|factor| TakenBack { rows: own, factor, stays });
    }

    /// b = W λ − g − J x_0.
    fn find_right(&mut self) {
        let pressing: Vec<bool> = self.ws.contacts.rows.iter().map(|row| row.force > 0.0).collect();
        lcp::Rows::make(self, &pressing);
        let Self { ws, room, .. } = self;
        let rows = &ws.contacts.rows;
        let mut right: Vec<f64> = room.ahead.iter().map(|ahead| -ahead).collect();
        if let Some(own) = &room.taken_back {
            let back = own.solve(|i| room.ahead[i] - rows[i].gap);
            add(&room.plain, own.rows.iter().copied().zip(back.iter().map(|back| -back)), &mut right);
        }
        add(&room.columns, rows.iter().map(|row| row.force).enumerate(), &mut right);
        room.right = right;
    }

    /// No force moves an end that is held in place: there is none to be found.
    fn leave_out_held_ends(&mut self, network: &Network) {
        for (row, right) in self.ws.contacts.rows.iter().zip(&mut self.room.right) {
            if row.is_held_end(network) {
                *right = f64::NEG_INFINITY;
            }
        }
    }

    /// Takes the step with these `changes` of forces, and returns what was added to them: S loses digits where ϱ is much
    /// stiffer than the rod, which a second look at the step gives back.
    fn push(&mut self, mut changes: Vec<f64>, active: &[bool]) -> Vec<f64> {
        let gaps: Vec<f64> = rows_of(self.ws).map(|row| row.gap).collect();
        let mut back = self.room.taken_back.as_ref().map(|own| {
            let mut moved: Vec<f64> =
                self.room.ahead.iter().zip(&gaps).map(|(ahead, gap)| ahead - gap).collect();
            add(&self.room.plain, changes.iter().copied().enumerate(), &mut moved);
            own.solve(|i| moved[i])
        });
        self.step(&changes, back.as_ref());
        let Some(own) = &self.room.taken_back else { return vec![0.0; gaps.len()] };
        let Some(back) = &mut back else { return vec![0.0; gaps.len()] };
        let rows = &self.ws.contacts.rows;
        let moved: Vec<f64> = rows.iter().map(|row| row.change(&Moves::of(self.state, self.ws))).collect();
        let mut meant = moved.clone();
        for (i, back) in own.rows.iter().zip(back.iter()) {
            meant[*i] -= back / (rows[*i].held_with() * (1.0 - own.stays));
        }
        let missed = own.solve(|i| meant[i]);
        let mut right: Vec<f64> = gaps.iter().zip(&moved).map(|(gap, moved)| -gap - moved).collect();
        add(&self.room.plain, own.rows.iter().copied().zip(missed.iter().map(|back| -back)), &mut right);
        let Some(more) = lcp::closed(self, active, &right) else { return vec![0.0; gaps.len()] };
        let mut moved = vec![0.0; gaps.len()];
        add(&self.room.plain, more.iter().copied().enumerate(), &mut moved);
        *back += missed + own.solve(|i| moved[i]);
        changes.iter_mut().zip(&more).for_each(|(change, more)| *change += more);
        let back = back.clone();
        self.step(&changes, Some(&back));
        more
    }

    /// Takes the step with these changes of forces, and with what is taken `back`.
    fn step(&mut self, changes: &[f64], back: Option<&DVector<f64>>) {
        let mut all = changes.to_vec();
        if let (Some(own), Some(back)) = (&self.room.taken_back, back) {
            own.rows.iter().zip(back.iter()).for_each(|(i, back)| all[*i] += back);
        }
        self.room.pushes.clear();
        for (row, change) in rows_of(self.ws).zip(&all).filter(|(_, change)| **change != 0.0) {
            self.room.pushes.extend(row.pushes(row.normal * *change));
        }
        coupling::step(self.state, self.ws, self.residual, &self.room.pushes);
    }
}

/// The rows of the contacts.
fn rows_of(ws: &NetworkWorkspace) -> std::slice::Iter<'_, ContactRow> {
    ws.contacts.rows.iter()
}

/// Adds columns times their numbers.
fn add(columns: &[Option<Vec<f64>>], numbers: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) {
    for (i, number) in numbers.filter(|(_, number)| *number != 0.0) {
        let Some(column) = &columns[i] else { continue };
        out.iter_mut().zip(column).for_each(|(out, c)| *out += c * number);
    }
}

impl lcp::Rows for Programme<'_> {
    fn right(&self) -> &[f64] {
        &self.room.right
    }

    fn make(&mut self, chosen: &[bool]) {
        for i in (0..chosen.len()).filter(|i| chosen[*i]) {
            if self.room.columns[i].is_some() {
                continue;
            }
            if self.room.plain[i].is_none() {
                self.room.plain[i] = Some(column(self.state, self.ws, self.residual, self.room, i));
            }
            let Some(mut made) = self.room.plain[i].clone() else { continue };
            if let Some(own) = &self.room.taken_back {
                let back = own.solve(|k| made[k]);
                add(&self.room.plain, own.rows.iter().copied().zip(back.iter().copied()), &mut made);
            }
            self.room.columns[i] = Some(made);
        }
    }

    fn column(&self, i: usize) -> &[f64] {
        self.room.columns[i].as_deref().unwrap_or(&[])
    }
}

/// Solves for the step that moves nothing that presses along its normal. `None` where their forces are not told apart.
pub(in crate::solver) fn held_step(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
) -> Option<()> {
    coupling::prepare_whole(state, ws, residual, 0);
    coupling::step(state, ws, residual, &[]);
    let (pressing, mut room) = (pressing(ws), std::mem::take(&mut ws.contacts.step));
    if pressing.is_empty() {
        ws.contacts.step = room;
        return Some(());
    }
    room.begin(state, ws);
    let moved: Vec<f64> = pressing.iter().map(|i| room.ahead[*i] - ws.contacts.rows[*i].gap).collect();
    let w = compliance(state, ws, residual, &room, &pressing);
    let held = w.lu().solve(&-DVector::from_vec(moved));
    room.pushes.clear();
    for (i, force) in pressing.iter().zip(held.iter().flat_map(|held| held.iter())) {
        let row = ws.contacts.rows[*i];
        room.pushes.extend(row.pushes(row.normal * *force));
    }
    coupling::step(state, ws, residual, &room.pushes);
    ws.contacts.step = room;
    held.map(|_| ())
}

/// The rows that press.
fn pressing(ws: &NetworkWorkspace) -> Vec<usize> {
    (0..ws.contacts.rows.len()).filter(|i| ws.contacts.rows[*i].force > 0.0).collect()
}

/// W of some rows; the step in the workspace is another afterwards.
fn compliance(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    room: &Room,
    rows: &[usize],
) -> DMatrix<f64> {
    let columns: Vec<Vec<f64>> = rows.iter().map(|i| column(state, ws, residual, room, *i)).collect();
    DMatrix::from_fn(rows.len(), rows.len(), |r, c| 0.5 * (columns[c][rows[r]] + columns[r][rows[c]]))
}

/// Number of directions that release energy and that contacts leave free, where the matrix of the last factorisation has
/// so many `negative` ones: with m rows of full rank that is the inertia of the bordered matrix, less m (N. I. M. Gould,
/// Math. Programming 32 (1985) 90–99).
pub(in crate::solver) fn released(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    negative: usize,
) -> usize {
    if ws.contacts.is_rough() {
        return rough::released(state, ws, residual, negative);
    }
    let pressing = pressing(ws);
    if pressing.is_empty() {
        return negative;
    }
    coupling::prepare_whole(state, ws, residual, negative);
    let negative = ws.contacts.coupling.negative();
    if negative == 0 {
        return 0;
    }
    coupling::step(state, ws, residual, &[]);
    let mut room = std::mem::take(&mut ws.contacts.step);
    room.begin(state, ws);
    let w = compliance(state, ws, residual, &room, &pressing);
    ws.contacts.step = room;
    let held = w.symmetric_eigenvalues().iter().filter(|value| **value <= 0.0).count();
    negative.saturating_sub(held)
}

/// Watches what the step may reach, or a share of it that turns nothing far.
fn look_farther(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace) {
    let (turn, _) = largest_turn(ws);
    let mut contacts = std::mem::take(&mut ws.contacts);
    let moves = Moves::of(state, ws);
    let far = |way: Vec3| {
        let way = way.norm() / turn.max(1.0);
        if way.is_finite() { way } else { 0.0 }
    };
    let at = |k: usize, share: f64| far(moves.at(Place::Span(k, share)));
    let of_part = |anchor: usize, lever: Vec3| far(moves.at(Place::Anchor(anchor, lever)));
    let most = |k: usize| {
        let looks = if network.spans[k].contact_radius > 0.0 { 0..LOOKS + 1 } else { 0..0 };
        looks.map(|i| at(k, i as f64 / LOOKS as f64)).fold(0.0, f64::max)
    };
    let most: Vec<f64> = (0..network.spans.len()).map(most).collect();
    contacts.look_farther(network, state, &Travel { most: &most, at: &at, of_part: &of_part });
    ws.contacts = contacts;
}

/// How every row changes per newton at row `i`.
fn column(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    room: &Room,
    i: usize,
) -> Vec<f64> {
    let row = ws.contacts.rows[i];
    let mut pushes = [Push::NONE; 2];
    let mut count = 0;
    for push in row.pushes(row.normal) {
        pushes[count] = push;
        count += 1;
    }
    coupling::step(state, ws, residual, &pushes[..count]);
    let (moves, rows) = (Moves::of(state, ws), ws.contacts.rows.iter().zip(&room.ahead));
    rows.map(|(row, ahead)| row.gap + row.change(&moves) - ahead).collect()
}
