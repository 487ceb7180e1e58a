//! What a stretch of cable is made of: `part`, `section`, `measured` or `bundle`, with `override` and `limits`.

use crate::diagnostic::Code;
use crate::model::{LimitChanges, MaterialSpec, Properties, SectionBase, SectionSpec};
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::millimetres;
use flexline::section::{RadiusReference, Shape};

pub(super) const SHAPE: &[&str] = &[
    "shape",
    "material",
    "youngs_modulus",
    "poisson",
    "density",
    "diameter",
    "radius",
    "outer_diameter",
    "outer_radius",
    "inner_diameter",
    "inner_radius",
    "width",
    "height",
];
pub(super) const PROPERTIES: &[&str] =
    &["bend", "bend1", "bend2", "twist", "mass_per_length", "diameter", "radius"];
pub(super) const LIMITS: &[&str] = &[
    "bend_radius_static",
    "bend_radius_dynamic",
    "bend_reference",
    "tension",
    "twist",
    "strain",
    "clearance",
    "contact_force",
    "contact_pressure",
    "chafing_work",
];

/// What a section comes from, one of these.
const SOURCES: [&str; 4] = ["part", "section", "measured", "bundle"];

/// Reads the section of the cable, or of a zone that else has the section of the cable.
pub(super) fn read(table: &Table, inherited: Option<&SectionSpec>) -> Option<SectionSpec> {
    let zone = table.may_have("taper");
    let base = match table.one_of(&SOURCES) {
        Some("part") => table.string("part").map(|id| SectionBase::Part(id.into())),
        Some("section") => table.child("section", SHAPE).and_then(|t| read_shape(&t)),
        Some("bundle") => table.string("bundle").map(|name| SectionBase::Bundle(name.into())),
        Some(_) => table.child("measured", PROPERTIES).and_then(|t| read_measured(&t)),
        None if zone => inherited.map(|s| s.base.clone()),
        None => {
            let help = "say what the cable is: part = \"brake-hose\" from the library, a [cable.section] with shape \
                        and material, [cable.measured] stiffness, or the name of a [[bundle]]";
            table.report_missing("part", help);
            None
        }
    };
    // A zone without a section of its own keeps the changes of the cable, too.
    let own = SOURCES.iter().any(|k| table.has(k));
    let before = inherited.filter(|_| !own);
    let changes = table.child("override", PROPERTIES).map(|t| read_properties(&t)).unwrap_or_default();
    let limits = read_limits(table);
    Some(SectionSpec {
        base: base?,
        changes: before.map_or(changes, |b| changes.over(b.changes)),
        limits: before.map_or(limits, |b| limits.over(b.limits)),
    })
}

/// Reads any of the properties of a section.
fn read_properties(table: &Table) -> Properties {
    if table.has("bend") {
        let help = "give `bend` for both axes, or bend1 and bend2";
        table.refuse(&["bend1", "bend2"], "means nothing beside `bend`", help);
    }
    let stiffness = |key| table.quantity(key, Dimension::Stiffness, Bounds::Positive);
    let both = stiffness("bend");
    Properties {
        bend1: stiffness("bend1").or(both),
        bend2: stiffness("bend2").or(both),
        twist: stiffness("twist"),
        mass_per_length: table.quantity("mass_per_length", Dimension::MassPerLength, Bounds::NotNegative),
        radius: radius(table, "radius", "diameter"),
    }
}

fn read_measured(table: &Table) -> Option<SectionBase> {
    let properties = read_properties(table);
    if !["bend", "bend1"].iter().any(|k| table.has(k)) {
        table.report_missing("bend", "give the measured bending stiffness: bend = \"0.05 N m^2\"");
    } else if table.has("bend1") && !table.has("bend2") {
        table.report_missing("bend2", "give the stiffness about the second axis as well, or `bend` for both");
    }
    for (key, dimension) in [("twist", Dimension::Stiffness), ("mass_per_length", Dimension::MassPerLength)] {
        if !table.has(key) {
            table.report_missing(key, format!("give {}", dimension.expectation()));
        }
    }
    if !table.has("radius") && !table.has("diameter") {
        table.report_missing("diameter", "give the outer diameter, \"12 mm\", or the radius");
    }
    Some(SectionBase::Measured(properties))
}

/// A radius given as such or as a diameter.
fn radius(table: &Table, radius: &'static str, diameter: &'static str) -> Option<f64> {
    match table.one_of(&[diameter, radius])? {
        key if key == diameter => Some(0.5 * table.quantity(key, Dimension::Length, Bounds::Positive)?),
        key => table.quantity(key, Dimension::Length, Bounds::Positive),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Disc,
    Tube,
    Ellipse,
    Rectangle,
}

fn read_shape(table: &Table) -> Option<SectionBase> {
    let material = read_material(table);
    if !table.has("shape") {
        table.report_missing("shape", "expected \"disc\", \"tube\", \"ellipse\" or \"rectangle\"");
    }
    let kinds = [
        ("disc", Kind::Disc),
        ("tube", Kind::Tube),
        ("ellipse", Kind::Ellipse),
        ("rectangle", Kind::Rectangle),
    ];
    let kind = table.choice("shape", &kinds)?;
    let disc = ["diameter", "radius"];
    let tube = ["outer_diameter", "outer_radius", "inner_diameter", "inner_radius"];
    let flat = ["width", "height"];
    let refuse = |keys: &[&str], why: &str, help: &str| table.refuse(keys, why, help);
    let needed = |radius_key: &'static str, diameter_key: &'static str| {
        if !table.has(radius_key) && !table.has(diameter_key) {
            table.report_missing(diameter_key, format!("{diameter_key} = \"12 mm\", or {radius_key}"));
        }
        radius(table, radius_key, diameter_key)
    };
    let shape = match kind {
        Kind::Disc => {
            let help = "a disc has a diameter or a radius";
            refuse(&tube, "is not a dimension of a disc", help);
            refuse(&flat, "is not a dimension of a disc", help);
            Shape::Disc { radius: needed("radius", "diameter")? }
        }
        Kind::Tube => {
            let help = "a tube has outer_diameter and inner_diameter, or outer_radius and inner_radius";
            refuse(&disc, "is not a dimension of a tube", help);
            refuse(&flat, "is not a dimension of a tube", help);
            let outer = needed("outer_radius", "outer_diameter");
            let inner = needed("inner_radius", "inner_diameter");
            let (outer, inner) = (outer?, inner?);
            if inner >= outer {
                let key = if table.has("inner_radius") { "inner_radius" } else { "inner_diameter" };
                let message = format!("the bore, {}, is not smaller than the tube", millimetres(2.0 * inner));
                let help = format!("expected less than the outer diameter, {}", millimetres(2.0 * outer));
                table.report(Code::OutOfRange, key, message, help);
                return None;
            }
            Shape::Tube { outer, inner }
        }
        Kind::Ellipse | Kind::Rectangle => {
            let name = if kind == Kind::Ellipse { "an ellipse" } else { "a rectangle" };
            let help = format!("{name} has a width along d1 and a height along d2");
            refuse(&disc, &format!("is not a dimension of {name}"), &help);
            refuse(&tube, &format!("is not a dimension of {name}"), &help);
            let width = table.required("width", Dimension::Length, Bounds::Positive);
            let height = table.required("height", Dimension::Length, Bounds::Positive);
            let (width, height) = (width?, height?);
            if kind == Kind::Ellipse {
                Shape::Ellipse { a: 0.5 * width, b: 0.5 * height }
            } else {
                Shape::Rectangle { width, height }
            }
        }
    };
    Some(SectionBase::Shape(shape, material?))
}

fn read_material(table: &Table) -> Option<MaterialSpec> {
    const POISSON: Bounds = Bounds::Within(
        -1.0,
        0.5,
        "expected a Poisson's ratio above -1 and at most 0.5; rubber has 0.5, steel 0.3",
    );
    let material = MaterialSpec {
        name: table.string("material").map(Into::into),
        youngs_modulus: table.quantity("youngs_modulus", Dimension::Stress, Bounds::Positive),
        poisson: table.quantity("poisson", Dimension::Ratio, POISSON),
        density: table.quantity("density", Dimension::Density, Bounds::Positive),
    };
    if !table.has("material") {
        let given = ["youngs_modulus", "poisson", "density"].map(|k| table.has(k));
        if given == [false; 3] {
            let help = "name one of the library, material = \"epdm-60\", or give youngs_modulus, poisson and density";
            table.report_missing("material", help);
            return None;
        }
        for (key, dimension) in [
            ("youngs_modulus", Dimension::Stress),
            ("poisson", Dimension::Ratio),
            ("density", Dimension::Density),
        ] {
            if !table.has(key) {
                table.report_missing(key, format!("give {}, or name a material", dimension.expectation()));
            }
        }
    }
    Some(material)
}

fn read_limits(table: &Table) -> LimitChanges {
    let Some(limits) = table.child("limits", LIMITS) else { return LimitChanges::default() };
    let positive = |key, dimension| limits.quantity(key, dimension, Bounds::Positive);
    let references = [("centre", RadiusReference::Centre), ("inner", RadiusReference::Inner)];
    LimitChanges {
        bend_radius_static: positive("bend_radius_static", Dimension::Length),
        bend_radius_dynamic: positive("bend_radius_dynamic", Dimension::Length),
        bend_reference: limits.choice("bend_reference", &references),
        tension: positive("tension", Dimension::Force),
        twist: positive("twist", Dimension::TwistRate),
        strain: positive("strain", Dimension::Ratio),
        clearance: positive("clearance", Dimension::Length),
        contact_force: positive("contact_force", Dimension::Force),
        contact_pressure: positive("contact_pressure", Dimension::ForcePerLength),
        chafing_work: positive("chafing_work", Dimension::Work),
    }
}
