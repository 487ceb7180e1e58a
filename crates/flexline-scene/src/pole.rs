//! Poles of a scene: round bars without ends, obstacles like others once they are compiled.

use crate::model::{Orientation, PoleSpec};
use crate::obstacle::{Form, ObstacleSpec};

impl PoleSpec {
    /// The obstacle that it is.
    pub(crate) fn obstacle(&self) -> ObstacleSpec {
        ObstacleSpec {
            name: self.name.clone(),
            form: Form::Cylinder { radius: self.radius, length: None },
            on: None,
            position: self.through,
            orientation: Some(Orientation::Tangent(self.axis, None)),
            friction: self.friction,
        }
    }
}
