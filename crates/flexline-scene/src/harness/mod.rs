//! What cables are joined to, ports, rigid parts and each other, as a file says it; scenes compiled and solved.

mod accuracy;
mod bead;
mod centreline;
mod compile;
mod constraint;
mod ends;
mod eye;
mod feasible;
mod formats;
mod growth;
mod lay;
mod lead;
mod lines;
mod path;
mod pulley;
mod solution;

pub use accuracy::Chosen;
pub use bead::Bead;
pub use compile::{AnchorName, Compiled, CompiledCable};
pub use constraint::{ConstraintKind, Grasp, Heading, NamedConstraint};
pub use eye::{CompiledEye, Eye, EyeHold, SliderKind};
pub use formats::Deformables;
pub use growth::Growth;
pub use lead::{CompiledLead, Lead, Leading, Led, Target, Way, smooth};
pub use pulley::Pulley;
pub use solution::{Findings, Solution};

use crate::model::{Cable, Hold, Load, Orientation, Scene};
use flexline::Vec3;
use flexline::solver::network::Grip;

/// Segments of each cable of a harness where a scene does not say.
pub const HARNESS_SEGMENTS: usize = 30;

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
    /// The start or the end of the one cable of a scene.
    End(usize),
}

/// A cable, and what it begins and ends in.
#[derive(Clone, Debug, PartialEq)]
pub struct LaidCable {
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

/// A load on one of the cables.
#[derive(Clone, Debug, PartialEq)]
pub struct CableLoad {
    /// Which cable.
    pub cable: usize,
    /// The load.
    pub load: Load,
}
