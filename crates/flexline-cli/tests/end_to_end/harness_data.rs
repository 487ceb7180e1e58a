//! Harness data in and out: KBL, cut list, form board, WireViz.

use crate::support::{Folder, flexline, keys, number, root};
use serde_json::json;
use std::path::Path;

/// A folder with the door harness and the scene that is made of it.
fn imported() -> (Folder, String) {
    let folder = Folder::new();
    let door = std::fs::read_to_string(root().join("scenes/exchange/door.kbl")).unwrap();
    let file = folder.write("door.kbl", &door);
    let scene = at(&folder, "door.toml");
    flexline(&["import", &file, "--to", &scene]).good();
    (folder, scene)
}

fn at(folder: &Folder, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(path)).unwrap()
}

#[test]
fn what_is_in_harness_data_is_told() {
    let (folder, _) = imported();
    let told = flexline(&["import", &at(&folder, "door.kbl"), "--json"]).good().json();
    keys(
        &told,
        &[
            "file",
            "format",
            "version",
            "title",
            "point_unit",
            "counts",
            "modules",
            "chosen_modules",
            "cables",
            "lengths",
            "curves_that_miss",
            "left_out",
            "assumed",
        ],
    );
    assert_eq!(told["counts"]["segments"], 7);
    assert_eq!((&told["lengths"]["compared"], &told["lengths"]["agree"]), (&json!(9), &json!(7)));
    let grommet = &told["cables"][0];
    assert_eq!(grommet["knots"], "clamped");
    assert!(
        number(&grommet["bend_loose"]) < number(&grommet["bend"])
            && number(&grommet["bend"]) < number(&grommet["bend_bonded"])
    );
    let text = flexline(&["import", &at(&folder, "door.kbl")]).good().stdout;
    assert!(
        text.contains("7 of 9 agree within 1 mm")
            && text.contains("segments whose curve misses its nodes: 0")
    );
}

#[test]
fn an_imported_harness_is_solved_and_written_back_as_it_was() {
    let (folder, scene) = imported();
    let solved = flexline(&["solve", &scene, "--json"]).good().json();
    assert_eq!(solved["bundles"].as_array().unwrap().len(), 10);
    assert_eq!(solved["cables"].as_array().unwrap().len(), 7);
    flexline(&["plot", &scene, "--out", &at(&folder, "door.svg")]).good();
    let listed = flexline(&["materials", "--scene", &scene]).good().stdout;
    assert!(listed.contains("grommet covered"), "{listed}");
    let told = flexline(&["export", &scene, "--to", &at(&folder, "same.kbl"), "--json"]).good().json();
    assert_eq!((&told["unchanged"], &told["moved"]), (&json!(true), &json!(0)));
    assert!(bytes(&at(&folder, "same.kbl")) == bytes(&at(&folder, "door.kbl")));
}

#[test]
fn what_has_changed_is_written_and_nothing_else() {
    let (folder, scene) = imported();
    let (work, other) =
        (root().join("scenes/exchange/door-work.jsonl").display().to_string(), at(&folder, "door-2.toml"));
    flexline(&["edit", &scene, "--script", &work, "-o", &other]).good();
    let to = at(&folder, "changed.kbl");
    let told = flexline(&["export", &other, "--to", &to, "--json"]).good().json();
    assert_eq!(told["other_lengths"], 1);
    assert!(number(&told["reached"]) <= 1e-5);
    // All segments of the door hang on free nodes that hang on each other: they are written together.
    assert_eq!(told["moved"], 7, "{told:#}");
    let [old, new] =
        [at(&folder, "door.kbl"), to].map(|path| flexline(&["import", &path, "--json"]).good().json());
    for (a, b) in old["cables"].as_array().unwrap().iter().zip(new["cables"].as_array().unwrap()) {
        let longer = number(&b["virtual_length"]) - number(&a["virtual_length"]);
        let expected = if a["name"] == "to the lock" { 0.025 } else { 0.0 };
        assert!((longer - expected).abs() < 1e-9, "{}", a["name"]);
        // A curve is as long as its segment, as it is drawn or as it hangs.
        assert!((number(&b["course_length"]) - number(&b["virtual_length"])).abs() < 5e-5, "{b:#}");
        assert!(b["misses_nodes_by"].is_null());
    }
    assert_eq!(new["lengths"]["agree"], 7);
}

#[test]
fn lists_and_boards_are_written() {
    let (folder, scene) = imported();
    let to = |name: &str| at(&folder, name);
    let told =
        flexline(&["export", &scene, "--to", &to("cuts.csv"), "--cut-list", "--reserve", "3 %", "--json"])
            .good()
            .json();
    assert_eq!((&told["wires"], &told["placed"]), (&json!(9), &json!(6)));
    let list = String::from_utf8(bytes(&to("cuts.csv"))).unwrap();
    assert!(list.contains("wire,1,W-2.5-rt,rt,2.5,X1:1,X2:1,512.1,17.9,530.0,grommet; trunk; to the window motor,FL-DOOR-BASE,motor +"), "{list}");
    flexline(&["export", &scene, "--to", &to("cuts.html")]).good();
    flexline(&["export", &scene, "--to", &to("door.yml")]).good();
    let board =
        flexline(&["export", &scene, "--to", &to("board.pdf"), "--paper", "a3", "--json"]).good().json();
    let pages: Vec<f64> = board["pages"].as_array().unwrap().iter().map(number).collect();
    // Tiles of 396 mm by 273 mm.
    assert_eq!(
        pages,
        [(number(&board["width_mm"]) / 396.0).ceil(), (number(&board["height_mm"]) / 273.0).ceil()]
    );
    for name in ["board.svg", "board.dxf"] {
        flexline(&["export", &scene, "--to", &to(name)]).good();
    }
    // A form board of any harness.
    let other = root().join("scenes/door-harness.toml").display().to_string();
    flexline(&["export", &other, "--to", &to("other.svg")]).good();
    flexline(&["export", &other, "--to", &to("other.kbl")])
        .refused(3)
        .complains(&["has no [kbl]", "flexline import"]);
    flexline(&["export", &scene, "--to", &to("a.svg"), "--branch-angle", "5"])
        .refused(3)
        .complains(&["15 to 150"]);
    flexline(&["export", &scene, "--to", &to("a.html"), "--reserve", "much"])
        .refused(3)
        .complains(&["--reserve much"]);
}

#[test]
fn modules_and_mistakes() {
    let (folder, scene) = imported();
    let door = at(&folder, "door.kbl");
    let told =
        flexline(&["import", &door, "--modules", "Audio,MOD3", "--to", &at(&folder, "some.toml"), "--json"])
            .good()
            .json();
    assert_eq!(told["cables"].as_array().unwrap().len(), 5);
    flexline(&["solve", &at(&folder, "some.toml")]).good();
    flexline(&["import", &door, "--modules", "Seat"])
        .refused(3)
        .complains(&["--modules Seat", "FL-DOOR-AUDIO"]);
    flexline(&["import", &door, "--to", &scene]).refused(3).complains(&["is there already"]);
    let vec = folder.write("a.vec", "<vec:VecContent xmlns:vec=\"http://www.prostep.org/ecad-if/2011/vec\"><VecVersion>2.0</VecVersion></vec:VecContent>");
    flexline(&["import", &vec]).refused(3).complains(&["this is VEC 2.0"]);
    let bomb = folder
        .write("b.kbl", "<!DOCTYPE KBL_container [<!ENTITY a \"aa\">]><KBL_container>&a;</KBL_container>");
    flexline(&["import", &bomb]).refused(3).complains(&["DTD"]);
    std::fs::remove_file(folder.path().join("door.kbl")).unwrap();
    flexline(&["export", &scene, "--to", &at(&folder, "x.kbl")])
        .refused(3)
        .complains(&["put the harness data beside the scene"]);
}
