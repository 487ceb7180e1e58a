//! Live handles: the compiled scene is changed in place and solved again from where it is.

use crate::arrays::vectors;
use crate::error::scene_error;
use crate::scene::Asked;
use crate::solution::{Solution, status_word};
use flexline::algebra::rotation;
use flexline::solver::network::{NetworkReport, NetworkState};
use flexline::solver::statics::{Scratch, Settings, equilibrium};
use flexline::{Quat, Vec3};
use flexline_scene::{Compiled, Scene};
use numpy::PyArray2;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard};

/// What is led about.
struct Led {
    compiled: Compiled,
    state: NetworkState,
    scratch: Scratch,
    settings: Settings,
    report: NetworkReport,
}

/// A scene that is led about: each equilibrium begins in the one before, and keeps its turns and its side.
///
/// ```text
/// >>> scene = flexline.Scene.from_dict({
/// ...     "cable": {"length": "400 mm", "part": "brake-hose"},
/// ...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
/// ...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
/// ... })
/// >>> live = scene.live()
/// >>> live.shift("end", by=[0, 0.01, 0])
/// >>> live.solve()
/// 'converged'
/// >>> live.positions()[-1].round(6).tolist()
/// [0.25, 0.01, 0.1]
///
/// ```
#[pyclass(frozen, module = "flexline")]
pub struct Live {
    scene: Scene,
    asked: Asked,
    led: Mutex<Led>,
}

impl Live {
    /// Solves a scene, to be led from there.
    pub fn begin(py: Python<'_>, scene: &Scene, asked: Asked) -> PyResult<Self> {
        let begun = py.detach(|| {
            asked.in_time(|| {
                let compiled = scene.compile_even_short()?;
                let mut settings = compiled.settings();
                settings.seek_stable |= asked.stable;
                let solution = compiled.solve(&settings).map_err(|error| scene.locate(&error))?;
                let scratch = Scratch::new(&compiled.network);
                // What is followed is near: its eigenvalues are had when a solution is asked for.
                settings.stability = false;
                Ok(Led { compiled, state: solution.state, scratch, settings, report: solution.report })
            })
        });
        let led = begun.map_err(|error: flexline_scene::SceneError| scene_error(py, &error))?;
        Ok(Self { scene: scene.clone(), asked, led: Mutex::new(led) })
    }

    fn led(&self) -> PyResult<MutexGuard<'_, Led>> {
        self.led
            .lock()
            .map_err(|_| PyRuntimeError::new_err("this handle was left in the middle of a failure"))
    }
}

impl Led {
    /// The anchor that a name means.
    fn anchor(&self, name: &str) -> PyResult<usize> {
        self.compiled.anchors.iter().position(|own| own.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.compiled.anchors.iter().map(|own| own.name.as_str()).collect();
            PyKeyError::new_err(format!(
                "nothing that can be led is called {name:?}. There are {}",
                names.join(", ")
            ))
        })
    }

    fn cable(&self, name: Option<&str>) -> PyResult<usize> {
        let cables = &self.compiled.cables;
        let found = match name {
            None => (cables.len() == 1).then_some(0),
            Some(name) => cables.iter().position(|own| own.name == name),
        };
        let names: Vec<&str> = cables.iter().map(|own| own.name.as_str()).collect();
        found.ok_or_else(|| PyKeyError::new_err(format!("which cable? There are {}", names.join(", "))))
    }
}

#[pymethods]
impl Live {
    /// Puts a port, part, clip or end somewhere: a position in m, a quaternion w, x, y, z, or both. Solves nothing yet.
    #[pyo3(signature = (name, position = None, quaternion = None))]
    fn place(&self, name: &str, position: Option<[f64; 3]>, quaternion: Option<[f64; 4]>) -> PyResult<()> {
        let mut led = self.led()?;
        let anchor = led.anchor(name)?;
        let pose = &mut led.compiled.network.anchors[anchor].pose;
        let numbers = position.iter().flatten().chain(quaternion.iter().flatten());
        if let Some(wrong) = numbers.copied().find(|x| !x.is_finite()) {
            return Err(PyValueError::new_err(format!("{name} is put to {wrong}: expected finite numbers")));
        }
        if let Some([w, x, y, z]) = quaternion {
            let q = Quat::new(w, x, y, z);
            if (q.norm() - 1.0).abs() > 1e-3 {
                return Err(PyValueError::new_err(format!(
                    "the quaternion of {name} has the norm {}: expected 1, as w, x, y, z",
                    q.norm()
                )));
            }
            pose.orientation = q / q.norm();
        }
        if let Some(position) = position {
            pose.position = Vec3::from(position);
        }
        Ok(())
    }

    /// Moves a port, part, clip or end by a vector, m, and turns it by a rotation vector, rad, world. Solves nothing yet.
    #[pyo3(signature = (name, by = [0.0; 3], turn = [0.0; 3]))]
    fn shift(&self, name: &str, by: [f64; 3], turn: [f64; 3]) -> PyResult<()> {
        if let Some(wrong) = by.into_iter().chain(turn).find(|x| !x.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "{name} is moved by {wrong}: expected finite numbers"
            )));
        }
        let mut led = self.led()?;
        let anchor = led.anchor(name)?;
        let pose = &mut led.compiled.network.anchors[anchor].pose;
        pose.position += Vec3::from(by);
        pose.orientation = rotation::exp(&Vec3::from(turn)) * pose.orientation;
        Ok(())
    }

    /// Finds the equilibrium from where things are, and says how that ended.
    fn solve(&self, py: Python<'_>) -> PyResult<String> {
        let solved = py.detach(|| {
            let mut led = self.led()?;
            let Led { compiled, state, scratch, settings, .. } = &mut *led;
            let report = self.asked.in_time(|| equilibrium(&compiled.network, state, scratch, settings));
            Ok::<_, PyErr>(report.map(|report| {
                let status = report.status;
                led.report = report;
                status
            }))
        })?;
        solved.map(status_word).map_err(|error| scene_error(py, &self.scene.locate(&error)))
    }

    /// Leads a port, part, clip or end through positions, m, shape (N, 3), with an equilibrium at each from the one before; says how
    /// each ended. It is one call: nothing of Python is between two equilibria.
    fn follow(&self, py: Python<'_>, name: &str, positions: Vec<[f64; 3]>) -> PyResult<Vec<String>> {
        if let Some(row) = positions.iter().position(|own| own.iter().any(|x| !x.is_finite())) {
            return Err(PyValueError::new_err(format!(
                "position {row} of {name} is {:?}: expected finite numbers",
                positions[row]
            )));
        }
        let anchor = self.led()?.anchor(name)?;
        let found = py.detach(|| {
            let mut led = self.led()?;
            let Led { compiled, state, scratch, settings, report } = &mut *led;
            let mut ended = Vec::with_capacity(positions.len());
            for position in positions {
                compiled.network.anchors[anchor].pose.position = Vec3::from(position);
                let solve = || equilibrium(&compiled.network, state, scratch, settings);
                match self.asked.in_time(solve) {
                    Ok(own) => *report = own,
                    Err(error) => return Ok(Err(error)),
                }
                ended.push(report.status);
            }
            Ok::<_, PyErr>(Ok(ended))
        })?;
        let ended = found.map_err(|error| scene_error(py, &self.scene.locate(&error)))?;
        Ok(ended.into_iter().map(status_word).collect())
    }

    /// How the last solve ended.
    #[getter]
    fn status(&self) -> PyResult<String> {
        Ok(status_word(self.led()?.report.status))
    }

    /// Newton iterations of the last solve.
    #[getter]
    fn iterations(&self) -> PyResult<usize> {
        Ok(self.led()?.report.iterations)
    }

    /// Names of what can be led.
    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        Ok(self.led()?.compiled.anchors.iter().map(|own| own.name.clone()).collect())
    }

    /// Positions of the nodes of a cable, m: shape (n, 3).
    #[pyo3(signature = (cable = None))]
    fn positions<'py>(&self, py: Python<'py>, cable: Option<&str>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let led = self.led()?;
        let cable = led.cable(cable)?;
        let profile = led.compiled.profile(&led.state, cable);
        vectors(py, profile.samples.iter().map(|sample| sample.position))
    }

    /// The whole solution as it is now, with its stability.
    fn solution(&self, py: Python<'_>) -> PyResult<Solution> {
        let found = py.detach(|| {
            let mut led = self.led()?;
            let Led { compiled, state, scratch, settings, .. } = &mut *led;
            let settings = Settings { stability: true, ..*settings };
            let report = equilibrium(&compiled.network, state, scratch, &settings);
            Ok::<_, PyErr>(report.map(|report| {
                let spans = scratch.profiles(&compiled.network, state);
                (compiled.clone(), compiled.solution(state.clone(), report, spans))
            }))
        })?;
        let (compiled, solution) = found.map_err(|error| scene_error(py, &self.scene.locate(&error)))?;
        Ok(Solution::new(self.scene.clone(), compiled, solution))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<flexline.Live of {:?}: {}>", self.scene.name(), self.status()?))
    }
}
