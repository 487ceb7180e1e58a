//! Gauss–Legendre quadrature on [−1, 1].

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

#[cfg(test)]
mod tests {
    use super::*;

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
