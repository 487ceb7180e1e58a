//! Cables whose centreline is known come back from their meshes.

use flexline::Vec3;

use super::testing::{Curve, Errors, Mesh, Random, errors, steps};

/// A curve that bends both ways, 60 radii of 8 mm long.
fn wavy() -> Curve {
    Curve::new(0.48, |s| [18.0 * (14.0 * s).sin(), 12.0 * (9.0 * s + 1.0).cos()])
}

const R: f64 = 0.008;

/// What a clean mesh has to meet.
fn clean(e: &Errors) {
    assert!(e.length < 5e-4 && e.mean < 0.005 && e.worst < 0.02 && e.radius < 0.005, "{e:?}");
}

#[test]
fn a_coarse_arc_is_not_short_by_its_chords() {
    let curve = Curve::new(0.06, |_| [29.0, 0.0]);
    let mesh = Mesh::tube(&curve, &steps(0.06, 10), 8, true, |_, _| 0.0053);
    let flexible = mesh.flexible();
    assert_eq!((flexible.spans.len(), flexible.nodes.len()), (1, 2));
    clean(&errors(&flexible, 0, &curve, |_| 0.0053));
}

#[test]
fn the_error_falls_with_the_tessellation() {
    let curve = wavy();
    let error = |rings| {
        let mesh = Mesh::tube(&curve, &steps(0.48, rings), 12, true, |_, _| R);
        errors(&mesh.flexible(), 0, &curve, |_| R)
    };
    let (coarse, fine) = (error(16), error(48));
    clean(&fine);
    assert!(coarse.worst < 0.1 && fine.worst < 0.1 * coarse.worst, "{coarse:?} {fine:?}");
}

#[test]
fn two_rings_are_a_straight_cable() {
    let curve = Curve::new(0.5, |_| [0.0, 0.0]);
    let mesh = Mesh::tube(&curve, &[0.0, 0.5], 12, true, |_, _| 0.005);
    assert_eq!(mesh.triangles.len(), 48);
    let flexible = mesh.flexible();
    clean(&errors(&flexible, 0, &curve, |_| 0.005));
}

#[test]
fn radius_and_ellipse_may_vary() {
    let curve = wavy();
    let radius = |s: f64| R * (1.0 + 0.25 * (20.0 * s).sin());
    let mesh = Mesh::tube(&curve, &steps(0.48, 120), 20, true, |s, _| radius(s));
    let e = errors(&mesh.flexible(), 0, &curve, radius);
    clean(&e);
}

#[test]
fn near_turns_of_a_coil_stay_apart() {
    // Turns 10 % of a radius apart.
    let (radius, pitch) = (5.0 * R, 2.1 * R / std::f64::consts::TAU);
    let curvature = radius / (radius * radius + pitch * pitch);
    let torsion = pitch / (radius * radius + pitch * pitch);
    let curve = Curve::new(1.0, |s| [curvature * (torsion * s).cos(), curvature * (torsion * s).sin()]);
    let mesh = Mesh::tube(&curve, &steps(1.0, 250), 16, true, |_, _| R);
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 1);
    let e = errors(&flexible, 0, &curve, |_| R);
    clean(&e);
}

#[test]
fn a_pipe_run_has_rings_only_in_its_bends() {
    // Straight stretches of 20 radii, bends of 3 radii with a ring every 10 degrees.
    let (straight, bend) = (20.0 * R, 3.0 * R * std::f64::consts::FRAC_PI_2);
    let length = 3.0 * straight + 2.0 * bend;
    let curve = Curve::new(length, |s| {
        let s = s % (straight + bend);
        if s > straight { [1.0 / (3.0 * R), 0.0] } else { [0.0, 0.0] }
    });
    let mut at = vec![0.0];
    for k in 0..2 {
        let start = straight + f64::from(k) * (straight + bend);
        at.extend((0..=9).map(|i| start + bend * f64::from(i) / 9.0));
    }
    at.push(length);
    let flexible = Mesh::tube(&curve, &at, 10, true, |_, _| R).flexible();
    let e = errors(&flexible, 0, &curve, |_| R);
    assert!(e.length < 5e-4 && e.mean < 0.01 && e.worst < 0.03 && e.radius < 0.01, "{e:?}");
}

#[test]
fn tight_bends_between_straight_stretches_are_exact() {
    // Bends of 2.5 radii and of 20 to 90 degrees, a ring every 10 degrees and none between: a spline bulged by a tenth of the
    // radius where a bend ends, and lost the radius.
    let bends = [(20.0_f64, 0.0_f64), (90.0, 1.0), (40.0, 2.5), (60.0, 4.0)];
    let mut stops = vec![(5.0 * R, [0.0, 0.0])];
    for (degrees, turn) in bends {
        let at = stops[stops.len() - 1].0 + 2.5 * R * degrees.to_radians();
        stops.push((at, [turn.cos() / (2.5 * R), turn.sin() / (2.5 * R)]));
        stops.push((at + 8.0 * R, [0.0, 0.0]));
    }
    let length = stops[stops.len() - 1].0;
    let bend_at = |s: f64| stops.iter().find(|stop| s < stop.0).map_or([0.0, 0.0], |stop| stop.1);
    let curve = Curve::new(length, bend_at);
    let mut at = vec![0.0, stops[0].0];
    for (k, (degrees, _)) in bends.iter().enumerate() {
        let (start, end) = (stops[2 * k].0, stops[2 * k + 1].0);
        let count = degrees / 10.0;
        at.extend((1..=count as usize).map(|i| start + (end - start) * i as f64 / count));
        at.push(stops[2 * k + 2].0);
    }
    let flexible = Mesh::tube(&curve, &at, 8, true, |_, _| R).flexible();
    let e = errors(&flexible, 0, &curve, |_| R);
    assert!(e.length < 5e-4 && e.mean < 0.005 && e.worst < 0.02 && e.radius < 1e-3, "{e:?}");
}

/// A section of an ellipse, its longer axis turning along the cable.
fn ellipse(a: f64, b: f64, turn: f64) -> impl Fn(f64, f64) -> f64 {
    move |s, angle| {
        let (sin, cos) = (angle - turn * s).sin_cos();
        a * b / (b * b * cos * cos + a * a * sin * sin).sqrt()
    }
}

#[test]
fn an_ellipse_that_turns() {
    let curve = wavy();
    let mesh = Mesh::tube(&curve, &steps(0.48, 120), 24, true, ellipse(1.2 * R, 0.8 * R, 6.0));
    let e = errors(&mesh.flexible(), 0, &curve, |_| R * 0.96_f64.sqrt());
    clean(&e);
}

#[test]
fn seven_wires_are_seven_cables() {
    let middle = wavy();
    let r = 0.3 * R;
    let mut mesh = Mesh::default();
    for k in 0..7 {
        let angle = std::f64::consts::TAU * f64::from(k) / 6.0;
        let off = if k == 6 { 0.0 } else { 2.0 * r };
        // Wires side by side: the curve moved over in its own frame.
        let mut wire = middle.clone();
        for i in 0..wire.points.len() {
            let [_, a, b] = wire.frames[i];
            wire.points[i] += off * (angle.cos() * a + angle.sin() * b);
        }
        mesh.add(Mesh::tube(&wire, &steps(0.48, 160), 12, true, |_, _| r));
    }
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 7, "{:?}", flexible.warnings);
    assert_eq!(flexible.nodes.len(), 14);
    let best = (0..7).map(|k| errors(&flexible, k, &middle, |_| r).worst).fold(f64::INFINITY, f64::min);
    assert!(best < 0.02, "{best}");
}

#[test]
fn a_gap_is_bridged_and_told() {
    let curve = wavy();
    let at = steps(0.48, 120);
    let mut mesh = Mesh::tube(&curve, &at[..50], 16, false, |_, _| R);
    mesh.add(Mesh::tube(&curve, &at[62..], 16, false, |_, _| R));
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 1, "{:?}", flexible.warnings);
    let e = errors(&flexible, 0, &curve, |_| R);
    assert!(e.length < 3e-3 && e.mean < 0.01 && e.worst < 0.1 && e.radius < 0.01, "{e:?}");
    assert!(flexible.warnings.iter().any(|w| w.contains("gap")), "{:?}", flexible.warnings);
}

#[test]
fn a_ring_is_a_loop() {
    let round = Curve::new(std::f64::consts::TAU * 0.06, |_| [1.0 / 0.06, 0.0]);
    let mut mesh = Mesh::tube(&round, &steps(round.length, 60), 14, false, |_, _| R);
    // The last ring is the first.
    let first = mesh.vertices[..14].to_vec();
    let n = mesh.vertices.len();
    mesh.vertices[n - 14..].copy_from_slice(&first);
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 1, "{:?}", flexible.warnings);
    let span = &flexible.spans[0];
    assert_eq!(span.nodes[0], span.nodes[1]);
    assert!((span.length / round.length - 1.0).abs() < 5e-4, "{} {}", span.length, round.length);
}

#[test]
fn one_camera_sees_one_side() {
    let curve = wavy();
    let whole = Mesh::tube(&curve, &steps(0.48, 300), 48, false, |_, _| R);
    let mut seen = Mesh { vertices: whole.vertices.clone(), triangles: Vec::new() };
    let eye = Vec3::new(0.2, 0.3, 1.0).normalize();
    for t in &whole.triangles {
        let [a, b, c] = t.map(|v| whole.vertices[v as usize]);
        if (b - a).cross(&(c - a)).normalize().dot(&eye) > 0.1 {
            seen.triangles.push(*t);
        }
    }
    let flexible = seen.flexible();
    assert_eq!(flexible.spans.len(), 1, "{:?}", flexible.warnings);
    let e = errors(&flexible, 0, &curve, |_| R);
    assert!(e.length < 2e-3 && e.mean < 0.02 && e.worst < 0.06 && e.radius < 0.01, "{e:?}");
}

#[test]
fn fittings_stay_rigid() {
    let curve = wavy();
    let mut mesh = Mesh::tube(&curve, &steps(0.48, 120), 16, true, |_, _| R);
    let piece = |from: f64, to: f64, sides: usize, r: f64| {
        let at: Vec<f64> = steps(to - from, 6).iter().map(|s| s + from).collect();
        Mesh::tube(&curve, &at, sides, true, |_, _| r)
    };
    mesh.add(piece(0.0, 0.03, 24, 1.25 * R));
    mesh.add(piece(0.45, 0.48, 24, 1.25 * R));
    mesh.add(piece(0.43, 0.445, 6, 1.6 * R));
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 1, "{:?}", flexible.warnings);
    clean(&errors(&flexible, 0, &curve, |_| R));
}

#[test]
fn a_nipple_stuck_into_the_end_is_a_fitting() {
    let curve = wavy();
    let mut mesh = Mesh::tube(&curve, &steps(0.48, 120), 16, true, |_, _| R);
    // It cut the hose in two, and became a cable with a branch: longer than twice its width, of another thickness.
    let (x, [t, a, b]) = curve.at(0.48);
    let nipple = Curve::from(7.0 * R, x - 2.0 * R * t, [t, a, b], |_| [0.0, 0.0]);
    mesh.add(Mesh::tube(&nipple, &[0.0, 7.0 * R], 16, true, |_, _| 0.7 * R));
    let flexible = mesh.flexible();
    assert_eq!((flexible.spans.len(), flexible.nodes.len()), (1, 2), "{:?}", flexible.warnings);
    clean(&errors(&flexible, 0, &curve, |_| R));
    assert!(flexible.warnings.iter().any(|w| w.contains("a fitting at the end")), "{:?}", flexible.warnings);
    // It is still there, as an obstacle.
    assert_eq!(flexible.remainder.len(), 64);
}

#[test]
fn bodies_that_begin_in_one_point_meet_there() {
    // The thickest is the last to be asked, and was left out.
    let mut mesh = Mesh::default();
    for (k, r) in [0.004, 0.006, 0.005].into_iter().enumerate() {
        let angle = 2.1 * k as f64;
        let t = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let a = Vec3::new(-angle.sin(), angle.cos(), 0.0);
        let curve = Curve::from(0.15, Vec3::zeros(), [t, a, Vec3::z()], |_| [4.0, 0.0]);
        mesh.add(Mesh::tube(&curve, &steps(0.15, 40), 16, true, |_, _| r));
    }
    let flexible = mesh.flexible();
    assert_eq!((flexible.spans.len(), flexible.nodes.len()), (3, 4), "{:?}", flexible.warnings);
    assert_eq!(flexible.nodes.iter().filter(|n| n.junction).count(), 1);
    assert!(flexible.nodes.iter().filter(|n| n.junction).all(|n| n.at.norm() < 1e-4));
}

#[test]
fn a_bore_is_told() {
    let curve = wavy();
    let at = steps(0.48, 100);
    let mut mesh = Mesh::tube(&curve, &at, 20, false, |_, _| R);
    let inner = Mesh::tube(&curve, &at, 20, false, |_, _| 0.75 * R);
    let first = mesh.vertices.len() as u32;
    mesh.add(inner);
    for ring in [0, 100_u32] {
        for k in 0..20 {
            let [a, b] = [ring * 20 + k, ring * 20 + (k + 1) % 20];
            mesh.triangles.extend([[a, b, first + a], [b, first + b, first + a]]);
        }
    }
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 1);
    let e = errors(&flexible, 0, &curve, |_| R);
    clean(&e);
    assert!((flexible.spans[0].bore.unwrap() / (0.75 * R) - 1.0).abs() < 0.005);
}

#[test]
fn corrugation_does_not_lengthen() {
    let curve = wavy();
    let pitch = 0.48 / 60.0;
    let mesh = Mesh::tube(&curve, &steps(0.48, 480), 24, true, |s, _| {
        R * (1.0 + 0.06 * (std::f64::consts::TAU * s / pitch).cos())
    });
    let e = errors(&mesh.flexible(), 0, &curve, |_| R);
    assert!(e.length < 5e-4 && e.mean < 0.005 && e.worst < 0.02 && e.radius < 0.03, "{e:?}");
}

#[test]
fn noise_is_averaged() {
    let (curve, mut random) = (wavy(), Random(7));
    let mut mesh = Mesh::tube(&curve, &steps(0.48, 200), 16, false, |_, _| R);
    mesh.vertices.iter_mut().for_each(|x| *x += 0.015 * R * Vec3::from_fn(|_, _| random.normal()));
    let e = errors(&mesh.flexible(), 0, &curve, |_| R);
    assert!(e.length < 1e-3 && e.mean < 0.01 && e.worst < 0.03 && e.radius < 0.01, "{e:?}");
}

#[test]
fn damage_does_no_harm() {
    let (curve, mut random) = (wavy(), Random(3));
    let whole = Mesh::tube(&curve, &steps(0.48, 150), 16, true, |_, _| R);
    let mut mesh = whole.unwelded(2e-5 * R, &mut random);
    let hole = curve.at(0.2);
    let middle = hole.0 + R * hole.1[1];
    let centre =
        |m: &Mesh, t: &[u32; 3]| t.iter().fold(Vec3::zeros(), |s, v| s + m.vertices[*v as usize]) / 3.0;
    let kept: Vec<[u32; 3]> =
        mesh.triangles.iter().filter(|t| (centre(&mesh, t) - middle).norm() > 0.8 * R).copied().collect();
    mesh.triangles = kept;
    for k in 0..mesh.triangles.len() {
        if random.unit() < 0.3 {
            mesh.triangles[k].swap(0, 1);
        }
        if random.unit() < 0.05 {
            mesh.triangles.push(mesh.triangles[k]);
        }
    }
    for _ in 0..5 {
        let at = 0.1 * random.inside();
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend([at, at + 0.5 * R * random.inside(), at + 0.5 * R * random.inside()]);
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    // A wall across.
    let (x, [_, a, b]) = curve.at(0.24);
    let first = mesh.vertices.len() as u32;
    mesh.vertices.push(x);
    for k in 0..16 {
        let angle = std::f64::consts::TAU * f64::from(k) / 16.0;
        mesh.vertices.push(x + R * (angle.cos() * a + angle.sin() * b));
        mesh.triangles.push([first, first + 1 + k, first + 1 + (k + 1) % 16]);
    }
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 1);
    let e = errors(&flexible, 0, &curve, |_| R);
    assert!(e.length < 5e-4 && e.mean < 0.01 && e.worst < 0.03 && e.radius < 0.01, "{e:?}");
}

#[test]
fn what_is_no_cable_is_refused() {
    let block = |size: Vec3| {
        let mut mesh = Mesh::default();
        for k in 0..8 {
            mesh.vertices.push(Vec3::from_fn(|i, _| if k >> i & 1 == 1 { size[i] } else { 0.0 }));
        }
        for [a, b, c, d] in
            [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
        {
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        mesh
    };
    let ball = |n: usize| {
        let straight = Curve::new(0.02, |_| [0.0, 0.0]);
        let at: Vec<f64> =
            (1..n).map(|i| 0.01 * (1.0 - (std::f64::consts::PI * i as f64 / n as f64).cos())).collect();
        Mesh::tube(&straight, &at, 2 * n, true, |s, _| (1e-4 - (s - 0.01).powi(2)).max(0.0).sqrt())
    };
    for (name, mesh) in [
        ("cube", block(Vec3::new(0.02, 0.02, 0.02))),
        ("block", block(Vec3::new(0.05, 0.03, 0.02))),
        ("plate", block(Vec3::new(0.1, 0.08, 0.002))),
        ("ball", ball(24)),
    ] {
        let flexible = mesh.flexible();
        assert!(flexible.refused.is_some() && flexible.spans.is_empty(), "{name} {:?}", flexible.spans.len());
    }
    assert!(Mesh::default().flexible().refused.is_some());
}

#[test]
fn what_is_left_over_stays() {
    let curve = wavy();
    let mut mesh = Mesh::tube(&curve, &steps(0.48, 100), 16, true, |_, _| R);
    let hose = mesh.triangles.len() as u32;
    let mut nut = Mesh::tube(&Curve::new(0.01, |_| [0.0, 0.0]), &[0.0, 0.01], 6, true, |_, _| 0.02);
    nut.vertices.iter_mut().for_each(|x| *x += Vec3::new(0.0, 0.0, 0.3));
    mesh.add(nut);
    let flexible = mesh.flexible();
    assert_eq!(flexible.spans.len(), 1);
    let rest: Vec<u32> = (hose..mesh.triangles.len() as u32).collect();
    assert_eq!(flexible.remainder, rest);
    assert!(flexible.warnings.iter().any(|w| w.contains("twice its width")), "{:?}", flexible.warnings);
}

#[test]
fn units_and_places_change_nothing() {
    let curve = wavy();
    let mesh = Mesh::tube(&curve, &steps(0.48, 80), 12, true, |_, _| R);
    let length = mesh.flexible().spans[0].length;
    // A kilometre long and far away; a tenth of a millimetre.
    for (scale, off) in [(2e3, 1e4), (2e-4, 1e-3)] {
        let mut other = mesh.clone();
        other.vertices.iter_mut().for_each(|x| {
            *x = scale * Vec3::new(x.y, x.z, x.x) + Vec3::new(off, -off, off);
        });
        let span = &other.flexible().spans[0];
        // Positions lose digits by their distance from the origin: 1e4 m of 1e3 m, 1e-3 m of 1e-4 m.
        assert!((span.length / scale / length - 1.0).abs() < 1e-6, "{} {length}", span.length / scale);
    }
}

#[test]
fn a_scene_has_the_shape_as_it_was_drawn() {
    let curve = wavy();
    let flexible = Mesh::tube(&curve, &steps(0.48, 120), 16, true, |_, _| R).flexible();
    let scene = flexible.to_scene("a \"hose\"", "epdm-70", super::Rest::Drawn).unwrap();
    assert!(scene.contains("title = \"a \\\"hose\\\"\"") && scene.contains("hold = \"clamped\""), "{scene}");
    // The curvature of its rows is that of the curve, in whatever frame.
    let rows = scene.lines().filter(|l| l.starts_with("  ["));
    let mut seen = 0;
    for row in rows {
        let numbers: Vec<f64> = row
            .trim()
            .trim_matches(&['[', ']', ','][..])
            .split(',')
            .filter_map(|x| x.trim().parse().ok())
            .collect();
        let s = numbers[0];
        let s = if (flexible.spans[0].points[0] - curve.points[0]).norm() < R { s } else { 0.48 - s };
        let (a, b) = (18.0 * (14.0 * s).sin(), 12.0 * (9.0 * s + 1.0).cos());
        let error = (numbers[1].hypot(numbers[2]) - a.hypot(b)).abs();
        // A table of 120 rows, and ends where the curvature of a spline is freest.
        assert!(error < 0.15 || !(0.02..0.46).contains(&s), "{s} {error}");
        seen += 1;
    }
    assert!(seen > 50);
    assert!(Mesh::default().flexible().to_scene("", "epdm-70", super::Rest::Straight).is_none());
}

/// An arc of a metre, 10 mm in radius, with caps.
fn arc() -> (Curve, Mesh) {
    let curve = Curve::new(1.0, |_| [2.0, 0.0]);
    let mesh = Mesh::tube(&curve, &steps(1.0, 101), 16, true, |_, _| 0.01);
    (curve, mesh)
}

/// A place on the surface of a curve's tube.
fn on(curve: &Curve, s: f64) -> Vec3 {
    let (x, [_, a, _]) = curve.at(s);
    x + 0.01 * a
}

#[test]
fn a_stretch_between_two_picks_is_cut_out() {
    let (curve, mesh) = arc();
    let whole = mesh.flexible();
    // Backwards too: the stretch begins at the first pick.
    for [from, until] in [[0.3, 0.7], [0.7, 0.3]] {
        let picks = [on(&curve, from), on(&curve, until)];
        let stretch = whole.between(&mesh.vertices, &mesh.triangles, picks).unwrap();
        let span = &stretch.flexible.spans[0];
        assert!((span.length - 0.4).abs() < 2e-4, "{}", span.length);
        assert!((span.points[0] - curve.at(from).0).norm() < 2e-4);
        let ahead = curve.at(from).1[0] * (until - from).signum();
        assert!(span.tangents[0].dot(&ahead) > 1.0 - 1e-5);
        // What is left: no vertex in the stretch, every section closed by its rim, the area that of 0.6 m and two caps.
        let planes = [(0.3, 1.0), (0.7, -1.0)].map(|(s, side)| {
            let (x, [t, ..]) = curve.at(s);
            (x, side * t)
        });
        let depth = |x: &Vec3| planes.iter().map(|(at, t)| t.dot(&(x - at))).fold(f64::INFINITY, f64::min);
        assert!(stretch.vertices.iter().all(|x| depth(x) < 1e-4), "a vertex was left in the stretch");
        let area = |vertices: &[Vec3], triangles: &[[u32; 3]]| -> f64 {
            let one = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                0.5 * (b - a).cross(&(c - a)).norm()
            };
            triangles.iter().map(one).sum()
        };
        let caps = 2.0 * std::f64::consts::PI * 1e-4;
        let (all, kept) =
            (area(&mesh.vertices, &mesh.triangles), area(&stretch.vertices, &stretch.triangles));
        assert!(((kept - caps) / (all - caps) - 0.6).abs() < 1e-3, "{kept} of {all}");
        let mut rims = std::collections::HashMap::new();
        for t in &stretch.triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                *rims.entry((a.min(b), a.max(b))).or_insert(0) += 1;
            }
        }
        let open: Vec<_> = rims.iter().filter(|r| *r.1 == 1).collect();
        assert!((32..=64).contains(&open.len()), "{} open edges", open.len());
        assert!(open.iter().all(|r| depth(&stretch.vertices[r.0.0 as usize]).abs() < 1e-4), "open elsewhere");
    }
}

#[test]
fn a_stretch_to_an_end_takes_its_cap() {
    let (curve, mesh) = arc();
    let picks = [on(&curve, 0.004), on(&curve, 0.5)];
    let stretch = mesh.flexible().between(&mesh.vertices, &mesh.triangles, picks).unwrap();
    assert!((stretch.flexible.spans[0].length - 0.5).abs() < 2e-4);
    assert!(stretch.vertices.iter().all(|x| (x - curve.points[0]).norm() > 0.4), "the cap is left");
}

#[test]
fn picks_beside_or_on_two_cables_are_refused() {
    let (curve, mut mesh) = arc();
    let near = Vec3::new(0.0, 0.0, 0.035);
    let second = Curve::from(0.5, near, [Vec3::x(), Vec3::y(), Vec3::z()], |_| [2.0, 0.0]);
    mesh.add(Mesh::tube(&second, &steps(0.5, 51), 16, true, |_, _| 0.01));
    let whole = mesh.flexible();
    let told = |picks| whole.between(&mesh.vertices, &mesh.triangles, picks).unwrap_err();
    let apart = told([on(&curve, 0.4), on(&second, 0.3)]);
    assert!(apart.contains("not connected: 15.0 mm"), "{apart}");
    let beside = told([on(&curve, 0.4), Vec3::new(0.0, -1.0, 0.0)]);
    assert!(beside.contains("the second pick") && beside.contains("mm off the nearest cable"), "{beside}");
    let short = told([on(&curve, 0.4), on(&curve, 0.405)]);
    assert!(short.contains("mm apart along the cable: a stretch is longer"), "{short}");
}

#[test]
fn the_way_between_picks_goes_through_a_branch() {
    let trunk = Curve::new(0.6, |_| [1.0, 0.0]);
    let (x, [t, a, b]) = trunk.at(0.3);
    let branch = Curve::from(0.3, x, [b, t, a], |_| [0.5, 0.0]);
    let mut mesh = Mesh::tube(&trunk, &steps(0.6, 61), 16, true, |_, _| 0.01);
    mesh.add(Mesh::tube(&branch, &steps(0.3, 31), 16, true, |_, _| 0.008));
    let whole = mesh.flexible();
    assert_eq!(whole.spans.len(), 3, "{:?}", whole.warnings);
    let (y, [_, across, _]) = branch.at(0.2);
    let picks = [on(&trunk, 0.1), y + 0.008 * across];
    let stretch = whole.between(&mesh.vertices, &mesh.triangles, picks).unwrap();
    let span = &stretch.flexible.spans[0];
    assert!((span.length - 0.4).abs() < 5e-3, "{}", span.length);
    assert!(stretch.flexible.warnings.iter().any(|w| w.contains("1 cable leaves")));
    let far = trunk.at(0.6).0;
    assert!(stretch.vertices.iter().any(|v| (v - far).norm() < 0.011), "the other half of the trunk stays");
}
