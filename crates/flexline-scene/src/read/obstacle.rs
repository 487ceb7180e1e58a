//! Obstacles that cables cannot enter: shapes with their sizes, or meshes in files of their own.

use super::eye::RADIUS;
use super::harness::optional_orientation;
use crate::diagnostic::Code;
use crate::harness::Part;
use crate::model::Hold;
use crate::obstacle::{Form, MeshFile, ObstacleSpec, UpAxis};
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::quote;
use flexline::Vec3;

pub(super) const OBSTACLE: &[&str] = &[
    "name",
    "shape",
    "radius",
    "length",
    "size",
    "mesh",
    "unit",
    "up_axis",
    "fingerprint",
    "on",
    "position",
    "tangent",
    "up",
    "quaternion",
    "axis",
    "angle",
    "friction",
];

const LENGTH: Bounds =
    Bounds::Within(1e-9, 1e6, "expected a length greater than zero (above 1 nm, at most 1000 km)");

/// Sizes, and which of them each shape has.
const SIZES: [&str; 3] = ["radius", "length", "size"];

/// A shape by its name, before its sizes are known.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plane,
    Sphere,
    Cylinder,
    Capsule,
    Box,
    Tube,
}

const KINDS: [(&str, Kind); 6] = [
    ("plane", Kind::Plane),
    ("sphere", Kind::Sphere),
    ("cylinder", Kind::Cylinder),
    ("capsule", Kind::Capsule),
    ("box", Kind::Box),
    ("tube", Kind::Tube),
];

/// What one unit of a mesh may be, m.
const UNITS: [(&str, f64); 6] =
    [("m", 1.0), ("dm", 0.1), ("cm", 0.01), ("mm", 1e-3), ("in", 0.0254), ("ft", 0.3048)];

/// Reads `[[obstacle]]` of any scene; `None` where one is wrong.
pub(super) fn read(root: &Table) -> Option<Vec<ObstacleSpec>> {
    let tables = root.children("obstacle", OBSTACLE);
    let obstacles: Vec<Option<ObstacleSpec>> =
        tables.iter().enumerate().map(|(i, table)| read_obstacle(table, i)).collect();
    for (i, (table, obstacle)) in tables.iter().zip(&obstacles).enumerate() {
        let Some(obstacle) = obstacle else { continue };
        if obstacles[..i].iter().flatten().any(|other| other.name == obstacle.name) {
            let message = format!("\"{}\" is the name of another obstacle", quote(&obstacle.name));
            table.report(Code::Conflict, "name", message, "give each obstacle a name of its own");
        }
    }
    obstacles.into_iter().collect()
}

/// Reports obstacles that are called as something else that can be moved; `is_other` knows what there is.
pub(super) fn unlike_others(root: &Table, obstacles: &[ObstacleSpec], is_other: impl Fn(&str) -> bool) {
    for (i, obstacle) in obstacles.iter().enumerate().filter(|(_, own)| is_other(&own.name)) {
        let message = format!("\"{}\" is the name of something that holds cables", quote(&obstacle.name));
        root.report(
            Code::Conflict,
            &format!("obstacle[{i}].name"),
            message,
            "give the obstacle a name of its own",
        );
    }
}

/// Reports obstacles that are on something that is no part, and such without end on a part that may move by itself.
pub(super) fn on_parts(root: &Table, obstacles: &[ObstacleSpec], parts: &[Option<Part>]) {
    for (i, obstacle) in obstacles.iter().enumerate() {
        let Some(on) = &obstacle.on else { continue };
        let path = format!("obstacle[{i}].on");
        let (message, help) = match parts.iter().flatten().find(|part| part.name == *on) {
            Some(part) if part.hold == Hold::Clamped && part.slides == [false; 3] => continue,
            Some(_)
                if !matches!(
                    obstacle.form,
                    Form::Plane | Form::Tube { .. } | Form::Cylinder { length: None, .. }
                ) =>
            {
                continue;
            }
            Some(_) => (
                format!(
                    "obstacle '{}' is on part '{}', which cables may move, and has no end",
                    quote(&obstacle.name),
                    quote(on)
                ),
                "what moves is a ball, a capsule, a block, a cylinder with a length or a mesh; or hold the part, hold = \"fixed\": a \
                 hand or a [[motion]] may lead it all the same",
            ),
            None => (
                format!(
                    "obstacle '{}' is on \"{}\", and no part is called so",
                    quote(&obstacle.name),
                    quote(on)
                ),
                "name a [[part]], or leave `on` out: it stands in the world then",
            ),
        };
        root.report(Code::Conflict, &path, message, help);
    }
}

fn read_obstacle(table: &Table, index: usize) -> Option<ObstacleSpec> {
    let name = table.string("name").map_or_else(|| format!("obstacle {}", index + 1), Into::into);
    let form = match table.one_of(&["shape", "mesh"]) {
        Some("mesh") => read_mesh(table).map(Form::Mesh),
        Some(_) => read_shape(table),
        None => {
            let help = "say what it is: shape = \"cylinder\", or a file: mesh = \"bracket.stl\"";
            table.report_missing("shape", help);
            None
        }
    };
    let position = table.vector("position", Dimension::Length).map(Vec3::from);
    if table.has("position") {
        position?;
    }
    let orientation = optional_orientation(table);
    let friction = table.quantity("friction", Dimension::Ratio, Bounds::NotNegative);
    if table.has("friction") {
        friction?;
    }
    let on = table.string("on").map(str::to_owned);
    if table.has("on") {
        on.as_ref()?;
    }
    Some(ObstacleSpec {
        name,
        form: form?,
        on,
        position: position.unwrap_or_default(),
        orientation: orientation?,
        friction: friction.unwrap_or(0.0),
    })
}

fn read_shape(table: &Table) -> Option<Form> {
    table.refuse(
        &["unit", "up_axis", "fingerprint"],
        "goes with `mesh`",
        "leave it out: lengths carry their units",
    );
    let kind = table.choice("shape", &KINDS)?;
    let sizes: &[&str] = match kind {
        Kind::Plane => &[],
        Kind::Sphere | Kind::Tube => &["radius"],
        Kind::Cylinder | Kind::Capsule => &["radius", "length"],
        Kind::Box => &["size"],
    };
    let others: Vec<&str> = SIZES.into_iter().filter(|size| !sizes.contains(size)).collect();
    let word = KINDS.iter().find(|(_, other)| *other == kind).map_or("", |(word, _)| word);
    let help = match sizes {
        [] => "leave it out: a plane has no size".into(),
        sizes => format!("leave it out: a {word} has {}", sizes.join(" and ")),
    };
    table.refuse(&others, &format!("means nothing for a {word}"), &help);
    let radius = || table.required("radius", Dimension::Length, RADIUS);
    match kind {
        Kind::Plane => Some(Form::Plane),
        Kind::Sphere => Some(Form::Sphere { radius: radius()? }),
        Kind::Tube => Some(Form::Tube { radius: radius()? }),
        Kind::Cylinder => {
            let (radius, length) = (radius(), table.quantity("length", Dimension::Length, LENGTH));
            if table.has("length") {
                length?;
            }
            Some(Form::Cylinder { radius: radius?, length })
        }
        Kind::Capsule => {
            let (radius, length) = (radius(), table.required("length", Dimension::Length, LENGTH));
            Some(Form::Capsule { radius: radius?, length: length? })
        }
        Kind::Box => read_size(table).map(|size| Form::Box { size }),
    }
}

fn read_size(table: &Table) -> Option<Vec3> {
    if !table.has("size") {
        table.report_missing("size", "give its lengths: size = [\"40 mm\", \"30 mm\", \"20 mm\"]");
    }
    let size = Vec3::from(table.vector("size", Dimension::Length)?);
    if size.iter().any(|length| !(1e-9..=1e6).contains(length)) {
        let message = format!("{} has a length that cannot be", table.words("size"));
        let help = "expected three lengths greater than zero (above 1 nm, at most 1000 km)";
        table.report(Code::OutOfRange, "size", message, help);
        return None;
    }
    Some(size)
}

fn read_mesh(table: &Table) -> Option<MeshFile> {
    table.refuse(&SIZES, "goes with `shape`", "leave it out: a mesh has the size of its file, see `unit`");
    if !table.has("unit") {
        table.report_missing(
            "unit",
            "most mesh files do not say their unit: unit = \"mm\"; `flexline import` tells what yours says",
        );
    }
    let path = table.string("mesh");
    let unit = table.choice("unit", &UNITS);
    let up = table.choice("up_axis", &[("y", UpAxis::Y), ("z", UpAxis::Z)]);
    if table.has("up_axis") {
        up?;
    }
    let fingerprint = table.string("fingerprint").map(|text| u64::from_str_radix(text, 16));
    if let Some(Err(_)) = fingerprint {
        let message = format!("{} is no fingerprint", table.words("fingerprint"));
        let help = "expected 16 digits of base 16, as a scene is saved with; leave it out where the mesh is meant to change";
        table.report(Code::OutOfRange, "fingerprint", message, help);
        return None;
    }
    if table.has("fingerprint") {
        fingerprint.as_ref()?;
    }
    Some(MeshFile {
        path: path?.to_owned(),
        unit: unit?,
        up: up.unwrap_or_default(),
        fingerprint: fingerprint.and_then(Result::ok),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostic;
    use crate::model::Orientation;
    use crate::reader::Context;
    use crate::source::Source;
    use std::cell::RefCell;
    use toml::de::DeTable;

    fn read_text(text: &str) -> (Option<Vec<ObstacleSpec>>, Vec<Diagnostic>) {
        let document = DeTable::parse(text).unwrap();
        let context = RefCell::new(Context::new(Source::new("test", text)));
        let root = Table::new(&context, String::new(), 0..0, document.get_ref(), &["obstacle"]);
        let read = read(&root);
        (read, context.into_inner().diagnostics)
    }

    /// The one obstacle of a text without mistakes.
    fn one(keys: &str) -> ObstacleSpec {
        let (read, mistakes) = read_text(&format!("[[obstacle]]\n{keys}\n"));
        assert!(mistakes.is_empty(), "{mistakes:?}");
        read.unwrap().remove(0)
    }

    /// Messages and help of a text with mistakes.
    fn mistakes(keys: &str) -> String {
        let (_, mistakes) = read_text(&format!("[[obstacle]]\n{keys}\n"));
        assert!(!mistakes.is_empty(), "{keys}");
        mistakes.iter().map(|m| format!("{}; {}\n", m.message, m.help.as_deref().unwrap_or(""))).collect()
    }

    #[test]
    fn every_shape_is_read() {
        assert_eq!(one("shape = \"plane\"").form, Form::Plane);
        assert_eq!(one("shape = \"sphere\"\nradius = \"20 mm\"").form, Form::Sphere { radius: 0.02 });
        assert_eq!(one("shape = \"tube\"\nradius = 0.1").form, Form::Tube { radius: 0.1 });
        let endless = Form::Cylinder { radius: 0.1, length: None };
        assert_eq!(one("shape = \"cylinder\"\nradius = 0.1").form, endless);
        let bar = Form::Cylinder { radius: 0.1, length: Some(0.3) };
        assert_eq!(one("shape = \"cylinder\"\nradius = 0.1\nlength = \"300 mm\"").form, bar);
        let round = Form::Capsule { radius: 0.1, length: 0.3 };
        assert_eq!(one("shape = \"capsule\"\nradius = 0.1\nlength = 0.3").form, round);
        let block = Form::Box { size: Vec3::new(0.04, 0.03, 0.02) };
        assert_eq!(one("shape = \"box\"\nsize = [\"40 mm\", \"3 cm\", 0.02]").form, block);
        let file = MeshFile { path: "a.stl".into(), unit: 1e-3, up: UpAxis::Y, fingerprint: Some(31) };
        assert_eq!(
            one("mesh = \"a.stl\"\nunit = \"mm\"\nup_axis = \"y\"\nfingerprint = \"1f\"").form,
            Form::Mesh(file)
        );
    }

    #[test]
    fn place_and_friction_are_read() {
        let plain = one("shape = \"plane\"");
        assert_eq!((&*plain.name, plain.position, plain.friction), ("obstacle 1", Vec3::zeros(), 0.0));
        assert_eq!(plain.orientation, None);
        let placed = one(
            "name = \"wall\"\nshape = \"plane\"\nposition = [0, \"50 mm\", 0]\ntangent = [2, 0, 0]\nfriction = \"30 %\"",
        );
        assert_eq!((&*placed.name, placed.position.y, placed.friction), ("wall", 0.05, 0.3));
        assert_eq!(placed.orientation, Some(Orientation::Tangent(Vec3::x(), None)));
    }

    #[test]
    fn mistakes_are_told() {
        assert!(mistakes("friction = 0.1").contains("shape = \"cylinder\""));
        assert!(mistakes("shape = \"ball\"").contains("sphere"));
        assert!(mistakes("shape = \"sphere\"").contains("radius"));
        assert!(mistakes("shape = \"sphere\"\nradius = 0").contains("above 1 nm"));
        assert!(mistakes("shape = \"sphere\"\nradius = 1\nsize = [1, 1, 1]").contains("a sphere has radius"));
        assert!(mistakes("shape = \"capsule\"\nradius = 1").contains("length"));
        assert!(mistakes("shape = \"box\"").contains("size = ["));
        assert!(mistakes("shape = \"box\"\nsize = [1, -1, 1]").contains("greater than zero"));
        assert!(mistakes("shape = \"plane\"\nunit = \"mm\"").contains("goes with `mesh`"));
        assert!(mistakes("mesh = \"a.stl\"").contains("unit = \"mm\""));
        assert!(mistakes("mesh = \"a.stl\"\nunit = \"parsec\"").contains("mm"));
        assert!(mistakes("mesh = \"a.stl\"\nunit = \"mm\"\nfingerprint = \"x\"").contains("no fingerprint"));
        assert!(mistakes("mesh = \"a.stl\"\nunit = \"mm\"\nradius = 1").contains("goes with `shape`"));
        assert!(
            mistakes("mesh = \"a.stl\"\nunit = \"mm\"\nshape = \"box\"\nsize = [1, 1, 1]")
                .contains("exclude")
        );
        assert!(mistakes("shape = \"plane\"\nfriction = -0.1").contains("negative"));
        let twice = "name = \"a\"\nshape = \"plane\"\n[[obstacle]]\nname = \"a\"\nshape = \"plane\"";
        assert!(mistakes(twice).contains("name of another obstacle"));
    }
}
