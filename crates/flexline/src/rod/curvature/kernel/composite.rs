//! Elimination of a curvature rod, all coordinates at once: the plain way beside [`super::riccati`].
//!
//! This is the composite-body method of Walker and Orin: the form of all that lies beyond an element is
//! carried towards the start without eliminating anything; what it says about the element's own coordinate
//! goes on from element to element and fills one row of a dense matrix K over all coordinates. Filling
//! costs n², factorising n³. It leaves on the interface exactly what the recursion leaves, which is what it
//! is here for: tests hold the recursion against it, and `flexline bench recursive` measures both. Nothing
//! else uses it; [`NetworkWorkspace::composite`](crate::solver::network::NetworkWorkspace::composite)
//! chooses it.
//!
//! Reference: M. W. Walker, D. E. Orin, J. Dyn. Sys. Meas. Control 104 (1982) 205–211.

use super::elimination::{Chain, Left};
use super::form::{COLUMNS, Change, Coefficients, END_MOVE, END_TURN, FIRST, Form, LENGTH, Transfer};
use crate::algebra::chain::SingularPivot;
use crate::algebra::rotation::skew_times;
use crate::algebra::{Mat3, Vec3};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, LU, SMatrix};

/// (ψ, x) at the start, then the border columns.
const BESIDE: usize = 6 + COLUMNS;

/// K, factorised.
#[derive(Clone, Debug)]
enum Factor {
    Positive(Cholesky<f64, Dyn>),
    /// Where some direction releases energy.
    Indefinite(LU<f64, Dyn, Dyn>),
}

impl Factor {
    /// K factorised, and the number of its negative eigenvalues.
    fn new(k: DMatrix<f64>) -> Result<(Self, usize), SingularPivot> {
        if let Some(factor) = Cholesky::new(k.clone()) {
            return Ok((Self::Positive(factor), 0));
        }
        let negative = k.symmetric_eigenvalues().iter().filter(|e| **e < 0.0).count();
        let factor = LU::new(k);
        if !factor.is_invertible() {
            return Err(SingularPivot);
        }
        Ok((Self::Indefinite(factor), negative))
    }

    fn solve(&self, b: &DMatrix<f64>) -> DMatrix<f64> {
        let mut x = b.clone();
        match self {
            Self::Positive(factor) => factor.solve_mut(&mut x),
            // Invertible, as its making found.
            Self::Indefinite(factor) => {
                factor.solve_mut(&mut x);
            }
        }
        x
    }
}

/// The elimination of a rod.
#[derive(Clone, Debug, Default)]
pub(super) struct Composite {
    transfers: Vec<Transfer>,
    /// Where v₁ of every element is among all coordinates, and whether v₀, just before it, is its own.
    places: Vec<(usize, bool)>,
    /// Number of coordinates, three scalars each.
    count: usize,
    factor: Option<Factor>,
    /// Rows of K beside the interface.
    beside: DMatrix<f64>,
    /// K⁻¹ times that.
    solved: DMatrix<f64>,
    /// K⁻¹ times the residual.
    residual: DVector<f64>,
}

/// Carries what a coordinate sees of the change at the end of an element to its beginning: the transposed
/// map, by its blocks. Returns what the element's own coordinate sees of it, and the rest.
fn carried(map: &Transfer, f: &SMatrix<f64, 9, 3>) -> (Mat3, SMatrix<f64, 9, 3>) {
    let turn: Mat3 = f.fixed_view::<3, 3>(0, 0).into();
    let shift: Mat3 = f.fixed_view::<3, 3>(3, 0).into();
    let first: Mat3 = f.fixed_view::<3, 3>(6, 0).into();
    let own = map.turn[1].tr_mul(&turn) + map.shift[1].tr_mul(&shift) + first;
    let mut rest = *f;
    let mut at_turn = rest.fixed_view_mut::<3, 3>(0, 0);
    at_turn += skew_times(&map.chord, &shift);
    let before = map.turn[0].tr_mul(&turn) + map.shift[0].tr_mul(&shift);
    rest.fixed_view_mut::<3, 3>(6, 0).copy_from(&before);
    (own, rest)
}

impl Composite {
    /// Eliminates the elements of `chain`, asked for from the last to the first.
    pub(super) fn factorise(
        &mut self,
        chain: &Chain,
        mut element: impl FnMut(usize, &mut Form, &mut Change, &mut Transfer),
        left: &mut Left,
    ) -> Result<(), SingularPivot> {
        let n = chain.begins.len();
        self.count = 0;
        self.places.clear();
        for begins in chain.begins {
            self.count += usize::from(*begins);
            self.places.push((self.count, *begins));
            self.count += 1;
        }
        let size = 3 * self.count;
        let mut k = DMatrix::zeros(size, size);
        self.beside = DMatrix::zeros(size, BESIDE);
        self.transfers.resize(n, Transfer::default());
        // Beyond the last element the end moves and turns by itself.
        let mut p = SMatrix::<f64, 9, 9>::zeros();
        p.fixed_view_mut::<3, 3>(0, 0).copy_from(&chain.end_turn);
        let mut c = SMatrix::<f64, 9, COLUMNS>::zeros();
        c.fixed_view_mut::<3, 3>(3, END_MOVE).fill_with_identity();
        c.fixed_view_mut::<3, 3>(0, END_TURN).fill_with_identity();
        // What the coordinates beyond see of the beginning of this element; filled from the end.
        let mut seen: Vec<SMatrix<f64, 9, 3>> = vec![SMatrix::zeros(); self.count];
        for e in (0..n).rev() {
            let (mut own, mut by_length) = (Form::default(), Change::default());
            element(e, &mut own, &mut by_length, &mut self.transfers[e]);
            let map = self.transfers[e].dense();
            let h = own.dense() + map.tr_mul(&(p * map));
            let mut columns = map.tr_mul(&c);
            for (k, own) in by_length.iter().enumerate() {
                let mut view = columns.fixed_view_mut::<3, 1>(3 * k, LENGTH);
                view += own;
            }
            let (place, begins) = self.places[e];
            let at = 3 * place;
            k.fixed_view_mut::<3, 3>(at, at).copy_from(&h.fixed_view::<3, 3>(9, 9));
            let border = columns.fixed_view::<3, COLUMNS>(9, 0);
            self.beside.fixed_view_mut::<3, COLUMNS>(at, 6).copy_from(&border);
            for (j, f) in seen.iter_mut().enumerate().skip(place + 1) {
                let (block, rest) = carried(&self.transfers[e], f);
                // The factorisation reads the lower triangle.
                k.fixed_view_mut::<3, 3>(3 * j, at).copy_from(&block.transpose());
                *f = rest;
            }
            seen[place] = h.fixed_view::<9, 3>(0, 9).into();
            p = h.fixed_view::<9, 9>(0, 0).into();
            c = columns.fixed_view::<9, COLUMNS>(0, 0).into();
            if begins {
                // Nothing before the element knows its first coordinate.
                let at = 3 * (place - 1);
                k.fixed_view_mut::<3, 3>(at, at).copy_from(&p.fixed_view::<3, 3>(6, 6));
                let border = c.fixed_view::<3, COLUMNS>(6, 0).into_owned();
                self.beside.fixed_view_mut::<3, COLUMNS>(at, 6).copy_from(&border);
                for (j, f) in seen.iter_mut().enumerate().skip(place) {
                    let mut first = f.fixed_view_mut::<3, 3>(6, 0);
                    k.fixed_view_mut::<3, 3>(3 * j, at).copy_from(&first.transpose());
                    first.fill(0.0);
                }
                seen[place - 1].fixed_view_mut::<6, 3>(0, 0).copy_from(&p.fixed_view::<6, 3>(0, 6));
                p.fixed_view_mut::<9, 3>(0, 6).fill(0.0);
                p.fixed_view_mut::<3, 9>(6, 0).fill(0.0);
                c.fixed_view_mut::<3, COLUMNS>(6, 0).fill(0.0);
            }
        }
        for (j, f) in seen.iter().enumerate() {
            self.beside.fixed_view_mut::<3, 6>(3 * j, 0).copy_from(&f.fixed_view::<6, 3>(0, 0).transpose());
        }
        k.fill_upper_triangle_with_lower_triangle();
        let (factor, negative) = Factor::new(k)?;
        self.solved = factor.solve(&self.beside);
        self.factor = Some(factor);
        let through = self.beside.tr_mul(&self.solved);
        left.negative = negative;
        left.base = p.fixed_view::<6, 6>(0, 0) - through.fixed_view::<6, 6>(0, 0);
        left.base_columns = c.fixed_view::<6, COLUMNS>(0, 0) - through.fixed_view::<6, COLUMNS>(0, 6);
        left.compliance = through.fixed_view::<COLUMNS, COLUMNS>(6, 6).into();
        Ok(())
    }

    /// Eliminates a residual: that of every element's (ψ, x, v₀, v₁).
    pub(super) fn reduce(&mut self, element: impl Fn(usize) -> Change, left: &mut Left) {
        let mut g = DMatrix::zeros(3 * self.count, 1);
        let mut r = [Vec3::zeros(); 3];
        for (e, (transfer, (place, begins))) in self.transfers.iter().zip(&self.places).enumerate().rev() {
            let [turn, shift, first, second] = transfer.pull(&r, &element(e));
            g.fixed_view_mut::<3, 1>(3 * place, 0).copy_from(&second);
            r = [turn, shift, first];
            if *begins {
                g.fixed_view_mut::<3, 1>(3 * (place - 1), 0).copy_from(&first);
                r[FIRST] = Vec3::zeros();
            }
        }
        let through = self.solved.tr_mul(&g);
        left.base_residual = -through.fixed_view::<6, 1>(0, 0);
        for (k, own) in r[..FIRST].iter().enumerate() {
            let mut view = left.base_residual.fixed_rows_mut::<3>(3 * k);
            view += own;
        }
        left.moved = through.fixed_view::<COLUMNS, 1>(6, 0).into();
        if let Some(factor) = &self.factor {
            self.residual = factor.solve(&g).column(0).into();
        }
    }

    /// Completes the step from that of the start and the coefficients of the border columns. `visit` gets
    /// every element with (ψ, x, v₀, v₁); the rotation of the end is returned.
    pub(super) fn expand(
        &self,
        turn: &Vec3,
        shift: &Vec3,
        columns: &Coefficients,
        mut visit: impl FnMut(usize, &Change),
    ) -> Vec3 {
        let known: Vec<f64> = turn.iter().chain(shift.iter()).chain(columns.iter()).copied().collect();
        let v = -(&self.solved * DVector::from_vec(known) + &self.residual);
        let mut z = [*turn, *shift, Vec3::zeros()];
        for (e, (transfer, (place, begins))) in self.transfers.iter().zip(&self.places).enumerate() {
            if *begins {
                z[FIRST] = v.fixed_rows::<3>(3 * (place - 1)).into();
            }
            let all = [z[0], z[1], z[2], v.fixed_rows::<3>(3 * place).into()];
            visit(e, &all);
            z = transfer.push(&all);
        }
        z[0]
    }
}
