//! The `[cable]` table and its zones and rest shape.

use super::constraint::read_points;
use super::eye::read_friction;
use super::section;
use crate::diagnostic::Code;
use crate::model::{Cable, Grading, Rest, STANDARD_SEGMENTS, SectionSpec, Usage, Zone};
use crate::reader::{Bounds, Table, list};
use crate::rod::{ROD_MODELS, RodModel};
use crate::units::Dimension;
use crate::words::{digits, millimetres};
use flexline::Vec3;

pub(super) const CABLE: &[&str] = &[
    "name",
    "length",
    "segments",
    "elements",
    "accuracy",
    "model",
    "grading",
    "closed",
    "twist",
    "use",
    "part",
    "section",
    "measured",
    "bundle",
    "override",
    "limits",
    "rest",
    "zone",
    "passes_through",
    "friction",
    "path",
    "path_twist",
];
pub(super) const ZONE: &[&str] =
    &["name", "from", "to", "taper", "part", "section", "measured", "bundle", "override", "limits"];
pub(super) const REST: &[&str] = &["curvature", "twist", "start", "end", "table"];
pub(super) const LAYERS: &[&str] = &["start", "end"];
pub(super) const LENGTH: Bounds =
    Bounds::Within(1e-9, 1e6, "expected a length greater than zero (above 1 nm, at most 1000 km)");
pub(super) const STRAIN: &[&str] = &["curvature", "twist"];

/// Whether the file says the cable is a ring.
pub(super) fn is_closed(root: &Table) -> bool {
    root.peek_boolean("cable", "closed") == Some(true)
}

/// Reads `[cable]`.
pub(super) fn read(root: &Table) -> Option<Cable> {
    if !root.has("cable") {
        root.report_missing("cable", "add a [cable] table with length and part, section or measured");
    }
    let table = root.child("cable", CABLE)?;
    let grading = read_grading(&table);
    let closed = table.boolean("closed").unwrap_or(false);
    if !closed {
        let help = "turn an end instead: twist in [start] or [end], with hold = \"clamped\"";
        table.refuse(&["twist"], "belongs to a closed ring", help);
    }
    let twist = table.quantity("twist", Dimension::Angle, Bounds::Any).unwrap_or(0.0);
    let body = read_body(&table, STANDARD_SEGMENTS)?;
    if !body.model.is_chain() {
        let help = "leave it out, and give more `elements` where the cable bends sharply";
        table.refuse(&["grading"], "is for models with segments, \"mixed\" and \"nodal\"", help);
    }
    let accuracy = read_accuracy(&table, &body);
    if table.has("accuracy") {
        accuracy?;
    }
    Some(Cable { grading, accuracy, ring_twist: closed.then_some(twist), ..body })
}

/// How far the centreline may be off, for which segments or elements are chosen.
pub(super) fn read_accuracy(table: &Table, body: &Cable) -> Option<f64> {
    if table.has("accuracy") {
        let [own, _] = body.model.keys();
        let help = format!("leave one of them out: an accuracy chooses the {own}");
        table.refuse(&[own], "means nothing beside `accuracy`", &help);
    }
    let accuracy = table.along("accuracy", Some(body.length))?;
    if !(accuracy > 0.0 && accuracy <= body.length) {
        let message = format!("{} = {} is out of range", table.words("accuracy"), millimetres(accuracy));
        let help = format!(
            "expected more than 0 and at most the length of the cable, {}; or a share such as \"0.1 %\"",
            millimetres(body.length)
        );
        table.report(Code::OutOfRange, "accuracy", message, help);
        return None;
    }
    Some(accuracy)
}

/// Reads what an open cable of uniform segments or elements is, of any scene.
pub(super) fn read_body(table: &Table, standard: usize) -> Option<Cable> {
    let name = table.string("name").unwrap_or("cable").to_owned();
    let length = table.required("length", Dimension::Length, LENGTH);
    let (model, resolution) = read_model(table, standard);
    let usage = table.choice("use", &[("static", Usage::Static), ("dynamic", Usage::Dynamic)]);
    let section = section::read(table, None);
    let rest = read_rest(table, length);
    let zones = read_zones(table, length, section.as_ref());
    let friction = read_friction(table);
    let path = if table.has("path") { read_points(table, "path", 1, false) } else { Some(Vec::new()) };
    if !table.has("path") {
        table.refuse(&["path_twist"], "goes with `path`", "leave it out: it is the twist of a first shape");
    }
    let path_twist = table.quantity("path_twist", Dimension::Angle, Bounds::Any);
    if table.has("path_twist") {
        path_twist?;
    }
    Some(Cable {
        name,
        length: length?,
        model,
        resolution,
        accuracy: None,
        grading: Grading::Uniform,
        ring_twist: None,
        usage: usage.unwrap_or(Usage::Static),
        section: section?,
        zones: zones?,
        rest: rest?,
        passes_through: table.strings("passes_through", "names of obstacles and cables").unwrap_or_default(),
        friction: friction?,
        path: path?,
        path_twist,
    })
}

/// Reads the rod model and the number of its pieces; `standard` is that of segments.
fn read_model(table: &Table, standard: usize) -> (RodModel, usize) {
    let chosen = table.choice("model", ROD_MODELS);
    let model = chosen.unwrap_or_default();
    let [own, other] = model.keys();
    let standard = model.standard(standard);
    let why = format!("; {standard} is a good start");
    let resolution = table.integer(own, model.range(), &why).unwrap_or(standard);
    // A model that is not known has any key.
    if chosen.is_some() || !table.has("model") {
        let others = ROD_MODELS.iter().filter(|(_, m)| m.is_chain() != model.is_chain());
        let names: Vec<String> = others.map(|(name, _)| format!("\"{name}\"")).collect();
        let help = format!("say {own} = {standard} instead, or model = {}", list(&names));
        table.refuse(&[other], &format!("means nothing to a cable that has {own}"), &help);
    }
    (model, resolution)
}

fn read_grading(cable: &Table) -> Grading {
    if cable.is_table("grading")
        && let Some(table) = cable.child("grading", LAYERS)
    {
        let layer = |key| table.quantity(key, Dimension::Length, Bounds::NotNegative).unwrap_or(0.0);
        return Grading::Layers([layer("start"), layer("end")]);
    }
    cable
        .choice("grading", &[("uniform", Grading::Uniform), ("auto", Grading::Auto)])
        .unwrap_or(Grading::Uniform)
}

fn read_zones(cable: &Table, length: Option<f64>, base: Option<&SectionSpec>) -> Option<Vec<Zone>> {
    let tables = cable.children("zone", ZONE);
    let mut good = true;
    let mut zones: Vec<Zone> = Vec::new();
    for table in &tables {
        let zone = read_zone(table, length, base);
        if let Some(zone) = zone {
            if let Some(before) = zones.last()
                && zone.from < before.to
            {
                let message = format!(
                    "{} = {} lies before the end of the zone above it at {}",
                    table.words("from"),
                    millimetres(zone.from),
                    millimetres(before.to)
                );
                table.report(Code::OutOfRange, "from", message, "zones stand in order and do not overlap");
                good = false;
            }
            zones.push(zone);
        } else {
            good = false;
        }
    }
    good.then_some(zones)
}

fn read_zone(table: &Table, length: Option<f64>, base: Option<&SectionSpec>) -> Option<Zone> {
    for key in ["from", "to"] {
        if !table.has(key) {
            table.report_missing(
                key,
                format!("give a length along the cable: {key} = \"120 mm\" or \"25 %\""),
            );
        }
    }
    let from = inside(table, "from", length);
    let to = inside(table, "to", length);
    let taper = table.quantity("taper", Dimension::Length, Bounds::NotNegative);
    let section = section::read(table, base);
    let (from, to) = (from?, to?);
    if to <= from {
        let message = format!("{} = {} does not lie beyond `from`", table.words("to"), millimetres(to));
        table.report(Code::OutOfRange, "to", message, format!("expected more than {}", millimetres(from)));
        return None;
    }
    let taper = taper.unwrap_or(0.0);
    if taper > 0.5 * (to - from) {
        let message =
            format!("{} = {} is more than half of its zone", table.words("taper"), millimetres(taper));
        let help = format!("expected at most {}", millimetres(0.5 * (to - from)));
        table.report(Code::OutOfRange, "taper", message, help);
        return None;
    }
    Some(Zone { name: table.string("name").map(Into::into), from, to, taper, section: section? })
}

/// An arc length that must lie on the cable.
pub(super) fn inside(table: &Table, key: &str, length: Option<f64>) -> Option<f64> {
    let s = table.along(key, length)?;
    let length = length?;
    if s < 0.0 || s > length * (1.0 + 1e-12) {
        let message = format!("{} = {} lies outside the cable", table.words(key), millimetres(s));
        let help = format!("expected 0 to {}, or a share such as \"50 %\"", millimetres(length));
        table.report(Code::OutOfRange, key, message, help);
        return None;
    }
    Some(s.min(length))
}

pub(super) fn read_rest(cable: &Table, length: Option<f64>) -> Option<Rest> {
    if !cable.has("rest") || cable.is_string("rest") {
        cable.choice("rest", &[("straight", ())]);
        return Some(Rest::Constant(Vec3::zeros()));
    }
    let table = cable.child("rest", REST)?;
    let help = "give one of: curvature and twist; start and end; table";
    if table.has("table") {
        table.refuse(&["curvature", "twist", "start", "end"], "means nothing beside `table`", help);
        return read_rest_table(&table, length);
    }
    if table.has("start") || table.has("end") {
        table.refuse(&["curvature", "twist"], "means nothing beside `start` and `end`", help);
        let half = |key| -> Option<Vec3> {
            if !table.has(key) {
                table.report_missing(key, format!("{key} = {{ curvature = [\"2 1/m\", 0], twist = 0 }}"));
            }
            read_strain(&table.child(key, STRAIN)?)
        };
        let (a, b) = (half("start"), half("end"));
        return Some(Rest::Affine([a?, b?]));
    }
    read_strain(&table).map(Rest::Constant)
}

fn read_strain(table: &Table) -> Option<Vec3> {
    let curvature = table.array("curvature", [Dimension::Curvature; 2]);
    let twist = table.quantity("twist", Dimension::TwistRate, Bounds::Any);
    let or_zero = |key: &str, value: Option<f64>| if table.has(key) { value } else { Some(0.0) };
    let k1 = or_zero("curvature", curvature.map(|k| k[0]))?;
    let k2 = or_zero("curvature", curvature.map(|k| k[1]))?;
    Some(Vec3::new(k1, k2, or_zero("twist", twist)?))
}

fn read_rest_table(table: &Table, length: Option<f64>) -> Option<Rest> {
    use Dimension::{Curvature, Length, TwistRate};
    let rows = table.rows("table", [Length, Curvature, Curvature, TwistRate], "[s, k1, k2, twist]")?;
    let length = length?;
    if rows.is_empty() {
        table.report(
            Code::WrongType,
            "table",
            format!("{} is empty", table.words("table")),
            "give rows of [s, k1, k2, twist]",
        );
        return None;
    }
    let mut last = 0.0;
    for (i, row) in rows.iter().enumerate() {
        if row[0] < last || row[0] > length * (1.0 + 1e-12) {
            let key = format!("table[{i}]");
            let message = format!("{} is at s = {} m", table.words(&key), digits(row[0]));
            let help =
                format!("s must not decrease and lie in 0 to {} m; a repeated s is a jump", digits(length));
            table.report(Code::OutOfRange, &key, message, help);
            return None;
        }
        last = row[0];
    }
    Some(Rest::Table(rows.iter().map(|r| (r[0], Vec3::new(r[1], r[2], r[3]))).collect()))
}
