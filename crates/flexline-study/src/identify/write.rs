//! A scene with what was identified.

use super::Estimate;
use super::fit::Model;
use super::unknown::{Unknown, What, keys};
use crate::base::StudyError;
use flexline_session::command::{edit, parameter, present};
use serde_json::{Value, json};

/// The text of the first scene with the values that are known and that all poses share. Errors of where a pose was held are of its
/// measurement, and stay out.
pub(super) fn text(model: &Model, parameters: &[Estimate]) -> Result<String, StudyError> {
    let pose = &model.poses[0];
    let mut text = pose.base.text.clone();
    let meant: Vec<(&Unknown, f64)> = model
        .unknowns
        .iter()
        .zip(parameters)
        .filter(|(own, found)| found.known && own.pose.is_none())
        .map(|(own, found)| (own, rounded(found.value)))
        .collect();
    let single = pose.scene.is_single();
    let cable = |index: usize| match single {
        true => "cable".to_owned(),
        false => pose.scene.cables[index].cable.name.clone(),
    };
    let mut set: Vec<(String, Value)> = keys(meant.iter().map(|(own, value)| (*own, value)));
    for (own, value) in &meant {
        let value = *value;
        match own.what {
            What::Bending { cable: index, ratio } => {
                let table = table_of(&text, &cable(index), &["bend", "bend1"])?;
                if present(&text, &format!("{table}.bend1"))?.is_some() || ratio != 1.0 {
                    set.push((format!("{table}.bend"), Value::Null));
                    set.push((format!("{table}.bend1"), json!(value)));
                    set.push((format!("{table}.bend2"), json!(rounded(value * ratio))));
                } else {
                    set.push((format!("{table}.bend"), json!(value)));
                }
            }
            What::Twisting(index) => {
                set.push((format!("{}.twist", table_of(&text, &cable(index), &["twist"])?), json!(value)));
            }
            What::Mass(index) => {
                let table = table_of(&text, &cable(index), &["mass_per_length"])?;
                set.push((format!("{table}.mass_per_length"), json!(value)));
            }
            What::Curvature(index, _) | What::RestTwist(index) => {
                let mut rest = pose.scene.cables[index].cable.rest.at(0.0, 1.0);
                for (other, value) in &meant {
                    match other.what {
                        What::Curvature(of, axis) if of == index => rest[axis] = *value,
                        What::RestTwist(of) if of == index => rest.z = *value,
                        _ => {}
                    }
                }
                set.push((
                    format!("{}.rest", cable(index)),
                    json!({ "curvature": [rest.x, rest.y], "twist": rest.z }),
                ));
            }
            What::Knot { cable: index, knot: 0, of, axis: 0 } => {
                let laid = &pose.scene.cables[index].cable;
                let place = |knot: usize| laid.length * knot as f64 / (of - 1) as f64;
                let row = |knot: usize| {
                    let mut rest = laid.rest.at(place(knot), laid.length);
                    for (other, value) in &meant {
                        if let What::Knot { cable, knot: known, axis, .. } = other.what
                            && cable == index
                            && known == knot
                        {
                            rest[axis] = *value;
                        }
                    }
                    json!([rounded(place(knot)), rest.x, rest.y, rest.z])
                };
                set.push((
                    format!("{}.rest", cable(index)),
                    json!({ "table": (0..of).map(row).collect::<Vec<_>>() }),
                ));
            }
            _ => {}
        }
    }
    for (name, value) in set {
        if value.is_null() && present(&text, &name)?.is_none() {
            continue;
        }
        text = edit(&text, &parameter(&text, &name, value)?)?.text;
    }
    Ok(text)
}

/// The table in which a property of a cable stands: what was measured, or what differs from where it comes from.
fn table_of(text: &str, cable: &str, keys: &[&str]) -> Result<String, StudyError> {
    for table in ["override", "measured"] {
        for key in keys {
            if present(text, &format!("{cable}.{table}.{key}"))?.is_some() {
                return Ok(format!("{cable}.{table}"));
            }
        }
    }
    Ok(format!("{cable}.override"))
}

/// Six digits: more are never known.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
