//! How far a segment may move before it comes too close: conservative advancement.
//!
//! The ends move on straight lines. Where the distance is d and the least allowed one k, no point moves faster than v, so
//! the way is free for (d − k)/v. Between convex things a plane across the shortest way between them says more: until an
//! end has come down to the height k above it the way is free, however fast the ends move along it. The larger of the
//! two is taken, again and again (B. Mirtich, Impulse-based dynamic simulation of rigid body systems, 1996, 2.3; M. Li et
//! al., ACM Trans. Graph. 40 (2021) 170, for the speed less its mean). Neither misses anything, however fast or thin.

use super::mesh::Mesh;
use super::nearest::{Gap, segment_gap, solid_gap, triangle_gap};
use super::obstacle::{Obstacle, Shape};
use crate::algebra::{Mat3, Vec3};
use crate::body::pose::is_finite;

/// Of a start closer than `keep` this share of the distance may be used up: an absolute limit would hold for ever what
/// has come too close.
const USED_UP: f64 = 0.5;
/// A start below this many times `keep` counts as closer: it was stopped there before.
const STOPPED: f64 = 1.01;
/// The way ends where the distance is this near to its limit, relative.
const NEAR: f64 = 1e-3;
/// Distances below are none, m.
const NOTHING: f64 = 1e-12;
/// Components of a direction below are none.
const ASIDE: f64 = 1e-9;
/// Steps of advancement; what is left then is not used.
const STEPS: usize = 1000;

impl Obstacle {
    /// The share 0 … 1 of the way at which a segment that moves from one place to another, its ends on straight lines,
    /// comes as near as `keep` to the obstacle, or to half its first distance where it starts closer; `None` where the
    /// whole way is free. What starts inside a solid may get half as deep again; an axis that pierces a mesh is not held
    /// by the triangle it pierces. A way that is no number is refused at 0.
    pub fn first_hit(&self, from: [Vec3; 2], to: [Vec3; 2], keep: f64) -> Option<f64> {
        let way = Way::new(&from, &to).seen_from(&self.pose.position, &self.axes());
        if !way.is_finite() || !keep.is_finite() {
            return Some(0.0);
        }
        match &self.shape {
            Shape::Mesh(mesh) => mesh_hit(mesh, &way, keep),
            Shape::Tube { radius } => tube_hit(*radius, &way, keep),
            solid => advance(&way, way.speed(&Vec3::zeros()), keep, 1.0, |share| {
                let (gap, height) = solid_gap(&way.at(share), solid)?;
                Some(Meeting { gap, heights: [height; 3], rates: [0.0; 3] })
            }),
        }
    }
}

impl Obstacle {
    /// Whether a segment of an axis is inside, goes through a face of a mesh, or is outside of a tube.
    pub fn is_entered(&self, segment: [Vec3; 2]) -> bool {
        let own = Way::new(&segment, &segment).seen_from(&self.pose.position, &self.axes()).from;
        match &self.shape {
            Shape::Mesh(mesh) => {
                let [low, high] = [own[0].inf(&own[1]), own[0].sup(&own[1])];
                mesh.near(&low, &high).any(|t| triangle_gap(&own, &mesh.points(t)).distance <= NOTHING)
                    || mesh.contains(&own[0]) == Some(true)
            }
            Shape::Tube { radius } => own.iter().any(|p| p.xy().norm() > *radius),
            solid => solid_gap(&own, solid).is_some_and(|(gap, _)| gap.distance < 0.0),
        }
    }

    /// The farthest that it reaches along a direction from the origin of the world, m; `None` where it has no end.
    pub fn farthest(&self, along: &Vec3) -> Option<f64> {
        let own = self.axes().tr_mul(along);
        let across = own.xy().norm();
        let is_none = |component: f64| component.abs() < ASIDE;
        let reach = match &self.shape {
            Shape::Plane => (own.z > 0.0 && is_none(across)).then_some(0.0),
            Shape::Sphere { radius } => Some(*radius),
            Shape::Cylinder { radius, half_length: None } => is_none(own.z).then_some(radius * across),
            Shape::Cylinder { radius, half_length: Some(half) } => Some(radius * across + half * own.z.abs()),
            Shape::Capsule { radius, half_length } => Some(radius + half_length * own.z.abs()),
            Shape::Box { half } => Some(own.abs().dot(half)),
            Shape::Tube { .. } => None,
            Shape::Mesh(mesh) => mesh.vertices().iter().map(|v| own.dot(v)).reduce(f64::max),
        };
        reach.map(|reach| reach + along.dot(&self.pose.position))
    }
}

/// The same for two segments that both move: the share of their ways at which they come as near as `keep` to each other,
/// or to half their first distance. Segments that begin in one place, as neighbours do, are not held.
pub fn segments_hit(
    a_from: [Vec3; 2],
    a_to: [Vec3; 2],
    b_from: [Vec3; 2],
    b_to: [Vec3; 2],
    keep: f64,
) -> Option<f64> {
    let (a, b) = (Way::new(&a_from, &a_to), Way::new(&b_from, &b_to));
    if !a.is_finite() || !b.is_finite() || !keep.is_finite() {
        return Some(0.0);
    }
    let mean = (a.by[0] + a.by[1] + b.by[0] + b.by[1]) / 4.0;
    advance(&a, a.speed(&mean) + b.speed(&mean), keep, 1.0, |share| {
        let other = b.at(share);
        let gap = segment_gap(&a.at(share), &other);
        if share == 0.0 && gap.distance <= NOTHING {
            return None;
        }
        let along = |v: &Vec3| gap.normal.dot(v);
        let (heights, rates) = (other.map(|y| along(&y)), b.by.map(|v| along(&v)));
        Some(Meeting {
            gap,
            heights: [heights[0], heights[1], heights[1]],
            rates: [rates[0], rates[1], rates[1]],
        })
    })
}

/// A segment on its way: where its ends are first, and by how much they move.
struct Way {
    from: [Vec3; 2],
    by: [Vec3; 2],
}

impl Way {
    fn new(from: &[Vec3; 2], to: &[Vec3; 2]) -> Self {
        Self { from: *from, by: [to[0] - from[0], to[1] - from[1]] }
    }

    /// In the axes of an obstacle.
    fn seen_from(&self, position: &Vec3, world_from_own: &Mat3) -> Self {
        Self {
            from: self.from.map(|p| world_from_own.tr_mul(&(p - position))),
            by: self.by.map(|v| world_from_own.tr_mul(&v)),
        }
    }

    fn is_finite(&self) -> bool {
        self.from.iter().chain(&self.by).all(is_finite)
    }

    fn at(&self, share: f64) -> [Vec3; 2] {
        [self.from[0] + self.by[0] * share, self.from[1] + self.by[1] * share]
    }

    /// How far its points go at most, relative to `mean`.
    fn speed(&self, mean: &Vec3) -> f64 {
        (self.by[0] - mean).norm().max((self.by[1] - mean).norm())
    }

    /// The box of the whole way.
    fn extent(&self) -> [Vec3; 2] {
        let points = [self.from, self.at(1.0)];
        let fold = |f: fn(&Vec3, &Vec3) -> Vec3| {
            f(&f(&points[0][0], &points[0][1]), &f(&points[1][0], &points[1][1]))
        };
        [fold(Vec3::inf), fold(Vec3::sup)]
    }
}

/// How a segment stands to something convex: their gap, and along its normal heights of the points that span the other
/// thing, with how these change over the whole way.
struct Meeting {
    gap: Gap,
    heights: [f64; 3],
    rates: [f64; 3],
}

/// The least distance allowed to what starts at `start`.
fn limit(start: f64, keep: f64) -> f64 {
    if start > STOPPED * keep { keep } else { start - USED_UP * start.abs().max(NOTHING) }
}

/// The share of the way at which the distance falls to its limit, if that is before `until`. `meet` tells how things are
/// at a share, and nothing where there is nothing to keep away from.
fn advance(
    way: &Way,
    speed: f64,
    keep: f64,
    until: f64,
    meet: impl Fn(f64) -> Option<Meeting>,
) -> Option<f64> {
    let mut here = meet(0.0)?;
    let least = limit(here.gap.distance, keep);
    let near = NEAR * least.abs().max(NOTHING);
    let mut share = 0.0;
    for _ in 0..STEPS {
        let room = here.gap.distance - least;
        if room <= near {
            return Some(share);
        }
        share += (room / speed).max(free_of_plane(way, &here, least, share));
        if share >= until {
            return None;
        }
        here = meet(share)?;
    }
    Some(share)
}

/// For how long both ends stay higher than `least` above all points of the other thing, along the normal.
fn free_of_plane(way: &Way, here: &Meeting, least: f64, share: f64) -> f64 {
    let mut free = f64::INFINITY;
    for (end, by) in way.at(share).iter().zip(&way.by) {
        let (height, rate) = (here.gap.normal.dot(end), here.gap.normal.dot(by));
        for (other, other_rate) in here.heights.iter().zip(&here.rates) {
            let (room, closing) = (height - other - least, other_rate - rate);
            if room <= 0.0 {
                return 0.0;
            }
            if closing > 0.0 {
                free = free.min(room / closing);
            }
        }
    }
    free
}

/// The first hit of the triangles near the way.
fn mesh_hit(mesh: &Mesh, way: &Way, keep: f64) -> Option<f64> {
    let [low, high] = way.extent();
    let reach = Vec3::repeat(keep.max(0.0));
    let speed = way.speed(&Vec3::zeros());
    let mut first = None;
    for triangle in mesh.near(&(low - reach), &(high + reach)) {
        if mesh.is_beyond(triangle, &way.from, keep.max(0.0) + speed) {
            continue;
        }
        let points = mesh.points(triangle);
        let hit = advance(way, speed, keep, first.unwrap_or(1.0), |share| {
            let gap = triangle_gap(&way.at(share), &points);
            if share == 0.0 && gap.distance <= NOTHING {
                return None;
            }
            Some(Meeting { gap, heights: points.map(|p| gap.normal.dot(&p)), rates: [0.0; 3] })
        });
        first = hit.or(first);
    }
    first
}

/// Inside a tube the ends are the first to come near the wall: |p + s v| = R − k for the first of them.
fn tube_hit(radius: f64, way: &Way, keep: f64) -> Option<f64> {
    let flat = |v: &Vec3| nalgebra::Vector2::new(v.x, v.y);
    let hits = way.from.iter().zip(&way.by).filter_map(|(from, by)| {
        let (p, v) = (flat(from), flat(by));
        let widest = radius - limit(radius - p.norm(), keep);
        let (a, b, c) = (v.norm_squared(), p.dot(&v), p.norm_squared() - widest * widest);
        let root = (b * b - a * c).max(0.0).sqrt();
        // The later root, without cancellation.
        let share = if b > 0.0 { -c / (b + root) } else { (root - b) / a };
        (share < 1.0).then_some(share.max(0.0))
    });
    hits.min_by(f64::total_cmp)
}
