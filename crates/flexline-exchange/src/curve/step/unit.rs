//! Units of a representation: metres by a prefix, or a conversion of another unit.

use super::{CurveError, DEEPEST, Model, Value, place};

/// Metres of one unit of length and radians of one unit of angle, where the context says them.
pub(super) fn of(model: &Model, representation: u64) -> Result<(Option<f64>, Option<f64>), CurveError> {
    let Some(context) = place::context_of(model, representation) else { return Ok((None, None)) };
    let Some(values) = model.all.get(&context).and_then(|own| own.record("GLOBAL_UNIT_ASSIGNED_CONTEXT"))
    else {
        return Ok((None, None));
    };
    let (mut length, mut angle) = (None, None);
    for unit in values.iter().flat_map(|own| own.list()).filter_map(Value::id) {
        let entity = model.entity(unit)?;
        if entity.is("LENGTH_UNIT") {
            length = Some(value(model, unit, 0)?);
        } else if entity.is("PLANE_ANGLE_UNIT") {
            angle = Some(value(model, unit, 0)?);
        }
    }
    Ok((length, angle))
}

/// What one of a unit is in that of SI.
fn value(model: &Model, unit: u64, depth: usize) -> Result<f64, CurveError> {
    if depth > DEEPEST {
        return Err(model.wrong(unit, "units by units in a circle"));
    }
    let entity = model.entity(unit)?;
    if let Some(values) = entity.record("SI_UNIT") {
        let prefix = values.iter().rev().nth(1);
        let power = match prefix {
            Some(Value::Word(word)) => match word.as_str() {
                "KILO" => 1e3,
                "HECTO" => 1e2,
                "DECA" => 1e1,
                "DECI" => 1e-1,
                "CENTI" => 1e-2,
                "MILLI" => 1e-3,
                "MICRO" => 1e-6,
                "NANO" => 1e-9,
                "MEGA" => 1e6,
                other => return Err(model.wrong(unit, &format!("prefix .{other}. is not known"))),
            },
            _ => 1.0,
        };
        return Ok(power);
    }
    let values = entity
        .record("CONVERSION_BASED_UNIT")
        .ok_or_else(|| model.wrong(unit, "expected SI_UNIT or CONVERSION_BASED_UNIT"))?;
    let measure = model.reference(unit, values, 1)?;
    let records = &model.entity(measure)?.records;
    let values = records.iter().find(|own| own.1.len() >= 2).map(|own| own.1.as_slice()).unwrap_or_default();
    let factor = model.number(measure, values, 0)?;
    let inner = model.reference(measure, values, 1)?;
    let all = factor * value(model, inner, depth + 1)?;
    match all.is_finite() && all > 0.0 {
        true => Ok(all),
        false => Err(model.wrong(measure, &format!("one unit as {all}: expected more than zero"))),
    }
}
