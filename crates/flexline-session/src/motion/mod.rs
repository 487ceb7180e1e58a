//! A scene in motion from its equilibrium: what is let go and what is moved, what takes the steps, and how it ends.

mod ending;
mod mover;

pub use ending::{Ending, TooShort};
pub use mover::{AnyMotion, Scheme, Steps, Way};

use flexline::Vec3;
use flexline::solver::Status;
use flexline::solver::network::{Grip, Network, NetworkReport, NetworkState, profiles};
use flexline_scene::harness::Led;
use flexline_scene::turns::Turns;
use flexline_scene::{Compiled, Solution};
use std::fmt;

/// Why a scene is not set in motion as it was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionError {
    /// It has no equilibrium to begin in; how the search for one ended.
    NoEquilibrium(String),
    /// Nothing of it has mass.
    NoMass,
    /// No port, clip, part or end has this name.
    Unknown {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// What cannot be let go, and why.
    Release(String, String),
    /// What cannot be moved, and why.
    Move(String, String),
    /// An integrator that does not know what the scene has.
    Integrator(String, String),
    /// What the engine refuses.
    Engine(String),
}

impl fmt::Display for MotionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEquilibrium(ending) => {
                write!(f, "motion begins in equilibrium, and the scene has none: {ending}")
            }
            Self::NoMass => f.write_str(
                "nothing has mass: motion needs it; give a cable a mass_per_length or a density above zero",
            ),
            Self::Unknown { name, known } => {
                write!(f, "nothing is named '{name}'; there are: {}", known.join(", "))
            }
            Self::Release(name, why) => write!(f, "{name} cannot be let go: {why}"),
            Self::Move(name, why) => write!(f, "{name} cannot be moved: {why}"),
            Self::Integrator(name, why) => write!(f, "integrator {name}: {why}"),
            Self::Engine(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for MotionError {}

/// A scene as a network that is set in motion, with names.
pub struct Subjects {
    /// The network; steps are taken with it.
    pub network: Network,
    /// Where it begins.
    pub state: NetworkState,
    /// Name and spans of every cable.
    pub cables: Vec<(String, Vec<usize>)>,
    /// Names of the anchors.
    pub anchors: Vec<String>,
    /// What the scene moves.
    pub leads: Vec<Led>,
    /// The scene.
    pub compiled: Box<Compiled>,
    released: Vec<usize>,
    /// Anchors that are moved, where each began and by how much, m.
    moved: Vec<(usize, Vec3, Vec3)>,
}

impl Subjects {
    /// A scene in equilibrium.
    pub fn new(compiled: &Compiled, solution: &Solution) -> Result<Self, MotionError> {
        if solution.report.status != Status::Converged {
            return Err(MotionError::NoEquilibrium(compiled.ending_with_troubles(&solution.report)));
        }
        // What found its own length keeps it.
        let (mut network, state) = compiled.with_found_lengths(&solution.state);
        let leads = compiled.take_in_hand(&mut network, &state);
        let masses = network.spans.iter().map(|s| s.rod.total_mass());
        if masses.chain(network.anchors.iter().map(|a| a.mass)).all(|m| m == 0.0) {
            return Err(MotionError::NoMass);
        }
        Ok(Self {
            leads,
            compiled: Box::new(compiled.clone()),
            network,
            state,
            cables: compiled.cables.iter().map(|c| (c.name.clone(), c.span_indices())).collect(),
            anchors: compiled.anchors.iter().map(|a| a.name.clone()).collect(),
            released: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// The anchor of a name.
    fn anchor(&self, name: &str) -> Result<usize, MotionError> {
        let found = self.anchors.iter().position(|a| a == name);
        found.ok_or_else(|| MotionError::Unknown { name: name.into(), known: self.anchors.clone() })
    }

    /// Lets go of "loads", or of what holds a port, clip, part or end.
    pub fn release(&mut self, what: &str) -> Result<(), MotionError> {
        if what == "loads" {
            for span in &mut self.network.spans {
                span.point_loads.clear();
                span.distributed_loads.clear();
            }
            for anchor in &mut self.network.anchors {
                anchor.force = Vec3::zeros();
                anchor.moment = Vec3::zeros();
            }
            return Ok(());
        }
        let index = self.anchor(what)?;
        let refused = |why: &str| Err(MotionError::Release(what.into(), why.into()));
        if self.leads.iter().any(|led| led.anchor() == Some(index)) {
            return refused("the scene moves it, in [[motion]]");
        }
        let Network { anchors, spans, .. } = &mut self.network;
        let own = &mut anchors[index];
        let loose = own.held == [false; 3] && !own.held_orientation;
        if self.released.contains(&index) || loose {
            return refused("it is loose already");
        }
        own.held = [false; 3];
        // What nothing turns would have no orientation of its own: that of a massless pin stays.
        let mut ends = spans.iter().flat_map(|s| std::iter::once(&s.start).chain(&s.end));
        let turned = ends.any(|e| e.anchor == index && e.grip == Grip::Clamped);
        own.held_orientation &= !turned && own.inertia == Vec3::zeros();
        self.released.push(index);
        Ok(())
    }

    /// Says that a port, clip, part or end is moved by a vector, m.
    pub fn shift(&mut self, name: &str, by: Vec3) -> Result<(), MotionError> {
        let index = self.anchor(name)?;
        let anchor = &self.network.anchors[index];
        let refused = |why: &str| Err(MotionError::Move(name.into(), why.into()));
        if self.released.contains(&index) {
            return refused("it is let go as well; choose one");
        }
        if (0..3).any(|i| by[i] != 0.0 && !anchor.held[i]) {
            return refused("it is not held along that direction, and only what is held can be moved");
        }
        if self.leads.iter().any(|led| led.anchor() == Some(index)) {
            return refused("the scene moves it already, in [[motion]]");
        }
        if self.moved.iter().any(|own| own.0 == index) {
            return refused("it is moved already; say one way");
        }
        self.moved.push((index, anchor.pose.position, by));
        Ok(())
    }

    /// Puts what is moved that share of the way from its start, and what the scene moves where it is at a time, s.
    pub fn lead(&mut self, share: f64, time: f64) {
        let Self { network, moved, compiled, leads, .. } = self;
        put(network, moved, share);
        compiled.lead(network, leads, time);
    }

    /// The network with everything where it is then.
    pub fn led_to(&self, share: f64, time: f64) -> Network {
        let mut network = self.network.clone();
        put(&mut network, &self.moved, share);
        self.compiled.lead(&mut network, &self.leads, time);
        network
    }

    /// The solution that a step in time looks like; none of semi-implicit steps, which know no forces.
    pub fn seen(&self, motion: &AnyMotion, steps: &mut Steps, report: &NetworkReport) -> Option<Solution> {
        let (AnyMotion::Implicit(motion), Steps::Implicit(ws)) = (motion, steps) else { return None };
        let spans = profiles(&self.network, &motion.state, ws);
        Some(self.compiled.solution(motion.state.clone(), report.clone(), spans))
    }

    /// The cable that a span of the network is of.
    pub fn cable_of(&self, span: usize) -> Option<String> {
        let (name, _) = self.cables.iter().find(|(_, spans)| spans.contains(&span))?;
        Some(format!("cable '{name}'"))
    }

    /// The turns of the cables, watched from this state on.
    pub fn turns(&self, state: &NetworkState) -> Turns {
        let cables = self.cables.iter().map(|(name, spans)| (name.as_str(), spans.clone()));
        Turns::new(cables, &self.network, state, &[])
    }
}

fn put(network: &mut Network, moved: &[(usize, Vec3, Vec3)], share: f64) {
    for (anchor, from, way) in moved {
        network.anchors[*anchor].pose.position = from + way * share;
    }
}
