//! Parts of scenes that cables may move and that have a shape.

use flexline::Vec3;
use flexline::solver::Status;
use flexline_scene::contact::Presser;
use flexline_scene::{Compiled, Scene, Solution};

/// A plug at the end of a lead, above a table.
const PLUG: &str = r#"version = 1
[[port]]
name = "hand"
position = ["-200 mm", 0, "90 mm"]
tangent = [1, 0, -0.3]
[[part]]
name = "plug"
position = ["60 mm", 0, "30 mm"]
mass = "45 g"
[[part.connector]]
name = "back"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[cable]]
name = "lead"
length = "280 mm"
part = "coax-rg58"
segments = 30
from = "hand"
to = "plug.back"
[[obstacle]]
name = "housing"
on = "plug"
shape = "box"
size = ["44 mm", "18 mm", "16 mm"]
[[obstacle]]
name = "table"
shape = "plane"
"#;

fn compiled(text: &str) -> Compiled {
    Scene::parse(text, "plug.toml").and_then(|s| s.compile()).unwrap_or_else(|e| panic!("{e}"))
}

fn solved(compiled: &Compiled) -> Solution {
    let solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::Converged);
    assert!(solution.report.penetration < 1e-9, "{:e}", solution.report.penetration);
    assert!(solution.report.contact_residual < 1e-6, "{:e}", solution.report.contact_residual);
    solution
}

/// The table carries what of the weight of plug and lead the hand does not; every shape does.
#[test]
fn a_plug_lies_on_a_table() {
    let box_shape = "shape = \"box\"\nsize = [\"44 mm\", \"18 mm\", \"16 mm\"]";
    for shape in [
        box_shape,
        "shape = \"sphere\"\nradius = \"9 mm\"",
        "shape = \"capsule\"\nradius = \"8 mm\"\nlength = \"20 mm\"\ntangent = [1, 0, 0]",
        "shape = \"cylinder\"\nradius = \"8 mm\"\nlength = \"40 mm\"\ntangent = [1, 0, 0]",
    ] {
        let text = PLUG.replace(box_shape, shape);
        let compiled = compiled(&text);
        let solution = solved(&compiled);
        let presses = compiled.part_presses(&solution);
        assert!(!presses.is_empty(), "{shape}");
        for press in &presses {
            assert_eq!((press.shape, press.by), (0, 1), "{shape}");
            assert!(press.position.z.abs() < 1e-9 && press.gap.abs() < 1e-9, "{shape}: {press:?}");
            assert!((press.normal - Vec3::z()).norm() < 1e-9, "{shape}: {press:?}");
        }
        let network = &compiled.network;
        let weight = network.gravity * (0.045 + network.spans[0].rod.total_mass());
        let on_cables: Vec3 = compiled.presses(&solution).iter().map(|press| press.force).sum();
        let on_part: Vec3 = presses.iter().map(|press| press.force).sum();
        let held: Vec3 = solution.report.reactions.iter().map(|own| own.force).sum();
        let left = weight + on_cables + on_part + held;
        assert!(left.norm() < 1e-6 * weight.norm(), "{shape}: {left}");
        // The lead leaves the housing from its middle, and does not touch it on its way out.
        assert!(compiled.presses(&solution).iter().all(|press| press.by != Presser::Obstacle(0)), "{shape}");
    }
}

/// A cable is held up by a part that another cable holds: what it loses, that feels.
#[test]
fn a_cable_lies_on_a_part_that_hangs() {
    let text = r#"version = 1
[[port]]
name = "ceiling"
position = [0, 0, "300 mm"]
tangent = [0, 0, -1]
[[port]]
name = "left"
position = ["-200 mm", 0, "10 mm"]
tangent = [1, 0, 0]
[[port]]
name = "right"
position = ["200 mm", 0, "10 mm"]
tangent = [1, 0, 0]
[[part]]
name = "weight"
position = [0, 0, "-5 mm"]
mass = "500 g"
[[part.connector]]
name = "top"
position = [0, 0, "60 mm"]
tangent = [0, 0, -1]
[[cable]]
name = "rope"
length = "245 mm"
part = "coax-rg58"
segments = 20
from = "ceiling"
to = "weight.top"
[[cable]]
name = "hose"
length = "410 mm"
part = "brake-hose"
segments = 40
from = "left"
to = "right"
passes_through = ["rope"]
[[obstacle]]
name = "hook"
on = "weight"
shape = "capsule"
radius = "10 mm"
length = "60 mm"
position = [0, 0, "-25 mm"]
tangent = [0, 1, 0]
"#;
    let compiled = compiled(text);
    let solution = solved(&compiled);
    let presses = compiled.presses(&solution);
    let on_hose: Vec3 = presses.iter().filter(|press| press.cable == 1).map(|press| press.force).sum();
    assert!(on_hose.z > 0.1, "{on_hose}");
    // All three ports carry all three weights.
    let network = &compiled.network;
    let masses: f64 = network.spans.iter().map(|span| span.rod.total_mass()).sum();
    let weight = network.gravity * (0.5 + masses);
    let held: Vec3 = solution.report.reactions.iter().map(|own| own.force).sum();
    assert!((held + weight).norm() < 1e-6 * weight.norm(), "{held} {weight}");
    // And the ceiling what the hose leaves on the hook.
    let rope = network.gravity * (0.5 + network.spans[0].rod.total_mass());
    let ceiling = solution.report.reactions[0].force;
    assert!((ceiling + rope - on_hose).norm() < 1e-6 * weight.norm(), "{ceiling} {rope} {on_hose}");
}

/// What begins in something is told, and what has no shape.
#[test]
fn parts_that_begin_in_something_or_have_no_shape_are_told() {
    let sunk = PLUG.replace("position = [\"60 mm\", 0, \"30 mm\"]", "position = [\"60 mm\", 0, \"-3 mm\"]");
    let notes = compiled(&sunk).mesh_notes().join("\n");
    assert!(
        notes.contains("obstacles 'housing' and 'table' are in one another: where the part is put"),
        "{notes}"
    );
    assert!(compiled(PLUG).mesh_notes().is_empty());
    // And a part without a shape among obstacles.
    let bare = PLUG.replace("on = \"plug\"\n", "position = [0, \"1 m\", \"1 m\"]\n");
    let notes = compiled(&bare).mesh_notes().join("\n");
    assert!(notes.contains("part 'plug' has no shape and passes through obstacles"), "{notes}");
}
