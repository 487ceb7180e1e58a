//! Forms, columns and changes of an element by 3×3 blocks, in the order (ψ, x, v₀, v₁): rotation and
//! displacement of its beginning, its two coordinates.

use crate::algebra::{Mat3, Vec3};
use nalgebra::SMatrix;
use std::ops::{Add, Sub};

pub(super) const TURN: usize = 0;
pub(super) const MOVE: usize = 1;
pub(super) const FIRST: usize = 2;
pub(super) const SECOND: usize = 3;

/// Border columns: displacement of the end, its rotation, and the length.
pub(super) const COLUMNS: usize = 7;
pub(super) const END_MOVE: usize = 0;
pub(super) const END_TURN: usize = 3;
pub(super) const LENGTH: usize = 6;

/// One vector per block.
pub(super) type Change = [Vec3; 4];
/// One number per border column.
pub(super) type Coefficients = SMatrix<f64, COLUMNS, 1>;

/// A symmetric form: its blocks on and above the diagonal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Form {
    blocks: [Mat3; 10],
}

impl Form {
    #[inline]
    fn place(row: usize, column: usize) -> usize {
        debug_assert!(row <= column);
        row * (7 - row) / 2 + column
    }

    /// The block of a row and a column not before it.
    #[inline]
    pub(super) fn at(&self, row: usize, column: usize) -> &Mat3 {
        &self.blocks[Self::place(row, column)]
    }

    /// Adds to the block of a row and a column not before it.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, block: &Mat3) {
        self.blocks[Self::place(row, column)] += block;
    }

    /// The whole matrix.
    pub(super) fn dense(&self) -> SMatrix<f64, 12, 12> {
        let mut m = SMatrix::<f64, 12, 12>::zeros();
        for i in 0..4 {
            for j in i..4 {
                m.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(self.at(i, j));
                m.fixed_view_mut::<3, 3>(3 * j, 3 * i).copy_from(&self.at(i, j).transpose());
            }
        }
        m
    }
}

/// Three rows of the border columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BorderRows {
    pub(super) moved: Mat3,
    pub(super) turned: Mat3,
    pub(super) length: Vec3,
}

impl BorderRows {
    /// M times these rows.
    #[inline]
    pub(super) fn times(&self, m: &Mat3) -> Self {
        Self { moved: m * self.moved, turned: m * self.turned, length: m * self.length }
    }

    /// Mᵀ times these rows.
    #[inline]
    pub(super) fn under(&self, m: &Mat3) -> Self {
        Self { moved: m.tr_mul(&self.moved), turned: m.tr_mul(&self.turned), length: m.tr_mul(&self.length) }
    }

    /// The rows times coefficients.
    #[inline]
    pub(super) fn of(&self, c: &Coefficients) -> Vec3 {
        self.moved * c.fixed_rows::<3>(END_MOVE)
            + self.turned * c.fixed_rows::<3>(END_TURN)
            + self.length * c[LENGTH]
    }

    /// Adds the transposed rows times `v`.
    #[inline]
    pub(super) fn add_pulled(&self, v: &Vec3, to: &mut Coefficients) {
        let mut part = to.fixed_rows_mut::<3>(END_MOVE);
        part += self.moved.tr_mul(v);
        let mut part = to.fixed_rows_mut::<3>(END_TURN);
        part += self.turned.tr_mul(v);
        to[LENGTH] += self.length.dot(v);
    }

    pub(super) fn dense(&self) -> SMatrix<f64, 3, COLUMNS> {
        let mut m = SMatrix::<f64, 3, COLUMNS>::zeros();
        m.fixed_view_mut::<3, 3>(0, END_MOVE).copy_from(&self.moved);
        m.fixed_view_mut::<3, 3>(0, END_TURN).copy_from(&self.turned);
        m.set_column(LENGTH, &self.length);
        m
    }
}

impl Add for BorderRows {
    type Output = Self;

    #[inline]
    fn add(self, b: Self) -> Self {
        Self { moved: self.moved + b.moved, turned: self.turned + b.turned, length: self.length + b.length }
    }
}

impl Sub for BorderRows {
    type Output = Self;

    #[inline]
    fn sub(self, b: Self) -> Self {
        Self { moved: self.moved - b.moved, turned: self.turned - b.turned, length: self.length - b.length }
    }
}

/// How the end of an element moves with its beginning and its coordinates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Transfer {
    /// From its beginning to its end, m.
    pub(super) chord: Vec3,
    /// ∂Θ/∂v₀, ∂Θ/∂v₁ at its end.
    pub(super) turn: [Mat3; 2],
    /// ∂x/∂v₀, ∂x/∂v₁ at its end, m.
    pub(super) shift: [Mat3; 2],
}

impl Transfer {
    /// The change (ψ, x, v₀) at the beginning of the next element.
    #[inline]
    pub(super) fn push(&self, c: &Change) -> [Vec3; 3] {
        let bent = self.shift[0] * c[FIRST] + self.shift[1] * c[SECOND];
        [self.turned(c), c[MOVE] + c[TURN].cross(&self.chord) + bent, c[SECOND]]
    }

    /// The rotation there.
    #[inline]
    pub(super) fn turned(&self, c: &Change) -> Vec3 {
        c[TURN] + self.turn[0] * c[FIRST] + self.turn[1] * c[SECOND]
    }

    /// What forces on the changes at the beginning of the next element are on those of this one, added to its own.
    #[inline]
    pub(super) fn pull(&self, [turn, shift, first]: &[Vec3; 3], own: &Change) -> Change {
        [
            own[TURN] + turn + self.chord.cross(shift),
            own[MOVE] + shift,
            own[FIRST] + self.turn[0].tr_mul(turn) + self.shift[0].tr_mul(shift),
            own[SECOND] + self.turn[1].tr_mul(turn) + self.shift[1].tr_mul(shift) + first,
        ]
    }

    /// The whole matrix of [`Self::push`].
    pub(super) fn dense(&self) -> SMatrix<f64, 9, 12> {
        let mut m = SMatrix::<f64, 9, 12>::zeros();
        for k in 0..12 {
            let mut unit = Change::default();
            unit[k / 3][k % 3] = 1.0;
            for (i, part) in self.push(&unit).iter().enumerate() {
                m.fixed_view_mut::<3, 1>(3 * i, k).copy_from(part);
            }
        }
        m
    }
}
