//! Bundles: wires, tape and conduit that cables are made of by name; and the harness data that a scene came from.

use super::names;
use crate::diagnostic::Code;
use crate::model::{BundleSpec, KblOrigin};
use crate::reader::{Bounds, Table};
use crate::suggest;
use crate::units::Dimension;
use crate::words::quote;
use flexline::section::{Bundle, Conduit, Core, Material, Tape, Wire, find_material, materials};

pub(super) const BUNDLE: &[&str] = &["name", "wire", "tape", "conduit", "fill", "bond", "diameter"];
pub(super) const WIRE: &[&str] =
    &["count", "diameter", "gauge", "material", "bend", "twist", "mass_per_length", "bend_radius"];
pub(super) const TAPE: &[&str] = &["thickness", "material", "mass_per_length"];
pub(super) const CONDUIT: &[&str] =
    &["outer_diameter", "inner_diameter", "wall", "slit", "material", "bend", "twist", "mass_per_length"];
pub(super) const KBL: &[&str] = &["file", "modules", "rest"];

/// No more wires in a bundle than this.
const MOST: usize = 100_000;
const SHARE: Bounds = Bounds::Within(0.0, 1.0, "expected a share above 0 and at most 1");

/// Reads `[[bundle]]` of any scene; `None` where one is wrong.
pub(super) fn read(root: &Table) -> Option<Vec<BundleSpec>> {
    let tables = root.children("bundle", BUNDLE);
    let bundles: Vec<Option<BundleSpec>> = tables.iter().map(read_bundle).collect();
    for (i, (table, own)) in tables.iter().zip(&bundles).enumerate() {
        let Some(own) = own else { continue };
        if bundles[..i].iter().flatten().any(|other| other.name == own.name) {
            let message = format!("\"{}\" is the name of another bundle", quote(&own.name));
            table.report(Code::Conflict, "name", message, "give each bundle a name of its own");
        }
    }
    bundles.into_iter().collect()
}

fn read_bundle(table: &Table) -> Option<BundleSpec> {
    let name = names::read(table);
    if !table.has("wire") {
        let help = "say what is in it: wire = [{ count = 12, gauge = \"0.5 mm^2\", diameter = \"1.6 mm\" }]";
        table.report_missing("wire", help);
    }
    let wires: Option<Vec<Wire>> = table.children("wire", WIRE).iter().map(read_wire).collect();
    let tape = table.child("tape", TAPE).map(|own| read_tape(&own));
    let conduit = table.child("conduit", CONDUIT).map(|own| read_conduit(&own));
    let standard = Bundle::of(Vec::new());
    let share = |key: &str, or: f64| match table.has(key) {
        true => table.quantity(key, Dimension::Ratio, SHARE),
        false => Some(or),
    };
    let fill = share("fill", standard.fill);
    let bond = match table.has("bond") {
        true => {
            let bounds = Bounds::Within(-1e-300, 1.0, "expected 0 (wires slip) to 1 (wires bonded)");
            table.quantity("bond", Dimension::Ratio, bounds)
        }
        false => Some(standard.bond),
    };
    let diameter = table.quantity("diameter", Dimension::Length, Bounds::Positive);
    if ["tape", "conduit", "diameter"].iter().any(|key| {
        table.has(key)
            && match *key {
                "tape" => tape.as_ref().is_none_or(Option::is_none),
                "conduit" => conduit.as_ref().is_none_or(Option::is_none),
                _ => diameter.is_none(),
            }
    }) {
        return None;
    }
    let bundle = Bundle {
        wires: wires?,
        tape: tape.flatten(),
        conduit: conduit.flatten(),
        fill: fill?,
        bond: bond?,
        diameter,
    };
    let name = name?;
    if let Err(error) = bundle.section() {
        table.report(
            Code::OutOfRange,
            "wire",
            error.to_string(),
            "correct the wires, tape or conduit of the bundle",
        );
        return None;
    }
    Some(BundleSpec { name, bundle })
}

fn read_wire(table: &Table) -> Option<Wire> {
    let count = table
        .integer("count", 1..=MOST, "; 1 where it is left out")
        .or_else(|| if table.has("count") { None } else { Some(1) });
    let diameter = table.required("diameter", Dimension::Length, Bounds::Positive);
    let core = match table.one_of(&["gauge", "material", "bend"]) {
        Some("gauge") => table.quantity("gauge", Dimension::Area, Bounds::Positive).map(Core::Copper),
        Some("material") => material(table).map(Core::Solid),
        Some(_) => {
            let bend = table.quantity("bend", Dimension::Stiffness, Bounds::Positive);
            let twist = table.required("twist", Dimension::Stiffness, Bounds::Positive);
            bend.zip(twist).map(|(bend, twist)| Core::Measured { bend, twist })
        }
        None => {
            let help =
                "say what carries: gauge = \"0.5 mm^2\" of copper, a material, or bend and twist as measured";
            table.report_missing("gauge", help);
            None
        }
    };
    if !table.has("bend") {
        table.refuse(&["twist"], "goes with `bend`", "give both as measured, or leave it out");
    }
    let mass_per_length = table.quantity("mass_per_length", Dimension::MassPerLength, Bounds::NotNegative);
    let bend_radius = table.quantity("bend_radius", Dimension::Length, Bounds::Positive);
    Some(Wire { count: count?, diameter: diameter?, core: core?, mass_per_length, bend_radius })
}

fn read_tape(table: &Table) -> Option<Tape> {
    let thickness = table.required("thickness", Dimension::Length, Bounds::Positive);
    let material = if table.has("material") { material(table) } else { find_material("pvc-soft").cloned() };
    let mass_per_length = table.quantity("mass_per_length", Dimension::MassPerLength, Bounds::NotNegative);
    Some(Tape { thickness: thickness?, material: material?, mass_per_length })
}

fn read_conduit(table: &Table) -> Option<Conduit> {
    let outer = table.required("outer_diameter", Dimension::Length, Bounds::Positive);
    let inner = table.required("inner_diameter", Dimension::Length, Bounds::Positive);
    let wall = table.quantity("wall", Dimension::Length, Bounds::Positive);
    let slit = table.boolean("slit").unwrap_or(false);
    let measured = table.has("bend").then(|| {
        let bend = table.quantity("bend", Dimension::Stiffness, Bounds::Positive);
        bend.zip(table.required("twist", Dimension::Stiffness, Bounds::Positive)).map(|(a, b)| [a, b])
    });
    if !table.has("bend") {
        table.refuse(&["twist"], "goes with `bend`", "give both as measured, or leave it out");
    }
    let material = match (table.has("material"), &measured) {
        (true, _) => material(table),
        // It counts for the mass alone, where that is not given.
        (false, Some(_)) => find_material("pa6").cloned(),
        (false, None) => {
            table.report_missing(
                "material",
                "name one of the library, material = \"pa6\", or give bend and twist as measured",
            );
            None
        }
    };
    let mass_per_length = table.quantity("mass_per_length", Dimension::MassPerLength, Bounds::NotNegative);
    let (outer, inner) = (outer?, inner?);
    let thick = 0.5 * (outer - inner);
    if thick <= 0.0 || wall.is_some_and(|wall| wall > thick * (1.0 + 1e-9)) {
        let key = if thick > 0.0 { "wall" } else { "inner_diameter" };
        let message = format!("{} does not fit into the conduit", table.words(key));
        let help = "expected a bore less than the outer diameter, and a wall of at most half the difference; of a corrugated one less";
        table.report(Code::OutOfRange, key, message, help);
        return None;
    }
    let measured = match measured {
        Some(own) => Some(own?),
        None => None,
    };
    if table.has("wall") {
        wall?;
    }
    let wall = wall.unwrap_or(thick).min(thick);
    Some(Conduit { outer, inner, wall, slit, material: material?, measured, mass_per_length })
}

/// The material that a table names.
fn material(table: &Table) -> Option<Material> {
    let name = table.string("material")?;
    let found = find_material(name).cloned();
    if found.is_none() {
        let names = || materials().iter().map(|own| &*own.name);
        let message =
            format!("{} = \"{}\" is not in the library of materials", table.words("material"), quote(name));
        let help = match suggest::nearest(name, names()) {
            Some(near) => format!("did you mean \"{near}\"? `flexline materials` lists every material"),
            None => format!("the library has {}", names().collect::<Vec<_>>().join(", ")),
        };
        table.report(Code::UnknownName, "material", message, help);
    }
    found
}

/// Reads `[kbl]`: the harness data that the scene was made of.
pub(super) fn read_origin(root: &Table) -> Option<Option<KblOrigin>> {
    if !root.has("kbl") {
        return Some(None);
    }
    let table = root.child("kbl", KBL)?;
    if !table.has("file") {
        table.report_missing("file", "name the file beside the scene: file = \"door.kbl\"");
    }
    let rest = table.choice("rest", &[("drawn", false), ("straight", true)]);
    let modules = table.strings("modules", "ids of modules").unwrap_or_default();
    Some(Some(KblOrigin { file: table.string("file")?.into(), modules, straight: rest.unwrap_or(false) }))
}
