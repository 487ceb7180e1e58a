//! Gauss–Legendre collocation: integrals from the beginning of an interval to each of its nodes.
//!
//! With the polynomial through the values at the nodes, ∫ from −1 to x_k is Σ_j A_kj f_j. These are the
//! coefficients of Gauss's Runge–Kutta methods, so that w_j A_jk + w_k A_kj = w_j w_k (E. Hairer, C. Lubich,
//! G. Wanner, *Geometric Numerical Integration*, §II.1 and §VI.4): summing forces beyond a node and
//! integrating displacements up to it are exactly adjoint, as they are in the continuum.

use std::sync::OnceLock;

/// Most nodes of a rule: exact for integrals over the interval up to degree 19.
pub const POINTS: usize = 10;
/// Fewest nodes of a rule.
pub const FEWEST: usize = 4;

/// Nodes, weights and partial integrals on [−1, 1]; of every array the first `count` are the rule's.
#[derive(Clone, Copy, Debug)]
pub struct Collocation {
    /// How many nodes.
    pub count: usize,
    /// Nodes, increasing.
    pub nodes: [f64; POINTS],
    /// Weights; they sum to 2.
    pub weights: [f64; POINTS],
    /// `upto[k][j]` = A_kj.
    pub upto: [[f64; POINTS]; POINTS],
    /// `beyond[k][j]` = w_j − A_kj: the integral from x_k to 1.
    pub beyond: [[f64; POINTS]; POINTS],
    /// Σ_k w_k A_kj = w_j (1 − x_j): the integral of integrals up to a place.
    pub moments: [f64; POINTS],
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
    /// The rule with most nodes; computed once.
    pub fn get() -> &'static Self {
        Self::with(POINTS)
    }

    /// The rule with `count` nodes, or as near as there is one.
    pub fn with(count: usize) -> &'static Self {
        static RULES: OnceLock<[Collocation; POINTS + 1 - FEWEST]> = OnceLock::new();
        let rules = RULES.get_or_init(|| std::array::from_fn(|i| Self::new(FEWEST + i)));
        &rules[count.clamp(FEWEST, POINTS) - FEWEST]
    }

    fn new(count: usize) -> Self {
        let n = count as f64;
        let (one, many) = ([0.0; POINTS], [[0.0; POINTS]; POINTS]);
        let mut rule = Self { count, nodes: one, weights: one, upto: many, beyond: many, moments: one };
        for k in 0..count {
            // Newton's method from Tricomi's estimate of the root of P_n.
            let mut x = -(std::f64::consts::PI * (k as f64 + 0.75) / (n + 0.5)).cos();
            for _ in 0..20 {
                let p = legendre(x);
                x -= p[count] * (x * x - 1.0) / (n * (x * p[count] - p[count - 1]));
            }
            // Exactly as far from the middle as its mirror image, and exactly there.
            let x = if 2 * k + 1 == count { 0.0 } else { x };
            let x = if 2 * k >= count { -rule.nodes[count - 1 - k] } else { x };
            rule.nodes[k] = x;
            // At the root P′_n = n P_{n−1}/(1 − x²).
            let before = legendre(x)[count - 1];
            rule.weights[k] = 2.0 * (1.0 - x * x) / (n * before).powi(2);
        }
        for k in 0..count {
            rule.upto[k] = rule.partial(rule.nodes[k]);
            rule.beyond[k] = std::array::from_fn(|j| rule.weights[j] - rule.upto[k][j]);
            rule.moments[k] = rule.weights[k] * (1.0 - rule.nodes[k]);
        }
        rule
    }

    /// Its nodes.
    pub fn places(&self) -> &[f64] {
        &self.nodes[..self.count]
    }

    /// Weights of the integral from −1 to `x` of the polynomial through the nodes.
    pub fn partial(&self, x: f64) -> [f64; POINTS] {
        let at = legendre(x);
        let mut weights = [0.0; POINTS];
        for (j, weight) in weights[..self.count].iter_mut().enumerate() {
            let own = legendre(self.nodes[j]);
            // l_j = w_j Σ (2n+1)/2 P_n(x_j) P_n, and ∫ P_n = (P_{n+1} − P_{n−1})/(2n+1).
            let mut sum = 0.5 * (x + 1.0);
            for n in 1..self.count {
                sum += 0.5 * own[n] * (at[n + 1] - at[n - 1]);
            }
            *weight = self.weights[j] * sum;
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly() {
        for n in FEWEST..=POINTS {
            let rule = Collocation::with(n);
            for degree in 0..2 * n as i32 {
                let whole: f64 = (0..n).map(|j| rule.weights[j] * rule.nodes[j].powi(degree)).sum();
                let exact = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
                assert!((whole - exact).abs() < 4e-15, "{n} nodes, degree {degree}: {whole}");
            }
            for degree in 0..n as i32 {
                for x in [-0.9, -0.2, 0.55, 1.0] {
                    let weights = rule.partial(x);
                    let sum: f64 = (0..n).map(|j| weights[j] * rule.nodes[j].powi(degree)).sum();
                    let exact = (x.powi(degree + 1) - (-1f64).powi(degree + 1)) / f64::from(degree + 1);
                    assert!((sum - exact).abs() < 1e-14, "{n} nodes, degree {degree} to {x}: {sum} {exact}");
                }
            }
        }
    }

    #[test]
    fn partial_integrals_are_adjoint() {
        for n in FEWEST..=POINTS {
            let rule = Collocation::with(n);
            for j in 0..n {
                for k in 0..n {
                    let (a, b) = (rule.weights[j] * rule.upto[j][k], rule.weights[k] * rule.upto[k][j]);
                    assert!((a + b - rule.weights[j] * rule.weights[k]).abs() < 1e-15);
                }
                let sum: f64 = (0..n).map(|k| rule.weights[k] * rule.upto[k][j]).sum();
                assert!((sum - rule.moments[j]).abs() < 1e-15);
            }
        }
    }
}
