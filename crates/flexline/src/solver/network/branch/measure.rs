//! What is measured of a state, so that two of them can be compared and a branch has a length.

use super::super::{Network, NetworkState};
use crate::algebra::rotation;
use crate::rod::Rod;

/// Places of a span.
const PLACES: usize = 33;
/// How much the directors weigh beside positions, which are divided by the longest span.
const DIRECTORS: f64 = 0.15;

/// Positions (by the longest span) and directors at places of all spans, weighed so that the norm of a difference is the mean
/// distance along the spans.
pub fn measure(network: &Network, state: &NetworkState) -> Vec<f64> {
    let longest = network.spans.iter().map(|span| span.rod.length()).fold(0.0, f64::max);
    let share = 1.0 / ((PLACES * network.spans.len()) as f64).sqrt();
    let mut out = Vec::with_capacity(9 * PLACES * network.spans.len());
    for (k, own) in state.spans.iter().enumerate() {
        let rod = network.rod(state, k);
        for place in 0..PLACES {
            let there = rod.station(&own.rod, rod.length() * place as f64 / (PLACES - 1) as f64);
            let directors = rotation::matrix(&there.frame);
            out.extend(there.position.iter().map(|x| x / longest * share));
            out.extend(directors.column(0).iter().map(|d| d * DIRECTORS * share));
            out.extend(directors.column(2).iter().map(|d| d * DIRECTORS * share));
        }
    }
    out
}

/// Curvature and twist, by the longest span, at the same places: what is equal for all copies of a shape, wherever they are and
/// whichever way a round cable is turned in itself.
pub fn measure_form(network: &Network, state: &NetworkState) -> Vec<f64> {
    let longest = network.spans.iter().map(|span| span.rod.length()).fold(0.0, f64::max);
    let share = longest / ((PLACES * network.spans.len()) as f64).sqrt();
    let mut out = Vec::with_capacity(2 * PLACES * network.spans.len());
    for (k, own) in state.spans.iter().enumerate() {
        let rod = network.rod(state, k);
        for place in 0..PLACES {
            let strain = rod.strain(&own.rod, rod.length() * place as f64 / (PLACES - 1) as f64);
            out.extend([strain.x.hypot(strain.y) * share, strain.z * share]);
        }
    }
    out
}

/// The distance of two states by what was measured of them, as a share of the longest span; infinite where they have other sizes.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Σ aᵢ bᵢ.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// b − a.
pub(super) fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| b - a).collect()
}
