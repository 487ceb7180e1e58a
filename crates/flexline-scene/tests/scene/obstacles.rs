//! Obstacles of scenes: read, touched, told.

use flexline::Vec3;
use flexline::solver::Status;
use flexline_scene::check::{Rule, Verdict};
use flexline_scene::{Compiled, Folder, Scene, Solution};

/// A hose over a bar, its far end hanging free.
const BAR: &str = r#"version = 1
[cable]
part = "brake-hose"
length = "600 mm"
segments = 60
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
[end]
hold = "free"
[[obstacle]]
name = "bar"
shape = "cylinder"
radius = "15 mm"
length = "200 mm"
position = ["250 mm", 0, "-60 mm"]
tangent = [0, 1, 0]
"#;

/// The same between two ports.
const HARNESS: &str = r#"version = 1
[[port]]
name = "left"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[cable]]
name = "hose"
part = "brake-hose"
length = "600 mm"
segments = 60
from = "left"
to = "free"
"#;

/// A roof of two triangles, in millimetres, with a triangle twice and one without area.
const ROOF: &str = "v 0 -100 0\nv 0 100 0\nv 100 -100 -80\nv 100 100 -80\nv -100 -100 -80\nv -100 100 -80\nv 0 0 0\n\
                    f 1 3 2\nf 2 3 4\nf 1 2 5\nf 2 6 5\nf 2 6 5\nf 1 7 2\n";

fn compiled(text: &str) -> Compiled {
    Scene::parse(text, "bar.toml").and_then(|s| s.compile()).unwrap_or_else(|e| panic!("{e}"))
}

fn solved(compiled: &Compiled) -> Solution {
    let solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::Converged);
    solution
}

fn refused(text: &str) -> String {
    Scene::parse(text, "bar.toml").expect_err("refused").to_string()
}

#[test]
fn a_hose_rests_on_a_bar() {
    let compiled = compiled(BAR);
    let solution = solved(&compiled);
    let presses = compiled.presses(&solution);
    assert!(
        !presses.is_empty()
            && presses.iter().all(|p| compiled.presser(p.by) == "bar" && p.force.dot(&p.normal) > 0.0)
    );
    // Support, weight and bar balance.
    let push: Vec3 = presses.iter().map(|p| p.force).sum();
    let weight = compiled.network.gravity * compiled.network.spans[0].rod.total_mass();
    let total = push + weight + solution.report.reactions[0].force;
    assert!(total.norm() < 1e-9 * weight.norm(), "{total}");
    assert!(push.z > 0.1 * weight.norm());
    // It enters nothing, and lies on the bar with its own radius.
    assert!(solution.report.penetration < 1e-9 && solution.report.contact_residual < 1e-9);
    let near = compiled.clearances(&solution, 0);
    assert_eq!(near.len(), solution.profiles[0].samples.len());
    let least = compiled.least_clearance(&solution, 0).unwrap();
    assert!(least.gap.abs() < 1e-9, "{}", least.gap);
    // At its clamp it is as far from the round of the bar as the two are drawn apart.
    let expected = 0.25f64.hypot(0.06) - 0.015 - solution.profiles[0].samples[0].radius;
    assert!((near[0].gap - expected).abs() < 1e-12, "{} {expected}", near[0].gap);
}

#[test]
fn a_harness_touches_as_a_single_cable_does() {
    let obstacle = &BAR[BAR.find("[[obstacle]]").unwrap()..];
    let [one, many] = [compiled(BAR), compiled(&format!("{HARNESS}{obstacle}"))];
    let [a, b] = [solved(&one), solved(&many)];
    let [a, b] = [(&one, &a), (&many, &b)].map(|(c, s)| c.presses(s).iter().map(|p| p.force).sum::<Vec3>());
    assert!((a - b).norm() < 1e-8 * a.norm(), "{a} {b}");
}

#[test]
fn meshes_are_found_beside_the_scene() {
    let folder = std::env::temp_dir().join(format!("flexline-obstacles-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    std::fs::write(folder.join("meshes/roof.obj"), ROOF).unwrap();
    let shape = &BAR[BAR.find("shape =").unwrap()..BAR.find("position = [\"250").unwrap()];
    let text = BAR
        .replace(shape, "mesh = \"meshes/roof.obj\"\nunit = \"mm\"\n")
        .replace("tangent = [0, 1, 0]\n", "");
    std::fs::write(folder.join("scene.toml"), &text).unwrap();
    let scene = Scene::load(folder.join("scene.toml")).unwrap_or_else(|e| panic!("{e}"));
    let own = scene.compile().unwrap();
    let solution = solved(&own);
    assert!(!own.presses(&solution).is_empty() && solution.report.penetration < 1e-9);
    let notes = own.mesh_notes().join("\n");
    for told in ["obstacle 'bar'", "1 triangle without area", "1 triangle twice", "6 open edges"] {
        assert!(notes.contains(told), "{notes}");
    }
    // It is read once, and again when it is another.
    let again = scene.compile().unwrap();
    let mesh = |compiled: &Compiled| match &compiled.network.obstacles[0].shape {
        flexline::contact::Shape::Mesh(mesh) => mesh.clone(),
        other => panic!("{other:?}"),
    };
    assert!(std::sync::Arc::ptr_eq(&mesh(&own), &mesh(&again)));
    std::fs::write(folder.join("meshes/roof.obj"), format!("{ROOF}v 0 0 900\nf 1 2 8\n")).unwrap();
    assert_eq!(mesh(&scene.compile().unwrap()).triangles().len(), 5);
    std::fs::remove_file(folder.join("meshes/roof.obj")).unwrap();
    let gone = scene.compile().unwrap_err().to_string();
    assert!(
        gone.contains("obstacle 'bar': cannot read") && gone.contains("there are no meshes in"),
        "{gone}"
    );
    assert!(gone.contains("scene.toml:14:8"), "{gone}");
    std::fs::remove_dir_all(&folder).unwrap();
    // Of text alone nothing is known about files; some may be in memory.
    assert!(refused(&text).contains("did not come from a file"));
    let memory = Folder::default().with([("meshes/roof.obj".to_owned(), ROOF.as_bytes().into())]);
    assert!(Scene::parse_in(&text, "text", &memory).is_ok());
}

#[test]
fn what_does_not_go_with_obstacles_is_told() {
    let rough = BAR.replace("name = \"bar\"", "name = \"bar\"\nfriction = 0.3");
    let told = refused(&rough.replace("0.3", "-0.3"));
    assert!(told.contains("bar"), "{told}");
    assert!(
        refused(&BAR.replace("segments = 60", "accuracy = \"0.1 mm\"")).contains("does not see obstacles")
    );
    let method = format!("{BAR}[solve]\nmethod = \"integral-forces\"\n");
    assert!(refused(&method).contains("knows no obstacles"));
    let twice = format!("{BAR}{}", &BAR[BAR.find("[[obstacle]]").unwrap()..]);
    assert!(refused(&twice).contains("name of another obstacle"));
    let along = refused(&format!(
        "{BAR}[[obstacle]]\nname = \"beam\"\nshape = \"cylinder\"\nradius = 0.02\nlength = 0.4\nposition = [0, 0, -3]\naxis = [0, 1, 0]\n"
    ));
    assert!(along.contains("`angle` is missing") && along.contains("write `tangent`"), "{along}");
}

#[test]
fn a_hold_within_an_obstacle_is_told() {
    // The solver used to look for a way out for minutes.
    let inside = BAR.replace("position = [\"250 mm\", 0, \"-60 mm\"]", "position = [0, 0, \"-5 mm\"]");
    let told = refused(&inside);
    assert!(
        told.contains("start holds a cable inside obstacle 'bar'") && told.contains("bar.toml:8:12"),
        "{told}"
    );
    let beside = BAR.replace("position = [\"250 mm\", 0, \"-60 mm\"]", "position = [0, 0, \"-16 mm\"]");
    assert!(refused(&beside).contains("start holds a cable at obstacle 'bar'"));
    let obstacle = &inside[inside.find("[[obstacle]]").unwrap()..];
    assert!(
        refused(&format!("{HARNESS}{obstacle}")).contains("port 'left' holds a cable inside obstacle 'bar'")
    );
}

#[test]
fn the_thickest_zone_of_a_span_is_what_touches() {
    let zone = "[[cable.zone]]\nfrom = \"100 mm\"\nto = \"150 mm\"\noverride = { diameter = \"30 mm\" }\n";
    let text = BAR.replace("[start]", &format!("{zone}[start]"));
    assert_eq!(compiled(&text).network.spans[0].contact_radius, 0.015);
    let thin = compiled(BAR);
    assert_eq!(thin.network.spans[0].contact_radius, thin.cables[0].section.at(0.0).contact_radius);
}

/// A hose between two ports in a wall, which point away from it.
const WALL: &str = r#"version = 1
[[port]]
name = "above"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "below"
position = [0, 0, "-250 mm"]
tangent = [-1, 0, 0]
[[cable]]
name = "hose"
part = "brake-hose"
length = "450 mm"
segments = 60
from = "above"
to = "below"
[[obstacle]]
name = "wall"
shape = "plane"
tangent = [1, 0, 0]
"#;

#[test]
fn a_cable_leaves_the_wall_that_its_port_is_in() {
    let walled = compiled(WALL);
    let solution = solved(&walled);
    assert_eq!(walled.presses(&solution), []);
    // As without the wall, and its distance is told from where it is clear of it.
    let open = solved(&compiled(&WALL[..WALL.find("[[obstacle]]").unwrap()]));
    let places = |s: &Solution| s.profiles[0].samples.iter().map(|p| p.position).collect::<Vec<_>>();
    for (a, b) in places(&solution).iter().zip(places(&open)) {
        assert!((a - b).norm() < 1e-9, "{a} {b}");
    }
    let least = walled.least_clearance(&solution, 0).unwrap();
    assert!(least.gap > 0.0 && least.s > 0.005, "{least:?}");
    // Longer, it sags against the wall below the lower port, and stays out of it.
    let long = compiled(
        &WALL.replace("\"450 mm\"", "\"900 mm\"").replace("tangent = [-1, 0, 0]", "tangent = [-1, 0, 0.9]"),
    );
    let sagged = solved(&long);
    assert!(sagged.report.penetration < 1e-9);
}

#[test]
fn an_end_along_a_wall_or_deep_inside_is_told() {
    let along = WALL.replace("tangent = [-1, 0, 0]", "tangent = [0, 0, 1]");
    let told = refused(&along);
    assert!(told.contains("port 'below' holds a cable at obstacle 'wall'"), "{told}");
    assert!(told.contains("passes_through = [\"wall\"]"), "{told}");
    let deep = WALL.replace("position = [0, 0, 0]", "position = [\"-20 mm\", 0, 0]");
    assert!(refused(&deep).contains("port 'above' holds a cable inside obstacle 'wall'"));
    let into = WALL.replace("tangent = [1, 0, 0]\n[[port]]", "tangent = [-1, 0, 0]\n[[port]]");
    assert!(refused(&into).contains("port 'above' holds a cable at obstacle 'wall'"));
    // A mesh that is closed is solid too, however far its surface is away.
    let corners = "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n";
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    let folder =
        Folder::default().with([("room.obj".to_owned(), format!("{corners}{faces}").into_bytes().into())]);
    let room = WALL.replace("shape = \"plane\"\ntangent = [1, 0, 0]", "mesh = \"room.obj\"\nunit = \"m\"");
    let told = Scene::parse_in(&room, "room.toml", &folder)
        .and_then(|s| s.compile())
        .expect_err("refused")
        .to_string();
    assert!(told.contains("port 'above' holds a cable inside obstacle 'wall'"), "{told}");
    // What passes through it has no such trouble.
    let passing = along.replace("from =", "passes_through = [\"wall\"]\nfrom =");
    let compiled = compiled(&passing);
    let solution = solved(&compiled);
    assert_eq!(compiled.presses(&solution), []);
    assert_eq!(compiled.least_clearance(&solution, 0), None);
    let unknown = refused(&passing.replace("[\"wall\"]", "[\"wal\"]"));
    assert!(
        unknown.contains("\"wal\" is neither an obstacle nor a cable") && unknown.contains("did you mean")
    );
    assert!(
        refused(&passing.replace("[\"wall\"]", "\"wall\""))
            .contains("a list of names of obstacles and cables")
    );
}

/// Two hoses that cross, one of which sags onto the other, a little aside of its middle.
const CROSSING: &str = r#"version = 1
[world]
contact = true
[[port]]
name = "a"
position = ["-200 mm", 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "b"
position = ["200 mm", 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "c"
position = ["10 mm", "-200 mm", "-20 mm"]
tangent = [0, 1, 0]
[[port]]
name = "d"
position = ["10 mm", "200 mm", "-20 mm"]
tangent = [0, 1, 0]
[[cable]]
name = "upper"
part = "brake-hose"
length = "420 mm"
segments = 40
from = "a"
to = "b"
[[cable]]
name = "lower"
part = "brake-hose"
length = "405 mm"
segments = 40
from = "c"
to = "d"
"#;

#[test]
fn cables_touch_each_other_where_the_scene_says_so() {
    let touching = compiled(CROSSING);
    let solution = solved(&touching);
    let presses = touching.presses(&solution);
    assert!(!presses.is_empty(), "nothing touches");
    assert!(presses.iter().all(|p| touching.presser(p.by) == "lower" && p.gap.abs() < 1e-9), "{presses:?}");
    for loose in [
        CROSSING.replace("contact = true", "contact = false"),
        CROSSING.replace("from = \"a\"", "passes_through = [\"lower\"]\nfrom = \"a\""),
        CROSSING.replace("from = \"c\"", "passes_through = [\"upper\"]\nfrom = \"c\""),
    ] {
        let compiled = compiled(&loose);
        assert_eq!(compiled.presses(&solved(&compiled)), [], "{loose}");
    }
    // With an obstacle cables touch each other unless the scene says otherwise.
    let floor = "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\nposition = [0, 0, -1]\n";
    let plain = format!("{}{floor}", CROSSING.replace("contact = true\n", ""));
    let with_floor = compiled(&plain);
    assert_eq!(with_floor.presses(&solved(&with_floor)).len(), presses.len());
    let loose = compiled(&plain.replace("[world]\n", "[world]\ncontact = false\n"));
    assert_eq!(loose.presses(&solved(&loose)), []);
}

/// Of two cables the geometric mean of what they say counts, and what rubs stays within its cone.
#[test]
fn cables_rub_on_each_other() {
    let rough = CROSSING.replace("from = \"a\"", "friction = 0.4\nfrom = \"a\"");
    let rough = rough.replace("from = \"c\"", "friction = 0.1\nfrom = \"c\"");
    let touching = compiled(&rough);
    assert_eq!(touching.network.spans.iter().map(|span| span.friction).collect::<Vec<_>>(), [0.4, 0.1]);
    let report = solved(&touching).report;
    assert!(!report.contacts.is_empty() && report.contact_residual < 1e-6, "{}", report.contact_residual);
    for contact in &report.contacts {
        let along = contact.normal.dot(&contact.force);
        let rubs = (contact.force - contact.normal * along).norm();
        assert!(rubs <= 0.2 * along * (1.0 + 1e-6), "{rubs} N of {along} N");
    }
    let told = rough.replace("friction = 0.4", "friction = -1");
    assert!(Scene::parse(&told, "rough.toml").is_err(), "negative friction");
}

#[test]
fn scenes_with_obstacles_have_a_title_and_solve() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/contact");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    assert!(files.len() >= 5, "{files:?}");
    for path in files {
        let scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert!(scene.title.is_some() && scene.description.is_some(), "{}", path.display());
        let compiled = scene.compile().unwrap_or_else(|e| panic!("{e}"));
        let report = solved(&compiled).report;
        assert!(report.penetration < 1e-9 && report.contact_residual < 1e-6, "{}", path.display());
        // What is moved in time or by a script comes to touch on the way.
        let text = std::fs::read_to_string(&path).unwrap();
        let later = text.contains("[[motion]]") || text.contains(".jsonl");
        assert!(later || !report.contacts.is_empty(), "{}", path.display());
        assert_eq!(report.negative, 0, "{}: unstable", path.display());
    }
}

#[test]
fn clearance_is_judged_of_cables_too() {
    let verdict = |text: &str, cable: usize| {
        let compiled = compiled(text);
        let found = compiled.check(&solved(&compiled)).cables.remove(cable);
        let found = found.into_iter().find(|own| own.rule == Rule::Clearance)?;
        Some((found.verdict, found.value, found.detail))
    };
    let apart =
        CROSSING.replace("\"-20 mm\"", "\"-60 mm\"").replace("length = \"420 mm\"", "length = \"402 mm\"");
    let limited = apart.replace("from = \"c\"", "limits = { clearance = \"100 mm\" }\nfrom = \"c\"");
    // The pair is told of both, and judged by the limits of each.
    let (upper, gap, whom) = verdict(&limited, 0).unwrap();
    assert!(upper == Verdict::NoLimit && whom == "'lower'" && gap > 0.0 && gap < 0.07, "{gap} {whom}");
    let (lower, same, whom) = verdict(&limited, 1).unwrap();
    assert!(lower == Verdict::Fail && whom == "'upper'" && (same - gap).abs() < 1e-12, "{same} {whom}");
    assert_eq!(verdict(&limited.replace("contact = true", "contact = false"), 1), None);
}

/// A hose whose path leads over or under a bar between its ends.
fn along(length: &str, path: &str) -> (Compiled, Solution) {
    let held = BAR
        .replace("hold = \"free\"", "hold = \"clamped\"\nposition = [\"500 mm\", 0, 0]\ntangent = [1, 0, 0]")
        .replace("\"-60 mm\"", "0")
        .replace("600 mm", length)
        .replace("segments = 60", &format!("segments = 60\n{path}"));
    let compiled = compiled(&held);
    let solution = solved(&compiled);
    (compiled, solution)
}

#[test]
fn a_path_chooses_the_side() {
    let height = |path: &str| {
        let (_, solution) = along("600 mm", path);
        let samples = &solution.profiles[0].samples;
        samples[samples.len() / 2].position.z
    };
    let over = height(
        "path = [[\"120 mm\", 0, \"100 mm\"], [\"250 mm\", 0, \"120 mm\"], [\"380 mm\", 0, \"100 mm\"]]",
    );
    let under = height(
        "path = [[\"120 mm\", 0, \"-100 mm\"], [\"250 mm\", 0, \"-120 mm\"], [\"380 mm\", 0, \"-100 mm\"]]",
    );
    assert!(over > 0.015 && under < -0.015, "{over} {under}");
}

#[test]
fn a_path_may_wind_around_a_bar() {
    // Once around it, and back to where it goes.
    let points = (0..=8).map(|k| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 8.0).sin_cos();
        format!("[{}, {}, {}]", 0.25 + 0.03 * sin, 0.012 * f64::from(k) - 0.048, -0.03 * cos)
    });
    let path = points.collect::<Vec<_>>().join(", ");
    let (compiled, solution) = along("720 mm", &format!("path = [{path}]\npath_twist = \"0.2 turns\""));
    let turn = |w: &[flexline::solver::Sample]| {
        let [a, b] = [0, 1].map(|k| (w[k].position - Vec3::new(0.25, 0.0, 0.0)).xz());
        a.perp(&b).atan2(a.dot(&b)) / std::f64::consts::TAU
    };
    let turns: f64 = solution.profiles[0].samples.windows(2).map(turn).sum();
    // Passing below it makes half a turn, the loop a whole one.
    assert!(turns.abs() > 1.3, "{turns}");
    assert!(!compiled.presses(&solution).is_empty() && solution.report.penetration < 1e-9);
}

#[test]
fn paths_that_cannot_be_are_refused() {
    let wrong = |path: &str, expected: &str| {
        let text = BAR.replace("segments = 60", &format!("segments = 60\n{path}"));
        let error = Scene::parse(&text, "bar.toml").and_then(|s| s.compile()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    wrong("path = [[1, 0, 0], [2, 0, 0]]", "the path of cable 'cable' is 2000 mm long, the cable 600 mm");
    wrong("path = []", "has 0 points");
    wrong("path = [[0.1, 0, 0], [0.1, 0, 0]]", "is the same as the point before it");
    wrong("path = [[0.1, 0]]", "has 2 values");
    wrong("path_twist = 1", "`cable.path_twist` goes with `path`");
}
