//! Eyes of a harness.

use super::end::direction;
use super::harness::{all, required_position};
use super::harness_cable::Lines;
use super::load::vector_or_zero;
use super::names::Names;
use crate::diagnostic::Code;
use crate::harness::{ConstraintKind, Eye, EyeHold, Node, Pulley};
use crate::model::Hold;
use crate::model::Scene;
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::{digits, quote};
use flexline::Vec3;

pub(super) const EYE: &[&str] =
    &["name", "cable", "at", "position", "on", "friction", "tangent", "radius", "axle", "turns"];
/// The radius of a pulley or a bead.
pub(super) const RADIUS: Bounds =
    Bounds::Within(1e-9, 1e6, "expected a radius greater than zero (above 1 nm, at most 1000 km)");
/// More full turns than this are not meant.
const MOST_TURNS: usize = 1000;
/// More friction than this is a clip.
const MOST_FRICTION: f64 = 10.0;

impl Lines {
    /// Reads `[[eye]]`; their names are read already.
    pub fn read_eyes(&self, tables: &[Table], names: Vec<Option<String>>, known: &Names) -> Option<Vec<Eye>> {
        let read = |(table, name): (&Table, Option<String>)| {
            let eye = self.read_eye(table, name, known)?;
            self.occupy(table, eye.cable, eye.at);
            Some(eye)
        };
        all(tables.iter().zip(names).map(read).collect())
    }

    fn read_eye(&self, table: &Table, name: Option<String>, known: &Names) -> Option<Eye> {
        let found = self.find(table);
        let at = Self::read_between(table, found.and_then(|f| f.1));
        let hold = if table.has("on") { read_body(table, known) } else { read_world(table) };
        let friction = read_friction(table);
        let tangent = if table.has("tangent") { Some(direction(table, "tangent")?) } else { None };
        let pulley = read_pulley(table);
        let (cable, friction, hold, pulley) = (found?.0, friction?, hold?, pulley?);
        if pulley.is_some() && !matches!(hold, EyeHold::World(_) | EyeHold::On(Node::Part(_), _)) {
            let message = format!("{}: a pulley needs an axle that something holds", table.words("on"));
            table.report(
                Code::Conflict,
                "on",
                message,
                "put it on a [[part]], or leave `on` out for the world",
            );
            return None;
        }
        Some(Eye { name: name?, cable, at: at?, hold, friction, tangent, pulley, rank: 0 })
    }
}

/// The coefficient of friction; none where it is not given.
pub(super) fn read_friction(table: &Table) -> Option<f64> {
    if !table.has("friction") {
        return Some(0.0);
    }
    let friction = table.quantity("friction", Dimension::Ratio, Bounds::NotNegative)?;
    if friction > MOST_FRICTION {
        let message = format!("{} = {} holds any cable", table.words("friction"), digits(friction));
        let help = "expected 0 (slides freely) to 10; what never slips is a [[clip]]";
        table.report(Code::OutOfRange, "friction", message, help);
        return None;
    }
    Some(friction)
}

fn read_world(table: &Table) -> Option<EyeHold> {
    required_position(table).map(EyeHold::World)
}

/// The wheel, where there is one: `Some(None)` is none, `None` a mistake.
fn read_pulley(table: &Table) -> Option<Option<Pulley>> {
    if !table.has("radius") && !table.has("axle") {
        let help = "leave it out, or make it a pulley: radius = \"60 mm\" and axle = [0, 1, 0]";
        table.refuse(&["turns"], "is for a pulley", help);
        return Some(None);
    }
    if !table.has("radius") {
        table
            .report_missing("radius", "a pulley has a radius to the centre of the cable: radius = \"60 mm\"");
    }
    if !table.has("axle") {
        let help = "give the axle that the cable goes round by the right hand: axle = [0, 1, 0]";
        table.report_missing("axle", help);
    }
    let help = "leave it out: the axle of a pulley says which way the cable goes";
    table.refuse(&["tangent"], "does not go with a pulley", help);
    let radius = table.quantity("radius", Dimension::Length, RADIUS);
    let axle = if table.has("axle") { direction(table, "axle") } else { None };
    let turns = if table.has("turns") { Some(table.integer("turns", 0..=MOST_TURNS, "")?) } else { None };
    Some(Some(Pulley { radius: radius?, axle: axle?, turns }))
}

/// What an eye is on: a body, or nothing but the cables that end in it.
fn read_body(table: &Table, known: &Names) -> Option<EyeHold> {
    if table.is_string("on") && table.string("on") == Some("free") {
        return required_position(table).map(EyeHold::Free);
    }
    let at = vector_or_zero(table, "position", Dimension::Length);
    let node = known.find(table, "on")?;
    if !matches!(node, Node::Part(_) | Node::Junction(_) | Node::Clip(_) | Node::Bead(_)) {
        let name = table.string("on")?;
        let message =
            format!("{} = \"{}\" is not a part, junction, clip or bead", table.words("on"), quote(name));
        let help = "name one, and say where on it: position = [0, 0, \"20 mm\"]; leave `on` out for the world; or \
                    on = \"free\" for an eye that a cable ends in";
        table.report(Code::UnknownName, "on", message, help);
        return None;
    }
    Some(EyeHold::On(node, at?))
}

/// Makes blocks of parts that are nothing but an eye, and numbers the other eyes.
pub(super) fn fasten(harness: &mut Scene) {
    let mut eyes = vec![0usize; harness.parts.len()];
    let mut wheels = vec![false; harness.parts.len()];
    let mut point: Vec<bool> = harness
        .parts
        .iter()
        .map(|p| p.hold != Hold::Clamped && p.centre == Vec3::zeros() && p.moment == Vec3::zeros())
        .collect();
    for eye in &harness.eyes {
        if let EyeHold::On(Node::Part(part), at) = eye.hold {
            eyes[part] += 1;
            wheels[part] |= eye.pulley.is_some();
            point[part] &= at == Vec3::zeros() && eye.tangent.is_none();
        }
    }
    let ends = harness.cables.iter().flat_map(|c| [Some(c.from), c.to]).flatten();
    let held = harness.constraints.iter().flat_map(|c| {
        let angular = matches!(c.kind, ConstraintKind::Parallel(_) | ConstraintKind::Aligned { .. });
        c.kind.nodes().map(move |node| (node, angular)).collect::<Vec<_>>()
    });
    for (node, angular) in ends.map(|node| (node, false)).chain(held) {
        match node {
            Node::Connector(part, _) => point[part] = false,
            Node::Part(part) if angular => point[part] = false,
            _ => {}
        }
    }
    let mut rank = 0;
    for eye in &mut harness.eyes {
        eye.rank = rank;
        match eye.hold {
            EyeHold::On(Node::Part(part), _) if point[part] && eyes[part] == 1 && !wheels[part] => {
                eye.hold = EyeHold::Block(part);
            }
            EyeHold::On(..) if eye.pulley.is_some() => {}
            _ => rank += 1,
        }
    }
    for (i, part) in harness.parts.iter_mut().enumerate() {
        part.is_point = point[i] && (eyes[i] > 1 || wheels[i]);
    }
}
