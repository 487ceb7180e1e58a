//! Residual and matrix of a network at a state.

use super::NetworkWorkspace;
use super::model::Network;
use super::state::NetworkState;
use crate::algebra::{Mat3, Vec3, larger, rotation};
use crate::body::Pose;
use crate::constraint::Sense;
use crate::rod::kernel::{PROXIMAL, held_compliance};

pub(in crate::solver) fn evaluate(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace) {
    ws.set_slid(state);
    ws.reduced = false;
    touch(network, state, ws);
    for (k, span) in ws.spans.iter_mut().enumerate() {
        span.set_length(&network.spans[k], state.free_length(k));
        span.evaluate(network, &network.spans[k], &state.anchors, &mut state.spans[k]);
    }
    evaluate_rows(network, state, ws);
}

/// Finds what touches, and lets it press on the spans.
fn touch(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace) {
    if !network.has_contact() && ws.contacts.rows.is_empty() {
        return;
    }
    ws.set_ends(network, state);
    ws.contacts.evaluate(network, state, &mut ws.spans, ws.parts.is_some());
}

/// Evaluates the constraints alone.
pub(in crate::solver) fn evaluate_rows(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace) {
    ws.rows.clear();
    for constraint in &network.constraints {
        constraint.evaluate(&state.anchors, &mut ws.rows);
    }
}

/// Value of a row by its sense, and its multiplier: h ≥ 0 and λ ≥ 0 where it is one-sided.
fn one_sided(sense: Sense, value: f64, multiplier: f64) -> Option<(f64, f64)> {
    match sense {
        Sense::Equal => None,
        Sense::AtLeast => Some((value, multiplier)),
        Sense::AtMost => Some((-value, -multiplier)),
    }
}

/// What a row adds to the merit: the augmented Lagrangian −λh + ρh²/2 while λ > ρh, else what that
/// leaves (Rockafellar, SIAM J. Control 12 (1974) 268–285).
pub(in crate::solver) fn row_merit(sense: Sense, value: f64, multiplier: f64, rho: f64) -> f64 {
    match one_sided(sense, value, multiplier) {
        Some((h, lambda)) if lambda <= rho * h => -0.5 * lambda * lambda / rho,
        _ => -multiplier * value + 0.5 * rho * value * value,
    }
}

/// Whether a row takes part: an equality always, a one-sided row while λ > ρh.
pub(in crate::solver) fn takes_part(sense: Sense, value: f64, multiplier: f64, rho: f64) -> bool {
    one_sided(sense, value, multiplier).is_none_or(|(h, lambda)| lambda > rho * h)
}

/// Decides which rows take part; what takes none lets go.
pub(in crate::solver) fn choose_rows(state: &mut NetworkState, ws: &mut NetworkWorkspace, rho: f64) {
    for k in 0..ws.rows.len() {
        let value = ws.row_value(state, k);
        ws.active[k] = takes_part(ws.senses[k], value, state.multipliers[k], rho);
        if !ws.active[k] {
            state.multipliers[k] = 0.0;
        }
    }
}

pub(in crate::solver) struct Norms {
    pub(in crate::solver) force: f64,
    pub(in crate::solver) gap: f64,
    pub(in crate::solver) largest: f64,
    pub(in crate::solver) round_off: f64,
    pub(in crate::solver) length: f64,
}

impl Norms {
    /// What is left of the residual as one number, relative to the largest force and the length.
    pub(in crate::solver) fn left(&self) -> f64 {
        let (force, gap) =
            (self.force / self.largest.max(f64::MIN_POSITIVE), self.gap / self.length.max(f64::MIN_POSITIVE));
        if force.is_nan() || gap.is_nan() { f64::NAN } else { force.max(gap) }
    }
}

/// Weight of a rigid part and the moment of its lever.
pub(in crate::solver) fn weight(network: &Network, anchor: usize, pose: &Pose) -> (Vec3, Vec3) {
    let a = &network.anchors[anchor];
    (network.gravity * a.mass, rotation::rotate(&pose.orientation, &a.centre))
}

/// Derivative of the Lagrangian by every unknown of the reduced system; gaps and rows last.
/// Held components are kept apart: they are the reactions.
#[derive(Default)]
pub(in crate::solver) struct Residual {
    /// Rotation and translation parts of every anchor.
    pub(in crate::solver) anchors: Vec<(Vec3, Vec3)>,
    /// The same without what the spans ask for.
    pub(in crate::solver) own: Vec<(Vec3, Vec3)>,
    /// Derivative by every flow without what the spans ask for.
    pub(in crate::solver) own_slides: Vec<f64>,
    pub(in crate::solver) rows: Vec<f64>,
    /// Derivative by the flow through every slide, N.
    pub(in crate::solver) slides: Vec<f64>,
}

pub(in crate::solver) fn residual(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
) -> Residual {
    let mut r = ws.spare_residual();
    let ws = &*ws;
    r.own.clear();
    r.own.extend(network.anchors.iter().enumerate().map(|(i, a)| {
        let (w, lever) = weight(network, i, &state.anchors[i]);
        let mut own = (-a.moment - lever.cross(&w), -a.force - w);
        if let Some(parts) = &ws.parts {
            let (moment, force) = parts[i].gradient(&state.anchors[i], &lever);
            own.0 += moment;
            own.1 += force;
        }
        own
    }));
    for (own, load) in r.own.iter_mut().zip(&ws.contacts.loads) {
        own.0 -= load.moment;
        own.1 -= load.force;
    }
    let sliding = network.slides.iter().zip(&ws.friction_laws).zip(&state.slips);
    r.own_slides.clear();
    r.own_slides.extend(sliding.map(|((slide, law), slip)| slide.price + law.force(*slip)));
    for (row, multiplier) in ws.rows.iter().zip(&state.multipliers) {
        for (a, turn, shift) in row.columns.into_iter().flatten() {
            r.own[a].0 -= turn * *multiplier;
            r.own[a].1 -= shift * *multiplier;
        }
    }
    r.anchors.clone_from(&r.own);
    for (k, span) in ws.spans.iter().enumerate() {
        span.add_reactions(&network.spans[k], &mut r.anchors);
    }
    let force = |k: Option<usize>, side: usize| {
        k.map_or(0.0, |k| ws.spans[k].kernel.flow_force(&state.spans[k], side))
    };
    let slides = network.slides.iter().zip(&r.own_slides);
    r.slides.clear();
    r.slides.extend(slides.map(|(slide, own)| force(slide.before, 0) + force(slide.after, 1) + own));
    r.rows.clear();
    r.rows.extend((0..ws.rows.len()).map(|k| ws.row_value(state, k)));
    r
}

pub(in crate::solver) fn norms(
    network: &Network,
    state: &NetworkState,
    ws: &NetworkWorkspace,
    residual: &Residual,
) -> Norms {
    let mut n = Norms { force: 0.0, gap: 0.0, largest: 0.0, round_off: 0.0, length: 0.0 };
    if ws.spans.is_empty() {
        n.length = 1.0;
    }
    for (k, span) in ws.spans.iter().enumerate() {
        let own = span.unbalanced();
        n.force = larger(n.force, own.force);
        n.gap = larger(n.gap, span.gap(&state.spans[k].end_force).norm());
        n.gap = larger(n.gap, larger(span.kernel.turn_gap(), span.kernel.stretch()) * span.length());
        n.largest = larger(n.largest, own.largest_force);
        n.round_off = n.round_off.max(own.round_off);
        n.length = n.length.max(span.length());
    }
    for (i, slots) in ws.unknowns.anchors.iter().enumerate() {
        let (turn, shift) = residual.anchors[i];
        for c in 0..3 {
            if slots[c].is_some() {
                n.force = larger(n.force, turn[c].abs() / n.length.max(f64::MIN_POSITIVE));
            }
            if slots[c + 3].is_some() {
                n.force = larger(n.force, shift[c].abs());
            }
        }
        n.largest = n
            .largest
            .max(weight(network, i, &state.anchors[i]).0.norm())
            .max(network.anchors[i].force.norm());
    }
    for force in &residual.slides {
        n.force = larger(n.force, force.abs());
    }
    for (k, multiplier) in state.multipliers.iter().enumerate() {
        n.gap = larger(n.gap, violation(ws.senses[k], residual.rows[k], ws.active[k]));
        n.largest = n.largest.max(multiplier.abs());
    }
    let (gap, lacks, force) = ws.contacts.norms();
    n.gap = larger(n.gap, gap);
    n.force = larger(n.force, lacks);
    n.largest = n.largest.max(force);
    n
}

/// How far a row is from being kept: both ways where it takes part.
fn violation(sense: Sense, value: f64, active: bool) -> f64 {
    match sense {
        Sense::AtMost if !active => larger(value, 0.0),
        Sense::AtLeast if !active => larger(-value, 0.0),
        _ => value.abs(),
    }
}

/// Assembles and factorises every span and the reduced matrix; returns the number of directions
/// that release energy.
pub(in crate::solver) fn factorise(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    shift: f64,
) -> Option<isize> {
    // Each span while it is at hand: many do not fit into a cache.
    factorise_spans(network, state, ws, (shift, PROXIMAL.max(shift)), true)
}

/// The same for the number alone, with a little stiffness against turning and drifting of one's own choice, relative to the
/// stiffness of the rods.
pub(in crate::solver) fn factorise_with(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    shift: f64,
    proximal: f64,
) -> Option<isize> {
    factorise_spans(network, state, ws, (shift, proximal), false)
}

/// Factorises; eliminates the residual of the last evaluation on the slip if asked.
fn factorise_spans(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    (shift, proximal): (f64, f64),
    eliminate: bool,
) -> Option<isize> {
    ws.reduced = false;
    ws.solution.fill(0.0);
    ws.factored = false;
    ws.factorisations += 1;
    ws.work += ws.cost();
    let NetworkWorkspace {
        spans,
        rows,
        active,
        row_compliance,
        friction_laws,
        unknowns,
        matrix,
        parts,
        scratch,
        solution,
        contacts,
        ..
    } = ws;
    let pattern = &unknowns.pattern;
    matrix.clear();
    let mut negative = 0;
    let mut constraints = rows.len();
    for (k, span) in spans.iter_mut().enumerate() {
        span.factorise(&state.spans[k], shift, proximal, scratch).ok()?;
        negative += span.negative() as isize;
        span.scatter(pattern, matrix);
        if eliminate {
            span.eliminate_residual(&state.spans[k], scratch, solution);
        }
        if span.force_slots().is_some() {
            constraints += 3;
        }
    }
    let zero = Mat3::zeros();
    // A little stiffness against drifting for what nothing holds.
    let scale = spans.iter().fold(0.0f64, |m, s| m.max(s.stiffness() / s.length()));
    let length = spans.iter().fold(0.0f64, |m, s| m.max(s.length()));
    let length = if spans.is_empty() { 1.0 } else { length };
    let regularisation = Mat3::identity() * (scale * proximal);
    let against_flow = scale * shift.max(0.0) / (length * length);
    for ((law, slip), slot) in friction_laws.iter().zip(&state.slips).zip(&unknowns.slides) {
        let at = (slot.group, slot.local);
        matrix.add(pattern, at, at, law.slope(*slip) + against_flow);
    }
    let mut add = |a: usize, b: usize, blocks: [&Mat3; 4]| {
        for r in 0..6 {
            for c in 0..6 {
                if let (Some(i), Some(j)) = (unknowns.anchors[a][r], unknowns.anchors[b][c]) {
                    let value = blocks[2 * (r / 3) + c / 3][(r % 3, c % 3)];
                    matrix.add(pattern, (i.group, i.local), (j.group, j.local), value);
                }
            }
        }
    };
    for i in 0..network.anchors.len() {
        let (w, lever) = weight(network, i, &state.anchors[i]);
        let turn = regularisation - rotation::cross_hessian(&lever, &w);
        add(i, i, [&turn, &zero, &zero, &(regularisation / (length * length))]);
        if let Some(parts) = parts {
            let (turn, cross, shift) = parts[i].hessian(&state.anchors[i], &lever);
            add(i, i, [&turn, &cross, &cross.transpose(), &shift]);
        }
    }
    for (i, load) in contacts.loads.iter().enumerate() {
        let block = |r: usize, c: usize| load.stiffness.fixed_view::<3, 3>(3 * r, 3 * c).into_owned();
        add(i, i, [&block(0, 0), &block(0, 1), &block(1, 0), &block(1, 1)]);
    }
    for (k, row) in rows.iter().enumerate().filter(|(k, _)| active[*k]) {
        row.add_second(-state.multipliers[k], &mut |a, b, pp, pt, tp, tt| add(a, b, [&pp, &pt, &tp, &tt]));
    }
    let compliance = length * length / scale.max(f64::MIN_POSITIVE);
    let pulled = state.spans.iter().fold(0.0f64, |m, s| m.max(s.end_force.norm()));
    let held = held_compliance(length, scale * length, pulled);
    for (k, (row, slot)) in rows.iter().zip(&unknowns.rows).enumerate() {
        let at = (slot.group, slot.local);
        if !active[k] {
            // Its multiplier stays zero.
            matrix.add(pattern, at, at, -compliance);
            continue;
        }
        for (a, turn, shift) in row.columns.into_iter().flatten() {
            for c in 0..6 {
                if let Some(i) = unknowns.anchors[a][c] {
                    let v = if c < 3 { turn[c] } else { shift[c - 3] };
                    matrix.add(pattern, (i.group, i.local), at, v);
                    matrix.add(pattern, at, (i.group, i.local), v);
                }
            }
        }
        // And of compliance, where rows repeat each other.
        matrix.add(pattern, at, at, -held - row_compliance[k]);
    }
    matrix.factorise(pattern).ok()?;
    ws.reduced = eliminate;
    Some(negative + matrix.negative() as isize - constraints as isize)
}

/// The right-hand side of the reduced system, after elimination of the spans.
pub(in crate::solver) fn reduced_right_side(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
) {
    let b = &mut ws.solution;
    if !std::mem::take(&mut ws.reduced) {
        b.fill(0.0);
        for (k, span) in ws.spans.iter_mut().enumerate() {
            span.eliminate_residual(&state.spans[k], &mut ws.scratch, b);
        }
    }
    for ((slots, own), pushed) in ws.unknowns.anchors.iter().zip(&residual.own).zip(&ws.pushed) {
        for c in 0..6 {
            if let Some(slot) = slots[c] {
                b[slot.flat] += if c < 3 { pushed[0][c] - own.0[c] } else { pushed[1][c - 3] - own.1[c - 3] };
            }
        }
    }
    for (k, (slot, value)) in ws.unknowns.rows.iter().zip(&residual.rows).enumerate() {
        b[slot.flat] -= if ws.active[k] { *value } else { 0.0 };
    }
    // The spans have added their share of the flow's balance.
    for (slot, own) in ws.unknowns.slides.iter().zip(&residual.own_slides) {
        b[slot.flat] -= own;
    }
}
