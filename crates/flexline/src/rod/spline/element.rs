//! From the variables of a place to the coordinates of its element: four control points, two rolls, b.

use super::strain::{ALL, BENT, BUBBLE, Form, Gradient, HERE, ROLLS, Strain, VARIABLES, add_products};
use super::{Point, SplineRod, Values};
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
fn gather_form(rows: &Rows, local: &Form) -> ElementForm {
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

/// Forms of the places of one element, summed. ρ at its two ends and its twist are the same for all of them, so that
/// only what belongs to a place goes over to control points place by place.
pub(crate) struct ElementSum {
    /// Among ρ at the ends, rolls and b. Other entries mean nothing.
    shared: Form,
    /// Of the control points of places with the same; rows are variables.
    across: SMatrix<f64, VARIABLES, 12>,
    /// Of the control points of places among themselves.
    own: SMatrix<f64, 12, 12>,
}

impl ElementSum {
    pub(crate) fn zeros() -> Self {
        Self { shared: Form::zeros(), across: SMatrix::zeros(), own: SMatrix::zeros() }
    }

    /// Adds the form of the place with these values.
    pub(crate) fn add(&mut self, values: &Values, local: &Form) {
        self.shared += local;
        let mut half = SMatrix::<f64, VARIABLES, 12>::zeros();
        for i in 0..4 {
            let (slope, bend) = (values.slope[i], values.bend[i]);
            for axis in 0..3 {
                for row in 0..VARIABLES {
                    half[(row, 3 * i + axis)] =
                        slope * local[(row, HERE + axis)] + bend * local[(row, BENT + axis)];
                }
            }
        }
        self.across += half;
        for column in 0..12 {
            for i in 0..4 {
                let (slope, bend) = (values.slope[i], values.bend[i]);
                for axis in 0..3 {
                    self.own[(3 * i + axis, column)] +=
                        slope * half[(HERE + axis, column)] + bend * half[(BENT + axis, column)];
                }
            }
        }
    }

    /// The sum in the coordinates of the element, with the weights of ρ at its ends.
    pub(crate) fn form(&self, [begin, finish]: [[f64; 4]; 2]) -> ElementForm {
        let rows = [begin, finish, [0.0; 4], [0.0; 4]];
        let mut out = gather_form(&rows, &self.shared);
        for column in 0..12 {
            for row in 0..12 {
                out[(row, column)] += self.own[(row, column)];
            }
            let across = gather(&rows, &self.across.column(column).into_owned());
            for (row, value) in across.iter().enumerate() {
                out[(row, column)] += value;
                out[(column, row)] += value;
            }
        }
        out
    }
}

impl SplineRod {
    /// Derivative of the energy by the strain (σ counting) of a place with that strain, its weight included.
    pub(crate) fn moment(&self, point: &Point, strain: &Vec3) -> Vec3 {
        point.stiffness.component_mul(&(strain / self.length - point.rest)) * point.weight
    }

    /// Second derivative of the energy of a place in its variables, with `shift` times more of the part that strains
    /// alone make; `first` are the derivatives of the strain.
    pub(crate) fn stiffness_form(
        &self,
        point: &Point,
        measured: &Strain,
        first: &[Gradient; 3],
        shift: f64,
    ) -> Form {
        let moment = self.moment(point, &measured.value);
        let mut local = measured.second(&moment);
        for (i, g) in first.iter().enumerate() {
            let k = point.stiffness[i] * (1.0 + shift) * point.weight / self.length;
            add_products(&mut local, ALL, g, g, 0.5 * k);
        }
        local
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
