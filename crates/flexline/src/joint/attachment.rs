//! How the end of a span sits on its anchor.

use crate::algebra::{Vec3, rotation};
use crate::body::{End, Pose};
use serde::{Deserialize, Serialize};

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
/// Where the end of a span is, given the pose of its anchor.
pub(crate) fn end_pose(anchor: &Pose, attachment: &Attachment) -> Pose {
    Pose {
        position: anchor.position
            + rotation::rotate(&anchor.orientation, &attachment.anchor_from_end.position),
        orientation: anchor.orientation * attachment.anchor_from_end.orientation,
    }
}

/// The end condition of a span at the given pose of its anchor.
pub(crate) fn end_condition(anchor: &Pose, attachment: &Attachment, twist: f64) -> End {
    let pose = end_pose(anchor, attachment);
    let mut end = match attachment.grip {
        Grip::Clamped => End::clamped(pose),
        Grip::Pinned => End::pinned(pose.position),
    };
    end.twist = if end.orientation.is_some() { twist } else { 0.0 };
    end
}
