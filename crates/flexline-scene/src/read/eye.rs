//! Eyes of a harness.

use super::harness::{all, required_position};
use super::harness_cable::Lines;
use super::load::vector_or_zero;
use super::names::Names;
use crate::diagnostic::{Code, digits, quote};
use crate::harness::{Eye, EyeHold, Grasp, Harness, Node};
use crate::model::Hold;
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use flexline::Vec3;

pub(super) const EYE: &[&str] = &["name", "cable", "at", "position", "on", "friction"];
/// More friction than this is a clip.
const MOST_FRICTION: f64 = 10.0;

impl Lines {
    /// Reads `[[eye]]`; their names are read already.
    pub fn read_eyes(&self, tables: &[Table], names: Vec<Option<String>>, known: &Names) -> Option<Vec<Eye>> {
        let read = |(i, (table, name)): (usize, (&Table, Option<String>))| {
            let eye = self.read_eye(table, name, known)?;
            self.occupy(table, eye.cable, eye.at, format!("eye {}", i + 1));
            Some(eye)
        };
        all(tables.iter().zip(names).enumerate().map(read).collect())
    }

    fn read_eye(&self, table: &Table, name: Option<String>, known: &Names) -> Option<Eye> {
        let found = self.find(table);
        let at = Self::read_between(table, found.and_then(|f| f.1));
        let hold = if table.has("on") { read_part(table, known) } else { read_world(table) };
        let friction = read_friction(table);
        let (cable, friction) = (found?.0, friction?);
        Some(Eye { name: name?, cable, at: at?, hold: hold?, friction, rank: 0 })
    }
}

/// The coefficient of friction; none where it is not given.
fn read_friction(table: &Table) -> Option<f64> {
    if !table.has("friction") {
        return Some(0.0);
    }
    let friction = table.quantity("friction", Dimension::Ratio, Bounds::NotNegative)?;
    if friction > MOST_FRICTION {
        let message = format!("`{}` = {} holds any cable", table.path_of("friction"), digits(friction));
        let help = "expected 0 (slides freely) to 10; what never slips is a [[clip]]";
        table.report(Code::OutOfRange, "friction", message, help);
        return None;
    }
    Some(friction)
}

fn read_world(table: &Table) -> Option<EyeHold> {
    required_position(table).map(EyeHold::World)
}

fn read_part(table: &Table, known: &Names) -> Option<EyeHold> {
    let at = vector_or_zero(table, "position", Dimension::Length);
    let Node::Part(part) = known.find(table, "on")? else {
        let name = table.string("on")?;
        let message = format!("`{}` = \"{}\" is not a part", table.path_of("on"), quote(name));
        let help = "name a [[part]], and say where on it: position = [0, 0, \"20 mm\"]; or leave `on` out";
        table.report(Code::UnknownName, "on", message, help);
        return None;
    };
    Some(EyeHold::Part(part, at?))
}

/// Makes blocks of parts that are nothing but an eye, and numbers the other eyes.
pub(super) fn fasten(harness: &mut Harness) {
    let mut eyes = vec![0usize; harness.parts.len()];
    let mut point: Vec<bool> = harness
        .parts
        .iter()
        .map(|p| p.hold != Hold::Clamped && p.centre == Vec3::zeros() && p.moment == Vec3::zeros())
        .collect();
    for eye in &harness.eyes {
        if let EyeHold::Part(part, at) = eye.hold {
            eyes[part] += 1;
            point[part] &= at == Vec3::zeros();
        }
    }
    let ends = harness.cables.iter().flat_map(|c| [Some(c.from), c.to]).flatten();
    let grasps = harness.constraints.iter().flat_map(|c| c.kind.points());
    let held = grasps.filter_map(|g| if let Grasp::On(node) = g { Some(node) } else { None });
    for node in ends.chain(held) {
        if let Node::Connector(part, _) = node {
            point[part] = false;
        }
    }
    let mut rank = 0;
    for eye in &mut harness.eyes {
        eye.rank = rank;
        match eye.hold {
            EyeHold::Part(part, _) if point[part] && eyes[part] == 1 => eye.hold = EyeHold::Block(part),
            _ => rank += 1,
        }
    }
    for (i, part) in harness.parts.iter_mut().enumerate() {
        part.is_point = point[i] && eyes[i] > 1;
    }
}
