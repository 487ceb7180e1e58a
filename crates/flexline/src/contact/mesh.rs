//! Triangle meshes as obstacles: welded, cleaned, judged, with what contact asks of edges and corners.
//!
//! For contact a mesh is a shell with two sides, so open and slightly broken ones serve as well. A point of an edge or a
//! corner is nearest only from within its cone of normals: n·m ≤ 0 for the directions m in which faces leave the edge,
//! or edges the corner. Edges that do not bend have no cone worth the name; the faces beside them make one facet.

use super::nearest::{on, share_nearest};
use super::touch::{FLAT, SLACK};
use crate::algebra::Vec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use serde::{Deserialize, Serialize};

/// Triangles lower than this share of their longest side have no normal.
const SLIVER: f64 = 1e-10;
/// Largest number of triangles and of vertices: the hierarchy counts in 30 bits.
const LIMIT: usize = 1 << 30;
/// No edge, or one that is another triangle's to look after.
pub(super) const NONE: u32 = u32::MAX;

/// A mesh of triangles with a hierarchy of boxes over it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Triangles", into = "Triangles")]
pub struct Mesh {
    pub(super) vertices: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) hierarchy: Bvh,
    /// By triangle: a ball that it is in.
    balls: Vec<Ball>,
    /// By triangle: the facet of coplanar neighbours that it belongs to, named after one of them.
    pub(super) facets: Vec<u32>,
    /// By triangle: those bending edges that it looks after, so that no other does.
    pub(super) own_edges: Vec<[u32; 3]>,
    /// By triangle: bits of the corners that it looks after.
    pub(super) own_corners: Vec<u8>,
    pub(super) edges: Vec<Edge>,
    wings: Vec<u32>,
    pub(super) corners: Vec<Corner>,
    neighbours: Vec<u32>,
    closed: bool,
    low: Vec3,
    high: Vec3,
}

/// What a mesh is made of.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Triangles {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl From<Mesh> for Triangles {
    fn from(mesh: Mesh) -> Self {
        Self { vertices: mesh.vertices, triangles: mesh.triangles }
    }
}

impl TryFrom<Triangles> for Mesh {
    type Error = MeshError;

    fn try_from(from: Triangles) -> Result<Self, MeshError> {
        Self::new(&from.vertices, &from.triangles).map(|(mesh, _)| mesh)
    }
}

impl PartialEq for Mesh {
    /// All else follows from these.
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

/// A ball: whether a triangle is far away is asked of it first, most often.
#[derive(Clone, Copy)]
struct Ball {
    middle: Vec3,
    radius: f64,
}

impl Ball {
    /// Round the middle of a triangle.
    fn around(points: &[Vec3; 3]) -> Self {
        let middle = (points[0] + points[1] + points[2]) / 3.0;
        let square = points.iter().fold(0.0_f64, |m, p| m.max((p - middle).norm_squared()));
        Self { middle, radius: square.sqrt() * (1.0 + 1e-12) }
    }
}

/// An edge that bends or ends the surface.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub ends: [u32; 2],
    /// By how much its cone of normals is opened.
    pub slack: f32,
    wings: [u32; 2],
}

/// A vertex; without a cone where its slack is negative.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    pub slack: f32,
    neighbours: [u32; 2],
}

/// What is to know of a mesh before one relies on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshHealth {
    /// Vertices kept.
    pub vertices: usize,
    /// Triangles kept.
    pub triangles: usize,
    /// Vertices left out because another is at the same place.
    pub welded: usize,
    /// Triangles left out because they have no area.
    pub degenerate: usize,
    /// Triangles left out because another has the same corners.
    pub duplicates: usize,
    /// Edges with a triangle on one side only.
    pub open_edges: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges whose two triangles are turned differently.
    pub inconsistent_edges: usize,
    /// Whether the surface has no open edge.
    pub closed: bool,
    /// The volume inside, m³, of a closed and consistent mesh; negative where its triangles are turned inside out.
    pub volume: f64,
}

/// Why a mesh is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// No triangle with an area.
    #[error(
        "the mesh has no triangle with an area ({given} given): expected at least one; \
         export the surface as triangles, and look at the unit"
    )]
    Empty {
        /// Triangles given.
        given: usize,
    },
    /// A vertex that is no point.
    #[error("vertex {index} of the mesh is {value:?}: expected three finite numbers; export the mesh again")]
    Vertex {
        /// Which one, from 0.
        index: usize,
        /// Its components, m.
        value: [f64; 3],
    },
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} of the mesh names vertex {vertex}: expected below {vertices}, the number of \
         vertices, counted from 0; export the mesh again"
    )]
    Index {
        /// Which triangle, from 0.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// Too large.
    #[error("the mesh has {count} {what}: expected at most {LIMIT}; reduce or divide it")]
    TooLarge {
        /// Triangles or vertices.
        what: &'static str,
        /// How many.
        count: usize,
    },
}

impl Mesh {
    /// The mesh with these vertices, m, and triangles of three of them each, and what is to say of it.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(Self, MeshHealth), MeshError> {
        for (what, count) in [("triangles", triangles.len()), ("vertices", vertices.len())] {
            if count > LIMIT {
                return Err(MeshError::TooLarge { what, count });
            }
        }
        if let Some((index, v)) = vertices.iter().enumerate().find(|(_, v)| !v.iter().all(|c| c.is_finite()))
        {
            return Err(MeshError::Vertex { index, value: (*v).into() });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
                return Err(MeshError::Index { triangle, vertex, vertices: vertices.len() });
            }
        }
        let mut health = MeshHealth::default();
        let (vertices, triangles) = clean(vertices, triangles, &mut health);
        if triangles.is_empty() {
            return Err(MeshError::Empty { given: health.degenerate });
        }
        let boxes: Vec<Aabb> = triangles.iter().map(|t| bounds(&t.map(|v| vertices[v as usize]))).collect();
        let balls = triangles.iter().map(|t| Ball::around(&t.map(|v| vertices[v as usize]))).collect();
        let hierarchy = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let low = vertices.iter().fold(vertices[0], |m, v| m.inf(v));
        let high = vertices.iter().fold(vertices[0], |m, v| m.sup(v));
        let mut mesh = Self {
            facets: Vec::new(),
            own_edges: vec![[NONE; 3]; triangles.len()],
            own_corners: vec![0; triangles.len()],
            edges: Vec::new(),
            wings: Vec::new(),
            corners: Vec::new(),
            neighbours: Vec::new(),
            closed: false,
            vertices,
            triangles,
            hierarchy,
            balls,
            low,
            high,
        };
        mesh.connect(&mut health);
        health.vertices = mesh.vertices.len();
        health.triangles = mesh.triangles.len();
        health.closed = health.open_edges == 0;
        if health.closed && health.inconsistent_edges == 0 {
            health.volume = mesh.volume();
        }
        mesh.closed = health.closed;
        Ok((mesh, health))
    }

    /// Vertices, m.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Triangles, by their vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of the box around it, m.
    pub fn extent(&self) -> [Vec3; 2] {
        [self.low, self.high]
    }

    /// Whether a point, in the axes of the mesh, is inside; `None` where the mesh is not closed and has no inside.
    /// Counted by three rays, of which one may meet an edge and count wrongly.
    pub fn contains(&self, point: &Vec3) -> Option<bool> {
        if !self.closed {
            return None;
        }
        let rays = [
            Vec3::new(0.8191, 0.3371, 0.4641),
            Vec3::new(-0.2743, 0.7817, -0.5601),
            Vec3::new(0.1237, -0.5939, 0.7949),
        ];
        Some(rays.iter().filter(|ray| self.crossings(point, ray) % 2 == 1).count() >= 2)
    }

    /// How many triangles a ray meets.
    fn crossings(&self, from: &Vec3, ray: &Vec3) -> usize {
        let inverse = ray.map(|c| 1.0 / c);
        let meets = |node: &BvhNode| {
            let (mut first, mut last) = (0.0_f64, f64::INFINITY);
            let (mins, maxs) = (node.mins(), node.maxs());
            for (axis, [low, high]) in
                [[mins.x, maxs.x], [mins.y, maxs.y], [mins.z, maxs.z]].into_iter().enumerate()
            {
                let (a, b) = ((low - from[axis]) * inverse[axis], (high - from[axis]) * inverse[axis]);
                first = first.max(a.min(b));
                last = last.min(a.max(b));
            }
            first <= last
        };
        self.hierarchy.leaves(meets).filter(|&t| self.is_crossed(t as usize, from, ray)).count()
    }

    /// Whether a ray meets a triangle (T. Möller, B. Trumbore, J. Graphics Tools 2 (1997) 21–28).
    fn is_crossed(&self, triangle: usize, from: &Vec3, ray: &Vec3) -> bool {
        let [a, b, c] = self.points(triangle);
        let (u, v) = (b - a, c - a);
        let p = ray.cross(&v);
        let determinant = u.dot(&p);
        if determinant == 0.0 {
            return false;
        }
        let start = from - a;
        let q = start.cross(&u);
        let (s, t) = (start.dot(&p) / determinant, ray.dot(&q) / determinant);
        s >= 0.0 && t >= 0.0 && s + t <= 1.0 && v.dot(&q) / determinant >= 0.0
    }

    /// Whether a triangle is surely farther than `reach` from a segment: its ball is. Cheap.
    pub(super) fn is_beyond(&self, triangle: usize, segment: &[Vec3; 2], reach: f64) -> bool {
        let Ball { middle, radius } = self.balls[triangle];
        let away = on(segment, share_nearest(segment, &middle)) - middle;
        away.norm_squared() > ((reach + radius) * (1.0 + 1e-12)).powi(2)
    }

    /// The three corners of a triangle.
    pub(super) fn points(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// The vertices of the triangles at an edge that are not on it.
    pub(super) fn wings(&self, edge: &Edge) -> impl Iterator<Item = &Vec3> {
        self.wings[edge.wings[0] as usize..edge.wings[1] as usize].iter().map(|&v| &self.vertices[v as usize])
    }

    /// The vertices at the other ends of the edges at a corner.
    pub(super) fn neighbours(&self, corner: &Corner) -> impl Iterator<Item = &Vec3> {
        let [from, to] = corner.neighbours.map(|n| n as usize);
        self.neighbours[from..to].iter().map(|&v| &self.vertices[v as usize])
    }

    /// The triangles whose boxes meet a box.
    pub(super) fn near(&self, low: &Vec3, high: &Vec3) -> impl Iterator<Item = usize> {
        let (low, high) = (vector(low), vector(high));
        let meets = move |node: &BvhNode| node.mins().cmple(high).all() && low.cmple(node.maxs()).all();
        self.hierarchy.leaves(meets).map(|t| t as usize)
    }

    /// Edges, facets and corners: who looks after which, and their cones.
    fn connect(&mut self, health: &mut MeshHealth) {
        // Every side of every triangle, those of one edge side by side, and in order of triangles.
        let mut sides: Vec<(u64, u32)> = Vec::with_capacity(3 * self.triangles.len());
        for (t, corners) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.push(((u64::from(a.min(b)) << 32) | u64::from(a.max(b)), (3 * t + k) as u32));
            }
        }
        sides.sort_unstable();
        let mut groups = Groups::new(self.triangles.len());
        // By vertex: bending edges, the least bend among them, the sum of their directions.
        let mut bends = vec![(0_u32, f64::INFINITY, Vec3::zeros()); self.vertices.len()];
        let mut all_edges: Vec<[u32; 2]> = Vec::with_capacity(sides.len() / 2 + 1);
        for sides in sides.chunk_by(|a, b| a.0 == b.0) {
            let ends = [(sides[0].0 >> 32) as u32, sides[0].0 as u32];
            all_edges.push(ends);
            let turned = |side: u32| self.triangles[side as usize / 3][side as usize % 3] == ends[1];
            match sides {
                [_] => health.open_edges += 1,
                [a, b] => health.inconsistent_edges += usize::from(turned(a.1) == turned(b.1)),
                _ => health.non_manifold_edges += 1,
            }
            let [p, q] = ends.map(|v| self.vertices[v as usize]);
            let along = (q - p).normalize();
            let mut bend = Vec3::zeros();
            for &(_, side) in sides {
                let out = self.vertices[opposite(side, &self.triangles) as usize] - p;
                bend += (out - along * along.dot(&out)).normalize();
            }
            let bend = if sides.len() == 2 { bend.norm() } else { 1.0 };
            if bend < FLAT {
                groups.join(sides[0].1 / 3, sides[1].1 / 3);
                continue;
            }
            let (triangle, place) = (sides[0].1 as usize / 3, sides[0].1 as usize % 3);
            self.own_edges[triangle][place] = self.edges.len() as u32;
            let from = self.wings.len() as u32;
            self.wings.extend(sides.iter().map(|&(_, side)| opposite(side, &self.triangles)));
            let slack = (SLACK * bend.min(1.0)) as f32;
            self.edges.push(Edge { ends, slack, wings: [from, self.wings.len() as u32] });
            for (vertex, direction) in [(ends[0], along), (ends[1], -along)] {
                let (count, least, sum) = &mut bends[vertex as usize];
                *count += 1;
                *least = least.min(bend);
                *sum += direction;
            }
        }
        self.facets = (0..self.triangles.len() as u32).map(|t| groups.first(t)).collect();
        self.connect_corners(&all_edges, &bends);
    }

    /// Cones of corners: where fewer than three edges bend, the surface goes straight on, unless two of them make an
    /// angle.
    fn connect_corners(&mut self, edges: &[[u32; 2]], bends: &[(u32, f64, Vec3)]) {
        let has_cone = |&(count, _, sum): &(u32, f64, Vec3)| match count {
            0 | 1 => false,
            2 => sum.norm() >= FLAT,
            _ => true,
        };
        let mut starts = vec![0_u32; self.vertices.len() + 1];
        for vertex in edges.iter().flatten().filter(|&&v| has_cone(&bends[v as usize])) {
            starts[*vertex as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        self.neighbours = vec![0; starts[self.vertices.len()] as usize];
        for &[a, b] in edges {
            for (vertex, other) in [(a, b), (b, a)] {
                if has_cone(&bends[vertex as usize]) {
                    let place = &mut next[vertex as usize];
                    self.neighbours[*place as usize] = other;
                    *place += 1;
                }
            }
        }
        let corner = |(k, bend): (usize, &(u32, f64, Vec3))| Corner {
            slack: if has_cone(bend) { (SLACK * bend.1.min(1.0)) as f32 } else { -1.0 },
            neighbours: [starts[k], starts[k + 1]],
        };
        self.corners = bends.iter().enumerate().map(corner).collect();
        let mut free: Vec<bool> = bends.iter().map(has_cone).collect();
        for (t, corners) in self.triangles.iter().enumerate() {
            for (k, &vertex) in corners.iter().enumerate() {
                if std::mem::take(&mut free[vertex as usize]) {
                    self.own_corners[t] |= 1 << k;
                }
            }
        }
    }

    /// The volume inside, by tetrahedra from the middle.
    fn volume(&self) -> f64 {
        let middle = 0.5 * (self.low + self.high);
        let parts = (0..self.triangles.len()).map(|t| {
            let [a, b, c] = self.points(t).map(|p| p - middle);
            a.dot(&b.cross(&c)) / 6.0
        });
        parts.sum()
    }
}

impl std::fmt::Debug for Mesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mesh of {} triangles", self.triangles.len())
    }
}

/// The vertex of a triangle that is not on one of its sides.
fn opposite(side: u32, triangles: &[[u32; 3]]) -> u32 {
    triangles[side as usize / 3][(side as usize % 3 + 2) % 3]
}

/// Vertices welded, triangles without area and copies left out, vertices of none too.
fn clean(vertices: &[Vec3], triangles: &[[u32; 3]], health: &mut MeshHealth) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    // Equal points have equal bits once there is one zero.
    let mut order: Vec<([u64; 3], u32)> = vertices
        .iter()
        .enumerate()
        .map(|(k, v)| ([v.x, v.y, v.z].map(|c| (c + 0.0).to_bits()), k as u32))
        .collect();
    order.sort_unstable();
    let mut first = vec![0_u32; vertices.len()];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        health.welded += same.len() - 1;
        for &(_, k) in same {
            first[k as usize] = same[0].1;
        }
    }
    drop(order);
    let mut kept = Vec::with_capacity(triangles.len());
    for corners in triangles {
        let corners = corners.map(|v| first[v as usize]);
        match has_area(&corners.map(|v| vertices[v as usize])) {
            true => kept.push(corners),
            false => health.degenerate += 1,
        }
    }
    let mut copies: Vec<([u32; 3], u32)> = kept
        .iter()
        .enumerate()
        .map(|(t, corners)| {
            let mut sorted = *corners;
            sorted.sort_unstable();
            (sorted, t as u32)
        })
        .collect();
    copies.sort_unstable();
    let mut is_copy = vec![false; kept.len()];
    for same in copies.chunk_by(|a, b| a.0 == b.0) {
        health.duplicates += same.len() - 1;
        for &(_, t) in &same[1..] {
            is_copy[t as usize] = true;
        }
    }
    let mut number = vec![NONE; vertices.len()];
    let mut used = Vec::new();
    let mut renumbered = Vec::with_capacity(kept.len() - health.duplicates);
    for (_, corners) in kept.iter().enumerate().filter(|(t, _)| !is_copy[*t]) {
        renumbered.push(corners.map(|v| {
            let new = &mut number[v as usize];
            if *new == NONE {
                *new = used.len() as u32;
                used.push(vertices[v as usize]);
            }
            *new
        }));
    }
    (used, renumbered)
}

/// Whether a triangle is more than a line.
fn has_area([a, b, c]: &[Vec3; 3]) -> bool {
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    let area = (b - a).cross(&(c - a)).norm();
    longest.is_normal() && area > SLIVER * longest
}

/// The box of a triangle.
fn bounds(points: &[Vec3; 3]) -> Aabb {
    let [a, b, c] = points;
    Aabb::new(vector(&a.inf(b).inf(c)), vector(&a.sup(b).sup(c)))
}

/// A vector of the project as one of parry's.
pub(super) fn vector(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Sets that are joined one by one, each named after its smallest member.
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn first(&mut self, mut k: u32) -> u32 {
        while self.0[k as usize] != k {
            let above = self.0[self.0[k as usize] as usize];
            self.0[k as usize] = above;
            k = above;
        }
        k
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
