//! Distance fields of single features: planes, lines, points, rims. Smooth where the distance from a whole surface is not.

use super::segment::{Places, Segment};
use crate::algebra::{Mat3, Vec3, rotation};

/// Nearer than this share of its radius to a line or a point there is no direction, and curvature is left out.
const ON_AXIS: f64 = 1e-9;

/// A feature of a surface, in the axes of the obstacle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Feature {
    /// The distance is the height above a plane.
    Plane { through: Vec3, normal: Vec3 },
    /// What is within `radius` of a line; a sharp edge where that is zero.
    Line { through: Vec3, axis: Vec3, radius: f64 },
    /// What is beyond `radius` from the z axis.
    Bore { radius: f64 },
    /// What is within `radius` of a point; a corner where that is zero.
    Point { at: Vec3, radius: f64 },
    /// The sharp circle of `radius` about the z axis at z = `height`, of a solid below it, or above where that is
    /// negative.
    Rim { radius: f64, height: f64 },
}

/// A distance with its first and second derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub distance: f64,
    pub normal: Vec3,
    pub hessian: Mat3,
}

impl Feature {
    /// The distance of `p`: d − R with second derivative (I − nnᵀ)/d from a point and (I − nnᵀ − eeᵀ)/d from a line along e,
    /// where d is the distance from the point or line itself. On it any direction serves, best across `along`.
    pub(super) fn field(&self, p: &Vec3, along: &Vec3) -> Field {
        match *self {
            Self::Plane { through, normal } => {
                Field { distance: normal.dot(&(p - through)), normal, hessian: Mat3::zeros() }
            }
            Self::Point { at, radius } => {
                let any =
                    || along.try_normalize(f64::MIN_POSITIVE).map_or(Vec3::z(), |t| rotation::across(&t));
                round(&(p - at), radius, &Mat3::identity(), any)
            }
            Self::Line { through, axis, radius } => {
                let from = p - through;
                let across = Mat3::identity() - axis * axis.transpose();
                let any = || {
                    axis.cross(along)
                        .try_normalize(f64::MIN_POSITIVE)
                        .unwrap_or_else(|| rotation::across(&axis))
                };
                round(&(from - axis * axis.dot(&from)), radius, &across, any)
            }
            Self::Bore { radius } => {
                let bar = Self::Line { through: Vec3::zeros(), axis: Vec3::z(), radius }.field(p, along);
                Field { distance: -bar.distance, normal: -bar.normal, hessian: -bar.hessian }
            }
            Self::Rim { radius, height } => rim(p, radius, height),
        }
    }

    /// Where along a segment the distance is least; both ends where it is flat or hollow.
    pub(super) fn places(&self, segment: &Segment) -> Places {
        match self {
            Self::Plane { .. } | Self::Bore { .. } => segment.ends(),
            Self::Point { at, .. } => segment.nearest_to_point(at),
            Self::Line { through, axis, .. } => segment.nearest_to_line(through, axis),
            Self::Rim { radius, height } => segment.nearest_to_rim(*radius, *height),
        }
    }
}

/// The field around a line or a point that `from` leads away from; `across` takes out what does not change the distance.
fn round(from: &Vec3, radius: f64, across: &Mat3, any: impl FnOnce() -> Vec3) -> Field {
    let length = from.norm();
    if length <= f64::MIN_POSITIVE.max(ON_AXIS * radius) {
        let normal = if length > f64::MIN_POSITIVE { from / length } else { any() };
        return Field { distance: length - radius, normal, hessian: Mat3::zeros() };
    }
    let normal = from / length;
    Field { distance: length - radius, normal, hessian: (across - normal * normal.transpose()) / length }
}

/// In the plane of z and the radius ρ the distance is d = √((ρ − R)² + (z − h)²) with gradient n; the second derivative is
/// ττᵀ/d + (n_ρ/ρ) θθᵀ, with τ across n in that plane and θ around the axis.
fn rim(p: &Vec3, radius: f64, height: f64) -> Field {
    let (outward, rho) = outward(p);
    let (over, above) = (rho - radius, p.z - height);
    let distance = over.hypot(above);
    if distance <= f64::MIN_POSITIVE {
        return Field { distance, normal: outward, hessian: Mat3::zeros() };
    }
    let (radially, upward) = (over / distance, above / distance);
    let (across, around) = (Vec3::z() * radially - outward * upward, Vec3::z().cross(&outward));
    let bend = if rho > ON_AXIS * radius { radially / rho } else { 0.0 };
    Field {
        distance,
        normal: outward * radially + Vec3::z() * upward,
        hessian: across * across.transpose() / distance + around * around.transpose() * bend,
    }
}

/// Direction and distance from the z axis; on it any direction.
pub(super) fn outward(p: &Vec3) -> (Vec3, f64) {
    let flat = Vec3::new(p.x, p.y, 0.0);
    let rho = flat.norm();
    (if rho > f64::MIN_POSITIVE { flat / rho } else { Vec3::x() }, rho)
}
