//! Obstacles: a shape at a pose, with friction.

use super::feature::Field;
use super::mesh::Mesh;
use super::segment::Segment;
use super::touch::{Touch, settle};
use super::{polyhedron, primitive};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::body::Pose;
use crate::body::pose::{is_finite, not_unit};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that rods cannot enter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Its surface, in its own axes.
    pub shape: Shape,
    /// Where it is, obstacle → world.
    pub pose: Pose,
    /// Coulomb's coefficient of friction of rods on it.
    pub friction: f64,
}

/// The surface of an obstacle, in its own axes; lengths in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Shape {
    /// All that is below z = 0.
    Plane,
    /// A ball about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A round bar along z.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Half its length, with flat ends and sharp rims; `None` is endless.
        half_length: Option<f64>,
    },
    /// A round bar along z with round ends.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Half the length of its straight part.
        half_length: f64,
    },
    /// A block about the origin.
    Box {
        /// Half its lengths along x, y, z.
        half: Vec3,
    },
    /// All that is outside an endless cylinder along z: rods are inside.
    Tube {
        /// Radius of the bore.
        radius: f64,
    },
    /// A shell of triangles that is touched from either side.
    Mesh(#[serde(with = "shared")] Arc<Mesh>),
}

/// A mesh as it is written: its vertices and triangles.
mod shared {
    use super::Mesh;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<S: Serializer>(mesh: &Arc<Mesh>, to: S) -> Result<S::Ok, S::Error> {
        mesh.as_ref().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Mesh>, D::Error> {
        Mesh::deserialize(from).map(Arc::new)
    }
}

/// Why an obstacle is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObstacleError {
    /// A length that must be above zero is not, or is not a number.
    #[error("{what} of the obstacle is {value} m: expected a finite number above 0; give its size in metres")]
    Size {
        /// The length.
        what: &'static str,
        /// Its value, m.
        value: f64,
    },
    /// The friction is negative or not a number.
    #[error(
        "the friction of the obstacle is {value}: expected a finite number, 0 or more; \
         rubber on metal has about 0.5, plastics on metal 0.2, and 0 is smooth"
    )]
    Friction {
        /// The coefficient.
        value: f64,
    },
    /// The position has a component that is no number.
    #[error("the position of the obstacle is {0:?}: expected three finite numbers, in metres")]
    Position([f64; 3]),
    /// The orientation is no rotation.
    #[error(
        "the orientation of the obstacle is a quaternion of norm {norm}: expected 1; \
         divide its four components by that"
    )]
    Orientation {
        /// The norm.
        norm: f64,
    },
}

impl Obstacle {
    /// Whether sizes, pose and friction make sense. Everything else here expects that they do.
    pub fn check(&self) -> Result<(), ObstacleError> {
        let above_zero = |what, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(ObstacleError::Size { what, value }),
        };
        match &self.shape {
            Shape::Plane | Shape::Mesh(_) => {}
            Shape::Sphere { radius } | Shape::Tube { radius } => above_zero("the radius", *radius)?,
            Shape::Cylinder { radius, half_length } => {
                above_zero("the radius", *radius)?;
                half_length.map_or(Ok(()), |h| above_zero("half the length", h))?;
            }
            Shape::Capsule { radius, half_length } => {
                above_zero("the radius", *radius)?;
                above_zero("half the length", *half_length)?;
            }
            Shape::Box { half } => {
                for (what, value) in ["half the x length", "half the y length", "half the z length"]
                    .into_iter()
                    .zip(half.iter())
                {
                    above_zero(what, *value)?;
                }
            }
        }
        if !is_finite(&self.pose.position) {
            return Err(ObstacleError::Position(self.pose.position.into()));
        }
        if let Some(norm) = not_unit(&self.pose.orientation) {
            return Err(ObstacleError::Orientation { norm });
        }
        match self.friction.is_finite() && self.friction >= 0.0 {
            true => Ok(()),
            false => Err(ObstacleError::Friction { value: self.friction }),
        }
    }

    /// Adds to `out` where the segment `a`–`b` of an axis comes nearer than `reach` to the surface: the local minima of
    /// the distance between a place of the segment and a place of the surface.
    ///
    /// Over flat faces and inside tubes, and where the segment is parallel to an edge or a generator, both ends are
    /// told, whichever is nearer; where it leaves a face over a rim, that crossing too. Elsewhere an end is told where
    /// the segment is nearest there. So a node that is no minimum of the polyline is told by one of its two segments
    /// only, or by none.
    pub fn touches(&self, a: Vec3, b: Vec3, reach: f64, out: &mut Vec<Touch>) {
        self.touches_among(None, a, b, reach, out);
    }

    /// Adds to `out` the triangles of a mesh that a segment may come nearer to than `reach`; other shapes have none.
    pub fn triangles_near(&self, a: Vec3, b: Vec3, reach: f64, out: &mut Vec<u32>) {
        if let Shape::Mesh(mesh) = &self.shape {
            let world_from_own = self.axes();
            let [a, b] = [a, b].map(|p| world_from_own.tr_mul(&(p - self.pose.position)));
            let around = Vec3::repeat(reach);
            let (low, high) = (a.inf(&b) - around, a.sup(&b) + around);
            let near = mesh.near(&low, &high).filter(|t| !mesh.is_beyond(*t, &[a, b], reach));
            out.extend(near.map(|t| t as u32));
        }
    }

    /// The same as [`Obstacle::touches`], for a mesh of some of its triangles only.
    pub fn touches_among(
        &self,
        triangles: Option<&[u32]>,
        a: Vec3,
        b: Vec3,
        reach: f64,
        out: &mut Vec<Touch>,
    ) {
        let world_from_own = self.axes();
        let own = |p: Vec3| world_from_own.tr_mul(&(p - self.pose.position));
        let first = own(a);
        let segment = Segment { a: first, along: own(b) - first, reach };
        if !(is_finite(&segment.a) && is_finite(&segment.along)) {
            return;
        }
        let start = out.len();
        match &self.shape {
            Shape::Mesh(mesh) => polyhedron::touches(mesh, triangles, &segment, out),
            shape => primitive::touches(shape, &segment, out),
        }
        settle(out, start);
        for touch in &mut out[start..] {
            let at = if touch.share == 1.0 { b } else { a + (b - a) * touch.share };
            self.to_world(touch, at, &world_from_own);
        }
    }

    /// What `touch` becomes where the axis is at `at`, not far from it: the same feature where that is nearest to `at`
    /// still, else the one that the nearest place has gone over to. `triangles` are those near, and `room` is given back as
    /// it was.
    pub fn follow(&self, touch: &Touch, at: Vec3, triangles: &[u32], room: &mut Vec<Touch>) -> Option<Touch> {
        let count = room.len();
        let away = (at - touch.at).norm();
        // Half as much again, lest round-off hides what is as far as can be.
        let reach = touch.distance.abs() + 1.5 * away + f64::EPSILON * at.norm();
        self.touches_among(Some(triangles), at, at, reach * (1.0 + 1e-9), room);
        let gone = |t: &Touch| (t.feature != touch.feature, (t.surface - touch.surface).norm());
        let nearest = room[count..].iter().min_by(|a, b| {
            let (a, b) = (gone(a), gone(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let here = nearest.copied();
        room.truncate(count);
        here
    }

    /// The same edge or corner of a mesh as `touch`, from `at`, whatever else may be nearer there; `None` of faces and of
    /// other shapes, and beyond the ends of an edge.
    pub fn stay(&self, touch: &Touch, at: Vec3) -> Option<Touch> {
        let Shape::Mesh(mesh) = &self.shape else { return None };
        let world_from_own = self.axes();
        let own = world_from_own.tr_mul(&(at - self.pose.position));
        let Field { distance, normal, hessian } = polyhedron::field_of(mesh, touch.feature, &own)?;
        let mut here =
            Touch { at: own, surface: own - normal * distance, normal, distance, hessian, ..*touch };
        self.to_world(&mut here, at, &world_from_own);
        Some(here)
    }

    fn to_world(&self, touch: &mut Touch, at: Vec3, world_from_own: &Mat3) {
        touch.at = at;
        touch.surface = self.pose.position + world_from_own * touch.surface;
        touch.normal = world_from_own * touch.normal;
        touch.hessian = world_from_own * touch.hessian * world_from_own.transpose();
    }

    /// Its axes as columns, world.
    pub(super) fn axes(&self) -> Mat3 {
        rotation::matrix(&self.pose.orientation.normalize())
    }
}
