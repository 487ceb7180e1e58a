//! Harnesses: cables joined to each other, to ports and to rigid parts, as a file says it.

mod accuracy;
mod bead;
mod compile;
mod constraint;
mod eye;
mod feasible;
mod growth;
mod lay;
mod lead;
mod lines;
mod pulley;
mod solution;

pub use bead::Bead;
pub use compile::{AnchorName, CompiledCable, HarnessCompiled};
pub use constraint::{ConstraintKind, Grasp, Heading, NamedConstraint};
pub use eye::{CompiledEye, Eye, EyeHold, SliderKind};
pub use growth::Growth;
pub use lead::{CompiledLead, Lead, Led, Way, smooth};
pub use pulley::Pulley;
pub use solution::{HarnessFindings, HarnessSolution};

use crate::model::{Cable, Hold, Load, Orientation, PoleSpec, Solve};
use crate::source::Source;
use flexline::Vec3;
use flexline::solver::network::Grip;

/// Segments of each cable of a harness where a scene does not say.
pub const HARNESS_SEGMENTS: usize = 30;

/// Cables, what they are joined to, what holds and loads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Harness {
    /// A line for headings.
    pub title: Option<String>,
    /// What the scene is about.
    pub description: Option<String>,
    /// Gravity, m/s².
    pub gravity: Vec3,
    /// Poses that are held.
    pub ports: Vec<Port>,
    /// Rigid parts.
    pub parts: Vec<Part>,
    /// Branches.
    pub junctions: Vec<Junction>,
    /// The cables.
    pub cables: Vec<HarnessCable>,
    /// What holds cables between their ends.
    pub clips: Vec<Clip>,
    /// Eyes that cables slide through.
    pub eyes: Vec<Eye>,
    /// Beads that slide on cables.
    pub beads: Vec<Bead>,
    /// Constraints beyond these.
    pub constraints: Vec<NamedConstraint>,
    /// What is moved in time.
    pub leads: Vec<Lead>,
    /// Loads.
    pub loads: Vec<HarnessLoad>,
    /// Poles that cables keep out of.
    pub poles: Vec<PoleSpec>,
    /// How to solve.
    pub solve: Solve,
    /// Where each key stands in the file.
    pub(crate) source: Source,
}

impl Harness {
    /// Name of the file the scene was read from, or of whatever its text came from.
    pub fn name(&self) -> &str {
        &self.source.name
    }
}

/// A place in the world where cables begin and end.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Name.
    pub name: String,
    /// Position, m.
    pub position: Vec3,
    /// Its frame, whose d3 is the tangent of the cables there; `None` where it only holds positions.
    pub orientation: Option<Orientation>,
}

/// A rigid part.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Where its origin is held, or first guessed to be, m.
    pub position: Vec3,
    /// Its axes, held or first guessed; `None` for those of the world.
    pub orientation: Option<Orientation>,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m, own axes.
    pub centre: Vec3,
    /// Moments of inertia about the centre of mass along its own axes, kg m².
    pub inertia: Vec3,
    /// Clamped: held in position and orientation; pinned: in position.
    pub hold: Hold,
    /// World axes along which it may slide although it is held.
    pub slides: [bool; 3],
    /// Force at its origin, N, world.
    pub force: Vec3,
    /// Moment, N m, world.
    pub moment: Vec3,
    /// Where cables plug in.
    pub connectors: Vec<Port>,
    /// Whether nothing can turn it: eyes at its centre of mass are all that touches it.
    pub(crate) is_point: bool,
}

/// A branch: cables joined to each other, held by nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Junction {
    /// Name.
    pub name: String,
    /// A first guess of where it is, m.
    pub position: Option<Vec3>,
}

/// What a cable ends in, or a constraint takes hold of, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A port.
    Port(usize),
    /// The origin of a part.
    Part(usize),
    /// A connector of a part.
    Connector(usize, usize),
    /// A junction.
    Junction(usize),
    /// A clip.
    Clip(usize),
    /// An eye.
    Eye(usize),
    /// A bead.
    Bead(usize),
}

/// A cable of a harness.
#[derive(Clone, Debug, PartialEq)]
pub struct HarnessCable {
    /// What it is made of; its name, length and segments.
    pub cable: Cable,
    /// What it begins in.
    pub from: Node,
    /// What it ends in; `None` hangs free.
    pub to: Option<Node>,
    /// How it is joined there.
    pub grips: [Grip; 2],
    /// Its tangent at a junction or a clip, in the axes of that: unit, along increasing s. `None` is along z.
    pub tangents: [Option<Vec3>; 2],
    /// Turn of its far end about its own tangent, rad; full turns count.
    pub twist: f64,
    /// What was paid out at its far end, or, below zero, reeled in, m; `cable.length` includes it.
    pub feed: f64,
    /// Where it finds its own length: what it pays for it.
    pub route: Option<RoutePrice>,
    /// How it changes in time.
    pub growth: Option<Growth>,
}

/// What a cable that finds its own length pays for it: the larger, the straighter it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RoutePrice {
    /// A tension, N.
    Tension(f64),
    /// The length λ over which it bends, m: a tension of K/λ² at bending stiffness K.
    BendLength(f64),
}

/// What holds a cable between its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Name.
    pub name: String,
    /// Which cable.
    pub cable: usize,
    /// Where on the cable, m.
    pub at: f64,
    /// What it holds; a free one is a handle.
    pub hold: Hold,
    /// Where it holds, m.
    pub position: Vec3,
    /// World axes along which it may slide.
    pub slides: [bool; 3],
    /// The frame it holds; `None` unless clamped.
    pub orientation: Option<Orientation>,
}

/// A load on a cable of a harness.
#[derive(Clone, Debug, PartialEq)]
pub struct HarnessLoad {
    /// Which cable.
    pub cable: usize,
    /// The load.
    pub load: Load,
}
