//! Sessions: commands with undo, as the studio and `flexline edit` have them.

use crate::error::{session_error, to_python};
use crate::scene::Scene;
use crate::solution::Solution;
use flexline_session::command::Command;
use flexline_session::import::Import;
use flexline_session::session::{self, Outcome, SessionError, Solving};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// A scene under work: every change is a command, can be undone, and is solved from the shape before.
#[pyclass(frozen, module = "flexline")]
pub struct Session {
    own: Mutex<session::Session>,
    /// Where files are that it brings in.
    folder: PathBuf,
}

impl Session {
    /// Opens a scene and solves it.
    pub fn open(py: Python<'_>, scene: &Scene) -> PyResult<Self> {
        let opened = py
            .detach(|| session::Session::open_in(&scene.text, &scene.name, &scene.folder(), Solving::Always));
        let folder = scene.folder.clone().unwrap_or_default();
        opened.map(|own| Self { own: Mutex::new(own), folder }).map_err(|error| session_error(py, &error))
    }

    fn own(&self) -> PyResult<MutexGuard<'_, session::Session>> {
        self.own
            .lock()
            .map_err(|_| PyRuntimeError::new_err("this session was left in the middle of a failure"))
    }

    fn take<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut session::Session) -> Result<Outcome, SessionError> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let outcome = py.detach(|| Ok::<_, PyErr>(work(&mut *self.own()?)))?;
        to_python(py, &json!(outcome.map_err(|error| session_error(py, &error))?))
    }
}

#[pymethods]
impl Session {
    /// Does a command, a dict as COMMANDS.md describes it, or brings in a file: {"do": "import", "file": …}. Returns what was done, what changed and how it solved.
    #[pyo3(name = "do")]
    fn apply<'py>(&self, py: Python<'py>, command: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let text: String = py.import("json")?.call_method1("dumps", (command,))?.extract()?;
        if let Some(import) = Import::from_json(&text) {
            let import = import.map_err(|error| crate::error::scene_error(py, &error))?;
            let done = py.detach(|| Ok::<_, PyErr>(self.own()?.import(&import, &self.folder)))?;
            return to_python(py, &json!(done.map_err(|error| session_error(py, &error))?));
        }
        let command = Command::from_json(&text).map_err(|error| crate::error::scene_error(py, &error))?;
        self.take(py, move |own| own.apply(&command))
    }

    /// Takes back the last command.
    fn undo<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.take(py, session::Session::undo)
    }

    /// Does again what was taken back.
    fn redo<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.take(py, session::Session::redo)
    }

    /// The text of the scene as it is now.
    #[getter]
    fn text(&self) -> PyResult<String> {
        Ok(self.own()?.text().to_owned())
    }

    /// The solution as it is now.
    #[getter]
    fn solution(&self) -> PyResult<Solution> {
        let own = self.own()?;
        let solved = own.solution().ok_or_else(|| PyRuntimeError::new_err("nothing is solved here"))?;
        Ok(Solution::new((*solved.scene).clone(), (*solved.compiled).clone(), (*solved.solution).clone()))
    }
}
