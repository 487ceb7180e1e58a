//! Acceleration of fixed-point iterations: D. G. Anderson, J. ACM 12 (1965) 547–560.

use nalgebra::{DMatrix, DVector};

/// Rounds that it remembers.
const MEMORY: usize = 4;

/// Acceleration of x ← g(x).
#[derive(Default)]
pub(in crate::solver) struct Anderson {
    /// x and g(x) − x of the rounds before.
    past: Vec<(DVector<f64>, DVector<f64>)>,
}

impl Anderson {
    /// The next x, from x and g(x).
    pub(in crate::solver) fn next(&mut self, x: &[f64], g: &[f64]) -> Vec<f64> {
        let x = DVector::from_column_slice(x);
        let off = DVector::from_column_slice(g) - &x;
        let mut next = &x + &off;
        let count = self.past.len();
        if count > 0 {
            let mut moves = DMatrix::zeros(x.len(), count);
            let mut changes = DMatrix::zeros(x.len(), count);
            for (k, (old_x, old_off)) in self.past.iter().enumerate() {
                moves.set_column(k, &(&x - old_x));
                changes.set_column(k, &(&off - old_off));
            }
            if let Ok(gamma) = changes.clone().svd(true, true).solve(&off, 1e-12 * changes.amax()) {
                next -= (moves + changes) * gamma;
            }
        }
        if next.iter().any(|b| !b.is_finite()) {
            next = &x + &off;
            self.past.clear();
        }
        self.past.push((x, off));
        if self.past.len() > MEMORY {
            self.past.remove(0);
        }
        next.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acceleration_finds_the_fixed_point_of_a_slow_map() {
        // Two coupled eyes with contraction 0.999.
        let g = |x: &[f64]| vec![0.999 * x[0] + 0.5, 0.4 * x[0] - 0.998 * x[1] + 1.0];
        let mut x = vec![0.0, 0.0];
        let mut memory = Anderson::default();
        for _ in 0..8 {
            x = memory.next(&x.clone(), &g(&x));
        }
        assert!((x[0] - 500.0).abs() < 1e-6 && (x[1] - 201.0 / 1.998).abs() < 1e-6, "{x:?}");
    }
}
