//! Meshes.

use super::*;
use crate::contact::{MeshError, MeshHealth};

/// Distance of a point from a mesh, triangle by triangle.
pub(super) fn distance(mesh: &Mesh, p: &Vec3) -> f64 {
    (0..mesh.triangles().len()).map(|t| triangle_distance(p, &mesh.points(t))).fold(f64::INFINITY, f64::min)
}

/// A crumpled sheet with open edges.
pub(super) fn crumpled(seed: u64, size: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut r = Random::new(seed);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=size {
        for j in 0..=size {
            let flat = Vec3::new(i as f64, j as f64, 0.0) / size as f64 - Vec3::new(0.5, 0.5, 0.0);
            vertices.push(flat + 0.3 / size as f64 * r.vector());
        }
    }
    for i in 0..size {
        for j in 0..size {
            let at = |i: usize, j: usize| (i * (size + 1) + j) as u32;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

#[test]
fn every_minimum_along_a_segment_is_found_on_crumpled_sheets() {
    let mut r = Random::new(5);
    let mut seen = 0;
    for seed in 0..12 {
        let (vertices, triangles) = crumpled(seed, 5);
        let mesh = Arc::new(Mesh::new(&vertices, &triangles).unwrap().0);
        let obstacle = still(Shape::Mesh(mesh.clone()));
        for _ in 0..60 {
            let (middle, half) = (0.5 * r.vector(), 0.3 * r.vector());
            let (middle, half) = (Vec3::new(middle.x, middle.y, 0.4 * middle.z), half);
            let (a, b) = (middle - half, middle + half);
            let found = touches(&obstacle, a, b, 0.15);
            for (share, value) in minima(400, |s| distance(&mesh, &(a + (b - a) * s))) {
                if value >= 0.149 {
                    continue;
                }
                seen += 1;
                // Merged places are within 0.03 of the distance of each other, and agree to second order.
                let same = |t: &Touch| {
                    (t.distance - value).abs() < 1e-6 + 2e-3 * value
                        && (t.share - share).abs() * (b - a).norm() < 0.02 * value + 1e-3
                };
                assert!(found.iter().any(same), "{seed} {a} {b} {share} {value} {found:#?}");
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

/// Touches are minima: no place of the surface or of the segment nearby is nearer.
#[test]
fn touches_on_crumpled_sheets_are_minima() {
    let mut r = Random::new(6);
    let mut seen = 0;
    for seed in 0..12 {
        let (vertices, triangles) = crumpled(seed, 5);
        let mesh = Arc::new(Mesh::new(&vertices, &triangles).unwrap().0);
        let obstacle = still(Shape::Mesh(mesh.clone()));
        for _ in 0..60 {
            let (middle, half) = (0.5 * r.vector(), 0.1 * r.vector());
            let (middle, half) = (Vec3::new(middle.x, middle.y, 0.4 * middle.z), half);
            let (a, b) = (middle - half, middle + half);
            for t in touches(&obstacle, a, b, 0.15) {
                assert!((t.surface + t.normal * t.distance - t.at).norm() < 1e-12, "{t:?}");
                assert!(distance(&mesh, &t.surface) < 1e-12 + 2e-4 * t.distance, "{t:?}");
                if t.distance == 0.0 {
                    continue;
                }
                seen += 1;
                // Towards places of the triangles that the foot is on.
                let near = 0.02 * t.distance;
                for triangle in 0..mesh.triangles().len() {
                    let [p, q, s] = mesh.points(triangle);
                    if triangle_distance(&t.surface, &[p, q, s]) > 1e-9 {
                        continue;
                    }
                    for _ in 0..30 {
                        let (mut u, mut v) = (0.5 + 0.5 * r.signed(), 0.5 + 0.5 * r.signed());
                        if u + v > 1.0 {
                            (u, v) = (1.0 - u, 1.0 - v);
                        }
                        let other = p + (q - p) * u + (s - p) * v;
                        let other = t.surface + (other - t.surface).cap_magnitude(near);
                        // Cones are opened by 0.02: 0.02 of `near` may be gained.
                        if distance(&mesh, &other) < 1e-9 {
                            let gain = t.distance - (t.at - other).norm();
                            assert!(gain < 0.021 * near, "{t:?} {other} {gain}");
                        }
                    }
                }
                let tangent = (b - a).dot(&t.normal) / (b - a).norm();
                let is_face = t.hessian.norm() == 0.0;
                let nearest_there = match t.share {
                    0.0 => tangent >= -1e-9,
                    1.0 => tangent <= 1e-9,
                    _ => tangent.abs() < 1e-9,
                };
                // Near parallel to an edge both ends are told.
                assert!(is_face || nearest_there || tangent.abs() < 0.011, "{t:?} {tangent}");
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// The hierarchy and the rule of who looks after an edge against every feature asked in turn.
#[test]
fn the_hierarchy_misses_and_doubles_nothing() {
    let mut r = Random::new(7);
    for seed in 0..20 {
        let (vertices, triangles) = crumpled(seed, 8);
        let whole = still(Shape::Mesh(Arc::new(Mesh::new(&vertices, &triangles).unwrap().0)));
        for _ in 0..40 {
            let (a, b) = (0.5 * r.vector(), 0.5 * r.vector());
            let found = touches(&whole, a, b, 0.1);
            // A reach that opens the whole tree gives the same below 0.1.
            let mut all = touches(&whole, a, b, 100.0);
            all.retain(|t| t.distance < 0.1);
            let key = |t: &Touch| (t.feature, t.share.to_bits());
            let mut keys: Vec<_> = found.iter().map(key).collect();
            let mut all_keys: Vec<_> = all.iter().map(key).collect();
            keys.sort_unstable();
            all_keys.sort_unstable();
            assert_eq!(keys, all_keys);
            let before = keys.len();
            keys.dedup();
            assert_eq!(keys.len(), before);
        }
    }
}

#[test]
fn a_divided_ball_is_touched_like_a_ball() {
    let (fine, exact) = (still(Shape::Mesh(ball(60))), still(Shape::Sphere { radius: 1.0 }));
    let mut r = Random::new(8);
    for _ in 0..300 {
        let normal = r.vector().normalize();
        let along =
            rotation::rotate(&rotation::exp(&(normal * r.signed() * 3.0)), &rotation::across(&normal));
        let at = normal * 1.1;
        let (a, b) = (at - along * 0.2, at + along * 0.3);
        let [t] = touches(&exact, a, b, 0.15)[..] else { panic!("one") };
        let found = touches(&fine, a, b, 0.15);
        let nearest = found.iter().min_by(|x, y| x.distance.total_cmp(&y.distance)).unwrap();
        // The sagitta of facets with corners within 0.024 of their middle.
        assert!((nearest.distance - t.distance).abs() < 3e-4, "{nearest:?} {t:?}");
        assert!((nearest.normal - t.normal).norm() < 0.03, "{nearest:?} {t:?}");
        assert!(found.iter().all(|f| f.distance > t.distance - 1e-9), "{found:?}");
        // Facets are flat: those beside the nearest one may have minima of their own, not many.
        assert!(found.len() < 12, "{}", found.len());
    }
}

/// A node and a segment on a divided face meet it once, as one facet, wherever the divisions run.
#[test]
fn divisions_of_a_flat_face_are_not_felt() {
    let half = Vec3::new(0.5, 0.5, 0.1);
    let (coarse, fine) = (still(Shape::Box { half }), still(Shape::Mesh(block(half, 8))));
    let mut r = Random::new(9);
    let mut feature = None;
    for k in 0..300 {
        let height = 0.12 + 0.01 * r.signed().abs();
        // Every third runs along the divisions, with a node above a vertex.
        let a = if k % 3 == 0 { Vec3::new(0.125, -0.25, height) } else { 0.45 * r.vector() };
        let b = if k % 3 == 0 { Vec3::new(0.125, 0.25, height) } else { 0.45 * r.vector() };
        let (a, b) = (Vec3::new(a.x, a.y, height), Vec3::new(b.x, b.y, height + 0.01 * r.signed()));
        let (few, found) = (touches(&coarse, a, b, 0.05), touches(&fine, a, b, 0.05));
        assert!(found.len() == 2 && few.len() == 2, "{a} {b} {found:#?} {few:#?}");
        for t in &found {
            assert_eq!(*feature.get_or_insert(t.feature), t.feature);
            let same = few.iter().any(|f| f.share == t.share && (f.distance - t.distance).abs() < 1e-12);
            assert!(same && (t.normal - Vec3::z()).norm() < 1e-12, "{t:?}");
        }
    }
}

#[test]
fn divided_and_exact_blocks_agree_outside() {
    let half = Vec3::new(0.5, 0.3, 0.2);
    let mut r = Random::new(10);
    for divisions in [1, 4] {
        let (exact, divided) = (still(Shape::Box { half }), still(Shape::Mesh(block(half, divisions))));
        for _ in 0..2000 {
            let (middle, part) = (0.9 * r.vector(), 0.3 * r.vector());
            let (a, b) = (middle - part, middle + part);
            let few = touches(&exact, a, b, 0.1);
            if few.iter().any(|t| t.distance < 0.0) {
                continue;
            }
            // The shell is seen through the solid as well; what is nearest is the same.
            let found = touches(&divided, a, b, 0.1);
            for t in &few {
                let same =
                    |f: &Touch| (f.share - t.share).abs() < 1e-9 && (f.surface - t.surface).norm() < 1e-9;
                assert!(found.iter().any(same), "{divisions} {a} {b} {t:?} {found:#?}");
            }
        }
    }
}

#[test]
fn a_concave_corner_touches_with_both_walls_and_not_with_its_edge() {
    let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let vertices = [
        at(0.0, -1.0, 0.0),
        at(0.0, 1.0, 0.0),
        at(2.0, -1.0, 0.0),
        at(2.0, 1.0, 0.0),
        at(0.0, -1.0, 2.0),
        at(0.0, 1.0, 2.0),
    ];
    let triangles = [[0, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4]];
    let (mesh, health) = Mesh::new(&vertices, &triangles).unwrap();
    assert!(!health.closed && health.open_edges == 6 && health.inconsistent_edges == 0, "{health:?}");
    let obstacle = still(Shape::Mesh(Arc::new(mesh)));
    let found = touches(&obstacle, at(0.1, -0.3, 0.2), at(0.1, 0.4, 0.2), 0.5);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().all(|t| t.hessian.norm() == 0.0));
    // From behind the edge is all there is.
    let found = touches(&obstacle, at(-0.3, -0.3, -0.1), at(-0.1, 0.4, -0.3), 0.5);
    assert!(found.len() == 1 && found[0].hessian.norm() > 0.0, "{found:#?}");
}

#[test]
fn an_axis_through_a_shell_is_told() {
    let obstacle = still(Shape::Mesh(block(Vec3::repeat(0.5), 1)));
    let found = touches(&obstacle, Vec3::new(0.1, 0.2, 0.4), Vec3::new(0.1, 0.2, 0.9), 0.05);
    let pierced = found.iter().find(|t| t.distance == 0.0).unwrap();
    assert!(
        (pierced.share - 0.2).abs() < 1e-12 && (pierced.normal - Vec3::z()).norm() < 1e-12,
        "{pierced:?}"
    );
}

#[test]
fn health_tells_what_is_wrong() {
    let mesh = ball(6);
    let (vertices, mut triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let health = |triangles: &[[u32; 3]]| Mesh::new(&vertices, triangles).unwrap().1;
    let sound = health(&triangles);
    let volume = sound.volume;
    assert!(volume > 3.5 && volume < 4.0 * std::f64::consts::PI / 3.0, "{volume}");
    let expected = MeshHealth { vertices: 146, triangles: 288, closed: true, volume, ..Default::default() };
    assert_eq!(sound, expected);
    // As an STL has it: three vertices a triangle; turned inside out.
    let soup: Vec<Vec3> = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
    let thirds: Vec<[u32; 3]> = (0..288).map(|t| [3 * t + 1, 3 * t, 3 * t + 2]).collect();
    let welded = Mesh::new(&soup, &thirds).unwrap().1;
    assert_eq!(welded, MeshHealth { welded: 864 - 146, volume: welded.volume, ..expected });
    assert!((welded.volume + volume).abs() < 1e-12);
    triangles[7].swap(0, 1);
    let turned = health(&triangles);
    assert!(turned.inconsistent_edges == 3 && turned.closed && turned.volume == 0.0, "{turned:?}");
    let copy = triangles[3];
    triangles.push([copy[2], copy[1], copy[0]]);
    triangles.push([copy[0], copy[0], copy[1]]);
    let doubled = health(&triangles);
    assert!(doubled.duplicates == 1 && doubled.degenerate == 1 && doubled.triangles == 288, "{doubled:?}");
    let other = triangles.iter().take(200).flatten().find(|v| !copy.contains(v)).copied().unwrap();
    triangles.push([copy[0], copy[1], other]);
    assert_eq!(health(&triangles).non_manifold_edges, 1);
    triangles.truncate(280);
    let open = health(&triangles);
    assert!(!open.closed && open.open_edges > 0, "{open:?}");
}

#[test]
fn bad_meshes_are_refused_with_a_reason() {
    let vertices = [Vec3::zeros(), Vec3::x(), Vec3::y(), 2.0 * Vec3::x()];
    let refused = |vertices: &[Vec3], triangles: &[[u32; 3]]| Mesh::new(vertices, triangles).unwrap_err();
    assert_eq!(refused(&[], &[]), MeshError::Empty { given: 0 });
    assert_eq!(refused(&vertices, &[[0, 1, 3], [0, 0, 1]]), MeshError::Empty { given: 2 });
    assert_eq!(refused(&vertices, &[[0, 1, 4]]), MeshError::Index { triangle: 0, vertex: 4, vertices: 4 });
    let none = [Vec3::zeros(), Vec3::new(0.0, f64::NAN, 0.0)];
    assert!(refused(&none, &[[0, 1, 1]]).to_string().contains("vertex 1 of the mesh is [0.0, NaN, 0.0]"));
}

#[test]
fn points_are_inside_or_outside() {
    let (round, square) = (ball(12), block(Vec3::new(0.5, 0.4, 0.3), 3));
    let mut r = Random::new(11);
    for _ in 0..2000 {
        let p = 1.2 * r.vector();
        if (p.norm() - 0.98).abs() > 0.02 {
            assert_eq!(round.contains(&p), Some(p.norm() < 0.98), "{p}");
        }
        let inside = p.x.abs() < 0.5 && p.y.abs() < 0.4 && p.z.abs() < 0.3;
        assert_eq!(square.contains(&p), Some(inside), "{p}");
    }
    let (vertices, triangles) = crumpled(1, 3);
    assert_eq!(Mesh::new(&vertices, &triangles).unwrap().0.contains(&Vec3::zeros()), None);
}

/// Figures, not a test: how long a million triangles take, and a query of a fine mesh.
#[test]
#[ignore = "measures"]
fn measure_large_meshes() {
    let mesh = ball(354);
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    let start = std::time::Instant::now();
    let health = Mesh::new(&vertices, &triangles).unwrap().1;
    println!("{} triangles in {:.2} s", health.triangles, start.elapsed().as_secs_f64());
    let obstacle = still(Shape::Mesh(ball(112)));
    let mut r = Random::new(12);
    for (name, distance) in [("touching", 1.012), ("near", 1.03), ("away", 1.3)] {
        let segments: Vec<[Vec3; 2]> = (0..20_000)
            .map(|_| {
                let normal = r.vector().normalize();
                let along = rotation::across(&normal) * 0.0125;
                [normal * distance - along, normal * distance + along]
            })
            .collect();
        let mut out = Vec::with_capacity(100);
        let (start, mut count) = (std::time::Instant::now(), 0);
        for [a, b] in &segments {
            out.clear();
            obstacle.touches(*a, *b, 0.0125, &mut out);
            count += out.len();
        }
        let ms = 1e3 * start.elapsed().as_secs_f64();
        println!("100,352 triangles, {name}: {:.0} queries per ms, {count} touches", 20_000.0 / ms);
    }
}
