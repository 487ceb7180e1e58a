//! What is left of a curvature rod on the interface of its span: residuals on the way there, steps on the way back.

use super::form::{COLUMNS, Change, LENGTH};
use super::{
    CurvatureSpan, FLOW, FORCE, GROWS, Layout, LocalVector, MOVE_A, OWN, OWN_FORCE, OWN_LENGTH, OWN_MOMENT,
    OWN_TURN, OwnVector, TURN_A, TURN_B,
};
use crate::algebra::Vec3;
use nalgebra::SMatrix;

/// Where the components of (ψ_a, x_0, ψ_b, y, −δµ, L) but for the moment are, and where in the local vector; the length is
/// put on the first flow and spread from there.
pub(super) const PLACES: [(usize, usize); 13] = [
    (0, TURN_A),
    (1, TURN_A + 1),
    (2, TURN_A + 2),
    (3, MOVE_A),
    (4, MOVE_A + 1),
    (5, MOVE_A + 2),
    (6 + OWN_TURN, TURN_B),
    (6 + OWN_TURN + 1, TURN_B + 1),
    (6 + OWN_TURN + 2, TURN_B + 2),
    (6 + OWN_FORCE, FORCE),
    (6 + OWN_FORCE + 1, FORCE + 1),
    (6 + OWN_FORCE + 2, FORCE + 2),
    (6 + OWN_LENGTH, FLOW),
];

/// What the step does inside a span, but for its curvatures.
pub(super) struct Inside {
    /// Of the start.
    pub(super) turn: Vec3,
    pub(super) shift: Vec3,
    /// −δµ.
    pub(super) moment: Vec3,
    /// Rotation of the end.
    pub(super) last_turn: Vec3,
}

impl CurvatureSpan {
    /// What does not balance at the start: moment and force.
    pub(super) fn at_base(&self) -> [Vec3; 2] {
        [self.base_moment, self.base_force]
    }

    /// Derivative of the Lagrangian by the length, targets in motion held, N.
    pub(super) fn length_force(&self) -> f64 {
        let own = self.stiffness.iter().zip(&self.pairs);
        let elastic: f64 = own.map(|(s, v)| s.by_length(v, self.rod.length)).sum();
        let (loads, _) = self.length_terms();
        self.rod.rest_energy() + elastic + loads
    }

    /// What does not balance of ψ_b, y, −δµ and L by themselves.
    pub(super) fn own_residual(&self, layout: &Layout) -> OwnVector {
        let mut own = OwnVector::zeros();
        own.fixed_rows_mut::<3>(OWN_FORCE).copy_from(&self.gap);
        if layout.clamped[1] {
            own.fixed_rows_mut::<3>(OWN_TURN).copy_from(&(self.hold.by_end * self.moment));
            own.fixed_rows_mut::<3>(OWN_MOMENT).copy_from(&self.hold.value);
        }
        if self.length_matters {
            own[OWN_LENGTH] = self.length_force();
        }
        own
    }

    /// What a residual leaves on the interface, when that of the elements has been reduced: with that of (ψ, x) at the
    /// start, and of ψ_b, y, −δµ, L.
    pub(super) fn leave(&mut self, layout: &Layout, at_base: [Vec3; 2], own: &OwnVector) -> LocalVector {
        for (k, part) in at_base.iter().enumerate() {
            let mut rows = self.left.base_residual.fixed_rows_mut::<3>(3 * k);
            rows += part;
        }
        let mut base = self.left.base_residual;
        let mut moved = self.left.moved;
        if let Some(inverse) = &self.free_turn {
            let turn = inverse * base.fixed_rows::<3>(0);
            let form = &self.left.base;
            let columns = self.base_columns();
            moved += columns.fixed_view::<3, COLUMNS>(0, 0).tr_mul(&turn);
            let mut rows = base.fixed_rows_mut::<3>(3);
            rows -= form.fixed_view::<3, 3>(3, 0) * turn;
        }
        // Rows of ψ_b, y, −δµ, L: what is missing, less what the rod does by itself.
        let right = self.map.tr_mul(&moved) - own;
        let mut all = SMatrix::<f64, 16, 1>::zeros();
        all.fixed_rows_mut::<6>(0).copy_from(&-base);
        all.fixed_rows_mut::<OWN>(6).copy_from(&right);
        if layout.clamped[1] {
            self.moment_right = all.fixed_rows::<3>(6 + OWN_MOMENT).into();
            all -= self.moment_row.tr_mul(&(self.moment_pivot * self.moment_right));
        }
        let mut local = LocalVector::zeros();
        for (i, p) in PLACES {
            local[p] = all[i];
        }
        if !layout.clamped[0] {
            local.fixed_rows_mut::<3>(TURN_A).fill(0.0);
        }
        let length = local[FLOW];
        for side in 0..2 {
            local[FLOW + side] = if layout.flows[side] { GROWS[side] * length } else { 0.0 };
        }
        local
    }

    /// Completes what the step of the interface and the residual reduced last do inside. `visit` gets every element
    /// with (ψ, x, v₀, v₁).
    pub(super) fn substitute(
        &self,
        layout: &Layout,
        w: &LocalVector,
        visit: impl FnMut(usize, &Change),
    ) -> Inside {
        let mut all = SMatrix::<f64, 16, 1>::zeros();
        for (i, p) in PLACES {
            all[i] = w[p];
        }
        all[6 + OWN_LENGTH] = layout.sides().map(|s| GROWS[s] * w[FLOW + s]).sum();
        let mut moment = Vec3::zeros();
        if layout.clamped[1] {
            let mut known = all;
            known.fixed_rows_mut::<3>(6 + OWN_MOMENT).fill(0.0);
            moment = self.moment_pivot * (self.moment_right - self.moment_row * known);
            all.fixed_rows_mut::<3>(6 + OWN_MOMENT).copy_from(&moment);
        }
        let coefficients = self.map * all.fixed_rows::<OWN>(6);
        let shift: Vec3 = all.fixed_rows::<3>(3).into();
        let turn = match &self.free_turn {
            None => all.fixed_rows::<3>(0).into(),
            Some(inverse) => {
                let columns = self.base_columns();
                let mut known: Vec3 = self.left.base_residual.fixed_rows::<3>(0).into();
                known += columns.fixed_view::<3, COLUMNS>(0, 0) * coefficients;
                known += self.left.base.fixed_view::<3, 3>(0, 3) * shift;
                -(inverse * known)
            }
        };
        let last_turn = self.elimination.expand(&turn, &shift, &coefficients, visit);
        Inside { turn, shift, moment, last_turn }
    }

    /// The border columns at the start, length included.
    pub(super) fn base_columns(&self) -> SMatrix<f64, 6, COLUMNS> {
        let mut columns = self.left.base_columns;
        if self.length_matters {
            for i in 0..3 {
                columns[(i, LENGTH)] += self.base_by_length.1[i];
                columns[(3 + i, LENGTH)] += self.base_by_length.0[i];
            }
        }
        columns
    }
}
