//! Exceptions, with what the libraries know of the mistake.

use flexline_session::derivative::DerivativeError;
use flexline_session::session::SessionError;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    flexline,
    SceneError,
    PyValueError,
    "What is wrong with a scene or a command. `diagnostics` is a list of dicts: code, path, message, help, place."
);

create_exception!(
    flexline,
    NoDerivative,
    PyValueError,
    "An equilibrium that has no derivative, or none by some parameter, with the reason."
);

/// What stands in the way of derivatives as an exception.
pub fn derivative_error(py: Python<'_>, error: &DerivativeError) -> PyErr {
    match error {
        DerivativeError::Scene(error) => scene_error(py, error),
        none => NoDerivative::new_err(none.to_string()),
    }
}

/// A value of the libraries as one of Python.
pub fn to_python<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// A mistake in a scene as an exception that carries its diagnostics.
pub fn scene_error(py: Python<'_>, error: &flexline_scene::SceneError) -> PyErr {
    let raised = SceneError::new_err(error.to_string());
    let told = serde_json::to_value(&error.diagnostics).unwrap_or_default();
    if let Ok(told) = to_python(py, &told) {
        // An exception without them still says all in its text.
        let _ = raised.value(py).setattr("diagnostics", told);
    }
    raised
}

/// What a session refuses as an exception.
pub fn session_error(py: Python<'_>, error: &SessionError) -> PyErr {
    match error {
        SessionError::Command(error) => scene_error(py, error),
        other => PyRuntimeError::new_err(other.to_string()),
    }
}
