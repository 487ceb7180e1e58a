//! What is led along a path in time: a port, a part, a clip, a junction or an eye, as by a hand.

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
    pub target: Node,
    /// Where it goes.
    pub way: Way,
    /// When it begins, s.
    pub start: f64,
    /// How long it takes, s.
    pub duration: f64,
    /// Turn about its origin, rad, world axes: unit axis times angle.
    pub turn: Vec3,
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
    /// The anchor that is led.
    pub anchor: usize,
    /// How.
    pub lead: Lead,
}

/// A motion that knows where it begins.
#[derive(Clone, Debug)]
pub struct Led {
    /// The anchor that is led.
    pub anchor: usize,
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
            let anchor = self.anchor(lead.target).0;
            let held = match lead.target {
                Node::Eye(eye) => matches!(self.eyes[eye].hold, EyeHold::World(_)),
                Node::Bead(_) | Node::Connector(..) => false,
                _ => true,
            };
            let path = format!("motion[{i}].target");
            let words = || self.source.words(&path).subject();
            let message = if !held {
                format!("{}: {} cannot be led", words(), names[anchor])
            } else if found.iter().any(|other| other.anchor == anchor) {
                format!("{}: {} is led already by another motion", words(), names[anchor])
            } else {
                found.push(CompiledLead { anchor, lead: lead.clone() });
                continue;
            };
            let help = "expected a port, a part, a clip, a junction or an eye of the world, each once";
            mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
        }
        if mistakes.is_empty() { Ok(found) } else { Err(mistakes) }
    }
}

impl Compiled {
    /// Takes everything that the scene leads in hand where it is, and says where it goes from there.
    pub fn take_in_hand(&self, network: &mut Network, state: &NetworkState) -> Vec<Led> {
        let take = |own: &CompiledLead| {
            let base = state.anchors[own.anchor];
            let anchor = &mut network.anchors[own.anchor];
            anchor.held = [true; 3];
            anchor.held_orientation |=
                own.lead.turn != Vec3::zeros() || self.anchors[own.anchor].kind == "part";
            anchor.pose = base;
            let path = match &own.lead.way {
                Way::By(_) => None,
                Way::Through(points, closed) => {
                    let mut all = vec![base.position];
                    // A file may repeat where it is.
                    all.extend(points.iter().filter(|p| (*p - base.position).norm() > 1e-12));
                    Path::new(&all, *closed).ok()
                }
            };
            Led { anchor: own.anchor, base, path, lead: own.lead.clone() }
        };
        self.leads.iter().map(take).collect()
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
