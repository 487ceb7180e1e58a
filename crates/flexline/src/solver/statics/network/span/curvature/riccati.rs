//! Elimination of a curvature rod, element by element from its end to its start.
//!
//! An element turns the change z = (ψ, x, v₀) at its beginning and its own coordinate v₁ into the change
//! at its end, z′ = B (z, v₁). With the form P′ of all that lies beyond, the element and what follows
//! cost ½ (z, v₁)·H (z, v₁), H = H_e + BᵀP′B; its own coordinate is eliminated, which leaves P. This is
//! Featherstone's articulated body, or the Riccati recursion of optimal control: the cost is linear in
//! the number of elements. Linear terms (residual and border columns) go the same way.

use super::elimination::Left;
use crate::algebra::chain::SingularPivot;
use crate::algebra::rotation::skew;
use crate::algebra::small::{inverse3, negative_count3};
use crate::algebra::{Mat3, Vec3};
use nalgebra::SMatrix;

/// Border columns: displacement of the end, its rotation, and the length.
pub(super) const COLUMNS: usize = 7;
pub(super) const END_MOVE: usize = 0;
pub(super) const END_TURN: usize = 3;
pub(super) const LENGTH: usize = 6;

/// (ψ, x, v₀, v₁).
pub(super) type Form = SMatrix<f64, 12, 12>;
pub(super) type Columns = SMatrix<f64, 12, COLUMNS>;
pub(super) type Vector12 = SMatrix<f64, 12, 1>;
pub(super) type Form9 = SMatrix<f64, 9, 9>;
pub(super) type Columns9 = SMatrix<f64, 9, COLUMNS>;
pub(super) type Vector9 = SMatrix<f64, 9, 1>;
pub(super) type Compliance = SMatrix<f64, COLUMNS, COLUMNS>;
pub(super) type Map = SMatrix<f64, 9, 12>;

/// How the end of an element moves with its beginning and its coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    /// From its beginning to its end, m.
    pub(super) chord: Vec3,
    /// ∂Θ/∂v₀, ∂Θ/∂v₁ at its end.
    pub(super) turn: [Mat3; 2],
    /// ∂x/∂v₀, ∂x/∂v₁ at its end, m.
    pub(super) shift: [Mat3; 2],
}

impl Default for Transfer {
    fn default() -> Self {
        Self { chord: Vec3::zeros(), turn: [Mat3::zeros(); 2], shift: [Mat3::zeros(); 2] }
    }
}

impl Transfer {
    pub(super) fn map(&self) -> Map {
        let mut b = Map::zeros();
        b.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
        b.fixed_view_mut::<3, 3>(0, 6).copy_from(&self.turn[0]);
        b.fixed_view_mut::<3, 3>(0, 9).copy_from(&self.turn[1]);
        b.fixed_view_mut::<3, 3>(3, 0).copy_from(&-skew(&self.chord));
        b.fixed_view_mut::<3, 3>(3, 3).fill_with_identity();
        b.fixed_view_mut::<3, 3>(3, 6).copy_from(&self.shift[0]);
        b.fixed_view_mut::<3, 3>(3, 9).copy_from(&self.shift[1]);
        b.fixed_view_mut::<3, 3>(6, 9).fill_with_identity();
        b
    }
}

/// What an element keeps of its elimination.
#[derive(Clone, Copy, Debug)]
struct Eliminated {
    map: Map,
    /// The inverse of the pivot of v₁.
    inverse: Mat3,
    /// H between (ψ, x, v₀) and v₁.
    beside: SMatrix<f64, 9, 3>,
    /// Rows of the border columns at v₁.
    columns: SMatrix<f64, 3, COLUMNS>,
    /// The residual at v₁.
    residual: Vec3,
}

/// The form of (ψ, x, v₀) beyond the last element.
pub(super) fn form_beyond(end_turn: &Mat3) -> Form9 {
    let mut p = Form9::zeros();
    p.fixed_view_mut::<3, 3>(0, 0).copy_from(end_turn);
    p
}

/// The border columns beyond the last element.
pub(super) fn columns_beyond() -> Columns9 {
    let mut c = Columns9::zeros();
    c.fixed_view_mut::<3, 3>(3, END_MOVE).fill_with_identity();
    c.fixed_view_mut::<3, 3>(0, END_TURN).fill_with_identity();
    c
}

/// The elimination of a rod.
#[derive(Clone, Debug, Default)]
pub(super) struct Riccati {
    elements: Vec<Eliminated>,
    /// v₀ of the first element: inverse of its pivot, form beside it, columns, residual.
    first: Option<(Mat3, SMatrix<f64, 6, 3>, SMatrix<f64, 3, COLUMNS>, Vec3)>,
}

impl Riccati {
    /// Eliminates `n` elements, asked for from the last to the first.
    pub(super) fn factorise(
        &mut self,
        n: usize,
        end_turn: &Mat3,
        mut element: impl FnMut(usize) -> (Form, Columns, Transfer),
        has_first: bool,
        left: &mut Left,
    ) -> Result<(), SingularPivot> {
        let zero = Eliminated {
            map: Map::zeros(),
            inverse: Mat3::zeros(),
            beside: SMatrix::zeros(),
            columns: SMatrix::zeros(),
            residual: Vec3::zeros(),
        };
        self.elements.resize(n, zero);
        left.negative = 0;
        left.compliance = Compliance::zeros();
        let mut p = form_beyond(end_turn);
        let mut c = columns_beyond();
        for e in (0..n).rev() {
            let (own, own_columns, transfer) = element(e);
            let map = transfer.map();
            let h = own + map.tr_mul(&(p * map));
            let columns = own_columns + map.tr_mul(&c);
            let pivot: Mat3 = h.fixed_view::<3, 3>(9, 9).into();
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            left.negative += negative_count3(&pivot);
            let beside: SMatrix<f64, 9, 3> = h.fixed_view::<9, 3>(0, 9).into();
            let at_pivot: SMatrix<f64, 3, COLUMNS> = columns.fixed_view::<3, COLUMNS>(9, 0).into();
            let through = beside * inverse;
            p = h.fixed_view::<9, 9>(0, 0) - through * beside.transpose();
            p = (p + p.transpose()) * 0.5;
            c = columns.fixed_view::<9, COLUMNS>(0, 0) - through * at_pivot;
            left.compliance += at_pivot.tr_mul(&(inverse * at_pivot));
            self.elements[e] =
                Eliminated { map, inverse, beside, columns: at_pivot, residual: Vec3::zeros() };
        }
        left.base = p.fixed_view::<6, 6>(0, 0).into();
        left.base_columns = c.fixed_view::<6, COLUMNS>(0, 0).into();
        self.first = None;
        if has_first {
            let pivot: Mat3 = p.fixed_view::<3, 3>(6, 6).into();
            let inverse = inverse3(&pivot).ok_or(SingularPivot)?;
            left.negative += negative_count3(&pivot);
            let beside: SMatrix<f64, 6, 3> = p.fixed_view::<6, 3>(0, 6).into();
            let at_pivot: SMatrix<f64, 3, COLUMNS> = c.fixed_view::<3, COLUMNS>(6, 0).into();
            left.base -= beside * inverse * beside.transpose();
            left.base_columns -= beside * inverse * at_pivot;
            left.compliance += at_pivot.tr_mul(&(inverse * at_pivot));
            self.first = Some((inverse, beside, at_pivot, Vec3::zeros()));
        }
        Ok(())
    }

    /// Eliminates a residual: that of every element's (ψ, x, v₀, v₁).
    pub(super) fn reduce(&mut self, element: impl Fn(usize) -> Vector12, left: &mut Left) {
        left.moved = SMatrix::zeros();
        let mut r = Vector9::zeros();
        for e in (0..self.elements.len()).rev() {
            let own = &mut self.elements[e];
            let all = element(e) + own.map.tr_mul(&r);
            own.residual = all.fixed_rows::<3>(9).into();
            r = all.fixed_rows::<9>(0) - own.beside * (own.inverse * own.residual);
            left.moved += own.columns.tr_mul(&(own.inverse * own.residual));
        }
        left.base_residual = r.fixed_rows::<6>(0).into();
        if let Some((inverse, beside, columns, residual)) = &mut self.first {
            *residual = r.fixed_rows::<3>(6).into();
            left.base_residual -= *beside * (*inverse * *residual);
            left.moved += columns.tr_mul(&(*inverse * *residual));
        }
    }

    /// Completes the step from that of the start and the coefficients of the border columns. `visit` gets
    /// every element with (ψ, x, v₀, v₁); the change at the end is returned.
    pub(super) fn expand(
        &self,
        turn: &Vec3,
        shift: &Vec3,
        columns: &SMatrix<f64, COLUMNS, 1>,
        mut visit: impl FnMut(usize, &Vector12),
    ) -> (Vec3, Vec3) {
        let mut z = Vector9::zeros();
        z.fixed_rows_mut::<3>(0).copy_from(turn);
        z.fixed_rows_mut::<3>(3).copy_from(shift);
        if let Some((inverse, beside, at_pivot, residual)) = &self.first {
            let known = beside.tr_mul(&z.fixed_rows::<6>(0)) + at_pivot * columns + residual;
            z.fixed_rows_mut::<3>(6).copy_from(&-(inverse * known));
        }
        for (e, own) in self.elements.iter().enumerate() {
            let known = own.beside.tr_mul(&z) + own.columns * columns + own.residual;
            let mut all = Vector12::zeros();
            all.fixed_rows_mut::<9>(0).copy_from(&z);
            all.fixed_rows_mut::<3>(9).copy_from(&-(own.inverse * known));
            visit(e, &all);
            z = own.map * all;
        }
        (z.fixed_rows::<3>(0).into(), z.fixed_rows::<3>(3).into())
    }
}
