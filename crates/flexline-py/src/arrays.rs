//! Arrays of numpy, filled once.

use flexline::{Quat, Vec3};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// Rows of `width` numbers each.
pub fn rows<'py>(py: Python<'py>, numbers: Vec<f64>, width: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let count = numbers.len() / width;
    PyArray1::from_vec(py, numbers).reshape([count, width])
}

/// Vectors as rows.
pub fn vectors<'py>(
    py: Python<'py>,
    vectors: impl Iterator<Item = Vec3>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows(py, vectors.flat_map(|v| [v.x, v.y, v.z]).collect(), 3)
}

/// Quaternions as rows w, x, y, z.
pub fn quaternions<'py>(
    py: Python<'py>,
    all: impl Iterator<Item = Quat>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows(py, all.flat_map(|q| [q.w, q.i, q.j, q.k]).collect(), 4)
}
