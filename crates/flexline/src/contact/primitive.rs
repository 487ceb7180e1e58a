//! Touches on the shapes that have a formula, in their own axes.
//!
//! Distance, normal and second derivative of every feature: face (z − c, e_z, 0), line (ρ − R, (I − nnᵀ − eeᵀ)/ρ), point
//! (ρ − R, (I − nnᵀ)/ρ), with ρ the distance from the line or point itself; a rim is said at [`rim`].

use super::touch::{Kind, SLACK, Segment, Touch, direction, line_hessian, point_hessian};
use crate::algebra::{Mat3, Vec3};

/// Below this share of a radius, m/m, the place on the axis has no direction, and curvature is left out.
const ON_AXIS: f64 = 1e-9;

/// Adds a touch if it is in reach; one that is no number never is.
fn push(
    segment: &Segment,
    share: f64,
    normal: Vec3,
    distance: f64,
    hessian: Mat3,
    feature: u64,
    out: &mut Vec<Touch>,
) {
    if distance < segment.reach {
        let at = segment.at(share);
        out.push(Touch { share, at, surface: at - normal * distance, normal, distance, hessian, feature });
    }
}

/// The half-space below z = 0.
pub(super) fn plane(segment: &Segment, out: &mut Vec<Touch>) {
    for &share in segment.ends() {
        push(segment, share, Vec3::z(), segment.at(share).z, Mat3::zeros(), Kind::Face.number(0), out);
    }
}

/// A ball.
pub(super) fn sphere(segment: &Segment, radius: f64, out: &mut Vec<Touch>) {
    round_point(segment, &Vec3::zeros(), radius, |_| true, Kind::Corner.number(0), out);
}

/// An endless bar along z.
pub(super) fn bar(segment: &Segment, radius: f64, out: &mut Vec<Touch>) {
    side(segment, radius, f64::INFINITY, out);
}

/// A bar along z with round ends.
pub(super) fn capsule(segment: &Segment, radius: f64, half: f64, out: &mut Vec<Touch>) {
    side(segment, radius, half, out);
    for (index, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let beyond = |normal: &Vec3| sign * normal.z >= -SLACK;
        round_point(
            segment,
            &Vec3::new(0.0, 0.0, sign * half),
            radius,
            beyond,
            Kind::Corner.number(index),
            out,
        );
    }
}

/// What is within `radius` of a point, seen from where `sees` tells.
fn round_point(
    segment: &Segment,
    point: &Vec3,
    radius: f64,
    sees: impl Fn(&Vec3) -> bool,
    feature: u64,
    out: &mut Vec<Touch>,
) {
    let share = segment.nearest_to_point(point);
    let (normal, rho) = direction(&(segment.at(share) - point), &segment.along);
    if sees(&normal) {
        let hessian = if rho > ON_AXIS * radius { point_hessian(&normal, rho) } else { Mat3::zeros() };
        push(segment, share, normal, rho - radius, hessian, feature, out);
    }
}

/// The side of a bar along z, between ±`half`.
fn side(segment: &Segment, radius: f64, half: f64, out: &mut Vec<Touch>) {
    for &share in segment.nearest_to_line(&Vec3::zeros(), &Vec3::z()).shares() {
        let p = segment.at(share);
        if p.z.abs() > half {
            continue;
        }
        let (normal, rho) = radial(&p, segment);
        let hessian =
            if rho > ON_AXIS * radius { line_hessian(&normal, &Vec3::z(), rho) } else { Mat3::zeros() };
        push(segment, share, normal, rho - radius, hessian, Kind::Edge.number(0), out);
    }
}

/// Direction and distance from the z axis; on the axis a direction across the segment.
fn radial(p: &Vec3, segment: &Segment) -> (Vec3, f64) {
    let flat = Vec3::new(p.x, p.y, 0.0);
    match flat.norm() {
        rho if rho > f64::MIN_POSITIVE => (flat / rho, rho),
        _ => {
            let across = Vec3::new(-segment.along.y, segment.along.x, 0.0);
            (across.try_normalize(f64::MIN_POSITIVE).unwrap_or(Vec3::x()), 0.0)
        }
    }
}

/// All that is outside an endless cylinder along z. The distance from its wall, R − ρ, is concave along a segment: the
/// ends are the minima.
pub(super) fn tube(segment: &Segment, radius: f64, out: &mut Vec<Touch>) {
    for &share in segment.ends() {
        let (outward, rho) = radial(&segment.at(share), segment);
        let hessian =
            if rho > ON_AXIS * radius { -line_hessian(&outward, &Vec3::z(), rho) } else { Mat3::zeros() };
        push(segment, share, -outward, radius - rho, hessian, Kind::Face.number(0), out);
    }
}

/// A bar along z with flat ends.
pub(super) fn cylinder(segment: &Segment, radius: f64, half: f64, out: &mut Vec<Touch>) {
    if inside(segment, |p| cylinder_depth(p, radius, half, segment), out) {
        return;
    }
    side(segment, radius, half, out);
    for (index, sign) in [-1.0, 1.0].into_iter().enumerate() {
        for &share in segment.ends() {
            let p = segment.at(share);
            if f64::hypot(p.x, p.y) <= radius && sign * p.z >= half {
                let height = sign * p.z - half;
                push(
                    segment,
                    share,
                    Vec3::z() * sign,
                    height,
                    Mat3::zeros(),
                    Kind::Face.number(1 + index),
                    out,
                );
            }
        }
        rim(segment, radius, half, sign, Kind::Edge.number(1 + index), out);
    }
}

/// A sharp rim: the circle of radius R at z = sign h. In the plane of z and the radius ρ the distance is
/// d = √((ρ − R)² + ζ²) with ζ = sign z − h and gradient n; its second derivative is ττᵀ/d + (n_ρ/ρ) θθᵀ, with τ across n
/// in that plane and θ around the axis.
fn rim(segment: &Segment, radius: f64, half: f64, sign: f64, feature: u64, out: &mut Vec<Touch>) {
    let up = Vec3::z() * sign;
    let offset = |share: f64| {
        let p = segment.at(share);
        let (outward, rho) = radial(&p, segment);
        (outward, rho, rho - radius, sign * p.z - half)
    };
    // How the distance grows along the segment, times the distance.
    let growth = |share: f64| {
        let (outward, _, over, above) = offset(share);
        (outward * over + up * above).dot(&segment.along)
    };
    let width = SLACK * segment.reach.min(radius);
    for [low, high] in stretches(segment, radius - width, sign, half - width).into_iter().flatten() {
        let (first, last) = (growth(low), growth(high));
        let share = if first >= 0.0 {
            low
        } else if last <= 0.0 {
            high
        } else {
            bisect(low, high, growth)
        };
        let (outward, rho, over, above) = offset(share);
        let is_minimum = (first < 0.0 && last > 0.0) || share == 0.0 || share == 1.0;
        let distance = over.hypot(above);
        if !is_minimum || distance <= 0.0 {
            continue;
        }
        let (radially, upward) = (over / distance, above / distance);
        if radially < -SLACK || upward < -SLACK {
            continue;
        }
        let normal = outward * radially + up * upward;
        let (across, around) = (up * radially - outward * upward, up.cross(&outward));
        let hessian = across * across.transpose() / distance + around * around.transpose() * (radially / rho);
        push(segment, share, normal, distance, hessian, feature, out);
    }
}

/// The stretches of the segment that are outside `radius` and beyond sign z = `height`: two at most.
fn stretches(segment: &Segment, radius: f64, sign: f64, height: f64) -> [Option<[f64; 2]>; 2] {
    let (z, rise) = (sign * segment.a.z - height, sign * segment.along.z);
    let crossing = -z / rise;
    let [low, high] = match rise {
        r if r > 0.0 => [crossing.max(0.0), 1.0],
        r if r < 0.0 => [0.0, crossing.min(1.0)],
        _ if z >= 0.0 => [0.0, 1.0],
        _ => return [None, None],
    };
    let stretch = |from: f64, to: f64| (from <= to).then_some([from, to]);
    // a s² + 2 b s + c = ρ² − radius².
    let flat = |v: &Vec3| nalgebra::Vector2::new(v.x, v.y);
    let (p, t) = (flat(&segment.a), flat(&segment.along));
    let (a, b, c) = (t.norm_squared(), p.dot(&t), p.norm_squared() - radius * radius);
    let discriminant = b * b - a * c;
    if a <= f64::MIN_POSITIVE || discriminant <= 0.0 {
        return [if c >= 0.0 || a > f64::MIN_POSITIVE { stretch(low, high) } else { None }, None];
    }
    let root = discriminant.sqrt();
    [stretch(low, high.min((-b - root) / a)), stretch(low.max((-b + root) / a), high)]
}

/// Where a function that is negative at `low` and positive at `high` changes sign.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// How a point is inside a solid, or nearest to it from outside: distance, direction of its growth, curvature, feature.
struct Depth {
    distance: f64,
    normal: Vec3,
    hessian: Mat3,
    feature: u64,
}

/// Touches of a segment that enters a convex solid: its deepest place, and its ends where they are inside. `false` and
/// nothing where it does not enter. The signed distance is convex along the segment, so the deepest place is where its
/// growth changes sign.
fn inside(segment: &Segment, depth: impl Fn(&Vec3) -> Depth, out: &mut Vec<Touch>) -> bool {
    let growth = |share: f64| depth(&segment.at(share)).normal.dot(&segment.along);
    let (first, last) = (growth(0.0), growth(1.0));
    let deepest = match (first < 0.0, last > 0.0) {
        (true, true) => bisect(0.0, 1.0, growth),
        (false, _) => 0.0,
        (true, false) => 1.0,
    };
    let mut here = depth(&segment.at(deepest));
    if here.distance.is_nan() || here.distance >= 0.0 {
        return false;
    }
    for &share in segment.ends() {
        let end = depth(&segment.at(share));
        if end.distance < 0.0 {
            push(segment, share, end.normal, end.distance, end.hessian, end.feature, out);
        }
    }
    if deepest > 0.0 && deepest < 1.0 {
        // Two faces are equally near there: the normal in between that is across the segment.
        let step = 1e-9;
        let [before, after] = [deepest - step, deepest + step].map(|s| depth(&segment.at(s)).normal);
        let (falls, grows) = (before.dot(&segment.along), after.dot(&segment.along));
        if (after - before).norm() > 1e-6 && grows > falls {
            let share = (grows / (grows - falls)).clamp(0.0, 1.0);
            let between = before * share + after * (1.0 - share);
            here.normal = between.try_normalize(1e-6).unwrap_or(here.normal);
            here.hessian = Mat3::zeros();
        }
        push(segment, deepest, here.normal, here.distance, here.hessian, here.feature, out);
    }
    true
}

/// Signed distance from a bar with flat ends as far as it is needed inside: the largest over its side and its ends.
fn cylinder_depth(p: &Vec3, radius: f64, half: f64, segment: &Segment) -> Depth {
    let (outward, rho) = radial(p, segment);
    let sign = if p.z < 0.0 { -1.0 } else { 1.0 };
    let (beside, above) = (rho - radius, sign * p.z - half);
    if beside > above {
        let hessian =
            if rho > ON_AXIS * radius { line_hessian(&outward, &Vec3::z(), rho) } else { Mat3::zeros() };
        return Depth { distance: beside, normal: outward, hessian, feature: Kind::Edge.number(0) };
    }
    let feature = Kind::Face.number(if sign < 0.0 { 1 } else { 2 });
    Depth { distance: above, normal: Vec3::z() * sign, hessian: Mat3::zeros(), feature }
}

/// A block.
pub(super) fn block(segment: &Segment, half: &Vec3, out: &mut Vec<Touch>) {
    let depth = |p: &Vec3| {
        let over = p.abs() - half;
        let axis = over.imax();
        let mut normal = Vec3::zeros();
        normal[axis] = if p[axis] < 0.0 { -1.0 } else { 1.0 };
        let feature = Kind::Face.number(2 * axis + usize::from(p[axis] < 0.0));
        Depth { distance: over[axis], normal, hessian: Mat3::zeros(), feature }
    };
    if inside(segment, depth, out) {
        return;
    }
    for &share in segment.ends() {
        let p = segment.at(share);
        let over = p.abs() - half;
        for axis in 0..3 {
            if over[axis] >= 0.0 && over[(axis + 1) % 3] <= 0.0 && over[(axis + 2) % 3] <= 0.0 {
                let Depth { normal, hessian, feature, .. } = depth(&p);
                push(segment, share, normal, over[axis], hessian, feature, out);
            }
        }
    }
    for axis in 0..3 {
        for corner in 0..4 {
            let signs = [sign(corner, 0), sign(corner, 1)];
            block_edge(segment, half, axis, signs, Kind::Edge.number(4 * axis + corner), out);
        }
    }
    for corner in 0..8 {
        let signs = Vec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2));
        let point = half.component_mul(&signs);
        let share = segment.nearest_to_point(&point);
        let (normal, distance) = direction(&(segment.at(share) - point), &segment.along);
        if normal.component_mul(&signs).min() >= -SLACK && distance > 0.0 {
            let hessian = point_hessian(&normal, distance);
            push(segment, share, normal, distance, hessian, Kind::Corner.number(corner), out);
        }
    }
}

/// The sign that bit `bit` of `corner` stands for.
fn sign(corner: usize, bit: usize) -> f64 {
    if corner >> bit & 1 == 0 { 1.0 } else { -1.0 }
}

/// The edge of a block along `axis`, on the sides that `signs` tell of the two axes after it.
fn block_edge(
    segment: &Segment,
    half: &Vec3,
    axis: usize,
    signs: [f64; 2],
    feature: u64,
    out: &mut Vec<Touch>,
) {
    let others = [(axis + 1) % 3, (axis + 2) % 3];
    let (mut along, mut point) = (Vec3::zeros(), Vec3::zeros());
    along[axis] = 1.0;
    for (other, sign) in others.into_iter().zip(signs) {
        point[other] = sign * half[other];
    }
    for &share in segment.nearest_to_line(&point, &along).shares() {
        let mut from = segment.at(share) - point;
        if from[axis].abs() > half[axis] {
            continue;
        }
        from[axis] = 0.0;
        let (normal, distance) = direction(&from, &segment.along);
        let seen = others.into_iter().zip(signs).all(|(other, sign)| sign * normal[other] >= -SLACK);
        if seen && distance > 0.0 {
            push(segment, share, normal, distance, line_hessian(&normal, &along, distance), feature, out);
        }
    }
}
