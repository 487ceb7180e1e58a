//! Newton's method on the reduced system of a network.

use super::assemble::{Residual, evaluate, factorise, norms, reduced_right_side, residual, weight};
use super::model::{Network, NetworkError};
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, report};
use crate::algebra::Vec3;
use crate::solver::report::Status;
use crate::solver::statics::Settings;
use crate::solver::statics::newton::{MAX_BEND, MAX_TURN, step_size};

/// Newton's method with the friction of `state` given and the slides of the workspace free.
pub(super) fn solve_frictionless(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    state.hold(network);
    let mut shift = 0.0;
    let mut iterations = 0;
    let mut rho = 0.0f64;
    let mut good = state.clone();
    loop {
        evaluate(network, state, ws);
        let residual = residual(network, state, ws);
        let norms = norms(network, state, ws, &residual);
        if !(norms.force.is_finite() && norms.gap.is_finite()) {
            *state = good;
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::NumericalFailure, iterations, 0));
        }
        if norms.force <= (settings.force_tolerance * norms.largest).max(norms.round_off)
            && norms.gap <= settings.position_tolerance * norms.length
        {
            // In motion an unstable shape is on its way: nobody asks.
            let negative = if ws.parts.is_some() {
                0
            } else {
                factorise(network, state, ws, 0.0).map_or(0, |negative| negative.max(0) as usize)
            };
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::Converged, iterations, negative));
        }
        if iterations >= 4 * settings.max_iterations {
            *state = good;
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::IterationLimit, iterations, 0));
        }
        iterations += 1;
        good = state.clone();
        // Missing an end by a share of the length shall cost what its force would do over it.
        rho = rho.max(norms.largest / norms.length);

        let Some(used) = factorise_as_minimum(network, state, ws, shift) else {
            return Ok(report(network, state, ws, Status::NumericalFailure, iterations, 0));
        };
        shift = if used < 1e-3 { 0.0 } else { used / 8.0 };
        newton_step(state, ws, &residual);
        if !line_search(network, state, ws, &residual, &mut rho) {
            shift = (8.0 * used).max(0.1);
            if shift > 1e4 {
                evaluate(network, state, ws);
                return Ok(report(network, state, ws, Status::NoProgress, iterations, 0));
            }
        }
    }
}

/// Solves for the step of every span and of the reduced unknowns.
pub(super) fn newton_step(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    reduced_right_side(state, ws, residual);
    ws.matrix.solve(&ws.unknowns.pattern, &mut ws.solution);
    for span in &mut ws.spans {
        span.back_substitute(&ws.solution);
    }
}

/// Factorises with the smallest shift found that makes the form positive on the constraint
/// tangent; returns that shift.
fn factorise_as_minimum(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    first: f64,
) -> Option<f64> {
    let mut shift = first;
    for _ in 0..40 {
        if factorise(network, state, ws, shift).is_some_and(|negative| negative <= 0) {
            return Some(shift);
        }
        shift = if shift == 0.0 { 1e-2 } else { 4.0 * shift };
    }
    None
}

fn line_search(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    rho: &mut f64,
) -> bool {
    let step = &ws.solution;
    // New multipliers, and the slope of the merit along the step.
    let forces: Vec<Vec3> = (0..network.spans.len())
        .map(|k| {
            let y =
                ws.spans[k].force_slots().map_or_else(Vec3::zeros, |s| Vec3::from_fn(|i, _| step[s[i].flat]));
            state.spans[k].end_force - y
        })
        .collect();
    let multipliers: Vec<f64> =
        ws.unknowns.rows.iter().zip(&state.multipliers).map(|(slot, m)| m - step[slot.flat]).collect();
    let mut fixed = 0.0;
    let mut gap_sq = 0.0;
    let (mut turn, mut bend) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE);
    for (k, span) in ws.spans.iter().enumerate() {
        fixed += span.slope();
        let gap = span.gap(&state.spans[k]);
        fixed += (forces[k] - state.spans[k].end_force).dot(&gap);
        gap_sq += gap.norm_squared();
        let (t, b) = step_size(&span.step);
        turn = turn.max(t);
        bend = bend.max(b);
    }
    for (slots, r) in ws.unknowns.anchors.iter().zip(&residual.anchors) {
        for c in 0..6 {
            if let Some(slot) = slots[c] {
                let d = step[slot.flat];
                fixed += if c < 3 { r.0[c] * d } else { r.1[c - 3] * d };
                if c < 3 {
                    turn = turn.max(d.abs());
                }
            }
        }
    }
    for (slot, force) in ws.unknowns.slides.iter().zip(&residual.slides) {
        fixed += slot.map_or(0.0, |s| force * step[s.flat]);
    }
    for (k, row) in ws.rows.iter().enumerate() {
        fixed += (multipliers[k] - state.multipliers[k]) * row.value;
        gap_sq += row.value * row.value;
    }
    if gap_sq > 0.0 {
        *rho = rho.max(2.0 * fixed / gap_sq);
    }
    let slope = fixed - *rho * gap_sq;
    let flows: Vec<f64> = ws.unknowns.slides.iter().map(|s| s.map_or(0.0, |s| step[s.flat])).collect();
    // Dead moments have no potential: they work along the step with the moment they have.
    let moment_work: f64 = ws
        .unknowns
        .anchors
        .iter()
        .zip(&network.anchors)
        .flat_map(|(slots, a)| (0..3).map(move |c| slots[c].map_or(0.0, |s| a.moment[c] * step[s.flat])))
        .sum();
    let merit = |state: &NetworkState, ws: &NetworkWorkspace, scale: f64| -> f64 {
        // Friction works against the flow with the force it has.
        let mut total: f64 =
            -scale * moment_work - state.friction.iter().zip(&flows).map(|(f, d)| f * d * scale).sum::<f64>();
        for (k, span) in ws.spans.iter().enumerate() {
            total += span.merit(&network.spans[k], &state.anchors, &state.spans[k], &forces[k], *rho, scale);
        }
        for (i, pose) in state.anchors.iter().enumerate() {
            let (w, lever) = weight(network, i, pose);
            total -= w.dot(&(pose.position + lever)) + network.anchors[i].force.dot(&pose.position);
            if let Some(parts) = &ws.parts {
                total += parts[i].energy(pose, &lever);
            }
        }
        let mut rows = Vec::new();
        for constraint in &network.constraints {
            constraint.evaluate(&state.anchors, &mut rows);
        }
        for (row, multiplier) in rows.iter().zip(&multipliers) {
            total += -multiplier * row.value + 0.5 * *rho * row.value * row.value;
        }
        total
    };
    let start = merit(state, ws, 0.0);
    let noise = 1e-12 * ws.spans.iter().zip(&state.spans).map(|(s, own)| s.energy_scale(own)).sum::<f64>();
    let mut scale = 1f64.min(MAX_TURN / turn).min(MAX_BEND / bend);
    for _ in 0..14 {
        let mut trial = state.clone();
        trial.advance(network, ws, scale);
        // Where the merit cannot tell a difference, Newton's method is trusted.
        if slope.abs() <= noise || merit(&trial, ws, scale) <= start + 1e-4 * scale * slope + noise {
            for k in 0..trial.spans.len() {
                trial.spans[k].end_force += scale * (forces[k] - state.spans[k].end_force);
            }
            for k in 0..multipliers.len() {
                trial.multipliers[k] += scale * (multipliers[k] - state.multipliers[k]);
            }
            *state = trial;
            return true;
        }
        scale *= 0.5;
    }
    false
}
