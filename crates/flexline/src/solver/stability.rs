//! Stability: the second variation on the tangent of all constraints.
//!
//! Eigenvalues λ of H z = λ B z, with B the stiffness without prestress (∫ Θ′·KΘ′): dimensionless,
//! 1 for an unloaded rod, 0 at buckling. The inertia of H − σB counts how many lie below σ, so the
//! smallest one is found by bisection on counts that are exact, not on iterates that may miss.

use crate::solver::budget;
use crate::solver::report::Verdict;

/// Eigenvalues of smaller size count as neutral.
pub(in crate::solver) const NEUTRAL: f64 = 1e-6;

/// The verdict on a form with so many negative and neutral eigenvalues.
pub(in crate::solver) fn verdict(negative: usize, neutral: usize) -> Verdict {
    match (negative, neutral) {
        (0, 0) => Verdict::Stable,
        (0, _) => Verdict::Neutral,
        _ => Verdict::Unstable,
    }
}

/// The smallest eigenvalue that is not neutral, given how many lie below any σ.
pub(in crate::solver) fn smallest_eigenvalue(
    below: &mut dyn FnMut(f64) -> Option<usize>,
    negative: usize,
) -> f64 {
    let (mut lo, mut hi, target);
    if negative > 0 {
        // Below lo nothing, below hi something.
        hi = -NEUTRAL;
        lo = -0.01;
        target = 0;
        while below(lo).is_none_or(|c| c > 0) && lo > -1e12 {
            hi = lo;
            lo *= 4.0;
        }
    } else {
        lo = NEUTRAL;
        target = below(lo).unwrap_or(0);
        hi = 0.5;
        while below(hi).is_some_and(|c| c <= target) && hi < 1e12 {
            lo = hi;
            hi *= 4.0;
        }
    }
    for _ in 0..60 {
        if (hi - lo).abs() <= 1e-7 * (hi.abs() + lo.abs()) {
            break;
        }
        let mid = if lo > 0.0 && hi > 8.0 * lo { (lo * hi).sqrt() } else { 0.5 * (lo + hi) };
        match below(mid) {
            Some(c) if c > target => hi = mid,
            _ => lo = mid,
        }
    }
    0.5 * (lo + hi)
}

/// The lowest `count` frequencies, fewer where the budget is spent, given how many lie below any, and their scale.
pub(in crate::solver) fn lowest_frequencies(
    below: &mut dyn FnMut(f64) -> Option<usize>,
    scale: f64,
    count: usize,
) -> Vec<f64> {
    let floor = below(1e-4 * scale).unwrap_or(0);
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let target = floor + list.len() + 1;
        let (mut lo, mut hi) = (list.last().copied().unwrap_or(1e-4 * scale), scale);
        while below(hi).is_none_or(|c| c < target) && hi < 1e9 * scale {
            lo = hi;
            hi *= 2.0;
        }
        for _ in 0..80 {
            if hi - lo <= 1e-10 * hi {
                break;
            }
            let mid = 0.5 * (lo + hi);
            if below(mid).is_some_and(|c| c >= target) { hi = mid } else { lo = mid }
        }
        if budget::stop().is_some() {
            break;
        }
        list.push(0.5 * (lo + hi));
    }
    list
}
