//! STEP (ISO 10303-21, any application protocol): curves as they are drawn, and the centrelines of solids that are pipes, where
//! assemblies put them.

mod geometry;
mod part21;
mod pipe;
mod place;
pub(crate) mod triangles;
mod unit;

use super::{Curve, CurveError, Curves, Format, Left, MOST_CURVES, Nurbs};
use crate::drawing::Transform;
use crate::mesh::At;
use flexline::Vec3;
use part21::{Entity, Value};
use std::collections::HashMap;

/// Entities that refer to each other deeper than this.
const DEEPEST: usize = 64;
/// Representations, those that are mapped again counted again.
const MOST_WORK: usize = 1_000_000;

/// The entities of a file.
struct Model {
    all: HashMap<u64, Entity>,
    /// What one radian is in the unit of angles: π/180 where they are degrees.
    angle: f64,
}

impl Model {
    fn entity(&self, id: u64) -> Result<&Entity, CurveError> {
        self.all
            .get(&id)
            .ok_or_else(|| CurveError::new(At::Whole, format!("#{id} is named and is not there")))
    }

    fn wrong(&self, id: u64, message: &str) -> CurveError {
        let at = self.all.get(&id).map_or(At::Whole, |own| At::Line(own.line));
        let kind = self.all.get(&id).map_or("", Entity::kind);
        CurveError::new(at, format!("#{id} {kind}: {message}"))
    }

    /// The parameters of an entity: after its name where it is simple; of the record of that name where it is complex.
    fn own<'a>(&'a self, id: u64, name: &str) -> Result<&'a [Value], CurveError> {
        let entity = self.entity(id)?;
        match &entity.records[..] {
            [(kind, values)] if kind == name => Ok(values.get(1..).unwrap_or_default()),
            _ => entity.record(name).ok_or_else(|| self.wrong(id, &format!("expected {name}"))),
        }
    }

    fn reference(&self, id: u64, values: &[Value], k: usize) -> Result<u64, CurveError> {
        values
            .get(k)
            .and_then(Value::id)
            .ok_or_else(|| self.wrong(id, &format!("parameter {} is no reference", k + 1)))
    }

    fn number(&self, id: u64, values: &[Value], k: usize) -> Result<f64, CurveError> {
        values
            .get(k)
            .and_then(Value::number)
            .ok_or_else(|| self.wrong(id, &format!("parameter {} is no number", k + 1)))
    }
}

/// A curve or a pipe of a representation, not placed yet.
struct Found {
    name: String,
    pieces: Vec<Nurbs>,
    /// Radius and bore of a pipe.
    pipe: Option<(f64, Option<f64>)>,
}

pub(super) fn read(text: &str) -> Result<Curves, CurveError> {
    let mut model = Model { all: part21::read(text)?, angle: 1.0 };
    let mut left = Left::default();
    let places = place::Places::new(&model)?;
    let base = places.unit(&model)?;
    let mut curves: Vec<Curve> = Vec::new();
    let mut work = 0;
    for representation in places.representations() {
        let (unit, angle) = unit::of(&model, representation)?;
        model.angle = angle.unwrap_or(1.0);
        let scale = match (unit, base) {
            (Some(unit), Some(base)) if unit != base => unit / base,
            _ => 1.0,
        };
        let mut found = Vec::new();
        items(&model, representation, &mut found, &mut left, 0, &mut work)?;
        found.retain(|own| !own.pieces.is_empty());
        let name = places.name(representation);
        for at in places.of(representation) {
            for own in &found {
                if curves.len() == MOST_CURVES {
                    return Err(CurveError::new(At::Whole, format!("more than {MOST_CURVES} curves")));
                }
                let put = |own: &Nurbs| match at.is_identity() && scale == 1.0 {
                    // As they stand in the file, to the last bit.
                    true => own.clone(),
                    false => own.clone().moved(&|p: &Vec3| Vec3::from(at.apply((p * scale).into()))),
                };
                let label = if name.is_empty() { own.name.clone() } else { name.clone() };
                let mut curve = Curve::new(label, own.pieces.iter().map(put).collect());
                if let Some((radius, bore)) = own.pipe {
                    curve.radii = vec![(0.0, scale * radius)];
                    curve.bore = bore.map(|b| scale * b);
                }
                curves.push(curve);
            }
        }
    }
    merge(&mut curves);
    Ok(Curves { format: Format::Step, curves, unit: base, left_out: left.0 })
}

/// A pipe along a curve that is drawn as well: the curve has its radius.
fn merge(curves: &mut Vec<Curve>) {
    let mut k = 0;
    while k < curves.len() {
        let pipe = &curves[k];
        let same = |own: &Curve| -> bool {
            let (Some([a, b]), Some([c, d])) = (own.ends(), pipe.ends()) else { return false };
            let near = 0.02 * pipe.radii.first().map_or(0.0, |r| r.1);
            let ends = (a - c).norm() + (b - d).norm() < near || (a - d).norm() + (b - c).norm() < near;
            let middle = |own: &Curve| {
                own.pieces.get(own.pieces.len() / 2).map(|p| p.at(0.5 * (p.range[0] + p.range[1])).0)
            };
            let beside = middle(own)
                .is_some_and(|x| pipe.pieces.iter().any(|p| (p.at(p.nearest(&x)).0 - x).norm() < near));
            own.radii.is_empty() && ends && beside
        };
        let drawn = (!pipe.radii.is_empty()).then(|| curves.iter().position(same)).flatten();
        match drawn {
            Some(j) => {
                let pipe = curves.remove(k);
                let j = if j > k { j - 1 } else { j };
                curves[j].radii = pipe.radii;
                curves[j].bore = pipe.bore;
            }
            None => k += 1,
        }
    }
}

/// What a representation has, and what it maps.
fn items(
    model: &Model,
    representation: u64,
    found: &mut Vec<Found>,
    left: &mut Left,
    depth: usize,
    work: &mut usize,
) -> Result<(), CurveError> {
    *work += 1;
    if depth > DEEPEST || *work > MOST_WORK {
        return Err(model.wrong(representation, "representations within each other too deep, or in a circle"));
    }
    let Some(list) = place::items_of(model, representation) else { return Ok(()) };
    for item in list.iter().filter_map(Value::id) {
        let entity = model.entity(item)?;
        let at = At::Line(entity.line);
        let name = || entity.records.iter().find_map(|own| own.1.first()).map_or("", Value::text).to_owned();
        let kind = entity.kind().to_owned();
        match kind.as_str() {
            "MAPPED_ITEM" => {
                let values = model.own(item, "MAPPED_ITEM")?;
                let map = model.reference(item, values, 0)?;
                let target = model.reference(item, values, 1)?;
                // A map has no name of its own.
                let map_values = model.entity(map)?.record("REPRESENTATION_MAP").ok_or_else(|| model.wrong(map, "expected REPRESENTATION_MAP"))?;
                let origin = model.reference(map, map_values, 0)?;
                let mapped = model.reference(map, map_values, 1)?;
                let Some(to) = place::operator(model, target)? else {
                    left.out(format!("{} as the place of a mapped item", model.entity(target)?.kind()), at);
                    continue;
                };
                let from = place::axes(model, origin)?;
                let move_by = to.then(&place::inverse(&from));
                let mut inner = Vec::new();
                items(model, mapped, &mut inner, left, depth + 1, work)?;
                if found.len() + inner.len() > MOST_CURVES {
                    return Err(model.wrong(item, &format!("more than {MOST_CURVES} curves by mapped items")));
                }
                for mut own in inner {
                    own.pieces = own.pieces.into_iter().map(|p| p.moved(&|x: &Vec3| Vec3::from(move_by.apply((*x).into())))).collect();
                    found.push(own);
                }
            }
            "GEOMETRIC_CURVE_SET" | "GEOMETRIC_SET" => {
                let values = model.own(item, &kind)?;
                for element in values.first().map_or(&[][..], Value::list).iter().filter_map(Value::id) {
                    let kind = model.entity(element)?.kind().to_owned();
                    if geometry::is_curve(model, element) {
                        let inner = geometry::name(model, element);
                        let name = if inner.is_empty() { name() } else { inner };
                        found.push(Found { name, pieces: geometry::bounded(model, element)?, pipe: None });
                    } else if kind != "CARTESIAN_POINT" && !kind.starts_with("AXIS2") {
                        left.out(format!("{kind} in a set of curves"), at);
                    }
                }
            }
            "EDGE_BASED_WIREFRAME_MODEL" | "SHELL_BASED_WIREFRAME_MODEL" => {
                for edge in geometry::edges_below(model, item)? {
                    found.push(Found { name: name(), pieces: geometry::edge(model, edge)?, pipe: None });
                }
            }
            "MANIFOLD_SOLID_BREP" | "BREP_WITH_VOIDS" | "FACETED_BREP" | "SHELL_BASED_SURFACE_MODEL" => match pipe::of(model, item)? {
                Ok(own) => found.push(Found { name: name(), pieces: own.pieces, pipe: Some((own.radius, own.bore)) }),
                Err(why) => left.out(format!("a solid or surface that is no pipe ({why}); as an obstacle, export it as STL, VRML or glTF"), at),
            },
            _ if geometry::is_curve(model, item) => {
                found.push(Found { name: geometry::name(model, item), pieces: geometry::bounded(model, item)?, pipe: None });
            }
            kind if kind.starts_with("AXIS2") || kind == "CARTESIAN_POINT" || kind == "PLACEMENT" || kind == "STYLED_ITEM" => {}
            kind if kind.contains("STYLED") || kind.contains("ANNOTATION") || kind.contains("MEASURE") || kind == "DESCRIPTIVE_REPRESENTATION_ITEM" => {}
            kind if kind.starts_with("TESSELLATED") || kind.contains("TRIANGULATED") => {
                left.out(format!("{kind}: triangles are taken as an obstacle, not as a line"), at);
            }
            kind => left.out(kind, at),
        }
    }
    Ok(())
}

/// What is below a representation moves with it.
type Place = Transform;
