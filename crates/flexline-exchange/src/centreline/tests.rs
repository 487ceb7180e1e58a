//! Curves keep to what they were made of, and files say what curves say.

use super::spline::fit;
use super::*;
use std::collections::HashSet;

/// A helix of 60 mm radius and 1 m, told at so many places.
fn helix(name: &str, places: usize) -> Centreline {
    let (radius, rise) = (0.06, 0.02);
    let speed = f64::hypot(radius, rise);
    let point = |i: usize| {
        let s = i as f64 / (places - 1) as f64;
        let (sin, cos) = (s / speed).sin_cos();
        Point {
            s,
            position: Vec3::new(radius * cos, radius * sin, rise * s / speed),
            tangent: Vec3::new(-radius * sin, radius * cos, rise) / speed,
            radius: 0.004,
            curvature: Some(radius / speed.powi(2)),
            twist: Some(0.5),
            tension: Some(1.5),
            clearance: None,
        }
    };
    Centreline { name: name.into(), points: (0..places).map(point).collect() }
}

fn wishes(tolerance: f64, solid: bool) -> Wishes {
    let title = "hose.step".into();
    Wishes { tolerance, solid, colour: [0.1, 0.2, 0.3], title, date: "2026-01-31T12:00:00".into() }
}

fn text(lines: &[Centreline], format: Written, wishes: &Wishes) -> String {
    String::from_utf8(write(lines, format, wishes).unwrap().bytes).unwrap()
}

#[test]
fn curves_keep_to_their_tolerance_and_length() {
    let line = helix("hose", 201);
    let mut poles = Vec::new();
    for tolerance in [1e-4, 1e-6, 1e-7] {
        let (curve, reached) = fit_line(&line, tolerance).unwrap();
        assert!(reached <= tolerance);
        // Looked at elsewhere than the fit did. The cubic between two places is itself off by h⁴κ⁴/384 ≈ 1e-12 m.
        let speed = f64::hypot(0.06, 0.02);
        let off = |j: usize| {
            let s = (j as f64 + 0.3) / 1000.0;
            let (sin, cos) = (s / speed).sin_cos();
            (curve.at(s) - Vec3::new(0.06 * cos, 0.06 * sin, 0.02 * s / speed)).norm()
        };
        let worst = (0..999).map(off).fold(0.0, f64::max);
        assert!(worst < 1.05 * reached + 1e-9, "{worst:e} {reached:e}");
        assert!((curve.length() - 1.0).abs() < 1e-7, "{}", curve.length());
        assert!((curve.at(0.0) - line.points[0].position).norm() < 1e-15, "ends are met");
        poles.push(curve.poles.len());
    }
    // A turn of 15 rad needs 75 intervals whatever is asked for; a cubic's error falls with the fourth power from there.
    assert!(poles[0] == 78 && poles[1] <= poles[2] && poles[2] < 3 * poles[0], "{poles:?}");
}

#[test]
fn slopes_and_pieces_agree_with_the_curve() {
    let (curve, _) = fit_line(&helix("hose", 101), 1e-5).unwrap();
    let h = 1e-5;
    for u in [0.0_f64, 0.1, 0.37, 0.5, 0.999, 1.0] {
        let (a, b) = ((u - h).max(0.0), (u + h).min(1.0));
        let difference = (curve.at(b) - curve.at(a)) / (b - a);
        // Truncation: the second derivative times h at an end, 17/m times 1e-5 m.
        assert!((curve.slope(u) - difference).norm() < 2e-4, "{u}");
    }
    for ([a, b], [a0, a1, a2, a3]) in curve.pieces() {
        for t in [0.0, 0.2, 0.7, 1.0] {
            let own = a0 + a1 * t + a2 * (t * t) + a3 * (t * t * t);
            assert!((own - curve.at(a + (b - a) * t)).norm() < 1e-14);
        }
    }
}

#[test]
fn kinks_are_kept() {
    let at = |s: f64, x: f64, y: f64, tangent: Vec3| Point {
        s,
        position: Vec3::new(x, y, 0.0),
        tangent,
        ..helix("", 2).points[0]
    };
    let points = vec![
        at(0.0, 0.0, 0.0, Vec3::x()),
        at(1.0, 1.0, 0.0, Vec3::x()),
        at(1.0, 1.0, 0.0, Vec3::y()),
        at(2.0, 1.0, 1.0, Vec3::y()),
    ];
    let line = Centreline { name: "rope".into(), points };
    let (curve, reached) = fit_line(&line, 1e-6).unwrap();
    assert!(reached < 1e-12 && (curve.length() - 2.0).abs() < 1e-12);
    assert_eq!(curve.multiplicities().iter().filter(|own| own.1 == 3).count(), 1);
    assert_eq!(curve.knots.len(), curve.poles.len() + 4);
    assert!((curve.at(1.0) - Vec3::x()).norm() < 1e-12);
    let refused = write(&[line], Written::Step(Schema::Ap242), &wishes(1e-5, true)).unwrap_err();
    assert!(refused.to_string().contains("kink"));
}

#[test]
fn round_off_in_arc_length_is_no_way_back() {
    // A cable with clips, whose pieces meet to the last bit but one, was refused.
    let mut line = helix("trunk", 101);
    let twice = Point { s: line.points[50].s - 1e-16, ..line.points[50] };
    line.points.insert(51, twice);
    let (curve, _) = fit_line(&line, 1e-5).unwrap();
    assert!((curve.length() - 1.0).abs() < 1e-6 && curve.multiplicities().iter().all(|own| own.1 != 3));
    assert!(write(&[line], Written::Vda, &wishes(1e-5, false)).is_ok());
}

#[test]
fn what_cannot_be_met_is_refused() {
    let jump = |s: f64| Vec3::new(if s < 0.5 { 0.0 } else { 1.0 }, s, 0.0);
    assert!(fit(&jump, [0.0, 1.0], [10, 4], 1e-6).is_none());
    let mut line = helix("hose", 11);
    line.points[3].position.x = f64::NAN;
    assert!(write(&[line], Written::Csv, &wishes(1e-5, false)).is_err());
    assert!(write(&[helix("hose", 1)], Written::Csv, &wishes(1e-5, false)).is_err());
    let solid = write(&[helix("hose", 11)], Written::Iges, &wishes(1e-4, true)).unwrap_err();
    assert!(solid.to_string().contains("IGES 5.3 has no solids here"));
}

#[test]
fn step_is_sound() {
    let lines = [helix("Kühler's \\ Schlauch", 101), helix("two", 51)];
    for (schema, word) in [(Schema::Ap242, "AP242_MANAGED"), (Schema::Ap214, "AUTOMOTIVE_DESIGN")] {
        for solid in [false, true] {
            let file = text(&lines, Written::Step(schema), &wishes(1e-5, solid));
            assert!(
                file.starts_with("ISO-10303-21;\n")
                    && file.ends_with("END-ISO-10303-21;\n")
                    && file.contains(word)
            );
            assert!(file.contains("PRODUCT('K\\X2\\00FC\\X0\\hler''s \\\\ Schlauch'"), "{}", &file[..2000]);
            let data: Vec<&str> = file.lines().filter(|line| line.starts_with('#')).collect();
            let defined: HashSet<&str> = data.iter().filter_map(|line| line.split('=').next()).collect();
            assert_eq!(defined.len(), data.len());
            for line in &data {
                let body = line.split_once('=').unwrap().1;
                for used in body.split('#').skip(1) {
                    let number: String = used.chars().take_while(char::is_ascii_digit).collect();
                    assert!(defined.contains(&*format!("#{number}")), "{line}");
                }
                assert!(!body.contains("e-") && !body.contains("NaN") && !body.contains("inf"), "{line}");
            }
            let count = |what: &str| data.iter().filter(|line| line.contains(what)).count();
            assert_eq!(count("=B_SPLINE_CURVE_WITH_KNOTS"), if solid { 4 } else { 2 });
            assert_eq!(count("MANIFOLD_SOLID_BREP("), if solid { 2 } else { 0 });
            assert_eq!(count("COLOUR_RGB('',0.1,0.2,0.3)"), if solid { 2 } else { 0 });
        }
    }
    let made = write(&lines, Written::Step(Schema::Ap242), &wishes(1e-5, true)).unwrap();
    assert!(made.curves.iter().all(|own| own.reached <= 1e-5 && own.tube.is_some_and(|tube| tube <= 2e-5)));
    assert!(made.bytes.len() < 200_000, "{} bytes for two hoses of 1 m", made.bytes.len());
}

#[test]
fn vda_fs_says_what_the_curve_says() {
    let lines = [helix("1 hose", 101), helix("hose", 101)];
    let file = text(&lines, Written::Vda, &wishes(1e-5, false));
    assert!(file.lines().all(|line| line.len() == 80) && file.contains("HEAD1 = END"));
    let names: Vec<&str> =
        file.lines().filter_map(|line| line.split_once(" = CURVE")).map(|own| own.0).collect();
    assert_eq!(names, ["HOSE", "HOSE2"]);
    // Read back as the standard has it: count, parameters, then order and powers of every piece.
    let body: String = file.lines().map(|line| format!("{} ", &line[..72])).collect();
    let own = body.split("HOSE = CURVE /").nth(1).unwrap().split("$$").next().unwrap();
    let numbers: Vec<f64> =
        own.split([',', ' ']).filter(|w| !w.is_empty()).map(|w| w.parse().unwrap()).collect();
    let count = numbers[0] as usize;
    assert_eq!(numbers.len(), 1 + (count + 1) + count * 13);
    let (curve, _) = fit_line(&lines[0], 1e-5).unwrap();
    for k in 0..count {
        let piece = &numbers[count + 2 + 13 * k..][..13];
        let range = [numbers[1 + k], numbers[2 + k]];
        for t in [0.0, 0.5, 1.0] {
            let value =
                |axis: usize| (0..4).map(|j| piece[1 + 4 * axis + j] * f64::powi(t, j as i32)).sum::<f64>();
            let place = curve.at(1e-3 * (range[0] + (range[1] - range[0]) * t));
            assert!((0..3).all(|axis| (1e-3 * value(axis) - place[axis]).abs() < 1e-14));
        }
    }
}

#[test]
fn iges_has_its_columns_and_counts() {
    let file = text(&[helix("hose", 101), helix("two", 51)], Written::Iges, &wishes(1e-5, false));
    let lines: Vec<&str> = file.lines().collect();
    assert!(lines.iter().all(|line| line.len() == 80));
    let section = |c: char| lines.iter().filter(|line| line[72..].starts_with(c)).count();
    assert_eq!(section('D'), 8);
    let counts = format!("S{:>7}G{:>7}D{:>7}P{:>7}", section('S'), section('G'), section('D'), section('P'));
    assert!(lines.last().unwrap().starts_with(&counts));
    let data: String = lines
        .iter()
        .filter(|line| &line[72..73] == "P" && line[64..72].trim() == "1")
        .map(|l| l[..64].trim())
        .collect();
    let words: Vec<&str> = data.trim_end_matches(';').split(',').collect();
    let (poles, degree): (usize, usize) = (words[1].parse::<usize>().unwrap() + 1, words[2].parse().unwrap());
    assert_eq!((words[0], degree), ("126", 3));
    assert_eq!(words.len(), 7 + (poles + 4) + poles + 3 * poles + 2 + 3 + 3);
    assert!(file.contains("4Hhose;"));
}

#[test]
fn tables_have_every_place() {
    let one = text(&[helix("hose", 11)], Written::Csv, &wishes(1e-5, false));
    assert_eq!(one.lines().count(), 12);
    assert!(one.starts_with("s_m,x_m,y_m,z_m,radius_m,curvature_1/m,twist_rad/m,tension_N,clearance_m\n"));
    assert!(one.lines().nth(1).unwrap().starts_with("0.0,0.06,0.0,0.0,0.004,15."));
    let two = text(&[helix("a,b", 11), helix("c", 3)], Written::Csv, &wishes(1e-5, false));
    assert!(two.starts_with("cable,s_m") && two.contains("\n\"a,b\",0.0,") && two.lines().count() == 15);
    let points = text(&[helix("hose", 11)], Written::Points, &wishes(1e-5, false));
    assert_eq!(points.lines().nth(1), Some("60.000000000 0.000000000 0.000000000 4.000000000 0.000000000"));
}
