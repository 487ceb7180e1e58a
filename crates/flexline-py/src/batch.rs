//! Batches: one scene, many values of its parameters, on all cores.

use crate::error::scene_error;
use crate::parameter::{Column, apply};
use crate::scene::{Asked, Scene, solve};
use crate::solution::status_word;
use flexline::Vec3;
use flexline::solver::{Sample, Status};
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What came of one row.
struct Row {
    status: String,
    /// What was wrong where it could not even be posed.
    error: Option<String>,
    iterations: usize,
    residual: f64,
    /// Per cable the positions of its nodes, the least bend radius and the largest tension; none without an equilibrium.
    cables: Vec<(Vec<Vec3>, f64, f64)>,
    /// Force of each support.
    forces: Vec<Vec3>,
}

/// The equilibria of many rows: stacked arrays, rows without equilibrium NaN.
#[pyclass(frozen, module = "flexline")]
pub struct Batch {
    rows: Vec<Row>,
    cables: Vec<String>,
    supports: Vec<String>,
}

/// Solves one scene for many values of its parameters, on all cores. `parameters` maps names such as "cable.length" to arrays
/// of N numbers in SI, or N rows of three. A row that cannot be posed or solved has a status, and never ends the others.
///
/// ```text
/// >>> scene = flexline.Scene.from_dict({
/// ...     "cable": {"length": "400 mm", "part": "brake-hose"},
/// ...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
/// ...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
/// ... })
/// >>> batch = flexline.solve_many(scene, {"cable.length": [0.40, 0.10, 0.42]})
/// >>> batch.status
/// ['converged', 'too_short', 'converged']
/// >>> batch.positions().shape
/// (3, 101, 3)
///
/// ```
#[pyfunction]
#[pyo3(signature = (scene, parameters, *, stable = false, timeout = None))]
pub fn solve_many(
    py: Python<'_>,
    scene: &Scene,
    parameters: &Bound<'_, PyDict>,
    stable: bool,
    timeout: Option<f64>,
) -> PyResult<Batch> {
    let asked = Asked::new(stable, timeout)?;
    let mut columns = Vec::new();
    for (name, values) in parameters {
        columns.push(Column::from_python(name.extract()?, &values)?);
    }
    let Some(first) = columns.first() else {
        return Err(PyValueError::new_err(
            "no parameters: expected at least one array, as in {\"cable.length\": lengths}",
        ));
    };
    let count = first.rows();
    if let Some(other) = columns.iter().find(|own| own.rows() != count) {
        return Err(PyValueError::new_err(format!(
            "{} has {count} rows and {} has {}: expected as many of each",
            first.name,
            other.name,
            other.rows()
        )));
    }
    // A name that is none is everybody's mistake, and no row's.
    for column in &columns {
        flexline_session::command::parameter(&scene.text, &column.name, 0.into())
            .map_err(|error| scene_error(py, &error))?;
    }
    let compiled = scene.read.compile_even_short().map_err(|error| scene_error(py, &error))?;
    let cables: Vec<String> = compiled.cables.iter().map(|own| own.name.clone()).collect();
    let supports: Vec<String> = compiled.anchors.iter().map(|own| own.name.clone()).collect();
    let rows =
        py.detach(|| (0..count).into_par_iter().map(|row| solve_row(scene, &columns, row, asked)).collect());
    Ok(Batch { rows, cables, supports })
}

fn solve_row(scene: &Scene, columns: &[Column], row: usize, asked: Asked) -> Row {
    let refused = |error: String| Row {
        status: "refused".into(),
        error: Some(error),
        iterations: 0,
        residual: f64::NAN,
        cables: Vec::new(),
        forces: Vec::new(),
    };
    let mut text = scene.text.clone();
    for column in columns {
        let Some(value) = column.value(row) else {
            return refused(format!("{} is not a finite number", column.name));
        };
        match apply(&text, &column.name, &value) {
            Ok(changed) => text = changed,
            Err(error) => return refused(error.to_string()),
        }
    }
    let read = flexline_scene::Scene::read_in(&text, &scene.name, &scene.folder());
    let solved = read.and_then(|read| solve(&read, asked));
    let (compiled, solution) = match solved {
        Ok(solved) => solved,
        Err(error) => return refused(error.to_string()),
    };
    let report = &solution.report;
    let at_rest = report.status == Status::Converged;
    let cables = solution.profiles.iter().map(|profile| {
        let samples = &profile.samples;
        let most = |of: fn(&Sample) -> f64| samples.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let positions = samples.iter().map(|sample| sample.position).collect();
        (positions, 1.0 / most(Sample::curvature), most(Sample::tension))
    });
    Row {
        status: status_word(report.status),
        error: (!at_rest).then(|| compiled.ending_with_troubles(report)),
        iterations: report.iterations,
        residual: report.residual_force,
        cables: if at_rest { cables.collect() } else { Vec::new() },
        forces: if at_rest { report.reactions.iter().map(|own| own.force).collect() } else { Vec::new() },
    }
}

impl Batch {
    fn numbers<'py>(&self, py: Python<'py>, of: impl Fn(&Row) -> f64) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.rows.iter().map(of))
    }

    fn cable(&self, name: Option<&str>) -> PyResult<usize> {
        let found = match name {
            None => (self.cables.len() == 1).then_some(0),
            Some(name) => self.cables.iter().position(|own| own == name),
        };
        found.ok_or_else(|| PyKeyError::new_err(format!("which cable? There are {}", self.cables.join(", "))))
    }
}

#[pymethods]
impl Batch {
    /// Which rows have an equilibrium.
    #[getter]
    fn converged<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(py, self.rows.iter().map(|row| row.status == "converged"))
    }

    /// How each row ended: "converged", "too_short", …; "refused" where it could not even be posed.
    #[getter]
    fn status(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row.status.as_str()).collect()
    }

    /// What was wrong with rows that have no equilibrium, by their number.
    #[getter]
    fn errors(&self) -> BTreeMap<usize, &str> {
        self.rows.iter().enumerate().filter_map(|(i, row)| Some((i, row.error.as_deref()?))).collect()
    }

    /// Newton iterations of each row.
    #[getter]
    fn iterations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_iter(py, self.rows.iter().map(|row| row.iterations as u64))
    }

    /// Unbalanced force of each row, N.
    #[getter]
    fn residual<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |row| row.residual)
    }

    /// Positions of the nodes of a cable in every row, m: shape (N, n, 3). Cables whose nodes are more in some rows than in
    /// others have no such array: solve these rows apart.
    #[pyo3(signature = (cable = None))]
    fn positions<'py>(&self, py: Python<'py>, cable: Option<&str>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let cable = self.cable(cable)?;
        let all: Vec<Option<&Vec<Vec3>>> =
            self.rows.iter().map(|row| row.cables.get(cable).map(|own| &own.0)).collect();
        let nodes = all.iter().flatten().next().map_or(0, |own| own.len());
        if let Some(other) = all.iter().flatten().find(|own| own.len() != nodes) {
            return Err(PyValueError::new_err(format!(
                "the cable has {nodes} nodes in one row and {} in another: solve these apart",
                other.len()
            )));
        }
        let mut numbers = Vec::with_capacity(all.len() * nodes * 3);
        for own in &all {
            match own {
                Some(own) => numbers.extend(own.iter().flat_map(|p| [p.x, p.y, p.z])),
                None => numbers.extend(std::iter::repeat_n(f64::NAN, nodes * 3)),
            }
        }
        PyArray1::from_vec(py, numbers).reshape([all.len(), nodes, 3])
    }

    /// Least bend radius of a cable in every row, m.
    #[pyo3(signature = (cable = None))]
    fn least_bend_radius<'py>(
        &self,
        py: Python<'py>,
        cable: Option<&str>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cable = self.cable(cable)?;
        Ok(self.numbers(py, |row| row.cables.get(cable).map_or(f64::NAN, |own| own.1)))
    }

    /// Largest tension of a cable in every row, N.
    #[pyo3(signature = (cable = None))]
    fn largest_tension<'py>(
        &self,
        py: Python<'py>,
        cable: Option<&str>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cable = self.cable(cable)?;
        Ok(self.numbers(py, |row| row.cables.get(cable).map_or(f64::NAN, |own| own.2)))
    }

    /// Force that a support exerts in every row, N, world: shape (N, 3).
    fn reaction_force<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
        let support = self.supports.iter().position(|own| own == name).ok_or_else(|| {
            PyKeyError::new_err(format!(
                "no support is called {name:?}. There are {}",
                self.supports.join(", ")
            ))
        })?;
        let none = Vec3::repeat(f64::NAN);
        crate::arrays::vectors(
            py,
            self.rows.iter().map(|row| row.forces.get(support).copied().unwrap_or(none)),
        )
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __repr__(&self) -> String {
        let found = self.rows.iter().filter(|row| row.status == "converged").count();
        format!("<flexline.Batch: {found} of {} converged>", self.rows.len())
    }
}
