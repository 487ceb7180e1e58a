//! Curves of STEP, by their entities.

use super::place::{direction, frame, point};
use super::{CurveError, DEEPEST, MOST_CURVES, Model, Nurbs, Value};
use crate::curve::nurbs::FARTHEST;
use flexline::Vec3;
use std::collections::HashSet;
use std::f64::consts::TAU;

/// Entities that are curves for themselves.
const CURVES: [&str; 13] = [
    "B_SPLINE_CURVE_WITH_KNOTS",
    "B_SPLINE_CURVE",
    "QUASI_UNIFORM_CURVE",
    "UNIFORM_CURVE",
    "BEZIER_CURVE",
    "CIRCLE",
    "ELLIPSE",
    "POLYLINE",
    "TRIMMED_CURVE",
    "COMPOSITE_CURVE",
    "SURFACE_CURVE",
    "SEAM_CURVE",
    "INTERSECTION_CURVE",
];

pub(super) fn is_curve(model: &Model, id: u64) -> bool {
    model.all.get(&id).is_some_and(|own| CURVES.iter().any(|kind| own.is(kind)))
}

/// The name of an item.
pub(super) fn name(model: &Model, id: u64) -> String {
    let Some(entity) = model.all.get(&id) else { return String::new() };
    let own =
        entity.record("REPRESENTATION_ITEM").or_else(|| entity.records.first().map(|own| own.1.as_slice()));
    own.and_then(|own| own.first()).map_or("", Value::text).to_owned()
}

/// A curve whose ends are known by itself.
pub(super) fn bounded(model: &Model, id: u64) -> Result<Vec<Nurbs>, CurveError> {
    let pieces = curve(model, id, None, 0)?;
    if pieces.is_empty() {
        return Err(model.wrong(id, "it has no ends: expected a bounded curve"));
    }
    Ok(pieces)
}

/// Where a curve is trimmed: by points, or by parameters.
#[derive(Clone, Copy)]
enum Trim {
    Point(Vec3),
    Parameter(f64),
}

/// An edge: its curve between its vertices.
pub(super) fn edge(model: &Model, id: u64) -> Result<Vec<Nurbs>, CurveError> {
    let values = model.own(id, "EDGE_CURVE")?;
    let [a, b] = [0, 1].map(|k| vertex(model, model.reference(id, values, k)?));
    let forward = values.get(3).is_none_or(Value::is_true);
    let (a, b) = (a?, b?);
    let trims = if forward { [Trim::Point(a), Trim::Point(b)] } else { [Trim::Point(b), Trim::Point(a)] };
    let pieces = curve(model, model.reference(id, values, 2)?, Some(trims), 0)?;
    Ok(if forward { pieces } else { reversed(pieces) })
}

pub(super) fn vertex(model: &Model, id: u64) -> Result<Vec3, CurveError> {
    let values = model.own(id, "VERTEX_POINT")?;
    point(model, model.reference(id, values, 0)?)
}

fn reversed(pieces: Vec<Nurbs>) -> Vec<Nurbs> {
    pieces.into_iter().rev().map(Nurbs::reversed).collect()
}

/// All edges below an item, each once.
pub(super) fn edges_below(model: &Model, item: u64) -> Result<Vec<u64>, CurveError> {
    below(model, item, &["WIREFRAME", "EDGE", "LOOP", "SHELL"], &["EDGE_CURVE"])
}

/// Entities of some kinds below another, each once, in their order; through those whose names have one of the words.
pub(super) fn below(
    model: &Model,
    item: u64,
    through: &[&str],
    wanted: &[&str],
) -> Result<Vec<u64>, CurveError> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([item]);
    let mut next = vec![item];
    while let Some(id) = next.pop() {
        let entity = model.entity(id)?;
        if wanted.iter().any(|kind| entity.is(kind)) {
            found.push(id);
            continue;
        }
        let values = entity.records.iter().flat_map(|own| &own.1);
        let ids = values.flat_map(|v| v.list().iter().chain([v])).filter_map(Value::id);
        let mut inner = Vec::new();
        for own in ids {
            let kind = model.entity(own)?.kind();
            if through.iter().any(|word| kind.contains(word)) && seen.insert(own) {
                inner.push(own);
            }
        }
        next.extend(inner.into_iter().rev());
    }
    Ok(found)
}

/// The pieces of a curve, trimmed; none where it has no ends.
fn curve(model: &Model, id: u64, trims: Option<[Trim; 2]>, depth: usize) -> Result<Vec<Nurbs>, CurveError> {
    if depth > DEEPEST {
        return Err(model.wrong(id, "curves by curves too deep, or in a circle"));
    }
    let entity = model.entity(id)?;
    let kind =
        CURVES.iter().find(|kind| entity.is(kind)).copied().unwrap_or_else(|| match entity.is("LINE") {
            true => "LINE",
            false => "",
        });
    match kind {
        "LINE" => {
            let values = model.own(id, "LINE")?;
            let at = point(model, model.reference(id, values, 0)?)?;
            let vector = model.reference(id, values, 1)?;
            let own = model.own(vector, "VECTOR")?;
            let ahead = direction(model, model.reference(vector, own, 0)?)? * model.number(vector, own, 1)?;
            let place = |trim: Trim| match trim {
                Trim::Point(x) => x,
                Trim::Parameter(t) => at + ahead * t,
            };
            Ok(trims.map(|[a, b]| vec![Nurbs::line(place(a), place(b))]).unwrap_or_default())
        }
        "CIRCLE" | "ELLIPSE" => {
            let values = model.own(id, kind)?;
            let placement = model.reference(id, values, 0)?;
            let (centre, x, y, _) = frame(model, placement, model.own(placement, "AXIS2_PLACEMENT_3D")?)?;
            let a = model.number(id, values, 1)?;
            let b = if kind == "CIRCLE" { a } else { model.number(id, values, 2)? };
            if !(a > 0.0 && b > 0.0 && a.max(b) <= FARTHEST) {
                return Err(model.wrong(id, "a radius that is not above zero, or beyond all measure"));
            }
            let angle = |trim: Trim| match trim {
                Trim::Point(p) => ((p - centre).dot(&y) / b).atan2((p - centre).dot(&x) / a),
                Trim::Parameter(t) => t * model.angle,
            };
            let range = match trims {
                None => [0.0, TAU],
                Some([from, to]) => {
                    let (from, mut to) = (angle(from), angle(to));
                    if to.abs().max(from.abs()) > 1e6 {
                        return Err(model.wrong(id, "an angle beyond all measure"));
                    }
                    // Forwards; the same point twice is all of it.
                    while to <= from + 1e-9 {
                        to += TAU;
                    }
                    while to > from + TAU + 1e-9 {
                        to -= TAU;
                    }
                    [from, to]
                }
            };
            Ok(vec![Nurbs::arc(centre, a * x, b * y, range)])
        }
        "POLYLINE" => {
            let values = model.own(id, kind)?;
            let ids = values.first().map_or(&[][..], Value::list).iter().filter_map(Value::id);
            let points = ids.map(|own| point(model, own)).collect::<Result<Vec<Vec3>, _>>()?;
            if points.len() < 2 {
                return Err(model.wrong(id, "a polyline of fewer than two points"));
            }
            let mut knots = vec![0.0];
            knots.extend((0..points.len()).map(|k| k as f64));
            knots.push((points.len() - 1) as f64);
            let own = Nurbs::new(1, knots, points, Vec::new()).map_err(|why| model.wrong(id, &why))?;
            trimmed(own, trims)
        }
        "TRIMMED_CURVE" => {
            let values = model.own(id, kind)?;
            let forward = values.get(3).is_none_or(Value::is_true);
            let by_parameter = matches!(values.get(4), Some(Value::Word(word)) if word == "PARAMETER");
            let trim = |k: usize| -> Result<Trim, CurveError> {
                let own = values.get(k).map_or(&[][..], Value::list);
                let place = own.iter().find_map(Value::id);
                let number = own.iter().find_map(Value::number);
                match (place, number) {
                    (Some(place), None) => point(model, place).map(Trim::Point),
                    (Some(place), Some(_)) if !by_parameter => point(model, place).map(Trim::Point),
                    (_, Some(number)) => Ok(Trim::Parameter(number)),
                    _ => Err(model.wrong(id, "no place where it is trimmed")),
                }
            };
            let (a, b) = (trim(1)?, trim(2)?);
            let basis = model.reference(id, values, 0)?;
            let own = curve(model, basis, Some(if forward { [a, b] } else { [b, a] }), depth + 1)?;
            Ok(if forward { own } else { reversed(own) })
        }
        "COMPOSITE_CURVE" => {
            let values = model.own(id, kind)?;
            let mut all = Vec::new();
            for segment in values.first().map_or(&[][..], Value::list).iter().filter_map(Value::id) {
                // A segment has no name of its own.
                let entity = model.entity(segment)?;
                let own = entity.record("COMPOSITE_CURVE_SEGMENT").ok_or_else(|| model.wrong(segment, "expected COMPOSITE_CURVE_SEGMENT"))?;
                let pieces = curve(model, model.reference(segment, own, 2)?, None, depth + 1)?;
                if pieces.is_empty() {
                    return Err(model.wrong(segment, "a segment without ends: expected a bounded curve"));
                }
                if all.len() + pieces.len() > MOST_CURVES {
                    return Err(model.wrong(id, &format!("more than {MOST_CURVES} pieces")));
                }
                all.extend(if own.get(1).is_none_or(Value::is_true) { pieces } else { reversed(pieces) });
            }
            Ok(all)
        }
        "SURFACE_CURVE" | "SEAM_CURVE" | "INTERSECTION_CURVE" => {
            let values = model.own(id, kind)?;
            curve(model, model.reference(id, values, 0)?, trims, depth + 1)
        }
        "" => Err(model.wrong(id, "it is no curve that is read: expected lines, circles, ellipses, polylines and B-splines, trimmed or composed")),
        _ => trimmed(spline(model, id)?, trims),
    }
}

/// A B-spline between two trims.
fn trimmed(mut own: Nurbs, trims: Option<[Trim; 2]>) -> Result<Vec<Nurbs>, CurveError> {
    let Some(trims) = trims else { return Ok(vec![own]) };
    let [first, last] = own.ends();
    let size = own.poles.iter().map(|p| (p - first).norm()).fold(0.0, f64::max);
    let [from, to] = own.range;
    let place = |trim: Trim, end: usize| match trim {
        Trim::Point(x) if (x - [first, last][end]).norm() <= 1e-7 * size => [from, to][end],
        Trim::Point(x) => own.nearest(&x),
        Trim::Parameter(t) => t.clamp(from, to),
    };
    let (a, b) = (place(trims[0], 0), place(trims[1], 1));
    // Otherwise a closed curve from within itself: all of it.
    if a < b {
        own.range = [a, b];
    }
    Ok(vec![own])
}

/// A B-spline in any of its forms.
fn spline(model: &Model, id: u64) -> Result<Nurbs, CurveError> {
    let entity = model.entity(id)?;
    let simple = entity.records.len() == 1;
    let all = &entity.records[0].1;
    let curve = if simple {
        all.get(1..).unwrap_or_default()
    } else {
        entity.record("B_SPLINE_CURVE").unwrap_or_default()
    };
    let degree = model.number(id, curve, 0)?;
    if degree.fract() != 0.0 || !(1.0..=25.0).contains(&degree) {
        return Err(model.wrong(id, &format!("degree {degree}: expected 1 to 25")));
    }
    let degree = degree as usize;
    let ids = curve.get(1).map_or(&[][..], Value::list).iter().filter_map(Value::id);
    let poles = ids.map(|own| point(model, own)).collect::<Result<Vec<Vec3>, _>>()?;
    let knots = match entity.record("B_SPLINE_CURVE_WITH_KNOTS") {
        Some(values) => repeated(
            model,
            id,
            if simple { values.get(6..).unwrap_or_default() } else { values },
            poles.len() + degree + 1,
        )?,
        None => regular(entity.is("UNIFORM_CURVE"), entity.is("BEZIER_CURVE"), degree, poles.len()),
    };
    let weights = match entity.record("RATIONAL_B_SPLINE_CURVE") {
        Some(values) => {
            let own: Option<Vec<f64>> =
                values.last().map_or(&[][..], Value::list).iter().map(Value::number).collect();
            own.ok_or_else(|| model.wrong(id, "weights that are no numbers"))?
        }
        None => Vec::new(),
    };
    Nurbs::new(degree, knots, poles, weights).map_err(|why| model.wrong(id, &why))
}

/// Knots from their multiplicities and values, which stand first and second.
pub(super) fn repeated(
    model: &Model,
    id: u64,
    values: &[Value],
    count: usize,
) -> Result<Vec<f64>, CurveError> {
    let numbers =
        |k: usize| -> Option<Vec<f64>> { values.get(k)?.list().iter().map(Value::number).collect() };
    let (Some(times), Some(knots)) = (numbers(0), numbers(1)) else {
        return Err(model.wrong(id, "knots that are no numbers"));
    };
    let sum: f64 = times.iter().sum();
    if times.len() != knots.len() || sum != count as f64 || times.iter().any(|n| n.fract() != 0.0 || *n < 1.0)
    {
        return Err(model.wrong(
            id,
            &format!("{sum} knots by their multiplicities: expected {count} for its degree and poles"),
        ));
    }
    Ok(knots.iter().zip(times).flat_map(|(u, n)| std::iter::repeat_n(*u, n as usize)).collect())
}

/// Knots that are not written: uniform, clamped, or of Bézier pieces.
fn regular(uniform: bool, bezier: bool, degree: usize, poles: usize) -> Vec<f64> {
    let count = poles + degree + 1;
    let knot = |k: usize| {
        if uniform {
            return k as f64 - degree as f64;
        }
        let inner = k.saturating_sub(degree).min(poles.saturating_sub(degree));
        if bezier { inner.div_ceil(degree) as f64 } else { inner as f64 }
    };
    (0..count).map(knot).collect()
}
