//! Gauss–Legendre collocation: integrals from the beginning of an interval to each of its nodes.
//!
//! With the polynomial through the values at the nodes, ∫ from −1 to x_k is Σ_j A_kj f_j. These are the
//! coefficients of Gauss's Runge–Kutta methods, so that w_j A_jk + w_k A_kj = w_j w_k (E. Hairer, C. Lubich,
//! G. Wanner, *Geometric Numerical Integration*, §II.1 and §VI.4): summing forces beyond a node and
//! integrating displacements up to it are exactly adjoint, as they are in the continuum.

use std::sync::OnceLock;

/// Nodes of the rule: exact for integrals over the interval up to degree 19.
pub const POINTS: usize = 10;

/// Nodes, weights and partial integrals on [−1, 1].
#[derive(Clone, Debug)]
pub struct Collocation {
    /// Nodes, increasing.
    pub nodes: [f64; POINTS],
    /// Weights; they sum to 2.
    pub weights: [f64; POINTS],
    /// `upto[k][j]` = A_kj.
    pub upto: [[f64; POINTS]; POINTS],
}

/// P_0 … P_{POINTS} at x.
fn legendre(x: f64) -> [f64; POINTS + 1] {
    let mut p = [1.0; POINTS + 1];
    p[1] = x;
    for n in 1..POINTS {
        let k = n as f64;
        p[n + 1] = ((2.0 * k + 1.0) * x * p[n] - k * p[n - 1]) / (k + 1.0);
    }
    p
}

impl Collocation {
    /// The rule; computed once.
    pub fn get() -> &'static Self {
        static RULE: OnceLock<Collocation> = OnceLock::new();
        RULE.get_or_init(Self::new)
    }

    fn new() -> Self {
        let n = POINTS as f64;
        let mut rule = Self { nodes: [0.0; POINTS], weights: [0.0; POINTS], upto: [[0.0; POINTS]; POINTS] };
        for k in 0..POINTS {
            // Newton's method from Tricomi's estimate of the root of P_n.
            let mut x = -(std::f64::consts::PI * (k as f64 + 0.75) / (n + 0.5)).cos();
            for _ in 0..20 {
                let p = legendre(x);
                x -= p[POINTS] * (x * x - 1.0) / (n * (x * p[POINTS] - p[POINTS - 1]));
            }
            rule.nodes[k] = x;
            // At the root P′_n = n P_{n−1}/(1 − x²).
            let before = legendre(x)[POINTS - 1];
            rule.weights[k] = 2.0 * (1.0 - x * x) / (n * before).powi(2);
        }
        for k in 0..POINTS {
            rule.upto[k] = rule.partial(rule.nodes[k]);
        }
        rule
    }

    /// Weights of the integral from −1 to `x` of the polynomial through the nodes.
    pub fn partial(&self, x: f64) -> [f64; POINTS] {
        let at = legendre(x);
        std::array::from_fn(|j| {
            let own = legendre(self.nodes[j]);
            // l_j = w_j Σ (2n+1)/2 P_n(x_j) P_n, and ∫ P_n = (P_{n+1} − P_{n−1})/(2n+1).
            let mut sum = 0.5 * (x + 1.0);
            for n in 1..POINTS {
                sum += 0.5 * own[n] * (at[n + 1] - at[n - 1]);
            }
            self.weights[j] * sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly() {
        let rule = Collocation::get();
        for degree in 0..2 * POINTS as i32 {
            let whole: f64 = (0..POINTS).map(|j| rule.weights[j] * rule.nodes[j].powi(degree)).sum();
            let exact = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
            assert!((whole - exact).abs() < 4e-15, "degree {degree}: {whole}");
        }
        for degree in 0..POINTS as i32 {
            for x in [-0.9, -0.2, 0.55, 1.0] {
                let weights = rule.partial(x);
                let sum: f64 = (0..POINTS).map(|j| weights[j] * rule.nodes[j].powi(degree)).sum();
                let exact = (x.powi(degree + 1) - (-1f64).powi(degree + 1)) / f64::from(degree + 1);
                assert!((sum - exact).abs() < 1e-14, "degree {degree} to {x}: {sum} {exact}");
            }
        }
    }

    #[test]
    fn partial_integrals_are_adjoint() {
        let rule = Collocation::get();
        for j in 0..POINTS {
            for k in 0..POINTS {
                let (a, b) = (rule.weights[j] * rule.upto[j][k], rule.weights[k] * rule.upto[k][j]);
                assert!((a + b - rule.weights[j] * rule.weights[k]).abs() < 1e-15);
            }
        }
    }
}
