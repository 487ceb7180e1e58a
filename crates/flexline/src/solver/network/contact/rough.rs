//! The Newton step of a network with rough contacts.
//!
//! Every contact that may press has three rows, normal first; with u for gap and slip, r for the forces at hand and those
//! of the step r⁺, and x_0 for the step without change of forces,
//!
//! ```text
//! u⁺ = u + J x_0 + W (r⁺ − r − ϱ u),     W = J A⁻¹ Jᵀ,
//! ```
//!
//! and r⁺, u⁺ obey Signorini's and Coulomb's law: the problem of [`cone`](crate::solver::cone), solved to the end in every
//! step. ϱ, of rows that press or stick, holds u⁺ = 0 there. Rows that let go or begin to slide take their ϱ out of W again
//! (Woodbury), where what is left still holds: with D for that of theirs,
//!
//! ```text
//! W ← W + W_S (D⁻¹ − W_SS)⁻¹ W_Sᵀ.
//! ```

use super::super::NetworkWorkspace;
use super::super::assemble::Residual;
use super::super::state::NetworkState;
use super::friction::Tangential;
use super::step::TOUCHING;
use super::{ContactRow, Contacts, Push, coupling};
use crate::algebra::Vec3;
use crate::solver::cone::{self, ConeProblem, ConeSettings, ConeSolution, ConeWorkspace, Delassus};
use nalgebra::{DMatrix, DVector};

/// Rounds in which rows that are missed join.
const ROUNDS: usize = 20;
/// Rounds in which ϱ is taken out of W.
const EXCHANGES: usize = 4;
/// Compliance with which forces are held at those at hand, relative to W_kk: contacts may repeat each other, and what
/// cannot stretch leaves open which of them holds it.
const PROXIMAL: f64 = 1e-6;
/// Largest residual of the law, relative to the forces.
const TOLERANCE: f64 = 1e-11;
/// Sweeps and Newton steps of one problem.
const MOST: usize = 300;

/// Room for a step.
#[derive(Default)]
pub(super) struct RoughRoom {
    /// Gap and slip after the step without change of forces.
    ahead: Vec<Vec3>,
    /// How gap and slip of all rows change per newton along the three directions of a row, where that is known.
    columns: Vec<Option<[Vec<Vec3>; 3]>>,
    /// The rows that may press.
    chosen: Vec<usize>,
    solution: ConeSolution,
    cone: ConeWorkspace,
}

/// The directions of a row, normal first, and where they act.
fn directions(row: &ContactRow) -> ([Vec3; 3], [f64; 3]) {
    let [a, b] = Tangential::axes(&row.normal);
    let share = row.tangential.map_or(row.share, |own| own.share);
    ([row.normal, a, b], [row.share, share, share])
}

/// Gap and slip of a row after the step in the workspace.
fn after(row: &ContactRow, state: &NetworkState, ws: &NetworkWorkspace) -> Vec3 {
    let gap = row.gap + row.change(state, &ws.spans);
    let Some(own) = &row.tangential else { return Vec3::new(gap, 0.0, 0.0) };
    let slip = own.slip + own.change(row, state, &ws.spans);
    let [a, b] = Tangential::axes(&row.normal);
    Vec3::new(gap, a.dot(&slip), b.dot(&slip))
}

/// Forces of a row and what W knows nothing of: those, and ϱ times gap and slip; ϱ itself.
fn known(row: &ContactRow) -> (Vec3, Vec3, Vec3) {
    let Some(own) = &row.tangential else {
        return (Vec3::x() * row.force, Vec3::x() * row.known(), Vec3::x() * row.regularisation);
    };
    let [a, b] = Tangential::axes(&row.normal);
    let force = Vec3::new(row.force, a.dot(&own.force), b.dot(&own.force));
    let motion = Vec3::new(row.gap, a.dot(&own.slip), b.dot(&own.slip));
    let rho = Vec3::new(row.regularisation, own.regularisation, own.regularisation);
    (force, force + motion.component_mul(&rho), rho)
}

/// What rough contacts make of the step in the workspace, and the forces that it asks for.
pub(super) fn with_friction(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    let count = ws.contacts.rows.len();
    let mut room = std::mem::take(&mut ws.contacts.rough);
    let mut forces = std::mem::take(&mut ws.contacts.asked);
    let mut frictions = std::mem::take(&mut ws.contacts.asked_friction);
    room.ahead.clear();
    room.ahead.extend(ws.contacts.rows.iter().map(|row| after(row, state, ws)));
    room.columns.clear();
    room.columns.resize(count, None);
    room.chosen.clear();
    let rows = ws.contacts.rows.iter().zip(&room.ahead).enumerate();
    let may = rows.filter(|(_, (row, u))| row.force > 0.0 || row.regularisation > 0.0 || u.x < 0.0);
    room.chosen.extend(may.map(|(i, _)| i));
    let tolerance = TOUCHING * ws.longest();
    let mut pushes = vec![Vec3::zeros(); count];
    let mut found = vec![Vec3::zeros(); count];
    for _ in 0..ROUNDS {
        for at in 0..room.chosen.len() {
            let i = room.chosen[at];
            if room.columns[i].is_none() {
                room.columns[i] = Some(columns(state, ws, residual, &room, i));
            }
        }
        solve(&ws.contacts.rows, &mut room, &mut found, &mut pushes);
        let gap = |i: usize| {
            let moved = room.chosen.iter().filter_map(|j| room.columns[*j].as_ref().map(|c| (j, c)));
            let moved = moved.map(|(j, c)| (0..3).map(|k| c[k][i].x * pushes[*j][k]).sum::<f64>());
            room.ahead[i].x + moved.sum::<f64>()
        };
        let missed: Vec<usize> =
            (0..count).filter(|i| !room.chosen.contains(i) && gap(*i) < -tolerance).collect();
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

/// The forces on spans of a force along one direction of a row, normal first.
fn pushes_along(row: &ContactRow, direction: usize, force: f64) -> impl Iterator<Item = Push> {
    let (directions, shares) = directions(row);
    let force = directions[direction] * force;
    // Friction acts on spans alone, at places of its own.
    let along = Push { span: row.key.span, share: shares[direction], force };
    let across = (direction == 0).then(|| row.pushes(force));
    across.into_iter().flatten().chain((direction > 0).then_some(along))
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
        let rows = ws.contacts.rows.iter().zip(&room.ahead);
        rows.map(|(row, ahead)| after(row, state, ws) - ahead).collect()
    })
}

/// Forces of the chosen rows by the law, and what they push with besides what the step knows of.
fn solve(rows: &[ContactRow], room: &mut RoughRoom, found: &mut [Vec3], pushes: &mut [Vec3]) {
    found.fill(Vec3::zeros());
    pushes.fill(Vec3::zeros());
    let RoughRoom { ahead, columns, chosen, solution, cone } = room;
    let m = chosen.len();
    if m == 0 {
        return;
    }
    let entry = |r: usize, c: usize| {
        let (i, j) = (chosen[r / 3], chosen[c / 3]);
        columns[j].as_ref().map_or(0.0, |column| column[c % 3][i][r % 3])
    };
    // Symmetric but for round-off.
    let mut w = DMatrix::from_fn(3 * m, 3 * m, |r, c| 0.5 * (entry(r, c) + entry(c, r)));
    let largest = w.diagonal().amax();
    let smooth = |r: usize| r % 3 > 0 && rows[chosen[r / 3]].tangential.is_none();
    (0..3 * m).filter(|r| smooth(*r)).for_each(|r| w[(r, r)] = largest);
    let known: Vec<(Vec3, Vec3, Vec3)> = chosen.iter().map(|i| known(&rows[*i])).collect();
    let whole = DVector::from_fn(3 * m, |r, _| known[r / 3].1[r % 3]);
    let free = DVector::from_fn(3 * m, |r, _| ahead[chosen[r / 3]][r % 3]) - &w * &whole;
    let friction: Vec<f64> =
        chosen.iter().map(|i| rows[*i].tangential.map_or(0.0, |own| own.friction)).collect();
    solution.forces.clear();
    solution.forces.extend(known.iter().map(|(force, ..)| *force));
    let mut out = vec![false; 3 * m];
    let proximal = |w: &mut DMatrix<f64>, q: &mut DVector<f64>| {
        for r in 0..3 * m {
            let pull = PROXIMAL * w[(r, r)];
            w[(r, r)] += pull;
            q[r] -= pull * known[r / 3].0[r % 3];
        }
    };
    let (mut now, mut q) = (w.clone(), free.clone());
    for _ in 0..=EXCHANGES {
        proximal(&mut now, &mut q);
        let each: Vec<Vec3> = (0..m).map(|k| Vec3::new(q[3 * k], q[3 * k + 1], q[3 * k + 2])).collect();
        let problem = ConeProblem { delassus: Delassus::Dense(&now), free: &each, friction: &friction };
        let settings = ConeSettings { tolerance: TOLERANCE, most_iterations: MOST, ..Default::default() };
        if cone::solve(&problem, solution, cone, &settings).is_err() {
            // What is no number is told by the step.
            break;
        }
        let mut more = false;
        for k in 0..m {
            let (r, mu) = (solution.forces[k], friction[k]);
            let lets_go = r.x <= 0.0;
            let slides = lets_go || r.y.hypot(r.z) >= mu * r.x * (1.0 - 1e-12);
            for c in 0..3 {
                let leaves = known[k].2[c] > 0.0 && if c == 0 { lets_go } else { slides };
                more |= leaves && !out[3 * k + c];
                out[3 * k + c] |= leaves;
            }
        }
        if !more {
            break;
        }
        let Some(next) = without(&w, &free, &known, &out) else { break };
        (now, q) = next;
    }
    for (k, i) in chosen.iter().enumerate() {
        found[*i] = solution.forces[k];
        pushes[*i] = solution.forces[k] - known[k].1;
        let exchanged = (0..3).filter(|c| out[3 * k + c]);
        exchanged.for_each(|c| pushes[*i][c] += known[k].2[c] * solution.motion[k][c]);
    }
}

/// W and q without the ϱ of some rows; `None` where what is left holds no longer.
fn without(
    w: &DMatrix<f64>,
    q: &DVector<f64>,
    known: &[(Vec3, Vec3, Vec3)],
    out: &[bool],
) -> Option<(DMatrix<f64>, DVector<f64>)> {
    let set: Vec<usize> = (0..out.len()).filter(|r| out[*r]).collect();
    let inner = DMatrix::from_fn(set.len(), set.len(), |r, c| {
        let own = if r == c { 1.0 / known[set[r] / 3].2[set[r] % 3] } else { 0.0 };
        own - w[(set[r], set[c])]
    });
    let columns = w.select_columns(&set);
    let right = DVector::from_fn(set.len(), |r, _| q[set[r]]);
    let factor = inner.cholesky()?;
    let solved = factor.solve(&columns.transpose());
    Some((w + &columns * solved, q + &columns * factor.solve(&right)))
}

impl Contacts {
    /// Whether any row has friction.
    pub(super) fn has_friction(&self) -> bool {
        self.rows.iter().any(|row| row.tangential.is_some())
    }
}
