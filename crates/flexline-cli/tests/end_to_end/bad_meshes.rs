//! Obstacles that are wrong, or not quite right: each is refused or kept, and told, and nothing crashes.

use crate::support::{Folder, Outcome};

const SCENE: &str = r#"version = 1
[cable]
name = "hose"
part = "brake-hose"
length = "300 mm"
segments = 20
[start]
hold = "clamped"
position = ["-100 mm", 0, "60 mm"]
tangent = [1, 0, 0]
[end]
hold = "free"
[[obstacle]]
name = "block"
mesh = "block.obj"
unit = "mm"
"#;

/// Corners and triangles of a block of 100 by 100 by 40 mm.
fn block() -> (Vec<String>, Vec<[usize; 3]>) {
    let (low, high) = ([-50, -50, -20], [50, 50, 20]);
    let corner = |i: usize| {
        let at = |axis: usize| if i >> axis & 1 == 1 { high[axis] } else { low[axis] };
        format!("v {} {} {}", at(0), at(1), at(2))
    };
    let faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    let halves = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    ((0..8).map(corner).collect(), halves.collect())
}

fn obj(corners: &[String], triangles: &[[usize; 3]]) -> String {
    let faces = triangles.iter().map(|[a, b, c]| format!("f {a} {b} {c}"));
    corners.iter().cloned().chain(faces).collect::<Vec<_>>().join("\n") + "\n"
}

fn prints(outcome: &Outcome, pieces: &[&str]) {
    for piece in pieces {
        assert!(outcome.stdout.contains(piece), "{piece}\n{}", outcome.stdout);
    }
}

fn solved(scene: &str, mesh: Option<&str>) -> Outcome {
    let folder = Folder::new();
    folder.write("scene.toml", scene);
    if let Some(mesh) = mesh {
        folder.write("block.obj", mesh);
    }
    folder.flexline(&["solve", "scene.toml"])
}

#[test]
fn meshes_that_are_none_are_refused_with_their_place() {
    let (corners, triangles) = block();
    let mut broken = corners.clone();
    for number in ["nan", "1e999"] {
        broken[0] = format!("v {number} 0 0");
        let told = solved(SCENE, Some(&obj(&broken, &triangles))).refused(3);
        told.complains(&["obstacle 'block'", "block.obj", "line 1", number, "finite"]);
    }
    solved(SCENE, Some(&obj(&corners, &[]))).refused(3).complains(&["block.obj", "no triangles"]);
    solved(SCENE, Some("")).refused(3).complains(&["block.obj", "expected"]);
    solved(SCENE, None).refused(3).complains(&["block.obj", "there is no such file"]);
}

#[test]
fn meshes_that_serve_all_the_same_are_told() {
    let (corners, triangles) = block();
    let inverted: Vec<[usize; 3]> = triangles.iter().map(|[a, b, c]| [*c, *b, *a]).collect();
    let twice: Vec<[usize; 3]> = triangles.iter().chain(&triangles[..4]).copied().collect();
    for (wrong, told) in [
        (&inverted[..], "inside out"),
        (&twice[..], "4 triangles twice, left out once each"),
        (&triangles[2..], "4 open edges: it has no inside"),
    ] {
        let outcome = solved(SCENE, Some(&obj(&corners, wrong))).good();
        prints(&outcome, &["converged", "note: the mesh of obstacle 'block'", told]);
    }
    let outcome = solved(SCENE, Some(&obj(&corners, &triangles))).good();
    assert!(!outcome.stdout.contains("note:"), "{}", outcome.stdout);
}

#[test]
fn a_mesh_that_was_changed_since_it_was_saved_is_told() {
    let (corners, triangles) = block();
    let folder = Folder::new();
    folder.write("scene.toml", SCENE);
    folder.write("block.obj", obj(&corners, &triangles));
    let longer = r#"{"do": "set-length", "cable": "hose", "by": "10 mm"}"#;
    folder.flexline(&["edit", "scene.toml", "--do", longer]).good();
    let same = folder.flexline(&["solve", "scene.toml"]).good();
    assert!(!same.stdout.contains("another than"), "{}", same.stdout);
    let mut other = corners;
    other[7] = "v 50 50 21".into();
    folder.write("block.obj", obj(&other, &triangles));
    let told = folder.flexline(&["solve", "scene.toml"]).good();
    prints(&told, &["note: the mesh of obstacle 'block' is another than when the scene was saved"]);
}

#[test]
fn friction_below_zero_and_ends_inside_solids_are_refused() {
    let (corners, triangles) = block();
    let mesh = obj(&corners, &triangles);
    let told = solved(&format!("{SCENE}friction = -0.3\n"), Some(&mesh)).refused(3);
    told.complains(&["obstacle 'block'", "`friction` = -0.3", "must not be negative"]);
    let inside = SCENE.replace("\"-100 mm\", 0, \"60 mm\"", "0, 0, 0");
    solved(&inside, Some(&mesh)).refused(3).complains(&["start holds a cable inside obstacle 'block'"]);
}

#[test]
fn parts_that_are_welded_into_each_other_are_told() {
    let part = |name: &str, x: f64| {
        format!(
            "[[part]]\nname = \"{name}\"\nhold = \"fixed\"\nposition = [{x}, 0, 0]\n\
             [[obstacle]]\nname = \"box of {name}\"\nshape = \"box\"\nsize = [0.04, 0.04, 0.04]\non = \"{name}\"\n"
        )
    };
    let rest = "version = 1\n[[port]]\nname = \"a\"\nposition = [-0.1, 0, 0.06]\ntangent = [1, 0, 0]\n\
                [[cable]]\nname = \"hose\"\npart = \"brake-hose\"\nlength = 0.3\nfrom = \"a\"\nto = \"free\"\n";
    let welded = solved(&format!("{rest}{}{}", part("p", 0.0), part("q", 0.01)), None).good();
    prints(&welded, &["obstacles 'box of p' and 'box of q' are in one another"]);
    let apart = solved(&format!("{rest}{}{}", part("p", 0.0), part("q", 0.1)), None).good();
    assert!(!apart.stdout.contains("in one another"), "{}", apart.stdout);
}
