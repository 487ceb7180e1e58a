//! Studies: rows by their number, for whoever spreads them over machines.

use crate::error::scene_error;
use flexline_scene::Folder;
use flexline_study::study::{Row, Run, RunError, Summary};
use flexline_study::{Base, StudyError};
use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A study as its texts say it: it is pickled by these, and has the same bits wherever its rows are computed.
#[pyclass(frozen, module = "flexline._engine")]
pub struct Study {
    text: String,
    name: String,
    scene: (String, String, Option<PathBuf>),
    study: flexline_study::study::Study,
}

/// The rows of a study that are done, kept in a folder.
#[pyclass(frozen, module = "flexline._engine")]
pub struct StudyRun {
    run: Mutex<Run>,
}

/// What is wrong with a study, a sweep or a search as an exception.
pub fn study_error(py: Python<'_>, error: &StudyError) -> PyErr {
    match error {
        StudyError::Scene(error) => scene_error(py, error),
        StudyError::Input(text) => PyValueError::new_err(text.clone()),
    }
}

fn run_error(py: Python<'_>, error: &RunError) -> PyErr {
    match error {
        RunError::Input(error) => study_error(py, error),
        RunError::Output { path, error } => PyOSError::new_err(format!("cannot write {path}: {error}")),
    }
}

/// A row as Python has it: how it ended, and its responses.
type Told = (String, Vec<Option<f64>>);

#[pymethods]
impl Study {
    /// A study from its text, the text of its scene, and the folder of the files that the scene names.
    #[new]
    #[pyo3(signature = (text, name, scene_text, scene_name, folder = None))]
    fn new(
        py: Python<'_>,
        text: String,
        name: String,
        scene_text: String,
        scene_name: String,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let files = folder.as_ref().map(Folder::new).unwrap_or_default();
        let base = Base::new(scene_text.clone(), scene_name.clone(), files);
        let study = py.detach(|| flexline_study::study::Study::from_texts(&text, &name, base));
        let study = study.map_err(|error| study_error(py, &error))?;
        Ok(Self { text, name, scene: (scene_text, scene_name, folder), study })
    }

    /// Reads a study file and its scene.
    #[classmethod]
    fn load(_: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let study = py.detach(|| flexline_study::study::Study::load(&path));
        let study = study.map_err(|error| study_error(py, &error))?;
        let folder = Path::new(&study.base.name).parent().map(Path::to_path_buf);
        let folder = folder.map(|own| if own.as_os_str().is_empty() { PathBuf::from(".") } else { own });
        // Another process may have another folder of its own.
        let folder = folder.map(|own| own.canonicalize().unwrap_or(own));
        let scene = (study.base.text.clone(), study.base.name.clone(), folder);
        Ok(Self { text: study.text.clone(), name: path.display().to_string(), scene, study })
    }

    /// Names of the parameters.
    #[getter]
    fn parameters(&self) -> Vec<&str> {
        self.study.parameters.iter().map(|own| own.name.as_str()).collect()
    }

    /// Names of the responses.
    #[getter]
    fn responses(&self) -> Vec<&str> {
        self.study.responses.iter().map(|own| own.quantity.name.as_str()).collect()
    }

    /// The values of the parameters in a row, in their units.
    fn values(&self, row: usize) -> PyResult<Vec<f64>> {
        self.check(row)?;
        Ok(self.study.values(row))
    }

    /// Solves these rows on all cores: for each how it ended, and its responses in SI, None without an equilibrium.
    fn solve(&self, py: Python<'_>, rows: Vec<usize>) -> PyResult<Vec<Told>> {
        rows.iter().try_for_each(|row| self.check(*row))?;
        Ok(py.detach(|| {
            let one = |row: &usize| {
                let Row { status, values } = self.study.row(*row);
                (status, values)
            };
            rows.par_iter().map(one).collect()
        }))
    }

    /// Opens the folder of a run, with the rows that are done there; `anew` forgets them.
    #[pyo3(signature = (folder, *, anew = false))]
    fn open(&self, py: Python<'_>, folder: PathBuf, anew: bool) -> PyResult<StudyRun> {
        let run = Run::open(&self.study, &folder, anew).map_err(|error| run_error(py, &error))?;
        Ok(StudyRun { run: Mutex::new(run) })
    }

    /// What the rows of a run say, as text of JSON, and the results as text of CSV; all rows must be done.
    fn told(&self, run: &StudyRun) -> PyResult<(String, String)> {
        let run = run.run.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let rows: Vec<Row> = run.rows.iter().flatten().cloned().collect();
        if rows.len() != self.study.rows() {
            let told = format!("{} of {} rows are done", rows.len(), self.study.rows());
            return Err(PyValueError::new_err(told));
        }
        let summary = serde_json::to_string(&Summary::new(&self.study, &rows))
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((summary, flexline_study::study::csv(&self.study, &rows)))
    }

    fn __len__(&self) -> usize {
        self.study.rows()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let own = slf.get();
        let (text, name, folder) = &own.scene;
        let arguments = (own.text.as_str(), own.name.as_str(), text.as_str(), name.as_str(), folder.as_ref());
        Ok((slf.get_type(), arguments.into_pyobject(slf.py())?))
    }

    fn __repr__(&self) -> String {
        format!("<flexline.Study {:?}: {} rows>", self.name, self.study.rows())
    }
}

impl Study {
    fn check(&self, row: usize) -> PyResult<()> {
        let count = self.study.rows();
        match row < count {
            true => Ok(()),
            false => Err(PyIndexError::new_err(format!("row {row}: the study has {count}"))),
        }
    }
}

#[pymethods]
impl StudyRun {
    /// The rows that are not done yet.
    #[getter]
    fn open_rows(&self) -> Vec<usize> {
        let run = self.run.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        run.rows.iter().enumerate().filter(|(_, row)| row.is_none()).map(|(k, _)| k).collect()
    }

    /// Keeps rows that are done.
    fn keep(&self, py: Python<'_>, rows: Vec<usize>, found: Vec<Told>) -> PyResult<()> {
        let mut run = self.run.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let rows =
            rows.into_iter().zip(found).map(|(k, (status, values))| (k, Row { status, values })).collect();
        run.add(rows).map_err(|error| run_error(py, &error))
    }

    /// All rows, None where one is not done.
    fn rows(&self) -> Vec<Option<Told>> {
        let run = self.run.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        run.rows.iter().map(|row| row.as_ref().map(|own| (own.status.clone(), own.values.clone()))).collect()
    }
}
