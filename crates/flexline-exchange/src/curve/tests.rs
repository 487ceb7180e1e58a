//! What is written comes back, what other programs write is read, and what is wrong is told with its place.

use super::*;
use crate::centreline::{Centreline, Point, Schema, Wishes, Written, write};
use crate::drawing::Up;
use flexline::Vec3;
use proptest::prelude::*;

/// A helix of 60 mm radius and 1 m, 4 mm thick.
fn helix(name: &str, shift: Vec3) -> Centreline {
    let (radius, rise) = (0.06, 0.02);
    let speed = f64::hypot(radius, rise);
    let point = |i: usize| {
        let s = i as f64 / 300.0;
        let (sin, cos) = (s / speed).sin_cos();
        Point {
            s,
            position: shift + Vec3::new(radius * cos, radius * sin, rise * s / speed),
            tangent: Vec3::new(-radius * sin, radius * cos, rise) / speed,
            radius: 0.004,
            curvature: None,
            twist: None,
            tension: None,
            clearance: None,
        }
    };
    Centreline { name: name.into(), points: (0..=300).map(point).collect() }
}

fn written(lines: &[Centreline], format: Written, solid: bool) -> String {
    let wishes = Wishes {
        tolerance: 1e-6,
        solid,
        colour: [0.1, 0.2, 0.3],
        title: "a".into(),
        date: "2026-01-31T12:00:00".into(),
    };
    String::from_utf8(write(lines, format, &wishes).unwrap().bytes).unwrap()
}

fn read(text: &str) -> Curves {
    Curves::read(text.as_bytes()).unwrap()
}

fn refused(text: &str) -> String {
    Curves::read(text.as_bytes()).unwrap_err().to_string()
}

/// How far a curve is off the helix at most, m, and its length.
fn against_helix(curve: &Curve, unit: f64, shift: Vec3) -> (f64, f64) {
    let speed = f64::hypot(0.06, 0.02);
    let mut worst: f64 = 0.0;
    let mut length = 0.0;
    for piece in &curve.pieces {
        for i in 0..=40 {
            let u = piece.range[0] + (piece.range[1] - piece.range[0]) * f64::from(i) / 40.0;
            let x = piece.at(u).0 * unit - shift;
            // The height tells the angle.
            let angle = x.z / 0.02;
            let on = Vec3::new(0.06 * angle.cos(), 0.06 * angle.sin(), x.z);
            worst = worst.max((x - on).norm());
        }
        length += lay::length(piece) * unit;
    }
    let _ = speed;
    (worst, length)
}

#[test]
fn what_is_written_comes_back_from_every_format() {
    let shift = Vec3::new(0.1, -0.2, 0.0);
    let lines = [helix("hose ä 'one'", Vec3::zeros()), helix("second", shift)];
    for format in [
        Written::Step(Schema::Ap242),
        Written::Step(Schema::Ap214),
        Written::Iges,
        Written::Vda,
        Written::Csv,
        Written::Points,
    ] {
        let found = read(&written(&lines, format, false));
        assert_eq!(found.curves.len(), 2, "{format:?}");
        assert!(found.left_out.is_empty(), "{format:?}: {:?}", found.left_out);
        let unit = found.unit.unwrap();
        for (k, shift) in [Vec3::zeros(), shift].into_iter().enumerate() {
            let (off, length) = against_helix(&found.curves[k], unit, shift);
            assert!(off < 3e-6 && (length - 1.0).abs() < 3e-6, "{format:?}: {off:e} {length}");
        }
        let name = &found.curves[0].name;
        match format {
            Written::Step(_) | Written::Csv | Written::Points => assert_eq!(name, "hose ä 'one'"),
            Written::Iges => assert_eq!(name, "hose ? 'one'"),
            Written::Vda => assert_eq!(name, "HOSEONE"),
        }
        let radii = &found.curves[0].radii;
        assert_eq!(radii.is_empty(), !matches!(format, Written::Csv | Written::Points), "{format:?}");
    }
}

#[test]
fn poles_of_a_step_file_are_those_that_stand_in_it_to_the_last_bit() {
    let text = written(&[helix("hose", Vec3::zeros())], Written::Step(Schema::Ap242), false);
    let found = read(&text);
    let stand: Vec<[f64; 3]> = text
        .lines()
        .filter_map(|line| line.split_once("CARTESIAN_POINT('',(")?.1.strip_suffix("));"))
        .map(|own| own.split(',').map(|x| x.parse().unwrap()).collect::<Vec<f64>>().try_into().unwrap())
        .collect();
    let poles: Vec<[f64; 3]> = found.curves[0].pieces[0].poles.iter().map(|p| (*p).into()).collect();
    assert!(poles.len() > 50);
    assert_eq!(poles, stand);
}

#[test]
fn a_tube_gives_its_centreline_and_radius() {
    let text = written(&[helix("hose", Vec3::zeros())], Written::Step(Schema::Ap242), true);
    let found = read(&text);
    assert_eq!(
        (found.curves.len(), &found.curves[0].radii[..]),
        (1, &[(0.0, 4.0)][..]),
        "{:?}",
        found.left_out
    );
    // Without the curve that is drawn as well, by the face alone.
    let bare = text.replace("GEOMETRIC_CURVE_SET", "GEOMETRIC_NOTHING");
    let found = read(&bare);
    assert_eq!(found.curves.len(), 1, "{:?}", found.left_out);
    assert!((found.curves[0].radii[0].1 - 4.0).abs() < 1e-5, "{:?}", found.curves[0].radii);
    let (off, length) = against_helix(&found.curves[0], 1e-3, Vec3::zeros());
    assert!(off < 3e-6 && (length - 1.0).abs() < 3e-6, "{off:e} {length}");
}

/// A file around entities, in millimetres.
fn step(data: &str) -> String {
    format!(
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('a;b','',(''),(''),'','','');\nFILE_SCHEMA(('X'));\nENDSEC;\nDATA;\n\
         #1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));\n\
         #2=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));\n\
         #3=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#1,#2))REPRESENTATION_CONTEXT('',''));\n{data}\
         ENDSEC;\nEND-ISO-10303-21;\n"
    )
}

const CURVES_OF_STEP: &str = "\
#10=CARTESIAN_POINT('',(0.,0.,0.));#11=CARTESIAN_POINT('',(100.,0.,0.));#12=DIRECTION('',(1.,0.,0.));#13=DIRECTION('',(0.,0.,1.));
#14=VECTOR('',#12,1.);#15=LINE('',#10,#14);#16=TRIMMED_CURVE('',#15,(#10,PARAMETER_VALUE(0.)),(#11,PARAMETER_VALUE(100.)),.T.,.PARAMETER.);
#17=CARTESIAN_POINT('',(100.,50.,0.));#18=DIRECTION('',(0.,-1.,0.));#19=AXIS2_PLACEMENT_3D('',#17,#13,#18);#20=CIRCLE('',#19,50.);
#21=TRIMMED_CURVE('',#20,(PARAMETER_VALUE(0.)),(PARAMETER_VALUE(1.5707963267948966)),.T.,.PARAMETER.);
#22=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.T.,#16);#23=COMPOSITE_CURVE_SEGMENT(.DISCONTINUOUS.,.T.,#21);
#24=COMPOSITE_CURVE('bent',(#22,#23),.F.);#25=GEOMETRIC_CURVE_SET('set',(#24));
#26=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#25),#3);
";

#[test]
fn lines_and_arcs_trimmed_and_composed() {
    let text = step(CURVES_OF_STEP);
    let found = read(&text);
    assert_eq!((found.curves.len(), found.unit, found.curves[0].name.as_str()), (1, Some(1e-3), "bent"));
    let laid = found.to_flexible(1e-3, Up::Z, Some(0.005)).unwrap();
    let expected = 0.1 + 0.05 * std::f64::consts::FRAC_PI_2;
    assert!((laid.spans[0].length / expected - 1.0).abs() < 1e-9, "{}", laid.spans[0].length);
    assert!((laid.nodes[1].at - Vec3::new(0.15, 0.05, 0.0)).norm() < 1e-12, "{:?}", laid.nodes[1]);
    assert!((laid.spans[0].tangents[1] - Vec3::y()).norm() < 1e-9);
    // Degrees and inches, both by conversion.
    let converted = text
        .replace(
            "#1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));",
            "#1=(CONVERSION_BASED_UNIT('INCH',#5)LENGTH_UNIT()NAMED_UNIT(*));#4=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));\n\
             #5=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#4);",
        )
        .replace(
            "#2=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));",
            "#2=(CONVERSION_BASED_UNIT('DEGREE',#7)NAMED_UNIT(*)PLANE_ANGLE_UNIT());#6=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));\n\
             #7=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(0.017453292519943295),#6);",
        )
        .replace("1.5707963267948966", "90.");
    let found = read(&converted);
    assert!((found.unit.unwrap() - 0.0254).abs() < 1e-15);
    let laid = found.to_flexible(0.0254, Up::Z, Some(0.005)).unwrap();
    assert!((laid.spans[0].length / (25.4 * expected) - 1.0).abs() < 1e-9, "{}", laid.spans[0].length);
}

#[test]
fn an_assembly_puts_its_components_where_they_are() {
    let text = step(&format!(
        "{CURVES_OF_STEP}\
         #30=DIRECTION('',(0.,1.,0.));#31=CARTESIAN_POINT('',(0.,0.,10.));#32=AXIS2_PLACEMENT_3D('',#10,#13,#12);\n\
         #33=AXIS2_PLACEMENT_3D('',#31,#13,#30);#34=ITEM_DEFINED_TRANSFORMATION('','',#32,#33);\n\
         #35=SHAPE_REPRESENTATION('',(#32,#33),#3);#36=SHAPE_REPRESENTATION('',(#32),#3);\n\
         #37=SHAPE_REPRESENTATION_RELATIONSHIP('','',#36,#26);\n\
         #38=(REPRESENTATION_RELATIONSHIP('','',#36,#35)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#34)SHAPE_REPRESENTATION_RELATIONSHIP());\n"
    ));
    let found = read(&text);
    assert_eq!(found.curves.len(), 1);
    // Turned by a quarter and 10 up: the line goes along y, the end was at (150, 50, 0).
    let [a, b] = found.curves[0].ends().unwrap();
    assert!(
        (a - Vec3::new(0.0, 0.0, 10.0)).norm() < 1e-12 && (b - Vec3::new(-50.0, 150.0, 10.0)).norm() < 1e-10,
        "{a} {b}"
    );
    // Around first: the occurrence tells; without one it is taken as it stands.
    let circle = text.replace("#38=", "#39=(REPRESENTATION_RELATIONSHIP('','',#35,#36)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#34)SHAPE_REPRESENTATION_RELATIONSHIP());\n#38=");
    assert!(refused(&circle).contains("in a circle"), "{}", refused(&circle));
}

#[test]
fn bad_step_is_refused_with_its_place() {
    let curve = |poles: &str, rest: &str| {
        step(&format!(
            "#10=CARTESIAN_POINT('',(0.,0.,0.));\n#11=CARTESIAN_POINT('',(1.,2.,0.));\n#12=CARTESIAN_POINT('',({poles}));\n\
             #13=B_SPLINE_CURVE_WITH_KNOTS('',2,(#10,#11,#12),.UNSPECIFIED.,.F.,.U.,{rest},.UNSPECIFIED.);\n\
             #14=GEOMETRIC_CURVE_SET('',(#13));#15=SHAPE_REPRESENTATION('',(#14),#3);\n"
        ))
    };
    let good = curve("3.,3.,3.", "(3,3),(0.,1.)");
    assert_eq!(read(&good).curves.len(), 1);
    for (text, says) in [
        (
            curve("3.,3.,3.", "(3,3),(1.,0.)"),
            "line 14: #13 B_SPLINE_CURVE_WITH_KNOTS: a curve whose knots do not increase",
        ),
        (curve("3.,3.,3.", "(3,2),(0.,1.)"), "5 knots by their multiplicities: expected 6"),
        (curve("NaN,3.,3.", "(3,3),(0.,1.)"), "line 13"),
        (curve("1e308,3.,3.", "(3,3),(0.,1.)"), "beyond 1e9"),
        (curve("3.,3.", "(3,3),(0.,1.)"), "expected three numbers"),
        (good.replace("#12=", "#99="), "#12 is named and is not there"),
        (good.replace("#12=", "#11="), "#11 is there twice"),
        (good.replacen("ENDSEC;\nEND-ISO", "END-ISO", 1), "ENDSEC is missing"),
        (good[..good.len() - 60].to_owned(), "line"),
        (good.replace("(#14)", &format!("{}#14{}", "(".repeat(100), ")".repeat(100))), "more than 32 deep"),
        (good.replace("(1.,2.,0.)", "(0.,0.,0.)").replace("3.,3.,3.", "0.,0.,0."), ""),
        (good.replace("FILE_SCHEMA", "/* FILE_SCHEMA"), "a comment without an end"),
        (good.replace("'a;b'", "'a;b"), ""),
    ] {
        match Curves::read(text.as_bytes()) {
            Err(error) => assert!(error.to_string().contains(says), "{error}: expected {says}"),
            // A curve of no length is a curve; it is no cable.
            Ok(found) => assert!(
                found.to_flexible(1e-3, Up::Z, Some(0.01)).unwrap_err().contains("no length"),
                "{says}"
            ),
        }
    }
    let cycle = step(
        "#10=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.T.,#11);#11=COMPOSITE_CURVE('',(#10),.F.);#14=GEOMETRIC_CURVE_SET('',(#11));#15=SHAPE_REPRESENTATION('',(#14),#3);\n",
    );
    assert!(refused(&cycle).contains("in a circle"), "{}", refused(&cycle));
    let solid = step(
        "#10=CLOSED_SHELL('',());#11=MANIFOLD_SOLID_BREP('block',#10);#15=ADVANCED_BREP_SHAPE_REPRESENTATION('',(#11),#3);\n",
    );
    assert!(
        refused(&solid).contains("no pipe") && refused(&solid).contains("export it as STL, VRML or glTF"),
        "{}",
        refused(&solid)
    );
}

#[test]
fn tables_of_every_kind() {
    let rows = [[0.0, 0.0, 0.0], [10.5, 0.0, 0.0], [20.0, 1.5, 0.0], [30.0, 4.0, -2.25]];
    let line = |separator: &str, comma: bool| {
        let word = |x: &f64| if comma { x.to_string().replace('.', ",") } else { x.to_string() };
        rows.map(|row| row.iter().map(word).collect::<Vec<_>>().join(separator)).join("\r\n")
    };
    for (text, unit) in [
        (line(" ", false), None),
        (line(",", false), None),
        (line(", ", false), None),
        (line(";", true), None),
        (line("\t", true), None),
        (line("  ", true), None),
        (format!("x;y;z\n{}\n", line(";", true)), None),
        (format!("X [mm], Y [mm], Z [mm]\n{}", line(",", false)), Some(1e-3)),
        (format!("x [mm] y [mm] z [mm]\n{}", line(" ", false)), Some(1e-3)),
        (format!("\u{feff}# a comment\n\n{}\n\n", line(" ", false)), None),
        (line(" ", false).replace("\r\n", "\n\n"), None),
    ] {
        let found = read(&text);
        assert_eq!((found.curves.len(), found.unit), (1, unit), "{text}");
        let [a, b] = found.curves[0].ends().unwrap();
        assert_eq!(([a.x, a.y, a.z], [b.x, b.y, b.z]), (rows[0], rows[3]), "{text}");
    }
    // Columns by their names, in any order; a diameter is two radii.
    let found = read("s,z,diameter,y,x\n0,0,4,0,0\n5,0,4,0,5\n10,0,6,0,10\n");
    assert_eq!(found.curves[0].radii, [(0.0, 2.0), (0.5, 2.0), (1.0, 3.0)]);
    let laid = found.to_flexible(1.0, Up::Z, None).unwrap();
    assert!((laid.spans[0].length - 10.0).abs() < 1e-12 && (laid.spans[0].radius[300] - 2.5).abs() < 1e-12);
    for (text, says) in [
        ("0 0 0\n1 nan 0\n", "line 2: 'nan' is no number"),
        ("0 0 0\n1 1e308 0\n", "line 2: '1e308' is no number, or beyond"),
        ("0 0 0\n1 1\n", "line 2: 2 values: expected at least 3"),
        ("hello there\n", "line 1: 'hello there': expected a header with x, y and z"),
        ("0 0 0 -1\n1 0 0 1\n", "line 1: a radius of -1"),
        ("0 0 0\n", "points without a curve; left out: 1 x points alone"),
        ("", "it is empty"),
    ] {
        assert!(refused(text).contains(says), "{}: expected {says}", refused(text));
    }
    assert!(read("0 0 0\n1 0 0\n").to_flexible(1.0, Up::Z, None).unwrap_err().contains("--radius"));
    assert!(refused("0 0 0\n0 0 0\n").contains("points alone"));
}

#[test]
fn vda_of_other_programs() {
    let text = "prog = header / 1\nanything\n$$ a comment\nc1 = curve / 2, 0., 1.D0, 2.,\n 2, 0., 10., 0., 0., 0., 0.,\n$$ between\n 2, 10., 10., 0., 0., 0., 5.\nP1 = POINT / 1., 2., 3.\n";
    let found = read(text);
    assert_eq!((found.curves.len(), found.curves[0].pieces.len(), found.unit), (1, 2, Some(1e-3)));
    let [a, b] = found.curves[0].ends().unwrap();
    assert_eq!((a, b), (Vec3::zeros(), Vec3::new(20.0, 0.0, 5.0)));
    let left: Vec<&str> = found.left_out.iter().map(|own| own.what.as_str()).collect();
    assert_eq!(left, ["POINT: only CURVE is taken", "END is missing: the file may be cut short"]);
    for (wrong, says) in [
        (
            text.replace("2, 10., 10., 0., 0., 0., 5.", "2, 10., 10., 0."),
            "line 4: CURVE C1: cut short: a coefficient is missing",
        ),
        (text.replace("1.D0", "-1."), "parameter -1 after 0: expected them to increase"),
        (text.replace("/ 2, 0.", "/ 1e9, 0."), "expected a whole number from 1"),
        (text.replace("5.\nP1", "5., 7.\nP1"), "'7' after its last piece"),
        (text.replace("10., 10.", "x., 10."), "'x.' is no number"),
        (text.replace("/ 1\n", "/ many\n"), "line 1: HEADER / many"),
    ] {
        assert!(refused(&wrong).contains(says), "{}: expected {says}", refused(&wrong));
    }
}

#[test]
fn iges_lines_arcs_and_composites_are_moved() {
    let mut directory = String::new();
    let mut data = String::new();
    let entries: [(u32, u32, &str); 4] = [
        (110, 0, "110,0.,0.,0.,100.,0.,0.;"),
        (100, 7, "100,0.,0.,0.,50.,0.,0.,50.;"),
        (102, 0, "102,2,1,3;"),
        (124, 0, "124,0.,1.,0.,100.,1.,0.,0.,50.,0.,0.,-1.,0.;"),
    ];
    for (k, (kind, matrix, words)) in entries.iter().enumerate() {
        let line = 2 * k + 1;
        directory.push_str(&format!(
            "{kind:8}{line:8}{:8}{:8}{:8}{:8}{matrix:8}{:8}{:8}D{line:7}\n",
            0, 0, 0, 0, 0, 0
        ));
        directory.push_str(&format!(
            "{kind:8}{:8}{:8}{:8}{:8}{:8}{:8}{:8}{:8}D{:7}\n",
            0,
            0,
            1,
            0,
            "",
            "",
            "",
            0,
            line + 1
        ));
        data.push_str(&format!("{words:64}{line:8}P{:7}\n", k + 1));
    }
    let global = "1H,,1H;,4Hname,4Hfile,3Hsys,3Hpre,32,38,6,308,15,4Hname,1.,1,2HIN,1,1.;";
    let text =
        format!("{:72}S      1\n{global:72}G      1\n{directory}{data}{:72}T      1\n", "made by hand", "");
    let found = read(&text);
    // Inches; the arc of the composite, from (50, 0) to (0, 50) about the origin, is turned so that it goes on from the line.
    assert_eq!((found.curves.len(), found.unit), (1, Some(0.0254)), "{:?}", found.left_out);
    let pieces = &found.curves[0].pieces;
    assert_eq!(pieces.len(), 2);
    let [a, b] = pieces[1].ends();
    assert!(
        (a - Vec3::new(100.0, 100.0, 0.0)).norm() < 1e-12 && (b - Vec3::new(150.0, 50.0, 0.0)).norm() < 1e-12,
        "{a} {b}"
    );
    assert!((lay::length(&pieces[1]) - 25.0 * std::f64::consts::PI).abs() < 1e-9);
    assert!(refused(&text.replace("102,2,1,3;", "102,2,5,3;")).contains("in a circle"));
    assert!(
        refused(&text.replace("110,0.,0.,0.,100.,0.,0.;", "110,0.,0.;              "))
            .contains("parameter 3 is missing")
    );
    assert!(refused(&text.replace("100.,0.,0.;", "1x0.,0.,0.;")).contains("'1x0.' is no number"));
}

#[test]
fn curves_that_meet_are_joined_and_branch() {
    let found = read("0 0 0\n10 0 0\n\n10 0 0\n20 0 0\n\n20 0 0\n20 10 0\n\n30 0 0\n20 0 0\n");
    let laid = found.to_flexible(1e-3, Up::Z, Some(1e-3)).unwrap();
    assert_eq!((laid.spans.len(), laid.nodes.len()), (3, 4));
    assert_eq!(laid.nodes.iter().filter(|n| n.junction).count(), 1);
    assert!((laid.spans[0].length - 0.02).abs() < 1e-12);
    assert!(laid.warnings[0].contains("4 curves that meet end to end are 3 cables"));
}

/// A tetrahedron of AP242: two faces of triangles, one of a strip, one of a fan, moved up by an assembly of inches.
const TETRAHEDRON: &str = "\
#10=COORDINATES_LIST('',4,((0.,0.,0.),(30.,0.,0.),(0.,40.,0.),(0.,0.,50.)));
#11=TRIANGULATED_FACE('',#10,4,(),$,(),((1,3,2)));#12=TRIANGULATED_FACE('',#10,3,(),$,(1,2,4),((1,2,3)));
#13=COMPLEX_TRIANGULATED_FACE('',#10,3,(),$,(2,3,4),((1,2,3)),());#14=COMPLEX_TRIANGULATED_FACE('',#10,3,(),$,(3,1,4),(),((1,2,3)));
#15=TESSELLATED_SOLID('',(#11,#12,#13,#14),$);#16=TESSELLATED_SHAPE_REPRESENTATION('',(#15),#3);
";

#[test]
fn triangles_of_step_are_a_mesh() {
    let text = step(TETRAHEDRON);
    let drawing = crate::drawing::Drawing::read(text.as_bytes()).unwrap();
    assert_eq!((drawing.format.name(), drawing.unit), ("STEP, tessellated", Some(1.0)));
    let part = &drawing.parts[0];
    assert_eq!((part.vertices.len(), part.triangles.len()), (4, 4));
    let volume: f64 = part
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|i| Vec3::from(part.vertices[i as usize]));
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum();
    assert!((volume - 1e-5).abs() < 1e-17, "{volume}: all four look outwards");
    for (wrong, says) in [
        (text.replace("((1,3,2))", "((1,3,9))"), "there is no point 9"),
        (text.replace("((1,3,2))", "((1,3,0))"), "no number of a point"),
        (
            text.replace("#11=TRIANGULATED_FACE('',#10", "#11=TRIANGULATED_FACE('',#3"),
            "expected a COORDINATES_LIST",
        ),
        (text.replace("(30.,0.,0.)", "(30.,0.)"), "a point without three numbers"),
    ] {
        let error = crate::drawing::Drawing::read(wrong.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("line "), "{error}: expected {says}");
    }
}

/// Files that are right, to be spoilt: what is written here, and the seeds of the fuzzer.
static SEEDS: std::sync::LazyLock<Vec<Vec<u8>>> = std::sync::LazyLock::new(|| {
    let line = [helix("hose", Vec3::zeros())];
    let own = [
        step(CURVES_OF_STEP),
        step(TETRAHEDRON),
        written(&line, Written::Step(Schema::Ap242), true),
        written(&line, Written::Iges, false),
        written(&line, Written::Vda, false),
        written(&line, Written::Points, false),
        written(&line, Written::Csv, false),
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/curves");
    let seeds = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    own.into_iter().map(String::into_bytes).chain(seeds).collect()
});

#[test]
fn seeds_are_read() {
    for seed in SEEDS.iter().filter(|seed| !crate::curve::step::triangles::are_in(seed)) {
        let found = Curves::read(seed).unwrap_or_else(|error| panic!("{error}"));
        assert!(found.to_flexible(1e-3, Up::Z, Some(1e-3)).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_spoilt_file_panics(which in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..6)) {
        let mut bytes = which.get(&SEEDS).clone();
        for (at, byte, how) in edits {
            let k = at.index(bytes.len());
            match how {
                0 => bytes[k] = byte,
                1 => drop(bytes.drain(k..(k + byte as usize).min(bytes.len()))),
                2 => bytes.insert(k, b"0123456789.,;#()'=/-eE"[byte as usize % 22]),
                _ => bytes.truncate(k.max(1)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let _ = crate::drawing::Drawing::read(&bytes);
        if let Ok(found) = Curves::read(&bytes)
            && let Ok(laid) = found.to_flexible(1e-3, Up::Y, Some(1e-3))
        {
            for span in &laid.spans {
                prop_assert!(span.points.iter().all(|p| p.iter().all(|x| x.is_finite())), "a point that is no number");
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Curves::read(&bytes);
        let _ = Curves::read(&[b"ISO-10303-21;DATA;#1=", bytes.as_slice()].concat());
        let _ = Curves::read(&[b"a = CURVE / ", bytes.as_slice()].concat());
    }
}
