//! Solutions: cables as arrays along their arc length, and the proof that comes with them.

use crate::arrays::{quaternions, vectors};
use crate::error::{derivative_error, scene_error, to_python};
use crate::exchange::{Wanted, export};
use crate::picture;
use flexline::solver::{Sample, Status};
use flexline_scene::Compiled;
use flexline_session::derivative::{Derivatives, Output};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// The word for a status, as JSON has it.
pub fn status_word(status: Status) -> String {
    json!(status).as_str().unwrap_or("unknown").to_owned()
}

/// All that was found.
pub struct Found {
    pub scene: flexline_scene::Scene,
    pub compiled: Compiled,
    pub solution: flexline_scene::Solution,
}

/// A solved scene. Whatever is asked of it, `status` says first whether there is an equilibrium.
///
/// ```text
/// >>> scene = flexline.Scene.from_dict({
/// ...     "cable": {"length": "400 mm", "part": "brake-hose"},
/// ...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
/// ...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
/// ... })
/// >>> solution = scene.solve()
/// >>> solution.status, solution.stable, sorted(solution.reactions)
/// ('converged', True, ['end', 'start'])
/// >>> solution.plot(view="perspective").startswith("<svg")
/// True
///
/// ```
#[pyclass(frozen, module = "flexline")]
pub struct Solution {
    found: Arc<Found>,
}

impl Solution {
    pub fn new(scene: flexline_scene::Scene, compiled: Compiled, solution: flexline_scene::Solution) -> Self {
        Self { found: Arc::new(Found { scene, compiled, solution }) }
    }

    fn at_rest(&self) -> bool {
        self.found.solution.report.status == Status::Converged
    }
}

#[pymethods]
impl Solution {
    /// How the solve ended, in a word: "converged", "too_short", "iteration_limit", …
    #[getter]
    fn status(&self) -> String {
        status_word(self.found.solution.report.status)
    }

    /// The same in a sentence, with all that stands in the way of an equilibrium.
    #[getter]
    fn message(&self) -> String {
        self.found.compiled.ending_with_troubles(&self.found.solution.report)
    }

    /// Whether residual and constraint violation are inside their tolerances.
    #[getter]
    fn converged(&self) -> bool {
        self.at_rest()
    }

    /// Whether the equilibrium is stable; `None` where there is none.
    #[getter]
    fn stable(&self) -> Option<bool> {
        let report = &self.found.solution.report;
        let by_eigenvalue = report.rest.stability.as_ref().map(|own| own.negative == 0);
        self.at_rest().then(|| by_eigenvalue.unwrap_or(report.negative == 0))
    }

    /// The proof: status, residual force, violation, iterations, energies, stability and what else a report has.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &json!(self.found.solution.report))
    }

    /// Writes it for another program: STEP, IGES, VDA-FS, CSV, points, MJCF, glTF, USD or VTP, by the ending of the file.
    #[pyo3(signature = (path, *, cable = None, tolerance = 1e-5, solid = false, schema = "ap242", physics = false))]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn export<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        cable: Option<&str>,
        tolerance: f64,
        solid: bool,
        schema: &str,
        physics: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        export(py, &self.found, &path, &Wanted { cable, tolerance, solid, schema, physics })
    }

    /// The cables by name.
    #[getter]
    fn cables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (index, own) in self.found.compiled.cables.iter().enumerate() {
            all.set_item(&own.name, Cable { found: self.found.clone(), index })?;
        }
        Ok(all)
    }

    /// A cable; that of a scene of one cable without a name.
    #[pyo3(signature = (name = None))]
    fn cable(&self, name: Option<&str>) -> PyResult<Cable> {
        let cables = &self.found.compiled.cables;
        let index = match name {
            None if cables.len() == 1 => Some(0),
            None => None,
            Some(name) => cables.iter().position(|own| own.name == name),
        };
        let names: Vec<&str> = cables.iter().map(|own| own.name.as_str()).collect();
        let index = index.ok_or_else(|| {
            let asked = name.map_or("which cable?".into(), |name| format!("no cable is called {name:?}"));
            PyKeyError::new_err(format!("{asked} There are {}", names.join(", ")))
        })?;
        Ok(Cable { found: self.found.clone(), index })
    }

    /// Force (N) and moment (N m) that each support exerts, world: name → {"force", "moment"}; empty without equilibrium.
    #[getter]
    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        if self.at_rest() {
            for (anchor, reaction) in
                self.found.compiled.anchors.iter().zip(&self.found.solution.report.reactions)
            {
                all.set_item(&anchor.name, to_python(py, &json!(reaction))?)?;
            }
        }
        Ok(all)
    }

    /// What the rules say: equilibrium, stability, bend radius, tension, twist, clearance, each with verdict, value, limit
    /// and place.
    #[getter]
    fn checks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let findings = py.detach(|| self.found.compiled.check(&self.found.solution));
        let cables = self.found.compiled.cables.iter().zip(&findings.cables);
        let cables: serde_json::Map<_, _> = cables.map(|(own, all)| (own.name.clone(), json!(all))).collect();
        to_python(py, &json!({ "overall": findings.overall(), "whole": findings.whole, "cables": cables }))
    }

    /// Where something touches: dicts with a, b, at, position, normal, gap, force, pressure, state, slip. First those of
    /// cables, then those of parts with a shape, which have no `at`; empty without equilibrium.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (compiled, solution) = (&self.found.compiled, &self.found.solution);
        let all = if self.at_rest() { compiled.touching(solution) } else { Vec::new() };
        to_python(py, &json!(all))
    }

    /// A picture as text of SVG; with a path, .svg or .png, it is written there as well. `view` is "report", "perspective",
    /// "three" or "along", `colour` "auto", "plain", "utilisation", "curvature", "twist", "tension" or "moment".
    #[pyo3(signature = (path = None, *, view = "report", colour = "auto", cable = None, azimuth = None, elevation = 22.0, width = 2000))]
    #[allow(clippy::too_many_arguments)]
    fn plot(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        view: &str,
        colour: &str,
        cable: Option<String>,
        azimuth: Option<f64>,
        elevation: f64,
        width: u32,
    ) -> PyResult<String> {
        let look = picture::look(view, colour, cable, azimuth, elevation)?;
        if let Some(path) = path {
            picture::write(py, &self.found, &look, &path, width)?;
        }
        py.detach(|| picture::svg(&self.found, &look))
    }

    /// The picture that a notebook shows: the scene in perspective.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        let look = picture::look("perspective", "auto", None, None, 22.0)?;
        py.detach(|| picture::svg(&self.found, &look))
    }

    /// Numbers of outputs one after the other, in SI: "hose.position @ 200 mm", "hose.tension @ 50 %", "hose.least_bend_radius",
    /// "end.force.z", "energy". They are those of the last state reached, whatever its status.
    fn values<'py>(&self, py: Python<'py>, outputs: Vec<String>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let Found { compiled, solution, .. } = &*self.found;
        let mut numbers = Vec::new();
        for own in &outputs {
            let output = Output::parse(own, compiled).map_err(|error| scene_error(py, &error))?;
            numbers.extend(output.value(compiled, solution));
        }
        Ok(PyArray1::from_vec(py, numbers))
    }

    /// Derivatives of all numbers of the outputs (rows) by all numbers of the inputs (columns), in SI. Inputs are parameters as
    /// `with_values` has them; a vector has three numbers. Raises NoDerivative where there is none, with the reason.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        outputs: Vec<String>,
        inputs: Vec<String>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Found { scene, compiled, solution } = &*self.found;
        let found = py.detach(|| Derivatives::new(scene, compiled, solution)?.jacobian(&outputs, &inputs));
        let found = found.map_err(|error| derivative_error(py, &error))?;
        let width = found.first().map_or(0, Vec::len);
        PyArray1::from_vec(py, found.concat()).reshape([found.len(), width])
    }

    fn __repr__(&self) -> String {
        format!("<flexline.Solution of {:?}: {}>", self.found.scene.name(), self.message())
    }
}

/// One cable of a solution, sampled at its nodes. What is known in equilibrium alone is NaN without one.
#[pyclass(frozen, module = "flexline")]
pub struct Cable {
    found: Arc<Found>,
    index: usize,
}

impl Cable {
    fn samples(&self) -> &[Sample] {
        &self.found.solution.profiles[self.index].samples
    }

    fn numbers<'py>(&self, py: Python<'py>, of: impl Fn(&Sample) -> f64) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.samples().iter().map(of))
    }

    /// The same of what is known in equilibrium alone.
    fn at_rest<'py>(&self, py: Python<'py>, of: impl Fn(&Sample) -> f64) -> Bound<'py, PyArray1<f64>> {
        let unknown = self.unknown();
        self.numbers(py, |sample| of(sample) + unknown)
    }

    /// NaN without equilibrium, else 0.
    fn unknown(&self) -> f64 {
        if self.found.solution.report.status == Status::Converged { 0.0 } else { f64::NAN }
    }
}

#[pymethods]
impl Cable {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.found.compiled.cables[self.index].name
    }

    /// Its length, m: what it was given, or found for itself.
    #[getter]
    fn length(&self) -> f64 {
        self.found.compiled.length_now(&self.found.solution.state, self.index)
    }

    /// Arc lengths of its nodes, m.
    #[getter]
    fn s<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |sample| sample.s)
    }

    /// Positions, m, world: shape (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        vectors(py, self.samples().iter().map(|sample| sample.position))
    }

    /// Material frames as unit quaternions w, x, y, z, material to world: shape (n, 4).
    #[getter]
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        quaternions(py, self.samples().iter().map(|sample| sample.frame))
    }

    /// Curvatures and twist κ1, κ2, τ, 1/m, material: shape (n, 3).
    #[getter]
    fn strains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let unknown = self.unknown();
        vectors(py, self.samples().iter().map(|sample| sample.strain.add_scalar(unknown)))
    }

    /// Internal force, N, world: shape (n, 3).
    #[getter]
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let unknown = self.unknown();
        vectors(py, self.samples().iter().map(|sample| sample.force_world.add_scalar(unknown)))
    }

    /// Internal moment, N m, material: shape (n, 3).
    #[getter]
    fn moments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let unknown = self.unknown();
        vectors(py, self.samples().iter().map(|sample| sample.moment_material.add_scalar(unknown)))
    }

    /// Tension, N.
    #[getter]
    fn tension<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.at_rest(py, Sample::tension)
    }

    /// Curvature of the centreline, 1/m.
    #[getter]
    fn curvature<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.at_rest(py, Sample::curvature)
    }

    /// Radius of the section, m.
    #[getter]
    fn radius<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |sample| sample.radius)
    }

    /// Smallest radius of the centreline, m.
    #[getter]
    fn least_bend_radius(&self) -> f64 {
        let most = self.samples().iter().map(Sample::curvature).fold(0.0, f64::max);
        1.0 / most + self.unknown()
    }

    fn __len__(&self) -> usize {
        self.samples().len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<flexline.Cable {:?}: {:.1} mm, {} nodes>",
            self.name(),
            1e3 * self.length(),
            self.samples().len()
        )
    }
}
