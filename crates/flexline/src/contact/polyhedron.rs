//! Touches on meshes: a segment against faces, edges and corners, each within its cone of normals.

use super::feature::{Feature, Field};
use super::mesh::{Mesh, NONE};
use super::segment::Segment;
use super::touch::{FLAT, Kind, Touch, push};
use crate::algebra::{Mat3, Vec3};

/// Adds the touches of a segment, with all triangles or some; those on borders of features more than once.
pub(super) fn touches(mesh: &Mesh, triangles: Option<&[u32]>, segment: &Segment, out: &mut Vec<Touch>) {
    if let Some(some) = triangles {
        some.iter().for_each(|t| triangle(mesh, *t as usize, segment, out));
        return;
    }
    let (a, b) = (segment.a, segment.a + segment.along);
    let reach = Vec3::repeat(segment.reach);
    let (low, high) = (a.inf(&b) - reach, a.sup(&b) + reach);
    mesh.near(&low, &high).for_each(|t| triangle(mesh, t, segment, out));
}

/// The segment against a triangle, and the edges and corners that it looks after.
fn triangle(mesh: &Mesh, triangle: usize, segment: &Segment, out: &mut Vec<Touch>) {
    if mesh.is_beyond(triangle, &[segment.a, segment.a + segment.along], segment.reach) {
        return;
    }
    let points = mesh.points(triangle);
    let normal = (points[1] - points[0]).cross(&(points[2] - points[0])).normalize();
    let height = |p: Vec3| normal.dot(&(p - points[0]));
    let heights = [height(segment.a), height(segment.a + segment.along)];
    if heights[0].min(heights[1]) >= segment.reach || heights[0].max(heights[1]) <= -segment.reach {
        return;
    }
    let face = Face { points: &points, normal, heights, feature: mesh.facets[triangle] as usize };
    face.touches(segment, out);
    for index in mesh.own_edges[triangle].into_iter().filter(|&e| e != NONE) {
        edge(mesh, index as usize, segment, out);
    }
    for k in 0..3 {
        if mesh.own_corners[triangle] >> k & 1 == 1 {
            corner(mesh, mesh.triangles[triangle][k] as usize, segment, out);
        }
    }
}

/// A triangle, and how high above it the ends of the segment are.
struct Face<'a> {
    points: &'a [Vec3; 3],
    normal: Vec3,
    heights: [f64; 2],
    feature: usize,
}

impl Face<'_> {
    /// Ends of the segment above or below it; where the axis itself goes through, a touch without distance, with the
    /// normal towards its longer part.
    fn touches(&self, segment: &Segment, out: &mut Vec<Touch>) {
        for (&share, height) in segment.ends().shares().iter().zip(self.heights) {
            if height.abs() < segment.reach && self.is_below(&segment.at(share), height.abs()) {
                self.push(segment, share, if height < 0.0 { -1.0 } else { 1.0 }, height.abs(), out);
            }
        }
        let [first, last] = self.heights;
        if first * last < 0.0 {
            let share = first / (first - last);
            if self.is_below(&segment.at(share), 0.0) {
                let longer = if share > 0.5 { first } else { last };
                self.push(segment, share, longer.signum(), 0.0, out);
            }
        }
    }

    /// Whether the foot of a point is on the triangle, or beside it by what a bend that counts as flat hides.
    fn is_below(&self, p: &Vec3, height: f64) -> bool {
        (0..3).all(|k| {
            let (from, to) = (self.points[k], self.points[(k + 1) % 3]);
            let side = to - from;
            let (inward, length) = (self.normal.cross(&side), side.norm());
            inward.dot(&(p - from)) >= -(FLAT * height + 1e-12 * length) * length
        })
    }

    fn push(&self, segment: &Segment, share: f64, side: f64, distance: f64, out: &mut Vec<Touch>) {
        let field = Field { distance, normal: self.normal * side, hessian: Mat3::zeros() };
        push(segment, share, &field, Kind::Face.number(self.feature), out);
    }
}

/// The segment against an edge.
fn edge(mesh: &Mesh, index: usize, segment: &Segment, out: &mut Vec<Touch>) {
    let edge = &mesh.edges[index];
    let [from, to] = edge.ends.map(|v| mesh.vertices[v as usize]);
    let length = (to - from).norm();
    let axis = (to - from) / length;
    let line = Feature::Line { through: from, axis, radius: 0.0 };
    for &share in segment.nearest_to_line(&from, &axis).shares() {
        let at = segment.at(share);
        let place = axis.dot(&(at - from));
        let distance = (at - from - axis * place).norm();
        let over = FLAT * distance + 1e-12 * length;
        if distance >= segment.reach || distance <= 1e-12 * length || place < -over || place > length + over {
            continue;
        }
        let field = line.field(&at, &segment.along);
        let seen = mesh.wings(edge).all(|wing| {
            let out = wing - from;
            field.normal.dot(&out) <= f64::from(edge.slack) * (out - axis * axis.dot(&out)).norm()
        });
        if seen {
            push(segment, share, &field, Kind::Edge.number(index), out);
        }
    }
}

/// The field of an edge or a corner at a place beside it; `None` of a face, and beyond the ends of an edge.
pub(super) fn field_of(mesh: &Mesh, feature: u64, at: &Vec3) -> Option<Field> {
    match Kind::of(feature) {
        (Kind::Face, _) => None,
        (Kind::Edge, index) => {
            let [from, to] = mesh.edges.get(index)?.ends.map(|v| mesh.vertices[v as usize]);
            let (length, place) = ((to - from).norm(), (at - from).dot(&(to - from)));
            let axis = (to - from) / length;
            let is_beside = place >= 0.0 && place <= length * length;
            is_beside.then(|| Feature::Line { through: from, axis, radius: 0.0 }.field(at, &axis))
        }
        (Kind::Corner, index) => {
            let at_corner = *mesh.vertices.get(index)?;
            Some(Feature::Point { at: at_corner, radius: 0.0 }.field(at, &Vec3::zeros()))
        }
    }
}

/// The segment against a corner.
fn corner(mesh: &Mesh, index: usize, segment: &Segment, out: &mut Vec<Touch>) {
    let (corner, point) = (&mesh.corners[index], mesh.vertices[index]);
    for &share in segment.nearest_to_point(&point).shares() {
        let at = segment.at(share);
        if (at - point).norm() >= segment.reach || at == point {
            continue;
        }
        let field = Feature::Point { at: point, radius: 0.0 }.field(&at, &segment.along);
        let seen = mesh.neighbours(corner).all(|neighbour| {
            let along = neighbour - point;
            field.normal.dot(&along) <= f64::from(corner.slack) * along.norm()
        });
        if seen {
            push(segment, share, &field, Kind::Corner.number(index), out);
        }
    }
}
