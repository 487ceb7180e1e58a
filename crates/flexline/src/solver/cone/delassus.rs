//! The Delassus operator, dense or sparse by blocks of contacts; all that methods ask of it.

use crate::algebra::{Mat3, Vec3};
use nalgebra::DMatrix;

/// W: relative motion per force, symmetric.
#[derive(Clone, Copy, Debug)]
pub enum Delassus<'a> {
    /// All entries, three rows and columns per contact.
    Dense(&'a DMatrix<f64>),
    /// The blocks of contacts that feel each other.
    Sparse(&'a BlockMatrix),
}

/// Blocks of 3 × 3 in rows of contacts, columns in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockMatrix {
    /// Where rows begin in the other two, and the end.
    starts: Vec<usize>,
    columns: Vec<usize>,
    blocks: Vec<Mat3>,
}

impl BlockMatrix {
    /// The sum of blocks at (row, column) for so many contacts. Who gives (k, j) gives (j, k) too.
    ///
    /// # Panics
    /// Where a row or a column is not that of a contact.
    pub fn from_blocks(contacts: usize, blocks: impl IntoIterator<Item = (usize, usize, Mat3)>) -> Self {
        let mut entries: Vec<(usize, usize, Mat3)> = blocks.into_iter().collect();
        assert!(
            entries.iter().all(|&(k, j, _)| k < contacts && j < contacts),
            "a block beyond the last contact"
        );
        entries.sort_by_key(|&(k, j, _)| (k, j));
        let mut matrix = Self { starts: vec![0], ..Self::default() };
        for (k, j, block) in entries {
            while matrix.starts.len() <= k {
                matrix.starts.push(matrix.columns.len());
            }
            if matrix.columns.len() > matrix.starts[k] && matrix.columns.last() == Some(&j) {
                *matrix.blocks.last_mut().expect("as many blocks as columns") += block;
            } else {
                matrix.columns.push(j);
                matrix.blocks.push(block);
            }
        }
        matrix.starts.resize(contacts + 1, matrix.columns.len());
        matrix
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// All entries.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let n = 3 * self.contacts();
        let mut dense = DMatrix::zeros(n, n);
        for k in 0..self.contacts() {
            let (columns, blocks) = self.row(k);
            for (&j, block) in columns.iter().zip(blocks) {
                dense.fixed_view_mut::<3, 3>(3 * k, 3 * j).copy_from(block);
            }
        }
        dense
    }

    /// Columns of a row, and its blocks.
    fn row(&self, k: usize) -> (&[usize], &[Mat3]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.columns[range.clone()], &self.blocks[range])
    }
}

impl Delassus<'_> {
    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        match self {
            Self::Dense(w) => w.ncols() / 3,
            Self::Sparse(w) => w.contacts(),
        }
    }

    /// W_kj.
    pub fn block(&self, k: usize, j: usize) -> Mat3 {
        match self {
            Self::Dense(w) => w.fixed_view::<3, 3>(3 * k, 3 * j).into(),
            Self::Sparse(w) => {
                let (columns, blocks) = w.row(k);
                columns.binary_search(&j).map_or_else(|_| Mat3::zeros(), |place| blocks[place])
            }
        }
    }

    /// W_kk: how a contact moves under its own force.
    pub fn diagonal(&self, k: usize) -> Mat3 {
        self.block(k, k)
    }

    /// (W r)_k.
    pub fn row_times(&self, k: usize, r: &[Vec3]) -> Vec3 {
        match self {
            Self::Dense(w) => {
                // Columns instead of rows: W is symmetric, and columns lie together in memory.
                let n = w.nrows();
                let all = w.as_slice();
                let column = |i: usize| &all[(3 * k + i) * n..(3 * k + i + 1) * n];
                let [a, b, c] = [column(0), column(1), column(2)];
                let mut sum = Vec3::zeros();
                for (j, r) in r.iter().enumerate() {
                    for i in 0..3 {
                        sum.x += a[3 * j + i] * r[i];
                        sum.y += b[3 * j + i] * r[i];
                        sum.z += c[3 * j + i] * r[i];
                    }
                }
                sum
            }
            Self::Sparse(w) => {
                let (columns, blocks) = w.row(k);
                columns.iter().zip(blocks).fold(Vec3::zeros(), |sum, (&j, block)| sum + block * r[j])
            }
        }
    }

    /// Every block of a row that may differ from zero.
    pub fn each_in_row(&self, k: usize, mut look: impl FnMut(usize, &Mat3)) {
        match self {
            Self::Dense(_) => (0..self.contacts()).for_each(|j| look(j, &self.block(k, j))),
            Self::Sparse(w) => {
                let (columns, blocks) = w.row(k);
                columns.iter().zip(blocks).for_each(|(&j, block)| look(j, block));
            }
        }
    }
}
