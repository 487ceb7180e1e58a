//! What a step is judged by: the augmented Lagrangian with the multipliers that the step asks for.

use super::NetworkWorkspace;
use super::assemble::{Residual, row_merit, takes_part, weight};
use super::contact::Moves;
use super::model::Network;
use super::span::SpanSystem;
use super::state::NetworkState;
use crate::algebra::Vec3;
use crate::body::Pose;
use crate::constraint::Row;
use crate::rod::State;

/// The multipliers of a step, and what has no potential.
#[derive(Default)]
pub(in crate::solver) struct Merit {
    /// Force at the far end of every span.
    pub(in crate::solver) forces: Vec<Vec3>,
    /// Moment there, where it is a multiplier.
    pub(in crate::solver) moments: Vec<Vec3>,
    /// Multiplier of every row.
    pub(in crate::solver) multipliers: Vec<f64>,
    /// Dead moments have no potential: they work along the step with the moment they have.
    moment_work: f64,
}

impl Merit {
    /// For the step in the workspace.
    pub(in crate::solver) fn new(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace) -> Self {
        let mut merit = ws.spare_merit();
        let step = &ws.solution;
        merit.forces.clear();
        merit.forces.extend(ws.spans.iter().zip(&state.spans).map(|(span, own)| span.new_force(own, step)));
        let rows = ws.unknowns.rows.iter().zip(&state.multipliers);
        merit.multipliers.clear();
        merit.multipliers.extend(rows.map(|(slot, m)| m - step[slot.flat]));
        merit.moment_work = ws
            .unknowns
            .anchors
            .iter()
            .zip(&network.anchors)
            .flat_map(|(slots, a)| (0..3).map(move |c| slots[c].map_or(0.0, |s| a.moment[c] * step[s.flat])))
            .sum();
        merit.moments.clear();
        merit.moments.extend(ws.spans.iter().map(|span| span.kernel.new_moment()));
        merit
    }

    /// Slope along the step: without the penalty, and what a unit of penalty adds, with its sign
    /// turned.
    pub(in crate::solver) fn slope(
        &self,
        state: &NetworkState,
        ws: &NetworkWorkspace,
        residual: &Residual,
        rho: f64,
    ) -> (f64, f64) {
        let step = &ws.solution;
        let (mut fixed, mut gaps) = (0.0, 0.0);
        for (k, span) in ws.spans.iter().enumerate() {
            // With the force of the step: the step closes this gap, yielding and all.
            let gap = span.gap(&self.forces[k]);
            let (own, missed) = span.slope();
            fixed += own + (self.forces[k] - state.spans[k].end_force).dot(&gap);
            gaps += gap.norm_squared() + missed;
        }
        for (slots, r) in ws.unknowns.anchors.iter().zip(&residual.anchors) {
            for c in 0..6 {
                if let Some(slot) = slots[c] {
                    fixed += step[slot.flat] * if c < 3 { r.0[c] } else { r.1[c - 3] };
                }
            }
        }
        for (slot, force) in ws.unknowns.slides.iter().zip(&residual.slides) {
            fixed += force * step[slot.flat];
        }
        let of_anchor = |a: usize| {
            let part = |from: usize| {
                Vec3::from_fn(|i, _| ws.unknowns.anchors[a][from + i].map_or(0.0, |s| step[s.flat]))
            };
            (part(0), part(3))
        };
        for (k, row) in ws.rows.iter().enumerate() {
            let change = row.along(of_anchor);
            let value =
                residual.rows[k] + ws.row_compliance[k] * (self.multipliers[k] - state.multipliers[k]);
            fixed += state.multipliers[k] * change;
            if takes_part(ws.senses[k], value, self.multipliers[k], rho) {
                fixed -= self.multipliers[k] * change;
                gaps -= value * change;
            }
        }
        let (own, missed) = ws.contacts.slope(&Moves::of(state, ws), rho);
        (fixed + own, gaps + missed)
    }

    /// Value at a state that lies so many steps `ahead`, or at that of the last evaluation.
    pub(in crate::solver) fn value(
        &self,
        network: &Network,
        state: &NetworkState,
        ws: &mut NetworkWorkspace,
        rows: &mut Vec<Row>,
        rho: f64,
        ahead: Option<f64>,
    ) -> f64 {
        let within = |(k, span): (usize, &SpanSystem)| {
            self.within(network, k, span, &state.anchors, &state.spans[k], (rho, ahead))
        };
        let spans: f64 = ws.spans.iter().enumerate().map(within).sum();
        spans + self.outside(network, state, ws, rows, rho, ahead)
    }

    /// What of the value lies within span `k`.
    pub(in crate::solver) fn within(
        &self,
        network: &Network,
        k: usize,
        span: &SpanSystem,
        anchors: &[Pose],
        own: &State,
        (rho, ahead): (f64, Option<f64>),
    ) -> f64 {
        span.merit(&network.spans[k], anchors, own, [&self.forces[k], &self.moments[k]], rho, ahead)
    }

    /// What of the value lies outside the spans.
    pub(in crate::solver) fn outside(
        &self,
        network: &Network,
        state: &NetworkState,
        ws: &mut NetworkWorkspace,
        rows: &mut Vec<Row>,
        rho: f64,
        ahead: Option<f64>,
    ) -> f64 {
        let mut total = -ahead.unwrap_or(0.0) * self.moment_work;
        for (k, slide) in network.slides.iter().enumerate() {
            total += slide.price * state.flows[k] + ws.friction_laws[k].energy(state.slips[k]);
        }
        for (i, pose) in state.anchors.iter().enumerate() {
            let (w, lever) = weight(network, i, pose);
            total -= w.dot(&(pose.position + lever)) + network.anchors[i].force.dot(&pose.position);
            if let Some(parts) = &ws.parts {
                total += parts[i].energy(pose, &lever);
            }
        }
        rows.clear();
        for constraint in &network.constraints {
            constraint.evaluate(&state.anchors, rows);
        }
        for (k, multiplier) in self.multipliers.iter().enumerate() {
            let value = rows[k].value + ws.row_compliance[k] * multiplier;
            total += row_merit(ws.senses[k], value, *multiplier, rho)
                + 0.5 * ws.row_compliance[k] * multiplier * multiplier;
        }
        total + ws.contacts.merit(network, state, rho, ahead.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// With every kind of thing that a network may hold.
    #[test]
    fn slope_agrees_with_differences() {
        for (name, mut network) in testing::networks() {
            let mut state = testing::disturbed(&network, 0.05);
            let mut ws = NetworkWorkspace::new(&network);
            testing::check_slope(&name, &network, &mut state, &mut ws);
            // And while ends and constraints give.
            ws.spans.iter_mut().for_each(|span| span.end_compliance = 0.3);
            ws.row_compliance.fill(0.2);
            testing::check_slope(&name, &network, &mut state, &mut ws);
            // And with what acts at points.
            testing::tap(&mut network, &state, &mut ws);
            testing::check_slope(&format!("{name}, tapped"), &network, &mut state, &mut ws);
        }
    }
}
