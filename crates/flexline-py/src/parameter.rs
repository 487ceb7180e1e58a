//! Values of parameters, from Python to the text of a scene.

use flexline_scene::SceneError;
use flexline_session::command::{edit, parameter};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A value of a parameter.
#[derive(Clone)]
pub enum Value {
    /// Any value as it stands in a scene file.
    Json(serde_json::Value),
}

impl Value {
    /// A number, a text with a unit, or a list of these.
    pub fn from_python(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        json(name, value).map(Self::Json)
    }

    /// A number, or three.
    pub fn numbers(numbers: &[f64]) -> Self {
        Self::Json(match numbers {
            [one] => (*one).into(),
            many => many.to_vec().into(),
        })
    }
}

fn json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<serde_json::Value> {
    if let Ok(truth) = value.cast::<pyo3::types::PyBool>() {
        return Ok(truth.is_true().into());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text.into());
    }
    if let Ok(whole) = value.extract::<i64>() {
        return Ok(whole.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return match number.is_finite() {
            true => Ok(number.into()),
            false => Err(PyValueError::new_err(format!("{name} is {number}: expected a finite number"))),
        };
    }
    if let Ok(items) = value.try_iter() {
        return items.map(|item| json(name, &item?)).collect::<PyResult<Vec<_>>>().map(Into::into);
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{name} is of type {kind}: expected a number in SI, a text such as \"12 mm\", or a list of these"
    )))
}

/// The text of a scene with one parameter changed.
pub fn apply(text: &str, name: &str, value: &Value) -> Result<String, SceneError> {
    let Value::Json(value) = value;
    let command = parameter(text, name, value.clone())?;
    edit(text, &command).map(|edited| edited.text)
}

/// The values of one parameter for all rows of a batch.
pub struct Column {
    pub name: String,
    /// Row by row, `width` numbers each.
    numbers: Vec<f64>,
    width: usize,
}

impl Column {
    /// From an array of N numbers, or N rows of three.
    pub fn from_python(name: String, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let kwargs = pyo3::types::PyDict::new(values.py());
        kwargs.set_item("dtype", "float64")?;
        let array = values
            .py()
            .import("numpy")?
            .call_method("ascontiguousarray", (values,), Some(&kwargs))
            .map_err(|e| {
            PyTypeError::new_err(format!("{name}: {e}; expected numbers in SI, one or three for each row"))
        })?;
        let array = array.cast::<PyArrayDyn<f64>>()?;
        let width = match array.shape() {
            [_] => 1,
            [_, 3] => 3,
            other => {
                return Err(PyValueError::new_err(format!(
                    "{name} has the shape {other:?}: expected (N,) or (N, 3)"
                )));
            }
        };
        Ok(Self { name, numbers: array.to_vec()?, width })
    }

    pub fn rows(&self) -> usize {
        self.numbers.len() / self.width
    }

    /// The value of a row; `None` where it is not finite.
    pub fn value(&self, row: usize) -> Option<Value> {
        let own = &self.numbers[row * self.width..(row + 1) * self.width];
        own.iter().all(|x| x.is_finite()).then(|| Value::numbers(own))
    }
}
