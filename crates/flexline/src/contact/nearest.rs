//! How far a whole segment is from a solid, a triangle or another segment, and a point from an obstacle.

use super::feature::outward;
use super::mesh::Mesh;
use super::obstacle::{Obstacle, Shape};
use crate::algebra::{Vec3, rotation};
use parry3d_f64::partitioning::{BvhLeafCost, BvhNode};

/// A distance, and the unit vector in which it grows; without length where both places are one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub distance: f64,
    pub normal: Vec3,
}

impl Gap {
    /// From `to` to `at`.
    fn between(at: &Vec3, to: &Vec3) -> Self {
        let way = at - to;
        let distance = way.norm();
        Self { distance, normal: if distance > 0.0 { way / distance } else { Vec3::zeros() } }
    }
}

/// The point of a segment at a share of the way.
pub(super) fn on([a, b]: &[Vec3; 2], share: f64) -> Vec3 {
    a + (b - a) * share
}

/// The share at which a segment is nearest to a point.
pub(super) fn share_nearest(segment: &[Vec3; 2], point: &Vec3) -> f64 {
    let along = segment[1] - segment[0];
    let square = along.norm_squared();
    if square > 0.0 { ((point - segment[0]).dot(&along) / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// The shares at which two segments are nearest to each other. Where they are parallel it is one place of many.
pub(super) fn shares_nearest(a: &[Vec3; 2], b: &[Vec3; 2]) -> [f64; 2] {
    let square = |[s, t]: [f64; 2]| (on(a, s) - on(b, t)).norm_squared();
    let ends = [
        [0.0, share_nearest(b, &a[0])],
        [1.0, share_nearest(b, &a[1])],
        [share_nearest(a, &b[0]), 0.0],
        [share_nearest(a, &b[1]), 1.0],
    ];
    let better = |m: [f64; 2], n: [f64; 2]| if square(n) < square(m) { n } else { m };
    let best = ends.into_iter().fold(ends[0], better);
    // Between the ends of both, w + s u − t v is along u × v.
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let cross = u.cross(&v);
    let determinant = cross.norm_squared();
    if determinant <= 1e-24 * u.norm_squared() * v.norm_squared() {
        return best;
    }
    // By triple products: the difference of large terms would lose what nearly parallel lines need.
    let (s, t) = (v.cross(&w).dot(&cross) / determinant, u.cross(&w).dot(&cross) / determinant);
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) { better(best, [s, t]) } else { best }
}

/// Two segments; the normal points to the first.
pub(super) fn segment_gap(a: &[Vec3; 2], b: &[Vec3; 2]) -> Gap {
    let [s, t] = shares_nearest(a, b);
    Gap::between(&on(a, s), &on(b, t))
}

/// A segment and a triangle; the normal points to the segment.
pub(super) fn triangle_gap(segment: &[Vec3; 2], triangle: &[Vec3; 3]) -> Gap {
    let [p, q, r] = *triangle;
    let normal = (q - p).cross(&(r - p)).normalize();
    let heights = segment.map(|end| normal.dot(&(end - p)));
    let is_below = |x: &Vec3| {
        [[p, q], [q, r], [r, p]].iter().all(|[from, to]| normal.cross(&(to - from)).dot(&(x - from)) >= 0.0)
    };
    if heights[0] * heights[1] < 0.0 && is_below(&on(segment, heights[0] / (heights[0] - heights[1]))) {
        return Gap { distance: 0.0, normal };
    }
    let nearer = |m: Gap, n: Gap| if n.distance < m.distance { n } else { m };
    let sides = [[p, q], [q, r], [r, p]].map(|side| segment_gap(segment, &side));
    let mut best = nearer(nearer(sides[0], sides[1]), sides[2]);
    for (end, height) in segment.iter().zip(heights) {
        if height.abs() < best.distance && is_below(end) {
            best = Gap { distance: height.abs(), normal: normal * height.signum() };
        }
    }
    best
}

/// A segment and a convex solid, negative inside. The signed distance is convex along the segment: it is least where
/// its growth changes sign. With the height, along the normal, of the plane that the solid is behind. `None` for what is
/// no convex solid.
pub(super) fn solid_gap(segment: &[Vec3; 2], shape: &Shape) -> Option<(Gap, f64)> {
    let along = segment[1] - segment[0];
    let growth = |share: f64| Some(solid_distance(shape, &on(segment, share))?.normal.dot(&along));
    let share = if growth(0.0)? >= 0.0 {
        0.0
    } else if growth(1.0)? <= 0.0 {
        1.0
    } else {
        let (mut low, mut high) = (0.0, 1.0);
        // To round-off of a share.
        for _ in 0..54 {
            let middle = 0.5 * (low + high);
            if growth(middle)? < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    };
    let at = on(segment, share);
    let gap = solid_distance(shape, &at)?;
    Some((gap, gap.normal.dot(&at) - gap.distance))
}

/// Signed distance of a point from a convex solid in its own axes, and its gradient.
fn solid_distance(shape: &Shape, p: &Vec3) -> Option<Gap> {
    let round = |from: Vec3, radius: f64| {
        let length = from.norm();
        let normal = if length > f64::MIN_POSITIVE { from / length } else { rotation::across(&Vec3::z()) };
        Gap { distance: length - radius, normal }
    };
    let flat = Vec3::new(p.x, p.y, 0.0);
    Some(match shape {
        Shape::Plane => Gap { distance: p.z, normal: Vec3::z() },
        Shape::Sphere { radius } => round(*p, *radius),
        Shape::Cylinder { radius, half_length: None } => round(flat, *radius),
        Shape::Capsule { radius, half_length } => {
            round(p - Vec3::z() * p.z.clamp(-half_length, *half_length), *radius)
        }
        Shape::Cylinder { radius, half_length: Some(half) } => {
            let side = round(flat, *radius);
            let end = Gap { distance: p.z.abs() - half, normal: Vec3::z() * p.z.signum() };
            if side.distance > 0.0 && end.distance > 0.0 {
                let way = side.normal * side.distance + end.normal * end.distance;
                Gap::between(&way, &Vec3::zeros())
            } else if side.distance > end.distance {
                side
            } else {
                end
            }
        }
        Shape::Box { half } => {
            let over = p.abs() - half;
            let signs = p.map(f64::signum);
            if over.max() > 0.0 {
                Gap::between(&over.sup(&Vec3::zeros()).component_mul(&signs), &Vec3::zeros())
            } else {
                let axis = over.imax();
                let mut normal = Vec3::zeros();
                normal[axis] = signs[axis];
                Gap { distance: over[axis], normal }
            }
        }
        Shape::Tube { .. } | Shape::Mesh(_) => return None,
    })
}

impl Obstacle {
    /// How far a point is from the surface, m, and the unit vector in which that grows, world; negative inside solids.
    /// Meshes are shells: their distances have no sign. `None` for a point that is no number.
    pub fn distance(&self, point: &Vec3) -> Option<(f64, Vec3)> {
        let world_from_own = self.axes();
        let p = world_from_own.tr_mul(&(point - self.pose.position));
        if !p.iter().all(|x| x.is_finite()) {
            return None;
        }
        let Gap { distance, normal } = match &self.shape {
            Shape::Mesh(mesh) => mesh.gap(&p)?,
            Shape::Tube { radius } => {
                let (outward, from_axis) = outward(&p);
                Gap { distance: radius - from_axis, normal: -outward }
            }
            solid => solid_distance(solid, &p)?,
        };
        Some((distance, world_from_own * normal))
    }
}

impl BvhLeafCost for Gap {
    fn cost(&self) -> f64 {
        self.distance
    }
}

impl Mesh {
    /// How far a point is from the nearest triangle.
    fn gap(&self, p: &Vec3) -> Option<Gap> {
        let to_box = |node: &BvhNode, _: f64| {
            let (low, high) = (node.mins(), node.maxs());
            let out = |x: f64, low: f64, high: f64| (low - x).max(x - high).max(0.0);
            Vec3::new(out(p.x, low.x, high.x), out(p.y, low.y, high.y), out(p.z, low.z, high.z)).norm()
        };
        let to_triangle = |t: u32, _: f64| Some(triangle_gap(&[*p, *p], &self.points(t as usize)));
        self.hierarchy.find_best(f64::MAX, to_box, to_triangle).map(|(_, gap)| gap)
    }
}
