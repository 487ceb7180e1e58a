//! What is to be solved: one rod, what holds its ends, what loads it. Constant during a solve.

use crate::algebra::{Quat, Vec3, rotation};
use crate::body::Pole;
use crate::rod::mixed::MixedRod;
use crate::rod::{AnyRod, Rod, RodState};
use crate::section::SectionError;
use serde::{Deserialize, Serialize};

/// A position and an orientation, material→world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Position, m, world.
    pub position: Vec3,
    /// Unit quaternion, material→world; its third director is the tangent of the rod.
    pub orientation: Quat,
}

/// What holds one end of the rod.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Where the end is held; where it starts, along axes that are not held.
    pub position: Vec3,
    /// Which world axes of the position are held.
    pub held: [bool; 3],
    /// The frame the end is held at, before `twist`; `None` leaves it free to turn.
    pub orientation: Option<Quat>,
    /// Rotation about the end's own tangent on top of `orientation`, rad. Full turns count: they
    /// are carried into the rod.
    pub twist: f64,
}

impl End {
    /// Position and orientation held.
    pub fn clamped(pose: Pose) -> Self {
        Self { position: pose.position, held: [true; 3], orientation: Some(pose.orientation), twist: 0.0 }
    }

    /// Position held, free to turn.
    pub fn pinned(position: Vec3) -> Self {
        Self { position, held: [true; 3], orientation: None, twist: 0.0 }
    }

    /// Nothing held.
    pub fn free() -> Self {
        Self { position: Vec3::zeros(), held: [false; 3], orientation: None, twist: 0.0 }
    }

    /// The frame the end is held at, twist included.
    pub fn frame(&self) -> Option<Quat> {
        self.orientation.map(|q| q * rotation::exp(&Vec3::new(0.0, 0.0, self.twist)))
    }

    /// Whether the position is held along all axes.
    pub fn holds_position(&self) -> bool {
        self.held == [true; 3]
    }
}

/// The axes a load keeps while the rod moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Axes {
    /// Fixed in the world: a dead load.
    #[default]
    World,
    /// Fixed in the material frame: a follower load.
    Material,
}

/// A force and a moment at one arc length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointLoad {
    /// Arc length, m, in [0, L].
    pub s: f64,
    /// Force, N.
    pub force: Vec3,
    /// Moment, N m.
    pub moment: Vec3,
    /// The axes both are fixed in.
    pub axes: Axes,
}

/// A force and a moment per length, varying linearly over [from, to].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DistributedLoad {
    /// Where it begins, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
    /// Force per length at `from` and at `to`, N/m.
    pub force: [Vec3; 2],
    /// Moment per length at `from` and at `to`, N.
    pub moment: [Vec3; 2],
    /// The axes both are fixed in.
    pub axes: Axes,
}

/// One rod, what holds it, what loads it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The rod.
    pub rod: AnyRod,
    /// Gravity, m/s².
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

/// Whether all components are numbers.
pub(crate) fn is_finite(v: &Vec3) -> bool {
    v.iter().all(|c| c.is_finite())
}

/// How far from 1 the norm of a quaternion may be: that of single precision, and not that of a mistake.
const UNIT: f64 = 1e-6;

/// The norm of a quaternion that is no rotation.
pub(crate) fn not_unit(q: &Quat) -> Option<f64> {
    let norm = q.norm();
    let unit = (norm - 1.0).abs() <= UNIT;
    (!unit).then_some(norm)
}

impl Pose {
    /// Whether the position is finite and the orientation a rotation.
    pub(crate) fn is_sound(&self) -> bool {
        is_finite(&self.position) && not_unit(&self.orientation).is_none()
    }
}

impl PointLoad {
    /// Whether force and moment are finite.
    pub(crate) fn is_finite(&self) -> bool {
        is_finite(&self.force) && is_finite(&self.moment) && self.s.is_finite()
    }
}

impl DistributedLoad {
    /// Whether force and moment are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.force.iter().chain(&self.moment).all(is_finite)
    }
}

/// Arc lengths of loads that lie outside a rod.
pub(crate) fn outside<'a>(
    points: &'a [PointLoad],
    distributed: &'a [DistributedLoad],
    length: f64,
) -> impl Iterator<Item = f64> + 'a {
    let places = points.iter().map(|l| l.s).chain(distributed.iter().flat_map(|l| [l.from, l.to]));
    places.filter(move |s| !(*s >= 0.0 && *s <= length * (1.0 + 1e-12)))
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

    /// The rod as a chain of nodes and frames. The solver of chains is given nothing else:
    /// [`crate::solver::statics::solve`] sends other models elsewhere.
    pub(crate) fn chain(&self) -> &MixedRod {
        match &self.rod {
            AnyRod::Mixed(rod) => rod,
            AnyRod::Curvature(_) | AnyRod::Spline(_) => {
                unreachable!("the solver of chains was given a rod of another model")
            }
        }
    }

    /// The same, to be changed.
    pub(crate) fn chain_mut(&mut self) -> &mut MixedRod {
        match &mut self.rod {
            AnyRod::Mixed(rod) => rod,
            AnyRod::Curvature(_) | AnyRod::Spline(_) => {
                unreachable!("the solver of chains was given a rod of another model")
            }
        }
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

/// The changing part of a problem: shape, multipliers, and the ends it was solved for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Coordinates of the rod.
    pub rod: RodState,
    /// Force that the support exerts on the end s = L, N, world; zero along free axes.
    pub end_force: Vec3,
    /// Moment that holds the frame at s = L, N m, world, where that frame follows from the coordinates;
    /// zero where it is one of them.
    #[serde(default = "Vec3::zeros")]
    pub end_moment: Vec3,
    /// The ends this state belongs to: a warm start moves from here to the ends of the problem.
    pub ends: [End; 2],
}

impl State {
    /// Room for a state.
    pub(crate) fn empty() -> Self {
        Self::new(RodState { coordinates: Vec::new(), twist: Vec::new() }, [End::free(); 2])
    }

    /// Whether it is made of numbers.
    pub(crate) fn is_finite(&self) -> bool {
        let numbers = |all: &[f64]| all.iter().all(|c| c.is_finite());
        let sound = |end: &End| {
            is_finite(&end.position)
                && end.twist.is_finite()
                && end.orientation.as_ref().and_then(not_unit).is_none()
        };
        numbers(&self.rod.coordinates)
            && numbers(&self.rod.twist)
            && self.ends.iter().all(sound)
            && is_finite(&self.end_force)
            && is_finite(&self.end_moment)
    }

    /// A shape without any force.
    pub fn new(rod: RodState, ends: [End; 2]) -> Self {
        Self { rod, end_force: Vec3::zeros(), end_moment: Vec3::zeros(), ends }
    }

    /// Makes this a copy of `other` without allocating (both belong to rods of one size).
    pub fn copy_from(&mut self, other: &Self) {
        self.rod.coordinates.clone_from(&other.rod.coordinates);
        self.rod.twist.clone_from(&other.rod.twist);
        self.end_force = other.end_force;
        self.end_moment = other.end_moment;
        self.ends = other.ends;
    }
}
