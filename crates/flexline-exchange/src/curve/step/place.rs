//! Where representations are: assemblies by occurrences and by transformations between representations.

use super::{At, CurveError, DEEPEST, Entity, MOST_CURVES, Model, Place, Value, unit};
use flexline::{Mat3, Vec3};
use std::collections::{HashMap, HashSet};

/// The list of items of a representation; `None` where it is something else.
pub(super) fn items_of(model: &Model, id: u64) -> Option<&[Value]> {
    let (_, values) = representation(model.all.get(&id)?)?;
    Some(values.get(1)?.list())
}

/// The context of a representation.
pub(super) fn context_of(model: &Model, id: u64) -> Option<u64> {
    representation(model.all.get(&id)?)?.1.get(2)?.id()
}

/// The record of a representation of a shape: name, items and context. Curves in the plane of a surface's parameters are in others.
fn representation(entity: &Entity) -> Option<&(String, Vec<Value>)> {
    let shape = entity
        .records
        .iter()
        .any(|own| own.0.ends_with("SHAPE_REPRESENTATION") && !own.0.contains("DEPENDENT"));
    // Of a complex one the items stand in the most general record.
    let full = |own: &&(String, Vec<Value>)| {
        own.0.ends_with("REPRESENTATION") && own.1.len() >= 3 && matches!(own.1[1], Value::List(_))
    };
    entity.records.iter().find(full).filter(|_| shape)
}

/// The frame of an `AXIS2_PLACEMENT_3D`.
pub(super) fn axes(model: &Model, id: u64) -> Result<Place, CurveError> {
    let values = model.own(id, "AXIS2_PLACEMENT_3D")?;
    let (at, x, y, z) = frame(model, id, values)?;
    Ok(Place::frame(Mat3::from_columns(&[x, y, z]), at))
}

/// Location and directions of a placement.
pub(super) fn frame(
    model: &Model,
    id: u64,
    values: &[Value],
) -> Result<(Vec3, Vec3, Vec3, Vec3), CurveError> {
    let at = point(model, model.reference(id, values, 0)?)?;
    let optional = |k: usize, else_: Vec3| match values.get(k).and_then(Value::id) {
        Some(own) => direction(model, own),
        None => Ok(else_),
    };
    let z = optional(1, Vec3::z())?;
    let mut x = optional(2, if z.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() })?;
    x -= x.dot(&z) * z;
    let x = x
        .try_normalize(1e-12)
        .ok_or_else(|| model.wrong(id, "two directions of a placement are the same"))?;
    Ok((at, x, z.cross(&x), z))
}

pub(super) fn point(model: &Model, id: u64) -> Result<Vec3, CurveError> {
    let values = model.own(id, "CARTESIAN_POINT")?;
    let own = values.first().map_or(&[][..], Value::list);
    let x: Option<Vec<f64>> = own.iter().map(Value::number).collect();
    match x.as_deref() {
        Some([x, y, z]) => Ok(Vec3::new(*x, *y, *z)),
        _ => Err(model.wrong(id, "expected three numbers")),
    }
}

pub(super) fn direction(model: &Model, id: u64) -> Result<Vec3, CurveError> {
    let values = model.own(id, "DIRECTION")?;
    let x: Option<Vec<f64>> = values.first().map_or(&[][..], Value::list).iter().map(Value::number).collect();
    match x.as_deref() {
        Some([x, y, z]) => {
            Vec3::new(*x, *y, *z).try_normalize(1e-300).ok_or_else(|| model.wrong(id, "has no length"))
        }
        _ => Err(model.wrong(id, "expected three numbers")),
    }
}

/// A place by axes, or by an operator; `None` for anything else.
pub(super) fn operator(model: &Model, id: u64) -> Result<Option<Place>, CurveError> {
    let entity = model.entity(id)?;
    if entity.is("AXIS2_PLACEMENT_3D") {
        return axes(model, id).map(Some);
    }
    if !entity.records.iter().any(|own| own.0.starts_with("CARTESIAN_TRANSFORMATION_OPERATOR")) {
        return Ok(None);
    }
    // Axes 1 and 2, origin, scale, and axis 3; of a complex entity in records of their own.
    let simple = entity.record("CARTESIAN_TRANSFORMATION_OPERATOR_3D").filter(|_| entity.records.len() == 1);
    let (first, third) = match simple {
        Some(values) if values.len() >= 6 => {
            let skip = values.len() - 5;
            (&values[skip..skip + 4], values.last())
        }
        _ => {
            let own = entity.record("CARTESIAN_TRANSFORMATION_OPERATOR").unwrap_or_default();
            let skip = own.len().saturating_sub(4);
            (&own[skip..], entity.record("CARTESIAN_TRANSFORMATION_OPERATOR_3D").and_then(|own| own.last()))
        }
    };
    let axis = |value: Option<&Value>| value.and_then(Value::id).map(|id| direction(model, id)).transpose();
    let z = axis(third)?.unwrap_or_else(Vec3::z);
    let x = axis(first.first())?.unwrap_or_else(Vec3::x);
    let x =
        (x - x.dot(&z) * z).try_normalize(1e-12).ok_or_else(|| model.wrong(id, "two axes are the same"))?;
    let y = axis(first.get(1))?
        .map_or(z.cross(&x), |y| if y.dot(&z.cross(&x)) < 0.0 { -z.cross(&x) } else { z.cross(&x) });
    let at = point(model, model.reference(id, first, 2)?)?;
    let scale = first.get(3).and_then(Value::number).unwrap_or(1.0);
    Ok(Some(Place::frame(Mat3::from_columns(&[x, y, z]) * scale, at)))
}

/// The inverse of a rigid place.
pub(super) fn inverse(own: &Place) -> Place {
    own.inverse().unwrap_or_else(Place::identity)
}

/// Which representation is in which, and where.
pub(super) struct Places {
    /// The group of every representation: those that are the same shape.
    group: HashMap<u64, u64>,
    order: Vec<u64>,
    /// Of a group: the groups it is in, and where.
    above: HashMap<u64, Vec<(u64, Place)>>,
    worlds: HashMap<u64, Vec<Place>>,
    names: HashMap<u64, String>,
    /// Reached by a mapped item: not for itself.
    mapped: HashSet<u64>,
    /// Of a relation: what is around and what is in it, as product definitions.
    occurrences: HashMap<u64, (u64, u64)>,
}

impl Places {
    pub(super) fn new(model: &Model) -> Result<Self, CurveError> {
        let mut order: Vec<u64> =
            model.all.iter().filter(|own| representation(own.1).is_some()).map(|own| *own.0).collect();
        order.sort_unstable();
        let mut own = Self {
            group: order.iter().map(|id| (*id, *id)).collect(),
            order,
            above: HashMap::new(),
            worlds: HashMap::new(),
            names: HashMap::new(),
            mapped: HashSet::new(),
            occurrences: HashMap::new(),
        };
        let mut ids: Vec<&u64> = model.all.keys().collect();
        ids.sort_unstable();
        // Product definitions by the representation of their shape.
        let mut shape_of: HashMap<u64, u64> = HashMap::new();
        for id in &ids {
            let entity = &model.all[id];
            if let Some(values) = entity.record("SHAPE_DEFINITION_REPRESENTATION")
                && let (Some(definition), Some(rep)) =
                    (values.first().and_then(Value::id), values.get(1).and_then(Value::id))
                && let Some(product) = model
                    .all
                    .get(&definition)
                    .and_then(|own| own.record("PRODUCT_DEFINITION_SHAPE"))
                    .and_then(|v| v.get(2)?.id())
            {
                shape_of.insert(product, rep);
            }
            let occurrence = || {
                let values = entity.record("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION")?;
                let shape = model.all.get(&values.get(1)?.id()?)?.record("PRODUCT_DEFINITION_SHAPE")?;
                let usage = &model.all.get(&shape.get(2)?.id()?)?.records.first()?.1;
                Some((values.first()?.id()?, (usage.get(3)?.id()?, usage.get(4)?.id()?)))
            };
            own.occurrences.extend(occurrence());
            if let Some(values) = entity.record("REPRESENTATION_MAP")
                && let Some(rep) = values.get(1).and_then(Value::id)
            {
                own.mapped.insert(rep);
            }
            let plain = entity.records.len() == 1 && entity.is("SHAPE_REPRESENTATION_RELATIONSHIP");
            if plain
                && let [.., a, b] = &entity.records[0].1[..]
                && let (Some(a), Some(b)) = (a.id(), b.id())
            {
                let (a, b) = (own.root(a), own.root(b));
                own.group.insert(a.max(b), a.min(b));
            }
        }
        for id in &ids {
            own.relation(model, **id, &shape_of)?;
        }
        for (product, rep) in &shape_of {
            let name = product_name(model, *product);
            let root = own.root(*rep);
            own.names.entry(root).or_insert(name);
        }
        let groups: Vec<u64> = own.order.iter().map(|id| own.root(*id)).collect();
        let mut known = HashMap::new();
        for group in groups {
            own.world(group, &mut known, 0)?;
        }
        own.worlds = known;
        Ok(own)
    }

    fn root(&self, mut id: u64) -> u64 {
        while let Some(up) = self.group.get(&id).filter(|up| **up != id) {
            id = *up;
        }
        id
    }

    /// A relation with a transformation: the component in what is around it.
    fn relation(&mut self, model: &Model, id: u64, shape_of: &HashMap<u64, u64>) -> Result<(), CurveError> {
        let entity = &model.all[&id];
        let Some(by) = entity.record("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION") else {
            return Ok(());
        };
        let Some([.., a, b]) = entity.record("REPRESENTATION_RELATIONSHIP") else { return Ok(()) };
        let (Some(mut inner), Some(mut outer)) = (a.id(), b.id()) else { return Ok(()) };
        let operation = model.reference(id, by, by.len().saturating_sub(1))?;
        let Some(values) = model.entity(operation)?.record("ITEM_DEFINED_TRANSFORMATION") else {
            return Ok(());
        };
        let mut from = axes(model, model.reference(operation, values, 2)?)?;
        let mut to = axes(model, model.reference(operation, values, 3)?)?;
        // Some programs name what is around first: the occurrence tells.
        if let Some((around, component)) = self.occurrences.get(&id)
            && let (Some(around), Some(component)) = (shape_of.get(around), shape_of.get(component))
            && self.root(*component) == self.root(outer)
            && self.root(*around) == self.root(inner)
            && self.root(inner) != self.root(outer)
        {
            std::mem::swap(&mut inner, &mut outer);
            std::mem::swap(&mut from, &mut to);
        }
        let [small, large] = [inner, outer].map(|own| unit::of(model, own).map(|own| own.0));
        if let (Some(small), Some(large)) = (small?, large?)
            && small != large
        {
            from = from.scaled(small / large);
        }
        let place = to.then(&inverse(&from));
        let (inner, outer) = (self.root(inner), self.root(outer));
        if inner != outer {
            self.above.entry(inner).or_default().push((outer, place));
        }
        Ok(())
    }

    /// The places of a group in the world.
    fn world(
        &self,
        group: u64,
        known: &mut HashMap<u64, Vec<Place>>,
        depth: usize,
    ) -> Result<Vec<Place>, CurveError> {
        if let Some(own) = known.get(&group) {
            return Ok(own.clone());
        }
        if depth > DEEPEST {
            return Err(CurveError::new(
                At::Whole,
                format!("assemblies within assemblies more than {DEEPEST} deep, or in a circle, at #{group}"),
            ));
        }
        let mut all = Vec::new();
        for (outer, place) in self.above.get(&group).map_or(&[][..], Vec::as_slice) {
            for own in self.world(*outer, known, depth + 1)? {
                all.push(own.then(place));
                if all.len() > MOST_CURVES {
                    return Err(CurveError::new(
                        At::Whole,
                        format!("#{group} occurs more than {MOST_CURVES} times"),
                    ));
                }
            }
        }
        if all.is_empty() {
            all.push(Place::identity());
        }
        known.insert(group, all.clone());
        Ok(all)
    }

    /// Representations that are shown for themselves.
    pub(super) fn representations(&self) -> Vec<u64> {
        self.order.iter().copied().filter(|id| !self.mapped.contains(id)).collect()
    }

    pub(super) fn of(&self, representation: u64) -> Vec<Place> {
        self.worlds.get(&self.root(representation)).cloned().unwrap_or_else(|| vec![Place::identity()])
    }

    pub(super) fn name(&self, representation: u64) -> String {
        self.names.get(&self.root(representation)).cloned().unwrap_or_default()
    }

    /// The unit that everything is told in: that of the first representation that says one.
    pub(super) fn unit(&self, model: &Model) -> Result<Option<f64>, CurveError> {
        for id in &self.order {
            if let (Some(unit), _) = unit::of(model, *id)? {
                return Ok(Some(unit));
            }
        }
        Ok(None)
    }
}

/// The name of a product by its definition.
fn product_name(model: &Model, definition: u64) -> String {
    let find = || {
        let values = &model.all.get(&definition)?.records.first()?.1;
        let formation = &model.all.get(&values.get(2)?.id()?)?.records.first()?.1;
        let product = &model.all.get(&formation.get(2)?.id()?)?.records.first()?.1;
        let name = product.get(1)?.text();
        Some(if name.is_empty() { product.first()?.text() } else { name }.to_owned())
    };
    find().unwrap_or_default()
}
