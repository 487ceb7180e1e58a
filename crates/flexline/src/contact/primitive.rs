//! Shapes that have a formula: which features each has, and from where each is the nearest, in its own axes.

use super::feature::{Feature, Field, outward};
use super::obstacle::Shape;
use super::segment::{Segment, bisect};
use super::touch::{Kind, SLACK, Touch, push};
use crate::algebra::{Mat3, Vec3};
use Kind::{Corner, Edge, Face};

/// Adds the touches of a segment; those on borders of features more than once.
pub(super) fn touches(shape: &Shape, segment: &Segment, out: &mut Vec<Touch>) {
    if inside(shape, segment, out) {
        return;
    }
    for (kind, count) in [(Face, 6), (Edge, 12), (Corner, 8)] {
        for index in 0..count {
            let Some(feature) = feature(shape, kind, index) else { break };
            for &share in feature.places(segment).shares() {
                let at = segment.at(share);
                let field = feature.field(&at, &segment.along);
                if is_nearest(shape, kind, index, &at, &field.normal) {
                    push(segment, share, &field, kind.number(index), out);
                }
            }
        }
    }
}

/// A feature of a shape; their indices have no gaps.
pub(super) fn feature(shape: &Shape, kind: Kind, index: usize) -> Option<Feature> {
    let bar = |radius| Feature::Line { through: Vec3::zeros(), axis: Vec3::z(), radius };
    let end = |index: usize, half: f64| Vec3::z() * (sign(index, 0) * half);
    Some(match (shape, kind, index) {
        (Shape::Plane, Face, 0) => Feature::Plane { through: Vec3::zeros(), normal: Vec3::z() },
        (Shape::Tube { radius }, Face, 0) => Feature::Bore { radius: *radius },
        (Shape::Sphere { radius }, Corner, 0) => Feature::Point { at: Vec3::zeros(), radius: *radius },
        (Shape::Cylinder { radius, .. } | Shape::Capsule { radius, .. }, Edge, 0) => bar(*radius),
        (Shape::Capsule { radius, half_length }, Corner, 0 | 1) => {
            Feature::Point { at: end(index, *half_length), radius: *radius }
        }
        (Shape::Cylinder { half_length: Some(half), .. }, Face, 0 | 1) => {
            Feature::Plane { through: end(index, *half), normal: end(index, 1.0) }
        }
        (Shape::Cylinder { radius, half_length: Some(half) }, Edge, 1 | 2) => {
            Feature::Rim { radius: *radius, height: end(index - 1, *half).z }
        }
        (Shape::Box { half }, Face, 0..6) => {
            let mut normal = Vec3::zeros();
            normal[index / 2] = sign(index, 0);
            Feature::Plane { through: half.component_mul(&normal), normal }
        }
        (Shape::Box { half }, Edge, 0..12) => {
            let (mut axis, mut through) = (Vec3::zeros(), Vec3::zeros());
            axis[index / 4] = 1.0;
            for (other, sign) in beside(index) {
                through[other] = sign * half[other];
            }
            Feature::Line { through, axis, radius: 0.0 }
        }
        (Shape::Box { half }, Corner, 0..8) => {
            Feature::Point { at: half.component_mul(&signs(index)), radius: 0.0 }
        }
        _ => return None,
    })
}

/// Whether a feature is the nearest of a shape, seen from a place outside where it has this normal; opened a little at
/// sharp edges and corners.
fn is_nearest(shape: &Shape, kind: Kind, index: usize, at: &Vec3, normal: &Vec3) -> bool {
    match (shape, kind) {
        (Shape::Cylinder { half_length: Some(half), .. }, Edge) if index == 0 => at.z.abs() <= *half,
        (Shape::Cylinder { .. }, Edge) if index > 0 => {
            sign(index - 1, 0) * normal.z >= -SLACK && outward(at).0.dot(normal) >= -SLACK
        }
        (Shape::Cylinder { radius, half_length: Some(half) }, Face) => {
            f64::hypot(at.x, at.y) <= *radius && sign(index, 0) * at.z >= *half
        }
        (Shape::Capsule { half_length, .. }, Edge) => at.z.abs() <= *half_length,
        (Shape::Capsule { .. }, Corner) => sign(index, 0) * normal.z >= -SLACK,
        (Shape::Box { half }, Face) => {
            let over = at.abs() - half;
            let axis = index / 2;
            sign(index, 0) * at[axis] >= half[axis]
                && over[(axis + 1) % 3] <= 0.0
                && over[(axis + 2) % 3] <= 0.0
        }
        (Shape::Box { half }, Edge) => {
            at[index / 4].abs() <= half[index / 4]
                && beside(index).into_iter().all(|(other, sign)| sign * normal[other] >= -SLACK)
        }
        (Shape::Box { .. }, Corner) => normal.component_mul(&signs(index)).min() >= -SLACK,
        _ => true,
    }
}

/// The sign that a bit of an index stands for.
fn sign(index: usize, bit: usize) -> f64 {
    if index >> bit & 1 == 0 { 1.0 } else { -1.0 }
}

/// The corner of a block with an index.
fn signs(index: usize) -> Vec3 {
    Vec3::new(sign(index, 0), sign(index, 1), sign(index, 2))
}

/// On which sides of the two other axes an edge of a block is.
fn beside(index: usize) -> [(usize, f64); 2] {
    [((index / 4 + 1) % 3, sign(index, 0)), ((index / 4 + 2) % 3, sign(index, 1))]
}

/// Inside a solid with edges, or nearest to it from outside: the feature that the signed distance, the largest over
/// faces and side, belongs to. `None` where the field of one feature is the whole distance.
fn deepest_feature(shape: &Shape, p: &Vec3) -> Option<(Kind, usize)> {
    match shape {
        Shape::Cylinder { radius, half_length: Some(half) } => {
            let beside = f64::hypot(p.x, p.y) - radius > p.z.abs() - half;
            Some(if beside { (Edge, 0) } else { (Face, usize::from(p.z < 0.0)) })
        }
        Shape::Box { half } => {
            let axis = (p.abs() - half).imax();
            Some((Face, 2 * axis + usize::from(p[axis] < 0.0)))
        }
        _ => None,
    }
}

/// Touches of a segment that enters a solid with edges: its deepest place, and its ends where they are inside. `false`
/// and nothing where it does not enter. The signed distance is convex along the segment, so the deepest place is where
/// its growth changes sign.
fn inside(shape: &Shape, segment: &Segment, out: &mut Vec<Touch>) -> bool {
    let depth = |share: f64| {
        let p = segment.at(share);
        let (kind, index) = deepest_feature(shape, &p)?;
        Some((feature(shape, kind, index)?.field(&p, &segment.along), kind.number(index)))
    };
    let growth = |share: f64| depth(share).map_or(0.0, |(field, _)| field.normal.dot(&segment.along));
    let deepest = match (growth(0.0) < 0.0, growth(1.0) > 0.0) {
        (true, true) => bisect(0.0, 1.0, growth),
        (false, _) => 0.0,
        (true, false) => 1.0,
    };
    let Some((mut here, number)) = depth(deepest).filter(|(field, _)| field.distance < 0.0) else {
        return false;
    };
    for &share in segment.ends().shares() {
        if let Some((end, number)) = depth(share).filter(|(field, _)| field.distance < 0.0) {
            push(segment, share, &end, number, out);
        }
    }
    if deepest > 0.0 && deepest < 1.0 {
        if let (Some((before, _)), Some((after, _))) = (depth(deepest - 1e-9), depth(deepest + 1e-9)) {
            across_segment(&mut here, &before.normal, &after.normal, &segment.along);
        }
        push(segment, deepest, &here, number, out);
    }
    true
}

/// Where two features are equally near the normal is the one between theirs that is across the segment.
fn across_segment(field: &mut Field, before: &Vec3, after: &Vec3, along: &Vec3) {
    let (falls, grows) = (before.dot(along), after.dot(along));
    if (after - before).norm() > 1e-6 && grows > falls {
        let share = (grows / (grows - falls)).clamp(0.0, 1.0);
        let between = before * share + after * (1.0 - share);
        field.normal = between.try_normalize(1e-6).unwrap_or(field.normal);
        field.hessian = Mat3::zeros();
    }
}
