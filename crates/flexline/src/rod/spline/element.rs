//! From the variables of a place to the coordinates of its element: four control points, two rolls, b.

use super::strain::{BUBBLE, Form, Gradient, ROLLS, Strain, VARIABLES};
use super::{Point, SplineRod};
use crate::algebra::{Mat3, Vec3};
use nalgebra::{SMatrix, SVector};

/// Weights of the four control points in ρ at the beginning and the end of the element, in ρ and ρ′ at a place.
pub(crate) type Rows = [[f64; 4]; 4];
/// Over the coordinates of an element.
type ElementVector = SVector<f64, VARIABLES>;
/// A form of them.
pub(crate) type ElementForm = SMatrix<f64, VARIABLES, VARIABLES>;

/// A gradient in the coordinates of the element.
pub(crate) fn gather(rows: &Rows, local: &Gradient) -> ElementVector {
    let mut out = ElementVector::zeros();
    for (a, weights) in rows.iter().enumerate() {
        for (i, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            for axis in 0..3 {
                out[3 * i + axis] += w * local[3 * a + axis];
            }
        }
    }
    for k in ROLLS..=BUBBLE {
        out[k] = local[k];
    }
    out
}

/// A form in the coordinates of the element.
pub(crate) fn gather_form(rows: &Rows, local: &Form) -> ElementForm {
    // One side after the other.
    let mut half = ElementForm::zeros();
    for column in 0..VARIABLES {
        let own = gather(rows, &local.column(column).into_owned());
        half.set_column(column, &own);
    }
    let mut out = ElementForm::zeros();
    let half = half.transpose();
    for column in 0..VARIABLES {
        let own = gather(rows, &half.column(column).into_owned());
        out.set_column(column, &own);
    }
    out
}

impl SplineRod {
    /// Derivative of the energy by the strain (σ counting) of a place with that strain, its weight included.
    pub(crate) fn moment(&self, point: &Point, strain: &Vec3) -> Vec3 {
        point.stiffness.component_mul(&(strain / self.length - point.rest)) * point.weight
    }

    /// Second derivative of the energy of a place, with `shift` times more of the part that strains alone make.
    pub(crate) fn stiffness_form(
        &self,
        e: usize,
        point: &Point,
        measured: &Strain,
        shift: f64,
    ) -> ElementForm {
        let moment = self.moment(point, &measured.value);
        let mut local = measured.second(&moment);
        for (i, g) in measured.first().iter().enumerate() {
            let k = point.stiffness[i] * (1.0 + shift) * point.weight / self.length;
            local += g * g.transpose() * k;
        }
        gather_form(&self.rows(e, &point.values), &local)
    }

    /// Adds a form of a sum of control points with these weights.
    pub(crate) fn add_outer(out: &mut ElementForm, weights: &[f64; 4], form: &Mat3) {
        for i in 0..4 {
            for k in 0..4 {
                let mut view = out.fixed_view_mut::<3, 3>(3 * i, 3 * k);
                view += form * (weights[i] * weights[k]);
            }
        }
    }
}
