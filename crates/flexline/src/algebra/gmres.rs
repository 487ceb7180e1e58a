//! GMRES: a linear equation of which only products with its matrix are at hand.
//!
//! Y. Saad, M. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856–869: the vector of the Krylov space that leaves least of
//! the equation, by Arnoldi's process and Givens's rotations.

/// Room for the method; kept between calls.
#[derive(Clone, Debug, Default)]
pub struct Gmres {
    basis: Vec<Vec<f64>>,
    /// Columns of the triangular factor, the rotations that made it, and the right-hand side under them.
    columns: Vec<Vec<f64>>,
    rotations: Vec<(f64, f64)>,
    right: Vec<f64>,
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// `all[k]`, empty: what was there leaves its memory.
fn cleared(all: &mut Vec<Vec<f64>>, k: usize) -> &mut Vec<f64> {
    if all.len() <= k {
        all.resize_with(k + 1, Vec::new);
    }
    all[k].clear();
    &mut all[k]
}

impl Gmres {
    /// Solves A x = b, `apply` writing A times its first argument into the second, in at most `most` products, or fewer
    /// where less than `tolerance` of b is left. False, and x zero, where numbers overflow or nothing is gained.
    pub fn solve(
        &mut self,
        mut apply: impl FnMut(&[f64], &mut Vec<f64>),
        b: &[f64],
        most: usize,
        tolerance: f64,
        x: &mut Vec<f64>,
    ) -> bool {
        x.clear();
        x.resize(b.len(), 0.0);
        let size = norm(b);
        if size == 0.0 {
            return true;
        }
        cleared(&mut self.basis, 0).extend(b.iter().map(|c| c / size));
        self.rotations.clear();
        self.right.clear();
        self.right.push(size);
        let mut count = 0;
        for k in 0..most {
            cleared(&mut self.basis, k + 1);
            let (before, next) = self.basis.split_at_mut(k + 1);
            let next = &mut next[0];
            apply(&before[k], next);
            let whole = norm(next);
            let column = cleared(&mut self.columns, k);
            for v in before.iter() {
                let along: f64 = v.iter().zip(next.iter()).map(|(a, b)| a * b).sum();
                next.iter_mut().zip(v).for_each(|(n, v)| *n -= along * v);
                column.push(along);
            }
            let beyond = norm(next);
            if !beyond.is_finite() {
                return false;
            }
            column.push(beyond);
            for (i, (c, s)) in self.rotations.iter().enumerate() {
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
            self.right.push(-s * self.right[k]);
            self.right[k] *= c;
            self.rotations.push((c, s));
            count = k + 1;
            if self.right[k + 1].abs() <= tolerance * size || beyond <= f64::EPSILON * whole {
                break;
            }
            next.iter_mut().for_each(|c| *c /= beyond);
        }
        for i in (0..count).rev() {
            self.right[i] /= self.columns[i][i];
            for j in 0..i {
                self.right[j] -= self.columns[i][j] * self.right[i];
            }
        }
        for (v, w) in self.basis.iter().zip(&self.right).take(count) {
            x.iter_mut().zip(v).for_each(|(x, v)| *x += w * v);
        }
        count > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn solves_what_is_not_symmetric() {
        let n = 12;
        let a = DMatrix::from_fn(n, n, |i, j| {
            f64::from(u8::from(i == j)) + 0.3 * (1.7 * i as f64 - 0.4 * (j * j) as f64).sin()
        });
        let b = DVector::from_fn(n, |i, _| (0.9 * i as f64).cos());
        let mut gmres = Gmres::default();
        let mut x = Vec::new();
        let mut products = 0;
        let apply = |v: &[f64], out: &mut Vec<f64>| {
            products += 1;
            out.extend_from_slice((&a * DVector::from_column_slice(v)).as_slice());
        };
        assert!(gmres.solve(apply, b.as_slice(), n, 1e-13, &mut x));
        assert!((&a * DVector::from_column_slice(&x) - &b).norm() < 1e-11 * b.norm());
        assert!(products <= n);
        // The identity takes one product, and what vanishes none.
        let mut count = 0;
        let mut same = |v: &[f64], out: &mut Vec<f64>| {
            count += 1;
            out.extend_from_slice(v);
        };
        assert!(gmres.solve(&mut same, b.as_slice(), n, 1e-13, &mut x));
        assert!((DVector::from_column_slice(&x) - &b).norm() < 1e-15);
        assert!(gmres.solve(&mut same, &[0.0; 12], n, 1e-13, &mut x));
        assert_eq!((x.as_slice(), count), ([0.0; 12].as_slice(), 1));
        // A matrix that is zero leads nowhere.
        let nothing = |v: &[f64], out: &mut Vec<f64>| out.resize(v.len(), 0.0);
        assert!(!gmres.solve(nothing, b.as_slice(), n, 1e-13, &mut x));
        assert_eq!(x, [0.0; 12]);
    }
}
