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
//! Eliminating from the far end (a Riccati recursion) solves the saddle-point system with
//! the constraints' multipliers *exactly*, with 3×3 pivots, in O(n). No symmetry is assumed:
//! follower loads and dead moments contribute antisymmetric parts.
//!
//! The pivots count the negative directions of the quadratic form on the constraint tangent
//! (Sylvester's law of inertia), so every factorisation is also a stability test.
//!
//! Reference: D. P. Bertsekas, *Dynamic Programming and Optimal Control*, §4.1 (Riccati);
//! N. I. M. Gould, *Math. Programming* 32 (1985) 90–99 (inertia of saddle-point systems).

use super::small::{MAX, Small, SmallLu, inverse3, negative_count3};
use super::{Mat3, Vec3};

/// The matrix, block by block. `n + 1` blocks (frame, position) and one last frame.
#[derive(Clone, Debug)]
pub struct ChainMatrix {
    /// Row f_j, column f_j; n + 2 of them.
    pub ff: Vec<Mat3>,
    /// Row f_j, column f_{j+1}; n + 1 of them.
    pub upper: Vec<Mat3>,
    /// Row f_{j+1}, column f_j; n + 1 of them.
    pub lower: Vec<Mat3>,
    /// Row x_j, column f_j; n + 1 of them. Not zero only under follower loads.
    pub xf: Vec<Mat3>,
    /// Row x_j, column f_{j+1}; n + 1 of them. Not zero only under follower loads.
    pub x_upper: Vec<Mat3>,
    /// Row x_j, column x_j; n + 1 of them.
    pub xx: Vec<Mat3>,
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
            lower: zeros(n + 1),
            xf: zeros(n + 1),
            x_upper: zeros(n + 1),
            xx: zeros(n + 1),
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
        for blocks in [&mut self.upper, &mut self.lower, &mut self.xf, &mut self.x_upper, &mut self.xx] {
            blocks.resize(n + 1, Mat3::zeros());
        }
        self.lever.resize(n, Mat3::zeros());
    }

    /// Sets every block but the levers to zero.
    pub fn clear(&mut self) {
        for blocks in
            [&mut self.ff, &mut self.upper, &mut self.lower, &mut self.xf, &mut self.x_upper, &mut self.xx]
        {
            blocks.fill(Mat3::zeros());
        }
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

/// Which unknowns at the ends are held (zero).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// f_0.
    pub first_frame: bool,
    /// The axes of x_0.
    pub first_position: [bool; 3],
    /// f_{n+1}.
    pub last_frame: bool,
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

/// The factorisation; memory is kept between calls.
#[derive(Clone, Debug)]
pub struct ChainFactor {
    stages: Vec<Stage>,
    /// What an eliminated frame leaves on f_j and x_j, per γ. Empty where the matrix is symmetric: there it is
    /// the transpose of how the frame follows them.
    onto: Vec<[Mat3; 2]>,
    first: SmallLu,
    free: [usize; MAX],
    free_count: usize,
    negative: usize,
    base: [[Mat3; 2]; 2],
}

/// A pivot was singular to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularPivot;

impl ChainFactor {
    /// Room for a chain of `n` segments.
    pub fn new(n: usize) -> Self {
        Self { onto: vec![[Mat3::zeros(); 2]; n + 1], ..Self::symmetric(n) }
    }

    /// The same for matrices that are symmetric: a third of the memory less.
    pub fn symmetric(n: usize) -> Self {
        let zero = Mat3::zeros();
        let stage = Stage { inverse: zero, from_frame: zero, from_position: zero, lever: zero };
        let mut identity = Small::zeros(MAX);
        for i in 0..MAX {
            identity.a[i][i] = 1.0;
        }
        Self {
            stages: vec![stage; n + 1],
            onto: Vec::new(),
            first: identity.lu().unwrap_or_else(|| unreachable!("the identity has pivots")),
            free: [0; MAX],
            free_count: 0,
            negative: 0,
            base: [[zero; 2]; 2],
        }
    }

    /// Number of negative directions found by the last factorisation.
    pub fn negative(&self) -> usize {
        self.negative
    }

    /// Factorises `m` with the given unknowns held.
    pub fn factorise(&mut self, m: &ChainMatrix, held: Held) -> Result<(), SingularPivot> {
        let n = m.segments();
        debug_assert_eq!(self.stages.len(), n + 1);
        self.negative = 0;

        // The last frame has no position behind it.
        let (inverse, from_frame) = if held.last_frame {
            (Mat3::zeros(), Mat3::zeros())
        } else {
            let pivot = m.ff[n + 1];
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            self.negative += negative_count3(&pivot);
            (inverse, inverse * m.lower[n])
        };
        self.stages[n] = Stage { inverse, from_frame, from_position: Mat3::zeros(), lever: Mat3::zeros() };
        if let Some(onto) = self.onto.get_mut(n) {
            *onto = [m.upper[n] * inverse, m.x_upper[n] * inverse];
        }
        let mut p_ff = m.ff[n] - m.upper[n] * from_frame;
        let mut p_fx = Mat3::zeros();
        let mut p_xf = m.xf[n] - m.x_upper[n] * from_frame;
        let mut p_xx = m.xx[n];

        for j in (0..n).rev() {
            let g = &m.lever[j];
            let t_x = p_xf + p_xx * g;
            let pivot = p_ff + p_fx * g + g.tr_mul(&t_x);
            let col_x = p_fx + g.tr_mul(&p_xx);
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            self.negative += negative_count3(&pivot);
            let from_frame = inverse * m.lower[j];
            let from_position = inverse * col_x;
            let row_x = t_x + m.x_upper[j];
            self.stages[j] = Stage { inverse, from_frame, from_position, lever: *g };
            if let Some(onto) = self.onto.get_mut(j) {
                *onto = [m.upper[j] * inverse, row_x * inverse];
            }
            p_ff = m.ff[j] - m.upper[j] * from_frame;
            p_fx = -m.upper[j] * from_position;
            p_xf = m.xf[j] - row_x * from_frame;
            p_xx = m.xx[j] + p_xx - row_x * from_position;
        }

        self.base = [[p_ff, p_fx], [p_xf, p_xx]];
        self.free_count = 0;
        for i in 0..MAX {
            let is_held = if i < 3 { held.first_frame } else { held.first_position[i - 3] };
            if !is_held {
                self.free[self.free_count] = i;
                self.free_count += 1;
            }
        }
        let entry = |i: usize, j: usize| match (i < 3, j < 3) {
            (true, true) => p_ff[(i, j)],
            (true, false) => p_fx[(i, j - 3)],
            (false, true) => p_xf[(i - 3, j)],
            (false, false) => p_xx[(i - 3, j - 3)],
        };
        if self.free_count > 0 {
            let mut first = Small::zeros(self.free_count);
            for a in 0..self.free_count {
                for b in 0..self.free_count {
                    first.a[a][b] = entry(self.free[a], self.free[b]);
                }
            }
            self.negative += first.negative_count();
            self.first = first.lu().ok_or(SingularPivot)?;
        }
        Ok(())
    }

    /// What is left on the first block (f_0, x_0) after all other frames are eliminated, as if
    /// nothing held it: rows and columns f, x.
    pub fn base(&self) -> &[[Mat3; 2]; 2] {
        &self.base
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
            let (on_frame, on_position) = match self.onto.get(j) {
                Some([frame, position]) => (frame * gamma, position * gamma),
                None => (stage.from_frame.tr_mul(&gamma), stage.from_position.tr_mul(&gamma)),
            };
            beta_x += b.x[j] - on_position;
            beta_f = b.f[j] - on_frame;
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
            f = b.f[j + 1] - stage.from_frame * f - stage.from_position * x;
            b.f[j + 1] = f;
            if j < n {
                x += stage.lever * f;
                b.x[j + 1] = x;
            }
        }
    }

    /// Solves in place: `b` holds the right-hand side and then the solution.
    pub fn solve(&self, b: &mut ChainVector) {
        let (beta_f, beta_x) = self.reduce(b);
        let mut first = [0.0; MAX];
        for a in 0..self.free_count {
            let i = self.free[a];
            first[a] = if i < 3 { beta_f[i] } else { beta_x[i - 3] };
        }
        if self.free_count > 0 {
            self.first.solve(&mut first);
        }
        let (mut f, mut x) = (Vec3::zeros(), Vec3::zeros());
        for a in 0..self.free_count {
            let i = self.free[a];
            if i < 3 {
                f[i] = first[a];
            } else {
                x[i - 3] = first[a];
            }
        }
        self.expand(b, (f, x));
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
    }

    fn random_chain(n: usize, seed: u64, symmetric: bool, shift: f64) -> ChainMatrix {
        let mut noise = Noise(seed);
        let mut m = ChainMatrix::zeros(n);
        for b in &mut m.ff {
            let a = noise.mat();
            *b = if symmetric { a + a.transpose() } else { a } + Mat3::identity() * shift;
        }
        for j in 0..=n {
            m.upper[j] = noise.mat();
            m.lower[j] = if symmetric { m.upper[j].transpose() } else { noise.mat() };
            if !symmetric {
                m.xf[j] = noise.mat() * 0.3;
                m.x_upper[j] = noise.mat() * 0.3;
            }
            let a = noise.mat();
            m.xx[j] = if symmetric { a + a.transpose() } else { a };
        }
        for g in &mut m.lever {
            *g = noise.mat();
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
            add(f(j + 1), f(j), &m.lower[j]);
            add(x(j), f(j), &m.xf[j]);
            add(x(j), f(j + 1), &m.x_upper[j]);
            add(x(j), x(j), &m.xx[j]);
        }
        for j in 0..n {
            let i = Mat3::identity();
            for (c, b) in [(x(j + 1), i), (x(j), -i), (f(j + 1), -m.lever[j])] {
                add(l(j), c, &b);
                add(c, l(j), &b.transpose());
            }
        }
        a
    }

    fn without(a: &DMatrix<f64>, keep: &[usize]) -> DMatrix<f64> {
        DMatrix::from_fn(keep.len(), keep.len(), |i, j| a[(keep[i], keep[j])])
    }

    #[test]
    fn agrees_with_dense_elimination() {
        for (seed, symmetric) in [(1, true), (2, false), (3, true), (4, false)] {
            for held in [
                Held { first_frame: true, first_position: [true; 3], last_frame: true },
                Held { first_frame: false, first_position: [true; 3], last_frame: false },
                Held { first_frame: false, first_position: [false, true, false], last_frame: true },
            ] {
                let n = 7;
                let m = random_chain(n, seed, symmetric, 0.0);
                let (nf, nx) = (3 * (n + 2), 3 * (n + 1));
                let keep: Vec<usize> = (0..nf + nx + 3 * n)
                    .filter(|&i| !(held.first_frame && i < 3))
                    .filter(|&i| !(held.last_frame && (nf - 3..nf).contains(&i)))
                    .filter(|&i| !(i >= nf && i < nf + 3 && held.first_position[i - nf]))
                    .collect();
                let a = without(&dense(&m), &keep);
                let mut noise = Noise(seed + 100);
                let mut b = ChainVector::zeros(n);
                for v in b.f.iter_mut().chain(b.x.iter_mut()) {
                    *v = Vec3::from_fn(|_, _| noise.next());
                }
                let flat = |v: &ChainVector| -> Vec<f64> {
                    v.f.iter().chain(&v.x).flat_map(|p| p.iter().copied()).collect()
                };
                let full = flat(&b);
                let rhs = DVector::from_iterator(
                    keep.len(),
                    keep.iter().map(|&i| if i < nf + nx { full[i] } else { 0.0 }),
                );
                let expected = a.clone().lu().solve(&rhs).unwrap();

                let both = [ChainFactor::new(n), ChainFactor::symmetric(n)];
                for mut factor in both.into_iter().take(if symmetric { 2 } else { 1 }) {
                    factor.factorise(&m, held).unwrap();
                    let mut solved = b.clone();
                    factor.solve(&mut solved);
                    let got = flat(&solved);
                    for (k, &i) in keep.iter().enumerate().filter(|(_, i)| **i < nf + nx) {
                        let scale = expected.amax();
                        assert!((got[i] - expected[k]).abs() < 1e-9 * scale, "seed {seed} {held:?} at {i}");
                    }
                    if symmetric {
                        let negative = a.symmetric_eigenvalues().iter().filter(|v| **v < 0.0).count();
                        assert_eq!(factor.negative() + 3 * n, negative, "seed {seed} {held:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_singular_pivot_is_reported() {
        let m = ChainMatrix::zeros(3);
        let held = Held { first_frame: true, first_position: [true; 3], last_frame: false };
        assert_eq!(ChainFactor::new(3).factorise(&m, held), Err(SingularPivot));
    }
}
