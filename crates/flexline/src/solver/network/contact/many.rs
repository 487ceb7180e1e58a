//! The Newton step of many bodies in motion that touch.
//!
//! Where inertia gives A an inverse without contacts, nothing of theirs has to be in it: W is that of the bodies alone
//! (`operator.rs`), and the forces of smooth contacts are the minimum of a convex form over forces that push (`bounded.rs`),
//!
//! ```text
//! w = W (λ − λ_0) + q ≥ 0,     λ ≥ 0,     w·λ = 0,     q = g + J x_0.
//! ```
//!
//! How two rods feel each other's motion beyond the normal, Vᵀ K V of `coupling.rs`, counts where it is not weak beside inertia. Rows
//! that the step would enter join, a round at a time.

use super::super::NetworkWorkspace;
use super::super::assemble::Residual;
use super::super::model::Network;
use super::super::state::NetworkState;
use super::Moves;
use super::bounded::{Kind, Programme};
use super::coupling::{self, Form};
use super::operator::{Direction, Operator};
use super::step::TOUCHING;
use crate::algebra::Vec3;

/// Rounds in which rows that are missed join.
const ROUNDS: usize = 20;
/// What is left of the gaps that a step finds, at most: Newton's method has no use for less.
const EXACT: f64 = 1e-5;
/// What a form may change of the motion that asks for it and be left out.
const WEAK: f64 = 0.02;

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
    for _ in 0..ROUNDS {
        for i in &join {
            let row = &ws.contacts.rows[*i];
            chosen[*i] = true;
            operator.add(Direction::new(row.pushes(row.normal)));
            programme.add(Kind::Row(*i), ahead[*i], row.force, 0.0);
        }
        operator.make(state, ws);
        for (form, way, value) in forms.drain(..) {
            if form.stiffness.abs() * operator.diagonal(way) > WEAK {
                let kind = if form.stiffness > 0.0 { Kind::Stiff } else { Kind::Soft };
                operator.add(Direction::new(form.pushes.into_iter()));
                programme.add(kind, value, 0.0, form.stiffness.abs());
            }
        }
        operator.make(state, ws);
        let tolerance = (EXACT * programme.largest_gap()).max(TOUCHING * longest);
        let is_solved = programme.solve(operator, tolerance);
        coupling::step(state, ws, residual, &operator.pushes(&programme.changes()));
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
    contacts.asked.clear();
    contacts.asked.resize(count, 0.0);
    contacts.asked_friction.clear();
    contacts.asked_friction.resize(count, Vec3::zeros());
    for (kind, force) in programme.forces() {
        if let Kind::Row(i) = kind {
            contacts.asked[i] = force;
        }
    }
    contacts.many = room;
}
