//! Scenes: text with a name and a folder.

use crate::error::scene_error;
use crate::live::Live;
use crate::motion::{self, Asking, Motion};
use crate::parameter::{Value, apply};
use crate::session::Session;
use crate::solution::Solution;
use flexline::Vec3;
use flexline::solver::Budget;
use flexline_scene::{Compiled, Folder, SceneError};
use flexline_session::command::value_of;
use flexline_session::motion::Way;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::path::PathBuf;
use std::time::Duration;

/// A scene: what is to be solved, as a scene file says it. Scenes do not change; `with_values` makes another.
///
/// ```text
/// >>> scene = flexline.Scene.from_dict({
/// ...     "cable": {"length": "400 mm", "part": "brake-hose"},
/// ...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
/// ...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
/// ... })
/// >>> longer = scene.with_values({"cable.length": "420 mm"})
/// >>> float(longer.value("cable.length")[0])
/// 0.42
/// >>> bool(longer.solve().cable().positions[50, 2] < scene.solve().cable().positions[50, 2])
/// True
///
/// ```
#[pyclass(frozen, module = "flexline")]
pub struct Scene {
    pub text: String,
    pub name: String,
    /// Where the files are that it names.
    pub folder: Option<PathBuf>,
    pub read: flexline_scene::Scene,
}

impl Scene {
    /// Reads and checks a text. A cable that is too short is no mistake: its solution says so.
    pub fn parse(text: String, name: String, folder: Option<PathBuf>) -> Result<Self, SceneError> {
        let read = flexline_scene::Scene::read_in(&text, &name, &folder_of(folder.as_ref()))?;
        read.compile_even_short()?;
        Ok(Self { text, name, folder, read })
    }

    pub fn folder(&self) -> Folder {
        folder_of(self.folder.as_ref())
    }
}

fn folder_of(path: Option<&PathBuf>) -> Folder {
    path.map(Folder::new).unwrap_or_default()
}

/// How a solve may be asked for, from keywords.
#[derive(Clone, Copy)]
pub struct Asked {
    pub stable: bool,
    pub timeout: Option<f64>,
}

impl Asked {
    pub fn new(stable: bool, timeout: Option<f64>) -> PyResult<Self> {
        match timeout {
            Some(t) if !(t > 0.0 && t.is_finite()) => Err(PyValueError::new_err(format!(
                "timeout is {t}: expected seconds above 0, or None for as long as it takes"
            ))),
            _ => Ok(Self { stable, timeout }),
        }
    }

    /// Does work in the time that there is.
    pub fn in_time<T>(&self, work: impl FnOnce() -> T) -> T {
        match self.timeout {
            Some(seconds) => Budget::lasting(Duration::from_secs_f64(seconds)).around(work),
            None => work(),
        }
    }
}

/// Solves a scene that was read.
pub fn solve(
    scene: &flexline_scene::Scene,
    asked: Asked,
) -> Result<(Compiled, flexline_scene::Solution), SceneError> {
    asked.in_time(|| {
        let compiled = scene.compile_even_short()?;
        let mut settings = compiled.settings();
        settings.seek_stable |= asked.stable;
        let mut solution = compiled.solve(&settings).map_err(|error| scene.locate(&error))?;
        solution.lost = compiled.lost_turns(&solution, &settings);
        Ok((compiled, solution))
    })
}

#[pymethods]
impl Scene {
    /// A scene from its text (TOML).
    #[new]
    #[pyo3(signature = (text, name = "scene", folder = None))]
    fn new(py: Python<'_>, text: String, name: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        Self::parse(text, name.to_owned(), folder).map_err(|error| scene_error(py, &error))
    }

    /// Reads a scene file.
    #[classmethod]
    fn load(_: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let folder =
            path.parent().map(|own| if own.as_os_str().is_empty() { PathBuf::from(".") } else { own.into() });
        let text = std::fs::read_to_string(&path)?;
        Self::parse(text, path.display().to_string(), folder).map_err(|error| scene_error(py, &error))
    }

    /// A scene from nested dicts and lists, with the keys of the scene file.
    #[classmethod]
    #[pyo3(signature = (content, name = "scene", folder = None))]
    fn from_dict(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        content: &Bound<'_, PyDict>,
        name: &str,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let kwargs = PyDict::new(py);
        kwargs.set_item("allow_nan", false)?;
        kwargs.set_item("default", py.import("flexline._values")?.getattr("plain")?)?;
        let json: String = py.import("json")?.call_method("dumps", (content,), Some(&kwargs))?.extract()?;
        let mut value: serde_json::Value =
            serde_json::from_str(&json).map_err(|e| PyValueError::new_err(e.to_string()))?;
        if let Some(table) = value.as_object_mut() {
            table.entry("version").or_insert(flexline_scene::VERSION.into());
        }
        let text = toml::to_string(&value).map_err(|e| {
            PyTypeError::new_err(format!(
                "no scene can be made of this: {e}; None has no place in a scene file"
            ))
        })?;
        Self::parse(text, name.to_owned(), folder).map_err(|error| scene_error(py, &error))
    }

    /// Its text.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its title, where it has one.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.read.title.as_deref()
    }

    /// Names of its cables.
    #[getter]
    fn cables(&self) -> Vec<String> {
        self.read.cables.iter().map(|own| own.cable.name.clone()).collect()
    }

    /// Another scene with some values changed: `scene.with_values({"cable.length": "420 mm"})`.
    fn with_values(&self, py: Python<'_>, values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut text = self.text.clone();
        for (name, value) in values {
            let name: String = name.extract()?;
            text =
                apply(&text, &name, &Value::from_python(&name, &value)?).map_err(|e| scene_error(py, &e))?;
        }
        Self::parse(text, self.name.clone(), self.folder.clone()).map_err(|e| scene_error(py, &e))
    }

    /// The number of a parameter, or those of a vector, in SI.
    fn value<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = value_of(&self.text, name).map_err(|error| scene_error(py, &error))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Finds the equilibrium.
    #[pyo3(signature = (*, stable = false, timeout = None))]
    fn solve(&self, py: Python<'_>, stable: bool, timeout: Option<f64>) -> PyResult<Solution> {
        let asked = Asked::new(stable, timeout)?;
        let (compiled, solution) =
            py.detach(|| solve(&self.read, asked)).map_err(|error| scene_error(py, &error))?;
        Ok(Solution::new(self.read.clone(), compiled, solution))
    }

    /// A handle that follows small changes from one equilibrium to the next.
    #[pyo3(signature = (*, stable = false, timeout = None))]
    fn live(&self, py: Python<'_>, stable: bool, timeout: Option<f64>) -> PyResult<Live> {
        Live::begin(py, &self.read, Asked::new(stable, timeout)?)
    }

    /// Sets it in motion from its equilibrium: what is named in `release` ("loads", or a port, clip, part or end) is let go, what
    /// is named in `move` goes by its vector, m, smoothly within `move_time`. `integrator` is "bdf2", "alpha" (with `rho`), "euler" or
    /// "semi-implicit"; `quantities` are watched in every frame, by the names of the guide to sweeps.
    #[pyo3(signature = (duration, *, step = 0.005, integrator = "bdf2", rho = 0.8, strain_delay = 0.005, drag = 0.02,
        wind = [0.0; 3], release = Vec::new(), r#move = None, move_time = None, rate = 60.0, quantities = None, stable = false,
        timeout = None))]
    #[allow(clippy::too_many_arguments)]
    fn simulate(
        &self,
        py: Python<'_>,
        duration: f64,
        step: f64,
        integrator: &str,
        rho: f64,
        strain_delay: f64,
        drag: f64,
        wind: [f64; 3],
        release: Vec<String>,
        r#move: Option<&Bound<'_, PyDict>>,
        move_time: Option<f64>,
        rate: f64,
        quantities: Option<Vec<String>>,
        stable: bool,
        timeout: Option<f64>,
    ) -> PyResult<Motion> {
        let way = Way { rho, strain_delay, drag, ..Way::default() };
        let integrator = integrator.to_owned();
        let (wind, shifts) = (Vec3::from(wind), motion::shifts(r#move)?);
        let asking =
            Asking { duration, step, integrator, way, wind, release, shifts, move_time, rate, quantities };
        motion::simulate(py, self, asking, Asked::new(stable, timeout)?)
    }

    /// A session: commands, undo and redo.
    fn session(&self, py: Python<'_>) -> PyResult<Session> {
        Session::open(py, self)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let own = slf.get();
        let arguments =
            (own.text.as_str(), own.name.as_str(), own.folder.as_ref()).into_pyobject(slf.py())?;
        Ok((slf.get_type(), arguments))
    }

    fn __repr__(&self) -> String {
        let what = match self.read.cables.len() {
            1 => "1 cable".to_owned(),
            n => format!("{n} cables"),
        };
        format!("<flexline.Scene {:?}: {what}>", self.name)
    }
}
