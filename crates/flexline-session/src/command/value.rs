//! Values of commands: quantities as in scene files, and their way into TOML.

use super::parse::mistake;
use flexline::{Quat, Vec3};
use flexline_scene::units::{self, Dimension, UnitErrorKind};
use flexline_scene::words::quote;
use flexline_scene::{Code, SceneError};
use serde::{Deserialize, Serialize};
use toml_edit::{Array, InlineTable, Value};

/// No quantity of a command is larger than this in SI, as in scene files.
const LARGEST: f64 = 1e15;

/// No value of a scene is nested deeper than this.
const DEEPEST: usize = 16;

/// A quantity: text with a unit, or a number in SI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number in SI units or text with a unit")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Quantity {
    /// In SI.
    Number(f64),
    /// With its unit; for a place also a share, `"40 %"`, or the name of a clip, eye or bead.
    Text(String),
}

impl Quantity {
    /// Its value in SI, where the field `key` measures `dimension`.
    pub fn read(&self, key: &str, dimension: Dimension) -> Result<f64, SceneError> {
        let expected = format!("expected {}", dimension.expectation());
        let value = match self {
            Self::Number(value) => *value,
            Self::Text(text) => units::parse(text, dimension).map_err(|error| {
                let code = match error.kind {
                    UnitErrorKind::Syntax | UnitErrorKind::Unit => Code::WrongUnit,
                    UnitErrorKind::NotFinite => Code::NotFinite,
                };
                let help = error.hint.map_or(expected.clone(), |hint| format!("{expected}; {hint}"));
                mistake(code, key, format!("`{key}` = \"{}\" {}", quote(text), error.problem), help)
            })?,
        };
        if !value.is_finite() || value.abs() > LARGEST {
            let message = format!("`{key}` = {self} is too large to be meant");
            return Err(mistake(Code::OutOfRange, key, message, expected));
        }
        Ok(value)
    }

    /// The share of a text such as `"40 %"`.
    pub fn share(&self) -> Option<f64> {
        match self {
            Self::Text(text) if units::is_percentage(text) => units::parse(text, Dimension::Ratio).ok(),
            _ => None,
        }
    }

    /// As a value of TOML.
    pub(super) fn to_toml(&self) -> Value {
        match self {
            Self::Number(value) => number(*value),
            Self::Text(text) => text.as_str().into(),
        }
    }

    /// A length in metres, written as people do.
    pub fn metres(value: f64) -> Self {
        match length(value) {
            Value::String(text) => Self::Text(text.into_value()),
            _ => Self::Number(value),
        }
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "\"{}\"", quote(text)),
        }
    }
}

/// Numbers as a scene file has them.
pub(crate) trait Plain {
    /// As JSON.
    fn plain(&self) -> serde_json::Value;
}

impl Plain for Vec3 {
    fn plain(&self) -> serde_json::Value {
        self.iter().map(|c| serde_json::Value::from(tidy(*c))).collect()
    }
}

impl Plain for Quat {
    fn plain(&self) -> serde_json::Value {
        [self.w, self.i, self.j, self.k].iter().map(|c| serde_json::Value::from(tidy(*c))).collect()
    }
}

/// A number without the noise in its last digits.
pub(super) fn tidy(value: f64) -> f64 {
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// A number, whole where it can be.
pub(super) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { (value as i64).into() } else { value.into() }
}

/// A length: in millimetres below ten metres, in metres above, or as a bare number where that is shorter to read.
pub(super) fn length(metres: f64) -> Value {
    let (value, unit) = if metres.abs() < 10.0 { (metres * 1e3, "mm") } else { (metres, "m") };
    let value = tidy(value);
    if value == 0.0 || !(1e-9..1e9).contains(&value.abs()) {
        return number(tidy(metres));
    }
    format!("{value} {unit}").into()
}

/// A JSON value as TOML; `None` for a null, which TOML does not have, and for what is nested deeper than any scene.
pub(super) fn from_json(value: &serde_json::Value) -> Option<Value> {
    within(value, DEEPEST)
}

fn within(value: &serde_json::Value, depth: usize) -> Option<Value> {
    use serde_json::Value as Json;
    let depth = depth.checked_sub(1)?;
    Some(match value {
        Json::Null => return None,
        Json::Bool(b) => (*b).into(),
        Json::Number(n) => match n.as_i64() {
            Some(whole) => whole.into(),
            None => n.as_f64()?.into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => {
            let mut array = Array::new();
            for item in items {
                array.push(within(item, depth)?);
            }
            array.into()
        }
        Json::Object(map) => {
            let mut table = InlineTable::new();
            for (key, value) in map {
                table.insert(key.as_str(), within(value, depth)?);
            }
            table.into()
        }
    })
}

/// Three quantities in SI.
pub(super) fn vector(q: &[Quantity; 3], key: &str, dimension: Dimension) -> Result<Vec3, SceneError> {
    Ok(Vec3::new(q[0].read(key, dimension)?, q[1].read(key, dimension)?, q[2].read(key, dimension)?))
}

/// A vector of plain numbers as TOML.
pub(super) fn plain_vector(v: &Vec3) -> Value {
    v.iter().map(|c| number(tidy(*c))).collect::<Array>().into()
}

/// A vector of lengths as TOML.
pub(super) fn length_vector(v: &Vec3) -> Value {
    v.iter().map(|c| length(*c)).collect::<Array>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_come_back_to_the_last_digits() {
        for metres in [0.38, 0.1 + 0.2, 1e-7, 12.5, -0.06, 9999.25, 0.0, 1.0 / 3.0] {
            let back = match length(metres) {
                Value::String(text) => units::parse(text.value(), Dimension::Length).unwrap(),
                Value::Integer(n) => *n.value() as f64,
                Value::Float(n) => *n.value(),
                other => panic!("{other}"),
            };
            assert!((back - metres).abs() <= 1e-14 * metres.abs(), "{metres}: {back}");
        }
        assert_eq!(length(0.1 + 0.2).to_string(), "\"300 mm\"");
        assert_eq!(Quantity::metres(0.38), Quantity::Text("380 mm".into()));
    }
}
