//! Elimination of the coordinates inside a span: recursive, or composite to compare with.

use super::composite::Composite;
use super::form::{COLUMNS, Change, Coefficients, Form, Row, Transfer};
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

impl Left {
    /// Before a factorisation.
    pub(super) fn clear(&mut self) {
        self.negative = 0;
        self.compliance.fill(0.0);
    }

    /// Adds what a pivot gives way, where its inverse is given.
    pub(super) fn add_compliance(&mut self, row: &Row, inverse: &Mat3) {
        let row = row.dense();
        self.compliance += row.tr_mul(&(inverse * row));
    }
}

/// How the coordinates are eliminated.
#[expect(clippy::large_enum_variant, reason = "the large one is the one in use")]
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

    /// Eliminates the elements of `transfers`, asked for from the last to the first: each adds its own form and how
    /// its residual changes with the length.
    pub(super) fn factorise(
        &mut self,
        transfers: &[Transfer],
        end_turn: &Mat3,
        element: impl FnMut(usize, &mut Form, &mut Change),
        has_first: bool,
        left: &mut Left,
    ) -> Result<(), SingularPivot> {
        match self {
            Self::Recursive(own) => own.factorise(transfers, end_turn, element, has_first, left),
            Self::Composite(own) => own.factorise(transfers, end_turn, element, has_first, left),
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
    /// every element with (ψ, x, v₀, v₁); the change at the end is returned.
    pub(super) fn expand(
        &self,
        turn: &Vec3,
        shift: &Vec3,
        columns: &Coefficients,
        visit: impl FnMut(usize, &Change),
    ) -> (Vec3, Vec3) {
        match self {
            Self::Recursive(own) => own.expand(turn, shift, columns, visit),
            Self::Composite(own) => own.expand(turn, shift, columns, visit),
        }
    }
}
