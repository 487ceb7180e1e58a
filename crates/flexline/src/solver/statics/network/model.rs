//! What a network is made of: anchors (poses that spans attach to), spans (rods between anchors),
//! and constraints on anchors. Constant during a solve.

use super::constraint::Constraint;
use crate::algebra::{Quat, Vec3, rotation};
use crate::rod::Rod;
use crate::rod::mixed::MixedRod;
use crate::solver::problem::{DistributedLoad, End, PointLoad, Pose, Problem};
use serde::{Deserialize, Serialize};

/// A pose that spans attach to: a port on the body of a car, a clip, a branch, a rigid part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// Where it is held; where it starts, along what is not held.
    pub pose: Pose,
    /// Which world axes of the position are held.
    pub held: [bool; 3],
    /// Whether the orientation is held.
    pub held_orientation: bool,
    /// Mass, kg; zero for a port or a branch.
    pub mass: f64,
    /// Centre of mass, m, in the anchor's axes.
    pub centre: Vec3,
    /// Moments of inertia about the centre of mass along the anchor's axes, kg m².
    pub inertia: Vec3,
    /// Dead force at the anchor's origin, N, world.
    pub force: Vec3,
    /// Dead moment, N m, world.
    pub moment: Vec3,
}

impl Anchor {
    /// Held in position and orientation.
    pub fn fixed(pose: Pose) -> Self {
        Self {
            pose,
            held: [true; 3],
            held_orientation: true,
            mass: 0.0,
            centre: Vec3::zeros(),
            inertia: Vec3::zeros(),
            force: Vec3::zeros(),
            moment: Vec3::zeros(),
        }
    }

    /// Held by nothing but what is attached: a branch, or a part when it has mass.
    pub fn loose(pose: Pose) -> Self {
        Self { held: [false; 3], held_orientation: false, ..Self::fixed(pose) }
    }

    /// A free rigid part of the given mass with its centre at `centre` in its own axes.
    pub fn part(pose: Pose, mass: f64, centre: Vec3) -> Self {
        Self { mass, centre, ..Self::loose(pose) }
    }
}

/// How the end of a span is joined to its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grip {
    /// Position and frame follow the anchor.
    Clamped,
    /// Position follows, the frame is free to turn.
    Pinned,
}

/// The end of a span on an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// Index of the anchor.
    pub anchor: usize,
    /// Pose of the end in the anchor's axes; its third director is the span's tangent.
    pub anchor_from_end: Pose,
    /// How it is joined.
    pub grip: Grip,
}

impl Attachment {
    /// Clamped at the anchor's origin, along its third axis.
    pub fn clamped(anchor: usize) -> Self {
        let anchor_from_end = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
        Self { anchor, anchor_from_end, grip: Grip::Clamped }
    }

    /// Pinned at the anchor's origin.
    pub fn pinned(anchor: usize) -> Self {
        Self { grip: Grip::Pinned, ..Self::clamped(anchor) }
    }

    /// The same at another place of the anchor.
    pub fn at(self, anchor_from_end: Pose) -> Self {
        Self { anchor_from_end, ..self }
    }
}

/// A rod from one anchor to another, or to nowhere.
#[derive(Clone, Debug)]
pub struct Span {
    /// The rod.
    pub rod: MixedRod,
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
}

impl Span {
    /// A span without loads.
    pub fn new(rod: MixedRod, start: Attachment, end: Option<Attachment>) -> Self {
        Self { rod, start, end, twist: 0.0, point_loads: Vec::new(), distributed_loads: Vec::new() }
    }
}

/// An eye through which a rope slides: what one span loses in length the next one gains.
///
/// The eye is the anchor at which `before` ends and `after` starts. With friction the rope sticks
/// until the tensions differ by more than the factor e^{µφ}, φ being the angle it turns through
/// (Euler, Eytelwein).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slide {
    /// The span that ends at the eye.
    pub before: usize,
    /// The span that starts at the eye.
    pub after: usize,
    /// Coefficient of friction µ; zero slides freely.
    pub friction: f64,
}

/// Anchors, spans and constraints.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The anchors.
    pub anchors: Vec<Anchor>,
    /// The spans.
    pub spans: Vec<Span>,
    /// Constraints on anchors beyond what they hold themselves.
    pub constraints: Vec<Constraint>,
    /// Eyes that ropes slide through.
    pub slides: Vec<Slide>,
    /// Gravity, m/s².
    pub gravity: Vec3,
}

/// Why a network cannot be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// An index names an anchor that does not exist.
    #[error("{what} {index} names anchor {anchor}, but there are {count}")]
    NoSuchAnchor {
        /// "span" or "constraint".
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
        "slide {0}: the span before it must end, and the span after it start, at one and the same anchor"
    )]
    NoEye(usize),
    /// Sliding in motion is not built.
    #[error("ropes that slide through eyes can be solved at rest, not yet in motion")]
    SlideInMotion,
    /// A step in time that is not positive.
    #[error("a step of {0} s: expected a positive, finite time")]
    Step(f64),
    /// A number is not finite, or a mass is negative.
    #[error("{what} {index} has a number that is not finite or a negative mass")]
    NotFinite {
        /// "anchor", "span" or "constraint".
        what: &'static str,
        /// Which one.
        index: usize,
    },
}

impl Network {
    /// Checks what can be checked before solving.
    pub fn check(&self) -> Result<(), NetworkError> {
        let count = self.anchors.len();
        let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
        for (index, a) in self.anchors.iter().enumerate() {
            let numbers =
                [&a.pose.position, &a.centre, &a.inertia, &a.force, &a.moment].into_iter().all(finite);
            let turned = a.pose.orientation.coords.iter().all(|c| c.is_finite());
            if !(numbers && turned && a.mass >= 0.0 && a.mass.is_finite()) {
                return Err(NetworkError::NotFinite { what: "anchor", index });
            }
        }
        for (index, span) in self.spans.iter().enumerate() {
            for end in std::iter::once(&span.start).chain(&span.end) {
                if end.anchor >= count {
                    return Err(NetworkError::NoSuchAnchor {
                        what: "span",
                        index,
                        anchor: end.anchor,
                        count,
                    });
                }
            }
            if !span.twist.is_finite() {
                return Err(NetworkError::NotFinite { what: "span", index });
            }
        }
        for (index, slide) in self.slides.iter().enumerate() {
            let (before, after) = (self.spans.get(slide.before), self.spans.get(slide.after));
            let meet = match (before.and_then(|s| s.end), after) {
                (Some(end), Some(after)) => end.anchor == after.start.anchor,
                _ => false,
            };
            if !meet || slide.before == slide.after || !(slide.friction >= 0.0 && slide.friction.is_finite())
            {
                return Err(NetworkError::NoEye(index));
            }
        }
        for (index, constraint) in self.constraints.iter().enumerate() {
            for anchor in constraint.anchors().into_iter().flatten() {
                if anchor >= count {
                    return Err(NetworkError::NoSuchAnchor { what: "constraint", index, anchor, count });
                }
            }
            if !constraint.is_finite() {
                return Err(NetworkError::NotFinite { what: "constraint", index });
            }
        }
        self.check_lengths()
    }

    /// Whether every span between two fixed anchors reaches.
    fn check_lengths(&self) -> Result<(), NetworkError> {
        let fixed = |i: usize| self.anchors[i].held == [true; 3] && self.anchors[i].held_orientation;
        let place = |a: &Attachment| {
            let pose = self.anchors[a.anchor].pose;
            pose.position + rotation::rotate(&pose.orientation, &a.anchor_from_end.position)
        };
        for (index, span) in self.spans.iter().enumerate() {
            let slides = self.slides.iter().any(|s| s.before == index || s.after == index);
            let Some(end) = span.end.filter(|e| !slides && fixed(span.start.anchor) && fixed(e.anchor))
            else {
                continue;
            };
            let missing = (place(&end) - place(&span.start)).norm() - span.rod.length();
            if missing > 0.0 {
                return Err(NetworkError::TooShort { index, missing });
            }
        }
        Ok(())
    }
}

impl Network {
    /// One cable as a network: its ends become anchors. `None` for a ring, and for a cable that
    /// nothing holds at its start (turn it round).
    pub fn from_cable(problem: &Problem) -> Option<Self> {
        let [start, end] = &problem.ends;
        let held = |e: &End| e.held != [false; 3] || e.orientation.is_some();
        if problem.closed || !held(start) {
            return None;
        }
        let anchor = |e: &End| Anchor {
            held: e.held,
            held_orientation: true,
            ..Anchor::fixed(Pose {
                position: e.position,
                orientation: e.orientation.unwrap_or_else(rotation::identity),
            })
        };
        let grip = |e: &End, a: usize| match e.orientation {
            Some(_) => Attachment::clamped(a),
            None => Attachment::pinned(a),
        };
        let twisted = |q: Quat| q * rotation::exp(&Vec3::new(0.0, 0.0, start.twist));
        let mut first = anchor(start);
        first.pose.orientation = twisted(first.pose.orientation);
        let mut network = Self { anchors: vec![first], gravity: problem.gravity, ..Self::default() };
        let mut finish = None;
        if held(end) {
            network.anchors.push(anchor(end));
            finish = Some(grip(end, 1));
        }
        let mut span = Span::new(problem.rod.clone(), grip(start, 0), finish);
        span.twist = end.twist;
        span.point_loads.clone_from(&problem.point_loads);
        span.distributed_loads.clone_from(&problem.distributed_loads);
        network.spans.push(span);
        Some(network)
    }
}
