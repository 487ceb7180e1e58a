//! One surface around several cables: where they meet is found from how they run into one another.

use std::collections::HashMap;

use flexline::Vec3;

use super::testing::Mesh;

/// An arc in the plane z = 0, from a point in a direction, its curvature counted to the left.
struct Arc {
    from: [f64; 2],
    heading: f64,
    curvature: f64,
    length: f64,
    radius: f64,
}

impl Arc {
    /// Where it ends, and its direction there.
    fn end(&self) -> ([f64; 2], f64) {
        let turn = self.curvature * self.length;
        let chord = self.length * (0.5 * turn).sin() / (0.5 * turn);
        let way = self.heading + 0.5 * turn;
        ([self.from[0] + chord * way.cos(), self.from[1] + chord * way.sin()], self.heading + turn)
    }

    /// How far a point is off its tube, and how far along it.
    fn off(&self, x: &Vec3) -> (f64, f64) {
        let side = self.curvature.signum();
        let bend = 1.0 / self.curvature.abs();
        let (sin, cos) = self.heading.sin_cos();
        let d = [x.x - self.from[0], x.y - self.from[1]];
        let (ahead, left) = (d[0] * cos + d[1] * sin, side * (d[1] * cos - d[0] * sin));
        let s = bend * ahead.atan2(bend - left);
        let across = if (0.0..=self.length).contains(&s) {
            (ahead.hypot(bend - left) - bend).abs()
        } else {
            let end = self.end().0;
            d[0].hypot(d[1]).min((x.x - end[0]).hypot(x.y - end[1]))
        };
        (across.hypot(x.z) - self.radius, s)
    }
}

/// The surface around arcs by marching tetrahedra, its vertices on it to round-off; cells of `cell`.
fn surface(arcs: &[Arc], cell: f64, open: impl Fn(&Vec3) -> bool) -> Mesh {
    let off = |x: &Vec3| arcs.iter().map(|a| a.off(x).0).fold(f64::INFINITY, f64::min);
    let reach = arcs.iter().map(|a| a.radius).fold(0.0, f64::max) + 2.0 * cell;
    let ends: Vec<[f64; 2]> = arcs.iter().flat_map(|a| [a.from, a.end().0]).collect();
    let bulge = arcs.iter().map(|a| a.length * a.length * a.curvature.abs() / 8.0).fold(0.0, f64::max);
    let low = |k: usize| ends.iter().map(|e| e[k]).fold(f64::INFINITY, f64::min) - reach - bulge;
    let high = |k: usize| ends.iter().map(|e| e[k]).fold(f64::NEG_INFINITY, f64::max) + reach + bulge;
    // Not where anything is symmetric.
    let base = Vec3::new(low(0), low(1), -reach - 0.37 * cell);
    let count = [high(0) - low(0), high(1) - low(1), 2.0 * reach + cell].map(|l| (l / cell) as usize + 2);
    let id = |c: [usize; 3]| (c[0] * count[1] + c[1]) * count[2] + c[2];
    let place = |c: [usize; 3]| base + cell * Vec3::new(c[0] as f64, c[1] as f64, c[2] as f64);
    let mut values = vec![0.0; count[0] * count[1] * count[2]];
    let corners = |c: [usize; 3], k: usize| [c[0] + (k & 1), c[1] + (k >> 1 & 1), c[2] + (k >> 2)];
    let mut cells = Vec::new();
    for i in 0..count[0] {
        for j in 0..count[1] {
            for k in 0..count[2] {
                values[id([i, j, k])] = off(&place([i, j, k]));
                if i + 1 < count[0] && j + 1 < count[1] && k + 1 < count[2] {
                    cells.push([i, j, k]);
                }
            }
        }
    }
    let mut mesh = Mesh::default();
    let mut known: HashMap<(usize, usize), u32> = HashMap::new();
    let mut cut = |mesh: &mut Mesh, a: [usize; 3], b: [usize; 3]| {
        let key = (id(a).min(id(b)), id(a).max(id(b)));
        *known.entry(key).or_insert_with(|| {
            let (mut inside, mut outside) =
                if values[id(a)] < 0.0 { (place(a), place(b)) } else { (place(b), place(a)) };
            for _ in 0..50 {
                let middle = 0.5 * (inside + outside);
                if off(&middle) < 0.0 { inside = middle } else { outside = middle }
            }
            mesh.vertices.push(inside);
            mesh.vertices.len() as u32 - 1
        })
    };
    for c in cells {
        // Six around the diagonal from corner 0 to corner 7.
        for [p, q] in [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]] {
            let tetrahedron = [0, p, q, 7].map(|k| corners(c, k));
            let (within, without): (Vec<&[usize; 3]>, Vec<&[usize; 3]>) =
                tetrahedron.iter().partition(|c| values[id(**c)] < 0.0);
            let mut edges = Vec::new();
            for a in within {
                let mut ring: Vec<u32> = without.iter().map(|b| cut(&mut mesh, *a, **b)).collect();
                // Round the quadrilateral, not across it.
                if edges.len() == 2 {
                    ring.reverse();
                }
                edges.extend(ring);
            }
            for k in 2..edges.len() {
                mesh.triangles.push([edges[0], edges[k - 1], edges[k]]);
            }
        }
    }
    let vertices = mesh.vertices.clone();
    mesh.triangles.retain(|t| !open(&(t.iter().fold(Vec3::zeros(), |s, v| s + vertices[*v as usize]) / 3.0)));
    mesh
}

#[test]
fn cables_are_followed_to_where_they_meet() {
    // Their curvature changes two and a half radii before the junction, where rings are no longer those of one cable: prolonged with what
    // they had there they met 0.87 radii beside it.
    const R: f64 = 0.008;
    let mut arcs = Vec::new();
    for (heading, radius, bend) in [(0.0, R, 0.11), (2.3, 0.9 * R, -0.1), (4.1, 0.8 * R, 0.1)] {
        let first = Arc { from: [0.0, 0.0], heading, curvature: bend / radius, length: 2.6 * R, radius };
        let (from, heading) = first.end();
        arcs.push(first);
        arcs.push(Arc { from, heading, curvature: -bend / radius, length: 16.0 * R, radius });
    }
    let mesh = surface(&arcs, 0.4 * R, |x| {
        let nearest = arcs.iter().min_by(|a, b| a.off(x).0.total_cmp(&b.off(x).0));
        nearest.is_some_and(|a| a.length > 10.0 * R && a.off(x).1 > 14.0 * R)
    });
    let flexible = mesh.flexible();
    assert_eq!(
        (flexible.spans.len(), flexible.nodes.len()),
        (3, 4),
        "{:?} {:?}",
        flexible.refused,
        flexible.warnings
    );
    let junction = flexible.nodes.iter().find(|n| n.junction).unwrap();
    // Half of what the families of the exchange allow; a jump of curvature is more than a cubic spline follows. Without it 0.87.
    assert!(junction.at.norm() < 0.3 * R, "{} radii off", junction.at.norm() / R);
    for span in &flexible.spans {
        assert!((span.length - 16.6 * R).abs() < 0.5 * R, "{} radii long", span.length / R);
    }
}
