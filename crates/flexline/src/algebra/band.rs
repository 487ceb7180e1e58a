//! A symmetric banded matrix and its Cholesky factorisation, row by row.

/// Lower half of a symmetric matrix of given half-bandwidth.
#[derive(Clone, Debug, Default)]
pub struct Banded {
    n: usize,
    width: usize,
    /// Row i holds columns i − width … i.
    a: Vec<f64>,
}

/// The matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositive;

impl Banded {
    /// The zero matrix of `n` rows with `width` entries left of the diagonal.
    pub fn zeros(n: usize, width: usize) -> Self {
        Self { n, width, a: vec![0.0; n * (width + 1)] }
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.a.fill(0.0);
    }

    /// Becomes the zero matrix of another size; allocates only where it grows.
    pub fn reset(&mut self, n: usize, width: usize) {
        (self.n, self.width) = (n, width);
        self.a.clear();
        self.a.resize(n * (width + 1), 0.0);
    }

    #[inline]
    fn at(&self, i: usize, j: usize) -> usize {
        i * (self.width + 1) + self.width + j - i
    }

    /// Adds to entry (i, j); only the lower half is kept, so add each pair once, as i ≥ j.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        debug_assert!(i >= j && i - j <= self.width);
        let k = self.at(i, j);
        self.a[k] += value;
    }

    /// Makes row and column `i` those of the identity: a held unknown.
    pub fn hold(&mut self, i: usize) {
        for j in i.saturating_sub(self.width)..i {
            let k = self.at(i, j);
            self.a[k] = 0.0;
        }
        for r in i + 1..(i + self.width + 1).min(self.n) {
            let k = self.at(r, i);
            self.a[k] = 0.0;
        }
        let k = self.at(i, i);
        self.a[k] = 1.0;
    }

    /// out = A v.
    pub fn times(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..self.n {
            for j in i.saturating_sub(self.width)..i {
                let a = self.a[self.at(i, j)];
                out[i] += a * v[j];
                out[j] += a * v[i];
            }
            out[i] += self.a[self.at(i, i)] * v[i];
        }
    }

    /// Replaces the matrix by its Cholesky factor.
    pub fn factorise(&mut self) -> Result<(), NotPositive> {
        for i in 0..self.n {
            let first = i.saturating_sub(self.width);
            for j in first..=i {
                let mut sum = self.a[self.at(i, j)];
                for k in first.max(j.saturating_sub(self.width))..j {
                    sum -= self.a[self.at(i, k)] * self.a[self.at(j, k)];
                }
                let slot = self.at(i, j);
                if i == j {
                    if !(sum > 0.0 && sum.is_finite()) {
                        return Err(NotPositive);
                    }
                    self.a[slot] = sum.sqrt();
                } else {
                    self.a[slot] = sum / self.a[self.at(j, j)];
                }
            }
        }
        Ok(())
    }

    /// Solves in place with the factor.
    pub fn solve(&self, b: &mut [f64]) {
        for i in 0..self.n {
            let mut sum = b[i];
            for k in i.saturating_sub(self.width)..i {
                sum -= self.a[self.at(i, k)] * b[k];
            }
            b[i] = sum / self.a[self.at(i, i)];
        }
        for i in (0..self.n).rev() {
            b[i] /= self.a[self.at(i, i)];
            for k in i.saturating_sub(self.width)..i {
                b[k] -= self.a[self.at(i, k)] * b[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(n: usize, width: usize) -> Banded {
        let mut m = Banded::zeros(n, width);
        for i in 0..n {
            for j in i.saturating_sub(width)..i {
                m.add(i, j, ((3 * i + 5 * j) % 7) as f64 / 7.0 - 0.4);
            }
            m.add(i, i, 2.0 + width as f64);
        }
        m
    }

    #[test]
    fn solving_inverts_multiplying() {
        let m = sample(40, 11);
        let x: Vec<f64> = (0..40).map(|i| (i as f64).sin()).collect();
        let mut b = vec![0.0; 40];
        m.times(&x, &mut b);
        let mut factor = m;
        factor.factorise().unwrap();
        factor.solve(&mut b);
        for (a, b) in x.iter().zip(&b) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn indefinite_is_refused_and_held_rows_stay() {
        let mut m = sample(10, 3);
        m.add(4, 4, -20.0);
        assert_eq!(m.clone().factorise(), Err(NotPositive));
        m.hold(4);
        m.factorise().unwrap();
        let mut b = vec![1.0; 10];
        b[4] = 0.0;
        m.solve(&mut b);
        assert_eq!(b[4], 0.0);
    }
}
