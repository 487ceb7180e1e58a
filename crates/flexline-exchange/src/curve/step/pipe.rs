//! Solids that are pipes: faces of cylinders and tori of one radius in a row, or a B-spline face whose sections are circles. Their
//! centreline follows from the faces, without a mesh.

use super::place::{frame, point};
use super::{CurveError, Model, Nurbs, Value, geometry};
use flexline::Vec3;
use std::f64::consts::TAU;

/// A pipe.
pub(super) struct Pipe {
    pub(super) pieces: Vec<Nurbs>,
    pub(super) radius: f64,
    pub(super) bore: Option<f64>,
}

/// A stretch of the centreline that a face has.
struct Stretch {
    radius: f64,
    piece: Nurbs,
}

/// A circle in the bounds of a face.
struct Ring {
    centre: Vec3,
    axis: Vec3,
    radius: f64,
    ends: [Vec3; 2],
    /// Its angle from its first to its second vertex, about the axis.
    sweep: f64,
}

/// The pipe that a solid is, or why it is none.
pub(super) fn of(model: &Model, solid: u64) -> Result<Result<Pipe, String>, CurveError> {
    let faces = geometry::below(model, solid, &["SHELL", "FACE"], &["ADVANCED_FACE", "FACE_SURFACE"])?;
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut flat = 0;
    for face in &faces {
        let entity = model.entity(*face)?;
        let values = &entity.records[0].1;
        let surface = model.reference(*face, values, 2)?;
        let rings = rings(model, *face)?;
        let kind = model.entity(surface)?.kind().to_owned();
        let found = match kind.as_str() {
            "PLANE" => {
                flat += 1;
                continue;
            }
            "CYLINDRICAL_SURFACE" => cylinder(model, surface, &rings)?,
            "TOROIDAL_SURFACE" => torus(model, surface, &rings)?,
            _ if model.entity(surface)?.is("B_SPLINE_SURFACE_WITH_KNOTS") => swept(model, surface, &rings)?,
            other => return Ok(Err(format!("it has a {other}"))),
        };
        let Some(found) = found else {
            return Ok(Err(format!("a {kind} of it ends neither in circles nor has them")));
        };
        // Halves of a face are the same stretch.
        let middle = |p: &Nurbs| p.at(0.5 * (p.range[0] + p.range[1])).0;
        let near = 1e-4 * found.radius;
        let twin = |own: &Stretch| {
            let ([a, b], [c, d]) = (own.piece.ends(), found.piece.ends());
            let ends = (a - c).norm() + (b - d).norm() < near || (a - d).norm() + (b - c).norm() < near;
            (own.radius - found.radius).abs() < near
                && ends
                && (middle(&own.piece) - middle(&found.piece)).norm() < near
        };
        if !stretches.iter().any(twin) {
            stretches.push(found);
        }
    }
    let mut radii: Vec<f64> = stretches.iter().map(|own| own.radius).collect();
    radii.sort_by(|a, b| b.total_cmp(a));
    radii.dedup_by(|a, b| (*a - *b).abs() < 1e-6 * *b);
    let (Some(outer), true) = (radii.first().copied(), radii.len() <= 2) else {
        return Ok(Err(match radii.len() {
            0 => "it has no round faces".to_owned(),
            n => format!("its round faces have {n} radii"),
        }));
    };
    let of = |radius: f64| chain(stretches.iter().filter(|own| (own.radius - radius).abs() <= 1e-6 * radius));
    let (Some(pieces), bore) = (of(outer), radii.get(1).copied()) else {
        return Ok(Err("its round faces are not in one row".to_owned()));
    };
    let ends = |pieces: &[Nurbs]| Some([pieces.first()?.ends()[0], pieces.last()?.ends()[1]]);
    if let Some(bore) = bore {
        let inner = of(bore);
        let same = inner.as_deref().and_then(ends).zip(ends(&pieces)).is_some_and(|([a, b], [c, d])| {
            let near = 1e-3 * outer;
            (a - c).norm() + (b - d).norm() < near || (a - d).norm() + (b - c).norm() < near
        });
        if !same {
            return Ok(Err("its inner faces do not go along its outer ones".to_owned()));
        }
    }
    if flat > 2 {
        return Ok(Err(format!("it has {flat} plane faces, a pipe two")));
    }
    let length: f64 = pieces.iter().map(crate::curve::lay::length).sum();
    if length < 4.0 * outer {
        return Ok(Err("it is not longer than twice its width".to_owned()));
    }
    Ok(Ok(Pipe { pieces, radius: outer, bore }))
}

/// The circles among the edges of a face.
fn rings(model: &Model, face: u64) -> Result<Vec<Ring>, CurveError> {
    let values = &model.entity(face)?.records[0].1;
    let mut edges = Vec::new();
    for bound in values.get(1).map_or(&[][..], Value::list).iter().filter_map(Value::id) {
        let own = &model.entity(bound)?.records[0].1;
        if let Some(inner) = own.get(1).and_then(Value::id) {
            edges.extend(geometry::edges_below(model, inner)?);
        }
    }
    let mut rings = Vec::new();
    for edge in edges {
        let values = model.own(edge, "EDGE_CURVE")?;
        let mut curve = model.reference(edge, values, 2)?;
        for _ in 0..4 {
            let entity = model.entity(curve)?;
            let Some(kind) =
                ["SURFACE_CURVE", "SEAM_CURVE", "INTERSECTION_CURVE"].into_iter().find(|k| entity.is(k))
            else {
                break;
            };
            let inner = model.own(curve, kind)?;
            curve = model.reference(curve, inner, 0)?;
        }
        if !model.entity(curve)?.is("CIRCLE") {
            continue;
        }
        let own = model.own(curve, "CIRCLE")?;
        let placement = model.reference(curve, own, 0)?;
        let (centre, x, y, axis) = frame(model, placement, model.own(placement, "AXIS2_PLACEMENT_3D")?)?;
        let radius = model.number(curve, own, 1)?;
        let ends = [0, 1].map(|k| geometry::vertex(model, model.reference(edge, values, k)?));
        let [a, b] = ends;
        let ends = [a?, b?];
        let angle = |p: Vec3| (p - centre).dot(&y).atan2((p - centre).dot(&x));
        let forward = values.get(3).is_none_or(Value::is_true);
        let mut sweep = angle(ends[1]) - angle(ends[0]);
        if forward {
            while sweep <= 1e-9 {
                sweep += TAU;
            }
        } else {
            while sweep >= -1e-9 {
                sweep -= TAU;
            }
        }
        rings.push(Ring { centre, axis, radius, ends, sweep });
    }
    Ok(rings)
}

/// Along the axis of a cylinder, between the circles that it ends in.
fn cylinder(model: &Model, id: u64, rings: &[Ring]) -> Result<Option<Stretch>, CurveError> {
    let values = model.own(id, "CYLINDRICAL_SURFACE")?;
    let placement = model.reference(id, values, 0)?;
    let (at, _, _, axis) = frame(model, placement, model.own(placement, "AXIS2_PLACEMENT_3D")?)?;
    let radius = model.number(id, values, 1)?;
    let own = rings.iter().filter(|ring| {
        let off = ring.centre - at;
        (ring.radius - radius).abs() < 1e-6 * radius && (off - off.dot(&axis) * axis).norm() < 1e-5 * radius
    });
    let mut ends: Vec<(f64, Vec3)> = own.map(|ring| ((ring.centre - at).dot(&axis), ring.centre)).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (ends.first(), ends.last()) else { return Ok(None) };
    let long = last.0 - first.0 > 1e-6 * radius;
    Ok(long.then(|| Stretch { radius, piece: Nurbs::line(first.1, last.1) }))
}

/// About the axis of a torus: as far as the edge that goes along it, or between the circles that it ends in, the shorter way.
fn torus(model: &Model, id: u64, rings: &[Ring]) -> Result<Option<Stretch>, CurveError> {
    let values = model.own(id, "TOROIDAL_SURFACE")?;
    let placement = model.reference(id, values, 0)?;
    let (at, x, y, axis) = frame(model, placement, model.own(placement, "AXIS2_PLACEMENT_3D")?)?;
    let (major, radius) = (model.number(id, values, 1)?, model.number(id, values, 2)?);
    let angle = |p: Vec3| (p - at).dot(&y).atan2((p - at).dot(&x));
    let along = rings.iter().find(|ring| {
        let off = ring.centre - at;
        ring.axis.dot(&axis).abs() > 1.0 - 1e-9 && (off - off.dot(&axis) * axis).norm() < 1e-5 * major
    });
    let range = if let Some(own) = along {
        let from = angle(own.ends[0]);
        [from, from + own.sweep * own.axis.dot(&axis).signum()]
    } else {
        let own = rings.iter().filter(|ring| {
            (ring.radius - radius).abs() < 1e-6 * radius
                && ((ring.centre - at).norm() - major).abs() < 1e-5 * major
        });
        let mut angles: Vec<f64> = own.map(|ring| angle(ring.centre)).collect();
        angles.sort_by(f64::total_cmp);
        angles.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        let [a, b] = angles[..] else { return Ok(None) };
        if b - a > 0.5 * TAU { [b, a + TAU] } else { [a, b] }
    };
    let arc = Nurbs::arc(at, major * x, major * y, range);
    Ok((radius > 0.0 && major > radius).then_some(Stretch { radius, piece: arc }))
}

/// A B-spline face with circles across: the middles of opposite points are a curve on the same knots.
fn swept(model: &Model, id: u64, rings: &[Ring]) -> Result<Option<Stretch>, CurveError> {
    let entity = model.entity(id)?;
    let simple = entity.records.len() == 1;
    let surface = match simple {
        true => entity.records[0].1.get(1..).unwrap_or_default(),
        false => entity.record("B_SPLINE_SURFACE").unwrap_or_default(),
    };
    let degrees = [model.number(id, surface, 0)?, model.number(id, surface, 1)?];
    if degrees.iter().any(|d| d.fract() != 0.0 || !(1.0..=25.0).contains(d)) {
        return Err(model.wrong(id, "degrees: expected 1 to 25"));
    }
    let degrees = degrees.map(|d| d as usize);
    let mut rows = Vec::new();
    for row in surface.get(2).map_or(&[][..], Value::list) {
        rows.push(
            row.list()
                .iter()
                .filter_map(Value::id)
                .map(|p| point(model, p))
                .collect::<Result<Vec<Vec3>, _>>()?,
        );
    }
    let (u, v) = (rows.len(), rows.first().map_or(0, Vec::len));
    if u < 2 || v < 2 || rows.iter().any(|row| row.len() != v) {
        return Err(model.wrong(id, "its poles are no table"));
    }
    let all = entity.record("B_SPLINE_SURFACE_WITH_KNOTS").unwrap_or_default();
    let own = if simple { all.get(8..).unwrap_or_default() } else { all };
    let pick = |a: usize, b: usize| {
        [own.get(a).cloned(), own.get(b).cloned()].into_iter().flatten().collect::<Vec<_>>()
    };
    let knots = [
        geometry::repeated(model, id, &pick(0, 2), u + degrees[0] + 1)?,
        geometry::repeated(model, id, &pick(1, 3), v + degrees[1] + 1)?,
    ];
    let weights: Option<Vec<Vec<f64>>> = match entity.record("RATIONAL_B_SPLINE_SURFACE") {
        None => Some(vec![vec![1.0; v]; u]),
        Some(values) => values
            .last()
            .map_or(&[][..], Value::list)
            .iter()
            .map(|row| row.list().iter().map(Value::number).collect())
            .collect(),
    };
    let weights = weights.filter(|own| own.len() == u && own.iter().all(|row| row.len() == v));
    let weights =
        weights.ok_or_else(|| model.wrong(id, "its weights are no table of numbers like its poles"))?;
    // Across along the first direction, then along the second.
    for across in 0..2 {
        let [count, long] = if across == 0 { [u, v] } else { [v, u] };
        let at = |k: usize, i: usize| {
            if across == 0 { (rows[k][i], weights[k][i]) } else { (rows[i][k], weights[i][k]) }
        };
        // Weights that are the same along, but for the digits of a file: every section has its own circle by the same functions.
        let same =
            (0..count).all(|k| (1..long).all(|i| (at(k, i).1 - at(k, 0).1).abs() <= 1e-9 * at(k, 0).1));
        if !same {
            continue;
        }
        let section = |i: usize| {
            let poles = (0..count).map(|k| at(k, i).0).collect();
            let weights = (0..count).map(|k| at(k, 0).1).collect();
            Nurbs::new(degrees[across], knots[across].clone(), poles, weights)
        };
        let sections =
            (0..long).map(section).collect::<Result<Vec<_>, _>>().map_err(|why| model.wrong(id, &why))?;
        let [from, to] = sections[0].range;
        let half = opposite(&sections[0], from, to);
        let Some(half) = half else { continue };
        let middles: Vec<Vec3> = sections.iter().map(|own| 0.5 * (own.at(from).0 + own.at(half).0)).collect();
        let middle = Nurbs::new(degrees[1 - across], knots[1 - across].clone(), middles, Vec::new())
            .map_err(|why| model.wrong(id, &why))?;
        // Is it a circle about that everywhere?
        let point_of = |s: f64, t: f64| {
            let poles = sections.iter().map(|own| own.at(s).0).collect();
            Nurbs::new(degrees[1 - across], knots[1 - across].clone(), poles, Vec::new())
                .map(|own| own.at(t).0)
        };
        let radius = (sections[0].at(from).0 - middle.ends()[0]).norm();
        let mut round = true;
        for a in 0..12 {
            let s = from + (to - from) * (f64::from(a) + 0.3) / 12.0;
            for b in 0..=24 {
                let t = middle.range[0] + (middle.range[1] - middle.range[0]) * f64::from(b) / 24.0;
                let off = point_of(s, t).map(|x| (x - middle.at(t).0).norm()).unwrap_or(f64::NAN);
                round &= (off - radius).abs() < 2e-2 * radius;
            }
        }
        let closed =
            (sections[0].at(from).0 - sections[0].at(to).0).norm() < 1e-6 * radius.max(f64::MIN_POSITIVE);
        if round && closed && radius > 0.0 {
            // The circles that it ends in say it better than points.
            let said = rings.iter().map(|ring| ring.radius).find(|r| (r - radius).abs() < 1e-4 * radius);
            let radius = said.unwrap_or(radius);
            return Ok(Some(Stretch { radius, piece: middle }));
        }
    }
    Ok(None)
}

/// The parameter of a closed section at which it is farthest from its beginning: opposite, where it is a circle.
fn opposite(section: &Nurbs, from: f64, to: f64) -> Option<f64> {
    let first = section.at(from).0;
    let far = |u: f64| (section.at(u).0 - first).norm();
    // By the standard circle it is a knot or the middle; else it is searched for.
    let middle = 0.5 * (from + to);
    let most = (0..=64)
        .map(|i| from + (to - from) * f64::from(i) / 64.0)
        .max_by(|a, b| far(*a).total_cmp(&far(*b)))?;
    if far(middle) >= far(most) * (1.0 - 1e-12) {
        return Some(middle);
    }
    let step = (to - from) / 64.0;
    let [mut low, mut high] = [most - step, most + step];
    for _ in 0..100 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if far(a) > far(b) { high = b } else { low = a }
    }
    (far(most) > 0.0).then_some(0.5 * (low + high))
}

/// Stretches in a row, end to end; `None` where they are not one.
fn chain<'a>(all: impl Iterator<Item = &'a Stretch>) -> Option<Vec<Nurbs>> {
    let mut rest: Vec<&Stretch> = all.collect();
    let near = 1e-3 * rest.first()?.radius;
    let mut row = vec![rest.remove(0).piece.clone()];
    while !rest.is_empty() {
        let [start, end] = [row[0].ends()[0], row[row.len() - 1].ends()[1]];
        let next = rest.iter().position(|own| {
            own.piece.ends().iter().any(|x| (x - end).norm() < near || (x - start).norm() < near)
        })?;
        let piece = rest.remove(next).piece.clone();
        let [a, b] = piece.ends();
        if (a - end).norm() < near {
            row.push(piece);
        } else if (b - end).norm() < near {
            row.push(piece.reversed());
        } else if (b - start).norm() < near {
            row.insert(0, piece);
        } else {
            row.insert(0, piece.reversed());
        }
    }
    Some(row)
}
