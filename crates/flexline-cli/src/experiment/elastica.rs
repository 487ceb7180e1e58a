//! The threshold of twining in the plane, without elements: an elastica by shooting (A. Goriely, S. Neukirch,
//! *Mechanics of climbing and attachment in twining plants*, PRL 97, 184302, 2006).
//!
//! R = 1, K = 1. The plant lies on the pole up to s = 0, at (1, 0) with tangent (0, 1) and curvature 1; from
//! there it is free, and its tip at s = ℓ stands on the pole without friction:
//!
//! ```text
//! κ′ = F_x sin θ − F_y cos θ,   κ(0) = 1,   κ(ℓ) = ρ,   |r(ℓ)| = 1,   F ∥ r(ℓ).
//! ```
//!
//! The moment about the axis, κ − ρ + r × F, is constant and zero at the tip, so F_y = ρ − 1. What is left are
//! two equations for F_x and ρ at every ℓ. A plant can twine where they have a solution: the largest ρ(ℓ) is
//! the threshold.

/// Steps of the integration: the threshold has converged to nine digits.
const STEPS: usize = 400;

/// A plant at rest on the pole.
#[derive(Clone, Copy, Debug)]
pub struct Twined {
    /// Natural curvature, 1/R.
    pub rho: f64,
    /// Length of the free part, R.
    pub free: f64,
    /// Force across the plant where it leaves the pole, K/R².
    pub across: f64,
}

/// x, y, θ, κ at the tip.
fn tip(at: &Twined, steps: usize) -> [f64; 4] {
    let slope = |y: &[f64; 4]| {
        let (sin, cos) = y[2].sin_cos();
        [cos, sin, y[3], at.across * sin - (at.rho - 1.0) * cos]
    };
    let ahead = |y: &[f64; 4], k: &[f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let h = at.free / steps as f64;
    let mut y = [1.0, 0.0, std::f64::consts::FRAC_PI_2, 1.0];
    for _ in 0..steps {
        let a = slope(&y);
        let b = slope(&ahead(&y, &a, 0.5 * h));
        let c = slope(&ahead(&y, &b, 0.5 * h));
        let d = slope(&ahead(&y, &c, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

/// What the tip misses: its distance from the pole, its moment.
fn missed(at: &Twined, steps: usize) -> [f64; 2] {
    let y = tip(at, steps);
    [y[0].hypot(y[1]) - 1.0, y[3] - at.rho]
}

/// Newton's method for force and natural curvature at the free length of `guess`.
fn solve(guess: Twined, steps: usize) -> Twined {
    const H: f64 = 1e-6;
    let mut at = guess;
    for _ in 0..30 {
        let m = missed(&at, steps);
        let difference = |plus: Twined, minus: Twined| {
            let (p, q) = (missed(&plus, steps), missed(&minus, steps));
            [(p[0] - q[0]) / (2.0 * H), (p[1] - q[1]) / (2.0 * H)]
        };
        let by_across =
            difference(Twined { across: at.across + H, ..at }, Twined { across: at.across - H, ..at });
        let by_rho = difference(Twined { rho: at.rho + H, ..at }, Twined { rho: at.rho - H, ..at });
        let determinant = by_across[0] * by_rho[1] - by_across[1] * by_rho[0];
        let across = (m[1] * by_rho[0] - m[0] * by_rho[1]) / determinant;
        let rho = (m[0] * by_across[1] - m[1] * by_across[0]) / determinant;
        at = Twined { across: at.across + across, rho: at.rho + rho, ..at };
        if across.abs().max(rho.abs()) < 1e-12 {
            break;
        }
    }
    at
}

/// The plant of the largest natural curvature that can twine.
pub fn threshold() -> Twined {
    threshold_by(STEPS)
}

fn threshold_by(steps: usize) -> Twined {
    // Along the branch that begins at slight natural curvatures, up to where ρ falls again.
    let mut best = solve(Twined { rho: 2.0, free: 2.24, across: -0.59 }, steps);
    let mut by: f64 = 0.05;
    while by.abs() > 1e-6 {
        let next = solve(Twined { free: best.free + by, ..best }, steps);
        if next.rho > best.rho {
            best = next;
        } else {
            by *= -0.5;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_a_converged_equilibrium_and_near_the_published_one() {
        let found = threshold();
        // Goriely and Neukirch give two digits.
        assert!((found.rho - 3.3).abs() < 0.05, "{}", found.rho);
        let finer = threshold_by(4 * STEPS);
        assert!((found.rho - finer.rho).abs() < 1e-9, "{} {}", found.rho, finer.rho);
        let [x, y, angle, curvature] = tip(&finer, 4 * STEPS);
        // On the pole, without moment, pushed along the normal.
        assert!((x.hypot(y) - 1.0).abs() < 1e-9 && (curvature - finer.rho).abs() < 1e-9);
        let force = [finer.across, finer.rho - 1.0];
        assert!((x * force[1] - y * force[0]).abs() < 1e-9);
        assert!(x * force[0] + y * force[1] > 0.0, "the pole pulls");
        // ½ κ² + F·t is the same along an elastica: a check that the shooting knows nothing of.
        let along = force[0] * angle.cos() + force[1] * angle.sin();
        let first = 0.5 + force[1];
        assert!((0.5 * curvature * curvature + along - first).abs() < 1e-9);
    }

    #[test]
    fn neighbours_of_the_threshold_have_smaller_curvatures() {
        let best = threshold();
        for by in [-0.01, 0.01] {
            let beside = solve(Twined { free: best.free + by, ..best }, STEPS);
            assert!(beside.rho < best.rho, "{} {}", beside.rho, best.rho);
            assert!(missed(&beside, STEPS).iter().all(|m| m.abs() < 1e-9));
        }
    }
}
