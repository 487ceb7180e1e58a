//! `flexline materials`: the library of parts and materials, with sources.

use crate::bundles;
use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use clap::Args;
use flexline::section::{BendLimit, Material, Part, RadiusReference, StiffnessSource};
use flexline::section::{find_material, find_part, materials, parts};
use flexline_scene::{Scene, nearest};
use serde_json::json;
use std::path::PathBuf;

/// List the parts and materials of the library, or show one with its source
#[derive(Args)]
pub struct Materials {
    /// Part or material to show
    name: Option<String>,
    /// The bundles of a scene instead: what their wires come to, with the range of their stiffness
    #[arg(long, value_name = "SCENE", conflicts_with = "name")]
    scene: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Materials) -> Result<u8, Failure> {
    if let Some(path) = &args.scene {
        let scene = Scene::load(path)?;
        if args.json {
            print_json(&json!({ "bundles": bundles::told(&scene) }));
        } else if scene.bundles.is_empty() {
            print(&format!("{} has no bundles\n", path.display()));
        } else {
            bundles::print_all(&scene);
        }
        return Ok(GOOD);
    }
    match &args.name {
        None if args.json => print_json(&json!({ "parts": parts(), "materials": materials() })),
        None => list(),
        Some(name) => match (find_part(name), find_material(name)) {
            (Some(part), _) if args.json => print_json(&json!(part)),
            (Some(part), _) => show_part(part),
            (None, Some(material)) if args.json => print_json(&json!(material)),
            (None, Some(material)) => show_material(material),
            (None, None) => {
                let known: Vec<&str> =
                    parts().iter().map(|p| p.id).chain(materials().iter().map(|m| &*m.name)).collect();
                let meant = nearest(name, known.iter().copied())
                    .map_or(String::new(), |near| format!("did you mean '{near}'? "));
                return Err(Failure::Input(format!(
                    "no part or material is named '{name}'\n  {meant}There are: {}",
                    known.join(", ")
                )));
            }
        },
    }
    Ok(GOOD)
}

/// What is said of a limit that a part does not have.
const UNKNOWN: &str = "no limit known";

/// A bend limit in millimetres, with the place where it is measured; the short form has a head for the unit.
fn bend(limit: Option<BendLimit>, short: bool) -> String {
    match limit {
        None if short => "-".to_string(),
        None => UNKNOWN.to_string(),
        Some(l) if short => {
            let place = if l.reference == RadiusReference::Inner { "inner" } else { "centre" };
            format!("{:.1} {place}", 1e3 * l.radius)
        }
        Some(l) => format!("at least {:.1} mm {}", 1e3 * l.radius, l.reference.words()),
    }
}

fn list() {
    let mut table = Table::new(&[
        "part",
        "Ø mm",
        "g/m",
        "K1 N m²",
        "K3 N m²",
        "source",
        "R static mm",
        "R dynamic mm",
        "name",
    ]);
    for p in parts() {
        let s = &p.section;
        table.row(&[
            p.id.to_string(),
            format!("{:.3}", 1e3 * p.outer_diameter),
            format!("{:.3}", 1e3 * s.mass_per_length),
            format!("{:.2e}", s.stiffness.x),
            format!("{:.2e}", s.stiffness.z),
            source(s.source).to_string(),
            bend(s.limits.bend_static, true),
            bend(s.limits.bend_dynamic, true),
            p.name.to_string(),
        ]);
    }
    table.print();
    print("\n");
    let mut table = Table::new(&["material", "E MPa", "ν", "ρ kg/m³"]);
    for m in materials() {
        table.row(&[
            m.name.to_string(),
            format!("{:.4}", 1e-6 * m.youngs_modulus),
            format!("{:.2}", m.poisson),
            format!("{:.0}", m.density),
        ]);
    }
    table.print();
    print("\n`flexline materials NAME` shows a part or material with its source.\n");
}

fn source(source: StiffnessSource) -> &'static str {
    match source {
        StiffnessSource::Measured => "measured",
        StiffnessSource::Estimate => "estimate",
    }
}

fn show_part(p: &Part) {
    let s = &p.section;
    let (k, limits) = (s.stiffness, &s.limits);
    print(&format!("{} ({})\n\n", p.name, p.id));
    let mut t = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| t.row(&[name.to_string(), value]);
    row("outer diameter", format!("{:.3} mm", 1e3 * p.outer_diameter));
    row("mass per length", format!("{:.3} g/m", 1e3 * s.mass_per_length));
    row("stiffness K1, K2, K3", format!("{:.3e}, {:.3e}, {:.3e} N m² ({})", k.x, k.y, k.z, source(s.source)));
    row("bend radius static", bend(limits.bend_static, false));
    row("bend radius dynamic", bend(limits.bend_dynamic, false));
    row("largest tension", limits.tension.map_or_else(|| UNKNOWN.to_string(), |v| format!("{v:.1} N")));
    row(
        "largest twist",
        limits.twist.map_or_else(|| UNKNOWN.to_string(), |v| format!("{:.0} °/m", v.to_degrees())),
    );
    t.print_plain();
    print(&format!("\nSource: {}\n", p.source));
    if !p.note.is_empty() {
        print(&format!("Note: {}\n", p.note));
    }
}

fn show_material(m: &Material) {
    print(&format!("{}\n\n", m.name));
    let mut t = Table::new(&["", ""]);
    t.row(&["Young's modulus".to_string(), format!("{:.4e} Pa", m.youngs_modulus)]);
    t.row(&["Poisson's ratio".to_string(), format!("{:.3}", m.poisson)]);
    t.row(&["density".to_string(), format!("{:.0} kg/m³", m.density)]);
    t.print_plain();
    print(&format!("\nSource: {}\n", m.source));
}
