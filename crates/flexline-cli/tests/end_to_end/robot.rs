//! `flexline export` for MuJoCo and for what shows cables, `flexline import` of robots. What the files are worth other programs tell:
//! `cargo xtask judges`.

use crate::support::{Folder, flexline, scene};

#[test]
fn a_chain_has_an_angle_for_every_hinge_and_says_what_was_solved() {
    let folder = Folder::new();
    let file = folder.path().join("hose.xml").display().to_string();
    let told =
        flexline(&["export", "scenes/brake-hose.toml", "--to", &file, "--segments", "12"]).good().stdout;
    assert!(told.contains("13 bodies with three hinges a joint"), "{told}");
    let text = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(text.matches("type=\"capsule\"").count(), 1, "the class says it once");
    assert_eq!(text.matches("<geom fromto").count(), 13);
    assert_eq!(text.matches("stiffness=").count(), 36);
    let key = text.split("qpos=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a keyframe");
    assert_eq!(key.split(' ').filter(|word| word.parse::<f64>().is_ok()).count(), 36);
    for piece in ["<weld", "reaction:start", "nodes:brake hose|0", "mocap=\"true\""] {
        assert!(text.contains(piece), "no `{piece}`");
    }
    let json = flexline(&["export", "scenes/control-unit.toml", "--to", &file, "--json"]).good().json();
    assert_eq!(json["format"], "MJCF");
}

#[test]
fn what_has_no_counterpart_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let file = folder.path().join("a.xml");
    let name = file.display().to_string();
    let refused = flexline(&["export", "scenes/pulley.toml", "--to", &name]).refused(3);
    refused.complains(&["slides through eyes", "nothing is written"]);
    let refused =
        flexline(&["export", "scenes/brake-hose.toml", "--to", &name, "--segments", "600"]).refused(3);
    refused.complains(&["603 bodies", "--segments"]);
    assert!(!file.exists());
}

#[test]
fn tubes_come_back_and_motions_must_be_of_the_scene() {
    let folder = Folder::new();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let hose = "scenes/brake-hose.toml";
    flexline(&["export", hose, "--to", &at("a.glb"), "--colour", "curvature"]).good();
    let json = flexline(&["import", &at("a.glb"), "--json"]).good().json();
    // 101 rings of 16, two caps of 16 triangles.
    assert_eq!(json["parts"][0]["triangles"], 100 * 32 + 32);
    assert_eq!(json["parts"][0]["path"], "brake hose");
    flexline(&["simulate", hose, "--duration", "0.05", "--out", &at("a.run")]).good();
    let shown =
        flexline(&["export", hose, "--at", &at("a.run"), "--to", &at("b.glb"), "--json"]).good().json();
    assert!(shown["frames"].as_u64().expect("a number") >= 2);
    flexline(&["export", hose, "--at", &at("a.run"), "--to", &at("c.pvd")]).good();
    assert!(folder.path().join("c/00000.vtp").exists());
    let other = flexline(&["export", "scenes/cantilever.toml", "--at", &at("a.run"), "--to", &at("d.glb")])
        .refused(3);
    other.complains(&["'brake hose' with 101 nodes", "steel strip"]);
    flexline(&["export", hose, "--at", &at("a.run"), "--to", &at("d.vtp")]).refused(3).complains(&[".pvd"]);
    flexline(&["export", hose, "--physics", "--to", &at("d.glb")]).refused(3).complains(&[".usda"]);
    flexline(&["export", hose, "--at", &at("none.run"), "--to", &at("d.glb")])
        .refused(3)
        .complains(&["none.run"]);
}

#[test]
fn links_of_a_robot_are_obstacles() {
    let folder = Folder::new();
    let robot = "<robot name=\"r\"><link name=\"post\"><collision><origin xyz=\"9 0 0\"/><geometry><box size=\"1 1 1\"/></geometry></collision></link>\
        <link name=\"arm\"><visual><geometry><mesh filename=\"../arm.stl\"/></geometry></visual></link></robot>";
    let file = folder.write("r.urdf", robot);
    let told = flexline(&["import", &file]).good().stdout;
    for piece in ["URDF, 1 part", "m, by the file", "../arm.stl"] {
        assert!(told.contains(piece), "no `{piece}` in\n{told}");
    }
    let hose = folder.write("hose.toml", scene("brake-hose.toml"));
    let told = flexline(&["import", &file, "--each", "--to", &hose]).good().stdout;
    assert!(told.contains("obstacle 'post' written"), "{told}");
    let after = std::fs::read_to_string(&hose).expect("the scene");
    assert!(after.contains("[[obstacle]]") && after.contains("meshes/post.ply"), "{after}");
}

#[test]
fn a_cable_of_mujoco_becomes_a_scene() {
    let folder = Folder::new();
    let model = "<mujoco><worldbody><composite type=\"cable\" curve=\"s\" count=\"21 1 1\" size=\"1\" offset=\"0 0 1\" initial=\"none\">\
        <plugin plugin=\"mujoco.elasticity.cable\"><config key=\"twist\" value=\"2e7\"/><config key=\"bend\" value=\"4e7\"/></plugin>\
        <geom type=\"capsule\" size=\".005\"/></composite><geom size=\"1\"/></worldbody></mujoco>";
    let file = folder.write("m.xml", model);
    let told = flexline(&["import", &file]).good().stdout;
    assert!(told.contains("MJCF, 1 cable") && told.contains("geoms"), "{told}");
    let scene = folder.path().join("m.toml").display().to_string();
    flexline(&["import", &file, "--to", &scene]).good();
    flexline(&["solve", &scene]).good();
    flexline(&["import", &file, "--to", &scene]).refused(3).complains(&["there already"]);
    let none = folder.write("n.xml", "<mujoco><worldbody/></mujoco>");
    flexline(&["import", &none, "--to", &folder.file("n.toml")]).refused(3).complains(&["no cable"]);
}
