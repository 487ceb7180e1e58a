//! Quadrature on [−1, 1]: Gauss–Legendre, and Lobatto's rules, which have both ends among their nodes.

/// Non-negative nodes and weights of the rule of 20 points; the others mirror them.
const HALF: [(f64, f64); 10] = [
    (0.076_526_521_133_497_34, 0.15275338713072585),
    (0.22778585114164508, 0.14917298647260375),
    (0.37370608871541956, 0.14209610931838205),
    (0.5108670019508271, 0.13168863844917663),
    (0.636_053_680_726_515, 0.11819453196151842),
    (0.746_331_906_460_150_8, 0.10193011981724044),
    (0.839_116_971_822_218_8, 0.083_276_741_576_704_75),
    (0.912_234_428_251_326, 0.062_672_048_334_109_07),
    (0.963_971_927_277_913_8, 0.040_601_429_800_386_94),
    (0.993_128_599_185_094_9, 0.017614007139152118),
];

/// Number of nodes of [`gauss20`].
pub const GAUSS_POINTS: usize = 2 * HALF.len();

/// Nodes and weights of the rule of 20 points, in increasing order: exact up to degree 39.
pub fn gauss20() -> impl Iterator<Item = (f64, f64)> {
    let negative = HALF.iter().rev().map(|&(x, w)| (-x, w));
    negative.chain(HALF.iter().copied())
}

/// Most points of a rule of Lobatto's.
const MOST: usize = 12;

/// A rule of Lobatto's: n points, both ends among them, exact up to degree 2n − 3.
#[derive(Clone, Copy, Debug)]
pub struct Lobatto {
    count: usize,
    nodes: [f64; MOST],
    weights: [f64; MOST],
}

impl Lobatto {
    /// The rule with `count` points, 3 to 12.
    pub fn new(count: usize) -> Self {
        let count = count.clamp(3, MOST);
        let n = count - 1;
        let mut rule = Self { count, nodes: [0.0; MOST], weights: [0.0; MOST] };
        // P_{n−1} and P_n at x.
        let legendre = |x: f64| {
            (1..n).fold((1.0, x), |(before, last), k| {
                let k = k as f64;
                (last, ((2.0 * k + 1.0) * x * last - k * before) / (k + 1.0))
            })
        };
        for k in 0..count {
            // Newton's method for the roots of (1 − x²) P′_n ~ x P_n − P_{n−1}, from those of Chebyshev's rule.
            let mut x = -(std::f64::consts::PI * k as f64 / n as f64).cos();
            for _ in 0..40 {
                let (before, last) = legendre(x);
                x -= (x * last - before) / (count as f64 * last);
            }
            rule.nodes[k] = x;
            rule.weights[k] = 2.0 / ((n * count) as f64 * legendre(x).1.powi(2));
        }
        rule
    }

    /// Nodes beyond the first, with their weights.
    #[inline]
    pub fn beyond_start(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let beyond = 1..self.count;
        self.nodes[beyond.clone()].iter().copied().zip(self.weights[beyond].iter().copied())
    }

    /// The weight of either end.
    pub fn end_weight(&self) -> f64 {
        self.weights[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lobatto_is_exact_to_its_degree() {
        for n in 3..=MOST {
            let rule = Lobatto::new(n);
            let sum = |degree: i32| {
                let beyond: f64 = rule.beyond_start().map(|(x, w)| w * x.powi(degree)).sum();
                beyond + rule.end_weight() * (-1f64).powi(degree)
            };
            let exact = |degree: i32| if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
            for degree in 0..2 * n as i32 - 2 {
                assert!((sum(degree) - exact(degree)).abs() < 2e-15, "{n} points, degree {degree}");
            }
            let beyond = 2 * n as i32 - 2;
            assert!((sum(beyond) - exact(beyond)).abs() > 1e-7, "{n} points: exact beyond its degree");
        }
    }

    #[test]
    fn monomials_are_integrated_exactly() {
        for degree in 0..2 * GAUSS_POINTS as i32 {
            let sum: f64 = gauss20().map(|(x, w)| w * x.powi(degree)).sum();
            let exact = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
            assert!((sum - exact).abs() < 4e-16, "degree {degree}: {sum}");
        }
        let too_high: f64 = gauss20().map(|(x, w)| w * x.powi(40)).sum();
        assert!((too_high - 2.0 / 41.0).abs() > 1e-12, "exact beyond its degree: not this rule");
    }

    #[test]
    fn nodes_increase() {
        let nodes: Vec<f64> = gauss20().map(|(x, _)| x).collect();
        assert!(nodes.len() == GAUSS_POINTS && nodes.windows(2).all(|w| w[0] < w[1]));
    }
}
