//! The bundles of a scene: what their wires come to, with the range of their stiffness.

use crate::output::{Table, print};
use flexline::section::BundleFigures;
use flexline_scene::Scene;
use schemars::JsonSchema;
use serde::Serialize;

/// Prints a table of them; nothing where there are none.
pub fn print_all(scene: &Scene) {
    if scene.bundles.is_empty() {
        return;
    }
    let heads =
        ["bundle", "wires", "Ø mm", "Ø of wires mm", "g/m", "K1 loose N m²", "taken", "bonded", "K3 taken"];
    let mut table = Table::new(&heads);
    for own in &scene.bundles {
        let Ok(f) = own.bundle.figures() else { continue };
        table.row(&[
            own.name.clone(),
            f.wires.to_string(),
            format!("{:.2}", 1e3 * f.diameter),
            format!("{:.2}", 1e3 * f.packed),
            format!("{:.1}", 1e3 * f.mass_per_length),
            format!("{:.2e}", f.bend_loose),
            format!("{:.2e}", f.bend),
            format!("{:.2e}", f.bend_bonded),
            format!("{:.2e}", f.twist),
        ]);
    }
    table.print();
    print("stiffness of bundles is an estimate between its bounds; measure it where it matters\n");
}

/// What is told of a bundle.
#[derive(Serialize, JsonSchema)]
pub struct BundleTold {
    /// Its name.
    name: String,
    /// What its wires come to.
    figures: BundleFigures,
}

/// The same for other programs.
pub fn told(scene: &Scene) -> Vec<BundleTold> {
    let one = |own: &flexline_scene::model::BundleSpec| {
        Some(BundleTold { name: own.name.clone(), figures: own.bundle.figures().ok()? })
    };
    scene.bundles.iter().filter_map(one).collect()
}
