//! From the section a scene names to the numbers of the engine.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::{BundleSpec, Cable, LimitChanges, MaterialSpec, Properties, SectionBase, SectionSpec};
use crate::source::Source;
use crate::suggest;
use crate::words::{offer, quote};
use flexline::Vec3;
use flexline::section::{
    BendLimit, Limits, Material, Section, SectionError, SectionProfile, Shape, StiffnessSource, Zone,
    find_material, find_part, materials, parts,
};

/// What is wrong; never empty.
type Mistakes = Vec<Diagnostic>;

/// The section along the cable, and its outline.
#[derive(Clone, Debug)]
pub(crate) struct Along {
    pub profile: SectionProfile,
    /// The profile as zones without gaps; empty where one section goes all the way.
    pub zones: Vec<Zone>,
    /// Where each stretch ends, m, and its shape.
    pub shapes: Vec<(f64, Shape)>,
}

/// The outline of the stretch at `s`, scaled to the radius there.
pub(crate) fn shape_at(shapes: &[(f64, Shape)], s: f64, radius: f64) -> Shape {
    let stretch = shapes.partition_point(|(to, _)| *to <= s);
    let shape = shapes.get(stretch).or(shapes.last());
    let shape = shape.map_or(Shape::Disc { radius }, |(_, shape)| *shape);
    let scale = radius / shape.contact_radius();
    match shape {
        Shape::Disc { radius } => Shape::Disc { radius: radius * scale },
        Shape::Tube { outer, inner } => Shape::Tube { outer: outer * scale, inner: inner * scale },
        Shape::Ellipse { a, b } => Shape::Ellipse { a: a * scale, b: b * scale },
        Shape::Rectangle { width, height } => {
            Shape::Rectangle { width: width * scale, height: height * scale }
        }
    }
}

/// The sections of one cable, whose keys stand under `path` of the file.
pub(crate) struct Sections<'a> {
    pub source: &'a Source,
    pub bundles: &'a [BundleSpec],
    pub cable: &'a Cable,
    pub path: &'a str,
}

impl Sections<'_> {
    fn diagnostic(&self, code: Code, path: &str, message: String, help: Option<String>) -> Diagnostic {
        self.source.diagnostic(code, path, message, help)
    }

    /// The section along the cable.
    pub fn along(&self) -> Result<Along, Mistakes> {
        let cable = self.cable;
        let base = self.section(&cable.section, self.path);
        let zones: Vec<_> = (0..cable.zones.len())
            .map(|i| self.section(&cable.zones[i].section, &format!("{}.zone[{i}]", self.path)))
            .collect();
        // What a zone takes over from the cable is wrong only once.
        let own = |i: &usize| base.is_ok() || cable.zones[*i].section.base != cable.section.base;
        let judged = (0..zones.len()).filter(own).map(|i| &zones[i]).chain([&base]);
        let mistakes: Mistakes = judged.filter_map(|r| r.as_ref().err()).flatten().cloned().collect();
        let (Ok(base), true) = (base, mistakes.is_empty()) else { return Err(mistakes) };
        let (sections, outlines): (Vec<Section>, Vec<Shape>) = zones.into_iter().flatten().unzip();
        let laid = if sections.is_empty() { Vec::new() } else { self.lay_zones(base.0, &sections) };
        let profile = if laid.is_empty() {
            SectionProfile::uniform(base.0)
        } else {
            SectionProfile::new(laid.clone()).map_err(|e| {
                let path = format!("{}.zone", self.path);
                vec![self.diagnostic(Code::OutOfRange, &path, e.to_string(), None)]
            })?
        };
        let mut shapes = Vec::new();
        for (zone, outline) in cable.zones.iter().zip(outlines) {
            shapes.extend([(zone.from, base.1), (zone.to, outline)]);
        }
        shapes.push((cable.length, base.1));
        Ok(Along { profile, zones: laid, shapes })
    }

    /// Fills the gaps between the zones and blends where they taper.
    fn lay_zones(&self, base: Section, sections: &[Section]) -> Vec<Zone> {
        let (zones, length) = (&self.cable.zones, self.cable.length);
        let mut out = Vec::new();
        let mut reached = 0.0;
        for (i, (zone, own)) in zones.iter().zip(sections).enumerate() {
            if zone.from > reached {
                out.push(Zone::constant(reached, zone.from, base));
            }
            // What stands at each end of this zone: its own section where it does not taper, the neighbour's
            // where only this one tapers, the mean where both do.
            let beside = |neighbour: Option<usize>, touches: bool, at_end: bool| match neighbour {
                _ if zone.taper <= 0.0 || at_end => *own,
                Some(j) if touches && zones[j].taper > 0.0 => {
                    SectionProfile::new(vec![Zone::linear(0.0, 1.0, *own, sections[j])])
                        .map_or(*own, |p| p.at(0.5))
                }
                Some(j) if touches => sections[j],
                _ => base,
            };
            let before = i.checked_sub(1);
            let after = (i + 1 < zones.len()).then_some(i + 1);
            let touches_before = before.is_some_and(|j| zones[j].to >= zone.from);
            let touches_after = after.is_some_and(|j| zones[j].from <= zone.to);
            let first = beside(before, touches_before, zone.from <= 0.0);
            let last = beside(after, touches_after, zone.to >= length);
            let (a, b) = (zone.from + zone.taper, zone.to - zone.taper);
            if zone.taper > 0.0 {
                out.push(Zone::linear(zone.from, a, first, *own));
            }
            if b > a {
                out.push(Zone::constant(a, b, *own));
            }
            if zone.taper > 0.0 {
                out.push(Zone::linear(a.max(b), zone.to, *own, last));
            }
            reached = zone.to;
        }
        if reached < length {
            out.push(Zone::constant(reached, length, base));
        }
        out
    }

    /// The section of the cable or of a zone, whose keys stand under `path`.
    fn section(&self, spec: &SectionSpec, path: &str) -> Result<(Section, Shape), Mistakes> {
        let refuse = |key: &str, error: SectionError| {
            vec![self.diagnostic(Code::OutOfRange, &format!("{path}.{key}"), error.to_string(), None)]
        };
        let (section, shape) = match &spec.base {
            SectionBase::Part(id) => {
                find_part(id).map(|part| (part.section, part.shape)).ok_or_else(|| {
                    let ids: Vec<&str> = parts().iter().map(|p| p.id).collect();
                    self.unknown(&format!("{path}.part"), "part", id, &ids)
                })?
            }
            SectionBase::Shape(shape, material) => {
                let material = self.material(material, path)?;
                (Section::from_shape(shape, &material).map_err(|e| refuse("section", e))?, *shape)
            }
            SectionBase::Bundle(name) => {
                let own = self.bundles.iter().find(|own| own.name == *name).ok_or_else(|| {
                    let key = format!("{path}.bundle");
                    let words = self.source.words(&key).subject();
                    let message = format!("{words} = \"{}\" is not a bundle of this scene", quote(name));
                    let known = self.bundles.iter().map(|own| &*own.name);
                    vec![self.diagnostic(Code::UnknownName, &key, message, Some(offer(name, known)))]
                })?;
                let section = own.bundle.section().map_err(|e| refuse("bundle", e))?;
                (section, Shape::Disc { radius: section.contact_radius })
            }
            SectionBase::Measured(p) => {
                let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
                let [k1, k2, k3, mass, radius] =
                    [p.bend1, p.bend2, p.twist, p.mass_per_length, p.radius].map(number);
                let section =
                    Section::measured(k1, k2, k3, mass, radius).map_err(|e| refuse("measured", e))?;
                (section, Shape::Disc { radius })
            }
        };
        let section = changed(section, &spec.changes);
        let limits = self.limits(section.limits, &spec.limits, path)?;
        section.validate().map_err(|e| refuse("override", e))?;
        Ok((section.with_limits(limits).map_err(|e| refuse("limits", e))?, shape))
    }

    fn material(&self, spec: &MaterialSpec, path: &str) -> Result<Material, Mistakes> {
        let known = match &spec.name {
            Some(name) => Some(find_material(name).ok_or_else(|| {
                let names: Vec<&str> = materials().iter().map(|m| &*m.name).collect();
                self.unknown(&format!("{path}.section.material"), "material", name, &names)
            })?),
            None => None,
        };
        let number =
            |own: Option<f64>, library: fn(&Material) -> f64| own.or(known.map(library)).unwrap_or(f64::NAN);
        let name = spec.name.clone().unwrap_or_else(|| "scene".into());
        Material::new(
            name,
            number(spec.youngs_modulus, |m| m.youngs_modulus),
            number(spec.poisson, |m| m.poisson),
            number(spec.density, |m| m.density),
            "scene file",
        )
        .map_err(|e| vec![self.diagnostic(Code::OutOfRange, &format!("{path}.section"), e.to_string(), None)])
    }

    fn unknown(&self, path: &str, what: &str, name: &str, library: &[&str]) -> Mistakes {
        let words = self.source.words(path).subject();
        let message = format!("{words} = \"{}\" is not in the library of {what}s", quote(name));
        let help = match suggest::nearest(name, library.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"? `flexline materials` lists every {what}"),
            None => format!("the library has {}", library.join(", ")),
        };
        vec![self.diagnostic(Code::UnknownName, path, message, Some(help))]
    }

    /// The limits of the base with the changes of the scene.
    fn limits(&self, base: Limits, changes: &LimitChanges, path: &str) -> Result<Limits, Mistakes> {
        let known = base.bend_static.or(base.bend_dynamic).map(|l| l.reference);
        let given = changes.bend_radius_static.or(changes.bend_radius_dynamic).is_some();
        let Some(reference) = changes.bend_reference.or(known) else {
            if given {
                let path = format!("{path}.limits.bend_reference");
                let message = "`bend_reference` is missing beside a bend radius".into();
                let help = "say where the radius is measured: \"centre\" (cables, metal hoses) or \"inner\" (rubber \
                            hoses)";
                return Err(vec![self.diagnostic(Code::MissingKey, &path, message, Some(help.into()))]);
            }
            return Ok(other_limits(base, changes));
        };
        // The reference belongs to the radii given beside it; alone, it corrects those of the base.
        let bend = |own: Option<f64>, base: Option<BendLimit>| match own {
            Some(radius) => Some(BendLimit { radius, reference }),
            None if given => base,
            None => base.map(|limit| BendLimit { reference, ..limit }),
        };
        Ok(Limits {
            bend_static: bend(changes.bend_radius_static, base.bend_static),
            bend_dynamic: bend(changes.bend_radius_dynamic, base.bend_dynamic),
            ..other_limits(base, changes)
        })
    }
}

fn other_limits(base: Limits, changes: &LimitChanges) -> Limits {
    Limits {
        tension: changes.tension.or(base.tension),
        twist: changes.twist.or(base.twist),
        strain: changes.strain.or(base.strain),
        ..base
    }
}

/// The section with single properties changed. Rotary inertia follows mass and radius; stiffness given here
/// counts as measured where all of it is.
fn changed(mut section: Section, changes: &Properties) -> Section {
    let k = &mut section.stiffness;
    let given = [changes.bend1, changes.bend2, changes.twist];
    for (own, new) in k.iter_mut().zip(given) {
        *own = new.unwrap_or(*own);
    }
    if given.iter().all(Option::is_some) {
        section.source = StiffnessSource::Measured;
    }
    let mass = changes.mass_per_length.unwrap_or(section.mass_per_length);
    let radius = changes.radius.unwrap_or(section.contact_radius);
    if section.mass_per_length > 0.0 {
        section.rotary_inertia *= (radius / section.contact_radius).powi(2) * mass / section.mass_per_length;
    } else {
        section.rotary_inertia = Vec3::new(0.25, 0.25, 0.5) * (mass * radius * radius);
    }
    section.mass_per_length = mass;
    section.contact_radius = radius;
    section
}
