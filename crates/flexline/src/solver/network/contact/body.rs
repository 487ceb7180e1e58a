//! Where contacts act: at places of spans, and on parts that have a shape.

use super::super::NetworkWorkspace;
use super::super::span::SpanSystem;
use super::super::state::NetworkState;
use super::super::unknowns::Unknowns;
use crate::algebra::Vec3;
use crate::body::Pose;
use nalgebra::{Matrix6, Vector6};
use serde::{Deserialize, Serialize};

/// What touches with its axis, its corners or its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Body {
    /// A span.
    Span(usize),
    /// The shape of a part, or what such a shape has come to with its face.
    Obstacle {
        /// Which obstacle.
        obstacle: usize,
    },
}

impl Body {
    /// The span, where it is one.
    pub fn span(self) -> Option<usize> {
        match self {
            Self::Span(span) => Some(span),
            Self::Obstacle { .. } => None,
        }
    }
}

/// A side of a contact that is a part which cables may move.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Rigid {
    /// Its anchor.
    pub(super) anchor: usize,
    /// Where that is, as contacts were last looked for.
    pub(super) pose: Pose,
}

/// A place that a contact acts at.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) enum Place {
    /// A share of the length of a span.
    Span(usize, f64),
    /// So far from the origin of an anchor, m, world.
    Anchor(usize, Vec3),
}

impl Place {
    /// On a part, at a point of the world.
    pub(super) fn on(part: &Rigid, at: &Vec3) -> Self {
        Self::Anchor(part.anchor, at - part.pose.position)
    }

    /// A force there.
    pub(super) fn push(self, force: Vec3) -> Push {
        let moment = match self {
            Self::Span(..) => Vec3::zeros(),
            Self::Anchor(_, lever) => lever.cross(&force),
        };
        Push { place: self, force, moment }
    }
}

/// A force at a place; on an anchor with a moment about its origin.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Push {
    pub(super) place: Place,
    /// N, world.
    pub(super) force: Vec3,
    /// N m, world.
    pub(super) moment: Vec3,
}

impl Push {
    /// None at all.
    pub(super) const NONE: Self = Self {
        place: Place::Span(0, 0.0),
        force: Vec3::new(0.0, 0.0, 0.0),
        moment: Vec3::new(0.0, 0.0, 0.0),
    };

    /// Whether it is none.
    pub(super) fn is_none(&self) -> bool {
        self.force == Vec3::zeros() && self.moment == Vec3::zeros()
    }

    /// The span that it is on, and the share of its length.
    pub(super) fn on_span(&self) -> Option<(usize, f64)> {
        match self.place {
            Place::Span(span, share) => Some((span, share)),
            Place::Anchor(..) => None,
        }
    }

    /// So many times as large.
    pub(super) fn times(&self, by: f64) -> Self {
        Self { force: self.force * by, moment: self.moment * by, ..*self }
    }
}

/// The step in the workspace, as places see it.
pub(in crate::solver) struct Moves<'a> {
    state: &'a NetworkState,
    spans: &'a [SpanSystem],
    unknowns: &'a Unknowns,
    solution: &'a [f64],
}

impl<'a> Moves<'a> {
    pub(in crate::solver) fn of(state: &'a NetworkState, ws: &'a NetworkWorkspace) -> Self {
        Self { state, spans: &ws.spans, unknowns: &ws.unknowns, solution: &ws.solution }
    }

    /// How an anchor turns and shifts, rad and m.
    pub(super) fn anchor(&self, anchor: usize) -> [Vec3; 2] {
        let slots = &self.unknowns.anchors[anchor];
        [0, 3].map(|from| Vec3::from_fn(|i, _| slots[from + i].map_or(0.0, |slot| self.solution[slot.flat])))
    }

    /// How a place moves, m, to first order.
    pub(super) fn at(&self, place: Place) -> Vec3 {
        match place {
            Place::Span(k, share) => self.spans[k].kernel.moved(&self.state.spans[k], share),
            Place::Anchor(anchor, lever) => {
                let [turn, shift] = self.anchor(anchor);
                shift + turn.cross(&lever)
            }
        }
    }

    /// How far one place moves away from another, m.
    pub(super) fn apart(&self, [first, second]: [Option<Place>; 2]) -> Vec3 {
        let at = |place: Option<Place>| place.map_or_else(Vec3::zeros, |place| self.at(place));
        at(first) - at(second)
    }

    /// What a push does along the step.
    pub(super) fn work(&self, push: &Push) -> f64 {
        match push.place {
            Place::Span(..) => push.force.dot(&self.at(push.place)),
            Place::Anchor(anchor, _) => {
                let [turn, shift] = self.anchor(anchor);
                push.moment.dot(&turn) + push.force.dot(&shift)
            }
        }
    }
}

/// What contacts do to an anchor.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct AnchorLoad {
    /// About its origin, N m, world.
    pub(in crate::solver) moment: Vec3,
    /// N, world.
    pub(in crate::solver) force: Vec3,
    /// Against turning and shifting it.
    pub(in crate::solver) stiffness: Matrix6<f64>,
}

impl Default for AnchorLoad {
    fn default() -> Self {
        Self { moment: Vec3::zeros(), force: Vec3::zeros(), stiffness: Matrix6::zeros() }
    }
}

impl AnchorLoad {
    /// Adds a force at a lever from its origin.
    pub(super) fn add(&mut self, lever: &Vec3, force: &Vec3) {
        self.moment += lever.cross(force);
        self.force += force;
    }

    /// Adds stiffness against moving what is at a lever along a direction.
    pub(super) fn hold(&mut self, lever: &Vec3, along: &Vec3, stiffness: f64) {
        let way = arm(lever, along);
        self.stiffness += way * way.transpose() * stiffness;
    }
}

/// What turning and shifting an anchor does along a direction, at a lever from its origin.
pub(super) fn arm(lever: &Vec3, along: &Vec3) -> Vector6<f64> {
    let turn = lever.cross(along);
    Vector6::new(turn.x, turn.y, turn.z, along.x, along.y, along.z)
}
