//! What is led along a path in time: a port, a part, a clip, a junction, an eye or an obstacle, as by a hand.

use super::compile::Compiled;
use super::{EyeHold, Node, Scene};
use crate::diagnostic::{Code, Diagnostic};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::geometry::path::Path;
use flexline::solver::Pose;
use flexline::solver::network::{Network, NetworkState};

/// A motion as the file says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// What is led.
    pub target: Target,
    /// Where it goes.
    pub way: Way,
    /// When it begins, s.
    pub start: f64,
    /// How long it takes, s.
    pub duration: f64,
    /// Turn about its origin, rad, world axes: unit axis times angle.
    pub turn: Vec3,
}

/// What a motion leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// Something that holds cables, or hangs on them.
    Node(Node),
    /// An obstacle, by its index.
    Obstacle(usize),
}

/// What is led in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leading {
    /// An anchor.
    Anchor(usize),
    /// An obstacle.
    Obstacle(usize),
}

/// Where something is led.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// Straight, by a vector, m; zero where it only turns.
    By(Vec3),
    /// From where it is through points of the world, m, and back where it is closed.
    Through(Vec<Vec3>, bool),
}

/// A motion of a compiled harness.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledLead {
    /// What is led.
    pub what: Leading,
    /// How.
    pub lead: Lead,
}

/// A motion that knows where it begins.
#[derive(Clone, Debug)]
pub struct Led {
    /// What is led.
    pub what: Leading,
    base: Pose,
    path: Option<Path>,
    lead: Lead,
}

/// From 0 to 1 with neither jerk nor acceleration at either end.
pub fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
}

impl Led {
    /// Where it is at a time, s.
    pub fn at(&self, time: f64) -> Pose {
        let share = smooth((time - self.lead.start) / self.lead.duration);
        let position = match (&self.path, &self.lead.way) {
            (Some(path), _) => path.at(share * path.extent()).position,
            (None, Way::By(by)) => self.base.position + by * share,
            (None, Way::Through(..)) => self.base.position,
        };
        let turned = rotation::exp(&(self.lead.turn * share)) * self.base.orientation;
        Pose { position, orientation: turned * (1.0 / turned.norm()) }
    }

    /// The anchor that is led, where it is one.
    pub fn anchor(&self) -> Option<usize> {
        match self.what {
            Leading::Anchor(anchor) => Some(anchor),
            Leading::Obstacle(_) => None,
        }
    }

    /// Puts it where it is at a time.
    pub fn put(&self, network: &mut Network, time: f64) {
        match self.what {
            Leading::Anchor(anchor) => network.anchors[anchor].pose = self.at(time),
            Leading::Obstacle(index) => network.obstacles[index].pose = self.at(time),
        }
    }

    /// When it ends, s.
    pub fn end(&self) -> f64 {
        self.lead.start + self.lead.duration
    }
}

impl Scene {
    /// The motions by anchor, and what cannot be led.
    pub(super) fn compile_leads(&self) -> Result<Vec<CompiledLead>, Vec<Diagnostic>> {
        let (mut found, mut mistakes): (Vec<CompiledLead>, _) = (Vec::new(), Vec::new());
        let names = self.anchor_names();
        for (i, lead) in self.leads.iter().enumerate() {
            let (what, name, held) = match lead.target {
                Target::Obstacle(index) => {
                    let name = format!("obstacle '{}'", self.obstacles[index].name);
                    (Leading::Obstacle(index), name, true)
                }
                Target::Node(node) => {
                    let anchor = self.anchor(node).0;
                    let held = match node {
                        Node::Eye(eye) => matches!(self.eyes[eye].hold, EyeHold::World(_)),
                        Node::Bead(_) | Node::Connector(..) => false,
                        _ => true,
                    };
                    (Leading::Anchor(anchor), names[anchor].to_string(), held)
                }
            };
            let path = format!("motion[{i}].target");
            let words = || self.source.words(&path).subject();
            let message = if !held {
                format!("{}: {name} cannot be led", words())
            } else if found.iter().any(|other| other.what == what) {
                format!("{}: {name} is led already by another motion", words())
            } else {
                found.push(CompiledLead { what, lead: lead.clone() });
                continue;
            };
            let help =
                "expected a port, a part, a clip, a junction, an eye of the world or an obstacle, each once";
            mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
        }
        if mistakes.is_empty() { Ok(found) } else { Err(mistakes) }
    }
}

impl Compiled {
    /// Takes everything that the scene leads in hand where it is, and says where it goes from there.
    pub fn take_in_hand(&self, network: &mut Network, state: &NetworkState) -> Vec<Led> {
        let take = |own: &CompiledLead| {
            let base = match own.what {
                Leading::Anchor(index) => {
                    let anchor = &mut network.anchors[index];
                    anchor.held = [true; 3];
                    anchor.held_orientation |=
                        own.lead.turn != Vec3::zeros() || self.anchors[index].kind == "part";
                    anchor.pose = state.anchors[index];
                    anchor.pose
                }
                // Where it has come to among the cables.
                Leading::Obstacle(index) => {
                    let own = &mut network.obstacles[index];
                    own.pose = state.obstacles.get(index).copied().unwrap_or(own.pose);
                    own.pose
                }
            };
            let path = match &own.lead.way {
                Way::By(_) => None,
                Way::Through(points, closed) => {
                    let mut all = vec![base.position];
                    // A file may repeat where it is.
                    all.extend(points.iter().filter(|p| (*p - base.position).norm() > 1e-12));
                    Path::new(&all, *closed).ok()
                }
            };
            Led { what: own.what, base, path, lead: own.lead.clone() }
        };
        self.leads.iter().map(take).collect()
    }

    /// Puts everything that is led where it is at a time, and obstacles where the parts are that they are on.
    pub fn lead(&self, network: &mut Network, leads: &[Led], time: f64) {
        leads.iter().for_each(|led| led.put(network, time));
        self.carry_obstacles(network);
    }

    /// Puts obstacles that are on parts where these are.
    pub fn carry_obstacles(&self, network: &mut Network) {
        for (obstacle, own) in network.obstacles.iter_mut().zip(&self.obstacles) {
            if let Some((anchor, local)) = &own.on
                && let Some(anchor) = network.anchors.get(*anchor)
            {
                obstacle.pose = Pose {
                    position: anchor.pose.position
                        + rotation::rotate(&anchor.pose.orientation, &local.position),
                    orientation: anchor.pose.orientation * local.orientation,
                };
            }
        }
    }

    /// The network with every cable that finds its own length as long as it found, from now on of fixed length.
    pub fn with_found_lengths(&self, state: &NetworkState) -> (Network, NetworkState) {
        let mut network = self.network.slid(state).into_owned();
        let kept: Vec<usize> = (0..network.slides.len())
            .filter(|k| network.slides[*k].before.is_some() && network.slides[*k].after.is_some())
            .collect();
        if kept.len() == network.slides.len() {
            return (self.network.clone(), state.clone());
        }
        let pick = |all: &[f64]| kept.iter().map(|k| all[*k]).collect();
        let mut own = state.clone();
        (own.flows, own.slips, own.friction) =
            (pick(&state.flows), pick(&state.slips), pick(&state.friction));
        network.slides = kept.iter().map(|k| network.slides[*k]).collect();
        (network, own)
    }
}
