//! The Newton step of a network with rough contacts.
//!
//! Every contact that may press has three rows, normal first. With u for gap and slip, r for the forces at hand and r⁺ for
//! those of the step, x_0 for the step without change of forces and ϱ for what rows have put into the matrix,
//!
//! ```text
//! u⁺ = u + J x_0 + W (p − r − ϱ u),     p = r⁺ + ϱ u⁺,     W = J A⁻¹ Jᵀ,
//! ```
//!
//! and r⁺, u⁺ obey Signorini's and Coulomb's law: a problem of [`cone`](crate::solver::cone), solved to the end in every step.
//! What is not chosen at first joins where the step would enter it.

use super::super::NetworkWorkspace;
use super::super::assemble::Residual;
use super::super::state::NetworkState;
use super::friction::Tangential;
use super::step::TOUCHING;
use super::{ContactRow, Contacts, Moves, Push, coupling};
use crate::algebra::Vec3;
use crate::solver::cone::{AugmentedProblem, AugmentedSolution, AugmentedWorkspace, solve_augmented};
use nalgebra::DMatrix;

/// Rounds in which rows that are missed join.
const ROUNDS: usize = 20;
/// Slip that counts as none, relative to the longest span: a hundredth of what an equilibrium may miss.
const FINEST: f64 = 1e-13;
/// Eigenvalues that count as none, relative to the largest.
const NOTHING: f64 = 1e-10;

/// Room for a step.
#[derive(Default)]
pub(super) struct RoughRoom {
    /// Gap and slip after the step without change of forces.
    ahead: Vec<Vec3>,
    /// How gap and slip of all rows change per newton along the three directions of a row, where that is known.
    columns: Vec<Option<[Vec<Vec3>; 3]>>,
    /// The rows that may press.
    chosen: Vec<usize>,
    solution: AugmentedSolution,
    cone: AugmentedWorkspace,
    /// Whether inertia holds what contacts do not.
    is_regular: bool,
    /// How far the step slides at most, m.
    pub(super) farthest: f64,
}

/// The directions of a row, normal first.
fn directions(row: &ContactRow) -> [Vec3; 3] {
    let [a, b] = Tangential::axes(&row.normal);
    [row.normal, a, b]
}

/// Gap and slip of a row after the step in the workspace.
fn after(row: &ContactRow, moves: &Moves) -> Vec3 {
    let gap = row.gap + row.change(moves);
    let Some(own) = &row.tangential else { return Vec3::new(gap, 0.0, 0.0) };
    let slip = own.slip + own.change(row, moves);
    let [a, b] = Tangential::axes(&row.normal);
    Vec3::new(gap, a.dot(&slip), b.dot(&slip))
}

/// r + ϱ u of a row, and its ϱ.
fn known(row: &ContactRow) -> (Vec3, Vec3) {
    let Some(own) = &row.tangential else {
        return (Vec3::x() * (row.force + row.regularisation * row.gap), Vec3::x() * row.regularisation);
    };
    let [a, b] = Tangential::axes(&row.normal);
    let force = Vec3::new(row.force, a.dot(&own.force), b.dot(&own.force));
    let motion = Vec3::new(row.gap, a.dot(&own.slip), b.dot(&own.slip));
    let rho = Vec3::new(row.regularisation, own.regularisation, own.regularisation);
    (force + motion.component_mul(&rho), rho)
}

/// What rough contacts make of the step in the workspace, and the forces that it asks for.
pub(super) fn with_friction(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    let count = ws.contacts.rows.len();
    let mut room = std::mem::take(&mut ws.contacts.rough);
    let mut forces = std::mem::take(&mut ws.contacts.asked);
    let mut frictions = std::mem::take(&mut ws.contacts.asked_friction);
    room.is_regular = ws.parts.is_some();
    look_ahead(state, ws, &mut room);
    room.chosen.clear();
    let rows = ws.contacts.rows.iter().zip(&room.ahead).enumerate();
    let may = rows.filter(|(_, (row, u))| row.force > 0.0 || row.regularisation > 0.0 || u.x < 0.0);
    room.chosen.extend(may.map(|(i, _)| i));
    let longest = ws.longest();
    let mut pushes = vec![Vec3::zeros(); count];
    let mut found = vec![Vec3::zeros(); count];
    for _ in 0..ROUNDS {
        for at in 0..room.chosen.len() {
            let i = room.chosen[at];
            if room.columns[i].is_none() {
                room.columns[i] = Some(columns(state, ws, residual, &room, i));
            }
        }
        solve(&ws.contacts.rows, &mut room, FINEST * longest, &mut found, &mut pushes);
        let gap = |i: usize| {
            let moved = room.chosen.iter().filter_map(|j| room.columns[*j].as_ref().map(|c| (j, c)));
            let moved = moved.map(|(j, c)| (0..3).map(|k| c[k][i].x * pushes[*j][k]).sum::<f64>());
            room.ahead[i].x + moved.sum::<f64>()
        };
        let missed: Vec<usize> =
            (0..count).filter(|i| !room.chosen.contains(i) && gap(*i) < -TOUCHING * longest).collect();
        if missed.is_empty() {
            break;
        }
        room.chosen.extend(missed);
    }
    forces.clear();
    forces.extend(found.iter().map(|r| r.x));
    frictions.clear();
    frictions.extend(ws.contacts.rows.iter().zip(&found).map(|(row, r)| {
        let [a, b] = Tangential::axes(&row.normal);
        a * r.y + b * r.z
    }));
    if pushes.iter().any(|push| *push != Vec3::zeros()) {
        let mut all = Vec::new();
        for (row, push) in ws.contacts.rows.iter().zip(&pushes) {
            let own = (0..3).filter(|c| push[*c] != 0.0);
            all.extend(own.flat_map(|c| pushes_along(row, c, push[c])));
        }
        coupling::step(state, ws, residual, &all);
    }
    (ws.contacts.asked, ws.contacts.asked_friction, ws.contacts.rough) = (forces, frictions, room);
}

/// Takes gap and slip from the step in the workspace, and forgets all columns.
fn look_ahead(state: &NetworkState, ws: &NetworkWorkspace, room: &mut RoughRoom) {
    room.ahead.clear();
    room.ahead.extend(ws.contacts.rows.iter().map(|row| after(row, &Moves::of(state, ws))));
    room.columns.clear();
    room.columns.resize(room.ahead.len(), None);
}

/// The forces on both sides of a force along one direction of a row, normal first; friction has places of its own.
fn pushes_along(row: &ContactRow, direction: usize, force: f64) -> impl Iterator<Item = Push> {
    let force = directions(row)[direction] * force;
    let [first, second] = if direction == 0 { row.places() } else { row.friction_places() };
    first.map(|place| place.push(force)).into_iter().chain(second.map(|place| place.push(-force)))
}

/// How all rows change per newton along the directions of row `i`.
fn columns(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    room: &RoughRoom,
    i: usize,
) -> [Vec<Vec3>; 3] {
    let row = ws.contacts.rows[i];
    [0, 1, 2].map(|c| {
        if c > 0 && row.tangential.is_none() {
            return vec![Vec3::zeros(); room.ahead.len()];
        }
        let pushes: Vec<Push> = pushes_along(&row, c, 1.0).collect();
        coupling::step(state, ws, residual, &pushes);
        let (moves, rows) = (Moves::of(state, ws), ws.contacts.rows.iter().zip(&room.ahead));
        rows.map(|(row, ahead)| after(row, &moves) - ahead).collect()
    })
}

/// W of some rows: symmetric but for round-off.
fn delassus(rows: &[ContactRow], room: &RoughRoom, chosen: &[usize]) -> DMatrix<f64> {
    let entry = |r: usize, c: usize| {
        let (i, j) = (chosen[r / 3], chosen[c / 3]);
        room.columns[j].as_ref().map_or(0.0, |column| column[c % 3][i][r % 3])
    };
    let n = 3 * chosen.len();
    let mut w = DMatrix::from_fn(n, n, |r, c| 0.5 * (entry(r, c) + entry(c, r)));
    // What is smooth has no friction, whatever it moves.
    let largest = w.diagonal().amax();
    let smooth = |r: &usize| !r.is_multiple_of(3) && rows[chosen[r / 3]].tangential.is_none();
    (0..n).filter(smooth).for_each(|r| w[(r, r)] = largest);
    w
}

/// Forces of the chosen rows by the law, and what they push with besides what the step knows of.
fn solve(rows: &[ContactRow], room: &mut RoughRoom, finest: f64, found: &mut [Vec3], pushes: &mut [Vec3]) {
    found.fill(Vec3::zeros());
    pushes.fill(Vec3::zeros());
    let w = delassus(rows, room, &room.chosen);
    let RoughRoom { ahead, chosen, solution, cone, farthest, is_regular, .. } = room;
    let (known, stiffness): (Vec<Vec3>, Vec<Vec3>) = chosen.iter().map(|i| known(&rows[*i])).unzip();
    let free: Vec<Vec3> = (0..chosen.len())
        .map(|k| {
            let moved = |c: usize| {
                (0..3 * chosen.len()).map(|j| w[(j, 3 * k + c)] * known[j / 3][j % 3]).sum::<f64>()
            };
            ahead[chosen[k]] - Vec3::new(moved(0), moved(1), moved(2))
        })
        .collect();
    let friction: Vec<f64> =
        chosen.iter().map(|i| rows[*i].tangential.map_or(0.0, |own| own.friction)).collect();
    let sticks: Vec<bool> = chosen.iter().map(|i| rows[*i].sticks_well()).collect();
    solution.augmented.clone_from(&known);
    let problem = AugmentedProblem {
        delassus: &w,
        free: &free,
        stiffness: &stiffness,
        friction: &friction,
        sticks: &sticks,
        finest,
        is_regular: *is_regular,
    };
    solve_augmented(&problem, solution, cone);
    *farthest = 0.0;
    for (k, i) in chosen.iter().enumerate() {
        found[*i] = solution.forces[k];
        pushes[*i] = solution.augmented[k] - known[k];
        if found[*i].x > 0.0 {
            *farthest = farthest.max(solution.motion[k].y.hypot(solution.motion[k].z));
        }
    }
}

/// Number of directions that release energy while normals and what sticks are held and what slides keeps its force, where
/// the matrix of the last factorisation has so many `negative` ones. With D = 1/ϱ of rows that slide, which are in that
/// matrix and must not be, and m rows that hold, that is the number of negative eigenvalues of D − W more, less m (Gould's
/// count and Haynsworth's).
pub(super) fn released(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    negative: usize,
) -> usize {
    coupling::prepare(state, ws, residual);
    let negative = negative + ws.contacts.coupling.negative();
    coupling::step(state, ws, residual, &[]);
    let mut room = std::mem::take(&mut ws.contacts.rough);
    look_ahead(state, ws, &mut room);
    let pressing: Vec<usize> =
        (0..ws.contacts.rows.len()).filter(|i| ws.contacts.rows[*i].regularisation > 0.0).collect();
    for i in &pressing {
        room.columns[*i] = Some(columns(state, ws, residual, &room, *i));
    }
    let rows = &ws.contacts.rows;
    let all = delassus(rows, &room, &pressing);
    let slides =
        |r: usize| rows[pressing[r / 3]].tangential.is_some_and(|own| !r.is_multiple_of(3) && !own.sticks);
    let counts = |r: &usize| r.is_multiple_of(3) || rows[pressing[*r / 3]].tangential.is_some();
    let kept: Vec<usize> = (0..3 * pressing.len()).filter(counts).collect();
    let held = kept.iter().filter(|r| !slides(**r)).count();
    let form = DMatrix::from_fn(kept.len(), kept.len(), |r, c| {
        let own =
            if r == c && slides(kept[r]) { 1.0 / rows[pressing[kept[r] / 3]].regularisation } else { 0.0 };
        own - all[(kept[r], kept[c])]
    });
    ws.contacts.rough = room;
    let values = form.symmetric_eigenvalues();
    let least = NOTHING * values.amax();
    let below = values.iter().filter(|value| **value < -least).count();
    // Rows that repeat each other hold nothing twice.
    let repeated = values.iter().filter(|value| value.abs() <= least).count();
    (negative + below).saturating_sub(held.saturating_sub(repeated))
}

impl Contacts {
    /// Whether any row has friction.
    pub(in crate::solver) fn has_friction(&self) -> bool {
        self.rows.iter().any(|row| row.tangential.is_some())
    }

    /// Work of rough contacts over slip that counts as none, J, with the longest span: less tells no step from another.
    pub(in crate::solver) fn noise(&self, longest: f64) -> f64 {
        let rough = self.rows.iter().filter(|row| row.tangential.is_some());
        FINEST * longest * rough.map(|row| row.force).sum::<f64>()
    }

    /// Whether the step slides farther than a length: nothing holds it.
    pub(in crate::solver) fn runs_away(&self, length: f64) -> bool {
        self.has_friction() && self.rough.farthest > length
    }
}
