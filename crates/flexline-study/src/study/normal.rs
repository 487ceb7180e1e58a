//! The normal distribution: Φ and its inverse, to round-off.

use std::f64::consts::PI;

/// Beyond this many deviations nothing is left of a number.
const FAR: f64 = 38.0;

/// Φ(x), the share below x; its tail keeps its relative accuracy for negative x.
pub fn below(x: f64) -> f64 {
    if x > 0.0 {
        return 1.0 - below(-x);
    }
    if x < -FAR {
        return 0.0;
    }
    let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    if x > -3.0 {
        // Φ(x) = ½ + φ(x) (x + x³/3 + x⁵/15 + …); what is left for x > −3 has lost three digits at most.
        let (mut term, mut sum, mut n) = (x, x, 1.0);
        while f64::abs(term) > 1e-17 * f64::abs(sum) {
            n += 2.0;
            term *= x * x / n;
            sum += term;
        }
        return 0.5 + density * sum;
    }
    // The continued fraction of Laplace, from its far end.
    let fraction = (1..=120).rev().fold(-x, |rest, k| -x + f64::from(k) / rest);
    density / fraction
}

/// The x with Φ(x) = p; infinite at 0 and 1.
pub fn quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    // Newton's method on the logarithm, whose slope tends to that of a parabola; it begins left of the root, from where it
    // cannot overshoot.
    let mut x = -(-2.0 * p.ln()).sqrt().max(0.0) - 0.5;
    for _ in 0..100 {
        let own = below(x);
        let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
        if own == 0.0 || density == 0.0 {
            x += 0.5;
            continue;
        }
        let step = (p / own).ln() * own / density;
        x += step;
        if step.abs() <= 1e-15 * x.abs().max(1.0) {
            break;
        }
    }
    x.min(0.0)
}

/// Half of the width of an interval that holds a share of a normal distribution, in deviations.
pub fn two_sided(share: f64) -> f64 {
    -quantile(0.5 * (1.0 - share))
}
