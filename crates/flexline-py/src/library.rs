//! The library of parts and materials.

use crate::error::to_python;
use flexline::section::{materials as all_materials, parts as all_parts};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

fn by_name<'py>(py: Python<'py>, all: impl Iterator<Item = (String, Value)>) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &Value::Object(all.collect::<Map<_, _>>()))
}

/// The parts that a scene may name, by the name that scene files have for them: section, diameter, limits and source of each.
///
/// ```text
/// >>> "brake-hose" in flexline.parts()
/// True
///
/// ```
#[pyfunction]
pub fn parts(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    by_name(py, all_parts().iter().map(|own| (own.id.to_owned(), json!(own))))
}

/// The materials that a scene may name: Young's modulus, Poisson's ratio, density and source of each.
#[pyfunction]
pub fn materials(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    by_name(py, all_materials().iter().map(|own| (own.name.to_string(), json!(own))))
}
