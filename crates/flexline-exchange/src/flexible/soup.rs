//! Triangles made fit for walking on: corners welded, doubles dropped, neighbours found, long edges divided.

use std::collections::HashMap;

use flexline::Vec3;

/// No triangle on the other side of an edge.
pub(crate) const NONE: u32 = u32::MAX;
/// Corners nearer than this share of the median edge are one vertex.
const WELD: f64 = 1e-3;
/// Dividing long edges stops at so many triangles.
const MOST_DIVIDED: usize = 1_500_000;

/// A welded triangle soup. Neighbours are across edges: touching at a corner is no connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Soup {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Which triangle of the input each came from.
    pub origin: Vec<u32>,
    /// Across the edge from corner k to corner k + 1.
    pub neighbours: Vec<[u32; 3]>,
    /// How many were the same as another.
    pub doubled: usize,
    /// How many were only a line or a point.
    pub degenerate: usize,
}

impl Soup {
    /// Welds what a file has; vertices that no triangle uses are dropped with the rest that has no surface.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut soup = Self { vertices: vertices.to_vec(), ..Self::default() };
        let edge = median_edge(vertices, triangles);
        let same = welded(vertices, WELD * edge);
        let mut known = HashMap::with_capacity(triangles.len());
        for (i, t) in triangles.iter().enumerate() {
            let t = t.map(|v| same[v as usize]);
            if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
                soup.degenerate += 1;
                continue;
            }
            let mut key = t;
            key.sort_unstable();
            if known.insert(key, ()).is_some() {
                soup.doubled += 1;
                continue;
            }
            soup.triangles.push(t);
            soup.origin.push(i as u32);
        }
        soup.connect();
        soup
    }

    pub fn corners(&self, t: usize) -> [Vec3; 3] {
        self.triangles[t].map(|v| self.vertices[v as usize])
    }

    pub fn centroid(&self, t: usize) -> Vec3 {
        let [a, b, c] = self.corners(t);
        (a + b + c) / 3.0
    }

    pub fn area(&self, t: usize) -> f64 {
        let [a, b, c] = self.corners(t);
        0.5 * (b - a).cross(&(c - a)).norm()
    }

    /// Pairs triangles across edges. Where more than two meet, those that continue each other flattest are a pair, so
    /// that a wall inside a tube does not cut it; those whose sides agree are preferred, so that wires that touch in an
    /// edge stay two.
    fn connect(&mut self) {
        let mut edges: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * self.triangles.len());
        for (t, tri) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (tri[k], tri[(k + 1) % 3]);
                edges.push((a.min(b), a.max(b), t as u32, k as u8));
            }
        }
        edges.sort_unstable();
        self.neighbours = vec![[NONE; 3]; self.triangles.len()];
        for group in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            match group {
                [_] => {}
                [x, y] => self.pair(x, y),
                _ => self.pair_flattest(group),
            }
        }
    }

    fn pair(&mut self, x: &(u32, u32, u32, u8), y: &(u32, u32, u32, u8)) {
        self.neighbours[x.2 as usize][x.3 as usize] = y.2;
        self.neighbours[y.2 as usize][y.3 as usize] = x.2;
    }

    fn pair_flattest(&mut self, group: &[(u32, u32, u32, u8)]) {
        // Edges where a crowd meets are no surface.
        if group.len() > 16 {
            return;
        }
        let (a, b) = (self.vertices[group[0].0 as usize], self.vertices[group[0].1 as usize]);
        let along = (b - a).normalize();
        let across = |e: &(u32, u32, u32, u8)| {
            let apex = self.vertices[self.triangles[e.2 as usize][(e.3 as usize + 2) % 3] as usize] - a;
            (apex - along * apex.dot(&along)).normalize()
        };
        let directions: Vec<Vec3> = group.iter().map(across).collect();
        let mut pairs = Vec::new();
        for i in 0..group.len() {
            for j in 0..i {
                let forward = |e: &(u32, u32, u32, u8)| self.triangles[e.2 as usize][e.3 as usize] == e.0;
                let turned = if forward(&group[i]) == forward(&group[j]) { 0.4 } else { 0.0 };
                pairs.push((directions[i].dot(&directions[j]) + turned, i, j));
            }
        }
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut taken = vec![false; group.len()];
        for (_, i, j) in pairs {
            if !taken[i] && !taken[j] {
                (taken[i], taken[j]) = (true, true);
                self.pair(&group[i], &group[j]);
            }
        }
    }

    /// Bodies: triangles connected across edges.
    pub fn bodies(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.triangles.len()];
        let mut bodies = Vec::new();
        for first in 0..self.triangles.len() {
            if seen[first] {
                continue;
            }
            seen[first] = true;
            let mut body = vec![first as u32];
            let mut next = 0;
            while next < body.len() {
                for n in self.neighbours[body[next] as usize] {
                    if n != NONE && !seen[n as usize] {
                        seen[n as usize] = true;
                        body.push(n);
                    }
                }
                next += 1;
            }
            bodies.push(body);
        }
        bodies
    }

    /// One body alone, with its edges divided until none is longer than `longest`. Vertices that were there come first,
    /// in `vertices[..kept]`; the others lie on chords, not on the surface.
    pub fn divided(&self, body: &[u32], longest: f64) -> (Self, usize) {
        let mut part = Self::default();
        let mut known: HashMap<u32, u32> = HashMap::new();
        for t in body {
            let corners = self.triangles[*t as usize].map(|v| {
                *known.entry(v).or_insert_with(|| {
                    part.vertices.push(self.vertices[v as usize]);
                    part.vertices.len() as u32 - 1
                })
            });
            part.triangles.push(corners);
            part.origin.push(self.origin[*t as usize]);
        }
        let kept = part.vertices.len();
        while part.triangles.len() < MOST_DIVIDED && part.divide_once(longest) {}
        part.connect();
        (part, kept)
    }

    /// Halves every edge that is too long, once; whether there was one.
    fn divide_once(&mut self, longest: f64) -> bool {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let (mut triangles, mut origin) = (Vec::new(), Vec::new());
        for (t, &[a, b, c]) in self.triangles.iter().enumerate() {
            let vertices = &mut self.vertices;
            let mut middle = |a: u32, b: u32| {
                let (p, q) = (vertices[a as usize], vertices[b as usize]);
                ((p - q).norm() > longest).then(|| {
                    *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                        vertices.push(0.5 * (p + q));
                        vertices.len() as u32 - 1
                    })
                })
            };
            let before = triangles.len();
            match (middle(a, b), middle(b, c), middle(c, a)) {
                (None, None, None) => triangles.push([a, b, c]),
                (Some(x), None, None) => triangles.extend([[a, x, c], [x, b, c]]),
                (None, Some(x), None) => triangles.extend([[b, x, a], [x, c, a]]),
                (None, None, Some(x)) => triangles.extend([[c, x, b], [x, a, b]]),
                (Some(x), Some(y), None) => triangles.extend([[x, b, y], [a, x, y], [a, y, c]]),
                (None, Some(x), Some(y)) => triangles.extend([[x, c, y], [b, x, y], [b, y, a]]),
                (Some(y), None, Some(x)) => triangles.extend([[x, a, y], [c, x, y], [c, y, b]]),
                (Some(x), Some(y), Some(z)) => triangles.extend([[a, x, z], [x, b, y], [z, y, c], [x, y, z]]),
            }
            origin.resize(origin.len() + triangles.len() - before, self.origin[t]);
        }
        self.triangles = triangles;
        self.origin = origin;
        !middles.is_empty()
    }
}

fn median_edge(vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let step = 1 + triangles.len() / 20_000;
    let mut lengths: Vec<f64> = triangles
        .iter()
        .step_by(step)
        .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        .map(|(a, b)| (vertices[a as usize] - vertices[b as usize]).norm())
        .filter(|l| *l > 0.0)
        .collect();
    if lengths.is_empty() {
        return 0.0;
    }
    let middle = lengths.len() / 2;
    *lengths.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// For every vertex the first that is within `tolerance` of it, by a sweep along a direction no edge of a drawing has.
fn welded(vertices: &[Vec3], tolerance: f64) -> Vec<u32> {
    let sweep = Vec3::new(0.541_3, 0.612_7, 0.575_9).normalize();
    let mut order: Vec<(f64, u32)> =
        vertices.iter().enumerate().map(|(i, p)| (p.dot(&sweep), i as u32)).collect();
    order.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut same = vec![NONE; vertices.len()];
    for (k, &(key, i)) in order.iter().enumerate() {
        if same[i as usize] != NONE {
            continue;
        }
        same[i as usize] = i;
        for &(other, j) in &order[k + 1..] {
            if other - key > tolerance {
                break;
            }
            if same[j as usize] == NONE && (vertices[i as usize] - vertices[j as usize]).norm() <= tolerance {
                same[j as usize] = i;
            }
        }
    }
    same
}
