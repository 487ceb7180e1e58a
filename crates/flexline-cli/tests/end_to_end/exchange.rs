//! `flexline import` and `flexline export`.

use crate::support::{Folder, flexline, keys, number, root, scene};
use serde_json::json;

/// Two blocks of VRML 97, one within the other's path.
const BLOCKS: &str = "#VRML V2.0 utf8\nDEF frame Transform { translation 3 0 0 children [\n\
    DEF left Shape { geometry Box { size 1 2 3 } }\nDEF right Transform { translation 9 0 0 children Shape { geometry Box { } } } \
    Shape { geometry Text { string \"a\" } } ] }\n";

/// A tetrahedron of OBJ, 10 by 20 by 30, far from the hose.
const OBJ: &str = "v 900 0 0\nv 910 0 0\nv 900 20 0\nv 900 0 30\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn what_a_file_says_is_told() {
    let folder = Folder::new();
    // The name tells nothing.
    let file = folder.write("blocks.dat", BLOCKS);
    let told = flexline(&["import", &file]).good().stdout;
    for piece in [
        "VRML 97, 2 parts, 24 triangles",
        "m, by the file",
        "y, by the file",
        "closed",
        "frame/right",
        "1 x shapes 'Text'",
    ] {
        assert!(told.contains(piece), "no `{piece}` in\n{told}");
    }
    let json = flexline(&["import", &file, "--json"]).good().json();
    keys(
        &json,
        &[
            "file",
            "format",
            "unit",
            "unit_said_by",
            "up",
            "up_said_by",
            "extent",
            "triangles",
            "vertices",
            "health",
            "parts",
            "lines",
            "left_out",
            "followed",
            "scene",
            "obstacles",
        ],
    );
    assert_eq!(
        (&json["unit"], &json["unit_said_by"], &json["up"]),
        (&json!(1.0), &json!("file"), &json!("y"))
    );
    assert_eq!(json["parts"][0]["path"], "frame/left");
    assert!((number(&json["parts"][0]["health"]["volume"]) - 6.0).abs() < 1e-12);
    assert_eq!(json["left_out"][0]["first"], "line 4");
    let other = flexline(&["import", &file, "--unit", "mm", "--up", "z", "--json"]).good().json();
    assert_eq!(
        (&other["unit"], &other["unit_said_by"], &other["up_said_by"]),
        (&json!(1e-3), &json!("option"), &json!("option"))
    );
}

#[test]
fn obstacles_come_into_a_scene() {
    let folder = Folder::new();
    let hose = folder.write("hose.toml", scene("brake-hose.toml"));
    let beside = folder.write("bracket.obj", OBJ);
    // Units are asked for, with what they would mean.
    flexline(&["import", &beside, "--to", &hose]).refused(3).complains(&[
        "does not say its unit",
        "30.000 mm if millimetres",
        "--unit mm",
    ]);
    let told = flexline(&["import", &beside, "--unit", "mm", "--to", &hose]).good().stdout;
    assert!(told.contains("obstacle 'bracket' written to"), "{told}");
    // Again has another name; a file from elsewhere is copied; parts are written upright and in metres.
    flexline(&["import", &beside, "--unit", "mm", "--to", &hose]).good();
    let elsewhere = Folder::new();
    let blocks = elsewhere.write("blocks.wrl", BLOCKS.replace("3 0 0", "900 0 0"));
    flexline(&["import", &blocks, "--to", &hose, "--name", "far away"]).good();
    let each = flexline(&["import", &blocks, "--to", &hose, "--each", "--json"]).good().json();
    assert_eq!(each["obstacles"], json!(["frame/left", "frame/right"]));
    let text = std::fs::read_to_string(&hose).expect("the scene");
    for piece in [
        "mesh = \"bracket.obj\"",
        "bracket 2",
        "mesh = \"meshes/far-away.wrl\"",
        "up_axis = \"y\"",
        "meshes/frame-left.ply",
    ] {
        assert!(text.contains(piece), "no `{piece}` in\n{text}");
    }
    let left =
        flexline(&["import", &folder.file("meshes/frame-left.ply"), "--unit", "m", "--json"]).good().json();
    assert_eq!(left["extent"], json!([[899.5, -1.5, -1.0], [900.5, 1.5, 1.0]]), "y is up no more");
    let solved = flexline(&["solve", &hose, "--json"]).expect(0).json();
    assert_eq!(solved["obstacles"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_scene_that_would_not_be_one_is_left_alone() {
    let folder = Folder::new();
    let hose = folder.write("hose.toml", scene("brake-hose.toml"));
    let elsewhere = Folder::new();
    let lines = elsewhere.write("lines.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    flexline(&["import", &lines, "--unit", "m", "--to", &hose])
        .refused(3)
        .complains(&["has no triangles, but 1 lines"]);
    flexline(&["import", &lines, "--unit", "m", "--to", &folder.file("none.toml")]).refused(3);
    assert_eq!(std::fs::read_to_string(&hose).ok(), Some(scene("brake-hose.toml")));
    assert_eq!(folder.names(), ["hose.toml"]);
}

#[test]
fn what_is_no_mesh_is_refused() {
    let folder = Folder::new();
    let step = folder.write("a.stl", "ISO-10303-21;\nHEADER;\n");
    flexline(&["import", &step])
        .refused(3)
        .complains(&["is STEP without triangles and is not read as a mesh", "export it as one of them"]);
    let short = folder.write("b.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0");
    flexline(&["import", &short]).refused(3).complains(&["line 8 of the mesh", "cut short"]);
    flexline(&["import", &folder.file("none")]).refused(3).complains(&["cannot read", "check the path"]);
    flexline(&["import", &step, "--as", "harness"]).refused(3).complains(&["this is not XML"]);
    flexline(&["import", &step, "--as", "centreline"]).refused(3).complains(&["line 3", "cut short"]);
    assert_eq!(flexline(&["import", &step, "--as", "sofa"]).code, 2);
}

#[test]
fn a_tube_becomes_a_cable() {
    let folder = Folder::new();
    let tube = folder
        .write("tube.wrl", "#VRML V2.0 utf8\nShape { geometry Cylinder { radius 0.005 height 0.4 } }\n");
    let found = flexline(&["import", &tube, "--as", "cable", "--json"]).good().json();
    assert_eq!((&found["status"], found["edges"].as_array().map(Vec::len)), (&json!("cables"), Some(1)));
    assert!((number(&found["edges"][0]["length"]) - 0.4).abs() < 0.4e-3, "{}", found["edges"][0]["length"]);
    let told = flexline(&["import", &tube, "--as", "cable"]).good().stdout;
    assert!(told.contains("VRML 97") && told.contains("400."), "{told}");
    let new = folder.file("tube.toml");
    flexline(&["import", &tube, "--as", "cable", "--to", &new])
        .refused(3)
        .complains(&["--material NAME", "there are:"]);
    let told =
        flexline(&["import", &tube, "--as", "cable", "--to", &new, "--material", "epdm-60"]).good().stdout;
    assert!(told.contains("held at its ends as drawn"), "{told}");
    let solved = flexline(&["solve", &new, "--json"]).expect(0).json();
    assert!(
        (number(&solved["cables"][0]["length"]) - 0.4).abs() < 0.4e-3,
        "{}",
        solved["cables"][0]["length"]
    );
    // Once more: the scene that is there gets it as another cable, by commands.
    flexline(&["import", &tube, "--as", "cable", "--to", &new, "--material", "epdm-60", "--name", "second"])
        .good();
    let text = std::fs::read_to_string(&new).unwrap_or_default();
    assert!(
        text.contains("\"cable 1\"") && text.contains("name = \"second\"") && text.contains("path = "),
        "{text}"
    );
    let block = folder.write("block.wrl", "#VRML V2.0 utf8\nShape { geometry Box { } }\n");
    let refused = flexline(&["import", &block, "--as", "cable", "--json"]).expect(1).json();
    assert_eq!(refused["status"], "refused");
    let stl = folder.write("tube.obj", OBJ);
    flexline(&["import", &stl, "--as", "cable"]).refused(3).complains(&["does not say its unit"]);
}

#[test]
fn a_stretch_of_a_tube_becomes_a_cable() {
    let folder = Folder::new();
    let tube = folder
        .write("tube.wrl", "#VRML V2.0 utf8\nShape { geometry Cylinder { radius 0.005 height 0.4 } }\n");
    let new = folder.file("part.toml");
    // In the axes of the file: y is up, and along the cylinder.
    let picks = ["--as", "cable", "--from", "0.005,-0.1,0", "--until", "0,0.12,0.005"];
    let found = flexline(&[&["import", &tube, "--json"][..], &picks].concat()).good().json();
    assert!((number(&found["edges"][0]["length"]) - 0.22).abs() < 0.2e-3, "{}", found["edges"][0]["length"]);
    assert!(number(&found["remainder"]) > 20.0);
    let into = ["--material", "epdm-60", "--to", &new];
    let told = flexline(&[&["import", &tube][..], &picks, &into].concat()).good().stdout;
    assert!(told.contains("stay an obstacle, cut at the two places"), "{told}");
    let left =
        flexline(&["import", &folder.file("meshes/remainder.ply"), "--unit", "m", "--json"]).good().json();
    assert_eq!(left["health"]["bodies"], 2, "{left}");
    let solved = flexline(&["solve", &new, "--json"]).expect(0).json();
    assert!((number(&solved["cables"][0]["length"]) - 0.22).abs() < 0.2e-3);
    flexline(&["import", &tube, "--as", "cable", "--from", "0.005,-0.1,0", "--until", "0.1,0.1,0"])
        .refused(3)
        .complains(&["the second pick is 95.0 mm off the nearest cable"]);
    assert_eq!(flexline(&["import", &tube, "--as", "cable", "--from", "1,2", "--until", "0,0,0"]).code, 2);
}

#[test]
fn a_script_brings_a_stretch_in_and_takes_it_back() {
    let folder = Folder::new();
    folder.write("tube.wrl", "#VRML V2.0 utf8\nShape { geometry Cylinder { radius 0.005 height 0.4 } }\n");
    let hose = folder.write("hose.toml", scene("brake-hose.toml"));
    let import = r#"{"do": "import", "file": "tube.wrl", "as": "cable", "material": "epdm-60", "name": "tail",
                     "from": [0.005, -0.1, 0], "until": [0, 0.12, 0.005]}"#;
    // A dry run writes nothing, nor does a script that fails later on.
    flexline(&["edit", &hose, "--no-solve", "--dry-run", "--do", import]).good();
    flexline(&[
        "edit",
        &hose,
        "--no-solve",
        "--do",
        import,
        "--do",
        r#"{"do": "remove", "name": "nothing"}"#,
    ])
    .refused(3)
    .complains(&["command 2 of 2"]);
    assert!(!std::path::Path::new(&folder.file("meshes/tail-remainder.ply")).exists());
    let journal = folder.file("work.journal");
    flexline(&["edit", &hose, "--no-solve", "--do", import, "--journal", &journal]).good();
    let text = std::fs::read_to_string(&hose).unwrap_or_default();
    assert!(text.contains("passes_through = [\"tail remainder\"]"), "{text}");
    assert!(std::path::Path::new(&folder.file("meshes/tail-remainder.ply")).exists());
    // The journal has what came of it, and needs the file no more.
    std::fs::remove_file(folder.file("tube.wrl")).unwrap();
    let again = folder.file("again.toml");
    flexline(&["journal", &journal, "--no-solve", "-o", &again]).good();
    assert_eq!(std::fs::read_to_string(&again).unwrap_or_default(), text);
    flexline(&["edit", &again, "--no-solve", "--do", r#"{"do": "import", "fiel": "x"}"#])
        .refused(3)
        .complains(&["fiel"]);
}

#[test]
fn a_centreline_goes_out_and_comes_back() {
    let folder = Folder::new();
    let hose = root().join("scenes/brake-hose.toml").to_string_lossy().into_owned();
    for name in ["hose.step", "hose.igs", "hose.vda", "hose.pts", "hose.csv"] {
        let file = folder.file(name);
        let out = flexline(&["export", &hose, "--to", &file, "--json"]).good().json();
        let back = flexline(&["import", &file, "--as", "centreline", "--json"]).good().json();
        let length = number(&back["edges"][0]["length"]);
        let expected = out["curves"][0]["length"].as_f64().unwrap_or(0.38);
        // A smooth curve through the ends of segments is longer than they are by (κh)²/24.
        let near = if out["curves"].as_array().is_some_and(Vec::is_empty) { 3e-5 } else { 2e-6 };
        assert!((length - expected).abs() < near, "{name}: {length} of {expected}");
        assert_eq!(back["curves"].as_array().map(Vec::len), Some(1));
    }
    // The tube gives its radius, and a scene.
    let (solid, new) = (folder.file("tube.step"), folder.file("new.toml"));
    flexline(&["export", &hose, "--to", &solid, "--solid"]).good();
    let told = flexline(&["import", &solid, "--as", "centreline", "--material", "epdm-60", "--to", &new])
        .good()
        .stdout;
    assert!(
        told.contains("STEP, 1 curve, one unit is 1.0000 mm") || told.contains("one unit is 1 mm"),
        "{told}"
    );
    flexline(&["solve", &new, "--json"]).expect(0);
    // Without a radius it is asked for; so is a unit.
    let bare = folder.write("line.txt", "0 0 0\n50 0 0\n100 20 0\n");
    flexline(&["import", &bare, "--as", "centreline"])
        .refused(3)
        .complains(&["does not say its unit", "--unit mm"]);
    let line = ["import", &bare, "--as", "centreline", "--unit", "mm", "--material", "epdm-60", "--to"];
    let other = folder.file("line.toml");
    flexline(&[&line[..], &[&other]].concat()).refused(3).complains(&["how thick", "--radius"]);
    flexline(&[&line[..], &[&other, "--radius", "3 mm", "--straight"]].concat()).good();
    flexline(&["solve", &other]).expect(0);
    flexline(&[&line[..], &[&new, "--radius", "3 mm"]].concat()).good();
    let text = std::fs::read_to_string(&new).unwrap_or_default();
    assert!(text.contains("name = \"line\"") && text.contains("name = \"cable 1\""), "{text}");
}

#[test]
fn centrelines_go_out() {
    let folder = Folder::new();
    let hose = root().join("scenes/brake-hose.toml").to_string_lossy().into_owned();
    for (name, says, begins) in [
        ("hose.step", "STEP AP242", "ISO-10303-21;"),
        ("hose.IGS", "IGES 5.3", "Centrelines of cables"),
        ("hose.vda", "VDA-FS", "HEAD1 = HEADER / 20"),
        ("hose.csv", "CSV", "s_m,x_m,y_m,z_m,radius_m,curvature_1/m,twist_rad/m,tension_N,clearance_m"),
        ("hose.pts", "points", "# x y z radius s, mm"),
    ] {
        let file = folder.file(name);
        let told = flexline(&["export", &hose, "--to", &file, "--json"]).good().json();
        keys(&told, &["file", "format", "bytes", "tolerance", "segments", "cables", "curves"]);
        assert_eq!(told["format"], says);
        let text = std::fs::read_to_string(&file).expect("the file");
        assert!(text.starts_with(begins), "{}", &text[..200]);
        assert_eq!(told["bytes"], text.len());
        if let Some(curve) = told["curves"].as_array().and_then(|all| all.first()) {
            assert!(
                number(&curve["reached"]) <= 1e-5 && (number(&curve["length"]) / 0.38 - 1.0).abs() < 1e-6,
                "{curve}"
            );
            assert!(number(&told["segments"]) > 100.0, "a curve through a hundred chords is longer by 4e-5");
        }
    }
    let coarse = folder.file("coarse.stp");
    let told = flexline(&["export", &hose, "--to", &coarse, "--segments", "50", "--json"]).good().json();
    assert!(told["segments"].is_null() && number(&told["curves"][0]["length"]) > 0.380_02, "{told}");
    let file = folder.file("solid.stp");
    let told =
        flexline(&["export", &hose, "--to", &file, "--solid", "--schema", "ap214", "--tolerance", "1 um"])
            .good()
            .stdout;
    assert!(told.contains("STEP AP214") && told.contains("0.00100"), "{told}");
    assert!(std::fs::read_to_string(&file).expect("the file").contains("MANIFOLD_SOLID_BREP"));
}

#[test]
fn exports_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let hose = root().join("scenes/brake-hose.toml").to_string_lossy().into_owned();
    let refused = |more: &[&str]| flexline(&[&["export", &hose, "--to"], more].concat()).refused(3);
    refused(&[&folder.file("a.dwg")]).complains(&["'.dwg' is no format this command writes", ".step, .igs"]);
    refused(&[&folder.file("a.step"), "--tolerance", "0 mm"]).complains(&["--tolerance 0 mm"]);
    refused(&[&folder.file("a.igs"), "--solid"]).complains(&["no solids here"]);
    refused(&[&folder.file("a.csv"), "--schema", "ap214"]).complains(&["goes with STEP"]);
    refused(&[&folder.file("a.csv"), "--cable", "none"]).complains(&["there is no such cable", "there are:"]);
    assert!(folder.names().is_empty());
    flexline(&["export", &hose, "--to", "/nowhere/a.csv"]).refused(4);
}
