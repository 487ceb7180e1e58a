//! Tiny dense kernels that the structured factorisations need; nothing here allocates.

use super::Mat3;

/// Largest border or end block the dense kernels are built for.
pub const MAX: usize = 6;

/// A square matrix of at most [`MAX`] rows, on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    /// Rows in use.
    pub n: usize,
    /// Entries, row by row; those outside `n` are not looked at.
    pub a: [[f64; MAX]; MAX],
}

impl Small {
    /// The zero matrix of `n` rows.
    pub fn zeros(n: usize) -> Self {
        assert!(n <= MAX, "a small matrix has at most {MAX} rows");
        Self { n, a: [[0.0; MAX]; MAX] }
    }

    /// Largest absolute entry.
    pub fn max_abs(&self) -> f64 {
        let n = self.n;
        self.a[..n].iter().flat_map(|row| &row[..n]).fold(0.0, |m, v| m.max(v.abs()))
    }

    /// Factorises with partial pivoting; `None` when a pivot is zero or not finite.
    pub fn lu(&self) -> Option<SmallLu> {
        let n = self.n;
        let mut a = self.a;
        let mut order = [0usize; MAX];
        for k in 0..n {
            let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
            a.swap(k, p);
            order[k] = p;
            let pivot = a[k][k];
            if pivot == 0.0 || !pivot.is_finite() {
                return None;
            }
            for i in k + 1..n {
                let f = a[i][k] / pivot;
                a[i][k] = f;
                for j in k + 1..n {
                    a[i][j] -= f * a[k][j];
                }
            }
        }
        Some(SmallLu { n, a, order })
    }

    /// Number of eigenvalues of the symmetric part below zero.
    pub fn negative_count(&self) -> usize {
        let n = self.n;
        let mut packed = [0.0; MAX * MAX];
        for i in 0..n {
            for j in 0..n {
                packed[i * n + j] = 0.5 * (self.a[i][j] + self.a[j][i]);
            }
        }
        negative_count(&mut packed[..n * n], n)
    }
}

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
            let pivot = a[k * n + k];
            negative += usize::from(pivot < 0.0);
            if pivot != 0.0 {
                for i in k + 1..n {
                    let f = a[i * n + k] / pivot;
                    for j in k + 1..n {
                        a[i * n + j] -= f * a[k * n + j];
                    }
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

/// An LU factorisation of a [`Small`].
#[derive(Clone, Copy, Debug)]
pub struct SmallLu {
    n: usize,
    a: [[f64; MAX]; MAX],
    order: [usize; MAX],
}

impl SmallLu {
    /// Solves in place.
    pub fn solve(&self, b: &mut [f64; MAX]) {
        let n = self.n;
        for k in 0..n {
            b.swap(k, self.order[k]);
        }
        for k in 0..n {
            for i in k + 1..n {
                b[i] -= self.a[i][k] * b[k];
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                b[k] -= self.a[k][j] * b[j];
            }
            b[k] /= self.a[k][k];
        }
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
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    fn small(values: &[f64], n: usize) -> Small {
        let mut m = Small::zeros(n);
        for i in 0..n {
            for j in 0..n {
                m.a[i][j] = values[i * n + j];
            }
        }
        m
    }

    proptest! {
        #[test]
        fn lu_and_inertia_agree_with_dense(values in proptest::collection::vec(-1.0..1.0f64, 36), n in 1usize..=6) {
            let m = small(&values, n);
            let dense = DMatrix::from_fn(n, n, |i, j| m.a[i][j]);
            let symmetric = (&dense + dense.transpose()) * 0.5;
            let eigen = symmetric.symmetric_eigenvalues();
            prop_assume!(eigen.iter().all(|v| v.abs() > 1e-9));
            prop_assert_eq!(m.negative_count(), eigen.iter().filter(|v| **v < 0.0).count());

            prop_assume!(dense.determinant().abs() > 1e-6);
            let b: Vec<f64> = (0..n).map(|i| values[35 - i]).collect();
            let mut x = [0.0; MAX];
            x[..n].copy_from_slice(&b);
            m.lu().unwrap().solve(&mut x);
            let residual = &dense * DVector::from_column_slice(&x[..n]) - DVector::from_vec(b);
            prop_assert!(residual.amax() < 1e-9);
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
        let m = small(&[0.0, 1.0, 1.0, 0.0], 2);
        assert_eq!(m.negative_count(), 1);
    }

    #[test]
    fn singular_is_refused() {
        assert!(small(&[0.0, 0.0, 0.0, 0.0], 2).lu().is_none());
        assert!(inverse3(&Mat3::zeros()).is_none());
    }
}
