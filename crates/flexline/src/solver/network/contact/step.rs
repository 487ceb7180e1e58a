//! The Newton step of a network with contacts.
//!
//! With A for the matrix of everything but the contacts, J for the gradients of their gaps g and x_0 = −A⁻¹ r the step
//! without change of their forces, the forces μ of the step solve the linear complementarity problem
//!
//! ```text
//! w = g + J x_0 + W (μ − λ) ≥ 0,     μ ≥ 0,     w·μ = 0,     W = J A⁻¹ Jᵀ,
//! ```
//!
//! (with the ϱ of what presses in A, what holds has the force μ + ϱ g, and what lets go moves the less for it), the columns of W being made when a row is asked for: most that are watched touch nothing. It is the minimum of a convex
//! quadratic form over forces that push, found by active sets (C. L. Lawson, R. J. Hanson, *Solving Least Squares
//! Problems*, 1974, ch. 23).

use super::super::NetworkWorkspace;
use super::super::assemble::Residual;
use super::super::model::Network;
use super::super::newton::largest_turn;
use super::super::state::NetworkState;
use super::super::unsymmetric;
use super::{ContactRow, Push, coupling, rough};
use crate::algebra::Vec3;
use nalgebra::{DMatrix, DVector};

/// Rounds in which all rows that are missed join at once, before they join one by one.
const TOGETHER: usize = 12;
/// Penetration that counts as none, relative to the length.
pub(super) const TOUCHING: f64 = 1e-13;
/// Places of a span at which the length of a step is taken.
const LOOKS: usize = 32;
/// Rounds in all.
const MOST: usize = 1000;
/// Regularisation of W, relative to its largest entry: contacts may repeat each other.
const REDUNDANT: f64 = 1e-12;

/// Room for a step.
#[derive(Default)]
pub(in crate::solver) struct Room {
    /// Gaps after the step without change of forces.
    ahead: Vec<f64>,
    /// Columns of W, where they are known.
    columns: Vec<Option<Vec<f64>>>,
    active: Vec<bool>,
    pushes: Vec<Push>,
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
    coupling::prepare(state, ws, residual);
    coupling::step(state, ws, residual, &[]);
    let travel = travel(network, state, ws);
    ws.contacts.look_farther(network, state, travel);
    if ws.contacts.has_friction() {
        rough::with_friction(state, ws, residual);
        return;
    }
    let mut forces = std::mem::take(&mut ws.contacts.asked);
    forces.clear();
    with_contacts(state, ws, residual, &mut forces);
    ws.contacts.asked_friction.clear();
    ws.contacts.asked_friction.resize(forces.len(), Vec3::zeros());
    ws.contacts.asked = forces;
}

/// What contacts make of the step in the workspace; `forces` are those that it asks for.
fn with_contacts(
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
    let change = |ws: &NetworkWorkspace, i: usize| ws.contacts.rows[i].change(state, &ws.spans);
    room.ahead.clear();
    room.ahead.extend((0..count).map(|i| ws.contacts.rows[i].gap + change(ws, i)));
    room.columns.clear();
    room.columns.resize(count, None);
    room.active.clear();
    room.active.extend(ws.contacts.rows.iter().zip(&room.ahead).map(|(row, w)| row.force > 0.0 || *w < 0.0));
    forces.extend(ws.contacts.rows.iter().map(|row| row.force));
    let tolerance = TOUCHING * ws.longest();
    for rounds in 0..MOST {
        for i in 0..count {
            if room.columns[i].is_none() && (room.active[i] || ws.contacts.rows[i].force > 0.0) {
                room.columns[i] = Some(column(state, ws, residual, &room, i));
            }
        }
        let Room { ahead, columns, active, .. } = &mut room;
        let rows = &ws.contacts.rows;
        if let Some(least) = towards_minimum(ahead, columns, active, rows, forces) {
            active[least] = false;
            forces[least] = 0.0;
            continue;
        }
        let gap = |i: usize| {
            let moved = columns.iter().zip(rows).zip(forces.iter());
            let moved = moved.filter_map(|((c, row), force)| c.as_ref().map(|c| c[i] * (force - row.force)));
            ahead[i] + moved.sum::<f64>()
        };
        let mut violated: Vec<(usize, f64)> = (0..count)
            .filter(|i| !active[*i])
            .map(|i| (i, gap(i)))
            .filter(|(_, w)| *w < -tolerance)
            .collect();
        if violated.is_empty() {
            break;
        }
        // All at once where that leads on, and one by one where it does not.
        if rounds > TOGETHER {
            violated.sort_by(|a, b| a.1.total_cmp(&b.1));
            violated.truncate(1);
        }
        violated.into_iter().for_each(|(i, _)| active[i] = true);
    }
    let rows = &ws.contacts.rows;
    let mut changes: Vec<f64> =
        rows.iter().zip(forces.iter()).map(|(row, force)| force - row.force).collect();
    // What ϱ in the matrix has given back to those that hold.
    for ((row, force), active) in rows.iter().zip(forces.iter_mut()).zip(&room.active) {
        if *active {
            *force = (*force + row.regularisation * row.gap).max(0.0);
        }
    }
    let_go(&room, rows, tolerance, &mut changes, forces);
    if changes.iter().any(|change| *change != 0.0) {
        room.pushes.clear();
        for (row, change) in rows.iter().zip(&changes).filter(|(_, change)| **change != 0.0) {
            room.pushes.extend(row.pushes(row.normal * *change));
        }
        coupling::step(state, ws, residual, &room.pushes);
    }
    ws.contacts.step = room;
}

/// Moves `forces` towards those that close the gaps of active rows, up to the first that would pull: returns it.
fn towards_minimum(
    ahead: &[f64],
    columns: &[Option<Vec<f64>>],
    active: &[bool],
    rows: &[ContactRow],
    forces: &mut [f64],
) -> Option<usize> {
    let chosen: Vec<usize> = (0..ahead.len()).filter(|i| active[*i]).collect();
    if chosen.is_empty() {
        return None;
    }
    let w = |i: usize, j: usize| columns[j].as_ref().map_or(0.0, |c| c[i]);
    // Symmetric but for round-off.
    let mut matrix = DMatrix::from_fn(chosen.len(), chosen.len(), |r, c| {
        0.5 * (w(chosen[r], chosen[c]) + w(chosen[c], chosen[r]))
    });
    let largest = matrix.diagonal().amax();
    (0..chosen.len()).for_each(|r| matrix[(r, r)] += REDUNDANT * largest);
    let right = DVector::from_fn(chosen.len(), |r, _| {
        let i = chosen[r];
        let known: f64 = (0..rows.len()).map(|j| w(i, j) * rows[j].force).sum();
        known - ahead[i]
    });
    let solved = match matrix.clone().cholesky() {
        Some(factor) => factor.solve(&right),
        None => matrix.lu().solve(&right)?,
    };
    let mut first: Option<(usize, f64)> = None;
    for (r, &i) in chosen.iter().enumerate().filter(|(r, _)| solved[*r] <= 0.0) {
        let way = if forces[i] > 0.0 { forces[i] / (forces[i] - solved[r]) } else { 0.0 };
        if first.is_none_or(|(_, least)| way < least) {
            first = Some((i, way));
        }
    }
    let way = first.map_or(1.0, |(_, way)| way);
    for (r, &i) in chosen.iter().enumerate() {
        forces[i] += way * (solved[r] - forces[i]);
    }
    first.map(|(i, _)| i)
}

/// What lets go of its rod takes with it what it has put into the matrix, where the signs stay as they are: else the next
/// step does.
fn let_go(room: &Room, rows: &[ContactRow], tolerance: f64, changes: &mut [f64], forces: &mut [f64]) {
    let Room { ahead, columns, active, .. } = room;
    if !rows.iter().zip(active).any(|(row, active)| !active && row.regularisation > 0.0) {
        return;
    }
    let mut exact = vec![0.0; rows.len()];
    solve_exchanged(ahead, columns, active, rows, &mut exact);
    let sound = (0..rows.len()).all(|i| {
        if active[i] {
            return rows[i].known() + exact[i] >= 0.0;
        }
        let moved = columns.iter().zip(&exact).filter_map(|(c, change)| c.as_ref().map(|c| c[i] * change));
        ahead[i] + moved.sum::<f64>() >= -tolerance
    });
    if sound {
        changes.copy_from_slice(&exact);
        for (i, force) in forces.iter_mut().enumerate() {
            *force = if active[i] { rows[i].known() + exact[i] } else { 0.0 };
        }
    }
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
    let pressing: Vec<usize> =
        (0..ws.contacts.rows.len()).filter(|i| ws.contacts.rows[*i].force > 0.0).collect();
    if pressing.is_empty() {
        return negative;
    }
    coupling::prepare(state, ws, residual);
    let negative = negative + ws.contacts.coupling.negative();
    if negative == 0 {
        return 0;
    }
    coupling::step(state, ws, residual, &[]);
    let mut room = std::mem::take(&mut ws.contacts.step);
    room.ahead.clear();
    room.ahead.extend(ws.contacts.rows.iter().map(|row| row.gap + row.change(state, &ws.spans)));
    let columns: Vec<Vec<f64>> = pressing.iter().map(|i| column(state, ws, residual, &room, *i)).collect();
    ws.contacts.step = room;
    let w = DMatrix::from_fn(pressing.len(), pressing.len(), |r, c| {
        0.5 * (columns[c][pressing[r]] + columns[r][pressing[c]])
    });
    let held = w.symmetric_eigenvalues().iter().filter(|value| **value <= 0.0).count();
    negative.saturating_sub(held)
}

/// How far the step moves any place of an axis, or a share of it that turns nothing far, m.
fn travel(network: &Network, state: &NetworkState, ws: &NetworkWorkspace) -> f64 {
    let mut most = 0.0f64;
    for ((span, own), system) in network.spans.iter().zip(&state.spans).zip(&ws.spans) {
        if span.contact_radius > 0.0 {
            for k in 0..=LOOKS {
                most = most.max(system.kernel.moved(own, k as f64 / LOOKS as f64).norm());
            }
        }
    }
    let (turn, _) = largest_turn(ws);
    if most.is_finite() { most / turn.max(1.0) } else { 0.0 }
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
    let mut pushes = [Push { span: 0, share: 0.0, force: Vec3::zeros() }; 2];
    let mut count = 0;
    for push in row.pushes(row.normal) {
        pushes[count] = push;
        count += 1;
    }
    coupling::step(state, ws, residual, &pushes[..count]);
    let rows = ws.contacts.rows.iter().zip(&room.ahead);
    rows.map(|(row, ahead)| row.gap + row.change(state, &ws.spans) - ahead).collect()
}

/// Changes of all forces such that the gaps of active rows close. What lets go of its rod takes with it what it has put
/// into the matrix: a row with a regularisation ϱ there changes by −λ − ϱ g + ϱ w.
fn solve_exchanged(
    ahead: &[f64],
    columns: &[Option<Vec<f64>>],
    active: &[bool],
    rows: &[ContactRow],
    changes: &mut [f64],
) {
    changes.fill(0.0);
    let moving: Vec<usize> = (0..ahead.len()).filter(|i| columns[*i].is_some()).collect();
    if moving.is_empty() {
        return;
    }
    let mut matrix = DMatrix::zeros(moving.len(), moving.len());
    let mut right = DVector::zeros(moving.len());
    let largest = moving.iter().filter_map(|i| columns[*i].as_ref().map(|c| c[*i])).fold(0.0, f64::max);
    for (r, &i) in moving.iter().enumerate() {
        let row = &rows[i];
        let weight = if active[i] { 1.0 } else { -row.regularisation };
        for (c, &j) in moving.iter().enumerate() {
            if let Some(column) = &columns[j] {
                matrix[(r, c)] = weight * column[i];
            }
        }
        matrix[(r, r)] += if active[i] { REDUNDANT * largest } else { 1.0 };
        right[r] = -weight * ahead[i] - if active[i] { 0.0 } else { row.known() };
    }
    if let Some(solved) = matrix.lu().solve(&right) {
        moving.iter().enumerate().for_each(|(r, i)| changes[*i] = solved[r]);
    }
}
