//! Derivatives of a solved scene: how any of its [outputs](Output) changes with any of its parameters.
//!
//! A parameter is what [`parameter`] names: a quantity of the scene file, or a vector of them. The scene is
//! compiled with a little less and a little more of it, and the equilibria on both sides come to first order from one factorisation of the
//! one at hand ([`Tangents`]). What has no derivative there is an error that says why.
//!
//! ```
//! use flexline_scene::Scene;
//! use flexline_session::derivative::Derivatives;
//!
//! let text = r#"version = 1
//! [cable]
//! length = "400 mm"
//! measured = { bend = "0.02 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "10 mm" }
//! [start]
//! hold = "clamped"
//! position = [0, 0, 0]
//! tangent = [1, 0, 0]
//! [end]
//! hold = "pinned"
//! position = ["250 mm", 0, "100 mm"]
//! "#;
//! let scene = Scene::parse(text, "example")?;
//! let compiled = scene.compile()?;
//! let solution = compiled.solve(&compiled.settings())?;
//! let mut derivatives = Derivatives::new(&scene, &compiled, &solution)?;
//! let found = derivatives.jacobian(&["cable.position.z @ 50 %", "end.force"], &["cable.length", "end.position"])?;
//! assert_eq!((found.len(), found[0].len()), (4, 4)); // z and three forces, by the length and three coordinates
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod output;

pub use output::{Output, station};

use crate::command::{edit, parameter, value_of};
use flexline::solver::Status;
use flexline::solver::network::{Beside, NoDerivative, Tangents};
use flexline_scene::{Compiled, Scene, SceneError, Solution};
use serde_json::Value;

/// Half of the change of a parameter, relative to its size: the error of a central difference is its square, and round-off
/// stays below as much.
const STEP: f64 = 1e-4;
/// Where that is too much, smaller ones are tried, down to this share.
const SHORTER: f64 = 0.1;
const LEAST: f64 = 0.05;

/// Why there is no derivative.
#[derive(Debug)]
pub enum DerivativeError {
    /// A parameter or an output is none, or a scene beside this one is not sound.
    Scene(Box<SceneError>),
    /// The solution is no equilibrium; how its solve ended.
    NoEquilibrium(String),
    /// The equilibrium has none.
    None {
        /// The parameter, where the equilibrium has others.
        by: Option<String>,
        /// Why.
        why: NoDerivative,
    },
}

impl std::fmt::Display for DerivativeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scene(error) => error.fmt(f),
            Self::NoEquilibrium(ending) => {
                write!(f, "no derivative, since there is no equilibrium: {ending}")
            }
            Self::None { by: None, why } => write!(f, "no derivative: {why}"),
            Self::None { by: Some(name), why } => write!(f, "no derivative by {name}: {why}"),
        }
    }
}

impl std::error::Error for DerivativeError {}

impl From<SceneError> for DerivativeError {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

/// A solved scene, factorised once.
pub struct Derivatives<'a> {
    scene: &'a Scene,
    compiled: &'a Compiled,
    solution: &'a Solution,
    tangents: Tangents,
}

impl<'a> Derivatives<'a> {
    /// Of a solution of a scene.
    pub fn new(
        scene: &'a Scene,
        compiled: &'a Compiled,
        solution: &'a Solution,
    ) -> Result<Self, DerivativeError> {
        // A cable that is too short balances with ends that are not where they should be.
        if solution.report.status != Status::Converged {
            return Err(DerivativeError::NoEquilibrium(compiled.ending_with_troubles(&solution.report)));
        }
        let tangents = Tangents::new(&compiled.network, &solution.state)
            .map_err(|why| DerivativeError::None { by: None, why })?;
        Ok(Self { scene, compiled, solution, tangents })
    }

    /// Derivative of every number of the outputs (rows) by every number of the inputs (columns), in SI.
    pub fn jacobian(
        &mut self,
        outputs: &[impl AsRef<str>],
        inputs: &[impl AsRef<str>],
    ) -> Result<Vec<Vec<f64>>, DerivativeError> {
        let outputs = outputs.iter().map(|own| Output::parse(own.as_ref(), self.compiled));
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        let mut columns = Vec::new();
        for input in inputs.iter().map(AsRef::as_ref) {
            for component in 0..value_of(self.scene.text(), input)?.len() {
                columns.push(self.column(&outputs, input, component)?);
            }
        }
        let rows = outputs.iter().map(Output::size).sum();
        Ok((0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect())
    }

    /// Derivative of the outputs by one number of an input.
    fn column(
        &mut self,
        outputs: &[Output],
        input: &str,
        component: usize,
    ) -> Result<Vec<f64>, DerivativeError> {
        let value = value_of(self.scene.text(), input)?;
        let mut step = STEP * self.size(input, &value);
        let (sides, found) = loop {
            let [below, above] = [-step, step].map(|by| self.compiled_beside(input, &value, component, by));
            let sides = [below?, above?];
            let why = match self.tangents.both_sides([&sides[0].network, &sides[1].network]) {
                Ok(found) => break (sides, found),
                Err(why) => why,
            };
            // What is near is no kink until it is there.
            let is_near = matches!(why, NoDerivative::Bent { .. } | NoDerivative::Touching);
            if !is_near || step < LEAST * STEP * self.size(input, &value) {
                return Err(DerivativeError::None { by: Some(input.into()), why });
            }
            step *= SHORTER;
        };
        let mut solved = sides.iter().zip(found).map(|(compiled, beside)| {
            let Beside { state, report, profiles, .. } = beside;
            (compiled, compiled.solution(state, report, profiles))
        });
        let (Some(below), Some(above)) = (solved.next(), solved.next()) else { return Ok(Vec::new()) };
        let mut column = Vec::new();
        for output in outputs {
            let difference = output.difference((below.0, &below.1), (above.0, &above.1), self.solution);
            column.extend(difference.into_iter().map(|change| change / (2.0 * step)));
        }
        Ok(column)
    }

    /// The scene with a little more of one number, compiled.
    fn compiled_beside(
        &self,
        input: &str,
        value: &[f64],
        component: usize,
        by: f64,
    ) -> Result<Compiled, SceneError> {
        let mut changed = value.to_vec();
        changed[component] += by;
        let new = match changed[..] {
            [one] => Value::from(one),
            _ => Value::from(changed),
        };
        let text = self.scene.text();
        let text = edit(text, &parameter(text, input, new)?)?.text;
        Scene::read_in(&text, self.scene.name(), self.scene.folder())?.compile_even_short()
    }

    /// How large a change of a parameter is no small one. Places are measured by the longest cable, wherever the origin is; so
    /// is what is zero.
    fn size(&self, input: &str, value: &[f64]) -> f64 {
        let longest = self.compiled.cables.iter().fold(0.0f64, |most, own| most.max(own.length));
        let own = value.iter().map(|v| v * v).sum::<f64>().sqrt();
        let is_place = ["position", "through"].iter().any(|key| input.contains(&format!(".{key}")));
        if is_place || own == 0.0 { longest } else { own }
    }
}
