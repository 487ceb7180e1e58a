//! Tiny dense kernels that the structured factorisations need; nothing here allocates.

use super::Mat3;

/// Number of negative eigenvalues of a dense symmetric matrix of `n` rows, by symmetric elimination
/// with 1×1 and 2×2 pivots (Bunch–Parlett). Overwrites the matrix.
pub fn negative_count(a: &mut [f64], n: usize) -> usize {
    let alpha = (1.0 + 17f64.sqrt()) / 8.0;
    let (mut k, mut negative) = (0, 0);
    while k < n {
        let (mut off, mut r, mut c, mut diag, mut d) = (0.0, k, k, -1.0, k);
        for i in k..n {
            if a[i * n + i].abs() > diag {
                (diag, d) = (a[i * n + i].abs(), i);
            }
            for j in k..i {
                if a[i * n + j].abs() > off {
                    (off, r, c) = (a[i * n + j].abs(), i, j);
                }
            }
        }
        if diag < 0.0 && off == 0.0 {
            // No number among them: nothing is positive.
            return n;
        }
        if diag >= alpha * off {
            swap_symmetric(a, n, k, d);
            let (above, below) = a.split_at_mut((k + 1) * n);
            let row = &above[k * n + k..];
            let pivot = row[0];
            negative += usize::from(pivot < 0.0);
            if pivot != 0.0 {
                for own in below.chunks_exact_mut(n) {
                    let f = own[k] / pivot;
                    own[k + 1..].iter_mut().zip(&row[1..]).for_each(|(a, b)| *a -= f * b);
                }
            }
            k += 1;
        } else {
            // A 2×2 pivot dominated by its off-diagonal entry: one eigenvalue of each sign.
            swap_symmetric(a, n, k, c);
            swap_symmetric(a, n, k + 1, r);
            negative += 1;
            let (p, q, s) = (a[k * n + k], a[k * n + k + 1], a[(k + 1) * n + k + 1]);
            let det = p * s - q * q;
            for i in k + 2..n {
                let (u, v) = (a[i * n + k], a[i * n + k + 1]);
                let (f0, f1) = ((u * s - v * q) / det, (v * p - u * q) / det);
                for j in k + 2..n {
                    a[i * n + j] -= f0 * a[k * n + j] + f1 * a[(k + 1) * n + j];
                }
            }
            k += 2;
        }
    }
    negative
}

fn swap_symmetric(a: &mut [f64], n: usize, i: usize, j: usize) {
    if i == j {
        return;
    }
    for c in 0..n {
        a.swap(i * n + c, j * n + c);
    }
    for r in 0..n {
        a.swap(r * n + i, r * n + j);
    }
}

/// Inverse of a 3×3 matrix by cofactors; `None` when it is singular to working precision.
#[inline]
pub fn inverse3(m: &Mat3) -> Option<Mat3> {
    let (a, b, c) = (m.column(0), m.column(1), m.column(2));
    let r0 = b.cross(&c);
    let r1 = c.cross(&a);
    let r2 = a.cross(&b);
    let det = a.dot(&r0);
    let scale = m.amax();
    // Negated so that a NaN is refused too.
    let regular = det.abs() > 1e-40 * scale * scale * scale && det.is_finite();
    if !regular {
        return None;
    }
    let k = 1.0 / det;
    Some(Mat3::from_rows(&[r0.transpose() * k, r1.transpose() * k, r2.transpose() * k]))
}

/// Number of negative eigenvalues of the symmetric part of a 3×3 matrix, by its leading minors.
#[inline]
pub fn negative_count3(m: &Mat3) -> usize {
    let (a, d, f) = (m.m11, m.m22, m.m33);
    let (b, c, e) = (0.5 * (m.m12 + m.m21), 0.5 * (m.m13 + m.m31), 0.5 * (m.m23 + m.m32));
    let d2 = a * d - b * b;
    let d3 = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
    usize::from(a < 0.0) + usize::from((d2 < 0.0) != (a < 0.0)) + usize::from((d3 < 0.0) != (d2 < 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn inertia_agrees_with_dense(values in proptest::collection::vec(-1.0..1.0f64, 36), n in 1usize..=6) {
            let dense = DMatrix::from_fn(n, n, |i, j| values[i * n + j] + values[j * n + i]);
            let eigen = dense.clone().symmetric_eigenvalues();
            prop_assume!(eigen.iter().all(|v| v.abs() > 1e-9));
            let mut packed: Vec<f64> = dense.iter().copied().collect();
            prop_assert_eq!(negative_count(&mut packed, n), eigen.iter().filter(|v| **v < 0.0).count());
        }

        #[test]
        fn three_by_three(values in proptest::collection::vec(-1.0..1.0f64, 9)) {
            let m = Mat3::from_row_slice(&values);
            let symmetric = (m + m.transpose()) * 0.5;
            let eigen = symmetric.symmetric_eigenvalues();
            prop_assume!(eigen.iter().all(|v| v.abs() > 1e-9));
            prop_assert_eq!(negative_count3(&m), eigen.iter().filter(|v| **v < 0.0).count());
            prop_assume!(m.determinant().abs() > 1e-6);
            prop_assert!((m * inverse3(&m).unwrap() - Mat3::identity()).amax() < 1e-8);
        }
    }

    #[test]
    fn indefinite_with_zero_diagonal() {
        assert_eq!(negative_count(&mut [0.0, 1.0, 1.0, 0.0], 2), 1);
    }

    #[test]
    fn singular_is_refused() {
        assert!(inverse3(&Mat3::zeros()).is_none());
    }
}
