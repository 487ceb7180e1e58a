//! Parts that have a shape: obstacles that go with an anchor, wherever cables move it.

use super::super::model::Network;
use super::body::Rigid;
use crate::algebra::rotation;
use crate::body::Pose;
use crate::contact::Obstacle;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An obstacle that is the shape of a part: it goes with the anchor of that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mount {
    /// The obstacle.
    pub obstacle: usize,
    /// The anchor.
    pub anchor: usize,
    /// Where it is in the axes of the anchor, obstacle → anchor.
    pub anchor_from_obstacle: Pose,
}

/// Where something is that has a pose in the axes of something else.
pub(super) fn within(outer: &Pose, inner: &Pose) -> Pose {
    Pose {
        position: outer.position + rotation::rotate(&outer.orientation, &inner.position),
        orientation: outer.orientation * inner.orientation,
    }
}

impl Network {
    /// How an obstacle is mounted; `None` where it stands in the world.
    pub fn mount(&self, obstacle: usize) -> Option<&Mount> {
        self.mounts.iter().find(|mount| mount.obstacle == obstacle)
    }

    /// Where an obstacle is while anchors are where they are: with its anchor, or where the network has it.
    pub fn obstacle_pose(&self, obstacle: usize, anchors: &[Pose]) -> Pose {
        let mounted = self.mount(obstacle).and_then(|mount| Some((mount, anchors.get(mount.anchor)?)));
        match mounted {
            Some((mount, anchor)) => within(anchor, &mount.anchor_from_obstacle),
            None => self.obstacles[obstacle].pose,
        }
    }

    /// An obstacle where it is while anchors are where they are.
    pub fn obstacle_at(&self, obstacle: usize, anchors: &[Pose]) -> Cow<'_, Obstacle> {
        let (own, pose) = (&self.obstacles[obstacle], self.obstacle_pose(obstacle, anchors));
        if own.pose == pose {
            return Cow::Borrowed(own);
        }
        Cow::Owned(Obstacle { pose, ..own.clone() })
    }

    /// Where obstacles are, those in the world as they are told.
    pub(in crate::solver) fn standing(&self, anchors: &[Pose]) -> impl Iterator<Item = Pose> {
        (0..self.obstacles.len()).map(|obstacle| self.obstacle_pose(obstacle, anchors))
    }

    /// Whether an anchor may move.
    fn is_loose(&self, anchor: usize) -> bool {
        let own = &self.anchors[anchor];
        own.held != [true; 3] || !own.held_orientation
    }

    /// The anchor that an obstacle goes with, where forces may move that.
    pub(in crate::solver) fn loose_mount(&self, obstacle: usize) -> Option<usize> {
        self.mount(obstacle).map(|mount| mount.anchor).filter(|anchor| self.is_loose(*anchor))
    }

    /// The same as a side of a contact.
    pub(super) fn rigid(&self, obstacle: usize, anchors: &[Pose]) -> Option<Rigid> {
        self.loose_mount(obstacle).map(|anchor| Rigid { anchor, pose: anchors[anchor] })
    }

    /// Whether any part with a shape may be moved by forces.
    pub(in crate::solver) fn has_loose_shapes(&self) -> bool {
        self.mounts.iter().any(|mount| self.is_loose(mount.anchor))
    }
}
