//! Sweeps and searches: a scene through poses, motions and ranges, and values at which a condition holds.

use crate::error::to_python;
use crate::scene::Scene;
use crate::solution::Solution;
use crate::study::study_error;
use flexline_session::session::Solved;
use flexline_study::find::{Over, Search, Wanted};
use flexline_study::sweep::Sweep;
use flexline_study::{Base, Course, Poses, Range, StudyError, stl};
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

/// A sweep that was done.
#[pyclass(frozen, module = "flexline._engine")]
pub struct SweepRun {
    sweep: Sweep,
    csv: String,
    heads: Vec<String>,
    values: Vec<Vec<f64>>,
}

fn base(scene: &Scene) -> Base {
    Base::new(scene.text.clone(), scene.name.clone(), scene.folder())
}

/// A table of poses: its text, and what messages call it.
type Table = (String, String);

/// Goes through a course: a table of poses, a motion, or ranges.
#[pyfunction]
#[pyo3(signature = (scene, *, table = None, motion = false, vary = Vec::new(), steps = 50))]
pub fn sweep(
    py: Python<'_>,
    scene: &Scene,
    table: Option<Table>,
    motion: bool,
    vary: Vec<String>,
    steps: usize,
) -> PyResult<SweepRun> {
    let run = || -> Result<SweepRun, StudyError> {
        let base = base(scene);
        let course = match table {
            Some((text, name)) => Course::through(base, Poses::read(&text, &name)?, &name)?,
            None if motion => Course::motion(base, steps)?,
            None => {
                let ranges = vary.iter().map(|own| Range::parse(own)).collect::<Result<Vec<_>, _>>()?;
                Course::vary(base, ranges, steps + 1)?
            }
        };
        let sweep = Sweep::run(&course, true, |_| {})?;
        Ok(SweepRun {
            csv: sweep.csv(&course),
            heads: course.heads(),
            values: (0..course.count()).map(|pose| course.values(pose)).collect(),
            sweep,
        })
    };
    py.detach(run).map_err(|error| study_error(py, &error))
}

#[pymethods]
impl SweepRun {
    /// The same as `flexline sweep --json` tells.
    fn told<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let own = &self.sweep;
        to_python(
            py,
            &json!({
                "verdict": own.verdict(),
                "worst_pose": own.worst.as_ref().map(|(pose, _)| pose),
                "worst": own.worst_findings(),
                "poses": own.rows,
            }),
        )
    }

    /// A line for every pose, separated by commas.
    #[getter]
    fn csv(&self) -> &str {
        &self.csv
    }

    /// Names of the cables.
    #[getter]
    fn cables(&self) -> Vec<String> {
        self.sweep.cables.clone()
    }

    /// Names of what distinguishes the poses, and its numbers.
    #[getter]
    fn course(&self) -> (Vec<String>, Vec<Vec<f64>>) {
        (self.heads.clone(), self.values.clone())
    }

    /// Positions of the nodes of a cable in every pose, m: shape (poses, nodes, 3), NaN without equilibrium.
    fn positions<'py>(&self, py: Python<'py>, cable: Option<&str>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let cables = &self.sweep.cables;
        let found = match cable {
            None => (cables.len() == 1).then_some(0),
            Some(name) => cables.iter().position(|own| own == name),
        };
        let told = || PyKeyError::new_err(format!("which cable? There are {}", cables.join(", ")));
        let index = found.ok_or_else(told)?;
        let nodes = self.sweep.tubes.first().map_or(0, |own| own.cables[index].len());
        if self.sweep.tubes.iter().any(|own| own.cables[index].len() != nodes) {
            return Err(PyValueError::new_err("the cable has more nodes in some poses than in others"));
        }
        let mut tubes = self.sweep.tubes.iter();
        let mut numbers = Vec::with_capacity(self.sweep.rows.len() * nodes * 3);
        for row in &self.sweep.rows {
            match row.is_solved().then(|| tubes.next()).flatten() {
                Some(own) => {
                    let at = own.cables[index].iter();
                    numbers.extend(at.flat_map(|node| [node.position.x, node.position.y, node.position.z]));
                }
                None => numbers.extend(std::iter::repeat_n(f64::NAN, nodes * 3)),
            }
        }
        PyArray1::from_vec(py, numbers).reshape([self.sweep.rows.len(), nodes, 3])
    }

    /// The solution of the pose in which most of any limit is used.
    fn worst(&self) -> Option<Solution> {
        let (_, Solved { scene, compiled, solution }) = self.sweep.worst.as_ref()?;
        Some(Solution::new((**scene).clone(), (**compiled).clone(), (**solution).clone()))
    }

    /// The tubes of all poses as STL, in metres.
    fn volume<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &stl(&self.sweep.tubes))
    }
}

/// Looks for the value of a parameter at which a condition holds.
#[pyfunction]
#[pyo3(signature = (scene, vary, so_that, *, table = None, motion = false, steps = 24, tolerance = 1e-6, most = false))]
#[allow(clippy::too_many_arguments)]
pub fn find<'py>(
    py: Python<'py>,
    scene: &Scene,
    vary: &str,
    so_that: &str,
    table: Option<Table>,
    motion: bool,
    steps: usize,
    tolerance: f64,
    most: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if !(2..=100_000).contains(&steps) {
        return Err(PyValueError::new_err(format!("steps is {steps}: expected 2 to 100000")));
    }
    if !(1e-12..=0.1).contains(&tolerance) {
        return Err(PyValueError::new_err(format!(
            "tolerance is {tolerance}: expected a share of the range from 1e-12 to 0.1"
        )));
    }
    let run = || {
        let base = base(scene);
        let range = match vary.contains('=') {
            true => Range::parse(vary)?,
            false => Range::around(&base.text, vary)?,
        };
        let over = match table {
            Some((text, name)) => Over::Poses(Poses::read(&text, &name)?, name),
            None if motion => Over::Motion(steps),
            None => Over::Scene,
        };
        let search = Search {
            base: &base,
            range: &range,
            goal: so_that,
            over,
            steps: range.count.map_or(steps, |count| count - 1),
            tolerance,
            wanted: if most { Wanted::Most } else { Wanted::Least },
        };
        let found = search.run(&mut || {})?;
        Ok(json!({ "parameter": range.name, "unit": range.unit, "condition": so_that, "found": found }))
    };
    let found = py.detach(run).map_err(|error: StudyError| study_error(py, &error))?;
    to_python(py, &found)
}
