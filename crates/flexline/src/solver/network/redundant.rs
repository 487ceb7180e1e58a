//! Constraints that repeat what others hold already.
//!
//! The gradients of all constraints by what is free to move are made orthogonal one after the other
//! (modified Gram–Schmidt, in the order of the file). A constraint of which nothing is left is
//! redundant: it does no harm, its share of the force is arbitrary, and it may be left out.

use super::model::Network;
use super::state::NetworkState;
use crate::rod::Rod;

/// What must be left of a gradient, relative to its size.
const LEFT: f64 = 1e-8;
/// More rows than this are not looked through.
const MOST: usize = 600;

/// The constraints that repeat what constraints before them, or holds, keep already. One-sided ones
/// are left out. Empty for more rows than can be looked through.
pub fn redundant(network: &Network, state: &NetworkState) -> Vec<usize> {
    let count: usize = network.constraints.iter().map(super::Constraint::rows).sum();
    if count > MOST {
        return Vec::new();
    }
    // Turns count as what they move at a typical distance.
    let length = network.spans.iter().map(|s| s.rod.length()).fold(0.0, f64::max).max(1e-3);
    let size = 6 * network.anchors.len();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut found = Vec::new();
    let mut rows = Vec::new();
    for (k, constraint) in network.constraints.iter().enumerate() {
        if constraint.sense() != super::Sense::Equal {
            continue;
        }
        rows.clear();
        constraint.evaluate(&state.anchors, &mut rows);
        let mut adds = false;
        for row in &rows {
            let mut gradient = vec![0.0; size];
            let mut whole = 0.0;
            for (a, turn, shift) in row.columns.iter().flatten() {
                let anchor = &network.anchors[*a];
                for i in 0..3 {
                    let (t, s) = (turn[i] / length, shift[i]);
                    whole += t * t + s * s;
                    if !anchor.held_orientation {
                        gradient[6 * a + i] += t;
                    }
                    if !anchor.held[i] {
                        gradient[6 * a + 3 + i] += s;
                    }
                }
            }
            for other in &basis {
                let along: f64 = gradient.iter().zip(other).map(|(x, y)| x * y).sum();
                gradient.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
            let left = gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
            if left > LEFT * whole.sqrt().max(f64::MIN_POSITIVE) {
                adds = true;
                gradient.iter_mut().for_each(|x| *x /= left);
                basis.push(gradient);
            }
        }
        if !adds {
            found.push(k);
        }
    }
    found
}
