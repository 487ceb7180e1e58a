//! Scenes in motion: a simulation as arrays over time.

use crate::arrays::{quaternions, vectors};
use crate::scene::{Asked, Scene, solve};
use crate::solution::status_word;
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::{Pose, Status};
use flexline_scene::harness::smooth;
use flexline_session::motion::{AnyMotion, Ending, MotionError, Scheme, Steps, Subjects, Way};
use flexline_session::session::Solved;
use flexline_study::Quantity;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Names of the energies, as they are kept.
const ENERGIES: [&str; 5] = ["kinetic", "elastic", "potential", "work", "dissipated"];

/// More steps than this are a mistake in a unit.
const MOST_STEPS: f64 = 1e8;

/// One moment.
struct Frame {
    time: f64,
    energies: [f64; 5],
    cables: Vec<Vec<Pose>>,
    anchors: Vec<Pose>,
    quantities: Vec<f64>,
}

/// A scene in motion: arrays with a row for every frame.
///
/// ```text
/// >>> scene = flexline.Scene.from_dict({
/// ...     "cable": {"length": "400 mm", "part": "brake-hose"},
/// ...     "start": {"hold": "clamped", "position": [0, 0, 0], "tangent": [1, 0, 0]},
/// ...     "end": {"hold": "pinned", "position": ["250 mm", 0, "100 mm"]},
/// ... })
/// >>> motion = scene.simulate(0.1, step=0.01, move={"end": [0, 0.01, 0]}, rate=100)
/// >>> motion.status, len(motion), motion.positions().shape
/// ('converged', 11, (11, 101, 3))
///
/// ```
#[pyclass(frozen, module = "flexline")]
pub struct Motion {
    frames: Vec<Frame>,
    cables: Vec<String>,
    anchors: Vec<String>,
    quantities: Vec<String>,
    ending: Ending,
}

/// How a motion is asked for.
pub struct Asking {
    pub duration: f64,
    pub step: f64,
    pub integrator: String,
    pub way: Way,
    pub wind: Vec3,
    pub release: Vec<String>,
    pub shifts: Vec<(String, Vec3)>,
    pub move_time: Option<f64>,
    pub rate: f64,
    pub quantities: Option<Vec<String>>,
}

impl Asking {
    /// What is wrong with the numbers.
    fn check(&self) -> Result<(), String> {
        let positive = [
            ("duration", self.duration),
            ("step", self.step),
            ("rate", self.rate),
            ("move_time", self.move_time.unwrap_or(1.0)),
        ];
        if let Some((name, value)) = positive.into_iter().find(|(_, v)| !(*v > 0.0 && v.is_finite())) {
            return Err(format!("{name} is {value}: expected a positive number"));
        }
        let Way { rho, strain_delay, drag, .. } = self.way;
        let not_negative = [("strain_delay", strain_delay), ("drag", drag)];
        if let Some((name, value)) = not_negative.into_iter().find(|(_, v)| !(*v >= 0.0 && v.is_finite())) {
            return Err(format!("{name} is {value}: expected zero or a positive number"));
        }
        if !(0.0..=1.0).contains(&rho) {
            return Err(format!("rho is {rho}: expected a number from 0 to 1"));
        }
        let vectors = std::iter::once(&self.wind).chain(self.shifts.iter().map(|own| &own.1));
        if let Some(wrong) = vectors.flat_map(|v| v.iter()).find(|x| !x.is_finite()) {
            return Err(format!("{wrong} in wind or move: expected finite numbers"));
        }
        match self.duration / self.step > MOST_STEPS {
            true => Err("more than 100 million steps: take a longer step".into()),
            false => Ok(()),
        }
    }
}

/// Sets a scene in motion from its equilibrium.
pub fn simulate(py: Python<'_>, scene: &Scene, mut asking: Asking, asked: Asked) -> PyResult<Motion> {
    let known = Scheme::ALL.map(Scheme::name);
    let scheme = Scheme::ALL.into_iter().find(|own| own.name() == asking.integrator);
    asking.way.scheme = scheme.ok_or_else(|| {
        let told = &asking.integrator;
        PyValueError::new_err(format!("integrator is {told:?}: expected one of {}", known.join(", ")))
    })?;
    asking.check().map_err(PyValueError::new_err)?;
    py.detach(|| asked.in_time(|| run(scene, &asking, asked)))
}

fn refused(error: MotionError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn run(scene: &Scene, asking: &Asking, asked: Asked) -> PyResult<Motion> {
    let found = solve(&scene.read, asked);
    let (compiled, solution) =
        found.map_err(|error| Python::attach(|py| crate::error::scene_error(py, &error)))?;
    let mut subjects = Subjects::new(&compiled, &solution).map_err(refused)?;
    asking.release.iter().try_for_each(|what| subjects.release(what)).map_err(refused)?;
    asking.shifts.iter().try_for_each(|(name, by)| subjects.shift(name, *by)).map_err(refused)?;
    let names = asking.quantities.clone().unwrap_or_else(|| {
        let touching = compiled.has_contact().then_some("clearance");
        ["bend_radius", "tension", "twist"].into_iter().chain(touching).map(str::to_owned).collect()
    });
    let parse = |name: &String| Quantity::parse(name, &compiled).map_err(PyValueError::new_err);
    let quantities = names.iter().map(parse).collect::<PyResult<Vec<_>>>()?;
    let mut steps = Steps::new(asking.way.scheme, &subjects).map_err(refused)?;
    let mut motion = AnyMotion::at_rest(asking.way.scheme, &subjects.network, subjects.state.clone());
    let mut seen = Solved {
        scene: Box::new(scene.read.clone()),
        compiled: Arc::new(compiled),
        solution: Box::new(solution),
    };
    let mut frames = vec![frame(&subjects, &mut motion, &mut steps, &quantities, Some(&seen))];
    // Less than a step is one shorter step.
    let step = asking.step.min(asking.duration);
    let move_time = asking.move_time.unwrap_or(0.5 * asking.duration);
    let mut ending = Ending::done();
    while motion.time() < asking.duration - 0.5 * step {
        let then = motion.time() + step;
        subjects.lead(smooth(then / move_time), then);
        if let AnyMotion::Implicit(own) = &mut motion {
            let times = [own.time, then];
            subjects.compiled.grow(&mut subjects.network, own, times);
        }
        // The wind rises within the first second, so that nothing is struck.
        let wind = asking.wind * smooth(then);
        let (status, report) =
            motion.step(&asking.way, &subjects, &mut steps, (step, wind)).map_err(refused)?;
        if status != Status::Converged {
            let last = subjects.led_to(1.0, asking.duration);
            ending = Ending::stopped(status, &subjects, motion.state(), &last);
            break;
        }
        if motion.time() * asking.rate >= frames.len() as f64 - 1e-9 {
            let solution = report.as_ref().and_then(|own| subjects.seen(&motion, &mut steps, own));
            let known = solution.map(|own| *seen.solution = own).is_some();
            frames.push(frame(&subjects, &mut motion, &mut steps, &quantities, known.then_some(&seen)));
            Python::attach(|py| py.check_signals())?;
        }
    }
    Ok(Motion {
        frames,
        cables: subjects.cables.into_iter().map(|own| own.0).collect(),
        anchors: subjects.anchors,
        quantities: names,
        ending,
    })
}

/// How everything is now.
fn frame(
    subjects: &Subjects,
    motion: &mut AnyMotion,
    steps: &mut Steps,
    quantities: &[Quantity],
    seen: Option<&Solved>,
) -> Frame {
    let own = motion.energies(&subjects.network, steps);
    let [work, dissipated] = motion.work_and_losses();
    let state = motion.state();
    let cable = |spans: &Vec<usize>| {
        let along = spans.iter().flat_map(|&span| {
            // With the length that it has by now.
            let rod = subjects.network.rod(state, span);
            let arcs: Vec<f64> = rod.arcs().to_vec();
            arcs.into_iter().map(move |s| {
                let station = rod.station(&state.spans[span].rod, s);
                Pose { position: station.position, orientation: station.frame }
            })
        });
        along.collect()
    };
    Frame {
        time: motion.time(),
        energies: [own.kinetic, own.elastic, own.potential, work, dissipated],
        cables: subjects.cables.iter().map(|(_, spans)| cable(spans)).collect(),
        anchors: state.anchors.clone(),
        quantities: quantities
            .iter()
            .map(|own| seen.and_then(|seen| own.of(seen)).unwrap_or(f64::NAN))
            .collect(),
    }
}

impl Motion {
    fn cable(&self, name: Option<&str>) -> PyResult<usize> {
        let found = match name {
            None => (self.cables.len() == 1).then_some(0),
            Some(name) => self.cables.iter().position(|own| own == name),
        };
        found.ok_or_else(|| PyKeyError::new_err(format!("which cable? There are {}", self.cables.join(", "))))
    }

    fn stacked<'py>(
        &self,
        py: Python<'py>,
        cable: usize,
        numbers: impl Fn(&Pose) -> Vec<f64>,
        width: usize,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let nodes = self.frames.first().map_or(0, |own| own.cables[cable].len());
        if let Some(other) = self.frames.iter().find(|own| own.cables[cable].len() != nodes) {
            let told = other.cables[cable].len();
            return Err(PyRuntimeError::new_err(format!("{nodes} nodes first, {told} later")));
        }
        let all = self.frames.iter().flat_map(|own| own.cables[cable].iter().flat_map(&numbers)).collect();
        PyArray1::from_vec(py, all).reshape([self.frames.len(), nodes, width])
    }
}

#[pymethods]
impl Motion {
    /// Times of the frames, s; the first is 0, at rest.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.frames.iter().map(|own| own.time))
    }

    /// How it ended: "converged" where it went to its end, else the status of the step that was not found.
    #[getter]
    fn status(&self) -> String {
        status_word(self.ending.status)
    }

    /// Whether it went to its end.
    #[getter]
    fn converged(&self) -> bool {
        self.ending.status == Status::Converged
    }

    /// The same in a sentence, with the cables that do not reach.
    #[getter]
    fn message(&self) -> String {
        let time = self.frames.last().map_or(0.0, |own| own.time);
        if self.converged() {
            return format!("moved for {time:.4} s");
        }
        let lines = self.ending.short.iter().map(|own| own.line(time));
        std::iter::once(format!("stopped at {time:.4} s: {}", self.ending.status))
            .chain(lines)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Energies of every frame, J: kinetic, elastic, potential, work done by what is moved, dissipated.
    #[getter]
    fn energies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (k, name) in ENERGIES.iter().enumerate() {
            all.set_item(name, PyArray1::from_iter(py, self.frames.iter().map(|own| own.energies[k])))?;
        }
        Ok(all)
    }

    /// Names of the cables.
    #[getter]
    fn cables(&self) -> Vec<String> {
        self.cables.clone()
    }

    /// Names of ports, clips, parts and ends.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.anchors.clone()
    }

    /// Names of the quantities that were watched.
    #[getter]
    fn quantities(&self) -> Vec<String> {
        self.quantities.clone()
    }

    /// A quantity in every frame, in SI; NaN where it is not known.
    fn values<'py>(&self, py: Python<'py>, quantity: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let k = self.quantities.iter().position(|own| own == quantity).ok_or_else(|| {
            PyKeyError::new_err(format!(
                "{quantity:?} was not watched: name it in `quantities`; there are {}",
                self.quantities.join(", ")
            ))
        })?;
        Ok(PyArray1::from_iter(py, self.frames.iter().map(|own| own.quantities[k])))
    }

    /// Positions of the nodes of a cable, m: shape (frames, nodes, 3).
    #[pyo3(signature = (cable = None))]
    fn positions<'py>(&self, py: Python<'py>, cable: Option<&str>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.stacked(py, self.cable(cable)?, |own| own.position.iter().copied().collect(), 3)
    }

    /// Material frames of a cable as quaternions w, x, y, z: shape (frames, nodes, 4).
    #[pyo3(signature = (cable = None))]
    fn frames<'py>(&self, py: Python<'py>, cable: Option<&str>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let numbers = |own: &Pose| {
            let q = own.orientation;
            vec![q.w, q.i, q.j, q.k]
        };
        self.stacked(py, self.cable(cable)?, numbers, 4)
    }

    /// Where a port, clip, part or end is in every frame: positions, m, shape (frames, 3), and quaternions (frames, 4).
    #[allow(clippy::type_complexity)]
    fn place<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        let k = self.anchors.iter().position(|own| own == name).ok_or_else(|| {
            let known = self.anchors.join(", ");
            PyKeyError::new_err(format!("nothing is called {name:?}. There are {known}"))
        })?;
        let poses = || self.frames.iter().map(|own| own.anchors[k]);
        Ok((
            vectors(py, poses().map(|own| own.position))?,
            quaternions(py, poses().map(|own| own.orientation))?,
        ))
    }

    fn __len__(&self) -> usize {
        self.frames.len()
    }

    fn __repr__(&self) -> String {
        format!("<flexline.Motion: {} frames, {}>", self.frames.len(), self.message())
    }
}

/// Names and vectors of Python: what is moved, and by how much.
pub fn shifts(given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, Vec3)>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let pair = |(name, by): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((name.extract()?, Vec3::from(by.extract::<[f64; 3]>()?)))
    };
    given.iter().map(pair).collect()
}
