//! The study file: what varies how, and what is asked.

use super::distribution::Distribution;
use super::sample::Method;
use crate::base::StudyError;
use crate::range::quantity;
use serde::Deserialize;
use serde_json::Value;

/// The version of study files that this program reads.
pub const VERSION: u32 = 1;

/// No study has more rows than this.
pub const MOST_ROWS: usize = 100_000_000;

/// A study file as it stands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    version: u32,
    /// The scene, beside the file.
    pub scene: String,
    /// What all chance follows from.
    #[serde(default)]
    pub seed: u64,
    /// Number of samples; a grid has its own.
    pub samples: Option<usize>,
    /// How they are laid out.
    #[serde(default = "hypercube")]
    pub method: Method,
    /// Whether Sobol's indices are asked for.
    #[serde(default)]
    pub sensitivity: Sensitivity,
    /// What varies.
    #[serde(default)]
    pub parameter: Vec<ParameterTable>,
    /// What varies together.
    #[serde(default)]
    pub correlation: Vec<CorrelationTable>,
    /// What is asked.
    #[serde(default)]
    pub response: Vec<ResponseTable>,
}

fn hypercube() -> Method {
    Method::LatinHypercube
}

/// How sensitivities are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sensitivity {
    /// By a plane through the samples.
    #[default]
    Regression,
    /// By Sobol's indices as well, which take as many samples again for every parameter and one more time.
    Sobol,
}

/// What varies.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterTable {
    /// Its name, as in `cable.length`.
    pub name: String,
    normal: Option<NormalTable>,
    uniform: Option<[Value; 2]>,
    triangular: Option<[Value; 3]>,
    discrete: Option<Vec<Value>>,
    weights: Option<Vec<f64>>,
    /// In how many levels a grid has it.
    pub levels: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NormalTable {
    mean: Value,
    deviation: Value,
    low: Option<Value>,
    high: Option<Value>,
}

/// Two parameters that vary together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrelationTable {
    /// Their names.
    pub between: [String; 2],
    /// Correlation of the normal numbers behind them.
    pub coefficient: f64,
}

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseTable {
    /// The quantity.
    pub quantity: String,
    /// What it should be, as in ">= 30 mm".
    pub limit: Option<String>,
}

impl StudyFile {
    /// Reads the text of a file.
    pub fn parse(text: &str, name: &str) -> Result<Self, StudyError> {
        let wrong = |why: String| StudyError::Input(format!("{name}: {why}"));
        let own: Self =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        if own.version != VERSION {
            return Err(wrong(format!("version = {}: this program reads version {VERSION}", own.version)));
        }
        if own.parameter.is_empty() || own.response.is_empty() {
            return Err(wrong("expected at least one [[parameter]] and one [[response]]".into()));
        }
        for (k, parameter) in own.parameter.iter().enumerate() {
            if own.parameter[..k].iter().any(|other| other.name == parameter.name) {
                return Err(wrong(format!("parameter {} is there twice", parameter.name)));
            }
        }
        Ok(own)
    }
}

impl ParameterTable {
    /// Its distribution and the unit of its numbers.
    pub fn distribution(&self) -> Result<(Distribution, Option<String>), String> {
        let wrong = |why: String| format!("parameter {}: {why}", self.name);
        let mut unit: Option<Option<String>> = None;
        let mut read = |key: &str, value: &Value| {
            let found = match value {
                Value::Number(number) => number.as_f64().map(|own| (own, None)),
                Value::String(text) => quantity(text),
                _ => None,
            };
            let expected = "expected a finite number, or one with its unit as in \"400 mm\"";
            let (number, own) = found
                .filter(|own| own.0.is_finite())
                .ok_or_else(|| wrong(format!("{key} is {value}: {expected}")))?;
            match unit.get_or_insert_with(|| own.clone()) {
                known if *known == own => Ok(number),
                _ => Err(wrong(format!("{key} is {value}: expected the unit of its other values"))),
            }
        };
        let given = [
            self.normal.is_some(),
            self.uniform.is_some(),
            self.triangular.is_some(),
            self.discrete.is_some(),
        ];
        if given.iter().filter(|own| **own).count() != 1 {
            return Err(wrong("expected one of normal, uniform, triangular, discrete".into()));
        }
        if self.weights.is_some() && self.discrete.is_none() {
            return Err(wrong("weights belong to discrete values".into()));
        }
        let own = if let Some(own) = &self.normal {
            let (mean, deviation) = (read("mean", &own.mean)?, read("deviation", &own.deviation)?);
            let mut end = |key: &str, value: &Option<Value>, free: f64| match value {
                Some(value) => read(key, value),
                None => Ok(free),
            };
            let within = [end("low", &own.low, f64::NEG_INFINITY)?, end("high", &own.high, f64::INFINITY)?];
            if deviation <= 0.0 {
                return Err(wrong(format!("deviation is {deviation}: expected a number above 0")));
            }
            let far = within.map(|own| (own - mean) / deviation);
            if within[0] >= within[1] || far[0] > 6.0 || far[1] < -6.0 {
                return Err(wrong(
                    "low and high leave nothing of the distribution: expected low < high around the mean"
                        .into(),
                ));
            }
            Distribution::Normal { mean, deviation, within }
        } else if let Some([low, high]) = &self.uniform {
            let ends = [read("uniform", low)?, read("uniform", high)?];
            if ends[0] >= ends[1] {
                return Err(wrong("uniform: expected [low, high] with low < high".into()));
            }
            Distribution::Uniform(ends)
        } else if let Some(all) = &self.triangular {
            let mut ends = [0.0; 3];
            for (own, value) in ends.iter_mut().zip(all) {
                *own = read("triangular", value)?;
            }
            if !(ends[0] <= ends[1] && ends[1] <= ends[2] && ends[0] < ends[2]) {
                return Err(wrong("triangular: expected [low, mode, high] in order".into()));
            }
            Distribution::Triangular(ends)
        } else {
            let all = self.discrete.as_deref().unwrap_or_default();
            let weights = self.weights.clone().unwrap_or_else(|| vec![1.0; all.len()]);
            if all.is_empty()
                || weights.len() != all.len()
                || !weights.iter().all(|own| *own > 0.0 && own.is_finite())
            {
                return Err(wrong(
                    "discrete: expected values, and as many weights above 0 where there are any".into(),
                ));
            }
            let values = all.iter().map(|value| read("discrete", value)).collect::<Result<Vec<f64>, _>>()?;
            Distribution::Discrete(values.into_iter().zip(weights).collect())
        };
        Ok((own, unit.flatten()))
    }
}
