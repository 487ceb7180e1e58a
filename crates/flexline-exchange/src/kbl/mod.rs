//! KBL, the harness data of VDA 4964 (2.3 to 2.5, one namespace): read, made a scene of, and written back.
//!
//! A file is read into a [`Kbl`]: nodes, segments with their centre curves, wires and where they are routed, fixings, protections,
//! connectors, modules. A [`Plan`] is what of it goes into a scene, under which names, and what the bundles are made of; the same plan leads
//! from a solved scene back to the elements of the file ([`write`]). Documents with a DTD are refused, whatever it says.
//!
//! Lengths are in metres, as everywhere; points of the file are in the unit of its lengths, since they have none of their own.

mod course;
mod cutlist;
mod fit;
mod plan;
mod read;
mod report;
mod scene;
mod text;
mod units;
mod wireviz;
mod write;

pub use course::{Course, Dialect, MISSES};
pub use cutlist::{Cut, CutList, Placed};
pub use fit::Line;
pub use plan::{Hold, Plan, PlannedCable, PlannedClip, PlannedNode, Stretch, Turn};
pub use report::Report;
pub use scene::Rest;
pub use text::Text;
pub use wireviz::wireviz;
pub use write::{Change, Reserve, Wishes, WrittenBack, spread, write_back};

use flexline::Vec3;
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
mod tests;

/// The namespace of all versions.
pub const NAMESPACE: &str = "http://www.prostep.org/Car_electric_container/KBL2.3/KBLSchema";

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct KblError {
    /// The line, from 1.
    pub line: Option<u32>,
    /// What is wrong, what was expected, what to do.
    pub message: String,
}

/// Whether a file is harness data by its beginning: XML with the root of KBL, or of VEC, which is refused by name.
pub fn is_harness_data(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with('<') && ["KBL_container", "VecContent"].iter().any(|root| head.contains(root))
}

/// A harness as the file has it.
#[derive(Clone, Debug, Default)]
pub struct Kbl {
    /// What the file says about its version.
    pub version: String,
    /// Number and description of the harness.
    pub title: String,
    /// What one unit of its points is, m.
    pub point_unit: f64,
    /// Nodes of the network.
    pub nodes: Vec<Node>,
    /// Segments between them.
    pub segments: Vec<Segment>,
    /// Wires and multicore cables.
    pub wires: Vec<Wire>,
    /// What is connected by which wire, and through which segments it goes.
    pub connections: Vec<Connection>,
    /// What nodes and fixing assignments refer to.
    pub components: BTreeMap<String, Component>,
    /// Tape, tubes and the like, as they occur.
    pub protections: BTreeMap<String, Protection>,
    /// Modules.
    pub modules: Vec<Module>,
    /// What was left out, with why.
    pub left_out: Vec<LeftOut>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its id in the file.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The id of its point.
    pub point: String,
    /// Where it is, m.
    pub at: Vec3,
    /// The ids of what it refers to.
    pub components: Vec<String>,
}

/// A B-spline without knots.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its id.
    pub id: String,
    /// Its degree.
    pub degree: usize,
    /// The ids of its points.
    pub point_ids: Vec<String>,
    /// Its points, m.
    pub points: Vec<Vec3>,
}

/// A segment.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The nodes that it begins and ends in.
    pub nodes: [usize; 2],
    /// Length in the mock-up, m.
    pub virtual_length: Option<f64>,
    /// Length as made, m.
    pub physical_length: Option<f64>,
    /// Directions at its ends, as the file has them.
    pub vectors: [Option<Vec3>; 2],
    /// Its centre curves, one behind the other.
    pub curves: Vec<Curve>,
    /// Area of its cross-section, m².
    pub area: Option<f64>,
    /// Where fixings are.
    pub fixings: Vec<FixingPlace>,
    /// Where protections are.
    pub protections: Vec<ProtectedStretch>,
}

/// A fixing on a segment.
#[derive(Clone, Debug)]
pub struct FixingPlace {
    /// The id of the assignment.
    pub id: String,
    /// Where, as a share of the segment.
    pub location: f64,
    /// The id of the fixing.
    pub fixing: String,
}

/// A stretch of a segment with a protection.
#[derive(Clone, Debug)]
pub struct ProtectedStretch {
    /// Where it begins, as a share of the segment.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The id of the protection.
    pub protection: String,
}

/// A wire or multicore cable as it occurs, with what its part says.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// Its id.
    pub id: String,
    /// Its number.
    pub number: String,
    /// The number of its part.
    pub part: String,
    /// Area of copper, m².
    pub area: Option<f64>,
    /// Outer diameter, m.
    pub diameter: Option<f64>,
    /// Mass per length, kg/m.
    pub mass: Option<f64>,
    /// Smallest bend radius, m.
    pub bend_radius: Option<f64>,
    /// Colours.
    pub colour: String,
    /// Lengths by their kind, m.
    pub lengths: Vec<(String, f64)>,
    /// Cores by their id.
    pub cores: Vec<Core>,
}

/// A core of a multicore cable.
#[derive(Clone, Debug, Default)]
pub struct Core {
    /// Its id.
    pub id: String,
    /// Its number.
    pub number: String,
    /// Area of copper, m².
    pub area: Option<f64>,
    /// Colours.
    pub colour: String,
    /// Lengths by their kind, m, where it has some of its own.
    pub lengths: Vec<(String, f64)>,
}

/// A wire or core between two contacts.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The signal it carries.
    pub signal: String,
    /// The wire.
    pub wire: usize,
    /// The core of that wire.
    pub core: Option<usize>,
    /// Connector and pin at either end.
    pub ends: Vec<(String, String)>,
    /// The segments it goes through, in order; `None` where it is not routed.
    pub segments: Option<Vec<usize>>,
}

/// What nodes refer to.
#[derive(Clone, Debug, Default)]
pub struct Component {
    /// The name of its element.
    pub kind: String,
    /// What people call it.
    pub name: String,
    /// What it is.
    pub description: String,
    /// The number of its part.
    pub part: String,
    /// What it is used for, where the file says.
    pub usage: String,
    /// Names of its pins.
    pub pins: Vec<String>,
}

impl Component {
    /// Whether it holds the harness where it is. A splice hangs in the harness.
    pub fn holds(&self) -> bool {
        let held = [
            "Connector_occurrence",
            "Fixing_occurrence",
            "Special_terminal_occurrence",
            "Terminal_occurrence",
            "Component_box_occurrence",
            "Component_occurrence",
            "Accessory_occurrence",
        ];
        held.contains(&self.kind.as_str()) && self.usage != "splice"
    }
}

/// A protection as it occurs.
#[derive(Clone, Debug, Default)]
pub struct Protection {
    /// What people call it.
    pub name: String,
    /// The number of its part.
    pub part: String,
    /// What it is: its kind and description.
    pub kind: String,
    /// Mass per length, kg/m.
    pub mass: Option<f64>,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its id.
    pub id: String,
    /// The number of its part.
    pub part: String,
    /// Abbreviation, description and logistic control.
    pub names: [String; 3],
    /// The ids of what belongs to it.
    pub controlled: BTreeSet<String>,
}

impl Module {
    /// Whether a word means this one.
    pub fn is_called(&self, word: &str) -> bool {
        self.id == word || self.part == word || self.names.iter().any(|own| own == word)
    }
}

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
    /// How often.
    pub count: usize,
    /// The first of them.
    pub first: String,
}

impl Kbl {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Self, KblError> {
        read::read(&Text::decode(bytes)?.text)
    }

    /// Notes something that is left out.
    fn leave_out(&mut self, what: &str, why: impl Into<String>, first: &str) {
        let why = why.into();
        match self.left_out.iter_mut().find(|own| own.what == what && own.why == why) {
            Some(own) => own.count += 1,
            None => self.left_out.push(LeftOut { what: what.into(), why, count: 1, first: first.into() }),
        }
    }

    /// The length of a connection in the mock-up, m: that of its core, or of its wire.
    pub fn drawn_length(&self, connection: &Connection) -> Option<f64> {
        let of = |all: &[(String, f64)]| all.iter().find(|own| own.0 == "DMU").map(|own| own.1);
        let wire = &self.wires[connection.wire];
        connection.core.and_then(|i| of(&wire.cores[i].lengths)).or_else(|| of(&wire.lengths))
    }

    /// Sum of the lengths of segments, m; `None` where one has none.
    pub fn routed_length(&self, segments: &[usize]) -> Option<f64> {
        segments.iter().map(|i| self.segments[*i].virtual_length).sum()
    }
}
