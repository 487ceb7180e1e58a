//! `flexline sweep`, `find` and `study`.

use crate::support::{Folder, flexline, is_file, keys, number, root};

const POSES: &str = "scenes/studies/dress-pack.csv";
const PACK: &str = "scenes/studies/dress-pack.toml";

#[test]
fn a_hose_is_led_through_poses() {
    let folder = Folder::new();
    let files = ["poses.csv", "worst.svg", "all.png", "swept.stl"].map(|name| folder.file(name));
    let arguments =
        ["sweep", PACK, "--poses", POSES, "--csv", &files[0], "--worst", &files[1], "--envelope", &files[2]];
    let told = flexline(&[&arguments[..], &["--volume", &files[3]]].concat()).good().stdout;
    assert!(told.starts_with("41 of 41 poses have an equilibrium") && told.contains("bend radius"), "{told}");
    assert!(files.iter().all(is_file));
    let table = std::fs::read_to_string(&files[0]).expect("the table");
    assert_eq!(table.lines().count(), 42);
    let json = flexline(&["sweep", PACK, "--poses", POSES, "--json"]).good().json();
    keys(&json, &["format", "scene", "heads", "cables", "verdict", "failed", "worst_pose", "worst", "poses"]);
    assert_eq!(number(&json["format"]), 1.0);
    // The worst of all is that of its pose.
    let radius =
        json["worst"].as_array().expect("a list").iter().find(|own| own["finding"]["rule"] == "bend_radius");
    let radius = radius.expect("a radius");
    let least = json["poses"]
        .as_array()
        .expect("poses")
        .iter()
        .flat_map(|own| own["findings"]["cables"][0].as_array());
    let least = least.flatten().filter(|own| own["rule"] == "bend_radius").map(|own| number(&own["value"]));
    assert_eq!(number(&radius["finding"]["value"]), least.fold(f64::INFINITY, f64::min));
    assert_eq!(radius["pose"], json["worst_pose"]);
}

#[test]
fn too_short_is_a_status_and_an_exit_code() {
    let far =
        flexline(&["sweep", "scenes/brake-hose.toml", "--vary", "cable.length=200 mm..400 mm:3"]).expect(6);
    assert!(
        far.stdout.starts_with("2 of 3 poses") && far.stdout.contains("pose 0: too short"),
        "{}",
        far.stdout
    );
}

#[test]
fn what_cannot_be_swept_is_refused() {
    let wrong = |arguments: &[&str], told: &str| {
        flexline(&[&["sweep", "scenes/brake-hose.toml"], arguments].concat()).refused(3).complains(&[told]);
    };
    wrong(&["--motion"], "the scene moves nothing");
    wrong(&["--vary", "cable.lenght=1..2:3"], "lenght");
    wrong(&["--vary", "cable.length=1..2:3", "--worst", "a.pdf"], "--worst a.pdf");
    wrong(&["--poses", "no-such.csv"], "cannot read no-such.csv");
    let folder = Folder::new();
    let poses = folder.write("poses.csv", "start.x\nnan\n");
    wrong(&["--poses", &poses], "line 2: start.x is \"nan\"");
    flexline(&["sweep", "scenes/brake-hose.toml"]).expect(2);
}

#[test]
fn a_value_is_found() {
    let json = flexline(&[
        "find",
        PACK,
        "--vary",
        "hose.length=900 mm..1000 mm",
        "--so-that",
        "bend_radius>=70mm",
        "--prefer",
        "most",
        "--over",
        POSES,
        "--steps",
        "4",
        "--json",
    ]);
    let json = json.good().json();
    let found = &json["found"];
    let at = number(&found["at"]);
    assert!((940.0..960.0).contains(&at) && (number(&found["look"]["value"]) - 0.07).abs() < 1e-6, "{found}");
    // A sweep with that hose agrees.
    let folder = Folder::new();
    let text = std::fs::read_to_string(root().join(PACK)).expect("the scene");
    let scene = folder.write("pack.toml", text.replace("\"900 mm\"", &format!("\"{at} mm\"")));
    let json = flexline(&["sweep", &scene, "--poses", POSES, "--json"]).good().json();
    let worst =
        json["worst"].as_array().expect("a list").iter().find(|own| own["finding"]["rule"] == "bend_radius");
    assert!((number(&worst.expect("a radius")["finding"]["value"]) - 0.07).abs() < 1e-6);
    let none = flexline(&[
        "find",
        "scenes/brake-hose.toml",
        "--vary",
        "cable.length=380 mm..390 mm",
        "--so-that",
        "bend_radius>=1",
        "--steps",
        "2",
    ]);
    assert!(none.expect(1).stdout.contains("holds at none of the values looked at"));
    flexline(&["find", "scenes/brake-hose.toml", "--vary", "cable.length", "--so-that", "bend>=1"])
        .refused(3)
        .complains(&["bend_radius"]);
}

#[test]
fn a_study_is_the_same_on_one_thread_and_two() {
    let folder = Folder::new();
    let study = root().join("scenes/studies/brake-hose-tolerance.toml");
    let text = std::fs::read_to_string(study).expect("the study").replace("samples = 200", "samples = 24");
    let text = text.replace("../brake-hose.toml", "hose.toml");
    folder.write(
        "hose.toml",
        std::fs::read_to_string(root().join("scenes/brake-hose.toml")).expect("the scene"),
    );
    folder.write("study.toml", &text);
    let one =
        folder.flexline(&["study", "study.toml", "--out", "one", "--threads", "1", "--json"]).good().json();
    let told = folder.flexline(&["study", "study.toml", "--out", "two", "--threads", "2"]).good().stdout;
    assert!(told.starts_with("24 rows: 24 converged"), "{told}");
    for file in ["results.csv", "summary.json", "report.html"] {
        let both = ["one", "two"].map(|out| std::fs::read(folder.path().join(out).join(file)).expect(file));
        assert!(both[0] == both[1], "{file}");
    }
    assert_eq!((number(&one["format"]), number(&one["rows"])), (1.0, 24.0));
    folder.write("study.toml", text.replace("seed = 1", "seed = 2"));
    folder
        .flexline(&["study", "study.toml", "--out", "one"])
        .refused(3)
        .complains(&["another text of the study file", "--anew"]);
    folder.flexline(&["study", "study.toml", "--out", "one", "--anew"]).good();
    folder.write("file", "");
    folder.flexline(&["study", "study.toml", "--out", "file"]).refused(4);
}
