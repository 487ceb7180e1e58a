//! How far segments may move, against fine steps.

use super::*;
use crate::contact::segments_hit;

/// Whether `touch` is not reached before `hit`, by fine steps, and is reached there.
fn check(
    start: f64,
    keep: f64,
    hit: Option<f64>,
    steps: usize,
    fineness: f64,
    distance: impl Fn(f64) -> f64,
    what: &dyn std::fmt::Debug,
) {
    let allowed = if start > 1.01 * keep { keep } else { start - 0.5 * start.abs() };
    let end = hit.unwrap_or(1.0);
    for k in 0..=steps {
        let share = end * k as f64 / steps as f64;
        let here = distance(share);
        assert!(
            here >= allowed - 1e-9 - 1e-9 * allowed.abs(),
            "{what:?}: {here} < {allowed} at {share} of {hit:?}"
        );
    }
    if let Some(share) = hit {
        let here = distance(share);
        // By `distance` in steps along the segment it is `fineness` too large at most.
        assert!(
            here <= allowed + 1.1e-3 * allowed.abs() + fineness,
            "{what:?}: {here} at {share}, {allowed} allowed"
        );
    }
}

/// Ends before and after.
fn fast_move(r: &mut Random) -> [[Vec3; 2]; 2] {
    let (middle, half) = (r.vector(), 0.3 * r.vector());
    let (onto, turned) = (r.vector(), 0.3 * r.vector());
    [[middle - half, middle + half], [onto - turned, onto + turned]]
}

fn between(from: &[Vec3; 2], to: &[Vec3; 2], share: f64) -> [Vec3; 2] {
    [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]
}

/// The least of a function along a segment, by steps and then by thirds.
fn least([a, b]: [Vec3; 2], count: usize, thirds: usize, f: impl Fn(&Vec3) -> f64) -> f64 {
    let at = |s: f64| f(&(a + (b - a) * s));
    let best = (0..=count)
        .map(|k| (at(k as f64 / count as f64), k))
        .fold((f64::INFINITY, 0), |m, n| if n.0 < m.0 { n } else { m });
    let (mut low, mut high) =
        (best.1.saturating_sub(1) as f64 / count as f64, (best.1 + 1).min(count) as f64 / count as f64);
    for _ in 0..thirds {
        let (u, v) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(u) < at(v) { high = v } else { low = u }
    }
    at(0.5 * (low + high)).min(best.0)
}

#[test]
fn nothing_passes_through_shapes() {
    let mut r = Random::new(21);
    for shape in shapes::shapes() {
        let obstacle = still(shape.clone());
        let (mut hits, mut free) = (0, 0);
        for _ in 0..700 {
            let [from, to] = fast_move(&mut r);
            let keep = 0.02;
            let distance = |s: f64| least(between(&from, &to, s), 24, 40, |p| shapes::distance(&shape, p));
            let start = distance(0.0);
            // The ends of a segment in a tube have a limit each.
            let closer = start <= 1.01 * keep && matches!(shape, Shape::Tube { .. });
            if start.abs() < 1e-4 || closer {
                continue;
            }
            let hit = obstacle.first_hit(from, to, keep);
            check(start, keep, hit, 60, 1e-6, distance, &(&shape, from, to));
            *if hit.is_some() { &mut hits } else { &mut free } += 1;
        }
        assert!(hits > 20 && free > 20, "{shape:?} {hits} {free}");
    }
}

/// Thin plates and crumpled sheets, jumped over in one step.
#[test]
fn nothing_passes_through_meshes() {
    let mut r = Random::new(22);
    let flat = |size: usize| {
        let (vertices, triangles) = meshes::crumpled(0, size);
        let vertices: Vec<Vec3> = vertices.iter().map(|v| Vec3::new(v.x, v.y, 0.0)).collect();
        Arc::new(Mesh::new(&vertices, &triangles).unwrap().0)
    };
    let crumpled = |seed: u64| {
        let (vertices, triangles) = meshes::crumpled(seed, 3);
        Arc::new(Mesh::new(&vertices, &triangles).unwrap().0)
    };
    let (mut hits, mut free) = (0, 0);
    for mesh in [flat(1), crumpled(1), crumpled(2), block(Vec3::new(0.5, 0.5, 0.001), 1)] {
        let obstacle = still(Shape::Mesh(mesh.clone()));
        for _ in 0..2500 {
            let [from, to] = fast_move(&mut r);
            let keep = 0.02;
            let distance = |s: f64| least(between(&from, &to, s), 8, 8, |p| meshes::distance(&mesh, p));
            // One that pierces the mesh already, or starts in the thin block, is held by the rest of it only.
            let start = distance(0.0);
            if start < 0.005 {
                continue;
            }
            let hit = obstacle.first_hit(from, to, keep);
            // Triangles started from at less than 1.01 `keep` may be met at half their own distance.
            if start <= 1.01 * keep {
                continue;
            }
            check(start, keep, hit, 25, 5e-3, distance, &(&mesh, from, to));
            *if hit.is_some() { &mut hits } else { &mut free } += 1;
        }
    }
    assert!(hits > 2000 && free > 2000, "{hits} {free}");
}

/// A bar that jumps over a plate of no thickness, edge on, flat on, spinning.
#[test]
fn jumps_over_a_thin_plate_are_caught() {
    let (vertices, triangles) = meshes::crumpled(0, 1);
    let vertices: Vec<Vec3> = vertices.iter().map(|v| Vec3::new(v.x, v.y, 0.0)).collect();
    let obstacle = still(Shape::Mesh(Arc::new(Mesh::new(&vertices, &triangles).unwrap().0)));
    let x = Vec3::new(0.2, 0.0, 0.0);
    let (above, below) = (Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.0, 0.0, -1000.0));
    for (from, to) in [
        ([above - x, above + x], [below - x, below + x]),
        ([above, above + 0.5 * above], [below, below + 0.5 * above]),
        ([above - x, above + x], [below + x, below - x]),
    ] {
        let hit = obstacle.first_hit(from, to, 0.004).unwrap();
        let end = between(&from, &to, hit);
        let height = end[0].z.min(end[1].z);
        assert!(height > 0.004 - 1e-9 && height < 0.0041, "{height}");
    }
    // Beside it, and away from it, the way is free.
    let aside = Vec3::new(0.0, 1.0, 0.0);
    assert_eq!(
        obstacle.first_hit(
            [above + aside - x, above + aside + x],
            [below + aside - x, below + aside + x],
            0.004
        ),
        None
    );
}

#[test]
fn motion_away_and_along_is_free_however_close() {
    let close = Vec3::new(0.0, 0.0, 1e-6);
    let (x, up) = (Vec3::new(0.2, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.5));
    for shape in [
        Shape::Plane,
        Shape::Mesh(block(Vec3::new(0.5, 0.5, 0.1), 2)),
        Shape::Box { half: Vec3::new(0.5, 0.5, 0.1) },
    ] {
        let mut obstacle = still(shape.clone());
        obstacle.pose.position.z = if matches!(shape, Shape::Plane) { 0.0 } else { -0.1 };
        let from = [close - x, close + x];
        assert_eq!(obstacle.first_hit(from, from, 0.01), None, "{shape:?}");
        assert_eq!(obstacle.first_hit(from, from.map(|p| p + up), 0.01), None, "{shape:?}");
        assert_eq!(obstacle.first_hit(from, from.map(|p| p + 0.2 * x), 0.01), None, "{shape:?}");
        let hit = obstacle.first_hit(from, from.map(|p| p - up), 0.01).unwrap();
        assert!((hit - 1e-6).abs() < 1e-8, "{shape:?} {hit}");
        // Out of a solid; a shell is touched from that side too.
        if matches!(shape, Shape::Mesh(_)) {
            continue;
        }
        let deep = obstacle.first_hit(from.map(|p| p - 2.0 * close), from.map(|p| p + up), 0.01);
        assert_eq!(deep, None, "{shape:?}");
    }
    let none = Vec3::new(f64::NAN, 0.0, 0.0);
    assert_eq!(still(Shape::Plane).first_hit([close, none], [up, up], 0.01), Some(0.0));
    assert_eq!(segments_hit([close, none], [up, up], [x, up], [x, up], 0.01), Some(0.0));
}

#[test]
fn a_tube_holds_what_is_inside() {
    let tube = still(Shape::Tube { radius: 0.1 });
    let from = [Vec3::new(0.0, 0.02, -0.3), Vec3::new(0.01, 0.0, 0.3)];
    let to = [Vec3::new(0.0, 0.02, 5.0), Vec3::new(1.0, 0.0, 5.3)];
    let hit = tube.first_hit(from, to, 0.01).unwrap();
    assert!((hit - 0.08 / 0.99).abs() < 1e-12, "{hit}");
    assert_eq!(tube.first_hit(from, from.map(|p| p + Vec3::z()), 0.01), None);
}

/// How often one closed polygon passes through another: signed crossings as seen from above.
fn linking(a: &[Vec3], b: &[Vec3]) -> i32 {
    let cross = |u: &Vec3, v: &Vec3| u.x * v.y - u.y * v.x;
    let mut sum = 0;
    for i in 0..a.len() {
        for j in 0..b.len() {
            let (p, q) = (a[i], b[j]);
            let (u, v) = (a[(i + 1) % a.len()] - p, b[(j + 1) % b.len()] - q);
            let (area, way) = (cross(&u, &v), q - p);
            let (s, t) = (cross(&way, &v) / area, cross(&way, &u) / area);
            if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) && (p + u * s).z > (q + v * t).z {
                sum += area.signum() as i32;
            }
        }
    }
    sum
}

#[test]
fn linked_rings_stay_linked_when_steps_are_cut() {
    let mut r = Random::new(23);
    let ring = |middle: Vec3, x: Vec3, y: Vec3| -> Vec<Vec3> {
        let at = |k: usize| std::f64::consts::TAU * k as f64 / 8.0;
        (0..8).map(|k| middle + x * at(k).cos() + y * at(k).sin()).collect()
    };
    let (mut uncut, mut cut, mut moves) = (0, 0, 0);
    for start in 0..4 {
        let mut a = ring(Vec3::zeros(), Vec3::x(), Vec3::y());
        let mut b = ring(if start % 2 == 0 { Vec3::x() } else { 4.0 * Vec3::x() }, Vec3::x(), Vec3::z());
        let expected = linking(&a, &b);
        assert_eq!(expected.abs(), if start % 2 == 0 { 1 } else { 0 });
        for _ in 0..100 {
            // Anywhere: far beyond what a step would be.
            let onto = |r: &mut Random| (0..8).map(|_| 2.0 * r.vector()).collect::<Vec<_>>();
            let (a_to, b_to) = (onto(&mut r), onto(&mut r));
            uncut += usize::from(linking(&a_to, &b_to) != expected);
            let mut share: f64 = 1.0;
            for i in 0..8 {
                for j in 0..8 {
                    let side = |ring: &[Vec3], k: usize| [ring[k], ring[(k + 1) % 8]];
                    let hit = segments_hit(side(&a, i), side(&a_to, i), side(&b, j), side(&b_to, j), 0.05);
                    share = share.min(hit.unwrap_or(1.0));
                    moves += 1;
                }
            }
            cut += usize::from(share < 1.0);
            let blend = |from: &mut Vec<Vec3>, to: &[Vec3]| {
                from.iter_mut().zip(to).for_each(|(p, q)| *p += (q - *p) * share);
            };
            blend(&mut a, &a_to);
            blend(&mut b, &b_to);
            assert_eq!(linking(&a, &b), expected);
        }
    }
    assert!(uncut > 50 && cut > 100 && moves >= 10_000, "{uncut} {cut} {moves}");
}

#[test]
fn two_fast_segments_do_not_cross() {
    let mut r = Random::new(24);
    let (mut hits, mut free) = (0, 0);
    for _ in 0..3000 {
        let ([a, a_to], [b, b_to]) = (fast_move(&mut r), fast_move(&mut r));
        let keep = 0.01;
        let distance = |s: f64| {
            let (here, other) = (between(&a, &a_to, s), between(&b, &b_to, s));
            least(here, 12, 40, |p| {
                let along = other[1] - other[0];
                let share = ((p - other[0]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                (p - other[0] - along * share).norm()
            })
        };
        let hit = segments_hit(a, a_to, b, b_to, keep);
        check(distance(0.0), keep, hit, 60, 1e-6, distance, &(a, a_to, b, b_to));
        *if hit.is_some() { &mut hits } else { &mut free } += 1;
    }
    assert!(hits > 50 && free > 100, "{hits} {free}");
}

/// Figures, not a test.
#[test]
#[ignore = "measures"]
fn measure_hits() {
    let obstacle = still(Shape::Mesh(ball(112)));
    let mut r = Random::new(25);
    for way in [0.001, 0.01, 0.05] {
        let moves: Vec<[[Vec3; 2]; 2]> = (0..5000)
            .map(|_| {
                let normal = r.vector().normalize();
                let (along, by) = (rotation::across(&normal) * 0.0125, way * r.vector());
                let from = [normal * 1.012 - along, normal * 1.012 + along];
                [from, from.map(|p| p + by)]
            })
            .collect();
        let start = std::time::Instant::now();
        let hits = moves.iter().filter(|[from, to]| obstacle.first_hit(*from, *to, 0.006).is_some()).count();
        let ms = 1e3 * start.elapsed().as_secs_f64();
        println!("100,352 triangles, ways of {way}: {:.0} per ms, {hits} of 5000 hit", 5000.0 / ms);
    }
    let pairs: Vec<_> = (0..20_000).map(|_| (fast_move(&mut r), fast_move(&mut r))).collect();
    let start = std::time::Instant::now();
    let hits = pairs.iter().filter(|([a, b], [c, d])| segments_hit(*a, *b, *c, *d, 0.01).is_some()).count();
    println!("pairs: {:.0} per ms, {hits} hit", 20.0 / start.elapsed().as_secs_f64());
}
