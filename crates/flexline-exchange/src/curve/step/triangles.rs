//! Triangles of AP242 (ISO 10303-42, tessellated shapes) as a mesh, in metres, where assemblies put them.

use super::{Model, Value, geometry, part21, place, unit};
use crate::curve::CurveError;
use crate::drawing::{Builder, Drawing, Format};
use crate::mesh::{At, MeshError};

/// Entities with triangles, and which of their parameters have the indices of points, the triangles or strips, and the fans.
const KINDS: [(&str, usize, usize, Option<usize>); 4] = [
    ("COMPLEX_TRIANGULATED_FACE", 5, 6, Some(7)),
    ("TRIANGULATED_FACE", 5, 6, None),
    ("COMPLEX_TRIANGULATED_SURFACE_SET", 4, 5, Some(6)),
    ("TRIANGULATED_SURFACE_SET", 4, 5, None),
];

/// Whether a file of STEP has triangles.
pub(crate) fn are_in(bytes: &[u8]) -> bool {
    const WORD: &[u8] = b"TRIANGULATED_";
    bytes.trim_ascii_start().starts_with(b"ISO-10303-21") && bytes.windows(WORD.len()).any(|own| own == WORD)
}

pub(crate) fn read(bytes: &[u8]) -> Result<Drawing, MeshError> {
    let said = |error: CurveError| MeshError::new(error.at, error.message);
    let text = crate::curve::latin(bytes);
    let model = Model { all: part21::read(&text).map_err(said)?, angle: 1.0 };
    let places = place::Places::new(&model).map_err(said)?;
    let base = places.unit(&model).map_err(said)?;
    let mut builder = Builder::new(Format::Step);
    if base.is_some() {
        builder.says_unit(1.0);
    }
    for representation in places.representations() {
        let own = unit::of(&model, representation).map_err(said)?.0;
        // Assemblies are in the first unit, what is drawn in that of its representation.
        let scale = own.zip(base).map_or(1.0, |(own, base)| own / base);
        let name = places.name(representation);
        for item in place::items_of(&model, representation).unwrap_or_default().iter().filter_map(Value::id) {
            let kind = model.entity(item).map_err(said)?.kind().to_owned();
            let at = At::Line(model.entity(item).map_err(said)?.line);
            if !(kind.starts_with("TESSELLATED") || kind.contains("TRIANGULATED")) {
                if kind.contains("BREP") || kind.contains("SURFACE_MODEL") {
                    builder.leave_out(&format!("{kind}: only triangles are taken as a mesh"), at);
                }
                continue;
            }
            let wanted = KINDS.map(|own| own.0);
            for face in
                geometry::below(&model, item, &["TESSELLATED", "TRIANGULATED"], &wanted).map_err(said)?
            {
                for place in places.of(representation) {
                    let put =
                        |p: [f64; 3]| place.apply(p.map(|x| scale * x)).map(|x| base.unwrap_or(1.0) * x);
                    add(&model, face, &name, &put, &mut builder)?;
                }
            }
        }
    }
    Ok(builder.finish())
}

/// The triangles of a face.
fn add(
    model: &Model,
    face: u64,
    name: &str,
    put: &dyn Fn([f64; 3]) -> [f64; 3],
    builder: &mut Builder,
) -> Result<(), MeshError> {
    let entity = &model.all[&face];
    let at = At::Line(entity.line);
    let wrong = |message: &str| MeshError::new(at, format!("#{face} {}: {message}", entity.kind()));
    let Some((kind, index, first, second)) = KINDS.iter().find(|own| entity.is(own.0)) else { return Ok(()) };
    let values = entity.record(kind).unwrap_or_default();
    let list =
        values.get(1).and_then(Value::id).and_then(|id| model.all.get(&id)?.record("COORDINATES_LIST"));
    let list = list.ok_or_else(|| wrong("expected a COORDINATES_LIST"))?;
    let points = list.last().map_or(&[][..], Value::list);
    let indices = values.get(*index).map_or(&[][..], Value::list);
    builder.part(name, at)?;
    let corner = |value: &Value, builder: &mut Builder| -> Result<u32, MeshError> {
        let whole =
            |value: Option<&Value>| value.and_then(Value::number).filter(|x| *x >= 1.0 && x.fract() == 0.0);
        let mut k = whole(Some(value)).ok_or_else(|| wrong("a corner that is no number of a point"))?;
        if !indices.is_empty() {
            k = whole(indices.get(k as usize - 1))
                .ok_or_else(|| wrong("a corner that is not among its points"))?;
        }
        let point = points.get(k as usize - 1).ok_or_else(|| wrong(&format!("there is no point {k}")))?;
        let own: Option<Vec<f64>> = point.list().iter().map(Value::number).collect();
        match own.as_deref() {
            Some([x, y, z]) => builder.vertex(put([*x, *y, *z]), at),
            _ => Err(wrong("a point without three numbers")),
        }
    };
    let rows = values.get(*first).map_or(&[][..], Value::list);
    for row in rows {
        let corners = row.list().iter().map(|own| corner(own, builder)).collect::<Result<Vec<u32>, _>>()?;
        match second {
            Some(_) => builder.strip(&corners, false, at)?,
            None => builder.polygon(&corners, at)?,
        }
    }
    for fan in second.and_then(|k| values.get(k)).map_or(&[][..], Value::list) {
        let corners = fan.list().iter().map(|own| corner(own, builder)).collect::<Result<Vec<u32>, _>>()?;
        for k in 2..corners.len() {
            builder.triangle([corners[0], corners[k - 1], corners[k]], at)?;
        }
    }
    Ok(())
}
