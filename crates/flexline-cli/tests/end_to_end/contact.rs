//! Scenes with obstacles: what is told, judged, drawn and refused.

use crate::support::{Folder, flexline, keys, number, scene, vector};

const BAR: &str = "scenes/hose-over-a-bar.toml";

#[test]
fn contacts_are_told() {
    let json = flexline(&["solve", BAR, "--json"]).good().json();
    let contacts = json["contacts"].as_array().expect("a list");
    assert!(!contacts.is_empty());
    for contact in contacts {
        keys(contact, &["a", "b", "at", "position", "normal", "gap", "force", "pressure", "state", "slip"]);
        assert_eq!((&contact["a"], &contact["b"]), (&"hose".into(), &"bar".into()));
        let (force, normal) = (vector(&contact["force"]), vector(&contact["normal"]));
        assert!((0..3).map(|k| force[k] * normal[k]).sum::<f64>() > 0.0, "it is pressed");
        assert_eq!(contact["state"], "slip", "without friction");
    }
    assert!(number(&json["penetration"]) < 1e-9 && number(&json["contact_residual"]) < 1e-6);
    let table = flexline(&["solve", BAR]).good().stdout;
    assert!(table.contains("obstacle 'bar'") && table.contains("presses with 0.7"), "{table}");
    let bare = flexline(&["solve", "scenes/brake-hose.toml", "--json"]).good().json();
    assert_eq!(bare["contacts"].as_array().map(Vec::len), Some(0));
}

/// Of an obstacle, too, to which no place of the cable is nearest.
#[test]
fn what_is_behind_another_obstacle_is_told_with_its_distance() {
    let folder = Folder::new();
    let behind = "\n[[obstacle]]\nname = \"deep\"\nshape = \"plane\"\nposition = [0, 0, -5]\n";
    let path = folder.write("behind.toml", scene("hose-over-a-bar.toml") + behind);
    let table = flexline(&["solve", &path]).good().stdout;
    let told = table.lines().find(|line| line.starts_with("obstacle 'deep'")).expect("a row");
    assert!(told.contains("not touched: ") && told.contains(" mm away"), "{told}");
    let json = flexline(&["solve", &path, "--json"]).good().json();
    let gap = number(&json["obstacles"][1]["nearest"]["clearance"]);
    assert!((4.0..5.0).contains(&gap), "{gap}");
}

#[test]
fn clearance_is_told_along_the_cable() {
    let folder = Folder::new();
    let out = folder.file("hose.csv");
    flexline(&["solve", BAR, "--out", &out]).good();
    let csv = std::fs::read_to_string(&out).expect("a file");
    let mut lines = csv.lines();
    assert!(lines.next().is_some_and(|heads| heads.ends_with(",contact_pressure_N/m,clearance_m,nearest")));
    let gaps: Vec<f64> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.last(), Some(&"bar"));
            cells[cells.len() - 2].parse().expect("a number")
        })
        .collect();
    assert_eq!(gaps.len(), 101);
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((-1e-9..1e-3).contains(&least) && gaps[0] > 0.2, "{least}");
}

#[test]
fn distance_and_force_are_judged() {
    let folder = Folder::new();
    let limited = |limit: &str| {
        let text = scene("hose-over-a-bar.toml") + &format!("\n[cable.limits]\n{limit}\n");
        folder.write("limited.toml", text)
    };
    let rule = |json: &serde_json::Value, rule: &str| {
        let all = json["findings"].as_array().expect("a list");
        all.iter().find(|finding| finding["rule"] == rule).expect(rule).clone()
    };
    let free = flexline(&["check", BAR, "--json"]).good().json();
    assert_eq!(rule(&free, "clearance")["verdict"], "no_limit");
    let near = flexline(&["check", &limited("clearance = \"5 mm\""), "--json"]).expect(6).json();
    assert_eq!(rule(&near, "clearance")["verdict"], "fail");
    let hard = flexline(&["check", &limited("contact_force = \"0.5 N\""), "--json"]).expect(6).json();
    assert_eq!(rule(&hard, "contact_force")["verdict"], "fail");
    let line = flexline(&["check", &limited("contact_pressure = \"50 N/m\""), "--json"]).expect(6).json();
    let pressed = rule(&line, "contact_pressure");
    assert_eq!(pressed["verdict"], "fail");
    // The whole of it on a stretch as long as the hose is thick.
    let force = number(&rule(&hard, "contact_force")["value"]);
    assert!((number(&pressed["value"]) - force / 0.0105).abs() < 1e-6, "{pressed}");
    let soft = flexline(&["check", &limited("contact_force = \"5 N\""), "--json"]).good().json();
    assert_eq!(rule(&soft, "contact_force")["verdict"], "pass");
}

#[test]
fn meshes_that_are_missing_or_broken_are_told() {
    let folder = Folder::new();
    let text = scene("contact/hose-over-a-bracket.toml");
    let path = folder.write("scene.toml", &text);
    let told = flexline(&["solve", &path]).refused(3);
    told.complains(&["obstacle 'bracket'", "angle-bracket.obj", "there is no such file", "scene.toml:22"]);
    std::fs::create_dir_all(folder.path().join("meshes")).expect("a folder");
    folder.write("meshes/angle-bracket.obj", "v 0 0\n");
    flexline(&["solve", &path]).refused(3).complains(&["line 1 of the mesh"]);
    folder.write("meshes/angle-bracket.obj", "v -100 -90 0\nv 100 -90 0\nv 0 90 0\nf 1 2 3\nf 1 2 3\n");
    let noted = flexline(&["solve", &path]).good().stdout;
    assert!(noted.contains("note: the mesh of obstacle 'bracket' has 1 triangle twice"), "{noted}");
    assert!(noted.contains("3 open edges"), "{noted}");
}

#[test]
fn obstacles_are_drawn() {
    let folder = Folder::new();
    let drawn = |path: &str| {
        let out = folder.file("picture.svg");
        flexline(&["plot", path, "--view", "perspective", "--out", &out]).good();
        std::fs::read_to_string(&out).expect("a picture")
    };
    let (bare, _) = scene("hose-over-a-bar.toml")
        .split_once("[[obstacle]]")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .expect("an obstacle");
    let without = drawn(&folder.write("bare.toml", bare));
    let with = drawn(BAR);
    assert!(with.matches("<path").count() > without.matches("<path").count() + 100);
    assert!(with.contains("0.745 N") && !without.contains(" N<"), "the force is an arrow with its size");
}

#[test]
fn obstacles_are_moved_by_commands() {
    let folder = Folder::new();
    let out = folder.file("higher.toml");
    let lift = r#"{"do": "move", "name": "bar", "by": [0, 0, "40 mm"]}"#;
    let told = flexline(&["edit", BAR, "--do", lift, "-o", &out]).good().stdout;
    assert!(
        told.contains("obstacle 'bar' moved to (260 mm, 0 mm, -10 mm)") && told.contains("converged"),
        "{told}"
    );
    let [low, high] = [BAR, &out].map(|path| {
        let json = flexline(&["solve", path, "--json"]).good().json();
        number(&json["contacts"][0]["position"][2])
    });
    assert!(high > low + 0.03, "{low} {high}");
}

/// A hose that is let go on a rough ramp stays; with less friction it slides down, as g (sin α − µ cos α) says.
#[test]
fn a_hose_on_a_ramp_sticks_or_slides_in_motion() {
    let folder = Folder::new();
    let text = scene("contact/hose-on-a-ramp.toml");
    let path = folder.write("ramp.toml", text.clone());
    let options = [
        "--release",
        "start",
        "--duration",
        "0.5",
        "--step",
        "0.01",
        "--drag",
        "0",
        "--out",
        "a.run",
        "--json",
    ];
    let run = |path: &str| folder.flexline(&[&["simulate", path][..], &options].concat()).good().json();
    let held = run(&path);
    let told = [
        "format",
        "run",
        "status",
        "time",
        "frames",
        "energies",
        "work",
        "dissipated",
        "numerical_dissipation",
        "rules",
    ];
    let touched = ["contacts", "penetration", "contact_residual", "friction_work", "chafing", "peaks"];
    keys(&held, &[&told[..], &touched].concat());
    let contacts = held["contacts"].as_array().expect("a list");
    assert!(!contacts.is_empty());
    for contact in contacts {
        keys(contact, &["a", "b", "at", "position", "normal", "gap", "force", "pressure", "state", "slip"]);
        assert_eq!((&contact["b"], &contact["state"]), (&"ramp".into(), &"stick".into()));
    }
    assert!(number(&held["penetration"]) < 1e-7 && number(&held["contact_residual"]) < 1e-4, "{held}");
    assert!(number(&held["energies"]["kinetic"]) < 1e-9, "{held}");
    let slippery = text.replace("friction = 0.45", "friction = 0.2");
    let slid = run(&folder.write("slippery.toml", slippery));
    // It has rubbed all along, as much as friction took.
    let crept = held["chafing"].as_array().expect("a list");
    assert!(crept.iter().all(|place| number(&place["way"]) < 1e-6), "{held}");
    let chafed = slid["chafing"].as_array().expect("a list");
    let work: f64 = chafed.iter().map(|place| number(&place["work"])).sum();
    assert!((work / number(&slid["friction_work"]) - 1.0).abs() < 0.01, "{work} {}", slid["friction_work"]);
    assert_eq!((chafed.len(), &chafed[0]["against"]), (1, &"ramp".into()));
    assert!(number(&chafed[0]["way"]) > 0.15 && number(&slid["peaks"]["pressure"]["value"]) > 0.9, "{slid}");
    let share = number(&slid["energies"]["kinetic"]) / number(&slid["friction_work"]);
    let exact = 0.342_020_143 / (0.2 * 0.939_692_621) - 1.0;
    assert!((share / exact - 1.0).abs() < 0.01, "{share} {exact}");
    assert!(slid["contacts"].as_array().expect("a list").iter().all(|c| c["state"] == "slip"));
    let table = folder.flexline(&[&["simulate", &path][..], &options[..10]].concat()).good().stdout;
    assert!(table.contains("work of friction on obstacles"), "{table}");
    let csv = [&["simulate", &path][..], &options[..10], &["--contacts", "contacts.csv"]].concat();
    folder.flexline(&csv).good();
    let csv = std::fs::read_to_string(folder.path().join("contacts.csv")).expect("a table");
    assert!(csv.starts_with(
        "time_s,a,b,at_m,x_m,y_m,z_m,normal_force_N,friction_N,pressure_N/m,gap_m,state,slip_m\n"
    ));
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert!(rows.len() > 300 && rows.iter().all(|row| row.split(',').count() == 13), "{}", rows.len());
    let other = [&["simulate", &path][..], &options, &["--integrator", "semi-implicit"]].concat();
    assert!(folder.flexline(&other).expect(3).stderr.contains("knows no obstacles"));
}

/// How near cables are to each other is told where they may touch, and a hose that two plates squeeze is pressed by each.
#[test]
fn neighbours_are_told() {
    let folder = Folder::new();
    let cable = |name: &str, z: f64| {
        format!(
            "[[port]]\nname = \"{name} a\"\nposition = [0, 0, {z}]\ntangent = [1, 0, 0]\n\
             [[port]]\nname = \"{name} b\"\nposition = [0.2, 0, {z}]\ntangent = [1, 0, 0]\n\
             [[cable]]\nname = \"{name}\"\nlength = 0.2\npart = \"brake-hose\"\nfrom = \"{name} a\"\nto = \"{name} b\"\n"
        )
    };
    let text = format!(
        "version = 1\n[world]\ngravity = \"none\"\ncontact = true\n{}{}",
        cable("low", 0.0),
        cable("high", 0.03)
    );
    let path = folder.write("pair.toml", text);
    let json = flexline(&["solve", &path, "--json"]).good().json();
    let near = json["clearances"].as_array().expect("a list");
    assert_eq!(near.len(), 1, "{near:?}");
    assert_eq!((&near[0]["a"], &near[0]["b"]), (&"low".into(), &"high".into()));
    assert!((number(&near[0]["gap"]) - (0.03 - 0.0105)).abs() < 1e-9, "{near:?}");
    let table = flexline(&["solve", &path]).good().stdout;
    assert!(table.contains("cable 'low' beside cable 'high'") && table.contains("19.500 mm away"), "{table}");
    let out = folder.file("pair.json");
    flexline(&["solve", &path, "--out", &out]).good();
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&out).expect("a file")).expect("JSON");
    let sample = &json["cables"][1]["samples"][7];
    assert!((number(&sample["clearances"]["cable low"]) - 0.0195).abs() < 1e-9, "{sample}");
    assert_eq!(number(&sample["contact_pressure"]), 0.0);
    let plates = flexline(&["check", "scenes/contact/hose-between-plates.toml", "--json"]).good().json();
    let force = plates["cables"][0]["findings"].as_array().expect("a list");
    let force = force.iter().find(|own| own["rule"] == "contact_force").expect("a rule");
    assert!(number(&force["value"]) > 1.0, "{force}");
}
