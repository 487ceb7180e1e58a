//! A small convex program, dense: ½ xᵀQx + gᵀx subject to A x ≤ b, by a primal–dual interior point method with predictor and corrector
//! (S. Mehrotra, *On the implementation of a primal–dual interior point method*, SIAM J. Optim. 2 (1992) 575–601).

use nalgebra::{DMatrix, DVector};

/// Iterations, and what is left at the end.
const MOST: usize = 80;
const LEFT: f64 = 1e-11;
/// Share of the way to the boundary that a step takes.
const INSIDE: f64 = 0.995;

/// The solution and the multipliers of its inequalities; `None` where it is not found.
pub(super) fn solve(
    q: &DMatrix<f64>,
    g: &DVector<f64>,
    a: &DMatrix<f64>,
    b: &DVector<f64>,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let (n, m) = (g.len(), b.len());
    let mut x = DVector::zeros(n);
    let mut slack = DVector::from_fn(m, |i, _| b[i].max(1.0));
    let mut multipliers = DVector::from_element(m, 1.0);
    let size = 1.0 + g.amax().max(b.amax());
    for _ in 0..MOST {
        let dual = q * &x + g + a.transpose() * &multipliers;
        let primal = a * &x + &slack - b;
        let gap = slack.dot(&multipliers) / m.max(1) as f64;
        if dual.amax().max(primal.amax()).max(gap) <= LEFT * size {
            return Some((x, multipliers));
        }
        let weight = multipliers.component_div(&slack);
        let form = q + a.transpose() * DMatrix::from_diagonal(&weight) * a;
        let factors = form
            .clone()
            .cholesky()
            .or_else(|| (form + DMatrix::identity(n, n) * (1e-13 * (1.0 + weight.amax()))).cholesky())?;
        // Newton's step for a change of s∘λ: δs = −r − A δx, δλ = (t − λ δs)/s.
        let step = |target: &DVector<f64>| {
            let inner = (target + multipliers.component_mul(&primal)).component_div(&slack);
            let right = -&dual - a.transpose() * inner;
            let dx = factors.solve(&right);
            let ds = -&primal - a * &dx;
            let dl = (target - multipliers.component_mul(&ds)).component_div(&slack);
            (dx, ds, dl)
        };
        let longest = |own: &DVector<f64>, by: &DVector<f64>| {
            own.iter().zip(by.iter()).filter(|(_, d)| **d < 0.0).fold(1.0f64, |most, (v, d)| most.min(-v / d))
        };
        let product = slack.component_mul(&multipliers);
        let (_, ds, dl) = step(&-&product);
        let far = longest(&slack, &ds).min(longest(&multipliers, &dl));
        let ahead = (&slack + &ds * far).dot(&(&multipliers + &dl * far)) / m.max(1) as f64;
        let centring = (ahead / gap.max(f64::MIN_POSITIVE)).powi(3).min(1.0);
        let target = DVector::from_element(m, centring * gap) - &product - ds.component_mul(&dl);
        let (dx, ds, dl) = step(&target);
        let far = (INSIDE * longest(&slack, &ds).min(longest(&multipliers, &dl))).min(1.0);
        x += dx * far;
        slack += ds * far;
        multipliers += dl * far;
        if !x.iter().all(|own| own.is_finite()) {
            return None;
        }
    }
    let dual = q * &x + g + a.transpose() * &multipliers;
    let primal = a * &x + &slack - b;
    (dual.amax().max(primal.amax()) <= 1e-6 * size).then_some((x, multipliers))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest point of a triangle to one outside, and a linear program at its corner.
    #[test]
    fn the_nearest_point_and_the_best_corner() {
        let a = DMatrix::from_row_slice(3, 2, &[1.0, 1.0, -1.0, 0.0, 0.0, -1.0]);
        let b = DVector::from_vec(vec![1.0, 0.0, 0.0]);
        let (x, multipliers) = solve(&DMatrix::identity(2, 2), &DVector::from_vec(vec![-2.0, -1.4]), &a, &b)
            .expect("a solution");
        assert!((x - DVector::from_vec(vec![0.8, 0.2])).amax() < 1e-9);
        assert!((multipliers - DVector::from_vec(vec![1.2, 0.0, 0.0])).amax() < 1e-8);
        let (x, _) =
            solve(&DMatrix::zeros(2, 2), &DVector::from_vec(vec![-1.0, -2.0]), &a, &b).expect("a corner");
        assert!((x - DVector::from_vec(vec![0.0, 1.0])).amax() < 1e-9);
    }
}
