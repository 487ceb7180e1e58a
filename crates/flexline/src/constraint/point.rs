//! Points and directions of anchors, or of the world.

use super::row::Seen;
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::body::pose::is_finite;
use serde::{Deserialize, Serialize};

/// A point fixed in an anchor, or in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Point {
    /// In the world, m.
    World(Vec3),
    /// In the axes of an anchor, m.
    On(usize, Vec3),
}

impl Point {
    /// The anchor it is fixed in.
    pub(super) fn anchor(&self) -> Option<usize> {
        match self {
            Self::World(_) => None,
            Self::On(anchor, _) => Some(*anchor),
        }
    }

    /// Where it is in the axes of what it is fixed in, m.
    pub(super) fn own_axes(&self) -> &Vec3 {
        match self {
            Self::World(v) | Self::On(_, v) => v,
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        is_finite(self.own_axes())
    }

    /// Seen from a body, or from the world.
    pub(super) fn seen_from(&self, body: Option<usize>, poses: &[Pose]) -> Seen {
        match self {
            Self::World(v) => Seen::new(*v, Vec3::zeros(), None, body, poses),
            Self::On(a, o) => {
                let lever = rotation::rotate(&poses[*a].orientation, o);
                Seen::new(poses[*a].position + lever, lever, Some(*a), body, poses)
            }
        }
    }
}

/// A direction fixed in an anchor, or in the world; unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Direction {
    /// In the world.
    World(Vec3),
    /// In the axes of an anchor.
    On(usize, Vec3),
}

impl Direction {
    /// The anchor it is fixed in.
    pub(super) fn anchor(&self) -> Option<usize> {
        match self {
            Self::World(_) => None,
            Self::On(anchor, _) => Some(*anchor),
        }
    }

    /// Its components along the axes of what it is fixed in.
    pub(super) fn own_axes(&self) -> &Vec3 {
        match self {
            Self::World(v) | Self::On(_, v) => v,
        }
    }

    /// A vector of the same axes in the world.
    pub(super) fn to_world(self, v: &Vec3, poses: &[Pose]) -> Vec3 {
        self.anchor().map_or(*v, |a| rotation::rotate(&poses[a].orientation, v))
    }
}
