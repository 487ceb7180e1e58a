//! Ranges of parameters: `cable.length=400 mm..600 mm:200`.

use crate::base::StudyError;
use flexline_session::command::present;
use serde_json::Value;

/// How far below and above its present value a parameter is varied where no range is said.
const AROUND: [f64; 2] = [0.5, 2.0];

/// A range of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Its name, as in `cable.length`.
    pub name: String,
    /// The unit of both ends; none for SI.
    pub unit: Option<String>,
    /// Both ends, in that unit.
    pub ends: [f64; 2],
    /// At how many values, where that was said.
    pub count: Option<usize>,
}

/// A number and its unit.
pub(crate) fn quantity(text: &str) -> Option<(f64, Option<String>)> {
    let text = text.trim();
    // The longest beginning that is a number.
    let cut = (1..=text.len()).rev().filter(|cut| text.is_char_boundary(*cut));
    let (number, cut) =
        cut.filter_map(|cut| Some((text[..cut].trim_end().parse::<f64>().ok()?, cut))).next()?;
    let unit = text[cut..].trim();
    (number.is_finite()).then(|| (number, (!unit.is_empty()).then(|| unit.to_owned())))
}

impl Range {
    /// Reads `NAME=FROM..TO` or `NAME=FROM..TO:COUNT`.
    pub fn parse(text: &str) -> Result<Self, StudyError> {
        let wrong = |why: String| StudyError::Input(format!("\"{text}\": {why}"));
        let form = "expected NAME=FROM..TO:COUNT, as in cable.length=400 mm..600 mm:200";
        let (name, range) = text.split_once('=').ok_or_else(|| wrong(form.into()))?;
        let (range, count) = match range.rsplit_once(':') {
            Some((range, count)) => (range, Some(count.trim())),
            None => (range, None),
        };
        let count = match count.map(str::parse::<usize>) {
            None => None,
            Some(Ok(count)) if (2..=1_000_000).contains(&count) => Some(count),
            Some(_) => {
                let told = count.unwrap_or_default();
                return Err(wrong(format!("\"{told}\" values: expected a whole number from 2 to a million")));
            }
        };
        let (from, to) = range.split_once("..").ok_or_else(|| wrong(form.into()))?;
        let end = |text: &str| {
            let why = || wrong(format!("\"{}\" is no finite number with or without a unit", text.trim()));
            quantity(text).ok_or_else(why)
        };
        let ((from, before), (to, unit)) = (end(from)?, end(to)?);
        if before.is_some() && before != unit {
            let named = |unit: &Option<String>| unit.clone().unwrap_or_else(|| "none".into());
            return Err(wrong(format!(
                "the units of its ends are {} and {}: expected one unit for both",
                named(&before),
                named(&unit)
            )));
        }
        if from == to {
            return Err(wrong("both ends are the same: expected a range".into()));
        }
        Ok(Self { name: name.trim().into(), unit, ends: [from, to], count })
    }

    /// A range around the present value of a parameter: from half of it to twice of it.
    pub fn around(text: &str, name: &str) -> Result<Self, StudyError> {
        let value = present(text, name)?;
        let told = match &value {
            Some(Value::Number(number)) => number.as_f64().map(|own| (own, None)),
            Some(Value::String(own)) => quantity(own),
            _ => None,
        };
        match told {
            Some((own, unit)) if own != 0.0 => {
                Ok(Self { name: name.into(), unit, ends: AROUND.map(|share| share * own), count: None })
            }
            _ => {
                let now = value.map_or_else(|| "not in the file".into(), |own| format!("{own} now"));
                Err(StudyError::Input(format!(
                    "{name} is {now}: no range follows from that; say it, as in {name}=FROM..TO"
                )))
            }
        }
    }

    /// Where in the range a value of the parameter is; `None` where it is not within or has another unit.
    pub fn share_of(&self, value: &Value) -> Option<f64> {
        let (own, unit) = match value {
            Value::Number(number) => (number.as_f64()?, None),
            Value::String(text) => quantity(text)?,
            _ => return None,
        };
        let share = (own - self.ends[0]) / (self.ends[1] - self.ends[0]);
        (unit == self.unit && (0.0..=1.0).contains(&share)).then_some(share)
    }

    /// The number at a share of the way, in the unit of the range.
    pub fn number(&self, share: f64) -> f64 {
        match share {
            0.0 => self.ends[0],
            1.0 => self.ends[1],
            _ => self.ends[0] + share * (self.ends[1] - self.ends[0]),
        }
    }

    /// The same as a value of a scene file.
    pub fn value(&self, share: f64) -> Value {
        match &self.unit {
            Some(unit) => format!("{} {unit}", self.number(share)).into(),
            None => self.number(share).into(),
        }
    }

    /// Its name with the unit, as the head of a column.
    pub fn head(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} [{unit}]", self.name),
            None => self.name.clone(),
        }
    }
}
