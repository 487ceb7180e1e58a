//! Dense LU factorisation with row pivoting, in memory that is kept between calls.

/// Columns that are eliminated together, and how many of them at once.
const BLOCK: usize = 32;
const AT_ONCE: usize = 8;
/// Columns that are changed together.
const TILE: usize = 96;

/// A square matrix by rows, then its factors.
#[derive(Clone, Debug, Default)]
pub struct Lu {
    entries: Vec<f64>,
    pivots: Vec<usize>,
    n: usize,
}

impl Lu {
    /// Zeros of `n` rows to be filled, by rows.
    pub fn cleared(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
        &mut self.entries
    }

    /// Factorises what was filled in; false where a pivot vanishes or a number is none.
    ///
    /// Columns are eliminated in blocks: all that is right of and below a block is changed by its columns together, in tiles that stay
    /// in the nearest memory. By single columns a large matrix would pass through it once for each of them.
    pub fn factorise(&mut self) -> bool {
        self.pivots.clear();
        for from in (0..self.n).step_by(BLOCK) {
            let to = self.n.min(from + BLOCK);
            if !self.eliminate_block(from, to) {
                return false;
            }
            self.change_rows(from, to);
            self.change_rest(from, to);
        }
        true
    }

    /// Eliminates columns `from` to `to` within themselves.
    fn eliminate_block(&mut self, from: usize, to: usize) -> bool {
        let n = self.n;
        for k in from..to {
            let mut pivot = k;
            for i in k + 1..n {
                if self.entries[i * n + k].abs() > self.entries[pivot * n + k].abs() {
                    pivot = i;
                }
            }
            self.pivots.push(pivot);
            let (above, below) = self.entries.split_at_mut((k + 1) * n);
            let top = &mut above[k * n..];
            if pivot > k {
                let start = (pivot - k - 1) * n;
                top.swap_with_slice(&mut below[start..start + n]);
            }
            let inverse = 1.0 / top[k];
            if !inverse.is_finite() {
                return false;
            }
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] * inverse;
                row[k] = factor;
                if factor != 0.0 {
                    for (r, t) in row[k + 1..to].iter_mut().zip(&top[k + 1..to]) {
                        *r -= factor * t;
                    }
                }
            }
        }
        true
    }

    /// What is right of a block in its own rows.
    fn change_rows(&mut self, from: usize, to: usize) {
        let n = self.n;
        for k in from..to {
            let (above, below) = self.entries.split_at_mut((k + 1) * n);
            let top = &above[k * n + to..];
            for row in below.chunks_exact_mut(n).take(to - k - 1) {
                let factor = row[k];
                row[to..].iter_mut().zip(top).for_each(|(r, t)| *r -= factor * t);
            }
        }
    }

    /// What is right of and below a block; there is such only where the block is whole.
    fn change_rest(&mut self, from: usize, to: usize) {
        let n = self.n;
        let (above, below) = self.entries.split_at_mut(to * n);
        for first in (to..n).step_by(TILE) {
            let width = TILE.min(n - first);
            for row in below.chunks_exact_mut(n) {
                let (factors, rest) = row.split_at_mut(to);
                let target = &mut rest[first - to..first - to + width];
                for k in (from..to).step_by(AT_ONCE) {
                    let f: [f64; AT_ONCE] = std::array::from_fn(|j| factors[k + j]);
                    let t: [&[f64]; AT_ONCE] =
                        std::array::from_fn(|j| &above[(k + j) * n + first..(k + j) * n + first + width]);
                    for c in 0..width {
                        let (low, high) = (
                            f[0] * t[0][c] + f[1] * t[1][c] + f[2] * t[2][c] + f[3] * t[3][c],
                            f[4] * t[4][c] + f[5] * t[5][c] + f[6] * t[6][c] + f[7] * t[7][c],
                        );
                        target[c] -= low + high;
                    }
                }
            }
        }
    }

    /// Solves for a right-hand side in place, after [`Lu::factorise`]; false where a number overflows.
    pub fn solve(&self, b: &mut [f64]) -> bool {
        let n = self.n;
        for (k, &pivot) in self.pivots.iter().enumerate() {
            b.swap(k, pivot);
        }
        for i in 0..n {
            let row = &self.entries[i * n..i * n + i];
            let known: f64 = row.iter().zip(&*b).map(|(l, x)| l * x).sum();
            b[i] -= known;
        }
        for i in (0..n).rev() {
            let row = &self.entries[i * n..(i + 1) * n];
            let known: f64 = row[i + 1..].iter().zip(&b[i + 1..]).map(|(u, x)| u * x).sum();
            b[i] = (b[i] - known) / row[i];
        }
        b.iter().all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn solves_as_a_plain_factorisation_does() {
        for n in [1, 2, 7, 32, 40, 64, 133] {
            // A zero in the first place, so that rows must be swapped.
            let a = DMatrix::from_fn(n, n, |i, j| {
                if i + j == 0 && n > 1 { 0.0 } else { (1.3 * i as f64 + 0.7 * (j * j) as f64 + 0.2).sin() }
            });
            let a = a + DMatrix::from_fn(n, n, |i, j| f64::from(u8::from(i + 1 == j || i == j + 1)));
            let b = DVector::from_fn(n, |i, _| (0.9 * i as f64).cos());
            let mut lu = Lu::default();
            let entries = lu.cleared(n);
            for i in 0..n {
                for j in 0..n {
                    entries[i * n + j] = a[(i, j)];
                }
            }
            let mut x = b.as_slice().to_vec();
            assert!(lu.factorise() && lu.solve(&mut x));
            let left = (&a * DVector::from_vec(x) - &b).norm();
            assert!(left < 1e-11 * b.norm(), "{n}: {left:e}");
        }
    }

    #[test]
    fn what_is_singular_is_told() {
        let mut lu = Lu::default();
        lu.cleared(2).copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.factorise());
        lu.cleared(1)[0] = f64::NAN;
        assert!(!lu.factorise());
        lu.cleared(0);
        assert!(lu.factorise() && lu.solve(&mut []));
    }
}
