//! Shapes that have a formula.

use super::*;

/// Signed distance of a point from a shape, written down as simply as can be.
pub(super) fn distance(shape: &Shape, p: &Vec3) -> f64 {
    let rho = p.x.hypot(p.y);
    match shape {
        Shape::Plane => p.z,
        Shape::Sphere { radius } => p.norm() - radius,
        Shape::Cylinder { radius, half_length: None } => rho - radius,
        Shape::Tube { radius } => radius - rho,
        Shape::Cylinder { radius, half_length: Some(half) } => {
            let (u, v) = (rho - radius, p.z.abs() - half);
            if u < 0.0 && v < 0.0 { u.max(v) } else { u.max(0.0).hypot(v.max(0.0)) }
        }
        Shape::Capsule { radius, half_length } => {
            (p - Vec3::z() * p.z.clamp(-half_length, *half_length)).norm() - radius
        }
        Shape::Box { half } => {
            let over = p.abs() - half;
            if over.max() < 0.0 { over.max() } else { over.sup(&Vec3::zeros()).norm() }
        }
        Shape::Mesh(mesh) => {
            let distances = (0..mesh.triangles().len()).map(|t| triangle_distance(p, &mesh.points(t)));
            distances.fold(f64::INFINITY, f64::min)
        }
    }
}

pub(super) fn shapes() -> Vec<Shape> {
    vec![
        Shape::Plane,
        Shape::Sphere { radius: 0.4 },
        Shape::Cylinder { radius: 0.3, half_length: None },
        Shape::Cylinder { radius: 0.5, half_length: Some(0.3) },
        Shape::Cylinder { radius: 0.2, half_length: Some(0.6) },
        Shape::Capsule { radius: 0.25, half_length: 0.4 },
        Shape::Box { half: Vec3::new(0.5, 0.3, 0.2) },
        Shape::Box { half: Vec3::new(0.6, 0.5, 0.01) },
        Shape::Tube { radius: 0.8 },
    ]
}

/// A segment somewhere near the origin.
fn segment(r: &mut Random) -> [Vec3; 2] {
    let (middle, half) = (0.8 * r.vector(), 0.5 * r.vector());
    [middle - half, middle + half]
}

#[test]
fn the_nearest_place_is_always_among_the_touches_and_none_is_nearer() {
    let mut r = Random::new(1);
    for shape in shapes() {
        let obstacle = still(shape.clone());
        let mut seen = 0;
        for _ in 0..2000 {
            let [a, b] = segment(&mut r);
            let found = touches(&obstacle, a, b, 0.3);
            let all = minima(200, |s| distance(&shape, &(a + (b - a) * s)));
            let nearest = all.iter().fold((0.0, f64::INFINITY), |m, &n| if n.1 < m.1 { n } else { m });
            let best = found.iter().min_by(|x, y| x.distance.total_cmp(&y.distance));
            if nearest.1 >= 0.3 {
                assert!(best.is_none_or(|t| t.distance > 0.3 - 1e-4), "{shape:?} {a} {b} {best:?}");
                continue;
            }
            seen += 1;
            let best = best.unwrap_or_else(|| panic!("{shape:?}: nothing at {a} {b}, expected {nearest:?}"));
            // Parallel segments and opened cones: 1e-2²/2 and 0.02²/2 of the distance.
            let tolerance = 1e-9 + 2.5e-4 * nearest.1.abs();
            assert!((best.distance - nearest.1).abs() < tolerance, "{shape:?} {a} {b} {best:?} {nearest:?}");
            let value = distance(&shape, &best.at);
            assert!((value - best.distance).abs() < tolerance, "{shape:?} {a} {b} {best:?} {value}");
        }
        assert!(seen > 200, "{shape:?} {seen}");
    }
}

#[test]
fn touches_are_sound() {
    let mut r = Random::new(2);
    for shape in shapes() {
        let obstacle = still(shape.clone());
        for _ in 0..2000 {
            let [a, b] = segment(&mut r);
            for t in touches(&obstacle, a, b, 0.3) {
                assert!((a + (b - a) * t.share - t.at).norm() < 1e-14);
                assert!((t.normal.norm() - 1.0).abs() < 1e-12, "{shape:?} {t:?}");
                assert!((t.surface + t.normal * t.distance - t.at).norm() < 1e-12, "{shape:?} {t:?}");
                let interior = t.share > 0.0 && t.share < 1.0;
                if interior && t.distance > 0.0 {
                    assert!(t.normal.dot(&(b - a)).abs() < 1e-6 * (b - a).norm(), "{shape:?} {t:?}");
                }
                if t.distance > 0.0 || !interior {
                    // The cone of edges is opened by 0.02 of the distance.
                    let off = distance(&shape, &t.surface).abs();
                    assert!(off < 1e-12 + 0.03 * t.distance.abs(), "{shape:?} {a} {b} {t:?} {off}");
                }
            }
        }
    }
}

#[test]
fn normals_and_curvatures_are_derivatives_of_the_distance() {
    let mut r = Random::new(3);
    let (vertices, triangles) = meshes::crumpled(3, 2);
    let sheet = Shape::Mesh(Arc::new(Mesh::new(&vertices, &triangles).unwrap().0));
    for shape in shapes().into_iter().chain([sheet]) {
        let obstacle = still(shape.clone());
        let mut compared = 0;
        for _ in 0..4000 {
            let [a, b] = segment(&mut r);
            for t in touches(&obstacle, a, b, 0.3) {
                // Borders between features, where the true distance is another's, and creases inside solids.
                let step = 1e-4;
                let (gradient, second) = differences(&t.at, step, |p| distance(&shape, p));
                let (_, coarse) = differences(&t.at, 2.0 * step, |p| distance(&shape, p));
                let on_border = (distance(&shape, &t.at) - t.distance).abs() > 1e-12
                    || (second - coarse).norm() > 1e-3 * (1.0 + second.norm());
                if on_border || t.distance.abs() < 0.02 {
                    continue;
                }
                compared += 1;
                assert!((gradient - t.normal).norm() < 1e-4, "{shape:?} {t:?} {gradient}");
                assert!(
                    (second - t.hessian).norm() < 2e-3 * (1.0 + second.norm()),
                    "{shape:?} {t:?} {second}"
                );
            }
        }
        assert!(compared > 200, "{shape:?} {compared}");
    }
}

/// What is followed to where it is says the same as the touch, and changes as the touch says.
#[test]
fn touches_are_followed_as_they_say() {
    let mut r = Random::new(12);
    for shape in shapes().into_iter().chain([Shape::Mesh(super::block(Vec3::new(0.5, 0.3, 0.2), 2))]) {
        let obstacle = Obstacle { shape: shape.clone(), pose: r.pose(), friction: 0.0 };
        let mut compared = 0;
        for _ in 0..300 {
            let [a, b] = segment(&mut r).map(|p| p + obstacle.pose.position);
            let mut near = Vec::new();
            obstacle.triangles_near(a, b, 0.3, &mut near);
            for t in touches(&obstacle, a, b, 0.3) {
                // Deepest inside two features are equally near; pierced shells have no distance.
                if t.distance.abs() < 1e-3 || (t.distance < 0.0 && t.share > 0.0 && t.share < 1.0) {
                    continue;
                }
                compared += 1;
                let alone = obstacle.follow(&t, t.at, &near, &mut Vec::new()).unwrap();
                if alone.feature != t.feature {
                    // On the border of two features the nearer one is told.
                    assert!(
                        alone.distance <= t.distance && t.distance < alone.distance + 1e-3,
                        "{t:?} {alone:?}"
                    );
                    continue;
                }
                assert!((alone.distance - t.distance).abs() < 1e-12, "{shape:?} {t:?} {alone:?}");
                assert!(
                    (alone.surface - t.surface).norm() < 1e-12 && (alone.normal - t.normal).norm() < 1e-9
                );
                assert!(
                    (alone.hessian - t.hessian).norm() < 1e-6 * (1.0 + t.hessian.norm()),
                    "{t:?} {alone:?}"
                );
                // The same edge or corner says the same when it is asked alone.
                let is_one = matches!(shape, Shape::Mesh(_)) && !t.is_on_face();
                assert_eq!(obstacle.stay(&t, t.at).is_some(), is_one, "{t:?}");
                if let Some(same) = obstacle.stay(&t, t.at) {
                    assert!((same.distance - t.distance).abs() < 1e-12 && same.feature == t.feature);
                    assert!(
                        (same.surface - t.surface).norm() < 1e-9 && (same.normal - t.normal).norm() < 1e-9
                    );
                    assert!((same.hessian - t.hessian).norm() < 1e-6 * (1.0 + t.hessian.norm()));
                }
                let beside = t.at + 1e-5 * r.vector();
                let way = beside - t.at;
                let expected = t.distance + t.normal.dot(&way) + 0.5 * way.dot(&(t.hessian * way));
                let found = obstacle.follow(&t, beside, &near, &mut Vec::new()).unwrap().distance;
                let third = way.norm().powi(3) * (1.0 + t.hessian.norm().powi(2));
                assert!((found - expected).abs() < 1e-14 + third, "{shape:?} {t:?}");
            }
        }
        assert!(compared > 30, "{shape:?} {compared}");
    }
}

#[test]
fn poses_carry_touches_along() {
    let mut r = Random::new(4);
    for shape in shapes() {
        for _ in 0..100 {
            let pose = r.pose();
            let [a, b] = segment(&mut r);
            let world = |p: &Vec3| pose.position + rotation::rotate(&pose.orientation, p);
            let own = touches(&still(shape.clone()), a, b, 0.3);
            let moved = Obstacle { shape: shape.clone(), pose, friction: 0.0 };
            let there = touches(&moved, world(&a), world(&b), 0.3);
            // Round-off decides over what lies on a border.
            if own.len() != there.len() {
                continue;
            }
            let turn = rotation::matrix(&pose.orientation);
            for (o, w) in own.iter().zip(&there) {
                // Deepest inside, two faces are equally near.
                if o.distance < 0.0 && o.share > 0.0 && o.share < 1.0 {
                    continue;
                }
                assert!((world(&o.at) - w.at).norm() < 1e-9, "{shape:?} {o:?} {w:?}");
                assert!((world(&o.surface) - w.surface).norm() < 1e-9);
                assert!((turn * o.normal - w.normal).norm() < 1e-9);
                assert!(
                    (turn * o.hessian * turn.transpose() - w.hessian).norm()
                        < 1e-6 * (1.0 + o.hessian.norm())
                );
                assert_eq!(o.feature, w.feature);
            }
        }
    }
}

/// Shares of the touches, sorted.
fn shares(found: &[Touch]) -> Vec<f64> {
    let mut shares: Vec<f64> = found.iter().map(|t| t.share).collect();
    shares.sort_by(f64::total_cmp);
    shares
}

#[test]
fn a_segment_over_a_narrow_block_touches_both_rims() {
    let half = Vec3::new(0.1, 0.5, 0.2);
    for tilt in [0.0, 1e-9, 0.01] {
        for shape in
            [Shape::Box { half }, Shape::Mesh(super::block(half, 1)), Shape::Mesh(super::block(half, 7))]
        {
            let rise = Vec3::new(0.0, 0.0, tilt);
            let (a, b) = (Vec3::new(-1.0, 0.033, 0.24) - rise, Vec3::new(1.0, 0.033, 0.24) + rise);
            let found = touches(&still(shape.clone()), a, b, 0.05);
            let shares = shares(&found);
            assert!(
                shares.len() == 2 && (shares[0] - 0.45).abs() < 1e-3 && (shares[1] - 0.55).abs() < 1e-3,
                "{shape:?} {tilt} {found:?}"
            );
        }
    }
}

#[test]
fn a_segment_over_the_end_of_a_bar_touches_both_sides_of_the_rim() {
    let obstacle = still(Shape::Cylinder { radius: 0.1, half_length: Some(0.2) });
    let found = touches(&obstacle, Vec3::new(-1.0, 0.02, 0.24), Vec3::new(1.0, 0.02, 0.24), 0.05);
    let reached = (0.01_f64 - 0.0004).sqrt() / 2.0;
    let shares = shares(&found);
    assert!(shares.len() == 2, "{found:?}");
    assert!(
        (shares[0] - 0.5 + reached).abs() < 1e-9 && (shares[1] - 0.5 - reached).abs() < 1e-9,
        "{found:?}"
    );
    // Along the side and beyond both ends: where the side ends.
    let found = touches(&obstacle, Vec3::new(0.13, 0.0, -0.5), Vec3::new(0.13, 0.0, 0.5), 0.05);
    let shares = self::shares(&found);
    assert!(
        shares.len() == 2 && (shares[0] - 0.3).abs() < 1e-9 && (shares[1] - 0.7).abs() < 1e-9,
        "{found:?}"
    );
}

#[test]
fn parallel_segments_touch_with_both_ends() {
    let (a, b) = (Vec3::new(0.34, 0.0, -0.1), Vec3::new(0.34, 0.0, 0.2));
    for shape in [
        Shape::Cylinder { radius: 0.3, half_length: None },
        Shape::Cylinder { radius: 0.3, half_length: Some(0.5) },
        Shape::Capsule { radius: 0.3, half_length: 0.5 },
        Shape::Box { half: Vec3::repeat(0.3) },
    ] {
        let found = touches(&still(shape.clone()), a, b, 0.05);
        assert_eq!(shares(&found), [0.0, 1.0], "{shape:?} {found:?}");
    }
    // On the edge of a block, and beyond its corners.
    let obstacle = still(Shape::Box { half: Vec3::repeat(0.3) });
    let found = touches(&obstacle, Vec3::new(0.33, 0.33, -0.6), Vec3::new(0.33, 0.33, 0.6), 0.05);
    let shares = shares(&found);
    assert!(
        shares.len() == 2 && (shares[0] - 0.25).abs() < 1e-9 && (shares[1] - 0.75).abs() < 1e-9,
        "{found:?}"
    );
}

#[test]
fn a_segment_through_a_solid_tells_how_deep() {
    let block = still(Shape::Box { half: Vec3::new(0.3, 0.3, 0.1) });
    let found = touches(&block, Vec3::new(-1.0, 0.0, 0.08), Vec3::new(1.0, 0.0, 0.08), 0.05);
    assert!(found.len() == 1 && (found[0].distance + 0.02).abs() < 1e-9, "{found:?}");
    assert!((found[0].normal - Vec3::z()).norm() < 1e-9);
    // Through the rim: pushed out across the segment, between the two faces.
    let (a, b) = (Vec3::new(0.2, 0.0, 0.18), Vec3::new(0.38, 0.0, 0.0));
    let found = touches(&block, a, b, 0.05);
    assert!(found.len() == 1 && (found[0].distance + 0.01).abs() < 1e-9, "{found:?}");
    assert!((found[0].normal - Vec3::new(1.0, 0.0, 1.0).normalize()).norm() < 1e-6, "{found:?}");
    let bar = still(Shape::Cylinder { radius: 0.3, half_length: Some(0.5) });
    let found = touches(&bar, Vec3::new(0.28, 0.0, -0.1), Vec3::new(0.28, 0.0, 0.1), 0.05);
    assert!(found.len() == 2 && found.iter().all(|t| (t.distance + 0.02).abs() < 1e-9), "{found:?}");
}

#[test]
fn points_and_numbers_that_are_none_do_no_harm() {
    let mut all = shapes();
    all.push(Shape::Mesh(super::ball(3)));
    for shape in all {
        let obstacle = still(shape.clone());
        let point = Vec3::new(0.1, 0.2, 0.3);
        for t in touches(&obstacle, point, point, 10.0) {
            assert!(t.share == 0.0 && t.distance.is_finite() && t.normal.norm() > 0.99, "{shape:?} {t:?}");
        }
        for t in touches(&obstacle, Vec3::zeros(), Vec3::zeros(), 10.0) {
            assert!(t.distance.is_finite() && t.normal.norm() > 0.99, "{shape:?} {t:?}");
            assert!(t.hessian.iter().all(|c| c.is_finite()), "{shape:?} {t:?}");
        }
        let none = Vec3::new(f64::NAN, 0.0, 0.0);
        assert!(touches(&obstacle, none, point, 10.0).is_empty(), "{shape:?}");
    }
}

#[test]
fn bad_obstacles_are_refused_with_a_reason() {
    let refused = |change: &dyn Fn(&mut Obstacle)| {
        let mut obstacle = still(Shape::Sphere { radius: 1.0 });
        obstacle.check().unwrap();
        change(&mut obstacle);
        obstacle.check().unwrap_err().to_string()
    };
    assert!(
        refused(&|o| o.shape = Shape::Sphere { radius: 0.0 }).contains("the radius of the obstacle is 0 m")
    );
    assert!(refused(&|o| o.shape = Shape::Tube { radius: f64::NAN }).contains("NaN"));
    let half_length = Some(-1.0);
    assert!(refused(&|o| o.shape = Shape::Cylinder { radius: 1.0, half_length }).contains("half the length"));
    assert!(
        refused(&|o| o.shape = Shape::Box { half: Vec3::new(1.0, 0.0, 1.0) }).contains("half the y length")
    );
    assert!(refused(&|o| o.friction = -0.1).contains("-0.1"));
    assert!(refused(&|o| o.pose.position.x = f64::INFINITY).contains("position"));
    assert!(refused(&|o| o.pose.orientation *= 2.0).contains("norm 2"));
}

#[test]
fn distances_of_points_are_those_of_the_formulae_and_grow_along_the_normal() {
    let mut r = Random::new(31);
    let (vertices, triangles) = super::meshes::crumpled(3, 6);
    let sheet = Shape::Mesh(Arc::new(Mesh::new(&vertices, &triangles).unwrap().0));
    for shape in shapes().into_iter().chain([sheet, Shape::Mesh(ball(4))]) {
        let (obstacle, still) = (Obstacle { pose: r.pose(), ..still(shape.clone()) }, still(shape.clone()));
        for _ in 0..500 {
            let p = 1.2 * r.vector();
            let expected = distance(&shape, &p);
            let at = obstacle.pose.position + obstacle.axes() * p;
            let (found, normal) = obstacle.distance(&at).unwrap();
            assert!((found - expected).abs() < 1e-12, "{shape:?} {p} {found} {expected}");
            assert!((normal.norm() - 1.0).abs() < 1e-12, "{shape:?} {p} {normal}");
            // One-sided, where another feature may be nearest on the other side.
            let ahead = still.distance(&(p + 1e-6 * obstacle.axes().tr_mul(&normal))).unwrap().0;
            assert!((ahead - found - 1e-6).abs() < 1e-9, "{shape:?} {p} {ahead} {found}");
        }
        assert_eq!(obstacle.distance(&Vec3::new(f64::NAN, 0.0, 0.0)), None);
    }
}
