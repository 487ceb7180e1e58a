//! How sound the surface of a part is.

use super::Part;
use flexline::Vec3;
use flexline::contact::{Mesh, MeshHealth};

/// What is to know of a surface before cables are laid against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// Edges, doubles, degenerate triangles and the volume, as the engine finds them; lengths in the unit of the file.
    pub surface: MeshHealth,
    /// Pieces that are not joined by any edge.
    pub bodies: usize,
    /// Closed pieces whose triangles are turned inside out.
    pub inverted: usize,
}

/// Looks a part over; `None` where no triangle of it has an area.
pub fn health(parts: &[Part]) -> Option<Health> {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for part in parts {
        let first = vertices.len() as u32;
        vertices.extend(part.vertices.iter().map(|p| Vec3::from(*p)));
        triangles.extend(part.triangles.iter().map(|t| t.map(|i| first + i)));
    }
    let (mesh, surface) = Mesh::new(&vertices, &triangles).ok()?;
    let (bodies, inverted) = bodies(mesh.vertices(), mesh.triangles());
    Some(Health { surface, bodies, inverted })
}

/// Counts pieces, and those among the closed ones that are inside out.
fn bodies(vertices: &[Vec3], triangles: &[[u32; 3]]) -> (usize, usize) {
    // Triangles that share an edge are of one piece: edges by their ends, sorted.
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (i, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            edges.push(([a.min(b), a.max(b)], i as u32));
        }
    }
    edges.sort_unstable();
    let mut piece: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut open = vec![false; triangles.len()];
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        if let [one] = same {
            open[one.1 as usize] = true;
        }
        for pair in same.windows(2) {
            let (a, b) = (root(&mut piece, pair[0].1), root(&mut piece, pair[1].1));
            piece[a.max(b) as usize] = a.min(b);
        }
    }
    let middle = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f64;
    let mut volume = vec![0.0; triangles.len()];
    let mut is_open = vec![false; triangles.len()];
    for (i, t) in triangles.iter().enumerate() {
        let own = root(&mut piece, i as u32) as usize;
        let [a, b, c] = t.map(|i| vertices[i as usize] - middle);
        volume[own] += a.dot(&b.cross(&c)) / 6.0;
        is_open[own] |= open[i];
    }
    let roots: Vec<usize> = (0..triangles.len()).filter(|i| piece[*i] as usize == *i).collect();
    (roots.len(), roots.iter().filter(|i| !is_open[**i] && volume[**i] < 0.0).count())
}

/// The first triangle of a piece; the way to it is halved.
fn root(piece: &mut [u32], mut i: u32) -> u32 {
    while piece[i as usize] != i {
        piece[i as usize] = piece[piece[i as usize] as usize];
        i = piece[i as usize];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron(at: f64, inside_out: bool) -> Part {
        let vertices = vec![[at, 0.0, 0.0], [at + 1.0, 0.0, 0.0], [at, 2.0, 0.0], [at, 0.0, 3.0]];
        let mut triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        if inside_out {
            triangles.iter_mut().for_each(|t| t.reverse());
        }
        Part { path: String::new(), vertices, triangles, collapsed: 0 }
    }

    #[test]
    fn pieces_are_counted_and_turned() {
        let both = health(&[tetrahedron(0.0, false), tetrahedron(5.0, true)]).unwrap();
        assert_eq!((both.bodies, both.inverted, both.surface.closed), (2, 1, true));
        let one = health(&[tetrahedron(0.0, false)]).unwrap();
        assert!((one.surface.volume - 1.0).abs() < 1e-12 && one.inverted == 0);
        let mut open = tetrahedron(0.0, true);
        open.triangles.pop();
        let open = health(&[open]).unwrap();
        assert_eq!((open.bodies, open.inverted, open.surface.open_edges), (1, 0, 3), "no inside, no outside");
        assert_eq!(health(&[]), None);
    }
}
