//! Studies: a scene whose parameters are spread, many times; what its responses are then, how often limits are broken, and
//! which parameter matters.
//!
//! A row is a function of the study file and its number alone: it begins with the equilibrium of the scene as its file has it,
//! and nothing of it depends on other rows or on who computes it. So a study has the same bits on any number of threads, in any
//! order, in one piece or continued.

mod distribution;
mod file;
pub mod normal;
mod report;
mod run;
pub mod sample;
pub mod statistics;
mod summary;

pub use distribution::Distribution;
pub use file::StudyFile;
pub use report::html;
pub use run::{Run, RunError};
pub use summary::{ResponseSummary, Summary};

use crate::base::{Base, StudyError};
use crate::find::{Goal, Relation};
use crate::quantity::Quantity;
use file::{MOST_ROWS, Sensitivity};
use flexline::solver::Status;
use flexline_scene::words::offer;
use flexline_session::session::Solved;
use sample::{Copula, MOST_SOBOL, Method, Points};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A parameter that is spread.
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The unit of its numbers; none for SI.
    pub unit: Option<String>,
    /// How it is spread.
    pub distribution: Distribution,
}

/// What is asked of every row.
pub struct Response {
    /// What is measured.
    pub quantity: Quantity,
    /// What it should be.
    pub limit: Option<(Relation, f64)>,
}

/// A study, ready to be run.
pub struct Study {
    /// The text of its file.
    pub text: String,
    /// The scene.
    pub base: Base,
    /// What varies.
    pub parameters: Vec<Parameter>,
    /// What is asked.
    pub responses: Vec<Response>,
    /// What all chance follows from.
    pub seed: u64,
    /// Samples, of which Sobol's indices take several rows each.
    pub samples: usize,
    sensitivity: Sensitivity,
    points: Points,
    copula: Option<Copula>,
    nominal: Solved,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// How the solve ended, in a word; "refused" where the scene cannot be posed.
    pub status: String,
    /// The responses; none where there is no equilibrium.
    pub values: Vec<Option<f64>>,
}

impl Study {
    /// Reads a study and its scene.
    pub fn load(path: &Path) -> Result<Self, StudyError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| StudyError::Input(format!("cannot read {name}: {error}")))?;
        let file = StudyFile::parse(&text, &name)?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let base = Base::load(&folder.join(&file.scene))?;
        Self::new(text, file, base, &name)
    }

    /// The same from texts, as a worker far away has them.
    pub fn from_texts(study: &str, name: &str, base: Base) -> Result<Self, StudyError> {
        Self::new(study.to_owned(), StudyFile::parse(study, name)?, base, name)
    }

    fn new(text: String, file: StudyFile, base: Base, name: &str) -> Result<Self, StudyError> {
        let wrong = |why: String| StudyError::Input(format!("{name}: {why}"));
        let mut parameters = Vec::new();
        for own in &file.parameter {
            let (distribution, unit) = own.distribution().map_err(wrong)?;
            parameters.push(Parameter { name: own.name.clone(), unit, distribution });
        }
        // A name that is none, and values that no scene can have, are mistakes of the study and of no row.
        for own in &parameters {
            for end in own.distribution.extremes() {
                let posed = base.with(&[(&own.name, own.value(end))]).map_err(StudyError::from);
                if let Err(error) = posed.and_then(|text| base.read(&text)) {
                    let shown = own.value(end);
                    return Err(wrong(format!(
                        "parameter {} can be {shown}, which the scene cannot have; cut it off with low and high, or choose another distribution\n{error}",
                        own.name
                    )));
                }
            }
        }
        let nominal = base.solve(&base.text)?;
        if nominal.status() != Status::Converged {
            let ending = nominal.compiled.ending_with_troubles(&nominal.solution.report);
            return Err(wrong(format!("the scene has no equilibrium as its file has it ({ending})")));
        }
        let mut responses = Vec::new();
        for own in &file.response {
            let limit = match &own.limit {
                Some(limit) => {
                    let goal = Goal::parse(&format!("{}{limit}", own.quantity), &nominal)?;
                    if goal.relation == Relation::Equal {
                        return Err(wrong(format!("response {}: a limit is >= or <=, not =", own.quantity)));
                    }
                    Some((goal.relation, goal.value))
                }
                None => None,
            };
            let quantity = Quantity::parse(&own.quantity, &nominal.compiled).map_err(wrong)?;
            responses.push(Response { quantity, limit });
        }
        let columns = parameters.len();
        let levels: Vec<usize> = file.parameter.iter().map(|own| own.levels.unwrap_or(1)).collect();
        let samples = match (file.method, file.samples) {
            (Method::Grid, None) => {
                if levels.contains(&0) || file.parameter.iter().any(|own| own.levels.is_none()) {
                    return Err(wrong("a grid asks for `levels` of every [[parameter]], 1 or more".into()));
                }
                levels.iter().try_fold(1usize, |n, own| n.checked_mul(*own)).unwrap_or(usize::MAX)
            }
            (Method::Grid, Some(_)) => {
                return Err(wrong(
                    "a grid has as many samples as its levels make: leave `samples` out".into(),
                ));
            }
            (_, Some(samples)) if samples >= 2 => samples,
            _ => return Err(wrong("expected `samples`, 2 or more".into())),
        };
        let is_sobol = file.sensitivity == Sensitivity::Sobol;
        let rows = samples.saturating_mul(if is_sobol { columns + 2 } else { 1 });
        if rows > MOST_ROWS {
            return Err(wrong(format!("{rows} rows: expected at most {MOST_ROWS}")));
        }
        if is_sobol && (file.method == Method::Grid || !file.correlation.is_empty()) {
            return Err(wrong("Sobol's indices are of independent parameters that are sampled: neither a grid nor [[correlation]]".into()));
        }
        let dimensions = if is_sobol { 2 * columns } else { columns };
        if file.method == Method::Sobol && dimensions > MOST_SOBOL {
            return Err(wrong(format!(
                "method = \"sobol\" in {dimensions} dimensions: expected at most {MOST_SOBOL} (two for each parameter with Sobol's indices); use \
                 \"latin-hypercube\""
            )));
        }
        let index = |wanted: &String| {
            let known = || parameters.iter().map(|own| own.name.as_str());
            let found = known().position(|own| own == wanted);
            found.ok_or_else(|| {
                wrong(format!(
                    "correlation: no parameter is \"{wanted}\"; {}",
                    offer(wanted, known().collect::<Vec<_>>().into_iter())
                ))
            })
        };
        let mut pairs = Vec::new();
        for own in &file.correlation {
            let [a, b] = [index(&own.between[0])?, index(&own.between[1])?];
            if a == b || !(-1.0 < own.coefficient && own.coefficient < 1.0) {
                return Err(wrong(format!(
                    "correlation of {} and {}: {}: expected two parameters and a number between -1 and 1",
                    own.between[0], own.between[1], own.coefficient
                )));
            }
            pairs.push((a, b, own.coefficient));
        }
        let copula = match pairs.is_empty() {
            true => None,
            false => Some(Copula::new(columns, &pairs).ok_or_else(|| {
                wrong("the correlations contradict each other: no numbers are correlated like that".into())
            })?),
        };
        let levels = if is_sobol { vec![1; dimensions] } else { levels };
        let points = Points::new(file.method, file.seed, samples, &levels);
        let (seed, sensitivity) = (file.seed, file.sensitivity);
        Ok(Self { text, base, parameters, responses, seed, samples, sensitivity, points, copula, nominal })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self.sensitivity {
            Sensitivity::Regression => self.samples,
            Sensitivity::Sobol => self.samples * (self.parameters.len() + 2),
        }
    }

    /// Whether Sobol's indices are asked for.
    pub fn has_indices(&self) -> bool {
        self.sensitivity == Sensitivity::Sobol
    }

    /// The values of the parameters in a row.
    pub fn values(&self, row: usize) -> Vec<f64> {
        let columns = self.parameters.len();
        // Blocks of rows: one set of points, another, and the first with each column of the other in turn.
        let (block, sample) = (row / self.samples, row % self.samples);
        let from_other = |column: usize| block == 1 || block >= 2 && column == block - 2;
        let place = |column: usize| if from_other(column) { columns + column } else { column };
        let mut shares: Vec<f64> = (0..columns).map(|column| self.points.at(sample, place(column))).collect();
        if let Some(copula) = &self.copula {
            copula.apply(&mut shares);
        }
        self.parameters.iter().zip(shares).map(|(own, share)| own.distribution.quantile(share)).collect()
    }

    /// Solves a row.
    pub fn row(&self, row: usize) -> Row {
        let values = self.values(row);
        let given: Vec<(&str, Value)> = self
            .parameters
            .iter()
            .zip(values)
            .map(|(own, value)| (own.name.as_str(), own.value(value)))
            .collect();
        let solved = self.base.with(&given).map_err(StudyError::from);
        let solved = solved.and_then(|text| self.base.solve_from(&text, &self.nominal));
        match solved {
            Ok((solved, _)) => Row {
                status: word(solved.status()),
                values: self.responses.iter().map(|own| own.quantity.of(&solved)).collect(),
            },
            Err(_) => Row { status: "refused".into(), values: vec![None; self.responses.len()] },
        }
    }
}

impl Parameter {
    /// A number as a value of a scene file.
    pub fn value(&self, number: f64) -> Value {
        match &self.unit {
            Some(unit) => format!("{number} {unit}").into(),
            None => number.into(),
        }
    }
}

/// The rows as a table separated by commas: parameters in their units, how the row ended, responses in SI.
pub fn csv(study: &Study, rows: &[Row]) -> String {
    let quoted = |text: String| match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    };
    let head = |own: &Parameter| match &own.unit {
        Some(unit) => format!("{} [{unit}]", own.name),
        None => own.name.clone(),
    };
    let heads = std::iter::once("row".to_owned())
        .chain(study.parameters.iter().map(head))
        .chain(std::iter::once("status".to_owned()))
        .chain(study.responses.iter().map(|own| own.quantity.name.clone()));
    let mut text = heads.map(quoted).collect::<Vec<_>>().join(",") + "\n";
    for (k, row) in rows.iter().enumerate() {
        let values = study.values(k).into_iter().map(|own| own.to_string());
        let found = row.values.iter().map(|own| own.map_or_else(String::new, |own| own.to_string()));
        let cells = std::iter::once(k.to_string())
            .chain(values)
            .chain(std::iter::once(row.status.clone()))
            .chain(found);
        text += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

/// A status in a word.
fn word(status: Status) -> String {
    match serde_json::to_value(status) {
        Ok(Value::String(word)) => word,
        _ => "unknown".into(),
    }
}
