//! From XML to a [`Kbl`].

use super::units::{Measure, Unit, unit};
use super::{
    Component, Connection, Core, Curve, FixingPlace, Kbl, KblError, Module, NAMESPACE, Node,
    ProtectedStretch, Protection, Segment, Wire,
};
use flexline::Vec3;
use roxmltree::{Document, Error, Node as Element, ParsingOptions};
use std::collections::{BTreeMap, HashMap};

/// No document has more nodes than this.
const MOST: u32 = 20_000_000;
/// No degree of a curve is larger than this.
const HIGHEST: usize = 25;
/// What the file writes where there is nothing.
const NOTHING: &str = "/NULL";

/// Parses a document; a DTD is refused, whatever it says.
pub(super) fn parse(text: &str) -> Result<Document<'_>, KblError> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| match error {
        Error::DtdDetected => KblError {
            line: None,
            message: "the file has a DTD (<!DOCTYPE …>): expected none in harness data; take it out".into(),
        },
        Error::NodesLimitReached => {
            KblError { line: None, message: format!("more than {MOST} elements: choose a smaller harness") }
        }
        other => KblError { line: Some(other.pos().row), message: format!("this is not XML: {other}") },
    })
}

/// The document with its elements by id.
struct Source<'a, 'i> {
    doc: &'a Document<'i>,
    by_id: HashMap<&'a str, Element<'a, 'i>>,
    units: HashMap<&'a str, Unit>,
}

type El<'a, 'i> = Element<'a, 'i>;

fn child<'a, 'i>(of: El<'a, 'i>, name: &str) -> Option<El<'a, 'i>> {
    of.children().find(|own| own.has_tag_name(name))
}

fn children<'a, 'i>(of: El<'a, 'i>, name: &'static str) -> impl Iterator<Item = El<'a, 'i>> {
    of.children().filter(move |own| own.has_tag_name(name))
}

/// The text of a child; empty where there is none.
fn text<'a>(of: El<'a, '_>, name: &str) -> &'a str {
    let own = child(of, name).and_then(|own| own.text()).unwrap_or_default().trim();
    if own == NOTHING { "" } else { own }
}

fn list<'a>(of: El<'a, '_>, name: &str) -> Vec<&'a str> {
    text(of, name).split_ascii_whitespace().collect()
}

fn id<'a>(of: El<'a, '_>) -> &'a str {
    of.attribute("id").unwrap_or_default()
}

impl<'a, 'i> Source<'a, 'i> {
    fn wrong(&self, at: El<'_, '_>, message: impl Into<String>) -> KblError {
        KblError { line: Some(self.doc.text_pos_at(at.range().start).row), message: message.into() }
    }

    /// Elements of a name anywhere in the file.
    fn all(&self, name: &'static str) -> impl Iterator<Item = El<'a, 'i>> {
        self.doc.descendants().filter(move |own| own.has_tag_name(name))
    }

    /// What an element refers to in a child of its own.
    fn refer(&self, of: El<'a, 'i>, name: &str, to: &str) -> Result<El<'a, 'i>, KblError> {
        let wanted = text(of, name);
        let kind = of.tag_name().name();
        if wanted.is_empty() {
            return Err(
                self.wrong(of, format!("{kind} '{}' has no {name}: expected the id of a {to}", id(of)))
            );
        }
        self.by_id.get(wanted).copied().filter(|own| own.has_tag_name(to)).ok_or_else(|| {
            let what = match self.by_id.get(wanted) {
                Some(other) => format!("a {}", other.tag_name().name()),
                None => "not in the file".into(),
            };
            let message = format!(
                "{name} of {kind} '{}' is '{wanted}', which is {what}: expected a {to}; mend the reference",
                id(of)
            );
            self.wrong(of, message)
        })
    }

    /// A number of a child, finite.
    fn number(&self, of: El<'a, 'i>, name: &str) -> Result<Option<f64>, KblError> {
        child(of, name).map(|own| self.finite(own)).transpose()
    }

    fn finite(&self, own: El<'a, 'i>) -> Result<f64, KblError> {
        let text = own.text().unwrap_or_default().trim();
        text.parse::<f64>().ok().filter(|value| value.is_finite() && value.abs() < 1e15).ok_or_else(|| {
            let name = own.tag_name().name();
            self.wrong(
                own,
                format!("{name} is '{}': expected a number", text.chars().take(40).collect::<String>()),
            )
        })
    }

    /// A `Numerical_value` in SI; `Err` in the inner result where its unit is not known or measures something else.
    fn value(
        &self,
        of: El<'a, 'i>,
        name: &str,
        measure: Measure,
    ) -> Result<Option<Result<f64, String>>, KblError> {
        let Some(own) = child(of, name) else { return Ok(None) };
        let Some(value) = self.number(own, "Value_component")? else { return Ok(None) };
        let unit = self.refer(own, "Unit_component", "Unit")?;
        Ok(Some(match &self.units[id(unit)] {
            Ok((own, factor)) if *own == measure => Ok(value * factor),
            Ok((own, _)) => {
                Err(format!("the unit '{}' is of {}, not of {}", id(unit), own.words(), measure.words()))
            }
            Err(words) => Err(format!("the unit '{}' ({words}) is not known", id(unit))),
        }))
    }

    /// The same; an unknown unit is an error.
    fn length(&self, of: El<'a, 'i>, name: &str) -> Result<Option<f64>, KblError> {
        let remedy = "expected metre with a prefix, or a Unit_name such as mm; mend the Unit";
        match self.value(of, name, Measure::Length)? {
            Some(Err(message)) => Err(self
                .wrong(of, format!("{name} of {} '{}': {message}: {remedy}", of.tag_name().name(), id(of)))),
            Some(Ok(value)) => Ok(Some(value)),
            None => Ok(None),
        }
    }

    /// The same; what has an unknown unit is left out and noted.
    fn maybe(
        &self,
        kbl: &mut Kbl,
        of: El<'a, 'i>,
        name: &str,
        measure: Measure,
    ) -> Result<Option<f64>, KblError> {
        Ok(match self.value(of, name, measure)? {
            Some(Ok(value)) if value > 0.0 => Some(value),
            Some(Ok(_)) | None => None,
            Some(Err(message)) => {
                kbl.leave_out(name, message, id(of));
                None
            }
        })
    }

    fn point(&self, at: El<'a, 'i>, scale: f64) -> Result<Vec3, KblError> {
        let mut found = Vec3::zeros();
        let mut count = 0;
        for own in children(at, "Coordinates") {
            if count < 3 {
                found[count] = scale * self.finite(own)?;
            }
            count += 1;
        }
        // Two coordinates are those of a drawing in the plane.
        match count {
            2 | 3 => Ok(found),
            _ => {
                Err(self
                    .wrong(at, format!("Cartesian_point '{}' has {count} coordinates: expected 3", id(at))))
            }
        }
    }

    fn vector(&self, of: El<'a, 'i>, name: &'static str) -> Result<Option<Vec3>, KblError> {
        let all: Vec<f64> = children(of, name).map(|own| self.finite(own)).collect::<Result<_, _>>()?;
        Ok(<[f64; 3]>::try_from(all).ok().and_then(|v| Vec3::from(v).try_normalize(1e-9)))
    }
}

/// Reads the text of a file.
pub(super) fn read(text_of_file: &str) -> Result<Kbl, KblError> {
    let doc = parse(text_of_file)?;
    let root = doc.root_element();
    is_kbl(root)?;
    let mut by_id = HashMap::new();
    for own in doc.descendants().filter(|own| own.is_element()) {
        if let Some(id) = own.attribute("id")
            && by_id.insert(id, own).is_some()
        {
            let line = doc.text_pos_at(own.range().start).row;
            let message = format!("the id '{id}' is there twice: expected ids that are unique in the file");
            return Err(KblError { line: Some(line), message });
        }
    }
    let units =
        doc.descendants().filter(|own| own.has_tag_name("Unit")).map(|own| (id(own), unit(own))).collect();
    let source = Source { doc: &doc, by_id, units };
    let mut kbl = Kbl { version: root.attribute("version_id").unwrap_or_default().into(), ..Kbl::default() };
    if let Some(harness) = source.all("Harness").next() {
        let words = [text(harness, "Part_number"), text(harness, "Description")];
        kbl.title = words.into_iter().filter(|own| !own.is_empty()).collect::<Vec<_>>().join(" ");
    }
    kbl.point_unit = point_unit(&source)?;
    read_network(&source, &mut kbl)?;
    read_wires(&source, &mut kbl)?;
    read_components(&source, &mut kbl)?;
    read_connections(&source, &mut kbl)?;
    read_modules(&source, &mut kbl);
    tell_rest(&source, &mut kbl);
    Ok(kbl)
}

/// Refuses what is not KBL, and says what it is.
fn is_kbl(root: El<'_, '_>) -> Result<(), KblError> {
    let (name, space) = (root.tag_name().name(), root.tag_name().namespace().unwrap_or_default());
    let refuse = |message: String| Err(KblError { line: Some(1), message });
    if name.eq_ignore_ascii_case("VecContent") || space.contains("/vec") {
        let version =
            root.descendants().find(|own| own.tag_name().name() == "VecVersion").and_then(|own| own.text());
        let version = version.map_or(String::new(), |own| format!(" {}", own.trim()));
        return refuse(format!(
            "this is VEC{version}: expected KBL; have the harness exported as KBL 2.4 or 2.5"
        ));
    }
    if name != "KBL_container" {
        return refuse(format!("the root is <{name}>: expected <KBL_container> of KBL"));
    }
    if space != NAMESPACE {
        let space = if space.is_empty() { "none" } else { space };
        return refuse(format!("the namespace is {space}: expected {NAMESPACE}, which KBL 2.3 to 2.5 have"));
    }
    Ok(())
}

/// What one unit of a point is, m: that of the lengths of segments, or a millimetre.
fn point_unit(source: &Source<'_, '_>) -> Result<f64, KblError> {
    for segment in source.all("Segment") {
        for name in ["Virtual_length", "Physical_length"] {
            let Some(own) = child(segment, name) else { continue };
            if let Ok((Measure::Length, factor)) =
                &source.units[id(source.refer(own, "Unit_component", "Unit")?)]
            {
                return Ok(*factor);
            }
        }
    }
    Ok(1e-3)
}

fn read_network(source: &Source<'_, '_>, kbl: &mut Kbl) -> Result<(), KblError> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    for own in source.all("Node") {
        let point = source.refer(own, "Cartesian_point", "Cartesian_point")?;
        index.insert(id(own), kbl.nodes.len());
        kbl.nodes.push(Node {
            id: id(own).into(),
            name: text(own, "Id").into(),
            point: id(point).into(),
            at: source.point(point, kbl.point_unit)?,
            components: list(own, "Referenced_components").into_iter().map(Into::into).collect(),
        });
    }
    for own in source.all("Segment") {
        let node = |name: &str| source.refer(own, name, "Node").map(|node| index[id(node)]);
        let nodes = [node("Start_node")?, node("End_node")?];
        let mut curves = Vec::new();
        for curve in children(own, "Center_curve") {
            curves.push(read_curve(source, curve, kbl.point_unit)?);
        }
        let virtual_length = source.length(own, "Virtual_length")?;
        for (name, length) in [("Virtual_length", virtual_length)] {
            if length.is_some_and(|length| length <= 0.0) {
                let message = format!(
                    "{name} of Segment '{}' is not above zero: expected a length; mend or remove it",
                    id(own)
                );
                return Err(source.wrong(own, message));
            }
        }
        if nodes[0] == nodes[1] && curves.is_empty() {
            let message = format!(
                "Segment '{}' begins and ends in node '{}' and has no curve: expected two nodes",
                id(own),
                kbl.nodes[nodes[0]].id
            );
            return Err(source.wrong(own, message));
        }
        let mut area = None;
        for info in children(own, "Cross_section_area_information") {
            area = area.or(source.maybe(kbl, info, "Area", Measure::Area)?);
        }
        let mut segment = Segment {
            id: id(own).into(),
            name: text(own, "Id").into(),
            nodes,
            virtual_length,
            physical_length: source.maybe(kbl, own, "Physical_length", Measure::Length)?,
            vectors: [source.vector(own, "Start_vector")?, source.vector(own, "End_vector")?],
            curves,
            area,
            fixings: Vec::new(),
            protections: Vec::new(),
        };
        for at in children(own, "Fixing_assignment") {
            let location = source.number(at, "Location")?.unwrap_or(0.0);
            let fixing = text(at, "Fixing").to_owned();
            if !source.by_id.contains_key(fixing.as_str()) {
                let message = format!(
                    "Fixing of '{}' is '{fixing}', which is not in the file: expected a fixing; mend the reference",
                    id(at)
                );
                return Err(source.wrong(at, message));
            }
            segment.fixings.push(FixingPlace {
                id: id(at).into(),
                location: location.clamp(0.0, 1.0),
                fixing,
            });
        }
        for at in children(own, "Protection_area") {
            let [a, b] = [source.number(at, "Start_location")?, source.number(at, "End_location")?]
                .map(|own| own.unwrap_or(0.0).clamp(0.0, 1.0));
            let protection = source.refer(at, "Associated_protection", "Wire_protection_occurrence")?;
            segment.protections.push(ProtectedStretch {
                from: a.min(b),
                to: a.max(b),
                protection: id(protection).into(),
            });
        }
        kbl.segments.push(segment);
    }
    Ok(())
}

fn read_curve<'a, 'i>(source: &Source<'a, 'i>, own: El<'a, 'i>, scale: f64) -> Result<Curve, KblError> {
    let degree =
        text(own, "Degree").parse::<usize>().ok().filter(|d| (1..=HIGHEST).contains(d)).ok_or_else(|| {
            source.wrong(
                own,
                format!("Degree of '{}' is '{}': expected 1 to {HIGHEST}", id(own), text(own, "Degree")),
            )
        })?;
    let mut points = Vec::new();
    let point_ids = list(own, "Control_points");
    for name in &point_ids {
        let point = source.by_id.get(name).filter(|own| own.has_tag_name("Cartesian_point")).ok_or_else(|| {
            let message =
                format!("Control_points of '{}' has '{name}', which is no Cartesian_point of the file; mend the reference", id(own));
            source.wrong(own, message)
        })?;
        points.push(source.point(*point, scale)?);
    }
    if points.len() <= degree {
        let message = format!(
            "Center_curve '{}' of degree {degree} has {} points: expected at least {}; mend or remove the curve",
            id(own),
            points.len(),
            degree + 1
        );
        return Err(source.wrong(own, message));
    }
    Ok(Curve {
        id: id(own).into(),
        degree,
        point_ids: point_ids.into_iter().map(Into::into).collect(),
        points,
    })
}

/// Colours of a wire or core, base first.
fn colours(of: El<'_, '_>, name: &'static str) -> String {
    children(of, name)
        .map(|own| text(own, "Colour_value"))
        .filter(|own| !own.is_empty())
        .collect::<Vec<_>>()
        .join("/")
}

fn read_lengths<'a, 'i>(
    source: &Source<'a, 'i>,
    kbl: &mut Kbl,
    of: El<'a, 'i>,
) -> Result<Vec<(String, f64)>, KblError> {
    let mut lengths = Vec::new();
    for own in of.children().filter(|own| own.has_tag_name("Length_information")) {
        if let Some(value) = source.maybe(kbl, own, "Length_value", Measure::Length)? {
            lengths.push((text(own, "Length_type").into(), value));
        }
    }
    Ok(lengths)
}

fn read_wires(source: &Source<'_, '_>, kbl: &mut Kbl) -> Result<(), KblError> {
    for own in source.all("General_wire_occurrence") {
        let part = source.refer(own, "Part", "General_wire")?;
        let mut wire = Wire { id: id(own).into(), part: text(part, "Part_number").into(), ..Wire::default() };
        wire.number = match text(own, "Wire_number") {
            "" => text(own, "Special_wire_id").into(),
            number => number.into(),
        };
        wire.area = source.maybe(kbl, part, "Cross_section_area", Measure::Area)?;
        wire.diameter = source.maybe(kbl, part, "Outside_diameter", Measure::Length)?;
        wire.mass = source.maybe(kbl, part, "Mass_information", Measure::MassPerLength)?;
        wire.bend_radius = source.maybe(kbl, part, "Bend_radius", Measure::Length)?;
        wire.colour = colours(part, "Cover_colour");
        wire.lengths = read_lengths(source, kbl, own)?;
        for core in children(own, "Core_occurrence") {
            let kind = source.refer(core, "Part", "Core")?;
            wire.cores.push(Core {
                id: id(core).into(),
                number: text(core, "Wire_number").into(),
                area: source.maybe(kbl, kind, "Cross_section_area", Measure::Area)?,
                colour: colours(kind, "Core_colour"),
                lengths: read_lengths(source, kbl, core)?,
            });
        }
        if wire.area.is_none() && !wire.cores.is_empty() {
            wire.area = wire.cores.iter().map(|core| core.area).sum();
        }
        kbl.wires.push(wire);
    }
    Ok(())
}

fn read_components(source: &Source<'_, '_>, kbl: &mut Kbl) -> Result<(), KblError> {
    for own in source.doc.descendants().filter(|own| own.tag_name().name().ends_with("_occurrence")) {
        let kind = own.tag_name().name();
        let part = source.by_id.get(text(own, "Part")).copied();
        let said = |name: &str| part.map_or("", |part| text(part, name));
        match kind {
            "Wire_protection_occurrence" => {
                let part = source.refer(own, "Part", "Wire_protection")?;
                let mass =
                    source.value(part, "Mass_information", Measure::MassPerLength)?.and_then(Result::ok);
                let protection = Protection {
                    name: text(own, "Id").into(),
                    part: said("Part_number").into(),
                    kind: [said("Protection_type"), said("Description")].join(" ").trim().into(),
                    mass: mass.filter(|mass| *mass > 0.0),
                };
                kbl.protections.insert(id(own).into(), protection);
            }
            "General_wire_occurrence"
            | "Core_occurrence"
            | "Cavity_plug_occurrence"
            | "Cavity_seal_occurrence" => {}
            _ => {
                let cavities = children(own, "Slots").flat_map(|slot| children(slot, "Cavities"));
                let pin = |cavity: El<'_, '_>| {
                    source
                        .by_id
                        .get(text(cavity, "Part"))
                        .map_or("", |part| text(*part, "Cavity_number"))
                        .to_owned()
                };
                let component = Component {
                    kind: kind.into(),
                    name: text(own, "Id").into(),
                    description: [text(own, "Description"), said("Description")]
                        .into_iter()
                        .find(|t| !t.is_empty())
                        .unwrap_or_default()
                        .into(),
                    part: said("Part_number").into(),
                    usage: text(own, "Usage").into(),
                    pins: cavities.map(pin).collect(),
                };
                kbl.components.insert(id(own).into(), component);
            }
        }
    }
    Ok(())
}

fn read_connections(source: &Source<'_, '_>, kbl: &mut Kbl) -> Result<(), KblError> {
    let segments: HashMap<String, usize> =
        kbl.segments.iter().enumerate().map(|(i, own)| (own.id.clone(), i)).collect();
    let mut wires: HashMap<String, (usize, Option<usize>)> = HashMap::new();
    for (i, wire) in kbl.wires.iter().enumerate() {
        wires.insert(wire.id.clone(), (i, None));
        wires.extend(wire.cores.iter().enumerate().map(|(k, core)| (core.id.clone(), (i, Some(k)))));
    }
    // Contact points by id: the connector and the pin.
    let mut contacts: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for own in source.all("Contact_points") {
        let connector = own.parent_element().map_or("", |owner| text(owner, "Id"));
        let cavity =
            list(own, "Contacted_cavity").first().and_then(|cavity| source.by_id.get(cavity)).copied();
        let part = cavity.and_then(|cavity| source.by_id.get(text(cavity, "Part"))).copied();
        let pin = part.map_or("", |part| text(part, "Cavity_number"));
        contacts.insert(id(own), (connector.into(), pin.into()));
    }
    let mut routes: HashMap<&str, Vec<usize>> = HashMap::new();
    for own in source.all("Routing") {
        let connection = source.refer(own, "Routed_wire", "Connection")?;
        let mut way = Vec::new();
        for name in list(own, "Segments") {
            way.push(*segments.get(name).ok_or_else(|| {
                let message = format!("Segments of Routing '{}' has '{name}', which is no Segment of the file; mend the reference", id(own));
                source.wrong(own, message)
            })?);
        }
        if routes.insert(id(connection), way).is_some() {
            kbl.leave_out("Routing", "its connection is routed already; the last one counts", id(own));
        }
    }
    for own in source.all("Connection") {
        let wanted = text(own, "Wire");
        let Some((wire, core)) = wires.get(wanted).copied() else {
            let message = format!(
                "Wire of Connection '{}' is '{wanted}', which is no wire or core of the file: expected one; mend the reference",
                id(own)
            );
            return Err(source.wrong(own, message));
        };
        let ends = children(own, "Extremities")
            .map(|end| contacts.get(text(end, "Contact_point")).cloned().unwrap_or_default());
        let name = [text(own, "Id"), text(own, "Signal_name")].into_iter().find(|own| !own.is_empty());
        kbl.connections.push(Connection {
            id: id(own).into(),
            name: name.unwrap_or_default().into(),
            signal: text(own, "Signal_name").into(),
            wire,
            core,
            ends: ends.collect(),
            segments: routes.remove(id(own)),
        });
    }
    Ok(())
}

fn read_modules(source: &Source<'_, '_>, kbl: &mut Kbl) {
    for own in source.all("Module") {
        let configuration = child(own, "Module_configuration");
        let said = |name: &str| configuration.map_or("", |own| text(own, name));
        kbl.modules.push(Module {
            id: id(own).into(),
            part: text(own, "Part_number").into(),
            names: [
                text(own, "Abbreviation"),
                text(own, "Description"),
                said("Logistic_control_information"),
            ]
            .map(Into::into),
            controlled: said("Controlled_components").split_ascii_whitespace().map(Into::into).collect(),
        });
    }
}

/// Notes what the file has that is not used.
fn tell_rest(source: &Source<'_, '_>, kbl: &mut Kbl) {
    const UNUSED: [(&str, &str); 8] = [
        ("Dimension_specification", "dimensions are not used"),
        ("Default_dimension_specification", "dimensions are not used"),
        ("Cavity_plug_occurrence", "plugs have no place of their own"),
        ("Cavity_seal_occurrence", "seals have no place of their own"),
        ("Accessory_occurrence", "accessories are not placed"),
        ("Assembly_part_occurrence", "assemblies are not resolved"),
        ("External_reference", "other files are not followed"),
        ("Processing_information", "instructions are kept in the file, not in the scene"),
    ];
    for (name, why) in UNUSED {
        for own in source.all(name) {
            kbl.leave_out(name, why, id(own));
        }
    }
}
