//! Elimination of the coordinates inside a span: recursive, or composite to compare with.

use super::composite::Composite;
use super::form::{BorderRows, COLUMNS, Change, Coefficients, END_MOVE, END_TURN, Form, LENGTH, Transfer};
use super::riccati::Riccati;
use crate::algebra::chain::SingularPivot;
use crate::algebra::{Mat3, Vec3};
use nalgebra::SMatrix;

/// What an elimination leaves at the start, and of the border columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    /// Form of (ψ, x) at the start, after v₀ of the first element.
    pub(super) base: SMatrix<f64, 6, 6>,
    /// The border columns there.
    pub(super) base_columns: SMatrix<f64, 6, COLUMNS>,
    /// The residual there.
    pub(super) base_residual: SMatrix<f64, 6, 1>,
    /// Cᵀ K⁻¹ C with the start held.
    pub(super) compliance: SMatrix<f64, COLUMNS, COLUMNS>,
    /// Cᵀ K⁻¹ g with the start held.
    pub(super) moved: Coefficients,
    /// Negative pivots.
    pub(super) negative: usize,
}

/// Cᵀ K⁻¹ C by blocks, summed pivot by pivot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compliance {
    moved: Mat3,
    /// Of the displacement with the rotation.
    across: Mat3,
    turned: Mat3,
    /// Of displacement and rotation with the length, and of the length.
    length: (Vec3, Vec3, f64),
}

impl Compliance {
    /// Adds what a pivot gives way, where its inverse is given.
    #[inline]
    pub(super) fn add(&mut self, row: &BorderRows, inverse: &Mat3) {
        let solved = row.times(inverse);
        self.moved += row.moved.tr_mul(&solved.moved);
        self.across += row.moved.tr_mul(&solved.turned);
        self.turned += row.turned.tr_mul(&solved.turned);
        self.length.0 += row.moved.tr_mul(&solved.length);
        self.length.1 += row.turned.tr_mul(&solved.length);
        self.length.2 += row.length.dot(&solved.length);
    }

    pub(super) fn dense(&self) -> SMatrix<f64, COLUMNS, COLUMNS> {
        let mut m = SMatrix::<f64, COLUMNS, COLUMNS>::zeros();
        m.fixed_view_mut::<3, 3>(END_MOVE, END_MOVE).copy_from(&self.moved);
        m.fixed_view_mut::<3, 3>(END_MOVE, END_TURN).copy_from(&self.across);
        m.fixed_view_mut::<3, 3>(END_TURN, END_TURN).copy_from(&self.turned);
        m.fixed_view_mut::<3, 1>(END_MOVE, LENGTH).copy_from(&self.length.0);
        m.fixed_view_mut::<3, 1>(END_TURN, LENGTH).copy_from(&self.length.1);
        m[(LENGTH, LENGTH)] = self.length.2;
        m.fill_lower_triangle_with_upper_triangle();
        m
    }
}

/// What is eliminated.
pub(super) struct Chain<'a> {
    /// Of every element whether v₀ is its own, and not v₁ of the one before.
    pub(super) begins: &'a [bool],
    /// What a rotation of the end costs by itself.
    pub(super) end_turn: Mat3,
    /// Whether elements have a coordinate at their beginning: clothoids do, helices do not.
    pub(super) has_first: bool,
    /// Whether it matters where the rod is, as beside poles and in motion. Loads that are the same everywhere ask for
    /// nothing but its rotations.
    pub(super) places_matter: bool,
}

/// How the coordinates are eliminated.
pub(super) enum Elimination {
    /// Element by element, in linear time.
    Recursive(Riccati),
    /// All at once, by a dense matrix.
    Composite(Box<Composite>),
}

impl Default for Elimination {
    fn default() -> Self {
        Self::Recursive(Riccati::default())
    }
}

impl Elimination {
    /// The composite one.
    pub(super) fn composite() -> Self {
        Self::Composite(Box::default())
    }

    /// Eliminates the elements, asked for from the last to the first: each adds its own form and how its residual
    /// changes with the length, and says how it moves its end.
    pub(super) fn factorise(
        &mut self,
        chain: &Chain,
        element: impl FnMut(usize, &mut Form, &mut Change, &mut Transfer),
        left: &mut Left,
    ) -> Result<(), SingularPivot> {
        match self {
            Self::Recursive(own) => own.factorise(chain, element, left),
            Self::Composite(own) => own.factorise(chain, element, left),
        }
    }

    /// Eliminates a residual: that of every element's (ψ, x, v₀, v₁).
    pub(super) fn reduce(&mut self, element: impl Fn(usize) -> Change, left: &mut Left) {
        match self {
            Self::Recursive(own) => own.reduce(element, left),
            Self::Composite(own) => own.reduce(element, left),
        }
    }

    /// Completes the step from that of the start and the coefficients of the border columns. `visit` gets
    /// every element with (ψ, x, v₀, v₁), where x may be that of the start if places do not matter; the rotation of the
    /// end is returned.
    pub(super) fn expand(
        &self,
        turn: &Vec3,
        shift: &Vec3,
        columns: &Coefficients,
        visit: impl FnMut(usize, &Change),
    ) -> Vec3 {
        match self {
            Self::Recursive(own) => own.expand(turn, shift, columns, visit),
            Self::Composite(own) => own.expand(turn, shift, columns, visit),
        }
    }
}
