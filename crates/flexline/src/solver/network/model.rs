//! What a network is made of: spans (rods between anchors), what joins them, and constraints on
//! anchors. Constant during a solve.

use super::contact::{Mount, Passage};
use super::state::NetworkState;
use crate::algebra::{Vec3, rotation};
use crate::body::{Axes, DistributedLoad, End, PointLoad, Pole, Pose};
use crate::constraint::Constraint;
use crate::contact::{Obstacle, ObstacleError};
use crate::joint::attachment::end_condition;
use crate::joint::{Anchor, Attachment, Grip, Slide, Wheel};
use crate::rod::{AnyRod, Rod};
use crate::solver::problem::{Problem, ProblemError, no_room_to_bend};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A rod from one anchor to another, or to nowhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The rod.
    pub rod: AnyRod,
    /// Its beginning, s = 0.
    pub start: Attachment,
    /// Its end, s = L; `None` hangs free.
    pub end: Option<Attachment>,
    /// Turn of the far end about its own tangent, rad; full turns count.
    pub twist: f64,
    /// Loads at points.
    pub point_loads: Vec<PointLoad>,
    /// Loads along stretches.
    pub distributed_loads: Vec<DistributedLoad>,
    /// Radius of the tube round its axis that touches obstacles, other spans and itself, m; zero touches nothing.
    #[serde(default)]
    pub contact_radius: f64,
    /// Coulomb's coefficient of friction on itself and on spans that are as rough, 0 or more.
    #[serde(default)]
    pub friction: f64,
}

impl Span {
    /// Whether every load has a potential: no moments, no follower loads.
    pub fn is_conservative(&self) -> bool {
        let still = |m: &Vec3| m.norm() == 0.0;
        self.point_loads.iter().all(|l| l.axes == Axes::World && still(&l.moment))
            && self.distributed_loads.iter().all(|l| l.axes == Axes::World && l.moment.iter().all(still))
    }

    /// A span without loads.
    pub fn new(rod: impl Into<AnyRod>, start: Attachment, end: Option<Attachment>) -> Self {
        Self {
            rod: rod.into(),
            start,
            end,
            twist: 0.0,
            point_loads: Vec::new(),
            distributed_loads: Vec::new(),
            contact_radius: 0.0,
            friction: 0.0,
        }
    }
}

/// Anchors, spans and constraints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The anchors.
    pub anchors: Vec<Anchor>,
    /// The spans.
    pub spans: Vec<Span>,
    /// Constraints on anchors beyond what they hold themselves.
    pub constraints: Vec<Constraint>,
    /// Eyes that ropes slide through.
    pub slides: Vec<Slide>,
    /// Wheels that ropes run over.
    pub wheels: Vec<Wheel>,
    /// Gravity, m/s², world.
    pub gravity: Vec3,
    /// Poles that all spans keep out of.
    pub poles: Vec<Pole>,
    /// What spans with a contact radius touch.
    #[serde(default)]
    pub obstacles: Vec<Obstacle>,
    /// Obstacles that are shapes of parts, and go with their anchors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mount>,
    /// Pairs of spans that pass through each other, whatever their contact radius; a span twice passes through itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passing: Vec<[usize; 2]>,
    /// Stretches of spans that pass through obstacles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
}

/// Why a network cannot be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// An index names an anchor that does not exist.
    #[error("{what} {index} names anchor {anchor}, but there are {count}")]
    NoSuchAnchor {
        /// "span", "wheel" or "constraint".
        what: &'static str,
        /// Which one.
        index: usize,
        /// The anchor asked for.
        anchor: usize,
        /// How many anchors there are.
        count: usize,
    },
    /// A span is shorter than the distance of two fixed anchors. A solve does not refuse it: it finds
    /// the nearest state and reports what is missing.
    #[error("span {index} is {:.3} mm too short for its fixed ends", missing * 1e3)]
    TooShort {
        /// Which span.
        index: usize,
        /// Missing length, m.
        missing: f64,
    },
    /// A slide whose spans do not meet at one anchor.
    #[error(
        "slide {0}: the span before it must end, and the span after it start, at one and the same anchor, \
         which its wheel is mounted on; its friction must be 0 or more, and 0 for a store"
    )]
    NoEye(usize),
    /// Rope of a span that would go two ways.
    #[error("slide {0}: another slide has the same span before it, or after it; rope goes on into one span")]
    Fork(usize),
    /// A cable that finds its own length has none to move with.
    #[error(
        "span {0} finds its own length, which has no motion: give it the length found, or set it in motion at rest"
    )]
    DrawnInMotion(usize),
    /// A step in time that is not positive.
    #[error("a step of {0} s: expected a positive, finite time")]
    Step(f64),
    /// A motion from a state that does not hold together; `Motion::from_any_state` takes it.
    #[error(
        "{what} {index} is {:.3} mm off in the state that the motion starts from: solve it first", gap * 1e3
    )]
    Apart {
        /// "span" or "constraint".
        what: &'static str,
        /// Which one.
        index: usize,
        /// How far it is off, m.
        gap: f64,
    },
    /// A number that makes no sense.
    #[error(
        "{what} {index}: a number is not finite, a length or radius not positive, a direction not of unit length, \
         or a mass or inertia negative"
    )]
    NotFinite {
        /// "gravity", "anchor", "span", "wheel", "pole", "constraint" or "pull".
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// A quaternion that is no rotation.
    #[error(
        "{what} {index} has a quaternion of norm {norm}: expected 1; divide it by its norm (that of a tangent \
         without length has none)"
    )]
    NotUnit {
        /// "anchor", "span" or "wheel".
        what: &'static str,
        /// Which one.
        index: usize,
        /// The norm.
        norm: f64,
    },
    /// A span whose rod or loads cannot be.
    #[error("span {index}: {cause}")]
    InSpan {
        /// Which span.
        index: usize,
        /// What is wrong with it.
        cause: Box<ProblemError>,
    },
    /// An obstacle that cannot be.
    #[error("obstacle {index}: {cause}")]
    Obstacle {
        /// Which one.
        index: usize,
        /// What is wrong with it.
        cause: Box<ObstacleError>,
    },
    /// A motion from a state in which a span is within what it touches; `Motion::from_any_state` takes it.
    #[error(
        "span {span} is {:.3} mm within what it touches in the state that the motion starts from: solve it first", gap * 1e3
    )]
    Inside {
        /// The span.
        span: usize,
        /// How deep, m.
        gap: f64,
    },
    /// A motion from a state in which the shape of a part is within what it touches.
    #[error(
        "the shape of a part, obstacle {obstacle}, is {:.3} mm within what it touches in the state that the motion starts from: \
         solve it first, or put the part elsewhere", gap * 1e3
    )]
    PartInside {
        /// The obstacle that is the shape.
        obstacle: usize,
        /// How deep, m.
        gap: f64,
    },
    /// A shape of a part of an anchor or an obstacle that does not exist, twice, or of what has no end.
    #[error(
        "mount {index}: obstacle {obstacle} or its anchor does not exist, the obstacle has another mount, or is a plane, a tube or a \
         bar without end, which no part can carry"
    )]
    NoSuchMount {
        /// Which mount.
        index: usize,
        /// The obstacle asked for.
        obstacle: usize,
    },
    /// A setting that no solve can keep.
    #[error(transparent)]
    Setting(ProblemError),
    /// A state that belongs to another network.
    #[error("the state has {found} {what}, the network {expected}: make the state for this network")]
    State {
        /// What there are too many or too few of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Rope fed into a span that does not exist, or by no length.
    #[error(
        "feed {index} is {feed} m into span {span}: expected a finite length, and one of the {count} spans"
    )]
    Feed {
        /// Which feed.
        index: usize,
        /// The span asked for.
        span: usize,
        /// How much is fed, m.
        feed: f64,
        /// How many spans there are.
        count: usize,
    },
    /// A pair of spans that pass through each other, of which one does not exist.
    #[error("pair {index} of spans that pass through each other names span {span}, but there are {count}")]
    NoSuchPair {
        /// Which pair.
        index: usize,
        /// The span asked for.
        span: usize,
        /// How many spans there are.
        count: usize,
    },
    /// A passage of a span or an obstacle that does not exist, or of a length that is none.
    #[error(
        "passage {index} through an obstacle names a span or an obstacle that does not exist, or a length below 0"
    )]
    NoSuchPassage {
        /// Which passage.
        index: usize,
    },
    /// A place that no span has.
    #[error(
        "place {0} lies on no span: expected the index of a span and an arc length between 0 and its length"
    )]
    NoSuchPlace(usize),
    /// A state that is made of no numbers.
    #[error("the state of span {0} is not made of finite numbers: begin with a new state")]
    BrokenState(usize),
}

impl NetworkError {
    /// The span that it is about, which its text calls "span" and this number.
    pub fn span(&self) -> Option<usize> {
        match self {
            Self::TooShort { index, .. } | Self::InSpan { index, .. } => Some(*index),
            Self::DrawnInMotion(index) | Self::BrokenState(index) | Self::Inside { span: index, .. } => {
                Some(*index)
            }
            Self::NoSuchAnchor { what, index, .. }
            | Self::Apart { what, index, .. }
            | Self::NotFinite { what, index }
            | Self::NotUnit { what, index, .. } => (*what == "span").then_some(*index),
            Self::NoEye(_)
            | Self::Fork(_)
            | Self::Step(_)
            | Self::Setting(_)
            | Self::Obstacle { .. }
            | Self::State { .. }
            | Self::Feed { .. }
            | Self::NoSuchPair { .. }
            | Self::NoSuchPassage { .. }
            | Self::PartInside { .. }
            | Self::NoSuchMount { .. }
            | Self::NoSuchPlace(_) => None,
        }
    }

    /// Its text, with what the span is called.
    pub fn told(&self, name_of: impl Fn(usize) -> Option<String>) -> String {
        name_span(self.to_string(), self.span(), name_of)
    }
}

/// A text about a span with what the span is called instead of its number.
pub(in crate::solver) fn name_span(
    text: String,
    span: Option<usize>,
    name_of: impl Fn(usize) -> Option<String>,
) -> String {
    match span.and_then(|index| Some((index, name_of(index)?))) {
        Some((index, name)) => text.replacen(&format!("span {index}"), &name, 1),
        None => text,
    }
}

impl Network {
    /// Whether anything may touch: obstacles, other spans, themselves.
    pub(in crate::solver) fn has_contact(&self) -> bool {
        self.spans.iter().any(|span| span.contact_radius > 0.0) || self.has_loose_shapes()
    }

    /// Whether any span may touch something rough.
    pub(in crate::solver) fn has_friction(&self) -> bool {
        self.has_contact()
            && (self.obstacles.iter().any(|obstacle| obstacle.friction > 0.0)
                || self.spans.iter().any(|span| span.contact_radius > 0.0 && span.friction > 0.0))
    }

    /// Coefficient of friction of two spans on each other, or of one on itself: the geometric mean of theirs, so that nothing
    /// rubs on what is smooth.
    pub fn friction_between(&self, a: usize, b: usize) -> f64 {
        if a == b {
            return self.spans[a].friction;
        }
        (self.spans[a].friction * self.spans[b].friction).sqrt()
    }

    /// Whether some loads on spans have no potential: moments, follower loads.
    pub(in crate::solver) fn has_turning_loads(&self) -> bool {
        !self.spans.iter().all(Span::is_conservative)
    }

    /// Lets `before` run over `wheel` into `after`: their ends there are put on its rim.
    pub fn add_wheel(&mut self, wheel: Wheel, before: usize, after: usize, friction: f64) {
        let index = self.wheels.len();
        self.wheels.push(wheel);
        self.slides.push(Slide { wheel: Some(index), ..Slide::through(before, after, friction) });
        self.put_on_rim(self.slides.len() - 1, wheel.contact);
    }

    /// Puts the spans of a slide over a wheel on its rim at the given angles.
    pub(in crate::solver) fn put_on_rim(&mut self, slide: usize, contact: [f64; 2]) {
        let Slide { before, after, wheel, .. } = self.slides[slide];
        let count = self.spans.len();
        if let (Some(before), Some(after), Some(wheel)) =
            (before, after, wheel.and_then(|w| self.wheels.get(w)))
            && before.max(after) < count
        {
            let [first, last] = contact.map(|angle| Attachment::clamped(wheel.on).at(wheel.rim(angle)));
            self.spans[before].end = Some(first);
            self.spans[after].start = last;
        }
    }

    /// The rod of a span with the length that is laid in `state`.
    pub fn rod(&self, state: &NetworkState, span: usize) -> Cow<'_, AnyRod> {
        let rod = &self.spans[span].rod;
        let laid = state.free_length(span);
        if laid == rod.length() {
            return Cow::Borrowed(rod);
        }
        Cow::Owned(rod.with_length(laid.max(1e-3 * rod.length())))
    }

    /// The network with every span as long as it is in `state`: what has slid through eyes is where it went.
    pub fn slid(&self, state: &NetworkState) -> Cow<'_, Self> {
        let mut network = Cow::Borrowed(self);
        for span in 0..self.spans.len() {
            if let Cow::Owned(rod) = self.rod(state, span) {
                network.to_mut().spans[span].rod = rod;
            }
        }
        network
    }

    /// The network with ropes on their wheels where `state` has them.
    pub fn on_rims(&self, state: &NetworkState) -> Cow<'_, Self> {
        let mut network = Cow::Borrowed(self);
        if !self.wheels.is_empty() {
            let own = network.to_mut();
            for k in 0..own.slides.len() {
                if let Some(wheel) = own.slides[k].wheel {
                    own.put_on_rim(k, state.contacts[wheel]);
                }
            }
        }
        network
    }
}

impl Network {
    /// Whether a span is as long as what holds its ends is apart, and held askew of the line between them.
    pub(in crate::solver) fn has_no_room_to_bend(&self, span: usize) -> bool {
        let own = &self.spans[span];
        let Some(end) = &own.end else { return false };
        let fixed = |a: &Attachment| {
            let anchor = &self.anchors[a.anchor];
            anchor.held == [true; 3] && anchor.held_orientation
        };
        let slides = || self.slides.iter().any(|s| s.before == Some(span) || s.after == Some(span));
        if !fixed(&own.start) || !fixed(end) || slides() {
            return false;
        }
        let ends = [&own.start, end].map(|a| end_condition(&self.anchors[a.anchor].pose, a, 0.0));
        no_room_to_bend(&ends, own.rod.length())
    }

    /// One cable as a network: its ends become anchors. The ends of a ring are on one.
    pub fn from_cable(problem: &Problem) -> Self {
        let [start, end] = &problem.ends;
        let held = |e: &End| e.held != [false; 3] || e.orientation.is_some();
        // The frame of an end that nothing holds goes with its anchor.
        let grip = |e: &End, a: usize| match (e.orientation, held(e)) {
            (None, true) if !problem.closed => Attachment::pinned(a),
            _ => Attachment::clamped(a),
        };
        let origin = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
        let mut network = Self { anchors: vec![Anchor::loose(origin)], ..Self::default() };
        let finish = if problem.closed {
            Some(Attachment::clamped(0))
        } else {
            held(end).then(|| {
                network.anchors.push(Anchor::loose(origin));
                grip(end, 1)
            })
        };
        let mut span = Span::new(problem.rod.clone(), grip(start, 0), finish);
        span.point_loads.clone_from(&problem.point_loads);
        span.distributed_loads.clone_from(&problem.distributed_loads);
        network.spans.push(span);
        network.hold_cable(problem);
        network
    }

    /// The one cable that this network is: a rod between anchors that have no mass and bear no load, held or not. `None`
    /// where it is more than that, or touches anything.
    pub fn as_cable(&self) -> Option<Problem> {
        let alone = self.obstacles.is_empty() && !self.has_contact();
        if alone { self.as_cable_but_for_contact() } else { None }
    }

    /// The same, whatever it may touch.
    pub(in crate::solver) fn as_cable_but_for_contact(&self) -> Option<Problem> {
        let Self { anchors, spans, constraints, slides, wheels, gravity, poles, .. } = self;
        let bare = constraints.is_empty() && slides.is_empty() && wheels.is_empty();
        let ([span], true) = (&spans[..], bare) else {
            return None;
        };
        let bare = |a: &Anchor| a.mass == 0.0 && a.force == Vec3::zeros() && a.moment == Vec3::zeros();
        let closed = span.end == Some(span.start);
        let ends = 1 + usize::from(span.end.is_some() && !closed);
        if anchors.len() != ends || span.end.is_some_and(|end| (end.anchor == span.start.anchor) != closed) {
            return None;
        }
        let end = |on: &Attachment| {
            let anchor = anchors.get(on.anchor).filter(|anchor| bare(anchor))?;
            let origin = on.anchor_from_end.position == Vec3::zeros();
            let turns = match on.grip {
                Grip::Clamped => anchor.held_orientation,
                Grip::Pinned => anchor.held != [false; 3],
            };
            // The frame of an end that nothing holds goes with its anchor.
            let loose = on == &span.start && anchor.held == [false; 3] && !anchor.held_orientation;
            let own = end_condition(&anchor.pose, on, 0.0);
            let orientation = own.orientation.filter(|_| anchor.held_orientation);
            (origin && (turns || loose || closed)).then_some(End { held: anchor.held, orientation, ..own })
        };
        let start = end(&span.start)?;
        let free = End { twist: if closed { span.twist } else { 0.0 }, ..End::free() };
        let last = match span.end.filter(|_| !closed) {
            Some(on) => end(&on)
                .map(|end| End { twist: if end.orientation.is_some() { span.twist } else { 0.0 }, ..end })?,
            None => free,
        };
        Some(Problem {
            gravity: *gravity,
            closed,
            point_loads: span.point_loads.clone(),
            distributed_loads: span.distributed_loads.clone(),
            poles: poles.clone(),
            ..Problem::new(span.rod.clone(), start, last)
        })
    }

    /// Puts the anchors of [`Network::from_cable`] where the ends of `problem` are held; gravity and
    /// twist too.
    pub(in crate::solver) fn hold_cable(&mut self, problem: &Problem) {
        self.gravity = problem.gravity;
        self.poles.clone_from(&problem.poles);
        self.spans[0].twist = problem.ends[1].twist;
        for (i, anchor) in self.anchors.iter_mut().enumerate() {
            let end = &problem.ends[i];
            // The twist of the far end belongs to the span: full turns count.
            let frame = if i == 0 { end.frame() } else { end.orientation };
            let pinned = end.held != [false; 3] && end.orientation.is_none() && !problem.closed;
            anchor.held = end.held;
            anchor.held_orientation = end.orientation.is_some() || pinned;
            anchor.pose =
                Pose { position: end.position, orientation: frame.unwrap_or_else(rotation::identity) };
        }
    }
}
