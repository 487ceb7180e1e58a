//! The tables of a harness but for its cables: ports, parts, junctions, constraints.

use super::end::read_orientation;
use super::harness_cable::{self, read_hold};
use super::load::vector_or_zero;
use super::names::{self, Names};
use super::{Head, bead, bundle, constraint, eye, harness_cable as cables, lead, obstacle};
use crate::diagnostic::Code;
use crate::harness::{Junction, Node, Part, Port};
use crate::model::{Hold, Method, Orientation, Scene};
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::digits;
use flexline::Vec3;

pub(super) const ROOT: &[&str] = &[
    "version",
    "title",
    "description",
    "units",
    "world",
    "port",
    "part",
    "junction",
    "cable",
    "clip",
    "eye",
    "bead",
    "constraint",
    "motion",
    "load",
    "pole",
    "obstacle",
    "bundle",
    "kbl",
    "solve",
];
pub(super) const PORT: &[&str] = &["name", "position", "tangent", "up", "quaternion", "axis", "angle"];
pub(super) const CONNECTOR: &[&str] = PORT;
pub(super) const PART: &[&str] = &[
    "name",
    "position",
    "tangent",
    "up",
    "quaternion",
    "axis",
    "angle",
    "mass",
    "centre",
    "inertia",
    "hold",
    "slides",
    "force",
    "moment",
    "connector",
];
pub(super) const JUNCTION: &[&str] = &["name", "position"];
/// Reads a harness.
pub(super) fn read(root: &Table, head: Head) -> Option<Scene> {
    let Head { title, description, gravity, contact, poles, obstacles, bundles, solve } = head;
    let kbl = bundle::read_origin(root);
    if let Some(Method::IntegralForces { .. }) = solve.method {
        let message = "`solve.method` = \"integral-forces\" is for one cable";
        root.report(
            Code::Conflict,
            "solve.method",
            message,
            "leave it out: a harness is solved by \"newton\"",
        );
    }
    let mut known = Names::default();
    let ports: Vec<_> = root
        .children("port", PORT)
        .iter()
        .enumerate()
        .map(|(i, table)| {
            let name = names::read(table);
            known.add(table, name.as_deref(), Node::Port(i));
            read_port(table, name, true)
        })
        .collect();
    let parts: Vec<_> = root
        .children("part", PART)
        .iter()
        .enumerate()
        .map(|(i, table)| read_part(table, i, &mut known))
        .collect();
    let junctions: Vec<_> = root
        .children("junction", JUNCTION)
        .iter()
        .enumerate()
        .map(|(i, table)| {
            let name = names::read(table);
            known.add(table, name.as_deref(), Node::Junction(i));
            let position = table.vector("position", Dimension::Length);
            if table.has("position") {
                position?;
            }
            Some(Junction { name: name?, position: position.map(Vec3::from) })
        })
        .collect();
    let clip_tables = root.children("clip", harness_cable::CLIP);
    let clip_names: Vec<_> = clip_tables.iter().map(names::read).collect();
    for (i, (table, name)) in clip_tables.iter().zip(&clip_names).enumerate() {
        known.add(table, name.as_deref(), Node::Clip(i));
    }
    let eye_tables = root.children("eye", eye::EYE);
    let eye_names: Vec<_> = eye_tables.iter().map(names::read).collect();
    for (i, (table, name)) in eye_tables.iter().zip(&eye_names).enumerate() {
        known.add(table, name.as_deref(), Node::Eye(i));
    }
    let bead_tables = root.children("bead", bead::BEAD);
    let bead_names: Vec<_> = bead_tables.iter().map(names::read).collect();
    for (i, (table, name)) in bead_tables.iter().zip(&bead_names).enumerate() {
        known.add(table, name.as_deref(), Node::Bead(i));
    }
    obstacle::unlike_others(root, obstacles.as_deref().unwrap_or(&[]), |name| known.has(name));
    obstacle::on_parts(root, obstacles.as_deref().unwrap_or(&[]), &parts);
    let lines = cables::Lines::read(root, &known);
    let clips = lines.read_clips(&clip_tables, clip_names);
    let eyes = lines.read_eyes(&eye_tables, eye_names, &known);
    let beads = lines.read_beads(&bead_tables, bead_names);
    let loads = lines.read_loads(root);
    let constraints: Vec<_> = root
        .children("constraint", constraint::CONSTRAINT)
        .iter()
        .enumerate()
        .map(|(i, table)| constraint::read(table, i, &known, beads.as_deref()))
        .collect();
    let solids = obstacles.as_deref().unwrap_or(&[]);
    let leads: Vec<_> =
        root.children("motion", lead::MOTION).iter().map(|t| lead::read(t, &known, solids)).collect();
    let lines = lines.fed(root, clips.as_deref(), eyes.as_deref(), beads.as_deref(), loads.as_deref());
    let mut scene = Scene {
        title,
        description,
        gravity,
        ends: None,
        ports: all(ports)?,
        parts: all(parts)?,
        junctions: all(junctions)?,
        cables: lines.cables()?,
        clips: clips?,
        eyes: eyes?,
        beads: beads?,
        constraints: all(constraints)?,
        leads: all(leads)?,
        loads: loads?,
        poles: poles?,
        obstacles: obstacles?,
        bundles: bundles?,
        kbl: kbl?,
        contact,
        solve,
        ..Scene::empty()
    };
    eye::fasten(&mut scene);
    Some(scene)
}

/// Every one, or none where one is wrong.
pub(super) fn all<T>(items: Vec<Option<T>>) -> Option<Vec<T>> {
    items.into_iter().collect()
}

/// The orientation, where one is given: `Some(None)` is none, `None` a mistake.
pub(super) fn optional_orientation(table: &Table) -> Option<Option<Orientation>> {
    if ["tangent", "up", "quaternion", "axis", "angle"].iter().any(|k| table.has(k)) {
        return read_orientation(table).map(Some);
    }
    Some(None)
}

fn read_port(table: &Table, name: Option<String>, needs_position: bool) -> Option<Port> {
    let position = if needs_position { required_position(table) } else { origin_or(table, "position") };
    let orientation = optional_orientation(table);
    Some(Port { name: name?, position: position?, orientation: orientation? })
}

pub(super) fn required_position(table: &Table) -> Option<Vec3> {
    if !table.has("position") {
        table.report_missing("position", "say where it is: position = [\"0 mm\", \"0 mm\", \"0 mm\"]");
    }
    table.vector("position", Dimension::Length).map(Vec3::from)
}

/// A vector of lengths, the origin where not given.
fn origin_or(table: &Table, key: &str) -> Option<Vec3> {
    vector_or_zero(table, key, Dimension::Length)
}

fn read_part(table: &Table, index: usize, known: &mut Names) -> Option<Part> {
    let name = names::read(table);
    known.add(table, name.as_deref(), Node::Part(index));
    let mut connectors: Vec<Option<Port>> = Vec::new();
    for (i, own) in table.children("connector", CONNECTOR).iter().enumerate() {
        let connector = read_port(own, names::read(own), false);
        if let Some(port) = &connector {
            if connectors.iter().flatten().any(|other| other.name == port.name) {
                let message = format!("{} is the name of another connector", own.words("name"));
                own.report(Code::Conflict, "name", message, "each connector of a part has a name of its own");
            }
            known.add_connector(name.as_deref(), &port.name, Node::Connector(index, i));
        }
        connectors.push(connector);
    }
    let hold = table
        .choice("hold", &[("free", Hold::Free), ("fixed", Hold::Clamped), ("position", Hold::Pinned)])
        .unwrap_or(Hold::Free);
    if hold == Hold::Free {
        let help = "leave it out, or hold the part: \"fixed\" or \"position\"";
        table.refuse(&["slides"], "means nothing for a free part", help);
    }
    if hold != Hold::Clamped && !table.has("mass") {
        table.report_missing("mass", "a part that can move needs a mass: mass = \"0.4 kg\"");
    }
    let slides = table.choices("slides", &["x", "y", "z"]);
    let mut loose = [false; 3];
    for axis in slides.iter().flatten() {
        loose[*axis] = true;
    }
    if hold != Hold::Free && loose == [false; 3] {
        let help = "leave it out, free the part, or let it slide along some axes: slides = [\"x\"]";
        table.refuse(&["force"], "goes straight into what holds the part", help);
    }
    if hold == Hold::Clamped {
        let help = "leave it out, or hold the part by its \"position\" only";
        table.refuse(&["moment"], "goes straight into what holds the part", help);
    }
    let position = required_position(table);
    let orientation = optional_orientation(table);
    let mass = table.quantity("mass", Dimension::Mass, Bounds::Positive);
    let centre = origin_or(table, "centre");
    let inertia = read_inertia(table);
    let force = vector_or_zero(table, "force", Dimension::Force);
    let moment = vector_or_zero(table, "moment", Dimension::Moment);
    if table.has("mass") {
        mass?;
    }
    Some(Part {
        name: name?,
        position: position?,
        orientation: orientation?,
        mass: mass.unwrap_or(0.0),
        centre: centre?,
        inertia: inertia?,
        hold,
        slides: loose,
        force: force?,
        moment: moment?,
        connectors: all(connectors)?,
        is_point: false,
    })
}

/// Moments of inertia about the centre of mass, along the own axes; none where they are not given. No body has one
/// that is larger than the sum of the other two.
pub(super) fn read_inertia(table: &Table) -> Option<Vec3> {
    if !table.has("inertia") {
        return Some(Vec3::zeros());
    }
    let inertia = Vec3::from(table.vector("inertia", Dimension::Inertia)?);
    let words = table.words("inertia");
    let shown = format!("[{}, {}, {}] kg m^2", digits(inertia.x), digits(inertia.y), digits(inertia.z));
    if inertia.min() <= 0.0 {
        let message = format!("{words} = {shown} is out of range");
        table.report(Code::OutOfRange, "inertia", message, "expected three moments greater than zero");
        return None;
    }
    if 2.0 * inertia.max() > inertia.sum() * (1.0 + 1e-9) {
        let message =
            format!("{words} = {shown} belongs to no body: one is larger than the other two together");
        let help = "expected moments about the centre of mass, each at most the sum of the other two";
        table.report(Code::OutOfRange, "inertia", message, help);
        return None;
    }
    Some(inertia)
}

/// A hold with its position, sliding axes and orientation, as clips have it.
pub(super) struct Held {
    pub hold: Hold,
    pub position: Vec3,
    pub slides: [bool; 3],
    pub orientation: Option<Orientation>,
}

/// Reads how a clip holds.
pub(super) fn read_held(table: &Table) -> Option<Held> {
    let hold = read_hold(table)?;
    if hold == Hold::Free {
        let help = "leave it out, or hold the cable: \"clamped\" or \"pinned\"";
        table.refuse(&["position", "slides"], "means nothing for a free clip", help);
    }
    if hold != Hold::Clamped {
        let help = "leave it out, or hold the direction as well: hold = \"clamped\"";
        table.refuse(&["tangent", "up", "quaternion", "axis", "angle"], "needs a clamped clip", help);
    }
    let position = if hold == Hold::Free { Some(Vec3::zeros()) } else { required_position(table) };
    let slides = table.choices("slides", &["x", "y", "z"]);
    let orientation = if hold == Hold::Clamped { read_orientation(table) } else { None };
    let mut loose = [false; 3];
    for axis in slides.iter().flatten() {
        loose[*axis] = true;
    }
    if hold == Hold::Clamped {
        orientation?;
    }
    Some(Held { hold, position: position?, slides: loose, orientation })
}
