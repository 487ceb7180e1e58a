//! GMRES: a linear equation of which only products with its matrix are at hand.
//!
//! Y. Saad, M. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856–869: the vector of the Krylov space that leaves least of
//! the equation, by Arnoldi's process and Givens's rotations.

use nalgebra::DVector;

/// Solves A x = b, `apply` being A times a vector, in at most `most` products, or fewer where less than `tolerance` of b
/// is left. `None` where numbers overflow or nothing is gained.
pub fn gmres(
    mut apply: impl FnMut(&DVector<f64>) -> DVector<f64>,
    b: &DVector<f64>,
    most: usize,
    tolerance: f64,
) -> Option<DVector<f64>> {
    let size = b.norm();
    if size == 0.0 {
        return Some(b.clone());
    }
    let mut basis = vec![b / size];
    // Columns of the triangular factor, the rotations that made it, and the right-hand side under them.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    let mut right = vec![size];
    for k in 0..most {
        let mut next = apply(&basis[k]);
        let whole = next.norm();
        let mut column: Vec<f64> = Vec::with_capacity(k + 2);
        for v in &basis {
            let along = v.dot(&next);
            next.axpy(-along, v, 1.0);
            column.push(along);
        }
        let beyond = next.norm();
        if !beyond.is_finite() {
            return None;
        }
        column.push(beyond);
        for (i, (c, s)) in rotations.iter().enumerate() {
            (column[i], column[i + 1]) =
                (c * column[i] + s * column[i + 1], c * column[i + 1] - s * column[i]);
        }
        let length = column[k].hypot(column[k + 1]);
        if length <= f64::EPSILON * whole || length == 0.0 {
            // The matrix is singular on this space.
            break;
        }
        let (c, s) = (column[k] / length, column[k + 1] / length);
        column.truncate(k);
        column.push(length);
        right.push(-s * right[k]);
        right[k] *= c;
        rotations.push((c, s));
        columns.push(column);
        if right[k + 1].abs() <= tolerance * size || beyond <= f64::EPSILON * whole {
            break;
        }
        basis.push(next / beyond);
    }
    let count = columns.len();
    let mut weights = right[..count].to_vec();
    for i in (0..count).rev() {
        weights[i] /= columns[i][i];
        for j in 0..i {
            weights[j] -= columns[i][j] * weights[i];
        }
    }
    (count > 0).then(|| basis.iter().zip(&weights).map(|(v, w)| v * *w).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn solves_what_is_not_symmetric() {
        let n = 12;
        let a = DMatrix::from_fn(n, n, |i, j| {
            f64::from(u8::from(i == j)) + 0.3 * (1.7 * i as f64 - 0.4 * (j * j) as f64).sin()
        });
        let b = DVector::from_fn(n, |i, _| (0.9 * i as f64).cos());
        let mut products = 0;
        let mut apply = |v: &DVector<f64>| {
            products += 1;
            &a * v
        };
        let x = gmres(&mut apply, &b, n, 1e-13).expect("regular");
        assert!((&a * &x - &b).norm() < 1e-11 * b.norm());
        assert!(products <= n);
        // The identity takes one product, and what vanishes none.
        let mut count = 0;
        let mut same = |v: &DVector<f64>| {
            count += 1;
            v.clone()
        };
        assert!((gmres(&mut same, &b, n, 1e-13).expect("regular") - &b).norm() < 1e-15);
        assert_eq!(gmres(&mut same, &DVector::zeros(n), n, 1e-13), Some(DVector::zeros(n)));
        assert_eq!(count, 1);
        // A matrix that is zero leads nowhere.
        assert_eq!(gmres(|v: &DVector<f64>| v * 0.0, &b, n, 1e-13), None);
    }
}
