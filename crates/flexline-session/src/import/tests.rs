//! Files brought into scenes by sessions.

use super::*;
use crate::session::Solving;
use flexline_scene::Folder;
use std::fs;

const SCENE: &str = "version = 1\n[cable]\nname = \"hose\"\nlength = \"400 mm\"\npart = \"brake-hose\"\n\
    [start]\nhold = \"clamped\"\nposition = [0, 0, 1]\ntangent = [1, 0, 0]\n\
    [end]\nhold = \"pinned\"\nposition = [\"250 mm\", 0, \"1100 mm\"]\n";

/// A straight hose 200 mm long and 8 mm in radius along x, in millimetres, open at its ends.
fn hose() -> String {
    let (sides, rings) = (12, 40);
    let mut text = String::new();
    for i in 0..=rings {
        for k in 0..sides {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(sides)).sin_cos();
            text += &format!("v {} {} {}\n", 5.0 * f64::from(i), 8.0 * cos, 8.0 * sin);
        }
    }
    for i in 0..rings {
        for k in 0..sides {
            let [a, b] = [k, (k + 1) % sides].map(|k| i * sides + k + 1);
            text += &format!("f {a} {b} {} {}\n", b + sides, a + sides);
        }
    }
    text
}

/// A session in a folder of its own, with the mesh of a hose.
fn session(name: &str) -> (Session, PathBuf) {
    let folder = std::env::temp_dir().join(format!("flexline-import-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hose.obj"), hose()).unwrap();
    (Session::open_in(SCENE, "scene.toml", &Folder::new(&folder), Solving::Never).unwrap(), folder)
}

fn import(text: &str) -> Import {
    Import::from_json(text).expect("it is an import").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_stretch_is_one_step_to_undo() {
    let (mut session, folder) = session("stretch");
    let asked = import(
        r#"{"do": "import", "file": "hose.obj", "as": "cable", "unit": "mm", "material": "epdm-60", "name": "tail",
            "from": [50, 8, 0], "until": [150, 8, 0]}"#,
    );
    let done = session.import(&asked, &folder).unwrap();
    assert_eq!(done.files, ["meshes/tail-remainder.ply"]);
    assert!(folder.join(&done.files[0]).exists());
    assert!(session.text().contains("passes_through = [\"tail remainder\"]"), "{}", session.text());
    let scene = flexline_scene::Scene::read_in(session.text(), "scene.toml", &Folder::new(&folder)).unwrap();
    let tail = scene.cables.iter().find(|own| own.cable.name == "tail").unwrap();
    assert!((tail.cable.length - 0.1).abs() < 1e-5, "{}", tail.cable.length);
    assert_eq!(scene.obstacles.len(), 1);
    session.undo().unwrap();
    assert_eq!(session.text(), SCENE);
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn an_obstacle_and_a_line_come_the_same_way() {
    let (mut session, folder) = session("others");
    session.import(&import(r#"{"do": "import", "file": "hose.obj", "unit": "mm"}"#), &folder).unwrap();
    // The same again is another obstacle of the same file.
    session.import(&import(r#"{"do": "import", "file": "hose.obj", "unit": "mm"}"#), &folder).unwrap();
    assert_eq!(session.text().matches("mesh = \"meshes/hose").count(), 2);
    fs::write(folder.join("line.csv"), "x [mm],y [mm],z [mm]\n0,0,500\n50,0,500\n100,5,500\n150,20,500\n")
        .unwrap();
    let line = r#"{"do": "import", "file": "line.csv", "as": "centreline", "radius": "4 mm", "material": "epdm-60"}"#;
    session.import(&import(line), &folder).unwrap();
    assert!(session.text().contains("name = \"line\""), "{}", session.text());
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn what_is_wrong_leaves_scene_and_folder_as_they_were() {
    let (mut session, folder) = session("wrong");
    let told =
        |session: &mut Session, text: &str| session.import(&import(text), &folder).unwrap_err().to_string();
    let hose = |more: &str| format!(r#"{{"do": "import", "file": "hose.obj", "as": "cable"{more}}}"#);
    for (text, expected) in [
        (hose(r#", "unit": "mm""#), "`material`"),
        (hose(r#", "material": "epdm-60""#), "does not say its unit"),
        (hose(r#", "material": "epdm-60", "unit": "furlong""#), "expected mm, cm"),
        (hose(r#", "material": "cheese", "unit": "mm""#), "no material \"cheese\""),
        (hose(r#", "material": "epdm-60", "unit": "mm", "from": [0, 8, 0]"#), "both `from` and `until`"),
        (
            hose(r#", "material": "epdm-60", "unit": "mm", "from": [0, 8, 0], "until": [9, 900, 0]"#),
            "off the nearest cable",
        ),
        (r#"{"do": "import", "file": "none.stl"}"#.into(), "none.stl"),
        (r#"{"do": "import", "file": "."}"#.into(), "folder"),
    ] {
        let told = told(&mut session, &text);
        assert!(told.contains(expected), "{text}: {told}");
    }
    assert_eq!(session.text(), SCENE);
    assert!(!folder.join("meshes").exists());
    assert!(
        Import::from_json(r#"{"do": "import", "fiel": "x"}"#)
            .unwrap()
            .unwrap_err()
            .to_string()
            .contains("fiel")
    );
    assert!(Import::from_json(r#"{"do": "cut", "cable": "x"}"#).is_none());
    let _ = fs::remove_dir_all(folder);
}
