//! What is to be solved: one rod, what holds its ends, what loads it. Constant during a solve.

use crate::algebra::{Quat, Vec3, rotation};
use crate::body::load::outside;
use crate::body::pose::{is_finite, not_unit};
use crate::body::{DistributedLoad, End, PointLoad, Pole};
use crate::rod::mixed::{HeldChain, MixedRod};
use crate::rod::{AnyRod, Rod};
use crate::section::SectionError;
use serde::{Deserialize, Serialize};

/// One rod, what holds it, what loads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The rod.
    pub rod: AnyRod,
    /// Gravity, m/s², world.
    pub gravity: Vec3,
    /// What holds s = 0 and s = L.
    pub ends: [End; 2],
    /// The rod is a closed ring: its last station is its first, turned by `ends[1].twist` about
    /// the tangent. `ends[0]` then says what holds the seam; `ends[1]` holds nothing else.
    pub closed: bool,
    /// Loads at points.
    pub point_loads: Vec<PointLoad>,
    /// Loads along stretches.
    pub distributed_loads: Vec<DistributedLoad>,
    /// Poles that the rod keeps out of.
    pub poles: Vec<Pole>,
}

/// Why a problem cannot be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// Neither end is held.
    #[error("nothing holds the cable: hold the position of at least one end")]
    Floating,
    /// A load acts beyond an end.
    #[error("load at s = {s} m lies outside the cable (0 … {length} m)")]
    LoadOutside {
        /// Where it was asked for.
        s: f64,
        /// Length of the rod.
        length: f64,
    },
    /// The ends are farther apart than the cable is long.
    #[error(
        "the cable is {:.3} mm too short: it is {:.3} mm long, its ends are {:.3} mm apart",
        missing * 1e3, length * 1e3, distance * 1e3
    )]
    TooShort {
        /// Missing length, m.
        missing: f64,
        /// Length of the cable, m.
        length: f64,
        /// Distance of its ends, m.
        distance: f64,
    },
    /// The dissertation's scheme was asked for something it does not know.
    #[error(
        "integral forces know chains of nodes and frames, and neither rings, poles, moments nor follower loads: use the \
         Newton method"
    )]
    NotInScheme,
    /// State or workspace belong to a rod of another size.
    #[error("state and workspace are not of this rod's size: make them for this problem")]
    Size,
    /// A quaternion that is no rotation.
    #[error(
        "{what} is a quaternion of norm {norm}: expected 1; divide it by its norm (that of a tangent without length has \
         none)"
    )]
    NotUnit {
        /// The quantity.
        what: &'static str,
        /// Its norm.
        norm: f64,
    },
    /// The rod cannot be solved for.
    #[error("the rod: {0}")]
    Rod(#[from] SectionError),
    /// A setting that no solve can keep.
    #[error("the setting {what} is {value}: expected {expected}")]
    Setting {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is expected.
        expected: &'static str,
    },
    /// A number is not finite.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// The quantity.
        what: &'static str,
    },
}

impl Problem {
    /// A rod held at both ends, without loads.
    pub fn new(rod: impl Into<AnyRod>, start: End, end: End) -> Self {
        Self {
            rod: rod.into(),
            gravity: Vec3::zeros(),
            ends: [start, end],
            closed: false,
            point_loads: Vec::new(),
            distributed_loads: Vec::new(),
            poles: Vec::new(),
        }
    }

    /// The rod as a chain of nodes and frames. The dissertation's scheme is given nothing else.
    pub(crate) fn chain(&self) -> &MixedRod {
        self.rod
            .as_mixed()
            .unwrap_or_else(|| unreachable!("the solver of chains was given a rod of another model"))
    }

    /// A chain with its ends and loads.
    pub(crate) fn held_chain(&self) -> HeldChain {
        HeldChain {
            rod: self.chain().clone(),
            gravity: self.gravity,
            ends: self.ends,
            closed: self.closed,
            point_loads: self.point_loads.clone(),
            distributed_loads: self.distributed_loads.clone(),
        }
    }

    /// Axes of the far end that are held.
    pub(crate) fn end_held(&self) -> [bool; 3] {
        if self.closed { [true; 3] } else { self.ends[1].held }
    }

    /// Checks what can be checked before solving.
    pub fn check(&self) -> Result<(), ProblemError> {
        self.rod.check()?;
        let length = self.rod.length();
        for end in &self.ends {
            if !is_finite(&end.position) || !end.twist.is_finite() {
                return Err(ProblemError::NotFinite { what: "the pose of an end" });
            }
            if let Some(norm) = end.orientation.as_ref().and_then(not_unit) {
                return Err(ProblemError::NotUnit { what: "the orientation of an end", norm });
            }
        }
        if !is_finite(&self.gravity) {
            return Err(ProblemError::NotFinite { what: "gravity" });
        }
        if !self.poles.iter().all(Pole::is_sound) {
            return Err(ProblemError::NotFinite { what: "a pole's place, axis, radius or stiffness" });
        }
        if !self.point_loads.iter().all(PointLoad::is_finite) {
            return Err(ProblemError::NotFinite { what: "a load" });
        }
        if !self.distributed_loads.iter().all(DistributedLoad::is_finite) {
            return Err(ProblemError::NotFinite { what: "a distributed load" });
        }
        if let Some(s) = outside(&self.point_loads, &self.distributed_loads, length).next() {
            return Err(ProblemError::LoadOutside { s, length });
        }
        let held = |axis: usize| self.ends[0].held[axis] || (!self.closed && self.ends[1].held[axis]);
        if !(0..3).all(held) {
            return Err(ProblemError::Floating);
        }
        match self.slack() {
            Some(slack) if slack < 0.0 => {
                Err(ProblemError::TooShort { missing: -slack, length, distance: length - slack })
            }
            _ => Ok(()),
        }
    }

    /// How much longer the cable is than the distance of its held ends, m; `None` where an end may
    /// move.
    pub fn slack(&self) -> Option<f64> {
        let both = !self.closed && self.ends.iter().all(End::holds_position);
        both.then(|| self.rod.length() - (self.ends[1].position - self.ends[0].position).norm())
    }
}

/// Slack, as a share of the length, below which a cable counts as having none.
const NO_SLACK: f64 = 1e-8;
/// An end that leaves the chord by a smaller angle, rad, is along it.
const ALONG: f64 = 1e-6;

impl Problem {
    /// Whether the cable is as long as its held ends are apart: no finite tension carries a load across.
    pub(crate) fn has_no_slack(&self) -> bool {
        self.slack().is_some_and(|slack| slack < NO_SLACK * self.rod.length())
    }

    /// Whether it has no slack, and an end holds it askew of the straight line that this leaves it: that takes a bend
    /// of no radius.
    pub(crate) fn has_no_room_to_bend(&self) -> bool {
        self.has_no_slack() && no_room_to_bend(&self.ends, self.rod.length())
    }
}

/// Whether ends that are held leave a cable of this length no slack, and one holds it askew of the line between them.
pub(crate) fn no_room_to_bend(ends: &[End; 2], length: f64) -> bool {
    let chord = ends[1].position - ends[0].position;
    let askew = |q: Quat| {
        let tangent = rotation::tangent(&q);
        tangent.dot(&chord) < 0.0 || tangent.cross(&chord).norm() > ALONG * chord.norm()
    };
    chord.norm() > (1.0 - NO_SLACK) * length && ends.iter().filter_map(|end| end.orientation).any(askew)
}
