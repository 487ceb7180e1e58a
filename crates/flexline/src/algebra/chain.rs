//! Exact factorisation of the equilibrium matrix of a chain of frames and positions.
//!
//! Unknowns, in the order of the chain: f_0 x_0 f_1 x_1 … f_n x_n f_{n+1}. The frames f_j (small
//! rotations) carry the energy; the positions follow them exactly,
//!
//! ```text
//! x_{j+1} = x_j + G_j f_{j+1}           (j = 0 … n−1)
//! ```
//!
//! so the matrix is that of a linear–quadratic control problem: state (f_j, x_j), control f_{j+1}.
//! Eliminating from the far end (a Riccati recursion) reduces the saddle-point system with the
//! constraints' multipliers *exactly* to its first block, with 3×3 pivots, in O(n). The matrix is symmetric: what
//! follower loads and dead moments add is treated apart.
//!
//! The pivots count the negative directions of the quadratic form on the constraint tangent
//! (Sylvester's law of inertia), so every factorisation is also a stability test.
//!
//! Reference: D. P. Bertsekas, *Dynamic Programming and Optimal Control*, §4.1 (Riccati);
//! N. I. M. Gould, *Math. Programming* 32 (1985) 90–99 (inertia of saddle-point systems).

use super::small::{inverse3, negative_count3};
use super::{Mat3, Vec3};

/// The symmetric matrix, block by block. `n + 1` blocks (frame, position) and one last frame.
#[derive(Clone, Debug)]
pub struct ChainMatrix {
    /// Row f_j, column f_j; n + 2 of them.
    pub ff: Vec<Mat3>,
    /// Row f_j, column f_{j+1}; n + 1 of them.
    pub upper: Vec<Mat3>,
    /// Row x_j, column x_j; n + 1 of them, or none where they are all zero.
    pub xx: Vec<Mat3>,
    /// Row f_j, column x_j; n + 1 of them, or none where they are all zero.
    pub fx: Vec<Mat3>,
    /// Row x_j, column f_{j+1}; n of them, or none where they are all zero.
    pub xf: Vec<Mat3>,
    /// G_j: how x_{j+1} − x_j turns with f_{j+1}; n of them.
    pub lever: Vec<Mat3>,
}

impl ChainMatrix {
    /// The zero matrix of a chain of `n` segments.
    pub fn zeros(n: usize) -> Self {
        let zeros = |count| vec![Mat3::zeros(); count];
        Self {
            ff: zeros(n + 2),
            upper: zeros(n + 1),
            xx: Vec::new(),
            fx: Vec::new(),
            xf: Vec::new(),
            lever: zeros(n),
        }
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.lever.len()
    }

    /// Makes room for a chain of `n` segments; what was there means nothing.
    pub fn fit(&mut self, n: usize) {
        self.ff.resize(n + 2, Mat3::zeros());
        self.upper.resize(n + 1, Mat3::zeros());
        self.xx.clear();
        self.fx.clear();
        self.xf.clear();
        self.lever.resize(n, Mat3::zeros());
    }

    /// Row x_j, column x_j, to add to.
    pub fn at(&mut self, j: usize) -> &mut Mat3 {
        self.xx.resize(self.upper.len(), Mat3::zeros());
        &mut self.xx[j]
    }

    /// Row x_j, column f_{j+1}, to add to.
    pub fn ahead(&mut self, j: usize) -> &mut Mat3 {
        self.xf.resize(self.lever.len(), Mat3::zeros());
        &mut self.xf[j]
    }

    /// Row f_j, column x_j, to add to.
    pub fn between(&mut self, j: usize) -> &mut Mat3 {
        self.fx.resize(self.upper.len(), Mat3::zeros());
        &mut self.fx[j]
    }
}

/// A vector over the chain.
#[derive(Clone, Debug)]
pub struct ChainVector {
    /// Frames; n + 2 of them.
    pub f: Vec<Vec3>,
    /// Positions; n + 1 of them.
    pub x: Vec<Vec3>,
}

impl ChainVector {
    /// The zero vector of a chain of `n` segments.
    pub fn zeros(n: usize) -> Self {
        Self { f: vec![Vec3::zeros(); n + 2], x: vec![Vec3::zeros(); n + 1] }
    }

    /// Makes room for a chain of `n` segments; what was there means nothing.
    pub fn fit(&mut self, n: usize) {
        self.f.resize(n + 2, Vec3::zeros());
        self.x.resize(n + 1, Vec3::zeros());
    }

    /// Sets it to zero.
    pub fn clear(&mut self) {
        self.f.fill(Vec3::zeros());
        self.x.fill(Vec3::zeros());
    }

    /// self += k·other.
    pub fn add_scaled(&mut self, k: f64, other: &Self) {
        for (a, b) in self.f.iter_mut().zip(&other.f) {
            *a += k * b;
        }
        for (a, b) in self.x.iter_mut().zip(&other.x) {
            *a += k * b;
        }
    }
}

/// One eliminated frame.
#[derive(Clone, Copy, Debug)]
struct Stage {
    inverse: Mat3,
    // u = inverse·γ − from_frame·f_j − from_position·x_j
    from_frame: Mat3,
    from_position: Mat3,
    lever: Mat3,
}

/// What is left on the first block (f_0, x_0) after all other frames are eliminated; row x, column f is the transpose
/// of `fx`.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// Row f_0, column f_0.
    pub ff: Mat3,
    /// Row f_0, column x_0.
    pub fx: Mat3,
    /// Row x_0, column x_0.
    pub xx: Mat3,
}

/// Three rows of the six columns of a border.
type Six = [[f64; 6]; 3];

/// A border of six columns, eliminated down to the first block.
#[derive(Clone, Copy, Debug)]
pub struct Border {
    /// What it leaves on f_0 and on x_0, column by column.
    pub left: [(Vec3, Vec3); 6],
    /// CᵀK⁻¹C, with the first block held.
    pub form: [[f64; 6]; 6],
}

/// a b.
#[inline]
fn times(a: &Mat3, b: &Six) -> Six {
    std::array::from_fn(|r| {
        std::array::from_fn(|c| a[(r, 0)] * b[0][c] + a[(r, 1)] * b[1][c] + a[(r, 2)] * b[2][c])
    })
}

/// Its symmetric part: what round-off makes of a block that stands for both halves would grow along the chain.
fn symmetric(a: &Mat3) -> Mat3 {
    (a + a.transpose()) * 0.5
}

/// The factorisation; memory is kept between calls.
#[derive(Clone, Debug)]
pub struct ChainFactor {
    stages: Vec<Stage>,
    /// Whether positions bear anything of their own; where none does, all that depends on them is zero and left out.
    bears: bool,
    negative: usize,
    base: Base,
}

/// A pivot was singular to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularPivot;

impl ChainFactor {
    /// Room for a chain of `n` segments.
    pub fn new(n: usize) -> Self {
        let zero = Mat3::zeros();
        let stage = Stage { inverse: zero, from_frame: zero, from_position: zero, lever: zero };
        Self {
            stages: vec![stage; n + 1],
            bears: false,
            negative: 0,
            base: Base { ff: zero, fx: zero, xx: zero },
        }
    }

    /// Number of negative directions among the frames that the last factorisation eliminated.
    pub fn negative(&self) -> usize {
        self.negative
    }

    /// Factorises `m` down to its first block; the last frame is held (zero) where asked.
    pub fn factorise(&mut self, m: &ChainMatrix, last_held: bool) -> Result<(), SingularPivot> {
        let n = m.segments();
        debug_assert_eq!(self.stages.len(), n + 1);
        self.negative = 0;

        // The last frame has no position behind it.
        let (inverse, from_frame) = if last_held {
            (Mat3::zeros(), Mat3::zeros())
        } else {
            let pivot = m.ff[n + 1];
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            self.negative += negative_count3(&pivot);
            (inverse, inverse * m.upper[n].transpose())
        };
        let mut stage = Stage { inverse, from_frame, from_position: Mat3::zeros(), lever: Mat3::zeros() };
        self.stages[n] = stage;
        let mut p_ff = m.ff[n] - m.upper[n] * from_frame;
        self.bears = !(m.xx.is_empty() && m.fx.is_empty() && m.xf.is_empty());
        if !self.bears {
            for j in (0..n).rev() {
                let upper = &m.upper[j];
                stage.inverse = inverse3(&p_ff).ok_or(SingularPivot)?;
                self.negative += negative_count3(&p_ff);
                stage.from_frame = stage.inverse * upper.transpose();
                stage.lever = m.lever[j];
                self.stages[j] = stage;
                p_ff = m.ff[j] - upper * stage.from_frame;
            }
            self.base = Base { ff: p_ff, fx: Mat3::zeros(), xx: Mat3::zeros() };
            return Ok(());
        }
        let mut p_fx = m.fx.get(n).copied().unwrap_or_default();
        let mut p_xx = m.xx.get(n).copied().unwrap_or_default();

        for j in (0..n).rev() {
            let g = &m.lever[j];
            let mut turned = p_fx.transpose() + p_xx * g;
            let pivot = p_ff + p_fx * g + g.tr_mul(&turned);
            if let Some(own) = m.xf.get(j) {
                turned += own;
            }
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            self.negative += negative_count3(&pivot);
            let from_frame = inverse * m.upper[j].transpose();
            let from_position = inverse * turned.transpose();
            self.stages[j] = Stage { inverse, from_frame, from_position, lever: *g };
            p_ff = m.ff[j] - m.upper[j] * from_frame;
            p_fx = -m.upper[j] * from_position;
            if let Some(own) = m.fx.get(j) {
                p_fx += own;
            }
            p_xx = symmetric(&(p_xx - turned * from_position));
            if let Some(own) = m.xx.get(j) {
                p_xx += own;
            }
        }
        self.base = Base { ff: p_ff, fx: p_fx, xx: p_xx };
        Ok(())
    }

    /// What the last factorisation has left on the first block, as if nothing held it.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// Eliminates the border of an end: three columns `turn` on frame n, and three of the identity on x_n.
    pub fn eliminate_border(&self, turn: &Mat3) -> Border {
        let n = self.stages.len() - 1;
        let mut on_frame: Six =
            std::array::from_fn(|r| std::array::from_fn(|c| if c < 3 { turn[(r, c)] } else { 0.0 }));
        let mut on_place: Six =
            std::array::from_fn(|r| std::array::from_fn(|c| f64::from(u8::from(c == r + 3))));
        let mut form = [[0.0; 6]; 6];
        for stage in self.stages[..n].iter().rev() {
            let mut gamma = times(&stage.lever.transpose(), &on_place);
            for (row, own) in gamma.iter_mut().zip(&on_frame) {
                row.iter_mut().zip(own).for_each(|(a, b)| *a += b);
            }
            let solved = times(&stage.inverse, &gamma);
            for (r, row) in form.iter_mut().enumerate() {
                for (c, own) in row.iter_mut().enumerate() {
                    *own +=
                        gamma[0][r] * solved[0][c] + gamma[1][r] * solved[1][c] + gamma[2][r] * solved[2][c];
                }
            }
            if self.bears {
                let taken = times(&stage.from_position.transpose(), &gamma);
                for (row, own) in on_place.iter_mut().zip(&taken) {
                    row.iter_mut().zip(own).for_each(|(a, b)| *a -= b);
                }
            }
            on_frame = times(&stage.from_frame.transpose(), &gamma);
            on_frame.iter_mut().flatten().for_each(|a| *a = -*a);
        }
        let column = |rows: &Six, c: usize| Vec3::new(rows[0][c], rows[1][c], rows[2][c]);
        Border { left: std::array::from_fn(|c| (column(&on_frame, c), column(&on_place, c))), form }
    }

    /// Eliminates a right-hand side down to the first block: returns what is left there. `b` keeps
    /// what [`ChainFactor::expand`] needs.
    pub fn reduce(&self, b: &mut ChainVector) -> (Vec3, Vec3) {
        let n = self.stages.len() - 1;
        let mut beta_f = b.f[n + 1];
        let mut beta_x = Vec3::zeros();
        for j in (0..=n).rev() {
            let stage = &self.stages[j];
            let gamma = beta_f + stage.lever.tr_mul(&beta_x);
            b.f[j + 1] = stage.inverse * gamma;
            beta_x += b.x[j];
            if self.bears {
                beta_x -= stage.from_position.tr_mul(&gamma);
            }
            beta_f = b.f[j] - stage.from_frame.tr_mul(&gamma);
        }
        (beta_f, beta_x)
    }

    /// Completes a reduced right-hand side to the solution, given that of the first block.
    pub fn expand(&self, b: &mut ChainVector, first: (Vec3, Vec3)) {
        let n = self.stages.len() - 1;
        let (mut f, mut x) = first;
        b.f[0] = f;
        b.x[0] = x;
        for j in 0..=n {
            let stage = &self.stages[j];
            f = b.f[j + 1] - stage.from_frame * f;
            if self.bears {
                f -= stage.from_position * x;
            }
            b.f[j + 1] = f;
            if j < n {
                x += stage.lever * f;
                b.x[j + 1] = x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// Pseudo-random numbers in [−1, 1]; a fixed sequence per seed.
    struct Noise(u64);
    impl Noise {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) as f64 / (1u64 << 30) as f64) - 1.0
        }
        fn mat(&mut self) -> Mat3 {
            Mat3::from_fn(|_, _| self.next())
        }
        fn symmetric(&mut self) -> Mat3 {
            let a = self.mat();
            a + a.transpose()
        }
    }

    fn random_chain(n: usize, seed: u64) -> ChainMatrix {
        let mut noise = Noise(seed);
        let mut m = ChainMatrix::zeros(n);
        m.ff.iter_mut().for_each(|b| *b = noise.symmetric());
        m.upper.iter_mut().chain(&mut m.lever).for_each(|b| *b = noise.mat());
        // With positions that bear nothing, and with some that do.
        if seed > 2 {
            (0..=n).for_each(|j| *m.at(j) = noise.symmetric());
        }
        if seed % 4 > 1 && seed > 2 {
            (0..=n).for_each(|j| *m.between(j) = noise.mat());
            (0..n).for_each(|j| *m.ahead(j) = noise.mat());
        }
        m
    }

    /// The same saddle-point matrix, dense and plain: the reference path.
    fn dense(m: &ChainMatrix) -> DMatrix<f64> {
        let n = m.segments();
        let (nf, nx) = (3 * (n + 2), 3 * (n + 1));
        let size = nf + nx + 3 * n;
        let mut a = DMatrix::zeros(size, size);
        let f = |j: usize| 3 * j;
        let x = |j: usize| nf + 3 * j;
        let l = |j: usize| nf + nx + 3 * j;
        let mut add = |r: usize, c: usize, b: &Mat3| {
            let mut view = a.view_mut((r, c), (3, 3));
            view += b;
        };
        for j in 0..n + 2 {
            add(f(j), f(j), &m.ff[j]);
        }
        for j in 0..=n {
            add(f(j), f(j + 1), &m.upper[j]);
            add(f(j + 1), f(j), &m.upper[j].transpose());
            if let Some(own) = m.xx.get(j) {
                add(x(j), x(j), own);
            }
            if let Some(own) = m.fx.get(j) {
                add(f(j), x(j), own);
                add(x(j), f(j), &own.transpose());
            }
        }
        for j in 0..n {
            if let Some(own) = m.xf.get(j) {
                add(x(j), f(j + 1), own);
                add(f(j + 1), x(j), &own.transpose());
            }
            let i = Mat3::identity();
            for (c, b) in [(x(j + 1), i), (x(j), -i), (f(j + 1), -m.lever[j])] {
                add(l(j), c, &b);
                add(c, l(j), &b.transpose());
            }
        }
        a
    }

    fn part(a: &DMatrix<f64>, rows: &[usize], columns: &[usize]) -> DMatrix<f64> {
        DMatrix::from_fn(rows.len(), columns.len(), |i, j| a[(rows[i], columns[j])])
    }

    /// What is left on the first block, the solution for it held or free, and the count of negative directions.
    #[test]
    fn agrees_with_dense_elimination() {
        let n = 7;
        let (nf, nx) = (3 * (n + 2), 3 * (n + 1));
        for (seed, last_held) in [(1, true), (2, false), (3, true), (4, false), (5, true), (6, false)] {
            let m = random_chain(n, seed);
            let a = dense(&m);
            let first: Vec<usize> = (0..3).chain(nf..nf + 3).collect();
            let inner: Vec<usize> = (0..a.nrows())
                .filter(|i| !(first.contains(i) || last_held && (nf - 3..nf).contains(i)))
                .collect();
            let k = part(&a, &inner, &inner);
            let border = part(&a, &inner, &first);
            let mut factor = ChainFactor::new(n);
            factor.factorise(&m, last_held).unwrap();

            let left = part(&a, &first, &first) - border.transpose() * k.clone().lu().solve(&border).unwrap();
            let base = factor.base();
            let mut found = DMatrix::zeros(6, 6);
            found.view_mut((0, 0), (3, 3)).copy_from(&base.ff);
            found.view_mut((0, 3), (3, 3)).copy_from(&base.fx);
            found.view_mut((3, 0), (3, 3)).copy_from(&base.fx.transpose());
            found.view_mut((3, 3), (3, 3)).copy_from(&base.xx);
            assert!((&found - &left).amax() < 1e-9 * left.amax(), "seed {seed}");

            let negative = k.symmetric_eigenvalues().iter().filter(|v| **v < 0.0).count();
            assert_eq!(factor.negative() + 3 * n, negative, "seed {seed}");

            let turn = Noise(seed + 200).mat();
            let mut columns = DMatrix::zeros(inner.len(), 6);
            for (i, at) in inner.iter().enumerate() {
                for c in 0..3 {
                    if (3 * n..3 * n + 3).contains(at) {
                        columns[(i, c)] = turn[(at - 3 * n, c)];
                    }
                    columns[(i, c + 3)] = f64::from(u8::from(*at == nf + 3 * n + c));
                }
            }
            let solved = k.clone().lu().solve(&columns).unwrap();
            let (form, on_first) = (columns.transpose() * &solved, -border.transpose() * &solved);
            let found = factor.eliminate_border(&turn);
            for r in 0..6 {
                for c in 0..6 {
                    let off = found.form[r][c] - form[(r, c)];
                    assert!(off.abs() < 1e-9 * form.amax(), "seed {seed}: border {r} {c}");
                    let (f, x) = found.left[c];
                    let off = if r < 3 { f[r] } else { x[r - 3] } - on_first[(r, c)];
                    assert!(off.abs() < 1e-9 * on_first.amax(), "seed {seed}: left {r} {c}");
                }
            }

            let mut noise = Noise(seed + 100);
            let mut b = ChainVector::zeros(n);
            b.f.iter_mut().chain(b.x.iter_mut()).for_each(|v| *v = Vec3::from_fn(|_, _| noise.next()));
            if last_held {
                b.f[n + 1] = Vec3::zeros();
            }
            let flat: Vec<f64> = b.f.iter().chain(&b.x).flat_map(|p| p.iter().copied()).collect();
            let at = |i: &usize| if *i < nf + nx { flat[*i] } else { 0.0 };
            let rhs = DVector::from_iterator(inner.len(), inner.iter().map(at));
            let first_rhs = DVector::from_iterator(6, first.iter().map(at));
            let first_left = first_rhs - border.transpose() * k.clone().lu().solve(&rhs).unwrap();
            let (f, x) = factor.reduce(&mut b);
            let reduced = DVector::from_iterator(6, f.iter().chain(x.iter()).copied());
            assert!((&reduced - &first_left).amax() < 1e-9 * first_left.amax(), "seed {seed}");

            // Whatever the first block does: where positions bear nothing, what is left has no inverse.
            let block = if factor.bears {
                left.lu().solve(&first_left).unwrap()
            } else {
                DVector::from_fn(6, |_, _| noise.next())
            };
            let expected = k.lu().solve(&(rhs - &border * &block)).unwrap();
            let of = |from: usize| Vec3::new(block[from], block[from + 1], block[from + 2]);
            factor.expand(&mut b, (of(0), of(3)));
            let got: Vec<f64> = b.f.iter().chain(&b.x).flat_map(|p| p.iter().copied()).collect();
            for (i, expected_at) in inner.iter().zip(expected.iter()).filter(|(i, _)| **i < nf + nx) {
                assert!((got[*i] - expected_at).abs() < 1e-9 * expected.amax(), "seed {seed} at {i}");
            }
        }
    }

    #[test]
    fn a_singular_pivot_is_reported() {
        assert_eq!(ChainFactor::new(3).factorise(&ChainMatrix::zeros(3), false), Err(SingularPivot));
    }
}
